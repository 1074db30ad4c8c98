// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-view - the operator's view: what robots send, and what an outage
 * left of it
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <syslog.h>
#include <unistd.h>
#include "apps/optsample-view/inputs.h"
#include "apps/optsample-view/outputs.h"
#include "apps/optsample-view/view_status.h"
#include "base/cli.h"
#include "base/socket_path.h"
#include "base/console.h"
#include "base/service.h"
#include "view/pictures.h"

#define TICK	100000000ULL	/* ns */

struct program {
	struct view_config	config;
	struct loop		*loop;
	struct inputs		*inputs;
	struct outputs		*outputs;
	struct console		*console;
	struct loop_timer	tick;
	struct view		view;
	pthread_mutex_t		waking;		/* guards @server */
	struct server		*server;
	char			host[64], name[80], session[32];
};

/* From any thread */
static void on_changed(void *arg)
{
	struct program *p = arg;

	pthread_mutex_lock(&p->waking);
	view_server_wake(p->server);
	pthread_mutex_unlock(&p->waking);
}

static void set_server(struct program *p, struct server *server)
{
	pthread_mutex_lock(&p->waking);
	p->server = server;
	pthread_mutex_unlock(&p->waking);
}

/* The state of the replay, for clients */
static void show_replay(struct program *p)
{
	struct view_replay r;
	const struct view_replay *old = &p->view.replay;
	uint64_t cuts;
	bool changed;

	if (!inputs_replay(p->inputs, &r))
		return;
	board_lock(p->view.board);
	cuts = board_cuts(p->view.board);
	changed = r.paused != old->paused || r.ended != old->ended ||
		  r.speed != old->speed || cuts != p->view.cuts;
	p->view.replay = r;
	p->view.cuts = cuts;
	__atomic_add_fetch(&p->view.replayed, changed, __ATOMIC_RELAXED);
	board_unlock(p->view.board);
}

static void on_action(void *arg, const struct action *a)
{
	struct program *p = arg;
	struct error error = { "" };
	int err;

	if (a->type == ACTION_PUBLISH) {
		if (p->outputs)
			outputs_publish(p->outputs, a);
		return;
	}
	err = inputs_act(p->inputs, a, &error);
	if (err)
		service_logf(LOG_WARNING, "command refused: %s", error.text);
	show_replay(p);
	board_lock(p->view.board);
	__atomic_add_fetch(&p->view.replayed, 1, __ATOMIC_RELAXED);
	if (a->type == ACTION_REPLAY)
		p->view.acted = a->number;
	board_unlock(p->view.board);
	on_changed(p);
}

static void on_tick(void *arg, uint64_t now)
{
	struct program *p = arg;

	p->tick.due = now + TICK;
	show_replay(p);
	inputs_tick(p->inputs);
}

static struct view_parts parts_of(struct program *p, const struct server *s)
{
	return (struct view_parts){ &p->view, s, p->inputs, p->outputs };
}

static int on_request(void *arg, const char *command, const cJSON *parameters,
		      cJSON *answer, struct error *error)
{
	struct program *p = arg;
	const struct view_parts parts = parts_of(p, p->server);
	const cJSON *seconds = cJSON_GetObjectItem(parameters, "seconds");
	uint32_t n = 60;

	if (strcmp(command, "status"))
		return error_set(error, -EINVAL,
				 "unknown command '%.40s'; known: status",
				 command);
	if (seconds && (!cJSON_IsString(seconds) ||
			parse_u32(seconds->valuestring, 1, 1200, &n)))
		return error_set(error, -EINVAL, "seconds must be 1..1200");
	view_status(&parts, n, answer);
	return 0;
}

/* In the server's thread, which may end at any time */
static void on_metrics(void *arg, const struct server *server, FILE *out)
{
	const struct view_parts parts = parts_of(arg, server);

	view_metrics(&parts, out);
}

