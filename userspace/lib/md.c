// SPDX-License-Identifier: GPL-2.0-only
/*
 * md - an image as multiple descriptions
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/erasure.h"
#include "lib/md.h"
#include "lib/md_planes.h"
#include "lib/wire.h"

enum {
	STREAM_SLACK	= 64,		/* what the coder ends behind a budget */
	LEVELS		= 6,		/* of protection: more gain nothing */
	KNOWN_BASE	= 96,		/* base if the loss is known */
	WHOLE_BASE	= 48,		/* base if bit-exactness can spare it */
	WHOLE_LEFT	= 16,		/* what it leaves in any case */
	WHOLE_BYTES	= 4,		/* in the header of a whole stream */
};

struct md_encoder {
	unsigned int	width, height, channels;
	struct md_planes planes;
	struct zeroblock *code;
	struct erasure	*erasure;
	struct zeroblock_curve curve;
	struct priority_chances chances;
	uint8_t		*stream;
};

/* header of a frame's payloads */
struct md_header {
	unsigned int	flags, channels, levels, count;
	unsigned int	width, height, middle;
	struct priority	protection;
	uint32_t	stream;
	size_t		size;		/* bytes of the header */
};

struct md_decoder {
	unsigned int	width, height, channels;
	struct md_planes planes;
	struct zeroblock *code;
	struct erasure	*erasure;
	uint8_t		*stream;
	struct md_header header;
	unsigned int	received;
	bool		exact;
	double		share;
	uint8_t		there[PRIORITY_DATAGRAMS];
	uint8_t		row[PRIORITY_DATAGRAMS][PAYLOAD_MAX];
};

static bool size_ok(unsigned int width, unsigned int height,
		    unsigned int channels)
{
	return width && height && width <= IMAGE_SIDE &&
	       height <= IMAGE_SIDE && channels &&
	       channels <= ZEROBLOCK_CHANNELS;
}

struct md_encoder *md_encoder_create(unsigned int width, unsigned int height,
				     unsigned int channels)
{
	struct md_encoder *e;

	if (!size_ok(width, height, channels))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->width = width;
	e->height = height;
	e->channels = channels;
	e->stream = malloc(PRIORITY_DATAGRAMS * PAYLOAD_MAX + STREAM_SLACK);
	e->code = zeroblock_create(width, height, channels);
	e->erasure = erasure_create(PRIORITY_DATAGRAMS);
	if (!e->stream || !e->code || !e->erasure ||
	    md_planes_create(&e->planes, width, height, channels)) {
		md_encoder_destroy(e);
		return NULL;
	}
	return e;
}

void md_encoder_destroy(struct md_encoder *e)
{
	if (!e)
		return;
	md_planes_destroy(&e->planes);
	zeroblock_destroy(e->code);
	erasure_destroy(e->erasure);
	free(e->stream);
	free(e);
}

/*
 * Bit-exactness costs about 4.5 of 8 and 6 of 16 bits, and protection half as
 * much again; with less than that a lossy transform shows more.
 */
static bool worth_reversible(const struct image *image, size_t bytes)
{
	double bits = 8. * bytes / ((double)image->width * image->height *
				    image->channels);

	return bits >= (image->depth == 8 ? 6 : 8);
}

/* Bytes of the stream that may come to be sent */
static size_t stream_limit(const struct md_budget *b, size_t size, bool whole)
{
	if (whole)
		return size;
	return size * (b->loss < 0 ? .45 : 1 - b->loss * .9);
}

static size_t put_header(uint8_t *p, const struct md_header *h,
			 unsigned int index)
{
	uint8_t *start = p;

	*p++ = MD_VERSION << 4 | h->flags;
	*p++ = (h->channels - 1) | h->levels << 2;
	*p++ = index;
	*p++ = h->count;
	put_le16(p, h->width);
	put_le16(p + 2, h->height);
	put_le16(p + 4, h->middle);
	p += 6;
	*p++ = h->protection.levels;
	for (unsigned int i = 0; i < h->protection.levels; i++) {
		*p++ = h->protection.level[i].need;
		put_le16(p, h->protection.level[i].columns);
		p += 2;
	}
	if (h->flags & MD_WHOLE) {
		put_le32(p, h->stream);
		p += WHOLE_BYTES;
	}
	return p - start;
}

/*
 * Datagrams that shall give the whole of a stream: 4.5 standard deviations
 * fewer than arrive at a quarter of loss, or more where they cannot hold it
 * otherwise. 0: so many that a little loss would leave next to nothing.
 */
static unsigned int whole_need(size_t stream, unsigned int count,
			       unsigned int size)
{
	double need = .75 * count - 4.5 * sqrt(.25 * .75 * count);
	unsigned int n = need > 1 ? need : 1;

	if (size <= WHOLE_LEFT)
		return 0;
	while (n <= count && (stream + n - 1) / n > size - WHOLE_LEFT)
		n++;
	return n <= count * .8 || n == 1 ? n : 0;
}

