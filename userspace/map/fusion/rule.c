// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule - the table of fusion rules
 *
 * All sums are integers, so the order of submaps does not matter.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "base/cpu.h"
#include "map/fusion/cells.h"
#include "map/fusion/rule.h"
#if CPU_X86
#include <immintrin.h>
#endif

/* RULE_STEP lanes at any address; the compiler chooses the instructions */
#define VECTOR(name, type)						\
	typedef type name __attribute__((				\
		vector_size(RULE_STEP * sizeof(type)), may_alias, aligned(1)))

VECTOR(bytes, int8_t);
VECTOR(shorts, int16_t);
VECTOR(ints, int32_t);
VECTOR(longs, int64_t);

/*
 * Each lane of a < b: all ones or 0. For NEON gcc compares vectors that are
 * longer than its registers lane by lane.
 */
#if CPU_NEON
#define LESS(a, b) __extension__ ({					\
	const __typeof__(a) less_a = (a), less_b = (b);			\
	typedef __typeof__(less_a[0]) less_part				\
		__attribute__((vector_size(16), may_alias));		\
	__typeof__(less_a < less_b) less_mask;				\
									\
	for (size_t less_i = 0; less_i < sizeof(less_a) / 16; less_i++)	\
		((less_part *)&less_mask)[less_i] = (less_part)		\
			(((const less_part *)&less_a)[less_i] <		\
			 ((const less_part *)&less_b)[less_i]);		\
	less_mask;							\
})
#else
#define LESS(a, b)	((a) < (b))
#endif

#define KNOWN(type, v)	LESS((type){ 0 } - 1, v)

#define CHOOSE(type, mask, a, b)	\
	(((type)(mask) & (a)) | (~(type)(mask) & (b)))

/* In steps of doubling, for which CPUs have instructions */
#define WIDEN(v, type)	__builtin_convertvector(__builtin_convertvector( \
			__builtin_convertvector(v, shorts), ints), type)

/*
 * ADD(rule, accumulators, cells) { body }: adds RULE_STEP cells: *to, *from,
 * *weights if that is not NULL
 */
#define ADD(rule, accs, cell)						\
	INLINE void NAME(rule##_step)(accs *to, const cell *from,	\
		const bytes *weights, const struct rule_source *source);\
	CPU_CLONES static void NAME(rule##_add)(void *to,		\
		const struct rule_blocks *blocks,			\
		const struct rule_source *source)			\
	{								\
		const struct rule_source s = *source;			\
		const struct rule_blocks b = *blocks;			\
		const size_t size = sizeof(accs) / RULE_STEP;		\
									\
		for (unsigned int i = 0; i < b.count; i++)		\
			NAME(rule##_step)(				\
				(accs *)((char *)to + b.at[i] * size),	\
				(const cell *)b.cells + i,		\
				b.weights ? (const bytes *)b.weights + i : \
					    NULL, &s);			\
	}								\
	INLINE void NAME(rule##_step)(accs *to, const cell *from,	\
		const bytes *weights UNUSED,				\
		const struct rule_source *source UNUSED)

#define UNUSED		__attribute__((unused))

enum {
	MEAN_AT_8	= 20,	/* bits of a sum of values */
	MEAN_AT_16	= 40,
	WEIGHT_AT	= 38,	/* bits of a weighted sum */
	LOGIT_ONE	= 4096,	/* value of 1.0 in a table */
	LOG_ODDS_MAX	= (1 << 30) + 1, /* 28,000 certain observations */
};

/* 0 and 1 are not treated as certain */
static const double PROBABILITY_MIN = 0.01;

static int16_t logit_8[CELLS_FULL_8 + 1], logit_16[CELLS_FULL_16 + 1];

/*
 * Logit of @v of @full. Values other than 0 and full are a step of the table
 * less certain than these, so that a single observation is returned unchanged
 */
static int16_t logit_of(int v, int full)
{
	const double max = log((1 - PROBABILITY_MIN) / PROBABILITY_MIN);
	const double most = lrint(max * LOGIT_ONE) - (v > 0 && v < full);
	const double p = (double)v / full, logit = log(p / (1 - p)) * LOGIT_ONE;

	return lrint(fmin(fmax(logit, -most), most));
}

__attribute__((constructor))
static void rule_make_tables(void)
{
	for (int v = 0; v <= CELLS_FULL_8; v++)
		logit_8[v] = logit_of(v, CELLS_FULL_8);
	for (int v = 0; v <= CELLS_FULL_16; v++)
		logit_16[v] = logit_of(v, CELLS_FULL_16);
}

static void latest_values(const void *from, unsigned int n, int16_t *to)
{
	const uint64_t *acc = from;

	for (unsigned int i = 0; i < n; i++)
		to[i] = (int16_t)(acc[i] & 0xffff) - 1;
}

