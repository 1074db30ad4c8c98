// SPDX-License-Identifier: GPL-2.0-only
/*
 * Link estimate: compare reports with what was sent.
 *
 * A sample is the interval between two reports that name datagrams of this
 * epoch. It compares what was sent between their sending times with what
 * arrived between their arrivals. Arrival times are in this end's clock: now,
 * less the time the receiver held the datagram, less the return delay, which is
 * assumed constant.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "dip.h"
#include "estimate.h"
#include "history.h"
#include "min_delay.h"
#include "report_timeout.h"

#define SECOND		1000000000ULL
#define MS		(SECOND / 1000)

static const uint64_t REPORTED = 900 * MS; /* by two consecutive reports */
static const uint64_t RACE = 300 * MS;	/* old reports may arrive this long */
static const uint64_t SEEN = 200 * MS;	/* of a new rate, to judge it */
static const uint64_t SPAN = 300 * MS;	/* shorter samples are extended */
static const double FULL = 0.3;		/* of the deepest queue: may be full */
static const double MINUTE = 60;	/* memory of the deepest queue, s */

enum {
	PACKET		= 1500,
	HELD_MOST	= 30000000,	/* us; a longer round trip is invalid */
	TWIST		= 10000,	/* us, tolerated clock difference */
	FUTILE		= 3,		/* reports until a queue is disproved */
};

/**
 * struct estimate_point - one end of a sample
 * @valid:	the point is set
 * @arrived:	arrival of the newest datagram, ns
 * @reported:	arrival of the report, ns
 * @sent:	sums up to the newest datagram
 * @datagrams, @bytes, @kept: counts of the report
 */
struct estimate_point {
	bool			valid;
	uint64_t		arrived, reported;
	struct history_entry	sent;
	uint32_t		datagrams, bytes, kept;
};

/**
 * struct estimate_sample - of one span
 * struct estimate_sample - measurements between two points
 * @loss:	fraction of datagrams lost
 * @excess:	part of @loss beyond random loss
 * @count:	datagrams sent
 * @came:	received rate by the sender's clock, bytes/s
 * @whole:	all of it was sent at the current rate
 */
struct estimate_sample {
	struct rate_control_sample	x;
	double			loss, excess, count;
	double			came;
	bool			whole;
};

struct estimator {
	struct estimate		now;
	struct rate_control	steer;
	struct history		history;
	struct history_entry	sum;
	uint64_t		allowed_at, clock;

	/* reports */
	bool			heard;
	uint32_t		number, echo;
	uint64_t		heard_at, progress_at, reported_at;
	uint64_t		sent_then;	/* datagrams, at progress_at */
	uint64_t		sent_heard;	/* and at heard_at */
	struct report_timeout	timeout;
	struct estimate_point	point;

	/* delays, us and s */
	int64_t			transit;
	uint32_t		transit_low;
	struct min_delay	transit_least, round_least;
	double			transit_queue, round_queue, round_before;
	double			usual, noise;	/* @round_queue when idle */
	unsigned int		futile;

	/* loss */
	bool			loss_known;
	double			random, peak;
	double			sent_before, came_before;
	struct dip		dip;
	double			deepest;	/* queue of last minute, s */

	/* outages */
	uint64_t		blind_at, drain_at;
	double			before, drained;
	bool			stuck;	/* reports arrive, data does not */
	struct estimate_point	total;

	/* the own device */
	struct link_stats	link;
	uint64_t		link_at;
	bool			waiting;
};

struct estimator *estimator_create(const struct rate_control_limits *limits)
{
	static const struct rate_control_limits usual = { 32e3, 1e3, 1e9 };
	struct estimator *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	rate_control_init(&e->steer, limits ? limits : &usual);
	min_delay_reset(&e->transit_least);
	min_delay_reset(&e->round_least);
	e->now.rate = e->steer.rate;
	return e;
}

void estimator_destroy(struct estimator *e)
{
	free(e);
}

const struct estimate *estimate_of(const struct estimator *e)
{
	return &e->now;
}

