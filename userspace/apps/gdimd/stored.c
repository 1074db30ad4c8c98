// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored - work of the thread that stores, and notification of the loop
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>
#include "apps/gdimd/gdimd.h"
#include "base/error.h"
#include "base/service.h"
#include "map/ros/rates.h"
#include "ros/io/io.h"

static const uint64_t second = 1000000000ULL;

/* Limit of the queue, bytes: 6000 submaps of 200 x 200 cells */
#define WAITING_BYTES	((size_t)256 << 20)

/* Checkpoint after this time without input, ns: then it delays no input */
#define CHECKPOINT_AFTER	(5 * 1000000000ULL)

void gdimd_stored(struct gdimd *g, unsigned int what)
{
	const uint64_t one = 1;

	fuser_kick(g->fuser);
	__atomic_fetch_or(&g->stored, what, __ATOMIC_ACQ_REL);
	/* full: the loop was already notified */
	if (write(g->changed.fd, &one, sizeof(one)) < 0)
		return;
}

static void on_stored(void *arg)
{
	gdimd_stored(arg, GDIMD_SUBMAPS);
}

static void stored_on_changed(void *arg, uint32_t events)
{
	struct gdimd *g = arg;
	unsigned int what;
	uint64_t n;

	(void)events;
	if (read(g->changed.fd, &n, sizeof(n)) < 0)
		return;
	what = __atomic_exchange_n(&g->stored, 0, __ATOMIC_ACQ_REL);
	g->checkpoint.due = loop_now() + CHECKPOINT_AFTER;
	for (unsigned int i = 0; i < MAP_PUBLISHER_STATES && g->publisher; i++)
		if (what & 1U << i)
			map_publisher_stored(g->publisher, i);
}

/* Nothing can be stored any more: logged once */
bool gdimd_store_is_lost(struct gdimd *g)
{
	if (__atomic_load_n(&g->lost, __ATOMIC_ACQUIRE))
		return true;
	if (store_is_there(site_store(g->site)))
		return false;
	if (__atomic_exchange_n(&g->lost, true, __ATOMIC_ACQ_REL))
		return true;
	service_logf(LOG_CRIT, "%s was deleted or replaced: nothing can be "
		     "stored, all input is rejected. Restart gdimd",
		     g->config.store);
	return true;
}

/* Called with the lock held. At most one line a second: errors may repeat */
static void log_rejected(struct gdimd *g, const char *line)
{
	const uint64_t now = loop_now();

	if (g->refusal_logged && now - g->refusal_logged < second) {
		g->refusals_since++;
		return;
	}
	if (g->refusals_since)
		service_logf(LOG_WARNING, "%s (and %u before)", line,
			     g->refusals_since);
	else
		service_logf(LOG_WARNING, "%s", line);
	assert(now >= g->refusal_logged);
	g->refusal_logged = now;
	g->refusals_since = 0;
}

static void on_refused(void *arg, const char *line)
{
	struct gdimd *g = arg;

	if (gdimd_store_is_lost(g))
		return;
	pthread_mutex_lock(&g->refusal_lock);
	log_rejected(g, line);
	pthread_mutex_unlock(&g->refusal_lock);
}

/* Clients of queries and commands get only the error */
void gdimd_on_io_error(void *gdimd, const char *line)
{
	struct gdimd *g = gdimd;

	__atomic_add_fetch(&g->io_errors, 1, __ATOMIC_RELAXED);
	on_refused(g, line);
}

static void on_dropped(void *arg, const char *topic)
{
	(void)arg;
	service_logf(LOG_ERR, "%s: messages dropped: more than %zu MB wait to "
		     "be stored; counted in the status", topic,
		     WAITING_BYTES >> 20);
}

/*
 * Other work of the thread that stores
 */

static void do_checkpoint(void *arg, const char *text, double value)
{
	struct gdimd *g = arg;

	(void)text;
	(void)value;
	if (store_checkpoint(site_store(g->site)))
		service_logf(LOG_WARNING, "%s",
			     store_error(site_store(g->site)));
}

