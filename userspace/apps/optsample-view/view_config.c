// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_config - settings of optsample-view
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample-view/view_config.h"
#include "base/cli.h"
#include "base/log.h"
#include "ros/io/io.h"

#define VIEW_TEXT_SETTER(field)						\
static int view_set_##field(void *c, const char *v)			\
{									\
	return settings_text(((struct view_config *)c)->field,		\
			     VIEW_TEXT, v);				\
}
VIEW_TEXT_SETTER(listen)
VIEW_TEXT_SETTER(node)
VIEW_TEXT_SETTER(http)
VIEW_TEXT_SETTER(foxglove)
VIEW_TEXT_SETTER(tokens)
VIEW_TEXT_SETTER(assets)
VIEW_TEXT_SETTER(gdim)
VIEW_TEXT_SETTER(gdim_token)
VIEW_TEXT_SETTER(socket)
VIEW_TEXT_SETTER(publish_to)

static int view_set_source(void *config, const char *v)
{
	struct view_config *c = config;

	if (c->sources == VIEW_SOURCES ||
	    settings_text(c->source[c->sources], VIEW_TEXT, v))
		return -EINVAL;
	c->sources++;
	return 0;
}

static int view_set_sink(void *config, const char *v)
{
	struct view_config *c = config;

	if (c->sinks == VIEW_SINKS ||
	    settings_text(c->sink[c->sinks], VIEW_TEXT, v))
		return -EINVAL;
	c->sinks++;
	return 0;
}

/* One more text of a list */
static int view_add(char **list, unsigned int *count, unsigned int max,
		    const char *v)
{
	if (*count == max || !*v)
		return -EINVAL;
	list[*count] = strdup(v);
	if (!list[*count])
		return -ENOMEM;
	++*count;
	return 0;
}

static int view_set_topic(void *config, const char *v)
{
	struct view_config *c = config;

	return view_add(c->pattern, &c->patterns, VIEW_PATTERNS, v);
}

static int view_set_publish(void *config, const char *v)
{
	struct view_config *c = config;

	return io_valid_name(v) ? view_add(c->publish, &c->publishes,
					   VIEW_PUBLISH, v) : -EINVAL;
}

static int view_set_origin(void *config, const char *v)
{
	struct view_config *c = config;

	return view_add(c->origin, &c->origins, VIEW_ORIGINS, v);
}

static int view_set_key(void *config, const char *v)
{
	return settings_text(((struct view_config *)config)->receiver.key,
			     RECEIVER_KEY, v);
}

static int view_set_memory(void *config, const char *v)
{
	return parse_size(v, 16 << 20, 4095U << 20,
			  &((struct view_config *)config)->memory);
}

#define A_TEXT "a text of 1 to 511 bytes"
#define SETTING_CONFIG struct view_config

