// SPDX-License-Identifier: GPL-2.0-only
/*
 * ops.c - schedules of single operations, to hold the kernel against.
 *
 * One operation per line, one line of answer each:
 *
 *   a POS    message POS arrives   keep | keep evict POS... | discard
 *   d        the head departs      depart POS | depart -
 *   e        memory is short       evict POS | evict -
 *   l N      the limit changes     limit N | limit N evict POS...
 *   p NAME   the policy changes    policy NAME
 *
 * Empty lines and lines that begin with # are skipped. The last line of the
 * answer is `kept:` and what is still queued.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

struct message {
	struct optsample_node node;	/* first: a node is its message */
	uint64_t pos;
};

static uint64_t pos_of(const struct optsample_node *n)
{
	return ((const struct message *)(const void *)n)->pos;
}

static void print_evicted(struct optsample_node *n)
{
	struct optsample_node *next;

	if (n)
		printf(" evict");
	for (; n; n = next) {
		next = n->next;
		printf(" %" PRIu64, pos_of(n));
		free(n);
	}
}

static int arrive(struct optsample_sampler *s, uint64_t pos)
{
	struct optsample_node *out;
	struct message *m;
	bool keep = optsample_arrive(s, pos, &out);

	printf("%s", keep ? "keep" : "discard");
	print_evicted(out);
	if (!keep)
		return 0;
	m = malloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->pos = pos;
	optsample_append(s, &m->node, pos);
	return 0;
}

static void depart(struct optsample_sampler *s)
{
	struct optsample_node *n = optsample_depart(s);

	if (n)
		printf("depart %" PRIu64, pos_of(n));
	else
		printf("depart -");
	free(n);
}

static void evict(struct optsample_sampler *s)
{
	struct optsample_node *n = optsample_evict(s);

	if (n)
		printf("evict %" PRIu64, pos_of(n));
	else
		printf("evict -");
	free(n);
}

static void set_limit(struct optsample_sampler *s, uint32_t limit)
{
	struct optsample_node *first = NULL, **at = &first;

	optsample_set_limit(s, limit);
	printf("limit %u", limit);
	while (s->len > limit) {
		*at = optsample_evict(s);
		at = &(*at)->next;
	}
	print_evicted(first);
}

/* One line; -EINVAL when it is none of the above. */
static int play_line(struct optsample_sampler *s, const char *line)
{
	enum optsample_policy policy;
	uint64_t pos;
	uint32_t limit;
	char name[32];
	int end = -1, err = 0;

	if (sscanf(line, "a %" SCNu64 " %n", &pos, &end) == 1 && end > 0 &&
	    !line[end]) {
		err = arrive(s, pos);
	} else if (sscanf(line, "l %" SCNu32 " %n", &limit, &end) == 1 &&
		   end > 0 && !line[end] && limit &&
		   limit <= OPTSAMPLE_LIMIT_MAX) {
		set_limit(s, limit);
	} else if (sscanf(line, "p %31s %n", name, &end) == 1 && end > 0 &&
		   !line[end]) {
		policy = policy_find(name);
		if (policy == OPTSAMPLE_POLICY_MAX)
			return -EINVAL;
		optsample_set_policy(s, policy, s->refill);
		printf("policy %s", name);
	} else if (!strcmp(line, "d\n") || !strcmp(line, "d")) {
		depart(s);
	} else if (!strcmp(line, "e\n") || !strcmp(line, "e")) {
		evict(s);
	} else {
		return -EINVAL;
	}
	putchar('\n');
	return err;
}

int ops_play(const struct sim_config *cfg, FILE *in, const char *name)
{
	struct optsample_sampler s;
	struct optsample_node *n, *next;
	unsigned int number = 0;
	char line[64];
	int err = 0;

	optsample_init(&s, cfg->policy, cfg->limit, cfg->refill);
	while (!err && fgets(line, sizeof(line), in)) {
		number++;
		if (line[0] != '#' && line[0] != '\n')
			err = play_line(&s, line);
	}
	if (!err && ferror(in))
		err = -EIO;
	if (err == -EINVAL)
		fprintf(stderr, "optsample-sim: %s:%u: not an operation\n",
			name, number);
	else if (err)
		fprintf(stderr, "optsample-sim: %s: %s\n", name,
			strerror(-err));
	if (!err)
		printf("kept:");
	for (n = s.head; n; n = next) {
		next = n->next;
		if (!err)
			printf(" %" PRIu64, pos_of(n));
		free(n);
	}
	if (!err)
		putchar('\n');
	return err;
}

/* splitmix64 (Steele, Lea, Flood, 2014) */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(draw(state) % n);
}

/* Anything but arrivals and departures is rare. False: nothing printed. */
static bool random_rare(const struct sim_config *cfg, uint64_t *state,
			const char *only)
{
	switch (below(state, 4)) {
	case 0:
		if (!strchr(only, 'l'))
			return false;
		printf("l %u\n", 1 + below(state, cfg->limit * 2 <
					   OPTSAMPLE_LIMIT_MAX ?
					   cfg->limit * 2 : cfg->limit));
		return true;
	case 1:
		if (!strchr(only, 'p'))
			return false;
		printf("p %s\n", optsample_policy_name(
				below(state, OPTSAMPLE_POLICY_MAX)));
		return true;
	default:
		if (!strchr(only, 'e'))
			return false;
		printf("e\n");
		return true;
	}
}

void ops_random(const struct sim_config *cfg, uint64_t seed, uint32_t count,
		const char *only)
{
	/* percent of arrivals: outage, overload, even, draining, moving on */
	static const uint8_t phases[] = { 100, 97, 75, 50, 30, 5 };
	uint32_t i, left = 0, arrivals = 100;
	uint64_t state = seed, pos = 0;

	for (i = 0; i < count; i++, left--) {
		if (!left) {
			arrivals = phases[below(&state, sizeof(phases))];
			left = 1 + below(&state, cfg->limit * 6);
		}
		if (!below(&state, 50) && random_rare(cfg, &state, only))
			continue;
		if (below(&state, 100) < arrivals) {
			/* a message that was lost earlier leaves a step of 2 */
			pos += below(&state, 40) ? 1 : 2;
			printf("a %" PRIu64 "\n", pos);
		} else {
			printf("d\n");
		}
	}
}
