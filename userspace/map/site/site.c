// SPDX-License-Identifier: GPL-2.0-only
/*
 * site - the content of the store in memory, and its changes
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "map/site/site_parts.h"
#include "map/store/store_edge.h"

bool site_frame_valid(const char *frame)
{
	const size_t len = strlen(frame);
	char clean[STORE_FRAME];

	if (!len || len >= STORE_FRAME)
		return false;
	/* UTF-8 without control characters, for JSON and for lines */
	utf8_clean(frame, len, clean, sizeof(clean));
	return !strcmp(frame, clean);
}

/*
 * Nodes
 */

/*
 * Key of a frame's node: its hash, or the next free number if another frame has
 * that
 */
static uint64_t frame_key(const struct site *s, const char *frame, uint32_t *at)
{
	uint64_t key = hash_bytes(frame, strlen(frame));

	for (;; key++) {
		*at = index_find(&s->node_index, key);
		if (*at == INDEX_NONE ||
		    !strcmp(s->node[*at].node.frame, frame))
			return key;
	}
}

uint32_t site_find_node(const struct site *s, const char *frame)
{
	uint32_t at;

	frame_key(s, frame, &at);
	return at;
}

uint32_t site_add_node(struct site *s, const char *frame, int64_t stamp)
{
	uint32_t at;
	const uint64_t key = frame_key(s, frame, &at);
	struct node *n;

	if (at != INDEX_NONE)
		return at;
	pthread_mutex_lock(&s->lock);
	if (array_grow(&s->node, &s->node_room, s->nodes, sizeof(*s->node)) ||
	    index_add(&s->node_index, key, s->nodes)) {
		pthread_mutex_unlock(&s->lock);
		return INDEX_NONE;
	}
	assert(s->nodes < s->node_room);
	n = &s->node[s->nodes];
	*n = (struct node){
		.predecessor = INDEX_NONE, .first = INDEX_NONE,
		.follower = INDEX_NONE, .next = INDEX_NONE,
		.previous = INDEX_NONE, .place = INDEX_NONE,
	};
	snprintf(n->node.frame, sizeof(n->node.frame), "%s", frame);
	n->node.stamp = stamp;
	/* whole maps */
	n->node.placed = !strcmp(frame, SITE_ROOT);
	s->placed += n->node.placed;
	at = s->nodes++;
	pthread_mutex_unlock(&s->lock);
	return at;
}

void site_follow(struct site *s, uint32_t node, uint32_t predecessor)
{
	struct node *n = &s->node[node];

	if (n->predecessor == predecessor)
		return;
	if (n->previous != INDEX_NONE)
		s->node[n->previous].next = n->next;
	else if (n->predecessor != INDEX_NONE)
		s->node[n->predecessor].follower = n->next;
	if (n->next != INDEX_NONE)
		s->node[n->next].previous = n->previous;
	n->predecessor = predecessor;
	n->next = n->previous = INDEX_NONE;
	if (predecessor == INDEX_NONE)
		return;
	n->next = s->node[predecessor].follower;
	if (n->next != INDEX_NONE)
		s->node[n->next].previous = node;
	s->node[predecessor].follower = node;
}

void site_drop_nodes(struct site *s, uint32_t count)
{
	pthread_mutex_lock(&s->lock);
	while (count--) {
		uint32_t at;
		const uint64_t key = frame_key(s,
				s->node[s->nodes - 1].node.frame, &at);

		index_remove(&s->node_index, key);
		assert(s->nodes && at == s->nodes - 1);
		s->nodes--;
		s->placed -= s->node[s->nodes].node.placed;
		assert(s->placed <= s->nodes);
	}
	pthread_mutex_unlock(&s->lock);
}

/*
 * Submaps
 */

int site_pend(struct site *s, uint32_t submap, bool changed)
{
	struct submap *m = &s->submap[submap];
	struct layer_state *l = s->layer[m->layer];

	m->changed |= changed;
	assert(submap < s->submaps && m->layer < s->layers);
	if (m->pending)
		return 0;
	if (array_grow(&l->pending, &l->pending_room, l->pendings,
		      sizeof(*l->pending)))
		return -ENOMEM;
	l->pending[l->pendings++] = submap;
	m->pending = true;
	return 0;
}

/* The submaps whose confidence this one is must be fused again, too */
static int pend_weighted(struct site *s, uint32_t node, uint32_t layer)
{
	const char *name = s->layer[layer]->layer.name;
	int err = 0;

	for (uint32_t i = 0; i < s->layers && !err; i++) {
		uint32_t at;

		if (strcmp(s->layer[i]->layer.weights, name))
			continue;
		at = index_find(&s->submap_index, submap_key(node, i));
		if (at != INDEX_NONE)
			err = site_pend(s, at, true);
	}
	return err;
}

