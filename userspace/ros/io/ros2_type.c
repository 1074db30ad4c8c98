// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_type - operations of Cyclone DDS on a type and its samples
 *
 * For topics without keys: all samples of one are of the same instance. Shared
 * memory (iceoryx) does not support types of unknown size, so it is left out.
 */
#include <stdlib.h>
#include <string.h>
#include "ros/io/ros2_type.h"

enum { HASH = 0x6f707473 };	/* of the one instance */

/**
 * struct data - a sample
 * @sequence: see ros2_type_sequence()
 * @bytes: @len of them, padded with zeros to a multiple of 4 for the network
 */
struct data {
	struct ddsi_serdata	c;
	uint64_t		sequence;
	size_t			len;
	uint8_t			bytes[];
};

static const struct ddsi_sertype_ops type_ops;
static const struct ddsi_serdata_ops data_ops;

static const struct data *data_of(const struct ddsi_serdata *d)
{
	return (const struct data *)d;
}

static struct data *data_new(const struct ddsi_sertype *type,
			     enum ddsi_serdata_kind kind, size_t len)
{
	size_t room = (len + 3) & ~(size_t)3;
	struct data *d = malloc(sizeof(*d) + room);

	if (!d)
		return NULL;
	memset(&d->c, 0, sizeof(d->c));
	ddsi_serdata_init(&d->c, type, kind);
	d->c.hash = HASH;
	d->sequence = 0;
	d->len = len;
	memset(d->bytes + len, 0, room - len);
	return d;
}

static bool data_same_key(const struct ddsi_serdata *a,
			  const struct ddsi_serdata *b)
{
	(void)a;
	(void)b;
	return true;
}

static uint32_t data_size(const struct ddsi_serdata *d)
{
	return (uint32_t)data_of(d)->len;
}

/* Fragments may overlap, but leave no gap */
static bool data_fill(struct data *d, const struct nn_rdata *f)
{
	size_t at = 0;

	for (; f && at < d->len; f = f->nextfrag) {
		const uint8_t *from = NN_RMSG_PAYLOADOFF(f->rmsg,
						NN_RDATA_PAYLOAD_OFF(f));
		size_t end = f->maxp1 < d->len ? f->maxp1 : d->len;

		if (f->min > at)
			return false;
		if (end <= at)
			continue;
		memcpy(d->bytes + at, from + at - f->min, end - at);
		at = end;
	}
	return at == d->len;
}

/* Number of the submessage of the first fragment, in host byte order */
static uint64_t sequence_of(const struct nn_rdata *f)
{
	const Data_DataFrag_common_t *h = (const void *)
		NN_RMSG_PAYLOADOFF(f->rmsg, NN_RDATA_SUBMSG_OFF(f));

	return (uint64_t)(uint32_t)h->writerSN.high << 32 | h->writerSN.low;
}

static struct ddsi_serdata *data_received(const struct ddsi_sertype *type,
					  enum ddsi_serdata_kind kind,
					  const struct nn_rdata *f, size_t size)
{
	struct data *d = size < 4 ? NULL : data_new(type, kind, size);

	if (d && data_fill(d, f)) {
		d->sequence = sequence_of(f);
		return &d->c;
	}
	free(d);
	return NULL;
}

static struct ddsi_serdata *data_of_parts(const struct ddsi_sertype *type,
					  enum ddsi_serdata_kind kind,
					  ddsrt_msg_iovlen_t n,
					  const ddsrt_iovec_t *part,
					  size_t size)
{
	struct data *d = data_new(type, kind, size);
	size_t at = 0;

	if (!d)
		return NULL;
	for (ddsrt_msg_iovlen_t i = 0; i < n && at < size; i++) {
		size_t len = part[i].iov_len < size - at ? part[i].iov_len :
							   size - at;

		memcpy(d->bytes + at, part[i].iov_base, len);
		at += len;
	}
	memset(d->bytes + at, 0, size - at);
	return &d->c;
}

static struct ddsi_serdata *data_of_key(const struct ddsi_sertype *type,
					const ddsi_keyhash_t *key)
{
	struct data *d = data_new(type, SDK_KEY, 0);

	(void)key;
	return d ? &d->c : NULL;
}

static struct ddsi_serdata *data_of_sample(const struct ddsi_sertype *type,
					   enum ddsi_serdata_kind kind,
					   const void *sample)
{
	(void)sample;
	/* a writer that leaves sends such a sample; there are no others */
	return kind == SDK_DATA ? NULL : data_of_key(type, NULL);
}

static void data_copy(const struct ddsi_serdata *d, size_t from, size_t n,
		      void *to)
{
	memcpy(to, data_of(d)->bytes + from, n);
}

