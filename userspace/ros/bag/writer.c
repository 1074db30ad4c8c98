// SPDX-License-Identifier: GPL-2.0-only
/*
 * writer - begin a recording; topics, errors, buffers and files
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"
#include "base/wire.h"
#include "ros/bag/writer.h"

uint8_t *bag_buffer_room(struct bag_buffer *b, size_t n)
{
	if (b->bad)
		return NULL;
	if (n > b->room - b->len) {
		size_t room = b->room ? b->room : 4096;
		void *p;

		while (room - b->len < n)
			room *= 2;
		p = realloc(b->data, room);
		if (!p) {
			b->bad = true;
			return NULL;
		}
		b->data = p;
		b->room = room;
	}
	assert(n <= b->room - b->len);
	b->len += n;
	return b->data + b->len - n;
}

void bag_buffer_put(struct bag_buffer *b, const void *data, size_t n)
{
	uint8_t *p = bag_buffer_room(b, n);

	if (p && n)
		memcpy(p, data, n);
}

void bag_buffer_put8(struct bag_buffer *b, uint8_t v)
{
	bag_buffer_put(b, &v, 1);
}

void bag_buffer_put16(struct bag_buffer *b, uint16_t v)
{
	v = htole16(v);
	bag_buffer_put(b, &v, sizeof(v));
}

void bag_buffer_put32(struct bag_buffer *b, uint32_t v)
{
	v = htole32(v);
	bag_buffer_put(b, &v, sizeof(v));
}

void bag_buffer_put64(struct bag_buffer *b, uint64_t v)
{
	v = htole64(v);
	bag_buffer_put(b, &v, sizeof(v));
}

void bag_buffer_text(struct bag_buffer *b, const char *text)
{
	size_t n = strlen(text);

	bag_buffer_put32(b, n);
	bag_buffer_put(b, text, n);
}

int bag_file_create(struct bag_file *f, const char *path)
{
	f->at = 0;
	/* never overwrite an older recording */
	f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return f->fd < 0 ? -errno : 0;
}

int bag_file_append(struct bag_file *f, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(f->fd, p + done, len - done, f->at + done);
		int err = n < 0 ? -errno : -EIO;

		if (err == -EINTR)
			continue;
		if (n <= 0) {
			/* a partial chunk is invalid; should this fail too,
			 * readers skip it
			 */
			if (ftruncate(f->fd, f->at))
				return err;
			return err;
		}
		done += n;
	}
	assert(done == len);
	f->at += len;
	return 0;
}

/* As in metadata of rosbag2 up to version 8, which all versions read */
#define QOS(durability) \
	"- history: 1\n  depth: 10\n  reliability: 1\n  durability: " \
	durability "\n" \
	"  deadline:\n    sec: 9223372036\n    nsec: 854775807\n" \
	"  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n" \
	"  liveliness: 1\n" \
	"  liveliness_lease_duration:\n    sec: 9223372036\n" \
	"    nsec: 854775807\n" \
	"  avoid_ros_namespace_conventions: false"

const char *bag_qos(const struct bag_topic *topic)
{
	return topic->latched ? QOS("1") : QOS("2");
}

enum bag_format bag_format_of(const char *path)
{
	return text_ends(path, ".mcap") ? BAG_MCAP :
	       text_ends(path, ".bag") ? BAG_ROSBAG : BAG_DB3;
}

int bag_create(struct bag_writer **bag, const char *path,
	       enum bag_format format, bool compress)
{
	switch (format) {
	case BAG_MCAP:
		return mcap_create(bag, path, compress);
	case BAG_ROSBAG:
		return rosbag_create(bag, path, compress);
	default:
		return db3_create(bag, path);
	}
}

/* An error is returned once */
static int writer_fail(struct bag_writer *bag, int err)
{
	if (err)
		bag->failed = true;
	return err;
}

static void writer_free_topic(struct bag_topic *t)
{
	free((char *)t->name);
	free((char *)t->type);
	free((char *)t->md5);
	free((char *)t->definition);
}

