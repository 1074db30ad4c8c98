/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of DDS participants, of any vendor.
 */
#ifndef OPTSAMPLE_CTL_LOCATORS_H
#define OPTSAMPLE_CTL_LOCATORS_H

#include "route.h"

/**
 * locators_find - where a participant can be reached by unicast
 * @guid:	of the participant, as on the wire
 * @a:		out, no link-local addresses
 * @max:	of @a
 *
 * For a thread that has just read a sample from a reader in this process's
 * only domain.
 *
 * Return: how many there are, 0 if it is not known
 */
int locators_find(const uint8_t *guid, struct route_addr *a, int max);

#endif
