/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heard.h - what a source gave: found topics, messages and lines
 */
#ifndef HEARD_H
#define HEARD_H

#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include "base/error.h"
#include "ros/io/source.h"

enum { HEARD_BYTES = 1 << 16 };

/**
 * struct heard - of the last one, and how many there were
 * @sum:	of the fifth byte of each message
 * @crc:	of a message that @data has no room for
 */
static struct heard {
	unsigned int	found, got, lines, sum;
	char		topic[IO_NAME], line[ERROR_TEXT];
	int		kind, format, priority;
	uint32_t	crc;
	size_t		len;
	uint8_t		data[HEARD_BYTES];
} heard;

static struct source *source;
static const char *leave;	/* a topic that is unsubscribed by a message */

static inline void on_heard(void *arg, const struct source_message *m)
{
	const size_t kept = m->len < HEARD_BYTES ? m->len : HEARD_BYTES;

	(void)arg;
	heard.got++;
	heard.kind = m->kind;
	heard.format = m->format;
	heard.len = m->len;
	snprintf(heard.topic, sizeof(heard.topic), "%s", m->topic);
	heard.sum += m->len > 4 ? ((const uint8_t *)m->data)[4] : 0;
	memcpy(heard.data, m->data, kept);
	if (m->len > kept)
		heard.crc = crc32(0, m->data, (uInt)m->len);
	if (leave)
		source_unsubscribe(source, leave);
}

static inline void on_topic(void *arg, const char *topic,
			    enum message_kind kind)
{
	(void)arg;
	heard.found++;
	heard.kind = kind;
	snprintf(heard.topic, sizeof(heard.topic), "%s", topic);
}

static inline void on_line(void *arg, int priority, const char *line)
{
	(void)arg;
	heard.lines++;
	heard.priority = priority;
	snprintf(heard.line, sizeof(heard.line), "%s", line);
}

#endif
