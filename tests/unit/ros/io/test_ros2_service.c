// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros2_service - a service of ROS 2 and its clients: answers, and what
 * becomes of calls that get none
 */
#include "ros/io/ros2_offers.h"
#include "ros2_fixture.h"

#define NAME "/gdim/output/room_information"
#define REQUEST "gdim_msgs::srv::dds_::RoomInformation_Request_"
#define RESPONSE "gdim_msgs::srv::dds_::RoomInformation_Response_"

enum { CALLS = 64 };		/* that may wait at a client */

static const uint64_t LONG = 60 * 1000000000ULL;

/* The service: what it was asked, and how it answers */
static struct {
	struct ros2_service	*service;
	struct ros2_service_call *call[CALLS + 1];
	unsigned int		asked, malformed, lines;
	int			room;
	bool			later;
	char			line[ERROR_TEXT + 128];
} srv;

/* Results of calls, in their order */
static struct {
	unsigned int	done;
	int		err, room;
	size_t		number;
} cli;

static void on_request(void *arg, const union service_request *request,
		       union service_response *response)
{
	(void)arg;
	srv.room = request->room.room;
	if (srv.later)
		srv.call[srv.asked] = ros2_service_later(srv.service);
	srv.asked++;
	response->room.success = true;
	response->room.message = message_string("here it is");
	response->room.information.id = request->room.room + 1;
	response->room.information.name = message_string("hall");
}

static void on_malformed(void *arg, enum service_kind kind)
{
	(void)arg;
	srv.malformed += kind == SERVICE_ROOM_INFORMATION;
}

static void on_line(void *arg, const char *line)
{
	(void)arg;
	srv.lines++;
	snprintf(srv.line, sizeof(srv.line), "%s", line);
}

static void on_result(void *arg, int err, const union service_response *r)
{
	cli.done++;
	cli.err = err;
	cli.room = r ? r->room.information.id : -1;
	cli.number = (size_t)arg;
}

static void open_service(void)
{
	const struct ros2_service_config config = {
		.name = NAME, .kind = SERVICE_ROOM_INFORMATION,
		.handle = on_request, .malformed = on_malformed,
		.log = on_line, .node = "/test",
	};

	memset(&srv, 0, sizeof(srv));
	if (ros2_service_open(&srv.service, ros, loop, &config, &error))
		abort();
}

static struct ros2_client *open_client(void)
{
	struct ros2_client *c;

	memset(&cli, 0, sizeof(cli));
	if (ros2_client_open(&c, ros, loop, NAME, SERVICE_ROOM_INFORMATION,
			     &error))
		abort();
	return c;
}

static int call(struct ros2_client *c, int room, uint64_t timeout,
		size_t number)
{
	union service_request request = { .room = { (int8_t)room } };

	return ros2_client_call(c, &request, timeout, on_result,
				(void *)number);
}

static void test_call(void)
{
	struct ros2_client *c, *d;

	open_service();
	c = open_client();
	d = open_client();
	ok_eq(call(c, 7, LONG, 1), 0, "a call");
	ok_eq(cli.done, 0, "... which ends later");
	ok(until(cli.done), "it ends");
	ok_eq(cli.err, 0, "... with an answer");
	ok_eq(srv.room, 7, "... to the request");
	ok_eq(cli.room, 8, "... that was given");
	settle();
	ok_eq(cli.done, 1, "... once");
	ok_eq(ros2_service_stats(srv.service)->answered, 1, "it is counted");
	for (size_t i = 0; i < 5; i++) {
		call(c, (int)i, LONG, i);
		call(d, (int)i, LONG, i);
	}
	ok(until(cli.done == 11), "five calls of two clients each");
	ok_eq(cli.number, 4, "the last answer is to the last call");
	ok_eq(cli.room, 5, "... and its own");
	ok_eq(srv.asked, 11, "each was asked once");
	ok_eq(ros2_service_stats(srv.service)->dropped, 0, "none is dropped");
	ros2_client_close(c);
	ros2_client_close(d);
	ros2_client_close(NULL);
	ros2_service_close(srv.service);
	ros2_service_close(NULL);
}

