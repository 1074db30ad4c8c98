/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rates.h - rates that were requested: kept in the store
 */
#ifndef MAP_ROS_RATES_H
#define MAP_ROS_RATES_H

#include <stdbool.h>
#include "base/error.h"
#include "map/site/site.h"

/* Hz, of an output; 0: never */
enum { RATES_MAX = 100 };
bool rates_valid(double hz);

/**
 * rates_kept() - the rate of an output
 * @name: of the output, without a prefix
 * @other: default, Hz
 *
 * From any thread. Return: Hz, 0..100.
 */
double rates_kept(struct site *s, const char *name, double other);

/**
 * rates_keep() - store a rate for the next start
 *
 * Waits for its turn to store. Return: 0; as store_set(), with one line in
 * @error.
 */
int rates_keep(struct site *s, const char *name, double hz,
	       struct error *error);

#endif
