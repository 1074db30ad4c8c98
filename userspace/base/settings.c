// SPDX-License-Identifier: GPL-2.0-only
/*
 * settings - one table of settings for the command line, the configuration
 * file and the running daemon
 */
#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/settings.h"

enum { SETTINGS_KEY = 1000 };	/* of the first setting as an option */

int settings_row(const struct setting *table, const char *name)
{
	for (int i = 0; table[i].name; i++)
		if (!strcmp(table[i].name, name))
			return i;
	return -1;
}

static int settings_take(const struct setting *s, void *config,
			 const char *value)
{
	void *at = (char *)config + s->at;

	switch (s->type) {
	case SETTING_CALL:
		return s->set(config, value);
	case SETTING_TEXT:
		*(const char **)at = value;
		return 0;
	case SETTING_U32:
		return parse_u32(value, s->min, s->max, at);
	case SETTING_DOUBLE:
		return parse_double(value, s->min, s->max, at);
	case SETTING_MS:
		return parse_time_ms(value, s->min, s->max, at);
	case SETTING_FLAG:
		return settings_flag(at, value);
	}
	return -EINVAL;
}

int settings_set(const struct setting *table, void *config, const char *name,
		 const char *value, struct error *error)
{
	const int row = settings_row(table, name);
	const struct setting *s = table + row;

	if (row < 0)
		return error_set(error, -EINVAL, "unknown setting '%.80s'",
				 name);
	if (!settings_take(s, config, value))
		return 0;
	if (s->must)
		return error_set(error, -EINVAL, "%s must be %s, not '%.80s'",
				 name, s->must, value ? value : "");
	return error_set(error, -EINVAL, "%s must be %.9g..%.9g, not '%.80s'",
			 name, s->min, s->max, value ? value : "");
}

/* The settings as options, @room of them with the empty one at the end */
static void settings_options(const struct setting *table,
			     struct argp_option *out, unsigned int room)
{
	int key = SETTINGS_KEY, group = 0;
	unsigned int i = 0;

	for (; table->name && i + 2 < room; table++, key++) {
		if (table->heading)
			out[i++] = (struct argp_option){
				.doc = table->heading, .group = ++group,
			};
		/* without help it is only for the file */
		if (!table->help)
			continue;
		out[i++] = (struct argp_option){
			.name = table->name,
			.key = table->letter ? table->letter : key,
			.arg = table->arg, .doc = table->help,
			.group = group,
		};
	}
	assert(!table->name && i < room);
	out[i] = (struct argp_option){ 0 };
}

enum { SECTION_MAX = 48 };	/* bytes of its name; inih gives one more */

/**
 * struct load - an ini file while it is read
 * @name:	section of the line before, if @any
 * @table:	of that section, and @config; NULL: there is no such
 * @error:	gets why a line is rejected
 */
struct load {
	const struct settings_program	*program;
	void				*own;
	char				name[128];
	bool				any;
	const struct setting		*table;
	void				*config;
	struct error			*error;
};

static const struct setting *settings_section_of(struct load *l,
						 const char *name)
{
	const struct setting *table = NULL;
	struct error error;

	l->config = l->own;
	if (!strcmp(name, l->program->section))
		return l->program->table;
	error_set(&error, 0, "unknown section [%.80s]", name);
	if (l->program->sections)
		table = l->program->sections(l->own, name, &l->config, &error);
	if (!table)
		*l->error = error;
	return table;
}

/* A text is kept as long as the process runs; inih reuses its line */
static int settings_set_line(struct load *l, const char *name,
			     const char *value)
{
	const int row = settings_row(l->table, name);

	if (row >= 0 && l->table[row].type == SETTING_TEXT)
		value = strdup(value);
	if (value)
		return settings_set(l->table, l->config, name, value, l->error);
	return error_set(l->error, -ENOMEM, "no memory");
}

/* inih counts lines, and stops at the first that is refused */
static int on_line(void *user, const char *section, const char *name,
		   const char *value)
{
	struct load *l = user;

	/* of longer ones inih gives only the beginning */
	if (strlen(section) > SECTION_MAX) {
		error_set(l->error, 0,
			  "[%.60s...]: section name longer than %d bytes; use "
			  "'topic =' instead",
			  section, SECTION_MAX);
		return 0;
	}
	if (!l->any || strcmp(section, l->name)) {
		snprintf(l->name, sizeof(l->name), "%s", section);
		l->any = true;
		l->table = settings_section_of(l, section);
	}
	if (!l->table && !*section) {
		error_set(l->error, 0, "%.80s = is before the first [section]",
			  name);
		return 0;
	}
	return l->table && !settings_set_line(l, name, value);
}

