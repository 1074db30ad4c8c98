// SPDX-License-Identifier: GPL-2.0-only
/*
 * rules.c - the list of topics to sample; see rules.h.
 *
 * Strict: an invalid list is refused as a whole. A node that reports an error
 * at its start is better than one that samples half of the topics.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <optsample/units.h>
#include "rules.h"

static const char blank[] = " \t\n";

static int number(const char *value, u32 min, u32 max, u32 *result)
{
	size_t digits = strspn(value, "0123456789");
	unsigned long n;

	if (!digits || digits > 9 || value[digits])
		return -EINVAL;
	n = strtoul(value, NULL, 10);
	if (n < min || n > max)
		return -EINVAL;
	*result = (u32)n;
	return 0;
}

/* @option is NAME=VALUE. */
static int option(struct rule *rule, char *option, char *why)
{
	char *value = strchr(option, '=');
	const char *wants = "is not an option";
	uint32_t policy;
	size_t len;

	if (value++) {
		len = (size_t)(value - option);
		if (!strncmp(option, "policy=", len)) {
			if (!parse_policy(value, &policy)) {
				rule->policy = policy;
				return 0;
			}
			wants = "is not a policy";
		} else if (!strncmp(option, "limit=", len)) {
			if (!number(value, 1, OPTSAMPLE_LIMIT_MAX,
				    &rule->limit))
				return 0;
			wants = "is not in 1..65535";
		} else if (!strncmp(option, "refill=", len)) {
			if (!number(value, 0, 100, &rule->refill))
				return 0;
			wants = "is not in 0..100";
		} else if (!strncmp(option, "sync=", len)) {
			rule->sync = value;
			if (*value)
				return 0;
			wants = "has no name";
		}
	}
	snprintf(why, RULES_WHY, "\"%.80s\" %s", option, wants);
	return -EINVAL;
}

/* One sampler cannot have two policies. */
static int agree(const struct rules *r, const struct rule *rule, char *why)
{
	size_t i;

	for (i = 0; rule->sync && i < r->n; i++) {
		if (!r->v[i].sync || strcmp(r->v[i].sync, rule->sync))
			continue;
		if (r->v[i].policy == rule->policy &&
		    r->v[i].refill == rule->refill)
			continue;
		snprintf(why, RULES_WHY,
			 "topics of sync=%.64s differ in policy or refill",
			 rule->sync);
		return -EINVAL;
	}
	return 0;
}

static int entry(struct rules *r, char *text, char *why)
{
	struct rule rule = { .refill = OPTSAMPLE_REFILL_DEFAULT };
	struct rule *more;
	char *word;
	size_t len;
	int err;

	text += strspn(text, blank);
	for (len = strlen(text); len && strchr(blank, text[len - 1]); len--)
		text[len - 1] = '\0';
	if (strpbrk(text, blank)) {
		snprintf(why, RULES_WHY, "\"%.80s\" contains a space", text);
		return -EINVAL;
	}
	rule.pattern = strsep(&text, ":");
	if (!*rule.pattern) {
		snprintf(why, RULES_WHY, "missing topic");
		return -EINVAL;
	}
	while ((word = strsep(&text, ":"))) {
		err = option(&rule, word, why);
		if (err)
			return err;
	}
	err = agree(r, &rule, why);
	if (err)
		return err;
	more = realloc(r->v, (r->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->v = more;
	r->v[r->n++] = rule;
	return 0;
}

int rules_parse(struct rules *r, const char *text, char why[RULES_WHY])
{
	char *rest, *word;
	int err = 0;

	memset(r, 0, sizeof(*r));
	rest = r->text = strdup(text);
	if (!rest)
		return -ENOMEM;
	/* All blank is an empty list; an empty entry is a mistake. */
	if (!text[strspn(text, blank)])
		return 0;
	while (!err && (word = strsep(&rest, ",")))
		err = entry(r, word, why);
	if (err)
		rules_free(r);
	return err;
}

void rules_free(struct rules *r)
{
	free(r->v);
	free(r->text);
	memset(r, 0, sizeof(*r));
}

const struct rule *rules_find(const struct rules *r, const char *topic)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!fnmatch(r->v[i].pattern, topic, 0))
			return &r->v[i];
	return NULL;
}

bool has_header(const char *definition)
{
	const char *line, *end, *type;
	size_t len;

	for (line = definition; *line; line = end + !!*end) {
		end = line + strcspn(line, "\n");
		if (!strncmp(line, "===", 3)) /* the types it consists of */
			return false;
		type = line + strspn(line, " \t\r");
		len = strcspn(type, "#\n");
		if (!len || memchr(type, '=', len))
			continue; /* blank, or a constant */
		len = strcspn(type, " \t\n");
		return (len == 6 && !strncmp(type, "Header", len)) ||
		       (len == 15 && !strncmp(type, "std_msgs/Header", len));
	}
	return false;
}
