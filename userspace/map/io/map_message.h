/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_message.h - convert fused maps to ROS messages
 */
#ifndef MAP_IO_MAP_MESSAGE_H
#define MAP_IO_MAP_MESSAGE_H

#include "map/fusion/raster.h"
#include "ros/msg/message.h"

enum { MAP_MESSAGE_CELLS = 1 << 26 };	/* of a message, at most */

/*
 * Message type of a layer's maps: 8 bits nav_msgs/OccupancyGrid, else GridMap
 */
static inline enum message_kind map_message_kind(unsigned int bits)
{
	return bits == 8 ? MESSAGE_OCCUPANCY_GRID : MESSAGE_GRID_MAP;
}

/**
 * struct map_room - reusable buffers; all 0 initially
 * @cells:	of one layer, capacity @room
 * @bytes:	of all layers' cells in a message, floats: capacity @floats
 */
struct map_room {
	int16_t	*cells;
	void	*bytes;
	size_t	room, floats;
};

/**
 * map_room_reserve_layers() - allocate buffers for a map
 * @cells:	of each of its @layers
 *
 * Return: 0; -E2BIG: more than MAP_MESSAGE_CELLS in all; -ENOMEM: the buffers
 * are freed.
 */
int map_room_reserve_layers(struct map_room *m, size_t cells,
			    unsigned int layers);

/* For a map of one layer */
int map_room_reserve(struct map_room *m, size_t cells);
void map_room_free(struct map_room *m);

/**
 * map_message() - make the message of a whole map
 * @r:		its cells are in @room
 * @frame:	of the map; must stay valid
 *
 * Grid maps have one layer, "value", with 0..1, and -1 for unknown.
 */
void map_message(struct map_room *room, const struct raster *r, int64_t stamp,
		 const char *frame, union message *m);

/* As map_message(); @layer: its name in a grid map, must stay valid */
void map_message_named(struct map_room *room, const struct raster *r,
		       const char *layer, int64_t stamp, const char *frame,
		       union message *m);

/* Add a layer to the grid map @m, of the same rectangle */
void map_message_more(struct map_room *room, const struct raster *r,
		      const char *layer, union message *m);

/**
 * map_message_update() - make an update message for a part of an occupancy grid
 * @r:		its cells are in @room
 * @whole:	the map that contains it
 */
void map_message_update(struct map_room *room, const struct raster *r,
			const struct rect *whole, int64_t stamp,
			const char *frame, union message *m);

#endif
