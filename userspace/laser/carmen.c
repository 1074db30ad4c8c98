// SPDX-License-Identifier: GPL-2.0-only
/*
 * carmen - logs of the CARMEN toolkit and of compatible programs
 *
 *	ODOM x y theta tv rv accel ...
 *	FLASER n range*n  laser: x y theta  robot: x y theta ...
 *	ROBOTLASER1 type start fov resolution range_max accuracy remissions
 *		n range*n m remission*m  laser: x y theta  robot: x y theta
 *		tv rv safety: front side  turn_axis ...
 *	PARAM name value ...
 *
 * and then the time, the host and the time of the logger. The first time and
 * the second pose, which is odometry, are used. (In corrected logs the first
 * pose of a FLASER is the corrected one: it gives the pose of the laser on the
 * robot only in the first scan, and PARAM robot_frontlaser_offset takes
 * precedence.) The range that means "no hit" is detected in the first 64 MB,
 * unless PARAM robot_front_laser_max or ROBOTLASER1 gives a smaller one.
 *
 * A FLASER has its own odometry; an ODOM next to it with the same time and pose
 * is left out. Other lines, also those of a second laser at the rear (RLASER,
 * ROBOTLASER2), are skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "laser/carmen_laser.h"
#include "laser/readings_ops.h"

enum { LOOK_AHEAD = 64 << 20 };	/* bytes */

static const double offset_most = 1;	/* m, of the laser on a robot */

enum line { OTHER, ODOM, FLASER, ROBOTLASER, PARAM, BAD };

/**
 * struct carmen
 * @fov, @resolution, @range_max, @offset: of PARAMs (degrees, m); 0: not
 *	given, @offset: NAN
 * @unusable:	invalid FLASERs in the look-ahead
 * @detected:	smallest range that means "no hit"
 * @laser:	if @placed, of FLASERs
 * @next:	read already, if @has_next
 * @scan:	the one before, if @has_scan
 */
struct carmen {
	struct readings	r;
	double		fov, resolution, range_max, offset;
	float		detected;
	uint64_t	unusable;
	struct pose	laser;
	bool		placed, has_next, has_scan;
	struct reading	next, scan;
};

static struct carmen *carmen_of(struct readings *r)
{
	return (struct carmen *)r;
}

/*
 * Lines
 */

static bool is_word(const char *text, const char *word, size_t len)
{
	return !strncmp(text, word, len) &&
	       (text[len] == ' ' || text[len] == '\t');
}

/* The type of a line; @text gets the rest after its name */
static enum line carmen_kind_of(const char **text)
{
	static const struct {
		const char	*name;
		size_t		len;
		enum line	line;
	} names[] = {
		{ "ODOM", 4, ODOM }, { "FLASER", 6, FLASER },
		{ "ROBOTLASER1", 11, ROBOTLASER }, { "PARAM", 5, PARAM },
	};
	const char *p = *text;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!is_word(p, names[i].name, names[i].len))
			continue;
		*text = p + names[i].len;
		return names[i].line;
	}
	return *p == '#' || (*p >= 'A' && *p <= 'Z') ? OTHER : BAD;
}

