// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdim-feed - plays a SLAM: submaps, and transforms from each to the next
 *
 * usage: gdim-feed [-s SIDE] [-r RESOLUTION] [-l LAYER]... [-g GAS]... [-i HZ]
 *		    [-c CLOSURE.csv] [-w SECONDS] [-n ROOMS] [-a SECONDS]
 *		    [-oSG] CELLS.i8 POSES.csv SINK
 *
 * Each submap goes out as OccupancyGrid on /gdim/input/LAYER (slam_submap), and
 * as GridMap on /gdim/input/GAS, in a frame of its own, with the transform to
 * its predecessor. -c: at the end, all transforms again, from these poses. -o:
 * transforms before submaps. -S: and submaps with a stamp later than theirs, as
 * of a robot that stands still. -G: grid maps have two layers, CO, and H2 of
 * half as much where CO is half or more. -w: wait for readers first.
 * -a: stamps are so far ahead of the clock. Also a room, with
 * averages of what there is no map of, a repeater, the number of rooms (1) and
 * a thermal image. stderr has the number of messages.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "map/io/poses_file.h"
#include "ros/io/sink.h"

enum { LAYERS = 8 };

struct feed {
	struct loop		*loop;
	struct sink		*sink;
	unsigned int		side;
	double			resolution, hz, wait;
	const char		*layer[LAYERS], *gas[LAYERS];
	unsigned int		layers, gases;
	struct sink_topic	*layer_topic[LAYERS], *gas_topic[LAYERS];
	struct sink_topic	*tf, *room, *rooms, *repeaters, *image;
	bool			transforms_first, stands, two_gases;
	struct poses_file	poses, closure;
	int8_t			*cells;
	unsigned int		next, messages, rooms_told;
	struct loop_timer	timer;
	int64_t			stamp;
	long			ahead;	/* s */
};

static void publish(struct feed *f, struct sink_topic *t,
		    const union message *m)
{
	if (!sink_publish(t, f->stamp, m))
		f->messages++;
}

static const char *frame_of(unsigned int i)
{
	static char name[4][32];
	static unsigned int turn;

	turn = (turn + 1) % 4;
	snprintf(name[turn], sizeof(name[turn]), "submap_%u", i);
	return name[turn];
}

static void send_submap(struct feed *f, unsigned int i)
{
	const unsigned int n = f->side * f->side;
	const int8_t *cells = f->cells + (size_t)i * n;
	const double half = f->side * f->resolution / 2;
	union message m = { .map = {
		.header = { f->stamp, 0, message_string(frame_of(i)) },
		.resolution = f->resolution, .width = f->side,
		.height = f->side,
		.origin = { { -half, -half, 0 }, { 0, 0, 0, 1 } },
		.data = { (const uint8_t *)cells, n },
	} };

	for (unsigned int k = 0; k < f->layers; k++)
		publish(f, f->layer_topic[k], &m);
}

/* As grid_map has it: from the corner with the largest x and y on */
static void send_gas(struct feed *f, unsigned int i)
{
	const unsigned int side = f->side, n = side * side;
	const int8_t *cells = f->cells + (size_t)i * n;
	float *v = malloc(2 * n * sizeof(*v));
	union message m = { .grid = {
		.header = { f->stamp, 0, message_string(frame_of(i)) },
		.resolution = f->resolution,
		.length_x = side * f->resolution,
		.length_y = side * f->resolution,
		.pose = { { 0, 0, 0 }, { 0, 0, 0, 1 } },
		.layers = 1, .layer = { message_string("gas") }, .arrays = 1,
		.data = { { .dims = 2,
			.dim = { { message_string("column_index"), side, n },
				 { message_string("row_index"), side, side } },
			.data = { (const void *)v, n, false } } },
	} };

	for (unsigned int c = 0; v && c < side; c++)
		for (unsigned int r = 0; r < side; r++) {
			const int cell = cells[(side - 1 - c) * side +
					       side - 1 - r];

			v[c * side + r] = cell < 0 ? NAN : cell / 100.0f;
			v[n + c * side + r] = cell < 50 ? -1 : cell / 200.0f;
		}
	if (f->two_gases) {
		m.grid.layers = m.grid.arrays = 2;
		m.grid.layer[0] = message_string("CO");
		m.grid.layer[1] = message_string("H2");
		m.grid.data[1] = m.grid.data[0];
		m.grid.data[1].data.data = (const void *)(v + n);
	}
	for (unsigned int k = 0; v && k < f->gases; k++)
		publish(f, f->gas_topic[k], &m);
	free(v);
}

