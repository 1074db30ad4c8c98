// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permanent neighbour entries, see neigh.h. A peer that gets another link
 * address (a replaced radio) is not noticed until `optsample down`.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "neigh.h"
#include "state.h"

#define NEIGH_IN_USE	(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

static int neigh_set(int ifindex, int family, const void *addr, size_t alen,
		     const void *lladdr, size_t llen, int state)
{
	struct ndmsg nd = {
		.ndm_family = family,
		.ndm_ifindex = ifindex,
		.ndm_state = state,
	};
	struct nl_msg *msg = netlink_request(RTM_NEWNEIGH, NLM_F_REPLACE, &nd,
					     sizeof(nd));

	nla_put(msg, NDA_DST, alen, addr);
	nla_put(msg, NDA_LLADDR, llen, lladdr);
	return netlink_send(msg);
}

static void neigh_remember(const char *dev, const char *addr)
{
	char path[CTL_PATH];
	FILE *f;

	state_path(dev, "neigh", path);
	f = fopen(path, "ae");
	if (!f)
		return;
	fprintf(f, "%s\n", addr);
	fclose(f);
}

int neigh_fix_event(struct nlmsghdr *h, void *arg)
{
	struct ndmsg *nd = nlmsg_data(h);
	const char *dev = arg;
	struct nlattr *tb[NDA_MAX + 1];
	char addr[INET6_ADDRSTRLEN];

	if (h->nlmsg_type != RTM_NEWNEIGH ||
	    nd->ndm_ifindex != (int)if_nametoindex(dev) ||
	    !(nd->ndm_state & NEIGH_IN_USE) ||
	    (nd->ndm_family != AF_INET && nd->ndm_family != AF_INET6) ||
	    nlmsg_parse(h, sizeof(*nd), tb, NDA_MAX, NULL) ||
	    !tb[NDA_DST] || !tb[NDA_LLADDR] ||
	    !inet_ntop(nd->ndm_family, nla_data(tb[NDA_DST]), addr,
		       sizeof(addr)))
		return 0;
	if (!neigh_set(nd->ndm_ifindex, nd->ndm_family,
		       nla_data(tb[NDA_DST]), nla_len(tb[NDA_DST]),
		       nla_data(tb[NDA_LLADDR]), nla_len(tb[NDA_LLADDR]),
		       NUD_PERMANENT))
		neigh_remember(dev, addr);
	return 0;
}

int neigh_fix_all(const char *dev)
{
	struct ndmsg nd = { .ndm_ifindex = if_nametoindex(dev) };

	return netlink_dump(RTM_GETNEIGH, &nd, sizeof(nd), neigh_fix_event,
			    (void *)dev);
}

/* The discard port: the stack resolves the address, nobody listens. */
int neigh_poke(const char *dev, const char *peer)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd, err = 0;

	if (inet_pton(AF_INET, peer, &to.sin_addr) != 1)
		return cli_error(-EINVAL, "peer %s is not an IPv4 address",
				 peer);
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
		  nla_len(tb[NDA_DST]), nla_data(tb[NDA_LLADDR]),
		  nla_len(tb[NDA_LLADDR]), NUD_STALE);
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