static struct ddsi_serdata *data_lend(const struct ddsi_serdata *d,
				      size_t from, size_t n,
				      ddsrt_iovec_t *part)
{
	part->iov_base = (void *)(data_of(d)->bytes + from);
	part->iov_len = n;
	return ddsi_serdata_ref(d);
}

static void data_return(struct ddsi_serdata *d, const ddsrt_iovec_t *part)
{
	(void)part;
	ddsi_serdata_unref(d);
}

static bool data_to_sample(const struct ddsi_serdata *d, void *sample,
			   void **buffer, void *end)
{
	(void)d;
	(void)sample;
	(void)buffer;
	(void)end;
	return false;
}

static struct ddsi_serdata *data_to_key(const struct ddsi_serdata *d)
{
	struct ddsi_serdata *key = data_of_key(d->type, NULL);

	if (key)
		key->type = NULL;
	return key;
}

static bool data_key_to_sample(const struct ddsi_sertype *type,
			       const struct ddsi_serdata *d, void *sample,
			       void **buffer, void *end)
{
	(void)type;
	return data_to_sample(d, sample, buffer, end);
}

static void data_free(struct ddsi_serdata *d)
{
	free(d);
}

static size_t data_print(const struct ddsi_sertype *type,
			 const struct ddsi_serdata *d, char *text, size_t size)
{
	(void)type;
	return (size_t)snprintf(text, size, "%zu bytes", data_of(d)->len);
}

static void data_keyhash(const struct ddsi_serdata *d, ddsi_keyhash_t *hash,
			 bool md5)
{
	(void)d;
	(void)md5;
	memset(hash, 0, sizeof(*hash));
}

static const struct ddsi_serdata_ops data_ops = {
	.eqkey			= data_same_key,
	.get_size		= data_size,
	.from_ser		= data_received,
	.from_ser_iov		= data_of_parts,
	.from_keyhash		= data_of_key,
	.from_sample		= data_of_sample,
	.to_ser			= data_copy,
	.to_ser_ref		= data_lend,
	.to_ser_unref		= data_return,
	.to_sample		= data_to_sample,
	.to_untyped		= data_to_key,
	.untyped_to_sample	= data_key_to_sample,
	.free			= data_free,
	.print			= data_print,
	.get_keyhash		= data_keyhash,
};

static void type_free(struct ddsi_sertype *t)
{
	ddsi_sertype_fini(t);
	free(t);
}

static void type_zero_samples(const struct ddsi_sertype *t, void *samples,
			      size_t n)
{
	(void)t;
	(void)samples;
	(void)n;
}

static void type_realloc_samples(void **all, const struct ddsi_sertype *t,
				 void *old, size_t before, size_t n)
{
	(void)t;
	(void)old;
	for (size_t i = before; i < n; i++)
		all[i] = NULL;
}

static void type_free_samples(const struct ddsi_sertype *t, void **all,
			      size_t n, dds_free_op_t op)
{
	(void)t;
	(void)all;
	(void)n;
	(void)op;
}

/* the names were compared before */
static bool type_equal(const struct ddsi_sertype *a,
		       const struct ddsi_sertype *b)
{
	(void)a;
	(void)b;
	return true;
}

static uint32_t type_hash(const struct ddsi_sertype *t)
{
	(void)t;
	return 0;
}

static const struct ddsi_sertype_ops type_ops = {
	.version		= ddsi_sertype_v0,
	.free			= type_free,
	.zero_samples		= type_zero_samples,
	.realloc_samples	= type_realloc_samples,
	.free_samples		= type_free_samples,
	.equal			= type_equal,
	.hash			= type_hash,
};

dds_entity_t ros2_type_topic(dds_entity_t participant, const char *name,
			     const char *type, const struct ddsi_sertype **used)
{
	struct ddsi_sertype *t = calloc(1, sizeof(*t));
	dds_entity_t topic;

	if (!t)
		return DDS_RETCODE_OUT_OF_RESOURCES;
	ddsi_sertype_init(t, type, &type_ops, &data_ops, true);
	/* takes @t, or returns the existing one */
	topic = dds_create_topic_sertype(participant, name, &t, NULL, NULL,
					 NULL);
	if (topic < 0)
		ddsi_sertype_unref(t);
	*used = t;
	return topic;
}

struct ddsi_serdata *ros2_type_data(const struct ddsi_sertype *type,
				    size_t len)
{
	struct data *d = data_new(type, SDK_DATA, len);

	return d ? &d->c : NULL;
}

uint8_t *ros2_type_bytes(struct ddsi_serdata *d, size_t *len)
{
	struct data *data = (struct data *)d;

	*len = data->len;
	return data->bytes;
}

uint64_t ros2_type_sequence(const struct ddsi_serdata *d)
{
	return data_of(d)->sequence;
}
