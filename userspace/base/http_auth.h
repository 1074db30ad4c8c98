/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_auth.h - listen address and access control of HTTP
 *
 * Without tokens: every user of this machine, but no pages of other sites in a
 * browser (Host, Origin). With tokens: who has one.
 */
#ifndef BASE_HTTP_AUTH_H
#define BASE_HTTP_AUTH_H

#include <stdbool.h>
#include "base/address.h"
#include "base/error.h"

enum {
	HTTP_TOKENS	= 64,
	HTTP_TOKEN	= 256,		/* bytes, with the final 0 */
	HTTP_TOKEN_MIN	= 16,
	HTTP_HOST	= 256,
};

/**
 * struct http_auth
 * @address:	to listen on
 * @where:	the same, as text
 * @loopback:	whether @address is on the loopback
 * @host:	from the user, in lower case, without a port
 */
struct http_auth {
	struct address	address;
	char		where[ADDRESS_TEXT], host[HTTP_HOST];
	bool		loopback;
	unsigned int	tokens;
	char		token[HTTP_TOKENS][HTTP_TOKEN];
};

/**
 * http_auth_open() - read the settings
 * @name:	of the setting, for errors
 * @where:	ADDRESS:PORT, or PORT on the loopback
 * @port:	the default
 * @tokens:	a file with one token a line, # begins a comment; empty: none
 * @error:	gets one line
 *
 * Return: 0; -EACCES: @tokens is world-readable, or @where is not on the
 * loopback and there are none; -EINVAL, others.
 */
int http_auth_open(struct http_auth *a, const char *name, const char *where,
		   const char *port, const char *tokens,
		   struct error *error);

/* Whether a Host, or the host of an Origin, is ours */
bool http_auth_host(const struct http_auth *a, const char *host);

/*
 * Whether "Authorization: @authorization" has a token. The time it takes
 * reveals nothing about tokens.
 */
bool http_auth_token(const struct http_auth *a, const char *authorization);

/* Whether an address, as text, is on the loopback */
bool http_auth_is_local(const char *address);

#endif
