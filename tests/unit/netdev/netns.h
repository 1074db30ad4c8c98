/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netns.h - a network namespace of the test's own, with its own /run and /sys
 *
 * As root, or as an ordinary user where user namespaces are allowed; else the
 * test is skipped. Devices are made by ip(8), and events are waited for.
 */
#ifndef TESTS_NETNS_H
#define TESTS_NETNS_H

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "netdev/log.h"
#include "tap.h"

enum { NETNS_EVENT_MS = 120000, NETNS_LINES = 16 };

static void netns_skip(const char *why)
{
	printf("1..0 # SKIP %s: %s\n", why, strerror(errno));
	exit(0);
}

static void netns_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		netns_skip(path);
	close(fd);
}

/* The same user, who is root there */
static void netns_be_root(void)
{
	char map[64];
	unsigned int uid = geteuid(), gid = getegid();

	if (unshare(CLONE_NEWUSER))
		netns_skip("no user namespace");
	netns_put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	netns_put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	netns_put("/proc/self/gid_map", map);
}

/*
 * Run a command of the shell. Return: its exit status. SIGALRM ends a test that
 * runs no further command for ten minutes: it hangs
 */
__attribute__((format(printf, 1, 2), unused))
static int sh(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	alarm(600);
	return WEXITSTATUS(system(command));
}

/* The same, for what the test needs */
#define need(...) do {							\
	if (sh(__VA_ARGS__)) {						\
		printf("Bail out! %s:%d: a command failed\n", __FILE__,	\
		       __LINE__);					\
		exit(1);						\
	}								\
} while (0)

/* What a command prints, without the last newline */
__attribute__((format(printf, 1, 2), unused))
static const char *out(const char *format, ...)
{
	static char text[4096];
	char command[1024];
	va_list args;
	size_t n;
	FILE *f;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	f = popen(command, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		pclose(f);
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n] = '\0';
	return text;
}

static void netns_enter(void)
{
	alarm(600);
	if (geteuid())
		netns_be_root();
	if (unshare(CLONE_NEWNET | CLONE_NEWNS))
		netns_skip("no network namespace");
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/run", "tmpfs", 0, NULL) ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL))
		netns_skip("cannot mount");
	if (sh("ip link set lo up"))
		netns_skip("no ip");
}

/* Two ends of a cable, NAME and its peer, both up */
__attribute__((unused))
static void netns_cable(const char *name, const char *peer)
{
	need("ip link add %s type veth peer name %s", name, peer);
	need("ip link set %s up; ip link set %s up", name, peer);
}

/* Has the kernel noticed that @dev has a carrier? It does so a moment later. */
__attribute__((unused))
static bool netns_is_up(const char *dev)
{
	char path[64], state[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/operstate", dev);
	f = fopen(path, "r");
	if (f && !fgets(state, sizeof(state), f))
		*state = '\0';
	if (f)
		fclose(f);
	return !strcmp(state, "up\n");
}

/* Wait until @fd has an event. Return: it has */
__attribute__((unused))
static bool netns_event(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, NETNS_EVENT_MS) == 1;
}

/*
 * Log lines
 */

static char netns_line[NETNS_LINES][512];
static int netns_lines, netns_errors;

__attribute__((unused))
static void netns_log(void *arg, int priority, const char *line)
{
	(void)arg;
	netns_errors += priority <= 3;
	if (netns_lines < NETNS_LINES)
		snprintf(netns_line[netns_lines++], sizeof(netns_line[0]),
			 "%s", line);
}

__attribute__((unused))
static const struct netdev_log netns_logs = { .log = netns_log };

/* The lines since the last call, with newlines between them */
__attribute__((unused))
static const char *netns_logged(void)
{
	static char all[NETNS_LINES * 513];
	char *at = all;

	for (int i = 0; i < netns_lines; i++) {
		if (i)
			*at++ = '\n';
		at = stpcpy(at, netns_line[i]);
	}
	*at = '\0';
	netns_lines = 0;
	return all;
}

#endif
