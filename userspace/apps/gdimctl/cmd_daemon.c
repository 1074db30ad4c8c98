// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl status, rate, log, snapshot - commands for a running gdimd
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "gdimctl.h"

static const struct argp status_argp = {
	NULL, ctl_no_arguments, NULL,
	"Print the state of the daemon: submaps, received and rejected "
	"messages, fusion, logging, and the publish rates of topics.",
	NULL, NULL, NULL
};

static void print_records(const cJSON *r)
{
	if (ctl_value(r, "rate") > 0)
		printf("logging: %g Hz", ctl_value(r, "rate"));
	else
		printf("logging: off");
	printf(" to %s, %.0f written, %.0f failed%s%s\n",
	       ctl_text(r, "folder"), ctl_value(r, "written"),
	       ctl_value(r, "failed"), *ctl_text(r, "last_error") ?
	       "; last error: " : "", ctl_text(r, "last_error"));
}

static void print_status(const cJSON *a)
{
	const cJSON *in = cJSON_GetObjectItem(a, "in"), *t;
	const cJSON *fused = cJSON_GetObjectItem(a, "fused");
	const cJSON *no = cJSON_GetObjectItem(a, "refused");

	printf("%s: %.0f submaps of %.0f nodes, %.0f of them placed, %.0f "
	       "submaps waiting\n",
	       ctl_text(a, "store"), ctl_value(a, "submaps"),
	       ctl_value(a, "nodes"), ctl_value(a, "placed"),
	       ctl_value(a, "waiting"));
	if (ctl_value(a, "apart") > 0)
		printf("kept apart: %.0f nodes on another storey or leaning, "
		       "with %.0f submaps\n", ctl_value(a, "apart"),
		       ctl_value(a, "apart_submaps"));
	if (ctl_value(a, "to_fuse"))
		printf("%.0f submaps to be fused\n",
		       ctl_value(a, "to_fuse"));
	if (ctl_value(a, "io_errors") > 0)
		printf("errors of the store's disk: %.0f, see the log\n",
		       ctl_value(a, "io_errors"));
	if (ctl_value(a, "damaged") > 0)
		printf("damaged: %.0f submaps, see gdimctl verify\n",
		       ctl_value(a, "damaged"));
	printf("memory: cells %.1f MB, fused maps %.1f MB\n",
	       ctl_value(a, "cell_bytes") / 1e6,
	       ctl_value(a, "tile_bytes") / 1e6);
	printf("in: %.0f messages, %.0f rejected, %.0f lost%s%s\n",
	       ctl_value(in, "messages"), ctl_value(in, "refused"),
	       ctl_value(in, "lost"),
	       *ctl_text(in, "last_error") ? "; last error: " : "",
	       ctl_text(in, "last_error"));
	printf("failed requests: %.0f on the socket, %.0f of services, %.0f by "
	       "HTTP\n", ctl_value(no, "socket"), ctl_value(no, "services"),
	       ctl_value(no, "http"));
	printf("fused: %.0f submaps drawn, %.0f moved, %.0f unreadable, %.0f "
	       "tiles rebuilt, %.0f ms of work\n",
	       ctl_value(fused, "drawn"), ctl_value(fused, "moved"),
	       ctl_value(fused, "failed"), ctl_value(fused, "tiles"),
	       ctl_value(fused, "busy_ms"));
	print_records(cJSON_GetObjectItem(a, "records"));
	printf("%-44s %6s %8s %8s\n", "TOPIC", "HZ", "SENT", "UPDATES");
	cJSON_ArrayForEach(t, cJSON_GetObjectItem(
				cJSON_GetObjectItem(a, "out"), "topics"))
		printf("%-44s %6g %8.0f %8.0f\n", ctl_text(t, "name"),
		       ctl_value(t, "rate"), ctl_value(t, "sent"),
		       ctl_value(t, "updates"));
}

int cmd_status(int argc, char **argv)
{
	cJSON *answer;
	int err;

	err = cli_parse(&status_argp, argc, argv, NULL);
	if (!err)
		err = ctl_ask("status", cJSON_CreateObject(), &answer);
	return err ? err : ctl_show(answer, print_status);
}

struct rate {
	const char	*topic;
	double		hz;
	unsigned int	words;
};

