// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permanent neighbour entries, see neigh.h.
 *
 * An entry becomes permanent when the kernel has confirmed it (REACHABLE), or
 * when the link goes down, with the last confirmed link address, or else the
 * one in use. When the link comes back, or the interface gets an address,
 * entries become PROBE: the peer may have changed (another network with the
 * same addresses, a replaced radio), or the address was forged. A permanent
 * entry is immune to forged ARP, but so it must not last for ever.
 */
#include <assert.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/error.h"
#include "base/ip_addr.h"
#include "base/log.h"
#include "netdev/dests.h"
#include "netdev/log.h"
#include "netdev/neigh.h"
#include "netdev/neigh_file.h"
#include "netdev/netlink.h"
#include "netdev/route.h"
#include "netdev/state.h"

enum {
	NEIGH_SCAN_MS	= 100,	/* interval of looks for flows */
	NEIGH_ROUTES_MS	= 2000,	/* interval of route lookups */
	NEIGH_LLADDR	= 32,
	NEIGH_ADDRS	= 64,
	/* not a sign of a new network: temporary, unusable, deprecated */
	NEIGH_ADDR_NOT	= IFA_F_TEMPORARY | IFA_F_TENTATIVE |
			  IFA_F_DADFAILED | IFA_F_DEPRECATED,
};

/**
 * struct neigh - a wanted entry
 * @addr:	of the next hop
 * @lladdr:	its last confirmed link address
 * @llen:	length of that, 0: none yet
 * @asked:	our last request was to make it permanent
 * @ours:	made permanent by us
 * @others:	made permanent by another program
 * @verify:	the kernel must verify it
 * @seen:	it was in the last dump, or in an event since
 * @dead:	the kernel has no link address for it
 * @peer:	next hop to a peer of the user
 * @used:	next hop of a flow
 */
struct neigh {
	struct ip_addr	addr;
	uint8_t			lladdr[NEIGH_LLADDR];
	uint8_t			llen;
	bool			asked;
	bool			ours;
	bool			others;
	bool			verify;
	bool			seen;
	bool			dead;
	bool			peer;
	bool			used;
};

/**
 * struct neigh_peer - a peer of the user
 * @addr:	as given
 * @via:	next hop, family 0: no route yet
 */
struct neigh_peer {
	struct ip_addr	addr;
	struct ip_addr	via;
};

/**
 * struct neigh_hop - a next hop in use
 * @via:	its address
 * @peer:	to a peer of the user, else to the destination of a flow
 */
struct neigh_hop {
	struct ip_addr	via;
	bool			peer;
};

/**
 * struct neigh_addrs - IPv6 addresses of an interface
 *
 * Routers refresh them every few minutes, with the same event as for a new
 * address.
 */
struct neigh_addrs {
	int			n;
	struct in6_addr		v[NEIGH_ADDRS];
};

/**
 * struct neigh_table - entries of an interface
 * @link:	the interface whose link counts
 * @keep:	device that gets copies of the entries, permanent; or 0
 * @up:		it has its carrier
 * @changes:	count of carrier changes
 * @full:	there are too many next hops
 * @full_logged: ... which was logged
 * @fresh:	an entry was added
 * @scanned_at:	when the maps were last read, ms
 * @routes_at:	when to look up the routes again, ms
 * @dests:	destinations of flows
 * @peers:	of the user
 * @npeers:	number of @peers
 * @addrs:	own addresses
 * @log:	gets warnings
 */
struct neigh_table {
	char			dev[IFNAMSIZ];
	int			ifindex;
	char			link[IFNAMSIZ];
	int			link_ifindex;
	int			keep;
	bool			up;
	uint32_t		changes;
	bool			full;
	bool			full_logged;
	bool			fresh;
	uint64_t		scanned_at;
	uint64_t		routes_at;
	struct dests		dests;
	struct neigh_peer	peers[NEIGH_PEERS];
	int			npeers;
	struct neigh_addrs	addrs;
	struct netdev_log	log;
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

	nla_put(msg, NDA_DST, ip_addr_len(family), addr);
	nla_put(msg, NDA_LLADDR, llen, lladdr);
	return netlink_send(msg);
}

