/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud.h - a point cloud in memory: coordinates and up to 8 named fields
 *
 * A structure of arrays, as filters and codecs need it. cloud_read() makes it
 * from the interleaved bytes of a sensor_msgs/PointCloud2, cloud_write()
 * converts it back; types of fields are those of ROS. Points without three
 * finite coordinates are dropped and counted.
 */
#ifndef CODEC_CLOUD_CLOUD_H
#define CODEC_CLOUD_CLOUD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CLOUD_FIELDS	= 8,	/* at most, beside x, y and z */
	CLOUD_NAME	= 24,	/* bytes of a name, with the final 0 */
	CLOUD_CHANNELS	= CLOUD_FIELDS + 3,
};

/* sensor_msgs/PointField */
enum cloud_type {
	CLOUD_INT8	= 1,
	CLOUD_UINT8,
	CLOUD_INT16,
	CLOUD_UINT16,
	CLOUD_INT32,
	CLOUD_UINT32,
	CLOUD_FLOAT32,
	CLOUD_FLOAT64,
};

/**
 * struct cloud_field - a value per point
 * @name:	e.g. intensity, ring, time, rgb
 * @type:	enum cloud_type
 * @data:	an array of that type
 */
struct cloud_field {
	char		name[CLOUD_NAME];
	uint8_t		type;
	void		*data;
};

/**
 * struct cloud - points
 * @count:	number of points, at most @max
 * @fields:	in use
 * @dropped:	by cloud_read() since cloud_begin()
 * @x:		metres, likewise @y and @z
 */
struct cloud {
	unsigned int		count, max;
	unsigned int		fields;
	unsigned int		dropped;
	float			*x, *y, *z;
	struct cloud_field	field[CLOUD_FIELDS];
};

/**
 * struct cloud_layout - positions of the values in the bytes of a point
 * @channels:	in use
 * @step:	bytes from point to point
 * @big_endian:	byte order
 * @channel:	x, y and z (float32 or float64) and the fields, in any order;
 *		PointFields with a count other than 1 are not supported
 */
struct cloud_layout {
	unsigned int	channels;
	unsigned int	step;
	bool		big_endian;
	struct cloud_channel {
		char	name[CLOUD_NAME];
		uint8_t	type;
		unsigned int	offset;
	} channel[CLOUD_CHANNELS];
};

/**
 * cloud_create() - room for @max points with up to CLOUD_FIELDS fields
 *
 * Memory of unused fields is reserved, but not touched.
 *
 * Return: an empty cloud, or NULL; free with cloud_destroy().
 */
struct cloud *cloud_create(unsigned int max);

void cloud_destroy(struct cloud *c);

/**
 * cloud_add_field() - give every point one more value
 *
 * Return: 0; -E2BIG: there are CLOUD_FIELDS already, -EINVAL: invalid name or
 * type, -EEXIST: a field of that name exists.
 */
int cloud_add_field(struct cloud *c, const char *name, unsigned int type);

/* Empty @c, with the fields of @like. The two may be the same. */
void cloud_like(struct cloud *c, const struct cloud *like);

/*
 * Append points @begin ... @begin + @n - 1 of @in, whose fields @c has.
 * Return: 0, or -ENOSPC, and nothing appended.
 */
int cloud_append(struct cloud *c, const struct cloud *in, unsigned int begin,
		 unsigned int n);

/* Return: the number of a field of that name, or -ENOENT */
int cloud_find(const struct cloud *c, const char *name);

/* bytes of a value, 0: invalid @type */
unsigned int cloud_type_bytes(unsigned int type);

/* a double holds every type */
double cloud_get(const struct cloud_field *f, unsigned int i);

/* integers are rounded and clamped to what the type holds */
void cloud_put(struct cloud_field *f, unsigned int i, double value);

/* Whether bits, not a quantity: PCL's packed rgb and rgba. Never averaged. */
bool cloud_field_packed(const struct cloud_field *f);

/**
 * cloud_begin() - empty @c and give it the fields of @layout
 *
 * Return: 0; -EINVAL: x, y or z is missing, a type or name is invalid, or a
 * value lies outside @layout->step.
 */
int cloud_begin(struct cloud *c, const struct cloud_layout *layout);

/**
 * cloud_read() - append points; call it for each row if rows are padded
 * @layout: the one of cloud_begin()
 * @data: @points * @layout->step bytes
 *
 * Return: 0; -ENOSPC: no room for @points, nothing is appended.
 */
int cloud_read(struct cloud *c, const struct cloud_layout *layout,
	       const void *data, unsigned int points);

/* The layout without gaps, little endian: x, y, z and the fields in order */
void cloud_packed_layout(const struct cloud *c, struct cloud_layout *layout);

/**
 * cloud_write() - the bytes of all points
 * @layout: channels that @c lacks are set to 0
 * @data: @c->count * @layout->step bytes; gaps are set to 0
 */
void cloud_write(const struct cloud *c, const struct cloud_layout *layout,
		 void *data);

#endif
