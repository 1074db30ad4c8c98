/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_open.h - open files that may be stores
 */
#ifndef MAP_STORE_STORE_OPEN_H
#define MAP_STORE_STORE_OPEN_H

#include "map/store/store_db.h"

/*
 * Opens @s->db for reading, or writing with @s->lock. Return: as store_open()
 */
int store_open_to_read(struct store *s);
int store_open_to_write(struct store *s, bool create);

/* Closes statements, connection, lock */
void store_disconnect(struct store *s);

#endif
