// SPDX-License-Identifier: GPL-2.0-only
/*
 * app-report - messages that the operator got of an outage
 *
 * usage: app-report [-l LIMIT] [-o FIRST:COUNT]... PUB SUB
 *
 * Reads what the publishers and subscribers of the tests printed. Topics are
 * synchronised: only a number that arrived on all of them, a full set, is of
 * use, so profit and gap are those of full sets; with one topic that is every
 * message. Profit as in the publication (tools/sim/eval.h), positions 1..COUNT
 * in each outage; the oracle keeps LIMIT sets of each. The gap is the longest
 * distance between two full sets in a row, 1 if none is missing.
 *
 * Prints words and values on one line:
 *	outage	messages published in outages
 *	got	of those, arrived
 *	mates	of those, in a full set, as a share
 *	profit, oracle, ratio, gap
 *	bad	lines of SUB that are not as published, or not in order
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../tools/sim/eval.h"

enum { TOPICS = 8, NUMBERS = 4096, OUTAGES = 8 };

struct topic {
	char name[256];
	unsigned int newest;
	unsigned int crc[NUMBERS];
	bool got[NUMBERS];
};

struct outage {
	unsigned int first;
	unsigned int count;
};

struct report {
	struct topic topics[TOPICS];
	unsigned int ntopics;
	unsigned int last;
	struct outage outages[OUTAGES];
	unsigned int noutages;
	unsigned int limit;
	unsigned int bad;
};

static struct topic *topic(struct report *r, const char *name, bool add)
{
	unsigned int i;

	for (i = 0; i < r->ntopics; i++)
		if (!strcmp(r->topics[i].name, name))
			return &r->topics[i];
	if (!add || i == TOPICS)
		return NULL;
	strcpy(r->topics[i].name, name);
	return &r->topics[r->ntopics++];
}

static bool load(struct report *r, const char *path, bool sent)
{
	unsigned int number, crc;
	FILE *f = fopen(path, "r");
	char name[256], line[1024];
	struct topic *t;

	if (!f) {
		fprintf(stderr, "app-report: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		/* roscpp itself may have to say something there */
		if (sscanf(line, "%255s %u %x", name, &number, &crc) != 3)
			continue;
		t = topic(r, name, sent);
		if (t && sent && number < NUMBERS) {
			t->crc[number] = crc;
			r->last = number;
		} else if (t && number > t->newest &&
			   (number > r->last || t->crc[number] == crc)) {
			t->newest = number;
			if (number <= r->last)
				t->got[number] = true;
		} else {
			r->bad++;
		}
	}
	fclose(f);
	return true;
}

static bool full(const struct report *r, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < r->ntopics; i++)
		if (!r->topics[i].got[number])
			return false;
	return true;
}

static void print(const struct report *r)
{
	const struct eval *e = eval_find("log");
	unsigned int i, n, t, at, all = 0, got = 0, mates = 0, gap = 0;
	double profit = 0, oracle = 0;
	const struct outage *o;

	for (i = 0; i < r->noutages; i++) {
		o = &r->outages[i];
		at = o->first - 1;
		for (n = o->first; n < o->first + o->count; n++) {
			for (t = 0; t < r->ntopics; t++) {
				all++;
				got += r->topics[t].got[n];
				mates += r->topics[t].got[n] && full(r, n);
			}
			if (!full(r, n))
				continue;
			profit += e->f(n - at);
			at = n;
		}
		profit += e->f(n - at);
		oracle += eval_oracle(e, o->count, r->limit);
	}
	for (at = 0, n = 1; n <= r->last + 1; n++) {
		if (n <= r->last && !full(r, n))
			continue;
		if (n - at > gap)
			gap = n - at;
		at = n;
	}
	printf("outage %u got %u mates %.3f profit %.2f oracle %.2f "
	       "ratio %.3f gap %u bad %u\n", all, got,
	       got ? (double)mates / got : 0, profit, oracle, profit / oracle,
	       gap, r->bad);
}

int main(int argc, char **argv)
{
	static struct report r = { .limit = 20 };
	struct outage *o;
	int c;

	while ((c = getopt(argc, argv, "l:o:")) != -1) {
		o = &r.outages[r.noutages];
		if (c == 'l')
			r.limit = (unsigned int)atoi(optarg);
		else if (c == 'o' && r.noutages < OUTAGES &&
			 sscanf(optarg, "%u:%u", &o->first, &o->count) == 2)
			r.noutages++;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: app-report [-l LIMIT] "
			"[-o FIRST:COUNT]... PUB SUB\n");
		return 2;
	}
	if (!load(&r, argv[optind], true) || !load(&r, argv[optind + 1], false))
		return 1;
	for (o = r.outages; o < r.outages + r.noutages; o++)
		if (!o->first || o->first + o->count > r.last + 1)
			return 2;
	print(&r);
	return 0;
}
