// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_control - hostile announcements, reports and commands
 *
 * The checksum is corrected first: it is no secret.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "transport/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct control_topic topics[256];
	struct control_sender sender;
	static struct control_command c;
	struct control_report r;
	uint8_t *p = malloc(size + 1);
	int n;

	memcpy(p, data, size);
	if (size >= 6) {
		uint32_t crc = crc32(crc32(0, p, 2), p + 6, size - 6);

		memcpy(p + 2, &crc, 4);
	}
	n = control_announced(p, size, &sender, topics, 256);
	for (int i = 0; i < n; i++)
		if (strlen(topics[i].name) >= CONTROL_NAME ||
		    strlen(topics[i].frame_id) >= CONTROL_WORD ||
		    strlen(topics[i].encoding) >= CONTROL_WORD)
			abort();
	if (!control_reported(p, size, &r) && r.topics > CONTROL_TOPICS)
		abort();
	if (!control_commanded(p, size, &c)) {
		uint8_t again[PAYLOAD_MAX];
		size_t len = control_command(&c, again);

		/* there and back, as far as it fits */
		if (c.entries > CONTROL_COMMANDS ||
		    (len && (len != size || memcmp(again, p, len))))
			abort();
	}
	free(p);
	return 0;
}
