// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_image - convert between messages and pixels, for the codecs of images
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/bayer.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "transport/bayer_name.h"
#include "transport/codec_image.h"

enum { LEAST = 256 }; /* smallest payload worth its headers, bytes */

/* Far over near, of distances; temperatures in kelvin differ by less */
static const double NEAR_FAR = 16;

/* ---- encoding ---- */

static void codec_image_free(void *input)
{
	struct codec_image *s = input;

	free(s->image.data);
	free(s->spare);
	free(s->class);
	free(s);
}

/* Memory that only grows. Return: 0, -ENOMEM */
static int codec_image_reserve(uint8_t **at, size_t *room, size_t bytes)
{
	uint8_t *data;

	if (bytes <= *room)
		return 0;
	data = realloc(*at, bytes);
	if (!data)
		return -ENOMEM;
	*at = data;
	*room = bytes;
	return 0;
}

/* Allocate the pixels of an image of that shape */
static int codec_image_prepare(void **input, const struct image *shape)
{
	struct codec_image *s = *input;
	size_t bytes = shape->stride * shape->height;
	uint8_t *data;

	if (!s)
		s = *input = calloc(1, sizeof(*s));
	if (!s || codec_image_reserve(&s->image.data, &s->room, bytes))
		return -ENOMEM;
	data = s->image.data;
	s->image = *shape;
	s->image.data = data;
	s->scaled = false;
	return 0;
}

static int codec_image_read_bayer(struct codec_image *s,
				  const struct encode_call *c,
				  enum message_encoding encoding)
{
	const struct message_image *m = &c->msg->image;
	const char *name = message_encoding_name(encoding);
	struct image mosaic = s->image;
	size_t bytes = mosaic.stride * mosaic.height;

	if (mosaic.width % 2 || mosaic.height % 2) {
		snprintf(c->result->fault, ENCODE_FAULT,
			 "%u x %u pixels: %s needs even sides", mosaic.width,
			 mosaic.height, name);
		return -EBADMSG;
	}
	if (codec_image_reserve(&s->spare, &s->spare_room, bytes))
		return -ENOMEM;
	mosaic.data = s->spare;
	message_image_read(m, &mosaic);
	bayer_apart(&mosaic, &s->image);
	snprintf(c->result->encoding, CONTROL_WORD, "%s" BAYER_PLANES, name);
	return 0;
}

/*
 * Distances: never negative, with a name or with the holes that distances have;
 * those of thermal cameras are fewer, or their numbers far from 0
 */
static bool codec_image_is_distances(struct codec_image *s,
				     const struct encode_call *c,
				     const struct values_range *r,
				     enum message_encoding encoding)
{
	const size_t pixels = (size_t)s->image.width * s->image.height;
	const bool whole = message_encoding_values(encoding) == VALUES_INTEGER;

	/* hysteresis, as each change is announced */
	s->hollow = r->nothing > pixels / (s->hollow ? CODEC_IMAGE_HOLES_STILL :
						       CODEC_IMAGE_HOLES);
	if (r->max <= 0 || r->min < 0)
		return false;
	return c->options->depths ||
	       (s->hollow && !whole && (message_numbers_are_depths(r) ||
					r->max > NEAR_FAR * r->min));
}

/* Numbers that only CODEC_VALUES carries */
static int codec_image_scale(struct codec_image *s, const struct encode_call *c,
			     const double *v, const struct values_range *r,
			     enum message_encoding encoding)
{
	const enum values_type type = message_encoding_values(encoding);
	const size_t n = (size_t)s->image.width * s->image.height;
	uint16_t *code = (uint16_t *)s->image.data;
	int ret = 0;

