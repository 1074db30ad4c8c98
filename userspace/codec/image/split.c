// SPDX-License-Identifier: GPL-2.0-only
/*
 * split - an image as sub-images, each of which shows all of it
 *
 * A sub-image is a phase: the pixels x, y with the same x % p and y % p,
 * p = 2^d. The decoder keeps phases as planes. It first fills in the missing
 * planes, then joins all row by row.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/core/pattern.h"
#include "codec/image/interleave.h"
#include "codec/image/kriging.h"
#include "codec/image/split.h"

enum {
	GUARD = 4,		/* margin of a row for kriging, pixels */
	LINE = 64,		/* bytes, of a cache */

	/* states of a row */
	KEPT = 1,		/* of an earlier frame */
	FRESH = 2,		/* of this one */
};

/**
 * struct split_decoder - planes of a frame
 * @shape:	see split_shape_of()
 * @slot:	bytes from plane to plane, see split_slot_of()
 * @plane:	received phases, y * p + x: rows without gaps
 * @padded:	the same with GUARD pixels on either side of each row
 * @there:	state of rows of phases, KEPT or FRESH, see split_row_of()
 * @pattern:	[row * SPLIT_IMAGES + phase]: whether there is a state, as the
 *		transpose
 * @near:	of each row, the nearest one that has any state
 */
struct split_decoder {
	unsigned int	width, height, pixel;
	struct image	image;
	unsigned int	steps;
	uint64_t	shape;
	size_t		slot;
	uint8_t		*plane, *padded;
	uint8_t		*there, *pattern;
	uint32_t	*near;
	size_t		pixels;
	bool		begun, any;
	struct kriging	*kriging[SPLIT_STEPS + 1];
};

/* Rows of sub-images per payload, distributed evenly */
static unsigned int payload_rows(const struct image *image, unsigned int steps,
				 unsigned int size)
{
	size_t row = (size_t)pattern_every(image->width, 0, steps) *
		     image_pixel(image);
	unsigned int rows = pattern_every(image->height, 0, steps), fit, parts;

	if (size <= SPLIT_HEADER)
		return 0;
	fit = (size - SPLIT_HEADER) / row;
	if (!fit)
		return 0;
	parts = (rows + fit - 1) / fit;
	return (rows + parts - 1) / parts;
}

unsigned int split_steps(const struct image *image, unsigned int size)
{
	unsigned int steps = 0;

	while (steps < SPLIT_STEPS &&
	       payload_rows(image, steps, size) <
	       pattern_every(image->height, 0, steps))
		steps++;
	return steps;
}

unsigned int split_datagrams(const struct image *image, unsigned int steps,
			     unsigned int size)
{
	unsigned int rows = payload_rows(image, steps, size), n = 0;
	unsigned int p = 1 << steps;

	if (!rows)
		return 0;
	for (unsigned int y = 0; y < p && y < image->height; y++)
		n += (pattern_every(image->height, y, steps) + rows - 1) / rows;
	return n * (p < image->width ? p : image->width);
}

static bool image_ok(const struct image *image)
{
	return image->width && image->height && image->width <= IMAGE_SIDE &&
	       image->height <= IMAGE_SIDE && image->channels &&
	       image->channels <= 4 &&
	       (image->depth == 8 || image->depth == 16);
}

static void split_put_header(uint8_t p[SPLIT_HEADER], const struct image *image,
			     unsigned int steps, unsigned int first)
{
	p[0] = SPLIT_VERSION << 4 | (image->depth == 16 ? SPLIT_DEEP : 0);
	p[1] = (image->channels - 1) | steps << 2;
	p[2] = 0;
	p[3] = 0;
	put_le16(p + 4, image->width);
	put_le16(p + 6, image->height);
	put_le16(p + 8, first);
}

/* The slot of each phase's first datagram. Return: number of slots in use */
static unsigned int number_slots(const struct image *image, unsigned int steps,
				 unsigned int rows, unsigned int max,
				 unsigned int start[SPLIT_IMAGES])
{
	unsigned int n = 0, p = 1 << steps;

	if (image->width >= p && image->height >= p &&
	    rows == pattern_every(image->height, 0, steps)) {
		/* one for each phase, the usual case */
		for (unsigned int i = 0; i < p * p; i++)
			start[i] = pattern_number(i & (p - 1), i >> steps,
						  steps);
		return p * p < max ? p * p : max;
	}
	for (unsigned int i = 0; i < p * p; i++) {
		unsigned int phase = pattern_phase(i, steps);
		unsigned int x = phase & (p - 1), y = phase >> steps;

		start[phase] = n;
		if (x < image->width && y < image->height)
			n += (pattern_every(image->height, y, steps) + rows -
			      1) / rows;
	}
	return n < max ? n : max;
}

