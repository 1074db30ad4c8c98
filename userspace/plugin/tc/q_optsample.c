// SPDX-License-Identifier: GPL-2.0-only
/*
 * q_optsample - options and statistics of the optsample qdisc, for tc
 *
 * tc opens it as q_optsample.so, see tc-optsample(8). Principles: one table
 * drives parsing, range checks and printing. The output of "tc qdisc show" is
 * valid as arguments and means exactly the same, so no number is rounded. JSON
 * has the names of the ABI (linux/pkt_sch_optsample.h). Every bad argument is
 * one line on stderr in the words of the kernel, which checks again.
 *
 * Limits: options of a newer kernel are not shown.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <linux/if.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/sampler.h>
#include "q_optsample.h"

#define ATTRS_MAX	32768	/* of tc's 64 KB message */

enum kind {
	KIND_COUNT,
	KIND_PACKETS,
	KIND_PERCENT,
	KIND_SIZE,
	KIND_TIME,
	KIND_POLICY,
	KIND_GATE,
	KIND_INFLIGHT,
	KIND_NOINFLIGHT,
	KIND_PER,
	KIND_RECALL,
	KIND_WATCH,
	KIND_NOWATCH,
	KIND_RATE,
	KIND_FLUSH,
	KIND_PROG,
	KIND_NOPROG,
};

/**
 * struct option - a word on the command line
 * @name: the word
 * @attr: TCA_OPTSAMPLE_*
 * @kind: how its value is written
 * @min: smallest,
 * @max: largest value of the attribute, and
 * @error: error message for other values
 */
struct option {
	const char *name;
	int attr;
	enum kind kind;
	uint64_t min;
	uint64_t max;
	const char *error;
};

/* In the order of printing. The error messages are the kernel's. */
static const struct option options[] = {
	{ "limit", TCA_OPTSAMPLE_LIMIT, KIND_COUNT, 1, 65535,
	  "limit must be 1..65535" },
	{ "memlimit", TCA_OPTSAMPLE_MEMLIMIT, KIND_SIZE, 64 * KIB, 2 * GIB,
	  "memlimit must be 64K..2G" },
	{ "flows", TCA_OPTSAMPLE_FLOWS, KIND_COUNT, 1, 65534,
	  "flows must be 1..65534" },
	{ "policy", TCA_OPTSAMPLE_POLICY, KIND_POLICY, 0,
	  OPTSAMPLE_POLICY_MAX - 1, "unknown policy" },
	{ "refill", TCA_OPTSAMPLE_REFILL, KIND_PERCENT, 0, 100,
	  "refill must be 0..100" },
	{ "quantum", TCA_OPTSAMPLE_QUANTUM, KIND_SIZE, 256, MIB,
	  "quantum must be 256..1M" },
	{ "ordinary", TCA_OPTSAMPLE_ORDINARY, KIND_PACKETS, 1, 1 << 20,
	  "ordinary must be 1..1048576" },
	{ "share", TCA_OPTSAMPLE_SHARE, KIND_PERCENT, 1, 99,
	  "share must be 1..99" },
	{ "inflight", TCA_OPTSAMPLE_INFLIGHT_PACKETS, KIND_INFLIGHT, 0,
	  1 << 20, "inflight must be at most 1048576 packets" },
	{ "noinflight", 0, KIND_NOINFLIGHT, 0, 0, NULL },
	{ "per", TCA_OPTSAMPLE_INFLIGHT_PER, KIND_PER, 0,
	  TC_OPTSAMPLE_INFLIGHT_PER_DESTINATION,
	  "per must be auto, device or destination" },
	{ "recall", TCA_OPTSAMPLE_RECALL, KIND_RECALL, 0,
	  TC_OPTSAMPLE_RECALL_AUTO, "recall must be off, on or auto" },
	{ "watch", TCA_OPTSAMPLE_WATCH, KIND_WATCH, 1, ALTIFNAMSIZ - 1,
	  "watch must be the name of a device" },
	{ "nowatch", TCA_OPTSAMPLE_WATCH, KIND_NOWATCH, 0, 0, NULL },
	{ "settle", TCA_OPTSAMPLE_SETTLE, KIND_TIME, 0, 60000,
	  "settle must be 0..60s" },
	{ "rate", TCA_OPTSAMPLE_RATE64, KIND_RATE, 0, INT64_MAX,
	  "rate must be 8bit or more, or unlimited" },
	{ "gate", TCA_OPTSAMPLE_GATE, KIND_GATE, TC_OPTSAMPLE_GATE_CLOSED,
	  TC_OPTSAMPLE_GATE_OPEN, "gate must be open or closed" },
	{ "idle", TCA_OPTSAMPLE_IDLE, KIND_TIME, 1, 86400000,
	  "idle must be 1ms..24h" },
	{ "age", TCA_OPTSAMPLE_AGE, KIND_TIME, 0, 86400000,
	  "age must be 0..24h" },
	{ "prog", TCA_OPTSAMPLE_PROG_ID, KIND_PROG, 0, 0, NULL },
	{ "noprog", TCA_OPTSAMPLE_PROG_FD, KIND_NOPROG, 0, 0, NULL },
	{ "flush", TCA_OPTSAMPLE_FLUSH, KIND_FLUSH, 0, 0, NULL },
	{ "pause", TCA_OPTSAMPLE_PAUSE, KIND_TIME, 0, 60000,
	  "pause must be 0..60s" },
};

