// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds-client-message - requests and answers of fastdds-client as bytes
 */
#include <stdio.h>
#include <stdlib.h>
#include "fastdds-client.h"
#include "ros/msg/service_types.h"

static const char *const names[CLIENT_SERVICES] = {
	[SERVICE_ROOMS] = "/gdim/output/rooms",
	[SERVICE_ROOM_INFORMATION] = "/gdim/output/room_information",
	[SERVICE_SPOT_INFORMATION] = "/gdim/output/spot_information",
	[SERVICE_PUB_RATE] = "/gdim/output/pub_rate",
	[SERVICE_SNAPSHOT] = "/gdim/output/snapshot",
	[SERVICE_LOGGING] = "/gdim/output/logging",
};

const char *client_name(int kind)
{
	return names[kind];
}

const char *client_type(int kind, int part)
{
	return service_dds_type(kind, part);
}

size_t client_request(int kind, uint8_t *to, size_t room)
{
	union service_request q = { .rooms = { 0 } };

	if (kind == SERVICE_ROOM_INFORMATION)
		q.room.room = 3;
	else if (kind == SERVICE_SPOT_INFORMATION)
		q.spot.location = (struct message_point32){ 2, 1.5f, -0.5f };
	else if (kind == SERVICE_PUB_RATE)
		q.pub_rate = (struct service_pub_rate_request){
			message_string("slam_map"), 2.5f };
	else if (kind == SERVICE_SNAPSHOT)
		q.snapshot.name = message_string("fastdds");
	else if (kind == SERVICE_LOGGING)
		q.logging = (struct service_logging_request){ 0, 0 };
	return service_write_request(kind, NULL, &q, to, room);
}

void client_print(int kind, const uint8_t *data, size_t len)
{
	static union service_response r;

	if (service_read_response(kind, NULL, data, len, &r))
		printf("no such answer\n");
	else if (kind == SERVICE_ROOMS)
		printf("rooms %d\n", r.rooms.rooms);
	else if (kind == SERVICE_ROOM_INFORMATION)
		printf("room %d %.*s\n", r.room.success,
		       (int)r.room.information.name.len,
		       r.room.information.name.text);
	else if (kind == SERVICE_SPOT_INFORMATION)
		printf("spot %d %u gases\n", r.spot.success, r.spot.names);
	else if (kind == SERVICE_PUB_RATE)
		printf("pub_rate %d %g\n", r.pub_rate.success,
		       r.pub_rate.new_rate);
	else if (kind == SERVICE_SNAPSHOT)
		printf("snapshot %d %.*s\n", r.snapshot.success,
		       (int)r.snapshot.path.len, r.snapshot.path.text);
	else
		printf("logging %d\n", r.logging.success);
}
