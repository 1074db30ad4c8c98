/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - how much memory the particles' maps of this process may take
 *
 * Maps grow until a limit of the user's, or until the machine or the control
 * group of the process has next to nothing left: an error then is better than
 * being killed by the kernel.
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
 * memory_limit() - for all maps of the process together
 * @bytes: 0: what the machine has (the default)
 */
void memory_limit(uint64_t bytes);

/**
 * memory_take() - before memory is written to for the first time; any thread
 *
 * Return: whether it may be. If not, memory_reason() says why.
 */
bool memory_take(size_t bytes);
void memory_give(size_t bytes);

/* There are no more addresses for maps, though there may be memory */
void memory_no_addresses(void);

/**
 * memory_reason() - what was refused last
 * @text: gets what the maps take more than, for a message
 *
 * Return: false: nothing was refused.
 */
bool memory_reason(char text[MEMORY_REASON]);

/**
 * memory_left() - what this process may still take, bytes
 * @root: of the file system, "" but in tests
 * @keep: gets what should be left for others
 *
 * What the kernel counts as available, and what the limits of the control
 * group and those above it leave, of either version; page cache that can be
 * dropped is not in use. UINT64_MAX: nothing is known.
 */
uint64_t memory_left(const char *root, uint64_t *keep);

#endif
