// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bus_member - what a member sends, and when, over a transport that
 * remembers it; the time is the test's
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cluster/member.h"
#include "tap.h"

#define MS	UINT64_C(1000000)
#define NOW	(1000 * 1000 * MS)

enum { SENT = 64, WINDOW = 6400, HEARTBEAT_MS = 800, ADDRESS = 0x77 };

static uint64_t now;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	t->tv_sec = (time_t)(now / 1000000000);
	t->tv_nsec = (long)(now % 1000000000);
	return 0;
}

/*
 * A transport
 */

static struct {
	struct frame	frame;
	uint64_t	joining;
	char		data[FRAME_TEXT];
	size_t		len;
} sent[SENT];

static unsigned int sent_count, resets;

static int fake_send(struct bus *e, const struct frame *f, uint64_t joining,
		     const struct iovec *iov, int count, size_t len)
{
	(void)e;
	if (sent_count == SENT)
		abort();
	memset(sent[sent_count].data, 0, FRAME_TEXT);
	sent[sent_count].frame = *f;
	sent[sent_count].joining = joining;
	sent[sent_count].len = len;
	if (count)
		memcpy(sent[sent_count].data, iov->iov_base, iov->iov_len);
	sent_count++;
	return 0;
}

static void fake_reset(struct bus *e)
{
	(void)e;
	resets++;
}

static struct bus_transport fake = {
	.rejoins = true, .send = fake_send, .reset = fake_reset,
};

/* That there is one new frame, which is so */
static void check_sent(enum frame_kind kind, uint32_t to, uint64_t value,
		       const char *what)
{
	ok_eq(sent_count, 1, "%s: a frame", what);
	ok_eq(sent[0].frame.kind, kind, "%s: its kind", what);
	ok_eq(sent[0].frame.to, to, "%s: to which member", what);
	ok_eq(sent[0].frame.value, value, "%s: its value", what);
	sent_count = 0;
}

/*
 * Members
 */

static struct bus *member_new(enum bus_role role)
{
	struct bus *e = calloc(1, sizeof(*e));

	now = NOW;
	sent_count = resets = 0;
	fake.broadcast = fake.rejoins = true;
	e->transport = &fake;
	e->role = role;
	e->protocol = 7;
	e->window = WINDOW;
	e->heartbeat_ns = HEARTBEAT_MS * MS;
	e->event = -1;
	strcpy(e->job, "job");
	strcpy(e->build, "b1");
	strcpy(e->name, "host:1");
	message_queue_init(&e->inbox);
	message_queue_init(&e->early);
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->news, NULL);
	return e;
}

static void member_end(struct bus *e)
{
	message_queue_free(&e->inbox);
	message_queue_free(&e->early);
	peers_free(&e->peers);
	free(e);
}

static void deliver_data(struct bus *e, const struct frame *f, const void *data,
			 size_t len)
{
	struct bus_buffer *b = message_queue_buffer(&e->inbox, len);

	memcpy(b->data, data, len);
	member_frame(e, f, b);
}

static void deliver(struct bus *e, enum frame_kind kind, uint32_t from,
		    uint32_t to, uint64_t value)
{
	const struct frame f = { .kind = kind, .from = from, .to = to,
				 .epoch = e->epoch, .value = value };

	deliver_data(e, &f, "why", 3);
}

static void deliver_message(struct bus *e, uint32_t from, uint32_t to,
			    uint16_t type, const char *text)
{
	const struct frame f = { .kind = FRAME_DATA, .type = type,
				 .from = from, .to = to, .epoch = e->epoch };

	deliver_data(e, &f, text, strlen(text) + 1);
}

/* The next message, as "type from text"; "" if there is none */
static const char *taken(struct bus *e)
{
	static char text[300];
	struct bus_buffer *b = message_queue_pop(&e->inbox);

	*text = '\0';
	if (!b)
		return text;
	snprintf(text, sizeof(text), "%d %u %s", b->type < BUS_EVENT ?
		 b->type : BUS_EVENT - 1 - b->type, b->from,
		 (char *)b->data + b->start);
	member_took(e, b);
	message_queue_release(&e->inbox, b);
	return text;
}

