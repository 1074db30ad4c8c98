/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link_model.h - a robot that sends over a link, in virtual time
 *
 * The supervisor (userspace/link) in the loop with a sender that paces, a
 * bottleneck with a queue, loss at random behind it, a receiver with another
 * clock, and reports that get lost as well. In an outage the queue drops, or
 * keeps a sample of whole frames as the optsample qdisc does. Steps of 1 ms;
 * the same seed is the same run.
 */
#ifndef LINK_SIM_H
#define LINK_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include "link/estimate.h"
#include "link/policy.h"

enum {
	LINK_SIM_TOPICS	= 8,
	LINK_SIM_ROW_MS	= 100,
};

/**
 * struct link_sim_change - from a time on
 * @time:	s
 * @rate:	bytes/s on the wire; 0: an outage
 * @loss:	at random, 0 .. 1
 * @delay:	one way, s
 */
struct link_sim_change {
	double	time, rate, loss, delay;
};

/**
 * struct link_sim_topic - what is sent
 */
struct link_sim_topic {
	const char		*name;
	struct plan_source	source;
	unsigned int		priority;
	bool			focus;
};

/**
 * struct link_sim_config - a run
 * @queue:	drop tail, s at the rate of the time
 * @jitter:	of the way back, s, exponential
 * @report_loss: of reports; negative: as that of the link
 * @drift:	of the receiver's clock, parts
 * @offset:	of that clock and of all counts at the beginning
 * @keep:	frames of each topic that are kept in an outage; 0: none
 * @local:	the bottleneck is the own device, whose statistics are known
 * @sampling:	and it is optsample
 * @restart:	the receiver restarts, s; 0: never
 * @garbage:	reports that are noise, per second
 * @focus_at:	when topic 0 is no longer the focus, but topic 1; 0: never
 */
struct link_sim_config {
	const struct link_sim_change	*changes;
	unsigned int		nchanges;
	double			duration;
	uint64_t		seed;
	double			queue, jitter, report_loss, drift;
	uint32_t		offset;
	unsigned int		keep;
	bool			local, sampling;
	double			restart, garbage, focus_at;
	struct rate_control_limits	limits;
	const struct link_sim_topic	*topics;
	unsigned int		ntopics;
};

/**
 * struct link_sim_row - LINK_SIM_ROW_MS of a run; rates in bytes/s on the wire
 * @queue:	delay of the queue of what is live, s
 * @delay:	mean of the datagrams that came, not of kept ones, s; 0: none
 * @received:	all, @kept: of it, of earlier epochs
 */
struct link_sim_row {
	double	time;
	double	capacity, sent, received, kept, dropped;
	double	queue, delay;
	double	real_loss;
	struct estimate	e;
	double	topic_rate[LINK_SIM_TOPICS];
	struct plan plan[LINK_SIM_TOPICS];
};

struct link_sim_result {
	struct link_sim_row	*rows;
	unsigned int	count;
	double		drained;	/* when the last kept one came, s */
	double		kept_bytes;
	unsigned int	epochs;
};

/* A robot with a camera, a lidar, odometry, a map and a scanner */
extern const struct link_sim_topic link_sim_robot[];
enum { LINK_SIM_ROBOT = 5 };

/* As a user would begin: 20 ms of delay, 200 ms of queue, the robot */
extern const struct link_sim_config link_sim_usual;

/**
 * link_sim_run() - a run
 *
 * Return: 0, @r to be freed with link_sim_free(), or -ENOMEM.
 */
int link_sim_run(const struct link_sim_config *c, struct link_sim_result *r);
void link_sim_free(struct link_sim_result *r);

/**
 * link_sim_trace_read() - a file of lines "seconds bit/s loss delay_ms"
 * @path: "-": stdin
 * @changes: to be freed, also after an error
 *
 * Return: 0 or a negative errno, reported in one line.
 */
int link_sim_trace_read(const char *path, struct link_sim_change **changes,
			unsigned int *count);

/**
 * link_sim_plot() - panels of capacity and rates, loss, delay, image bytes
 * @path: ends in .png, or is an SVG
 *
 * Return: 0 or a negative errno.
 */
int link_sim_plot(const struct link_sim_config *c,
		  const struct link_sim_result *r, const char *path);

#endif
