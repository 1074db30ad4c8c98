/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the version of all programs of this tree
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#ifndef OPTSAMPLE_VERSION
#error "VERSION of the Makefile is missing"
#endif

#endif
