// SPDX-License-Identifier: GPL-2.0-only
/*
 * daemon - open and close all parts of the daemon
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "apps/gdimd/gdimd.h"
#include "apps/gdimd/web.h"
#include "base/error.h"
#include "base/service.h"
#include "base/socket_path.h"
#include "base/utf8.h"
#include "map/ros/wildcard.h"
#include "ros/io/io.h"

static void on_fused(void *arg)
{
	map_publisher_fused(((struct gdimd *)arg)->publisher);
}

/* Default folder of a store's recordings */
static const char *record_folder(struct gdimd *g)
{
	struct config *c = &g->config;

	if (!*c->records)
		snprintf(c->records, sizeof(c->records), "%.500s-logs",
			 c->store);
	return c->records;
}

static int open_recorder(struct gdimd *g)
{
	const struct recorder_config config = {
		record_folder(g), &g->config.map, g->config.quota,
		g->config.log_size, g->config.log,
	};

	return recorder_open(&g->recorder, g->site, g->loop, &config,
			     gdimd_note, g);
}

/* Layers that are configured by name exist from the start */
static int gdimd_add_layers(struct gdimd *g, struct error *error)
{
	int number = 0;

	for (unsigned int i = 0; i < g->config.map.layers && number >= 0; i++) {
		const struct map_config_layer *from = &g->config.map.layer[i];
		struct layer l;

		if (wildcard_in(from->name) ||
		    site_find_layer(g->site, from->name) >= 0)
			continue;
		if (map_config_make_layer(&g->config.map, from, from->name, &l,
					  error))
			return -EINVAL;
		number = site_set_layer(g->site, &l, error);
	}
	return number < 0 ? number : 0;
}

/*
 * The configuration only gives initial values: changes since then have
 * precedence. Log the difference, with the command that applies it
 */
static int update_layers(struct gdimd *g, struct error *error)
{
	int number = 0;

	for (unsigned int i = 0; i < site_layers(g->site) && number >= 0; i++) {
		const struct map_config_layer *from;
		struct layer now, l;
		char words[512];

		site_layer(g->site, i, &now);
		from = map_config_find(&g->config.map, now.name);
		if (!from)
			continue;
		l = now;
		map_config_update(&g->config.map, from, &l);
		if (l.low != now.low || l.high != now.high)
			service_logf(LOG_INFO, "layer %s: range set to %g:%g "
				     "by the settings; was %g:%g",
				     l.name, l.low, l.high, now.low,
				     now.high);
		if (strcmp(l.input, now.input))
			service_logf(LOG_INFO, "layer %s: input set to %s by "
				     "the settings; was %s",
				     l.name, l.input, now.input);
		if (!layer_same(&l, &now))
			number = site_set_layer(g->site, &l, error);
		map_config_difference(from, &l, words);
		if (*words)
			service_logf(LOG_WARNING, "layer %s differs from the "
				     "settings and is kept as stored; to apply "
				     "them: gdimctl layer %s %.300s",
				     l.name, l.name,
				     words);
	}
	return number < 0 ? number : 0;
}

/* A damaged file has one fault or very many */
static void gdimd_on_damaged(void *arg, const struct site_damaged *d)
{
	enum { LOGGED = 8 };
	static unsigned int count;
	const unsigned int n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);

	(void)arg;
	if (n <= LOGGED)
		service_logf(LOG_ERR, "damaged cells: %s of %s is omitted from "
			     "its map until a newer submap replaces it",
			     d->layer,
			     d->frame);
	else if (n == LOGGED + 1)
		service_logf(LOG_ERR, "damaged cells in further submaps; "
			     "'gdimctl verify' lists all");
}

/* Once for the first ones, then each time there are twice as many */
static void gdimd_on_apart(void *arg, const struct site_apart *a)
{
	struct gdimd *g = arg;
	char name[STORE_FRAME];

	if (a->nodes < g->apart_logged * 2)
		return;
	g->apart_logged = a->nodes;
	utf8_clean(a->frame, strlen(a->frame), name, sizeof(name));
	service_logf(LOG_WARNING, "frame %s is %.1f m above the map's storey "
		     "and leans by %.0f degrees: its submaps are kept apart, "
		     "as those of %u frames; see --storey", name, a->above,
		     a->lean, a->nodes);
}

