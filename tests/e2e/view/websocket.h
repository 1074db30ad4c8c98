/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * websocket.h - a WebSocket of tests, on a blocking socket: frames in and out
 */
#ifndef TESTS_VIEW_WEBSOCKET_H
#define TESTS_VIEW_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"

enum { WS_CONTINUE, WS_TEXT, WS_BINARY, WS_CLOSE = 8, WS_PING, WS_PONG };

/**
 * struct websocket
 * @server:	frames that it sends are not masked
 * @in:		bytes of unfinished frames
 * @message:	parts of an unfinished message, of type @type
 */
struct websocket {
	int		fd;
	bool		server;
	struct bytes	in, message;
	int		type;
};

/* Connect to HOST:PORT/PATH. Return: 0, or -1 after a line on stderr */
int websocket_connect(struct websocket *w, const char *host, const char *port,
		      const char *path, const char *protocol);

/* Answer the handshake on an accepted socket. Return: 0, -1 */
int websocket_accept(struct websocket *w, int fd);

/* Return: 0; -1: the peer is gone */
int websocket_send(struct websocket *w, int type, const void *data, size_t len);

/**
 * websocket_read() - read what is there, answer pings, call @got for messages
 * Return: 0; -1: the connection is closed.
 */
int websocket_read(struct websocket *w,
		   void (*got)(void *arg, int type, const uint8_t *data,
			       size_t len), void *arg);
void websocket_free(struct websocket *w);

#endif
