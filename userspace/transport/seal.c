// SPDX-License-Identifier: GPL-2.0-only
/*
 * seal - authenticate segments with a shared key, and reject replays
 */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/secret_file.h"
#include "base/wire.h"
#include "transport/seal.h"
#include "transport/segment.h"

enum {
	LEAST	= 16,			/* bytes of a key */
	MOST	= 4096,
	KINDS	= 6,			/* different bytes in it: 16 random
					 * hexadecimal digits have more
					 */
	SERIAL	= offsetof(struct optsample_segment_sealed, serial),
	MAC	= offsetof(struct optsample_segment_sealed, mac),
	MAC_LEN	= OPTSAMPLE_SEGMENT_MAC,
	HEADER	= sizeof(struct optsample_segment_sealed),
};

#define WINDOW	(1ULL << 22)		/* serials */

struct seal {
	uint8_t	key[2][crypto_generichash_KEYBYTES];	/* one per direction */
};

static void derive(struct seal *s, const uint8_t *secret, size_t len)
{
	static const uint8_t ways[2] = { SEAL_UP, SEAL_DOWN };

	for (unsigned int w = 0; w < 2; w++) {
		crypto_generichash_state h;

		crypto_generichash_init(&h, NULL, 0, sizeof(s->key[w]));
		crypto_generichash_update(&h, &ways[w], 1);
		crypto_generichash_update(&h, secret, len);
		crypto_generichash_final(&h, s->key[w], sizeof(s->key[w]));
	}
}

/* Return: its length, or a negative errno */
static int seal_read(uint8_t secret[MOST + 1], const char *path,
		     struct error *error)
{
	struct error why;
	size_t len;
	FILE *f;
	int err = secret_file_open(&f, path, &why);

	if (err)
		return error_set(error, err, "cannot read the key %.230s", why.text);
	len = fread(secret, 1, MOST + 1, f);
	err = ferror(f) ? -EIO : 0;
	fclose(f);
	if (err)
		return error_set(error, err, "cannot read the key %.150s: %s",
				 path, strerror(-err));
	/* a final newline, which editors may add, does not count */
	while (len && len <= MOST && (secret[len - 1] == '\n' ||
				      secret[len - 1] == '\r'))
		len--;
	return len;
}

/* Of a key made by hand or of zeros: one that repeats a few bytes is none */
static bool seal_is_random(const uint8_t *secret, size_t len)
{
	bool seen[256] = { false };
	unsigned int kinds = 0;

	for (size_t i = 0; i < len; i++) {
		kinds += !seen[secret[i]];
		seen[secret[i]] = true;
	}
	return kinds >= KINDS;
}

int seal_open(struct seal **out, const char *path, struct error *error)
{
	uint8_t secret[MOST + 1];
	struct seal *s = NULL;
	int len = seal_read(secret, path, error), err = len < 0 ? len : 0;

	if (!err && (len < LEAST || len > MOST))
		err = error_set(error, -EINVAL,
				"the key %.150s must have %d to %d bytes", path,
				LEAST, MOST);
	else if (!err && !seal_is_random(secret, len))
		err = error_set(error, -EINVAL,
				"the key %.150s repeats the same few bytes: "
				"make one with head -c 32 /dev/urandom", path);
	else if (!err)
		s = malloc(sizeof(*s));
	if (!err && (!s || sodium_init() < 0))
		err = error_set(error, -ENOMEM, "no memory for the key");
	if (!err)
		derive(s, secret, len);
	sodium_memzero(secret, sizeof(secret));
	if (err)
		free(s);
	else
		*out = s;
	return err;
}

void seal_close(struct seal *s)
{
	if (!s)
		return;
	sodium_memzero(s, sizeof(*s));
	free(s);
}

/* MAC of all bytes but the MAC itself */
static void mac_of(const struct seal *s, enum seal_way way,
		   const uint8_t *datagram, size_t len, uint8_t mac[MAC_LEN])
{
	crypto_generichash_state h;

	crypto_generichash_init(&h, s->key[way - SEAL_UP],
				sizeof(s->key[way - SEAL_UP]), MAC_LEN);
	crypto_generichash_update(&h, datagram, MAC);
	crypto_generichash_update(&h, datagram + MAC + MAC_LEN,
				  len - MAC - MAC_LEN);
	crypto_generichash_final(&h, mac, MAC_LEN);
}

void seal_put(const struct seal *s, enum seal_way way, uint8_t *datagram,
	      size_t len, uint64_t serial)
{
	put_le64(datagram + SERIAL, serial);
	mac_of(s, way, datagram, len, datagram + MAC);
}

int seal_check(const struct seal *s, enum seal_way way,
	       const uint8_t *datagram, size_t len, uint64_t *serial)
{
	const struct optsample_segment *h = (const void *)datagram;
	uint8_t mac[MAC_LEN];

	if (len < HEADER || h->header < HEADER)
		return -ENOKEY;
	mac_of(s, way, datagram, len, mac);
	if (sodium_memcmp(mac, datagram + MAC, MAC_LEN))
		return -EKEYREJECTED;
	*serial = get_le64(datagram + SERIAL);
	return 0;
}

bool replay_take(struct replay *r, uint64_t serial)
{
	uint64_t at = serial % WINDOW, bit = 1ULL << at % 64;

	if (!r->bits)
		r->bits = calloc(WINDOW / 64, sizeof(*r->bits));
	if (!r->bits || !serial || serial + WINDOW <= r->top)
		return false;
	if (serial > r->top) {
		/* the serials in between are new */
		if (serial - r->top >= WINDOW)
			memset(r->bits, 0, WINDOW / 8);
		else
			for (uint64_t n = r->top + 1; n < serial; n++)
				r->bits[n % WINDOW / 64] &= ~(1ULL << n % 64);
		r->top = serial;
		r->bits[at / 64] |= bit;
		return true;
	}
	if (r->bits[at / 64] & bit)
		return false;
	r->bits[at / 64] |= bit;
	return true;
}

void replay_free(struct replay *r)
{
	free(r->bits);
	*r = (struct replay){ 0 };
}
