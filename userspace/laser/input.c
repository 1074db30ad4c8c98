// SPDX-License-Identifier: GPL-2.0-only
/*
 * intake - messages of ROS become readings
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "laser/input.h"

/**
 * struct intake
 * @laser, @robot: frames; empty: not known yet
 * @frames:	only until @state is INTAKE_READY
 * @place:	of the laser; @turned: it hangs upside down
 * @range:	of the scan that is taken
 */
struct intake {
	bool			odometry, given, turned;
	int64_t			patience;
	enum intake_state	state;
	char			laser[FRAMES_NAME], robot[FRAMES_NAME];
	struct frames		frames;
	struct pose		place;
	struct pairing		*pairing;
	struct intake_count	count;
	float			range[READING_BEAMS_MAX];
};

struct intake *intake_new(const struct intake_config *config)
{
	struct intake *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->pairing = pairing_new(config->patience);
	if (!in->pairing) {
		free(in);
		return NULL;
	}
	in->odometry = config->odometry;
	in->patience = config->patience;
	in->state = INTAKE_NO_LASER;
	if (config->laser) {
		in->given = true;
		in->place = *config->laser;
	}
	return in;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	pairing_free(in->pairing);
	free(in);
}

static int64_t stamp_of(const struct message_header *h, int64_t received)
{
	return h->stamp ? h->stamp : received;
}

/*
 * Where the laser is
 */

static enum intake_state input_look(struct intake *in)
{
	struct placement place;

	/* odometry of a topic is of the robot, whatever its frame is called */
	if (in->given)
		return in->odometry || *in->robot ? INTAKE_READY :
						    INTAKE_NO_ROBOT;
	if (!*in->laser)
		return INTAKE_NO_LASER;
	if (!*in->robot)
		return INTAKE_NO_ROBOT;
	if (!strcmp(in->laser, in->robot))
		return INTAKE_READY;
	if (!frames_find(&in->frames, in->laser, in->robot, &place))
		return INTAKE_NO_WAY;
	return placement_pose(&place, &in->place, &in->turned) ?
	       INTAKE_READY : INTAKE_TILTED;
}

enum intake_state intake_state(const struct intake *in, const char **laser,
			       const char **robot)
{
	*laser = in->laser;
	*robot = in->robot;
	return in->state;
}

void intake_lacks(const struct intake *in, char text[INTAKE_TEXT])
{
	switch (in->state) {
	case INTAKE_READY:
		*text = '\0';
		break;
	case INTAKE_NO_LASER:
		snprintf(text, INTAKE_TEXT,
			 "no scan that says which frame it is in");
		break;
	case INTAKE_NO_ROBOT:
		snprintf(text, INTAKE_TEXT, in->odometry ?
			 "no odometry that says which frame the robot is" :
			 "no odometry: tf has no frame odom");
		break;
	case INTAKE_TILTED:
		snprintf(text, INTAKE_TEXT, "the laser (%.60s) is not level",
			 in->laser);
		break;
	case INTAKE_NO_WAY:
		snprintf(text, INTAKE_TEXT,
			 "nothing says where the laser (%.40s) is on the robot (%.40s)",
			 in->laser, in->robot);
		break;
	}
}

static bool is_odom(const struct message_string *s)
{
	char name[FRAMES_NAME];

	return frame_name(name, s) &&
	       (!strcmp(name, "odom") || text_ends(name, "/odom") ||
		text_ends(name, "_odom") || !strncmp(name, "odom_", 5));
}

/*
 * Messages
 */

static int input_add_pose(struct intake *in, int64_t stamp,
			  const double position[3], const double orientation[4])
{
	struct placement place;
	struct pose pose;
	bool turned;

	if (!placement_make(&place, position, orientation) ||
	    !placement_pose(&place, &pose, &turned) || turned)
		return -EINVAL;
	return pairing_add_odometry(in->pairing, stamp, &pose);
}

static int add_odometry(struct intake *in, const struct message_odometry *o,
			int64_t received)
{
	if (!in->odometry)
		return 0;
	if (!*in->robot)
		frame_name(in->robot, &o->child_frame_id);
	return input_add_pose(in, stamp_of(&o->header, received),
			      o->pose.position, o->pose.orientation);
}

static int add_transform(struct intake *in, const struct message_transform *t,
			 bool fixed, int64_t received)
{
	char child[FRAMES_NAME];
	int err = 0;

	if (in->state != INTAKE_READY && frames_add(&in->frames, t))
		err = -EINVAL;
	if (in->odometry || fixed || !is_odom(&t->header.frame_id) ||
	    !frame_name(child, &t->child_frame_id))
		return err;
	if (!*in->robot)
		strcpy(in->robot, child);
	if (strcmp(in->robot, child))
		return err;
	return input_add_pose(in, stamp_of(&t->header, received),
			      t->translation, t->rotation);
}

static int add_transforms(struct intake *in, const struct message_transforms *m,
			  bool fixed, int64_t received)
{
	struct message_list rest = m->transforms;
	struct message_transform t;
	int err = 0;

	while (message_next_transform(&rest, &t))
		if (add_transform(in, &t, fixed, received))
			err = -EINVAL;
	return err;
}

/* Whether it is known where the laser is; the first scan says which it is */
static bool is_placed(struct intake *in, const char *frame)
{
	if (!*in->laser)
		strcpy(in->laser, frame);
	if (in->state != INTAKE_READY)
		in->state = input_look(in);
	return in->state == INTAKE_READY;
}

static int input_add_scan(struct intake *in, const struct message_laser_scan *s,
			  int64_t received)
{
	char frame[FRAMES_NAME] = "";
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
		/* some say infinite */
		.range_max = s->range_max > READING_RANGE_MAX ?
			     READING_RANGE_MAX : s->range_max,
		.range = in->range,
	};
	for (uint32_t i = 0; i < r.beams; i++) {
		const float v = message_float(&s->ranges, i);

		in->range[i] = v < s->range_min ? 0 : v;
	}
	return pairing_add_scan(in->pairing, &r);
}

int intake_add(struct intake *in, enum message_kind kind,
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
	if (in->state != INTAKE_READY)
		in->state = input_look(in);
	in->count.bad += err == -EINVAL;
	return err;
}

bool intake_next(struct intake *in, struct reading *reading)
{
	return pairing_next(in->pairing, reading);
}

void intake_end(struct intake *in)
{
	pairing_end(in->pairing);
}

int intake_restart(struct intake *in)
{
	struct pairing *p = pairing_new(in->patience);

	if (!p)
		return -ENOMEM;
	pairing_free(in->pairing);
	in->pairing = p;
	in->count = (struct intake_count){ 0 };
	return 0;
}

void intake_count(const struct intake *in, struct intake_count *count)
{
	struct pairing_count pairing;

	pairing_count(in->pairing, &pairing);
	*count = in->count;
	count->given = pairing.given;
	count->dropped += pairing.dropped;
	count->unswept = pairing.unswept;
}
