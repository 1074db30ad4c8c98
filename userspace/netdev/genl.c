// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink by libnl-genl, see genl.h.
 */
#include <errno.h>
#include <linux/nl80211.h>
#include <linux/wireguard.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "netdev/genl.h"

enum { GENL_WAIT_S = 2 };

const struct genl_family genl_nl80211 = {
	"nl80211", 0, NL80211_ATTR_IFINDEX, NL80211_ATTR_MAX,
};

const struct genl_family genl_wireguard = {
	WG_GENL_NAME, WG_GENL_VERSION, WGDEVICE_A_IFINDEX, WGDEVICE_A_MAX,
};

_Static_assert((int)NL80211_ATTR_MAX <= (int)GENL_ATTRS, "room for nl80211");

struct genl_answer {
	void	(*fn)(struct nlattr *tb[], void *arg);
	void	*arg;
	int	max;
};

static int genl_on_message(struct nl_msg *msg, void *arg)
{
	const struct genl_answer *a = arg;
	struct nlattr *tb[GENL_ATTRS + 1];

	if (!genlmsg_parse(nlmsg_hdr(msg), 0, tb, a->max, NULL))
		a->fn(tb, a->arg);
	return NL_OK;
}

static int genl_talk(struct nl_sock *sk, const struct genl_family *f,
		     int ifindex, int cmd, int flags, struct genl_answer *a)
{
	struct timeval wait = { .tv_sec = GENL_WAIT_S };
	struct nl_msg *msg;
	int family, sent;

	if (genl_connect(sk))
		return -EIO;
	setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVTIMEO, &wait,
		   sizeof(wait));
	family = genl_ctrl_resolve(sk, f->name);
	if (family < 0)
		return -ENOENT;
	msg = nlmsg_alloc();
	if (!msg)
		return -ENOMEM;
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, cmd,
		    f->version);
	nla_put_u32(msg, f->ifindex, ifindex);
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, genl_on_message, a);
	sent = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	return sent < 0 || nl_recvmsgs_default(sk) < 0 ? -EIO : 0;
}

int genl_ask(const struct genl_family *family, int ifindex, int cmd, int flags,
	     void (*fn)(struct nlattr *tb[], void *arg), void *arg)
{
	struct genl_answer a = { fn, arg, family->max };
	struct nl_sock *sk = nl_socket_alloc();
	int err;

	if (!sk)
		return -ENOMEM;
	err = genl_talk(sk, family, ifindex, cmd, flags, &a);
	nl_socket_free(sk);
	return err;
}