static const char *event_text(enum bus_event type, uint32_t from,
			      const char *text)
{
	static char want[300];

	snprintf(want, sizeof(want), "%d %u %s", BUS_EVENT - 1 - (int)type,
		 from, text);
	return want;
}

/* A worker that is in, as 3 */
static struct bus *worker_in(void)
{
	struct bus *e = member_new(BUS_WORKER);
	const struct frame welcome = { .kind = FRAME_WELCOME, .to = 3,
				       .epoch = 9, .value = WINDOW };

	member_connected(e, ADDRESS, 0);
	deliver_data(e, &welcome, "", 0);
	deliver(e, FRAME_IN, 0, 3, 0);
	taken(e);
	sent_count = 0;
	return e;
}

static void put_hello(uint8_t bytes[FRAME_HELLO_SIZE], uint32_t id,
		      uint64_t old_epoch, uint32_t old_id)
{
	struct hello h = { .protocol = 7, .id = id, .old_epoch = old_epoch,
			   .old_id = old_id, .build = "b1", .name = "w" };

	frame_write_hello(bytes, &h);
}

static void say_hello(struct bus *e, uint64_t address, uint32_t id,
		      uint64_t old_epoch, uint32_t old_id)
{
	const struct frame f = { .kind = FRAME_HELLO, .value = address };
	uint8_t bytes[FRAME_HELLO_SIZE];

	put_hello(bytes, id, old_epoch, old_id);
	deliver_data(e, &f, bytes, sizeof(bytes));
}

/* A coordinator with @n workers that are in */
static struct bus *coordinator_of(unsigned int n)
{
	struct bus *e = member_new(BUS_COORDINATOR);

	member_connected(e, 0, 0);
	for (unsigned int i = 1; i <= n; i++) {
		say_hello(e, 100 + i, 0, 0, 0);
		deliver(e, FRAME_READY, i, 0, 0);
		taken(e);
	}
	sent_count = 0;
	return e;
}

/*
 * A worker
 */

static void test_hello(void)
{
	struct bus *e = member_new(BUS_WORKER);
	const struct frame back = { .kind = FRAME_HELLO };
	struct hello h;

	member_connected(e, ADDRESS, 5);
	ok_eq(frame_read_hello((uint8_t *)sent[0].data, sent[0].len, &h), 0,
	      "hello: its bytes");
	check_sent(FRAME_HELLO, 0, ADDRESS, "hello");
	ok_eq(h.protocol, 7, "hello: the protocol");
	ok_eq(h.id, 5, "... the wish");
	ok_eq(h.old_id, 0, "... no id before");
	ok_str(h.build, "b1", "... the build");
	ok_str(h.name, "host:1", "... the name");
	ok_eq(member_tick(e, now), now + 200 * MS, "a tick: the next beat");
	ok_eq(sent_count, 0, "... sends nothing before it is in");
	for (unsigned int ms = 100; ms < 2000; ms *= 2) {
		member_returned(e, &back);
		ok_eq(e->hello_due, now + ms * MS, "a returned hello: %u ms",
		      ms);
	}
	for (int i = 0; i < 2; i++) {
		member_returned(e, &back);
		ok_eq(e->hello_due, now + 2000 * MS, "... at most 2 s");
	}
	ok_str(e->error.text, "job 'job' has no coordinator yet", "it says so");
	e->hello_due = now + 10 * MS;
	e->beat_due = now + 50 * MS;
	ok_eq(member_tick(e, now), now + 10 * MS, "the next hello comes first");
	now += 10 * MS;
	ok_eq(member_tick(e, now), now + 40 * MS, "then the next beat");
	check_sent(FRAME_HELLO, 0, ADDRESS, "hello again");
	ok_eq(e->hello_due, now + 2000 * MS, "... and in 2 s");
	member_end(e);
}

