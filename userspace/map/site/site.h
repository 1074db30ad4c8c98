/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site.h - the current state of a site: the content of the store, and fused
 * maps
 *
 * In: layers, keyframes, transforms. They are checked, stored, and then used;
 * fused maps follow when site_fuse() is called. Out: values of spots and parts
 * of maps.
 *
 * Any number of threads may store (site_keyframe() and all others that change
 * something): they take turns, in order of arrival, one turn per call. One
 * thread fuses (site_fuse(), site_ensure()); any number may query
 * (site_value(), site_read(), ...). Storing never waits for fusing.
 */
#ifndef MAP_SITE_SITE_H
#define MAP_SITE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "map/fusion/fused_map.h"
#include "map/layer/layer.h"
#include "map/site/storey.h"
#include "map/store/store.h"

enum {
	SITE_LAYERS	= 256,
};

/* Root of the transforms; its pose is always 0 */
#define SITE_ROOT	"map"

/**
 * struct site_config
 * @memory:	bytes for cells and tiles together, 0: SITE_MEMORY
 * @threads:	that fuse, 0: one for each CPU
 * @storey:	m, see storey_is_apart(); negative: heights and slopes do not
 *		count; 0: STOREY_HEIGHT
 * @in_part:	for queries only: layers are read, but only the nodes and
 *		submaps that site_read_area() requests
 */
struct site_config {
	size_t		memory;
	unsigned int	threads;
	double		storey;
	bool		in_part;
};

#define SITE_MEMORY	((size_t)1 << 30)

struct store_edge;
struct site;

/**
 * site_open() - as store_open(), and read all but the cells
 */
int site_open(struct site **s, const char *path, enum store_mode mode,
	      const struct site_config *config, struct error *error);
void site_close(struct site *s);

/**
 * struct site_area - in the map, m
 */
struct site_area {
	double	x0, y0, x1, y1;
};

/**
 * site_read_area() - read what may have cells in an area, for a site in part
 *
 * Call it once, before fusing. Fused maps are right in the area; elsewhere they
 * may be incomplete.
 *
 * Return: 0; as store_open(), with one line in @error.
 */
int site_read_area(struct site *s, const struct site_area *area,
		   struct error *error);

/* Use it, and read its errors, only between site_turn() and site_turn_end() */
struct store *site_store(struct site *s);

/**
 * site_turn() - exclude all other changes until site_turn_end()
 *
 * Waits for the thread that has the turn. Each thread may nest them.
 */
void site_turn(struct site *s);
void site_turn_end(struct site *s);

/*
 * Layers are numbered from 0 in the order of creation; numbers do not change.
 */
unsigned int site_layers(struct site *s);
/* Makes a copy, as others may change it */
void site_layer(struct site *s, unsigned int number, struct layer *layer);
/* Return: number, or -ENOENT */
int site_find_layer(struct site *s, const char *name);

/**
 * site_remove_layer() - remove a layer and its submaps
 * @submaps: out: number of removed submaps
 *
 * Nodes stay. Its number stays in use, but site_find_layer() does not find it
 * until site_set_layer() or a submap restores it; the fused map becomes empty
 * with the next site_fuse().
 *
 * Return: 0; as store_remove_layer().
 */
int site_remove_layer(struct site *s, unsigned int number,
		      unsigned int *submaps, struct error *error);
bool site_layer_removed(struct site *s, unsigned int number);

/* Number of submaps of a layer */
unsigned int site_layer_submaps(struct site *s, unsigned int number);

/**
 * site_set_layer() - add a layer, or change its settings
 *
 * Return: its number; -EINVAL: it has submaps of other bits; -ENOSPC: there are
 * SITE_LAYERS; as store_layer().
 */
int site_set_layer(struct site *s, const struct layer *layer,
		   struct error *error);

/**
 * struct site_submap - submap of a keyframe
 * @layer:	number
 * @stamp:	ns since the epoch
 * @weight:	confidence, 0..RULE_WEIGHT_FULL
 */
struct site_submap {
	unsigned int	layer;
	int64_t		stamp;
	unsigned int	weight;
	struct cells	*cells;
};

