// SPDX-License-Identifier: GPL-2.0-only
/*
 * zeroblock_bands - subbands of wavelet coefficients, as quadtrees
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/zeroblock_bands.h"
#include "codec/image/zeroblock_start.h"

/* With a row above and one below, and one more for blocks of four rows */
static size_t map_size(unsigned int width, unsigned int height)
{
	return (size_t)(width + 2 * MARGIN) * (height + 3);
}

/* Upper limit of the maps of a channel's bands */
static size_t channel_maps(unsigned int width, unsigned int height)
{
	size_t maps = 0;

	/* each level of the transform has three bands of half the size */
	for (unsigned int l = 0; l <= ZEROBLOCK_LEVELS; l++) {
		unsigned int w = (width >> (l + 1)) + 2;
		unsigned int h = (height >> (l + 1)) + 2;

		maps += 3 * map_size(w, h);		/* signs */
		for (unsigned int k = 0; k < DEPTH; k++)
			maps += 3 * 2 * map_size((w >> k) + 1, (h >> k) + 1);
	}
	/* without a transform: one band */
	for (unsigned int k = 0; k < DEPTH; k++)
		maps += 2 * map_size((width >> k) + 1, (height >> k) + 1);
	return maps + map_size(width, height);
}

struct zeroblock *zeroblock_create(unsigned int width, unsigned int height,
				   unsigned int channels)
{
	/* all coefficients waiting, and the blocks above */
	size_t nodes = (size_t)width * height * 3 / 2 +
		       (size_t)64 * (width + height) + 65536;
	struct zeroblock *z;

	if (!width || !height || width > 65535 || height > 65535 ||
	    !channels || channels > ZEROBLOCK_CHANNELS)
		return NULL;
	z = calloc(1, sizeof(*z));
	if (!z)
		return NULL;
	z->width = width;
	z->height = height;
	z->channels = channels;
	z->memory = malloc(channel_maps(width, height) * channels);
	z->nodes = malloc(nodes * channels * sizeof(*z->nodes));
	z->hits = malloc((size_t)width * height * channels * sizeof(*z->hits));
	if (!z->memory || !z->nodes || !z->hits) {
		zeroblock_destroy(z);
		return NULL;
	}
	return z;
}

void zeroblock_destroy(struct zeroblock *z)
{
	if (!z)
		return;
	free(z->memory);
	free(z->nodes);
	free(z->hits);
	free(z);
}

/* Log2 of the norms of 5/3 wavelets, rounded, relative to the least */
static unsigned int norm_shift(unsigned int level, enum orient orient,
			       bool low)
{
	return low || orient != BOTH ? level : level - 1;
}

/* Squared norms of 5/3 wavelets; beyond the table times 4 per level */
static double norm_weight(unsigned int level, enum orient orient, bool low)
{
	static const double low2[] = { 1, 2.25, 7.56, 28.9, 114, 455 };
	static const double one2[] = { 0, 1.08, 2.53, 8.52, 32.5, 128 };
	static const double both2[] = { 0, .516, .850, 2.52, 9.26, 36.2 };
	const double *t = low ? low2 : orient == BOTH ? both2 : one2;
	double w = t[level < 5 ? level : 5];

	while (level-- > 5)
		w *= 4;
	return w;
}

static void add_band(struct zeroblock *z, unsigned int channel,
		     unsigned int level, enum orient orient, bool low,
		     unsigned int x0, unsigned int y0, unsigned int w,
		     unsigned int h, size_t *bytes, size_t *nodes,
		     size_t *hits)
{
	struct band *b = &z->band[z->bands];
	struct level *l;

	b->channel = channel;
	b->orient = orient;
	b->at = (size_t)y0 * z->shape.width + x0;
	b->shift = z->shape.norms ? norm_shift(level, orient, low) : 0;
	b->weight = z->shape.norms ? norm_weight(level, orient, low) : 1;
	b->listed = 0;
	b->nodes = z->ctx[channel > 0].node[orient];
	b->signs = z->ctx[channel > 0].sign[orient];
	b->refines = z->ctx[channel > 0].refine[orient];
	b->shown = 0;
	b->list = z->hits + *hits;
	*hits += (size_t)w * h;
	memset(b->until, 0, sizeof(b->until));
	for (b->depth = 0; ; b->depth++) {
		l = &b->level[b->depth];
		l->width = w;
		l->height = h;
		l->stride = w + 2 * MARGIN;
		l->map = z->memory + *bytes;
		*bytes += map_size(w, h);
		l->top = z->memory + *bytes;
		*bytes += map_size(w, h);
		memset(l->map, 0, map_size(w, h));
		l->wait = z->nodes + *nodes;
		l->waiting = 0;
		l->parent = NULL;
		*nodes += (size_t)w * h;
		if (w == 1 && h == 1)
			break;
		w = (w + 1) / 2;
		h = (h + 1) / 2;
	}
	l->wait[l->waiting++] = (struct node){ 0, 0 };
	b->sign = (int8_t *)z->memory + *bytes;
	l = &b->level[0];
	*bytes += map_size(l->width, l->height);
	memset(b->sign, 0, map_size(l->width, l->height));
	assert(b->depth < sizeof(b->level) / sizeof(*b->level));
	assert(z->bands < sizeof(z->band) / sizeof(*z->band));
	z->bands++;
}

static void set_parent(struct band *b, const struct band *parent)
{
	for (unsigned int k = 0; k <= b->depth; k++) {
		struct level *l = &b->level[k];

		l->halve = k == 0;
		if (k <= parent->depth + 1)
			l->parent = &parent->level[k ? k - 1 : 0];
	}
}

/* All bands, the coarsest first, those of all channels together */
void zeroblock_shape_bands(struct zeroblock *z, const struct zeroblock_shape *s)
{
	size_t bytes = 0, nodes = 0, hits = 0;
	unsigned int c, levels = s->levels, first;

	z->shape = *s;
	z->bands = 0;
	for (c = 0; c < s->channels; c++)
		add_band(z, c, levels, BOTH, true, 0, 0,
			 ((s->width - 1) >> levels) + 1,
			 ((s->height - 1) >> levels) + 1, &bytes, &nodes, &hits);
	for (unsigned int l = levels; l; l--) {
		unsigned int w = ((s->width - 1) >> (l - 1)) + 1;
		unsigned int h = ((s->height - 1) >> (l - 1)) + 1;
		unsigned int wl = (w + 1) / 2, hl = (h + 1) / 2;

		for (unsigned int o = ACROSS; o <= BOTH; o++) {
			bool right = o != DOWN, below = o != ACROSS;

			for (c = 0; c < s->channels; c++) {
				first = z->bands;
				if ((right && w < 2) || (below && h < 2))
					continue;
				add_band(z, c, l, o, false, right ? wl : 0,
					 below ? hl : 0, right ? w / 2 : wl,
					 below ? h / 2 : hl, &bytes, &nodes, &hits);
				for (unsigned int i = first; i--; ) {
					struct band *b = &z->band[i];

					if (b->channel != c || b->orient != o ||
					    i < s->channels)
						continue;
					set_parent(&z->band[first], b);
					break;
				}
			}
		}
	}
	_Static_assert(sizeof(zeroblock_start) * sizeof(struct rc_bit) ==
		       sizeof(z->ctx), "a start for each context");

	for (unsigned int i = 0; i < sizeof(zeroblock_start); i++)
		((struct rc_bit *)z->ctx)[i] = (struct rc_bit){
			.zero = zeroblock_start[i] * 256,
			.seen = TRUST,
		};
}
