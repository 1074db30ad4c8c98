// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_request - parse the target of a request
 *
 * It is split first and then decoded once: an encoded slash is part of a name.
 * Invalid text is an error.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "apps/gdimd/web_request.h"
#include "base/cli.h"
#include "base/error.h"

struct reader {
	struct web_request	*r;
	size_t			used;
	struct error		*error;
};

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int web_request_refuse(struct reader *d, const char *why)
{
	return error_set(d->error, -EINVAL, "%s", why);
}

/* Return: the character, -1: invalid */
static int decode_one(const char **from, const char *end)
{
	const char *s = *from;
	int high, low;

	if (*s != '%') {
		(*from)++;
		return (unsigned char)*s;
	}
	if (end - s < 3)
		return -1;
	high = hex(s[1]);
	low = hex(s[2]);
	*from += 3;
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Decode and terminate @from to @end; a plus is a space in parameters */
static int web_request_decode(struct reader *d, const char *from,
			      const char *end, bool parameter,
			      const char **text)
{
	char *to = d->r->text + d->used;

	*text = to;
	while (from < end) {
		const bool plus = parameter && *from == '+';
		const int c = decode_one(&from, end);

		if (c < 0x20 || c > 0x7e)
			return web_request_refuse(
				d, "the URL is not printable ASCII");
		if (d->used + 1 >= WEB_TEXT)
			return web_request_refuse(d, "the URL is too long");
		d->r->text[d->used++] = plus ? ' ' : c;
	}
	if (d->used + 1 >= WEB_TEXT)
		return web_request_refuse(d, "the URL is too long");
	assert(d->used < WEB_TEXT);
	d->r->text[d->used++] = 0;
	return 0;
}

static int parse_path(struct reader *d, const char *path)
{
	struct web_request *r = d->r;
	int err = 0;

	if (*path != '/')
		return web_request_refuse(d, "the URL has no path");
	while (*path && !err) {
		const char *end;

		path++;
		end = path + strcspn(path, "/");
		if (r->parts == WEB_PARTS)
			return web_request_refuse(
				d, "too many path segments");
		assert(r->parts < WEB_PARTS);
		err = web_request_decode(d, path, end, false,
					 &r->part[r->parts++]);
		path = end;
	}
	return err;
}

static int parse_parameter(struct reader *d, const char *from, const char *end)
{
	struct web_request *r = d->r;
	const char *is = memchr(from, '=', end - from);
	const unsigned int n = r->parameters;
	int err;

	if (n == WEB_PARTS)
		return web_request_refuse(d, "too many parameters");
	err = web_request_decode(d, from, is ? is : end, true, &r->name[n]);
	if (!err)
		err = web_request_decode(d, is ? is + 1 : end, end, true,
					 &r->value[n]);
	if (err)
		return err;
	if (web_request_value(r, r->name[n]))
		return error_set(d->error, -EINVAL,
				 "parameter %.40s given twice", r->name[n]);
	r->parameters++;
	return 0;
}

static int parse_query(struct reader *d, const char *query)
{
	int err = 0;

	while (*query && !err) {
		const size_t n = strcspn(query, "&");

		if (n)
			err = parse_parameter(d, query, query + n);
		query += n + (query[n] == '&');
	}
	return err;
}

int web_request_parse(struct web_request *r, const char *path,
		      const char *query, struct error *error)
{
	struct reader d = { r, 0, error };
	int err;

	r->parts = r->parameters = 0;
	err = parse_path(&d, path);
	return err || !query ? err : parse_query(&d, query);
}

const char *web_request_value(const struct web_request *r, const char *name)
{
	for (unsigned int i = 0; i < r->parameters; i++)
		if (!strcmp(r->name[i], name))
			return r->value[i];
	return NULL;
}

int web_request_number(const struct web_request *r, const char *name,
		       double min, double max, double *v,
		       struct error *error)
{
	const char *text = web_request_value(r, name);

	if (text && !parse_double(text, min, max, v))
		return 0;
	return error_set(error, -EINVAL, text ? "%s must be a number, %g..%g" :
			 "%s is missing: a number, %g..%g", name, min, max);
}

static bool web_request_has_word(const char *words, const char *word)
{
	const size_t n = strlen(word);

	while (*words) {
		const size_t len = strcspn(words, " ");

		if (len == n && !memcmp(words, word, n))
			return true;
		words += len + (words[len] == ' ');
	}
	return false;
}

int web_request_only(const struct web_request *r, const char *names,
		     struct error *error)
{
	for (unsigned int i = 0; i < r->parameters; i++) {
		if (web_request_has_word(names, r->name[i]))
			continue;
		return error_set(error, -EINVAL,
				 "unknown parameter '%.40s'%s%s",
				 r->name[i], *names ? "; known: " : "", names);
	}
	return 0;
}
