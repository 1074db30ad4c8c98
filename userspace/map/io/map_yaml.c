// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_yaml - the .yaml file that describes the picture of a map
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "map/io/map_yaml.h"

static const char *const modes[] = { "trinary", "scale", "raw" };

enum { VALUE_MAX = PATH_MAX };

/* Parser state; @seen has a bit per known key */
struct parser {
	struct map_yaml	*y;
	unsigned int	line, seen;
	char		*why;
	char		value[VALUE_MAX];
};

static int map_yaml_fail(const struct parser *p, const char *what)
{
	snprintf(p->why, ERROR_REASON, "line %u: %s", p->line, what);
	return -EINVAL;
}

void map_yaml_default(struct map_yaml *y)
{
	*y = (struct map_yaml){ .occupied = 0.65, .free = 0.196 };
}

/* A number and nothing else. Return: whether it is one, within limits */
static bool map_yaml_number(const char *s, double low, double high, double *v)
{
	char *end;

	if (!*s || !strchr("+-.0123456789", *s))
		return false;
	*v = strtod(s, &end);
	return !*end && *v >= low && *v <= high;
}

static bool positive(const char *s, double *v)
{
	return map_yaml_number(s, 0, 1e6, v) && *v > 0;
}

static bool flag(const char *s, bool *v)
{
	double d;

	if (map_yaml_number(s, 0, 1, &d) && (d == 0 || d == 1)) {
		*v = d == 1;
		return true;
	}
	*v = !strcasecmp(s, "true") || !strcasecmp(s, "yes");
	return *v || !strcasecmp(s, "false") || !strcasecmp(s, "no");
}

/* [X, Y, YAW]; a list on lines of its own was converted to brackets */
static bool origin(char *s, struct pose *pose)
{
	double *to[] = { &pose->x, &pose->y, &pose->yaw };
	size_t len = strlen(s);

	if (len < 2 || s[0] != '[' || s[len - 1] != ']')
		return false;
	s[len - 1] = '\0';
	s++;
	for (int i = 0; i < 3; i++) {
		char *comma = strchr(s, ','), *end;

		if (!comma != (i == 2))
			return false;
		end = comma ? comma : s + strlen(s);
		while (end > s && isblank((unsigned char)end[-1]))
			end--;
		*end = '\0';
		s += strspn(s, " \t");
		if (!map_yaml_number(s, -POSE_MAX, POSE_MAX, to[i]))
			return false;
		s = comma ? comma + 1 : s;
	}
	return true;
}

static bool mode(const char *s, enum map_reading *v)
{
	for (unsigned int i = 0; i < 3; i++)
		if (!strcmp(s, modes[i])) {
			*v = i;
			return true;
		}
	return false;
}

/* Remove quotes in place. Return: whether they were valid */
static bool unquote(char *s)
{
	const char quote = *s;
	char *to = s, *from = s + 1;

	if (quote != '"' && quote != '\'')
		return true;
	for (; *from && *from != quote; from++) {
		if (quote == '"' && *from == '\\') {
			from++;
			if (*from != '"' && *from != '\\' && *from != '/')
				return false;
		}
		*to++ = *from;
		/* '' stands for one quote */
		if (quote == '\'' && from[1] == quote && from[2] == quote) {
			*to++ = quote;
			from += 2;
		}
	}
	if (*from != quote || from[1])
		return false;
	*to = '\0';
	return true;
}

enum key { KEY_IMAGE, KEY_RESOLUTION, KEY_ORIGIN, KEY_NEGATE, KEY_OCCUPIED,
	   KEY_FREE, KEY_MODE, KEYS };

static const char *const keys[KEYS] = {
	"image", "resolution", "origin", "negate", "occupied_thresh",
	"free_thresh", "mode",
};

static bool map_yaml_take(struct map_yaml *y, enum key key, char *value)
{
	switch (key) {
	case KEY_IMAGE:
		snprintf(y->image, sizeof(y->image), "%s", value);
		return *value;
	case KEY_RESOLUTION:
		return positive(value, &y->resolution);
	case KEY_ORIGIN:
		return origin(value, &y->origin);
	case KEY_NEGATE:
		return flag(value, &y->negate);
	case KEY_OCCUPIED:
		return map_yaml_number(value, 0, 1, &y->occupied);
	case KEY_FREE:
		return map_yaml_number(value, 0, 1, &y->free);
	default:
		return mode(value, &y->mode);
	}
}

/* End of the value in @s: after quotes, before a comment */
static size_t said(const char *s)
{
	char quote = 0;
	size_t n;

	for (n = 0; s[n]; n++) {
		if (quote == '"' && s[n] == '\\' && s[n + 1])
			n++;
		else if (quote)
			quote = s[n] == quote ? 0 : quote;
		else if (!n && (s[n] == '"' || s[n] == '\''))
			quote = s[n];
		else if (s[n] == '#' && (!n || strchr(" \t", s[n - 1])))
			break;
	}
	while (n && isblank((unsigned char)s[n - 1]))
		n--;
	return n;
}

