/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site.h - the site as it is known now: what the store has, and the fused maps
 *
 * In: layers, keyframes, transforms. They are checked, stored, and then known;
 * fused maps follow when site_fuse() is called. Out: values of spots and parts
 * of maps.
 *
 * Any number of threads may store (site_keyframe() and all that changes
 * something): they take turns, in the order they came, one for each call. One
 * thread fuses (site_fuse(), site_want()); any number may look (site_value(),
 * site_read(), ...). What stores never waits for what fuses.
 */
#ifndef MAP_SITE_SITE_H
#define MAP_SITE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "map/fusion/fused_map.h"
#include "map/layer/layer.h"
#include "map/store/store.h"

enum {
	SITE_LAYERS	= 256,
};

/* Transforms begin here; its pose is always 0 */
#define SITE_ROOT	"map"

/**
 * struct site_config
 * @memory:	bytes for cells and tiles together, 0: SITE_MEMORY
 * @threads:	that fuse, 0: one for each CPU
 * @in_part:	to look only: layers are read, of nodes and submaps what
 *		site_read_area() asks for
 */
struct site_config {
	size_t		memory;
	unsigned int	threads;
	bool		in_part;
};

#define SITE_MEMORY	((size_t)1 << 30)

struct site;

/**
 * site_open() - as store_open(), and read all but the cells
 */
int site_open(struct site **s, const char *path, enum store_mode mode,
	      const struct site_config *config, char error[ERROR_TEXT]);
void site_close(struct site *s);

/**
 * struct site_area - in the map, m
 */
struct site_area {
	double	x0, y0, x1, y1;
};

/**
 * site_read_area() - what may have cells in an area, for a site in part
 *
 * Once, before it is fused. Fused maps are right in the area, and wherever else
 * they are known they may lack something.
 *
 * Return: 0; as store_open(), with one line in @error.
 */
int site_read_area(struct site *s, const struct site_area *area,
		   char error[ERROR_TEXT]);

/* To be worked with, and its errors read, between site_turn() and site_turn_end() */
struct store *site_store(struct site *s);

/**
 * site_turn() - nobody else changes anything until site_turn_end()
 *
 * Waits for who has the turn. Each thread may nest them.
 */
void site_turn(struct site *s);
void site_turn_end(struct site *s);

/*
 * Layers are numbered from 0 in the order they came to the store; they stay.
 */
unsigned int site_layers(struct site *s);
/* A copy, as others may change it */
void site_layer(struct site *s, unsigned int number, struct layer *layer);
/* Return: number, or -ENOENT */
int site_find_layer(struct site *s, const char *name);

/**
 * site_remove_layer() - a layer and its submaps go
 * @submaps: gets how many there were
 *
 * Nodes stay. Its number stays in use, but site_find_layer() does not find it
 * until site_set_layer() or a submap of it brings it back; the fused map gets
 * empty with the next site_fuse().
 *
 * Return: 0; as store_remove_layer().
 */
int site_remove_layer(struct site *s, unsigned int number,
		      unsigned int *submaps, char error[ERROR_TEXT]);
bool site_layer_removed(struct site *s, unsigned int number);

/* How many there are of one */
unsigned int site_layer_submaps(struct site *s, unsigned int number);

/**
 * site_set_layer() - add a layer, or change what one means
 *
 * Return: its number; -EINVAL: it has submaps of other bits; -ENOSPC: there are
 * SITE_LAYERS; as store_layer().
 */
int site_set_layer(struct site *s, const struct layer *layer,
		   char error[ERROR_TEXT]);

/**
 * struct site_submap - of a keyframe
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
 * site_keyframe() - submaps of one node of the pose graph
 * @frame:	names it: 1..STORE_FRAME - 1 bytes of UTF-8, no control characters;
 *		SITE_ROOT: these are whole maps
 * @stamp:	of the node
 * @pose:	in the map, or NULL: as it is known, or they wait for a transform
 *
 * Those of the same node and layer are replaced, unless they are newer.
 *
 * Return: 0: is on disk; -EINVAL, -ESTALE: one that is there is newer; as
 * store_keyframe(). Nothing is stored then.
 */
int site_keyframe(struct site *s, const char *frame, int64_t stamp,
		  const struct pose *pose, const struct site_submap *submap,
		  unsigned int submaps, char error[ERROR_TEXT]);

/**
 * struct site_transform - where a node is
 * @predecessor: the frame that @pose is in; SITE_ROOT or empty: the map's
 */
struct site_transform {
	char		frame[STORE_FRAME], predecessor[STORE_FRAME];
	int64_t		stamp;
	struct pose	pose;
};

/**
 * site_transforms() - the pose graph changed
 * @source:	who says so
 *
 * What follows others moves with them. If nothing has a place yet, nor gets one
 * now, the first predecessor is where the map begins.
 *
 * Return: 0: is on disk; -EINVAL: a frame or transform that cannot be, or
 * frames that follow each other in a circle; as store_poses(). Nothing is
 * changed then.
 */
int site_transforms(struct site *s, const struct site_transform *t,
		    unsigned int count, const char *source,
		    char error[ERROR_TEXT]);

