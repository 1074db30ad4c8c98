/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rule.h - what becomes of a cell that several submaps know
 *
 * Each rule is a few functions on blocks of accumulators. Whatever the order in
 * which submaps are added, the result is the same, bit by bit: so a map that
 * grew is one that was fused anew.
 */
#ifndef MAP_FUSION_RULE_H
#define MAP_FUSION_RULE_H

#include <stddef.h>
#include <stdint.h>

enum rule_id {
	RULE_MAX,	/* D4.1, section 6.3: "maximum cell value" */
	RULE_MEAN,	/* "mean cell value", rounded half up */
	RULE_MIN,
	RULE_LATEST,	/* of the submap with the latest stamp */
	RULE_LOG_ODDS,	/* values are probabilities; Moravec and Elfes 1985 */
	RULE_WEIGHTED,	/* mean weighted by confidence, rounded half up */
	RULES,
};

/**
 * struct rule_source - a submap that is added
 * @stamp:	ns; for RULE_LATEST; below zero counts as zero
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
 * struct rule_blocks - what is added to accumulators
 * @at:		of each block: the number of its first accumulator
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
 * struct rule - one of them, for one kind of cells
 * @size:	bytes of an accumulator
 * @empty:	every byte of one to which nothing was added
 * @add:
 * @values:	fused values of @n accumulators; -1: unknown
 * @most:	submaps that one accumulator can take; 0: more than there can be
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

/* The rule for cells of 8 or 16 bits */
const struct rule *rule_get(enum rule_id id, unsigned int bits);

/* max, mean, ... Return: enum rule_id, or -ENOENT */
int rule_by_name(const char *name);

#endif
