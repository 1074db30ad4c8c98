/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - what goes in front of each payload between members
 */
#ifndef CLUSTER_FRAME_H
#define CLUSTER_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* How workers come and go: HELLO, WELCOME, READY, IN; then LEAVE, OUT or BYE */
enum frame_kind {
	FRAME_DATA,
	FRAME_HELLO,	/* worker: struct hello; @value: where to answer */
	FRAME_WELCOME,	/* @to is its id, @epoch the coordinator's; @value: the
			 * window
			 */
	FRAME_REFUSED,	/* payload: why */
	FRAME_READY,	/* worker: can be reached by its id */
	FRAME_IN,	/* from here on messages are for it */
	FRAME_LEAVE,	/* worker: closes */
	FRAME_OUT,	/* no member, or no more; payload: why */
	FRAME_GONE,	/* @value: the id of a worker that is gone */
	FRAME_BYE,	/* coordinator: closes */
	FRAME_BEAT,
	FRAME_CREDIT,	/* @value: bytes that were taken so far */
	FRAME_KINDS
};

enum {
	FRAME_SIZE	= 32,
	FRAME_TEXT	= 200,	/* bytes of a text, at most */
};

#define FRAME_ALL	UINT32_MAX	/* @to of a broadcast */

/**
 * struct frame - the header
 * @epoch:	of the coordinator: another one for each connection it makes
 */
struct frame {
	enum frame_kind	kind;
	uint16_t	type;
	uint32_t	from;
	uint32_t	to;
	uint64_t	epoch;
	uint64_t	value;
};

/**
 * struct hello - what a worker says of itself
 * @id:		that it wants; 0: any
 * @old_epoch:	and @old_id: what it was before
 */
struct hello {
	uint32_t	protocol;
	uint32_t	id;
	uint64_t	old_epoch;
	uint32_t	old_id;
	char		build[64];
	char		name[64];
};

enum { FRAME_HELLO_SIZE = 20 + 2 * 64 };

void frame_write(uint8_t out[FRAME_SIZE], const struct frame *f);
/* Return: 0, or -EBADMSG: another protocol, or no header at all */
int frame_read(const uint8_t *in, size_t len, struct frame *f);

void frame_write_hello(uint8_t out[FRAME_HELLO_SIZE], const struct hello *h);
/* Texts end, and are printable. Return: 0 or -EBADMSG. */
int frame_read_hello(const uint8_t *in, size_t len, struct hello *h);

/* A text from elsewhere, for people: cut, printable */
void frame_text(char *out, size_t size, const void *in, size_t len);

#endif
