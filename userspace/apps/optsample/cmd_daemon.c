// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample send, optsample recv, optsample view - commands for a running
 * optsample-send, optsample-recv or optsample-view, through its socket
 */
#include <argp.h>
#include <assert.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/commands.h"
#include "apps/optsample/daemon_ask.h"
#include "apps/optsample/view_band.h"
#include "base/cli.h"
#include "base/socket_path.h"

enum { OPT_SOCKET = 256, OPT_JSON, WORDS = 32, COLUMNS = 100 };

static const struct argp_option daemon_options[] = {
	{ "socket", OPT_SOCKET, "PATH", 0,
	  "console socket path (default: $XDG_RUNTIME_DIR/optsample-NAME/socket, else that of the system service)", 1 },
	{ "json", OPT_JSON, NULL, 0, "print the answer as JSON", 1 },
	{ 0 }
};

struct daemon {
	const char	*name;		/* send, recv or view */
	const char	*path;
	bool		json;
	const char	*word[WORDS];
	unsigned int	words;
};

static error_t daemon_parse(int key, char *arg, struct argp_state *state)
{
	struct daemon *d = state->input;

	switch (key) {
	case OPT_SOCKET:
		d->path = arg;
		return 0;
	case OPT_JSON:
		d->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (d->words == WORDS)
			return cli_usage(d->name, "too many arguments");
		assert(d->words < WORDS);
		d->word[d->words++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!d->words)
			return cli_usage(d->name, "missing command");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/*
 * The key of a word without one: the rate for "rate", else mostly a topic; the
 * second one of "priority" is the priority
 */
static const char *daemon_key_of(const struct daemon *d, const cJSON *request)
{
	bool limit = !strcmp(d->word[0], "rate") || !strcmp(d->word[0], "cpu");
	bool second = !strcmp(d->word[0], "priority") &&
		      cJSON_HasObjectItem(request, "topic");

	return limit || second ? d->word[0] : "topic";
}

/* "KEY=VALUE", or only a value */
static int daemon_add_word(const struct daemon *d, cJSON *request,
			   const char *word)
{
	const char *value = strchr(word, '=');
	char key[64];

	if (!value) {
		const char *what = daemon_key_of(d, request);

		if (cJSON_HasObjectItem(request, what))
			return cli_usage(d->name, "'%s' is not KEY=VALUE",
					 word);
		cJSON_AddStringToObject(request, what, word);
		return 0;
	}
	if (value - word >= (ptrdiff_t)sizeof(key))
		return cli_usage(d->name, "'%s' is not KEY=VALUE", word);
	memcpy(key, word, value - word);
	key[value - word] = '\0';
	cJSON_AddStringToObject(request, key, value + 1);
	return 0;
}

static int make_request(const struct daemon *d, char **line)
{
	cJSON *request = cJSON_CreateObject();
	int ret = 0;

	cJSON_AddStringToObject(request, "do", d->word[0]);
	for (unsigned int i = 1; !ret && i < d->words; i++)
		ret = daemon_add_word(d, request, d->word[i]);
	*line = ret ? NULL : cJSON_PrintUnformatted(request);
	cJSON_Delete(request);
	return ret ? ret : *line ? 0 : -ENOMEM;
}

static bool daemon_is(const cJSON *o, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, name));
}

/* The end of a topic's line: dropped as the codec was busy */
static void show_behind(double behind)
{
	if (behind > 0)
		printf(", %.0f dropped: coding too slow", behind);
	printf("\n");
}

static void show_sent(const cJSON *o)
{
	const cJSON *link = cJSON_GetObjectItemCaseSensitive(o, "link"), *t;

	printf("%s: %s, rate %.0f kbit/s, loss %.1f%%, round trip %.0f ms, "
	       "queue %.0f ms, outages %.0f, coding %.0f%%",
	       daemon_text(o, "name"), daemon_text(link, "state"),
	       daemon_number(link, "rate") / 1000,
	       daemon_number(link, "loss") * 100,
	       daemon_number(link, "round_trip") * 1000,
	       daemon_number(link, "queue") * 1000,
	       daemon_number(link, "outages"),
	       daemon_number(link, "cpu") * 100);
	if (daemon_number(link, "cpu_limit") > 0 &&
	    daemon_number(link, "cpu_limit") < 1)
		printf(" of %.0f%%%s", daemon_number(link, "cpu_limit") * 100,
		       daemon_is(link, "cpu_limits") ? ", which limits images" :
						       "");
	if (*daemon_text(link, "error"))
		printf(", unreachable: %s", daemon_text(link, "error"));
	printf("\n");
	printf("%-36s %-8s %4s %7s %7s %9s %9s\n", "topic", "codec", "prio",
	       "Hz in", "Hz out", "kbit/s", "kB/frame");
	cJSON_ArrayForEach(t, cJSON_GetObjectItemCaseSensitive(o, "topics")) {
		printf("%-36s %-8s %3.0f%s %7.1f %7.1f %9.1f %9.1f",
		       daemon_text(t, "topic"),
		       daemon_is(t, "on") ? daemon_text(t, "codec") : "off",
		       daemon_number(t, "priority"),
		       daemon_is(t, "focus") ? "*" : " ",
		       daemon_number(t, "hz_in"), daemon_number(t, "hz"),
		       daemon_number(t, "share") / 1000,
		       daemon_number(t, "frame_bytes") / 1000);
		show_behind(daemon_number(t, "behind"));
	}
}

