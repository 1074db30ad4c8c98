// SPDX-License-Identifier: GPL-2.0-only
/*
 * mosaic - which submaps lie in which tiles, and which of these are stale
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fusion/mosaic_parts.h"

enum {
	FAR		= 1 << 28,	/* cells from the origin of a map */
	RUN_STEP	= 32,		/* cells of the map */
	NEW_PIECES	= 8,		/* more are fused tile by tile */
	PORTION		= 4,		/* blocks per thread: some ms */
	BLOCK_MIN	= 3,		/* tiles a side */
	BLOCK_MAX	= 16,
};

/* What is next to a cell may be drawn for it, cells */
static const double REACH = 1.5;
/* Cells; a submap that moved less stays where it is drawn */
static const double MOVE = 0.5;

struct mosaic *mosaic_create(const struct mosaic_config *config)
{
	struct mosaic *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->config = *config;
	m->rule = rule_get(config->rule, config->bits);
	pthread_rwlock_init(&m->lock, NULL);
	return m;
}

void mosaic_destroy(struct mosaic *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < m->tiles; i++) {
		free(m->tile[i].acc);
		free(m->tile[i].piece);
	}
	for (unsigned int i = 0; i < m->pieces; i++)
		free(m->piece[i].in);
	free(m->tile);
	free(m->piece);
	index_free(&m->tile_index);
	index_free(&m->piece_index);
	mosaic_free_artists(m);
	pthread_rwlock_destroy(&m->lock);
	free(m);
}

double mosaic_resolution(const struct mosaic *m)
{
	return m->config.resolution;
}

void *mosaic_arg(const struct mosaic *m)
{
	return m->config.arg;
}

/*
 * Tiles
 */

static int spoil(struct mosaic *m, struct tile *t)
{
	m->stale += !t->stale;
	t->stale = true;
	return 0;
}

/* Room for one more of what @array points to. Return: 0, -ENOMEM */
static int grow(void *array, uint32_t *room, uint32_t used, size_t size)
{
	const uint32_t more = *room ? 2 * *room : 4;
	void *p;

	if (used < *room)
		return 0;
	p = realloc(*(void **)array, more * size);
	if (!p)
		return -ENOMEM;
	*(void **)array = p;
	*room = more;
	return 0;
}

static uint32_t make_tile(struct mosaic *m, int x, int y)
{
	const struct rect at = { x, y, 1, 1 };
	const uint32_t number = m->tiles;

	if (grow(&m->tile, &m->tiles_room, m->tiles, sizeof(*m->tile)) ||
	    index_add(&m->tile_index, tile_key(x, y), number))
		return INDEX_NONE;
	m->tile[m->tiles++] = (struct tile){ .x = x, .y = y };
	m->bounds = rect_union(&m->bounds, &at);
	return number;
}

static uint32_t tile_at(const struct mosaic *m, int x, int y)
{
	return index_find(&m->tile_index, tile_key(x, y));
}

static void tile_drop(struct tile *t, uint32_t piece)
{
	for (uint32_t i = 0; i < t->pieces; i++)
		if (t->piece[i] == piece) {
			t->piece[i] = t->piece[--t->pieces];
			return;
		}
}

/*
 * Pieces in tiles
 */

/* The tiles that a box of map cells touches */
static void mark(struct piece *p, double x0, double y0, double x1, double y1)
{
	const int left = (int)floor(x0 - REACH) >> TILE_SHIFT;
	const int low = (int)floor(y0 - REACH) >> TILE_SHIFT;
	const int right = (int)floor(x1 + REACH) >> TILE_SHIFT;
	const int high = (int)floor(y1 + REACH) >> TILE_SHIFT;

	for (int y = low; y <= high; y++)
		for (int x = left; x <= right; x++) {
			const size_t bit = (size_t)(y - p->tiles.y) *
					   p->tiles.width + (x - p->tiles.x);

			p->in[bit / 64] |= 1ULL << (bit % 64);
		}
}

