// SPDX-License-Identifier: GPL-2.0-only
/*
 * bag_source - play a recording with its original timing
 *
 * Each message is due relative to the first one, so that delays do not add up:
 * after a late message the next ones are on time. When the recording repeats,
 * stamps go on: stamps in the headers are rewritten in a copy of the bytes, at
 * the offset of each serialization, and those of transforms.
 *
 * The place is a stamp of all passes together, at a time: both are set again by
 * a pause, another speed, a seek, and a gap.
 *
 * Recorders log wrong times: 0 before the first message of /clock, overflowed
 * ones, those of a clock that was set. So differences of stamps may be of any
 * size, and what lies more than GAP apart is not waited for.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "base/wire.h"
#include "ros/bag/bag.h"
#include "ros/io/source_ops.h"

enum {
	TURN	= 64,		/* messages per turn of the loop */
	STATES	= 8,		/* transforms before a place */
	GAPS	= 4,		/* that are logged */
};

static const int64_t second = 1000000000, shortest = 1000000;	/* ns */
static const int64_t longest = 3600000000000;	/* gap that is waited for */
static const int64_t year = 31536000000000000;

/**
 * struct bag_source
 * @wanted:	of each topic of the recording; @kind, or -1
 * @next:	message that is due at @timer, if @has_next
 * @first:	stamp that is played at @begin, of the monotonic clock, if it
 *		has @begun
 * @played:	stamp of the last message, or where it began
 * @paused:	@first is played when it goes on
 * @seeking:	to @first, in the next turn
 * @origin:	where the time of the recording begins
 * @skip:	where each pass begins
 * @length:	of one pass; @moved: of all passes so far
 * @left_out:	of this pass: time of its gaps, which are not waited for
 * @gaps:	so far
 * @patched:	message with another stamp, kept
 */
struct bag_source {
	struct source		s;
	struct bag_reader	*bag;
	const struct bag_topic	*topic;
	unsigned int		topics;
	bool			*wanted;
	int			*kind;
	struct loop_timer	timer;
	struct bag_message	next;
	bool			has_next, begun, warned, paused, seeking, ended;
	int64_t			first, played, origin, skip, length, moved;
	int64_t			left_out;
	uint64_t		begin, gaps;
	uint8_t			*patched;
	size_t			size;
};

static struct bag_source *bag_source_bag_of(struct source *s)
{
	return (struct bag_source *)s;
}

/*
 * Stamps
 */

/* @a - @b, or the nearest that there is */
static int64_t bag_source_between(int64_t a, int64_t b)
{
	int64_t d;

	if (__builtin_sub_overflow(a, b, &d))
		return a < b ? INT64_MIN : INT64_MAX;
	return d;
}

/* Of the next message, in the time of all passes together */
static int64_t bag_source_next_stamp(const struct bag_source *s)
{
	return bag_source_between(s->next.stamp, -s->moved);
}

/* Offset of header.stamp: after 4 bytes of encapsulation, or header.seq */
enum { STAMP_AT = 4 };

static uint32_t get_32(const uint8_t *p, bool big)
{
	uint32_t v = get_le32(p);

	return big ? __builtin_bswap32(v) : v;
}

static void put_32(uint8_t *p, bool big, uint32_t v)
{
	put_le32(p, big ? __builtin_bswap32(v) : v);
}

static int patch_room(struct bag_source *s, size_t len)
{
	uint8_t *copy;

	if (len <= s->size)
		return 0;
	copy = realloc(s->patched, len + len / 4);
	if (!copy)
		return -ENOMEM;
	s->patched = copy;
	s->size = len + len / 4;
	return 0;
}

