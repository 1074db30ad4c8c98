/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_status.h - status of optsample-view, as JSON and metrics
 */
#ifndef APPS_OPTSAMPLE_VIEW_VIEW_STATUS_H
#define APPS_OPTSAMPLE_VIEW_VIEW_STATUS_H

#include "apps/optsample-view/inputs.h"
#include "apps/optsample-view/outputs.h"
#include "view/view_server.h"

/**
 * struct view_parts - what the status is about
 * @outputs: NULL: none
 */
struct view_parts {
	const struct view	*view;
	const struct server	*server;
	const struct inputs	*inputs;
	const struct outputs	*outputs;
};

/* Bands of the last @seconds, clients and counts, into @answer */
void view_status(const struct view_parts *p, unsigned int seconds,
		 cJSON *answer);

/* The text form of Prometheus; from any thread */
void view_metrics(const struct view_parts *p, FILE *out);

#endif
