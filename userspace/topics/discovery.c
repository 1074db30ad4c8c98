// SPDX-License-Identifier: GPL-2.0-only
/*
 * DDS discovery with Cyclone DDS: readers on the built-in topics
 * DCPSPublication and DCPSParticipant. The key of a sample is the GUID as
 * it is on the wire, for other vendors' writers too.
 */
#include <assert.h>
#include <dds/dds.h>
#include <dds/ddsrt/log.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "base/ip_addr.h"
#include "nav_msgs.h"
#include "topics/discovery.h"
#include "topics/formats.h"
#include "topics/locators.h"
#include "topics/topics.h"

struct discovery {
	dds_entity_t	domain;
	dds_entity_t	participant;
	dds_entity_t	writers;
	dds_entity_t	peers;
	dds_entity_t	odometry;	/* 0: none */
	dds_entity_t	waitset;
	struct formats	*formats;
	uint8_t		self[TOPIC_GUID];
	/* of the last writer's participant: writers come grouped by it */
	uint8_t		last[TOPIC_GUID];
	bool		last_foreign;
};

enum { DISCOVERY_BATCH = 32, DISCOVERY_ADDRS = 16 };

bool discovery_built(void)
{
	return true;
}

/* DDS has one log for all domains. */
static struct discovery_config discovery_config;
static char discovery_reason[160];	/* its first message while joining */
static bool discovery_joining;

static void discovery_log(void *arg, const dds_log_data_t *data)
{
	char line[512];
	int size = (int)data->size;

	(void)arg;
	if (size && data->message[size - 1] == '\n')
		size--;
	if (discovery_joining && *discovery_reason)
		return;
	snprintf(line, sizeof(line), "%.*s", size, data->message);
	if (discovery_joining)
		snprintf(discovery_reason, sizeof(discovery_reason), "%.159s",
			 line);
	else if (discovery_config.log)
		discovery_config.log(discovery_config.arg, LOG_ERR, line);
}

static struct discovery *discovery_fail(struct discovery *d,
					struct error *error)
{
	error_set(error, -EIO, "%s", *discovery_reason ? discovery_reason :
							 "no reason given");
	free(d);
	return NULL;
}

static dds_entity_t discovery_join(const struct discovery_config *c)
{
	const char *uri = getenv("CYCLONEDDS_URI");
	bool own = !uri || !*uri;
	char interfaces[160] = "", *config;
	dds_entity_t d;

	if (c->dev && own)
		snprintf(interfaces, sizeof(interfaces),
			 "<General><Interfaces><NetworkInterface name=\"%s\"/>"
			 "</Interfaces></General>", c->dev);
	/*
	 * A reader of ours must not make a writer of pictures send them by
	 * multicast, so we take none. Errors go to our log, DDS writes no file.
	 * To end the receive thread of a single socket, Cyclone sends itself a
	 * packet. A removed device does not deliver it: discovery_close() would
	 * never return. Fast DDS 2.9 hears that a reader is gone only by a key
	 * hash; without, its writer sends to us for good.
	 */
	if (asprintf(&config,
		     "<General><AllowMulticast>spdp</AllowMulticast></General>"
		     "%s<Discovery><LeaseDuration>%us</LeaseDuration></Discovery>"
		     "<Internal><MultipleReceiveThreads>false</MultipleReceiveThreads>"
		     "<GenerateKeyhash>true</GenerateKeyhash></Internal>"
		     "<Tracing><OutputFile>/dev/null</OutputFile></Tracing>%s%s",
		     interfaces, c->lease_s, own ? "" : ",", own ? "" : uri) < 0)
		abort();
	assert(!discovery_joining);
	discovery_config = *c;
	*discovery_reason = '\0';
	dds_set_log_sink(discovery_log, NULL);
	/* Twice a second while there is no address: this is not logged. */
	discovery_joining = true;
	d = dds_create_domain(c->domain, config);
	discovery_joining = false;
	free(config);
	return d;
}

