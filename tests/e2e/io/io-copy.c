// SPDX-License-Identifier: GPL-2.0-only
/*
 * io-copy - copies messages from a source to a sink
 *
 * usage: io-copy [-n MESSAGES] [-t SECONDS] [-x SPEED] [-r RATE] [-s START]
 *		    [-l] [-L] [-o TOPIC]... [-k KIND] [-d MS]
 *		    [-N NODE] [-e COUNT:COMMAND]... SOURCE SINK
 *
 * All topics that the source finds, or with -o these; of any kind or, with -k,
 * of this one (enum message_kind). Prints a line for each message: "TOPIC TYPE
 * STAMP CRC", where STAMP is 0 without a header and the CRC is that of the
 * message in ROS 1's form with header.seq 0, so that it does not depend on the
 * transport. -l repeats for ever, -L latches, -d waits after the last message,
 * for late subscribers. A sink "-" discards. -N names the node of the sink.
 * stderr has the log, and at the end "dropped NUMBER".
 *
 * -e runs a command before message COUNT, from 1 on, or, with 0, after the last
 * one, and waits for it. A recording with -e starts when all its sinks exist,
 * and never makes up for lost time: messages are at least as far apart as they
 * were recorded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include "base/cli.h"
#include "base/error.h"
#include "ros/io/sink.h"
#include "ros/io/source.h"

enum { TOPICS = 64, EVENTS = 8 };

/* A command before message @count, 0: at the end */
struct event {
	unsigned int	count;
	const char	*command;
};

/**
 * struct copy
 * @asked:	topics of -o; none: all
 * @speed:	of a recording that is paced here, 0: by its source
 * @stamp:	of the previous message, which was sent at @went
 */
struct copy {
	struct loop		*loop;
	struct source		*source;
	struct sink		*sink;
	struct sink_topic	*topic[TOPICS];
	char			*name[TOPICS];
	unsigned int		topics, left;
	int			kind;
	const char		*node;
	bool			latched, over;
	double			linger;
	uint8_t			*data;
	size_t			size;
	struct loop_timer	end;
	char			*asked[TOPICS];
	unsigned int		nasked;
	struct event		event[EVENTS];
	unsigned int		events, count;
	double			speed;
	int64_t			stamp;
	uint64_t		went;
};

static void on_log(void *arg, int priority, const char *line)
{
	(void)arg;
	fprintf(stderr, "<%d>%s\n", priority, line);
}

static void run_events(const struct copy *c, unsigned int count)
{
	for (unsigned int i = 0; i < c->events; i++)
		if (c->event[i].count == count &&
		    system(c->event[i].command))
			fprintf(stderr, "%s failed\n", c->event[i].command);
}

/* As long after the previous message as in the recording */
static void pace(struct copy *c, int64_t stamp)
{
	const double later = (double)(stamp - c->stamp) / c->speed;
	const uint64_t due = c->went + (later > 0 ? (uint64_t)later : 0);
	const uint64_t now = loop_now();
	const uint64_t left = c->went && due > now ? due - now : 0;
	const struct timespec wait = { left / 1000000000, left % 1000000000 };

	nanosleep(&wait, NULL);
	c->stamp = stamp;
	c->went = loop_now();
}

static void over(struct copy *c)
{
	if (c->over)
		return;
	c->over = true;
	run_events(c, 0);
	if (c->linger)
		c->end.due = loop_now() + (uint64_t)(c->linger * 1e6);
	else
		loop_stop(c->loop, 0);
}

static struct sink_topic *topic_of(struct copy *c, const char *name,
				   enum message_kind kind)
{
	unsigned int i = 0;
	int err = 0;

	while (i < c->topics && strcmp(c->name[i], name))
		i++;
	if (i < c->topics || !c->sink)
		return i < c->topics ? c->topic[i] : NULL;
	if (c->topics < TOPICS)
		err = sink_add(c->sink, name, kind, c->latched, &c->topic[i]);
	if (err)
		fprintf(stderr, "%s: %s\n", name, strerror(-err));
	if (err || c->topics == TOPICS)
		return NULL;
	c->name[i] = strdup(name);
	c->topics++;
	return c->topic[i];
}

static void show(struct copy *c, const struct source_message *m,
		 union message *msg)
{
	struct message_header *h = message_header_of(m->kind, msg);
	long len;

	if (h)
		h->seq = 0;
	len = message_size(m->kind, MESSAGE_ROS1, msg);
	if (len > (long)c->size) {
		c->size = len;
		c->data = realloc(c->data, len);
	}
	len = message_write(m->kind, MESSAGE_ROS1, msg, c->data, c->size);
	printf("%s %s %lld %08lx\n", m->topic,
	       message_type(m->kind, MESSAGE_ROS1),
	       (long long)(h ? h->stamp : 0),
	       len < 0 ? 0 : crc32(0, c->data, len));
	fflush(stdout);
}

