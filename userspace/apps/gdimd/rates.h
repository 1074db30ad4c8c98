/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rates.h - rates that somebody asked for: the store keeps them
 */
#ifndef APPS_GDIMD_RATES_H
#define APPS_GDIMD_RATES_H

#include "base/error.h"
#include "map/site/site.h"

/**
 * rates_kept() - at which an output goes out
 * @name: of the output, without a prefix
 * @other: if nobody said anything
 *
 * From any thread. Return: Hz, 0..100.
 */
double rates_kept(struct site *s, const char *name, double other);

/**
 * rates_keep() - for the next start
 *
 * Waits for its turn to store. Return: 0; as store_set(), with one line.
 */
int rates_keep(struct site *s, const char *name, double hz,
	       char error[ERROR_TEXT]);

#endif
