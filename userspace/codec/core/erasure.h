/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * erasure.h - Reed-Solomon code: any @need of @count rows restore all data
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
 * Return: free with erasure_destroy(), NULL: no memory or too many.
 */
struct erasure *erasure_create(unsigned int rows);
void erasure_destroy(struct erasure *e);

/**
 * erasure_encode() - parity of @need rows of data
 * @row: @count rows, the first @need are read, the others are written
 * @len: bytes of each
 */
void erasure_encode(struct erasure *e, unsigned int count, unsigned int need,
		    uint8_t *const row[], size_t len);

/**
 * erasure_decode() - restore missing rows of data
 * @row: @count rows: present ones are read; missing ones of the first @need are
 *	written. Parity rows that are needed are overwritten.
 * @there: whether each row is present
 *
 * Return: 0, -ENODATA: fewer than @need are present, nothing is written.
 */
int erasure_decode(struct erasure *e, unsigned int count, unsigned int need,
		   uint8_t *const row[], const uint8_t there[], size_t len);

/* the reference: byte by byte, by elimination; keeps the parity */
void erasure_encode_ref(unsigned int count, unsigned int need,
			uint8_t *const row[], size_t len);
int erasure_decode_ref(unsigned int count, unsigned int need,
		       uint8_t *const row[], const uint8_t there[],
		       size_t len);

#endif
