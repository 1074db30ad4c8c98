// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_read - read files of images, clouds and maps as messages
 *
 * .png, .jpg and .pgm are images, a .pgm with a .yaml next to it is a map, .pcd
 * and .bin are clouds: a .bin of VLP-16 packets is read turn by turn, others
 * are x y z intensity.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "formats/cloud_file.h"
#include "formats/pnm.h"
#include "formats/velodyne.h"
#include "ros/io/file_read.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"

enum { FILE_MOST = 256 << 20, PATH = 4096 };

/**
 * struct file_reader
 * @kind:	of the open file
 * @packets:	of a VLP-16, else NULL
 * @file:	bytes of the file, kept and grown
 * @data:	storage of the message, likewise
 * @done:	a file with one message is finished
 */
struct file_reader {
	char			path[PATH];
	int			kind;
	FILE			*packets;
	struct velodyne		*velodyne;
	struct cloud		*turn;
	struct compressed_buffer file, data;
	bool			done;
};

static const char *ending_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') ? dot : "";
}

/* NAME.pgm to NAME.yaml */
static void yaml_path(const char *path, char yaml[PATH + 8])
{
	snprintf(yaml, PATH + 8, "%.*s.yaml",
		 (int)(ending_of(path) - path), path);
}

static bool file_read_is_map(const char *path)
{
	char yaml[PATH + 8];

	yaml_path(path, yaml);
	return !access(yaml, F_OK);
}

int file_read_kind(const char *path)
{
	const char *e = ending_of(path);

	if (!strcasecmp(e, ".png") || !strcasecmp(e, ".jpg") ||
	    !strcasecmp(e, ".jpeg"))
		return MESSAGE_IMAGE;
	if (!strcasecmp(e, ".pgm"))
		return file_read_is_map(path) ? MESSAGE_OCCUPANCY_GRID :
						MESSAGE_IMAGE;
	if (!strcasecmp(e, ".pcd") || !strcasecmp(e, ".bin"))
		return MESSAGE_POINT_CLOUD;
	return -ENOENT;
}

struct file_reader *file_read_create(void)
{
	return calloc(1, sizeof(struct file_reader));
}

/* Turns of a lidar need much memory, and are rarely read */
static void end_packets(struct file_reader *r)
{
	if (r->packets)
		fclose(r->packets);
	r->packets = NULL;
	velodyne_destroy(r->velodyne);
	r->velodyne = NULL;
	cloud_destroy(r->turn);
	r->turn = NULL;
}

void file_read_destroy(struct file_reader *r)
{
	if (!r)
		return;
	end_packets(r);
	free(r->file.data);
	free(r->data.data);
	free(r);
}

static int file_read_no_memory(const struct file_reader *r,
			       struct error *error)
{
	return error_set(error, -ENOMEM, "%s: no memory", r->path);
}

/* Fixed room at @b->data. Return: 0 or -ENOMEM */
static int file_read_room(struct compressed_buffer *b, size_t size)
{
	b->len = 0;
	return compressed_buffer_reserve(b, size);
}

