// SPDX-License-Identifier: GPL-2.0-only
/*
 * velodyne - data packets of a VLP-16 to revolutions of ranges
 *
 * A packet is 12 blocks of two firings of 16 lasers (in dual return mode 6
 * pairs of blocks), each block with the azimuth of its first laser; the azimuth
 * of the second firing is halfway to the next block. A turn is copied out when
 * it is complete, as the packet that ends it begins the next one.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "formats/velodyne.h"

enum {
	BLOCKS		= 12,
	BLOCK_BYTES	= 100,
	BLOCK_FLAG	= 0xeeff,
	TIME_AT		= BLOCKS * BLOCK_BYTES,
	MODE_AT		= TIME_AT + 4,
	MODEL_AT	= TIME_AT + 5,
	MODE_STRONGEST	= 0x37,
	MODE_LAST	= 0x38,
	MODE_DUAL	= 0x39,
	MODEL_VLP16	= 0x22,
	MODEL_HIRES	= 0x24,
	TURN		= 36000,	/* 1/100 degree */
	/* two firings at 20 turns a second turn 80 of these units */
	STEP_MAX	= 200,
	/* the azimuth of a stopped sensor jitters by less */
	JITTER		= 100,
	LATE_US		= 1000000,
};

#define HOUR_US		3600000000LL
#define LASER_US	2.304f
#define FIRING_US	55.296f

/* avoids rows that share the same cache lines */
enum { ROW = ORGANISED_COLUMNS + 64 };

struct velodyne {
	uint16_t	range[VELODYNE_RINGS][ROW];
	uint8_t		intensity[VELODYNE_RINGS][ROW];
	uint16_t	azimuth[ORGANISED_COLUMNS];
	unsigned int	columns;
	uint64_t	first_us;	/* of column 0 */

	bool		begun, started;	/* first packet, first turn */
	uint64_t	now_us;		/* of the last packet */
	uint32_t	clock_us;
	unsigned int	last;		/* azimuth of the last column */
	float		step;		/* azimuth from firing to firing */

	/* the complete turn */
	uint16_t	out_range[VELODYNE_RINGS * ORGANISED_COLUMNS];
	uint8_t		out_intensity[VELODYNE_RINGS * ORGANISED_COLUMNS];
	uint16_t	out_azimuth[ORGANISED_COLUMNS];
};

struct velodyne *velodyne_create(void)
{
	return calloc(1, sizeof(struct velodyne));
}

void velodyne_destroy(struct velodyne *v)
{
	free(v);
}

/* Lasers fire -15, 1, -13, 3 ... 15 degrees */
static unsigned int ring_of(unsigned int laser)
{
	return laser / 2 + (laser & 1) * (VELODYNE_RINGS / 2);
}

static void velodyne_describe(const struct velodyne *v, unsigned int model,
			      struct organised *out)
{
	for (unsigned int laser = 0; laser < VELODYNE_RINGS; laser++) {
		unsigned int ring = ring_of(laser);
		int elevation = 200 * (int)ring - 1500;

		/* steps of 4/3 instead of 2 degrees */
		if (model == MODEL_HIRES)
			elevation = (2 * elevation +
				     (elevation > 0 ? 1 : -1)) / 3;
		out->elevation[ring] = elevation;
		out->advance[ring] = v->step * (LASER_US / FIRING_US) * laser;
	}
}

static void velodyne_hand_over(struct velodyne *v, unsigned int model,
			       struct organised *out)
{
	unsigned int n = v->columns;

	for (unsigned int ring = 0; ring < VELODYNE_RINGS; ring++) {
		memcpy(v->out_range + ring * n, v->range[ring],
		       n * sizeof(*v->out_range));
		memcpy(v->out_intensity + ring * n, v->intensity[ring], n);
	}
	memcpy(v->out_azimuth, v->azimuth, n * sizeof(*v->azimuth));
	out->rings = VELODYNE_RINGS;
	out->columns = n;
	out->unit = 0.002f;
	out->range = v->out_range;
	out->intensity = v->out_intensity;
	out->azimuth = v->out_azimuth;
	out->stamp = v->first_us * 1000;
	velodyne_describe(v, model, out);
}

/* Fill columns that were not received, or not measured */
static void fill_gap(struct velodyne *v, unsigned int azimuth)
{
	float gap = azimuth - v->last;
	unsigned int missing, left = ORGANISED_COLUMNS - 1 - v->columns;

	if (v->step <= 0 || azimuth < v->last || gap < 1.5f * v->step)
		return;
	missing = gap / v->step - 0.5f;
	if (missing > left)
		missing = left;
	for (unsigned int i = 1; i <= missing; i++) {
		unsigned int c = v->columns++;

		for (unsigned int ring = 0; ring < VELODYNE_RINGS; ring++)
			v->range[ring][c] = v->intensity[ring][c] = 0;
		v->azimuth[c] = v->last + gap * i / (missing + 1) + 0.5f;
	}
}

/* The farther of two returns of a firing; with one, @a is @b */
static void take_firing(struct velodyne *v, unsigned int c, const uint8_t *a,
			const uint8_t *b)
{
	for (unsigned int laser = 0; laser < VELODYNE_RINGS; laser++) {
		unsigned int ring = ring_of(laser);
		unsigned int range = get_le16(a + 3 * laser);
		unsigned int other = get_le16(b + 3 * laser);
		uint8_t intensity = a[3 * laser + 2];

		if (other > range) {
			range = other;
			intensity = b[3 * laser + 2];
		}
		v->range[ring][c] = range;
		v->intensity[ring][c] = range ? intensity : 0;
	}
}

