/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * app.h - a robot's sensors as DDS peers: the part that does not depend on the
 * DDS. For C, and for the C++ of Fast DDS.
 *
 * A topic on the command line is KIND:NAME:PAYLOAD, as for tests/e2e/ros1:
 *
 *	image:/camera/rgb:a.jpg+b.jpg	sensor_msgs/CompressedImage
 *	scan:/scan:2880			sensor_msgs/LaserScan
 *	odom:/odom:40			nav_msgs/Odometry, of a robot that
 *					stands until message 40, then moves
 *	twist:/cmd_vel:1		geometry_msgs/Twist; of Cyclone DDS only
 *
 * Payload: files in turn, or sizes in bytes (random data). Message 1, 2, ... is
 * sent on all topics with the same stamp, RATE a second; "NAME NUMBER CRC" is
 * printed for each up to LAST. `HOOK ready` runs before message 1, `HOOK down`
 * before message FIRST, `HOOK up` COUNT messages later: an outage is a number
 * of messages, however fast the machine is. After LAST it continues until no
 * reader is left. With -t each line also has times, in ns since the epoch:
 * STAMP and SENT, or RECEIVED. -l: lease, in seconds, of a silent peer (Fast
 * DDS).
 */
#ifndef OPTSAMPLE_E2E_APP_H
#define OPTSAMPLE_E2E_APP_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum {
	APP_TOPICS = 8, APP_PAYLOADS = 16, APP_OUTAGES = 8, APP_NAME = 128,
	APP_MORE = 3000,	/* messages after LAST */
};

struct app_payload {
	uint8_t	*data;
	size_t	size;
};

enum app_kind { APP_IMAGE, APP_SCAN, APP_ODOM, APP_TWIST };

struct app_topic {
	enum app_kind		kind;
	unsigned int		moves;		/* APP_ODOM: from then on */
	char			name[APP_NAME];	/* as ROS has it */
	char			dds[APP_NAME + 4];
	struct app_payload	payloads[APP_PAYLOADS];
	unsigned int		npayloads;
	unsigned int		newest;		/* received */
};

struct app_outage {
	unsigned int first;
	unsigned int count;
};

/**
 * struct app - the command line
 * @publish:	send message @number of topic @t, which is @p
 * @readers:	number of readers of the topic with fewest, or most
 * @depth:	reliable with this history, KEEP_LAST; 0: best effort; -1:
 *		reliable, KEEP_ALL
 */
struct app {
	double			rate;
	unsigned int		last;
	int			depth;
	bool			times;
	unsigned int		lease;		/* 0: the default */
	const char		*hook;
	struct app_outage	outages[APP_OUTAGES];
	unsigned int		noutages;
	struct app_topic	topics[APP_TOPICS];
	unsigned int		ntopics;
	bool (*publish)(struct app *a, unsigned int t, unsigned int number,
			int64_t stamp, const struct app_payload *p);
	int (*readers)(struct app *a, bool most);
};

static inline int64_t app_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Not compressible, and the same in every run */
static inline bool app_made_up(struct app_payload *p, size_t size, uint32_t seed)
{
	p->data = (uint8_t *)malloc(size);
	p->size = size;
	for (size_t i = 0; p->data && i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		p->data[i] = seed >> 24;
	}
	return p->data;
}

static inline bool app_load(struct app_payload *p, const char *path)
{
	FILE *f = fopen(path, "r");
	long size;
	bool ok;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	rewind(f);
	p->size = size;
	p->data = (uint8_t *)malloc(size + 1);
	ok = p->data && fread(p->data, 1, size, f) == p->size;
	fclose(f);
	return ok;
}

static inline bool app_add_topic(struct app *a, char *arg)
{
	struct app_topic *t = &a->topics[a->ntopics];
	char *save, *kind = strtok_r(arg, ":", &save), *rest;
	const char *name = strtok_r(NULL, ":", &save);

	if (a->ntopics == APP_TOPICS || !name || strlen(name) >= APP_NAME ||
	    (strcmp(kind, "scan") && strcmp(kind, "image") &&
	     strcmp(kind, "odom") && strcmp(kind, "twist")))
		return false;
	t->kind = *kind == 's' ? APP_SCAN : *kind == 'o' ? APP_ODOM :
		  *kind == 't' ? APP_TWIST : APP_IMAGE;
	strcpy(t->name, name);
	snprintf(t->dds, sizeof(t->dds), "rt%s", name);
	while ((rest = strtok_r(NULL, "+", &save))) {
		struct app_payload *p = &t->payloads[t->npayloads];
		size_t size = strtoul(rest, NULL, 10);

		t->moves = size;
		if (t->npayloads++ == APP_PAYLOADS ||
		    !(size ? app_made_up(p, size, t->npayloads) :
		      app_load(p, rest)))
			return false;
		if (t->kind == APP_SCAN)
			p->size -= p->size % sizeof(float);
	}
	a->ntopics++;
	return true;
}

