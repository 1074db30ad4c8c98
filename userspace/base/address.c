// SPDX-License-Identifier: GPL-2.0-only
/*
 * address - HOST:PORT as users write it
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include "base/address.h"
#include "base/cli.h"
#include "base/error.h"

/* Where the port begins, and the host without its brackets */
static int address_split(const char *text, int passive, char host[256],
			 const char **port)
{
	const char *colon = strrchr(text, ':'), *end = text + strlen(text);

	if (*text == '[') {
		const char *close = strchr(text, ']');

		if (!close || (close[1] && close[1] != ':'))
			return -EINVAL;
		if (close[1])
			*port = close + 2;
		text++;
		end = close;
	} else if (colon && colon == strchr(text, ':')) {
		*port = colon + 1;
		end = colon;
	} else if (passive && strspn(text, "0123456789") == strlen(text)) {
		*port = text;
		end = text;
	}
	if (end - text > 255)
		return -EINVAL;
	memcpy(host, text, end - text);
	host[end - text] = '\0';
	return 0;
}

int address_parse(const char *text, int passive, const char *port,
		  struct address *a, struct error *error)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
	};
	struct addrinfo *list;
	char host[256];
	uint32_t number;
	int err;

	if (address_split(text, passive, host, &port) || (!passive && !*host) ||
	    parse_u32(port, 1, 65535, &number))
		return error_set(error, -EINVAL, "'%s' is not HOST:PORT", text);
	/* any address, also of IPv4 */
	err = getaddrinfo(*host ? host : "::", port, &hints, &list);
	if (err)
		return error_set(error, -EINVAL, "'%s': %s", text,
				 gai_strerror(err));
	memcpy(&a->storage, list->ai_addr, list->ai_addrlen);
	a->len = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

const char *address_text(const struct sockaddr_storage *a,
			 char text[ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "?";
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	if (a->ss_family == AF_INET) {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "%s:%u", host,
			 ntohs(v4->sin_port));
	} else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		inet_ntop(AF_INET, v6->sin6_addr.s6_addr + 12, host,
			  sizeof(host));
		snprintf(text, ADDRESS_TEXT, "%s:%u", host,
			 ntohs(v6->sin6_port));
	} else {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "[%s]:%u", host,
			 ntohs(v6->sin6_port));
	}
	return text;
}
