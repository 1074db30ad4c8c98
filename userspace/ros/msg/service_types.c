// SPDX-License-Identifier: GPL-2.0-only
/*
 * service_types - fields of services
 */
#include <limits.h>
#include <string.h>
#include "ros/msg/message_fields.h"
#include "ros/msg/service_types.h"

static const struct field header_fields[] = {
	FIELD(U64, struct service_header, client),
	FIELD(U64, struct service_header, sequence),
	{ .op = END }
};

static const struct field rooms_response[] = {
	FIELD(U8, struct service_rooms_response, rooms),
	{ .op = END }
};

static const struct field room_request[] = {
	FIELD(U8, struct service_room_request, room),
	{ .op = END }
};

static const struct field room_response[] = {
	FIELD(U8, struct service_room_response, success),
	FIELD(STRING, struct service_room_response, message),
	NESTED(struct service_room_response, information, message_room_fields),
	{ .op = END }
};

static const struct field spot_request[] = {
	NESTED(struct service_spot_request, location, message_point_fields),
	{ .op = END }
};

static const struct field spot_response[] = {
	FIELD(U8, struct service_spot_response, success),
	FIELD(STRING, struct service_spot_response, message),
	FIELD(F32, struct service_spot_response, temperature),
	LISTED(struct service_spot_response, names, gas_name,
	       message_name_fields, SERVICE_GASES),
	FIELD(FLOATS, struct service_spot_response, gases),
	FIELD(U8, struct service_spot_response, smoke),
	FIELD(U8, struct service_spot_response, signal),
	FIELD(U8, struct service_spot_response, hazard),
	{ .op = END }
};

static const struct field pub_rate_request[] = {
	FIELD(STRING, struct service_pub_rate_request, topic),
	FIELD(F32, struct service_pub_rate_request, rate),
	{ .op = END }
};

static const struct field pub_rate_response[] = {
	FIELD(U8, struct service_pub_rate_response, success),
	FIELD(STRING, struct service_pub_rate_response, message),
	FIELD(F32, struct service_pub_rate_response, old_rate),
	FIELD(F32, struct service_pub_rate_response, new_rate),
	{ .op = END }
};

static const struct field snapshot_request[] = {
	FIELD(STRING, struct service_snapshot_request, name),
	{ .op = END }
};

static const struct field snapshot_response[] = {
	FIELD(U8, struct service_snapshot_response, success),
	FIELD(STRING, struct service_snapshot_response, message),
	FIELD(STRING, struct service_snapshot_response, path),
	{ .op = END }
};

static const struct field logging_request[] = {
	FIELD(U8, struct service_logging_request, enable),
	FIELD(F32, struct service_logging_request, rate),
	{ .op = END }
};

static const struct field logging_response[] = {
	FIELD(U8, struct service_logging_response, success),
	FIELD(STRING, struct service_logging_response, message),
	FIELD(F32, struct service_logging_response, rate),
	{ .op = END }
};

static const struct field empty_request[] = {
	FIELD(U8, struct service_empty, unused),
	{ .op = END }
};

static const struct field get_map_response[] = {
	NESTED(struct service_get_map_response, map, message_occupancy_fields),
	{ .op = END }
};

static const struct field save_map_request[] = {
	FIELD(STRING, struct service_save_map_request, topic),
	FIELD(STRING, struct service_save_map_request, url),
	FIELD(STRING, struct service_save_map_request, format),
	FIELD(STRING, struct service_save_map_request, mode),
	FIELD(F32, struct service_save_map_request, free),
	FIELD(F32, struct service_save_map_request, occupied),
	{ .op = END }
};

static const struct field save_map_response[] = {
	FIELD(U8, struct service_save_map_response, result),
	{ .op = END }
};

static const struct field toolbox_save_map_request[] = {
	FIELD(STRING, struct service_toolbox_save_map_request, name),
	{ .op = END }
};

static const struct field toolbox_save_map_response[] = {
	FIELD(U8, struct service_toolbox_save_map_response, result),
	{ .op = END }
};

static const struct field toolbox_pause_response[] = {
	FIELD(U8, struct service_toolbox_pause_response, status),
	{ .op = END }
};

static const struct field load_map_request[] = {
	FIELD(STRING, struct service_load_map_request, url),
	{ .op = END }
};

static const struct field load_map_response[] = {
	NESTED(struct service_load_map_response, map, message_occupancy_fields),
	FIELD(U8, struct service_load_map_response, result),
	{ .op = END }
};

static const struct field reset_request[] = {
	FIELD(U8, struct service_toolbox_reset_request, pause),
	{ .op = END }
};

static const struct field serialize_request[] = {
	FIELD(STRING, struct service_toolbox_serialize_request, filename),
	{ .op = END }
};

/* With a Pose, and with a Pose2D */
#define DESERIALIZE(numbers) { 	FIELD(STRING, struct service_toolbox_deserialize_request, filename), 	FIELD(U8, struct service_toolbox_deserialize_request, match), 	ARRAY(F64, struct service_toolbox_deserialize_request, place, numbers), 	{ .op = END } }

static const struct field deserialize_request[] = DESERIALIZE(7);
static const struct field deserialize_older[] = DESERIALIZE(3);

static const struct field toolbox_response[] = {
	FIELD(U8, struct service_toolbox_response, result),
	{ .op = END }
};

static const struct field state_fields[] = {
	FIELD(U8, struct service_state, id),
	FIELD(STRING, struct service_state, label),
	{ .op = END }
};

static const struct field get_state_response[] = {
	NESTED(struct service_get_state_response, current, state_fields),
	{ .op = END }
};

static const struct field change_state_request[] = {
	NESTED(struct service_change_state_request, transition, state_fields),
	{ .op = END }
};

