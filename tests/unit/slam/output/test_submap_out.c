// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_submap_out - submaps as messages, and what a map makes of them
 *
 * With a folder as argument, maps of a real log are written there.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "map/ros/input.h"
#include "map/ros/submap_message.h"
#include "folder.h"
#include "laser/readings.h"
#include "map/fusion/cells.h"
#include "slam/output/map_out.h"
#include "slam/output/submap_out.h"
#include "submaps_fixture.h"
#include "tap.h"

#define REAL	"../shared/data/slam/"

/*
 * gdimd
 */

static unsigned int refusals;

static void on_stored(void *arg)
{
	(void)arg;
}

static void on_refused(void *arg, const char *line)
{
	(void)arg;
	printf("# %s\n", line);
	refusals++;
}

/* The parts of gdimd that submaps go through */
struct gdim {
	struct map_config	config;
	struct loop		*loop;
	struct site		*site;
	struct map_input	*input;
	enum message_format	format;
};

static void open_gdim(struct gdim *g, const char *name)
{
	static const struct site_config small = { .memory = 64 << 20,
						  .threads = 1 };

	map_config_init(&g->config);
	map_config_add_defaults(&g->config);
	g->loop = loop_create();
	if (site_open(&g->site, in_folder(name), STORE_CREATE, &small, &error) ||
	    map_input_open(&g->input, g->site, g->loop, &g->config, on_stored,
			   on_refused, NULL))
		abort();
}

static void close_gdim(struct gdim *g)
{
	site_close(g->site);
	loop_destroy(g->loop);
}

static void send_message(struct gdim *g, enum message_kind kind,
			 const union message *m)
{
	const long size = message_size(kind, g->format, m);
	uint8_t *data = malloc(size);
	static union message read;
	unsigned int i = 0;

	while (i < g->config.layers &&
	       strcmp(g->config.layer[i].name, "slam_map"))
		i++;
	if (message_write(kind, g->format, m, data, size) != size ||
	    message_read(kind, g->format, data, size, &read))
		refusals++;
	else if (kind == MESSAGE_TRANSFORMS)
		map_input_transforms(g->input, SUBMAP_OUT_TRANSFORMS, &read.tf);
	else
		map_input_map(g->input, SUBMAP_OUT_SUBMAPS, &g->config.layer[i],
			      "slam_map", kind, &read);
	free(data);
}

/* As a daemon does after an update */
static void publish(struct gdim *g, struct submap_out *out, struct submaps *s,
		    int listed)
{
	const struct occupancy *o;
	static union message m;

	if (submap_out_transforms(out, s, submaps_list(s), listed, false, &m,
				  &error) > 0)
		send_message(g, MESSAGE_TRANSFORMS, &m);
	for (int i = 0; i < listed; i++) {
		const uint32_t n = submaps_list(s)[i];

		if (submaps_at(s, n)->changed &&
		    !submaps_draw(s, n, &o, &error) &&
		    !submap_out_grid(out, n, submaps_at(s, n), o, &m, &error))
			send_message(g, MESSAGE_OCCUPANCY_GRID, &m);
		submaps_published(s, n, true, true);
	}
}

struct seen {
	struct submaps	*submaps;
	unsigned int	nodes, right;
};

static void see_node(void *arg, const struct store_node *node)
{
	struct seen *seen = arg;
	unsigned int n;
	char end;

	seen->nodes++;
	if (sscanf(node->frame, "robot1/submap_%u%c", &n, &end) == 1 &&
	    n < submaps_count(seen->submaps) && node->placed) {
		const struct submap *m = submaps_at(seen->submaps, n);

		seen->right += pose_distance(&node->pose, &m->pose, 10) < 1e-6;
	}
}

/* A wall that the room has, in the fused map; and none in its middle */
static bool has_room(struct site *site)
{
	const int layer = site_find_layer(site, "slam_map");
	unsigned int walls = 0, free = 0;

	if (layer < 0 || site_fuse(site, layer, UINT64_MAX, NULL, NULL))
		return false;
	for (int i = -80; i <= 80; i++) {
		for (int d = -1; d <= 1; d++)
			if (site_value(site, layer, i * 0.1, 10 + d * 0.1) >=
			    65) {
				walls++;
				break;
			}
		free += !site_value(site, layer, i * 0.1, 8);
	}
	printf("# %u of 161 spots of the wall, %u free\n", walls, free);
	return walls > 150 && free > 150;
}

