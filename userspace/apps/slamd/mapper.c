// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapper.c - submaps to publish, and one map of all scans
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/mapper.h"
#include "base/error.h"
#include "base/hash.h"
#include "ros/io/io.h"
#include "slam/filter/scan.h"

/* If a pose changed by half a cell at this distance, m, redraw the map */
#define REACH	10.0

/**
 * struct mapper
 * @way:	stamps and poses of all scans, from the last history
 * @missing:	scans that are no longer in memory
 * @exact:	redraw after any change of a pose
 * @drawn:	poses of the @scans in @all
 * @graph:	memory of its message
 * @link:	poses of the @linked submaps of the last one
 * @closed:	hash of its closures
 */
struct mapper {
	struct mapper_config	config;
	struct submaps		*submaps;
	struct submap_out	out;
	struct occupancy	*all;
	struct trajectory	way;
	struct pose		*drawn;
	uint32_t		scans, room, missing;
	bool			exact;
	struct graph_out	graph;
	struct pose		*link;
	uint32_t		linked;
	uint64_t		closed;
	union message		*message, *pose;
};

struct mapper_config mapper_config(const struct slamd_options *o)
{
	return (struct mapper_config){
		.grid = {
			.resolution = o->params.resolution,
			.range_max = scan_reach(&o->params),
		},
		.memory = (size_t)o->map_memory << 20,
		.submap = o->submap, .robot = o->robot,
		.map_frame = o->map_frame, .odom_frame = o->odom_frame,
		.base_frame = o->base_frame,
	};
}

static int init(struct mapper *m, struct error *error)
{
	const struct mapper_config *c = &m->config;
	const struct submaps_config config = {
		.distance = c->submap, .grid = c->grid,
		.memory = c->memory,
	};
	char prefix[STORE_FRAME];
	int err;

	snprintf(prefix, sizeof(prefix), "%.200s%ssubmap_",
		 c->robot ? c->robot : "", c->robot ? "/" : "");
	err = submap_out_init(&m->out, c->map_frame, c->base_frame, prefix,
			      error);
	if (!err)
		err = submaps_create(&m->submaps, &config, error);
	if (!err)
		err = occupancy_create(&m->all, &c->grid, error);
	if (err)
		return err;
	m->message = malloc(sizeof(*m->message));
	m->pose = malloc(sizeof(*m->pose));
	return m->message && m->pose ? 0 :
				       error_set(error, -ENOMEM, "no memory");
}

int mapper_create(struct mapper **mapper, const struct mapper_config *config,
		  struct error *error)
{
	struct mapper *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return error_set(error, -ENOMEM, "no memory");
	m->config = *config;
	err = init(m, error);
	if (err) {
		mapper_destroy(m);
		return err;
	}
	*mapper = m;
	return 0;
}

void mapper_destroy(struct mapper *m)
{
	if (!m)
		return;
	submaps_destroy(m->submaps);
	submap_out_free(&m->out);
	graph_out_free(&m->graph);
	free(m->link);
	occupancy_destroy(m->all);
	trajectory_free(&m->way);
	free(m->drawn);
	free(m->message);
	free(m->pose);
	free(m);
}

int mapper_scan(struct mapper *m, const struct reading *r,
		struct error *error)
{
	static const struct pose unknown;
	int err = submaps_add(m->submaps, r, error);

	if (err)
		return err;
	err = trajectory_add(&m->way, r->stamp, &unknown);
	return err ? error_set(error, err, "no memory") : 0;
}

static bool mapper_publish(struct mapper *m, enum slam_publisher_topic topic,
			   int64_t stamp)
{
	return !m->config.publish || !m->config.publish(m->config.arg, topic,
							stamp, m->message);
}

void mapper_pose(struct mapper *m, const struct reading *r,
		 const struct filter_result *result)
{
	const struct mapper_config *c = &m->config;
	struct message_transform t;

	if (!c->publish)
		return;
	submap_out_pose(&m->out, r->stamp, &result->pose, result->covariance,
			m->pose);
	c->publish(c->arg, SLAM_PUBLISHER_POSE, r->stamp, m->pose);
	submap_out_drift(&m->out, c->odom_frame, r->stamp, &result->pose,
			 &r->odometry, &t, m->pose);
	c->publish(c->arg, SLAM_PUBLISHER_TF, r->stamp, m->pose);
}

/*
 * Submaps
 */

/* Poses are published before cells. Return: 0 or a negative errno */
static int publish_transforms(struct mapper *m, int count, int64_t now,
			      bool *published, struct error *error)
{
	const int n = submap_out_transforms(&m->out, m->submaps,
					    submaps_list(m->submaps),
					    (uint32_t)count, false, m->message,
					    error);

	*published = n <= 0 || mapper_publish(m, SLAM_PUBLISHER_TRANSFORMS, now);
	return n < 0 ? n : 0;
}

static int publish_cells(struct mapper *m, uint32_t number, int64_t now,
			 bool *published, struct error *error)
{
	const struct submap *s = submaps_at(m->submaps, number);
	const struct occupancy *o;
	int err;

	*published = true;
	if (!s->changed || !m->config.publish)
		return 0;
	err = submaps_draw(m->submaps, number, &o, error);
	if (!err)
		err = submap_out_grid(&m->out, number, s, o, m->message,
				      error);
	if (!err)
		*published = mapper_publish(m, SLAM_PUBLISHER_SUBMAP, now);
	/* an empty or too large one need not be retried */
	return err == -ENOMEM ? err : 0;
}

