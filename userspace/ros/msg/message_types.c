// SPDX-License-Identifier: GPL-2.0-only
/*
 * message_types - names, versions and definitions
 *
 * The texts are those of ROS (common_msgs, grid_map_msgs) without comments; the
 * md5 sums are those of ROS 1, which tests compute from the texts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ros/msg/message.h"

enum part {
	TIME_2, HEADER, FIELD, POINT, QUATERNION, POSE, POSE_COVARIANCE,
	VECTOR3, TWIST, TWIST_COVARIANCE, METADATA, DIMENSION, LAYOUT, ARRAY,
	GRID_INFO, STATUS, VALUE, TRANSFORM, TRANSFORM_STAMPED, POSE_STAMPED,
	POINT32, POLYGON, REGION, EDGE, PARTS,
};

/* Types that messages contain; @ros1 if it differs there */
static const struct {
	const char *name, *text, *ros1;
} parts[PARTS] = {
	[TIME_2] = { "builtin_interfaces/Time",
		"int32 sec\n"
		"uint32 nanosec\n", "" },
	[HEADER] = { "std_msgs/Header",
		"builtin_interfaces/Time stamp\n"
		"string frame_id\n",
		"uint32 seq\n"
		"time stamp\n"
		"string frame_id\n" },
	[FIELD] = { "sensor_msgs/PointField",
		"uint8 INT8=1\n"
		"uint8 UINT8=2\n"
		"uint8 INT16=3\n"
		"uint8 UINT16=4\n"
		"uint8 INT32=5\n"
		"uint8 UINT32=6\n"
		"uint8 FLOAT32=7\n"
		"uint8 FLOAT64=8\n"
		"string name\n"
		"uint32 offset\n"
		"uint8 datatype\n"
		"uint32 count\n", NULL },
	[POINT] = { "geometry_msgs/Point",
		"float64 x\n"
		"float64 y\n"
		"float64 z\n", NULL },
	[QUATERNION] = { "geometry_msgs/Quaternion",
		"float64 x\n"
		"float64 y\n"
		"float64 z\n"
		"float64 w\n", NULL },
	[POSE] = { "geometry_msgs/Pose",
		"geometry_msgs/Point position\n"
		"geometry_msgs/Quaternion orientation\n", NULL },
	[POSE_COVARIANCE] = { "geometry_msgs/PoseWithCovariance",
		"geometry_msgs/Pose pose\n"
		"float64[36] covariance\n", NULL },
	[VECTOR3] = { "geometry_msgs/Vector3",
		"float64 x\n"
		"float64 y\n"
		"float64 z\n", NULL },
	[TWIST] = { "geometry_msgs/Twist",
		"geometry_msgs/Vector3 linear\n"
		"geometry_msgs/Vector3 angular\n", NULL },
	[TWIST_COVARIANCE] = { "geometry_msgs/TwistWithCovariance",
		"geometry_msgs/Twist twist\n"
		"float64[36] covariance\n", NULL },
	[METADATA] = { "nav_msgs/MapMetaData",
		"builtin_interfaces/Time map_load_time\n"
		"float32 resolution\n"
		"uint32 width\n"
		"uint32 height\n"
		"geometry_msgs/Pose origin\n",
		"time map_load_time\n"
		"float32 resolution\n"
		"uint32 width\n"
		"uint32 height\n"
		"geometry_msgs/Pose origin\n" },
	[DIMENSION] = { "std_msgs/MultiArrayDimension",
		"string label\n"
		"uint32 size\n"
		"uint32 stride\n", NULL },
	[LAYOUT] = { "std_msgs/MultiArrayLayout",
		"std_msgs/MultiArrayDimension[] dim\n"
		"uint32 data_offset\n", NULL },
	[ARRAY] = { "std_msgs/Float32MultiArray",
		"std_msgs/MultiArrayLayout layout\n"
		"float32[] data\n", NULL },
	[GRID_INFO] = { "grid_map_msgs/GridMapInfo",
		"float64 resolution\n"
		"float64 length_x\n"
		"float64 length_y\n"
		"geometry_msgs/Pose pose\n",
		"std_msgs/Header header\n"
		"float64 resolution\n"
		"float64 length_x\n"
		"float64 length_y\n"
		"geometry_msgs/Pose pose\n" },
	[STATUS] = { "diagnostic_msgs/DiagnosticStatus",
		"byte OK=0\n"
		"byte WARN=1\n"
		"byte ERROR=2\n"
		"byte STALE=3\n"
		"byte level\n"
		"string name\n"
		"string message\n"
		"string hardware_id\n"
		"diagnostic_msgs/KeyValue[] values\n", NULL },
	[VALUE] = { "diagnostic_msgs/KeyValue",
		"string key\n"
		"string value\n", NULL },
	[TRANSFORM] = { "geometry_msgs/Transform",
		"geometry_msgs/Vector3 translation\n"
		"geometry_msgs/Quaternion rotation\n", NULL },
	[TRANSFORM_STAMPED] = { "geometry_msgs/TransformStamped",
		"std_msgs/Header header\n"
		"string child_frame_id\n"
		"geometry_msgs/Transform transform\n", NULL },
	[POSE_STAMPED] = { "geometry_msgs/PoseStamped",
		"std_msgs/Header header\n"
		"geometry_msgs/Pose pose\n", NULL },
	[POINT32] = { "geometry_msgs/Point32",
		"float32 x\n"
		"float32 y\n"
		"float32 z\n", NULL },
	[POLYGON] = { "geometry_msgs/Polygon",
		"geometry_msgs/Point32[] points\n", NULL },
	[REGION] = { "sensor_msgs/RegionOfInterest",
		"uint32 x_offset\n"
		"uint32 y_offset\n"
		"uint32 height\n"
		"uint32 width\n"
		"bool do_rectify\n", NULL },
	[EDGE] = { "gdim_msgs/GraphEdge",
		"uint8 ODOMETRY=0\n"
		"uint8 LOOP=1\n"
		"string from_frame\n"
		"string to_frame\n"
		"uint8 kind\n"
		"bool waiting\n"
		"float64[3] transform\n"
		"float64[9] covariance\n", NULL },
};