static int neigh_entry_set(const struct neigh_table *t, const struct neigh *e,
			   int state)
{
	return neigh_set(t->ifindex, e->addr.family, e->addr.addr, e->lladdr,
			 e->llen, state);
}

/*
 * keep-DEV's routes are used when DEV has none. No host answers there, so
 * its entry gets the last known link address.
 */
static void neigh_set_copy(const struct neigh_table *t, const struct neigh *e)
{
	if (t->keep && e->llen)
		neigh_set(t->keep, e->addr.family, e->addr.addr, e->lladdr,
			  e->llen, NUD_PERMANENT);
}

static void neigh_delete_copy(const struct neigh_table *t,
			      const struct neigh *e)
{
	struct ndmsg nd = {
		.ndm_family = e->addr.family,
		.ndm_ifindex = t->keep,
	};
	struct nl_msg *msg;

	if (!t->keep)
		return;
	msg = netlink_request(RTM_DELNEIGH, 0, &nd, sizeof(nd));
	nla_put(msg, NDA_DST, ip_addr_len(e->addr.family), e->addr.addr);
	netlink_send(msg);
}

/*
 * Let the kernel resolve the link address, as for a packet. Not for a permanent
 * entry, which would lose its state (since Linux 5.17).
 */
static void neigh_resolve(const struct neigh_table *t, const struct neigh *e)
{
	struct ndmsg nd = {
		.ndm_family = e->addr.family,
		.ndm_ifindex = t->ifindex,
		.ndm_flags = NTF_USE,
	};
	struct nl_msg *msg;

	if (e->others)
		return;
	msg = netlink_request(RTM_NEWNEIGH, NLM_F_CREATE, &nd, sizeof(nd));
	nla_put(msg, NDA_DST, ip_addr_len(e->addr.family), e->addr.addr);
	netlink_send(msg);
}

/* Call it before an entry becomes permanent, so that `down` finds it. */
static void neigh_save(const struct neigh_table *t)
{
	FILE *f = neigh_file_begin(t->dev, t->ifindex);

	if (!f)
		return;
	for (int i = 0; i < t->npeers; i++)
		neigh_file_put(f, &t->peers[i].addr, true);
	for (int i = 0; i < t->n; i++)
		if (t->v[i].ours || t->v[i].asked)
			neigh_file_put(f, &t->v[i].addr, false);
	neigh_file_end(t->dev, f);
}

/*
 * State of an entry
 */

static void neigh_make_permanent(struct neigh_table *t, struct neigh *e)
{
	bool known = e->ours || e->asked;

	assert(e >= t->v && e < t->v + t->n);
	assert(!e->others);
	e->ours = true;
	e->asked = true;
	if (!known)
		neigh_save(t);
	if (neigh_entry_set(t, e, NUD_PERMANENT)) {
		e->ours = false;
		e->asked = false;
	}
}

/* Let the kernel verify it, with its current link address. */
static void neigh_verify(struct neigh_table *t, struct neigh *e)
{
	e->ours = false;
	e->asked = false;
	e->verify = true;
	neigh_entry_set(t, e, NUD_PROBE);
}

static void neigh_store_lladdr(struct neigh *e, const struct nlattr *lladdr)
{
	e->llen = nla_len(lladdr) > NEIGH_LLADDR ? 0 : nla_len(lladdr);
	memcpy(e->lladdr, nla_data(lladdr), e->llen);
}

static void neigh_set_lladdr(const struct neigh_table *t, struct neigh *e,
			     const struct nlattr *lladdr)
{
	struct neigh old = *e;

	neigh_store_lladdr(e, lladdr);
	if (e->llen != old.llen || memcmp(e->lladdr, old.lladdr, e->llen))
		neigh_set_copy(t, e);
}

static bool neigh_state_known(int state)
{
	return state & ~(NUD_INCOMPLETE | NUD_FAILED);
}