void discovery_close(struct discovery *d)
{
	if (!d)
		return;
	formats_close(d->formats);
	dds_delete(d->domain);
	free(d);
}

struct discovery *discovery_open(const struct discovery_config *config,
				 struct error *error)
{
	struct discovery *d = calloc(1, sizeof(*d));
	dds_guid_t guid;

	if (!d)
		abort();
	d->domain = discovery_join(config);
	if (d->domain < 0)
		return discovery_fail(d, error);
	d->participant = dds_create_participant(config->domain, NULL, NULL);
	d->writers = dds_create_reader(d->participant,
				       DDS_BUILTIN_TOPIC_DCPSPUBLICATION,
				       NULL, NULL);
	d->peers = dds_create_reader(d->participant,
				     DDS_BUILTIN_TOPIC_DCPSPARTICIPANT,
				     NULL, NULL);
	d->waitset = dds_create_waitset(d->participant);
	d->formats = formats_open(d->participant, d->waitset);
	if (d->participant < 0 || d->writers < 0 || d->peers < 0 ||
	    d->waitset < 0 || !d->formats ||
	    dds_get_guid(d->participant, &guid)) {
		discovery_close(d);
		return discovery_fail(NULL, error);
	}
	memcpy(d->self, guid.v, sizeof(d->self));
	dds_set_status_mask(d->writers, DDS_DATA_AVAILABLE_STATUS);
	dds_set_status_mask(d->peers, DDS_DATA_AVAILABLE_STATUS);
	dds_waitset_attach(d->waitset, d->writers, 0);
	dds_waitset_attach(d->waitset, d->peers, 0);
	return d;
}

int discovery_odometry(struct discovery *d, const char *topic)
{
	dds_qos_t *qos = dds_create_qos();
	char name[TOPIC_NAME];
	dds_entity_t t;

	snprintf(name, sizeof(name), "%s%s", *topic == '/' ? "rt" : "", topic);
	/* Matches every writer; a late pose is useless. */
	dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
	t = dds_create_topic(d->participant, &nav_msgs_msg_dds__Odometry__desc,
			     name, NULL, NULL);
	d->odometry = dds_create_reader(d->participant, t, qos, NULL);
	dds_delete_qos(qos);
	if (d->odometry < 0) {
		d->odometry = 0;
		return -EINVAL;
	}
	dds_set_status_mask(d->odometry, DDS_DATA_AVAILABLE_STATUS);
	dds_waitset_attach(d->waitset, d->odometry, 0);
	return 0;
}

static void discovery_topic(const dds_builtintopic_endpoint_t *e,
			    struct topic *t)
{
	dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
	dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
	dds_history_kind_t history = DDS_HISTORY_KEEP_LAST;
	dds_duration_t blocking;

	memset(t, 0, sizeof(*t));
	memcpy(t->guid, e->key.v, TOPIC_GUID);
	snprintf(t->name, sizeof(t->name), "%s",
		 e->topic_name ? e->topic_name : "");
	snprintf(t->type, sizeof(t->type), "%s",
		 e->type_name ? e->type_name : "");
	t->depth = 1;
	dds_qget_reliability(e->qos, &reliability, &blocking);
	dds_qget_durability(e->qos, &durability);
	dds_qget_history(e->qos, &history, &t->depth);
	t->reliable = reliability == DDS_RELIABILITY_RELIABLE;
	t->durable = durability != DDS_DURABILITY_VOLATILE;
	if (history == DDS_HISTORY_KEEP_ALL)
		t->depth = 0;
}

static bool discovery_is_foreign(struct discovery *d,
				 const dds_builtintopic_endpoint_t *e,
				 const struct discovery_ops *ops, void *arg)
{
	struct ip_addr a[DISCOVERY_ADDRS];
	int n;

	if (!ops->foreign || !memcmp(e->participant_key.v, d->self, 12))
		return false;
	if (memcmp(e->participant_key.v, d->last, TOPIC_GUID)) {
		n = locators_find(e->participant_key.v, a, DISCOVERY_ADDRS);
		d->last_foreign = ops->foreign(arg, a, n);
		memcpy(d->last, e->participant_key.v, TOPIC_GUID);
	}
	return d->last_foreign;
}

