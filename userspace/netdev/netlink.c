// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtnetlink by libnl: requests, dumps, and the kernel's error messages.
 */
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "base/error.h"
#include "netdev/netlink.h"

enum { NETLINK_EVENTS = 10000 };	/* per call */

/* The kernel's message for the last error of this thread */
static _Thread_local char netlink_message[160];

struct netlink_reply {
	netlink_fn	fn;
	void		*arg;
	int		err;
	bool		done;
};

const char *netlink_why(int err)
{
	return *netlink_message ? netlink_message : strerror(-err);
}

static struct nl_sock *netlink_open(void)
{
	struct nl_sock *sk = nl_socket_alloc();
	int on = 1;

	if (!sk)
		return NULL;
	if (nl_connect(sk, NETLINK_ROUTE)) {
		nl_socket_free(sk);
		return NULL;
	}
	/* Error messages as text, without a copy of the request */
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &on,
		   sizeof(on));
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_CAP_ACK, &on,
		   sizeof(on));
	nl_socket_set_buffer_size(sk, 1 << 20, 0);
	return sk;
}

struct nl_msg *netlink_request(int type, int flags, const void *header,
			       size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST |
						NLM_F_ACK | flags);

	if (!msg || nlmsg_append(msg, (void *)header, size, NLMSG_ALIGNTO))
		abort();
	return msg;
}

static int netlink_on_error(struct sockaddr_nl *who, struct nlmsgerr *e,
			    void *arg)
{
	struct nlmsghdr *h = (void *)((char *)e - NLMSG_HDRLEN);
	struct netlink_reply *reply = arg;
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	int head = sizeof(*e);

	(void)who;
	reply->err = e->error;
	reply->done = true;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return NL_STOP;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		head += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (!nlmsg_parse(h, head, tb, NLMSGERR_ATTR_MAX, NULL) &&
	    tb[NLMSGERR_ATTR_MSG])
		snprintf(netlink_message, sizeof(netlink_message), "%s",
			 nla_get_string(tb[NLMSGERR_ATTR_MSG]));
	return NL_STOP;
}

static int netlink_on_end(struct nl_msg *msg, void *arg)
{
	struct netlink_reply *reply = arg;

	(void)msg;
	reply->done = true;
	return NL_STOP;
}

static int netlink_on_message(struct nl_msg *msg, void *arg)
{
	struct netlink_reply *reply = arg;

	if (reply->fn && reply->fn(nlmsg_hdr(msg), reply->arg))
		reply->fn = NULL;
	return NL_OK;
}

static int netlink_wait(struct nl_sock *sk, struct netlink_reply *reply)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err = 0;

	if (!cb)
		return -ENOMEM;
	nl_cb_err(cb, NL_CB_CUSTOM, netlink_on_error, reply);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, netlink_on_end, reply);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, netlink_on_end, reply);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, netlink_on_message, reply);
	while (!reply->done && err >= 0)
		err = nl_recvmsgs(sk, cb);
	nl_cb_put(cb);
	if (reply->done)
		return reply->err;
	return -EIO;
}

static int netlink_talk(struct nl_msg *msg, struct netlink_reply *reply)
{
	struct nl_sock *sk = netlink_open();
	int err = -EIO;

	*netlink_message = '\0';
	if (sk && nl_send_auto(sk, msg) >= 0)
		err = netlink_wait(sk, reply);
	nl_socket_free(sk);
	nlmsg_free(msg);
	return err;
}

int netlink_send(struct nl_msg *msg)
{
	struct netlink_reply reply = { 0 };

	return netlink_talk(msg, &reply);
}

int netlink_ask(struct nl_msg *msg, netlink_fn fn, void *arg)
{
	struct netlink_reply reply = { .fn = fn, .arg = arg };

	return netlink_talk(msg, &reply);
}

int netlink_dump(int type, const void *header, size_t size, netlink_fn fn,
		 void *arg)
{
	return netlink_ask(netlink_request(type, NLM_F_DUMP, header, size),
			   fn, arg);
}

static int netlink_on_link(struct nlmsghdr *h, void *arg)
{
	memcpy(arg, nlmsg_data(h), sizeof(struct ifinfomsg));
	return 0;
}

/* Return: of zeros if there is no such device */
static struct ifinfomsg netlink_link(const char *name)
{
	struct ifinfomsg i = { 0 }, none = { 0 };
	char message[sizeof(netlink_message)];
	struct nl_msg *msg;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return none;
	memcpy(message, netlink_message, sizeof(message));
	msg = netlink_request(RTM_GETLINK, 0, &i, sizeof(i));
	nla_put_string(msg, IFLA_IFNAME, name);
	nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (netlink_ask(msg, netlink_on_link, &i))
		i = none;
	memcpy(netlink_message, message, sizeof(message));
	return i;
}

unsigned int netlink_ifindex(const char *name)
{
	return netlink_link(name).ifi_index;
}

bool netlink_is_up(const char *name)
{
	return netlink_link(name).ifi_flags & IFF_UP;
}

struct nl_sock *netlink_listen(int group)
{
	struct nl_sock *sk = netlink_open();

	if (!sk)
		return NULL;
	nl_socket_disable_seq_check(sk);
	if (nl_socket_add_membership(sk, group) ||
	    nl_socket_set_nonblocking(sk)) {
		nl_socket_free(sk);
		return NULL;
	}
	return sk;
}

/* Accept events: they have no sequence number, which libnl would refuse. */
static int netlink_accept(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

int netlink_receive(struct nl_sock *sk, netlink_fn fn, void *arg)
{
	struct netlink_reply reply = { .fn = fn, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int got, lost = 0;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, netlink_accept, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, netlink_on_message, &reply);
	/* one datagram, which is one event, per turn */
	for (int i = 0; i < NETLINK_EVENTS; i++) {
		got = nl_recvmsgs_report(sk, cb);
		if (got == -NLE_NOMEM)	/* ENOBUFS */
			lost = -ENOBUFS;
		else if (got <= 0)
			break;
	}
	nl_cb_put(cb);
	return lost;
}

struct nl_msg *netlink_tc(int type, int flags, int ifindex, uint32_t parent,
			  uint32_t handle, uint32_t info)
{
	struct tcmsg t = {
		.tcm_ifindex = ifindex,
		.tcm_parent = parent,
		.tcm_handle = handle,
		.tcm_info = info,
	};

	return netlink_request(type, flags, &t, sizeof(t));
}

int netlink_do(struct nl_msg *msg, struct error *error, const char *format,
	       ...)
{
	int err = netlink_send(msg);
	char what[ERROR_REASON];
	va_list args;

	if (!err)
		return 0;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return error_set(error, err, "%s: %s", what, netlink_why(err));
}

int netlink_delete(struct nl_msg *msg, const char *what, const char *dev,
		   struct error *error)
{
	int err = netlink_send(msg);

	/* -EINVAL: its parent is missing, or it is not ours */
	if (!err || err == -ENOENT || err == -EINVAL || err == -ENODEV)
		return 0;
	return error_set(error, err, "cannot remove the %s of %s: %s", what,
			 dev, netlink_why(err));
}
