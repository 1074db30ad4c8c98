// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permanent neighbour entries, see neigh.h.
 *
 * An entry is made permanent when the kernel has confirmed it (REACHABLE), or
 * when the link goes, with the link address that was confirmed last, or else
 * the one that the kernel used. When the link comes back, or the interface gets
 * an address, the entries become PROBE: the peer may be another one now (another
 * network with the same addresses, a replaced radio), or the address was forged.
 * A permanent entry is proof against forged ARP, but it must not live for ever.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../../bpf/ros_tag.h"
#include "neigh.h"
#include "route.h"
#include "state.h"

enum {
	NEIGH_ROUTES_MS	= 2000,	/* routes are looked up again */
	NEIGH_LLADDR	= 32,
	NEIGH_DESTS	= 4 * NEIGH_MAX,
	NEIGH_ADDRS	= 64,
	/* no sign of a new network: temporary, not usable yet, deprecated */
	NEIGH_ADDR_NOT	= IFA_F_TEMPORARY | IFA_F_TENTATIVE |
			  IFA_F_DADFAILED | IFA_F_DEPRECATED,
};

/**
 * struct neigh - an entry that is wanted
 * @addr:	of the next hop
 * @lladdr:	its link address, as it was confirmed last, and
 * @llen:	its length, 0: never
 * @asked:	the last thing we asked for is that it be permanent
 * @ours:	it is permanent, by our doing
 * @peer:	the user named it
 * @used:	a flow goes there
 */
struct neigh {
	struct route_addr	addr;
	uint8_t			lladdr[NEIGH_LLADDR];
	uint8_t			llen;
	bool			asked;
	bool			ours;
	bool			peer;
	bool			used;
};

/**
 * struct neigh_addrs - IPv6 addresses that an interface has
 *
 * Routers refresh them by the minute, and each time is an event like that of a
 * new one.
 */
struct neigh_addrs {
	int			n;
	struct in6_addr		v[NEIGH_ADDRS];
};

/**
 * struct neigh_table - those of an interface
 * @up:		it has its carrier, and
 * @changes:	how often that has come and gone
 * @full:	there was no room for one
 * @fresh:	one was added
 * @routes_at:	when to look up the routes again, ms
 * @dest:	where flows go
 * @ndests:	how many
 * @addrs:	own addresses
 */
struct neigh_table {
	char			dev[IFNAMSIZ];
	int			ifindex;
	int			flows;
	bool			up;
	uint32_t		changes;
	bool			full;
	bool			fresh;
	uint64_t		routes_at;
	struct route_addr	dest[NEIGH_DESTS];
	int			ndests;
	struct neigh_addrs	addrs;
	struct nl_sock		*events;
	int			n;
	struct neigh		v[NEIGH_MAX];
};

/*
 * Requests
 */

static int neigh_set(int ifindex, int family, const void *addr,
		     const void *lladdr, size_t llen, int state)
{
	struct ndmsg nd = {
		.ndm_family = family,
		.ndm_ifindex = ifindex,
		.ndm_state = state,
	};
	struct nl_msg *msg = netlink_request(RTM_NEWNEIGH, NLM_F_CREATE |
					     NLM_F_REPLACE, &nd, sizeof(nd));

	nla_put(msg, NDA_DST, route_addr_len(family), addr);
	nla_put(msg, NDA_LLADDR, llen, lladdr);
	return netlink_send(msg);
}

static int neigh_entry_set(const struct neigh_table *t, const struct neigh *e,
			   int state)
{
	return neigh_set(t->ifindex, e->addr.family, e->addr.addr, e->lladdr,
			 e->llen, state);
}

/* As if a packet were sent there: the kernel looks for the link address. */
static void neigh_resolve(const struct neigh_table *t, const struct neigh *e)
{
	struct ndmsg nd = {
		.ndm_family = e->addr.family,
		.ndm_ifindex = t->ifindex,
		.ndm_flags = NTF_USE,
	};
	struct nl_msg *msg = netlink_request(RTM_NEWNEIGH, NLM_F_CREATE, &nd,
					     sizeof(nd));

	nla_put(msg, NDA_DST, route_addr_len(e->addr.family), e->addr.addr);
	netlink_send(msg);
}

/*
 * DEV.neigh
 */

static void neigh_remember(const char *dev, const char *line)
{
	char path[CTL_PATH];
	FILE *f;

	state_path(dev, "neigh", path);
	f = fopen(path, "ae");
	if (!f)
		return;
	fprintf(f, "%s\n", line);
	fclose(f);
}

