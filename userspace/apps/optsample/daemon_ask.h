/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * daemon_ask.h - a question to a running daemon, through its socket
 */
#ifndef APPS_OPTSAMPLE_DAEMON_ASK_H
#define APPS_OPTSAMPLE_DAEMON_ASK_H

#include <cjson/cJSON.h>

/**
 * daemon_ask() - send a line, receive the answer
 * @line: a request, see base/console.h
 * @answer: gets it; NULL: there was none. Free with cJSON_Delete()
 *
 * Return: 0, or a negative errno after one line on stderr: no daemon listens.
 */
int daemon_ask(const char *path, const char *line, cJSON **answer);

/* Of an answer; 0 and "" if it is missing or of another type */
double daemon_number(const cJSON *o, const char *name);
const char *daemon_text(const cJSON *o, const char *name);

#endif