/* Transforms have a stamp each */
static int move_transforms(struct bag_source *s, struct source_message *m)
{
	struct message_transform *list;
	struct message_list rest;
	union message msg;
	uint32_t n = 0;
	long len;
	int err;

	if (message_read(m->kind, m->format, m->data, m->len, &msg))
		return 0;
	rest = msg.tf.transforms;
	list = calloc(rest.count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	while (message_next_transform(&rest, &list[n]))
		list[n++].header.stamp += s->moved;
	msg.tf.transforms = message_list(list, n);
	len = message_size(m->kind, m->format, &msg);
	err = len < 0 ? len : patch_room(s, len);
	if (!err) {
		m->len = message_write(m->kind, m->format, &msg, s->patched,
				       len);
		m->data = s->patched;
	}
	free(list);
	return err;
}

/* Return: -ENOMEM, or 0: @m is as it was or points to the copy */
static int move_stamp(struct bag_source *s, struct source_message *m)
{
	const uint8_t *data = m->data;
	bool big = m->format == MESSAGE_CDR && m->len > 1 && !(data[1] & 1);
	int64_t stamp;
	union message any;

	if (m->kind == MESSAGE_TRANSFORMS)
		return move_transforms(s, m);
	if (!message_header_of(m->kind, &any) || m->len < STAMP_AT + 8)
		return 0;
	if (patch_room(s, m->len))
		return -ENOMEM;
	assert(m->len <= s->size);
	memcpy(s->patched, data, m->len);
	m->data = s->patched;
	stamp = (int32_t)get_32(data + STAMP_AT, big) * second +
		get_32(data + STAMP_AT + 4, big) + s->moved;
	put_32(s->patched + STAMP_AT, big, (uint32_t)(stamp / second));
	put_32(s->patched + STAMP_AT + 4, big, (uint32_t)(stamp % second));
	return 0;
}

/*
 * Playing
 */

static void log_warning(struct bag_source *s)
{
	const char *words = bag_warning(s->bag);

	if (!words || s->warned)
		return;
	s->warned = true;
	source_log(&s->s, LOG_WARNING, "%s: %s", s->s.config.spec, words);
}

static void bag_source_give(struct bag_source *s)
{
	unsigned int i = s->next.topic;
	struct source_message m = {
		.topic = s->topic[i].name, .kind = s->kind[i],
		.format = s->topic[i].format, .data = s->next.data,
		.len = s->next.len, .stamp = bag_source_next_stamp(s),
	};

	if (s->moved && move_stamp(s, &m))
		return;
	s->s.config.message(s->s.config.arg, &m);
}

/* The place, a stamp of all passes together */
static int64_t bag_source_place(const struct bag_source *s, uint64_t now)
{
	int64_t limit, most;

	if (!s->begun)
		return s->skip;
	if (s->paused || s->seeking || now < s->begin)
		return s->first;
	/* not beyond what is late */
	limit = s->has_next ? bag_source_next_stamp(s) : s->played;
	most = bag_source_between(limit, s->first);
	if (most <= 0)
		return s->first;
	return s->first + (int64_t)fmin((now - s->begin) * s->s.config.speed,
					most);
}

/* The timing of what follows begins at @place */
static void bag_source_set_place(struct bag_source *s, int64_t place,
				 uint64_t now)
{
	s->first = s->played = place;
	s->begin = now;
	s->begun = true;
}

/* Look at once what is due, in a turn of the loop */
static void bag_source_wake(struct bag_source *s)
{
	if (!s->ended || s->seeking)
		s->timer.due = 0;
}

static uint64_t bag_source_due(const struct bag_source *s)
{
	double late = bag_source_between(bag_source_next_stamp(s), s->first) /
		      s->s.config.speed;

	return late < 0 ? s->begin : s->begin + (uint64_t)late;
}

/* Go on with the next message if it is after a gap */
static void bag_source_skip_gap(struct bag_source *s, uint64_t now)
{
	const int64_t to = bag_source_next_stamp(s);
	const int64_t gap = bag_source_between(to, s->played);

	if (gap <= longest)
		return;
	if (!s->moved && ++s->gaps <= GAPS)
		source_log(&s->s, LOG_WARNING,
			   "%s: nothing was recorded for %.1f h: skipped%s",
			   s->s.config.spec, gap / 3.6e12, s->gaps == GAPS ?
			   "; more gaps are not logged" : "");
	s->left_out = bag_source_between(s->left_out, -gap);
	bag_source_set_place(s, to, now);
	if (s->s.config.skipped)
		s->s.config.skipped(s->s.config.arg, to);
}

/* The end of a pass. Return: whether it repeats */
static bool bag_source_begin_again(struct bag_source *s)
{
	int64_t pass;
	int err;

	if (!s->s.config.loop || s->s.config.rewinds || !s->begun)
		return false;
	err = bag_seek(s->bag, s->skip);
	if (err) {
		source_log(&s->s, LOG_ERR, "%s: %s", s->s.config.spec,
			   strerror(-err));
		return false;
	}
	pass = bag_source_between(s->length, s->left_out);
	s->moved = bag_source_between(s->moved, pass > shortest ? -pass :
								  -shortest);
	s->left_out = 0;
	return true;
}

/*
 * The next message, into @next. Return: 1; 0 at the end; -EAGAIN: not yet,
 * after many skipped messages
 */
static int bag_source_fetch(struct bag_source *s)
{
	int ret;

	for (unsigned int i = 0; i < TURN; i++) {
		ret = bag_next(s->bag, &s->next);
		log_warning(s);
		if (ret < 0)
			source_log(&s->s, LOG_ERR, "%s: %s", s->s.config.spec,
				   strerror(-ret));
		if (ret < 0 || (!ret && !bag_source_begin_again(s)))
			return 0;
		if (!ret)
			continue;
		if (!s->begun)
			bag_source_set_place(s, s->next.stamp, loop_now());
		return 1;
	}
	return -EAGAIN;
}

/* Deliver the last messages of a topic before @stamp, the oldest first */
static void bag_source_give_last(struct bag_source *s, unsigned int topic,
				 int64_t stamp)
{
	unsigned int most = s->kind[topic] == MESSAGE_TRANSFORMS ? STATES : 1;
	struct bag_place place = { .stamp = stamp }, at[STATES];
	unsigned int n = 0;
	int got = 0;

	while (n < most &&
	       (got = bag_before(s->bag, topic, &place, &s->next)) == 1)
		at[n++] = place;
	assert(n <= most && most <= STATES);
	if (got < 0)
		source_log(&s->s, LOG_ERR, "%s: %s", s->s.config.spec,
			   strerror(-got));
	while (n-- && s->wanted[topic] && !s->seeking) {
		/* this message is the last one before the place after it */
		at[n].at++;
		if (bag_before(s->bag, topic, &at[n], &s->next) == 1)
			bag_source_give(s);
	}
	log_warning(s);
}

static bool bag_source_is_state(const struct bag_source *s, unsigned int i)
{
	return message_is_state(s->kind[i]) || s->topic[i].latched ||
	       message_is_latched(s->kind[i], s->topic[i].name);
}

/* The callbacks may seek again: then the next turn does */
static void bag_source_seek_now(struct bag_source *s)
{
	int64_t stamp = bag_source_between(s->first, s->moved);
	int err;

	s->seeking = s->has_next = s->ended = false;
	for (unsigned int i = 0; i < s->topics && !s->seeking; i++)
		if (s->wanted[i] && bag_source_is_state(s, i))
			bag_source_give_last(s, i, stamp);
	/* what is there to see of a recording that stands still */
	for (unsigned int i = 0; s->paused && i < s->topics && !s->seeking; i++)
		if (s->wanted[i] && !bag_source_is_state(s, i))
			bag_source_give_last(s, i, stamp);
	if (s->seeking)
		return;
	err = bag_seek(s->bag, stamp);
	if (err)
		source_log(&s->s, LOG_ERR, "%s: %s", s->s.config.spec,
			   strerror(-err));
	s->begin = loop_now();
	s->timer.due = 0;
}

static void bag_source_play(struct bag_source *s, uint64_t now)
{
	int ret = 1;

	for (unsigned int i = 0; i < TURN; i++) {
		/* also by the callback of the last message */
		if (s->seeking)
			break;
		if (s->paused || s->ended)
			return;
		if (!s->has_next) {
			ret = bag_source_fetch(s);
			if (ret != 1)
				break;
			s->has_next = true;
			bag_source_skip_gap(s, now);
			/* its callback may do the same */
			if (s->seeking || s->paused)
				continue;
		}
		s->timer.due = bag_source_due(s);
		if (s->timer.due > now)
			return;
		s->has_next = false;
		s->played = bag_source_next_stamp(s);
		/*
		 * unwanted topics keep their timing: they may be wanted later
		 */
		if (s->wanted[s->next.topic])
			bag_source_give(s);
	}
	s->timer.due = ret ? now : LOOP_NEVER;
	s->ended = !ret;
	if (!ret && s->s.config.ended)
		s->s.config.ended(s->s.config.arg);
}

static void bag_source_on_play(void *arg, uint64_t now)
{
	struct bag_source *s = arg;

	if (s->seeking)
		bag_source_seek_now(s);
	else
		bag_source_play(s, now);
}

static void bag_source_on_first(void *arg, uint64_t now)
{
	struct bag_source *s = arg;

	(void)now;
	/* due again at once, with the topics wanted by then */
	s->timer.expired = bag_source_on_play;
	s->timer.due = 0;
	if (!s->s.config.found)
		return;
	for (unsigned int i = 0; i < s->topics; i++)
		if (s->kind[i] >= 0 && s->kind[i] < MESSAGE_KINDS &&
		    !s->wanted[i])
			s->s.config.found(s->s.config.arg, s->topic[i].name,
					  s->kind[i]);
}

/*
 * Operations
 */

static void bag_source_close(struct source *source)
{
	struct bag_source *s = bag_source_bag_of(source);

	if (s->timer.expired)
		loop_remove_timer(s->s.loop, &s->timer);
	bag_close(s->bag);
	free((char *)s->s.config.spec);
	free(s->wanted);
	free(s->kind);
	free(s->patched);
	free(s);
}

static int bag_source_read_topics(struct bag_source *s)
{
	s->topic = bag_topics(s->bag, &s->topics);
	s->wanted = calloc(s->topics + 1, sizeof(*s->wanted));
	s->kind = calloc(s->topics + 1, sizeof(*s->kind));
	if (!s->wanted || !s->kind)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->topics; i++) {
		int kind = message_any_kind_of(s->topic[i].type);

		s->kind[i] = kind >= 0 && s->topic[i].format < MESSAGE_OTHER &&
			     io_valid_name(s->topic[i].name) ? kind : -1;
	}
	return 0;
}

