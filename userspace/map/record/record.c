// SPDX-License-Identifier: GPL-2.0-only
/*
 * record - write the current state of a site into a recording
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "map/record/record.h"
#include "map/ros/graph.h"
#include "map/ros/map_topic.h"
#include "map/ros/publisher.h"
#include "map/ros/room_message.h"
#include "ros/bag/bag.h"

#define LOG_PREFIX	"/gdim/log/"

enum { NAME = 192, RECORD_PATH = 4096 };

struct record {
	struct bag_writer	*bag;
	FILE			*rooms;
	const struct map_config	*config;
	const char		*frame;
	struct map_room		room;
	struct bytes		cdr;
	union message		message;
	int64_t			stamp;
	int			err;
	char			left_out[RECORD_LEFT];
	char			path[RECORD_PATH], text[RECORD_PATH];
};

int record_open(struct record **record, const char *path,
		const struct map_config *config, struct error *error)
{
	struct record *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		goto out;
	r->config = config;
	r->frame = config->frame;
	err = -ENAMETOOLONG;
	if (snprintf(r->path, RECORD_PATH, "%s", path) >= RECORD_PATH)
		goto out;
	snprintf(r->text, RECORD_PATH, "%.*s.txt", (int)strlen(path) - 5,
		 path);
	err = bag_create(&r->bag, path, BAG_MCAP, true);
	if (err) {
		/* a full disk can create files, but not write them */
		if (err != -EEXIST)
			unlink(path);
		goto out;
	}
	r->rooms = fopen(r->text, "we");
	if (!r->rooms) {
		err = -errno;
		bag_finish(r->bag);
		unlink(path);
		goto out;
	}
	*record = r;
	return 0;
out:
	free(r);
	return error_set(error, err, "%.180s: %s", path, strerror(-err));
}

static void leave_out(struct record *r, const char *name)
{
	const size_t used = strlen(r->left_out);

	assert(used < RECORD_LEFT);

	snprintf(r->left_out + used, RECORD_LEFT - used, "%s%s",
		 used ? ", " : "", name);
}

/* After an error nothing more is written; the first error is kept */
static void write_bytes(struct record *r, const char *name,
			enum message_kind kind, bool latched, const void *data,
			size_t len)
{
	const struct bag_topic topic = {
		.name = name, .type = message_type(kind, MESSAGE_CDR),
		.format = MESSAGE_CDR, .latched = latched,
	};
	int at;

	if (r->err)
		return;
	at = bag_add_topic(r->bag, &topic);
	r->err = at < 0 ? at : bag_write(r->bag, at, r->stamp, data, len);
	/* one that is too large does not stop the others */
	if (r->err == -EMSGSIZE) {
		leave_out(r, name);
		r->err = 0;
	}
}

static void record_write_message(struct record *r, const char *name,
				 enum message_kind kind)
{
	const long len = message_size(kind, MESSAGE_CDR, &r->message);

	if (r->err || len < 0)
		return;
	if (bytes_reserve(&r->cdr, len)) {
		r->err = -ENOMEM;
		return;
	}
	if (message_write(kind, MESSAGE_CDR, &r->message, r->cdr.data, len) >
	    0)
		write_bytes(r, name, kind, message_is_map(kind), r->cdr.data,
			    len);
}

/*
 * Maps
 */

static void record_write_map(struct record *r, struct site *site,
			     const struct map_topic *t)
{
	struct map_shape shape;
	char name[NAME];

	if (map_topic_shape(t, site, &shape))
		return;
	/* too large for a message: gdimctl can export it */
	if (map_topic_message(t, site, &shape, &r->room, r->stamp, r->frame,
			      &r->message)) {
		leave_out(r, t->name);
		return;
	}
	snprintf(name, sizeof(name), "%s%s", MAP_PUBLISHER_PREFIX, t->name);
	record_write_message(r, name, t->kind);
}

static void write_maps(struct record *r, struct site *site)
{
	struct map_topic *t;
	const int topics = map_topic_all(r->config, site, &t);

	if (topics < 0)
		r->err = topics;
	for (int i = 0; i < topics && !r->err; i++)
		record_write_map(r, site, &t[i]);
	free(t);
}