/* Rows from @first on of all sub-images that begin in row @y of the image */
static void split_rows(const struct image *image, unsigned int steps,
		       unsigned int y, unsigned int first, unsigned int count,
		       unsigned int part, const unsigned int start[],
		       struct payloads *out)
{
	unsigned int p = 1 << steps, pixel = image_pixel(image);
	uint8_t *to[INTERLEAVE_MAX], unsent[PAYLOAD_MAX], header[SPLIT_HEADER];

	split_put_header(header, image, steps, first);
	for (unsigned int x = 0; x < p; x++) {
		unsigned int slot = start[y * p + x] + part;
		unsigned int w = pattern_every(image->width, x, steps);

		to[x] = unsent;
		if (!w || slot >= out->count)
			continue;
		memcpy(payload_at(out, slot), header, SPLIT_HEADER);
		payload_at(out, slot)[2] = pattern_number(x, y, steps);
		out->len[slot] = SPLIT_HEADER + count * w * pixel;
		assert(out->len[slot] <= out->size);
		to[x] = payload_at(out, slot) + SPLIT_HEADER;
	}
	deinterleave(image_row(image, y + first * p), image->stride * p, count,
		     to, image->width, pixel, p);
}

int split_encode(const struct image *image, unsigned int steps,
		 struct payloads *out)
{
	unsigned int start[SPLIT_IMAGES], rows, p = 1 << steps;
	unsigned int size = out->size < PAYLOAD_MAX ? out->size : PAYLOAD_MAX;

	if (!image_ok(image) || steps > SPLIT_STEPS)
		return -EINVAL;
	rows = payload_rows(image, steps, size);
	if (!rows)
		return -EMSGSIZE;
	out->count = number_slots(image, steps, rows, out->max, start);
	assert(out->count <= out->max);
	for (unsigned int y = 0; y < p && y < image->height; y++) {
		unsigned int h = pattern_every(image->height, y, steps);

		for (unsigned int r = 0; r < h; r += rows)
			split_rows(image, steps, y, r,
				   h - r < rows ? h - r : rows, r / rows,
				   start, out);
	}
	return 0;
}

