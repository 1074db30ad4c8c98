/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checkpoint.h - a file that restores the state of a filter
 *
 * It grows by a record for each reading: the reading, and the result of
 * matching. filter_recall() computes the rest from these, with the same bits.
 * So nothing is written twice, and the file is valid whenever the process ends.
 *
 *	"OPTSLAM" version   struct slam_params
 *	record: head, wire_reading, ranges if it was an update, wire_outcome...;
 *		or a place: head, wire_reading with the pose
 *
 * Structs are as in memory: a checkpoint is only valid for this build on this
 * kind of machine, like the messages in wire.h.
 */
#ifndef SLAM_OUTPUT_CHECKPOINT_H
#define SLAM_OUTPUT_CHECKPOINT_H

#include "base/error.h"
#include "slam/filter/filter.h"

struct checkpoint;

/**
 * checkpoint_open() - open or make the file
 * @path:	not copied: valid until checkpoint_close()
 * @params:	of the filter
 * @resume:	read an existing file; if there is none, make it
 * @error:	gets one line
 *
 * Return: 0 and @c, to be freed with checkpoint_close(); -EEXIST: the file
 * exists; -EBUSY: another process uses it; -EINVAL: of other parameters or
 * another build; -EBADMSG: not a checkpoint; other file errors.
 */
int checkpoint_open(struct checkpoint **c, const char *path,
		    const struct slam_params *params, bool resume,
		    struct error *error);

/**
 * struct checkpoint_entry - a record; valid until the next call
 * @reading:	without ranges if it was no update
 * @outcome:	filter_outcomes(), @count of them
 * @place:	no reading: filter_place() at @reading.odometry
 */
struct checkpoint_entry {
	struct reading		reading;
	const struct outcome	*outcome;
	uint32_t		count;
	bool			place;
};

/**
 * checkpoint_next() - read the next record
 *
 * Return: 1; 0: the end, an incomplete last record is cut off; -EBADMSG and
 * other read errors: @error gets one line, and the file is unchanged.
 */
int checkpoint_next(struct checkpoint *c, struct checkpoint_entry *e,
		    struct error *error);

/* Bytes that were cut off at the end */
uint64_t checkpoint_torn(const struct checkpoint *c);

/**
 * checkpoint_add() - append a reading with its result
 * @updated:	as in filter_result
 *
 * Only after checkpoint_next() returned 0.
 *
 * Return: 0, or a negative errno and @error gets one line: the file then ends
 * with the reading before.
 */
int checkpoint_add(struct checkpoint *c, const struct reading *reading,
		   bool updated, const struct outcome *outcome, uint32_t count,
		   struct error *error);

/* Append a place: filter_place() at the time of a reading. Return: likewise */
int checkpoint_place(struct checkpoint *c, int64_t stamp,
		     const struct pose *pose, struct error *error);

/* Write to disk, to survive a power loss. Return: 0 or -errno, a line */
int checkpoint_sync(struct checkpoint *c, struct error *error);

/**
 * struct checkpoint_mark - the records of a checkpoint until now
 * @fd: of the file, which may grow, or be closed or removed by its owner
 */
struct checkpoint_mark {
	int		fd;
	uint64_t	size;
};

/* Only after checkpoint_next() returned 0. Return: 0, to be freed with
 * checkpoint_mark_close(); -errno
 */
int checkpoint_mark(const struct checkpoint *c, struct checkpoint_mark *m);

/* The whole file of that name. Return: likewise, and a line in @error */
int checkpoint_mark_file(struct checkpoint_mark *m, const char *path,
			 struct error *error);
void checkpoint_mark_close(struct checkpoint_mark *m);

/**
 * checkpoint_mark_copy() - write these records to a file, atomically
 *
 * For any thread: checkpoint_add() may go on meanwhile. The file of the mark
 * itself is not replaced, as it has these records: it is written to disk.
 *
 * Return: 0; -EBUSY: another process uses a checkpoint of that name; another
 * negative errno; with a line in @error.
 */
int checkpoint_mark_copy(const struct checkpoint_mark *m, const char *path,
			 struct error *error);

/* NULL is allowed */
void checkpoint_close(struct checkpoint *c);

#endif
