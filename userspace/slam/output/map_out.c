// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_out - the map of a run as files
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/atomic_file.h"
#include "base/bytes.h"
#include "base/error.h"
#include "map/io/map_figure.h"
#include "slam/output/map_out.h"

enum { MARK = 6 };	/* poses covered by the start marker */

static const double mark_share = 0.006;	/* of the map's longer side */

/*
 * The figure marks only the end of the path. So the path first draws a square
 * around its start
 */
static struct pose *marked_way(const struct map_out *m)
{
	const struct rect *r = &m->raster->rect;
	const double side = r->width > r->height ? r->width : r->height;
	const double half = side * m->raster->resolution * mark_share;
	static const int corner[MARK][2] = {
		{ -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 }, { -1, -1 },
		{ 0, 0 },
	};
	struct pose *way = malloc(((size_t)m->poses + MARK) * sizeof(*way));

	if (!way)
		return NULL;
	for (int i = 0; i < MARK; i++) {
		way[i] = m->way[0];
		way[i].x += half * corner[i][0];
		way[i].y += half * corner[i][1];
	}
	memcpy(way + MARK, m->way, m->poses * sizeof(*way));
	return way;
}

static int map_out_encode(const struct map_out *m, struct bytes *png,
			  struct error *error)
{
	const bool has_way = m->way && m->poses;
	struct pose *way = has_way ? marked_way(m) : NULL;
	struct map_figure f = { .title = m->title, .colours = COLOURS_GREY };
	struct layer l;
	int err;

	if (has_way && !way)
		return atomic_file_error(error, m->path, -ENOMEM, NULL);
	layer_default(&l, "map");
	if (way) {
		f.way = way;
		f.poses = m->poses + MARK;
	}
	err = map_figure_encode(m->raster, &l, &f, png, error);
	free(way);
	return err;
}

/* Beside the .pgm */
static int png_path(const char *path, char png[PATH_MAX], struct error *error)
{
	const size_t len = strlen(path);

	if (len < 4 || strcmp(path + len - 4, ".pgm"))
		return atomic_file_error(error, path, -EINVAL,
					 "map file name must end in .pgm");
	if (len >= PATH_MAX)
		return atomic_file_error(error, path, -ENAMETOOLONG, NULL);
	snprintf(png, PATH_MAX, "%.*s.png", (int)len - 4, path);
	return 0;
}

/* The figure is on disk before the map is renamed, and is renamed after it */
static int write_files(const struct map_out *m, const char *path,
		       const struct bytes *png, struct error *error)
{
	struct atomic_file n;
	struct stat st;
	int err;

	/* detect what would fail only after the map is renamed */
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return atomic_file_error(error, path, -EISDIR, NULL);
	err = atomic_file_open(&n, path, error);
	if (err)
		return err;
	atomic_file_write(&n, png->data, png->len);
	err = atomic_file_sync(&n, error);
	if (err)
		return err;
	err = map_file_write(m->path, m->raster, m->mode, error);
	if (err) {
		atomic_file_abandon(&n);
		return err;
	}
	return atomic_file_finish(&n, error);
}

int map_out_write(const struct map_out *given, struct error *error)
{
	struct map_out m = *given;
	struct bytes png = { 0 };
	const char *slash = strrchr(m.path, '/');
	char path[PATH_MAX];
	int err = png_path(m.path, path, error);

	if (err)
		return err;
	if (rect_is_empty(&m.raster->rect))
		return atomic_file_error(error, m.path, -EINVAL,
					 "map has no cells");
	if (!m.title)
		m.title = slash ? slash + 1 : m.path;
	err = map_out_encode(&m, &png, error);
	if (!err)
		err = write_files(&m, path, &png, error);
	bytes_free(&png);
	return err;
}
