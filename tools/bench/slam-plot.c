// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-plot - times of each reading, panels one above the other
 *
 *	slam-plot STEP OUT <TEXT
 *
 * TEXT: a panel a line: TITLE<tab>TOP<tab>V,V,V...; STEP: seconds between two
 * values; TOP: of the axis, 0: as it needs. OUT is .svg or .png.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../sim/link_plot.h"

enum { PANELS = 4, MOST = 4096 };

static double at[MOST], value[PANELS][MOST];
static struct plot_panel panel[PANELS];

/* Return: how many values, 0: that is no panel */
static unsigned int read_panel(char *line, struct plot_panel *p, double *to)
{
	char *title = strsep(&line, "\t"), *top = strsep(&line, "\t"), *v;
	unsigned int count = 0;

	if (!line)
		return 0;
	p->title = title;
	p->top = atof(top);
	p->line[0] = (struct plot_line){
		.name = " ", .colour = { .00, .45, .70 }, .value = to,
	};
	while ((v = strsep(&line, ",")) && count < MOST)
		to[count++] = atof(v);
	return count;
}

/* Return: whether all lines were panels of as many values */
static bool read_all(struct plot *p)
{
	static char *line[PANELS];
	size_t room[PANELS] = { 0 };

	for (; p->panels < PANELS; p->panels++) {
		const unsigned int n = p->panels;
		unsigned int count;

		/* titles stay in there until the end of the program */
		if (getline(&line[n], &room[n], stdin) <= 0)
			break;
		count = read_panel(line[n], &panel[n], value[n]);
		if (!count || (n && count != p->count))
			return false;
		p->count = count;
	}
	return p->panels;
}

int main(int argc, char **argv)
{
	struct plot p = { .time = at, .panel = panel };

	if (argc != 3 || atof(argv[1]) <= 0) {
		fputs("usage: slam-plot STEP OUT <TEXT\n", stderr);
		return 2;
	}
	if (!read_all(&p)) {
		fputs("slam-plot: not panels of as many values\n", stderr);
		return 1;
	}
	for (unsigned int i = 0; i < p.count; i++)
		at[i] = i * atof(argv[1]);
	return plot_write(&p, argv[2]) ? 1 : 0;
}
