// SPDX-License-Identifier: GPL-2.0-only
/*
 * store-model - what a store must have after so many changes
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store-model.h"
#include "../../unit/tap.h"

enum { SIDE = 48, PARTS = 3 };

static const unsigned int bits_of[MODEL_LAYERS] = { 8, 16, 8 };

/**
 * struct part - of a change: several are made at once or not at all
 * @node:	that one, or all for poses
 * @layers:	a bit each
 */
struct part {
	enum { KEYFRAME, POSES, ROOM, SETTING, REPEATERS, CHECKPOINT } kind;
	unsigned int	node, layers;
	bool		placed;
	uint64_t	key;
};

static unsigned int parts_of(uint64_t change, struct part part[PARTS])
{
	static const uint8_t kinds[] = {
		KEYFRAME, KEYFRAME, KEYFRAME, KEYFRAME, POSES, POSES, ROOM,
		SETTING, REPEATERS, CHECKPOINT,
	};
	uint64_t seed = change * 0x9e3779b97f4a7c15ULL;
	unsigned int n = rnd(&seed, 4) ? 1 : 1 + rnd(&seed, PARTS);

	for (unsigned int i = 0; i < n; i++) {
		part[i].kind = kinds[rnd(&seed, sizeof(kinds))];
		/* it is none of what can be undone */
		if (n > 1 && part[i].kind == CHECKPOINT)
			part[i].kind = ROOM;
		part[i].node = rnd(&seed, MODEL_NODES);
		part[i].layers = rnd(&seed, 1 << MODEL_LAYERS);
		part[i].placed = rnd(&seed, 2);
		part[i].key = change * PARTS + i;
	}
	return n;
}

static struct pose pose_of(uint64_t key, unsigned int node)
{
	uint64_t seed = key * MODEL_NODES + node;

	return (struct pose){
		rnd(&seed, 1000) * 0.01, rnd(&seed, 100000) * 0.01, key * 1e-3,
	};
}

static struct cells *cells_of(uint64_t key, unsigned int node,
			      unsigned int layer)
{
	static const struct pose origin = { -1, -1, 0 };
	int16_t values[SIDE * SIDE];
	uint64_t seed = (key * MODEL_NODES + node) * MODEL_LAYERS + layer;
	struct cells *c;

	for (unsigned int i = 0; i < SIDE * SIDE; i += 4) {
		const uint64_t r = rnd64(&seed);

		memcpy(values + i, &r, 8);
	}
	c = cells_create(SIDE, SIDE, bits_of[layer], 0.05, &origin, values);
	if (!c)
		abort();
	return c;
}

/* FNV-1a */
static uint64_t sum_bytes(uint64_t sum, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n--)
		sum = (sum ^ *p++) * 0x100000001b3ULL;
	return sum;
}

static uint64_t sum_cells(const struct cells *c)
{
	return sum_bytes(c->bits, c->data,
			 (size_t)c->width * c->height * c->bits / 8);
}

static void advance_keyframe(struct model *m, const struct part *p)
{
	struct cells *c;

	m->node[p->node].there = 1;
	if (p->placed) {
		m->node[p->node].placed = 1;
		m->node[p->node].pose = pose_of(p->key, p->node);
	}
	for (unsigned int i = 0; i < MODEL_LAYERS; i++) {
		if (!(p->layers >> i & 1))
			continue;
		c = cells_of(p->key, p->node, i);
		m->node[p->node].cells[i] = sum_cells(c);
		cells_put(c);
	}
}

static void advance_poses(struct model *m, const struct part *p)
{
	for (unsigned int i = 0; i < MODEL_NODES; i++)
		if (m->node[i].there) {
			m->node[i].placed = 1;
			m->node[i].pose = pose_of(p->key, i);
		}
}

static void advance_part(struct model *m, const struct part *p)
{
	switch (p->kind) {
	case KEYFRAME:
		advance_keyframe(m, p);
		break;
	case POSES:
		advance_poses(m, p);
		break;
	case ROOM:
		m->room[p->key % MODEL_ROOMS] = p->key;
		break;
	case SETTING:
		m->setting[p->key % MODEL_SETTINGS] = p->layers ? p->key : 0;
		break;
	case REPEATERS:
		m->repeaters = p->key;
		break;
	case CHECKPOINT:
		break;
	}
}

