/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_MODULE_H
#define NETDEV_MODULE_H

#include <stdbool.h>
#include "base/error.h"

/* Make sure that sch_optsample is loaded: installed, else from the build */
int module_load(struct error *error);
/* Has the build tree a module for the running kernel? */
bool module_in_build(void);
/* The key with which DKMS signs modules, to be enrolled with mokutil */
const char *module_key(void);

#endif
