// SPDX-License-Identifier: GPL-2.0-only
/*
 * services - D4.1's services (table 3, sections 4 and 5) over ROS 2
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/gdimd/gdimd.h"
#include "base/error.h"
#include "base/service.h"
#include "map/layer/modality_values.h"
#include "map/ros/modality_fields.h"
#include "map/ros/room_message.h"
#include "map/site/queries.h"
#include "ros/io/ros2_offers.h"

/* Strings and arrays of a response, until the next one */
struct gdimd_services {
	struct ros2_offers	*offers;
	char			text[256];
	struct layer		layer[SERVICE_GASES];
	float			gas[SERVICE_GASES];
	struct room		room;
	struct room_message	keep;
	uint64_t		refused;
};

static struct message_string services_string(struct gdimd_services *s,
					     const char *text)
{
	snprintf(s->text, sizeof(s->text), "%s", text);
	return message_string(s->text);
}

/* An error for the sender, counted */
static struct message_string services_refuse(struct gdimd_services *s,
					     const char *text)
{
	s->refused++;
	return services_string(s, text);
}

/* Copy as a C string. Return: whether it is valid and fits */
static bool services_text_of(const struct message_string *s, char *to,
			     size_t room)
{
	if (s->len >= room)
		return false;
	memcpy(to, s->text, s->len);
	to[s->len] = 0;
	return strlen(to) == s->len;
}

static void on_rooms(void *arg, const union service_request *request,
		     union service_response *r)
{
	struct gdimd *g = arg;
	cJSON *answer = cJSON_CreateObject();
	struct error error;
	double rooms;

	(void)request;
	if (!query_rooms(g->site, answer, &error)) {
		rooms = cJSON_GetObjectItem(answer, "rooms")->valuedouble;
		r->rooms.rooms = rooms > INT8_MAX ? INT8_MAX : rooms;
	}
	cJSON_Delete(answer);
}

static void on_spot(void *arg, const union service_request *request,
		    union service_response *response)
{
	const struct message_point32 *at = &request->spot.location;
	struct service_spot_response *r = &response->spot;
	struct gdimd *g = arg;
	struct gdimd_services *s = g->services;
	struct modality_values v;
	unsigned int n = 0;
	bool known = false;

	modality_values_begin(&v);
	modality_fields_spot(r, v.value);
	if (!(fabsf(at->x) <= POSE_MAX && fabsf(at->y) <= POSE_MAX)) {
		r->message = services_refuse(s, "position out of range");
		return;
	}
	for (unsigned int i = 0; i < site_layers(g->site); i++) {
		const int value = site_value(g->site, i, at->x, at->y);
		struct layer l;

		site_layer(g->site, i, &l);
		if (site_layer_removed(g->site, i))
			continue;
		if (modality_get(l.modality)->report == MODALITY_PER_LAYER &&
		    n < SERVICE_GASES) {
			assert(n < SERVICE_GASES);
			s->layer[n] = l;
			s->gas[n] = layer_physical(&l, value);
			r->gas_name[n] = message_string(s->layer[n].name);
			n++;
		}
		modality_values_add(&v, &l, value);
		known |= value >= 0;
	}
	modality_fields_spot(r, v.value);
	/* a valid request without a result: not counted as refused */
	r->success = known;
	if (!known)
		r->message = services_string(s,
					     "all layers are unknown at this position");
	assert(n <= SERVICE_GASES);
	r->names = n;
	r->gases = (struct message_floats){ (const void *)s->gas, n, false };
}

static void on_room(void *arg, const union service_request *request,
		    union service_response *response)
{
	struct service_room_response *r = &response->room;
	struct gdimd *g = arg;
	struct gdimd_services *s = g->services;
	double unknown[MODALITIES];
	struct room_values v;
	struct error error;

	r->information = (struct message_room){ 0 };
	modality_unknown(unknown);
	modality_fields_room(&r->information, unknown);
	if (query_find_room(g->site, (uint8_t)request->room.room, &s->room,
			    &error)) {
		r->message = services_refuse(s, error.text);
		return;
	}
	if (room_values(g->site, &s->room, &v)) {
		r->message = services_refuse(s,
					     "the room has no valid outline");
		return;
	}
	room_message(g->site, &s->room, &v, g->config.map.frame, &s->keep,
		     &r->information);
	r->success = true;
}

static void on_rate(void *arg, const union service_request *request,
		    union service_response *response)
{
	const struct service_pub_rate_request *q = &request->pub_rate;
	struct service_pub_rate_response *r = &response->pub_rate;
	struct gdimd *g = arg;
	char topic[MAP_CONFIG_TEXT];
	double old = 0;
	int err = -ENOENT;

	if (services_text_of(&q->topic, topic, sizeof(topic)))
		err = map_publisher_rate(g->publisher, topic, q->rate, &old);
	if (err) {
		r->message = services_refuse(
			g->services,
			err == -EINVAL ? "rate must be 0 or 0.001..100 Hz" :
					 "no such topic is published");
		return;
	}
	r->success = true;
	r->old_rate = old;
	r->new_rate = q->rate;
}

/*
 * Slow requests: answered later, so that the loop never waits
 */

/**
 * struct service_job - a request that is answered later
 * @hz:		log rate, 0: no log
 */
struct service_job {
	struct gdimd			*g;
	struct ros2_service_call	*call;
	double				hz;
	char				name[64], path[RECORDER_PATH];
	struct error			error;
	int				err;
};

static void run_snapshot(void *arg)
{
	struct service_job *j = arg;

	j->err = recorder_snapshot(j->g->recorder, j->name, j->path, NULL,
				   &j->error);
}