void model_advance(struct model *m)
{
	struct part part[PARTS];
	unsigned int n = parts_of(++m->change, part);

	for (unsigned int i = 0; i < n; i++)
		advance_part(m, &part[i]);
}

static void frame_of(unsigned int node, char frame[16])
{
	snprintf(frame, 16, "node %u", node);
}

static int put_keyframe(struct store *s, const struct part *p)
{
	struct store_submap submap[MODEL_LAYERS];
	struct cells *cells[MODEL_LAYERS];
	const struct pose pose = pose_of(p->key, p->node);
	struct store_keyframe k = {
		.stamp = p->key, .pose = p->placed ? &pose : NULL,
		.submap = submap, .cells = cells,
	};
	char frame[16];
	int err;

	frame_of(p->node, frame);
	k.frame = frame;
	for (unsigned int i = 0; i < MODEL_LAYERS; i++) {
		if (!(p->layers >> i & 1))
			continue;
		/* their ids are those of the order in model_prepare() */
		submap[k.submaps] = (struct store_submap){ .layer = i + 1 };
		cells[k.submaps++] = cells_of(p->key, p->node, i);
	}
	err = store_keyframe(s, &k);
	for (unsigned int i = 0; i < k.submaps; i++)
		cells_put(cells[i]);
	return err;
}

static int put_poses(struct store *s, const struct model *m,
		     const struct part *p)
{
	struct store_pose pose[MODEL_NODES];
	unsigned int n = 0;
	char frame[16];
	int err = 0;

	for (unsigned int i = 0; !err && i < MODEL_NODES; i++) {
		if (!m->node[i].there)
			continue;
		frame_of(i, frame);
		pose[n] = (struct store_pose){ .placed = true,
					       .pose = pose_of(p->key, i) };
		err = store_node(s, frame, 0, &pose[n++].node);
	}
	return err ? err : store_poses(s, pose, n, p->key, "storm");
}

static struct room room_of(uint64_t key)
{
	uint64_t seed = key;
	struct room r = {
		.id = key % MODEL_ROOMS, .stamp = key, .size = key,
		.corners = rnd(&seed, ROOM_CORNERS), .gases = 2,
	};

	modality_unknown(r.value);
	r.value[MODALITY_HAZARD] = key % 100;
	for (unsigned int i = 0; i < r.corners; i++)
		r.corner[i][0] = r.corner[i][1] = rnd(&seed, 1000);
	return r;
}

static int put_repeaters(struct store *s, uint64_t key)
{
	double xy[5][2];
	const unsigned int n = 1 + key % 5;

	for (unsigned int i = 0; i < n; i++) {
		xy[i][0] = key;
		xy[i][1] = i;
	}
	return store_repeaters(s, key, (const double (*)[2])xy, n);
}

static int put_part(struct store *s, const struct model *m,
		    const struct part *p)
{
	struct room room;
	char name[8], value[24];

	switch (p->kind) {
	case KEYFRAME:
		return put_keyframe(s, p);
	case POSES:
		return put_poses(s, m, p);
	case ROOM:
		room = room_of(p->key);
		return store_room(s, &room);
	case SETTING:
		snprintf(name, sizeof(name), "%u",
			 (unsigned int)(p->key % MODEL_SETTINGS));
		snprintf(value, sizeof(value), "%llu",
			 (unsigned long long)p->key);
		return store_set(s, name, p->layers ? value : NULL);
	case REPEATERS:
		return put_repeaters(s, p->key);
	default:
		return store_checkpoint(s);
	}
}

int model_change(struct store *s, const struct model *m)
{
	struct part part[PARTS];
	unsigned int n = parts_of(m->change + 1, part);
	struct model after = *m;
	int err = 0;

	if (n == 1)
		return put_part(s, m, part);
	err = store_begin(s);
	if (err)
		return err;
	for (unsigned int i = 0; !err && i < n; i++) {
		err = put_part(s, &after, &part[i]);
		advance_part(&after, &part[i]);
	}
	if (!err)
		return store_commit(s);
	store_rollback(s);
	return err;
}

