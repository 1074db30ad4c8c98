/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io_fixture.h - recordings and files for sources, and what came of them
 */
#ifndef IO_FIXTURE_H
#define IO_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/error.h"
#include "ros/bag/bag.h"
#include "ros/io/sink.h"
#include "ros/io/source.h"
#include "folder.h"
#include "base/wire.h"
#include "hex.h"
#include "message_golden.h"
#include "tap.h"

#define SECOND	INT64_C(1000000000)
#define START	(INT64_C(1700000000) * SECOND)

enum { GOT = 400, ROUNDS = 3, BYTES = 1 << 16 };

/*
 * A recording: each kind of message ROUNDS times, 10 ms apart, as others
 * serialize it, on topics /kind_0 ..., and one of a type that is not known
 */
static inline int64_t stamp_of(unsigned int i)
{
	return START + i * SECOND / 100;
}

static inline size_t golden_bytes(int kind, enum message_format format,
				  int64_t stamp, uint8_t *data)
{
	const char *hex = golden[kind][format];
	union message any;
	size_t n;

	if (!hex)
		return 0;
	n = from_hex(hex, data);
	if (message_header_of(kind, &any)) {
		put_le32(data + 4, stamp / SECOND);
		put_le32(data + 8, stamp % SECOND);
	}
	return n;
}

/* The kinds that a format has an example of */
static inline unsigned int make_recording(const char *path)
{
	enum bag_format format = bag_format_of(path);
	enum message_format f = format == BAG_ROSBAG ? MESSAGE_ROS1 :
						       MESSAGE_CDR;
	struct bag_topic other = {
		.name = "/other", .format = f, .type = "std_msgs/msg/String",
		.md5 = "992ce8a1687cec8c8bd883ec73ca41d1",
		.definition = "string data\n",
	};
	static uint8_t data[BYTES];
	int index[MESSAGE_KINDS];
	struct bag_writer *w;
	unsigned int n = 0;
	char name[32];

	if (bag_create(&w, path, format, true))
		abort();
	bag_add_topic(w, &other);
	for (int k = 0; k < MESSAGE_KINDS; k++) {
		struct bag_topic t = { .name = name, .format = f,
				       .type = message_type(k, f) };

		snprintf(name, sizeof(name), "/robot/kind_%d", k);
		index[k] = bag_add_topic(w, &t);
	}
	for (unsigned int i = 0; i < ROUNDS * MESSAGE_KINDS; i++) {
		int k = i % MESSAGE_KINDS;
		size_t len = golden_bytes(k, f, stamp_of(i), data);

		bag_write(w, 0, stamp_of(i), "\0\0\0\0", 4);
		n += len && !bag_write(w, index[k], stamp_of(i), data, len);
	}
	if (bag_finish(w))
		abort();
	return n;
}

/*
 * What came: @crc is of the message as ROS 1 has it, without the sequence
 * number, @bare without the stamp, and the time a map was loaded, too; of
 * transforms the length, and @stamp that of the last one
 */
struct got {
	char		topic[48];
	int		kind;
	int64_t		stamp, recorded;
	uint32_t	crc, bare;
};

/**
 * struct play - a source that was run
 * @want: that many messages, 0: until it ends
 * @only: this topic, NULL: all that are found
 * @leave: unsubscribe a topic after its first message
 * @threaded: as of struct sink_config
 */
struct play {
	struct loop		*loop;
	struct source		*source;
	struct sink		*sink;
	struct sink_topic	*topic[32];
	char			name[32][48];
	unsigned int		topics, found, lines, n, want;
	const char		*only;
	bool			leave, latched, threaded, ended;
	int			refused;
	char			line[256];
	struct got		got[GOT];
};

static inline uint32_t crc_of(int kind, const union message *msg)
{
	static uint8_t data[4 << 20];
	long len = message_write(kind, MESSAGE_ROS1, msg, data, sizeof(data));

	return len < 0 ? 0 : crc32(0, data, len);
}

