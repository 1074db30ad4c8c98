// SPDX-License-Identifier: GPL-2.0-only
/*
 * client-node - a robot or an operator as a node of userspace/ros/ros1
 *
 * usage: client-node pub [-r RATE] [-q QUEUE] [-n LAST] [-s SUBSCRIBERS] [-lw]
 *		TOPIC...
 *	  client-node sub [-n LAST] [-c COUNT] [-u] [-d MS] [-m BYTES] TOPIC...
 *
 * Topics, lines and ends are those of ros1-pub and ros1-sub: KIND:NAME[:SIZE],
 * "NAME NUMBER CRC". Kinds: image (sensor_msgs/CompressedImage), text
 * (std_msgs/String). pub: -w waits for signals after LAST, silently; -l
 * latches. sub: -u by UDPROS; -d takes so long for each message; -m takes no
 * larger messages; with "any:NAME" it does not know the type.
 *
 * SIGTERM ends it in good order. stderr has the node's log, and at the end
 * "NAME: WORD NUMBER ...", the counters.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include "base/wire.h"
#include "ros/ros1/ros1.h"

enum { TOPICS = 128, MORE = 3000, FRONT = 64 };

static const struct kind {
	const char *name, *type, *md5, *definition;
} kinds[] = {
	{ "image", "sensor_msgs/CompressedImage",
	  "8f7a12909da2c9d3332d540a0977563f",
	  "Header header\nstring format\nuint8[] data\n" },
	{ "text", "std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1",
	  "string data\n" },
	{ "any", "*", "*", "" },
};

struct topic {
	struct node		*node;
	const struct kind	*kind;
	char			*name;
	size_t			size;
	uint8_t			*bytes;		/* FRONT, and @size */
	bool			past_last;
	struct ros1_sub		*sub;
	struct ros1_pub		*pub;
};

