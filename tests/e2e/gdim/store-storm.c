// SPDX-License-Identifier: GPL-2.0-only
/*
 * store-storm - changes of a store, and something that ends them at any moment
 *
 * Whatever it is: all that was acknowledged is there, and the one change that
 * was not is there as a whole or not at all.
 *
 * usage: store-storm kill FILE TIMES SEED	kill -9
 *	  store-storm cut FILE TIMES SEED	power cut (cut-vfs.h)
 *	  store-storm full FOLDER		disk full: a small file system
 *	  store-storm read FILE			a file system that is read-only
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "cut-vfs.h"
#include "store-model.h"
#include "../../unit/tap.h"

enum {
	ACKS		= 16,		/* of a storm, at most */
	PAUSE_US	= 4000,		/* after the last of them, at most */
	PATIENCE_MS	= 60000,
	EVENTS		= 400,		/* of a storm until the cut, at most */
	SPARE		= 800000,	/* bytes, to begin with */
	FRESH		= 8,		/* each so many begins without a file */
};

static struct error error;
static uint64_t seed;

/* How often the change that was not acknowledged was there */
static unsigned int acked, beyond, during_open;

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "store-storm: %s: %s\n", what, why);
	return -1;
}

static void on_found(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "store-storm: found: %s\n", line);
}

static int compare(struct store *s, struct model *m)
{
	struct model is, next = *m;

	if (model_read(s, &is))
		return fail("reading", store_error(s));
	if (store_verify(s, on_found, NULL))
		return fail("verifying", "something is wrong");
	if (model_same(&is, m))
		return 0;
	model_advance(&next);
	if (!model_same(&is, &next))
		return fail("comparing", "neither before nor after the change "
			    "that was not acknowledged");
	beyond++;
	*m = next;
	return 0;
}

/* As if nothing had happened. @m: what was acknowledged; gets what is there */
static int reopen(const char *path, struct model *m)
{
	struct store *s;
	int err;

	if (store_open(&s, path, STORE_CREATE, &error))
		return fail("opening", error.text);
	err = model_prepare(s);
	if (err)
		fail("preparing", store_error(s));
	else
		err = compare(s, m);
	store_close(s);
	return err;
}

static void forget(const char *path, struct model *m)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
	char name[512];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
	memset(m, 0, sizeof(*m));
}

/* What a storm says of each change, when it is stored */
struct ack {
	uint64_t	change, sum;
};

__attribute__((noreturn))
static void storm(const char *path, struct model *m, int to)
{
	struct store *s;
	struct ack a;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (store_open(&s, path, STORE_CREATE, &error))
		_exit(fail("storm: opening", error.text));
	if (model_prepare(s))
		_exit(fail("storm: preparing", store_error(s)));
	for (;;) {
		if (model_change(s, m))
			_exit(fail("storm", store_error(s)));
		model_advance(m);
		a = (struct ack){ m->change, model_sum(m) };
		if (write(to, &a, sizeof(a)) != sizeof(a))
			_exit(1);
	}
}

/* Return: 1: one more, 0: no more will come, -1: nothing came */
static int read_ack(int from, struct model *m)
{
	struct pollfd p = { .fd = from, .events = POLLIN };
	struct ack a;
	ssize_t n;

	if (poll(&p, 1, PATIENCE_MS) != 1)
		return fail("waiting", "the storm is silent");
	n = read(from, &a, sizeof(a));
	if (n != sizeof(a))
		return n ? -1 : 0;
	model_advance(m);
	acked++;
	return a.change == m->change && a.sum == model_sum(m) ? 1 :
	       fail("acknowledged", "another change than was expected");
}

static int kill_one(const char *path, struct model *m)
{
	unsigned int n = rnd(&seed, ACKS);
	int ends[2], status, more = 1;
	pid_t pid;

	if (pipe(ends))
		return fail("pipe", strerror(errno));
	pid = fork();
	if (!pid) {
		close(ends[0]);
		storm(path, m, ends[1]);
	}
	close(ends[1]);
	while (n-- && more > 0)
		more = read_ack(ends[0], m);
	usleep(rnd(&seed, PAUSE_US));
	kill(pid, SIGKILL);
	while (more > 0)
		more = read_ack(ends[0], m);
	close(ends[0]);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		return fail("storm", "ended by itself");
	return more;
}

static int kills(const char *path, unsigned int times)
{
	struct model m;

	forget(path, &m);
	for (unsigned int i = 0; i < times; i++) {
		if (i % (4 * FRESH) == 4 * FRESH - 1)
			forget(path, &m);
		if (kill_one(path, &m) || reopen(path, &m))
			return 1;
	}
	printf("%u kills, %u changes acknowledged, %u more were there\n",
	       times, acked, beyond);
	return acked < times;
}

/* Changes until the power is off; what was acknowledged is in @m */
static void storm_until_cut(const char *path, struct model *m)
{
	struct store *s;

	if (store_open(&s, path, STORE_CREATE, &error)) {
		during_open++;
		return;
	}
	if (!model_prepare(s))
		while (!model_change(s, m)) {
			model_advance(m);
			acked++;
		}
	store_close(s);
}

static int cut_one(const char *path, struct model *m, bool fresh)
{
	/* half of the new ones while their tables are made */
	const unsigned int events = fresh && rnd(&seed, 2) ? 60 : EVENTS;

	cut_vfs_arm(1 + rnd(&seed, events));
	storm_until_cut(path, m);
	if (!cut_vfs_is_off())
		return fail("storm", "ended by itself");
	cut_vfs_leave(&seed);
	return reopen(path, m);
}

