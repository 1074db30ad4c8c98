// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_source - messages of a DDS domain
 *
 * A reader with low requirements, BEST_EFFORT and VOLATILE, matches all
 * writers.
 * A writer that keeps its last message for late subscribers (RELIABLE and
 * TRANSIENT_LOCAL: maps) only gives it to a reader that requests that, and such
 * a reader has no other writers: the topic then has two readers, and samples of
 * such writers at the first one are ignored.
 *
 * A third reader is for small messages of RELIABLE writers. After a gap Cyclone
 * DDS 0.10 drops the next message of such a writer if no reader is RELIABLE
 * (its issue 1561): this would be all that a sampling link kept of an outage.
 * Large messages do not use it: a RELIABLE reader behind a stalled link would
 * block their writer.
 *
 * A topic whose messages are all wanted has the three from the beginning, so
 * that no sample is sent before one of them exists, and they keep all samples
 * until they are taken. Cyclone DDS 0.10 does not report a gap in the received
 * samples: it is found in the sequence numbers of the writers.
 *
 * The writers are known from the built-in topic DCPSPublication, which is
 * always read before the data. Samples may still arrive after their writer
 * left, so it is remembered for a while.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>
#include "base/error.h"
#include "ros/io/ros2.h"
#include "ros/io/ros2_reader.h"
#include "ros/io/source_ops.h"

enum {
	DEPTH	= 10,		/* messages that wait for us, */
	MANY	= 500,		/* small ones */
	BATCH	= 8,
	WRITERS	= 4096,		/* known at a time, others are ignored */
	UNKNOWN	= -2,		/* a kind that message.h has not */
};

static const uint64_t REMEMBERED = 60 * 1000000000ULL;	/* ns, once gone */

/* Requested QoS of a reader */
enum asks { ASKS_LITTLE, ASKS_RELIABLE, ASKS_DURABLE, READERS };

/**
 * struct writer - a discovered writer
 * @handle:	identifies it in samples
 * @needs:	the reader for its samples, see reader_for()
 * @last:	number of its last sample that was taken, 0: none
 * @gone:	when it left, CLOCK_MONOTONIC; 0: it is there
 */
struct writer {
	dds_guid_t		guid;
	dds_instance_handle_t	handle;
	char			*topic;
	int			kind;
	enum asks		needs;
	bool			reliable;
	uint64_t		last, gone;
};

/**
 * struct topic - a subscribed topic
 * @kind:	-1: not known yet
 * @type:	of @topic
 * @all:	each message is wanted
 * @logged_lost:	a loss was logged
 * @logged:	a writer with another type was logged
 * @left:	was unsubscribed: to be freed when it is not in use
 */
struct topic {
	struct topic	*next;
	char		*name;
	int		kind;
	dds_entity_t	topic, reader[READERS];
	const struct ddsi_sertype *type;
	bool		all, logged_lost, logged, left;
};

struct ros2_source {
	struct source	s;
	struct ros2	*ros;
	dds_entity_t	discovery;
	dds_listener_t	*listener;
	int		event;
	struct loop_fd	watch;
	struct writer	*writers;
	unsigned int	count, room;
	struct topic	*topics;
	bool		busy;
	uint64_t	lost;
};

static struct ros2_source *ros2_of(struct source *s)
{
	return (struct ros2_source *)s;
}

/* In a thread of Cyclone's */
static void ros2_source_on_data(dds_entity_t reader, void *arg)
{
	static const uint64_t one = 1;
	const struct ros2_source *s = arg;

	(void)reader;
	/* a full counter is readable, too */
	if (write(s->event, &one, sizeof(one)) < 0)
		return;
}

/*
 * Topics and their readers
 */

static struct topic *ros2_source_find_topic(const struct ros2_source *s,
					    const char *name)
{
	struct topic *t = s->topics;

	while (t && (t->left || strcmp(t->name, name)))
		t = t->next;
	return t;
}

static bool is_small(int kind)
{
	return kind == MESSAGE_LASER_SCAN || kind == MESSAGE_ODOMETRY ||
	       kind == MESSAGE_TWIST || kind == MESSAGE_TWIST_STAMPED ||
	       kind == MESSAGE_TRANSFORMS || kind == MESSAGE_CAMERA_INFO ||
	       kind == MESSAGE_IMU || kind == MESSAGE_JOINT_STATE;
}