	s->depths = codec_image_is_distances(s, c, r, encoding);
	if (s->depths)
		values_depths(v, n, type, message_numbers_are_depths(r) &&
			      type != VALUES_INTEGER ? .001 : 0, &s->scale);
	else
		ret = values_measure(v, n, type, &s->scale);
	if (ret) {
		snprintf(c->result->fault, ENCODE_FAULT,
			 "%s from %g to %g: %s",
			 message_encoding_name(encoding), r->min, r->max,
			 type == VALUES_INTEGER ? "more than 65536 steps" :
						  "too far apart");
		return -EOPNOTSUPP;
	}
	if (codec_image_reserve(&s->class, &s->class_room, n))
		return -ENOMEM;
	values_pack(v, n, type, &s->scale, code, s->class);
	if (!s->depths)
		values_fill(code, s->class, s->image.width, s->image.height);
	s->scaled = true;
	return 0;
}

/* Depths in metres whose holes are all NaN travel as millimetres */
static int codec_image_read_numbers(struct codec_image *s,
				    const struct encode_call *c,
				    enum message_encoding encoding)
{
	const struct message_image *m = &c->msg->image;
	const size_t n = (size_t)m->width * m->height;
	struct values_range r;
	double *v;

	if (codec_image_reserve(&s->spare, &s->spare_room, n * sizeof(*v)))
		return -ENOMEM;
	v = (double *)s->spare;
	message_image_numbers(m, v);
	r = values_range(v, n);
	strcpy(c->result->encoding, message_encoding_name(encoding));
	if (encoding == IMAGE_32FC1 && r.nothing == r.nan &&
	    message_numbers_are_depths(&r) &&
	    codec_image_is_distances(s, c, &r, encoding)) {
		message_image_read_numbers(m, &s->image);
		s->depths = true;
		return 0;
	}
	return codec_image_scale(s, c, v, &r, encoding);
}

static int codec_image_read_plain(void **input, const struct encode_call *c)
{
	const struct message_image *m = &c->msg->image;
	struct codec_image *s;
	struct image shape;
	int encoding = message_image_shape(m, &shape);
	int ret;

	if (encoding < 0) {
		message_image_fault(m, c->result->fault, ENCODE_FAULT);
		return encoding;
	}
	ret = codec_image_prepare(input, &shape);
	if (ret)
		return ret;
	s = *input;
	/* mono16 and 16UC1 differ only by name */
	s->depths = false;
	s->plain16 = encoding == IMAGE_16UC1 ||
		     message_encoding_is_number(encoding);
	if (message_encoding_is_number(encoding))
		return codec_image_read_numbers(s, c, encoding);
	if (message_encoding_is_bayer(encoding))
		return codec_image_read_bayer(s, c, encoding);
	message_image_read(m, &s->image);
	strcpy(c->result->encoding,
	       message_encoding_name(message_encoding_shown(encoding)));
	return 0;
}

static int codec_image_read_compressed(void **input,
				       const struct encode_call *c)
{
	const struct message_compressed_image *m = &c->msg->compressed;
	size_t n = m->format.len < CONTROL_WORD - 1 ? m->format.len :
						      CONTROL_WORD - 1;
	struct codec_image *s;
	struct image shape;
	int ret = compressed_shape(m, &shape);

	if (!ret)
		ret = codec_image_prepare(input, &shape);
	if (ret)
		return ret;
	s = *input;
	ret = compressed_read(m, &s->image);
	if (ret)
		return ret;
	memcpy(c->result->encoding, m->format.text, n);
	c->result->encoding[n] = '\0';
	s->depths = compressed_is_depth(&m->format);
	s->plain16 = s->depths || !memcmp(c->result->encoding, "16UC1", 5);
	return 0;
}

static int codec_image_read(void **input, const struct encode_call *c)
{
	int ret = c->kind == MESSAGE_IMAGE ?
			  codec_image_read_plain(input, c) :
			  codec_image_read_compressed(input, c);
	struct codec_image *s = *input;

	if (ret)
		return ret;
	c->result->pixels = s->image.width * s->image.height;
	/* codes of one frame are not those of the next */
	if (!s->scaled)
		movement_add(&s->movement, &s->image, c->result->stamp);
	return 0;
}

