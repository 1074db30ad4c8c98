/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of `optsample` share.
 *
 *   optsample.c   table of commands
 *   cmd_*.c       one command each
 *   netlink.c     requests, dumps, errors with the kernel's own words
 *   stack.c       the devices, qdiscs and filters of `up`, and their undoing
 *   neigh.c       permanent neighbour entries
 *   classifier.c  the BPF program and its maps
 *   module.c      the kernel module
 *   state.c       files in /run/optsample: one folder for one interface
 *   topics.c      which topics are sampled; what the daemon found
 *   discovery.c   DDS built-in topics
 *   stats.c       statistics of the qdisc and its flows, with names
 *   parse.c       numbers with units
 *
 * All functions return 0 or a negative errno; whoever finds a problem
 * prints the one line about it, by ctl_error(), and the callers only undo.
 */
#ifndef OPTSAMPLE_CTL_H
#define OPTSAMPLE_CTL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTL_RUN		"/run/optsample"
#define CTL_BPFFS	"/sys/fs/bpf"
#define CTL_PINS	CTL_BPFFS "/optsample"
#define CTL_TC_PINS	CTL_BPFFS "/tc/globals"

enum { CTL_PATH = 256 };

/* One line on stderr. Return: @err, which may be 0 */
int ctl_error(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ctl_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Commands; arguments as for main() */
int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_topics(int argc, char **argv);
int cmd_discover(int argc, char **argv);

/* parse.c: -EINVAL if it is no such number or too large */
int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *v);
int parse_size(const char *s, uint64_t *bytes);		/* 64M, 100k */
int parse_rate(const char *s, uint64_t *bytes_per_s);	/* 10Mbit */
int parse_time_ms(const char *s, uint32_t *ms);		/* 500ms, 2s, 2 */

#endif
