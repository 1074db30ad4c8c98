// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_ros_tag - the classifier against its reference, by libFuzzer
 *
 *   fuzz_ros_tag [-runs=N] CORPUS...	see -help=1
 *
 * An input is a sequence of packets (input.h). Each must get the tag of the
 * reference (ref.h), and no byte outside of it may be read. A failing input
 * ends the process, and is left in crash-*.
 */
#include <stdio.h>
#include <stdlib.h>
#include "input.h"
#include "kernel.h"
#include "ref.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wrong(int n, const char *why, const struct optsample_tag *t)
{
	fprintf(stderr, "packet %d: %s: %08x %08x %08x %08x%08x\n", n, why,
		t->mark, t->flow, t->message, t->pos_hi, t->pos_lo);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	static struct input_packet p;
	struct optsample_tag tag;
	const char *why;

	kernel_reset();
	ref_reset();
	for (int n = 0; n < INPUT_PACKETS && input_next(&data, end, &p); n++) {
		kernel_run(&p, (uint64_t)n * INPUT_MM, &tag);
		why = ref_check(&p, (uint64_t)n * INPUT_MM, &tag);
		if (why)
			wrong(n, why, &tag);
	}
	return 0;
}
