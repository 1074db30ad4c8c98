// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-recv - the operator's side: converts the robots' datagrams back to
 * ordinary messages
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/console.h"
#include "base/socket_path.h"
#include "base/error.h"
#include "base/log.h"
#include "base/metrics.h"
#include "apps/optsample-recv/recv_command.h"
#include "apps/optsample-recv/recv_status.h"
#include "transport/segment.h"
#include "base/service.h"
#include "base/settings.h"
#include "base/cli.h"

enum { SINKS = 8, TEXT = 512 };

struct recv_config {
	char			listen[TEXT], node[TEXT];
	char			socket[TEXT], metrics[TEXT];
	char			sink[SINKS][TEXT];
	unsigned int		sinks;
	bool			watch;
	struct receiver_options	options;
};

struct recv {
	struct recv_config	config;
	struct loop		*loop;
	struct publish		*publish;
	struct receiver		*receiver;
	struct console		*console;
	struct metrics		*metrics;
	struct loop_timer	watch;
};

static int set_listen(void *c, const char *v)
{
	return settings_text(((struct recv_config *)c)->listen, TEXT, v);
}

static int recv_set_node(void *c, const char *v)
{
	return settings_text(((struct recv_config *)c)->node, TEXT, v);
}

static int recv_set_socket(void *c, const char *v)
{
	return settings_text(((struct recv_config *)c)->socket, TEXT, v);
}

static int recv_set_metrics(void *c, const char *v)
{
	return settings_text(((struct recv_config *)c)->metrics, TEXT, v);
}

static int set_sink(void *c, const char *v)
{
	struct recv_config *config = c;

	if (config->sinks == SINKS ||
	    settings_text(config->sink[config->sinks], TEXT, v))
		return -EINVAL;
	assert(config->sinks < SINKS);
	config->sinks++;
	return 0;
}

static int set_word(int *to, const char *v, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], v)) {
			*to = i;
			return 0;
		}
	return -EINVAL;
}

static int set_prefix(void *c, const char *v)
{
	static const char *const words[] = { "auto", "always", "never", NULL };
	struct recv_config *config = c;
	int which, ret = set_word(&which, v, words);

	if (!ret)
		config->options.prefix = which;
	return ret;
}

static int set_kept(void *c, const char *v)
{
	static const char *const words[] = { "apart", "together", "drop",
					     NULL };
	struct recv_config *config = c;
	int which, ret = set_word(&which, v, words);

	if (!ret)
		config->options.kept = which;
	return ret;
}

static int set_grace(void *c, const char *v)
{
	struct recv_config *config = c;
	uint32_t ms;

	if (parse_time_ms(v, 1, 1000, &ms))
		return -EINVAL;
	config->options.topics.grace = ms * 1000000ULL;
	return 0;
}

static int set_pixels(void *c, const char *v)
{
	struct recv_config *config = c;
	uint32_t pixels;

	if (parse_u32(v, 1, 1U << 30, &pixels))
		return -EINVAL;
	config->options.topics.limits.pixels = pixels;
	return 0;
}

static int recv_set_key(void *c, const char *v)
{
	return settings_text(((struct recv_config *)c)->options.key,
			     RECEIVER_KEY, v);
}

static int recv_set_memory(void *c, const char *v)
{
	struct recv_config *config = c;
	uint32_t bytes;

	if (parse_size(v, 16 << 20, 4095U << 20, &bytes))
		return -EINVAL;
	config->options.topics.memory = bytes;
	return 0;
}

#define A_TEXT "a text of 1 to 511 bytes"
#define SETTING_CONFIG struct recv_config

static const struct setting settings[] = {
	{ "listen", "[ADDRESS:]PORT",
	  "UDP listen address (7450, all addresses)", A_TEXT,
	  set_listen,
	  .heading = "Input and output:" },
	{ "sink", "SINK", "add a sink, as the argument SINK does",
	  "a text; at most 8 sinks", set_sink },
	{ "name", "NODE", "ROS node name (optsample_recv)", A_TEXT,
	  recv_set_node },
	{ "prefix", "WHEN",
	  "put topics below the sender's name: auto (if two senders have the "
	  "same topic), always, never (auto)",
	  "auto, always or never", set_prefix },
	{ "kept", "HOW",
	  "publish messages kept during an outage: apart (as TOPIC/kept), "
	  "together, drop (apart)",
	  "apart, together or drop", set_kept },
	{ "nearest", NULL,
	  "fill in split images from the nearest pixel, not by kriging",
	  SETTING_FIELD_FLAG(options.topics.nearest),
	  .heading = "Pictures and time:" },
	{ "jpeg-quality", "N", "quality of re-encoded JPEG images (90)",
	  SETTING_FIELD_U32(options.topics.quality, 1, 100) },
	{ "grace", "TIME", "maximum time to wait for late datagrams (20ms)",
	  "1ms..1000ms", set_grace },
	{ "key", "FILE",
	  "shared key file (default: none, any sender is accepted)",
	  A_TEXT, recv_set_key,
	  .heading = "Trust and limits:" },
	{ "max-pixels", "N",
	  "maximum size of an image, in pixels (16777216)",
	  "1..2^30", set_pixels },
	{ "memory", "SIZE", "decoding memory, all senders together (1g)",
	  "16m..4095m", recv_set_memory },
	{ "threads", "N",
	  "frames decoded in parallel (default: one per CPU, 8 at most)",
	  SETTING_FIELD_U32(options.threads, 1, WORKERS_MOST) },
	{ "socket", "PATH", "console socket path ($XDG_RUNTIME_DIR/optsample-recv/socket, or in /run)",
	  A_TEXT, recv_set_socket,
	  .heading = "Control:" },
	{ "metrics", "[ADDRESS:]PORT",
	  "HTTP listen address for Prometheus metrics",
	  A_TEXT, recv_set_metrics },
	LOG_LEVEL_SETTING,
	{ "watch", NULL, "print received topics once a second",
	  SETTING_FIELD_FLAG(watch) },
	{ 0 }
};