static int gdimd_open_site(struct gdimd *g, struct error *error)
{
	const struct site_config config = {
		.memory = g->config.memory, .threads = g->config.threads,
		.storey = g->config.map.storey,
	};
	int err = site_open(&g->site, g->config.store, STORE_CREATE, &config,
			    error);

	if (!err)
		site_set_damaged(g->site, gdimd_on_damaged, g);
	if (!err)
		site_set_apart(g->site, gdimd_on_apart, g);
	if (!err)
		site_set_io_error(g->site, gdimd_on_io_error, g);
	if (!err)
		err = gdimd_add_layers(g, error);
	return err ? err : update_layers(g, error);
}

static int gdimd_open_ends(struct gdimd *g, struct error *error)
{
	const struct config *c = &g->config;
	const struct sink_config to = {
		.spec = c->to, .name = c->node, .log = service_log,
		.arg = g,
	};
	const struct source_config from = {
		.spec = c->from, .name = c->node, .speed = 1, .rate = 10,
		.message = gdimd_message, .found = gdimd_found,
		.log = service_log, .arg = g,
	};
	int err = 0;

	ros2_repair_quickly();
	if (*c->to)
		err = sink_open(&g->sink, g->loop, &to, error);
	if (!err)
		err = map_publisher_open(&g->publisher, g->site, g->loop,
					 g->sink, &c->map, gdimd_keep_rate, g);
	if (err)
		return err;
	if (*c->from)
		err = source_open(&g->source, g->loop, &from, error);
	if (!err && g->source)
		input_topics_subscribe(&g->topics, g->source);
	if (!err)
		err = gdimd_services_open(g, error);
	return err;
}

/* First: if it fails, no file has been created */
static int open_socket(struct gdimd *g, struct error *error)
{
	struct error why;
	int err;

	err = console_open_usual(&g->console, g->loop, g->config.socket,
				 SOCKET_GDIMD, gdimd_request, g, &why);
	/* without it gdimd could not be controlled */
	if (err)
		error_set(error, 0,
			 "%.190s; --socket selects another path", why.text);
	return err > 0 ? -EACCES : err;
}

static int gdimd_bring_back(void *arg, unsigned int layer, const struct rect *r)
{
	return fuser_want(((struct gdimd *)arg)->fuser, layer, r);
}

static int gdimd_open_web(struct gdimd *g, struct error *error)
{
	const struct web_config config = {
		.where = g->config.http, .tokens = g->config.http_tokens,
		.loop = g->loop, .site = g->site,
		.is_slow = gdimd_command_is_slow, .command = gdimd_command,
		.arg = g,
	};

	return web_open(&g->web, &config, error);
}

int gdimd_open(struct gdimd *g, struct error *error)
{
	int err;

	error_set(error, 0, "out of memory");
	g->loop = loop_create();
	if (!g->loop)
		return -ENOMEM;
	err = open_socket(g, error);
	if (!err)
		err = gdimd_open_site(g, error);
	if (!err)
		err = fuser_open(&g->fuser, g->site, g->loop, on_fused, g);
	if (!err)
		site_set_want(g->site, gdimd_bring_back, g);
	if (!err)
		err = gdimd_storing_open(g);
	if (!err)
		err = open_recorder(g);
	if (!err)
		err = gdimd_open_ends(g, error);
	if (!err)
		err = gdimd_open_web(g, error);
	if (!err)
		fuser_kick(g->fuser);
	return err;
}

/* First store all input and answer all commands, then close the store */
void gdimd_close(struct gdimd *g)
{
	web_close(g->web);
	jobs_close(g->jobs);
	console_close(g->console);
	gdimd_services_close(g);
	if (g->source)
		source_close(g->source);
	recorder_close(g->recorder);
	storing_close(g->storing);
	fuser_close(g->fuser);
	map_publisher_close(g->publisher);
	if (g->sink)
		sink_close(g->sink);
	site_close(g->site);
	loop_destroy(g->loop);
}