static void on_message(void *arg, const struct source_message *m)
{
	struct copy *c = arg;
	union message msg;
	struct sink_topic *t;
	int err;

	if (c->over)
		return;
	if (c->events) {
		run_events(c, ++c->count);
		pace(c, m->stamp);
	}
	err = message_read(m->kind, m->format, m->data, m->len, &msg);
	if (err) {
		fprintf(stderr, "%s: %s\n", m->topic, strerror(-err));
		return;
	}
	t = topic_of(c, m->topic, m->kind);
	if (t)
		sink_publish(t, m->stamp, &msg);
	show(c, m, &msg);
	if (c->left && !--c->left)
		over(c);
}

static void on_found(void *arg, const char *topic, enum message_kind kind)
{
	struct copy *c = arg;
	unsigned int i = 0;

	while (i < c->nasked && strcmp(c->asked[i], topic))
		i++;
	if (c->nasked && i == c->nasked)
		return;
	topic_of(c, topic, kind);
	source_subscribe(c->source, topic, kind);
}

static void on_ended(void *arg)
{
	over(arg);
}

static void on_end(void *arg, uint64_t now)
{
	(void)now;
	loop_stop(((struct copy *)arg)->loop, 0);
}

static int open_all(struct copy *c, const struct source_config *config,
		    const char *to)
{
	struct sink_config sink = {
		.spec = to, .name = c->node, .log = on_log, .arg = c,
	};
	struct error error;
	int err = 0;

	if (strcmp(to, "-"))
		err = sink_open(&c->sink, c->loop, &sink, &error);
	if (!err)
		err = source_open(&c->source, c->loop, config, &error);
	if (err)
		fprintf(stderr, "io-copy: %s\n", error.text);
	return err;
}

/* Parse "COUNT:COMMAND". Return: whether it is valid */
static bool add_event(struct copy *c, const char *text)
{
	char *command;
	const unsigned long count = strtoul(text, &command, 10);

	if (command == text || *command != ':' || c->events == EVENTS)
		return false;
	c->event[c->events++] = (struct event){ count, command + 1 };
	return true;
}

static int run(struct copy *c, const struct source_config *config,
	       const char *to, double seconds)
{
	int err = open_all(c, config, to);

	c->end.expired = on_end;
	c->end.arg = c;
	c->end.due = seconds ? loop_now() + (uint64_t)(seconds * 1e9) :
			       LOOP_NEVER;
	loop_add_timer(c->loop, &c->end);
	for (unsigned int i = 0; !config->found && i < c->nasked && !err; i++) {
		err = source_subscribe(c->source, c->asked[i], c->kind);
		if (err)
			fprintf(stderr, "io-copy: %s: %s\n", c->asked[i],
				strerror(-err));
	}
	if (!err)
		err = loop_run(c->loop);
	source_close(c->source);
	if (c->sink)
		fprintf(stderr, "dropped %llu\n",
			(unsigned long long)sink_dropped(c->sink));
	sink_close(c->sink);
	while (c->topics)
		free(c->name[--c->topics]);
	free(c->data);
	loop_destroy(c->loop);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct copy c = { .kind = -1, .node = "ends_copy_sink" };
	struct source_config config = {
		.name = "ends_copy_source", .speed = 1, .rate = 10,
		.message = on_message, .found = on_found, .ended = on_ended,
		.log = on_log, .arg = &c,
	};
	double seconds = 0;
	int o;

	cli_program = "io-copy";
	while ((o = getopt(argc, argv, "n:t:x:r:s:lLo:k:d:N:e:")) != -1) {
		switch (o) {
		case 'n':
			c.left = atoi(optarg);
			break;
		case 't':
			seconds = atof(optarg);
			break;
		case 'x':
			config.speed = atof(optarg);
			break;
		case 'r':
			config.rate = atof(optarg);
			break;
		case 's':
			config.start = atof(optarg);
			break;
		case 'l':
			config.loop = true;
			break;
		case 'L':
			c.latched = true;
			break;
		case 'o':
			if (c.nasked < TOPICS)
				c.asked[c.nasked++] = optarg;
			break;
		case 'e':
			if (add_event(&c, optarg))
				break;
			fprintf(stderr, "io-copy: -e %s: not COUNT:COMMAND\n",
				optarg);
			return 2;
		case 'N':
			c.node = optarg;
			break;
		case 'k':
			c.kind = atoi(optarg);
			break;
		case 'd':
			c.linger = atof(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind + 2 != argc) {
		fprintf(stderr, "usage: io-copy [OPTION...] SOURCE SINK\n");
		return 2;
	}
	config.spec = argv[optind];
	if (c.events) {
		c.speed = config.speed;
		config.speed = 1e6;	/* the most there is */
	} else if (c.nasked) {
		config.found = NULL;
	}
	c.loop = loop_create();
	if (!c.loop)
		return 1;
	return run(&c, &config, argv[optind + 1], seconds);
}
