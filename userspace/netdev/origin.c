// SPDX-License-Identifier: GPL-2.0-only
/*
 * The routing tables tell where a participant is: addresses of this host are
 * local, those of another host are behind some interface. One address behind
 * ours decides: two hosts may have the same address on a bridge for containers,
 * which is local on both, but no host has only that one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>
#include "base/ip_addr.h"
#include "netdev/origin.h"
#include "netdev/route.h"

static bool origin_is_on(const char *path)
{
	FILE *f = fopen(path, "re");
	int on = 0;

	if (f) {
		if (fscanf(f, "%d", &on) != 1)
			on = 0;
		fclose(f);
	}
	return on;
}

static bool origin_forwards(int family)
{
	return origin_is_on(family == AF_INET ?
			    "/proc/sys/net/ipv4/ip_forward" :
			    "/proc/sys/net/ipv6/conf/all/forwarding");
}

bool origin_is_foreign(const struct ip_addr *a, int n, int ifindex)
{
	bool here = !n, forwarded = false;
	struct route r;

	for (int i = 0; i < n; i++) {
		if (route_find(&a[i], 0, &r))
			continue;
		if (r.type == RTN_LOCAL)
			here = true;
		else if (r.ifindex == ifindex)
			return true;
		else
			forwarded |= origin_forwards(a[i].family);
	}
	return !here && !forwarded;
}
