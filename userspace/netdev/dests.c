// SPDX-License-Identifier: GPL-2.0-only
/*
 * Destinations of sampled flows, see dests.h.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <string.h>
#include <sys/socket.h>
#include "base/ip_addr.h"
#include "bpf/ros_tag.h"
#include "netdev/dests.h"
#include "netdev/route.h"

static struct ip_addr dest_addr(const struct ros_name *name,
				   const uint8_t daddr6[16])
{
	struct ip_addr a = { .family = AF_INET };

	if (name->kind == ROS_RTPS6 || name->kind == ROS_SEGMENT6) {
		a.family = AF_INET6;
		memcpy(a.addr, daddr6, 16);
	} else {
		memcpy(a.addr, &name->daddr, 4);
	}
	return a;
}

static struct dest *dest_find(struct dests *d, const struct ip_addr *a)
{
	for (int i = 0; i < d->n; i++)
		if (!memcmp(&d->v[i].addr, a, sizeof(*a)))
			return &d->v[i];
	return NULL;
}

/* Return: NULL if there is no room */
static struct dest *dest_get(struct dests *d, const struct ip_addr *a)
{
	struct dest *dest = dest_find(d, a);

	if (dest || d->n == DESTS_MAX)
		return dest;
	assert(d->n >= 0 && d->n < DESTS_MAX);
	dest = &d->v[d->n++];
	*dest = (struct dest){ .addr = *a };
	return dest;
}

static void dests_add_flows(struct dests *d, uint64_t sums[])
{
	struct ros_flow f;
	struct dest *dest;
	void *prev = NULL;
	uint32_t key;

	for (int k = 0; k < ROS_FLOWS_MAX &&
	     !bpf_map_get_next_key(d->flows, prev, &key); k++) {
		struct ip_addr a;

		prev = &key;
		if (bpf_map_lookup_elem(d->flows, &key, &f))
			continue;
		a = dest_addr(&f.name, f.daddr6);
		dest = dest_get(d, &a);
		if (!dest)
			continue;
		dest->here = true;
		sums[dest - d->v] += f.newest;
	}
}

/* The latest numbers of active flows are only in `recent`. */
static void dests_add_recent(struct dests *d, uint64_t sums[])
{
	struct ros_recent r;
	struct dest *dest;

	for (uint32_t i = 0; i < ROS_RECENT_MAX; i++) {
		struct ip_addr a;

		if (bpf_map_lookup_elem(d->recent, &i, &r) || !r.check)
			continue;
		a = dest_addr(&r.name, r.daddr6);
		dest = dest_find(d, &a);
		if (dest)
			sums[dest - d->v] += r.newest;
	}
}

bool dests_read(struct dests *d, uint64_t now)
{
	uint64_t sums[DESTS_MAX] = { 0 };
	bool changed = false;
	int n = 0;

	assert(d->n >= 0 && d->n <= DESTS_MAX);
	for (int i = 0; i < d->n; i++)
		d->v[i].here = false;
	dests_add_flows(d, sums);
	dests_add_recent(d, sums);
	for (int i = 0; i < d->n; i++) {
		struct dest *dest = &d->v[i];

		changed |= !dest->here || !dest->moved_at;
		if (!dest->here)
			continue;
		if (!dest->moved_at || sums[i] != dest->sum)
			dest->moved_at = now;
		dest->sum = sums[i];
		d->v[n++] = *dest;
	}
	assert(n <= d->n);
	d->n = n;
	return changed;
}

bool dest_used(const struct dest *d, uint64_t now)
{
	return now - d->moved_at < DESTS_USED_MS;
}
