/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs packets through the classifier and says in TAP what was wrong.
 */
#ifndef OPTSAMPLE_TEST_HARNESS_H
#define OPTSAMPLE_TEST_HARNESS_H

#include <bpf/bpf.h>
#include <optsample/tag.h>
#include "../../bpf/ros_tag.h"
#include "packet.h"
#include "program.h"

#define FIRST	((int)OPTSAMPLE_TAG_FIRST)
#define LAST	((int)OPTSAMPLE_TAG_LAST)
#define CONTROL	((int)OPTSAMPLE_TAG_CONTROL)
#define REPAIR	((int)OPTSAMPLE_TAG_REPAIR)
#define SELF	((int)OPTSAMPLE_TAG_SELF)
#define LATEST	((int)OPTSAMPLE_TAG_LATEST)
#define NONE	(-1)

enum { CYCLONE = 0x0110, FASTDDS = 0x010f };

/* Number of tests so far */
struct tap {
	int n;
	int failed;
	const char *why;	/* failure of the current one */
};

extern struct tap tap;

/* A test's first failure, as a condition */
#define WANT(cond) do {							\
	if (!(cond) && !tap.why)					\
		tap.why = #cond;					\
} while (0)

void done(const char *name);

/* Return: 0 with the tag, all zero if there is none; else -errno */
int tag_of(const struct packet *p, struct optsample_tag *tag);

/* Return: flags of the tag, or NONE; @tag may be NULL */
int flags(const struct packet *p, struct optsample_tag *tag);
/* The packet of the last flags() is ordinary traffic that does not age */
extern bool lasts;

/* Sample the writer @prefix + @entity; @number: see struct ros_writer */
void opt_in(const uint8_t *prefix, uint32_t entity, uint32_t number);
/* The same, with all fields */
void opt_in_as(const uint8_t *prefix, uint32_t entity,
	       const struct ros_writer *w);
/* Sample the UDPROS connection of @p */
void opt_in_udpros(const struct packet *p, const struct ros_writer *w);

/* Empty maps, and only PACKET_WRITER sampled */
void fresh(void);
uint64_t counted(enum ros_counter what);

/* A packet of one DATA, as Cyclone sends it */
void data(struct packet *p, int64_t sn);
/* A packet of one DATA_FRAG: 1300 bytes, three make a message */
void datagram(struct packet *p, int64_t sn, uint32_t start);

/* One file each; bench.c */
void test_broken(void);
void test_captures(void);
void test_concurrent(void);
void test_frames(void);
void test_gso(void);
void test_latest(void);
void test_positions(void);
void test_recent(void);
void test_restart(void);
void test_segments(void);
void test_stack(const char *object);
void test_udpros(void);
int bench(void);

#endif