static struct message_transform transform(const struct feed *f,
					  const struct poses_file *p,
					  unsigned int i)
{
	const struct pose *to = &p->line[i].pose;
	const struct pose link = i ? pose_between(&p->line[i - 1].pose, to) :
				     *to;

	return (struct message_transform){
		.header = { f->stamp, 0, message_string(i ? frame_of(i - 1) :
							"map") },
		.child_frame_id = message_string(frame_of(i)),
		.translation = { link.x, link.y, 0 },
		.rotation = { 0, 0, sin(link.yaw / 2), cos(link.yaw / 2) },
	};
}

static void send_transform(struct feed *f, unsigned int i)
{
	const struct message_transform t = transform(f, &f->poses, i);
	const union message m = { .tf = { message_list(&t, 1) } };

	publish(f, f->tf, &m);
}

static void send_closure(struct feed *f)
{
	const unsigned int n = f->closure.count;
	struct message_transform *t = calloc(n, sizeof(*t));
	char (*name)[2][32] = calloc(n, sizeof(*name));
	union message m = { .tf = { message_list(t, n) } };

	for (unsigned int i = 0; t && name && i < n; i++) {
		t[i] = transform(f, &f->closure, i);
		snprintf(name[i][0], 32, "%s", i ? frame_of(i - 1) : "map");
		snprintf(name[i][1], 32, "%s", frame_of(i));
		t[i].header.frame_id = message_string(name[i][0]);
		t[i].child_frame_id = message_string(name[i][1]);
	}
	if (t && name && n)
		publish(f, f->tf, &m);
	free(name);
	free(t);
}

/* Things that are no submaps */
static void send_rest(struct feed *f)
{
	static const struct message_point32 outline[] = {
		{ 0, 0, 0 }, { 4, 0, 0 }, { 4, 3, 0 }, { 0, 3, 0 } };
	static const struct message_point32 point[] = { { 1, 2, 0 },
							{ -3, 4, 0 } };
	static const float gas[] = { 7 };
	static const uint8_t pixel[12] = { 255, 0, 0, 0, 255, 0 };
	const struct message_header h = { f->stamp, 0, message_string("map") };
	const union message room = { .room = {
		.header = h, .id = 3, .name = message_string("kitchen"),
		.location = { 2, 1.5, 0 }, .size = 12,
		.outline = message_list(outline, 4), .averages_valid = 1,
		.avg_temperature = NAN, .avg_smoke = -1, .avg_signal = 55,
		.max_hazard = 3, .avg_gases = { (const void *)gas, 1, false },
		.names = 1, .gas_name = { message_string("gas_B_map_1") },
	} };
	const union message rooms = { .uint8 = { f->rooms_told } };
	const union message repeaters = { .polygon = { h,
					message_list(point, 2) } };
	const union message image = { .image = { h, 2, 2,
		message_string("rgb8"), 0, 6, { pixel, 12 } } };

	publish(f, f->room, &room);
	publish(f, f->rooms, &rooms);
	publish(f, f->repeaters, &repeaters);
	publish(f, f->image, &image);
}

static void on_timer(void *arg, uint64_t now)
{
	struct feed *f = arg;
	const unsigned int i = f->next++;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	f->stamp = (t.tv_sec + f->ahead) * 1000000000LL + t.tv_nsec;
	if (i < f->poses.count) {
		if (f->transforms_first)
			send_transform(f, i);
		if (f->stands)
			f->stamp += 1000000;
		send_submap(f, i);
		send_gas(f, i);
		if (!f->transforms_first)
			send_transform(f, i);
	} else if (i == f->poses.count) {
		send_rest(f);
		if (f->closure.count)
			send_closure(f);
	} else {
		loop_stop(f->loop, 0);
		return;
	}
	/* the last ones need some time to be acknowledged */
	f->timer.due = now + (uint64_t)((i < f->poses.count ? 1 / f->hz : 1) *
					1e9);
}

static int add(struct feed *f, const char *name, enum message_kind kind,
	       struct sink_topic **topic)
{
	char full[256];

	snprintf(full, sizeof(full), "/gdim/input/%s", name);
	return sink_add(f->sink, full, kind, false, topic);
}

