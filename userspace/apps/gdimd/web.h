/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web.h - HTTP of the daemon: see Documentation/gdim-http.md
 *
 * Queries of the site are answered in threads of the server. Commands, and
 * queries of state that only the loop has, run in the loop.
 */
#ifndef APPS_GDIMD_WEB_H
#define APPS_GDIMD_WEB_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

struct loop;
struct site;
struct web;

/**
 * struct web_config - where to listen, and sources of the answers
 * @where:	listen address, see http_auth_open(); empty: no server
 * @tokens:	file with tokens; empty: none
 * @site:	answers queries
 * @is_slow:	whether a command is run in a thread of the server, not the loop
 * @command:	runs a command, see gdimd_command()
 * @arg:	first argument of @command
 */
struct web_config {
	const char	*where, *tokens;
	struct loop	*loop;
	struct site	*site;
	bool		(*is_slow)(const char *name);
	int		(*command)(void *arg, const char *name,
				   const cJSON *parameters, cJSON *answer,
				   struct error *error);
	void		*arg;
};

/**
 * web_open() - start to listen
 * @w:		gets the server; NULL if none is configured
 * @error:	gets one line
 *
 * SIGPIPE is ignored from now on.
 *
 * Return: 0 or a negative errno.
 */
int web_open(struct web **w, const struct web_config *config,
	     struct error *error);

/* Call it before closing the site */
void web_close(struct web *w);

/* Requests that were answered with an error; @w may be NULL */
uint64_t web_refused(const struct web *w);

#endif
