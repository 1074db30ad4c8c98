// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of link-sim as four panels: rates, loss, delay, and what the camera's
 * frames weigh.
 */
#include <errno.h>
#include <stdlib.h>
#include "link_plot.h"
#include "link_model.h"

enum { PANELS = 4, LINES = 4 };

/* One line of a panel */
struct line {
	const char		*name;
	struct plot_colour	colour;
	double			(*value)(const struct link_sim_row *row);
};

struct panel {
	const char	*title;
	double		top;
	struct line	line[LINES];
};

static double v_capacity(const struct link_sim_row *r)
{
	return r->capacity * 8e-6;
}

static double v_budget(const struct link_sim_row *r)
{
	return r->e.rate * 8e-6;
}

static double v_sent(const struct link_sim_row *r)
{
	return r->sent * 8e-6;
}

static double v_received(const struct link_sim_row *r)
{
	return r->received * 8e-6;
}

static double v_real_loss(const struct link_sim_row *r)
{
	return r->real_loss * 100;
}

static double v_loss(const struct link_sim_row *r)
{
	return r->e.loss * 100;
}

static double v_loss_high(const struct link_sim_row *r)
{
	return r->e.loss_high * 100;
}

static double v_delay(const struct link_sim_row *r)
{
	return r->delay * 1e3;
}

static double v_queue(const struct link_sim_row *r)
{
	return r->e.queue * 1e3;
}

static double v_image(const struct link_sim_row *r)
{
	return r->plan[0].on ? r->plan[0].bytes * 1e-3 : 0;
}

static double v_hz(const struct link_sim_row *r)
{
	return r->plan[0].hz;
}

static const struct panel panels[PANELS] = {
	{ "Mbit/s", 0, {
		{ "capacity", { .45, .45, .45 }, v_capacity },
		{ "budget", { 1, .5, .05 }, v_budget },
		{ "sent", { .12, .47, .71 }, v_sent },
		{ "received", { .17, .63, .17 }, v_received } } },
	{ "loss, %", 100, {
		{ "link", { .45, .45, .45 }, v_real_loss },
		{ "estimate", { .12, .47, .71 }, v_loss },
		{ "protected for", { .84, .15, .16 }, v_loss_high } } },
	{ "delay, ms", 0, {
		{ "one way", { .12, .47, .71 }, v_delay },
		{ "queue, estimate", { 1, .5, .05 }, v_queue } } },
	{ "camera", 0, {
		{ "kB a frame", { .17, .63, .17 }, v_image },
		{ "Hz", { .84, .15, .16 }, v_hz } } },
};

/* Columns of @r->count numbers, one behind the other, the first is the time */
static void fill(const struct link_sim_result *r, struct plot_panel *out,
		 double *column)
{
	for (unsigned int i = 0; i < r->count; i++)
		column[i] = r->rows[i].time;
	for (int p = 0; p < PANELS; p++) {
		out[p] = (struct plot_panel){ panels[p].title, panels[p].top, {} };
		for (int n = 0; n < LINES && panels[p].line[n].name; n++) {
			const struct line *l = &panels[p].line[n];

			column += r->count;
			out[p].line[n] = (struct plot_line){
				l->name, l->colour, column,
			};
			for (unsigned int i = 0; i < r->count; i++)
				column[i] = l->value(&r->rows[i]);
		}
	}
}

int link_sim_plot(const struct link_sim_config *c,
		  const struct link_sim_result *r, const char *path)
{
	double *columns = calloc((1 + PANELS * LINES) * (r->count + 1),
				 sizeof(*columns));
	struct plot_panel out[PANELS];
	struct plot g = {
		.time = columns, .count = r->count, .panel = out,
		.panels = PANELS,
	};
	int err;

	(void)c;
	if (!columns)
		return -ENOMEM;
	fill(r, out, columns);
	err = plot_write(&g, path);
	free(columns);
	return err;
}
