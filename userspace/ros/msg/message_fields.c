// SPDX-License-Identifier: GPL-2.0-only
/*
 * message_fields - descriptions of messages
 */
#include "ros/msg/message_fields.h"

static const struct field header[] = {
	FIELD(SEQ, struct message_header, seq),
	FIELD(TIME, struct message_header, stamp),
	FIELD(STRING, struct message_header, frame_id),
	{ .op = END }
};

#define HEADER(type)	NESTED(type, header, header)

static const struct field image[] = {
	HEADER(struct message_image),
	FIELD(U32, struct message_image, height),
	FIELD(U32, struct message_image, width),
	FIELD(STRING, struct message_image, encoding),
	FIELD(U8, struct message_image, is_bigendian),
	FIELD(U32, struct message_image, step),
	FIELD(BYTES, struct message_image, data),
	{ .op = END }
};

static const struct field compressed_image[] = {
	HEADER(struct message_compressed_image),
	FIELD(STRING, struct message_compressed_image, format),
	FIELD(BYTES, struct message_compressed_image, data),
	{ .op = END }
};

static const struct field point_field[] = {
	FIELD(STRING, struct message_point_field, name),
	FIELD(U32, struct message_point_field, offset),
	FIELD(U8, struct message_point_field, datatype),
	FIELD(U32, struct message_point_field, count),
	{ .op = END }
};

static const struct field point_cloud[] = {
	HEADER(struct message_point_cloud),
	FIELD(U32, struct message_point_cloud, height),
	FIELD(U32, struct message_point_cloud, width),
	LISTED(struct message_point_cloud, fields, field, point_field,
	       MESSAGE_FIELDS),
	FIELD(U8, struct message_point_cloud, is_bigendian),
	FIELD(U32, struct message_point_cloud, point_step),
	FIELD(U32, struct message_point_cloud, row_step),
	FIELD(BYTES, struct message_point_cloud, data),
	FIELD(U8, struct message_point_cloud, is_dense),
	{ .op = END }
};

static const struct field laser_scan[] = {
	HEADER(struct message_laser_scan),
	FIELD(F32, struct message_laser_scan, angle_min),
	FIELD(F32, struct message_laser_scan, angle_max),
	FIELD(F32, struct message_laser_scan, angle_increment),
	FIELD(F32, struct message_laser_scan, time_increment),
	FIELD(F32, struct message_laser_scan, scan_time),
	FIELD(F32, struct message_laser_scan, range_min),
	FIELD(F32, struct message_laser_scan, range_max),
	FIELD(FLOATS, struct message_laser_scan, ranges),
	FIELD(FLOATS, struct message_laser_scan, intensities),
	{ .op = END }
};

static const struct field pose[] = {
	ARRAY(F64, struct message_pose, position, 3),
	ARRAY(F64, struct message_pose, orientation, 4),
	{ .op = END }
};

static const struct field twist[] = {
	ARRAY(F64, struct message_twist, linear, 3),
	ARRAY(F64, struct message_twist, angular, 3),
	{ .op = END }
};

const struct field message_occupancy_fields[] = {
	HEADER(struct message_occupancy_grid),
	FIELD(TIME, struct message_occupancy_grid, map_load_time),
	FIELD(F32, struct message_occupancy_grid, resolution),
	FIELD(U32, struct message_occupancy_grid, width),
	FIELD(U32, struct message_occupancy_grid, height),
	NESTED(struct message_occupancy_grid, origin, pose),
	FIELD(BYTES, struct message_occupancy_grid, data),
	{ .op = END }
};

static const struct field odometry[] = {
	HEADER(struct message_odometry),
	FIELD(STRING, struct message_odometry, child_frame_id),
	NESTED(struct message_odometry, pose, pose),
	ARRAY(F64, struct message_odometry, pose_covariance, 36),
	NESTED(struct message_odometry, twist, twist),
	ARRAY(F64, struct message_odometry, twist_covariance, 36),
	{ .op = END }
};

static const struct field map_metadata[] = {
	FIELD(TIME, struct message_map_metadata, map_load_time),
	FIELD(F32, struct message_map_metadata, resolution),
	FIELD(U32, struct message_map_metadata, width),
	FIELD(U32, struct message_map_metadata, height),
	NESTED(struct message_map_metadata, origin, pose),
	{ .op = END }
};

