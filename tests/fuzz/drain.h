/* SPDX-License-Identifier: GPL-2.0-only */
/* Send what a client of the view has in its queue to nowhere */
#ifndef OPTSAMPLE_FUZZ_DRAIN_H
#define OPTSAMPLE_FUZZ_DRAIN_H

#include "view/peer.h"

/* @rounds: compositions, at most */
static inline void drain(struct peer *p, unsigned int rounds)
{
	struct outgoing *o;

	for (unsigned int i = 0; i < rounds && !p->failed; i++) {
		if (STAILQ_EMPTY(&p->queue) && !p->ops->compose(p))
			break;
		while ((o = STAILQ_FIRST(&p->queue))) {
			STAILQ_REMOVE_HEAD(&p->queue, next);
			p->queued -= o->head_len + o->len;
			outgoing_free(o);
		}
	}
}

#endif
