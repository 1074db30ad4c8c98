// SPDX-License-Identifier: GPL-2.0-only
/*
 * rawlog_read.c - members of the classes that a rawlog needs
 *
 * A read that fails sets @failed, and gives 0 from then on, so only the end of an
 * object has to be checked.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include "laser/rawlog_read.h"

enum { END = 0x88, NAMED = 0x80, TEXT_MAX = 1 << 20, LIST_MAX = 1 << 20 };

/* Of 1970 in units of 100 ns since 1601 */
static const uint64_t epoch = 116444736000000000ULL;

/* A laser that is tilted further is not level: 15 degrees */
static const double level = 0.966;

bool rawlog_is_object(const uint8_t *data, size_t len)
{
	const size_t n = len ? data[0] & ~NAMED : 0;

	if (!len || !(data[0] & NAMED) || n < 4 || n >= RAWLOG_NAME - 1 ||
	    n + 1 > len || (data[1] != 'C' && memcmp(data + 1, "mrpt", 4)))
		return false;
	for (size_t i = 1; i <= n; i++)
		if (!isalnum(data[i]) && data[i] != ':' && data[i] != '_')
			return false;
	return true;
}

int rawlog_reader_open(struct rawlog_reader *in, const char *path)
{
	errno = 0;
	in->file = gzopen(path, "rbe");
	return in->file ? 0 : errno ? -errno : -ENOMEM;
}

void rawlog_reader_close(struct rawlog_reader *in)
{
	if (in->file)
		gzclose_r(in->file);
}

uint64_t rawlog_reader_bytes(const struct rawlog_reader *in)
{
	const z_off_t at = gzoffset(in->file);

	return at > 0 ? (uint64_t)at : 0;
}

/*
 * Numbers
 */

/* There is no more. Return: whether the file ends here, and is whole so far */
static bool is_end(struct rawlog_reader *in)
{
	int err = Z_OK;

	gzerror(in->file, &err);
	/* a compressed one may be cut off, too */
	in->cut = err == Z_OK || err == Z_STREAM_END || err == Z_BUF_ERROR;
	return in->cut && err != Z_BUF_ERROR;
}

static void take(struct rawlog_reader *in, void *to, uint32_t len)
{
	const int n = in->failed ? 0 : gzread(in->file, to, len);

	if (n > 0)
		in->at += (uint64_t)n;
	if (n == (int)len)
		return;
	if (!in->failed)
		is_end(in);
	in->failed = true;
	memset(to, 0, len);
}

static uint64_t take_number(struct rawlog_reader *in, uint32_t len)
{
	uint8_t b[8];
	uint64_t v = 0;

	take(in, b, len);
	for (uint32_t i = len; i > 0; i--)
		v = v << 8 | b[i - 1];
	return v;
}

static uint8_t take_u8(struct rawlog_reader *in)
{
	return (uint8_t)take_number(in, 1);
}

static uint32_t take_u32(struct rawlog_reader *in)
{
	return (uint32_t)take_number(in, 4);
}