static dds_entity_t make_reader(struct ros2_source *s, struct topic *t,
				enum asks asks)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t reader;

	dds_qset_reliability(qos, asks == ASKS_LITTLE ?
			     DDS_RELIABILITY_BEST_EFFORT :
			     DDS_RELIABILITY_RELIABLE, 0);
	dds_qset_durability(qos, asks == ASKS_DURABLE ?
			    DDS_DURABILITY_TRANSIENT_LOCAL :
			    DDS_DURABILITY_VOLATILE);
	if (t->all)
		dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
	else
		dds_qset_history(qos, DDS_HISTORY_KEEP_LAST,
				 is_small(t->kind) ? MANY : DEPTH);
	dds_qset_ignorelocal(qos, DDS_IGNORELOCAL_PARTICIPANT);
	reader = dds_create_reader(ros2_participant(s->ros), t->topic, qos,
				   s->listener);
	dds_delete_qos(qos);
	if (reader < 0)
		return 0;
	if (asks == ASKS_RELIABLE)
		ros2_reader_keep_first(reader, t->type);
	return reader;
}

/* Its kind is known now. Return: 0 or a negative errno */
static int ros2_source_begin_topic(struct ros2_source *s, struct topic *t)
{
	t->topic = ros2_topic(s->ros, t->name, t->kind, &t->type);
	if (t->topic < 0) {
		int err = ros2_errno(t->topic);

		t->topic = 0;
		return err;
	}
	for (int i = ASKS_LITTLE; i < (t->all ? READERS : ASKS_LITTLE + 1); i++) {
		t->reader[i] = make_reader(s, t, (enum asks)i);
		if (!t->reader[i])
			return -ENOMEM;
	}
	return 0;
}

/* Samples that DDS itself could not store */
static uint64_t refused_by(const struct topic *t)
{
	dds_sample_rejected_status_t rejected;
	dds_sample_lost_status_t lost;
	uint64_t n = 0;

	for (unsigned int i = 0; i < READERS && t->all; i++) {
		if (t->reader[i] &&
		    !dds_get_sample_lost_status(t->reader[i], &lost))
			n += lost.total_count;
		/* a RELIABLE one is sent again */
		if (i == ASKS_LITTLE && t->reader[i] &&
		    !dds_get_sample_rejected_status(t->reader[i], &rejected))
			n += rejected.total_count;
	}
	return n;
}

static void ros2_source_end_topic(struct ros2_source *s, struct topic *t)
{
	s->lost += refused_by(t);
	for (unsigned int i = 0; i < READERS; i++)
		if (t->reader[i])
			dds_delete(t->reader[i]);
	if (t->topic)
		dds_delete(t->topic);
	free(t->name);
	free(t);
}

static void sweep(struct ros2_source *s)
{
	for (struct topic **at = &s->topics; *at; ) {
		struct topic *t = *at;

		if (t->left) {
			*at = t->next;
			ros2_source_end_topic(s, t);
		} else {
			at = &t->next;
		}
	}
}

/* The reader of a topic for the samples of a writer */
static enum asks reader_for(const struct topic *t, const struct writer *w)
{
	return t->all && w->reliable && w->needs == ASKS_LITTLE ?
	       ASKS_RELIABLE : w->needs;
}

/*
 * A subscribed topic has a writer.
 */
static void meet(struct ros2_source *s, struct topic *t,
		 const struct writer *w)
{
	int err = 0;

	if (t->kind < 0 && w->kind >= 0 && w->kind < MESSAGE_KINDS) {
		t->kind = w->kind;
		err = ros2_source_begin_topic(s, t);
	}
	if (err)
		source_log(&s->s, LOG_ERR, "%s: %s", t->name, strerror(-err));
	if (w->kind != t->kind || w->kind < 0) {
		if (!t->logged)
			source_log(&s->s, LOG_WARNING, "%s ignored: %s",
				   t->name, w->kind < 0 ?
				   "unsupported type" :
				   message_type(w->kind, MESSAGE_CDR));
		t->logged = true;
	} else if (!t->reader[reader_for(t, w)] && t->topic) {
		t->reader[reader_for(t, w)] = make_reader(s, t,
							  reader_for(t, w));
	}
}

