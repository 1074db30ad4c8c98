/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuser.h - the thread that fuses, so that input never waits for it
 */
#ifndef MAP_SITE_FUSER_H
#define MAP_SITE_FUSER_H

#include "base/loop.h"
#include "map/site/site.h"

struct fuser;

/**
 * fuser_open() - start, with all unfused parts of the site
 * @fused: called in the loop when fused maps have changed
 *
 * Return: 0 or a negative errno.
 */
int fuser_open(struct fuser **f, struct site *site, struct loop *loop,
	       void (*fused)(void *arg), void *arg);
void fuser_close(struct fuser *f);

/* New data was stored */
void fuser_kick(struct fuser *f);

/**
 * fuser_want() - fuse an evicted part of a map again, and wait for it
 *
 * For threads of HTTP clients. Return: 0; -ENOMEM; -ECANCELED: shutting down.
 */
int fuser_want(struct fuser *f, unsigned int layer, const struct rect *r);

/**
 * struct fuser_stats - since the start
 * @failed:	submaps that could not be read for fusing
 * @busy:	ns
 */
struct fuser_stats {
	uint64_t	moved, tiles, drawn, failed, busy;
};

struct fuser_stats fuser_stats(struct fuser *f);

#endif