static int recv_add_sink(void *c, const char *v)
{
	if (!set_sink(c, v))
		return 0;
	if (((struct recv_config *)c)->sinks == SINKS)
		return cli_usage(cli_program, "more than %d sinks", SINKS);
	return cli_usage(cli_program, "a sink must be " A_TEXT);
}

static int recv_check(void *config, const bool *given, const char *program)
{
	const struct recv_config *c = config;

	(void)given;
	return c->sinks || c->watch ? 0 :
	       cli_usage(program, "no output: give SINK or --watch");
}

static const struct settings_program recv_program = {
	.table = settings, .section = "recv", .check = recv_check,
	.file = "configuration file; section [recv]",
	.arguments = "SINK...", .argument = recv_add_sink,
	.doc = "Receive the topics of optsample-send and publish them to ROS 2 "
	       "(ros2), ROS 1 (ros1), a recording (NAME.mcap, NAME.bag, "
	       "NAME.db3) or files (a folder).",
};

static int recv_on_request(void *arg, const char *command,
			   const cJSON *parameters, cJSON *answer,
			   struct error *error)
{
	struct recv *r = arg;
	struct recv_config now = r->config;
	const cJSON *p;

	if (!strcmp(command, "status")) {
		recv_status(r->receiver, answer);
		return 0;
	}
	if (!strcmp(command, "focus"))
		return recv_focus(r->receiver, parameters, error);
	if (!strcmp(command, "priority"))
		return recv_priority(r->receiver, parameters, error);
	if (strcmp(command, "set"))
		return error_set(error, -EINVAL,
				 "unknown command '%.40s'; known: status, set, "
				 "focus, priority", command);
	now.options = *receiver_options(r->receiver);
	cJSON_ArrayForEach(p, parameters) {
		if (!strcmp(p->string, "do"))
			continue;
		if (strcmp(p->string, "kept") && strcmp(p->string, "nearest") &&
		    strcmp(p->string, "jpeg-quality") &&
		    strcmp(p->string, "prefix"))
			return error_set(error, -EINVAL,
					 "'%.80s' cannot be changed at run "
					 "time",
					 p->string);
		if (!cJSON_IsString(p))
			return error_set(error, -EINVAL, "%.80s must be a text",
					 p->string);
		if (settings_set(settings, &now, p->string, p->valuestring,
				 error))
			return -EINVAL;
	}
	*receiver_options(r->receiver) = now.options;
	return 0;
}

static void recv_collect(void *arg, FILE *out)
{
	recv_metrics(((struct recv *)arg)->receiver, out);
}

static void on_watch(void *arg, uint64_t now)
{
	struct recv *r = arg;

	r->watch.due = now + 1000000000;
	recv_table(r->receiver, stdout);
}

static int recv_open_all(struct recv *r)
{
	const struct recv_config *c = &r->config;
	struct address at;
	struct error error;
	int ret = 0;

	r->loop = loop_create();
	r->publish = publish_create();
	if (!r->loop || !r->publish)
		return cli_error(-ENOMEM, "no memory");
	for (unsigned int i = 0; !ret && i < c->sinks; i++)
		ret = publish_add(r->publish, r->loop, c->sink[i], c->node,
				  &error);
	if (!ret)
		ret = address_parse(c->listen, 1, "7450", &at, &error);
	if (!ret)
		ret = receiver_open(&r->receiver, r->loop, &at, &c->options,
				    r->publish, &error);
	if (!ret)
		ret = console_open_usual(&r->console, r->loop, c->socket,
					 SOCKET_RECV, recv_on_request, r, &error);
	if (ret > 0) {
		cli_warn("no console: %s; --socket selects another path", error.text);
		ret = 0;
	}
	if (!ret && *c->metrics)
		ret = metrics_open(&r->metrics, r->loop, c->metrics,
				   recv_collect, r, &error);
	if (ret)
		return cli_error(ret, "%s", error.text);
	if (c->watch) {
		r->watch = (struct loop_timer){ loop_now() + 1000000000,
						on_watch, r, NULL };
		loop_add_timer(r->loop, &r->watch);
	}
	return 0;
}

static void recv_close_all(struct recv *r)
{
	metrics_close(r->metrics);
	console_close(r->console);
	receiver_close(r->receiver);
	publish_destroy(r->publish);
	loop_destroy(r->loop);
}

int main(int argc, char **argv)
{
	static struct recv r = { .config = {
		.listen = "7450", .node = "optsample_recv",
		.options.topics = RECV_DEFAULTS,
	} };
	int ret;

	cli_program = "optsample-recv";
	argv[0] = (char *)cli_program;
	ret = settings_parse(&recv_program, &r.config, argc, argv);
	if (ret)
		return 2;
	ret = recv_open_all(&r);
	if (!ret) {
		service_ready(r.loop);
		service_logf(LOG_INFO, "listening at %s", r.config.listen);
		ret = loop_run(r.loop);
		if (ret)
			cli_error(ret, "%s", strerror(-ret));
		service_stopping(r.loop);
	}
	recv_close_all(&r);
	return ret ? 1 : 0;
}
