// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_service - requests and responses of gdim_msgs: as others write them, to
 * and fro, and hostile ones
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ros/msg/service_types.h"
#include "hex.h"
#include "service_golden.h"
#include "tap.h"

enum { MAX = 2048 };

static const struct service_header asked = { 0x1122334455667788, 42 };

static union service_request request;
static union service_response response;

static struct message_string str(const char *s)
{
	return message_string(s);
}

static struct message_floats floats(const float *f, uint32_t n)
{
	return (struct message_floats){ (const uint8_t *)f, n, false };
}

static void fill_request(enum service_kind kind)
{
	memset(&request, 0, sizeof(request));
	if (kind == SERVICE_ROOM_INFORMATION)
		request.room.room = -4;
	else if (kind == SERVICE_SPOT_INFORMATION)
		request.spot.location = (struct message_point32){ 1, 2, -3 };
	else if (kind == SERVICE_PUB_RATE)
		request.pub_rate = (struct service_pub_rate_request){
			str("gas_A_map_1"), 2.5,
		};
	else if (kind == SERVICE_SNAPSHOT)
		request.snapshot.name = str("evening");
	else if (kind == SERVICE_LOGGING)
		request.logging = (struct service_logging_request){ 1, 0.25 };
	else if (kind == SERVICE_SAVE_MAP)
		request.save_map = (struct service_save_map_request){
			str("map"), str("floor1"), str("pgm"),
			str("trinary"), 0.25f, 0.65f,
		};
	else if (kind == SERVICE_TOOLBOX_SAVE_MAP)
		request.toolbox_save_map.name = str("floor2");
	else if (kind == SERVICE_LOAD_MAP)
		request.load_map.url = str("floor1.yaml");
	else if (kind == SERVICE_TOOLBOX_RESET)
		request.reset.pause = 1;
	else if (kind == SERVICE_CHANGE_STATE)
		request.change_state.transition =
			(struct service_state){ 1, str("configure") };
	else if (kind == SERVICE_TOOLBOX_SERIALIZE)
		request.serialize.filename = str("floor2");
	else if (kind == SERVICE_TOOLBOX_DESERIALIZE)
		request.deserialize =
			(struct service_toolbox_deserialize_request){
				str("floor2"), TOOLBOX_START_AT_GIVEN_POSE,
				{ 1, -2, 0, 0, 0, 0.6, 0.8 },
			};
}

static void fill_room(struct message_room *r)
{
	static const struct message_point32 corners[3] = {
		{ 0, 0, 0 }, { 4, 0, 0.5f }, { 4, 3, -1 },
	};
	static const float gases[] = { 0.25, 1 };

	*r = (struct message_room){
		.header = { 1700000000123456789, 7, str("base") },
		.id = 3, .name = str("Saal"), .location = { 1, 2, 0 },
		.size = 12, .outline = message_list(corners, 3),
		.averages_valid = 1, .avg_temperature = 21.5,
		.avg_gases = floats(gases, 2), .avg_smoke = 10,
		.avg_signal = -1, .max_hazard = 99, .names = 2,
		.gas_name = { str("CO"), str("H2S") },
	};
}

static void fill_spot(struct service_spot_response *r)
{
	static const float gases[] = { 0.5, -0.5 };

	*r = (struct service_spot_response){
		.success = 1, .message = str("ok"), .temperature = 21.5,
		.names = 2, .gas_name = { str("CO"), str("H2S") },
		.gases = floats(gases, 2), .smoke = 7, .signal = -1,
		.hazard = 100,
	};
}

static void fill_map(struct message_occupancy_grid *m)
{
	static const uint8_t cells[] = { 0xff, 100 };

	*m = (struct message_occupancy_grid){
		{ 3000000004, 0, str("map") }, 5000000006, 0.5f, 2, 1,
		{ { -1, 2, 0 }, { 0, 0, 0, 1 } }, { cells, 2 },
	};
}

static void fill_lifecycle(enum service_kind kind)
{
	const struct service_state inactive = { 2, str("inactive") };
	const struct service_state active = { 3, str("active") };

	if (kind == SERVICE_GET_STATE)
		response.get_state.current = active;
	else if (kind == SERVICE_CHANGE_STATE)
		response.change_state.success = 1;
	else if (kind == SERVICE_AVAILABLE_STATES)
		response.states = (struct service_states_response){
			2, { { 1, str("unconfigured") }, inactive },
		};
	else if (kind == SERVICE_AVAILABLE_TRANSITIONS)
		response.transitions = (struct service_transitions_response){
			2, {
				{ { 4, str("deactivate") }, active, inactive },
				{ { 7, str("shutdown") }, active,
				  { 4, str("finalized") } },
			},
		};
}

