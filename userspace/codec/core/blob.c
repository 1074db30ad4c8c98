// SPDX-License-Identifier: GPL-2.0-only
/*
 * blob - all-or-nothing bytes, with parity
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/wire.h"
#include "codec/core/blob.h"
#include "codec/core/erasure.h"

/* Division into rows: row r of group g is number r * groups + g */
struct shape {
	unsigned int	groups, need, count, row;
	size_t		len;
};

struct blob_encoder {
	struct erasure	*code;
};

struct blob_decoder {
	struct erasure	*code;
	size_t		max;
	struct shape	shape;		/* groups 0: nothing received */
	unsigned int	have[BLOB_GROUPS];
	uint8_t		there[BLOB_GROUPS][ERASURE_ROWS];
	uint8_t		*rows;		/* of all groups, in order */
	size_t		room;
};

struct blob_encoder *blob_encoder_create(void)
{
	struct blob_encoder *e = malloc(sizeof(*e));

	if (!e)
		return NULL;
	e->code = erasure_create(ERASURE_ROWS);
	if (e->code)
		return e;
	free(e);
	return NULL;
}

void blob_encoder_destroy(struct blob_encoder *e)
{
	if (!e)
		return;
	erasure_destroy(e->code);
	free(e);
}

static unsigned int div_up(size_t a, size_t b)
{
	return (a + b - 1) / b;
}

/* As few rows and groups as possible, all of one size */
static struct shape blob_shape_of(size_t len, unsigned int size)
{
	unsigned int rows = len ? div_up(len, size) : 1;
	struct shape s = { .len = len };

	s.groups = div_up(rows, BLOB_NEED);
	s.need = div_up(rows, s.groups);
	s.row = len ? div_up(len, (size_t)s.groups * s.need) : 1;
	return s;
}

static void blob_put_header(uint8_t *p, const struct shape *s,
			    unsigned int group, unsigned int row)
{
	p[0] = BLOB_VERSION << 4;
	p[1] = group;
	p[2] = s->groups;
	p[3] = row;
	p[4] = s->need;
	p[5] = s->count;
	put_le16(p + 6, s->row);
	put_le32(p + 8, s->len);
}

/* The bytes of a row of data, padded with 0 */
static void blob_put_row(uint8_t *p, const struct shape *s, const uint8_t *data,
			 unsigned int number)
{
	size_t at = (size_t)number * s->row;
	size_t n = at >= s->len ? 0 :
		   s->len - at < s->row ? s->len - at : s->row;

	if (n)
		memcpy(p, data + at, n);
	memset(p + n, 0, s->row - n);
}

int blob_encode(struct blob_encoder *e, const void *data, size_t len,
		double parity, struct payloads *out)
{
	struct shape s;
	uint8_t *row[ERASURE_ROWS];
	unsigned int more;

	out->count = 0;
	if (!(parity >= 0 && parity <= 31) || out->size <= BLOB_HEADER)
		return -EINVAL;
	if (len > BLOB_MAX)
		return -EMSGSIZE;
	s = blob_shape_of(len, out->size - BLOB_HEADER);
	if (s.groups > BLOB_GROUPS)
		return -EMSGSIZE;
	more = ceil(s.need * parity);
	s.count = s.need + more < ERASURE_ROWS ? s.need + more : ERASURE_ROWS;
	if (s.count * s.groups > out->max)
		return -ENOSPC;
	for (unsigned int g = 0; g < s.groups; g++) {
		for (unsigned int r = 0; r < s.count; r++) {
			unsigned int number = r * s.groups + g;
			uint8_t *p = payload_at(out, number);

			blob_put_header(p, &s, g, r);
			out->len[number] = BLOB_HEADER + s.row;
			row[r] = p + BLOB_HEADER;
			if (r < s.need)
				blob_put_row(row[r], &s, data, number);
		}
		assert(s.need && s.need <= s.count && s.count <= ERASURE_ROWS);
		erasure_encode(e->code, s.count, s.need, row, s.row);
	}
	out->count = s.count * s.groups;
	assert(out->count <= out->max);
	return 0;
}

/* Whether @need of @count rows arrive with a probability of @least */
static bool enough(unsigned int need, unsigned int count, double loss,
		   double least)
{
	double p = pow(1 - loss, count), sum = 0;

	/* the number that arrive, from all of them down */
	for (unsigned int k = count; k >= need && p > 0; k--) {
		sum += p;
		p *= loss / (1 - loss) * k / (count - k + 1);
	}
	return sum >= least;
}

