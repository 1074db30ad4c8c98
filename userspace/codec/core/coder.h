/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * coder.h - code numbers as adaptive binary decisions
 *
 * One function describes a format for both directions, so that encoder and
 * decoder cannot differ: code_bit(c, model, value) writes @value and returns
 * it, or reads and returns it. If all is inlined, @decode is a constant.
 */
#ifndef CODEC_CORE_CODER_H
#define CODEC_CORE_CODER_H

#include "base/cpu.h"
#include "codec/core/rangecoder.h"

enum {
	CODE_BUCKETS	= 18,	/* of magnitudes below 2^17 */
	CODE_LIMIT	= 60,	/* datagrams are short: learn fast */
	CODE_TRUST	= 16,	/* weight of a trained start, decisions */
};

struct coder {
	bool			decode;
	struct rc_encoder	e;
	struct rc_decoder	d;
};

/*
 * Start to write or to read; finish writing. Returned by value: a struct whose
 * address is not taken can stay in registers.
 */
INLINE struct coder code_encoder(uint8_t *buf, size_t size)
{
	struct rc_encoder e;

	rc_encoder_init(&e, buf, size, CODE_LIMIT);
	return (struct coder){ .decode = false, .e = e };
}

INLINE struct coder code_decoder(const uint8_t *buf, size_t size)
{
	struct rc_decoder d;

	rc_decoder_init(&d, buf, size, CODE_LIMIT, false);
	return (struct coder){ .decode = true, .d = d };
}

/* Return: bytes, or -1: the buffer was too small */
INLINE int code_finish(const struct coder *c)
{
	struct rc_encoder e = c->e;
	int len = rc_encoder_finish(&e);

	return e.overflow ? -1 : len;
}

INLINE int code_bit(struct coder *c, struct rc_bit *b, int bit)
{
	if (c->decode)
		return rc_decode(&c->d, b);
	rc_encode(&c->e, b, bit);
	return bit;
}

/* @n equally likely bits, see rc_encode_raw() */
INLINE uint32_t code_raw(struct coder *c, uint32_t value, unsigned int n)
{
	if (c->decode)
		return rc_decode_raw(&c->d, n);
	rc_encode_raw(&c->e, value, n);
	return value;
}

/* Start from trained probabilities of 0, in 1/256 */
static inline void code_trained(struct rc_bit *b, const uint8_t *trained,
				size_t n)
{
	for (size_t i = 0; i < n; i++)
		b[i] = (struct rc_bit){ trained[i] << 8, CODE_TRUST };
}

/* Code the bit length of a magnitude, from @middle outwards; at most @most */
INLINE unsigned int code_bucket(struct coder *c, struct rc_bit *above,
				     unsigned int middle, unsigned int most,
				     unsigned int bits)
{
	unsigned int t = middle;

	if (code_bit(c, &above[t], bits > t)) {
		while (++t < most &&
		       code_bit(c, &above[t], bits > t))
			;
		return t;
	}
	while (t && !code_bit(c, &above[t - 1], bits > t - 1))
		t--;
	return t;
}

/*
 * A number below 2^17 in magnitude. @above: [t]: has it more than t bits?
 * @middle: the likeliest length. The lower bits are coded as equally likely.
 */
INLINE int code_number(struct coder *c, struct rc_bit *above,
			    unsigned int middle, int value)
{
	uint32_t v = value < 0 ? -value : value;
	unsigned int bits = v ? 32 - __builtin_clz(v) : 0, left;

	bits = code_bucket(c, above, middle, CODE_BUCKETS - 1, bits);
	if (!bits)
		return 0;
	left = bits - 1;
	/* with the sign */
	v = code_raw(c, (v & ((1U << left) - 1)) << 1 | (value < 0), bits);
	value = 1U << left | v >> 1;
	return v & 1 ? -value : value;
}

#endif
