/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - the parts of demo-report.
 *
 *   demo-report.c  logs in, table, JSON and verdict out
 *   picture.c         the same as a picture
 *
 * All times are nanoseconds since the epoch on the one clock of the VM.
 */
#ifndef OPTSAMPLE_DEMO_REPORT_H
#define OPTSAMPLE_DEMO_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#define REPORT_RUNS_MAX	8

/**
 * struct image - one image that was sent
 * @stamp:	when the camera took it; names it in every log
 * @received:	when the operator got it, 0: never
 * @crc:	of what was sent
 */
struct image {
	int64_t stamp;
	int64_t received;
	uint32_t crc;
};

/**
 * struct run - one qdisc's run
 * @name:	of the qdisc
 * @dir:	its logs
 * @images:	all that were sent, by time
 * @sent:	how many
 * @received:	how many of them arrived, each counted once
 * @bad:	lines of the receiver that match nothing sent: wrong checksum,
 *		unknown stamp, or a second time
 * @down:	when the link went
 * @up:		when it was usable again
 * @first:	index of the first image of the outage
 * @during:	images sent between @down and @up
 * @kept:	how many of those arrived
 * @profit:	of what was kept (tools/sim/eval.h)
 * @oracle:	the best possible with the limit given
 * @gap_ns:	longest time between the stamps of two images received in a
 *		row, first and last image sent being ends
 */
struct run {
	const char *name;
	char *dir;
	struct image *images;
	unsigned int sent;
	unsigned int received;
	unsigned int bad;
	int64_t down;
	int64_t up;
	unsigned int first;
	unsigned int during;
	unsigned int kept;
	double profit;
	double oracle;
	int64_t gap_ns;
};

/**
 * run_middle - the received image nearest to the middle of the outage
 * @r: the run
 *
 * Return: the image, NULL when none was received.
 */
const struct image *run_middle(const struct run *r);

/**
 * picture - draw the runs one above the other
 * @runs: at least one
 * @count: how many
 * @path: PNG to write
 *
 * Return: 0, or a negative errno after an error line.
 */
int picture(const struct run *runs, unsigned int count, const char *path);

#endif /* OPTSAMPLE_DEMO_REPORT_H */
