// SPDX-License-Identifier: GPL-2.0-only
/*
 * checkpoint.c - records of readings and outcomes, one after the other
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/bytes.h"
#include "base/error.h"
#include "slam/output/checkpoint.h"
#include "slam/workers/scans.h"

static const char magic[8] = "OPTSLAM";

/* Version of this file, of what filter_recall() makes of it, and of the structs in
 * wire.h
 */
enum { VERSION = 6 << 16 | WIRE_VERSION };

/* wire_outcome.number: the hypothesis, and above it the relative */
enum { HYPOTHESIS_BITS = 2 };

/**
 * struct file_head
 * @size:	of the parameters that follow
 */
struct file_head {
	char			magic[8];
	uint32_t		version, size;
	struct slam_params	params;
};

/**
 * struct record_head
 * @len:	bytes after the head
 * @sum:	CRC-32 of these bytes
 * @outcomes:	number of outcomes at its end
 * @ranges:	whether ranges follow the reading
 * @place:	it is a place
 * @check:	CRC-32 of the fields before it: only a record with a trusted
 *		length can be recognised as the incomplete last one
 */
struct record_head {
	uint32_t	len, sum, outcomes, ranges, place, check;
};

enum {
	RECORD_MAX = sizeof(struct wire_reading) +
		     READING_BEAMS_MAX * sizeof(float) +
		     SLAM_PARTICLES_MAX * sizeof(struct wire_outcome),
};

/**
 * struct checkpoint
 * @at:		offset of the next record to read or write
 * @size:	of the file
 * @torn:	bytes that were cut off
 */
struct checkpoint {
	const char	*path;
	int		fd;
	uint64_t	at, size, torn;
	struct bytes	bytes;
	struct outcome	*outcome;
	uint32_t	room;
};

__attribute__((format(printf, 4, 5))) static int
checkpoint_fail(const struct checkpoint *c, struct error *error,
		int err, const char *format, ...)
{
	const int n = snprintf(error->text, sizeof(error->text), "%.150s: ", c->path);
	va_list args;

	va_start(args, format);
	vsnprintf(error->text + n, sizeof(error->text) - n, format, args);
	va_end(args);
	return err;
}

static int fail_errno(const struct checkpoint *c,
		      struct error *error)
{
	return checkpoint_fail(c, error, -errno, "%s", strerror(errno));
}

