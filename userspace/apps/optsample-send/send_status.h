/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send_status.h - status of the sender, with causes, as JSON and metrics
 */
#ifndef APPS_OPTSAMPLE_SEND_SEND_STATUS_H
#define APPS_OPTSAMPLE_SEND_SEND_STATUS_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include "transport/sender.h"

/* The link and the topics, into @answer */
void send_status(const struct sender *s, cJSON *answer);

/* The text form of Prometheus */
void send_metrics(const struct sender *s, FILE *out);

#endif