/* Known cells are runs, runs are lines, and these pass through tiles */
static void mark_run(struct piece *p, const struct cells_run *r,
		     const struct pose *at, double k, double resolution)
{
	const double dx = cos(at->yaw) * k, dy = sin(at->yaw) * k;
	const double x = at->x / resolution + r->column * dx -
			 (r->row + 0.5) * dy;
	const double y = at->y / resolution + r->column * dy +
			 (r->row + 0.5) * dx;
	const unsigned int step = fmax(RUN_STEP / k, 1);

	for (unsigned int i = 0; i < r->count; i += step) {
		const unsigned int j = i + step < r->count ? i + step :
							     r->count;
		const double x0 = x + i * dx, x1 = x + j * dx;
		const double y0 = y + i * dy, y1 = y + j * dy;

		mark(p, fmin(x0, x1) - k / 2, fmin(y0, y1) - k / 2,
		     fmax(x0, x1) + k / 2, fmax(y0, y1) + k / 2);
	}
}

/* Where its cells are in the map. Return: 0, -ENOMEM, -ERANGE */
static int locate(const struct mosaic *m, struct piece *p,
		  const struct cells *c)
{
	const double res = m->config.resolution, k = c->resolution / res;
	const struct pose at = pose_compose(&p->submap.pose, &c->origin);
	struct rect b;
	size_t words;
	int right, high;

	if (!pose_valid(&p->submap.pose) ||
	    fabs(at.x / res) + fabs(at.y / res) > FAR ||
	    hypot(c->width, c->height) * k > FAR)
		return -ERANGE;
	b = project_bounds(c, &at, res);
	p->tiles.x = (b.x - 4) >> TILE_SHIFT;
	p->tiles.y = (b.y - 4) >> TILE_SHIFT;
	right = (b.x + (int)b.width + 4) >> TILE_SHIFT;
	high = (b.y + (int)b.height + 4) >> TILE_SHIFT;
	p->tiles.width = right - p->tiles.x + 1;
	p->tiles.height = high - p->tiles.y + 1;
	words = ((size_t)p->tiles.width * p->tiles.height + 63) / 64;
	p->in = calloc(words, sizeof(*p->in));
	if (!p->in)
		return -ENOMEM;
	for (unsigned int i = 0; i < c->runs; i++)
		mark_run(p, &c->run[i], &at, k, res);
	p->width = c->width;
	p->height = c->height;
	p->resolution = c->resolution;
	p->origin = c->origin;
	return 0;
}

/* Do @one for each tile that a piece has cells in; may be all or none */
static int each_tile(struct mosaic *m, uint32_t piece,
		     int (*one)(struct mosaic *m, uint32_t piece, int x, int y))
{
	const struct rect r = m->piece[piece].tiles;
	int err;

	for (int y = r.y; y < r.y + (int)r.height; y++)
		for (int x = r.x; x < r.x + (int)r.width; x++)
			if (piece_is_in(&m->piece[piece], x, y)) {
				err = one(m, piece, x, y);
				if (err)
					return err;
			}
	return 0;
}

static int attach_one(struct mosaic *m, uint32_t piece, int x, int y)
{
	uint32_t i = tile_at(m, x, y);
	struct tile *t;

	if (i == INDEX_NONE)
		i = make_tile(m, x, y);
	if (i == INDEX_NONE)
		return -ENOMEM;
	t = &m->tile[i];
	if (grow(&t->piece, &t->room, t->pieces, sizeof(*t->piece)))
		return -ENOMEM;
	t->piece[t->pieces++] = piece;
	return m->piece[piece].drawn ? spoil(m, t) : 0;
}

static int detach_one(struct mosaic *m, uint32_t piece, int x, int y)
{
	const uint32_t i = tile_at(m, x, y);

	if (i == INDEX_NONE)
		return 0;
	tile_drop(&m->tile[i], piece);
	return spoil(m, &m->tile[i]);
}