static const struct field pose_covariance[] = {
	HEADER(struct message_pose_covariance),
	NESTED(struct message_pose_covariance, pose, pose),
	ARRAY(F64, struct message_pose_covariance, covariance, 36),
	{ .op = END }
};

static const struct field twist_stamped[] = {
	HEADER(struct message_twist_stamped),
	NESTED(struct message_twist_stamped, twist, twist),
	{ .op = END }
};

static const struct field dim[] = {
	FIELD(STRING, struct message_dim, label),
	FIELD(U32, struct message_dim, size),
	FIELD(U32, struct message_dim, stride),
	{ .op = END }
};

static const struct field array[] = {
	LISTED(struct message_array, dims, dim, dim, MESSAGE_DIMS),
	FIELD(U32, struct message_array, data_offset),
	FIELD(FLOATS, struct message_array, data),
	{ .op = END }
};

const struct field message_name_fields[] = {
	{ STRING, 1, 0, 0, 0, NULL },
	{ .op = END }
};

/* ROS 1 has the header in info, which is first, too */
static const struct field grid_map[] = {
	HEADER(struct message_grid_map),
	FIELD(F64, struct message_grid_map, resolution),
	FIELD(F64, struct message_grid_map, length_x),
	FIELD(F64, struct message_grid_map, length_y),
	NESTED(struct message_grid_map, pose, pose),
	LISTED(struct message_grid_map, layers, layer, message_name_fields,
	       MESSAGE_LAYERS),
	LISTED(struct message_grid_map, basic_layers, basic_layer,
	       message_name_fields, MESSAGE_LAYERS),
	LISTED(struct message_grid_map, arrays, data, array, MESSAGE_LAYERS),
	FIELD(U16, struct message_grid_map, outer_start_index),
	FIELD(U16, struct message_grid_map, inner_start_index),
	{ .op = END }
};

static const struct field value[] = {
	FIELD(STRING, struct message_value, key),
	FIELD(STRING, struct message_value, value),
	{ .op = END }
};

static const struct field status[] = {
	FIELD(U8, struct message_status, level),
	FIELD(STRING, struct message_status, name),
	FIELD(STRING, struct message_status, message),
	FIELD(STRING, struct message_status, hardware_id),
	LISTED(struct message_status, values, value, value, MESSAGE_VALUES),
	{ .op = END }
};

static const struct field diagnostics[] = {
	HEADER(struct message_diagnostics),
	LISTED(struct message_diagnostics, statuses, status, status,
	       MESSAGE_STATUSES),
	{ .op = END }
};

const struct field message_transform_fields[] = {
	HEADER(struct message_transform),
	FIELD(STRING, struct message_transform, child_frame_id),
	ARRAY(F64, struct message_transform, translation, 3),
	ARRAY(F64, struct message_transform, rotation, 4),
	{ .op = END }
};

static const struct field transforms[] = {
	SEQUENCED(struct message_transforms, transforms,
		  struct message_transform, message_transform_fields),
	{ .op = END }
};

const struct field message_pose_fields[] = {
	HEADER(struct message_pose_stamped),
	NESTED(struct message_pose_stamped, pose, pose),
	{ .op = END }
};

static const struct field path[] = {
	HEADER(struct message_path),
	SEQUENCED(struct message_path, poses, struct message_pose_stamped,
		  message_pose_fields),
	{ .op = END }
};

static const struct field camera_info[] = {
	HEADER(struct message_camera_info),
	FIELD(U32, struct message_camera_info, height),
	FIELD(U32, struct message_camera_info, width),
	FIELD(STRING, struct message_camera_info, distortion_model),
	FIELD(DOUBLES, struct message_camera_info, d),
	ARRAY(F64, struct message_camera_info, k, 9),
	ARRAY(F64, struct message_camera_info, r, 9),
	ARRAY(F64, struct message_camera_info, p, 12),
	FIELD(U32, struct message_camera_info, binning_x),
	FIELD(U32, struct message_camera_info, binning_y),
	ARRAY(U32, struct message_camera_info, roi, 4),
	FIELD(U8, struct message_camera_info, roi_rectify),
	{ .op = END }
};

static const struct field imu[] = {
	HEADER(struct message_imu),
	ARRAY(F64, struct message_imu, orientation, 4),
	ARRAY(F64, struct message_imu, orientation_covariance, 9),
	ARRAY(F64, struct message_imu, angular_velocity, 3),
	ARRAY(F64, struct message_imu, angular_velocity_covariance, 9),
	ARRAY(F64, struct message_imu, linear_acceleration, 3),
	ARRAY(F64, struct message_imu, linear_acceleration_covariance, 9),
	{ .op = END }
};

