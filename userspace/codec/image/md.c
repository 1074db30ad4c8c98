// SPDX-License-Identifier: GPL-2.0-only
/*
 * md - an image as multiple descriptions
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/image/descriptions.h"
#include "codec/image/md.h"
#include "codec/image/md_planes.h"

enum {
	STREAM_SLACK	= 64,		/* the coder's end, beyond the budget */
	KNOWN_BASE	= 96,		/* base if the loss is known */
	WHOLE_BASE	= 48,		/* base beside a bit-exact stream */
	WHOLE_LEFT	= 16,		/* least bytes for the base */
	WHOLE_REST	= 6,		/* 1/6 of a datagram, if possible */
	WHOLE_BYTES	= 4,		/* in the header of a whole stream */
	SAMPLED		= 8,		/* differences() uses 1 row of 8 */
};

/* Least bits of a reversible stream per bit of differences(), and its decay */
#define SHORTEST	1.2
#define FORGET		.99

struct md_encoder {
	unsigned int	width, height, channels;
	struct md_planes planes;
	struct zeroblock *code;
	struct erasure	*erasure;
	struct zeroblock_curve curve;
	struct priority_chances chances;
	uint8_t		*stream;
	double		longer;		/* see try_reversible() */
	double		values;		/* of the last image, in their unit, */
	uint32_t	used;		/* and bytes of its stream */
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
	bool		exact;
	double		share;
	struct descriptions came;
};

static bool md_size_ok(unsigned int width, unsigned int height,
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

	if (!md_size_ok(width, height, channels))
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

/* Bits of the differences between a row's samples and their predictions */
#define ROW_BITS(name, type)						\
static unsigned int name(const type *row, const type *above,		\
			 unsigned int samples, unsigned int channels)	\
{									\
	unsigned int bits = 0;						\
									\
	for (unsigned int i = channels; i < samples; i++) {		\
		int w = row[i - channels], n = above[i];		\
		int nw = above[i - channels], most = w > n ? w : n;	\
		int least = w < n ? w : n, expect = w + n - nw;		\
									\
		expect = expect < least ? least :			\
			 expect > most ? most : expect;			\
		expect = abs(row[i] - expect);				\
		bits += expect ? 32 - __builtin_clz(expect) : 0;	\
	}								\
	return bits;							\
}
ROW_BITS(row_bits8, uint8_t)
ROW_BITS(row_bits16, uint16_t)

/* Of all rows, estimated from some of them */
static double differences(const struct image *image)
{
	unsigned int n = image->width * image->channels, rows = 0;
	double bits = 0;

	for (unsigned int y = 0; y < image->height; y += SAMPLED, rows++) {
		const uint8_t *row = image_row(image, y);
		const uint8_t *above = image_row(image, y ? y - 1 : 0);

		bits += image->depth == 8 ?
			row_bits8(row, above, n, image->channels) :
			row_bits16((const uint16_t *)row,
				   (const uint16_t *)above, n, image->channels);
	}
	return bits / rows * image->height;
}

/*
 * The reversible transform's stream, if the budget holds it and its protection:
 * otherwise a lossy one shows more. It is not tried if the differences and the
 * previous image's result say that it is too long.
 */
static bool try_reversible(struct md_encoder *e, const struct image *image,
			   struct md_header *h, size_t most)
{
	const struct zeroblock_shape shape = {
		h->width, h->height, h->channels, h->levels, true,
	};
	double bits = differences(image);
	bool whole;

	e->longer = e->longer * FORGET > SHORTEST ? e->longer * FORGET :
						    SHORTEST;
	if (bits * e->longer > 8. * most)
		return false;
	md_forward(&e->planes, image, h->middle, h->levels, true);
	h->stream = zeroblock_encode(e->code, &shape,
				     (const int32_t *const *)e->planes.words,
				     e->stream, most, &whole, &e->curve);
	e->longer = whole ? SHORTEST : 8. * most / bits;
	if (whole)
		h->flags |= MD_REVERSIBLE | MD_WHOLE;
	return whole;
}

/* Bytes of a lossy stream that may be sent */
static size_t stream_limit(const struct md_budget *b, size_t size)
{
	return size * (b->loss < 0 ? .45 : 1 - b->loss * .9);
}

static void encode_lossy(struct md_encoder *e, const struct image *image,
			 struct md_header *h, size_t limit)
{
	const struct zeroblock_shape shape = {
		h->width, h->height, h->channels, h->levels, false,
	};
	bool whole;

	md_forward(&e->planes, image, h->middle, h->levels, false);
	h->stream = zeroblock_encode(e->code, &shape,
				     (const int32_t *const *)e->planes.words,
				     e->stream, limit + STREAM_SLACK, &whole,
				     &e->curve);
	if (whole)
		h->flags |= MD_WHOLE;
}

static size_t md_put_header(uint8_t *p, const struct md_header *h,
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
	p += descriptions_put(&h->protection, p);
	if (h->flags & MD_WHOLE) {
		put_le32(p, h->stream);
		p += WHOLE_BYTES;
	}
	return p - start;
}

/* Share of a datagram for a whole stream, for it to be worth trying */
static unsigned int whole_size(unsigned int size)
{
	return size - size / WHOLE_REST;
}

/*
 * Datagrams that give the whole stream: 4.5 standard deviations fewer than
 * arrive at a loss of 25 %, or more if they cannot hold it otherwise. Also more
 * if little would be left for the case that fewer arrive, up to 2.5 standard
 * deviations fewer than arrive at the expected loss.
 */
static unsigned int md_whole_need(size_t stream, unsigned int count,
				  unsigned int size, double loss)
{
	double least = .75 * count - 4.5 * sqrt(.75 * .25 * count), most;
	unsigned int need;

	if (size <= WHOLE_LEFT)
		return 0;
	need = descriptions_need(stream, least > 1 ? least : 1, count,
				 size - WHOLE_LEFT, loss);
	loss = loss < 0 ? .25 : loss < .1 ? .1 : loss;
	most = (1 - loss) * count - 2.5 * sqrt(loss * (1 - loss) * count);
	while (need && need + 1 <= most &&
	       size < size / WHOLE_REST + stream / need)
		need++;
	return need;
}

static void md_protect(struct md_encoder *e, const struct md_budget *budget,
		       struct md_header *h, unsigned int size)
{
	unsigned int base = budget->base, whole = 0;

	if (h->flags & MD_WHOLE)
		whole = md_whole_need(h->stream, h->count, size, budget->loss);
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
		       base, 1, DESCRIPTIONS_LEVELS, whole);
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
	unsigned int header = MD_HEADER + WHOLE_BYTES +
			      DESCRIPTIONS_LEVELS * DESCRIPTIONS_LEVEL;
	unsigned int size, at = 0;

	if (!md_size_ok(image->width, image->height, image->channels) ||
	    (image->depth != 8 && image->depth != 16) ||
	    image->width > e->width || image->height > e->height ||
	    image->channels > e->channels)
		return -EINVAL;
	if (descriptions_size(budget->bytes, header, out, &h.count, &size))
		return -EMSGSIZE;

	h.middle = md_middle(image);
	h.levels = md_levels(h.width, h.height);
	if (!try_reversible(e, image, &h,
			    descriptions_most(h.count, whole_size(size),
					      budget->loss)))
		encode_lossy(e, image, &h, stream_limit(budget,
						(size_t)size * h.count));
	/* levels may reach beyond the end of the stream: pad with 0 */
	assert(h.stream <= (size_t)size * h.count + STREAM_SLACK);
	memset(e->stream + h.stream, 0,
	       (size_t)size * h.count + STREAM_SLACK - h.stream);
	md_protect(e, budget, &h, size);
	/* lossy coefficients are coded in quarters */
	e->values = (double)h.width * h.height * h.channels *
		    (h.flags & MD_REVERSIBLE ? 1 : 16);
	e->used = h.stream;
	out->count = h.count;
	assert(out->count <= out->max);
	for (unsigned int i = 0; i < h.count; i++)
		at = md_put_header(payload_at(out, i), &h, i);
	descriptions_fill(e->erasure, &h.protection, e->stream, at, out);
	return 0;
}

