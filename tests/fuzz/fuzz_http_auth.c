// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_http_auth - hostile Host, Origin and Authorization, and files of tokens
 *
 * Input: a byte that selects, and the text. Only the right token and our own
 * host are accepted.
 */
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include "base/http_auth.h"
#include "base/error.h"
#include "memory_file.h"

static const char token[] = "a-token-that-is-right";

/* As it is to be: with a port, or a dot, or in capitals */
static bool may_be_ours(const char *host)
{
	static const char *const ours[] = { "localhost", "127.0.0.1",
					    "[::1]" };

	for (unsigned int i = 0; i < 3; i++)
		if (!strncasecmp(host, ours[i], strlen(ours[i])))
			return true;
	return false;
}

static void open_tokens(const uint8_t *data, size_t size)
{
	struct error error = { "" };
	struct http_auth a;

	if (http_auth_open(&a, "http", "127.0.0.1:1", "1",
			   memory_file(data, size), &error)) {
		if (!*error.text || strchr(error.text, '\n'))
			abort();
		return;
	}
	if (!a.tokens || a.tokens > HTTP_TOKENS)
		abort();
	for (unsigned int i = 0; i < a.tokens; i++) {
		char line[HTTP_TOKEN + 8];

		if (strlen(a.token[i]) < HTTP_TOKEN_MIN)
			abort();
		sprintf(line, "bearer %s", a.token[i]);
		if (!http_auth_token(&a, line))
			abort();
		/* all but the last character */
		line[strlen(line) - 1] ^= 1;
		for (unsigned int k = 0; k < a.tokens; k++)
			if (!strcmp(a.token[k], line + 7))
				return;
		if (http_auth_token(&a, line))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http_auth a;
	char *text;
	struct error error;

	if (!size)
		return 0;
	if (!a.tokens && http_auth_open(&a, "http", "127.0.0.1:1", "1",
			memory_file(token, sizeof(token) - 1), &error))
		abort();
	if (*data & 1) {
		open_tokens(data + 1, size - 1);
		return 0;
	}
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (http_auth_host(&a, text) && !may_be_ours(text))
		abort();
	if (http_auth_token(&a, text) &&
	    (strncasecmp(text, "Bearer ", 7) ||
	     strcmp(text + 7 + strspn(text + 7, " "), token)))
		abort();
	http_auth_is_local(text);
	free(text);
	return 0;
}
