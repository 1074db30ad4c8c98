// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_settings - the file of --config is found wherever it is given, and
 * counts less than the command line
 */
#include <string.h>
#include "base/cli.h"
#include "base/settings.h"
#include "folder.h"
#include "tap.h"

struct config {
	const char	*name;
	uint32_t	number;
	bool		quiet;
	unsigned int	arguments;
};

#define SETTING_CONFIG struct config

static const struct setting table[] = {
	{ "name", "NAME", "a text", SETTING_FIELD_TEXT(name), .letter = 'n' },
	{ "number", "N", "a number", SETTING_FIELD_U32(number, 0, 99) },
	{ "quiet", NULL, "a flag", SETTING_FIELD_FLAG(quiet), .letter = 'q' },
	{ 0 }
};

static int count_argument(void *config, const char *value)
{
	(void)value;
	((struct config *)config)->arguments++;
	return 0;
}

static const struct settings_program program = {
	.table = table, .section = "test", .argument = count_argument,
};

enum { WORDS = 6 };

static int parse(struct config *c, const char *const words[WORDS])
{
	char *argv[WORDS + 2] = { (char *)cli_program };
	int argc = 1;

	for (; argc <= WORDS && words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	*c = (struct config){ 0 };
	return settings_parse(&program, c, argc, argv);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

/* What @number and @arguments are after @words */
struct line {
	const char	*what, *words[WORDS];
	uint32_t	number;
	unsigned int	arguments;
};

static void test_file(void)
{
	const char *one = in_folder("one"), *two = in_folder("two");
	const char *joined = in_folder("joined"), *dashed = in_folder("dashed");
	char cluster[200], equals[200];

	write_text(one, "[test]\nnumber = 1\n");
	write_text(two, "[test]\nnumber = 2\n");
	write_text(joined, "[test]\nnumber = 3\n");
	write_text(dashed, "[test]\nnumber = 4\n");
	snprintf(cluster, sizeof(cluster), "-qc%s", joined);
	snprintf(equals, sizeof(equals), "--config=%s", dashed);

	const struct line lines[] = {
		{ "no file",
		  { "-q" }, 0 },
		{ "-c FILE",
		  { "-c", one }, 1 },
		{ "--config FILE",
		  { "--config", one }, 1 },
		{ "--conf FILE",
		  { "--conf", one, "x" }, 1, 1 },
		{ "--config=FILE",
		  { equals }, 4 },
		{ "-qc FILE",
		  { "-qc", one }, 1 },
		{ "-qcFILE",
		  { cluster }, 3 },
		{ "-qc FILE among arguments",
		  { "x", "-qc", two, "y" }, 2, 2 },
		{ "-c FILE -qc FILE: the last one",
		  { "-c", one, "-qc", two }, 2 },
		{ "--number after -qc FILE",
		  { "-qc", one, "--number", "7" }, 7 },
		{ "--number before -qc FILE",
		  { "--number=7", "-qc", one }, 7 },
		{ "-c as the value of an option",
		  { "--name", "-c", "x" }, 0, 1 },
		{ "--config as the value of an option",
		  { "--name", "--config", "x" }, 0, 1 },
		{ "-qc as the value of a short option",
		  { "-n", "-qc", "x" }, 0, 1 },
		{ "c as the value in a cluster",
		  { "-nc", one }, 0, 1 },
		{ "-c after --",
		  { "--", "-c", one }, 0, 2 },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct config c;

		ok(!parse(&c, lines[i].words), "%s", lines[i].what);
		ok_eq(c.number, lines[i].number, "%s", lines[i].what);
		ok_eq(c.arguments, lines[i].arguments, "%s", lines[i].what);
	}
}

static void test_errors(void)
{
	const char *bad = in_folder("bad");
	struct config c;

	write_text(bad, "[test]\nnumber = 100\n");
	ok(parse(&c, (const char *[WORDS]){ "-qc", bad }) < 0,
	   "what is wrong in the file is an error");
	ok(parse(&c, (const char *[WORDS]){ "-qc", in_folder("none") }) < 0,
	   "so is a file that is not there");
	ok(parse(&c, (const char *[WORDS]){ "-qc" }) < 0,
	   "and no file at all");
	ok(parse(&c, (const char *[WORDS]){ "--nonsense" }) < 0,
	   "and an option that does not exist");
}

int main(void)
{
	cli_program = "test_settings";
	make_folder();
	test_file();
	test_errors();
	remove_folder();
	return tap_done();
}
