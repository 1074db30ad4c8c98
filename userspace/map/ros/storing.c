// SPDX-License-Identifier: GPL-2.0-only
/*
 * storing - the thread that stores input
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "map/ros/storing.h"
#include "map/site/site.h"

enum { BATCH = 16 };	/* messages between two looks at timers */

/**
 * struct item - a message, or a function to run
 * @run:	NULL: a message
 * @text:	the topic, or the argument of @run; part of this allocation, as
 *		is the message
 */
struct item {
	struct item		*next;
	void			(*run)(void *arg, const char *text,
				       double value);
	double			value;
	struct source_message	m;
	const char		*text;
	size_t			bytes;
	uint8_t			data[];
};

struct storing {
	struct storing_config	config;
	struct loop		*loop;
	struct loop_fd		watch;
	pthread_t		thread;
	pthread_mutex_t		lock;
	pthread_cond_t		begun;
	struct item		*first, **last;
	unsigned int		count;
	size_t			bytes;
	uint64_t		dropped;
	bool			full, ending, running;
	int			err;
};

static void storing_wake(struct storing *s)
{
	const uint64_t one = 1;

	/* full: the thread was already notified */
	if (write(s->watch.fd, &one, sizeof(one)) < 0)
		return;
}

/* Return: NULL: the queue is empty */
static struct item *storing_take_first(struct storing *s)
{
	struct item *i;

	pthread_mutex_lock(&s->lock);
	i = s->first;
	assert(!i == !s->count);
	if (i) {
		assert(s->bytes >= i->bytes);
		s->first = i->next;
		if (!s->first)
			s->last = &s->first;
		s->count--;
		s->bytes -= i->bytes;
	}
	pthread_mutex_unlock(&s->lock);
	return i;
}

static void storing_work(struct storing *s, struct item *i)
{
	site_turn(s->config.site);
	if (i->run)
		i->run(s->config.arg, i->text, i->value);
	else
		s->config.message(s->config.arg, &i->m);
	site_turn_end(s->config.site);
	free(i);
}

static void on_work(void *arg, uint32_t events)
{
	struct storing *s = arg;
	struct item *i = NULL;
	bool ending;
	uint64_t n;

	(void)events;
	if (read(s->watch.fd, &n, sizeof(n)) < 0)
		return;
	pthread_mutex_lock(&s->lock);
	ending = s->ending;
	pthread_mutex_unlock(&s->lock);
	for (int k = 0; k < BATCH && (i = storing_take_first(s)); k++)
		storing_work(s, i);
	if (i)
		storing_wake(s);
	else if (ending)
		loop_stop(s->loop, 0);
}

static void has_begun(struct storing *s, int err)
{
	pthread_mutex_lock(&s->lock);
	s->running = true;
	s->err = err;
	pthread_cond_signal(&s->begun);
	pthread_mutex_unlock(&s->lock);
}

static void *storing_run(void *arg)
{
	struct storing *s = arg;
	const int err = s->config.begin(s->config.arg, s->loop);

	has_begun(s, err);
	if (err)
		return NULL;
	loop_run(s->loop);
	s->config.end(s->config.arg);
	return NULL;
}

static int storing_start(struct storing *s)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	s->watch.ready = on_work;
	s->watch.arg = s;
	err = loop_watch(s->loop, &s->watch, fd, EPOLLIN);
	if (err) {
		close(fd);
		s->watch.fd = -1;
		return err;
	}
	err = -pthread_create(&s->thread, NULL, storing_run, s);
	if (err)
		return err;
	pthread_mutex_lock(&s->lock);
	while (!s->running)
		pthread_cond_wait(&s->begun, &s->lock);
	err = s->err;
	pthread_mutex_unlock(&s->lock);
	if (err)
		pthread_join(s->thread, NULL);
	return err;
}

static void free_all(struct storing *s)
{
	if (s->watch.fd >= 0)
		close(s->watch.fd);
	loop_destroy(s->loop);
	pthread_cond_destroy(&s->begun);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int storing_open(struct storing **storing, const struct storing_config *config)
{
	struct storing *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->config = *config;
	s->last = &s->first;
	s->watch.fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->begun, NULL);
	s->loop = loop_create_quiet();
	err = s->loop ? storing_start(s) : -ENOMEM;
	if (err)
		free_all(s);
	else
		*storing = s;
	return err;
}

void storing_close(struct storing *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_mutex_unlock(&s->lock);
	storing_wake(s);
	pthread_join(s->thread, NULL);
	assert(!s->first && !s->bytes);
	free_all(s);
}

/* Return: whether it is within the limit */
static bool storing_add(struct storing *s, struct item *i)
{
	bool fits;

	pthread_mutex_lock(&s->lock);
	fits = s->bytes + i->bytes <= s->config.bytes;
	if (fits) {
		*s->last = i;
		s->last = &i->next;
		s->count++;
		s->bytes += i->bytes;
	} else {
		s->dropped++;
	}
	pthread_mutex_unlock(&s->lock);
	if (fits)
		storing_wake(s);
	return fits;
}

void storing_message(struct storing *s, const struct source_message *m)
{
	const size_t topic = strlen(m->topic) + 1;
	struct item *i = malloc(sizeof(*i) + m->len + topic);
	bool fits = i;

	if (i) {
		*i = (struct item){ .m = *m, .bytes = sizeof(*i) + m->len };
		memcpy(i->data, m->data, m->len);
		memcpy(i->data + m->len, m->topic, topic);
		i->m.data = i->data;
		i->m.topic = (const char *)i->data + m->len;
		fits = storing_add(s, i);
		if (!fits)
			free(i);
	} else {
		pthread_mutex_lock(&s->lock);
		s->dropped++;
		pthread_mutex_unlock(&s->lock);
	}
	if (!fits && !s->full)
		s->config.dropped(s->config.arg, m->topic);
	s->full = !fits;
}

int storing_do(struct storing *s,
	       void (*run_it)(void *arg, const char *text, double value),
	       const char *text, double value)
{
	const size_t len = strlen(text) + 1;
	struct item *i = malloc(sizeof(*i) + len);

	if (!i)
		return -ENOMEM;
	*i = (struct item){ .run = run_it, .value = value };
	memcpy(i->data, text, len);
	i->text = (const char *)i->data;
	storing_add(s, i);
	return 0;
}

void storing_status(struct storing *s, cJSON *out)
{
	pthread_mutex_lock(&s->lock);
	cJSON_AddNumberToObject(out, "waiting", s->count);
	cJSON_AddNumberToObject(out, "waiting_bytes", s->bytes);
	cJSON_AddNumberToObject(out, "dropped", s->dropped);
	pthread_mutex_unlock(&s->lock);
}
