// SPDX-License-Identifier: GPL-2.0-only
/*
 * options.c - the command line
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/slamd.h"
#include "base/cli.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cluster/bus.h"
#include "ros/io/io.h"
#include "slam/filter/memory.h"

enum {
	OPT_LOG = 256, OPT_SCAN, OPT_ODOMETRY, OPT_RANGE_MAX, OPT_LASER,
	OPT_COMPAT, OPT_PARTICLES, OPT_SEED, OPT_MATCHER, OPT_CUTOFF,
	OPT_REFINEMENTS,
	OPT_RESOLUTION, OPT_DISTANCE, OPT_ANGLE, OPT_RESAMPLE, OPT_GAIN,
	OPT_SHARPNESS, OPT_KLD, OPT_PARTICLES_MIN, OPT_USABLE,
	OPT_THREADS, OPT_TRAJECTORY, OPT_MAP, OPT_STATS,
	OPT_ENGINE, OPT_JOB, OPT_WORKERS, OPT_VERSION,
	OPT_FROM, OPT_TO, OPT_NODE, OPT_MAP_FRAME, OPT_ODOM_FRAME,
	OPT_BASE_FRAME, OPT_ROBOT, OPT_SPEED, OPT_PATIENCE, OPT_SUBMAP,
	OPT_MAP_EVERY, OPT_CHECKPOINT, OPT_MOTION, OPT_WALL, OPT_MAX_SPEED,
	OPT_MAP_MEMORY, OPT_RESUME, OPT_MEMORY,
};

static const struct argp_option options[] = {
	{ "log", OPT_LOG, "FILE", 0,
	  "a CARMEN log, Simbad's csv, tinySLAM's .dat, a recording of ROS",
	  1 },
	{ "from", OPT_FROM, "SOURCE", 0,
	  "live: ros2, ros1, optsample[:PORT], a recording that plays", 1 },
	{ "scan", OPT_SCAN, "TOPIC", 0,
	  "LaserScan (live: /scan; of a recording: the only one)", 1 },
	{ "odometry", OPT_ODOMETRY, "TOPIC", 0,
	  "Odometry, live also tf (/odom; the only one, or tf)", 1 },
	{ "patience", OPT_PATIENCE, "S", 0,
	  "that odometry may be away from a scan, with --from (1)", 1 },
	{ "speed", OPT_SPEED, "X", 0, "of a recording that plays (1)", 1 },
	{ "laser", OPT_LASER, "X,Y,YAW", 0,
	  "where the laser is on the robot (m, rad)", 1 },
	{ "range-max", OPT_RANGE_MAX, "M", 0,
	  "beams of this length hit nothing (as the log says)", 1 },
	{ "trajectory", OPT_TRAJECTORY, "FILE", 0,
	  "a pose for every reading, as TUM writes them", 2 },
	{ "map", OPT_MAP, "FILE.pgm", 0,
	  "the map for map_server, with FILE.yaml, and FILE.png with the way",
	  2 },
	{ "stats", OPT_STATS, "FILE.json", 0, "what it took; -: stdout", 2 },
	{ "to", OPT_TO, "SINK", 0,
	  "map, submaps, pose and tf: ros2, ros1, NAME.mcap, NAME.bag, NAME.db3, FOLDER/",
	  2 },
	{ "checkpoint", OPT_CHECKPOINT, "FILE", 0,
	  "that --resume goes on with after a crash", 2 },
	{ "resume", OPT_RESUME, NULL, 0, "go on with the checkpoint", 2 },
	{ "submap", OPT_SUBMAP, "M", 0, "of travel for each submap (5)", 2 },
	{ "map-every", OPT_MAP_EVERY, "S", 0,
	  "live: publish the whole map this often (5)", 2 },
	{ "map-memory", OPT_MAP_MEMORY, "MB", 0,
	  "of scans that the map is drawn from (256)", 2 },
	{ "robot", OPT_ROBOT, "NAME", 0,
	  "its topics are below /NAME, its submaps NAME/submap_...", 2 },
	{ "map-frame", OPT_MAP_FRAME, "FRAME", 0, "of the map (map)", 2 },
	{ "odom-frame", OPT_ODOM_FRAME, "FRAME", 0, "of odometry (odom)", 2 },
	{ "base-frame", OPT_BASE_FRAME, "FRAME", 0,
	  "of the robot (base_link)", 2 },
	{ "node", OPT_NODE, "NAME", 0, "in ROS (slamd)", 2 },
	{ "compat", OPT_COMPAT, "gmapping", 0,
	  "maps, matching, weights and defaults of GMapping, to compare with",
	  3 },
	{ "particles", OPT_PARTICLES, "N", 0, "of the filter (30)", 3 },
	{ "seed", OPT_SEED, "S", 0, "of its random numbers (1)", 3 },
	{ "matcher", OPT_MATCHER, "hill|gn", 0,
	  "hill climb, or Gauss-Newton (hill)", 3 },
	{ "cutoff", OPT_CUTOFF, "K", 0,
	  "of the hill climb: no further round after K evaluations (none)",
	  3 },
	{ "refinements", OPT_REFINEMENTS, "N", 0,
	  "of the hill climb: halvings of its step (6)", 3 },
	{ "resolution", OPT_RESOLUTION, "M", 0, "of maps (0.05)", 3 },
	{ "usable-range", OPT_USABLE, "M", 0,
	  "longer beams are not used (all are)", 3 },
	{ "distance", OPT_DISTANCE, "M", 0,
	  "that is moved between updates of the particles (0.05)", 3 },
	{ "angle", OPT_ANGLE, "RAD", 0, "or turned (0.05)", 3 },
	{ "motion", OPT_MOTION, "NOISE", 0,
	  "of odometry: wheels, tracks, gyro, or six numbers (wheels)", 3 },
	{ "wall", OPT_WALL, "SIGMAS", 0,
	  "of that noise: scans are matched no further away; 0: anywhere (3)",
	  3 },
	{ "max-speed", OPT_MAX_SPEED, "M/S", 0,
	  "of the robot: odometry that says more has jumped (2.5)", 3 },
	{ "resample", OPT_RESAMPLE, "SHARE", 0,
	  "when fewer particles are effective; 1: at every update (0.5)", 3 },
	{ "gain", OPT_GAIN, "G", 0, "log-likelihood of a perfect scan (40)",
	  3 },
	{ "sharpness", OPT_SHARPNESS, "G", 0,
	  "likewise, for the proposal; 0: the best pose itself (10000)", 3 },
	{ "kld", OPT_KLD, "ERROR", 0,
	  "as many particles as KLD sampling wants, up to N (off)", 3 },
	{ "particles-min", OPT_PARTICLES_MIN, "N", 0, "with --kld (10)", 3 },
	{ "threads", OPT_THREADS, "T", 0,
	  "that work (one for each processor; of each worker one)", 4 },
	{ "memory", OPT_MEMORY, "MB", 0,
	  "that the maps of particles may take here (what the machine has)",
	  4 },
	{ "engine", OPT_ENGINE, "SPEC", 0,
	  "workers elsewhere: amqp://..., mpi, threads (all is done here)", 4 },
	{ "job", OPT_JOB, "NAME", 0,
	  "by which workers know it at a broker (slam)", 4 },
	{ "workers", OPT_WORKERS, "N", 0,
	  "to wait for; with threads, to start (1)", 4 },
	{ "quiet", 'q', NULL, 0, "no progress", 5 },
	{ "verbose", 'v', NULL, 0, "progress, also if not on a terminal", 5 },
	{ "version", OPT_VERSION, NULL, 0, "print the version", 5 },
	{ 0 }
};

static int options_number(const char *name, const char *arg, double min,
			  double max, double *v)
{
	if (parse_double(arg, min, max, v))
		return cli_error(-EINVAL, "%s must be %g..%g", name, min, max);
	return 0;
}

static int whole(const char *name, const char *arg, uint32_t min, uint32_t max,
		 uint32_t *v)
{
	if (parse_u32(arg, min, max, v))
		return cli_error(-EINVAL, "%s must be %u..%u", name, min, max);
	return 0;
}

static int parse_laser(struct slamd_options *o, const char *arg)
{
	char text[100], *at = text, *part;
	double v[3];

	if (strlen(arg) >= sizeof(text))
		return cli_error(-EINVAL, "laser must be X,Y,YAW");
	strcpy(text, arg);
	for (int i = 0; i < 3; i++) {
		part = strsep(&at, ",");
		if (!part || parse_double(part, -READING_LASER_MAX,
					  READING_LASER_MAX, v + i))
			return cli_error(-EINVAL, "laser must be X,Y,YAW");
	}
	if (at)
		return cli_error(-EINVAL, "laser must be X,Y,YAW");
	o->laser = (struct pose){ v[0], v[1], v[2] };
	o->readings.laser = &o->laser;
	return 0;
}

/* A part of the names of topics and frames */
static int parse_robot(struct slamd_options *o, const char *arg)
{
	char topic[IO_NAME];

	snprintf(topic, sizeof(topic), "/%.64s", arg);
	if (!io_valid_name(topic) || strlen(arg) > 60 || strchr(arg, '/'))
		return cli_error(-EINVAL, "robot must be 1..60 letters, digits or _, and begin with a letter");
	o->robot = arg;
	return 0;
}

