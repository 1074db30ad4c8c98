// SPDX-License-Identifier: GPL-2.0-only
/*
 * demo-report - what the operator saw, qdisc by qdisc
 *
 * Reads what tests/e2e/links/wifi-run.sh left in DIR/QDISC, prints a table,
 * writes DIR/../result.json and result.png, and with --check says as TAP
 * whether optsample did what it promises.
 *
 * Messages of the outage are those stamped by the camera between the two
 * events of the medium, the same for every qdisc. Their positions are 1..T;
 * the ends 0 and T+1 of the profit are the last message before and the first
 * one after. The oracle may keep as many messages as the queue. The queue
 * itself has to last longer than that, until the station is associated again.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "../sim/eval.h"

/* What --check asks for, with a limit of 20 and an outage of 5 s */
enum {
	CHECK_KEPT	= 16,		/* of the messages of the outage */
	CHECK_GAP_MS	= 600,		/* longest gap of optsample */
	CHECK_OTHERS_MS	= 4000,		/* at least that of the others */
};

/* Of the best possible, with the policy gap; 0.97 as a rule */
#define CHECK_PROFIT	0.92

static FILE *log_open(const struct run *r, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	f = fopen(path, "r");
	if (!f)
		fprintf(stderr, "demo-report: %s: %s\n", path, strerror(errno));
	return f;
}

static bool load_sent(struct run *r)
{
	FILE *f = log_open(r, "pub.csv");
	struct image im = { 0 }, *more;
	unsigned int room = 0, seq;

	while (f && fscanf(f, "%u,%" SCNd64 ",%*d,%x%*[^\n]", &seq, &im.stamp,
			   &im.crc) == 3) {
		if (r->sent == room) {
			room = room ? 2 * room : 256;
			more = realloc(r->images, room * sizeof(*more));
			if (!more)
				break;
			r->images = more;
		}
		r->images[r->sent++] = im;
	}
	if (f)
		fclose(f);
	return r->sent;
}

static bool load_received(struct run *r)
{
	FILE *f = log_open(r, "sub.csv");
	struct image got;
	unsigned int i;

	while (f && fscanf(f, "%" SCNd64 ",%" SCNd64 ",%*u,%x", &got.stamp,
			   &got.received, &got.crc) == 3) {
		for (i = 0; i < r->sent; i++)
			if (r->images[i].stamp == got.stamp)
				break;
		if (i == r->sent || r->images[i].received ||
		    r->images[i].crc != got.crc) {
			r->bad++;
			continue;
		}
		r->images[i].received = got.received;
		r->received++;
	}
	if (!f)
		return false;
	fclose(f);
	return true;
}

static bool load_events(struct run *r)
{
	FILE *f = log_open(r, "events.json");
	int64_t sec, nsec;
	char word[16];

	while (f && fscanf(f, " {\"time\":%" SCNd64 ".%" SCNd64
			   ",\"event\":\"%15[a-z]\"%*[^\n]", &sec, &nsec,
			   word) == 3) {
		if (!strcmp(word, "down"))
			r->down = sec * 1000000000 + nsec;
		else if (!strcmp(word, "up"))
			r->up = sec * 1000000000 + nsec;
	}
	if (f)
		fclose(f);
	return r->down && r->up > r->down;
}

static void measure(struct run *r, unsigned int limit)
{
	const struct eval *e = eval_find("log");
	unsigned int i, at = 0;
	int64_t last = r->images[0].stamp;

	for (i = 0; i < r->sent; i++) {
		const struct image *im = &r->images[i];

		if (im->received || i + 1 == r->sent) {
			if (im->stamp - last > r->gap_ns)
				r->gap_ns = im->stamp - last;
			last = im->stamp;
		}
		if (im->stamp < r->down) {
			r->first = i + 1;
			continue;
		}
		if (im->stamp >= r->up)
			continue;
		r->during++;
		if (!im->received)
			continue;
		r->kept++;
		r->profit += e->f((double)(r->during - at));
		at = r->during;
	}
	r->profit += e->f((double)(r->during + 1 - at));
	r->oracle = eval_oracle(e, r->during, limit);
}

const struct image *run_middle(const struct run *r)
{
	int64_t middle = r->down + (r->up - r->down) / 2;
	const struct image *best = NULL;
	unsigned int i;

	for (i = 0; i < r->sent; i++) {
		const struct image *im = &r->images[i];

		if (im->received && (!best || llabs(im->stamp - middle) <
				     llabs(best->stamp - middle)))
			best = im;
	}
	return best;
}

static bool load(struct run *r, const char *dir, const char *name,
		 unsigned int limit)
{
	r->name = name;
	if (asprintf(&r->dir, "%s/%s", dir, name) < 0)
		return false;
	if (!load_sent(r) || !load_received(r) || !load_events(r)) {
		fprintf(stderr, "demo-report: %s: the run is not complete\n",
			name);
		return false;
	}
	measure(r, limit);
	return true;
}

static void table(const struct run *runs, unsigned int count,
		  const char *prefix)
{
	unsigned int i;

	printf("%s%-10s %5s %9s   %10s %9s   %7s %7s %6s   %9s\n", prefix,
	       "qdisc", "sent", "received", "in outage", "received", "profit",
	       "oracle", "ratio", "gap");
	for (i = 0; i < count; i++) {
		const struct run *r = &runs[i];

		printf("%s%-10s %5u %9u   %10u %9u   "
		       "%7.2f %7.2f %6.3f   %7.2f s\n",
		       prefix, r->name, r->sent, r->received, r->during,
		       r->kept, r->profit, r->oracle, r->profit / r->oracle,
		       (double)r->gap_ns / 1e9);
	}
}

