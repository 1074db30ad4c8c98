// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loop - descriptors, signals; calls from other threads into a
 * loop, slow work beside it, and threads that share work
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/jobs.h"
#include "base/loop_call.h"
#include "base/service.h"
#include "base/thread_pool.h"
#include "loop_fixture.h"

/*
 * Descriptors
 */

struct watched {
	struct loop_fd	w;
	const char	*name;
	struct watched	*other;
	uint32_t	events;
	bool		stops;
};

static void on_fd(void *arg, uint32_t events)
{
	struct watched *w = arg;
	uint64_t n;

	if (read(w->w.fd, &n, sizeof(n)) < 0)
		note("!");
	note(w->name);
	w->events = events;
	if (w->other)
		loop_unwatch(loop, &w->other->w);
	if (w->stops)
		loop_stop(loop, 3);
}

static void add_fd(struct watched *w, const char *name, unsigned int value)
{
	*w = (struct watched){ .w = { -1, on_fd, w }, .name = name };
	if (loop_watch(loop, &w->w, eventfd(value, EFD_NONBLOCK), EPOLLIN))
		abort();
}

static void test_fds(void)
{
	const uint64_t one = 1;
	struct watched a, b, c;

	loop = loop_create_quiet();
	add_fd(&a, "a", 1);
	add_fd(&b, "b", 1);
	a.other = &b;
	b.other = &a;
	add_fd(&c, "c", 1);
	c.stops = true;
	ok_eq(run(), 3, "descriptors");
	/* whichever is first takes the other one away */
	ok_eq(strlen(order), 2, "one that is not watched any more is not ready");
	ok_eq(c.events, EPOLLIN, "with their events");
	ok_eq(loop_rewatch(loop, &c.w, EPOLLOUT), 0, "another event");
	run();
	ok_str(order, "!c", "is waited for");
	ok_eq(c.events, EPOLLOUT, "as it is");
	ok_eq(loop_watch(loop, &c.w, c.w.fd, EPOLLIN), -EEXIST, "twice");
	ok_eq(loop_watch(loop, &c.w, -1, EPOLLIN), -EBADF, "none");
	c.w.fd = b.w.fd;
	ok_eq(write(b.w.fd, &one, sizeof(one)), sizeof(one), "a byte");
	loop_destroy(loop);
}

/* SIGTERM ends a loop, but not a quiet one */
static void test_signals(void)
{
	struct timer stop;

	loop = loop_create();
	kill(getpid(), SIGTERM);
	ok_eq(run(), 0, "a signal ends the loop");
	loop_destroy(loop);
	loop = loop_create();
	kill(getpid(), SIGINT);
	ok_eq(run(), 0, "as does the other");
	loop_destroy(loop);
	loop = loop_create_quiet();
	add_timer(&stop, "t", loop_now());
	stop.stops = true;
	ok_eq(run(), 7, "a quiet one has none");
	loop_destroy(loop);
	ok_range(loop_cpu(), 1, 1e12, "some processor time was used");
}

static void limit_files(rlim_t files)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = files ? files : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void test_no_files(void)
{
	struct loop_call *call = NULL;
	struct jobs *jobs = NULL;
	struct loop *none, *quiet;
	int next, err[3];

	loop = loop_create_quiet();
	next = dup(0);
	close(next);
	limit_files(next);
	errno = 0;
	quiet = loop_create_quiet();
	err[0] = errno;
	err[1] = loop_call_open(&call, loop);
	err[2] = jobs_open(&jobs, loop);
	limit_files(next + 1);
	none = loop_create();
	limit_files(0);
	ok_eq(quiet == NULL, true, "without a descriptor there is no loop");
	ok_eq(err[0], EMFILE, "and errno says so");
	ok_eq(none == NULL, true, "nor with one, if it reads signals");
	ok_eq(err[1], -EMFILE, "nor calls into it");
	ok_eq(err[2], -EMFILE, "nor slow work");
	ok_eq(dup(0), next, "nothing is left open");
	close(next);
	loop_destroy(loop);
}

