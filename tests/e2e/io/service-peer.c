// SPDX-License-Identifier: GPL-2.0-only
/*
 * service-peer - the services of gdim_msgs by idlc's types, and calls of them
 *
 * Like a node of rmw_cyclonedds_cpp, and without our code except for the text
 * of its types (idl/gdim_msgs.idl).
 *
 * service-peer serve [mute]   offers all of them until it is killed, with wrong
 *                             answers for others before each; mute: and never
 *                             answers
 * service-peer call|hasty [N] calls each N times, one line for each answer, and
 *                             at the end how many were for other clients;
 *                             hasty: asks before it has a reader
 * service-peer watch N        prints N endpoints of services and what a node
 *                             says of itself
 */
#include <dds/dds.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gdim_msgs.h"
#include "service.h"

#define SRV(name) gdim_msgs_srv_dds__##name##_
#define BOTH(name) { &gdim_msgs_srv_dds__##name##_Request__desc, \
		     &gdim_msgs_srv_dds__##name##_Response__desc }

enum { ROOMS, ROOM, SPOT, PUB_RATE, SNAPSHOT, LOGGING, SERVICES };

static const dds_topic_descriptor_t *const types[SERVICES][2] = {
	BOTH(Rooms), BOTH(RoomInformation), BOTH(SpotInformation),
	BOTH(PubRate), BOTH(Snapshot), BOTH(Logging),
};

union request {
	SRV(Header)			header;
	SRV(Rooms_Request)		rooms;
	SRV(RoomInformation_Request)	room;
	SRV(SpotInformation_Request)	spot;
	SRV(PubRate_Request)		pub_rate;
	SRV(Snapshot_Request)		snapshot;
	SRV(Logging_Request)		logging;
};

union response {
	SRV(Header)			header;
	SRV(Rooms_Response)		rooms;
	SRV(RoomInformation_Response)	room;
	SRV(SpotInformation_Response)	spot;
	SRV(PubRate_Response)		pub_rate;
	SRV(Snapshot_Response)		snapshot;
	SRV(Logging_Response)		logging;
};

static dds_entity_t participant;

static dds_entity_t sure(dds_return_t ret, const char *what)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "service-peer: %s: %s\n", what, dds_strretcode(ret));
	exit(1);
}

static dds_entity_t endpoint(int kind, int part, bool writer, const char *id)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t topic, e;
	char name[128];

	snprintf(name, sizeof(name), part ? "rr%sReply" : "rq%sRequest",
		 service_names[kind]);
	topic = sure(dds_create_topic(participant, types[kind][part], name,
				      NULL, NULL), "topic");
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
	dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
	/* it only looks now and then, and all clients share the answers */
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1000);
	dds_qset_writer_data_lifecycle(qos, false);
	dds_qset_userdata(qos, id, strlen(id));
	e = writer ? dds_create_writer(participant, topic, qos, NULL) :
		     dds_create_reader(participant, topic, qos, NULL);
	dds_delete_qos(qos);
	return sure(e, "endpoint");
}

/*
 * Offering
 */

