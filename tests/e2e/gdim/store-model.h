/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store-model.h - what a store must have after so many changes
 *
 * Change k is the same wherever it is made: so one who only knows how many were
 * acknowledged knows what must be there.
 */
#ifndef TESTS_STORE_MODEL_H
#define TESTS_STORE_MODEL_H

#include "map/store/store.h"

enum {
	MODEL_NODES = 24, MODEL_LAYERS = 3, MODEL_ROOMS = 6,
	MODEL_SETTINGS = 4,
};

/**
 * struct model - no pointers and no gaps, to be compared as bytes
 * @change:	how many were made
 * @node.there, @node.placed: 0 or 1
 * @node.cells:	checksum, 0: none
 * @room, @setting: the last change of it, 0: not there
 * @repeaters:	the last change of them
 */
struct model {
	uint64_t	change;
	struct {
		uint64_t	there, placed;
		struct pose	pose;
		uint64_t	cells[MODEL_LAYERS];
	} node[MODEL_NODES];
	uint64_t	room[MODEL_ROOMS], setting[MODEL_SETTINGS], repeaters;
};

/* The layers, again and again. Return: 0 or a negative errno */
int model_prepare(struct store *s);

/* The change after @m->change: in @m alone */
void model_advance(struct model *m);

/* and in a store that is as @m. Return: 0 or that of the store */
int model_change(struct store *s, const struct model *m);

/* What is in a store, but for @change. Return: 0, or that of the store */
int model_read(struct store *s, struct model *m);

/* Whether they are the same but for @change */
bool model_same(const struct model *a, const struct model *b);

/* Checksum of all of it */
uint64_t model_sum(const struct model *m);

#endif
