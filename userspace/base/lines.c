// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines - a text file line by line
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/lines.h"

enum { BUFFER = LINES_MAX + (64 << 10) };

int lines_open(struct lines *l, const char *path)
{
	struct stat st;
	int err;

	/* do not wait for the writer of a pipe */
	*l = (struct lines){ .fd = open(path, O_RDONLY | O_CLOEXEC |
					O_NONBLOCK | O_NOCTTY) };
	if (l->fd < 0)
		return -errno;
	err = fstat(l->fd, &st) ? -errno :
	      S_ISDIR(st.st_mode) ? -EISDIR :
	      S_ISREG(st.st_mode) ? 0 : -EINVAL;
	l->buffer = err ? NULL : malloc(BUFFER + 1);
	if (!err && !l->buffer)
		err = -ENOMEM;
	if (err) {
		close(l->fd);
		return err;
	}
	l->size = st.st_size;
	return 0;
}

/* Read more of the file into the buffer. Return: 0 or a negative errno */
static int lines_fill(struct lines *l)
{
	ssize_t n;

	assert(l->begin <= l->end && l->end <= BUFFER);
	memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
	l->end -= l->begin;
	l->begin = 0;
	do
		n = read(l->fd, l->buffer + l->end, BUFFER - l->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	l->ended = !n;
	l->end += n;
	return 0;
}

int lines_head(struct lines *l, const char **text, size_t *len)
{
	int err = 0;

	while (!err && !l->ended && l->end < LINES_HEAD)
		err = lines_fill(l);
	*text = l->buffer;
	*len = l->end < LINES_HEAD ? l->end : LINES_HEAD;
	l->buffer[*len] = '\0';
	return err;
}

static void lines_take(struct lines *l, size_t len, char **text,
		       size_t *text_len)
{
	char *p = l->buffer + l->begin;

	l->begin += len + l->whole;
	assert(l->begin <= l->end);
	l->bytes += len + l->whole;
	l->number++;
	if (len && p[len - 1] == '\r')
		len--;
	p[len] = '\0';
	*text = p;
	*text_len = len;
}

/* Skip the rest of a line that was too long */
static int lines_pass_over(struct lines *l)
{
	char *end;
	int err = 0;

	do {
		l->bytes += l->end - l->begin;
		l->begin = l->end;
		err = lines_fill(l);
		end = memchr(l->buffer, '\n', l->end);
	} while (!err && !end && !l->ended);
	if (end) {
		l->begin = end + 1 - l->buffer;
		l->bytes += l->begin;
	}
	l->number++;
	return err ? err : -EMSGSIZE;
}

int lines_next(struct lines *l, char **text, size_t *len)
{
	size_t looked = 0;
	char *end;
	int err;

	for (;;) {
		const size_t n = l->end - l->begin;

		end = memchr(l->buffer + l->begin + looked, '\n', n - looked);
		l->whole = end;
		if (end || (l->ended && n)) {
			lines_take(l,
				   end ? (size_t)(end - l->buffer) - l->begin :
					 n,
				   text, len);
			return 1;
		}
		if (l->ended)
			return 0;
		if (n >= LINES_MAX)
			return lines_pass_over(l);
		looked = n;
		err = lines_fill(l);
		if (err)
			return err;
	}
}

int lines_rewind(struct lines *l)
{
	if (lseek(l->fd, 0, SEEK_SET) < 0)
		return -errno;
	l->number = l->bytes = 0;
	l->begin = l->end = 0;
	l->ended = false;
	return 0;
}

void lines_close(struct lines *l)
{
	close(l->fd);
	free(l->buffer);
}
