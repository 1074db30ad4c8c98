// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab - what the transport does to one image, map, cloud or scan:
 * encode it, lose datagrams, decode what is left, and compare. See
 * optsample-lab(1).
 */
#include "lab.h"

static const struct cli_command commands[] = {
	{ "image", cmd_image, "a PNG file, as sub-images or multiple descriptions" },
	{ 0 }
};

int main(int argc, char **argv)
{
	cli_program = "optsample-lab";
	return cli_main(commands, argc, argv);
}
