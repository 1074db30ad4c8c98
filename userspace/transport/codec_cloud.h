/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec_cloud.h - shared by the codecs of point clouds
 */
#ifndef TRANSPORT_CODEC_CLOUD_H
#define TRANSPORT_CODEC_CLOUD_H

#include "codec/cloud/rangeimage_cloud.h"
#include "transport/codec_impl.h"

#define CODEC_CLOUD_UNIT .002f /* m per count of an organised cloud */

/**
 * struct codec_cloud - a message to encode
 * @room:	points that @cloud can hold
 * @organiser:	for codec_cloud_turn(), NULL until needed
 */
struct codec_cloud {
	unsigned int		room;
	struct cloud		*cloud;
	struct organiser	*organiser;
};

/* struct codec.input: a struct codec_cloud */
extern const struct codec_input codec_cloud_input;

/*
 * Read the cloud as a revolution of a spinning lidar. Return: 0; CODEC_OTHER:
 * it is not one, or it was transformed: send it as blocks; -ENOMEM.
 */
int codec_cloud_turn(const struct encode_call *c, struct organised *turn);

/* Return: @ret, but CODEC_OTHER for an error of the data */
int codec_cloud_or_block(const struct encode_call *c, int ret);

/* struct codec.order and .learn of codecs planned as clouds */
void codec_cloud_order(struct encode_order *o, const struct codec_allocation *g);
void codec_cloud_learn(struct plan_source *s, const struct codec_frame *f);

/**
 * struct codec_cloud_decoder - a codec's decoder of points
 * @create:	creates a decoder; NULL: no memory
 * @decode:	decodes a frame to a cloud. Return: number of valid payloads,
 *		1 or more; or as decode_add()
 */
struct codec_cloud_decoder {
	void	*(*create)(const struct decode_limits *limits);
	void	(*destroy)(void *decoder);
	int	(*decode)(void *decoder, const struct decode_call *c,
			  struct cloud *cloud);
};

/* struct codec.decode of these codecs */
int codec_cloud_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_cloud_decoder *codec);
void codec_cloud_decode_free(void *state);

#endif
