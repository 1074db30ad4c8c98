/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - convert ROS messages to readings, from files or from topics
 *
 * In: LaserScan of one topic, tf and tf_static, and Odometry of one topic if
 * there is one. Out: scans with odometry, and with the pose of the laser.
 *
 * The robot is the child_frame_id of Odometry or, without such a topic, the
 * frame that tf has in a frame called odom (ns/odom, odom_combined, ...). A
 * robot without odometry is the frame base_link or base_footprint; if tf has
 * neither, its laser is the robot. The pose of the laser on the robot is taken
 * from tf once it is known; earlier scans are dropped and counted. The angles of a laser that is mounted upside down are
 * reversed. Stamps are those of the headers.
 */
#ifndef LASER_INPUT_H
#define LASER_INPUT_H

#include "laser/collator.h"
#include "laser/tf.h"
#include "ros/msg/message.h"

enum { LASER_INPUT_TEXT = 144 };

/* Where odometry comes from */
enum laser_odometry {
	LASER_ODOMETRY_TF,
	LASER_ODOMETRY_TOPIC,
	LASER_ODOMETRY_NONE,
};

/**
 * struct laser_input_config
 * @odometry:	its source
 * @laser:	pose of the laser on the robot, copied; NULL: from tf
 * @patience:	as for collator_new()
 */
struct laser_input_config {
	enum laser_odometry	odometry;
	const struct pose	*laser;
	int64_t			patience;
};

/* What is missing until scans can be placed */
enum laser_input_state {
	LASER_INPUT_READY,
	LASER_INPUT_NO_LASER,	/* no scan named the frame of the laser */
	LASER_INPUT_NO_ROBOT,	/* no odometry named the frame of the robot */
	LASER_INPUT_NO_WAY,	/* no transform from one to the other */
	LASER_INPUT_TILTED,	/* the laser is not level */
};

/**
 * struct laser_input_count
 * @given:	readings
 * @dropped:	scans without odometry near them, or before the pose of the
 *		laser was known
 * @bad:	messages with invalid numbers or frames
 * @unswept:	of those given, scans with a duration, but without odometry of
 *		their end
 * @standing:	of those given, scans without odometry: LASER_ODOMETRY_NONE
 * @poses:	of odometry that came
 */
struct laser_input_count {
	uint64_t	given, dropped, bad, unswept, standing, poses;
};

struct laser_input;

/* Return: NULL: no memory */
struct laser_input *laser_input_new(const struct laser_input_config *config);

void laser_input_free(struct laser_input *in);

/**
 * laser_input_add() - add a message
 * @kind:	MESSAGE_LASER_SCAN, _ODOMETRY or _TRANSFORMS; others are
 *		ignored
 * @fixed:	of tf_static
 * @received:	ns, used if the stamp of the header is 0
 *
 * Return: 0; -EINVAL: the message is invalid, and was counted; -ENOMEM.
 */
int laser_input_add(struct laser_input *in, enum message_kind kind,
		    const union message *msg, bool fixed, int64_t received);

/* Return: whether there is one; @reading is valid until the next call */
bool laser_input_next(struct laser_input *in, struct reading *reading);

/* Change the source of odometry */
void laser_input_use(struct laser_input *in, enum laser_odometry odometry);

/* No more transforms will come: without odometry the laser is the robot */
void laser_input_alone(struct laser_input *in);

/* The end of the input: waiting scans are dropped */
void laser_input_end(struct laser_input *in);

/* The state; @laser and @robot get the frames, empty: unknown */
enum laser_input_state laser_input_state(const struct laser_input *in,
					 const char **laser,
					 const char **robot);

/* What is missing or wrong, for people: "no ..." */
void laser_input_lacks(const struct laser_input *in,
		       char text[LASER_INPUT_TEXT]);

/**
 * laser_input_restart() - forget all but the pose of the laser
 *
 * After a look-ahead for that pose. Return: 0 or -ENOMEM.
 */
int laser_input_restart(struct laser_input *in);

void laser_input_count(const struct laser_input *in,
		       struct laser_input_count *count);

#endif
