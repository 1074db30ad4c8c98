// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-send - the robot's side: converts messages to datagrams that are
 * each decodable alone, as many as the link can carry
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "base/console.h"
#include "base/socket_path.h"
#include "base/error.h"
#include "base/metrics.h"
#include "apps/optsample-send/send_config.h"
#include "apps/optsample-send/send_status.h"
#include "base/service.h"
#include "base/cli.h"
#include "ros/io/source.h"

#define LINGER	3000000000ULL	/* ns: for datagrams in flight at the end */

/* Argument of a source's callbacks */
struct input {
	struct send	*send;
	struct source	*source;
	bool		ended;
};

struct send {
	struct send_config	config;
	struct loop		*loop;
	struct sender		*sender;
	struct console		*console;
	struct metrics		*metrics;
	struct loop_timer	linger;
	struct input		input[SEND_SOURCES];
};

static void send_on_message(void *arg, const struct source_message *m)
{
	sender_message(((struct input *)arg)->send->sender, m);
}

/* A topic was found: subscribe if it is configured */
static void on_found(void *arg, const char *topic, enum message_kind kind)
{
	struct input *in = arg;
	struct sender *s = in->send->sender;
	const struct send_options *o = sender_wants(s, topic);

	(void)kind;
	if ((o && o->on) || !strcmp(topic, sender_options(s)->still))
		source_subscribe(in->source, topic, -1);
}

static void send_on_ended(void *arg)
{
	struct input *in = arg;
	struct send *s = in->send;

	assert(!in->ended);
	in->ended = true;
	for (unsigned int i = 0; i < s->config.sources; i++)
		if (!s->input[i].ended)
			return;
	sender_end(s->sender);
	service_logf(LOG_INFO, "all recordings and files have been sent");
	s->linger.due = loop_now() + LINGER;
}

static void on_linger(void *arg, uint64_t now)
{
	struct send *s = arg;

	if (sender_busy(s->sender))
		s->linger.due = now + LINGER;
	else
		loop_stop(s->loop, 0);
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[\\") != NULL;
}

/* Subscribe by name; patterns wait for on_found() */
static void ask_for(struct send *s, const char *topic)
{
	int best = -ENOENT;

	for (unsigned int i = 0; i < s->config.sources; i++) {
		int ret = s->input[i].source ?
			  source_subscribe(s->input[i].source, topic, -1) :
			  -ENODEV;

		if (!ret || ret == -EEXIST || best)
			best = ret == -EEXIST ? 0 : ret;
	}
	if (best)
		service_logf(LOG_WARNING, "cannot subscribe to %s: %s", topic,
			     best == -ENOENT ? "no such topic" :
			     strerror(-best));
}

/* ---- commands ---- */

/* @err: of the sender */
static int topic_error(const char *name, int err, struct error *error)
{
	if (err == -ENOENT)
		return error_set(error, err, "topic %.200s is not sent", name);
	if (err == -E2BIG)
		return error_set(error, err, "at most %d topic settings",
				 SENDER_PATTERNS);
	return error_set(error, err, "%s", strerror(-err));
}

static int cmd_topic(struct send *s, const char *command,
		     const cJSON *parameters, struct error *error)
{
	const char *name = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(parameters, "topic"));
	struct send_options o = SEND_OPTIONS;
	bool add = !strcmp(command, "add");
	struct send_topic *t;
	const cJSON *p;
	int ret;

	if (!name || !*name || strlen(name) >= SEND_NAME)
		return error_set(error, -EINVAL, "missing argument \"topic\"");
	t = sender_find(s->sender, name);
	if (t)
		o = *send_topic_options(t);
	else if (!add)
		return topic_error(name, -ENOENT, error);
	strcpy(o.name, name);
	cJSON_ArrayForEach(p, parameters) {
		if (!strcmp(p->string, "do") || !strcmp(p->string, "topic"))
			continue;
		if (!cJSON_IsString(p))
			return error_set(error, -EINVAL, "%.80s must be a text",
					 p->string);
		if (settings_set(send_topic_settings, &o, p->string,
				 p->valuestring, error))
			return -EINVAL;
	}
	ret = t ? sender_change(s->sender, &o) : sender_add(s->sender, &o);
	if (ret)
		return topic_error(name, ret, error);
	if (!t && !is_pattern(name))
		ask_for(s, name);
	return 0;
}

/* One topic before all others, or none */
static int cmd_focus(struct send *s, const cJSON *parameters,
		     struct error *error)
{
	const char *name = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(parameters, "topic"));
	int ret = sender_focus(s->sender, name);

	return ret < 0 ? topic_error(name ? name : "", ret, error) : 0;
}

