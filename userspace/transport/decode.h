/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - frames of datagrams into a topic's messages
 *
 * In: what came of a frame (reassembly.h), and what the sender announced of its
 * topic. Out: the message that it shows, with the stamp of the source, as good
 * as what came allows.
 */
#ifndef TRANSPORT_DECODE_H
#define TRANSPORT_DECODE_H

#include "transport/budget.h"
#include "transport/codec.h"
#include "transport/control.h"
#include "transport/reassembly.h"

/**
 * struct decode_limits - what a stranger may make us reserve
 * @pixels:	of an image
 * @points:	of a cloud
 * @cells:	of a side of a map
 * @bytes:	of a message that is whole or nothing
 */
struct decode_limits {
	size_t		pixels;
	unsigned int	points, cells;
	size_t		bytes;
};

#define DECODE_LIMITS { 16 << 20, 1 << 20, 8192, 64 << 20 }

/**
 * struct decode_result - a message; @msg itself is good during the callback,
 * and what it points to until the decoder's next frame
 * @suffix:	of the topic's name: "", "/landmark_scan", "/obstacle_scan"
 * @msg:	of @kind
 * @share:	of what all datagrams would have shown, 0 .. 1: of the stream of
 *		an image, of pixels, columns, points, tiles or beams
 * @exact:	nothing of the original is missing
 */
struct decode_result {
	const char		*suffix;
	enum message_kind	kind;
	const union message	*msg;
	double			share;
	bool			exact;
};

/**
 * struct decode_call - a frame
 * @topic:	as it was announced
 * @codec:	of its segments
 * @still:	the robot has not moved since the frame before
 * @kept:	from before an outage: shown as it is, whatever was shown since
 * @again:	show a state though it was shown before
 * @nearest:	sub-images: fill in as published, not by kriging
 * @quality:	of JPEG, where pictures are to be compressed again
 * @out, @arg:	called for each message
 * @budget, @reserved: the decoder's own
 */
struct decode_call {
	const struct control_topic	*topic;
	const struct reassembly_frame	*frame;
	enum codec_id			codec;
	bool				still, kept, again, nearest;
	unsigned int			quality;
	void				(*out)(void *arg,
					       const struct decode_result *r);
	void				*arg;
	/* private */
	struct budget			*budget;
	size_t				*reserved;
};

struct decoder;

/**
 * decoder_create() - of a topic
 * @budget: what its stream may spend; it outlives the decoder. NULL: any
 *
 * Return: to be freed with decoder_destroy(), NULL: no memory.
 */
struct decoder *decoder_create(const struct decode_limits *limits,
			       struct budget *budget);
void decoder_destroy(struct decoder *d);

/**
 * decoder_frame() - decode, and hand out what it shows
 *
 * Return: 0; -ENODATA: nothing is to be shown of it; -EOPNOTSUPP: a codec that
 * is not known, of a newer sender; -EPROTO: one that does not take this kind,
 * or payloads that are none; -EFBIG: beyond the limits; -ENOMEM.
 */
int decoder_frame(struct decoder *d, const struct decode_call *c);

#endif