static int parse_matcher(struct slam_params *p, const char *arg)
{
	if (!strcmp(arg, "hill"))
		p->matcher = SLAM_HILL;
	else if (!strcmp(arg, "gn"))
		p->matcher = SLAM_GAUSS_NEWTON;
	else
		return cli_error(-EINVAL, "matcher must be hill or gn");
	return 0;
}

/* Defaults that options after this one change; numbers stay */
static int parse_compat(struct slam_params *p, const char *arg)
{
	const struct slam_params old = *p;

	if (strcmp(arg, "gmapping"))
		return cli_error(-EINVAL, "compat must be gmapping");
	*p = slam_gmapping;
	p->particles = old.particles;
	p->particles_min = old.particles_min;
	p->seed = old.seed;
	return 0;
}

static error_t parse_filter(int key, char *arg, struct slam_params *p)
{
	uint32_t seed;

	switch (key) {
	case OPT_COMPAT:
		return parse_compat(p, arg);
	case OPT_PARTICLES:
		return whole("particles", arg, 1, SLAM_PARTICLES_MAX,
			     &p->particles);
	case OPT_PARTICLES_MIN:
		return whole("particles-min", arg, 1, SLAM_PARTICLES_MAX,
			     &p->particles_min);
	case OPT_SEED:
		if (whole("seed", arg, 0, UINT32_MAX, &seed))
			return -EINVAL;
		p->seed = seed;
		return 0;
	case OPT_MATCHER:
		return parse_matcher(p, arg);
	case OPT_CUTOFF:
		return whole("cutoff", arg, 1, 1000000, &p->cutoff);
	case OPT_REFINEMENTS:
		return whole("refinements", arg, 1, 20, &p->refinements);
	case OPT_RESOLUTION:
		return options_number("resolution", arg, 0.005, 1,
				      &p->resolution);
	case OPT_USABLE:
		return options_number("usable-range", arg, 0, 1000,
				      &p->range_max);
	case OPT_DISTANCE:
		return options_number("distance", arg, 0, 100, &p->distance);
	case OPT_ANGLE:
		return options_number("angle", arg, 0, 3, &p->angle);
	case OPT_MOTION:
		if (slam_params_motion(p, arg))
			return cli_error(-EINVAL, "motion must be wheels, tracks, gyro, or SLIP,TURN,SLIP/M,SLIP/RAD,TURN/M,TURN/RAD (0..3; the first two above 0)");
		return 0;
	case OPT_WALL:
		return options_number("wall", arg, 0, 100, &p->wall);
	case OPT_MAX_SPEED:
		return options_number("max-speed", arg, 0.01, 1000, &p->speed);
	case OPT_RESAMPLE:
		return options_number("resample", arg, 0, 1, &p->resample);
	case OPT_GAIN:
		return options_number("gain", arg, 1e-3, 1e6, &p->gain);
	case OPT_SHARPNESS:
		return options_number("sharpness", arg, 0, 1e9, &p->sharpness);
	case OPT_KLD:
		return options_number("kld", arg, 1e-3, 1, &p->kld_error);
	}
	return ARGP_ERR_UNKNOWN;
}

