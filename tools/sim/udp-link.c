// SPDX-License-Identifier: GPL-2.0-only
/*
 * udp-link - a bad link for UDP, in user space
 *
 * Datagrams that come to --listen go to --to, and answers go back to the
 * sender of the last one. On the way there they wait at a bottleneck of --rate,
 * in a queue of --queue at most, then they take --delay; both ways some are
 * lost, doubled, late behind others, or have a byte changed. With --burst as
 * many are lost in a row, in the mean: a channel of two states (Gilbert,
 * "Capacity of a burst-noise channel", BSTJ 1960).
 *
 * A trace says how the link changes: lines of
 *	SECONDS RATE(bit/s) LOSS(0..1) DELAY(ms)
 * each valid from its time on; rate 0 is an outage. With --log, each tenth of a
 * second a line: time, capacity, bytes in, bytes out (both directions there),
 * ms in the queue.
 *
 * With --keep it also stands for the robot's queue, sch_optsample, where there
 * is no VM to run it: while the trace says rate 0, and until all of it has
 * left, what comes waits, and messages that may be sampled are (link_keep.h).
 * Then it leaves beside what is live, with at most half of the rate.
 */
#include <argp.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/address.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/loop.h"
#include "link_keep.h"

enum {
	OPT_LISTEN = 256, OPT_TO, OPT_LOSS, OPT_DUP, OPT_REORDER, OPT_CORRUPT,
	OPT_BURST, OPT_RATE, OPT_QUEUE, OPT_DELAY, OPT_SEED, OPT_TRACE, OPT_LOG,
	OPT_KEEP,

	SLOTS	= 65536,
	BYTES	= 2048,
	STEPS	= 4096,
	HEADERS	= 28,		/* of IPv4 and UDP: on the wire */
};

#define SECOND	1000000000ULL
#define LATE	(SECOND / 100)	/* of one that is reordered */
#define LOG	(SECOND / 10)
#define DRAIN	(SECOND / 200)	/* until it is tried again */

struct step {
	double	at, rate, loss, delay;
};

struct datagram {
	uint64_t	due;
	bool		back;
	uint16_t	len;
	uint8_t		bytes[BYTES];
};

struct link {
	struct loop	*loop;
	struct loop_fd	front, rear;
	struct loop_timer timer, log, drain;
	struct link_keep *keep;
	struct address	to;
	struct sockaddr_storage from;
	socklen_t	from_len;
	double		loss, burst, dup, reorder, corrupt;
	bool		bad[2];			/* there, and back */
	double		rate, queue, delay;	/* bytes/s, s, s */
	struct step	step[STEPS];
	unsigned int	steps, next;
	uint64_t	start, free_at, seed;
	FILE		*out;
	uint64_t	in_bytes, out_bytes;
	/* a heap by time */
	struct datagram	*heap[SLOTS];
	unsigned int	held;
};

static const char *listen_text = "7449", *to_text, *trace, *log_path;

