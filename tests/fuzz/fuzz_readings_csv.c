// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_readings_csv - hostile logs of Simbad
 */
#include "readings_file.h"

static const char *const words[] = {
	"100,0.1,-1,1,.5,0,0,0,", "1,2,3\n", ",", ",,", "\n", "\r\n", "nan",
	"inf", "-inf", "1e308", "-1e308", "1e-308", "1,", "0.25,", "-7,",
	"99999999999999999999999,", "2.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5,", " ",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	play("100,0.1,-1,1,.5,0,0,0,1,2\n", words,
	     sizeof(words) / sizeof(words[0]), data, size);
	return 0;
}
