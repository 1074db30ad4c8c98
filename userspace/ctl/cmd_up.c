// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample up DEV - all that is needed around an interface, or nothing:
 * on failure everything done so far is undone.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <optsample/sampler.h>
#include "classifier.h"
#include "module.h"
#include "neigh.h"
#include "state.h"

enum {
	UP_PEERS	= 32,
	UP_ARGS		= 16 + 2 * UP_PEERS,
	UP_OUTAGE_S	= 30,
	/*
	 * Enough for an aggregate of a fast link, a fifth of a second of a
	 * 2 Mbit/s one. More of them are lost when the link goes.
	 */
	UP_WIRELESS_INFLIGHT = 32,
	UP_READY_MS	= 15000,
};

enum {
	OPT_LIMIT = 256, OPT_POLICY, OPT_MEMLIMIT, OPT_INFLIGHT, OPT_SETTLE,
	OPT_RATE, OPT_OUTAGE, OPT_DOMAIN, OPT_TOPICS, OPT_TYPES, OPT_PEER,
	OPT_NO_IFB,
};

static const struct argp_option up_options[] = {
	{ "limit", OPT_LIMIT, "N", 0, "messages kept per flow (20)", 1 },
	{ "policy", OPT_POLICY, "NAME", 0, "optsample, gap, 2sample, drop-oldest, drop-newest", 1 },
	{ "memlimit", OPT_MEMLIMIT, "SIZE", 0, "memory for all that is held (64M)", 1 },
	{ "inflight", OPT_INFLIGHT, "N", 0, "packets below the queue at a time; 0: no limit (Wi-Fi: 32)", 1 },
	{ "settle", OPT_SETTLE, "TIME", 0, "hold on after the link came back (500ms)", 1 },
	{ "rate", OPT_RATE, "RATE", 0, "shape to this rate (10Mbit)", 1 },
	{ "outage", OPT_OUTAGE, "SECONDS", 0, "longest outage to survive (30)", 2 },
	{ "domain", OPT_DOMAIN, "N", 0, "DDS domain (ROS_DOMAIN_ID, else 0)", 2 },
	{ "topics", OPT_TOPICS, "LIST", 0, "sample these topics", 2 },
	{ "types", OPT_TYPES, "LIST", 0, "sample topics of these types (images, point clouds, laser scans)", 2 },
	{ "peer", OPT_PEER, "ADDRESS", 0, "peer whose neighbour entry is needed in an outage", 2 },
	{ "no-ifb", OPT_NO_IFB, NULL, 0, "the qdisc on DEV itself: a device that keeps its carrier", 3 },
	{ 0 }
};

struct up {
	const char		*dev;
	struct stack_config	cfg;
	uint32_t		outage_s;
	const char		*domain;
	const char		*topics;
	const char		*types;
	const char		*peers[UP_PEERS];
	int			npeers;
	bool			no_ifb;
};

static int up_policy(const char *name, uint32_t *policy)
{
	for (uint32_t i = 0; i < OPTSAMPLE_POLICY_MAX; i++)
		if (!strcmp(name, optsample_policy_name(i))) {
			*policy = i;
			return 0;
		}
	return -EINVAL;
}

