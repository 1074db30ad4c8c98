/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loss.h - loss of datagrams: random, alone or in bursts
 */
#ifndef APPS_OPTSAMPLE_LAB_LOSS_H
#define APPS_OPTSAMPLE_LAB_LOSS_H

#include <stdbool.h>
#include <stdint.h>
#include "codec/core/payload.h"

/**
 * struct loss - a channel of two states (Gilbert, 1960): none or all are lost
 */
struct loss {
	uint64_t	state;
	double		loss, burst;
	bool		bad;
};

/**
 * loss_init() - a channel
 * @loss: share of datagrams that are lost, 0 .. 1
 * @burst: mean length of a run of losses, datagrams; up to 1 / (1 - loss):
 *	independent losses
 * @seed: the same seed gives the same losses
 */
void loss_init(struct loss *l, double loss, double burst, uint64_t seed);

/**
 * loss_next() - whether the next datagram is lost
 */
bool loss_next(struct loss *l);

typedef int loss_add(void *decoder, const void *payload, size_t len);

/**
 * loss_pass() - send payloads over the channel
 * @add: called with @decoder for each payload that arrives
 *
 * Return: number of payloads that arrived.
 */
unsigned int loss_pass(struct loss *l, const struct payloads *sent,
		       loss_add *add, void *decoder);

/**
 * parse_loss() - "0.2", "20%", or percent for numbers from 1 on: "20"
 *
 * Return: 0, -EINVAL.
 */
int parse_loss(const char *s, double *loss);

#endif
