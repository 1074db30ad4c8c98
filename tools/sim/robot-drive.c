// SPDX-License-Identifier: GPL-2.0-only
/*
 * robot-drive - a recording of a robot in a building that burns
 *
 * usage: robot-drive PLAN.pgm FILE [ROOMS]
 *
 * It drives once around the corridor, on the way of tools/demo/building.py,
 * whose PLAN.pgm it reads, so a recording that repeats has no seam. All sensors
 * see the same building. Always the same bytes. ROOMS is a recording of the
 * building's rooms, for gdimd --from.
 *
 *	/camera/front, /camera/rear	CompressedImage, JPEG 320x240, 10 Hz
 *	/thermal	CompressedImage, PNG 160x120, mono16, 1/100 K, 10 Hz
 *	/scan		LaserScan, 270 degrees, 10 Hz
 *	/points		PointCloud2, 16 rings, 5 Hz
 *	/odom, /tf	as odometry has them, and the correction of SLAM, 10 Hz
 *	/tf_static	where the sensors are
 *	/diagnostics	1 Hz
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "codec/cloud/cloud.h"
#include "robot_camera.h"
#include "ros/bag/bag.h"
#include "ros/msg/compressed.h"

enum {
	HZ	= 10,
	BEAMS	= 361,
	RINGS	= 16,
	ROUND	= 240,		/* points of a ring */
	POINT	= 16,		/* bytes */
};

#define BEGIN	1700000000000000000LL
#define REACH	12.f		/* of the laser, m */
#define HEAD	.55f		/* height of the cameras, m */
#define LIDAR	.75f

enum topic { FRONT, REAR, THERMAL, SCAN, POINTS, ODOM, TF, TF_STATIC, HEALTH,
	     ROOM, TOPICS };

static const struct {
	const char		*name;
	enum message_kind	kind;
} topics[TOPICS] = {
	[FRONT]		= { "/camera/front", MESSAGE_COMPRESSED_IMAGE },
	[REAR]		= { "/camera/rear", MESSAGE_COMPRESSED_IMAGE },
	[THERMAL]	= { "/thermal", MESSAGE_COMPRESSED_IMAGE },
	[SCAN]		= { "/scan", MESSAGE_LASER_SCAN },
	[POINTS]	= { "/points", MESSAGE_POINT_CLOUD },
	[ODOM]		= { "/odom", MESSAGE_ODOMETRY },
	[TF]		= { "/tf", MESSAGE_TRANSFORMS },
	[TF_STATIC]	= { "/tf_static", MESSAGE_TRANSFORMS },
	[HEALTH]	= { "/diagnostics", MESSAGE_DIAGNOSTICS },
	[ROOM]		= { "/gdim/input/room_information", MESSAGE_ROOM },
};

/**
 * struct drive
 * @at:		where the robot is
 * @odom:	where it is by odometry
 */
struct drive {
	struct world		world;
	struct bag_writer	*bag;
	int			topic[TOPICS];
	int64_t			stamp;
	float			t, seconds;
	struct pose		at, odom;
	double			speed, turn;
	uint64_t		seed;
	struct compressed_buffer packed;
	uint8_t			pixels[320 * 240 * 3];
	float			range[BEAMS];
	uint8_t			points[RINGS * ROUND * POINT];
};

/* Sum of uniform ones: nearly normal, of standard deviation 1 */
static float noise(struct drive *d)
{
	float sum = 0;

	for (unsigned int i = 0; i < 4; i++) {
		d->seed = d->seed * 6364136223846793005ULL +
			  1442695040888963407ULL;
		sum += (d->seed >> 40) * 0x1p-24f - .5f;
	}
	return sum * 1.73f;
}

static int put(struct drive *d, enum topic topic, const union message *m)
{
	const enum message_kind kind = topics[topic].kind;
	const long len = message_size(kind, MESSAGE_CDR, m);
	uint8_t *data = len > 0 ? malloc(len) : NULL;
	int err;

	if (!data)
		return -ENOMEM;
	message_write(kind, MESSAGE_CDR, m, data, len);
	err = bag_write(d->bag, d->topic[topic], d->stamp, data, len);
	free(data);
	return err;
}

static struct message_header header(const struct drive *d, const char *frame)
{
	return (struct message_header){
		.stamp = d->stamp, .frame_id = message_string(frame),
	};
}

static void yaw_quaternion(double yaw, double q[4])
{
	q[0] = q[1] = 0;
	q[2] = sin(yaw / 2);
	q[3] = cos(yaw / 2);
}

/*
 * The way: a rectangle with round corners
 */

#define CORNER	.9f

