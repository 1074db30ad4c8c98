// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample watch [DEV] - every flow, live: rates of input and output, and the
 * share that is kept. On a terminal the view is redrawn in place, else lines
 * are appended. With --view: the bands of optsample-view, on the operator's
 * machine.
 */
#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <optsample/stall.h>
#include "apps/optsample/commands.h"
#include "apps/optsample/daemon_ask.h"
#include "apps/optsample/stats.h"
#include "apps/optsample/view_band.h"
#include "base/cli.h"
#include "base/socket_path.h"

enum { OPT_INTERVAL = 256, OPT_COUNT, OPT_VIEW };
enum { BAR = 20, NAME = 28, FLOWS = 256 };

static const struct argp_option watch_options[] = {
	{ "interval", OPT_INTERVAL, "TIME", 0, "update interval (1s)", 1 },
	{ "count", OPT_COUNT, "N", 0, "number of updates, then exit", 1 },
	{ "view", OPT_VIEW, "SOCKET", OPTION_ARG_OPTIONAL,
	  "what optsample-view received, over time (default: as for view)", 1 },
	{ 0 }
};

/* A flow at the previous look */
struct watch_flow {
	uint32_t	flow;
	uint64_t	in;
	uint64_t	out;
};

struct watch {
	const char		*dev;
	const char		*view;
	char			view_path[SOCKET_PATH];
	uint32_t		interval_ms;
	uint32_t		count;
	bool			tty;
	int			rows;
	int			columns;
	int			lines;
	double			elapsed_s;
	struct watch_flow	old[FLOWS];
	struct watch_flow	new[FLOWS];
	int			nold;
	int			nnew;
};

static volatile sig_atomic_t watch_stop;

static void watch_on_signal(int sig)
{
	(void)sig;
	watch_stop = 1;
}