/* A submap as received, in its own frame */
static void write_submap(struct record *r, struct site *site,
			 unsigned int layer)
{
	struct site_latest s;
	struct raster raster;
	const struct cells *c;
	struct layer l;
	char name[NAME];

	if (site_latest(site, layer, &s))
		return;
	c = s.cells;
	raster = (struct raster){
		.rect = { 0, 0, c->width, c->height }, .bits = c->bits,
		.resolution = c->resolution,
	};
	site_layer(site, layer, &l);
	snprintf(name, sizeof(name), LOG_PREFIX "%s",
		 *l.input ? l.input : l.name);
	if (!map_room_reserve(&r->room, (size_t)c->width * c->height)) {
		for (unsigned int y = 0; y < c->height; y++)
			for (unsigned int x = 0; x < c->width; x++)
				r->room.cells[(size_t)y * c->width + x] =
					cells_at(c, x, y);
		map_message(&r->room, &raster, s.stamp, s.frame, &r->message);
		if (c->bits == 8) {
			const struct pose *o = &c->origin;

			r->message.map.origin = (struct message_pose){
				{ o->x, o->y, 0 },
				{ 0, 0, sin(o->yaw / 2), cos(o->yaw / 2) } };
		} else {
			const struct pose half = {
				c->width * c->resolution / 2,
				c->height * c->resolution / 2, 0 };
			const struct pose at = pose_compose(&c->origin, &half);

			r->message.grid.pose = (struct message_pose){
				{ at.x, at.y, 0 },
				{ 0, 0, sin(at.yaw / 2), cos(at.yaw / 2) } };
		}
		record_write_message(r, name, map_message_kind(c->bits));
	}
	cells_put(s.cells);
}

/*
 * The pose graph
 */

/* Each node that has a pose: the pose, and the link to it */
static void write_graph(struct record *r, const struct graph *g, bool last)
{
	struct message_pose_stamped *pose = calloc(g->nodes + 1,
						   sizeof(*pose));
	unsigned int poses = 0;

	for (unsigned int i = 0; pose && i < g->nodes; i++) {
		const struct store_node *n = &g->node[i];

		if (!n->placed)
			continue;
		pose[poses++] = (struct message_pose_stamped){
			{ n->stamp, 0, message_string(r->frame) },
			{ { n->pose.x, n->pose.y, 0 },
			  { 0, 0, sin(n->pose.yaw / 2),
			    cos(n->pose.yaw / 2) } } };
	}
	assert(poses <= g->nodes);
	if (poses) {
		r->message.path = (struct message_path){
			{ r->stamp, 0, message_string(r->frame) },
			message_list(pose, poses) };
		record_write_message(r, LOG_PREFIX "graph", MESSAGE_PATH);
		r->message.tf = (struct message_transforms){
			message_list(g->link, g->nodes) };
		record_write_message(r, LOG_PREFIX "links", MESSAGE_TRANSFORMS);
	}
	if (poses && last) {
		r->message.tf = (struct message_transforms){
			message_list(&g->link[g->nodes - 1], 1) };
		record_write_message(r, LOG_PREFIX "submap_transform",
				     MESSAGE_TRANSFORMS);
	}
	free(pose);
}

static void write_nodes(struct record *r, struct site *site, bool last)
{
	struct graph g;

	if (graph_read(&g, site, r->frame))
		return;
	write_graph(r, &g, last);
	graph_free(&g);
}

/*
 * Rooms
 */

struct room_list {
	struct room	*room;
	unsigned int	rooms;
};