static void test_welcome(void)
{
	struct bus *e = member_new(BUS_WORKER);
	struct frame f = { .kind = FRAME_WELCOME, .to = 0, .epoch = 9,
			   .value = 5000 };

	member_connected(e, ADDRESS, 0);
	sent_count = 0;
	deliver_data(e, &f, "", 0);
	ok_eq(e->state, BUS_LINKED, "no welcome without an id");
	f.to = 3;
	f.value = 0;
	deliver_data(e, &f, "", 0);
	ok_eq(e->state, BUS_LINKED, "nor without a window");
	f.value = 5000;
	deliver_data(e, &f, "", 0);
	check_sent(FRAME_READY, 0, 0, "welcome");
	ok_eq(sent[0].frame.from, 3, "... by its id");
	ok_eq(sent[0].frame.epoch, 9, "... in its epoch");
	ok_eq(e->window, 5000, "the window is the coordinator's");
	deliver_message(e, 8, 3, 4, "early");
	deliver_message(e, 0, 3, 5, "too early");
	ok_str(taken(e), "", "nothing is delivered before it is in");
	deliver(e, FRAME_IN, 0, 3, 0);
	ok_str(taken(e), event_text(BUS_JOINED, 3, "joined"), "it is in");
	ok_str(taken(e), "4 8 early", "then what another worker sent before");
	ok_str(taken(e), "", "not what was to an earlier one of its id");
	deliver_data(e, &f, "", 0);
	deliver(e, FRAME_IN, 0, 3, 0);
	ok_str(taken(e), "", "a second time changes nothing");
	member_end(e);
}

static void test_worker_data(void)
{
	struct bus *e = worker_in();
	struct frame old = { .kind = FRAME_DATA, .to = 3, .epoch = 8 };

	deliver_message(e, 0, 3, 1, "a");
	deliver_message(e, 0, FRAME_ALL, 2, "b");
	deliver_message(e, 5, FRAME_ALL, 3, "only the coordinator may");
	deliver_message(e, 5, 4, 4, "to another");
	deliver_message(e, 5, 3, BUS_EVENT, "no event");
	deliver_data(e, &old, "old", 4);
	deliver_message(e, 5, 3, 6, "c");
	ok_str(taken(e), "1 0 a", "of the coordinator");
	ok_str(taken(e), "2 0 b", "of the coordinator to all");
	ok_str(taken(e), "6 5 c", "of another worker");
	ok_str(taken(e), "", "and nothing else");
	deliver(e, FRAME_GONE, 0, FRAME_ALL, 5);
	deliver(e, FRAME_GONE, 0, FRAME_ALL, 3);
	deliver(e, FRAME_GONE, 6, FRAME_ALL, 7);
	deliver_message(e, 5, 3, 7, "late");
	ok_str(taken(e), "", "nothing of one that is gone");
	deliver_message(e, 7, 3, 7, "d");
	ok_str(taken(e), "7 7 d", "only the coordinator says who is");
	ok_eq(e->state, BUS_IN, "it is in itself");
	member_end(e);
}

static void test_worker_out(void)
{
	struct bus *e = worker_in();
	uint8_t bytes[FRAME_HELLO_SIZE];
	struct hello h;

	deliver(e, FRAME_OUT, 0, 4, 0);
	ok_eq(e->state, BUS_IN, "another one is out");
	deliver(e, FRAME_OUT, 0, 3, 0);
	ok_str(taken(e), event_text(BUS_LEFT, 3, "why"), "it is out");
	ok_eq(e->id, 0, "without an id");
	ok_eq(resets, 1, "its link begins again");
	member_connected(e, ADDRESS, 0);
	memcpy(bytes, sent[0].data, sizeof(bytes));
	frame_read_hello(bytes, sizeof(bytes), &h);
	ok_eq(h.old_id, 3, "it says who it was");
	ok_eq(h.old_epoch, 9, "... and when");
	member_end(e);

	e = worker_in();
	fake.rejoins = false;
	deliver(e, FRAME_BYE, 0, FRAME_ALL, 0);
	ok_str(taken(e), event_text(BUS_COORDINATOR_GONE, 0,
				    "the coordinator left"),
	       "the coordinator left");
	ok_eq(e->state, BUS_FAILED, "without a new link that is final");
	ok_str(e->error.text, "the coordinator left", "... and why");
	member_connected(e, ADDRESS, 0);
	ok_eq(sent_count, 0, "no hello then");
	member_end(e);

	e = worker_in();
	member_lost(e, "broken");
	ok_str(taken(e), event_text(BUS_COORDINATOR_GONE, 0, "broken"),
	       "the link is lost");
	ok_str(e->error.text, "broken", "... and why");
	ok_eq(e->state, BUS_UNLINKED, "... it waits for another");
	ok_eq(resets, 0, "... which is made already");
	member_end(e);
}

