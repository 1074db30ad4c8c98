// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_flapping - a link that fails every few seconds: the sender, its queue
 * and its knowledge of the link; each frame is shown once
 */
#include "robot_stream.h"
#include "tap.h"

enum {
	FLOWS	= 32,
	QUEUE	= 16384,	/* datagrams of a flow */
	SPACING	= 80,		/* ms, of the datagrams of a frame */
	SERVICE	= 6,		/* ms, of a datagram on the link */
	DEAF	= 2000,		/* ms without a report: the sender sees an outage */
};

struct packet {
	uint32_t	frame, sent;	/* ms */
	uint16_t	epoch;
	unsigned int	index;
};

/**
 * struct link - what is between sender and receiver
 * @fifo:	one queue, else one for each epoch, served in turns
 * @reorder:	one datagram of ten is behind the next one
 * @up, @change: whether it works, and when that ends, ms
 * @came, @reported: when the last datagram and the last report came, ms
 */
struct link {
	bool		fifo, reorder, up, was_out, has_spare;
	unsigned int	change, came, reported;
	uint16_t	epoch;
	unsigned int	turn, head[FLOWS], tail[FLOWS];
	struct packet	queue[FLOWS][QUEUE], spare;
	uint64_t	rng;
};

static unsigned int roll(struct link *l, unsigned int n)
{
	l->rng = l->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (l->rng >> 33) % n;
}

static void arrive(struct test *t, uint64_t start, unsigned int now,
		   const struct packet *p)
{
	t->now = start + now * MS;
	come(t, p->frame, p->index, p->index + 1, p->epoch, now - p->sent);
}

static void put(struct link *l, const struct packet *p)
{
	unsigned int q = l->fifo ? 0 : p->epoch % FLOWS;

	l->queue[q][l->tail[q]++ % QUEUE] = *p;
}

/* The next datagram of the queue, if there is one */
static bool serve(struct link *l, struct packet *p)
{
	for (unsigned int i = 0; i < FLOWS; i++) {
		l->turn = (l->turn + 1) % FLOWS;
		if (l->head[l->turn] == l->tail[l->turn])
			continue;
		*p = l->queue[l->turn][l->head[l->turn]++ % QUEUE];
		return true;
	}
	return false;
}

static void transmit(struct test *t, struct link *l, uint64_t start,
		     unsigned int now)
{
	struct packet p;

	if (!l->up || now % SERVICE || !serve(l, &p))
		return;
	if (now - l->came > 600)
		wait_for(t, 0);
	l->came = now;
	if (l->reorder && !l->has_spare && !roll(l, 10)) {
		l->spare = p;
		l->has_spare = true;
		return;
	}
	arrive(t, start, now, &p);
	if (l->has_spare)
		arrive(t, start, now, &l->spare);
	l->has_spare = false;
}

/* A report twice a second; the sender counts an outage once the next one comes */
static void report(struct link *l, unsigned int now)
{
	if (now - l->reported > DEAF)
		l->was_out = true;
	if (now % 500 || !l->up || now - l->came > 500)
		return;
	l->epoch += l->was_out;
	l->was_out = false;
	l->reported = now;
}

static void flap(struct link *l, unsigned int now)
{
	if (now < l->change)
		return;
	l->up = !l->up;
	l->change = now + 1000 + roll(l, l->up ? 6000 : 2500);
}

static void test_flapping(uint64_t seed, bool fifo, bool reorder)
{
	unsigned int frame = 0, index = 0, twice = 0, lost = 0, kept = 0;
	const unsigned int length = tap_rounds(50000, 110000);	/* ms */
	const struct recv_counts *shown;
	struct reassembly_counts c;
	struct link *l = calloc(1, sizeof(*l));
	uint16_t epoch = 0;
	uint64_t start;
	struct test t;

	*l = (struct link){ .fifo = fifo, .reorder = reorder, .up = true,
			    .change = 3000, .rng = seed };
	begin(&t);
	start = t.now;
	for (unsigned int now = 10; now < length; now++) {
		bool sends = frame * INTERVAL < length - 10000;

		if (sends && now >= frame * INTERVAL +
				    index * SPACING / t.image.count) {
			epoch = index ? epoch : l->epoch;
			put(l, &(struct packet){ frame, now, epoch, index });
			index = (index + 1) % t.image.count;
			frame += !index;
		}
		if (sends)
			flap(l, now);
		else
			l->up = true;
		transmit(&t, l, start, now);
		report(l, now);
		if (now % 500 == 0 && now - l->came < 5000)
			send_report(&t);
	}
	if (l->has_spare)
		arrive(&t, start, length, &l->spare);
	wait_for(&t, 0);
	for (uint32_t f = 0; f < frame; f++) {
		twice += t.live[f] + t.kept[f] > 1;
		lost += t.live[f] + t.kept[f] < 1;
		kept += t.kept[f];
	}
	shown = recv_topic_counts(stream_topic(t.stream, 0));
	c = recv_topic_datagrams(stream_topic(t.stream, 0));
	printf("# %s%s: %u outages\n", fifo ? "one queue" :
	       "a queue for each epoch", reorder ? ", not in order" : "",
	       l->epoch);
	ok_eq(frame, (length - 10000) / INTERVAL, "frames");
	ok_range(l->epoch, 2, frame, "outages");
	ok_range(kept, frame / 5, frame, "frames that were kept");
	ok_eq(twice, 0, "frames that came twice");
	ok_eq(lost, 0, "frames that were lost");
	/* an outage cuts a frame of each flow, the rest of which is late */
	ok_range(shown->exact, .96 * frame, frame, "whole frames");
	ok_eq(c.missing, 0, "missing frames");
	ok_eq(c.expected, frame * t.image.count, "datagrams that were sent");
	ok_eq(c.datagrams + c.late, c.expected, "of these came, some late");
	end(&t);
	free(l);
}

int main(void)
{
	for (unsigned int i = 0; i < 4; i++)
		test_flapping(i + 1, i & 1, i & 2);
	return tap_done();
}
