// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove-watch - a client of the Foxglove protocol that says what it gets
 *
 * usage: foxglove-watch HOST PORT SECONDS [--path PATH] [--clients N]
 *			[--stop-after S [--stuck N]] [--states N]
 *
 * Subscribes to all channels. For each message a line:
 *	MS TOPIC COUNT AGE BYTES
 * MS since the start, COUNT as view-bag wrote it, and AGE in ms: how much later
 * it came after its stamp than the earliest message. With --clients there are N
 * connections, and only the first one's messages are printed; at the end one
 * line "clients MIN MAX" says how many messages they got. With --stop-after all
 * but the first one stop to read after S seconds, or with --stuck the last N.
 * With --states it ends when all others have N messages of /state, and prints
 * "states MIN MISSING": of all of them, the fewest, and how many were left out
 * or came in another order.
 */
#include <cjson/cJSON.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/wire.h"
#include "ros/msg/message.h"
#include "websocket.h"

enum { CHANNELS = 600, CLIENTS = 256, NAME = 64 };

struct client {
	struct websocket	ws;
	unsigned int		number;
	char			topic[CHANNELS][NAME];
	uint64_t		messages;
	unsigned int		states, missing, next;
	bool			gone;
};

static struct client *client;
static int64_t start, fastest = INT64_MAX;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void subscribe(struct client *c, const cJSON *o)
{
	cJSON *out = cJSON_CreateObject(), *list;
	const cJSON *one;
	char *text;

	cJSON_AddStringToObject(out, "op", "subscribe");
	list = cJSON_AddArrayToObject(out, "subscriptions");
	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "channels")) {
		const int id = cJSON_GetObjectItem(one, "id")->valueint;
		cJSON *sub = cJSON_CreateObject();

		if (id >= CHANNELS)
			continue;
		snprintf(c->topic[id], NAME, "%s",
			 cJSON_GetObjectItem(one, "topic")->valuestring);
		cJSON_AddNumberToObject(sub, "id", id);
		cJSON_AddNumberToObject(sub, "channelId", id);
		cJSON_AddItemToArray(list, sub);
	}
	text = cJSON_PrintUnformatted(out);
	websocket_send(&c->ws, WS_TEXT, text, strlen(text));
	cJSON_free(text);
	cJSON_Delete(out);
}

static void on_text(struct client *c, const uint8_t *data, size_t len)
{
	cJSON *o = cJSON_ParseWithLength((const char *)data, len);
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItem(o, "op"));

	if (op && !strcmp(op, "advertise"))
		subscribe(c, o);
	else if (op && !strcmp(op, "status") && !c->number)
		printf("# %.*s\n", (int)len, data);
	cJSON_Delete(o);
}

static void take(struct client *c, uint32_t id, const uint8_t *data, size_t len)
{
	const char *topic = c->topic[id];
	const bool state = !strncmp(topic, "/state", 6);
	const int64_t now = now_ns();
	static union message m;
	int64_t late;

	if (!state && (c->number || strncmp(topic, "/image", 6)))
		return;
	if (message_read(state ? MESSAGE_ODOMETRY : MESSAGE_COMPRESSED_IMAGE,
			 MESSAGE_CDR, data, len, &m))
		return;
	if (state) {
		const unsigned int n = m.odometry.pose.position[0];

		c->missing += c->states && n != c->next;
		c->next = n + 1;
		c->states++;
	}
	if (c->number)
		return;
	late = now - (state ? m.odometry.header.stamp :
		      m.compressed.header.stamp);
	if (late < fastest)
		fastest = late;
	printf("%lld %s %u %lld %zu\n", (long long)(now - start) / 1000000,
	       topic, state ? (unsigned int)m.odometry.pose.position[0] :
	       get_le32(m.compressed.data.data),
	       (long long)(late - fastest) / 1000000, len);
	fflush(stdout);
}

static void on_message(void *arg, int type, const uint8_t *data, size_t len)
{
	struct client *c = arg;

	if (type == WS_TEXT) {
		on_text(c, data, len);
		return;
	}
	if (len < 13 || data[0] != 1 || get_le32(data + 1) >= CHANNELS)
		return;
	c->messages++;
	take(c, get_le32(data + 1), data + 13, len - 13);
}

/* All that read have so many states */
static bool have_states(unsigned int clients, unsigned int states)
{
	for (unsigned int i = 0; i < clients; i++)
		if (client[i].states < states)
			return false;
	return true;
}

/* From client @stuck on they stop to read after @stop seconds */
static void run(unsigned int clients, double seconds, double stop,
		unsigned int stuck, unsigned int states)
{
	static struct pollfd fds[CLIENTS];

	while (now_ns() - start < seconds * 1e9 &&
	       !(states && have_states(stuck, states))) {
		const bool stopped = stop > 0 && now_ns() - start > stop * 1e9;

		for (unsigned int i = 0; i < clients; i++) {
			fds[i].fd = client[i].gone || (stopped && i >= stuck) ? -1 :
				    client[i].ws.fd;
			fds[i].events = POLLIN;
		}
		if (poll(fds, clients, 100) <= 0)
			continue;
		for (unsigned int i = 0; i < clients; i++)
			if (fds[i].fd >= 0 && fds[i].revents &&
			    websocket_read(&client[i].ws, on_message,
					   &client[i])) {
				client[i].gone = true;
				if (!i)
					return;
			}
	}
}

int main(int argc, char **argv)
{
	unsigned int clients = 1, stuck = 0, states = 0, least = UINT32_MAX;
	unsigned int missing = 0;
	uint64_t min = UINT64_MAX, max = 0;
	const char *path = "/";
	double stop = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: foxglove-watch HOST PORT SECONDS "
			"[--path PATH] [--clients N] [--stop-after S "
			"[--stuck N]] [--states N]\n");
		return 2;
	}
	for (int i = 4; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--clients"))
			clients = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--path"))
			path = argv[i + 1];
		else if (!strcmp(argv[i], "--stuck"))
			stuck = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--states"))
			states = atoi(argv[i + 1]);
		else
			stop = atof(argv[i + 1]);
	}
	if (clients < 1 || clients > CLIENTS || stuck >= clients)
		return 2;
	stuck = stuck ? clients - stuck : stop > 0 ? 1 : clients;
	client = calloc(clients, sizeof(*client));
	start = now_ns();
	for (unsigned int i = 0; client && i < clients; i++) {
		client[i].number = i;
		if (websocket_connect(&client[i].ws, argv[1], argv[2], path,
				      "foxglove.websocket.v1"))
			return 1;
	}
	run(clients, atof(argv[3]), stop, stuck, states);
	for (unsigned int i = 0; i < stuck; i++) {
		if (client[i].states < least)
			least = client[i].states;
		missing += client[i].missing;
	}
	if (states)
		printf("states %u %u\n", least, missing);
	for (unsigned int i = 1; i < clients; i++) {
		if (client[i].messages < min)
			min = client[i].messages;
		if (client[i].messages > max)
			max = client[i].messages;
	}
	if (clients > 1)
		printf("clients %llu %llu\n", (unsigned long long)min,
		       (unsigned long long)max);
	printf("end %s\n", client[0].gone ? "closed" : "time");
	return 0;
}