static int up_parse_queue(int key, const char *arg, struct stack_config *cfg)
{
	uint64_t size;

	switch (key) {
	case OPT_LIMIT:
		return parse_u32(arg, 1, 65535, &cfg->limit) ?
		       ctl_error(-EINVAL, "limit must be 1..65535") : 0;
	case OPT_POLICY:
		return up_policy(arg, &cfg->policy) ?
		       ctl_error(-EINVAL, "unknown policy \"%s\"", arg) : 0;
	case OPT_MEMLIMIT:
		if (parse_size(arg, &size) || size < 65536 ||
		    size > 1U << 31)
			return ctl_error(-EINVAL, "memlimit must be 64K..2G");
		cfg->memlimit = size;
		return 0;
	case OPT_INFLIGHT:
		return parse_u32(arg, 0, 1U << 20, &cfg->inflight_packets) ?
		       ctl_error(-EINVAL, "inflight must be 0..1048576 packets") : 0;
	case OPT_SETTLE:
		return parse_time_ms(arg, &cfg->settle_ms) ||
		       cfg->settle_ms > 60000 ?
		       ctl_error(-EINVAL, "settle must be 0..60s") : 0;
	case OPT_RATE:
		return parse_rate(arg, &cfg->rate) ?
		       ctl_error(-EINVAL, "bad rate \"%s\"", arg) : 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int up_parse_dds(int key, char *arg, struct up *up)
{
	uint32_t n;

	switch (key) {
	case OPT_OUTAGE:
		return parse_u32(arg, 1, 86400, &up->outage_s) ?
		       ctl_error(-EINVAL, "outage must be 1..86400 seconds") : 0;
	case OPT_DOMAIN:
		up->domain = arg;
		return parse_u32(arg, 0, 232, &n) ?
		       ctl_error(-EINVAL, "domain must be 0..232") : 0;
	case OPT_TOPICS:
		up->topics = arg;
		return 0;
	case OPT_TYPES:
		up->types = arg;
		return 0;
	case OPT_PEER:
		if (up->npeers == UP_PEERS)
			return ctl_error(-E2BIG, "at most %d peers", UP_PEERS);
		up->peers[up->npeers++] = arg;
		return 0;
	case OPT_NO_IFB:
		up->no_ifb = true;
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
			argp_error(state, "one DEV only");
		up->dev = arg;
		return 0;
	}
	if (key == ARGP_KEY_END && !up->dev)
		argp_error(state, "which DEV?");
	err = up_parse_queue(key, arg, &up->cfg);
	if (err == ARGP_ERR_UNKNOWN)
		err = up_parse_dds(key, arg, up);
	if (err < 0)
		exit(1);
	return err;
}

/*
 * The daemon
 */

static void up_exec(const struct up *up, int ready)
{
	char outage[16], fd[16], log[CTL_PATH];
	const char *argv[UP_ARGS] = {
		"optsample", "discover", up->dev, "--ready", fd,
		"--outage", outage,
	};
	int n = 7, out;

	snprintf(outage, sizeof(outage), "%u", up->outage_s);
	snprintf(fd, sizeof(fd), "%d", ready);
#define UP_PASS(_name, _value) do {					\
	if (_value) {							\
		argv[n++] = _name;					\
		argv[n++] = _value;					\
	}								\
} while (0)
	UP_PASS("--domain", up->domain);
	UP_PASS("--topics", up->topics);
	UP_PASS("--types", up->types);
#undef UP_PASS
	setsid();
	state_path(up->dev, "log", log);
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
	execv("/proc/self/exe", (char **)argv);
	_exit(1);
}

/* Its first words: what to warn of, then a dot. Nothing: it has failed. */
static int up_await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char words[1024] = "";
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(words) - 1 && poll(&p, 1, UP_READY_MS) > 0) {
		got = read(fd, words + n, sizeof(words) - 1 - n);
		if (got <= 0)
			break;
		n += got;
	}
	if (!n || words[n - 1] != '.')
		return ctl_error(-EIO, "discovery did not start: %s",
				 n ? words : "no reason given");
	words[n - 1] = '\0';
	for (char *line = strtok(words, "\n"); line;
	     line = strtok(NULL, "\n"))
		ctl_warn("%s", line);
	return 0;
}

static int up_spawn(const struct up *up)
{
	int fd[2], err;
	pid_t pid;

	if (pipe(fd))
		return ctl_error(-errno, "no pipe: %s", strerror(errno));
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid < 0)
		return ctl_error(-errno, "cannot fork: %s", strerror(errno));
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		up_exec(up, fd[1]);
	}
	close(fd[1]);
	err = up_await(fd[0]);
	close(fd[0]);
	return err;
}

/*
 * All together
 */

static int up_checks(const struct up *up)
{
	struct state st;

	if (geteuid())
		return ctl_error(-EPERM, "must be run as root");
	if (!if_nametoindex(up->dev))
		return ctl_error(-ENODEV, "no device %s", up->dev);
	if (state_lock())
		return -EBUSY;
	if (!state_load(up->dev, &st))
		return ctl_error(-EEXIST, "%s is up already", up->dev);
	return module_load();
}

static int up_all(const struct up *up, struct state *st)
{
	int prog, err;

	prog = classifier_load(up->dev);
	if (prog < 0)
		return prog;
	err = stack_up(&st->stack, &up->cfg, prog);
	close(prog);
	if (err)
		return err;
	err = state_save(st);
	if (err)
		return err;
	for (int i = 0; i < up->npeers; i++)
		if (neigh_poke(up->dev, up->peers[i]) == -EINVAL)
			return -EINVAL;
	return up_spawn(up);
}

static void up_undo(const char *dev, struct state *st)
{
	state_daemon_stop(dev);
	neigh_release(dev);
	stack_down(&st->stack);
	classifier_unload(dev);
	state_remove(dev);
}

int cmd_up(int argc, char **argv)
{
	static const struct argp argp = {
		up_options, up_parse, "DEV",
		"Keep a uniform sample of whole messages while DEV's link is "
		"stalled.", NULL, NULL, NULL
	};
	struct up up = {
		.cfg = { STACK_UNSET, STACK_UNSET, STACK_UNSET, STACK_UNSET,
			 STACK_UNSET, 0 },
		.outage_s = UP_OUTAGE_S,
	};
	struct state st = { 0 };
	sigset_t all;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &up))
		return -EINVAL;
	err = up_checks(&up);
	if (err) {
		rmdir(CTL_RUN);	/* if it was made just now */
		return err;
	}
	if (up.cfg.inflight_packets == STACK_UNSET &&
	    stack_is_wireless(up.dev))
		up.cfg.inflight_packets = UP_WIRELESS_INFLIGHT;
	st.outage_s = up.outage_s;
	snprintf(st.stack.dev, IFNAMSIZ, "%.15s", up.dev);
	if (up.no_ifb)
		snprintf(st.stack.queue, IFNAMSIZ, "%.15s", up.dev);
	else
		stack_ifb_name(up.dev, st.stack.queue);

	/* All or nothing, also with an impatient user */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	err = up_all(&up, &st);
	if (err)
		up_undo(up.dev, &st);
	return err;
}
