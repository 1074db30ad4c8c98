// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_geopackage - the file that GIS programs open: what the standard asks
 * for, read with SQLite, libpng and by hand; and by GDAL if that is there
 */
#include <errno.h>
#include <png.h>
#include <sqlite3.h>
#include "base/error.h"
#include "map/io/geopackage.h"
#include "raster_fixture.h"

static char file[160];
static struct error error;
static sqlite3 *db;

/* The first value of a query, as a number; NAN: there is none */
__attribute__((format(printf, 1, 2)))
static double number(const char *format, ...)
{
	sqlite3_stmt *s = NULL;
	double v = NAN;
	char sql[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sql, sizeof(sql), format, ap);
	va_end(ap);
	if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL) &&
	    sqlite3_step(s) == SQLITE_ROW &&
	    sqlite3_column_type(s, 0) != SQLITE_NULL)
		v = sqlite3_column_double(s, 0);
	sqlite3_finalize(s);
	return v;
}

/* And as text, good until the next one */
__attribute__((format(printf, 1, 2)))
static const char *text(const char *format, ...)
{
	static char value[1024];
	sqlite3_stmt *s = NULL;
	char sql[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sql, sizeof(sql), format, ap);
	va_end(ap);
	*value = '\0';
	if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL) &&
	    sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
		snprintf(value, sizeof(value), "%s",
			 (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return value;
}

static struct layer layer(const char *name, const char *unit, double low,
			  double high, enum rule_id rule)
{
	struct layer l = { .low = low, .high = high, .rule = rule };

	snprintf(l.name, sizeof(l.name), "%s", name);
	snprintf(l.unit, sizeof(l.unit), "%s", unit);
	return l;
}

/* What this site is made of */
static struct layer layers[3];
static struct raster rasters[3];
static struct room rooms[4];
static struct geopackage_point points[2];
static struct geopackage_layer drawn[3];
static struct geopackage site;

static void make_site(void)
{
	uint64_t rng = 42;

	layers[0] = layer("slam_map", "", 0, 100, RULE_MAX);
	layers[1] = layer("temp_map_fused", "\xc2\xb0" "C", -20, 180,
			  RULE_MEAN);
	layers[2] = layer("nothing", "ppm", 0, 1, RULE_MEAN);
	rasters[0] = new_raster(-701, 33, 901, 530, 8, 0.05);
	rasters[1] = new_raster(-7, -9, 260, 260, 16, 0.1);
	rasters[2] = new_raster(0, 0, 0, 0, 8, 0.1);
	draw_any(&rasters[0], &rng);
	draw_spot(&rasters[1]);
	/* an unknown corner: its tiles do not exist */
	for (int y = 0; y < 300; y++)
		for (int x = 0; x < 600; x++)
			rasters[0].cells[y * 901 + x] = -1;
	for (int i = 0; i < 3; i++)
		drawn[i] = (struct geopackage_layer){
			&layers[i], &rasters[i], i ? COLOURS_HEAT :
			COLOURS_GREY,
		};
	rooms[0] = (struct room){
		.id = 3, .name = "K\xc3\xbc" "che", .x = -1, .y = 5,
		.size = 16, .value = {
			[MODALITY_TEMPERATURE] = NAN, [MODALITY_SMOKE] = NAN,
			[MODALITY_SIGNAL] = 30,
		}, .stamp = 1700000000123456789, .gases = 2,
		.gas = { 1.5, NAN },
	};
	rooms[1] = (struct room){
		.id = 200, .name = "bad \xff", .corners = 3,
		.corner = { { 0, 0 }, { 0, 2 }, { 4, 0 } },
		.value = {
			[MODALITY_TEMPERATURE] = 21.5, [MODALITY_SMOKE] = 7,
		},
	};
	rooms[2] = (struct room){ .id = 4, .x = NAN, .y = 1, .size = 4 };
	rooms[3] = (struct room){ .id = 5, .gases = 9999 };
	points[0] = (struct geopackage_point){ 1, "repeater", "r1",
					       1700000000123456789, 1, -2 };
	points[1] = (struct geopackage_point){ 2, "repeater", "r2", 0,
					       INFINITY, 0 };
	site = (struct geopackage){ drawn, 3, rooms, 4, points, 2 };
}

static void test_head(void)
{
	uint8_t head[100];
	FILE *f = fopen(file, "rb");

	ok(f, "it says GPKG, 1.3.0");
	ok_eq(fread(head, 1, 100, f), 100, "... fread");
	ok_mem(head + 68, "GPKG", 4, "... head");
	ok_mem(head + 60, "\0\0\x28\x3c", 4, "... head");
	if (f)
		fclose(f);
	ok_str(text("PRAGMA integrity_check"), "ok", "it is sound");
	ok(isnan(number("PRAGMA foreign_key_check")), "... number is unknown");
	ok_near(number("SELECT count(*) FROM gpkg_spatial_ref_sys WHERE"
		       " srs_id IN (-1, 0, 4326)"),
		3, 0, "reference systems");
	ok_str(text("SELECT organization FROM gpkg_spatial_ref_sys"
		    " WHERE srs_id = -1"),
	       "NONE", "... text");
	ok_str(text("SELECT definition FROM gpkg_spatial_ref_sys"
		    " WHERE srs_id = 0"),
	       "undefined", "... text");
	ok_eq(strncmp(text("SELECT definition FROM gpkg_spatial_ref_sys"
			   " WHERE srs_id = 4326"),
		      "GEOGCS[\"WGS 84\"", 15),
	      0, "... strncmp");
	ok_near(number("SELECT count(*) FROM gpkg_contents"), 6, 0, "contents");
	ok_near(number("SELECT count(*) FROM gpkg_contents WHERE srs_id = -1 AND"
		       " last_change LIKE '____-__-__T__:__:__.%%Z'"),
		6, 0, "... number");
	ok_near(number("SELECT count(*) FROM gpkg_contents WHERE data_type ="
		       " 'tiles'"),
		2, 0, "... number");
	ok_near(number("SELECT count(*) FROM gpkg_contents WHERE data_type ="
		       " '2d-gridded-coverage'"),
		2, 0, "... number");
	ok_near(number("SELECT count(*) FROM gpkg_contents WHERE data_type ="
		       " 'features'"),
		2, 0, "... number");
	ok_near(number("SELECT count(*) FROM gpkg_extensions WHERE extension_name"
		       " = 'gpkg_2d_gridded_coverage' AND scope = 'read-write'"),
		4, 0, "extensions");
	ok_near(number("SELECT count(*) FROM gpkg_extensions WHERE table_name"
		       " = 'values_slam_map' AND column_name = 'tile_data'"),
		1, 0, "... number");
}

static void test_matrix(const char *table, const struct raster *r)
{
	const double res = r->resolution;
	const int zoom = number("SELECT max(zoom_level) FROM gpkg_tile_matrix"
				" WHERE table_name = '%s'", table);

	ok(number("SELECT count(*) FROM gpkg_tile_matrix m JOIN"
		  " gpkg_tile_matrix_set s USING (table_name) WHERE"
		  " table_name = '%s' AND tile_width = 256 AND tile_height ="
		  " 256 AND matrix_width = 1 << zoom_level AND matrix_height ="
		  " 1 << zoom_level AND abs(pixel_x_size * 256 * matrix_width"
		  " - (max_x - min_x)) < 1e-9 AND abs(pixel_y_size * 256 *"
		  " matrix_height - (max_y - min_y)) < 1e-9", table) ==
	   zoom + 1, "%s: %d zoom levels fill the bounds", table, zoom + 1);
	ok(number("SELECT pixel_x_size FROM gpkg_tile_matrix WHERE table_name"
		  " = '%s' AND zoom_level = %d", table, zoom) == res,
	   "... the nearest has the map's cells");
	ok(number("SELECT s.min_x <= c.min_x AND s.min_y <= c.min_y AND"
		  " s.max_x >= c.max_x AND s.max_y >= c.max_y FROM"
		  " gpkg_tile_matrix_set s JOIN gpkg_contents c USING"
		  " (table_name) WHERE table_name = '%s'", table) == 1,
	   "... which hold the map");
	ok_range(
		fabs(number("SELECT min_x FROM gpkg_contents WHERE table_name ="
			    " '%s'",
			    table) -
		     r->rect.x * res),
		-INFINITY, 1e-9, "... that is where it is");
	ok_range(
		fabs(number("SELECT max_y FROM gpkg_contents WHERE table_name ="
			    " '%s'",
			    table) -
		     (r->rect.y + (int)r->rect.height) * res),
		-INFINITY, 1e-9, "... how far off");
	ok_near(number("SELECT count(*) FROM \"%s\" WHERE zoom_level = 0",
		       table),
		1, 0, "... with tiles only there");
	ok_near(number("SELECT count(*) FROM \"%s\" WHERE tile_column >= 1 <<"
		       " zoom_level OR tile_row >= 1 << zoom_level OR"
		       " tile_row < 0 OR tile_column < 0",
		       table),
		0, 0, "... number");
}

struct reader {
	const uint8_t	*at;
	size_t		left;
};

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
	struct reader *r = png_get_io_ptr(png);

	if (n > r->left)
		abort();
	memcpy(to, r->at, n);
	r->at += n;
	r->left -= n;
}

