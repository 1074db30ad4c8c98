// SPDX-License-Identifier: GPL-2.0-only
/*
 * send_config - settings of optsample-send
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/optsample-send/send_config.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "optsample/units.h"

#define TEXT(field)							\
static int set_##field(void *c, const char *v)				\
{									\
	return settings_text(((struct send_config *)c)->field, SEND_TEXT, v); \
}
TEXT(to)
TEXT(node)
TEXT(socket)
TEXT(metrics)

static int send_config_set_source(void *c, const char *v)
{
	struct send_config *config = c;

	if (config->sources == SEND_SOURCES ||
	    settings_text(config->source[config->sources], SEND_TEXT, v))
		return -EINVAL;
	assert(config->sources < SEND_SOURCES);
	config->sources++;
	return 0;
}

static int send_config_set_name(void *c, const char *v)
{
	return settings_text(((struct send_config *)c)->sender.name, CONTROL_WORD,
			v);
}

static int send_config_set_key(void *c, const char *v)
{
	return settings_text(((struct send_config *)c)->sender.key, SENDER_KEY,
			     v);
}

static int set_still(void *c, const char *v)
{
	return settings_text(((struct send_config *)c)->sender.still, SEND_NAME, v);
}

/* @o gets the defaults, then the values of "NAME KEY=VALUE ..." */
static int send_topic_parse(const char *text, struct send_options *o,
			    struct error *error)
{
	static const struct send_options defaults = SEND_OPTIONS;
	char copy[1024], *word, *rest;

	*o = defaults;
	if (strlen(text) >= sizeof(copy))
		return error_set(error, -EINVAL, "too long: '%.80s...'", text);
	strcpy(copy, text);
	word = strtok_r(copy, " \t,", &rest);
	if (!word || !strchr("/*?[", *word) ||
	    settings_text(o->name, sizeof(o->name), word))
		return error_set(error, -EINVAL,
				 "'%.80s' does not begin with a topic: /NAME",
				 text);
	while ((word = strtok_r(NULL, " \t,", &rest))) {
		char *value = strchr(word, '=');

		if (!value)
			return error_set(error, -EINVAL,
					 "'%.80s' is not KEY=VALUE", word);
		*value++ = '\0';
		if (settings_set(send_topic_settings, o, word, value, error))
			return -EINVAL;
	}
	return 0;
}

/* For the file; --topic reports errors in more detail */
static int set_topic(void *c, const char *v)
{
	struct sender_options *s = &((struct send_config *)c)->sender;
	struct error error;

	if (s->topics == SENDER_PATTERNS ||
	    send_topic_parse(v, &s->topic[s->topics], &error))
		return -EINVAL;
	s->topics++;
	return 0;
}

/* Before those of the file, as the first match counts */
static int insert_topic(struct send_config *c, const struct send_options *o)
{
	struct send_options *t = c->sender.topic;
	unsigned int at = c->from_line, n = c->sender.topics;

	if (n == SENDER_PATTERNS)
		return -E2BIG;
	assert(at <= n);
	memmove(t + at + 1, t + at, (n - at) * sizeof(*t));
	t[at] = *o;
	c->sender.topics++;
	c->from_line++;
	return 0;
}

/* --topic */
static int send_config_option_topic(void *c, const char *v)
{
	struct error error;
	struct send_options o;

	if (send_topic_parse(v, &o, &error))
		return cli_error(-EINVAL, "--topic: %s", error.text);
	return insert_topic(c, &o) ?
	       cli_error(-E2BIG, "at most %d topic settings",
			 SENDER_PATTERNS) : 0;
}

static int send_config_set_rate(void *c, const char *v)
{
	uint64_t rate;

	if (parse_rate(v, &rate) || (rate && rate < 1000))
		return -EINVAL;
	((struct send_config *)c)->sender.rate = rate;
	return 0;
}

static int set_cpu(void *c, const char *v)
{
	struct send_config *config = c;
	size_t len = strlen(v);
	double percent;
	char digits[16];

	/* a percent sign is optional */
	len -= len && v[len - 1] == '%';
	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, v, len);
	digits[len] = 0;
	if (parse_double(digits, 1, 100, &percent))
		return -EINVAL;
	config->sender.cpu = percent / 100;
	return 0;
}

static int send_config_set_status(void *c, const char *v)
{
	struct send_config *config = c;
	uint32_t ms = 0;

	if (strcmp(v, "no") && parse_time_ms(v, 100, 60000, &ms))
		return -EINVAL;
	config->sender.status = ms * 1000000ULL;
	return 0;
}

#define A_TEXT "a text of 1 to 511 bytes"
#define SETTING_CONFIG struct send_config

