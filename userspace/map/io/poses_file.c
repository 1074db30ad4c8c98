// SPDX-License-Identifier: GPL-2.0-only
/*
 * poses_file - read poses of submaps from text
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "base/error.h"
#include "map/fusion/index.h"
#include "map/io/poses_file.h"

struct reader {
	const char		*path;
	unsigned int		number;		/* line number */
	bool			named;		/* the line of names was seen */
	struct index		seen;
	unsigned int		room;
	struct poses_file	*out;
	struct error		*error;
};

static int wrong(const struct reader *r, const char *what)
{
	return error_set(r->error, -EINVAL, "%s:%u: %s", r->path, r->number,
			 what);
}

static char *poses_file_skip(char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Parse a number and the separator after it: a comma, or space */
static bool poses_file_number(char **at, double *v)
{
	char *p = poses_file_skip(*at), *end;

	*v = strtod(p, &end);
	if (end == p)
		return false;
	p = poses_file_skip(end);
	if (*p == ',' || *p == ';')
		p++;
	else if (*p && p == end)
		return false;
	*at = p;
	return true;
}

static int poses_file_grow(struct reader *r)
{
	const unsigned int more = r->room ? 2 * r->room : 256;
	void *p;

	if (r->out->count < r->room)
		return 0;
	if (r->out->count == POSES_FILE_MAX)
		return wrong(r, "too many poses");
	p = realloc(r->out->line, more * sizeof(*r->out->line));
	if (!p)
		return wrong(r, "out of memory");
	r->out->line = p;
	r->room = more;
	return 0;
}

static int poses_file_add(struct reader *r, double index,
			  const struct pose *pose)
{
	int err;

	if (!(index >= 0 && index <= POSES_FILE_MAX) || index != floor(index))
		return wrong(r, "submap index must be 0, 1, 2, ...");
	if (!pose_valid(pose))
		return wrong(r, "pose out of range");
	if (index_find(&r->seen, index) != INDEX_NONE)
		return wrong(r, "duplicate submap index");
	err = poses_file_grow(r);
	if (!err && index_add(&r->seen, index, r->out->count))
		err = wrong(r, "out of memory");
	if (err)
		return err;
	r->out->line[r->out->count].index = index;
	assert(index_find(&r->seen, index) == r->out->count);
	r->out->line[r->out->count++].pose = *pose;
	return 0;
}

/* A line of column names: a letter at the beginning, also in quotes */
static bool is_names(const char *p)
{
	p += *p == '"';
	return (isalpha((unsigned char)*p) || *p == '_') &&
	       strncasecmp(p, "nan", 3) && strncasecmp(p, "inf", 3);
}

static int poses_file_read_line(struct reader *r, char *text)
{
	struct pose pose;
	double index;
	char *p;

	/* UTF-8 byte order mark */
	if (r->number == 1 && !strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	p = poses_file_skip(text);
	if (!*p || *p == '#')
		return 0;
	if (!r->out->count && !r->named && is_names(p)) {
		r->named = true;
		return 0;
	}
	if (!poses_file_number(&p, &index) || !poses_file_number(&p, &pose.x) ||
	    !poses_file_number(&p, &pose.y) ||
	    !poses_file_number(&p, &pose.yaw) || *p)
		return wrong(r, "expected index,x,y,theta");
	return poses_file_add(r, index, &pose);
}

static int poses_file_read_all(struct reader *r, FILE *f)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&text, &room, f)) >= 0) {
		r->number++;
		err = strlen(text) == (size_t)len ?
			      poses_file_read_line(r, text) :
			      wrong(r, "not a text file");
	}
	if (!err && ferror(f)) {
		err = error_set(r->error, -errno, "%s: %s", r->path,
				strerror(errno));
	}
	free(text);
	if (!err && !r->out->count)
		err = wrong(r, "no poses");
	return err;
}

int poses_file_read(const char *path, struct poses_file *p,
		    struct error *error)
{
	struct reader r = { .path = path, .out = p, .error = error };
	FILE *f = fopen(path, "re");
	int err;

	*p = (struct poses_file){ 0 };
	if (!f) {
		err = -errno;
		return error_set(error, err, "%s: %s", path, strerror(-err));
	}
	err = poses_file_read_all(&r, f);
	fclose(f);
	index_free(&r.seen);
	if (err)
		poses_file_free(p);
	return err;
}

void poses_file_free(struct poses_file *p)
{
	free(p->line);
	*p = (struct poses_file){ 0 };
}