/* Bytes, rounded up to cache lines */
static size_t split_lines(size_t bytes)
{
	return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

/*
 * Planes begin with a cache line, for fast copies, and are an odd number of
 * lines apart, so that the same row of 16 planes is not in the same cache set
 */
static size_t split_slot_of(const struct image *image, unsigned int steps)
{
	size_t bytes = (size_t)pattern_every(image->width, 0, steps) *
		       pattern_every(image->height, 0, steps) *
		       image_pixel(image);

	return split_lines(bytes) | LINE;
}

struct split_decoder *split_decoder_create(unsigned int width,
					   unsigned int height,
					   unsigned int pixel)
{
	unsigned int p = 1 << SPLIT_STEPS;
	/* of the finest split; others need less padding */
	size_t w = width + p, h = height + p;
	struct split_decoder *d;

	if (!width || !height || width > IMAGE_SIDE || height > IMAGE_SIDE ||
	    !pixel || pixel > 8)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->width = width;
	d->height = height;
	d->pixel = pixel;
	d->plane = aligned_alloc(LINE, split_lines(w * h * pixel) +
				       SPLIT_IMAGES * 2 * LINE);
	d->padded = malloc((w + 2 * GUARD * p) * h * pixel);
	/* at least as many as rows, even if all are in one sub-image */
	d->there = calloc(height + p, SPLIT_IMAGES);
	d->pattern = calloc(height + p, SPLIT_IMAGES);
	d->near = calloc(height + p, sizeof(*d->near));
	for (unsigned int i = 0; i <= SPLIT_STEPS; i++)
		d->kriging[i] = kriging_create(1 << i);
	for (unsigned int i = 0; i <= SPLIT_STEPS; i++)
		if (!d->plane || !d->padded || !d->there || !d->pattern ||
		    !d->near || !d->kriging[i]) {
			split_decoder_destroy(d);
			return NULL;
		}
	return d;
}

void split_decoder_destroy(struct split_decoder *d)
{
	if (!d)
		return;
	for (unsigned int i = 0; i <= SPLIT_STEPS; i++)
		kriging_destroy(d->kriging[i]);
	free(d->plane);
	free(d->padded);
	free(d->there);
	free(d->pattern);
	free(d->near);
	free(d);
}

/* Index of a row in @there: rows of one phase are contiguous */
static size_t split_row_of(const struct split_decoder *d, unsigned int phase,
			   unsigned int row)
{
	return (size_t)phase * pattern_every(d->image.height, 0, d->steps) +
	       row;
}

static void split_forget(struct split_decoder *d, bool all)
{
	size_t rows = split_row_of(d, 1 << 2 * d->steps, 0);

	if (!all) {
		for (size_t i = 0; i < rows; i++)
			d->there[i] = d->there[i] ? KEPT : 0;
		return;
	}
	memset(d->there, 0, rows);
	d->pixels = 0;
	d->any = false;
}

void split_begin(struct split_decoder *d, bool still)
{
	if (d->image.height)
		split_forget(d, !still);
	d->begun = false;
}

/* Common part of the headers of a frame: all but the sub-image and the row */
static uint64_t split_shape_of(const uint8_t *p)
{
	return get_le64(p) & ~(UINT64_C(0xff) << 16);
}

/* The shape of the frame, from its first datagram */
static int take_shape(struct split_decoder *d, const struct image *image,
		      unsigned int steps, uint64_t shape)
{
	bool same = d->image.height && d->shape == shape;

	if (d->begun && !same)
		return -EPROTO;
	d->begun = true;
	if (same)
		return 0;
	/* the kept planes have another shape */
	if (d->image.height)
		split_forget(d, true);
	d->image = *image;
	d->steps = steps;
	d->shape = shape;
	split_forget(d, true);
	d->slot = split_slot_of(image, steps);
	return 0;
}

int split_shape(const void *payload, size_t len, struct image *image)
{
	const uint8_t *p = payload;

	if (len < SPLIT_HEADER || len > PAYLOAD_MAX ||
	    p[0] >> 4 != SPLIT_VERSION || p[0] & 15 & ~SPLIT_DEEP || p[3])
		return -EINVAL;
	image->depth = p[0] & SPLIT_DEEP ? 16 : 8;
	image->channels = (p[1] & 3) + 1;
	image->width = get_le16(p + 4);
	image->height = get_le16(p + 6);
	return image->width && image->height ? 0 : -EINVAL;
}

/*
 * Mark rows as FRESH. Return: number of rows that had a state. Eight at a time,
 * as each datagram does it; FRESH and KEPT are one bit each
 */
static unsigned int freshen(uint8_t *there, unsigned int rows)
{
	const uint64_t ones = UINT64_MAX / 255, fresh = FRESH * ones;
	unsigned int known = 0;
	uint64_t v;

	for (; rows >= sizeof(v); rows -= sizeof(v), there += sizeof(v)) {
		memcpy(&v, there, sizeof(v));
		known += ((v | v >> 1) & ones) * ones >> 56;
		memcpy(there, &fresh, sizeof(v));
	}
	while (rows--) {
		known += *there != 0;
		*there++ = FRESH;
	}
	return known;
}

/* The image of a datagram that may be of another frame */
static int read_shape(const struct split_decoder *d, const uint8_t *p,
		      size_t len, struct image *image)
{
	unsigned int steps;
	int ret = split_shape(p, len, image);

	if (ret)
		return ret;
	steps = p[1] >> 2;
	if (steps > SPLIT_STEPS || p[2] >> 2 * steps)
		return -EINVAL;
	return image->width > d->width || image->height > d->height ||
	       image_pixel(image) > d->pixel ? -EFBIG : 0;
}

int split_add(struct split_decoder *d, const void *payload, size_t len)
{
	const uint8_t *p = payload;
	struct image other = { 0 };
	const struct image *image = &d->image;
	unsigned int steps, phase, first, w, h, row, rows;
	uint8_t *there;
	int ret;

	/* most are of the same frame as the previous one */
	if (!d->begun || len < SPLIT_HEADER || len > PAYLOAD_MAX ||
	    split_shape_of(p) != d->shape) {
		image = &other;
		ret = read_shape(d, p, len, &other);
		if (ret)
			return ret;
	}
	steps = p[1] >> 2;
	if (p[2] >> 2 * steps)
		return -EINVAL;
	phase = pattern_phase(p[2], steps);
	w = pattern_every(image->width, phase & ((1 << steps) - 1), steps);
	h = pattern_every(image->height, phase >> steps, steps);
	row = w * image_pixel(image);
	first = get_le16(p + 8);
	len -= SPLIT_HEADER;
	rows = row ? (unsigned int)len / row : 0;
	if (!rows || rows * row != len || first >= h || rows > h - first)
		return -EINVAL;
	ret = image == &other ? take_shape(d, image, steps, split_shape_of(p)) :
				0;
	if (ret)
		return ret;
	there = d->there + split_row_of(d, phase, first);
	if (*there == FRESH)
		return -EEXIST;
	memcpy(d->plane + d->slot * phase + (size_t)first * row,
	       p + SPLIT_HEADER, len);
	d->pixels += (size_t)(rows - freshen(there, rows)) * w;
	d->any = true;
	return 0;
}

/* ---- interpolation ----------------------------------------------------- */

static size_t padded_row(const struct split_decoder *d)
{
	return (size_t)(pattern_every(d->image.width, 0, d->steps) +
			2 * GUARD) *
	       image_pixel(&d->image);
}

static uint8_t *padded_at(const struct split_decoder *d, unsigned int phase,
			  unsigned int row)
{
	size_t rows = pattern_every(d->image.height, 0, d->steps);

	return d->padded + (phase * rows + row) * padded_row(d) +
	       GUARD * image_pixel(&d->image);
}

static size_t plane_row(const struct split_decoder *d, unsigned int phase)
{
	return (size_t)pattern_every(d->image.width,
				     phase & ((1 << d->steps) - 1), d->steps) *
	       image_pixel(&d->image);
}

static uint8_t *plane_at(const struct split_decoder *d, unsigned int phase,
			 unsigned int row)
{
	return d->plane + d->slot * phase + row * plane_row(d, phase);
}

/* Copy known rows, with repeated end pixels */
static void pad(struct split_decoder *d, unsigned int phase)
{
	unsigned int mask = (1 << d->steps) - 1, pixel = image_pixel(&d->image);
	unsigned int w = pattern_every(d->image.width, phase & mask, d->steps);
	unsigned int all = pattern_every(d->image.width, 0, d->steps);
	unsigned int h = pattern_every(d->image.height, phase >> d->steps,
				       d->steps);

	for (unsigned int y = 0; y < h; y++) {
		const uint8_t *from = plane_at(d, phase, y);
		uint8_t *to = padded_at(d, phase, y);

		if (!d->there[split_row_of(d, phase, y)])
			continue;
		memcpy(to, from, (size_t)w * pixel);
		for (unsigned int g = 1; g <= GUARD; g++)
			memcpy(to - (size_t)g * pixel, from, pixel);
		for (unsigned int x = w; x < all + GUARD; x++)
			memcpy(to + (size_t)x * pixel,
			       from + (size_t)(w - 1) * pixel, pixel);
	}
}

/* The known row of a phase nearest to @want, between @want and known @row */
static unsigned int reach(const struct split_decoder *d, unsigned int phase,
			  unsigned int row, int want)
{
	int rows = pattern_every(d->image.height, 0, d->steps);

	want = want < 0 ? 0 : want >= rows ? rows - 1 : want;
	while (!d->there[split_row_of(d, phase, want)])
		want += want < (int)row ? 1 : -1;
	return want;
}

/* Interpolate row @row of a phase by the pattern of row @pattern */
static void split_fill_row(struct split_decoder *d,
			   const struct kriging_weights *k, unsigned int phase,
			   unsigned int row, unsigned int pattern)
{
	int p = 1 << d->steps, x = phase & (p - 1), y = phase >> d->steps;
	unsigned int pixel = image_pixel(&d->image);
	unsigned int w = pattern_every(d->image.width, x, d->steps);
	const void *from[KRIGING_NEIGHBOURS];

	for (unsigned int i = 0; i < k->count; i++) {
		int nx = x + k->dx[i], ny = y + k->dy[i];
		unsigned int q = (ny & (p - 1)) * p + (nx & (p - 1));
		unsigned int r = reach(d, q, pattern,
				       (int)pattern + (ny >> d->steps));

		from[i] = padded_at(d, q, r) + (nx >> d->steps) * (int)pixel;
	}
	kriging_row(k, from, plane_at(d, phase, row),
		    (size_t)w * d->image.channels,
		    d->image.depth == 8 ? 255 : 65535);
}

static const uint8_t *pattern_at(const struct split_decoder *d,
				 unsigned int row)
{
	return d->pattern + (size_t)row * SPLIT_IMAGES;
}

/*
 * The nearest row to each that has any phase. All at once: images may be high,
 * and nearly all of their rows unknown
 */
static void find_near(struct split_decoder *d)
{
	unsigned int rows = pattern_every(d->image.height, 0, d->steps);
	size_t phases = (size_t)1 << 2 * d->steps;
	unsigned int last = rows;

	for (unsigned int row = 0; row < rows; row++) {
		if (memchr(pattern_at(d, row), 1, phases))
			last = row;
		d->near[row] = last;
	}
	/* at the same distance the upper one */
	last = rows;
	for (unsigned int row = rows; row--;) {
		if (d->near[row] == row)
			last = row;
		else if (last < rows && (d->near[row] == rows ||
					 last - row < row - d->near[row]))
			d->near[row] = last;
	}
}

static void fill_phase(struct split_decoder *d, unsigned int phase,
		       unsigned int neighbours)
{
	unsigned int p = 1 << d->steps;
	unsigned int h = pattern_every(d->image.height, phase >> d->steps,
				       d->steps);
	size_t len = plane_row(d, phase);
	const uint8_t *solved = NULL;
	struct kriging_weights k;

	for (unsigned int row = 0; row < h; row++) {
		unsigned int pattern = row;
		const uint8_t *there = pattern_at(d, row);

		if (there[phase])
			continue;
		if (!solved || memcmp(there, solved, p * p)) {
			pattern = d->near[row];
			there = pattern_at(d, pattern);
			if (there[phase]) {
				/* an empty row repeats another one */
				memcpy(plane_at(d, phase, row),
				       plane_at(d, phase, pattern), len);
				continue;
			}
			kriging_solve(d->kriging[d->steps],
				      (const bool *)there, phase & (p - 1),
				      phase >> d->steps, neighbours, &k);
			solved = pattern == row ? there : NULL;
		}
		split_fill_row(d, &k, phase, row, pattern);
	}
}

static void split_fill(struct split_decoder *d, unsigned int neighbours)
{
	unsigned int p = 1 << d->steps;
	unsigned int rows = pattern_every(d->image.height, 0, d->steps);

	for (unsigned int i = 0; i < p * p; i++) {
		for (unsigned int row = 0; row < rows; row++)
			d->pattern[(size_t)row * SPLIT_IMAGES + i] =
				d->there[split_row_of(d, i, row)] != 0;
		if ((i & (p - 1)) < d->image.width &&
		    i >> d->steps < d->image.height)
			pad(d, i);
	}
	find_near(d);
	for (unsigned int i = 0; i < p * p; i++)
		if ((i & (p - 1)) < d->image.width)
			fill_phase(d, i, neighbours);
}

int split_finish(struct split_decoder *d, bool nearest, struct image *image,
		 size_t room)
{
	const uint8_t *from[INTERLEAVE_MAX];
	unsigned int p = 1 << d->steps, pixel = image_pixel(&d->image);

	if (!d->any)
		return -ENODATA;
	d->image.stride = (size_t)d->image.width * pixel;
	if (d->image.stride * d->image.height > room)
		return -EMSGSIZE;
	d->image.data = image->data;
	*image = d->image;
	if (d->pixels < (size_t)image->width * image->height)
		split_fill(d, nearest ? 1 : KRIGING_NEIGHBOURS);
	for (unsigned int y = 0; y < p && y < image->height; y++) {
		for (unsigned int x = 0; x < p; x++)
			from[x] = d->plane + d->slot * (y * p + x);
		interleave(from, image_row(image, y), image->stride * p,
			   pattern_every(image->height, y, d->steps),
			   image->width, pixel, p);
	}
	return 0;
}

double split_share(const struct split_decoder *d)
{
	return d->any ? (double)d->pixels /
			((double)d->image.width * d->image.height) : 0;
}
