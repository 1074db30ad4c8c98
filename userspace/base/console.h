/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * console.h - a local socket on which a running daemon is asked and told
 *
 * A line is a request, a JSON object with "do"; a line is the answer, a JSON
 * object with "ok", and "error" if that is false. After a line that is too long
 * the talk ends.
 */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include <cjson/cJSON.h>
#include "base/loop.h"

struct console;

/**
 * console_open() - listen
 * @path:	of the socket; its folder is made. Who may connect is who may
 *		write there: owner and group. One that a killed daemon left is
 *		replaced, one that is answered on is not
 * @request:	does what @command says; puts what it has to say into @answer.
 *		Return: 0, or a negative errno and @error says why
 * @error:	gets one line
 *
 * Return: 0, -EADDRINUSE: another one runs, others.
 */
int console_open(struct console **c, struct loop *l, const char *path,
		 int (*request)(void *arg, const char *command,
				const cJSON *parameters, cJSON *answer,
				char error[256]),
		 void *arg, char error[256]);
void console_close(struct console *c);

/**
 * console_later() - the request that is being asked is answered later
 *
 * Within @request, which then returns 0 and leaves its answer empty. The client
 * is not read until then; others are. Parameters are to be copied.
 *
 * Return: for console_answer(), before console_close(); NULL: no memory.
 */
struct console_call *console_later(struct console *c);

/* In the loop. @answer: is taken; @error: one line, if @err is not 0 */
void console_answer(struct console_call *k, int err, cJSON *answer,
		    const char *error);

/* Requests that were answered with an error; NULL is allowed */
uint64_t console_refused(const struct console *c);

#endif
