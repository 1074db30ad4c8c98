// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topic_log - the line that says why a topic is sent so often, and when
 * there is one
 */
#include "base/cli.h"
#include "log_lines.h"
#include "tap.h"
#include "transport/topic_log.h"

static struct send_options options = SEND_OPTIONS;
static struct topic_log last;

/* The line behind the program's name, "": there is none */
static const char *line_of(double hz, const struct policy_topic *p, int level)
{
	static char line[256];
	const char *at;

	log_lines_begin(level);
	topic_log_plan(&last, "/map", &options, hz, p);
	at = strstr(log_lines_end(), "/map: ");
	snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") : 0,
		 at ? at : "");
	return line;
}

static void test_why(void)
{
	struct policy_topic p = { .share = { .rate = 2000, .demand = 8000 } };

	options.priority = 3;
	ok_str(line_of(0, &p, LOG_DEBUG),
	       "/map: 0 Hz, was 0: the rate is too small for it; it gets 2 of "
	       "8 kB/s, priority 3", "off by its share");
	p.share.on = true;
	ok_str(line_of(0, &p, LOG_DEBUG),
	       "/map: 0 Hz, was 0: its part of the rate is too small for a "
	       "frame; it gets 2 of 8 kB/s, priority 3", "off by its plan");
	p.plan.on = true;
	ok_str(line_of(5, &p, LOG_DEBUG),
	       "/map: 5 Hz, was 0: the rate allows no more; it gets 2 of 8 "
	       "kB/s, priority 3", "less than it could use");
	p.share.rate = 7900;
	options.focus = true;
	ok_str(line_of(10, &p, LOG_DEBUG),
	       "/map: 10 Hz, was 5: it can use no more; it gets 8 of 8 kB/s, "
	       "priority 3, in focus", "as much as it can use");
	options.focus = false;
	ok_str(line_of(0, NULL, LOG_DEBUG),
	       "/map: 0 Hz, was 10: it has no messages; it gets 0 of 0 kB/s, "
	       "priority 3", "idle");
}

/* The same reason is logged again when the rate changes by a quarter */
static void test_when(void)
{
	const struct policy_topic p = {
		.share = { .on = true, .rate = 8000, .demand = 8000 },
		.plan = { .on = true },
	};

	last = (struct topic_log){ 0 };
	ok(*line_of(8, &p, LOG_DEBUG), "the first plan");
	ok_str(line_of(8, &p, LOG_DEBUG), "", "not the same again");
	ok_str(line_of(10, &p, LOG_DEBUG), "", "nor a quarter more");
	ok_str(line_of(6, &p, LOG_DEBUG), "", "nor a quarter less");
	ok(*line_of(10.1, &p, LOG_DEBUG), "but what is above that");
	ok_str(line_of(20, &p, LOG_INFO), "", "none without --log-level debug");
	ok(*line_of(20, &p, LOG_DEBUG), "which was not taken for logged");
}

int main(void)
{
	cli_program = "test";
	test_why();
	test_when();
	return tap_done();
}
