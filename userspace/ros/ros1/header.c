// SPDX-License-Identifier: GPL-2.0-only
/*
 * header.c - the connection header of TCPROS and UDPROS
 */
#include <errno.h>
#include <string.h>
#include "base/wire.h"
#include "header.h"

static const char *const header_names[HEADER_FIELDS] = {
	[HEADER_CALLERID]	= "callerid",
	[HEADER_TOPIC]		= "topic",
	[HEADER_TYPE]		= "type",
	[HEADER_MD5SUM]		= "md5sum",
	[HEADER_DEFINITION]	= "message_definition",
	[HEADER_LATCHING]	= "latching",
	[HEADER_ERROR]		= "error",
};

int header_parse(const void *data, size_t len, struct header *h)
{
	const char *p = data, *end = p + len, *value;
	uint32_t n;
	size_t i;

	memset(h, 0, sizeof(*h));
	while (p < end) {
		if (end - p < 4)
			return -EPROTO;
		n = get_le32(p);
		p += 4;
		if (n > (size_t)(end - p))
			return -EPROTO;
		value = memchr(p, '=', n);
		if (!value || value == p)
			return -EPROTO;
		for (i = 0; i < HEADER_FIELDS; i++)
			if (strlen(header_names[i]) == (size_t)(value - p) &&
			    !memcmp(header_names[i], p, (size_t)(value - p)))
				break;
		if (i < HEADER_FIELDS) {
			h->field[i].p = value + 1;
			h->field[i].n = n - (size_t)(value + 1 - p);
		}
		p += n;
	}
	return 0;
}

char *header_value(const struct header *h, enum header_field field)
{
	if (!h->field[field].p)
		return strdup("");
	return strndup(h->field[field].p, h->field[field].n);
}

bool header_is(const struct header *h, enum header_field field,
	       const char *value)
{
	size_t n = strlen(value);

	return h->field[field].p && h->field[field].n == n &&
	       !memcmp(h->field[field].p, value, n);
}

int header_append(struct bytes *b, const char *name, const char *value)
{
	uint8_t n[4];

	put_le32(n, (uint32_t)(strlen(name) + 1 + strlen(value)));
	if (bytes_append(b, n, sizeof(n)))
		return -ENOMEM;
	return bytes_printf(b, "%s=%s", name, value);
}