static void protect(struct md_encoder *e, const struct md_budget *budget,
		    struct md_header *h, size_t stream, unsigned int size)
{
	unsigned int base = budget->base, whole = 0;

	if (h->flags & MD_WHOLE)
		whole = whole_need(stream, h->count, size);
	if (!whole)
		h->flags &= ~MD_WHOLE;
	if (!base)
		base = whole ? WHOLE_BASE : budget->loss < 0 ? MD_BASE :
		       KNOWN_BASE;
	if (!budget->base && base > size * 3 / 7)
		base = size * 3 / 7;
	if (budget->loss < 0)
		priority_fixed(&e->chances, &e->curve, h->count, size);
	else
		priority_loss(&e->chances, &e->curve, h->count, size,
			      budget->loss, budget->burst);
	priority_solve(&h->protection, &e->curve, &e->chances, h->count, size,
		       base, LEVELS, whole);
}

/* Rows of a level go straight into the payloads */
static void fill(struct md_encoder *e, const struct md_header *h,
		 struct payloads *out)
{
	uint8_t *row[PRIORITY_DATAGRAMS];
	const uint8_t *from = e->stream;
	unsigned int at = 0;

	for (unsigned int i = 0; i < h->count; i++) {
		at = put_header(payload_at(out, i), h, i);
		out->len[i] = at + priority_bytes(&h->protection);
	}
	for (unsigned int l = 0; l < h->protection.levels; l++) {
		unsigned int need = h->protection.level[l].need;
		unsigned int columns = h->protection.level[l].columns;

		for (unsigned int i = 0; i < h->count; i++) {
			row[i] = payload_at(out, i) + at;
			if (i >= need)
				continue;
			memcpy(row[i], from, columns);
			from += columns;
		}
		erasure_encode(e->erasure, h->count, need, row, columns);
		at += columns;
	}
	out->count = h->count;
}

int md_encode(struct md_encoder *e, const struct image *image,
	      const struct md_budget *budget, struct payloads *out)
{
	struct md_header h = {
		.flags = image->depth == 16 ? MD_DEEP : 0,
		.channels = image->channels,
		.width = image->width,
		.height = image->height,
	};
	unsigned int header = MD_HEADER + 3 * LEVELS + WHOLE_BYTES, size;
	struct zeroblock_shape shape;
	size_t stream, limit;
	bool whole;

	if (!size_ok(image->width, image->height, image->channels) ||
	    (image->depth != 8 && image->depth != 16) ||
	    image->width > e->width || image->height > e->height ||
	    image->channels > e->channels)
		return -EINVAL;
	size = out->size < PAYLOAD_MAX ? out->size : PAYLOAD_MAX;
	h.count = budget->bytes / size + (budget->bytes % size > 0);
	if (h.count > PRIORITY_DATAGRAMS)
		h.count = PRIORITY_DATAGRAMS;
	if (h.count && h.count * (size_t)size > budget->bytes)
		size = budget->bytes / h.count;
	if (!h.count || h.count > out->max || size < header + 1)
		return -EMSGSIZE;
	size -= header;

	if (worth_reversible(image, (size_t)h.count * size))
		h.flags |= MD_REVERSIBLE;
	h.middle = md_middle(image);
	h.levels = md_levels(h.width, h.height);
	md_forward(&e->planes, image, h.middle, h.levels,
		   h.flags & MD_REVERSIBLE);
	shape = (struct zeroblock_shape){
		h.width, h.height, h.channels, h.levels,
		h.flags & MD_REVERSIBLE,
	};
	limit = stream_limit(budget, (size_t)size * h.count,
			     h.flags & MD_REVERSIBLE) + STREAM_SLACK;
	stream = zeroblock_encode(e->code, &shape,
				  (const int32_t *const *)e->planes.words,
				  e->stream, limit, &whole, &e->curve);
	/* levels may reach beyond the end, as far as there are datagrams */
	memset(e->stream + stream, 0,
	       (size_t)size * h.count + STREAM_SLACK - stream);
	if (whole)
		h.flags |= MD_WHOLE;
	h.stream = stream;
	protect(e, budget, &h, stream, size);
	fill(e, &h, out);
	return 0;
}

struct md_decoder *md_decoder_create(unsigned int width, unsigned int height,
				     unsigned int channels)
{
	struct md_decoder *d;

	if (!size_ok(width, height, channels))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->width = width;
	d->height = height;
	d->channels = channels;
	d->stream = malloc(PRIORITY_DATAGRAMS * PAYLOAD_MAX);
	d->code = zeroblock_create(width, height, channels);
	d->erasure = erasure_create(PRIORITY_DATAGRAMS);
	if (!d->stream || !d->code || !d->erasure ||
	    md_planes_create(&d->planes, width, height, channels)) {
		md_decoder_destroy(d);
		return NULL;
	}
	return d;
}

void md_decoder_destroy(struct md_decoder *d)
{
	if (!d)
		return;
	md_planes_destroy(&d->planes);
	zeroblock_destroy(d->code);
	erasure_destroy(d->erasure);
	free(d->stream);
	free(d);
}