const char *estimate_why(const struct estimator *e)
{
	static const char *const states[] = {
		[ESTIMATE_START] = "no report from the receiver yet",
		[ESTIMATE_BLIND] = "no reports: the link is down",
		[ESTIMATE_DRAIN] = "kept messages leave, too",
	};
	static const char *const phases[] = {
		[RATE_CONTROL_GROW] = "it grows, as nothing queues",
		[RATE_CONTROL_HOLD] = "a little less than what passes",
		[RATE_CONTROL_PROBE] = "a probe whether more passes",
		[RATE_CONTROL_DIP] = "a test whether less loses less",
	};

	return e->now.state == ESTIMATE_LIVE ? phases[e->steer.phase] :
					       states[e->now.state];
}

void estimate_demand(struct estimator *e, double demand)
{
	if (isfinite(demand) && demand >= 0)
		e->steer.demand = demand;
}

/* Make the caller's clock monotonic */
static uint64_t estimate_clock(struct estimator *e, uint64_t now)
{
	if (now < e->clock)
		now = e->clock;
	if (e->allowed_at)
		e->sum.allowed += (now - e->allowed_at) * 1e-9 * e->now.rate;
	e->allowed_at = now;
	e->clock = now;
	return now;
}

static bool estimate_is_sampled(const struct estimator *e)
{
	return e->link.known && e->link.sampling;
}

/* Publish the rate of rate control, as far as the state allows */
static void estimate_publish(struct estimator *e)
{
	const struct rate_control_limits *l = &e->steer.limits;
	struct estimate *n = &e->now;
	double rate = e->steer.rate;

	/*
	 * A sampling queue may get more than it can send. After an outage, the
	 * kept messages must not slow down the rate of the live ones.
	 */
	if (n->state == ESTIMATE_BLIND)
		rate = estimate_is_sampled(e) ? e->before / 4 :
						fmin(rate, e->before / 4);
	else if (n->state == ESTIMATE_DRAIN)
		rate = fmin(rate, e->steer.capacity / 2);
	n->rate = fmax(fmin(rate, l->most), l->floor);
	n->capacity = e->steer.capacity;
	n->queue = fmax(e->transit_queue, 0);
}

void estimate_limits(struct estimator *e,
		     const struct rate_control_limits *limits)
{
	rate_control_limit(&e->steer, limits);
	estimate_publish(e);
}

void estimate_sent(struct estimator *e, uint64_t now, unsigned int datagrams,
		   uint64_t bytes)
{
	now = estimate_clock(e, now);
	if (!e->sum.datagrams)
		e->progress_at = now;
	assert(now / 1000 >= e->sum.time);
	e->sum.time = now / 1000;
	e->sum.datagrams += datagrams;
	e->sum.bytes += bytes + (uint64_t)datagrams * ESTIMATE_OVERHEAD;
	history_add(&e->history, &e->sum);
}

/* ---- outages ---- */

static void estimate_blind(struct estimator *e, uint64_t now, bool stuck)
{
	double best = fmax(e->steer.capacity, rate_control_best(&e->steer, 2));

	assert(e->now.state != ESTIMATE_BLIND);
	e->now.state = ESTIMATE_BLIND;
	e->blind_at = now;
	e->stuck = stuck;
	e->before = fmax(best, e->steer.limits.start);
	e->total.valid = false;
}

static void estimate_recover(struct estimator *e, uint64_t now)
{
	assert(e->now.state == ESTIMATE_BLIND);
	e->now.epoch++;
	e->now.state = ESTIMATE_DRAIN;
	e->drained = 0;
	e->drain_at = now;
	e->progress_at = now;
	e->sent_then = e->sent_heard = e->sum.datagrams;
	e->point.valid = false;
	e->total.valid = false;
	dip_forget(&e->dip);
	rate_control_pause(&e->steer, now, e->blind_at);
	rate_control_resume(&e->steer, now, e->before);
}

/* Reports arrive but no data, and the known loss cannot explain it */
static bool estimate_is_stuck(const struct estimator *e, uint64_t now)
{
	double sent = (double)e->sent_heard - e->sent_then;
	double loss = fmin(fmax(e->now.loss_high, 0.01), 0.95);

	return now - e->progress_at > REPORT_TIMEOUT_LEAST &&
	       e->heard_at - e->progress_at > REPORTED && sent * -log(loss) > 7;
}

void estimate_tick(struct estimator *e, uint64_t now)
{
	now = estimate_clock(e, now);
	if (e->heard && e->now.state != ESTIMATE_BLIND) {
		if (now - e->heard_at > report_timeout_patience(&e->timeout))
			estimate_blind(e, now, false);
		else if (estimate_is_stuck(e, now))
			estimate_blind(e, now, true);
		else
			rate_control_tick(&e->steer, now);
	}
	e->now.fresh = e->heard && now - e->heard_at < SECOND;
	estimate_publish(e);
}

