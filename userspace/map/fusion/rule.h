/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rule.h - fusion rules: combine the values of a cell known to several submaps
 *
 * Each rule is a few functions on blocks of accumulators. The result does not
 * depend on the order of submaps, bit by bit: so an incrementally built map
 * equals one fused from scratch.
 */
#ifndef MAP_FUSION_RULE_H
#define MAP_FUSION_RULE_H

#include <stddef.h>
#include <stdint.h>

enum rule_id {
	RULE_MAX,	/* D4.1, section 6.3: "maximum cell value" */
	RULE_MEAN,	/* "mean cell value", rounded half up */
	RULE_MIN,
	RULE_LATEST,	/* value of the submap with the latest stamp */
	RULE_LOG_ODDS,	/* values are probabilities; Moravec and Elfes 1985 */
	RULE_WEIGHTED,	/* mean weighted by confidence, rounded half up */
	RULES,
};

/**
 * struct rule_source - a submap to add
 * @stamp:	ns; for RULE_LATEST; negative counts as zero
 * @weight:	0..RULE_WEIGHT_FULL, for RULE_WEIGHTED
 */
struct rule_source {
	int64_t		stamp;
	unsigned int	weight;
};

enum {
	RULE_WEIGHT_FULL	= 100,
	RULE_STEP		= 16,
};

/**
 * struct rule_blocks - blocks of cells to add to accumulators
 * @at:		of each block: the index of its first accumulator
 * @cells:	RULE_STEP values of each, int8_t or int16_t, -1: unknown
 * @weights:	likewise, int8_t, 0..RULE_WEIGHT_FULL, or NULL: the source's
 * @count:	blocks
 */
struct rule_blocks {
	const uint16_t	*at;
	const void	*cells;
	const int8_t	*weights;
	unsigned int	count;
};

/**
 * struct rule - a rule for one kind of cells
 * @size:	bytes of an accumulator
 * @empty:	value of every byte of an empty accumulator
 * @add:	add blocks to accumulators
 * @values:	fused values of @n accumulators; -1: unknown
 * @most:	submaps that one accumulator can take; 0: no limit
 * @wide:	the same rule with larger accumulators, for more than @most
 */
struct rule {
	const char	*name;
	unsigned int	size;
	uint8_t		empty;
	void		(*add)(void *to, const struct rule_blocks *blocks,
			       const struct rule_source *source);
	void		(*values)(const void *from, unsigned int n,
				  int16_t *to);
	unsigned int	most;
	const struct rule *wide;
};

/* Rule for cells of 8 or 16 bits */
const struct rule *rule_get(enum rule_id id, unsigned int bits);

/* By name: max, mean, ... Return: enum rule_id, or -ENOENT */
int rule_by_name(const char *name);

#endif
