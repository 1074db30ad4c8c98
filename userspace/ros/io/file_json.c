// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_json - messages without a format of their own as JSON
 *
 * The names are those of ROS. Strings are not trusted: what is no UTF-8 becomes
 * question marks, control characters spaces.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "ros/io/file_write.h"

/*
 * cJSON adds nothing to NULL and returns NULL without memory: a missing value
 * shows such an error, and printing fails likewise.
 */

static void file_json_add_text(cJSON *to, const char *key,
			       struct message_string s)
{
	char *text = malloc((size_t)s.len + 1);

	if (!text)
		return;
	utf8_clean(s.text, s.len, text, (size_t)s.len + 1);
	if (key)
		cJSON_AddStringToObject(to, key, text);
	else
		cJSON_AddItemToArray(to, cJSON_CreateString(text));
	free(text);
}

static void add_stamp(cJSON *to, const char *key, int64_t ns)
{
	cJSON *t = cJSON_AddObjectToObject(to, key);

	cJSON_AddNumberToObject(t, "sec", ns / 1000000000);
	cJSON_AddNumberToObject(t, "nanosec", ns % 1000000000);
}

static void file_json_add_header(cJSON *to, const struct message_header *h)
{
	cJSON *header = cJSON_AddObjectToObject(to, "header");

	add_stamp(header, "stamp", h->stamp);
	file_json_add_text(header, "frame_id", h->frame_id);
}

static void add_floats(cJSON *to, const char *key,
		       const struct message_floats *f)
{
	cJSON *a = cJSON_AddArrayToObject(to, key);

	for (uint32_t i = 0; i < f->count; i++)
		cJSON_AddItemToArray(a, cJSON_CreateNumber(message_float(f,
									 i)));
}

static void add_doubles(cJSON *to, const char *key, const double *v, int n)
{
	cJSON_AddItemToObject(to, key, cJSON_CreateDoubleArray(v, n));
}

/* x, y, z and w */
static void add_vector(cJSON *to, const char *key, const double *v, int n)
{
	static const char *const names[] = { "x", "y", "z", "w" };
	cJSON *o = cJSON_AddObjectToObject(to, key);

	for (int i = 0; i < n; i++)
		cJSON_AddNumberToObject(o, names[i], v[i]);
}

static cJSON *file_json_add_pose(cJSON *to, const char *key,
				 const struct message_pose *p)
{
	cJSON *o = cJSON_AddObjectToObject(to, key);

	add_vector(o, "position", p->position, 3);
	add_vector(o, "orientation", p->orientation, 4);
	return o;
}

static void fill_twist(cJSON *o, const struct message_twist *t)
{
	add_vector(o, "linear", t->linear, 3);
	add_vector(o, "angular", t->angular, 3);
}

static void fill_scan(cJSON *o, const struct message_laser_scan *m)
{
	file_json_add_header(o, &m->header);
	cJSON_AddNumberToObject(o, "angle_min", m->angle_min);
	cJSON_AddNumberToObject(o, "angle_max", m->angle_max);
	cJSON_AddNumberToObject(o, "angle_increment", m->angle_increment);
	cJSON_AddNumberToObject(o, "time_increment", m->time_increment);
	cJSON_AddNumberToObject(o, "scan_time", m->scan_time);
	cJSON_AddNumberToObject(o, "range_min", m->range_min);
	cJSON_AddNumberToObject(o, "range_max", m->range_max);
	add_floats(o, "ranges", &m->ranges);
	add_floats(o, "intensities", &m->intensities);
}

static void fill_odometry(cJSON *o, const struct message_odometry *m)
{
	cJSON *with;

	file_json_add_header(o, &m->header);
	file_json_add_text(o, "child_frame_id", m->child_frame_id);
	with = cJSON_AddObjectToObject(o, "pose");
	file_json_add_pose(with, "pose", &m->pose);
	add_doubles(with, "covariance", m->pose_covariance, 36);
	with = cJSON_AddObjectToObject(o, "twist");
	fill_twist(cJSON_AddObjectToObject(with, "twist"), &m->twist);
	add_doubles(with, "covariance", m->twist_covariance, 36);
}

static void fill_array(cJSON *o, const struct message_array *a)
{
	cJSON *layout = cJSON_AddObjectToObject(o, "layout"), *d;
	cJSON *dims = cJSON_AddArrayToObject(layout, "dim");

	for (uint32_t i = 0; i < a->dims; i++) {
		d = cJSON_CreateObject();
		file_json_add_text(d, "label", a->dim[i].label);
		cJSON_AddNumberToObject(d, "size", a->dim[i].size);
		cJSON_AddNumberToObject(d, "stride", a->dim[i].stride);
		cJSON_AddItemToArray(dims, d);
	}
	cJSON_AddNumberToObject(layout, "data_offset", a->data_offset);
	add_floats(o, "data", &a->data);
}