static int open_view(struct program *p, struct error *error)
{
	const struct view_config *c = &p->config;
	struct view *v = &p->view;
	struct board_config board = {
		.memory = c->memory, .changed = on_changed, .arg = p,
	};
	int err;

	board.replay = inputs_replay(p->inputs, &v->replay);
	v->replaying = board.replay;
	v->board = board_create(&board);
	if (!v->board)
		return error_set(error, -ENOMEM, "no memory");
	inputs_show_on(p->inputs, v->board);
	v->name = p->name;
	v->host = p->host;
	v->session = p->session;
	v->assets = *c->assets ? c->assets : NULL;
	v->publish = c->publishes ? (const char *const *)c->publish : NULL;
	v->publish_age = c->publish_age;
	v->control = inputs_control(p->inputs);
	err = actions_open(&v->actions, p->loop, on_action, p);
	if (!err)
		err = pictures_open(&v->pictures, v->board, on_changed, p);
	if (err)
		return error_set(error, err, "%s", strerror(-err));
	return *c->gdim ? gdim_open(&v->gdim, c->gdim, c->gdim_token,
				    on_changed, p, error) : 0;
}

static int open_server(struct program *p, struct error *error)
{
	const struct view_config *c = &p->config;
	const struct server_config config = {
		.http = c->http, .foxglove = c->foxglove, .tokens = c->tokens,
		.origins = (const char *const *)c->origin, .view = &p->view,
		.metrics = on_metrics, .arg = p,
	};
	struct server *server;
	int err = view_server_open(&server, &config, error);

	if (!err)
		set_server(p, server);
	return err;
}

static int open_all(struct program *p)
{
	const struct view_config *c = &p->config;
	struct error error = { "" };
	int err;

	p->loop = loop_create();
	if (!p->loop)
		return cli_error(-ENOMEM, "no memory");
	err = inputs_open(&p->inputs, p->loop, c, &error);
	if (!err && c->publishes)
		err = outputs_open(&p->outputs, p->loop, c->publish_to, c->node,
				   &error);
	if (!err)
		err = open_view(p, &error);
	if (!err)
		err = open_server(p, &error);
	if (!err)
		err = console_open_usual(&p->console, p->loop, c->socket,
					 SOCKET_VIEW, on_request, p, &error);
	if (err > 0) {
		cli_warn("no console: %s; --socket selects another path", error.text);
		err = 0;
	}
	if (err)
		return cli_error(err, "%s", error.text);
	p->tick = (struct loop_timer){ loop_now(), on_tick, p, NULL };
	loop_add_timer(p->loop, &p->tick);
	return 0;
}

static void close_all(struct program *p)
{
	struct server *server = p->server;

	console_close(p->console);
	/* first of all: the robot must not drive on */
	outputs_halt(p->outputs);
	/* its clients use pictures and gdim, whose threads wake it */
	set_server(p, NULL);
	view_server_close(server);
	pictures_close(p->view.pictures);
	gdim_close(p->view.gdim);
	outputs_close(p->outputs);
	inputs_close(p->inputs);
	actions_close(p->view.actions);
	board_destroy(p->view.board);
	loop_destroy(p->loop);
	view_config_free(&p->config);
}

static void name_session(struct program *p)
{
	uint64_t id = loop_now();

	gethostname(p->host, sizeof(p->host) - 1);
	snprintf(p->name, sizeof(p->name), "optsample-view %s", p->host);
	if (getrandom(&id, sizeof(id), 0) < 0)
		id = loop_now();
	snprintf(p->session, sizeof(p->session), "%016llx",
		 (unsigned long long)id);
}

static void log_addresses(const struct program *p)
{
	const struct view_config *c = &p->config;

	if (*c->http)
		service_logf(LOG_INFO, "page at http://%s/",
			     view_server_address(p->server, 0));
	if (*c->foxglove)
		service_logf(LOG_INFO, "Foxglove at ws://%s",
			     view_server_address(p->server, 1));
	if (*c->listen)
		service_logf(LOG_INFO, "receiving at UDP %s", c->listen);
}

int main(int argc, char **argv)
{
	static struct program p = { .waking = PTHREAD_MUTEX_INITIALIZER };
	int err;

	cli_program = "optsample-view";
	argv[0] = (char *)cli_program;
	view_config_init(&p.config);
	if (view_config_parse(&p.config, argc, argv))
		return 2;
	signal(SIGPIPE, SIG_IGN);
	name_session(&p);
	err = open_all(&p);
	if (!err) {
		log_addresses(&p);
		service_ready(p.loop);
		err = loop_run(p.loop);
		if (err)
			cli_error(err, "%s", strerror(-err));
		service_stopping(p.loop);
	}
	close_all(&p);
	return err ? 1 : 0;
}
