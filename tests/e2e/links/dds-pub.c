// SPDX-License-Identifier: GPL-2.0-only
/*
 * dds-pub - a robot's sensors as an ordinary Cyclone DDS node, see app.h
 */
#include "app.h"
#include "dds-app.h"

static dds_entity_t writers[APP_TOPICS];

static bool publish(struct app *a, unsigned int t, unsigned int number,
		    int64_t stamp, const struct app_payload *p)
{
	struct std_msgs_msg_dds__Header_ header = {
		.stamp = { stamp / 1000000000, stamp % 1000000000 },
	};
	sensor_msgs_msg_dds__CompressedImage_ image = { 0 };
	sensor_msgs_msg_dds__LaserScan_ scan = { 0 };
	nav_msgs_msg_dds__Odometry_ odom = { 0 };
	geometry_msgs_msg_dds__Twist_ twist = { .linear.x = number };
	char id[16], format[] = "jpeg";
	dds_return_t ret;

	snprintf(id, sizeof(id), "%u", number);
	header.frame_id = id;
	if (a->topics[t].kind == APP_ODOM) {
		int steps = number - a->topics[t].moves;

		odom.header = header;
		odom.child_frame_id = format;
		odom.pose.pose.position.x = steps > 0 ? 0.1 * steps : 0;
		ret = dds_write(writers[t], &odom);
	} else if (a->topics[t].kind == APP_SCAN) {
		scan.header = header;
		scan.ranges._buffer = (float *)p->data;
		scan.ranges._length = p->size / sizeof(float);
		ret = dds_write(writers[t], &scan);
	} else if (a->topics[t].kind == APP_TWIST) {
		ret = dds_write(writers[t], &twist);
	} else {
		image.header = header;
		image.format = format;
		image.data._buffer = p->data;
		image.data._length = p->size;
		ret = dds_write(writers[t], &image);
	}
	/* KEEP_ALL: full; ROS 2 would wait without end */
	if (ret == DDS_RETCODE_TIMEOUT)
		return true;
	return dds_ok("dds-pub", a->topics[t].name, ret);
}

static int readers(struct app *a, bool most)
{
	dds_publication_matched_status_t st;
	int n = -1, now;

	for (unsigned int i = 0; i < a->ntopics; i++) {
		/* optsample reads it as long as it is up */
		if (most && a->topics[i].kind == APP_ODOM)
			continue;
		now = dds_get_publication_matched_status(writers[i], &st) ? 0 :
		      st.current_count;
		if (n < 0 || (most ? now > n : now < n))
			n = now;
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct app a = { .publish = publish, .readers = readers };
	dds_entity_t participant;
	bool ok;

	if (!app_options(&a, argc, argv, true))
		return 2;
	participant = dds_app_join("dds-pub", &a, dds_create_writer, writers);
	if (participant < 0)
		return 1;
	ok = app_publish(&a);
	dds_delete(participant);
	return !ok;
}
