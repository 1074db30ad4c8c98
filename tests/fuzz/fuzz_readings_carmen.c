// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_readings_carmen - hostile logs of CARMEN
 */
#include "readings_file.h"

static const char *const words[] = {
	"ODOM ", "FLASER ", "ROBOTLASER1 ", "PARAM ", "RLASER ", "\n", "\n# ",
	"FLASER 2 1 81.83 0 0 0 1 2 3 5 h 5\n", "ODOM 1 2 3 0 0 0 5 h 5\n",
	"ROBOTLASER1 0 -1 2 .5 9 .1 0 2 1 2 0 0 0 0 1 2 3 0 0 0 0 0 5 h 5\n",
	"FLASER 3 1 2 ", " 0 0 0 0 0 0", " nan", " inf", " -1", " 1e9", " 181",
	" 16384", " 999999999999999999999", "robot_frontlaser_offset ",
	"robot_front_laser_max ", "laser_front_laser_fov ",
	"laser_front_laser_resolution ", " 0.5", " 180", " 3.14159", " 81.83",
	" h 5\n", "\r\n", "1e-300", "\t", "#",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	play("FLASER 2 1 2 0 0 0 0 0 0 5 h 5\n", words,
	     sizeof(words) / sizeof(words[0]), data, size);
	return 0;
}
