/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimctl.h - what the commands of gdimctl share: which store, and how answers
 * are printed
 */
#ifndef GDIMCTL_H
#define GDIMCTL_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include "gdim/site.h"

/**
 * struct ctl - what was said before or behind the command
 * @store:	path, or NULL
 * @json:	answers as JSON
 */
struct ctl {
	const char	*store;
	bool		json;
};

extern struct ctl ctl;

/**
 * ctl_open() - the store of --store, told if that is not possible
 *
 * Return: 0 or a negative errno.
 */
int ctl_open(struct site **s, enum store_mode mode);

/* Bring one layer, or all (-1), up to date. Return: 0, or told */
int ctl_fuse(struct site *s, int layer);

/* Number of the layer, or of the only one for NULL; or told: -EINVAL */
int ctl_layer(struct site *s, const char *name);

/* One line. Frees @answer */
void ctl_print(cJSON *answer);

/* A number as people write it: no more than 6 digits behind the point */
const char *ctl_number(double v, char text[32]);

double ctl_ms(void);	/* CLOCK_MONOTONIC */

int cmd_import_submaps(int argc, char **argv);
int cmd_set_poses(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_spot(int argc, char **argv);
int cmd_layers(int argc, char **argv);
int cmd_layer(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_backup(int argc, char **argv);

#endif
