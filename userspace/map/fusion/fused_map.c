// SPDX-License-Identifier: GPL-2.0-only
/*
 * fused_map - which submaps are in which tiles, and which tiles are stale
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/array.h"
#include "map/fusion/fused_map_parts.h"

enum {
	FAR		= 1 << 28,	/* cells, largest coordinate */
	FEW		= 8,		/* new pieces that are added in place */
	PORTION		= 64,		/* pieces or tiles per step */
};

/* Cells; a submap that moved less is not redrawn */
static const double MOVE = 0.5;

struct fused_map *fused_map_create(const struct fused_map_config *config)
{
	struct fused_map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->config = *config;
	m->rule = rule_get(config->rule, config->bits);
	m->clock = 1;
	pthread_rwlock_init(&m->lock, NULL);
	return m;
}

void fused_map_destroy(struct fused_map *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < m->tiles; i++) {
		free(m->tile[i].acc);
		free(m->tile[i].piece);
	}
	for (unsigned int i = 0; i < m->pieces; i++) {
		resampled_free(m->piece[i].resampled);
		free(m->piece[i].place);
	}
	free(m->tile);
	free(m->piece);
	index_free(&m->tile_index);
	index_free(&m->piece_index);
	fused_map_free_artists(m);
	pthread_rwlock_destroy(&m->lock);
	free(m);
}

double fused_map_resolution(const struct fused_map *m)
{
	return m->config.resolution;
}

void *fused_map_arg(const struct fused_map *m)
{
	return m->config.arg;
}

/*
 * Tiles
 */

/* Mark a tile as stale */
static void fused_map_spoil_tile(struct fused_map *m, struct tile *t)
{
	m->stale += !t->stale;
	t->stale = true;
}

static uint32_t fused_map_make_tile(struct fused_map *m, int x, int y)
{
	const uint32_t number = m->tiles;

	if (array_grow(&m->tile, &m->tiles_room, m->tiles,
			sizeof(*m->tile)) ||
	    index_add(&m->tile_index, tile_key(x, y), number))
		return INDEX_NONE;
	assert(m->tiles < m->tiles_room);
	m->tile[m->tiles++] = (struct tile){ .x = x, .y = y };
	return number;
}

/* Start a single new tile in place: this takes a microsecond */
static int begin_tile(struct fused_map *m, struct tile *t)
{
	/* the tile has too many pieces for its rule: fuse it again */
	if (t->acc && t->rule != tile_rule(m, t)) {
		fused_map_spoil_tile(m, t);
		return 1;
	}
	if (t->acc)
		return 0;
	/* others were evicted, or there is no memory: mark it stale */
	if (t->pieces > 1 || m->bytes + rule_bytes(m->rule) > m->config.memory)
		return 1;
	assert(!t->acc);
	t->rule = m->rule;
	t->acc = fused_map_begin_tile(t->rule);
	if (!t->acc)
		return -ENOMEM;
	m->bytes += tile_bytes(t);
	return 0;
}

/*
 * Pieces in tiles; call with the lock held
 */

static int fused_map_put_part(struct fused_map *m, uint32_t piece,
			      unsigned int part, bool few)
{
	const struct piece *p = &m->piece[piece];
	const struct resampled_tile *d = &p->resampled->tile[part];
	const struct rect at = { d->x, d->y, 1, 1 };
	uint32_t i = fused_map_tile_at(m, d->x, d->y);
	struct tile *t;
	int ret;

	if (i == INDEX_NONE)
		i = fused_map_make_tile(m, d->x, d->y);
	if (i == INDEX_NONE)
		return -ENOMEM;
	assert(i < m->tiles && piece < m->pieces);
	t = &m->tile[i];
	if (array_grow(&t->piece, &t->room, t->pieces, sizeof(*t->piece)))
		return -ENOMEM;
	t->piece[t->pieces++] = (struct tile_piece){ piece, part };
	m->bounds = rect_union(&m->bounds, &at);
	if (!few)
		fused_map_spoil_tile(m, t);
	if (t->stale)
		return 0;
	t->changed = m->revision;
	ret = begin_tile(m, t);
	if (!ret)
		fused_map_add(t->rule, p, part, t->acc);
	return ret < 0 ? ret : 0;
}

/* Other threads may read the count */
static void count_waiting(struct fused_map *m, int more)
{
	__atomic_fetch_add(&m->waiting, more, __ATOMIC_RELAXED);
}

