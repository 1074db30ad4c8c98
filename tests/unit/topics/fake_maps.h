/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_maps.h - maps of the classifier in memory, as making real ones needs
 * rights
 *
 * A test that includes this is linked with FAKE_MAPS of module.mk.
 */
#ifndef TESTS_FAKE_MAPS_H
#define TESTS_FAKE_MAPS_H

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FAKE_ENTRIES = 5000, FAKE_KEY = 128, FAKE_VALUE = 96 };

/**
 * struct fake_map - a map; its file descriptor is its number in fake_maps
 * @key:	bytes of a key
 * @value:	and of a value
 * @max:	elements that fit
 * @array:	it is an array: each key exists
 * @fail:	an update fails with this errno
 * @n:		elements
 */
struct fake_map {
	size_t		key, value;
	uint32_t	max;
	bool		array;
	int		fail;
	uint32_t	n;
	uint8_t		keys[FAKE_ENTRIES][FAKE_KEY];
	uint8_t		values[FAKE_ENTRIES][FAKE_VALUE];
};

static struct fake_map fake_maps[3];

static struct fake_map *fake_map_new(int fd, size_t key, size_t value,
				     uint32_t max, bool array)
{
	struct fake_map *m = &fake_maps[fd];

	memset(m, 0, sizeof(*m));
	m->key = key;
	m->value = value;
	m->max = max;
	m->array = array;
	if (array)
		for (m->n = 0; m->n < max; m->n++)
			memcpy(m->keys[m->n], &m->n, key);
	return m;
}

static int fake_map_find(const struct fake_map *m, const void *key)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!memcmp(m->keys[i], key, m->key))
			return i;
	return -1;
}

static int fake_error(int err)
{
	errno = err;
	return -err;
}

int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value);
int __wrap_bpf_map_lookup_elem_flags(int fd, const void *key, void *value,
				     uint64_t flags);
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       uint64_t flags);
int __wrap_bpf_map_delete_elem(int fd, const void *key);
int __wrap_bpf_map_get_next_key(int fd, const void *key, void *next);

int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	const struct fake_map *m = &fake_maps[fd];
	int i = fake_map_find(m, key);

	if (i < 0)
		return fake_error(ENOENT);
	memcpy(value, m->values[i], m->value);
	return 0;
}

int __wrap_bpf_map_lookup_elem_flags(int fd, const void *key, void *value,
				     uint64_t flags)
{
	return flags == BPF_F_LOCK ?
	       __wrap_bpf_map_lookup_elem(fd, key, value) :
	       fake_error(EINVAL);
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value,
			       uint64_t flags)
{
	struct fake_map *m = &fake_maps[fd];
	int i = fake_map_find(m, key);

	if (m->fail)
		return fake_error(m->fail);
	if (flags != BPF_ANY && flags != BPF_F_LOCK)
		return fake_error(EINVAL);
	if (i < 0 && m->n == m->max)
		return fake_error(E2BIG);
	if (i < 0) {
		i = m->n++;
		memcpy(m->keys[i], key, m->key);
	}
	memcpy(m->values[i], value, m->value);
	return 0;
}

int __wrap_bpf_map_delete_elem(int fd, const void *key)
{
	struct fake_map *m = &fake_maps[fd];
	int i = fake_map_find(m, key);

	if (i < 0)
		return fake_error(ENOENT);
	m->n--;
	memcpy(m->keys[i], m->keys[m->n], m->key);
	memcpy(m->values[i], m->values[m->n], m->value);
	return 0;
}

int __wrap_bpf_map_get_next_key(int fd, const void *key, void *next)
{
	const struct fake_map *m = &fake_maps[fd];
	uint32_t i = key ? fake_map_find(m, key) + 1 : 0;

	if (i >= m->n)
		return fake_error(ENOENT);
	memcpy(next, m->keys[i], m->key);
	return 0;
}

#endif
