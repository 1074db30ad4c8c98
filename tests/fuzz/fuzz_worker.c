// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_worker - all messages that a SLAM worker takes, of the coordinator and
 * of other workers; the bus is replaced
 *
 * Each message is made as its sender would, with small numbers of the input.
 * Then the input patches it: any number may be NaN, infinite or huge, and any
 * byte another one, and it may be cut.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/params.h"
#include "slam/workers/wire.h"
#include "slam/workers/worker.h"

enum { ROOM = 1 << 14, MESSAGES = 24, ME = 1 };

struct bus {
	const uint8_t	*at, *end;
	unsigned int	messages;
	uint8_t		text[ROOM] __attribute__((aligned(16)));
	size_t		len;
	void		*last;
	volatile uint8_t sum;
};

static uint8_t take(struct bus *b)
{
	return b->at < b->end ? *b->at++ : 0;
}

static void *append(struct bus *b, const void *what, size_t len)
{
	void *at = b->text + b->len;

	if (b->len + len > ROOM)
		abort();
	memcpy(at, what, len);
	b->len += len;
	return at;
}

static struct pose some_pose(struct bus *b)
{
	return (struct pose){ (int8_t)take(b) / 16., (int8_t)take(b) / 16.,
			      (int8_t)take(b) / 40. };
}

static void make_reading(struct bus *b)
{
	const struct wire_reading r = {
		.stamp = take(b), .beams = take(b) % 48, .angle_min = -1.5,
		.angle_increment = 0.06, .range_max = 30,
	};
	const uint8_t how = take(b);

	append(b, &r, sizeof(r));
	for (uint32_t i = 0; i < r.beams; i++) {
		const float range = how & 1 ? take(b) / 8.f :
				    2 + (how + i) % 7 * .3f;

		append(b, &range, sizeof(range));
	}
}

static void make_match(struct bus *b)
{
	const struct wire_match m = {
		.update = take(b) % 6, .round = take(b) & 1,
		.early = take(b) & 1, .again = -1e9,
		.motion = { .move = some_pose(b), .slip = take(b) / 256.,
			    .turn = take(b) / 256., .reach = 5 },
	};

	append(b, &m, sizeof(m));
	make_reading(b);
}

static void make_rebuild(struct bus *b)
{
	const struct wire_rebuild r = { take(b) % 8, take(b) % 6, take(b) % 4,
					take(b) % 8 };

	append(b, &r, sizeof(r));
	for (uint32_t i = 0; i < r.steps; i++) {
		const struct wire_step s = { some_pose(b), take(b) % 6,
					     take(b) % 8, 0 };

		append(b, &s, sizeof(s));
	}
}

static void make_copy(struct bus *b)
{
	const struct wire_copy c = { take(b) % 8, take(b) % 8 };

	append(b, &c, sizeof(c));
}

static void make_forget(struct bus *b)
{
	(void)b;
}

static void make_settle(struct bus *b)
{
	const struct wire_settle s = { take(b) % 6, take(b) % 8, 0 };

	append(b, &s, sizeof(s));
	for (uint32_t i = 0; i < s.count; i++) {
		const struct wire_child c = { take(b) % 8, take(b) % 3,
			take(b) % 3, take(b) & 1 ? WIRE_NONE : take(b) % 8,
			take(b) % 6 };

		append(b, &c, sizeof(c));
	}
}

static void make_map(struct bus *b)
{
	const unsigned int rest = take(b) * (take(b) & 1 ? 8 : 1);
	const struct wire_map m = {
		.pose = some_pose(b), .update = take(b) % 6,
		.since = take(b) % 6, .at = take(b) & 1 ? take(b) : 0,
		.total = rest + (take(b) & 1) * take(b), .number = take(b) % 8,
		.base = take(b) % 8,
	};

	append(b, &m, sizeof(m));
	for (unsigned int i = 0; i < rest; i++) {
		const uint8_t byte = take(b);

		append(b, &byte, 1);
	}
}

