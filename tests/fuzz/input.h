/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input of the fuzzer: a few packets, one after the other. It always runs
 * with the same writers and the same odometer.
 *
 * A packet is six bytes, then its own:
 *
 *   0  bytes that follow, 12 bit, little endian; bit 15: set the lengths in
 *      its IP and UDP headers right
 *   2  length of the packet, 12 bit: zeros behind the bytes
 *   4  what is in the linear part, in 16 bytes, 0: all
 *   5  UDP GSO: bytes of a datagram, in 8, 0: none
 */
#ifndef OPTSAMPLE_FUZZ_INPUT_H
#define OPTSAMPLE_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "../../bpf/ros_tag.h"

enum {
	INPUT_HEADER	= 6,
	INPUT_PACKET	= 1600,	/* bytes of a packet */
	INPUT_PACKETS	= 24,	/* that are run */
	INPUT_LINEAR	= 62,	/* link and IP header are always */
	INPUT_MAX	= 4096,	/* bytes of an input */
	INPUT_FIX	= 0x8000,
	INPUT_MM	= 1000,	/* travelled from packet to packet */
};

/**
 * struct input_packet - one packet
 * @data:	its bytes
 * @len:	how many, and how many of them
 * @linear:	are in the linear part
 * @gso:	gso_size of the skb
 */
struct input_packet {
	uint8_t		data[INPUT_PACKET];
	uint32_t	len;
	uint32_t	linear;
	uint16_t	gso;
};

/* Writers that are sampled */
struct input_writer {
	struct ros_guid		guid;
	struct ros_writer	writer;
};

extern const struct input_writer input_writers[];
extern const unsigned int input_nwriters;

/**
 * input_next - next packet of an input
 * @at:		where it is, advanced
 * @end:	of the input
 * @p:		out
 *
 * Return: 1, 0 at the end
 */
int input_next(const uint8_t **at, const uint8_t *end,
	       struct input_packet *p);

/**
 * corpus_next - next input of a corpus: its length in 4 bytes, then itself
 * @f:		the file
 * @b:		out, INPUT_MAX bytes
 *
 * Return: its length, 0 at the end, negative if the file is broken
 */
int corpus_next(FILE *f, uint8_t *b);

#endif
