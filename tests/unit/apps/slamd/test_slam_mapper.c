// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_mapper - what is published of a filter's scans: submaps and where
 * they are, the map, the way, the pose and the drift of the odometry; and what
 * becomes of messages that do not get through
 */
#include <errno.h>
#include "apps/slamd/mapper.h"
#include "base/error.h"
#include "slam_fixture.h"

enum { READINGS = 120, BEAMS = 90, SUBMAPS = 20 };

static struct trip *trip;
static struct error error;

/**
 * struct seen - what was published
 * @fails:	topics that do not get through now, as bits
 * @submap:	how often each one came, its stamp, and its known cells
 * @placed:	how often its place was reported, and the place
 */
struct seen {
	unsigned int fails, messages[SLAM_PUBLISHER_TOPICS],
		tried[SLAM_PUBLISHER_TOPICS];
	int64_t		stamp[SLAM_PUBLISHER_TOPICS];
	char		frame[64], child[64];
	unsigned int	submap[SUBMAPS], known[SUBMAPS], placed[SUBMAPS];
	struct pose	place[SUBMAPS], pose, drift;
	unsigned int	early, cells, occupied, way;
};

static void text_of(char *to, const struct message_string *s)
{
	snprintf(to, 64, "%.*s", (int)s->len, s->text);
}

static unsigned int number_of(const char *frame, const char *prefix)
{
	const size_t len = strlen(prefix);
	const unsigned int n = strncmp(frame, prefix, len) ? SUBMAPS :
			       (unsigned int)atoi(frame + len);

	if (n >= SUBMAPS)
		abort();
	return n;
}

static struct pose pose_of(const double at[3], const double q[4])
{
	return (struct pose){ at[0], at[1], 2 * atan2(q[2], q[3]) };
}

static const char *prefix = "submap_";

static void see_transforms(struct seen *s, enum slam_publisher_topic topic,
			   const struct message_transforms *m)
{
	const struct message_transform *t = m->transforms.items;

	for (uint32_t i = 0; i < m->transforms.count; i++, t++) {
		const struct pose p = pose_of(t->translation, t->rotation);

		text_of(s->frame, &t->header.frame_id);
		text_of(s->child, &t->child_frame_id);
		if (topic == SLAM_PUBLISHER_TF) {
			s->drift = p;
		} else {
			s->placed[number_of(s->child, prefix)]++;
			s->place[number_of(s->child, prefix)] = p;
		}
	}
}

static void see_grid(struct seen *s, enum slam_publisher_topic topic,
		     const struct message_occupancy_grid *m)
{
	unsigned int known = 0, occupied = 0, n;

	for (uint32_t i = 0; i < m->data.count; i++) {
		known += (int8_t)m->data.data[i] >= 0;
		occupied += (int8_t)m->data.data[i] > 60;
	}
	text_of(s->frame, &m->header.frame_id);
	if (topic == SLAM_PUBLISHER_MAP) {
		s->cells = known;
		s->occupied = occupied;
		return;
	}
	n = number_of(s->frame, prefix);
	s->submap[n]++;
	s->known[n] = known;
	s->early += !s->placed[n];
}

static int see(void *arg, enum slam_publisher_topic topic, int64_t stamp,
	       const union message *m)
{
	struct seen *s = arg;

	s->tried[topic]++;
	if (s->fails & 1u << topic)
		return -ETIMEDOUT;
	s->messages[topic]++;
	s->stamp[topic] = stamp;
	switch ((int)topic) {
	case SLAM_PUBLISHER_TF:
	case SLAM_PUBLISHER_TRANSFORMS:
		see_transforms(s, topic, &m->tf);
		break;
	case SLAM_PUBLISHER_SUBMAP:
	case SLAM_PUBLISHER_MAP:
		see_grid(s, topic, &m->map);
		break;
	case SLAM_PUBLISHER_POSE:
		s->pose = pose_of(m->odometry.pose.position,
				  m->odometry.pose.orientation);
		text_of(s->frame, &m->odometry.header.frame_id);
		text_of(s->child, &m->odometry.child_frame_id);
		break;
	case SLAM_PUBLISHER_PATH:
		s->way = m->path.poses.count;
		break;
	}
	return 0;
}

static size_t memory;

static struct mapper *make(struct seen *s, const char *robot)
{
	const struct mapper_config config = {
		.grid = { .resolution = 0.05, .range_max = 20 }, .submap = 3,
		.map_frame = "map", .odom_frame = "odom",
		.base_frame = "base_link", .robot = robot, .memory = memory,
		.publish = s ? see : NULL, .arg = s,
	};
	struct mapper *m;

	if (mapper_create(&m, &config, &error))
		abort();
	return m;
}

/* Scans from @from to @to - 1, and then the history of all of them: the
 * truth, turned by @turn at the origin
 */
