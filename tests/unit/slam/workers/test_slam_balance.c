// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_balance - moves of particles against the Hungarian algorithm, and
 * maps from one worker to another
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/map_code.h"
#include "slam/workers/balance.h"
#include "tap.h"

enum { CHILDREN = 40, WORKERS = 9 };

/*
 * Assignment of children to places, each worker having as many places as the
 * share that balance_share() gave it: the cheapest, by augmenting paths
 * (Kuhn and Munkres, with potentials). Costs are 0 at home, else 1
 */
static int cheapest(const uint32_t *parent, uint32_t n, const uint32_t *home,
		    const uint32_t *place)
{
	int u[CHILDREN + 1] = { 0 }, v[CHILDREN + 1] = { 0 };
	uint32_t match[CHILDREN + 1] = { 0 }, way[CHILDREN + 1];
	int cost = 0;

	for (uint32_t i = 1; i <= n; i++) {
		int least[CHILDREN + 1];
		char used[CHILDREN + 1] = { 0 };
		uint32_t j0 = 0;

		for (uint32_t j = 0; j <= n; j++)
			least[j] = INT32_MAX;
		match[0] = i;
		do {
			const uint32_t i0 = match[j0];
			uint32_t j1 = 0;
			int delta = INT32_MAX;

			used[j0] = 1;
			for (uint32_t j = 1; j <= n; j++) {
				const int c = home[parent[i0 - 1]] !=
					place[j - 1];
				const int now = c - u[i0] - v[j];

				if (used[j])
					continue;
				if (now < least[j]) {
					least[j] = now;
					way[j] = j0;
				}
				if (least[j] < delta) {
					delta = least[j];
					j1 = j;
				}
			}
			for (uint32_t j = 0; j <= n; j++) {
				if (used[j]) {
					u[match[j]] += delta;
					v[j] -= delta;
				} else {
					least[j] -= delta;
				}
			}
			j0 = j1;
		} while (match[j0]);
		do {
			match[j0] = match[way[j0]];
			j0 = way[j0];
		} while (j0);
	}
	for (uint32_t j = 1; j <= n; j++)
		cost += home[parent[match[j] - 1]] != place[j - 1];
	return cost;
}

/* The places of a sharing */
static void places_of(const uint32_t *owner, uint32_t n, uint32_t *place)
{
	uint32_t k = 0;

	for (uint32_t w = 0; w < WORKERS; w++) {
		for (uint32_t i = 0; i < n; i++) {
			if (owner[i] == w)
				place[k++] = w;
		}
	}
}

/* @share: of @workers, some of which have none */
static void some_shares(double *share, uint32_t workers, uint64_t *state)
{
	double sum = 0;

	for (uint32_t w = 0; w < workers; w++)
		sum += share[w] = rnd(state, 4) ? rnd(state, 100) : 0;
	share[0] += sum <= 0;
	sum += sum <= 0;
	for (uint32_t w = 0; w < workers; w++)
		share[w] /= sum;
}

/* By shares that differ */
static void test_shares(void)
{
	unsigned int uneven = 0, dear = 0;
	uint64_t state = 11;

	for (int round = 0; round < 3000; round++) {
		const uint32_t n = 1 + rnd(&state, CHILDREN);
		const uint32_t workers = 1 + rnd(&state, WORKERS);
		uint32_t parent[CHILDREN], home[CHILDREN], owner[CHILDREN];
		uint32_t place[CHILDREN], count[WORKERS] = { 0 };
		double share[WORKERS];
		int moves;

		some_shares(share, workers, &state);
		for (uint32_t i = 0; i < n; i++) {
			parent[i] = rnd(&state, 1 + rnd(&state, n));
			home[i] = rnd(&state, workers);
		}
		moves = balance_share(parent, n, home, workers, share, owner);
		for (uint32_t i = 0; i < n; i++)
			count[owner[i]]++;
		for (uint32_t w = 0; w < workers; w++)
			uneven += fabs(count[w] - share[w] * n) >= 1 + 1e-6 ||
				  (share[w] <= 0 && count[w]);
		places_of(owner, n, place);
		dear += moves != cheapest(parent, n, home, place);
	}
	ok(!uneven, "each has its share, give or take one");
	ok(!dear, "... by as few moves as the Hungarian algorithm needs");
}

