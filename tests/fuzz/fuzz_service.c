// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_service - hostile requests and responses
 *
 * Input: a byte that selects the service, the part, and whether there is a
 * header, and the rest of it. A valid part is written again and must then be
 * read as the same.
 */
#include <stdlib.h>
#include <string.h>
#include "ros/msg/service_types.h"

enum { RESPONSE = 64, HEADER = 128 };

static void again_request(int kind, const struct service_header *h,
			  const union service_request *r)
{
	long n = service_write_request(kind, h, r, NULL, 0);
	static union service_request again;
	struct service_header header;
	uint8_t *data;

	if (n < 0)
		abort();
	data = malloc(n);
	if (service_write_request(kind, h, r, data, n) != n ||
	    service_read_request(kind, h ? &header : NULL, data, n, &again) ||
	    service_write_request(kind, h, &again, NULL, 0) != n ||
	    (h && header.client != h->client))
		abort();
	free(data);
}

static void again_response(int kind, const struct service_header *h,
			   const union service_response *r)
{
	long n = service_write_response(kind, h, r, NULL, 0);
	static union service_response again;
	struct service_header header;
	uint8_t *data;

	if (n < 0)
		abort();
	data = malloc(n);
	if (service_write_response(kind, h, r, data, n) != n ||
	    service_read_response(kind, h ? &header : NULL, data, n, &again) ||
	    service_write_response(kind, h, &again, NULL, 0) != n ||
	    (h && header.sequence != h->sequence))
		abort();
	free(data);
}

/* All corners of an outline can be read */
static void walk(const struct message_list *list)
{
	struct message_list rest = *list;
	struct message_point32 point;
	uint32_t n = 0;

	while (message_next_point(&rest, &point))
		n++;
	if (n != list->count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static union service_response response;
	static union service_request request;
	struct service_header header, *h;
	int kind;

	if (!size)
		return 0;
	kind = (*data & 63) % SERVICES;
	h = *data & HEADER ? &header : NULL;
	if (*data & RESPONSE) {
		if (service_read_response(kind, h, data + 1, size - 1,
					  &response))
			return 0;
		again_response(kind, h, &response);
		if (kind == SERVICE_ROOM_INFORMATION)
			walk(&response.room.information.outline);
	} else if (!service_read_request(kind, h, data + 1, size - 1,
					 &request)) {
		again_request(kind, h, &request);
	}
	return 0;
}
