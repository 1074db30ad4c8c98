/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapper_queue.h - from the thread of the filter to the one that draws
 *
 * Scans of updates gather until they are taken, together with a history that
 * has a pose for each of them. A newer history takes the place of one that
 * waits.
 */
#ifndef APPS_SLAMD_MAPPER_QUEUE_H
#define APPS_SLAMD_MAPPER_QUEUE_H

#include <stdbool.h>
#include "slam/workers/wire.h"

struct mapper_queue;

/* Return: NULL: no memory */
struct mapper_queue *mapper_queue_create(void);
/* When nobody waits any more; NULL is allowed */
void mapper_queue_destroy(struct mapper_queue *h);

/* A scan; copied. Return: 0, -ENOMEM */
int mapper_queue_scan(struct mapper_queue *h, const struct reading *r);

/* A history of all scans until now, from malloc(); is @h's from now on */
void mapper_queue_history(struct mapper_queue *h, struct pose *history,
			  uint32_t count);

/* Whether whoever draws waits for one */
bool mapper_queue_idle(struct mapper_queue *h);

/**
 * struct mapper_update - what was taken; to be freed with mapper_update_free()
 * @scan:	new ones, @scans of them, with their ranges behind them
 * @history:	@count of poses; NULL: none
 */
struct mapper_update {
	struct wire_reading	**scan;
	uint32_t		scans;
	struct pose		*history;
	uint32_t		count;
};

/* Waits for a history. Return: false: mapper_queue_end(), and what is left */
bool mapper_queue_take(struct mapper_queue *h, struct mapper_update *handed);
void mapper_update_free(struct mapper_update *handed);

void mapper_queue_end(struct mapper_queue *h);

#endif
