/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - the receiver's report: what arrived of a stream, and when
 *
 * transport/control.h defines its wire format.
 */
#ifndef LINK_REPORT_H
#define LINK_REPORT_H

#include <stdint.h>

enum {
	CONTROL_TOPICS	= 48,		/* topics of a report, at most */
};

/**
 * struct control_report_topic - counts of a topic; all wrap
 * @newest:	newest frame
 * @frames:	delivered frames; this and @missing: see struct
 *		reassembly_counts
 */
struct control_report_topic {
	uint32_t	topic, newest;
	uint32_t	frames, missing;
	uint32_t	expected, datagrams, bytes;
};

/**
 * struct control_report - counts of a stream; all wrap
 * @number:	of the report; duplicates and overtaken reports are ignored
 * @echo:	sending time of the newest datagram, as the sender wrote it, us
 * @held:	time since the receiver got it, us: what remains of the time
 *		since @echo is the round trip
 * @transit:	minimum of the receiver's clock less the sending time, us, over
 *		the datagrams since the last report; its changes are those of
 *		queues on the path
 * @epoch:	outages that the sender had counted in the newest datagram
 * @datagrams:	received of the stream, including announcements and copies
 * @bytes:	of them, with the headers of segments
 * @kept:	bytes among these of an earlier epoch
 * @paced:	frames of several datagrams in @growth since the last report.
 *		From here on version 2
 * @growth:	how much longer the last datagram of such a frame was on its way
 *		than the first, us, mean
 * @runs:	runs of consecutive lost datagrams within a frame
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
