// SPDX-License-Identifier: GPL-2.0-only
/*
 * config - settings of gdimd
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/config.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"
#include "map/ros/rates.h"
#include "map/ros/wildcard.h"

#define TEXT(field)							\
static int set_##field(void *c, const char *v)				\
{									\
	return settings_text(((struct config *)c)->field, CONFIG_TEXT, v); \
}
TEXT(store)
TEXT(socket)
TEXT(node)
TEXT(http_tokens)

static int set_frame(void *c, const char *v)
{
	return settings_text(((struct config *)c)->map.frame, MAP_CONFIG_TEXT,
			     v);
}

/* "none": empty */
static int set_end(char *to, const char *v)
{
	if (strcmp(v, "none"))
		return settings_text(to, CONFIG_TEXT, v);
	*to = 0;
	return 0;
}

static int set_from(void *c, const char *v)
{
	return set_end(((struct config *)c)->from, v);
}

static int config_set_to(void *c, const char *v)
{
	return set_end(((struct config *)c)->to, v);
}

static int set_http(void *c, const char *v)
{
	return *v ? set_end(((struct config *)c)->http, v) :
	       set_end(((struct config *)c)->http, "none");
}

static int config_set_rate(void *c, const char *v)
{
	double *rate = &((struct config *)c)->map.rate;

	return parse_double(v, 0, RATES_MAX, rate) || !rates_valid(*rate) ?
	       -EINVAL : 0;
}

static int set_match(void *c, const char *v)
{
	double *slop = &((struct config *)c)->map.slop;

	if (!strcmp(v, "frame")) {
		*slop = 0;
		return 0;
	}
	return parse_double(v, 0.001, 60, slop);
}

static int set_storey(void *c, const char *v)
{
	double *storey = &((struct config *)c)->map.storey;

	if (!strcmp(v, "any")) {
		*storey = -1;
		return 0;
	}
	return parse_double(v, 0.1, 1000, storey);
}

static int config_set_memory(void *c, const char *v)
{
	uint32_t mb;

	if (parse_u32(v, 32, 1 << 20, &mb))
		return -EINVAL;
	((struct config *)c)->memory = (size_t)mb << 20;
	return 0;
}

#define VALUE(name, modality, end)					\
static int set_##name(void *config, const char *v)			\
{									\
	struct config *c = config;					\
									\
	c->map.ranged[modality] = true;					\
	return parse_double(v, -1e9, 1e9,				\
			    &c->map.range[modality][end]);		\
}
VALUE(min_temp, MODALITY_TEMPERATURE, 0)
VALUE(max_temp, MODALITY_TEMPERATURE, 1)
VALUE(max_smoke, MODALITY_SMOKE, 1)
VALUE(min_gas, MODALITY_GAS, 0)
VALUE(max_gas, MODALITY_GAS, 1)
VALUE(min_signal, MODALITY_SIGNAL, 0)
VALUE(max_signal, MODALITY_SIGNAL, 1)

/* Needs all options: one may set the low end, another the high end */
static int check_ranges(const struct config *c)
{
	for (int i = 0; i < MODALITIES; i++) {
		const char *const *option = modality_get(i)->option;

		if (option[1] && !(c->map.range[i][0] < c->map.range[i][1]))
			return cli_error(-EINVAL,
					 "%s %g must be greater than %s%s%g",
					 option[1], c->map.range[i][1],
					 option[0] ? option[0] : "",
					 option[0] ? " " : "",
					 c->map.range[i][0]);
	}
	return 0;
}

/* For the file; --layer reports errors in more detail */
static int config_set_layer(void *c, const char *v)
{
	struct error error;

	return map_config_add_layer(&((struct config *)c)->map, v, false,
				    &error);
}

static int config_option_layer(void *c, const char *v)
{
	struct error error;
	const int err = map_config_add_layer(&((struct config *)c)->map, v,
					     false, &error);

	return err ? cli_error(err, "--layer: %s", error.text) : 0;
}

static int config_set_map(void *c, const char *v)
{
	struct error error;

	return map_config_add_layer(&((struct config *)c)->map, v, true, &error);
}

static int config_option_map(void *c, const char *v)
{
	struct error error;
	const int err = map_config_add_layer(&((struct config *)c)->map, v,
					     true, &error);

	return err ? cli_error(err, "--map: %s", error.text) : 0;
}

static int set_remap(void *c, const char *v)
{
	return map_config_add_remap(&((struct config *)c)->map, v);
}

static int set_records(void *c, const char *v)
{
	return settings_text(((struct config *)c)->records, CONFIG_TEXT, v);
}

static int megabytes(uint64_t *to, const char *v)
{
	uint32_t mb;

	if (parse_u32(v, 1, 1 << 30, &mb))
		return -EINVAL;
	*to = (uint64_t)mb << 20;
	return 0;
}

static int set_quota(void *c, const char *v)
{
	return megabytes(&((struct config *)c)->quota, v);
}

static int set_log_size(void *c, const char *v)
{
	return megabytes(&((struct config *)c)->log_size, v);
}

#define SETTING_CONFIG struct config