static error_t rate_parse(int key, char *arg, struct argp_state *state)
{
	struct rate *r = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		ctl_argument(arg);
		if (r->words == 2)
			return cli_usage(state->argv[0], "TOPIC HZ");
		if (r->words++ == 0)
			r->topic = arg;
		else if (parse_double(arg, 0, 100, &r->hz))
			return cli_error(-EINVAL, "rate must be 0..100 Hz");
		return 0;
	case ARGP_KEY_END:
		return r->words == 2 ? 0 :
		       cli_usage(state->argv[0], "TOPIC HZ");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp rate_argp = {
	NULL, rate_parse, "TOPIC HZ",
	"Set the publish rate of a topic; 0: never. Prints the new and the old "
	"rate.",
	NULL, NULL, NULL
};

static void print_rate(const cJSON *a)
{
	printf("%s: %g Hz, was %g Hz\n", ctl_text(a, "topic"),
	       ctl_value(a, "new_rate"), ctl_value(a, "old_rate"));
}

int cmd_rate(int argc, char **argv)
{
	struct rate r = { NULL, 0, 0 };
	cJSON *p, *answer;
	int err;

	err = cli_parse(&rate_argp, argc, argv, &r);
	if (err)
		return err;
	p = cJSON_CreateObject();
	cJSON_AddStringToObject(p, "topic", r.topic);
	cJSON_AddNumberToObject(p, "rate", r.hz);
	err = ctl_ask("rate", p, &answer);
	return err ? err : ctl_show(answer, print_rate);
}

struct log {
	bool	on, given;
	double	hz;
};

enum { OPT_HZ = 256 };

static const struct argp_option log_options[] = {
	{ "hz", OPT_HZ, "HZ", 0, "log rate, 0.001..10 (1)", 1 },
	{ 0 }
};

static error_t log_parse(int key, char *arg, struct argp_state *state)
{
	struct log *l = state->input;

	switch (key) {
	case OPT_HZ:
		if (parse_double(arg, 0.001, 10, &l->hz))
			return cli_error(-EINVAL,
					 "log rate must be 0.001..10 Hz");
		return 0;
	case ARGP_KEY_ARG:
		if (l->given || (strcmp(arg, "on") && strcmp(arg, "off")))
			return cli_usage(state->argv[0], "missing on or off");
		l->given = true;
		l->on = !strcmp(arg, "on");
		return 0;
	case ARGP_KEY_END:
		return l->given ? 0 : cli_usage(state->argv[0],
					       "missing on or off");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp log_argp = {
	log_options, log_parse, "on|off",
	"Switch the daemon's log (.mcap) on or off: all fused maps, the latest "
	"submaps, the pose graph, rooms and the latest thermal image, at the "
	"given rate.",
	NULL, NULL, NULL
};

static void print_log(const cJSON *a)
{
	if (ctl_value(a, "rate") > 0)
		printf("logging to %s, %g Hz\n", ctl_text(a, "folder"),
		       ctl_value(a, "rate"));
	else
		puts("not logging");
}

int cmd_log(int argc, char **argv)
{
	struct log l = { .hz = 1 };
	cJSON *p, *answer;
	int err;

	err = cli_parse(&log_argp, argc, argv, &l);
	if (err)
		return err;
	p = cJSON_CreateObject();
	cJSON_AddNumberToObject(p, "rate", l.on ? l.hz : 0);
	err = ctl_ask("log", p, &answer);
	return err ? err : ctl_show(answer, print_log);
}

static error_t snapshot_parse(int key, char *arg, struct argp_state *state)
{
	const char **name = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*name)
		return cli_usage(state->argv[0],
				 "too many arguments: give one NAME");
	*name = arg;
	return 0;
}

static const struct argp snapshot_argp = {
	NULL, snapshot_parse, "[NAME]",
	"Let the daemon write its current maps, pose graph and rooms to a new "
	"file (.mcap, and rooms as .txt). Prints its path.",
	NULL, NULL, NULL
};

static void print_path(const cJSON *a)
{
	const cJSON *name;

	puts(ctl_text(a, "path"));
	cJSON_ArrayForEach(name, cJSON_GetObjectItem(a, "left_out"))
		cli_warn("%s omitted: too large for a recording; use 'gdimctl "
			 "export'",
			 cJSON_GetStringValue(name));
}

int cmd_snapshot(int argc, char **argv)
{
	const char *name = NULL;
	cJSON *p, *answer;
	int err;

	err = cli_parse(&snapshot_argp, argc, argv, &name);
	if (err)
		return err;
	p = cJSON_CreateObject();
	cJSON_AddStringToObject(p, "name", name ? name : "");
	err = ctl_ask("snapshot", p, &answer);
	return err ? err : ctl_show(answer, print_path);
}
