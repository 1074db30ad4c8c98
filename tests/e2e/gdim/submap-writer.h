/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submap-writer.h - what both writers of submaps have in common: options, and
 * messages as bytes
 *
 * usage: NAME [-b] [-t] [-w] [-n NUMBER] [-s SIDE] [-i HZ] [-m BYTES]
 *	  [-k SECONDS]
 *
 * Writes NUMBER nav_msgs/OccupancyGrid of SIDE x SIDE cells to
 * /gdim/input/slam_submap, in frames submap_0 and so on: as fast as it can, or
 * HZ of them a second. RELIABLE and KEEP_ALL; -b: BEST_EFFORT; -t:
 * TRANSIENT_LOCAL. It begins when a reader is there (-k: at once), waits
 * until all is acknowledged, and stays for SECONDS more. -w: those that are
 * written before the readers are there do not count. A line with its number is
 * printed for each that was written. -m: Fast DDS's datagrams.
 */
#ifndef GDIM_SUBMAP_WRITER_H
#define GDIM_SUBMAP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUBMAP_WRITER_TOPIC	"rt/gdim/input/slam_submap"
#define SUBMAP_WRITER_TYPE	"nav_msgs::msg::dds_::OccupancyGrid_"

/*
 * Seconds until both ends have heard of each other: what a VOLATILE writer sent
 * before a reader heard the first heartbeat is lost, as DDS specifies
 */
enum { SUBMAP_WRITER_GREETING = 2 };

struct submap_writer {
	bool		best_effort, transient, midway;
	unsigned int	number, side, bytes, stay;
	bool		at_once;
	double		hz;
};

/* Return: 0, or the program's exit status and a line was written */
int submap_writer_options(struct submap_writer *w, int argc, char **argv);

/*
 * Readers that are to be found first: gdimd has one for each sort of writers,
 * and a link that loses packets shows them one by one
 */
unsigned int submap_writer_readers(const struct submap_writer *w);

/*
 * Return: if one more is to be written, which then counts; @readers: those that
 * are there
 */
bool submap_writer_next(struct submap_writer *w, unsigned int readers);

/* How long a message is, with the 4 bytes of encapsulation */
size_t submap_writer_size(const struct submap_writer *w, unsigned int i);
/* @to: of that size */
void submap_writer_message(const struct submap_writer *w, unsigned int i,
			   uint8_t *to);

/* Between two messages */
void submap_writer_pause(const struct submap_writer *w);

#ifdef __cplusplus
}
#endif

#endif
