/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimctl.h - what the commands of gdimctl share: which store, and how answers
 * are printed
 */
#ifndef GDIMCTL_H
#define GDIMCTL_H

#include <argp.h>
#include <cjson/cJSON.h>
#include <stdbool.h>
#include "map/site/site.h"

/**
 * struct ctl - what was said before or behind the command
 * @store:	path, or NULL: a daemon has it
 * @socket:	of the daemon
 * @json:	answers as JSON
 */
struct ctl {
	const char	*store, *socket;
	bool		json;
};

extern struct ctl ctl;

/**
 * ctl_open() - the store of --store, told if that is not possible
 *
 * To read, that of the daemon if none was said: others may read it meanwhile.
 *
 * Return: 0 or a negative errno.
 */
int ctl_open(struct site **s, enum store_mode mode);

/**
 * ctl_open_in_part() - as ctl_open() to read, without nodes and submaps
 *
 * Those of a place come with ctl_fuse_area().
 */
int ctl_open_in_part(struct site **s);
/* Read and fuse what is there. Return: 0, or told */
int ctl_fuse_area(struct site *s, const struct site_area *area);

/* Tell an error of a store, and what can be done. Return: @err */
int ctl_damaged(int err, const char *error);
/* Set ctl.store if it is not. Return: as ctl_open() */
int ctl_find_store(bool ask);

/**
 * ctl_ask() - ask the daemon
 * @parameters: consumed
 * @answer: to be freed with cJSON_Delete()
 *
 * Return: 0 or a negative errno, which was told.
 */
int ctl_ask(const char *command, cJSON *parameters, cJSON **answer);

/* A path for the daemon, which is in another folder */
void ctl_add_path(cJSON *parameters, const char *key, const char *path);

/* Print an answer, as JSON or by @print, and drop it. Return: 0 */
int ctl_show(cJSON *answer, void (*print)(const cJSON *answer));

/* Of an answer; 0 or "" if it has no such item */
double ctl_value(const cJSON *o, const char *key);
const char *ctl_text(const cJSON *o, const char *key);

/* Bring one layer, or all (-1), up to date. Return: 0, or told */
int ctl_fuse(struct site *s, int layer);

/* Number of the layer, or of the only one for NULL; or told: -EINVAL */
int ctl_layer(struct site *s, const char *name);

/* One line. Frees @answer */
void ctl_print(cJSON *answer);

/* A number as people write it: no more than 6 digits behind the point */
const char *ctl_number(double v, char text[32]);

/* A word of the command line as it was written: it may be a number below 0 */
char *ctl_argument(char *arg);

double ctl_ms(void);	/* CLOCK_MONOTONIC */

/* For argp: a command that takes options at most */
error_t ctl_no_arguments(int key, char *arg, struct argp_state *state);

/*
 * Children of a command's argp that may make a layer: --role, --rule, ... Their
 * input is text of IMPORT_WORDS bytes, which gets words for layer_change()
 */
extern const struct argp_child ctl_layer_words[];

int cmd_import(int argc, char **argv);
int cmd_import_submaps(int argc, char **argv);
int cmd_set_poses(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_spot(int argc, char **argv);
int cmd_layers(int argc, char **argv);
int cmd_layer(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_backup(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_rate(int argc, char **argv);
int cmd_remove(int argc, char **argv);
int cmd_rooms(int argc, char **argv);
int cmd_room(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);

#endif
