// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads captures, pcap and pcapng. Little-endian hosts only.
 */
#include <string.h>
#include "packet.h"

enum { FRAME_MAX = 1514 };

static int frame(FILE *f, struct packet *p, uint32_t have, uint32_t len)
{
	uint32_t keep = have < FRAME_MAX ? have : FRAME_MAX;

	memset(p, 0, sizeof(*p));
	if (have > len || fread(p->data, 1, keep, f) != keep ||
	    fseek(f, have - keep, SEEK_CUR))
		return -1;
	p->len = len < FRAME_MAX ? len : FRAME_MAX;
	return 1;
}

/* pcapng: blocks of type, length, body, length; 6 is a packet */
static int next_ng(FILE *f, struct packet *p)
{
	uint32_t b[7];
	int err;

	while (fread(b, 4, 2, f) == 2) {
		if (b[1] < 12 || b[1] % 4)
			return -1;
		if (b[0] != 6) {
			if (fseek(f, b[1] - 8, SEEK_CUR))
				return -1;
			continue;
		}
		if (b[1] < 32 || fread(b + 2, 4, 5, f) != 5 ||
		    b[5] > b[1] - 32)
			return -1;
		err = frame(f, p, b[5], b[6]);
		if (err < 0 || fseek(f, b[1] - 28 - b[5], SEEK_CUR))
			return -1;
		return 1;
	}
	return 0;
}

int packet_capture_next(FILE *f, struct packet *p)
{
	uint32_t magic, r[4];

	if (!ftell(f)) {
		if (fread(&magic, 4, 1, f) != 1)
			return -1;
		if (magic == 0x0a0d0d0a) {
			rewind(f);
			return next_ng(f, p);
		}
		if (magic != 0xa1b2c3d4 && magic != 0xa1b23c4d)
			return -1;
		fseek(f, 24, SEEK_SET);
	} else {
		long at = ftell(f);

		rewind(f);
		if (fread(&magic, 4, 1, f) != 1)
			return -1;
		fseek(f, at, SEEK_SET);
		if (magic == 0x0a0d0d0a)
			return next_ng(f, p);
	}
	if (fread(r, 4, 4, f) != 4)
		return 0;
	return frame(f, p, r[2], r[3]);
}
