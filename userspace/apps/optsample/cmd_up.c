// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample up DEV - set up all that is needed for an interface, or nothing:
 * on failure everything done so far is undone.
 */
#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/units.h>
#include "apps/optsample/callbacks.h"
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/ifb.h"
#include "base/log.h"
#include "base/queue_profile.h"
#include "netdev/classifier.h"
#include "netdev/device.h"
#include "netdev/module.h"
#include "netdev/neigh.h"
#include "netdev/netlink.h"
#include "netdev/qdisc.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "netdev/tunnel.h"
#include "topics/discovery.h"
#include "topics/rules_file.h"
#include "topics/rules_set.h"

enum {
	UP_PEERS	= 32,
	UP_ARGS		= 22,
	UP_OUTAGE_S	= 30,
	/*
	 * Enough for an aggregate of a fast link; a fifth of a second of a
	 * 2 Mbit/s link. More would be lost in an outage.
	 */
	UP_WIRELESS_INFLIGHT = 32,
	UP_READY_MS	= 15000,
	UP_UNSET	= 0xffffffff,
};

enum {
	OPT_LIMIT = 256, OPT_POLICY, OPT_MEMLIMIT, OPT_INFLIGHT, OPT_SETTLE,
	OPT_RATE, OPT_OUTAGE, OPT_DOMAIN, OPT_TOPICS, OPT_TYPES, OPT_PEER,
	OPT_ODOMETRY, OPT_MASTER, OPT_ADDRESS, OPT_NO_IFB, OPT_NO_KEEP,
	OPT_NO_RECALL, OPT_AGE, OPT_RULES, OPT_LOG_LEVEL,
};

static const struct argp_option up_options[] = {
	{ NULL, 0, NULL, 0, "Queue:", 1 },
	{ "limit", OPT_LIMIT, "N", 0, "messages kept per flow (20)", 1 },
	{ "policy", OPT_POLICY, "NAME", 0, OPTSAMPLE_POLICY_NAMES(", "), 1 },
	{ "memlimit", OPT_MEMLIMIT, "SIZE", 0,
	  "maximum memory for held packets (64M)", 1 },
	{ "inflight", OPT_INFLIGHT, "auto|N", 0,
	  "maximum packets below the queue; 0: no limit (Wi-Fi: 32, else 0)",
	  1 },
	{ "settle", OPT_SETTLE, "TIME", 0,
	  "time to hold after the link is back, with unit (500ms)", 1 },
	{ "age", OPT_AGE, "TIME", 0,
	  "lifetime of other traffic in an outage, with unit; 0: for ever (250ms)", 1 },
	{ "rate", OPT_RATE, "RATE", 0, "shape to this rate, such as 10Mbit (unlimited)", 1 },
	{ NULL, 0, NULL, 0, "Topics and peers:", 2 },
	{ "outage", OPT_OUTAGE, "SECONDS", 0, "longest outage to survive (30)", 2 },
	{ "domain", OPT_DOMAIN, "N", 0, "DDS domain (ROS_DOMAIN_ID, else 0)", 2 },
	{ "topics", OPT_TOPICS, "LIST", 0, "sample these topics", 2 },
	{ "types", OPT_TYPES, "LIST", 0, "sample topics of these types (images, point clouds, laser scans)", 2 },
	{ "rules", OPT_RULES, "FILE", 0,
	  "rules for topics (" RULES_FILE ", if it is there)", 2 },
	{ "odometry", OPT_ODOMETRY, "TOPIC", 0,
	  "nav_msgs/Odometry topic, for topics that are sampled by distance",
	  2 },
	{ "master", OPT_MASTER, "URI", 0, "ROS 1 master, for UDPROS (ROS_MASTER_URI; none)", 2 },
	{ "peer", OPT_PEER, "ADDRESS", 0,
	  "peer whose neighbour entry is kept in an outage", 2 },
	{ NULL, 0, NULL, 0, "Device:", 3 },
	{ "address", OPT_ADDRESS, "ADDRESS/PREFIX", 0,
	  "sample on own-DEV, an ipvlan on DEV with this additional address",
	  3 },
	{ "no-keep", OPT_NO_KEEP, NULL, 0,
	  "do not keep DEV's addresses when its network manager removes them",
	  3 },
	{ "no-recall", OPT_NO_RECALL, NULL, 0, "do not keep messages until the access point has acknowledged them", 3 },
	{ "no-ifb", OPT_NO_IFB, NULL, 0,
	  "put the qdisc on DEV itself, for a device that keeps its carrier",
	  3 },
	{ "log-level", OPT_LOG_LEVEL, "LEVEL", 0, LOG_LEVEL_HELP, 3 },
	{ 0 }
};

