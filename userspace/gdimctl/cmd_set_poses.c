// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl set-poses - poses of submaps are other ones now, as after a loop
 * closure
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/cli.h"
#include "gdim/poses_file.h"
#include "gdimctl.h"

enum { OPT_FRAME = 256 };

static const struct argp_option poses_options[] = {
	{ "frame", OPT_FRAME, "PREFIX", 0, "of the frames' names, before the index (submap_)", 1 },
	{ 0 }
};

struct set_poses {
	const char	*path, *frame;
};

static error_t poses_parse(int key, char *arg, struct argp_state *state)
{
	struct set_poses *p = state->input;

	switch (key) {
	case OPT_FRAME:
		p->frame = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (p->path)
			return cli_usage(state->argv[0], "one file at a time");
		p->path = arg;
		return 0;
	case ARGP_KEY_END:
		return p->path ? 0 : cli_usage(state->argv[0], "which file?");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp poses_argp = {
	poses_options, poses_parse, "POSES.csv",
	"Move submaps: index,x,y,theta of each, m and rad. Those that are not "
	"in the file stay. Prints how many moved by more than half a cell, how "
	"many tiles of fused maps that changed, and how long it took.",
	NULL, NULL, NULL
};

/* All frames must be there. Return: to be freed; NULL: told */
static struct site_transform *transforms(struct site *s,
					 const struct set_poses *p,
					 const struct poses_file *poses)
{
	struct site_transform *t = calloc(poses->count, sizeof(*t));
	struct timespec now;

	if (!t) {
		cli_error(-ENOMEM, "out of memory");
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned int i = 0; i < poses->count; i++) {
		const int len = snprintf(t[i].frame, sizeof(t[i].frame),
					 "%s%u", p->frame,
					 poses->line[i].index);

		t[i].pose = poses->line[i].pose;
		t[i].stamp = now.tv_sec * 1000000000LL + now.tv_nsec;
		if (len < (int)sizeof(t[i].frame) && site_has_frame(s,
							t[i].frame))
			continue;
		cli_error(-EINVAL, "%s: %s has no submap '%s%u'", p->path,
			  ctl.store, p->frame, poses->line[i].index);
		free(t);
		return NULL;
	}
	return t;
}

static void report(unsigned int poses, uint64_t moved,
		   const struct mosaic_work *work, double stored, double fused)
{
	cJSON *a;

	if (!ctl.json) {
		printf("%u poses: %llu submaps moved, %llu tiles rebuilt, "
		       "%.1f ms (stored in %.1f, fused in %.1f)\n", poses,
		       (unsigned long long)moved,
		       (unsigned long long)work->tiles, stored + fused, stored,
		       fused);
		return;
	}
	a = cJSON_CreateObject();
	cJSON_AddNumberToObject(a, "poses", poses);
	cJSON_AddNumberToObject(a, "submaps_moved", moved);
	cJSON_AddNumberToObject(a, "tiles_rebuilt", work->tiles);
	cJSON_AddNumberToObject(a, "ms", round((stored + fused) * 1e3) / 1e3);
	cJSON_AddNumberToObject(a, "stored_ms", round(stored * 1e3) / 1e3);
	cJSON_AddNumberToObject(a, "fused_ms", round(fused * 1e3) / 1e3);
	ctl_print(a);
}

static int move(struct site *s, const struct site_transform *t,
		unsigned int count)
{
	struct mosaic_work work = { 0 };
	char error[SITE_ERROR];
	double begin, stored;
	uint64_t moved = 0;
	int err;

	/* what they looked like before */
	err = ctl_fuse(s, -1);
	if (err)
		return err;
	begin = ctl_ms();
	err = site_transforms(s, t, count, "gdimctl set-poses", error);
	if (err)
		return cli_error(err, "%s", error);
	stored = ctl_ms();
	err = site_fuse(s, -1, UINT64_MAX, &moved, &work);
	if (err)
		return cli_error(err, "fusing: %s", strerror(-err));
	report(count, moved, &work, stored - begin, ctl_ms() - stored);
	return 0;
}

int cmd_set_poses(int argc, char **argv)
{
	struct set_poses p = { .frame = "submap_" };
	struct poses_file poses = { 0 };
	struct site_transform *t = NULL;
	char error[POSES_FILE_ERROR];
	struct site *s = NULL;
	int err;

	err = cli_parse(&poses_argp, argc, argv, &p);
	if (err)
		return err;
	err = poses_file_read(p.path, &poses, error);
	if (err)
		return cli_error(err, "%s", error);
	err = ctl_open(&s, STORE_WRITE);
	if (!err) {
		t = transforms(s, &p, &poses);
		err = t ? move(s, t, poses.count) : -EINVAL;
	}
	free(t);
	site_close(s);
	poses_file_free(&poses);
	return err;
}