const struct setting send_settings[] = {
	{ "to", "HOST[:PORT]", "address of optsample-recv (default port: 7450)",
	  A_TEXT, set_to,
	  .heading = "Destination and topics:" },
	{ "source", "SOURCE", "add a source, as the argument SOURCE does",
	  "a text; at most 8 sources", send_config_set_source },
	{ "topic", "\"NAME KEY=VALUE ...\"",
	  "settings of this topic, or of topics that match (default: send all "
	  "topics)",
	  "a topic and KEY=VALUE settings, see optsample-send(1); at most 64",
	  set_topic, send_config_option_topic, .letter = 't' },
	{ "name", "NAME", "name of this robot (the host name)",
	  "a text of 1 to 63 bytes", send_config_set_name },
	{ "node", "NODE", "ROS node name (optsample_send)", A_TEXT,
	  set_node },
	{ "rate", "RATE",
	  "maximum rate, in units of tc: 2mbit (default: the estimated "
	  "capacity of the link)",
	  "a rate in units of tc, at least 8kbit, or unlimited",
	  send_config_set_rate,
	  .heading = "Rate and resources:" },
	{ "cpu", "PERCENT",
	  "maximum CPU time of coding, % of one core (100)", "1..100",
	  set_cpu },
	{ "threads", "N",
	  "messages encoded in parallel (default: one per CPU, 8 at most)",
	  SETTING_FIELD_U32(sender.threads, 1, WORKERS_MOST) },
	{ "key", "FILE", "shared key file (default: none)", A_TEXT,
	  send_config_set_key,
	  .heading = "Link:" },
	{ "device", "YES",
	  "watch the queue of the device that leads to the receiver (yes)",
	  SETTING_FIELD_FLAG(sender.device) },
	{ "still", "TOPIC",
	  "odometry or twist topic that shows whether the robot stands still",
	  "a text of 1 to 255 bytes", set_still },
	{ "speed", "X", "playback speed of recordings (1)",
	  SETTING_FIELD_DOUBLE(speed, .01, 100),
	  .heading = "Recordings and files:" },
	{ "start", "S",
	  "skip this many seconds at the start of a recording (0)", "0..10^7",
	  SETTING_FIELD_DOUBLE(start, 0, 1e7) },
	{ "hz", "HZ", "messages per second from files (10)",
	  SETTING_FIELD_DOUBLE(hz, .01, 1000) },
	{ "loop", NULL, "repeat recordings and files forever",
	  SETTING_FIELD_FLAG(loop) },
	{ "socket", "PATH", "console socket path ($XDG_RUNTIME_DIR/optsample-send/socket, or in /run)", A_TEXT,
	  set_socket,
	  .heading = "Control:" },
	{ "status", "TIME",
	  "send the status to the operator at this interval; no: never (1s)",
	  "100ms..60s, or no", send_config_set_status },
	{ "commands", "YES",
	  "let the operator change focus and priorities (yes)",
	  SETTING_FIELD_FLAG(sender.commands) },
	LOG_LEVEL_SETTING,
	{ "metrics", "[ADDRESS:]PORT",
	  "HTTP listen address for Prometheus metrics",
	  A_TEXT, set_metrics },
	{ 0 }
};

/* ---- topics ---- */

static int milliseconds(double *to, const char *v)
{
	double ms;

	if (parse_double(v, 0, 10000, &ms))
		return -EINVAL;
	*to = ms / 1000;
	return 0;
}

#define TOPIC(field, code)						\
static int topic_##field(void *c, const char *v)			\
{									\
	struct send_options *o = c;					\
	return code;							\
}
TOPIC(bytes, parse_size(v, 1424, 4 << 20, &o->bytes))
TOPIC(latency, milliseconds(&o->latency, v))

static int topic_codec(void *c, const char *v)
{
	struct send_options *o = c;
	int codec = codec_of(v);

	if (!strcmp(v, "auto"))
		codec = SEND_CODEC_ANY;
	else if (codec < 0)
		return -EINVAL;
	o->codec = codec;
	return 0;
}

/* For the attitude of a sensor: m; below, degrees */
static int meters(float *to, const char *v)
{
	double d;

	if (parse_double(v, 0, 100, &d))
		return -EINVAL;
	*to = d;
	return 0;
}

static int degrees(float *to, const char *v)
{
	double d;

	if (parse_double(v, -90, 90, &d))
		return -EINVAL;
	*to = d * M_PI / 180;
	return 0;
}

TOPIC(height, meters(&o->encode.vscan.height, v))
TOPIC(robot, meters(&o->encode.vscan.robot, v))
TOPIC(gate, meters(&o->encode.vscan.gate, v))
TOPIC(ceiling, meters(&o->encode.vscan.ceiling, v))
TOPIC(roll, degrees(&o->encode.vscan.roll, v))
TOPIC(pitch, degrees(&o->encode.vscan.pitch, v))