/* Convert lines "- X" after a key to its value: [X,Y]. Return: their end */
static char *map_yaml_list(struct parser *p, char *s)
{
	size_t len = sprintf(p->value, "[");

	for (;;) {
		const char *item = s + strspn(s, " \t");
		char *end = strchrnul(s, '\n');
		size_t n;

		if (item[0] != '-' || !isblank((unsigned char)item[1]))
			break;
		item += 1 + strspn(item + 1, " \t");
		n = strcspn(item, " \t\r\n#");
		if (len + n + 3 > VALUE_MAX)
			break;
		len += sprintf(p->value + len, "%s%.*s", len > 1 ? "," : "",
			       (int)n, item);
		p->line++;
		s = *end ? end + 1 : end;
	}
	strcpy(p->value + len, "]");
	return s;
}

/* Parse one "key: value". @next is after the line, or after a list */
static int entry(struct parser *p, char *line, char **next)
{
	char *colon = strchr(line, ':'), *value;
	enum key key = 0;

	if (!colon || (colon[1] && !isblank((unsigned char)colon[1])))
		return map_yaml_fail(p, "not a \"key: value\" line");
	*colon = '\0';
	while (key < KEYS && strcmp(line, keys[key]))
		key++;
	value = colon + 1 + strspn(colon + 1, " \t");
	value[said(value)] = '\0';
	if (key == KEYS)
		return 0;
	if (p->seen & 1u << key)
		return map_yaml_fail(p, "duplicate key");
	p->seen |= 1u << key;
	if (key == KEY_ORIGIN && !*value)
		*next = map_yaml_list(p, *next);
	else if (strlen(value) < VALUE_MAX)
		strcpy(p->value, value);
	else
		return map_yaml_fail(p, "too long");
	if (unquote(p->value) && map_yaml_take(p->y, key, p->value))
		return 0;
	snprintf(p->why, ERROR_REASON, "line %u: invalid value of %s", p->line,
		 keys[key]);
	return -EINVAL;
}

static int map_yaml_lines(struct parser *p, char *text)
{
	while (*text) {
		char *end = strchrnul(text, '\n'), *line = text;
		int err = 0;

		p->line++;
		text = *end ? end + 1 : end;
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		/* indented lines belong to a skipped key */
		if (said(line) && !strchr(" \t-%", *line) &&
		    strcmp(line, "..."))
			err = entry(p, line, &text);
		if (err)
			return err;
	}
	return 0;
}

static int map_yaml_check(const struct parser *p)
{
	for (unsigned int i = KEY_IMAGE; i <= KEY_ORIGIN; i++)
		if (!(p->seen & 1u << i)) {
			snprintf(p->why, ERROR_REASON, "no %s", keys[i]);
			return -EINVAL;
		}
	if (p->y->occupied > p->y->free || p->y->mode == MAP_READ_RAW)
		return 0;
	snprintf(p->why, ERROR_REASON,
		 "free_thresh must be less than occupied_thresh");
	return -EINVAL;
}

int map_yaml_parse(struct map_yaml *y, const char *text, size_t len,
		   char why[ERROR_REASON])
{
	struct parser p = { .y = y, .why = why };
	char *copy;
	int err;

	map_yaml_default(y);
	if (len > MAP_YAML_MAX || strlen(text) != len) {
		snprintf(why, ERROR_REASON, "not a map_server yaml file");
		return -EINVAL;
	}
	copy = strdup(text);
	if (!copy) {
		snprintf(why, ERROR_REASON, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	err = map_yaml_lines(&p, copy);
	free(copy);
	return err ? err : map_yaml_check(&p);
}

/* In double quotes unless they are not needed */
static int quoted(const char *s, char *to)
{
	const bool plain = isalpha((unsigned char)*s) &&
		!s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")];

	if (!plain)
		*to++ = '"';
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return -EINVAL;
		if (*s == '"' || *s == '\\')
			*to++ = '\\';
		*to++ = *s;
	}
	strcpy(to, plain ? "" : "\"");
	return 0;
}

int map_yaml_print(const struct map_yaml *y, const char *comment, char *text,
		   size_t size)
{
	char image[2 * PATH_MAX + 3];
	int n = quoted(y->image, image);

	if (n)
		return n;
	n = snprintf(text, size,
		     "%s%s%simage: %s\nmode: %s\nresolution: %.15g\n"
		     "origin: [%.15g, %.15g, %.15g]\nnegate: %d\n"
		     "occupied_thresh: %.15g\nfree_thresh: %.15g\n",
		     comment ? "# " : "", comment ? comment : "",
		     comment ? "\n" : "", image, modes[y->mode], y->resolution,
		     y->origin.x, y->origin.y, y->origin.yaw, y->negate,
		     y->occupied, y->free);
	return (size_t)n < size ? n : -ENOSPC;
}
