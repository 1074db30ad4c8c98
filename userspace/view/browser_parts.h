/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * browser_parts.h - internals of the page's protocol; for browser*.c only
 */
#ifndef VIEW_BROWSER_PARTS_H
#define VIEW_BROWSER_PARTS_H

#include "view/browser.h"

/**
 * struct browser - a page
 * @topics:	of the board that it knows
 * @wants:	large topics that are on screen
 * @band:	texts that it has, of BAND_SLOTS each, the first slot is @from
 * @cuts:	of the board, which it knows
 * @moves, @tracks, @track_end: of each source, what it has of its track
 * @changes:	of each source's status, as it knows it
 * @sent, @seen: messages sent and acknowledged; @when: of the last ones
 * @asked:	a question about the past is not answered yet, of time @at, and
 *		@left frames are being converted
 */
struct browser {
	struct peer	peer;
	unsigned int	topics;
	bool		greeted, wants[BOARD_TOPICS];
	char		*band[BOARD_TOPICS];
	int64_t		from[BOARD_TOPICS];
	uint64_t	moves[BOARD_SOURCES], changes[BOARD_SOURCES];
	uint32_t	tracks[BOARD_SOURCES];
	int64_t		track_end[BOARD_SOURCES];
	uint64_t	outages, replayed, layers, cuts;
	int64_t		band_sent, state_sent, track_sent, play_sent;
	uint64_t	sent, seen;
	int64_t		when[BROWSER_UNSEEN];
	bool		asked;
	double		at;
	unsigned int	left;
	cJSON		*found;
};

static inline struct browser *browser_of(struct peer *p)
{
	return (struct browser *)p;
}

/* browser_state.c: what changed. Each returns whether it queued something */
bool browser_send_topics(struct browser *b);
bool browser_send_band(struct browser *b, int64_t now);
bool browser_send_state(struct browser *b, int64_t now);
bool browser_send_track(struct browser *b, int64_t now);
bool browser_send_link(struct browser *b);
bool browser_send_play(struct browser *b, int64_t now);

#endif
