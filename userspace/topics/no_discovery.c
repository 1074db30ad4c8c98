// SPDX-License-Identifier: GPL-2.0-only
/*
 * In the place of discovery.c, where Cyclone DDS is missing: no topics of
 * ROS 2. Those of ROS 1 and segments of optsample-send need no DDS.
 */
#include <errno.h>
#include <stddef.h>
#include "base/error.h"
#include "topics/discovery.h"

bool discovery_built(void)
{
	return false;
}

struct discovery *discovery_open(const struct discovery_config *config,
				 struct error *error)
{
	(void)config;
	error_set(error, -EOPNOTSUPP,
		  "optsample was built without Cyclone DDS");
	return NULL;
}

int discovery_odometry(struct discovery *d, const char *topic)
{
	(void)d;
	(void)topic;
	return -EOPNOTSUPP;
}

int discovery_poll(struct discovery *d, uint32_t timeout_ms,
		   const struct discovery_ops *ops, void *arg)
{
	(void)d;
	(void)timeout_ms;
	(void)ops;
	(void)arg;
	return -EOPNOTSUPP;
}

void discovery_close(struct discovery *d)
{
	(void)d;
}