static error_t watch_parse(int key, char *arg, struct argp_state *state)
{
	struct watch *w = state->input;

	switch (key) {
	case OPT_INTERVAL:
		if (parse_time_ms(arg, 50, 86400000, &w->interval_ms))
			return cli_error(-EINVAL, "interval must be 50ms..24h");
		return 0;
	case OPT_COUNT:
		if (parse_u32(arg, 1, UINT32_MAX, &w->count))
			return cli_error(-EINVAL, "count must be 1 or more");
		return 0;
	case OPT_VIEW:
		socket_path_find(SOCKET_VIEW, w->view_path);
		w->view = arg ? arg : w->view_path;
		return 0;
	case ARGP_KEY_END:
		if (w->view && w->dev)
			return cli_usage("watch", "--view and a DEV");
		return 0;
	case ARGP_KEY_ARG:
		if (w->dev)
			return cli_usage("watch", "one DEV only");
		w->dev = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Lines below the end of the terminal are not drawn. */
static bool watch_room(struct watch *w)
{
	return !w->tty || ++w->lines < w->rows;
}

static const struct watch_flow *watch_before(const struct watch *w,
					     uint32_t flow)
{
	assert(w->nold >= 0 && w->nold <= FLOWS);
	for (int i = 0; i < w->nold; i++)
		if (w->old[i].flow == flow)
			return &w->old[i];
	return NULL;
}

/* '#': sent or queued, '.': dropped */
static void watch_bar(const struct tc_optsample_counters *c, char *bar)
{
	uint64_t lost = c->msgs_sampled + c->msgs_evicted;
	int kept = BAR;

	if (c->msgs_in)
		kept = BAR - (int)((lost * BAR + c->msgs_in - 1) /
				   c->msgs_in);
	for (int i = 0; i < BAR; i++)
		bar[i] = i < kept ? '#' : '.';
	bar[BAR] = '\0';
}

static void watch_show_flow(struct watch *w, const struct flow_stats *f)
{
	const struct watch_flow *old = watch_before(w, f->st.flow);
	char name[NAME + 1], bar[BAR + 1];
	double in = 0, out = 0;

	if (w->nnew < FLOWS)
		w->new[w->nnew++] = (struct watch_flow) {
			f->st.flow, f->st.c.msgs_in, f->st.c.msgs_out,
		};
	assert(w->nnew <= FLOWS);
	assert(!old || old->flow == f->st.flow);
	if (old && w->elapsed_s > 0) {
		in = (f->st.c.msgs_in - old->in) / w->elapsed_s;
		out = (f->st.c.msgs_out - old->out) / w->elapsed_s;
	}
	if (!watch_room(w))
		return;
	stats_flow_name(f, name, sizeof(name));
	watch_bar(&f->st.c, bar);
	printf("%-*s %7.1f %7.1f  %s %4u %8u %7.1f\n", NAME, name, in, out,
	       bar, f->st.backlog_msgs, f->st.distance,
	       f->st.oldest_ns / 1e9);
}

static int watch_one(const char *dev, void *arg)
{
	struct watch *w = arg;
	const char *stall;
	struct dev_stats s;
	int err = stats_read(dev, &s);

	if (err) {
		stats_free(&s);
		return err;
	}
	stall = optsample_stalled(s.queue.qd.stalled);
	if (watch_room(w))
		printf("%s: %s%s, %u messages wait, ordinary %u packets\n",
		       dev, stall ? "STALLED: " : "moving",
		       stall ? stall : "", s.queue.qd.backlog_msgs,
		       s.queue.qd.ordinary_qlen);
	if (s.warnings && watch_room(w))
		printf("warning: %s\n", s.warnings);
	if (watch_room(w))
		printf("%-*s %7s %7s  %-*s %4s %8s %7s\n", NAME, "topic",
		       "in/s", "out/s", BAR, "kept", "wait", "distance",
		       "oldest");
	for (size_t i = 0; i < s.nflows; i++)
		watch_show_flow(w, &s.flow[i]);
	stats_free(&s);
	return 0;
}

/* The bands of optsample-view */
static int watch_view(const struct watch *w)
{
	cJSON *answer = NULL;
	int err = daemon_ask(w->view, "{\"do\":\"status\"}", &answer);

	if (err)
		return err;
	if (!answer)
		return cli_error(-EPROTO, "%s: no answer", w->view);
	view_band_show(answer, w->columns, w->tty ? w->rows : 0);
	cJSON_Delete(answer);
	return 0;
}

static void watch_pause(uint32_t ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);	/* a signal ends it early */
}

static double watch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int watch_loop(struct watch *w)
{
	struct winsize size = { 0 };
	double last = 0, now;
	int err = 0;

	for (uint32_t i = 0; !watch_stop && !err; i++) {
		if (i)
			watch_pause(w->interval_ms);
		if (watch_stop || (w->count && i == w->count))
			break;
		w->rows = 24;
		w->columns = 100;
		if (w->tty && !ioctl(1, TIOCGWINSZ, &size) && size.ws_row) {
			w->rows = size.ws_row;
			w->columns = size.ws_col;
		}
		assert(w->rows > 0 && w->columns > 0);
		w->lines = 0;
		if (w->tty)
			fputs("\033[H\033[J", stdout);
		now = watch_now();
		w->elapsed_s = last ? now - last : 0;
		last = now;
		w->nnew = 0;
		err = w->view ? watch_view(w) :
		      stats_each(w->dev, watch_one, w);
		memcpy(w->old, w->new, sizeof(w->old));
		w->nold = w->nnew;
		if (fflush(stdout))
			break;	/* stdout was closed */
	}
	return err;
}

int cmd_watch(int argc, char **argv)
{
	static const struct argp argp = {
		watch_options, watch_parse, "[DEV]",
		"Print statistics of each flow, live; or what optsample-view "
		"received.", NULL, NULL, NULL
	};
	struct sigaction sa = { .sa_handler = watch_on_signal };
	static struct watch w = { .interval_ms = 1000 };
	int err;

	if (cli_parse(&argp, argc, argv, &w))
		return -EINVAL;
	w.tty = isatty(1);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (w.tty)	/* another screen, no cursor */
		fputs("\033[?1049h\033[?25l", stdout);
	err = watch_loop(&w);
	if (w.tty) {
		fputs("\033[?25h\033[?1049l", stdout);
		fflush(stdout);
		/* What was said before went with the other screen. */
		if (err)
			cli_error(err, "nothing left to watch: %s",
				  strerror(-err));
	}
	return err;
}
