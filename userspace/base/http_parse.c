// SPDX-License-Identifier: GPL-2.0-only
/*
 * http_parse - refuse requests that another parser may read differently
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/http_parse.h"

const char *http_header(const struct http_request *r, const char *name)
{
	for (unsigned int i = 0; i < r->headers; i++)
		if (!strcasecmp(r->name[i], name))
			return r->value[i];
	return NULL;
}

const char *http_status(int status)
{
	static const struct {
		int		status;
		const char	*text;
	} table[] = {
		{ 200, "OK" }, { 304, "Not Modified" }, { 400, "Bad Request" },
		{ 401, "Unauthorized" }, { 403, "Forbidden" },
		{ 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 408, "Request Timeout" }, { 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" }, { 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].status == status)
			return table[i].text;
	return "Error";
}

static bool is_token(const char *text)
{
	static const char others[] = "!#$%&'*+-.^_`|~";
	const char *c = text;

	while (*c && ((*c >= '0' && *c <= '9') ||
		      ((*c | 32) >= 'a' && (*c | 32) <= 'z') ||
		      strchr(others, *c)))
		c++;
	return !*c && c != text;
}

static bool http_parse_is_text(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') ||
		    *text == 0x7f)
			return false;
	return true;
}

/* The next line, without its end. Return: NULL: no complete line */
static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*text = end + 1;
	if (end > line && end[-1] == '\r')
		end--;
	*end = 0;
	return http_parse_is_text(line) ? line : NULL;
}

static int first_line(struct http_request *r, char *line)
{
	char *path = strchr(line, ' '), *version, *query;

	if (!path)
		return 400;
	*path++ = 0;
	version = strchr(path, ' ');
	if (!version)
		return 400;
	*version++ = 0;
	if (!is_token(line) || strncmp(version, "HTTP/", 5))
		return 400;
	if (strcmp(version, "HTTP/1.1") && strcmp(version, "HTTP/1.0"))
		return 505;
	r->keep = version[7] == '1';
	/* absolute form, as to a proxy; Host names the server */
	if (!strncasecmp(path, "http://", 7)) {
		path = strchr(path + 7, '/');
		if (!path)
			return 400;
	}
	if (*path != '/')
		return 400;
	query = strchr(path, '?');
	if (query)
		*query++ = 0;
	r->method = line;
	r->path = path;
	r->query = query;
	return 0;
}

static int http_parse_add_header(struct http_request *r, char *line)
{
	char *value = strchr(line, ':'), *end;

	if (!value)
		return 400;
	*value++ = 0;
	if (!is_token(line))
		return 400;
	if (r->headers == HTTP_HEADERS)
		return 431;
	value += strspn(value, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = 0;
	/* twice is ambiguous: another parser may take the other one */
	if (http_header(r, line) &&
	    (!strcasecmp(line, "Host") || !strcasecmp(line, "Content-Length") ||
	     !strcasecmp(line, "Transfer-Encoding") ||
	     !strcasecmp(line, "Authorization")))
		return 400;
	r->name[r->headers] = line;
	r->value[r->headers++] = value;
	return 0;
}

static int find_body(struct http_request *r)
{
	const char *length = http_header(r, "Content-Length");
	const char *coding = http_header(r, "Transfer-Encoding");

	if (coding) {
		r->chunked = true;
		return length ? 400 : strcasecmp(coding, "chunked") ? 501 : 0;
	}
	if (!length)
		return 0;
	if (!*length || strspn(length, "0123456789") != strlen(length))
		return 400;
	if (strlen(length) > 18)
		return 413;
	r->length = atoll(length);
	return 0;
}

int http_parse_request(struct http_request *r, char *text, size_t len)
{
	const char *wish;
	char *line;
	int status;

	*r = (struct http_request){ 0 };
	if (strlen(text) != len)
		return 400;
	line = next_line(&text);
	status = line ? first_line(r, line) : 400;
	while (!status) {
		line = next_line(&text);
		if (!line)
			return 400;
		if (!*line)
			break;
		status = http_parse_add_header(r, line);
	}
	if (!status)
		status = find_body(r);
	wish = http_header(r, "Connection");
	if (wish && !strcasecmp(wish, "close"))
		r->keep = false;
	return status;
}

/*
 * Chunks
 */

enum { SIZE, EXTENSION, DATA, DATA_END, TRAILER, TRAILER_LINE };

enum { LINES = 4096 };	/* bytes of lines between chunks, and after them */

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A byte between chunks. Return: 1: the end, 0, a status */
static int take_byte(struct http_pieces *p, uint8_t c)
{
	if (++p->line > LINES)
		return 400;
	switch (p->state) {
	case SIZE:
		if (digit(c) >= 0 && p->left <= SIZE_MAX >> 8) {
			p->left = p->left * 16 + digit(c);
			return 0;
		}
		if (p->line == 1 || !strchr("; \t\r\n", c) || !c)
			return 400;
		p->state = EXTENSION;
		/* fall through */
	case EXTENSION:
		if (c != '\n')
			return 0;
		p->state = p->left ? DATA : TRAILER;
		p->line = 0;
		return 0;
	case DATA_END:
		if (c != '\r' && c != '\n')
			return 400;
		if (c == '\n') {
			p->state = SIZE;
			p->line = 0;
		}
		return 0;
	case TRAILER:
		if (c == '\n')
			return 1;
		if (c != '\r')
			p->state = TRAILER_LINE;
		return 0;
	default:
		if (c == '\n')
			p->state = TRAILER;
		return 0;
	}
}

int http_pieces_take(struct http_pieces *p, const uint8_t *data, size_t len,
		     size_t *used, struct bytes *body, size_t max)
{
	int status = 0;

	*used = 0;
	while (*used < len && !status) {
		const size_t rest = len - *used;

		if (p->state == DATA) {
			const size_t n = rest < p->left ? rest : p->left;

			if (body->len + n > max)
				return 413;
			if (bytes_append(body, data + *used, n))
				return 503;
			*used += n;
			p->left -= n;
			if (!p->left) {
				p->state = DATA_END;
				p->line = 0;
			}
			continue;
		}
		status = take_byte(p, data[(*used)++]);
	}
	return status;
}
