// SPDX-License-Identifier: GPL-2.0-only
/*
 * input_graph - the edges of a pose graph
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/input_parts.h"
#include "map/ros/submap_message.h"
#include "map/store/store_edge.h"

/* Of a message: 200 km of submaps of 5 m, with some closures */
enum { EDGES = 1 << 17 };

/* Elements above and below the diagonal may differ by this share of it */
#define ASYMMETRY	1e-6

/* Return: whether the matrix is symmetric */
static bool take_covariance(const double m[9], double c[6])
{
	static const unsigned char at[6] = { 0, 1, 2, 4, 5, 8 };
	static const unsigned char mirrored[6] = { 0, 3, 6, 4, 7, 8 };
	static const unsigned char row[6] = { 0, 0, 0, 4, 4, 8 };
	static const unsigned char column[6] = { 0, 4, 8, 4, 8, 8 };

	for (int i = 0; i < 6; i++) {
		const double scale = sqrt(fabs(m[row[i]] * m[column[i]]));

		c[i] = m[at[i]];
		if (!(fabs(c[i] - m[mirrored[i]]) <= ASYMMETRY * scale))
			return false;
	}
	return true;
}

static int read_edge(struct map_input *in, const char *topic,
		     const struct message_graph_edge *m, struct store_edge *e)
{
	const double *t = m->transform;

	if (submap_frame(&m->from_frame, e->from) ||
	    submap_frame(&m->to_frame, e->to))
		return input_refuse(in, topic, -EINVAL,
				    "edge with an invalid frame");
	if (m->kind > MESSAGE_EDGE_LOOP)
		return input_refuse(in, topic, -EINVAL,
				    "edge from %s to %s: unknown kind %u",
				    e->from, e->to, m->kind);
	if (!take_covariance(m->covariance, e->covariance))
		return input_refuse(in, topic, -EINVAL,
				    "edge from %s to %s: covariance is not "
				    "symmetric", e->from, e->to);
	e->loop = m->kind == MESSAGE_EDGE_LOOP;
	e->waiting = m->waiting;
	e->transform = (struct pose){ t[0], t[1], t[2] };
	return 0;
}

/* Return: their number; a negative errno, already refused */
static int read_edges(struct map_input *in, const char *topic,
		      const struct message_pose_graph *m,
		      struct store_edge *edge)
{
	struct message_list rest = m->edges;
	struct message_graph_edge one;
	unsigned int n = 0;

	while (n < m->edges.count && message_next_edge(&rest, &one)) {
		const int err = read_edge(in, topic, &one, edge + n);

		if (err)
			return err;
		n++;
	}
	return (int)n;
}

int map_input_graph(struct map_input *in, const char *topic,
		    const struct message_pose_graph *m)
{
	struct store *s = site_store(in->site);
	char source[STORE_FRAME], frame[STORE_FRAME];
	struct store_edge *edge;
	int err, n;

	input_count(in, INPUT_MESSAGES, 1);
	err = map_input_check_stamp(in, topic, m->header.stamp);
	if (err)
		return err;
	if (submap_frame(&m->header.frame_id, frame) ||
	    !map_input_is_map_frame(in, frame))
		return input_refuse(in, topic, -EINVAL,
				    "it is not in the frame %s",
				    in->config->frame);
	if (submap_frame(&m->source, source))
		return input_refuse(in, topic, -EINVAL, "invalid source");
	if (m->edges.count > EDGES)
		return input_refuse(in, topic, -E2BIG,
				    "too many edges: %u, at most %d",
				    m->edges.count, EDGES);
	edge = calloc(m->edges.count + 1, sizeof(*edge));
	if (!edge)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	n = err = read_edges(in, topic, m, edge);
	if (n >= 0) {
		err = store_edges(s, source, m->header.stamp, edge,
				  (unsigned int)n);
		if (err)
			input_refuse(in, topic, err, "%s", store_error(s));
		else
			input_count(in, INPUT_EDGES, (unsigned int)n);
	}
	free(edge);
	return err;
}
