// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_client - calls of a service, several at a time
 *
 * A call is sent once the service was found, because earlier requests are lost;
 * the answer has its number.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/error.h"
#include "ros/io/ros2_pair.h"
#include "ros/io/ros2_service.h"

enum { CALLS = 64 };

/* Retry interval for a service that does not keep up */
static const uint64_t RETRY = 20000000;

/**
 * struct call - a waiting call
 * @data:	the request; NULL once it is sent
 */
struct call {
	struct ddsi_serdata	*data;
	int64_t			sequence;
	uint64_t		due;
	ros2_client_fn		*done;
	void			*arg;
};

struct ros2_client {
	struct ros2_pair	pair;
	struct loop		*loop;
	enum service_kind	kind;
	int64_t			sequence;
	struct loop_timer	timer;
	struct call		call[CALLS];
	unsigned int		count;
	bool			slow;
	union service_response	response;
};

/* It leaves the list before its callback */
static void ros2_client_finish(struct ros2_client *c, unsigned int i, int err)
{
	struct call call = c->call[i];

	assert(i < c->count && c->count <= CALLS);
	for (c->count--; i < c->count; i++)
		c->call[i] = c->call[i + 1];
	if (call.data)
		ddsi_serdata_unref(call.data);
	call.done(call.arg, err, err ? NULL : &c->response);
}

static void ros2_client_set_timer(struct ros2_client *c)
{
	c->timer.due = c->slow ? loop_now() + RETRY : LOOP_NEVER;
	for (unsigned int i = 0; i < c->count; i++)
		if (c->call[i].due < c->timer.due)
			c->timer.due = c->call[i].due;
}

static void ros2_client_send_all(struct ros2_client *c)
{
	unsigned int i = 0;

	c->slow = false;
	while (i < c->count && !c->call[i].data)
		i++;
	if (i == c->count || !ros2_pair_has_service(&c->pair))
		return;
	while (i < c->count && !c->slow) {
		struct call *call = &c->call[i];
		int err = call->data ? ros2_pair_write(&c->pair, call->data) :
				       0;

		c->slow = err == -EAGAIN;
		if (err && !c->slow) {
			ros2_client_finish(c, i, err);
			continue;
		}
		if (!err && call->data) {
			ddsi_serdata_unref(call->data);
			call->data = NULL;
		}
		i++;
	}
}

/* Answers to others, late ones and unknown ones are ignored */
static void take_answer(struct ros2_client *c, struct ddsi_serdata *d)
{
	struct service_header header = { 0 };
	size_t len;
	const uint8_t *bytes = ros2_type_bytes(d, &len);
	int err = service_read_response(c->kind, &header, bytes, len,
					&c->response);

	if (header.client != c->pair.handle)
		return;
	for (unsigned int i = 0; i < c->count; i++)
		if (c->call[i].sequence == header.sequence &&
		    !c->call[i].data) {
			ros2_client_finish(c, i, err ? -EBADMSG : 0);
			return;
		}
}

static void ros2_client_on_event(void *arg, uint32_t events)
{
	struct ddsi_serdata *data[ROS2_PAIR_BATCH];
	dds_sample_info_t info[ROS2_PAIR_BATCH];
	struct ros2_client *c = arg;
	int n;

	(void)events;
	ros2_pair_clear(&c->pair);
	n = dds_takecdr(c->pair.reader, data, ROS2_PAIR_BATCH, info,
			DDS_ANY_STATE);
	for (int i = 0; i < n; i++) {
		if (info[i].valid_data)
			take_answer(c, data[i]);
		ddsi_serdata_unref(data[i]);
	}
	if (n == ROS2_PAIR_BATCH)
		ros2_pair_again(&c->pair);
	ros2_client_send_all(c);
	ros2_client_set_timer(c);
}

static void ros2_client_on_timer(void *arg, uint64_t now)
{
	struct ros2_client *c = arg;
	unsigned int i = 0;

	ros2_client_send_all(c);
	while (i < c->count) {
		const struct call *call = &c->call[i];

		if (call->due <= now)
			ros2_client_finish(
				c, i, call->data ? -EHOSTUNREACH : -ETIMEDOUT);
		else
			i++;
	}
	ros2_client_set_timer(c);
}

int ros2_client_open(struct ros2_client **client, struct ros2 *ros,
		     struct loop *loop, const char *name,
		     enum service_kind kind, struct error *error)
{
	struct ros2_client *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return error_set(error, -ENOMEM, "no memory");
	c->loop = loop;
	c->kind = kind;
	err = ros2_pair_open(&c->pair, ros, loop, name, kind, SERVICE_REQUEST,
			     ros2_client_on_event, c, error);
	if (err) {
		free(c);
		return err;
	}
	c->timer.due = LOOP_NEVER;
	c->timer.expired = ros2_client_on_timer;
	c->timer.arg = c;
	loop_add_timer(loop, &c->timer);
	*client = c;
	return 0;
}

void ros2_client_close(struct ros2_client *c)
{
	if (!c)
		return;
	loop_remove_timer(c->loop, &c->timer);
	/* callbacks cannot start another call now */
	c->sequence = INT64_MAX;
	while (c->count)
		ros2_client_finish(c, 0, -ECANCELED);
	ros2_pair_close(&c->pair);
	free(c);
}

int ros2_client_call(struct ros2_client *c,
		     const union service_request *request, uint64_t timeout,
		     ros2_client_fn *done, void *arg)
{
	struct service_header header = { c->pair.handle, c->sequence + 1 };
	struct call *call = &c->call[c->count];
	struct ddsi_serdata *d;
	uint8_t *bytes;
	size_t room;
	long len;

	if (c->count == CALLS || c->sequence == INT64_MAX)
		return -ENOBUFS;
	len = service_write_request(c->kind, &header, request, NULL, 0);
	if (len < 0)
		return len;
	d = ros2_type_data(c->pair.type, len);
	if (!d)
		return -ENOMEM;
	bytes = ros2_type_bytes(d, &room);
	service_write_request(c->kind, &header, request, bytes, room);
	assert(c->count < CALLS);
	*call = (struct call){
		.data = d, .sequence = ++c->sequence, .done = done, .arg = arg,
		.due = timeout < LOOP_NEVER - loop_now() ?
		       loop_now() + timeout : LOOP_NEVER,
	};
	c->count++;
	/* sent in the loop, so that no callback comes before the return */
	ros2_pair_again(&c->pair);
	return 0;
}
