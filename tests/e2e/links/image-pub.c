// SPDX-License-Identifier: GPL-2.0-only
/*
 * image-pub - plays a recording as a ROS 2 camera
 *
 * An ordinary peer: a Cyclone DDS writer of sensor_msgs/msg/Image on
 * /camera/image that knows nothing of optsample. The recording is raw frames
 * one after the other, as ffmpeg -f rawvideo writes them. One line of CSV per
 * image goes to standard output: seq,stamp_ns,sent_ns,crc,began_ns,ret: write()
 * began, took until sent_ns and returned ret, 0 or a DDS error. After an error
 * it goes on, as a robot does.
 *
 * The stamp is the time of the shutter, on an absolute schedule. A writer that
 * blocks makes later frames leave late, but none is left out and no stamp is
 * changed. Without a reader it waits (--readers) up to 30 s.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "image.h"

#define READERS_WAIT_NS	(30 * NSEC)

/* struct pub - the command line, and the recording as a map */
struct pub {
	const char *path;
	const char *encoding;
	uint32_t width, height, step;
	double rate;		/* frames per second */
	double delay;		/* seconds after the readers are there */
	double linger;		/* seconds that the writer outlives the last */
	uint32_t count;		/* frames, 0: all */
	uint32_t readers;
	int32_t depth;
	bool reliable;
	uint8_t *frames;
	uint32_t nframes;
	size_t size;		/* of one */
};

static int recording_open(struct pub *p)
{
	struct stat st;
	size_t all;
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "image-pub: %s: %s\n", p->path,
			strerror(errno));
		return -errno;
	}
	p->size = (size_t)p->step * p->height;
	all = (size_t)st.st_size / p->size;
	if (!all || (size_t)st.st_size % p->size) {
		fprintf(stderr, "image-pub: %s: not frames of %ux%u %s\n",
			p->path, p->width, p->height, p->encoding);
		return -EINVAL;
	}
	p->nframes = (uint32_t)all;
	if (!p->count)
		p->count = p->nframes;
	/* Read now: a page fault to a slow disk would be jitter later. */
	p->frames = mmap(NULL, all * p->size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	return p->frames == MAP_FAILED ? -ENOMEM : 0;
}

static void sleep_until(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NSEC, .tv_nsec = ns % NSEC };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
}

static bool wait_readers(dds_entity_t writer, uint32_t readers)
{
	dds_publication_matched_status_t st = { 0 };
	int64_t end = now_ns() + READERS_WAIT_NS;

	while (now_ns() < end) {
		dds_get_publication_matched_status(writer, &st);
		if (st.current_count >= readers)
			return true;
		sleep_until(now_ns() + NSEC / 20);
	}
	fprintf(stderr, "image-pub: no reader of " IMAGE_TOPIC "\n");
	return false;
}

static bool play(const struct pub *p, dds_entity_t writer)
{
	image_t msg = {
		.header.frame_id = (char *)"camera",
		.height = p->height,
		.width = p->width,
		.encoding = (char *)p->encoding,
		.step = p->step,
	};
	int64_t start = now_ns() + (int64_t)(p->delay * NSEC), stamp, began;
	dds_return_t ret, err = DDS_RETCODE_OK;
	uint32_t seq, crc;

	for (seq = 1; seq <= p->count; seq++) {
		stamp = start + (int64_t)((seq - 1) * NSEC / p->rate);
		sleep_until(stamp);
		msg.data._buffer = p->frames + (seq - 1) % p->nframes * p->size;
		msg.data._length = (uint32_t)p->size;
		msg.data._maximum = (uint32_t)p->size;
		crc = image_crc(&msg);
		msg.header.stamp.sec = (int32_t)(stamp / NSEC);
		msg.header.stamp.nanosec = (uint32_t)(stamp % NSEC);
		began = now_ns();
		ret = dds_write(writer, &msg);
		printf("%u,%lld,%lld,%08x,%lld,%d\n", seq, (long long)stamp,
		       (long long)now_ns(), crc, (long long)began, (int)ret);
		fflush(stdout);
		if (ret >= 0 || ret == err)
			continue;
		dds_ok("image-pub", "write", ret);	/* said once */
		err = ret;
	}
	return err >= 0;
}

