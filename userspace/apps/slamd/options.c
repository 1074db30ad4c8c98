// SPDX-License-Identifier: GPL-2.0-only
/*
 * options.c - the command line and the settings file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/slamd.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cluster/bus.h"
#include "ros/io/io.h"
#include "slam/filter/memory.h"

/* X,Y,YAW, each up to @most. Return: 0; -EINVAL */
static int parse_pose(const char *value, double most, struct pose *pose)
{
	char text[100], *at = text, *part;
	double v[3];

	if (strlen(value) >= sizeof(text))
		return -EINVAL;
	strcpy(text, value);
	for (int i = 0; i < 3; i++) {
		part = strsep(&at, ",");
		if (!part || parse_double(part, -most, most, v + i))
			return -EINVAL;
	}
	if (at)
		return -EINVAL;
	*pose = (struct pose){ v[0], v[1], v[2] };
	return 0;
}

static int set_laser(void *config, const char *value)
{
	struct slamd_options *o = config;
	const int err = parse_pose(value, READING_LASER_MAX, &o->laser);

	if (!err)
		o->readings.laser = &o->laser;
	return err;
}

static int set_pose(void *config, const char *value)
{
	struct slamd_options *o = config;
	const int err = parse_pose(value, POSE_MAX, &o->pose);

	o->posed |= !err;
	return err;
}

/* Part of names of topics and frames */
static int set_robot(void *config, const char *value)
{
	struct slamd_options *o = config;
	char topic[IO_NAME];

	snprintf(topic, sizeof(topic), "/%.64s", value);
	if (!io_valid_name(topic) || strlen(value) > 60 || strchr(value, '/'))
		return -EINVAL;
	snprintf(o->robot_name, sizeof(o->robot_name), "%s", value);
	o->robot = o->robot_name;
	return 0;
}

static int set_seed(void *config, const char *value)
{
	struct slamd_options *o = config;
	uint32_t seed;

	if (parse_u32(value, 0, UINT32_MAX, &seed))
		return -EINVAL;
	o->params.seed = seed;
	return 0;
}

static int set_matcher(void *config, const char *value)
{
	struct slamd_options *o = config;

	if (!strcmp(value, "hill"))
		o->params.matcher = SLAM_HILL;
	else if (!strcmp(value, "gn"))
		o->params.matcher = SLAM_GAUSS_NEWTON;
	else
		return -EINVAL;
	return 0;
}

/* Return: 0; -EINVAL */
static int parse_switch(const char *value, bool *on)
{
	*on = !strcmp(value, "on");
	return *on || !strcmp(value, "off") ? 0 : -EINVAL;
}

static int set_loops(void *config, const char *value)
{
	struct slamd_options *o = config;
	bool on;
	const int err = parse_switch(value, &on);

	if (!err)
		o->params.loops = on;
	return err;
}

static int set_adjust(void *config, const char *value)
{
	return parse_switch(value, &((struct slamd_options *)config)->adjust);
}

static int set_lifecycle(void *config, const char *value)
{
	return parse_switch(value,
			    &((struct slamd_options *)config)->lifecycle);
}

/* Defaults that later options may change; number and seed stay */
static int set_compat(void *config, const char *value)
{
	struct slam_params *p = &((struct slamd_options *)config)->params;
	const struct slam_params old = *p;

	if (strcmp(value, "gmapping"))
		return -EINVAL;
	*p = slam_gmapping;
	p->particles = old.particles;
	p->particles_min = old.particles_min;
	p->seed = old.seed;
	return 0;
}

static int set_motion(void *config, const char *value)
{
	struct slamd_options *o = config;

	return slam_params_motion(&o->params, value) ? -EINVAL : 0;
}

/* --quiet and --verbose override each other: the last one counts */
static int set_quiet(void *config, const char *value)
{
	struct slamd_options *o = config;
	const int err = settings_flag(&o->quiet, value);

	o->verbose &= !o->quiet;
	return err;
}

static int set_verbose(void *config, const char *value)
{
	struct slamd_options *o = config;
	const int err = settings_flag(&o->verbose, value);

	o->quiet &= !o->verbose;
	return err;
}

#define SETTING_CONFIG struct slamd_options