/*
 * Where its time begins: the first messages may have a time of years before.
 * They are played, but no place and no start counts from them.
 */
static void bag_source_find_origin(struct bag_source *s, int64_t begin)
{
	int64_t last = begin;

	s->origin = begin;
	for (unsigned int i = 0; i < TURN && s->origin == begin &&
	     bag_next(s->bag, &s->next) == 1; i++) {
		if (bag_source_between(s->next.stamp, last) > year)
			s->origin = s->next.stamp;
		last = s->next.stamp;
	}
}

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Of a pass: up to the last message, plus the mean interval without gaps */
static void bag_source_measure(struct bag_source *s)
{
	int64_t begin = 0, end = 0;
	uint64_t count = 0;

	for (unsigned int i = 0; i < s->topics; i++)
		count += s->topic[i].count;
	bag_span(s->bag, &begin, &end);
	s->skip = s->s.config.start > 0 ?
		  bag_source_between(s->origin, -s->s.config.start * 1e9) :
		  begin;
	s->length = bag_source_between(end, s->skip);
	if (s->length > INT64_MAX / 4)
		s->length = INT64_MAX / 4;
	s->length = s->length <= 0 ? second : count < 2 ? s->length + second :
		    s->length + shorter(s->length / (int64_t)(count - 1),
					60 * second);
	if (s->length < shortest)
		s->length = shortest;
}