/* The entry is @state now, or removed (0). */
static void neigh_changed(struct neigh_table *t, struct neigh *e, int state,
			  const struct nlattr *lladdr)
{
	bool was_dead = e->dead;

	e->seen = true;
	e->dead = !neigh_state_known(state);
	if (state & NUD_PERMANENT && lladdr) {
		/* Queued events may be older than our last request. */
		e->ours |= e->asked;
		e->others = !e->ours;
		if (e->others)
			neigh_set_lladdr(t, e, lladdr);
		/*
		 * From an earlier run of the daemon: the network may have
		 * changed since.
		 */
		if (e->ours && !e->llen) {
			neigh_set_lladdr(t, e, lladdr);
			if (t->up)
				neigh_verify(t, e);
		}
		return;
	}
	e->ours = false;
	e->others = false;
	/* Removed with the link, before we saw it. */
	if (!state && lladdr && !e->llen)
		neigh_set_lladdr(t, e, lladdr);
	if (state & NUD_REACHABLE && lladdr) {
		neigh_set_lladdr(t, e, lladdr);
		e->verify = false;
		neigh_make_permanent(t, e);
	} else if (!t->up) {
		/* Kernel and managers remove entries of a dead link. */
		if (e->llen)
			neigh_make_permanent(t, e);
	} else if (state & NUD_STALE && lladdr) {
		struct neigh probe = *e;

		neigh_store_lladdr(&probe, lladdr);
		neigh_entry_set(t, &probe, NUD_PROBE);
		e->asked = false;
	} else if (e->llen && (state ? e->asked && state & NUD_FAILED :
				       !was_dead)) {
		/*
		 * Flushed, e.g. with an address. It is needed at once. The
		 * kernel says first that it failed, which a permanent entry
		 * never does by itself.
		 */
		e->dead = false;
		neigh_verify(t, e);
	} else if ((e->peer || e->verify) && (!state || state & NUD_FAILED)) {
		/* Once: packets retry it, but a peer may have none. */
		e->verify = false;
		neigh_resolve(t, e);
	}
}

static void neigh_link_down(struct neigh_table *t)
{
	t->up = false;
	for (int i = 0; i < t->n; i++)
		if (t->v[i].llen && !t->v[i].ours && !t->v[i].others)
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
				const struct ip_addr *a)
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
	struct ip_addr a = { .family = nd->ndm_family };
	struct nlattr *tb[NDA_MAX + 1];
	struct neigh *e;

	if ((nd->ndm_ifindex != t->ifindex && nd->ndm_ifindex != t->keep) ||
	    (a.family != AF_INET && a.family != AF_INET6) ||
	    nlmsg_parse(h, sizeof(*nd), tb, NDA_MAX, NULL) || !tb[NDA_DST] ||
	    nla_len(tb[NDA_DST]) != (int)ip_addr_len(a.family))
		return;
	memcpy(a.addr, nla_data(tb[NDA_DST]), nla_len(tb[NDA_DST]));
	e = neigh_find(t, &a);
	/* The kernel flushes them with the last IPv4 address: restore them. */
	if (e && nd->ndm_ifindex != t->ifindex) {
		if (h->nlmsg_type == RTM_DELNEIGH)
			neigh_set_copy(t, e);
		return;
	}
	if (e)
		neigh_changed(t, e, h->nlmsg_type == RTM_DELNEIGH ? 0 :
			      nd->ndm_state, tb[NDA_LLADDR]);
}

