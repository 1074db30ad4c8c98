/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_read.h - read files of images, clouds and maps as messages
 */
#ifndef ROS_IO_FILE_READ_H
#define ROS_IO_FILE_READ_H

#include "base/error.h"
#include "ros/io/io.h"
#include "ros/msg/message.h"

struct file_reader;

/* Return: the kind by the file name, MESSAGE_IMAGE ..., or -ENOENT */
int file_read_kind(const char *path);

/* Return: NULL: no memory */
struct file_reader *file_read_create(void);
void file_read_destroy(struct file_reader *r);

/**
 * file_read_open() - open a file
 * @error: gets one line
 *
 * Return: 0 or a negative errno.
 */
int file_read_open(struct file_reader *r, const char *path,
		   struct error *error);

/**
 * file_read_next() - its next message: one, or one for each turn of a lidar
 * @stamp: for the header, whose frame is camera, lidar or map
 * @msg: gets a message that points into @r, until the next call
 *
 * Return: 1; 0: the end; a negative errno with @error.
 */
int file_read_next(struct file_reader *r, int64_t stamp, union message *msg,
		   struct error *error);

#endif
