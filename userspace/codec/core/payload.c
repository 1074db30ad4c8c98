// SPDX-License-Identifier: GPL-2.0-only
/*
 * payload - slots for the payloads of a frame
 */
#include <errno.h>
#include <stdlib.h>
#include "codec/core/payload.h"

int payloads_create(struct payloads *p, unsigned int max)
{
	*p = (struct payloads){
		.data = malloc((size_t)max * PAYLOAD_MAX),
		.stride = PAYLOAD_MAX,
		.len = calloc(max, sizeof(*p->len)),
		.size = PAYLOAD_MAX,
		.max = max,
	};
	if (p->data && p->len)
		return 0;
	payloads_destroy(p);
	return -ENOMEM;
}

void payloads_destroy(struct payloads *p)
{
	free(p->data);
	free(p->len);
	*p = (struct payloads){ 0 };
}

size_t payloads_bytes(const struct payloads *p)
{
	size_t sum = 0;

	for (unsigned int i = 0; i < p->count; i++)
		sum += p->len[i];
	return sum;
}