static int add_topics(struct feed *f)
{
	int err = add(f, "submap_transform", MESSAGE_TRANSFORMS, &f->tf);

	for (unsigned int k = 0; k < f->layers && !err; k++)
		err = add(f, f->layer[k], MESSAGE_OCCUPANCY_GRID,
			  &f->layer_topic[k]);
	for (unsigned int k = 0; k < f->gases && !err; k++)
		err = add(f, f->gas[k], MESSAGE_GRID_MAP, &f->gas_topic[k]);
	if (!err)
		err = add(f, "room_information", MESSAGE_ROOM, &f->room);
	if (!err)
		err = add(f, "rooms", MESSAGE_UINT8, &f->rooms);
	if (!err)
		err = add(f, "repeater_map", MESSAGE_POLYGON, &f->repeaters);
	if (!err)
		err = add(f, "thermal_image", MESSAGE_IMAGE, &f->image);
	return err;
}

static void log_line(void *arg, int priority, const char *line)
{
	(void)arg;
	(void)priority;
	fprintf(stderr, "%s\n", line);
}

static int load(struct feed *f, char **file)
{
	const size_t each = (size_t)f->side * f->side;
	struct error error;
	FILE *cells;
	size_t n;

	if (poses_file_read(file[1], &f->poses, &error))
		return cli_error(-EINVAL, "%s", error.text);
	f->cells = malloc(each * f->poses.count);
	cells = fopen(file[0], "re");
	if (!cells || !f->cells)
		return cli_error(-EIO, "%s: %s", file[0], strerror(errno));
	n = fread(f->cells, each, f->poses.count, cells);
	fclose(cells);
	return n == f->poses.count ? 0 : cli_error(-EINVAL, "%s: too short",
						   file[0]);
}

static int run(struct feed *f, const char *spec)
{
	const struct sink_config config = {
		.spec = spec, .name = "slam", .log = log_line,
	};
	struct error error;
	int err;

	f->loop = loop_create();
	if (!f->loop)
		return -ENOMEM;
	err = sink_open(&f->sink, f->loop, &config, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = add_topics(f);
	if (err)
		return cli_error(err, "topics: %s", strerror(-err));
	f->timer = (struct loop_timer){ loop_now() + (uint64_t)(f->wait * 1e9),
					on_timer, f, NULL };
	loop_add_timer(f->loop, &f->timer);
	err = loop_run(f->loop);
	sink_close(f->sink);
	loop_destroy(f->loop);
	fprintf(stderr, "%u messages\n", f->messages);
	return err;
}

static int parse(struct feed *f, int argc, char **argv)
{
	struct error error;
	int opt;

	while ((opt = getopt(argc, argv, "s:r:l:g:i:c:w:n:a:oSG")) != -1) {
		switch (opt) {
		case 's':
			f->side = atoi(optarg);
			break;
		case 'r':
			f->resolution = atof(optarg);
			break;
		case 'l':
			f->layer[f->layers++ % LAYERS] = optarg;
			break;
		case 'g':
			f->gas[f->gases++ % LAYERS] = optarg;
			break;
		case 'i':
			f->hz = atof(optarg);
			break;
		case 'c':
			if (poses_file_read(optarg, &f->closure, &error))
				return cli_error(-EINVAL, "%s", error.text);
			break;
		case 'w':
			f->wait = atof(optarg);
			break;
		case 'n':
			f->rooms_told = atoi(optarg);
			break;
		case 'S':
			f->stands = true;
			break;
		case 'a':
			f->ahead = atol(optarg);
			break;
		case 'G':
			f->two_gases = true;
			break;
		case 'o':
			f->transforms_first = true;
			break;
		default:
			return -EINVAL;
		}
	}
	if (!f->layers && !f->gases)
		f->layer[f->layers++] = "slam_submap";
	return argc - optind == 3 ? 0 : cli_error(-EINVAL,
						  "CELLS POSES SINK");
}

int main(int argc, char **argv)
{
	static struct feed f = { .side = 200, .resolution = 0.05, .hz = 50,
				 .rooms_told = 1 };
	int err;

	cli_program = "gdim-feed";
	err = parse(&f, argc, argv);
	if (!err)
		err = load(&f, argv + optind);
	if (!err)
		err = run(&f, argv[optind + 2]);
	poses_file_free(&f.poses);
	poses_file_free(&f.closure);
	free(f.cells);
	return err ? 1 : 0;
}
