/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of `optsample`
 *
 *   optsample.c   table of commands
 *   cmd_*.c       one command each
 *   netlink.c     requests, dumps, and the kernel's error messages
 *   stack.c       devices, qdiscs and filters of `up`, and their removal
 *   own.c         an ipvlan with addresses of the robot's own
 *   neigh.c       permanent neighbour entries
 *   neigh_file.c  the file with them
 *   dests.c       destinations of sampled flows
 *   keep*.c       keep addresses of an interface that has lost them
 *   network.c     which Wi-Fi network an interface is in
 *   genl.c        requests to nl80211 and WireGuard
 *   tunnel.c      which device a tunnel sends by
 *   link_thread.c the daemon's thread for neighbours and addresses
 *   classifier.c  the BPF programs and their maps
 *   writers.c     the classifier's map of sampled writers
 *   module.c      the kernel module
 *   state.c       files in /run/optsample: one folder for one interface
 *   topics.c      which topics are sampled; the daemon's list of topics
 *   rules.c       the user's rules for topics
 *   rules_set.c   a rule in the classifier and in the qdisc
 *   rule_text.c   a rule as options or keys
 *   rules_file.c  topics.conf
 *   redirect.c    the redirect to the queue, after `up`
 *   discovery.c   DDS built-in topics, odometry; no_discovery.c without DDS
 *   locators.c    addresses of DDS participants
 *   origin.c      whether packets of a participant leave by an interface
 *   route.c       lookups in the routing tables
 *   odometer.c    distance that the robot has travelled
 *   udpros.c      UDPROS connections of ROS 1 nodes on this host
 *   doctor_*.c    checks of `doctor`, see doctor.h
 *   stats.c       statistics of the qdisc and its flows, with names
 *
 * Functions return 0 or a negative errno. The function that finds a problem
 * prints one line by cli_error(); callers only undo.
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
int cmd_view(int argc, char **argv);

struct state;

/**
 * down_undo - stop the daemon, undo its work and that of `up` (cmd_down.c)
 * @st:		what to undo
 *
 * Return: 0, or negative errno: if something could not be undone @st is still
 * in its file
 */
int down_undo(struct state *st);

#endif
