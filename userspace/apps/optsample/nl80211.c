// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink by libnl-genl, see nl80211.h.
 */
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "nl80211.h"

enum { NL80211_WAIT_S = 2 };

struct nl80211_answer {
	void	(*fn)(struct nlattr *tb[], void *arg);
	void	*arg;
};

static int nl80211_on_message(struct nl_msg *msg, void *arg)
{
	const struct nl80211_answer *a = arg;
	struct nlattr *tb[NL80211_ATTR_MAX + 1];

	if (!genlmsg_parse(nlmsg_hdr(msg), 0, tb, NL80211_ATTR_MAX, NULL))
		a->fn(tb, a->arg);
	return NL_OK;
}

static int nl80211_talk(struct nl_sock *sk, int ifindex, int cmd, int flags,
			struct nl80211_answer *a)
{
	struct timeval wait = { .tv_sec = NL80211_WAIT_S };
	struct nl_msg *msg;
	int family, sent;

	if (genl_connect(sk))
		return -EIO;
	setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVTIMEO, &wait,
		   sizeof(wait));
	family = genl_ctrl_resolve(sk, "nl80211");
	if (family < 0)
		return -ENOENT;
	msg = nlmsg_alloc();
	if (!msg)
		return -ENOMEM;
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, cmd, 0);
	nla_put_u32(msg, NL80211_ATTR_IFINDEX, ifindex);
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, nl80211_on_message,
			    a);
	sent = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	return sent < 0 || nl_recvmsgs_default(sk) < 0 ? -EIO : 0;
}

int nl80211_ask(int ifindex, int cmd, int flags,
		void (*fn)(struct nlattr *tb[], void *arg), void *arg)
{
	struct nl80211_answer a = { fn, arg };
	struct nl_sock *sk = nl_socket_alloc();
	int err;

	if (!sk)
		return -ENOMEM;
	err = nl80211_talk(sk, ifindex, cmd, flags, &a);
	nl_socket_free(sk);
	return err;
}
