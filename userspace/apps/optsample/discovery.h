/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DDS discovery: what topics there are, and who takes part.
 */
#ifndef OPTSAMPLE_CTL_DISCOVERY_H
#define OPTSAMPLE_CTL_DISCOVERY_H

#include "topics.h"

/**
 * struct discovery_ops - called by discovery_poll()
 * @topic:	a writer came or changed; @topic->why_not is not set
 * @topic_gone:	a writer went
 * @peer:	a participant came, with the time in which it is given up when
 *		nothing is heard of it (its lease), or went (@lease_ms 0)
 * @odometry:	the robot is there, m
 */
struct discovery_ops {
	void (*topic)(void *arg, const struct topic *topic);
	void (*topic_gone)(void *arg, const uint8_t *guid);
	void (*peer)(void *arg, const uint8_t *guid, uint64_t lease_ms);
	void (*odometry)(void *arg, double x, double y, double z);
};

struct discovery;

/**
 * discovery_open - take part in a DDS domain
 * @domain:	number
 * @dev:	interface to use unless CYCLONEDDS_URI says otherwise; NULL: any
 * @lease_s:	how long others remember us when they hear nothing
 *
 * Return: NULL if the domain cannot be entered now (no address yet);
 * discovery_why() then tells why
 */
struct discovery *discovery_open(uint32_t domain, const char *dev,
				 uint32_t lease_s);
const char *discovery_why(void);
/* Also read nav_msgs/Odometry from @topic (ROS or DDS name) */
int discovery_odometry(struct discovery *d, const char *topic);
/* Wait up to @timeout_ms for news, tell them. Return: negative errno */
int discovery_poll(struct discovery *d, uint32_t timeout_ms,
		   const struct discovery_ops *ops, void *arg);
void discovery_close(struct discovery *d);

/* Domain from the environment (ROS_DOMAIN_ID), else 0 */
uint32_t discovery_domain(void);

#endif