/* "inflight" with a size instead of a number of packets */
static const struct option inflight_bytes = {
	"inflight", TCA_OPTSAMPLE_INFLIGHT_BYTES, KIND_SIZE, 0, GIB,
	"inflight must be at most 1G"
};

static void explain(void)
{
	fprintf(stderr,
		"Usage: ... optsample	[ limit MESSAGES ] [ memlimit SIZE ] [ flows NUMBER ]\n"
		"			[ policy POLICY ] [ refill PERCENT ]\n"
		"			[ quantum SIZE ] [ ordinary PACKETS ] [ share PERCENT ]\n"
		"			[ inflight { PACKETS | SIZE | auto } | noinflight ]\n"
		"			[ per { auto | device | destination } ]\n"
		"			[ recall { off | on | auto } ]\n"
		"			[ watch DEV | nowatch ] [ settle TIME ]\n"
		"			[ rate { RATE | unlimited } ] [ gate { open | closed } ]\n"
		"			[ idle TIME ] [ age TIME ] [ flush ] [ pause TIME ]\n"
		"			[ prog { FILE | pinned PATH | id NUMBER } | noprog ]\n"
		"			[ profile 1..63 { [ limit MESSAGES ] [ policy POLICY ]\n"
		"			  [ refill PERCENT ] [ priority 0..7 ]\n"
		"			  [ sync TIME ] [ age TIME ]\n"
		"			  [ segments | nosegments ] | none } ]...\n"
		"POLICY := { %s }\n", OPTSAMPLE_POLICY_NAMES(" | "));
}

/*
 * Values
 */

static const struct unit packet_units[] = {
	{ "", 1 }, { "p", 1 }, { NULL, 0 }
};

static int parse_gate(const char *str, uint64_t *value)
{
	if (!strcmp(str, "open"))
		*value = TC_OPTSAMPLE_GATE_OPEN;
	else if (!strcmp(str, "closed"))
		*value = TC_OPTSAMPLE_GATE_CLOSED;
	else
		return -EINVAL;
	return 0;
}

/* Values by number; the first is the default */
static const char *const per_names[] = {
	"auto", "device", "destination", NULL
};

static const char *const recall_names[] = { "off", "on", "auto", NULL };

static int parse_name(const char *const *names, const char *str,
		      uint64_t *value)
{
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(str, names[i]))
			continue;
		*value = i;
		return 0;
	}
	return -EINVAL;
}