static int spoil_one(struct mosaic *m, uint32_t piece, int x, int y)
{
	const uint32_t i = tile_at(m, x, y);

	(void)piece;
	return i == INDEX_NONE ? 0 : spoil(m, &m->tile[i]);
}

/* Fetch and locate @p, which is in no tile yet */
static int find_place(const struct mosaic *m, struct piece *p)
{
	struct cells *c = NULL, *weights = NULL;
	int err;

	err = m->config.fetch(m->config.arg, p->submap.id, &c, &weights);
	if (err)
		return err;
	err = locate(m, p, c);
	cells_put(c);
	cells_put(weights);
	return err;
}

static void take_out(struct mosaic *m, uint32_t piece)
{
	struct piece *p = &m->piece[piece];

	each_tile(m, piece, detach_one);
	free(p->in);
	p->in = NULL;
	memset(&p->tiles, 0, sizeof(p->tiles));
	m->new_pieces -= !p->drawn;
	p->drawn = true;	/* from now on by way of stale tiles */
}

/*
 * Submaps
 */

static uint32_t make_piece(struct mosaic *m, int64_t id)
{
	const uint32_t number = m->pieces;

	if (grow(&m->piece, &m->pieces_room, m->pieces, sizeof(*m->piece)) ||
	    index_add(&m->piece_index, id, number))
		return INDEX_NONE;
	m->piece[m->pieces++] = (struct piece){ .submap.id = id };
	m->new_pieces++;
	return number;
}

/* In its tiles, in place of what was there of it */
static int put(struct mosaic *m, const struct piece *p)
{
	uint32_t i = index_find(&m->piece_index, p->submap.id);
	bool drawn;

	if (i != INDEX_NONE)
		take_out(m, i);
	else
		i = make_piece(m, p->submap.id);
	if (i == INDEX_NONE)
		return -ENOMEM;
	drawn = m->piece[i].drawn;
	m->piece[i] = *p;
	m->piece[i].drawn = drawn;
	return each_tile(m, i, attach_one);
}

int mosaic_put(struct mosaic *m, const struct mosaic_submap *s)
{
	struct piece p = { .submap = *s };
	int err = find_place(m, &p);

	if (!err) {
		pthread_rwlock_wrlock(&m->lock);
		err = put(m, &p);
		pthread_rwlock_unlock(&m->lock);
	}
	if (!err)
		return 0;
	if (index_find(&m->piece_index, s->id) == INDEX_NONE)
		free(p.in);
	mosaic_remove(m, s->id);
	return err;
}

