// SPDX-License-Identifier: GPL-2.0-only
/*
 * control - messages between sender and receiver besides the data
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>
#include "base/wire.h"
#include "transport/control.h"

enum {
	CRC	= 2,
	HEADER	= 6,
	TOPIC	= 10,			/* bytes of a topic without its texts */
	HEAD	= offsetof(struct control_report, topics) / sizeof(uint32_t),
	NUMBERS	= sizeof(struct control_report_topic) / sizeof(uint32_t),
	HEAD_1	= offsetof(struct control_report, paced) / sizeof(uint32_t),
	REPORT	= HEADER + HEAD * 4,
	ENTRIES	= 255,
	ENTRY	= 3,			/* bytes of an entry of a command,
					 * without its text */
	COPIES	= 8,
	REPORTS	= 48,
};

_Static_assert(REPORT + CONTROL_TOPICS * NUMBERS * 4 <= PAYLOAD_MAX,
	       "a report fits one datagram");
_Static_assert(HEADER + 4 + CONTROL_WORD + TOPIC + 3 + CONTROL_NAME +
	       2 * CONTROL_WORD <= PAYLOAD_MAX,
	       "a topic fits one datagram");

static void control_begin(uint8_t *p, unsigned int version, unsigned int what)
{
	p[0] = version << 4 | what;
	p[1] = 0;
}

static uint32_t crc_of(const uint8_t *p, size_t len)
{
	return crc32(crc32(0, p, CRC), p + HEADER, len - HEADER);
}

static uint8_t *control_put_text(uint8_t *p, const char *text, size_t room)
{
	size_t n = strnlen(text, room - 1);

	*p++ = n;
	memcpy(p, text, n);
	return p + n;
}

static size_t put_topic(uint8_t *p, const struct control_topic *t)
{
	uint8_t *start = p;

	put_le32(p, t->topic);
	p[4] = t->kind;
	p[5] = t->codec;
	put_le32(p + 6, t->interval);
	p = control_put_text(p + TOPIC, t->name, sizeof(t->name));
	p = control_put_text(p, t->frame_id, sizeof(t->frame_id));
	p = control_put_text(p, t->encoding, sizeof(t->encoding));
	return p - start;
}

/* Begin the next datagram. Return: 0, -ENOSPC */
static int open_next(struct payloads *out, const struct control_sender *sender)
{
	uint8_t *p;

	if (out->count == out->max)
		return -ENOSPC;
	p = payload_at(out, out->count);
	control_begin(p, CONTROL_VERSION, CONTROL_ANNOUNCE);
	put_le32(p + HEADER, sender->round_trip);
	out->len[out->count++] = control_put_text(p + HEADER + 4, sender->name,
						  sizeof(sender->name)) - p;
	return 0;
}

int control_announce(const struct control_sender *sender,
		     const struct control_topic *topics, unsigned int count,
		     struct payloads *out)
{
	uint8_t bytes[TOPIC + 3 + CONTROL_NAME + 2 * CONTROL_WORD], *p;

	out->count = 0;
	if (open_next(out, sender))
		return -ENOSPC;
	for (unsigned int i = 0; i < count; i++) {
		size_t n = put_topic(bytes, &topics[i]);

		p = payload_at(out, out->count - 1);
		if ((out->len[out->count - 1] + n > out->size ||
		     p[1] == ENTRIES) && open_next(out, sender))
			return -ENOSPC;
		p = payload_at(out, out->count - 1);
		memcpy(p + out->len[out->count - 1], bytes, n);
		out->len[out->count - 1] += n;
		p[1]++;
	}
	for (unsigned int i = 0; i < out->count; i++) {
		p = payload_at(out, i);
		put_le32(p + CRC, crc_of(p, out->len[i]));
	}
	return 0;
}

/* Read a text. Return: its end; NULL: invalid */
static const uint8_t *get_text(const uint8_t *p, const uint8_t *end,
			       char *text, size_t room)
{
	size_t n;

	if (p == end)
		return NULL;
	n = *p++;
	if (n >= room || n > (size_t)(end - p))
		return NULL;
	/* names are printed on terminals and in logs */
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' || p[i] == 0x7f)
			return NULL;
	memcpy(text, p, n);
	text[n] = '\0';
	return p + n;
}

static const uint8_t *get_topic(const uint8_t *p, const uint8_t *end,
				struct control_topic *t)
{
	if (end - p < TOPIC)
		return NULL;
	t->topic = get_le32(p);
	t->kind = p[4];
	t->codec = p[5];
	t->interval = get_le32(p + 6);
	p = get_text(p + TOPIC, end, t->name, sizeof(t->name));
	if (p)
		p = get_text(p, end, t->frame_id, sizeof(t->frame_id));
	if (p)
		p = get_text(p, end, t->encoding, sizeof(t->encoding));
	return p;
}

static bool control_is(const uint8_t *p, size_t len, unsigned int version,
		       unsigned int what)
{
	return len >= HEADER && p[0] == (version << 4 | what) &&
	       get_le32(p + CRC) == crc_of(p, len);
}

