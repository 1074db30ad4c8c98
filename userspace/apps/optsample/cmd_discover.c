// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample discover DEV - the daemon behind `up`: watches DDS discovery,
 * UDPROS connections and neighbours, and has the classifier sample writers.
 *
 * In: DDS built-in topics, the ROS 1 master, neighbour events, odometry, the
 * rules of `optsample topic` (SIGHUP: read them again). Out: the maps `writers`
 * and `odometer`, permanent neighbour entries, DEV.topics for other commands.
 * Ends with SIGTERM, and leaves everything as it is: `down` cleans up.
 */
#include <argp.h>
#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "apps/optsample/callbacks.h"
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/ip_addr.h"
#include "base/log.h"
#include "bpf/ros_tag.h"
#include "netdev/classifier.h"
#include "netdev/link_thread.h"
#include "netdev/neigh.h"
#include "netdev/netlink.h"
#include "netdev/origin.h"
#include "netdev/qdisc.h"
#include "netdev/redirect.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "netdev/tunnel.h"
#include "topics/discovery.h"
#include "topics/odometer.h"
#include "topics/rules.h"
#include "topics/topic_format.h"
#include "topics/topics.h"
#include "topics/udpros_watch.h"
#include "topics/writers.h"

enum {
	TICK_MS		= 500,
	GUARD_MS	= 1000,		/* a robot must not be cut off for longer */
	TUNNEL_MS	= 1000,		/* how often its route is looked up */
	TUNNEL_PAUSE_MS	= 3000,		/* without one; renewed each time */
	READY_MS	= 1500,		/* most writers are known by then */
	SWEEP_MS	= 40000,	/* all writers are known by then */
	PEERS		= 256,
	GONE		= 256,		/* ended writers with a name */
	LEFT_OUT	= ROS_WRITERS_MAX,	/* may get a freed place */
};

enum {
	OPT_DOMAIN = 256, OPT_TOPICS, OPT_TYPES, OPT_OUTAGE, OPT_ODOMETRY,
	OPT_MASTER, OPT_READY, OPT_LOG_LEVEL,
};

