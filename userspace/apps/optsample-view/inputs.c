// SPDX-License-Identifier: GPL-2.0-only
/*
 * inputs - what feeds the board: sources, and a receiver in this process
 */
#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/optsample-view/inputs.h"
#include "base/bytes.h"
#include "base/service.h"
#include "base/text.h"
#include "ros/io/io.h"
#include "transport/diagnose.h"
#include "view/robots.h"

enum { END_TICKS = 10 };

/**
 * struct input - a source
 * @name:	that it has on the board
 * @robots:	that a receiver said its topics are of
 */
struct input {
	struct inputs	*in;
	struct source	*source;
	char		name[BOARD_NAME];
	struct robots	robots;
};

/**
 * struct inputs
 * @robots:	of the topics that the receiver publishes
 * @ended:	ticks at the end of a recording
 * @bytes:	a serialized message
 * @run:	of each stream that the board knows
 */
struct inputs {
	const struct view_config *config;
	struct loop		*loop;
	struct board		*board;
	struct input		input[VIEW_SOURCES];
	unsigned int		sources;
	struct publish		*publish;
	struct receiver		*receiver;
	struct robots		robots;
	unsigned int		ticks, ended;
	struct bytes		bytes;
	union message		message;
	uint64_t		refused, run[RECEIVER_STREAMS];
};

static void inputs_put(struct inputs *in, const char *source,
		       const char *topic, enum message_kind kind,
		       enum message_format format, const void *data, size_t len,
		       int64_t stamp, int64_t arrival)
{
	if (board_message(in->board, source, topic, kind, format, data, len,
			  stamp, arrival))
		in->refused++;
}

/* Of its header, or of its first transform; 0: it has none */
static int64_t stamp_of(enum message_kind kind, union message *msg)
{
	const struct message_header *h = message_header_of(kind, msg);
	struct message_transform first;
	struct message_list rest;

	if (kind != MESSAGE_TRANSFORMS)
		return h ? h->stamp : 0;
	rest = msg->tf.transforms;
	if (rest.items && rest.count)
		return ((const struct message_transform *)rest.items)
			->header.stamp;
	return !rest.items && message_next_transform(&rest, &first) ?
	       first.header.stamp : 0;
}

/*
 * Sources
 */

static bool is_shown(const struct view_config *c, const char *topic)
{
	for (unsigned int i = 0; i < c->patterns; i++)
		if (!fnmatch(c->pattern[i], topic, 0))
			return true;
	return !c->patterns;
}

static void on_message(void *arg, const struct source_message *m)
{
	struct input *i = arg;
	struct inputs *in = i->in;
	const char *robot;

	if (message_read(m->kind, m->format, m->data, m->len, &in->message)) {
		if (!in->refused++)
			service_logf(LOG_WARNING, "%s: damaged message",
				     m->topic);
		return;
	}
	if (m->kind == MESSAGE_DIAGNOSTICS &&
	    robots_read(&i->robots, in->board, &in->message.diagnostics,
			m->stamp))
		return;
	if (m->kind == MESSAGE_DIAGNOSTICS && !is_shown(in->config, m->topic))
		return;
	robot = robots_find(&i->robots, m->topic);
	/* static transforms keep the stamp of their first time */
	inputs_put(in, robot ? robot : i->name, m->topic, m->kind, m->format,
		   m->data, m->len,
		   message_is_static(m->topic) ? 0 :
		   stamp_of(m->kind, &in->message), m->stamp);
}

static void on_found(void *arg, const char *topic, enum message_kind kind)
{
	struct input *i = arg;

	/* it also says which robot a topic is of */
	if (is_shown(i->in->config, topic) ||
	    (kind == MESSAGE_DIAGNOSTICS && !strcmp(topic, "/diagnostics")))
		source_subscribe(i->source, topic, kind);
}

static void on_skipped(void *arg, int64_t stamp)
{
	struct input *i = arg;

	board_skip(i->in->board, stamp);
	board_set_now(i->in->board, stamp);
}

static int open_source(struct inputs *in, const char *spec,
		       struct error *error)
{
	const struct view_config *c = in->config;
	struct input *i = &in->input[in->sources];
	const struct source_config config = {
		.spec = spec, .name = c->node, .speed = c->speed,
		.rate = c->hz, .start = c->start, .loop = c->loop,
		.rewinds = true, .message = on_message, .found = on_found,
		.skipped = on_skipped, .log = service_log, .arg = i,
	};
	char path[VIEW_TEXT];
	int err;