static void test_refused(void)
{
	struct bus *e = member_new(BUS_WORKER);

	member_connected(e, ADDRESS, 0);
	deliver(e, FRAME_REFUSED, 0, 0, 0);
	ok_eq(e->state, BUS_FAILED, "refused");
	ok_str(e->error.text, "refused by the coordinator: why", "... and why");
	member_end(e);
	e = worker_in();
	deliver(e, FRAME_REFUSED, 0, 0, 0);
	ok_eq(e->state, BUS_IN, "not once it is in");
	member_end(e);
}

static void test_worker_silence(void)
{
	struct bus *e = worker_in();
	uint64_t due;

	/* four beats in a heartbeat */
	for (int i = 0; i < 4; i++) {
		due = member_tick(e, now);
		ok_eq(due, now + 200 * MS, "beat %d: the next one", i);
		check_sent(FRAME_BEAT, 0, 0, "a beat");
		ok_eq(member_tick(e, due - 1), due, "... not before");
		ok_eq(sent_count, 0, "... nothing is sent");
		now = due;
	}
	member_tick(e, now);
	check_sent(FRAME_BEAT, 0, 0, "after a heartbeat without a word");
	now += 200 * MS;
	member_tick(e, now);
	ok_str(taken(e), event_text(BUS_COORDINATOR_GONE, 0,
		"no message from the coordinator for 0.8 s"),
	       "the coordinator is gone");
	ok_eq(resets, 1, "it begins again");
	member_end(e);
	/* this process stood still: two beats and more between two ticks */
	e = worker_in();
	member_tick(e, now);
	now += 900 * MS;
	member_tick(e, now);
	ok_str(taken(e), "", "who was stopped itself waits again");
	now += 100 * MS;
	deliver(e, FRAME_BEAT, 0, 3, 0);
	ok_eq(e->heard, now, "a beat is heard");
	member_end(e);
	/* a longer heartbeat has no longer beats */
	e = worker_in();
	e->heartbeat_ns = 10000 * MS;
	ok_eq(member_tick(e, now), now + 250 * MS, "a beat of 250 ms at most");
	member_end(e);
}

/*
 * The coordinator
 */

static void test_joining(void)
{
	struct bus *e = coordinator_of(0);

	say_hello(e, 50, 0, 0, 0);
	ok_eq(sent[0].joining, 50, "welcome: to its address");
	ok_eq(sent[0].frame.epoch, e->epoch, "... in this epoch");
	check_sent(FRAME_WELCOME, 1, WINDOW, "welcome");
	say_hello(e, 50, 0, 0, 0);
	check_sent(FRAME_WELCOME, 1, WINDOW, "again, as it was not heard");
	ok_eq(e->peers.count, 1, "... it is one");
	deliver_message(e, 1, 0, 1, "early");
	ok_str(taken(e), "", "nothing of it before it is ready");
	deliver(e, FRAME_READY, 1, 0, 0);
	check_sent(FRAME_IN, 1, 0, "ready: it is in");
	ok_str(taken(e), event_text(BUS_JOINED, 1, "joined"), "... and reported");
	deliver(e, FRAME_READY, 1, 0, 0);
	ok_str(taken(e), "", "... once");
	say_hello(e, 50, 0, 0, 0);
	ok_eq(sent_count, 0, "one that is in is not welcomed");
	deliver_message(e, 1, 0, 1, "a");
	deliver_message(e, 1, 0, BUS_EVENT, "no event");
	ok_str(taken(e), "1 1 a", "its message");
	ok_str(taken(e), "", "... alone");
	sent_count = 0;
	say_hello(e, 51, 9, 0, 0);
	check_sent(FRAME_WELCOME, 9, WINDOW, "the id it wants");
	say_hello(e, 52, 0, 0, 0);
	check_sent(FRAME_WELCOME, 10, WINDOW, "the next one is above it");
	say_hello(e, 53, 9, 0, 0);
	ok_str(sent[0].data, "worker 9 already exists", "an id of another");
	check_sent(FRAME_REFUSED, 0, 0, "... is refused");
	ok_str(taken(e), event_text(BUS_REFUSED, 0,
		"worker w refused: worker 9 already exists"), "... and reported");
	say_hello(e, 54, FRAME_ALL, 0, 0);
	ok_str(sent[0].data, "no more worker ids", "an id that is none");
	check_sent(FRAME_REFUSED, 0, 0, "... is refused");
	taken(e);
	e->next_id = FRAME_ALL - 1;
	say_hello(e, 55, 0, 0, 0);
	ok_str(sent[0].data, "no more worker ids", "no id is left");
	check_sent(FRAME_REFUSED, 0, 0, "... is refused");
	member_end(e);
}

