// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_first_view - the first messages of topics, as optsample-view takes them
 * and as its page and its clients of Foxglove get them
 *
 * Input: messages of any type (odd_first.h), each of a topic of its own, on a
 * new board.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/loop.h"
#include "drain.h"
#include "odd_first.h"
#include "view/browser.h"
#include "view/browser_frame.h"
#include "view/foxglove.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES = 3 };

static struct view view = { .name = "fuzz", .session = "fuzz",
			    .replaying = true };

static void take(void *arg, const struct action *a)
{
	(void)arg;
	(void)a;
}

static int64_t stamp_of(const struct first *f)
{
	static union message m;
	const struct message_header *h;

	if (message_read(f->kind, f->format, f->data, f->len, &m))
		return -1;
	h = message_header_of(f->kind, &m);
	return h ? h->stamp : 0;
}

/* What a thread of the server does for the page */
static void draw(const struct board_topic *t)
{
	const struct pose at = { 1, 2, 3 };
	struct view_message *m = t->history.newest, *body;

	if (m && !browser_frame_body(m, t->seq & 1 ? &at : NULL, &body))
		view_message_put(body);
}

static void serve(const struct peer_ops *ops)
{
	struct peer *p = peer_create(ops, &view, 1, "fuzz");

	if (!p)
		abort();
	p->authorised = true;
	p->ops->opened(p);
	drain(p, 30);
	if (p->ops->tick)
		p->ops->tick(p, 2000000000);
	drain(p, 30);
	peer_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct board_config config = { .memory = 1 << 20,
						    .replay = true };
	struct odd o = { data, size, 400, 0 };
	static struct first f;
	char name[16];

	if (!view.actions &&
	    actions_open(&view.actions, loop_create(), take, NULL))
		abort();
	view.board = board_create(&config);
	for (unsigned int i = 0; i < MESSAGES; i++) {
		int64_t stamp;

		if (!first_message(&o, MESSAGE_KINDS, &f))
			break;
		/* damaged ones are counted before they reach the board */
		stamp = stamp_of(&f);
		sprintf(name, i ? "/t%u" : "/tf", i);
		if (stamp >= 0)
			board_message(view.board, "robot", name, f.kind,
				      f.format, f.data, f.len, stamp,
				      1700000001000000000 + i);
	}
	board_set_now(view.board, 1700000002000000000);
	board_tick(view.board);
	for (unsigned int i = 0; i < board_topics(view.board); i++)
		draw(board_topic(view.board, i));
	serve(odd_byte(&o) & 1 ? &browser_ops : &foxglove_sdk_ops);
	board_destroy(view.board);
	return 0;
}