/* Events may be late or lost: the carrier may have changed in between. */
static void neigh_on_link(struct neigh_table *t, struct nlmsghdr *h)
{
	const struct ifinfomsg *ifi = nlmsg_data(h);
	bool up = ifi->ifi_flags & IFF_UP && ifi->ifi_flags & IFF_RUNNING;
	struct nlattr *tb[IFLA_MAX + 1];
	uint32_t changes = t->changes;

	if (ifi->ifi_index != t->link_ifindex ||
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

/* Return: one was added to @a. Those beyond its size are ignored. */
static bool neigh_note_addr(struct neigh_addrs *a, struct nlmsghdr *h)
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
	assert(i == a->n && a->n < NEIGH_ADDRS);
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
		is_new = neigh_note_addr(&t->addrs, h);
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
 * Wanted entries
 */

static int neigh_state(struct nlmsghdr *h, void *arg)
{
	const struct ndmsg *nd = nlmsg_data(h);

	if (h->nlmsg_type == RTM_NEWNEIGH)
		*(int *)arg = nd->ndm_state;
	return 0;
}

/* Has the kernel a link address for @a? */
static bool neigh_is_known(const struct neigh_table *t,
			   const struct ip_addr *a)
{
	struct ndmsg nd = {
		.ndm_family = a->family,
		.ndm_ifindex = t->ifindex,
	};
	struct nl_msg *msg = netlink_request(RTM_GETNEIGH, 0, &nd, sizeof(nd));
	int state = 0;

	nla_put(msg, NDA_DST, ip_addr_len(a->family), a->addr);
	netlink_ask(msg, neigh_state, &state);
	return neigh_state_known(state);
}

/*
 * A next hop that answers replaces one that does not. Mark used entries before.
 * Return: an entry for @a to fill in, NULL: none is free
 */
static struct neigh *neigh_free_entry(struct neigh_table *t,
				      const struct ip_addr *a)
{
	struct neigh *e, *dead = NULL;

	if (t->n < NEIGH_MAX)
		return &t->v[t->n++];
	assert(t->n == NEIGH_MAX);
	for (e = t->v; e < t->v + t->n; e++) {
		if (e->peer)
			continue;
		if (!e->used) {
			if (e->ours || e->asked)
				neigh_entry_set(t, e, NUD_STALE);
			neigh_delete_copy(t, e);
			return e;
		}
		if (e->dead && !e->ours && !e->asked)
			dead = e;
	}
	if (!neigh_is_known(t, a))
		return NULL;
	if (dead) {
		neigh_delete_copy(t, dead);
		return dead;
	}
	/* New entries may turn out to be dead: wait for the kernel. */
	if (t->fresh)
		return NULL;
	if (!t->full_logged)
		netdev_warn(&t->log, "%s: more than %d next hops: the entries of the others are not kept",
			    t->dev, NEIGH_MAX);
	t->full_logged = true;
	t->full = true;
	return NULL;
}

/* Return: the entry of @a, existing or new; NULL: none is free */
static struct neigh *neigh_get(struct neigh_table *t,
			       const struct ip_addr *a)
{
	struct neigh *e = neigh_find(t, a);

	if (e)
		return e;
	e = neigh_free_entry(t, a);
	assert(t->n <= NEIGH_MAX);
	if (e) {
		*e = (struct neigh){ .addr = *a };
		t->fresh = true;
	}
	return e;
}

/*
 * The next hop to @to. A link-local destination is on our link, as the flow
 * leaves by our interface. Return: whether it is reached by our link
 */
static bool neigh_next_hop(const struct neigh_table *t,
			   const struct ip_addr *to, struct ip_addr *via)
{
	struct route r;

	*via = *to;
	if (to->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(to->addr))
		return true;
	if (route_find(to, 0, &r) || r.type != RTN_UNICAST ||
	    (r.ifindex != t->ifindex && r.ifindex != t->keep))
		return false;
	*via = r.via;
	return true;
}

static void neigh_read(struct neigh_table *t)
{
	struct ndmsg nd = { .ndm_ifindex = t->ifindex };
	bool whole;

	for (int i = 0; i < t->n; i++)
		t->v[i].seen = false;
	whole = !netlink_dump(RTM_GETNEIGH, &nd, sizeof(nd), neigh_on_event, t);
	for (int i = 0; i < t->n; i++) {
		struct neigh *e = &t->v[i];

		if (whole && !e->seen) {
			e->asked = false;
			neigh_changed(t, e, 0, NULL);
		}
		if (t->up && !e->llen)
			neigh_resolve(t, e);
	}
}

/* A peer without a route keeps its previous next hop. */
static void neigh_log_hop(const struct neigh_table *t,
			  const struct ip_addr *to, const struct ip_addr *via)
{
	char peer[IP_ADDR_TEXT], hop[IP_ADDR_TEXT];

	log_debug("%s: the next hop of peer %s is %s: its entry is kept",
		  t->dev, ip_addr_text(to, peer), ip_addr_text(via, hop));
}

static int neigh_hops(struct neigh_table *t, uint64_t now,
		      struct neigh_hop *hops)
{
	int n = 0;

	for (int i = 0; i < t->npeers; i++) {
		struct neigh_peer *p = &t->peers[i];
		struct ip_addr via;

		if (neigh_next_hop(t, &p->addr, &via)) {
			if (!ip_addr_same(&p->via, &via))
				neigh_log_hop(t, &p->addr, &via);
			p->via = via;
		}
		if (p->via.family)
			hops[n++] = (struct neigh_hop){ p->via, true };
	}
	for (int i = 0; i < t->dests.n; i++) {
		const struct dest *d = &t->dests.v[i];

		hops[n].peer = false;
		if (dest_used(d, now) &&
		    neigh_next_hop(t, &d->addr, &hops[n].via))
			n++;
	}
	assert(n <= NEIGH_PEERS + DESTS_MAX);
	return n;
}

static void neigh_mark_used(struct neigh *e, const struct neigh_hop *hop)
{
	if (!e)
		return;
	e->peer |= hop->peer;
	e->used |= !hop->peer;
}

static void neigh_update(struct neigh_table *t, uint64_t now)
{
	struct neigh_hop hops[NEIGH_PEERS + DESTS_MAX];
	int n = neigh_hops(t, now, hops);

	for (int i = 0; i < t->n; i++) {
		t->v[i].peer = false;
		t->v[i].used = false;
	}
	/* First mark all, so that no new one takes the entry of a later one. */
	for (int i = 0; i < n; i++)
		neigh_mark_used(neigh_find(t, &hops[i].via), &hops[i]);
	for (int i = 0; i < n; i++)
		neigh_mark_used(neigh_get(t, &hops[i].via), &hops[i]);
}

/* New flows cause no event: poll. Usually nothing has changed. */
static void neigh_scan(struct neigh_table *t, uint64_t now)
{
	if (!dests_read(&t->dests, now) && now < t->routes_at)
		return;
	t->routes_at = now + NEIGH_ROUTES_MS;
	t->full = false;
	neigh_update(t, now);
	if (t->fresh)
		neigh_read(t);
	t->fresh = false;
}

/*
 * The table
 */

static int neigh_on_own_addr(struct nlmsghdr *h, void *arg)
{
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	struct neigh_table *t = arg;

	if (h->nlmsg_type == RTM_NEWADDR &&
	    (int)ifa->ifa_index == t->ifindex)
		neigh_note_addr(&t->addrs, h);
	return 0;
}

/* Return: whether there are new addresses */
static bool neigh_read_addrs(struct neigh_table *t)
{
	struct ifaddrmsg ifa = { .ifa_family = AF_INET6 };
	struct neigh_addrs old = t->addrs;
	bool any = false;

	t->addrs.n = 0;
	netlink_dump(RTM_GETADDR, &ifa, sizeof(ifa), neigh_on_own_addr, t);
	for (int i = 0; i < t->addrs.n; i++)
		any |= neigh_addr_find(&old, &t->addrs.v[i]) == old.n;
	return any;
}

/* Events were lost: read all state. */
static void neigh_resync(struct neigh_table *t)
{
	struct ifinfomsg ifi = { .ifi_index = t->link_ifindex };

	netlink_dump(RTM_GETLINK, &ifi, sizeof(ifi), neigh_on_event, t);
	if (neigh_read_addrs(t) && t->up)
		neigh_link_up(t);
	neigh_read(t);
}

static void neigh_load_peer(struct neigh_table *t, const struct ip_addr *a)
{
	for (int i = 0; i < t->npeers; i++)
		if (!memcmp(&t->peers[i].addr, a, sizeof(*a)))
			return;
	if (t->npeers < NEIGH_PEERS)
		t->peers[t->npeers++].addr = *a;
}

/* A peer, or an entry that an earlier run made permanent */
static void neigh_load(const struct ip_addr *a, bool peer, int ifindex,
		       void *arg)
{
	struct neigh_table *t = arg;
	struct neigh *e;

	if (peer) {
		neigh_load_peer(t, a);
		return;
	}
	/* Ignore entries of another interface. */
	e = ifindex == t->ifindex ? neigh_get(t, a) : NULL;
	if (e)
		e->ours = true;
}

/* Release entries of the interface that had our name; it may still exist */
static void neigh_release_entries(struct neigh_table *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->v[i].ours || t->v[i].asked)
			neigh_entry_set(t, &t->v[i], NUD_STALE);
	t->n = 0;
	t->npeers = 0;
	memset(t->peers, 0, sizeof(t->peers));
}

/* The interface is new, or another one has its name. */
static void neigh_start(struct neigh_table *t, int ifindex)
{
	struct ifinfomsg ifi = { .ifi_index = netlink_ifindex(t->link) };

	neigh_release_entries(t);
	t->ifindex = ifindex;
	t->link_ifindex = ifi.ifi_index;
	t->up = false;
	netlink_dump(RTM_GETLINK, &ifi, sizeof(ifi), neigh_on_event, t);
	neigh_read_addrs(t);
	neigh_file_read(t->dev, neigh_load, t);
	neigh_save(t);
}

struct neigh_table *neigh_open(const char *dev, const char *link, int flows,
			       int recent, const struct netdev_log *log)
{
	struct neigh_table *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	snprintf(t->dev, sizeof(t->dev), "%s", dev);
	snprintf(t->link, sizeof(t->link), "%s", link);
	t->log = *log;
	t->dests.flows = flows;
	t->dests.recent = recent;
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

int neigh_fd(const struct neigh_table *t)
{
	return nl_socket_get_fd(t->events);
}

void neigh_turn(struct neigh_table *t, int keep, uint64_t now)
{
	int ifindex = netlink_ifindex(t->dev);

	t->keep = keep;
	if (ifindex && ifindex != t->ifindex) {
		neigh_start(t, ifindex);
		t->routes_at = now;
		t->scanned_at = 0;
	}
	/* first: events may concern a flow that has just begun */
	if (!t->scanned_at || now - t->scanned_at >= NEIGH_SCAN_MS) {
		neigh_scan(t, now);
		t->scanned_at = now;
	}
	if (netlink_receive(t->events, neigh_on_event, t))
		neigh_resync(t);
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

int neigh_peer(const char *dev, const char *peer, struct error *error)
{
	struct ip_addr a;

	if (ip_addr_parse(peer, &a))
		return error_set(error, -EINVAL, "peer %s is not an IP address",
				 peer);
	return neigh_file_add_peer(dev, &a, error);
}

/*
 * Releasing
 */

struct neigh_release {
	int			ifindex;
	const struct ip_addr	*addr;
};

/* Only entries that are still permanent: the user changed others. */
static int neigh_release_entry(struct nlmsghdr *h, void *arg)
{
	struct neigh_release *r = arg;
	struct ndmsg *nd = nlmsg_data(h);
	struct nlattr *tb[NDA_MAX + 1];

	if (nd->ndm_ifindex != r->ifindex ||
	    nd->ndm_family != r->addr->family ||
	    !(nd->ndm_state & NUD_PERMANENT) ||
	    nlmsg_parse(h, sizeof(*nd), tb, NDA_MAX, NULL) ||
	    !tb[NDA_DST] || !tb[NDA_LLADDR] ||
	    memcmp(nla_data(tb[NDA_DST]), r->addr->addr,
		   nla_len(tb[NDA_DST])))
		return 0;
	neigh_set(r->ifindex, r->addr->family, r->addr->addr,
		  nla_data(tb[NDA_LLADDR]), nla_len(tb[NDA_LLADDR]),
		  NUD_STALE);
	return 1;
}

static void neigh_release_one(const struct ip_addr *a, bool peer,
			      int ifindex, void *arg)
{
	struct neigh_release r = { .ifindex = ifindex, .addr = a };
	struct ndmsg nd = { .ndm_ifindex = ifindex };

	(void)arg;
	if (!peer)
		netlink_dump(RTM_GETNEIGH, &nd, sizeof(nd),
			     neigh_release_entry, &r);
}

void neigh_release(const char *dev)
{
	char path[STATE_PATH];

	neigh_file_read(dev, neigh_release_one, NULL);
	state_path(dev, "neigh", path);
	unlink(path);
}
