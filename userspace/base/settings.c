// SPDX-License-Identifier: GPL-2.0-only
/*
 * settings - one table of settings for the command line, the configuration
 * file and the running daemon
 */
#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/settings.h"
#include "base/cli.h"

int settings_set(const struct setting *table, void *config, const char *name,
		 const char *value, char error[256])
{
	const struct setting *s = table;

	while (s->name && strcmp(s->name, name))
		s++;
	if (!s->name) {
		snprintf(error, 256, "there is no setting '%.80s'", name);
		return -EINVAL;
	}
	if (!s->set(config, value))
		return 0;
	snprintf(error, 256, "%s must be %s, not '%.80s'", name, s->must,
		 value ? value : "");
	return -EINVAL;
}

void settings_options(const struct setting *table, struct argp_option *out,
		      unsigned int room)
{
	unsigned int i = 0;
	int key = SETTINGS_KEY;

	for (; table->name && i + 1 < room; table++, key++) {
		/* without help it is only for the file */
		if (!table->help)
			continue;
		out[i++] = (struct argp_option){
			.name = table->name, .key = key,
			.arg = table->arg, .doc = table->help,
		};
	}
	out[i] = (struct argp_option){ 0 };
}

int settings_option(const struct setting *table, void *config, int key,
		    const char *value)
{
	unsigned int count = 0;
	char error[256];

	while (table[count].name)
		count++;
	if (key < SETTINGS_KEY || key >= SETTINGS_KEY + (int)count)
		return -ENOENT;
	if (!settings_set(table, config, table[key - SETTINGS_KEY].name, value,
			  error))
		return 0;
	return cli_error(-EINVAL, "%s", error);
}

enum { SECTION = 49 };		/* bytes, at most */

struct load {
	const char		*path;
	const struct setting	*(*section)(void *arg, const char *name,
					    void **config);
	void			*arg;
	char			name[128];
	bool			any;
	const struct setting	*table;
	void			*config;
	char			*error;
};

/* inih counts lines, and stops at the first that is refused */
static int on_line(void *user, const char *section, const char *name,
		   const char *value)
{
	struct load *l = user;

	/* of longer ones inih tells only the beginning */
	if (strlen(section) == SECTION) {
		snprintf(l->error, 160, "[%.60s...] is too long for a section, see topic =",
			 section);
		return 0;
	}
	if (!l->any || strcmp(section, l->name)) {
		snprintf(l->name, sizeof(l->name), "%s", section);
		l->any = true;
		l->table = l->section(l->arg, section, &l->config);
	}
	if (!l->table && !*section) {
		snprintf(l->error, 160, "%.80s = is before the first [section]",
			 name);
		return 0;
	}
	if (!l->table) {
		snprintf(l->error, 160, "there is no section [%.80s]", section);
		return 0;
	}
	return !settings_set(l->table, l->config, name, value, l->error);
}

int settings_load(const char *path,
		  const struct setting *(*section)(void *arg, const char *name,
						   void **config),
		  void *arg, char error[256])
{
	char reason[256] = "not a line of an ini file";
	struct load l = {
		.path = path, .section = section, .arg = arg, .error = reason,
	};
	int line;

	errno = 0;
	line = ini_parse(path, on_line, &l);
	if (!line)
		return 0;
	if (line < 0) {
		snprintf(error, 256, "%.150s: %s", path,
			 errno ? strerror(errno) : "cannot be read");
		return errno ? -errno : -EIO;
	}
	snprintf(error, 256, "%.100s:%d: %.130s", path, line, reason);
	return -EINVAL;
}

/* As getopt_long() takes it, in short forms too; NULL: it is another option */
static const char *settings_value_of(const char *arg, const char *next)
{
	size_t n = strcspn(arg, "=");

	if (!strncmp(arg, "-c", 2))
		return arg[2] ? arg + 2 : next;
	if (n < 3 || n > 8 || strncmp("--config", arg, n))
		return NULL;
	return arg[n] ? arg + n + 1 : next;
}

/* The last one counts */
static const char *settings_file_of(int argc, char **argv)
{
	const char *path = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const char *v = settings_value_of(argv[i], argv[i + 1]);

		if (v)
			path = v;
	}
	return path;
}

int settings_load_told(int argc, char **argv,
		       const struct setting *(*section)(void *arg,
							const char *name,
							void **config),
		       void *arg)
{
	const char *path = settings_file_of(argc, argv);
	char error[256];
	int ret;

	if (!path)
		return 0;
	ret = settings_load(path, section, arg, error);
	return ret ? cli_error(ret, "%s", error) : 0;
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