/**
 * site_narrow() - fuse nothing but what site_transforms() would move
 * @t: @count of them, of nodes that are there
 *
 * Before the first site_fuse(): fused maps then have only the submaps of these
 * nodes and of those that follow them, for who counts what moves. Their tiles
 * are those that a map of all submaps would have to fuse anew.
 *
 * Return: 0, -ENOMEM.
 */
int site_narrow(struct site *s, const struct site_transform *t,
		unsigned int count);

/**
 * site_fuse() - bring fused maps up to date
 * @layer:	number, or -1: all
 * @deadline:	as of fused_map_update()
 * @moved:	counts submaps that moved, or NULL
 * @work:	or NULL
 *
 * Return: 0: all is up to date; 1: there is more to do; -ENOMEM.
 */
int site_fuse(struct site *s, int layer, uint64_t deadline, uint64_t *moved,
	      struct fused_map_work *work);

/**
 * site_outdate() - until site_fuse() is done, fused maps are not what is stored
 *
 * Who asks for a spot or a small part of a map meanwhile gets it from the store.
 */
void site_outdate(struct site *s);

/* Whether site_fuse() has something to do; for the thread that fuses */
bool site_is_stale(struct site *s);

/* Of the fused map, m; 0: there is nothing yet */
double site_resolution(struct site *s, unsigned int layer);

/* What may be known of a layer, in cells of its map */
struct rect site_bounds(struct site *s, unsigned int layer);

/**
 * site_value() - of the cell that a point is in
 * @x, @y: m
 *
 * Return: 0..full value, -1: unknown.
 */
int site_value(struct site *s, unsigned int layer, double x, double y);

/**
 * site_read() - as fused_map_read(), for a layer
 *
 * Return: 0; -ENODATA: there is nothing yet; -EAGAIN, or what else
 * site_set_want() leads to: something was forgotten and is left unknown.
 */
int site_read(struct site *s, unsigned int layer, struct raster *r);

/* As fused_map_ensure(), for the thread that fuses */
int site_want(struct site *s, unsigned int layer, const struct rect *r);

/**
 * site_set_want() - who brings back what was forgotten of a map
 * @want: called by site_value() and site_read(), in the thread of who looks;
 *	NULL, as at first: nobody, it is unknown then
 */
typedef int site_want_fn(void *arg, unsigned int layer, const struct rect *r);
void site_set_want(struct site *s, site_want_fn *want, void *arg);

/* As fused_map_changes(), for a layer */
uint64_t site_changes(struct site *s, unsigned int layer, uint64_t since,
		      void (*each)(void *arg, const struct rect *tile),
		      void *arg);

/**
 * struct site_latest - the submap of a layer with the latest stamp
 * @cells:	one reference
 */
struct site_latest {
	int64_t		stamp;
	char		frame[STORE_FRAME];
	struct cells	*cells;
};

/* From any thread. Return: 0; -ENODATA: there is none; as store_cells() */
int site_latest(struct site *s, unsigned int layer, struct site_latest *l);

/**
 * site_raster() - all that is known of a layer, without unknown borders
 * @r:		cells are to be freed
 * @rule:	enum rule_id, or -1: that of the layer; with another one it is
 *		fused anew, and only by the thread that fuses
 *
 * Of more than 2^27 cells its cells are 2, 4, ... times as large: see
 * level_read().
 *
 * Return: 0; -ENODATA: nothing is known; -ENOMEM.
 */
int site_raster(struct site *s, unsigned int layer, int rule,
		struct raster *r);

/* Whether a node of that name is there */
bool site_has_frame(struct site *s, const char *frame);

/*
 * What the store has of rooms and settings, for any thread: see store_rooms(),
 * store_get(). @error gets one line.
 */
int site_rooms(struct site *s,
	       int (*each)(void *arg, const struct room *room), void *arg,
	       char error[ERROR_TEXT]);
int site_setting(struct site *s, const char *name, char *value,
		 unsigned int room);
int site_repeaters(struct site *s,
		   int (*each)(void *arg, double x, double y), void *arg,
		   char error[ERROR_TEXT]);

/**
 * struct site_damaged - a submap whose cells cannot be read
 *
 * Its map lacks it, until a newer one takes its place.
 */
struct site_damaged {
	char	layer[LAYER_NAME], frame[STORE_FRAME];
};

/**
 * site_set_damaged() - who is told of each that is found, once
 * @found: called in the thread that wanted its cells; must not look at the site
 */
void site_set_damaged(struct site *s,
		      void (*found)(void *arg, const struct site_damaged *d),
		      void *arg);

/**
 * site_damaged() - those that were found
 * @list: gets up to @most of them
 *
 * Return: how many @list got; with 0 for @most, how many there are.
 */
unsigned int site_damaged(struct site *s, struct site_damaged *list,
			  unsigned int most);

/**
 * struct site_counts
 * @placed:	nodes that have a place
 * @waiting:	submaps whose node has none yet
 * @to_fuse:	submaps that came or moved and are not in fused maps yet
 */
struct site_counts {
	unsigned int	nodes, placed, submaps, waiting, to_fuse;
	size_t		cell_bytes, tile_bytes;
};

struct site_counts site_counts(struct site *s);

/* Each node, in the order they came; under a lock: be quick */
void site_each_node(struct site *s,
		    void (*each)(void *arg, const struct store_node *node),
		    void *arg);

#endif
