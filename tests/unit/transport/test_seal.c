// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_seal - datagrams of who has the key, each once
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "tap.h"
#include "transport/seal.h"
#include "transport/segment.h"

enum { LEN = 300, HEADER = sizeof(struct optsample_segment_sealed) };

static mode_t mode = 0600;
static char path[] = "/tmp/test_seal.XXXXXX";

/* Return: of seal_open() with a file of that */
static int open_with(struct seal **s, const void *key, size_t len)
{
	struct error error;
	FILE *f = fopen(path, "w");

	if (!f || fchmod(fileno(f), mode) || fwrite(key, 1, len, f) != len ||
	    fclose(f))
		abort();
	return seal_open(s, path, &error);
}

/* Return: whether the result is another one */
static bool open_is(int want)
{
	struct seal *s;
	const int err = open_with(&s, "0123456789abcdef", 16);

	if (!err)
		seal_close(s);
	return err != want;
}

static void test_keys(void)
{
	static uint8_t large[5000];
	unsigned int wrong = 0;
	struct seal *s;
	struct error error;

	ok(open_with(&s, "too short", 9) == -EINVAL, "a key that is too short");
	ok(open_with(&s, large, sizeof(large)) == -EINVAL, "or too long");
	ok_eq(open_with(&s, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32), -EINVAL,
	      "or repeats itself");
	ok_eq(open_with(&s, "abababababababababababababababab", 32), -EINVAL,
	      "or repeats itself");
	ok_eq(open_with(&s, large, 32), -EINVAL, "or repeats itself");
	for (mode = 0; mode <= 0777; mode++)
		wrong += mode & 0400 &&
			 open_is(mode & 0027 ? -EACCES : 0);
	ok(!wrong, "or that others can read or write, or its group write");
	mode = 0600;
	unlink(path);
	ok_eq(seal_open(&s, path, &error), -ENOENT, "or is not there: %s",
	      error.text);
	ok(strstr(error.text, path), "or is not there: %s", error.text);
}

static void build(uint8_t *p)
{
	struct optsample_segment s;

	for (unsigned int i = 0; i < LEN; i++)
		p[i] = i * 7;
	segment_init(&s);
	s.header = HEADER;
	memcpy(p, &s, sizeof(s));
}

static void test_seals(void)
{
	uint8_t p[LEN], copy[LEN];
	struct seal *s, *same, *other;
	unsigned int taken = 0;
	uint64_t serial = 0;

	open_with(&s, "0123456789abcdef0123456789abcdef", 32);
	open_with(&same, "0123456789abcdef0123456789abcdef\n", 33);
	open_with(&other, "0123456789abcdef0123456789abcdeF", 32);
	build(p);
	seal_put(s, SEAL_UP, p, LEN, 77);
	ok(!seal_check(same, SEAL_UP, p, LEN, &serial),
	   "who has the key reads it; a line end is none of the key");
	ok_eq(serial, 77,
	      "who has the key reads it; a line end is none of the key");
	ok(seal_check(other, SEAL_UP, p, LEN, &serial) == -EKEYREJECTED,
	   "who has another key does not");
	ok(seal_check(s, SEAL_DOWN, p, LEN, &serial) == -EKEYREJECTED,
	   "one that is thrown back is none");
	for (unsigned int bit = 0; bit < LEN * 8; bit++) {
		memcpy(copy, p, LEN);
		copy[bit / 8] ^= 1 << bit % 8;
		taken += !seal_check(s, SEAL_UP, copy, LEN, &serial);
	}
	for (size_t len = 0; len < LEN; len++)
		taken += !seal_check(s, SEAL_UP, p, len, &serial);
	ok(!taken, "any bit that is changed, any byte that is cut is found");
	p[offsetof(struct optsample_segment, header)] =
		sizeof(struct optsample_segment_timed);
	ok(seal_check(s, SEAL_UP, p, LEN, &serial) == -ENOKEY,
	   "one without a seal");
	seal_close(s);
	seal_close(same);
	seal_close(other);
}

static void test_replays(void)
{
	const uint64_t window = 1 << 22;
	struct replay r = { 0 };
	unsigned int again = 0, fresh = 0;

	ok(replay_take(&r, 1000), "each once");
	ok(!replay_take(&r, 1000), "each once");
	ok(!replay_take(&r, 0), "0 is no serial");
	/* kept in an outage: it comes behind what is live */
	for (uint64_t n = 1001; n < 300000; n++)
		if (n % 3)
			fresh += replay_take(&r, n);
	for (uint64_t n = 1001; n < 300000; n++) {
		fresh += replay_take(&r, n);
		again += replay_take(&r, n);
	}
	ok_eq(fresh, 298999, "late ones, too, and each once");
	ok(!again, "late ones, too, and each once");
	ok(replay_take(&r, window + 2000), "a jump");
	ok_eq(replay_take(&r, 2001), false, "a jump");
	ok(replay_take(&r, window + 1000), "a jump");
	ok(replay_take(&r, 10 * window), "as far as it remembers");
	ok(replay_take(&r, 9 * window + 1), "as far as it remembers");
	ok(!replay_take(&r, 9 * window), "as far as it remembers");
	replay_free(&r);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_keys();
	test_seals();
	test_replays();
	unlink(path);
	return tap_done();
}
