// SPDX-License-Identifier: GPL-2.0-only
/*
 * bag - ROS recordings as logs: the choice of topics, and the conversion of
 * their messages by input.h. The pose of the laser on the robot may come late
 * in the recording, so it is searched before reading.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/error.h"
#include "base/text.h"
#include "laser/input.h"
#include "laser/readings_ops.h"
#include "ros/bag/bag.h"

static const int64_t patience = 1000000000;	/* ns */

/**
 * struct bag_readings
 * @kind:	of each topic; -1: not used
 * @scan, @odometry: topics; @odometry -1: tf, or none
 * @source:	of odometry
 * @begin, @end, @at: stamps; @at: of the last message
 * @damaged:	messages that could not be read
 */
struct bag_readings {
	struct readings		r;
	struct bag_reader	*bag;
	const struct bag_topic	*topic;
	unsigned int		topics;
	int			*kind;
	int			scan, odometry;
	enum laser_odometry	source;
	struct laser_input	*input;
	int64_t			begin, end, at;
	uint64_t		damaged;
	bool			ended;
};

static struct bag_readings *bag_of(struct readings *r)
{
	return (struct bag_readings *)r;
}

static void name_list(const struct bag_readings *b, int kind, char *text,
		      size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (unsigned int i = 0; i < b->topics && n < size; i++)
		if (b->kind[i] == kind)
			n += snprintf(text + n, size - n, " %s",
				      b->topic[i].name);
}

/*
 * The topic @name or the only one of that kind. Return: 0 and @found, which is
 * -1 if there is none
 */
static int bag_find_topic(struct bag_readings *b, int kind, const char *name,
			  int *found, struct error *error)
{
	const char *what = kind == MESSAGE_LASER_SCAN ? "scan" : "odometry";
	unsigned int n = 0;
	char names[96];

	*found = -1;
	for (unsigned int i = 0; i < b->topics; i++) {
		if (b->kind[i] != kind ||
		    (name && strcmp(b->topic[i].name, name)))
			continue;
		*found = (int)i;
		n++;
	}
	if (name && !n)
		return readings_error(error, b->r.path, -ENODATA,
				      "no topic %s of %s in it", name,
				      message_type(kind, MESSAGE_CDR));
	if (n < 2 || name)
		return 0;
	name_list(b, kind, names, sizeof(names));
	return readings_error(error, b->r.path, -ENODATA,
			      "several %s topics, select one:%s", what, names);
}

static int bag_read_topics(struct bag_readings *b, struct error *error)
{
	const char *wanted = b->r.without ? NULL : b->r.config.odometry;
	bool tf = false;
	int err;

	b->topic = bag_topics(b->bag, &b->topics);
	b->kind = calloc(b->topics + 1, sizeof(*b->kind));
	if (!b->kind)
		return readings_error(error, b->r.path, -ENOMEM, NULL);
	for (unsigned int i = 0; i < b->topics; i++) {
		b->kind[i] = b->topic[i].format == MESSAGE_OTHER ? -1 :
			     message_any_kind_of(b->topic[i].type);
		tf |= b->kind[i] == MESSAGE_TRANSFORMS;
	}
	err = bag_find_topic(b, MESSAGE_LASER_SCAN, b->r.config.scan, &b->scan,
			     error);
	if (!err && b->scan < 0)
		err = readings_error(error, b->r.path, -ENODATA,
				     "no sensor_msgs/LaserScan in it");
	if (err)
		return err;
	b->odometry = -1;
	b->source = LASER_ODOMETRY_NONE;
	if (b->r.without)
		return 0;
	err = bag_find_topic(b, MESSAGE_ODOMETRY, wanted, &b->odometry, error);
	if (b->odometry >= 0)
		b->source = LASER_ODOMETRY_TOPIC;
	else if (tf)
		b->source = LASER_ODOMETRY_TF;
	return err;
}

/*
 * Messages
 */

/* Return: 0, or -ENOMEM and a line in @error */
static int bag_take(struct bag_readings *b, const struct bag_message *m,
		    struct error *error)
{
	const struct bag_topic *topic = &b->topic[m->topic];
	const int kind = b->kind[m->topic];
	union message msg;

	b->at = m->stamp;
	if (kind != MESSAGE_TRANSFORMS && (int)m->topic != b->scan &&
	    (int)m->topic != b->odometry)
		return 0;
	if (message_read(kind, topic->format, m->data, m->len, &msg)) {
		b->damaged++;
		return 0;
	}
	/* invalid messages are counted there */
	if (laser_input_add(b->input, kind, &msg,
			    text_ends(topic->name, "tf_static"),
			    m->stamp) != -ENOMEM)
		return 0;
	return readings_error(error, b->r.path, -ENOMEM, NULL);
}