/* Tiles of one zoom level put together; -2: no tile, -1: unknown */
static int *assemble(const char *table, int zoom, bool values)
{
	const int side = 256 << zoom;
	int *cells = malloc((size_t)side * side * sizeof(int));
	sqlite3_stmt *s = NULL;
	char sql[256];

	for (long i = 0; i < (long)side * side; i++)
		cells[i] = -2;
	snprintf(sql, sizeof(sql), "SELECT tile_column, tile_row, tile_data"
		 " FROM \"%s\" WHERE zoom_level = %d", table, zoom);
	sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	while (sqlite3_step(s) == SQLITE_ROW) {
		const int x0 = 256 * sqlite3_column_int(s, 0);
		const int y0 = 256 * sqlite3_column_int(s, 1);
		struct reader r = { sqlite3_column_blob(s, 2),
				    sqlite3_column_bytes(s, 2) };
		png_structp png = png_create_read_struct(
				PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
		png_infop info = png_create_info_struct(png);
		png_bytepp rows;

		png_set_read_fn(png, &r, read_bytes);
		png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
		rows = png_get_rows(png, info);
		if (png_get_bit_depth(png, info) != (values ? 16 : 8))
			abort();
		for (int y = 0; y < 256; y++)
			for (int x = 0; x < 256; x++) {
				const uint8_t *p = rows[y] + x * (values + 1);
				int v = values ? p[0] << 8 | p[1] : *p - 1;

				cells[(y0 + y) * side + x0 + x] =
					v == 65535 ? -1 : v;
			}
		png_destroy_read_struct(&png, &info, NULL);
	}
	sqlite3_finalize(s);
	return cells;
}

/* Cells of the map that are not what the tiles say */
static unsigned int compare(const char *table, const struct raster *r,
			    bool values)
{
	const double res = r->resolution;
	const int zoom = number("SELECT max(zoom_level) FROM gpkg_tile_matrix"
				" WHERE table_name = '%s'", table);
	const long left = lround(number("SELECT min_x FROM"
		" gpkg_tile_matrix_set WHERE table_name = '%s'", table) / res);
	const long top = lround(number("SELECT max_y FROM"
		" gpkg_tile_matrix_set WHERE table_name = '%s'", table) / res);
	const int side = 256 << zoom, full = cells_full(r->bits);
	int *cells = assemble(table, zoom, values);
	unsigned int wrong = 0;

	for (long y = 0; y < side; y++)
		for (long x = 0; x < side; x++) {
			const long cx = left + x - r->rect.x;
			const long cy = top - 1 - y - r->rect.y;
			const int is = cells[y * side + x];
			int want = -1;

			if (cx >= 0 && cx < r->rect.width && cy >= 0 &&
			    cy < r->rect.height)
				want = r->cells[cy * r->rect.width + cx];
			if (!values && want >= 0)
				want = (want * 254 + full / 2) / full;
			wrong += is != want && !(want == -1 && is == -2);
		}
	free(cells);
	return wrong;
}

/* Each level is made of the one below it */
static unsigned int compare_zooms(const char *table, enum rule_id rule)
{
	const int zoom = number("SELECT max(zoom_level) FROM gpkg_tile_matrix"
				" WHERE table_name = '%s'", table);
	unsigned int wrong = 0;

	for (int z = zoom; z > 0; z--) {
		const int side = 128 << z;
		int *near = assemble(table, z, true);
		int *far = assemble(table, z - 1, true);

		for (int i = 0; i < side * side; i++) {
			const int *p = near + i / side * 4 * side +
				       i % side * 2;
			const int four[] = { p[0], p[1], p[2 * side],
					     p[2 * side + 1] };
			int sum = 0, n = 0, want = -1;

			for (int k = 0; k < 4; k++) {
				n += four[k] >= 0;
				sum += four[k] >= 0 ? four[k] : 0;
				want = four[k] > want ? four[k] : want;
			}
			if (rule == RULE_MEAN && n)
				want = (2 * sum + n) / (2 * n);
			wrong += want != (far[i] < 0 ? -1 : far[i]);
		}
		free(near);
		free(far);
	}
	return wrong;
}

static void test_coverage(const char *table, const struct layer *l,
			  const struct raster *r)
{
	const int full = cells_full(r->bits);
	const int zoom = number("SELECT max(zoom_level) FROM \"%s\"", table);
	double low = INFINITY, high = -INFINITY, scale, offset;

	scale = number("SELECT scale FROM gpkg_2d_gridded_coverage_ancillary"
		       " WHERE tile_matrix_set_name = '%s'", table);
	offset = number("SELECT offset FROM gpkg_2d_gridded_coverage_ancillary"
			" WHERE tile_matrix_set_name = '%s'", table);
	ok_range(fabs(offset - l->low), -INFINITY, 1e-12,
		 "%s: scale, offset and unit", table);
	ok_range(fabs(offset + full * scale - l->high), -INFINITY, 1e-9,
		 "... how far off");
	ok_near(number("SELECT datatype = 'integer' AND data_null = 65535 AND"
		       " grid_cell_encoding = 'grid-value-is-area' AND"
		       " coalesce(uom, '') = '%s' FROM"
		       " gpkg_2d_gridded_coverage_ancillary WHERE"
		       " tile_matrix_set_name = '%s'",
		       l->unit, table),
		1, 0, "... number");
	ok_near(number("SELECT count(*) FROM \"%s\" LEFT JOIN"
		       " gpkg_2d_gridded_tile_ancillary a ON a.tpudt_id = \"%s\".id"
		       " AND tpudt_name = '%s' WHERE a.scale IS NOT 1.0 OR a.offset"
		       " IS NOT 0.0 OR NOT a.min <= a.mean OR NOT a.mean <= a.max OR"
		       " a.std_dev IS NULL",
		       table, table, table),
		0, 0, "... each tile has its row");
	ok_near(number("SELECT count(*) FROM gpkg_2d_gridded_tile_ancillary WHERE"
		       " tpudt_name = '%s'",
		       table),
		number("SELECT count(*) FROM \"%s\"", table), 0, "... number");
	for (size_t i = 0; i < (size_t)r->rect.width * r->rect.height; i++)
		if (r->cells[i] >= 0) {
			low = fmin(low, r->cells[i] * scale + offset);
			high = fmax(high, r->cells[i] * scale + offset);
		}
	ok_range(
		fabs(number("SELECT min(min) FROM gpkg_2d_gridded_tile_ancillary"
			    " WHERE tpudt_id IN (SELECT id FROM \"%s\" WHERE"
			    " zoom_level = %d)",
			    table, zoom) -
		     low),
		-INFINITY, 1e-9, "... lowest and highest, by the id alone");
	ok_range(
		fabs(number("SELECT max(max) FROM gpkg_2d_gridded_tile_ancillary"
			    " WHERE tpudt_id IN (SELECT id FROM \"%s\" WHERE"
			    " zoom_level = %d)",
			    table, zoom) -
		     high),
		-INFINITY, 1e-9, "... how far off");
}

static void test_layer(int i)
{
	char map[96], values[96];

	snprintf(map, sizeof(map), "map_%s", layers[i].name);
	snprintf(values, sizeof(values), "values_%s", layers[i].name);
	test_matrix(map, &rasters[i]);
	test_matrix(values, &rasters[i]);
	test_coverage(values, &layers[i], &rasters[i]);
	ok(!compare(values, &rasters[i], true), "%s: each value", values);
	ok(!compare(map, &rasters[i], false), "%s: each colour", map);
	ok(!compare_zooms(values, layers[i].rule), "%s: from far", values);
	ok(number("SELECT count(*) FROM \"%s\"", map) ==
	   number("SELECT count(*) FROM \"%s\"", values),
	   "as many tiles of both");
}

/* A geometry of a feature. Return: bytes, at most @size; 0: NULL */
static int geometry(const char *table, int id, uint8_t *to, int size)
{
	sqlite3_stmt *s = NULL;
	char sql[128];
	int n = 0;

	snprintf(sql, sizeof(sql), "SELECT geom FROM %s WHERE id = %d", table,
		 id);
	sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (sqlite3_step(s) == SQLITE_ROW &&
	    sqlite3_column_bytes(s, 0) <= size) {
		n = sqlite3_column_bytes(s, 0);
		if (n)
			memcpy(to, sqlite3_column_blob(s, 0), n);
	}
	sqlite3_finalize(s);
	return n;
}

/* Little endian, as all of this is on any machine that runs the tests */
static bool doubles_are(const uint8_t *p, int n, const double *want)
{
	bool same = true;

	for (int i = 0; i < n; i++) {
		uint64_t u = 0;
		double v;

		for (int k = 7; k >= 0; k--)
			u = u << 8 | p[8 * i + k];
		memcpy(&v, &u, 8);
		same &= v == want[i];
	}
	return same;
}

static void test_features(void)
{
	static const uint8_t polygon[] = { 'G', 'P', 0, 3, 255, 255, 255, 255 };
	static const uint8_t ring4[] = { 1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0,
					 0 };
	static const uint8_t point[] = { 'G', 'P', 0, 1, 255, 255, 255, 255,
					 1, 1, 0, 0, 0 };
	const double triangle[] = { 0, 4, 0, 2 };
	/* the other way round than it was given */
	const double corners[] = { 0, 0, 4, 0, 0, 2, 0, 0 };
	const double square[] = { -3, 1, 3, 7 }, at[] = { 1, -2 };
	uint8_t g[512];

	ok_eq(geometry("rooms", 200, g, 512), 8 + 32 + 13 + 64,
	      "a polygon: header, envelope, counterclockwise, closed");
	ok_mem(g, polygon, 8, "... g");
	ok(doubles_are(g + 8, 4, triangle), "... doubles are");
	ok_mem(g + 40, ring4, 13, "... g");
	ok(doubles_are(g + 53, 8, corners), "... doubles are");
	ok_eq(geometry("rooms", 3, g, 512), 8 + 32 + 13 + 80,
	      "a square without an outline");
	ok(doubles_are(g + 8, 4, square), "... doubles are");
	ok_eq(geometry("rooms", 4, g, 512), 0,
	      "no geometry without a position or a size");
	ok_eq(geometry("rooms", 5, g, 512), 0, "... geometry");
	ok_eq(geometry("points", 1, g, 512), 29, "a point");
	ok_mem(g, point, 13, "... g");
	ok(doubles_are(g + 13, 2, at), "... doubles are");
	ok_eq(geometry("points", 2, g, 512), 0, "one without a place");
	ok_near(number("SELECT count(*) FROM points"), 2, 0, "... number");
	ok_near(number("SELECT count(*) FROM gpkg_geometry_columns WHERE"
		       " column_name = 'geom' AND srs_id = -1 AND z = 0 AND m = 0"),
		2, 0, "geometry columns");
	ok_str(text("SELECT geometry_type_name FROM"
		    " gpkg_geometry_columns WHERE table_name ="
		    " 'rooms'"),
	       "POLYGON", "... text");
	ok(number("SELECT min_x = -3 AND max_x = 4 AND min_y = 0 AND max_y ="
		  " 7 FROM gpkg_contents WHERE table_name = 'rooms'") == 1,
	   "bounds of the rooms");
}

static void test_attributes(void)
{
	ok_str(text("SELECT name FROM rooms WHERE id = 3"),
	       "K\xc3\xbc"
	       "che",
	       "names are UTF-8");
	ok_str(text("SELECT name FROM rooms WHERE id = 200"), "bad ?",
	       "... text");
	ok_str(text("SELECT stamp FROM rooms WHERE id = 3"),
	       "2023-11-14T22:13:20.123Z", "times");
	ok(isnan(number("SELECT stamp FROM rooms WHERE id = 200")),
	   "... number is unknown");
	ok(isnan(number("SELECT temperature FROM rooms WHERE id = 3")),
	   "what is unknown is NULL");
	ok_near(number("SELECT temperature FROM rooms WHERE id = 200"), 21.5, 0,
		"... number");
	ok(isnan(number("SELECT smoke FROM rooms WHERE id = 3")),
	   "... number is unknown");
	ok_near(number("SELECT smoke FROM rooms WHERE id = 200"), 7, 0,
		"... number");
	ok_near(number("SELECT signal FROM rooms WHERE id = 3"), 30, 0,
		"... number");
	ok_near(number("SELECT size FROM rooms WHERE id = 3"), 16, 0,
		"... number");
	ok_near(number("SELECT gas_1 FROM rooms WHERE id = 3"), 1.5, 0,
		"gases, as many as there are");
	ok(isnan(number("SELECT gas_2 FROM rooms WHERE id = 3")),
	   "... number is unknown");
	ok_near(number("SELECT gas_16 FROM rooms WHERE id = 5"), 0, 0,
		"... number");
	ok(isnan(number("SELECT gas_1 FROM rooms WHERE id = 200")),
	   "... number is unknown");
	ok_str(text("SELECT kind FROM points WHERE id = 1"), "repeater",
	       "a point's name");
	ok_str(text("SELECT name FROM points WHERE id = 1"), "r1", "... text");
}

/* What GDAL makes of it: a word in what its programs say */
static void test_gdal(const char *command, const char *word)
{
	char line[512], program[32];
	bool found = false, installed;
	FILE *f;

	sscanf(command, "%31s", program);
	snprintf(line, sizeof(line), "command -v %s >/dev/null", program);
	installed = !system(line);
	if (!installed) {
		ok(true, "%s # SKIP not installed", command);
		return;
	}
	snprintf(line, sizeof(line), command, file);
	strcat(line, " 2>&1");
	f = popen(line, "r");
	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, word);
	ok(f, "%s: %s", command, word);
	ok_eq(pclose(f), 0, "... pclose");
	ok(found, "... found");
}

