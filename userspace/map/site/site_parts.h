/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site_parts.h - internals of a site; for site*.c only
 */
#ifndef MAP_SITE_SITE_PARTS_H
#define MAP_SITE_SITE_PARTS_H

#include <pthread.h>
#include "base/error.h"
#include "map/fusion/index.h"
#include "map/site/cache.h"
#include "map/site/site.h"
#include "map/store/turns.h"

/**
 * struct node - of the pose graph
 * @predecessor: number of the node that node.link is in, or INDEX_NONE
 * @first:	first of its submaps, INDEX_NONE: none
 * @follower:	first of its followers, INDEX_NONE: none
 * @next, @previous: list of the followers of one node
 * @place:	index in a change being tried, see site_graph.c; else INDEX_NONE
 * @storey:	where @node.pose is, and @rise of @node.link. They are not in
 *		the store: a node that was placed when the site was opened is
 *		level
 * @apart:	not on the map's storey: not placed, but @node.pose is known
 */
struct node {
	struct store_node	node;
	struct storey		storey;
	struct storey_link	rise;
	bool			apart;
	uint32_t		predecessor, first;
	uint32_t		follower, next, previous, place;
};

/**
 * struct submap
 * @layer:	SITE_REMOVED: it was removed with its layer
 * @next:	of the same node
 * @pending:	is in layer.pending
 * @changed:	its cells differ from those in the fused map
 */
struct submap {
	struct store_submap	submap;
	uint32_t		node, layer, next;
	bool			pending, changed;
};

/**
 * struct layer_state
 * @id:		in the store; 0: it was removed there, and its number is
 *		reserved for one of the same name
 * @gate:	of @fused: held for reading by queries, for writing when it is
 *		replaced
 * @before:	sum of revisions of its earlier fused maps
 * @first:	submap that decides the resolution if nothing else does
 * @first_resolution: of the first one in the store, m, if it may be another
 *		one: for a site in part; else 0
 * @pending:	@pendings submaps with changes not yet in the fused map
 * @fusing:	submaps that were pending, and are not in all fused tiles yet
 * @whole:	@fused was up to date since it was made, or since all poses
 *		were replaced: little is missing. Any thread reads it
 */
struct layer_state {
	int64_t			id;
	struct layer		layer;
	pthread_rwlock_t	gate;
	struct fused_map	*fused;
	uint64_t		before;
	uint32_t		first, submaps;
	double			first_resolution;
	uint32_t		*pending, pendings, pending_room, fusing;
	bool			renew, whole;
};

/**
 * struct site_damage - submaps whose cells cannot be read
 * @lock:	of @id, @count of them; any thread may find one
 */
struct site_damage {
	pthread_mutex_t	lock;
	int64_t		*id;
	unsigned int	count, room;
	void		(*found)(void *arg, const struct site_damaged *d);
	void		*arg;
};

/* Its cells cannot be read, were replaced or removed */
void site_damage_add(struct site *s, int64_t id);
void site_damage_drop(struct site *s, int64_t id);

/**
 * struct site
 * @store:	of the thread that has the turn to store
 * @turns:	of threads that change something
 * @reader:	for fusing, protected by @reader_lock
 * @lock:	of nodes, submaps and pending changes. Only the thread with the
 *		turn changes them, and needs no lock to read them
 * @layer:	existing entries do not move
 * @looked:	nodes visited for transforms
 * @ground:	height of the map's storey, m, if @grounded
 * @apart:	nodes
 */
struct site {
	struct site_config	config;
	struct store		*store, *reader;
	pthread_mutex_t		reader_lock, lock;
	struct turns		turns;
	char			path[4096];
	struct cache		*cache;
	struct layer_state	*layer[SITE_LAYERS];
	unsigned int		layers;
	struct node		*node;
	uint32_t		nodes, node_room;
	struct index		node_index;	/* by hash of the frame */
	struct submap		*submap;
	uint32_t		submaps, submap_room;
	struct index		submap_index;	/* by node and layer */
	struct index		submap_ids;
	uint32_t		removed;	/* submaps */
	unsigned int		placed;		/* nodes */
	unsigned int		apart;
	double			ground;
	bool			grounded;
	void			(*apart_found)(void *arg,
					       const struct site_apart *a);
	void			*apart_arg;
	uint64_t		looked;
	struct site_damage	damage;
	site_want_fn		*want;
	void			*want_arg;
};

