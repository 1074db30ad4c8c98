// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_values - images of numbers: temperatures, disparities, depths
 *
 * The numbers as 16 bit (codec/image/values.h), which travel as md.h or depth.h
 * have them, after what the codes stand for: each payload is useful alone.
 *
 * Payload, little endian:
 *	u8	version << 4 | flags (VALUES_*)
 *	u8	number of classes
 *	f64	number of code 0, and from code to code
 *	f64	number of each class, from 1
 * if there are classes
 *	u16	first row and rows whose classes follow
 *	u16	bytes of them, see classes.h
 * and the payload of md.h or depth.h, which may be empty.
 *
 * As many datagrams have the same rows' classes as there is room for. Where they
 * are missing nothing is shown: a number that was made up from the neighbours
 * may be wrong.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/image/classes.h"
#include "codec/image/priority.h"
#include "transport/codec_image.h"

/* Rows whose classes may be lost */
static const double NO_CLASSES = .005;

enum {
	VALUES_VERSION	= 1,
	VALUES_DEPTHS	= 1,	/* depth.h, else md.h */
	VALUES_EXACT	= 2,	/* no number was changed before it was coded */

	VALUES_HEADER	= 18,
	VALUES_ROWS	= 6,	/* before the bytes of classes */
	VALUES_UNKNOWN	= 255,	/* a class that did not come */
	VALUES_COPIES	= 3,	/* of classes, at least if there is room */
	VALUES_COPIES_MOST = 8,
	VALUES_EVERY	= 100,	/* bytes of classes that each datagram has */
};

static_assert((int)VALUES_SPECIAL <= (int)CLASSES_MOST, "classes can be coded");

static size_t codec_values_header(const struct values_scale *s)
{
	return VALUES_HEADER + sizeof(double) * s->specials;
}

/* ---- encoding ---- */

/**
 * struct codec_values - of an encoder
 * @inner:	states of CODEC_MD and CODEC_DEPTH
 * @part:	runs of rows, @parts of them, whose classes are @len bytes of
 *		@bytes
 */
struct codec_values {
	void		*inner[CODECS];
	unsigned int	parts;
	struct codec_values_part {
		unsigned int	first, rows, at, len;
	} part[PRIORITY_DATAGRAMS];
	uint8_t		*bytes;
	size_t		room;
};

static void codec_values_encode_free(void *state)
{
	struct codec_values *s = state;

	for (unsigned int i = 0; i < CODECS; i++)
		if (s->inner[i])
			codec_get(i)->encode_free(s->inner[i]);
	free(s->bytes);
	free(s);
}

/*
 * Classes of the rows in @parts runs, each in up to @most bytes. Return: false:
 * one of them has more. @less: then it has fewer rows
 */
static bool codec_values_cut(struct codec_values *s,
			     const struct codec_image *in, unsigned int parts,
			     unsigned int most, bool less)
{
	const unsigned int w = in->image.width, h = in->image.height;

	s->parts = parts;
	for (unsigned int i = 0; i < parts; i++) {
		struct codec_values_part *p = &s->part[i];
		int len;

		p->first = (uint64_t)h * i / parts;
		p->rows = (uint64_t)h * (i + 1) / parts - p->first;
		p->at = i * most;
		for (;;) {
			len = classes_encode(in->class + (size_t)w * p->first,
					     w, p->rows, s->bytes + p->at,
					     most);
			if (len >= 0 || !less)
				break;
			p->rows /= 2;
		}
		if (len < 0)
			return false;
		assert(p->first + p->rows <= h && (unsigned int)len <= most);
		p->len = len;
	}
	return true;
}

/* How many datagrams shall have the same classes */
static unsigned int codec_values_copies(double loss)
{
	const double want = loss > 0 ? log(NO_CLASSES) / log(fmin(loss, .9)) :
				       VALUES_COPIES;

	return fmin(fmax(ceil(want), VALUES_COPIES), VALUES_COPIES_MOST);
}

static int codec_values_reserve(struct codec_values *s, size_t bytes)
{
	if (bytes <= s->room)
		return 0;
	free(s->bytes);
	s->bytes = malloc(bytes);
	s->room = s->bytes ? bytes : 0;
	return s->bytes ? 0 : -ENOMEM;
}

/*
 * Cut the classes so that @datagrams have room for them. Return: bytes of the
 * longest part; -ENOMEM
 */
