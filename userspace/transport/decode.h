/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - decode frames of datagrams into messages of a topic
 *
 * In: the received datagrams of a frame (reassembly.h), and the announcement of
 * its topic. Out: the message, with the stamp of the source, in the quality
 * that the received datagrams allow.
 */
#ifndef TRANSPORT_DECODE_H
#define TRANSPORT_DECODE_H

#include "transport/budget.h"
#include "transport/codec.h"
#include "transport/control.h"
#include "transport/reassembly.h"

/**
 * struct decode_limits - what an untrusted sender may make us allocate
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
 * struct decode_result - a message; @msg itself is valid during the callback,
 * and what it points to until the decoder's next frame
 * @suffix:	of the topic's name: "", "/landmark_scan", "/obstacle_scan"
 * @msg:	of @kind
 * @share:	fraction of what all datagrams would have shown, 0 .. 1: of the
 *		bytes of an image, of pixels, columns, points, tiles or beams
 * @exact:	identical to the original
 */
struct decode_result {
	const char		*suffix;
	enum message_kind	kind;
	const union message	*msg;
	double			share;
	bool			exact;
};

/**
 * struct decode_call - a frame to decode
 * @topic:	its announcement
 * @codec:	of its segments
 * @still:	the robot has not moved since the previous frame
 * @kept:	from before an outage: shown as it is, independent of newer ones
 * @again:	show a state even if it was shown before
 * @nearest:	sub-images: fill in as published, not by kriging
 * @quality:	of JPEG, where pictures are compressed again
 * @out, @arg:	called for each message
 * @budget, @reserved: private to the decoder
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
 * decoder_create() - create the decoder of a topic
 * @budget: limits of its stream; must outlive the decoder. NULL: no limits
 *
 * Return: to be freed with decoder_destroy(), NULL: no memory.
 */
struct decoder *decoder_create(const struct decode_limits *limits,
			       struct budget *budget);
void decoder_destroy(struct decoder *d);

/**
 * decoder_frame() - decode a frame and deliver its messages
 *
 * Return: 0; -ENODATA: nothing to show; -EOPNOTSUPP: unknown codec, of a newer
 * sender; -EPROTO: the codec does not take this kind, or the payloads are
 * invalid; -EFBIG: beyond the limits; -ENOMEM.
 */
int decoder_frame(struct decoder *d, const struct decode_call *c);

#endif
