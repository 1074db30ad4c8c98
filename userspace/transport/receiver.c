// SPDX-License-Identifier: GPL-2.0-only
/*
 * receiver - handle all received streams
 */
#include <assert.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <time.h>
#include "base/error.h"
#include "base/service.h"
#include "transport/diagnose.h"
#include "transport/receiver.h"
#include "transport/segment.h"
#include "transport/sender.h"

#define SECOND		1000000000ULL
#define REPORT_EVERY	(SECOND / 2)
#define AGAIN_EVERY	(SECOND / 40)	/* longer than a burst of losses */
#define FORGET_AFTER	(120 * SECOND)	/* of silence */
#define FORGET_UNNAMED	(10 * SECOND)
#define SILENT		(2 * SECOND)	/* four announcements were lost */
#define REACH		(5 * SECOND)	/* of silence: do not send */
#define REVIVE		SECOND		/* less may be an old datagram */

/* Argument of a stream's callbacks */
struct entry {
	struct receiver	*receiver;
	struct stream	*stream;	/* NULL: free */
	bool		old;		/* another stream took its place, */
	uint64_t	replaced;	/* at this time, ns */
	unsigned int	number;		/* in its name: NAME_2; 0: NAME */
	bool		prefixed;
	/* its topics, when /diagnostics named them */
	unsigned int	named;
	/* values when its topics were published */
	unsigned int	shown_number;
	bool		shown_prefixed;
	bool		logged;		/* its overuse was logged */
	struct replay	replay;
	unsigned int	copies;		/* copies of the report left to send */
	struct command_queue commands;
};

enum {
	ROUND	= 8,		/* copies of a report at once */
	ASK_MOST = 64,		/* answers to unknown senders per second */
};

struct receiver {
	struct loop		*loop;
	struct workers		*workers;
	struct downlink		*downlink;
	struct publish		*publish;
	struct receiver_options	options;
	struct loop_timer	report, again, tick, command;
	struct receiver_counts	counts;
	struct budget		budget;
	struct seal		*seal;
	uint64_t		run;		/* random, see seal.h */
	unsigned int		asked;		/* answers in this second */
	uint32_t		commands;	/* number of the last one */
	uint64_t		ticked;
	struct entry		entry[RECEIVER_STREAMS];
};

static int64_t wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * (int64_t)SECOND + t.tv_nsec;
}

/* Make a valid ROS name: other characters become _ */
static void put_prefix(char *to, size_t room, const char *name)
{
	size_t n = 0;

	assert(room);
	if (room)
		to[n++] = '/';
	/* names must begin with a letter */
	if (*name >= '0' && *name <= '9' && n + 1 < room)
		to[n++] = 'r';
	for (; *name && n + 1 < room; name++)
		to[n++] = (*name >= 'a' && *name <= 'z') ||
			  (*name >= 'A' && *name <= 'Z') ||
			  (*name >= '0' && *name <= '9') ? *name : '_';
	to[n] = '\0';
}

static const struct entry *entry_of(const struct receiver *r,
				    const struct stream *s)
{
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++)
		if (r->entry[i].stream == s)
			return &r->entry[i];
	return NULL;
}

static void label_of(const struct entry *e, char label[CONTROL_WORD + 8])
{
	snprintf(label, CONTROL_WORD + 8, e->number ? "%s_%u" : "%s",
		 stream_name(e->stream), e->number);
}

void receiver_label(const struct receiver *r, const struct stream *s,
		    char label[CONTROL_WORD + 8])
{
	label_of(entry_of(r, s), label);
}

void receiver_name(const struct receiver *r, const struct stream *s,
		   const char *topic, const char *suffix, char name[512])
{
	const struct entry *e = entry_of(r, s);
	char prefix[CONTROL_WORD + 10] = "", label[CONTROL_WORD + 8];

	label_of(e, label);
	if ((e->prefixed || e->number) && *label)
		put_prefix(prefix, sizeof(prefix), label);
	snprintf(name, 512, "%s%s%s%s", prefix, *topic == '/' ? "" : "/",
		 topic, suffix);
}