static const struct field joint_state[] = {
	HEADER(struct message_joint_state),
	LISTED(struct message_joint_state, names, name, message_name_fields,
	       MESSAGE_JOINTS),
	FIELD(DOUBLES, struct message_joint_state, position),
	FIELD(DOUBLES, struct message_joint_state, velocity),
	FIELD(DOUBLES, struct message_joint_state, effort),
	{ .op = END }
};

const struct field message_point_fields[] = {
	FIELD(F32, struct message_point32, x),
	FIELD(F32, struct message_point32, y),
	FIELD(F32, struct message_point32, z),
	{ .op = END }
};

static const struct field polygon[] = {
	HEADER(struct message_polygon),
	SEQUENCED(struct message_polygon, points, struct message_point32,
		  message_point_fields),
	{ .op = END }
};

static const struct field grid_update[] = {
	HEADER(struct message_grid_update),
	FIELD(U32, struct message_grid_update, x),
	FIELD(U32, struct message_grid_update, y),
	FIELD(U32, struct message_grid_update, width),
	FIELD(U32, struct message_grid_update, height),
	FIELD(BYTES, struct message_grid_update, data),
	{ .op = END }
};

static const struct field uint8[] = {
	FIELD(U8, struct message_uint8, data),
	{ .op = END }
};

const struct field message_room_fields[] = {
	HEADER(struct message_room),
	FIELD(U8, struct message_room, id),
	FIELD(STRING, struct message_room, name),
	NESTED(struct message_room, location, message_point_fields),
	FIELD(F32, struct message_room, size),
	SEQUENCED(struct message_room, outline, struct message_point32,
		  message_point_fields),
	FIELD(U8, struct message_room, averages_valid),
	FIELD(F32, struct message_room, avg_temperature),
	FIELD(FLOATS, struct message_room, avg_gases),
	FIELD(U8, struct message_room, avg_smoke),
	FIELD(U8, struct message_room, avg_signal),
	FIELD(U8, struct message_room, max_hazard),
	LISTED(struct message_room, names, gas_name, message_name_fields,
	       MESSAGE_GASES),
	{ .op = END }
};

const struct field message_edge_fields[] = {
	FIELD(STRING, struct message_graph_edge, from_frame),
	FIELD(STRING, struct message_graph_edge, to_frame),
	FIELD(U8, struct message_graph_edge, kind),
	FIELD(U8, struct message_graph_edge, waiting),
	ARRAY(F64, struct message_graph_edge, transform, 3),
	ARRAY(F64, struct message_graph_edge, covariance, 9),
	{ .op = END }
};

static const struct field pose_graph[] = {
	HEADER(struct message_pose_graph),
	FIELD(STRING, struct message_pose_graph, source),
	SEQUENCED(struct message_pose_graph, edges, struct message_graph_edge,
		  message_edge_fields),
	{ .op = END }
};

const struct field *const message_fields[MESSAGE_TYPES] = {
	[MESSAGE_IMAGE] = image,
	[MESSAGE_COMPRESSED_IMAGE] = compressed_image,
	[MESSAGE_POINT_CLOUD] = point_cloud,
	[MESSAGE_LASER_SCAN] = laser_scan,
	[MESSAGE_OCCUPANCY_GRID] = message_occupancy_fields,
	[MESSAGE_ODOMETRY] = odometry,
	[MESSAGE_GRID_MAP] = grid_map,
	[MESSAGE_TWIST] = twist,
	[MESSAGE_TWIST_STAMPED] = twist_stamped,
	[MESSAGE_DIAGNOSTICS] = diagnostics,
	[MESSAGE_TRANSFORMS] = transforms,
	[MESSAGE_PATH] = path,
	[MESSAGE_CAMERA_INFO] = camera_info,
	[MESSAGE_IMU] = imu,
	[MESSAGE_JOINT_STATE] = joint_state,
	[MESSAGE_POLYGON] = polygon,
	[MESSAGE_GRID_UPDATE] = grid_update,
	[MESSAGE_UINT8] = uint8,
	[MESSAGE_ROOM] = message_room_fields,
	[MESSAGE_POSE_COVARIANCE] = pose_covariance,
	[MESSAGE_MAP_METADATA] = map_metadata,
	[MESSAGE_POSE_GRAPH] = pose_graph,
};