/**
 * site_keyframe() - store the submaps of a node of the pose graph
 * @frame:	of the node: 1..STORE_FRAME - 1 bytes of UTF-8, no control
 *		characters; SITE_ROOT: these are whole maps
 * @stamp:	of the node
 * @pose:	in the map, or NULL: unchanged, or they wait for a transform
 *
 * Older submaps of the same node and layer are replaced.
 *
 * Return: 0: is on disk; -EINVAL, -ESTALE: an existing one is newer; as
 * store_keyframe(). On error nothing is stored.
 */
int site_keyframe(struct site *s, const char *frame, int64_t stamp,
		  const struct pose *pose, const struct site_submap *submap,
		  unsigned int submaps, struct error *error);

/**
 * struct site_transform - pose of a node
 * @predecessor: the frame that @pose is in; SITE_ROOT or empty: the map's
 * @rise:	its height and slope
 */
struct site_transform {
	char		frame[STORE_FRAME], predecessor[STORE_FRAME];
	int64_t		stamp;
	struct pose	pose;
	struct storey_link rise;
};

/**
 * site_transforms() - change the pose graph
 * @source:	of the change
 *
 * A node on another storey than the first one, or that leans, is kept apart: it
 * has no pose, so its submaps are not fused, until it comes back. Those that
 * depend on it have their place as before.
 *
 * Nodes that depend on others move with them. If no node has a pose before or
 * after the call, the first predecessor becomes the origin of the map.
 *
 * Return: 0: is on disk; -EINVAL: an invalid frame or transform, or a circle of
 * frames; as store_poses(). On error nothing changes.
 */
int site_transforms(struct site *s, const struct site_transform *t,
		    unsigned int count, const char *source,
		    struct error *error);

/**
 * struct site_apart - nodes that a change set apart
 * @frame:	one of them
 * @above:	the map's storey, m
 * @lean:	degrees from the horizontal plane
 * @nodes:	how many are apart now
 */
struct site_apart {
	char		frame[STORE_FRAME];
	double		above, lean;
	unsigned int	nodes;
};

/* @found: called once for each change, in its thread; must not use the site */
void site_set_apart(struct site *s,
		    void (*found)(void *arg, const struct site_apart *a),
		    void *arg);

/**
 * site_narrow() - fuse only submaps that site_transforms() would move
 * @t: @count of them, of existing nodes
 *
 * Call it before the first site_fuse(): fused maps then contain only the
 * submaps of these nodes and of their followers, to count what moves. Their
 * tiles are those that a map of all submaps would have to fuse again.
 *
 * Return: 0, -ENOMEM.
 */
int site_narrow(struct site *s, const struct site_transform *t,
		unsigned int count);

/**
 * site_fuse() - update fused maps
 * @layer:	number, or -1: all
 * @deadline:	as for fused_map_update()
 * @moved:	counts submaps that moved, or NULL
 * @work:	or NULL
 *
 * Return: 0: all is up to date; 1: more work is left; -ENOMEM.
 */
int site_fuse(struct site *s, int layer, uint64_t deadline, uint64_t *moved,
	      struct fused_map_work *work);

/**
 * site_outdate() - mark fused maps as outdated until site_fuse() is done
 *
 * Meanwhile queries of a spot or a small part of a map read the store.
 */
void site_outdate(struct site *s);

/* Has site_fuse() work to do? For the thread that fuses */
bool site_is_stale(struct site *s);

/* Resolution of the fused map, m; 0: it does not exist yet */
double site_resolution(struct site *s, unsigned int layer);

/* Bounds of known cells of a layer, in cells of its map */
struct rect site_bounds(struct site *s, unsigned int layer);

/**
 * site_value() - value of the cell that contains a point
 * @x, @y: m
 *
 * Return: 0..full value, -1: unknown.
 */
int site_value(struct site *s, unsigned int layer, double x, double y);

/**
 * site_read() - as fused_map_read(), for a layer
 *
 * Return: 0; -ENODATA: no fused map yet; -EAGAIN, or an error of the callback
 * of site_set_want(): parts were evicted and are left unknown.
 */
int site_read(struct site *s, unsigned int layer, struct raster *r);