static void test_replaced(void)
{
	struct bus *e = coordinator_of(2);

	say_hello(e, 60, 0, e->epoch + 1, 1);
	ok_eq(sent[0].frame.kind, FRAME_WELCOME,
	      "a worker of another epoch replaces no other");
	ok_str(taken(e), "", "... no member left");
	sent_count = 0;
	say_hello(e, 61, 0, e->epoch, 1);
	ok_str(taken(e), event_text(BUS_LEFT, 1,
		"replaced by a new connection"), "one that comes again");
	ok_eq(sent[0].frame.kind, FRAME_GONE, "... others hear of it");
	ok_eq(sent[0].frame.to, FRAME_ALL, "... all of them");
	ok_eq(sent[0].frame.value, 1, "... who");
	ok_eq(sent[1].frame.kind, FRAME_WELCOME, "... and it is welcome");
	ok_eq(sent[1].frame.to, 4, "... with another id");
	member_end(e);
}

static void test_leaving(void)
{
	struct bus *e = coordinator_of(3);

	fake.broadcast = false;
	deliver(e, FRAME_LEAVE, 2, 0, 0);
	ok_str(taken(e), event_text(BUS_LEFT, 2, "left"), "a worker leaves");
	ok_eq(sent_count, 2, "without broadcasts the others hear of it each");
	ok_eq(sent[0].frame.to, 1, "... the first");
	ok_eq(sent[1].frame.to, 3, "... the third");
	ok_eq(sent[1].frame.value, 2, "... of the second");
	sent_count = 0;
	fake.broadcast = true;
	deliver(e, FRAME_BEAT, 2, 0, 0);
	ok_str(sent[0].data, "removed", "one that does not know it");
	check_sent(FRAME_OUT, 2, 0, "... is reported");
	deliver(e, FRAME_WELCOME, 2, 0, 0);
	deliver(e, FRAME_BEAT, 0, 0, 0);
	deliver(e, FRAME_BEAT, FRAME_ALL, 0, 0);
	ok_eq(sent_count, 0, "no answer to what no worker sends");
	member_gone(e, 3, "closed");
	ok_str(taken(e), event_text(BUS_LEFT, 3, "closed"), "one is gone");
	sent_count = 0;
	member_lost(e, "broken");
	ok_str(taken(e), event_text(BUS_LEFT, 1, "broken"),
	       "without a link all are");
	ok_str(taken(e), "", "... each once");
	ok_eq(e->peers.count, 0, "no member is left");
	ok_eq(e->state, BUS_UNLINKED, "it waits for a link");
	member_end(e);
}

