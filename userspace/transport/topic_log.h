/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topic_log.h - why a topic is sent so often, for --log-level debug
 */
#ifndef TRANSPORT_TOPIC_LOG_H
#define TRANSPORT_TOPIC_LOG_H

#include "link/policy.h"
#include "transport/send_topic.h"

/**
 * struct topic_log - what was last logged of a topic; zeroed: nothing
 * @why:	the reason
 * @hz:		its rate, Hz
 */
struct topic_log {
	const char	*why;
	double		hz;
};

/**
 * topic_log_plan() - log why it is sent so often, each time that changes by a
 * quarter
 * @hz:		that it is sent at now
 * @p:		its plan; NULL: the topic is idle
 */
void topic_log_plan(struct topic_log *l, const char *name,
		    const struct send_options *o, double hz,
		    const struct policy_topic *p);

#endif
