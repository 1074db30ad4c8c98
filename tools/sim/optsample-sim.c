// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-sim - plays arrivals and departures through sampler.h.
 *
 * It is the same header as in the kernel, so what this prints is what the
 * qdisc does. Three things it can do: a scenario, as CSV and as a plot; a
 * schedule of single operations (--ops); a random schedule (--random-ops).
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <optsample/units.h>
#include "sim.h"

#define MESSAGES_MAX	1000000U

enum {
	OPT_SCENARIO = 256,
	OPT_RATIO,
	OPT_STALL,
	OPT_RUN,
	OPT_DRAIN,
	OPT_EVAL,
	OPT_SVG,
	OPT_PNG,
	OPT_OPS,
	OPT_RANDOM_OPS,
	OPT_ONLY,
};

static const struct option options[] = {
	{ "policy", required_argument, NULL, 'p' },
	{ "limit", required_argument, NULL, 'l' },
	{ "messages", required_argument, NULL, 'm' },
	{ "refill", required_argument, NULL, 'r' },
	{ "scenario", required_argument, NULL, OPT_SCENARIO },
	{ "ratio", required_argument, NULL, OPT_RATIO },
	{ "stall", required_argument, NULL, OPT_STALL },
	{ "run", required_argument, NULL, OPT_RUN },
	{ "drain", required_argument, NULL, OPT_DRAIN },
	{ "eval", required_argument, NULL, OPT_EVAL },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "png", required_argument, NULL, OPT_PNG },
	{ "ops", required_argument, NULL, OPT_OPS },
	{ "random-ops", required_argument, NULL, OPT_RANDOM_OPS },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

struct args {
	struct sim_config cfg;
	const char *svg;
	const char *png;
	const char *ops;
	const char *only;
	bool random;
	uint64_t seed;
	uint32_t count;
};

static void help(void)
{
	size_t i;

	printf("usage: optsample-sim [OPTION...]\n"
	       "       optsample-sim [--policy NAME] [--limit L] --ops FILE\n"
	       "       optsample-sim [--limit L] --random-ops SEED N\n"
	       "\n"
	       "Simulates a queue and a link that fails, and compares what a policy\n"
	       "keeps with the best choice, for example:\n"
	       "\n"
	       "       optsample-sim --scenario outage --policy optsample\n"
	       "\n"
	       "Prints one line T,profit,oracle,maxgap,kept per message.\n"
	       "\n"
	       "Simulation:\n"
	       "  --policy NAME    %s\n"
	       "  --limit L        messages queued at most, 1..65535 (20)\n"
	       "  --messages T     messages sent, 1..1000000 (200)\n"
	       "  --refill R       fill level that relaxes sampling, 0..1 (0.5)\n"
	       "  --scenario NAME  outage | overload | stalls\n"
	       "  --ratio X        overload: arrivals per departure (2)\n"
	       "  --stall N        stalls: messages while stalled (100)\n"
	       "  --run N          stalls: messages in between (100)\n"
	       "  --drain X        stalls: departures per arrival in between (2)\n"
	       "  --eval NAME      what a gap of d messages is worth (log)\n",
	       OPTSAMPLE_POLICY_NAMES(" | "));
	for (i = 0; i < EVALS; i++)
		printf("                   %-6s %s\n", evals[i].name,
		       evals[i].formula);
	printf("\nOutput and operations:\n"
	       "  --svg FILE       plot profit and oracle\n"
	       "  --png FILE       the same without text\n"
	       "  --ops FILE       play operations (- is stdin), one per line:\n"
	       "                   a POS, d, e, l N, p NAME\n"
	       "  --random-ops SEED N\n"
	       "                   print N operations for --ops\n"
	       "  --only LETTERS   of these operations (adelp)\n"
	       "\n"
	       "  -h, --help       print this help\n"
	       "  -V, --version    print the version\n");
}

static int bad(const char *what, const char *value)
{
	fprintf(stderr, "optsample-sim: %s: %s\n", what, value);
	return -EINVAL;
}

static int get_u64(const char *text, uint64_t max, uint64_t *value)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text < '0' || *text > '9' ||
	    v > max)
		return -EINVAL;
	*value = v;
	return 0;
}

static int get_count(const char *text, uint32_t max, uint32_t *value)
{
	uint64_t v;

	if (get_u64(text, max, &v) || !v)
		return -EINVAL;
	*value = (uint32_t)v;
	return 0;
}

/* A decimal number as an integer number of 1/@scale. */
static int get_scaled(const char *text, double min, double max, uint32_t scale,
		      uint32_t *value)
{
	char *end;
	double v;

	v = strtod(text, &end);
	if (end == text || *end || !(v >= min && v <= max))
		return -EINVAL;
	*value = (uint32_t)(v * scale + 0.5);
	return 0;
}

static int get_scenario(const char *text, enum scenario *scenario)
{
	static const char *const names[] = { "outage", "overload", "stalls" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*scenario = (enum scenario)i;
			return 0;
		}
	}
	return -EINVAL;
}

enum optsample_policy policy_find(const char *name)
{
	uint32_t policy;

	return parse_policy(name, &policy) ? OPTSAMPLE_POLICY_MAX : policy;
}

