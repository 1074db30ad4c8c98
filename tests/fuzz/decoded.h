/* SPDX-License-Identifier: GPL-2.0-only */
/* What a decoder hands out can be serialized and read again */
#ifndef OPTSAMPLE_FUZZ_DECODED_H
#define OPTSAMPLE_FUZZ_DECODED_H

#include <stdlib.h>
#include "transport/decode.h"

static inline void decoded(void *arg, const struct decode_result *r)
{
	static uint8_t bytes[8 << 20];
	static union message back;
	long len = message_write(r->kind, MESSAGE_CDR, r->msg, bytes,
				 sizeof(bytes));

	(void)arg;
	if (!(r->share >= 0 && r->share <= 1))
		abort();
	if (len > 0 && message_read(r->kind, MESSAGE_CDR, bytes, len, &back))
		abort();
}

#endif