/*
 * Discovery
 */

static int find_writer(const struct ros2_source *s, const dds_guid_t *guid)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (!memcmp(&s->writers[i].guid, guid, sizeof(*guid)))
			return i;
	return -ENOENT;
}

static void forget_writer(struct ros2_source *s, unsigned int i)
{
	assert(i < s->count && s->count <= s->room);
	free(s->writers[i].topic);
	s->writers[i] = s->writers[--s->count];
}

static void writer_is_gone(struct ros2_source *s, const dds_guid_t *guid)
{
	int i = find_writer(s, guid);

	if (i >= 0 && !s->writers[i].gone)
		s->writers[i].gone = loop_now();
}

static void forget_gone(struct ros2_source *s, uint64_t now)
{
	for (unsigned int i = s->count; i--; )
		if (s->writers[i].gone && now - s->writers[i].gone > REMEMBERED)
			forget_writer(s, i);
}

static struct writer *new_writer(struct ros2_source *s)
{
	struct writer *all;

	/* replace writers that left first */
	for (unsigned int i = 0; s->count == WRITERS && i < s->count; i++)
		if (s->writers[i].gone)
			forget_writer(s, i);
	if (s->count < s->room)
		return &s->writers[s->count++];
	if (s->room == WRITERS)
		return NULL;
	all = realloc(s->writers, (s->room * 2 + 64) * sizeof(*all));
	if (!all)
		return NULL;
	assert(s->count == s->room);
	s->writers = all;
	s->room = s->room * 2 + 64 > WRITERS ? WRITERS : s->room * 2 + 64;
	return &s->writers[s->count++];
}

/* Return: the name in ROS, or NULL: not a topic of ROS */
static const char *ros_name(const char *dds_name)
{
	if (!dds_name || strncmp(dds_name, "rt/", 3) ||
	    !io_valid_name(dds_name + 2))
		return NULL;
	return dds_name + 2;
}

static bool is_reliable(const dds_qos_t *qos)
{
	dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
	dds_duration_t blocking;

	dds_qget_reliability(qos, &reliability, &blocking);
	return reliability == DDS_RELIABILITY_RELIABLE;
}

static enum asks needs_of(const dds_qos_t *qos, int kind)
{
	dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;

	dds_qget_durability(qos, &durability);
	if (!is_reliable(qos))
		return ASKS_LITTLE;
	if (durability >= DDS_DURABILITY_TRANSIENT_LOCAL)
		return ASKS_DURABLE;
	return is_small(kind) ? ASKS_RELIABLE : ASKS_LITTLE;
}

/* Whether a writer before number @i has the same topic */
static bool ros2_source_was_found(const struct ros2_source *s, unsigned int i)
{
	for (unsigned int j = 0; j < i; j++)
		if (s->writers[j].kind >= 0 && !s->writers[j].gone &&
		    s->writers[j].kind < MESSAGE_KINDS &&
		    !strcmp(s->writers[j].topic, s->writers[i].topic))
			return true;
	return false;
}

static void add_writer(struct ros2_source *s,
		       const dds_builtintopic_endpoint_t *e,
		       dds_instance_handle_t handle)
{
	const char *name = ros_name(e->topic_name);
	struct topic *t;
	struct writer *w;
	int kind, known;

	if (!name || ros2_is_own(s->ros, &e->key))
		return;
	known = find_writer(s, &e->key);
	/* the link was down for longer than a lease */
	if (known >= 0) {
		s->writers[known].handle = handle;
		s->writers[known].gone = 0;
		return;
	}
	kind = e->type_name ? message_any_kind_of(e->type_name) : -ENOENT;
	w = new_writer(s);
	if (!w)
		return;
	assert(w == &s->writers[s->count - 1]);
	*w = (struct writer){
		.guid = e->key, .handle = handle, .topic = strdup(name),
		.kind = kind < 0 ? UNKNOWN : kind,
		.needs = needs_of(e->qos, kind), .reliable = is_reliable(e->qos),
	};
	if (!w->topic) {
		s->count--;
		return;
	}
	t = ros2_source_find_topic(s, name);
	if (t)
		meet(s, t, w);
	else if (kind >= 0 && kind < MESSAGE_KINDS && s->s.config.found &&
		 !ros2_source_was_found(s, s->count - 1))
		s->s.config.found(s->s.config.arg, name, kind);
}

