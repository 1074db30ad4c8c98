/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recv_status.h - status of the receiver, as a table, JSON and metrics
 */
#ifndef APPS_OPTSAMPLE_RECV_RECV_STATUS_H
#define APPS_OPTSAMPLE_RECV_RECV_STATUS_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include "transport/receiver.h"

/* Senders with their topics, into @answer */
void recv_status(const struct receiver *r, cJSON *answer);

/* The text form of Prometheus */
void recv_metrics(const struct receiver *r, FILE *out);

/* A table, a line for each topic */
void recv_table(const struct receiver *r, FILE *out);

#endif
