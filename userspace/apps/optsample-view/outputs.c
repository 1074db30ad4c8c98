// SPDX-License-Identifier: GPL-2.0-only
/*
 * outputs - what clients publish, towards a robot
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/optsample-view/outputs.h"
#include "apps/optsample-view/view_config.h"
#include "base/service.h"
#include "ros/io/io.h"
#include "ros/io/sink.h"

#define MS	1000000ULL

/**
 * struct output - a topic
 * @due:	when silence has lasted too long, ns; LOOP_NEVER: it stands
 * @frame_id:	of the last message, for the zero command
 */
struct output {
	struct sink_topic	*topic;
	char			name[ACTION_TEXT], frame_id[ACTION_TEXT];
	enum message_kind	kind;
	uint64_t		due;
};

struct outputs {
	struct loop		*loop;
	struct sink		*sink;
	struct loop_timer	timer;
	struct output		output[VIEW_PUBLISH];
	unsigned int		count;
	struct outputs_counts	counts;
	union message		message;
};

static bool is_velocity(enum message_kind kind)
{
	return kind == MESSAGE_TWIST || kind == MESSAGE_TWIST_STAMPED;
}

static void outputs_stop(struct outputs *o, struct output *t)
{
	const int64_t now = io_now();
	union message zero;

	memset(&zero, 0, sizeof(zero));
	if (t->kind == MESSAGE_TWIST_STAMPED) {
		zero.twist_stamped.header.stamp = now;
		zero.twist_stamped.header.frame_id =
			message_string(t->frame_id);
	}
	assert(t->due != LOOP_NEVER && is_velocity(t->kind));
	t->due = LOOP_NEVER;
	o->counts.stopped++;
	service_logf(LOG_WARNING, "%s: silent for %d ms: zero command sent",
		     t->name, OUTPUTS_DEADMAN);
	if (sink_publish(t->topic, now, &zero))
		o->counts.failed++;
}

static void outputs_schedule(struct outputs *o)
{
	o->timer.due = LOOP_NEVER;
	assert(o->count <= VIEW_PUBLISH);
	for (unsigned int i = 0; i < o->count; i++)
		if (o->output[i].due < o->timer.due)
			o->timer.due = o->output[i].due;
}

static void outputs_expired(void *arg, uint64_t now)
{
	struct outputs *o = arg;

	for (unsigned int i = 0; i < o->count; i++)
		if (o->output[i].due <= now)
			outputs_stop(o, &o->output[i]);
	outputs_schedule(o);
}

int outputs_open(struct outputs **out, struct loop *l, const char *spec,
		 const char *node, struct error *error)
{
	const struct sink_config config = {
		.spec = spec, .name = node, .log = service_log,
	};
	struct outputs *o = calloc(1, sizeof(*o));
	int err;

	*out = NULL;
	if (!o)
		return error_set(error, -ENOMEM, "no memory");
	o->loop = l;
	err = sink_open(&o->sink, l, &config, error);
	if (err) {
		free(o);
		return err;
	}
	o->timer = (struct loop_timer){ LOOP_NEVER, outputs_expired, o, NULL };
	loop_add_timer(l, &o->timer);
	*out = o;
	return 0;
}

void outputs_halt(struct outputs *o)
{
	for (unsigned int i = 0; o && i < o->count; i++)
		if (o->output[i].due != LOOP_NEVER)
			outputs_stop(o, &o->output[i]);
}

void outputs_close(struct outputs *o)
{
	if (!o)
		return;
	outputs_halt(o);
	for (unsigned int i = 0; i < o->count; i++)
		sink_remove(o->output[i].topic);
	loop_remove_timer(o->loop, &o->timer);
	sink_close(o->sink);
	free(o);
}

/* Another client may publish the topic as another type */
static struct output *outputs_retype(struct outputs *o, struct output *t,
				     const struct action *a)
{
	struct sink_topic *topic;

	if (t->kind == a->kind)
		return t;
	if (t->due != LOOP_NEVER)
		outputs_stop(o, t);
	sink_remove(t->topic);
	if (sink_add(o->sink, a->topic, a->kind, false, &topic)) {
		assert(t >= o->output && t < o->output + o->count);
		*t = o->output[--o->count];
		return NULL;
	}
	t->topic = topic;
	t->kind = a->kind;
	service_logf(LOG_INFO, "%s: published as %s now", t->name,
		     message_type(t->kind, MESSAGE_CDR));
	return t;
}

static struct output *outputs_find(struct outputs *o, const struct action *a)
{
	struct output *t;

	for (unsigned int i = 0; i < o->count; i++)
		if (!strcmp(o->output[i].name, a->topic))
			return outputs_retype(o, &o->output[i], a);
	if (o->count == VIEW_PUBLISH)
		return NULL;
	t = &o->output[o->count];
	*t = (struct output){ .kind = a->kind, .due = LOOP_NEVER };
	strcpy(t->name, a->topic);
	if (sink_add(o->sink, a->topic, a->kind, false, &t->topic))
		return NULL;
	assert(o->count < VIEW_PUBLISH && t->topic);
	o->count++;
	return t;
}

static bool is_zero(const union message *m, enum message_kind kind)
{
	const struct message_twist *t = kind == MESSAGE_TWIST ? &m->twist :
					&m->twist_stamped.twist;

	for (unsigned int i = 0; i < 3; i++)
		if (t->linear[i] != 0 || t->angular[i] != 0)
			return false;
	return true;
}

int outputs_publish(struct outputs *o, const struct action *a)
{
	/* it may have waited for the loop */
	const bool fresh = (int64_t)loop_now() <= a->until;
	struct output *t = fresh ? outputs_find(o, a) : NULL;
	const struct message_header *h;
	int err = fresh ? -EIO : -ETIMEDOUT;

	if (t)
		err = message_read(a->kind, a->format, a->message, a->len,
				   &o->message);
	if (!err)
		err = sink_publish(t->topic, io_now(), &o->message);
	if (err) {
		if (!o->counts.failed++)
			service_logf(LOG_WARNING, "%s: not published: %s",
				     a->topic, strerror(-err));
		return err;
	}
	assert(t->kind == a->kind);
	o->counts.published++;
	if (!is_velocity(t->kind))
		return 0;
	h = message_header_of(t->kind, &o->message);
	if (h)
		snprintf(t->frame_id, sizeof(t->frame_id), "%.*s",
			 (int)h->frame_id.len, h->frame_id.text);
	t->due = is_zero(&o->message, t->kind) ? LOOP_NEVER :
		 loop_now() + OUTPUTS_DEADMAN * MS;
	outputs_schedule(o);
	return 0;
}

const struct outputs_counts *outputs_counts(const struct outputs *o)
{
	return &o->counts;
}