static bool carmen_probe(const char *head, size_t len)
{
	const char *end = head + len;

	if (len > 14 && !memcmp(head, "# message_name", 14))
		return true;
	for (const char *p = head; p && p < end;) {
		const char *text = p;
		enum line line = carmen_kind_of(&text);
		double v;

		/* a NUL ends a text: the rest is ignored */
		if (line == PARAM || (line != OTHER && line != BAD &&
				      number_read(&text, &v)))
			return true;
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	return false;
}

static bool carmen_read_pose(const char **at, struct pose *p)
{
	if (!number_within(at, POSE_MAX, &p->x) ||
	    !number_within(at, POSE_MAX, &p->y) ||
	    !number_within(at, POSE_MAX, &p->yaw))
		return false;
	p->yaw = remainder(p->yaw, 2 * M_PI);
	return true;
}

static bool skip_numbers(const char **at, unsigned int count)
{
	double v;

	while (count--)
		if (!number_read(at, &v))
			return false;
	return true;
}

/* If the file ends in the middle of it, a number may be incomplete */
static bool read_time(const struct carmen *c, const char **at, int64_t *stamp)
{
	return number_stamp(at, 9, stamp) && (**at || c->r.lines.whole);
}

static bool read_odom(struct carmen *c, const char *at, struct reading *r)
{
	return carmen_read_pose(&at, &r->odometry) && skip_numbers(&at, 3) &&
	       read_time(c, &at, &r->stamp);
}

static bool read_ranges(struct carmen *c, const char **at, struct reading *r)
{
	return number_count(at, READING_BEAMS_MAX, &r->beams) && r->beams &&
	       readings_ranges(&c->r, at, r->beams);
}

/* The pose of the laser of FLASERs */
static struct pose carmen_place(struct carmen *c, const struct pose *laser,
				const struct pose *robot)
{
	struct pose p;

	if (!isnan(c->offset))
		return (struct pose){ c->offset, 0, 0 };
	if (!c->placed) {
		p = pose_between(robot, laser);
		if (hypot(p.x, p.y) <= offset_most)
			c->laser = p;
		c->placed = true;
	}
	return c->laser;
}

static bool read_flaser(struct carmen *c, const char *at, struct reading *r)
{
	struct pose laser;

	if (!read_ranges(c, &at, r) || !carmen_read_pose(&at, &laser) ||
	    !carmen_read_pose(&at, &r->odometry) ||
	    !read_time(c, &at, &r->stamp))
		return false;
	r->laser = carmen_place(c, &laser, &r->odometry);
	carmen_angles(r, c->fov, c->resolution);
	r->range_max = c->detected;
	if (c->range_max > 0 && c->range_max < c->detected)
		r->range_max = (float)c->range_max;
	return true;
}

static bool read_robotlaser(struct carmen *c, const char *at, struct reading *r)
{
	double start, resolution, range_max;
	unsigned int remissions;
	struct pose laser;

	if (!skip_numbers(&at, 1) || !number_within(&at, 4 * M_PI, &start) ||
	    !skip_numbers(&at, 1) ||
	    !number_within(&at, 2 * M_PI, &resolution) ||
	    !number_read(&at, &range_max) || !skip_numbers(&at, 2) ||
	    !read_ranges(c, &at, r) ||
	    !number_count(&at, READING_BEAMS_MAX, &remissions) ||
	    !skip_numbers(&at, remissions) || !carmen_read_pose(&at, &laser) ||
	    !carmen_read_pose(&at, &r->odometry) || !skip_numbers(&at, 5) ||
	    !read_time(c, &at, &r->stamp))
		return false;
	r->angle_min = (float)start;
	r->angle_increment = (float)resolution;
	r->range_max = readings_range_max(range_max);
	r->laser = pose_between(&r->odometry, &laser);
	return true;
}

static void read_param(struct carmen *c, const char *at)
{
	const struct {
		const char	*name;
		double		*value;
	} params[] = {
		{ "robot_frontlaser_offset", &c->offset },
		{ "robot_front_laser_max", &c->range_max },
		{ "laser_front_laser_fov", &c->fov },
		{ "laser_front_laser_resolution", &c->resolution },
	};
	double v;

	at += strspn(at, " \t");
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		const size_t n = strlen(params[i].name);

		if (!is_word(at, params[i].name, n))
			continue;
		at += n;
		if (number_within(&at, READING_RANGE_MAX, &v))
			*params[i].value = v;
		else
			c->r.count.bad++;
		return;
	}
}

/*
 * Readings
 */

/* The next line that is a reading. Return: as readings_next() */
static int carmen_fetch(struct carmen *c, struct reading *r,
			struct error *error)
{
	const char *at;
	char *text;
	size_t len;
	bool good;
	int ret;

	while ((ret = readings_line(&c->r, &text, &len, error)) == 1) {
		*r = (struct reading){ .range = c->r.range };
		at = text + strspn(text, " \t");
		good = false;
		switch (carmen_kind_of(&at)) {
		case OTHER:
			continue;
		case PARAM:
			read_param(c, at);
			continue;
		case ODOM:
			good = read_odom(c, at, r);
			break;
		case FLASER:
			good = read_flaser(c, at, r);
			break;
		case ROBOTLASER:
			good = read_robotlaser(c, at, r);
			break;
		case BAD:
			break;
		}
		if (good)
			return 1;
		c->r.count.bad++;
	}
	return ret;
}

