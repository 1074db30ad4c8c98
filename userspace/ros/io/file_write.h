/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_write.h - encode messages as files: .pcd, .pgm and .yaml, .json
 *
 * Into a reused buffer; data of the messages is copied. All of them return 0,
 * -EBADMSG if the message is inconsistent, -E2BIG, -ENOMEM.
 */
#ifndef ROS_IO_FILE_WRITE_H
#define ROS_IO_FILE_WRITE_H

#include "ros/msg/compressed.h"
#include "ros/msg/message.h"

/* 8 or 16 bit; depth in metres becomes millimetres */
int file_write_png(const struct message_image *m,
		   struct compressed_buffer *out);

/* Binary, one row, all fields that struct cloud takes */
int file_write_pcd(const struct message_point_cloud *m,
		   struct compressed_buffer *out);

/**
 * file_write_map() - as map_server reads it
 * @picture: name of the .pgm, for the .yaml
 *
 * In mode raw if there are other values than free, occupied and unknown.
 */
int file_write_map(const struct message_occupancy_grid *m, const char *picture,
		   struct compressed_buffer *pgm,
		   struct compressed_buffer *yaml);

/* With the names of ROS; a number that is not finite becomes null */
int file_write_json(enum message_kind kind, const union message *msg,
		    struct compressed_buffer *out);

#endif
