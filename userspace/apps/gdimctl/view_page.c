// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_page - the operator's view: maps over time as one page of HTML
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/atomic_file.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "map/fusion/cells.h"
#include "map/layer/colours.h"
#include "map/site/reduce.h"
#include "map/site/room_values.h"
#include "view_page.h"

enum { PAGE_TILE = VIEW_TILE * VIEW_TILE, TEXT = 512 };

/* Placeholders of data and scripts in the template */
#define DATA	"@DATA@"
#define SCRIPT	"@SCRIPT@"

/* The template, followed by the scripts */
__asm__(".pushsection .rodata\n"
	"view_html:\n"
	"	.incbin \"apps/gdimctl/view.html\"\n"
	"view_map_js:\n"
	"	.incbin \"apps/gdimctl/view_map.js\"\n"
	"	.incbin \"apps/gdimctl/view_layers.js\"\n"
	"	.incbin \"apps/gdimctl/view_peaks.js\"\n"
	"	.incbin \"apps/gdimctl/view_use.js\"\n"
	"	.incbin \"apps/gdimctl/view_test.js\"\n"
	"view_end:\n"
	"	.byte 0\n"
	".popsection\n");
extern const char view_html[], view_map_js[], view_end[];

/**
 * struct shown - a layer's map at the previous time
 * @raster:	as in the page: reduced
 * @room:	capacity, in cells
 * @tiles:	its area, in tiles
 * @id:		of each tile
 * @map:	number in the page
 */
struct shown {
	struct raster	raster;
	size_t		room;
	struct rect	tiles;
	unsigned int	*id;
	unsigned int	map;
};

/**
 * struct view_page
 * @last:	of each layer
 * @scratch:	a reduced map; becomes @last
 * @raw:	tiles of the current pack
 * @maps, @times, @rooms, @ways, @repeaters: JSON, elements of arrays
 * @said_rooms, @said_way: offset of the last element in @rooms, in @ways
 */
struct view_page {
	struct atomic_file	file;
	const struct layer	*layer;
	unsigned int		layers;
	char			title[TEXT];
	struct shown		*last;
	struct raster		scratch;
	size_t			scratch_room;
	struct bytes		raw, packed, text, item;
	struct bytes		maps, times, rooms, ways, repeaters;
	size_t			said_rooms, said_way;
	unsigned int		tiles, map_count, room_count, way_count, packs;
	int			err;
};

/*
 * JSON. All that could end a script or begin a tag is escaped
 */

static void keep_error(struct view_page *p, int err)
{
	if (err && !p->err)
		p->err = err;
}

#define SAY(p, to, ...) keep_error(p, bytes_printf(to, __VA_ARGS__))

static void put_string(struct view_page *p, struct bytes *to, const char *s)
{
	char clean[TEXT];

	utf8_clean(s, strlen(s), clean, sizeof(clean));
	SAY(p, to, "\"");
	for (const char *c = clean; *c; c++) {
		/* lines of JavaScript also end at U+2028 and U+2029 */
		if (!strncmp(c, "\xe2\x80\xa8", 3) ||
		    !strncmp(c, "\xe2\x80\xa9", 3)) {
			SAY(p, to, " ");
			c += 2;
		} else if (strchr("\"\\<>&'", *c) || (unsigned char)*c < 32) {
			SAY(p, to, "\\u%04x", (unsigned char)*c);
		} else {
			keep_error(p, bytes_append(to, c, 1));
		}
	}
	SAY(p, to, "\"");
}

/* NAN and infinity become null */
static void put_number(struct view_page *p, struct bytes *to, double v)
{
	if (isfinite(v))
		SAY(p, to, "%.15g", v);
	else
		SAY(p, to, "null");
}

/* Metres, to a millimetre */
static void put_metres(struct view_page *p, struct bytes *to, double v)
{
	put_number(p, to, round(v * 1e3) / 1e3);
}

static void comma(struct view_page *p, struct bytes *to)
{
	if (to->len)
		SAY(p, to, ",\n");
}

