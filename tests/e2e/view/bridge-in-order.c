// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge-in-order - what a bridge does that sends all in order
 *
 * usage: bridge-in-order PORT RECORDING
 *
 * A stand-in of the tests for other bridges: it plays the recording to one
 * client of the Foxglove protocol, with a queue that never drops anything. Not
 * a copy of any of them.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>
#include "base/wire.h"
#include "ros/bag/bag.h"
#include "websocket.h"

struct item {
	STAILQ_ENTRY(item)	next;
	size_t			len;
	uint8_t			data[];
};

static STAILQ_HEAD(, item) queue = STAILQ_HEAD_INITIALIZER(queue);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct websocket ws;

static void *send_all(void *arg)
{
	(void)arg;
	for (;;) {
		struct item *i;

		pthread_mutex_lock(&lock);
		while (STAILQ_EMPTY(&queue))
			pthread_cond_wait(&more, &lock);
		i = STAILQ_FIRST(&queue);
		STAILQ_REMOVE_HEAD(&queue, next);
		pthread_mutex_unlock(&lock);
		if (websocket_send(&ws, WS_BINARY, i->data, i->len))
			exit(0);
		free(i);
	}
}

static int advertise(const struct bag_topic *topic, unsigned int topics)
{
	char text[4096] = "{\"op\":\"serverInfo\",\"name\":\"in order\","
			  "\"capabilities\":[]}";
	size_t n;

	if (websocket_send(&ws, WS_TEXT, text, strlen(text)))
		return -1;
	n = snprintf(text, sizeof(text), "{\"op\":\"advertise\",\"channels\":[");
	for (unsigned int i = 0; i < topics; i++)
		n += snprintf(text + n, sizeof(text) - n,
			      "%s{\"id\":%u,\"topic\":\"%s\",\"encoding\":"
			      "\"cdr\",\"schemaName\":\"x\",\"schema\":\"\"}",
			      i ? "," : "", i + 1, topic[i].name);
	snprintf(text + n, sizeof(text) - n, "]}");
	return websocket_send(&ws, WS_TEXT, text, strlen(text));
}

static void ignore(void *arg, int type, const uint8_t *data, size_t len)
{
	(void)arg;
	(void)type;
	(void)data;
	(void)len;
}

static void play(struct bag_reader *bag)
{
	int64_t begin, end;
	struct bag_message m;
	struct timespec at, first;

	bag_span(bag, &begin, &end);
	clock_gettime(CLOCK_MONOTONIC, &first);
	while (bag_next(bag, &m) == 1) {
		struct item *i = malloc(sizeof(*i) + 13 + m.len);
		int64_t t = first.tv_sec * 1000000000LL + first.tv_nsec +
			    m.stamp - begin;

		at = (struct timespec){ t / 1000000000, t % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		i->len = 13 + m.len;
		i->data[0] = 1;
		put_le32(i->data + 1, m.topic + 1);
		put_le64(i->data + 5, m.stamp);
		memcpy(i->data + 13, m.data, m.len);
		pthread_mutex_lock(&lock);
		STAILQ_INSERT_TAIL(&queue, i, next);
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	const struct bag_topic *topic;
	struct bag_reader *bag;
	unsigned int topics;
	pthread_t thread;

	if (argc != 3 || bag_open(&bag, argv[2])) {
		fprintf(stderr, "usage: bridge-in-order PORT RECORDING\n");
		return 2;
	}
	a.sin_port = htons(atoi(argv[1]));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 1)) {
		perror("bridge-in-order");
		return 1;
	}
	if (websocket_accept(&ws, accept(fd, NULL, NULL)))
		return 1;
	topic = bag_topics(bag, &topics);
	if (advertise(topic, topics) || websocket_read(&ws, ignore, NULL) ||
	    pthread_create(&thread, NULL, send_all, NULL))
		return 1;
	play(bag);
	sleep(60);
	return 0;
}
