/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_CLASSIFIER_H
#define NETDEV_CLASSIFIER_H


#include "base/error.h"

#define CLASSIFIER_BPFFS	"/sys/fs/bpf"
#define CLASSIFIER_PINS		CLASSIFIER_BPFFS "/optsample"
#define CLASSIFIER_TC_PINS	CLASSIFIER_BPFFS "/tc/globals"

enum { CLASSIFIER_PATH = 256 };

/**
 * classifier_load() - load the program for @dev and pin it and its maps
 *
 * Pins are in /sys/fs/bpf/optsample/@dev. They replace those that an earlier
 * run left after a crash.
 *
 * Return: file descriptor of the program, or negative errno
 */
int classifier_load(const char *dev, struct error *error);
/* The program of keep-DEV, likewise. Call it after classifier_load(). */
int classifier_load_keep(const char *dev, struct error *error);
/* The program that redirects to the device @queue, likewise */
int classifier_load_redirect(const char *dev, const char *queue,
			     struct error *error);
/* Remove the pins; the kernel frees unused maps. */
void classifier_unload(const char *dev);
/* Folder of the maps of @dev: its own pins, else those of plain tc */
void classifier_pins(const char *dev, char path[CLASSIFIER_PATH]);
/* Return: file descriptor of @name in folder @pins, or a negative errno */
int classifier_map(const char *pins, const char *name);

#endif
