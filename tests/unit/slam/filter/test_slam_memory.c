// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_memory - how much memory maps may take: a limit, and what a
 * machine and its control groups have left, from files like theirs
 */
#include <stdarg.h>
#include <string.h>
#include "slam/filter/memory.h"
#include "slam/filter/tiles.h"
#include "folder.h"
#include "tap.h"

#define MB	((uint64_t)1 << 20)

/* Write a file of a made-up machine, below the test's folder */
static void put(const char *name, const char *format, ...)
{
	char path[256], command[512];
	va_list args;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"",
		 path);
	if (system(command))
		abort();
	f = fopen(path, "w");
	if (!f)
		abort();
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
}

static void put_machine(unsigned int all, unsigned int available)
{
	put("proc/meminfo", "MemTotal: %u kB\nMemFree: 1 kB\nMemAvailable: %u kB\n",
	    all << 10, available << 10);
}

static void check(uint64_t left, uint64_t keep, const char *what)
{
	uint64_t kept;
	const uint64_t is = memory_left(folder, &kept);

	ok_eq(is, left, "left: %s: %llu MB, %llu for others", what,
	      (unsigned long long)(is / MB), (unsigned long long)(kept / MB));
	ok_eq(kept, keep, "... kept");
}

static void test_left(void)
{
	make_folder();
	check(UINT64_MAX, 32 * MB, "nothing is known");
	put_machine(6400, 5000);
	check(5000 * MB, 200 * MB, "of a machine");
	put_machine(640, 500);
	check(500 * MB, 32 * MB, "of a small machine");

	put_machine(64000, 50000);
	put("proc/self/cgroup", "0::/site.slice/slamd.service\n");
	put("sys/fs/cgroup/site.slice/slamd.service/memory.max", "max\n");
	put("sys/fs/cgroup/site.slice/slamd.service/memory.current", "%llu\n",
	    700 * MB);
	check(50000 * MB, 2000 * MB, "of a group without a limit");
	put("sys/fs/cgroup/site.slice/memory.max", "%llu\n", 3200 * MB);
	put("sys/fs/cgroup/site.slice/memory.current", "%llu\n", 2000 * MB);
	check(1200 * MB, 100 * MB, "of a group in one with a limit");
	put("sys/fs/cgroup/site.slice/memory.stat",
	    "anon 5\nfile 4\ninactive_file %llu\nactive_file %llu\n",
	    300 * MB, 100 * MB);
	check(1600 * MB, 100 * MB, "its page cache can be dropped");
	put("sys/fs/cgroup/site.slice/memory.high", "max\n");
	put("sys/fs/cgroup/site.slice/slamd.service/memory.high", "%llu\n",
	    1600 * MB);
	check(900 * MB, 50 * MB, "of a group that is slowed down from there on");
	put("sys/fs/cgroup/site.slice/memory.high", "%llu\n", 1700 * MB);
	check(100 * MB, 1700 * MB / 32, "of a group in one that is");
	put("sys/fs/cgroup/site.slice/memory.current", "%llu\n", 4000 * MB);
	put("sys/fs/cgroup/site.slice/memory.high", "max\n");
	check(0, 100 * MB, "of a group that is over its limit");
	put_machine(64000, 0);
	put("proc/self/cgroup", "0::/\n");
	check(0, 2000 * MB, "of a machine that is full");

	put_machine(64000, 50000);
	put("proc/self/cgroup",
	    "5:cpu,cpuacct:/a\n4:hugetlb,memory:/box/a\n1:name=systemd:/\n0::/\n");
	put("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "%llu\n",
	    640 * MB);
	put("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "%llu\n",
	    140 * MB);
	put("sys/fs/cgroup/memory/box/memory.stat",
	    "inactive_file 7\ntotal_inactive_file %llu\ntotal_active_file 0\n",
	    40 * MB);
	check(540 * MB, 32 * MB, "of a group of version 1");
	put("sys/fs/cgroup/memory/memory.limit_in_bytes",
	    "9223372036854771712\n");
	put("sys/fs/cgroup/memory/memory.usage_in_bytes", "%llu\n", MB);
	check(540 * MB, 32 * MB, "that all of them have is no limit");
	remove_folder();
}

static bool fill(struct tiles *pool, size_t bytes)
{
	for (size_t i = 0; i < bytes / field_tiles.bytes; i++) {
		tile_id id = 0;

		if (tiles_own(pool, &id))
			return false;
	}
	return true;
}

static void test_limit(void)
{
	struct tiles *a = tiles_create(&field_tiles, 0);
	struct tiles *b = tiles_create(&field_tiles, 0);
	char reason[MEMORY_REASON];

	ok(!memory_reason(reason), "limit: nothing was refused yet");
	memory_limit(8 * MB);
	ok(fill(a, 4 * MB - 65536), "limit: two pools have it together");
	ok(fill(b, 4 * MB - 65536), "... fill");
	ok_eq(fill(a, MB), 0, "limit: no more of either: %s", reason);
	ok_eq(fill(b, MB), 0, "... fill");
	ok(memory_reason(reason), "... memory reason");
	ok_str(reason, "the 8 MB of --memory", "... reason");
	ok(tiles_bytes(a) + tiles_bytes(b) <= 8 * MB, "limit: it is kept");
	tiles_destroy(b);
	ok(fill(a, 3 * MB), "limit: of a pool that went, others may have");
	ok(!tiles_directory_fits(a, 2 * MB),
	   "limit: what is beside the tiles counts");
	tiles_destroy(a);
	memory_limit(0);
	ok(memory_take(MB), "limit: none");
	memory_give(MB);
	ok_eq(memory_take((size_t)1 << 60), 0,
	      "limit: more than any machine has: %s", reason);
	ok(memory_reason(reason), "... memory reason");
	ok(strstr(reason, "free memory of this machine"), "... reason says it");
}

int main(void)
{
	test_left();
	test_limit();
	return tap_done();
}
