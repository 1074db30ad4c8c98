/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * odd_first.h - a message of any type, as the first one of a topic may be
 *
 * Made of a fuzzer's bytes: a usual message of the type, of which some fields
 * are then changed, whatever they are (message_fields.h), and some bytes. Most
 * of them can be read, so that they reach what works with them. Links with
 * ros/msg.
 */
#ifndef FUZZ_ODD_FIRST_H
#define FUZZ_ODD_FIRST_H

#include <stdbool.h>
#include <stdlib.h>
#include "codec/cloud/cloud.h"
#include "odd.h"
#include "ros/msg/compressed.h"
#include "ros/msg/message.h"
#include "ros/msg/message_fields.h"

enum {
	FIRST_BYTES	= 1 << 16,	/* of pixels, points and cells */
	FIRST_LIST	= 8,
	FIRST_TEXT	= 64,
	FIRST_TEXTS	= 64,
	FIRST_CHANGES	= 4,
	FIRST_SIDE	= 24,
};

/**
 * struct first - a serialized message
 * @data:	@len bytes, of malloc(), as long as they are: reads beyond them
 *		are found. Until the next one
 */
struct first {
	enum message_kind	kind;
	enum message_format	format;
	uint8_t			*data;
	size_t			len;
};

/* What the message points to before it is serialized */
struct first_room {
	union message			m;
	uint8_t				bytes[FIRST_BYTES];
	double				doubles[FIRST_BYTES / 8];
	char				text[FIRST_TEXTS][FIRST_TEXT];
	unsigned int			texts, fields;
	struct message_transform	transform[FIRST_LIST];
	struct message_pose_stamped	pose[FIRST_LIST];
	struct message_point32		point[FIRST_LIST];
	struct compressed_buffer	file;
};

static struct first_room first_room;

static const char *const first_words[] = {
	"", "x", "y", "z", "intensity", "ring", "time", "rgb", "map", "odom",
	"base", "laser", "a", "/", "value", "column_index", "row_index",
	"mono8", "rgb8", "bgr8", "rgba8", "mono16", "16UC1", "32FC1", "64FC1",
	"16SC1", "mono1", "8UC2", "bayer_rggb8", "yuv422", "nv12", "i420",
	"jpeg", "png", "bgr8; jpeg compressed bgr8", "h264",
	"16UC1; compressedDepth png", "32FC1; compressedDepth png",
	"32FC1; compressedDepth rvl", "plumb_bob",
};

static struct message_string first_text(struct odd *o)
{
	struct first_room *r = &first_room;
	struct message_string s;

	s.text = odd_text(o, first_words,
			  sizeof(first_words) / sizeof(*first_words),
			  r->text[r->texts++ % FIRST_TEXTS], FIRST_TEXT,
			  &s.len);
	return s;
}

static struct message_header first_header(struct odd *o)
{
	static const char *const frames[] = { "base", "laser", "map", "odom" };

	return (struct message_header){
		1700000000000000000 + odd_byte(o), 0,
		message_string(frames[odd_byte(o) % 4]),
	};
}

static struct message_pose first_pose(struct odd *o)
{
	return (struct message_pose){
		{ odd_byte(o) / 16., odd_byte(o) / 16., 0 }, { 0, 0, 0, 1 },
	};
}

/*
 * Usual messages
 */

static void first_image(struct odd *o, struct message_image *m)
{
	static const struct {
		const char	*name;
		unsigned int	pixel;
	} usual[] = {
		{ "mono8", 1 }, { "rgb8", 3 }, { "bgra8", 4 }, { "mono16", 2 },
		{ "16UC1", 2 }, { "32FC1", 4 }, { "64FC1", 8 }, { "16SC1", 2 },
		{ "8UC2", 2 }, { "rgb16", 6 }, { "bayer_rggb8", 1 },
		{ "bayer_grbg16", 2 }, { "yuv422", 2 }, { "nv12", 2 },
		{ "i420", 2 }, { "mono1", 1 },
	};
	const unsigned int e = odd_byte(o) % 16;
	const bool gaps = odd_byte(o) > 200;

	*m = (struct message_image){
		.header = first_header(o),
		.height = 2 * (odd_byte(o) % FIRST_SIDE),
		.width = 2 * (odd_byte(o) % FIRST_SIDE),
		.encoding = message_string(usual[e].name),
		.is_bigendian = odd_byte(o) > 240,
	};
	m->step = m->width * usual[e].pixel + (gaps ? 5 : 0);
	m->data = (struct message_bytes){ first_room.bytes,
					  m->step * m->height };
}

