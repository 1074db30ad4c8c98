// SPDX-License-Identifier: GPL-2.0-only
/*
 * descriptions - distribute an embedded stream over datagrams
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/wire.h"
#include "codec/image/descriptions.h"

#define SURE	.1	/* margin of loss beyond the expected one */

int descriptions_size(size_t bytes, unsigned int header,
		      const struct payloads *out, unsigned int *count,
		      unsigned int *size)
{
	*size = out->size < PAYLOAD_MAX ? out->size : PAYLOAD_MAX;
	*count = bytes / *size + (bytes % *size > 0);
	if (*count > PRIORITY_DATAGRAMS)
		*count = PRIORITY_DATAGRAMS;
	if (*count && *count * (size_t)*size > bytes)
		*size = bytes / *count;
	if (!*count || *count > out->max || *size < header + 1)
		return -EMSGSIZE;
	*size -= header;
	return 0;
}

/* Most datagrams that a whole stream may need */
static unsigned int most_needed(unsigned int count, double loss)
{
	double share = loss < 0 ? .8 : 1 - SURE - loss;
	double most = share * count;

	return most > 1 ? most : 1;
}

unsigned int descriptions_need(size_t stream, unsigned int least,
			       unsigned int count, unsigned int size,
			       double loss)
{
	unsigned int n = least > 1 ? least : 1;

	while (n <= count && (stream + n - 1) / n > size)
		n++;
	return n <= most_needed(count, loss) ? n : 0;
}

size_t descriptions_most(unsigned int count, unsigned int size, double loss)
{
	return (size_t)most_needed(count, loss) * size;
}

size_t descriptions_put(const struct priority *p, uint8_t *to)
{
	uint8_t *start = to;

	for (unsigned int i = 0; i < p->levels; i++) {
		*to++ = p->level[i].need;
		put_le16(to, p->level[i].columns);
		to += 2;
	}
	return to - start;
}

int descriptions_get(struct priority *p, unsigned int count,
		     const uint8_t *from)
{
	unsigned int last = 0;

	for (unsigned int i = 0; i < p->levels; i++) {
		p->level[i].need = *from;
		p->level[i].columns = get_le16(from + 1);
		if (*from <= last || *from > count)
			return -EINVAL;
		last = *from;
		from += DESCRIPTIONS_LEVEL;
	}
	return 0;
}

void descriptions_fill(struct erasure *e, const struct priority *p,
		       const uint8_t *stream, unsigned int header,
		       struct payloads *out)
{
	uint8_t *row[PRIORITY_DATAGRAMS];
	unsigned int at = header;

	for (unsigned int i = 0; i < out->count; i++)
		out->len[i] = header + priority_bytes(p);
	for (unsigned int l = 0; l < p->levels; l++) {
		unsigned int need = p->level[l].need;
		unsigned int columns = p->level[l].columns;

		assert(need && need <= out->count);
		for (unsigned int i = 0; i < out->count; i++) {
			row[i] = payload_at(out, i) + at;
			if (i >= need)
				continue;
			memcpy(row[i], stream, columns);
			stream += columns;
		}
		erasure_encode(e, out->count, need, row, columns);
		at += columns;
		assert(at <= out->size);
	}
}

void descriptions_begin(struct descriptions *d)
{
	d->received = 0;
	memset(d->there, 0, sizeof(d->there));
}

int descriptions_add(struct descriptions *d, unsigned int index,
		     const void *payload, size_t len)
{
	assert(index < PRIORITY_DATAGRAMS && d->received <= PRIORITY_DATAGRAMS);
	if (d->there[index])
		return -EEXIST;
	d->there[index] = 1;
	memcpy(d->row[index], payload, len);
	d->received++;
	return 0;
}

size_t descriptions_gather(struct descriptions *d, struct erasure *e,
			   const struct priority *p, unsigned int count,
			   unsigned int header, uint8_t *stream)
{
	uint8_t *row[PRIORITY_DATAGRAMS], *to = stream;
	unsigned int at = header;

	assert(count <= PRIORITY_DATAGRAMS);
	for (unsigned int l = 0; l < p->levels; l++) {
		unsigned int need = p->level[l].need;
		unsigned int columns = p->level[l].columns;

		for (unsigned int i = 0; i < count; i++)
			row[i] = d->row[i] + at;
		if (erasure_decode(e, count, need, row, d->there, columns)) {
			for (unsigned int i = 0; d->there[i]; i++) {
				memcpy(to, row[i], columns);
				to += columns;
			}
			break;
		}
		for (unsigned int i = 0; i < need; i++) {
			memcpy(to, row[i], columns);
			to += columns;
		}
		at += columns;
	}
	return to - stream;
}
