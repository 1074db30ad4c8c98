/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast_clock.h - a clock that stands still while there is work, and jumps when
 * there is none: a slow machine is never late
 *
 * The program that includes it has its own CLOCK_MONOTONIC. It moves only when
 * a loop waits for a timer, nothing is ready within a millisecond and all other
 * threads sleep: then to the timer, by at most FAST_CLOCK_STEP at once. What
 * the loop does is the same on each machine. Work takes no processor time
 * either. Shared libraries have this clock, too: the timers of libwebsockets,
 * which waits by itself, never expire. Without epoll_pwait2() in the C library
 * the test waits.
 */
#ifndef UNIT_FAST_CLOCK_H
#define UNIT_FAST_CLOCK_H

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FAST_CLOCK_MS = 1 };

#ifndef FAST_CLOCK_STEP
#define FAST_CLOCK_STEP	50000000LL
#endif

/* It begins at 1000 s: 0 is no time to some */
static atomic_llong fast_clock_ns = 1000000000000LL;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const long long ns = clock == CLOCK_MONOTONIC ?
			     atomic_load(&fast_clock_ns) : 0;

	if (clock != CLOCK_MONOTONIC && clock != CLOCK_THREAD_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){ ns / 1000000000, ns % 1000000000 };
	return 0;
}

/* Let @ms pass at once, without a loop */
__attribute__((unused))
static void fast_clock_pass(unsigned int ms)
{
	atomic_fetch_add(&fast_clock_ns, ms * 1000000LL);
}

/* No datagram says how long it really waited to be read (rx_latency.h) */
int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (level == SOL_SOCKET && name == SO_TIMESTAMPNS) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
}

#if __GLIBC_PREREQ(2, 35)
/* The state of a thread of this program, as in proc(5) */
static char fast_clock_state(const char *thread)
{
	char path[64], line[512];
	const char *end = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", thread);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		end = strrchr(line, ')');
	if (f)
		fclose(f);
	return end && end[1] ? end[2] : 'X';
}

/* A thread that is woken is one that runs, from that moment on */
static bool fast_clock_all_sleep(void)
{
	DIR *d = opendir("/proc/self/task");
	bool sleep = d;
	struct dirent *e;

	while (sleep && (e = readdir(d)))
		sleep = e->d_name[0] == '.' || atoi(e->d_name) == gettid() ||
			!strchr("RD", fast_clock_state(e->d_name));
	if (d)
		closedir(d);
	return sleep;
}

/* With the system call that is older, too */
int epoll_pwait2(int epoll, struct epoll_event *event, int n,
		 const struct timespec *timeout, const sigset_t *mask)
{
	const long long left = !timeout ? -1 :
		timeout->tv_sec * 1000000000LL + timeout->tv_nsec;
	const int ms = left > 0 ? FAST_CLOCK_MS : (int)left;
	int ret = epoll_pwait(epoll, event, n, ms, mask);

	if (ret || !left || !fast_clock_all_sleep())
		return ret;
	/* what a thread did before it went to sleep */
	ret = epoll_pwait(epoll, event, n, 0, mask);
	if (!ret)
		atomic_fetch_add(&fast_clock_ns, left < FAST_CLOCK_STEP ?
				 left : FAST_CLOCK_STEP);
	return ret;
}
#endif

#endif