static void receiver_on_message(void *arg, const struct recv_message *m)
{
	struct entry *e = arg;
	struct receiver *r = e->receiver;
	enum message_kind kind = m->result->kind;
	/* a map is one, whenever its parts arrive */
	bool kept = (m->kept || e->old) && !message_is_map(kind);
	char suffix[64], name[512];

	if (kept && r->options.kept == KEPT_DROP)
		return;
	/* late subscribers would get it instead of a newer one */
	if (kept && r->options.kept == KEPT_TOGETHER &&
	    message_is_latched(kind, m->topic->name)) {
		r->counts.outdated++;
		return;
	}
	snprintf(suffix, sizeof(suffix), "%s%s", m->result->suffix,
		 kept && r->options.kept == KEPT_APART ? "/kept" : "");
	receiver_name(r, e->stream, m->topic->name, suffix, name);
	if (!publish_message(r->publish, name, kind, wall_clock(),
			     m->result->msg))
		r->counts.published++;
}

/* All robots have one; its hardware_id says which */
static bool is_status(const struct recv_topic *t)
{
	return !strcmp(recv_topic_announcement(t)->name, SENDER_STATUS_TOPIC);
}

/* Have the streams topics of the same name? */
static bool collide(const struct stream *a, const struct stream *b)
{
	const struct recv_topic *s, *t;

	for (unsigned int i = 0; (s = stream_topic(a, i)); i++)
		for (unsigned int k = 0; (t = stream_topic(b, k)); k++)
			if (!strcmp(recv_topic_announcement(s)->name,
				    recv_topic_announcement(t)->name) &&
			    !is_status(s))
				return true;
	return false;
}

static bool needs_prefix(const struct receiver *r, const struct entry *e)
{
	if (r->options.prefix != PREFIX_AUTO)
		return r->options.prefix == PREFIX_ALWAYS;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		const struct entry *o = &r->entry[i];

		if (o != e && o->stream && !o->prefixed && !o->number &&
		    strcmp(stream_name(o->stream), stream_name(e->stream)) &&
		    collide(o->stream, e->stream))
			return true;
	}
	return false;
}

/* Iterate over other streams of the same name. @i: 0 at first */
static struct entry *namesake(struct receiver *r, const struct entry *e,
			      unsigned int *i)
{
	while (*i < RECEIVER_STREAMS) {
		struct entry *o = &r->entry[(*i)++];

		if (o != e && o->stream &&
		    !strcmp(stream_name(o->stream), stream_name(e->stream)))
			return o;
	}
	return NULL;
}

/* Another robot has the name: use the next free number */
static void give_number(struct receiver *r, struct entry *e,
			const struct entry *other)
{
	char from[ADDRESS_TEXT], first[ADDRESS_TEXT];
	struct entry *o;

	e->number = 1;
	do {
		e->number++;
		for (unsigned int i = 0; (o = namesake(r, e, &i));)
			if (o->number == e->number && !o->old)
				break;
	} while (o);
	service_logf(LOG_WARNING,
		     "two robots send as %s: %s, and %s, here renamed to "
		     "%s_%u. Set name= of one of them",
		     stream_name(e->stream),
		     address_text(stream_address(other->stream), first),
		     address_text(stream_address(e->stream), from),
		     stream_name(e->stream), e->number);
}

static bool same_host(const struct sockaddr_storage *a,
		      const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr,
		       sizeof(struct in6_addr));
}

static bool is_same_boot(const struct entry *e, const struct entry *o)
{
	uint64_t boot = stream_boot(e->stream);

	return boot && boot == stream_boot(o->stream);
}

/* Can @e be a later run of the sender of @o? */
static bool is_successor(const struct entry *e, const struct entry *o)
{
	if (loop_now() - stream_heard(o->stream) > SILENT)
		return true;
	if (stream_boot(e->stream) && stream_boot(o->stream))
		return is_same_boot(e, o);
	return same_host(stream_address(e->stream), stream_address(o->stream));
}

/* A sender announced its name: replace its earlier run, or number it */
static void on_name(void *arg)
{
	struct entry *e = arg, *o, *before = NULL, *other = NULL;
	struct receiver *r = e->receiver;
	char from[ADDRESS_TEXT], label[CONTROL_WORD + 8];

	e->old = false;
	e->number = 0;
	for (unsigned int i = 0; (o = namesake(r, e, &i));) {
		if (o->old)
			continue;
		if (!is_successor(e, o))
			other = o;
		else if (!before || is_same_boot(e, o) ||
			 (o->number < before->number &&
			  !is_same_boot(e, before)))
			before = o;
	}
	if (before) {
		before->old = true;
		before->replaced = loop_now();
		e->number = before->number;
	} else if (other) {
		give_number(r, e, other);
	}
	label_of(e, label);
	service_logf(LOG_INFO, "%s sends from %s",
		     *label ? label : "unnamed sender",
		     address_text(stream_address(e->stream), from));
}

static void receiver_diagnose(struct receiver *r);

