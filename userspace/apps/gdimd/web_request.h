/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * web_request.h - the target of a request: the parts of its path and its
 * parameters, decoded
 */
#ifndef APPS_GDIMD_WEB_REQUEST_H
#define APPS_GDIMD_WEB_REQUEST_H

#include "base/error.h"

enum {
	WEB_PARTS	= 8,
	WEB_TEXT	= 2048,		/* bytes of path and parameters */
};

/**
 * struct web_request
 * @part:	of the path, between slashes
 * @name, @value: of parameters; names are unique
 */
struct web_request {
	unsigned int	parts, parameters;
	const char	*part[WEB_PARTS];
	const char	*name[WEB_PARTS], *value[WEB_PARTS];
	char		text[WEB_TEXT];
};

/**
 * web_request_parse() - parse a target
 * @path:	begins with a slash
 * @query:	after the question mark, or NULL
 * @error:	gets one line
 *
 * Return: 0, -EINVAL.
 */
int web_request_parse(struct web_request *r, const char *path,
		      const char *query, struct error *error);

/* The value of a parameter; NULL: not given */
const char *web_request_value(const struct web_request *r, const char *name);

/* A required parameter. Return: 0; -EINVAL, one line in @error */
int web_request_number(const struct web_request *r, const char *name,
		       double min, double max, double *v,
		       struct error *error);

/**
 * web_request_only() - refuse other parameters
 * @names: separated by spaces; "": none
 *
 * Return: 0; -EINVAL, one line in @error.
 */
int web_request_only(const struct web_request *r, const char *names,
		     struct error *error);

#endif
