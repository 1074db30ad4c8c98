/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cut-vfs.h - files of SQLite on a machine whose power is cut
 *
 * A VFS before the default one. It knows of each file what is on disk for sure
 * (what was there when xSync returned) and what was written since. After the
 * cut each sector of the latter is on disk or not, whatever came before it.
 */
#ifndef TESTS_CUT_VFS_H
#define TESTS_CUT_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* Before the default VFS. Return: whether it could be */
bool cut_vfs_install(void);

/**
 * cut_vfs_arm() - all files are on disk; the power is cut after @events
 * @events: writes, truncations, deletions and syncs; the last one is cut too
 */
void cut_vfs_arm(unsigned int events);

/* Whether it was: from then on all fails */
bool cut_vfs_is_off(void);

/* What is left of the files, which no one has open. Power is on again */
void cut_vfs_leave(uint64_t *seed);

/* As if there were none, for what follows */
void cut_vfs_disarm(void);

#endif