/*
 * Publish unchanged states again if the name has changed. A recording says
 * whose a topic is before its first message.
 */
static void check_name(struct entry *e)
{
	const bool renamed = e->number != e->shown_number ||
			     e->prefixed != e->shown_prefixed;

	e->shown_number = e->number;
	e->shown_prefixed = e->prefixed;
	if (renamed)
		stream_show_again(e->stream);
	if (renamed || stream_topic(e->stream, e->named))
		receiver_diagnose(e->receiver);
}

/* Restore a stream that was replaced but still announces itself */
static void receiver_revive(struct receiver *r, struct entry *e)
{
	struct entry *o;

	if (!e->old || stream_alive(e->stream) < e->replaced + REVIVE)
		return;
	e->old = false;
	for (unsigned int i = 0; (o = namesake(r, e, &i));)
		if (!o->old && o->number == e->number)
			give_number(r, o, e);
}

static void receiver_forget(struct entry *e);

/* Rank of a stream when places are scarce */
static unsigned int worth(const struct entry *e)
{
	if (!stream_announced(e->stream))
		return 0;
	if (e->old)
		return 1;
	return stream_shown(e->stream) ? 3 : 2;
}

/* Find the stream to replace: lowest rank, longest silence. NULL: none */
static struct entry *receiver_make_room(struct receiver *r)
{
	struct entry *least = &r->entry[0];

	for (unsigned int i = 1; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];

		if (worth(e) < worth(least) ||
		    (worth(e) == worth(least) &&
		     stream_heard(e->stream) < stream_heard(least->stream)))
			least = e;
	}
	if (!r->counts.crowded++)
		service_logf(LOG_WARNING,
			     "more than %d senders; senders that show nothing "
			     "are removed",
			     RECEIVER_STREAMS);
	/* a robot in an outage keeps its place */
	if (worth(least) > 2)
		return NULL;
	receiver_forget(least);
	return least;
}

static struct entry *add_stream(struct receiver *r, uint64_t id)
{
	struct entry *e = NULL;
	struct stream_events events = {
		.named = on_name, .publish = receiver_on_message,
	};

	for (unsigned int i = 0; i < RECEIVER_STREAMS && !e; i++)
		if (!r->entry[i].stream)
			e = &r->entry[i];
	if (!e)
		e = receiver_make_room(r);
	if (!e)
		return NULL;
	events.arg = e;
	*e = (struct entry){ .receiver = r };
	e->stream = stream_create(r->loop, r->workers, id, &r->options.topics,
				  &r->budget, &events);
	if (!e->stream)
		return NULL;
	r->counts.streams++;
	return e;
}

static struct entry *receiver_find(struct receiver *r, uint64_t id)
{
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++)
		if (r->entry[i].stream && stream_id(r->entry[i].stream) == id)
			return &r->entry[i];
	return NULL;
}

/* A random number of this run of the receiver, not 0 */
static void begin_run(struct receiver *r)
{
	do
		randombytes_buf(&r->run, sizeof(r->run));
	while (!r->run);
}

/*
 * With a key: each datagram is accepted once. A stream begins with an
 * announcement that has the number of this run; a sender that lacks the number
 * gets it.
 */
static bool is_fresh(struct receiver *r, struct entry *e,
		     const struct downlink_datagram *g)
{
	if (e) {
		if (replay_take(&e->replay, g->serial))
			return true;
		r->counts.replayed++;
		return false;
	}
	if (segment_topic(&g->segment) != SEGMENT_CONTROL)
		return false;
	if (le64toh(g->segment.stamp) == r->run)
		return true;
	if (r->asked++ < ASK_MOST)
		downlink_send(r->downlink, g->from, g->segment.stream, r->run,
			      NULL, 0);
	return false;
}

static void on_datagram(void *arg, uint64_t now,
			const struct downlink_datagram *g)
{
	struct receiver *r = arg;
	struct entry *e = receiver_find(r, g->segment.stream);

	if (r->seal && !is_fresh(r, e, g))
		return;
	/* a stream begins with an announcement: noise does not create one */
	if (!e && segment_topic(&g->segment) != SEGMENT_CONTROL)
		return;
	if (!e) {
		e = add_stream(r, g->segment.stream);
		if (e && r->seal)
			replay_take(&e->replay, g->serial);
	}
	if (!e)
		return;
	/* an outage is over: report at once, so that the sender can react */
	if (now - stream_heard(e->stream) > SECOND)
		r->report.due = now;
	stream_add(e->stream, now, g);
	if (segment_topic(&g->segment) != SEGMENT_CONTROL)
		return;
	receiver_revive(r, e);
	if (!e->prefixed || r->options.prefix != PREFIX_AUTO)
		e->prefixed = needs_prefix(r, e);
	check_name(e);
}

