// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_closer.c - nodes and submaps of a running filter, and the thread that
 * looks for closures
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/thread.h"
#include "base/thread_pool.h"
#include "slam/filter/det_math.h"
#include "slam/graph/loop_closer.h"
#include "slam/graph/loop_support.h"
#include "slam/graph/loop_check.h"
#include "slam/graph/part_search.h"
#include "slam/graph/pose_spread.h"

/* Motion between two nodes, m and rad */
#define NODE_EVERY	0.5
#define NODE_TURN	0.35
/* Updates from the start of a search to its result */
enum { DELAY = 16 };
/* The same if the robot was carried, ns: it is waiting for its place */
#define DELAY_PART	500000000
/* Submaps that are searched again at the end, at most: about 2 s */
enum { LAST = 512 };

/* Error of the filter's motion from a node to the next one, m and rad:
 * constant, for each m, and for each rad. A scan is matched to about half a
 * cell
 */
#define STEP		0.02
#define STEP_PER_M	0.03
#define STEP_TURN	0.003
#define STEP_TURN_PER_M	0.005
#define STEP_TURN_PER_RAD 0.02

/* Weight of the step of a robot that was carried, 1/m^2 and 1/rad^2: it keeps the
 * graph together until a closure says more
 */
#define CARRIED		1e-6

/* A new closure that is off by this makes the graph be solved again, m */
#define OFF		0.15
/* What is there twice in the map, this far apart, corrects the filter, m. Less
 * is left to its matches, which are finer than a closure. If the filter was
 * corrected before, the final history is corrected by TORN_AGAIN, too
 */
#define TORN		0.5
#define TORN_AGAIN	0.1

/* Nodes of a submap */
struct loop_submap {
	uint32_t	first, last;
};

/**
 * struct loop_job - for the thread
 * @graph:	poses of the filter's history, all edges
 * @node:	[@graph.nodes]
 * @at:		update of each of them
 * @submap:	to search, @submaps of them
 * @rejected:	closures that were found, and dropped by loop_check()
 * @seen:	the poses before solving
 * @interrupted: no further submaps are searched when it says so; NULL: all are
 * @ended:	it did
 * @anyway:	solve though no new closure is off: the last solution did not
 *		reach the history
 * @waiting:	closures, see loop_support()
 * @moved:	a node at most, m
 * @torn:	see torn()
 * @part:	of the closer; @joins: it was found
 */
struct loop_job {
	struct loop_search		search;
	struct pose_graph		graph;
	const struct loop_node		**node;
	uint32_t			*at;
	struct loop_submap		*submap;
	uint32_t			submaps;
	uint64_t			rejected;
	uint32_t			waiting;
	struct pose			*seen;
	double				moved, torn;
	bool				(*interrupted)(void *arg);
	bool				solved, anyway, joins, ended;
	struct part_search		*part;
	int				err;
	uint64_t			cpu;
};

/**
 * struct loop_closer
 * @reading:	of each update
 * @node:	of the graph
 * @motion:	to each node from the one before, as the filter found it
 * @fixed:	nodes whose @motion does not change any more: the history up to
 *		them is a corrected one
 * @submap:	complete ones; the first @searched were searched
 * @again:	submaps to search again after a correction; @next: the last one
 *		that was
 * @first:	node of the submap that is not complete
 * @closure:	edges
 * @last:	pose of the last update; @travel: up to it
 * @part:	the part of the map that was begun last; @parts: number of it
 * @correcting:	the filter draws a corrected map; @moved: by how much, m
 * @due:	update at which the job's result is taken; 0: there is no job
 * @due_at:	stamp at which it is, if the robot was carried
 * @state:	of the thread, under @lock
 */
struct loop_closer {
	struct slam_params	params;
	struct scan		scan;
	struct reading		**reading;
	uint32_t		readings, reading_room;
	struct loop_node	**node;
	struct pose		*motion;
	uint32_t		nodes, node_room, motion_room, fixed;
	struct loop_submap	*submap;
	uint32_t		submaps, submap_room, searched, first;
	uint32_t		again, next;
	struct graph_edge	*closure;
	uint32_t		closures, closure_room;
	struct pose		last, at_node;
	double			travel;
	uint64_t		due;
	int64_t			due_at;
	bool			correcting;
	double			moved;
	struct part_search	part;
	uint32_t		parts;
	struct loop_job		job;
	struct loop_counts	counts;
	pthread_t		thread;
	pthread_mutex_t		lock;
	pthread_cond_t		changed;
	enum { LOOP_IDLE, LOOP_BUSY, LOOP_END } state;
};

