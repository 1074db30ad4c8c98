// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_http_parse - hostile heads of HTTP, and bodies in pieces
 *
 * Input: a byte that selects, and the received bytes. The result does not
 * depend on how a body is split into portions.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/http_parse.h"

enum { MOST = 1000 };	/* bytes of a body */

static const char *text;
static size_t text_len;

/* A line's part: within what came, and nothing a terminal would take for more */
static void check_part(const char *part)
{
	if (part < text || part + strlen(part) > text + text_len)
		abort();
	for (; *part; part++)
		if (((unsigned char)*part < ' ' && *part != '\t') ||
		    *part == 0x7f)
			abort();
}

static unsigned int count(const struct http_request *r, const char *name)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->headers; i++)
		n += !strcasecmp(r->name[i], name);
	return n;
}

static void check_request(const struct http_request *r)
{
	check_part(r->method);
	check_part(r->path);
	if (r->query)
		check_part(r->query);
	if (!*r->method || *r->path != '/' || strchr(r->path, '?') ||
	    strchr(r->path, ' ') || r->headers > HTTP_HEADERS)
		abort();
	for (unsigned int i = 0; i < r->headers; i++) {
		check_part(r->name[i]);
		check_part(r->value[i]);
		if (!*r->name[i] || strpbrk(r->name[i], " \t:") ||
		    !http_header(r, r->name[i]))
			abort();
	}
	/* two parsers could see different ends of this request */
	if (count(r, "Content-Length") + count(r, "Transfer-Encoding") > 1 ||
	    count(r, "Host") > 1 || count(r, "Authorization") > 1 ||
	    r->length < 0 || (r->chunked && r->length))
		abort();
}

static void parse(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct http_request r;
	int status;

	memcpy(copy, data, size);
	copy[size] = 0;
	text = copy;
	text_len = size;
	status = http_parse_request(&r, copy, size);
	if (!status)
		check_request(&r);
	else if (!strcmp(http_status(status), "Error"))
		abort();
	free(copy);
}

/* All of it, @portion bytes at a time. Return: as http_pieces_take() */
static int take(const uint8_t *data, size_t size, size_t portion,
		struct bytes *body, size_t *at)
{
	struct http_pieces p = { 0 };
	int status = 0;

	for (*at = 0; *at < size && !status;) {
		size_t n = size - *at < portion ? size - *at : portion, used;

		status = http_pieces_take(&p, data + *at, n, &used, body,
					  MOST);
		if (used > n || (!status && used != n))
			abort();
		*at += used;
	}
	return status;
}

static void take_twice(const uint8_t *data, size_t size, size_t portion)
{
	struct bytes whole = { 0 }, parts = { 0 };
	size_t end, end_of_parts;
	int status = take(data, size, size, &whole, &end);

	if (whole.len > MOST)
		abort();
	/* a too long one is detected in the portion that exceeds the limit */
	if (take(data, size, portion, &parts, &end_of_parts) != status ||
	    (status != 413 && (end != end_of_parts ||
			       whole.len != parts.len ||
			       (whole.len && memcmp(whole.data, parts.data,
						    whole.len)))))
		abort();
	bytes_free(&whole);
	bytes_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data & 1)
		parse(data + 1, size - 1);
	else
		take_twice(data + 1, size - 1, *data / 2 + 1);
	return 0;
}
