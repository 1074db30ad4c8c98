/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service_types.h - requests and responses of services, from and to CDR
 *
 * As message.h: structs point into the bytes that were read. The definitions
 * of gdim_msgs are in idl/gdim_msgs, the others are those of nav_msgs, nav2_msgs,
 * slam_toolbox and lifecycle_msgs. A type without members is one byte, as in rosidl.
 */
#ifndef ROS_MSG_SERVICE_TYPES_H
#define ROS_MSG_SERVICE_TYPES_H

#include "ros/msg/message.h"

enum service_kind {
	SERVICE_ROOMS,
	SERVICE_ROOM_INFORMATION,
	SERVICE_SPOT_INFORMATION,
	SERVICE_PUB_RATE,
	SERVICE_SNAPSHOT,
	SERVICE_LOGGING,
	SERVICES,			/* those above are of gdim_msgs */
	SERVICE_GET_MAP = SERVICES,	/* nav_msgs */
	SERVICE_SAVE_MAP,		/* nav2_msgs */
	SERVICE_TOOLBOX_SAVE_MAP,	/* slam_toolbox */
	SERVICE_TOOLBOX_PAUSE,
	SERVICE_LOAD_MAP,		/* nav2_msgs */
	SERVICE_TOOLBOX_RESET,		/* slam_toolbox */
	SERVICE_TOOLBOX_SERIALIZE,
	SERVICE_TOOLBOX_DESERIALIZE,
	SERVICE_GET_STATE,		/* lifecycle_msgs */
	SERVICE_CHANGE_STATE,
	SERVICE_AVAILABLE_STATES,
	SERVICE_AVAILABLE_TRANSITIONS,
	SERVICE_KINDS,
};

enum service_part { SERVICE_REQUEST, SERVICE_RESPONSE };

enum { SERVICE_GASES = 32 };	/* at most */

/**
 * struct service_header - header of rmw_cyclonedds before requests, responses
 * @client:	of the request; the response repeats it
 * @sequence:	number of the client's request
 */
struct service_header {
	uint64_t	client;
	int64_t		sequence;
};

struct service_empty {
	uint8_t			unused;
};

struct service_rooms_response {
	int8_t			rooms;
};

struct service_room_request {
	int8_t			room;
};

struct service_room_response {
	uint8_t			success;
	struct message_string	message;
	struct message_room	information;
};

struct service_spot_request {
	struct message_point32	location;
};

/**
 * struct service_spot_response - values at a point
 * @temperature: degrees Celsius
 * @gases:	one for each of the @names of @gas_name
 * @smoke:	this and the next ones: 0 ... 100, -1: unknown
 */
struct service_spot_response {
	uint8_t			success;
	struct message_string	message;
	float			temperature;
	uint32_t		names;
	struct message_string	gas_name[SERVICE_GASES];
	struct message_floats	gases;
	int8_t			smoke, signal, hazard;
};

/* All rates: Hz */
struct service_pub_rate_request {
	struct message_string	topic;
	float			rate;
};

struct service_pub_rate_response {
	uint8_t			success;
	struct message_string	message;
	float			old_rate, new_rate;
};

struct service_snapshot_request {
	struct message_string	name;
};

struct service_snapshot_response {
	uint8_t			success;
	struct message_string	message, path;
};

struct service_logging_request {
	uint8_t			enable;
	float			rate;
};

struct service_logging_response {
	uint8_t			success;
	struct message_string	message;
	float			rate;
};

struct service_get_map_response {
	struct message_occupancy_grid	map;
};

/**
 * struct service_save_map_request
 * @topic, @url: what to save, and where
 * @format:	pgm, png, bmp
 * @mode:	trinary, scale, raw
 * @free, @occupied: thresholds, 0..1
 */
struct service_save_map_request {
	struct message_string	topic, url, format, mode;
	float			free, occupied;
};

struct service_save_map_response {
	uint8_t			result;		/* bool */
};

struct service_toolbox_save_map_request {
	struct message_string	name;
};

/* RESULT_SUCCESS, RESULT_NO_MAP_RECEIEVD, RESULT_UNDEFINED_FAILURE */
enum { TOOLBOX_SUCCESS = 0, TOOLBOX_NO_MAP = 1, TOOLBOX_FAILURE = 255 };

struct service_toolbox_save_map_response {
	uint8_t			result;
};

struct service_toolbox_pause_response {
	uint8_t			status;		/* bool */
};

/**
 * struct service_load_map_request
 * @url: what to load: a path, or file:// and a path
 */
struct service_load_map_request {
	struct message_string	url;
};

/* RESULT_SUCCESS and so on */
enum {
	LOAD_MAP_SUCCESS = 0,
	LOAD_MAP_NOT_FOUND = 1,
	LOAD_MAP_BAD_DATA = 2,
	LOAD_MAP_BAD_METADATA = 3,
	LOAD_MAP_FAILURE = 255,
};