#undef SETTING_CONFIG
#define SETTING_CONFIG struct send_options

const struct setting send_topic_settings[] = {
	{ "send", "YES", "", SETTING_FIELD_FLAG(on) },
	{ "priority", "N", "",
	  SETTING_FIELD_U32(priority, 0, ALLOCATION_PRIORITY) },
	{ "focus", "YES", "", SETTING_FIELD_FLAG(focus) },
	{ "codec", "CODEC", "", "auto or a codec, see optsample-send(1)",
	  topic_codec },
	{ "rate", "HZ", "", SETTING_FIELD_DOUBLE(rate, 0, 1000) },
	{ "bytes", "SIZE", "", "1424..4m", topic_bytes },
	{ "latency", "MS", "", "0..10000", topic_latency },
	{ "sample", "YES", "", SETTING_FIELD_FLAG(sample) },
	{ "profile", "N", "", SETTING_FIELD_U32(profile, 0, 63) },
	{ "refresh", "S", "", SETTING_FIELD_DOUBLE(refresh, .05, 3600) },
	{ "points", "N", "", "0..2^20",
	  SETTING_FIELD_U32(points, 0, 1 << 20) },
	{ "leaf", "M", "", SETTING_FIELD_DOUBLE(leaf, 0, 100) },
	{ "bits", "N", "", SETTING_FIELD_U32(encode.bits, 0, 10) },
	{ "intensity", "N", "", SETTING_FIELD_U32(encode.intensity, 0, 128) },
	{ "resolution", "M", "",
	  SETTING_FIELD_DOUBLE(encode.scan_resolution, .0001, 1) },
	{ "virtual", "YES", "", SETTING_FIELD_FLAG(vscan) },
	{ "height", "M", "", "0..100", topic_height },
	{ "robot", "M", "", "0..100", topic_robot },
	{ "gate", "M", "", "0..100", topic_gate },
	{ "ceiling", "M", "", "0..100", topic_ceiling },
	{ "roll", "DEG", "", "-90..90", topic_roll },
	{ "pitch", "DEG", "", "-90..90", topic_pitch },
	{ 0 }
};

/* ---- all ---- */

void send_config_init(struct send_config *c)
{
	*c = (struct send_config){
		.node = "optsample_send", .speed = 1, .hz = 10,
		.sender = { .cpu = 1, .device = true, .commands = true,
			    .status = 1000000000 },
	};
	if (gethostname(c->sender.name, sizeof(c->sender.name) - 1) ||
	    !*c->sender.name)
		strcpy(c->sender.name, "robot");
}

static int send_config_add_topic(struct sender_options *s,
				 const struct send_options *o)
{
	if (s->topics == SENDER_PATTERNS)
		return -E2BIG;
	s->topic[s->topics++] = *o;
	return 0;
}

/* For each topic [topic NAME] */
static const struct setting *send_config_section_of(void *config,
						    const char *name, void **to,
						    struct error *error)
{
	struct send_config *c = config;
	struct send_options o = SEND_OPTIONS;

	if (strncmp(name, "topic ", 6) ||
	    settings_text(o.name, sizeof(o.name), name + 6))
		return NULL;
	if (send_config_add_topic(&c->sender, &o)) {
		error_set(error, -E2BIG, "at most %d topic settings",
			  SENDER_PATTERNS);
		return NULL;
	}
	assert(c->sender.topics && c->sender.topics <= SENDER_PATTERNS);
	*to = &c->sender.topic[c->sender.topics - 1];
	return send_topic_settings;
}

static int send_config_add_source(void *c, const char *v)
{
	if (!send_config_set_source(c, v))
		return 0;
	if (((struct send_config *)c)->sources == SEND_SOURCES)
		return cli_usage(cli_program, "more than %d sources",
				 SEND_SOURCES);
	return cli_usage(cli_program, "a source must be " A_TEXT);
}

static int send_config_check(void *config, const bool *given,
			     const char *program)
{
	const struct send_config *c = config;

	(void)given;
	if (!*c->to)
		return cli_usage(program, "missing --to HOST");
	return c->sources ? 0 : cli_usage(program, "no input: give SOURCE");
}

int send_config_parse(struct send_config *c, int argc, char **argv)
{
	static const struct settings_program program = {
		.table = send_settings, .section = "send",
		.sections = send_config_section_of,
		.file = "configuration file; sections [send] and [topic NAME]",
		.arguments = "SOURCE...", .argument = send_config_add_source,
		.check = send_config_check,
		.doc = "Send messages to optsample-recv over a lossy link: "
		       "from ROS 2 (ros2), ROS 1 (ros1), a recording (.mcap, "
		       ".bag, .db3) or files (images, clouds, maps, or a "
		       "folder of them).",
	};

	return settings_parse(&program, c, argc, argv);
}
