/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DEV.neigh: neighbour entries that the daemon made permanent, and peers of the
 * user. It outlives the daemon, for the next one and for `down`.
 *
 *	ifindex N	interface of the entries
 *	peer ADDRESS	as given to --peer
 *	ADDRESS		of a permanent entry
 */
#ifndef NETDEV_NEIGH_FILE_H
#define NETDEV_NEIGH_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "base/error.h"
#include "base/ip_addr.h"

/* Called with each address: of a peer, or of a permanent entry of @ifindex */
typedef void (*neigh_file_fn)(const struct ip_addr *a, bool peer,
			      int ifindex, void *arg);

/* Without a file, @fn is not called. */
void neigh_file_read(const char *dev, neigh_file_fn fn, void *arg);

/**
 * neigh_file_begin() - replace the file
 * @dev:	name of the interface
 * @ifindex:	of the entries that follow
 *
 * Return: for neigh_file_put(), and neigh_file_end(), which replaces the old
 * file; NULL if it cannot be written
 */
FILE *neigh_file_begin(const char *dev, int ifindex);
void neigh_file_put(FILE *f, const struct ip_addr *a, bool peer);
void neigh_file_end(const char *dev, FILE *f);

/* Add a peer to the file. Return: 0 or a negative errno */
int neigh_file_add_peer(const char *dev, const struct ip_addr *a,
			struct error *error);

#endif