#define HAS(part)	(1u << (part))
#define STAMPED		(HAS(TIME_2) | HAS(HEADER))
#define POSED		(HAS(POINT) | HAS(QUATERNION) | HAS(POSE))
#define NAMES(package, type) \
	{ package "/msg/" type, package "/" type, \
	  package "::msg::dds_::" type "_" }

/**
 * struct type - a kind of message
 * @names:	by enum message_format, then the DDS name
 * @parts:	HAS() of each type that it contains
 */
static const struct type {
	const char	*names[3];
	const char	*md5;
	const char	*text, *ros1;
	uint32_t	parts;
} types[MESSAGE_TYPES] = {
	[MESSAGE_IMAGE] = { NAMES("sensor_msgs", "Image"),
		"060021388200f6f0f447d0fcd9c64743",
		"std_msgs/Header header\n"
		"uint32 height\n"
		"uint32 width\n"
		"string encoding\n"
		"uint8 is_bigendian\n"
		"uint32 step\n"
		"uint8[] data\n", NULL, STAMPED },
	[MESSAGE_COMPRESSED_IMAGE] = { NAMES("sensor_msgs", "CompressedImage"),
		"8f7a12909da2c9d3332d540a0977563f",
		"std_msgs/Header header\n"
		"string format\n"
		"uint8[] data\n", NULL, STAMPED },
	[MESSAGE_POINT_CLOUD] = { NAMES("sensor_msgs", "PointCloud2"),
		"1158d486dd51d683ce2f1be655c3c181",
		"std_msgs/Header header\n"
		"uint32 height\n"
		"uint32 width\n"
		"sensor_msgs/PointField[] fields\n"
		"bool is_bigendian\n"
		"uint32 point_step\n"
		"uint32 row_step\n"
		"uint8[] data\n"
		"bool is_dense\n", NULL, STAMPED | HAS(FIELD) },
	[MESSAGE_LASER_SCAN] = { NAMES("sensor_msgs", "LaserScan"),
		"90c7ef2dc6895d81024acba2ac42f369",
		"std_msgs/Header header\n"
		"float32 angle_min\n"
		"float32 angle_max\n"
		"float32 angle_increment\n"
		"float32 time_increment\n"
		"float32 scan_time\n"
		"float32 range_min\n"
		"float32 range_max\n"
		"float32[] ranges\n"
		"float32[] intensities\n", NULL, STAMPED },
	[MESSAGE_OCCUPANCY_GRID] = { NAMES("nav_msgs", "OccupancyGrid"),
		"3381f2d731d4076ec5c71b0759edbe4e",
		"std_msgs/Header header\n"
		"nav_msgs/MapMetaData info\n"
		"int8[] data\n", NULL, STAMPED | POSED | HAS(METADATA) },
	[MESSAGE_ODOMETRY] = { NAMES("nav_msgs", "Odometry"),
		"cd5e73d190d741a2f92e81eda573aca7",
		"std_msgs/Header header\n"
		"string child_frame_id\n"
		"geometry_msgs/PoseWithCovariance pose\n"
		"geometry_msgs/TwistWithCovariance twist\n", NULL,
		STAMPED | POSED | HAS(POSE_COVARIANCE) | HAS(VECTOR3) |
		HAS(TWIST) | HAS(TWIST_COVARIANCE) },
	[MESSAGE_GRID_MAP] = { NAMES("grid_map_msgs", "GridMap"),
		"95681e052b1f73bf87b7eb984382b401",
		"std_msgs/Header header\n"
		"grid_map_msgs/GridMapInfo info\n"
		"string[] layers\n"
		"string[] basic_layers\n"
		"std_msgs/Float32MultiArray[] data\n"
		"uint16 outer_start_index\n"
		"uint16 inner_start_index\n",
		"grid_map_msgs/GridMapInfo info\n"
		"string[] layers\n"
		"string[] basic_layers\n"
		"std_msgs/Float32MultiArray[] data\n"
		"uint16 outer_start_index\n"
		"uint16 inner_start_index\n",
		STAMPED | POSED | HAS(GRID_INFO) | HAS(DIMENSION) |
		HAS(LAYOUT) | HAS(ARRAY) },
	[MESSAGE_TWIST] = { NAMES("geometry_msgs", "Twist"),
		"9f195f881246fdfa2798d1d3eebca84a",
		"geometry_msgs/Vector3 linear\n"
		"geometry_msgs/Vector3 angular\n", NULL, HAS(VECTOR3) },
	[MESSAGE_TWIST_STAMPED] = { NAMES("geometry_msgs", "TwistStamped"),
		"98d34b0043a2093cf9d9345ab6eef12e",
		"std_msgs/Header header\n"
		"geometry_msgs/Twist twist\n", NULL,
		STAMPED | HAS(VECTOR3) | HAS(TWIST) },
	[MESSAGE_DIAGNOSTICS] = { NAMES("diagnostic_msgs", "DiagnosticArray"),
		"60810da900de1dd6ddd437c3503511da",
		"std_msgs/Header header\n"
		"diagnostic_msgs/DiagnosticStatus[] status\n", NULL,
		STAMPED | HAS(STATUS) | HAS(VALUE) },
	[MESSAGE_TRANSFORMS] = { NAMES("tf2_msgs", "TFMessage"),
		"94810edda583a504dfda3829e70d7eec",
		"geometry_msgs/TransformStamped[] transforms\n", NULL,
		STAMPED | HAS(VECTOR3) | HAS(QUATERNION) | HAS(TRANSFORM) |
		HAS(TRANSFORM_STAMPED) },
	[MESSAGE_PATH] = { NAMES("nav_msgs", "Path"),
		"6227e2b7e9cce15051f669a5e197bbf7",
		"std_msgs/Header header\n"
		"geometry_msgs/PoseStamped[] poses\n", NULL,
		STAMPED | POSED | HAS(POSE_STAMPED) },
	[MESSAGE_CAMERA_INFO] = { NAMES("sensor_msgs", "CameraInfo"),
		"c9a58c1b0b154e0e6da7578cb991d214",
		"std_msgs/Header header\n"
		"uint32 height\n"
		"uint32 width\n"
		"string distortion_model\n"
		"float64[] d\n"
		"float64[9] k\n"
		"float64[9] r\n"
		"float64[12] p\n"
		"uint32 binning_x\n"
		"uint32 binning_y\n"
		"sensor_msgs/RegionOfInterest roi\n",
		"std_msgs/Header header\n"
		"uint32 height\n"
		"uint32 width\n"
		"string distortion_model\n"
		"float64[] D\n"
		"float64[9] K\n"
		"float64[9] R\n"
		"float64[12] P\n"
		"uint32 binning_x\n"
		"uint32 binning_y\n"
		"sensor_msgs/RegionOfInterest roi\n",
		STAMPED | HAS(REGION) },
	[MESSAGE_IMU] = { NAMES("sensor_msgs", "Imu"),
		"6a62c6daae103f4ff57a132d6f95cec2",
		"std_msgs/Header header\n"
		"geometry_msgs/Quaternion orientation\n"
		"float64[9] orientation_covariance\n"
		"geometry_msgs/Vector3 angular_velocity\n"
		"float64[9] angular_velocity_covariance\n"
		"geometry_msgs/Vector3 linear_acceleration\n"
		"float64[9] linear_acceleration_covariance\n", NULL,
		STAMPED | HAS(QUATERNION) | HAS(VECTOR3) },
	[MESSAGE_JOINT_STATE] = { NAMES("sensor_msgs", "JointState"),
		"3066dcd76a6cfaef579bd0f34173e9fd",
		"std_msgs/Header header\n"
		"string[] name\n"
		"float64[] position\n"
		"float64[] velocity\n"
		"float64[] effort\n", NULL, STAMPED },
	[MESSAGE_POLYGON] = { NAMES("geometry_msgs", "PolygonStamped"),
		"c6be8f7dc3bee7fe9e8d296070f53340",
		"std_msgs/Header header\n"
		"geometry_msgs/Polygon polygon\n", NULL,
		STAMPED | HAS(POINT32) | HAS(POLYGON) },
	[MESSAGE_GRID_UPDATE] = { NAMES("map_msgs", "OccupancyGridUpdate"),
		"b295be292b335c34718bd939deebe1c9",
		"std_msgs/Header header\n"
		"int32 x\n"
		"int32 y\n"
		"uint32 width\n"
		"uint32 height\n"
		"int8[] data\n", NULL, STAMPED },
	[MESSAGE_UINT8] = { NAMES("std_msgs", "UInt8"),
		"7c8164229e7d2c17eb95e9231617fdee",
		"uint8 data\n", NULL, 0 },
	[MESSAGE_ROOM] = { NAMES("gdim_msgs", "RoomInformation"),
		"6a64cbfd041ef8c59552d8cd4812c268",
		"std_msgs/Header header\n"
		"uint8 id\n"
		"string name\n"
		"geometry_msgs/Point32 location\n"
		"float32 size\n"
		"geometry_msgs/Polygon outline\n"
		"bool averages_valid\n"
		"float32 avg_temperature\n"
		"float32[] avg_gases\n"
		"int8 avg_smoke\n"
		"int8 avg_signal\n"
		"int8 max_hazard\n"
		"string[] gas_names\n", NULL,
		STAMPED | HAS(POINT32) | HAS(POLYGON) },
	[MESSAGE_POSE_COVARIANCE] = { NAMES("geometry_msgs",
					    "PoseWithCovarianceStamped"),
		"953b798c0f514ff060a53a3498ce6246",
		"std_msgs/Header header\n"
		"geometry_msgs/PoseWithCovariance pose\n", NULL,
		STAMPED | POSED | HAS(POSE_COVARIANCE) },
	[MESSAGE_MAP_METADATA] = { NAMES("nav_msgs", "MapMetaData"),
		"10cfc8a2818024d3248802c00c95f11b",
		"builtin_interfaces/Time map_load_time\n"
		"float32 resolution\n"
		"uint32 width\n"
		"uint32 height\n"
		"geometry_msgs/Pose origin\n",
		"time map_load_time\n"
		"float32 resolution\n"
		"uint32 width\n"
		"uint32 height\n"
		"geometry_msgs/Pose origin\n", HAS(TIME_2) | POSED },
	[MESSAGE_POSE_GRAPH] = { NAMES("gdim_msgs", "PoseGraph"),
		"03b0daecb6f0e9ba2324090ab177ef10",
		"std_msgs/Header header\n"
		"string source\n"
		"gdim_msgs/GraphEdge[] edges\n", NULL,
		STAMPED | HAS(EDGE) },
};

