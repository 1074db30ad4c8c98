// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats of DDS topics, from one message of each writer.
 *
 * A reader makes its writer send to us as well, and each one is announced to
 * all participants. So there are few at a time, and none longer than needed;
 * one without messages makes room for the next.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "sensor_msgs.h"
#include "topics/formats.h"
#include "topics/topic_format.h"
#include "topics/topics.h"

enum {
	FORMATS_READERS	= 16,
	FORMATS_READ_MS = 5000,	/* if others wait */
};

/**
 * struct formats_reader - of one topic
 * @reader:	0: none
 * @since:	ms
 */
struct formats_reader {
	char		name[TOPIC_NAME];
	dds_entity_t	topic, reader;
	uint64_t	since;
};

/**
 * struct formats - writers of pictures, and readers of some of them
 * @others:	readers of other participants, as topics
 * @subscriptions: built-in topic with them
 * @self:	prefix of our own
 * @next:	writer that the search for an unread topic begins with
 */
struct formats {
	dds_entity_t		participant, waitset, subscriptions;
	uint8_t			self[TOPIC_GUID];
	struct topic_list	writers, others;
	struct formats_reader	readers[FORMATS_READERS];
	size_t			next;
};

struct formats *formats_open(dds_entity_t participant, dds_entity_t waitset)
{
	struct formats *f = calloc(1, sizeof(*f));
	dds_guid_t guid;

	if (!f)
		return NULL;
	f->participant = participant;
	f->waitset = waitset;
	f->subscriptions = dds_create_reader(
		participant, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, NULL, NULL);
	if (f->subscriptions < 0 || dds_get_guid(participant, &guid)) {
		free(f);
		return NULL;
	}
	memcpy(f->self, guid.v, sizeof(f->self));
	dds_set_status_mask(f->subscriptions, DDS_DATA_AVAILABLE_STATUS);
	dds_waitset_attach(waitset, f->subscriptions, 0);
	return f;
}

static void formats_end(struct formats *f, struct formats_reader *r)
{
	if (r->reader > 0) {
		dds_waitset_detach(f->waitset, r->reader);
		dds_delete(r->reader);
	}
	if (r->topic > 0)
		dds_delete(r->topic);
	memset(r, 0, sizeof(*r));
}

void formats_close(struct formats *f)
{
	if (!f)
		return;
	for (int i = 0; i < FORMATS_READERS; i++)
		formats_end(f, &f->readers[i]);
	topic_free(&f->writers);
	topic_free(&f->others);
	free(f);
}

void formats_topic(struct formats *f, struct topic *t)
{
	struct topic *known;

	if (!topic_format_has(t->type) || t->foreign)
		return;
	known = topic_find(&f->writers, t->guid);
	if (known)
		memcpy(t->format, known->format, sizeof(t->format));
	*topic_get(&f->writers, t->guid) = *t;
}

void formats_gone(struct formats *f, const uint8_t *guid)
{
	topic_drop(&f->writers, guid);
}

static bool formats_has_name(const struct topic_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return true;
	return false;
}

/* A reader of another participant is new, or gone */
static void formats_subscription(struct formats *f,
				 const dds_builtintopic_endpoint_t *e,
				 const dds_sample_info_t *info)
{
	struct topic *t;

	if (info->instance_state != DDS_IST_ALIVE) {
		topic_drop(&f->others, e->key.v);
		return;
	}
	if (!info->valid_data || !e->topic_name || !e->type_name ||
	    !topic_format_has(e->type_name) ||
	    !memcmp(e->participant_key.v, f->self, 12))
		return;
	t = topic_get(&f->others, e->key.v);
	snprintf(t->name, sizeof(t->name), "%s", e->topic_name);
}

static void formats_take_subscriptions(struct formats *f)
{
	dds_sample_info_t info;
	void *sample = NULL;

	while (dds_take(f->subscriptions, &sample, &info, 1, 1) > 0) {
		formats_subscription(f, sample, &info);
		dds_return_loan(f->subscriptions, &sample, 1);
		sample = NULL;
	}
}