static struct pose on_way(double s)
{
	static const double x[2] = { 6.2, 22 }, y[2] = { 6.2, 14 };
	const double arc = CORNER * M_PI / 2;

	for (unsigned int side = 0; ; side = (side + 1) % 4) {
		const bool up = side & 1;
		const double length = (up ? y[1] - y[0] : x[1] - x[0]) -
				      2 * CORNER;
		const double yaw = side * M_PI / 2;
		const struct pose begin = {
			x[side == 1 || side == 2] + (side == 0 ? CORNER :
						     side == 2 ? -CORNER : 0),
			y[side > 1] + (side == 1 ? CORNER :
				       side == 3 ? -CORNER : 0), yaw };
		struct pose step = { s, 0, 0 };

		if (s < length)
			return pose_compose(&begin, &step);
		s -= length;
		if (s < arc) {
			const double a = s / CORNER;

			step = (struct pose){ length + CORNER * sin(a),
					      CORNER * (1 - cos(a)), a };
			return pose_compose(&begin, &step);
		}
		s -= arc;
	}
}

static double way_length(void)
{
	return 2 * (15.8 + 7.8) - 8 * CORNER + 2 * M_PI * CORNER;
}

/* The next place; odometry drifts, and is right again at the end */
static void move(struct drive *d, unsigned int n)
{
	const double part = n / (d->seconds * HZ);
	const double wiggle = .06 * sin(2 * M_PI * 9 * part);
	const double drift = sin(M_PI * part);
	const struct pose was = d->at, side = { 0, .8 * wiggle, wiggle };
	const struct pose wrong = { .7 * drift, -.4 * drift, .1 * drift };
	struct pose step;

	d->at = on_way(part * way_length());
	d->at = pose_compose(&d->at, &side);
	d->odom = pose_compose(&wrong, &d->at);
	if (!n)
		return;
	step = pose_between(&was, &d->at);
	d->speed = hypot(step.x, step.y) * HZ;
	d->turn = step.yaw * HZ;
}

/*
 * Sensors
 */

static struct robot_camera camera_of(const struct drive *d, double x,
				     double yaw, float view)
{
	const struct pose mount = { x, 0, yaw };

	return (struct robot_camera){ pose_compose(&d->at, &mount), HEAD, view,
				      d->t };
}

static int put_image(struct drive *d, enum topic topic, const char *frame,
		     const struct image *image, const char *format)
{
	const struct message_string f = message_string(format);
	union message m = { .compressed.header = header(d, frame) };
	int err;

	d->packed.len = 0;
	err = compressed_write(image, &f, 80, &d->packed, &m.compressed);
	return err ? err : put(d, topic, &m);
}

static int put_cameras(struct drive *d)
{
	struct image see = { 320, 240, 3, 8, 960, d->pixels };
	struct image feel = { 160, 120, 1, 16, 320, d->pixels };
	struct robot_camera c = camera_of(d, .25, 0, 1.35f);
	int err;

	robot_camera_see(&d->world, &c, &see);
	err = put_image(d, FRONT, "camera_front", &see,
			"rgb8; jpeg compressed bgr8");
	if (err)
		return err;
	c = camera_of(d, -.25, M_PI, 1.35f);
	robot_camera_see(&d->world, &c, &see);
	err = put_image(d, REAR, "camera_rear", &see,
			"rgb8; jpeg compressed bgr8");
	if (err)
		return err;
	c = camera_of(d, .25, 0, 1.f);
	robot_camera_feel(&d->world, &c, &feel);
	return put_image(d, THERMAL, "thermal", &feel,
			 "mono16; png compressed mono16");
}

static int put_scan(struct drive *d)
{
	const struct pose mount = { .2, 0, 0 };
	const struct pose at = pose_compose(&d->at, &mount);
	const float first = -.75f * M_PI, step = 1.5f * M_PI / (BEAMS - 1);
	union message m = { .scan = {
		header(d, "laser"), first, -first, step, 0, 1.f / HZ, .05f,
		REACH, { (uint8_t *)d->range, BEAMS, false }, { 0 },
	} };

	for (unsigned int i = 0; i < BEAMS; i++) {
		const float a = at.yaw + first + i * step;
		struct world_ray ray;

		world_cast(&d->world, at.x, at.y, cosf(a), sinf(a), &ray);
		d->range[i] = ray.layer[ray.layers - 1].from +
			      .01f * noise(d);
		if (d->range[i] > REACH)
			d->range[i] = INFINITY;
	}
	return put(d, SCAN, &m);
}

static void put_point(uint8_t *to, const float v[4])
{
	memcpy(to, v, POINT);
}