static void test_gdim(enum message_format format, const char *name)
{
	struct submaps *s = make(&usual);
	struct gdim g = { .format = format };
	struct seen seen = { .submaps = s };
	struct submap_out out;

	refusals = 0;
	open_gdim(&g, name);
	ok(!submap_out_init(&out, "map", "base_link", "robot1/submap_", &error),
	   "%s: names", name);
	drive(s, 0, 2 * STEPS);
	/* at first odometry drifts; then it becomes as it was */
	bend(50, 2 * STEPS, 0.3, 0.5);
	bend(150, 2 * STEPS, 0.3, 0.5);
	publish(&g, &out, s, submaps_update(s, history, STEPS * 2, &error));
	for (int i = 0; i < 2 * STEPS; i++)
		history[i] = way_at(i * 0.2);
	publish(&g, &out, s, submaps_update(s, history, STEPS * 2, &error));
	map_input_close(g.input);
	site_each_node(g.site, see_node, &seen);
	ok_eq(refusals, 0, "%s: %u nodes, %u where they are", name, seen.nodes,
	      seen.right);
	ok_eq(seen.nodes, submaps_count(s), "... nodes");
	ok_eq(seen.right, seen.nodes, "... right");
	ok(site_counts(g.site).submaps == seen.nodes, "%s: a submap for each",
	   name);
	ok(has_room(g.site), "%s: together they are the room", name);
	close_gdim(&g);
	submap_out_free(&out);
	submaps_destroy(s);
}

/* Without a site: the cells and the pose themselves */
static void test_message(void)
{
	struct submaps *s = make(&usual);
	struct submap_layer layer[SUBMAP_LAYERS];
	struct message_transform one;
	struct site_transform t;
	const struct occupancy *o;
	struct submap_out out;
	static union message m;
	unsigned int wrong = 0;
	int n;

	submap_out_init(&out, "map", "base_link", "s", &error);
	drive(s, 0, STEPS);
	n = submaps_update(s, history, STEPS, &error);
	submaps_draw(s, 3, &o, &error);
	ok_eq(submap_out_grid(&out, 3, submaps_at(s, 3), o, &m, &error), 0,
	      "message: a submap");
	ok(message_string_is(&m.map.header.frame_id, "s3"),
	   "... message string is");
	ok_eq(m.map.header.stamp, submaps_at(s, 3)->stamp, "... stamp");
	ok_eq(submap_read(MESSAGE_OCCUPANCY_GRID, &m, layer, &error), 1,
	      "... submap read");
	for (unsigned int y = 0; y < layer[0].cells->height; y++)
		for (unsigned int x = 0; x < layer[0].cells->width; x++)
			wrong += cells_at(layer[0].cells, x, y) !=
				occupancy_value(occupancy_at(o,
				occupancy_known(o).x + (int)x,
				occupancy_known(o).y + (int)y));
	ok_eq(wrong, 0, "message: its cells");
	ok_range(fabs(layer[0].cells->origin.x - occupancy_known(o).x * 0.1),
		 -INFINITY, 1e-9, "... how far off");
	ok_near(layer[0].cells->resolution, 0.1, 0, "... resolution");
	submap_free(layer, 1);
	ok(submap_out_transforms(&out, s, submaps_list(s), n, false, &m,
				 &error) == 5, "message: transforms");
	submap_out_transforms(&out, s, (uint32_t[]){ 2 }, 1, true, &m, &error);
	one = *(const struct message_transform *)m.tf.transforms.items;
	ok_eq(submap_transform(&one, &t, &error), 0, "message: one of them");
	ok_str(t.frame, "s2", "... frame");
	ok_str(t.predecessor, "map", "... predecessor");
	ok_eq(t.stamp, submaps_at(s, 2)->stamp, "... stamp");
	ok_range(pose_distance(&t.pose, &history[52], 10), -INFINITY, 1e-9,
		 "... pose distance");
	for (int i = 0; i < n; i++)
		submaps_published(s, i, true, false);
	ok(!submap_out_transforms(&out, s, submaps_list(s), n, false, &m,
				  &error), "message: what was sent is not sent again");
	submap_out_free(&out);
	submaps_destroy(s);
}