/* number of u32 before the topics */
static unsigned int head_of(unsigned int version)
{
	return version == 1 ? HEAD_1 : HEAD;
}

int control_announced(const void *payload, size_t len,
		      struct control_sender *sender,
		      struct control_topic *topics, unsigned int max)
{
	const uint8_t *p = payload, *end = p + len;
	unsigned int count;

	if (!control_is(p, len, CONTROL_VERSION, CONTROL_ANNOUNCE) ||
	    len < HEADER + 4)
		return -EBADMSG;
	count = p[1];
	if (count > max)
		return -E2BIG;
	sender->round_trip = get_le32(p + HEADER);
	p = get_text(p + HEADER + 4, end, sender->name, sizeof(sender->name));
	for (unsigned int i = 0; p && i < count; i++) {
		p = get_topic(p, end, &topics[i]);
		if (!p || !topics[i].topic || !*topics[i].name)
			return -EBADMSG;
	}
	return p == end ? (int)count : -EBADMSG;
}

size_t control_report(const struct control_report *r, uint8_t *payload)
{
	uint8_t *p = payload + HEADER;
	uint32_t v[NUMBERS > HEAD ? NUMBERS : HEAD];
	unsigned int head = head_of(r->version);

	control_begin(payload, r->version, CONTROL_REPORT);
	payload[1] = r->topics;
	memcpy(v, r, head * 4);
	for (unsigned int k = 0; k < head; k++, p += 4)
		put_le32(p, v[k]);
	for (unsigned int i = 0; i < r->topics; i++) {
		memcpy(v, &r->topic[i], sizeof(r->topic[i]));
		for (unsigned int k = 0; k < NUMBERS; k++, p += 4)
			put_le32(p, v[k]);
	}
	put_le32(payload + CRC, crc_of(payload, p - payload));
	return p - payload;
}

int control_reported(const void *payload, size_t len,
		     struct control_report *r)
{
	const uint8_t *p = payload;
	uint32_t v[NUMBERS > HEAD ? NUMBERS : HEAD] = { 0 };
	unsigned int version = len ? p[0] >> 4 : 0, head = head_of(version);

	if (!version || version > CONTROL_REPORTS ||
	    !control_is(p, len, version, CONTROL_REPORT) ||
	    p[1] > CONTROL_TOPICS ||
	    len != HEADER + (head + (size_t)p[1] * NUMBERS) * 4)
		return -EBADMSG;
	r->version = version;
	r->topics = p[1];
	p += HEADER;
	for (unsigned int k = 0; k < head; k++, p += 4)
		v[k] = get_le32(p);
	memcpy(r, v, HEAD * 4);
	for (unsigned int i = 0; i < r->topics; i++) {
		for (unsigned int k = 0; k < NUMBERS; k++, p += 4)
			v[k] = get_le32(p);
		memcpy(&r->topic[i], v, sizeof(r->topic[i]));
	}
	return 0;
}

size_t control_command(const struct control_command *c, uint8_t *payload)
{
	uint8_t *p = payload + HEADER + 4;

	control_begin(payload, CONTROL_VERSION, CONTROL_COMMAND);
	payload[1] = c->entries;
	put_le32(payload + HEADER, c->number);
	for (unsigned int i = 0; i < c->entries; i++) {
		const struct control_command_entry *e = &c->entry[i];

		if (p - payload + ENTRY + strlen(e->name) > PAYLOAD_MAX)
			return 0;
		p[0] = e->what;
		p[1] = e->value;
		p = control_put_text(p + 2, e->name, sizeof(e->name));
	}
	put_le32(payload + CRC, crc_of(payload, p - payload));
	return p - payload;
}

int control_commanded(const void *payload, size_t len,
		      struct control_command *c)
{
	const uint8_t *p = payload, *end = p + len;

	if (!control_is(p, len, CONTROL_VERSION, CONTROL_COMMAND) ||
	    len < HEADER + 4 || !p[1] || p[1] > CONTROL_COMMANDS)
		return -EBADMSG;
	c->entries = p[1];
	c->number = get_le32(p + HEADER);
	p += HEADER + 4;
	for (unsigned int i = 0; i < c->entries; i++) {
		struct control_command_entry *e = &c->entry[i];

		if (end - p < ENTRY)
			return -EBADMSG;
		e->what = p[0];
		e->value = p[1];
		p = get_text(p + 2, end, e->name, sizeof(e->name));
		if (!p)
			return -EBADMSG;
	}
	return p == end ? 0 : -EBADMSG;
}

/* Copies with which the chance to lose all is 1 / @once */
static unsigned int copies_of(double loss, double once, unsigned int most)
{
	unsigned int n = most;

	if (!(loss > .05))
		return 1;
	if (loss < .99)
		n = ceil(log(once) / log(loss));
	return n < most ? n : most;
}

unsigned int control_copies(double loss)
{
	return copies_of(loss, .05, COPIES);
}

/* Each lost report lengthens the sender's timeout: two if any may be lost */
unsigned int control_report_copies(double loss)
{
	unsigned int n = copies_of(loss, cbrt(1e-4), REPORTS);

	return n < 2 && loss > .01 ? 2 : n;
}
