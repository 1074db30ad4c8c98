// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_first_slamd - the first messages of the topics that slamd reads
 *
 * Input: a byte of settings, then messages of any type (odd_first.h) to a new
 * laser_input, as live ones come and as a log is read. What it makes of them
 * has to be a reading that the filter may have.
 */
#include <stdlib.h>
#include "laser/input.h"
#include "odd_first.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES = 6 };

static void take(struct laser_input *in)
{
	struct reading r;

	while (laser_input_next(in, &r))
		if (!reading_valid(&r))
			abort();
}

/* The types that it is about come more often than others */
static void prefer(struct first *f, struct odd *o)
{
	static const enum message_kind kinds[] = {
		MESSAGE_LASER_SCAN, MESSAGE_ODOMETRY, MESSAGE_TRANSFORMS,
	};

	for (unsigned int i = 0; i < 6; i++) {
		if (!first_message(o, MESSAGE_KINDS, f))
			return;
		for (unsigned int k = 0; k < 3; k++)
			if (f->kind == kinds[k])
				return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 900, 0 };
	const struct pose laser = { .1, 0, 0 };
	const uint8_t bits = odd_byte(&o);
	const struct laser_input_config config = {
		.odometry = bits & 1, .laser = bits & 2 ? &laser : NULL,
		.patience = 1000000000,
	};
	char text[LASER_INPUT_TEXT];
	struct laser_input *in = laser_input_new(&config);
	static union message m;
	static struct first f;

	for (unsigned int i = 0; in && i < MESSAGES && odd_left(&o); i++) {
		prefer(&f, &o);
		if (message_read(f.kind, f.format, f.data, f.len, &m))
			continue;
		laser_input_add(in, f.kind, &m, bits & 4,
				1700000000000000000);
		take(in);
		laser_input_lacks(in, text);
	}
	if (in) {
		laser_input_end(in);
		take(in);
	}
	laser_input_free(in);
	return 0;
}