static bool neigh_parse(const char *text, struct route_addr *a)
{
	memset(a, 0, sizeof(*a));
	a->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	return inet_pton(a->family, text, a->addr) == 1;
}

/* Called before an entry becomes permanent, so that `down` finds it. */
static void neigh_save(const struct neigh_table *t)
{
	char path[CTL_PATH], temp[CTL_PATH + 8], text[INET6_ADDRSTRLEN];
	FILE *f;

	state_path(t->dev, "neigh", path);
	snprintf(temp, sizeof(temp), "%s.new", path);
	f = fopen(temp, "we");
	if (!f)
		return;
	for (int i = 0; i < t->n; i++) {
		const struct neigh *e = &t->v[i];

		inet_ntop(e->addr.family, e->addr.addr, text, sizeof(text));
		if (e->peer)
			fprintf(f, "peer %s\n", text);
		if (e->ours || e->asked)
			fprintf(f, "%s\n", text);
	}
	if (!fclose(f))
		rename(temp, path);
}

/*
 * What becomes of an entry
 */

static void neigh_make_permanent(struct neigh_table *t, struct neigh *e)
{
	bool known = e->ours || e->asked;

	e->ours = true;
	e->asked = true;
	if (!known)
		neigh_save(t);
	if (neigh_entry_set(t, e, NUD_PERMANENT)) {
		e->ours = false;
		e->asked = false;
	}
}

/* The kernel is to verify it, with the link address that it has. */
static void neigh_verify(struct neigh_table *t, struct neigh *e)
{
	e->ours = false;
	e->asked = false;
	neigh_entry_set(t, e, NUD_PROBE);
}

static void neigh_learn(struct neigh *e, const struct nlattr *lladdr)
{
	e->llen = nla_len(lladdr) > NEIGH_LLADDR ? 0 : nla_len(lladdr);
	memcpy(e->lladdr, nla_data(lladdr), e->llen);
}

/* The entry is @state now, or gone (0). */
static void neigh_changed(struct neigh_table *t, struct neigh *e, int state,
			  const struct nlattr *lladdr)
{
	if (state & NUD_PERMANENT && lladdr) {
		/* Events in the queue may be older than what we asked for. */
		e->ours |= e->asked;
		/* of an earlier run of the daemon */
		if (e->ours && !e->llen)
			neigh_learn(e, lladdr);
		return;
	}
	e->ours = false;
	/* It went with the link, before it was looked at. */
	if (!state && lladdr && !e->llen)
		neigh_learn(e, lladdr);
	if (state & NUD_REACHABLE && lladdr) {
		neigh_learn(e, lladdr);
		neigh_make_permanent(t, e);
	} else if (!t->up) {
		/* Kernel and network managers forget entries of a dead link. */
		if (e->llen)
			neigh_make_permanent(t, e);
	} else if (state & NUD_STALE && lladdr) {
		struct neigh probe = *e;

		neigh_learn(&probe, lladdr);
		neigh_entry_set(t, &probe, NUD_PROBE);
		e->asked = false;
	} else if (!state || state & NUD_FAILED) {
		neigh_resolve(t, e);
	}
}

static void neigh_link_down(struct neigh_table *t)
{
	t->up = false;
	for (int i = 0; i < t->n; i++)
		if (t->v[i].llen && !t->v[i].ours)
			neigh_make_permanent(t, &t->v[i]);
}

static void neigh_link_up(struct neigh_table *t)
{
	t->up = true;
	for (int i = 0; i < t->n; i++) {
		struct neigh *e = &t->v[i];

		if ((e->ours || e->asked) && e->llen)
			neigh_verify(t, e);
		else
			neigh_resolve(t, e);
	}
}

/*
 * Events
 */

static struct neigh *neigh_find(struct neigh_table *t,
				const struct route_addr *a)
{
	for (int i = 0; i < t->n; i++)
		if (t->v[i].addr.family == a->family &&
		    !memcmp(t->v[i].addr.addr, a->addr, sizeof(a->addr)))
			return &t->v[i];
	return NULL;
}