static int parse_value(const struct option *o, const char *str,
		       uint64_t *value)
{
	bool unchecked = getenv(UNCHECKED_ENV);
	uint32_t policy = 0;
	int err;

	switch (o->kind) {
	case KIND_PACKETS:
	case KIND_INFLIGHT:
		err = parse_whole(str, packet_units, value);
		break;
	case KIND_PERCENT:
		err = parse_whole(str, percent_units, value);
		break;
	case KIND_SIZE:
		err = parse_whole(str, size_units, value);
		break;
	case KIND_TIME:
		err = parse_whole(str, time_units, value);
		break;
	case KIND_POLICY:
		err = parse_policy(str, &policy);
		*value = policy;
		break;
	case KIND_GATE:
		err = parse_gate(str, value);
		break;
	case KIND_PER:
		err = parse_name(per_names, str, value);
		break;
	case KIND_RECALL:
		err = parse_name(recall_names, str, value);
		break;
	case KIND_RATE:
		err = parse_rate(str, value);
		break;
	default:
		err = parse_whole(str, plain_units, value);
		break;
	}
	if (err && unchecked)
		err = parse_whole(str, plain_units, value);
	if (err || unchecked)
		return err;
	return *value < o->min || *value > o->max ? -ERANGE : 0;
}

/*
 * Arguments to attributes
 */

static bool has_digits_only(const char *str)
{
	return str[strspn(str, "0123456789.")] == '\0';
}

/* @err: -ERANGE for a valid number that is out of range */
static void complain(const struct option *o, const char *str, int err)
{
	double ms;

	if (o->kind == KIND_POLICY)
		fprintf(stderr, "optsample: unknown policy \"%s\"\n", str);
	else if (!strcmp(o->name, "inflight") && err != -ERANGE)
		fputs("optsample: inflight must be packets (20), a size (64kb) or auto\n",
		      stderr);
	else if (o->kind == KIND_TIME && !parse_scaled(str, time_units, &ms) &&
		 ms >= o->min && ms <= o->max)
		fprintf(stderr, "optsample: %s must be whole milliseconds%s\n",
			o->name, has_digits_only(str) ?
			" (a bare number is microseconds)" : "");
	else
		fprintf(stderr, "optsample: %s\n", o->error);
}

static int put_u32(struct nlmsghdr *n, int attr, uint32_t value)
{
	return addattr_l(n, ATTRS_MAX, attr, &value, sizeof(value));
}

static int put_number(const struct option *o, const char *str,
		      struct nlmsghdr *n)
{
	uint64_t value;
	int err;

	err = parse_value(o, str, &value);
	if (err) {
		complain(o, str, err);
		return err;
	}
	if (o->kind == KIND_RATE)
		return addattr_l(n, ATTRS_MAX, o->attr, &value, sizeof(value));
	return put_u32(n, o->attr, value);
}

/* 20 and 20p are packets; any other unit means a size. */
static int put_inflight(const struct option *o, const char *str,
			struct nlmsghdr *n)
{
	size_t len = strspn(str, "0123456789.");

	if (!strcmp(str, "auto"))
		return put_u32(n, TCA_OPTSAMPLE_INFLIGHT_AUTO, 1);
	if (str[len] && strcasecmp(str + len, "p"))
		o = &inflight_bytes;
	return put_number(o, str, n);
}

static int put_noinflight(struct nlmsghdr *n)
{
	return put_u32(n, TCA_OPTSAMPLE_INFLIGHT_PACKETS, 0) ||
	       put_u32(n, TCA_OPTSAMPLE_INFLIGHT_BYTES, 0) ||
	       put_u32(n, TCA_OPTSAMPLE_INFLIGHT_AUTO, 0);
}

static int put_watch(const struct option *o, const char *str,
		     struct nlmsghdr *n)
{
	size_t len = strlen(str);

	if ((len < o->min || len > o->max) && !getenv(UNCHECKED_ENV)) {
		fprintf(stderr, "optsample: %s\n", o->error);
		return -EINVAL;
	}
	return addattr_l(n, ATTRS_MAX, o->attr, str, len + 1);
}

static int put_option(const struct option *o, const char *str,
		      struct nlmsghdr *n)
{
	switch (o->kind) {
	case KIND_NOINFLIGHT:
		return put_noinflight(n);
	case KIND_NOWATCH:
		return addattr_l(n, ATTRS_MAX, o->attr, "", 1);
	case KIND_FLUSH:
		return addattr_l(n, ATTRS_MAX, o->attr, NULL, 0);
	case KIND_NOPROG:
		return put_u32(n, o->attr, TC_OPTSAMPLE_NO_PROG);
	case KIND_WATCH:
		return put_watch(o, str, n);
	case KIND_INFLIGHT:
		return put_inflight(o, str, n);
	default:
		return put_number(o, str, n);
	}
}