/* @text: kind, path and error, a line each */
static void do_note(void *arg, const char *text, double value)
{
	struct gdimd *g = arg;
	char kind[64], path[RECORDER_PATH];
	struct error error;

	(void)value;
	*kind = *path = *error.text = 0;
	sscanf(text, "%63[^\n]\n%1023[^\n]\n%255[^\n]", kind, path, error.text);
	if (store_note(site_store(g->site), io_now(), kind,
		       *error.text ? error.text : "written", path))
		service_logf(LOG_WARNING, "%s",
			     store_error(site_store(g->site)));
}

static void do_keep_rate(void *arg, const char *name, double hz)
{
	struct error error;

	if (rates_keep(((struct gdimd *)arg)->site, name, hz, &error))
		service_logf(LOG_WARNING, "cannot store the rate of %s: %s",
			     name, error.text);
}

void gdimd_keep_rate(void *arg, const char *name, double hz)
{
	struct gdimd *g = arg;

	if (storing_do(g->storing, do_keep_rate, name, hz))
		service_logf(LOG_WARNING, "cannot store the rate of %s: out of "
			     "memory", name);
}

/* There was no input for a while: a checkpoint delays no input */
static void on_checkpoint(void *arg, uint64_t now)
{
	struct gdimd *g = arg;

	(void)now;
	storing_do(g->storing, do_checkpoint, "", 0);
}

/* Record it in the store's journal, for `notes` */
void gdimd_note(void *arg, const char *kind, const char *path,
		const char *error)
{
	struct gdimd *g = arg;
	char text[64 + RECORDER_PATH + ERROR_TEXT];

	if (error)
		service_logf(LOG_ERR, "%s: %s", kind, error);
	snprintf(text, sizeof(text), "%.60s\n%s\n%s", kind, path,
		 error ? error : "");
	if (storing_do(g->storing, do_note, text, 0))
		service_logf(LOG_WARNING,
			     "%s: cannot store the note: out of memory", path);
}

/*
 * Input
 */

static void on_state(void *arg, enum map_publisher_state what)
{
	gdimd_stored(arg, 1U << what);
}

static int on_image(void *arg, const union message *m)
{
	struct gdimd *g = arg;

	recorder_image(g->recorder, m);
	return map_publisher_pass(g->publisher, "thermal_image", MESSAGE_IMAGE,
				  false, m);
}

static void store_message(void *arg, const struct source_message *m)
{
	static union message msg;	/* large; only used by this thread */

	input_topics_take(&((struct gdimd *)arg)->topics, m, &msg);
}

/* Images are passed on at once and not stored */
void gdimd_message(void *gdimd, const struct source_message *m)
{
	static union message msg;	/* large; only used by the loop */
	struct gdimd *g = gdimd;

	if (m->kind == MESSAGE_IMAGE)
		input_topics_take(&g->topics, m, &msg);
	else
		storing_message(g->storing, m);
}

void gdimd_found(void *gdimd, const char *topic, enum message_kind kind)
{
	struct gdimd *g = gdimd;

	input_topics_found(&g->topics, g->source, topic, kind);
}

/* In the thread that stores */
static int begin_storing(void *arg, struct loop *loop)
{
	struct gdimd *g = arg;
	const int err = map_input_open(&g->input, g->site, loop, &g->config.map,
				       on_stored, on_refused, g);

	g->topics = (struct input_topics){
		.config = &g->config.map, .input = g->input,
		.stored = on_state, .image = on_image, .arg = g,
	};
	return err;
}

static void end_storing(void *arg)
{
	map_input_close(((struct gdimd *)arg)->input);
}

int gdimd_storing_open(struct gdimd *g)
{
	const struct storing_config config = {
		.site = g->site, .bytes = WAITING_BYTES,
		.begin = begin_storing, .message = store_message,
		.end = end_storing, .dropped = on_dropped, .arg = g,
	};
	const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	pthread_mutex_init(&g->refusal_lock, NULL);
	g->changed.ready = stored_on_changed;
	g->changed.arg = g;
	err = loop_watch(g->loop, &g->changed, fd, EPOLLIN);
	if (!err)
		err = jobs_open(&g->jobs, g->loop);
	if (!err)
		err = storing_open(&g->storing, &config);
	if (err)
		return err;
	g->checkpoint = (struct loop_timer){ LOOP_NEVER, on_checkpoint, g,
					     NULL };
	loop_add_timer(g->loop, &g->checkpoint);
	return 0;
}
