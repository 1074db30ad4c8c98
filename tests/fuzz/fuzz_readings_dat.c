// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_readings_dat - hostile logs of tinySLAM
 */
#include "readings_file.h"

#define FOUR(x)		x x x x
#define SIXTEEN(x)	FOUR(FOUR(x))
#define MANY		FOUR(SIXTEEN(" 1500 2 3000 0 7 1 2"))
#define SCAN(us, left, right) us " 7 " left " " right FOUR(" 0 1 2.5 0 0") \
	MANY FOUR(FOUR(FOUR(" 999 888 777 66"))) "\n"

static const char *const words[] = {
	SCAN("3000", "10", "20"), SCAN("9000", "5000", "-700"), MANY,
	" 7 10 20", FOUR(" 0 1 2.5 0 0"), "\n", " nan", " inf", " 1e12",
	" -1e300", " 4294967295", " 2.5", " 19", " ", ",", "\r\n",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	play(SCAN("1000", "0", "0"), words, sizeof(words) / sizeof(words[0]),
	     data, size);
	return 0;
}
