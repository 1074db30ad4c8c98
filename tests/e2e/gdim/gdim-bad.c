// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdim-bad - sends gdimd invalid messages over ROS 2
 *
 * Each line of stdin is one message: TOPIC WHAT [TIMES], which is a good one
 * of that topic but for WHAT, or a call: call SERVICE WHAT. Nothing is sent
 * before the topic has a reader. The answer is a line: "sent", "failed", or
 * "yes" or "no" and what a service said.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "ros/io/ros2.h"
#include "ros/io/ros2_service.h"
#include "ros/io/ros2_type.h"
#include "ros/msg/message.h"
#include "gdim-bad.h"

enum { WRITERS = 32, PATIENCE = 60 };

static struct {
	char				name[256];
	enum message_kind		kind;
	dds_entity_t			writer;
	const struct ddsi_sertype	*type;
} writers[WRITERS];

static struct ros2 *ros;
static struct loop *loop;

static const uint64_t second = 1000000000;

/* Return: number of the writer once it has a reader, or -1 */
static int writer_of(const char *name, enum message_kind kind)
{
	dds_publication_matched_status_t st = { 0 };
	dds_qos_t *qos;
	dds_entity_t topic;
	int i = 0;

	while (i < WRITERS && *writers[i].name &&
	       (strcmp(writers[i].name, name) || writers[i].kind != kind))
		i++;
	if (i == WRITERS)
		return -1;
	if (*writers[i].name)
		return i;
	snprintf(writers[i].name, sizeof(writers[i].name), "%s", name);
	writers[i].kind = kind;
	topic = ros2_topic(ros, name, kind, &writers[i].type);
	qos = dds_create_qos();
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(60));
	/* whole maps are kept for who comes late */
	if (strstr(name, "hazard"))
		dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	writers[i].writer = dds_create_writer(ros2_participant(ros), topic,
					      qos, NULL);
	dds_delete_qos(qos);
	for (int k = 0; k < PATIENCE * 50 && !st.current_count; k++) {
		if (bad_is_unread(name, kind))
			break;
		usleep(20000);
		dds_get_publication_matched_status(writers[i].writer, &st);
	}
	return i;
}

static bool send_bytes(int w, const void *data, size_t len)
{
	struct ddsi_serdata *d = ros2_type_data(writers[w].type, len);
	size_t room;

	if (!d)
		return false;
	memcpy(ros2_type_bytes(d, &room), data, len);
	return !dds_writecdr(writers[w].writer, d);
}

static bool send_message(const char *topic, const char *what, int times)
{
	struct bad_message b;
	char full[256];
	uint8_t *data;
	bool good = true;
	long len;
	int w;

	if (!bad_make(&b, topic, what))
		return false;
	snprintf(full, sizeof(full), "/gdim/input/%s", topic);
	w = writer_of(full, b.kind);
	len = message_size(b.kind, MESSAGE_CDR, &b.m);
	data = len < 0 || w < 0 ? NULL : calloc(1, len + 8);
	if (!data)
		return false;
	message_write(b.kind, MESSAGE_CDR, &b.m, data, len);
	len = bad_spoil(what, data, len);
	while (good && times--)
		good = send_bytes(w, data, len);
	free(data);
	bad_free(&b);
	return good;
}

/*
 * Calls
 */

static void on_done(void *arg, int err, const union service_response *r)
{
	const enum service_kind kind = *(const enum service_kind *)arg;
	bool good = false;
	struct message_string m = { "", 0 };

	if (!err && kind == SERVICE_ROOM_INFORMATION) {
		good = r->room.success;
		m = r->room.message;
	} else if (!err && kind == SERVICE_SPOT_INFORMATION) {
		good = r->spot.success;
		m = r->spot.message;
	} else if (!err && kind == SERVICE_PUB_RATE) {
		good = r->pub_rate.success;
		m = r->pub_rate.message;
	} else if (!err && kind == SERVICE_SNAPSHOT) {
		good = r->snapshot.success;
		m = r->snapshot.message;
	} else if (!err) {
		good = r->logging.success;
		m = r->logging.message;
	}
	if (err)
		printf("failed: %s\n", strerror(-err));
	else
		printf("%s %.*s\n", good ? "yes" : "no", (int)m.len, m.text);
}

static void call(const char *service, const char *what)
{
	static struct ros2_client *clients[SERVICES];
	static enum service_kind kind[SERVICES];
	union service_request q;
	char name[512];
	struct error error;
	const int k = bad_request(&q, service, what);

	if (k < 0) {
		printf("failed: no such call\n");
		return;
	}
	kind[k] = k;
	snprintf(name, sizeof(name), "/gdim/output/%s", service);
	if ((!clients[k] && ros2_client_open(&clients[k], ros, loop, name, k,
					     &error)) ||
	    ros2_client_call(clients[k], &q, PATIENCE * second, on_done,
			     &kind[k]))
		printf("failed: no call\n");
}

static void obey(char *line)
{
	char topic[256], what[256];
	int times = 1;

	if (sscanf(line, "call %255s %255s", topic, what) == 2)
		call(topic, what);
	else if (sscanf(line, "%255s %255s %d", topic, what, &times) >= 2)
		puts(send_message(topic, what, times) ? "sent" : "failed");
	else
		puts("failed");
}

static void on_line(void *arg, uint32_t events)
{
	char line[512];
	size_t n = 0;

	(void)arg;
	(void)events;
	/* lines come one at a time, each after the answer to the one before */
	while (n + 1 < sizeof(line) && read(0, line + n, 1) == 1 &&
	       line[n] != '\n')
		n++;
	line[n] = 0;
	if (n)
		obey(line);
	else
		loop_stop(loop, 0);
}

int main(void)
{
	struct loop_fd in = { .ready = on_line };
	struct error error = { "" };
	int err;

	cli_program = "gdim-bad";
	setvbuf(stdout, NULL, _IOLBF, 0);
	loop = loop_create();
	err = ros2_join(&ros, NULL, "bad", &error);
	if (!err)
		err = loop_watch(loop, &in, 0, EPOLLIN);
	if (!err)
		err = loop_run(loop);
	if (err)
		cli_error(err, "%s", *error.text ? error.text : strerror(-err));
	if (ros)
		ros2_leave(ros);
	loop_destroy(loop);
	return err ? 1 : 0;
}