/* ---- delays ---- */

static void estimate_rebase(struct estimator *e)
{
	min_delay_reset(&e->transit_least);
	min_delay_reset(&e->round_least);
	e->transit_queue = e->round_queue = e->round_before = 0;
	e->futile = 0;
}

static void estimate_delays(struct estimator *e, uint64_t now,
			    const struct control_report *r, uint32_t round)
{
	int32_t step = r->transit - e->transit_low;

	e->round_before = e->round_queue;
	if (!e->now.round_trip)
		step = 0;
	/* another receiver or a forged report: a different clock */
	if (abs(step / 1000) > 10000)
		estimate_rebase(e);
	e->transit += step;
	e->transit_low = r->transit;
	e->transit_queue = min_delay_add(&e->transit_least, now, e->transit) *
			   1e-6;
	e->round_queue = min_delay_add(&e->round_least, now, round) * 1e-6;
	e->now.round_trip = fmax(round, 1) * 1e-6;
	e->steer.way = fmin(round, 4000000) * 1000;
}

/* Learn the variation of the round trip without queues */
static void estimate_learn_noise(struct estimator *e, double packet)
{
	double d = e->round_queue - e->usual;

	if (e->transit_queue > 0.006 + packet || e->round_queue > 0.15)
		return;
	e->usual = fmin(e->usual + 0.2 * d, 0.06);
	e->noise = fmin(e->noise + 0.2 * (fabs(d) - e->noise), 0.06);
}

/* ---- loss ---- */

static void estimate_loss(struct estimator *e, const struct estimate_sample *s,
			  bool congested)
{
	double part = 1 - exp(-s->x.span / 0.8), slow = 1 - exp(-s->x.span / 4);
	double weight = s->count / (s->count + 5), d;
	struct estimate *n = &e->now;
	/* congestion loss ends when the rate falls */
	bool forced = congested ||
		      (e->steer.capacity &&
		       s->x.sent > 1.1 * e->steer.capacity);
	double real = forced && s->excess ? e->random : s->loss;
	double sane = (real * s->count + 5 * e->random) / (s->count + 5);

	if (!e->loss_known) {
		n->loss = s->loss * weight;
		e->random = forced ? 0 : n->loss;
		e->loss_known = s->count > 20;
	}
	n->loss += part * weight * (s->loss - n->loss);
	d = s->loss - e->random;
	/* loss that lasts after we slowed down is not caused by us */
	if ((forced || e->steer.phase != RATE_CONTROL_HOLD) && d > 0)
		part = forced ? slow / 2 : slow;
	e->random += part * weight * d;
	e->random = fmin(fmax(e->random, 0), 0.98);
	e->peak += slow * (e->random - e->peak);
	e->peak = fmax(e->peak, sane);
	n->loss_high = fmin(fmax(e->random, e->peak), 0.95);
}

/*
 * Loss beyond random loss, 0 if it is not significant.
 * @sigmas: required significance
 */
static double estimate_excess(const struct estimator *e, double loss,
			      double count, double sigmas)
{
	double p = fmax(e->random, 0.01), n = fmax(count, 1);
	double sigma = sqrt(p * (1 - p) / n) + 1 / n;

	if (!e->loss_known || loss - e->random < 0.02 + sigmas * sigma)
		return 0;
	/* at high loss the excess is uncertain: be conservative */
	return loss - e->random - (e->random > 0.3 ? sigma : 0);
}

/* Transmission time of a datagram at the bottleneck, s; less is no queue */
static double estimate_packet(const struct estimator *e)
{
	double capacity = fmax(e->steer.capacity, e->now.rate);

	return fmin(PACKET / capacity, 0.1);
}

/* Weak evidence of a queue, sufficient only together with loss */
static bool estimate_hints(const struct estimator *e)
{
	return e->round_queue - e->usual >
	       fmax(0.3 * estimate_packet(e), 2 * e->noise + 0.002);
}

/* ---- samples ---- */

static double estimate_bytes(uint32_t bytes, uint32_t datagrams)
{
	return bytes + (double)datagrams * ESTIMATE_OVERHEAD;
}

/*
 * Detect a queue too short to see: more is sent than before, but no more
 * arrives. Both are counts, which jitter does not affect.
 */
