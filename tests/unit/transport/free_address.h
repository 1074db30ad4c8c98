/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * free_address.h - where a receiver of this machine may listen
 */
#ifndef UNIT_FREE_ADDRESS_H
#define UNIT_FREE_ADDRESS_H

#include "base/address.h"
#include "free_port.h"

static inline struct address free_address(void)
{
	struct address a = { .len = sizeof(struct sockaddr_in) };

	*(struct sockaddr_in *)&a.storage = free_udp_port();
	return a;
}

#endif
