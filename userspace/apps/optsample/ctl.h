/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of `optsample` share.
 *
 *   optsample.c   table of commands
 *   cmd_*.c       one command each
 *   netlink.c     requests, dumps, errors with the kernel's own words
 *   stack.c       the devices, qdiscs and filters of `up`, and their undoing
 *   own.c         an ipvlan with addresses of the robot's own
 *   neigh.c       permanent neighbour entries
 *   neigh_file.c  which they are, on file
 *   dests.c       where sampled flows go
 *   keep*.c       addresses of an interface that has lost them
 *   network.c     which Wi-Fi network an interface is in
 *   nl80211.c     questions to nl80211
 *   link_thread.c the daemon's thread for neighbours and addresses
 *   classifier.c  the BPF programs and their maps
 *   writers.c     who is sampled, in its map
 *   module.c      the kernel module
 *   state.c       files in /run/optsample: one folder for one interface
 *   topics.c      which topics are sampled; what the daemon found
 *   rules.c       what the user wants for some of them
 *   discovery.c   DDS built-in topics, odometry
 *   locators.c    addresses of DDS participants
 *   origin.c      whose packets leave by an interface
 *   route.c       lookups in the routing tables
 *   odometer.c    how far the robot has come
 *   udpros.c      UDPROS connections of ROS 1 nodes on this host
 *   doctor_*.c    checks of `doctor`, see doctor.h
 *   stats.c       statistics of the qdisc and its flows, with names
 *
 * All functions return 0 or a negative errno; whoever finds a problem
 * prints the one line about it, by cli_error(), and the callers only undo.
 */
#ifndef OPTSAMPLE_CTL_H
#define OPTSAMPLE_CTL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "base/cli.h"

#define CTL_RUN		"/run/optsample"
#define CTL_LOCK	"/run/optsample.lock"
#define CTL_BPFFS	"/sys/fs/bpf"
#define CTL_PINS	CTL_BPFFS "/optsample"
#define CTL_TC_PINS	CTL_BPFFS "/tc/globals"

enum { CTL_PATH = 256 };

/* CLOCK_MONOTONIC in ms */
static inline uint64_t ctl_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Commands; arguments as for main(), with the command as argv[0] */
int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_topic(int argc, char **argv);
int cmd_topics(int argc, char **argv);
int cmd_discover(int argc, char **argv);
int cmd_send(int argc, char **argv);
int cmd_recv(int argc, char **argv);

struct state;

/**
 * down_undo - end the daemon, take away what it and `up` made (cmd_down.c)
 * @st:		what to undo
 *
 * Return: 0, or negative errno: then @st is still on file if something was
 * left
 */
int down_undo(struct state *st);

#endif
