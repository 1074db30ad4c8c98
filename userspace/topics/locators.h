/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of DDS participants, of any vendor.
 */
#ifndef TOPICS_LOCATORS_H
#define TOPICS_LOCATORS_H

#include "base/ip_addr.h"

/**
 * locators_find() - unicast addresses of a participant
 * @guid:	of the participant, as on the wire
 * @a:		gets them, without link-local addresses
 * @max:	of @a
 *
 * For a thread that has just read a sample from a reader in this process's
 * only domain.
 *
 * Return: their number, 0 if unknown
 */
int locators_find(const uint8_t *guid, struct ip_addr *a, int max);

#endif
