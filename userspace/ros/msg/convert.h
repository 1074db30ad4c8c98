/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - messages from and to the codecs' types: images, clouds, maps,
 * layers of grids
 *
 * Reading checks that a message's sizes, strides and counts agree, and copies
 * to the caller's memory. Writing fills in the message's struct, which then
 * points to the caller's memory, for message_write().
 */
#ifndef ROS_MSG_CONVERT_H
#define ROS_MSG_CONVERT_H

#include <math.h>
#include "base/pose.h"
#include "codec/cloud/cloud.h"
#include "codec/grid/map.h"
#include "codec/image/image.h"
#include "codec/image/values.h"
#include "ros/msg/message.h"

/*
 * Encodings of sensor_msgs/Image (image_encodings.h of ROS, REP 118). Numbers
 * must not change: they are sent, so that the receiver restores the encoding.
 * Bayer patterns are gray images here, OpenCV's types keep the order of their
 * channels. Pixels of IMAGE_32FC1, IMAGE_64FC1 and signed integers are numbers,
 * see message_image_numbers(); as pixels, IMAGE_32FC1 is depth in millimetres,
 * as 16UC1. Luminance and chroma can only be read, as IMAGE_RGB8, and
 * IMAGE_MONO1 as IMAGE_MONO8. Others are refused.
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
	IMAGE_64FC1, IMAGE_8SC1, IMAGE_16SC1, IMAGE_32SC1,
	IMAGE_I420, IMAGE_YUV420, IMAGE_YUV420P, IMAGE_YV12,	/* planes */
	IMAGE_MONO1,
	IMAGE_ENCODINGS,
};

/*
 * A depth in millimetres as a pixel value; 0: none. NaN, values that are not
 * positive, infinity (REP 118: nothing was seen) and depths beyond 65.535 m are
 * 0.
 */
static inline uint16_t message_millimetres(float mm)
{
	return mm > 0 && mm < 65535.5f ? lrintf(mm) : 0;
}

/* Return: enum message_encoding, or -EOPNOTSUPP */
int message_encoding_of(const struct message_string *name);

const char *message_encoding_name(enum message_encoding encoding);

/* Encoding of message_image_read()'s result: what can only be read as another */
enum message_encoding message_encoding_shown(enum message_encoding encoding);

/* Whether each pixel has one of four colours */
static inline bool message_encoding_is_bayer(enum message_encoding encoding)
{
	return encoding >= IMAGE_BAYER_RGGB8 && encoding <= IMAGE_BAYER_GRBG16;
}

/* Does a pixel hold a number, neither a brightness nor a colour? */
bool message_encoding_is_number(enum message_encoding encoding);

/* Their precision */
enum values_type message_encoding_values(enum message_encoding encoding);

/*
 * bytes of a pixel in a message; of IMAGE_NV12 and others with planes, in the
 * first one; of IMAGE_MONO1, if it is not packed
 */
unsigned int message_encoding_pixel(enum message_encoding encoding);

/**
 * message_image_shape() - shape of a message's image
 * @image: gets width, height, channels and depth; the stride without gaps
 *
 * Return: enum message_encoding; -EOPNOTSUPP: unsupported encoding, -EBADMSG:
 * sizes disagree, or are 0 or beyond IMAGE_SIDE, or odd if two pixels share one
 * chroma.
 */
int message_image_shape(const struct message_image *m, struct image *image);

/**
 * message_image_fault() - why message_image_shape() refused a message
 * @text: gets a part of a sentence, empty if there is no fault
 * @size: of it, bytes; longer text is cut
 */
void message_image_fault(const struct message_image *m, char *text,
			 size_t size);

/**
 * message_image_read() - read the pixels of a message
 * @image: of message_image_shape(), with data for height * stride bytes
 *
 * Colours become red, green, blue (alpha), 16 bits in the CPU's byte order.
 * Luminance and chroma are BT.601 in limited range; chroma is not interpolated
 * between pixels. Numbers become what message_image_read_numbers() says.
 */
void message_image_read(const struct message_image *m, struct image *image);

/**
 * message_image_numbers() - read the pixels of a message as numbers
 * @m:	of an encoding of numbers, valid by message_image_shape()
 * @v:	gets width * height of them
 */
void message_image_numbers(const struct message_image *m, double *v);

/* Are they depths in metres that millimetres in 16 bits can hold? */
bool message_numbers_are_depths(const struct values_range *r);

/* Does message_image_read() give their millimetres? */
bool message_image_has_depths(const struct message_image *m);

