/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message.h - ROS messages as C structs, from and to their serialized bytes
 *
 * In: the bytes of a message as ROS 2 (CDR) or ROS 1 sends and records it.
 * Out: a struct that points into these bytes: pixels, points, cells and names
 * are never copied, so the struct is valid as long as the bytes are. Writing is
 * the reverse. One description of each type (message_fields.c) drives both
 * directions of both serializations; ROS 1 and ROS 2 only differ in type names
 * and header.seq, not in the order of the fields used here.
 *
 * Limits: lists of structs in arrays are bounded (MESSAGE_...), those in struct
 * message_list are not; CDR is read in both byte orders and written little
 * endian, XCDR1 (OMG DDSI-RTPS 2.5, section 10.2).
 */
#ifndef ROS_MSG_MESSAGE_H
#define ROS_MSG_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum message_format {
	MESSAGE_CDR,		/* ROS 2: with the 4 bytes of encapsulation */
	MESSAGE_ROS1,
	MESSAGE_OTHER,		/* in recordings: not supported here */
};

enum message_kind {
	MESSAGE_IMAGE,			/* sensor_msgs */
	MESSAGE_COMPRESSED_IMAGE,
	MESSAGE_POINT_CLOUD,
	MESSAGE_LASER_SCAN,
	MESSAGE_OCCUPANCY_GRID,		/* nav_msgs */
	MESSAGE_ODOMETRY,
	MESSAGE_GRID_MAP,		/* grid_map_msgs */
	MESSAGE_TWIST,			/* geometry_msgs */
	MESSAGE_TWIST_STAMPED,
	MESSAGE_DIAGNOSTICS,		/* diagnostic_msgs/DiagnosticArray */
	MESSAGE_TRANSFORMS,		/* tf2_msgs/TFMessage */
	MESSAGE_PATH,			/* nav_msgs */
	MESSAGE_CAMERA_INFO,		/* sensor_msgs */
	MESSAGE_IMU,
	MESSAGE_JOINT_STATE,
	MESSAGE_KINDS,			/* those above are sent over links */
	MESSAGE_POLYGON = MESSAGE_KINDS, /* geometry_msgs/PolygonStamped */
	MESSAGE_GRID_UPDATE,		/* map_msgs/OccupancyGridUpdate */
	MESSAGE_UINT8,			/* std_msgs */
	MESSAGE_ROOM,			/* gdim_msgs/RoomInformation */
	MESSAGE_POSE_COVARIANCE, /* geometry_msgs/PoseWithCovarianceStamped */
	MESSAGE_MAP_METADATA,		/* nav_msgs/MapMetaData */
	MESSAGE_POSE_GRAPH,		/* gdim_msgs/PoseGraph */
	MESSAGE_TYPES,
};

/* Limits of lists */
enum {
	MESSAGE_FIELDS		= 32,
	MESSAGE_LAYERS		= 32,
	MESSAGE_DIMS		= 4,
	MESSAGE_STATUSES	= 16,
	MESSAGE_VALUES		= 32,
	MESSAGE_JOINTS		= 256,
	MESSAGE_DEFINITION_MAX	= 4096,	/* bytes of any definition */
};

/* Not terminated by 0, and not trusted */
struct message_string {
	const char	*text;
	uint32_t	len;
};

struct message_bytes {
	const uint8_t	*data;
	uint32_t	count;
};

/* float32 as received: unaligned, in any byte order */
struct message_floats {
	const uint8_t	*data;
	uint32_t	count;
	bool		big_endian;
};

/* float64 likewise */
struct message_doubles {
	const uint8_t	*data;
	uint32_t	count;
	bool		big_endian;
};

/**
 * struct message_list - any number of structs
 * @count:	number of structs
 * @items:	for writing, an array of them; NULL after message_read(): use
 *		message_next_...() to read them
 */
struct message_list {
	uint32_t	count;
	const void	*items;
	/* private */
	const uint8_t	*data;
	size_t		at, len;
	bool		aligned, big_endian;
};

/**
 * struct message_header - std_msgs/Header
 * @stamp:	ns since the epoch
 * @seq:	ROS 1 only, else 0
 */
struct message_header {
	int64_t			stamp;
	uint32_t		seq;
	struct message_string	frame_id;
};

