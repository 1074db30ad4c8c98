// SPDX-License-Identifier: GPL-2.0-only
/*
 * voxel_ref - the voxel grid filter by sorting: slow, obvious, allocates
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/voxel.h"

struct member {
	float		voxel[3];
	unsigned int	point;
};

static int voxel_ref_compare(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	for (int i = 0; i < 3; i++)
		if (a->voxel[i] != b->voxel[i])
			return a->voxel[i] < b->voxel[i] ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

static bool same_voxel(const struct member *a, const struct member *b)
{
	return !memcmp(a->voxel, b->voxel, sizeof(a->voxel));
}

static int compare_first(const void *pa, const void *pb)
{
	const struct member *a = *(struct member *const *)pa;
	const struct member *b = *(struct member *const *)pb;

	return a->point < b->point ? -1 : a->point > b->point;
}

static float mean(const float *value, const struct member *m, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += value[m[i].point];
	return sum / n;
}

static void field_mean(const struct cloud_field *in, const struct member *m,
		       unsigned int n, struct cloud_field *out, unsigned int at)
{
	unsigned int bytes = cloud_type_bytes(in->type);
	double sum = 0;

	if (in->type < CLOUD_FLOAT32 || cloud_field_packed(in)) {
		memcpy((char *)out->data + (size_t)at * bytes,
		       (char *)in->data + (size_t)m->point * bytes, bytes);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		sum += cloud_get(in, m[i].point);
	cloud_put(out, at, sum / n);
}

static void emit(const struct cloud *in, const struct member *m,
		 unsigned int n, struct cloud *out)
{
	unsigned int at = out->count++;

	out->x[at] = mean(in->x, m, n);
	out->y[at] = mean(in->y, m, n);
	out->z[at] = mean(in->z, m, n);
	for (unsigned int f = 0; f < in->fields; f++)
		field_mean(&in->field[f], m, n, &out->field[f], at);
}

int voxel_ref_filter(const struct cloud *in, float leaf, struct cloud *out)
{
	float inverse = 1 / leaf;
	struct member *all, **begin;
	unsigned int voxels = 0, n;
	int err = 0;

	cloud_like(out, in);
	if (!(leaf > 0) || !isfinite(leaf) || !isfinite(inverse))
		return -ERANGE;
	all = calloc(in->count + 1, sizeof(*all));
	begin = calloc(in->count + 1, sizeof(*begin));
	for (unsigned int i = 0; i < in->count; i++) {
		float at[3] = { in->x[i], in->y[i], in->z[i] };

		all[i].point = i;
		for (int a = 0; a < 3; a++) {
			/* adding 0 gives -0 and 0 the same bytes */
			all[i].voxel[a] = floorf(at[a] * inverse) + 0.0f;
			if (!(fabsf(all[i].voxel[a]) < VOXEL_REACH))
				err = -ERANGE;
		}
	}
	if (err)
		goto out;
	qsort(all, in->count, sizeof(*all), voxel_ref_compare);
	for (unsigned int i = 0; i < in->count; i++)
		if (!i || !same_voxel(&all[i], &all[i - 1]))
			begin[voxels++] = &all[i];
	if (voxels > out->max) {
		err = -ENOSPC;
		goto out;
	}
	qsort(begin, voxels, sizeof(*begin), compare_first);
	for (unsigned int v = 0; v < voxels; v++) {
		for (n = 1; begin[v] + n < all + in->count &&
		     same_voxel(begin[v], begin[v] + n); n++)
			;
		emit(in, begin[v], n, out);
	}
out:
	free(all);
	free(begin);
	return err;
}
