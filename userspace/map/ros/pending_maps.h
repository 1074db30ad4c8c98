/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending_maps.h - maps of messages that cannot be stored yet
 *
 * Those whose node is unknown are kept here; those that wait for a match are
 * kept by the matcher. Both count here. For one thread.
 */
#ifndef MAP_ROS_PENDING_MAPS_H
#define MAP_ROS_PENDING_MAPS_H

#include <stdbool.h>
#include "map/ros/map_config.h"
#include "map/ros/submap_message.h"

enum { PENDING_MAPS = 64 };

#define PENDING_MAPS_BYTES	((size_t)256 << 20)	/* of cells */

/**
 * struct message_maps - the maps of one message
 * @message:	its number
 * @frame:	empty: not known yet
 * @cells:	of each map; a copy of pending_maps_copy() holds a reference
 * @bytes:	of cells, of a copy
 */
struct message_maps {
	char		topic[MAP_CONFIG_TEXT], frame[STORE_FRAME];
	uint64_t	message;
	int64_t		stamp;
	unsigned int	count;
	unsigned int	layer[SUBMAP_LAYERS];
	struct cells	*cells[SUBMAP_LAYERS];
	size_t		bytes;
};

/**
 * struct pending_maps
 * @bytes:	of all copies
 */
struct pending_maps {
	size_t		bytes;
	/* private: in the order of arrival */
	struct pending_map {
		struct message_maps	*maps;
		uint64_t		due;
	}		pending_map[PENDING_MAPS];
	unsigned int	pending_count;
};

/* Free with pending_maps_free(). Return: NULL: no memory */
struct message_maps *pending_maps_copy(struct pending_maps *p,
				       const struct message_maps *m);
void pending_maps_free(struct pending_maps *p, struct message_maps *m);

/* Whether the list is full, or all copies are too large together */
bool pending_maps_full(const struct pending_maps *p);

/**
 * pending_maps_add() - keep maps until their node is known
 * @m: of pending_maps_copy(); there must be room for it
 * @due: ns, not before that of earlier ones
 */
void pending_maps_add(struct pending_maps *p, struct message_maps *m,
		      uint64_t due);

/* The @i-th, oldest first; NULL: there are no more. It remains in the list */
struct message_maps *pending_maps_get(const struct pending_maps *p,
				      unsigned int i);

/* Remove the @i-th from the list. Return: free with pending_maps_free() */
struct message_maps *pending_maps_take(struct pending_maps *p, unsigned int i);

/* When the @i-th has waited for too long; UINT64_MAX: there is none */
uint64_t pending_maps_due(const struct pending_maps *p, unsigned int i);

#endif