int message_any_kind_of(const char *type)
{
	/* the old name in ROS 1, before tf2: the same message */
	if (!strcmp(type, "tf/tfMessage"))
		return MESSAGE_TRANSFORMS;
	for (int kind = 0; kind < MESSAGE_TYPES; kind++)
		for (int i = 0; i < 3; i++)
			if (!strcmp(type, types[kind].names[i]))
				return kind;
	return -ENOENT;
}

int message_kind_of(const char *type)
{
	int kind = message_any_kind_of(type);

	return kind < MESSAGE_KINDS ? kind : -ENOENT;
}

const char *message_type(enum message_kind kind, enum message_format format)
{
	return types[kind].names[format == MESSAGE_ROS1];
}

const char *message_dds_type(enum message_kind kind)
{
	return types[kind].names[2];
}

const char *message_md5(enum message_kind kind)
{
	return types[kind].md5;
}

size_t message_definition(enum message_kind kind, enum message_format format,
			  char text[MESSAGE_DEFINITION_MAX])
{
	const struct type *t = &types[kind];
	bool ros1 = format == MESSAGE_ROS1;
	char line[81];
	size_t at;

	memset(line, '=', 80);
	line[80] = 0;
	at = snprintf(text, MESSAGE_DEFINITION_MAX, "%s",
		      ros1 && t->ros1 ? t->ros1 : t->text);
	for (int p = 0; p < PARTS; p++) {
		const char *s = ros1 && parts[p].ros1 ? parts[p].ros1 :
							parts[p].text;

		if (!(t->parts & HAS(p)) || !*s)
			continue;
		at += snprintf(text + at, MESSAGE_DEFINITION_MAX - at,
			       "%s\nMSG: %s\n%s", line, parts[p].name, s);
	}
	return at;
}

bool message_is_static(const char *topic)
{
	static const char end[] = "tf_static";
	size_t len = strlen(topic);

	return len >= sizeof(end) - 1 &&
	       !strcmp(topic + len - (sizeof(end) - 1), end);
}

bool message_is_latched(enum message_kind kind, const char *topic)
{
	return message_is_map(kind) || kind == MESSAGE_CAMERA_INFO ||
	       kind == MESSAGE_PATH ||
	       (kind == MESSAGE_TRANSFORMS && message_is_static(topic));
}