static int settings_load(const struct settings_program *program, void *config,
			 const char *path, struct error *error)
{
	struct error reason = { "not a line of an ini file" };
	struct load l = {
		.program = program, .own = config, .error = &reason,
	};
	int line;

	errno = 0;
	line = ini_parse(path, on_line, &l);
	if (!line)
		return 0;
	if (line < 0)
		return error_set(error, errno ? -errno : -EIO, "%.150s: %s",
				 path, errno ? strerror(errno) :
				 "cannot read");
	return error_set(error, -EINVAL, "%.100s:%d: %.130s", path, line,
			 reason.text);
}

/**
 * struct parse - a command line while it is parsed
 * @given:	rows that it has
 */
struct parse {
	const struct settings_program	*program;
	void				*config;
	bool				given[SETTINGS_MAX];
};

static int settings_row_of(const struct setting *table, int key)
{
	for (int i = 0; table[i].name; i++)
		if (key == (table[i].letter ? table[i].letter :
			    SETTINGS_KEY + i))
			return i;
	return -1;
}

static int settings_parse_row(struct parse *p, int row, const char *value)
{
	const struct setting *table = p->program->table;
	struct error error;

	p->given[row] = true;
	if (table[row].option)
		return table[row].option(p->config, value);
	if (settings_set(table, p->config, table[row].name, value, &error))
		return cli_error(-EINVAL, "%s", error.text);
	return 0;
}

static error_t settings_parse_key(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	const int row = settings_row_of(p->program->table, key);

	if (row >= 0)
		return settings_parse_row(p, row, arg);
	switch (key) {
	case 'c':
		return 0;	/* has been read */
	case ARGP_KEY_ARG:
		if (p->program->argument)
			return p->program->argument(p->config, arg);
		return cli_usage(state->argv[0], "unexpected argument '%.100s'",
				 arg);
	case ARGP_KEY_END:
		return p->program->check ?
		       p->program->check(p->config, p->given, state->argv[0]) :
		       0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* The last --config counts */
static error_t settings_find_file(int key, char *arg, struct argp_state *state)
{
	if (key == 'c')
		*(const char **)state->input = arg;
	return 0;
}

/*
 * Before all other options are looked at, as these count more. Wrong options
 * are left to the second parser.
 */
static int settings_load_option(const struct settings_program *program,
				void *config, const struct argp_option *options,
				int argc, char **argv)
{
	const struct argp argp = {
		.options = options, .parser = settings_find_file,
	};
	const char *path = NULL;
	struct error error;
	int ret;

	argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP |
		   ARGP_IN_ORDER, NULL, &path);
	if (!path)
		return 0;
	ret = settings_load(program, config, path, &error);
	return ret ? cli_error(ret, "%s", error.text) : 0;
}

int settings_parse(const struct settings_program *program, void *config,
		   int argc, char **argv)
{
	struct argp_option options[SETTINGS_MAX] = {
		{ "config", 'c', "FILE", 0, program->file ? program->file :
		  "configuration file; the command line takes precedence",
		  -1 },
	};
	const unsigned int own = program->section ? 1 : 0;
	const struct argp argp = {
		.options = options, .parser = settings_parse_key,
		.args_doc = program->arguments, .doc = program->doc,
	};
	struct parse p = { .program = program, .config = config };
	int ret = 0;

	settings_options(program->table, options + own, SETTINGS_MAX - own);
	if (own)
		ret = settings_load_option(program, config, options, argc,
					   argv);
	return ret ? ret : cli_parse(&argp, argc, argv, &p);
}

int settings_flag(bool *to, const char *value)
{
	static const char *const words[2][4] = {
		{ "no", "off", "0", "false" }, { "yes", "on", "1", "true" },
	};

	for (unsigned int b = 0; b < 2; b++)
		for (unsigned int i = 0; i < 4; i++)
			if (!strcmp(words[b][i], value ? value : "yes")) {
				*to = b;
				return 0;
			}
	return -EINVAL;
}

int settings_text(char *to, size_t room, const char *value)
{
	if (!*value || strlen(value) >= room)
		return -EINVAL;
	strcpy(to, value);
	return 0;
}
