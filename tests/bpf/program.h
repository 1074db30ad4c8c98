/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classifier in the kernel and its maps, attached to nothing.
 */
#ifndef OPTSAMPLE_TEST_PROGRAM_H
#define OPTSAMPLE_TEST_PROGRAM_H

/* The loaded program and its maps */
struct program {
	int prog;
	int writers;
	int flows;
	int recent;
	int frags;
	int frags6;
	int odometer;
	int counters;
};

extern struct program bpf;

/* Load @path; the maps are not pinned. Return: negative with errno */
int program_open(const char *path);

/* Forget all packets and all writers. */
void program_clear(void);

#endif
