// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_service - requests are answered, in the order they come in
 *
 * A client that was found a moment ago may have a writer here but no reader
 * yet. Its answer waits until it has one, and so does an answer that a slow
 * client's queue has no room for: PATIENCE at most, and WAITING of them.
 */
#include <errno.h>
#include <stdlib.h>
#include "ends/ros2_pair.h"
#include "ends/ros2_service.h"

enum { WAITING = 64 };

static const uint64_t PATIENCE = 1000000000, RETRY = 20000000;

/**
 * struct answer - one that waits
 * @client:	the writer of its request
 */
struct answer {
	struct ddsi_serdata	*data;
	dds_instance_handle_t	client;
	uint64_t		due;
};

struct ros2_service {
	struct ros2_pair		pair;
	struct loop			*loop;
	struct ros2_service_config	config;
	struct ros2_service_stats	stats;
	struct loop_timer		retry;
	struct answer			waiting[WAITING];
	unsigned int			count;
	union service_request		request;
	union service_response		response;
	/* of the request that is being handled */
	struct service_header		header;
	dds_instance_handle_t		client;
	bool				later;
};

struct ros2_service_call {
	struct ros2_service	*service;
	struct service_header	header;
	dds_instance_handle_t	client;
};

/* Return: whether it is done with, sent or not */
static bool try_answer(struct ros2_service *s, const struct answer *a,
		       uint64_t now)
{
	enum ros2_peer peer = ros2_pair_client(&s->pair, a->client);
	int err = peer == ROS2_PEER_IS_HERE ? ros2_pair_write(&s->pair,
							      a->data) :
		  peer == ROS2_PEER_COMES ? -EAGAIN : -EPIPE;

	if (err == -EAGAIN && now < a->due)
		return false;
	if (err)
		s->stats.dropped++;
	else
		s->stats.answered++;
	return true;
}

static void try_all(struct ros2_service *s)
{
	uint64_t now = loop_now();
	unsigned int left = 0;

	for (unsigned int i = 0; i < s->count; i++) {
		if (try_answer(s, &s->waiting[i], now))
			ddsi_serdata_unref(s->waiting[i].data);
		else
			s->waiting[left++] = s->waiting[i];
	}
	s->count = left;
	s->retry.due = left ? now + RETRY : LOOP_NEVER;
}

static void answer(struct ros2_service *s, const struct service_header *header,
		   dds_instance_handle_t client,
		   const union service_response *response)
{
	enum service_kind kind = s->config.kind;
	struct answer a = { .client = client };
	long len = service_write_response(kind, header, response, NULL, 0);
	uint8_t *bytes;
	size_t room;

	if (len >= 0)
		a.data = ros2_type_data(s->pair.type, len);
	if (!a.data) {
		s->stats.dropped++;
		return;
	}
	bytes = ros2_type_bytes(a.data, &room);
	service_write_response(kind, header, response, bytes, room);
	a.due = loop_now() + PATIENCE;
	if (try_answer(s, &a, loop_now())) {
		ddsi_serdata_unref(a.data);
	} else if (s->count < WAITING) {
		s->waiting[s->count++] = a;
		if (s->retry.due == LOOP_NEVER)
			s->retry.due = loop_now() + RETRY;
	} else {
		ddsi_serdata_unref(a.data);
		s->stats.dropped++;
	}
}

static void serve(struct ros2_service *s, struct ddsi_serdata *d,
		  dds_instance_handle_t client)
{
	size_t len;
	const uint8_t *bytes = ros2_type_bytes(d, &len);

	if (service_read_request(s->config.kind, &s->header, bytes, len,
				 &s->request)) {
		s->stats.malformed++;
		if (s->config.malformed)
			s->config.malformed(s->config.arg, s->config.kind);
		return;
	}
	s->response = (union service_response){ 0 };
	s->client = client;
	s->later = false;
	s->config.handle(s->config.arg, &s->request, &s->response);
	if (!s->later)
		answer(s, &s->header, client, &s->response);
}

struct ros2_service_call *ros2_service_later(struct ros2_service *s)
{
	struct ros2_service_call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	*call = (struct ros2_service_call){ s, s->header, s->client };
	s->later = true;
	return call;
}

void ros2_service_answer(struct ros2_service_call *call,
			 const union service_response *response)
{
	answer(call->service, &call->header, call->client, response);
	free(call);
}

static void on_event(void *arg, uint32_t events)
{
	struct ddsi_serdata *data[ROS2_PAIR_BATCH];
	dds_sample_info_t info[ROS2_PAIR_BATCH];
	struct ros2_service *s = arg;
	int n;

	(void)events;
	ros2_pair_clear(&s->pair);
	try_all(s);
	n = dds_takecdr(s->pair.reader, data, ROS2_PAIR_BATCH, info,
			DDS_ANY_STATE);
	for (int i = 0; i < n; i++) {
		if (info[i].valid_data)
			serve(s, data[i], info[i].publication_handle);
		ddsi_serdata_unref(data[i]);
	}
	/* others in the loop have their turn in between */
	if (n == ROS2_PAIR_BATCH)
		ros2_pair_again(&s->pair);
}

static void on_retry(void *arg, uint64_t now)
{
	(void)now;
	try_all(arg);
}

int ros2_service_open(struct ros2_service **service, struct ros2 *ros,
		      struct loop *loop,
		      const struct ros2_service_config *config,
		      char error[ENDS_ERROR])
{
	struct ros2_service *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return ends_error(error, -ENOMEM, "no memory");
	s->loop = loop;
	s->config = *config;
	s->config.name = NULL;
	err = ros2_pair_open(&s->pair, ros, loop, config->name, config->kind,
			     SERVICE_RESPONSE, on_event, s, error);
	if (err) {
		free(s);
		return err;
	}
	s->retry.due = LOOP_NEVER;
	s->retry.expired = on_retry;
	s->retry.arg = s;
	loop_add_timer(loop, &s->retry);
	*service = s;
	return 0;
}

void ros2_service_close(struct ros2_service *s)
{
	if (!s)
		return;
	loop_remove_timer(s->loop, &s->retry);
	for (unsigned int i = 0; i < s->count; i++)
		ddsi_serdata_unref(s->waiting[i].data);
	ros2_pair_close(&s->pair);
	free(s);
}

const struct ros2_service_stats *
ros2_service_stats(const struct ros2_service *s)
{
	return &s->stats;
}