int mapper_history(struct mapper *m, const struct pose *history,
		   uint32_t count, struct error *error)
{
	const int listed = submaps_update(m->submaps, history, count, error);
	int err = listed < 0 ? listed : 0;
	bool placed = true, published;
	int64_t now = 0;

	if (err)
		return err;
	for (uint32_t i = 0; i < count; i++)
		m->way.point[i].pose = history[i];
	if (count)
		now = m->way.point[count - 1].stamp;
	if (m->config.publish)
		err = publish_transforms(m, listed, now, &placed, error);
	for (int i = 0; i < listed && !err; i++) {
		const uint32_t number = submaps_list(m->submaps)[i];

		err = publish_cells(m, number, now, &published, error);
		if (!err)
			submaps_published(m->submaps, number, placed, published);
	}
	return err;
}

static uint64_t hash_closures(const struct graph_edge *edge, uint32_t edges)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < edges; i++) {
		const struct graph_edge *e = edge + i;
		const double v[] = {
			e->from, e->to, e->move.x, e->move.y, e->move.yaw,
			e->waiting,
		};

		if (e->closure)
			hash = hash * 31 + hash_bytes(v, sizeof(v));
	}
	return hash;
}

/* Whether submaps moved to each other since the last graph, by half a cell */
static bool is_bent(const struct mapper *m)
{
	const double tolerance = occupancy_resolution(m->all) / 2;

	for (uint32_t i = 1; i < m->linked; i++) {
		const struct pose was = pose_between(m->link + i - 1,
						     m->link + i);
		const struct pose is = pose_between(
			&submaps_at(m->submaps, i - 1)->pose,
			&submaps_at(m->submaps, i)->pose);

		if (pose_distance(&was, &is, REACH) > tolerance)
			return true;
	}
	return false;
}

/* Remember what is published. Return: 0; -ENOMEM */
static int keep_links(struct mapper *m, uint64_t closed)
{
	const uint32_t n = submaps_count(m->submaps);
	struct pose *link = realloc(m->link, (n + 1) * sizeof(*link));

	if (!link)
		return -ENOMEM;
	m->link = link;
	for (uint32_t i = 0; i < n; i++)
		link[i] = submaps_at(m->submaps, i)->pose;
	m->linked = n;
	m->closed = closed;
	return 0;
}

int mapper_graph(struct mapper *m, const struct pose *history, uint32_t count,
		 const struct graph_edge *edge, uint32_t edges,
		 struct error *error)
{
	const uint64_t closed = hash_closures(edge, edges);
	int64_t now;
	int n;

	if (!m->config.publish || !count ||
	    (submaps_count(m->submaps) == m->linked && closed == m->closed &&
	     !is_bent(m)))
		return 0;
	now = m->way.point[count - 1].stamp;
	n = graph_out_make(&m->graph, &m->out, m->submaps, history, count, edge,
			   edges, now, m->message, error);
	if (n < 0)
		return n;
	/* what was not published is tried again */
	if (n && !mapper_publish(m, SLAM_PUBLISHER_GRAPH, now))
		return 0;
	return keep_links(m, closed) ?
	       error_set(error, -ENOMEM, "no memory") : 0;
}

/*
 * One map of all scans
 */

static bool is_redrawn(const struct mapper *m)
{
	const double tolerance = m->exact ? 0 :
				 occupancy_resolution(m->all) / 2;

	for (uint32_t i = 0; i < m->scans; i++)
		if (pose_distance(&m->drawn[i], &m->way.point[i].pose, REACH) >
		    tolerance)
			return true;
	return false;
}

static int mapper_draw(struct mapper *m, struct error *error)
{
	if (m->room < m->way.count) {
		const uint32_t room = m->way.count * 2;
		struct pose *drawn = realloc(m->drawn, room * sizeof(*drawn));

		if (!drawn)
			return error_set(error, -ENOMEM, "no memory");
		m->drawn = drawn;
		m->room = room;
	}
	if (is_redrawn(m)) {
		occupancy_clear(m->all);
		m->scans = m->missing = 0;
	}
	for (; m->scans < m->way.count; m->scans++) {
		const struct pose *pose = &m->way.point[m->scans].pose;
		const struct reading *r = submaps_scan(m->submaps, m->scans);
		const int err = r ? occupancy_add(m->all, r, pose, error) : 0;

		m->missing += !r;
		/* invalid scans are skipped, as in submaps */
		if (err == -ENOMEM)
			return err;
		m->drawn[m->scans] = *pose;
	}
	return 0;
}

int mapper_map(struct mapper *m, struct error *error)
{
	int64_t now;
	int err = mapper_draw(m, error);

	if (err || !m->way.count || !m->config.publish)
		return err;
	now = m->way.point[m->way.count - 1].stamp;
	err = submap_out_map(&m->out, m->all, now, m->message, error);
	if (!err)
		mapper_publish(m, SLAM_PUBLISHER_MAP, now);
	if (err && err != -ENODATA)
		return err;
	err = submap_out_way(&m->out, m->way.point, m->way.count, now,
			     m->message, error);
	if (!err)
		mapper_publish(m, SLAM_PUBLISHER_PATH, now);
	return err;
}

void mapper_known(struct mapper *m, const struct known_map *known,
		  int64_t stamp)
{
	const struct mapper_config *c = &m->config;

	if (!c->publish)
		return;
	known_map_message(known, stamp, c->map_frame, m->pose);
	c->publish(c->arg, SLAM_PUBLISHER_MAP, stamp, m->pose);
}

void mapper_exact(struct mapper *m)
{
	m->exact = true;
}

uint32_t mapper_missing(const struct mapper *m)
{
	return m->missing;
}

int mapper_raster(struct mapper *m, struct raster *r)
{
	return occupancy_raster(m->all, r);
}
