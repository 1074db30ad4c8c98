/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * erasure.h - Reed-Solomon code: any @need of @count rows give all data
 *
 * Systematic: rows 0 .. need - 1 are the data, the others parity. GF(256),
 * generator matrix identity over Cauchy, as libisal's gf_gen_cauchy1_matrix.
 */
#ifndef CODEC_CORE_ERASURE_H
#define CODEC_CORE_ERASURE_H

#include <stddef.h>
#include <stdint.h>

enum { ERASURE_ROWS = 255 };

struct erasure;

/**
 * erasure_create() - scratch memory for codes of up to @rows rows
 *
 * Return: to be freed with erasure_destroy(), NULL: no memory or too many.
 */
struct erasure *erasure_create(unsigned int rows);
void erasure_destroy(struct erasure *e);

/**
 * erasure_encode() - parity of @need rows of data
 * @row: @count of them, the first @need are read, the others written
 * @len: bytes of each
 */
void erasure_encode(struct erasure *e, unsigned int count, unsigned int need,
		    uint8_t *const row[], size_t len);

/**
 * erasure_decode() - missing rows of data from what is there
 * @row: @count of them: what is there is read; of the first @need what is
 *	missing is written. Of the parity as much is overwritten as is needed.
 * @there: of each row
 *
 * Return: 0, -ENODATA: fewer than @need are there, nothing is written.
 */
int erasure_decode(struct erasure *e, unsigned int count, unsigned int need,
		   uint8_t *const row[], const uint8_t there[], size_t len);

/* the reference: byte by byte, by elimination; leaves parity as it is */
void erasure_encode_ref(unsigned int count, unsigned int need,
			uint8_t *const row[], size_t len);
int erasure_decode_ref(unsigned int count, unsigned int need,
		       uint8_t *const row[], const uint8_t there[],
		       size_t len);

#endif
