// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloud - point clouds in memory, from and to interleaved bytes
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloud.h"

static const uint8_t type_bytes[] = {
	[CLOUD_INT8] = 1, [CLOUD_UINT8] = 1, [CLOUD_INT16] = 2,
	[CLOUD_UINT16] = 2, [CLOUD_INT32] = 4, [CLOUD_UINT32] = 4,
	[CLOUD_FLOAT32] = 4, [CLOUD_FLOAT64] = 8,
};

unsigned int cloud_type_bytes(unsigned int type)
{
	return type < sizeof(type_bytes) ? type_bytes[type] : 0;
}

struct cloud *cloud_create(unsigned int max)
{
	struct cloud *c = calloc(1, sizeof(*c));
	size_t n = max ? max : 1;

	if (!c)
		return NULL;
	c->max = max;
	c->x = malloc(n * sizeof(*c->x));
	c->y = malloc(n * sizeof(*c->y));
	c->z = malloc(n * sizeof(*c->z));
	for (int f = 0; f < CLOUD_FIELDS; f++) {
		c->field[f].data = malloc(n * sizeof(double));
		if (!c->field[f].data)
			goto err;
	}
	if (c->x && c->y && c->z)
		return c;
err:
	cloud_destroy(c);
	return NULL;
}

void cloud_destroy(struct cloud *c)
{
	if (!c)
		return;
	for (int f = 0; f < CLOUD_FIELDS; f++)
		free(c->field[f].data);
	free(c->x);
	free(c->y);
	free(c->z);
	free(c);
}

int cloud_find(const struct cloud *c, const char *name)
{
	for (unsigned int f = 0; f < c->fields; f++)
		if (!strcmp(c->field[f].name, name))
			return f;
	return -ENOENT;
}

int cloud_add_field(struct cloud *c, const char *name, unsigned int type)
{
	size_t len = strnlen(name, CLOUD_NAME);
	struct cloud_field *f;

	if (!len || len == CLOUD_NAME || !cloud_type_bytes(type))
		return -EINVAL;
	if (cloud_find(c, name) >= 0)
		return -EEXIST;
	if (c->fields == CLOUD_FIELDS)
		return -E2BIG;
	assert(c->fields < CLOUD_FIELDS);
	f = &c->field[c->fields++];
	memcpy(f->name, name, len + 1);
	f->type = type;
	memset(f->data, 0, (size_t)c->count * cloud_type_bytes(type));
	return 0;
}

void cloud_like(struct cloud *c, const struct cloud *like)
{
	c->count = 0;
	c->dropped = 0;
	c->fields = like->fields;
	for (unsigned int f = 0; c != like && f < like->fields; f++) {
		memcpy(c->field[f].name, like->field[f].name, CLOUD_NAME);
		c->field[f].type = like->field[f].type;
	}
}

int cloud_append(struct cloud *c, const struct cloud *in, unsigned int begin,
		 unsigned int n)
{
	unsigned int at = c->count;

	if (n > c->max - at)
		return -ENOSPC;
	assert(at <= c->max && begin + n <= in->max);
	assert(in->fields <= c->fields);
	memcpy(c->x + at, in->x + begin, n * sizeof(*in->x));
	memcpy(c->y + at, in->y + begin, n * sizeof(*in->y));
	memcpy(c->z + at, in->z + begin, n * sizeof(*in->z));
	for (unsigned int f = 0; f < in->fields; f++) {
		size_t bytes = cloud_type_bytes(in->field[f].type);

		memcpy((char *)c->field[f].data + at * bytes,
		       (char *)in->field[f].data + begin * bytes, n * bytes);
	}
	c->count += n;
	return 0;
}

double cloud_get(const struct cloud_field *f, unsigned int i)
{
	switch (f->type) {
	case CLOUD_INT8:
		return ((const int8_t *)f->data)[i];
	case CLOUD_UINT8:
		return ((const uint8_t *)f->data)[i];
	case CLOUD_INT16:
		return ((const int16_t *)f->data)[i];
	case CLOUD_UINT16:
		return ((const uint16_t *)f->data)[i];
	case CLOUD_INT32:
		return ((const int32_t *)f->data)[i];
	case CLOUD_UINT32:
		return ((const uint32_t *)f->data)[i];
	case CLOUD_FLOAT32:
		return ((const float *)f->data)[i];
	default:
		return ((const double *)f->data)[i];
	}
}

static double clamped(double v, double least, double most)
{
	v = round(v);
	/* also handles NaN */
	return v > least ? v < most ? v : most : least;
}

void cloud_put(struct cloud_field *f, unsigned int i, double v)
{
	switch (f->type) {
	case CLOUD_INT8:
		((int8_t *)f->data)[i] = clamped(v, INT8_MIN, INT8_MAX);
		break;
	case CLOUD_UINT8:
		((uint8_t *)f->data)[i] = clamped(v, 0, UINT8_MAX);
		break;
	case CLOUD_INT16:
		((int16_t *)f->data)[i] = clamped(v, INT16_MIN, INT16_MAX);
		break;
	case CLOUD_UINT16:
		((uint16_t *)f->data)[i] = clamped(v, 0, UINT16_MAX);
		break;
	case CLOUD_INT32:
		((int32_t *)f->data)[i] = clamped(v, INT32_MIN, INT32_MAX);
		break;
	case CLOUD_UINT32:
		((uint32_t *)f->data)[i] = clamped(v, 0, UINT32_MAX);
		break;
	case CLOUD_FLOAT32:
		((float *)f->data)[i] = v;
		break;
	default:
		((double *)f->data)[i] = v;
	}
}