	assert(in->sources < VIEW_SOURCES);
	i->in = in;
	snprintf(path, sizeof(path), "%s", spec);
	snprintf(i->name, sizeof(i->name), "%s", basename(path));
	err = source_open(&i->source, in->loop, &config, error);
	if (!err)
		in->sources++;
	return err;
}

/* The recording that is replayed, or NULL */
static struct source *recording(const struct inputs *in)
{
	struct source_playback p;

	for (unsigned int i = 0; i < in->sources; i++)
		if (!source_playback(in->input[i].source, &p))
			return in->input[i].source;
	return NULL;
}

/*
 * The receiver
 */

static void read_labels(struct inputs *in)
{
	const struct stream *s;
	const struct recv_topic *t;
	char name[512], robot[ROBOTS_LABEL];
	bool old;

	in->robots.labels = 0;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		s = receiver_stream(in->receiver, i, &old);
		for (unsigned int k = 0; s && (t = stream_topic(s, k)); k++) {
			receiver_name(in->receiver, s,
				      recv_topic_announcement(t)->name, "",
				      name);
			receiver_label(in->receiver, s, robot);
			robots_set(&in->robots, name, robot);
		}
	}
}

/* Streams say twice a second that they live. @only_new: those of a new run */
static void hear_streams(struct inputs *in, bool only_new)
{
	const int64_t now = io_now(), offset = now - (int64_t)loop_now();
	char label[CONTROL_WORD + 8];
	struct contact c;
	const struct stream *s;
	bool old;

	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		s = receiver_stream(in->receiver, i, &old);
		if (!s || old || !stream_announced(s) ||
		    (only_new && in->run[i] == stream_id(s)))
			continue;
		in->run[i] = stream_id(s);
		receiver_label(in->receiver, s, label);
		c = *stream_contact(s);
		c.heard += offset;
		c.since += offset;
		if (*label)
			board_alive(in->board, label, stream_id(s), &c, now);
	}
}

static void on_received(void *arg, const char *name, enum message_kind kind,
			int64_t received, const union message *msg)
{
	struct inputs *in = arg;
	const char *robot = robots_find(&in->robots, name);
	long len = message_size(kind, MESSAGE_CDR, msg);

	if (!is_shown(in->config, name) ||
	    (kind == MESSAGE_DIAGNOSTICS &&
	     diagnose_read(NULL, &msg->diagnostics, received)))
		return;
	hear_streams(in, true);
	if (!robot) {
		read_labels(in);
		robot = robots_find(&in->robots, name);
	}
	if (len < 0 || bytes_reserve(&in->bytes, len) ||
	    message_write(kind, MESSAGE_CDR, msg, in->bytes.data, len) < 0) {
		in->refused++;
		return;
	}
	inputs_put(in, robot ? robot : "optsample-view", name, kind,
		   MESSAGE_CDR, in->bytes.data, len,
		   message_is_static(name) ? 0 :
		   stamp_of(kind, (union message *)msg), received);
}

static int open_receiver(struct inputs *in, struct error *error)
{
	const struct view_config *c = in->config;
	struct address at;
	int err = 0;

	in->publish = publish_create();
	if (!in->publish)
		return error_set(error, -ENOMEM, "no memory");
	publish_listen(in->publish, on_received, in);
	for (unsigned int i = 0; !err && i < c->sinks; i++)
		err = publish_add(in->publish, in->loop, c->sink[i], c->node,
				  error);
	if (!err)
		err = address_parse(c->listen, 1, "7450", &at, error);
	if (!err)
		err = receiver_open(&in->receiver, in->loop, &at, &c->receiver,
				    in->publish, error);
	return err;
}

/*
 * Replays
 */

static int seek(struct inputs *in, struct source *s, int64_t t)
{
	struct source_playback p;
	int err = source_seek(s, t);

	if (err)
		return err;
	source_playback(s, &p);
	board_cut(in->board, t < p.begin ? p.begin : t, p.time);
	return 0;
}

/*
 * A recording that repeats: each pass has its time, so it jumps to its begin.
 * What was at its end is shown for a while.
 */
static void repeat(struct inputs *in, const struct view_replay *r)
{
	in->ended = r->ended && !r->paused ? in->ended + 1 : 0;
	if (in->config->loop && in->ended >= END_TICKS)
		seek(in, recording(in),
		     r->begin + (int64_t)(in->config->start * 1e9));
}

