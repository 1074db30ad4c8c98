// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl - query and change a store of GDIM. See gdimctl(1).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "base/socket_path.h"
#include "base/error.h"
#include "gdimctl.h"

struct ctl ctl;

static const struct cli_command commands[] = {
	{ "import", cmd_import, "import a whole map of map_server" },
	{ "import-submaps", cmd_import_submaps,
	  "import submaps from a file of cells, with their poses" },
	{ "set-poses", cmd_set_poses, "move submaps to new poses" },
	{ "spot", cmd_spot, "print the values of all layers at a point" },
	{ "layers", cmd_layers, "list layers" },
	{ "layer", cmd_layer, "add or change a layer" },
	{ "remove", cmd_remove, "remove a layer or a room" },
	{ "rooms", cmd_rooms, "list rooms" },
	{ "room", cmd_room, "print the values of a room" },
	{ "edges", cmd_edges, "list the edges of the pose graph" },
	{ "status", cmd_status, "print the state of the daemon" },
	{ "rate", cmd_rate, "set the publish rate of a topic" },
	{ "log", cmd_log, "switch the daemon's log on or off" },
	{ "snapshot", cmd_snapshot, "let the daemon write a snapshot" },
	{ "export", cmd_export,
	  "write fused maps: .pgm with .yaml, .png, .gpkg" },
	{ "view", cmd_view, "write a page for a browser" },
	{ "verify", cmd_verify, "check a store" },
	{ "backup", cmd_backup, "copy a store, also while it is in use" },
	{ 0 }
};

/* Fuses evicted parts in the calling thread */
static int gdimctl_bring_back(void *site, unsigned int layer,
			      const struct rect *r)
{
	return site_ensure(site, layer, r);
}

int ctl_damaged(int err, const char *error)
{
	if (err != -EBADMSG)
		return cli_error(err, "%s", error);
	return cli_error(err, "%s; to recover data: sqlite3 '%s' .recover | "
			 "sqlite3 NEW.db", error, ctl.store);
}

static int gdimctl_open_site(struct site **s, enum store_mode mode,
			     const struct site_config *config)
{
	struct error error;
	int err;

	err = ctl_find_store(mode == STORE_READ);
	if (err)
		return err;
	err = site_open(s, ctl.store, mode, config, &error);
	if (err)
		return ctl_damaged(err, error.text);
	site_set_want(*s, gdimctl_bring_back, *s);
	return 0;
}

int ctl_open(struct site **s, enum store_mode mode)
{
	const struct site_config config = { 0 };

	return gdimctl_open_site(s, mode, &config);
}

int ctl_open_in_part(struct site **s)
{
	const struct site_config config = { .in_part = true };

	return gdimctl_open_site(s, STORE_READ, &config);
}

int ctl_find_store(bool ask)
{
	static char path[4096];
	cJSON *answer;
	int err;

	if (ctl.store && *ctl.store)
		return 0;
	if (ctl.store || !ask)
		return cli_error(-EINVAL, "missing --store FILE.db");
	err = ctl_ask("status", cJSON_CreateObject(), &answer);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s", ctl_text(answer, "store"));
	ctl.store = path;
	cJSON_Delete(answer);
	return 0;
}

int ctl_fuse(struct site *s, int layer)
{
	struct fused_map_work work = { 0 };
	int err = site_fuse(s, layer, UINT64_MAX, NULL, &work);

	if (err)
		return cli_error(err, "fusing: %s", strerror(-err));
	if (work.failed)
		cli_warn("%llu submaps omitted: damaged, see 'gdimctl verify', "
			 "or too large for the map",
			 (unsigned long long)work.failed);
	return 0;
}

int ctl_fuse_area(struct site *s, const struct site_area *area)
{
	struct error error;
	int err = site_read_area(s, area, &error);

	return err ? ctl_damaged(err, error.text) : ctl_fuse(s, -1);
}

int ctl_layer(struct site *s, const char *name)
{
	int number;

	if (!name && site_layers(s) == 1)
		return 0;
	if (!name && !site_layers(s))
		return cli_error(-EINVAL, "%s: no layers", ctl.store);
	if (!name)
		return cli_error(-EINVAL, "%s: several layers; select one with "
				 "--layer", ctl.store);
	number = site_find_layer(s, name);
	return number >= 0 ? number : cli_error(-EINVAL, "%s: no layer '%s'",
						ctl.store, name);
}

/* One line. Frees @answer */
static void ctl_print(cJSON *answer)
{
	char *text = cJSON_PrintUnformatted(answer);

	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(answer);
}

int ctl_show(cJSON *answer, void (*print)(const cJSON *answer))
{
	if (ctl.json) {
		ctl_print(answer);
		return 0;
	}
	print(answer);
	cJSON_Delete(answer);
	return 0;
}

double ctl_value(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItem(o, key);

	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

const char *ctl_text(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

const char *ctl_number(double v, char text[32])
{
	char *end;

	snprintf(text, 32, "%.6f", v);
	for (end = text + strlen(text); end[-1] == '0'; end--)
		;
	*(end[-1] == '.' ? end - 1 : end) = 0;
	return text;
}

double ctl_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

error_t ctl_no_arguments(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		return cli_usage(state->argv[0],
				 "unexpected argument '%s'", arg);
	return ARGP_ERR_UNKNOWN;
}

/* Replaces a minus, so that argp sees no option; see ctl_argument() */
enum { MINUS = 1 };

char *ctl_argument(char *arg)
{
	if (*arg == MINUS)
		*arg = '-';
	return arg;
}

/* Allow negative numbers, for commands that use ctl_argument() */
static void hide_minus(char **argv)
{
	static const char *const number[] = {
		"spot", "room", "rate", "remove",
	};
	bool numbers = false;

	for (unsigned int i = 0; argv[1] && i < 4; i++)
		numbers |= !strcmp(argv[1], number[i]);
	for (char **arg = argv + 1; numbers && *++arg; )
		if (**arg == '-' && strchr("0123456789.", (*arg)[1]) &&
		    (*arg)[1])
			**arg = MINUS;
}

/* Options such as "--store PATH" may be anywhere. Return: other arguments */
static int take_options(int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				argv[n++] = argv[i++];
			break;
		}
		if (!strcmp(argv[i], "--store"))
			/* without a path: '', which is invalid */
			ctl.store = i + 1 < argc ? argv[++i] : "";
		else if (!strncmp(argv[i], "--store=", 8))
			ctl.store = argv[i] + 8;
		else if (!strcmp(argv[i], "--socket"))
			ctl.socket = i + 1 < argc ? argv[++i] : "";
		else if (!strncmp(argv[i], "--socket=", 9))
			ctl.socket = argv[i] + 9;
		else if (!strcmp(argv[i], "-j") || !strcmp(argv[i], "--json"))
			ctl.json = true;
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

int main(int argc, char **argv)
{
	static char path[SOCKET_PATH];
	int status;

	cli_program = "gdimctl";
	socket_path_find(SOCKET_GDIMD, path);
	ctl.socket = path;
	argc = take_options(argc, argv);
	hide_minus(argv);
	status = cli_main(commands, argc, argv);
	if (argc > 1 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "-h") ||
			 !strcmp(argv[1], "--help")))
		printf("With any command: --store FILE.db (without a daemon), "
		       "--socket PATH (of a daemon), -j (JSON)\n"
		       "Stores of version %d\n", STORE_VERSION);
	if (fflush(stdout) || ferror(stdout)) {
		cli_error(-errno, "standard output: %s", strerror(errno));
		status = 1;
	}
	return status;
}
