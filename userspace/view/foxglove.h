/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foxglove.h - the Foxglove WebSocket protocol
 *
 * Both sub-protocols, foxglove.websocket.v1 (ws-protocol, docs/spec.md) and
 * foxglove.sdk.v1 (foxglove-sdk), have the same messages. The second one also
 * controls replays.
 *
 * A topic is channel 2 I + 1, its kept messages channel 2 I + 2, where I is its
 * number on the board. The band is a channel of JSON.
 */
#ifndef VIEW_FOXGLOVE_H
#define VIEW_FOXGLOVE_H

#include "view/peer.h"

enum {
	FOXGLOVE_BAND	= 2 * BOARD_TOPICS + 1,
	FOXGLOVE_IDS,				/* channels end before */
	FOXGLOVE_CHANNELS = 16,			/* that a client publishes */
};

extern const struct peer_ops foxglove_sdk_ops, foxglove_websocket_ops;

#endif