struct node {
	struct ros1	*ros;
	struct topic	topics[TOPICS];
	size_t		n;
	double		rate;
	unsigned int	queue;
	unsigned int	last;
	unsigned int	count;
	unsigned int	received;
	unsigned int	subscribers;
	unsigned int	delay_ms;
	size_t		max;
	bool		latch;
	bool		silent;
	bool		udp;
	bool		over;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_log(void *arg, int priority, const char *line)
{
	(void)arg;
	fprintf(stderr, "<%d>%s\n", priority, line);
}

static void on_shutdown(void *arg, const char *why)
{
	(void)arg;
	(void)why;
	stop = 1;
}

/* Run the node until @end, at most. */
static void run(struct node *n, double end)
{
	struct pollfd p = { .fd = ros1_fd(n->ros), .events = POLLIN };
	double left = end - now();
	int timeout = ros1_timeout(n->ros);
	struct timespec wait;

	if (left < 0)
		left = 0;
	if (timeout >= 0 && timeout * 1e-3 < left)
		left = timeout * 1e-3;
	wait.tv_sec = (time_t)left;
	wait.tv_nsec = (long)((left - (double)wait.tv_sec) * 1e9);
	ppoll(&p, 1, &wait, NULL);
	ros1_run(n->ros);
}

/*
 * Operator
 */

/* A string at *p. Return: its bytes; NULL: it does not fit */
static const uint8_t *string_at(const uint8_t **p, const uint8_t *end,
				uint32_t *len)
{
	const uint8_t *s = *p + 4;

	if (end - *p < 4 || (*len = get_le32(*p)) > (size_t)(end - s))
		return NULL;
	*p = s + *len;
	return s;
}

static void on_message(void *arg, const void *bytes, size_t len,
		       const struct ros1_publisher *from)
{
	struct topic *t = arg;
	const uint8_t *p = bytes, *end = p + len, *number, *data;
	uint32_t n = 0, size = 0;
	unsigned int i, waits = 0;
	char text[16] = "";

	if (strstr(from->type, "CompressedImage")) {
		p += 12;
		number = len < 12 ? NULL : string_at(&p, end, &n);
		data = number ? string_at(&p, end, &size) : NULL;
		data = data ? string_at(&p, end, &size) : NULL;
	} else {
		data = number = string_at(&p, end, &size);
		n = size;
	}
	if (!data || p != end) {
		fprintf(stderr, "%s: broken message\n", t->name);
		exit(1);
	}
	memcpy(text, number, n < sizeof(text) ? n : sizeof(text) - 1);
	i = (unsigned int)strtoul(text, NULL, 10);
	printf("%s %u %08x\n", t->name, i,
	       (unsigned int)crc32(0, data, size));
	fflush(stdout);
	t->past_last |= i > t->node->last;
	for (i = 0; i < t->node->n; i++)
		waits += !t->node->topics[i].past_last;
	if (!waits || ++t->node->received == t->node->count)
		t->node->over = true;
	if (t->node->delay_ms)
		usleep(t->node->delay_ms * 1000);
}

static int subscribe(struct node *n)
{
	struct topic *t;
	int err = 0;

	for (t = n->topics; t < n->topics + n->n && !err; t++)
		err = ros1_subscribe(n->ros, t->name, t->kind->type,
				     t->kind->md5, n->udp ? ROS1_UDP : ROS1_TCP,
				     on_message, t, &t->sub);
	while (!err && !stop && !n->over)
		run(n, now() + 1);
	return err;
}

/*
 * Robot
 */

static uint8_t *put_string(uint8_t *p, const char *text)
{
	put_le32(p, (uint32_t)strlen(text));
	memcpy(p + 4, text, strlen(text));
	return p + 4 + strlen(text);
}

/* Message @number of a topic: its front is written in front of its bytes */
static void publish_one(struct topic *t, unsigned int number)
{
	uint8_t front[FRONT] = { 0 }, *p = front, *from;
	char text[16];
	size_t n;

	if (t->kind == kinds) {
		snprintf(text, sizeof(text), "%u", number);
		p = put_string(p + 12, text);
		p = put_string(p, "jpeg");
		put_le32(p, (uint32_t)t->size);
		p += 4;
	} else {
		snprintf(text, sizeof(text), "%u ", number);
		p = put_string(p, text);
		put_le32(front, (uint32_t)(p - front - 4 + t->size));
	}
	n = (size_t)(p - front);
	from = t->bytes + FRONT - n;
	memcpy(from, front, n);
	if (ros1_publish(t->pub, from, n + t->size))
		fprintf(stderr, "%s: not published\n", t->name);
	if (t->kind != kinds)
		from += 4;
	else
		from += n;
	n = (size_t)(t->bytes + FRONT + t->size - from);
	if (number <= t->node->last)
		printf("%s %u %08x\n", t->name, number,
		       (unsigned int)crc32(0, from, (uInt)n));
}

/* Return: the topic with the fewest has so many */
static unsigned int subscribers(const struct node *n)
{
	unsigned int least = ~0U;
	struct ros1_pub_stats s;
	size_t i;

	for (i = 0; i < n->n; i++) {
		ros1_pub_stats(n->topics[i].pub, &s);
		if (s.subscribers < least)
			least = s.subscribers;
	}
	return least;
}

static int publish(struct node *n)
{
	unsigned int number;
	struct topic *t;
	double at;
	int err;

	for (t = n->topics; t < n->topics + n->n; t++) {
		err = ros1_advertise(n->ros, t->name, t->kind->type,
				     t->kind->md5, t->kind->definition,
				     n->latch, n->queue, &t->pub);
		if (err)
			return err;
	}
	while (!stop && subscribers(n) < n->subscribers)
		run(n, now() + 1);
	at = now();
	for (number = 1; number <= n->last + MORE && !stop; number++) {
		if (number > n->last && !subscribers(n))
			return 0;
		for (t = n->topics; t < n->topics + n->n; t++)
			publish_one(t, number);
		fflush(stdout);
		while (n->silent && number == n->last && !stop)
			run(n, now() + 1);
		at += 1 / n->rate;
		do
			run(n, at);
		while (now() < at);
	}
	return stop ? 0 : -ETIMEDOUT;
}

/*
 * Command line
 */

static bool topic_parse(struct node *n, char *text)
{
	struct topic *t = &n->topics[n->n++];
	char *kind = strtok(text, ":"), *name = strtok(NULL, ":"), *size;
	size_t i;

	size = name ? strtok(NULL, ":") : NULL;
	for (i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, kind))
			t->kind = &kinds[i];
	if (!t->kind || n->n == TOPICS)
		return false;
	t->node = n;
	t->name = name;
	t->size = size ? strtoul(size, NULL, 10) : 0;
	t->bytes = malloc(FRONT + t->size);
	for (i = 0; i < t->size; i++)
		t->bytes[FRONT + i] = (uint8_t)(i * 2654435761U >> 24);
	return true;
}

