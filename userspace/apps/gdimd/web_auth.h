/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web_auth.h - listen address and access control of HTTP
 *
 * Without tokens: every user of this machine, but no pages of other sites in a
 * browser (Host, Origin). With tokens: who has one.
 */
#ifndef APPS_GDIMD_WEB_AUTH_H
#define APPS_GDIMD_WEB_AUTH_H

#include <stdbool.h>
#include "base/address.h"
#include "base/error.h"

enum {
	WEB_TOKENS	= 64,
	WEB_TOKEN	= 256,		/* bytes, with the final 0 */
	WEB_TOKEN_MIN	= 16,
	WEB_HOST	= 256,
};

/**
 * struct web_auth
 * @address:	to listen on
 * @where:	the same, as text
 * @loopback:	whether @address is on the loopback
 * @host:	from the user, in lower case, without a port
 */
struct web_auth {
	struct address	address;
	char		where[ADDRESS_TEXT], host[WEB_HOST];
	bool		loopback;
	unsigned int	tokens;
	char		token[WEB_TOKENS][WEB_TOKEN];
};

/**
 * web_auth_open() - read the settings
 * @where:	ADDRESS:PORT, or PORT on the loopback
 * @tokens:	a file with one token a line, # begins a comment; empty: none
 * @error:	gets one line
 *
 * Return: 0; -EACCES: @tokens is world-readable, or @where is not on the
 * loopback and there are none; -EINVAL, others.
 */
int web_auth_open(struct web_auth *a, const char *where, const char *tokens,
		  char error[ERROR_TEXT]);

/* Whether a Host, or the host of an Origin, is ours */
bool web_auth_host(const struct web_auth *a, const char *host);

/*
 * Whether "Authorization: @authorization" has a token. The time it takes
 * reveals nothing about tokens.
 */
bool web_auth_token(const struct web_auth *a, const char *authorization);

/* Whether an address, as text, is on the loopback */
bool web_auth_is_local(const char *address);

#endif
