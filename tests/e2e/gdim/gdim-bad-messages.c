// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdim-bad-messages - messages and requests that are wrong in one way each
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gdim-bad.h"

static const char *what_is;

static bool is(const char *what)
{
	return !strcmp(what, what_is);
}

static double either(const char *what, double odd, double usual)
{
	return is(what) ? odd : usual;
}

static int64_t stamp(void)
{
	struct timespec t;
	int64_t now;

	clock_gettime(CLOCK_REALTIME, &t);
	now = t.tv_sec * 1000000000LL + t.tv_nsec;
	return is("stamp-past") ? -5000000000LL :
	       is("stamp-old") ? 1000000000LL :
	       is("stamp-future") ? now + 86400 * 1000000000LL : now;
}

/* One that is usual, or as @what_is says if that begins with @prefix */
static struct message_string text(struct bad_message *b, const char *prefix,
				  const char *usual)
{
	const size_t n = strlen(prefix);

	if (strncmp(what_is, prefix, n))
		return message_string(usual);
	if (!strcmp(what_is + n, "-long")) {
		memset(b->text, 'x', 300);
		return (struct message_string){ b->text, 300 };
	}
	return message_string(!strcmp(what_is + n, "-empty") ? "" :
			      !strcmp(what_is + n, "-latin1") ? "K\xfc" :
			      !strcmp(what_is + n, "-line") ? "a\nb" :
			      !strcmp(what_is + n, "-map") ? "map" :
			      !strcmp(what_is + n, "-odom") ? "odom" : usual);
}

static struct message_header header(struct bad_message *b, const char *frame)
{
	return (struct message_header){ stamp(), 0, text(b, "frame", frame) };
}

static struct message_pose pose(double x, double y)
{
	return (struct message_pose){
		{ is("x-nan") ? NAN : is("x-inf") ? INFINITY :
		  is("x-far") ? 1e7 : x, either("y-nan", NAN, y),
		  either("z-nan", NAN, 0) },
		{ 0, 0, either("turn-nan", NAN, 0), either("turn-long", 5, 1) },
	};
}

static double resolution(void)
{
	return is("cell-nan") ? NAN : is("cell-0") ? 0 :
	       is("cell-minus") ? -0.05 : is("cell-inf") ? INFINITY :
	       is("cell-big") ? 1e9 : 0.05;
}

static void make_map(struct bad_message *b, const char *frame)
{
	unsigned int w = BAD_SIDE, h = BAD_SIDE, n = w * h;

	if (is("width-0") || is("size-0"))
		w = 0;
	if (is("height-0") || is("size-0"))
		h = 0;
	if (is("size-minus"))
		w = h = -200;
	if (is("size-max"))
		w = h = UINT32_MAX;
	if (is("says-huge") || is("huge"))
		w = h = 10000;
	n = is("huge") ? w * h : is("few") ? n - 1 : is("many") ? n + 1 :
	    is("none") ? 0 : n;
	b->cells = malloc(n + 1);
	for (unsigned int i = 0; i < n; i++)
		b->cells[i] = i % 101;
	if (is("cells-101"))
		b->cells[7] = 101;
	if (is("cells-minus"))
		b->cells[7] = b->cells[9] = -2;
	b->kind = MESSAGE_OCCUPANCY_GRID;
	b->m.map = (struct message_occupancy_grid){
		.header = header(b, frame), .resolution = resolution(),
		.width = w, .height = h, .origin = pose(-0.5, -0.5),
		.data = { b->cells, n },
	};
}

/* Two layers, which become two maps */
static void make_grid(struct bad_message *b)
{
	const unsigned int n = BAD_SIDE * BAD_SIDE;
	struct message_grid_map *m = &b->m.grid;

	b->kind = MESSAGE_GRID_MAP;
	for (unsigned int i = 0; i < n; i++)
		b->floats[i] = i % 101 / 100.0f;
	*m = (struct message_grid_map){
		.header = header(b, "submap_0"), .resolution = resolution(),
		.length_x = 1, .length_y = 1, .pose = pose(0, 0),
		.layers = is("layers-few") ? 1 : is("layers-many") ? 3 :
			  is("layers-none") ? 0 : 2,
		.arrays = is("arrays-none") || is("layers-none") ? 0 : 2,
		.layer = { message_string("a"), text(b, "layer", "b"),
			   message_string("c") },
		.outer_start_index = is("start-far") ? 999 : 0,
	};
	if (is("layer-twice"))
		m->layer[1] = message_string("a");
	if (is("layer-words"))
		m->layer[1] = message_string("a b=c");
	if (is("layer-full")) {
		memset(b->text, 'x', 60);
		m->layer[1] = (struct message_string){ b->text, 60 };
	}
	for (unsigned int i = 0; i < m->arrays; i++)
		m->data[i] = (struct message_array){
			.dims = i && is("dims-1") ? 1 : 2,
			.dim = { { message_string("column_index"), BAD_SIDE,
				   n },
				 { message_string("row_index"), BAD_SIDE,
				   BAD_SIDE } },
			.data = { (const void *)b->floats, n, false },
		};
	if (is("dims-label"))
		m->data[1].dim[0].label = message_string("x");
	if (is("few"))
		m->data[1].data.count--;
	if (is("mismatch")) {
		m->data[1].dim[0].size = 10;
		m->data[1].dim[1].size = 10;
		m->data[1].data.count = 100;
	}
	for (unsigned int i = 0; i < 2 && is("says-huge"); i++) {
		m->data[i].dim[0].size = 10000;
		m->data[i].dim[1].size = 10000;
	}
}

