// SPDX-License-Identifier: GPL-2.0-only
/*
 * pictures - a thread that converts what browsers want to see
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <syslog.h>
#include "base/service.h"
#include "base/thread.h"
#include "view/browser_frame.h"
#include "view/pictures.h"

struct job {
	STAILQ_ENTRY(job)	next;
	struct view_message	*m;
	struct picture_result	result;
};

STAILQ_HEAD(jobs, job);

/**
 * struct pictures
 * @shown:	newest converted message of each topic; with the board's lock
 * @tried:	message of each that was converted last, or could not be; with
 *		the board's lock
 * @cuts:	of the board: a replay jumped, nothing of before is shown
 * @wanted:	a browser has room for a newer one
 * @logged:	topics whose failure was logged
 */
struct pictures {
	struct board		*board;
	void			(*changed)(void *arg);
	void			*arg;
	pthread_mutex_t		lock;
	pthread_cond_t		work;
	pthread_t		thread;
	bool			stop;
	struct view_message	*shown[BOARD_TOPICS];
	uint64_t		tried[BOARD_TOPICS], cuts;
	bool			wanted[BOARD_TOPICS], logged[BOARD_TOPICS];
	struct jobs		waiting, finished;
	unsigned int		count;
	uint64_t		failed;
};

static void pictures_log(struct pictures *p, const struct view_message *m,
			 int err)
{
	const unsigned int topic = m->topic;
	char name[BOARD_NAME], why[128];

	__atomic_add_fetch(&p->failed, 1, __ATOMIC_RELAXED);
	if (p->logged[topic])
		return;
	p->logged[topic] = true;
	board_lock(p->board);
	memcpy(name, board_topic(p->board, topic)->name, sizeof(name));
	board_unlock(p->board);
	browser_frame_fault(m, err, why, sizeof(why));
	service_logf(LOG_WARNING, "%s: not shown on the page: %s", name, why);
}

/* The newest message of a topic */
static void pictures_renew(struct pictures *p, unsigned int topic)
{
	struct view_message *m, *frame, *old;
	int err;

	board_lock(p->board);
	m = board_topic(p->board, topic)->history.newest;
	if (m)
		view_message_get(m);
	board_unlock(p->board);
	if (!m)
		return;
	err = browser_frame_body(m, NULL, &frame);
	if (err)
		pictures_log(p, m, err);
	board_lock(p->board);
	p->tried[topic] = m->seq;
	old = p->shown[topic];
	if (frame)
		p->shown[topic] = frame;
	else
		old = NULL;
	board_unlock(p->board);
	view_message_put(old);
	view_message_put(m);
}

static void pictures_do(struct pictures *p, struct job *j)
{
	int err = browser_frame_body(j->m, NULL, &j->result.frame);

	if (err)
		pictures_log(p, j->m, err);
	view_message_put(j->m);
	j->m = NULL;
}

static int pictures_wanted(const struct pictures *p, unsigned int after)
{
	for (unsigned int i = 1; i <= BOARD_TOPICS; i++)
		if (p->wanted[(after + i) % BOARD_TOPICS])
			return (after + i) % BOARD_TOPICS;
	return -1;
}

static void *pictures_run(void *arg)
{
	struct pictures *p = arg;
	int topic = 0, next;
	struct job *j;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		j = STAILQ_FIRST(&p->waiting);
		next = pictures_wanted(p, topic);
		if (!j && next < 0) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		if (next >= 0) {
			topic = next;
			assert(topic < BOARD_TOPICS && p->wanted[topic]);
			p->wanted[topic] = false;
		}
		if (j) {
			STAILQ_REMOVE_HEAD(&p->waiting, next);
			assert(p->count && p->count <= PICTURES_WAITING);
			p->count--;
		}
		pthread_mutex_unlock(&p->lock);
		if (next >= 0)
			pictures_renew(p, topic);
		if (j)
			pictures_do(p, j);
		pthread_mutex_lock(&p->lock);
		if (j)
			STAILQ_INSERT_TAIL(&p->finished, j, next);
		pthread_mutex_unlock(&p->lock);
		p->changed(p->arg);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int pictures_open(struct pictures **out, struct board *b,
		  void (*changed)(void *arg), void *arg)
{
	struct pictures *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->board = b;
	p->changed = changed;
	p->arg = arg;
	STAILQ_INIT(&p->waiting);
	STAILQ_INIT(&p->finished);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	err = thread_start(&p->thread, pictures_run, p);
	if (err) {
		free(p);
		return err;
	}
	*out = p;
	return 0;
}

static void pictures_drop(struct jobs *list)
{
	struct job *j;

	while ((j = STAILQ_FIRST(list))) {
		STAILQ_REMOVE_HEAD(list, next);
		view_message_put(j->m);
		view_message_put(j->result.frame);
		free(j);
	}
}

void pictures_close(struct pictures *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pictures_drop(&p->waiting);
	pictures_drop(&p->finished);
	for (unsigned int i = 0; i < BOARD_TOPICS; i++)
		view_message_put(p->shown[i]);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	free(p);
}

struct view_message *pictures_newest(struct pictures *p, struct board_topic *t,
				     unsigned int number)
{
	const struct view_message *m = t->history.newest;

	if (p->cuts != board_cuts(p->board)) {
		p->cuts = board_cuts(p->board);
		for (unsigned int i = 0; i < BOARD_TOPICS; i++) {
			view_message_put(p->shown[i]);
			p->shown[i] = NULL;
			p->tried[i] = 0;
		}
	}
	if (m && m->seq != p->tried[number]) {
		pthread_mutex_lock(&p->lock);
		p->wanted[number] = true;
		pthread_cond_signal(&p->work);
		pthread_mutex_unlock(&p->lock);
	}
	return p->shown[number];
}

int pictures_convert(struct pictures *p, struct view_message *m,
		     uint64_t client)
{
	struct job *j = calloc(1, sizeof(*j));
	bool full;

	if (!j) {
		view_message_put(m);
		return -ENOMEM;
	}
	j->m = m;
	j->result.client = client;
	pthread_mutex_lock(&p->lock);
	full = p->count == PICTURES_WAITING;
	if (!full) {
		STAILQ_INSERT_TAIL(&p->waiting, j, next);
		p->count++;
		pthread_cond_signal(&p->work);
	}
	pthread_mutex_unlock(&p->lock);
	if (!full)
		return 0;
	view_message_put(m);
	free(j);
	return -ENOSPC;
}

bool pictures_result(struct pictures *p, struct picture_result *r)
{
	struct job *j;

	pthread_mutex_lock(&p->lock);
	j = STAILQ_FIRST(&p->finished);
	if (j)
		STAILQ_REMOVE_HEAD(&p->finished, next);
	pthread_mutex_unlock(&p->lock);
	if (!j)
		return false;
	*r = j->result;
	free(j);
	return true;
}

uint64_t pictures_failed(const struct pictures *p)
{
	return __atomic_load_n(&p->failed, __ATOMIC_RELAXED);
}
