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
#include "state.h"

static const char *const state_files[] = {
	"topics", "neigh", "log", "pid", "state",
};

void state_path(const char *dev, const char *what, char path[CTL_PATH])
{
	snprintf(path, CTL_PATH, CTL_RUN "/%s.%s", dev, what);
}

int state_lock(void)
{
	int fd;

	if (mkdir(CTL_RUN, 0755) && errno != EEXIST)
		return ctl_error(-errno, "cannot make %s: %s", CTL_RUN,
				 strerror(errno));
	fd = open(CTL_RUN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		return ctl_error(-errno, "cannot lock %s: %s", CTL_RUN,
				 strerror(errno));
	return 0;
}

static void state_field(struct state *st, const char *key, const char *value)
{
	struct stack *s = &st->stack;
	bool on = !strcmp(value, "1");

	if (!strcmp(key, "queue"))
		snprintf(s->queue, IFNAMSIZ, "%.15s", value);
	else if (!strcmp(key, "ifb"))
		s->made_ifb = on;
	else if (!strcmp(key, "clsact"))
		s->made_clsact = on;
	else if (!strcmp(key, "filters"))
		s->made_filters = on;
	else if (!strcmp(key, "qdisc"))
		s->made_qdisc = on;
	else if (!strcmp(key, "outage"))
		st->outage_s = strtoul(value, NULL, 10);
}

int state_load(const char *dev, struct state *st)
{
	char path[CTL_PATH], line[256];
	FILE *f;

	memset(st, 0, sizeof(*st));
	state_path(dev, "state", path);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	snprintf(st->stack.dev, IFNAMSIZ, "%.15s", dev);
	while (fgets(line, sizeof(line), f)) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		state_field(st, line, value);
	}
	fclose(f);
	return 0;
}

int state_save(const struct state *st)
{
	const struct stack *s = &st->stack;
	char path[CTL_PATH];
	FILE *f;

	state_path(s->dev, "state", path);
	f = fopen(path, "we");
	if (!f)
		return ctl_error(-errno, "cannot write %s: %s", path,
				 strerror(errno));
	fprintf(f, "queue=%s\nifb=%d\nclsact=%d\nfilters=%d\nqdisc=%d\n"
		"outage=%u\n", s->queue, s->made_ifb, s->made_clsact,
		s->made_filters, s->made_qdisc, st->outage_s);
	if (fclose(f))
		return ctl_error(-EIO, "cannot write %s", path);
	return 0;
}

void state_remove(const char *dev)
{
	char path[CTL_PATH];

	for (size_t i = 0; i < sizeof(state_files) / sizeof(*state_files);
	     i++) {
		state_path(dev, state_files[i], path);
		unlink(path);
	}
	rmdir(CTL_RUN);	/* if it was the last */
}

int state_each(int (*fn)(const char *dev, void *arg), void *arg, int *err)
{
	struct dirent **list;
	int n = scandir(CTL_RUN, &list, NULL, alphasort), found = 0;

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

int state_pid_claim(const char *dev)
{
	char path[CTL_PATH];
	int fd;

	mkdir(CTL_RUN, 0755);
	state_path(dev, "pid", path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return ctl_error(-errno, "cannot write %s: %s", path,
				 strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return ctl_error(-EBUSY, "discovery for %s is running already",
				 dev);
	}
	if (ftruncate(fd, 0) || dprintf(fd, "%d\n", getpid()) < 0) {
		close(fd);
		return ctl_error(-EIO, "cannot write %s", path);
	}
	return fd;
}

int state_pid_of(const char *dev)
{
	char path[CTL_PATH], line[32] = "";
	int fd, pid = 0;

	state_path(dev, "pid", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK &&
	    read(fd, line, sizeof(line) - 1) > 0)
		pid = atoi(line);
	close(fd);
	return pid;
}

int state_daemon_stop(const char *dev)
{
	int pid = state_pid_of(dev);

	if (pid <= 0)
		return 0;
	kill(pid, SIGTERM);
	/* DDS says goodbye to its peers, which may take a second or two. */
	for (int i = 0; i < 200; i++) {
		if (state_pid_of(dev) != pid)
			return 0;
		if (i == 100)
			kill(pid, SIGKILL);
		usleep(50000);
	}
	return ctl_error(-EBUSY, "discovery process %d does not end", pid);
}
