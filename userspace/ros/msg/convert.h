/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - messages from and to what the codecs work on: images, clouds,
 * maps, layers of grids
 *
 * Reading checks that a message's sizes, strides and counts agree, and copies
 * into the caller's memory. Writing fills in the message's struct, which then
 * points into what the caller gave, for message_write().
 */
#ifndef ROS_MSG_CONVERT_H
#define ROS_MSG_CONVERT_H

#include <math.h>
#include "codec/cloud/cloud.h"
#include "codec/grid/map.h"
#include "codec/image/image.h"
#include "ros/msg/message.h"

/*
 * Encodings of sensor_msgs/Image (image_encodings.h of ROS, REP 118). The
 * numbers stay: they may travel, so that an image comes out as it went in.
 * Bayer patterns are gray images to us, OpenCV's types keep their channels'
 * order, and IMAGE_32FC1 is depth in metres: millimetres in the codec, as in
 * 16UC1. Those from IMAGE_UYVY on are only read, and come out as IMAGE_RGB8.
 * Others (signed, more floats, other yuv) are refused.
 */
enum message_encoding {
	IMAGE_MONO8, IMAGE_MONO16, IMAGE_8UC1, IMAGE_16UC1,
	IMAGE_RGB8, IMAGE_BGR8, IMAGE_RGBA8, IMAGE_BGRA8,
	IMAGE_RGB16, IMAGE_BGR16, IMAGE_RGBA16, IMAGE_BGRA16,
	IMAGE_8UC2, IMAGE_8UC3, IMAGE_8UC4,
	IMAGE_16UC2, IMAGE_16UC3, IMAGE_16UC4,
	IMAGE_32FC1,
	IMAGE_BAYER_RGGB8, IMAGE_BAYER_BGGR8,
	IMAGE_BAYER_GBRG8, IMAGE_BAYER_GRBG8,
	IMAGE_BAYER_RGGB16, IMAGE_BAYER_BGGR16,
	IMAGE_BAYER_GBRG16, IMAGE_BAYER_GRBG16,
	IMAGE_UYVY, IMAGE_YUV422, IMAGE_YUYV, IMAGE_YUV422_YUY2,
	IMAGE_NV12, IMAGE_NV21,
	IMAGE_ENCODINGS,
};

/*
 * A depth in millimetres as a pixel has it: 0 is none. What is not a number,
 * not positive, infinite (REP 118: nothing was seen) or beyond 65.535 m is none.
 */
static inline uint16_t message_millimetres(float mm)
{
	return mm > 0 && mm < 65535.5f ? lrintf(mm) : 0;
}

/* Return: enum message_encoding, or -EOPNOTSUPP */
int message_encoding_of(const struct message_string *name);

const char *message_encoding_name(enum message_encoding encoding);

/* Of what message_image_read() makes: IMAGE_RGB8 of luminance and chroma */
enum message_encoding message_encoding_shown(enum message_encoding encoding);

/* Whether pixels are of one colour each, four colours by turns */
static inline bool message_encoding_is_bayer(enum message_encoding encoding)
{
	return encoding >= IMAGE_BAYER_RGGB8 && encoding <= IMAGE_BAYER_GRBG16;
}

/* bytes of a pixel in a message, of IMAGE_NV12 and IMAGE_NV21 in its first plane */
unsigned int message_encoding_pixel(enum message_encoding encoding);

/**
 * message_image_shape() - what an image message holds
 * @image: gets width, height, channels and depth; the stride without gaps
 *
 * Return: enum message_encoding; -EOPNOTSUPP if the encoding is not one of
 * ours, -EBADMSG if sizes do not agree, or are 0 or beyond IMAGE_SIDE, or odd
 * where two pixels have one chroma.
 */
int message_image_shape(const struct message_image *m, struct image *image);

/**
 * message_image_fault() - why message_image_shape() refused a message
 * @text: gets a part of a sentence, empty if nothing is wrong
 * @size: of it, bytes; what is longer is cut
 */
void message_image_fault(const struct message_image *m, char *text,
			 size_t size);

/**
 * message_image_read() - the pixels of a message
 * @image: of message_image_shape(), with data for height * stride bytes
 *
 * Colours become red, green, blue (alpha), 16 bits the CPU's byte order,
 * metres millimetres, see message_millimetres(). Luminance and chroma are of
 * BT.601 in limited range; the pixels that share chroma all get that chroma.
 */
void message_image_read(const struct message_image *m, struct image *image);

/**
 * message_image_write() - pixels for a message
 * @image: with the channels and depth that @encoding has in an image
 * @data: gets width * height * message_encoding_pixel() bytes, @m its fields
 *	but the header
 *
 * Return: 0, or -EINVAL if @encoding is not for such an image, or only read.
 */
int message_image_write(const struct image *image,
			enum message_encoding encoding, void *data,
			struct message_image *m);

/**
 * message_cloud_read() - the points of a message
 *
 * Fields that struct cloud has no place for are left out: those with a count
 * other than 1, with long names, or beyond CLOUD_FIELDS.
 *
 * Return: 0; -EBADMSG if sizes do not agree or x, y, z is missing; -ENOSPC if
 * @c is too small.
 */
int message_cloud_read(const struct message_point_cloud *m, struct cloud *c);

/**
 * message_cloud_bytes() - room that message_cloud_write() needs
 */
size_t message_cloud_bytes(const struct cloud *c);

/**
 * message_cloud_write() - all points, one row, no gaps
 * @data: gets message_cloud_bytes(), @m its fields but the header; the names
 *	of fields are those in @c
 */
void message_cloud_write(const struct cloud *c, void *data,
			 struct message_point_cloud *m);

/**
 * message_map_read() - the cells of a message
 * @map: with room for @max cells
 *
 * What is neither unknown nor 0 ... 100 becomes the nearest that is. Of the
 * orientation, yaw remains: maps are level.
 *
 * Return: 0; -EBADMSG if sizes do not agree, are 0 or beyond MAP_SIDE_MAX;
 * -ENOSPC if @max is too small.
 */
int message_map_read(const struct message_occupancy_grid *m, struct map *map,
		     size_t max);

/* @m, but the header and the time, points to @map's cells */
void message_map_write(const struct map *map, struct message_occupancy_grid *m);

/**
 * message_grid_shape() - rows (along -x) and columns (along -y) of a grid map
 *
 * Return: 0; -EBADMSG if the layers are not all of one size, are not as many as
 * their names, or are not column after column, as grid_map writes them.
 */
int message_grid_shape(const struct message_grid_map *m, unsigned int *rows,
		       unsigned int *columns);

/**
 * message_grid_read() - a layer, unrolled: the circular buffer begins at 0, 0
 * @m: with a shape
 * @cells: gets rows * columns: [row * columns + column], NAN where not known
 */
void message_grid_read(const struct message_grid_map *m, unsigned int layer,
		       float *cells);

/**
 * message_grid_write() - a layer for a message, its circular buffer at 0, 0
 * @m: its arrays' and indices' fields are set, names and geometry are not
 * @cells: rows * columns of them, as from message_grid_read()
 * @data: gets rows * columns * 4 bytes
 */
void message_grid_write(struct message_grid_map *m, unsigned int layer,
			unsigned int rows, unsigned int columns,
			const float *cells, void *data);

#endif