static int codec_values_classes(struct codec_values *s,
				const struct codec_image *in, double loss,
				unsigned int datagrams, unsigned int size)
{
	const unsigned int h = in->image.height, most = size / 2;
	const unsigned int copies = codec_values_copies(loss);
	const unsigned int last = datagrams < h ? datagrams : h;
	unsigned int parts = (datagrams + copies - 1) / copies, longest = 0;

	if (codec_values_reserve(s, (size_t)PRIORITY_DATAGRAMS * most))
		return -ENOMEM;
	if (parts > last)
		parts = last;
	if (!codec_values_cut(s, in, 1, VALUES_EVERY, false))
		while (!codec_values_cut(s, in, parts, most, parts == last))
			parts = parts * 2 < last ? parts * 2 : last;
	for (unsigned int i = 0; i < s->parts; i++)
		if (s->part[i].len > longest)
			longest = s->part[i].len;
	return longest;
}

static unsigned int codec_values_datagrams(const struct encode_call *c)
{
	const struct encode_order *o = c->order;
	unsigned int n = (o->bytes + c->out->size - 1) / c->out->size;

	if (o->datagrams > n)
		n = o->datagrams;
	n = n < c->out->max ? n : c->out->max;
	return n < 1 ? 1 : n < PRIORITY_DATAGRAMS ? n : PRIORITY_DATAGRAMS;
}

static size_t codec_values_put(const struct codec_values *s,
			       const struct codec_image *in, unsigned int i,
			       uint8_t *p)
{
	const struct values_scale *scale = &in->scale;
	const struct codec_values_part *part;
	uint8_t *at = p + VALUES_HEADER;

	p[0] = VALUES_VERSION << 4 | (in->depths ? VALUES_DEPTHS : 0) |
	       (scale->exact ? VALUES_EXACT : 0);
	p[1] = scale->specials;
	put_lef64(p + 2, scale->offset);
	put_lef64(p + 10, scale->step);
	for (unsigned int k = 0; k < scale->specials; k++, at += sizeof(double))
		put_lef64(at, scale->special[k]);
	if (!s->parts)
		return at - p;
	part = &s->part[i % s->parts];
	put_le16(at, part->first);
	put_le16(at + 2, part->rows);
	put_le16(at + 4, part->len);
	memcpy(at + VALUES_ROWS, s->bytes + part->at, part->len);
	return at + VALUES_ROWS + part->len - p;
}

/* Payloads become longer, and those that lack classes are added */
static void codec_values_finish(const struct codec_values *s,
				const struct codec_image *in,
				struct payloads *out)
{
	uint8_t head[PAYLOAD_MAX];

	while (out->count < s->parts && out->count < out->max)
		out->len[out->count++] = 0;
	for (unsigned int i = 0; i < out->count; i++) {
		const size_t n = codec_values_put(s, in, i, head);

		assert(n + out->len[i] <= out->stride);
		memmove(payload_at(out, i) + n, payload_at(out, i),
			out->len[i]);
		memcpy(payload_at(out, i), head, n);
		out->len[i] += n;
	}
}

/* Classes that a decoder cannot derive: NaN alone is what depths lack */
static bool codec_values_has_classes(const struct codec_image *in)
{
	const struct values_scale *s = &in->scale;

	return s->specials > 1 ||
	       (s->specials && (!in->depths || !isnan(s->special[0])));
}

static int codec_values_encode(void **state, const struct encode_call *c)
{
	struct codec_image *in = c->input;
	const enum codec_id id = in->depths ? CODEC_DEPTH : CODEC_MD;
	const unsigned int datagrams = codec_values_datagrams(c);
	struct encode_order order = *c->order;
	const unsigned int size = c->out->size;
	struct encode_call inner = *c;
	struct codec_values *s = *state;
	size_t head = codec_values_header(&in->scale);
	int ret = 0;

	if (!in->scaled) {
		c->result->codec = CODEC_MD;
		return CODEC_OTHER;
	}
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->parts = 0;
	if (codec_values_has_classes(in)) {
		ret = codec_values_classes(s, in, order.loss, datagrams,
					   size);
		if (ret < 0)
			return ret;
		head += VALUES_ROWS + ret;
	}
	order.any = false;
	order.bytes = order.bytes > 2 * head * datagrams ?
			      order.bytes - head * datagrams :
			      order.bytes / 2;
	inner.order = &order;
	in->scaled = false; /* codes, for the inner codec */
	c->out->size = size - head;
	ret = codec_get(id)->encode(&s->inner[id], &inner);
	c->out->size = size;
	in->scaled = true;
	if (!ret)
		codec_values_finish(s, in, c->out);
	return ret;
}

/* ---- decoding ---- */

/**
 * struct values_payload - parsed
 * @head:	header, the same in all payloads of a frame, @head_len bytes
 * @rows:	whose classes are @classes, @bytes of them, from row @first
 * @inner:	payload of md.h or depth.h
 */
struct values_payload {
	const uint8_t		*head;
	size_t			head_len;
	unsigned int		flags;
	struct values_scale	scale;
	unsigned int		first, rows, bytes;
	const uint8_t		*classes, *inner;
	size_t			len;
};