static const struct option *find_option(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

static bool takes_value(const struct option *o)
{
	return o->kind != KIND_NOINFLIGHT && o->kind != KIND_NOWATCH &&
	       o->kind != KIND_FLUSH && o->kind != KIND_NOPROG;
}

static int optsample_parse_opt(struct qdisc_util *qu, int argc, char **argv,
			       struct nlmsghdr *n, const char *dev)
{
	struct rtattr *tail;
	int used;

	(void)qu;
	(void)dev;
	tail = addattr_nest(n, ATTRS_MAX, TCA_OPTIONS | NLA_F_NESTED);
	for (; argc > 0; argc--, argv++) {
		const struct option *o = find_option(*argv);
		const char *value = NULL;

		if (!strcmp(*argv, "profile")) {
			if (optsample_parse_profiles(argc, argv, n, ATTRS_MAX))
				return -1;
			break;
		}
		if (!strcmp(*argv, "prog")) {
			used = optsample_parse_prog(argc, argv, n, ATTRS_MAX);
			if (used < 0)
				return -1;
			argc -= used - 1;
			argv += used - 1;
			continue;
		}
		if (!o) {
			if (!strcmp(*argv, "help"))
				explain();
			else
				fprintf(stderr,
					"optsample: unknown argument \"%s\" (see: tc qdisc add optsample help)\n",
					*argv);
			return -1;
		}
		if (takes_value(o)) {
			if (argc < 2) {
				fprintf(stderr,
					"optsample: %s needs a value\n",
					o->name);
				return -1;
			}
			argc--;
			value = *++argv;
		}
		if (put_option(o, value, n))
			return -1;
	}
	addattr_nest_end(n, tail);
	return 0;
}

/*
 * Attributes to text: exact, in the largest unit that divides the value
 */

struct divisor {
	const char *name;
	uint64_t value;
};

static const struct divisor size_divisors[] = {
	{ "Gb", GIB }, { "Mb", MIB }, { "Kb", KIB }, { "b", 1 },
};

static const struct divisor time_divisors[] = {
	{ "s", 1000 }, { "ms", 1 },
};

static const struct divisor rate_divisors[] = {
	{ "Gbit", 1000000000 }, { "Mbit", 1000000 }, { "Kbit", 1000 },
	{ "bit", 1 },
};

static void print_exact(FILE *f, uint64_t value, const struct divisor *d)
{
	if (!value)	/* the smallest unit is the last one */
		while (d->value > 1)
			d++;
	while (value % d->value)
		d++;
	fprintf(f, "%llu%s", (unsigned long long)(value / d->value), d->name);
}

static void print_rate(FILE *f, uint64_t rate)
{
	if (!rate)
		fputs("unlimited", f);
	else if (rate > UINT64_MAX / 8)
		fprintf(f, "%llubps", (unsigned long long)rate);
	else
		print_exact(f, rate * 8, rate_divisors);
}

static uint64_t get_number(const struct rtattr *rta, size_t size)
{
	uint32_t value32 = 0;
	uint64_t value = 0;

	if (RTA_PAYLOAD(rta) < size)
		return 0;
	if (size == sizeof(value)) {
		memcpy(&value, RTA_DATA(rta), sizeof(value));
		return value;
	}
	memcpy(&value32, RTA_DATA(rta), sizeof(value32));
	return value32;
}

/* In JSON: bytes, bytes per second, milliseconds, percent, or a name */
static void print_number(FILE *f, const struct option *o,
			 const struct rtattr *rta)
{
	bool wide = o->kind == KIND_RATE;
	uint64_t value = get_number(rta, wide ? 8 : 4);
	const char *name = NULL;

	if (o->kind == KIND_POLICY)
		name = optsample_policy_name(value);
	else if (o->kind == KIND_GATE)
		name = value == TC_OPTSAMPLE_GATE_OPEN ? "open" : "closed";
	if (is_json_context()) {
		if (name)
			json_string(o->name, name);
		else
			json_number(o->name, value);
		return;
	}
	fprintf(f, "%s ", o->name);
	if (name)
		fputs(name, f);
	else if (o->kind == KIND_SIZE)
		print_exact(f, value, size_divisors);
	else if (o->kind == KIND_TIME)
		print_exact(f, value, time_divisors);
	else if (o->kind == KIND_RATE)
		print_rate(f, value);
	else
		fprintf(f, "%llu%s", (unsigned long long)value,
			o->kind == KIND_PERCENT ? "%" :
			o->kind == KIND_PACKETS ? "p" : "");
	fputc(' ', f);
}

static void print_watch(FILE *f, const struct rtattr *rta)
{
	char dev[ALTIFNAMSIZ];

	snprintf(dev, sizeof(dev), "%.*s", (int)RTA_PAYLOAD(rta),
		 (const char *)RTA_DATA(rta));
	if (is_json_context())
		json_string("watch", dev[0] ? dev : NULL);
	else if (dev[0])
		fprintf(f, "watch %s ", dev);
	else
		fputs("nowatch ", f);
}

static uint64_t get_u32_of(struct rtattr *tb[], int attr)
{
	return tb[attr] ? get_number(tb[attr], 4) : 0;
}

static void print_inflight(FILE *f, struct rtattr *tb[])
{
	uint64_t packets = get_u32_of(tb, TCA_OPTSAMPLE_INFLIGHT_PACKETS);
	uint64_t bytes = get_u32_of(tb, TCA_OPTSAMPLE_INFLIGHT_BYTES);
	bool by_itself = get_u32_of(tb, TCA_OPTSAMPLE_INFLIGHT_AUTO);

	if (is_json_context()) {
		json_number("inflight_packets", packets);
		json_number("inflight_bytes", bytes);
		json_number("inflight_auto", by_itself);
		return;
	}
	if (packets)
		fprintf(f, "inflight %llup ", (unsigned long long)packets);
	if (bytes) {
		fputs("inflight ", f);
		print_exact(f, bytes, size_divisors);
		fputc(' ', f);
	}
	if (by_itself)
		fputs("inflight auto ", f);
	if (!packets && !bytes && !by_itself)
		fputs("noinflight ", f);
}

/* The default is not printed. */
static void print_name(FILE *f, const char *option, const char *key,
		       const char *const *names, const struct rtattr *rta)
{
	uint64_t value = get_number(rta, 4);
	uint64_t i = 0;

	while (i < value && names[i])
		i++;
	if (is_json_context())
		json_string(key, names[i] ? names[i] : "unknown");
	else if (value)
		fprintf(f, "%s %s ", option, names[i] ? names[i] : "unknown");
}

static int optsample_print_opt(struct qdisc_util *qu, FILE *f,
			       struct rtattr *opt)
{
	struct rtattr *tb[TCA_OPTSAMPLE_MAX + 1];
	size_t i;

	(void)qu;
	if (!opt)
		return 0;
	parse_rtattr_flags(tb, TCA_OPTSAMPLE_MAX, RTA_DATA(opt),
			   RTA_PAYLOAD(opt), NLA_F_NESTED);
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option *o = &options[i];

		if (!takes_value(o) || !tb[o->attr])
			continue;
		if (o->kind == KIND_INFLIGHT)
			print_inflight(f, tb);
		else if (o->kind == KIND_PER)
			print_name(f, o->name, "inflight_per", per_names,
				   tb[o->attr]);
		else if (o->kind == KIND_RECALL)
			print_name(f, o->name, o->name, recall_names,
				   tb[o->attr]);
		else if (o->kind == KIND_WATCH)
			print_watch(f, tb[o->attr]);
		else if (o->kind == KIND_PROG)
			optsample_print_prog(f, tb[o->attr],
					     tb[TCA_OPTSAMPLE_PROG_NAME]);
		else
			print_number(f, o, tb[o->attr]);
	}
	optsample_print_profiles(f, tb[TCA_OPTSAMPLE_PROFILES]);
	return 0;
}

struct qdisc_util optsample_qdisc_util = {
	.id		= "optsample",
	.parse_qopt	= optsample_parse_opt,
	.print_qopt	= optsample_print_opt,
	.print_xstats	= optsample_print_xstats,
};
