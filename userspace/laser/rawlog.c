// SPDX-License-Identifier: GPL-2.0-only
/*
 * rawlog.c - .rawlog of MRPT, plain or compressed with gzip
 *
 * A file is a row of objects: 0x80 plus the length of its name, the name of the
 * class, a version, the members, and 0x88. Numbers are little-endian. There is no
 * length, so an object of an unknown class ends the reading.
 *
 * Two kinds of files are usual. In one, collections of actions and frames of
 * observations take turns: an action has the motion by odometry since the frame
 * before. In the other, scans and odometry come one by one with their times, and
 * are combined as those of recordings. Times are in units of 100 ns since 1601; of
 * simulated robots they are 0: then scans are 0.1 s apart.
 *
 * Of several lasers the first one is used. Scans of the others are counted as
 * bad, and so are motions that are no numbers, and an object that is cut off at
 * the end of the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/error.h"
#include "laser/collator.h"
#include "laser/rawlog_read.h"
#include "laser/readings_ops.h"

/* Between two scans without a time, ns */
static const int64_t usual_step = 100000000;
/* As of recordings, ns */
static const int64_t patience = 1000000000;

/**
 * struct rawlog
 * @in:		the file
 * @left:	objects that follow in a frame or collection; @inside: there is one,
 *		whose end follows then
 * @collator:	of scans and odometry that come one by one
 * @ended:	no more objects
 * @label:	of the laser that is used, if @labelled
 * @pose:	by all actions so far
 * @scans:	so far; @last: stamp of the last one
 */
struct rawlog {
	struct readings		r;
	struct rawlog_reader	in;
	struct collator		*collator;
	uint32_t		left;
	bool			inside, ended, labelled;
	char			label[RAWLOG_LABEL];
	struct pose		pose;
	uint64_t		scans;
	int64_t			last;
};

static bool rawlog_probe(const char *head, size_t len)
{
	uint8_t start[RAWLOG_NAME + 1];
	z_stream z = { .next_in = (Bytef *)head, .avail_in = (uInt)len,
		       .next_out = start, .avail_out = sizeof(start) };

	if (len < 2 || memcmp(head, "\x1f\x8b", 2))
		return rawlog_is_object((const uint8_t *)head, len);
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return false;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return rawlog_is_object(start, sizeof(start) - z.avail_out);
}

static int rawlog_open(struct readings *readings, struct error *error)
{
	struct rawlog *l = (struct rawlog *)readings;

	l->collator = collator_new(patience);
	if (!l->collator || rawlog_reader_open(&l->in, l->r.path))
		return readings_error(error, l->r.path,
				      l->collator ? -errno : -ENOMEM, NULL);
	collator_without(l->collator, l->r.without);
	return 0;
}

static void rawlog_close(struct readings *readings)
{
	struct rawlog *l = (struct rawlog *)readings;

	rawlog_reader_close(&l->in);
	collator_free(l->collator);
}

static void rawlog_progress(const struct readings *readings,
			    struct readings_count *count)
{
	const struct rawlog *l = (const struct rawlog *)readings;
	struct collator_count c;

	collator_count(l->collator, &c);
	count->bytes = rawlog_reader_bytes(&l->in);
	count->bad += c.bad;
	count->unpaired += c.dropped;
	count->unswept += c.unswept;
}

/* Whether the scan is of the laser that is used, and valid */
static bool is_wanted(struct rawlog *l, const struct rawlog_scan *s)
{
	if (!l->labelled)
		memcpy(l->label, s->label, sizeof(l->label));
	l->labelled = true;
	if (s->level && s->beams && !strcmp(l->label, s->label))
		return true;
	l->r.count.bad++;
	return false;
}

static void convert_scan(struct rawlog *l, const struct rawlog_scan *s,
			 struct reading *r)
{
	const float each = s->beams > 1 ? s->aperture / (float)(s->beams - 1) :
					  0;
	/* a laser that hangs upside down sees right and left swapped */
	const float sign = s->to_left != s->turned ? 1 : -1;

	r->range = l->r.range;
	r->beams = s->beams;
	r->angle_min = -sign * s->aperture / 2;
	r->angle_increment = sign * each;
	r->range_max = readings_range_max((double)s->range_max);
	r->laser = s->laser;
	r->stamp = s->stamp ? s->stamp :
		   l->scans && l->last <= INT64_MAX - usual_step ?
		   l->last + usual_step : l->last;
	l->last = r->stamp;
	l->scans++;
}

