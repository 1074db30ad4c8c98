/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index.h - numbers by key, in a hash table with open addressing
 */
#ifndef MAP_FUSION_INDEX_H
#define MAP_FUSION_INDEX_H

#include <stdint.h>

enum { INDEX_NONE = UINT32_MAX };

/* All zero is an empty one */
struct index {
	uint64_t	*key;
	uint32_t	*number;	/* INDEX_NONE: free */
	uint32_t	slots, used;
};

void index_free(struct index *t);

/* Return: INDEX_NONE if there is none */
uint32_t index_find(const struct index *t, uint64_t key);

/* Return: 0, -ENOMEM. @key must not exist yet */
int index_add(struct index *t, uint64_t key, uint32_t number);
void index_remove(struct index *t, uint64_t key);

#endif
