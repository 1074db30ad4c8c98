/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io.h - shared by sources and sinks
 */
#ifndef ROS_IO_IO_H
#define ROS_IO_IO_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

enum {
	IO_NAME	= 256,		/* of a topic, with the final 0 */
};

/* One line for a log, which may be NULL */
__attribute__((format(printf, 4, 0)))
void io_log(void (*log)(void *arg, int priority, const char *line), void *arg,
	    int priority, const char *format, va_list args);

/*
 * Whether @name is a valid topic: absolute, of letters, digits and _, as in
 * ROS; so it is also a safe file path
 */
bool io_valid_name(const char *name);

/**
 * io_is() - whether a spec is of this scheme
 * @rest: gets what follows the colon, NULL if there is none
 */
bool io_is(const char *spec, const char *scheme, const char **rest);

/* CLOCK_REALTIME, ns */
int64_t io_now(void);

#endif