uint32_t site_add_submap(struct site *s, const struct store_submap *m,
			 uint32_t node, uint32_t layer)
{
	const uint64_t key = submap_key(node, layer);
	uint32_t at = index_find(&s->submap_index, key);

	if (at == INDEX_NONE) {
		if (array_grow(&s->submap, &s->submap_room, s->submaps,
			      sizeof(*s->submap)) ||
		    index_add(&s->submap_index, key, s->submaps) ||
		    index_add(&s->submap_ids, m->id, s->submaps))
			return INDEX_NONE;
		at = s->submaps++;
		s->submap[at] = (struct submap){
			.node = node, .layer = layer,
			.next = s->node[node].first,
		};
		s->node[node].first = at;
		if (!s->layer[layer]->submaps++)
			s->layer[layer]->first = at;
	}
	/* that of the map, if nothing else sets it */
	if (s->layer[layer]->first == at && s->layer[layer]->fused &&
	    s->submap[at].submap.resolution != m->resolution)
		s->layer[layer]->renew = true;
	s->submap[at].submap = *m;
	if (site_pend(s, at, true) || pend_weighted(s, node, layer))
		return INDEX_NONE;
	return at;
}

/*
 * Opening
 */

static int load_layer(void *arg, int64_t id, const struct layer *layer)
{
	struct site *s = arg;
	struct layer_state *l;

	if (s->layers == SITE_LAYERS)
		return -ENOSPC;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->id = id;
	l->layer = *layer;
	l->first = INDEX_NONE;
	pthread_rwlock_init(&l->gate, NULL);
	assert(s->layers < SITE_LAYERS);
	s->layer[s->layers++] = l;
	return 0;
}

uint32_t site_node_of_id(const struct site *s, int64_t id)
{
	uint32_t low = 0, high = s->nodes;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (s->node[middle].node.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->nodes && s->node[low].node.id == id ? low : INDEX_NONE;
}

unsigned int site_layer_of_id(const struct site *s, int64_t id)
{
	unsigned int i = 0;

	while (i < s->layers && s->layer[i]->id != id)
		i++;
	return i;
}

int site_take_node(struct site *s, const struct store_node *node)
{
	const uint32_t at = site_add_node(s, node->frame, node->stamp);

	if (at == INDEX_NONE)
		return -ENOMEM;
	s->placed -= s->node[at].node.placed;
	s->node[at].node = *node;
	s->node[at].node.placed |= !strcmp(node->frame, SITE_ROOT);
	s->placed += s->node[at].node.placed;
	s->node[at].storey.height = s->ground;
	return 0;
}

static int load_node(void *arg, const struct store_node *node)
{
	return site_take_node(arg, node);
}

/* Content of the store when reading began */
struct found {
	struct store_submap	*submap;
	uint32_t		submaps, room;
};

static int site_find_submap(void *arg, const struct store_submap *m)
{
	struct found *f = arg;

	if (array_grow(&f->submap, &f->room, f->submaps, sizeof(*f->submap)))
		return -ENOMEM;
	f->submap[f->submaps++] = *m;
	return 0;
}

/* If its layer was removed meanwhile, this is no damage */
static int check_gone(struct site *s, const struct store_submap *m)
{
	struct cells *c;
	const int err = store_cells(s->store, m->id, &c);

	if (!err)
		cells_put(c);
	return err == -ENOENT ? 0 : -EBADMSG;
}

static int load_submap(struct site *s, const struct store_submap *m)
{
	const uint32_t node = site_node_of_id(s, m->node);
	const unsigned int layer = site_layer_of_id(s, m->layer);

	if (node == INDEX_NONE || layer == s->layers)
		return check_gone(s, m);
	return site_add_submap(s, m, node, layer) == INDEX_NONE ? -ENOMEM :
								  0;
}

static void link_nodes(struct site *s)
{
	for (uint32_t i = 0; i < s->nodes; i++) {
		const struct store_node *n = &s->node[i].node;

		if (n->linked)
			site_follow(s, i, site_node_of_id(s, n->predecessor));
	}
}

/*
 * Another process may write meanwhile. Submaps are read before layers and
 * nodes, so those of each submap are found unless they were removed together
 */
static int site_load(struct site *s, struct error *error)
{
	struct found f = { NULL, 0, 0 };
	const bool all = !s->config.in_part;
	int err = all ? store_submaps(s->store, site_find_submap, &f) : 0;

	if (!err)
		err = store_layers(s->store, load_layer, s);
	if (!err && all)
		err = store_nodes(s->store, load_node, s);
	if (err == -ENOMEM || err == -ENOSPC) {
		error_set(error, err, "%s: %s", s->path, err == -ENOMEM ?
			  "out of memory" : "too many layers");
		goto out;
	}
	if (err) {
		error_set(error, err, "%s", store_error(s->store));
		goto out;
	}
	for (uint32_t i = 0; i < f.submaps && !err; i++)
		err = load_submap(s, &f.submap[i]);
	if (err)
		error_set(error, err, "%s: %s", s->path,
			  err == -ENOMEM ? "out of memory" :
			  "submap refers to a missing node or layer");
	else
		link_nodes(s);
out:
	free(f.submap);
	return err;
}

/* Nodes in a store are on its storey */
static void site_read_ground(struct site *s)
{
	char text[32], *end;
	double ground;

	if (store_get(s->store, SITE_GROUND, text, sizeof(text)) <= 0)
		return;
	ground = strtod(text, &end);
	s->grounded = !*end && isfinite(ground);
	s->ground = s->grounded ? ground : 0;
}

int site_open(struct site **site, const char *path, enum store_mode mode,
	      const struct site_config *config, struct error *error)
{
	struct site *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "out of memory");
	s->config = *config;
	if (!s->config.memory)
		s->config.memory = SITE_MEMORY;
	if (!s->config.threads)
		s->config.threads = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->reader_lock, NULL);
	pthread_mutex_init(&s->damage.lock, NULL);
	turns_init(&s->turns);
	snprintf(s->path, sizeof(s->path), "%s", path);
	s->cache = cache_create(s->config.memory / 2);
	if (!s->cache) {
		site_close(s);
		return error_set(error, -ENOMEM, "out of memory");
	}
	err = store_open(&s->store, path, mode, error);
	if (!err)
		err = store_open(&s->reader, path, STORE_READ, error);
	if (!err) {
		site_read_ground(s);
		err = site_load(s, error);
	}
	if (err) {
		site_close(s);
		return err;
	}
	*site = s;
	return 0;
}