static const struct setting settings[] = {
	{ "log", "FILE",
	  "log of CARMEN, csv of Simbad, .dat of tinySLAM, .rawlog of MRPT, or a "
	  "ROS recording",
	  SETTING_FIELD_TEXT(log), .heading = "Input:" },
	{ "from", "SOURCE",
	  "live input: ros2, ros1, optsample[:PORT], or a recording to play",
	  SETTING_FIELD_TEXT(from) },
	{ "scan", "TOPIC",
	  "LaserScan topic (live: /scan; recording: the only one)",
	  SETTING_FIELD_TEXT(readings.scan) },
	{ "odometry", "TOPIC",
	  "Odometry topic, or none, live also tf (/odom; recording: the only one, tf, or none)",
	  SETTING_FIELD_TEXT(readings.odometry) },
	{ "patience", "S",
	  "with --from: maximum time offset between odometry and scan (1)",
	  SETTING_FIELD_DOUBLE(patience, 0.01, 60) },
	{ "speed", "X", "with --from: play the recording X times as fast (1)",
	  SETTING_FIELD_DOUBLE(speed, 1e-3, 1e6) },
	{ "laser", "X,Y,YAW", "pose of the laser on the robot (m, m, rad)",
	  "X,Y,YAW (m, m, rad)", set_laser },
	{ "range-max", "M",
	  "beams of at least this length are out of range (default: from the "
	  "log)",
	  SETTING_FIELD_DOUBLE(readings.range_max, 0.1, 1e5) },
	{ "trajectory", "FILE",
	  "write a pose for each reading, in TUM format",
	  SETTING_FIELD_TEXT(trajectory), .heading = "Output:" },
	{ "map", "FILE.pgm",
	  "write the map for map_server, with FILE.yaml and a figure FILE.png",
	  SETTING_FIELD_TEXT(map) },
	{ "stats", "FILE.json", "write statistics; -: to stdout",
	  SETTING_FIELD_TEXT(stats) },
	{ "to", "SINK",
	  "publish map, submaps, pose and tf: ros2, ros1, NAME.mcap, NAME.bag, NAME.db3, FOLDER/",
	  SETTING_FIELD_TEXT(to) },
	{ "localise", "MAP",
	  "find the way in this map and do not change it: NAME.yaml of "
	  "map_server, or NAME.db of gdimd",
	  SETTING_FIELD_TEXT(localise), .heading = "Known map:" },
	{ "pose", "X,Y,YAW",
	  "about where the robot is in the map (default: anywhere)",
	  "X,Y,YAW (m, m, rad)", set_pose },
	{ "checkpoint", "FILE",
	  "write a checkpoint, from which --resume continues",
	  SETTING_FIELD_TEXT(checkpoint) },
	{ "resume", NULL, "continue from the checkpoint",
	  SETTING_FIELD_FLAG(resume) },
	{ "continue", NULL,
	  "another day: continue from the checkpoint, wherever in its map the "
	  "robot is",
	  SETTING_FIELD_FLAG(elsewhere) },
	{ "submap", "M", "start a new submap after this travel (5)",
	  SETTING_FIELD_DOUBLE(submap, 0.1, 1000) },
	{ "map-every", "S", "live: interval of publishing the whole map (5)",
	  SETTING_FIELD_DOUBLE(map_every, 0.1, 3600) },
	{ "tf-rate", "HZ",
	  "live, in ROS: publish the transform of odometry so often; 0: with "
	  "each scan (50)",
	  SETTING_FIELD_DOUBLE(tf_rate, 0, 1000) },
	{ "tf-ahead", "S",
	  "its stamps are so much ahead of the robot's clock (0.1)",
	  SETTING_FIELD_DOUBLE(tf_ahead, 0, 10) },
	{ "maps", "DIR",
	  "live, in ROS 2: services may read and write maps and checkpoints in "
	  "this folder (default: none)",
	  SETTING_FIELD_TEXT(maps) },
	{ "lifecycle", "on|off",
	  "live, in ROS 2: begin unconfigured, until nav2's lifecycle manager "
	  "activates it (off)",
	  "on or off", set_lifecycle },
	{ "map-memory", "MB",
	  "memory for the scans that the map is drawn from (256)",
	  SETTING_FIELD_U32(map_memory, 1, 1 << 20) },
	{ "robot", "NAME",
	  "publish topics below /NAME and submaps as NAME/submap_...",
	  "1..60 letters, digits or _, beginning with a letter",
	  set_robot },
	{ "map-frame", "FRAME", "frame of the map (map)",
	  SETTING_FIELD_TEXT(map_frame) },
	{ "odom-frame", "FRAME", "frame of odometry (odom)",
	  SETTING_FIELD_TEXT(odom_frame) },
	{ "base-frame", "FRAME", "frame of the robot (base_link)",
	  SETTING_FIELD_TEXT(base_frame) },
	{ "node", "NAME", "name of the ROS node (slamd)",
	  SETTING_FIELD_TEXT(node) },
	{ "compat", "gmapping",
	  "use maps, matching, weights and defaults of GMapping, for "
	  "comparison",
	  "gmapping", set_compat, .heading = "Filter:" },
	{ "particles", "N", "particles of the filter (30)",
	  SETTING_FIELD_U32(params.particles, 1, SLAM_PARTICLES_MAX) },
	{ "seed", "S", "seed of the random numbers (1)",
	  "0..4294967295", set_seed },
	{ "matcher", "hill|gn",
	  "scan matcher: hill climb or Gauss-Newton (hill)",
	  "hill or gn", set_matcher },
	{ "cutoff", "K",
	  "hill climb: stop after the round with K evaluations (no limit)",
	  SETTING_FIELD_U32(params.cutoff, 1, 1000000) },
	{ "refinements", "N", "hill climb: halvings of the step (6)",
	  SETTING_FIELD_U32(params.refinements, 1, 20) },
	{ "resolution", "M", "cell size of maps (0.05)",
	  SETTING_FIELD_DOUBLE(params.resolution, 0.005, 1) },
	{ "usable-range", "M", "ignore longer beams (default: use all)",
	  SETTING_FIELD_DOUBLE(params.range_max, 0, 1000) },
	{ "distance", "M", "update the particles after this travel (0.05)",
	  SETTING_FIELD_DOUBLE(params.distance, 0, 100) },
	{ "angle", "RAD", "update the particles after this rotation (0.05)",
	  SETTING_FIELD_DOUBLE(params.angle, 0, 3) },
	{ "motion", "NOISE",
	  "noise of odometry: wheels, tracks, gyro, or six numbers (wheels)",
	  "wheels, tracks, gyro, or SLIP,TURN,SLIP/M,SLIP/RAD,TURN/M,TURN/RAD (0..3; the first two above 0)", set_motion },
	{ "wall", "SIGMAS",
	  "limit scan matching to this multiple of the noise; 0: no limit (3)",
	  SETTING_FIELD_DOUBLE(params.wall, 0, 100) },
	{ "loops", "on|off",
	  "close loops with a pose graph (on)", "on or off", set_loops },
	{ "adjust", "on|off",
	  "at the end, move all poses so that the scans agree (on)",
	  "on or off", set_adjust },
	{ "max-speed", "M/S",
	  "maximum speed of the robot; faster odometry is a jump (2.5)",
	  SETTING_FIELD_DOUBLE(params.speed, 0.01, 1000) },
	{ "resample", "SHARE",
	  "resample when this share of particles is effective; 1: always (0.5)",
	  SETTING_FIELD_DOUBLE(params.resample, 0, 1) },
	{ "gain", "G", "log-likelihood of a perfect scan (40)",
	  SETTING_FIELD_DOUBLE(params.gain, 1e-3, 1e6) },
	{ "sharpness", "G",
	  "log-likelihood of a perfect scan in the proposal; 0: use the best "
	  "pose (10000)",
	  SETTING_FIELD_DOUBLE(params.sharpness, 0, 1e9) },
	{ "kld", "ERROR",
	  "KLD sampling with this error, up to --particles (off)",
	  SETTING_FIELD_DOUBLE(params.kld_error, 1e-3, 1) },
	{ "particles-min", "N",
	  "with --kld: minimum number of particles (10)",
	  SETTING_FIELD_U32(params.particles_min, 1, SLAM_PARTICLES_MAX) },
	{ "threads", "T",
	  "worker threads (default: one per CPU; with workers, one each)",
	  SETTING_FIELD_U32(threads, 1, THREAD_POOL_MAX), .heading = "Resources and workers:" },
	{ "memory", "MB",
	  "memory for the particles' maps here (default: what the machine has)",
	  SETTING_FIELD_U32(memory, 1, MEMORY_MB_MAX) },
	{ "engine", "SPEC",
	  "remote workers: amqp://..., mpi, threads (default: none)",
	  SETTING_FIELD_TEXT(engine) },
	{ "job", "NAME", "name of the job at the broker (slam)",
	  SETTING_FIELD_TEXT(job) },
	{ "workers", "N", "workers to wait for; with threads, to start (1)",
	  SETTING_FIELD_U32(workers, 1, BUS_WORKERS) },
	{ "deadline", "MS",
	  "replace particles that workers have not matched by then (wait)",
	  SETTING_FIELD_U32(deadline, 1, 60000) },
	{ "quiet", NULL, "do not print progress",
	  "yes or no", set_quiet, .heading = "Messages:", .letter = 'q' },
	{ "verbose", NULL, "print progress, also if not on a terminal",
	  "yes or no", set_verbose, .letter = 'v' },
	LOG_LEVEL_SETTING,
	{ 0 }
};