/*
 * Tiles
 */

static int floor_tile(long cell)
{
	return cell >= 0 ? cell / VIEW_TILE :
			   -((-cell + VIEW_TILE - 1) / VIEW_TILE);
}

static struct rect tiles_of(const struct rect *r)
{
	const int x = floor_tile(r->x), y = floor_tile(r->y);
	const int x1 = floor_tile(r->x + (long)r->width - 1);
	const int y1 = floor_tile(r->y + (long)r->height - 1);

	return (struct rect){ x, y, x1 - x + 1, y1 - y + 1 };
}

/* Return: whether anything is known in it */
static bool take_tile(const struct raster *r, int tx, int ty,
		      int16_t cell[PAGE_TILE])
{
	const struct rect tile = { tx * VIEW_TILE, ty * VIEW_TILE, VIEW_TILE,
				   VIEW_TILE };
	const struct rect c = rect_common(&tile, &r->rect);
	bool known = false;

	memset(cell, 0xff, PAGE_TILE * sizeof(*cell));
	for (unsigned int y = 0; !rect_is_empty(&c) && y < c.height; y++) {
		const int16_t *from = r->cells + (size_t)(c.y - r->rect.y + y) *
				      r->rect.width + (c.x - r->rect.x);
		int16_t *to = cell + (c.y - tile.y + y) * VIEW_TILE +
			      (c.x - tile.x);

		for (unsigned int x = 0; x < c.width; x++) {
			to[x] = from[x];
			known |= from[x] >= 0;
		}
	}
	return known;
}

static void pack_tile(struct view_page *p, unsigned int bits,
		      const int16_t cell[PAGE_TILE])
{
	uint8_t out[2 * PAGE_TILE];
	uint16_t before = 0;

	for (unsigned int i = 0; i < PAGE_TILE; i++) {
		const uint16_t d = cell[i] - before;

		if (bits == 8) {
			out[i] = cell[i];
			continue;
		}
		out[i] = d >> 8;
		out[PAGE_TILE + i] = d;
		before = cell[i];
	}
	keep_error(p, bytes_append(&p->raw, out, bits / 8 * PAGE_TILE));
}

/* Number of a tile: unchanged or new; 0: unknown */
static unsigned int tile_id(struct view_page *p, const struct shown *last,
			    const struct raster *r, int tx, int ty)
{
	const struct rect one = { tx, ty, 1, 1 };
	const struct rect both = rect_common(&one, &last->tiles);
	int16_t cell[PAGE_TILE], before[PAGE_TILE];

	if (!take_tile(r, tx, ty, cell))
		return 0;
	if (last->id && !rect_is_empty(&both) &&
	    last->raster.resolution == r->resolution) {
		take_tile(&last->raster, tx, ty, before);
		if (!memcmp(cell, before, sizeof(cell)))
			return last->id[(size_t)(ty - last->tiles.y) *
					last->tiles.width +
					(tx - last->tiles.x)];
	}
	pack_tile(p, r->bits, cell);
	return ++p->tiles;
}

static void write_base64(struct view_page *p, const uint8_t *d, size_t len)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char out[4096];
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3) {
		const unsigned int left = len - i;
		const uint32_t v = d[i] << 16 |
				   (left > 1 ? d[i + 1] << 8 : 0) |
				   (left > 2 ? d[i + 2] : 0);

		out[n++] = digit[v >> 18];
		out[n++] = digit[v >> 12 & 63];
		out[n++] = left > 1 ? digit[v >> 6 & 63] : '=';
		out[n++] = left > 2 ? digit[v & 63] : '=';
		if (n == sizeof(out)) {
			atomic_file_write(&p->file, out, n);
			n = 0;
		}
	}
	atomic_file_write(&p->file, out, n);
}

