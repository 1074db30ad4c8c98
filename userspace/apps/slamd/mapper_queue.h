/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapper_queue.h - from the thread of the filter to that of the mapper
 *
 * Scans of updates are queued until they are taken together with a history that
 * has a pose for each of them. A newer history replaces a queued one.
 */
#ifndef APPS_SLAMD_MAPPER_QUEUE_H
#define APPS_SLAMD_MAPPER_QUEUE_H

#include <stdbool.h>
#include "slam/graph/pose_graph.h"
#include "slam/workers/wire.h"

struct mapper_queue;

/* Return: NULL: no memory */
struct mapper_queue *mapper_queue_create(void);
/* No thread may wait in it; NULL is allowed */
void mapper_queue_destroy(struct mapper_queue *h);

/* A scan; copied. Return: 0, -ENOMEM */
int mapper_queue_scan(struct mapper_queue *h, const struct reading *r);

/* A history of all scans so far, from malloc(); @h takes it */
void mapper_queue_history(struct mapper_queue *h, struct pose *history,
			  uint32_t count);

/* The pose graph of the next history, from malloc(); @h takes it */
void mapper_queue_graph(struct mapper_queue *h, struct graph_edge *edge,
			uint32_t edges);

/**
 * mapper_queue_replace() - other scans, of another filter
 * @from: its scans move to @h; those that wait in @h are dropped
 *
 * Waits until the mapper waits for a history: it does nothing until it gets
 * one of the new scans.
 */
void mapper_queue_replace(struct mapper_queue *h, struct mapper_queue *from);

/* Whether the mapper waits for a history */
bool mapper_queue_idle(struct mapper_queue *h);

/**
 * struct mapper_update - from the queue; free with mapper_update_free()
 * @scan:	@scans new ones, each followed by its ranges
 * @history:	@count poses; NULL: none
 * @edge:	@edges of the pose graph; NULL: none
 */
struct mapper_update {
	struct wire_reading	**scan;
	uint32_t		scans;
	struct pose		*history;
	uint32_t		count;
	struct graph_edge	*edge;
	uint32_t		edges;
};

/* Wait for a history. Return: false: mapper_queue_end() was called */
bool mapper_queue_take(struct mapper_queue *h, struct mapper_update *handed);
void mapper_update_free(struct mapper_update *handed);

void mapper_queue_end(struct mapper_queue *h);

#endif