/* A whole file, and a 0 after it */
static int file_read_load(struct file_reader *r, const char *path,
			  struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else if (st.st_size > FILE_MOST)
		err = -EFBIG;
	else
		err = file_read_room(&r->file, st.st_size + 1);
	while (!err && r->file.len < (size_t)st.st_size) {
		n = read(fd, r->file.data + r->file.len,
			 st.st_size - r->file.len);
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		r->file.len += n;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return error_set(error, err, "%s: %s", path, strerror(-err));
	r->file.data[r->file.len] = 0;
	return 0;
}

static bool file_read_is_packets(FILE *f)
{
	uint8_t start[2];
	struct stat st;

	if (fstat(fileno(f), &st) || !st.st_size ||
	    st.st_size % VELODYNE_PACKET)
		return false;
	if (fread(start, 1, 2, f) != 2 || fseek(f, 0, SEEK_SET))
		return false;
	return start[0] == 0xff && start[1] == 0xee;
}

int file_read_open(struct file_reader *r, const char *path,
		   struct error *error)
{
	end_packets(r);
	r->done = false;
	r->kind = file_read_kind(path);
	if (r->kind < 0)
		return error_set(error, -EPROTONOSUPPORT,
				 "%s: neither an image, a cloud nor a map",
				 path);
	if (snprintf(r->path, PATH, "%s", path) >= PATH)
		return error_set(error, -ENAMETOOLONG, "%.200s...: too long",
				 path);
	if (strcasecmp(ending_of(path), ".bin"))
		return 0;
	r->packets = fopen(path, "rbe");
	if (!r->packets)
		return error_set(error, -errno, "%s: %s", path,
				 strerror(errno));
	if (!file_read_is_packets(r->packets)) {
		end_packets(r);
		return 0;
	}
	r->velodyne = velodyne_create();
	r->turn = cloud_create(VELODYNE_RINGS * ORGANISED_COLUMNS);
	if (!r->velodyne || !r->turn) {
		end_packets(r);
		return file_read_no_memory(r, error);
	}
	return 0;
}

/*
 * Images
 */

static int image_message(struct file_reader *r, const struct image *image,
			 struct message_image *m, struct error *error)
{
	static const enum message_encoding of[2][5] = {
		{ 0, IMAGE_MONO8, IMAGE_8UC2, IMAGE_RGB8, IMAGE_RGBA8 },
		{ 0, IMAGE_MONO16, IMAGE_16UC2, IMAGE_RGB16, IMAGE_RGBA16 },
	};
	enum message_encoding e = of[image->depth == 16][image->channels];
	size_t size = (size_t)image->width * image->height *
		      message_encoding_pixel(e);

	if (file_read_room(&r->data, size))
		return file_read_no_memory(r, error);
	if (message_image_write(image, e, r->data.data, m))
		return error_set(error, -EINVAL, "%s: %u channels of %u bit",
				 r->path, image->channels, image->depth);
	m->header.frame_id = message_string("camera");
	return 1;
}

/* .png and .jpg; the image is decoded behind where it was loaded */
static int read_picture(struct file_reader *r, struct message_image *m,
			struct error *error)
{
	struct message_compressed_image c = {
		.data = { r->file.data, r->file.len },
	};
	struct image image;
	size_t at = (r->file.len + 16) & ~(size_t)15;
	int err = compressed_shape(&c, &image);

	if (!err) {
		size_t size = image.stride * image.height;

		if (compressed_buffer_reserve(&r->file, size + 32))
			return file_read_no_memory(r, error);
		c.data.data = r->file.data;
		image.data = r->file.data + at;
		err = compressed_read(&c, &image);
	}
	if (err)
		return error_set(error, err, "%s: %s", r->path,
				 err == -EOPNOTSUPP ?
					"unsupported PNG or JPEG" :
				 err == -E2BIG	? "image too large" :
				 err == -EBADMSG ? "damaged image" :
						  strerror(-err));
	return image_message(r, &image, m, error);
}

static int read_pgm(struct file_reader *r, struct message_image *m,
		    struct error *error)
{
	struct image image;

	if (pnm_parse(r->file.data, r->file.len, &image))
		return error_set(error, -EINVAL,
				 "%s: not a .pgm of gray pixels (P5)", r->path);
	if (image.depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		for (size_t i = 0; i < image.stride * image.height; i += 2) {
			uint8_t high = image.data[i];

			image.data[i] = image.data[i + 1];
			image.data[i + 1] = high;
		}
	/* pixels of 16 bits need an aligned address */
	if (image.depth == 16 && (uintptr_t)image.data % 2) {
		memmove(image.data - 1, image.data,
			image.stride * image.height);
		image.data--;
	}
	return image_message(r, &image, m, error);
}

static int file_read_read_map(struct file_reader *r,
			      struct message_occupancy_grid *m,
			      struct error *error)
{
	struct map map = { 0 };
	char yaml[PATH + 8];
	struct image image;
	struct pnm_map p;

	yaml_path(r->path, yaml);
	if (file_read_load(r, yaml, error))
		return -EINVAL;
	if (pnm_parse_yaml((char *)r->file.data, &p))
		return error_set(error, -EINVAL,
				 "%s: missing resolution or origin", yaml);
	if (file_read_load(r, r->path, error))
		return -EINVAL;
	if (pnm_parse(r->file.data, r->file.len, &image) || image.depth != 8)
		return error_set(error, -EINVAL,
				 "%s: not a .pgm of 8 bits (P5)", r->path);
	if (file_read_room(&r->data, (size_t)image.width * image.height))
		return file_read_no_memory(r, error);
	map.width = image.width;
	map.height = image.height;
	map.resolution = p.resolution;
	map.x = p.origin[0];
	map.y = p.origin[1];
	map.yaw = p.origin[2];
	map.cells = (int8_t *)r->data.data;
	pnm_cells(&p, &image, map.cells);
	message_map_write(&map, m);
	m->header.frame_id = message_string("map");
	return 1;
}

/*
 * Clouds
 */

static int cloud_message(struct file_reader *r, const struct cloud *c,
			 struct message_point_cloud *m, struct error *error)
{
	if (file_read_room(&r->data, message_cloud_bytes(c) + 1))
		return file_read_no_memory(r, error);
	message_cloud_write(c, r->data.data, m);
	m->header.frame_id = message_string("lidar");
	return 1;
}

/* cloud_file prints its errors on stderr */
static int read_cloud(struct file_reader *r, struct message_point_cloud *m,
		      struct error *error)
{
	struct cloud_file f;
	int ret = cloud_file_load(&f, r->path, 1);

	if (ret)
		return error_set(error, ret, "%s: ignored", r->path);
	/* its fields' names are the cloud's */
	cloud_destroy(r->turn);
	r->turn = f.cloud;
	f.cloud = NULL;
	cloud_file_free(&f);
	return cloud_message(r, r->turn, m, error);
}

static int read_turn(struct file_reader *r, struct message_point_cloud *m,
		     struct error *error)
{
	uint8_t packet[VELODYNE_PACKET];
	struct organised o;

	while (fread(packet, sizeof(packet), 1, r->packets) == 1) {
		if (velodyne_add(r->velodyne, packet, sizeof(packet), &o) != 1)
			continue;
		organised_to_cloud(&o, r->turn);
		return cloud_message(r, r->turn, m, error);
	}
	if (ferror(r->packets))
		return error_set(error, -EIO, "%s: cannot read", r->path);
	return 0;
}

int file_read_next(struct file_reader *r, int64_t stamp, union message *msg,
		   struct error *error)
{
	int ret;

	memset(msg, 0, sizeof(*msg));
	if (r->packets) {
		ret = read_turn(r, &msg->cloud, error);
	} else if (r->done) {
		return 0;
	} else if (r->kind == MESSAGE_POINT_CLOUD) {
		ret = read_cloud(r, &msg->cloud, error);
	} else if (r->kind == MESSAGE_OCCUPANCY_GRID) {
		ret = file_read_read_map(r, &msg->map, error);
		msg->map.map_load_time = stamp;
	} else {
		ret = file_read_load(r, r->path, error);
		if (!ret && !strcasecmp(ending_of(r->path), ".pgm"))
			ret = read_pgm(r, &msg->image, error);
		else if (!ret)
			ret = read_picture(r, &msg->image, error);
	}
	r->done = true;
	if (ret == 1)
		message_header_of(r->kind, msg)->stamp = stamp;
	return ret;
}