void site_close(struct site *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->layers; i++) {
		site_free_mosaic(s->layer[i]->fused);
		pthread_rwlock_destroy(&s->layer[i]->gate);
		free(s->layer[i]->pending);
		free(s->layer[i]);
	}
	free(s->node);
	free(s->submap);
	index_free(&s->node_index);
	index_free(&s->submap_index);
	index_free(&s->submap_ids);
	cache_destroy(s->cache);
	store_close(s->reader);
	store_close(s->store);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->reader_lock);
	pthread_mutex_destroy(&s->damage.lock);
	free(s->damage.id);
	turns_destroy(&s->turns);
	free(s);
}

void site_turn(struct site *s)
{
	turns_take(&s->turns);
}

void site_turn_end(struct site *s)
{
	turns_end(&s->turns);
}

struct store *site_store(struct site *s)
{
	return s->store;
}

/*
 * Layers
 */

unsigned int site_layers(struct site *s)
{
	unsigned int n;

	pthread_mutex_lock(&s->lock);
	n = s->layers;
	pthread_mutex_unlock(&s->lock);
	return n;
}

void site_layer(struct site *s, unsigned int number, struct layer *layer)
{
	pthread_mutex_lock(&s->lock);
	*layer = s->layer[number]->layer;
	pthread_mutex_unlock(&s->lock);
}

int site_find_layer(struct site *s, const char *name)
{
	int found = -ENOENT;

	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < s->layers && found < 0; i++)
		if (s->layer[i]->id && !strcmp(s->layer[i]->layer.name, name))
			found = i;
	pthread_mutex_unlock(&s->lock);
	return found;
}