void md_begin(struct md_decoder *d)
{
	d->received = 0;
	d->exact = false;
	memset(d->there, 0, sizeof(d->there));
}

static int get_header(struct md_header *h, const uint8_t *p, size_t len)
{
	unsigned int last = 0;

	memset(h, 0, sizeof(*h));
	if (len < MD_HEADER || len > PAYLOAD_MAX || p[0] >> 4 != MD_VERSION)
		return -EINVAL;
	h->flags = p[0] & 15;
	h->channels = (p[1] & 3) + 1;
	h->levels = p[1] >> 2;
	h->count = p[3];
	h->width = get_le16(p + 4);
	h->height = get_le16(p + 6);
	h->middle = get_le16(p + 8);
	h->protection.levels = p[10];
	h->size = MD_HEADER + 3 * h->protection.levels;
	if (h->flags & MD_WHOLE)
		h->size += WHOLE_BYTES;
	if (!size_ok(h->width, h->height, h->channels) || !h->count ||
	    p[2] >= h->count || h->levels != md_levels(h->width, h->height) ||
	    !h->protection.levels || h->protection.levels > PRIORITY_LEVELS ||
	    len < h->size)
		return -EINVAL;
	p += MD_HEADER;
	for (unsigned int i = 0; i < h->protection.levels; i++, p += 3) {
		h->protection.level[i].need = p[0];
		h->protection.level[i].columns = get_le16(p + 1);
		if (p[0] <= last || p[0] > h->count)
			return -EINVAL;
		last = p[0];
	}
	if (len != h->size + priority_bytes(&h->protection))
		return -EINVAL;
	if (h->flags & MD_WHOLE) {
		h->stream = get_le32(p);
		if (h->stream > priority_prefix(&h->protection, h->count))
			return -EINVAL;
	}
	return 0;
}

static void shape_of(const struct md_header *h, struct image *image)
{
	image->width = h->width;
	image->height = h->height;
	image->channels = h->channels;
	image->depth = h->flags & MD_DEEP ? 16 : 8;
}

int md_shape(const void *payload, size_t len, struct image *image)
{
	struct md_header h;
	int ret = get_header(&h, payload, len);

	if (ret)
		return ret;
	shape_of(&h, image);
	return 0;
}

int md_add(struct md_decoder *d, const void *payload, size_t len)
{
	unsigned int index;
	struct md_header h;
	int ret = get_header(&h, payload, len);

	if (ret)
		return ret;
	if (h.width > d->width || h.height > d->height ||
	    h.channels > d->channels)
		return -EFBIG;
	if (!d->received)
		d->header = h;
	else if (memcmp(&d->header, &h, sizeof(h)))
		return -EPROTO;
	index = ((const uint8_t *)payload)[2];
	if (d->there[index])
		return -EEXIST;
	d->there[index] = 1;
	memcpy(d->row[index], payload, len);
	d->received++;
	return 0;
}

/*
 * The stream as far as it is there: whole levels, and of the first level that
 * is not, the rows of data up to the first that is missing.
 */
static size_t gather(struct md_decoder *d)
{
	const struct priority *p = &d->header.protection;
	unsigned int at = d->header.size;
	uint8_t *row[PRIORITY_DATAGRAMS], *to = d->stream;

	for (unsigned int l = 0; l < p->levels; l++) {
		unsigned int need = p->level[l].need;
		unsigned int columns = p->level[l].columns;

		for (unsigned int i = 0; i < d->header.count; i++)
			row[i] = d->row[i] + at;
		if (erasure_decode(d->erasure, d->header.count, need, row,
				   d->there, columns)) {
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
	return to - d->stream;
}

long md_finish(struct md_decoder *d, struct image *image, size_t room)
{
	const struct md_header *h = &d->header;
	bool reversible = h->flags & MD_REVERSIBLE, whole = false;
	struct zeroblock_shape shape;
	size_t stream;

	if (!d->received)
		return -ENODATA;
	shape_of(h, image);
	image->stride = (size_t)h->width * image_pixel(image);
	if (image->stride * image->height > room)
		return -EMSGSIZE;
	stream = gather(d);
	if (h->flags & MD_WHOLE && stream >= h->stream) {
		stream = h->stream;
		whole = true;
	}
	shape = (struct zeroblock_shape){
		h->width, h->height, h->channels, h->levels, reversible,
	};
	for (unsigned int c = 0; c < h->channels; c++)
		d->planes.words[c] = d->planes.words[0] +
				     (size_t)h->width * h->height * c;
	zeroblock_decode(d->code, &shape, d->stream, stream, whole,
			 (int32_t *const *)d->planes.words);
	md_inverse(&d->planes, image, h->middle, h->levels, reversible);
	d->exact = whole && reversible;
	d->share = whole ? 1 : (double)stream /
		   priority_prefix(&h->protection, h->count);
	d->received = 0;
	return stream;
}

bool md_exact(const struct md_decoder *d)
{
	return d->exact;
}

double md_share(const struct md_decoder *d)
{
	return d->share;
}