/* What comes and goes live */
static error_t parse_live(int key, char *arg, struct slamd_options *o)
{
	switch (key) {
	case OPT_FROM:
		o->from = arg;
		return 0;
	case OPT_TO:
		o->to = arg;
		return 0;
	case OPT_NODE:
		o->node = arg;
		return 0;
	case OPT_MAP_FRAME:
		o->map_frame = arg;
		return 0;
	case OPT_ODOM_FRAME:
		o->odom_frame = arg;
		return 0;
	case OPT_BASE_FRAME:
		o->base_frame = arg;
		return 0;
	case OPT_ROBOT:
		return parse_robot(o, arg);
	case OPT_SPEED:
		return options_number("speed", arg, 1e-3, 1e6, &o->speed);
	case OPT_PATIENCE:
		return options_number("patience", arg, 0.01, 60, &o->patience);
	case OPT_SUBMAP:
		return options_number("submap", arg, 0.1, 1000, &o->submap);
	case OPT_MAP_EVERY:
		return options_number("map-every", arg, 0.1, 3600,
				      &o->map_every);
	case OPT_MAP_MEMORY:
		return whole("map-memory", arg, 1, 1 << 20, &o->map_memory);
	}
	return ARGP_ERR_UNKNOWN;
}

/*
 * What goes with what
 */

