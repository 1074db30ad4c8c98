/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - what sender and receiver tell each other beside the data
 *
 * The sender announces its topics, twice a second and when one changes, on
 * topic 0 of its stream: a receiver that comes late, or lost one, waits half a
 * second. The receiver reports twice a second what came. Counts are since the
 * stream began, so that a report that is lost takes nothing with it.
 *
 * Both are payloads of segments (optsample/segment.h) that may not be left
 * out. The position of an announcement is a number of the boot of the sender's
 * machine, or 0: a sender that was restarted has the same, another robot of
 * the same name has not. Payloads are little endian:
 *	u8	version << 4 | CONTROL_ANNOUNCE or CONTROL_REPORT; announcements
 *		are of version 1
 *	u8	entries
 *	u32	CRC-32 (IEEE 802.3) of all bytes before and behind it: what is
 *		told has consequences, the checksum of UDP is 16 bits
 * and the entries. Announcements: u32 round trip, us, the sender's name, a u8
 * length and text, then for each topic u32 topic, u8 kind, u8 codec, u32
 * interval, and name, frame_id and encoding, each a u8 length and text.
 * Reports: u32 in the order of struct control_report (report.h), eight in version 1, then
 * for each topic seven u32 in the order of struct control_report_topic. Later
 * copies of a report are of their own time, with the same number and without
 * topics. A sender whose segments tell when their message ends
 * (optsample/segment.h) reads version 2; others are sent version 1.
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

	CONTROL_NAME	= 256,		/* bytes of a name, with the final 0 */
	CONTROL_WORD	= 64,		/* of a frame_id or an encoding */
};

/**
 * struct control_topic - a topic that a sender announces
 * @topic:	its number in segments, from 1
 * @kind:	enum message_kind
 * @codec:	enum codec_id
 * @interval:	between messages, us; 0: they have none
 * @name, @frame_id, @encoding: as in ROS; the latter of images
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
 * struct control_sender - who announces
 * @round_trip:	us; 0: not known
 * @name:	of the robot
 */
struct control_sender {
	uint32_t	round_trip;
	char		name[CONTROL_WORD];
};

/**
 * control_announce() - announce topics
 * @out: as many payloads as they take, one at least, each readable alone
 *
 * Return: 0, -ENOSPC: too few slots.
 */
int control_announce(const struct control_sender *sender,
		     const struct control_topic *topics, unsigned int count,
		     struct payloads *out);

/**
 * control_announced() - read an announcement
 * @topics: room for @max
 *
 * Return: topics that were read; -EBADMSG: it is broken, -E2BIG: more than
 * @max.
 */
int control_announced(const void *payload, size_t len,
		      struct control_sender *sender,
		      struct control_topic *topics, unsigned int max);

/**
 * control_report() - write a report
 *
 * Return: its bytes; @payload has PAYLOAD_MAX.
 */
size_t control_report(const struct control_report *r, uint8_t *payload);

/**
 * control_reported() - read a report
 *
 * Return: 0, -EBADMSG: it is broken.
 */
int control_reported(const void *payload, size_t len,
		     struct control_report *r);

/**
 * control_report_copies() - how often to send a report
 * @loss: of datagrams, 0 .. 1
 *
 * Return: so often that all of three reports behind each other are lost once in
 * ten thousand times, up to a loss of nine of ten: 48 at most. Two where
 * more than one of a hundred is lost.
 */
unsigned int control_report_copies(double loss);

/**
 * control_copies() - how often to send what should not be lost
 * @loss: of datagrams, 0 .. 1
 *
 * Return: so often that all are lost once in twenty times, 8 at most.
 */
unsigned int control_copies(double loss);

#endif
