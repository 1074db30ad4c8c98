// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader - open a recording by its content; topics and warnings
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ros/bag/reader.h"

void bag_reader_init(struct bag_reader *bag, const struct bag_reader_ops *ops)
{
	memset(bag, 0, sizeof(*bag));
	bag->ops = ops;
	bag->begin = INT64_MAX;
	bag->end = INT64_MIN;
}

void bag_reader_release(struct bag_reader *bag)
{
	for (unsigned int i = 0; i < bag->topics; i++) {
		free((char *)bag->topic[i].name);
		free((char *)bag->topic[i].type);
		free((char *)bag->topic[i].md5);
		free((char *)bag->topic[i].definition);
	}
	free(bag->topic);
}

void bag_reader_warn(struct bag_reader *bag, const char *format, ...)
{
	va_list ap;

	if (*bag->warning)
		return;
	va_start(ap, format);
	vsnprintf(bag->warning, sizeof(bag->warning), format, ap);
	va_end(ap);
}

static bool reader_is_text(const char *s, struct bag_text t)
{
	return strlen(s) == t.len && !memcmp(s, t.text, t.len);
}

/* Longer ones are no names, and no definitions anybody can use */
enum { NAME_MAX_LEN = 4096, DEFINITION_MAX_LEN = 65536 };

static int reader_add_topic(struct bag_reader *bag)
{
	if (bag->topics == BAG_TOPICS)
		return -ENOSPC;
	if (bag->topics == bag->room) {
		unsigned int room = bag->room ? 2 * bag->room : 16;
		void *p = realloc(bag->topic, room * sizeof(*bag->topic));

		if (!p)
			return -ENOMEM;
		bag->topic = p;
		bag->room = room;
	}
	memset(&bag->topic[bag->topics], 0, sizeof(*bag->topic));
	return bag->topics++;
}

int bag_reader_topic(struct bag_reader *bag, struct bag_text name,
		     struct bag_text type, enum message_format format,
		     struct bag_text md5, struct bag_text definition)
{
	struct bag_topic *t;
	int i;

	for (i = 0; i < (int)bag->topics; i++) {
		t = &bag->topic[i];
		if (reader_is_text(t->name, name) &&
		    reader_is_text(t->type, type) && t->format == format)
			return i;
	}
	if (name.len > NAME_MAX_LEN || type.len > NAME_MAX_LEN ||
	    md5.len > NAME_MAX_LEN)
		return -ENOSPC;
	if (definition.len > DEFINITION_MAX_LEN)
		definition.len = 0;
	/* what has a 0 inside is not found again, and is a topic each time */
	i = reader_add_topic(bag);
	if (i < 0)
		return i;
	t = &bag->topic[i];
	t->format = format;
	t->name = strndup(name.text, name.len);
	t->type = strndup(type.text, type.len);
	if (md5.len)
		t->md5 = strndup(md5.text, md5.len);
	if (definition.len)
		t->definition = strndup(definition.text, definition.len);
	if (t->name && t->type && (t->md5 || !md5.len) &&
	    (t->definition || !definition.len))
		return i;
	/* bag_reader_release() frees what there is of it */
	return -ENOMEM;
}

int bag_open(struct bag_reader **bag, const char *path)
{
	static const char mcap[] = "\x89MCAP0\r\n", rosbag[] = "#ROSBAG V2.0\n",
		sqlite[] = "SQLite format 3";
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = -EPROTONOSUPPORT;
	char magic[16];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
		goto out;
	}
	if (S_ISDIR(st.st_mode)) {
		err = folder_open(bag, path);
		goto out;
	}
	n = pread(fd, magic, sizeof(magic), 0);
	if (n < 0)
		err = -errno;
	else if (n >= 8 && !memcmp(magic, mcap, 8))
		return mcap_open(bag, fd, st.st_size);
	else if (n >= 13 && !memcmp(magic, rosbag, 13))
		return rosbag_open(bag, fd, st.st_size);
	else if (n == 16 && !memcmp(magic, sqlite, 16))
		err = db3_open(bag, path);
out:
	close(fd);
	return err;
}

void bag_close(struct bag_reader *bag)
{
	if (bag)
		bag->ops->close(bag);
}

const struct bag_topic *bag_topics(const struct bag_reader *bag,
				   unsigned int *count)
{
	*count = bag->topics;
	return bag->topic;
}

bool bag_span(const struct bag_reader *bag, int64_t *begin, int64_t *end)
{
	*begin = bag->begin;
	*end = bag->end;
	return bag->begin <= bag->end;
}

int bag_next(struct bag_reader *bag, struct bag_message *msg)
{
	return bag->ops->next(bag, msg);
}

int bag_rewind(struct bag_reader *bag)
{
	return bag->ops->rewind(bag);
}

int bag_seek(struct bag_reader *bag, int64_t stamp)
{
	return bag->ops->seek(bag, stamp);
}

int bag_before(struct bag_reader *bag, unsigned int topic,
	       struct bag_place *place, struct bag_message *msg)
{
	return topic < bag->topics ?
	       bag->ops->before(bag, topic, place, msg) : 0;
}

const char *bag_warning(const struct bag_reader *bag)
{
	return *bag->warning ? bag->warning : NULL;
}

uint64_t bag_lost(const struct bag_reader *bag)
{
	return bag->lost;
}