static void receiver_forget(struct entry *e)
{
	char label[CONTROL_WORD + 8];

	label_of(e, label);
	if (*label && !e->old)
		service_logf(LOG_INFO, "%s is silent", label);
	stream_destroy(e->stream);
	e->stream = NULL;
	replay_free(&e->replay);
	/* a recording of this stream must not restart it */
	if (e->receiver->seal)
		begin_run(e->receiver);
}

/* Send a round of copies, and schedule the next one */
static void send_copies(struct receiver *r, struct entry *e, uint64_t now,
			const uint8_t *payload, size_t len)
{
	for (unsigned int i = 0; i < ROUND && e->copies; i++, e->copies--)
		downlink_send(r->downlink, stream_address(e->stream),
			      stream_id(e->stream), r->run, payload, len);
	if (e->copies)
		r->again.due = now + AGAIN_EVERY;
}

static void on_report(void *arg, uint64_t now)
{
	struct receiver *r = arg;
	uint8_t payload[PAYLOAD_MAX];

	r->report.due = now + REPORT_EVERY;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];
		size_t len;

		if (!e->stream || now - stream_heard(e->stream) > REACH)
			continue;
		len = stream_report(e->stream, now, payload, &e->copies);
		send_copies(r, e, now, payload, len);
	}
}

static void on_again(void *arg, uint64_t now)
{
	struct receiver *r = arg;
	uint8_t payload[PAYLOAD_MAX];

	r->again.due = LOOP_NEVER;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];
		size_t len;

		if (!e->stream || !e->copies)
			continue;
		len = stream_report_again(e->stream, now, payload);
		send_copies(r, e, now, payload, len);
	}
}

static void receiver_on_command(void *arg, uint64_t now)
{
	struct receiver *r = arg;
	uint8_t payload[PAYLOAD_MAX];

	r->command.due = LOOP_NEVER;
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];
		size_t len;

		if (!e->stream || !e->commands.copies)
			continue;
		len = command_queue_next(&e->commands, now, payload);
		if (len)
			downlink_send(r->downlink, stream_address(e->stream),
				      stream_id(e->stream), r->run, payload,
				      len);
		if (e->commands.copies && e->commands.due < r->command.due)
			r->command.due = e->commands.due;
	}
}

int receiver_command(struct receiver *r, const struct stream *s,
		     const struct control_command *c, struct error *error)
{
	struct entry *e = (struct entry *)entry_of(r, s);
	struct control_command numbered = *c;
	uint64_t now = loop_now();
	int ret;

	if (now - stream_heard(s) > REACH)
		return error_set(error, -EHOSTUNREACH,
				 "%s is silent", stream_name(s));
	numbered.number = r->commands + 1;
	ret = command_queue_add(&e->commands, &numbered, now);
	if (ret)
		return error_set(error, ret, ret == -E2BIG ?
				 "too many commands at once; try again in 2 s" :
				 "unknown command");
	r->commands++;
	r->command.due = now;
	return 0;
}

/* Divide the decoding time, and log streams that exceed it */
static void divide_time(struct receiver *r, uint64_t now)
{
	struct budget *budgets[RECEIVER_STREAMS];
	unsigned int count = 0;

	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];
		struct budget *b;
		char label[CONTROL_WORD + 8];

		if (!e->stream)
			continue;
		b = budgets[count++] = stream_budget(e->stream);
		if (e->logged || (!b->skipped && !b->refused))
			continue;
		e->logged = true;
		label_of(e, label);
		service_logf(LOG_WARNING, b->skipped ?
			     "%s: decoding exceeds its share of CPU time; "
			     "frames dropped" :
			     "%s: decoding exceeds the limit of memory=; "
			     "frames dropped",
			     *label ? label : "unnamed sender");
	}
	if (count)
		budget_tick(budgets, count, (now - r->ticked) *
			    workers_cores(r->workers));
	r->ticked = now;
}

static void receiver_diagnose_stream(struct receiver *r, struct entry *e,
				     struct diagnose *d, int64_t now)
{
	const int64_t offset = now - (int64_t)loop_now();
	const struct stream *s = e->stream;
	struct contact c = *stream_contact(s);
	char name[512], label[CONTROL_WORD + 8];
	const struct recv_topic *t;