unsigned int site_layer_submaps(struct site *s, unsigned int number)
{
	unsigned int n;

	pthread_mutex_lock(&s->lock);
	n = s->layer[number]->submaps;
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* Do the settings give the same fused map? */
static bool fuses_alike(const struct layer *a, const struct layer *b)
{
	return a->bits == b->bits && a->rule == b->rule &&
	       layer_splats(a) == layer_splats(b) &&
	       a->resolution == b->resolution && !strcmp(a->weights, b->weights);
}

/* Rebuild the layers whose confidence a new layer is */
static void renew_weighted(struct site *s, const char *name)
{
	for (unsigned int i = 0; i < s->layers; i++)
		s->layer[i]->renew |= !strcmp(s->layer[i]->layer.weights, name);
}

/* Also finds a removed one */
static int site_find_number(const struct site *s, const char *name)
{
	for (unsigned int i = 0; i < s->layers; i++)
		if (!strcmp(s->layer[i]->layer.name, name))
			return i;
	return -ENOENT;
}

/* Call with the turn */
static int set_layer(struct site *s, const struct layer *layer,
		     struct error *error)
{
	int number = site_find_number(s, layer->name);
	int64_t id;
	int err;

	if (number < 0 && s->layers == SITE_LAYERS)
		return error_set(error, -ENOSPC, "layer %s: at most %d layers "
				 "are supported", layer->name, SITE_LAYERS);
	err = store_layer(s->store, layer, &id);
	if (err)
		return error_set(error, err, "layer %s: %s", layer->name,
				 store_error(s->store));
	pthread_mutex_lock(&s->lock);
	if (number < 0) {
		err = load_layer(s, id, layer);
		number = s->layers - 1;
		renew_weighted(s, layer->name);
	} else {
		s->layer[number]->renew |= !fuses_alike(layer,
						&s->layer[number]->layer);
		if (!s->layer[number]->id)
			renew_weighted(s, layer->name);
		s->layer[number]->layer = *layer;
		s->layer[number]->id = id;
	}
	pthread_mutex_unlock(&s->lock);
	return err ? error_set(error, err, "out of memory") : number;
}

int site_set_layer(struct site *s, const struct layer *layer,
		   struct error *error)
{
	int number;

	site_turn(s);
	number = set_layer(s, layer, error);
	site_turn_end(s);
	return number;
}

/*
 * Queries
 */

int site_rooms(struct site *s,
	       int (*each)(void *arg, const struct room *room), void *arg,
	       struct error *error)
{
	int ret;

	pthread_mutex_lock(&s->reader_lock);
	ret = store_rooms(s->reader, each, arg);
	if (ret < 0)
		error_set(error, ret, "%s", store_error(s->reader));
	pthread_mutex_unlock(&s->reader_lock);
	return ret;
}

int site_edges(struct site *s,
	       int (*each)(void *arg, const struct store_edge *edge), void *arg,
	       struct error *error)
{
	int ret;

	pthread_mutex_lock(&s->reader_lock);
	ret = store_each_edge(s->reader, each, arg);
	if (ret < 0)
		error_set(error, ret, "%s", store_error(s->reader));
	pthread_mutex_unlock(&s->reader_lock);
	return ret;
}

int site_repeaters(struct site *s,
		   int (*each)(void *arg, double x, double y), void *arg,
		   struct error *error)
{
	int ret;

	pthread_mutex_lock(&s->reader_lock);
	ret = store_each_repeater(s->reader, each, arg);
	if (ret < 0)
		error_set(error, ret, "%s", store_error(s->reader));
	pthread_mutex_unlock(&s->reader_lock);
	return ret;
}

int site_setting(struct site *s, const char *name, char *value,
		 unsigned int room)
{
	int ret;

	pthread_mutex_lock(&s->reader_lock);
	ret = store_get(s->reader, name, value, room);
	pthread_mutex_unlock(&s->reader_lock);
	return ret;
}

bool site_has_frame(struct site *s, const char *frame)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = site_find_node(s, frame) != INDEX_NONE;
	pthread_mutex_unlock(&s->lock);
	return has;
}

void site_set_apart(struct site *s,
		    void (*found)(void *arg, const struct site_apart *a),
		    void *arg)
{
	s->apart_found = found;
	s->apart_arg = arg;
}

struct site_counts site_counts(struct site *s)
{
	struct site_counts c = { 0 };

	pthread_mutex_lock(&s->lock);
	c.nodes = s->nodes;
	c.placed = s->placed;
	c.submaps = s->submaps - s->removed;
	c.apart = s->apart;
	for (uint32_t i = 0; i < s->submaps; i++) {
		const struct node *n = &s->node[s->submap[i].node];

		if (s->submap[i].layer == SITE_REMOVED)
			continue;
		c.waiting += !n->node.placed && !n->apart;
		c.apart_submaps += n->apart;
	}
	pthread_mutex_unlock(&s->lock);
	c.cell_bytes = cache_bytes(s->cache);
	for (unsigned int i = 0; i < site_layers(s); i++) {
		struct layer_state *l = s->layer[i];
		struct fused_map_size size = { 0 };

		pthread_rwlock_rdlock(&l->gate);
		if (l->fused)
			size = fused_map_size(l->fused);
		c.tile_bytes += size.bytes;
		pthread_rwlock_unlock(&l->gate);
		pthread_mutex_lock(&s->lock);
		c.to_fuse += l->pendings + (l->fusing > size.waiting ?
					    l->fusing : size.waiting);
		pthread_mutex_unlock(&s->lock);
	}
	return c;
}

void site_each_node(struct site *s,
		    void (*each)(void *arg, const struct store_node *node),
		    void *arg)
{
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < s->nodes; i++)
		each(arg, &s->node[i].node);
	pthread_mutex_unlock(&s->lock);
}