double md_error(const struct md_encoder *e, double part)
{
	const struct zeroblock_curve *c = &e->curve;
	unsigned int i = 0;

	if (!c->points || e->values <= 0)
		return 0;
	while (i + 1 < c->points && c->bytes[i] < part * e->used)
		i++;
	return c->error[i] / e->values;
}

struct md_decoder *md_decoder_create(unsigned int width, unsigned int height,
				     unsigned int channels)
{
	struct md_decoder *d;

	if (!md_size_ok(width, height, channels))
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
	descriptions_begin(&d->came);
	d->exact = false;
}

static int md_get_header(struct md_header *h, const uint8_t *p, size_t len)
{
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
	h->size = MD_HEADER + DESCRIPTIONS_LEVEL * h->protection.levels;
	if (h->flags & MD_WHOLE)
		h->size += WHOLE_BYTES;
	if (!md_size_ok(h->width, h->height, h->channels) || !h->count ||
	    p[2] >= h->count || h->levels != md_levels(h->width, h->height) ||
	    !h->protection.levels || h->protection.levels > PRIORITY_LEVELS ||
	    len < h->size)
		return -EINVAL;
	p += MD_HEADER;
	if (descriptions_get(&h->protection, h->count, p))
		return -EINVAL;
	p += DESCRIPTIONS_LEVEL * h->protection.levels;
	if (len != h->size + priority_bytes(&h->protection))
		return -EINVAL;
	if (h->flags & MD_WHOLE) {
		h->stream = get_le32(p);
		if (h->stream > priority_prefix(&h->protection, h->count))
			return -EINVAL;
	}
	return 0;
}

static void md_shape_of(const struct md_header *h, struct image *image)
{
	image->width = h->width;
	image->height = h->height;
	image->channels = h->channels;
	image->depth = h->flags & MD_DEEP ? 16 : 8;
}

int md_shape(const void *payload, size_t len, struct image *image)
{
	struct md_header h;
	int ret = md_get_header(&h, payload, len);

	if (ret)
		return ret;
	md_shape_of(&h, image);
	return 0;
}

int md_add(struct md_decoder *d, const void *payload, size_t len)
{
	struct md_header h;
	int ret = md_get_header(&h, payload, len);

	if (ret)
		return ret;
	if (h.width > d->width || h.height > d->height ||
	    h.channels > d->channels)
		return -EFBIG;
	if (!d->came.received)
		d->header = h;
	else if (memcmp(&d->header, &h, sizeof(h)))
		return -EPROTO;
	return descriptions_add(&d->came, ((const uint8_t *)payload)[2],
				payload, len);
}

long md_finish(struct md_decoder *d, struct image *image, size_t room)
{
	const struct md_header *h = &d->header;
	bool reversible = h->flags & MD_REVERSIBLE, whole = false;
	struct zeroblock_shape shape;
	size_t stream;

	if (!d->came.received)
		return -ENODATA;
	md_shape_of(h, image);
	image->stride = (size_t)h->width * image_pixel(image);
	if (image->stride * image->height > room)
		return -EMSGSIZE;
	stream = descriptions_gather(&d->came, d->erasure, &h->protection,
				     h->count, h->size, d->stream);
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
	d->came.received = 0;
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
