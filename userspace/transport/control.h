/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - messages between sender and receiver besides the data
 *
 * The sender announces its topics twice a second, and when one changes, on
 * topic 0 of its stream. A receiver that starts late, or lost one, waits at
 * most half a second. The receiver reports twice a second what arrived. Counts
 * are cumulative over the stream, so that a lost report loses no information.
 *
 * The operator's commands go the way of the reports, see command.h.
 *
 * All are payloads of segments (optsample/segment.h) that must not be sampled.
 * The position of an announcement is a number of the boot of the sender's
 * machine, or 0: a restarted sender has the same number, another robot of the
 * same name has a different one. Payloads are little endian:
 *	u8	version << 4 | CONTROL_ANNOUNCE, CONTROL_REPORT or
 *		CONTROL_COMMAND; announcements and commands are of version 1
 *	u8	entries
 *	u32	CRC-32 (IEEE 802.3) of all bytes before and after it: an error
 *		would have consequences, and the checksum of UDP has 16 bits
 * and the entries. Announcements: u32 round trip, us, the sender's name, a u8
 * length and text, then for each topic u32 topic, u8 kind, u8 codec, u32
 * interval, and name, frame_id and encoding, each a u8 length and text.
 * Reports: u32 in the order of struct control_report (report.h), eight in
 * version 1, then for each topic seven u32 in the order of struct
 * control_report_topic. Later copies of a report have current values, the same
 * number and no topics. A sender whose segments contain the end time of their
 * message (optsample/segment.h) reads version 2; others are sent version 1.
 * Commands: u32 number, then for each entry u8 what, u8 value, and the name of
 * a topic, a u8 length and text. Senders that do not know them ignore them.
 */
#ifndef TRANSPORT_CONTROL_H
#define TRANSPORT_CONTROL_H

#include "codec/core/payload.h"
#include "link/report.h"

enum {
	CONTROL_VERSION	= 1,
	CONTROL_REPORTS	= 2,		/* newest version of a report */
	CONTROL_ANNOUNCE = 1,
	CONTROL_REPORT	= 2,
	CONTROL_COMMAND	= 3,
	CONTROL_COMMANDS = 16,		/* entries of a command */

	CONTROL_NAME	= 256,		/* bytes of a name, with the final 0 */
	CONTROL_WORD	= 64,		/* of a frame_id or an encoding */
};

/**
 * struct control_topic - a topic that a sender announces
 * @topic:	its number in segments, from 1
 * @kind:	enum message_kind
 * @codec:	enum codec_id
 * @interval:	between messages, us; 0: not periodic
 * @name, @frame_id, @encoding: as in ROS; the last one of images
 */
struct control_topic {
	uint32_t	topic;
	uint8_t		kind, codec;
	uint32_t	interval;
	char		name[CONTROL_NAME];
	char		frame_id[CONTROL_WORD];
	char		encoding[CONTROL_WORD];
};

/**
 * struct control_sender - the announcing sender
 * @round_trip:	us; 0: not known
 * @name:	of the robot
 */
struct control_sender {
	uint32_t	round_trip;
	char		name[CONTROL_WORD];
};

/**
 * control_announce() - write announcements of topics
 * @out: as many payloads as needed, at least one, each readable alone
 *
 * Return: 0, -ENOSPC: too few slots.
 */
int control_announce(const struct control_sender *sender,
		     const struct control_topic *topics, unsigned int count,
		     struct payloads *out);

/**
 * control_announced() - read an announcement
 * @topics: array of @max
 *
 * Return: number of topics read; -EBADMSG: invalid, -E2BIG: more than @max.
 */
int control_announced(const void *payload, size_t len,
		      struct control_sender *sender,
		      struct control_topic *topics, unsigned int max);

/**
 * control_report() - write a report
 *
 * Return: its bytes; @payload has PAYLOAD_MAX bytes.
 */
size_t control_report(const struct control_report *r, uint8_t *payload);

/**
 * control_reported() - read a report
 *
 * Return: 0, -EBADMSG: invalid.
 */
int control_reported(const void *payload, size_t len,
		     struct control_report *r);

/* What an entry of a command says; others are refused */
enum control_what {
	CONTROL_FOCUS	= 1,	/* value 1: that topic; 0: no topic */
	CONTROL_PRIORITY = 2,	/* value: 0 .. ALLOCATION_PRIORITY */
};

/**
 * struct control_command - what the operator wants of a sender
 * @number:	see command.h; receiver_command() sets it
 */
struct control_command {
	uint32_t	number;
	unsigned int	entries;
	struct control_command_entry {
		uint8_t	what, value;		/* enum control_what */
		char	name[CONTROL_NAME];	/* of the sender's topic */
	}		entry[CONTROL_COMMANDS];
};

/**
 * control_command() - write a command
 * @payload: of PAYLOAD_MAX bytes
 *
 * Return: its bytes; 0: it does not fit.
 */
size_t control_command(const struct control_command *c, uint8_t *payload);

/**
 * control_commanded() - read a command
 *
 * Return: 0, -EBADMSG: invalid.
 */
int control_commanded(const void *payload, size_t len,
		      struct control_command *c);

/**
 * control_report_copies() - number of copies of a report
 * @loss: of datagrams, 0 .. 1
 *
 * Return: so many that all copies of three consecutive reports are lost with a
 * probability of 1e-4, for a loss of up to 0.9; at most 48. At least two if the
 * loss exceeds 1 %.
 */
unsigned int control_report_copies(double loss);

/**
 * control_copies() - number of copies of an important datagram
 * @loss: of datagrams, 0 .. 1
 *
 * Return: so many that all are lost with a probability of 1/20, at most 8.
 */
unsigned int control_copies(double loss);

#endif
