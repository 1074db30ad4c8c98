/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tag of a packet has to be: the classifier once more, slow and
 * plain, written from the formats and not from the BPF program.
 *
 * Data and repairs are known to the bit. Of control it is known whether a
 * packet is that, and whose; with which of its writer's flows it goes is the
 * program's to choose. Flow ids may be any, but one for each flow.
 */
#ifndef OPTSAMPLE_FUZZ_REF_H
#define OPTSAMPLE_FUZZ_REF_H

#include <optsample/tag.h>
#include "input.h"

void ref_reset(void);

/**
 * ref_check - is the tag of the next packet right?
 * @p:		the packet
 * @mm:		what the odometer says
 * @tag:	what it got
 *
 * Return: NULL, or what is wrong with it
 */
const char *ref_check(const struct input_packet *p, uint64_t mm,
		      const struct optsample_tag *tag);

#endif
