/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queries.h - queries of a site, answered as JSON
 *
 * Shared by the command line, the daemon's socket and its HTTP API.
 */
#ifndef MAP_SITE_QUERIES_H
#define MAP_SITE_QUERIES_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "map/site/room_values.h"
#include "map/site/site.h"

/**
 * query_spot() - values of all layers at a point (D4.1, section 5.1)
 * @x, @y: m, in the map
 * @out: adds "x", "y"; "layers": for each one "value" (0..100, 0..1, null:
 *	unknown) and "physical" with "unit" if it has one; and one value of
 *	each modality by its name, see modality_values.h; "gases"
 *
 * Return: 0; -EINVAL: invalid point; -ENOMEM.
 */
int query_spot(struct site *s, double x, double y, cJSON *out,
	       struct error *error);

/* "layers": settings and extent of each */
int query_layers(struct site *s, cJSON *out);

/*
 * "rooms": number of rooms, as reported, or of described ones if larger;
 * "list":
 * their positions
 */
int query_rooms(struct site *s, cJSON *out, struct error *error);

/* "edges", "loops", "waiting": how many; "list": "from", "to", "kind", "waiting",
 * "x", "y", "yaw", "covariance": xx, xy, xt, yy, yt, tt. Return: as
 * store_each_edge()
 */
int query_edges(struct site *s, cJSON *out, struct error *error);

/**
 * query_room() - one room, with its values in the current fused maps
 * @out: "id", "name", "x", "y", "size", "outline"; "layers": for each
 *	whose modality rooms report "mean" and "max", also "physical_...";
 *	"reported": values of the sender, with "gas_names" if it has names
 *
 * Return: 0; -ENOENT: no such room; -EINVAL, -ENOMEM; as store_rooms().
 */
int query_room(struct site *s, unsigned int id, cJSON *out,
	       struct error *error);
int query_find_room(struct site *s, unsigned int id, struct room *room,
		    struct error *error);

/*
 * "nodes", "placed", "submaps", "waiting", "apart", "apart_submaps", "to_fuse",
 * "damaged", "cell_bytes", "tile_bytes"
 */
int query_status(struct site *s, cJSON *out);

#endif