static int add(struct mapper *m, unsigned int from, unsigned int to,
	       double turn)
{
	const struct pose origin = { 0, 0, turn };
	static struct pose history[READINGS];
	int err = 0;

	for (unsigned int i = from; i < to && !err; i++)
		err = mapper_scan(m, trip->reading + i, &error);
	for (unsigned int i = 0; i < to; i++)
		history[i] = pose_compose(&origin, trip->truth + i);
	return err ? err : mapper_history(m, history, to, &error);
}

static unsigned int submaps(const struct seen *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SUBMAPS; i++)
		n += s->submap[i] > 0;
	return n;
}

static bool near(const struct pose *a, const struct pose *b)
{
	return pose_distance(a, b, 1) < 1e-6;
}

static void test_all(void)
{
	struct seen s = { 0 }, before;
	struct mapper *m = make(&s, NULL);

	ok(!add(m, 0, 50, 0), "scans, and where they were");
	ok(submaps(&s) >= 1, "submaps: %u", submaps(&s));
	ok(!s.early, "where they are was sent before");
	ok_eq(s.placed[0], 1, "where they are was sent before");
	ok(s.known[0] > 7950, "they have cells: %u", s.known[0]);
	ok(!s.messages[SLAM_PUBLISHER_MAP], "no map before it is asked for");
	ok(!mapper_map(m, &error), "then one");
	ok_eq(s.messages[SLAM_PUBLISHER_MAP], 1, "then one");
	ok(s.cells > 8600, "the map: %u cells, %u of them occupied", s.cells,
	   s.occupied);
	ok(s.occupied > 528, "the map: %u cells, %u of them occupied", s.cells,
	   s.occupied);
	ok_str(s.frame, "map", "the map: %u cells, %u of them occupied",
	       s.cells, s.occupied);
	ok_eq(s.way, 50, "the way");
	ok_eq(s.stamp[SLAM_PUBLISHER_PATH], trip->reading[49].stamp, "the way");
	before = s;
	ok(!add(m, 50, 50, 0), "nothing new: nothing is sent");
	ok_mem(&before, &s, sizeof(s), "nothing new: nothing is sent");
	ok(!add(m, 50, READINGS, 0), "more scans");
	ok(submaps(&s) > submaps(&before), "more of them: %u", submaps(&s));
	ok_eq(s.submap[0], before.submap[0],
	      "those that are complete are not sent again");
	ok_eq(s.placed[0], 1, "those that are complete are not sent again");
	before = s;
	ok(!add(m, READINGS, READINGS, 0.3),
	   "all was turned: they are elsewhere, their cells are the same");
	ok(s.messages[SLAM_PUBLISHER_TRANSFORMS] > before.messages[SLAM_PUBLISHER_TRANSFORMS],
	   "all was turned: they are elsewhere, their cells are the same");
	ok_eq(s.messages[SLAM_PUBLISHER_SUBMAP],
	      before.messages[SLAM_PUBLISHER_SUBMAP],
	      "all was turned: they are elsewhere, their cells are the same");
	ok(fabs(s.place[0].yaw - before.place[0].yaw - 0.3) < 1e-6, "by that");
	mapper_destroy(m);
}

static void test_lost(void)
{
	struct seen s = { .fails = 1u << SLAM_PUBLISHER_SUBMAP };
	struct mapper *m = make(&s, NULL);
	unsigned int n;

	add(m, 0, 60, 0);
	n = s.tried[SLAM_PUBLISHER_SUBMAP];
	ok(n, "submaps do not get through");
	ok(!submaps(&s), "submaps do not get through");
	s.fails = 0;
	add(m, 60, 60, 0);
	ok(submaps(&s) == n, "they are sent again");
	n = s.tried[SLAM_PUBLISHER_SUBMAP];
	add(m, 60, 60, 0);
	ok(s.tried[SLAM_PUBLISHER_SUBMAP] == n, "once");
	mapper_destroy(m);

	s = (struct seen){ .fails = 1u << SLAM_PUBLISHER_TRANSFORMS };
	m = make(&s, NULL);
	add(m, 0, 60, 0);
	n = s.tried[SLAM_PUBLISHER_TRANSFORMS];
	s.fails = 0;
	add(m, 60, 60, 0);
	ok(n, "likewise where they are");
	ok_eq(s.placed[0], 1, "likewise where they are");
	mapper_destroy(m);
}

static void test_pose(void)
{
	const struct pose at = { 3, 4, 0.5 };
	const struct reading *r = trip->reading + 7;
	struct seen s = { 0 };
	struct mapper *m = make(&s, NULL);
	struct pose p;

	mapper_pose(m, r, &(struct filter_result){ .pose = at });
	ok(near(&s.pose, &at), "the pose, at its time");
	ok_eq(s.stamp[SLAM_PUBLISHER_POSE], r->stamp, "the pose, at its time");
	p = pose_compose(&s.drift, &r->odometry);
	ok(near(&p, &at), "odometry in the map leads there");
	ok_str(s.frame, "map", "frames");
	ok_str(s.child, "odom", "frames");
	mapper_destroy(m);
}