struct message_image {
	struct message_header	header;
	uint32_t		height, width;
	struct message_string	encoding;
	uint8_t			is_bigendian;
	uint32_t		step;		/* bytes from row to row */
	struct message_bytes	data;
};

struct message_compressed_image {
	struct message_header	header;
	struct message_string	format;
	struct message_bytes	data;
};

struct message_point_field {
	struct message_string	name;
	uint32_t		offset;
	uint8_t			datatype;	/* enum cloud_type */
	uint32_t		count;
};

struct message_point_cloud {
	struct message_header	header;
	uint32_t		height, width;
	uint32_t		fields;
	struct message_point_field field[MESSAGE_FIELDS];
	uint8_t			is_bigendian;
	uint32_t		point_step, row_step;
	struct message_bytes	data;
	uint8_t			is_dense;
};

/* rad, s and m, as in sensor_msgs/LaserScan */
struct message_laser_scan {
	struct message_header	header;
	float			angle_min, angle_max, angle_increment;
	float			time_increment, scan_time;
	float			range_min, range_max;
	struct message_floats	ranges, intensities;
};

struct message_pose {
	double			position[3];
	double			orientation[4];	/* x, y, z, w */
};

struct message_twist {
	double			linear[3], angular[3];	/* m/s, rad/s */
};

struct message_occupancy_grid {
	struct message_header	header;
	int64_t			map_load_time;
	float			resolution;
	uint32_t		width, height;
	struct message_pose	origin;
	struct message_bytes	data;		/* int8, row by row */
};

/* What struct message_occupancy_grid says without its cells */
struct message_map_metadata {
	int64_t			map_load_time;
	float			resolution;
	uint32_t		width, height;
	struct message_pose	origin;
};

/* As RViz says where a robot is; @covariance: of x, y, z and turns around them */
struct message_pose_covariance {
	struct message_header	header;
	struct message_pose	pose;
	double			covariance[36];
};

struct message_odometry {
	struct message_header	header;
	struct message_string	child_frame_id;
	struct message_pose	pose;
	double			pose_covariance[36];
	struct message_twist	twist;
	double			twist_covariance[36];
};

struct message_twist_stamped {
	struct message_header	header;
	struct message_twist	twist;
};

struct message_dim {
	struct message_string	label;
	uint32_t		size, stride;
};

/* std_msgs/Float32MultiArray */
struct message_array {
	uint32_t		dims;
	struct message_dim	dim[MESSAGE_DIMS];
	uint32_t		data_offset;
	struct message_floats	data;
};

struct message_grid_map {
	struct message_header	header;
	double			resolution, length_x, length_y;
	struct message_pose	pose;
	uint32_t		layers, basic_layers, arrays;
	struct message_string	layer[MESSAGE_LAYERS];
	struct message_string	basic_layer[MESSAGE_LAYERS];
	struct message_array	data[MESSAGE_LAYERS];
	uint16_t		outer_start_index, inner_start_index;
};

struct message_value {
	struct message_string	key, value;
};

struct message_status {
	uint8_t			level;		/* OK, WARN, ERROR, STALE */
	struct message_string	name, message, hardware_id;
	uint32_t		values;
	struct message_value	value[MESSAGE_VALUES];
};

struct message_diagnostics {
	struct message_header	header;
	uint32_t		statuses;
	struct message_status	status[MESSAGE_STATUSES];
};

/* geometry_msgs/TransformStamped, m */
struct message_transform {
	struct message_header	header;
	struct message_string	child_frame_id;
	double			translation[3];
	double			rotation[4];	/* x, y, z, w */
};

struct message_transforms {
	struct message_list	transforms;	/* struct message_transform */
};

struct message_pose_stamped {
	struct message_header	header;
	struct message_pose	pose;
};

struct message_path {
	struct message_header	header;
	struct message_list	poses;	/* struct message_pose_stamped */
};

/**
 * struct message_camera_info - sensor_msgs/CameraInfo
 * @d:	parameters of the distortion model
 * @k, @r, @p: matrices, row by row
 * @roi: x_offset, y_offset, height, width, pixels
 */
