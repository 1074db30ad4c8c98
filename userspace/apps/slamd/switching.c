// SPDX-License-Identifier: GPL-2.0-only
/*
 * switching.c - a session with options of its own next to the running one
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>
#include "apps/slamd/switching.h"
#include "base/cli.h"
#include "base/service.h"

/**
 * struct place - a session with its options
 * @checkpoint: its file, if there is one; also of one without a name
 * @map:	its known map, or the checkpoint that it continues
 */
struct place {
	struct session		session;
	struct slamd_options	o;
	char			checkpoint[COMMAND_PATH], map[COMMAND_PATH];
};

/**
 * struct switching
 * @base:	the command line
 * @next:	is open; NULL: none
 */
struct switching {
	const struct slamd_options	*base;
	struct place			*now, *next;
};

/* Not open. Return: NULL: no memory */
static struct place *place_create(const struct slamd_options *o,
				  const char *log)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->o = *o;
	p->session.o = &p->o;
	p->session.log = log;
	return p;
}

static void place_destroy(struct place *p)
{
	if (!p)
		return;
	session_close(&p->session);
	free(p);
}

struct switching *switching_create(const struct slamd_options *o,
				   const char *log)
{
	struct switching *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base = o;
	s->now = place_create(o, log);
	if (s->now)
		return s;
	free(s);
	return NULL;
}

void switching_destroy(struct switching *s)
{
	if (!s)
		return;
	place_destroy(s->now);
	free(s);
}

struct session *switching_session(const struct switching *s)
{
	return &s->now->session;
}

/*
 * Checkpoints
 */

/* A name next to --checkpoint, or in --maps. Without both there is none */
static void name_checkpoint(const struct switching *s, struct place *p)
{
	const char *file = s->base->checkpoint;
	const char *slash = file ? strrchr(file, '/') : NULL;
	const int pid = (int)getpid();

	p->o.checkpoint = NULL;
	if (!file && !s->base->maps)
		return;
	p->o.checkpoint = p->checkpoint;
	if (file)
		snprintf(p->checkpoint, sizeof(p->checkpoint),
			 "%.*s.slamd-%d.ckpt",
			 slash ? (int)(slash - file) + 1 : 0, file, pid);
	else
		snprintf(p->checkpoint, sizeof(p->checkpoint),
			 "%s/.slamd-%d.ckpt", s->base->maps, pid);
	p->o.working = !file;
	/* of a process of that number that was killed */
	unlink(p->checkpoint);
}

/* Return: 0 or a negative errno after one line on stderr */
static int copy_checkpoint(const char *from, const char *to)
{
	struct checkpoint_mark mark;
	struct error error;
	int err = checkpoint_mark_file(&mark, from, &error);

	if (!err) {
		err = checkpoint_mark_copy(&mark, to, &error);
		checkpoint_mark_close(&mark);
	}
	return err ? cli_error(err, "%s", error.text) : 0;
}

/* As session_open(); a working checkpoint loses its name */
static int place_open(struct place *p, bool (*interrupted)(void *arg))
{
	const int err = session_open(&p->session, interrupted);

	if (p->o.working)
		unlink(p->checkpoint);
	return err;
}

/* The checkpoint of --checkpoint moves away, and that of the new session gets
 * its name
 */
static void take_name(const char *file, struct place *p)
{
	char old[COMMAND_PATH + 16];
	unsigned int n = 0;

	do
		snprintf(old, sizeof(old), "%s.%u", file, ++n);
	while (!access(old, F_OK));
	if (!rename(file, old))
		service_logf(LOG_INFO, "%s: the checkpoint of the map before "
			     "is %s now", file, old);
	else if (errno != ENOENT)
		cli_warn("%s: %s", old, strerror(errno));
	if (rename(p->checkpoint, file))
		cli_warn("%s: %s", file, strerror(errno));
	else
		snprintf(p->checkpoint, sizeof(p->checkpoint), "%s", file);
}

int switching_begin(struct switching *s, bool (*interrupted)(void *arg))
{
	struct place *p = s->now;

	if (s->base->ros2 && s->base->maps && !s->base->checkpoint &&
	    !s->base->localise)
		name_checkpoint(s, p);
	return place_open(p, interrupted);
}

int switching_recall(struct session *r, const struct switching_calls *calls)
{
	struct filter_result result;
	struct reading reading;
	int ret, err = 0;

	while (!calls->interrupted(calls->arg)) {
		ret = session_recall(r, &reading, &result);
		if (!ret)
			return session_recalled(r);
		if (ret < 0)
			return ret;
		if (result.updated && calls->scan)
			err = calls->scan(calls->arg, &reading);
		if (err)
			return cli_error(err, "no memory");
	}
	return 1;
}

/*
 * Options of a session
 */

/* In a known map. @name: of it */
static void set_localised(struct place *p, const char *name)
{
	snprintf(p->map, sizeof(p->map), "%s", name);
	p->o.localise = p->map;
	p->o.params.fixed = 1;
	p->o.params.loops = 0;
	p->o.checkpoint = p->o.map = NULL;
	p->o.resume = p->o.elsewhere = false;
}

static void set_mapping(struct place *p)
{
	/* these options exclude --localise */
	if (p->o.localise) {
		p->o.params.fixed = slam_defaults.fixed;
		p->o.params.loops = slam_defaults.loops;
	}
	p->o.localise = NULL;
	p->o.resume = p->o.elsewhere = false;
}

