// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_rawlog - hostile logs of MRPT
 *
 * A good frame first, by which the format is known; then bytes, of which those
 * from WORDS on stand for whole objects. It is read twice, and is the same both
 * times.
 */
#include <stdlib.h>
#include "memory_file.h"
#include "readings_sum.h"
#include "../unit/laser/rawlog_write.h"

enum { WORDS = 0xf0 };

static struct rawlog_text t;

static void put_frame(uint8_t version)
{
	rawlog_list(&t, "CSensoryFrame", version % 3, 1);
	rawlog_scan_of(&t, "LASER", version, 116444736000000000ULL + version, 1);
	rawlog_end_of(&t);
}

static void put_word(uint8_t word)
{
	switch (word % 8) {
	case 0:
		put_frame(6);
		break;
	case 1:
		put_frame(2);
		break;
	case 2:
		rawlog_list(&t, "CActionCollection", 0, 1);
		break;
	case 3:
		rawlog_action(&t, 6, 0.5, 0.1);
		break;
	case 4:
		rawlog_odometry_of(&t, 2, 116444736000000000ULL + t.len, 1);
		break;
	case 5:
		rawlog_scan_of(&t, "", 8, 116444736000000000ULL + t.len, 1);
		break;
	case 6:
		rawlog_comment(&t, "text");
		break;
	default:
		rawlog_end_of(&t);
	}
}

/* Return: a sum over all readings */
static uint64_t read_all(const char *path)
{
	struct error error = { "" };
	struct readings *log;
	uint64_t sum, n;
	int ret = readings_open(&log, path, NULL, &error);

	/* the first frame is good */
	if (ret)
		abort();
	sum = readings_sum(log, &n, &ret, &error);
	if (!n || (ret < 0 && !*error.text))
		abort();
	readings_close(log);
	return sum * 31 + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;

	t.len = 0;
	put_frame(6);
	for (size_t i = 0; i < size && t.len < RAWLOG_MOST - 1024; i++) {
		if (data[i] >= WORDS)
			put_word(data[i]);
		else
			rawlog_bytes(&t, data + i, 1);
	}
	path = memory_file(t.data, t.len);
	if (read_all(path) != read_all(path))
		abort();
	return 0;
}
