// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c - passes messages of three topics to laser_input
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/input.h"
#include "base/error.h"
#include "base/text.h"
#include "ros/io/io.h"
#include "ros/io/source.h"
#include "transport/receiver.h"

enum { PORT = 7450 };

enum {
	/* after this many unusable scans the reason is logged */
	SCANS_LOGGED	= 20,
	/* and after this many without any odometry the robot does without */
	SCANS_WITHOUT	= 100,
};

#define INITIAL_POSE	"/initialpose"

/**
 * struct reading_input
 * @source:	NULL for input from optsample-send: @receiver and @publish
 * @useless:	scans since the last reading
 * @odometry:	its source, which is none while none comes
 * @alone:	without a transform the laser is the robot
 * @place_topic: its name; @place_logged: an invalid one was logged
 */
struct reading_input {
	struct reading_input_config	config;
	struct source		*source;
	struct receiver		*receiver;
	struct publish		*publish;
	struct laser_input	*laser;
	uint64_t		useless;
	enum laser_odometry	odometry;
	bool			logged, alone, place_logged;
	char			place_topic[80];
	struct reading_input_count	count;
};

static void input_log(struct reading_input *in, int priority, const char *line)
{
	if (in->config.log)
		in->config.log(in->config.arg, priority, line);
}

/* Log what is missing, once until the next reading */
static void input_log_waiting(struct reading_input *in)
{
	char text[LASER_INPUT_TEXT], line[ERROR_TEXT];

	if (in->logged || in->useless < SCANS_LOGGED)
		return;
	in->logged = true;
	laser_input_lacks(in->laser, text);
	if (*text)
		snprintf(line, sizeof(line), "cannot use scans: %s", text);
	else
		snprintf(line, sizeof(line),
			 "cannot use scans: no odometry at their time (%s)",
			 in->config.odometry ? in->config.odometry : "tf");
	input_log(in, LOG_WARNING, line);
}

static enum laser_odometry wanted(const struct reading_input_config *c)
{
	return c->odometry ? LASER_ODOMETRY_TOPIC :
	       c->without ? LASER_ODOMETRY_NONE : LASER_ODOMETRY_TF;
}

static void use_odometry(struct reading_input *in, enum laser_odometry odometry)
{
	char line[ERROR_TEXT];

	in->odometry = odometry;
	laser_input_use(in->laser, odometry);
	snprintf(line, sizeof(line), odometry == LASER_ODOMETRY_NONE ?
		 "no odometry comes (%s): the motion is estimated from scans "
		 "alone" : "odometry comes now (%s): using it",
		 in->config.odometry ? in->config.odometry : "tf");
	input_log(in, LOG_WARNING, line);
}

/* A broken encoder, a robot that is carried: map by scans alone. After an
 * outage odometry may come later than scans, so there must have been none yet
 */
static void input_do_without(struct reading_input *in)
{
	struct laser_input_count count;

	laser_input_count(in->laser, &count);
	if (in->odometry != LASER_ODOMETRY_NONE && !count.poses &&
	    in->useless >= SCANS_WITHOUT)
		use_odometry(in, LASER_ODOMETRY_NONE);
	/* nor does a transform */
	if (in->odometry != LASER_ODOMETRY_NONE || in->alone ||
	    in->useless < SCANS_LOGGED)
		return;
	in->alone = true;
	laser_input_alone(in->laser);
	if (!in->config.laser)
		input_log(in, LOG_WARNING,
			  "no transform of the laser on the robot: the laser is taken for the robot");
}

static void input_give(struct reading_input *in)
{
	struct reading r;

	while (laser_input_next(in->laser, &r)) {
		if (in->logged)
			input_log(in, LOG_INFO, "using scans again");
		in->logged = false;
		in->useless = 0;
		if (in->config.range_max > 0)
			r.range_max = (float)in->config.range_max;
		in->config.reading(in->config.arg, &r);
	}
}

/* A pose that may be off by three standard deviations, within limits: RViz gives
 * the same ones whatever its user aims at
 */
static void input_place(struct reading_input *in,
			const struct message_pose_covariance *p)
{
	const double reach = 3 * sqrt(fmax(p->covariance[0], p->covariance[7]));
	const double turn = 3 * sqrt(fmax(p->covariance[35], 0));
	struct place_hint hint = {
		.reach = reach > 1 ? fmin(reach, 10) : 1,
		.turn = turn > 0.3 ? fmin(turn, M_PI) : 0.3,
	};
	char frame[TF_FRAME_NAME] = "", line[ERROR_TEXT];
	struct placement place;
	bool turned;

	frame_name(frame, &p->header.frame_id);
	if (placement_make(&place, p->pose.position, p->pose.orientation) &&
	    placement_pose(&place, &hint.pose, &turned) && !turned &&
	    pose_valid(&hint.pose) && !strcmp(frame, in->config.frame)) {
		in->config.place(in->config.arg, &hint);
		return;
	}
	in->count.damaged++;
	if (in->place_logged)
		return;
	in->place_logged = true;
	snprintf(line, sizeof(line), "%s ignored: not a pose in the frame %.60s",
		 in->place_topic, in->config.frame);
	input_log(in, LOG_WARNING, line);
}

/* While there is no odometry, use it from the first valid one on */
static void input_take(struct reading_input *in, enum message_kind kind,
		       const union message *m, bool fixed, int64_t received)
{
	const bool may = in->odometry == LASER_ODOMETRY_NONE &&
			 wanted(&in->config) != LASER_ODOMETRY_NONE &&
			 kind != MESSAGE_LASER_SCAN;
	struct laser_input_count before, after;

	laser_input_count(in->laser, &before);
	if (may)
		laser_input_use(in->laser, wanted(&in->config));
	laser_input_add(in->laser, kind, m, fixed, received);
	if (!may)
		return;
	laser_input_count(in->laser, &after);
	if (after.poses > before.poses)
		use_odometry(in, wanted(&in->config));
	else
		laser_input_use(in->laser, LASER_ODOMETRY_NONE);
}