static void weighted_values(const void *from, unsigned int n, int16_t *to)
{
	const uint64_t *acc = from;

	for (unsigned int i = 0; i < n; i++) {
		const uint64_t sum = acc[i] & ((1ULL << WEIGHT_AT) - 1);
		const uint64_t weight = acc[i] >> WEIGHT_AT;

		to[i] = weight ? (int16_t)((2 * sum + weight) / (2 * weight)) :
				 -1;
	}
}

#define NAME(x)		x##_8
#define CELL		int8_t
#define UCELL		uint8_t
#define SUM		uint32_t
#define ISUM		int32_t
#define COUNT_AT	MEAN_AT_8
#define MEAN_CELLS	cells_8
#define FULL		CELLS_FULL_8
#include "rule_body.h"
#undef NAME
#undef CELL
#undef UCELL
#undef SUM
#undef ISUM
#undef COUNT_AT
#undef MEAN_CELLS
#undef FULL

/* 8 bits, for more submaps than MEAN_AT_8 leaves bits to count */
#define NAME(x)		x##_wide
#define SUM		uint64_t
#define ISUM		int64_t
#define COUNT_AT	MEAN_AT_16
#define MEAN_CELLS	cells_8
#include "rule_mean_body.h"
#undef NAME
#undef SUM
#undef ISUM
#undef COUNT_AT
#undef MEAN_CELLS

#define NAME(x)		x##_16
#define CELL		int16_t
#define UCELL		uint16_t
#define SUM		uint64_t
#define ISUM		int64_t
#define COUNT_AT	MEAN_AT_16
#define MEAN_CELLS	cells_16
#define FULL		CELLS_FULL_16
#include "rule_body.h"

#if CPU_X86
/* the compiler's code for this CPU takes three times as long */
CPU_AVX512
static void mean_add_avx512(void *to, const struct rule_blocks *blocks)
{
	const __m512i one = _mm512_set1_epi32(1 << MEAN_AT_8);
	const __m512i full = _mm512_set1_epi32(~((1 << MEAN_AT_8) - 1));
	const struct rule_blocks b = *blocks;

	for (unsigned int i = 0; i < b.count; i++) {
		uint32_t *acc = (uint32_t *)to + b.at[i];
		const __m128i cells = _mm_loadu_si128((const __m128i *)b.cells +
						      i);
		const __m512i was = _mm512_loadu_si512(acc);
		const __m512i more = _mm512_add_epi32(one,
					_mm512_cvtepi8_epi32(cells));
		const __mmask16 use = _mm512_mask_cmplt_epu32_mask(
					~_mm_movepi8_mask(cells), was, full);

		_mm512_storeu_si512(acc, _mm512_mask_add_epi32(was, use, was,
							       more));
	}
}

#endif

static void mean_add_bytes(void *to, const struct rule_blocks *blocks,
			   const struct rule_source *source)
{
#if CPU_X86
	if (cpu_avx512()) {
		mean_add_avx512(to, blocks);
		return;
	}
#endif
	mean_add_8(to, blocks, source);
}

/* Largest count beside MEAN_AT_8 */
enum { MEAN_MOST_8 = (1 << (32 - MEAN_AT_8)) - 1 };

static const struct rule mean_wide = {
	"mean", 8, 0, mean_add_wide, mean_values_wide, 0, NULL
};

static const struct rule rules[RULES][2] = {
	[RULE_MAX] = {
		{ "max", 1, 0xff, max_add_8, same_values_8, 0, NULL },
		{ "max", 2, 0xff, max_add_16, same_values_16, 0, NULL },
	},
	[RULE_MEAN] = {
		{ "mean", 4, 0, mean_add_bytes, mean_values_8, MEAN_MOST_8,
		  &mean_wide },
		{ "mean", 8, 0, mean_add_16, mean_values_16, 0, NULL },
	},
	[RULE_MIN] = {
		{ "min", 1, 0xff, min_add_8, same_values_8, 0, NULL },
		{ "min", 2, 0xff, min_add_16, same_values_16, 0, NULL },
	},
	[RULE_LATEST] = {
		{ "latest", 8, 0, latest_add_8, latest_values, 0, NULL },
		{ "latest", 8, 0, latest_add_16, latest_values, 0, NULL },
	},
	[RULE_LOG_ODDS] = {
		{ "log-odds", 4, 0, log_odds_add_8, log_odds_values_8, 0, NULL },
		{ "log-odds", 4, 0, log_odds_add_16, log_odds_values_16, 0, NULL },
	},
	[RULE_WEIGHTED] = {
		{ "weighted", 8, 0, weighted_add_8, weighted_values, 0, NULL },
		{ "weighted", 8, 0, weighted_add_16, weighted_values, 0, NULL },
	},
};

const struct rule *rule_get(enum rule_id id, unsigned int bits)
{
	return &rules[id][bits == 16];
}

int rule_by_name(const char *name)
{
	for (int id = 0; id < RULES; id++)
		if (!strcmp(rules[id][0].name, name))
			return id;
	return -ENOENT;
}
