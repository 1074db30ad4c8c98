/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * browser.h - the protocol of the page: optsample.view.v1
 *
 * Texts are JSON with "op"; frames of pictures, clouds, maps and scans are
 * binary (browser_frame.h). Times are ms since the epoch, in the operator's
 * clock. The page acknowledges what it has drawn ("ack"), so a slow or hidden
 * page gets no more than it shows.
 *
 * From the server: hello, topics, band, state, msg, track, link, layers, play,
 * at (the answer to one is complete), error. From the page: hello with a token,
 * want (the topics on screen), ack, at (what was known at a time), focus,
 * priority, play.
 */
#ifndef VIEW_BROWSER_H
#define VIEW_BROWSER_H

#include "view/peer.h"

enum {
	BROWSER_UNSEEN	= 64,		/* messages not acknowledged */
	BROWSER_AT	= 64,		/* topics of one question */
};

extern const struct peer_ops browser_ops;

#endif
