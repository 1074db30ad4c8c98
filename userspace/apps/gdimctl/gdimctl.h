/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimctl.h - shared by the commands of gdimctl: access to the store, printing
 * of answers
 */
#ifndef GDIMCTL_H
#define GDIMCTL_H

#include <argp.h>
#include <cjson/cJSON.h>
#include <stdbool.h>
#include "map/site/site.h"

/**
 * struct ctl - options of all commands
 * @store:	path, or NULL: ask the daemon
 * @socket:	of the daemon
 * @json:	print answers as JSON
 */
struct ctl {
	const char	*store, *socket;
	bool		json;
};

extern struct ctl ctl;

/**
 * ctl_open() - open the store of --store; errors are printed
 *
 * STORE_READ without --store: the daemon's store, shared with it.
 *
 * Return: 0 or a negative errno.
 */
int ctl_open(struct site **s, enum store_mode mode);

/**
 * ctl_open_in_part() - as ctl_open() for reading, without nodes and submaps
 *
 * ctl_fuse_area() reads those of an area.
 */
int ctl_open_in_part(struct site **s);
/* Read and fuse an area. Return: 0, or an error, already printed */
int ctl_fuse_area(struct site *s, const struct site_area *area);

/* Print an error of a store, and how to recover. Return: @err */
int ctl_damaged(int err, const char *error);
/* Set ctl.store if it is NULL. Return: as ctl_open() */
int ctl_find_store(bool ask);

/**
 * ctl_ask() - send a command to the daemon
 * @parameters: consumed
 * @answer: free with cJSON_Delete()
 *
 * Return: 0 or a negative errno, already printed.
 */
int ctl_ask(const char *command, cJSON *parameters, cJSON **answer);

/* Make a path absolute, as the daemon runs in another folder */
void ctl_add_path(cJSON *parameters, const char *key, const char *path);

/* Print an answer, as JSON or by @print, and free it. Return: 0 */
int ctl_show(cJSON *answer, void (*print)(const cJSON *answer));

/* Items of an answer; 0 or "" if missing */
double ctl_value(const cJSON *o, const char *key);
const char *ctl_text(const cJSON *o, const char *key);

/* Fuse one layer, or all (-1). Return: 0, or an error, already printed */
int ctl_fuse(struct site *s, int layer);

/* Number of the layer; NULL: of the only one. -EINVAL: already printed */
int ctl_layer(struct site *s, const char *name);

/* A number as text with up to 6 decimals */
const char *ctl_number(double v, char text[32]);

/* Restore an argument that may be a negative number */
char *ctl_argument(char *arg);

double ctl_ms(void);	/* CLOCK_MONOTONIC */

/* For argp: a command without arguments, only options */
error_t ctl_no_arguments(int key, char *arg, struct argp_state *state);

/*
 * argp children of commands that may create a layer: --role, --rule, ... Their
 * input is text of IMPORT_WORDS bytes; it gets words for layer_change()
 */
extern const struct argp_child ctl_layer_words[];

/* help_filter of argp: a list of names for {roles}, {rules}, ... */
char *ctl_help_names(int key, const char *text, void *input);

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
int cmd_edges(int argc, char **argv);
int cmd_room(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);

#endif
