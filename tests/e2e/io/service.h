/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service.h - shared by service-node and service-peer
 */
#ifndef TESTS_ENDS_SERVICE_H
#define TESTS_ENDS_SERVICE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* by enum service_kind */
static const char *const service_names[] = {
	"/gdim/output/rooms", "/gdim/output/room_information",
	"/gdim/output/spot_information", "/gdim/output/pub_rate",
	"/gdim/output/snapshot", "/gdim/output/logging",
};

#define ROOM_LINE "room %d [%.*s] id %d [%.*s] at %g %g %g size %g " \
	"outline %u to %g %g %g averages %d %g of %u from %g, %d %d %d, " \
	"%u names to [%.*s]\n"
#define SPOT_LINE "spot %d [%.*s] %g names %u [%.*s] of %u to %g, %d %d %d\n"

#define SNAPSHOT_LINE "snapshot %d [%s] %s\n"

/* Of this process, so that it knows its answers */
static inline const char *snapshot_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "evening-%d", (int)getpid());
	return name;
}

static inline bool is_mine(const char *path, size_t len)
{
	const char *name = snapshot_name();

	return len == 5 + strlen(name) && !memcmp(path, "/var/", 5) &&
	       !memcmp(path + 5, name, len - 5);
}

/* 0 .. n-1 */
static inline uint32_t rnd(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 33) % n;
}

#endif
