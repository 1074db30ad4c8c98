// SPDX-License-Identifier: GPL-2.0-only
/*
 * websocket - a WebSocket of tests (RFC 6455), on a blocking socket
 */
#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "websocket.h"

static int write_all(int fd, const void *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n <= 0)
			return -1;
		data = (const char *)data + n;
		len -= n;
	}
	return 0;
}

/* A head of HTTP, up to the empty line. Return: its length, or -1 */
static int read_head(int fd, char *text, size_t room)
{
	size_t n = 0;

	while (n + 1 < room && read(fd, text + n, 1) == 1) {
		text[++n] = 0;
		if (n >= 4 && !strcmp(text + n - 4, "\r\n\r\n"))
			return n;
	}
	return -1;
}

int websocket_connect(struct websocket *w, const char *host, const char *port,
		      const char *path, const char *protocol)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *a;
	char head[4096];

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	if (!getaddrinfo(host, port, &hints, &a)) {
		w->fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
		if (connect(w->fd, a->ai_addr, a->ai_addrlen)) {
			close(w->fd);
			w->fd = -1;
		}
		freeaddrinfo(a);
	}
	if (w->fd < 0) {
		fprintf(stderr, "%s:%s: %s\n", host, port, strerror(errno));
		return -1;
	}
	snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\nHost: %s:%s\r\n"
		 "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
		 "Sec-WebSocket-Version: 13\r\n"
		 "Sec-WebSocket-Protocol: %s\r\n\r\n", path, host, port,
		 protocol);
	if (write_all(w->fd, head, strlen(head)) ||
	    read_head(w->fd, head, sizeof(head)) < 0 ||
	    strncmp(head, "HTTP/1.1 101", 12)) {
		fprintf(stderr, "%s:%s: handshake: %.40s\n", host, port, head);
		return -1;
	}
	return 0;
}

int websocket_accept(struct websocket *w, int fd)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	char head[4096], key[128], hash[64], protocol[128] = "";
	unsigned char sum[20];
	const char *at;

	*w = (struct websocket){ .fd = fd, .server = true };
	if (read_head(fd, head, sizeof(head)) < 0)
		return -1;
	at = strcasestr(head, "Sec-WebSocket-Key: ");
	if (!at || sscanf(at + 19, "%60s", key) != 1)
		return -1;
	at = strcasestr(head, "Sec-WebSocket-Protocol: ");
	if (at)
		sscanf(at + 24, "%100[^\r\n, ]", protocol);
	strcat(key, guid);
	lws_SHA1((unsigned char *)key, strlen(key), sum);
	lws_b64_encode_string((char *)sum, sizeof(sum), hash, sizeof(hash));
	snprintf(head, sizeof(head), "HTTP/1.1 101 Switching Protocols\r\n"
		 "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		 "Sec-WebSocket-Accept: %s\r\n"
		 "Sec-WebSocket-Protocol: %s\r\n\r\n", hash, protocol);
	return write_all(fd, head, strlen(head));
}

int websocket_send(struct websocket *w, int type, const void *data, size_t len)
{
	static const uint8_t mask[4] = { 1, 2, 3, 4 };
	uint8_t head[14] = { 0x80 | type }, masked[4096];
	size_t n = 2;

	if (len < 126) {
		head[1] = len;
	} else if (len < 65536) {
		head[1] = 126;
		head[2] = len >> 8;
		head[3] = len;
		n = 4;
	} else {
		head[1] = 127;
		for (unsigned int i = 0; i < 8; i++)
			head[2 + i] = (uint64_t)len >> (56 - 8 * i);
		n = 10;
	}
	if (!w->server) {
		head[1] |= 0x80;
		memcpy(head + n, mask, 4);
		n += 4;
	}
	if (write_all(w->fd, head, n))
		return -1;
	if (w->server)
		return write_all(w->fd, data, len);
	for (size_t at = 0; at < len; at += sizeof(masked)) {
		const size_t k = len - at < sizeof(masked) ? len - at :
				 sizeof(masked);

		for (size_t i = 0; i < k; i++)
			masked[i] = ((const uint8_t *)data)[at + i] ^
				    mask[(at + i) % 4];
		if (write_all(w->fd, masked, k))
			return -1;
	}
	return 0;
}

/* Return: bytes of a whole frame at the front of @in, or 0 */
static size_t whole_frame(const struct bytes *in, size_t *at, size_t *len)
{
	const uint8_t *d = in->data;
	size_t head = 2;
	uint64_t n;

	if (in->len < 2)
		return 0;
	n = d[1] & 127;
	if (n == 126)
		head = 4;
	else if (n == 127)
		head = 10;
	if (in->len < head)
		return 0;
	if (head > 2)
		for (n = 0, *at = 2; *at < head; ++*at)
			n = n << 8 | d[*at];
	if (d[1] & 128)
		head += 4;
	*at = head;
	*len = n;
	return in->len >= head + n ? head + n : 0;
}

static int take_frame(struct websocket *w, uint8_t *data, size_t len,
		      uint8_t first,
		      void (*got)(void *arg, int type, const uint8_t *data,
				  size_t len), void *arg)
{
	const int type = first & 15;

	if (type == WS_CLOSE)
		return -1;
	if (type == WS_PING)
		return websocket_send(w, WS_PONG, data, len);
	if (type == WS_PONG)
		return 0;
	if (type)
		w->type = type;
	if (bytes_append(&w->message, data, len))
		return -1;
	if (first & 0x80) {
		got(arg, w->type, w->message.data, w->message.len);
		w->message.len = 0;
	}
	return 0;
}

int websocket_read(struct websocket *w,
		   void (*got)(void *arg, int type, const uint8_t *data,
			       size_t len), void *arg)
{
	uint8_t part[65536];
	const ssize_t n = read(w->fd, part, sizeof(part));
	size_t whole, at, len;

	if (n <= 0 || bytes_append(&w->in, part, n))
		return -1;
	while ((whole = whole_frame(&w->in, &at, &len))) {
		uint8_t *data = w->in.data + at;

		if (w->in.data[1] & 128)
			for (size_t i = 0; i < len; i++)
				data[i] ^= w->in.data[at - 4 + i % 4];
		if (take_frame(w, data, len, w->in.data[0], got, arg))
			return -1;
		bytes_consume(&w->in, whole);
	}
	return 0;
}

void websocket_free(struct websocket *w)
{
	if (w->fd >= 0)
		close(w->fd);
	bytes_free(&w->in);
	bytes_free(&w->message);
}
