/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * band.h - what of a topic was received, over time
 *
 * Time is cut into slots. A slot knows whether a message of that time arrived
 * live or was kept and arrived late. What is missing is lost, or still
 * expected: that depends on the outages of its source and is worked out when
 * the band is shown.
 */
#ifndef VIEW_BAND_H
#define VIEW_BAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAND_SLOT	500000000LL	/* ns */

enum {
	BAND_SLOTS	= 2400,		/* 20 minutes */
	BAND_HOLE	= 60,		/* slots: a longer hole is a pause */
	BAND_OUTAGES	= 64,
};

/* What a slot shows, as in the text of band_text() */
#define BAND_LIVE	'L'
#define BAND_KEPT	'K'
#define BAND_LOST	'X'
#define BAND_EXPECTED	'E'
#define BAND_NOTHING	'.'

/**
 * struct band - zero-initialised: nothing was received
 * @last:	newest slot; slot S is at S % BAND_SLOTS
 * @first:	slot of the first message
 */
struct band {
	int64_t	first, last;
	uint8_t	slot[BAND_SLOTS];
	bool	begun;
};

/**
 * struct outage - of a source
 * @begin, @end: ns; @end INT64_MAX: it lasts
 * @heard:	last sign of life before it, ns
 * @settled:	messages that were kept in it have stopped to arrive
 */
struct outage {
	int64_t	begin, end, heard;
	bool	settled;
};

/**
 * struct band_view - what decides about missing messages
 * @now:	ns
 * @period:	between messages, ns; 0: not periodic
 * @outage:	of the source, @outages of them, oldest first
 */
struct band_view {
	int64_t			now, period;
	const struct outage	*outage;
	unsigned int		outages;
};

static inline int64_t band_slot(int64_t t)
{
	return t / BAND_SLOT - (t % BAND_SLOT < 0);
}

/**
 * band_add() - a message was received
 * @t:		when it was measured, ns
 * @period:	a live one stands for the time until the next one, ns
 */
void band_add(struct band *b, int64_t t, int64_t period, bool kept);

/* Forget what is at @t or later: a replay goes back */
void band_cut(struct band *b, int64_t t);

/* A replay left out the time from @from to @to: nothing is known of it */
void band_skip(struct band *b, int64_t from, int64_t to);

/**
 * band_text() - one character for each slot
 * @from, @to:	slots, the last one is not included; at most BAND_SLOTS
 * @text:	gets to - from characters, no final 0
 */
void band_text(const struct band *b, const struct band_view *v, int64_t from,
	       int64_t to, char *text);

/* How many of @n slots of such a text are lost */
unsigned int band_lost(const char *text, size_t n);

#endif