/* How far the corner that moves most does, in cells of the map */
static double moved(const struct mosaic *m, const struct piece *p,
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

int mosaic_move(struct mosaic *m, int64_t id, const struct pose *pose)
{
	const uint32_t i = index_find(&m->piece_index, id);
	struct mosaic_submap s;
	int err;

	if (i == INDEX_NONE)
		return -ENOENT;
	if (!pose_valid(pose))
		return -ERANGE;
	if (moved(m, &m->piece[i], pose) <= MOVE)
		return 0;
	s = m->piece[i].submap;
	s.pose = *pose;
	err = mosaic_put(m, &s);
	return err ? err : 1;
}

/* The last one takes its number */
static void renumber(struct mosaic *m, uint32_t from, uint32_t to)
{
	const struct rect r = m->piece[from].tiles;

	for (int y = r.y; y < r.y + (int)r.height; y++)
		for (int x = r.x; x < r.x + (int)r.width; x++) {
			struct tile *t;

			if (!piece_is_in(&m->piece[from], x, y))
				continue;
			t = &m->tile[tile_at(m, x, y)];
			for (uint32_t i = 0; i < t->pieces; i++)
				if (t->piece[i] == from)
					t->piece[i] = to;
		}
	m->piece[to] = m->piece[from];
	index_remove(&m->piece_index, m->piece[to].submap.id);
	/* there was room for it a moment ago */
	index_add(&m->piece_index, m->piece[to].submap.id, to);
}

void mosaic_remove(struct mosaic *m, int64_t id)
{
	const uint32_t i = index_find(&m->piece_index, id);

	if (i == INDEX_NONE)
		return;
	pthread_rwlock_wrlock(&m->lock);
	take_out(m, i);
	index_remove(&m->piece_index, id);
	if (i != m->pieces - 1)
		renumber(m, m->pieces - 1, i);
	m->pieces--;
	pthread_rwlock_unlock(&m->lock);
}

void mosaic_spoil(struct mosaic *m)
{
	for (unsigned int i = 0; i < m->tiles; i++)
		spoil(m, &m->tile[i]);
}

/*
 * Bringing it up to date
 */

bool mosaic_is_stale(const struct mosaic *m)
{
	return m->stale || m->new_pieces;
}

/*
 * Large blocks, so that few submaps lie in several; but some for each thread,
 * and the accumulators of one fit into the cache
 */
static struct blocks make_blocks(const struct mosaic *m, const uint32_t *tile,
				 unsigned int count)
{
	const unsigned int threads = m->config.threads;
	struct rect r = { 0, 0, 0, 0 };
	double side;

	for (unsigned int i = 0; i < count; i++) {
		const struct rect at = { m->tile[tile[i]].x,
					 m->tile[tile[i]].y, 1, 1 };

		r = rect_union(&r, &at);
	}
	side = threads < 2 ? BLOCK_MAX :
	       sqrt((double)count / (2 * threads));
	return (struct blocks){ m, r.x, r.y,
		side < BLOCK_MIN ? BLOCK_MIN : side > BLOCK_MAX ? BLOCK_MAX :
		(int)side };
}

static int by_block(const void *a, const void *b, void *arg)
{
	const struct blocks *blocks = arg;
	const struct tile *t = blocks->m->tile;

	return block_compare(blocks, &t[*(const uint32_t *)a],
			     &t[*(const uint32_t *)b]);
}

/* Tiles that are stale and in @r, if that is not NULL; forgotten ones too */
static uint32_t *choose(struct mosaic *m, const struct rect *r,
			unsigned int *count, struct blocks *blocks)
{
	uint32_t *tile = malloc((m->tiles + 1) * sizeof(*tile));
	unsigned int n = 0;

	for (unsigned int i = 0; tile && i < m->tiles; i++) {
		const struct tile *t = &m->tile[i];
		const struct rect at = tile_rect(t);
		struct rect in;

		if (!r) {
			if (t->stale)
				tile[n++] = i;
			continue;
		}
		in = rect_common(r, &at);
		if (!rect_is_empty(&in) &&
		    (t->stale || (!t->acc && t->pieces)))
			tile[n++] = i;
	}
	if (tile) {
		*blocks = make_blocks(m, tile, n);
		qsort_r(tile, n, sizeof(*tile), by_block, blocks);
	}
	*count = n;
	return tile;
}

/* What is not stale goes, the longest unwanted first */
static int by_wanted(const void *a, const void *b, void *arg)
{
	const struct mosaic *m = arg;
	const struct tile *s = &m->tile[*(const uint32_t *)a];
	const struct tile *t = &m->tile[*(const uint32_t *)b];

	return s->wanted < t->wanted ? -1 : s->wanted > t->wanted;
}

static void forget(struct mosaic *m, struct tile *t)
{
	if (!t->acc)
		return;
	free(t->acc);
	t->acc = NULL;
	m->bytes -= tile_bytes(m);
}

/*
 * Make room for @bytes: forget what was wanted before @wanted. Return: whether
 * there is room
 */
static bool make_room(struct mosaic *m, size_t bytes, uint64_t wanted)
{
	uint32_t *tile;
	unsigned int n = 0;

	if (m->bytes + bytes <= m->config.memory)
		return true;
	tile = malloc((m->tiles + 1) * sizeof(*tile));
	if (!tile)
		return false;
	for (unsigned int i = 0; i < m->tiles; i++)
		if (m->tile[i].acc && !m->tile[i].stale &&
		    m->tile[i].wanted < wanted)
			tile[n++] = i;
	qsort_r(tile, n, sizeof(*tile), by_wanted, m);
	pthread_rwlock_wrlock(&m->lock);
	for (unsigned int i = 0;
	     i < n && m->bytes + bytes > m->config.memory; i++)
		forget(m, &m->tile[tile[i]]);
	pthread_rwlock_unlock(&m->lock);
	free(tile);
	return m->bytes + bytes <= m->config.memory;
}

/* New pieces: few are added to what is there, many are fused tile by tile */
static int add_new(struct mosaic *m, struct mosaic_work *work)
{
	const bool many = m->new_pieces > NEW_PIECES;
	int err = 0;

	for (uint32_t i = m->pieces; i-- && m->new_pieces;) {
		struct piece *p = &m->piece[i];

		if (p->drawn)
			continue;
		if (many) {
			each_tile(m, i, spoil_one);
		} else {
			make_room(m, (size_t)p->tiles.width * p->tiles.height *
				  tile_bytes(m), m->clock + 1);
			err = mosaic_draw_piece(m, p, work);
		}
		if (err)
			return err;
		p->drawn = true;
		m->new_pieces--;
	}
	return 0;
}

/* No room for them: they are fused when somebody wants them */
static void give_up(struct mosaic *m, const uint32_t *tile, unsigned int count)
{
	pthread_rwlock_wrlock(&m->lock);
	m->revision++;
	for (unsigned int i = 0; i < count; i++) {
		struct tile *t = &m->tile[tile[i]];

		forget(m, t);
		m->stale -= t->stale;
		t->stale = false;
		t->changed = m->revision;
	}
	pthread_rwlock_unlock(&m->lock);
}

/* The first of @count tiles that are fused at once: whole blocks */
static unsigned int portion(struct blocks *b, const uint32_t *tile,
			    unsigned int count)
{
	unsigned int n = 0, blocks = 0;

	while (n < count) {
		if (!n || by_block(&tile[n - 1], &tile[n], b))
			blocks++;
		if (blocks > PORTION * b->m->config.threads)
			break;
		n++;
	}
	return n;
}

static size_t room_for(const struct mosaic *m, const uint32_t *tile,
		       unsigned int count)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < count; i++)
		bytes += m->tile[tile[i]].acc ? 0 : tile_bytes(m);
	return bytes;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int mosaic_update(struct mosaic *m, uint64_t deadline,
		  struct mosaic_work *work)
{
	struct blocks blocks;
	unsigned int count, n;
	uint32_t *tile;
	int err;