/* Put a drawn piece into its tiles */
static int put_in(struct fused_map *m, uint32_t piece, bool few)
{
	struct piece *p = &m->piece[piece];
	const struct resampled *d = p->resampled;
	int err = 0;

	p->waits = false;
	count_waiting(m, -1);
	if (!d)
		return 0;
	p->place = malloc((d->tiles + 1) * sizeof(*p->place));
	if (!p->place)
		return -ENOMEM;
	for (unsigned int i = 0; i < d->tiles && !err; i++) {
		p->place[i] = (struct place){ d->tile[i].x, d->tile[i].y };
		err = fused_map_put_part(m, piece, i, few);
		p->places = i + 1;
	}
	return err;
}

static void take_out(struct fused_map *m, uint32_t piece)
{
	struct piece *p = &m->piece[piece];

	for (unsigned int i = 0; i < p->places; i++) {
		const uint32_t at = fused_map_tile_at(m, p->place[i].x,
						      p->place[i].y);
		struct tile *t = &m->tile[at];

		assert(at < m->tiles && t->pieces);
		for (uint32_t k = 0; k < t->pieces; k++)
			if (t->piece[k].piece == piece) {
				t->piece[k] = t->piece[--t->pieces];
				break;
			}
		m->shrunk |= !t->pieces;
		fused_map_spoil_tile(m, t);
	}
	free(p->place);
	p->place = NULL;
	p->places = 0;
	fused_map_forget_resampled(m, p);
}

static void renumber(struct fused_map *m, uint32_t from, uint32_t to)
{
	const struct piece *p = &m->piece[from];

	for (unsigned int i = 0; i < p->places; i++) {
		struct tile *t = &m->tile[fused_map_tile_at(m, p->place[i].x,
							    p->place[i].y)];

		for (uint32_t k = 0; k < t->pieces; k++)
			if (t->piece[k].piece == from)
				t->piece[k].piece = to;
	}
	m->piece[to] = *p;
	index_remove(&m->piece_index, m->piece[to].submap.id);
	/* cannot fail: an entry was just removed */
	index_add(&m->piece_index, m->piece[to].submap.id, to);
}

/*
 * Submaps
 */

static uint32_t make_piece(struct fused_map *m, int64_t id)
{
	const uint32_t number = m->pieces;

	if (array_grow(&m->piece, &m->pieces_room, m->pieces,
			sizeof(*m->piece)) ||
	    index_add(&m->piece_index, id, number))
		return INDEX_NONE;
	assert(m->pieces < m->pieces_room);
	m->piece[m->pieces++] = (struct piece){ .submap.id = id };
	return number;
}

static bool fused_map_in_reach(const struct fused_map *m, const struct pose *p)
{
	return pose_valid(p) &&
	       fabs(p->x) + fabs(p->y) < FAR * m->config.resolution;
}

int fused_map_put(struct fused_map *m, const struct fused_map_submap *s)
{
	uint32_t i = index_find(&m->piece_index, s->id);
	struct piece *p;

	if (!fused_map_in_reach(m, &s->pose))
		return -ERANGE;
	pthread_rwlock_wrlock(&m->lock);
	if (i == INDEX_NONE)
		i = make_piece(m, s->id);
	else
		take_out(m, i);
	pthread_rwlock_unlock(&m->lock);
	if (i == INDEX_NONE)
		return -ENOMEM;
	p = &m->piece[i];
	p->submap = *s;
	count_waiting(m, !p->waits);
	p->waits = true;
	return 0;
}

/* Largest displacement of a corner, in cells of the map */
static double fused_map_moved(const struct fused_map *m, const struct piece *p,
			      const struct pose *to)
{
	const double w = p->width * p->resolution;
	const double h = p->height * p->resolution;
	double most = 0;

	for (int corner = 0; corner < 4; corner++) {
		const struct pose of = { corner & 1 ? w : 0,
					 corner & 2 ? h : 0, 0 };
		const struct pose in = pose_compose(&p->origin, &of);
		const struct pose a = pose_compose(&p->submap.pose, &in);
		const struct pose b = pose_compose(to, &in);

		most = fmax(most, hypot(b.x - a.x, b.y - a.y));
	}
	return most / m->config.resolution;
}