static int put_points(struct drive *d)
{
	union message m = { .cloud = {
		.header = header(d, "velodyne"), .height = 1, .fields = 4,
		.field = {
			{ message_string("x"), 0, CLOUD_FLOAT32, 1 },
			{ message_string("y"), 4, CLOUD_FLOAT32, 1 },
			{ message_string("z"), 8, CLOUD_FLOAT32, 1 },
			{ message_string("intensity"), 12, CLOUD_FLOAT32, 1 },
		},
		.point_step = POINT, .is_dense = 1,
	} };
	unsigned int n = 0;

	for (unsigned int i = 0; i < ROUND; i++) {
		const float a = 2 * (float)M_PI * i / ROUND;
		const float dx = cosf(d->at.yaw + a), dy = sinf(d->at.yaw + a);
		struct world_ray ray;

		world_cast(&d->world, d->at.x, d->at.y, dx, dy, &ray);
		for (unsigned int k = 0; k < RINGS; k++) {
			const float slope = tanf((-15 + 2 * (int)k) *
						 (float)M_PI / 180);
			const struct world_hit h = world_end(&ray, d->at.x,
				d->at.y, LIDAR, dx, dy, slope);
			const float r = h.d + .012f * noise(d);
			const float v[4] = {
				roundf(r * cosf(a) * 500) / 500,
				roundf(r * sinf(a) * 500) / 500,
				roundf(r * slope * 500) / 500,
				roundf(255 * robot_surface_light(&h)),
			};

			if (h.d < 30)
				put_point(d->points + POINT * n++, v);
		}
	}
	m.cloud.width = n;
	m.cloud.row_step = n * POINT;
	m.cloud.data = (struct message_bytes){ d->points, n * POINT };
	return put(d, POINTS, &m);
}

/*
 * The rest
 */

static struct message_transform transform(const struct drive *d,
					  const char *from, const char *to,
					  const struct pose *p, double z)
{
	struct message_transform t = {
		header(d, from), message_string(to), { p->x, p->y, z }, { 0 },
	};

	yaw_quaternion(p->yaw, t.rotation);
	return t;
}

static int put_odometry(struct drive *d)
{
	const struct pose back = pose_between(&d->odom, &(struct pose){ 0 });
	const struct pose fix = pose_compose(&d->at, &back);
	const struct message_transform list[] = {
		transform(d, "map", "odom", &fix, 0),
		transform(d, "odom", "base_link", &d->odom, 0),
	};
	union message tf = { .tf = { message_list(list, 2) } };
	union message m = { .odometry = {
		.header = header(d, "odom"),
		.child_frame_id = message_string("base_link"),
		.pose.position = { d->odom.x, d->odom.y, 0 },
		.twist = { { d->speed }, { 0, 0, d->turn } },
	} };
	int err;

	yaw_quaternion(d->odom.yaw, m.odometry.pose.orientation);
	err = put(d, TF, &tf);
	return err ? err : put(d, ODOM, &m);
}

static int put_sensors(struct drive *d)
{
	const struct message_transform list[] = {
		transform(d, "base_link", "laser", &(struct pose){ .2 }, .3),
		transform(d, "base_link", "velodyne", &(struct pose){ 0 },
			  LIDAR),
		transform(d, "base_link", "camera_front",
			  &(struct pose){ .25 }, HEAD),
		transform(d, "base_link", "camera_rear",
			  &(struct pose){ -.25, 0, M_PI }, HEAD),
		transform(d, "base_link", "thermal", &(struct pose){ .25 },
			  HEAD),
	};
	union message m = { .tf = { message_list(list, 5) } };

	return put(d, TF_STATIC, &m);
}

static int put_health(struct drive *d)
{
	const float fire = world_at(d->world.fire, d->at.x, d->at.y);
	const float air = 19 + 60 * fire +
			  30 * world_at(d->world.smoke, d->at.x, d->at.y);
	char volts[16], charge[16], degrees[16], rate[16];
	union message m = { .diagnostics = {
		.header = header(d, ""), .statuses = 3,
		.status = {
			{ .level = 0, .name = message_string("battery"),
			  .message = message_string("discharging"), .values = 2,
			  .value = { { message_string("voltage"), { 0 } },
				     { message_string("charge"), { 0 } } } },
			{ .level = air > 35, .name = message_string("housing"),
			  .message = message_string(air > 35 ? "hot" : "ok"),
			  .values = 1,
			  .value = { { message_string("temperature"),
				       { 0 } } } },
			{ .level = 0, .name = message_string("drive"),
			  .message = message_string("ok"), .values = 1,
			  .value = { { message_string("speed"),
				       { 0 } } } },
		},
	} };
	struct message_status *s = m.diagnostics.status;

	snprintf(volts, sizeof(volts), "%.1f V", 25.4 - .004 * d->t);
	snprintf(charge, sizeof(charge), "%.0f %%", 81 - .05 * d->t);
	snprintf(degrees, sizeof(degrees), "%.0f °C", air);
	snprintf(rate, sizeof(rate), "%.2f m/s", d->speed);
	s[0].value[0].value = message_string(volts);
	s[0].value[1].value = message_string(charge);
	s[1].value[0].value = message_string(degrees);
	s[2].value[0].value = message_string(rate);
	return put(d, HEALTH, &m);
}