static void input_add(struct reading_input *in, const char *topic,
		      enum message_kind kind, int64_t received,
		      const union message *m)
{
	if (kind == MESSAGE_POSE_COVARIANCE) {
		input_place(in, &m->estimate);
		return;
	}
	if (kind == MESSAGE_LASER_SCAN ? strcmp(topic, in->config.scan) :
	    kind == MESSAGE_ODOMETRY ? !in->config.odometry ||
				       strcmp(topic, in->config.odometry) :
	    kind != MESSAGE_TRANSFORMS)
		return;
	in->count.messages++;
	if (kind == MESSAGE_LASER_SCAN)
		in->useless++;
	input_do_without(in);
	input_take(in, kind, m, text_ends(topic, "tf_static"), received);
	input_give(in);
	input_log_waiting(in);
}

static void input_on_message(void *arg, const struct source_message *m)
{
	static union message msg;	/* large */
	struct reading_input *in = arg;

	if (message_read(m->kind, m->format, m->data, m->len, &msg))
		in->count.damaged++;
	else
		input_add(in, m->topic, m->kind, m->stamp, &msg);
}

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	input_add(arg, name, kind, received, msg);
}

static void input_on_ended(void *arg)
{
	struct reading_input *in = arg;

	laser_input_end(in->laser);
	in->config.ended(in->config.arg);
}

static void input_on_log(void *arg, int priority, const char *line)
{
	input_log(arg, priority, line);
}

static int input_subscribe(struct reading_input *in, const char *topic,
			   int kind, struct error *error)
{
	const int err = source_subscribe(in->source, topic, kind);

	if (!err)
		return 0;
	return error_set(error, err,
			 err == -ENOENT ? "%s: no topic %.100s" :
			 err == -EPROTOTYPE ?
					 "%s: topic %.100s has another type" :
					 "%s: invalid topic name %.100s",
			 in->config.spec, topic);
}

static int input_open_source(struct reading_input *in, struct loop *loop,
			     struct error *error)
{
	const struct reading_input_config *c = &in->config;
	const struct source_config config = {
		.spec = c->spec,
		.name = c->node,
		.speed = c->speed,
		.rate = 10,
		.message = input_on_message,
		.ended = input_on_ended,
		.log = input_on_log,
		.arg = in,
	};
	int err = source_open(&in->source, loop, &config, error);

	if (err)
		return err;
	err = input_subscribe(in, c->scan, MESSAGE_LASER_SCAN, error);
	if (err)
		return err;
	if (c->odometry)
		err = input_subscribe(in, c->odometry, MESSAGE_ODOMETRY, error);
	if (err == -ENOENT)
		return error_set(error, err,
				 "%s: no topic %.100s: give --odometry TOPIC, "
				 "tf or none", c->spec, c->odometry);
	if (err)
		return err;
	/* optional: a recording may lack them */
	if (c->place)
		source_subscribe(in->source, in->place_topic,
				 MESSAGE_POSE_COVARIANCE);
	if (!c->odometry || !c->laser) {
		source_subscribe(in->source, "/tf", MESSAGE_TRANSFORMS);
		source_subscribe(in->source, "/tf_static", MESSAGE_TRANSFORMS);
	}
	return 0;
}

/* Messages that were kept in an outage are delivered in order with the rest */
static int open_receiver(struct reading_input *in, struct loop *loop,
			 const char *at, struct error *error)
{
	static const struct receiver_options options = {
		.topics = RECV_DEFAULTS, .prefix = PREFIX_NEVER,
		.kept = KEPT_TOGETHER,
	};
	char port[16];
	struct address address;
	int err;

	snprintf(port, sizeof(port), "%d", PORT);
	in->publish = publish_create();
	if (!in->publish)
		return error_set(error, -ENOMEM, "no memory");
	publish_listen(in->publish, on_heard, in);
	err = address_parse(at ? at : port, 1, port, &address, error);
	if (!err)
		err = receiver_open(&in->receiver, loop, &address, &options,
				    in->publish, error);
	return err;
}

int reading_input_open(struct reading_input **input, struct loop *loop,
		       const struct reading_input_config *config,
		       struct error *error)
{
	const struct laser_input_config laser = {
		.odometry = wanted(config), .laser = config->laser,
		.patience = config->patience,
	};
	struct reading_input *in = calloc(1, sizeof(*in));
	const char *at;
	int err;

	if (!in)
		return error_set(error, -ENOMEM, "no memory");
	in->config = *config;
	in->odometry = wanted(config);
	snprintf(in->place_topic, sizeof(in->place_topic), "%s%.60s%s",
		 config->robot ? "/" : "", config->robot ? config->robot : "",
		 INITIAL_POSE);
	in->laser = laser_input_new(&laser);
	if (!in->laser)
		err = error_set(error, -ENOMEM, "no memory");
	else if (io_is(config->spec, "optsample", &at))
		err = open_receiver(in, loop, at, error);
	else
		err = input_open_source(in, loop, error);
	if (err) {
		reading_input_close(in);
		return err;
	}
	*input = in;
	return 0;
}

void reading_input_close(struct reading_input *in)
{
	if (!in)
		return;
	source_close(in->source);
	if (in->receiver)
		receiver_close(in->receiver);
	publish_destroy(in->publish);
	laser_input_free(in->laser);
	free(in);
}

struct reading_input_count reading_input_count(const struct reading_input *in)
{
	struct reading_input_count c = in->count;

	laser_input_count(in->laser, &c.laser);
	return c;
}
