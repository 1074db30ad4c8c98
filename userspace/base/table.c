// SPDX-License-Identifier: GPL-2.0-only
/*
 * table - text files of numbers, one row per line
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/lines.h"
#include "base/table.h"

int table_error(struct error *error, const char *path,
		unsigned long number, int err, const char *text)
{
	const size_t most = 120, n = strlen(path);
	char at[24] = "";

	if (number)
		snprintf(at, sizeof(at), ":%lu", number);
	error_set(error, 0, "%s%s%s: %.90s", n > most ? "..." : "",
		 n > most ? path + n - most : path, at,
		 text ? text : strerror(-err));
	/* a file name may contain any character */
	for (char *p = error->text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = '?';
	return err;
}

static int table_read_all(struct lines *l, const char *path,
			  const char *columns,
			  int (*line)(const char *text, void *arg), void *arg,
			  struct error *error)
{
	char what[80], *text;
	size_t len;
	int ret;

	snprintf(what, sizeof(what), "is not %s", columns);
	while ((ret = lines_next(l, &text, &len)) == 1) {
		const size_t space = strspn(text, " \t");

		if (space == len || text[space] == '#')
			continue;
		while (text[len - 1] == ' ' || text[len - 1] == '\t')
			text[--len] = '\0';
		/* a line with a 0 in it is not text */
		ret = strlen(text) == len ? line(text + space, arg) : -EINVAL;
		if (ret)
			break;
	}
	if (ret == -EMSGSIZE)
		ret = -EINVAL;
	return ret >= 0 ? 0 :
	       table_error(error, path, l->number, ret,
			   ret == -EINVAL ? what :
			   ret == -E2BIG ? "too many lines" : NULL);
}

int table_read(const char *path, const char *columns,
	       int (*line)(const char *text, void *arg), void *arg,
	       struct error *error)
{
	struct lines l;
	int err = lines_open(&l, path);

	if (err)
		return table_error(error, path, 0, err, err == -EINVAL ?
				   "is not a regular file" : NULL);
	err = table_read_all(&l, path, columns, line, arg, error);
	lines_close(&l);
	return err;
}
