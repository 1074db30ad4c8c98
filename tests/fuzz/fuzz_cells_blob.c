// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cells_blob - hostile cells in a store
 *
 * Input: width, height, a byte of bits, and a mode: the rest is a blob, or
 * cells, whose blob then gets changes: each a position (u16) and the new byte.
 * A blob that can be read is written again and must then be the same.
 */
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "map/store/cells_blob.h"

enum { SIDE = 32, CHANGES = 16, HEAD = 5 };

struct shape {
	unsigned int	width, height, bits;
};

static struct cells_blob *blob;

static size_t bytes_of(const struct shape *s)
{
	return (size_t)s->width * s->height * s->bits / 8;
}

static struct cells *make(const struct shape *s, const void *data)
{
	struct cells *c = cells_create(s->width, s->height, s->bits, 0.05,
				       &(struct pose){ 0, 0, 0 }, data);

	if (!c)
		abort();
	return c;
}

/* Return: a copy of the blob, free() it */
static uint8_t *pack(const struct cells *c, size_t *len)
{
	const void *data;
	uint8_t *copy;

	if (cells_blob_pack(blob, c, &data, len) || !*len)
		abort();
	copy = malloc(*len);
	memcpy(copy, data, *len);
	return copy;
}

static void unpack_same(const struct shape *s, const void *data, size_t len,
			const void *as)
{
	const void *cells;

	if (cells_blob_unpack(blob, s->width, s->height, s->bits, data, len,
			      &cells) || memcmp(cells, as, bytes_of(s)))
		abort();
}

/* Valid cells have the right number of bytes, and survive a round trip */
static void take(const struct shape *s, const void *data, size_t len)
{
	const void *cells;
	struct cells *c;
	uint8_t *again;

	if (cells_blob_unpack(blob, s->width, s->height, s->bits, data, len,
			      &cells))
		return;
	c = make(s, cells);
	again = pack(c, &len);
	unpack_same(s, again, len, c->data);
	free(again);
	cells_put(c);
}

static void change(const struct shape *s, const uint8_t *data, size_t size)
{
	const size_t n = bytes_of(s);
	uint8_t *values = calloc(1, n), *good, *bad;
	struct cells *c;
	size_t len, cut;

	memcpy(values, data, size < n ? size : n);
	data += size < n ? size : n;
	size -= size < n ? size : n;
	c = make(s, values);
	good = pack(c, &len);
	unpack_same(s, good, len, c->data);
	bad = malloc(len);
	memcpy(bad, good, len);
	for (int i = 0; i < CHANGES && size >= 3; i++) {
		bad[get_le16(data) % len] = data[2];
		data += 3;
		size -= 3;
	}
	cut = size ? data[0] % (len + 1) : 0;
	take(s, bad, len - cut);
	free(bad);
	free(good);
	free(values);
	cells_put(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shape s;

	if (size < HEAD)
		return 0;
	if (!blob)
		blob = cells_blob_new();
	s = (struct shape){ data[0] % SIDE + 1, data[1] % SIDE + 1,
			    data[2] & 1 ? 16 : 8 };
	/* lengths that do not fit, and large ones */
	if ((data[3] & 15) == 15)
		s.width = get_le16(data) % CELLS_SIDE_MAX + 1;
	if (data[3] & 1)
		take(&s, data + HEAD, size - HEAD);
	else if (bytes_of(&s) < 1 << 18)
		change(&s, data + HEAD, size - HEAD);
	return 0;
}
