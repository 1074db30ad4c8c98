// SPDX-License-Identifier: GPL-2.0-only
/*
 * service-node - the services of gdim_msgs by ros2_service.h, and calls of them
 *
 * service-node serve            offers all of them until SIGTERM, as
 *                               the node /gdim/gdimd
 * service-node call [S [N]]     calls each N times, with S seconds for a call,
 *                               and prints one line for each answer
 * service-node flood N          calls one N times at once
 * service-node busy COMMAND     calls one; runs COMMAND before it looks for the
 *                               answer
 * service-node noise 0|1        writes what are no requests (0), no answers (1)
 *                               to all of their topics, then ends
 *
 * Answers depend only on the request; service-peer has the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "ros/io/ros2_graph.h"
#include "ros/io/ros2_service.h"
#include "service.h"

static struct ros2 *ros;
static struct loop *loop;

/*
 * Answers
 */

static void query_room(int room, struct service_room_response *r)
{
	static const struct message_point32 corners[] = {
		{ 0, 0, 0 }, { 4, 0, 0.5f }, { 4, 3, -1 },
	};
	static const float gases[] = { 0.25f, 1 };

	r->success = room == 3;
	r->message = message_string(room == 3 ? "" : "no such room");
	if (!r->success)
		return;
	r->information = (struct message_room){
		.id = 3, .name = message_string("Saal"),
		.location = { 1, 2, 0 }, .size = 12,
		.outline = message_list(corners, 3), .averages_valid = 1,
		.avg_temperature = 21.5f,
		.avg_gases = { (const uint8_t *)gases, 2, false },
		.avg_smoke = 10, .avg_signal = -1, .max_hazard = 99,
		.names = 2, .gas_name = { message_string("CO"),
					  message_string("H2S") },
	};
}

static void query_spot(const struct message_point32 *at,
		       struct service_spot_response *r)
{
	static float gases[2];

	gases[0] = 0.5f;
	gases[1] = at->z;
	*r = (struct service_spot_response){
		.success = 1, .message = message_string("ok"),
		.temperature = 10 * at->x + at->y, .names = 2,
		.gas_name = { message_string("CO"), message_string("H2S") },
		.gases = { (const uint8_t *)gases, 2, false },
		.smoke = 7, .signal = -1, .hazard = 100,
	};
}

static void handle(void *arg, const union service_request *q,
		   union service_response *r)
{
	static char text[256];

	switch (*(const enum service_kind *)arg) {
	case SERVICE_ROOMS:
		r->rooms.rooms = 3;
		break;
	case SERVICE_ROOM_INFORMATION:
		query_room(q->room.room, &r->room);
		break;
	case SERVICE_SPOT_INFORMATION:
		query_spot(&q->spot.location, &r->spot);
		break;
	case SERVICE_PUB_RATE:
		r->pub_rate = (struct service_pub_rate_response){
			1, q->pub_rate.topic, 1.5f, q->pub_rate.rate,
		};
		break;
	case SERVICE_SNAPSHOT:
		snprintf(text, sizeof(text), "/var/%.*s",
			 (int)q->snapshot.name.len, q->snapshot.name.text);
		r->snapshot = (struct service_snapshot_response){
			1, message_string("saved"), message_string(text),
		};
		break;
	default:
		r->logging = (struct service_logging_response){
			q->logging.enable, message_string(""), q->logging.rate,
		};
	}
}

static int serve(struct error *error)
{
	static enum service_kind kind[SERVICES];
	struct ros2_service_stats sum = { 0 };
	struct ros2_service *s[SERVICES];
	struct ros2_graph *graph;
	int err = ros2_graph_open(&graph, ros, "/gdim/gdimd", error);

	for (int k = 0; k < SERVICES && !err; k++) {
		const struct ros2_service_config config = {
			.name = service_names[k], .kind = k,
			.handle = handle, .arg = &kind[k],
		};

		kind[k] = k;
		err = ros2_service_open(&s[k], ros, loop, &config, error);
	}
	if (err)
		return err;
	err = ros2_graph_update(graph) ?: ros2_graph_update(graph) ?:
	      loop_run(loop);
	for (int k = 0; k < SERVICES; k++) {
		const struct ros2_service_stats *t = ros2_service_stats(s[k]);

		sum.answered += t->answered;
		sum.malformed += t->malformed;
		sum.dropped += t->dropped;
		ros2_service_close(s[k]);
	}
	ros2_graph_close(graph);
	printf("answered %" PRIu64 " malformed %" PRIu64 " dropped %" PRIu64
	       "\n", sum.answered, sum.malformed, sum.dropped);
	return err;
}

/*
 * Calls
 */

struct calls {
	struct ros2_client	*client[SERVICES];
	uint64_t		timeout;
	long			left;
	int			kind;
};

#define TEXT(s) (int)(s).len, (s).text