static bool is_live(const struct slamd_options *o)
{
	return o->from;
}

static bool is_ros(const char *end)
{
	const char *rest;

	return end && (io_is(end, "ros2", &rest) ||
		       io_is(end, "ros1", &rest));
}

static bool plays(const struct slamd_options *o)
{
	const char *rest;

	return o->from && !is_ros(o->from) &&
	       !io_is(o->from, "optsample", &rest);
}

static bool publishes(const struct slamd_options *o)
{
	return o->to;
}

static bool draws_live(const struct slamd_options *o)
{
	return o->from && (o->to || o->map);
}

static bool draws(const struct slamd_options *o)
{
	return o->to || draws_live(o);
}

static bool is_node(const struct slamd_options *o)
{
	return is_ros(o->from) || is_ros(o->to);
}

static bool has_engine(const struct slamd_options *o)
{
	return o->engine;
}

static bool has_broker(const struct slamd_options *o)
{
	return o->engine && strcmp(o->engine, "threads") &&
	       strcmp(o->engine, "mpi");
}

static bool has_maps(const struct slamd_options *o)
{
	return !has_broker(o);
}

static bool draws_poses(const struct slamd_options *o)
{
	return o->params.compat != SLAM_GMAPPING;
}

static bool has_wall(const struct slamd_options *o)
{
	return o->params.wall > 0;
}

static bool resamples(const struct slamd_options *o)
{
	return o->params.resample > 0;
}

static bool has_kld(const struct slamd_options *o)
{
	return o->params.kld_error > 0;
}

static bool is_least(const struct slamd_options *o)
{
	return o->params.particles_min <= o->params.particles;
}

/* Options that mean something only with others: refused, not ignored */
static const struct need {
	int		key;
	bool		(*met)(const struct slamd_options *o);
	const char	*text;
} needs[] = {
	{ OPT_PATIENCE, is_live, "needs --from" },
	{ OPT_SPEED, plays, "needs --from with a recording" },
	{ OPT_SUBMAP, publishes, "needs --to" },
	{ OPT_MAP_EVERY, draws_live, "needs --from, and --to or --map" },
	{ OPT_MAP_MEMORY, draws, "needs --to, or --from and --map" },
	{ OPT_ROBOT, publishes, "needs --to" },
	{ OPT_MAP_FRAME, publishes, "needs --to" },
	{ OPT_ODOM_FRAME, publishes, "needs --to" },
	{ OPT_BASE_FRAME, publishes, "needs --to" },
	{ OPT_NODE, is_node, "needs --from or --to with ROS" },
	{ OPT_JOB, has_broker, "needs --engine with a broker" },
	{ OPT_WORKERS, has_engine, "needs --engine" },
	{ OPT_MEMORY, has_maps, "is for slam-worker if it has the maps" },
	{ OPT_SHARPNESS, draws_poses, "means nothing with --compat gmapping" },
	{ OPT_MOTION, draws_poses, "means nothing with --compat gmapping" },
	{ OPT_WALL, draws_poses, "means nothing with --compat gmapping" },
	{ OPT_MAX_SPEED, has_wall, "means nothing with --compat gmapping or --wall 0" },
	{ OPT_KLD, resamples, "means nothing without resampling" },
	{ OPT_PARTICLES_MIN, has_kld, "needs --kld" },
	{ OPT_PARTICLES_MIN, is_least, "is more than --particles" },
};

/**
 * struct given - the command line as it is parsed
 * @keys:	of the options that were there, a bit for each from OPT_LOG on
 */
struct given {
	struct slamd_options	*o;
	uint64_t		keys;
};

_Static_assert(OPT_RESUME - OPT_LOG < 64, "a bit for each option");

static bool is_given(const struct given *g, int key)
{
	return g->keys >> (key - OPT_LOG) & 1;
}

static const char *options_name_of(int key)
{
	const struct argp_option *o = options;

	while (o->key != key)
		o++;
	return o->name;
}

static error_t check_needs(const struct given *g, const char *program)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (is_given(g, needs[i].key) && !needs[i].met(g->o))
			return cli_usage(program, "--%s %s",
					 options_name_of(needs[i].key),
					 needs[i].text);
	return 0;
}