static bool estimate_is_flat(struct estimate_sample *s, double sent,
			     double came)
{
	double noise = sqrt(s->loss / fmax(1 - s->loss, 0.01) / s->count);
	double grew = s->x.sent / fmax(sent, 1) - 1;
	double more = s->came / fmax(came, 1) - 1;

	if (!came || grew < fmax(0.05, 2 * noise) ||
	    more > grew / 2 - 0.7 * noise || more < -0.3)
		return false;
	s->excess = fmax(s->excess, s->loss - (1 - came / sent));
	s->x.through = fmin(s->x.through, s->came * sent / came);
	return true;
}

/*
 * Can the queue be full? A full queue is never short, so the minimum delay must
 * be near that of the deepest queue seen.
 */
static bool estimate_may_be_full(const struct estimator *e)
{
	return e->transit_queue >= FULL * e->deepest - 0.001;
}

/* Is the increase without effect, since the last sample or the last hold? */
static bool estimate_is_in_vain(const struct estimator *e,
				struct estimate_sample *s)
{
	if (e->steer.phase == RATE_CONTROL_HOLD ||
	    e->steer.phase == RATE_CONTROL_DIP || !estimate_may_be_full(e))
		return false;
	if (e->dip.count && estimate_is_flat(s, e->dip.sent, e->dip.came))
		return true;
	return e->steer.phase == RATE_CONTROL_GROW &&
	       estimate_is_flat(s, e->sent_before, e->came_before);
}

static bool estimate_is_congested(const struct estimator *e,
				  struct estimate_sample *s)
{
	bool trying = e->steer.phase != RATE_CONTROL_HOLD;
	double packet = estimate_packet(e);
	double round = e->round_queue - e->usual - 2 * e->noise - packet;
	double transit = e->transit_queue - packet;

	if (trying && e->link.known &&
	    e->link.backlog > 0.02 * e->steer.capacity + 2 * PACKET)
		return true;
	if (transit > (trying ? 0.008 : 0.025) ||
	    round > (trying ? 0.01 : 0.04))
		return true;
	if (estimate_is_in_vain(e, s))
		return true;
	if (!s->excess)
		return false;
	if (trying && estimate_hints(e))
		return true;
	return transit > 0.006 || round > 0.01;
}

/*
 * A single slow answer before the first hold: wait for the next report, as it
 * may be a busy processor. Ending the start phase too early costs seconds.
 */
static bool estimate_is_doubtful(const struct estimator *e,
				 const struct estimate_sample *s)
{
	return !e->steer.settled && !s->excess &&
	       !(e->link.known && e->link.backlog > 2 * PACKET) &&
	       e->transit_queue < 0.004 && e->round_queue - e->usual < 0.04;
}

/*
 * A queue that does not shrink although less is sent is not a queue: the path
 * delay has increased. Restart with the new delay as minimum.
 */
static bool estimate_is_futile(struct estimator *e,
			       const struct estimate_sample *s)
{
	double less = 1 - s->x.sent / fmax(e->steer.capacity, 1);
	double fell = e->round_before - e->round_queue;

	if (s->excess || less < 0.04 || fell > 0.25 * less * s->x.span ||
	    e->steer.phase != RATE_CONTROL_HOLD) {
		e->futile = 0;
		return false;
	}
	if (++e->futile < FUTILE)
		return false;
	estimate_rebase(e);
	return true;
}

/* Bytes queued on the path; @passes: fraction not dropped */
static double estimate_backlog(const struct estimator *e, uint64_t now,
			       const struct estimate_point *p, double through,
			       double passes)
{
	double out = (e->sum.bytes - p->sent.bytes) * passes;
	double way = e->now.round_trip - e->round_queue + e->usual;
	/* time held by the receiver plus one round trip */
	double since = (now - p->arrived) * 1e-9 +
		       fmin(way, e->now.round_trip);

	return fmax(out - through * since, 0);
}

static bool estimate_measure(const struct estimator *e, uint64_t now,
			     const struct estimate_point *p,
			     struct estimate_sample *s)
{
	const struct estimate_point *o = &e->point;
	double sent = p->sent.bytes - o->sent.bytes, came, passes;
	double time = (p->sent.time - o->sent.time) * 1e-6;
	uint32_t live = p->bytes - p->kept - (o->bytes - o->kept);
	uint32_t bytes = p->bytes - o->bytes;
	double share = bytes ? (double)live / bytes : 0;