static void take_discovery(struct ros2_source *s)
{
	dds_sample_info_t info[BATCH];
	void *sample[BATCH] = { NULL };
	int n;

	while ((n = dds_take(s->discovery, sample, info, BATCH, BATCH)) > 0) {
		for (int i = 0; i < n; i++) {
			const dds_builtintopic_endpoint_t *e = sample[i];

			if (info[i].instance_state != DDS_IST_ALIVE)
				writer_is_gone(s, &e->key);
			else if (info[i].valid_data)
				add_writer(s, e, info[i].instance_handle);
		}
		dds_return_loan(s->discovery, sample, n);
		memset(sample, 0, sizeof(sample));
	}
}

/*
 * Data
 */

static struct writer *writer_of(const struct ros2_source *s,
				dds_instance_handle_t handle)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->writers[i].handle == handle)
			return &s->writers[i];
	return NULL;
}

/* Whether another reader has the sample as well */
static bool comes_twice(const struct topic *t, enum asks asks,
			const struct writer *w)
{
	if (!w)
		return t->all ? asks != ASKS_LITTLE : asks == ASKS_RELIABLE;
	return reader_for(t, w) != asks && t->reader[reader_for(t, w)];
}

/* Count the losses before it. Return: whether it was taken before */
static bool count_lost(struct ros2_source *s, struct topic *t,
		       struct writer *w, uint64_t sequence)
{
	const uint64_t last = w->last, n = sequence - last - 1;

	if (!sequence)
		return false;
	if (last && sequence <= last)
		return true;
	w->last = sequence;
	if (!last || !n)
		return false;
	s->lost += n;
	if (!t->logged_lost)
		source_log(&s->s, LOG_WARNING, "%s: %llu messages of a writer "
			   "were lost; further losses are only counted in the "
			   "status", t->name, (unsigned long long)n);
	t->logged_lost = true;
	return false;
}

static void ros2_source_deliver(struct ros2_source *s, const struct topic *t,
				struct ddsi_serdata *d)
{
	struct source_message m = {
		.topic = t->name, .kind = t->kind, .format = MESSAGE_CDR,
		.stamp = io_now(),
	};

	m.data = ros2_type_bytes(d, &m.len);
	s->s.config.message(s->s.config.arg, &m);
}

/* Whether a sample is for the topic, through this reader */
static bool is_wanted(struct ros2_source *s, struct topic *t, enum asks asks,
		      const dds_sample_info_t *info,
		      const struct ddsi_serdata *d)
{
	struct writer *w;

	if (!info->valid_data || t->left)
		return false;
	w = writer_of(s, info->publication_handle);
	if (comes_twice(t, asks, w))
		return false;
	return !t->all || !w ||
	       !count_lost(s, t, w, ros2_type_sequence(d));
}

/* Return: whether there may be more */
static bool take_data(struct ros2_source *s, struct topic *t,
		      enum asks asks)
{
	const dds_entity_t reader = t->reader[asks];
	struct ddsi_serdata *data[BATCH];
	dds_sample_info_t info[BATCH];
	int n = reader ? dds_takecdr(reader, data, BATCH, info,
				     DDS_ANY_STATE) : 0;

	for (int i = 0; i < n; i++) {
		if (is_wanted(s, t, asks, &info[i], data[i]))
			ros2_source_deliver(s, t, data[i]);
		ddsi_serdata_unref(data[i]);
	}
	return n == BATCH && !t->left;
}

static void ros2_source_on_event(void *arg, uint32_t events)
{
	struct ros2_source *s = arg;
	bool more = false;
	uint64_t n;

	(void)events;
	if (read(s->event, &n, sizeof(n)) < 0 && errno != EAGAIN)
		return;
	s->busy = true;
	take_discovery(s);
	forget_gone(s, loop_now());
	for (struct topic *t = s->topics; t; t = t->next) {
		for (int i = READERS; i--; )
			more |= take_data(s, t, (enum asks)i);
	}
	s->busy = false;
	sweep(s);
	/* let others in the loop have their turn */
	if (more)
		ros2_source_on_data(0, s);
}