/* A file of a small picture */
static void first_compressed(struct odd *o, struct message_compressed_image *m)
{
	static const char *const formats[] = {
		"jpeg", "bgr8; jpeg compressed bgr8", "png",
		"16UC1; compressedDepth png", "32FC1; compressedDepth png",
		"h264", "mono16; png compressed ",
	};
	const unsigned int f = odd_byte(o) % 7;
	const bool deep = f == 3 || f == 4 || f == 6;
	struct image i = {
		.width = odd_byte(o) % FIRST_SIDE + 1,
		.height = odd_byte(o) % FIRST_SIDE + 1,
		.channels = deep ? 1 : 3, .depth = deep ? 16 : 8,
		.data = first_room.bytes,
	};
	const struct message_string format = message_string(formats[f]);

	i.stride = (size_t)i.width * image_pixel(&i);
	*m = (struct message_compressed_image){ .header = first_header(o) };
	if (compressed_write(&i, &format, 80, &first_room.file, m)) {
		m->format = format;
		m->data = (struct message_bytes){ first_room.bytes, 200 };
	}
	if (odd_byte(o) > 250)
		m->data.count = odd_byte(o) % (m->data.count + 1);
}

static void first_cloud(struct odd *o, struct message_point_cloud *m)
{
	static const char *const names[] = { "x", "y", "z", "intensity",
					     "ring", "time" };
	const uint8_t b = odd_byte(o);

	*m = (struct message_point_cloud){
		.header = first_header(o), .height = b & 15 ? 1 : b >> 4,
		.width = odd_byte(o) & 3 ? odd_byte(o) * 4 : 0,
		.fields = b & 2 ? 3 + odd_byte(o) % 4 : 3, .is_dense = 1,
	};
	for (unsigned int i = 0; i < m->fields; i++)
		m->field[i] = (struct message_point_field){
			message_string(names[i]), 4 * i,
			i == 4 ? CLOUD_UINT16 : CLOUD_FLOAT32, 1,
		};
	m->point_step = 4 * m->fields;
	m->row_step = m->width * m->point_step;
	m->data = (struct message_bytes){ first_room.bytes,
					  m->row_step * m->height };
	if (m->data.count > FIRST_BYTES)
		m->height = m->width = m->row_step = m->data.count = 0;
}

static struct message_floats first_floats(uint32_t n)
{
	return (struct message_floats){ first_room.bytes, n, false };
}

static void first_scan(struct odd *o, struct message_laser_scan *m)
{
	const unsigned int n = odd_byte(o) * 3;

	*m = (struct message_laser_scan){
		.header = first_header(o), .angle_min = -2, .angle_max = 2,
		.angle_increment = n > 1 ? 4.f / (n - 1) : 0, .range_min = 0.1,
		.range_max = 30, .ranges = first_floats(n),
		.intensities = first_floats(odd_byte(o) & 1 ? n : 0),
	};
}

static void first_map(struct odd *o, struct message_occupancy_grid *m)
{
	*m = (struct message_occupancy_grid){
		.header = first_header(o), .resolution = 0.05,
		.width = odd_byte(o) % 100, .height = odd_byte(o) % 100,
		.origin = first_pose(o),
	};
	m->data = (struct message_bytes){ first_room.bytes,
					  m->width * m->height };
}

static void first_grid(struct odd *o, struct message_grid_map *m)
{
	static const char *const names[] = { "value", "a", "b", "c" };
	const unsigned int rows = odd_byte(o) % 40, columns = odd_byte(o) % 40;
	const unsigned int n = odd_byte(o) % 4;

	*m = (struct message_grid_map){
		.header = first_header(o), .resolution = 0.05,
		.length_x = rows * 0.05, .length_y = columns * 0.05,
		.pose = first_pose(o), .layers = n, .basic_layers = n & 1,
		.arrays = n,
	};
	m->basic_layer[0] = message_string("value");
	for (unsigned int i = 0; i < n; i++) {
		m->layer[i] = message_string(names[i]);
		m->data[i] = (struct message_array){
			.dims = 2,
			.dim = { { message_string("column_index"), columns,
				   rows * columns },
				 { message_string("row_index"), rows, rows } },
			.data = first_floats(rows * columns),
		};
	}
}