bool cloud_field_packed(const struct cloud_field *f)
{
	return !strcmp(f->name, "rgb") || !strcmp(f->name, "rgba");
}

/* Return: 0, 1, 2 for x, y, z, else 3 */
static unsigned int axis_of(const char *name)
{
	return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : 3;
}

int cloud_begin(struct cloud *c, const struct cloud_layout *l)
{
	bool axis[4] = { false };

	c->count = 0;
	c->dropped = 0;
	c->fields = 0;
	if (l->channels > CLOUD_CHANNELS)
		return -EINVAL;
	for (unsigned int i = 0; i < l->channels; i++) {
		const struct cloud_channel *ch = &l->channel[i];
		unsigned int bytes = cloud_type_bytes(ch->type);
		unsigned int a = axis_of(ch->name);

		if (!bytes || bytes > l->step || ch->offset > l->step - bytes)
			return -EINVAL;
		if (a < 3 && (axis[a] || (ch->type != CLOUD_FLOAT32 &&
					  ch->type != CLOUD_FLOAT64)))
			return -EINVAL;
		if (a == 3 && cloud_add_field(c, ch->name, ch->type))
			return -EINVAL;
		axis[a] = true;
	}
	return axis[0] && axis[1] && axis[2] ? 0 : -EINVAL;
}

/* Convert the byte order of a value, in either direction */
static void cloud_copy_value(void *to, const void *from, unsigned int bytes,
			     bool big_endian)
{
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	const uint8_t *in = from;
	uint8_t *out = to;

	for (unsigned int i = 0; i < bytes; i++)
		out[i] = in[swap ? bytes - 1 - i : i];
}

static float read_axis(const struct cloud_layout *l,
		       const struct cloud_channel *ch, const uint8_t *point)
{
	float f;
	double d;

	if (ch->type == CLOUD_FLOAT64) {
		cloud_copy_value(&d, point + ch->offset, sizeof(d),
				 l->big_endian);
		return d;
	}
	cloud_copy_value(&f, point + ch->offset, sizeof(f), l->big_endian);
	return f;
}

int cloud_read(struct cloud *c, const struct cloud_layout *l,
	       const void *data, unsigned int points)
{
	const uint8_t *point = data;

	if (points > c->max - c->count)
		return -ENOSPC;
	for (; points--; point += l->step) {
		struct cloud_field *f = c->field;
		float at[3];

		for (unsigned int i = 0; i < l->channels; i++) {
			const struct cloud_channel *ch = &l->channel[i];
			unsigned int bytes = cloud_type_bytes(ch->type);
			unsigned int a = axis_of(ch->name);

			if (a < 3) {
				at[a] = read_axis(l, ch, point);
				continue;
			}
			cloud_copy_value(
				(uint8_t *)f->data + (size_t)c->count * bytes,
				point + ch->offset, bytes, l->big_endian);
			f++;
		}
		if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) {
			c->dropped++;
			continue;
		}
		c->x[c->count] = at[0];
		c->y[c->count] = at[1];
		c->z[c->count] = at[2];
		c->count++;
	}
	return 0;
}

static void add_channel(struct cloud_layout *l, const char *name,
			unsigned int type)
{
	struct cloud_channel *ch = &l->channel[l->channels++];

	assert(l->channels <= CLOUD_CHANNELS &&
	       strlen(name) < sizeof(ch->name));
	memcpy(ch->name, name, strlen(name) + 1);
	ch->type = type;
	ch->offset = l->step;
	l->step += cloud_type_bytes(type);
}

void cloud_packed_layout(const struct cloud *c, struct cloud_layout *l)
{
	memset(l, 0, sizeof(*l));
	add_channel(l, "x", CLOUD_FLOAT32);
	add_channel(l, "y", CLOUD_FLOAT32);
	add_channel(l, "z", CLOUD_FLOAT32);
	for (unsigned int f = 0; f < c->fields; f++)
		add_channel(l, c->field[f].name, c->field[f].type);
}

static void write_axis(const struct cloud_layout *l,
		       const struct cloud_channel *ch, float f, uint8_t *point)
{
	double d = f;

	if (ch->type == CLOUD_FLOAT64)
		cloud_copy_value(point + ch->offset, &d, sizeof(d),
				 l->big_endian);
	else
		cloud_copy_value(point + ch->offset, &f, sizeof(f),
				 l->big_endian);
}

void cloud_write(const struct cloud *c, const struct cloud_layout *l,
		 void *data)
{
	const float *axis[3] = { c->x, c->y, c->z };

	memset(data, 0, (size_t)c->count * l->step);
	for (unsigned int i = 0; i < l->channels; i++) {
		const struct cloud_channel *ch = &l->channel[i];
		unsigned int a = axis_of(ch->name);
		unsigned int bytes = cloud_type_bytes(ch->type);
		int f = a == 3 ? cloud_find(c, ch->name) : 0;
		uint8_t *point = data;

		/* a field of that name with another type does not match */
		if (f < 0 || (a == 3 && c->field[f].type != ch->type))
			continue;
		for (unsigned int n = 0; n < c->count; n++, point += l->step) {
			if (a < 3)
				write_axis(l, ch, axis[a][n], point);
			else
				cloud_copy_value(point + ch->offset,
						 (uint8_t *)c->field[f].data +
						 (size_t)n * bytes, bytes,
						 l->big_endian);
		}
	}
}
