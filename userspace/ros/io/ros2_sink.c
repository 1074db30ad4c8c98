// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_sink - messages to a DDS domain
 *
 * Writers have ROS 2's defaults, RELIABLE and VOLATILE, to match all readers,
 * but never block: newer messages overwrite those that a slow reader has not
 * acknowledged, without being counted. Messages that DDS itself refuses are
 * dropped and counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "ros/io/ros2.h"
#include "ros/io/sink_ops.h"

enum { DEPTH = 10 };	/* as in ROS 2 */

struct ros2_sink {
	struct sink	s;
	struct ros2	*ros;
};

struct ros2_topic {
	struct sink_topic		t;
	dds_entity_t			topic, writer;
	const struct ddsi_sertype	*type;
};

static struct ros2 *ros_of(const struct sink *s)
{
	return ((const struct ros2_sink *)s)->ros;
}

static int ros2_sink_open(struct sink **result, struct loop *loop,
			  const char *rest, const struct sink_config *config,
			  struct error *error)
{
	struct ros2_sink *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	err = ros2_join(&s->ros, rest, config->name, error);
	if (err) {
		free(s);
		return err;
	}
	s->s.ops = &ros2_sink_ops;
	s->s.loop = loop;
	s->s.config = *config;
	*result = &s->s;
	return 0;
}

static dds_qos_t *writer_qos(bool latched)
{
	dds_qos_t *qos = dds_create_qos();
	int32_t depth = latched ? 1 : DEPTH;

	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, 0);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, depth);
	dds_qset_durability(qos, latched ? DDS_DURABILITY_TRANSIENT_LOCAL :
					   DDS_DURABILITY_VOLATILE);
	if (latched)
		dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST,
					    depth, DDS_LENGTH_UNLIMITED,
					    DDS_LENGTH_UNLIMITED,
					    DDS_LENGTH_UNLIMITED);
	dds_qset_writer_data_lifecycle(qos, false);
	return qos;
}

static int ros2_sink_add(struct sink *s, struct sink_topic *topic)
{
	struct ros2_topic *t = (struct ros2_topic *)topic;
	dds_qos_t *qos;

	t->topic = ros2_topic(ros_of(s), topic->name, topic->kind, &t->type);
	if (t->topic < 0)
		return ros2_errno(t->topic);
	qos = writer_qos(topic->latched);
	t->writer = dds_create_writer(ros2_participant(ros_of(s)), t->topic,
				      qos, NULL);
	dds_delete_qos(qos);
	if (t->writer >= 0)
		return 0;
	dds_delete(t->topic);
	return ros2_errno(t->writer);
}

static void ros2_sink_remove(struct sink_topic *topic)
{
	struct ros2_topic *t = (struct ros2_topic *)topic;

	dds_delete(t->writer);
	dds_delete(t->topic);
}

/* Encode directly into the sample that is sent */
static int ros2_sink_write_message(struct ros2_topic *t,
				   const union message *msg)
{
	enum message_kind kind = t->t.kind;
	long len = message_size(kind, MESSAGE_CDR, msg);
	struct ddsi_serdata *d;
	uint8_t *bytes;
	size_t room;

	if (len < 0)
		return (int)len;
	d = ros2_type_data(t->type, len);
	if (!d)
		return -ENOMEM;
	bytes = ros2_type_bytes(d, &room);
	len = message_write(kind, MESSAGE_CDR, msg, bytes, room);
	if (len < 0) {
		ddsi_serdata_unref(d);
		return (int)len;
	}
	len = dds_writecdr(t->writer, d);
	return len < 0 ? ros2_errno((dds_return_t)len) : 0;
}

static int ros2_sink_publish(struct sink_topic *topic, int64_t received,
			     const union message *msg)
{
	int err = ros2_sink_write_message((struct ros2_topic *)topic, msg);

	(void)received;
	if (err && !topic->logged)
		sink_log(topic->sink, LOG_WARNING,
			 "%s: message dropped, logged once: %s",
			 topic->name,
			 err == -EAGAIN ? "a reader is too slow" :
					  strerror(-err));
	topic->logged |= err != 0;
	return err;
}

static void ros2_sink_close(struct sink *s)
{
	ros2_leave(ros_of(s));
	free(s);
}

const struct sink_ops ros2_sink_ops = {
	.topic_size	= sizeof(struct ros2_topic),
	.open		= ros2_sink_open,
	.add		= ros2_sink_add,
	.remove		= ros2_sink_remove,
	.publish	= ros2_sink_publish,
	.close		= ros2_sink_close,
};
