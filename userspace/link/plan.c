// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame rates and sizes for each kind of source.
 */
#include <math.h>
#include <string.h>
#include "plan.h"

static const double AGAIN = 1.33;	/* hysteresis of a step up */
static const double SLOWEST = 1;	/* Hz */
static const double QUALITY = 0.02;	/* bytes/pixel of smallest image */
static const double SMOOTH = 5;		/* Hz, about; below only if needed */
static const double BETTER = 0.12;	/* 0.5 dB, ln of the error */
static const double POINT = 1.4;	/* bytes of a voxel with its centroid */
static const double NOTHING = 0.005;	/* images that may be lost whole */
static const double RESIDUE = 0.02;	/* allowed loss after parity */
static const double PARITY_MOST = 3, PARITY_STEP = 0.25;

enum {
	IMAGE_LEAST	= 2 * PLAN_PAYLOAD,
	IMAGE_PAYLOAD	= 400,		/* bytes; less is mostly headers */
	SPLIT_LEAST	= 16,		/* sub-images */
	ORGANISED_PARTS	= 16,
	SCAN_PARTS	= 2,
	SCAN_BYTES	= 1100,		/* 720 beams, two bytes, and coded */
	PLAIN_BYTES	= 200,
	PLAIN_SKIP	= 4,		/* skip this many before less parity */
	MAP_DATAGRAMS	= 60,		/* of a whole map */
	EVERY_MOST	= 1000,
};

static double plan_hz(const struct plan_source *s)
{
	return isfinite(s->hz) && s->hz > 0 ? fmin(s->hz, 1000) : 10;
}

static unsigned int plan_count(double bytes)
{
	return fmax(ceil(bytes / PLAN_PAYLOAD), 1);
}

/* Bytes on the wire */
static double plan_cost(double bytes)
{
	return bytes + plan_count(bytes) * PLAN_HEADERS;
}

/* Payload bytes and datagrams of a frame that takes @wire bytes */
static uint32_t plan_fit(double wire, unsigned int *datagrams)
{
	double n = fmax(ceil(wire / PLAN_DATAGRAM), 1);

	*datagrams = n;
	return fmin(fmax(wire - n * PLAN_HEADERS, 1), n * PLAN_PAYLOAD);
}

static unsigned int plan_every_most(const struct plan_source *s)
{
	double most = floor(plan_hz(s) / SLOWEST + 1e-6);

	return fmin(fmax(most, 1), EVERY_MOST);
}

/*
 * Send one of how many messages if each costs @wire bytes? Less often as soon
 * as needed, more often again only if the rate has a reserve of AGAIN.
 */
static unsigned int plan_every(const struct plan *p,
			       const struct plan_source *s, double rate,
			       double wire)
{
	double every = ceil(wire * plan_hz(s) / rate - 1e-9);
	double better = ceil(AGAIN * wire * plan_hz(s) / rate - 1e-9);
	double most = plan_every_most(s);

	if (p->every && every < p->every)
		every = fmin(better, p->every);
	return fmin(fmax(every, 1), most);
}

static void plan_pace(struct plan *p, const struct plan_source *s,
		      unsigned int every)
{
	p->every = every;
	p->hz = plan_hz(s) / every;
}

/* ---- images ---- */

static double image_most(const struct plan_source *s)
{
	double most = s->bytes ? s->bytes : s->pixels;

	return fmin(fmax(most, 64), PLAN_DATAGRAMS * PLAN_PAYLOAD);
}

/* If it is known how it looks, an image may be as small as it has to be */
static double image_least(const struct plan_source *s)
{
	const double least = look_is_known(&s->look) ? PLAN_PAYLOAD :
			     fmax(QUALITY * s->pixels, IMAGE_LEAST);

	return fmin(least, image_most(s));
}

/* Below SLOWEST only if the rate is too low for one datagram per image */
static void plan_least(struct plan *p, double rate)
{
	if (rate >= p->hz * PLAN_DATAGRAM)
		return;
	p->hz = rate / PLAN_DATAGRAM;
	p->datagrams = 1;
	p->bytes = PLAN_PAYLOAD;
}

/* Enough datagrams that at most NOTHING of the images lose all of them */
static unsigned int image_datagrams(double bytes, double loss)
{
	double want = loss > 0 ? ceil(log(NOTHING) / log(fmin(loss, 0.95))) : 1;

	want = fmin(want, floor(bytes / IMAGE_PAYLOAD));
	return fmin(fmax(want, plan_count(bytes)), PLAN_DATAGRAMS);
}

