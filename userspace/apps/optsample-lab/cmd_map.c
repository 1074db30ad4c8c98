// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab map - one occupancy grid over a lossy link
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "codec/core/payload.h"
#include "codec/grid/mappyramid.h"
#include "codec/grid/tiles.h"
#include "lab.h"
#include "options.h"

enum { OPT_METHOD = 256, OPT_RESOLUTION, OPT_FRAMES, OPT_DATAGRAMS, OPT_PARITY, };

static const struct argp_option map_options[] = {
	{ "method", OPT_METHOD, "M", 0,
	  "codec: tiles, or pyramid (that of D6.3) (tiles)", 1 },
	{ "resolution", OPT_RESOLUTION, "M", 0, "cell size, m (0.05)", 1 },
	{ "frames", OPT_FRAMES, "N", 0,
	  "tiles: send the map this many times (1)", 2 },
	{ "datagrams", OPT_DATAGRAMS, "N", 0,
	  "maximum datagrams of a frame (256)", 2 },
	{ "parity", OPT_PARITY, NULL, 0,
	  "tiles: add one parity datagram for every 8", 2 },
	LAB_OPTIONS("write the received map, .pgm"),
	{ 0 }
};

struct lab_map {
	struct lab_options lab;
	bool		pyramid, parity;
	uint32_t	frames, datagrams;
	double		resolution;
	/* results */
	struct map	map, shown;
	struct payloads	slots;
	unsigned int	sent, received;
	size_t		bytes;
	struct loss	channel;
};

static error_t map_parse(int key, char *arg, struct argp_state *state)
{
	struct lab_map *l = state->input;

	switch (key) {
	case OPT_METHOD:
		l->pyramid = !strcmp(arg, "pyramid");
		if (!l->pyramid && strcmp(arg, "tiles"))
			return cli_error(-EINVAL,
					 "method must be tiles or pyramid");
		return 0;
	case OPT_RESOLUTION:
		if (parse_double(arg, .001, 100, &l->resolution))
			return cli_error(-EINVAL, "resolution must be 0.001..100 m");
		return 0;
	case OPT_FRAMES:
		if (parse_u32(arg, 1, 10000, &l->frames))
			return cli_error(-EINVAL, "frames must be 1..10000");
		return 0;
	case OPT_DATAGRAMS:
		if (parse_u32(arg, 1, TILES_DATAGRAMS, &l->datagrams))
			return cli_error(-EINVAL, "datagrams must be 1..%d",
					 TILES_DATAGRAMS);
		return 0;
	case OPT_PARITY:
		l->parity = true;
		return 0;
	}
	return lab_option(&l->lab, key, arg, state);
}

static const struct argp map_argp = {
	map_options, map_parse, "FILE.pgm",
	"Send an occupancy grid over a simulated lossy link. Prints its cells, "
	"datagrams sent and received, payload bytes, known cells received, and "
	"how many of these are wrong.",
	NULL, NULL, NULL
};

static void lose(struct lab_map *l, void *decoder, loss_add *add)
{
	l->sent += l->slots.count;
	l->bytes += payloads_bytes(&l->slots);
	l->received += loss_pass(&l->channel, &l->slots, add, decoder);
}

static int map_add_tiles(void *d, const void *payload, size_t len)
{
	return tiles_add(d, payload, len);
}

static int map_add_pyramid(void *d, const void *payload, size_t len)
{
	return mappyramid_add(d, payload, len);
}

/* A copy, as the decoder owns its cells */
static int map_keep(struct lab_map *l, const struct map *map)
{
	size_t n = (size_t)map->width * map->height;

	l->shown = *map;
	l->shown.cells = malloc(n);
	if (!l->shown.cells)
		return cli_error(-ENOMEM, "no memory");
	memcpy(l->shown.cells, map->cells, n);
	return 0;
}

static int by_tiles(struct lab_map *l)
{
	struct tiles_encoder *e = tiles_encoder_create(l->map.width,
						       l->map.height);
	struct tiles_decoder *d = tiles_decoder_create(l->map.width,
						       l->map.height);
	struct map got;
	int ret = e && d ? 0 : cli_error(-ENOMEM, "no memory");

	for (unsigned int i = 0; !ret && i < l->frames; i++) {
		ret = tiles_encode(e, &l->map, l->datagrams, l->parity,
				   &l->slots);
		tiles_begin(d, i);
		if (!ret)
			lose(l, d, map_add_tiles);
	}
	if (!ret && !tiles_finish(d, &got))
		ret = map_keep(l, &got);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	return ret;
}