static void test_sharing(void)
{
	unsigned int uneven = 0, dear = 0, wrong = 0, better = 0;
	uint64_t state = 5;

	for (int round = 0; round < 3000; round++) {
		const uint32_t n = 1 + rnd(&state, CHILDREN);
		const uint32_t workers = 1 + rnd(&state, WORKERS);
		uint32_t parent[CHILDREN], home[CHILDREN], owner[CHILDREN];
		uint32_t place[CHILDREN], count[WORKERS] = { 0 };
		double share[WORKERS];
		int moves, moved = 0, best;

		for (uint32_t i = 0; i < n; i++) {
			parent[i] = rnd(&state, 1 + rnd(&state, n));
			home[i] = rnd(&state, workers);
		}
		for (uint32_t w = 0; w < workers; w++)
			share[w] = 1.0 / workers;
		moves = balance_share(parent, n, home, workers, share, owner);
		for (uint32_t i = 0; i < n; i++) {
			wrong += owner[i] >= workers;
			count[owner[i] % WORKERS]++;
			moved += owner[i] != home[parent[i]];
		}
		wrong += moved != moves;
		for (uint32_t w = 0; w < workers; w++)
			uneven += count[w] < n / workers ||
				count[w] > (n + workers - 1) / workers;
		places_of(owner, n, place);
		dear += moves != cheapest(parent, n, home, place);
		/* another share of the ones left over is not cheaper */
		for (uint32_t w = 0; w < workers; w++) {
			uint32_t other[CHILDREN];

			memcpy(other, place, sizeof(other));
			if (n % workers == 0 || count[w] == n / workers + 1)
				continue;
			for (uint32_t i = 0; i < n; i++) {
				if (count[other[i]] == n / workers + 1) {
					other[i] = w;
					break;
				}
			}
			best = cheapest(parent, n, home, other);
			better += best < moves;
		}
	}
	ok(!wrong, "everybody has a worker, and moves are counted");
	ok(!uneven, "all workers have as many, but for one");
	ok(!dear, "costs are those of the Hungarian algorithm");
	ok(!better, "whoever has one more than others");
}

/* As looked for one by one */
static uint32_t slow_first(const struct wire_child *child, uint32_t i)
{
	uint32_t k = 0;

	if (child[i].from == child[i].owner)
		return i;
	while (child[k].parent != child[i].parent ||
	       child[k].owner != child[i].owner)
		k++;
	return k;
}

static void test_brothers(void)
{
	static struct wire_child child[300];
	static uint32_t first[300];
	unsigned int wrong = 0, brothers = 0;
	uint64_t state = 6;

	for (int round = 0; round < 200; round++) {
		const uint32_t n = 1 + rnd(&state, 300);
		const uint32_t parents = 1 + rnd(&state, 40);

		for (uint32_t i = 0; i < n; i++)
			child[i] = (struct wire_child){
				.parent = rnd(&state, parents),
				.owner = rnd(&state, WORKERS),
			};
		/* a parent is at one place */
		for (uint32_t i = 0; i < n; i++)
			child[i].from = child[i].parent % WORKERS;
		if (balance_first(child, n, parents, first))
			abort();
		for (uint32_t i = 0; i < n; i++) {
			wrong += first[i] != slow_first(child, i);
			brothers += first[i] != i;
		}
	}
	ok_eq(wrong, 0, "the first of %u brothers is found", brothers);
	ok_range(brothers, 1001, INFINITY, "... brothers");
}

/* Endpoints in a few places, as a robot sees the same walls again */
static void add_hits(struct likelihood_field *f, struct tiles *pool,
		     const struct field_kernel *k, uint64_t update,
		     uint32_t writer, uint64_t *state)
{
	const int x = 3000 * (int)(update % 7), y = 2000 * (int)(update % 5);

	for (int i = 0; i < 300; i++) {
		if (field_hit(f, pool, k, x + (int)rnd(state, 12000) - 20000,
			      y + (int)rnd(state, 9000) - 11000,
			      tile_version(update, writer)))
			abort();
	}
}

