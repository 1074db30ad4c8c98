// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_commands - requests that run in the loop: commands, and queries of state
 * that only the loop has
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/web_parts.h"
#include "base/error.h"
#include "base/utf8.h"

/**
 * struct order
 * @slow:	the command, if the caller has to run it with @parameters:
 *		web_commands_obey() has only parsed it
 * @name:	of the command, NULL: "do" in @text
 * @text:	a JSON object of @len bytes with the parameters, followed by a
 *		0; NULL: none
 */
struct order {
	const struct web_config	*config;
	const char		*name, *text;
	size_t			len;
	cJSON			*answer, *parameters;
	const char		*slow;
	int			err;
	struct error		error;
};

/*
 * Commands of the socket without file names: HTTP clients must not read files
 * with the daemon's rights
 */
static const struct allowed {
	const char	*name, *keys;	/* " " around each */
} allowed[] = {
	{ "status", " " }, { "layers", " " }, { "rooms", " " },
	{ "edges", " " }, { "spot", " x y " }, { "room", " room " },
	{ "rate", " topic rate " },
	{ "layer", " name words " }, { "remove", " layer room " },
	{ "log", " rate " }, { "snapshot", " name " }, { "notes", " kind " },
};

static const struct allowed *find_allowed(const char *name)
{
	for (unsigned int i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (!strcmp(allowed[i].name, name))
			return &allowed[i];
	return NULL;
}

/* Refuse unknown keys: a typo would be ignored and the rest executed */
static int check_keys(const struct allowed *a, const cJSON *p, bool has_do,
		      struct error *error)
{
	const cJSON *item;
	char key[64];

	cJSON_ArrayForEach(item, p) {
		if (has_do && !strcmp(item->string, "do"))
			continue;
		if (!strchr(item->string, ' ') && *item->string &&
		    snprintf(key, sizeof(key), " %s ", item->string) <
		    (int)sizeof(key) && strstr(a->keys, key))
			continue;
		utf8_clean(item->string, strnlen(item->string, 40), key,
			   sizeof(key));
		if (a->keys[1])
			error_set(error, 0,
				 "%s: unknown key '%s'; known:%.*s",
				 a->name, key, (int)strlen(a->keys) - 1,
				 a->keys);
		else
			error_set(error, 0,
				 "%s: unknown key '%s'; it has no keys",
				 a->name, key);
		return -EINVAL;
	}
	return 0;
}

static int web_commands_run(struct order *o, const char *name, const cJSON *p)
{
	const struct allowed *a = find_allowed(name);
	int err;

	if (!a)
		return error_set(&o->error, -EINVAL,
				 "unknown command '%.40s', or not available "
				 "over HTTP",
				 name);
	err = check_keys(a, p, !o->name, &o->error);
	assert(!o->slow);
	if (!err && o->config->is_slow(name))
		o->slow = a->name;
	else if (!err)
		err = o->config->command(o->config->arg, name, p, o->answer,
					 &o->error);
	return err;
}

/* cJSON's parser has a global error pointer: only the loop parses */
static void web_commands_obey(void *arg)
{
	struct order *o = arg;
	const char *name = o->name;
	cJSON *p = NULL;

	if (!o->text)
		p = cJSON_CreateObject();
	else if (strlen(o->text) == o->len)
		p = cJSON_ParseWithLengthOpts(o->text, o->len + 1, NULL, true);
	if (!name)
		name = cJSON_GetStringValue(
			cJSON_GetObjectItemCaseSensitive(p, "do"));
	if (cJSON_IsObject(p) && name) {
		o->err = web_commands_run(o, name, p);
	} else {
		o->err = -EINVAL;
		snprintf(o->error.text, sizeof(o->error.text), "not a JSON object%s",
			 o->name ? "" : " with \"do\"");
	}
	if (o->slow)
		o->parameters = p;
	else
		cJSON_Delete(p);
}

/* Return: 0: o->answer is the caller's; or a negative errno */
static int order(struct web_worker *w, struct order *o)
{
	int err;

	o->config = &w->web->config;
	o->answer = cJSON_CreateObject();
	err = loop_call_run(w->web->calls, web_commands_obey, o, WEB_PATIENCE);
	if (!err)
		err = o->err;
	/* here, so that the loop does not wait */
	if (!err && o->slow)
		err = o->config->command(o->config->arg, o->slow,
					 o->parameters, o->answer, &o->error);
	cJSON_Delete(o->parameters);
	if (!err)
		return 0;
	cJSON_Delete(o->answer);
	o->answer = NULL;
	return err;
}

static int web_commands_answer_order(struct web_worker *w, struct order *o)
{
	const int err = order(w, o);

	return err ? web_fail(w, err, o->error.text) : web_json(w, o->answer);
}

int web_answer_status(struct web_worker *w)
{
	struct order o = { .name = "status" };

	return web_commands_answer_order(w, &o);
}

int web_answer_topics(struct web_worker *w)
{
	struct order o = { .name = "status" };
	const int err = order(w, &o);
	cJSON *out;

	if (err)
		return web_fail(w, err, o.error.text);
	out = cJSON_DetachItemFromObject(o.answer, "out");
	cJSON_Delete(o.answer);
	return web_json(w, out);
}

static int web_commands_call(struct web_worker *w, const char *name)
{
	const struct bytes *body = http_conn_body(w->conn);
	struct order o = { .name = name, .text = (const char *)body->data,
			   .len = body->len };

	return web_commands_answer_order(w, &o);
}

int web_answer_rate(struct web_worker *w)
{
	return web_commands_call(w, "rate");
}

int web_answer_command(struct web_worker *w)
{
	return web_commands_call(w, NULL);
}

/*
 * Counters for Prometheus
 */

static const struct metric {
	const char	*part, *item, *name, *type, *help;
} metrics[] = {
	{ NULL, "nodes", "nodes", "gauge", "Nodes of the pose graph." },
	{ NULL, "placed", "placed_nodes", "gauge",
	  "Nodes with a pose in the map." },
	{ NULL, "submaps", "submaps", "gauge",
	  "Submaps in the store." },
	{ NULL, "waiting", "waiting_submaps", "gauge",
	  "Submaps whose node has no pose yet." },
	{ NULL, "apart", "apart_nodes", "gauge",
	  "Nodes on another storey than the map, or that lean." },
	{ NULL, "apart_submaps", "apart_submaps", "gauge",
	  "Submaps of these nodes, which are not fused." },
	{ NULL, "to_fuse", "to_fuse_submaps", "gauge",
	  "New or moved submaps that are not in the fused maps yet." },
	{ NULL, "io_errors", "io_errors_total", "counter",
	  "Errors of the store's disk." },
	{ NULL, "damaged", "damaged_submaps", "gauge",
	  "Submaps with unreadable cells." },
	{ NULL, "cell_bytes", "cell_bytes", "gauge",
	  "Memory used by cells of submaps, in bytes." },
	{ NULL, "tile_bytes", "tile_bytes", "gauge",
	  "Memory used by fused maps, in bytes." },
	{ "in", "messages", "in_messages_total", "counter",
	  "Messages received." },
	{ "in", "submaps_stored", "in_submaps_total", "counter",
	  "Submaps stored." },
	{ "in", "transforms_stored", "in_transforms_total", "counter",
	  "Transforms stored." },
	{ "in", "edges_stored", "in_edges_total", "counter",
	  "Edges of pose graphs stored." },
	{ "in", "refused", "in_refused_total", "counter",
	  "Messages rejected as invalid." },
	{ "in", "lost", "in_lost_total", "counter",
	  "Messages lost: by the transport, dropped, or not stored." },
	{ "refused", "socket", "socket_errors_total", "counter",
	  "Requests on the local socket answered with an error." },
	{ "refused", "services", "service_errors_total", "counter",
	  "Service requests answered with an error." },
	{ "fused", "moved", "fused_moved_total", "counter",
	  "Submaps redrawn because they moved." },
	{ "fused", "tiles", "fused_tiles_total", "counter", "Tiles fused." },
	{ "fused", "drawn", "fused_drawn_total", "counter",
	  "Submaps drawn into fused maps." },
	{ "fused", "failed", "fused_failed_total", "counter",
	  "Submaps that could not be read." },
	{ "fused", "busy_ms", "fused_busy_ms_total", "counter",
	  "Time spent on fusion, in milliseconds." },
};

static void print_metric(struct bytes *out, const char *name, const char *type,
			 const char *help, double value)
{
	bytes_printf(out, "# HELP gdim_%s %s\n# TYPE gdim_%s %s\n"
		     "gdim_%s %.15g\n", name, help, name, type, name, value);
}

int web_answer_metrics(struct web_worker *w)
{
	struct order o = { .name = "status" };
	int err = order(w, &o);

	if (!err)
		err = web_begin(w);
	if (err) {
		cJSON_Delete(o.answer);
		return web_fail(w, err, o.error.text);
	}
	for (unsigned int i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		const struct metric *m = &metrics[i];
		const cJSON *item = cJSON_GetObjectItem(m->part ?
			cJSON_GetObjectItem(o.answer, m->part) : o.answer,
			m->item);

		if (cJSON_IsNumber(item))
			print_metric(&w->out, m->name, m->type, m->help,
				     item->valuedouble);
	}
	cJSON_Delete(o.answer);
	print_metric(&w->out, "http_connections", "gauge",
		     "Open HTTP connections.",
		     http_server_connections(w->web->server));
	print_metric(&w->out, "http_dropped_total", "counter",
		     "HTTP connections closed at the connection limit.",
		     http_server_dropped(w->web->server));
	print_metric(&w->out, "http_requests_total", "counter",
		     "HTTP requests received.",
		     __atomic_load_n(&w->web->requests, __ATOMIC_RELAXED));
	print_metric(&w->out, "http_errors_total", "counter",
		     "HTTP requests answered with an error.",
		     __atomic_load_n(&w->web->errors, __ATOMIC_RELAXED));
	return web_reply(w, 200, "text/plain; version=0.0.4",
			 "Cache-Control: no-store\r\n");
}
