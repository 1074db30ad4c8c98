// SPDX-License-Identifier: GPL-2.0-only
/*
 * link_trace - what a link does: lines of "seconds bit/s loss delay_ms"
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "link_model.h"

enum { LINE = 256, CHANGES = 100000 };

static int trace_line(const char *path, unsigned int number, const char *line,
		      struct link_sim_change *c)
{
	double rate, delay;
	char rest;

	if (sscanf(line, "%lf %lf %lf %lf %c", &c->time, &rate, &c->loss,
		   &delay, &rest) != 4 ||
	    !(c->time >= 0 && c->time <= 86400 && rate >= 0 && rate <= 1e10 &&
	      c->loss >= 0 && c->loss <= 1 && delay >= 0 && delay <= 60000))
		return cli_error(-EINVAL, "%s:%u: not 'seconds bit/s loss ms'",
				 path, number);
	c->rate = rate / 8;
	c->delay = delay * 1e-3;
	return 0;
}

int link_sim_trace_read(const char *path, struct link_sim_change **changes,
			unsigned int *count)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	unsigned int number = 0, n = 0;
	struct link_sim_change *c = NULL;
	char line[LINE];
	int err = 0;

	if (!f)
		return cli_error(-errno, "%s: %s", path, strerror(errno));
	while (!err && fgets(line, sizeof(line), f)) {
		number++;
		if (line[strspn(line, " \t\r\n")] == '\0' || *line == '#')
			continue;
		if (n % 256 == 0) {
			void *more = realloc(c, (n + 256) * sizeof(*c));

			if (!more || n >= CHANGES) {
				free(more ? more : c);
				c = NULL;
				err = cli_error(-ENOMEM, "%s: too long",
						path);
				break;
			}
			c = more;
		}
		err = trace_line(path, number, line, &c[n]);
		if (!err && n && c[n].time < c[n - 1].time)
			err = cli_error(-EINVAL,
					"%s:%u: earlier than the line before",
					path, number);
		n++;
	}
	if (f != stdin)
		fclose(f);
	if (!err && (!n || c[0].time > 0))
		err = cli_error(-EINVAL, "%s: nothing for 0 s", path);
	*changes = c;
	*count = n;
	return err;
}
