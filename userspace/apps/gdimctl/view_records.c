// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_records - states of a site from recordings of gdimd
 *
 * All messages of one time have the same stamp. Files are read twice: first
 * for the stamps, then for the messages of the selected times.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/bytes.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/utf8.h"
#include "map/fusion/cells.h"
#include "ros/bag/bag.h"
#include "ros/msg/convert.h"
#include "view_records.h"

#define OUTPUT	"/gdim/output/"
#define ROOMS	OUTPUT "room_information"
#define GRAPH	"/gdim/log/graph"

/* Limits of a map, as in files of maps */
enum { MAP_SIDE = 1 << 20, MAP_CELLS = 1 << 27 };

/**
 * struct moment - a time in a file
 * @keep:	show it
 */
struct moment {
	int64_t		stamp;
	bool		keep;
};

/**
 * struct record_file
 * @warned:	warn only once about it
 */
struct record_file {
	char		*path;
	struct moment	*moment;
	unsigned int	moments, room;
	bool		warned;
};

/**
 * struct view_records
 * @latest:	raw message of each layer's map, then of the trajectory
 * @floats:	cells of a grid map, capacity @float_room
 * @cells:	capacity of each layer's map, in cells
 */
struct view_records {
	const struct layer	*layer;
	unsigned int		layers;
	struct record_file	*file;
	unsigned int		files;
	struct bytes		*latest;
	struct view_state	state;
	size_t			*cells;
	float			*floats;
	size_t			float_room;
	unsigned int		way_room;
};

static const char *view_records_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void view_records_warn(struct record_file *f, const char *text)
{
	if (!f->warned)
		cli_warn("%s: %s", f->path, text);
	f->warned = true;
}

static void warn_damage(struct record_file *f, const char *what)
{
	char text[512];

	snprintf(text, sizeof(text), "%s, %s", what, f->moments ?
		 "showing the intact part" : "ignored");
	view_records_warn(f, text);
}

/*
 * Messages to states. Messages are not trusted
 */

static int view_records_grow(void **data, size_t *room, size_t count,
			     size_t size)
{
	void *more;

	if (count <= *room)
		return 0;
	more = realloc(*data, count * size);
	if (!more)
		return -ENOMEM;
	*data = more;
	*room = count;
	return 0;
}

/* A float of 0.05 is 0.0500000007: round, to equal a double of 0.05 */
static double plain(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.7g", v);
	return strtod(text, NULL);
}

/*
 * The position of the map: @x, @y is the corner of the first cell
 *
 * Return: whether it is valid; gdimd never writes rotated maps.
 */
static bool view_records_place(struct raster *r, double resolution, double x,
			       double y, unsigned int width,
			       unsigned int height, double yaw)
{
	resolution = plain(resolution);
	x /= resolution;
	y /= resolution;
	if (!(resolution > 0 && fabs(x) < 1e9 && fabs(y) < 1e9) ||
	    !(fabs(yaw) < 1e-6) || !width || !height || width > MAP_SIDE ||
	    height > MAP_SIDE || (uint64_t)width * height > MAP_CELLS)
		return false;
	r->rect = (struct rect){ lround(x), lround(y), width, height };
	r->resolution = resolution;
	return true;
}

static int view_records_read_grid(const struct message_occupancy_grid *m,
				  struct raster *r, size_t *room)
{
	const size_t n = (size_t)m->width * m->height;