/* A session that begins where a checkpoint ends. Return: as switching_recall() */
static int open_restored(struct switching *s, struct place *p,
			 const struct slam_command *c,
			 const struct switching_calls *calls)
{
	int err;

	set_mapping(p);
	name_checkpoint(s, p);
	if (!p->o.checkpoint)
		return cli_error(-EOPNOTSUPP, "%s: needs --maps", c->path);
	snprintf(p->map, sizeof(p->map), "%s", c->path);
	p->o.continued = p->map;
	p->o.resume = p->o.elsewhere = true;
	err = copy_checkpoint(c->path, p->checkpoint);
	if (err)
		return err;
	err = place_open(p, calls->interrupted);
	if (!err)
		err = switching_recall(&p->session, calls);
	/* errors have the name of the copy */
	if (err < 0)
		service_logf(LOG_WARNING, "checkpoint not read: %s", c->path);
	/* it would only end the map that is made now */
	if (!err && !p->session.updates)
		err = cli_error(-ENODATA, "%s: no scans", c->path);
	if (err)
		unlink(p->checkpoint);
	return err;
}

/* Localise in the map of a checkpoint. Return: likewise */
static int open_drawn(struct switching *s, struct place *p,
		      const struct slam_command *c,
		      const struct switching_calls *calls)
{
	const struct switching_calls quiet = {
		.interrupted = calls->interrupted, .arg = calls->arg,
	};
	struct place *from = place_create(s->base, p->session.log);
	int err;

	if (!from)
		return cli_error(-ENOMEM, "no memory");
	err = open_restored(s, from, c, &quiet);
	unlink(from->checkpoint);
	if (!err) {
		localiser_destroy(from->session.search.localiser);
		from->session.search.localiser = NULL;
		p->session.search.map = from->session.search.map;
		from->session.search.map = (struct known_map){ .walls.count = 0 };
		set_localised(p, c->path);
	}
	place_destroy(from);
	return err ? err : place_open(p, calls->interrupted);
}

/* A new map, or the same known one. Return: as session_open() */
static int open_reset(struct switching *s, struct place *p,
		      const struct switching_calls *calls)
{
	struct session *run = switching_session(s);
	int err;

	p->o.posed = false;
	if (!run->o->localise) {
		set_mapping(p);
		name_checkpoint(s, p);
		err = place_open(p, calls->interrupted);
		if (err && p->o.checkpoint)
			unlink(p->checkpoint);
		return err;
	}
	set_localised(p, run->o->localise);
	p->session.search.map = run->search.map;
	err = place_open(p, calls->interrupted);
	if (err)
		p->session.search.map = (struct known_map){ .walls.count = 0 };
	else
		run->search.map = (struct known_map){ .walls.count = 0 };
	return err;
}

static int open_next(struct switching *s, struct place *p,
		     const struct slam_command *c,
		     const struct switching_calls *calls)
{
	switch (c->kind) {
	case COMMAND_LOAD_MAP:
		set_localised(p, c->path);
		return place_open(p, calls->interrupted);
	case COMMAND_RESET:
		return open_reset(s, p, calls);
	case COMMAND_RESTORE:
		return c->localise ? open_drawn(s, p, c, calls) :
				     open_restored(s, p, c, calls);
	default:
		return -EINVAL;
	}
}

int switching_open(struct switching *s, const struct slam_command *c,
		   const struct switching_calls *calls)
{
	const struct session *run = switching_session(s);
	struct place *p;
	int err;

	if (s->base->engine)
		return cli_error(-EOPNOTSUPP, "another map: not with --engine");
	if (s->base->params.compat == SLAM_GMAPPING && c->kind != COMMAND_RESET)
		return cli_error(-EOPNOTSUPP, "another map: not with --compat "
				 "gmapping");
	p = place_create(s->base, run->log);
	if (!p)
		return cli_error(-ENOMEM, "no memory");
	p->session.waiting = run->waiting;
	p->session.waiting_arg = run->waiting_arg;
	p->o.posed = c->posed;
	p->o.pose = c->pose;
	err = open_next(s, p, c, calls);
	if (err) {
		place_destroy(p);
		return err > 0 ? -EINTR : err;
	}
	p->session.start = run->start;
	if (p->o.localise)
		service_logf(LOG_INFO, "finding the way in %s", p->o.localise);
	else if (c->kind == COMMAND_RESTORE)
		service_logf(LOG_INFO, "%s: continuing after %llu readings",
			     c->path,
			     (unsigned long long)p->session.stats.resumed);
	s->next = p;
	return 0;
}

struct session *switching_next(const struct switching *s)
{
	return &s->next->session;
}

/* Counters of the whole run; those of a map are its own */
static void take_stats(struct stats *to, struct stats *from)
{
	const struct stats own = *to;

	stats_free(to);
	*to = *from;
	to->resumed += own.resumed;
	to->placed = own.placed;
	to->missing = 0;
	*from = (struct stats){ .ms = NULL };
}

void switching_take(struct switching *s)
{
	struct place *old = s->now, *p = s->next;
	const char *file = s->base->checkpoint;

	if (!old->o.localise)
		service_logf(LOG_INFO, "the map of %u scans ends here",
			     old->session.updates);
	if (s->base->map && old->o.map && !p->o.map)
		service_logf(LOG_WARNING, "%s is not written: the map is known "
			     "now", s->base->map);
	take_stats(&p->session.stats, &old->session.stats);
	s->now = p;
	s->next = NULL;
	/* first, as it removes a checkpoint without readings */
	place_destroy(old);
	if (file && p->o.checkpoint)
		take_name(file, p);
}