double blob_parity(size_t len, double loss, double most)
{
	struct shape s = blob_shape_of(len, BLOB_ROW);
	unsigned int count = s.need;

	if (!(loss > 0))
		return 0;
	if (loss > .95)
		loss = .95;
	while (count < ERASURE_ROWS && count - s.need < most * s.need &&
	       !enough(s.need, count, loss, pow(.99, 1. / s.groups)))
		count++;
	return (double)(count - s.need) / s.need;
}

struct blob_decoder *blob_decoder_create(size_t max)
{
	struct blob_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->max = max;
	d->code = erasure_create(ERASURE_ROWS);
	if (d->code)
		return d;
	free(d);
	return NULL;
}

void blob_decoder_destroy(struct blob_decoder *d)
{
	if (!d)
		return;
	erasure_destroy(d->code);
	free(d->rows);
	free(d);
}

void blob_begin(struct blob_decoder *d)
{
	d->shape.groups = 0;
}

static int blob_get_header(const uint8_t *p, size_t len, struct shape *s)
{
	size_t least, most;

	if (len < BLOB_HEADER || p[0] != BLOB_VERSION << 4)
		return -EINVAL;
	*s = (struct shape){ p[2], p[4], p[5], get_le16(p + 6),
			     get_le32(p + 8) };
	if (!s->groups || s->groups > BLOB_GROUPS || p[1] >= s->groups ||
	    !s->need || s->need > BLOB_NEED || p[3] >= s->count ||
	    s->count < s->need || !s->row || len != BLOB_HEADER + (size_t)s->row)
		return -EINVAL;
	/* an encoder uses as few rows as possible */
	most = (size_t)s->groups * s->need * s->row;
	least = (size_t)s->groups * s->need * (s->row - 1);
	return s->len > most || (s->len && s->len <= least) ? -EINVAL : 0;
}

static uint8_t *row_at(const struct blob_decoder *d, unsigned int group,
		       unsigned int row)
{
	return d->rows + (size_t)(row * d->shape.groups + group) * d->shape.row;
}

static int begin(struct blob_decoder *d, const struct shape *s)
{
	size_t room = (size_t)s->groups * s->count * s->row;

	if (s->len > d->max)
		return -EFBIG;
	if (room > d->room) {
		uint8_t *rows = realloc(d->rows, room);

		if (!rows)
			return -ENOMEM;
		d->rows = rows;
		d->room = room;
	}
	d->shape = *s;
	memset(d->have, 0, sizeof(d->have));
	memset(d->there, 0, sizeof(d->there));
	return 0;
}

static bool alike(const struct shape *a, const struct shape *b)
{
	return a->groups == b->groups && a->need == b->need &&
	       a->count == b->count && a->row == b->row && a->len == b->len;
}

int blob_add(struct blob_decoder *d, const void *payload, size_t len)
{
	const uint8_t *p = payload;
	struct shape s;
	int ret = blob_get_header(p, len, &s);

	if (ret)
		return ret;
	if (!d->shape.groups)
		ret = begin(d, &s);
	else if (!alike(&s, &d->shape))
		ret = -EPROTO;
	else if (d->there[p[1]][p[3]])
		ret = -EEXIST;
	if (ret)
		return ret;
	d->there[p[1]][p[3]] = 1;
	d->have[p[1]]++;
	memcpy(row_at(d, p[1], p[3]), p + BLOB_HEADER, s.row);
	return 0;
}

long blob_finish(struct blob_decoder *d, const uint8_t **data)
{
	const struct shape *s = &d->shape;
	uint8_t *row[ERASURE_ROWS];

	if (!s->groups)
		return -ENODATA;
	for (unsigned int g = 0; g < s->groups; g++)
		if (d->have[g] < s->need)
			return -ENODATA;
	for (unsigned int g = 0; g < s->groups; g++) {
		for (unsigned int r = 0; r < s->count; r++)
			row[r] = row_at(d, g, r);
		if (erasure_decode(d->code, s->count, s->need, row,
				   d->there[g], s->row))
			return -ENODATA;
		/* never decode again, as parity may be overwritten */
		memset(d->there[g], 1, s->need);
	}
	*data = d->rows;
	return s->len;
}
