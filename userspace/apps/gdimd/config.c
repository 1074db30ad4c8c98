// SPDX-License-Identifier: GPL-2.0-only
/*
 * config - settings of gdimd
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/config.h"
#include "apps/gdimd/wildcard.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/settings.h"

enum { DEFAULTS = 12 };

/* D4.1, tables 1 to 3. The ranges are those of the configuration. */
static const struct config_layer default_layers[DEFAULTS] = {
	{ "slam_map", "input=slam_submap role=obstacle", false, 0 },
	{ "gas_*_map_*", "input=gas_*_submap_* role=gas bits=16 rule=mean unit=ppm", false, 0 },
	{ "smoke_map_remote", "input=smoke_submap_remote role=smoke rule=mean unit=%", false, 0 },
	{ "smoke_map_insitu", "input=smoke_submap_insitu role=smoke rule=mean unit=%", false, 0 },
	{ "smoke_map_fused", "input=smoke_submap_fused role=smoke rule=mean unit=%", false, 0 },
	{ "rf_signal_map", "input=rf_signal_submap role=signal rule=mean unit=dBm", false, 0 },
	{ "temp_map_remote", "input=temp_submap_remote role=temperature rule=mean unit=°C", false, 0 },
	{ "temp_map_insitu", "input=temp_submap_insitu role=temperature rule=mean unit=°C", false, 0 },
	{ "temp_map_fused", "input=temp_submap_fused role=temperature rule=mean unit=°C", false, 0 },
	{ "hazard_map", "input=hazard_map role=hazard", true, 0 },
	{ "nav_cost_map", "input=nav_cost_map role=cost", true, 0 },
	{ "teleop_map", "input=teleop_map role=cost", true, 0 },
};

#define TEXT(field)							\
static int set_##field(void *c, const char *v)				\
{									\
	return settings_text(((struct config *)c)->field, CONFIG_TEXT, v); \
}
TEXT(store)
TEXT(socket)
TEXT(node)
TEXT(frame)
TEXT(http_tokens)

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

bool config_rate_valid(double hz)
{
	return hz == 0 || (hz >= 0.001 && hz <= CONFIG_RATE_MAX);
}

static int config_set_rate(void *c, const char *v)
{
	double *rate = &((struct config *)c)->rate;

	return parse_double(v, 0, CONFIG_RATE_MAX, rate) || !config_rate_valid(*rate) ?
	       -EINVAL : 0;
}

static int set_match(void *c, const char *v)
{
	double *slop = &((struct config *)c)->slop;

	if (!strcmp(v, "frame")) {
		*slop = 0;
		return 0;
	}
	return parse_double(v, 0.001, 60, slop);
}

static int set_storey(void *c, const char *v)
{
	double *storey = &((struct config *)c)->storey;

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
	c->ranged[modality] = true;					\
	return parse_double(v, -1e9, 1e9, &c->range[modality][end]);	\
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

		if (option[1] && !(c->range[i][0] < c->range[i][1]))
			return cli_error(-EINVAL,
					 "%s %g must be greater than %s%s%g",
					 option[1], c->range[i][1],
					 option[0] ? option[0] : "",
					 option[0] ? " " : "", c->range[i][0]);
	}
	return 0;
}

/* The first word of a line. Return: the rest */
static const char *first_word(const char *line, char *word, size_t room)
{
	const size_t n = strcspn(line, " \t");

	if (!n || n >= room)
		return NULL;
	memcpy(word, line, n);
	word[n] = 0;
	return line + n + strspn(line + n, " \t");
}

/* The next word. Return: its length; 0: the end */
static size_t config_next_word(const char **words)
{
	*words += strspn(*words, " \t");
	return strcspn(*words, " \t");
}

/* Whether @words has the key of @word */
static bool has_key(const char *words, const char *word)
{
	const size_t key = strcspn(word, "=") + 1;

	for (size_t n; (n = config_next_word(&words)); words += n)
		if (n >= key && !strncmp(words, word, key))
			return true;
	return false;
}

static int config_add_word(char *words, size_t room, const char *word, size_t n)
{
	const size_t len = strlen(words);

	return snprintf(words + len, room - len, "%s%.*s", len ? " " : "",
			(int)n, word) < (int)(room - len) ? 0 : -EINVAL;
}

/* Add the words of the default layer of this name that the user did not give */
static int begin_with_default(struct config_layer *l)
{
	char words[sizeof(l->words)];
	const char *at = words;
	int err = -ENOENT;

	l->own = strlen(l->words);
	for (unsigned int i = 0; err && i < DEFAULTS; i++)
		err = wildcard_fill(default_layers[i].name, l->name,
				    default_layers[i].words, words,
				    sizeof(words));
	if (err)
		return 0;
	for (size_t n; (n = config_next_word(&at)); at += n)
		if (!has_key(l->words, at) &&
		    config_add_word(l->words, sizeof(l->words), at, n))
			return -EINVAL;
	return 0;
}

static int config_add_layer(struct config *c, const char *line, bool whole,
			    char error[ERROR_TEXT])
{
	struct config_layer *l = &c->layer[c->layers];
	struct layer try;
	const char *words;

	snprintf(error, ERROR_TEXT,
		 "'%.80s' is not NAME KEY=VALUE ..., or there are "
		 "more than %d layers", line, CONFIG_LAYERS);
	if (c->layers == CONFIG_LAYERS)
		return -EINVAL;
	words = first_word(line, l->name, sizeof(l->name));
	if (!words || settings_text(l->words, sizeof(l->words),
				    *words ? words : " ") ||
	    begin_with_default(l))
		return -EINVAL;
	l->whole = whole;
	/* later lines may change ranges, but report errors now */
	if (config_make_layer(c, l, wildcard_example(l->name), &try, error))
		return -EINVAL;
	c->layers++;
	return 0;
}

