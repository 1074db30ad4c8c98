/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * project_body.h - sampling for one kind of CPU; included once for each
 *
 * TARGET marks its functions, NAME(x) makes names of it. NAME(find_segments)()
 * says which segments of a row are worth it, NAME(segment)() samples one, with
 * what NAME(make_lanes)() prepared.
 */

TARGET INLINE void NAME(sample_segments)(const struct sampling *s,
		struct window *w, const unsigned int bits,
		const struct segments *found)
{
	const NAME(lanes) lanes = NAME(make_lanes)(s);
	const void *data = s->c->data;
	char *to = window_cell(w, 0, 0);

	for (unsigned int i = 0; i < found->n; i++)
		NAME(segment)(&lanes, data, bits, found->u[i], found->v[i],
			      to + (ptrdiff_t)found->to[i] * (bits / 8));
}

TARGET static void NAME(sample_rows)(const struct sampling *s,
				     const struct way *way, struct window *w)
{
	const int left = w->rect.x - way->bounds.x;
	const int low = w->rect.y - way->bounds.y;
	const struct blocks_near near = blocks_near(s->c, way);
	struct segments found = { .n = 0 };

	for (unsigned int y = 0; y < w->rect.height; y++) {
		const int64_t u = way->u - (low + (int)y) * way->dv;
		const int64_t v = way->v + (low + (int)y) * way->du;
		int x, end;

		if (row_range(s, u, v, left, w->rect.width, &x, &end)) {
			struct row row = {
				.u = u + x * way->du, .v = v + x * way->dv,
				.to = (int)y * PROJECT_STRIDE + x - left,
				.segments = (end - x + SEGMENT_CELLS - 1) /
					    SEGMENT_CELLS,
			};

			NAME(find_segments)(&near, &row, &found);
			widen_row(w, y, x - left, &row);
		}
		if (found.n + ROW_SEGMENTS <= SEGMENTS &&
		    y + 1 < w->rect.height)
			continue;
		if (w->bits == 8)
			NAME(sample_segments)(s, w, 8, &found);
		else
			NAME(sample_segments)(s, w, 16, &found);
		found.n = 0;
	}
}
#undef TARGET
#undef NAME