int fused_map_move(struct fused_map *m, int64_t id, const struct pose *pose)
{
	const uint32_t i = index_find(&m->piece_index, id);
	struct fused_map_submap s;
	int err;

	if (i == INDEX_NONE)
		return -ENOENT;
	if (!fused_map_in_reach(m, pose))
		return -ERANGE;
	if (!m->piece[i].waits &&
	    fused_map_moved(m, &m->piece[i], pose) <= MOVE)
		return 0;
	s = m->piece[i].submap;
	s.pose = *pose;
	err = fused_map_put(m, &s);
	return err ? err : 1;
}

void fused_map_remove(struct fused_map *m, int64_t id)
{
	const uint32_t i = index_find(&m->piece_index, id);

	if (i == INDEX_NONE)
		return;
	pthread_rwlock_wrlock(&m->lock);
	assert(i < m->pieces && m->piece[i].submap.id == id);
	take_out(m, i);
	count_waiting(m, -m->piece[i].waits);
	index_remove(&m->piece_index, id);
	/* move the last piece to this number */
	if (i != m->pieces - 1)
		renumber(m, m->pieces - 1, i);
	m->pieces--;
	pthread_rwlock_unlock(&m->lock);
}

void fused_map_invalidate(struct fused_map *m)
{
	for (unsigned int i = 0; i < m->tiles; i++)
		fused_map_spoil_tile(m, &m->tile[i]);
	for (unsigned int i = 0; i < m->pieces; i++)
		if (!m->piece[i].waits)
			fused_map_forget_resampled(m, &m->piece[i]);
}

/*
 * Updates
 */

bool fused_map_is_stale(const struct fused_map *m)
{
	return m->stale || m->waiting;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static unsigned int portion(const struct fused_map *m)
{
	return PORTION * m->config.threads;
}

/* Choose some waiting pieces. Return: how many */
static unsigned int choose_waiting(const struct fused_map *m, uint32_t *piece)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < m->pieces && n < portion(m); i++)
		if (m->piece[i].waits)
			piece[n++] = i;
	assert(n <= m->pieces);
	return n;
}

/* Add few pieces to their tiles; for many, fuse the tiles again */
static int put_waiting(struct fused_map *m, uint64_t deadline,
		       struct fused_map_work *work)
{
	const bool few = m->waiting <= FEW;
	uint32_t *piece = malloc(portion(m) * sizeof(*piece));
	int err = piece ? 0 : -ENOMEM;

	while (m->waiting && !err) {
		const unsigned int n = choose_waiting(m, piece);

		fused_map_tick(m);
		err = fused_map_draw(m, piece, n, work);
		pthread_rwlock_wrlock(&m->lock);
		m->revision++;
		for (unsigned int i = 0; i < n && !err; i++)
			err = put_in(m, piece[i], few);
		pthread_rwlock_unlock(&m->lock);
		fused_map_trim(m, 0, UINT64_MAX);
		if (!err && m->waiting && now() > deadline)
			err = 1;
	}
	free(piece);
	return err;
}

/* Stale tiles; if @r is not NULL also evicted ones in it */
static uint32_t *fused_map_choose(struct fused_map *m, const struct rect *r,
				  unsigned int *count)
{
	uint32_t *tile = malloc((m->tiles + 1) * sizeof(*tile));
	unsigned int n = 0;

	for (unsigned int i = 0; tile && i < m->tiles; i++) {
		const struct tile *t = &m->tile[i];
		const struct rect at = tile_rect(t);
		struct rect in = at;

		if (r)
			in = rect_common(r, &at);
		if (!rect_is_empty(&in) &&
		    (t->stale || (r && !t->acc && t->pieces)))
			tile[n++] = i;
	}
	*count = n;
	return tile;
}

/* Redraw the pieces of some tiles whose resampled submaps were evicted */
static int draw_missing(struct fused_map *m, const uint32_t *tile,
			unsigned int count, struct fused_map_work *work)
{
	uint32_t *piece = malloc((m->pieces + 1) * sizeof(*piece));
	/* a mark that no reader can have */
	const uint64_t mark = fused_map_tick(m);
	unsigned int n = 0;
	int err;

	if (!piece)
		return -ENOMEM;
	for (unsigned int i = 0; i < count; i++) {
		const struct tile *t = &m->tile[tile[i]];

		for (uint32_t k = 0; k < t->pieces; k++) {
			struct piece *p = &m->piece[t->piece[k].piece];

			if (!p->resampled && p->used != mark)
				piece[n++] = t->piece[k].piece;
			p->used = mark;
		}
	}
	assert(n <= m->pieces);
	err = fused_map_draw(m, piece, n, work);
	free(piece);
	return err;
}