static int cuts(const char *path, unsigned int times)
{
	struct model m;

	if (!cut_vfs_install())
		return fail("cut", "no VFS");
	forget(path, &m);
	for (unsigned int i = 0; i < times; i++) {
		const bool begins = i % FRESH == FRESH - 1;

		if (begins)
			forget(path, &m);
		if (cut_one(path, &m, begins)) {
			fprintf(stderr, "store-storm: cut %u\n", i);
			return 1;
		}
	}
	printf("%u cuts (%u while a store was opened), %u changes "
	       "acknowledged, %u more were there\n", times, during_open, acked,
	       beyond);
	return acked < times;
}

static const char *within(const char *folder, const char *name)
{
	static char path[2][512];
	static unsigned int next;

	snprintf(path[++next & 1], sizeof(path[0]), "%s/%s", folder, name);
	return path[next & 1];
}

/* Noise, until there is no room but for @spare bytes */
static int fill(const char *path, long spare)
{
	FILE *f = fopen(path, "w");
	uint64_t noise = 1, r;
	int err;

	if (!f)
		return fail(path, strerror(errno));
	do
		r = rnd64(&noise);
	while (fwrite(&r, sizeof(r), 1, f) == 1 && !fflush(f));
	err = ftruncate(fileno(f), lseek(fileno(f), 0, SEEK_END) - spare);
	fclose(f);
	return err ? fail(path, strerror(errno)) : 0;
}

/* Return: how many, or -1 */
static int changes_until_full(struct store *s, struct model *m)
{
	int n = 0, err;

	while (!(err = model_change(s, m))) {
		model_advance(m);
		if (++n > 100000)
			return fail("a full disk", "never becomes full");
	}
	if (err != -ENOSPC || !strstr(store_error(s), "full") ||
	    strchr(store_error(s), '\n'))
		return fail("a full disk", store_error(s));
	return n;
}

static int is_as(struct store *s, const struct model *m)
{
	struct model is;

	if (model_read(s, &is))
		return fail("reading", store_error(s));
	return model_same(&is, m) ? 0 : fail("comparing", "not the same");
}

/* Several changes at once, which the end of the disk undoes */
static int batch_when_full(struct store *s, struct model *m)
{
	struct room r = { .id = 0 };
	char text[20000];
	int err = store_begin(s);

	modality_unknown(r.value);
	memset(text, 't', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; !err && i < 200; i++)
		err = store_note(s, i, "batch", text, NULL);
	if (!err)
		err = store_room(s, &r);
	if (!err)
		err = store_commit(s);
	else if (!store_commit(s))
		return fail("committing", "more than there is room for");
	if (err != -ENOSPC)
		return fail("beginning", store_error(s));
	return is_as(s, m);
}

static int while_full(const char *folder, struct store *s, struct model *m)
{
	struct store *r;
	int n = changes_until_full(s, m);

	if (n < 4)
		return fail("filling", "too early");
	printf("%d changes until the disk was full", n);
	/* a checkpoint needs room too, or none: it is no loss */
	store_checkpoint(s);
	if (changes_until_full(s, m) < 0 || is_as(s, m) ||
	    batch_when_full(s, m))
		return -1;
	if (store_backup(s, within(folder, "copy")) != -ENOSPC ||
	    !access(within(folder, "copy"), F_OK) ||
	    !access(within(folder, "copy.part"), F_OK))
		return fail("copying", store_error(s));
	if (store_open(&r, within(folder, "store"), STORE_READ, &error))
		return fail("opening for reading", error.text);
	n = is_as(r, m);
	store_close(r);
	if (store_open(&r, within(folder, "other"), STORE_CREATE, &error) !=
	    -ENOSPC)
		return fail("a new one on a full disk", error.text);
	return n;
}

static int full(const char *folder)
{
	struct model m = { 0 };
	struct store *s;

	if (store_open(&s, within(folder, "store"), STORE_CREATE, &error) ||
	    model_prepare(s) || fill(within(folder, "other-noise"), SPARE))
		return fail("beginning", error.text);
	if (while_full(folder, s, &m))
		return 1;
	unlink(within(folder, "other-noise"));
	unlink(within(folder, "other"));
	for (int i = 0; i < 40; i++, model_advance(&m))
		if (model_change(s, &m))
			return fail("with room again", store_error(s));
	printf(", 40 when there was room again\n");
	if (is_as(s, &m) || store_verify(s, on_found, NULL))
		return 1;
	store_close(s);
	return reopen(within(folder, "store"), &m) || beyond;
}

static int read_only(const char *path)
{
	struct store *s;
	struct model m;
	int err = store_open(&s, path, STORE_WRITE, &error);

	if (err != -EROFS)
		return fail("opening for writing", error.text);
	if (store_open(&s, path, STORE_READ, &error))
		return fail("opening for reading", error.text);
	if (model_read(s, &m) || store_verify(s, on_found, NULL))
		return fail("reading", store_error(s));
	store_close(s);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 5)
		seed = strtoull(argv[4], NULL, 10);
	if (argc == 5 && !strcmp(what, "kill"))
		return kills(argv[2], atoi(argv[3]));
	if (argc == 5 && !strcmp(what, "cut"))
		return cuts(argv[2], atoi(argv[3]));
	if (argc == 3 && !strcmp(what, "full"))
		return !!full(argv[2]);
	if (argc == 3 && !strcmp(what, "read"))
		return !!read_only(argv[2]);
	fprintf(stderr, "usage: store-storm kill|cut FILE TIMES SEED, full "
		"FOLDER, read FILE\n");
	return 2;
}