static void test_later(void)
{
	union service_response response = { .room = { .success = true } };
	struct ros2_client *c;

	open_service();
	c = open_client();
	srv.later = true;
	call(c, 1, LONG, 1);
	call(c, 2, LONG, 2);
	until(srv.asked == 2);
	settle();
	ok_eq(cli.done, 0, "no answer before the service has one");
	response.room.information.id = 20;
	ros2_service_answer(srv.call[1], &response);
	ok(until(cli.done), "an answer to the second call");
	ok_eq(cli.number, 2, "... is the first");
	ok_eq(cli.room, 20, "... and its own");
	response.room.information.id = 10;
	ros2_service_answer(srv.call[0], &response);
	ok(until(cli.done == 2), "an answer to the first call");
	ok_eq(cli.number, 1, "... is the second");
	ok_eq(cli.room, 10, "... and its own");
	call(c, 3, LONG, 3);
	until(srv.asked == 3);
	ros2_client_close(c);
	ok_eq(cli.done, 3, "a client that closes ends its calls");
	ok_eq(cli.err, -ECANCELED, "... as such");
	settle();
	ros2_service_answer(srv.call[2], &response);
	ok_eq(ros2_service_stats(srv.service)->dropped, 1,
	      "an answer to one who left is dropped");
	ros2_service_close(srv.service);
}

static void test_no_answer(void)
{
	struct ros2_client *c = open_client();

	call(c, 1, 20000000, 1);
	ok(until(cli.done), "without a service a call ends");
	ok_eq(cli.err, -EHOSTUNREACH, "... as no service is there");
	ok_eq(cli.room, -1, "... without an answer");
	call(c, 2, LONG, 2);
	settle();
	open_service();
	ok(until(cli.done == 2), "a call waits for a service");
	ok_eq(cli.err, 0, "... and is answered");
	srv.later = true;
	call(c, 3, 20000000, 3);
	until(srv.asked == 2);
	ok(until(cli.done == 3), "without an answer a call ends");
	ok_eq(cli.err, -ETIMEDOUT, "... as it is too late");
	ros2_service_answer(srv.call[1], &(union service_response){ 0 });
	settle();
	ok_eq(cli.done, 3, "an answer is ignored then");
	ros2_service_close(srv.service);
	settle();
	for (size_t i = 0; i < CALLS; i++)
		call(c, 1, LONG, i);
	ok_eq(call(c, 1, LONG, CALLS), -ENOBUFS, "65 calls at a time");
	ros2_client_close(c);
	ok_eq(cli.done, CALLS + 3, "64 are ended with the client");
}

/*
 * Others on the network
 */

static void put_header(uint8_t *to, uint64_t client, uint64_t number)
{
	memcpy(to, "\0\1\0\0", 4);
	put_le32(to + 4, (uint32_t)client);
	put_le32(to + 8, (uint32_t)(client >> 32));
	put_le32(to + 12, (uint32_t)number);
	put_le32(to + 16, (uint32_t)(number >> 32));
}

static bool matched(const struct end *writer)
{
	dds_instance_handle_t all[4];

	return dds_get_matched_subscriptions(writer->end, all, 4) > 0;
}

/* The ends have no clientid: then a service answers at once */
static void test_foreign_client(void)
{
	struct end ask = end_new("rq" NAME "Request", REQUEST, true, true,
				 false);
	struct end hear = end_new("rr" NAME "Reply", RESPONSE, false, true,
				  false);
	static uint8_t bytes[BYTES];
	size_t len;

	open_service();
	until(matched(&ask));
	settle();
	put_header(bytes, 0x1122334455667788, 42);
	bytes[20] = 9;
	end_write(&ask, bytes, 21);
	ok(until((len = end_read(&hear, bytes))), "another client is answered");
	ok_eq(get_le32(bytes + 4), 0x55667788, "... by its handle");
	ok_eq(get_le32(bytes + 8), 0x11223344, "... all of it");
	ok_eq(get_le32(bytes + 12), 42, "... and its number");
	ok_eq(bytes[20], 1, "... with success");
	end_write(&ask, bytes, 20);
	ok(until(srv.malformed), "a request that is cut short is malformed");
	ok_eq(ros2_service_stats(srv.service)->malformed, 1, "... is counted");
	settle();
	ok_eq(end_read(&hear, bytes), 0, "... and not answered");
	ok_eq(ros2_service_stats(srv.service)->answered, 1, "one was answered");
	ros2_service_close(srv.service);
	end_delete(&ask);
	end_delete(&hear);
}