/* No memory: leave the tiles to be fused on demand */
static void fused_map_give_up(struct fused_map *m, const uint32_t *tile,
			      unsigned int count)
{
	pthread_rwlock_wrlock(&m->lock);
	m->revision++;
	for (unsigned int i = 0; i < count; i++) {
		struct tile *t = &m->tile[tile[i]];

		fused_map_forget_tile(m, t);
		m->stale -= t->stale;
		t->stale = false;
		t->changed = m->revision;
	}
	pthread_rwlock_unlock(&m->lock);
}

static size_t fused_map_room_for(const struct fused_map *m,
				 const uint32_t *tile, unsigned int count)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < count; i++) {
		const struct tile *t = &m->tile[tile[i]];

		bytes += t->acc ? 0 : rule_bytes(tile_rule(m, t));
	}
	return bytes;
}

/*
 * Only @wanted tiles may evict others, those not used since @since. Otherwise
 * tiles would evict each other in turn without being used.
 */
static int fuse_some(struct fused_map *m, const uint32_t *tile,
		     unsigned int count, uint64_t since, bool wanted,
		     struct fused_map_work *work)
{
	const size_t bytes = fused_map_room_for(m, tile, count);
	int err;

	fused_map_trim(m, bytes, wanted ? since : 0);
	if (!wanted && m->bytes + bytes > m->config.memory) {
		fused_map_give_up(m, tile, count);
		return 0;
	}
	err = draw_missing(m, tile, count, work);
	if (!err)
		err = fused_map_fuse(m, tile, count, work);
	return err;
}

/* A distant submap has returned: recompute the bounds */
static void fused_map_shrink(struct fused_map *m)
{
	struct rect all = { 0 };

	for (unsigned int i = 0; i < m->tiles; i++) {
		const struct rect at = { m->tile[i].x, m->tile[i].y, 1, 1 };

		if (m->tile[i].pieces)
			all = rect_union(&all, &at);
	}
	pthread_rwlock_wrlock(&m->lock);
	m->bounds = all;
	m->shrunk = false;
	pthread_rwlock_unlock(&m->lock);
}

int fused_map_update(struct fused_map *m, uint64_t deadline,
		     struct fused_map_work *work)
{
	unsigned int count, n;
	uint32_t *tile;
	int err;

	err = put_waiting(m, deadline, work);
	if (!err && m->shrunk)
		fused_map_shrink(m);
	if (err || !m->stale)
		return err;
	tile = fused_map_choose(m, NULL, &count);
	if (!tile)
		return -ENOMEM;
	for (unsigned int i = 0; i < count && !err; i += n) {
		if (i && now() > deadline) {
			err = 1;
			break;
		}
		n = count - i < portion(m) ? count - i : portion(m);
		err = fuse_some(m, tile + i, n, 0, false, work);
	}
	free(tile);
	fused_map_trim(m, 0, UINT64_MAX);
	return err;
}

/* Keep the parts that exist until the rest is fused */
static uint64_t mark_wanted(struct fused_map *m, const struct rect *r)
{
	const uint64_t mark = fused_map_tick(m);

	for (unsigned int i = 0; i < m->tiles; i++) {
		const struct rect at = tile_rect(&m->tile[i]);
		const struct rect in = rect_common(r, &at);

		if (!rect_is_empty(&in))
			__atomic_store_n(&m->tile[i].wanted, mark,
					 __ATOMIC_RELAXED);
	}
	return mark;
}

int fused_map_ensure(struct fused_map *m, const struct rect *r)
{
	unsigned int count;
	uint32_t *tile;
	int err;

	err = put_waiting(m, UINT64_MAX, NULL);
	if (err)
		return err;
	tile = fused_map_choose(m, r, &count);
	if (!tile)
		return -ENOMEM;
	err = fuse_some(m, tile, count, mark_wanted(m, r), true, NULL);
	free(tile);
	fused_map_trim(m, 0, 0);
	return err;
}

/*
 * Queries
 */

struct rect fused_map_bounds(struct fused_map *m)
{
	struct rect r;

