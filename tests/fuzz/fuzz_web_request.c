// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_web_request - hostile addresses of HTTP
 *
 * Input: the path, and after the first question mark the query. A valid one is
 * written with every character in hexadecimal, and must then be read as the
 * same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/gdimd/web_request.h"
#include "base/error.h"

static char *encode(char *to, const char *text)
{
	while (*text)
		to += sprintf(to, "%%%02x", (unsigned char)*text++);
	return to;
}

static void check_text(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			abort();
}

static void again(const struct web_request *r)
{
	static char path[4 * WEB_TEXT], query[4 * WEB_TEXT];
	static struct web_request second;
	char *p = path, *q = query;
	struct error error;

	for (unsigned int i = 0; i < r->parts; i++) {
		check_text(r->part[i]);
		p = encode(p + sprintf(p, "/"), r->part[i]);
	}
	*q = 0;
	for (unsigned int i = 0; i < r->parameters; i++) {
		check_text(r->name[i]);
		check_text(r->value[i]);
		q = encode(q + sprintf(q, "&"), r->name[i]);
		q = encode(q + sprintf(q, "="), r->value[i]);
	}
	if (web_request_parse(&second, path, query, &error) ||
	    second.parts != r->parts || second.parameters != r->parameters)
		abort();
	for (unsigned int i = 0; i < r->parts; i++)
		if (strcmp(second.part[i], r->part[i]))
			abort();
	for (unsigned int i = 0; i < r->parameters; i++)
		if (strcmp(second.name[i], r->name[i]) ||
		    strcmp(web_request_value(&second, r->name[i]),
			   r->value[i]))
			abort();
}

/* Always one printable line */
static void check_error(int err, const struct error *error)
{
	if (err && (!*error->text || strchr(error->text, '\n')))
		abort();
	if (err)
		check_text(error->text);
}

static void ask(const struct web_request *r)
{
	struct error error = { "" };
	double v = 0;
	int err;

	for (unsigned int i = 0; i < r->parameters; i++) {
		err = web_request_number(r, r->name[i], -1e6, 1e6, &v, &error);
		check_error(err, &error);
		if (!err && !(v >= -1e6 && v <= 1e6))
			abort();
	}
	check_error(web_request_number(r, "x", 0, 1, &v, &error), &error);
	check_error(web_request_only(r, "x y x0", &error), &error);
	check_error(web_request_only(r, "", &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct web_request r;
	char *text = malloc(size + 1), *query;
	struct error error = { "" };
	int err;

	memcpy(text, data, size);
	text[size] = 0;
	query = strchr(text, '?');
	if (query)
		*query++ = 0;
	err = web_request_parse(&r, text, query, &error);
	check_error(err, &error);
	if (!err) {
		again(&r);
		ask(&r);
	}
	free(text);
	return 0;
}
