// SPDX-License-Identifier: GPL-2.0-only
/*
 * board - all that the operator's side knows
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/array.h"
#include "base/log.h"
#include "base/service.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ros/io/io.h"
#include "view/board.h"

#define SECOND	1000000000LL

static const int64_t silence = SECOND;		/* at least, of an outage */
static const int64_t settle = 3 * SECOND;	/* after the last kept one */
static const int64_t lateness = SECOND;		/* of a kept message */
static const int64_t protect = 3 * SECOND;	/* large ones, from thinning */
static const int64_t periodic = 5 * SECOND;	/* the longest period */
static const int64_t again = SECOND / 10;	/* the same sign of life */

enum { REGULAR = 3 };	/* intervals that make a period */

struct board {
	struct board_config	config;
	pthread_mutex_t		lock;
	struct board_topic	*topic[BOARD_TOPICS];
	struct board_source	*source[BOARD_SOURCES];
	unsigned int		topics, sources;
	struct board_counts	counts;
	size_t			used;
	uint64_t		cuts;
	int64_t			now;
	int64_t			refuse_logged;
	union message		message;	/* scratch */
};

struct board *board_create(const struct board_config *config)
{
	struct board *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->config = *config;
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void board_destroy(struct board *b)
{
	if (!b)
		return;
	for (unsigned int i = 0; i < b->topics; i++) {
		topic_history_clear(&b->topic[i]->history);
		free(b->topic[i]->text);
		free(b->topic[i]);
	}
	for (unsigned int i = 0; i < b->sources; i++) {
		free(b->source[i]->tf);
		free(b->source[i]->track);
		free(b->source[i]);
	}
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void board_lock(struct board *b)
{
	pthread_mutex_lock(&b->lock);
}

void board_unlock(struct board *b)
{
	pthread_mutex_unlock(&b->lock);
}

static void board_changed(struct board *b)
{
	if (b->config.changed)
		b->config.changed(b->config.arg);
}

int64_t board_now(const struct board *b)
{
	return b->config.replay ? __atomic_load_n(&b->now, __ATOMIC_RELAXED) :
				  io_now();
}

void board_set_now(struct board *b, int64_t now)
{
	__atomic_store_n(&b->now, now, __ATOMIC_RELAXED);
}

/*
 * Topics and sources
 */

static struct board_source *board_get_source(struct board *b, const char *name,
					     unsigned int *number)
{
	char clean[BOARD_NAME];
	struct board_source *s;

	/* clients get it in texts that must be UTF-8 */
	utf8_clean(name, strlen(name), clean, sizeof(clean));
	for (*number = 0; *number < b->sources; ++*number)
		if (!strcmp(b->source[*number]->name, clean))
			return b->source[*number];
	if (b->sources == BOARD_SOURCES)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	memcpy(s->name, clean, sizeof(clean));
	s->frame = "odom";
	assert(b->sources < BOARD_SOURCES);
	b->source[b->sources++] = s;
	return s;
}

int board_find(struct board *b, const char *name)
{
	for (unsigned int i = 0; i < b->topics; i++)
		if (!strcmp(b->topic[i]->name, name))
			return i;
	return -ENOENT;
}

static int board_get_topic(struct board *b, const char *name,
			   unsigned int source, enum message_kind kind,
			   enum message_format format)
{
	struct board_topic *t;
	int i = board_find(b, name);

	if (i >= 0)
		return b->topic[i]->kind == kind &&
		       b->topic[i]->format == format ? i : -EPROTOTYPE;
	if (b->topics == BOARD_TOPICS)
		return -ENOSPC;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->kind = kind;
	t->format = format;
	t->source = source;
	t->history.latched = message_is_static(name);
	b->topic[b->topics] = t;
	return b->topics++;
}

static int board_refuse(struct board *b, const char *topic, int err)
{
	const int64_t now = io_now();

	b->counts.refused++;
	/* once a minute: others may have other reasons */
	if (now - b->refuse_logged >= 60 * SECOND) {
		b->refuse_logged = now;
		service_logf(LOG_WARNING, "%s: dropped: %s", topic,
			     err == -EPROTOTYPE ? "its type changed" :
			     err == -EINVAL ? "not a name of ROS" :
			     err == -ENOSPC ? "too many topics or sources" :
			     strerror(-err));
	}
	return err;
}

/*
 * Places of robots
 */

static void board_add_place(struct board_source *s, int64_t t,
			    const struct pose *pose)
{
	struct place *last = s->tracks ? &s->track[s->tracks - 1] : NULL;
	uint32_t at = s->tracks;

	if (!pose_valid(pose))
		return;
	if (last && t >= last->t && t - last->t < SECOND / 5)
		return;
	if (last && t >= last->t && t - last->t < SECOND &&
	    hypot(pose->x - last->pose.x, pose->y - last->pose.y) < 0.01 &&
	    fabs(remainder(pose->yaw - last->pose.yaw, 2 * M_PI)) < 0.02)
		return;
	if (s->tracks == BOARD_TRACK) {
		for (uint32_t i = 0; i < BOARD_TRACK / 2; i++)
			s->track[i] = s->track[2 * i];
		s->tracks /= 2;
		at = s->tracks;
	}
	if (array_grow(&s->track, &s->track_room, s->tracks,
		       sizeof(*s->track)))
		return;
	while (at && s->track[at - 1].t > t)
		at--;
	assert(at <= s->tracks && s->tracks < s->track_room);
	memmove(&s->track[at + 1], &s->track[at],
		(s->tracks++ - at) * sizeof(*s->track));
	s->track[at] = (struct place){ t, *pose };
	assert(s->tracks <= BOARD_TRACK);
	s->moves++;
}

/* A track in another frame than before is another track */
static void board_set_frame(struct board_source *s, const char *frame)
{
	if (!strcmp(s->frame, frame))
		return;
	s->frame = frame;
	s->tracks = 0;
	s->moves++;
}

static const char *const bases[] = { "base_link", "base_footprint", "base" };

static void board_read_tf(struct board_source *s,
			  const struct message_transforms *m, int64_t t)
{
	static const char *const frames[] = { "map", "odom" };
	struct message_list rest = m->transforms;
	struct message_transform one;
	struct placement place;
	struct pose pose;
	bool upside_down;

	if (!s->tf)
		s->tf = calloc(1, sizeof(*s->tf));
	if (!s->tf)
		return;
	while (message_next_transform(&rest, &one))
		tf_add(s->tf, &one);
	for (unsigned int f = 0; f < 2; f++)
		for (unsigned int i = 0; i < 3; i++) {
			if (!tf_find(s->tf, bases[i], frames[f], &place) ||
			    !placement_pose(&place, &pose, &upside_down))
				continue;
			board_set_frame(s, frames[f]);
			board_add_place(s, t, &pose);
			return;
		}
}

/* The frame of odometry in the map when @m was measured */
static bool board_find_fix(struct board_source *s,
			   const struct message_odometry *m,
			   const struct view_message *of, struct pose *fix)
{
	struct placement place;
	bool upside_down;
	char frame[TF_FRAME_NAME];

	if (!s->tf || !frame_name(frame, &m->header.frame_id) ||
	    !tf_find(s->tf, frame, "map", &place) ||
	    !placement_pose(&place, fix, &upside_down))
		return false;
	if (of->kept)
		map_fixes_at(&s->fixes, of->t, fix);
	else
		map_fixes_add(&s->fixes, of->t, fix);
	return true;
}

static void board_read_odometry(struct board_source *s,
				const struct message_odometry *m,
				const struct view_message *of)
{
	struct placement place;
	struct pose pose, in_map;
	bool upside_down;

	if (!placement_make(&place, m->pose.position, m->pose.orientation) ||
	    !placement_pose(&place, &pose, &upside_down))
		return;
	if (board_find_fix(s, m, of, &in_map)) {
		pose = pose_compose(&in_map, &pose);
		board_set_frame(s, "map");
	} else if (!strcmp(s->frame, "map")) {
		return;
	}
	board_add_place(s, of->t, &pose);
}

const struct place *board_place(const struct board_source *s, int64_t t)
{
	uint32_t i = s->tracks;

	while (i && s->track[i - 1].t > t)
		i--;
	return i ? &s->track[i - 1] : NULL;
}

/*
 * Outages
 */

bool board_is_out(const struct board_source *s)
{
	return s->outages && s->outage[s->outages - 1].end == INT64_MAX;
}

/* Silence that is an outage, ns; 0: silence means nothing */
static int64_t board_patience(struct board *b, unsigned int source)
{
	int64_t period = 0;

	if (b->source[source]->beats)
		return CONTACT_SILENCE;
	for (unsigned int i = 0; i < b->topics; i++) {
		const struct board_topic *t = b->topic[i];

		if (t->source == source && t->regular >= REGULAR &&
		    (!period || t->period < period))
			period = t->period;
	}
	return !period ? 0 : 3 * period > silence ? 3 * period : silence;
}

/* An outage that began when @s was heard for the last time */
static void board_add_outage(struct board_source *s, int64_t end)
{
	const struct outage new = {
		s->measured && s->measured < s->heard ? s->measured : s->heard,
		end, s->heard, false,
	};
	unsigned int at;

	/* one that a replay has shown before */
	for (unsigned int i = 0; i < s->outages; i++)
		if (s->outage[i].begin < end && s->outage[i].end > new.begin) {
			s->outage[i].end = end;
			return;
		}
	if (s->outages == BAND_OUTAGES)
		memmove(s->outage, s->outage + 1,
			--s->outages * sizeof(*s->outage));
	assert(s->outages < BAND_OUTAGES);
	for (at = s->outages++; at && s->outage[at - 1].begin > new.begin; at--)
		s->outage[at] = s->outage[at - 1];
	s->outage[at] = new;
	if (end == INT64_MAX)
		log_debug("%s: link down: it is silent for longer than usual",
			  s->name);
	else
		log_debug("%s: link was down for %.1f s", s->name,
			  (double)(end - new.begin) / 1e9);
}

/*
 * A sign of life. An outage does not depend on how often board_tick() looks: a
 * replay may be forty times as fast.
 */
static void board_end_outage(struct board_source *s, int64_t when)
{
	struct outage *o = &s->outage[s->outages - 1];

	assert(o->end == INT64_MAX);
	o->end = when;
	log_debug("%s: link up: it was silent for %.1f s", s->name,
		  (double)(when - o->begin) / 1e9);
}

static void board_hear(struct board *b, unsigned int source, int64_t when)
{
	struct board_source *s = b->source[source];
	int64_t patience;

	if (board_is_out(s)) {
		if (when > s->heard + again)
			board_end_outage(s, when);
	} else if (s->heard && when - s->heard > silence) {
		patience = board_patience(b, source);
		if (patience && when - s->heard > patience)
			board_add_outage(s, when);
	}
	if (when > s->heard)
		s->heard = when;
}

/* It was not silent for long from c->since to c->heard */
static void board_hear_contact(struct board *b, unsigned int source,
			       const struct contact *c)
{
	struct board_source *s = b->source[source];

	if (c->silence)
		board_hear(b, source, c->since - c->silence);
	board_hear(b, source, c->since);
	if (board_is_out(s))
		board_hear(b, source, c->heard);
	else if (c->heard > s->heard)
		s->heard = c->heard;
}

static void board_watch(struct board *b, unsigned int source, int64_t now)
{
	struct board_source *s = b->source[source];
	const int64_t patience = board_patience(b, source);
	const int64_t known = s->beats && s->known < now ? s->known : now;

	for (unsigned int i = 0; i < s->outages; i++) {
		struct outage *old = &s->outage[i];
		int64_t last = s->late > old->end ? s->late : old->end;

		if (old->end != INT64_MAX && now - last > settle)
			old->settled = true;
	}
	if (patience && s->heard && known - s->heard > patience &&
	    !board_is_out(s))
		board_add_outage(s, INT64_MAX);
}

void board_tick(struct board *b)
{
	const int64_t now = board_now(b);

	board_lock(b);
	for (unsigned int i = 0; i < b->sources; i++)
		board_watch(b, i, now);
	board_unlock(b);
	board_changed(b);
}

/* A robot without a battery begins with another clock */
static void board_forget_clocks(struct board *b, unsigned int source)
{
	b->source[source]->clock = (struct robot_clock){ 0 };
	for (unsigned int i = 0; i < b->topics; i++)
		if (b->topic[i]->source == source)
			b->topic[i]->clock = (struct robot_clock){ 0 };
}

void board_alive(struct board *b, const char *source, uint64_t run,
		 const struct contact *c, int64_t known)
{
	struct board_source *s;
	unsigned int i;

	board_lock(b);
	s = board_get_source(b, source, &i);
	if (s) {
		if (s->beats && s->run != run)
			board_forget_clocks(b, i);
		s->run = run;
		s->beats = true;
		board_hear_contact(b, i, c);
		if (known > s->known)
			s->known = known;
		board_watch(b, i, known);
	}
	board_unlock(b);
}

void board_assign(struct board *b, const char *topic, const char *source)
{
	unsigned int number;
	int i;

	board_lock(b);
	i = board_find(b, topic);
	if (i >= 0 && board_get_source(b, source, &number))
		b->topic[i]->source = number;
	board_unlock(b);
}

/*
 * Messages
 */

/* Thin the history that needs most memory until all fit */
static void board_fit(struct board *b, int64_t now)
{
	for (unsigned int pass = 0; pass < 3; pass++)
		while (b->used > b->config.memory) {
			struct board_topic *most = NULL;
			size_t freed;

			for (unsigned int i = 0; i < b->topics; i++)
				if (!most || b->topic[i]->history.bytes >
				    most->history.bytes)
					most = b->topic[i];
			if (!most)
				return;
			freed = topic_history_thin(&most->history, !pass ?
					     now - protect : INT64_MAX);
			if (!freed)
				break;
			assert(freed <= b->used);
			b->used -= freed;
			if (!b->counts.thinned++)
				log_debug("%s: history is thinned: more than %zu MB are held",
					  most->name, b->config.memory >> 20);
		}
}

/*
 * Mean of the intervals between live messages, without the pauses. Return:
 * whether it is known from now on
 */
static bool board_learn_period(struct board_topic *t, int64_t at)
{
	const int64_t interval = at - t->seen;

	if (!t->seen || interval <= 0) {
		t->regular = interval < 0 ? 0 : t->regular;
		return false;
	}
	if (interval > periodic) {
		return false;
	} else if (t->regular < REGULAR) {
		t->period = (t->period * t->regular + interval) /
			    (t->regular + 1);
		return ++t->regular == REGULAR;
	} else if (interval < 4 * t->period) {
		t->period += (interval - t->period) / 8;
	} else if (++t->regular > 4 * REGULAR) {
		/* it has become slower */
		t->period = interval;
		t->regular = REGULAR;
	}
	return false;
}

/* The time between the first messages, now that their period is known */
static void board_fill(struct board_topic *t)
{
	for (uint32_t i = 0; i < t->history.count; i++)
		if (!t->history.m[i]->kept)
			band_add(&t->band, t->history.m[i]->t, t->period,
				 false);
}

static bool board_is_status(const struct board_topic *t)
{
	return !strcmp(t->name, ROBOT_STATUS_TOPIC) ||
	       text_ends(t->name, ROBOT_STATUS_TOPIC);
}

static void board_read(struct board *b, struct board_source *s,
		       const struct view_message *m)
{
	if (m->kind != MESSAGE_TRANSFORMS && m->kind != MESSAGE_ODOMETRY &&
	    m->kind != MESSAGE_DIAGNOSTICS)
		return;
	if (message_read(m->kind, m->format, m->data, m->len, &b->message))
		return;
	if (m->kind == MESSAGE_DIAGNOSTICS &&
	    board_is_status(b->topic[m->topic]))
		robot_status_read(&s->status, &b->message.diagnostics, m->t);
	else if (m->kind == MESSAGE_ODOMETRY)
		board_read_odometry(s, &b->message.odometry, m);
	else if (m->kind == MESSAGE_TRANSFORMS && !m->kept)
		board_read_tf(s, &b->message.tf, m->t);
}

static int board_add(struct board *b, struct board_source *s,
		     struct board_topic *t, struct view_message *m)
{
	size_t before = t->history.bytes;
	int err;

	m->seq = ++t->seq;
	b->counts.messages++;
	if (m->kept) {
		t->kept++;
		s->late = m->arrival;
	} else {
		t->live++;
		if (board_learn_period(t, m->t))
			board_fill(t);
		t->seen = m->t;
		if (m->t > s->measured)
			s->measured = m->t;
	}
	band_add(&t->band, m->t, t->regular >= REGULAR ? t->period : 0,
		 m->kept);
	board_read(b, s, m);
	err = topic_history_add(&t->history, m);
	topic_history_expire(&t->history, m->arrival - BAND_SLOTS * BAND_SLOT);
	assert(before <= b->used);
	b->used = b->used - before + t->history.bytes;
	return err;
}

/* The name without /kept, and whether it had that */
static bool board_base_name(const char *topic, char name[BOARD_NAME])
{
	const bool kept = text_ends(topic, "/kept");

	snprintf(name, BOARD_NAME, "%.*s",
		 (int)(strlen(topic) - (kept ? strlen("/kept") : 0)), topic);
	return kept;
}

/*
 * Time and lateness of a message. Each topic has a clock of its own, as sensors
 * and robots of one source may differ; until it is known, that of the source
 * counts. The status of the link has the clock of the sender, which may play a
 * recording.
 */
static void board_date(struct board_source *s, struct board_topic *t,
		       struct view_message *m, int64_t stamp)
{
	const bool learns = stamp > 0 && !m->kept && !board_is_status(t);

	m->t = m->arrival;
	if (learns) {
		robot_clock_add(&s->clock, stamp, m->arrival);
		robot_clock_add(&t->clock, stamp, m->arrival);
	}
	if (stamp > 0 && !board_is_status(t))
		m->t = robot_clock_time(t->clock.known[0] ? &t->clock :
					&s->clock, stamp, m->arrival);
	if (learns && board_has_kept(m->kind) && m->arrival - m->t > lateness)
		m->kept = true;
}

static int board_put(struct board *b, const char *source, const char *topic,
		     struct view_message *m, int64_t stamp)
{
	char name[BOARD_NAME];
	struct board_source *s;
	unsigned int number;
	int t;

	m->kept = board_base_name(topic, name);
	if (!io_valid_name(name)) {
		utf8_clean(topic, strlen(topic), name, sizeof(name));
		return board_refuse(b, name, -EINVAL);
	}
	s = board_get_source(b, source, &number);
	if (!s)
		return board_refuse(b, topic, -ENOSPC);
	t = board_get_topic(b, name, number, m->kind, m->format);
	if (t < 0)
		return board_refuse(b, topic, t);
	m->topic = t;
	board_date(s, b->topic[t], m, stamp);
	if (!m->kept && !s->beats)
		board_hear(b, number, m->arrival);
	view_message_get(m);
	return board_add(b, s, b->topic[t], m);
}

int board_message(struct board *b, const char *source, const char *topic,
		  enum message_kind kind, enum message_format format,
		  const void *data, size_t len, int64_t stamp, int64_t arrival)
{
	struct view_message *m = view_message_create(len);
	int err;

	if (!m)
		return -ENOMEM;
	m->kind = kind;
	m->format = format;
	m->arrival = arrival;
	memcpy(m->data, data, len);
	board_lock(b);
	err = board_put(b, source, topic, m, stamp);
	board_fit(b, arrival);
	board_unlock(b);
	view_message_put(m);
	board_changed(b);
	return err;
}

static void board_cut_topic(struct board *b, struct board_topic *topic,
			    int64_t t)
{
	topic->clock = (struct robot_clock){ 0 };
	assert(topic->history.bytes <= b->used);
	b->used -= topic->history.bytes;
	topic_history_cut(&topic->history, t);
	b->used += topic->history.bytes;
	band_cut(&topic->band, t);
	band_skip(&topic->band, board_now(b), t);
	topic->shown = INT64_MIN;
	topic->seen = 0;
}

/* In an outage at @t it is known when the source was heard before */
static void board_cut_source(struct board_source *s, int64_t t)
{
	struct outage *o;

	while (s->outages && s->outage[s->outages - 1].begin >= t)
		s->outages--;
	o = s->outages ? &s->outage[s->outages - 1] : NULL;
	s->heard = 0;
	if (o && o->end > t) {
		o->end = INT64_MAX;
		o->settled = false;
		s->heard = o->heard;
	}
	while (s->tracks && s->track[s->tracks - 1].t >= t)
		s->tracks--;
	map_fixes_cut(&s->fixes, t);
	s->moves++;
	s->known = s->measured = s->late = 0;
	s->clock = (struct robot_clock){ 0 };
	if (s->tf)
		memset(s->tf, 0, sizeof(*s->tf));
}

void board_cut(struct board *b, int64_t t, int64_t now)
{
	board_lock(b);
	b->cuts++;
	for (unsigned int i = 0; i < b->topics; i++)
		board_cut_topic(b, b->topic[i], t);
	for (unsigned int i = 0; i < b->sources; i++)
		board_cut_source(b->source[i], t);
	/* before a client can see that there was a cut */
	board_set_now(b, now);
	board_unlock(b);
	board_changed(b);
}

void board_skip(struct board *b, int64_t t)
{
	board_lock(b);
	for (unsigned int i = 0; i < b->topics; i++) {
		struct board_topic *topic = b->topic[i];

		topic->clock = (struct robot_clock){ 0 };
		topic->seen = 0;
		if (!b->source[topic->source]->beats)
			band_skip(&topic->band, board_now(b), t);
	}
	for (unsigned int i = 0; i < b->sources; i++) {
		b->source[i]->clock = (struct robot_clock){ 0 };
		if (!b->source[i]->beats)
			b->source[i]->heard = 0;
	}
	board_unlock(b);
	board_changed(b);
}

uint64_t board_cuts(const struct board *b)
{
	return b->cuts;
}

/*
 * What clients read
 */

unsigned int board_topics(const struct board *b)
{
	return b->topics;
}

struct board_topic *board_topic(struct board *b, unsigned int i)
{
	return b->topic[i];
}

unsigned int board_sources(const struct board *b)
{
	return b->sources;
}

struct board_source *board_source(struct board *b, unsigned int i)
{
	return b->source[i];
}

const struct board_counts *board_counts(const struct board *b)
{
	return &b->counts;
}

enum board_state board_state(struct board *b, const struct board_topic *t)
{
	int64_t patience = 3 * t->period;

	if (!t->seen)
		return t->kept ? BOARD_STALE : BOARD_UNKNOWN;
	if (board_is_out(b->source[t->source]))
		return BOARD_DISCONNECTED;
	if (patience < silence)
		patience = silence;
	if (t->period && t->regular >= REGULAR &&
	    board_now(b) - t->seen > patience &&
	    !message_is_state(t->kind) && !message_is_map(t->kind))
		return BOARD_STALE;
	return BOARD_LIVE;
}

struct band_view board_band(struct board *b, const struct board_topic *t)
{
	const struct board_source *s = b->source[t->source];

	return (struct band_view){
		.now = board_now(b),
		.period = t->regular >= REGULAR && !message_is_state(t->kind) &&
			  !message_is_map(t->kind) ? t->period : 0,
		.outage = s->outage, .outages = s->outages,
	};
}

const char *board_band_text(struct board *b, struct board_topic *t,
			    int64_t *from)
{
	const struct band_view v = board_band(b, t);

	if (!t->band.begun)
		return NULL;
	if (!t->text) {
		t->text = malloc(BAND_SLOTS);
		t->shown = INT64_MIN;
	}
	if (!t->text)
		return NULL;
	if (t->shown > v.now || t->shown + BOARD_TEXT_AGE <= v.now) {
		const int64_t to = band_slot(v.now) + 1;

		t->shown = v.now;
		band_text(&t->band, &v, to - BAND_SLOTS, to, t->text);
		t->lost = band_lost(t->text, BAND_SLOTS);
	}
	*from = band_slot(t->shown) + 1 - BAND_SLOTS;
	return t->text;
}