/**
 * struct up - options of the user
 * @dev:	DEV, as typed; or, if own-DEV is up,
 * @lower:	the device below it
 * @name:	the interface to set up: DEV, or own-DEV
 * @own:	addresses for own-DEV
 */
struct up {
	const char		*dev;
	char			lower[IFNAMSIZ];
	char			name[IFNAMSIZ];
	struct own_addrs	own;
	struct qdisc_config	cfg;
	uint32_t		outage_s;
	uint32_t		domain;
	char			*topics;
	char			*types;
	char			*odometry;
	char			*master;
	const char		*rules;
	const char		*peers[UP_PEERS];
	int			npeers;
	bool			no_ifb;
	bool			no_keep;
};

/* The last option counts. */
static int up_parse_inflight(const char *arg, struct qdisc_config *cfg)
{
	cfg->inflight_auto = !strcmp(arg, "auto");
	cfg->inflight_packets = 0;
	if (cfg->inflight_auto)
		return 0;
	return parse_u32(arg, 0, 1U << 20, &cfg->inflight_packets) ?
	       cli_error(-EINVAL, "inflight must be auto or 0..1048576 packets") : 0;
}

static int up_parse_queue(int key, const char *arg, struct qdisc_config *cfg)
{
	switch (key) {
	case OPT_LIMIT:
		return parse_u32(arg, 1, 65535, &cfg->limit) ?
		       cli_error(-EINVAL, "limit must be 1..65535") : 0;
	case OPT_POLICY:
		return parse_policy(arg, &cfg->policy) ?
		       cli_error(-EINVAL, "unknown policy \"%s\"", arg) : 0;
	case OPT_MEMLIMIT:
		return parse_size(arg, 1U << 16, 1U << 31, &cfg->memlimit) ?
		       cli_error(-EINVAL, "memlimit must be 64K..2G") : 0;
	case OPT_INFLIGHT:
		return up_parse_inflight(arg, cfg);
	case OPT_SETTLE:
		return parse_time_ms(arg, 0, 60000, &cfg->settle_ms) ?
		       cli_error(-EINVAL, "settle must be 0..60s in whole milliseconds, with its unit") : 0;
	case OPT_AGE:
		return parse_time_ms(arg, 0, 86400000, &cfg->age_ms) ?
		       cli_error(-EINVAL, "age must be 0..24h in whole milliseconds, with its unit") : 0;
	case OPT_RATE:
		return parse_rate(arg, &cfg->rate) ?
		       cli_error(-EINVAL, "bad rate \"%s\": it must be 8bit or more, or unlimited", arg) : 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* It must fit on a line of a file. */
static int up_parse_list(const char *list)
{
	return strchr(list, '\n') ?
	       cli_error(-EINVAL, "LIST must be one line") : 0;
}

static int up_parse_address(const char *arg, struct own_addrs *own)
{
	struct error error;
	int err = own_parse(arg, own, &error);

	return err ? cli_error(err, "%s", error.text) : 0;
}

static int up_parse_dds(int key, char *arg, struct up *up)
{
	switch (key) {
	case OPT_OUTAGE:
		return parse_u32(arg, 1, 86400, &up->outage_s) ?
		       cli_error(-EINVAL, "outage must be 1..86400 seconds") : 0;
	case OPT_DOMAIN:
		return parse_u32(arg, 0, 232, &up->domain) ?
		       cli_error(-EINVAL, "domain must be 0..232") : 0;
	case OPT_TOPICS:
		up->topics = arg;
		return up_parse_list(arg);
	case OPT_TYPES:
		up->types = arg;
		return up_parse_list(arg);
	case OPT_ODOMETRY:
		up->odometry = arg;
		return up_parse_list(arg);
	case OPT_MASTER:
		up->master = arg;
		return up_parse_list(arg);
	case OPT_RULES:
		up->rules = arg;
		return 0;
	case OPT_PEER:
		if (up->npeers == UP_PEERS)
			return cli_error(-E2BIG, "at most %d peers", UP_PEERS);
		assert(up->npeers < UP_PEERS);
		up->peers[up->npeers++] = arg;
		return 0;
	case OPT_ADDRESS:
		return up_parse_address(arg, &up->own);
	case OPT_NO_IFB:
		up->no_ifb = true;
		return 0;
	case OPT_NO_KEEP:
		up->no_keep = true;
		return 0;
	case OPT_LOG_LEVEL:
		return callback_log_level(arg);
	case OPT_NO_RECALL:
		up->cfg.recall = TC_OPTSAMPLE_RECALL_OFF;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t up_parse(int key, char *arg, struct argp_state *state)
{
	struct up *up = state->input;
	int err;

	if (key == ARGP_KEY_ARG) {
		if (up->dev)
			return cli_usage("up", "one DEV only");
		if (strchr(arg, '/'))
			return cli_usage("up", "%s cannot be an interface: has it a dash? See AT BOOT in optsample(8)",
					 arg);
		up->dev = arg;
		return 0;
	}
	if (key == ARGP_KEY_END && !up->dev)
		return cli_usage("up", "missing argument DEV");
	err = up_parse_queue(key, arg, &up->cfg);
	return err == ARGP_ERR_UNKNOWN ? up_parse_dds(key, arg, up) : err;
}

/*
 * The daemon
 */

static void up_exec(const struct state *st, int ready)
{
	char outage[16], domain[16], fd[16], log[STATE_PATH];
	const char *dev = st->stack.dev, *argv[UP_ARGS] = {
		"optsample", "discover", dev, "--ready", fd,
		"--outage", outage, "--domain", domain,
	};
	int n = 9, out, err;

	snprintf(outage, sizeof(outage), "%u", st->outage_s);
	snprintf(domain, sizeof(domain), "%u", st->domain);
	snprintf(fd, sizeof(fd), "%d", ready);
#define UP_PASS(_name, _value) do {					\
	if ((_value) && *(_value)) {					\
		argv[n++] = _name;					\
		argv[n++] = _value;					\
	}								\
} while (0)
	UP_PASS("--topics", st->topics);
	UP_PASS("--types", st->types);
	UP_PASS("--odometry", st->odometry);
	UP_PASS("--master", st->master);
	UP_PASS("--log-level", log_level_name());
#undef UP_PASS
	assert(n < UP_ARGS && !argv[n]);
	setsid();
	state_path(dev, "log", log);
	out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (out >= 0) {
		dup2(out, 1);
		dup2(out, 2);
		close(out);
	}
	out = open("/dev/null", O_RDONLY);
	if (out >= 0)
		dup2(out, 0);
	if (chdir("/"))
		_exit(1);
	err = helper_exec(argv);
	dprintf(ready, "cannot run optsample-discover: %s", strerror(-err));
	_exit(1);
}

/* The daemon writes warnings and a dot. Without a dot it has failed. */
static int up_await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char words[1024] = "";
	size_t n = 0;
	int ready = 0;
	ssize_t got;

	while (n < sizeof(words) - 1 &&
	       (ready = poll(&p, 1, UP_READY_MS)) > 0) {
		got = read(fd, words + n, sizeof(words) - 1 - n);
		if (got <= 0)
			break;
		n += got;
	}
	if (!n || words[n - 1] != '.')
		return cli_error(-EIO, "discovery did not start: %s",
				 n ? words :
				 ready ? "no reason given" : "no answer in time");
	words[n - 1] = '\0';
	for (char *line = strtok(words, "\n"); line;
	     line = strtok(NULL, "\n"))
		cli_warn("%s", line);
	return 0;
}

static int up_spawn(const struct state *st)
{
	int fd[2], err;
	pid_t pid, self = getpid();

	if (pipe(fd))
		return cli_error(-errno, "no pipe: %s", strerror(errno));
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid < 0)
		return cli_error(-errno, "cannot fork: %s", strerror(errno));
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		/* Until it is ready it must die with us. */
		if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != self)
			_exit(1);
		up_exec(st, fd[1]);
	}
	close(fd[1]);
	err = up_await(fd[0]);
	close(fd[0]);
	return err;
}

