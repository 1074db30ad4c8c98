/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pictures.h - a thread that converts what browsers want to see
 *
 * The newest message of a topic is converted once for all browsers, and only as
 * often as one of them has room for it. What they ask of the past is converted
 * for each of them.
 */
#ifndef VIEW_PICTURES_H
#define VIEW_PICTURES_H

#include "view/board.h"

enum { PICTURES_WAITING = 256 };	/* of the past */

struct pictures;

/**
 * struct picture_result - of pictures_convert()
 * @frame:	body of a frame, see browser_frame.h; NULL: it failed
 */
struct picture_result {
	uint64_t		client;
	struct view_message	*frame;
};

/* @changed: called from the thread. Return: 0 or a negative errno */
int pictures_open(struct pictures **p, struct board *b,
		  void (*changed)(void *arg), void *arg);
void pictures_close(struct pictures *p);

/**
 * pictures_newest() - the newest converted message of a topic
 *
 * Asks for a newer one if there is one. With the lock of the board, which also
 * keeps the result valid.
 *
 * Return: NULL: none yet.
 */
struct view_message *pictures_newest(struct pictures *p,
				     struct board_topic *t,
				     unsigned int number);

/* Convert a message; takes over its reference. Return: 0, -ENOSPC, -ENOMEM */
int pictures_convert(struct pictures *p, struct view_message *m,
		     uint64_t client);

/* The next result, whose frame the caller releases. Return: is there one? */
bool pictures_result(struct pictures *p, struct picture_result *r);

/* Messages that could not be converted */
uint64_t pictures_failed(const struct pictures *p);

#endif
