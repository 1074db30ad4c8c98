/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - the receiver's report: what of a stream arrived, and when
 *
 * bridge/control.h has its bytes on the wire.
 */
#ifndef LINK_REPORT_H
#define LINK_REPORT_H

#include <stdint.h>

enum {
	CONTROL_TOPICS	= 48,		/* most topics of a report */
};

/**
 * struct control_report_topic - what came of a topic
 * @newest:	frame
 * @frames:	given out, likewise @missing; see struct reassembly_counts. All
 *		wrap
 */
struct control_report_topic {
	uint32_t	topic, newest;
	uint32_t	frames, missing;
	uint32_t	expected, datagrams, bytes;
};

/**
 * struct control_report - what came of a stream; all wrap
 * @number:	of the report: a copy of one that came, and one that was
 *		overtaken, tell nothing
 * @echo:	the sending time of the newest datagram, as the sender wrote it
 * @held:	how long the receiver has had it, us: what is left of the way
 *		there and back is the round trip
 * @transit:	least of the receiver's clock less the sending time, us, over
 *		the datagrams since the report before; its changes are those of
 *		queues on the way
 * @epoch:	outages that the sender had counted in the newest datagram
 * @datagrams:	that came of the stream, announcements and copies too
 * @bytes:	of them, with the headers of segments
 * @kept:	bytes among these that were of an earlier epoch
 * @paced:	frames of several datagrams that tell @growth, since the report
 *		before. From here on version 2
 * @growth:	how much longer the last datagram of such a frame was on its way
 *		than the first, us, mean
 * @runs:	datagrams that were lost one behind the other, of one frame: so
 *		many runs
 * @version:	of the report, not on the wire
 */
struct control_report {
	uint32_t	number;
	uint32_t	echo, held;
	uint32_t	transit;
	uint32_t	epoch;
	uint32_t	datagrams, bytes, kept;
	uint32_t	paced, growth, runs;
	unsigned int	topics, version;
	struct control_report_topic topic[CONTROL_TOPICS];
};

#endif
