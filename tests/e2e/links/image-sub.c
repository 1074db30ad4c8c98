// SPDX-License-Identifier: GPL-2.0-only
/*
 * image-sub - the operator's end: logs every sensor_msgs/msg/Image received
 *
 * An ordinary Cyclone DDS reader of /camera/image. One line of CSV per image
 * goes to standard output: stamp_ns,received_ns,bytes,crc. The stamp is the
 * camera's, so it names the image; whether the checksum is that of the image
 * sent is found by comparing both logs. With --store the images are kept
 * as STAMP.pgm or .ppm, which is the message's data behind a short header.
 *
 * Ends by SIGTERM or SIGINT, or --seconds after its start.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>

#include "image.h"

enum { TAKE_MAX = 32 };

static volatile sig_atomic_t ending;

static void on_signal(int sig)
{
	(void)sig;
	ending = 1;
}

static bool store(const char *dir, const image_t *msg, int64_t stamp)
{
	bool rgb = !strcmp(msg->encoding, "rgb8");
	char path[4096];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%lld.%s", dir, (long long)stamp,
		 rgb ? "ppm" : "pgm");
	f = fopen(path, "w");
	if (!f) {
		fprintf(stderr, "image-sub: %s: %s\n", path, strerror(errno));
		return false;
	}
	fprintf(f, "P%d\n%u %u\n255\n", rgb ? 6 : 5, msg->width, msg->height);
	ok = fwrite(msg->data._buffer, 1, msg->data._length, f) ==
		msg->data._length;
	return !fclose(f) && ok;
}

static bool take(dds_entity_t reader, const char *dir)
{
	void *samples[TAKE_MAX] = { NULL };
	dds_sample_info_t info[TAKE_MAX];
	const image_t *msg;
	int64_t stamp;
	dds_return_t n;
	int i;

	n = dds_take(reader, samples, info, TAKE_MAX, TAKE_MAX);
	if (!dds_ok("image-sub", "take", n))
		return false;
	for (i = 0; i < n; i++) {
		if (!info[i].valid_data)
			continue;
		msg = samples[i];
		stamp = msg->header.stamp.sec * NSEC +
			msg->header.stamp.nanosec;
		printf("%lld,%lld,%u,%08x\n", (long long)stamp,
		       (long long)now_ns(), msg->data._length,
		       image_crc(msg));
		fflush(stdout);
		if (dir && !store(dir, msg, stamp))
			dir = NULL;	/* said once */
	}
	if (n > 0)
		dds_return_loan(reader, samples, n);
	return true;
}

static int run(const char *dir, double seconds, bool reliable, int32_t depth)
{
	int64_t end = now_ns() + (int64_t)(seconds * NSEC);
	dds_entity_t participant, reader, set;
	dds_attach_t which;
	bool ok = true;

	reader = image_endpoint("image-sub", dds_create_reader, reliable,
				depth, &participant);
	if (reader < 0)
		return 1;
	set = dds_create_waitset(participant);
	dds_waitset_attach(set, dds_create_readcondition(reader, DDS_ANY_STATE),
			   0);
	while (ok && !ending && (!seconds || now_ns() < end)) {
		dds_waitset_wait(set, &which, 1, DDS_MSECS(200));
		ok = take(reader, dir);
	}
	dds_delete(participant);
	return !ok;
}

static void usage(FILE *to)
{
	fputs("usage: image-sub [--store DIR] [--seconds S] [--depth N] "
	      "[--reliable]\n"
	      "\n"
	      "Logs the images on " IMAGE_TOPIC " as CSV.\n", to);
}

static const struct option options[] = {
	{ "store", required_argument, NULL, 's' },
	{ "seconds", required_argument, NULL, 't' },
	{ "depth", required_argument, NULL, 'k' },
	{ "reliable", no_argument, NULL, 'R' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	const char *dir = NULL;
	bool reliable = false, ok = true;
	double seconds = 0;
	int32_t depth = 100;
	char rest;
	int c;

	while (ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			dir = optarg;
			break;
		case 't':
			ok = sscanf(optarg, "%lf%c", &seconds, &rest) == 1 &&
				seconds > 0;
			break;
		case 'k':
			ok = sscanf(optarg, "%d%c", &depth, &rest) == 1 &&
				depth > 0;
			break;
		case 'R':
			reliable = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return 1;
		}
	}
	if (!ok || optind != argc) {
		usage(stderr);
		return 1;
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	return run(dir, seconds, reliable, depth);
}
