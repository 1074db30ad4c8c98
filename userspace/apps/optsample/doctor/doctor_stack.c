// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interfaces, and `optsample up` on them: queue, daemon, address, peers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/doctor/doctor.h"
#include "base/ifb.h"
#include "base/ip_addr.h"
#include "netdev/neigh_file.h"
#include "netdev/netlink.h"
#include "netdev/route.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "topics/topics.h"

/*
 * Interfaces
 */

static int dev_index(const struct doctor *d, const char *name)
{
	if (!*d->root)
		return netlink_ifindex(name);
	return doctor_number(d, 0, "/sys/class/net/%s/ifindex", name);
}

/* With --root: NAME.KEY in the file "facts" */
static bool dev_fact(const struct doctor *d, const char *name,
		     const char *key, char value[DOCTOR_VALUE])
{
	char full[64];

	snprintf(full, sizeof(full), "%s.%s", name, key);
	return doctor_fact(d, full, value);
}

static bool dev_flag(const struct doctor *d, const char *name, const char *key)
{
	char value[DOCTOR_VALUE];

	return dev_fact(d, name, key, value) && text_true(value);
}

static bool dev_is_wireless(const struct doctor *d, const char *name)
{
	return doctor_exists(d, "/sys/class/net/%s/phy80211", name) ||
	       doctor_exists(d, "/sys/class/net/%s/wireless", name);
}

static void read_facts(const struct doctor *d, struct doctor_dev *dev)
{
	char value[DOCTOR_VALUE];

	if (dev_fact(d, dev->name, "lower", value))
		snprintf(dev->link, IFNAMSIZ, "%.15s", value);
	dev->up = dev_flag(d, dev->name, "up");
	dev->whole = dev->up && !dev_fact(d, dev->name, "why", value);
	if (dev->up && !dev->whole)
		snprintf(dev->why, sizeof(dev->why), "%.150s", value);
	dev->daemon = dev_flag(d, dev->name, "daemon");
	if (dev_fact(d, dev->name, "domain", value))
		dev->domain = strtoul(value, NULL, 10);
	if (dev_fact(d, dev->name, "warnings", value))
		dev->warnings = strdup(value);
}

static void read_state(struct doctor_dev *dev)
{
	struct topic_list topics = { 0 };
	char path[STATE_PATH];
	size_t left_out;
	struct state st;

	if (state_load(dev->name, &st))
		return;
	dev->up = state_is_here(&st);
	dev->elsewhere = !dev->up;
	if (dev->up) {
		snprintf(dev->link, IFNAMSIZ, "%s", stack_link(&st.stack));
		snprintf(dev->why, sizeof(dev->why),
			 "was not set up completely");
		dev->whole = stack_is_whole(&st.stack, dev->why) && st.ready;
		dev->daemon = state_pid_of(dev->name) > 0;
		dev->domain = st.domain;
		if (st.outage_s)
			dev->outage_s = st.outage_s;
		state_path(dev->name, "topics", path);
		topic_load(path, &topics, &left_out, &dev->warnings);
		topic_free(&topics);
	}
	state_free(&st);
}

int doctor_dev_read(struct doctor *d, const char *name,
		    struct doctor_dev *dev)
{
	memset(dev, 0, sizeof(*dev));
	dev->outage_s = DOCTOR_OUTAGE_S;
	if (!*name || strlen(name) >= IFNAMSIZ || strchr(name, '/') ||
	    !strcmp(name, ".") || !strcmp(name, ".."))
		return -ENODEV;
	snprintf(dev->name, IFNAMSIZ, "%s", name);
	snprintf(dev->link, IFNAMSIZ, "%s", name);
	dev->ifindex = dev_index(d, name);
	if (*d->root)
		read_facts(d, dev);
	else
		read_state(dev);
	dev->own = strcmp(dev->link, dev->name);
	dev->wireless = dev_is_wireless(d, dev->link);
	return dev->ifindex || dev->up ? 0 : -ENODEV;
}

static void dev_add(struct doctor *d, const char *name)
{
	struct doctor_dev *devs;

	devs = realloc(d->devs, (d->ndevs + 1) * sizeof(*devs));
	if (!devs)
		abort();
	d->devs = devs;
	if (!doctor_dev_read(d, name, &devs[d->ndevs]))
		d->ndevs++;
	else
		free(devs[d->ndevs].warnings);
}

static int dev_add_up(const char *name, void *arg)
{
	struct doctor *d = arg;

	dev_add(d, name);
	if (d->ndevs && !d->devs[d->ndevs - 1].up)
		d->ndevs--;
	return 0;
}

static bool dev_suits(const struct doctor *d, const char *name, bool wireless)
{
	if (wireless)
		return dev_is_wireless(d, name);
	return doctor_exists(d, "/sys/class/net/%s/device", name);
}

static void dev_add_all(struct doctor *d, bool wireless)
{
	char **names;
	int n = doctor_list(d, "/sys/class/net", &names);

	for (int i = 0; i < n; i++)
		if (dev_suits(d, names[i], wireless))
			dev_add(d, names[i]);
	doctor_list_free(names, n);
}

static void dev_add_facts(struct doctor *d)
{
	char **names;
	int n = doctor_list(d, "/sys/class/net", &names);

	for (int i = 0; i < n; i++)
		dev_add_up(names[i], d);
	doctor_list_free(names, n);
}

void doctor_dev_choose(struct doctor *d)
{
	int err;

	if (*d->root)
		dev_add_facts(d);
	else
		state_each(dev_add_up, d, &err);
	for (int wireless = 1; !d->ndevs && wireless >= 0; wireless--)
		dev_add_all(d, wireless);
}

