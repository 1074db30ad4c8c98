// SPDX-License-Identifier: GPL-2.0-only
/*
 * depth - a depth image as multiple descriptions
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/image/depth.h"
#include "codec/image/descriptions.h"

/* Error that remains tolerable, of all: limits the weight of small errors */
#define MISSED		.25
/* The base leaves at most this much of the error */
#define PICTURE		.95

enum {
	STREAM_BYTES	= 4,		/* in the header */
	WHOLE_FIRST	= 3,		/* datagrams that give the base */
	STREAM_LIMIT	= PRIORITY_DATAGRAMS * PAYLOAD_MAX,
};

struct depth_encoder {
	unsigned int		width, height;
	struct depthcode	*code;
	struct erasure		*erasure;
	struct zeroblock_curve	curve;
	struct priority_chances	chances;
	uint8_t			*stream;
};

/* header of a frame's payloads */
struct depth_header {
	unsigned int	flags, count, width, height;
	struct priority	protection;
	uint32_t	stream;
	size_t		size;		/* bytes of the header */
};

struct depth_decoder {
	unsigned int		width, height;
	struct depthcode	*code;
	struct erasure		*erasure;
	struct depth_header	header;
	struct descriptions	came;
	uint8_t			stream[STREAM_LIMIT];
};

static bool depth_size_ok(unsigned int width, unsigned int height)
{
	return width && height && width <= IMAGE_SIDE && height <= IMAGE_SIDE;
}

unsigned int depth_holes(const struct image *image)
{
	unsigned int holes = 0;

	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (const uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++)
			holes += row[x] == 0;
	}
	return holes;
}

struct depth_encoder *depth_encoder_create(unsigned int width,
					   unsigned int height)
{
	struct depth_encoder *e;

	if (!depth_size_ok(width, height))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->width = width;
	e->height = height;
	e->stream = malloc(STREAM_LIMIT + depthcode_slack(width));
	e->code = depthcode_create(width, height);
	e->erasure = erasure_create(PRIORITY_DATAGRAMS);
	if (e->stream && e->code && e->erasure)
		return e;
	depth_encoder_destroy(e);
	return NULL;
}

void depth_encoder_destroy(struct depth_encoder *e)
{
	if (!e)
		return;
	depthcode_destroy(e->code);
	erasure_destroy(e->erasure);
	free(e->stream);
	free(e);
}

static size_t depth_put_header(uint8_t *p, const struct depth_header *h,
			       unsigned int index)
{
	p[0] = DEPTH_VERSION << 4 | h->flags;
	p[1] = DEPTHCODE_TOLERANCE;
	p[2] = index;
	p[3] = h->count;
	put_le16(p + 4, h->width);
	put_le16(p + 6, h->height);
	p[8] = h->protection.levels;
	p += DEPTH_HEADER;
	p += descriptions_put(&h->protection, p);
	put_le32(p, h->stream);
	return DEPTH_HEADER + STREAM_BYTES +
	       DESCRIPTIONS_LEVEL * h->protection.levels;
}

/* Bytes of the stream for a first image, the best in half a datagram */
static unsigned int depth_find_base(const struct zeroblock_curve *c,
				    unsigned int size)
{
	unsigned int base = 0;

	assert(c->points);
	for (unsigned int i = 0; i < c->points; i++)
		if (c->error[i] < PICTURE * c->error[0] &&
		    c->bytes[i] <= size / 2)
			base = c->bytes[i];
	return base;
}

/*
 * Datagrams that give the whole stream: as few as leave room for the base, in
 * case that fewer arrive; less room if so many would not arrive at a loss of
 * 20 %. 0: they cannot hold it.
 */
static unsigned int depth_whole_need(size_t stream, unsigned int count,
				     unsigned int size, unsigned int base,
				     double loss)
{
	double most = .8 * count - 2.3 * sqrt(.8 * .2 * count);
	unsigned int need = descriptions_need(stream, 1, count,
					      size - size / 8, loss);

	while (need && need + 1 <= most && size < base + stream / need)
		need++;
	return need;
}

static void depth_protect(struct depth_encoder *e, struct depth_header *h,
			  double loss, unsigned int size)
{
	struct zeroblock_curve *c = &e->curve;
	unsigned int base = depth_find_base(c, size), whole = 0, first = 1;
	double missed = MISSED * c->error[0];

	if (h->flags & DEPTH_WHOLE)
		whole = depth_whole_need(h->stream, h->count, size, base, loss);
	/* one datagram has no room for the base beside a whole stream */
	if (whole > WHOLE_FIRST)
		first = WHOLE_FIRST;
	for (unsigned int i = 0; i < c->points; i++)
		c->error[i] += missed;
	if (loss < 0)
		priority_fixed(&e->chances, c, h->count, size);
	else
		priority_loss(&e->chances, c, h->count, size, loss, 0);
	priority_solve(&h->protection, c, &e->chances, h->count, size,
		       base, first, DESCRIPTIONS_LEVELS, whole);
}