static unsigned int differ(const struct likelihood_field *a,
			   const struct tiles *pa,
			   const struct likelihood_field *b,
			   const struct tiles *pb)
{
	const int x0 = (a->x < b->x ? a->x : b->x) * FIELD_PAGE_SIDE;
	const int y0 = (a->y < b->y ? a->y : b->y) * FIELD_PAGE_SIDE;
	unsigned int tiles = 0;

	for (int y = y0; y < y0 + 128; y++) {
		for (int x = x0; x < x0 + 128; x++) {
			const struct tile *s = tile_at(tiles_base(pa),
						       field_tile(a, x, y));
			const struct tile *t = tile_at(tiles_base(pb),
						       field_tile(b, x, y));

			tiles += memcmp(s->occupied, t->occupied,
					sizeof(s->occupied)) ||
				memcmp(s->phase, t->phase,
				       sizeof(s->phase)) ||
				s->head.version != t->head.version;
			for (int r = 0; r < TILE_ROWS; r++)
				tiles += memcmp(s->field + r * TILE_STRIDE,
						t->field + r * TILE_STRIDE,
						TILE_ROWS) != 0;
		}
	}
	return tiles;
}

/*
 * @own and @other descend from the same map until update 20, then each goes
 * its own way. What @own changed since then makes @other become it
 */
static void test_maps(void)
{
	struct tiles *here = tiles_create(&field_tiles, 0);
	struct tiles *there = tiles_create(&field_tiles, 0);
	struct likelihood_field own, other, whole;
	struct map_place *place = NULL;
	struct field_kernel k;
	struct bytes full = { 0 }, part = { 0 };
	uint64_t state = 1, away = 2;
	const uint64_t since = tile_version(20, 0);
	int stale;

	field_kernel_init(&k, 2, 10);
	field_init(&own);
	field_init(&other);
	field_init(&whole);
	for (uint64_t u = 0; u < 20; u++)
		add_hits(&own, here, &k, u, 3, &state);
	ok_range(map_encode(&own, here, 0, &full), 1, INFINITY, "a whole map");
	ok_eq(map_decode(&other, there, &k, full.data, full.len), 0,
	      "... map decode");
	ok(!differ(&own, here, &other, there), "has the same bits");
	for (uint64_t u = 20; u < 23; u++)
		add_hits(&own, here, &k, u, 3, &state);
	for (uint64_t u = 20; u < 25; u++)
		add_hits(&other, there, &k, u, 4, &away);
	ok(differ(&own, here, &other, there) > 0, "two go different ways");
	ok_range(map_encode(&own, here, since, &part), 1, INFINITY,
		 "what changed since then is less than the whole");
	ok_range(part.len, -INFINITY, full.len, "... len");
	stale = map_stale(&other, there, since, part.data, part.len, &place);
	ok(stale > 0, "there are places that only the other one changed");
	ok_eq(map_encode_places(&own, here, place, (uint32_t)stale, &part),
	      stale, "they come as well");
	ok_eq(map_decode(&other, there, &k, part.data, part.len), 0,
	      "... map decode");
	ok(!differ(&own, here, &other, there), "and then it is the same map");
	free(place);
	ok(map_stale(&other, there, since, part.data, part.len - 1, &place) ==
	   -EBADMSG, "a map that is cut short is seen");
	ok(map_decode(&whole, there, &k, part.data, part.len - 1) == -EBADMSG,
	   "when it is put in place, too");
	free(place);
	field_free(&own, here);
	field_free(&other, there);
	field_free(&whole, there);
	ok_eq(tiles_used(here), 0, "no tile is left over");
	ok_eq(tiles_used(there), 0, "... tiles used");
	bytes_free(&full);
	bytes_free(&part);
	tiles_destroy(here);
	tiles_destroy(there);
}

int main(void)
{
	test_sharing();
	test_shares();
	test_brothers();
	test_maps();
	return tap_done();
}