static int open_bag(struct bag_source *s, const char *path,
		    struct error *error)
{
	int64_t begin, end, length;
	int err = bag_open(&s->bag, path);

	if (err == -EPROTONOSUPPORT)
		return error_set(
			error, err,
			"%s: neither a recording (.mcap, .bag, .db3) nor an image, cloud or map",
			path);
	if (err)
		return error_set(error, err, "%s: %s", path, err == -EBADMSG ?
				 "damaged recording" : strerror(-err));
	err = bag_source_read_topics(s);
	if (err)
		return error_set(error, err, "no memory");
	if (!bag_span(s->bag, &begin, &end))
		return error_set(error, -ENODATA, "%s: no messages",
				 path);
	bag_source_find_origin(s, begin);
	length = bag_source_between(end, s->origin);
	if (s->s.config.start * 1e9 > length)
		return error_set(error, -ERANGE, "%s: only %.3f s long", path,
				 length * 1e-9);
	bag_source_measure(s);
	err = bag_seek(s->bag, s->skip);
	if (err)
		return error_set(error, err, "%s: %s", path, strerror(-err));
	return 0;
}

static int bag_source_open(struct source **result, struct loop *loop,
			   const char *rest, const struct source_config *config,
			   struct error *error)
{
	struct bag_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->s.ops = &bag_source_ops;
	s->s.loop = loop;
	s->s.config = *config;
	s->s.config.spec = strdup(rest);
	err = s->s.config.spec ? open_bag(s, rest, error) :
	      error_set(error, -ENOMEM, "no memory");
	if (err) {
		bag_source_close(&s->s);
		return err;
	}
	log_warning(s);
	s->timer.expired = bag_source_on_first;
	s->timer.arg = s;
	loop_add_timer(loop, &s->timer);
	*result = &s->s;
	return 0;
}

