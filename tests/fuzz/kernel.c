// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel around bpf/ros_tag.bpf.c: see kernel.h.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include "kernel.h"

/* A BPF program has no need of them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "../../bpf/ros_tag.bpf.c"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define POISON(p, n)	ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n)	ASAN_UNPOISON_MEMORY_REGION(p, n)
#endif
#endif
#ifndef POISON
#define POISON(p, n)	((void)(p))
#define UNPOISON(p, n)	((void)(p))
#endif

/* Addresses in a packet have 32 bits; only x86 has a flag for it. */
#define LOW		((void *)0x10000000)
#ifndef MAP_32BIT
#define MAP_32BIT	MAP_FIXED_NOREPLACE
#endif

enum {
	ROOM		= 128,	/* elements of a hash that are kept */
	KEY_MAX		= 128,
	VALUE_MAX	= 128,
	MEMORY		= 8192,	/* around a packet */
	BEFORE		= 1024 + 2,	/* as NET_IP_ALIGN */
};

struct element {
	uint8_t key[KEY_MAX];
	/* a line of its own each, so that the sanitizer sees its ends */
	uint8_t value[VALUE_MAX] __attribute__((aligned(8)));
};

/**
 * struct table - a map
 * @map:	its address, which is its name
 * @key:	bytes of a key, 0: an array
 * @value:	bytes of a value
 * @room:	of an array: elements
 * @n:		elements in use; arrays: that were ever looked up
 * @v:		elements; the array is not cleared where no program looked
 */
struct table {
	void		*map;
	uint32_t	key;
	uint32_t	value;
	uint32_t	room;
	uint32_t	n;
	struct element	v[ROOM];
	uint8_t		*array;
	uint32_t	used[ROOM];
};

#define HASH(m)		{ .map = &m, .key = sizeof(*m.key),		\
			  .value = sizeof(*m.value) }
#define ARRAY(m)	{ .map = &m, .value = sizeof(*m.value),		\
			  .room = sizeof(*m.max_entries) / sizeof(int) }

static struct table tables[] = {
	HASH(writers), HASH(flows), HASH(frags), HASH(frags6), HASH(topics),
	ARRAY(recent), ARRAY(odometer), ARRAY(counters), ARRAY(scratch),
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

static const struct input_packet *packet;
static uint8_t *memory;

static void die(const char *why)
{
	fprintf(stderr, "kernel: %s\n", why);
	abort();
}

static struct table *table_of(void *map)
{
	for (int i = 0; i < TABLES; i++)
		if (tables[i].map == map)
			return &tables[i];
	die("no such map");
	return NULL;
}

static struct element *find(struct table *t, const void *key)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!memcmp(t->v[i].key, key, t->key))
			return &t->v[i];
	return NULL;
}

static void *array_element(struct table *t, uint32_t i)
{
	if (i >= t->room)
		return NULL;
	if (!t->array)
		t->array = calloc(t->room, t->value);
	for (uint32_t k = 0; k < t->n; k++)
		if (t->used[k] == i)
			return t->array + i * t->value;
	if (t->n == ROOM)
		die("array: too many elements used");
	t->used[t->n++] = i;
	return t->array + i * t->value;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	struct table *t = table_of(map);
	struct element *e;

	if (!t->key)
		return array_element(t, *(const uint32_t *)key);
	e = find(t, key);
	return e ? e->value : NULL;
}

long bpf_map_update_elem(void *map, const void *key, const void *value,
			 __u64 how)
{
	struct table *t = table_of(map);
	struct element *e = find(t, key);

	if (e && how == BPF_NOEXIST)
		return -EEXIST;
	if (!e) {
		if (t->n == ROOM)
			die("hash: full");
		e = &t->v[t->n++];
		memcpy(e->key, key, t->key);
	}
	memcpy(e->value, value, t->value);
	return 0;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	struct table *t = table_of(map);
	struct element *e = find(t, key);

	if (!e)
		return -ENOENT;
	*e = t->v[--t->n];
	return 0;
}

long bpf_skb_load_bytes(const void *skb, __u32 offset, void *to, __u32 len)
{
	(void)skb;
	if (!len)
		die("bpf_skb_load_bytes() of nothing");
	if (offset > packet->len || len > packet->len - offset) {
		memset(to, 0, len);
		return -EFAULT;
	}
	memcpy(to, packet->data + offset, len);
	return 0;
}

static void table_clear(struct table *t)
{
	if (!t->key)
		for (uint32_t i = 0; i < t->n; i++)
			memset(t->array + t->used[i] * t->value, 0, t->value);
	t->n = 0;
}

void kernel_reset(void)
{
	for (int i = 0; i < TABLES; i++)
		table_clear(&tables[i]);
	for (uint32_t i = 0; i < input_nwriters; i++)
		bpf_map_update_elem(&writers, &input_writers[i].guid,
				    &input_writers[i].writer, BPF_ANY);
}

static void place(const struct input_packet *p)
{
	if (!memory) {
		memory = mmap(LOW, MEMORY, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
		if (memory == MAP_FAILED)
			die("no memory below 2 GB");
	}
	UNPOISON(memory, MEMORY);
	memcpy(memory + BEFORE, p->data, p->linear);
	POISON(memory, BEFORE);
	POISON(memory + BEFORE + p->linear, MEMORY - BEFORE - p->linear);
	packet = p;
}

/* As eth_type_trans() */
static uint16_t protocol(const struct input_packet *p)
{
	uint16_t type = p->data[12] << 8 | p->data[13];

	return __builtin_bswap16(type >= 0x600 ? type : ETH_P_802_2);
}

void kernel_run(const struct input_packet *p, uint64_t mm,
		struct optsample_tag *tag)
{
	struct __sk_buff skb = {
		.len = p->len,
		.protocol = protocol(p),
		.gso_size = p->gso,
		.cb = { OPTSAMPLE_TAG_MARK | 3, 0xdeadbeef },
	};
	uint32_t key = 0;

	place(p);
	skb.data = (uintptr_t)(memory + BEFORE);
	skb.data_end = skb.data + p->linear;
	*(uint64_t *)bpf_map_lookup_elem(&odometer, &key) = mm;
	if (ros_tag(&skb) != TC_ACT_UNSPEC)
		die("the program decides of the packet's fate");
	if (memcmp(memory + BEFORE, p->data, p->linear))
		die("the program changes the packet");
	memcpy(tag, skb.cb, sizeof(*tag));
	if (!tag->mark)
		memset(tag, 0, sizeof(*tag));
}
