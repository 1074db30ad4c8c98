/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangecoder.h - adaptive binary arithmetic coder
 *
 * Any prefix of the stream decodes: a decoder of a prefix stops, by
 * rc_decoder.ended, at the first bit that the missing bytes could change; all
 * bits before it are correct. A complete stream is as short as possible; the
 * decoder reads zeros after it.
 *
 * Method: range coder of G. N. N. Martin (1979) for binary decisions, with
 * carries propagated into the written bytes.
 */
#ifndef CODEC_CORE_RANGECODER_H
#define CODEC_CORE_RANGECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct rc_bit - adaptive probability of a binary decision
 * @zero:	probability of 0, 1/65536
 * @seen:	decisions seen, up to the coder's limit: it learns as 1/(n +
 *		1.5)
 */
struct rc_bit {
	uint16_t zero;
	uint16_t seen;
};

#define RC_BIT_INIT	{ 32768, 0 }
enum { RC_LIMIT_MAX = 255 };

/* 32768 / (n + 1.5) */
extern const uint16_t rc_rate[RC_LIMIT_MAX + 1];

static inline void rc_bits_init(struct rc_bit *b, size_t n)
{
	while (n--)
		b[n] = (struct rc_bit)RC_BIT_INIT;
}

static inline void rc_learn(struct rc_bit *b, int bit, unsigned int limit)
{
	int target = (65536 - 32) - (-bit & (65536 - 64));

	b->zero += (target - b->zero) * rc_rate[b->seen] >> 15;
	b->seen += b->seen < limit;
}

/**
 * struct rc_encoder - writes
 * @limit:	of rc_bit.seen: a larger one suits steady sources
 * @overflow:	the buffer was too small: its content is invalid
 */
struct rc_encoder {
	uint64_t	low;
	uint32_t	range;
	unsigned int	limit;
	uint8_t		*start, *p, *end;
	bool		overflow;
};

/**
 * rc_encoder_init() - start to write into @buf
 * @limit: up to RC_LIMIT_MAX
 */
void rc_encoder_init(struct rc_encoder *rc, void *buf, size_t size,
		     unsigned int limit);

/* Not inline: needed about once in 256 bytes */
void rc_carry(uint8_t *start, uint8_t *p);

static inline void rc_encoder_shift(struct rc_encoder *rc)
{
	if (rc->low >> 32)
		rc_carry(rc->start, rc->p);
	if (rc->p < rc->end)
		*rc->p++ = rc->low >> 24;
	else
		rc->overflow = true;
	rc->low = (rc->low & 0x00ffffff) << 8;
	rc->range <<= 8;
}

/**
 * rc_encoder_finish() - end the stream
 *
 * Return: its length, bytes.
 */
size_t rc_encoder_finish(struct rc_encoder *rc);

/* bytes that are final except for a carry */
static inline size_t rc_encoder_bytes(const struct rc_encoder *rc)
{
	return rc->p - rc->start;
}

/* @bit: only 0 or 1 */
static inline void rc_encode(struct rc_encoder *rc, struct rc_bit *b, int bit)
{
	uint32_t split = (uint64_t)rc->range * b->zero >> 16;
	uint32_t one = -(uint32_t)bit;

	/* without a branch, which would be unpredictable */
	rc->low += split & one;
	rc->range = (split ^ one) + (rc->range & one) - one;
	rc_learn(b, bit, rc->limit);
	while (rc->range < 1U << 24)
		rc_encoder_shift(rc);
}

/* @n equally likely bits at once, up to 17: leaves 7 bits of range */
static inline void rc_encode_raw(struct rc_encoder *rc, uint32_t value,
				 unsigned int n)
{
	rc->range >>= n;
	rc->low += (uint64_t)value * rc->range;
	while (rc->range < 1U << 24)
		rc_encoder_shift(rc);
}

/**
 * struct rc_decoder - reads
 * @unknown:	what missing bytes could add to @code
 * @prefix:	bytes after the end are missing, otherwise they are zero
 * @ended:	the last decision, and all that follow, are invalid
 */
struct rc_decoder {
	uint32_t	range, code, unknown;
	unsigned int	limit;
	const uint8_t	*p, *end;
	bool		prefix, ended;
};

/**
 * rc_decoder_init() - start to read @size bytes at @buf
 * @prefix: they are a prefix of a longer stream
 */
void rc_decoder_init(struct rc_decoder *rc, const void *buf, size_t size,
		     unsigned int limit, bool prefix);

static inline void rc_decoder_shift(struct rc_decoder *rc)
{
	rc->range <<= 8;
	rc->code <<= 8;
	rc->unknown <<= 8;
	if (rc->p < rc->end)
		rc->code |= *rc->p++;
	else if (rc->prefix)
		rc->unknown |= 255;
}

static inline int rc_decode(struct rc_decoder *rc, struct rc_bit *b)
{
	uint32_t split = (uint64_t)rc->range * b->zero >> 16;
	int bit = rc->code >= split;
	uint32_t one = -(uint32_t)bit;

	if (__builtin_expect(rc->unknown, 0) && !bit &&
	    (uint64_t)rc->code + rc->unknown >= split)
		rc->ended = true;
	rc->code -= split & one;
	rc->range = (split ^ one) + (rc->range & one) - one;
	rc_learn(b, bit, rc->limit);
	while (rc->range < 1U << 24)
		rc_decoder_shift(rc);
	return bit;
}

static inline uint32_t rc_decode_raw(struct rc_decoder *rc, unsigned int n)
{
	uint32_t value;

	rc->range >>= n;
	value = rc->code / rc->range;
	/* only in a damaged stream */
	if (value >> n)
		value = (1U << n) - 1;
	if (rc->unknown &&
	    ((uint64_t)rc->code + rc->unknown) / rc->range != value)
		rc->ended = true;
	rc->code -= value * rc->range;
	while (rc->range < 1U << 24)
		rc_decoder_shift(rc);
	return value;
}

#endif