	err = add_new(m, work);
	if (err || !m->stale)
		return err;
	tile = choose(m, NULL, &count, &blocks);
	if (!tile)
		return -ENOMEM;
	for (unsigned int i = 0; i < count && !err; i += n) {
		if (i && now() > deadline) {
			err = 1;
			break;
		}
		n = portion(&blocks, tile + i, count - i);
		if (make_room(m, room_for(m, tile + i, n), m->clock + 1))
			err = mosaic_draw(m, &blocks, tile + i, n, work);
		else
			give_up(m, tile + i, n);
	}
	free(tile);
	return err;
}

int mosaic_want(struct mosaic *m, const struct rect *r)
{
	struct blocks blocks;
	unsigned int count;
	uint32_t *tile = choose(m, r, &count, &blocks);
	int err;

	if (!tile)
		return -ENOMEM;
	make_room(m, room_for(m, tile, count), UINT64_MAX);
	err = add_new(m, NULL);
	if (!err)
		err = mosaic_draw(m, &blocks, tile, count, NULL);
	free(tile);
	return err;
}

/*
 * Looking at it
 */

struct rect mosaic_bounds(struct mosaic *m)
{
	struct rect r;

	pthread_rwlock_rdlock(&m->lock);
	r = m->bounds;
	pthread_rwlock_unlock(&m->lock);
	return (struct rect){ r.x * MOSAIC_TILE, r.y * MOSAIC_TILE,
			      r.width * MOSAIC_TILE, r.height * MOSAIC_TILE };
}

