/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - how a topic travels with what it gets
 *
 * What varies without a seam (bytes of an image, points of a cloud, datagrams
 * of a map) follows the rate at once. What the operator would see flap (every
 * second frame, another mode) goes down when it must, and up again only with a
 * third more than it takes.
 *
 * All bytes/s are on the wire: a datagram costs PLAN_HEADERS beside its
 * payload.
 */
#ifndef LINK_PLAN_H
#define LINK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAN_HEADERS	= 52 + 28,	/* segment, UDP and IPv4 */
	PLAN_PAYLOAD	= 1420,
	PLAN_DATAGRAM	= PLAN_PAYLOAD + PLAN_HEADERS,
	PLAN_DATAGRAMS	= 255,		/* of an image, PRIORITY_DATAGRAMS */
	PLAN_POINTS	= 1000,		/* fewer are no cloud */
};

enum plan_kind {
	PLAN_IMAGE,			/* md.h */
	PLAN_SPLIT,			/* split.h */
	PLAN_CLOUD,
	PLAN_MAP,			/* tiles.h */
	PLAN_SCAN,			/* laserscan.h */
	PLAN_PLAIN,			/* small messages, one datagram each */
};

/* Of clouds, from the dearest */
enum plan_mode {
	PLAN_FINE,			/* organised, 2 mm */
	PLAN_COARSE,			/* organised, 1 cm */
	PLAN_VOXELS,
	PLAN_VSCAN,			/* landmarks and obstacles */
	PLAN_MODES,
};

/**
 * struct plan_source - a topic as it comes, and what it costs
 * @kind:	of it
 * @hz:		messages per second, of maps: updates; 0: not known, 10
 * @pixels:	of an image
 * @bytes:	of an image: most that are of use, e.g. of the exact one; 0: one
 *		a pixel. Of a scan, a plain message and an update of a map: what
 *		the last ones took, payloads; 0: not known
 * @images, @image: sub-images of a split image, and bytes of each
 * @organised:	a cloud of a spinning lidar
 * @vscan:	virtual scans can be made of it
 * @mode:	bytes (payloads) of the last frame in each mode; 0: not known
 * @points:	of all voxels; 0: not known
 * @point:	bytes of a voxel; 0: not known
 */
struct plan_source {
	enum plan_kind	kind;
	double		hz;
	uint32_t	pixels;
	uint32_t	bytes;
	uint32_t	images, image;
	bool		organised, vscan;
	uint32_t	mode[PLAN_MODES];
	uint32_t	points;
	double		point;
};

/**
 * struct plan - how to send; all zero to begin with
 * @on:		at all
 * @every:	how many messages there are for one that is sent, from 1
 * @hz:		messages that are sent, per second
 * @loss:	to protect an image for, 0 .. 1
 * @bytes:	of a frame: payloads together
 * @datagrams:	of a frame; of maps: of an update
 * @mode:	of a cloud
 * @points:	of a cloud, most; 0: all
 * @parts:	of a scan
 * @copies:	of each datagram of a scan
 * @parity:	datagrams of parity for each of data: plain messages
 */
struct plan {
	bool		on;
	unsigned int	every;
	double		hz;
	double		loss;
	uint32_t	bytes;
	unsigned int	datagrams;
	enum plan_mode	mode;
	uint32_t	points;
	unsigned int	parts, copies;
	double		parity;
};

/**
 * plan_needs() - for allocation_divide()
 * @loss: expected loss rate, 0..1
 * @floor: bytes/s without which the topic is of no use
 * @demand: bytes/s, the most of use
 */
void plan_needs(const struct plan_source *source, double loss, double *floor,
		double *demand);

/**
 * plan_modest() - bytes/s with which no image comes less often than it could
 * @loss: expected loss rate, 0..1
 *
 * Other kinds: what they want; it is little, or costs little to code.
 */
double plan_modest(const struct plan_source *source, double loss);

/**
 * plan_update() - make the best of a rate
 * @p: what was, and then is
 * @rate: bytes/s on the wire; 0: off
 */
void plan_update(struct plan *p, const struct plan_source *source, double rate,
		 double loss);

/* Bytes/s on the wire that it takes, on the average */
double plan_rate(const struct plan *p);

#endif
