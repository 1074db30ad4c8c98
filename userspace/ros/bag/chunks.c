// SPDX-License-Identifier: GPL-2.0-only
/*
 * chunks - load, merge and deliver
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "ros/bag/chunks.h"
#include "ros/bag/decompress.h"

enum { KEEP = 8 << 20 };	/* bytes of a free slot that are kept */

void chunked_init(struct chunked *c, int fd, uint64_t size,
		  const struct bag_reader_ops *ops,
		  int (*parse)(struct chunked *c, const uint8_t *raw,
			       size_t len))
{
	memset(c, 0, sizeof(*c));
	bag_reader_init(&c->bag, ops);
	c->fd = fd;
	c->size = size;
	c->parse = parse;
	c->scanning = true;
}

void chunked_release(struct chunked *c)
{
	for (int i = 0; i < CHUNK_SLOTS; i++) {
		free(c->slot[i].raw);
		free(c->slot[i].record);
	}
	free(c->chunk);
	free(c->stored);
	ZSTD_freeDCtx(c->zstd);
	LZ4F_freeDecompressionContext(c->lz4);
	bag_reader_release(&c->bag);
	close(c->fd);
}

int chunked_pread(struct chunked *c, uint64_t offset, void *data, size_t n)
{
	uint8_t *to = data;

	if (offset > c->size || n > c->size - offset)
		return -EBADMSG;
	while (n) {
		ssize_t got = pread(c->fd, to, n, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		to += got;
		offset += got;
		n -= got;
	}
	return 0;
}

static int chunks_grow(void *pointer, size_t *room, size_t need, size_t size)
{
	void **p = pointer, *q;
	size_t n = *room ? *room : 64;

	if (need <= *room)
		return 0;
	while (n < need)
		n *= 2;
	assert(n >= need);
	q = realloc(*p, n * size);
	if (!q)
		return -ENOMEM;
	*p = q;
	*room = n;
	return 0;
}

void chunk_has(struct chunk *chunk, unsigned int topic)
{
	chunk->topics[topic / 64 % CHUNK_TOPICS] |= UINT64_C(1) << topic % 64;
}

static bool chunk_may_have(const struct chunk *chunk, unsigned int topic)
{
	uint64_t any = 0;

	for (int i = 0; i < CHUNK_TOPICS; i++)
		any |= chunk->topics[i];
	return !any || chunk->topics[topic / 64 % CHUNK_TOPICS] >> topic % 64 &
		       1;
}

/* Some writers do not fill in the end */
static bool chunk_is_before(const struct chunk *chunk, int64_t stamp)
{
	return chunk->end >= chunk->begin && chunk->end < stamp;
}

int chunked_add(struct chunked *c, const struct chunk *chunk)
{
	if (chunks_grow(&c->chunk, &c->room, c->chunks + 1, sizeof(*chunk)))
		return -ENOMEM;
	assert(c->chunks < c->room);
	c->chunk[c->chunks++] = *chunk;
	return 0;
}

int chunked_record(struct chunked *c, unsigned int topic, int64_t stamp,
		   size_t offset, size_t len)
{
	struct chunk_slot *s = c->loading;

	if (chunks_grow(&s->record, &s->record_room, s->records + 1,
			sizeof(*s->record)))
		return -ENOMEM;
	assert(s->records < s->record_room && offset + len <= s->raw_len);
	s->record[s->records++] = (struct chunk_record){
		.stamp = stamp, .topic = topic, .offset = offset, .len = len,
	};
	return 0;
}

static int by_stamp(const void *a, const void *b)
{
	const struct chunk_record *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void sort_records(struct chunk_slot *s)
{
	for (size_t i = 1; i < s->records; i++)
		if (by_stamp(&s->record[i - 1], &s->record[i]) > 0) {
			qsort(s->record, s->records, sizeof(*s->record),
			      by_stamp);
			return;
		}
}

static int decompress(struct chunked *c, const struct chunk *k, uint8_t *raw)
{
	switch (k->compression) {
	case CHUNK_ZSTD:
		return decompress_zstd(&c->zstd, raw, k->raw, c->stored,
				       k->stored);
	case CHUNK_LZ4:
		return decompress_lz4(&c->lz4, raw, k->raw, c->stored,
				      k->stored);
	default:
		return decompress_bz2(raw, k->raw, c->stored, k->stored);
	}
}

static int read_chunk(struct chunked *c, const struct chunk *k, uint8_t *raw)
{
	int err;

	if (k->compression == CHUNK_PLAIN) {
		err = k->stored == k->raw ?
		      chunked_pread(c, k->offset, raw, k->raw) : -EBADMSG;
	} else {
		if (!k->stored || k->stored > c->size)
			return -EBADMSG;
		if (chunks_grow(&c->stored, &c->stored_room, k->stored, 1))
			return -ENOMEM;
		err = chunked_pread(c, k->offset, c->stored, k->stored);
		if (!err)
			err = decompress(c, k, raw);
	}
	if (!err && k->crc && k->crc != crc32(0, raw, k->raw))
		err = -EBADMSG;
	return err;
}

static void release_slot(struct chunked *c, struct chunk_slot *s)
{
	assert(s->raw_len <= c->held && s->next <= s->records);
	c->held -= s->raw_len;
	s->raw_len = s->records = s->next = 0;
	if (s->raw_room > KEEP) {
		free(s->raw);
		s->raw = NULL;
		s->raw_room = 0;
	}
}

static int chunks_load(struct chunked *c, struct chunk_slot *s,
		       const struct chunk *k)
{
	int err;

	if (k->raw > BAG_CHUNK_MAX)
		return -EBADMSG;
	/* an empty chunk gets memory, too */
	if (chunks_grow(&s->raw, &s->raw_room, k->raw ? k->raw : 1, 1))
		return -ENOMEM;
	err = read_chunk(c, k, s->raw);
	if (err) {
		release_slot(c, s);
		return err;
	}
	assert(!c->loading && !s->records && !s->next);
	s->raw_len = k->raw;
	s->offset = k->offset;
	c->held += s->raw_len;
	c->loading = s;
	err = c->parse(c, s->raw, s->raw_len);
	c->loading = NULL;
	if (err)
		release_slot(c, s);
	else
		sort_records(s);
	return err;
}

static void chunks_pass_over(struct chunked *c, const struct chunk *k)
{
	bag_reader_warn(&c->bag, "the chunk at byte %llu is damaged",
			(unsigned long long)k->offset);
	c->bag.lost += k->stored ? k->stored : 1;
}

/* The index need not say which topics a chunk has: note it for later */
static void chunks_learn(struct chunk *k, const struct chunk_slot *s)
{
	for (size_t i = 0; i < s->records; i++)
		chunk_has(k, s->record[i].topic);
}

int chunked_scan(struct chunked *c, const struct chunk *chunk)
{
	struct chunk_slot *s = &c->slot[0];
	struct chunk k = *chunk;
	int err = chunks_load(c, s, &k);

	if (err == -EBADMSG) {
		chunks_pass_over(c, &k);
		return 0;
	}
	if (err)
		return err;
	if (s->records) {
		k.begin = s->record[0].stamp;
		k.end = s->record[s->records - 1].stamp;
		if (k.begin < c->bag.begin)
			c->bag.begin = k.begin;
		if (k.end > c->bag.end)
			c->bag.end = k.end;
		for (size_t i = 0; i < s->records; i++)
			c->bag.topic[s->record[i].topic].count++;
		chunks_learn(&k, s);
		err = chunked_add(c, &k);
	}
	release_slot(c, s);
	return err;
}

static int by_offset(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

bool chunked_distinct(struct chunked *c)
{
	if (c->chunks)
		qsort(c->chunk, c->chunks, sizeof(*c->chunk), by_offset);
	for (size_t i = 1; i < c->chunks; i++)
		if (c->chunk[i].offset < c->chunk[i - 1].offset +
					 c->chunk[i - 1].stored)
			return false;
	return true;
}

static int chunks_by_begin(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int chunked_rewind(struct bag_reader *bag)
{
	struct chunked *c = (struct chunked *)bag;

	if (c->scanning && c->chunks)
		qsort(c->chunk, c->chunks, sizeof(*c->chunk), chunks_by_begin);
	c->scanning = false;
	for (int i = 0; i < CHUNK_SLOTS; i++)
		release_slot(c, &c->slot[i]);
	assert(!c->held);
	c->current = NULL;
	c->next = c->looked = 0;
	c->from = INT64_MIN;
	return 0;
}

int chunked_seek(struct bag_reader *bag, int64_t stamp)
{
	struct chunked *c = (struct chunked *)bag;
	int err = chunked_rewind(bag);

	c->from = stamp;
	return err;
}

/* The slot with the earliest message; of equal ones the earlier in the file */
static struct chunk_slot *earliest(struct chunked *c)
{
	struct chunk_slot *best = NULL;

	for (int i = 0; i < CHUNK_SLOTS; i++) {
		struct chunk_slot *s = &c->slot[i];
		int64_t stamp;

		if (s->next == s->records)
			continue;
		stamp = s->record[s->next].stamp;
		if (!best || stamp < best->record[best->next].stamp ||
		    (stamp == best->record[best->next].stamp &&
		     s->offset < best->offset))
			best = s;
	}
	return best;
}

static struct chunk_slot *free_slot(struct chunked *c)
{
	for (int i = 0; i < CHUNK_SLOTS; i++)
		if (c->slot[i].next == c->slot[i].records)
			return &c->slot[i];
	return NULL;
}

/*
 * Load the next chunk. Return: 0, also if it is skipped; -EAGAIN at the limit
 * of loaded chunks; a negative errno
 */
static int load_next(struct chunked *c)
{
	struct chunk *k = &c->chunk[c->next];
	struct chunk_slot *s = free_slot(c);
	int err;

	if (chunk_is_before(k, c->from)) {
		c->next++;
		return 0;
	}
	if (!s || (c->held && c->held + k->raw > CHUNK_HELD_MAX)) {
		bag_reader_warn(&c->bag,
				"too many chunks overlap: not all in order");
		return -EAGAIN;
	}
	err = chunks_load(c, s, k);
	if (err == -EBADMSG) {
		chunks_pass_over(c, k);
		err = 0;
	}
	if (!err)
		chunks_learn(k, s);
	while (!err && s->next < s->records &&
	       s->record[s->next].stamp < c->from)
		s->next++;
	if (!err && s->next == s->records)
		release_slot(c, s);
	if (!err)
		c->next++;
	return err;
}

int chunked_next(struct bag_reader *bag, struct bag_message *msg)
{
	struct chunked *c = (struct chunked *)bag;
	struct chunk_slot *s = c->current;
	struct chunk_record *r;

	/* the last message was in use until now */
	if (s && s->next == s->records)
		release_slot(c, s);
	for (;;) {
		int err = 0;

		s = earliest(c);
		if (c->next == c->chunks ||
		    (s && s->record[s->next].stamp <= c->chunk[c->next].begin))
			break;
		err = load_next(c);
		if (err == -EAGAIN && s)
			break;
		if (err)
			return err;
	}
	c->current = s;
	if (!s)
		return 0;
	assert(s->next < s->records);
	r = &s->record[s->next++];
	*msg = (struct bag_message){
		.topic = r->topic, .stamp = r->stamp,
		.data = s->raw + r->offset, .len = r->len,
	};
	return 1;
}

/* A chunk into the first slot, instead of all that are loaded */
static int chunks_look(struct chunked *c, size_t chunk)
{
	struct chunk_slot *s = &c->slot[0];
	int err;

	if (c->looked == chunk + 1)
		return 0;
	chunked_rewind(&c->bag);
	c->next = c->chunks;
	err = chunks_load(c, s, &c->chunk[chunk]);
	if (err == -EBADMSG)
		bag_reader_warn(&c->bag, "the chunk at byte %llu is damaged",
				(unsigned long long)c->chunk[chunk].offset);
	if (err)
		return err;
	chunks_learn(&c->chunk[chunk], s);
	/* nothing of it is due */
	s->next = s->records;
	c->looked = chunk + 1;
	return 0;
}

static struct bag_place place_of(const struct chunked *c, size_t record)
{
	return (struct bag_place){
		.stamp = c->slot[0].record[record].stamp,
		.at = (uint64_t)(c->looked - 1) << 32 | record,
	};
}

/*
 * In the chunk of chunks_look() the last message of @topic before @limit and
 * after @best, if it is @found. Return: whether @best is a message
 */
static bool look_before(const struct chunked *c, unsigned int topic,
			const struct bag_place *limit, bool found,
			struct bag_place *best)
{
	const struct chunk_slot *s = &c->slot[0];

	for (size_t i = s->records; i--; ) {
		struct bag_place place = place_of(c, i);

		if (s->record[i].topic != topic ||
		    !bag_place_is_before(&place, limit))
			continue;
		if (!found || bag_place_is_before(best, &place))
			*best = place;
		return true;
	}
	return found;
}

int chunked_before(struct bag_reader *bag, unsigned int topic,
		   struct bag_place *place, struct bag_message *msg)
{
	struct chunked *c = (struct chunked *)bag;
	const struct chunk_slot *s = &c->slot[0];
	const struct chunk_record *r;
	struct bag_place best;
	bool found = false;
	int err;

	for (size_t i = c->chunks; i--; ) {
		const struct chunk *k = &c->chunk[i];

		if (k->begin > place->stamp || !chunk_may_have(k, topic) ||
		    (found && chunk_is_before(k, best.stamp)))
			continue;
		err = chunks_look(c, i);
		if (err && err != -EBADMSG)
			return err;
		if (!err)
			found = look_before(c, topic, place, found, &best);
	}
	if (!found)
		return 0;
	err = chunks_look(c, best.at >> 32);
	if (err)
		return err;
	assert((uint32_t)best.at < s->records);
	r = &s->record[(uint32_t)best.at];
	*place = best;
	*msg = (struct bag_message){
		.topic = topic, .stamp = r->stamp,
		.data = s->raw + r->offset, .len = r->len,
	};
	return 1;
}