static void test_poses(void)
{
	enum { POINTS = 3 * SUBMAP_OUT_WAY + 17 };
	struct trajectory_point *p = calloc(POINTS, sizeof(*p));
	const struct pose at = { 3, -4, 2 };
	const struct message_pose_stamped *way;
	struct occupancy *o;
	struct submap_out out;
	static union message m;

	submap_out_init(&out, "map", "base_link", "s", &error);
	submap_out_pose(&out, 77, &at, (double[]){ 1, 2, 3, 4, 5, 6 }, &m);
	ok_eq(m.odometry.header.stamp, 77, "message: a pose");
	ok_near(m.odometry.pose.position[1], -4, 0, "... position");
	ok(message_string_is(&m.odometry.child_frame_id, "base_link"),
	   "... message string is");
	ok_range(fabs(2 * atan2(m.odometry.pose.orientation[2],
				m.odometry.pose.orientation[3]) -
		      2),
		 -INFINITY, 1e-12, "... how far off");
	ok_near(m.odometry.pose_covariance[0], 1, 0, "and its covariance");
	ok_near(m.odometry.pose_covariance[1], 2, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[6], 2, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[5], 3, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[30], 3, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[7], 4, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[11], 5, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[31], 5, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[35], 6, 0, "... pose covariance");
	ok_near(m.odometry.pose_covariance[14], 0, 0, "... pose covariance");
	for (int i = 0; i < POINTS; i++)
		p[i] = (struct trajectory_point){ i, { i, 0, 0 } };
	submap_out_way(&out, p, POINTS, 5, &m, &error);
	way = m.path.poses.items;
	ok_range(m.path.poses.count, SUBMAP_OUT_WAY / 2, SUBMAP_OUT_WAY,
		 "message: a long way, %u poses of it", m.path.poses.count);
	ok_eq(way[0].header.stamp, 0, "... stamp");
	ok_near(way[m.path.poses.count - 1].pose.position[0], POINTS - 1, 0,
		"... position");
	submap_out_way(&out, p, SUBMAP_OUT_WAY, 5, &m, &error);
	ok_eq(m.path.poses.count, SUBMAP_OUT_WAY, "message: others");
	ok_eq(submap_out_way(&out, p, 0, 5, &m, &error), 0,
	      "... submap out way");
	ok_eq(m.path.poses.count, 0, "... count");
	if (occupancy_create(&o, &usual.grid, &error))
		abort();
	ok(submap_out_map(&out, o, 5, &m, &error) == -ENODATA, "message: %s",
	   error.text);
	occupancy_destroy(o);
	submap_out_free(&out);
	free(p);
}

static void test_names(void)
{
	char longest[STORE_FRAME];
	const char *bad[][3] = {
		{ "", "b", "s" }, { "map", "", "s" }, { "map", "b", "" },
		{ "/map", "b", "s" }, { "map", "b", "a\nb" },
		{ "map", "b", "\xff" }, { "map1", "b", "map" },
		{ "m", "s12", "s" }, { "map", "b", longest },
	};
	struct submap_out out;
	int refused = 0;

	memset(longest, 'x', sizeof(longest));
	longest[STORE_FRAME - SUBMAP_OUT_NUMBER + 1] = 0;
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*error.text = 0;
		refused += submap_out_init(&out, bad[i][0], bad[i][1],
					   bad[i][2], &error) == -EINVAL &&
			   *error.text;
	}
	ok(refused == sizeof(bad) / sizeof(*bad), "names that is not valid: %s",
	   error.text);
	longest[STORE_FRAME - SUBMAP_OUT_NUMBER] = 0;
	ok_eq(submap_out_init(&out, "submaps", "s1a", longest, &error), 0,
	      "and others");
	ok_eq(submap_out_init(&out, "map", "s1a", "s", &error), 0,
	      "... submap out init");
}

/*
 * A real log: Intel's lab, with the poses that its publishers gave it
 */

static bool read_keys(struct trajectory *keys)
{
	FILE *f = fopen(REAL "intel_key910.corrected.txt", "r");
	char line[256];
	struct pose p;
	double t;

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lf %lf %lf %lf", &t, &p.x, &p.y,
			   &p.yaw) == 4)
			trajectory_add(keys, llround(t * 1e9), &p);
	fclose(f);
	return !trajectory_sort(keys) && keys->count;
}

static bool read_odometry(struct trajectory *odometry)
{
	struct readings *log;
	struct reading r;

	if (readings_open(&log, REAL "intel_2726.clf", NULL, &error))
		return false;
	while (readings_next(log, &r, &error) > 0)
		trajectory_add(odometry, r.stamp, &r.odometry);
	readings_close(log);
	return !trajectory_sort(odometry);
}

/* Scans to a whole map and to submaps. Return: how many */
static uint32_t read_scans(const struct trajectory *t, struct occupancy *o,
			   struct submaps *s)
{
	struct readings *log;
	struct reading r;
	uint32_t n = 0;

	if (readings_open(&log, REAL "intel_2726.clf", NULL, &error))
		return 0;
	while (readings_next(log, &r, &error) > 0) {
		if (!r.beams || !trajectory_at(t, r.stamp, 0, &history[n]))
			continue;
		if (occupancy_add(o, &r, &history[n], &error) ||
		    submaps_add(s, &r, &error))
			printf("# %s\n", error.text);
		n++;
	}
	readings_close(log);
	return n;
}