/* Answers of a service that are not to be believed */
static void test_foreign_service(void)
{
	struct end hear = end_new("rq" NAME "Request", REQUEST, false, true,
				  false);
	struct end say = end_new("rr" NAME "Reply", RESPONSE, true, true,
				 false);
	struct ros2_client *c = open_client();
	static uint8_t bytes[BYTES];
	uint64_t client;

	until(matched(&say));
	call(c, 5, LONG, 1);
	ok(until(end_read(&hear, bytes)), "a service that names no id is asked");
	ok_eq(bytes[20], 5, "... for the room");
	ok_eq(get_le32(bytes + 12), 1, "... as the first request");
	client = get_le32(bytes + 4) | (uint64_t)get_le32(bytes + 8) << 32;
	put_header(bytes, client + 1, 1);
	end_write(&say, bytes, 21);
	put_header(bytes, client, 2);
	end_write(&say, bytes, 21);
	settle();
	ok_eq(cli.done, 0, "answers to others and to no call are ignored");
	put_header(bytes, client, 1);
	end_write(&say, bytes, 21);
	ok(until(cli.done), "an answer that is cut short ends the call");
	ok_eq(cli.err, -EBADMSG, "... as such");
	ros2_client_close(c);
	end_delete(&hear);
	end_delete(&say);
}

static void test_names(void)
{
	const struct ros2_service_config config = { .name = "a b" };
	struct ros2_service *s;
	struct ros2_client *c;

	ok_eq(ros2_service_open(&s, ros, loop, &config, &error), -EINVAL,
	      "a service with a space");
	ok_str(error.text, "invalid service name 'a b'", "... is reported");
	ok_eq(ros2_client_open(&c, ros, loop, "room", SERVICE_ROOMS, &error),
	      -EINVAL, "a client of a relative name");
	ok_str(error.text, "invalid service name 'room'", "... is reported");
}

static const char *rename_offer(void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "room") ? name : NAME;
}

/* All services of a program, under one node */
static void test_offers(void)
{
	static const struct ros2_offer offered[] = {
		{ "/rooms", SERVICE_ROOMS, on_request },
		{ "room", SERVICE_ROOM_INFORMATION, on_request },
	};
	struct ros2_offers_config config = {
		.to = "ros2:7", .node = "a node", .offer = offered, .count = 2,
		.rename = rename_offer, .log = on_line,
		.malformed = on_malformed,
	};
	struct ros2_offers *o;
	struct ros2_client *c;

	memset(&srv, 0, sizeof(srv));
	ok_eq(ros2_offers_open(&o, loop, &config, &error), 0, "two services");
	ok_eq(srv.lines, 1, "a bad name of the node is logged");
	c = open_client();
	call(c, 7, LONG, 1);
	ok(until(cli.done), "one that was renamed is called");
	ok_eq(cli.room, 8, "... and answers");
	ok_eq(ros2_offers_stats(o).answered, 1, "... and is counted");
	ok(ros2_offers_service(o, SERVICE_ROOM_INFORMATION) &&
	   !ros2_offers_service(o, SERVICE_LOGGING), "found by its kind");
	ros2_client_close(c);
	ros2_offers_close(o);
	ros2_offers_close(NULL);
	ok_eq(ros2_offers_stats(NULL).answered, 0, "no services: no counters");
	config.to = "ros2:x";
	ok_range(ros2_offers_open(&o, loop, &config, &error), -INFINITY, -1,
		 "no such domain: an error");
	config.to = "ros2";
	config.rename = NULL;
	ok_eq(ros2_offers_open(&o, loop, &config, &error), -EINVAL,
	      "a service with a bad name: likewise");
}

int main(void)
{
	setenv("OPTSAMPLE_FASTDDS", "/nowhere/fastdds.so", 1);
	ros2_network();
	ros2_begin();
	test_call();
	test_later();
	test_no_answer();
	test_foreign_client();
	test_foreign_service();
	test_names();
	test_offers();
	ros2_end();
	return tap_done();
}