/* Scans that are not kept are no longer in a map that is redrawn */
static void test_missing(void)
{
	struct mapper *m;

	memory = 20000;
	m = make(NULL, NULL);
	memory = 0;
	add(m, 0, READINGS, 0);
	ok(!mapper_map(m, &error),
	   "scans that are not kept any more are counted");
	ok(mapper_missing(m) > 0,
	   "scans that are not kept any more are counted");
	mapper_destroy(m);
	m = make(NULL, NULL);
	add(m, 0, READINGS, 0);
	ok(!mapper_map(m, &error), "else none is missing");
	ok(!mapper_missing(m), "else none is missing");
	mapper_destroy(m);
}

/* A map whose poses changed by less than can be seen is redrawn at the end */
static void test_exact(void)
{
	struct raster a = { .cells = NULL }, b = { .cells = NULL };
	struct mapper *m = make(NULL, NULL), *n = make(NULL, NULL);

	add(m, 0, READINGS, 0.0008);
	mapper_map(m, &error);
	add(m, READINGS, READINGS, 0);
	mapper_exact(m);
	mapper_map(m, &error);
	mapper_raster(m, &a);
	add(n, 0, READINGS, 0);
	mapper_map(n, &error);
	mapper_raster(n, &b);
	ok_eq(a.rect.width, b.rect.width,
	      "the last map is as if all had been known from the beginning");
	ok_eq(a.rect.height, b.rect.height,
	      "the last map is as if all had been known from the beginning");
	ok_mem(a.cells, b.cells, (size_t)a.rect.width * a.rect.height,
	       "the last map is as if all had been known from the beginning");
	free(a.cells);
	free(b.cells);
	mapper_destroy(m);
	mapper_destroy(n);
}

/* The map is redrawn if the trajectory changed, and only then */
static void test_redrawn(void)
{
	struct raster a = { .cells = NULL }, b = { .cells = NULL };
	struct mapper *m = make(NULL, NULL), *n = make(NULL, NULL);

	ok(!mapper_map(m, &error), "a map of nothing");
	add(m, 0, 60, 0);
	mapper_map(m, &error);
	add(m, 60, READINGS, 0.4);
	ok(!mapper_map(m, &error), "without listeners");
	ok(!mapper_raster(m, &a), "without listeners");
	add(n, 0, READINGS, 0.4);
	mapper_map(n, &error);
	mapper_raster(n, &b);
	ok_eq(a.rect.width, b.rect.width,
	      "another past: as if it had been that one always");
	ok_eq(a.rect.height, b.rect.height,
	      "another past: as if it had been that one always");
	ok_mem(a.cells, b.cells, (size_t)a.rect.width * a.rect.height,
	       "another past: as if it had been that one always");
	free(a.cells);
	free(b.cells);
	mapper_destroy(m);
	mapper_destroy(n);
	mapper_destroy(NULL);
}

static void test_robot(void)
{
	struct seen s = { 0 };
	struct mapper *m;

	prefix = "anna/submap_";
	m = make(&s, "anna");
	ok(!add(m, 0, 50, 0), "a robot's name is in its submaps'");
	ok(submaps(&s), "a robot's name is in its submaps'");
	mapper_destroy(m);
	prefix = "submap_";
}

/* Scans in which nothing is hit, and a history that does not fit */
static void test_odd(void)
{
	static const float nothing[BEAMS];
	struct seen s = { 0 };
	struct mapper *m = make(&s, NULL);
	struct reading r = trip->reading[0];
	const struct pose here[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	r.range = nothing;
	ok(!mapper_scan(m, &r, &error), "nothing is hit: nothing to see");
	ok(!mapper_history(m, here, 1, &error),
	   "nothing is hit: nothing to see");
	ok(!mapper_map(m, &error), "nothing is hit: nothing to see");
	ok(!submaps(&s), "nothing is hit: nothing to see");
	ok(!s.messages[SLAM_PUBLISHER_MAP], "nothing is hit: nothing to see");
	ok(mapper_history(m, here, 2, &error) == -EINVAL,
	   "a history of more scans than there are");
	mapper_destroy(m);
}

int main(void)
{
	static struct world world;

	world_corridors(&world);
	trip = trip_make(&world, BEAMS, READINGS);
	test_all();
	test_lost();
	test_pose();
	test_redrawn();
	test_missing();
	test_exact();
	test_robot();
	test_odd();
	trip_free(trip);
	return tap_done();
}
