/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raster_fixture.h - generated maps for tests of exports, and disks that are
 * full
 */
#ifndef RASTER_FIXTURE_H
#define RASTER_FIXTURE_H

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "map/fusion/cells.h"
#include "map/fusion/raster.h"
#include "folder.h"
#include "tap.h"

static inline struct raster new_raster(int x, int y, unsigned int w,
				       unsigned int h, unsigned int bits,
				       double resolution)
{
	const size_t n = (size_t)w * h;
	struct raster r = { { x, y, w, h }, bits, resolution,
			    malloc(n * sizeof(int16_t)) };

	for (size_t i = 0; i < n; i++)
		r.cells[i] = -1;
	return r;
}

/* One cell in three is unknown, the others have any value */
static inline void draw_any(struct raster *r, uint64_t *rng)
{
	const size_t n = (size_t)r->rect.width * r->rect.height;

	for (size_t i = 0; i < n; i++)
		r->cells[i] = rnd(rng, 3) ?
			      (int)rnd(rng, cells_full(r->bits) + 1) : -1;
}

/* Known within a circle, most in one spot */
static inline void draw_spot(struct raster *r)
{
	const double w = r->rect.width, h = r->rect.height;

	for (unsigned int y = 0; y < r->rect.height; y++)
		for (unsigned int x = 0; x < r->rect.width; x++) {
			const double d = hypot(x - w / 3, y - h / 3);
			const bool known = hypot(x - w / 2, y - h / 2) <
					   fmax(w, h) / 2;

			r->cells[(size_t)y * r->rect.width + x] = known ?
				(int)(cells_full(r->bits) * exp(-4 * d / w)) :
				-1;
		}
}

/* Files in a folder */
static inline int files_in(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return n;
}

/* As if the disk were full behind @bytes of a file; RLIM_INFINITY: not */
static inline void limit_files(rlim_t bytes)
{
	struct rlimit l;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &l);
	l.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &l);
}

/*
 * A disk of 64 KiB at @path, in a mount namespace of its own, until the process
 * ends. Return: whether that is allowed.
 */
static inline bool small_disk(const char *path)
{
	if (mkdir(path, 0755) || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	return !mount("none", path, "tmpfs", 0, "size=64k");
}

/* A line for people: there is one, and no more than that */
static inline bool one_line(const char *s)
{
	return *s && !strchr(s, '\n');
}

#endif