/* Write @raw to the file now: pages may be larger than memory */
static void write_pack(struct view_page *p, unsigned int bits)
{
	unsigned long len = compressBound(p->raw.len);

	if (p->err || !p->raw.len)
		return;
	keep_error(p, bytes_reserve(&p->packed, len));
	if (p->err)
		return;
	if (compress2(p->packed.data, &len, p->raw.data, p->raw.len, 9) !=
	    Z_OK) {
		keep_error(p, -ENOMEM);
		return;
	}
	p->text.len = 0;
	SAY(p, &p->text, "%s{\"bits\":%u,\"tiles\":%zu,\"data\":\"",
	    p->packs++ ? ",\n" : "", bits,
	    p->raw.len / (bits / 8 * PAGE_TILE));
	atomic_file_write(&p->file, p->text.data, p->text.len);
	write_base64(p, p->packed.data, len);
	atomic_file_write(&p->file, "\"}", 2);
	p->raw.len = 0;
}

/*
 * Maps
 */

static unsigned int factor_for(const struct rect *r)
{
	unsigned int f = 1;

	while (r->width / f >= VIEW_SIDE || r->height / f >= VIEW_SIDE ||
	       (uint64_t)(r->width / f + 1) * (r->height / f + 1) > VIEW_CELLS)
		f++;
	return f;
}

static void put_map(struct view_page *p, unsigned int layer,
		    const struct raster *r, const struct rect *t,
		    const unsigned int *id, unsigned int factor)
{
	comma(p, &p->maps);
	SAY(p, &p->maps, "{\"layer\":%u,\"res\":", layer);
	put_number(p, &p->maps, r->resolution);
	SAY(p, &p->maps, ",\"reduced\":%u,\"rect\":[%d,%d,%u,%u],"
	    "\"tiles\":[%d,%d,%u,%u],\"id\":[", factor, r->rect.x, r->rect.y,
	    r->rect.width, r->rect.height, t->x, t->y, t->width, t->height);
	for (size_t i = 0; i < (size_t)t->width * t->height; i++)
		SAY(p, &p->maps, "%s%u", i ? "," : "", id[i]);
	SAY(p, &p->maps, "]}");
}

static bool same_tiles(const struct shown *last, const struct raster *r,
		       const struct rect *t, const unsigned int *id)
{
	return last->id && last->raster.resolution == r->resolution &&
	       !memcmp(&last->raster.rect, &r->rect, sizeof(r->rect)) &&
	       !memcmp(id, last->id,
		       (size_t)t->width * t->height * sizeof(*id));
}

/* Return: number of the map, the previous one if unchanged; -1: an error */
static int add_map(struct view_page *p, unsigned int layer,
		   const struct raster *from)
{
	struct shown *last = &p->last[layer];
	const unsigned int f = factor_for(&from->rect);
	struct raster spare;
	struct rect t;
	unsigned int *id;
	size_t room;

	if (reduce_raster(from, f, reduce_how(&p->layer[layer]), &p->scratch,
			  &p->scratch_room))
		goto no_memory;
	t = tiles_of(&p->scratch.rect);
	id = malloc((size_t)t.width * t.height * sizeof(*id));
	if (!id)
		goto no_memory;
	for (unsigned int i = 0; i < t.width * t.height; i++)
		id[i] = tile_id(p, last, &p->scratch, t.x + (int)(i % t.width),
				t.y + (int)(i / t.width));
	write_pack(p, from->bits);
	if (!same_tiles(last, &p->scratch, &t, id)) {
		last->map = p->map_count++;
		put_map(p, layer, &p->scratch, &t, id, f);
	}
	free(last->id);
	spare = last->raster;
	room = last->room;
	*last = (struct shown){ p->scratch, p->scratch_room, t, id,
				last->map };
	p->scratch = spare;
	p->scratch_room = room;
	return last->map;
no_memory:
	keep_error(p, -ENOMEM);
	return -1;
}

/*
 * Rooms, trajectory, times
 */

