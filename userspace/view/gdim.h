/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdim.h - a client of gdimd's HTTP API (Documentation/gdim-http.md)
 *
 * A few threads fetch what pages and services ask for. One more asks for layers
 * and rooms once a second, while somebody looks.
 */
#ifndef VIEW_GDIM_H
#define VIEW_GDIM_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include "base/bytes.h"
#include "base/error.h"

enum {
	GDIM_PATH	= 1024,
	GDIM_TEXT	= 128,
	GDIM_WAITING	= 512,		/* requests */
	GDIM_BODY	= 16 << 20,	/* bytes of an answer */
};

struct gdim;

/**
 * struct gdim_result
 * @owner, @tag: of gdim_request()
 * @status:	of HTTP; 0: gdimd did not answer, @type says why
 * @type:	of the content
 * @etag:	"" if there is none
 * @body:	to be freed with bytes_free()
 */
struct gdim_result {
	uint64_t	owner, tag;
	int		status;
	char		type[GDIM_TEXT], etag[GDIM_TEXT];
	struct bytes	body;
};

/**
 * gdim_open() - start the threads
 * @url:	http://HOST:PORT, https://..., or HOST:PORT
 * @token:	file whose first line is a token; empty: none
 * @changed:	called from a thread when there is a result or a new layer
 * @error:	gets one line
 *
 * gdimd need not run yet.
 *
 * Return: 0 or a negative errno.
 */
int gdim_open(struct gdim **g, const char *url, const char *token,
	      void (*changed)(void *arg), void *arg, struct error *error);
void gdim_close(struct gdim *g);

/**
 * gdim_request() - GET
 * @path:	below /api/v1/, with its query
 * @etag:	of what the client has; "": nothing
 *
 * Return: 0; -EINVAL: not a path of the API; -ENOSPC: too many wait; -ENOMEM.
 */
int gdim_request(struct gdim *g, const char *path, const char *etag,
		 uint64_t owner, uint64_t tag);

/* Drop what this owner waits for */
void gdim_cancel(struct gdim *g, uint64_t owner);

/* The next result. Return: is there one? */
bool gdim_result(struct gdim *g, struct gdim_result *r);

/* Somebody looks at layers: keep asking for the next seconds */
void gdim_look(struct gdim *g);

/**
 * gdim_layers() - layers and rooms, as the page gets them
 * @changes:	what the caller has; gets the current number
 *
 * Return: {"layers": [...], "rooms": [...]}, to be deleted; NULL: nothing new.
 */
cJSON *gdim_layers(struct gdim *g, uint64_t *changes);

#endif
