/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage_format.h - format of a payload of rangeimage.h
 *
 *	0  version, 4 bits	1  resolution of intensities, 0: none
 *	0  sensor, 4 bits	2  number of this payload, 16 bits
 *	4  payloads, 16 bits	6  columns, 16 bits
 *	8  metres per count of range, float
 *	12 rings		13 1/100 degrees from column to column, float,
 *				   of a known sensor
 *	then one arithmetic code: the table of an unknown sensor, and column by
 *	column its azimuth and, ring by ring, flag, range, intensity.
 */
#ifndef CODEC_CLOUD_RANGEIMAGE_FORMAT_H
#define CODEC_CLOUD_RANGEIMAGE_FORMAT_H

#include <string.h>
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_prior.h"
#include "codec/core/coder.h"

enum {
	IMAGE_VERSION	= 1,
	IMAGE_HEADER	= 17,	/* bytes */
	IMAGE_TURN	= 36000,
	IMAGE_SENSORS	= 3,	/* known ones, and 0: unknown */
	ADVANCE_UNIT	= 64,	/* advances are coded in 1/64 of 1/100 degree */
	ADVANCE_MAX	= 2000,	/* 1/100 degree */
};

struct image_header {
	unsigned int	sensor, index, parts, rings, columns, intensity;
	float		unit;
	float		step;	/* of the head from column to column */
};

/* a column being coded; ring r is [r + 1], with an empty border */
struct image_line {
	uint16_t	range[ORGANISED_RINGS + 2];
	uint16_t	miss[ORGANISED_RINGS + 2];
	uint16_t	intensity[ORGANISED_RINGS + 2];
};

/**
 * struct image_model - state learnt in a payload
 * @last: range of the last return of each ring
 */
struct image_model {
	struct rc_bit		flag[PRIOR_FLAGS];
	struct rc_bit		range_above[PRIOR_RANGES][CODE_BUCKETS];
	struct rc_bit		intensity_above[PRIOR_RANGES][CODE_BUCKETS];
	struct rc_bit		azimuth_above[CODE_BUCKETS];
	struct rc_bit		table_above[CODE_BUCKETS];
	uint16_t		last[ORGANISED_RINGS + 1];
	struct image_line	line[3];
};

static inline void image_model_init(struct image_model *m)
{
	memset(m, 0, sizeof(*m));
	code_trained(m->flag, prior_flag, PRIOR_FLAGS);
	code_trained(m->range_above[0], prior_range[0],
		     PRIOR_RANGES * CODE_BUCKETS);
	rc_bits_init(m->intensity_above[0], PRIOR_RANGES * CODE_BUCKETS);
	rc_bits_init(m->azimuth_above, CODE_BUCKETS);
	rc_bits_init(m->table_above, CODE_BUCKETS);
}

/* MED: one of both neighbours, or the plane through all three */
static inline int image_predict(int west, int south, int south_west)
{
	int low = west < south ? west : south;
	int high = west < south ? south : west;

	if (south_west >= high)
		return low;
	if (south_west <= low)
		return high;
	return west + south - south_west;
}

/* Which neighbours had returns; the top ring has none above */
static inline unsigned int image_flag_context(const struct image_line *now,
					      const struct image_line *before,
					      const struct image_line *older,
					      unsigned int at, bool top)
{
	return (before->range[at] != 0) | (now->range[at - 1] != 0) << 1 |
	       (before->range[at + 1] != 0) << 2 |
	       (before->range[at - 1] != 0) << 3 |
	       (older->range[at] != 0) << 4 | top << 5;
}