/* As fused_map_ensure(), for the thread that fuses */
int site_ensure(struct site *s, unsigned int layer, const struct rect *r);

/**
 * site_set_want() - set the callback that restores evicted parts of a map
 * @want: called by site_value() and site_read(), in the thread of the query;
 *	NULL, the default: evicted parts are unknown
 */
typedef int site_want_fn(void *arg, unsigned int layer, const struct rect *r);
void site_set_want(struct site *s, site_want_fn *want, void *arg);

/* As fused_map_changes(), for a layer */
uint64_t site_changes(struct site *s, unsigned int layer, uint64_t since,
		      void (*each)(void *arg, const struct rect *tile),
		      void *arg);

/*
 * Differs when another fused map has replaced that of a layer: site_changes()
 * then has all of its tiles, and those of before are gone
 */
uint64_t site_renewed(struct site *s, unsigned int layer);

/**
 * struct site_latest - the submap of a layer with the latest stamp
 * @cells:	one reference
 */
struct site_latest {
	int64_t		stamp;
	char		frame[STORE_FRAME];
	struct cells	*cells;
};

/* For any thread. Return: 0; -ENODATA: there is none; as store_cells() */
int site_latest(struct site *s, unsigned int layer, struct site_latest *l);

/**
 * site_raster() - read a whole layer, cropped to its known cells
 * @r:		cells are to be freed
 * @rule:	enum rule_id, or -1: that of the layer; with another one the
 *		layer is fused again, only allowed in the thread that fuses
 *
 * Beyond 2^27 cells the result has cells 2, 4, ... times as large: see
 * level_read().
 *
 * Return: 0; -ENODATA: nothing is known; -ENOMEM.
 */
int site_raster(struct site *s, unsigned int layer, int rule,
		struct raster *r);

/* Does a node of that name exist? */
bool site_has_frame(struct site *s, const char *frame);

/*
 * Rooms and settings in the store, for any thread: see store_rooms(),
 * store_get(). @error: out: one line.
 */
int site_rooms(struct site *s,
	       int (*each)(void *arg, const struct room *room), void *arg,
	       struct error *error);
/* As store_each_edge() */
int site_edges(struct site *s,
	       int (*each)(void *arg, const struct store_edge *edge), void *arg,
	       struct error *error);
int site_setting(struct site *s, const char *name, char *value,
		 unsigned int room);
int site_repeaters(struct site *s,
		   int (*each)(void *arg, double x, double y), void *arg,
		   struct error *error);

/*
 * @found: called for each error of the disk, in any thread; must not use the
 * site. Set it before other threads use the site
 */
void site_set_io_error(struct site *s,
		       void (*found)(void *arg, const char *line), void *arg);

/**
 * struct site_damaged - a submap whose cells cannot be read
 *
 * It is missing in its map until a newer one replaces it.
 */
struct site_damaged {
	char	layer[LAYER_NAME], frame[STORE_FRAME];
};

/**
 * site_set_damaged() - set the callback for damaged submaps, called once each
 * @found: called in the thread that read the cells; must not use the site
 */
void site_set_damaged(struct site *s,
		      void (*found)(void *arg, const struct site_damaged *d),
		      void *arg);

/**
 * site_damaged() - list the damaged submaps found so far
 * @list: gets up to @most of them
 *
 * Return: number of entries in @list; if @most is 0, number of damaged submaps.
 */
unsigned int site_damaged(struct site *s, struct site_damaged *list,
			  unsigned int most);

/**
 * struct site_counts
 * @placed:	nodes with a pose
 * @waiting:	submaps whose node has no pose yet
 * @apart:	nodes on another storey, or that lean; @apart_submaps: theirs
 * @to_fuse:	new or moved submaps that are not in fused maps yet
 */
struct site_counts {
	unsigned int	nodes, placed, submaps, waiting, to_fuse;
	unsigned int	apart, apart_submaps;
	size_t		cell_bytes, tile_bytes;
};

struct site_counts site_counts(struct site *s);

/* Calls back for each node, in order of creation; under a lock: be quick */
void site_each_node(struct site *s,
		    void (*each)(void *arg, const struct store_node *node),
		    void *arg);

#endif