/*
 * Operations
 */

static void ros2_source_close(struct source *source)
{
	struct ros2_source *s = ros2_of(source);

	for (struct topic *t = s->topics; t; t = t->next)
		t->left = true;
	sweep(s);
	if (s->discovery > 0)
		dds_delete(s->discovery);
	if (s->listener)
		dds_delete_listener(s->listener);
	if (s->watch.ready)
		loop_unwatch(s->s.loop, &s->watch);
	if (s->event >= 0)
		close(s->event);
	for (unsigned int i = 0; i < s->count; i++)
		free(s->writers[i].topic);
	free(s->writers);
	if (s->ros)
		ros2_leave(s->ros);
	free(s);
}

static int watch_events(struct ros2_source *s)
{
	int err;

	s->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->event < 0)
		return -errno;
	s->watch.ready = ros2_source_on_event;
	s->watch.arg = s;
	err = loop_watch(s->s.loop, &s->watch, s->event, EPOLLIN);
	if (err)
		s->watch.ready = NULL;
	return err;
}

static int watch_writers(struct ros2_source *s)
{
	s->listener = dds_create_listener(s);
	if (!s->listener)
		return -ENOMEM;
	dds_lset_data_available(s->listener, ros2_source_on_data);
	s->discovery = dds_create_reader(ros2_participant(s->ros),
					 DDS_BUILTIN_TOPIC_DCPSPUBLICATION,
					 NULL, s->listener);
	if (s->discovery < 0)
		return ros2_errno(s->discovery);
	/* existing writers caused no event */
	ros2_source_on_data(s->discovery, s);
	return 0;
}

static int ros2_source_open(struct source **result, struct loop *loop,
			    const char *rest,
			    const struct source_config *config,
			    struct error *error)
{
	struct ros2_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->s.ops = &ros2_source_ops;
	s->s.loop = loop;
	s->s.config = *config;
	s->event = -1;
	err = ros2_join(&s->ros, rest, config->name, error);
	if (!err) {
		err = watch_events(s) ?: watch_writers(s);
		if (err)
			error_set(error, err, "DDS: %s", strerror(-err));
	}
	if (err)
		ros2_source_close(&s->s);
	else
		*result = &s->s;
	return err;
}

/* Samples of a known writer are taken again */
static void ros2_source_begin_again(struct ros2_source *s, const char *name)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (!strcmp(s->writers[i].topic, name))
			s->writers[i].last = 0;
}

static uint64_t ros2_source_lost(const struct source *source)
{
	const struct ros2_source *s = (const struct ros2_source *)source;
	uint64_t n = s->lost;

	for (const struct topic *t = s->topics; t; t = t->next)
		n += refused_by(t);
	return n;
}

static int ros2_source_subscribe(struct source *source, const char *name,
				 int kind, bool all)
{
	struct ros2_source *s = ros2_of(source);
	struct topic *t;
	int err = 0;

	if (ros2_source_find_topic(s, name))
		return -EEXIST;
	t = calloc(1, sizeof(*t));
	if (t)
		t->name = strdup(name);
	if (!t || !t->name) {
		free(t);
		return -ENOMEM;
	}
	t->kind = kind;
	t->all = all;
	ros2_source_begin_again(s, name);
	if (kind >= 0)
		err = ros2_source_begin_topic(s, t);
	if (err) {
		ros2_source_end_topic(s, t);
		return err;
	}
	t->next = s->topics;
	s->topics = t;
	for (unsigned int i = 0; i < s->count; i++)
		if (!s->writers[i].gone && !strcmp(s->writers[i].topic, name))
			meet(s, t, &s->writers[i]);
	return 0;
}

static void ros2_source_unsubscribe(struct source *source, const char *name)
{
	struct ros2_source *s = ros2_of(source);
	struct topic *t = ros2_source_find_topic(s, name);

	if (t)
		t->left = true;
	if (!s->busy)
		sweep(s);
}

const struct source_ops ros2_source_ops = {
	.open		= ros2_source_open,
	.subscribe	= ros2_source_subscribe,
	.unsubscribe	= ros2_source_unsubscribe,
	.lost		= ros2_source_lost,
	.close		= ros2_source_close,
};