void codec_image_learn(struct plan_source *s, const struct codec_frame *f)
{
	/*
	 * Few large images until the look is known. Codecs that never tell it
	 * have no pixels here: what they send may move, and would come too
	 * seldom.
	 */
	s->pixels = f->result->codec == CODEC_MD ? f->result->pixels : 0;
	s->look = f->result->look;
	s->look.bytes = f->bytes;
}

const struct codec_input codec_image_input = {
	codec_image_read,
	codec_image_free,
};

unsigned int codec_image_payload(const struct encode_call *c)
{
	const struct encode_order *o = c->order;
	size_t each = o->datagrams ?
			      (o->bytes + o->datagrams - 1) / o->datagrams :
			      c->out->size;

	return each >= LEAST && each < c->out->size ? each : c->out->size;
}

/* ---- decoding ---- */

/* Bytes per pixel: of the message, and per channel of the decoder */
enum { IMAGE_PLAIN = 16, IMAGE_CHANNEL = 12 };

/**
 * struct codec_image_state - of a decoder
 * @decoder:	of @codec, for images up to @largest
 * @room:	bytes of the pixels of @image
 * @message:	pixels in ROS format
 */
struct codec_image_state {
	const struct codec_image_decoder	*codec;
	void					*decoder;
	struct image				largest;
	struct image				image;
	size_t					room;
	uint8_t					*message;
	size_t					message_room;
	struct compressed_buffer		compressed;
};

static void codec_image_drop(struct codec_image_state *s)
{
	s->codec->destroy(s->decoder);
	s->decoder = NULL;
}

void codec_image_decode_free(void *state)
{
	struct codec_image_state *s = state;

	codec_image_drop(s);
	free(s->image.data);
	free(s->message);
	free(s->compressed.data);
	free(s);
}

/* Read the shape from the first valid payload */
static int codec_image_shape(const struct decode_call *c,
			     const struct codec_image_decoder *codec,
			     struct image *shape)
{
	const struct payloads *p = &c->frame->received;

	for (unsigned int i = 0; i < p->count; i++)
		if (!codec->shape(payload_at(p, i), p->len[i], shape))
			return 0;
	return -EPROTO;
}

static unsigned int codec_image_larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* Estimated bytes to decode and publish an image of that shape */
static size_t codec_image_bytes(const struct image *i)
{
	return (size_t)i->width * i->height *
	       (IMAGE_PLAIN + i->channels * IMAGE_CHANNEL);
}

static int codec_image_grow(struct codec_image_state *s,
			    const struct decode_call *c,
			    const struct image *shape, size_t most)
{
	struct image *l = &s->largest, all;
	size_t room;
	uint8_t *data;

	if (shape->width <= l->width && shape->height <= l->height &&
	    image_pixel(shape) <= image_pixel(l) &&
	    shape->channels <= l->channels)
		return 0;
	codec_image_drop(s);
	/* a wide image and a high one must not add up to a large square */
	if ((size_t)codec_image_larger(l->width, shape->width) *
		    codec_image_larger(l->height, shape->height) >
	    most)
		*l = (struct image){ 0 };
	all = (struct image){
		.width = codec_image_larger(l->width, shape->width),
		.height = codec_image_larger(l->height, shape->height),
		.channels = codec_image_larger(l->channels, shape->channels),
		.depth = codec_image_larger(l->depth, shape->depth),
	};
	if (decode_reserve(c, codec_image_bytes(&all))) {
		*l = (struct image){ 0 };
		return -EFBIG;
	}
	*l = all;
	room = (size_t)l->width * l->height * image_pixel(l);
	data = realloc(s->image.data, room);
	if (data) {
		s->image.data = data;
		s->room = room;
		s->decoder = s->codec->create(l);
	}
	if (s->decoder)
		return 0;
	*l = (struct image){ 0 };
	return -ENOMEM;
}

