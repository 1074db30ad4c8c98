// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuser - the thread that fuses, in slices: requests have priority
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "map/site/fuser.h"

static const uint64_t slice = 20 * 1000000ULL;	/* ns */

/* On the stack of the waiting thread */
struct want {
	unsigned int	layer;
	struct rect	rect;
	int		err;
	bool		done;
	struct want	*next;
};

struct fuser {
	struct site		*site;
	struct loop		*loop;
	struct loop_fd		watch;
	void			(*fused)(void *arg);
	void			*arg;
	pthread_t		thread;
	pthread_mutex_t		lock;
	pthread_cond_t		work, served;
	bool			kicked, ending;
	struct want		*wants;
	struct fuser_stats	stats;
};

static void fuser_notify(struct fuser *f)
{
	const uint64_t one = 1;

	/* full: the reader was already notified */
	if (write(f->watch.fd, &one, sizeof(one)) < 0)
		return;
}

static void fuser_on_notify(void *arg, uint32_t events)
{
	struct fuser *f = arg;
	uint64_t n;

	(void)events;
	if (read(f->watch.fd, &n, sizeof(n)) == sizeof(n))
		f->fused(f->arg);
}

/* Called with the lock held; unlocks it while fusing */
static void fuser_serve(struct fuser *f)
{
	while (f->wants) {
		struct want *w = f->wants;

		assert(!w->done);
		f->wants = w->next;
		pthread_mutex_unlock(&f->lock);
		w->err = site_ensure(f->site, w->layer, &w->rect);
		pthread_mutex_lock(&f->lock);
		w->done = true;
		pthread_cond_broadcast(&f->served);
	}
}

/* Return: as site_fuse() */
static int fuse(struct fuser *f)
{
	struct fused_map_work work = { 0 };
	const uint64_t begin = loop_now();
	uint64_t moved = 0;
	int ret;

	pthread_mutex_unlock(&f->lock);
	ret = site_fuse(f->site, -1, begin + slice, &moved, &work);
	if (work.tiles || work.drawn || moved)
		fuser_notify(f);
	pthread_mutex_lock(&f->lock);
	f->stats.moved += moved;
	f->stats.tiles += work.tiles;
	f->stats.drawn += work.drawn;
	f->stats.failed += work.failed;
	f->stats.busy += loop_now() - begin;
	return ret;
}

static void *fuser_run(void *arg)
{
	struct fuser *f = arg;
	int more = 1;

	pthread_mutex_lock(&f->lock);
	while (!f->ending) {
		fuser_serve(f);
		if (f->kicked || more > 0) {
			f->kicked = false;
			more = fuse(f);
		} else {
			pthread_cond_wait(&f->work, &f->lock);
		}
	}
	for (struct want *w = f->wants; w; w = w->next) {
		w->err = -ECANCELED;
		w->done = true;
	}
	pthread_cond_broadcast(&f->served);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

int fuser_open(struct fuser **fuser, struct site *site, struct loop *loop,
	       void (*fused)(void *arg), void *arg)
{
	struct fuser *f = calloc(1, sizeof(*f));
	int fd, err;

	if (!f)
		return -ENOMEM;
	*f = (struct fuser){ .site = site, .loop = loop, .fused = fused,
			     .arg = arg };
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(f);
		return err;
	}
	f->watch.ready = fuser_on_notify;
	f->watch.arg = f;
	err = loop_watch(loop, &f->watch, fd, EPOLLIN);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->work, NULL);
	pthread_cond_init(&f->served, NULL);
	if (!err)
		err = -pthread_create(&f->thread, NULL, fuser_run, f);
	if (err) {
		close(fd);
		free(f);
		return err;
	}
	*fuser = f;
	return 0;
}

void fuser_close(struct fuser *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->ending = true;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	loop_unwatch(f->loop, &f->watch);
	close(f->watch.fd);
	pthread_cond_destroy(&f->work);
	pthread_cond_destroy(&f->served);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

void fuser_kick(struct fuser *f)
{
	pthread_mutex_lock(&f->lock);
	f->kicked = true;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
}

int fuser_want(struct fuser *f, unsigned int layer, const struct rect *r)
{
	struct want w = { .layer = layer, .rect = *r, .err = -ECANCELED };

	pthread_mutex_lock(&f->lock);
	if (!f->ending) {
		w.next = f->wants;
		f->wants = &w;
		pthread_cond_signal(&f->work);
		while (!w.done)
			pthread_cond_wait(&f->served, &f->lock);
	}
	pthread_mutex_unlock(&f->lock);
	return w.err;
}

struct fuser_stats fuser_stats(struct fuser *f)
{
	struct fuser_stats s;

	pthread_mutex_lock(&f->lock);
	s = f->stats;
	pthread_mutex_unlock(&f->lock);
	return s;
}