static const struct field change_state_response[] = {
	FIELD(U8, struct service_change_state_response, success),
	{ .op = END }
};

static const struct field states_response[] = {
	LISTED(struct service_states_response, count, state, state_fields,
	       SERVICE_STATES),
	{ .op = END }
};

static const struct field transition_fields[] = {
	NESTED(struct service_transition, transition, state_fields),
	NESTED(struct service_transition, start, state_fields),
	NESTED(struct service_transition, goal, state_fields),
	{ .op = END }
};

static const struct field transitions_response[] = {
	LISTED(struct service_transitions_response, count, transition,
	       transition_fields, SERVICE_STATES),
	{ .op = END }
};

#define NAMES_OF(package, type) \
	{ package "::srv::dds_::" type "_Request_", \
	  package "::srv::dds_::" type "_Response_" }
#define NAMES(type)	NAMES_OF("gdim_msgs", type)

/* @dds and @fields by enum service_part */
static const struct {
	const char		*dds[2];
	const struct field	*fields[2];
} services[SERVICE_KINDS] = {
	[SERVICE_ROOMS] = { NAMES("Rooms"),
		{ empty_request, rooms_response } },
	[SERVICE_ROOM_INFORMATION] = { NAMES("RoomInformation"),
		{ room_request, room_response } },
	[SERVICE_SPOT_INFORMATION] = { NAMES("SpotInformation"),
		{ spot_request, spot_response } },
	[SERVICE_PUB_RATE] = { NAMES("PubRate"),
		{ pub_rate_request, pub_rate_response } },
	[SERVICE_SNAPSHOT] = { NAMES("Snapshot"),
		{ snapshot_request, snapshot_response } },
	[SERVICE_LOGGING] = { NAMES("Logging"),
		{ logging_request, logging_response } },
	[SERVICE_GET_MAP] = { NAMES_OF("nav_msgs", "GetMap"),
		{ empty_request, get_map_response } },
	[SERVICE_SAVE_MAP] = { NAMES_OF("nav2_msgs", "SaveMap"),
		{ save_map_request, save_map_response } },
	[SERVICE_TOOLBOX_SAVE_MAP] = { NAMES_OF("slam_toolbox", "SaveMap"),
		{ toolbox_save_map_request, toolbox_save_map_response } },
	[SERVICE_TOOLBOX_PAUSE] = { NAMES_OF("slam_toolbox", "Pause"),
		{ empty_request, toolbox_pause_response } },
	[SERVICE_LOAD_MAP] = { NAMES_OF("nav2_msgs", "LoadMap"),
		{ load_map_request, load_map_response } },
	[SERVICE_TOOLBOX_RESET] = { NAMES_OF("slam_toolbox", "Reset"),
		{ reset_request, toolbox_response } },
	[SERVICE_TOOLBOX_SERIALIZE] = {
		NAMES_OF("slam_toolbox", "SerializePoseGraph"),
		{ serialize_request, toolbox_response } },
	[SERVICE_TOOLBOX_DESERIALIZE] = {
		NAMES_OF("slam_toolbox", "DeserializePoseGraph"),
		{ deserialize_request, toolbox_response } },
	[SERVICE_GET_STATE] = { NAMES_OF("lifecycle_msgs", "GetState"),
		{ empty_request, get_state_response } },
	[SERVICE_CHANGE_STATE] = { NAMES_OF("lifecycle_msgs", "ChangeState"),
		{ change_state_request, change_state_response } },
	[SERVICE_AVAILABLE_STATES] = {
		NAMES_OF("lifecycle_msgs", "GetAvailableStates"),
		{ empty_request, states_response } },
	[SERVICE_AVAILABLE_TRANSITIONS] = {
		NAMES_OF("lifecycle_msgs", "GetAvailableTransitions"),
		{ empty_request, transitions_response } },
};

static int service_types_read_part(const struct field *fields,
				   struct service_header *header,
				   const void *data, size_t len, void *to)
{
	const struct part parts[2] = {
		{ header ? header_fields : NULL, header }, { fields, to },
	};

	return message_walk_in(parts, MESSAGE_CDR, data, len);
}

int service_read_request(enum service_kind kind, struct service_header *header,
			 const void *data, size_t len, union service_request *r)
{
	const int err = service_types_read_part(
		services[kind].fields[SERVICE_REQUEST], header, data, len, r);

	if (!err || kind != SERVICE_TOOLBOX_DESERIALIZE)
		return err;
	memset(r, 0, sizeof(*r));
	return service_types_read_part(deserialize_older, header, data, len, r);
}

int service_read_response(enum service_kind kind,
			  struct service_header *header, const void *data,
			  size_t len, union service_response *r)
{
	return service_types_read_part(services[kind].fields[SERVICE_RESPONSE],
				       header, data, len, r);
}

/* @base is only read */
static long write_part(const struct field *fields,
		       const struct service_header *header, const void *from,
		       void *data, size_t size)
{
	const struct part parts[2] = {
		{ header ? header_fields : NULL, (void *)header },
		{ fields, (void *)from },
	};

	return message_walk_out(parts, MESSAGE_CDR, data,
				data ? size : LONG_MAX);
}

long service_write_request(enum service_kind kind,
			   const struct service_header *header,
			   const union service_request *r, void *data,
			   size_t size)
{
	return write_part(services[kind].fields[SERVICE_REQUEST], header, r,
			  data, size);
}

long service_write_response(enum service_kind kind,
			    const struct service_header *header,
			    const union service_response *r, void *data,
			    size_t size)
{
	return write_part(services[kind].fields[SERVICE_RESPONSE], header, r,
			  data, size);
}

const char *service_dds_type(enum service_kind kind, enum service_part part)
{
	return services[kind].dds[part];
}