static void fill_grid(cJSON *o, const struct message_grid_map *m)
{
	cJSON *info, *list, *a;

	file_json_add_header(o, &m->header);
	info = cJSON_AddObjectToObject(o, "info");
	cJSON_AddNumberToObject(info, "resolution", m->resolution);
	cJSON_AddNumberToObject(info, "length_x", m->length_x);
	cJSON_AddNumberToObject(info, "length_y", m->length_y);
	file_json_add_pose(info, "pose", &m->pose);
	list = cJSON_AddArrayToObject(o, "layers");
	for (uint32_t i = 0; i < m->layers; i++)
		file_json_add_text(list, NULL, m->layer[i]);
	list = cJSON_AddArrayToObject(o, "basic_layers");
	for (uint32_t i = 0; i < m->basic_layers; i++)
		file_json_add_text(list, NULL, m->basic_layer[i]);
	list = cJSON_AddArrayToObject(o, "data");
	for (uint32_t i = 0; i < m->arrays; i++) {
		a = cJSON_CreateObject();
		fill_array(a, &m->data[i]);
		cJSON_AddItemToArray(list, a);
	}
	cJSON_AddNumberToObject(o, "outer_start_index", m->outer_start_index);
	cJSON_AddNumberToObject(o, "inner_start_index", m->inner_start_index);
}

static void fill_status(cJSON *o, const struct message_status *m)
{
	cJSON *list, *v;

	cJSON_AddNumberToObject(o, "level", m->level);
	file_json_add_text(o, "name", m->name);
	file_json_add_text(o, "message", m->message);
	file_json_add_text(o, "hardware_id", m->hardware_id);
	list = cJSON_AddArrayToObject(o, "values");
	for (uint32_t i = 0; i < m->values; i++) {
		v = cJSON_CreateObject();
		file_json_add_text(v, "key", m->value[i].key);
		file_json_add_text(v, "value", m->value[i].value);
		cJSON_AddItemToArray(list, v);
	}
}

static void fill_diagnostics(cJSON *o, const struct message_diagnostics *m)
{
	cJSON *list, *status;

	file_json_add_header(o, &m->header);
	list = cJSON_AddArrayToObject(o, "status");
	for (uint32_t i = 0; i < m->statuses; i++) {
		status = cJSON_CreateObject();
		fill_status(status, &m->status[i]);
		cJSON_AddItemToArray(list, status);
	}
}

static void fill_graph(cJSON *o, const struct message_pose_graph *m)
{
	struct message_list rest = m->edges;
	struct message_graph_edge e;
	cJSON *all, *item;

	file_json_add_header(o, &m->header);
	file_json_add_text(o, "source", m->source);
	all = cJSON_AddArrayToObject(o, "edges");
	while (message_next_edge(&rest, &e)) {
		item = cJSON_CreateObject();
		file_json_add_text(item, "from_frame", e.from_frame);
		file_json_add_text(item, "to_frame", e.to_frame);
		cJSON_AddNumberToObject(item, "kind", e.kind);
		cJSON_AddBoolToObject(item, "waiting", e.waiting);
		add_doubles(item, "transform", e.transform, 3);
		add_doubles(item, "covariance", e.covariance, 9);
		cJSON_AddItemToArray(all, item);
	}
}

static void fill_transforms(cJSON *o, const struct message_transforms *m)
{
	cJSON *list = cJSON_AddArrayToObject(o, "transforms"), *one, *with;
	struct message_list rest = m->transforms;
	struct message_transform t;

	while (message_next_transform(&rest, &t)) {
		one = cJSON_CreateObject();
		file_json_add_header(one, &t.header);
		file_json_add_text(one, "child_frame_id", t.child_frame_id);
		with = cJSON_AddObjectToObject(one, "transform");
		add_vector(with, "translation", t.translation, 3);
		add_vector(with, "rotation", t.rotation, 4);
		cJSON_AddItemToArray(list, one);
	}
}

static void fill_path(cJSON *o, const struct message_path *m)
{
	cJSON *list, *one;
	struct message_list rest = m->poses;
	struct message_pose_stamped p;

	file_json_add_header(o, &m->header);
	list = cJSON_AddArrayToObject(o, "poses");
	while (message_next_pose(&rest, &p)) {
		one = cJSON_CreateObject();
		file_json_add_header(one, &p.header);
		file_json_add_pose(one, "pose", &p.pose);
		cJSON_AddItemToArray(list, one);
	}
}

