/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site_parts.h - what a site consists of; for site*.c only
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
 * @first:	of its submaps, INDEX_NONE: none
 * @follower:	one of those it is the predecessor of, INDEX_NONE: none
 * @next, @previous: of those that follow the same one
 * @place:	in what is tried, see site_graph.c; else INDEX_NONE
 */
struct node {
	struct store_node	node;
	uint32_t		predecessor, first;
	uint32_t		follower, next, previous, place;
};

/**
 * struct submap
 * @layer:	SITE_REMOVED: it went with its layer
 * @next:	of the same node
 * @pending:	is in layer.pending
 * @changed:	its cells are other ones than those in the fused map
 */
struct submap {
	struct store_submap	submap;
	uint32_t		node, layer, next;
	bool			pending, changed;
};

/**
 * struct layer_state
 * @id:		in the store; 0: it was removed there, and its number is free
 *		for one of the same name
 * @gate:	of @fused: held for reading by those who look at it, for
 *		writing when it is replaced
 * @before:	revisions of those mosaics that it had before this one
 * @first:	submap, which decides the resolution if nobody else does
 * @first_resolution: of the first one in the store, m, if that may be another
 *		one: of a site in part; else 0
 * @pending:	@pendings submaps of which the fused map does not know yet
 * @fusing:	submaps that were pending, and are not in all fused tiles yet
 * @whole:	@fused was up to date since it was made, or since poses of all
 *		were set anew: it does not lack much. Any thread looks at it
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
 * @lock:	of @id, @count of them; any thread finds one
 */
struct site_damage {
	pthread_mutex_t	lock;
	int64_t		*id;
	unsigned int	count, room;
	void		(*found)(void *arg, const struct site_damaged *d);
	void		*arg;
};

/* Its cells cannot be read, or there are others or none */
void site_damage_add(struct site *s, int64_t id);
void site_damage_drop(struct site *s, int64_t id);

/**
 * struct site
 * @store:	of the thread that has the turn to store
 * @turns:	of those who change something
 * @reader:	of those that fuse, with @reader_lock
 * @lock:	of nodes, submaps and what is pending. Only the thread that
 *		has the turn changes them, and need not lock to look at them
 * @layer:	one that is there stays where it is
 * @looked:	nodes that were looked at for transforms
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
	uint32_t		removed;	/* of submaps */
	unsigned int		placed;		/* nodes */
	uint64_t		looked;
	struct site_damage	damage;
	site_want_fn		*want;
	void			*want_arg;
};

/*
 * In the cache, beside the cells of a submap under its id: these at the
 * resolution of a map that is sampled, as weights of 8 bits, and with free
 * cells beside walls that are less sure (soften.h)
 */
#define SITE_COARSE	(1ULL << 62)
#define SITE_WEIGHTS	(1ULL << 61)
#define SITE_SOFT	(1ULL << 60)

/* What was made of a submap's cells is of no use any more */
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
 * @also: called when transforms are stored; anything but 0, with its line in
 *	@error, undoes all. NULL: nothing more
 */
int site_move(struct site *s, const struct site_transform *t,
	      unsigned int count, const char *source,
	      int (*also)(void *arg, char error[ERROR_TEXT]), void *arg,
	      char error[ERROR_TEXT]);

/* Fusing sets whether a layer is whole, others ask */
static inline void layer_set_whole(struct layer_state *l, bool whole)
{
	__atomic_store_n(&l->whole, whole, __ATOMIC_RELEASE);
}

static inline bool layer_is_whole(const struct layer_state *l)
{
	return __atomic_load_n(&l->whole, __ATOMIC_ACQUIRE);
}

/**
 * site_read_stored() - a part of a fused map, of what the store has there
 * @r: as fused_map_read()
 *
 * On its own, beside fusing, through connections of its own; it costs what lies
 * there and not what the site has. What has nothing is unknown. For any thread.
 *
 * Return: 0; -ENOMEM; as store_open().
 */
int site_read_stored(struct site *s, unsigned int layer, struct raster *r);

/* Number of a frame's node, or INDEX_NONE */
uint32_t site_find_node(const struct site *s, const char *frame);

#define SITE_REMOVED	UINT32_MAX	/* a layer's number */

/* A node that is not stored yet. Return: INDEX_NONE: no memory */
uint32_t site_add_node(struct site *s, const char *frame, int64_t stamp);
/* Another predecessor, or INDEX_NONE; with the lock held, or alone */
void site_follow(struct site *s, uint32_t node, uint32_t predecessor);
/* The last @count nodes are gone */
void site_drop_nodes(struct site *s, uint32_t count);

/* Those that the store has. Return: 0, -ENOMEM */
int site_take_node(struct site *s, const struct store_node *node);
uint32_t site_node_of_id(const struct site *s, int64_t id);
/* Number of a layer by its id in the store; site.layers: none */
unsigned int site_layer_of_id(const struct site *s, int64_t id);

/* One that the store has. Return: its number, INDEX_NONE: no memory */
uint32_t site_add_submap(struct site *s, const struct store_submap *m,
			 uint32_t node, uint32_t layer);

/* The fused map has to be told of a submap. Return: 0, -ENOMEM */
int site_pend(struct site *s, uint32_t submap, bool changed);

/* Of a layer as it is now, empty; NULL: no memory. site_free_mosaic() */
struct fused_map *site_make_mosaic(struct site *s, unsigned int layer,
				   enum rule_id rule);
void site_free_mosaic(struct fused_map *m);

/*
 * Cells from memory or from the store, one reference; @drops: of the cache,
 * before it was decided which. Return: 0; as store_cells()
 */
int site_load_cells(struct site *s, int64_t id, uint64_t drops,
		    struct cells **c);

bool site_frame_valid(const char *frame);

#endif