static double image_cost(double bytes, double loss)
{
	return bytes + image_datagrams(bytes, loss) * PLAN_HEADERS;
}

/*
 * Of the intervals that the rate allows, from @least, the one that looks best;
 * another than now only if it is clearly better
 */
static unsigned int image_every(const struct plan *p,
				const struct plan_source *s, double rate,
				double loss, unsigned int least)
{
	const unsigned int last = fmax(round(plan_hz(s) / SMOOTH), least);
	const double full = image_cost(image_most(s), loss);
	double best = INFINITY, now = INFINITY;
	unsigned int every = least;

	for (unsigned int k = least; k <= last; k++) {
		const double wire = fmin(rate / plan_hz(s) * k, full);
		unsigned int datagrams;
		const double seen = look_mean(&s->look,
					      plan_fit(wire, &datagrams),
					      1 / plan_hz(s), k);

		if (seen < best) {
			best = seen;
			every = k;
		}
		if (k == p->every)
			now = seen;
		if (wire >= full)
			break;
	}
	return now < best + BETTER ? p->every : every;
}

static void plan_image(struct plan *p, const struct plan_source *s,
		       double rate, double loss)
{
	double most = image_most(s), wire, more;
	unsigned int every;

	every = plan_every(p, s, rate, plan_cost(image_least(s)));
	if (look_is_known(&s->look)) {
		const struct plan none = { 0 };

		every = plan_every(&none, s, rate, plan_cost(image_least(s)));
		every = image_every(p, s, rate, loss, every);
	}
	plan_pace(p, s, every);
	wire = fmin(rate / p->hz, image_cost(most, loss));
	p->bytes = plan_fit(wire, &p->datagrams);
	more = image_datagrams(p->bytes, loss);
	if (more > p->datagrams) {
		p->datagrams = more;
		p->bytes = wire - more * PLAN_HEADERS;
	}
	if (p->datagrams > PLAN_DATAGRAMS)
		p->datagrams = PLAN_DATAGRAMS;
	p->loss = loss;
	plan_least(p, rate);
	p->bytes = fmin(p->bytes, most);
}

static void image_needs(const struct plan_source *s, double loss, double *floor,
			double *demand)
{
	double hz = plan_hz(s), most = image_most(s);

	*floor = fmin(hz, SLOWEST) * plan_cost(fmin(PLAN_PAYLOAD, most));
	*demand = hz * image_cost(most, loss);
}

static double image_modest(const struct plan_source *s)
{
	return AGAIN * plan_hz(s) * plan_cost(image_least(s));
}

static void plan_split(struct plan *p, const struct plan_source *s, double rate,
		       double loss)
{
	double one = plan_cost(s->image ? s->image : PLAN_PAYLOAD);
	double all = s->images ? s->images : 256, n;

	(void)loss;
	plan_pace(p, s, plan_every(p, s, rate, one * fmin(SPLIT_LEAST, all)));
	n = fmin(fmax(floor(rate / p->hz / one), 1), all);
	if (rate < p->hz * one)
		p->hz = rate / one;
	p->datagrams = n;
	p->bytes = n * (s->image ? s->image : PLAN_PAYLOAD);
}

static void split_needs(const struct plan_source *s, double loss, double *floor,
			double *demand)
{
	double hz = plan_hz(s);
	double one = plan_cost(s->image ? s->image : PLAN_PAYLOAD);

	(void)loss;
	*floor = fmin(hz, SLOWEST) * one;
	*demand = hz * one * (s->images ? s->images : 256);
}

/* ---- clouds ---- */

static double cloud_point(const struct plan_source *s)
{
	return isfinite(s->point) && s->point > 0 ? s->point : POINT;
}

static double cloud_points(const struct plan_source *s)
{
	return s->points ? s->points : 15000;
}

/* Bytes of a frame on the wire; for voxels, of the smallest frame */
static double cloud_cost(const struct plan_source *s, enum plan_mode mode)
{
	static const uint32_t usual[PLAN_MODES] = { 21000, 17000, 0, 1200 };
	double bytes = s->mode[mode] ? s->mode[mode] : usual[mode];

	if (mode == PLAN_VOXELS)
		return plan_cost(fmin(PLAN_POINTS, cloud_points(s)) *
				 cloud_point(s));
	if (mode == PLAN_VSCAN)
		return bytes + 2 * PLAN_HEADERS;
	return bytes + fmax(plan_count(bytes), ORGANISED_PARTS) * PLAN_HEADERS;
}

