/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foxglove_parts.h - internals of the protocol; for foxglove*.c only
 */
#ifndef VIEW_FOXGLOVE_PARTS_H
#define VIEW_FOXGLOVE_PARTS_H

#include "view/foxglove.h"

/**
 * struct foxglove_channel - what a client publishes
 */
struct foxglove_channel {
	uint32_t		id;
	char			topic[ACTION_TEXT];
	enum message_kind	kind;
	enum message_format	format;
};

/**
 * struct foxglove - a session
 * @sdk:	foxglove.sdk.v1
 * @advertised:	topics of the board
 * @sub:	subscription of each channel, if @subscribed
 * @out:	sources whose outage the client knows
 * @said:	counts that the client knows
 * @replayed:	changes of the replay that it knows; @cuts: of the board, then,
 *		@time_cuts: when it got the time
 * @request:	waits for the state after the action @asked; "": none
 * @wants_parameters: all are subscribed; @sent_parameters: hash of
 *		their values; @seen_status: changes that were looked at
 * @wants_graph: subscribed; @sent_graph: topics that it had
 * @channel:	that it publishes, @channels of them
 */
struct foxglove {
	struct peer		peer;
	bool			sdk;
	unsigned int		advertised;
	uint32_t		sub[FOXGLOVE_IDS];
	bool			subscribed[FOXGLOVE_IDS];
	bool			out[BOARD_SOURCES];
	struct feed_counts	said;
	int64_t			band_sent, status_sent, time_sent, pinged;
	uint64_t		replayed, cuts, time_cuts, asked;
	char			request[256];
	bool			wants_parameters, wants_graph;
	uint64_t		sent_parameters, sent_graph, seen_status;
	struct foxglove_channel	channel[FOXGLOVE_CHANNELS];
	unsigned int		channels;
	uint64_t		refused;
	int64_t			refused_said;
};

static inline struct foxglove *foxglove_of(struct peer *p)
{
	return (struct foxglove *)p;
}

/*
 * foxglove_json.c: what all parts say and read
 *
 * @level: 0 info, 1 warning, 2 error; @id: replaces one with the same; or NULL
 */
void foxglove_status(struct foxglove *f, int level, const char *id,
		     const char *text);
/* @key: NULL: @o itself */
bool foxglove_number(const cJSON *o, const char *key, uint32_t *v);

/* foxglove_publish.c: messages of clients */
void foxglove_client_advertise(struct foxglove *f, const cJSON *o);
void foxglove_client_unadvertise(struct foxglove *f, const cJSON *o);
int foxglove_client_message(struct foxglove *f, const uint8_t *data,
			    size_t len);

/* foxglove_parameters.c: priorities and focus of robots */
void foxglove_get_parameters(struct foxglove *f, const cJSON *o);
void foxglove_set_parameters(struct foxglove *f, const cJSON *o);
void foxglove_subscribe_parameters(struct foxglove *f, const cJSON *o);
void foxglove_unsubscribe_parameters(struct foxglove *f, const cJSON *o);
bool foxglove_send_parameters(struct foxglove *f);

/* foxglove_extras.c: graph, assets, playback */
void foxglove_subscribe_graph(struct foxglove *f, const cJSON *o);
void foxglove_unsubscribe_graph(struct foxglove *f, const cJSON *o);
bool foxglove_send_graph(struct foxglove *f);
void foxglove_fetch_asset(struct foxglove *f, const cJSON *o);
int foxglove_playback(struct foxglove *f, const uint8_t *data, size_t len);

/* foxglove_services.c: questions to gdimd */
void foxglove_advertise_services(struct foxglove *f);
int foxglove_service_call(struct foxglove *f, const uint8_t *data, size_t len);
void foxglove_answered(struct peer *p, const struct gdim_result *r);

#endif
