/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * board.h - all that the operator's side knows: topics with their histories and
 * bands, sources with their outages and places
 *
 * In: messages of sources, from the thread of the loop. Out: what clients show,
 * read from the thread of the server. One lock guards it all; it is held for
 * microseconds, and for a few milliseconds when a client gets all bands.
 */
#ifndef VIEW_BOARD_H
#define VIEW_BOARD_H

#include "base/pose.h"
#include "laser/tf.h"
#include "transport/contact.h"
#include "view/band.h"
#include "view/map_fix.h"
#include "view/topic_history.h"
#include "view/robot_clock.h"
#include "view/robot_status.h"

enum {
	BOARD_TOPICS	= 256,
	BOARD_SOURCES	= 16,
	BOARD_NAME	= 256,
	BOARD_TRACK	= 8192,		/* places of a robot */
	BOARD_SMALL	= 16384,	/* bytes; larger messages are large */
};

/**
 * struct place - where a robot was
 * @t: ns
 */
struct place {
	int64_t		t;
	struct pose	pose;
};

/**
 * struct board_source - a robot, or all of a domain
 * @heard:	last sign of life, ns
 * @known:	until then it is known whether it was heard, if it @beats, ns
 * @measured:	newest time at which something live was measured, ns
 * @late:	arrival of the last kept message, ns
 * @beats:	it says that it lives even if it has nothing to send
 * @run:	of board_alive()
 * @track:	@tracks places, oldest first; @moves: changes of them
 * @fixes:	of its odometry
 * @frame:	that the track is in
 * @status:	what it says of its link
 */
struct board_source {
	char			name[BOARD_NAME];
	struct robot_clock	clock;
	struct outage		outage[BAND_OUTAGES];
	unsigned int		outages;
	int64_t			heard, known, measured, late;
	bool			beats;
	uint64_t		run;
	struct tf_frames	*tf;
	struct map_fixes	fixes;
	struct place		*track;
	uint32_t		tracks, track_room;
	uint64_t		moves;
	const char		*frame;
	struct robot_status	status;
};

#define BOARD_TEXT_AGE	200000000LL	/* ns */

enum board_state { BOARD_UNKNOWN, BOARD_LIVE, BOARD_STALE, BOARD_DISCONNECTED };

/**
 * struct board_topic
 * @source:	number of its source
 * @seq:	of the newest message
 * @clock:	of its stamps, if that is not the source's
 * @period:	between live messages, ns; 0: unknown or not periodic
 * @live, @kept: messages received
 * @seen:	newest live message was measured then, ns; 0: none
 * @text:	see board_band_text(); @lost of its slots; of the time @shown
 */
struct board_topic {
	char			name[BOARD_NAME];
	enum message_kind	kind;
	enum message_format	format;
	unsigned int		source;
	struct topic_history		history;
	struct band		band;
	struct robot_clock	clock;
	uint64_t		seq, live, kept;
	int64_t			period, seen;
	unsigned int		regular;
	char			*text;
	unsigned int		lost;
	int64_t			shown;
};

/**
 * struct board_config
 * @memory:	for messages, bytes
 * @replay:	time is that of a recording: see board_set_now()
 * @changed:	called after each change, without the lock, from the thread that
 *		made it
 */
struct board_config {
	size_t	memory;
	bool	replay;
	void	(*changed)(void *arg);
	void	*arg;
};

/**
 * struct board_counts
 * @messages:	received
 * @thinned:	left out of the history, as memory was short
 * @refused:	messages of topics or sources beyond the limits, or of another
 *		type than the topic had
 */
struct board_counts {
	uint64_t	messages, thinned, refused;
};

struct board;

/* Return: to be freed with board_destroy(); NULL: no memory */
struct board *board_create(const struct board_config *config);
void board_destroy(struct board *b);

/**
 * board_message() - a message was received
 * @source:	name of the robot, or of the source
 * @topic:	a name that ends in /kept is that of kept messages of the topic
 *		before it
 * @stamp:	of its header, ns; 0: none
 * @arrival:	ns
 *
 * Return: 0; -ENOSPC, -EPROTOTYPE, -EINVAL (not a name of ROS): refused,
 * counted; -ENOMEM.
 */
int board_message(struct board *b, const char *source, const char *topic,
		  enum message_kind kind, enum message_format format,
		  const void *data, size_t len, int64_t stamp,
		  int64_t arrival);

/**
 * board_alive() - when a source was heard, even if it sends no data
 * @run:	of its program: another one may have another clock
 * @c:		in the clock of board_now()
 * @known:	nothing is known of the time after it, ns
 */
void board_alive(struct board *b, const char *source, uint64_t run,
		 const struct contact *c, int64_t known);

/* The robot that a topic is of is known, or another one than before */
void board_assign(struct board *b, const char *topic, const char *source);

/* Detect outages; call ten times a second */
void board_tick(struct board *b);

/* Of a replay: the time of the recording, ns */
void board_set_now(struct board *b, int64_t now);

/*
 * Of a replay that jumps, to @now: forget what is at @t or later, and do not take
 * the time that it leaves out for an outage
 */
void board_cut(struct board *b, int64_t t, int64_t now);

/*
 * Of a replay that goes on at @t, as nothing was recorded for long: not an
 * outage, unless a robot was waited for
 */
void board_skip(struct board *b, int64_t t);

/* How often a replay jumped, with the lock */
uint64_t board_cuts(const struct board *b);

/* Operator's clock, or time of the recording, ns */
int64_t board_now(const struct board *b);

/*
 * With the lock
 */

void board_lock(struct board *b);
void board_unlock(struct board *b);

unsigned int board_topics(const struct board *b);
struct board_topic *board_topic(struct board *b, unsigned int i);
unsigned int board_sources(const struct board *b);
struct board_source *board_source(struct board *b, unsigned int i);
const struct board_counts *board_counts(const struct board *b);

/* Number of a topic, or -ENOENT */
int board_find(struct board *b, const char *name);

enum board_state board_state(struct board *b, const struct board_topic *t);

/* Is the source in an outage, or gone? */
bool board_is_out(const struct board_source *s);

/* What band_text() needs for a topic */
struct band_view board_band(struct board *b, const struct board_topic *t);

/**
 * board_band_text() - band_text() of the last BAND_SLOTS slots
 * @from:	gets the first one
 *
 * All clients share it: it is at most BOARD_TEXT_AGE old. t->lost then says how
 * many slots are lost.
 *
 * Return: the text, valid while the board is locked; NULL: no message yet, or no
 * memory
 */
const char *board_band_text(struct board *b, struct board_topic *t,
			    int64_t *from);

/* Where the robot was at @t, or the last place before; NULL: unknown */
const struct place *board_place(const struct board_source *s, int64_t t);

/* Large messages: of several that wait only the newest is sent */
static inline bool board_is_large(const struct view_message *m)
{
	return message_is_picture(m->kind) || message_is_map(m->kind) ||
	       m->len > BOARD_SMALL;
}

/* May messages of this kind be kept in an outage, so that there is a /kept? */
static inline bool board_has_kept(enum message_kind kind)
{
	return !message_is_map(kind) && !message_is_state(kind) &&
	       kind != MESSAGE_DIAGNOSTICS;
}

#endif