static char *writer_copy(const char *text)
{
	return strdup(text ? text : "");
}

static int copy_topic(struct bag_topic *to, const struct bag_topic *t)
{
	char text[MESSAGE_DEFINITION_MAX];
	const char *type = t->type, *md5 = t->md5, *definition = t->definition;
	int kind = message_any_kind_of(type);

	if (kind >= 0 && t->format != MESSAGE_OTHER) {
		/* a recording of the other ROS has it in the other form */
		type = message_type(kind, t->format);
		md5 = message_md5(kind);
		message_definition(kind, t->format, text);
		definition = text;
	}
	*to = (struct bag_topic){
		.name = strdup(t->name), .type = writer_copy(type),
		.format = t->format, .md5 = writer_copy(md5),
		.definition = writer_copy(definition), .latched = t->latched,
	};
	if (to->name && to->type && to->md5 && to->definition)
		return 0;
	writer_free_topic(to);
	return -ENOMEM;
}

int bag_add_topic(struct bag_writer *bag, const struct bag_topic *topic)
{
	struct bag_topic t;
	void *p;
	int err;

	if (bag->failed)
		return -ECANCELED;
	err = copy_topic(&t, topic);
	if (err)
		return err;
	for (unsigned int i = 0; i < bag->topics; i++)
		if (!strcmp(bag->topic[i].name, t.name) &&
		    !strcmp(bag->topic[i].type, t.type) &&
		    bag->topic[i].format == t.format) {
			writer_free_topic(&t);
			return i;
		}
	err = bag->topics == BAG_TOPICS ? -E2BIG : 0;
	p = err ? NULL : realloc(bag->topic,
				 (bag->topics + 1) * sizeof(*bag->topic));
	if (!p) {
		writer_free_topic(&t);
		return err ? err : -ENOMEM;
	}
	bag->topic = p;
	assert(bag->topics < BAG_TOPICS);
	bag->topic[bag->topics++] = t;
	err = bag->ops->add(bag, bag->topics - 1);
	if (!err)
		return bag->topics - 1;
	writer_free_topic(&bag->topic[--bag->topics]);
	return err == -EINVAL || err == -ENOMEM ? err : writer_fail(bag, err);
}

int bag_flush(struct bag_writer *bag)
{
	int err;

	if (bag->failed)
		return -ECANCELED;
	if (!bag->waiting)
		return 0;
	err = bag->ops->flush(bag);
	bag->waiting = 0;
	return writer_fail(bag, err);
}

int bag_write(struct bag_writer *bag, unsigned int topic, int64_t stamp,
	      const void *data, size_t len)
{
	int err;

	if (bag->failed)
		return -ECANCELED;
	/* all formats can hold 32 bits of seconds */
	if (topic >= bag->topics || stamp < 0 ||
	    stamp / 1000000000 > UINT32_MAX)
		return -EINVAL;
	if (len > BAG_MESSAGE_MAX)
		return -EMSGSIZE;
	if (bag->waiting && (bag->waiting + len > BAG_WAIT_BYTES ||
			     llabs(stamp - bag->since) >= BAG_WAIT_NS)) {
		err = bag_flush(bag);
		if (err)
			return err;
	}
	err = bag->ops->write(bag, topic, stamp, data, len);
	if (err)
		return writer_fail(bag, err);
	if (!bag->waiting)
		bag->since = stamp;
	/* an empty message counts, too */
	bag->waiting += len + 1;
	if (!bag->messages || stamp < bag->begin)
		bag->begin = stamp;
	if (!bag->messages || stamp > bag->end)
		bag->end = stamp;
	bag->messages++;
	bag->topic[topic].count++;
	return 0;
}

int bag_finish(struct bag_writer *bag)
{
	bool reported = bag->failed;
	int err = bag_flush(bag), last;

	/* write the index in any case, if possible */
	last = bag->ops->finish(bag);
	for (unsigned int i = 0; i < bag->topics; i++)
		writer_free_topic(&bag->topic[i]);
	free(bag->topic);
	bag->ops->release(bag);
	return reported ? 0 : err ? err : last;
}
