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
#include "apps/slamd/lifecycle.h"
#include "apps/slamd/services.h"
#include "base/service.h"
#include "base/utf8.h"
#include "laser/tf.h"
#include "map/io/map_file.h"
#include "ros/io/ros2_offers.h"

enum { NAME = 160 };

/**
 * struct slam_services
 * @call:	waits for the answer to @command; NULL: there is none
 * @kind:	of the service that was called
 * @wanted:	as @command, before it is accepted
 * @pause:	whether to pause after it
 * @localised:	in a known map
 * @map:	the last one; its data is @cells, of capacity @room; width 0: none
 * @frame:	of it
 * @name:	of the last service, below the robot's name
 * @paused:	scans are not used, whatever the @state is
 */
struct slam_services {
	struct slam_services_config	config;
	struct ros2_offers		*offers;
	struct message_occupancy_grid	map;
	uint8_t				*cells;
	size_t				room;
	char				frame[NAME], name[NAME];
	bool				paused, pause, localised;
	enum lifecycle_state		state;
	struct slam_command		command, wanted;
	enum service_kind		kind;
	struct ros2_service_call	*call;
	uint64_t			refused;
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

/* One line, counted. Return: @err */
static int refuse(struct slam_services *s, const char *what,
		  const struct message_string *name, int err, const char *why)
{
	char shown[100];

	utf8_clean(name->text, name->len, shown, sizeof(shown));
	s->refused++;
	service_logf(LOG_WARNING, "%s: %s%s%s", what, shown, *shown ? ": " : "",
		     why);
	return err;
}

static const char *path_error(int err)
{
	return err == -EACCES ? "peers may only use files below --maps DIR" :
	       err == -EINVAL ? "not the name of a file" : strerror(-err);
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
	char path[COMMAND_PATH];
	struct error error;
	int err = services_path(s->config.o->maps, url, SERVICES_PICTURE,
				path);

	if (!err && !m->width)
		err = -ENODATA;
	if (!err) {
		r.cells = malloc((size_t)m->data.count * sizeof(*r.cells));
		err = r.cells ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < m->data.count && !err; i++)
		r.cells[i] = (int8_t)s->cells[i];
	if (err)
		error_set(&error, err, "%s", err == -ENODATA ?
			  "no map yet" : path_error(err));
	else
		err = map_file_write(path, &r, mode, &error);
	free(r.cells);
	if (err)
		return refuse(s, "map not saved", url, err, error.text);
	service_logf(LOG_INFO, "map saved: %s", path);
	return 0;
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
		refuse(s, "map not saved", &q->format, -EINVAL,
		       "the format must be pgm");
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

static void apply_pause(struct slam_services *s)
{
	s->config.pause(s->config.arg,
			s->paused || s->state != LIFECYCLE_ACTIVE);
}

static void set_paused(struct slam_services *s, bool paused)
{
	if (paused == s->paused)
		return;
	s->paused = paused;
	service_logf(LOG_INFO, s->paused ?
		     "paused: scans are not used, only odometry" :
		     "no longer paused: scans are used again");
	apply_pause(s);
}

static void on_pause(void *arg, const union service_request *request,
		     union service_response *response)
{
	struct slam_services *s = arg;

	(void)request;
	set_paused(s, !s->paused);
	response->pause.status = 1;
}

/*
 * The lifecycle
 */

static void on_get_state(void *arg, const union service_request *request,
			 union service_response *response)
{
	const struct slam_services *s = arg;

	(void)request;
	response->get_state.current = lifecycle_describe(s->state);
}

static void on_change_state(void *arg, const union service_request *request,
			    union service_response *response)
{
	const struct service_state *t = &request->change_state.transition;
	struct slam_services *s = arg;
	const int state = lifecycle_change(s->state, t);
	char why[100];

	if (state < 0) {
		snprintf(why, sizeof(why), "not in the state %s%s",
			 lifecycle_describe(s->state).label.text,
			 s->config.o->lifecycle ? "" :
						  "; see --lifecycle on");
		refuse(s, "no change of state", &t->label, state, why);
		return;
	}
	s->state = (enum lifecycle_state)state;
	service_logf(LOG_INFO, "state %s: scans are %s",
		     lifecycle_describe(s->state).label.text,
		     s->state == LIFECYCLE_ACTIVE ? "used" : "not used");
	apply_pause(s);
	response->change_state.success = 1;
}

static void on_states(void *arg, const union service_request *request,
		      union service_response *response)
{
	(void)arg;
	(void)request;
	lifecycle_states(&response->states);
}

static void on_transitions(void *arg, const union service_request *request,
			   union service_response *response)
{
	const struct slam_services *s = arg;

	(void)request;
	lifecycle_transitions(s->state, &response->transitions);
}

/*
 * Requests that take longer
 */

/* Return: the result of a service */
static uint8_t load_result(int err)
{
	switch (err) {
	case 0:
		return LOAD_MAP_SUCCESS;
	case -ENOENT:
		return LOAD_MAP_NOT_FOUND;
	case -EINVAL:
		return LOAD_MAP_BAD_METADATA;
	case -EBADMSG: case -EFBIG: case -ENODATA: case -E2BIG: case -ERANGE:
		return LOAD_MAP_BAD_DATA;
	default:
		return LOAD_MAP_FAILURE;
	}
}

static uint8_t restore_result(int err)
{
	switch (err) {
	case 0:
		return TOOLBOX_SUCCESS;
	case -ENOENT: case -EACCES:
		return TOOLBOX_BAD_FILENAME;
	case -EINVAL: case -EBADMSG: case -ENODATA: case -EIO:
		return TOOLBOX_NOT_READ;
	default:
		return TOOLBOX_FAILURE;
	}
}

static void fill_result(const struct slam_services *s, enum service_kind kind,
			int err, union service_response *response)
{
	switch ((int)kind) {
	case SERVICE_LOAD_MAP:
		if (!err)
			response->load_map.map = s->map;
		response->load_map.result = load_result(err);
		break;
	case SERVICE_TOOLBOX_DESERIALIZE:
		response->toolbox.result = restore_result(err);
		break;
	default:
		response->toolbox.result = err ? TOOLBOX_FAILURE :
						 TOOLBOX_SUCCESS;
	}
}

void slam_services_done(struct slam_services *s, int err)
{
	union service_response response = { 0 };
	const enum slam_command_kind kind = s->command.kind;

	s->refused += !!err;
	if (!err && kind == COMMAND_LOAD_MAP)
		s->localised = true;
	if (!err && kind == COMMAND_RESTORE)
		s->localised = s->command.localise;
	if (!err && kind == COMMAND_RESET)
		set_paused(s, s->pause);
	/* that of the session before */
	if (!err && (kind == COMMAND_RESET || kind == COMMAND_RESTORE) &&
	    !s->localised)
		s->map = (struct message_occupancy_grid){ .width = 0 };
	fill_result(s, s->kind, err, &response);
	if (s->call)
		ros2_service_answer(s->call, &response);
	s->call = NULL;
}

/* @s->command, for @name. @err: why not */
static void command(struct slam_services *s, enum service_kind kind,
		    const char *what, const struct message_string *name,
		    int err, union service_response *response)
{
	if (!err && s->call)
		err = -EBUSY;
	if (!err) {
		s->call = ros2_service_later(ros2_offers_service(s->offers,
								 kind));
		err = s->call ? 0 : -ENOMEM;
	}
	if (err) {
		refuse(s, what, name, err, err == -EBUSY ?
		       "another request is not done yet" : path_error(err));
		fill_result(s, kind, err, response);
		return;
	}
	s->kind = kind;
	s->command = s->wanted;
	s->config.command(s->config.arg, &s->command);
}

static void on_load_map(void *arg, const union service_request *request,
			union service_response *response)
{
	const struct message_string *url = &request->load_map.url;
	struct slam_services *s = arg;

	s->wanted = (struct slam_command){ .kind = COMMAND_LOAD_MAP };
	command(s, SERVICE_LOAD_MAP, "map not loaded", url,
		services_path(s->config.o->maps, url, SERVICES_MAP,
			      s->wanted.path), response);
}

static void on_reset(void *arg, const union service_request *request,
		     union service_response *response)
{
	const struct message_string none = { "", 0 };
	struct slam_services *s = arg;

	s->wanted = (struct slam_command){ .kind = COMMAND_RESET };
	if (!s->call)
		s->pause = request->reset.pause;
	command(s, SERVICE_TOOLBOX_RESET, "no reset", &none, 0, response);
}

static void on_serialize(void *arg, const union service_request *request,
			 union service_response *response)
{
	const struct message_string *name = &request->serialize.filename;
	struct slam_services *s = arg;

	s->wanted = (struct slam_command){ .kind = COMMAND_SAVE };
	command(s, SERVICE_TOOLBOX_SERIALIZE, "checkpoint not saved", name,
		services_path(s->config.o->maps, name, SERVICES_CHECKPOINT,
			      s->wanted.path), response);
}

/* Of slam_toolbox: where the robot is. Return: 0; -EINVAL */
static int place_of(const struct service_toolbox_deserialize_request *q,
		    struct slam_command *c)
{
	const double *p = q->place, *o = q->place + 3;
	struct placement place;
	bool turned;

	c->posed = true;
	c->localise = q->match == TOOLBOX_LOCALIZE_AT_POSE;
	c->pose = (struct pose){ 0, 0, 0 };
	if (q->match == TOOLBOX_START_AT_FIRST_NODE)
		return 0;
	if (q->match != TOOLBOX_START_AT_GIVEN_POSE && !c->localise)
		return -EINVAL;
	if (!o[0] && !o[1] && !o[2] && !o[3])
		c->pose = (struct pose){ p[0], p[1], p[2] };
	else if (!placement_make(&place, p, o) ||
		 !placement_pose(&place, &c->pose, &turned) || turned)
		return -EINVAL;
	return pose_valid(&c->pose) ? 0 : -EINVAL;
}

static void on_deserialize(void *arg, const union service_request *request,
			   union service_response *response)
{
	const struct message_string *name = &request->deserialize.filename;
	struct slam_services *s = arg;

	s->wanted = (struct slam_command){ .kind = COMMAND_RESTORE };
	if (place_of(&request->deserialize, &s->wanted)) {
		refuse(s, "checkpoint not read", name, -EINVAL,
		       "needs a match type of 1 to 3, and a pose");
		response->toolbox.result = TOOLBOX_BAD_MATCH;
		return;
	}
	command(s, SERVICE_TOOLBOX_DESERIALIZE, "checkpoint not read", name,
		services_path(s->config.o->maps, name, SERVICES_CHECKPOINT,
			      s->wanted.path), response);
}

static const struct ros2_offer offered[] = {
	{ "/map_saver/save_map", SERVICE_SAVE_MAP, on_save_map },
	{ "/map_server/map", SERVICE_GET_MAP, on_get_map },
	{ "/map_server/load_map", SERVICE_LOAD_MAP, on_load_map },
	{ "/slam_toolbox/save_map", SERVICE_TOOLBOX_SAVE_MAP,
	  on_toolbox_save_map },
	{ "/slam_toolbox/dynamic_map", SERVICE_GET_MAP, on_get_map },
	{ "/slam_toolbox/pause_new_measurements", SERVICE_TOOLBOX_PAUSE,
	  on_pause },
	{ "/slam_toolbox/reset", SERVICE_TOOLBOX_RESET, on_reset },
	{ "/slam_toolbox/serialize_map", SERVICE_TOOLBOX_SERIALIZE,
	  on_serialize },
	{ "/slam_toolbox/deserialize_map", SERVICE_TOOLBOX_DESERIALIZE,
	  on_deserialize },
	{ "/slam_toolbox/get_state", SERVICE_GET_STATE, on_get_state },
	{ "/slam_toolbox/change_state", SERVICE_CHANGE_STATE, on_change_state },
	{ "/slam_toolbox/get_available_states", SERVICE_AVAILABLE_STATES,
	  on_states },
	{ "/slam_toolbox/get_available_transitions",
	  SERVICE_AVAILABLE_TRANSITIONS, on_transitions },
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
	const struct ros2_offers_config offers = {
		.to = config->o->to, .node = config->o->node,
		.offer = offered, .count = sizeof(offered) / sizeof(*offered),
		.rename = rename_service, .log = on_log, .arg = s,
	};
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->config = *config;
	s->localised = config->o->localise;
	s->state = config->o->lifecycle ? LIFECYCLE_UNCONFIGURED :
					  LIFECYCLE_ACTIVE;
	err = ros2_offers_open(&s->offers, loop, &offers, error);
	if (err) {
		slam_services_close(s);
		return err;
	}
	if (s->state != LIFECYCLE_ACTIVE)
		apply_pause(s);
	*services = s;
	return 0;
}

uint64_t slam_services_refused(const struct slam_services *s)
{
	return s ? s->refused : 0;
}

void slam_services_close(struct slam_services *s)
{
	if (!s)
		return;
	/* the command will not be done any more */
	if (s->call)
		slam_services_done(s, -ECANCELED);
	ros2_offers_close(s->offers);
	free(s->cells);
	free(s);
}