static void answer(int kind, const union request *q, union response *r)
{
	static geometry_msgs_msg_dds__Point32_ corners[] = {
		{ 0, 0, 0 }, { 4, 0, 0.5f }, { 4, 3, -1 },
	};
	static float averages[] = { 0.25f, 1 }, gases[2];
	static char text[256], *names[] = { "CO", "H2S" };
	gdim_msgs_msg_dds__RoomInformation_ *i = &r->room.information;

	if (kind == ROOMS) {
		r->rooms.rooms = 3;
	} else if (kind == ROOM) {
		r->room.success = q->room.room == 3;
		r->room.message = r->room.success ? "" : "no such room";
		i->header.frame_id = i->name = "";
		if (!r->room.success)
			return;
		i->id = 3;
		i->name = "Saal";
		i->location = (geometry_msgs_msg_dds__Point32_){ 1, 2, 0 };
		i->size = 12;
		i->outline.points._length = i->outline.points._maximum = 3;
		i->outline.points._buffer = corners;
		i->averages_valid = true;
		i->avg_temperature = 21.5f;
		i->avg_gases._length = i->avg_gases._maximum = 2;
		i->avg_gases._buffer = averages;
		i->avg_smoke = 10;
		i->avg_signal = -1;
		i->max_hazard = 99;
		i->gas_names._length = i->gas_names._maximum = 2;
		i->gas_names._buffer = names;
	} else if (kind == SPOT) {
		gases[0] = 0.5f;
		gases[1] = q->spot.location.z;
		r->spot.success = true;
		r->spot.message = "ok";
		r->spot.temperature = 10 * q->spot.location.x +
				      q->spot.location.y;
		r->spot.gas_names._length = r->spot.gas_names._maximum = 2;
		r->spot.gas_names._buffer = names;
		r->spot.gases._length = r->spot.gases._maximum = 2;
		r->spot.gases._buffer = gases;
		r->spot.smoke = 7;
		r->spot.signal = -1;
		r->spot.hazard = 100;
	} else if (kind == PUB_RATE) {
		r->pub_rate.success = true;
		r->pub_rate.message = q->pub_rate.topic;
		r->pub_rate.old_rate = 1.5f;
		r->pub_rate.new_rate = q->pub_rate.rate;
	} else if (kind == SNAPSHOT) {
		snprintf(text, sizeof(text), "/var/%s",
			 q->snapshot.name ? q->snapshot.name : "");
		r->snapshot.success = true;
		r->snapshot.message = "saved";
		r->snapshot.path = text;
	} else {
		r->logging.success = q->logging.enable;
		r->logging.message = "";
		r->logging.rate = q->logging.rate;
	}
}

/* First wrong answers: to another client, and to another request */
static void serve_one(int kind, dds_entity_t writer, const union request *q)
{
	union request wrong = { .header = { 0 } };
	union response r;

	memset(&r, 0, sizeof(r));
	if (kind == PUB_RATE)
		wrong.pub_rate.topic = "";
	else if (kind == SNAPSHOT)
		wrong.snapshot.name = "";
	answer(kind, &wrong, &r);
	r.header = q->header;
	r.header.client++;
	if (kind == ROOMS)
		r.rooms.rooms = 111;
	sure(dds_write(writer, &r), "write");
	r.header = q->header;
	r.header.sequence_number += 1000;
	sure(dds_write(writer, &r), "write");
	memset(&r, 0, sizeof(r));
	answer(kind, q, &r);
	r.header = q->header;
	sure(dds_write(writer, &r), "write");
}

static void serve(bool mute)
{
	dds_entity_t reader[SERVICES], writer[SERVICES];
	dds_sample_info_t info;

	for (int k = 0; k < SERVICES; k++) {
		char id[64];

		snprintf(id, sizeof(id), "serviceid= 1.2.3.%x;", k);
		reader[k] = endpoint(k, 0, false, id);
		writer[k] = endpoint(k, 1, true, id);
	}
	printf("ready\n");
	for (int idle = 0;; idle++) {
		if (idle > SERVICES)
			dds_sleepfor(DDS_MSECS(2));
		for (int k = 0; k < SERVICES; k++) {
			void *q = NULL;

			if (dds_take(reader[k], &q, &info, 1, 1) < 1)
				continue;
			idle = 0;
			if (info.valid_data && !mute)
				serve_one(k, writer[k], q);
			dds_return_loan(reader[k], &q, 1);
		}
	}
}

/*
 * Calling
 */

static void fill(int kind, int room, union request *q)
{
	memset(q, 0, sizeof(*q));
	if (kind == ROOM) {
		q->room.room = room;
	} else if (kind == SPOT) {
		q->spot.location.x = 2;
		q->spot.location.y = 1.5f;
		q->spot.location.z = -0.5f;
	} else if (kind == PUB_RATE) {
		q->pub_rate.topic = "gas_A_map_1";
		q->pub_rate.rate = 2.5f;
	} else if (kind == SNAPSHOT) {
		q->snapshot.name = (char *)snapshot_name();
	} else if (kind == LOGGING) {
		q->logging.enable = true;
		q->logging.rate = 0.25f;
	}
}