	/* ending a probe by mistake costs little */
	double sigmas = e->steer.phase == RATE_CONTROL_HOLD ||
					e->random > 0.3 || !estimate_hints(e) ?
				3 :
				1.5;

	memset(s, 0, sizeof(*s));
	s->x.span = (p->arrived - o->arrived) * 1e-9;
	s->count = p->sent.datagrams - o->sent.datagrams;
	if (time <= 0 || s->count < 1)
		return false;
	came = estimate_bytes(live, share * (p->datagrams - o->datagrams));
	s->loss = fmax(1 - came / sent, 0);
	s->excess = estimate_excess(e, s->loss, s->count, sigmas);
	assert(s->loss >= 0 && s->loss <= 1 && s->excess >= 0);
	s->x.sent = sent / time;
	passes = 1 - fmin(s->excess / (1 - e->random),
			  e->random > 0.3 ? 0.6 : 0.98);
	s->x.through = sent / s->x.span * passes;
	s->came = came / time;
	s->x.noise = 2 * e->noise;
	s->x.backlog = estimate_backlog(e, now, p, s->x.through, passes);
	s->x.limited = sent < 0.8 * (p->sent.allowed - o->sent.allowed);
	s->x.observed = p->sent.time * 1000 >= e->steer.changed + SEEN;
	s->whole = o->sent.time * 1000 >= e->steer.changed;
	return true;
}

/* A sample during a dip, see dip.h */
static void estimate_dip(struct estimator *e, uint64_t now,
			 const struct estimate_sample *s)
{
	struct dip *d = &e->dip;
	double capacity;

	if (!s->whole)
		return;
	switch (dip_sample(d, now, s->x.sent, s->came, s->x.span, s->count)) {
	case DIP_ON:
		return;
	case DIP_LESS:
		e->steer.capacity = fmin(e->steer.capacity, d->sent);
		rate_control_dip(&e->steer, now, dip_begin(d));
		return;
	case DIP_TOLD:
		capacity = fmin(dip_capacity(d), e->steer.capacity);
		if (capacity < e->steer.capacity) {
			e->random = e->peak = dip_loss(d);
			e->now.loss_high = e->random;
			rate_control_forget(&e->steer, capacity);
		}
		rate_control_resume(&e->steer, now, capacity);
		break;
	default:
		rate_control_resume(&e->steer, now, e->steer.capacity);
	}
	dip_forget(d);
}

/* Much is lost while the rate is held: test whether the rate is the cause */
static void estimate_ask(struct estimator *e, uint64_t now,
			 const struct estimate_sample *s,
			 enum rate_control_phase was)
{
	if (s->x.congested ||
	    (was != RATE_CONTROL_HOLD && e->steer.phase == RATE_CONTROL_HOLD))
		dip_forget(&e->dip);
	else if (was == RATE_CONTROL_HOLD && s->whole && !s->x.limited)
		dip_held(&e->dip, s->x.sent, s->came, s->count);
	if (e->steer.phase == RATE_CONTROL_HOLD && !s->x.limited &&
	    e->now.state == ESTIMATE_LIVE && estimate_may_be_full(e) &&
	    dip_due(&e->dip, now, e->now.loss))
		rate_control_dip(&e->steer, now, dip_begin(&e->dip));
}

static void estimate_use(struct estimator *e, uint64_t now,
			 struct estimate_sample *s)
{
	enum rate_control_phase was = e->steer.phase;
	double packet = estimate_packet(e);

	e->deepest = fmax(e->deepest * exp(-s->x.span / MINUTE),
			  e->transit_queue);
	s->x.congested = estimate_is_congested(e, s);
	s->x.doubtful = s->x.congested && estimate_is_doubtful(e, s);
	if (s->x.doubtful || (s->x.congested && estimate_is_futile(e, s)))
		s->x.congested = false;
	if (!s->x.congested && e->steer.phase == RATE_CONTROL_HOLD)
		estimate_learn_noise(e, packet);
	s->x.clear = e->transit_queue < 0.004 && !s->excess &&
		     e->round_queue - e->usual < e->noise + 0.002;
	estimate_loss(e, s, s->x.congested);
	e->sent_before = s->x.sent;
	e->came_before = s->came;
	if (e->steer.phase == RATE_CONTROL_DIP && !s->x.congested) {
		estimate_dip(e, now, s);
		return;
	}
	rate_control_sample(&e->steer, now, &s->x);
	estimate_ask(e, now, s, was);
}

