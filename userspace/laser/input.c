// SPDX-License-Identifier: GPL-2.0-only
/*
 * input - convert ROS messages to readings
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "laser/input.h"

/**
 * struct laser_input
 * @laser, @robot: frames; empty: not known yet
 * @frames:	only until @state is LASER_INPUT_READY
 * @place:	of the laser; @turned: it is mounted upside down
 * @alone:	without a transform the laser is the robot
 * @range:	of the current scan
 */
struct laser_input {
	enum laser_odometry	odometry;
	bool			given, turned, alone;
	int64_t			patience;
	enum laser_input_state	state;
	char			laser[TF_FRAME_NAME], robot[TF_FRAME_NAME];
	struct tf_frames	frames;
	struct pose		place;
	struct collator		*collator;
	struct laser_input_count	count;
	float			range[READING_BEAMS_MAX];
};

struct laser_input *laser_input_new(const struct laser_input_config *config)
{
	struct laser_input *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->collator = collator_new(config->patience);
	if (!in->collator) {
		free(in);
		return NULL;
	}
	in->patience = config->patience;
	in->state = LASER_INPUT_NO_LASER;
	if (config->laser) {
		in->given = true;
		in->place = *config->laser;
	}
	laser_input_use(in, config->odometry);
	return in;
}

void laser_input_free(struct laser_input *in)
{
	if (!in)
		return;
	collator_free(in->collator);
	free(in);
}

static int64_t stamp_of(const struct message_header *h, int64_t received)
{
	return h->stamp ? h->stamp : received;
}

/*
 * Pose of the laser
 */

/* base_link, ns/base_link */
static bool is_robot(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;

	return !strcmp(last, "base_link") || !strcmp(last, "base_footprint");
}

/* Without odometry nothing names the robot's frame */
static bool guess_robot(struct laser_input *in)
{
	struct placement place;

	for (unsigned int i = 0; i < in->frames.count && !*in->robot; i++) {
		const char *name = in->frames.frame[i].name;

		if (is_robot(name) &&
		    tf_find(&in->frames, in->laser, name, &place))
			strcpy(in->robot, name);
	}
	if (*in->robot)
		return true;
	if (in->alone)
		strcpy(in->robot, in->laser);
	return in->alone;
}

static enum laser_input_state input_look(struct laser_input *in)
{
	struct placement place;

	/*
	 * odometry of a topic is of the robot, whatever the name of its frame
	 */
	if (in->given)
		return in->odometry != LASER_ODOMETRY_TF || *in->robot ?
		       LASER_INPUT_READY : LASER_INPUT_NO_ROBOT;
	if (!*in->laser)
		return in->alone ? LASER_INPUT_READY : LASER_INPUT_NO_LASER;
	if (!*in->robot && in->odometry == LASER_ODOMETRY_NONE &&
	    !guess_robot(in))
		return LASER_INPUT_NO_WAY;
	if (!*in->robot)
		return LASER_INPUT_NO_ROBOT;
	if (!strcmp(in->laser, in->robot))
		return LASER_INPUT_READY;
	if (!tf_find(&in->frames, in->laser, in->robot, &place))
		return LASER_INPUT_NO_WAY;
	return placement_pose(&place, &in->place, &in->turned) ?
	       LASER_INPUT_READY : LASER_INPUT_TILTED;
}

enum laser_input_state laser_input_state(const struct laser_input *in,
					 const char **laser, const char **robot)
{
	*laser = in->laser;
	*robot = in->robot;
	return in->state;
}

void laser_input_lacks(const struct laser_input *in,
		       char text[LASER_INPUT_TEXT])
{
	switch (in->state) {
	case LASER_INPUT_READY:
		*text = '\0';
		break;
	case LASER_INPUT_NO_LASER:
		snprintf(text, LASER_INPUT_TEXT,
			 "no scan with a frame_id");
		break;
	case LASER_INPUT_NO_ROBOT:
		snprintf(text, LASER_INPUT_TEXT,
			 in->odometry == LASER_ODOMETRY_TOPIC ?
			 "no odometry with a child_frame_id" :
			 "no odometry: tf has no frame odom");
		break;
	case LASER_INPUT_TILTED:
		snprintf(text, LASER_INPUT_TEXT,
			 "the laser (%.60s) is not level", in->laser);
		break;
	case LASER_INPUT_NO_WAY:
		snprintf(text, LASER_INPUT_TEXT,
			 "no transform of the laser (%.40s) on the robot "
			 "(%.40s)",
			 in->laser, *in->robot ? in->robot : "base_link");
		break;
	}
}

static bool is_odom(const struct message_string *s)
{
	char name[TF_FRAME_NAME];

	return frame_name(name, s) &&
	       (!strcmp(name, "odom") || text_ends(name, "/odom") ||
		text_ends(name, "_odom") || !strncmp(name, "odom_", 5));
}

/*
 * Messages
 */

static int input_add_pose(struct laser_input *in, int64_t stamp,
			  const double position[3], const double orientation[4])
{
	struct placement place;
	struct pose pose;
	bool turned;

	if (!placement_make(&place, position, orientation) ||
	    !placement_pose(&place, &pose, &turned) || turned)
		return -EINVAL;
	in->count.poses++;
	return collator_add_odometry(in->collator, stamp, &pose);
}

