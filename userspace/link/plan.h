/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - how a topic uses its allocated rate
 *
 * Continuous settings (bytes of an image, points of a cloud, datagrams of a
 * map) follow the rate at once. Steps that the operator would see flap (every
 * second frame, another mode) go down when they must, and up again only if the
 * rate has a reserve of a third.
 *
 * All rates are bytes/s on the wire: a datagram costs PLAN_HEADERS in addition
 * to its payload.
 */
#ifndef LINK_PLAN_H
#define LINK_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include "link/look.h"

enum {
	PLAN_HEADERS	= 52 + 28,	/* segment, UDP and IPv4 */
	PLAN_PAYLOAD	= 1420,
	PLAN_DATAGRAM	= PLAN_PAYLOAD + PLAN_HEADERS,
	PLAN_DATAGRAMS	= 255,		/* of an image, PRIORITY_DATAGRAMS */
	PLAN_POINTS	= 1000,		/* least points of a useful cloud */
};

enum plan_kind {
	PLAN_IMAGE,			/* md.h */
	PLAN_SPLIT,			/* split.h */
	PLAN_CLOUD,
	PLAN_MAP,			/* tiles.h */
	PLAN_SCAN,			/* laserscan.h */
	PLAN_PLAIN,			/* small messages, one datagram each */
};

/* Modes of clouds, most expensive first */
enum plan_mode {
	PLAN_FINE,			/* organised, 2 mm */
	PLAN_COARSE,			/* organised, 1 cm */
	PLAN_VOXELS,
	PLAN_VSCAN,			/* landmarks and obstacles */
	PLAN_MODES,
};

/**
 * struct plan_source - properties and costs of a topic
 * @kind:	enum plan_kind
 * @hz:		messages per second, of maps: updates; 0: not known, 10
 * @pixels:	of an image, if its look will be known; 0: no least size
 * @look:	of an image; if known, its frame rate is the one that looks best
 * @bytes:	of an image: largest useful size, e.g. of the exact one; 0: one
 *		byte per pixel. Of a scan, a plain message and an update of a
 *		map: payload bytes of the last ones; 0: not known
 * @images, @image: sub-images of a split image, and bytes of each
 * @organised:	a cloud of a spinning lidar
 * @vscan:	virtual scans can be made of it
 * @mode:	payload bytes of the last frame in each mode; 0: not known
 * @points:	number of all voxels; 0: not known
 * @point:	bytes of a voxel; 0: not known
 */
struct plan_source {
	enum plan_kind	kind;
	double		hz;
	uint32_t	pixels;
	struct look	look;
	uint32_t	bytes;
	uint32_t	images, image;
	bool		organised, vscan;
	uint32_t	mode[PLAN_MODES];
	uint32_t	points;
	double		point;
};

/**
 * struct plan - how to send; all zero initially
 * @on:		send it
 * @every:	send one of so many messages, from 1
 * @hz:		messages sent per second
 * @loss:	loss that an image is protected against, 0 .. 1
 * @bytes:	payload bytes of a frame
 * @datagrams:	of a frame; of maps: of an update
 * @mode:	of a cloud
 * @points:	most points of a cloud; 0: all
 * @parts:	of a scan
 * @copies:	of each datagram of a scan
 * @parity:	parity datagrams per data datagram: plain messages
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
 * @floor: out: least useful rate, bytes/s
 * @demand: out: largest useful rate, bytes/s
 */
void plan_needs(const struct plan_source *source, double loss, double *floor,
		double *demand);

/**
 * plan_modest() - bytes/s at which no image is sent less often than possible
 * @loss: expected loss rate, 0..1
 *
 * For other kinds their demand: it is small, or cheap to encode.
 */
double plan_modest(const struct plan_source *source, double loss);

/**
 * plan_update() - make the best plan for a rate
 * @p: the previous plan; updated
 * @rate: bytes/s on the wire; 0: off
 */
void plan_update(struct plan *p, const struct plan_source *source, double rate,
		 double loss);

/* Mean rate of the plan, bytes/s on the wire */
double plan_rate(const struct plan *p);

#endif
