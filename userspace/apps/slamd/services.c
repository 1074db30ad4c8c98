// SPDX-License-Identifier: GPL-2.0-only
/*
 * services.c - answers from a copy of the last map
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/services.h"
#include "base/service.h"
#include "map/io/map_file.h"
#include "ros/io/ros2_offers.h"

enum { NAME = 160 };

/**
 * struct slam_services
 * @map:	the last one; its data is @cells, of capacity @room; width 0: none
 * @frame:	of it
 * @name:	of the last service, below the robot's name
 * @paused:	scans are not used
 */
struct slam_services {
	struct slam_services_config	config;
	struct ros2_offers		*offers;
	struct message_occupancy_grid	map;
	uint8_t				*cells;
	size_t				room;
	char				frame[NAME], name[NAME];
	bool				paused;
};

void slam_services_map(struct slam_services *s,
		       const struct message_occupancy_grid *map)
{
	if (!s)
		return;
	if (map->data.count > s->room) {
		free(s->cells);
		s->cells = malloc(map->data.count);
		s->room = s->cells ? map->data.count : 0;
	}
	s->map = (struct message_occupancy_grid){ .width = 0 };
	if (!s->cells)
		return;
	s->map = *map;
	memcpy(s->cells, map->data.data, map->data.count);
	snprintf(s->frame, sizeof(s->frame), "%.*s",
		 (int)map->header.frame_id.len, map->header.frame_id.text);
	s->map.data.data = s->cells;
	s->map.header.frame_id = message_string(s->frame);
}

/*
 * Files
 */

/* No part of it leads upwards */
static bool stays_below(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return false;
	}
	return true;
}

static void cut_ending(char *name)
{
	static const char *const endings[] = { ".pgm", ".yaml", ".yml" };
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		const size_t m = strlen(endings[i]);

		if (n > m && !strcmp(name + n - m, endings[i])) {
			name[n - m] = '\0';
			return;
		}
	}
}

int services_path(const char *folder, const struct message_string *url,
		  char path[SERVICES_PATH])
{
	size_t n = folder ? strlen(folder) : 0;
	char text[SERVICES_PATH / 2];
	const char *name = text;

	if (!folder || url->len >= sizeof(text) ||
	    memchr(url->text, '\0', url->len))
		return folder ? -EINVAL : -EACCES;
	snprintf(text, sizeof(text), "%.*s", (int)url->len, url->text);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (!strncmp(name, "file://", 7))
		name += 7;
	if (*name == '/') {
		if (strncmp(name, folder, n) || name[n] != '/')
			return -EACCES;
		name += n + 1;
	}
	if (!stays_below(name))
		return -EACCES;
	cut_ending(text);
	if (!*name || name[strlen(name) - 1] == '/')
		return -EINVAL;
	if (snprintf(path, SERVICES_PATH, "%.*s/%s.pgm", (int)n, folder, name) >=
	    SERVICES_PATH)
		return -EINVAL;
	return 0;
}

/* Return: 0; a negative errno, logged */
static int save(struct slam_services *s, const struct message_string *url,
		enum map_mode mode)
{
	const struct message_occupancy_grid *m = &s->map;
	struct raster r = {
		.rect = { (int)lrint(m->origin.position[0] / (double)m->resolution),
			  (int)lrint(m->origin.position[1] / (double)m->resolution),
			  m->width, m->height },
		.bits = 8, .resolution = (double)m->resolution,
	};
	char path[SERVICES_PATH];
	struct error error;
	int err = services_path(s->config.o->maps, url, path);

