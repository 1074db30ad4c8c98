/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - encode a topic's messages into payloads of datagrams
 *
 * In: serialized messages of one kind, with the settings for each. Out:
 * payloads, each useful alone, and the data outside of them: the stamp, and
 * data for the announcement.
 */
#ifndef TRANSPORT_ENCODE_H
#define TRANSPORT_ENCODE_H

#include "codec/core/payload.h"
#include "codec/scan/vscan.h"
#include "ros/msg/message.h"
#include "transport/codec.h"
#include "transport/control.h"

/**
 * struct encode_options - of a topic, set by the user
 * @depths:	its name marks its images as depths
 * @intensity:	step of a cloud's intensities, 0: leave them out
 * @bits:	per axis, of a point's position in its voxel
 * @scan_resolution: of laser scans, m
 * @vscan:	of virtual scans
 */
struct encode_options {
	bool			depths;
	unsigned int		intensity;
	unsigned int		bits;
	double			scan_resolution;
	struct vscan_params	vscan;
};

#define ENCODE_DEFAULTS {					\
	.intensity = 1, .bits = 2, .scan_resolution = .01,	\
	.vscan = VSCAN_DEFAULTS,				\
}

/**
 * struct encode_order - settings of a frame
 * @codec:	one that takes this kind; replaced where it cannot be used: a
 *		cloud that is not organised is sent as blocks, a colour image as
 *		CODEC_MD instead of CODEC_DEPTH
 * @any:	the user did not choose it: CODEC_MD may become CODEC_DEPTH
 * @bytes:	largest sum of all payloads; exceeded if the codec cannot
 *		make them as small
 * @datagrams:	CODEC_MD, CODEC_DEPTH: least number to spread @bytes over
 * @loss:	expected loss rate, 0 .. 1; negative: not known
 * @burst:	mean length of a run of lost datagrams; 0: random
 * @parity:	of blobs, parity rows per data row
 * @resolution:	CODEC_RANGE: of ranges, m
 * @points:	CODEC_BLOCK: at most; 0: as many as @leaf leaves
 * @leaf:	CODEC_BLOCK: edge of a voxel, m; 0: derived from @points
 * @parts:	CODEC_LASERSCAN, CODEC_VSCAN: datagrams at least
 * @copies:	CODEC_VSCAN: of each
 */
struct encode_order {
	enum codec_id	codec;
	bool		any;
	size_t		bytes;
	unsigned int	datagrams;
	double		loss;
	double		burst;
	double		parity;
	double		resolution;
	unsigned int	points;
	double		leaf;
	unsigned int	parts, copies;
};

enum { ENCODE_FAULT = 96 };

/**
 * struct encode_result - result of encoding a message
 * @codec:	that was used
 * @points:	CODEC_BLOCK: number of points sent
 * @all:	CODEC_SPLIT: datagrams of the whole image
 * @pixels:	of an image
 * @look:	CODEC_MD: for the plan, without bytes
 * @stamp:	of its header, ns since the epoch
 * @frame_id, @encoding: for the announcement; the last one of images
 * @fault:	why an image was rejected, part of a sentence; empty: see the
 *		error
 */
struct encode_result {
	enum codec_id	codec;
	unsigned int	points, all, pixels;
	struct look	look;
	int64_t		stamp;
	char		frame_id[CONTROL_WORD];
	char		encoding[CONTROL_WORD];
	char		fault[ENCODE_FAULT];
};

struct encoder;

/* Return: to be freed with encoder_destroy(), NULL: no memory. */
struct encoder *encoder_create(enum message_kind kind,
			       const struct encode_options *options);
void encoder_destroy(struct encoder *e);

/**
 * encoder_encode() - encode a message
 * @stamp: of messages without a header
 * @out: filled; the number of its slots limits the frame
 *
 * Memory grows with the largest message so far, up to the limits of the codecs.
 *
 * Return: 0; -EBADMSG: its bytes or sizes are wrong; -EOPNOTSUPP: unknown
 * encoding; -EMSGSIZE, -ENOSPC: too large; -ENOMEM.
 */
int encoder_encode(struct encoder *e, enum message_format format,
		   const void *data, size_t len, int64_t stamp,
		   const struct encode_order *order, struct payloads *out,
		   struct encode_result *result);

#endif