static void fill_response(enum service_kind kind)
{
	memset(&response, 0, sizeof(response));
	if (kind == SERVICE_ROOMS)
		response.rooms.rooms = 3;
	else if (kind == SERVICE_SPOT_INFORMATION)
		fill_spot(&response.spot);
	else if (kind == SERVICE_PUB_RATE)
		response.pub_rate = (struct service_pub_rate_response){
			1, str(""), 1.5, 2.5,
		};
	else if (kind == SERVICE_SNAPSHOT)
		response.snapshot = (struct service_snapshot_response){
			1, str("saved"), str("/var/evening"),
		};
	else if (kind == SERVICE_LOGGING)
		response.logging = (struct service_logging_response){
			0, str("disk"), 0,
		};
	else if (kind == SERVICE_GET_MAP)
		fill_map(&response.get_map.map);
	else if (kind == SERVICE_SAVE_MAP)
		response.save_map.result = 1;
	else if (kind == SERVICE_TOOLBOX_SAVE_MAP)
		response.toolbox_save_map.result = TOOLBOX_FAILURE;
	else if (kind == SERVICE_TOOLBOX_PAUSE)
		response.pause.status = 1;
	else if (kind == SERVICE_LOAD_MAP)
		response.load_map.result = LOAD_MAP_BAD_METADATA;
	else if (kind == SERVICE_TOOLBOX_SERIALIZE)
		response.toolbox.result = TOOLBOX_FAILURE;
	else if (kind == SERVICE_TOOLBOX_DESERIALIZE)
		response.toolbox.result = TOOLBOX_NOT_READ;
	if (kind == SERVICE_LOAD_MAP)
		fill_map(&response.load_map.map);
	fill_lifecycle(kind);
	if (kind != SERVICE_ROOM_INFORMATION)
		return;
	response.room.success = 1;
	response.room.message = str("yes");
	fill_room(&response.room.information);
}

/* Either part, filled in by now or read */
static long write_part(int kind, int part, const struct service_header *h,
		       uint8_t *data, size_t size)
{
	return part ? service_write_response(kind, h, &response, data, size) :
		      service_write_request(kind, h, &request, data, size);
}

static int read_part(int kind, int part, struct service_header *h,
		     const uint8_t *data, size_t len)
{
	return part ? service_read_response(kind, h, data, len, &response) :
		      service_read_request(kind, h, data, len, &request);
}

static void fill(int kind, int part)
{
	fill_request(kind);
	if (part)
		fill_response(kind);
}

/* Cyclone pads to 4 bytes and says how many these are */
static bool same(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	return m == (n + 3) / 4 * 4 && !memcmp(a, b, 2) &&
	       !memcmp(a + 4, b + 4, n - 4);
}

static void test_golden(int kind, int part)
{
	uint8_t want[MAX], got[MAX], plain[MAX];
	size_t m = from_hex(service_golden[kind][part], want);
	struct service_header h = { 0 };
	const char *name = service_dds_type(kind, part);
	long n;

	fill(kind, part);
	n = write_part(kind, part, &asked, got, MAX);
	ok_range(n, 1, INFINITY, "%s: as others write it, %ld bytes", name, n);
	ok(same(got, n, want, m), "... same");
	ok_eq(write_part(kind, part, &asked, NULL, 0), n, "... write part");
	ok_eq(write_part(kind, part, &asked, got, n), n, "... write part");
	ok_eq(write_part(kind, part, &asked, got, n - 1), -ENOSPC,
	      "... write part");
	memset(&request, 0xee, sizeof(request));
	memset(&response, 0xee, sizeof(response));
	memset(got, 0xee, sizeof(got));
	ok_eq(read_part(kind, part, &h, want, m), 0, "%s: as others read it",
	      name);
	ok_eq(h.client, asked.client, "... client");
	ok_eq(h.sequence, 42, "... sequence");
	ok_eq(write_part(kind, part, &h, got, MAX), n, "... write part");
	ok(same(got, n, want, m), "... same");
	/* without the header, it is what comes behind it */
	ok_eq(write_part(kind, part, NULL, plain, MAX), n - 16,
	      "%s: without a header", name);
	ok_mem(plain + 4, want + 20, n - 20, "... plain");
	ok_eq(read_part(kind, part, NULL, plain, n - 16), 0, "... read part");
	ok_eq(write_part(kind, part, &asked, got, MAX), n, "... write part");
	ok(same(got, n, want, m), "... same");
}

/* Copies in memory of their exact size, so that a sanitizer sees more */
static int read_copy(int kind, int part, const uint8_t *data, size_t n)
{
	struct service_header h;
	uint8_t *copy = malloc(n ? n : 1);
	int err;

	memcpy(copy, data, n);
	err = read_part(kind, part, &h, copy, n);
	free(copy);
	return err;
}