#define TEXT(s) (int)strlen(s), s

static void print_room(const SRV(RoomInformation_Response) *r)
{
	const gdim_msgs_msg_dds__RoomInformation_ *i = &r->information;
	uint32_t n = i->outline.points._length, g = i->avg_gases._length;
	geometry_msgs_msg_dds__Point32_ p = { 0, 0, 0 };

	if (n)
		p = i->outline.points._buffer[n - 1];
	printf(ROOM_LINE, r->success, TEXT(r->message), i->id, TEXT(i->name),
	       i->location.x, i->location.y, i->location.z, i->size, n, p.x,
	       p.y, p.z, i->averages_valid, i->avg_temperature, g,
	       g ? i->avg_gases._buffer[0] : 0, i->avg_smoke, i->avg_signal,
	       i->max_hazard, i->gas_names._length,
	       TEXT(i->gas_names._length ? i->gas_names._buffer[1] : ""));
}

static void print(int kind, const union response *r)
{
	const SRV(SpotInformation_Response) *s = &r->spot;

	if (kind == ROOMS)
		printf("rooms %d\n", r->rooms.rooms);
	else if (kind == ROOM)
		print_room(&r->room);
	else if (kind == SPOT)
		printf(SPOT_LINE, s->success, TEXT(s->message), s->temperature,
		       s->gas_names._length, TEXT(s->gas_names._buffer[1]),
		       s->gases._length, s->gases._buffer[1], s->smoke,
		       s->signal, s->hazard);
	else if (kind == PUB_RATE)
		printf("pub_rate %d [%s] %g %g\n", r->pub_rate.success,
		       r->pub_rate.message, r->pub_rate.old_rate,
		       r->pub_rate.new_rate);
	else if (kind == SNAPSHOT)
		printf(SNAPSHOT_LINE, r->snapshot.success,
		       r->snapshot.message, is_mine(r->snapshot.path,
		       strlen(r->snapshot.path)) ? "mine" : "another's");
	else
		printf("logging %d [%s] %g\n", r->logging.success,
		       r->logging.message, r->logging.rate);
}

/* @reader: 0: no answer is needed yet */
static void await_match(dds_entity_t writer, dds_entity_t reader)
{
	for (;;) {
		dds_publication_matched_status_t w = { 0 };
		dds_subscription_matched_status_t r = { 0 };

		dds_get_publication_matched_status(writer, &w);
		if (reader)
			dds_get_subscription_matched_status(reader, &r);
		if (w.current_count && (r.current_count || !reader))
			return;
		dds_sleepfor(DDS_MSECS(2));
	}
}

static void ask(int kind, dds_entity_t writer, dds_instance_handle_t self,
		int left, int sequence)
{
	union request q;

	fill(kind, left % 2 ? -4 : 3, &q);
	q.header.client = self;
	q.header.sequence_number = sequence;
	sure(dds_write(writer, &q), "write");
}

/* Return: answers before it that were for other clients */
static int await_answer(int kind, dds_entity_t reader,
			dds_instance_handle_t self, int sequence)
{
	bool got = false;
	int others = 0;

	while (!got) {
		dds_sample_info_t info;
		void *data = NULL;
		union response *r;

		if (dds_take(reader, &data, &info, 1, 1) < 1) {
			dds_sleepfor(DDS_MSECS(1));
			continue;
		}
		r = data;
		got = info.valid_data && r->header.client == self &&
		      r->header.sequence_number == sequence;
		others += info.valid_data && r->header.client != self;
		if (got)
			print(kind, r);
		dds_return_loan(reader, &data, 1);
	}
	return others;
}