struct message_camera_info {
	struct message_header	header;
	uint32_t		height, width;
	struct message_string	distortion_model;
	struct message_doubles	d;
	double			k[9], r[9], p[12];
	uint32_t		binning_x, binning_y;
	uint32_t		roi[4];
	uint8_t			roi_rectify;
};

/* rad/s, m/s^2; covariances row by row */
struct message_imu {
	struct message_header	header;
	double			orientation[4];	/* x, y, z, w */
	double			orientation_covariance[9];
	double			angular_velocity[3];
	double			angular_velocity_covariance[9];
	double			linear_acceleration[3];
	double			linear_acceleration_covariance[9];
};

/* rad or m, each list as long as @names or empty */
struct message_joint_state {
	struct message_header	header;
	uint32_t		names;
	struct message_string	name[MESSAGE_JOINTS];
	struct message_doubles	position, velocity, effort;
};

/* geometry_msgs/Point32, m */
struct message_point32 {
	float			x, y, z;
};

struct message_polygon {
	struct message_header	header;
	struct message_list	points;	/* struct message_point32 */
};

/* A changed part of a map: lower left cell, and size in cells */
struct message_grid_update {
	struct message_header	header;
	int32_t			x, y;
	uint32_t		width, height;
	struct message_bytes	data;		/* int8, row by row */
};

struct message_uint8 {
	uint8_t			data;
};

enum { MESSAGE_GASES = 32 };	/* of a room, with names */

/**
 * struct message_room - gdim_msgs/RoomInformation
 * @location:	its centre, m
 * @size:	m^2
 * @outline:	struct message_point32, m; may be empty
 * @averages_valid: whether the following fields were measured
 * @avg_temperature: degrees Celsius, NAN: unknown
 * @avg_gases:	of each gas, NAN: unknown
 * @avg_smoke:	this and the next ones: 0 ... 100, -1: unknown
 * @gas_name:	of each of @avg_gases, @names of them; none: in the order of
 *		layers
 */
struct message_room {
	struct message_header	header;
	uint8_t			id;
	struct message_string	name;
	struct message_point32	location;
	float			size;
	struct message_list	outline;
	uint8_t			averages_valid;
	float			avg_temperature;
	struct message_floats	avg_gases;
	int8_t			avg_smoke, avg_signal, max_hazard;
	uint32_t		names;
	struct message_string	gas_name[MESSAGE_GASES];
};

enum { MESSAGE_EDGE_ODOMETRY, MESSAGE_EDGE_LOOP };

/**
 * struct message_graph_edge - gdim_msgs/GraphEdge
 * @from_frame, @to_frame: names of nodes
 * @kind:	MESSAGE_EDGE_...
 * @waiting:	for another edge that confirms it: it moves no node yet
 * @transform:	x, y, yaw of @to_frame in @from_frame, m and rad
 * @covariance:	of it, row by row, m^2, m rad, rad^2
 */
struct message_graph_edge {
	struct message_string	from_frame, to_frame;
	uint8_t			kind, waiting;
	double			transform[3], covariance[9];
};

/**
 * struct message_pose_graph - gdim_msgs/PoseGraph
 * @source:	whose edges these are: they replace all earlier ones of it
 * @edges:	struct message_graph_edge
 */
struct message_pose_graph {
	struct message_header	header;
	struct message_string	source;
	struct message_list	edges;
};

union message {
	struct message_image		image;
	struct message_compressed_image	compressed;
	struct message_point_cloud	cloud;
	struct message_laser_scan	scan;
	struct message_occupancy_grid	map;
	struct message_odometry		odometry;
	struct message_grid_map		grid;
	struct message_twist		twist;
	struct message_twist_stamped	twist_stamped;
	struct message_diagnostics	diagnostics;
	struct message_transforms	tf;
	struct message_path		path;
	struct message_camera_info	camera_info;
	struct message_imu		imu;
	struct message_joint_state	joints;
	struct message_polygon		polygon;
	struct message_grid_update	update;
	struct message_uint8		uint8;
	struct message_room		room;
	struct message_pose_covariance	estimate;
	struct message_map_metadata	metadata;
	struct message_pose_graph	graph;
};

/**
 * message_read() - parse a serialized message
 * @data: @len bytes, which @msg points into
 * @msg: undefined after an error
 *
 * Whether sizes, counts and encodings agree is checked by convert.h, not here.
 *
 * Return: 0; -EBADMSG: not a valid message of this kind; -E2BIG: a list is
 * longer than its array.
 */