/*
 * Calls into the loop
 */

struct caller {
	struct loop_call	*call;
	unsigned int		timeout;
	int			err;
	pthread_t		thread;
	bool			in_loop;
};

static pthread_t loop_thread;

static void in_loop(void *arg)
{
	((struct caller *)arg)->in_loop = pthread_equal(pthread_self(),
							loop_thread);
	note("c");
	loop_stop(loop, 0);
}

static void *call_loop(void *arg)
{
	struct caller *c = arg;

	c->err = loop_call_run(c->call, in_loop, c, c->timeout);
	return NULL;
}

static void test_calls(void)
{
	struct caller a = { .timeout = 60000 }, b, late = { .timeout = 1 };

	loop = loop_create_quiet();
	loop_thread = pthread_self();
	ok_eq(loop_call_open(&a.call, loop), 0, "calls");
	b = a;
	late.call = a.call;
	pthread_create(&a.thread, NULL, call_loop, &a);
	ok_eq(run(), 0, "the loop");
	pthread_join(a.thread, NULL);
	ok_eq(a.err, 0, "a call");
	ok_eq(a.in_loop, true, "is made in its thread");
	pthread_create(&late.thread, NULL, call_loop, &late);
	pthread_join(late.thread, NULL);
	ok_eq(late.err, -ETIMEDOUT, "a loop that does not run has no time");
	ok_eq(late.in_loop, false, "the call is not made");
	/* nor later: only this one is */
	pthread_create(&b.thread, NULL, call_loop, &b);
	run();
	ok_str(order, "c", "nor later");
	pthread_join(b.thread, NULL);
	ok_eq(b.err, 0, "another one is");
	b.in_loop = false;
	pthread_create(&b.thread, NULL, call_loop, &b);
	loop_call_cancel(a.call);
	pthread_join(b.thread, NULL);
	ok_eq(b.err, -ECANCELED, "at the end the waiting ones are cancelled");
	ok_eq(b.in_loop, false, "without a call");
	ok_eq(loop_call_run(a.call, in_loop, &a, 60000), -ECANCELED,
	      "and later ones");
	loop_call_close(a.call);
	loop_call_close(NULL);
	loop_destroy(loop);
}

/*
 * Slow work
 */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static unsigned int ran, ended;
static struct jobs *jobs;