static int record_add_room(void *arg, const struct room *room)
{
	struct room_list *l = arg;
	struct room *more = realloc(l->room, (l->rooms + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->room = more;
	l->room[l->rooms++] = *room;
	return 0;
}

static void record_put_layer(struct record *r, struct site *site,
			     const struct room_values *v, unsigned int i)
{
	struct layer l;
	double full;

	site_layer(site, v->of[i].layer, &l);
	if (!v->of[i].known)
		return;
	full = l.bits == 8 ? 1 : CELLS_FULL_16;
	fprintf(r->rooms, "  %s: mean %.4g, max %.4g", l.name,
		v->of[i].mean / full, v->of[i].max / full);
	if (*l.unit)
		fprintf(r->rooms, " (%.4g and %.4g %s)",
			layer_physical(&l, v->of[i].mean),
			layer_physical(&l, v->of[i].max), l.unit);
	fputc('\n', r->rooms);
}

static void record_put_room(struct record *r, struct site *site,
			    const struct room *room,
			    const struct room_values *v)
{
	fprintf(r->rooms, "room %u%s%s at %.2f %.2f m, %.1f m^2\n", room->id,
		*room->name ? " " : "", room->name, room->x, room->y,
		room->size);
	for (unsigned int i = 0; i < v->layers; i++)
		record_put_layer(r, site, v, i);
}

static void write_room(struct record *r, struct site *site,
		       const struct room *room)
{
	struct room_message keep;
	struct room_values v;

	if (room_values(site, room, &v))
		return;
	room_message(site, room, &v, r->frame, &keep, &r->message.room);
	r->message.room.header.stamp = r->stamp;
	record_write_message(r, MAP_PUBLISHER_PREFIX "room_information",
			     MESSAGE_ROOM);
	record_put_room(r, site, room, &v);
}

/* Damaged parts that the maps lack */
static void put_damaged(struct record *r, struct site *site)
{
	const unsigned int count = site_damaged(site, NULL, 0);
	struct site_damaged *d = malloc((count + 1) * sizeof(*d));
	const unsigned int n = d && count ? site_damaged(site, d, count) : 0;

	for (unsigned int i = 0; i < n; i++)
		fprintf(r->rooms, "damaged: %s of %s\n", d[i].layer,
			d[i].frame);
	free(d);
}

static void record_write_rooms(struct record *r, struct site *site)
{
	const time_t seconds = r->stamp / 1000000000;
	struct room_list l = { 0 };
	char when[64];
	struct error error;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(r->rooms, "%s\n", when);
	put_damaged(r, site);
	if (*r->left_out)
		fprintf(r->rooms, "left out: %s\n", r->left_out);
	if (!site_rooms(site, record_add_room, &l, &error))
		for (unsigned int i = 0; i < l.rooms; i++)
			write_room(r, site, &l.room[i]);
	free(l.room);
	if (fflush(r->rooms) && !r->err)
		r->err = -errno;
}

int record_write(struct record *r, struct site *site, bool submaps,
		 const struct bytes *image, int64_t stamp)
{
	const unsigned int layers = site_layers(site);

	assert(stamp >= 0);
	r->stamp = stamp;
	*r->left_out = 0;
	write_nodes(r, site, submaps);
	write_maps(r, site);
	for (unsigned int i = 0; i < layers && submaps && !r->err; i++)
		write_submap(r, site, i);
	if (!r->err)
		record_write_rooms(r, site);
	if (image && image->len)
		write_bytes(r, MAP_PUBLISHER_PREFIX "thermal_image",
			    MESSAGE_IMAGE, false, image->data, image->len);
	return r->err;
}

const char *record_left_out(const struct record *r)
{
	return r->left_out;
}

int record_flush(struct record *r)
{
	if (!r->err)
		r->err = bag_flush(r->bag);
	return r->err;
}

uint64_t record_size(const struct record *r)
{
	struct stat st;

	return stat(r->path, &st) ? 0 : st.st_size;
}

int record_close(struct record *r)
{
	int err;

	if (!r)
		return 0;
	err = bag_finish(r->bag);
	if (fclose(r->rooms) && !err)
		err = -errno;
	map_room_free(&r->room);
	bytes_free(&r->cdr);
	free(r);
	return err;
}

void record_abandon(struct record *r)
{
	char path[2][RECORD_PATH];

	strcpy(path[0], r->path);
	strcpy(path[1], r->text);
	record_close(r);
	unlink(path[0]);
	unlink(path[1]);
}