static const struct setting settings[] = {
	{ "listen", "[ADDRESS:]PORT",
	  "receive from optsample-send at this UDP address, like 7450",
	  A_TEXT, view_set_listen, .heading = "Input:" },
	{ "source", "SOURCE", "add a source, as the argument SOURCE does",
	  "a text; at most 8 sources", view_set_source },
	{ "topic", "PATTERN",
	  "show topics that match, like '/camera/*'; may be repeated (all)",
	  "a pattern; at most 64", view_set_topic },
	{ "speed", "X", "speed of a recording (1)",
	  SETTING_FIELD_DOUBLE(speed, 1e-3, 1e6) },
	{ "start", "SECONDS", "skip the beginning of a recording",
	  SETTING_FIELD_DOUBLE(start, 0, 1e9) },
	{ "loop", NULL, "repeat a recording",
	  SETTING_FIELD_FLAG(loop) },
	{ "key", "FILE",
	  "key file shared with optsample-send (default: any sender is "
	  "accepted)", A_TEXT, view_set_key },
	{ "name", "NODE", "ROS node name (optsample_view)", A_TEXT,
	  view_set_node },
	{ "http", "[ADDRESS:]PORT", "listen address of the page "
	  "(127.0.0.1:8470); none: no page", A_TEXT, view_set_http,
	  .heading = "Output:" },
	{ "foxglove", "[ADDRESS:]PORT", "listen address for Foxglove and "
	  "Lichtblick (127.0.0.1:8765); none: not served", A_TEXT,
	  view_set_foxglove },
	{ "gdim", "URL", "show the maps of gdimd, like 127.0.0.1:8460",
	  A_TEXT, view_set_gdim },
	{ "sink", "SINK", "also publish or record what is received at "
	  "listen, as optsample-recv does", "a text; at most 8 sinks",
	  view_set_sink },
	{ "memory", "SIZE", "memory for messages of the last 20 minutes (256m)",
	  "16m..4095m", view_set_memory },
	{ "assets", "FOLDER", "serve package://PACKAGE/PATH to Foxglove from "
	  "FOLDER/PACKAGE/PATH", A_TEXT, view_set_assets },
	{ "allow-publish", "TOPIC", "let clients publish this topic, like "
	  "/cmd_vel; may be repeated (none)", "a topic; at most 16",
	  view_set_publish, .heading = "Access:" },
	{ "publish-age", "TIME", "refuse messages of clients that may be older "
	  "(300ms)", .must = "10ms..60s, with a unit",
	  SETTING_FIELD(MS, publish_age), .min = 10, .max = 60000 },
	{ "publish-to", "SINK", "where clients publish (ros2)", A_TEXT,
	  view_set_publish_to },
	{ "token-file", "FILE", "tokens of clients, one per line; needed for "
	  "an address that is not local", A_TEXT, view_set_tokens },
	{ "gdim-token-file", "FILE", "token for gdimd", A_TEXT,
	  view_set_gdim_token },
	{ "allow-origin", "ORIGIN", "web site whose Foxglove may connect, or "
	  "*; may be repeated (this machine and app.foxglove.dev)",
	  "a text; at most 16", view_set_origin },
	{ "socket", "PATH", "console socket path ($XDG_RUNTIME_DIR/optsample-view/socket, or in /run)", A_TEXT, view_set_socket,
	  .heading = "Control:" },
	LOG_LEVEL_SETTING,
	{ 0 }
};

static int view_add_source(void *config, const char *v)
{
	if (!view_set_source(config, v))
		return 0;
	if (((struct view_config *)config)->sources == VIEW_SOURCES)
		return cli_usage(cli_program, "more than %d sources",
				 VIEW_SOURCES);
	return cli_usage(cli_program, "a source must be " A_TEXT);
}

static int view_check(void *config, const bool *given, const char *program)
{
	struct view_config *c = config;

	(void)given;
	if (!c->sources && !*c->listen)
		return cli_usage(program, "no input: give SOURCE or listen");
	if (!strcmp(c->http, "none"))
		*c->http = 0;
	if (!strcmp(c->foxglove, "none"))
		*c->foxglove = 0;
	if (!*c->http && !*c->foxglove)
		return cli_usage(program, "no output: http and foxglove are "
				 "none");
	if (c->sinks && !*c->listen)
		return cli_usage(program, "sink needs listen");
	return 0;
}

static const struct settings_program program = {
	.table = settings, .section = "view", .check = view_check,
	.file = "configuration file; section [view]",
	.arguments = "[SOURCE...]", .argument = view_add_source,
	.doc = "Show what robots send, and what an outage left of it: as a "
	       "page for a browser, and to Foxglove or Lichtblick. SOURCE is "
	       "ros2, ros1, or a recording (NAME.mcap, NAME.bag, NAME.db3).",
};

void view_config_init(struct view_config *c)
{
	*c = (struct view_config){
		.node = "optsample_view", .http = "127.0.0.1:8470",
		.foxglove = "127.0.0.1:8765", .publish_to = "ros2",
		.publish_age = 300,
		.memory = 256 << 20, .speed = 1, .hz = 10,
		.receiver.topics = RECV_DEFAULTS,
	};
}

int view_config_parse(struct view_config *c, int argc, char **argv)
{
	return settings_parse(&program, c, argc, argv);
}

static void free_list(char **list, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		free(list[i]);
}

void view_config_free(struct view_config *c)
{
	free_list(c->pattern, c->patterns);
	free_list(c->publish, c->publishes);
	free_list(c->origin, c->origins);
}