static error_t parse_end(const struct given *g, const char *program)
{
	const struct slamd_options *o = g->o;
	const char *rest;

	if (o->version)
		return 0;
	if (!o->log == !o->from)
		return cli_usage(program, o->log ? "a log or live, not both" :
				 "which log?");
	if (o->log && is_ros(o->to))
		return cli_usage(program, "a log can only go into a recording");
	if (o->resume && !o->checkpoint)
		return cli_usage(program, "which checkpoint?");
	if (o->map && !text_ends(o->map, ".pgm"))
		return cli_usage(program, "a map is NAME.pgm");
	if (!*o->odom_frame || *o->odom_frame == '/' ||
	    !strcmp(o->odom_frame, o->map_frame))
		return cli_usage(program, "odom-frame must be a name, without a slash before it, and not that of the map");
	if (!o->from || !io_is(o->from, "optsample", &rest))
		return check_needs(g, program);
	if (!o->readings.laser)
		return cli_usage(program, "optsample carries no tf: --laser says where it is");
	if (o->readings.odometry && !strcmp(o->readings.odometry, "tf"))
		return cli_usage(program, "optsample carries no tf: which topic is odometry?");
	return check_needs(g, program);
}

static error_t options_parse(int key, char *arg, struct argp_state *state)
{
	struct given *g = state->input;
	struct slamd_options *o = g->o;
	error_t err;

	if (key >= OPT_LOG && key <= OPT_RESUME)
		g->keys |= 1ULL << (key - OPT_LOG);
	switch (key) {
	case OPT_LOG:
		o->log = arg;
		return 0;
	case OPT_CHECKPOINT:
		o->checkpoint = arg;
		return 0;
	case OPT_RESUME:
		o->resume = true;
		return 0;
	case OPT_SCAN:
		o->readings.scan = arg;
		return 0;
	case OPT_ODOMETRY:
		o->readings.odometry = arg;
		return 0;
	case OPT_LASER:
		return parse_laser(o, arg);
	case OPT_RANGE_MAX:
		return options_number("range-max", arg, 0.1, 1e5,
				      &o->readings.range_max);
	case OPT_THREADS:
		return whole("threads", arg, 1, THREAD_POOL_MAX, &o->threads);
	case OPT_MEMORY:
		return whole("memory", arg, 1, MEMORY_MB_MAX, &o->memory);
	case OPT_ENGINE:
		o->engine = arg;
		return 0;
	case OPT_JOB:
		o->job = arg;
		return 0;
	case OPT_WORKERS:
		return whole("workers", arg, 1, BUS_WORKERS, &o->workers);
	case OPT_TRAJECTORY:
		o->trajectory = arg;
		return 0;
	case OPT_MAP:
		o->map = arg;
		return 0;
	case OPT_STATS:
		o->stats = arg;
		return 0;
	case 'q':
		o->quiet = true;
		o->verbose = false;
		return 0;
	case 'v':
		o->verbose = true;
		o->quiet = false;
		return 0;
	case OPT_VERSION:
		o->version = true;
		return 0;
	case ARGP_KEY_ARG:
		return cli_usage(state->argv[0], "what is %.100s?", arg);
	case ARGP_KEY_END:
		return parse_end(g, state->argv[0]);
	}
	err = parse_live(key, arg, o);
	if (err != ARGP_ERR_UNKNOWN)
		return err;
	return parse_filter(key, arg, &o->params);
}

static const struct argp argp = {
	.options = options, .parser = options_parse,
	.doc = "Where a robot was, and the map it saw, out of its laser scans "
	       "and its odometry. See slamd(8).",
};

int slamd_parse(struct slamd_options *o, int argc, char **argv)
{
	struct given given = { o, 0 };
	char error[SLAM_ERROR];
	int err;

	*o = (struct slamd_options){
		.params = slam_defaults, .job = "slam", .workers = 1,
		.node = "slamd", .map_frame = "map", .odom_frame = "odom",
		.base_frame = "base_link", .speed = 1, .patience = 1,
		.submap = 5, .map_every = 5, .map_memory = 256,
	};
	err = cli_parse(&argp, argc, argv, &given);
	if (err || o->version)
		return err;
	if (o->params.particles_min > o->params.particles)
		o->params.particles_min = o->params.particles;
	if (slam_params_check(&o->params, error))
		return cli_error(-EINVAL, "%s", error);
	return 0;
}
