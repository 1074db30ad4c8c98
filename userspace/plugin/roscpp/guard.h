/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPTSAMPLE_ROS1_GUARD_H
#define OPTSAMPLE_ROS1_GUARD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * guard - is the roscpp of this process the one this library was built for?
 * @function: an address within it
 *
 * Return: true if it is; else one line on standard error says what it found.
 */
bool guard(const void *function);

#ifdef __cplusplus
}
#endif

#endif