static inline int64_t last_stamp(const struct message_transforms *m)
{
	struct message_list rest = m->transforms;
	struct message_transform t = { 0 };

	while (message_next_transform(&rest, &t))
		;
	return t.header.stamp;
}

static inline void note(struct play *p, const struct source_message *m,
			union message *msg)
{
	struct got *g = &p->got[p->n++];
	struct message_header *h = message_header_of(m->kind, msg);

	snprintf(g->topic, sizeof(g->topic), "%s", m->topic);
	g->kind = m->kind;
	g->recorded = m->stamp;
	if (h)
		h->seq = 0;
	g->stamp = h ? h->stamp : 0;
	if (m->kind == MESSAGE_TRANSFORMS)
		g->stamp = last_stamp(&msg->tf);
	g->crc = crc_of(m->kind, msg);
	if (h)
		h->stamp = 0;
	if (m->kind == MESSAGE_OCCUPANCY_GRID)
		msg->map.map_load_time = 0;
	g->bare = m->kind == MESSAGE_TRANSFORMS ? m->len : crc_of(m->kind, msg);
	if (h)
		h->stamp = g->stamp;
}

static inline void on_message(void *arg, const struct source_message *m)
{
	struct play *p = arg;
	union message msg;

	if (p->n == GOT || (p->want && p->n == p->want))
		return;
	if (message_read(m->kind, m->format, m->data, m->len, &msg)) {
		p->refused++;
		return;
	}
	for (unsigned int i = 0; i < p->topics; i++)
		if (!strcmp(p->name[i], m->topic))
			sink_publish(p->topic[i], m->stamp, &msg);
	note(p, m, &msg);
	if (p->leave)
		source_unsubscribe(p->source, p->got[p->n - 1].topic);
	if (p->n == p->want)
		loop_stop(p->loop, 0);
}

static inline void on_found(void *arg, const char *topic,
			    enum message_kind kind)
{
	struct play *p = arg;

	p->found++;
	if (p->only && strcmp(p->only, topic))
		return;
	if (source_subscribe(p->source, topic, kind))
		p->refused++;
	if (p->sink && !sink_add(p->sink, topic, kind, p->latched,
				 &p->topic[p->topics]))
		snprintf(p->name[p->topics++], sizeof(p->name[0]), "%s", topic);
}

static inline void on_ended(void *arg)
{
	struct play *p = arg;

	p->ended = true;
	loop_stop(p->loop, 0);
}

static inline void on_log(void *arg, int priority, const char *line)
{
	struct play *p = arg;

	(void)priority;
	p->lines++;
	snprintf(p->line, sizeof(p->line), "%s", line);
	printf("# %s\n", line);
}

static inline void on_lingered(void *arg, uint64_t now)
{
	(void)now;
	loop_stop(arg, 0);
}

/* A little longer: nothing of what was closed is called any more */
static inline void linger(struct loop *loop)
{
	struct loop_timer t = { .due = loop_now() + 1000000,
				.expired = on_lingered, .arg = loop };

	loop_add_timer(loop, &t);
	loop_run(loop);
	loop_remove_timer(loop, &t);
}

/* From @config->spec to @to, if it is not NULL. Return: 0 or the error */
static inline int play(struct play *p, struct source_config config,
		       const char *to)
{
	struct sink_config sink = { .spec = to, .log = on_log, .arg = p,
				    .threaded = p->threaded };
	struct error error;
	int err = 0;

	p->loop = loop_create();
	config.message = on_message;
	config.found = on_found;
	config.ended = on_ended;
	config.log = on_log;
	config.arg = p;
	if (!config.speed)
		config.speed = 1000;
	if (!config.rate)
		config.rate = 1000;
	if (to)
		err = sink_open(&p->sink, p->loop, &sink, &error);
	if (!err)
		err = source_open(&p->source, p->loop, &config, &error);
	if (!err)
		err = loop_run(p->loop);
	else
		printf("# %s\n", error.text);
	source_close(p->source);
	sink_close(p->sink);
	linger(p->loop);
	loop_destroy(p->loop);
	return err;
}

#endif
