// SPDX-License-Identifier: GPL-2.0-only
/*
 * submap-writer-message - options of both writers, and messages as bytes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "ros/msg/message.h"
#include "submap-writer.h"

int submap_writer_options(struct submap_writer *w, int argc, char **argv)
{
	int c;

	*w = (struct submap_writer){ .number = 97, .side = 100,
				     .bytes = 65500 };
	while ((c = getopt(argc, argv, "btwn:s:i:m:k:")) != -1)
		switch (c) {
		case 'b': w->best_effort = true; break;
		case 't': w->transient = true; break;
		case 'w': w->midway = true; break;
		case 'n': w->number = atoi(optarg); break;
		case 's': w->side = atoi(optarg); break;
		case 'i': w->hz = atof(optarg); break;
		case 'm': w->bytes = atoi(optarg); break;
		case 'k': w->stay = atoi(optarg); w->at_once = true; break;
		default: return 2;
		}
	return optind == argc ? 0 : 2;
}

unsigned int submap_writer_readers(const struct submap_writer *w)
{
	return w->best_effort ? 1 : w->transient ? 3 : 2;
}

bool submap_writer_next(struct submap_writer *w, unsigned int readers)
{
	if (w->midway && readers < submap_writer_readers(w))
		return true;
	if (!w->number)
		return false;
	w->number--;
	return true;
}

static const uint8_t *cells_of(const struct submap_writer *w, unsigned int i)
{
	static uint8_t *cells;
	const size_t n = (size_t)w->side * w->side;

	if (!cells)
		cells = malloc(n);
	if (!cells)
		abort();
	memset(cells, 5 + i % 40, n);
	memset(cells, 100, w->side);
	return cells;
}

static void make(const struct submap_writer *w, unsigned int i,
		 union message *m)
{
	static char frame[32];
	static int64_t began;
	struct timespec now;

	if (!began) {
		clock_gettime(CLOCK_REALTIME, &now);
		began = now.tv_sec * 1000000000LL;
	}
	snprintf(frame, sizeof(frame), "submap_%u", i);
	*m = (union message){ .map = {
		.header = { began + i, 0, message_string(frame) },
		.resolution = 0.05, .width = w->side, .height = w->side,
		.origin = { { 0, 0, 0 }, { 0, 0, 0, 1 } },
		.data = { cells_of(w, i), w->side * w->side },
	} };
}

size_t submap_writer_size(const struct submap_writer *w, unsigned int i)
{
	static union message m;

	make(w, i, &m);
	return message_size(MESSAGE_OCCUPANCY_GRID, MESSAGE_CDR, &m);
}

void submap_writer_message(const struct submap_writer *w, unsigned int i,
			   uint8_t *to)
{
	static union message m;

	make(w, i, &m);
	message_write(MESSAGE_OCCUPANCY_GRID, MESSAGE_CDR, &m, to,
		      message_size(MESSAGE_OCCUPANCY_GRID, MESSAGE_CDR, &m));
}

void submap_writer_pause(const struct submap_writer *w)
{
	if (w->hz > 0)
		usleep(1e6 / w->hz);
}