/**
 * struct firing - direction and time of a firing
 * @turn: a new turn begins here, whatever the azimuth is
 */
struct firing {
	const uint8_t	*a, *b;
	unsigned int	azimuth;
	float		after_us;
	bool		turn;
};

/* Return: whether a turn became complete */
static bool add_firing(struct velodyne *v, const struct firing *f,
		       unsigned int model, struct organised *out, bool had)
{
	bool complete = false;

	if (v->begun && (f->turn || f->azimuth + JITTER < v->last ||
			 v->columns == ORGANISED_COLUMNS)) {
		complete = v->started && v->columns && !had;
		if (complete)
			velodyne_hand_over(v, model, out);
		v->started = true;
		v->columns = 0;
	}
	v->begun = true;
	if (v->started) {
		if (!v->columns)
			v->first_us = v->now_us + (uint64_t)f->after_us;
		else
			fill_gap(v, f->azimuth);
		assert(v->columns < ORGANISED_COLUMNS);
		take_firing(v, v->columns, f->a, f->b);
		v->azimuth[v->columns++] = f->azimuth;
	}
	v->last = f->azimuth;
	return complete;
}

static int velodyne_check(const uint8_t *packet, size_t len)
{
	unsigned int mode, model;

	if (len != VELODYNE_PACKET)
		return -EINVAL;
	mode = packet[MODE_AT];
	model = packet[MODEL_AT];
	if (mode < MODE_STRONGEST || mode > MODE_DUAL ||
	    (model != MODEL_VLP16 && model != MODEL_HIRES))
		return -EINVAL;
	for (int b = 0; b < BLOCKS; b++) {
		const uint8_t *block = packet + b * BLOCK_BYTES;

		if (get_le16(block) != BLOCK_FLAG ||
		    get_le16(block + 2) >= TURN)
			return -EINVAL;
	}
	return 0;
}

/*
 * The sensor's clock wraps every hour. Return: us since the last packet,
 * -EALREADY if this one is older, -ESTALE if it cannot follow it: the sensor
 * was restarted.
 */
static int64_t since_last(const struct velodyne *v, uint32_t clock_us)
{
	int64_t ahead = (HOUR_US + clock_us - v->clock_us) % HOUR_US;

	if (!ahead || HOUR_US - ahead < LATE_US)
		return -EALREADY;
	return ahead > HOUR_US / 2 ? -ESTALE : ahead;
}

/*
 * Rotation from firing to firing: the mean over the packet; a limited field of
 * view makes it jump
 */
static void learn_step(struct velodyne *v, const unsigned int *azimuth,
		       unsigned int n)
{
	unsigned int sum = 0, count = 0;

	for (unsigned int i = 0; i + 1 < n; i++) {
		unsigned int d = (azimuth[i + 1] + TURN - azimuth[i]) % TURN;

		if (d <= STEP_MAX) {
			sum += d;
			count += 2;
		}
	}
	if (!count)
		return;
	if (v->step > 0)
		v->step += ((float)sum / count - v->step) / 8;
	else
		v->step = (float)sum / count;
}

static unsigned int half_way(const struct velodyne *v,
			     const unsigned int *azimuth, unsigned int i,
			     unsigned int n)
{
	unsigned int d = STEP_MAX + 1;

	if (i + 1 < n)
		d = (azimuth[i + 1] + TURN - azimuth[i]) % TURN;
	if (d > STEP_MAX)
		d = 2 * v->step + 0.5f;
	return (azimuth[i] + d / 2) % TURN;
}

/* Return: whether more than the rest of the turn was lost */
static bool note_time(struct velodyne *v, uint32_t clock_us,
		      unsigned int azimuth, int64_t us)
{
	float turned = us / FIRING_US * v->step;

	if (us == -ESTALE)
		v->now_us = clock_us;
	else
		v->now_us += us;
	v->clock_us = clock_us;
	/* half a turn of tolerance separates one more turn from none */
	return us == -ESTALE || (v->begun && v->step > 0 && turned >
		(azimuth + TURN - v->last) % TURN + TURN / 2);
}

int velodyne_add(struct velodyne *v, const void *packet, size_t len,
		 struct organised *out)
{
	const uint8_t *p = packet;
	unsigned int azimuth[BLOCKS], n, per;
	struct firing f = { 0 };
	int64_t us;
	bool done = false, turn;
	uint32_t clock_us;

	if (velodyne_check(p, len))
		return -EINVAL;
	clock_us = get_le32(p + TIME_AT) % HOUR_US;
	us = v->begun ? since_last(v, clock_us) : (int64_t)clock_us;
	if (us == -EALREADY)
		return 0;
	per = p[MODE_AT] == MODE_DUAL ? 2 : 1;
	n = BLOCKS / per;
	for (unsigned int i = 0; i < n; i++)
		azimuth[i] = get_le16(p + i * per * BLOCK_BYTES + 2);
	turn = note_time(v, clock_us, azimuth[0], us);
	learn_step(v, azimuth, n);
	for (unsigned int i = 0; i < 2 * n; i++) {
		const uint8_t *block = p + i / 2 * per * BLOCK_BYTES;

		f.a = block + 4 + (i & 1) * 3 * VELODYNE_RINGS;
		f.b = f.a + (per - 1) * BLOCK_BYTES;
		f.azimuth = i & 1 ? half_way(v, azimuth, i / 2, n) :
				    azimuth[i / 2];
		f.after_us = i * FIRING_US;
		f.turn = turn && !i;
		if (add_firing(v, &f, p[MODEL_AT], out, done))
			done = true;
	}
	return done;
}