/**
 * struct values_decoder - of images up to @largest
 * @codec:	of @inner, and its decoder
 * @class:	of each pixel
 * @numbers:	of a message
 */
struct values_decoder {
	struct image				largest;
	const struct codec_image_decoder	*codec;
	void					*inner;
	struct values_scale			scale;
	bool					depths;
	uint8_t					*class;
	double					*numbers;
	struct payloads				payloads;
};

static const struct codec_image_decoder *codec_values_inner(unsigned int flags)
{
	return flags & VALUES_DEPTHS ? &codec_depth_pixels : &codec_md_pixels;
}

static int codec_values_parse_scale(const uint8_t *p, size_t len,
				    struct values_payload *v)
{
	struct values_scale *s = &v->scale;

	if (len < VALUES_HEADER || p[0] >> 4 != VALUES_VERSION ||
	    p[1] > VALUES_SPECIAL ||
	    len < VALUES_HEADER + p[1] * sizeof(double))
		return -EINVAL;
	v->flags = p[0] & 15;
	*s = (struct values_scale){
		.offset = get_lef64(p + 2), .step = get_lef64(p + 10),
		.exact = v->flags & VALUES_EXACT, .specials = p[1],
	};
	for (unsigned int k = 0; k < s->specials; k++)
		s->special[k] = get_lef64(p + VALUES_HEADER +
					  k * sizeof(double));
	return isfinite(s->offset) && isfinite(s->step) && s->step > 0 &&
	       isfinite(s->offset + s->step * VALUES_CODES) ? 0 : -EINVAL;
}

/* Are classes derived from what depths lack? */
static bool codec_values_derived(const struct values_payload *v)
{
	return v->scale.specials == 1 && v->flags & VALUES_DEPTHS &&
	       isnan(v->scale.special[0]);
}

static int codec_values_parse(const void *payload, size_t len,
			      struct values_payload *v)
{
	const uint8_t *p = payload;
	size_t at;

	memset(v, 0, sizeof(*v));
	if (codec_values_parse_scale(p, len, v))
		return -EINVAL;
	at = codec_values_header(&v->scale);
	v->head = p;
	v->head_len = at;
	if (v->scale.specials && !codec_values_derived(v)) {
		if (len < at + VALUES_ROWS)
			return -EINVAL;
		v->first = get_le16(p + at);
		v->rows = get_le16(p + at + 2);
		v->bytes = get_le16(p + at + 4);
		at += VALUES_ROWS;
		if (len < at + v->bytes)
			return -EINVAL;
		v->classes = p + at;
		at += v->bytes;
	}
	v->inner = p + at;
	v->len = len - at;
	return 0;
}

static int codec_values_shape(const void *payload, size_t len,
			      struct image *shape)
{
	struct values_payload v;
	int ret = codec_values_parse(payload, len, &v);

	if (!ret)
		ret = codec_values_inner(v.flags)->shape(v.inner, v.len, shape);
	return ret ? ret : shape->depth == 16 && shape->channels == 1 ? 0 :
								      -EINVAL;
}

static void codec_values_destroy(void *decoder)
{
	struct values_decoder *d = decoder;

	if (!d)
		return;
	if (d->inner)
		d->codec->destroy(d->inner);
	payloads_destroy(&d->payloads);
	free(d->class);
	free(d->numbers);
	free(d);
}

static void *codec_values_create(const struct image *largest)
{
	struct values_decoder *d = calloc(1, sizeof(*d));
	const size_t n = (size_t)largest->width * largest->height;

	if (!d)
		return NULL;
	d->largest = *largest;
	d->class = malloc(n);
	d->numbers = malloc(n * sizeof(*d->numbers));
	if (d->class && d->numbers)
		return d;
	codec_values_destroy(d);
	return NULL;
}

static int codec_values_use(struct values_decoder *d, unsigned int flags)
{
	const struct codec_image_decoder *codec = codec_values_inner(flags);

	d->depths = flags & VALUES_DEPTHS;
	if (d->inner && d->codec == codec)
		return 0;
	if (d->inner)
		d->codec->destroy(d->inner);
	d->codec = codec;
	d->inner = codec->create(&d->largest);
	return d->inner ? 0 : -ENOMEM;
}

/* Of the same frame: the first datagram says what it is */
static bool codec_values_same(const struct values_payload *a,
			      const struct values_payload *b)
{
	return a->head_len == b->head_len &&
	       !memcmp(a->head, b->head, a->head_len);
}

