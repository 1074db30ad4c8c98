// SPDX-License-Identifier: GPL-2.0-only
/*
 * relations - compare a trajectory with known relations
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "slam/output/relations.h"

static int relations_read_line(const char *at, void *arg)
{
	struct relations *r = arg;
	struct relation new;
	double z, roll, pitch;

	if (!number_stamp(&at, 9, &new.from) ||
	    !number_stamp(&at, 9, &new.to) ||
	    !number_within(&at, POSE_MAX, &new.pose.x) ||
	    !number_within(&at, POSE_MAX, &new.pose.y) ||
	    !number_within(&at, POSE_MAX, &z) ||
	    !number_within(&at, POSE_MAX, &roll) ||
	    !number_within(&at, POSE_MAX, &pitch) ||
	    !number_within(&at, POSE_MAX, &new.pose.yaw) || *at)
		return -EINVAL;
	if (r->count == RELATIONS_MAX)
		return -E2BIG;
	if (array_grow(&r->relation, &r->room, r->count,
		       sizeof(*r->relation)))
		return -ENOMEM;
	r->relation[r->count++] = new;
	return 0;
}

int relations_read(struct relations *r, const char *path,
		   struct error *error)
{
	int err;

	*r = (struct relations){ 0 };
	err = table_read(path, "t1 t2 x y z roll pitch yaw",
			 relations_read_line, r, error);
	if (!err && !r->count)
		err = table_error(error, path, 0, -ENODATA,
				  "no relations");
	if (err)
		relations_free(r);
	return err;
}

void relations_free(struct relations *r)
{
	free(r->relation);
	*r = (struct relations){ 0 };
}

static struct relation_error relations_error_of(const struct relation *r,
						const struct trajectory *t,
						int64_t reach)
{
	struct relation_error e = { 0 };
	struct pose a, b, d;

	if (!trajectory_at(t, r->from, reach, &a) ||
	    !trajectory_at(t, r->to, reach, &b))
		return e;
	d = pose_between(&a, &b);
	e.used = true;
	e.translation = hypot(d.x - r->pose.x, d.y - r->pose.y);
	e.rotation = fabs(remainder(d.yaw - r->pose.yaw, 2 * M_PI));
	return e;
}

/* Welford's algorithm: a mean, and the sum of squares around it */
static void relations_add(double v, uint32_t n, double *mean, double *squares)
{
	const double off = v - *mean;

	*mean += off / n;
	*squares += off * (v - *mean);
}

void relations_evaluate(const struct relations *r, const struct trajectory *t,
			int64_t reach, struct relation_error *errors,
			struct relations_result *result)
{
	double translation = 0, rotation = 0;
	struct relation_error e;

	*result = (struct relations_result){ 0 };
	for (uint32_t i = 0; i < r->count; i++) {
		e = relations_error_of(&r->relation[i], t, reach);
		if (errors)
			errors[i] = e;
		if (!e.used)
			continue;
		result->used++;
		relations_add(e.translation, result->used,
			      &result->translation_mean, &translation);
		relations_add(e.rotation, result->used, &result->rotation_mean,
			      &rotation);
	}
	assert(result->used <= r->count);
	result->left_out = r->count - result->used;
	if (!result->used)
		return;
	result->translation_std = sqrt(translation / result->used);
	result->rotation_std = sqrt(rotation / result->used);
}