/* Occupied cells, and how many of them @site has within 0.1 m */
static unsigned int occupied_in(const struct raster *r, struct site *site,
				int layer, unsigned int *found)
{
	unsigned int n = 0;

	*found = 0;
	for (unsigned int i = 0; i < r->rect.width * r->rect.height; i++) {
		const double x = (r->rect.x + (int)(i % r->rect.width) + 0.5) *
				 r->resolution;
		const double y = (r->rect.y + (int)(i / r->rect.width) + 0.5) *
				 r->resolution;
		bool is = false;

		if (r->cells[i] < 65)
			continue;
		n++;
		for (int k = 0; k < 25 && !is; k++)
			is = site_value(site, layer,
				x + (k % 5 - 2) * r->resolution,
				y + (k / 5 - 2) * r->resolution) >= 65;
		*found += is;
	}
	return n;
}

static void write_maps(const char *to, struct site *site, int layer,
		       const struct raster *r, uint32_t poses)
{
	char path[PATH_MAX];
	struct raster fused;
	struct map_out m = { path, MAP_TRINARY, "Intel lab, one grid", r,
			     history, poses };

	snprintf(path, sizeof(path), "%s/intel.pgm", to);
	if (map_out_write(&m, &error))
		printf("# %s\n", error.text);
	if (site_raster(site, layer, -1, &fused))
		return;
	snprintf(path, sizeof(path), "%s/intel-fused.pgm", to);
	m.raster = &fused;
	m.title = "Intel lab, fused submaps";
	if (map_out_write(&m, &error))
		printf("# %s\n", error.text);
	free(fused.cells);
}

static void check_real(struct occupancy *o, struct submaps *s, uint32_t scans,
		       const char *to)
{
	struct gdim g = { .format = MESSAGE_CDR };
	unsigned int found, all;
	struct submap_out out;
	struct raster r;
	int layer;

	refusals = 0;
	open_gdim(&g, "intel.db");
	submap_out_init(&out, "map", "base_link", "submap_", &error);
	publish(&g, &out, s, submaps_update(s, history, scans, &error));
	map_input_close(g.input);
	layer = site_find_layer(g.site, "slam_map");
	site_fuse(g.site, layer, UINT64_MAX, NULL, NULL);
	occupancy_raster(o, &r);
	ok_eq(refusals, 0, "intel: %u submaps", submaps_count(s));
	ok_eq(site_counts(g.site).placed, submaps_count(s), "... placed");
	ok_range(submaps_count(s), 61, 99, "... submaps count");
	ok_range(r.rect.width, 601, 899, "intel: %u x %u cells", r.rect.width,
		 r.rect.height);
	ok_range(r.rect.height, 601, 899, "... height");
	all = occupied_in(&r, g.site, layer, &found);
	ok_range(all, 5001, INFINITY,
		 "intel: %u of %u occupied cells "
		 "are in the fused map",
		 found, all);
	ok_range(found, 0.9 * all, INFINITY, "... found");
	if (to)
		write_maps(to, g.site, layer, &r, scans);
	free(r.cells);
	submap_out_free(&out);
	close_gdim(&g);
}

static void test_real(const char *to)
{
	const struct submaps_config c = { .grid = { .resolution = 0.05 } };
	struct trajectory keys = { 0 }, odometry = { 0 }, all = { 0 };
	struct occupancy *o;
	struct submaps *s;
	uint32_t n;

	if (!read_keys(&keys) || !read_odometry(&odometry) ||
	    trajectory_fill(&keys, &odometry, true, &all)) {
		ok(true, "intel # SKIP no data");
	} else {
		if (occupancy_create(&o, &c.grid, &error))
			abort();
		s = make(&c);
		n = read_scans(&all, o, s);
		ok_eq(n, 2725, "intel: %u scans", n);
		ok_eq(occupancy_count(o).refused, 0, "... refused");
		check_real(o, s, n, to);
		submaps_destroy(s);
		occupancy_destroy(o);
	}
	trajectory_free(&keys);
	trajectory_free(&odometry);
	trajectory_free(&all);
}

int main(int argc, char **argv)
{
	make_folder();
	test_message();
	test_poses();
	test_names();
	test_gdim(MESSAGE_CDR, "ros2.db");
	test_gdim(MESSAGE_ROS1, "ros1.db");
	test_real(argc > 1 ? argv[1] : NULL);
	remove_folder();
	return tap_done();
}