static void show_received(const cJSON *o)
{
	const cJSON *s, *t;

	cJSON_ArrayForEach(s, cJSON_GetObjectItemCaseSensitive(o, "senders")) {
		if (daemon_is(s, "over"))
			continue;
		printf("%s, %s: last datagram %.1f s ago\n",
		       daemon_text(s, "name"),
		       daemon_text(s, "address"), daemon_number(s, "silent"));
		printf("%-36s %7s %6s %8s %7s %8s %9s\n", "topic", "Hz",
		       "loss", "delay", "parts", "quality", "kbit/s");
		cJSON_ArrayForEach(t, cJSON_GetObjectItemCaseSensitive(s,
								"topics")) {
			printf("%-36s %7.1f %5.1f%% %6.0fms %7.1f %7.1f%% %9.1f",
			       daemon_text(t, "topic"),
			       daemon_number(t, "rate"),
			       daemon_number(t, "loss") * 100,
			       daemon_number(t, "delay") * 1000,
			       daemon_number(t, "datagrams_per_frame"),
			       daemon_number(t, "quality") * 100,
			       daemon_number(t, "bits_per_second") / 1000);
			show_behind(daemon_number(t, "frames_behind"));
		}
	}
}

static int daemon_show(const struct daemon *d, const cJSON *answer)
{
	char *line;

	if (!cJSON_IsObject(answer))
		return cli_error(-EPROTO, "%s: no answer", d->path);
	if (d->json) {
		line = cJSON_Print(answer);
		puts(line ? line : "");
		cJSON_free(line);
	}
	if (!daemon_is(answer, "ok"))
		return d->json ? -EINVAL :
		       cli_error(-EINVAL, "%s", daemon_text(answer, "error"));
	if (d->json || strcmp(d->word[0], "status"))
		return 0;
	if (!strcmp(d->name, "send"))
		show_sent(answer);
	else if (!strcmp(d->name, "recv"))
		show_received(answer);
	else
		view_band_show(answer, COLUMNS, 0);
	return 0;
}

/* @name: of its usual socket */
static int daemon_run(struct daemon *d, const char *name,
		      const struct argp *argp, int argc, char **argv)
{
	char path[SOCKET_PATH];
	cJSON *answer;
	char *line;
	int ret;

	socket_path_find(name, path);
	d->path = path;
	ret = cli_parse(argp, argc, argv, d);
	if (!ret)
		ret = make_request(d, &line);
	if (ret)
		return ret;
	ret = daemon_ask(d->path, line, &answer);
	cJSON_free(line);
	if (ret)
		return ret;
	ret = daemon_show(d, answer);
	cJSON_Delete(answer);
	return ret;
}

int cmd_send(int argc, char **argv)
{
	static const struct argp argp = {
		daemon_options, daemon_parse,
		"status\nset TOPIC KEY=VALUE...\nadd TOPIC [KEY=VALUE...]\n"
		"remove TOPIC\nfocus [TOPIC]\nrate RATE\ncpu PERCENT",
		"Query or control a running optsample-send, see "
		"optsample-send(1).",
		NULL, NULL, NULL
	};
	struct daemon d = { .name = "send" };

	return daemon_run(&d, SOCKET_SEND, &argp, argc, argv);
}

int cmd_recv(int argc, char **argv)
{
	static const struct argp argp = {
		daemon_options, daemon_parse,
		"status\nset KEY=VALUE...\nfocus [TOPIC] [robot=NAME]\n"
		"priority TOPIC N [robot=NAME]",
		"Query or control a running optsample-recv, see "
		"optsample-recv(1).",
		NULL, NULL, NULL
	};
	struct daemon d = { .name = "recv" };

	return daemon_run(&d, SOCKET_RECV, &argp, argc, argv);
}

int cmd_view(int argc, char **argv)
{
	static const struct argp argp = {
		daemon_options, daemon_parse, "status [seconds=N]",
		"Query a running optsample-view, see optsample-view(1).",
		NULL, NULL, NULL
	};
	struct daemon d = { .name = "view" };

	return daemon_run(&d, SOCKET_VIEW, &argp, argc, argv);
}
