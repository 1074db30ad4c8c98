// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles of the optsample qdisc, for tc: what flows of one number do
 * otherwise. "profile 3" begins one; all words up to the next are its own,
 * so profiles come last.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/sampler.h>
#include "q_optsample.h"

static const struct unit us_units[] = {
	{ "", 1 }, { "us", 1 }, { "usec", 1 }, { "usecs", 1 },
	{ "ms", 1e3 }, { "msec", 1e3 }, { "msecs", 1e3 },
	{ "s", 1e6 }, { "sec", 1e6 }, { "secs", 1e6 },
	{ NULL, 0 }
};

/* The words, in the order of printing; errors are the kernel's. */
static const struct profile_word {
	const char *name;
	uint32_t field;
	const struct unit *units;
	uint64_t min, max;
	const char *error;
} words[] = {
	{ "limit", TC_OPTSAMPLE_PROFILE_LIMIT, plain_units, 1, 65535,
	  "limit must be 1..65535" },
	{ "policy", TC_OPTSAMPLE_PROFILE_POLICY, NULL, 0,
	  OPTSAMPLE_POLICY_MAX - 1, "unknown policy" },
	{ "refill", TC_OPTSAMPLE_PROFILE_REFILL, percent_units, 0, 100,
	  "refill must be 0..100" },
	{ "priority", TC_OPTSAMPLE_PROFILE_PRIORITY, plain_units, 0, 7,
	  "priority must be 0..7" },
	{ "sync", TC_OPTSAMPLE_PROFILE_SYNC, us_units, 0, UINT32_MAX,
	  "sync must be a time of whole microseconds, up to 4294s" },
	{ "none", TC_OPTSAMPLE_PROFILE_NONE, NULL, 0, 0, NULL },
};

static void set_field(struct tc_optsample_profile *p, uint32_t field,
		      uint64_t value)
{
	p->fields |= field;
	switch (field) {
	case TC_OPTSAMPLE_PROFILE_LIMIT:
		p->limit = value;
		break;
	case TC_OPTSAMPLE_PROFILE_POLICY:
		p->policy = value;
		break;
	case TC_OPTSAMPLE_PROFILE_REFILL:
		p->refill = value;
		break;
	case TC_OPTSAMPLE_PROFILE_PRIORITY:
		p->priority = value;
		break;
	case TC_OPTSAMPLE_PROFILE_SYNC:
		p->slop_us = value;
		break;
	}
}

static uint64_t get_field(const struct tc_optsample_profile *p, uint32_t field)
{
	switch (field) {
	case TC_OPTSAMPLE_PROFILE_LIMIT:
		return p->limit;
	case TC_OPTSAMPLE_PROFILE_POLICY:
		return p->policy;
	case TC_OPTSAMPLE_PROFILE_REFILL:
		return p->refill;
	case TC_OPTSAMPLE_PROFILE_PRIORITY:
		return p->priority;
	default:
		return p->slop_us;
	}
}

static int parse_word(const struct profile_word *w, const char *str,
		      struct tc_optsample_profile *p)
{
	bool unchecked = getenv(UNCHECKED_ENV);
	uint32_t policy = 0;
	uint64_t value;
	int err;

	if (w->field == TC_OPTSAMPLE_PROFILE_POLICY) {
		err = parse_policy(str, &policy);
		value = policy;
	} else {
		err = parse_whole(str, w->units, &value);
	}
	if (err && unchecked)
		err = parse_whole(str, plain_units, &value);
	if (err || (!unchecked && (value < w->min || value > w->max))) {
		if (w->field == TC_OPTSAMPLE_PROFILE_POLICY)
			fprintf(stderr, "optsample: unknown policy \"%s\"\n",
				str);
		else
			fprintf(stderr, "optsample: %s\n", w->error);
		return -EINVAL;
	}
	set_field(p, w->field, value);
	return 0;
}

static const struct profile_word *find_word(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, name))
			return &words[i];
	return NULL;
}

static int parse_id(const char *str, struct tc_optsample_profile *p)
{
	uint64_t id;

	if (parse_whole(str, plain_units, &id) || id > UINT8_MAX ||
	    (!getenv(UNCHECKED_ENV) && (!id || id >= TC_OPTSAMPLE_PROFILES))) {
		fputs("optsample: profile must be 1..63\n", stderr);
		return -EINVAL;
	}
	memset(p, 0, sizeof(*p));
	p->id = id;
	return 0;
}

