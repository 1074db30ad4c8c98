// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_source - files of images, clouds and maps, one after the other
 *
 * A file, or a folder in the order of its names, on topics /image, /points and
 * /map, with current stamps. Unwanted files take no time.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "ros/io/file_read.h"
#include "ros/io/source_ops.h"

/* Of the kinds that files have */
static const struct {
	enum message_kind	kind;
	const char		*topic;
} file_topics[] = {
	{ MESSAGE_IMAGE, "/image" },
	{ MESSAGE_POINT_CLOUD, "/points" },
	{ MESSAGE_OCCUPANCY_GRID, "/map" },
};

enum { TOPICS = sizeof(file_topics) / sizeof(file_topics[0]) };

/**
 * struct file_source
 * @names:	of @count files in @folder; @at: the next one
 * @has:	for each topic whether there is a file, @wanted: it is
 *		subscribed
 * @open:	@reader has a file
 * @some:	a message came in this pass
 * @begin:	due time of the first message, @given: number of messages since
 * @data:	the message, serialized, kept
 */
struct file_source {
	struct source		s;
	char			*folder;
	char			**names;
	unsigned int		count, at;
	bool			has[TOPICS], wanted[TOPICS];
	struct file_reader	*reader;
	int			topic;
	bool			open, some;
	uint64_t		begin, given;
	struct loop_timer	timer;
	uint8_t			*data;
	size_t			size;
};

static struct file_source *file_source_file_of(struct source *s)
{
	return (struct file_source *)s;
}

static int file_source_topic_of(const char *path)
{
	int kind = file_read_kind(path);

	for (int i = 0; i < TOPICS; i++)
		if ((int)file_topics[i].kind == kind)
			return i;
	return -ENOENT;
}

bool file_source_knows(const char *path)
{
	return file_read_kind(path) >= 0;
}

/* Return: the path of file @i in a buffer, valid until the next call */
static const char *file_source_path_of(const struct file_source *s,
				       unsigned int i)
{
	static char path[4096];

	assert(i < s->count);
	snprintf(path, sizeof(path), "%s%s%s", s->folder ? s->folder : "",
		 s->folder ? "/" : "", s->names[i]);
	return path;
}

/*
 * Playing
 */

static int serialize(struct file_source *s, enum message_kind kind,
		     const union message *msg)
{
	long len = message_size(kind, MESSAGE_CDR, msg);
	uint8_t *data;

	if (len < 0)
		return (int)len;
	if ((size_t)len > s->size) {
		data = realloc(s->data, len + len / 4);
		if (!data)
			return -ENOMEM;
		s->data = data;
		s->size = len + len / 4;
	}
	assert((size_t)len <= s->size);
	return (int)message_write(kind, MESSAGE_CDR, msg, s->data, s->size);
}

static void file_source_give(struct file_source *s, const union message *msg,
			     int64_t stamp)
{
	struct source_message m = {
		.topic = file_topics[s->topic].topic,
		.kind = file_topics[s->topic].kind, .format = MESSAGE_CDR,
		.stamp = stamp,
	};
	int len = serialize(s, m.kind, msg);

	if (len < 0) {
		source_log(&s->s, LOG_WARNING, "%s: %s", s->names[s->at - 1],
			   strerror(-len));
		return;
	}
	m.data = s->data;
	m.len = len;
	s->some = true;
	s->s.config.message(s->s.config.arg, &m);
}

/* Open the next wanted file. Return: whether there is one */
static bool next_file(struct file_source *s)
{
	struct error error;

	while (s->at < s->count) {
		const char *path = file_source_path_of(s, s->at++);

		assert(!s->open);
		s->topic = file_source_topic_of(path);
		if (s->topic < 0 || !s->wanted[s->topic])
			continue;
		if (!file_read_open(s->reader, path, &error))
			return s->open = true;
		source_log(&s->s, LOG_WARNING, "%s", error.text);
	}
	return false;
}

static bool wants_any(const struct file_source *s)
{
	for (int i = 0; i < TOPICS; i++)
		if (s->has[i] && s->wanted[i])
			return true;
	return false;
}

/* Return: 1: a message; 0: the end of this pass */
static int read_one(struct file_source *s)
{
	int64_t stamp = io_now();
	struct error error;
	union message msg;
	int ret;

	while (s->open || next_file(s)) {
		ret = file_read_next(s->reader, stamp, &msg, &error);
		if (ret < 0)
			source_log(&s->s, LOG_WARNING, "%s", error.text);
		if (ret == 1) {
			file_source_give(s, &msg, stamp);
			return 1;
		}
		s->open = false;
	}
	return 0;
}

static void file_source_end(struct file_source *s)
{
	if (s->s.config.ended)
		s->s.config.ended(s->s.config.arg);
}

/* Due time of message number @given, without earlier delays */
static uint64_t file_source_due(struct file_source *s, uint64_t now)
{
	uint64_t at;

	if (!s->given++)
		s->begin = now;
	at = s->begin + (uint64_t)(s->given * (1e9 / s->s.config.rate));
	/* after slow reads there is no burst */
	if (at < now) {
		s->begin = now;
		s->given = 1;
		at = now;
	}
	return at;
}

