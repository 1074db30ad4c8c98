/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample_body.h - sampling for one kind of CPU; included once for each
 *
 * TARGET marks its functions, NAME(x) makes names of it. NAME(find)() says
 * which blocks of a tile are worth it, NAME(block)() samples one, with what
 * NAME(make_lanes)() prepared.
 */

/* Blocks that were found; @under as of sample_tile(). Return: known ones */
TARGET INLINE unsigned int NAME(sample_found)(const struct way *way,
		const struct found *found, const unsigned int bits,
		void *under, size_t stride, uint16_t *at, void *cells)
{
	const NAME(lanes) lanes = NAME(make_lanes)(way, under != NULL);
	const void *data = way->c->data;
	const size_t size = bits / 8;
	unsigned int n = 0;

	for (unsigned int i = 0; i < found->n; i++) {
		const unsigned int cell = found->at[i];
		const size_t from = (cell >> TILE_SHIFT) * stride +
				    (cell & (TILE_SIDE - 1));
		const bool known = NAME(block)(&lanes, data, bits, found->u[i],
			found->v[i], under ? (char *)under + from * size :
			NULL, (char *)cells + n * RULE_STEP * size);

		at[n] = cell;
		n += known;
	}
	return n;
}

TARGET static unsigned int NAME(sample_tile)(const struct way *way, int x,
		int y, void *under, size_t stride, uint16_t *at,
		void *cells)
{
	struct found found;	/* large: not set to 0 */

	found.n = 0;
	NAME(find)(way, x, y, under != NULL, &found);
	if (way->c->bits == 8)
		return NAME(sample_found)(way, &found, 8, under, stride, at,
					  cells);
	return NAME(sample_found)(way, &found, 16, under, stride, at, cells);
}
#undef TARGET
#undef NAME
