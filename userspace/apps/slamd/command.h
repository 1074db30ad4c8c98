/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - what a peer asks of a running slamd
 */
#ifndef APPS_SLAMD_COMMAND_H
#define APPS_SLAMD_COMMAND_H

#include <stdbool.h>
#include "base/pose.h"

enum { COMMAND_PATH = 4096 };

/**
 * enum slam_command_kind
 * @COMMAND_LOAD_MAP: localise in a map
 * @COMMAND_RESET: begin a new map; in a known one: search the robot again
 * @COMMAND_SAVE: write the checkpoint
 * @COMMAND_RESTORE: map on in a checkpoint, or localise in its map
 */
enum slam_command_kind {
	COMMAND_LOAD_MAP,
	COMMAND_RESET,
	COMMAND_SAVE,
	COMMAND_RESTORE,
};

/**
 * struct slam_command
 * @path:	of the map or checkpoint
 * @pose:	about where the robot is, if @posed; else it is anywhere
 * @localise:	with COMMAND_RESTORE: the map stays as it is
 */
struct slam_command {
	enum slam_command_kind	kind;
	char			path[COMMAND_PATH];
	struct pose		pose;
	bool			posed, localise;
};

#endif
