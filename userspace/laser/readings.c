// SPDX-License-Identifier: GPL-2.0-only
/*
 * readings - detect the format of a log, and do what all formats have in common
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "laser/readings_ops.h"

/* The first match is used; CARMEN accepts any line, the others do not */
static const struct readings_ops *const formats[] = {
	&rawlog_ops, &simbad_ops, &tinyslam_ops, &carmen_ops,
};

/* A path that is too long is shown by its end */
enum { PATH_SHOWN = 120, TEXT_SHOWN = ERROR_TEXT - PATH_SHOWN - 8 };

int readings_error(struct error *error, const char *path, int err,
		   const char *format, ...)
{
	const size_t n = strlen(path);
	char text[TEXT_SHOWN] = "";
	va_list args;

	if (format) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
	}
	error_set(error, 0, "%s%s: %s", n > PATH_SHOWN ? "..." : "",
		 n > PATH_SHOWN ? path + n - PATH_SHOWN : path,
		 format ? text : strerror(-err));
	/* a file name may contain any character */
	for (char *p = error->text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = '?';
	return err;
}

int readings_line(struct readings *r, char **text, size_t *len,
		  struct error *error)
{
	int ret;

	for (;;) {
		ret = lines_next(&r->lines, text, len);
		if (ret == -EMSGSIZE) {
			r->count.bad++;
			continue;
		}
		if (ret < 0)
			return readings_error(error, r->path, ret, NULL);
		if (!ret || strspn(*text, " \t") < *len)
			return ret;
	}
}

bool readings_ranges(struct readings *r, const char **at, unsigned int count)
{
	double v;

	for (unsigned int i = 0; i < count; i++) {
		if (!number_read(at, &v))
			return false;
		/*
		 * a value beyond the range of a float is far away in any case
		 */
		r->range[i] = fabs(v) > READING_RANGE_MAX ? INFINITY : v;
	}
	return true;
}

static int readings_find_text(struct readings *r, struct error *error)
{
	const char *head;
	size_t len;
	int err = lines_head(&r->lines, &head, &len);

	if (err)
		return readings_error(error, r->path, err, NULL);
	if (!len)
		return readings_error(error, r->path, -ENODATA, "is empty");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && !r->ops;
	     i++)
		if (formats[i]->probe(head, len))
			r->ops = formats[i];
	err = r->ops ? lines_rewind(&r->lines) : 0;
	return err ? readings_error(error, r->path, err, NULL) : 0;
}

/* Detect the format. Return: 0 and, if it is a text, @lines are open */
static int readings_find(struct readings *r, struct error *error)
{
	int err = lines_open(&r->lines, r->path);

	if (err == -EINVAL)
		return readings_error(error, r->path, err,
				      "is neither a file nor a folder");
	if (err && err != -EISDIR)
		return readings_error(error, r->path, err, NULL);
	if (!err) {
		r->count.size = r->lines.size;
		err = readings_find_text(r, error);
		if (err || !r->ops || !r->ops->text)
			lines_close(&r->lines);
		if (err)
			return err;
	}
	if (!r->ops)
		r->ops = &bag_readings_ops;
	return 0;
}

/* Options for recordings, but the log is none */
static int check_topics(const struct readings *r, struct error *error)
{
	const char *topic = r->config.scan ? r->config.scan :
			    r->without ? NULL : r->config.odometry;

	if (r->ops == &bag_readings_ops || !topic)
		return 0;
	return readings_error(error, r->path, -EINVAL,
			      "is not a recording and has no topic %.60s",
			      topic);
}

/* Make the struct of the format, with the contents of @found */
static int readings_make(struct readings **log, const struct readings *found)
{
	struct readings *r = calloc(1, found->ops->size);

	if (r) {
		*r = *found;
		r->range = malloc(READING_BEAMS_MAX * sizeof(*r->range));
	}
	if (!r || !r->range) {
		if (found->ops->text)
			lines_close((struct lines *)&found->lines);
		free(r);
		free(found->path);
		return -ENOMEM;
	}
	*log = r;
	return 0;
}

int readings_open(struct readings **log, const char *path,
		  const struct readings_config *config,
		  struct error *error)
{
	struct readings found = { .path = strdup(path) }, *r;
	int err;

	if (!found.path)
		return readings_error(error, path, -ENOMEM, NULL);
	if (config)
		found.config = *config;
	err = readings_find(&found, error);
	if (err) {
		free(found.path);
		return err;
	}
	if (readings_make(&r, &found))
		return readings_error(error, path, -ENOMEM, NULL);
	r->without = r->config.odometry &&
		     !strcmp(r->config.odometry, READINGS_NO_ODOMETRY);
	err = check_topics(r, error);
	if (!err && r->ops->open)
		err = r->ops->open(r, error);
	if (err) {
		readings_close(r);
		return err;
	}
	*log = r;
	return 0;
}

/* A text has odometry, but it is not wanted */
static void forget_odometry(struct readings *r, struct reading *reading)
{
	const struct pose none = { 0, 0, 0 };

	reading->odometry = reading->sweep = none;
	r->count.standing += r->ops != &bag_readings_ops && reading->beams;
}

int readings_next(struct readings *r, struct reading *reading,
		  struct error *error)
{
	int ret;

	for (;;) {
		*reading = (struct reading){ .range = r->range };
		ret = r->ops->next(r, reading, error);
		if (ret != 1)
			return ret;
		if (r->config.range_max > 0)
			reading->range_max =
				readings_range_max(r->config.range_max);
		if (r->config.laser)
			reading->laser = *r->config.laser;
		if (r->without)
			forget_odometry(r, reading);
		if (reading_valid(reading))
			break;
		r->count.bad++;
	}
	r->count.backwards += r->begun && reading->stamp < r->last;
	r->last = reading->stamp;
	r->begun = true;
	return 1;
}

void readings_count(const struct readings *r, struct readings_count *count)
{
	*count = r->count;
	if (r->ops->progress)
		r->ops->progress(r, count);
	else
		count->bytes = r->lines.bytes;
}

void readings_close(struct readings *r)
{
	if (!r)
		return;
	if (r->ops->close)
		r->ops->close(r);
	if (r->ops->text)
		lines_close(&r->lines);
	free(r->range);
	free(r->path);
	free(r);
}