static const struct argp_option discover_options[] = {
	{ "domain", OPT_DOMAIN, "N", 0, "DDS domain (ROS_DOMAIN_ID, else 0)", 1 },
	{ "topics", OPT_TOPICS, "LIST", 0, "sample these topics", 1 },
	{ "types", OPT_TYPES, "LIST", 0, "sample topics of these types", 1 },
	{ "outage", OPT_OUTAGE, "SECONDS", 0, "longest outage to survive (30)", 1 },
	{ "odometry", OPT_ODOMETRY, "TOPIC", 0,
	  "nav_msgs/Odometry topic, to sample by distance", 1 },
	{ "master", OPT_MASTER, "URI", 0, "ROS 1 master, for UDPROS (none)", 1 },
	{ "log-level", OPT_LOG_LEVEL, "LEVEL", 0, LOG_LEVEL_HELP, 1 },
	{ "ready", OPT_READY, "FD", OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

/* A participant; it is dropped after its lease without news */
struct peer {
	uint8_t		guid[TOPIC_GUID];
	uint64_t	lease_ms;
};

struct discover {
	const char		*dev;
	char			lower[IFNAMSIZ]; /* below @dev, an own-DEV */
	int			ifindex;
	int			lower_tried;	/* last ifindex of @lower */
	char			queue[IFNAMSIZ];
	bool			tunnel;
	char			watch[IFNAMSIZ]; /* what it sends by, or "" */
	uint64_t		watched;	/* last discover_follow_tunnel(), ms */
	bool			unrouted;	/* the tunnel has no route */
	uint64_t		guarded;	/* last redirect_guard(), ms */
	struct discovery	*dds;
	int			dds_ifindex;	/* when it was opened */
	struct error		dds_error;
	bool			outside;	/* cannot join the DDS domain */
	bool			masterless;	/* no ROS 1 master answers */
	bool			swept;
	uint64_t		start;
	uint32_t		domain;
	uint32_t		outage_s;
	uint32_t		ready;
	const char		*odometry;
	const char		*master;
	struct topic_rules	defaults;
	struct rule_list	rules;
	struct topic_list	topics;
	struct udpros_watch		*udpros;
	struct odometer		odometer;
	struct peer		peers[PEERS];
	int			npeers;
	int			ngone;
	struct topic_list	left_out;	/* writers beyond the limit */
	bool			forgot;		/* ... and beyond LEFT_OUT */
	bool			crowd_logged;
	struct link_report	link;
	struct writers		writers;
	bool			full_logged;	/* @writers did not take one */
	int			rules_map;
	int			odometer_map;
	bool			dirty;
	char			warnings[1000];	/* up_await() reads 1023 */
};

static volatile sig_atomic_t discover_stop, discover_again;

static void discover_on_signal(int sig)
{
	if (sig == SIGHUP)
		discover_again = 1;
	else
		discover_stop = 1;
}

static error_t discover_parse(int key, char *arg, struct argp_state *state)
{
	struct discover *d = state->input;

	switch (key) {
	case OPT_DOMAIN:
		if (parse_u32(arg, 0, 232, &d->domain))
			return cli_error(-EINVAL, "domain must be 0..232");
		return 0;
	case OPT_TOPICS:
		d->defaults.topics = arg;
		return 0;
	case OPT_TYPES:
		d->defaults.types = arg;
		return 0;
	case OPT_OUTAGE:
		if (parse_u32(arg, 1, 86400, &d->outage_s))
			return cli_error(-EINVAL, "outage must be 1..86400");
		return 0;
	case OPT_ODOMETRY:
		d->odometry = arg;
		return 0;
	case OPT_MASTER:
		d->master = arg;
		return 0;
	case OPT_LOG_LEVEL:
		return callback_log_level(arg);
	case OPT_READY:
		if (parse_u32(arg, 3, 65535, &d->ready))
			return cli_error(-EINVAL, "bad file descriptor");
		return 0;
	case ARGP_KEY_ARG:
		if (d->dev)
			return cli_usage("discover", "one DEV only");
		d->dev = arg;
		return 0;
	case ARGP_KEY_END:
		if (!d->dev)
			return cli_usage("discover", "missing argument DEV");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/*
 * Events
 */

/* @rule: NULL: the options of the queue */
static void discover_log_rule(const struct topic *t, const struct rule *rule)
{
	if (t->why_not)
		log_debug("%s (%s) is not sampled: %s", t->name, t->type,
			  t->why_not);
	else
		log_debug("%s (%s) is sampled%s%s%s", t->name, t->type,
			  rule ? " by the rule " : " as the queue's options say",
			  rule ? rule->pattern : "",
			  t->newest ? ": the newest message only" : "");
}

static void discover_apply_rule(struct discover *d, struct topic *t)
{
	const char *before = t->why_not;
	const struct rule *rule = rules_apply(&d->rules, &d->defaults, t);
	struct error error;

	d->dirty = true;
	if (t->why_not) {
		writers_remove(&d->writers, t->guid);
	} else if (writers_add(&d->writers, t, rule, &error)) {
		t->why_not = "no room";
		if (!d->full_logged)
			cli_warn("%s", error.text);
		d->full_logged = true;
	}
	if (!t->judged || t->why_not != before)
		discover_log_rule(t, rule);
	t->judged = true;
}

/* Continue from an earlier run of the daemon: positions never decrease. */
static void discover_inherit_odometer(struct discover *d)
{
	uint32_t key = 0;
	uint64_t mm;

	if (!bpf_map_lookup_elem(d->odometer_map, &key, &mm))
		d->odometer.travelled = (mm + 0.5) / 1000;
}

static void discover_update_warnings(struct discover *d);

/* The user changed the rules: apply them to all topics. */
static void discover_apply_rules(struct discover *d)
{
	rules_load(d->rules_map, &d->rules);
	for (size_t i = 0; i < d->topics.n; i++)
		if (!d->topics.v[i].gone)
			discover_apply_rule(d, &d->topics.v[i]);
	discover_update_warnings(d);
}

static void discover_on_odometry(void *arg, double x, double y, double z)
{
	struct discover *d = arg;
	uint64_t mm = odometer_step(&d->odometer, x, y, z);
	uint32_t key = 0;

	bpf_map_update_elem(d->odometer_map, &key, &mm, BPF_ANY);
}

static void discover_forget_gone(struct discover *d)
{
	for (size_t i = 0; i < d->topics.n; i++)
		if (d->topics.v[i].gone) {
			topic_drop(&d->topics, d->topics.v[i].guid);
			assert(d->ngone);
			d->ngone--;
			return;
		}
}

/* Append a warning: `show` prints them in one line. */
__attribute__((format(printf, 2, 3)))
static void discover_warn(struct discover *d, const char *format, ...)
{
	size_t len = strlen(d->warnings);
	va_list args;

	if (len)
		len += snprintf(d->warnings + len, sizeof(d->warnings) - len,
				"; ");
	if (len >= sizeof(d->warnings))
		return;
	va_start(args, format);
	vsnprintf(d->warnings + len, sizeof(d->warnings) - len, format, args);
	va_end(args);
}

static void discover_warn_outside(struct discover *d)
{
	char log[STATE_PATH];

	if (!discovery_built()) {
		discover_warn(d, "%s: topics of ROS 2 are not sampled",
			      d->dds_error.text);
		return;
	}
	state_path(d->dev, "log", log);
	discover_warn(
		d,
		"cannot enter DDS domain %u (%s): nothing is sampled yet, see %s",
		d->domain, d->dds_error.text, log);
}

static void discover_warn_leases(struct discover *d)
{
	uint64_t least = UINT64_MAX;
	int n = 0;

	for (int i = 0; i < d->npeers; i++) {
		if (d->peers[i].lease_ms >= d->outage_s * 1000ULL)
			continue;
		n++;
		if (d->peers[i].lease_ms < least)
			least = d->peers[i].lease_ms;
	}
	if (n)
		discover_warn(
			d,
			"%d DDS participant%s given up by the others after %llu s of silence, an outage may last %u s: raise the lease duration",
			n, n == 1 ? " is" : "s are",
			(unsigned long long)least / 1000, d->outage_s);
}

/* Pictures that are not sampled; one topic is named as an example */
static void discover_warn_formats(struct discover *d)
{
	const struct topic *first = NULL;
	char name[TOPIC_NAME];
	int n = 0;

	for (size_t i = 0; i < d->topics.n; i++) {
		const struct topic *t = &d->topics.v[i];

		if (t->gone || !*t->format || !t->why_not ||
		    t->why_not != topic_format_why(t->format, false))
			continue;
		first = first ?: t;
		n++;
	}
	if (!n)
		return;
	topic_ros_name(first->name, name);
	if (n == 1)
		discover_warn(d, "%s (format %s) is not sampled: %s", name,
			      first->format, first->why_not);
	else
		discover_warn(d, "%d topics, %s (format %s) is one, are not sampled: %s",
			      n, name, first->format, first->why_not);
}

/* Unsampled writers first: the space is limited. */
static void discover_update_warnings(struct discover *d)
{
	*d->warnings = '\0';
	if (d->outside)
		discover_warn_outside(d);
	if (d->masterless)
		discover_warn(d, "the ROS master at %s does not answer",
			      d->master);
	if (d->forgot)
		discover_warn(
			d,
			"there were more than %d writers on this host: some are not sampled until they are announced again",
			ROS_WRITERS_MAX + LEFT_OUT);
	else if (d->left_out.n)
		discover_warn(
			d,
			"more than %d writers on this host: %zu others are not sampled",
			ROS_WRITERS_MAX, d->left_out.n);
	if (*d->link.kept)
		discover_warn(d, "%s", d->link.kept);
	if (d->link.crowded)
		discover_warn(
			d,
			"more than %d next hops: the neighbour entries of the others are not kept",
			NEIGH_MAX);
	discover_warn_formats(d);
	if (!d->outside)
		discover_warn_leases(d);
	d->dirty = true;
}

/* Make room by forgetting an ended writer. Return: whether there is room */
static bool discover_has_room(struct discover *d)
{
	if (d->topics.n >= ROS_WRITERS_MAX)
		discover_forget_gone(d);
	return d->topics.n < ROS_WRITERS_MAX;
}

static void discover_leave_out(struct discover *d, const struct topic *topic)
{
	if (d->left_out.n < LEFT_OUT)
		*topic_get(&d->left_out, topic->guid) = *topic;
	else if (!topic_find(&d->left_out, topic->guid))
		d->forgot = true;
	if (!d->crowd_logged)
		cli_warn("more than %d writers on this host: the others are not sampled",
			 ROS_WRITERS_MAX);
	d->crowd_logged = true;
	discover_update_warnings(d);
}

static void discover_add(struct discover *d, const struct topic *topic)
{
	struct topic *t = topic_get(&d->topics, topic->guid);
	uint32_t flow = t->flow;

	assert(!topic->gone && d->ngone >= t->gone);
	d->ngone -= t->gone;
	*t = *topic;
	t->flow = flow;
	discover_apply_rule(d, t);
	if (*t->format)
		discover_update_warnings(d);
}

/* A writer ended: another one gets its place. */
static void discover_admit_next(struct discover *d)
{
	struct topic t;

	if (!d->left_out.n || !discover_has_room(d))
		return;
	assert(d->topics.n < ROS_WRITERS_MAX);
	t = d->left_out.v[0];
	topic_drop(&d->left_out, t.guid);
	discover_add(d, &t);
	discover_update_warnings(d);
}

static void discover_on_gone(void *arg, const uint8_t *guid)
{
	struct discover *d = arg;
	struct topic *t = topic_find(&d->topics, guid);

	writers_remove(&d->writers, guid);
	if (topic_find(&d->left_out, guid)) {
		topic_drop(&d->left_out, guid);
		discover_update_warnings(d);
	}
	if (!t || t->gone)
		return;
	/* Keep its name, as the qdisc remembers its flow for a while. */
	t->gone = true;
	t->why_not = "gone";
	d->dirty = true;
	if (*t->format)
		discover_update_warnings(d);
	if (++d->ngone > GONE)
		discover_forget_gone(d);
	assert(d->ngone <= GONE && d->topics.n >= (size_t)d->ngone);
	discover_admit_next(d);
	/* No writers are left: this includes forgotten ones. */
	if (d->forgot && d->topics.n == (size_t)d->ngone) {
		d->forgot = false;
		discover_update_warnings(d);
	}
}

static void discover_on_topic(void *arg, const struct topic *topic)
{
	struct discover *d = arg;

	/* We, or an earlier run of the daemon, may have sampled it. */
	if (topic->foreign)
		discover_on_gone(d, topic->guid);
	else if (topic_find(&d->topics, topic->guid) || discover_has_room(d))
		discover_add(d, topic);
	else
		discover_leave_out(d, topic);
}

static void discover_on_peer(void *arg, const uint8_t *guid, uint64_t lease_ms)
{
	struct discover *d = arg;
	int i;

	for (i = 0; i < d->npeers; i++)
		if (!memcmp(d->peers[i].guid, guid, TOPIC_GUID))
			break;
	if (!lease_ms) {
		if (i < d->npeers)
			d->peers[i] = d->peers[--d->npeers];
	} else if (i < PEERS) {
		memcpy(d->peers[i].guid, guid, TOPIC_GUID);
		d->peers[i].lease_ms = lease_ms;
		d->npeers += i == d->npeers;
	}
	assert(d->npeers <= PEERS);
	discover_update_warnings(d);
}

static bool discover_foreign(void *arg, const struct ip_addr *a, int n)
{
	const struct discover *d = arg;

	return d->dds_ifindex && origin_is_foreign(a, n, d->dds_ifindex);
}

static const struct discovery_ops discover_ops = {
	.topic		= discover_on_topic,
	.topic_gone	= discover_on_gone,
	.peer		= discover_on_peer,
	.odometry	= discover_on_odometry,
	.foreign	= discover_foreign,
};

/*
 * The device
 */

/*
 * Has another device the name of the one below our ipvlan? Then the ipvlan is
 * removed, or on the wrong one.
 */
static bool discover_lower_is_new(const struct discover *d)
{
	int lower = netlink_ifindex(d->lower);

	return lower && lower != d->lower_tried;
}

/* Return: false while an `up` or `down` is running: try again later */
static bool discover_with_state(struct discover *d,
				void (*fn)(struct state *st))
{
	struct error error;
	int lock = state_lock(false, &error);
	struct state st;

	if (lock < 0) {
		if (lock != -EWOULDBLOCK)
			cli_error(0, "%s", error.text);
		return false;
	}
	if (!state_load(d->dev, &st)) {
		fn(&st);
		state_free(&st);
	}
	close(lock);
	return true;
}

static void discover_on_replaced(struct state *st)
{
	struct error error;
	bool done;

	if (redirect_restore(st, &done, &error))
		cli_error(0, "%s", error.text);
	if (done)
		cli_warn("%s is another device now, which is redirected",
			 st->stack.dev);
}

static void discover_guard(struct state *st)
{
	struct error error;

	if (redirect_guard(st, &callback_netdev_log, &error))
		cli_error(0, "%s", error.text);
}

/* A radio that was plugged in again has the same name. */
static void discover_follow_device(struct discover *d)
{
	int ifindex = netlink_ifindex(d->dev);
	uint64_t now = monotonic_ms();

	if ((!ifindex || ifindex == d->ifindex) && !discover_lower_is_new(d)) {
		if (now - d->guarded >= GUARD_MS &&
		    discover_with_state(d, discover_guard))
			d->guarded = now;
		return;
	}
	if (!discover_with_state(d, discover_on_replaced))
		return;
	d->ifindex = netlink_ifindex(d->dev);
	d->lower_tried = netlink_ifindex(d->lower);
	/* The sockets of DDS belong to the old device. */
	discovery_close(d->dds);
	d->dds = NULL;
	topic_free(&d->topics);
	topic_free(&d->left_out);
	if (d->udpros)
		udpros_watch_forget(d->udpros);
	d->npeers = 0;
	d->ngone = 0;
	d->forgot = false;
	d->swept = false;
	d->start = monotonic_ms();
	discover_update_warnings(d);
}

/*
 * A robot that leaves Wi-Fi for a modem: the tunnel's packets go by another
 * device. Without a route they would be lost: flows are held.
 */
static void discover_follow_tunnel(struct discover *d, uint64_t now)
{
	char name[IFNAMSIZ] = "";
	struct error error = { "" };
	int lower;

	if (!d->tunnel || now - d->watched < TUNNEL_MS)
		return;
	d->watched = now;
	lower = tunnel_lower(d->ifindex);
	if ((lower == -ENETUNREACH) != d->unrouted) {
		d->unrouted = lower == -ENETUNREACH;
		log_debug("%s: gate %s: its tunnel has %s route", d->dev,
			  d->unrouted ? "closed" : "open",
			  d->unrouted ? "no" : "a");
	}
	if (lower == -ENETUNREACH &&
	    qdisc_pause(d->queue, TUNNEL_PAUSE_MS, &error))
		cli_error(0, "%s", error.text);
	if (lower <= 0 || !if_indextoname(lower, name) ||
	    !strcmp(name, d->watch))
		return;
	if (*d->watch)
		cli_warn("%s sends by %s now, not by %s", d->dev, name,
			 d->watch);
	else
		cli_warn("%s sends by %s now", d->dev, name);
	assert(lower > 0 && *name);
	if (qdisc_set_watch(d->queue, name, &error))
		cli_error(0, "%s", error.text);
	else
		strcpy(d->watch, name);
}

static void discover_first_device(struct discover *d)
{
	struct state st;

	d->ifindex = netlink_ifindex(d->dev);
	if (state_load(d->dev, &st))
		return;
	d->ifindex = st.stack.ifindex;
	snprintf(d->lower, IFNAMSIZ, "%s", st.stack.lower);
	snprintf(d->queue, IFNAMSIZ, "%s", st.stack.queue);
	snprintf(d->watch, IFNAMSIZ, "%s", st.stack.watch);
	d->tunnel = *d->watch || tunnel_lower(d->ifindex);
	d->lower_tried = d->ifindex ? netlink_ifindex(d->lower) : 0;
	state_free(&st);
}

/*
 * The loop
 */

/* `up` waits for it in up_await(). */
static void discover_report_ready(struct discover *d)
{
	if (d->ready) {
		/* From now on the daemon outlives `up`. */
		prctl(PR_SET_PDEATHSIG, 0);
		dprintf(d->ready, "%s%s.", d->warnings,
			*d->warnings ? "\n" : "");
		close(d->ready);
	} else if (*d->warnings && !d->outside) {
		cli_warn("%s", d->warnings);
	}
	d->ready = 0;
}

static void discover_turn_dds(struct discover *d, uint64_t now)
{
	bool outside;

	/* Fails while the interface has no address. */
	if (!d->dds) {
		d->dds_ifindex = netlink_ifindex(d->dev);
		d->dds = discovery_open(&(struct discovery_config){
			.domain = d->domain, .dev = d->dev,
			.lease_s = 2 * d->outage_s + 10, .log = callback_log,
		}, &d->dds_error);
		if (d->dds && d->odometry &&
		    discovery_odometry(d->dds, d->odometry))
			cli_warn("cannot read odometry from %s", d->odometry);
	}
	if (d->dds)
		discovery_poll(d->dds, TICK_MS, &discover_ops, d);
	else
		usleep(TICK_MS * 1000);
	outside = !d->dds && now - d->start > READY_MS;
	if (outside != d->outside) {
		d->outside = outside;
		discover_update_warnings(d);
		if (outside)
			cli_warn("%s", d->warnings);
	}
	if (!d->swept && d->dds && !d->masterless && now - d->start > SWEEP_MS) {
		writers_sweep(&d->writers, &d->topics);
		d->swept = true;
		/* Those that were beyond the limit */
		discover_apply_rules(d);
	}
}

static void discover_turn_udpros(struct discover *d)
{
	const char *why = udpros_watch_poll(d->udpros, &discover_ops, d);

	if (!!why == d->masterless)
		return;
	d->masterless = why;
	discover_update_warnings(d);
	if (why)
		cli_warn("%s", why);
}

static void discover_save(struct discover *d)
{
	char path[STATE_PATH];
	struct error error;

	state_path(d->dev, "topics", path);
	if (topic_save(path, &d->topics, d->left_out.n, d->warnings, &error))
		cli_error(0, "%s", error.text);
}

static void discover_loop(struct discover *d, struct link_thread *link)
{
	uint64_t now;
	bool ready = false;

	d->start = monotonic_ms();
	while (!discover_stop) {
		discover_follow_device(d);
		now = monotonic_ms();
		discover_follow_tunnel(d, now);
		discover_turn_dds(d, now);
		if (d->udpros)
			discover_turn_udpros(d);
		if (discover_again) {
			discover_again = 0;
			discover_apply_rules(d);
		}
		writers_apply(&d->writers);
		if (link_thread_report(link, &d->link))
			discover_update_warnings(d);
		if (d->dirty)
			discover_save(d);
		d->dirty = false;
		if (!ready && now - d->start > READY_MS) {
			discover_report_ready(d);
			ready = true;
		}
	}
	discovery_close(d->dds);
}

static int discover_fail(struct discover *d, int err, const char *why)
{
	if (d->ready)
		dprintf(d->ready, "%s", why);
	return cli_error(err, "%s", why);
}

int cmd_discover(int argc, char **argv)
{
	static const struct argp argp = {
		discover_options, discover_parse, "DEV",
		"Discover writers and configure DEV's classifier to sample "
		"them.",
		NULL, NULL, NULL
	};
	struct sigaction sa = { .sa_handler = discover_on_signal };
	static struct discover d = { .outage_s = 30 };
	struct link_thread *link;
	char pins[CLASSIFIER_PATH];
	struct error error;
	int flows, recent;

	d.domain = topics_domain();
	if (cli_parse(&argp, argc, argv, &d))
		return -EINVAL;
	if (geteuid())
		return cli_error(-EPERM, "must be run as root");
	classifier_pins(d.dev, pins);
	d.writers.map = classifier_map(pins, "writers");
	d.rules_map = classifier_map(pins, "topics");
	d.odometer_map = classifier_map(pins, "odometer");
	flows = classifier_map(pins, "flows");
	recent = classifier_map(pins, "recent");
	d.writers.recent = recent;
	if (d.writers.map < 0 || d.rules_map < 0 || d.odometer_map < 0 ||
	    flows < 0 || recent < 0)
		return discover_fail(&d, -ENOENT,
				     "no classifier loaded; 'optsample up' "
				     "loads it");
	if (state_pid_claim(d.dev, &error) < 0)
		return cli_error(-EBUSY, "%s", error.text);
	discover_first_device(&d);
	link = link_thread_start(d.dev, *d.lower ? d.lower : d.dev, flows,
				 recent, &callback_netdev_log);
	if (!link)
		return discover_fail(&d, -EIO, "cannot listen to the kernel's events");
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	writers_inherit(&d.writers);
	discover_inherit_odometer(&d);
	rules_load(d.rules_map, &d.rules);
	if (d.master) {
		d.udpros = udpros_watch_open(d.master, UDPROS_WATCH_MS, &error);
		if (!d.udpros)
			cli_error(0, "%s", error.text);
	}
	discover_loop(&d, link);
	udpros_watch_close(d.udpros);
	rules_free(&d.rules);
	link_thread_stop(link);
	topic_free(&d.topics);
	topic_free(&d.left_out);
	return 0;
}
