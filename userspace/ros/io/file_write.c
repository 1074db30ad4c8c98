// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_write - encode messages as .png, .pcd, .pgm and .yaml
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ros/io/file_write.h"
#include "ros/msg/convert.h"

enum { LINE = 512 };	/* bytes of a header's line */

/* A line. Return: 0 or -ENOMEM */
__attribute__((format(printf, 2, 3))) static int
file_write_print(struct compressed_buffer *out, const char *format, ...)
{
	va_list args;
	int n;

	if (compressed_buffer_reserve(out, LINE))
		return -ENOMEM;
	va_start(args, format);
	n = vsnprintf((char *)out->data + out->len, LINE, format, args);
	va_end(args);
	out->len += n < LINE ? n : LINE - 1;
	return 0;
}

int file_write_png(const struct message_image *m, struct compressed_buffer *out)
{
	const struct message_string png = message_string("png");
	struct message_compressed_image c;
	struct image image;
	int err = message_image_shape(m, &image);

	if (err < 0)
		return err;
	/* of other numbers a .png would not tell what it stands for */
	if (message_encoding_is_number(err) && !message_image_has_depths(m))
		return -EOPNOTSUPP;
	image.data = malloc(image.stride * image.height);
	if (!image.data)
		return -ENOMEM;
	message_image_read(m, &image);
	err = compressed_write(&image, &png, 0, out, &c);
	free(image.data);
	return err;
}

/*
 * .pcd
 */

static int file_write_pcd_words(struct compressed_buffer *out, const char *key,
				const struct cloud_layout *l, char what)
{
	static const char kinds[] = " IUIUIUFF";
	int err = file_write_print(out, "%s", key);

	for (unsigned int i = 0; i < l->channels && !err; i++) {
		const struct cloud_channel *c = &l->channel[i];

		if (what == 'n')
			err = file_write_print(out, " %s", c->name);
		else if (what == 's')
			err = file_write_print(out, " %u",
					       cloud_type_bytes(c->type));
		else
			err = file_write_print(
				out, " %c", what == 't' ? kinds[c->type] : '1');
	}
	return err ?: file_write_print(out, "\n");
}

static int pcd_write(const struct cloud *cloud, struct compressed_buffer *out)
{
	struct cloud_layout l;
	size_t size;
	int err;

	cloud_packed_layout(cloud, &l);
	size = (size_t)cloud->count * l.step;
	out->len = 0;
	err = file_write_print(out, "# .PCD v0.7\nVERSION 0.7\n")  ?:
		      file_write_pcd_words(out, "FIELDS", &l, 'n') ?:
		      file_write_pcd_words(out, "SIZE", &l, 's')   ?:
		      file_write_pcd_words(out, "TYPE", &l, 't')   ?:
		      file_write_pcd_words(out, "COUNT", &l, 'c')  ?:
		      file_write_print(out, "WIDTH %u\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %u\nDATA binary\n", cloud->count, cloud->count) ?:
		      compressed_buffer_reserve(out, size);
	if (err)
		return err;
	cloud_write(cloud, &l, out->data + out->len);
	out->len += size;
	return 0;
}

int file_write_pcd(const struct message_point_cloud *m,
		   struct compressed_buffer *out)
{
	uint64_t points = (uint64_t)m->width * m->height;
	struct cloud *cloud;
	int err;

	/* each point needs a byte, at least */
	if (points > m->data.count)
		return -EBADMSG;
	cloud = cloud_create(points ? points : 1);
	if (!cloud)
		return -ENOMEM;
	err = message_cloud_read(m, cloud) ?: pcd_write(cloud, out);
	cloud_destroy(cloud);
	return err;
}

/*
 * Maps
 */

static bool is_trinary(const struct map *map)
{
	size_t n = (size_t)map->width * map->height;

	for (size_t i = 0; i < n; i++)
		if (map->cells[i] != MAP_UNKNOWN && map->cells[i] != MAP_FREE &&
		    map->cells[i] != MAP_OCCUPIED)
			return false;
	return true;
}

static uint8_t gray(int8_t cell, bool trinary)
{
	if (!trinary)
		return cell == MAP_UNKNOWN ? 255 : cell;
	return cell == MAP_UNKNOWN ? 205 : cell == MAP_FREE ? 254 : 0;
}

static int pgm_write(const struct map *map, bool trinary,
		     struct compressed_buffer *out)
{
	size_t n = (size_t)map->width * map->height;
	uint8_t *p;

	out->len = 0;
	if (file_write_print(out, "P5\n%u %u\n255\n", map->width,
			     map->height) ||
	    compressed_buffer_reserve(out, n))
		return -ENOMEM;
	p = out->data + out->len;
	/* the first row of an image is the top */
	for (unsigned int y = map->height; y--; )
		for (unsigned int x = 0; x < map->width; x++)
			*p++ = gray(map->cells[(size_t)y * map->width + x],
				    trinary);
	out->len += n;
	return 0;
}

int file_write_map(const struct message_occupancy_grid *m, const char *picture,
		   struct compressed_buffer *pgm,
		   struct compressed_buffer *yaml)
{
	struct map map = { .cells = malloc((size_t)m->data.count + 1) };
	bool trinary;
	int err;

	if (!map.cells)
		return -ENOMEM;
	err = message_map_read(m, &map, m->data.count);
	if (!err) {
		trinary = is_trinary(&map);
		yaml->len = 0;
		err = pgm_write(&map, trinary, pgm) ?:
						      file_write_print(
							      yaml,
							      "image: %s\nmode: %s\nresolution: %.9g\norigin: [%.17g, %.17g, %.17g]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
							      picture, trinary ? "trinary" : "raw",
							      map.resolution, map.x, map.y, map.yaw);
	}
	free(map.cells);
	return err;
}