static void test_all_gdal(void)
{
	test_gdal("gdalinfo GPKG:%s:map_slam_map", "Size is 901, 530");
	test_gdal("gdalinfo GPKG:%s:values_slam_map",
		  "Pixel Size = (0.05000000000000");
	test_gdal("gdalinfo -stats GPKG:%s:values_temp_map_fused",
		  "Type=Float32");
	test_gdal("gdalinfo -stats GPKG:%s:values_temp_map_fused",
		  "Overviews: 130x130");
	test_gdal("gdalinfo GPKG:%s:values_temp_map_fused",
		  "Unit Type: \xc2\xb0" "C");
	test_gdal("ogrinfo -al %s", "POLYGON ((0 0,4 0,0 2,0 0))");
	test_gdal("ogrinfo -al %s", "POINT (1 -2)");
}

static void test_empty(void)
{
	const struct geopackage empty = { 0 };

	ok(!geopackage_write(file, &empty, &error), "a site without anything");
	sqlite3_open(file, &db);
	ok_near(number("SELECT count(*) FROM rooms"), 0, 0,
		"... has tables without rows");
	ok_near(number("SELECT count(*) FROM gpkg_contents WHERE min_x IS NULL"),
		2, 0, "... number");
	sqlite3_close(db);
}

/* Sizes and places at which tiles begin and end */
static void test_edges(void)
{
	static const struct rect edges[] = {
		{ 0, 0, 1, 1 }, { -1, -1, 1, 1 }, { 0, 0, 256, 256 },
		{ 1, 0, 256, 256 }, { -256, -512, 257, 513 },
		{ 1000001, -1000001, 3, 700 }, { -5, 3, 1, 1025 },
	};

	for (unsigned int i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		const struct rect *e = &edges[i];
		struct raster r = new_raster(e->x, e->y, e->width, e->height,
					     8, 1);
		const struct geopackage_layer l = { &layers[0], &r, 0 };
		const struct geopackage g = { .layer = &l, .layers = 1 };
		uint64_t rng = i;

		draw_any(&r, &rng);
		r.cells[0] = 1;
		unlink(file);
		ok(!geopackage_write(file, &g, &error), "%u x %u cells at %d",
		   e->width, e->height, e->x);
		sqlite3_open(file, &db);
		ok_eq(compare("values_slam_map", &r, true), 0,
		      "... each of them");
		ok_eq(compare("map_slam_map", &r, false), 0, "... compare");
		ok_eq(compare_zooms("values_slam_map", RULE_MAX), 0,
		      "... compare zooms");
		sqlite3_close(db);
		free(r.cells);
	}
}

