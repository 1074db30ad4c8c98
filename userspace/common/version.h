/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - of all that is built from this tree
 */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#ifndef OPTSAMPLE_VERSION
#define OPTSAMPLE_VERSION "0.1"
#endif

#endif
