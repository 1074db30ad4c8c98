// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_poses_file - hostile poses.csv
 *
 * Input: the file. If it can be read it is written, and read again as the same.
 */
#include <stdint.h>
#include <string.h>
#include "base/error.h"
#include "map/io/poses_file.h"
#include "memory_file.h"

static void again(const struct poses_file *p)
{
	char *text = malloc((size_t)p->count * 128);
	struct error error;
	struct poses_file second;
	size_t n = 0;

	for (unsigned int i = 0; i < p->count; i++) {
		const struct pose *at = &p->line[i].pose;

		if (!pose_valid(at))
			abort();
		n += sprintf(text + n, "%u,%.17g,%.17g,%.17g\n",
			     p->line[i].index, at->x, at->y, at->yaw);
	}
	if (poses_file_read(memory_file(text, n), &second, &error) ||
	    second.count != p->count)
		abort();
	for (unsigned int i = 0; i < p->count; i++)
		if (p->line[i].index != second.line[i].index ||
		    memcmp(&p->line[i].pose, &second.line[i].pose,
			   sizeof(struct pose)))
			abort();
	poses_file_free(&second);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };
	struct poses_file p;

	if (poses_file_read(memory_file(data, size), &p, &error)) {
		if (!*error.text || strchr(error.text, '\n') || p.line)
			abort();
		return 0;
	}
	if (!p.count)
		abort();
	again(&p);
	poses_file_free(&p);
	return 0;
}