static int add_odometry(struct laser_input *in,
			const struct message_odometry *o, int64_t received)
{
	if (in->odometry != LASER_ODOMETRY_TOPIC)
		return 0;
	if (!*in->robot)
		frame_name(in->robot, &o->child_frame_id);
	return input_add_pose(in, stamp_of(&o->header, received),
			      o->pose.position, o->pose.orientation);
}

static int add_transform(struct laser_input *in,
			 const struct message_transform *t, bool fixed,
			 int64_t received)
{
	char child[TF_FRAME_NAME];
	int err = 0;

	if (in->state != LASER_INPUT_READY && tf_add(&in->frames, t))
		err = -EINVAL;
	if (in->odometry != LASER_ODOMETRY_TF || fixed || !is_odom(&t->header.frame_id) ||
	    !frame_name(child, &t->child_frame_id))
		return err;
	if (!*in->robot)
		strcpy(in->robot, child);
	if (strcmp(in->robot, child))
		return err;
	return input_add_pose(in, stamp_of(&t->header, received),
			      t->translation, t->rotation);
}

static int add_transforms(struct laser_input *in,
			  const struct message_transforms *m, bool fixed,
			  int64_t received)
{
	struct message_list rest = m->transforms;
	struct message_transform t;
	int err = 0;

	while (message_next_transform(&rest, &t))
		if (add_transform(in, &t, fixed, received))
			err = -EINVAL;
	return err;
}

/* Whether the pose of the laser is known; the first scan names its frame */
static bool is_placed(struct laser_input *in, const char *frame)
{
	if (!*in->laser)
		strcpy(in->laser, frame);
	if (in->state != LASER_INPUT_READY)
		in->state = input_look(in);
	return in->state == LASER_INPUT_READY;
}

static int input_add_scan(struct laser_input *in,
			  const struct message_laser_scan *s, int64_t received)
{
	char frame[TF_FRAME_NAME] = "";
	struct reading r;
	float sign;

	frame_name(frame, &s->header.frame_id);
	if ((*in->laser && strcmp(frame, in->laser)) || !s->ranges.count ||
	    s->ranges.count > READING_BEAMS_MAX)
		return -EINVAL;
	if (!is_placed(in, frame)) {
		in->count.dropped++;
		return 0;
	}
	sign = in->turned ? -1 : 1;
	r = (struct reading){
		.stamp = stamp_of(&s->header, received), .laser = in->place,
		.beams = s->ranges.count, .angle_min = sign * s->angle_min,
		.angle_increment = sign * s->angle_increment,
		.time_increment = s->time_increment,
		/* may be infinite */
		.range_max = s->range_max > READING_RANGE_MAX ?
			     READING_RANGE_MAX : s->range_max,
		.range = in->range,
	};
	for (uint32_t i = 0; i < r.beams; i++) {
		const float v = message_float(&s->ranges, i);

		in->range[i] = v < s->range_min ? 0 : v;
	}
	return collator_add_scan(in->collator, &r);
}

int laser_input_add(struct laser_input *in, enum message_kind kind,
		    const union message *msg, bool fixed, int64_t received)
{
	int err = 0;

	switch ((int)kind) {
	case MESSAGE_LASER_SCAN:
		err = input_add_scan(in, &msg->scan, received);
		break;
	case MESSAGE_ODOMETRY:
		err = add_odometry(in, &msg->odometry, received);
		break;
	case MESSAGE_TRANSFORMS:
		err = add_transforms(in, &msg->tf, fixed, received);
		break;
	default:
		return 0;
	}
	if (in->state != LASER_INPUT_READY)
		in->state = input_look(in);
	in->count.bad += err == -EINVAL;
	return err;
}

bool laser_input_next(struct laser_input *in, struct reading *reading)
{
	return collator_next(in->collator, reading);
}

void laser_input_use(struct laser_input *in, enum laser_odometry odometry)
{
	in->odometry = odometry;
	collator_without(in->collator, odometry == LASER_ODOMETRY_NONE);
	if (in->state != LASER_INPUT_READY)
		in->state = input_look(in);
}

void laser_input_alone(struct laser_input *in)
{
	in->alone = true;
	if (in->state != LASER_INPUT_READY)
		in->state = input_look(in);
}

void laser_input_end(struct laser_input *in)
{
	collator_end(in->collator);
}

int laser_input_restart(struct laser_input *in)
{
	struct collator *p = collator_new(in->patience);

	if (!p)
		return -ENOMEM;
	collator_free(in->collator);
	in->collator = p;
	collator_without(p, in->odometry == LASER_ODOMETRY_NONE);
	in->count = (struct laser_input_count){ 0 };
	return 0;
}

void laser_input_count(const struct laser_input *in,
		       struct laser_input_count *count)
{
	struct collator_count collator;

	collator_count(in->collator, &collator);
	*count = in->count;
	count->given = collator.given;
	count->dropped += collator.dropped;
	count->unswept = collator.unswept;
	count->standing = collator.standing;
}
