// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_pair - the endpoints of a client or of a service, and their matches
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/error.h"
#include "ros/io/ros2_pair.h"

enum {
	SENT	= 1024,		/* of writers: kept to repair losses */
	KEPT	= 128,		/* requests: peers are not trusted */
	KEPT_ANSWERS = 8192,	/* to all clients of a service */
	PEERS	= 64,		/* of one endpoint; more are ignored */
	ID	= 64,		/* characters of USER_DATA's values */
	PREFIX	= 12,		/* bytes of a GUID that name the participant */
};

/* In threads of Cyclone's */
static void ros2_pair_wake(void *arg)
{
	static const uint64_t one = 1;
	const struct ros2_pair *p = arg;

	/* a full counter is readable, too */
	if (write(p->event, &one, sizeof(one)) < 0)
		return;
}

static void ros2_pair_on_data(dds_entity_t reader, void *arg)
{
	(void)reader;
	ros2_pair_wake(arg);
}

static void on_reader_matched(dds_entity_t writer,
			      const dds_publication_matched_status_t status,
			      void *arg)
{
	(void)writer;
	(void)status;
	ros2_pair_wake(arg);
}

static void on_writer_matched(dds_entity_t reader,
			      const dds_subscription_matched_status_t status,
			      void *arg)
{
	(void)reader;
	(void)status;
	ros2_pair_wake(arg);
}

/*
 * Making one
 */

static void user_data(const struct ros2 *ros, enum service_part part,
		      dds_qos_t *qos)
{
	static uint32_t ends;
	dds_guid_t guid = { { 0 } };
	char text[ID + 16];
	int n;

	dds_get_guid(ros2_participant(ros), &guid);
	ends++;
	for (int i = 0; i < 4; i++)
		guid.v[PREFIX + i] = ends >> (24 - 8 * i);
	n = sprintf(text, "%sid=%2x", part == SERVICE_REQUEST ? "client" :
					"service", guid.v[0]);
	for (int i = 1; i < 16; i++)
		n += sprintf(text + n, ".%x", guid.v[i]);
	n += sprintf(text + n, ";");
	assert(n < (int)sizeof(text));
	dds_qset_userdata(qos, text, n);
}

static dds_entity_t make_topic(struct ros2_pair *p, const struct ros2 *ros,
			       const char *name, enum service_kind kind,
			       enum service_part part)
{
	const struct ddsi_sertype *type;
	char full[IO_NAME + 16];
	dds_entity_t topic;

	snprintf(full, sizeof(full), part == SERVICE_REQUEST ?
		 "rq%sRequest" : "rr%sReply", name);
	topic = ros2_type_topic(ros2_participant(ros), full,
				service_dds_type(kind, part), &type);
	p->topic[part] = topic < 0 ? 0 : topic;
	if (topic >= 0 && !p->type)
		p->type = type;
	return topic;
}

static dds_return_t make_endpoints(struct ros2_pair *p, const struct ros2 *ros,
				   enum service_part part)
{
	dds_qos_t *qos = dds_create_qos();
	dds_return_t ret;

	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, 0);
	dds_qset_durability(qos, DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, SENT);
	dds_qset_writer_data_lifecycle(qos, false);
	user_data(ros, part, qos);
	assert(p->topic[part] && p->topic[!part]);
	ret = dds_create_writer(ros2_participant(ros), p->topic[part], qos,
				p->listener);
	if (ret >= 0) {
		p->writer = ret;
		/*
		 * A client gets the answers to all others, too. While it waits
		 * for a processor they must not push out its own. KEEP_ALL
		 * would stop the thread that receives once it is full.
		 */
		dds_qset_history(qos, DDS_HISTORY_KEEP_LAST,
				 part == SERVICE_REQUEST ? KEPT_ANSWERS : KEPT);
		ret = dds_create_reader(ros2_participant(ros), p->topic[!part],
					qos, p->listener);
	}
	dds_delete_qos(qos);
	if (ret < 0)
		return ret;
	p->reader = ret;
	return dds_get_instance_handle(p->writer, &p->handle);
}

static int watch_event(struct ros2_pair *p, struct loop *loop)
{
	int err;

	assert(p->event < 0 && !p->loop);
	p->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->event < 0)
		return -errno;
	err = loop_watch(loop, &p->watch, p->event, EPOLLIN);
	if (!err)
		p->loop = loop;
	return err;
}

static int open_pair(struct ros2_pair *p, const struct ros2 *ros,
		     const char *name, enum service_kind kind,
		     enum service_part part)
{
	dds_return_t ret;

	p->listener = dds_create_listener(p);
	if (!p->listener)
		return -ENOMEM;
	dds_lset_data_available(p->listener, ros2_pair_on_data);
	dds_lset_publication_matched(p->listener, on_reader_matched);
	dds_lset_subscription_matched(p->listener, on_writer_matched);
	/* the written topic first: it gives the type */
	ret = make_topic(p, ros, name, kind, part);
	if (ret >= 0)
		ret = make_topic(p, ros, name, kind, !part);
	if (ret >= 0)
		ret = make_endpoints(p, ros, part);
	return ret < 0 ? ros2_errno(ret) : 0;
}

int ros2_pair_open(struct ros2_pair *p, struct ros2 *ros, struct loop *loop,
		   const char *name, enum service_kind kind,
		   enum service_part part,
		   void (*ready)(void *arg, uint32_t events), void *arg,
		   struct error *error)
{
	int err;