/* The words of one profile. Return: how many were used, or negative errno */
static int parse_profile(int argc, char **argv, struct tc_optsample_profile *p)
{
	const struct profile_word *w;
	int i = 2;

	if (argc < 2) {
		fputs("optsample: profile needs a value\n", stderr);
		return -EINVAL;
	}
	if (parse_id(argv[1], p))
		return -EINVAL;
	for (; i < argc && strcmp(argv[i], "profile"); i++) {
		w = find_word(argv[i]);
		if (!w) {
			fprintf(stderr, "optsample: \"%s\" is nothing of a profile, which come last\n",
				argv[i]);
			return -EINVAL;
		}
		if (!w->error) {
			set_field(p, w->field, 0);
			continue;
		}
		if (++i == argc) {
			fprintf(stderr, "optsample: %s needs a value\n",
				w->name);
			return -EINVAL;
		}
		if (parse_word(w, argv[i], p))
			return -EINVAL;
	}
	if (p->fields)
		return i;
	fprintf(stderr, "optsample: profile %u says nothing\n", p->id);
	return -EINVAL;
}

/**
 * optsample_parse_profiles - the rest of the command line, from "profile" on
 * @argc:	words left
 * @argv:	of them the first is "profile"
 * @n:		gets TCA_OPTSAMPLE_PROFILES
 * @maxlen:	bytes that @n may have
 *
 * Return: 0, or a negative errno with one line on stderr
 */
int optsample_parse_profiles(int argc, char **argv, struct nlmsghdr *n,
			     int maxlen)
{
	struct tc_optsample_profile p[TC_OPTSAMPLE_PROFILES];
	int count = 0, used;

	for (; argc; argc -= used, argv += used) {
		if (count == TC_OPTSAMPLE_PROFILES) {
			fputs("optsample: too many profiles\n", stderr);
			return -EINVAL;
		}
		used = parse_profile(argc, argv, &p[count++]);
		if (used < 0)
			return used;
	}
	return addattr_l(n, maxlen, TCA_OPTSAMPLE_PROFILES, p,
			 count * sizeof(*p));
}

static void print_us(FILE *f, uint64_t us)
{
	const char *unit = "us";

	if (us && us % 1000000 == 0) {
		unit = "s";
		us /= 1000000;
	} else if (us && us % 1000 == 0) {
		unit = "ms";
		us /= 1000;
	}
	fprintf(f, "%llu%s", (unsigned long long)us, unit);
}

static void print_word(FILE *f, const struct profile_word *w, uint64_t value)
{
	bool policy = w->field == TC_OPTSAMPLE_PROFILE_POLICY;
	bool sync = w->field == TC_OPTSAMPLE_PROFILE_SYNC;

	if (is_json_context()) {
		if (policy)
			json_string(w->name, optsample_policy_name(value));
		else
			json_number(sync ? "sync_us" : w->name, value);
		return;
	}
	fprintf(f, "%s ", w->name);
	if (policy)
		fputs(optsample_policy_name(value), f);
	else if (sync)
		print_us(f, value);
	else
		fprintf(f, "%llu%s", (unsigned long long)value,
			w->units == percent_units ? "%" : "");
	fputc(' ', f);
}

static void print_profile(FILE *f, const struct tc_optsample_profile *p)
{
	char id[8];
	size_t i;

	snprintf(id, sizeof(id), "%u", p->id);
	if (is_json_context())
		open_json_object(id);
	else
		fprintf(f, "profile %s ", id);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].error && p->fields & words[i].field)
			print_word(f, &words[i], get_field(p, words[i].field));
	if (is_json_context())
		close_json_object();
}

/**
 * optsample_print_profiles - as text that can be given back, or JSON
 * @f:		where tc prints
 * @rta:	TCA_OPTSAMPLE_PROFILES, or NULL
 */
void optsample_print_profiles(FILE *f, const struct rtattr *rta)
{
	const struct tc_optsample_profile *p;
	size_t n;

	if (!rta)
		return;
	if (is_json_context())
		open_json_object("profiles");
	p = RTA_DATA(rta);
	for (n = RTA_PAYLOAD(rta) / sizeof(*p); n; n--)
		print_profile(f, p++);
	if (is_json_context())
		close_json_object();
}