static void add_numbers(cJSON *to, const char *key,
			const struct message_doubles *f)
{
	cJSON *a = cJSON_AddArrayToObject(to, key);

	for (uint32_t i = 0; i < f->count; i++)
		cJSON_AddItemToArray(a, cJSON_CreateNumber(message_double(f,
									  i)));
}

static void fill_camera_info(cJSON *o, const struct message_camera_info *m)
{
	static const char *const names[] = {
		"x_offset", "y_offset", "height", "width",
	};
	cJSON *roi;

	file_json_add_header(o, &m->header);
	cJSON_AddNumberToObject(o, "height", m->height);
	cJSON_AddNumberToObject(o, "width", m->width);
	file_json_add_text(o, "distortion_model", m->distortion_model);
	add_numbers(o, "d", &m->d);
	add_doubles(o, "k", m->k, 9);
	add_doubles(o, "r", m->r, 9);
	add_doubles(o, "p", m->p, 12);
	cJSON_AddNumberToObject(o, "binning_x", m->binning_x);
	cJSON_AddNumberToObject(o, "binning_y", m->binning_y);
	roi = cJSON_AddObjectToObject(o, "roi");
	for (unsigned int i = 0; i < 4; i++)
		cJSON_AddNumberToObject(roi, names[i], m->roi[i]);
	cJSON_AddBoolToObject(roi, "do_rectify", m->roi_rectify);
}

static void fill_imu(cJSON *o, const struct message_imu *m)
{
	file_json_add_header(o, &m->header);
	add_vector(o, "orientation", m->orientation, 4);
	add_doubles(o, "orientation_covariance", m->orientation_covariance, 9);
	add_vector(o, "angular_velocity", m->angular_velocity, 3);
	add_doubles(o, "angular_velocity_covariance",
		    m->angular_velocity_covariance, 9);
	add_vector(o, "linear_acceleration", m->linear_acceleration, 3);
	add_doubles(o, "linear_acceleration_covariance",
		    m->linear_acceleration_covariance, 9);
}

static void fill_joints(cJSON *o, const struct message_joint_state *m)
{
	cJSON *list;

	file_json_add_header(o, &m->header);
	list = cJSON_AddArrayToObject(o, "name");
	for (uint32_t i = 0; i < m->names; i++)
		file_json_add_text(list, NULL, m->name[i]);
	add_numbers(o, "position", &m->position);
	add_numbers(o, "velocity", &m->velocity);
	add_numbers(o, "effort", &m->effort);
}

static int file_json_fill(cJSON *o, enum message_kind kind,
			  const union message *msg)
{
	switch (kind) {
	case MESSAGE_LASER_SCAN:
		fill_scan(o, &msg->scan);
		return 0;
	case MESSAGE_ODOMETRY:
		fill_odometry(o, &msg->odometry);
		return 0;
	case MESSAGE_GRID_MAP:
		fill_grid(o, &msg->grid);
		return 0;
	case MESSAGE_TWIST:
		fill_twist(o, &msg->twist);
		return 0;
	case MESSAGE_TWIST_STAMPED:
		file_json_add_header(o, &msg->twist_stamped.header);
		fill_twist(cJSON_AddObjectToObject(o, "twist"),
			   &msg->twist_stamped.twist);
		return 0;
	case MESSAGE_DIAGNOSTICS:
		fill_diagnostics(o, &msg->diagnostics);
		return 0;
	case MESSAGE_TRANSFORMS:
		fill_transforms(o, &msg->tf);
		return 0;
	case MESSAGE_POSE_GRAPH:
		fill_graph(o, &msg->graph);
		return 0;
	case MESSAGE_PATH:
		fill_path(o, &msg->path);
		return 0;
	case MESSAGE_CAMERA_INFO:
		fill_camera_info(o, &msg->camera_info);
		return 0;
	case MESSAGE_IMU:
		fill_imu(o, &msg->imu);
		return 0;
	case MESSAGE_JOINT_STATE:
		fill_joints(o, &msg->joints);
		return 0;
	default:
		return -EINVAL;
	}
}

int file_write_json(enum message_kind kind, const union message *msg,
		    struct compressed_buffer *out)
{
	cJSON *o = cJSON_CreateObject();
	int err = o ? file_json_fill(o, kind, msg) : -ENOMEM;
	char *text = err ? NULL : cJSON_Print(o);

	cJSON_Delete(o);
	if (!text)
		return err ? err : -ENOMEM;
	out->len = 0;
	err = compressed_buffer_reserve(out, strlen(text) + 1);
	if (!err) {
		out->len = strlen(text) + 1;
		memcpy(out->data, text, out->len);
		out->data[out->len - 1] = '\n';
	}
	free(text);
	return err;
}