/*
 * Set-up
 */

static void up_text(char **to, const char *given)
{
	if (!given)
		return;
	free(*to);
	*to = strdup(given);
}

/* Options that are not given stay as in @st. */
static void up_daemon_options(const struct up *up, struct state *st)
{
	if (up->outage_s != UP_UNSET)
		st->outage_s = up->outage_s;
	if (up->domain != UP_UNSET)
		st->domain = up->domain;
	up_text(&st->topics, up->topics);
	up_text(&st->types, up->types);
	up_text(&st->odometry, up->odometry);
	up_text(&st->master, up->master);
}

/* Add peers to the file of @name for the daemon */
static int up_peers(const struct up *up, const char *name,
		    struct error *error)
{
	int err = 0;

	for (int i = 0; !err && i < up->npeers; i++)
		err = neigh_peer(name, up->peers[i], error);
	return err;
}

/*
 * A state file exists.
 * Return: 0 to go on, as if there were none; 1: it is up; negative errno
 */
static int up_again(const struct up *up, struct state *old)
{
	char why[STACK_WHY] = "was not set up completely";
	struct error error;
	int err;

	if (!state_is_here(old))
		return cli_error(-EEXIST, "%s is up in another network namespace",
				 up->dev);
	if (!old->ready || !stack_is_whole(&old->stack, why)) {
		cli_warn("%s %s: setting it up again", old->stack.dev, why);
		return down_undo(old);
	}
	if (up->own.n && !*old->stack.lower)
		return cli_error(-EEXIST, "%s is up already, without an address of the robot's own: run 'optsample down %s' first",
				 up->dev, up->dev);
	if (up->own.n && !own_same(&up->own, &old->stack.own))
		return cli_error(-EEXIST, "%s is up already, with other addresses: run 'optsample down %s' first",
				 up->dev, up->dev);
	if (state_pid_of(old->stack.dev) > 0)
		return cli_error(-EEXIST, "%s is up already", up->dev);
	up_daemon_options(up, old);
	err = up_peers(up, old->stack.dev, &error) ?: state_save(old, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = up_spawn(old);
	if (err)
		return err;
	printf("%s is up already; discovery had ended and is started again\n",
	       up->dev);
	return 1;
}

/*
 * Read the state of DEV or of own-DEV. Addresses that are not given stay as
 * they are. Return: false if neither is up
 */
static bool up_find(struct up *up, struct state *old)
{
	if (state_load(state_name(up->dev, up->name), old))
		return false;
	if (*old->stack.lower) {
		snprintf(up->lower, IFNAMSIZ, "%s", old->stack.lower);
		up->dev = up->lower;
		if (!up->own.n)
			up->own = old->stack.own;
	}
	return true;
}

/* Check options for own-DEV before anything is changed. */
static int up_own_options(struct up *up)
{
	if (!up->own.n) {
		snprintf(up->name, IFNAMSIZ, "%.15s", up->dev);
		return 0;
	}
	own_name(up->dev, up->name);
	if (up->no_ifb)
		return cli_error(-EINVAL, "address and no-ifb exclude each other: %s loses its carrier with %s",
				 up->name, up->dev);
	if (up->cfg.settle_ms < OWN_SETTLE_MS)
		return cli_error(-EINVAL, "with an address of its own settle must be at least %dms: %s gets its carrier a moment later than %s",
				 OWN_SETTLE_MS, up->name, up->dev);
	return 0;
}

static int up_check_kernel(const struct up *up)
{
	struct error error;
	int err = 0;

	if (up->own.n)
		err = own_check(up->name, up->dev, &up->own, &error);
	if (!err)
		err = module_load(&error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

static int up_checks(struct up *up)
{
	char master[IFNAMSIZ];
	struct error error;
	struct state old = { 0 };
	sigset_t all;
	int err = 0;
	bool found;

	if (geteuid())
		return cli_error(-EPERM, "must be run as root");
	if (state_lock(true, &error) < 0)
		return cli_error(-EBUSY, "%s", error.text);
	/* All or nothing, even on Ctrl-C */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	found = up_find(up, &old);
	if (!netlink_ifindex(up->dev))
		err = cli_error(-ENODEV, "no device %s", up->dev);
	else if (device_is_port(up->dev, master))
		err = cli_error(-EINVAL, "%s is a port of %s, which drops packets while %s has no carrier: run 'optsample up %s' instead",
				up->dev, master, up->dev, master);
	else
		err = up_own_options(up);
	if (!err && found)
		err = up_again(up, &old);
	state_free(&old);
	return err ?: up_check_kernel(up);
}

static int up_keep(struct stack *s, struct error *error)
{
	int prog, err;

	if (!s->made_keep)
		return 0;
	if (s->egress)
		return stack_keep(s, -1, &callback_netdev_log, error);
	prog = classifier_load_keep(s->dev, error);
	if (prog < 0)
		return prog;
	err = stack_keep(s, prog, &callback_netdev_log, error);
	close(prog);
	return err;
}

static int up_stack(const struct up *up, struct stack *s,
		    struct error *error)
{
	int prog, redirect = -1, err;

	prog = classifier_load(up->name, error);
	if (prog < 0)
		return prog;
	if (stack_redirects_by_bpf(s)) {
		redirect = classifier_load_redirect(s->dev, s->queue, error);
		if (redirect < 0)
			cli_error(0, "%s", error->text);
		if (redirect < 0)
			cli_warn("mirred redirects %s instead: TCP has no back-pressure",
				 s->dev);
	}
	err = stack_up(s, &up->cfg, prog, redirect, &callback_netdev_log,
		       error);
	if (redirect >= 0)
		close(redirect);
	close(prog);
	return err;
}

/*
 * Rules
 */

static int up_take_rule(void *arg, const struct rules_section *s)
{
	struct error error;

	if (!rules_set_put(arg, s->patterns, s->n, &s->rule, &error))
		return 0;
	cli_error(0, "%s", error.text);
	cli_warn("rules: the rule of %s is left out", s->patterns[0]);
	return 0;
}

static void up_bad_rule(void *arg, const char *why)
{
	(void)arg;
	cli_warn("rules: line %s: this rule is left out", why);
}

/* A robot must come up, whatever is in the file. */
static int up_rules(const struct up *up, struct stack *s,
		    struct error *error)
{
	const char *path = up->rules ?: RULES_FILE;
	struct rules_set set = {
		.set_profile = callback_set_profile, .arg = s->queue,
	};
	struct queue_profile commands = rules_profile(&rules_commands.r);
	char pins[CLASSIFIER_PATH];
	int err;

	err = callback_set_profile(s->queue, &commands, error);
	if (err)
		return err;
	classifier_pins(s->dev, pins);
	set.map = classifier_map(pins, "topics");
	if (set.map < 0)
		return error_set(error, set.map,
				 "cannot open the map of rules: %s",
				 strerror(-set.map));
	rules_load(set.map, &set.rules);
	err = rules_file_read(path, up_take_rule, &set, up_bad_rule);
	if (err && (err != -ENOENT || up->rules))
		cli_warn("cannot read the rules of %s: %s", path,
			 strerror(-err));
	rules_free(&set.rules);
	close(set.map);
	return 0;
}

static int up_kernel(const struct up *up, struct state *st,
		     struct error *error)
{
	struct stack *s = &st->stack;

	/* Write the plan to the file first: `down` can undo it if we die. */
	return stack_plan(s, error) ?: state_save(st, error) ?:
	       stack_own(s, error) ?: stack_queue(s, error) ?:
	       up_stack(up, s, error) ?: up_rules(up, s, error) ?:
	       up_keep(s, error) ?: state_save(st, error) ?:
	       up_peers(up, up->name, error);
}

static int up_all(const struct up *up, struct state *st)
{
	struct error error;
	int err = up_kernel(up, st, &error);

	if (err)
		return cli_error(err, "%s", error.text);
	err = up_spawn(st);
	if (err)
		return err;
	st->ready = true;
	err = state_save(st, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

/* A tunnel's link is that of the device which it sends by. */
static int up_tunnel(struct stack *s)
{
	int lower = *s->lower ? 0 : tunnel_lower(netlink_ifindex(s->dev));

	if (lower == -EDESTADDRREQ)
		cli_warn("%s is a tunnel whose remote end is not known: its outages are not seen until it is",
			 s->dev);
	if (lower == -ENETUNREACH)
		return cli_error(lower, "%s is a tunnel without a route to its remote end: which link counts is not known",
				 s->dev);
	if (lower > 0 && !if_indextoname(lower, s->watch))
		*s->watch = '\0';
	return 0;
}

static void up_state(const struct up *up, struct state *st)
{
	struct stack *s = &st->stack;

	st->outage_s = UP_OUTAGE_S;
	st->domain = topics_domain();
	up_text(&st->master, getenv("ROS_MASTER_URI"));
	up_daemon_options(up, st);
	st->settles = up->cfg.settle_ms != QDISC_UNSET;
	snprintf(s->dev, IFNAMSIZ, "%s", up->name);
	if (up->no_ifb)
		snprintf(s->queue, IFNAMSIZ, "%s", up->name);
	else
		ifb_name(up->name, s->queue);
	/* No manager removes addresses of own-DEV. */
	if (up->own.n) {
		snprintf(s->lower, IFNAMSIZ, "%.15s", up->dev);
		s->own = up->own;
		return;
	}
	/* Addresses belong to a bridge or VRF, not to its ports. */
	if (!up->no_ifb && !up->no_keep && device_is_ethernet(up->dev) &&
	    !device_has_master(up->dev))
		keep_name(up->dev, s->keep);
}

/* DDS uses the first interface unless it is configured. */
static void up_print_dds(const struct stack *s)
{
	char text[OWN_LIST];

	if (!*s->lower)
		return;
	own_text(&s->own, text);
	printf("%s has %s; configure DDS to use it: "
	       "CYCLONEDDS_URI='<General><Interfaces><NetworkInterface "
	       "name=\"%s\"/></Interfaces></General>'\n",
	       s->dev, text, s->dev);
}

int cmd_up(int argc, char **argv)
{
	static const struct argp argp = {
		up_options, up_parse, "DEV",
		"Keep a uniform sample of whole messages while DEV's link is "
		"stalled.", NULL, NULL, NULL
	};
	struct up up = {
		.cfg = { QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, QDISC_UNSET,
			 QDISC_UNSET, QDISC_UNSET,
			 TC_OPTSAMPLE_RECALL_AUTO, QDISC_UNSET, 0 },
		.outage_s = UP_UNSET,
		.domain = UP_UNSET,
	};
	struct state st = { 0 };
	int err;

	if (cli_parse(&argp, argc, argv, &up))
		return -EINVAL;
	err = up_checks(&up);
	if (err)
		return err < 0 ? err : 0;
	if (up.cfg.inflight_packets == QDISC_UNSET &&
	    device_is_wireless(up.dev))
		up.cfg.inflight_packets = UP_WIRELESS_INFLIGHT;
	up_state(&up, &st);
	err = up_tunnel(&st.stack) ?: up_all(&up, &st);
	if (err)
		down_undo(&st);
	else
		up_print_dds(&st.stack);
	state_free(&st);
	return err;
}
