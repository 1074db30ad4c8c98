// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloud_file - point clouds in files
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/file.h"
#include "cloud_file.h"
#include "codec/cloud/rangeimage_cloud.h"

enum { XYZI = 16, LINE = 1024, POINTS_MAX = 1 << 24 };

/**
 * struct pcd - header of a .pcd file
 */
struct pcd {
	struct cloud_layout layout;
	unsigned int	size[CLOUD_CHANNELS], points, fields;
	bool		binary, compressed;
	size_t		data;		/* offset of the data */
};

static unsigned int pcd_type(char kind, unsigned int size)
{
	switch (kind) {
	case 'F':
		return size == 4 ? CLOUD_FLOAT32 : size == 8 ? CLOUD_FLOAT64 : 0;
	case 'U':
		return size == 1 ? CLOUD_UINT8 : size == 2 ? CLOUD_UINT16 :
		       size == 4 ? CLOUD_UINT32 : 0;
	case 'I':
		return size == 1 ? CLOUD_INT8 : size == 2 ? CLOUD_INT16 :
		       size == 4 ? CLOUD_INT32 : 0;
	}
	return 0;
}

/* One line of the header: a word, then a value for each field */
static int pcd_line(struct pcd *p, char *line)
{
	char *save, *key = strtok_r(line, " \t\r", &save), *word;
	struct cloud_channel *c = p->layout.channel;
	unsigned int i = 0;

	if (!key || *key == '#')
		return 0;
	if (!strcmp(key, "POINTS")) {
		word = strtok_r(NULL, " \t\r", &save);
		return word ? parse_u32(word, 0, POINTS_MAX, &p->points) :
			      -EINVAL;
	}
	for (; (word = strtok_r(NULL, " \t\r", &save)); i++) {
		if (i == CLOUD_CHANNELS)
			return -E2BIG;
		if (!strcmp(key, "FIELDS")) {
			if (strlen(word) >= CLOUD_NAME)
				return -EINVAL;
			strcpy(c[i].name, word);
			p->fields = i + 1;
		} else if (!strcmp(key, "SIZE")) {
			if (parse_u32(word, 1, 8, &p->size[i]))
				return -EINVAL;
		} else if (!strcmp(key, "TYPE")) {
			c[i].type = *word;
		} else if (!strcmp(key, "COUNT")) {
			if (strcmp(word, "1"))
				return -EINVAL;
		} else if (!strcmp(key, "DATA")) {
			p->binary = !strcmp(word, "binary");
			p->compressed = !p->binary && strcmp(word, "ascii");
			return 1;
		}
	}
	return 0;
}

/* The header, up to its line DATA */
static int pcd_header(struct pcd *p, const uint8_t *data, size_t len)
{
	unsigned int offset = 0;
	size_t at = 0;
	int ret = 0;

	memset(p, 0, sizeof(*p));
	while (ret == 0) {
		const uint8_t *end = memchr(data + at, '\n', len - at);
		char line[LINE];

		if (!end || end - data - at >= LINE)
			return -EINVAL;
		assert(at <= len);
		memcpy(line, data + at, end - data - at);
		line[end - data - at] = '\0';
		at = end - data + 1;
		ret = pcd_line(p, line);
	}
	if (ret < 0)
		return ret;
	p->data = at;
	p->layout.channels = p->fields;
	for (unsigned int i = 0; i < p->fields; i++) {
		struct cloud_channel *c = &p->layout.channel[i];

		c->type = pcd_type(c->type, p->size[i]);
		c->offset = offset;
		offset += p->size[i];
		if (!c->type)
			return -EINVAL;
	}
	assert(p->fields <= CLOUD_CHANNELS);
	p->layout.step = offset;
	return 0;
}

/* Numbers in text, as float64 in the order of the fields */
static int pcd_ascii(struct pcd *p, struct cloud *cloud, const char *text)
{
	double row[CLOUD_CHANNELS];
	char *end;

	for (unsigned int i = 0; i < p->fields; i++) {
		p->layout.channel[i].type = CLOUD_FLOAT64;
		p->layout.channel[i].offset = i * sizeof(double);
	}
	assert(p->fields <= CLOUD_CHANNELS);
	p->layout.step = p->fields * sizeof(double);
	p->layout.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	if (cloud_begin(cloud, &p->layout))
		return -EINVAL;
	for (unsigned int n = 0; n < p->points; n++) {
		for (unsigned int i = 0; i < p->fields; i++) {
			row[i] = strtod(text, &end);
			if (end == text)
				return -EINVAL;
			text = end;
		}
		cloud_read(cloud, &p->layout, row, 1);
	}
	return 0;
}

static int load_pcd(struct cloud_file *f, const char *path, uint8_t *data,
		    size_t len)
{
	struct pcd p;
	int ret = pcd_header(&p, data, len);

	if (ret)
		return cli_error(ret, "%s: not a .pcd header", path);
	if (p.compressed)
		return cli_error(-EINVAL, "%s: a compressed .pcd, make it binary (pcl_convert_pcd_ascii_binary IN OUT 1)",
				 path);
	f->cloud = cloud_create(p.points ? p.points : 1);
	if (!f->cloud)
		return cli_error(-ENOMEM, "no memory");
	if (!p.binary) {
		/* make sure that the text ends */
		data[len - 1] = '\0';
		ret = pcd_ascii(&p, f->cloud, (char *)data + p.data);
	} else if (cloud_begin(f->cloud, &p.layout)) {
		ret = -EINVAL;
	} else if ((size_t)p.points * p.layout.step > len - p.data) {
		ret = -ENODATA;
	} else {
		cloud_read(f->cloud, &p.layout, data + p.data, p.points);
	}
	if (ret)
		return cli_error(ret, "%s: %s", path, ret == -ENODATA ?
				 "fewer points than its header says" :
				 "no fields x, y and z");
	return 0;
}

