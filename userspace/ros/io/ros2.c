// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2 - participants, one for each domain that this process is in
 *
 * One for sources and sinks together: messages of a sink do not come back to a
 * source, because readers ignore writers of their own participant.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "ros/io/ros2.h"

enum {
	DOMAIN_MAX = 232,	/* more have no ports */
	PREFIX	= 12,		/* bytes of a GUID that name the participant */
};

struct ros2 {
	struct ros2	*next;
	unsigned int	users;
	uint32_t	id;
	dds_entity_t	domain, participant;
	dds_guid_t	self;
};

static struct ros2 *joined;

/* Messages of Cyclone DDS during the join: its return codes say little */
static char words[160];
static bool entering;

static void ros2_on_log(void *arg, const dds_log_data_t *data)
{
	int size = (int)data->size;

	(void)arg;
	if (size && data->message[size - 1] == '\n')
		size--;
	if (!entering)
		fprintf(stderr, "%.*s\n", size, data->message);
	else if (!*words)
		snprintf(words, sizeof(words), "%.*s", size, data->message);
}

static int find_domain(const char *text, uint32_t *id, struct error *error)
{
	const char *what = text ? "domain" : "ROS_DOMAIN_ID";

	*id = 0;
	if (!text)
		text = getenv("ROS_DOMAIN_ID");
	if (!text || (!*text && *what == 'R'))
		return 0;
	if (parse_u32(text, 0, DOMAIN_MAX, id))
		return error_set(error, -EINVAL,
				 "%s must be 0 ... %d, not '%s'", what,
				 DOMAIN_MAX, text);
	return 0;
}

/*
 * Several large messages may be unacknowledged before a writer refuses more, as
 * it does not wait here; and several may wait in the socket, if the system's
 * net.core.rmem_max allows it: without that, BEST_EFFORT loses larger ones. Fast
 * DDS 2.9 hears that a reader or writer is gone only by a key hash.
 */
static const char common_config[] =
	"<Internal><Watermarks><WhcHigh>16MB</WhcHigh></Watermarks>"
	"<SocketReceiveBufferSize max=\"16MB\"/>"
	"<GenerateKeyhash>true</GenerateKeyhash></Internal>"
	"<Tracing><OutputFile>/dev/null</OutputFile></Tracing>";

/*
 * A RELIABLE reader requests missing samples regularly, not only after a
 * heartbeat of the writer, which Fast DDS sends every 3 s. Of messages with
 * missing fragments Cyclone DDS requests one at a time: the others are kept
 * until it is their turn.
 */
static const char repair_config[] =
	",<Internal><AutoReschedNackDelay>100ms</AutoReschedNackDelay>"
	"<DefragReliableMaxSamples>256</DefragReliableMaxSamples></Internal>";

static bool repairs;

void ros2_repair_quickly(void)
{
	repairs = true;
}

/* Without multicast, other participants are found by probing their ports */
static const char local_config[] =
	"<General><Interfaces><NetworkInterface address=\"127.0.0.1\"/>"
	"</Interfaces><AllowMulticast>false</AllowMulticast></General>"
	"<Discovery><ParticipantIndex>auto</ParticipantIndex>"
	"<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
	"<Peers><Peer address=\"localhost\"/></Peers></Discovery>";

/* Return: an entity; DDS_RETCODE_PRECONDITION_NOT_MET: it exists already */
static dds_entity_t create_domain(uint32_t id)
{
	const char *uri = getenv("CYCLONEDDS_URI");
	const char *local = getenv("ROS_LOCALHOST_ONLY");
	bool more = uri && *uri;
	dds_entity_t domain;
	char *config;

	if (asprintf(&config, "%s%s%s%s%s",
		     local && !strcmp(local, "1") ? local_config : "",
		     common_config, repairs ? repair_config : "",
		     more ? "," : "", more ? uri : "") < 0)
		return DDS_RETCODE_OUT_OF_RESOURCES;
	domain = dds_create_domain(id, config);
	free(config);
	return domain;
}

static dds_entity_t create_participant(uint32_t id, const char *name)
{
	static const char enclave[] = "enclave=/;";
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t p;

	dds_qset_userdata(qos, enclave, sizeof(enclave) - 1);
	if (name)
		dds_qset_entity_name(qos, *name == '/' ? name + 1 : name);
	p = dds_create_participant(id, qos, NULL);
	dds_delete_qos(qos);
	return p;
}

static dds_return_t ros2_enter(struct ros2 *r, const char *name)
{
	dds_return_t ret;

	dds_set_log_sink(ros2_on_log, NULL);
	*words = '\0';
	entering = true;
	r->domain = create_domain(r->id);
	ret = r->domain;
	if (ret >= 0 || ret == DDS_RETCODE_PRECONDITION_NOT_MET)
		ret = r->participant = create_participant(r->id, name);
	if (ret >= 0)
		ret = dds_get_guid(r->participant, &r->self);
	entering = false;
	if (ret < 0 && r->domain > 0)
		dds_delete(r->domain);
	return ret;
}

int ros2_join(struct ros2 **result, const char *domain, const char *name,
	      struct error *error)
{
	dds_return_t ret;
	struct ros2 *r;
	uint32_t id;
	int err;

	err = find_domain(domain, &id, error);
	if (err)
		return err;
	for (r = joined; r && r->id != id; r = r->next)
		;
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return error_set(error, -ENOMEM, "no memory");
		r->id = id;
		ret = ros2_enter(r, name);
		if (ret < 0) {
			free(r);
			return error_set(error, -ENETUNREACH,
					 "cannot enter DDS domain %u: %s", id,
					 *words ? words : dds_strretcode(ret));
		}
		r->next = joined;
		joined = r;
	}
	r->users++;
	*result = r;
	return 0;
}

void ros2_leave(struct ros2 *r)
{
	struct ros2 **at = &joined;

	if (--r->users)
		return;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	dds_delete(r->participant);
	if (r->domain > 0)
		dds_delete(r->domain);
	free(r);
}

dds_entity_t ros2_participant(const struct ros2 *r)
{
	return r->participant;
}

uint32_t ros2_domain(const struct ros2 *r)
{
	return r->id;
}

bool ros2_is_fastdds(const dds_guid_t *guid)
{
	return guid->v[0] == 0x01 && guid->v[1] == 0x0f;
}

bool ros2_is_own(const struct ros2 *r, const dds_guid_t *guid)
{
	return !memcmp(guid->v, r->self.v, PREFIX);
}

dds_entity_t ros2_topic(const struct ros2 *r, const char *name,
			enum message_kind kind,
			const struct ddsi_sertype **type)
{
	char full[IO_NAME + 4];

	snprintf(full, sizeof(full), "rt%s", name);
	return ros2_type_topic(r->participant, full, message_dds_type(kind),
			       type);
}

int ros2_errno(dds_return_t ret)
{
	switch (ret) {
	case DDS_RETCODE_TIMEOUT:
		return -EAGAIN;
	case DDS_RETCODE_OUT_OF_RESOURCES:
		return -ENOMEM;
	case DDS_RETCODE_BAD_PARAMETER:
	case DDS_RETCODE_INCONSISTENT_POLICY:
		return -EINVAL;
	default:
		return -EIO;
	}
}
