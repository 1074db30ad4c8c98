/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdimd_site.h - a site for fuzzers of gdimd's input
 *
 * Its store is in memory and is replaced every SITE_ROUND inputs: a new one
 * each time would be too slow. Input that is refused has one log line, one
 * counter, and changes nothing.
 */
#ifndef FUZZ_GDIMD_SITE_H
#define FUZZ_GDIMD_SITE_H

#include <cjson/cJSON.h>
#include <string.h>
#include "map/ros/input.h"
#include "base/error.h"
#include "base/service.h"
#include "memory_file.h"

enum { SITE_ROUND = 256 };

static struct site *site;
static struct loop *site_loop;
static struct map_config site_config;
static unsigned int site_lines;
static char site_path[96];

/* Stubs for the daemon */
void service_logf(int level, const char *format, ...)
{
	(void)level;
	(void)format;
}

static void gdimd_site_forget(void)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-lock" };
	char name[128];

	site_close(site);
	site = NULL;
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", site_path, ends[i]);
		unlink(name);
	}
}

static void gdimd_site_forget_all(void)
{
	gdimd_site_forget();
	*strrchr(site_path, '/') = 0;
	rmdir(site_path);
	loop_destroy(site_loop);
}

/* Before each input */
static void gdimd_site_begin(void)
{
	static const struct site_config small = { .memory = 32 << 20,
						  .threads = 1 };
	static const char *const names[] = { "slam_map", "hazard_map" };
	static unsigned int inputs;
	struct error error;
	struct layer l;

	if (!site_loop) {
		map_config_init(&site_config);
		map_config_add_defaults(&site_config);
		site_loop = loop_create();
		sprintf(site_path, "%s/site.db",
			memory_folder(gdimd_site_forget_all));
	}
	if (inputs++ % SITE_ROUND)
		return;
	gdimd_site_forget();
	if (site_open(&site, site_path, STORE_CREATE, &small, &error))
		abort();
	for (unsigned int i = 0; i < 2; i++) {
		layer_default(&l, names[i]);
		if (site_set_layer(site, &l, &error) < 0)
			abort();
	}
}

/* For map_input_open() */
static void gdimd_site_stored(void *arg)
{
	(void)arg;
}

static void gdimd_site_refused(void *arg, const char *line)
{
	(void)arg;
	site_lines++;
	if (!*line || strlen(line) >= ERROR_TEXT || strchr(line, '\n'))
		abort();
}

static struct map_input *gdimd_site_input(void)
{
	struct map_input *in;

	if (map_input_open(&in, site, site_loop, &site_config,
			   gdimd_site_stored, gdimd_site_refused, NULL))
		abort();
	return in;
}

static const struct map_config_layer *gdimd_site_line(const char *name)
{
	for (unsigned int i = 0; i < site_config.layers; i++)
		if (!strcmp(site_config.layer[i].name, name))
			return &site_config.layer[i];
	abort();
}

static unsigned int gdimd_site_count(struct map_input *in, const char *what)
{
	cJSON *status = cJSON_CreateObject();
	unsigned int n;

	map_input_status(in, status);
	n = cJSON_GetObjectItem(status, what)->valueint;
	cJSON_Delete(status);
	return n;
}

/**
 * struct gdimd_site_before - the state before a message
 */
struct gdimd_site_before {
	struct site_counts	counts;
	unsigned int		layers, refused;
};

static struct gdimd_site_before gdimd_site_before(struct map_input *in)
{
	site_lines = 0;
	return (struct gdimd_site_before){
		site_counts(site), site_layers(site),
		gdimd_site_count(in, "refused"),
	};
}

/* The message was refused */
static void gdimd_site_unchanged(struct map_input *in,
				 const struct gdimd_site_before *before)
{
	const struct site_counts *a = &before->counts, b = site_counts(site);

	if (site_lines != 1 ||
	    gdimd_site_count(in, "refused") != before->refused + 1 ||
	    site_layers(site) != before->layers || a->nodes != b.nodes ||
	    a->placed != b.placed || a->submaps != b.submaps ||
	    a->waiting != b.waiting)
		abort();
}

#endif
