/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud80.h - clouds as in D6.3: small clouds of up to 80 points
 *
 * For compatibility and comparison: coordinates are plain float32, point i goes
 * to datagram i mod n, so that losses thin the cloud evenly. Extra fields are
 * included in their order, as long as 80 points fit.
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
 * cloud80_encode() - encode a cloud to payloads
 * @out: gets a payload for every CLOUD80_POINTS points; one for an empty cloud
 *
 * Return: 0; -EMSGSIZE: not even coordinates fit, -ENOSPC: @out has too few
 * slots.
 */
int cloud80_encode(const struct cloud *in, struct payloads *out);

struct cloud80;

/**
 * cloud80_create() - a decoder of clouds of up to @max points
 *
 * Return: NULL: no memory; free with cloud80_destroy().
 */
struct cloud80 *cloud80_create(unsigned int max);

void cloud80_destroy(struct cloud80 *d);

/* Start a cloud: forget what was added */
void cloud80_begin(struct cloud80 *d);

/**
 * cloud80_add() - add a payload of the cloud
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: its shape differs from the first
 * one's; -EFBIG: more points or payloads than @max allows; -EPROTO: damaged.
 * After an error nothing changed.
 */
int cloud80_add(struct cloud80 *d, const void *payload, size_t len);

/**
 * cloud80_finish() - the received points
 * @out: gets them in the order of the payloads' numbers
 *
 * Return: 0, or -ENOSPC: @out is too small, and is empty.
 */
int cloud80_finish(struct cloud80 *d, struct cloud *out);

#endif
