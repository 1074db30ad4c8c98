/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of recordings that must not grow too large
 */
#ifndef GDIMD_FOLDER_H
#define GDIMD_FOLDER_H

#include <stdint.h>

/* Make it, with those above it. Return: 0 or a negative errno */
int folder_make(const char *path);

/**
 * folder_trim() - remove the oldest logs
 * @quota: bytes that all recordings together may have
 * @keep: path of a log that stays, or NULL
 *
 * Logs are log_*.mcap with their .txt; of what else is there only the size
 * counts.
 *
 * Return: bytes that are there then.
 */
uint64_t folder_trim(const char *path, uint64_t quota, const char *keep);

#endif
