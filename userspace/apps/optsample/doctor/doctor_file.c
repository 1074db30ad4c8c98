// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounded reads of files that may be missing, unreadable or garbage.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "apps/optsample/doctor/doctor.h"

static bool full_path(const struct doctor *d, char full[DOCTOR_PATH],
		      const char *path, va_list args)
{
	int n = snprintf(full, DOCTOR_PATH, "%s", d->root);

	if (n < DOCTOR_PATH)
		n += vsnprintf(full + n, DOCTOR_PATH - n, path, args);
	return n < DOCTOR_PATH;
}

static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	/* before open(), which has side effects on devices and FIFOs */
	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

ssize_t doctor_read(const struct doctor *d, char *buf, size_t size,
		    const char *path, ...)
{
	char full[DOCTOR_PATH];
	size_t used = 0;
	ssize_t n = 0;
	va_list args;
	bool fits;
	int fd;

	*buf = '\0';
	va_start(args, path);
	fits = full_path(d, full, path, args);
	va_end(args);
	fd = fits ? open_regular(full) : -ENAMETOOLONG;
	if (fd < 0)
		return fd;
	while (used < size - 1 &&
	       (n = read(fd, buf + used, size - 1 - used)) > 0)
		used += n;
	if (n < 0 && !used)
		used = -errno;
	else
		buf[used] = '\0';
	assert(n < 0 || used < size);
	close(fd);
	return used;
}

static char *load_fd(int fd)
{
	gzFile gz = gzdopen(fd, "rb");
	size_t room = 0, used = 0;
	char *text = NULL, *more;
	int n;

	if (!gz) {
		close(fd);
		return NULL;
	}
	do {
		if (room - used < 2) {
			room = room ? 2 * room : 65536;
			more = realloc(text, room);
			if (!more)
				abort();
			text = more;
		}
		n = gzread(gz, text + used, room - used - 1);
		if (n > 0)
			used += n;
	} while (n > 0 && used < DOCTOR_FILE);
	assert(used < room);
	text[used] = '\0';
	if (n < 0 && !used) {
		free(text);
		text = NULL;
	}
	gzclose(gz);
	return text;
}

char *doctor_load(const struct doctor *d, const char *path, ...)
{
	char full[DOCTOR_PATH];
	va_list args;
	bool fits;
	int fd;

	va_start(args, path);
	fits = full_path(d, full, path, args);
	va_end(args);
	fd = fits ? open_regular(full) : -ENAMETOOLONG;
	return fd < 0 ? NULL : load_fd(fd);
}

bool doctor_exists(const struct doctor *d, const char *path, ...)
{
	char full[DOCTOR_PATH];
	va_list args;
	bool fits;

	va_start(args, path);
	fits = full_path(d, full, path, args);
	va_end(args);
	return fits && !access(full, F_OK);
}

bool doctor_link(const struct doctor *d, char *buf, size_t size,
		 const char *path, ...)
{
	char full[DOCTOR_PATH];
	va_list args;
	ssize_t n;
	bool fits;

	va_start(args, path);
	fits = full_path(d, full, path, args);
	va_end(args);
	n = fits ? readlink(full, buf, size - 1) : -1;
	buf[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

long long doctor_number(const struct doctor *d, long long missing,
			const char *path, ...)
{
	char full[DOCTOR_PATH], text[32], *end;
	struct doctor here = { .root = "" };
	long long n;
	va_list args;
	bool fits;

	va_start(args, path);
	fits = full_path(d, full, path, args);
	va_end(args);
	if (!fits || doctor_read(&here, text, sizeof(text), "%s", full) <= 0)
		return missing;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || (*end && *end != '\n'))
		return missing;
	return n;
}

static int not_hidden(const struct dirent *e)
{
	return *e->d_name != '.';
}

int doctor_list(const struct doctor *d, const char *dir, char ***names)
{
	char full[DOCTOR_PATH];
	struct dirent **list;
	int n;

	*names = NULL;
	if (snprintf(full, sizeof(full), "%s%s", d->root, dir) >= DOCTOR_PATH)
		return 0;
	n = scandir(full, &list, not_hidden, alphasort);
	if (n < 0)
		return 0;
	*names = calloc(n + 1, sizeof(**names));
	if (!*names)
		abort();
	for (int i = 0; i < n; i++) {
		(*names)[i] = strdup(list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return n;
}

void doctor_list_free(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

bool doctor_fact(const struct doctor *d, const char *key,
		 char value[DOCTOR_VALUE])
{
	char text[8192];

	return *d->root &&
	       doctor_read(d, text, sizeof(text), "/facts") > 0 &&
	       text_value(text, key, value);
}

/* KEY=VALUE, with optional spaces and quotes */
static bool line_value(const char *line, size_t len, const char *key,
		       char value[DOCTOR_VALUE])
{
	const char *end = line + len;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	len = strlen(key);
	if ((size_t)(end - line) < len || strncmp(line, key, len))
		return false;
	line += len;
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (line == end || *line != '=')
		return false;
	for (line++; line < end && strchr(" \t\"'", *line); line++)
		;
	while (end > line && strchr(" \t\r\"'", end[-1]))
		end--;
	snprintf(value, DOCTOR_VALUE, "%.*s", (int)(end - line), line);
	return true;
}

bool text_value(const char *text, const char *key, char value[DOCTOR_VALUE])
{
	return ini_value(text, NULL, key, value);
}

bool ini_value(const char *text, const char *section, const char *key,
	       char value[DOCTOR_VALUE])
{
	bool found = false, within = !section;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (section && *text == '[')
			within = !strncmp(text + 1, section, strlen(section));
		else if (within)
			found |= line_value(text, len, key, value);
		text += len + !!text[len];
	}
	return found;
}

static bool one_of(const char *value, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(value, *words))
			return true;
	return false;
}

bool text_true(const char *value)
{
	static const char *const words[] = { "1", "yes", "true", "on", NULL };

	return one_of(value, words);
}

bool text_false(const char *value)
{
	static const char *const words[] = { "0", "no", "false", "off", NULL };

	return one_of(value, words);
}

bool is_distribution(const struct doctor *d, const char *id)
{
	char text[4096], value[DOCTOR_VALUE];

	return doctor_read(d, text, sizeof(text), "/etc/os-release") > 0 &&
	       ((text_value(text, "ID", value) && !strcmp(value, id)) ||
		(text_value(text, "ID_LIKE", value) && strstr(value, id)));
}
