/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rosbag_format.h - "#ROSBAG V2.0" (wiki.ros.org/Bags/Format/2.0)
 *
 * A record: a header and data, each after its length, u32, little endian. A
 * header: fields NAME=VALUE, likewise, values in binary; "op" says which record
 * it is. Times are seconds, u32, and nanoseconds, u32.
 */
#ifndef ROS_BAG_ROSBAG_FORMAT_H
#define ROS_BAG_ROSBAG_FORMAT_H

#define ROSBAG_MAGIC	"#ROSBAG V2.0\n"

enum {
	ROSBAG_MAGIC_LEN	= 13,
	ROSBAG_HEAD		= 4096,	/* the first record, padded */
	ROSBAG_FIELDS_MAX	= 1 << 20,	/* bytes of a header */
};

enum rosbag_op {
	ROSBAG_MESSAGE		= 2,
	ROSBAG_BAG		= 3,
	ROSBAG_INDEX		= 4,
	ROSBAG_CHUNK		= 5,
	ROSBAG_CHUNK_INFO	= 6,
	ROSBAG_CONNECTION	= 7,
};

#endif
