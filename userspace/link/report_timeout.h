/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report_timeout.h - how long no report may come before that means an outage
 *
 * Reports are sent twice a second, numbered, and get lost as well: who misses
 * many has to wait longer until chance alone cannot explain that none comes.
 */
#ifndef LINK_REPORT_TIMEOUT_H
#define LINK_REPORT_TIMEOUT_H

#include <stdint.h>

#define REPORT_TIMEOUT_LEAST	1500000000ULL	/* ns */
#define REPORT_TIMEOUT_MOST	4000000000ULL

/**
 * struct report_timeout - what is known; all zero to begin with
 * @missed:	share of the reports, with all of their copies
 */
struct report_timeout {
	double	missed;
};

/**
 * report_timeout_ends() - a report came
 * @ahead: its number less that of the one before, from 1
 */
void report_timeout_ends(struct report_timeout *s, uint32_t ahead);

/* Return: ns that one may last, REPORT_TIMEOUT_LEAST .. REPORT_TIMEOUT_MOST */
uint64_t report_timeout_patience(const struct report_timeout *s);

#endif
