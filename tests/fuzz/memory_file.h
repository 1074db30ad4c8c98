/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory_file.h - a fuzzer's bytes as a file that has a path, and no disk
 */
#ifndef FUZZ_MEMORY_FILE_H
#define FUZZ_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only its owner may read it. Return: its path, until the next call */
__attribute__((unused))
static const char *memory_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0 || fchmod(fd, 0600))
			abort();
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) ||
	    (size_t)pwrite(fd, data, size, 0) != size)
		abort();
	return path;
}

/* A folder in memory that goes when the program ends. Return: its path */
__attribute__((unused))
static const char *memory_folder(void (*forget)(void))
{
	static char path[] = "/dev/shm/fuzz_XXXXXX";
	static char *made;

	if (made)
		return made;
	made = mkdtemp(path);
	if (!made || atexit(forget))
		abort();
	return made;
}

#endif
