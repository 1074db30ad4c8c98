/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - the header of each payload between members
 */
#ifndef CLUSTER_FRAME_H
#define CLUSTER_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* Workers join by HELLO, WELCOME, READY, IN; and leave by LEAVE, OUT or BYE */
enum frame_kind {
	FRAME_DATA,
	FRAME_HELLO,	/* worker: struct hello; @value: its address */
	FRAME_WELCOME,	/* @to is its id, @epoch the coordinator's; @value: the
			 * window
			 */
	FRAME_REFUSED,	/* payload: reason */
	FRAME_READY,	/* worker: reachable by its id */
	FRAME_IN,	/* from here on messages are for it */
	FRAME_LEAVE,	/* worker: leaves */
	FRAME_OUT,	/* not a member any more; payload: reason */
	FRAME_GONE,	/* @value: the id of a lost worker */
	FRAME_BYE,	/* coordinator: closes */
	FRAME_BEAT,
	FRAME_CREDIT,	/* @value: bytes received so far */
	FRAME_KINDS
};

enum {
	FRAME_SIZE	= 32,
	FRAME_TEXT	= 200,	/* bytes of a text, at most */
};

#define FRAME_ALL	UINT32_MAX	/* @to of a broadcast */

/**
 * struct frame - the header
 * @epoch:	of the coordinator: new for each of its connections
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
 * struct hello - a worker that wants to join
 * @id:		requested id; 0: any
 * @old_epoch:	and @old_id: its last membership
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
/* Terminates texts; they are printable. Return: 0 or -EBADMSG. */
int frame_read_hello(const uint8_t *in, size_t len, struct hello *h);

/* A text from another machine, for display: cut, printable */
void frame_text(char *out, size_t size, const void *in, size_t len);

#endif
