/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * band_json.h - bands, states and outages as JSON
 */
#ifndef VIEW_BAND_JSON_H
#define VIEW_BAND_JSON_H

#include <cjson/cJSON.h>
#include "view/board.h"

/* "live", "stale", "disconnected", "unknown" */
const char *band_state_name(enum board_state state);

/*
 * With the lock of the board. All return NULL without memory.
 */

/* Seconds of band text, newest last; outages with begin and end in s */
cJSON *band_json_summary(struct board *b, unsigned int seconds);

/* Outages of all sources; @unit: ns of a unit of their times */
cJSON *band_json_outages(struct board *b, double unit);

#endif