static void view_page_put_room(struct view_page *p, const struct room *room)
{
	double corner[ROOM_CORNERS][2];
	const unsigned int n = room_outline(room, corner);

	SAY(p, &p->item, "{\"id\":%u,\"name\":", room->id);
	put_string(p, &p->item, room->name);
	SAY(p, &p->item, ",\"at\":[");
	put_metres(p, &p->item, room->x);
	SAY(p, &p->item, ",");
	put_metres(p, &p->item, room->y);
	SAY(p, &p->item, "],\"outline\":[");
	for (unsigned int i = 0; i < 2 * n; i++) {
		SAY(p, &p->item, i ? "," : "");
		put_metres(p, &p->item, corner[i / 2][i % 2]);
	}
	SAY(p, &p->item, "]}");
}

/* Append @item to @to, unless it equals the last one. Return: its number */
static unsigned int add_item(struct view_page *p, struct bytes *to,
			     size_t *said, unsigned int *count)
{
	if (*count && to->len - *said == p->item.len &&
	    !memcmp(to->data + *said, p->item.data, p->item.len))
		return *count - 1;
	comma(p, to);
	*said = to->len;
	keep_error(p, bytes_append(to, p->item.data, p->item.len));
	return (*count)++;
}

static unsigned int add_rooms(struct view_page *p, const struct view_state *s)
{
	p->item.len = 0;
	SAY(p, &p->item, "[");
	for (unsigned int i = 0; i < s->rooms; i++) {
		SAY(p, &p->item, i ? ",\n" : "");
		view_page_put_room(p, &s->room[i]);
	}
	SAY(p, &p->item, "]");
	return add_item(p, &p->rooms, &p->said_rooms, &p->room_count);
}

static unsigned int add_way(struct view_page *p, const struct view_state *s)
{
	p->item.len = 0;
	SAY(p, &p->item, "{\"yaw\":");
	put_metres(p, &p->item, s->poses ? s->way[s->poses - 1].yaw : 0);
	SAY(p, &p->item, ",\"xy\":[");
	for (unsigned int i = 0; i < s->poses; i++) {
		SAY(p, &p->item, i ? "," : "");
		put_metres(p, &p->item, s->way[i].x);
		SAY(p, &p->item, ",");
		put_metres(p, &p->item, s->way[i].y);
	}
	SAY(p, &p->item, "]}");
	return add_item(p, &p->ways, &p->said_way, &p->way_count);
}

int view_page_add(struct view_page *p, const struct view_state *s)
{
	const unsigned int rooms = add_rooms(p, s), way = add_way(p, s);
	bool any = false;

	comma(p, &p->times);
	/* JavaScript uses milliseconds */
	SAY(p, &p->times, "{\"stamp\":%.0f,\"name\":", s->stamp / 1e6);
	put_string(p, &p->times, s->name);
	SAY(p, &p->times, ",\"rooms\":%u,\"way\":%u,\"maps\":[", rooms, way);
	for (unsigned int i = 0; i < p->layers && !p->err; i++) {
		int map;

		if (!s->map[i].cells || rect_is_empty(&s->map[i].rect))
			continue;
		map = add_map(p, i, &s->map[i]);
		SAY(p, &p->times, "%s%d", any ? "," : "", map);
		any = true;
	}
	SAY(p, &p->times, "]}");
	return p->err;
}

int view_page_repeater(struct view_page *p, double x, double y)
{
	comma(p, &p->repeaters);
	SAY(p, &p->repeaters, "[");
	put_metres(p, &p->repeaters, x);
	SAY(p, &p->repeaters, ",");
	put_metres(p, &p->repeaters, y);
	SAY(p, &p->repeaters, "]");
	return p->err;
}

/*
 * The page
 */