static void test_refused(void)
{
	struct geopackage_layer two[2] = { drawn[0], drawn[1] };
	struct geopackage g = { .layer = two, .layers = 2 };
	struct raster far = rasters[0];
	struct layer same = layers[0];
	char path[180];
	FILE *f;

	strcpy(path, in_folder("no/site.gpkg"));
	ok_eq(geopackage_write(path, &site, &error), -ENOENT,
	      "a missing folder: %s", error.text);
	ok(strstr(error.text, "site.gpkg: No such file"), "... error says it");
	ok(one_line(error.text), "... one line");
	strcpy(same.name, "SLAM_map");
	two[1].layer = &same;
	ok_eq(geopackage_write(file, &g, &error), -EEXIST,
	      "two layers of one name: %s", error.text);
	ok(one_line(error.text), "... one line");
	far.rect.x = INT_MAX - 10;
	two[0].raster = &far;
	g.layers = 1;
	ok_eq(geopackage_write(file, &g, &error), -EINVAL,
	      "a layer beyond the end of the world: %s", error.text);
	ok(one_line(error.text), "... one line");
	far.rect = (struct rect){ -(1 << 29), 0, (1U << 30) + 1, 1 };
	ok_eq(geopackage_write(file, &g, &error), -EINVAL,
	      "one that is wider than all tiles together");
	snprintf(path, sizeof(path), "%s-wal", file);
	f = fopen(path, "w");
	fputs("log", f);
	fclose(f);
	ok_eq(geopackage_write(file, &site, &error), -EBUSY,
	      "another program has it open: %s", error.text);
	ok(one_line(error.text), "... one line");
	unlink(path);
}

