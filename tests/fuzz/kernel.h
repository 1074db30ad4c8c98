/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/ros_tag.bpf.c in user space, with all that the kernel does for it:
 * maps, packets, helpers.
 *
 * Maps never evict: an input has fewer packets than they have room. A packet
 * lies in the lowest 2 GB, where the 32-bit pointers of struct __sk_buff
 * reach; with the address sanitizer, all around its linear part is poisoned.
 */
#ifndef OPTSAMPLE_FUZZ_KERNEL_H
#define OPTSAMPLE_FUZZ_KERNEL_H

#include <optsample/tag.h>
#include "input.h"

/* Empty maps, and the writers of input_writers */
void kernel_reset(void);

/**
 * kernel_run - run the program
 * @p:		the packet
 * @mm:		odometer, mm
 * @tag:	out: what it left in cb[]
 *
 * Ends the process if the program does something forbidden.
 */
void kernel_run(const struct input_packet *p, uint64_t mm,
		struct optsample_tag *tag);

#endif
