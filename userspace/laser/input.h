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

enum { LASER_INPUT_TEXT = 144 };

/**
 * struct laser_input_config
 * @odometry:	messages of Odometry come; else it is tf that is followed
 * @laser:	where the laser is on the robot, copied; NULL: as tf says
 * @patience:	as for collator_new()
 */
struct laser_input_config {
	bool			odometry;
	const struct pose	*laser;
	int64_t			patience;
};

/* What is missing until scans can be placed */
enum laser_input_state {
	LASER_INPUT_READY,
	LASER_INPUT_NO_LASER,	/* no scan said in which frame it is */
	LASER_INPUT_NO_ROBOT,	/* no odometry said which frame the robot is */
	LASER_INPUT_NO_WAY,	/* from one to the other */
	LASER_INPUT_TILTED,	/* the laser is not level */
};

/**
 * struct laser_input_count
 * @given:	readings
 * @dropped:	scans without odometry near them, or from before it was known
 *		where the laser is
 * @bad:	messages with numbers or frames that cannot be
 * @unswept:	of those given, scans that took a while, but there is no odometry
 *		of their end
 */
struct laser_input_count {
	uint64_t	given, dropped, bad, unswept;
};

struct laser_input;

/* Return: NULL: no memory */
struct laser_input *laser_input_new(const struct laser_input_config *config);

void laser_input_free(struct laser_input *in);

/**
 * laser_input_add() - a message
 * @kind:	MESSAGE_LASER_SCAN, _ODOMETRY or _TRANSFORMS; others are not
 *		looked at
 * @fixed:	of tf_static
 * @received:	ns, counts where nobody filled in the stamp of a header
 *
 * Return: 0; -EINVAL: something in it cannot be, and was counted; -ENOMEM.
 */
int laser_input_add(struct laser_input *in, enum message_kind kind,
		    const union message *msg, bool fixed, int64_t received);

/* Return: whether there is one; @reading is good until the next call */
bool laser_input_next(struct laser_input *in, struct reading *reading);

/* Nothing more comes: scans that wait are dropped */
void laser_input_end(struct laser_input *in);

/* What is missing yet; @laser and @robot get the frames, empty: not known */
enum laser_input_state laser_input_state(const struct laser_input *in,
					 const char **laser,
					 const char **robot);

/* What is missing, or wrong with it, for people: "no ..." */
void laser_input_lacks(const struct laser_input *in,
		       char text[LASER_INPUT_TEXT]);

/**
 * laser_input_restart() - forget all but where the laser is
 *
 * For those who looked ahead for that. Return: 0 or -ENOMEM.
 */
int laser_input_restart(struct laser_input *in);

void laser_input_count(const struct laser_input *in,
		       struct laser_input_count *count);

#endif
