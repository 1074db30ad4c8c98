// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_submaps - import submaps of one layer from files
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "map/fusion/resampled.h"
#include "map/io/import_submaps.h"
#include "map/io/poses_file.h"

struct import {
	const struct import_submaps	*im;
	struct pose			origin;
	const int8_t			*data;
	size_t				len;
	struct poses_file		poses;
	struct layer			layer;
};

static int map_cells(struct import *job, const char *path,
		     struct error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;
	int err;

	if (fd < 0 || fstat(fd, &st)) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return error_set(error, err, "%s: %s", path, strerror(-err));
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return error_set(error, -EINVAL, "%s: no cells in it", path);
	}
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	err = -errno;
	close(fd);
	if (data == MAP_FAILED)
		return error_set(error, err, "%s: %s", path, strerror(-err));
	job->data = data;
	job->len = st.st_size;
	return 0;
}

static int check_sizes(const struct import *job, struct error *error)
{
	const struct import_submaps *im = job->im;
	const size_t each = (size_t)im->width * im->height;
	struct error why;
	int err;

	err = cells_check(im->width, im->height, 8, im->resolution,
			  &job->origin, &why);
	if (err)
		return error_set(error, err, "%s", why.text);
	if (job->len % each || job->len / each != job->poses.count)
		return error_set(error, -EINVAL, "%s: %zu bytes do not match "
				 "%u submaps of %ux%u cells, one per pose of "
				 "%s", im->cells, job->len,
				 job->poses.count, im->width, im->height,
				 im->poses);
	for (unsigned int i = 0; i < job->poses.count; i++)
		if (job->poses.line[i].index >= job->poses.count)
			return error_set(error, -EINVAL,
				"%s: index %u out of range: only %u submaps",
				im->poses, job->poses.line[i].index,
				job->poses.count);
	return 0;
}

int import_open(struct import **opened, const struct import_submaps *im,
		struct error *error)
{
	struct import *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return error_set(error, -ENOMEM, "out of memory");
	job->im = im;
	job->origin = im->placed ? im->origin :
		      (struct pose){ -0.5 * im->width * im->resolution,
				     -0.5 * im->height * im->resolution, 0 };
	err = poses_file_read(im->poses, &job->poses, error);
	if (!err)
		err = map_cells(job, im->cells, error);
	if (!err)
		err = check_sizes(job, error);
	if (!err)
		err = import_layer_check(&job->layer, im->layer, im->words,
					 error);
	if (err) {
		import_close(job);
		return err;
	}
	*opened = job;
	return 0;
}

void import_close(struct import *job)
{
	if (!job)
		return;
	if (job->data)
		munmap((void *)job->data, job->len);
	poses_file_free(&job->poses);
	free(job);
}

/* Is the fused map too fine for such a submap? See gdim.md */
static bool is_undrawn(struct site *s, unsigned int layer,
		       const struct cells *c, const struct pose *frame)
{
	double resolution;
	struct layer l;

	site_layer(s, layer, &l);
	resolution = l.resolution > 0 ? l.resolution :
					site_resolution(s, layer);
	return resolution > 0 && !resampled_fits(c, frame, resolution);
}

static int import_submaps_put(struct site *s, const struct import *job,
			      unsigned int layer, unsigned int line,
			      struct import_result *r, struct error *error)
{
	const struct import_submaps *im = job->im;
	const uint32_t index = job->poses.line[line].index;
	const size_t each = (size_t)im->width * im->height;
	struct cells *c = cells_create(im->width, im->height, 8,
				       im->resolution, &job->origin,
				       job->data + index * each);
	/* in the order of the file */
	const int64_t stamp = index * 1000000000LL;
	const struct site_submap submap = { layer, stamp, RULE_WEIGHT_FULL, c };
	char frame[STORE_FRAME];
	int err;

	assert((index + 1) * each <= job->len);
	if (!c)
		return error_set(error, -ENOMEM, "out of memory");
	if (snprintf(frame, sizeof(frame), "%s%u", im->frame, index) >=
	    (int)sizeof(frame))
		err = error_set(error, -EINVAL, "frame '%s%u' is too long",
				im->frame, index);
	else
		err = site_keyframe(s, frame, stamp,
				    &job->poses.line[line].pose, &submap, 1,
				    error);
	if (!err) {
		r->submaps++;
		r->known += c->known;
		r->undrawn += is_undrawn(s, layer, c,
					 &job->poses.line[line].pose);
	}
	cells_put(c);
	return err;
}

int import_run(struct import *job, struct site *s, bool at_once,
	       struct import_result *r, struct error *error)
{
	int layer, err = at_once ? store_begin(site_store(s)) : 0;

	*r = (struct import_result){ 0 };
	if (err)
		return error_set(error, err, "%s",
				 store_error(site_store(s)));
	assert(job->poses.count);
	layer = import_layer_find(s, job->im->layer, job->im->words, error);
	if (layer == -ENOENT)
		layer = site_set_layer(s, &job->layer, error);
	err = layer < 0 ? layer : 0;
	for (unsigned int i = 0; i < job->poses.count && !err; i++)
		err = import_submaps_put(s, job, layer, i, r, error);
	if (!err && at_once) {
		err = store_commit(site_store(s));
		if (err)
			error_set(error, err, "%s",
				  store_error(site_store(s)));
	}
	return err;
}

/* All frames must exist. Return: to be freed; NULL: see @error */
static struct site_transform *transforms(struct site *s, const char *path,
					 const char *frame,
					 const struct poses_file *poses,
					 struct error *error)
{
	struct site_transform *t = calloc(poses->count, sizeof(*t));
	struct timespec now;

	if (!t) {
		error_set(error, -ENOMEM, "out of memory");
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned int i = 0; i < poses->count; i++) {
		const uint32_t index = poses->line[i].index;
		const int len = snprintf(t[i].frame, sizeof(t[i].frame),
					 "%s%u", frame, index);

		t[i].pose = poses->line[i].pose;
		t[i].stamp = now.tv_sec * 1000000000LL + now.tv_nsec;
		if (len < (int)sizeof(t[i].frame) &&
		    site_has_frame(s, t[i].frame))
			continue;
		error_set(error, -EINVAL,
			  "%s: the store has no submap '%s%u'", path, frame,
			  index);
		free(t);
		return NULL;
	}
	return t;
}

int import_poses_narrow(struct site *s, const char *path, const char *frame,
			struct error *error)
{
	struct poses_file poses;
	struct site_transform *t;
	int err = poses_file_read(path, &poses, error);

	if (err)
		return err;
	t = transforms(s, path, frame, &poses, error);
	err = t ? 0 : -EINVAL;
	if (t && site_narrow(s, t, poses.count))
		err = error_set(error, -ENOMEM, "out of memory");
	free(t);
	poses_file_free(&poses);
	return err;
}

int import_poses(struct site *s, const char *path, const char *frame,
		 const char *source, unsigned int *count,
		 struct error *error)
{
	struct poses_file poses;
	struct site_transform *t;
	int err = poses_file_read(path, &poses, error);

	if (err)
		return err;
	*count = poses.count;
	site_turn(s);
	t = transforms(s, path, frame, &poses, error);
	err = t ? site_transforms(s, t, poses.count, source, error) : -EINVAL;
	if (!err)
		site_outdate(s);
	site_turn_end(s);
	free(t);
	poses_file_free(&poses);
	return err;
}