	label_of(e, label);
	c.heard += offset;
	c.since += offset;
	if (stream_announced(s) && *label)
		diagnose_robot(d, label, stream_id(s), &c, now);
	for (e->named = 0; (t = stream_topic(s, e->named)); e->named++) {
		receiver_name(r, s, recv_topic_announcement(t)->name, "", name);
		diagnose_topic(d, name, label, stream_delay(s), t);
	}
}

static void receiver_diagnose(struct receiver *r)
{
	const int64_t now = wall_clock();
	struct diagnose d;

	diagnose_begin(&d, r->publish, now);
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++)
		if (r->entry[i].stream && !r->entry[i].old)
			receiver_diagnose_stream(r, &r->entry[i], &d, now);
	diagnose_end(&d);
}

static void receiver_on_tick(void *arg, uint64_t now)
{
	struct receiver *r = arg;

	r->tick.due = now + SECOND;
	r->asked = 0;
	divide_time(r, now);
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		struct entry *e = &r->entry[i];

		if (!e->stream)
			continue;
		stream_tick(e->stream, now);
		if (now - stream_heard(e->stream) >
		    (stream_announced(e->stream) ? FORGET_AFTER :
						   FORGET_UNNAMED))
			receiver_forget(e);
	}
	receiver_diagnose(r);
}

int receiver_open(struct receiver **out, struct loop *l,
		  const struct address *at,
		  const struct receiver_options *options,
		  struct publish *publish, struct error *error)
{
	struct receiver *r = calloc(1, sizeof(*r));
	uint64_t now = loop_now();
	int ret;

	if (!r)
		return error_set(error, -ENOMEM, "no memory");
	r->loop = l;
	r->publish = publish;
	r->options = *options;
	r->budget.memory = options->topics.memory;
	r->ticked = now;
	ret = *options->key ? seal_open(&r->seal, options->key, error) : 0;
	if (!ret && r->seal)
		begin_run(r);
	if (!ret)
		ret = downlink_open(&r->downlink, l, at, r->seal, on_datagram,
				    r, error);
	if (!ret) {
		ret = workers_create(&r->workers, l, options->threads);
		if (ret)
			error_set(error, 0, "cannot start threads: %s",
				 strerror(-ret));
	}
	if (ret) {
		downlink_close(r->downlink);
		seal_close(r->seal);
		free(r);
		return ret;
	}
	/* another run has other numbers */
	randombytes_buf(&r->commands, sizeof(r->commands));
	r->command =
		(struct loop_timer){ LOOP_NEVER, receiver_on_command, r, NULL };
	r->report = (struct loop_timer){ now, on_report, r, NULL };
	r->again = (struct loop_timer){ LOOP_NEVER, on_again, r, NULL };
	r->tick =
		(struct loop_timer){ now + SECOND, receiver_on_tick, r, NULL };
	loop_add_timer(l, &r->report);
	loop_add_timer(l, &r->again);
	loop_add_timer(l, &r->tick);
	loop_add_timer(l, &r->command);
	*out = r;
	return 0;
}

void receiver_close(struct receiver *r)
{
	if (!r)
		return;
	loop_remove_timer(r->loop, &r->report);
	loop_remove_timer(r->loop, &r->again);
	loop_remove_timer(r->loop, &r->tick);
	loop_remove_timer(r->loop, &r->command);
	for (unsigned int i = 0; i < RECEIVER_STREAMS; i++) {
		stream_destroy(r->entry[i].stream);
		replay_free(&r->entry[i].replay);
	}
	/* topics whose frames are being decoded end here */
	workers_destroy(r->workers);
	seal_close(r->seal);
	downlink_close(r->downlink);
	free(r);
}

struct receiver_options *receiver_options(struct receiver *r)
{
	return &r->options;
}

const struct stream *receiver_stream(const struct receiver *r, unsigned int i,
				     bool *old)
{
	for (unsigned int k = 0; k < RECEIVER_STREAMS; k++) {
		const struct entry *e = &r->entry[k];

		if (!e->stream || i--)
			continue;
		*old = e->old;
		return e->stream;
	}
	return NULL;
}

const struct receiver_counts *receiver_counts(const struct receiver *r)
{
	return &r->counts;
}

uint64_t receiver_refused(const struct receiver *r)
{
	return publish_refused(r->publish);
}

uint64_t receiver_unsealed(const struct receiver *r)
{
	return downlink_unsealed(r->downlink);
}

uint64_t receiver_strange(const struct receiver *r)
{
	return downlink_strange(r->downlink);
}