int depth_encode(struct depth_encoder *e, const struct image *image,
		 size_t bytes, double loss, struct payloads *out)
{
	unsigned int header = DEPTH_HEADER + STREAM_BYTES +
			      DESCRIPTIONS_LEVELS * DESCRIPTIONS_LEVEL;
	struct depth_header h = {
		.width = image->width, .height = image->height,
	};
	unsigned int size, at = 0;
	size_t limit;
	bool whole;

	if (!depth_size_ok(image->width, image->height) || image->depth != 16 ||
	    image->channels != 1 || image->width > e->width ||
	    image->height > e->height)
		return -EINVAL;
	if (descriptions_size(bytes, header, out, &h.count, &size))
		return -EMSGSIZE;
	limit = (size_t)h.count * size;
	h.stream = depthcode_encode(e->code, image, e->stream, limit, &whole,
				    &e->curve);
	h.flags = whole ? DEPTH_WHOLE : 0;
	assert(h.stream <= limit);
	/* levels may reach beyond the end of the stream: pad with 0 */
	memset(e->stream + h.stream, 0,
	       limit + DESCRIPTIONS_LEVELS * h.count - h.stream);
	depth_protect(e, &h, loss, size);
	assert(h.protection.levels && h.protection.levels <= DESCRIPTIONS_LEVELS);
	out->count = h.count;
	for (unsigned int i = 0; i < h.count; i++)
		at = depth_put_header(payload_at(out, i), &h, i);
	descriptions_fill(e->erasure, &h.protection, e->stream, at, out);
	return 0;
}

struct depth_decoder *depth_decoder_create(unsigned int width,
					   unsigned int height)
{
	struct depth_decoder *d;

	if (!depth_size_ok(width, height))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->width = width;
	d->height = height;
	d->code = depthcode_create(width, height);
	d->erasure = erasure_create(PRIORITY_DATAGRAMS);
	if (d->code && d->erasure)
		return d;
	depth_decoder_destroy(d);
	return NULL;
}

void depth_decoder_destroy(struct depth_decoder *d)
{
	if (!d)
		return;
	depthcode_destroy(d->code);
	erasure_destroy(d->erasure);
	free(d);
}

void depth_begin(struct depth_decoder *d)
{
	descriptions_begin(&d->came);
}

/* Refuse another tolerance, which decodes to other depths */
static int depth_get_header(struct depth_header *h, const uint8_t *p,
			    size_t len)
{
	memset(h, 0, sizeof(*h));
	if (len < DEPTH_HEADER || len > PAYLOAD_MAX ||
	    p[0] >> 4 != DEPTH_VERSION || p[1] != DEPTHCODE_TOLERANCE)
		return -EINVAL;
	h->flags = p[0] & 15;
	h->count = p[3];
	h->width = get_le16(p + 4);
	h->height = get_le16(p + 6);
	h->protection.levels = p[8];
	h->size = DEPTH_HEADER + STREAM_BYTES +
		  DESCRIPTIONS_LEVEL * h->protection.levels;
	if (!depth_size_ok(h->width, h->height) || p[2] >= h->count ||
	    !h->protection.levels || h->protection.levels > PRIORITY_LEVELS ||
	    len < h->size)
		return -EINVAL;
	p += DEPTH_HEADER;
	if (descriptions_get(&h->protection, h->count, p) ||
	    len != h->size + priority_bytes(&h->protection))
		return -EINVAL;
	h->stream = get_le32(p + DESCRIPTIONS_LEVEL * h->protection.levels);
	return 0;
}

static void depth_shape_of(const struct depth_header *h, struct image *image)
{
	image->width = h->width;
	image->height = h->height;
	image->channels = 1;
	image->depth = 16;
}

int depth_shape(const void *payload, size_t len, struct image *image)
{
	struct depth_header h;
	int ret = depth_get_header(&h, payload, len);

	if (ret)
		return ret;
	depth_shape_of(&h, image);
	return 0;
}

int depth_add(struct depth_decoder *d, const void *payload, size_t len)
{
	struct depth_header h;
	int ret = depth_get_header(&h, payload, len);

	if (ret)
		return ret;
	if (h.width > d->width || h.height > d->height)
		return -EFBIG;
	if (!d->came.received)
		d->header = h;
	else if (memcmp(&d->header, &h, sizeof(h)))
		return -EPROTO;
	return descriptions_add(&d->came, ((const uint8_t *)payload)[2],
				payload, len);
}

long depth_finish(struct depth_decoder *d, struct image *image, size_t room,
		  struct depthcode_shown *shown)
{
	const struct depth_header *h = &d->header;
	bool whole = false;
	size_t stream;

	if (!d->came.received)
		return -ENODATA;
	depth_shape_of(h, image);
	image->stride = (size_t)h->width * image_pixel(image);
	if (image->stride * image->height > room)
		return -EMSGSIZE;
	stream = descriptions_gather(&d->came, d->erasure, &h->protection,
				     h->count, h->size, d->stream);
	/* bytes after the end are padding */
	assert(stream <= sizeof(d->stream));
	if (stream >= h->stream) {
		stream = h->stream;
		whole = h->flags & DEPTH_WHOLE;
	}
	depthcode_decode(d->code, d->stream, stream, whole, image, shown);
	d->came.received = 0;
	return stream;
}
