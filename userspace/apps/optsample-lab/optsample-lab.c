// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab - effect of the transport on one image, map, cloud or scan:
 * encode it, lose datagrams, decode the rest, and compare. See
 * optsample-lab(1).
 */
#include "lab.h"

static const struct cli_command commands[] = {
	{ "image", cmd_image,
	  "send a PNG image, as sub-images or multiple descriptions" },
	{ "cloud", cmd_cloud,
	  "send a cloud: .pcd, VLP-16 packets or float32 x y z intensity" },
	{ "map", cmd_map,
	  "send a .pgm occupancy grid, as tiles or as a pyramid" },
	{ "scan", cmd_scan,
	  "send VLP-16 packets as landmark and obstacle scan" },
	{ 0 }
};

int main(int argc, char **argv)
{
	cli_program = "optsample-lab";
	return cli_main(commands, argc, argv);
}
