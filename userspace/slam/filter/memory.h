/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - how much memory the particles' maps of this process may use
 *
 * Maps grow up to a limit of the user, or until the machine or the control
 * group of the process is nearly full: an error is better than being killed by
 * the kernel.
 */
#ifndef SLAM_FILTER_MEMORY_H
#define SLAM_FILTER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEMORY_REASON	= 128,
	MEMORY_MB_MAX	= 1 << 20,	/* of a limit: 1 TB */
};

/**
 * memory_limit() - set a limit for all maps of the process together
 * @bytes: 0: what the machine has (the default)
 */
void memory_limit(uint64_t bytes);

/**
 * memory_take() - account for memory before its first use; any thread
 *
 * Return: whether it may be used. If not, memory_reason() says why.
 */
bool memory_take(size_t bytes);
void memory_give(size_t bytes);

/* Report that the address space is full, though there may be memory */
void memory_no_addresses(void);

/**
 * memory_reason() - why memory was refused last
 * @text: gets the limit that the maps exceed, for a message
 *
 * Return: false: nothing was refused.
 */
bool memory_reason(char text[MEMORY_REASON]);

/**
 * memory_left() - what this process may still use, bytes
 * @root: of the file system, "" except in tests
 * @keep: gets the reserve for others
 *
 * The available memory of the kernel, and the rest of the limits of the control
 * group and its parents, of either version; page cache that can be dropped
 * does not count as used. UINT64_MAX: unknown.
 */
uint64_t memory_left(const char *root, uint64_t *keep);

#endif
