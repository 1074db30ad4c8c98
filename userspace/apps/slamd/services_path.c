// SPDX-License-Identifier: GPL-2.0-only
/*
 * services_path.c - files that peers may name
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "apps/slamd/services.h"
#include "base/text.h"
#include "base/utf8.h"

int services_folder(const char *path, struct error *error)
{
	struct stat st;
	int err = 0;

	if (!path)
		return 0;
	if (stat(path, &st))
		err = -errno;
	else if (!S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	else if (access(path, W_OK | X_OK))
		err = -errno;
	return err ? error_set(error, err, "--maps %s: %s", path,
			       strerror(-err)) : 0;
}

/* No part of it leads upwards */
static bool stays_below(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return false;
	}
	return true;
}

/* By enum services_file: those that are cut, and the one that comes instead */
static const struct {
	const char	*cut[4], *ending;
} files[] = {
	[SERVICES_PICTURE] = { { ".pgm", ".yaml", ".yml" }, ".pgm" },
	[SERVICES_MAP] = { { ".pgm", ".yaml", ".yml" }, ".yaml" },
	[SERVICES_CHECKPOINT] = { { ".ckpt", ".posegraph", ".data" }, ".ckpt" },
};

static void cut_ending(char *name, enum services_file kind)
{
	const size_t n = strlen(name);

	for (const char *const *cut = files[kind].cut; *cut; cut++) {
		const size_t m = strlen(*cut);

		if (n > m && !strcmp(name + n - m, *cut)) {
			name[n - m] = '\0';
			return;
		}
	}
}

int services_path(const char *folder, const struct message_string *url,
		  enum services_file kind, char path[COMMAND_PATH])
{
	size_t n = folder ? strlen(folder) : 0;
	char text[COMMAND_PATH / 2];
	const char *name = text;
	bool store;

	if (!folder || url->len >= sizeof(text) ||
	    memchr(url->text, '\0', url->len))
		return folder ? -EINVAL : -EACCES;
	/* such names would be whole lines of a log, say */
	utf8_clean(url->text, url->len, text, sizeof(text));
	if (strlen(text) != url->len || memcmp(text, url->text, url->len))
		return -EINVAL;
	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (!strncmp(name, "file://", 7))
		name += 7;
	if (*name == '/') {
		if (strncmp(name, folder, n) || name[n] != '/')
			return -EACCES;
		name += n + 1;
	}
	if (!stays_below(name))
		return -EACCES;
	store = kind == SERVICES_MAP && text_ends(name, ".db");
	cut_ending(text, kind);
	if (!*name || name[strlen(name) - 1] == '/')
		return -EINVAL;
	if (snprintf(path, COMMAND_PATH, "%.*s/%s%s", (int)n, folder, name,
		     store ? "" : files[kind].ending) >= COMMAND_PATH)
		return -EINVAL;
	return 0;
}