/* For the file; --layer reports errors in more detail */
static int config_set_layer(void *c, const char *v)
{
	char error[ERROR_TEXT];

	return config_add_layer(c, v, false, error);
}

static int config_option_layer(void *c, const char *v)
{
	char error[ERROR_TEXT];
	const int err = config_add_layer(c, v, false, error);

	return err ? cli_error(err, "--layer: %s", error) : 0;
}

static int config_set_map(void *c, const char *v)
{
	char error[ERROR_TEXT];

	return config_add_layer(c, v, true, error);
}

static int config_option_map(void *c, const char *v)
{
	char error[ERROR_TEXT];
	const int err = config_add_layer(c, v, true, error);

	return err ? cli_error(err, "--map: %s", error) : 0;
}

static int set_remap(void *config, const char *v)
{
	struct config *c = config;
	const char *colon = strstr(v, ":=");
	struct config_remap *r = &c->remap[c->remaps];

	if (!colon || c->remaps == CONFIG_REMAPS || *v != '/' ||
	    colon[2] != '/' || (size_t)(colon - v) >= sizeof(r->from))
		return -EINVAL;
	memcpy(r->from, v, colon - v);
	r->from[colon - v] = 0;
	c->remaps++;
	return settings_text(r->to, sizeof(r->to), colon + 2);
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

static bool config_has_layer(const struct config *c, const char *name)
{
	for (unsigned int i = 0; i < c->layers; i++)
		if (!strcmp(c->layer[i].name, name))
			return true;
	return false;
}

static void add_defaults(struct config *c)
{
	for (unsigned int i = 0; i < DEFAULTS && c->defaults; i++)
		if (c->layers < CONFIG_LAYERS &&
		    !config_has_layer(c, default_layers[i].name))
			c->layer[c->layers++] = default_layers[i];
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
		.from = "ros2", .to = "ros2", .node = "gdim", .frame = "map",
		.http = "127.0.0.1:8460",
		.rate = 1, .defaults = true,
		.quota = 1ULL << 30, .log_size = 64 << 20, .memory = 96 << 20,
	};
	for (int i = 0; i < MODALITIES; i++)
		memcpy(c->range[i], modality_get(i)->range,
		       sizeof(c->range[i]));
	ret = settings_parse(&program, c, argc, argv);
	add_defaults(c);
	return ret;
}

/* The range of the layer's line has precedence over that of the options */
static void give_range(const struct config *c, struct layer *l)
{
	const double *range = c->range[l->modality];

	if (range[0] == range[1])
		return;
	l->low = range[0];
	l->high = range[1];
}

int config_make_layer(const struct config *c, const struct config_layer *from,
		      const char *name, struct layer *l, char error[ERROR_TEXT])
{
	char words[sizeof(from->words) + 4 * LAYER_NAME];
	int err;

	if (!layer_name_valid(name) ||
	    wildcard_fill(from->name, name, from->words, words,
			  sizeof(words)))
		return error_set(error, -EINVAL,
				 "'%.64s' is not a layer name", name);
	err = layer_parse(l, name, words, error);
	if (!err && !has_key(words, "range="))
		give_range(c, l);
	return err;
}

const struct config_layer *config_line(const struct config *c,
				       const char *name)
{
	char text[LAYER_NAME];

	for (unsigned int i = 0; i < c->layers; i++)
		if (!wildcard_fill(c->layer[i].name, name, "", text,
				   sizeof(text)))
			return &c->layer[i];
	return NULL;
}

void config_input(const struct config_layer *l, char input[LAYER_NAME])
{
	const char *at = strstr(l->words, "input=");
	size_t n;

	snprintf(input, LAYER_NAME, "%s", l->name);
	if (!at || (at != l->words && at[-1] != ' ' && at[-1] != '\t'))
		return;
	at += strlen("input=");
	n = strcspn(at, " \t");
	if (n && n < LAYER_NAME) {
		memcpy(input, at, n);
		input[n] = 0;
	}
}

int config_name(const struct config *c, const char *input,
		char name[LAYER_NAME])
{
	for (unsigned int i = 0; i < c->layers; i++) {
		char pattern[LAYER_NAME];

		config_input(&c->layer[i], pattern);
		if (!wildcard_fill(pattern, input, c->layer[i].name, name,
				   LAYER_NAME))
			return 0;
	}
	return -ENOENT;
}

void config_difference(const struct config_layer *from,
		       const struct layer *now, char words[512])
{
	const char *at = from->words, *end = at + from->own;
	char word[sizeof(from->words)], error[ERROR_TEXT];

	*words = 0;
	for (size_t n; (n = config_next_word(&at)) && at < end; at += n) {
		struct layer l = *now;

		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		if (strncmp(word, "input=", strlen("input=")) &&
		    (layer_change(&l, word, error) || !layer_same(&l, now)))
			config_add_word(words, 512, word, n);
	}
}

void config_update(const struct config *c, const struct config_layer *from,
		   struct layer *l)
{
	struct layer made;
	char error[ERROR_TEXT];

	if (config_make_layer(c, from, l->name, &made, error))
		return;
	/* the layers of a wildcard may be those of one grid map */
	if (!wildcard_in(from->name))
		memcpy(l->input, made.input, sizeof(l->input));
	if (c->ranged[l->modality] && !has_key(from->words, "range="))
		give_range(c, l);
}

const char *config_topic(const struct config *c, const char *name)
{
	for (unsigned int i = 0; i < c->remaps; i++)
		if (!strcmp(c->remap[i].from, name))
			return c->remap[i].to;
	return name;
}