/* Are the counts impossible for what was sent? */
static bool estimate_is_absurd(const struct estimator *e,
			       const struct estimate_point *o,
			       const struct estimate_point *p)
{
	uint32_t bytes = p->bytes - o->bytes, kept = p->kept - o->kept;
	uint32_t datagrams = p->datagrams - o->datagrams;
	double sent = e->sum.bytes - o->sent.bytes;

	return kept > bytes || datagrams > bytes ||
	       (bytes - kept) > 2 * sent + 65536 || p->arrived < o->arrived;
}

/* ---- after an outage ---- */

/* While kept and live data both wait, all that arrives is the capacity */
static void estimate_drain(struct estimator *e, uint64_t now,
			   const struct estimate_point *p)
{
	const struct estimate_point *o = &e->total;
	const double span = (p->reported - o->reported) * 1e-9;
	uint32_t bytes = p->bytes - o->bytes, kept = p->kept - o->kept;
	uint32_t datagrams = p->datagrams - o->datagrams;
	double came = estimate_bytes(bytes, datagrams) / (1 - e->random);
	bool waits = estimate_is_sampled(e) &&
		     e->link.backlog > 0.05 * e->now.rate;

	assert(e->random >= 0 && e->random < 1);
	if (!o->valid)
		return;
	assert(p->reported - o->reported >= SPAN);
	/* few kept bytes: the kept messages have been delivered */
	if ((kept > 0.05 * bytes && came / span > 0.85 * e->drained) ||
	    waits) {
		/* the span was fully used if a queue remains at its end */
		if (e->transit_queue > 0.05)
			e->drained = came / span;
		if (e->drained > 0)
			rate_control_resume(
				&e->steer, now,
				fmin(fmax(e->drained, e->before / 8),
				     2 * e->before));
		e->drained = datagrams > 10 ? came / span : 0;
		return;
	}
	if (p->valid) {
		e->now.state = ESTIMATE_LIVE;
		rate_control_resume(&e->steer, now, e->steer.capacity);
	}
}

/* ---- reports ---- */

static bool estimate_is_new(struct estimator *e,
			    const struct control_report *r)
{
	int32_t ahead = r->number - e->number;
	bool newer = (int32_t)(r->echo - e->echo) > 0;

	if (!e->heard)
		return true;
	/* the receiver restarted; copies of reports have the same number */
	if (ahead < 0 && newer) {
		e->point.valid = e->total.valid = false;
		return true;
	}
	if (ahead > 0 && ahead < 1000)
		report_timeout_ends(&e->timeout, ahead);
	return ahead > 0;
}

static void estimate_point_of(struct estimator *e, uint64_t came,
			      uint64_t echo, const struct control_report *r,
			      struct estimate_point *p)
{
	*p = (struct estimate_point){
		.arrived	= came - r->held * 1000ULL,
		.reported	= e->clock,
		.datagrams	= r->datagrams,
		.bytes		= r->bytes,
		.kept		= r->kept,
	};
	p->valid = history_at(&e->history, echo, &p->sent) &&
		   (uint16_t)r->epoch == e->now.epoch;
}

/* Were only the reports lost, while the data arrived? */
static bool estimate_was_deaf(const struct estimator *e, uint64_t now,
			      uint64_t echo, const struct control_report *r)
{
	const struct estimate_point *o = &e->point;
	struct history_entry sum;
	double sent, came;

	if (!o->valid || (uint16_t)r->epoch != e->now.epoch ||
	    now - echo * 1000 > SECOND || !history_at(&e->history, echo, &sum))
		return false;
	sent = sum.bytes - o->sent.bytes;
	came = estimate_bytes(r->bytes - o->bytes,
			      r->datagrams - o->datagrams);
	return came > 0.7 * sent * (1 - e->now.loss_high);
}

static bool estimate_is_back(const struct estimator *e, uint64_t now,
			     const struct control_report *r)
{
	bool down = e->link.known && !e->link.carrier;

	return !(e->stuck && r->echo == e->echo) &&
	       !(down && now - e->blind_at < RACE);
}

