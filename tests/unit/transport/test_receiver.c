// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_receiver - robots that announce themselves to a receiver: who gets
 * which name
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/error.h"
#include "fast_clock.h"
#include "free_address.h"
#include "tap.h"
#include "transport/receiver.h"
#include "transport/segment.h"

#define MS	1000000ULL

enum { ROBOTS = 8 };

static struct address at;	/* the receiver */

static struct payloads payloads;

/**
 * struct robot - one run of a sender
 * @stream:	its number; 0: there is none
 * @boot:	of its machine
 * @on:		it announces itself
 */
struct robot {
	uint64_t	stream, boot;
	int		fd;
	bool		on;
};

struct test {
	struct loop		*loop;
	struct receiver		*receiver;
	struct loop_timer	timer;
	uint64_t		until;		/* of the step, ns */
	struct robot		robot[ROBOTS];
	unsigned int		step;
};

/* A run of a sender named "robot", from 127.0.0.@host */
static void begin(struct test *t, unsigned int i, unsigned int host,
		  uint64_t boot)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host),
	};
	struct robot *r = &t->robot[i];

	*r = (struct robot){ i + 1, boot, socket(AF_INET, SOCK_DGRAM, 0), true };
	if (r->fd < 0 || bind(r->fd, (void *)&a, sizeof(a)))
		abort();
}

static void announce(const struct robot *r)
{
	static const struct control_topic camera = {
		.topic = 1, .kind = MESSAGE_IMAGE, .name = "/camera",
	};
	static const struct control_sender me = { 0, "robot" };
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	struct optsample_segment s;

	control_announce(&me, &camera, 1, &payloads);
	segment_init(&s);
	s.stream = r->stream;
	s.sent = htole32(loop_now() / 1000);
	s.position = htole64(r->boot);
	memcpy(bytes, &s, sizeof(s));
	memcpy(bytes + sizeof(s), payload_at(&payloads, 0), payloads.len[0]);
	if (sendto(r->fd, bytes, sizeof(s) + payloads.len[0], 0,
		   (const void *)&at.storage, at.len) < 0)
		abort();
}

/* Its label; NULL: it is not known. @over: another one took its place */
static const char *label(struct test *t, unsigned int i, bool *over)
{
	static char text[CONTROL_WORD + 8];
	const struct stream *s;

	for (unsigned int k = 0; (s = receiver_stream(t->receiver, k, over));
	     k++) {
		if (stream_id(s) != i + 1)
			continue;
		receiver_label(t->receiver, s, text);
		return text;
	}
	return NULL;
}

static bool is(struct test *t, unsigned int i, const char *name, bool over)
{
	bool is_over = false;
	const char *text = label(t, i, &is_over);

	return text && !strcmp(text, name) && is_over == over;
}

static bool one(struct test *t)
{
	return is(t, 0, "robot", false);
}

static bool two(struct test *t)
{
	return is(t, 0, "robot", false) && is(t, 1, "robot_2", false);
}

static bool restarted(struct test *t)
{
	return is(t, 0, "robot", false) && is(t, 1, "robot_2", true) &&
	       is(t, 2, "robot_2", false);
}

static bool taken(struct test *t)
{
	return is(t, 0, "robot", true) && is(t, 3, "robot", false);
}

static bool given_back(struct test *t)
{
	return is(t, 0, "robot", false) && is(t, 3, "robot_3", false);
}

static bool silent(struct test *t)
{
	bool over;

	for (unsigned int k = 0; k < 3; k++) {
		const struct stream *s = receiver_stream(t->receiver, k, &over);

		if (!s || (stream_id(s) != 4 &&
			   loop_now() - stream_heard(s) < 2100 * MS))
			return false;
	}
	return true;
}

static bool succeeded(struct test *t)
{
	return is(t, 0, "robot", true) && is(t, 4, "robot", false) &&
	       is(t, 3, "robot_3", false);
}

static bool old_kind(struct test *t)
{
	return is(t, 4, "robot", true) && is(t, 5, "robot", false);
}

/* ---- one step behind the other ---- */

static void act_one(struct test *t)
{
	begin(t, 0, 1, 11);
}

static void act_two(struct test *t)
{
	begin(t, 1, 2, 22);
}

static void act_restart(struct test *t)
{
	t->robot[1].on = false;
	begin(t, 2, 9, 22);
}

static void act_twin(struct test *t)
{
	begin(t, 3, 1, 11);
}

static void act_none(struct test *t)
{
	(void)t;
}

static void act_silence(struct test *t)
{
	t->robot[0].on = t->robot[2].on = false;
}

static void act_other(struct test *t)
{
	begin(t, 4, 5, 55);
}

static void act_old_kind(struct test *t)
{
	t->robot[4].on = false;
	begin(t, 5, 5, 0);
}

static bool below(struct test *t)
{
	bool over;
	const struct stream *s = receiver_stream(t->receiver, 1, &over);
	char name[512];

	receiver_name(t->receiver, s, "/camera", "", name);
	return !strcmp(name, "/robot_2/camera");
}

/**
 * struct step - what robots do, and what shall come of it
 */
static const struct step {
	void		(*act)(struct test *t);
	bool		(*reached)(struct test *t);
	const char	*text;
} steps[] = {
	{ act_one, one, "a robot has its name" },
	{ act_two, two, "another one of that name, of another machine, gets a number" },
	{ act_none, below, "its topics are below that" },
	{ act_restart, restarted, "restarted, with another address, it has the place of its earlier run" },
	{ act_twin, taken, "one of the same machine takes the place of the first" },
	{ act_none, given_back, "which gets it back when it is still alive" },
	{ act_silence, silent, "they become silent" },
	{ act_other, succeeded, "one that is silent is followed by one of any machine" },
	{ act_old_kind, old_kind, "a sender that tells no boot is known by its address" },
};

enum { STEPS = sizeof(steps) / sizeof(*steps) };

static void next(struct test *t)
{
	if (t->step == STEPS) {
		loop_stop(t->loop, 0);
		return;
	}
	t->until = loop_now() + 30000 * MS;
	steps[t->step].act(t);
}

static void on_timer(void *arg, uint64_t now)
{
	struct test *t = arg;
	bool reached;

	t->timer.due = now + 50 * MS;
	for (unsigned int i = 0; i < ROBOTS; i++)
		if (t->robot[i].on)
			announce(&t->robot[i]);
	if (t->step == STEPS)
		return;
	reached = steps[t->step].reached(t);
	if (!reached && now < t->until)
		return;
	/* each step stands on the one before */
	if (ok(reached, "%s", steps[t->step++].text))
		next(t);
	else
		loop_stop(t->loop, 0);
}

int main(void)
{
	const struct receiver_options options = { .topics = RECV_DEFAULTS };
	struct test t = { .loop = loop_create() };
	struct publish *publish = publish_create();
	struct error error;

	at = free_address();
	if (payloads_create(&payloads, 4) ||
	    receiver_open(&t.receiver, t.loop, &at, &options, publish, &error))
		return 1;
	t.timer = (struct loop_timer){ loop_now(), on_timer, &t, NULL };
	loop_add_timer(t.loop, &t.timer);
	next(&t);
	loop_run(t.loop);
	receiver_close(t.receiver);
	publish_destroy(publish);
	loop_destroy(t.loop);
	payloads_destroy(&payloads);
	return tap_done();
}