static void test_broken(int kind, int part)
{
	uint8_t good[MAX], bad[MAX];
	int accepted = 0, other = 0;
	uint64_t rng = 1;
	long n;

	fill(kind, part);
	n = write_part(kind, part, &asked, good, MAX);
	for (long i = 0; i < n; i++)
		accepted += read_copy(kind, part, good, i) != -EBADMSG;
	memset(good + n, 0, 4);
	accepted += read_copy(kind, part, good, n + 4) != -EBADMSG;
	for (int i = 0; i < 3000; i++) {
		int err;

		memcpy(bad, good, n);
		bad[rnd(&rng, n)] = rnd(&rng, 256);
		bad[rnd(&rng, n)] = rnd(&rng, 4) ? 0 : 255;
		err = read_copy(kind, part, bad, n);
		other += err && err != -EBADMSG && err != -E2BIG;
	}
	/* cut in the middle it is one of an older version, with 0 to 3 bytes of
	 * padding
	 */
	ok_eq(accepted, kind == SERVICE_TOOLBOX_DESERIALIZE && !part ? 4 : 0,
	      "%s: broken", service_dds_type(kind, part));
	ok_eq(other, 0, "... other");
}

static void test_limits(void)
{
	uint8_t data[MAX];
	long n;

	fill_spot(&response.spot);
	response.spot.names = SERVICE_GASES;
	for (int i = 0; i < SERVICE_GASES; i++)
		response.spot.gas_name[i] = str("gas");
	n = service_write_response(SERVICE_SPOT_INFORMATION, NULL, &response,
				   data, MAX);
	ok_range(n, 1, INFINITY, "as many gases as there may be");
	ok_eq(service_read_response(SERVICE_SPOT_INFORMATION, NULL, data, n,
				    &response),
	      0, "... service read response");
	ok_eq(response.spot.names, SERVICE_GASES, "... names");
	ok(message_string_is(&response.spot.gas_name[SERVICE_GASES - 1], "gas"),
	   "... message string is");
	/* their count is behind success, message and temperature */
	data[4 + 16] = SERVICE_GASES + 1;
	ok(service_read_response(SERVICE_SPOT_INFORMATION, NULL, data, n,
				 &response) == -E2BIG, "one more");
	response.spot.names = SERVICE_GASES + 1;
	ok(service_write_response(SERVICE_SPOT_INFORMATION, NULL, &response,
				  data, MAX) == -E2BIG, "likewise, written");
}

static void test_big_endian(void)
{
	static const uint8_t data[] = {
		0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 2, 'x', 0, 0, 0,
		0x3f, 0xc0, 0, 0,
	};
	struct service_header h;

	ok_eq(service_read_request(SERVICE_PUB_RATE, &h, data, sizeof(data),
				   &request),
	      0, "big endian");
	ok_eq(h.client, asked.client, "... client");
	ok_eq(h.sequence, 42, "... sequence");
	ok_near(request.pub_rate.rate, 1.5, 0, "... rate");
	ok(message_string_is(&request.pub_rate.topic, "x"),
	   "... message string is");
}

/* slam_toolbox of Jazzy and before */
static void test_older(void)
{
	const struct service_toolbox_deserialize_request *q =
		&request.deserialize;
	struct service_header h;
	uint8_t data[MAX];
	const size_t n = from_hex(service_golden_pose2d, data);

	memset(&request, 0xee, sizeof(request));
	ok_eq(service_read_request(SERVICE_TOOLBOX_DESERIALIZE, &h, data, n,
				   &request), 0, "a request with a Pose2D");
	ok_eq(h.sequence, 42, "... sequence");
	ok(message_string_is(&q->filename, "floor2"), "... file");
	ok_eq(q->match, TOOLBOX_LOCALIZE_AT_POSE, "... match type");
	ok_near(q->place[1], -2, 0, "... y");
	ok_near(q->place[2], 0.5, 0, "... yaw");
	ok_near(q->place[6], 0, 0, "... no quaternion");
}

int main(void)
{
	int good = 0;

	for (int k = 0; k < SERVICE_KINDS; k++)
		for (int part = 0; part < 2; part++) {
			test_golden(k, part);
			test_broken(k, part);
			good += strstr(service_dds_type(k, part),
				       "_msgs::srv::dds_::") ||
				strstr(service_dds_type(k, part),
				       "slam_toolbox::srv::dds_::");
			good += strstr(service_dds_type(k, part), part ?
				       "_Response_" : "_Request_") != NULL;
		}
	ok_eq(good, 4 * SERVICE_KINDS, "names");
	test_limits();
	test_big_endian();
	test_older();
	return tap_done();
}
