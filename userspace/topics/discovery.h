/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DDS discovery: topics and participants.
 */
#ifndef TOPICS_DISCOVERY_H
#define TOPICS_DISCOVERY_H

#include "base/error.h"
#include "base/ip_addr.h"
#include "topics/topics.h"

/**
 * struct discovery_ops - called by discovery_poll(); each may be NULL
 * @topic:	a writer is new or changed; @topic->why_not is not set
 * @topic_gone:	a writer ended
 * @peer:	a participant is new, with its lease: the time after which it is
 *		dropped unless it is heard of; or ended (@lease_ms 0)
 * @odometry:	position of the robot, m
 * @foreign:	do packets of a participant at @n addresses never leave by the
 *		interface? 0: its addresses are not known
 */
struct discovery_ops {
	void (*topic)(void *arg, const struct topic *topic);
	void (*topic_gone)(void *arg, const uint8_t *guid);
	void (*peer)(void *arg, const uint8_t *guid, uint64_t lease_ms);
	void (*odometry)(void *arg, double x, double y, double z);
	bool (*foreign)(void *arg, const struct ip_addr *a, int n);
};

struct discovery;

/**
 * struct discovery_config - how to join a DDS domain
 * @domain:	its number
 * @dev:	interface to use unless CYCLONEDDS_URI says otherwise; NULL: any
 * @lease_s:	others drop us after this time without news, s
 * @log:	gets errors of DDS after the domain was joined, from any thread;
 *		@priority: of syslog(3); NULL: they are lost
 * @arg:	for @log
 */
struct discovery_config {
	uint32_t	domain;
	const char	*dev;
	uint32_t	lease_s;
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
};

/**
 * discovery_open() - join a DDS domain
 *
 * Only one at a time. Return: NULL if the domain cannot be joined now (no
 * address yet).
 */
struct discovery *discovery_open(const struct discovery_config *config,
				 struct error *error);
/* Return: false if built without Cyclone DDS: nothing opens */
bool discovery_built(void);
/* Also read nav_msgs/Odometry from @topic (ROS or DDS name) */
int discovery_odometry(struct discovery *d, const char *topic);
/* Wait up to @timeout_ms for news and report it. Return: negative errno */
int discovery_poll(struct discovery *d, uint32_t timeout_ms,
		   const struct discovery_ops *ops, void *arg);
void discovery_close(struct discovery *d);

#endif
