// SPDX-License-Identifier: GPL-2.0-only
/*
 * rangecoder - start and end of the coders of rangecoder.h
 */
#include <assert.h>
#include "rangecoder.h"

#define RATE(n)		[n] = 65536 / (2 * (n) + 3)
#define RATE4(n)	RATE(n), RATE((n) + 1), RATE((n) + 2), RATE((n) + 3)
#define RATE16(n)	RATE4(n), RATE4((n) + 4), RATE4((n) + 8), RATE4((n) + 12)
#define RATE64(n)	RATE16(n), RATE16((n) + 16), RATE16((n) + 32), \
			RATE16((n) + 48)

const uint16_t rc_rate[RC_LIMIT_MAX + 1] = {
	RATE64(0), RATE64(64), RATE64(128), RATE64(192),
};

void rc_encoder_init(struct rc_encoder *rc, void *buf, size_t size,
		     unsigned int limit)
{
	*rc = (struct rc_encoder){
		.range = UINT32_MAX,
		.limit = limit,
		.start = buf,
		.p = buf,
		.end = (uint8_t *)buf + size,
	};
}

/* A carry never passes the start: @low is below 1 before the first byte */
void rc_carry(uint8_t *start, uint8_t *p)
{
	while (p > start && !++*--p)
		;
}

size_t rc_encoder_finish(struct rc_encoder *rc)
{
	uint64_t top = rc->low + rc->range - 1, value;
	int shift = 32;

	/* the number in the range with the most trailing zeros */
	do {
		shift -= 8;
		value = top >> shift << shift;
	} while (value < rc->low);
	assert(value >= rc->low && value <= top);
	rc->low = value;
	rc->range = UINT32_MAX;
	for (int i = 0; i < 4; i++)
		rc_encoder_shift(rc);
	while (rc->p > rc->start && !rc->p[-1])
		rc->p--;
	return rc->p - rc->start;
}

void rc_decoder_init(struct rc_decoder *rc, const void *buf, size_t size,
		     unsigned int limit, bool prefix)
{
	*rc = (struct rc_decoder){
		.limit = limit,
		.p = buf,
		.end = (const uint8_t *)buf + size,
		.prefix = prefix,
	};
	for (int i = 0; i < 4; i++)
		rc_decoder_shift(rc);
	rc->range = UINT32_MAX;
}
