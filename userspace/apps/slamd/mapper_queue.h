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

struct handover;

/* Return: NULL: no memory */
struct handover *handover_create(void);
/* When nobody waits any more; NULL is allowed */
void handover_destroy(struct handover *h);

/* A scan; copied. Return: 0, -ENOMEM */
int handover_scan(struct handover *h, const struct reading *r);

/* A history of all scans until now, from malloc(); is @h's from now on */
void handover_history(struct handover *h, struct pose *history,
		      uint32_t count);

/* Whether whoever draws waits for one */
bool handover_idle(struct handover *h);

/**
 * struct handed - what was taken; to be freed with handed_free()
 * @scan:	new ones, @scans of them, with their ranges behind them
 * @history:	@count of poses; NULL: none
 */
struct handed {
	struct wire_reading	**scan;
	uint32_t		scans;
	struct pose		*history;
	uint32_t		count;
};

/* Waits for a history. Return: false: handover_end(), and what is left */
bool handover_take(struct handover *h, struct handed *handed);
void handed_free(struct handed *handed);

void handover_end(struct handover *h);

#endif