static void view_page_put_layer(struct view_page *p, const struct layer *l)
{
	uint8_t rgb[COLOURS_STEPS][3];

	colours_table(modality_get(l->modality)->colours, COLOURS_STEPS, rgb);
	SAY(p, &p->text, "{\"name\":");
	put_string(p, &p->text, l->name);
	SAY(p, &p->text, ",\"role\":");
	put_string(p, &p->text, modality_get(l->modality)->name);
	SAY(p, &p->text, ",\"unit\":");
	put_string(p, &p->text, l->unit);
	SAY(p, &p->text, ",\"bits\":%u,\"full\":%d,\"low\":", l->bits,
	    (int)cells_full(l->bits));
	put_number(p, &p->text, l->low);
	SAY(p, &p->text, ",\"high\":");
	put_number(p, &p->text, l->high);
	SAY(p, &p->text, ",\"colours\":\"");
	for (unsigned int i = 0; i < COLOURS_STEPS; i++)
		SAY(p, &p->text, "%02x%02x%02x", rgb[i][0], rgb[i][1],
		    rgb[i][2]);
	SAY(p, &p->text, "\"}");
}

static void put_array(struct view_page *p, const char *name,
		      const struct bytes *items)
{
	SAY(p, &p->text, "],\n\"%s\":[\n", name);
	if (items->len)
		keep_error(p, bytes_append(&p->text, items->data, items->len));
}

static void put_rest(struct view_page *p)
{
	p->text.len = 0;
	SAY(p, &p->text, "],\n\"title\":");
	put_string(p, &p->text, p->title);
	SAY(p, &p->text, ",\n\"tile\":%d,\n\"layers\":[\n", VIEW_TILE);
	for (unsigned int i = 0; i < p->layers; i++) {
		SAY(p, &p->text, i ? ",\n" : "");
		view_page_put_layer(p, &p->layer[i]);
	}
	put_array(p, "maps", &p->maps);
	put_array(p, "rooms", &p->rooms);
	put_array(p, "ways", &p->ways);
	put_array(p, "repeaters", &p->repeaters);
	put_array(p, "times", &p->times);
	SAY(p, &p->text, "]}\n");
}

static void page_free(struct view_page *p)
{
	struct bytes *const all[] = {
		&p->raw, &p->packed, &p->text, &p->item, &p->maps, &p->times,
		&p->rooms, &p->ways, &p->repeaters,
	};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		bytes_free(all[i]);
	for (unsigned int i = 0; p->last && i < p->layers; i++) {
		free(p->last[i].raster.cells);
		free(p->last[i].id);
	}
	free(p->last);
	free(p->scratch.cells);
	free(p);
}

static const char *find_mark(const char *mark)
{
	return memmem(view_html, view_map_js - view_html, mark, strlen(mark));
}

static void write_between(struct view_page *p, const char *from,
			  const char *to)
{
	atomic_file_write(&p->file, from, to - from);
}

int view_page_open(struct view_page **page, const char *path,
		   const struct layer *layer, unsigned int layers,
		   const char *title, struct error *error)
{
	struct view_page *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (p)
		p->last = calloc(layers + 1, sizeof(*p->last));
	if (!p || !p->last) {
		atomic_file_error(error, path, err, NULL);
		goto out;
	}
	p->layer = layer;
	p->layers = layers;
	utf8_clean(title, strlen(title), p->title, sizeof(p->title));
	err = atomic_file_open(&p->file, path, error);
	if (err)
		goto out;
	write_between(p, view_html, find_mark(DATA));
	atomic_file_write(&p->file, "{\"packs\":[\n", 11);
	*page = p;
	return 0;
out:
	if (p)
		page_free(p);
	return err;
}

int view_page_finish(struct view_page *p, struct error *error)
{
	const char *rest = find_mark(DATA) + strlen(DATA);
	const char *script = find_mark(SCRIPT);
	int err;

	put_rest(p);
	if (p->err) {
		err = atomic_file_error(error, p->file.path, p->err, NULL);
		view_page_abandon(p);
		return err;
	}
	atomic_file_write(&p->file, p->text.data, p->text.len);
	write_between(p, rest, script);
	write_between(p, view_map_js, view_end);
	write_between(p, script + strlen(SCRIPT), view_map_js);
	err = atomic_file_finish(&p->file, error);
	page_free(p);
	return err;
}

void view_page_abandon(struct view_page *p)
{
	if (!p)
		return;
	atomic_file_abandon(&p->file);
	page_free(p);
}
