/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * installed.h - where the files are that a program opens while it runs
 */
#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <limits.h>

/* The folder of `make install` for plugins and BPF objects */
extern const char installed_folder[];

/**
 * installed_find() - a plugin or BPF object
 * @variable:	if it is set, the file is in the folder that it names; or NULL
 * @folder:	of the build tree, below build/
 *
 * Otherwise it is beside the folder of the program: in @folder of a build tree
 * or in lib/optsample; or where it was installed.
 *
 * Return: 0, or -ENOENT.
 */
int installed_find(const char *variable, const char *folder, const char *name,
		   char path[PATH_MAX]);

#endif