static void test_returned(void)
{
	struct bus *e = coordinator_of(2);
	struct frame f = { .kind = FRAME_DATA, .to = 2, .epoch = e->epoch + 1 };

	member_returned(e, &f);
	f.epoch = e->epoch;
	f.to = FRAME_ALL;
	member_returned(e, &f);
	ok_str(taken(e), "", "of another epoch, or to all: no member is gone");
	f.to = 2;
	member_returned(e, &f);
	ok_str(taken(e), event_text(BUS_LEFT, 2, "connection closed"),
	       "a frame that comes back: its addressee is gone");
	member_end(e);
	e = worker_in();
	f = (struct frame){ .kind = FRAME_DATA, .epoch = e->epoch };
	member_returned(e, &f);
	ok_str(taken(e), event_text(BUS_COORDINATOR_GONE, 0,
		"connection of the coordinator closed"), "the coordinator is");
	member_end(e);
}

static void test_silent_worker(void)
{
	struct bus *e = coordinator_of(2);

	say_hello(e, 70, 0, 0, 0);
	sent_count = 0;
	for (int i = 0; i < 5; i++) {
		member_tick(e, now);
		ok_eq(sent_count, 2, "a beat to each that is in");
		sent_count = 0;
		deliver(e, FRAME_BEAT, 1, 0, 0);
		now += 200 * MS;
	}
	ok_str(taken(e), "", "all are in after a heartbeat");
	member_tick(e, now);
	ok_str(taken(e), event_text(BUS_LEFT, 2, "no message for 0.8 s"),
	       "one is silent for longer");
	ok_str(taken(e), "", "... it alone was in");
	ok_eq(e->peers.count, 1, "one that never got ready is forgotten");
	ok_eq(sent[0].frame.kind, FRAME_OUT, "it hears of it");
	ok_str(sent[1].data, "removed: heartbeat timeout", "... and why");
	ok_eq(sent[1].frame.to, 2, "... each of them");
	ok_eq(sent[2].frame.kind, FRAME_GONE, "others hear of it");
	ok_eq(sent[3].frame.kind, FRAME_BEAT, "and the one that is left beats");
	ok_eq(sent_count, 4, "no more than that");
	member_end(e);
}

static void test_leave(void)
{
	struct bus *e = coordinator_of(1);

	member_leave(e);
	check_sent(FRAME_BYE, FRAME_ALL, 0, "the coordinator's last word");
	member_end(e);
	e = worker_in();
	member_leave(e);
	check_sent(FRAME_LEAVE, 0, 0, "a worker's last word");
	member_end(e);
	e = member_new(BUS_WORKER);
	member_connected(e, ADDRESS, 0);
	sent_count = 0;
	member_leave(e);
	ok_eq(sent_count, 0, "none of who is not in");
	member_end(e);
}

/*
 * Windows: a message costs its bytes and 64; a quarter of them is reported
 */

static void test_credit(void)
{
	struct bus *e = coordinator_of(1);
	struct peer *p = peers_find(&e->peers, 1);
	char text[WINDOW / 4 - 64] = "";

	memset(text, 'x', sizeof(text) - 2);
	deliver_message(e, 1, 0, 1, text);
	taken(e);
	ok_eq(sent_count, 0, "less than a quarter is not reported");
	deliver_message(e, 1, 0, 1, "");
	taken(e);
	check_sent(FRAME_CREDIT, 1, WINDOW / 4 - 1 + 65, "a quarter is");
	p->sent = 1000;
	e->starved = true;
	deliver(e, FRAME_CREDIT, 1, 0, 1001);
	ok_eq(p->taken_there, 0, "more than was sent is no credit");
	ok_eq(e->relieved, false, "... and no reason to try again");
	deliver(e, FRAME_CREDIT, 1, 0, 1000);
	ok_eq(p->taken_there, 1000, "all of it is");
	ok_eq(e->relieved, true, "... a reason to try again");
	ok_eq(e->starved, false, "... once");
	deliver(e, FRAME_CREDIT, 1, 0, 999);
	ok_eq(p->taken_there, 1000, "less than before is none");
	member_end(e);
	e = worker_in();
	peers_find(&e->peers, 0)->sent = 500;
	deliver(e, FRAME_CREDIT, 0, 3, 300);
	ok_eq(peers_find(&e->peers, 0)->taken_there, 300, "a worker's credit");
	member_end(e);
}

