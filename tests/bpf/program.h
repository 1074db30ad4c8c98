/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classifier in the kernel and its maps, attached to nothing.
 */
#ifndef OPTSAMPLE_TEST_PROGRAM_H
#define OPTSAMPLE_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* The loaded program and its maps */
struct program {
	bool few_steps;		/* ros_tag_nobtf: fewer submessages are read */
	int prog;
	int writers;
	int flows;
	int recent;
	int frags;
	int frags6;
	int odometer;
	int scratch;
	int counters;
};

extern struct program bpf;

/* The object that fits the running kernel */
const char *program_object(void);

/* Load @path; the maps are not pinned. Return: negative with errno */
int program_open(const char *path);

struct bpf_program;

/**
 * program_with_log - load @path again, for the verifier's output
 * @path:	the object
 * @log:	out: its statistics
 * @size:	of @log
 *
 * Return: the program, or NULL
 */
struct bpf_program *program_with_log(const char *path, char *log, size_t size);

/* Forget all packets and all writers. */
void program_clear(void);

#endif
