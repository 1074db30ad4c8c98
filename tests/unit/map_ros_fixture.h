/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_ros_fixture.h - a site, messages for it, and a clock that the test sets
 *
 * Link with -Wl,--wrap=loop_now,--wrap=io_now,--wrap=loop_add_timer,
 * --wrap=loop_remove_timer: the timers that code under test adds run in
 * pass_time().
 */
#ifndef UNIT_MAP_ROS_FIXTURE_H
#define UNIT_MAP_ROS_FIXTURE_H

#include <stdlib.h>
#include "base/loop.h"
#include "map/io/map_message.h"
#include "map/ros/map_config.h"
#include "site_fixture.h"

#define MS	1000000ULL		/* ns */
#define SECOND	1000000000ULL

/*
 * The clock
 */

/* CLOCK_MONOTONIC, CLOCK_REALTIME, ns */
static uint64_t now_ns = 1000 * SECOND;
static int64_t wall_ns = 1700000000 * (int64_t)SECOND;
static struct loop_timer *timers;

uint64_t __wrap_loop_now(void);
int64_t __wrap_io_now(void);
void __wrap_loop_add_timer(struct loop *l, struct loop_timer *t);
void __wrap_loop_remove_timer(struct loop *l, struct loop_timer *t);

uint64_t __wrap_loop_now(void)
{
	return now_ns;
}

int64_t __wrap_io_now(void)
{
	return wall_ns;
}

void __wrap_loop_add_timer(struct loop *l, struct loop_timer *t)
{
	(void)l;
	t->next = timers;
	timers = t;
}

void __wrap_loop_remove_timer(struct loop *l, struct loop_timer *t)
{
	struct loop_timer **at = &timers;

	(void)l;
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
}

static inline void run_timers(void)
{
	for (struct loop_timer *t = timers, *next; t; t = next) {
		next = t->next;
		if (t->due > now_ns)
			continue;
		t->due = LOOP_NEVER;
		t->expired(t->arg, now_ns);
	}
}

static inline void pass_time(uint64_t ns)
{
	now_ns += ns;
	wall_ns += ns;
	run_timers();
}

/*
 * Messages
 */

static struct map_room message_room_;

/* @side squared cells of @value, their corner at 0 0 of @frame */
static inline const union message *map_of(unsigned int bits, unsigned int side,
					  int value, const char *frame,
					  int64_t stamp)
{
	static union message m;
	struct raster r = { { 0, 0, side, side }, bits, 0.1, NULL };

	map_room_reserve(&message_room_, (size_t)side * side);
	r.cells = message_room_.cells;
	for (unsigned int i = 0; i < side * side; i++)
		r.cells[i] = value;
	map_message(&message_room_, &r, stamp, frame, &m);
	return &m;
}

/* A grid map of two layers */
static inline const union message *grids_of(unsigned int side, const char *a,
					    const char *b, const char *frame,
					    int64_t stamp)
{
	static union message m;
	struct raster r = { { 0, 0, side, side }, 16, 0.1, NULL };

	map_room_reserve_layers(&message_room_, (size_t)side * side, 2);
	r.cells = message_room_.cells;
	for (unsigned int i = 0; i < side * side; i++)
		r.cells[i] = 3000;
	map_message_named(&message_room_, &r, a, stamp, frame, &m);
	for (unsigned int i = 0; i < side * side; i++)
		r.cells[i] = 6000;
	map_message_more(&message_room_, &r, b, &m);
	return &m;
}

/* @frame is at @x 0 of @parent */
static inline struct message_transform transform_of(const char *parent,
						    const char *frame, double x,
						    int64_t stamp)
{
	return (struct message_transform){
		.header = { stamp, 0, message_string(parent) },
		.child_frame_id = message_string(frame),
		.translation = { x, 0, 0 },
		.rotation = { 0, 0, 0, 1 },
	};
}

/*
 * A site with the layers of D4.1's tables, in the frame "world"
 */

static struct map_config map_config;
static struct site *site;

static inline void open_map(const char *name)
{
	map_config_init(&map_config);
	map_config_add_defaults(&map_config);
	strcpy(map_config.frame, "world");
	site = open_site_of(in_folder(name), STORE_CREATE, 64 << 20);
	if (!site)
		abort();
}

static inline const struct map_config_layer *line_of(const char *name)
{
	const struct map_config_layer *l = map_config_find(&map_config, name);

	if (!l)
		abort();
	return l;
}

static inline void fuse_map(void)
{
	while (site_fuse(site, -1, UINT64_MAX, NULL, NULL) > 0)
		;
}

#endif
