/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classifier in the kernel and its maps, attached to nothing.
 */
#ifndef OPTSAMPLE_TEST_PROGRAM_H
#define OPTSAMPLE_TEST_PROGRAM_H

#include <stddef.h>

/* The loaded program and its maps */
struct program {
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
