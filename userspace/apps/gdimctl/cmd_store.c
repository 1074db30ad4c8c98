// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl verify, gdimctl backup - check a store, and copy it
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"

static const struct argp verify_argp = {
	NULL, ctl_no_arguments, NULL,
	"Read and check a store: structures of SQLite, checksums of all cells, "
	"and references. Prints one line per error, with exit status 1.",
	NULL, NULL, NULL
};

static int open_store(struct store **s)
{
	struct error error;
	int err;

	err = ctl_find_store(true);
	if (err)
		return err;
	err = store_open(s, ctl.store, STORE_READ, &error);
	return err ? ctl_damaged(err, error.text) : 0;
}

static void store_print(void *arg, const char *line)
{
	(void)arg;
	puts(line);
}

int cmd_verify(int argc, char **argv)
{
	struct store *s;
	int err, found;

	err = cli_parse(&verify_argp, argc, argv, NULL);
	if (!err)
		err = open_store(&s);
	if (err)
		return err;
	found = store_verify(s, store_print, NULL);
	if (found < 0)
		cli_error(found, "%s: %s", ctl.store, store_error(s));
	else if (!found)
		printf("%s is intact\n", ctl.store);
	store_close(s);
	return found;
}

static error_t backup_parse(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			return cli_usage(state->argv[0], "more than one file");
		*path = arg;
		return 0;
	case ARGP_KEY_END:
		return *path ? 0 : cli_usage(state->argv[0], "missing FILE.db");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp backup_argp = {
	NULL, backup_parse, "FILE.db",
	"Copy a consistent snapshot of a store, also while it is in use. The "
	"file must not exist.",
	NULL, NULL, NULL
};

int cmd_backup(int argc, char **argv)
{
	const char *path = NULL;
	struct store *s;
	int err;

	err = cli_parse(&backup_argp, argc, argv, &path);
	if (!err)
		err = open_store(&s);
	if (err)
		return err;
	err = store_backup(s, path);
	if (err)
		cli_error(err, "%s", store_error(s));
	store_close(s);
	return err;
}