	if (!view_records_place(r, m->resolution, m->origin.position[0],
				m->origin.position[1], m->width, m->height,
				message_pose_yaw(&m->origin)) ||
	    m->data.count != n)
		return -EBADMSG;
	if (view_records_grow((void **)&r->cells, room, n, sizeof(*r->cells)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const int v = (int8_t)m->data.data[i];

		r->cells[i] = v > CELLS_FULL_8 ? CELLS_FULL_8 :
			      v < 0 ? -1 : v;
	}
	return 0;
}

static enum message_kind view_records_kind_of(const struct layer *l)
{
	return l->bits == 8 ? MESSAGE_OCCUPANCY_GRID : MESSAGE_GRID_MAP;
}

/*
 * The layer of a grid map for @l: of NAME it is "value", of NAME_X it is X.
 * Return: its number; -ENOENT: none
 */
static int find_grid(const struct message_grid_map *m, const struct layer *l)
{
	const size_t len = strlen(l->name);

	for (uint32_t i = 0; i < m->layers; i++) {
		const struct message_string *s = &m->layer[i];

		if (s->len < len && l->name[len - s->len - 1] == '_' &&
		    !memcmp(l->name + len - s->len, s->text, s->len))
			return i;
	}
	for (uint32_t i = 0; i < m->layers; i++)
		if (message_string_is(&m->layer[i], "value"))
			return i;
	return -ENOENT;
}

static int16_t view_records_cell_of(float v)
{
	if (!(v >= 0))
		return -1;
	return v >= 1 ? CELLS_FULL_16 : lroundf(v * CELLS_FULL_16);
}

static int read_grid_map(struct view_records *v,
			 const struct message_grid_map *m,
			 const struct layer *l, struct raster *r, size_t *room)
{
	const int grid = find_grid(m, l);
	unsigned int rows, columns;
	size_t n;

	if (grid < 0 || message_grid_shape(m, &rows, &columns) ||
	    !view_records_place(
		    r, m->resolution,
		    m->pose.position[0] - rows * m->resolution / 2,
		    m->pose.position[1] - columns * m->resolution / 2, rows,
		    columns, message_pose_yaw(&m->pose)))
		return -EBADMSG;
	n = (size_t)rows * columns;
	if (view_records_grow((void **)&r->cells, room, n, sizeof(*r->cells)) ||
	    view_records_grow((void **)&v->floats, &v->float_room, n,
			      sizeof(float)))
		return -ENOMEM;
	message_grid_raster(m, grid, v->floats);
	for (size_t i = 0; i < n; i++)
		r->cells[i] = view_records_cell_of(v->floats[i]);
	return 0;
}

/* Return: 0, -ENOMEM, or -EBADMSG: the map is invalid and left empty */
static int view_records_read_map(struct view_records *v, unsigned int layer)
{
	const struct layer *l = &v->layer[layer];
	const struct bytes *b = &v->latest[layer];
	struct raster *r = &v->state.map[layer];
	union message m;
	int err;

	r->rect.width = 0;
	r->bits = l->bits;
	if (!b->len)
		return 0;
	err = message_read(view_records_kind_of(l), MESSAGE_CDR, b->data,
			   b->len, &m);
	if (err)
		return -EBADMSG;
	err = l->bits == 8 ?
		      view_records_read_grid(&m.map, r, &v->cells[layer]) :
		      read_grid_map(v, &m.grid, l, r, &v->cells[layer]);
	if (err)
		r->rect.width = 0;
	return err;
}

static int read_way(struct view_records *v)
{
	const struct bytes *b = &v->latest[v->layers];
	struct view_state *s = &v->state;
	struct message_pose_stamped pose;
	struct message_list rest;
	union message m;

	s->poses = 0;
	if (!b->len)
		return 0;
	if (message_read(MESSAGE_PATH, MESSAGE_CDR, b->data, b->len, &m))
		return -EBADMSG;
	rest = m.path.poses;
	while (message_next_pose(&rest, &pose)) {
		const struct pose p = {
			pose.pose.position[0], pose.pose.position[1],
			message_pose_yaw(&pose.pose)
		};

		if (!pose_valid(&p))
			continue;
		if (s->poses == v->way_room) {
			const unsigned int room = 2 * v->way_room + 64;
			void *more = realloc(s->way, room * sizeof(p));

			if (!more)
				return -ENOMEM;
			s->way = more;
			v->way_room = room;
		}
		s->way[s->poses++] = p;
	}
	return 0;
}

static bool near(double x, double y)
{
	return fabs(x) <= POSE_MAX && fabs(y) <= POSE_MAX;
}

static int take_room(struct view_records *v, const struct bag_message *msg)
{
	struct view_state *s = &v->state;
	struct message_point32 c;
	struct message_list rest;
	struct room *room;
	unsigned int at = 0;
	union message m;

	if (message_read(MESSAGE_ROOM, MESSAGE_CDR, msg->data, msg->len, &m) ||
	    !near(m.room.location.x, m.room.location.y) ||
	    !(m.room.size >= 0 && m.room.size <= POSE_MAX * POSE_MAX))
		return -EBADMSG;
	while (at < s->rooms && s->room[at].id != m.room.id)
		at++;
	room = &s->room[at];
	*room = (struct room){ .id = m.room.id, .x = m.room.location.x,
			       .y = m.room.location.y, .size = m.room.size };
	utf8_clean(m.room.name.text, m.room.name.len, room->name,
		   sizeof(room->name));
	rest = m.room.outline;
	while (room->corners < ROOM_CORNERS && message_next_point(&rest, &c))
		if (near(c.x, c.y)) {
			room->corner[room->corners][0] = c.x;
			room->corner[room->corners++][1] = c.y;
		}
	if (at == s->rooms)
		s->rooms++;
	return 0;
}

/*
 * Files
 */

/* The use of a topic */
enum use { OF_NONE, OF_ROOM, OF_WAY, OF_MAPS };

/* Layer NAME_X may be in a grid map NAME: only its contents tell */
static bool may_have(const struct bag_topic *t, int kind, const struct layer *l)
{
	const char *name = t->name + strlen(OUTPUT);
	const size_t len = strlen(name);

	return kind == (int)view_records_kind_of(l) &&
	       !strncmp(name, l->name, len) &&
	       (!l->name[len] || (l->bits == 16 && l->name[len] == '_'));
}

static enum use use_of(const struct view_records *v, const struct bag_topic *t)
{
	const int kind = message_any_kind_of(t->type);

