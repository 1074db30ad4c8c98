/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_records.h - states of a site from recordings of gdimd
 *
 * In: a folder of snapshots and logs (MCAP, see gdimd/record.h), and the
 * layers. Out: maps, rooms and poses at selected times.
 *
 * A snapshot has one time, a log has many; of many, evenly spaced ones are
 * kept. A file that cannot be read is skipped with one warning; of a damaged
 * file the readable part is used.
 */
#ifndef APPS_GDIMCTL_VIEW_RECORDS_H
#define APPS_GDIMCTL_VIEW_RECORDS_H

#include "base/error.h"
#include "view_page.h"

struct view_records;

/**
 * view_records_open() - find the times of all files
 * @layer:	array of @layers, must outlive the records; other maps are
 *		skipped
 * @optional:	a missing folder is not an error
 * @error:	gets one line
 *
 * Warnings are printed. Return: 0; errors of opendir(); -ENOMEM.
 */
int view_records_open(struct view_records **records, const char *folder,
		      bool optional, const struct layer *layer,
		      unsigned int layers, struct error *error);

/* Keep at most @most times; times of logs are dropped first */
void view_records_thin(struct view_records *v, unsigned int most);

/**
 * view_records_each() - call @each for the kept times, file by file
 * @each: a value other than 0 ends the loop and is returned
 *
 * Return: 0; -ENOMEM.
 */
int view_records_each(struct view_records *v,
		      int (*each)(void *arg, const struct view_state *s),
		      void *arg);

void view_records_close(struct view_records *v);

#endif
