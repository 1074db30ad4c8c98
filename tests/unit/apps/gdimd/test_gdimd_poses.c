// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_poses - set-poses is answered when the store has the poses, while
 * the thread that fuses is held where it is
 */
#include <pthread.h>
#include <sqlite3.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "apps/gdimd/gdimd.h"
#include "map/site/queries.h"
#include "site_fixture.h"

enum { SUBMAPS = 5, SIDE = 40 };

/* Fusing stops at cells that are damaged, until it may go on */
static struct held {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	bool		is, free;
} held = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false };

static void hold(void *arg, const struct site_damaged *d)
{
	(void)arg;
	(void)d;
	pthread_mutex_lock(&held.lock);
	held.is = true;
	pthread_cond_broadcast(&held.changed);
	while (!held.free)
		pthread_cond_wait(&held.changed, &held.lock);
	pthread_mutex_unlock(&held.lock);
}

static void wait_until_held(void)
{
	pthread_mutex_lock(&held.lock);
	while (!held.is)
		pthread_cond_wait(&held.changed, &held.lock);
	pthread_mutex_unlock(&held.lock);
}

static void let_go(void)
{
	pthread_mutex_lock(&held.lock);
	held.free = true;
	pthread_cond_broadcast(&held.changed);
	pthread_mutex_unlock(&held.lock);
}

static void on_fused(void *arg)
{
	(void)arg;
}

static int want(void *fuser, unsigned int layer, const struct rect *r)
{
	return fuser_want(fuser, layer, r);
}

static bool execute(const char *path, const char *sql)
{
	sqlite3 *db;
	const bool done = !sqlite3_open(path, &db) &&
			  !sqlite3_exec(db, sql, NULL, NULL, NULL);

	sqlite3_close(db);
	return done;
}

/* Submaps 0.. at 20 m from each other; submap 0 has the value 10, and so on */
static void make_store(const char *path)
{
	struct site *s = open_site(path, STORE_CREATE);
	const int layer = add_layer(s, "m", "rule=max");

	for (int i = 0; i < SUBMAPS; i++) {
		const struct pose p = { 20 * i, 0, 0 };
		char frame[16];

		snprintf(frame, sizeof(frame), "submap_%d", i);
		put(s, frame, 10 + i, &p, layer,
		    patch(SIDE, 8, 0.05, 1, 10 * (i + 1), 10 * (i + 1)));
	}
	site_close(s);
}

/* All of them 5 m further */
static void write_poses(const char *path)
{
	FILE *f = fopen(path, "w");

	for (int i = 0; f && i < SUBMAPS; i++)
		fprintf(f, "%d,%d,5,0\n", i, 20 * i);
	if (f)
		fclose(f);
}

static double number_of(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItem(o, key);

	return cJSON_IsNumber(n) ? n->valuedouble : -1;
}

static int set_poses(struct gdimd *g, const char *poses, cJSON *answer)
{
	cJSON *p = cJSON_CreateObject();
	int err;

	cJSON_AddStringToObject(p, "poses", poses);
	err = gdimd_command(g, "set-poses", p, answer, &error);
	cJSON_Delete(p);
	return err;
}

static unsigned int left(struct site *s)
{
	return site_counts(s).to_fuse;
}

int main(void)
{
	static struct gdimd g;
	cJSON *answer = cJSON_CreateObject(), *status = cJSON_CreateObject();
	char path[PATH_MAX], poses[PATH_MAX];

	make_folder();
	snprintf(path, sizeof(path), "%s", in_folder("poses.db"));
	snprintf(poses, sizeof(poses), "%s", in_folder("poses.csv"));
	make_store(path);
	write_poses(poses);
	ok(execute(path, "UPDATE submap SET cells = x'00' WHERE id = 5"),
	   "a submap is damaged");
	g.loop = loop_create_quiet();
	g.changed.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	g.site = open_site(path, STORE_WRITE);
	site_set_damaged(g.site, hold, NULL);
	if (fuser_open(&g.fuser, g.site, g.loop, on_fused, NULL))
		return tap_done();
	site_set_want(g.site, want, g.fuser);
	fuser_kick(g.fuser);
	wait_until_held();
	ok(!set_poses(&g, poses, answer), "set-poses is answered, though "
	   "nothing can be fused");
	ok(number_of(answer, "poses") == SUBMAPS,
	   "with how many, and that they are stored");
	ok(number_of(answer, "stored_ms") >= 0,
	   "with how many, and that they are stored");
	ok(number_of(answer, "fused_ms") == -1,
	   "with how many, and that they are stored");
	ok(number_of(answer, "to_fuse") >= SUBMAPS,
	   "and how many have to be fused, as the status says");
	ok(!query_status(g.site, status),
	   "and how many have to be fused, as the status says");
	ok(number_of(status, "to_fuse") >= SUBMAPS,
	   "and how many have to be fused, as the status says");
	ok_eq(site_value(g.site, 0, 20, 5), 20, "spots are those of now");
	ok_eq(site_value(g.site, 0, 20, 0), -1, "spots are those of now");
	let_go();
	for (unsigned int ms = 0; left(g.site) && ms < 60000; ms++)
		usleep(1000);
	ok(!left(g.site), "it is fused afterwards");
	while (fuser_want(g.fuser, 0, &(struct rect){ 400, 100, 1, 1 }))
		usleep(1000);
	ok_eq(site_value(g.site, 0, 20, 5), 20, "and spots are the same");
	ok_eq(site_value(g.site, 0, 20, 0), -1, "and spots are the same");
	fuser_close(g.fuser);
	site_close(g.site);
	close(g.changed.fd);
	loop_destroy(g.loop);
	cJSON_Delete(answer);
	cJSON_Delete(status);
	remove_folder();
	return tap_done();
}
