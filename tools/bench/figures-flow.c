// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-flow - what TCP and UDP carry from one network namespace to another
 *
 *	figures-flow tcp|udp FROM TO ADDRESS SECONDS [MBIT]
 *
 * Sends from namespace FROM to ADDRESS in namespace TO and prints Mbit/s of
 * payload that arrived there within SECONDS. TCP: as fast as it goes, with the
 * kernel's congestion control, the time of the handshake included; UDP: MBIT
 * (20), in datagrams of 1448 bytes.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include "figures_netns.h"

enum { PORT = 5463, PAYLOAD = 1448, CHUNK = 65536, ROOM = 4 << 20 };

/**
 * struct flow - the two ends
 * @listening: of TCP, until @in is there
 * @sent, @received: bytes
 */
struct flow {
	int		out, in, listening;
	bool		tcp;
	double		bytes_a_ns;
	int64_t		begin, end;
	uint64_t	sent, received;
};

static uint8_t buffer[CHUNK];

static bool flow_open(struct flow *f, char **arg)
{
	int type = f->tcp ? SOCK_STREAM : SOCK_DGRAM, room = ROOM;
	struct sockaddr_in to;

	if (!figures_address(&to, arg[2], PORT))
		return false;
	f->in = figures_socket(arg[1], type);
	if (f->in < 0 || bind(f->in, (struct sockaddr *)&to, sizeof(to)) ||
	    (f->tcp && listen(f->in, 1)))
		goto err;
	if (f->tcp) {
		f->listening = f->in;
		f->in = -1;
	} else {
		setsockopt(f->in, SOL_SOCKET, SO_RCVBUFFORCE, &room,
			   sizeof(room));
	}
	f->out = figures_socket(arg[0], type);
	if (f->out < 0)
		return false;
	f->begin = figures_now(CLOCK_MONOTONIC);
	if (!connect(f->out, (struct sockaddr *)&to, sizeof(to)) ||
	    errno == EINPROGRESS)
		return true;
err:
	fprintf(stderr, "figures-flow: %s: %s\n", arg[2], strerror(errno));
	return false;
}

static void flow_receive(struct flow *f)
{
	ssize_t n;

	if (f->in < 0)
		f->in = accept(f->listening, NULL, NULL);
	while (f->in >= 0 &&
	       (n = recv(f->in, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0)
		f->received += n;
}

/* UDP: what is due by now. Return: ms until the next */
static int flow_pace(struct flow *f, int64_t now)
{
	uint64_t due = (uint64_t)((double)(now - f->begin) * f->bytes_a_ns);

	for (; f->sent < due; f->sent += PAYLOAD)
		if (send(f->out, buffer, PAYLOAD, MSG_DONTWAIT) < 0)
			break;
	return 2;
}

static int flow_send(struct flow *f, int64_t now)
{
	ssize_t n;

	if (!f->tcp)
		return flow_pace(f, now);
	while ((n = send(f->out, buffer, sizeof(buffer),
			 MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
		f->sent += n;
	return 20;
}

static void flow_run(struct flow *f)
{
	struct pollfd fd[2] = { { .events = POLLIN } };
	int64_t now = f->begin;
	int wait = 0;

	while (now < f->end) {
		fd[0].fd = f->in < 0 ? f->listening : f->in;
		fd[1].fd = f->out;
		fd[1].events = f->tcp ? POLLOUT : 0;
		poll(fd, 2, wait);
		if (fd[0].revents)
			flow_receive(f);
		now = figures_now(CLOCK_MONOTONIC);
		wait = flow_send(f, now);
	}
}

int main(int argc, char **argv)
{
	struct flow f = { .in = -1, .out = -1, .listening = -1 };
	double seconds, mbit = 20;
	bool ok = argc == 6 || argc == 7;

	if (ok) {
		f.tcp = !strcmp(argv[1], "tcp");
		seconds = atof(argv[5]);
		mbit = argc == 7 ? atof(argv[6]) : mbit;
		ok = (f.tcp || !strcmp(argv[1], "udp")) && seconds > 0 &&
			seconds < 1e4 && mbit > 0 && mbit < 1e5;
	}
	if (!ok) {
		fputs("usage: figures-flow tcp|udp FROM TO ADDRESS SECONDS "
		      "[MBIT]\n", stderr);
		return 2;
	}
	f.bytes_a_ns = mbit / 8000;
	if (!flow_open(&f, argv + 2))
		return 1;
	f.end = f.begin + (int64_t)(seconds * 1e9);
	flow_run(&f);
	printf("%.3f\n", (double)f.received * 8e-6 / seconds);
	return 0;
}