static void print_room(const struct service_room_response *r)
{
	const struct message_room *i = &r->information;
	struct message_list rest = i->outline;
	struct message_point32 p = { 0, 0, 0 };
	const struct message_string last = i->names > 1 ? i->gas_name[1] :
							  message_string("");

	while (message_next_point(&rest, &p))
		;
	printf(ROOM_LINE, r->success, TEXT(r->message), i->id, TEXT(i->name),
	       i->location.x, i->location.y, i->location.z, i->size,
	       i->outline.count, p.x, p.y, p.z, i->averages_valid,
	       i->avg_temperature, i->avg_gases.count, i->avg_gases.count ?
	       message_float(&i->avg_gases, 0) : 0, i->avg_smoke,
	       i->avg_signal, i->max_hazard, i->names, TEXT(last));
}

static void print_response(int kind, const union service_response *r)
{
	const struct service_spot_response *s = &r->spot;

	if (kind == SERVICE_ROOMS)
		printf("rooms %d\n", r->rooms.rooms);
	else if (kind == SERVICE_ROOM_INFORMATION)
		print_room(&r->room);
	else if (kind == SERVICE_SPOT_INFORMATION)
		printf(SPOT_LINE, s->success, TEXT(s->message), s->temperature,
		       s->names, TEXT(s->gas_name[1]), s->gases.count,
		       s->gases.count > 1 ? message_float(&s->gases, 1) : 0,
		       s->smoke, s->signal, s->hazard);
	else if (kind == SERVICE_PUB_RATE)
		printf("pub_rate %d [%.*s] %g %g\n", r->pub_rate.success,
		       TEXT(r->pub_rate.message), r->pub_rate.old_rate,
		       r->pub_rate.new_rate);
	else if (kind == SERVICE_SNAPSHOT)
		printf(SNAPSHOT_LINE, r->snapshot.success, "saved",
		       message_string_is(&r->snapshot.message, "saved") &&
		       is_mine(r->snapshot.path.text, r->snapshot.path.len) ?
		       "mine" : "another's");
	else
		printf("logging %d [%.*s] %g\n", r->logging.success,
		       TEXT(r->logging.message), r->logging.rate);
}

static void call_next(struct calls *c);

static void on_done(void *arg, int err, const union service_response *r)
{
	struct calls *c = arg;

	if (err == -ECANCELED)
		return;
	if (err)
		printf("%s\n", strerror(-err));
	else
		print_response(c->kind, r);
	c->kind++;
	call_next(c);
}

static void call_next(struct calls *c)
{
	union service_request q = { .rooms = { 0 } };
	int err;

	if (c->kind == SERVICES) {
		c->kind = 0;
		c->left--;
	}
	if (!c->left) {
		loop_stop(loop, 0);
		return;
	}
	if (c->kind == SERVICE_ROOM_INFORMATION)
		q.room.room = c->left % 2 ? 3 : -4;
	else if (c->kind == SERVICE_SPOT_INFORMATION)
		q.spot.location = (struct message_point32){ 2, 1.5f, -0.5f };
	else if (c->kind == SERVICE_PUB_RATE)
		q.pub_rate = (struct service_pub_rate_request){
			message_string("gas_A_map_1"), 2.5f,
		};
	else if (c->kind == SERVICE_SNAPSHOT)
		q.snapshot.name = message_string(snapshot_name());
	else if (c->kind == SERVICE_LOGGING)
		q.logging = (struct service_logging_request){ 1, 0.25f };
	err = ros2_client_call(c->client[c->kind], &q, c->timeout, on_done, c);
	if (err)
		loop_stop(loop, err);
}

static int call(double seconds, long times, struct error *error)
{
	static struct calls c;
	int err = 0;

	c.left = times;
	c.timeout = seconds * 1e9;
	for (int k = 0; k < SERVICES && !err; k++)
		err = ros2_client_open(&c.client[k], ros, loop,
				       service_names[k], k, error);
	if (err)
		return err;
	call_next(&c);
	err = loop_run(loop);
	for (int k = 0; k < SERVICES; k++)
		ros2_client_close(c.client[k]);
	return err;
}

/*
 * Many calls at once: each has its own rate, and so has its answer
 */

struct flood {
	long	left, good;
};

static void on_drop(void *arg, int err, const union service_response *r)
{
	static long next;	/* answers are in the order of the calls */
	struct flood *f = arg;

	next++;
	f->good += !err && r->logging.rate == next;
	if (!--f->left)
		loop_stop(loop, 0);
}

static int flood(long n, struct error *error)
{
	union service_request q = { .logging = { 1, 0 } };
	struct ros2_client *c;
	struct flood f = { n, 0 };
	int err = ros2_client_open(&c, ros, loop,
				   service_names[SERVICE_LOGGING],
				   SERVICE_LOGGING, error);

	if (err)
		return err;
	for (long i = 1; i <= n && !err; i++) {
		q.logging.rate = i;
		err = ros2_client_call(c, &q, 60000000000, on_drop, &f);
	}
	err = err ?: loop_run(loop);
	ros2_client_close(c);
	printf("%ld of %ld\n", f.good, n);
	return err;
}