static void neigh_on_neigh(struct neigh_table *t, struct nlmsghdr *h)
{
	struct ndmsg *nd = nlmsg_data(h);
	struct route_addr a = { .family = nd->ndm_family };
	struct nlattr *tb[NDA_MAX + 1];
	struct neigh *e;

	if (nd->ndm_ifindex != t->ifindex ||
	    (a.family != AF_INET && a.family != AF_INET6) ||
	    nlmsg_parse(h, sizeof(*nd), tb, NDA_MAX, NULL) || !tb[NDA_DST] ||
	    nla_len(tb[NDA_DST]) != (int)route_addr_len(a.family))
		return;
	memcpy(a.addr, nla_data(tb[NDA_DST]), nla_len(tb[NDA_DST]));
	e = neigh_find(t, &a);
	if (e)
		neigh_changed(t, e, h->nlmsg_type == RTM_DELNEIGH ? 0 :
			      nd->ndm_state, tb[NDA_LLADDR]);
}

/* Events may be late, or lost: the carrier may have been away in between. */
static void neigh_on_link(struct neigh_table *t, struct nlmsghdr *h)
{
	const struct ifinfomsg *ifi = nlmsg_data(h);
	bool up = ifi->ifi_flags & IFF_UP && ifi->ifi_flags & IFF_RUNNING;
	struct nlattr *tb[IFLA_MAX + 1];
	uint32_t changes = t->changes;

	if (ifi->ifi_index != t->ifindex ||
	    nlmsg_parse(h, sizeof(*ifi), tb, IFLA_MAX, NULL))
		return;
	if (tb[IFLA_CARRIER_CHANGES])
		changes = nla_get_u32(tb[IFLA_CARRIER_CHANGES]);
	if (up && (!t->up || changes != t->changes))
		neigh_link_up(t);
	else if (!up && t->up)
		neigh_link_down(t);
	t->changes = changes;
}

static int neigh_addr_find(const struct neigh_addrs *a,
			   const struct in6_addr *addr)
{
	int i = 0;

	while (i < a->n && memcmp(&a->v[i], addr, sizeof(*addr)))
		i++;
	return i;
}

/* Return: one was added to @a. More than there is room for do not count. */
static bool neigh_addr_note(struct neigh_addrs *a, struct nlmsghdr *h)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	uint32_t flags = ifa->ifa_flags;
	struct nlattr *tb[IFA_MAX + 1], *own;
	struct in6_addr addr;
	int i;

	if (nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, NULL))
		return false;
	own = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!own || nla_len(own) != sizeof(addr))
		return false;
	memcpy(&addr, nla_data(own), sizeof(addr));
	if (tb[IFA_FLAGS])
		flags = nla_get_u32(tb[IFA_FLAGS]);
	i = neigh_addr_find(a, &addr);
	if (h->nlmsg_type == RTM_DELADDR) {
		if (i < a->n)
			a->v[i] = a->v[--a->n];
		return false;
	}
	if (i < a->n || i == NEIGH_ADDRS || flags & NEIGH_ADDR_NOT)
		return false;
	a->v[a->n++] = addr;
	return true;
}

static void neigh_on_addr(struct neigh_table *t, struct nlmsghdr *h)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	bool is_new = h->nlmsg_type == RTM_NEWADDR;

	if ((int)ifa->ifa_index != t->ifindex)
		return;
	if (ifa->ifa_family == AF_INET6)
		is_new = neigh_addr_note(&t->addrs, h);
	if (is_new && t->up)
		neigh_link_up(t);
}

static int neigh_on_event(struct nlmsghdr *h, void *arg)
{
	struct neigh_table *t = arg;

	if (h->nlmsg_type == RTM_NEWNEIGH || h->nlmsg_type == RTM_DELNEIGH)
		neigh_on_neigh(t, h);
	else if (h->nlmsg_type == RTM_NEWLINK)
		neigh_on_link(t, h);
	else if (h->nlmsg_type == RTM_NEWADDR || h->nlmsg_type == RTM_DELADDR)
		neigh_on_addr(t, h);
	return 0;
}

/*
 * Who is wanted
 */

/* Return: an entry to fill in, NULL if all are in use */
static struct neigh *neigh_free_entry(struct neigh_table *t)
{
	if (t->n < NEIGH_MAX)
		return &t->v[t->n++];
	for (int i = 0; i < t->n; i++) {
		struct neigh *e = &t->v[i];

		if (e->peer || e->used)
			continue;
		if (e->ours || e->asked)
			neigh_entry_set(t, e, NUD_STALE);
		return e;
	}
	if (!t->full)
		cli_warn("%s: more than %d next hops: the entries of the others are not kept",
			 t->dev, NEIGH_MAX);
	t->full = true;
	return NULL;
}