static void make_setup(struct bus *b)
{
	struct slam_params p = slam_defaults;

	p.particles = p.particles_min = 6;
	append(b, &p, sizeof(p));
}

/* Numbers that a sender would not send */
static void patch(struct bus *b)
{
	static const double odd[] = {
		NAN, INFINITY, -INFINITY, 1.9e233, -1.9e233, 1e300, -1, 0,
		1e-300, 1e6, -1e6, 2147483648., -2147483649., 4e9, 1e18, 8.0001,
	};
	static const uint32_t whole[] = { UINT32_MAX, 0x80000000, 0x7fffffff,
					  65536, 1, 0, 4096, 0x40000000 };
	const size_t at = (take(b) << 8 | take(b)) % (b->len + 1);
	const uint8_t how = take(b);

	if (how < 96 && (at & ~7UL) + 8 <= b->len)
		memcpy(b->text + (at & ~7UL), &odd[how % 16], 8);
	else if (how < 160 && (at & ~3UL) + 4 <= b->len)
		memcpy(b->text + (at & ~3UL), &whole[how % 8], 4);
	else if (at < b->len)
		b->text[at] = how;
}

static const struct {
	enum wire_type	type;
	void		(*make)(struct bus *b);
} kinds[] = {
	{ WIRE_MATCH, make_match }, { WIRE_SETTLE, make_settle },
	{ WIRE_REBUILD, make_rebuild },
	{ WIRE_SCAN, make_match }, { WIRE_MAP, make_map },
	{ WIRE_NEED, make_map }, { WIRE_TILES, make_map },
	{ WIRE_SETUP, make_setup }, { WIRE_RESULT, make_map },
	{ WIRE_FORGET, make_forget }, { WIRE_COPY, make_copy },
};

int bus_receive(struct bus *b, struct bus_message *m, int timeout_ms)
{
	const unsigned int all = sizeof(kinds) / sizeof(kinds[0]);
	uint8_t first, patches;

	(void)timeout_ms;
	if (b->messages++ && (b->at >= b->end || b->messages > MESSAGES))
		return 0;
	b->len = 0;
	first = b->messages == 1 ? 8 : take(b);
	patches = b->messages == 1 ? 0 : take(b);
	kinds[first % all].make(b);
	for (unsigned int i = 0; i < patches % 4; i++)
		patch(b);
	if (patches >= 240)
		b->len = b->len * take(b) / 256;
	/* of its own size, so that what is read beyond it is found */
	free(b->last);
	b->last = malloc(b->len + !b->len);
	memcpy(b->last, b->text, b->len);
	*m = (struct bus_message){ .from = first / all % 4,
				   .type = kinds[first % all].type,
				   .data = b->last, .len = b->len };
	if (first >= 250) {
		m->type = BUS_JOINED + first % 3;
		m->data = "why";
		m->len = 4;
	}
	return 1;
}

int bus_send_wait(struct bus *b, uint32_t to, uint16_t type,
		  const struct iovec *iov, int count, int timeout_ms)
{
	(void)to;
	(void)type;
	(void)timeout_ms;
	/* what is sent must be there */
	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < iov[i].iov_len; k++)
			b->sum += ((const uint8_t *)iov[i].iov_base)[k];
	return 0;
}

int bus_wait(struct bus *b, int timeout_ms)
{
	(void)b;
	(void)timeout_ms;
	return 1;
}

uint32_t bus_id(struct bus *b)
{
	(void)b;
	return ME;
}

void bus_counters(struct bus *b, struct bus_counters *c)
{
	(void)b;
	memset(c, 0, sizeof(*c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bus b;
	struct worker *w;

	b.at = data;
	b.end = data + size;
	b.messages = 0;
	w = worker_create(&b, 1, NULL, NULL);
	while (worker_turn(w, 0) == 1)
		;
	worker_destroy(w);
	return 0;
}