/* Expected error of a prediction, from the neighbours' errors: 0 ... */
static inline unsigned int image_context(const struct image_line *now,
					 const struct image_line *before,
					 unsigned int at)
{
	unsigned int west = before->range[at], south = now->range[at - 1];
	/* 60 / weight: avoids a division */
	static const uint8_t share[] = { 0, 60, 30, 20, 15, 12, 10 };
	unsigned int sum = 0, weight = 0;

	if (!west && !south)
		return PRIOR_RANGES - 1;
	if (west) {
		sum += 2 * before->miss[at];
		weight += 2;
	}
	if (south) {
		sum += 2 * now->miss[at - 1];
		weight += 2;
	}
	if (before->range[at - 1]) {
		sum += before->miss[at - 1];
		weight++;
	}
	if (before->range[at + 1]) {
		sum += before->miss[at + 1];
		weight++;
	}
	sum = sum * share[weight] / 60;
	if (west && south)
		sum = (2 * sum + (west > south ? west - south :
				  south - west)) / 3;
	weight = 31 - __builtin_clz(sum + 1);
	return weight < PRIOR_RANGES - 2 ? weight : PRIOR_RANGES - 2;
}

INLINE int image_code_range(struct coder *c, struct image_model *m,
				 struct image_line *now,
				 const struct image_line *before,
				 unsigned int at)
{
	int west = before->range[at], south = now->range[at - 1];
	int south_west = before->range[at - 1], miss, predicted;
	unsigned int context = image_context(now, before, at);

	if (west && south && south_west)
		predicted = image_predict(west, south, south_west);
	else if (west || south)
		predicted = west ? west : south;
	else
		predicted = m->last[m->last[at] ? at : 0];
	miss = code_number(c, m->range_above[context],
			   context < PRIOR_RANGES - 1 ? context : 9,
			   now->range[at] - predicted);
	predicted += miss;
	if (predicted <= 0 || predicted > UINT16_MAX)
		return -1;
	now->range[at] = predicted;
	m->last[at] = m->last[0] = predicted;
	miss = miss < 0 ? -miss : miss;
	now->miss[at] = miss < INT16_MAX ? miss : INT16_MAX;
	return 0;
}

INLINE int image_code_intensity(struct coder *c, struct image_model *m,
				     struct image_line *now,
				     const struct image_line *before,
				     unsigned int at)
{
	int west = before->intensity[at], south = now->intensity[at - 1];
	int predicted = west, other = south;
	unsigned int context;

	if (!before->range[at])
		predicted = south;
	if (!now->range[at - 1])
		other = predicted;
	context = 32 - __builtin_clz((predicted > other ? predicted - other :
				      other - predicted) + 1);
	if (context > PRIOR_RANGES - 1)
		context = PRIOR_RANGES - 1;
	predicted = (predicted + other + 1) / 2;
	predicted += code_number(c, m->intensity_above[context],
				 context, now->intensity[at] - predicted);
	if (predicted < 0 || predicted > UINT8_MAX)
		return -1;
	now->intensity[at] = predicted;
	return 0;
}

/* Return: 0, or -1: an invalid column was read */
INLINE int image_code_column(struct coder *c, struct image_model *m,
				  const struct image_header *h,
				  struct image_line *now,
				  const struct image_line *before,
				  const struct image_line *older)
{
	for (unsigned int at = 1; at <= h->rings; at++) {
		unsigned int context = image_flag_context(now, before, older,
							  at, at == h->rings);

		if (!code_bit(c, &m->flag[context], now->range[at] != 0)) {
			now->range[at] = 0;
			now->intensity[at] = 0;
			continue;
		}
		if (image_code_range(c, m, now, before, at))
			return -1;
		if (h->intensity &&
		    image_code_intensity(c, m, now, before, at))
			return -1;
	}
	return 0;
}

/**
 * struct image_heading - azimuths from column to column
 * @step: the last one, 1/100 degree
 */
struct image_heading {
	int	azimuth, step;
};

INLINE int image_code_azimuth(struct coder *c, struct image_model *m,
				   struct image_heading *h, int azimuth)
{
	int step = (azimuth - h->azimuth + IMAGE_TURN) % IMAGE_TURN;

	step = h->step + code_number(c, m->azimuth_above, 1,
				     step - h->step);
	if (step < 0 || step >= IMAGE_TURN)
		return -1;
	h->step = step;
	h->azimuth = (h->azimuth + step) % IMAGE_TURN;
	return h->azimuth;
}

/* Reconstruct the table of a known sensor */
int image_sensor_table(unsigned int sensor, float step, struct organised *o);

#endif