/**
 * message_image_read_numbers() - message_image_read() of numbers
 *
 * Of IMAGE_32FC1 and IMAGE_64FC1, if message_numbers_are_depths(), they become
 * millimetres, see message_millimetres(). Others are for looking at: their range becomes 1 to
 * 65535, and what is not finite 0.
 */
void message_image_read_numbers(const struct message_image *m,
				struct image *image);

/**
 * message_image_write_numbers() - fill in an image message
 * @v: width * height numbers; @encoding: of numbers
 * @data: gets width * height * message_encoding_pixel() bytes
 * @m: gets all fields except the header
 *
 * Return: 0, or -EINVAL: @encoding is of no numbers.
 */
int message_image_write_numbers(const double *v, unsigned int width,
				unsigned int height,
				enum message_encoding encoding, void *data,
				struct message_image *m);

/**
 * message_image_write() - fill in an image message
 * @image: with the channels and depth of @encoding
 * @data: gets width * height * message_encoding_pixel() bytes
 * @m: gets all fields except the header
 *
 * Return: 0, or -EINVAL: @encoding is not for such an image, or can only be
 * read.
 */
int message_image_write(const struct image *image,
			enum message_encoding encoding, void *data,
			struct message_image *m);

/**
 * message_cloud_read() - read the points of a message
 *
 * Fields that struct cloud cannot hold are left out: those with a count other
 * than 1, with long names, or beyond CLOUD_FIELDS. A cloud without points needs
 * no fields.
 *
 * Return: 0; -EBADMSG: sizes disagree or x, y, z is missing; -ENOSPC: @c is too
 * small.
 */
int message_cloud_read(const struct message_point_cloud *m, struct cloud *c);

/**
 * message_cloud_bytes() - size of message_cloud_write()'s data
 */
size_t message_cloud_bytes(const struct cloud *c);

/**
 * message_cloud_write() - write all points, in one row, without gaps
 * @data: gets message_cloud_bytes()
 * @m: gets all fields except the header; the names of fields are those in @c
 */
void message_cloud_write(const struct cloud *c, void *data,
			 struct message_point_cloud *m);

/* Of what is level: rotation around z, rad */
double message_pose_yaw(const struct message_pose *p);

/**
 * message_map_read() - read the cells of a message
 * @map: with memory for @max cells
 *
 * Values are clamped to unknown and 0 ... 100. Only the yaw of the orientation
 * is used: maps are level.
 *
 * Return: 0; -EBADMSG: sizes disagree, are 0 or beyond MAP_SIDE_MAX; -ENOSPC:
 * @max is too small.
 */
int message_map_read(const struct message_occupancy_grid *m, struct map *map,
		     size_t max);

/* Fill in @m, except header and time; it points to @map's cells */
void message_map_write(const struct map *map, struct message_occupancy_grid *m);

/**
 * message_grid_shape() - rows (along -x) and columns (along -y) of a grid map
 *
 * Return: 0; -EBADMSG: the layers differ in size, their number is not that of
 * the names, or they are not column-major, as grid_map writes them.
 */
int message_grid_shape(const struct message_grid_map *m, unsigned int *rows,
		       unsigned int *columns);

/* Is this layer one of those that make a cell valid? */
bool message_grid_is_basic(const struct message_grid_map *m,
			   unsigned int layer);

/**
 * message_grid_read() - read a layer, with its circular buffer unrolled to 0, 0
 * @m: valid by message_grid_shape()
 * @cells: gets rows * columns: [row * columns + column], NAN: unknown
 */
void message_grid_read(const struct message_grid_map *m, unsigned int layer,
		       float *cells);

/**
 * message_grid_raster() - the same as maps have it: from the lower left corner
 * @m: valid by message_grid_shape()
 * @cells: gets columns * rows: [y * rows + x]
 */
void message_grid_raster(const struct message_grid_map *m, unsigned int layer,
			 float *cells);

/* That corner, of a map that is level and valid by message_grid_shape() */
void message_grid_corner(const struct message_grid_map *m, struct pose *corner);

/**
 * message_grid_write() - fill in a layer, with its circular buffer at 0, 0
 * @m: sets fields of arrays and indices, but not names and geometry
 * @cells: rows * columns, as from message_grid_read()
 * @data: gets rows * columns * 4 bytes
 */
void message_grid_write(struct message_grid_map *m, unsigned int layer,
			unsigned int rows, unsigned int columns,
			const float *cells, void *data);

#endif