static bool cloud_has(const struct plan_source *s, enum plan_mode mode)
{
	if (mode <= PLAN_COARSE)
		return s->organised;
	return mode == PLAN_VOXELS || s->vscan;
}

/* The best mode at the full rate; voxels and scans even at a lower one */
static enum plan_mode cloud_mode(const struct plan *p,
				 const struct plan_source *s, double rate)
{
	enum plan_mode last = s->vscan ? PLAN_VSCAN : PLAN_VOXELS;

	for (enum plan_mode m = PLAN_FINE; m < last; m++) {
		bool up = p->on && m < p->mode;
		double slack = m == PLAN_VOXELS && s->vscan ? 0.5 : 1;

		if (cloud_has(s, m) &&
		    rate >= cloud_cost(s, m) * plan_hz(s) * slack *
			    (up ? AGAIN : 1))
			return m;
	}
	return last;
}

static void plan_cloud(struct plan *p, const struct plan_source *s, double rate,
		       double loss)
{
	enum plan_mode mode = cloud_mode(p, s, rate);
	double cost = cloud_cost(s, mode), all = cloud_points(s);

	(void)loss;
	if (p->on && mode != p->mode)
		p->every = 0;
	p->mode = mode;
	plan_pace(p, s, plan_every(p, s, rate, cost));
	p->points = 0;
	if (rate < p->hz * cost)
		p->hz = rate / cost;
	if (mode != PLAN_VOXELS) {
		p->datagrams = mode == PLAN_VSCAN ? 2 : ORGANISED_PARTS;
		p->bytes = cost - p->datagrams * PLAN_HEADERS;
		return;
	}
	p->bytes = plan_fit(fmin(rate / p->hz,
				 plan_cost(all * cloud_point(s))),
			    &p->datagrams);
	p->points = fmin(p->bytes / cloud_point(s), all);
}

static void cloud_needs(const struct plan_source *s, double loss, double *floor,
			double *demand)
{
	double hz = plan_hz(s);
	double least = cloud_cost(s, s->vscan ? PLAN_VSCAN : PLAN_VOXELS);

	(void)loss;
	*floor = fmin(hz, SLOWEST) * least;
	*demand = AGAIN * hz *
		  (s->organised ? cloud_cost(s, PLAN_FINE) :
				  plan_cost(cloud_points(s) * cloud_point(s)));
}

/* ---- maps, scans, messages ---- */

static double map_bytes(const struct plan_source *s)
{
	return s->bytes ? s->bytes : MAP_DATAGRAMS * PLAN_PAYLOAD;
}

/*
 * Tiles are sent cyclically, changed ones first, as many datagrams as fit.
 * Datagrams are filled; an update with less than one is delayed.
 */
static void plan_map(struct plan *p, const struct plan_source *s, double rate,
		     double loss)
{
	double n = rate / plan_hz(s) / PLAN_DATAGRAM;

	(void)loss;
	n = fmin(n, plan_count(map_bytes(s)));
	p->every = 1;
	p->hz = n < 1 ? n * plan_hz(s) : plan_hz(s);
	p->datagrams = fmax(floor(n), 1);
	p->bytes = fmin(p->datagrams * PLAN_PAYLOAD, map_bytes(s));
}

static void map_needs(const struct plan_source *s, double loss, double *floor,
		      double *demand)
{
	double hz = plan_hz(s);

	(void)loss;
	*floor = fmin(hz, SLOWEST) * PLAN_DATAGRAM;
	*demand = hz * plan_cost(map_bytes(s));
}

static void plan_scan(struct plan *p, const struct plan_source *s,
		      double rate, double loss)
{
	double bytes = s->bytes ? s->bytes : SCAN_BYTES, cost;

	p->parts = fmax(plan_count(bytes), SCAN_PARTS);
	cost = bytes + p->parts * PLAN_HEADERS;
	/* at high loss, a copy of each scan is better than half-empty scans */
	p->copies = loss > (p->copies > 1 ? 0.25 : 0.35) &&
		    rate >= 2 * cost * plan_hz(s) *
			    (p->copies > 1 ? 1 : AGAIN) ? 2 : 1;
	cost *= p->copies;
	plan_pace(p, s, plan_every(p, s, rate, cost));
	if (rate < p->hz * cost)
		p->hz = rate / cost;
	p->bytes = bytes * p->copies;
	p->datagrams = p->parts * p->copies;
}

