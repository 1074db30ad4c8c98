/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec_cloud.h - what the codecs of point clouds share
 */
#ifndef TRANSPORT_CODEC_CLOUD_H
#define TRANSPORT_CODEC_CLOUD_H

#include "codec/cloud/rangeimage_cloud.h"
#include "transport/codec_impl.h"

#define CODEC_CLOUD_UNIT .002f /* m per count of an organised cloud */

/**
 * struct codec_cloud - a message to encode
 * @room:	points that @cloud can have
 * @organiser:	for codec_cloud_turn(), NULL before
 */
struct codec_cloud {
	unsigned int		room;
	struct cloud		*cloud;
	struct organiser	*organiser;
};

/* struct codec.input: a struct codec_cloud */
extern const struct codec_input codec_cloud_input;

/*
 * The cloud as a turn of a spinning lidar. Return: 0; CODEC_OTHER: it is none,
 * or it was moved; any cloud can go in blocks; -ENOMEM.
 */
int codec_cloud_turn(const struct encode_call *c, struct organised *turn);

/* Return: @ret, but CODEC_OTHER instead of an error of the data */
int codec_cloud_or_block(const struct encode_call *c, int ret);

/* struct codec.order and .learn of what is planned as a cloud */
void codec_cloud_order(struct encode_order *o, const struct codec_grant *g);
void codec_cloud_learn(struct plan_source *s, const struct codec_frame *f);

/**
 * struct codec_cloud_decoder - a codec's decoder of points
 * @create:	makes a decoder; NULL: no memory
 * @decode:	makes a cloud of the frame. Return: its valid payloads, or a
 *		negative errno
 */
struct codec_cloud_decoder {
	void	*(*create)(const struct decode_limits *limits);
	void	(*destroy)(void *decoder);
	int	(*decode)(void *decoder, const struct decode_call *c,
			  struct cloud *cloud);
};

/* struct codec.decode of these */
int codec_cloud_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_cloud_decoder *codec);
void codec_cloud_decode_free(void *state);

#endif
