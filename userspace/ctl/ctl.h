/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of `optsample` share.
 *
 *   optsample.c   table of commands
 *   usage.c       arguments, and what is wrong with them
 *   cmd_*.c       one command each
 *   netlink.c     requests, dumps, errors with the kernel's own words
 *   stack.c       the devices, qdiscs and filters of `up`, and their undoing
 *   neigh.c       permanent neighbour entries
 *   classifier.c  the BPF program and its maps
 *   writers.c     who is sampled, in its map
 *   module.c      the kernel module
 *   state.c       files in /run/optsample: one folder for one interface
 *   topics.c      which topics are sampled; what the daemon found
 *   rules.c       what the user wants for some of them
 *   discovery.c   DDS built-in topics, odometry
 *   odometer.c    how far the robot has come
 *   udpros.c      UDPROS connections of ROS 1 nodes on this host
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
#define CTL_LOCK	"/run/optsample.lock"
#define CTL_BPFFS	"/sys/fs/bpf"
#define CTL_PINS	CTL_BPFFS "/optsample"
#define CTL_TC_PINS	CTL_BPFFS "/tc/globals"

enum { CTL_PATH = 256 };

/* One line on stderr. Return: @err, which may be 0 */
int ctl_error(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ctl_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct argp;

/* One line: the error, and where help is. Return: -EINVAL */
int ctl_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * ctl_parse - argp_parse(), but an error is one line
 * @argp:	its parser returns a negative errno after it told an error
 * @argc:	as for main(); argv[0] is the command
 * @argv:
 * @input:	for the parser
 *
 * Return: 0 or a negative errno
 */
int ctl_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Commands; arguments as for main(), with the command as argv[0] */
int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_topic(int argc, char **argv);
int cmd_topics(int argc, char **argv);
int cmd_discover(int argc, char **argv);

struct state;

/**
 * down_undo - end the daemon, take away what it and `up` made (cmd_down.c)
 * @st:		what to undo
 *
 * Return: 0, or negative errno: then @st is still on file if something was
 * left
 */
int down_undo(struct state *st);

/*
 * parse.c: -EINVAL if it is no such number or out of range. Units are those
 * of <optsample/units.h>.
 */
int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *v);
int parse_size(const char *s, uint32_t min, uint32_t max, uint32_t *bytes);
int parse_time_ms(const char *s, uint32_t min, uint32_t max, uint32_t *ms);

#endif