static void test_full(void)
{
	char disk[160];
	int err;

	mkdir(in_folder("small"), 0755);
	limit_files(200000);
	err = geopackage_write(in_folder("small/site.gpkg"), &site, &error);
	limit_files(RLIM_INFINITY);
	ok_range(err, -INFINITY, -1, "a file that may not grow: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_eq(files_in(in_folder("small")), 0, "... files in");
	strcpy(disk, in_folder("disk"));
	if (!small_disk(disk)) {
		ok(true, "a full disk # SKIP not allowed to mount");
		return;
	}
	err = geopackage_write(in_folder("disk/site.gpkg"), &site, &error);
	ok_eq(err, -ENOSPC, "a full disk: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_eq(files_in(disk), 0, "... files in");
	umount(disk);
}

int main(void)
{
	make_folder();
	make_site();
	strcpy(file, in_folder("site.gpkg"));
	ok(!geopackage_write(file, &site, &error), "written %s", error.text);
	ok(files_in(folder) == 1, "one file, nothing beside it");
	sqlite3_open(file, &db);
	test_head();
	test_layer(0);
	test_layer(1);
	test_features();
	test_attributes();
	sqlite3_close(db);
	test_all_gdal();
	test_empty();
	test_edges();
	test_refused();
	test_full();
	for (int i = 0; i < 3; i++)
		free(rasters[i].cells);
	remove_folder();
	return tap_done();
}