	pthread_rwlock_rdlock(&m->lock);
	r = m->bounds;
	pthread_rwlock_unlock(&m->lock);
	return (struct rect){ r.x * TILE_SIDE, r.y * TILE_SIDE,
			      r.width * TILE_SIDE, r.height * TILE_SIDE };
}

/* The time of use is approximate: several threads write it */
static const struct tile *fused_map_look(struct fused_map *m, int x, int y)
{
	const uint32_t i = fused_map_tile_at(m, x, y);

	if (i == INDEX_NONE || !m->tile[i].pieces)
		return NULL;
	__atomic_store_n(&m->tile[i].wanted,
			 fused_map_clock(m),
			 __ATOMIC_RELAXED);
	return &m->tile[i];
}

int fused_map_value(struct fused_map *m, int x, int y)
{
	const size_t at = (size_t)(y & (TILE_SIDE - 1)) * TILE_SIDE +
			  (x & (TILE_SIDE - 1));
	const struct tile *t;
	int16_t value = -1;
	int err = 0;

	pthread_rwlock_rdlock(&m->lock);
	t = fused_map_look(m, x >> TILE_SHIFT, y >> TILE_SHIFT);
	if (t && t->acc)
		t->rule->values((char *)t->acc + at * t->rule->size, 1, &value);
	else if (t)
		err = -EAGAIN;
	pthread_rwlock_unlock(&m->lock);
	return err ? err : value;
}

/* Copy the rows of a tile that are in @r */
static int fused_map_read_tile(struct fused_map *m, struct raster *r, int tx,
			       int ty)
{
	const struct rect at = { tx * TILE_SIDE, ty * TILE_SIDE,
				 TILE_SIDE, TILE_SIDE };
	const struct rect in = rect_common(&r->rect, &at);
	const struct tile *t = fused_map_look(m, tx, ty);

	for (unsigned int y = 0; y < in.height; y++) {
		const size_t to = (size_t)(in.y - r->rect.y + y) *
				  r->rect.width + (in.x - r->rect.x);
		const size_t from = (size_t)(in.y - at.y + y) * TILE_SIDE +
				    (in.x - at.x);

		if (t && t->acc)
			t->rule->values((char *)t->acc + from * t->rule->size,
					in.width, r->cells + to);
		else
			memset(r->cells + to, 0xff,
			       in.width * sizeof(*r->cells));
	}
	return t && !t->acc ? -EAGAIN : 0;
}

int fused_map_read(struct fused_map *m, struct raster *r)
{
	int err = 0;

	r->bits = m->config.bits;
	r->resolution = m->config.resolution;
	if (rect_is_empty(&r->rect))
		return 0;
	fused_map_tick(m);
	pthread_rwlock_rdlock(&m->lock);
	for (int y = r->rect.y >> TILE_SHIFT;
	     y <= (r->rect.y + (int)r->rect.height - 1) >> TILE_SHIFT; y++)
		for (int x = r->rect.x >> TILE_SHIFT;
		     x <= (r->rect.x + (int)r->rect.width - 1) >> TILE_SHIFT;
		     x++)
			if (fused_map_read_tile(m, r, x, y))
				err = -EAGAIN;
	pthread_rwlock_unlock(&m->lock);
	return err;
}

uint64_t fused_map_changes(struct fused_map *m, uint64_t since,
			   void (*each)(void *arg, const struct rect *tile),
			   void *arg)
{
	uint64_t revision;

	pthread_rwlock_rdlock(&m->lock);
	revision = m->revision;
	for (unsigned int i = 0; i < m->tiles; i++)
		if (m->tile[i].changed > since) {
			const struct rect r = tile_rect(&m->tile[i]);

			each(arg, &r);
		}
	pthread_rwlock_unlock(&m->lock);
	return revision;
}

struct fused_map_size fused_map_size(struct fused_map *m)
{
	struct fused_map_size size = { 0 };

	pthread_rwlock_rdlock(&m->lock);
	size.submaps = m->pieces;
	for (unsigned int i = 0; i < m->tiles; i++)
		size.tiles += m->tile[i].pieces != 0;
	size.bytes = m->bytes;
	size.waiting = __atomic_load_n(&m->waiting, __ATOMIC_RELAXED);
	pthread_rwlock_unlock(&m->lock);
	return size;
}
