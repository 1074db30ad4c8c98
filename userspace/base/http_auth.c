// SPDX-License-Identifier: GPL-2.0-only
/*
 * http_auth - listen address and access control of HTTP
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/http_auth.h"
#include "base/error.h"
#include "base/secret_file.h"

/*
 * Listen address
 */

static bool is_loopback(const struct sockaddr_storage *s)
{
	const struct sockaddr_in *v4 = (const void *)s;
	const struct sockaddr_in6 *v6 = (const void *)s;

	if (s->ss_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return s->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

bool http_auth_is_local(const char *address)
{
	struct sockaddr_storage s = { 0 };
	struct sockaddr_in *v4 = (void *)&s;
	struct sockaddr_in6 *v6 = (void *)&s;

	if (inet_pton(AF_INET, address, &v4->sin_addr) == 1)
		s.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, address, &v6->sin6_addr) == 1)
		s.ss_family = AF_INET6;
	return is_loopback(&s);
}

/* The name in HOST or HOST:PORT, in lower case. Return: false: too long */
static bool host_name(const char *host, char name[HTTP_HOST])
{
	size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

	if (n > strlen(host) || n >= HTTP_HOST)
		return false;
	if (n && host[n - 1] == '.')
		n--;
	for (size_t i = 0; i < n; i++)
		name[i] = tolower((unsigned char)host[i]);
	name[n] = 0;
	return true;
}

static int find_address(struct http_auth *a, const char *name,
			const char *where, const char *port,
			struct error *error)
{
	const bool is_port = strspn(where, "0123456789") == strlen(where);
	char full[HTTP_HOST];
	int err;

	if (snprintf(full, sizeof(full), "%s%s", is_port ? "127.0.0.1:" : "",
		     where) >= (int)sizeof(full) || *where == ':')
		return error_set(error, -EINVAL,
				 "%s: '%.80s' is not ADDRESS:PORT", name,
				 where);
	err = address_parse(full, 1, port, &a->address, error);
	if (err)
		return err;
	address_text(&a->address.storage, a->where);
	a->loopback = is_loopback(&a->address.storage);
	return host_name(full, a->host) ? 0 : -EINVAL;
}

/*
 * Tokens
 */

static int add_token(struct http_auth *a, const char *line, size_t n)
{
	if (a->tokens == HTTP_TOKENS || n < HTTP_TOKEN_MIN || n >= HTTP_TOKEN)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!isgraph((unsigned char)line[i]))
			return -EINVAL;
	memcpy(a->token[a->tokens], line, n);
	a->token[a->tokens++][n] = 0;
	return 0;
}

static int read_lines(struct http_auth *a, FILE *in, const char *path,
		      struct error *error)
{
	char line[2 * HTTP_TOKEN];

	for (unsigned int number = 1; fgets(line, sizeof(line), in);
	     number++) {
		const char *text = line + strspn(line, " \t");
		size_t n = strcspn(text, "\r\n");

		while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
			n--;
		if (!n || *text == '#')
			continue;
		if (!add_token(a, text, n))
			continue;
		return error_set(error, -EINVAL,
				 "%.100s:%u: a token must have %d to %d "
				 "characters without spaces; at most %d tokens",
				 path, number, HTTP_TOKEN_MIN, HTTP_TOKEN - 1,
				 HTTP_TOKENS);
	}
	if (a->tokens)
		return 0;
	return error_set(error, -EINVAL, "%.100s: no token in it", path);
}

static int read_tokens(struct http_auth *a, const char *path,
		       struct error *error)
{
	FILE *in;
	int err = secret_file_open(&in, path, error);

	if (err)
		return err;
	err = read_lines(a, in, path, error);
	fclose(in);
	return err;
}

int http_auth_open(struct http_auth *a, const char *name, const char *where,
		   const char *port, const char *tokens,
		   struct error *error)
{
	int err;

	memset(a, 0, sizeof(*a));
	err = find_address(a, name, where, port, error);
	if (!err && *tokens)
		err = read_tokens(a, tokens, error);
	if (err || a->loopback || a->tokens)
		return err;
	return error_set(error, -EACCES,
			 "%s %s: not a loopback address; this needs "
			 "a token file", name, a->where);
}

/*
 * Access control
 */

/*
 * DNS rebinding: another site may resolve its name to our address, so that a
 * browser takes our answers for its own; but then Host has that name.
 */
bool http_auth_host(const struct http_auth *a, const char *host)
{
	char name[HTTP_HOST];

	return host_name(host, name) &&
	       (!strcmp(name, "localhost") || !strcmp(name, "127.0.0.1") ||
		!strcmp(name, "[::1]") || !strcmp(name, a->host));
}

/* Compares all bytes, so that the time does not depend on them */
static unsigned int differ(const char a[HTTP_TOKEN], const char b[HTTP_TOKEN])
{
	const volatile char *x = a, *y = b;
	unsigned int d = 0;

	for (int i = 0; i < HTTP_TOKEN; i++)
		d |= (unsigned char)(x[i] ^ y[i]);
	return d;
}

bool http_auth_token(const struct http_auth *a, const char *authorization)
{
	static const char scheme[] = "Bearer ";
	const size_t skip = sizeof(scheme) - 1;
	char given[HTTP_TOKEN] = "";
	bool found = false;

	if (!authorization || strncasecmp(authorization, scheme, skip))
		return false;
	authorization += skip + strspn(authorization + skip, " ");
	if (strlen(authorization) >= HTTP_TOKEN)
		return false;
	memcpy(given, authorization, strlen(authorization));
	for (unsigned int i = 0; i < a->tokens; i++)
		found |= !differ(a->token[i], given);
	return found;
}
