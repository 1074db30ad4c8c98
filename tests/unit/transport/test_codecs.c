// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_codecs - the table of codecs: numbers on the wire, names, and for each
 * kind of message one codec that is usual
 */
#include <errno.h>
#include <string.h>
#include "tap.h"
#include "transport/codec.h"

/* As they are in the flags of segments and in users' settings: never changed */
static const char *const names[] = {
	"blob", "md", "split", "range", "block", "cloud80", "vscan", "tiles",
	"pyramid", "scan", "layers", "depth", "values",
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void test_names(void)
{
	unsigned int good = 0, own = 0;

	for (unsigned int i = 0; i < CODECS && i < NAMES; i++)
		good += !strcmp(codec_name(i), names[i]);
	for (unsigned int i = 0; i < CODECS; i++)
		own += codec_of(codec_name(i)) == (int)i;
	ok((int)CODECS >= (int)NAMES, "numbers and names stay");
	ok_eq(good, NAMES, "numbers and names stay");
	ok_eq(own, CODECS, "a name is of one codec");
	ok_eq(codec_of("jpeg"), -ENOENT, "a name is of one codec");
}

static void test_kinds(void)
{
	unsigned int one = 0, takes = 0, blob = 0, beyond = 0;

	for (unsigned int kind = 0; kind < MESSAGE_KINDS; kind++) {
		unsigned int usual = 0;

		for (unsigned int i = 0; i < CODECS; i++)
			usual += codec_get(i)->usual >> kind & 1;
		one += usual <= 1;
		takes += codec_takes(codec_default(kind), kind);
		blob += codec_takes(CODEC_BLOB, kind);
	}
	for (unsigned int i = 0; i < CODECS; i++)
		beyond += !!(codec_get(i)->usual & ~codec_get(i)->kinds);
	ok_eq(one, MESSAGE_KINDS,
	      "a kind has one usual codec at most, which takes it");
	ok(!beyond, "a kind has one usual codec at most, which takes it");
	ok_eq(takes, MESSAGE_KINDS, "each kind can travel, and as a blob");
	ok_eq(blob, MESSAGE_KINDS, "each kind can travel, and as a blob");
}

/* All but blob have their kinds in common with codecs of the same input */
static void test_inputs(void)
{
	unsigned int good = 0;

	for (unsigned int i = 0; i < CODECS; i++) {
		const struct codec *a = codec_get(i);
		bool same = a->encode && a->decode && a->decode_free;

		for (unsigned int k = 0; k < CODECS; k++) {
			const struct codec *b = codec_get(k);

			if (a->input && b->input && a->kinds & b->kinds)
				same &= a->input == b->input;
		}
		good += same;
	}
	ok(good == CODECS, "codecs of a kind read the same of a message");
}

int main(void)
{
	test_names();
	test_kinds();
	test_inputs();
	return tap_done();
}
