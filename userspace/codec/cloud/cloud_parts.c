// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloud_parts - a cloud from payloads in any order
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/cloud/cloud_parts.h"

int cloud_parts_create(struct cloud_parts *p, unsigned int points,
		       unsigned int parts)
{
	p->max = parts < CLOUD_PARTS_MAX ? parts : CLOUD_PARTS_MAX;
	p->span = calloc(p->max + 1, sizeof(*p->span));
	p->cloud = cloud_create(points);
	return p->span && p->cloud ? 0 : -ENOMEM;
}

void cloud_parts_destroy(struct cloud_parts *p)
{
	free(p->span);
	cloud_destroy(p->cloud);
}

void cloud_parts_begin(struct cloud_parts *p)
{
	p->begun = false;
	p->cloud->count = 0;
	p->cloud->fields = 0;
}

void cloud_parts_expect(struct cloud_parts *p, unsigned int count)
{
	p->count = count;
	memset(p->span, 0, count * sizeof(*p->span));
}

void cloud_parts_take(struct cloud_parts *p, unsigned int i,
		      unsigned int begin)
{
	p->span[i] = (struct cloud_span){ begin, p->cloud->count - begin,
					  true };
	p->begun = true;
}

int cloud_parts_finish(const struct cloud_parts *p, struct cloud *out)
{
	cloud_like(out, p->cloud);
	if (!p->begun)
		out->fields = 0;
	if (p->cloud->count > out->max)
		return -ENOSPC;
	for (unsigned int i = 0; p->begun && i < p->count; i++)
		if (p->span[i].received)
			cloud_append(out, p->cloud, p->span[i].begin,
				     p->span[i].count);
	return 0;
}

unsigned int cloud_put_name(const struct cloud_field *f, uint8_t *to)
{
	unsigned int len = strlen(f->name);

	put_le16(to, f->type | (len - 1) << 4);
	memcpy(to + CLOUD_NAME_HEADER, f->name, len);
	return CLOUD_NAME_HEADER + len;
}

int cloud_get_name(struct cloud *c, const uint8_t *from, size_t len)
{
	char name[CLOUD_NAME] = "";
	unsigned int bytes;

	if (len < CLOUD_NAME_HEADER)
		return -EPROTO;
	bytes = (get_le16(from) >> 4) + 1;
	if (bytes >= CLOUD_NAME || bytes > len - CLOUD_NAME_HEADER)
		return -EPROTO;
	memcpy(name, from + CLOUD_NAME_HEADER, bytes);
	if (strlen(name) != bytes ||
	    cloud_add_field(c, name, get_le16(from) & 15))
		return -EPROTO;
	return CLOUD_NAME_HEADER + bytes;
}
