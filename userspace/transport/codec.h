/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec.h - codecs turn messages into datagrams and datagrams into messages
 *
 * codecs.h lists them, codec_impl.h has what their files share.
 */
#ifndef TRANSPORT_CODEC_H
#define TRANSPORT_CODEC_H

#include <stdbool.h>
#include "link/plan.h"
#include "ros/msg/message.h"
#include "transport/codecs.h"

#define CODEC_ID(ID, ident) CODEC_##ID,
enum codec_id {
	CODEC_ROWS(CODEC_ID)
	CODECS,
};

struct decode_call;
struct decode_limits;
struct encode_call;
struct encode_order;
struct encode_result;

/**
 * struct codec_input - input stage shared by several codecs
 * @read:	reads a message; allocates @input if it is NULL. Return: as
 *		encoder_encode()
 * @free:	frees @input
 */
struct codec_input {
	int	(*read)(void **input, const struct encode_call *c);
	void	(*free)(void *input);
};

/**
 * struct codec_allocation - resources of a topic
 * @plan:	frames that fit into its rate
 * @source:	costs of its messages
 * @loss:	expected loss rate, upper bound, 0 .. 1
 * @any:	the user did not choose the codec
 */
struct codec_allocation {
	const struct plan		*plan;
	const struct plan_source	*source;
	double				loss;
	bool				any;
};

/**
 * struct codec_frame - an encoded frame
 * @mode:	mode of the plan that it was encoded for
 * @bytes:	sum of its payloads
 * @datagrams:	number of its payloads
 */
struct codec_frame {
	enum plan_mode			mode;
	const struct encode_result	*result;
	size_t				bytes;
	unsigned int			datagrams;
};

/* Return value of encode() if another codec must take the message */
enum { CODEC_OTHER = 1 };

/**
 * struct codec - a codec for messages of some kinds
 * @name:	as users write it
 * @kinds:	kinds of messages that it accepts, CODEC_KIND() of each
 * @usual:	kinds for which it is the default
 * @plan:	how the size of its frames follows the rate
 * @sized:	the option bytes= bounds its frames
 * @input:	input stage; NULL: encode() reads the message itself
 * @order:	completes the order of a frame; NULL: nothing to add
 * @learn:	notes the cost of a frame for the next plan; NULL: nothing
 * @encode:	makes payloads of a message; allocates @state if it is NULL.
 *		Return: as encoder_encode(); CODEC_OTHER: use the codec
 *		c->result->codec instead
 * @encode_free: frees the encoder's state; NULL: it has none
 * @decode:	makes messages of a frame; likewise. Return: as decoder_frame()
 * @decode_free: frees the decoder's state
 */
struct codec {
	const char			*name;
	unsigned int			kinds, usual;
	enum plan_kind			plan;
	bool				sized;
	const struct codec_input	*input;
	void	(*order)(struct encode_order *o, const struct codec_allocation *g);
	void	(*learn)(struct plan_source *s, const struct codec_frame *f);
	int	(*encode)(void **state, const struct encode_call *c);
	void	(*encode_free)(void *state);
	int	(*decode)(void **state, const struct decode_limits *limits,
			  const struct decode_call *c);
	void	(*decode_free)(void *state);
};

#define CODEC_KIND(kind) (1U << MESSAGE_##kind)

const struct codec *codec_get(enum codec_id id);

/* Name as users write it */
const char *codec_name(enum codec_id id);

/* Return: enum codec_id, or -ENOENT */
int codec_of(const char *name);

/* Can the codec carry messages of that kind? */
bool codec_takes(enum codec_id id, enum message_kind kind);

/* Default codec for messages of that kind */
enum codec_id codec_default(enum message_kind kind);

#endif
