// SPDX-License-Identifier: GPL-2.0-only
/*
 * codecs - the table of all codecs
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "transport/codec.h"

#define CODEC_EXTERN(ID, ident) extern const struct codec codec_##ident;
CODEC_ROWS(CODEC_EXTERN)

#define CODEC_ROW(ID, ident) [CODEC_##ID] = &codec_##ident,
static const struct codec *const codecs[CODECS] = { CODEC_ROWS(CODEC_ROW) };

/* five bits of the segment header, and a bit of struct codec's kinds for each */
static_assert(CODECS <= 32, "codec ids fit their field");
static_assert(MESSAGE_KINDS <= 32, "message kinds fit the bit mask");

const struct codec *codec_get(enum codec_id id)
{
	return codecs[id];
}

const char *codec_name(enum codec_id id)
{
	return codecs[id]->name;
}

int codec_of(const char *name)
{
	for (unsigned int i = 0; i < CODECS; i++)
		if (!strcmp(codecs[i]->name, name))
			return i;
	return -ENOENT;
}

bool codec_takes(enum codec_id id, enum message_kind kind)
{
	return codecs[id]->kinds >> kind & 1;
}

enum codec_id codec_default(enum message_kind kind)
{
	for (unsigned int i = 0; i < CODECS; i++)
		if (codecs[i]->usual >> kind & 1)
			return i;
	return CODEC_BLOB;
}