/* Of one or two; "unknown" is fine, but leads nowhere */
static void make_transform(struct bad_message *b)
{
	const struct message_pose p = pose(1, 0);
	struct message_transform *t = b->transform;
	unsigned int n = is("second-nan") || is("circle") ? 2 : 1;

	b->kind = MESSAGE_TRANSFORMS;
	t[0] = (struct message_transform){
		.header = { stamp(), 0, text(b, "parent", "map") },
		.child_frame_id = text(b, "child", "submap_0"),
		.rotation = { 0, 0, p.orientation[2], p.orientation[3] },
	};
	memcpy(t[0].translation, p.position, sizeof(p.position));
	if (is("good"))
		t[0].translation[0] = 0;
	if (is("unknown")) {
		t[0].header.frame_id = message_string("nowhere");
		t[0].child_frame_id = message_string("submap_9");
	}
	if (is("itself"))
		t[0].header.frame_id = message_string("submap_0");
	t[1] = t[0];
	if (is("second-nan")) {
		t[1].child_frame_id = message_string("submap_1");
		t[1].translation[0] = NAN;
	}
	if (is("circle")) {
		t[0].header.frame_id = message_string("submap_1");
		t[1].header.frame_id = message_string("submap_0");
		t[1].child_frame_id = message_string("submap_1");
	}
	b->m.tf.transforms = message_list(t, n);
}

static struct message_list points(struct bad_message *b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		b->point[i] = (struct message_point32){ i % 3, i / 3 % 3, 0 };
	if (is("point-nan"))
		b->point[2].y = NAN;
	return message_list(b->point, n);
}

static void make_room(struct bad_message *b)
{
	const struct message_pose p = pose(1, 1);

	b->kind = MESSAGE_ROOM;
	b->m.room = (struct message_room){
		.header = header(b, "map"), .id = 7,
		.name = text(b, "name", "hall"),
		.location = { p.position[0], p.position[1], p.position[2] },
		.size = is("size-nan") ? NAN : is("size-minus") ? -1 :
			is("size-inf") ? INFINITY : 4,
		.outline = points(b, is("points-many") ? 65 : 4),
		.averages_valid = 1,
		.avg_temperature = either("hot", INFINITY, 20),
		.avg_gases = { (const void *)b->floats, is("gases-many") ? 17 :
			       1, false },
		.avg_smoke = is("smoke-101") ? 101 : 5, .avg_signal = -1,
		.max_hazard = is("hazard-minus") ? -2 : -1,
	};
	b->floats[0] = either("gas-inf", INFINITY, 0.5);
}

static void make_repeaters(struct bad_message *b)
{
	b->kind = MESSAGE_POLYGON;
	b->m.polygon = (struct message_polygon){
		header(b, "map"), points(b, is("points-many") ? BAD_POINTS : 3)
	};
}

static void make_image(struct bad_message *b)
{
	static const uint8_t pixel[12] = { 1 };

	b->kind = MESSAGE_IMAGE;
	b->m.image = (struct message_image){
		header(b, "camera"), is("size-max") ? UINT32_MAX : 2,
		is("width-0") ? 0 : 2, message_string("rgb8"), 0, 6,
		{ pixel, is("few") ? 11 : 12 },
	};
}

bool bad_make(struct bad_message *b, const char *topic, const char *what)
{
	memset(b, 0, sizeof(*b));
	what_is = what;
	if (!strcmp(topic, "slam_submap") || !strcmp(topic, "foo_submap") ||
	    is("as-grid"))
		make_map(b, "submap_0");
	else if (!strcmp(topic, "hazard_map"))
		make_map(b, "map");
	else if (!strncmp(topic, "gas_", 4))
		make_grid(b);
	else if (!strcmp(topic, "submap_transform"))
		make_transform(b);
	else if (!strcmp(topic, "room_information"))
		make_room(b);
	else if (!strcmp(topic, "thermal_image"))
		make_image(b);
	else if (!strcmp(topic, "rooms"))
		b->kind = MESSAGE_UINT8;
	else if (!strcmp(topic, "repeater_map"))
		make_repeaters(b);
	else
		return false;
	return true;
}

void bad_free(struct bad_message *b)
{
	free(b->cells);
}

long bad_spoil(const char *what, uint8_t *data, long len)
{
	if (!strcmp(what, "cut"))
		return len / 2 / 4 * 4;
	if (!strcmp(what, "nothing"))
		return 4;
	/* big-endian, it says */
	if (!strcmp(what, "other-end"))
		data[1] = 0;
	/* the length of the frame's name, behind the stamp */
	if (!strcmp(what, "string"))
		memset(data + 12, 0xff, 4);
	return len;
}

bool bad_is_unread(const char *topic, enum message_kind kind)
{
	return strstr(topic, "foo") || (strstr(topic, "/gas_") &&
					kind == MESSAGE_OCCUPANCY_GRID);
}

int bad_request(union service_request *q, const char *service,
		const char *what)
{
	memset(q, 0, sizeof(*q));
	what_is = what;
	if (!strcmp(service, "room_information")) {
		q->room.room = atoi(what);
		return SERVICE_ROOM_INFORMATION;
	}
	if (!strcmp(service, "spot_information")) {
		q->spot.location.x = atof(what);
		return SERVICE_SPOT_INFORMATION;
	}
	if (!strcmp(service, "pub_rate")) {
		q->pub_rate.topic = message_string(is("topic") ?
						   "foo" : "slam_map");
		q->pub_rate.rate = is("topic") ? 1 : atof(what);
		return SERVICE_PUB_RATE;
	}
	if (!strcmp(service, "snapshot")) {
		q->snapshot.name = message_string(what);
		return SERVICE_SNAPSHOT;
	}
	if (!strcmp(service, "logging")) {
		q->logging.enable = 1;
		q->logging.rate = atof(what);
		return SERVICE_LOGGING;
	}
	return -1;
}
