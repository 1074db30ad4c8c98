// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl set-poses - set poses of submaps, as after a loop closure
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/io/import_submaps.h"
#include "map/io/poses_file.h"

enum { OPT_FRAME = 256 };

static const struct argp_option poses_options[] = {
	{ "frame", OPT_FRAME, "PREFIX", 0,
	  "prefix of frame names, before the index (submap_)", 1 },
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
			return cli_usage(state->argv[0], "more than one file");
		p->path = arg;
		return 0;
	case ARGP_KEY_END:
		return p->path ? 0 : cli_usage(state->argv[0],
					       "missing POSES.csv");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp poses_argp = {
	poses_options, poses_parse, "POSES.csv",
	"Move submaps: index,x,y,theta per line, m and rad. Submaps that are "
	"not in the file stay. Without a daemon, prints how many moved by more "
	"than half a cell, how many tiles were fused again, and the time "
	"taken. A daemon answers when the poses are stored.",
	NULL, NULL, NULL
};

static void set_poses_print(const cJSON *a)
{
	/* a daemon answers before fusing */
	if (cJSON_HasObjectItem(a, "to_fuse")) {
		printf("%g poses stored in %.1f ms, %g submaps to be fused\n",
		       ctl_value(a, "poses"),
		       ctl_value(a, "stored_ms"), ctl_value(a, "to_fuse"));
		return;
	}
	printf("%g poses: %g submaps moved, %g tiles rebuilt, %.1f ms (stored "
	       "in %.1f, fused in %.1f)\n", ctl_value(a, "poses"),
	       ctl_value(a, "submaps_moved"), ctl_value(a, "tiles_rebuilt"),
	       ctl_value(a, "ms"), ctl_value(a, "stored_ms"),
	       ctl_value(a, "fused_ms"));
}

static void set_poses_describe(unsigned int poses, uint64_t moved,
			       const struct fused_map_work *work, double stored,
			       double fused, cJSON *a)
{
	cJSON_AddNumberToObject(a, "poses", poses);
	cJSON_AddNumberToObject(a, "submaps_moved", moved);
	cJSON_AddNumberToObject(a, "tiles_rebuilt", work->tiles);
	cJSON_AddNumberToObject(a, "ms", round((stored + fused) * 1e3) / 1e3);
	cJSON_AddNumberToObject(a, "stored_ms", round(stored * 1e3) / 1e3);
	cJSON_AddNumberToObject(a, "fused_ms", round(fused * 1e3) / 1e3);
}

/* In the store, without a daemon */
static int move(struct site *s, const struct set_poses *p, cJSON *answer)
{
	struct fused_map_work work = { 0 };
	struct error error;
	double begin, stored;
	unsigned int count;
	uint64_t moved = 0;
	int err;

	/* read and fuse only the affected submaps, to time the change alone */
	err = import_poses_narrow(s, p->path, p->frame, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = ctl_fuse(s, -1);
	if (err)
		return err;
	begin = ctl_ms();
	err = import_poses(s, p->path, p->frame, "gdimctl set-poses", &count,
			   &error);
	if (err)
		return cli_error(err, "%s", error.text);
	stored = ctl_ms();
	err = site_fuse(s, -1, UINT64_MAX, &moved, &work);
	if (err)
		return cli_error(err, "fusing: %s", strerror(-err));
	set_poses_describe(count, moved, &work, stored - begin,
			   ctl_ms() - stored, answer);
	return 0;
}

static int set_poses_look(const struct set_poses *p, cJSON **answer)
{
	struct poses_file poses;
	struct error error;
	struct site *s;
	int err;

	/* report errors of the file before opening a store */
	err = poses_file_read(p->path, &poses, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	poses_file_free(&poses);
	err = ctl_open(&s, STORE_WRITE);
	if (err)
		return err;
	*answer = cJSON_CreateObject();
	err = move(s, p, *answer);
	if (err)
		cJSON_Delete(*answer);
	site_close(s);
	return err;
}

static int set_poses_ask(const struct set_poses *p, cJSON **answer)
{
	cJSON *q = cJSON_CreateObject();

	ctl_add_path(q, "poses", p->path);
	cJSON_AddStringToObject(q, "frame", p->frame);
	return ctl_ask("set-poses", q, answer);
}

int cmd_set_poses(int argc, char **argv)
{
	struct set_poses p = { .frame = "submap_" };
	cJSON *answer;
	int err;

	err = cli_parse(&poses_argp, argc, argv, &p);
	if (!err)
		err = ctl.store ? set_poses_look(&p, &answer) :
				  set_poses_ask(&p, &answer);
	return err ? err : ctl_show(answer, set_poses_print);
}