/*
 * The thread
 */

/* How far the closures that agree with the graph were off from the poses
 * before, m, where they are sure: what is there twice in the map
 */
static double torn(const struct loop_job *j)
{
	const struct pose_graph before = { j->seen, j->graph.nodes, NULL, 0 };
	double most = 0;

	for (uint32_t i = j->graph.nodes - 1; i < j->graph.edges; i++) {
		const struct graph_edge *e = j->graph.edge + i;

		if (pose_graph_error(&j->graph, e) < EDGE_AGREES)
			most = fmax(most, pose_graph_error(&before, e));
	}
	return sqrt(most) * LOOP_CLOSE;
}

/* Drop the new closures, and what they did */
static void reject(struct loop_job *j)
{
	memcpy(j->graph.pose, j->seen,
	       j->graph.nodes * sizeof(*j->graph.pose));
	j->rejected = j->search.added;
	j->graph.edges -= j->search.added;
}

static int solve(struct loop_job *j)
{
	struct pose_graph *g = &j->graph;
	struct loop_check now, before;
	double off = 0;
	int err;

	j->waiting = loop_support(g, j->node);
	for (uint32_t i = g->edges - j->search.added; i < g->edges; i++)
		off = fmax(off, g->edge[i].waiting ? 0 :
			   pose_graph_off(g, g->edge + i));
	if (off < OFF && !j->anyway)
		return 0;
	memcpy(j->seen, g->pose, g->nodes * sizeof(*g->pose));
	err = pose_graph_solve(g);
	if (err)
		return err == -EDOM ? 0 : err;
	j->torn = torn(j);
	now = loop_check(j->node, g->nodes, g->pose, j->seen);
	before = loop_check(j->node, g->nodes, j->seen, g->pose);
	if (!loop_check_passed(&now, &before)) {
		reject(j);
		return 0;
	}
	j->solved = true;
	for (uint32_t i = 0; i < g->nodes; i++)
		j->moved = fmax(j->moved, hypot(g->pose[i].x - j->seen[i].x,
						g->pose[i].y - j->seen[i].y));
	return 0;
}

static bool is_interrupted(struct loop_job *j)
{
	j->ended = j->ended || (j->interrupted && j->interrupted(NULL));
	return j->ended;
}

static void run_job(struct loop_job *j)
{
	const uint64_t start = thread_pool_own_cpu();
	int err = 0;

	j->search.node = j->node;
	j->search.graph = &j->graph;
	err = part_search_run(j->part, &j->search);
	j->joins = j->search.added;
	for (uint32_t i = 0; i < j->submaps && !err && !is_interrupted(j); i++)
		err = loop_search_submap(&j->search, j->submap[i].first,
					 j->submap[i].last);
	if (!err)
		err = solve(j);
	j->err = err;
	j->cpu = thread_pool_own_cpu() - start;
}

