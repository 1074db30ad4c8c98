// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimd - GDIM, the layered map store that follows the pose graph. See
 * gdimd(8).
 */
#include <string.h>
#include <syslog.h>
#include "apps/gdimd/gdimd.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/service.h"

int main(int argc, char **argv)
{
	static struct gdimd g;
	struct site_counts c;
	struct error error;
	int ret;

	cli_program = "gdimd";
	argv[0] = (char *)cli_program;
	if (config_parse(&g.config, argc, argv))
		return 2;
	ret = gdimd_open(&g, &error);
	if (ret) {
		cli_error(ret, "%s", error.text);
	} else {
		service_ready(g.loop);
		c = site_counts(g.site);
		service_logf(LOG_INFO, "%s: %u submaps of %u nodes, %u layers",
			     g.config.store, c.submaps, c.nodes,
			     site_layers(g.site));
		ret = loop_run(g.loop);
		if (ret)
			cli_error(ret, "%s", strerror(-ret));
		service_stopping(g.loop);
	}
	gdimd_close(&g);
	return ret ? 1 : 0;
}
