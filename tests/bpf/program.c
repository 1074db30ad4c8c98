// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the classifier for BPF_PROG_TEST_RUN: needs no device and no bpffs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../bpf/ros_tag.h"
#include "program.h"

struct program bpf;

static int quiet(enum libbpf_print_level level, const char *format,
		 va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

const char *program_object(void)
{
	return access("/sys/kernel/btf/vmlinux", F_OK) ?
	       "build/bpf/ros_tag_nobtf.bpf.o" : "build/bpf/ros_tag.bpf.o";
}

int program_open(const char *path)
{
	struct bpf_object *obj;
	struct bpf_map *map;

	libbpf_set_print(quiet);
	obj = bpf_object__open(path);
	if (!obj)
		return -1;
	bpf_object__for_each_map(map, obj)
		bpf_map__set_pin_path(map, NULL);
	if (bpf_object__load(obj))
		return -1;
	bpf.prog = bpf_program__fd(bpf_object__find_program_by_name(obj,
								    "ros_tag"));
	bpf.few_steps = strstr(path, "nobtf");
	bpf.writers = bpf_object__find_map_fd_by_name(obj, "writers");
	bpf.flows = bpf_object__find_map_fd_by_name(obj, "flows");
	bpf.recent = bpf_object__find_map_fd_by_name(obj, "recent");
	bpf.frags = bpf_object__find_map_fd_by_name(obj, "frags");
	bpf.frags6 = bpf_object__find_map_fd_by_name(obj, "frags6");
	bpf.odometer = bpf_object__find_map_fd_by_name(obj, "odometer");
	bpf.scratch = bpf_object__find_map_fd_by_name(obj, "scratch");
	bpf.counters = bpf_object__find_map_fd_by_name(obj, "counters");
	return 0;
}

static void clear(int fd, size_t size)
{
	uint8_t key[64];

	if (size > sizeof(key))
		abort();
	while (!bpf_map_get_next_key(fd, NULL, key))
		if (bpf_map_delete_elem(fd, key))
			abort();
}

/* An element of an array cannot be deleted. */
static void clear_recent(void)
{
	static const struct ros_recent none[ROS_RECENT_MAX];
	static uint32_t keys[ROS_RECENT_MAX];
	uint32_t n = ROS_RECENT_MAX;

	for (uint32_t i = 0; i < n; i++)
		keys[i] = i;
	if (bpf_map_update_batch(bpf.recent, keys, none, &n, NULL))
		abort();
}

struct bpf_program *program_with_log(const char *path, char *log, size_t size)
{
	struct bpf_object *obj = bpf_object__open(path);
	struct bpf_program *prog;
	struct bpf_map *map;

	if (!obj)
		return NULL;
	bpf_object__for_each_map(map, obj)
		bpf_map__set_pin_path(map, NULL);
	prog = bpf_object__find_program_by_name(obj, "ros_tag");
	/* statistics only */
	bpf_program__set_log_level(prog, 4);
	bpf_program__set_log_buf(prog, log, size);
	return bpf_object__load(obj) ? NULL : prog;
}

void program_clear(void)
{
	clear_recent();
	clear(bpf.writers, sizeof(struct ros_guid));
	clear(bpf.flows, sizeof(uint32_t));
	clear(bpf.frags, sizeof(struct ros_frag_key));
	clear(bpf.frags6, sizeof(struct ros_frag6_key));
}
