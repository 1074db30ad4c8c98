/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample_body.h - sampling for one kind of CPU; included once for each
 *
 * TARGET marks its functions, NAME(x) makes names. NAME(find)() selects the
 * patches of a tile to sample, NAME(block)() samples a block, using the data of
 * NAME(make_lanes)().
 */

/* @under as in sample_tile(). Return: number of known blocks */
TARGET INLINE unsigned int NAME(sample_patches)(const struct transform *way,
		const struct tile_way *t, const unsigned int bits,
		void *under, size_t stride, uint16_t *at, void *cells)
{
	const NAME(lanes) lanes = NAME(make_lanes)(way, under != NULL);
	const struct near near = near_of(way, t);
	const void *data = way->c->data;
	const size_t size = bits / 8;
	uint32_t patch[PATCHES + 8];
	const unsigned int patches = NAME(find)(&near, patch);
	unsigned int n = 0;

	for (unsigned int i = 0; i < patches; i++) {
		const unsigned int column = patch[i] % ROW_BLOCKS;
		const unsigned int row = patch[i] / ROW_BLOCKS * PATCH_ROWS;
		const size_t from = (row * stride + column * RULE_STEP) * size;
		int64_t u = t->u + column * t->du + row * t->du_row;
		int64_t v = t->v + column * t->dv + row * t->dv_row;

		for (unsigned int k = 0; k < PATCH_ROWS; k++) {
			const bool known = NAME(block)(&lanes, data, bits,
				u >> STEP_SHIFT, v >> STEP_SHIFT, under ?
				(char *)under + from + k * stride * size : NULL,
				(char *)cells + n * RULE_STEP * size);

			at[n] = (row + k) * TILE_SIDE + column * RULE_STEP;
			n += known;
			u += t->du_row;
			v += t->dv_row;
		}
	}
	return n;
}

TARGET static unsigned int NAME(sample_tile)(const struct transform *way,
		const struct tile_way *t, void *under, size_t stride,
		uint16_t *at, void *cells)
{
	if (way->c->bits == 8)
		return NAME(sample_patches)(way, t, 8, under, stride, at,
					    cells);
	return NAME(sample_patches)(way, t, 16, under, stride, at, cells);
}
#undef TARGET
#undef NAME
