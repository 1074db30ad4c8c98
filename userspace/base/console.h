/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * console.h - a local socket for requests to a running daemon
 *
 * A line is a request, a JSON object with "do"; a line is the answer, a JSON
 * object with "ok", and "error" if that is false. A line that is too long ends
 * the connection.
 */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "base/loop.h"

struct console;

/**
 * console_open() - listen
 * @path:	of the socket; its folder is made. Owner and group, who may
 *		write
 *		there, may connect. A stale socket of a killed daemon is
 *		replaced, one that accepts connections is not
 * @request:	executes @command; fills @answer. Return: 0, or a negative errno
 *		and a line in @error
 * @error:	gets one line
 *
 * Return: 0, -EADDRINUSE: another daemon runs; other errors.
 */
int console_open(struct console **c, struct loop *l, const char *path,
		 int (*request)(void *arg, const char *command,
				const cJSON *parameters, cJSON *answer,
				struct error *error),
		 void *arg, struct error *error);

/**
 * console_open_usual() - console_open(), where the user said or where clients
 * look
 * @given:	path, or "": nothing was said
 * @name:	of the usual path, see base/socket_path.h
 *
 * A daemon works without its usual socket: another one of its kind may have it.
 *
 * Return: 0; 1: there is no usual socket, with the reason in @error; or a
 * negative errno: @given cannot be opened.
 */
int console_open_usual(struct console **c, struct loop *l, const char *given,
		       const char *name,
		       int (*request)(void *arg, const char *command,
				      const cJSON *parameters, cJSON *answer,
				      struct error *error),
		       void *arg, struct error *error);
void console_close(struct console *c);

/**
 * console_later() - answer the current request later
 *
 * Called within @request, which then returns 0 and leaves its answer empty. The
 * client is not read until then; others are. The request must copy its
 * parameters.
 *
 * Return: for console_answer(), before console_close(); NULL: no memory.
 */
struct console_call *console_later(struct console *c);

/* In the loop. @answer: ownership passes; @error: one line, if @err is not 0 */
void console_answer(struct console_call *k, int err, cJSON *answer,
		    const char *error);

/* Requests that were answered with an error; NULL is allowed */
uint64_t console_refused(const struct console *c);

#endif