	if (t->format != MESSAGE_CDR)
		return OF_NONE;
	if (!strcmp(t->name, ROOMS))
		return kind == MESSAGE_ROOM ? OF_ROOM : OF_NONE;
	if (!strcmp(t->name, GRAPH))
		return kind == MESSAGE_PATH ? OF_WAY : OF_NONE;
	if (strncmp(t->name, OUTPUT, strlen(OUTPUT)))
		return OF_NONE;
	for (unsigned int i = 0; i < v->layers; i++)
		if (may_have(t, kind, &v->layer[i]))
			return OF_MAPS;
	return OF_NONE;
}

static int keep_latest(struct view_records *v, unsigned int which,
		       const struct bag_message *msg)
{
	v->latest[which].len = 0;
	return bytes_append(&v->latest[which], msg->data, msg->len);
}

static bool has_grid(const union message *m, const char *name)
{
	for (uint32_t i = 0; i < m->grid.layers; i++)
		if (message_string_is(&m->grid.layer[i], name))
			return true;
	return false;
}

/* Damaged messages are kept, too; view_records_show() warns of them */
static int take_maps(struct view_records *v, const struct bag_topic *t,
		     const struct bag_message *msg)
{
	const int kind = message_any_kind_of(t->type);
	union message m;
	int err = 0;

	for (unsigned int i = 0; i < v->layers && !err; i++) {
		const struct layer *l = &v->layer[i];
		const char *rest;

		if (!may_have(t, kind, l))
			continue;
		rest = l->name + strlen(t->name + strlen(OUTPUT));
		if (*rest && !message_read(kind, MESSAGE_CDR, msg->data,
					   msg->len, &m) &&
		    !has_grid(&m, rest + 1))
			continue;
		err = keep_latest(v, i, msg);
	}
	return err;
}

static int add_moment(struct record_file *f, int64_t stamp)
{
	if (f->moments && f->moment[f->moments - 1].stamp == stamp)
		return 0;
	if (f->moments == f->room) {
		const unsigned int room = 2 * f->room + 16;
		void *more = realloc(f->moment, room * sizeof(*f->moment));

		if (!more)
			return -ENOMEM;
		f->moment = more;
		f->room = room;
	}
	f->moment[f->moments++] = (struct moment){ stamp, true };
	return 0;
}

/* Find the times of a file. Return: 0, -ENOMEM; for other errors it warns */
static int find_moments(struct view_records *v, struct record_file *f)
{
	struct bag_message msg;
	struct bag_reader *bag;
	unsigned int topics;
	int err, got;

	err = bag_open(&bag, f->path);
	if (err) {
		char text[128];

		snprintf(text, sizeof(text), "%s, ignored",
			 err == -EPROTONOSUPPORT ? "not a recording" :
			 strerror(-err));
		view_records_warn(f, text);
		return err == -ENOMEM ? err : 0;
	}
	while (!err && (got = bag_next(bag, &msg)) > 0)
		if (use_of(v, &bag_topics(bag, &topics)[msg.topic]) >=
		    OF_WAY)
			err = add_moment(f, msg.stamp);
	if (!err && (got < 0 || bag_warning(bag)))
		warn_damage(f, got < 0 ? strerror(-got) : bag_warning(bag));
	else if (!err && !f->moments)
		view_records_warn(f, "has none of the layers, ignored");
	bag_close(bag);
	return err;
}

static int view_records_add_file(struct view_records *v, const char *folder,
				 const char *name)
{
	struct record_file *more;
	char *path;

	more = realloc(v->file, (v->files + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	v->file = more;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	v->file[v->files++] = (struct record_file){ .path = path };
	return 0;
}

static int find_files(struct view_records *v, const char *folder,
		      bool optional, struct error *error)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int err = 0;

	if (!dir && optional && errno == ENOENT)
		return 0;
	if (!dir) {
		err = -errno;
		return error_set(error, err, "%.180s: %s", folder,
				 strerror(-err));
	}
	while (!err && (e = readdir(dir))) {
		const size_t len = strlen(e->d_name);

		if (len > 5 && !strcmp(e->d_name + len - 5, ".mcap"))
			err = view_records_add_file(v, folder, e->d_name);
	}
	closedir(dir);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct record_file *f = a, *g = b;
	const int64_t s = f->moments ? f->moment[0].stamp : INT64_MAX;
	const int64_t t = g->moments ? g->moment[0].stamp : INT64_MAX;

	return s != t ? (s > t) - (s < t) : strcmp(f->path, g->path);
}

int view_records_open(struct view_records **records, const char *folder,
		      bool optional, const struct layer *layer,
		      unsigned int layers, struct error *error)
{
	struct view_records *v = calloc(1, sizeof(*v));
	int err = -ENOMEM;

	*error->text = 0;
	if (!v)
		goto out;
	v->layer = layer;
	v->layers = layers;
	v->latest = calloc(layers + 1, sizeof(*v->latest));
	v->cells = calloc(layers + 1, sizeof(*v->cells));
	v->state.map = calloc(layers + 1, sizeof(*v->state.map));
	/* ids are unique bytes */
	v->state.room = calloc(ROOM_ID_MAX + 1, sizeof(*v->state.room));
	if (!v->latest || !v->cells || !v->state.map || !v->state.room)
		goto out;
	err = find_files(v, folder, optional, error);
	for (unsigned int i = 0; i < v->files && !err; i++)
		err = find_moments(v, &v->file[i]);
	if (err)
		goto out;
	if (v->files)
		qsort(v->file, v->files, sizeof(*v->file), by_time);
	*records = v;
	return 0;
out:
	if (!*error->text)
		error_set(error, 0, "%.180s: %s", folder,
			 strerror(-err));
	view_records_close(v);
	return err;
}

/* Keep @most of @total times, evenly spaced, with the last one */
static void view_records_spread(struct view_records *v, bool logs,
				unsigned int total, unsigned int most)
{
	unsigned int at = 0;

	for (unsigned int i = 0; i < v->files; i++) {
		struct record_file *f = &v->file[i];

		if ((f->moments > 1) != logs)
			continue;
		for (unsigned int k = 0; k < f->moments; k++, at++)
			f->moment[k].keep = most && (most >= total ||
				(uint64_t)(at + 1) * most / total >
				(uint64_t)at * most / total);
	}
}

void view_records_thin(struct view_records *v, unsigned int most)
{
	unsigned int snapshots = 0, logged = 0, left;

	for (unsigned int i = 0; i < v->files; i++)
		if (v->file[i].moments > 1)
			logged += v->file[i].moments;
		else
			snapshots += v->file[i].moments;
	left = snapshots < most ? most - snapshots : 0;
	view_records_spread(v, false, snapshots, most);
	view_records_spread(v, true, logged, left);
}

/* Decode the latest messages and pass the state on */
static int view_records_show(struct view_records *v, struct record_file *f,
			     int64_t stamp,
			     int (*each)(void *arg, const struct view_state *s),
			     void *arg)
{
	int err = 0;

	v->state.stamp = stamp;
	v->state.name = view_records_name_of(f->path);
	for (unsigned int i = 0; i <= v->layers; i++) {
		err = i < v->layers ? view_records_read_map(v, i) : read_way(v);
		if (err == -EBADMSG)
			view_records_warn(f,
					  "damaged, showing the intact part");
		else if (err)
			return err;
	}
	return each(arg, &v->state);
}

static int view_records_take(struct view_records *v, struct record_file *f,
			     const struct bag_topic *t,
			     const struct bag_message *msg)
{
	switch (use_of(v, t)) {
	case OF_MAPS:
		return take_maps(v, t, msg);
	case OF_WAY:
		return keep_latest(v, v->layers, msg);
	case OF_ROOM:
		if (take_room(v, msg))
			view_records_warn(f,
					  "damaged, showing the intact part");
		return 0;
	default:
		return 0;
	}
}

static int view_records_play(struct view_records *v, struct record_file *f,
			     int (*each)(void *arg, const struct view_state *s),
			     void *arg)
{
	struct bag_message msg;
	struct bag_reader *bag;
	unsigned int topics, next = 0;
	int err = bag_open(&bag, f->path);

	if (err) {
		view_records_warn(f, "no longer readable, ignored");
		return 0;
	}
	v->state.rooms = 0;
	for (unsigned int i = 0; i <= v->layers; i++)
		v->latest[i].len = 0;
	while (!err && next < f->moments) {
		const bool more = bag_next(bag, &msg) > 0;

		while (!err && next < f->moments &&
		       (!more || f->moment[next].stamp < msg.stamp)) {
			if (f->moment[next].keep)
				err = view_records_show(
					v, f, f->moment[next].stamp, each, arg);
			next++;
		}
		if (!more)
			break;
		if (!err)
			err = view_records_take(
				v, f, &bag_topics(bag, &topics)[msg.topic],
				&msg);
	}
	bag_close(bag);
	return err;
}

int view_records_each(struct view_records *v,
		      int (*each)(void *arg, const struct view_state *s),
		      void *arg)
{
	int err = 0;

	for (unsigned int i = 0; i < v->files && !err; i++) {
		bool any = false;

		for (unsigned int k = 0; k < v->file[i].moments; k++)
			any |= v->file[i].moment[k].keep;
		if (any)
			err = view_records_play(v, &v->file[i], each, arg);
	}
	return err;
}

void view_records_close(struct view_records *v)
{
	if (!v)
		return;
	for (unsigned int i = 0; i < v->files; i++) {
		free(v->file[i].path);
		free(v->file[i].moment);
	}
	for (unsigned int i = 0; i <= v->layers; i++) {
		if (v->latest)
			bytes_free(&v->latest[i]);
		if (v->state.map)
			free(v->state.map[i].cells);
	}
	free(v->file);
	free(v->latest);
	free(v->cells);
	free(v->state.map);
	free(v->state.room);
	free(v->state.way);
	free(v->floats);
	free(v);
}
