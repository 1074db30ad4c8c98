// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-blob - pictures in fragments, whole or nothing, with parity or
 * without
 *
 *	figures-blob FROM TO ADDRESS PARITY HZ FILE...
 *
 * Sends the files in turn, HZ a second, from namespace FROM to ADDRESS in
 * namespace TO, as blobs (userspace/codec/core/blob.h) with PARITY rows for
 * each row of data, the datagrams spread over half the time to the next. For
 * each frame a line "sent NUMBER NS DATAGRAMS", and when enough of it came
 * "shown NUMBER NS"; numbers from 1, times of the real-time clock. Ends by
 * SIGTERM.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include "codec/core/blob.h"
#include "figures_netns.h"

enum { PORT = 5464, ROWS = 4096, ROOM = 4 << 20, PREFIX = 4 };

struct file {
	uint8_t	*data;
	size_t	len;
};

/**
 * struct pair - sender and receiver
 * @number: of the frame that is sent now; @next: its datagram to go next
 * @coming: of the frame that is received; @shown: it was whole
 */
struct pair {
	int			out, in;
	double			parity, hz;
	struct file		*files;
	unsigned int		nfiles;
	struct blob_encoder	*encoder;
	struct blob_decoder	*decoder;
	struct payloads		payloads;
	uint32_t		number, coming;
	unsigned int		next;
	bool			shown;
	int64_t			begin, due;
};

static volatile sig_atomic_t ending;

static void on_signal(int sig)
{
	(void)sig;
	ending = 1;
}

static bool file_load(struct file *f, const char *path)
{
	FILE *in = fopen(path, "r");
	long len = -1;

	if (in && !fseek(in, 0, SEEK_END) && (len = ftell(in)) > 0) {
		rewind(in);
		f->data = malloc(len);
		if (f->data)
			f->len = fread(f->data, 1, len, in);
	}
	if (len <= 0 || f->len != (size_t)len)
		fprintf(stderr, "figures-blob: %s: cannot be read\n", path);
	if (in)
		fclose(in);
	return len > 0 && f->len == (size_t)len;
}

static bool frame_begin(struct pair *p)
{
	const struct file *f = &p->files[p->number++ % p->nfiles];
	int ret = blob_encode(p->encoder, f->data, f->len, p->parity,
			      &p->payloads);

	if (ret) {
		fprintf(stderr, "figures-blob: %zu bytes: %s\n", f->len,
			strerror(-ret));
		return false;
	}
	p->next = 0;
	printf("sent %u %lld %u\n", p->number,
	       (long long)figures_now(CLOCK_REALTIME), p->payloads.count);
	return true;
}

static void datagram_send(struct pair *p)
{
	uint8_t buffer[PREFIX + PAYLOAD_MAX];

	memcpy(buffer, &p->number, PREFIX);
	memcpy(buffer + PREFIX, payload_at(&p->payloads, p->next),
	       p->payloads.len[p->next]);
	send(p->out, buffer, PREFIX + p->payloads.len[p->next], 0);
	p->next++;
}

/* Return: false: it cannot go on */
static bool pair_send(struct pair *p, int64_t now)
{
	double gap = 1e9 / p->hz;

	if (now < p->due)
		return true;
	if (p->next == p->payloads.count && !frame_begin(p))
		return false;
	datagram_send(p);
	p->due = p->begin + (int64_t)((p->number - 1 +
		.5 * p->next / p->payloads.count) * gap);
	if (p->next == p->payloads.count)
		p->due = p->begin + (int64_t)(p->number * gap);
	return true;
}

static void pair_receive(struct pair *p)
{
	uint8_t buffer[2048];
	const uint8_t *data;
	uint32_t number;
	ssize_t n;

	while ((n = recv(p->in, buffer, sizeof(buffer), 0)) > PREFIX) {
		memcpy(&number, buffer, PREFIX);
		if (number < p->coming)
			continue;
		if (number > p->coming) {
			p->coming = number;
			p->shown = false;
			blob_begin(p->decoder);
		}
		if (p->shown || blob_add(p->decoder, buffer + PREFIX,
					 n - PREFIX) ||
		    blob_finish(p->decoder, &data) <= 0)
			continue;
		p->shown = true;
		printf("shown %u %lld\n", number,
		       (long long)figures_now(CLOCK_REALTIME));
	}
}

static bool pair_open(struct pair *p, char **arg)
{
	struct sockaddr_in to;
	int room = ROOM;

	if (!figures_address(&to, arg[2], PORT))
		return false;
	p->in = figures_socket(arg[1], SOCK_DGRAM);
	p->out = p->in < 0 ? -1 : figures_socket(arg[0], SOCK_DGRAM);
	if (p->out < 0)
		return false;
	setsockopt(p->in, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	if (bind(p->in, (struct sockaddr *)&to, sizeof(to)) ||
	    connect(p->out, (struct sockaddr *)&to, sizeof(to))) {
		fprintf(stderr, "figures-blob: %s: %s\n", arg[2], strerror(errno));
		return false;
	}
	p->encoder = blob_encoder_create();
	p->decoder = blob_decoder_create(BLOB_MAX);
	return p->encoder && p->decoder &&
		!payloads_create(&p->payloads, ROWS);
}

static void pair_run(struct pair *p)
{
	struct pollfd fd = { .fd = p->in, .events = POLLIN };
	struct timespec wait = { 0 };
	int64_t left;

	p->begin = p->due = figures_now(CLOCK_MONOTONIC);
	while (!ending && pair_send(p, figures_now(CLOCK_MONOTONIC))) {
		left = p->due - figures_now(CLOCK_MONOTONIC);
		wait.tv_nsec = left < 0 ? 0 : left % 1000000000;
		wait.tv_sec = left < 0 ? 0 : left / 1000000000;
		ppoll(&fd, 1, &wait, NULL);
		pair_receive(p);
		fflush(stdout);
	}
}

static void pair_close(struct pair *p)
{
	for (unsigned int i = 0; i < p->nfiles; i++)
		free(p->files[i].data);
	free(p->files);
	blob_encoder_destroy(p->encoder);
	blob_decoder_destroy(p->decoder);
	payloads_destroy(&p->payloads);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct pair p = { .in = -1, .out = -1 };
	bool ok = argc > 6;

	if (ok) {
		p.parity = atof(argv[4]);
		p.hz = atof(argv[5]);
		ok = p.parity >= 0 && p.parity <= 31 && p.hz > 0 && p.hz < 1e3;
	}
	if (!ok) {
		fputs("usage: figures-blob FROM TO ADDRESS PARITY HZ FILE...\n",
		      stderr);
		return 2;
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	p.nfiles = argc - 6;
	p.files = calloc(p.nfiles, sizeof(*p.files));
	for (unsigned int i = 0; ok && i < p.nfiles; i++)
		ok = p.files && file_load(&p.files[i], argv[6 + i]);
	ok = ok && pair_open(&p, argv + 1);
	if (ok)
		pair_run(&p);
	pair_close(&p);
	return !ok || !ending;
}