static int by_pyramid(struct lab_map *l)
{
	struct mappyramid_encoder *e =
		mappyramid_encoder_create(l->map.width, l->map.height);
	struct mappyramid_decoder *d = mappyramid_decoder_create();
	struct map got;
	int ret = e && d ? 0 : cli_error(-ENOMEM, "no memory");

	if (!ret)
		ret = mappyramid_encode(e, &l->map, l->datagrams, &l->slots);
	if (!ret) {
		mappyramid_begin(d);
		lose(l, d, map_add_pyramid);
		if (!mappyramid_finish(d, &got))
			ret = map_keep(l, &got);
	}
	mappyramid_encoder_destroy(e);
	mappyramid_decoder_destroy(d);
	return ret;
}

/* As map_server writes it: the last row of the map is first */
static int save(const struct lab_map *l)
{
	const struct map *m = &l->shown;
	FILE *f = fopen(l->lab.out, "wb");

	if (!f)
		return cli_error(-errno, "%s: %s", l->lab.out, strerror(errno));
	fprintf(f, "P5\n%u %u\n255\n", m->width, m->height);
	for (unsigned int y = m->height; y--; )
		for (unsigned int x = 0; x < m->width; x++) {
			int8_t c = m->cells[(size_t)y * m->width + x];

			fputc(c == MAP_UNKNOWN ? 205 : 254 - 254 * c / 100, f);
		}
	if (ferror(f) | fclose(f))
		return cli_error(-EIO, "%s: cannot write", l->lab.out);
	return 0;
}

static int map_report(const struct lab_map *l)
{
	size_t n = (size_t)l->map.width * l->map.height;
	size_t known = 0, arrived = 0, wrong = 0;

	for (size_t i = 0; i < n; i++)
		known += l->map.cells[i] != MAP_UNKNOWN;
	for (size_t i = 0; i < (size_t)l->shown.width * l->shown.height; i++) {
		if (l->shown.cells[i] == MAP_UNKNOWN)
			continue;
		arrived++;
		/* a pyramid changes cells */
		wrong += !l->pyramid && l->shown.cells[i] != l->map.cells[i];
	}
	printf("method,width,height,known_cells,datagrams,bytes,received,"
	       "shown_width,shown_height,cells_received,cells_wrong\n");
	printf("%s,%u,%u,%zu,%u,%zu,%u,%u,%u,%zu,%zu\n",
	       l->pyramid ? "pyramid" : "tiles", l->map.width, l->map.height,
	       known, l->sent, l->bytes, l->received, l->shown.width,
	       l->shown.height, arrived, wrong);
	if (!l->lab.out)
		return 0;
	if (!l->shown.cells)
		return cli_error(-ENODATA,
				 "no datagram received, no file written");
	return save(l);
}

static int map_load(struct lab_map *l)
{
	uint8_t *data;
	size_t len;
	int ret = file_load(l->lab.path, &data, &len);

	if (ret)
		return ret;
	/* one byte a cell: there are fewer cells than bytes */
	l->map.cells = malloc(len + 1);
	ret = l->map.cells ? map_from_pgm(&l->map, l->map.cells, len, data,
					  len) : -ENOMEM;
	free(data);
	if (ret)
		return cli_error(ret, "%s: %s", l->lab.path, ret == -ENOMEM ?
				 "no memory" : "not an 8-bit binary .pgm");
	l->map.resolution = l->resolution;
	return 0;
}

int cmd_map(int argc, char **argv)
{
	struct lab_map l = {
		.frames = 1, .datagrams = TILES_DATAGRAMS,
		.resolution = .05, .lab = LAB_DEFAULTS,
	};
	int ret = cli_parse(&map_argp, argc, argv, &l);

	if (!ret)
		ret = map_load(&l);
	if (ret)
		goto out;
	lab_channel(&l.lab, &l.channel);
	ret = payloads_create(&l.slots, TILES_DATAGRAMS);
	if (ret)
		cli_error(ret, "no memory");
	else
		ret = l.pyramid ? by_pyramid(&l) : by_tiles(&l);
	if (!ret)
		ret = map_report(&l);
out:
	payloads_destroy(&l.slots);
	free(l.map.cells);
	free(l.shown.cells);
	return ret;
}
