/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report_timeout.h - time without a report that counts as an outage
 *
 * Numbered reports are sent twice a second and may be lost. The more of them
 * are lost, the longer the timeout, until chance cannot explain the silence.
 */
#ifndef LINK_REPORT_TIMEOUT_H
#define LINK_REPORT_TIMEOUT_H

#include <stdint.h>

#define REPORT_TIMEOUT_LEAST	1500000000ULL	/* ns */
#define REPORT_TIMEOUT_MOST	4000000000ULL

/**
 * struct report_timeout - state; all zero initially
 * @missed:	fraction of reports lost with all of their copies
 */
struct report_timeout {
	double	missed;
};

/**
 * report_timeout_ends() - a report arrived
 * @ahead: its number less that of the previous one, from 1
 */
void report_timeout_ends(struct report_timeout *s, uint32_t ahead);

/* Return: timeout, ns, REPORT_TIMEOUT_LEAST .. REPORT_TIMEOUT_MOST */
uint64_t report_timeout_patience(const struct report_timeout *s);

#endif
