// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_service - answer requests in the order of arrival
 *
 * A client that was just discovered may have a writer here but no reader yet.
 * Its answer waits for the reader, as does an answer that does not fit into the
 * queue of a slow client: at most PATIENCE, and WAITING of them.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "ros/io/fastdds_domain.h"
#include "ros/io/ros2_pair.h"
#include "ros/io/ros2_service.h"

enum {
	WAITING	= 64,
	KEPT	= 128,		/* requests of Fast DDS */
};

static const uint64_t PATIENCE = 1000000000, RETRY = 20000000;

/* Fast DDS announces itself every 3 s, if the first announcement was lost */
static const uint64_t PATIENCE_FASTDDS = 10 * 1000000000ULL;

/**
 * struct answer - a waiting answer
 * @client:	the writer of its request
 * @bytes:	to a client of Fast DDS: @len bytes, for @id; else NULL
 */
struct answer {
	struct ddsi_serdata	*data;
	dds_instance_handle_t	client;
	uint8_t			*bytes;
	size_t			len;
	uint8_t			id[FASTDDS_ID];
	uint64_t		due;
};

/**
 * struct asked - a received request
 * @fastdds:	from a client of Fast DDS: @id; else @header, @client
 */
struct asked {
	struct service_header	header;
	dds_instance_handle_t	client;
	bool			fastdds;
	uint8_t			id[FASTDDS_ID];
};

/* From a thread of Fast DDS to the loop; see fastdds.h */
struct request {
	struct request	*next;
	uint8_t		id[FASTDDS_ID], sample[FASTDDS_ID];
	size_t		len;
	uint8_t		data[];
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
	struct asked			asked;	/* that is being handled */
	bool				later;
	struct fastdds_domain		*fastdds;	/* NULL: there is none */
	void				*offered;
	uint8_t				seen[KEPT][FASTDDS_ID];
	unsigned int			next_seen;
	struct error			why;
	pthread_mutex_t			lock;	/* of what follows */
	struct request			*first, **last;
	unsigned int			requests;
	uint64_t			overflown;
};

struct ros2_service_call {
	struct ros2_service	*service;
	struct asked		asked;
};

/* Return: whether it is finished, sent or not */
static bool try_answer(struct ros2_service *s, const struct answer *a,
		       uint64_t now)
{
	int err;

	if (a->bytes) {
		err = fastdds_ops_of(s->fastdds)->answer(s->offered, a->id,
							 a->bytes, a->len);
	} else {
		enum ros2_peer peer = ros2_pair_client(&s->pair, a->client);

		err = peer == ROS2_PEER_IS_HERE ? ros2_pair_write(&s->pair,
								  a->data) :
		      peer == ROS2_PEER_COMES ? -EAGAIN : -EPIPE;
	}
	if (err == -EAGAIN && now < a->due)
		return false;
	if (err)
		s->stats.dropped++;
	else
		s->stats.answered++;
	s->stats.fastdds += !err && a->bytes;
	return true;
}

static void free_answer(struct answer *a)
{
	if (a->data)
		ddsi_serdata_unref(a->data);
	free(a->bytes);
}

static void try_all(struct ros2_service *s)
{
	uint64_t now = loop_now();
	unsigned int left = 0;

	for (unsigned int i = 0; i < s->count; i++) {
		if (try_answer(s, &s->waiting[i], now))
			free_answer(&s->waiting[i]);
		else
			s->waiting[left++] = s->waiting[i];
	}
	assert(left <= s->count && s->count <= WAITING);
	s->count = left;
	s->retry.due = left ? now + RETRY : LOOP_NEVER;
}

/* In the client's format. Return: 0; a negative errno */
static int make_answer(const struct ros2_service *s, const struct asked *asked,
		       const union service_response *response,
		       struct answer *a)
{
	const struct service_header *header = asked->fastdds ? NULL :
							       &asked->header;
	enum service_kind kind = s->config.kind;
	long len = service_write_response(kind, header, response, NULL, 0);
	uint8_t *bytes;
	size_t room;

	if (len < 0)
		return (int)len;
	if (asked->fastdds) {
		a->bytes = bytes = malloc(len);
		a->len = room = len;
		memcpy(a->id, asked->id, FASTDDS_ID);
	} else {
		a->data = ros2_type_data(s->pair.type, len);
		a->client = asked->client;
		bytes = a->data ? ros2_type_bytes(a->data, &room) : NULL;
	}
	if (!bytes)
		return -ENOMEM;
	service_write_response(kind, header, response, bytes, room);
	return 0;
}

