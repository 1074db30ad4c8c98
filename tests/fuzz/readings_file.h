/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings_file.h - a fuzzer's bytes as a log that is text
 *
 * A good line first, by which the format is known; then the bytes, of which
 * those from WORDS on are words of the format: so there is something to find
 * in what is made up. It is read twice, and is the same both times.
 */
#ifndef FUZZ_READINGS_FILE_H
#define FUZZ_READINGS_FILE_H

#include <stdlib.h>
#include <string.h>
#include "memory_file.h"
#include "readings_sum.h"

enum { WORDS = 0xc0, TEXT_MAX = 1 << 21 };

/* The text of it. Return: how long that is */
static size_t make_text(char *text, const char *first,
			const char *const *words, unsigned int count,
			const uint8_t *data, size_t size)
{
	size_t n = strlen(first);

	memcpy(text, first, n);
	for (size_t i = 0; i < size; i++) {
		const char *word = words[(data[i] - WORDS) % count];
		const size_t len = data[i] < WORDS ? 1 : strlen(word);

		if (n + len > TEXT_MAX)
			break;
		memcpy(text + n, data[i] < WORDS ? (const char *)&data[i] :
						   word, len);
		n += len;
	}
	return n;
}

/* Return: a sum over all readings */
static uint64_t read_all(const char *path, size_t size)
{
	struct error error = { "" };
	struct readings_count count;
	struct readings *log;
	uint64_t sum, n;
	int ret = readings_open(&log, path, NULL, &error);

	/* the first line is good */
	if (ret)
		abort();
	sum = readings_sum(log, &n, &ret, &error);
	readings_count(log, &count);
	if (ret || !n || count.bytes != size || count.size != size ||
	    count.backwards >= n || count.bad > size)
		abort();
	readings_close(log);
	return sum * 31 + count.bad + n;
}

static void play(const char *first, const char *const *words,
		 unsigned int count, const uint8_t *data, size_t size)
{
	static char text[TEXT_MAX];
	const size_t n = make_text(text, first, words, count, data, size);
	const char *path = memory_file(text, n);

	if (read_all(path, n) != read_all(path, n))
		abort();
}

#endif