/* Encodings by depth and channels, if the announced one does not match */
static const enum message_encoding plain[2][5] = {
	{ 0, IMAGE_MONO8, IMAGE_8UC2, IMAGE_RGB8, IMAGE_RGBA8 },
	{ 0, IMAGE_MONO16, IMAGE_16UC2, IMAGE_RGB16, IMAGE_RGBA16 },
};

/* Parse the announced encoding. @apart: out: a mosaic split by colour */
static int codec_image_announced(const char *text, bool *apart)
{
	const size_t mark = sizeof(BAYER_PLANES) - 1;
	struct message_string name = message_string(text);
	int encoding;

	*apart = name.len > mark &&
		 !memcmp(text + name.len - mark, BAYER_PLANES, mark);
	if (*apart)
		name.len -= mark;
	encoding = message_encoding_of(&name);
	*apart = *apart && encoding >= 0 && message_encoding_is_bayer(encoding);
	return encoding;
}

/* Join four pictures to a mosaic. Return: -EINVAL: not such, show as is */
static int codec_image_give_mosaic(struct codec_image_state *s,
				   enum message_encoding encoding,
				   uint8_t *data, struct message_image *m)
{
	struct image mosaic = s->image;

	if (mosaic.channels != 1 || mosaic.width % 2 || mosaic.height % 2)
		return -EINVAL;
	mosaic.data = data;
	bayer_together(&s->image, &mosaic);
	return message_image_write(&mosaic, encoding, s->message, m);
}

static int codec_image_give(struct codec_image_state *s,
			    const struct decode_call *c,
			    struct decode_result *r)
{
	bool apart;
	int encoding = codec_image_announced(c->topic->encoding, &apart), ret;
	union message msg = { .image = { .header = decode_header(c) } };
	size_t bytes = (size_t)s->image.width * s->image.height * 8;

	if (bytes > s->message_room) {
		uint8_t *data = realloc(s->message, bytes);

		if (!data)
			return -ENOMEM;
		s->message = data;
		s->message_room = bytes;
	}
	if (encoding < 0)
		ret = encoding;
	else if (apart) /* gray takes 2 bytes a pixel: the other half is free */
		ret = codec_image_give_mosaic(
			s, encoding, s->message + bytes / 2, &msg.image);
	else if (s->codec->write)
		ret = s->codec->write(s->decoder, &s->image, encoding,
				      s->message, &msg.image);
	else
		ret = message_image_write(&s->image, encoding, s->message,
					  &msg.image);
	if (ret) {
		encoding = plain[s->image.depth == 16][s->image.channels];
		message_image_write(&s->image, encoding, s->message,
				    &msg.image);
	}
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}

static int codec_image_give_compressed(struct codec_image_state *s,
				       const struct decode_call *c,
				       struct decode_result *r)
{
	const struct message_string format = message_string(c->topic->encoding);
	const struct message_string png = message_string("png");
	union message msg = { .compressed = { .header = decode_header(c) } };
	int ret = compressed_write(&s->image, &format, c->quality,
				   &s->compressed, &msg.compressed);

	/* PNG takes any image */
	if (ret && ret != -ENOMEM)
		ret = compressed_write(&s->image, &png, 0, &s->compressed,
				       &msg.compressed);
	if (ret)
		return ret == -ENOMEM ? ret : -EPROTO;
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}

int codec_image_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_image_decoder *codec)
{
	struct decode_result r = { "", c->topic->kind, NULL, 0, false };
	struct codec_image_state *s = *state;
	struct image shape;
	int ret = codec_image_shape(c, codec, &shape);

	if (ret)
		return ret;
	if ((size_t)shape.width * shape.height > limits->pixels)
		return -EFBIG;
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->codec = codec;
	ret = codec_image_grow(s, c, &shape, limits->pixels);
	if (!ret)
		ret = codec->decode(s->decoder, c, &s->image, s->room, &r);
	if (ret)
		return ret;
	return c->topic->kind == MESSAGE_IMAGE ?
		       codec_image_give(s, c, &r) :
		       codec_image_give_compressed(s, c, &r);
}