int message_read(enum message_kind kind, enum message_format format,
		 const void *data, size_t len, union message *msg);

/* Bytes that message_write() needs, or -E2BIG */
long message_size(enum message_kind kind, enum message_format format,
		  const union message *msg);

/**
 * message_write() - serialize a message
 * @data: of @size bytes
 *
 * For bytes and floats with a count and a NULL pointer, space is left
 * uninitialised: message_read() of the result gives its position.
 *
 * Return: bytes written; -ENOSPC: @size is too small, -E2BIG: a count is larger
 * than its list.
 */
long message_write(enum message_kind kind, enum message_format format,
		   const union message *msg, void *data, size_t size);

/**
 * message_header_of() - the header of a message
 *
 * Return: NULL: this kind has none.
 */
struct message_header *message_header_of(enum message_kind kind,
					 union message *msg);

/**
 * message_next_transform() - iterate over a list
 * @rest: a copy of the list; its first element is removed
 *
 * Return: whether there was one.
 */
bool message_next_transform(struct message_list *rest,
			    struct message_transform *transform);
bool message_next_pose(struct message_list *rest,
		       struct message_pose_stamped *pose);
bool message_next_point(struct message_list *rest,
			struct message_point32 *point);
bool message_next_edge(struct message_list *rest,
		       struct message_graph_edge *edge);

/* A map that grows; late subscribers need the last one */
static inline bool message_is_map(enum message_kind kind)
{
	return kind == MESSAGE_OCCUPANCY_GRID || kind == MESSAGE_GRID_MAP;
}

/* Large and independent: of queued ones only the newest matters */
static inline bool message_is_picture(enum message_kind kind)
{
	return kind == MESSAGE_IMAGE || kind == MESSAGE_COMPRESSED_IMAGE ||
	       kind == MESSAGE_POINT_CLOUD;
}

/*
 * Only the newest one matters, and late subscribers need it: it is repeated
 * while it does not change
 */
static inline bool message_is_state(enum message_kind kind)
{
	return kind == MESSAGE_TRANSFORMS || kind == MESSAGE_CAMERA_INFO ||
	       kind == MESSAGE_JOINT_STATE || kind == MESSAGE_PATH;
}

/* Whether transforms of that topic are valid until replaced: /tf_static */
bool message_is_static(const char *topic);

/* Whether late subscribers to a topic get its last message */
bool message_is_latched(enum message_kind kind, const char *topic);

/**
 * message_kind_of() - the kind of a type
 * @type: sensor_msgs/Image, sensor_msgs/msg/Image or
 *	sensor_msgs::msg::dds_::Image_
 *
 * Return: a kind below MESSAGE_KINDS, or -ENOENT.
 */
int message_kind_of(const char *type);

/* Likewise, but any kind */
int message_any_kind_of(const char *type);

/* sensor_msgs/msg/Image, or sensor_msgs/Image for ROS 1 */
const char *message_type(enum message_kind kind, enum message_format format);

/* sensor_msgs::msg::dds_::Image_ */
const char *message_dds_type(enum message_kind kind);

/* MD5 sum of a type in ROS 1: 32 hexadecimal digits */
const char *message_md5(enum message_kind kind);

/**
 * message_definition() - definition of a type, with those that it contains
 * @text: gets at most MESSAGE_DEFINITION_MAX bytes with the final 0
 *
 * As in the connection headers of ROS 1 and in MCAP's ros2msg, but without
 * comments.
 *
 * Return: length.
 */
size_t message_definition(enum message_kind kind, enum message_format format,
			  char text[MESSAGE_DEFINITION_MAX]);

static inline struct message_string message_string(const char *text)
{
	return (struct message_string){ text, __builtin_strlen(text) };
}

/* @items: an array of the list's structs */
static inline struct message_list message_list(const void *items,
					       uint32_t count)
{
	return (struct message_list){ .count = count, .items = items };
}

bool message_string_is(const struct message_string *s, const char *text);

/* float number @i, @i < count */
float message_float(const struct message_floats *f, uint32_t i);
double message_double(const struct message_doubles *f, uint32_t i);

#endif