/* Return: false after an error line. @pub: payloads are needed */
static inline bool app_options(struct app *a, int argc, char **argv, bool pub)
{
	struct app_outage *o;
	int c;

	a->rate = 20;
	a->last = 100;
	a->hook = "true";
	while ((c = getopt(argc, argv, "r:n:k:x:o:tl:")) != -1) {
		o = &a->outages[a->noutages];
		if (c == 'r')
			a->rate = atof(optarg);
		else if (c == 'n')
			a->last = strtoul(optarg, NULL, 10);
		else if (c == 'k')
			a->depth = atoi(optarg);
		else if (c == 't')
			a->times = true;
		else if (c == 'l')
			a->lease = strtoul(optarg, NULL, 10);
		else if (c == 'x')
			a->hook = optarg;
		else if (c == 'o' && a->noutages < APP_OUTAGES &&
			 sscanf(optarg, "%u:%u", &o->first, &o->count) == 2)
			a->noutages++;
		else
			c = '?';
		if (c == '?')
			break;
	}
	while (c == -1 && optind < argc)
		if (!app_add_topic(a, argv[optind++]) ||
		    (pub && !a->topics[a->ntopics - 1].npayloads))
			c = '?';
	if (c != '?' && a->ntopics && a->rate > 0)
		return true;
	fprintf(stderr, "usage: %s [-r RATE] [-n LAST] [-k DEPTH] "
		"[-o FIRST:COUNT]... [-x HOOK] [-t] [-l LEASE] KIND:NAME[:PAYLOAD]...\n",
		argv[0]);
	return false;
}

/* @stamp: of a message that was just sent, 0: of a received one */
static inline void app_print(const struct app *a, const struct app_topic *t,
			     unsigned int number, int64_t stamp,
			     const void *data, size_t size)
{
	printf("%s %u %08x", t->name, number,
	       (unsigned int)crc32(0, (const Bytef *)data, size));
	if (a->times && stamp)
		printf(" %lld", (long long)stamp);
	if (a->times)
		printf(" %lld", (long long)app_now(CLOCK_REALTIME));
	putchar('\n');
}

static inline void app_hook(const struct app *a, const char *what)
{
	char command[512];

	snprintf(command, sizeof(command), "%s %s", a->hook, what);
	if (system(command))
		fprintf(stderr, "%s failed\n", command);
}

/* Actions before message @number */
static inline void app_begin_or_end(const struct app *a, unsigned int number)
{
	for (unsigned int i = 0; i < a->noutages; i++) {
		const struct app_outage *o = &a->outages[i];

		if (number == o->first)
			app_hook(a, "down");
		else if (number == o->first + o->count)
			app_hook(a, "up");
	}
}

/* Return: false if a message could not be sent or a reader stayed */
static inline bool app_publish(struct app *a)
{
	int64_t next;

	while (a->readers(a, false) < 1)
		usleep(20000);
	sleep(2);	/* the readers must know the writers, too */
	app_hook(a, "ready");
	next = app_now(CLOCK_MONOTONIC);
	for (unsigned int n = 1; n <= a->last + APP_MORE; n++) {
		int64_t wait = next - app_now(CLOCK_MONOTONIC);
		int64_t stamp;

		if (wait > 0)
			usleep(wait / 1000);
		next += 1e9 / a->rate;
		if (n > a->last && !a->readers(a, true))
			return true;
		app_begin_or_end(a, n);
		stamp = app_now(CLOCK_REALTIME);
		for (unsigned int i = 0; i < a->ntopics; i++) {
			const struct app_topic *t = &a->topics[i];
			const struct app_payload *p =
				&t->payloads[n % t->npayloads];

			if (!a->publish(a, i, n, stamp, p))
				return false;
			if (n <= a->last)
				app_print(a, t, n, stamp, p->data, p->size);
		}
		fflush(stdout);
	}
	return false;
}

/* A message was received. Return: true when all topics are beyond LAST */
static inline bool app_received(struct app *a, unsigned int i,
				unsigned int number, const void *data,
				size_t size)
{
	app_print(a, &a->topics[i], number, 0, data, size);
	fflush(stdout);
	a->topics[i].newest = number;
	for (i = 0; i < a->ntopics; i++)
		if (a->topics[i].newest <= a->last)
			return false;
	return true;
}

#endif
