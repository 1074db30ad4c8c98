// SPDX-License-Identifier: GPL-2.0-only
/*
 * wildcard - names with wildcards
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "map/ros/wildcard.h"

enum { STARS = 8, EXAMPLE = 128 };

struct stars {
	const char	*begin[STARS];
	size_t		len[STARS];
	unsigned int	count;
};

static bool wildcard_match(const char *pattern, const char *name,
			   struct stars *s)
{
	const unsigned int at = s->count;

	while (*pattern && *pattern != '*') {
		if (*pattern++ != *name++)
			return false;
	}
	if (!*pattern)
		return !*name;
	if (at == STARS)
		return false;
	for (size_t len = 1; len <= strlen(name); len++) {
		s->begin[at] = name;
		s->len[at] = len;
		s->count = at + 1;
		if (wildcard_match(pattern + 1, name + len, s))
			return true;
	}
	s->count = at;
	return false;
}

int wildcard_fill(const char *pattern, const char *name, const char *text,
		  char *to, size_t room)
{
	struct stars s = { .count = 0 };
	unsigned int star = 0;

	if (!wildcard_match(pattern, name, &s))
		return -ENOENT;
	for (; *text; text++) {
		bool is;
		size_t n;

		/* wildcards restart in each word */
		star = *text == ' ' || *text == '\t' ? 0 : star;
		is = *text == '*' && star < s.count;
		n = is ? s.len[star] : 1;
		if (n >= room)
			return -ENOSPC;
		memcpy(to, is ? s.begin[star] : text, n);
		star += is;
		to += n;
		room -= n;
	}
	*to = 0;
	return 0;
}

const char *wildcard_example(const char *pattern)
{
	static char name[EXAMPLE];
	size_t i = 0;

	for (; pattern[i] && i < sizeof(name) - 1; i++)
		name[i] = pattern[i] == '*' ? 'x' : pattern[i];
	name[i] = 0;
	return name;
}