static bool options(struct node *n, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "r:q:n:c:s:d:m:lwu")) != -1) {
		switch (c) {
		case 'r': n->rate = atof(optarg); break;
		case 'q': n->queue = (unsigned int)atoi(optarg); break;
		case 'n': n->last = (unsigned int)atoi(optarg); break;
		case 'c': n->count = (unsigned int)atoi(optarg); break;
		case 's': n->subscribers = (unsigned int)atoi(optarg); break;
		case 'd': n->delay_ms = (unsigned int)atoi(optarg); break;
		case 'm': n->max = strtoul(optarg, NULL, 10); break;
		case 'l': n->latch = true; break;
		case 'w': n->silent = true; break;
		case 'u': n->udp = true; break;
		default: return false;
		}
	}
	for (; optind < argc; optind++)
		if (!topic_parse(n, argv[optind]))
			return false;
	return n->n;
}

static void print_stats(const struct node *n)
{
	struct ros1_pub_stats p;
	struct ros1_sub_stats s;
	const struct topic *t;

	for (t = n->topics; t < n->topics + n->n; t++) {
		if (t->pub) {
			ros1_pub_stats(t->pub, &p);
			fprintf(stderr, "%s: messages %lu refused %lu dropped "
				"%lu\n", t->name, p.messages, p.refused,
				p.dropped);
		} else if (t->sub) {
			ros1_sub_stats(t->sub, &s);
			fprintf(stderr, "%s: messages %lu refused %lu "
				"incomplete %lu missing %lu\n", t->name,
				s.messages, s.refused, s.incomplete,
				s.missing);
		}
	}
}

int main(int argc, char **argv)
{
	static struct node n = { .rate = 20, .queue = 20, .last = ~0U,
				 .subscribers = 1 };
	struct ros1_config config = { .log = on_log, .shutdown = on_shutdown };
	bool pub = argc > 1 && !strcmp(argv[1], "pub");
	struct sigaction act = { .sa_handler = on_signal };
	int err;

	if (argc < 2 || !options(&n, argc - 1, argv + 1)) {
		fprintf(stderr, "usage: client-node pub|sub [options] TOPIC...\n");
		return 2;
	}
	sigaction(SIGTERM, &act, NULL);
	config.node = pub ? "/c_robot" : "/c_operator";
	if (getenv("CLIENT_NAME"))
		config.node = getenv("CLIENT_NAME");
	config.message_max = n.max;
	err = ros1_create(&n.ros, &config);
	if (!err)
		err = pub ? publish(&n) : subscribe(&n);
	if (err)
		fprintf(stderr, "client-node: %s\n", strerror(-err));
	print_stats(&n);
	ros1_destroy(n.ros);
	for (size_t i = 0; i < n.n; i++)
		free(n.topics[i].bytes);
	return err ? 1 : 0;
}
