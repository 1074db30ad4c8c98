/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.h - HOST:PORT as users write it
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <sys/socket.h>
#include "base/error.h"

struct address {
	struct sockaddr_storage	storage;
	socklen_t		len;
};

/**
 * address_parse() - HOST, HOST:PORT, [ADDRESS]:PORT, :PORT
 * @passive: for a local address: a lone number is a port; a missing host means
 *	all addresses of this machine
 * @port: the default
 * @error: gets one line
 *
 * Return: 0 or -EINVAL.
 */
int address_parse(const char *text, int passive, const char *port,
		  struct address *a, struct error *error);

enum { ADDRESS_TEXT = 64 };

/* ADDRESS:PORT */
const char *address_text(const struct sockaddr_storage *a,
			 char text[ADDRESS_TEXT]);

#endif
