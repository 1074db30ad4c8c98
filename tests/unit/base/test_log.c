// SPDX-License-Identifier: GPL-2.0-only
/*
 * Levels of log lines.
 */
#include <errno.h>
#include <string.h>
#include "base/cli.h"
#include "base/settings.h"
#include "log_lines.h"
#include "tap.h"

static unsigned int asked;

static unsigned int ask(void)
{
	return ++asked;
}

static void log_all(void)
{
	service_logf(LOG_ERR, "an error");
	cli_warn("a warning");
	service_log(NULL, LOG_INFO, "a note");
	log_debug("decision %u", ask());
}

/* @name is the level; @lines of log_all() are logged */
static void test_level(const char *name, int level, unsigned int lines)
{
	const char *text;
	unsigned int n = 0;

	ok_eq(log_level_parse(name), 0, "level %s", name);
	ok_eq(log_level, level, "%s is a priority of syslog", name);
	ok_str(log_level_name(), name, "its name is %s", name);
	log_lines_begin(level);
	log_all();
	text = log_lines_end();
	for (; *text; text++)
		n += *text == '\n';
	ok_eq(n, lines, "%s: lines that are logged", name);
}

static void test_parser(void)
{
	log_level = LOG_WARNING;
	ok_eq(log_level_parse("loud"), -EINVAL, "a level that there is not");
	ok_eq(log_level_parse(""), -EINVAL, "no level");
	ok_eq(log_level_parse("Info"), -EINVAL, "a level in other letters");
	ok_eq(log_level, LOG_WARNING, "the level stays");
}

/* As all daemons have it */
static void test_setting(void)
{
	static const struct setting table[] = { LOG_LEVEL_SETTING, { 0 } };
	struct error error;
	int config = 0;

	ok_eq(settings_set(table, &config, "log-level", "debug", &error), 0,
	      "a setting");
	ok_eq(log_level, LOG_DEBUG, "it sets the level");
	ok_eq(settings_set(table, &config, "log-level", "all", &error), -EINVAL,
	      "not one of them");
	ok(strstr(error.text, "error, warning, info or debug"), "says which: %s",
	   error.text);
}

int main(void)
{
	cli_program = "test";
	ok_eq(log_level, LOG_INFO, "the level is info at first");
	test_level("error", LOG_ERR, 1);
	test_level("warning", LOG_WARNING, 2);
	test_level("info", LOG_INFO, 3);
	ok_eq(asked, 0, "what is not logged is not asked for");
	test_level("debug", LOG_DEBUG, 4);
	ok_eq(asked, 1, "what is logged is");
	test_parser();
	test_setting();
	return tap_done();
}
