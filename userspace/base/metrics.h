/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - counters in the text format of Prometheus, over HTTP
 */
#ifndef BASE_METRICS_H
#define BASE_METRICS_H

#include <stdio.h>
#include "base/error.h"
#include "base/loop.h"

struct metrics;

/**
 * metrics_open() - answer GET /metrics
 * @where:	ADDRESS:PORT, [ADDRESS]:PORT or PORT, which is on the loopback
 *		interface only
 * @collect:	writes all counters
 * @error:	gets one line
 *
 * Return: 0 or a negative errno.
 */
int metrics_open(struct metrics **m, struct loop *l, const char *where,
		 void (*collect)(void *arg, FILE *out), void *arg,
		 struct error *error);
void metrics_close(struct metrics *m);

/* "# HELP" and "# TYPE" of a counter or a gauge */
void metrics_family(FILE *out, const char *name, const char *type,
		    const char *help);

/* The value of a label, escaped */
void metrics_label(FILE *out, const char *text);

#endif
