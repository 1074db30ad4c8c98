// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_relatives.c - particles that were not matched in time
 *
 * Each of them becomes a copy of its nearest relative that was matched, which is
 * in its outcome. It keeps the weight that it had before the update: it stood
 * for other poses than the relative, and these do not become less likely because
 * a worker is late.
 */
#include <assert.h>
#include "slam/filter/filter_parts.h"

uint32_t filter_replaced(const struct filter *f)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->count; i++)
		count += f->out[i].relative != 0;
	return count;
}

void filter_replace(struct filter *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const uint32_t by = filter_acting(f, i);

		if (by == i)
			continue;
		assert(by < f->count && !f->out[by].relative);
		trajectory_tree_hold(f->tree, f->step[by]);
		trajectory_tree_release(f->tree, f->step[i]);
		f->step[i] = f->step[by];
		f->total[i] = f->total[by];
		f->hypotheses.of[i] = f->hypotheses.of[by];
	}
}

void filter_move_weights(struct filter *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const uint32_t by = filter_acting(f, i);

		if (by == i)
			continue;
		f->weight[by] += f->weight[i];
		f->weight[i] = 0;
	}
}

void filter_replaced_parents(struct filter *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		f->parent[i] = filter_acting(f, i);
}