static int not_placed(const struct bag_readings *b, struct error *error)
{
	char text[LASER_INPUT_TEXT];

	laser_input_lacks(b->input, text);
	return readings_error(error, b->r.path, -ENODATA, "%s", text);
}

/* There is no tf in an odom frame; or nothing says where the laser is on the
 * robot: then the laser is the robot
 */
static void bag_do_without(struct bag_readings *b)
{
	const char *laser, *robot;

	if (b->source == LASER_ODOMETRY_TF &&
	    laser_input_state(b->input, &laser, &robot) == LASER_INPUT_NO_ROBOT) {
		b->source = LASER_ODOMETRY_NONE;
		laser_input_use(b->input, b->source);
	}
	if (b->source == LASER_ODOMETRY_NONE)
		laser_input_alone(b->input);
}

/* Read until the pose of the laser is known */
static int bag_look_ahead(struct bag_readings *b, struct error *error)
{
	const char *laser, *robot;
	enum laser_input_state state;
	struct bag_message m;
	int ret;

	do {
		ret = bag_next(b->bag, &m);
		if (ret < 0)
			return readings_error(error, b->r.path, ret, NULL);
		if (ret && bag_take(b, &m, error))
			return -ENOMEM;
		state = laser_input_state(b->input, &laser, &robot);
	} while (ret && state != LASER_INPUT_READY &&
		 state != LASER_INPUT_TILTED);
	if (!ret)
		bag_do_without(b);
	state = laser_input_state(b->input, &laser, &robot);
	if (state != LASER_INPUT_READY)
		return not_placed(b, error);
	ret = bag_rewind(b->bag);
	if (!ret)
		ret = laser_input_restart(b->input);
	b->damaged = 0;
	return ret ? readings_error(error, b->r.path, ret, NULL) : 0;
}

/*
 * Operations
 */

static int bag_readings_open(struct readings *r, struct error *error)
{
	struct bag_readings *b = bag_of(r);
	int err = bag_open(&b->bag, r->path);
	struct stat st;

	if (err == -EPROTONOSUPPORT)
		return readings_error(error, r->path, err,
				      "is neither a log of CARMEN, Simbad or "
				      "tinySLAM nor a recording");
	if (err)
		return readings_error(error, r->path, err, err == -EBADMSG ?
				      "damaged recording" : NULL);
	if (!stat(r->path, &st) && S_ISREG(st.st_mode))
		r->count.size = st.st_size;
	err = bag_read_topics(b, error);
	if (err)
		return err;
	if (!bag_span(b->bag, &b->begin, &b->end))
		return readings_error(error, r->path, -ENODATA,
				      "no messages");
	b->input = laser_input_new(&(struct laser_input_config){
		.odometry = b->source, .laser = r->config.laser,
		.patience = patience,
	});
	if (!b->input)
		return readings_error(error, r->path, -ENOMEM, NULL);
	err = bag_look_ahead(b, error);
	b->at = b->begin;
	return err;
}

static int bag_readings_next(struct readings *r, struct reading *reading,
			     struct error *error)
{
	struct bag_readings *b = bag_of(r);
	struct bag_message m;
	int ret;

	while (!laser_input_next(b->input, reading)) {
		ret = b->ended ? 0 : bag_next(b->bag, &m);
		if (ret < 0)
			return readings_error(error, r->path, ret, NULL);
		if (!ret) {
			b->ended = true;
			laser_input_end(b->input);
			return 0;
		}
		ret = bag_take(b, &m, error);
		if (ret)
			return ret;
	}
	return 1;
}

/* The position in the file is unknown: progress is by time */
static void bag_readings_progress(const struct readings *r,
				  struct readings_count *count)
{
	const struct bag_readings *b = (const struct bag_readings *)r;
	const double span = (double)b->end - (double)b->begin;
	struct laser_input_count input;
	const double share = span > 0 ? ((double)b->at - b->begin) / span : 0;

	laser_input_count(b->input, &input);
	count->bad += b->damaged + input.bad;
	count->unpaired = input.dropped;
	count->unswept = input.unswept;
	count->standing = input.standing;
	count->bytes = b->ended || share >= 1 ? count->size : share <= 0 ? 0 :
		       (uint64_t)(share * count->size);
}

static void bag_readings_close(struct readings *r)
{
	struct bag_readings *b = bag_of(r);

	laser_input_free(b->input);
	free(b->kind);
	bag_close(b->bag);
}

const struct readings_ops bag_readings_ops = {
	.size		= sizeof(struct bag_readings),
	.open		= bag_readings_open,
	.next		= bag_readings_next,
	.progress	= bag_readings_progress,
	.close		= bag_readings_close,
};