/* @which: rate or cpu */
static int cmd_limit(struct send *s, const char *which,
		     const cJSON *parameters, struct error *error)
{
	const char *value = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(parameters, which));
	int ret = settings_set(send_settings, &s->config, which,
			       value ? value : "", error);

	if (!ret)
		sender_limit(s->sender, s->config.sender.rate,
			     s->config.sender.cpu);
	return ret;
}

static int cmd_remove(struct send *s, const cJSON *parameters,
		      struct error *error)
{
	const char *name = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(parameters, "topic"));
	int ret;

	if (!name)
		return error_set(error, -EINVAL, "missing argument \"topic\"");
	ret = sender_remove(s->sender, name);
	if (ret)
		topic_error(name, ret, error);
	/* the topic that tells whether the robot stands still is needed */
	if (!ret && !strcmp(name, sender_options(s->sender)->still))
		return 0;
	for (unsigned int i = 0; !ret && i < s->config.sources; i++)
		if (s->input[i].source)
			source_unsubscribe(s->input[i].source, name);
	return ret;
}

static int send_on_request(void *arg, const char *command,
			   const cJSON *parameters, cJSON *answer,
			   struct error *error)
{
	struct send *s = arg;

	if (!strcmp(command, "status")) {
		send_status(s->sender, answer);
		return 0;
	}
	if (!strcmp(command, "set") || !strcmp(command, "add"))
		return cmd_topic(s, command, parameters, error);
	if (!strcmp(command, "focus"))
		return cmd_focus(s, parameters, error);
	if (!strcmp(command, "rate") || !strcmp(command, "cpu"))
		return cmd_limit(s, command, parameters, error);
	if (!strcmp(command, "remove"))
		return cmd_remove(s, parameters, error);
	return error_set(error, -EINVAL,
			 "unknown command '%.40s'; known: status, set, add, "
			 "remove, focus, rate, cpu", command);
}

static void send_collect(void *arg, FILE *out)
{
	send_metrics(((struct send *)arg)->sender, out);
}

/* ---- open and close ---- */

static int send_open_source(struct send *s, unsigned int i,
			    struct error *error)
{
	const struct send_config *c = &s->config;
	struct input *in = &s->input[i];
	const struct source_config config = {
		.spec = c->source[i],
		.name = c->node,
		.speed = c->speed,
		.rate = c->hz,
		.start = c->start,
		.loop = c->loop,
		.message = send_on_message,
		.found = on_found,
		.ended = send_on_ended,
		.log = service_log,
		.arg = in,
	};

	in->send = s;
	return source_open(&in->source, s->loop, &config, error);
}

static int send_open_all(struct send *s)
{
	const struct send_config *c = &s->config;
	struct address to;
	struct error error;
	int ret;

	s->loop = loop_create();
	if (!s->loop)
		return cli_error(-ENOMEM, "no memory");
	ret = address_parse(c->to, 0, "7450", &to, &error);
	if (!ret)
		ret = sender_open(&s->sender, s->loop, &to, &c->sender, &error);
	for (unsigned int i = 0; !ret && i < c->sources; i++)
		ret = send_open_source(s, i, &error);
	if (!ret)
		ret = console_open_usual(&s->console, s->loop, c->socket,
					 SOCKET_SEND, send_on_request, s, &error);
	if (ret > 0) {
		cli_warn("no console: %s; --socket selects another path", error.text);
		ret = 0;
	}
	if (!ret && *c->metrics)
		ret = metrics_open(&s->metrics, s->loop, c->metrics,
				   send_collect, s, &error);
	if (ret)
		return cli_error(ret, "%s", error.text);
	s->linger = (struct loop_timer){ LOOP_NEVER, on_linger, s, NULL };
	loop_add_timer(s->loop, &s->linger);
	for (unsigned int i = 0; i < c->sender.topics; i++)
		if (!is_pattern(c->sender.topic[i].name) &&
		    c->sender.topic[i].on)
			ask_for(s, c->sender.topic[i].name);
	if (*c->sender.still)
		ask_for(s, c->sender.still);
	return 0;
}

static void send_close_all(struct send *s)
{
	metrics_close(s->metrics);
	console_close(s->console);
	for (unsigned int i = 0; i < s->config.sources; i++)
		if (s->input[i].source)
			source_close(s->input[i].source);
	sender_close(s->sender);
	loop_destroy(s->loop);
}

int main(int argc, char **argv)
{
	static struct send s;
	int ret;

	cli_program = "optsample-send";
	argv[0] = (char *)cli_program;
	send_config_init(&s.config);
	if (send_config_parse(&s.config, argc, argv))
		return 2;
	ret = send_open_all(&s);
	if (!ret) {
		service_ready(s.loop);
		service_logf(LOG_INFO, "sending to %s as %s", s.config.to,
			     s.config.sender.name);
		ret = loop_run(s.loop);
		if (ret)
			cli_error(ret, "%s", strerror(-ret));
		service_stopping(s.loop);
	}
	send_close_all(&s);
	return ret ? 1 : 0;
}