static double uniform(struct link *l)
{
	uint64_t z = l->seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void push(struct link *l, struct datagram *d)
{
	unsigned int i = l->held++;

	while (i && l->heap[(i - 1) / 2]->due > d->due) {
		l->heap[i] = l->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	l->heap[i] = d;
	l->timer.due = l->heap[0]->due;
}

static struct datagram *pop(struct link *l)
{
	struct datagram *top = l->heap[0], *last = l->heap[--l->held];
	unsigned int i = 0, k;

	while ((k = 2 * i + 1) < l->held) {
		if (k + 1 < l->held && l->heap[k + 1]->due < l->heap[k]->due)
			k++;
		if (l->heap[k]->due >= last->due)
			break;
		l->heap[i] = l->heap[k];
		i = k;
	}
	l->heap[i] = last;
	return top;
}

static void follow_trace(struct link *l, uint64_t now)
{
	while (l->next < l->steps &&
	       now >= l->start + (uint64_t)(l->step[l->next].at * SECOND)) {
		const struct step *s = &l->step[l->next++];

		l->rate = s->rate / 8;
		l->loss = s->loss;
		l->delay = s->delay / 1000;
		if (l->free_at < now)
			l->free_at = now;
	}
}

/* When it is through the bottleneck; 0: there is no room in the queue */
static uint64_t pass(struct link *l, size_t len, uint64_t now)
{
	uint64_t at = l->free_at > now ? l->free_at : now;

	if (l->rate < 0)
		return now;
	if (l->rate == 0 || at - now > l->queue * SECOND)
		return 0;
	l->free_at = at + (len + HEADERS) / l->rate * SECOND;
	return l->free_at;
}

static void hold(struct link *l, bool back, const uint8_t *bytes, size_t len,
		 uint64_t due)
{
	struct datagram *d = l->held < SLOTS ? malloc(sizeof(*d)) : NULL;

	if (!d)
		return;
	d->due = due;
	d->back = back;
	d->len = len;
	memcpy(d->bytes, bytes, len);
	if (len && uniform(l) < l->corrupt)
		d->bytes[(size_t)(uniform(l) * len)] ^=
			1 << (unsigned int)(uniform(l) * 8);
	push(l, d);
}

static bool is_lost(struct link *l, bool back)
{
	bool *bad = &l->bad[back];

	if (l->burst <= 1 || l->loss >= 1)
		return uniform(l) < l->loss;
	*bad = uniform(l) < (*bad ? 1 - 1 / l->burst :
			     l->loss / (1 - l->loss) / l->burst);
	return *bad;
}

/* It is through the bottleneck at @due; 0: dropped */
static void cross(struct link *l, bool back, const uint8_t *bytes, size_t len,
		  uint64_t due)
{
	if (!due || is_lost(l, back))
		return;
	due += l->delay * SECOND;
	if (uniform(l) < l->reorder)
		due += LATE;
	hold(l, back, bytes, len, due);
	if (uniform(l) < l->dup)
		hold(l, back, bytes, len, due + LATE / 2);
}

/* What waits leaves, with at most half of the rate */
static void on_drain(void *arg, uint64_t now)
{
	struct link *l = arg;
	uint8_t bytes[BYTES];
	size_t len;

	follow_trace(l, now);
	while ((len = link_keep_next(l->keep))) {
		uint64_t due = pass(l, len, now);

		l->drain.due = now + DRAIN;
		if (!due)
			return;
		link_keep_depart(l->keep, bytes);
		cross(l, false, bytes, len, due);
		if (l->rate > 0)
			l->drain.due = now + (len + HEADERS) * 2 / l->rate *
					     SECOND;
		if (l->drain.due > now)
			return;
	}
	l->drain.due = LOOP_NEVER;
}

static void take(struct link *l, bool back, const uint8_t *bytes, size_t len)
{
	uint64_t now = loop_now(), due = now;

	follow_trace(l, now);
	if (!back) {
		l->in_bytes += len + HEADERS;
		if (l->keep && link_keep_arrive(l->keep, bytes, len,
						l->rate == 0)) {
			if (l->drain.due == LOOP_NEVER)
				l->drain.due = now;
			return;
		}
		due = pass(l, len, now);
	} else if (l->rate == 0) {
		due = 0;
	}
	cross(l, back, bytes, len, due);
}

static void on_front(void *arg, uint32_t events)
{
	struct link *l = arg;
	uint8_t bytes[BYTES];
	ssize_t n;

	(void)events;
	for (;;) {
		l->from_len = sizeof(l->from);
		n = recvfrom(l->front.fd, bytes, BYTES, MSG_DONTWAIT,
			     (void *)&l->from, &l->from_len);
		if (n < 0)
			return;
		take(l, false, bytes, n);
	}
}

static void on_rear(void *arg, uint32_t events)
{
	struct link *l = arg;
	uint8_t bytes[BYTES];
	ssize_t n;

	(void)events;
	while ((n = recv(l->rear.fd, bytes, BYTES, MSG_DONTWAIT)) >= 0)
		take(l, true, bytes, n);
}

static void deliver(struct link *l, const struct datagram *d)
{
	ssize_t n;

	if (d->back) {
		n = sendto(l->front.fd, d->bytes, d->len, 0,
			   (void *)&l->from, sizeof(struct sockaddr_in6));
	} else {
		l->out_bytes += d->len + HEADERS;
		n = sendto(l->rear.fd, d->bytes, d->len, 0,
			   (void *)&l->to.storage, l->to.len);
	}
	(void)n;	/* there may be no receiver */
}

static void on_time(void *arg, uint64_t now)
{
	struct link *l = arg;

	while (l->held && l->heap[0]->due <= now) {
		struct datagram *d = pop(l);

		deliver(l, d);
		free(d);
	}
	l->timer.due = l->held ? l->heap[0]->due : LOOP_NEVER;
}

static void on_log(void *arg, uint64_t now)
{
	struct link *l = arg;
	double wait = l->free_at > now ? (l->free_at - now) / 1e6 : 0;

	l->log.due = now + LOG;
	follow_trace(l, now);
	fprintf(l->out, "%.3f,%.0f,%llu,%llu,%.1f\n", (now - l->start) / 1e9,
		l->rate < 0 ? 0 : l->rate, (unsigned long long)l->in_bytes,
		(unsigned long long)l->out_bytes, wait);
	fflush(l->out);
	l->in_bytes = l->out_bytes = 0;
}

static int load_trace(struct link *l)
{
	FILE *f = fopen(trace, "r");
	char line[256];

	if (!f)
		return cli_error(-errno, "%s: %s", trace, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		struct step *s = &l->step[l->steps];

		if (*line == '#' || *line == '\n')
			continue;
		if (l->steps == STEPS ||
		    sscanf(line, "%lf %lf %lf %lf", &s->at, &s->rate, &s->loss,
			   &s->delay) != 4) {
			fclose(f);
			return cli_error(-EINVAL, "%s: not SECONDS RATE LOSS DELAY: %s",
					 trace, strtok(line, "\n"));
		}
		l->steps++;
	}
	fclose(f);
	return 0;
}

static const struct argp_option options[] = {
	{ "listen", OPT_LISTEN, "[ADDRESS:]PORT", 0, "datagrams come here (7449)", 0 },
	{ "to", OPT_TO, "HOST:PORT", 0, "and go there", 0 },
	{ "loss", OPT_LOSS, "P", 0, "share that is lost, 0..1, both ways", 0 },
	{ "burst", OPT_BURST, "N", 0, "mean length of a run of losses, datagrams; 0: by chance", 0 },
	{ "dup", OPT_DUP, "P", 0, "that comes twice", 0 },
	{ "reorder", OPT_REORDER, "P", 0, "that is 10 ms late", 0 },
	{ "corrupt", OPT_CORRUPT, "P", 0, "that has a bit changed", 0 },
	{ "rate", OPT_RATE, "BIT/S", 0, "of the bottleneck", 0 },
	{ "queue", OPT_QUEUE, "MS", 0, "before it (200)", 0 },
	{ "delay", OPT_DELAY, "MS", 0, "one way", 0 },
	{ "seed", OPT_SEED, "N", 0, NULL, 0 },
	{ "trace", OPT_TRACE, "FILE", 0, "how it changes", 0 },
	{ "log", OPT_LOG, "FILE", 0, "what happened", 0 },
	{ "keep", OPT_KEEP, "N", 0, "messages of each flow that wait in an outage", 0 },
	{ 0 }
};

static int number(const char *arg, double most, double scale, double *to)
{
	double v;

	if (parse_double(arg, 0, most, &v))
		return cli_error(-EINVAL, "'%s' is not 0..%g", arg, most);
	*to = v * scale;
	return 0;
}

static int keep(struct link *l, const char *arg)
{
	double n = 0;
	int ret = number(arg, KEEP_MESSAGES, 1, &n);

	if (!ret && n < 1)
		ret = cli_error(-EINVAL, "'%s' is not 1..%d", arg,
				KEEP_MESSAGES);
	if (ret)
		return ret;
	l->keep = link_keep_create(n);
	return l->keep ? 0 : cli_error(-ENOMEM, "--keep: no memory");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct link *l = state->input;

	switch (key) {
	case OPT_LISTEN:
		listen_text = arg;
		return 0;
	case OPT_TO:
		to_text = arg;
		return 0;
	case OPT_LOSS:
		return number(arg, 1, 1, &l->loss);
	case OPT_BURST:
		return number(arg, 1000, 1, &l->burst);
	case OPT_DUP:
		return number(arg, 1, 1, &l->dup);
	case OPT_REORDER:
		return number(arg, 1, 1, &l->reorder);
	case OPT_CORRUPT:
		return number(arg, 1, 1, &l->corrupt);
	case OPT_RATE:
		return number(arg, 1e12, .125, &l->rate);
	case OPT_QUEUE:
		return number(arg, 1e6, .001, &l->queue);
	case OPT_DELAY:
		return number(arg, 1e6, .001, &l->delay);
	case OPT_SEED:
		l->seed = strtoull(arg, NULL, 10);
		return 0;
	case OPT_TRACE:
		trace = arg;
		return 0;
	case OPT_LOG:
		log_path = arg;
		return 0;
	case OPT_KEEP:
		return keep(l, arg);
	case ARGP_KEY_ARG:
		return cli_usage(cli_program, "unexpected '%s'", arg);
	case ARGP_KEY_END:
		return to_text ? 0 : cli_usage(cli_program, "--to HOST:PORT");
	}
	return ARGP_ERR_UNKNOWN;
}

static int open_socket(struct link *l, struct loop_fd *w,
		       const struct address *at)
{
	int fd = socket(at->storage.ss_family,
			SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int room = 8 << 20;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (at->len && w == &l->front &&
	    bind(fd, (const void *)&at->storage, at->len))
		return -errno;
	return loop_watch(l->loop, w, fd, EPOLLIN);
}

static int begin(struct link *l)
{
	struct address at;
	struct error error;
	int ret = trace ? load_trace(l) : 0;

	if (ret)
		return ret;
	if (address_parse(listen_text, 1, "7449", &at, &error) ||
	    address_parse(to_text, 0, "7450", &l->to, &error))
		return cli_error(-EINVAL, "%s", error.text);
	l->loop = loop_create();
	if (!l->loop)
		return -errno;
	l->front = (struct loop_fd){ -1, on_front, l };
	l->rear = (struct loop_fd){ -1, on_rear, l };
	ret = open_socket(l, &l->front, &at);
	if (!ret)
		ret = open_socket(l, &l->rear, &l->to);
	if (ret)
		return cli_error(ret, "%s: %s", listen_text, strerror(-ret));
	l->start = loop_now();
	l->timer = (struct loop_timer){ LOOP_NEVER, on_time, l, NULL };
	loop_add_timer(l->loop, &l->timer);
	l->drain = (struct loop_timer){ LOOP_NEVER, on_drain, l, NULL };
	loop_add_timer(l->loop, &l->drain);
	if (!log_path)
		return 0;
	l->out = fopen(log_path, "w");
	if (!l->out)
		return cli_error(-errno, "%s: %s", log_path, strerror(errno));
	fprintf(l->out, "time,capacity,in,out,queue_ms\n");
	l->log = (struct loop_timer){ l->start + LOG, on_log, l, NULL };
	loop_add_timer(l->loop, &l->log);
	return 0;
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		options, parse, "",
		"A link for UDP that loses, doubles, reorders and changes "
		"datagrams, with a bottleneck, for tests.", NULL, NULL, NULL
	};
	static struct link l = { .rate = -1, .queue = .2, .seed = 1 };

	cli_program = "udp-link";
	argv[0] = (char *)cli_program;
	if (cli_parse(&argp, argc, argv, &l))
		return 2;
	if (l.burst > 1 && l.loss > (1 - l.loss) * l.burst) {
		cli_error(-EINVAL, "bursts that short cannot lose that much");
		return 2;
	}
	if (begin(&l))
		return 1;
	return loop_run(l.loop) ? 1 : 0;
}
