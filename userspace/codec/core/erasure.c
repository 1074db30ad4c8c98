// SPDX-License-Identifier: GPL-2.0-only
/*
 * erasure - Reed-Solomon code on libisal
 *
 * Only the missing rows of data are solved for: the rows that arrived are
 * subtracted from as many rows of parity. The rest is a Cauchy matrix, whose
 * inverse is known in closed form (Schechter 1959).
 */
#include <assert.h>
#include <errno.h>
#include <isa-l/erasure_code.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/erasure.h"

enum { TABLE = 32 };		/* bytes of libisal's table of a coefficient */

/**
 * struct erasure - scratch memory
 * @matrix: at most half by half the rows, for both directions
 */
struct erasure {
	unsigned int	rows;
	uint8_t		*matrix, *tables;
	uint8_t		*from[ERASURE_ROWS], *to[ERASURE_ROWS];
};

struct erasure *erasure_create(unsigned int rows)
{
	size_t most = (size_t)(rows / 2 + 1) * (rows / 2 + 1);
	struct erasure *e;

	if (!rows || rows > ERASURE_ROWS)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->rows = rows;
	e->matrix = malloc(most);
	e->tables = malloc(most * TABLE);
	if (!e->matrix || !e->tables) {
		erasure_destroy(e);
		return NULL;
	}
	return e;
}

void erasure_destroy(struct erasure *e)
{
	if (!e)
		return;
	free(e->matrix);
	free(e->tables);
	free(e);
}

/* e->matrix times rows of e->from gives rows of e->to */
static void multiply(struct erasure *e, unsigned int from, unsigned int to,
		     size_t len)
{
	ec_init_tables(from, to, e->matrix, e->tables);
	ec_encode_data(len, from, to, e->tables, e->from, e->to);
}

void erasure_encode(struct erasure *e, unsigned int count, unsigned int need,
		    uint8_t *const row[], size_t len)
{
	uint8_t *m = e->matrix;

	if (need == count || !len)
		return;
	if (need == 1) {
		for (unsigned int i = 1; i < count; i++)
			memcpy(row[i], row[0], len);
		return;
	}
	for (unsigned int i = need; i < count; i++)
		for (unsigned int j = 0; j < need; j++)
			*m++ = gf_inv(i ^ j);
	memcpy(e->from, row, need * sizeof(*row));
	memcpy(e->to, row + need, (count - need) * sizeof(*row));
	multiply(e, need, count - need, len);
}

/*
 * Inverse of a[i][j] = 1 / (x[i] + y[j]), @n by @n:
 * prod_k (x[i] + y[k]) (x[k] + y[j]) /
 * ((x[i] + y[j]) prod_k!=i (x[i] + x[k]) prod_k!=j (y[j] + y[k]))
 */
static void invert_cauchy(uint8_t *m, const uint8_t *x, const uint8_t *y,
			  unsigned int n)
{
	uint8_t u[ERASURE_ROWS], v[ERASURE_ROWS];

	for (unsigned int i = 0; i < n; i++) {
		uint8_t over = 1, under = 1, over_y = 1, under_y = 1;

		for (unsigned int k = 0; k < n; k++) {
			over = gf_mul(over, x[i] ^ y[k]);
			over_y = gf_mul(over_y, x[k] ^ y[i]);
			if (k == i)
				continue;
			under = gf_mul(under, x[i] ^ x[k]);
			under_y = gf_mul(under_y, y[i] ^ y[k]);
		}
		u[i] = gf_mul(over, gf_inv(under));
		v[i] = gf_mul(over_y, gf_inv(under_y));
	}
	for (unsigned int j = 0; j < n; j++)
		for (unsigned int i = 0; i < n; i++)
			*m++ = gf_mul(gf_mul(u[i], v[j]),
				      gf_inv(x[i] ^ y[j]));
}

static void erasure_add(uint8_t *to, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] ^= from[i];
}

int erasure_decode(struct erasure *e, unsigned int count, unsigned int need,
		   uint8_t *const row[], const uint8_t there[], size_t len)
{
	uint8_t x[ERASURE_ROWS], y[ERASURE_ROWS], *m = e->matrix;
	unsigned int have = 0, missing = 0, parity = 0;

	for (unsigned int j = 0; j < need; j++)
		if (there[j])
			e->from[have++] = row[j];
		else
			y[missing++] = j;
	for (unsigned int i = need; i < count && parity < missing; i++)
		if (there[i])
			x[parity++] = i;
	if (parity < missing)
		return -ENODATA;
	if (!missing || !len)
		return 0;
	if (need == 1) {
		memcpy(row[0], row[x[0]], len);
		return 0;
	}
	assert(have + missing == need && parity == missing);
	/* turn the parity into that of the missing rows alone */
	if (have) {
		for (unsigned int i = 0; i < missing; i++) {
			for (unsigned int j = 0; j < need; j++)
				if (there[j])
					*m++ = gf_inv(x[i] ^ j);
			e->to[i] = row[y[i]];
		}
		multiply(e, have, missing, len);
		for (unsigned int i = 0; i < missing; i++)
			erasure_add(row[x[i]], row[y[i]], len);
	}
	invert_cauchy(e->matrix, x, y, missing);
	for (unsigned int i = 0; i < missing; i++) {
		e->from[i] = row[x[i]];
		e->to[i] = row[y[i]];
	}
	multiply(e, missing, missing, len);
	return 0;
}
