// SPDX-License-Identifier: GPL-2.0-only
/*
 * topic_log - why a topic is sent so often, for --log-level debug
 */
#include <math.h>
#include "base/log.h"
#include "transport/topic_log.h"

static const char *why(const struct policy_topic *p)
{
	if (!p)
		return "it has no messages";
	if (!p->share.on)
		return "the rate is too small for it";
	if (!p->plan.on)
		return "its part of the rate is too small for a frame";
	return p->share.rate < 0.98 * p->share.demand ?
	       "the rate allows no more" : "it can use no more";
}

void topic_log_plan(struct topic_log *l, const char *name,
		    const struct send_options *o, double hz,
		    const struct policy_topic *p)
{
	const char *reason = why(p);

	if (!log_shows(LOG_DEBUG) ||
	    (reason == l->why && fabs(hz - l->hz) <= l->hz / 4))
		return;
	log_debug("%s: %.2g Hz, was %.2g: %s; it gets %.0f of %.0f kB/s, priority %u%s",
		  name, hz, l->hz, reason, p ? p->share.rate / 1e3 : 0,
		  p ? p->share.demand / 1e3 : 0, o->priority,
		  o->focus ? ", in focus" : "");
	l->why = reason;
	l->hz = hz;
}
