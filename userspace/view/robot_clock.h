/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robot_clock.h - stamps of a robot in the operator's clock
 *
 * A robot's clock may be wrong by a year. The smallest difference between
 * arrival and stamp in the last minutes is its offset plus the shortest delay.
 * If that looks like a delay (-50 ms to 1 s) both clocks are taken as
 * synchronised and stamps stay as they are. A clock that was set back by ten
 * seconds or more shows as ten messages with the same new difference, which
 * kept messages never have.
 */
#ifndef VIEW_ROBOT_CLOCK_H
#define VIEW_ROBOT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct robot_clock - zero-initialised: nothing is known
 * @min:	smallest difference in this and in the previous window, ns
 * @since:	begin of this window, ns
 * @last:	difference of the last message, ns; @same: messages in a row
 *		that had it and exceed the smallest one by far
 */
struct robot_clock {
	int64_t		min[2], since, last;
	bool		known[2];
	unsigned int	same;
};

/**
 * robot_clock_add() - a message that was not kept arrived
 * @stamp:	ns, by the robot's clock
 * @arrival:	ns, by the operator's clock
 */
void robot_clock_add(struct robot_clock *c, int64_t stamp, int64_t arrival);

/**
 * robot_clock_time() - a stamp in the operator's clock
 * @arrival:	is never exceeded
 */
int64_t robot_clock_time(const struct robot_clock *c, int64_t stamp,
			 int64_t arrival);

#endif
