/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - all data of a site in one SQLite file
 *
 * Stores layers, keyframes (the submaps of one pose-graph node), poses, rooms.
 * They survive failures of the process or the machine: when a function has
 * returned 0, its change is on disk: WAL, synchronous=FULL, one transaction per
 * call. Poses are in a narrow table, apart from the cells, as a loop closure
 * rewrites all of them. Not thread safe; another process may read.
 *
 * Frames name nodes. Ids are SQLite's rowids, above 0.
 */
#ifndef MAP_STORE_STORE_H
#define MAP_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "map/fusion/cells.h"
#include "map/layer/layer.h"
#include "map/store/room.h"

enum {
	STORE_FRAME	= 96,		/* bytes of a frame id, with the 0 */
	STORE_VERSION	= 1,		/* of the schema: user_version */
	STORE_REVISIONS	= 1000,		/* of poses, always kept */
};

enum store_mode {
	STORE_READ,			/* must exist */
	STORE_WRITE,			/* must exist; an old one is migrated */
	STORE_CREATE,			/* created if missing */
};

struct store;

/**
 * store_open() - open or create a store
 * @error: out: one line
 *
 * Return: 0; -ENOENT; -EPROTONOSUPPORT: not a store, or one of a later version;
 * -EBADMSG: damaged; -EBUSY: another process writes; others of SQLite, see
 * store_error().
 */
int store_open(struct store **s, const char *path, enum store_mode mode,
	       struct error *error);

/* Also checkpoints, if no one else uses the file. NULL is allowed */
void store_close(struct store *s);

/**
 * store_is_there() - does the path still lead to the opened file?
 *
 * If the file was deleted or replaced, changes would be lost with the process:
 * functions that change something then return -EIO without any change.
 */
bool store_is_there(const struct store *s);

/* @found: called for each error of the disk, besides what returns it */
void store_set_io_error(struct store *s,
			void (*found)(void *arg, const char *line), void *arg);

/* Error of the last function that failed: one line */
const char *store_error(const struct store *s);

/**
 * store_layer() - add a layer, or change its settings
 * @id: out: its id
 *
 * Return: 0; -EINVAL: it has submaps of other bits; others of SQLite: -ENOSPC
 * disk full, -EIO, -EROFS, ...
 */
int store_layer(struct store *s, const struct layer *layer, int64_t *id);

/**
 * struct store_node - of the pose graph
 * @placed:	whether @pose, in the map's frame, is known
 * @linked:	whether @link, in the frame of node @predecessor, is known
 */
struct store_node {
	int64_t		id;
	char		frame[STORE_FRAME];
	int64_t		stamp;		/* ns since the epoch */
	bool		placed, linked;
	struct pose	pose, link;
	int64_t		predecessor;
};

/**
 * struct store_submap - everything except its cells
 * @weight:	confidence, 0..RULE_WEIGHT_FULL
 */
struct store_submap {
	int64_t		id, node, layer;
	int64_t		stamp;
	unsigned int	width, height, bits;
	double		resolution;
	struct pose	origin;
	unsigned int	weight;
};

/**
 * struct store_keyframe - submaps of one node; all or nothing is stored
 * @frame:	names the node, which is created if missing
 * @stamp:	of a node that is created
 * @pose:	in the map's frame, replaces the old one; NULL: unchanged
 * @submaps:	number of submaps
 * @submap:	in: @layer, @stamp and @weight, the rest comes from @cells;
 *		out: @id and @node. An existing one of that node and layer is
 *		replaced and keeps its id
 * @cells:	of each of them
 */
struct store_keyframe {
	const char		*frame;
	int64_t			stamp;
	const struct pose	*pose;
	unsigned int		submaps;
	struct store_submap	*submap;
	struct cells *const	*cells;
};

/* Return: 0, -EINVAL: no such layer or other bits; as store_layer() */
int store_keyframe(struct store *s, const struct store_keyframe *k);

/* Change of the link of a node to its predecessor */
enum store_link { STORE_LINK_KEEP, STORE_LINK_SET, STORE_LINK_NONE };

/**
 * struct store_pose - new pose of a node
 * @placed:	@pose is valid; else it has no pose from now on
 * @transform:	in the frame of @predecessor, for STORE_LINK_SET
 */
struct store_pose {
	int64_t		node;
	bool		placed;
	struct pose	pose;
	enum store_link	link;
	struct pose	transform;
	int64_t		predecessor;
};

/**
 * store_poses() - store all of them or none; one revision in table pose_rev
 *
 * The last STORE_REVISIONS revisions are kept, and those of current poses;
 * others are deleted, each time that so many more were added.
 *
 * @stamp:	ns
 * @source:	of the change, for people
 *
 * Return: 0, -EINVAL: no such node; as store_layer()
 */