bool doctor_works(const struct doctor *d)
{
	for (size_t i = 0; i < d->ndevs; i++)
		if (d->devs[i].up && d->devs[i].whole)
			return true;
	return false;
}

/*
 * The setup of `optsample up`
 */

bool keeper_runs(const struct doctor *d, const struct doctor_dev *dev)
{
	char name[IFNAMSIZ];

	keep_name(dev->name, name);
	return dev->daemon && (dev->own || dev_index(d, name) > 0);
}

void check_up(struct doctor *d)
{
	const struct doctor_dev *dev = d->dev;

	if (dev->elsewhere) {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "optsample is up in another network namespace");
		finding_fix(d, "optsample down %s, there", dev->name);
	} else if (!dev->up) {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "optsample is not up: ROS keeps the last messages of an outage only");
		finding_fix(d, "optsample up %s", dev->name);
	} else if (!dev->whole) {
		finding_add(d, DOCTOR_ERROR, NULL, "the interface %s",
			    dev->why);
		finding_fix(d, "optsample up %s", dev->name);
	} else {
		finding_add(d, DOCTOR_OK, NULL, "queue and redirect are in place");
	}
}

static const char *warning_part(const char *text)
{
	static const struct {
		const char	*word, *part;
	} known[] = {
		{ "lease", "lease" }, { "cannot enter DDS", "domain" },
		{ "ROS master", "master" }, { "writers", "writers" },
		{ "next hops", "next_hops" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(text, known[i].word))
			return known[i].part;
	return "warning";
}

static void warning_report(struct doctor *d, const char *text)
{
	const char *part = warning_part(text);
	bool lease = !strcmp(part, "lease"), outside = !strcmp(part, "domain");

	finding_add(d, lease || outside ? DOCTOR_ERROR : DOCTOR_WARNING, part,
		    "%s", text);
	if (lease)
		finding_fix(d, "CYCLONEDDS_URI='<Discovery><LeaseDuration>%us</LeaseDuration></Discovery>', on both sides",
			    4 * d->dev->outage_s);
	else if (outside)
		finding_fix(d, "ip address show %s; optsample show %s",
			    d->dev->name, d->dev->name);
}

static void warnings_report(struct doctor *d, char *text)
{
	for (char *next; text; text = next) {
		next = strstr(text, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		warning_report(d, text);
	}
}

void check_daemon(struct doctor *d)
{
	const struct doctor_dev *dev = d->dev;
	char *warnings;

	if (!dev->up)
		return;
	if (!dev->daemon) {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "the daemon has ended: new topics are not sampled, neighbours and the address are not kept");
		finding_fix(d, "optsample up %s", dev->name);
		return;
	}
	finding_add(d, DOCTOR_OK, NULL, "the daemon runs");
	warnings = dev->warnings ? strdup(dev->warnings) : NULL;
	warnings_report(d, warnings);
	free(warnings);
}

/*
 * Peers
 */

struct peer_query {
	struct ip_addr	via;
	int			ifindex;
	uint16_t		state;
	bool			found;
};

static int on_neighbour(struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[NDA_MAX + 1];
	struct peer_query *q = arg;
	struct ndmsg *m = nlmsg_data(h);

	if (h->nlmsg_type != RTM_NEWNEIGH || m->ndm_ifindex != q->ifindex ||
	    nlmsg_parse(h, sizeof(*m), tb, NDA_MAX, NULL) || !tb[NDA_DST] ||
	    nla_len(tb[NDA_DST]) != (int)ip_addr_len(q->via.family) ||
	    memcmp(nla_data(tb[NDA_DST]), q->via.addr, nla_len(tb[NDA_DST])))
		return 0;
	q->found = tb[NDA_LLADDR];
	q->state = m->ndm_state;
	return 1;
}

static bool doctor_stack_is_known(const struct route *r)
{
	struct ndmsg m = { .ndm_family = r->via.family };
	struct peer_query q = { .via = r->via, .ifindex = r->ifindex };

	return !netlink_dump(RTM_GETNEIGH, &m, sizeof(m), on_neighbour, &q) &&
	       q.found && !(q.state & (NUD_FAILED | NUD_INCOMPLETE));
}

static void peer_report(struct doctor *d, const char *peer, bool routed,
			bool known)
{
	if (!routed) {
		finding_add(d, DOCTOR_WARNING, "route",
			    "no route to the peer %s by %s", peer,
			    d->dev->name);
		finding_fix(d, "ip route get %s", peer);
	} else if (!known) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "the link address on the way to the peer %s is not known: what is sent to it in an outage is lost",
			    peer);
		finding_fix(d, "ping -c 3 %s", peer);
	} else {
		finding_add(d, DOCTOR_OK, NULL, "the peer %s is known", peer);
	}
}

static void doctor_stack_on_peer(const struct ip_addr *a, bool peer,
				 int ifindex, void *arg)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct doctor *d = arg;
	bool routed, known;
	struct route r;

	(void)ifindex;
	if (!peer)
		return;
	inet_ntop(a->family, a->addr, text, sizeof(text));
	routed = !route_find(a, 0, &r) && r.ifindex == d->dev->ifindex;
	known = routed && doctor_stack_is_known(&r);
	peer_report(d, text, routed, known);
}

void check_peers(struct doctor *d)
{
	char value[DOCTOR_VALUE];

	if (!d->dev->up)
		return;
	if (!*d->root)
		neigh_file_read(d->dev->name, doctor_stack_on_peer, d);
	else if (dev_fact(d, d->dev->name, "peer", value))
		peer_report(d, value, !dev_flag(d, d->dev->name, "peer_away"),
			    dev_flag(d, d->dev->name, "peer_known"));
}
