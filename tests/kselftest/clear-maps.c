// SPDX-License-Identifier: GPL-2.0-only
/*
 * clear-maps - empty the pinned BPF maps of a folder
 *
 *   clear-maps DIR
 *
 * A program that is loaded once is as new afterwards: to load it again costs a
 * guest a second. Elements of arrays become 0, those of hashes are deleted.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

static int clear_array(int fd, const struct bpf_map_info *info, size_t bytes)
{
	void *zero = calloc(1, bytes);
	__u32 i;
	int err = zero ? 0 : -ENOMEM;

	for (i = 0; i < info->max_entries && !err; i++)
		err = bpf_map_update_elem(fd, &i, zero, BPF_ANY);
	free(zero);
	return err;
}

static int clear_hash(int fd, const struct bpf_map_info *info)
{
	char key[512];

	if (info->key_size > sizeof(key))
		return -E2BIG;
	while (!bpf_map_get_next_key(fd, NULL, key)) {
		/* an LRU may have dropped it */
		if (bpf_map_delete_elem(fd, key) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

static int clear(const char *path)
{
	int fd = bpf_obj_get(path), err;
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	size_t cpus = libbpf_num_possible_cpus();

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (info.type == BPF_MAP_TYPE_ARRAY)
		err = clear_array(fd, &info, info.value_size);
	else if (info.type == BPF_MAP_TYPE_PERCPU_ARRAY)
		err = clear_array(fd, &info,
				  ((info.value_size + 7) & ~7u) * cpus);
	else
		err = clear_hash(fd, &info);
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	if (argc != 2) {
		fprintf(stderr, "usage: clear-maps DIR\n");
		return 2;
	}
	dir = opendir(argv[1]);
	if (!dir) {
		perror(argv[1]);
		return 1;
	}
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		err = clear(path);
		if (err)
			fprintf(stderr, "clear-maps: %s: %s\n", path,
				strerror(-err));
	}
	closedir(dir);
	return err ? 1 : 0;
}