static int load_packets(struct cloud_file *f, const char *path,
			const uint8_t *data, size_t len, unsigned int turn)
{
	unsigned int turns = 0;

	f->velodyne = velodyne_create();
	f->cloud = cloud_create(VELODYNE_RINGS * ORGANISED_COLUMNS);
	if (!f->velodyne || !f->cloud)
		return cli_error(-ENOMEM, "no memory");
	for (; len; data += VELODYNE_PACKET, len -= VELODYNE_PACKET)
		if (velodyne_add(f->velodyne, data, VELODYNE_PACKET,
				 &f->organised) == 1 && ++turns == turn) {
			organised_to_cloud(&f->organised, f->cloud);
			return 0;
		}
	return cli_error(-ENODATA,
			 "%s: only %u complete revolutions, no number %u",
			 path, turns, turn);
}

static int load_xyzi(struct cloud_file *f, const char *path,
		     const uint8_t *data, size_t len)
{
	static const struct cloud_layout layout = {
		.channels = 4, .step = XYZI,
		.channel = { { "x", CLOUD_FLOAT32, 0 },
			     { "y", CLOUD_FLOAT32, 4 },
			     { "z", CLOUD_FLOAT32, 8 },
			     { "intensity", CLOUD_FLOAT32, 12 } },
	};

	f->cloud = cloud_create(len / XYZI ? len / XYZI : 1);
	if (!f->cloud)
		return cli_error(-ENOMEM, "no memory");
	cloud_begin(f->cloud, &layout);
	cloud_read(f->cloud, &layout, data, len / XYZI);
	if (f->cloud->dropped > len / XYZI / 2)
		return cli_error(-EINVAL,
				 "%s: neither .pcd, VLP-16 packets nor float32 "
				 "values",
				 path);
	return 0;
}

static bool cloud_file_is_packets(const uint8_t *data, size_t len)
{
	return len && len % VELODYNE_PACKET == 0 && data[0] == 0xff &&
	       data[1] == 0xee;
}

int cloud_file_load(struct cloud_file *f, const char *path, unsigned int turn)
{
	uint8_t *data;
	size_t len;
	int ret;

	memset(f, 0, sizeof(*f));
	ret = file_load(path, &data, &len);
	if (ret)
		return ret;
	if (cloud_file_is_packets(data, len))
		ret = load_packets(f, path, data, len, turn);
	else if (len > 8 && (!memcmp(data, "# .PCD", 6) ||
			     !memcmp(data, "VERSION", 7)))
		ret = load_pcd(f, path, data, len);
	else if (len && len % XYZI == 0)
		ret = load_xyzi(f, path, data, len);
	else
		ret = cli_error(-EINVAL, "%s: neither .pcd nor VLP-16 packets nor float32 x y z intensity",
				path);
	free(data);
	if (ret)
		cloud_file_free(f);
	return ret;
}

void cloud_file_free(struct cloud_file *f)
{
	cloud_destroy(f->cloud);
	velodyne_destroy(f->velodyne);
	memset(f, 0, sizeof(*f));
}

static void cloud_file_pcd_words(FILE *f, const char *key,
				 const struct cloud_layout *layout, char what)
{
	static const char kinds[] = " IUIUIUFF";

	fputs(key, f);
	for (unsigned int i = 0; i < layout->channels; i++) {
		const struct cloud_channel *c = &layout->channel[i];

		if (what == 'n')
			fprintf(f, " %s", c->name);
		else if (what == 's')
			fprintf(f, " %u", cloud_type_bytes(c->type));
		else
			fprintf(f, " %c", what == 't' ? kinds[c->type] : '1');
	}
	fputc('\n', f);
}

int pcd_save(const char *path, const struct cloud *cloud)
{
	struct cloud_layout layout;
	size_t size, wrote = 0;
	void *data;
	FILE *f;

	cloud_packed_layout(cloud, &layout);
	size = (size_t)cloud->count * layout.step;
	data = malloc(size + 1);
	f = fopen(path, "wb");
	if (f && data) {
		cloud_write(cloud, &layout, data);
		fputs("# .PCD v0.7\nVERSION 0.7\n", f);
		cloud_file_pcd_words(f, "FIELDS", &layout, 'n');
		cloud_file_pcd_words(f, "SIZE", &layout, 's');
		cloud_file_pcd_words(f, "TYPE", &layout, 't');
		cloud_file_pcd_words(f, "COUNT", &layout, 'c');
		fprintf(f, "WIDTH %u\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
			"POINTS %u\nDATA binary\n", cloud->count,
			cloud->count);
		wrote = fwrite(data, 1, size, f);
	}
	free(data);
	if (!f || fclose(f) || wrote < size)
		return cli_error(-errno, "%s: %s", path, strerror(errno));
	return 0;
}
