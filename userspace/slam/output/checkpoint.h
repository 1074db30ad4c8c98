/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checkpoint.h - a file from which a filter becomes again what it was
 *
 * It grows by a record for each reading: the reading, and what matching found.
 * All else follows from these (filter_recall()), to the last bit, so nothing
 * is ever written twice, and what is there is good whenever the process ends.
 *
 *	"OPTSLAM" version   struct slam_params
 *	record: head, wire_reading, ranges if it was an update, wire_outcome...
 *
 * Structs are as in memory: a checkpoint is for this build on this kind of
 * machine, like the messages in wire.h.
 */
#ifndef SLAM_OUTPUT_CHECKPOINT_H
#define SLAM_OUTPUT_CHECKPOINT_H

#include "base/error.h"
#include "slam/filter/filter.h"

struct checkpoint;

/**
 * checkpoint_open() - open or make the file
 * @path:	stays the caller's, and where it is
 * @params:	of the filter
 * @resume:	there may be one; if not, it is begun
 * @error:	gets one line
 *
 * Return: 0 and @c, to be freed with checkpoint_close(); -EEXIST: there is
 * one; -EBUSY: somebody else has it; -EINVAL: of other parameters or another
 * build; -EBADMSG: no checkpoint; others of files.
 */
int checkpoint_open(struct checkpoint **c, const char *path,
		    const struct slam_params *params, bool resume,
		    char error[ERROR_TEXT]);

/**
 * struct checkpoint_entry - what a record holds; good until the next call
 * @reading:	without ranges if it was no update
 * @outcome:	filter_outcomes(), @count of them
 */
struct checkpoint_entry {
	struct reading		reading;
	const struct outcome	*outcome;
	uint32_t		count;
};

/**
 * checkpoint_next() - the next one, until there is none
 *
 * Return: 1; 0: that was all, and a last one that was not written to its end
 * is cut off; -EBADMSG, others of reading, and @error gets one line: nothing
 * is changed then.
 */
int checkpoint_next(struct checkpoint *c, struct checkpoint_entry *e,
		    char error[ERROR_TEXT]);

/* Bytes that were cut off at the end */
uint64_t checkpoint_torn(const struct checkpoint *c);

/**
 * checkpoint_add() - what became of a reading
 * @updated:	as filter_result has it
 *
 * After checkpoint_next() said that there are no more.
 *
 * Return: 0, or a negative errno and @error gets one line: the file ends with
 * the reading before then.
 */
int checkpoint_add(struct checkpoint *c, const struct reading *reading,
		   bool updated, const struct outcome *outcome, uint32_t count,
		   char error[ERROR_TEXT]);

/* To the disk, so that it outlives the machine. Return: 0 or -errno, a line */
int checkpoint_sync(struct checkpoint *c, char error[ERROR_TEXT]);

/* NULL is allowed */
void checkpoint_close(struct checkpoint *c);

#endif
