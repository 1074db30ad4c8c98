/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_records.h - what recordings of gdimd say was known, at several times
 *
 * In: a folder of snapshots and logs (MCAP, see gdimd/record.h), and which
 * layers there are. Out: maps, rooms and poses for each time that is wanted.
 *
 * A snapshot is one time, a log is many; of those the ones that are kept are
 * evenly spread. A file that cannot be read is named in one warning and left
 * out, and of one that is damaged all that is whole is used.
 */
#ifndef APPS_GDIMCTL_VIEW_RECORDS_H
#define APPS_GDIMCTL_VIEW_RECORDS_H

#include "base/error.h"
#include "view_page.h"

struct view_records;

/**
 * view_records_open() - find out which times there are
 * @layer:	@layers of them, which must stay; maps of others are left out
 * @optional:	a folder that is not there has no files
 * @error:	gets one line
 *
 * Warnings are told. Return: 0; errors of opendir(); -ENOMEM.
 */
int view_records_open(struct view_records **records, const char *folder,
		      bool optional, const struct layer *layer,
		      unsigned int layers, char error[ERROR_TEXT]);

/* At most @most times; of more, those of logs go first */
void view_records_thin(struct view_records *v, unsigned int most);

/**
 * view_records_each() - all that was kept, file by file
 * @each: anything but 0 that it returns ends it and is returned
 *
 * Return: 0; -ENOMEM.
 */
int view_records_each(struct view_records *v,
		      int (*each)(void *arg, const struct view_state *s),
		      void *arg);

void view_records_close(struct view_records *v);

#endif