static void answer_snapshot(void *arg)
{
	struct service_job *j = arg;
	union service_response r = { 0 };

	if (j->err)
		r.snapshot.message = services_refuse(j->g->services, j->error.text);
	else
		r.snapshot.path = message_string(j->path);
	r.snapshot.success = !j->err;
	assert(j->err <= 0);
	ros2_service_answer(j->call, &r);
	free(j);
}

static void run_logging(void *arg)
{
	struct service_job *j = arg;

	j->err = recorder_log(j->g->recorder, j->hz, &j->error);
}

static void answer_logging(void *arg)
{
	struct service_job *j = arg;
	union service_response r = { 0 };

	if (j->err)
		r.logging.message = services_refuse(j->g->services, j->error.text);
	else
		r.logging.rate = j->hz;
	r.logging.success = !j->err;
	assert(j->err <= 0);
	ros2_service_answer(j->call, &r);
	free(j);
}

/* Takes @j. Return: NULL: it is answered later; or the reason of an error */
static const char *later(struct gdimd *g, enum service_kind kind,
			 struct service_job *j, void (*run)(void *arg),
			 void (*done)(void *arg))
{
	struct gdimd_services *s = g->services;
	int err = j ? 0 : -ENOMEM;

	if (j) {
		j->g = g;
		j->call = ros2_service_later(ros2_offers_service(s->offers, kind));
		if (!j->call)
			err = -ENOMEM;
	}
	if (!err) {
		err = jobs_run(g->jobs, run, done, j);
		if (!err)
			return NULL;
		assert(j->call);
		j->err = err;
		snprintf(j->error.text, sizeof(j->error.text), "%s", strerror(-err));
		done(j);
		return NULL;
	}
	free(j);
	return "out of memory";
}

static void on_snapshot(void *arg, const union service_request *request,
			union service_response *response)
{
	struct gdimd *g = arg;
	struct service_job *j = calloc(1, sizeof(*j));
	const char *why = NULL;

	if (j && !services_text_of(&request->snapshot.name, j->name,
				   sizeof(j->name))) {
		free(j);
		why = "the name must have at most 63 letters, digits, - and _";
	} else {
		why = later(g, SERVICE_SNAPSHOT, j, run_snapshot,
			    answer_snapshot);
	}
	if (why)
		response->snapshot.message = services_refuse(g->services, why);
}

static void on_logging(void *arg, const union service_request *request,
		       union service_response *response)
{
	const struct service_logging_request *q = &request->logging;
	struct gdimd *g = arg;
	struct service_job *j = calloc(1, sizeof(*j));
	const char *why;

	if (j)
		j->hz = q->enable ? q->rate : 0;
	why = later(g, SERVICE_LOGGING, j, run_logging, answer_logging);
	if (why)
		response->logging.message = services_refuse(g->services, why);
}

#define OUTPUT(name)	MAP_PUBLISHER_PREFIX name

static const struct ros2_offer offered[] = {
	{ OUTPUT("rooms"), SERVICE_ROOMS, on_rooms },
	{ OUTPUT("room_information"), SERVICE_ROOM_INFORMATION, on_room },
	{ OUTPUT("spot_information"), SERVICE_SPOT_INFORMATION, on_spot },
	{ OUTPUT("pub_rate"), SERVICE_PUB_RATE, on_rate },
	{ OUTPUT("snapshot"), SERVICE_SNAPSHOT, on_snapshot },
	{ OUTPUT("logging"), SERVICE_LOGGING, on_logging },
};

enum { OFFERED = sizeof(offered) / sizeof(*offered) };

/* An invalid request has no sender to answer: count it */
static void services_on_damaged(void *arg, enum service_kind kind)
{
	struct gdimd *g = arg;

	for (unsigned int i = 0; i < OFFERED; i++)
		if (offered[i].kind == kind)
			map_input_damaged(g->input, offered[i].name);
}

static void services_on_log(void *arg, const char *line)
{
	(void)arg;
	service_logf(LOG_WARNING, "%s", line);
}

static const char *services_rename(void *arg, const char *name)
{
	return map_config_topic(&((struct gdimd *)arg)->config.map, name);
}

/* Counters of requests */
void gdimd_services_status(const struct gdimd *g, cJSON *out)
{
	const struct ros2_service_stats sum =
		ros2_offers_stats(g->services ? g->services->offers : NULL);

	cJSON_AddNumberToObject(out, "answered", sum.answered);
	cJSON_AddNumberToObject(out, "to_fastdds", sum.fastdds);
	cJSON_AddNumberToObject(out, "unserved", sum.unserved);
	cJSON_AddNumberToObject(out, "dropped", sum.dropped);
}

uint64_t gdimd_services_refused(const struct gdimd *g)
{
	return g->services ? g->services->refused : 0;
}

int gdimd_services_open(struct gdimd *g, struct error *error)
{
	const struct ros2_offers_config config = {
		.to = g->config.to, .node = g->config.node,
		.offer = offered, .count = OFFERED,
		.rename = services_rename, .log = services_on_log,
		.malformed = services_on_damaged, .arg = g,
	};

	if (strncmp(g->config.to, "ros2", strlen("ros2")))
		return 0;
	assert(!g->services);
	g->services = calloc(1, sizeof(*g->services));
	return g->services ? ros2_offers_open(&g->services->offers, g->loop,
					      &config, error) : -ENOMEM;
}

void gdimd_services_close(struct gdimd *g)
{
	if (!g->services)
		return;
	ros2_offers_close(g->services->offers);
	free(g->services);
	g->services = NULL;
}