static const struct setting settings[] = {
	{ "store", "FILE.db", "the store: one SQLite file", "a path", set_store,
	  .heading = "Store and ROS:" },
	{ "from", "SOURCE",
	  "ros2, ros2:DOMAIN, ros1, ros1:URI, a recording, or none (ros2)",
	  "a source", set_from },
	{ "to", "SINK",
	  "ros2, ros2:DOMAIN, ros1, ros1:URI, a recording, or none (ros2)",
	  "a sink", config_set_to },
	{ "node", "NAME", "name of the ROS node (gdim)", "a name", set_node },
	{ "frame", "NAME", "frame of the map in messages (map)", "a name",
	  set_frame },
	{ "match", "HOW",
	  "find the node of a submap by its frame_id, or by the nearest stamp within SECONDS (frame)",
	  "frame or 0.001..60 s", set_match },
	{ "rate", "HZ",
	  "maximum publish rate of changed maps; 0: never (1)",
	  "0 or 0.001..100", config_set_rate },
	{ "layer", "\"NAME KEY=VALUE ...\"",
	  "a modality: input, role, bits, range=LOW:HIGH, unit, rule, drawing, resolution, weights",
	  "NAME KEY=VALUE ...", config_set_layer, config_option_layer,
	  .heading = "Layers and topics:" },
	{ "map", "\"NAME KEY=VALUE ...\"",
	  "as --layer, for whole maps instead of submaps",
	  "NAME KEY=VALUE ...", config_set_map, config_option_map },
	{ "default-layers", "YES",
	  "create the layers of SmokeBot D4.1 (yes)",
	  SETTING_FIELD_FLAG(defaults) },
	{ "remap", "/FROM:=/TO", "remap a topic or service",
	  "/FROM:=/TO", set_remap },
	{ "minTemp", "T",
	  "temperature at cell value 0, degrees C (0)", "a number",
	  set_min_temp,
	  .heading = "Ranges of values:" },
	{ "maxTemp", "T",
	  "temperature at cell value 100, degrees C (100)",
	  "a number", set_max_temp },
	{ "maxSmoke", "S", "smoke at cell value 100, % (100)", "a number",
	  set_max_smoke },
	{ "minGas", "G",
	  "gas concentration at cell value 0, ppm (0)", "a number",
	  set_min_gas },
	{ "maxGas", "G",
	  "gas concentration at cell value 1, ppm (1000)",
	  "a number", set_max_gas },
	{ "minSignal", "S",
	  "signal strength at cell value 0, dBm (-100)", "a number",
	  set_min_signal },
	{ "maxSignal", "S",
	  "signal strength at cell value 100, dBm (0)",
	  "a number", set_max_signal },
	{ "records", "FOLDER",
	  "folder of logs and snapshots (default: STORE-logs)",
	  "a path", set_records,
	  .heading = "Logs and snapshots:" },
	{ "log", "HZ", "start a log at this rate; 0: no log (0)",
	  SETTING_FIELD_DOUBLE(log, 0, 10) },
	{ "quota", "MB",
	  "maximum size of logs and snapshots; the oldest logs are deleted "
	  "beyond it (1024)", "1..2^30 MB",
	  set_quota },
	{ "log-size", "MB", "size of a log before the next one begins (64)",
	  "1..2^30 MB", set_log_size },
	{ "socket", "PATH",
	  "console socket, for gdimctl ($XDG_RUNTIME_DIR/gdim/gdimd.sock, or in /run)",
	  "a path", set_socket,
	  .heading = "Access:" },
	{ "http", "ADDRESS:PORT",
	  "HTTP API listen address; PORT: on the loopback; none: off "
	  "(127.0.0.1:8460)",
	  "ADDRESS:PORT, PORT or none", set_http },
	{ "http-token-file", "FILE",
	  "tokens for the HTTP API, one per line (default: none, local clients "
	  "only)",
	  "a path", set_http_tokens },
	{ "storey", "METRES", "keep nodes apart that are further above or "
	  "below the first one (1.5), or lean by more than 15 degrees; any: "
	  "fuse them all", "0.1..1000 m or any", set_storey },
	{ "memory", "MB", "memory for cells and fused maps (96)", "32..1048576 MB",
	  config_set_memory,
	  .heading = "Resources:" },
	{ "threads", "N", "fusion threads; 0: one per CPU (0)",
	  SETTING_FIELD_U32(threads, 0, 256) },
	LOG_LEVEL_SETTING,
	{ 0 }
};

static int config_reject_argument(void *c, const char *v)
{
	(void)c;
	return cli_usage(cli_program, "unexpected argument '%s'", v);
}

static int config_check(void *config, const bool *given, const char *program)
{
	const struct config *c = config;

	(void)given;
	if (!*c->store)
		return cli_usage(program, "missing --store FILE.db");
	return check_ranges(c);
}

int config_parse(struct config *c, int argc, char **argv)
{
	static const struct settings_program program = {
		.table = settings, .section = "gdimd",
		.file = "configuration file; section [gdimd]",
		.argument = config_reject_argument, .check = config_check,
		.doc = "Keep layered maps of a site that follow the pose "
		       "graph. Subscribes to submaps, transforms, rooms and "
		       "images on /gdim/input/..., publishes fused maps on "
		       "/gdim/output/.... For queries and commands see "
		       "gdimctl(1).",
	};
	int ret;

	*c = (struct config){
		.from = "ros2", .to = "ros2", .node = "gdim",
		.http = "127.0.0.1:8460", .defaults = true,
		.quota = 1ULL << 30, .log_size = 64 << 20, .memory = 96 << 20,
	};
	map_config_init(&c->map);
	ret = settings_parse(&program, c, argc, argv);
	if (c->defaults)
		map_config_add_defaults(&c->map);
	return ret;
}