static void first_list(struct odd *o, union message *m, enum message_kind kind)
{
	struct first_room *r = &first_room;
	const unsigned int n = odd_byte(o) % (FIRST_LIST + 1);

	for (unsigned int i = 0; i < n; i++) {
		r->transform[i] = (struct message_transform){
			first_header(o), first_text(o), { i, 0, 0 },
			{ 0, 0, 0, 1 } };
		r->pose[i] = (struct message_pose_stamped){ first_header(o),
							    first_pose(o) };
		r->point[i] = (struct message_point32){ i, odd_byte(o), 0 };
	}
	if (kind == MESSAGE_TRANSFORMS)
		m->tf.transforms = message_list(r->transform, n);
	else if (kind == MESSAGE_PATH)
		m->path.poses = message_list(r->pose, n);
	else if (kind == MESSAGE_POLYGON)
		m->polygon.points = message_list(r->point, n);
	else
		m->room.outline = message_list(r->point, n);
}

static void first_usual(struct odd *o, enum message_kind kind,
			union message *m)
{
	struct message_header *h;

	memset(m, 0, sizeof(*m));
	h = message_header_of(kind, m);
	if (h)
		*h = first_header(o);
	switch ((int)kind) {
	case MESSAGE_IMAGE:
		first_image(o, &m->image);
		break;
	case MESSAGE_COMPRESSED_IMAGE:
		first_compressed(o, &m->compressed);
		break;
	case MESSAGE_POINT_CLOUD:
		first_cloud(o, &m->cloud);
		break;
	case MESSAGE_LASER_SCAN:
		first_scan(o, &m->scan);
		break;
	case MESSAGE_OCCUPANCY_GRID:
		first_map(o, &m->map);
		break;
	case MESSAGE_GRID_MAP:
		first_grid(o, &m->grid);
		break;
	case MESSAGE_ODOMETRY:
		m->odometry.child_frame_id = message_string("base");
		m->odometry.pose = first_pose(o);
		break;
	case MESSAGE_TRANSFORMS:
	case MESSAGE_PATH:
	case MESSAGE_POLYGON:
	case MESSAGE_ROOM:
		first_list(o, m, kind);
		break;
	}
}

/*
 * Changes
 */

static uint32_t first_count(struct odd *o, uint32_t now, uint32_t most)
{
	const int64_t n = odd_byte(o) & 1 ? odd_whole(o, now ? now - 1 : 1) :
			  odd_byte(o) & 1 ? 0 : now / 2 + odd_byte(o) % 3;

	return n < 0 || n > most ? most : n;
}

static void first_number(struct odd *o, const struct field *f, void *at)
{
	/* one of several, and not what it was */
	const unsigned int i = odd_byte(o) % f->count;
	const int64_t n = odd_byte(o) & 1 ? odd_byte(o) % 4 :
			  odd_whole(o, odd_byte(o) << 8);
	const double usual = odd_byte(o) * (double)n;
	const double v = odd_byte(o) & 1 ? NAN : odd_double(o, usual);

	switch (f->op) {
	case U8:
		((uint8_t *)at)[i] = n;
		break;
	case U16:
		((uint16_t *)at)[i] = n;
		break;
	case U32:
	case SEQ:
		((uint32_t *)at)[i] = n;
		break;
	case U64:
	case TIME:
		((int64_t *)at)[i] = n;
		break;
	case F32:
		((float *)at)[i] = v > FLT_MAX ? INFINITY :
				   v < -FLT_MAX ? -INFINITY : v;
		break;
	default:
		((double *)at)[i] = v;
	}
}