/* Return: that of @a, new or known; NULL if there is no room */
static struct neigh *neigh_get(struct neigh_table *t,
			       const struct route_addr *a)
{
	struct neigh *e = neigh_find(t, a);

	if (e)
		return e;
	e = neigh_free_entry(t);
	if (e) {
		*e = (struct neigh){ .addr = *a };
		t->fresh = true;
	}
	return e;
}

/* The next hop on the way to @to. Return: NULL if it is not by our link */
static struct neigh *neigh_want(struct neigh_table *t,
				const struct route_addr *to)
{
	struct route r;

	if (route_find(to, &r) || r.type != RTN_UNICAST ||
	    r.ifindex != t->ifindex)
		return NULL;
	return neigh_get(t, &r.via);
}

static struct route_addr neigh_flow_addr(const struct ros_flow *f)
{
	struct route_addr a = { .family = AF_INET };

	if (f->name.kind == ROS_RTPS6 || f->name.kind == ROS_SEGMENT6) {
		a.family = AF_INET6;
		memcpy(a.addr, f->daddr6, 16);
	} else {
		memcpy(a.addr, &f->name.daddr, 4);
	}
	return a;
}

/* Destinations of sampled flows, each once; of more than these some, too */
static int neigh_flow_addrs(int map, struct route_addr *a, int max)
{
	struct ros_flow f;
	void *prev = NULL;
	uint32_t key;
	int n = 0, i;

	for (int k = 0; k < ROS_FLOWS_MAX && n < max &&
	     !bpf_map_get_next_key(map, prev, &key); k++) {
		prev = &key;
		if (bpf_map_lookup_elem(map, &key, &f))
			continue;
		a[n] = neigh_flow_addr(&f);
		for (i = 0; memcmp(&a[i], &a[n], sizeof(*a)); i++)
			;
		n += i == n;
	}
	return n;
}

static void neigh_look(struct neigh_table *t)
{
	struct ndmsg nd = { .ndm_ifindex = t->ifindex };

	for (int i = 0; i < t->n && t->up; i++)
		if (!t->v[i].llen)
			neigh_resolve(t, &t->v[i]);
	netlink_dump(RTM_GETNEIGH, &nd, sizeof(nd), neigh_on_event, t);
}

/* Flows come without an event. Most of the time there is nothing new. */
static void neigh_scan(struct neigh_table *t, uint64_t now)
{
	static struct route_addr a[NEIGH_DESTS];
	int n = neigh_flow_addrs(t->flows, a, NEIGH_DESTS);
	struct neigh *e;

	if (now < t->routes_at && n == t->ndests &&
	    !memcmp(a, t->dest, n * sizeof(*a)))
		return;
	t->routes_at = now + NEIGH_ROUTES_MS;
	t->ndests = n;
	memcpy(t->dest, a, n * sizeof(*a));
	for (int i = 0; i < t->n; i++)
		t->v[i].used = false;
	for (int i = 0; i < n; i++) {
		e = neigh_want(t, &a[i]);
		if (e)
			e->used = true;
	}
	if (t->fresh)
		neigh_look(t);
	t->fresh = false;
}

/*
 * The table
 */

static int neigh_addr_seen(struct nlmsghdr *h, void *arg)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	struct neigh_table *t = arg;

	if (h->nlmsg_type == RTM_NEWADDR &&
	    (int)ifa->ifa_index == t->ifindex)
		neigh_addr_note(&t->addrs, h);
	return 0;
}

/* Return: there are some that were not there before */
static bool neigh_look_addrs(struct neigh_table *t)
{
	struct ifaddrmsg ifa = { .ifa_family = AF_INET6 };
	struct neigh_addrs old = t->addrs;
	bool any = false;

	t->addrs.n = 0;
	netlink_dump(RTM_GETADDR, &ifa, sizeof(ifa), neigh_addr_seen, t);
	for (int i = 0; i < t->addrs.n; i++)
		any |= neigh_addr_find(&old, &t->addrs.v[i]) == old.n;
	return any;
}

/* Events were lost. */
static void neigh_look_again(struct neigh_table *t)
{
	struct ifinfomsg ifi = { .ifi_index = t->ifindex };

	netlink_dump(RTM_GETLINK, &ifi, sizeof(ifi), neigh_on_event, t);
	if (neigh_look_addrs(t) && t->up)
		neigh_link_up(t);
	neigh_look(t);
}