/* What "optsample show -j" said goes in as it is. */
static void json_stats(const struct run *r, FILE *out)
{
	char path[4096], buf[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/optsample.json", r->dir);
	f = fopen(path, "r");
	if (!f)
		return;
	fputs(",\n\t\t\t\"statistics\": ", out);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		fwrite(buf, 1, n, out);
	fclose(f);
}

static void json_run(const struct run *r, FILE *out)
{
	const struct image *middle = run_middle(r);
	const char *comma = "";
	unsigned int i;

	fprintf(out, "\t\t\"%s\": {\n"
		"\t\t\t\"sent\": %u,\n\t\t\t\"received\": %u,\n"
		"\t\t\t\"corrupt\": %u,\n"
		"\t\t\t\"outage_start_s\": %.3f,\n"
		"\t\t\t\"outage_end_s\": %.3f,\n"
		"\t\t\t\"sent_during_outage\": %u,\n"
		"\t\t\t\"received_during_outage\": %u,\n"
		"\t\t\t\"profit\": %.4f,\n\t\t\t\"oracle\": %.4f,\n"
		"\t\t\t\"profit_ratio\": %.4f,\n"
		"\t\t\t\"longest_gap_s\": %.3f,\n",
		r->name, r->sent, r->received, r->bad,
		(double)(r->down - r->images[0].stamp) / 1e9,
		(double)(r->up - r->images[0].stamp) / 1e9,
		r->during, r->kept, r->profit, r->oracle,
		r->profit / r->oracle, (double)r->gap_ns / 1e9);
	if (middle)
		fprintf(out, "\t\t\t\"middle_image_s\": %.3f,\n",
			(double)(middle->stamp - r->images[0].stamp) / 1e9);
	fputs("\t\t\t\"kept\": [", out);
	for (i = r->first; i < r->first + r->during; i++) {
		if (!r->images[i].received)
			continue;
		fprintf(out, "%s%u", comma, i + 1);
		comma = ", ";
	}
	fputs("]", out);
	json_stats(r, out);
	fputs("\n\t\t}", out);
}

static int json(const struct run *runs, unsigned int count,
		unsigned int limit, const char *path)
{
	FILE *out = fopen(path, "w");
	unsigned int i;

	if (!out) {
		fprintf(stderr, "demo-report: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	fprintf(out, "{\n\t\"limit\": %u,\n\t\"evaluation\": \"1 + ln d\",\n"
		"\t\"qdiscs\": {\n", limit);
	for (i = 0; i < count; i++) {
		json_run(&runs[i], out);
		fputs(i + 1 < count ? ",\n" : "\n", out);
	}
	fputs("\t}\n}\n", out);
	return fclose(out) ? -EIO : 0;
}

static unsigned int test(unsigned int nr, bool ok, const char *what,
			 const char *name, double value)
{
	printf("%sok %u - %s: %s (%g)\n", ok ? "" : "not ", nr, name, what,
	       value);
	return !ok;
}

static int check(const struct run *runs, unsigned int count)
{
	unsigned int i, nr = 0, bad = 0;
	int64_t gap = 0, others = INT64_MAX;
	bool seen = false;

	printf("TAP version 13\n");
	for (i = 0; i < count; i++) {
		const struct run *r = &runs[i];

		bad += test(++nr, !r->bad, "no image arrived but as sent",
			    r->name, r->bad);
		if (!strcmp(r->name, "gap")) {
			bad += test(++nr, r->profit >= CHECK_PROFIT * r->oracle,
				    "profit, of the best possible", r->name,
				    r->profit / r->oracle);
			continue;
		}
		if (strcmp(r->name, "optsample")) {
			others = r->gap_ns < others ? r->gap_ns : others;
			continue;
		}
		seen = true;
		gap = r->gap_ns;
		bad += test(++nr, r->kept >= CHECK_KEPT,
			    "images of the outage arrived", r->name, r->kept);
	}
	if (seen && count > 1)
		bad += test(++nr, 2 * gap <= others ||
			    (gap <= CHECK_GAP_MS * 1000000LL &&
			     others >= CHECK_OTHERS_MS * 1000000LL),
			    "longest gap against the others'", "optsample",
			    (double)gap / (double)others);
	printf("1..%u\n", nr);
	return bad ? 1 : 0;
}

static const struct option options[] = {
	{ "limit", required_argument, NULL, 'l' },
	{ "output", required_argument, NULL, 'o' },
	{ "check", no_argument, NULL, 'c' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(FILE *to)
{
	fputs("usage: demo-report [--limit L] [--output DIR] [--check] "
	      "DIR QDISC...\n"
	      "\n"
	      "Sums up the runs in DIR/QDISC; writes result.json and "
	      "result.png.\n", to);
}

int main(int argc, char **argv)
{
	struct run runs[REPORT_RUNS_MAX] = { 0 };
	const char *out = ".";
	unsigned int limit = 20, count = 0;
	bool checks = false;
	char path[4096];
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'l') {
			limit = (unsigned int)strtoul(optarg, NULL, 10);
		} else if (c == 'o') {
			out = optarg;
		} else if (c == 'c') {
			checks = true;
		} else {
			usage(c == 'h' ? stdout : stderr);
			return c != 'h';
		}
	}
	if (argc - optind < 2 || argc - optind - 1 > REPORT_RUNS_MAX ||
	    !limit) {
		usage(stderr);
		return 1;
	}
	for (c = optind + 1; c < argc; c++)
		if (!load(&runs[count++], argv[optind], argv[c], limit))
			return 1;
	table(runs, count, checks ? "# " : "");
	snprintf(path, sizeof(path), "%s/result.json", out);
	if (json(runs, count, limit, path))
		return 1;
	snprintf(path, sizeof(path), "%s/result.png", out);
	if (picture(runs, count, path))
		return 1;
	return checks ? check(runs, count) : 0;
}