static void estimate_alive(struct estimator *e, uint64_t now, uint64_t echo,
			   const struct control_report *r)
{
	if (e->now.state == ESTIMATE_START)
		e->now.state = ESTIMATE_LIVE;
	else if (e->now.state == ESTIMATE_BLIND &&
		 estimate_is_back(e, now, r)) {
		if (estimate_was_deaf(e, now, echo, r))
			e->now.state = ESTIMATE_LIVE;
		else
			estimate_recover(e, now);
	}
	if (!e->heard || r->echo != e->echo) {
		e->progress_at = now;
		e->sent_then = e->sum.datagrams;
	}
	e->heard = true;
	e->heard_at = now;
	e->sent_heard = e->sum.datagrams;
	e->number = r->number;
	e->echo = r->echo;
}

static void estimate_account(struct estimator *e, uint64_t now,
			     struct estimate_point *p)
{
	struct estimate_sample s;

	if (e->now.state == ESTIMATE_DRAIN) {
		if (e->total.valid && p->reported - e->total.reported < SPAN)
			return;
		estimate_drain(e, now, p);
		e->point = e->total = *p;
		e->total.valid = true;
		return;
	}
	if (!p->valid)
		return;
	if (e->point.valid && p->arrived - e->point.arrived < SPAN)
		return;
	if (e->point.valid && estimate_measure(e, now, p, &s))
		estimate_use(e, now, &s);
	e->point = *p;
}

/* Round trip, us; slightly negative ones are clock error and count as 0 */
static uint32_t estimate_round(uint64_t came, const struct control_report *r)
{
	uint32_t round = (uint32_t)(came / 1000) - r->echo - r->held;

	return -round < TWIST ? 0 : round;
}

int estimate_report(struct estimator *e, uint64_t came,
		    const struct control_report *r)
{
	/* more was sent while the report waited to be read */
	uint64_t now = estimate_clock(e, came), echo;
	uint32_t round = estimate_round(came, r);
	struct estimate_point p;

	if (!e->sum.datagrams || round > HELD_MOST ||
	    !history_time(now / 1000, r->echo, &echo))
		return -EINVAL;
	if (!estimate_is_new(e, r))
		return -EALREADY;
	estimate_alive(e, now, echo, r);
	estimate_point_of(e, came, echo, r, &p);
	if (e->point.valid && estimate_is_absurd(e, &e->point, &p))
		e->point.valid = e->total.valid = false;
	if (p.valid)
		estimate_delays(e, now, r, round);
	estimate_account(e, now, &p);
	e->now.fresh = true;
	estimate_publish(e);
	return 0;
}

/* ---- the own device ---- */

/* Is the local queue too long for the rate at which it drains? */
static bool estimate_waits(const struct estimator *e,
			   const struct link_stats *l, double served)
{
	double rate = fmax(e->steer.capacity, e->now.rate);

	if (e->link.backlog > 2 * PACKET)
		rate = fmin(rate, fmax(served, rate / 20));
	return l->backlog > fmax(0.05 * rate, 3 * PACKET);
}

static void estimate_queue(struct estimator *e, uint64_t now,
			   const struct link_stats *l)
{
	double time = (now - e->link_at) * 1e-9, served;
	bool waited = e->waiting;

	if (!e->link.known || time < 0.02 || l->ifindex != e->link.ifindex ||
	    l->bytes < e->link.bytes) {
		e->waiting = false;
		return;
	}
	served = (l->bytes - e->link.bytes) / time;
	e->waiting = estimate_waits(e, l, served);
	if (e->now.state == ESTIMATE_DRAIN && l->sampling && !e->waiting &&
	    !waited && now - e->drain_at > RACE) {
		e->now.state = ESTIMATE_LIVE;
		rate_control_resume(&e->steer, now, e->steer.capacity);
	}
	/* twice in a row: a single look may meet a burst */
	if (e->waiting && waited && (e->now.state == ESTIMATE_START ||
				     e->now.state == ESTIMATE_LIVE))
		rate_control_local(&e->steer, now, served, l->backlog);
}

void estimate_link(struct estimator *e, uint64_t now,
		   const struct link_stats *l)
{
	now = estimate_clock(e, now);
	if (l->known && !l->carrier && e->heard &&
	    e->now.state != ESTIMATE_BLIND)
		estimate_blind(e, now, false);
	else if (l->known)
		estimate_queue(e, now, l);
	e->link = *l;
	e->link_at = now;
	estimate_publish(e);
}