/* When a tile was wanted is a guess that several threads make at once */
static const struct tile *look(struct mosaic *m, int x, int y)
{
	const uint32_t i = tile_at(m, x, y);

	if (i == INDEX_NONE || !m->tile[i].pieces)
		return NULL;
	__atomic_store_n(&m->tile[i].wanted,
			 __atomic_load_n(&m->clock, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	return &m->tile[i];
}

int mosaic_value(struct mosaic *m, int x, int y)
{
	const size_t at = (size_t)(y & (MOSAIC_TILE - 1)) * MOSAIC_TILE +
			  (x & (MOSAIC_TILE - 1));
	const struct tile *t;
	int16_t value = -1;
	int err = 0;

	pthread_rwlock_rdlock(&m->lock);
	t = look(m, x >> TILE_SHIFT, y >> TILE_SHIFT);
	if (t && t->acc)
		m->rule->values((char *)t->acc + at * m->rule->size, 1, &value);
	else if (t)
		err = -EAGAIN;
	pthread_rwlock_unlock(&m->lock);
	return err ? err : value;
}

/* The rows of a tile that lie in @r */
static int read_tile(struct mosaic *m, struct raster *r, int tx, int ty)
{
	const struct rect at = { tx * MOSAIC_TILE, ty * MOSAIC_TILE,
				 MOSAIC_TILE, MOSAIC_TILE };
	const struct rect in = rect_common(&r->rect, &at);
	const struct tile *t = look(m, tx, ty);

	for (unsigned int y = 0; y < in.height; y++) {
		const size_t to = (size_t)(in.y - r->rect.y + y) *
				  r->rect.width + (in.x - r->rect.x);
		const size_t from = (size_t)(in.y - at.y + y) * MOSAIC_TILE +
				    (in.x - at.x);

		if (t && t->acc)
			m->rule->values((char *)t->acc + from * m->rule->size,
					in.width, r->cells + to);
		else
			memset(r->cells + to, 0xff,
			       in.width * sizeof(*r->cells));
	}
	return t && !t->acc ? -EAGAIN : 0;
}

int mosaic_read(struct mosaic *m, struct raster *r)
{
	int err = 0;

	r->bits = m->config.bits;
	r->resolution = m->config.resolution;
	if (rect_is_empty(&r->rect))
		return 0;
	__atomic_add_fetch(&m->clock, 1, __ATOMIC_RELAXED);
	pthread_rwlock_rdlock(&m->lock);
	for (int y = r->rect.y >> TILE_SHIFT;
	     y <= (r->rect.y + (int)r->rect.height - 1) >> TILE_SHIFT; y++)
		for (int x = r->rect.x >> TILE_SHIFT;
		     x <= (r->rect.x + (int)r->rect.width - 1) >> TILE_SHIFT;
		     x++)
			if (read_tile(m, r, x, y))
				err = -EAGAIN;
	pthread_rwlock_unlock(&m->lock);
	return err;
}

uint64_t mosaic_changes(struct mosaic *m, uint64_t since,
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

struct mosaic_size mosaic_size(struct mosaic *m)
{
	struct mosaic_size size = { .submaps = m->pieces };

	pthread_rwlock_rdlock(&m->lock);
	for (unsigned int i = 0; i < m->tiles; i++)
		size.tiles += m->tile[i].pieces != 0;
	size.bytes = m->bytes;
	pthread_rwlock_unlock(&m->lock);
	return size;
}