static bool formats_has_unknown(const struct formats *f, const char *name)
{
	for (size_t i = 0; i < f->writers.n; i++)
		if (!*f->writers.v[i].format &&
		    !strcmp(f->writers.v[i].name, name))
			return true;
	return false;
}

static bool formats_is_read(const struct formats *f, const char *name)
{
	for (int i = 0; i < FORMATS_READERS; i++)
		if (f->readers[i].topic && !strcmp(f->readers[i].name, name))
			return true;
	return false;
}

/* Return: the name of a topic that needs a reader and has none, or NULL */
static const char *formats_unread(struct formats *f)
{
	for (size_t k = 0; k < f->writers.n; k++) {
		const size_t i = (f->next + k) % f->writers.n;
		const struct topic *t = &f->writers.v[i];

		if (*t->format || formats_is_read(f, t->name) ||
		    !formats_has_name(&f->others, t->name))
			continue;
		f->next = i + 1;
		return t->name;
	}
	return NULL;
}

static void formats_begin(struct formats *f, struct formats_reader *r,
			  const char *name)
{
	dds_qos_t *qos = dds_create_qos();

	assert(!r->topic && !r->reader);
	/* matches every writer */
	dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
	memcpy(r->name, name, sizeof(r->name));
	r->since = monotonic_ms();
	r->topic = dds_create_topic(f->participant,
				    &sensor_msgs_msg_dds__CompressedImage__desc,
				    name, NULL, NULL);
	r->reader = r->topic > 0 ? dds_create_reader(f->participant, r->topic,
						     qos, NULL) : 0;
	if (r->reader > 0) {
		dds_set_status_mask(r->reader, DDS_DATA_AVAILABLE_STATUS);
		dds_waitset_attach(f->waitset, r->reader, 0);
	}
	dds_delete_qos(qos);
}

/* Readers for topics that need one, as far as there is room */
static void formats_turn(struct formats *f)
{
	const uint64_t now = monotonic_ms();

	for (int i = 0; i < FORMATS_READERS; i++) {
		struct formats_reader *r = &f->readers[i];
		const char *next;

		if (r->topic && (!formats_has_unknown(f, r->name) ||
				 !formats_has_name(&f->others, r->name)))
			formats_end(f, r);
		if (r->topic && now - r->since < FORMATS_READ_MS)
			continue;
		next = formats_unread(f);
		if (!next)
			continue;
		formats_end(f, r);
		formats_begin(f, r, next);
	}
}

static void formats_take_one(struct formats *f, dds_entity_t reader,
			     const sensor_msgs_msg_dds__CompressedImage_ *m,
			     const dds_sample_info_t *info,
			     void (*on_format)(void *arg,
					  const struct topic *topic),
			     void *arg)
{
	dds_builtintopic_endpoint_t *e =
		dds_get_matched_publication_data(reader,
						 info->publication_handle);
	struct topic *t = e ? topic_find(&f->writers, e->key.v) : NULL;

	if (t && !*t->format) {
		topic_format_read(m->format ? m->format : "",
				  m->format ? strlen(m->format) : 0,
				  m->data._buffer,
				  m->data._buffer ? m->data._length : 0,
				  t->format);
		on_format(arg, t);
	}
	if (e)
		dds_builtintopic_free_endpoint(e);
}

void formats_poll(struct formats *f,
		  void (*on_format)(void *arg,
					  const struct topic *topic),
		  void *arg)
{
	dds_sample_info_t info;
	void *sample = NULL;

	formats_take_subscriptions(f);
	for (int i = 0; i < FORMATS_READERS; i++) {
		const dds_entity_t reader = f->readers[i].reader;

		while (reader > 0 &&
		       dds_take(reader, &sample, &info, 1, 1) > 0) {
			if (info.valid_data)
				formats_take_one(f, reader, sample, &info,
						 on_format, arg);
			dds_return_loan(reader, &sample, 1);
			sample = NULL;
		}
	}
	formats_turn(f);
}