static int run(struct pub *p)
{
	dds_entity_t participant;
	dds_entity_t writer = image_endpoint("image-pub", dds_create_writer,
					     p->reliable, p->depth,
					     &participant);
	bool ok;

	if (writer < 0)
		return 1;
	ok = wait_readers(writer, p->readers) && play(p, writer);
	/* A reader drops what arrives from a writer that said good-bye. */
	if (ok)
		sleep_until(now_ns() + (int64_t)(p->linger * NSEC));
	dds_delete(participant);
	return !ok;
}

static void usage(FILE *to)
{
	fputs("usage: image-pub [OPTION...] FRAMES\n"
	      "\n"
	      "Publishes raw frames on " IMAGE_TOPIC ".\n"
	      "\n"
	      "  --size WxH         of a frame (320x240)\n"
	      "  --encoding NAME    mono8 or rgb8 (mono8)\n"
	      "  --rate HZ          frames per second (10)\n"
	      "  --count N          frames to send, the recording again and again (all)\n"
	      "  --readers N        wait for so many readers (1)\n"
	      "  --delay SECONDS    then wait so long (0)\n"
	      "  --linger SECONDS   stay so long after the last frame (0)\n"
	      "  --depth N          history KEEP_LAST N (5)\n"
	      "  --reliable         instead of best effort\n", to);
}

static const struct option options[] = {
	{ "size", required_argument, NULL, 's' },
	{ "encoding", required_argument, NULL, 'e' },
	{ "rate", required_argument, NULL, 'r' },
	{ "count", required_argument, NULL, 'c' },
	{ "readers", required_argument, NULL, 'n' },
	{ "delay", required_argument, NULL, 'd' },
	{ "linger", required_argument, NULL, 'l' },
	{ "depth", required_argument, NULL, 'k' },
	{ "reliable", no_argument, NULL, 'R' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static bool option(struct pub *p, int c)
{
	char rest;

	switch (c) {
	case 's':
		return sscanf(optarg, "%ux%u%c", &p->width, &p->height,
			      &rest) == 2 && p->width && p->height &&
			p->width <= 8192 && p->height <= 8192;
	case 'e':
		p->encoding = optarg;
		return !strcmp(optarg, "mono8") || !strcmp(optarg, "rgb8");
	case 'r':
		return sscanf(optarg, "%lf%c", &p->rate, &rest) == 1 &&
			p->rate > 0;
	case 'c':
		return sscanf(optarg, "%u%c", &p->count, &rest) == 1;
	case 'n':
		return sscanf(optarg, "%u%c", &p->readers, &rest) == 1;
	case 'd':
		return sscanf(optarg, "%lf%c", &p->delay, &rest) == 1 &&
			p->delay >= 0;
	case 'l':
		return sscanf(optarg, "%lf%c", &p->linger, &rest) == 1 &&
			p->linger >= 0;
	case 'k':
		return sscanf(optarg, "%d%c", &p->depth, &rest) == 1 &&
			p->depth > 0;
	case 'R':
		p->reliable = true;
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct pub p = {
		.encoding = "mono8", .width = 320, .height = 240,
		.rate = 10, .readers = 1, .depth = 5,
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		if (option(&p, c))
			continue;
		if (c != '?')
			fprintf(stderr, "image-pub: bad value '%s' (see --help)\n",
				optarg);
		return 1;
	}
	if (optind + 1 != argc) {
		usage(stderr);
		return 1;
	}
	p.path = argv[optind];
	p.step = p.width * (strcmp(p.encoding, "rgb8") ? 1 : 3);
	if (recording_open(&p))
		return 1;
	return run(&p);
}