static void answer(struct ros2_service *s, const struct asked *asked,
		   const union service_response *response)
{
	struct answer a = { .due = loop_now() + (asked->fastdds ?
						  PATIENCE_FASTDDS : PATIENCE) };

	if (make_answer(s, asked, response, &a)) {
		s->stats.dropped++;
	} else if (try_answer(s, &a, loop_now())) {
		free_answer(&a);
	} else if (s->count < WAITING) {
		s->waiting[s->count++] = a;
		if (s->retry.due == LOOP_NEVER)
			s->retry.due = loop_now() + RETRY;
	} else {
		free_answer(&a);
		s->stats.dropped++;
	}
}

/* @asked: all but its header, which is in @bytes if there is one */
static void ros2_service_serve(struct ros2_service *s,
			       const struct asked *asked, const uint8_t *bytes,
			       size_t len)
{
	s->asked = *asked;
	if (service_read_request(s->config.kind, asked->fastdds ? NULL :
				 &s->asked.header, bytes, len, &s->request)) {
		s->stats.malformed++;
		if (s->config.malformed)
			s->config.malformed(s->config.arg, s->config.kind);
		return;
	}
	s->response = (union service_response){ 0 };
	s->later = false;
	s->config.handle(s->config.arg, &s->request, &s->response);
	if (!s->later)
		answer(s, &s->asked, &s->response);
}

/*
 * Fast DDS
 */

/* In a thread of Fast DDS, or the loop */
static void on_fastdds(void *arg, const uint8_t id[FASTDDS_ID],
		       const uint8_t sample[FASTDDS_ID], const void *data,
		       size_t len)
{
	struct ros2_service *s = arg;
	struct request *q = malloc(sizeof(*q) + len);
	bool kept = false;

	if (q) {
		q->next = NULL;
		q->len = len;
		memcpy(q->id, id, FASTDDS_ID);
		memcpy(q->sample, sample, FASTDDS_ID);
		memcpy(q->data, data, len);
	}
	pthread_mutex_lock(&s->lock);
	if (q && s->requests < KEPT) {
		assert(!*s->last);
		*s->last = q;
		s->last = &q->next;
		s->requests++;
		kept = true;
	} else {
		s->overflown++;
	}
	pthread_mutex_unlock(&s->lock);
	if (kept)
		ros2_pair_again(&s->pair);
	else
		free(q);
}

static struct request *take_request(struct ros2_service *s)
{
	struct request *q;

	pthread_mutex_lock(&s->lock);
	s->stats.dropped += s->overflown;
	s->overflown = 0;
	q = s->first;
	if (q) {
		s->first = q->next;
		if (!s->first)
			s->last = &s->first;
		assert(s->requests && (s->first || s->requests == 1));
		s->requests--;
	}
	pthread_mutex_unlock(&s->lock);
	return q;
}

/* Whether it also came by the other middleware; remembers it */
static bool was_seen(struct ros2_service *s, const uint8_t sample[FASTDDS_ID])
{
	for (unsigned int i = 0; i < KEPT; i++)
		if (!memcmp(s->seen[i], sample, FASTDDS_ID))
			return true;
	memcpy(s->seen[s->next_seen++ % KEPT], sample, FASTDDS_ID);
	return false;
}

static void serve_fastdds(struct ros2_service *s)
{
	struct request *q;

	while ((q = take_request(s))) {
		struct asked asked = { .fastdds = true };

		memcpy(asked.id, q->id, FASTDDS_ID);
		if (!was_seen(s, q->sample))
			ros2_service_serve(s, &asked, q->data, q->len);
		free(q);
	}
}

/* Once: advice for users of rmw_fastrtps */
static void log_unserved(struct ros2_service *s)
{
	char line[ERROR_TEXT + 128];

	if (s->stats.unserved++ || !s->config.log)
		return;
	snprintf(line, sizeof(line), "a client with rmw_fastrtps gets no "
		 "answer: %s; it needs RMW_IMPLEMENTATION=rmw_cyclonedds_cpp",
		 s->why.text);
	s->config.log(s->config.log_arg, line);
}