static bool same_place(const struct reading *a, const struct reading *b)
{
	return a->stamp == b->stamp && a->odometry.x == b->odometry.x &&
	       a->odometry.y == b->odometry.y &&
	       a->odometry.yaw == b->odometry.yaw;
}

/* Without the odometry that repeats the scan before */
static int carmen_take(struct carmen *c, struct reading *r,
		       struct error *error)
{
	int ret;

	if (c->has_next) {
		*r = c->next;
		c->has_next = false;
		return 1;
	}
	do
		ret = carmen_fetch(c, r, error);
	while (ret == 1 && !r->beams && c->has_scan &&
	       same_place(r, &c->scan));
	return ret;
}

static int carmen_next(struct readings *readings, struct reading *r,
		       struct error *error)
{
	struct carmen *c = carmen_of(readings);
	int ret = carmen_take(c, r, error);

	if (ret != 1)
		return ret;
	c->has_scan = false;
	if (!r->beams) {
		/* the next scan may repeat it too; its ranges stay */
		ret = carmen_fetch(c, &c->next, error);
		if (ret < 0)
			return ret;
		if (ret && c->next.beams && same_place(r, &c->next))
			*r = c->next;
		else
			c->has_next = ret;
	}
	if (r->beams) {
		c->has_scan = true;
		c->scan = *r;
	}
	return 1;
}

/*
 * Look-ahead: detect "no hit", and whether there are scans at all
 */

static void carmen_look_at(struct carmen *c, struct carmen_peak *peak,
			   const char *text, unsigned int *scans)
{
	unsigned int n;

	text += strspn(text, " \t");
	switch (carmen_kind_of(&text)) {
	case ROBOTLASER:
		(*scans)++;
		break;
	case FLASER:
		if (!number_count(&text, READING_BEAMS_MAX, &n) ||
		    !readings_ranges(&c->r, &text, n)) {
			c->unusable++;
			break;
		}
		carmen_peak_add(peak, c->r.range, n);
		(*scans)++;
		break;
	default:
		break;
	}
}

static int carmen_look_ahead(struct carmen *c, struct carmen_peak *peak,
			     struct error *error)
{
	unsigned int scans = 0;
	char *text;
	size_t len;
	int ret = 1;

	while (ret == 1 && (c->r.lines.bytes < LOOK_AHEAD || !scans)) {
		ret = readings_line(&c->r, &text, &len, error);
		if (ret == 1)
			carmen_look_at(c, peak, text, &scans);
	}
	if (ret < 0)
		return ret;
	if (!scans && (c->unusable || c->r.count.bad))
		return readings_error(error, c->r.path, -ENODATA,
				      "no usable scan: %llu FLASER lines are "
				      "damaged or have more than %d beams, "
				      "%llu lines are longer than %d kB",
				      (unsigned long long)c->unusable,
				      READING_BEAMS_MAX,
				      (unsigned long long)c->r.count.bad,
				      LINES_MAX >> 10);
	if (!scans)
		return readings_error(error, c->r.path, -ENODATA,
				      "a CARMEN log without FLASER or ROBOTLASER1");
	c->detected = carmen_peak_range(peak);
	c->r.count.bad = 0;
	ret = lines_rewind(&c->r.lines);
	return ret ? readings_error(error, c->r.path, ret, NULL) : 0;
}

static int carmen_open(struct readings *r, struct error *error)
{
	struct carmen_peak *peak = calloc(1, sizeof(*peak));
	struct carmen *c = carmen_of(r);
	int err;

	if (!peak)
		return readings_error(error, r->path, -ENOMEM, NULL);
	c->offset = NAN;
	err = carmen_look_ahead(c, peak, error);
	free(peak);
	return err;
}

const struct readings_ops carmen_ops = {
	.size	= sizeof(struct carmen),
	.text	= true,
	.probe	= carmen_probe,
	.open	= carmen_open,
	.next	= carmen_next,
};