/*
 * Dependencies of options
 */

static bool is_localised(const struct slamd_options *o)
{
	return o->localise || o->elsewhere;
}

static bool has_checkpoint(const struct slamd_options *o)
{
	return o->checkpoint;
}

static bool is_local(const struct slamd_options *o)
{
	return !o->engine;
}

static bool makes_map(const struct slamd_options *o)
{
	return !o->localise;
}

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

static bool repeats_tf(const struct slamd_options *o)
{
	return o->from && is_ros(o->to);
}

static bool serves(const struct slamd_options *o)
{
	const char *rest;

	return o->from && o->to && io_is(o->to, "ros2", &rest);
}

static bool is_ahead(const struct slamd_options *o)
{
	return repeats_tf(o) && o->tf_rate > 0;
}

static bool draws_live(const struct slamd_options *o)
{
	return o->from && (o->to || o->map);
}

static bool draws(const struct slamd_options *o)
{
	return o->to || draws_live(o) || (o->elsewhere && o->map);
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

static bool closes_loops(const struct slamd_options *o)
{
	return o->params.loops;
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

/* Options that are refused unless a condition is met */
static const struct need {
	const char	*name;
	bool		(*met)(const struct slamd_options *o);
	const char	*text;
} needs[] = {
	{ "pose", is_localised, "needs --localise or --continue" },
	{ "continue", has_checkpoint, "needs --checkpoint" },
	{ "continue", is_local, "excludes --engine" },
	{ "continue", draws_poses, "excludes --compat gmapping" },
	{ "localise", draws_poses, "excludes --compat gmapping" },
	{ "checkpoint", makes_map, "excludes --localise" },
	{ "map", makes_map, "excludes --localise: the map stays as it is" },
	{ "adjust", makes_map, "excludes --localise" },
	{ "loops", makes_map, "excludes --localise: the map stays as it is" },
	{ "engine", makes_map,
	  "excludes --localise: one map needs no workers" },
	{ "submap", makes_map, "excludes --localise" },
	{ "map-memory", makes_map, "excludes --localise" },
	{ "map-every", makes_map, "excludes --localise" },
	{ "patience", is_live, "needs --from" },
	{ "speed", plays, "needs --from with a recording" },
	{ "submap", publishes, "needs --to" },
	{ "map-every", draws_live, "needs --from, and --to or --map" },
	{ "map-memory", draws,
	  "needs --to, or --map with --from or --continue" },
	{ "tf-rate", repeats_tf, "needs --from, and --to with ROS" },
	{ "tf-ahead", is_ahead, "needs --from, --to with ROS, and --tf-rate" },
	{ "maps", serves, "needs --from, and --to ros2" },
	{ "lifecycle", serves, "needs --from, and --to ros2" },
	{ "robot", publishes, "needs --to" },
	{ "map-frame", publishes, "needs --to" },
	{ "odom-frame", publishes, "needs --to" },
	{ "base-frame", publishes, "needs --to" },
	{ "node", is_node, "needs --from or --to with ROS" },
	{ "job", has_broker, "needs --engine with a broker" },
	{ "workers", has_engine, "needs --engine" },
	{ "deadline", has_engine, "needs --engine" },
	{ "memory", has_maps,
	  "must be given to slam-worker, which has the maps" },
	{ "sharpness", draws_poses, "has no effect with --compat gmapping" },
	{ "motion", draws_poses, "has no effect with --compat gmapping" },
	{ "wall", draws_poses, "has no effect with --compat gmapping" },
	{ "loops", draws_poses, "has no effect with --compat gmapping" },
	{ "adjust", draws_poses, "has no effect with --compat gmapping" },
	{ "adjust", closes_loops, "needs --loops on" },
	{ "max-speed", has_wall,
	  "has no effect with --compat gmapping or --wall 0" },
	{ "kld", resamples, "has no effect without resampling" },
	{ "particles-min", has_kld, "needs --kld" },
	{ "particles-min", is_least, "must not exceed --particles" },
};

static int check_needs(const struct slamd_options *o, const bool *given,
		       const char *program)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (given[settings_row(settings, needs[i].name)] &&
		    !needs[i].met(o))
			return cli_usage(program, "--%s %s", needs[i].name,
					 needs[i].text);
	return 0;
}

static int options_check(void *config, const bool *given, const char *program)
{
	const struct slamd_options *o = config;
	const char *rest;

	if (o->log && o->from)
		return cli_usage(program,
				 "--log and --from exclude each other");
	if (!o->log && !o->from)
		return cli_usage(program, "no input: give --log FILE or --from SOURCE");
	if (o->log && is_ros(o->to))
		return cli_usage(program,
				 "--to with --log must be a recording");
	if (o->resume && !o->checkpoint)
		return cli_usage(program, "--resume needs --checkpoint");
	if (o->map && !text_ends(o->map, ".pgm"))
		return cli_usage(program, "map must be NAME.pgm");
	if (o->tf_rate > 0 && o->tf_rate < 0.01)
		return cli_usage(program, "tf-rate must be 0, or 0.01 to 1000");
	if (!bus_valid_job(o->job))
		return cli_usage(program,
				 "job must have 1 to 63 letters, digits, '.', "
				 "'_' or '-'");
	if (!*o->odom_frame || *o->odom_frame == '/' ||
	    !strcmp(o->odom_frame, o->map_frame))
		return cli_usage(program,
				 "odom-frame must have no leading slash and "
				 "differ from map-frame");
	if (o->from && io_is(o->from, "optsample", &rest)) {
		if (!o->readings.laser)
			return cli_usage(program,
					 "optsample carries no tf: give "
					 "--laser X,Y,YAW");
		if (o->readings.odometry && !strcmp(o->readings.odometry, "tf"))
			return cli_usage(program,
					 "optsample carries no tf: give "
					 "--odometry TOPIC");
	}
	return check_needs(o, given, program);
}

int slamd_parse(struct slamd_options *o, int argc, char **argv)
{
	static const struct settings_program program = {
		.table = settings, .section = "slamd", .check = options_check,
		.doc = "Estimate the trajectory of a robot and a map from its "
		       "laser scans and odometry. See slamd(8).",
	};
	struct error error;
	int err;

	*o = (struct slamd_options){
		.params = slam_defaults, .job = "slam", .workers = 1,
		.node = "slamd", .map_frame = "map", .odom_frame = "odom",
		.base_frame = "base_link", .speed = 1, .patience = 1,
		.submap = 5, .map_every = 5, .map_memory = 256, .tf_rate = 50,
		.tf_ahead = 0.1,
		.adjust = true,
	};
	err = settings_parse(&program, o, argc, argv);
	if (err)
		return err;
	o->ros = is_ros(o->to);
	o->ros2 = serves(o);
	o->resume |= o->elsewhere;
	if (o->localise) {
		o->params.fixed = 1;
		o->params.loops = 0;
	}
	if (o->params.particles_min > o->params.particles)
		o->params.particles_min = o->params.particles;
	if (slam_params_check(&o->params, &error))
		return cli_error(-EINVAL, "%s", error.text);
	return 0;
}