static void discovery_take_writers(struct discovery *d,
				   const struct discovery_ops *ops, void *arg)
{
	dds_sample_info_t info[DISCOVERY_BATCH];
	void *sample[DISCOVERY_BATCH] = { NULL };
	struct topic t;
	int n;

	memset(d->last, 0, sizeof(d->last));	/* its address may change */
	while ((n = dds_take(d->writers, sample, info, DISCOVERY_BATCH,
			     DISCOVERY_BATCH)) > 0) {
		for (int i = 0; i < n; i++) {
			const dds_builtintopic_endpoint_t *e = sample[i];

			if (info[i].instance_state != DDS_IST_ALIVE) {
				formats_gone(d->formats, e->key.v);
				if (ops->topic_gone)
					ops->topic_gone(arg, e->key.v);
			} else if (info[i].valid_data && ops->topic) {
				discovery_topic(e, &t);
				t.foreign = discovery_is_foreign(d, e, ops,
								 arg);
				formats_topic(d->formats, &t);
				ops->topic(arg, &t);
			}
		}
		dds_return_loan(d->writers, sample, n);
		memset(sample, 0, sizeof(sample));
	}
}

/* Cyclone reports the lease as the participant's liveliness. */
static void discovery_take_peers(struct discovery *d,
				 const struct discovery_ops *ops, void *arg)
{
	dds_sample_info_t info[DISCOVERY_BATCH];
	void *sample[DISCOVERY_BATCH] = { NULL };
	int n;

	while ((n = dds_take(d->peers, sample, info, DISCOVERY_BATCH,
			     DISCOVERY_BATCH)) > 0) {
		for (int i = 0; i < n; i++) {
			const dds_builtintopic_participant_t *p = sample[i];
			dds_liveliness_kind_t kind;
			dds_duration_t lease;

			if (!memcmp(p->key.v, d->self, 12) || !ops->peer)
				continue;
			if (info[i].instance_state != DDS_IST_ALIVE)
				ops->peer(arg, p->key.v, 0);
			else if (info[i].valid_data &&
				 dds_qget_liveliness(p->qos, &kind, &lease))
				ops->peer(arg, p->key.v,
					  lease == DDS_INFINITY ? UINT64_MAX :
					  (uint64_t)lease / 1000000);
		}
		dds_return_loan(d->peers, sample, n);
		memset(sample, 0, sizeof(sample));
	}
}

static void discovery_take_odometry(struct discovery *d,
				    const struct discovery_ops *ops, void *arg)
{
	const nav_msgs_msg_dds__Odometry_ *o;
	dds_sample_info_t info;
	void *sample = NULL;

	while (dds_take(d->odometry, &sample, &info, 1, 1) > 0) {
		o = sample;
		if (info.valid_data)
			ops->odometry(arg, o->pose.pose.position.x,
				      o->pose.pose.position.y,
				      o->pose.pose.position.z);
		dds_return_loan(d->odometry, &sample, 1);
		sample = NULL;
	}
}

int discovery_poll(struct discovery *d, uint32_t timeout_ms,
		   const struct discovery_ops *ops, void *arg)
{
	dds_attach_t got[3];

	if (dds_waitset_wait(d->waitset, got, 3, DDS_MSECS(timeout_ms)) < 0)
		return -EIO;
	discovery_take_writers(d, ops, arg);
	discovery_take_peers(d, ops, arg);
	if (ops->topic)
		formats_poll(d->formats, ops->topic, arg);
	if (d->odometry && ops->odometry)
		discovery_take_odometry(d, ops, arg);
	return 0;
}
