// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_uplink - the sender's socket: how large datagrams may be, what each of
 * them says, and what the kernel refuses
 */
#include <sys/stat.h>
#include "folder.h"
#include "transport/seal.h"
#include "uplink_fixture.h"

enum { MANY = 200, STRIDE = 64 };

static struct address address_of(const char *text)
{
	struct address a;
	struct error error;

	if (address_parse(text, false, "7450", &a, &error))
		abort();
	return a;
}

static struct uplink *open_to(const char *text, const struct seal *seal)
{
	const struct uplink_events events = { on_sent, on_met, on_received,
					      NULL };
	const struct address to = address_of(text);
	struct uplink *u;

	if (uplink_open(&u, loop, &to, 4711, seal, &events))
		abort();
	return u;
}

static unsigned int payload_to(const char *text, const struct seal *seal)
{
	struct uplink *u = open_to(text, seal);
	unsigned int n = uplink_payload(u);

	uplink_close(u);
	return n;
}

static bool has_ipv6(void)
{
	const int s = socket(AF_INET6, SOCK_DGRAM, 0);

	close(s);
	return s >= 0;
}

/* No larger than what a frame of Ethernet carries */
static void test_payload(void)
{
	struct seal *seal;
	struct error error;

	make_folder();
	if (seal_open(&seal, put_secret("key", "0123456789abcdef"
					"0123456789abcdef"), &error))
		abort();
	/* to these there is no way, whose frames could be smaller */
	ok_eq(payload_to("255.255.255.255", NULL), 1500 - 28 - 52,
	      "what an IPv4 datagram carries, with its header");
	ok_eq(payload_to("255.255.255.255", seal), 1500 - 28 - 76,
	      "with one that has a key");
	ok_eq(payload_to("127.0.0.1", NULL), OPTSAMPLE_SEGMENT_MAX - 52,
	      "never more than a segment has room for");
	if (has_ipv6())
		ok_eq(payload_to("[fe80::1]", NULL), 1500 - 48 - 52,
		      "headers of IPv6 are larger");
	seal_close(seal);
	remove_folder();
}

static uint8_t data[MANY][STRIDE];
static uint16_t len[MANY];

static void fill(void)
{
	struct optsample_segment s;

	segment_init(&s);
	for (unsigned int i = 0; i < MANY; i++) {
		memset(data[i], 0, STRIDE);
		memcpy(data[i], &s, sizeof(s));
		data[i][sizeof(s)] = i;
		len[i] = sizeof(s) + 1 + i % 8;
	}
}

/* More than one call of the system takes */
static void test_many(void)
{
	unsigned int bytes = 0, wrong = 0;
	uint32_t last = 0;
	struct datagram d;

	uplink_begin();
	fill();
	for (unsigned int k = 0; k < 2; k++) {
		uplink_send(uplink, data[0], STRIDE, len, MANY);
		for (unsigned int i = 0; i < MANY; i++) {
			const uint32_t was = last;

			bytes += len[i];
			if (!take(&d))
				break;
			last = le32toh(d.segment.sent);
			wrong += d.payload[0] != i || d.len != 1 + i % 8 ||
				 le64toh(d.segment.stream) != 4711 ||
				 ((i || k) && (int32_t)(last - was) <= 0);
		}
	}
	ok_eq(wrong, 0, "each one as it was, of its stream, later than the last");
	ok_eq(sent_datagrams, 2 * MANY, "all are sent");
	ok_eq(uplink_counts(uplink)->datagrams, 2 * MANY, "and counted");
	ok_eq(uplink_counts(uplink)->bytes, bytes, "with their bytes");
	ok_eq(uplink_counts(uplink)->refused, 0, "none is refused");
	ok_eq(uplink_error(uplink), 0, "there is no error");
	uplink_end();
}

/* What the kernel does not take is lost */
static void test_refused(void)
{
	struct uplink *u;

	loop = loop_create();
	sent_datagrams = 0;
	fill();
	/* a broadcast, which this socket may not send */
	u = open_to("255.255.255.255", NULL);
	uplink_send(u, data[0], STRIDE, len, 5);
	ok_eq(uplink_counts(u)->refused, 5, "datagrams that cannot be sent");
	ok_eq(sent_datagrams, 0, "are not");
	ok_eq(uplink_counts(u)->datagrams, 0, "nor counted as such");
	uplink_close(u);
	loop_destroy(loop);
}

int main(void)
{
	loop = loop_create();
	test_payload();
	loop_destroy(loop);
	test_many();
	test_refused();
	return tap_done();
}
