/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send_topic_fixture.h - a topic of a sender over a live link, and what is sent
 * on it
 */
#ifndef UNIT_SEND_TOPIC_FIXTURE_H
#define UNIT_SEND_TOPIC_FIXTURE_H

#include "images.h"
#include "transport/send_topic.h"
#include "uplink_fixture.h"

#define SECOND	1000000000LL

static const int64_t base = 1700000000 * SECOND;

static struct estimate link_state;
static struct pace pace;
static struct send_topic *topic;
static struct workers *workers;		/* NULL: it encodes itself */
static const struct send_counts *counts;
static unsigned int changes;

static void on_changed(void *arg)
{
	(void)arg;
	changes++;
}

static inline void begin(const char *name, enum message_kind kind,
			 const struct send_options *options)
{
	uplink_begin();
	link_state = (struct estimate){ .state = ESTIMATE_LIVE, .epoch = 2 };
	pace = (struct pace){ .rate = 0 };
	changes = 0;
	topic = send_topic_create(loop, workers, uplink, 7, name, kind, options,
				  on_changed, NULL);
	if (!topic)
		abort();
	counts = send_topic_counts(topic);
}

static inline void end(void)
{
	send_topic_destroy(topic);
	uplink_end();
}

/* Allow it to send */
static inline void allow(struct plan plan)
{
	struct policy_topic p;

	send_topic_request(topic, &p);
	plan.on = true;
	p.plan = plan;
	p.share.rate = 5000;
	send_topic_allocate(topic, &p);
}

/* @still: the robot does not move */
static inline void send_as(enum message_kind kind, const union message *m,
			   bool still)
{
	const long len = message_size(kind, MESSAGE_CDR, m);
	uint8_t *data = malloc(len);
	const struct source_message s = {
		.topic = "/t", .kind = kind, .format = MESSAGE_CDR,
		.data = data, .len = len, .stamp = base,
	};

	message_write(kind, MESSAGE_CDR, m, data, len);
	send_topic_arrived(topic);
	send_topic_message(topic, &s, &link_state, &pace, still);
	free(data);
}

/* A picture of 128 x 96 pixels, the same one for the same @seed */
static inline void send_image(uint64_t seed)
{
	struct image i = make_image(128, 96, 1, 8, 0, &seed);
	const union message m = { .image = {
		.header = { .stamp = base, .frame_id = message_string("cam") },
		.width = 128, .height = 96, .step = 128,
		.encoding = message_string("mono8"),
		.data = { i.data, 128 * 96 },
	} };

	send_as(MESSAGE_IMAGE, &m, false);
	free(i.data);
}

#endif