static void scan_needs(const struct plan_source *s, double loss, double *floor,
		       double *demand)
{
	double hz = plan_hz(s), one = s->bytes ? s->bytes : SCAN_BYTES;

	one += fmax(plan_count(one), SCAN_PARTS) * PLAN_HEADERS;
	*floor = fmin(hz, SLOWEST) * one;
	*demand = AGAIN * hz * one * (loss > 0.25 ? 2 : 1);
}

/* Parity with which at most RESIDUE of the messages are lost */
static double plain_parity(const struct plan *p, double loss)
{
	double want = loss > RESIDUE ? log(RESIDUE) / log(loss) - 1 : 0;
	double step = ceil(fmin(want, PARITY_MOST) / PARITY_STEP);

	/* reduce parity only if the loss is clearly lower */
	if (step * PARITY_STEP < p->parity &&
	    p->parity - want < 1.5 * PARITY_STEP)
		return p->parity;
	return fmax(step, 0) * PARITY_STEP;
}

static void plan_plain(struct plan *p, const struct plan_source *s,
		       double rate, double loss)
{
	double one = plan_cost(s->bytes ? s->bytes : PLAIN_BYTES);
	double parity = plain_parity(p, loss), spare;
	unsigned int every = plan_every(p, s, rate, one * (1 + parity));

	if (every > PLAIN_SKIP) {
		every = plan_every(p, s, rate, one);
		if (every < PLAIN_SKIP && plan_every_most(s) >= PLAIN_SKIP)
			every = PLAIN_SKIP;
	}
	plan_pace(p, s, every);
	spare = floor((rate / p->hz / one - 1) / PARITY_STEP) * PARITY_STEP;
	p->parity = fmax(fmin(parity, spare), 0);
	if (rate < p->hz * one)
		p->hz = rate / one;
	parity = p->parity;
	p->bytes = (one - plan_count(one) * PLAN_HEADERS) * (1 + parity);
	p->datagrams = 1;
}

static void plain_needs(const struct plan_source *s, double loss, double *floor,
			double *demand)
{
	double hz = plan_hz(s);
	double one = plan_cost(s->bytes ? s->bytes : PLAIN_BYTES);
	const struct plan none = { 0 };

	*floor = fmin(hz, SLOWEST) * one;
	*demand = AGAIN * hz * one *
		  (1 + plain_parity(&none, loss) + PARITY_STEP);
}

/* ---- all ---- */

/**
 * struct plan_ops - operations of a kind of source
 * @needs:	plan_needs(). If the plan has steps, the demand includes the
 *		reserve to return to the best step
 * @modest:	plan_modest(), if less than the demand of @needs, including the
 *		reserve to return to it; NULL: the same as the demand
 * @update:	plan_update(), with a rate that is not 0
 */
struct plan_ops {
	void (*needs)(const struct plan_source *s, double loss, double *floor,
		      double *demand);
	double (*modest)(const struct plan_source *s);
	void (*update)(struct plan *p, const struct plan_source *s, double rate,
		       double loss);
};

static const struct plan_ops plan_ops[] = {
	[PLAN_IMAGE] = { image_needs, image_modest, plan_image },
	[PLAN_SPLIT] = { split_needs, NULL, plan_split },
	[PLAN_CLOUD] = { cloud_needs, NULL, plan_cloud },
	[PLAN_MAP]   = { map_needs, NULL, plan_map },
	[PLAN_SCAN] = { scan_needs, NULL, plan_scan },
	[PLAN_PLAIN] = { plain_needs, NULL, plan_plain },
};

void plan_needs(const struct plan_source *s, double loss, double *floor,
		double *demand)
{
	plan_ops[s->kind].needs(s, loss, floor, demand);
}

double plan_modest(const struct plan_source *s, double loss)
{
	const struct plan_ops *ops = &plan_ops[s->kind];
	double floor, demand;

	ops->needs(s, loss, &floor, &demand);
	return ops->modest ? fmin(ops->modest(s), demand) : demand;
}

static double plan_sane(double v, double most)
{
	return isfinite(v) && v > 0 ? fmin(v, most) : 0;
}

void plan_update(struct plan *p, const struct plan_source *s, double rate,
		 double loss)
{
	rate = plan_sane(rate, 1e12);
	loss = plan_sane(loss, 0.95);
	if (rate <= 0) {
		memset(p, 0, sizeof(*p));
		return;
	}
	plan_ops[s->kind].update(p, s, rate, loss);
	p->on = true;
}

double plan_rate(const struct plan *p)
{
	double parity = 1 + p->parity;

	if (!p->on)
		return 0;
	return p->hz * (p->bytes + p->datagrams * parity * PLAN_HEADERS);
}