/* @map: only valid with LOAD_MAP_SUCCESS */
struct service_load_map_response {
	struct message_occupancy_grid	map;
	uint8_t				result;
};

struct service_toolbox_reset_request {
	uint8_t			pause;		/* bool */
};

struct service_toolbox_serialize_request {
	struct message_string	filename;
};

enum toolbox_match {
	TOOLBOX_MATCH_UNSET = 0,
	TOOLBOX_START_AT_FIRST_NODE = 1,
	TOOLBOX_START_AT_GIVEN_POSE = 2,
	TOOLBOX_LOCALIZE_AT_POSE = 3,
};

/**
 * struct service_toolbox_deserialize_request
 * @match:	enum toolbox_match
 * @place:	geometry_msgs/Pose: position and quaternion; a Pose2D of older
 *		versions has x, y and yaw, and the rest is 0. One is known by its
 *		length
 */
struct service_toolbox_deserialize_request {
	struct message_string	filename;
	uint8_t			match;
	double			place[7];
};

/* RESULT_... of slam_toolbox, which older versions do not have: there the
 * response has no members, and so the same length
 */
enum {
	TOOLBOX_BAD_FILENAME = 1,
	TOOLBOX_BAD_MATCH = 2,
	TOOLBOX_NOT_READ = 3,
};

/* Of Reset, SerializePoseGraph and DeserializePoseGraph */
struct service_toolbox_response {
	uint8_t			result;
};

/* lifecycle_msgs/State, or Transition */
struct service_state {
	uint8_t			id;
	struct message_string	label;
};

struct service_get_state_response {
	struct service_state	current;
};

struct service_change_state_request {
	struct service_state	transition;
};

struct service_change_state_response {
	uint8_t			success;	/* bool */
};

enum { SERVICE_STATES = 16 };	/* at most, in these lists */

struct service_states_response {
	uint32_t		count;
	struct service_state	state[SERVICE_STATES];
};

/* lifecycle_msgs/TransitionDescription */
struct service_transition {
	struct service_state	transition, start, goal;
};

struct service_transitions_response {
	uint32_t			count;
	struct service_transition	transition[SERVICE_STATES];
};

union service_request {
	struct service_empty		 rooms;
	struct service_room_request	 room;
	struct service_spot_request	 spot;
	struct service_pub_rate_request	 pub_rate;
	struct service_snapshot_request	 snapshot;
	struct service_logging_request	 logging;
	struct service_empty		 get_map, pause;
	struct service_save_map_request	 save_map;
	struct service_toolbox_save_map_request toolbox_save_map;
	struct service_load_map_request	 load_map;
	struct service_toolbox_reset_request reset;
	struct service_toolbox_serialize_request serialize;
	struct service_toolbox_deserialize_request deserialize;
	struct service_empty		 get_state, states, transitions;
	struct service_change_state_request change_state;
};

union service_response {
	struct service_rooms_response	 rooms;
	struct service_room_response	 room;
	struct service_spot_response	 spot;
	struct service_pub_rate_response pub_rate;
	struct service_snapshot_response snapshot;
	struct service_logging_response	 logging;
	struct service_get_map_response	 get_map;
	struct service_save_map_response save_map;
	struct service_toolbox_save_map_response toolbox_save_map;
	struct service_toolbox_pause_response pause;
	struct service_load_map_response load_map;
	struct service_toolbox_response	 toolbox;
	struct service_get_state_response get_state;
	struct service_change_state_response change_state;
	struct service_states_response	 states;
	struct service_transitions_response transitions;
};

/**
 * service_read_request() - parse a serialized request
 * @header: gets the header; NULL: there is none
 * @data: @len bytes with the 4 of encapsulation, which @r points into
 * @r: undefined after an error
 *
 * Return: 0; -EBADMSG: not a valid request; -E2BIG: a list is longer than its
 * array.
 */
int service_read_request(enum service_kind kind, struct service_header *header,
			 const void *data, size_t len,
			 union service_request *r);
int service_read_response(enum service_kind kind,
			  struct service_header *header, const void *data,
			  size_t len, union service_response *r);

/**
 * service_write_request() - serialize a request
 * @header: written first; NULL: none
 * @data: of @size bytes; NULL: only compute the size
 *
 * Return: bytes; -ENOSPC: @size is too small, -E2BIG: a count is larger than
 * its list.
 */
long service_write_request(enum service_kind kind,
			   const struct service_header *header,
			   const union service_request *r, void *data,
			   size_t size);
long service_write_response(enum service_kind kind,
			    const struct service_header *header,
			    const union service_response *r, void *data,
			    size_t size);

/* gdim_msgs::srv::dds_::Rooms_Request_ */
const char *service_dds_type(enum service_kind kind, enum service_part part);

#endif
