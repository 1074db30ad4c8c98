// SPDX-License-Identifier: GPL-2.0-only
/*
 * soften - reduce the certainty of free cells beside walls
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "map/fusion/soften.h"

struct span {
	unsigned int	begin, end;
};

static struct span around(unsigned int at, unsigned int n)
{
	return (struct span){
		at > SOFTEN_REACH ? at - SOFTEN_REACH : 0,
		at + SOFTEN_REACH + 1 < n ? at + SOFTEN_REACH + 1 : n,
	};
}

/* Raise the cells around a wall. Return: whether a value has changed */
static bool soften_raise_around(const struct cells *c, void *data,
				unsigned int x, unsigned int y)
{
	const struct span columns = around(x, c->width);
	const struct span rows = around(y, c->height);
	const int least = cells_full(c->bits) * SOFTEN_LEAST / 100;
	bool raised = false;

	for (unsigned int v = rows.begin; v < rows.end; v++)
		for (unsigned int u = columns.begin; u < columns.end; u++) {
			const size_t i = (size_t)v * c->width + u;
			const int value = cells_at(c, u, v);

			if (value < 0 || value >= least)
				continue;
			raised = true;
			if (c->bits == 8)
				((int8_t *)data)[i] = least;
			else
				((int16_t *)data)[i] = least;
		}
	return raised;
}

struct cells *soften(struct cells *c)
{
	const size_t bytes = (size_t)c->width * c->height * (c->bits / 8);
	const int half = cells_full(c->bits) / 2;
	void *data = malloc(bytes);
	bool raised = false;
	struct cells *made;

	if (!data)
		return NULL;
	memcpy(data, c->data, bytes);
	for (unsigned int i = 0; i < c->runs; i++) {
		const struct cells_run *r = &c->run[i];
		const unsigned int end = r->column + r->count;

		for (unsigned int x = r->column; x < end; x++)
			if (cells_at(c, x, r->row) > half)
				raised |=
					soften_raise_around(c, data, x, r->row);
	}
	made = raised ? cells_create(c->width, c->height, c->bits,
				     c->resolution, &c->origin, data) :
			cells_get(c);
	free(data);
	return made;
}