int model_prepare(struct store *s)
{
	static const char *const names[] = { "a", "b", "c" };
	struct layer l;
	int64_t id;
	int err = 0;

	for (unsigned int i = 0; !err && i < MODEL_LAYERS; i++) {
		layer_default(&l, names[i]);
		l.bits = bits_of[i];
		err = store_layer(s, &l, &id);
		if (!err && id != i + 1)
			err = -EBADMSG;
	}
	return err;
}

/* A node of @m, or MODEL_NODES */
static unsigned int node_of(const char *frame)
{
	unsigned int n;

	return sscanf(frame, "node %u", &n) == 1 && n < MODEL_NODES ?
	       n : MODEL_NODES;
}

struct reading {
	struct store	*store;
	struct model	*model;
	unsigned int	node[4 * MODEL_NODES];	/* by id */
	unsigned int	repeaters;
};

static int read_node(void *arg, const struct store_node *n)
{
	struct reading *r = arg;
	const unsigned int i = node_of(n->frame);

	if (i == MODEL_NODES || n->id >= 4 * MODEL_NODES)
		return -EBADMSG;
	r->node[n->id] = i;
	r->model->node[i].there = 1;
	r->model->node[i].placed = n->placed;
	r->model->node[i].pose = n->pose;
	return 0;
}

static int read_submap(void *arg, const struct store_submap *m)
{
	struct reading *r = arg;
	struct cells *c;
	int err;

	if (m->node >= 4 * MODEL_NODES || m->layer > MODEL_LAYERS)
		return -EBADMSG;
	err = store_cells(r->store, m->id, &c);
	if (err)
		return err;
	r->model->node[r->node[m->node]].cells[m->layer - 1] = sum_cells(c);
	cells_put(c);
	return 0;
}

static int read_room(void *arg, const struct room *room)
{
	struct reading *r = arg;
	const struct room want = room_of(room->stamp);

	if (room->id >= MODEL_ROOMS || room->corners != want.corners ||
	    room->gases != want.gases ||
	    room->value[MODALITY_HAZARD] != want.value[MODALITY_HAZARD] ||
	    memcmp(room->corner, want.corner,
		   want.corners * sizeof(*want.corner)))
		return -EBADMSG;
	r->model->room[room->id] = room->stamp;
	return 0;
}

static int read_repeater(void *arg, double x, double y)
{
	struct reading *r = arg;

	if (r->repeaters && x != r->model->repeaters)
		return -EBADMSG;
	r->model->repeaters = x;
	return y == r->repeaters++ ? 0 : -EBADMSG;
}

static int read_settings(struct store *s, struct model *m)
{
	char name[8], value[24];
	int n;

	for (unsigned int i = 0; i < MODEL_SETTINGS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		n = store_get(s, name, value, sizeof(value));
		if (n < 0 && n != -ENOENT)
			return n;
		m->setting[i] = n < 0 ? 0 : strtoull(value, NULL, 10);
	}
	return 0;
}

int model_read(struct store *s, struct model *m)
{
	struct reading r = { .store = s, .model = m };
	int err;

	memset(m, 0, sizeof(*m));
	err = store_nodes(s, read_node, &r);
	if (!err)
		err = store_submaps(s, read_submap, &r);
	if (!err)
		err = store_rooms(s, read_room, &r);
	if (!err)
		err = store_each_repeater(s, read_repeater, &r);
	if (!err && r.repeaters && r.repeaters != 1 + m->repeaters % 5)
		err = -EBADMSG;
	return err ? err : read_settings(s, m);
}

uint64_t model_sum(const struct model *m)
{
	return sum_bytes(m->change, m->node, sizeof(*m) -
			 offsetof(struct model, node));
}

bool model_same(const struct model *a, const struct model *b)
{
	return !memcmp(a->node, b->node, sizeof(*a) -
		       offsetof(struct model, node));
}