static void first_change_at(struct odd *o, const struct field *f, void *base)
{
	void *at = (char *)base + f->offset;
	uint32_t *count = at;

	switch (f->op) {
	case STRING:
		*(struct message_string *)at = first_text(o);
		break;
	case BYTES:
		count = &((struct message_bytes *)at)->count;
		*(struct message_bytes *)at = (struct message_bytes){
			first_room.bytes, first_count(o, *count, FIRST_BYTES) };
		break;
	case FLOATS:
		count = &((struct message_floats *)at)->count;
		*(struct message_floats *)at = first_floats(
			first_count(o, *count, FIRST_BYTES / 4));
		break;
	case DOUBLES:
		count = &((struct message_doubles *)at)->count;
		*(struct message_doubles *)at = (struct message_doubles){
			first_room.bytes,
			first_count(o, *count, FIRST_BYTES / 8), false };
		break;
	case LIST:
		count = (uint32_t *)((char *)base + f->counter);
		*count = first_count(o, *count, f->count);
		break;
	case SEQUENCE:
		count = &((struct message_list *)at)->count;
		*count = first_count(o, *count, ((struct message_list *)at)->
				     items ? FIRST_LIST : 0);
		break;
	default:
		first_number(o, f, at);
	}
}

/* Counts the fields, and changes number *@which */
static void first_walk(struct odd *o, const struct field *f, void *base,
		       unsigned int *which)
{
	for (; f->op != END; f++) {
		uint32_t n;

		if (f->op == STRUCT) {
			first_walk(o, f->sub, (char *)base + f->offset, which);
			continue;
		}
		first_room.fields++;
		if (!(*which)--)
			first_change_at(o, f, base);
		if (f->op != LIST)
			continue;
		memcpy(&n, (char *)base + f->counter, sizeof(n));
		for (uint32_t i = 0; i < n && i < 4; i++)
			first_walk(o, f->sub,
				   (char *)base + f->offset + i * f->size,
				   which);
	}
}

static void first_change(struct odd *o, enum message_kind kind,
			 union message *m)
{
	unsigned int which = -1;

	first_room.fields = 0;
	first_walk(o, message_fields[kind], m, &which);
	which = odd_byte(o) % first_room.fields;
	first_walk(o, message_fields[kind], m, &which);
}

/* Pixels, ranges, cells: of many values, some of them odd */
static void first_fill(struct odd *o)
{
	struct first_room *r = &first_room;
	const unsigned int step = odd_byte(o);
	const bool floats = odd_byte(o) & 1;

	for (unsigned int i = 0; i < 4096; i++)
		r->bytes[i] = i * step / 7;
	for (unsigned int i = 0; floats && i < 1024; i++) {
		const float v = i % (step + 1) / 8.f;

		memcpy(r->bytes + 4 * i, &v, sizeof(v));
	}
	for (unsigned int i = odd_byte(o) % 8; i--; ) {
		const float v = odd_double(o, NAN) > FLT_MAX ? INFINITY : -1e9f;

		memcpy(r->bytes + 4 * odd_byte(o), &v, sizeof(v));
	}
}

/* Bytes of the message itself, or what is left of a cut one */
static void first_damage(struct odd *o, struct first *f)
{
	const uint8_t b = odd_byte(o);

	if (b < 180 || !f->len)
		return;
	for (unsigned int i = b % 4; i--; ) {
		const size_t at = odd_byte(o) | (size_t)odd_byte(o) << 8;

		f->data[at % f->len] = odd_byte(o);
	}
	if (b > 250)
		f->len = odd_byte(o) % f->len;
}

/**
 * first_message() - make one
 * @kinds: of the types up to this number
 *
 * Return: false: there are no bytes left.
 */
__attribute__((unused))
static bool first_message(struct odd *o, unsigned int kinds, struct first *f)
{
	struct first_room *r = &first_room;
	uint8_t *cut;
	long n;

	if (!odd_left(o))
		return false;
	f->kind = odd_byte(o) % kinds;
	f->format = odd_byte(o) > 200 ? MESSAGE_ROS1 : MESSAGE_CDR;
	r->texts = 0;
	first_fill(o);
	first_usual(o, f->kind, &r->m);
	for (unsigned int i = odd_byte(o) % (FIRST_CHANGES + 1); i--; )
		first_change(o, f->kind, &r->m);
	n = message_size(f->kind, f->format, &r->m);
	if (n < 0)
		return false;
	free(f->data);
	f->data = malloc(n ? n : 1);
	f->len = n;
	if (message_write(f->kind, f->format, &r->m, f->data, n) != n)
		abort();
	first_damage(o, f);
	cut = realloc(f->data, f->len ? f->len : 1);
	f->data = cut ? cut : f->data;
	return true;
}

#endif