static void codec_values_add(struct values_decoder *d, const struct image *shape,
			     const struct values_payload *v)
{
	struct payloads *p = &d->payloads;

	if (v->len && v->len <= p->size) {
		assert(p->count < p->max);
		memcpy(payload_at(p, p->count), v->inner, v->len);
		p->len[p->count++] = v->len;
	}
	if (v->rows && v->first < shape->height &&
	    v->rows <= shape->height - v->first &&
	    d->class[(size_t)shape->width * v->first] == VALUES_UNKNOWN)
		classes_decode(v->classes, v->bytes, shape->width, v->rows,
			       d->class + (size_t)shape->width * v->first);
}

/* Split the datagrams of a frame. Return: 0, -EPROTO, -ENOMEM */
static int codec_values_take(struct values_decoder *d,
			     const struct payloads *received,
			     struct image *shape, struct values_payload *first)
{
	bool begun = false;

	if (d->payloads.max < received->count) {
		payloads_destroy(&d->payloads);
		if (payloads_create(&d->payloads, received->count))
			return -ENOMEM;
	}
	d->payloads.count = 0;
	for (unsigned int i = 0; i < received->count; i++) {
		const uint8_t *p = payload_at(received, i);
		struct values_payload v;

		if (!begun && !codec_values_shape(p, received->len[i], shape)) {
			begun = shape->width <= d->largest.width &&
				shape->height <= d->largest.height;
			codec_values_parse(p, received->len[i], first);
			if (begun)
				memset(d->class, first->classes ?
				       VALUES_UNKNOWN : 0,
				       (size_t)shape->width * shape->height);
			i = begun ? -1U : i; /* again, now with classes */
			continue;
		}
		if (begun && !codec_values_parse(p, received->len[i], &v) &&
		    codec_values_same(first, &v))
			codec_values_add(d, shape, &v);
	}
	return begun ? 0 : -EPROTO;
}

/* Share of the rows whose classes came */
static double codec_values_known(const struct values_decoder *d,
				 const struct image *shape)
{
	unsigned int known = 0;

	for (unsigned int y = 0; y < shape->height; y++)
		known += d->class[(size_t)shape->width * y] != VALUES_UNKNOWN;
	return (double)known / shape->height;
}

static int codec_values_pixels(void *decoder, const struct decode_call *c,
			       struct image *image, size_t room,
			       struct decode_result *r)
{
	struct reassembly_frame frame = *c->frame;
	struct values_decoder *d = decoder;
	struct decode_call inner = *c;
	struct values_payload first;
	struct image shape = { 0 };
	double known;
	int ret = codec_values_take(d, &c->frame->received, &shape, &first);

	if (!ret)
		ret = codec_values_use(d, first.flags);
	if (ret)
		return ret;
	d->scale = first.scale;
	frame.received = d->payloads;
	inner.frame = &frame;
	ret = d->codec->decode(d->inner, &inner, image, room, r);
	if (ret)
		return ret;
	/* damaged ones may disagree */
	if (image->width != shape.width || image->height != shape.height ||
	    image->depth != 16 || image->channels != 1)
		return -EPROTO;
	known = codec_values_known(d, &shape);
	r->share *= known;
	r->exact = r->exact && d->scale.exact && known == 1;
	return 0;
}

static double codec_values_number(const struct values_decoder *d,
				  uint16_t code, uint8_t class)
{
	if (!class && d->depths && !code)
		return NAN;
	return class == VALUES_UNKNOWN && (!d->depths || !code) ?
		       NAN : values_number(&d->scale, code, class);
}

static int codec_values_write(void *decoder, const struct image *image,
			      enum message_encoding encoding, void *data,
			      struct message_image *m)
{
	struct values_decoder *d = decoder;
	double *v = d->numbers;
	size_t at = 0;

	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (const uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++, at++)
			v[at] = codec_values_number(d, row[x], d->class[at]);
	}
	if (!message_encoding_is_number(encoding))
		encoding = IMAGE_32FC1;
	return message_image_write_numbers(v, image->width, image->height,
					   encoding, data, m);
}

static int codec_values_decode(void **state, const struct decode_limits *limits,
			       const struct decode_call *c)
{
	static const struct codec_image_decoder values = {
		.shape = codec_values_shape,
		.create = codec_values_create,
		.destroy = codec_values_destroy,
		.decode = codec_values_pixels,
		.write = codec_values_write,
	};

	return codec_image_decode(state, limits, c, &values);
}

const struct codec codec_values = {
	.name = "values",
	.kinds = CODEC_KIND(IMAGE),
	.plan = PLAN_IMAGE,
	.sized = true,
	.input = &codec_image_input,
	.learn = codec_image_learn,
	.encode = codec_values_encode,
	.encode_free = codec_values_encode_free,
	.decode = codec_values_decode,
	.decode_free = codec_image_decode_free,
};
