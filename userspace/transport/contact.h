/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contact.h - when a sender was heard
 *
 * A receiver notes it for each datagram. It says so once a second (diagnose.h),
 * so that a recording has the same outages as were seen live: the silence
 * before is part of it, as one second may have the end of an outage and the
 * begin of the next one.
 */
#ifndef TRANSPORT_CONTACT_H
#define TRANSPORT_CONTACT_H

#include <stdint.h>

#define CONTACT_SILENCE	1500000000LL	/* ns; three announcements were lost */

/**
 * struct contact - zero-initialised: never heard
 * @heard:	last datagram, ns
 * @since:	since then it was never silent for longer than CONTACT_SILENCE,
 *		ns
 * @silence:	how long it was silent before @since, ns; 0: @since is its first
 *		datagram
 */
struct contact {
	int64_t	heard, since, silence;
};

static inline void contact_hear(struct contact *c, int64_t now)
{
	if (!c->heard) {
		c->since = now;
	} else if (now - c->heard > CONTACT_SILENCE) {
		c->silence = now - c->heard;
		c->since = now;
	}
	c->heard = now;
}

#endif
