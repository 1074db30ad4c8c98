/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud80.h - clouds as D6.3 sends them: small clouds of up to 80 points
 *
 * For compatibility and comparison: coordinates are float32 as they are, point
 * i goes to datagram i mod n, which thins the cloud evenly when some are lost.
 * Extra fields go along, in their order, as far as 80 points of them fit.
 *
 * Limits: 65535 datagrams, 5 million points.
 *
 * Source: D6.3 section 6.1.
 */
#ifndef CODEC_CLOUD_CLOUD80_H
#define CODEC_CLOUD_CLOUD80_H

#include "codec/cloud/cloud.h"
#include "codec/core/payload.h"

enum { CLOUD80_POINTS = 80 };

/**
 * cloud80_encode() - fill the payloads of a cloud
 * @out: gets a payload for every CLOUD80_POINTS points; one for an empty cloud
 *
 * Return: 0; -EMSGSIZE if not even coordinates fit, -ENOSPC if @out has too
 * few slots.
 */
int cloud80_encode(const struct cloud *in, struct payloads *out);

struct cloud80;

/**
 * cloud80_create() - a decoder of clouds of up to @max points
 *
 * Return: it, or NULL; cloud80_destroy() frees it.
 */
struct cloud80 *cloud80_create(unsigned int max);

void cloud80_destroy(struct cloud80 *d);

/* A new cloud: forget what was added */
void cloud80_begin(struct cloud80 *d);

/**
 * cloud80_add() - one more payload of the cloud
 *
 * Return: 0; -EEXIST if it is there already; -EINVAL if it is of another
 * cloud's shape than the first; -EPROTO if it is broken or larger than the
 * decoder's limit. Nothing changed if not 0.
 */
int cloud80_add(struct cloud80 *d, const void *payload, size_t len);

/**
 * cloud80_finish() - the points that are there
 * @out: gets them payload by payload, by their numbers
 *
 * Return: 0, or -ENOSPC if @out is too small: it is empty then.
 */
int cloud80_finish(struct cloud80 *d, struct cloud *out);

#endif
