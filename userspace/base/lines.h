/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - a text file line by line, in one buffer
 *
 * Lines end with LF or CR LF, the last one also with the file. One that is
 * longer than LINES_MAX is passed over.
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
 * @number: of the line that was read last, from 1
 * @bytes: of the file that were gone through
 * @size: of the file when it was opened
 * @whole: the line ends as lines do, not with the file
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
 * Return: 0; -EINVAL if it is none that can be read twice, -EISDIR; others of
 * open(). Only after 0 there is something to close.
 */
int lines_open(struct lines *l, const char *path);

/**
 * lines_next() - the next line
 * @text: ended with 0, good until the next call; it may have a 0 in it
 * @len: without the end of the line
 *
 * Return: 1; 0 at the end; -EMSGSIZE: a line was too long and passed over,
 * reading may go on; other errors of read().
 */
int lines_next(struct lines *l, char **text, size_t *len);

/**
 * lines_head() - how the file begins; lines_rewind() is to follow
 * @text: ended with 0, good until then
 * @len: LINES_HEAD or, with a short file, what there is
 *
 * Return: 0 or a negative errno.
 */
int lines_head(struct lines *l, const char **text, size_t *len);

/* Begin again. Return: 0 or a negative errno */
int lines_rewind(struct lines *l);

void lines_close(struct lines *l);

#endif