static int parse_number(struct sim_config *cfg, int opt)
{
	switch (opt) {
	case 'l':
		if (get_count(optarg, OPTSAMPLE_LIMIT_MAX, &cfg->limit))
			return bad("limit must be 1..65535", optarg);
		return 0;
	case 'm':
		if (get_count(optarg, MESSAGES_MAX, &cfg->messages))
			return bad("messages must be 1..1000000", optarg);
		return 0;
	case 'r':
		if (get_scaled(optarg, 0, 1, 100, &cfg->refill))
			return bad("refill must be 0..1", optarg);
		return 0;
	case OPT_RATIO:
		if (get_scaled(optarg, 1, 1000, 1000, &cfg->ratio))
			return bad("ratio must be 1..1000", optarg);
		return 0;
	case OPT_STALL:
		if (get_count(optarg, MESSAGES_MAX, &cfg->stall))
			return bad("stall must be 1..1000000", optarg);
		return 0;
	case OPT_RUN:
		if (get_count(optarg, MESSAGES_MAX, &cfg->run))
			return bad("run must be 1..1000000", optarg);
		return 0;
	default:
		if (get_scaled(optarg, 0.001, 1000, 1000, &cfg->drain))
			return bad("drain must be 0.001..1000", optarg);
		return 0;
	}
}

static int parse_option(struct args *a, int opt, char **argv, int argc)
{
	switch (opt) {
	case 'p':
		a->cfg.policy = policy_find(optarg);
		if (a->cfg.policy == OPTSAMPLE_POLICY_MAX)
			return bad("no such policy", optarg);
		return 0;
	case OPT_SCENARIO:
		if (get_scenario(optarg, &a->cfg.scenario))
			return bad("no such scenario", optarg);
		return 0;
	case OPT_EVAL:
		a->cfg.eval = eval_find(optarg);
		return a->cfg.eval ? 0 : bad("no such function", optarg);
	case OPT_SVG:
		a->svg = optarg;
		return 0;
	case OPT_PNG:
		a->png = optarg;
		return 0;
	case OPT_OPS:
		a->ops = optarg;
		return 0;
	case OPT_ONLY:
		a->only = optarg;
		return optarg[strspn(optarg, "adelp")] ?
			bad("not operations", optarg) : 0;
	case OPT_RANDOM_OPS:
		a->random = true;
		if (get_u64(optarg, UINT64_MAX, &a->seed))
			return bad("seed must be a number", optarg);
		if (optind >= argc)
			return bad("--random-ops SEED N: no N after", optarg);
		if (get_count(argv[optind], UINT32_MAX, &a->count))
			return bad("count must be a number", argv[optind]);
		optind++;
		return 0;
	default:
		return parse_number(&a->cfg, opt);
	}
}

/* Return: 1 when help or version was all, 0, or -EINVAL after an error line. */
static int parse(struct args *a, int argc, char **argv)
{
	int opt, err;

	if (argc < 2) {
		help();
		return 1;
	}
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:hV", options, NULL)) != -1) {
		if (opt == 'h') {
			help();
			return 1;
		}
		if (opt == 'V') {
			printf("optsample-sim %s\n", OPTSAMPLE_VERSION);
			return 1;
		}
		if (opt == ':')
			return bad("option needs an argument",
				   argv[optind - 1]);
		if (opt == '?')
			return bad("unknown option, try --help",
				   argv[optind - 1]);
		err = parse_option(a, opt, argv, argc);
		if (err)
			return err;
	}
	if (optind < argc)
		return bad("unexpected argument", argv[optind]);
	if (a->cfg.scenario != SCENARIO_OUTAGE && a->cfg.messages > 20000)
		return bad("messages must be 1..20000 in this scenario",
			   "the oracle takes time");
	return 0;
}

static int play_ops(const struct args *a)
{
	FILE *in = stdin;
	int err;

	if (strcmp(a->ops, "-"))
		in = fopen(a->ops, "r");
	if (!in) {
		fprintf(stderr, "optsample-sim: %s: %s\n", a->ops,
			strerror(errno));
		return -EINVAL;
	}
	err = ops_play(&a->cfg, in, a->ops);
	if (in != stdin)
		fclose(in);
	return err;
}

static int play_scenario(const struct args *a)
{
	struct sim_row *rows;
	const char *what = "scenario";
	int err = -ENOMEM;

	rows = calloc(a->cfg.messages, sizeof(*rows));
	if (rows)
		err = sim_run(&a->cfg, rows, stdout);
	if (!err && a->svg) {
		what = a->svg;
		err = plot_svg(&a->cfg, rows, a->svg);
	}
	if (!err && a->png) {
		what = a->png;
		err = plot_png(&a->cfg, rows, a->png);
	}
	free(rows);
	if (err)
		fprintf(stderr, "optsample-sim: %s: %s\n", what,
			strerror(-err));
	return err;
}

int main(int argc, char **argv)
{
	struct args a = {
		.cfg = {
			.policy = OPTSAMPLE_POLICY_OPTSAMPLE,
			.scenario = SCENARIO_OUTAGE,
			.eval = &evals[0],
			.limit = 20,
			.messages = 200,
			.refill = OPTSAMPLE_REFILL_DEFAULT,
			.ratio = 2000,
			.stall = 100,
			.run = 100,
			.drain = 2000,
		},
		.only = "adelp",
	};
	int err = parse(&a, argc, argv);

	if (err)
		return err < 0 ? 2 : 0;
	if (a.random)
		ops_random(&a.cfg, a.seed, a.count, a.only);
	else if (a.ops)
		err = play_ops(&a);
	else
		err = play_scenario(&a);
	if (!err && fflush(stdout)) {
		fprintf(stderr, "optsample-sim: stdout: %s\n",
			strerror(errno));
		err = -EIO;
	}
	return err == -EINVAL ? 2 : err ? 1 : 0;
}