/* Setting in the store: height of the map's storey, m */
#define SITE_GROUND	"ground"

/*
 * Cache keys of derived cells of a submap, besides its id: at the resolution of
 * a sampled map, as weights of 8 bits, and softened (soften.h)
 */
#define SITE_COARSE	(1ULL << 62)
#define SITE_WEIGHTS	(1ULL << 61)
#define SITE_SOFT	(1ULL << 60)

/* Drop all cells derived from a submap */
static inline void site_drop_made(struct cache *c, int64_t id)
{
	cache_drop(c, id | SITE_COARSE);
	cache_drop(c, id | SITE_WEIGHTS);
	cache_drop(c, id | SITE_SOFT);
	cache_drop(c, id | SITE_SOFT | SITE_COARSE);
}

static inline uint64_t submap_key(uint32_t node, uint32_t layer)
{
	return (uint64_t)node << 32 | layer;
}

/**
 * site_move() - as site_transforms(), with more in the same transaction
 * @also: called when transforms are stored; a result other than 0, with a line
 *	in @error, undoes all. NULL: nothing more
 */
int site_move(struct site *s, const struct site_transform *t,
	      unsigned int count, const char *source,
	      int (*also)(void *arg, struct error *error), void *arg,
	      struct error *error);

/* Set by fusing, read by others */
static inline void layer_set_whole(struct layer_state *l, bool whole)
{
	__atomic_store_n(&l->whole, whole, __ATOMIC_RELEASE);
}

static inline bool layer_is_whole(const struct layer_state *l)
{
	return __atomic_load_n(&l->whole, __ATOMIC_ACQUIRE);
}

/**
 * site_read_stored() - fuse a part of a map from the store
 * @r: as for fused_map_read()
 *
 * Independent of fusing, with its own connections; the cost depends on the part
 * and not on the size of the site. Parts without submaps are unknown. For any
 * thread.
 *
 * Return: 0; -ENOMEM; as store_open().
 */
int site_read_stored(struct site *s, unsigned int layer, struct raster *r);

/* Number of a frame's node, or INDEX_NONE */
uint32_t site_find_node(const struct site *s, const char *frame);

#define SITE_REMOVED	UINT32_MAX	/* a layer's number */

/* Add a node that is not stored yet. Return: INDEX_NONE: no memory */
uint32_t site_add_node(struct site *s, const char *frame, int64_t stamp);
/* Change the predecessor, may be INDEX_NONE; with the lock held, or alone */
void site_follow(struct site *s, uint32_t node, uint32_t predecessor);
/* Remove the last @count nodes */
void site_drop_nodes(struct site *s, uint32_t count);

/* Add a stored node. Return: 0, -ENOMEM */
int site_take_node(struct site *s, const struct store_node *node);
uint32_t site_node_of_id(const struct site *s, int64_t id);
/* Number of a layer by its id in the store; site.layers: none */
unsigned int site_layer_of_id(const struct site *s, int64_t id);

/* Add a stored submap. Return: its number, INDEX_NONE: no memory */
uint32_t site_add_submap(struct site *s, const struct store_submap *m,
			 uint32_t node, uint32_t layer);

/* Mark a submap as pending for the fused map. Return: 0, -ENOMEM */
int site_pend(struct site *s, uint32_t submap, bool changed);

/* An empty fused map of a layer; NULL: no memory. Free: site_free_mosaic() */
struct fused_map *site_make_mosaic(struct site *s, unsigned int layer,
				   enum rule_id rule);
void site_free_mosaic(struct fused_map *m);

/*
 * Cells from memory or from the store, one reference; @drops: of the cache,
 * before the lookup. Return: 0; as store_cells()
 */
int site_load_cells(struct site *s, int64_t id, uint64_t drops,
		    struct cells **c);

bool site_frame_valid(const char *frame);

#endif
