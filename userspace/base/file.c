// SPDX-License-Identifier: GPL-2.0-only
/*
 * file - read a file into memory
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "file.h"

enum { CHUNK = 1 << 20 };

static const size_t most = (size_t)1 << 30;

int file_load(const char *path, uint8_t **data, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *all = NULL, *more;
	size_t n = 0, got;
	int err = 0;

	if (!f)
		return cli_error(-errno, "%s: %s", path, strerror(errno));
	do {
		more = realloc(all, n + CHUNK);
		if (!more || n > most) {
			err = ENOMEM;
			break;
		}
		all = more;
		got = fread(all + n, 1, CHUNK, f);
		n += got;
		if (ferror(f))
			err = errno;
	} while (got && !err);
	fclose(f);
	if (err) {
		free(all);
		return cli_error(-err, "%s: %s", path, strerror(err));
	}
	*data = all;
	*len = n;
	return 0;
}