static void file_source_on_play(void *arg, uint64_t now)
{
	struct file_source *s = arg;
	bool wanted = wants_any(s);

	if (wanted && read_one(s)) {
		s->timer.due = file_source_due(s, now);
		return;
	}
	/* a pass without a message would repeat at once */
	if (!s->s.config.loop || (wanted && !s->some)) {
		file_source_end(s);
		return;
	}
	s->at = 0;
	s->some = false;
	s->timer.due = wanted ? now : file_source_due(s, now);
}

static void file_source_on_first(void *arg, uint64_t now)
{
	struct file_source *s = arg;

	(void)now;
	s->timer.expired = file_source_on_play;
	s->timer.due = 0;
	for (int i = 0; i < TOPICS && s->s.config.found; i++)
		if (s->has[i] && !s->wanted[i])
			s->s.config.found(s->s.config.arg,
					  file_topics[i].topic,
					  file_topics[i].kind);
}

/*
 * Operations
 */

static void file_source_close(struct source *source)
{
	struct file_source *s = file_source_file_of(source);

	if (s->timer.expired)
		loop_remove_timer(s->s.loop, &s->timer);
	file_read_destroy(s->reader);
	for (unsigned int i = 0; i < s->count; i++)
		free(s->names[i]);
	free(s->names);
	free(s->folder);
	free(s->data);
	free(s);
}

static int known(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	/* a map is detected by its .yaml, but .pgm is known anyway */
	return *e->d_name != '.' && dot && file_read_kind(e->d_name) >= 0;
}

/* strcmp(): the same order everywhere, whatever the locale */
static int file_source_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int list_folder(struct file_source *s, const char *path)
{
	struct dirent **all = NULL;
	int n = scandir(path, &all, known, file_source_by_name), err = 0;

	if (n < 0)
		return -errno;
	s->folder = strdup(path);
	s->names = calloc(n + 1, sizeof(*s->names));
	for (int i = 0; i < n; i++) {
		if (s->names && s->folder)
			s->names[s->count] = strdup(all[i]->d_name);
		if (s->names && s->names[s->count])
			s->count++;
		else
			err = -ENOMEM;
		free(all[i]);
	}
	assert((int)s->count <= n);
	free(all);
	return s->names && s->folder ? err : -ENOMEM;
}

static int list_file(struct file_source *s, const char *path)
{
	s->names = calloc(1, sizeof(*s->names));
	if (s->names)
		s->names[0] = strdup(path);
	s->count = s->names && s->names[0];
	return s->count ? 0 : -ENOMEM;
}

static int file_source_list(struct file_source *s, const char *path,
			    struct error *error)
{
	int err = file_source_knows(path) ? list_file(s, path) :
					    list_folder(s, path);

	if (err == -ENOTDIR)
		err = list_file(s, path);
	if (err)
		return error_set(error, err, "%s: %s", path, strerror(-err));
	for (unsigned int i = 0; i < s->count; i++) {
		int topic = file_source_topic_of(file_source_path_of(s, i));

		if (topic >= 0)
			s->has[topic] = true;
	}
	if (!s->count)
		return error_set(
			error, -ENOENT,
			"%s: neither a recording nor images, clouds or maps in it",
			path);
	return 0;
}

static int file_source_open(struct source **result, struct loop *loop,
			    const char *rest,
			    const struct source_config *config,
			    struct error *error)
{
	struct file_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->s.ops = &file_source_ops;
	s->s.loop = loop;
	s->s.config = *config;
	s->reader = file_read_create();
	err = s->reader ? file_source_list(s, rest, error) :
	      error_set(error, -ENOMEM, "no memory");
	if (err) {
		file_source_close(&s->s);
		return err;
	}
	s->timer.expired = file_source_on_first;
	s->timer.arg = s;
	loop_add_timer(loop, &s->timer);
	*result = &s->s;
	return 0;
}

static int file_source_subscribe(struct source *source, const char *topic,
				 int kind, bool all)
{
	struct file_source *s = file_source_file_of(source);

	(void)all;
	for (int i = 0; i < TOPICS; i++) {
		if (!s->has[i] || strcmp(file_topics[i].topic, topic))
			continue;
		if (s->wanted[i])
			return -EEXIST;
		if (kind >= 0 && kind != (int)file_topics[i].kind)
			return -EPROTOTYPE;
		s->wanted[i] = true;
		return 0;
	}
	return -ENOENT;
}

static void file_source_unsubscribe(struct source *source, const char *topic)
{
	struct file_source *s = file_source_file_of(source);

	for (int i = 0; i < TOPICS; i++)
		if (!strcmp(file_topics[i].topic, topic))
			s->wanted[i] = false;
}

const struct source_ops file_source_ops = {
	.open		= file_source_open,
	.subscribe	= file_source_subscribe,
	.unsubscribe	= file_source_unsubscribe,
	.close		= file_source_close,
};