/* Return: as await_answer(); @hasty: asks before it could hear an answer */
static int call_one(int kind, int times, bool hasty)
{
	static unsigned int clients;
	dds_instance_handle_t self;
	dds_entity_t writer, reader;
	int others = 0;
	char id[64];

	snprintf(id, sizeof(id), "clientid= %x.%x.3;", (unsigned int)getpid(),
		 ++clients);
	writer = endpoint(kind, 0, true, id);
	sure(dds_get_instance_handle(writer, &self), "handle");
	if (hasty) {
		await_match(writer, 0);
		ask(kind, writer, self, times - 1, 1);
		dds_sleepfor(DDS_MSECS(200));
	}
	reader = endpoint(kind, 1, false, id);
	await_match(writer, reader);
	for (int i = 1; i <= times; i++) {
		if (i > 1 || !hasty)
			ask(kind, writer, self, times - i, i);
		others += await_answer(kind, reader, self, i);
	}
	dds_delete(writer);
	dds_delete(reader);
	return others;
}

/*
 * Watching
 */

static int print_endpoints(dds_entity_t builtin, const char *what)
{
	dds_sample_info_t info;
	void *data = NULL;
	int count = 0;

	while (dds_take(builtin, &data, &info, 1, 1) == 1) {
		const dds_builtintopic_endpoint_t *e = data;
		dds_reliability_kind_t reliability;
		dds_durability_kind_t durability;
		dds_duration_t blocking;
		void *user = NULL;
		size_t size = 0;

		if (info.valid_data && (!strncmp(e->topic_name, "rq/", 3) ||
					!strncmp(e->topic_name, "rr/", 3))) {
			dds_qget_reliability(e->qos, &reliability, &blocking);
			dds_qget_durability(e->qos, &durability);
			dds_qget_userdata(e->qos, &user, &size);
			printf("%s %s %s %s %s %.*s\n", what, e->topic_name,
			       e->type_name, reliability ? "reliable" : "-",
			       durability ? "-" : "volatile", (int)size,
			       (char *)user);
			dds_free(user);
			count++;
		}
		dds_return_loan(builtin, &data, 1);
		data = NULL;
	}
	return count;
}

static void print_nodes(unsigned int endpoints)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t topic, reader;
	unsigned int most = 0;

	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
	dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	topic = sure(dds_create_topic(participant,
		&rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
		"ros_discovery_info", NULL, NULL), "topic");
	reader = sure(dds_create_reader(participant, topic, qos, NULL),
		      "reader");
	dds_delete_qos(qos);
	while (most < endpoints) {
		rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ *m;
		dds_sample_info_t info;
		void *data = NULL;

		if (dds_take(reader, &data, &info, 1, 1) < 1) {
			dds_sleepfor(DDS_MSECS(10));
			continue;
		}
		m = data;
		for (uint32_t i = 0; info.valid_data &&
		     i < m->node_entities_info_seq._length; i++) {
			const rmw_dds_common_msg_dds__NodeEntitiesInfo_ *n =
				&m->node_entities_info_seq._buffer[i];

			most = n->reader_gid_seq._length +
			       n->writer_gid_seq._length;
			printf("node %s %s %u %u\n", n->node_namespace,
			       n->node_name, n->reader_gid_seq._length,
			       n->writer_gid_seq._length);
		}
		dds_return_loan(reader, &data, 1);
	}
}

static void watch(int wanted)
{
	dds_entity_t pub = dds_create_reader(participant,
				DDS_BUILTIN_TOPIC_DCPSPUBLICATION, NULL, NULL);
	dds_entity_t sub = dds_create_reader(participant,
				DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, NULL, NULL);

	for (int n = 0; n < wanted; dds_sleepfor(DDS_MSECS(10)))
		n += print_endpoints(pub, "writer") +
		     print_endpoints(sub, "reader");
	print_nodes(wanted);
}

int main(int argc, char **argv)
{
	int others = 0;

	if (argc < 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	participant = sure(dds_create_participant(DDS_DOMAIN_DEFAULT, NULL,
						  NULL), "participant");
	if (!strcmp(argv[1], "serve")) {
		serve(argc > 2);
	} else if (strcmp(argv[1], "watch")) {
		for (int k = 0; k < SERVICES; k++)
			others += call_one(k, argc > 2 ? atoi(argv[2]) : 1,
					   !strcmp(argv[1], "hasty"));
		printf("others %d\n", others);
	} else {
		watch(argc > 2 ? atoi(argv[2]) : 1);
	}
	dds_delete(participant);
	return 0;
}
