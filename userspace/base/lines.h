/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - a text file line by line, in one buffer
 *
 * Lines end with LF or CR LF, the last one also with the file. Lines longer
 * than LINES_MAX are skipped.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINES_MAX	= 1 << 20,	/* bytes */
	LINES_HEAD	= 64 << 10,
};

/**
 * struct lines
 * @number: of the last line, from 1
 * @bytes: read so far
 * @size: of the file when it was opened
 * @whole: the line ends with LF, not with the file
 */
struct lines {
	uint64_t	number, bytes, size;
	bool		whole;
	/* private */
	int		fd;
	char		*buffer;
	size_t		begin, end;
	bool		ended;
};

/**
 * lines_open() - open a file
 *
 * Return: 0; -EINVAL if it cannot be read twice, -EISDIR; other errors of
 * open(). Close it only after 0.
 */
int lines_open(struct lines *l, const char *path);

/**
 * lines_next() - the next line
 * @text: ends with 0, valid until the next call; it may contain a 0
 * @len: without the end of the line
 *
 * Return: 1; 0 at the end; -EMSGSIZE: a line was too long and skipped, reading
 * may go on; other errors of read().
 */
int lines_next(struct lines *l, char **text, size_t *len);

/**
 * lines_head() - the start of the file; lines_rewind() has to follow
 * @text: ends with 0, valid until then
 * @len: LINES_HEAD, or the length of a shorter file
 *
 * Return: 0 or a negative errno.
 */
int lines_head(struct lines *l, const char **text, size_t *len);

/* Begin again. Return: 0 or a negative errno */
int lines_rewind(struct lines *l);

void lines_close(struct lines *l);

#endif