int store_poses(struct store *s, const struct store_pose *pose,
		unsigned int count, int64_t stamp, const char *source);

/**
 * store_node() - find the node of a frame, or create it
 */
int store_node(struct store *s, const char *frame, int64_t stamp, int64_t *id);

/**
 * store_begin(), store_commit(), store_rollback() - group several calls
 *
 * All calls between them are on disk when store_commit() returns 0, or not at
 * all.
 */
int store_begin(struct store *s);
int store_commit(struct store *s);
void store_rollback(struct store *s);
bool store_is_begun(const struct store *s);

/*
 * Iterate over all rows, in the order of ids, one call for each; a result other
 * than 0 ends the iteration and is returned. The callback may call the other
 * functions; rows that it adds may or may not be visited.
 */
int store_layers(struct store *s,
		 int (*each)(void *arg, int64_t id, const struct layer *layer),
		 void *arg);
int store_nodes(struct store *s,
		int (*each)(void *arg, const struct store_node *node),
		void *arg);
int store_submaps(struct store *s,
		  int (*each)(void *arg, const struct store_submap *submap),
		  void *arg);

/*
 * One node, the submaps of one, or the first submap of a layer: -ENOENT: there
 * is none.
 */
int store_node_get(struct store *s, int64_t id, struct store_node *node);
int store_node_submaps(struct store *s, int64_t node,
		       int (*each)(void *arg, const struct store_submap *submap),
		       void *arg);
int store_first_submap(struct store *s, int64_t layer,
		       struct store_submap *submap);

/* Find the node of a frame, as store_node_get() */
int store_find_node(struct store *s, const char *frame,
		    struct store_node *node);

/**
 * store_cells() - read the cells of a submap
 * @c: out: one reference
 *
 * Return: 0; -ENOENT; -EBADMSG: the checksum or the data is wrong.
 */
int store_cells(struct store *s, int64_t submap, struct cells **c);

/**
 * store_near() - find nodes that may have cells in an area of the map, by
 * R-tree
 * @x0, @y0, @x1, @y1: m
 */
int store_near(struct store *s, double x0, double y0, double x1, double y1,
	       int (*each)(void *arg, int64_t node), void *arg);

/* Add or replace a room. Return: as store_layer() */
int store_room(struct store *s, const struct room *room);
int store_rooms(struct store *s,
		int (*each)(void *arg, const struct room *room), void *arg);

/**
 * store_remove_room() - remove a room
 *
 * Return: 0; -ENOENT: no room of that id; as store_layer().
 */
int store_remove_room(struct store *s, unsigned int id);

/**
 * store_remove_layer() - remove a layer with all of its submaps
 * @submaps: out: number of removed submaps
 *
 * Nodes of the pose graph stay. Return: as store_remove_room().
 */
int store_remove_layer(struct store *s, int64_t id, unsigned int *submaps);

/* Positions of repeaters: @count points, in the map's frame, m */
int store_repeaters(struct store *s, int64_t stamp, const double (*xy)[2],
		    unsigned int count);
int store_each_repeater(struct store *s,
			int (*each)(void *arg, double x, double y), void *arg);

/* Small texts by name: persistent settings. @value NULL: remove */
int store_set(struct store *s, const char *name, const char *value);
/* Return: length, -ENOENT, -ENOSPC: @room is too small */
int store_get(struct store *s, const char *name, char *value,
	      unsigned int room);

/**
 * store_note() - add a line to the store's journal: snapshots, recordings,
 * errors
 * @kind:	a word
 * @path:	of a file, or NULL
 */
int store_note(struct store *s, int64_t stamp, const char *kind,
	       const char *text, const char *path);
int store_notes(struct store *s, const char *kind,
		int (*each)(void *arg, int64_t stamp, const char *text,
			    const char *path), void *arg);

/**
 * store_verify() - read and check everything
 * @found:	called with one line for each error
 *
 * SQLite's own check, checksums of all cells, references, extents.
 *
 * Return: number of errors, or a negative errno if it could not be read.
 */
int store_verify(struct store *s, void (*found)(void *arg, const char *line),
		 void *arg);

/* Copy a consistent snapshot, while others write. @path must not exist */
int store_backup(struct store *s, const char *path);

/**
 * store_checkpoint() - move the log into the file
 *
 * Call it when idle; then no keyframe has to wait for it.
 * Return: 0 or a negative errno.
 */
int store_checkpoint(struct store *s);

#endif
