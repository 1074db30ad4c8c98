// SPDX-License-Identifier: GPL-2.0-only
/*
 * message - a walk over the description of a type, which reads, measures and
 * writes CDR and ROS 1
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "ros/msg/message.h"
#include "ros/msg/message_fields.h"

/**
 * struct walk - a message being read (@in), written (@out) or measured
 * @at:		next byte; alignment counts from byte 0
 * @len:	bytes in total
 * @aligned:	numbers are aligned to their size: CDR
 * @big:	byte order of @in
 */
struct walk {
	const uint8_t	*in;
	uint8_t		*out;
	size_t		at, len;
	bool		aligned, big;
};

/* Advance by @n bytes of numbers of @size bytes; @place: where they are */
static int message_take(struct walk *w, unsigned int size, size_t n,
			size_t *place)
{
	size_t pad = w->aligned ? -w->at & (size - 1) : 0;

	if (w->len - w->at < pad || w->len - w->at - pad < n)
		return w->in ? -EBADMSG : -ENOSPC;
	if (w->out)
		memset(w->out + w->at, 0, pad);
	*place = w->at + pad;
	w->at += pad + n;
	return 0;
}

static void copy_number(void *to, const void *from, unsigned int size, bool big)
{
	if (big == (BYTE_ORDER == BIG_ENDIAN)) {
		memcpy(to, from, size);
		return;
	}
	for (unsigned int i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[size - 1 - i];
}

static int walk_number(struct walk *w, void *v, unsigned int size)
{
	size_t place;
	int err = message_take(w, size, size, &place);

	if (err)
		return err;
	if (w->in)
		copy_number(v, w->in + place, size, w->big);
	else if (w->out)
		copy_number(w->out + place, v, size, false);
	return 0;
}

/* Signed seconds in ROS 2, unsigned ones in ROS 1 */
static int walk_time(struct walk *w, int64_t *ns)
{
	const int64_t second = 1000000000;
	uint32_t sec = 0, nsec = 0;
	int err;

	if (!w->in) {
		sec = *ns / second - (*ns % second < 0);
		nsec = (*ns % second + second) % second;
		assert(nsec < second);
	}
	err = walk_number(w, &sec, 4);
	if (!err)
		err = walk_number(w, &nsec, 4);
	if (!err && w->in)
		*ns = (w->aligned ? (int64_t)(int32_t)sec : (int64_t)sec) *
		      second + nsec;
	return err;
}

/* CDR counts the final 0; some writers send an empty text without it */
static int walk_string(struct walk *w, struct message_string *s)
{
	uint32_t end = w->aligned, n = s->len + end;
	size_t place;
	int err = walk_number(w, &n, 4);

	if (!err)
		err = message_take(w, 1, n, &place);
	if (err)
		return err;
	if (w->in) {
		s->text = (const char *)w->in + place;
		s->len = n < end ? 0 : n - end;
		return end && n && s->text[s->len] ? -EBADMSG : 0;
	}
	assert(!w->out || place + s->len + end <= w->len);
	if (w->out) {
		if (s->len)
			memcpy(w->out + place, s->text, s->len);
		if (end)
			w->out[place + s->len] = 0;
	}
	return 0;
}

static int walk_bytes(struct walk *w, struct message_bytes *b)
{
	size_t place;
	int err = walk_number(w, &b->count, 4);

	if (!err)
		err = message_take(w, 1, b->count, &place);
	if (err)
		return err;
	assert(!w->in || place + b->count <= w->len);
	if (w->in)
		b->data = w->in + place;
	else if (w->out && b->data && b->count)
		memcpy(w->out + place, b->data, b->count);
	return 0;
}

/* Numbers of @size bytes; converted only on access */
static int walk_reals(struct walk *w, unsigned int size, const uint8_t **data,
		      uint32_t *count, bool *big)
{
	size_t place;
	int err = walk_number(w, count, 4);

	/* empty sequences are not aligned */
	if (!err)
		err = message_take(w, *count ? size : 1, (size_t)*count * size,
				   &place);
	if (err)
		return err;
	if (w->in) {
		*data = w->in + place;
		*big = w->big;
	} else if (w->out && *data) {
		for (size_t i = 0; i < *count && *big; i++)
			for (size_t j = 0; j < size; j++)
				w->out[place + size * i + j] =
					(*data)[size * i + size - 1 - j];
		if (*count && !*big)
			memcpy(w->out + place, *data, (size_t)*count * size);
	}
	return 0;
}

static int walk_floats(struct walk *w, struct message_floats *f)
{
	return walk_reals(w, 4, &f->data, &f->count, &f->big_endian);
}

static int walk_doubles(struct walk *w, struct message_doubles *f)
{
	return walk_reals(w, 8, &f->data, &f->count, &f->big_endian);
}

static int walk_fields(struct walk *w, const struct field *f,
		       void *base);

static int walk_list(struct walk *w, const struct field *f,
		     void *base, void *member)
{
	uint32_t n;
	int err;

	memcpy(&n, (char *)base + f->counter, sizeof(n));
	err = walk_number(w, &n, 4);
	if (err)
		return err;
	if (n > f->count)
		return -E2BIG;
	if (w->in)
		memcpy((char *)base + f->counter, &n, sizeof(n));
	assert(f->sub && f->size);
	for (uint32_t i = 0; i < n && !err; i++)
		err = walk_fields(w, f->sub, (char *)member + i * f->size);
	return err;
}

/* Elements of struct message_list */
union element {
	struct message_transform	transform;
	struct message_pose_stamped	pose;
	struct message_point32		point;
	struct message_graph_edge	edge;
};

/* The first walk has validated the bytes, so this cannot fail */
static bool next_element(struct message_list *rest,
			 const struct field *sub, size_t size,
			 void *element)
{
	struct walk w = {
		.in = rest->data, .at = rest->at, .len = rest->len,
		.aligned = rest->aligned, .big = rest->big_endian,
	};

	if (!rest->count || (!rest->items && !rest->data))
		return false;
	if (rest->items) {
		memcpy(element, rest->items, size);
		rest->items = (const char *)rest->items + size;
	} else if (walk_fields(&w, sub, element)) {
		return false;
	}
	assert(w.at >= rest->at);
	rest->at = w.at;
	rest->count--;
	return true;
}

static int walk_sequence(struct walk *w, const struct field *f,
			 struct message_list *l)
{
	struct message_list rest = w->in ? (struct message_list){ 0 } : *l;
	union element element;
	int err = walk_number(w, &rest.count, 4);

	if (err)
		return err;
	if (w->in)
		*l = (struct message_list){
			.count = rest.count, .data = w->in, .at = w->at,
			.len = w->len, .aligned = w->aligned,
			.big_endian = w->big,
		};
	for (uint32_t n = rest.count; n && !err; n--) {
		if (!w->in &&
		    !next_element(&rest, f->sub, f->size, &element))
			return -E2BIG;
		err = walk_fields(w, f->sub, &element);
	}
	return err;
}

static int walk_numbers(struct walk *w, const struct field *f,
			void *member)
{
	static const uint8_t sizes[] = {
		[U8] = 1, [U16] = 2, [U32] = 4, [U64] = 8, [F32] = 4, [F64] = 8,
	};
	unsigned int size = sizes[f->op];
	int err = 0;

	assert(f->op < sizeof(sizes) && size && f->count);
	for (unsigned int i = 0; i < f->count && !err; i++)
		err = walk_number(w, (char *)member + i * size, size);
	return err;
}

static int walk_field(struct walk *w, const struct field *f,
		      void *base)
{
	void *member = (char *)base + f->offset;

	switch (f->op) {
	case TIME:
		return walk_time(w, member);
	case SEQ:
		if (!w->aligned)
			return walk_number(w, member, 4);
		if (w->in)
			memset(member, 0, 4);
		return 0;
	case STRING:
		return walk_string(w, member);
	case BYTES:
		return walk_bytes(w, member);
	case FLOATS:
		return walk_floats(w, member);
	case DOUBLES:
		return walk_doubles(w, member);
	case STRUCT:
		return walk_fields(w, f->sub, member);
	case LIST:
		return walk_list(w, f, base, member);
	case SEQUENCE:
		return walk_sequence(w, f, member);
	default:
		return walk_numbers(w, f, member);
	}
}

static int walk_fields(struct walk *w, const struct field *f,
		       void *base)
{
	int err = 0;

	for (; f->op != END && !err; f++)
		err = walk_field(w, f, base);
	return err;
}

static int walk_parts(struct walk *w, const struct part parts[2])
{
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		if (parts[i].fields)
			err = walk_fields(w, parts[i].fields, parts[i].base);
	return err;
}

int message_walk_in(const struct part parts[2], enum message_format format,
		    const void *data, size_t len)
{
	const uint8_t *p = data;
	struct walk w = { .in = p, .len = len };
	int err;

	if (format == MESSAGE_CDR) {
		/* only plain CDR: no parameter lists, no XCDR2 */
		if (len < 4 || p[0] || p[1] > 1)
			return -EBADMSG;
		w.in += 4;
		w.len -= 4;
		w.aligned = true;
		w.big = !p[1];
	} else if (format != MESSAGE_ROS1) {
		return -EBADMSG;
	}
	err = walk_parts(&w, parts);
	/* a DDS payload may be padded to 4 bytes */
	if (!err && w.len - w.at > (w.aligned ? 3 : 0))
		return -EBADMSG;
	return err;
}

int message_read(enum message_kind kind, enum message_format format,
		 const void *data, size_t len, union message *msg)
{
	const struct part parts[2] = { { message_fields[kind], msg } };

	return message_walk_in(parts, format, data, len);
}

long message_walk_out(const struct part parts[2], enum message_format format,
		      void *data, size_t size)
{
	size_t begin = format == MESSAGE_CDR ? 4 : 0;
	struct walk w = { .out = data, .aligned = begin };
	int err;

	if (size < begin)
		return -ENOSPC;
	if (begin && data) {
		memcpy(data, "\0\1\0\0", 4);
		w.out += 4;
	}
	w.len = size - begin;
	/* without w.in the walk only reads the structs */
	err = walk_parts(&w, parts);
	assert(err || w.at <= w.len);
	return err ? err : (long)(begin + w.at);
}

long message_size(enum message_kind kind, enum message_format format,
		  const union message *msg)
{
	return message_write(kind, format, msg, NULL, LONG_MAX);
}

long message_write(enum message_kind kind, enum message_format format,
		   const union message *msg, void *data, size_t size)
{
	const struct part parts[2] = {
		{ message_fields[kind], (union message *)msg },
	};

	return message_walk_out(parts, format, data, size);
}

struct message_header *message_header_of(enum message_kind kind,
					 union message *msg)
{
	return message_fields[kind]->op == STRUCT ? &msg->image.header : NULL;
}

bool message_next_transform(struct message_list *rest,
			    struct message_transform *transform)
{
	return next_element(rest, message_transform_fields, sizeof(*transform),
			    transform);
}

bool message_next_pose(struct message_list *rest,
		       struct message_pose_stamped *pose)
{
	return next_element(rest, message_pose_fields, sizeof(*pose), pose);
}

bool message_next_point(struct message_list *rest,
			struct message_point32 *point)
{
	return next_element(rest, message_point_fields, sizeof(*point), point);
}

bool message_next_edge(struct message_list *rest,
		       struct message_graph_edge *edge)
{
	return next_element(rest, message_edge_fields, sizeof(*edge), edge);
}

bool message_string_is(const struct message_string *s, const char *text)
{
	return s->len == strlen(text) && !memcmp(s->text, text, s->len);
}

float message_float(const struct message_floats *f, uint32_t i)
{
	float v;

	assert(i < f->count);
	copy_number(&v, f->data + (size_t)i * 4, 4, f->big_endian);
	return v;
}

double message_double(const struct message_doubles *f, uint32_t i)
{
	double v;

	assert(i < f->count);
	copy_number(&v, f->data + (size_t)i * 8, 8, f->big_endian);
	return v;
}