/* Return: 1: @r is a reading; 0: not yet; -ENOMEM */
static int take_scan(struct rawlog *l, const struct rawlog_scan *s,
		     struct reading *r)
{
	int err;

	if (!is_wanted(l, s))
		return 0;
	convert_scan(l, s, r);
	if (l->inside) {
		r->odometry = l->pose;
		return 1;
	}
	err = collator_add_scan(l->collator, r);
	return err == -ENOMEM ? err : 0;
}

/* One that is invalid would spoil the poses of all scans that follow */
static void take_pose(struct rawlog *l, const struct pose *pose)
{
	if (pose_valid(pose))
		l->pose = *pose;
	else
		l->r.count.bad++;
}

static void take_action(struct rawlog *l, const struct pose *motion)
{
	const struct pose pose = pose_compose(&l->pose, motion);

	take_pose(l, &pose);
}

static void take_odometry(struct rawlog *l, const struct rawlog_odometry *o)
{
	if (l->inside)
		take_pose(l, &o->pose);
	else
		collator_add_odometry(l->collator, o->stamp, &o->pose);
}

/* One object, or the end of a frame. Return: as take_scan(); others of
 * rawlog_object(); -ENODATA: there is no more
 */
static int take_object(struct rawlog *l, struct reading *r)
{
	struct rawlog_object o;
	int err;

	if (l->inside && !l->left) {
		l->inside = false;
		return rawlog_end(&l->in);
	}
	err = rawlog_object(&l->in, l->inside, l->r.range, &o);
	if (err)
		return err;
	l->left -= l->inside;
	switch (o.kind) {
	case RAWLOG_LIST:
		l->inside = true;
		l->left = o.count;
		return 0;
	case RAWLOG_SCAN:
		return take_scan(l, &o.scan, r);
	case RAWLOG_ODOMETRY:
		take_odometry(l, &o.odometry);
		return 0;
	case RAWLOG_ACTION:
		take_action(l, &o.odometry.pose);
		return 0;
	default:
		return 0;
	}
}

static int rawlog_fail(const struct rawlog *l, int err, struct error *error)
{
	const unsigned long long scans = (unsigned long long)l->scans;

	if (err == -ENOMEM)
		return readings_error(error, l->r.path, err, NULL);
	if (err == -EPROTONOSUPPORT)
		return readings_error(error, l->r.path, err,
				      "after %llu scans: class %s, version %u, "
				      "is not known: it has no length, so "
				      "reading stops", scans, l->in.name,
				      l->in.version);
	return readings_error(error, l->r.path, err,
			      "after %llu scans: damaged at byte %llu%s%s",
			      scans, (unsigned long long)l->in.at,
			      *l->in.name ? ", in " : "", l->in.name);
}

/* No more objects. Return: 0; -ENODATA and a line: no scan had odometry */
static int end(struct rawlog *l, struct error *error)
{
	struct collator_count c;

	l->ended = true;
	collator_end(l->collator);
	collator_count(l->collator, &c);
	if (c.given || !c.dropped)
		return 0;
	return readings_error(error, l->r.path, -ENODATA,
			      "no odometry at the time of a scan; try "
			      "--odometry none");
}

static int rawlog_next(struct readings *readings, struct reading *r,
		       struct error *error)
{
	struct rawlog *l = (struct rawlog *)readings;
	int ret;

	while (!collator_next(l->collator, r)) {
		if (l->ended)
			return 0;
		*r = (struct reading){ .range = l->r.range };
		ret = take_object(l, r);
		if (ret == 1)
			return 1;
		/* of a robot that was switched off, say */
		if (ret == -EBADMSG && l->in.cut && l->scans) {
			l->r.count.bad++;
			ret = -ENODATA;
		}
		if (ret == -ENODATA) {
			ret = end(l, error);
			if (ret)
				return ret;
		} else if (ret < 0) {
			return rawlog_fail(l, ret, error);
		}
	}
	return 1;
}

const struct readings_ops rawlog_ops = {
	.size		= sizeof(struct rawlog),
	.probe		= rawlog_probe,
	.open		= rawlog_open,
	.next		= rawlog_next,
	.progress	= rawlog_progress,
	.close		= rawlog_close,
};
