// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles of the optsample qdisc, for tc: options for flows with a profile
 * number. "profile 3" begins one; all words up to the next one belong to it, so
 * profiles come last.
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

/**
 * struct profile_word - a word of a profile
 * @name: the word
 * @attr: TCA_OPTSAMPLE_PROFILE_*
 * @units: of its value, NULL: a policy, or none
 * @min: smallest,
 * @max: largest value of the attribute, and
 * @error: error message; NULL: it has no value, but means @max
 */
struct profile_word {
	const char *name;
	int attr;
	const struct unit *units;
	uint64_t min, max;
	const char *error;
};

/* In the order of printing; errors are the kernel's. */
static const struct profile_word words[] = {
	{ "limit", TCA_OPTSAMPLE_PROFILE_LIMIT, plain_units, 1, 65535,
	  "limit must be 1..65535" },
	{ "policy", TCA_OPTSAMPLE_PROFILE_POLICY, NULL, 0,
	  OPTSAMPLE_POLICY_MAX - 1, "unknown policy" },
	{ "refill", TCA_OPTSAMPLE_PROFILE_REFILL, percent_units, 0, 100,
	  "refill must be 0..100" },
	{ "priority", TCA_OPTSAMPLE_PROFILE_PRIORITY, plain_units, 0, 7,
	  "priority must be 0..7" },
	{ "sync", TCA_OPTSAMPLE_PROFILE_SYNC, us_units, 0, UINT32_MAX,
	  "sync must be a time of whole microseconds, up to 4294s" },
	{ "age", TCA_OPTSAMPLE_PROFILE_AGE, time_units, 0, 86400000,
	  "age must be 0..24h" },
	{ "segments", TCA_OPTSAMPLE_PROFILE_SEGMENTS, NULL, 1, 1, NULL },
	{ "nosegments", TCA_OPTSAMPLE_PROFILE_SEGMENTS, NULL, 0, 0, NULL },
	{ "none", TCA_OPTSAMPLE_PROFILE_NONE, NULL, 0, 0, NULL },
};

static int put_u32(struct nlmsghdr *n, int maxlen, int attr, uint32_t value)
{
	return addattr_l(n, maxlen, attr, &value, sizeof(value));
}

static int put_word(const struct profile_word *w, const char *str,
		    struct nlmsghdr *n, int maxlen)
{
	bool unchecked = getenv(UNCHECKED_ENV);
	uint32_t policy = 0;
	uint64_t value;
	int err;

	if (w->attr == TCA_OPTSAMPLE_PROFILE_POLICY) {
		err = parse_policy(str, &policy);
		value = policy;
	} else {
		err = parse_whole(str, w->units, &value);
	}
	if (err && unchecked)
		err = parse_whole(str, plain_units, &value);
	if (err || (!unchecked && (value < w->min || value > w->max))) {
		if (w->attr == TCA_OPTSAMPLE_PROFILE_POLICY)
			fprintf(stderr, "optsample: unknown policy \"%s\"\n",
				str);
		else
			fprintf(stderr, "optsample: %s\n", w->error);
		return -EINVAL;
	}
	return put_u32(n, maxlen, w->attr, value);
}

/* A word without a value */
static int put_lone_word(const struct profile_word *w, struct nlmsghdr *n,
			 int maxlen)
{
	if (w->attr == TCA_OPTSAMPLE_PROFILE_NONE)
		return addattr_l(n, maxlen, w->attr, NULL, 0);
	return put_u32(n, maxlen, w->attr, w->max);
}

static const struct profile_word *find_word(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, name))
			return &words[i];
	return NULL;
}

static int put_id(const char *str, struct nlmsghdr *n, int maxlen)
{
	uint64_t id;

	if (parse_whole(str, plain_units, &id) || id > UINT32_MAX ||
	    (!getenv(UNCHECKED_ENV) && (!id || id >= TC_OPTSAMPLE_PROFILES))) {
		fputs("optsample: profile must be 1..63\n", stderr);
		return -EINVAL;
	}
	return put_u32(n, maxlen, TCA_OPTSAMPLE_PROFILE_ID, id);
}

