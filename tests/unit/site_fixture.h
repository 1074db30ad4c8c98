/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site_fixture.h - sites, what is put into them, and all that they know as a
 * text, so that two of them can be compared
 */
#ifndef UNIT_SITE_FIXTURE_H
#define UNIT_SITE_FIXTURE_H

#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "map/site/site.h"
#include "folder.h"
#include "tap.h"

static struct error error;

static inline struct site *open_site_of(const char *path, enum store_mode mode,
					size_t memory)
{
	const struct site_config config = { .memory = memory, .threads = 2 };
	struct site *s = NULL;

	if (site_open(&s, path, mode, &config, &error)) {
		printf("# %s\n", error.text);
		return NULL;
	}
	return s;
}

static inline struct site *open_site(const char *path, enum store_mode mode)
{
	return open_site_of(path, mode, 0);
}

static inline int add_layer(struct site *s, const char *name, const char *words)
{
	struct layer l;

	if (layer_parse(&l, name, words, &error))
		return -EINVAL;
	return site_set_layer(s, &l, &error);
}

/* Its middle is the frame's origin; values between @low and @high */
static inline struct cells *patch(unsigned int side, unsigned int bits,
				  double resolution, uint64_t seed, int low,
				  int high)
{
	const struct pose origin = { -0.5 * side * resolution,
				     -0.5 * side * resolution, 0 };
	int16_t *v = malloc((size_t)side * side * sizeof(*v));
	int8_t *narrow = (int8_t *)v;
	struct cells *c;

	for (size_t i = 0; i < (size_t)side * side; i++) {
		int value = low + (int)rnd(&seed, high - low + 1);

		/* something unknown, if not all is the same */
		if (low != high && i / 11 % 4 == 0)
			value = CELLS_UNKNOWN;
		if (bits == 8)
			narrow[i] = value;
		else
			v[i] = value;
	}
	c = cells_create(side, side, bits, resolution, &origin, v);
	free(v);
	return c;
}

/* One submap; drops @c */
static inline int put(struct site *s, const char *frame, int64_t stamp,
		      const struct pose *pose, unsigned int layer,
		      struct cells *c)
{
	const struct site_submap m = { layer, stamp, 50, c };
	const int err = site_keyframe(s, frame, stamp, pose, &m, 1, &error);

	cells_put(c);
	return err;
}

static inline struct site_transform transform(const char *frame,
					      const char *predecessor,
					      double x, double y, double yaw)
{
	struct site_transform t = { .stamp = 7, .pose = { x, y, yaw } };

	snprintf(t.frame, sizeof(t.frame), "%s", frame);
	snprintf(t.predecessor, sizeof(t.predecessor), "%s", predecessor);
	return t;
}

static inline int move(struct site *s, const char *frame,
		       const char *predecessor, double x, double y, double yaw)
{
	const struct site_transform t = transform(frame, predecessor, x, y,
						  yaw);

	return site_transforms(s, &t, 1, "test", &error);
}

static inline void tell_node(void *arg, const struct store_node *n)
{
	FILE *f = arg;

	fprintf(f, "%lld %s %lld", (long long)n->id, n->frame,
		(long long)n->stamp);
	/* whole maps need no row for that */
	if (n->placed && strcmp(n->frame, SITE_ROOT))
		/* SQLite has no negative 0 */
		fprintf(f, " at %a %a %a", n->pose.x + 0.0, n->pose.y + 0.0,
			n->pose.yaw + 0.0);
	if (n->linked)
		fprintf(f, " link %lld %a %a %a", (long long)n->predecessor,
			n->link.x + 0.0, n->link.y + 0.0, n->link.yaw + 0.0);
	fputc('\n', f);
}

static inline int tell_submap(void *arg, const struct store_submap *m)
{
	fprintf(arg, "submap %lld of %lld in %lld: %lld %u %ux%u\n",
		(long long)m->id, (long long)m->node, (long long)m->layer,
		(long long)m->stamp, m->weight, m->width, m->height);
	return 0;
}

static inline void tell_map(FILE *f, struct site *s, unsigned int layer)
{
	uint64_t sum = 0xcbf29ce484222325ULL;
	struct raster r;
	const int err = site_raster(s, layer, -1, &r);

	if (err) {
		fprintf(f, "map %u: %d\n", layer, err);
		return;
	}
	for (size_t i = 0; i < (size_t)r.rect.width * r.rect.height; i++)
		sum = (sum ^ (uint16_t)r.cells[i]) * 0x100000001b3ULL;
	fprintf(f, "map %u: %d %d %ux%u %a %016llx\n", layer, r.rect.x,
		r.rect.y, r.rect.width, r.rect.height, r.resolution,
		(unsigned long long)sum);
	free(r.cells);
}

/* To be freed. @maps: fused ones too */
static inline char *know(struct site *s, bool maps)
{
	const struct site_counts c = site_counts(s);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%u nodes, %u placed, %u submaps, %u waiting\n", c.nodes,
		c.placed, c.submaps, c.waiting);
	for (unsigned int i = 0; i < site_layers(s); i++) {
		struct layer l;

		site_layer(s, i, &l);
		fprintf(f, "layer %s: %u %d %d %a..%a %s %a %u\n", l.name,
			l.bits, l.rule, l.drawing, l.low, l.high, l.unit,
			l.resolution, site_layer_submaps(s, i));
	}
	site_each_node(s, tell_node, f);
	store_submaps(site_store(s), tell_submap, f);
	if (maps) {
		while (site_fuse(s, -1, UINT64_MAX, NULL, NULL) > 0)
			;
		for (unsigned int i = 0; i < site_layers(s); i++)
			tell_map(f, s, i);
	}
	fclose(f);
	return text;
}

/* Frees both */
static inline bool same_text(char *a, char *b)
{
	const bool same = a && b && !strcmp(a, b);

	if (!same)
		printf("# 1st\n%s# 2nd\n%s", a ? a : "", b ? b : "");
	free(a);
	free(b);
	return same;
}

/* What is in memory is what another one finds on disk */
static inline bool is_on_disk(struct site *s, const char *path, bool maps)
{
	struct site *other = open_site(path, STORE_READ);
	char *text = other ? know(other, maps) : NULL;

	site_close(other);
	return same_text(know(s, maps), text);
}

/* Return: whether it was refused, in one line, and changed nothing */
#define refuses(s, path, want, call) ({					\
	char *before_ = know(s, false);					\
	int err_;							\
									\
	error.text[0] = '\0';						\
	err_ = (call);							\
	if (err_ != (want))						\
		printf("# %d: %s\n", err_, error.text);		\
	err_ == (want) && error.text[0] && !strchr(error.text, '\n') &&	\
		same_text(before_, know(s, false)) &&			\
		is_on_disk(s, path, false);				\
})

static inline bool same_raster(const struct raster *a, const struct raster *b)
{
	return !memcmp(&a->rect, &b->rect, sizeof(a->rect)) &&
	       a->resolution == b->resolution && a->bits == b->bits &&
	       !memcmp(a->cells, b->cells, (size_t)a->rect.width *
		       a->rect.height * sizeof(*a->cells));
}

#endif