static void *loop_thread(void *arg)
{
	struct loop_closer *l = arg;

	pthread_mutex_lock(&l->lock);
	while (l->state != LOOP_END) {
		if (l->state == LOOP_IDLE) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		run_job(&l->job);
		pthread_mutex_lock(&l->lock);
		if (l->state == LOOP_BUSY)
			l->state = LOOP_IDLE;
		pthread_cond_broadcast(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void set_state(struct loop_closer *l, int state)
{
	pthread_mutex_lock(&l->lock);
	l->state = state;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static void wait_for_job(struct loop_closer *l)
{
	pthread_mutex_lock(&l->lock);
	while (l->state == LOOP_BUSY)
		pthread_cond_wait(&l->changed, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

/*
 * Its input
 */

/* Variance of a step along a corridor, where the filter believes odometry as
 * far as the scan says nothing
 */
static double blind_variance(const struct loop_closer *l,
			     const struct loop_node *node, double way)
{
	const struct slam_params *p = &l->params;
	const double slip = p->slip + p->slip_per_m * way;

	return 1 / (1 / (slip * slip) + node->evidence / (p->sigma * p->sigma));
}

/* @m: the motion to @node */
static struct graph_edge step_edge(const struct loop_closer *l, uint32_t node,
				   const struct pose *m)
{
	const struct graph_edge carried = {
		.from = node - 1, .to = node, .move = *m,
		.weight = { .xx = CARRIED, .yy = CARRIED, .tt = CARRIED },
	};
	const double way = l->node[node]->travel - l->node[node - 1]->travel;
	const double place = STEP + STEP_PER_M * way;
	const double full = 1 / (place * place);
	const double less = full - 1 / (place * place +
		blind_variance(l, l->node[node], way));
	const double turn = STEP_TURN + STEP_TURN_PER_M * way +
			    STEP_TURN_PER_RAD * fabs(m->yaw);
	double s, c, x, y;

	if (l->node[node]->part != l->node[node - 1]->part)
		return carried;
	det_sincos(m->yaw, &s, &c);
	x = c * l->node[node]->blind_x - s * l->node[node]->blind_y;
	y = s * l->node[node]->blind_x + c * l->node[node]->blind_y;
	return (struct graph_edge){
		.from = node - 1, .to = node, .move = *m,
		.weight = {
			.xx = full - less * x * x, .xy = -less * x * y,
			.yy = full - less * y * y,
			.tt = 1 / (turn * turn),
		},
	};
}

/* What the filter found since the last correction */
static void take_motions(struct loop_closer *l, const struct pose *history)
{
	for (uint32_t i = l->fixed > 1 ? l->fixed : 1; i < l->nodes; i++)
		l->motion[i] = det_between(
			history + l->node[i - 1]->update,
			history + l->node[i]->update);
}

static void job_clear(struct loop_job *j)
{
	loop_search_free(&j->search);
	free(j->graph.pose);
	free(j->graph.edge);
	free(j->node);
	free(j->at);
	free(j->submap);
	free(j->seen);
	*j = (struct loop_job){ .err = 0 };
}

/* The new submaps, and up to @again of those whose surroundings moved */
static void list_submaps(struct loop_closer *l, uint32_t again)
{
	struct loop_job *j = &l->job;

	for (uint32_t i = l->searched; i < l->submaps; i++)
		j->submap[j->submaps++] = l->submap[i];
	for (; again && l->again; again--) {
		l->again--;
		l->next = (l->next + 1) % l->searched;
		j->submap[j->submaps++] = l->submap[l->next];
	}
}

/* @again: as list_submaps() */
static int job_fill(struct loop_closer *l, const struct pose *history,
		    uint32_t again)
{
	struct loop_job *j = &l->job;
	const uint32_t n = l->nodes;
	int err = 0;

	job_clear(j);
	j->search.graph = &j->graph;
	j->part = &l->part;
	j->graph.nodes = n;
	j->graph.pose = malloc(n * sizeof(*j->graph.pose));
	j->seen = malloc(n * sizeof(*j->seen));
	j->node = malloc(n * sizeof(*j->node));
	j->at = malloc(n * sizeof(*j->at));
	j->submap = malloc((l->submaps + 1) * sizeof(*j->submap));
	if (!j->graph.pose || !j->seen || !j->node || !j->at || !j->submap)
		return -ENOMEM;
	take_motions(l, history);
	list_submaps(l, again);
	for (uint32_t i = 0; i < n && !err; i++) {
		j->node[i] = l->node[i];
		j->at[i] = (uint32_t)l->node[i]->update;
		j->graph.pose[i] = history[l->node[i]->update];
		if (i) {
			const struct graph_edge e =
				step_edge(l, i, l->motion + i);

			err = loop_search_add(&j->search, &e);
		}
	}
	for (uint32_t i = 0; i < l->closures && !err; i++)
		err = loop_search_add(&j->search, l->closure + i);
	return err;
}

/* How many closures agree with the poses */
static void count_kept(struct loop_closer *l)
{
	const struct pose_graph *g = &l->job.graph;
	double sum = 0;

	l->counts.kept = 0;
	for (uint32_t i = g->nodes - 1; i < g->edges; i++) {
		const double error = pose_graph_error(g, g->edge + i);

		if (error > EDGE_AGREES)
			continue;
		l->counts.kept++;
		sum += error;
	}
	l->counts.residual = l->counts.kept ?
		sqrt(sum / (3.0 * l->counts.kept)) : 0;
}

/* Take the job's closures. Return: 0 or a negative errno */
static int take_closures(struct loop_closer *l)
{
	struct loop_job *j = &l->job;
	struct loop_counts *c = &l->counts;

	c->tried += j->search.tried;
	c->searched += j->search.searched;
	c->found += j->search.found;
	c->alone += j->search.alone;
	c->contradicted += j->search.contradicted;
	c->rejected += j->rejected;
	c->solved += j->solved;
	c->cpu += j->cpu;
	/* the ones that it replaced stay */
	if (j->rejected)
		return j->err;
	c->waiting = j->waiting;
	count_kept(l);
	l->closures = 0;
	for (uint32_t i = j->graph.nodes - 1; i < j->graph.edges; i++) {
		if (array_grow(&l->closure, &l->closure_room, l->closures,
			       sizeof(*l->closure)))
			return -ENOMEM;
		l->closure[l->closures++] = j->graph.edge[i];
	}
	return j->err;
}

/*
 * Its result
 */

static const struct reading *loop_closer_reading(void *arg, uint64_t update)
{
	const struct loop_closer *l = arg;

	return l->reading[update];
}

/* The part of the map that was begun last is in its place */
static void join_part(struct loop_closer *l)
{
	for (uint32_t i = l->part.first; i < l->nodes; i++)
		l->node[i]->apart = false;
	part_search_end(&l->part);
	l->counts.joined++;
}

/* Replace the history by the corrected one: other places are near now */
static void apply(struct loop_closer *l, struct pose *history, uint32_t count)
{
	const struct loop_job *j = &l->job;
	const struct pose_correction moved = {
		j->at, j->seen, j->graph.pose, j->graph.nodes,
	};

	pose_spread(&moved, history, count);
	l->fixed = l->job.graph.nodes;
	l->again = l->searched;
	if (l->job.joins)
		join_part(l);
}

static void count_correction(struct loop_closer *l, double moved)
{
	l->counts.corrected++;
	l->counts.moved = moved;
}

/* May correct the filter. Return: 0 or a negative errno */
static int take_job(struct loop_closer *l, struct filter *f)
{
	struct pose *history;
	uint32_t count;
	int err;

	wait_for_job(l);
	l->due = 0;
	err = take_closures(l);
	if (err || !l->job.solved || l->job.torn < TORN)
		return err;
	err = filter_history(f, &history, &count);
	if (err)
		return err;
	apply(l, history, count);
	l->correcting = true;
	l->moved = l->job.moved;
	filter_correct(f, history, count, l->job.joins, loop_closer_reading, l);
	return 0;
}

static int start_job(struct loop_closer *l, struct filter *f, uint64_t update)
{
	struct pose *history;
	uint32_t count;
	int err = filter_history(f, &history, &count);

	if (err)
		return err;
	err = job_fill(l, history, 1);
	free(history);
	if (err)
		return err;
	l->searched = l->submaps;
	l->due = update + DELAY;
	l->due_at = l->part.first ?
		    l->reading[update]->stamp + DELAY_PART : INT64_MAX;
	set_state(l, LOOP_BUSY);
	return 0;
}

/*
 * Its readings
 */

static struct reading *copy_reading(const struct reading *r)
{
	const size_t bytes = r->beams * sizeof(float);
	struct reading *copy = malloc(sizeof(*copy) + bytes);

	if (!copy)
		return NULL;
	*copy = *r;
	copy->range = (float *)(copy + 1);
	memcpy(copy + 1, r->range, bytes);
	return copy;
}

static int keep_reading(struct loop_closer *l, const struct reading *r)
{
	struct reading *copy = copy_reading(r);

	if (!copy || array_grow(&l->reading, &l->reading_room, l->readings,
				sizeof(*l->reading))) {
		free(copy);
		return -ENOMEM;
	}
	l->reading[l->readings++] = copy;
	return 0;
}

static int add_node(struct loop_closer *l, uint64_t update)
{
	struct loop_node *node = malloc(sizeof(*node));

	if (!node || array_grow(&l->node, &l->node_room, l->nodes,
				sizeof(*l->node)) ||
	    array_grow(&l->motion, &l->motion_room, l->nodes,
		       sizeof(*l->motion))) {
		free(node);
		return -ENOMEM;
	}
	if (scan_make(&l->scan, l->reading[update], &l->params)) {
		free(node);
		return -ENOMEM;
	}
	node->blind_x = l->scan.blind_x;
	node->blind_y = l->scan.blind_y;
	node->evidence = l->scan.evidence;
	node->update = update;
	node->travel = l->travel;
	node->part = l->parts;
	node->apart = l->part.first;
	node->reading = l->reading[update];
	fit_points_make(&node->points, &l->scan,
			FIELD_UNIT / l->params.resolution);
	l->motion[l->nodes] = (struct pose){ 0, 0, 0 };
	l->node[l->nodes++] = node;
	return 0;
}

/* A submap is complete: the next node begins another one */
static int add_submap(struct loop_closer *l)
{
	const struct loop_submap s = { l->first, l->nodes - 1 };

	if (array_grow(&l->submap, &l->submap_room, l->submaps,
		       sizeof(*l->submap)))
		return -ENOMEM;
	l->submap[l->submaps++] = s;
	l->first = l->nodes;
	return 0;
}

/* The robot was carried to @r->update: the steps on both sides of it are nodes, so
 * that a correction of one part does not reach into the other one
 */
static int begin_part(struct loop_closer *l, const struct filter_result *r)
{
	int err = 0;

	if (!l->nodes)
		return 0;
	if (l->node[l->nodes - 1]->update + 1 < r->update)
		err = add_node(l, r->update - 1);
	if (!err && l->nodes > l->first)
		err = add_submap(l);
	if (err)
		return err;
	part_search_begin(&l->part, l->nodes);
	l->parts++;
	/* whatever it sees is another visit */
	l->travel += LOOP_APART;
	l->last = r->pose;
	return add_node(l, r->update);
}

static int extend(struct loop_closer *l, const struct filter_result *r)
{
	struct pose since;
	int err = 0;

	if (r->carried) {
		l->at_node = r->pose;
		return begin_part(l, r);
	}
	if (l->readings > 1 && !r->corrected)
		l->travel += hypot(r->pose.x - l->last.x,
				   r->pose.y - l->last.y);
	l->last = r->pose;
	if (r->corrected)
		l->at_node = r->pose;
	since = det_between(&l->at_node, &r->pose);
	if (!l->nodes ||
	    l->travel - l->node[l->nodes - 1]->travel >= NODE_EVERY ||
	    fabs(since.yaw) >= NODE_TURN) {
		l->at_node = r->pose;
		err = add_node(l, r->update);
	}
	if (!err && l->nodes > l->first &&
	    l->node[l->nodes - 1]->travel - l->node[l->first]->travel >=
	    LOOP_SUBMAP)
		err = add_submap(l);
	return err;
}

int loop_closer_add(struct loop_closer *l, struct filter *f,
		    const struct filter_result *r)
{
	int err;

	if (!r->updated)
		return 0;
	assert(r->update == l->readings);
	err = keep_reading(l, filter_reading(f));
	if (!err)
		err = extend(l, r);
	if (r->corrected) {
		l->correcting = false;
		count_correction(l, l->moved);
	}
	if (!err && l->due && (r->update >= l->due ||
			       l->reading[r->update]->stamp >= l->due_at))
		err = take_job(l, f);
	if (err || l->due || l->correcting ||
	    (l->searched == l->submaps &&
	     !part_search_due(&l->part, l->nodes)))
		return err;
	return start_job(l, f, r->update);
}

/* Search, and correct the history. Return: 0; -ENOMEM */
static int finish_pass(struct loop_closer *l, struct pose *history,
		       uint32_t count, uint32_t again, bool anyway,
		       bool (*interrupted)(void *arg))
{
	int err = job_fill(l, history, again);

	if (err)
		return err;
	l->job.anyway = anyway;
	l->job.interrupted = interrupted;
	l->searched = l->submaps;
	run_job(&l->job);
	err = take_closures(l);
	if (err || !l->job.solved)
		return err;
	if (l->job.torn < (l->counts.corrected ? TORN_AGAIN : TORN))
		return 0;
	apply(l, history, count);
	count_correction(l, l->job.moved);
	return 0;
}

int loop_closer_adjust(struct loop_closer *l, struct pose *history,
		       uint32_t count, bool (*interrupted)(void *arg))
{
	if (count > l->readings)
		count = l->readings;
	return adjust_history((const struct reading *const *)l->reading,
			      history, count, &l->params, &l->counts.adjust,
			      interrupted);
}

int loop_closer_finish(struct loop_closer *l, struct pose *history,
		       uint32_t count, bool (*interrupted)(void *arg))
{
	bool missed = l->correcting;
	int ret = 0;

	if (l->due) {
		wait_for_job(l);
		l->due = 0;
		ret = take_closures(l);
		missed |= l->job.solved;
	}
	if (!ret && l->nodes > l->first)
		ret = add_submap(l);
	if (ret || !l->nodes || count <= l->node[l->nodes - 1]->update)
		return ret;
	ret = finish_pass(l, history, count, 0, missed, interrupted);
	/* where the history moved, other places are near now: twice */
	for (int i = 0; i < 2 && !ret && l->again && !l->job.ended; i++)
		ret = finish_pass(l, history, count, LAST, false, interrupted);
	return !ret && l->job.ended ? -EINTR : ret;
}

/* From the node before, as the filter found it, also if no job took it yet */
static struct pose motion_to(const struct loop_closer *l, uint32_t node,
			     const struct pose *history)
{
	return node < l->fixed ? l->motion[node] :
	       det_between(history + l->node[node - 1]->update,
			   history + l->node[node]->update);
}

int loop_closer_edges(const struct loop_closer *l, const struct pose *history,
		      uint32_t count, struct graph_edge **edge,
		      uint32_t *edges)
{
	struct graph_edge *e = malloc((l->nodes + l->closures + 1) *
				      sizeof(*e));
	uint32_t n = 0;

	if (!e)
		return -ENOMEM;
	for (uint32_t i = 1; i < l->nodes && l->node[i]->update < count; i++) {
		const struct pose move = motion_to(l, i, history);

		e[n++] = step_edge(l, i, &move);
	}
	if (l->closures)
		memcpy(e + n, l->closure, l->closures * sizeof(*e));
	n += l->closures;
	for (uint32_t i = 0; i < n; i++) {
		e[i].from = (uint32_t)l->node[e[i].from]->update;
		e[i].to = (uint32_t)l->node[e[i].to]->update;
	}
	*edge = e;
	*edges = n;
	return 0;
}

struct loop_counts loop_closer_counts(const struct loop_closer *l)
{
	struct loop_counts c = l->counts;

	c.nodes = l->nodes;
	c.closures = l->closures;
	c.too_wide = l->part.too_wide;
	return c;
}

int loop_closer_create(struct loop_closer **closer,
		       const struct slam_params *params)
{
	struct loop_closer *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->params = *params;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	err = thread_start(&l->thread, loop_thread, l);
	if (err) {
		pthread_mutex_destroy(&l->lock);
		pthread_cond_destroy(&l->changed);
		free(l);
		return err;
	}
	*closer = l;
	return 0;
}

void loop_closer_destroy(struct loop_closer *l)
{
	if (!l)
		return;
	set_state(l, LOOP_END);
	pthread_join(l->thread, NULL);
	job_clear(&l->job);
	part_search_end(&l->part);
	for (uint32_t i = 0; i < l->nodes; i++)
		free(l->node[i]);
	for (uint32_t i = 0; i < l->readings; i++)
		free(l->reading[i]);
	free(l->reading);
	scan_free(&l->scan);
	free(l->node);
	free(l->motion);
	free(l->submap);
	free(l->closure);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->changed);
	free(l);
}