/*
 * A request of a client of Fast DDS that Cyclone DDS received: the client may
 * have found this reader before the one of Fast DDS; otherwise Fast DDS has it
 * too. An answer may also name the client's writer.
 */
static bool is_for_fastdds(struct ros2_service *s, dds_instance_handle_t writer,
			   const struct ddsi_serdata *d, const uint8_t *bytes,
			   size_t len)
{
	const uint64_t n = ros2_type_sequence(d);
	const uint32_t number[2] = { n >> 32, n };
	dds_builtintopic_endpoint_t *e =
		dds_get_matched_publication_data(s->pair.reader, writer);
	const bool is = e && ros2_is_fastdds(&e->key);
	uint8_t id[FASTDDS_ID];

	if (is) {
		memcpy(id, e->key.v, sizeof(e->key.v));
		memcpy(id + sizeof(e->key.v), number, sizeof(number));
	}
	if (e)
		dds_builtintopic_free_endpoint(e);
	if (is && s->offered)
		on_fastdds(s, id, id, bytes, len);
	else if (is)
		log_unserved(s);
	return is;
}

static void open_fastdds(struct ros2_service *s, const struct ros2 *ros,
			 const struct ros2_service_config *config)
{
	char request[IO_NAME + 16], reply[IO_NAME + 16];
	const struct fastdds_service offer = {
		.request_topic = request, .reply_topic = reply,
		.request_type = service_dds_type(config->kind, SERVICE_REQUEST),
		.reply_type = service_dds_type(config->kind, SERVICE_RESPONSE),
		.request = on_fastdds, .arg = s,
	};

	if (fastdds_join(&s->fastdds, ros2_domain(ros), config->node, &s->why))
		return;
	snprintf(request, sizeof(request), "rq%sRequest", config->name);
	snprintf(reply, sizeof(reply), "rr%sReply", config->name);
	if (fastdds_ops_of(s->fastdds)->offer(&s->offered,
			fastdds_participant(s->fastdds), &offer)) {
		s->offered = NULL;
		error_set(&s->why, -EIO, "Fast DDS does not offer %s",
			  config->name);
	}
}

static void close_fastdds(struct ros2_service *s)
{
	struct request *q;

	if (s->offered)
		fastdds_ops_of(s->fastdds)->withdraw(s->offered);
	fastdds_leave(s->fastdds);
	while ((q = take_request(s)))
		free(q);
}

struct ros2_service_call *ros2_service_later(struct ros2_service *s)
{
	struct ros2_service_call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	*call = (struct ros2_service_call){ s, s->asked };
	s->later = true;
	return call;
}

void ros2_service_answer(struct ros2_service_call *call,
			 const union service_response *response)
{
	answer(call->service, &call->asked, response);
	free(call);
}

static void ros2_service_on_event(void *arg, uint32_t events)
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
		const struct asked asked = {
			.client = info[i].publication_handle };
		size_t len;
		const uint8_t *bytes = ros2_type_bytes(data[i], &len);

		if (info[i].valid_data && !is_for_fastdds(s, asked.client,
							     data[i], bytes,
							     len))
			ros2_service_serve(s, &asked, bytes, len);
		ddsi_serdata_unref(data[i]);
	}
	serve_fastdds(s);
	/* let others in the loop have their turn */
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
		      struct error *error)
{
	struct ros2_service *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->loop = loop;
	s->config = *config;
	s->config.name = s->config.node = NULL;
	s->last = &s->first;
	err = ros2_pair_open(&s->pair, ros, loop, config->name, config->kind,
			     SERVICE_RESPONSE, ros2_service_on_event, s, error);
	if (err) {
		free(s);
		return err;
	}
	s->retry.due = LOOP_NEVER;
	s->retry.expired = on_retry;
	s->retry.arg = s;
	loop_add_timer(loop, &s->retry);
	pthread_mutex_init(&s->lock, NULL);
	open_fastdds(s, ros, config);
	*service = s;
	return 0;
}

void ros2_service_close(struct ros2_service *s)
{
	if (!s)
		return;
	loop_remove_timer(s->loop, &s->retry);
	close_fastdds(s);
	pthread_mutex_destroy(&s->lock);
	for (unsigned int i = 0; i < s->count; i++)
		free_answer(&s->waiting[i]);
	ros2_pair_close(&s->pair);
	free(s);
}

const struct ros2_service_stats *
ros2_service_stats(const struct ros2_service *s)
{
	return &s->stats;
}
