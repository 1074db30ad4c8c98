/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diagnose.h - how each topic arrives, as /diagnostics
 */
#ifndef TRANSPORT_DIAGNOSE_H
#define TRANSPORT_DIAGNOSE_H

#include "transport/receiver.h"

/**
 * diagnose() - publish a diagnostic_msgs/DiagnosticArray
 * @now: ns since the epoch
 *
 * A topic is in ERROR when it is silent, in WARN when less than half of it is
 * to be seen.
 */
void diagnose(const struct receiver *r, struct publish *p, int64_t now);

#endif