/* All words of a profile after its number. Return: as put_profile() */
static int put_words(int argc, char **argv, struct nlmsghdr *n, int maxlen)
{
	const struct profile_word *w;
	int i;

	for (i = 2; i < argc && strcmp(argv[i], "profile"); i++) {
		w = find_word(argv[i]);
		if (!w) {
			fprintf(stderr,
				"optsample: unknown argument \"%s\" in a "
				"profile (profiles come last)\n",
				argv[i]);
			return -EINVAL;
		}
		if (!w->error) {
			if (put_lone_word(w, n, maxlen))
				return -EMSGSIZE;
			continue;
		}
		if (++i == argc) {
			fprintf(stderr, "optsample: %s needs a value\n",
				w->name);
			return -EINVAL;
		}
		if (put_word(w, argv[i], n, maxlen))
			return -EINVAL;
	}
	if (i > 2)
		return i;
	fprintf(stderr, "optsample: profile %s has no arguments\n", argv[1]);
	return -EINVAL;
}

/* The words of one profile. Return: how many were used, or negative errno */
static int put_profile(int argc, char **argv, struct nlmsghdr *n, int maxlen)
{
	struct rtattr *nest;
	int used;

	if (argc < 2) {
		fputs("optsample: profile needs a value\n", stderr);
		return -EINVAL;
	}
	nest = addattr_nest(n, maxlen, TCA_OPTSAMPLE_PROFILE | NLA_F_NESTED);
	if (put_id(argv[1], n, maxlen))
		return -EINVAL;
	used = put_words(argc, argv, n, maxlen);
	addattr_nest_end(n, nest);
	return used;
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
	struct rtattr *nest;
	int count, used;

	nest = addattr_nest(n, maxlen, TCA_OPTSAMPLE_PROFILES | NLA_F_NESTED);
	for (count = 0; argc; count++, argc -= used, argv += used) {
		if (count == TC_OPTSAMPLE_PROFILES) {
			fputs("optsample: too many profiles\n", stderr);
			return -EINVAL;
		}
		used = put_profile(argc, argv, n, maxlen);
		if (used < 0)
			return used;
	}
	addattr_nest_end(n, nest);
	return 0;
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

static void print_word(FILE *f, const struct profile_word *w, uint32_t value)
{
	bool policy = w->attr == TCA_OPTSAMPLE_PROFILE_POLICY;
	bool sync = w->attr == TCA_OPTSAMPLE_PROFILE_SYNC;
	bool age = w->attr == TCA_OPTSAMPLE_PROFILE_AGE;

	if (is_json_context()) {
		if (policy)
			json_string(w->name, optsample_policy_name(value));
		else
			json_number(sync ? "sync_us" : w->name, value);
		return;
	}
	fprintf(f, "%s ", w->name);
	if (!w->error)
		return;
	if (policy)
		fputs(optsample_policy_name(value), f);
	else if (sync)
		print_us(f, value);
	else if (age)
		print_us(f, value * 1000ULL);
	else
		fprintf(f, "%u%s", value, w->units == percent_units ? "%" : "");
	fputc(' ', f);
}

/* Return: false if it is missing or has a wrong size */
static bool get_u32_of(struct rtattr *tb[], int attr, uint32_t *value)
{
	if (!tb[attr] || RTA_PAYLOAD(tb[attr]) < sizeof(*value))
		return false;
	memcpy(value, RTA_DATA(tb[attr]), sizeof(*value));
	return true;
}

static void print_profile(FILE *f, struct rtattr *nest)
{
	struct rtattr *tb[TCA_OPTSAMPLE_PROFILE_MAX + 1];
	uint32_t number = 0, value;
	char id[16];
	size_t i;

	parse_rtattr_flags(tb, TCA_OPTSAMPLE_PROFILE_MAX, RTA_DATA(nest),
			   RTA_PAYLOAD(nest), NLA_F_NESTED);
	get_u32_of(tb, TCA_OPTSAMPLE_PROFILE_ID, &number);
	snprintf(id, sizeof(id), "%u", number);
	if (is_json_context())
		open_json_object(id);
	else
		fprintf(f, "profile %s ", id);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (get_u32_of(tb, words[i].attr, &value) &&
		    (words[i].error || value == words[i].max))
			print_word(f, &words[i], value);
	if (is_json_context())
		close_json_object();
}

/**
 * optsample_print_profiles - as text that is valid as arguments, or JSON
 * @f:		where tc prints
 * @rta:	TCA_OPTSAMPLE_PROFILES, or NULL
 */
void optsample_print_profiles(FILE *f, const struct rtattr *rta)
{
	struct rtattr *nest;
	int rest;

	if (!rta)
		return;
	if (is_json_context())
		open_json_object("profiles");
	nest = RTA_DATA(rta);
	rest = RTA_PAYLOAD(rta);
	for (; RTA_OK(nest, rest); nest = RTA_NEXT(nest, rest))
		print_profile(f, nest);
	if (is_json_context())
		close_json_object();
}