/*
 * A client whose loop does not run while others are answered
 */

struct busy {
	struct loop_timer	timer;
	struct ros2_client	*client;
	const char		*command;
	unsigned int		calls, good;
};

static void busy_call(struct busy *b);

static void on_busy(void *arg, int err, const union service_response *r)
{
	struct busy *b = arg;

	b->good += !err && r->logging.rate == b->calls;
	if (b->calls < 2)
		busy_call(b);
	else
		loop_stop(loop, 0);
}

/*
 * The first call finds the service. The request of the second leaves in the event
 * that called on_busy(), so before the timer's turn, and no answer is taken until
 * that is over.
 */
static void busy_call(struct busy *b)
{
	union service_request q = { .logging = { 1, ++b->calls } };

	ros2_client_call(b->client, &q, 120000000000, on_busy, b);
	if (b->calls == 2)
		b->timer.due = loop_now();
}

static void busy_turn(void *arg, uint64_t now)
{
	struct busy *b = arg;

	(void)now;
	b->timer.due = LOOP_NEVER;
	if (system(b->command))
		loop_stop(loop, -ECHILD);
}

static int busy(const char *command, struct error *error)
{
	struct busy b = {
		.timer = { .due = LOOP_NEVER, .expired = busy_turn, .arg = &b },
		.command = command,
	};
	int err = ros2_client_open(&b.client, ros, loop,
				   service_names[SERVICE_LOGGING],
				   SERVICE_LOGGING, error);

	if (err)
		return err;
	loop_add_timer(loop, &b.timer);
	busy_call(&b);
	err = loop_run(loop);
	loop_remove_timer(loop, &b.timer);
	ros2_client_close(b.client);
	printf("%u of 2\n", b.good);
	return err;
}

/*
 * Noise
 */

static void write_noise(dds_entity_t writer, const struct ddsi_sertype *type,
			uint64_t client)
{
	uint64_t rng = 1;

	for (int i = 0; i < 300; i++) {
		size_t len = 4 + rnd(&rng, i % 10 ? 100 : 3000), room;
		struct ddsi_serdata *d = ros2_type_data(type, len);
		uint8_t *bytes = ros2_type_bytes(d, &room);

		for (size_t b = 0; b < len; b++)
			bytes[b] = rnd(&rng, 2) ? 0 : rnd(&rng, 256);
		memcpy(bytes, rnd(&rng, 9) ? "\0\1\0" : "\0\0\0", 4);
		/* what cannot be: a string without end */
		if (len > 24 && client)
			memcpy(bytes + 4, &client, 8);
		memset(bytes + len - 2, 255, 2);
		dds_writecdr(writer, d);
		/* no faster than anybody reads */
		usleep(2000);
	}
}

static void make_noise(int kind, int part)
{
	const struct ddsi_sertype *type;
	dds_publication_matched_status_t st = { 0 };
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t topic, writer;
	char name[300];

	snprintf(name, sizeof(name), part ? "rr%sReply" : "rq%sRequest",
		 service_names[kind]);
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
	dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, -1);
	topic = ros2_type_topic(ros2_participant(ros), name,
				service_dds_type(kind, part), &type);
	writer = dds_create_writer(ros2_participant(ros), topic, qos, NULL);
	dds_delete_qos(qos);
	while (!st.current_count) {
		usleep(10000);
		dds_get_publication_matched_status(writer, &st);
	}
	/* a handle that may be in use */
	write_noise(writer, type, part);
	dds_wait_for_acks(writer, DDS_SECS(10));
	dds_delete(writer);
	dds_delete(topic);
}

static int noise(int part)
{
	for (int k = 0; k < SERVICES; k++)
		make_noise(k, part);
	return 0;
}

int main(int argc, char **argv)
{
	struct error error = { "" };
	int err;

	if (argc < 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	loop = loop_create();
	err = ros2_join(&ros, NULL, NULL, &error);
	if (!err && !strcmp(argv[1], "serve"))
		err = serve(&error);
	else if (!err && !strcmp(argv[1], "call"))
		err = call(argc > 2 ? atof(argv[2]) : 60,
			   argc > 3 ? atol(argv[3]) : 1, &error);
	else if (!err && !strcmp(argv[1], "flood"))
		err = flood(argc > 2 ? atol(argv[2]) : 1, &error);
	else if (!err && !strcmp(argv[1], "busy"))
		err = busy(argc > 2 ? argv[2] : "true", &error);
	else if (!err)
		err = noise(argc > 2 && *argv[2] == '1');
	if (err)
		fprintf(stderr, "service-node: %s\n",
			*error.text ? error.text : strerror(-err));
	if (ros)
		ros2_leave(ros);
	loop_destroy(loop);
	return err ? 1 : 0;
}
