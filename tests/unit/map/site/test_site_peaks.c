// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_peaks - the highest value of a layer and what is above a threshold,
 * while the map changes; against the whole map
 */
#include "map/site/peaks.h"
#include "site_fixture.h"

enum { NODES = 30, STEPS = 40 };

/* As peaks_find(), of the whole map */
static struct peaks_found whole(struct site *s, unsigned int layer, int over)
{
	struct peaks_found f = { .value = -1 };
	struct raster r;

	if (site_raster(s, layer, -1, &r))
		return f;
	f.resolution = r.resolution;
	for (unsigned int i = 0; i < r.rect.width * r.rect.height; i++) {
		const double x = (r.rect.x + (int)(i % r.rect.width)) *
				 r.resolution;
		const double y = (r.rect.y + (int)(i / r.rect.width)) *
				 r.resolution;

		f.value = r.cells[i] > f.value ? r.cells[i] : f.value;
		if (r.cells[i] < over)
			continue;
		if (!f.cells++)
			f.area = (struct site_area){ x, y, x, y };
		f.area.x0 = fmin(f.area.x0, x);
		f.area.y0 = fmin(f.area.y0, y);
		f.area.x1 = fmax(f.area.x1, x + r.resolution);
		f.area.y1 = fmax(f.area.y1, y + r.resolution);
	}
	free(r.cells);
	return f;
}

static bool is_right(struct peaks *p, struct site *s, unsigned int layer,
		     int over)
{
	const struct peaks_found want = whole(s, layer, over);
	struct peaks_found got;

	if (peaks_find(p, s, layer, over, &got))
		return false;
	return got.value == want.value && got.cells == want.cells &&
	       (got.value < 0 ||
		site_value(s, layer, got.x, got.y) == got.value) &&
	       (!got.cells || (fabs(got.area.x0 - want.area.x0) < 1e-9 &&
			       fabs(got.area.y0 - want.area.y0) < 1e-9 &&
			       fabs(got.area.x1 - want.area.x1) < 1e-9 &&
			       fabs(got.area.y1 - want.area.y1) < 1e-9));
}

static void test_changes(size_t memory, const char *name)
{
	struct site *s = open_site_of(in_folder(name), STORE_CREATE, memory);
	struct peaks *p = peaks_create();
	unsigned int right = 0;
	uint64_t seed = 1;

	add_layer(s, "warm", "role=temperature unit=K range=200:400 rule=max");
	add_layer(s, "walls", "");
	ok(is_right(p, s, 0, 50), "nothing is known");
	ok(is_right(p, s, 1, INT16_MAX), "... is right");
	for (int i = 0; i < STEPS; i++) {
		char frame[8];

		snprintf(frame, sizeof(frame), "n%d", (int)rnd(&seed, NODES));
		/* one hot place that comes and goes */
		put(s, frame, i + 1, NULL, 0, patch(40, 8, 0.05, i, 0,
						    i % 7 ? 60 : 90));
		put(s, frame, i + 1, NULL, 1, patch(40, 8, 0.05, i, 0, 100));
		move(s, frame, "", rnd(&seed, 100) - 50., rnd(&seed, 60) - 30.,
		     0);
		/* coarser ones are followed by a map of finer cells */
		if (i == STEPS / 2)
			add_layer(s, "warm", "role=temperature unit=K "
				  "range=200:400 rule=max resolution=0.1");
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
		right += is_right(p, s, 0, 50 + i % 3) &&
			 is_right(p, s, 1, 100) && is_right(p, s, 0, 0);
	}
	ok(right == STEPS, "%s: right in %u of %d steps", name, right, STEPS);
	peaks_destroy(p);
	site_close(s);
}

int main(void)
{
	make_folder();
	test_changes(0, "all");
	remove_folder();
	return tap_done();
}
