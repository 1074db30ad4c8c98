/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - what is known of a site, in one SQLite file
 *
 * In: layers, keyframes (the submaps of one pose-graph node), poses, rooms.
 * Out: the same, after whatever happened to the process or the machine. What
 * a function returned 0 for is on disk: WAL, synchronous=FULL, one transaction
 * a call. Poses are in a narrow table, apart from the cells, as a loop closure
 * rewrites all of them. Not for several threads at once; another process may
 * read.
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
	STORE_REVISIONS	= 1000,		/* of poses: that are kept in any case */
};

enum store_mode {
	STORE_READ,			/* must exist */
	STORE_WRITE,			/* must exist; an old one is migrated */
	STORE_CREATE,			/* made if it does not exist */
};

struct store;

/**
 * store_open() - open or make a store
 * @error: gets one line
 *
 * Return: 0; -ENOENT; -EPROTONOSUPPORT: no store, or one of a later version;
 * -EBADMSG: damaged; -EBUSY: another process writes; others of SQLite, see
 * store_error().
 */
int store_open(struct store **s, const char *path, enum store_mode mode,
	       char error[ERROR_TEXT]);

/* Also checkpoints, if no one else is there. NULL is allowed */
void store_close(struct store *s);

/**
 * store_is_there() - whether the path still leads to the file that was opened
 *
 * One that was deleted or replaced is written on, and gone with the process:
 * functions that change something return -EIO then, and nothing is changed.
 */
bool store_is_there(const struct store *s);

/* What went wrong in the last function that returned an error: one line */
const char *store_error(const struct store *s);

/**
 * store_layer() - add a layer, or change what its values mean
 * @id: gets the id that it has from then on
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
 * struct store_submap - all but its cells
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
 * @frame:	names the node, which is made if it is not there
 * @stamp:	of a node that is made
 * @pose:	in the map's frame, replaces what was known; NULL: leave it
 * @submaps:
 * @submap:	@layer, @stamp and @weight count, the rest comes from @cells;
 *		@id gets the id, @node too. One of that node and layer that is
 *		there is replaced and keeps its id
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

/* What becomes of the link of a node to its predecessor */
enum store_link { STORE_LINK_KEEP, STORE_LINK_SET, STORE_LINK_NONE };

/**
 * struct store_pose - where a node is now
 * @placed:	@pose is known; else it has none from now on
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
 * store_poses() - all of them or none; one revision in table pose_rev
 *
 * Of the revisions there the last STORE_REVISIONS are kept, and those that a pose
 * came with; others go, each time that so many more have come.
 *
 * @stamp:	ns
 * @source:	who says so, for people
 *
 * Return: 0, -EINVAL: no such node; as store_layer()
 */
int store_poses(struct store *s, const struct store_pose *pose,
		unsigned int count, int64_t stamp, const char *source);

/**
 * store_node() - the node of a frame, made if there is none
 */
int store_node(struct store *s, const char *frame, int64_t stamp, int64_t *id);

/**
 * store_begin(), store_commit(), store_rollback() - several calls at once
 *
 * What is called between them is on disk with store_commit() returning 0, or
 * not at all.
 */
int store_begin(struct store *s);
int store_commit(struct store *s);
void store_rollback(struct store *s);
bool store_is_begun(const struct store *s);

/*
 * All there is, in the order of ids, one call for each; anything but 0 that
 * one returns ends it and is returned. It may call the other functions; what it
 * adds may or may not come too.
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
 * One node, the submaps of one, or the first that a layer ever had: -ENOENT:
 * there is none.
 */
int store_node_get(struct store *s, int64_t id, struct store_node *node);
int store_node_submaps(struct store *s, int64_t node,
		       int (*each)(void *arg, const struct store_submap *submap),
		       void *arg);
int store_first_submap(struct store *s, int64_t layer,
		       struct store_submap *submap);

/* The node of a frame, as store_node_get() */
int store_find_node(struct store *s, const char *frame,
		    struct store_node *node);

/**
 * store_cells() - the cells of a submap
 * @c: gets one reference
 *
 * Return: 0; -ENOENT; -EBADMSG: the checksum or the data is wrong.
 */
int store_cells(struct store *s, int64_t submap, struct cells **c);

/**
 * store_near() - nodes that may have cells in an area of the map, by R-tree
 * @x0, @y0, @x1, @y1: m
 */
int store_near(struct store *s, double x0, double y0, double x1, double y1,
	       int (*each)(void *arg, int64_t node), void *arg);

/* A room; one of that id is replaced. Return: as store_layer() */
int store_room(struct store *s, const struct room *room);
int store_rooms(struct store *s,
		int (*each)(void *arg, const struct room *room), void *arg);

/**
 * store_remove_room() - forget a room
 *
 * Return: 0; -ENOENT: there is none of that id; as store_layer().
 */
int store_remove_room(struct store *s, unsigned int id);

/**
 * store_remove_layer() - forget a layer with all of its submaps
 * @submaps: gets how many
 *
 * Nodes of the pose graph stay. Return: as store_remove_room().
 */
int store_remove_layer(struct store *s, int64_t id, unsigned int *submaps);

/* Where repeaters are or shall be: @count points, in the map's frame, m */
int store_repeaters(struct store *s, int64_t stamp, const double (*xy)[2],
		    unsigned int count);
int store_each_repeater(struct store *s,
			int (*each)(void *arg, double x, double y), void *arg);

/* Small texts by name: settings that outlive the daemon. @value NULL: forget */
int store_set(struct store *s, const char *name, const char *value);
/* Return: length, -ENOENT, -ENOSPC: @room is too small */
int store_get(struct store *s, const char *name, char *value,
	      unsigned int room);

/**
 * store_note() - a line in the store's journal: snapshots, recordings, errors
 * @kind:	a word
 * @path:	of a file, or NULL
 */
int store_note(struct store *s, int64_t stamp, const char *kind,
	       const char *text, const char *path);
int store_notes(struct store *s, const char *kind,
		int (*each)(void *arg, int64_t stamp, const char *text,
			    const char *path), void *arg);

/**
 * store_verify() - read everything once
 * @found:	one line for each thing that is wrong
 *
 * SQLite's own check, checksums of all cells, references, extents.
 *
 * Return: how many, or a negative errno if it could not be read.
 */
int store_verify(struct store *s, void (*found)(void *arg, const char *line),
		 void *arg);

/* A copy that is consistent, while others write. @path must not exist */
int store_backup(struct store *s, const char *path);

/**
 * store_checkpoint() - from the log into the file
 *
 * For when nothing else is to be done; then no keyframe has to wait for it.
 * Return: 0 or a negative errno.
 */
int store_checkpoint(struct store *s);

#endif