/* While its caller waits for room, messages that wait count as received */
static void test_lend(void)
{
	struct bus *e = coordinator_of(1);
	char text[WINDOW / 2] = "";
	uint64_t reported = 0;

	memset(text, 'x', sizeof(text) - 1);
	deliver_message(e, 1, 0, 1, text);
	ok_eq(sent_count, 0, "a message that waits is not reported");
	member_lend(e);
	check_sent(FRAME_CREDIT, 1, WINDOW / 2 + 64, "it is while one waits");
	for (int i = 0; i < 600; i++) {
		deliver_message(e, 1, 0, 1, text);
		if (sent_count)
			reported = sent[0].frame.value;
		sent_count = 0;
	}
	ok_eq(reported, (BUS_LENT * WINDOW / (WINDOW / 2 + 64) + 1) *
	      (WINDOW / 2 + 64), "but not for ever");
	for (int i = 0; i < 2; i++)
		taken(e);
	ok_eq(sent_count, 0, "what was reported is not reported again");
	member_end(e);
}

/*
 * Bytes
 */

static void test_frames(void)
{
	const struct frame f = { FRAME_CREDIT, 0x1234, 5, FRAME_ALL,
				 0x0102030405060708, 9 };
	static const uint8_t want[FRAME_SIZE] = {
		'O', 'E', 1, 11, 0x34, 0x12, 0, 0, 5, 0, 0, 0,
		255, 255, 255, 255, 8, 7, 6, 5, 4, 3, 2, 1, 9,
	};
	uint8_t bytes[FRAME_SIZE];
	struct frame got;
	char text[6];

	frame_write(bytes, &f);
	ok_mem(bytes, want, FRAME_SIZE, "a header's bytes");
	ok_eq(frame_read(bytes, FRAME_SIZE, &got), 0, "... are read");
	ok_eq(got.kind, f.kind, "its kind");
	ok_eq(got.type, f.type, "its type");
	ok_eq(got.from, f.from, "from");
	ok_eq(got.to, f.to, "to");
	ok_eq(got.epoch, f.epoch, "epoch");
	ok_eq(got.value, f.value, "value");
	ok_eq(frame_read(bytes, FRAME_SIZE - 1, &got), -EBADMSG, "cut short");
	bytes[3] = 12;
	ok_eq(frame_read(bytes, FRAME_SIZE, &got), -EBADMSG, "kind 12");
	bytes[3] = 0;
	bytes[2] = 2;
	ok_eq(frame_read(bytes, FRAME_SIZE, &got), -EBADMSG, "another layout");
	frame_text(text, sizeof(text), "a\n\x7f" "bcdef", 8);
	ok_str(text, "a??bc", "a text: cut, printable");
	frame_text(text, sizeof(text), "abc", 2);
	ok_str(text, "ab", "... as long as it is");
}

static void test_queue(void)
{
	struct message_queue q;
	struct bus_buffer *b, *large, *other;

	message_queue_init(&q);
	b = message_queue_buffer(&q, 10);
	message_queue_release(&q, b);
	other = message_queue_buffer(&q, 20);
	ok(other == b, "a buffer is used again");
	ok_eq(other->len, 20, "... with its new length");
	large = message_queue_buffer(&q, 1 << 20);
	memset(large->data, 1, 1 << 20);
	message_queue_release(&q, large);
	b = message_queue_buffer(&q, 10);
	ok(b != large, "... not a large one for a small message");
	message_queue_release(&q, b);
	message_queue_release(&q, other);
	b = message_queue_buffer(&q, 1 << 20);
	ok(b == large, "... but for a large one");
	message_queue_release(&q, b);
	message_queue_release(&q, NULL);
	ok(!message_queue_pop(&q), "nothing is queued");
	message_queue_free(&q);
}

int main(void)
{
	test_hello();
	test_welcome();
	test_worker_data();
	test_worker_out();
	test_refused();
	test_worker_silence();
	test_joining();
	test_replaced();
	test_leaving();
	test_returned();
	test_silent_worker();
	test_leave();
	test_credit();
	test_lend();
	test_frames();
	test_queue();
	return tap_done();
}
