/* SPDX-License-Identifier: GPL-2.0 */
/* What newer kernels do for us and 6.1, our oldest, does not */
#ifndef OPTSAMPLE_COMPAT_H
#define OPTSAMPLE_COMPAT_H

#include <linux/netlink.h>

/**
 * optsample_refuse - tell user space what is wrong
 * @extack: where, may be NULL
 * @attr: the attribute, or NULL
 * @msg: a constant, which is one line
 *
 * NL_SET_ERR_MSG_ATTR() takes nothing but a literal, and 6.1 has no
 * NL_SET_ERR_MSG_ATTR_FMT(): its struct netlink_ext_ack has no room for text.
 */
static inline void optsample_refuse(struct netlink_ext_ack *extack,
				    const struct nlattr *attr, const char *msg)
{
#ifdef NL_SET_ERR_MSG_ATTR_FMT
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s", msg);
#else
	do_trace_netlink_extack(msg);
	if (!extack)
		return;
	extack->_msg = msg;
	NL_SET_BAD_ATTR(extack, attr);
#endif
}

#endif
