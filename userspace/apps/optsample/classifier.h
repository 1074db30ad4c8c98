/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPTSAMPLE_CTL_CLASSIFIER_H
#define OPTSAMPLE_CTL_CLASSIFIER_H

#include "../../../bpf/ros_tag.h"
#include "ctl.h"

/**
 * classifier_load - load the program for @dev and pin it and its maps
 *
 * Pins are in /sys/fs/bpf/optsample/@dev. They replace those that an earlier
 * run left after a crash.
 *
 * Return: file descriptor of the program, or negative errno
 */
int classifier_load(const char *dev);
/* The program of keep-DEV, likewise. Call it after classifier_load(). */
int classifier_load_keep(const char *dev);
/* The program that redirects to the device @queue, likewise */
int classifier_load_redirect(const char *dev, const char *queue);
/* Remove the pins; the kernel frees unused maps. */
void classifier_unload(const char *dev);
/* Folder of the maps of @dev: its own pins, else those of plain tc */
void classifier_pins(const char *dev, char path[CTL_PATH]);
/* Return: file descriptor of what is @name in folder @pins, or negative errno */
int classifier_map(const char *pins, const char *name);

#endif
