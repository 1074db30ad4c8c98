// SPDX-License-Identifier: GPL-2.0-only
/*
 * slamd - simultaneous localization and mapping. See slamd(8).
 */
#include <stdlib.h>
#include "apps/slamd/slamd.h"
#include "base/cli.h"
#include "slam/filter/memory.h"

int main(int argc, char **argv)
{
	struct slamd_options o;

	cli_program = "slamd";
	if (argc > 0)
		argv[0] = (char *)cli_program;
	if (slamd_parse(&o, argc, argv))
		return CLI_USAGE;
	memory_limit((uint64_t)o.memory << 20);
	return (o.from ? slamd_live(&o) : slamd_replay(&o)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