static int step(struct drive *d, unsigned int n)
{
	int err = 0;

	d->t = (float)n / HZ;
	d->stamp = BEGIN + n * (1000000000LL / HZ);
	move(d, n);
	if (n % (5 * HZ) == 0)
		err = put_sensors(d);
	if (!err)
		err = put_odometry(d);
	if (!err)
		err = put_scan(d);
	if (!err && n % 2 == 0)
		err = put_points(d);
	if (!err && n % HZ == 0)
		err = put_health(d);
	return err ? err : put_cameras(d);
}

static int create(struct drive *d, const char *path, unsigned int first,
		  unsigned int end)
{
	int err;

	remove(path);
	err = bag_create(&d->bag, path, bag_format_of(path), true);
	for (unsigned int i = first; !err && i < end; i++) {
		const struct bag_topic t = {
			.name = topics[i].name,
			.type = message_type(topics[i].kind, MESSAGE_CDR),
			.format = MESSAGE_CDR, .latched = i == TF_STATIC,
		};

		d->topic[i] = bag_add_topic(d->bag, &t);
		if (d->topic[i] < 0)
			err = d->topic[i];
	}
	return err;
}

static int drive(struct drive *d, const char *path)
{
	int err = create(d, path, 0, ROOM);

	for (unsigned int n = 0; !err && n < d->seconds * HZ; n++)
		err = step(d, n);
	return err ? err : bag_finish(d->bag);
}

static const struct {
	const char	*name;
	float		x0, y0, x1, y1;
} rooms[] = {
	{ "store", 0, 0, 9.5f, 5 }, { "office 1", 9.5f, 0, 15, 5 },
	{ "kitchen", 15, 0, 17.5f, 5 }, { "workshop", 17.5f, 0, 28.1f, 5 },
	{ "office 2", 0, 5, 5, 10 }, { "office 3", 0, 10, 5, 15 },
	{ "archive", 0, 15, 11, 20.1f }, { "hall", 11, 15, 17, 20.1f },
	{ "office 4", 17, 15, 28.1f, 20.1f }, { "office 5", 23, 10, 28.1f, 15 },
	{ "plant", 23, 5, 28.1f, 10 }, { "lab 1", 7.2f, 7.2f, 12, 12.8f },
	{ "lab 2", 12, 7.2f, 18, 12.8f }, { "lift", 18, 7.2f, 20.8f, 12.8f },
};

enum { ROOMS = sizeof(rooms) / sizeof(*rooms) };

static int put_rooms(struct drive *d, const char *path)
{
	int err = create(d, path, ROOM, TOPICS);

	d->stamp = BEGIN;
	for (unsigned int i = 0; !err && i < ROOMS; i++) {
		const float x0 = rooms[i].x0, x1 = rooms[i].x1;
		const float y0 = rooms[i].y0, y1 = rooms[i].y1;
		const struct message_point32 outline[] = {
			{ x0, y0, 0 }, { x1, y0, 0 }, { x1, y1, 0 },
			{ x0, y1, 0 },
		};
		const union message m = { .room = {
			.header = header(d, "map"), .id = i + 1,
			.name = message_string(rooms[i].name),
			.location = { (x0 + x1) / 2, (y0 + y1) / 2, 0 },
			.size = (x1 - x0) * (y1 - y0),
			.outline = message_list(outline, 4),
		} };

		err = put(d, ROOM, &m);
	}
	return err ? err : bag_finish(d->bag);
}

int main(int argc, char **argv)
{
	static struct drive d = { .seed = 4, .seconds = 60 };
	int err;

	cli_program = "robot-drive";
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: robot-drive PLAN.pgm FILE [ROOMS]\n");
		return 2;
	}
	err = world_load(&d.world, argv[1]);
	if (err) {
		cli_error(err, "%s: %s", argv[1], strerror(-err));
		return 1;
	}
	err = drive(&d, argv[2]);
	if (!err && argc > 3)
		err = put_rooms(&d, argv[3]);
	if (err)
		cli_error(err, "%s: %s", argv[2], strerror(-err));
	return err ? 1 : 0;
}