/* Peers, and what an earlier run of the daemon made permanent */
static void neigh_load(struct neigh_table *t)
{
	char path[CTL_PATH], line[64];
	struct route_addr a;
	struct neigh *e;
	FILE *f;

	state_path(t->dev, "neigh", path);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		bool peer = !strncmp(line, "peer ", 5);

		line[strcspn(line, "\n")] = '\0';
		if (!neigh_parse(line + 5 * peer, &a))
			continue;
		/* There may be no route yet, but neither must be forgotten. */
		e = peer ? neigh_want(t, &a) : NULL;
		e = e ? e : neigh_get(t, &a);
		if (e && peer)
			e->peer = true;
		else if (e)
			e->ours = true;
	}
	if (f)
		fclose(f);
}

/* The interface is there, or another one has its name. */
static void neigh_start(struct neigh_table *t, int ifindex)
{
	struct ifinfomsg ifi = { .ifi_index = ifindex };

	t->ifindex = ifindex;
	t->n = 0;
	t->up = false;
	netlink_dump(RTM_GETLINK, &ifi, sizeof(ifi), neigh_on_event, t);
	neigh_look_addrs(t);
	neigh_load(t);
}

struct neigh_table *neigh_open(const char *dev, int flows)
{
	struct neigh_table *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	snprintf(t->dev, sizeof(t->dev), "%s", dev);
	t->flows = flows;
	t->events = netlink_listen(RTNLGRP_NEIGH);
	if (!t->events ||
	    nl_socket_add_memberships(t->events, RTNLGRP_LINK,
				      RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
				      0)) {
		neigh_close(t);
		return NULL;
	}
	return t;
}

void neigh_turn(struct neigh_table *t, uint64_t now)
{
	int ifindex = if_nametoindex(t->dev);

	if (ifindex && ifindex != t->ifindex) {
		neigh_start(t, ifindex);
		t->routes_at = now;
	}
	/* first: what has happened may be about a flow that has just begun */
	neigh_scan(t, now);
	if (netlink_receive(t->events, neigh_on_event, t))
		neigh_look_again(t);
}

bool neigh_is_full(const struct neigh_table *t)
{
	return t->full;
}

void neigh_close(struct neigh_table *t)
{
	nl_socket_free(t->events);
	free(t);
}

/* The discard port: the stack resolves the address, nobody listens. */
int neigh_peer(const char *dev, const char *peer)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	char line[64];
	int fd, err = 0;

	if (inet_pton(AF_INET, peer, &to.sin_addr) != 1)
		return cli_error(-EINVAL, "peer %s is not an IPv4 address",
				 peer);
	snprintf(line, sizeof(line), "peer %s", peer);
	neigh_remember(dev, line);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev, strlen(dev)) ||
	    sendto(fd, "", 0, MSG_DONTWAIT, (void *)&to, sizeof(to)) < 0)
		err = -errno;
	close(fd);
	return err;
}

struct neigh_release {
	int		ifindex;
	int		family;
	unsigned char	addr[16];
};

/* Only what is still permanent: an entry that the user changed is his. */
static int neigh_release_entry(struct nlmsghdr *h, void *arg)
{
	struct neigh_release *r = arg;
	struct ndmsg *nd = nlmsg_data(h);
	struct nlattr *tb[NDA_MAX + 1];

	if (nd->ndm_ifindex != r->ifindex || nd->ndm_family != r->family ||
	    !(nd->ndm_state & NUD_PERMANENT) ||
	    nlmsg_parse(h, sizeof(*nd), tb, NDA_MAX, NULL) ||
	    !tb[NDA_DST] || !tb[NDA_LLADDR] ||
	    memcmp(nla_data(tb[NDA_DST]), r->addr, nla_len(tb[NDA_DST])))
		return 0;
	neigh_set(r->ifindex, r->family, nla_data(tb[NDA_DST]),
		  nla_data(tb[NDA_LLADDR]), nla_len(tb[NDA_LLADDR]),
		  NUD_STALE);
	return 1;
}

void neigh_release(const char *dev, int ifindex)
{
	struct neigh_release r = { .ifindex = ifindex };
	struct ndmsg nd = { .ndm_ifindex = r.ifindex };
	char path[CTL_PATH], line[64];
	FILE *f;

	state_path(dev, "neigh", path);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		r.family = strchr(line, ':') ? AF_INET6 : AF_INET;
		if (inet_pton(r.family, line, r.addr) == 1)
			netlink_dump(RTM_GETNEIGH, &nd, sizeof(nd),
				     neigh_release_entry, &r);
	}
	fclose(f);
	unlink(path);
}