	if (!err && !m->width)
		err = -ENODATA;
	if (!err) {
		r.cells = malloc((size_t)m->data.count * sizeof(*r.cells));
		err = r.cells ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < m->data.count && !err; i++)
		r.cells[i] = (int8_t)s->cells[i];
	if (err)
		error_set(&error, err, "%s", err == -EACCES ?
			  "peers may only write below --maps DIR" :
			  err == -ENODATA ? "no map yet" : strerror(-err));
	else
		err = map_file_write(path, &r, mode, &error);
	free(r.cells);
	if (err)
		service_logf(LOG_WARNING, "map %.*s not saved: %s",
			     (int)(url->len < 100 ? url->len : 100), url->text,
			     error.text);
	else
		service_logf(LOG_INFO, "map saved: %s", path);
	return err;
}

/*
 * Requests
 */

static void on_save_map(void *arg, const union service_request *request,
			union service_response *response)
{
	const struct service_save_map_request *q = &request->save_map;
	const struct message_string *m = &q->mode;
	struct slam_services *s = arg;

	if (q->format.len && !message_string_is(&q->format, "pgm")) {
		service_logf(LOG_WARNING, "map not saved: only as pgm");
		return;
	}
	response->save_map.result =
		!save(s, &q->url, message_string_is(m, "scale") ? MAP_SCALE :
				  message_string_is(m, "raw") ? MAP_RAW :
								MAP_TRINARY);
}

static void on_toolbox_save_map(void *arg, const union service_request *request,
				union service_response *response)
{
	const int err = save(arg, &request->toolbox_save_map.name, MAP_TRINARY);

	response->toolbox_save_map.result = !err ? TOOLBOX_SUCCESS :
					    err == -ENODATA ? TOOLBOX_NO_MAP :
							      TOOLBOX_FAILURE;
}

static void on_get_map(void *arg, const union service_request *request,
		       union service_response *response)
{
	const struct slam_services *s = arg;

	(void)request;
	response->get_map.map = s->map;
}

static void on_pause(void *arg, const union service_request *request,
		     union service_response *response)
{
	struct slam_services *s = arg;

	(void)request;
	s->paused = !s->paused;
	service_logf(LOG_INFO, s->paused ?
		     "paused: scans are not used, only odometry" :
		     "no longer paused: scans are used again");
	s->config.pause(s->config.arg, s->paused);
	response->pause.status = 1;
}

static const struct ros2_offer mapping[] = {
	{ "/map_saver/save_map", SERVICE_SAVE_MAP, on_save_map },
	{ "/slam_toolbox/save_map", SERVICE_TOOLBOX_SAVE_MAP,
	  on_toolbox_save_map },
	{ "/slam_toolbox/dynamic_map", SERVICE_GET_MAP, on_get_map },
	{ "/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
	  on_pause },
};

static const struct ros2_offer localised[] = {
	{ "/map_server/map", SERVICE_GET_MAP, on_get_map },
	{ "/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
	  on_pause },
};

static void on_log(void *arg, const char *line)
{
	(void)arg;
	service_logf(LOG_WARNING, "%s", line);
}

static const char *rename_service(void *arg, const char *name)
{
	struct slam_services *s = arg;
	const char *robot = s->config.o->robot;

	snprintf(s->name, sizeof(s->name), "%s%s%s", robot ? "/" : "",
		 robot ? robot : "", name);
	return s->name;
}

int slam_services_open(struct slam_services **services, struct loop *loop,
		       const struct slam_services_config *config,
		       struct error *error)
{
	struct slam_services *s = calloc(1, sizeof(*s));
	const bool known = config->o->localise;
	const struct ros2_offers_config offers = {
		.to = config->o->to, .node = config->o->node,
		.offer = known ? localised : mapping,
		.count = known ? sizeof(localised) / sizeof(*localised) :
				 sizeof(mapping) / sizeof(*mapping),
		.rename = rename_service, .log = on_log, .arg = s,
	};
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->config = *config;
	err = ros2_offers_open(&s->offers, loop, &offers, error);
	if (err) {
		slam_services_close(s);
		return err;
	}
	*services = s;
	return 0;
}

void slam_services_close(struct slam_services *s)
{
	if (!s)
		return;
	ros2_offers_close(s->offers);
	free(s->cells);
	free(s);
}