	*p = (struct ros2_pair){ .event = -1 };
	p->watch.ready = ready;
	p->watch.arg = arg;
	if (!io_valid_name(name))
		return error_set(error, -EINVAL,
				 "invalid service name '%s'", name);
	err = watch_event(p, loop);
	if (!err)
		err = open_pair(p, ros, name, kind, part);
	if (err) {
		ros2_pair_close(p);
		error_set(error, err, "%s: cannot create the service: %s",
			  name, strerror(-err));
	}
	return err;
}

void ros2_pair_close(struct ros2_pair *p)
{
	/* this also ends the calls of the listener */
	if (p->reader)
		dds_delete(p->reader);
	if (p->writer)
		dds_delete(p->writer);
	for (int i = 0; i < 2; i++)
		if (p->topic[i])
			dds_delete(p->topic[i]);
	if (p->listener)
		dds_delete_listener(p->listener);
	if (p->loop)
		loop_unwatch(p->loop, &p->watch);
	if (p->event >= 0)
		close(p->event);
	*p = (struct ros2_pair){ .event = -1 };
}

void ros2_pair_clear(struct ros2_pair *p)
{
	uint64_t n;

	if (read(p->event, &n, sizeof(n)) < 0)
		return;
}

void ros2_pair_again(struct ros2_pair *p)
{
	ros2_pair_wake(p);
}

/*
 * Matches
 */

/* A value of a peer's "key=value;..."; @key with its = */
static bool find_value(const dds_qos_t *qos, const char *key, char value[ID])
{
	size_t size = 0, n = strlen(key);
	bool found = false;
	void *data = NULL;
	const char *at, *end;

	if (!qos || !dds_qget_userdata(qos, &data, &size) || !data)
		return false;
	at = data;
	end = at + size;
	while (!found && at < end) {
		const char *stop = memchr(at, ';', end - at);
		size_t len = (stop ? stop : end) - at;

		if (len > n && len - n < ID && !memcmp(at, key, n)) {
			memcpy(value, at + n, len - n);
			value[len - n] = '\0';
			found = true;
		}
		at += len + 1;
	}
	dds_free(data);
	return found;
}

typedef dds_builtintopic_endpoint_t *peer_fn(dds_entity_t endpoint,
					     dds_instance_handle_t peer);

static bool peer_value(peer_fn *get, dds_entity_t endpoint,
		       dds_instance_handle_t peer, const char *key,
		       char value[ID])
{
	dds_builtintopic_endpoint_t *e = get(endpoint, peer);
	bool found = e && find_value(e->qos, key, value);

	if (e)
		dds_builtintopic_free_endpoint(e);
	return found;
}

static int ros2_pair_clamp(dds_return_t n)
{
	return n > PEERS ? PEERS : n;
}

enum ros2_peer ros2_pair_client(const struct ros2_pair *p,
				dds_instance_handle_t writer)
{
	dds_builtintopic_endpoint_t *e =
		dds_get_matched_publication_data(p->reader, writer);
	dds_instance_handle_t all[PEERS];
	char id[ID], other[ID];
	bool named;
	int n;

	if (!e)
		return ROS2_PEER_GONE;
	named = find_value(e->qos, "clientid=", id);
	dds_builtintopic_free_endpoint(e);
	if (!named)
		return ROS2_PEER_IS_HERE;
	n = dds_get_matched_subscriptions(p->writer, all, PEERS);
	/* with too many peers, assume that it is among them */
	if (n > PEERS)
		return ROS2_PEER_IS_HERE;
	for (int i = 0; i < n; i++)
		if (peer_value(dds_get_matched_subscription_data, p->writer,
			       all[i], "clientid=", other) &&
		    !strcmp(id, other))
			return ROS2_PEER_IS_HERE;
	return ROS2_PEER_COMES;
}

/* Whether a writer of this id is matched */
static bool has_writer(const struct ros2_pair *p, const char *id,
		       const dds_instance_handle_t *writers, int n)
{
	char other[ID];

	for (int i = 0; i < n; i++)
		if (peer_value(dds_get_matched_publication_data, p->reader,
			       writers[i], "serviceid=", other) &&
		    !strcmp(id, other))
			return true;
	return false;
}

bool ros2_pair_has_service(const struct ros2_pair *p)
{
	dds_instance_handle_t readers[PEERS], writers[PEERS];
	int r = ros2_pair_clamp(
		dds_get_matched_subscriptions(p->writer, readers, PEERS));
	int w = ros2_pair_clamp(
		dds_get_matched_publications(p->reader, writers, PEERS));
	bool named = false;
	char id[ID];

	for (int i = 0; i < r; i++) {
		if (!peer_value(dds_get_matched_subscription_data, p->writer,
				readers[i], "serviceid=", id))
			continue;
		named = true;
		if (has_writer(p, id, writers, w))
			return true;
	}
	return !named && r > 0 && w > 0;
}

int ros2_pair_write(struct ros2_pair *p, struct ddsi_serdata *d)
{
	/* takes a reference in any case */
	dds_return_t ret = dds_writecdr(p->writer, ddsi_serdata_ref(d));

	return ret < 0 ? ros2_errno(ret) : 0;
}
