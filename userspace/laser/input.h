/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - messages of ROS become readings, from files or from topics
 *
 * In: LaserScan of one topic, tf and tf_static, and Odometry of one topic if
 * there is one. Out: scans with odometry, and with the place of the laser.
 *
 * The robot is the child_frame_id of Odometry or, without such a topic, what
 * tf has in a frame called odom (ns/odom, odom_combined, ...). Where the laser
 * is on it is taken from tf when it is first known; scans from before that
 * are dropped and counted. A laser that hangs upside down is turned around:
 * then its angles go the other way. Stamps are those of the headers.
 */
#ifndef LASER_INPUT_H
#define LASER_INPUT_H

#include "laser/collator.h"
#include "laser/tf.h"
#include "ros/msg/message.h"

enum { INTAKE_TEXT = 144 };

/**
 * struct intake_config
 * @odometry:	messages of Odometry come; else it is tf that is followed
 * @laser:	where the laser is on the robot, copied; NULL: as tf says
 * @patience:	as for pairing_new()
 */
struct intake_config {
	bool			odometry;
	const struct pose	*laser;
	int64_t			patience;
};

/* What is missing until scans can be placed */
enum intake_state {
	INTAKE_READY,
	INTAKE_NO_LASER,	/* no scan said in which frame it is */
	INTAKE_NO_ROBOT,	/* no odometry said which frame the robot is */
	INTAKE_NO_WAY,		/* from one to the other */
	INTAKE_TILTED,		/* the laser is not level */
};

/**
 * struct intake_count
 * @given:	readings
 * @dropped:	scans without odometry near them, or from before it was known
 *		where the laser is
 * @bad:	messages with numbers or frames that cannot be
 * @unswept:	of those given, scans that took a while, but there is no odometry
 *		of their end
 */
struct intake_count {
	uint64_t	given, dropped, bad, unswept;
};

struct intake;

/* Return: NULL: no memory */
struct intake *intake_new(const struct intake_config *config);

void intake_free(struct intake *in);

/**
 * intake_add() - a message
 * @kind:	MESSAGE_LASER_SCAN, _ODOMETRY or _TRANSFORMS; others are not
 *		looked at
 * @fixed:	of tf_static
 * @received:	ns, counts where nobody filled in the stamp of a header
 *
 * Return: 0; -EINVAL: something in it cannot be, and was counted; -ENOMEM.
 */
int intake_add(struct intake *in, enum message_kind kind,
	       const union message *msg, bool fixed, int64_t received);

/* Return: whether there is one; @reading is good until the next call */
bool intake_next(struct intake *in, struct reading *reading);

/* Nothing more comes: scans that wait are dropped */
void intake_end(struct intake *in);

/* What is missing yet; @laser and @robot get the frames, empty: not known */
enum intake_state intake_state(const struct intake *in, const char **laser,
			       const char **robot);

/* What is missing, or wrong with it, for people: "no ..." */
void intake_lacks(const struct intake *in, char text[INTAKE_TEXT]);

/**
 * intake_restart() - forget all but where the laser is
 *
 * For those who looked ahead for that. Return: 0 or -ENOMEM.
 */
int intake_restart(struct intake *in);

void intake_count(const struct intake *in, struct intake_count *count);

#endif
