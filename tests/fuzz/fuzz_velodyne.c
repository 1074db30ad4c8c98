// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_velodyne - hostile packets: turns stay within their bounds
 *
 * Input: packets, each of as many bytes as two bytes before it say; a short
 * one is completed to a valid one, so that azimuths and clocks get through.
 */
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "formats/velodyne.h"

static void look_at(const struct organised *o)
{
	volatile unsigned int sum = 0;

	if (o->rings != VELODYNE_RINGS || !o->columns ||
	    o->columns > ORGANISED_COLUMNS)
		abort();
	for (unsigned int i = 0; i < o->rings * o->columns; i++)
		sum += o->range[i] + o->intensity[i];
	for (unsigned int c = 0; c < o->columns; c++)
		if (o->azimuth[c] >= 36000)
			abort();
	(void)sum;
}

/* Azimuths and the clock from @data, all else valid */
static void complete(uint8_t p[VELODYNE_PACKET], const uint8_t *data,
		     size_t len)
{
	uint8_t given[32] = { 0 };

	memcpy(given, data, len < sizeof(given) ? len : sizeof(given));
	memset(p, given[29], VELODYNE_PACKET);
	for (int i = 0; i < 12; i++) {
		put_le16(p + 100 * i, 0xeeff);
		put_le16(p + 100 * i + 2, get_le16(given + 2 * i) % 36000);
	}
	memcpy(p + 1200, given + 24, 4);
	p[1204] = 0x37 + given[28] % 3;
	p[1205] = 0x22;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct velodyne *v = velodyne_create();
	uint8_t whole[VELODYNE_PACKET];
	struct organised o;

	while (size >= 2) {
		size_t len = get_le16(data);

		data += 2;
		size -= 2;
		if (len > size)
			len = size;
		if (velodyne_add(v, data, len, &o) == 1)
			look_at(&o);
		complete(whole, data, len);
		if (velodyne_add(v, whole, sizeof(whole), &o) == 1)
			look_at(&o);
		data += len;
		size -= len;
	}
	velodyne_destroy(v);
	return 0;
}