static float take_float(struct rawlog_reader *in)
{
	const uint32_t bits = take_u32(in);
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static double take_double(struct rawlog_reader *in)
{
	const uint64_t bits = take_number(in, 8);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void skip(struct rawlog_reader *in, uint64_t len)
{
	uint8_t part[256];

	while (len && !in->failed) {
		const uint32_t n = len < sizeof(part) ? (uint32_t)len :
							sizeof(part);

		take(in, part, n);
		len -= n;
	}
}

/* ns since 1970, 0: not known */
static int64_t take_stamp(struct rawlog_reader *in)
{
	const uint64_t t = take_number(in, 8);

	return t < epoch || t - epoch > INT64_MAX / 100 ?
	       0 : (int64_t)(t - epoch) * 100;
}

/* @to: RAWLOG_LABEL bytes */
static void take_text(struct rawlog_reader *in, char *to)
{
	const uint32_t len = take_u32(in);
	const uint32_t n = len < RAWLOG_LABEL ? len : RAWLOG_LABEL - 1;

	in->failed |= len > TEXT_MAX;
	memset(to, 0, RAWLOG_LABEL);
	take(in, to, n);
	if (!in->failed)
		skip(in, len - n);
}

/*
 * Objects
 */

/* Name and version. Return: false: there is none, with @failed only if it begins */
static bool take_head(struct rawlog_reader *in)
{
	uint8_t head[RAWLOG_NAME] = { 0 };
	const char *name;
	int first;

	*in->name = '\0';
	if (in->failed)
		return false;
	first = gzgetc(in->file);
	if (first < 0) {
		in->failed |= !is_end(in);
		return false;
	}
	in->at++;
	head[0] = (uint8_t)first;
	if ((head[0] & ~NAMED) < RAWLOG_NAME)
		take(in, head + 1, head[0] & ~NAMED & 0xff);
	if (!rawlog_is_object(head, sizeof(head))) {
		in->failed = true;
		return false;
	}
	name = strrchr((const char *)head, ':');
	strcpy(in->name, name ? name + 1 : (const char *)head + 1);
	in->version = take_u8(in);
	return !in->failed;
}

int rawlog_end(struct rawlog_reader *in)
{
	in->failed |= take_u8(in) != END;
	return in->failed ? -EBADMSG : 0;
}

/* Begin an object that is a member of another one. Return: whether it is of that
 * class, up to that version
 */
static bool begin_member(struct rawlog_reader *in, const char *class,
			 uint8_t version)
{
	if (!take_head(in) || strncmp(in->name, class, strlen(class)) ||
	    in->version > version)
		in->failed = true;
	return !in->failed;
}

/* CMatrix, CMatrixF, CMatrixD and so on: up to 16 numbers. Return: their count */
static uint32_t take_matrix(struct rawlog_reader *in, double m[16])
{
	uint32_t rows, columns;
	bool doubles;

	if (!begin_member(in, "CMatrix", 1))
		return 0;
	doubles = !strncmp(in->name, "CMatrixD", 8);
	rows = take_u32(in);
	columns = take_u32(in);
	in->failed |= rows > 16 || columns > 16 || rows * columns > 16;
	for (uint32_t i = 0; i < rows * columns && !in->failed; i++)
		m[i] = doubles ? take_double(in) : (double)take_float(in);
	return rawlog_end(in) ? 0 : rows * columns;
}

static struct pose take_pose2d(struct rawlog_reader *in)
{
	struct pose p = { 0, 0, 0 };

	if (!begin_member(in, "CPose2D", 1))
		return p;
	if (in->version) {
		p.x = take_double(in);
		p.y = take_double(in);
		p.yaw = take_double(in);
	} else {
		p.x = (double)take_float(in);
		p.y = (double)take_float(in);
		p.yaw = (double)take_float(in);
	}
	rawlog_end(in);
	return p;
}

/* A position and a rotation, row by row */
static void take_rotation(struct rawlog_reader *in, double at[3], double r[9])
{
	double m[16] = { 0 }, w, x, y, z;

	if (in->version < 2) {
		in->failed |= take_matrix(in, m) != 16;
		for (int i = 0; i < 9; i++)
			r[i] = m[i / 3 * 4 + i % 3];
		for (int i = 0; i < 3; i++)
			at[i] = m[4 * i + 3];
		return;
	}
	for (int i = 0; i < 3; i++)
		at[i] = take_double(in);
	for (int i = 0; i < 9 && in->version == 3; i++)
		r[i] = take_double(in);
	if (in->version == 3)
		return;
	w = take_double(in);
	x = take_double(in);
	y = take_double(in);
	z = take_double(in);
	r[0] = 1 - 2 * (y * y + z * z);
	r[3] = 2 * (x * y + w * z);
	r[8] = 1 - 2 * (x * x + y * y);
}

/* The pose of the laser: CPose3D */
static void take_pose3d(struct rawlog_reader *in, struct rawlog_scan *s)
{
	double at[3] = { 0 }, r[9] = { 0 };
	uint8_t version;

	if (!begin_member(in, "CPose3D", 3))
		return;
	version = in->version;
	take_rotation(in, at, r);
	in->version = version;
	rawlog_end(in);
	s->level = fabs(r[8]) >= level && isfinite(at[0]) && isfinite(at[1]);
	s->turned = r[8] < 0;
	s->laser = (struct pose){ at[0], at[1], atan2(r[3], r[0]) };
}

static void take_scan(struct rawlog_reader *in, float *range,
		      struct rawlog_scan *s)
{
	const uint8_t version = in->version;
	double matrix[16];

	s->aperture = take_float(in);
	s->to_left = take_u8(in);
	s->range_max = take_float(in);
	take_pose3d(in, s);
	if (version < 6)
		take_matrix(in, matrix);
	s->beams = take_u32(in);
	in->failed |= s->beams > READING_BEAMS_MAX;
	for (uint32_t i = 0; i < s->beams && !in->failed; i++)
		range[i] = take_float(in);
	for (uint32_t i = 0; i < s->beams && !in->failed && version; i++)
		if (!take_u8(in))
			range[i] = 0;
	if (version >= 2)
		take_float(in);		/* standard deviation */
	if (version >= 3)
		s->stamp = take_stamp(in);
	if (version >= 4)
		take_float(in);		/* aperture of a beam */
	if (version >= 5) {
		take_text(in, s->label);
		take_double(in);	/* change of pitch */
	}
	if (version >= 7 && take_u8(in))
		skip(in, 4ULL * s->beams);	/* intensities */
	if (version >= 8)
		take_float(in);		/* duration */
}

static void take_odometry(struct rawlog_reader *in, struct rawlog_odometry *o)
{
	const uint8_t version = in->version;
	char label[RAWLOG_LABEL];
	bool has;

	o->pose = take_pose2d(in);
	take_text(in, label);
	o->stamp = take_stamp(in);
	if (!version)
		return;
	has = take_u8(in);
	if (has || version < 2)
		skip(in, 8);		/* ticks */
	has = take_u8(in);
	skip(in, version < 2 ? 8 : has ? 24 : 0);	/* velocities */
}

/* Of odometry: the other kinds have a distribution, which is not known */
static void take_action(struct rawlog_reader *in, struct rawlog_odometry *o)
{
	const uint8_t version = in->version;
	bool has;

	if (take_u32(in)) {
		in->failed = true;
		return;
	}
	o->pose = take_pose2d(in);
	/* the model of motion: a choice, 6 numbers, particles, 4 or 6 numbers */
	skip(in, 4 + 24 + 4 + 16 + (version >= 5 ? 8 : 0));
	has = take_u8(in);
	skip(in, version < 7 ? 8 : has ? 24 : 0);	/* velocities */
	has = take_u8(in);
	skip(in, version < 7 || has ? 8 : 0);		/* ticks */
	if (version >= 6)
		o->stamp = take_stamp(in);
}

/* Number of objects of a frame or a collection */
static void take_list(struct rawlog_reader *in, bool frame, uint32_t *count)
{
	if (frame && in->version < 2)
		take_u32(in);
	if (frame && !in->version)
		take_stamp(in);
	*count = take_u32(in);
	in->failed |= *count > LIST_MAX;
}

static const struct class {
	const char		*name;
	uint8_t			first, last;	/* versions */
	enum rawlog_kind	kind;
} classes[] = {
	{ "CActionCollection", 0, 0, RAWLOG_LIST },
	{ "CSensoryFrame", 0, 2, RAWLOG_LIST },
	{ "CObservation2DRangeScan", 0, 8, RAWLOG_SCAN },
	{ "CObservationOdometry", 0, 2, RAWLOG_ODOMETRY },
	{ "CActionRobotMovement2D", 4, 7, RAWLOG_ACTION },
	{ "CObservationComment", 0, 0, RAWLOG_OTHER },
};

/* NULL: not known */
static const struct class *class_of(const struct rawlog_reader *in)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (!strcmp(in->name, classes[i].name) &&
		    in->version >= classes[i].first &&
		    in->version <= classes[i].last)
			return classes + i;
	return NULL;
}

int rawlog_object(struct rawlog_reader *in, bool inside, float *range,
		  struct rawlog_object *o)
{
	const struct class *c;
	char text[RAWLOG_LABEL];

	*o = (struct rawlog_object){ .kind = RAWLOG_OTHER };
	if (!take_head(in))
		return in->failed || inside ? -EBADMSG : -ENODATA;
	c = class_of(in);
	if (!c)
		return -EPROTONOSUPPORT;
	o->kind = c->kind;
	switch (c->kind) {
	case RAWLOG_LIST:
		/* lists are not in lists */
		in->failed |= inside;
		take_list(in, !strcmp(c->name, "CSensoryFrame"), &o->count);
		return in->failed ? -EBADMSG : 0;
	case RAWLOG_SCAN:
		take_scan(in, range, &o->scan);
		break;
	case RAWLOG_ODOMETRY:
		take_odometry(in, &o->odometry);
		break;
	case RAWLOG_ACTION:
		take_action(in, &o->odometry);
		break;
	case RAWLOG_OTHER:
		take_text(in, text);
		take_stamp(in);
	}
	return rawlog_end(in);
}
