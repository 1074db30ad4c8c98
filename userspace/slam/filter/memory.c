// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - memory of the maps, and what the kernel reports as available
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/memory.h"

/* The kernel is asked again after this many bytes */
#define STEP		((uint64_t)32 << 20)
/* Reserve for others: a part of all memory, and at least this, bytes */
#define KEEP_PART	32
#define KEEP_LEAST	((uint64_t)32 << 20)

#define PATH		512

static struct {
	pthread_mutex_t	lock;
	uint64_t	limit, taken;
	uint64_t	known;		/* no check below this use */
	char		reason[MEMORY_REASON];
} account = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The number in a file. Return: false: none, as in "max" */
static bool read_number(const char *path, uint64_t *value)
{
	FILE *f = fopen(path, "re");
	bool good;

	if (!f)
		return false;
	good = fscanf(f, "%" SCNu64, value) == 1;
	fclose(f);
	return good;
}

/* The number after a word at the start of a line. Return: 0: none */
static uint64_t read_field(const char *path, const char *word)
{
	const size_t len = strlen(word);
	FILE *f = fopen(path, "re");
	uint64_t value = 0;
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, word, len) || line[len] > ' ')
			continue;
		value = strtoull(line + len, NULL, 10);
		break;
	}
	fclose(f);
	return value;
}

/* File names of a version of control groups */
struct group_files {
	const char	*mount, *limit, *high, *usage, *cache[2];
};

static const struct group_files files_v1 = {
	"/sys/fs/cgroup/memory", "memory.limit_in_bytes", NULL,
	"memory.usage_in_bytes",
	{ "total_inactive_file", "total_active_file" },
}, files_v2 = {
	"/sys/fs/cgroup", "memory.max", "memory.high", "memory.current",
	{ "inactive_file", "active_file" },
};

struct room {
	uint64_t	all, left;
};

static void narrow(struct room *room, uint64_t all, uint64_t left)
{
	if (left >= room->left)
		return;
	*room = (struct room){ all, left };
}

/* The limit of a group: beyond one limit it is killed, beyond the other one it
 * is throttled to a stop. Return: false: no limit
 */
static bool read_limit(const char *folder, const struct group_files *files,
		       uint64_t *limit)
{
	char path[2 * PATH];
	uint64_t high;
	bool known;

	snprintf(path, sizeof(path), "%s/%s", folder, files->limit);
	known = read_number(path, limit);
	if (!files->high)
		return known;
	snprintf(path, sizeof(path), "%s/%s", folder, files->high);
	if (!read_number(path, &high))
		return known;
	if (!known || high < *limit)
		*limit = high;
	return true;
}

static void look_at_group(struct room *room, const char *folder,
			  const struct group_files *files)
{
	char path[2 * PATH];
	uint64_t limit, used, cache = 0;

	if (!read_limit(folder, files, &limit))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, files->usage);
	if (!read_number(path, &used))
		return;
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	for (int i = 0; i < 2; i++)
		cache += read_field(path, files->cache[i]);
	used -= cache < used ? cache : used;
	narrow(room, limit, limit > used ? limit - used : 0);
}

/* A group and its parents. In a container some of them are not visible */
static void memory_look_up(struct room *room, const char *root,
			   const char *group, const struct group_files *files)
{
	char folder[PATH];
	int base;

	base = snprintf(folder, sizeof(folder), "%s%s", root, files->mount);
	if (base + strlen(group) >= sizeof(folder))
		return;
	strcpy(folder + base, group);
	for (;;) {
		char *slash = strrchr(folder + base, '/');

		look_at_group(room, folder, files);
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* Whether version 1 has the memory controller: "4:memory:/group" */
static bool memory_has_memory(char *controllers)
{
	char *rest;

	for (char *c = strtok_r(controllers, ",", &rest); c;
	     c = strtok_r(NULL, ",", &rest)) {
		if (!strcmp(c, "memory"))
			return true;
	}
	return false;
}

static void look_at_groups(struct room *room, const char *root)
{
	char path[PATH], line[PATH];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') :
					    NULL;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!controllers[1])
			memory_look_up(room, root, group, &files_v2);
		else if (memory_has_memory(controllers + 1))
			memory_look_up(room, root, group, &files_v1);
	}
	fclose(f);
}

uint64_t memory_left(const char *root, uint64_t *keep)
{
	struct room room = { UINT64_MAX, UINT64_MAX };
	uint64_t all, left;
	char path[PATH];

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	all = read_field(path, "MemTotal:") << 10;
	left = read_field(path, "MemAvailable:") << 10;
	if (all)
		narrow(&room, all, left);
	look_at_groups(&room, root);
	*keep = KEEP_LEAST;
	if (room.all != UINT64_MAX && room.all / KEEP_PART > KEEP_LEAST)
		*keep = room.all / KEEP_PART;
	return room.left;
}

void memory_limit(uint64_t bytes)
{
	pthread_mutex_lock(&account.lock);
	account.limit = bytes;
	account.known = account.taken;
	pthread_mutex_unlock(&account.lock);
}

static bool memory_refuse(const char *format, double amount)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(account.reason, sizeof(account.reason), format, amount);
#pragma GCC diagnostic pop
	return false;
}

/* With the lock held */
static bool may_take(size_t bytes)
{
	const uint64_t want = account.taken + bytes;
	uint64_t left, keep;

	if (account.limit && want > account.limit)
		return memory_refuse("the %.0f MB of --memory",
				     (double)account.limit / (1 << 20));
	if (want <= account.known)
		return true;
	left = memory_left("", &keep);
	if (left < keep || left - keep < bytes)
		return memory_refuse(
			"the free memory of this machine (in use: %.0f MB)",
			(double)account.taken / (1 << 20));
	left -= keep;
	account.known = account.taken + (left < bytes + STEP ? left :
					 bytes + STEP);
	return true;
}

bool memory_take(size_t bytes)
{
	bool may;

	pthread_mutex_lock(&account.lock);
	may = may_take(bytes);
	if (may)
		account.taken += bytes;
	pthread_mutex_unlock(&account.lock);
	return may;
}

void memory_give(size_t bytes)
{
	pthread_mutex_lock(&account.lock);
	account.taken -= bytes;
	account.known = account.taken;
	pthread_mutex_unlock(&account.lock);
}

void memory_no_addresses(void)
{
	pthread_mutex_lock(&account.lock);
	memory_refuse(
		"the address space of the process (in use: %.0f MB)",
		(double)account.taken / (1 << 20));
	pthread_mutex_unlock(&account.lock);
}

bool memory_reason(char text[MEMORY_REASON])
{
	pthread_mutex_lock(&account.lock);
	memcpy(text, account.reason, MEMORY_REASON);
	pthread_mutex_unlock(&account.lock);
	return *text;
}
