// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_view_peer - hostile clients of optsample-view: Foxglove's protocol and
 * that of the page
 *
 * The first byte chooses the protocol. Then messages: two bytes of length, of
 * which the upper bit says whether it is binary.
 */
#include <stdlib.h>
#include <string.h>
#include "base/loop.h"
#include "drain.h"
#include "view/browser.h"
#include "view/foxglove.h"
#include "view/pictures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct view view;

static void take(void *arg, const struct action *a)
{
	(void)arg;
	(void)a;
}

static void changed(void *arg)
{
	(void)arg;
}

static void put(const char *topic, enum message_kind kind,
		const union message *m)
{
	uint8_t bytes[4096];
	long len = message_write(kind, MESSAGE_CDR, m, bytes, sizeof(bytes));

	if (len < 0)
		abort();
	board_message(view.board, "robot", topic, kind, MESSAGE_CDR, bytes, len,
		      1, 1000);
}

static void open_view(void)
{
	static const char *const publish[] = { "/cmd_vel", NULL };
	const struct board_config config = { .memory = 1 << 20,
					     .replay = true };
	union message m;

	view.board = board_create(&config);
	if (!view.board || actions_open(&view.actions, loop_create(), take,
					NULL) ||
	    pictures_open(&view.pictures, view.board, changed, NULL))
		abort();
	view.name = view.session = "fuzz";
	view.assets = "/nonexistent";
	view.publish = publish;
	view.publish_age = 300;
	view.control = view.replaying = true;
	memset(&m, 0, sizeof(m));
	m.odometry.pose.orientation[3] = 1;
	put("/odom", MESSAGE_ODOMETRY, &m);
	memset(&m, 0, sizeof(m));
	put("/image", MESSAGE_COMPRESSED_IMAGE, &m);
	memset(&m, 0, sizeof(m));
	put("/scan", MESSAGE_LASER_SCAN, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct peer_ops *const ops[] = {
		&foxglove_sdk_ops, &foxglove_websocket_ops, &browser_ops,
	};
	struct peer *p;

	if (!view.board)
		open_view();
	if (!size)
		return 0;
	p = peer_create(ops[*data % 3], &view, 1, "fuzz");
	if (!p)
		return 0;
	p->authorised = true;
	p->ops->opened(p);
	data++;
	size--;
	while (size > 2 && !p->failed) {
		size_t n = data[0] | (data[1] & 0x7f) << 8;
		const bool binary = data[1] & 0x80;

		data += 2;
		size -= 2;
		if (n > size)
			n = size;
		p->ops->received(p, data, n, binary);
		drain(p, 50);
		data += n;
		size -= n;
	}
	if (p->queued > PEER_QUEUE + (1 << 20))
		abort();
	peer_destroy(p);
	return 0;
}
