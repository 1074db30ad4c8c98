/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_band.h - the bands of optsample-view in a terminal
 */
#ifndef APPS_OPTSAMPLE_VIEW_BAND_H
#define APPS_OPTSAMPLE_VIEW_BAND_H

#include <cjson/cJSON.h>


/**
 * view_band_show() - a line for each topic: what was received over time
 * @status:	the answer of optsample-view to "status"
 * @columns:	of the terminal
 * @lines:	of it, at most; 0: all
 */
void view_band_show(const cJSON *status, int columns, int lines);

#endif