/* Return: 0, -EIO: too short; -errno */
static int read_at(const struct checkpoint *c, uint64_t at, void *to,
		   size_t len)
{
	while (len) {
		const ssize_t n = pread(c->fd, to, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		to = (uint8_t *)to + n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* An incomplete record is cut off when the file is read */
static int checkpoint_append(struct checkpoint *c, const void *data, size_t len)
{
	const uint8_t *from = data;
	size_t done = 0;

	while (done < len) {
		const ssize_t n = pwrite(c->fd, from + done, len - done,
					 (off_t)(c->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	assert(done == len);
	c->at += len;
	c->size = c->at;
	return 0;
}

/*
 * The file head
 */

static int checkpoint_write_head(struct checkpoint *c,
				 const struct slam_params *params,
				 struct error *error)
{
	struct file_head head;
	int err;

	memset(&head, 0, sizeof(head));
	memcpy(head.magic, magic, sizeof(magic));
	head.version = VERSION;
	head.size = sizeof(*params);
	memcpy(&head.params, params, sizeof(*params));
	err = checkpoint_append(c, &head, sizeof(head));
	if (!err)
		return 0;
	/*
	 * an incomplete head would make the file invalid; an empty file is
	 * reused
	 */
	if (ftruncate(c->fd, 0))
		c->size = 0;
	return checkpoint_fail(c, error, err, "%s", strerror(-err));
}

static int check_head(struct checkpoint *c, const struct slam_params *params,
		      struct error *error)
{
	struct file_head head;
	int err = read_at(c, 0, &head, sizeof(head));

	if ((err && err != -EIO) || (!err && memcmp(head.magic, magic,
						     sizeof(magic))))
		return checkpoint_fail(c, error, -EBADMSG,
				       "is not a checkpoint of slamd");
	if (err || head.version != VERSION ||
	    head.size != sizeof(*params))
		return checkpoint_fail(c, error, err ? -EBADMSG : -EINVAL, err ?
				       "is not a checkpoint of slamd" :
				       "was written by another version of "
				       "slamd");
	if (memcmp(&head.params, params, sizeof(*params)))
		return checkpoint_fail(c, error, -EINVAL,
				       "was made with other settings "
				       "of the filter");
	c->at = sizeof(head);
	return 0;
}

static int checkpoint_begin(struct checkpoint *c,
			    const struct slam_params *params, bool resume,
			    struct error *error)
{
	struct stat st;

	c->fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (c->fd < 0)
		return fail_errno(c, error);
	/* first: the process that has the file may still write its head */
	if (flock(c->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return checkpoint_fail(c, error, -EBUSY,
				       "in use by another slamd");
	if (fstat(c->fd, &st))
		return fail_errno(c, error);
	if (!S_ISREG(st.st_mode))
		return checkpoint_fail(c, error, -EINVAL,
				       "is not a regular file");
	c->size = (uint64_t)st.st_size;
	if (!c->size)
		return checkpoint_write_head(c, params, error);
	if (!resume)
		return checkpoint_fail(c, error, -EEXIST,
				       "exists; to continue from it use "
				       "--resume");
	return check_head(c, params, error);
}

int checkpoint_open(struct checkpoint **checkpoint, const char *path,
		    const struct slam_params *params, bool resume,
		    struct error *error)
{
	struct checkpoint *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return error_set(error, -ENOMEM, "no memory");
	c->path = path;
	err = checkpoint_begin(c, params, resume, error);
	if (err) {
		checkpoint_close(c);
		return err;
	}
	*checkpoint = c;
	return 0;
}

void checkpoint_close(struct checkpoint *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	bytes_free(&c->bytes);
	free(c->outcome);
	free(c);
}

/*
 * Reading
 */

static int fail_record(const struct checkpoint *c,
		       struct error *error, int err)
{
	return checkpoint_fail(c, error, err,
			       err == -EBADMSG ? "is damaged at byte %llu" :
						 "cannot read byte %llu",
			       (unsigned long long)c->at);
}

/* Only an incomplete record, or nothing, follows the last whole one */
static int checkpoint_cut(struct checkpoint *c, struct error *error)
{
	assert(c->at <= c->size);
	c->torn = c->size - c->at;
	if (c->torn && ftruncate(c->fd, (off_t)c->at))
		return fail_errno(c, error);
	c->size = c->at;
	return 0;
}

static uint32_t head_check(const struct record_head *h)
{
	return (uint32_t)crc32(0, (const uint8_t *)h,
			       offsetof(struct record_head, check));
}

/* Return: whether all bytes from @at on are 0, or a negative errno */
static int only_zeros(const struct checkpoint *c, uint64_t at)
{
	uint8_t part[4096];

	while (at < c->size) {
		const size_t len = c->size - at < sizeof(part) ?
				   (size_t)(c->size - at) : sizeof(part);
		const int err = read_at(c, at, part, len);

		if (err)
			return err;
		if (*part || memcmp(part, part + 1, len - 1))
			return 0;
		at += len;
	}
	return 1;
}

/*
 * After a crash the last record may be on disk in part: the missing part is
 * absent or zero, and so is all that follows. Anything else is damage, and then
 * nothing is cut off.
 *
 * @end: end of the record, or an offset with only zeros after it
 */
static int cut_torn(struct checkpoint *c, uint64_t end,
		    struct error *error)
{
	const int zeros = only_zeros(c, end);

	if (zeros > 0)
		return checkpoint_cut(c, error);
	if (zeros < 0)
		return checkpoint_fail(c, error, zeros, "%s", strerror(-zeros));
	return fail_record(c, error, -EBADMSG);
}

static bool head_fits(const struct record_head *h, const struct wire_reading *r)
{
	return h->len == sizeof(*r) + (h->ranges ? r->beams * sizeof(float) :
				       0) +
			 h->outcomes * sizeof(struct wire_outcome);
}

static int unpack(struct checkpoint *c, const struct record_head *h,
		  struct checkpoint_entry *e)
{
	const struct wire_reading *r = (const struct wire_reading *)
				       c->bytes.data;
	struct wire_outcome o;
	const uint8_t *at;

	if (h->len < sizeof(*r) || r->beams > READING_BEAMS_MAX ||
	    h->outcomes > SLAM_PARTICLES_MAX || !head_fits(h, r) ||
	    h->place > 1 || (h->place && (h->outcomes || r->beams)))
		return -EBADMSG;
	e->reading = scans_reading(r);
	if (!h->ranges)
		e->reading.range = NULL;
	if (!reading_valid(&e->reading))
		return -EBADMSG;
	if (h->outcomes > c->room) {
		free(c->outcome);
		c->outcome = malloc(h->outcomes * sizeof(*c->outcome));
		c->room = c->outcome ? h->outcomes : 0;
		if (!c->outcome)
			return -ENOMEM;
	}
	at = c->bytes.data + h->len - h->outcomes * sizeof(o);
	for (uint32_t i = 0; i < h->outcomes; i++, at += sizeof(o)) {
		uint32_t hypothesis;

		memcpy(&o, at, sizeof(o));
		hypothesis = o.number & ((1 << HYPOTHESIS_BITS) - 1);
		if (!pose_valid(&o.pose) || !isfinite(o.fit) ||
		    hypothesis > HYPOTHESIS_CARRIED ||
		    o.number >> HYPOTHESIS_BITS > h->outcomes)
			return -EBADMSG;
		c->outcome[i] = (struct outcome){
			o.pose, o.fit, o.evaluations, hypothesis,
			o.number >> HYPOTHESIS_BITS,
		};
	}
	e->outcome = c->outcome;
	e->count = h->outcomes;
	e->place = h->place;
	return 0;
}

/* Return: 1: a whole record; 0: cut off; or a negative errno */
static int read_record(struct checkpoint *c, struct record_head *h,
		       struct error *error)
{
	const uint64_t left = c->size - c->at;
	int err;

	if (left < sizeof(*h))
		return checkpoint_cut(c, error);
	err = read_at(c, c->at, h, sizeof(*h));
	if (!err && head_check(h) != h->check)
		return cut_torn(c, c->at + sizeof(*h), error);
	if (!err && h->len > left - sizeof(*h))
		return checkpoint_cut(c, error);
	if (!err && h->len > RECORD_MAX)
		err = -EBADMSG;
	if (!err)
		err = bytes_reserve(&c->bytes, h->len);
	if (!err)
		err = read_at(c, c->at + sizeof(*h), c->bytes.data, h->len);
	if (err)
		return fail_record(c, error, err);
	if ((uint32_t)crc32(0, c->bytes.data, h->len) != h->sum)
		return cut_torn(c, c->at + sizeof(*h) + h->len, error);
	return 1;
}

int checkpoint_next(struct checkpoint *c, struct checkpoint_entry *e,
		    struct error *error)
{
	struct record_head h;
	int ret = read_record(c, &h, error), err;

	if (ret <= 0)
		return ret;
	err = unpack(c, &h, e);
	if (err)
		return fail_record(c, error, err);
	c->at += sizeof(h) + h.len;
	return 1;
}

uint64_t checkpoint_torn(const struct checkpoint *c)
{
	return c->torn;
}

/*
 * Writing
 */

static int checkpoint_pack(struct bytes *b, struct record_head h,
			   const struct reading *r,
			   const struct outcome *outcome)
{
	const bool updated = h.ranges;
	const uint32_t count = h.outcomes;
	const struct wire_reading reading = scans_wire(r);
	int err;

	b->len = 0;
	err = bytes_append(b, &h, sizeof(h));
	if (!err)
		err = bytes_append(b, &reading, sizeof(reading));
	if (!err && updated)
		err = bytes_append(b, r->range, r->beams * sizeof(float));
	for (uint32_t i = 0; i < count && !err; i++) {
		const struct wire_outcome o = {
			outcome[i].pose, outcome[i].fit,
			outcome[i].hypothesis |
				outcome[i].relative << HYPOTHESIS_BITS,
			outcome[i].evaluations,
		};

		err = bytes_append(b, &o, sizeof(o));
	}
	if (err)
		return err;
	h.len = (uint32_t)(b->len - sizeof(h));
	h.sum = (uint32_t)crc32(0, b->data + sizeof(h), h.len);
	h.check = head_check(&h);
	memcpy(b->data, &h, sizeof(h));
	return 0;
}

static int write_record(struct checkpoint *c, struct record_head h,
			const struct reading *r, const struct outcome *outcome,
			struct error *error)
{
	int err = checkpoint_pack(&c->bytes, h, r, outcome);

	if (!err)
		err = checkpoint_append(c, c->bytes.data, c->bytes.len);
	return err ? checkpoint_fail(c, error, err, "%s", strerror(-err)) : 0;
}

int checkpoint_add(struct checkpoint *c, const struct reading *reading,
		   bool updated, const struct outcome *outcome, uint32_t count,
		   struct error *error)
{
	const struct record_head h = { .outcomes = count, .ranges = updated };

	return write_record(c, h, reading, outcome, error);
}

int checkpoint_place(struct checkpoint *c, int64_t stamp,
		     const struct pose *pose, struct error *error)
{
	const struct record_head h = { .place = 1 };
	const struct reading r = { .stamp = stamp, .odometry = *pose };

	return write_record(c, h, &r, NULL, error);
}

int checkpoint_sync(struct checkpoint *c, struct error *error)
{
	return fdatasync(c->fd) ? fail_errno(c, error) : 0;
}

int checkpoint_mark(const struct checkpoint *c, struct checkpoint_mark *m)
{
	m->fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
	m->size = c->at;
	return m->fd < 0 ? -errno : 0;
}
