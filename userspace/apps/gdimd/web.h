/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web.h - the daemon's HTTP: see Documentation/gdim-http.md
 *
 * What only looks is answered in threads of the server, from the site; what
 * changes something, or asks what only the loop knows, in the loop.
 */
#ifndef APPS_GDIMD_WEB_H
#define APPS_GDIMD_WEB_H

#include <stdint.h>

struct gdimd;
struct web;

/**
 * web_open() - listen where the configuration says, if it does
 * @w:		NULL if it does not
 * @error:	gets one line
 *
 * SIGPIPE is ignored from now on.
 *
 * Return: 0 or a negative errno.
 */
int web_open(struct web **w, struct gdimd *g, char error[256]);

/* Before what it looks at is closed */
void web_close(struct web *w);

/* Requests that were answered with an error; NULL is allowed */
uint64_t web_refused(const struct web *w);

#endif