/*
 * For the program
 */

int inputs_open(struct inputs **out, struct loop *l,
		const struct view_config *c, struct error *error)
{
	struct inputs *in = calloc(1, sizeof(*in));
	int err = 0;

	*out = NULL;
	if (!in)
		return error_set(error, -ENOMEM, "no memory");
	in->config = c;
	in->loop = l;
	for (unsigned int i = 0; !err && i < c->sources; i++)
		err = open_source(in, c->source[i], error);
	if (!err && recording(in) && (c->sources > 1 || *c->listen))
		err = error_set(error, -EINVAL,
				"a recording is shown alone: its time is "
				"another one");
	if (!err && *c->listen)
		err = open_receiver(in, error);
	if (err)
		inputs_close(in);
	else
		*out = in;
	return err;
}

void inputs_close(struct inputs *in)
{
	if (!in)
		return;
	for (unsigned int i = 0; i < in->sources; i++)
		source_close(in->input[i].source);
	receiver_close(in->receiver);
	publish_destroy(in->publish);
	bytes_free(&in->bytes);
	free(in);
}

void inputs_show_on(struct inputs *in, struct board *b)
{
	struct view_replay r;

	in->board = b;
	if (inputs_replay(in, &r))
		board_set_now(b, r.time);
}

void inputs_tick(struct inputs *in)
{
	struct view_replay r;

	if (in->receiver) {
		if (!(in->ticks++ % 20))
			read_labels(in);
		hear_streams(in, false);
	}
	if (inputs_replay(in, &r)) {
		board_set_now(in->board, r.time);
		repeat(in, &r);
	}
	board_tick(in->board);
}

bool inputs_replay(const struct inputs *in, struct view_replay *r)
{
	const struct source *s = recording(in);
	struct source_playback p;

	if (!s || source_playback(s, &p))
		return false;
	*r = (struct view_replay){ p.paused, p.ended, p.speed, p.time, p.begin,
				   p.end };
	return true;
}

bool inputs_control(const struct inputs *in)
{
	return in->receiver != NULL;
}

const struct receiver *inputs_receiver(const struct inputs *in)
{
	return in->receiver;
}

uint64_t inputs_refused(const struct inputs *in)
{
	return in->refused + (in->publish ? publish_refused(in->publish) : 0);
}

/*
 * What clients want
 */

static int command_robot(struct inputs *in, const struct action *a,
			 struct error *error)
{
	struct control_command c = { .entries = 1 };
	char label[CONTROL_WORD + 8];
	const struct stream *s;
	bool old;

	if (!in->receiver)
		return error_set(error, -EOPNOTSUPP, "no robot takes commands");
	c.entry[0].what = a->type == ACTION_FOCUS ? CONTROL_FOCUS :
			  CONTROL_PRIORITY;
	c.entry[0].value = a->type == ACTION_FOCUS ? *a->topic != 0 :
			   (uint8_t)a->value;
	snprintf(c.entry[0].name, CONTROL_NAME, "%.255s", a->topic);
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		s = receiver_stream(in->receiver, i, &old);
		if (!s || old)
			continue;
		receiver_label(in->receiver, s, label);
		if (!strcmp(label, a->source))
			return receiver_command(in->receiver, s, &c, error);
	}
	return error_set(error, -ENOENT, "no robot '%.64s'", a->source);
}

/* A pause before, playing after the rest: nothing between is played */
static int replay(struct inputs *in, struct source *s, const struct action *a)
{
	int err = 0, ret;

	if (a->pause > 0)
		source_pause(s, true);
	if (a->value > 0)
		err = source_speed(s, a->value);
	if (a->seek) {
		ret = seek(in, s, a->time);
		err = err ? err : ret;
	}
	if (a->pause < 0)
		source_pause(s, false);
	return err;
}

int inputs_act(struct inputs *in, const struct action *a,
	       struct error *error)
{
	struct source *s = recording(in);
	int err;

	switch (a->type) {
	case ACTION_FOCUS:
	case ACTION_PRIORITY:
		return command_robot(in, a, error);
	case ACTION_REPLAY:
		err = s ? replay(in, s, a) : -EOPNOTSUPP;
		break;
	default:
		err = -EINVAL;
	}
	return err ? error_set(error, err, "%s", strerror(-err)) : 0;
}
