// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in /run/optsample.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/ifb.h"
#include "netdev/netlink.h"
#include "netdev/stack.h"
#include "netdev/state.h"

static const char *const state_files[] = {
	"topics.new", "topics", "neigh.new", "neigh", "log", "pid", "state.new", "state",
};

void state_path(const char *dev, const char *what, char path[STATE_PATH])
{
	snprintf(path, STATE_PATH, STATE_RUN "/%s.%s", dev, what);
}

const char *state_name(const char *dev, char own[IFNAMSIZ])
{
	char path[STATE_PATH];
	struct state st;
	bool is_own;

	state_path(dev, "state", path);
	if (!access(path, F_OK))
		return dev;
	own_name(dev, own);
	if (state_load(own, &st))
		return dev;
	is_own = !strcmp(st.stack.lower, dev);
	state_free(&st);
	return is_own ? own : dev;
}

int state_lock(bool wait, struct error *error)
{
	/* Never removed: a process may wait for the old file's lock. */
	int fd = open(STATE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600), err;

	if (fd >= 0 && !flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return error_set(error, err, "cannot lock %s: %s", STATE_LOCK,
			 strerror(-err));
}

static uint64_t state_netns(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

bool state_is_here(const struct state *st)
{
	return !st->netns || st->netns == state_netns();
}

static void state_text(char **to, const char *value)
{
	free(*to);
	*to = *value ? strdup(value) : NULL;
}

static void state_own(struct own_addrs *a, const char *list)
{
	char text[OWN_LIST], *save, *one;
	struct error error;

	snprintf(text, sizeof(text), "%s", list);
	a->n = 0;
	for (one = strtok_r(text, ",", &save); one;
	     one = strtok_r(NULL, ",", &save))
		own_parse(one, a, &error);
}

static void state_field(struct state *st, const char *key, const char *value)
{
	struct stack *s = &st->stack;
	bool on = !strcmp(value, "1");

	if (!strcmp(key, "queue"))
		snprintf(s->queue, IFNAMSIZ, "%.15s", value);
	else if (!strcmp(key, "ifindex"))
		s->ifindex = atoi(value);
	else if (!strcmp(key, "lower")) {
		snprintf(s->lower, IFNAMSIZ, "%.15s", value);
		s->made_own = *value;
	} else if (!strcmp(key, "own"))
		state_own(&s->own, value);
	else if (!strcmp(key, "watch"))
		snprintf(s->watch, IFNAMSIZ, "%.15s", value);
	else if (!strcmp(key, "ifb"))
		s->made_ifb = on;
	else if (!strcmp(key, "egress"))
		s->egress = on;
	else if (!strcmp(key, "keep")) {
		snprintf(s->keep, IFNAMSIZ, "%.15s", value);
		s->made_keep = *value;
	} else if (!strcmp(key, "clsact"))
		s->made_clsact = on;
	else if (!strcmp(key, "qdisc"))
		s->made_qdisc = on;
	else if (!strcmp(key, "ready"))
		st->ready = on;
	else if (!strcmp(key, "settles"))
		st->settles = on;
	else if (!strcmp(key, "netns"))
		st->netns = strtoull(value, NULL, 10);
	else if (!strcmp(key, "outage"))
		st->outage_s = strtoul(value, NULL, 10);
	else if (!strcmp(key, "domain"))
		st->domain = strtoul(value, NULL, 10);
	else if (!strcmp(key, "topics"))
		state_text(&st->topics, value);
	else if (!strcmp(key, "types"))
		state_text(&st->types, value);
	else if (!strcmp(key, "odometry"))
		state_text(&st->odometry, value);
	else if (!strcmp(key, "master"))
		state_text(&st->master, value);
}

int state_load(const char *dev, struct state *st)
{
	char path[STATE_PATH], *line = NULL;
	size_t size = 0;
	FILE *f;

	memset(st, 0, sizeof(*st));
	state_path(dev, "state", path);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	snprintf(st->stack.dev, IFNAMSIZ, "%.15s", dev);
	while (getline(&line, &size, f) > 0) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		state_field(st, line, value);
	}
	free(line);
	fclose(f);
	if (!st->stack.ifindex)
		st->stack.ifindex = netlink_ifindex(dev);
	return 0;
}

void state_free(struct state *st)
{
	free(st->topics);
	free(st->types);
	free(st->odometry);
	free(st->master);
	st->topics = NULL;
	st->types = NULL;
	st->odometry = NULL;
	st->master = NULL;
}

int state_save(struct state *st, struct error *error)
{
	const struct stack *s = &st->stack;
	char path[STATE_PATH], temp[STATE_PATH], own[OWN_LIST];
	FILE *f;

	mkdir(STATE_RUN, 0755);
	state_path(s->dev, "state", path);
	state_path(s->dev, "state.new", temp);
	st->netns = state_netns();
	f = fopen(temp, "we");
	if (!f)
		return error_set(error, -errno, "cannot write %s: %s", temp,
				 strerror(errno));
	fprintf(f, "queue=%s\nifindex=%d\nifb=%d\nkeep=%s\nclsact=%d\nqdisc=%d\n"
		"ready=%d\nsettles=%d\nnetns=%llu\n", s->queue, s->ifindex,
		s->made_ifb, s->made_keep ? s->keep : "", s->made_clsact,
		s->made_qdisc, st->ready, st->settles,
		(unsigned long long)st->netns);
	own_text(&s->own, own);
	fprintf(f, "lower=%s\nown=%s\negress=%d\nwatch=%s\n", s->lower, own,
		s->egress, s->watch);
	fprintf(f, "outage=%u\ndomain=%u\n", st->outage_s, st->domain);
	fprintf(f, "topics=%s\ntypes=%s\nodometry=%s\nmaster=%s\n",
		st->topics ?: "", st->types ?: "", st->odometry ?: "",
		st->master ?: "");
	if (fclose(f) || rename(temp, path))
		return error_set(error, -EIO, "cannot write %s", path);
	return 0;
}

void state_remove(const char *dev)
{
	char path[STATE_PATH];

	for (size_t i = 0; i < sizeof(state_files) / sizeof(*state_files);
	     i++) {
		state_path(dev, state_files[i], path);
		unlink(path);
	}
	/* The directory stays: a container may have it mounted. */
}

int state_each(int (*fn)(const char *dev, void *arg), void *arg, int *err)
{
	struct dirent **list;
	int n = scandir(STATE_RUN, &list, NULL, alphasort), found = 0;

	*err = 0;
	for (int i = 0; i < n; i++) {
		char *dot = strrchr(list[i]->d_name, '.');

		if (dot && !strcmp(dot, ".state")) {
			*dot = '\0';
			*err = fn(list[i]->d_name, arg) ?: *err;
			found++;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

int state_pid_claim(const char *dev, struct error *error)
{
	struct flock lock = { .l_type = F_WRLCK };
	char path[STATE_PATH];
	int fd;

	mkdir(STATE_RUN, 0755);
	state_path(dev, "pid", path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_set(error, -errno, "cannot write %s: %s", path,
				 strerror(errno));
	if (fcntl(fd, F_OFD_SETLK, &lock)) {
		close(fd);
		return error_set(error, -EBUSY, "discovery for %s is running already",
				 dev);
	}
	if (ftruncate(fd, 0) || dprintf(fd, "%d\n", getpid()) < 0) {
		close(fd);
		return error_set(error, -EIO, "cannot write %s", path);
	}
	return fd;
}

int state_pid_of(const char *dev)
{
	struct flock lock = { .l_type = F_WRLCK };
	char path[STATE_PATH], line[32] = "";
	int fd, pid = 0;

	state_path(dev, "pid", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* Only query the lock, to not block a new daemon. */
	if (!fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK &&
	    read(fd, line, sizeof(line) - 1) > 0)
		pid = atoi(line);
	close(fd);
	return pid;
}

int state_daemon_stop(const char *dev, struct error *error)
{
	int pid = state_pid_of(dev);

	if (pid <= 0)
		return 0;
	kill(pid, SIGTERM);
	/* DDS unregisters from its peers, which may take seconds. */
	for (int i = 0; i < 200; i++) {
		if (state_pid_of(dev) != pid)
			return 0;
		if (i == 100)
			kill(pid, SIGKILL);
		usleep(50000);
	}
	return error_set(error, -EBUSY, "discovery process %d does not end", pid);
}