static int bag_source_subscribe(struct source *source, const char *topic,
				int kind, bool all)
{
	struct bag_source *s = bag_source_bag_of(source);
	int err = -ENOENT;

	(void)all;
	for (unsigned int i = 0; i < s->topics; i++) {
		if (strcmp(s->topic[i].name, topic))
			continue;
		if (s->wanted[i])
			return -EEXIST;
		if (s->kind[i] < 0 ||
		    (kind < 0 ? s->kind[i] >= MESSAGE_KINDS :
				kind != s->kind[i])) {
			err = -EPROTOTYPE;
			continue;
		}
		s->wanted[i] = true;
		return 0;
	}
	return err;
}

static void bag_source_unsubscribe(struct source *source, const char *topic)
{
	struct bag_source *s = bag_source_bag_of(source);

	for (unsigned int i = 0; i < s->topics; i++)
		if (!strcmp(s->topic[i].name, topic))
			s->wanted[i] = false;
}

static void bag_source_playback(const struct source *source,
				struct source_playback *p)
{
	const struct bag_source *s = (const struct bag_source *)source;

	*p = (struct source_playback){
		.paused = s->paused,
		.speed = s->s.config.speed,
		.ended = s->ended && !s->seeking,
	};
	bag_span(s->bag, &p->begin, &p->end);
	p->begin = s->origin;
	p->time = bag_source_between(bag_source_place(s, loop_now()), s->moved);
	if (p->time < p->begin)
		p->time = p->begin;
	if (p->time > p->end || p->ended)
		p->time = p->end;
}

static void bag_source_pause(struct source *source, bool pause)
{
	struct bag_source *s = bag_source_bag_of(source);
	uint64_t now = loop_now();

	if (s->paused == pause)
		return;
	if (s->begun)
		bag_source_set_place(s, bag_source_place(s, now), now);
	s->paused = pause;
	bag_source_wake(s);
}

static void bag_source_speed(struct source *source, double speed)
{
	struct bag_source *s = bag_source_bag_of(source);
	uint64_t now = loop_now();

	if (s->begun)
		bag_source_set_place(s, bag_source_place(s, now), now);
	s->s.config.speed = speed;
	bag_source_wake(s);
}

static void bag_source_seek(struct source *source, int64_t stamp)
{
	struct bag_source *s = bag_source_bag_of(source);
	int64_t begin, end;

	bag_span(s->bag, &begin, &end);
	stamp = stamp < begin ? begin : stamp > end ? end : stamp;
	bag_source_set_place(s, bag_source_between(stamp, -s->moved),
			     loop_now());
	s->seeking = true;
	bag_source_wake(s);
}

const struct source_ops bag_source_ops = {
	.open		= bag_source_open,
	.subscribe	= bag_source_subscribe,
	.unsubscribe	= bag_source_unsubscribe,
	.playback	= bag_source_playback,
	.pause		= bag_source_pause,
	.speed		= bag_source_speed,
	.seek		= bag_source_seek,
	.close		= bag_source_close,
};