static void slow(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static void on_end(void *arg)
{
	const unsigned int *wanted = arg;

	ended++;
	if (!pthread_equal(pthread_self(), loop_thread))
		note("wrong thread");
	if (ended == *wanted)
		loop_stop(loop, 0);
}

/* Begins another one when it has ended */
static void on_end_again(void *arg)
{
	note(jobs_run(jobs, slow, on_end, arg) ? "!" : "again ");
	on_end(arg);
}

static void test_jobs(void)
{
	unsigned int wanted = JOBS_MAX;
	int err = 0;

	loop = loop_create_quiet();
	ok_eq(jobs_open(&jobs, loop), 0, "jobs");
	pthread_mutex_lock(&gate);
	for (int i = 0; i < JOBS_MAX; i++)
		err |= jobs_run(jobs, slow, on_end, &wanted);
	ok_eq(err, 0, "%d at the same time", JOBS_MAX);
	ok_eq(jobs_run(jobs, slow, on_end, &wanted), -EBUSY, "not more");
	ok_eq(ended, 0, "none has ended");
	pthread_mutex_unlock(&gate);
	run();
	ok_eq(ran, JOBS_MAX, "all have run");
	ok_eq(ended, JOBS_MAX, "and ended, in the loop");
	ended = 0;
	wanted = 2;
	ok_eq(jobs_run(jobs, slow, on_end_again, &wanted), 0, "one more");
	run();
	ok_str(order, "again ", "may begin another one");
	ok_eq(ended, 2, "which ends, too");
	ended = 0;
	pthread_mutex_lock(&gate);
	jobs_run(jobs, slow, on_end, &wanted);
	pthread_mutex_unlock(&gate);
	jobs_close(jobs);
	ok_eq(ended, 1, "the end waits for the last one");
	jobs_close(NULL);
	loop_destroy(loop);
}

/*
 * Shared work
 */

enum { SHARED = 1000, THREADS = 4 };

static unsigned int done[SHARED];
static unsigned int by_thread[THREAD_POOL_MAX];
static uint64_t sink;

static void work(void *arg, uint32_t number, unsigned int thread)
{
	(void)arg;
	__atomic_add_fetch(&done[number], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&by_thread[thread], 1, __ATOMIC_RELAXED);
}

/* Each thread waits for all others: so each has one */
static void work_together(void *arg, uint32_t number, unsigned int thread)
{
	pthread_barrier_wait(arg);
	for (unsigned int i = 0; i < 100000; i++)
		__atomic_add_fetch(&sink, i, __ATOMIC_RELAXED);
	work(NULL, number, thread);
}

static void test_pool(void)
{
	struct thread_pool *p = thread_pool_create(THREADS);
	pthread_barrier_t all;
	unsigned int bad = 0, sum = 0;

	ok_eq(thread_pool_threads(p), THREADS, "a pool of threads");
	thread_pool_run(p, SHARED, work, NULL);
	thread_pool_run(p, SHARED, work, NULL);
	thread_pool_run(p, 0, work, NULL);
	for (int i = 0; i < SHARED; i++)
		bad += done[i] != 2;
	ok_eq(bad, 0, "each job is done once in each run");
	for (int i = 0; i < THREAD_POOL_MAX; i++)
		sum += i < THREADS ? by_thread[i] : 2 * by_thread[i];
	ok_eq(sum, 2 * SHARED, "by one of its threads");
	memset(by_thread, 0, sizeof(by_thread));
	pthread_barrier_init(&all, NULL, THREADS);
	thread_pool_run(p, THREADS, work_together, &all);
	pthread_barrier_destroy(&all);
	for (int i = 0; i < THREADS; i++)
		ok_eq(by_thread[i], 1, "thread %d works", i);
	ok_range(thread_pool_cpu(p), 1, 1e12, "its time counts");
	thread_pool_destroy(p);
	p = thread_pool_create(1);
	memset(done, 0, sizeof(done));
	thread_pool_run(p, SHARED, work, NULL);
	bad = 0;
	for (int i = 0; i < SHARED; i++)
		bad += done[i] != 1;
	ok_eq(bad, 0, "the caller alone does all, too");
	ok_eq(thread_pool_cpu(p), 0, "which is no time of others");
	thread_pool_destroy(p);
	p = thread_pool_create(0);
	ok_range(thread_pool_threads(p), 1, THREAD_POOL_MAX,
		 "one for each processor");
	thread_pool_destroy(p);
	thread_pool_destroy(NULL);
	ok_range(thread_pool_own_cpu(), 1, 1e12, "time of this thread");
}

/*
 * The log of a service
 */

/* What is written to stderr meanwhile */
static const char *log_line(const char *journal)
{
	static char text[700];
	const int old = dup(2);
	int fd[2];
	ssize_t n;

	if (journal)
		setenv("JOURNAL_STREAM", journal, 1);
	else
		unsetenv("JOURNAL_STREAM");
	if (pipe(fd))
		abort();
	dup2(fd[1], 2);
	service_logf(4, "%s %d", "line", 5);
	dup2(old, 2);
	close(old);
	close(fd[1]);
	n = read(fd[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	close(fd[0]);
	return text;
}

static void test_log(void)
{
	cli_program = "test";
	ok_str(log_line("1:2"), "<4>line 5\n", "journald gets the priority");
	ok_str(log_line(NULL), "test: line 5\n", "others the program");
}

int main(void)
{
	test_fds();
	test_signals();
	test_no_files();
	test_calls();
	test_jobs();
	test_pool();
	test_log();
	return tap_done();
}
