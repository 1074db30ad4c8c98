/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_fixture.h - a loop, and a DDS domain in a network namespace of its own,
 * with a second participant: what others have there
 */
#ifndef ROS2_FIXTURE_H
#define ROS2_FIXTURE_H

#include "base/cli.h"
#include "io_fixture.h"
#include "netdev/netns.h"
#include "ros/io/ros2.h"

enum { TURN_MS = 2, GIVE_UP_S = 120 };

static struct loop *loop;
static struct loop_timer turn;
static struct ros2 *ros;
static dds_entity_t other;	/* participant of somebody else */
static struct error error;

static inline void on_turn(void *arg, uint64_t now)
{
	(void)arg;
	turn.due = now + TURN_MS * 1000000;
	loop_stop(loop, 0);
}

/* Run the loop until @condition, but not for ever. Its last value */
#define until(condition) ({						\
	const uint64_t end_ = loop_now() + GIVE_UP_S * 1000000000ULL;	\
	bool is_;							\
									\
	while (!(is_ = (condition)) && loop_now() < end_)		\
		loop_run(loop);						\
	is_;								\
})

/* All that is on its way arrives within this process at once */
static inline void settle(void)
{
	for (int i = 0; i < 10; i++)
		loop_run(loop);
}

/* A network of the test's own: before ros2_begin() */
static inline void ros2_network(void)
{
	netns_enter();
	setenv("ROS_LOCALHOST_ONLY", "1", 1);
	setenv("ROS_DOMAIN_ID", "7", 1);
	unsetenv("CYCLONEDDS_URI");
	unsetenv("ROS_DISTRO");
}

static inline void ros2_begin(void)
{
	loop = loop_create();
	turn.expired = on_turn;
	loop_add_timer(loop, &turn);
	if (ros2_join(&ros, NULL, "/test", &error)) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	other = dds_create_participant(7, NULL, NULL);
}

static inline void ros2_end(void)
{
	dds_delete(other);
	ros2_leave(ros);
	loop_remove_timer(loop, &turn);
	loop_destroy(loop);
}

/**
 * struct end - a writer or a reader of somebody else
 */
struct end {
	dds_entity_t			topic, end;
	const struct ddsi_sertype	*type;
};

static inline dds_qos_t *end_qos(bool reliable, bool latched)
{
	dds_qos_t *qos = dds_create_qos();

	dds_qset_reliability(qos, reliable ? DDS_RELIABILITY_RELIABLE :
			     DDS_RELIABILITY_BEST_EFFORT, DDS_MSECS(100));
	dds_qset_durability(qos, latched ? DDS_DURABILITY_TRANSIENT_LOCAL :
					   DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 20);
	dds_qset_writer_data_lifecycle(qos, false);
	return qos;
}

static inline struct end end_new(const char *topic, const char *type,
				 bool writes, bool reliable, bool latched)
{
	dds_qos_t *qos = end_qos(reliable, latched);
	struct end e;

	e.topic = ros2_type_topic(other, topic, type, &e.type);
	e.end = writes ? dds_create_writer(other, e.topic, qos, NULL) :
			 dds_create_reader(other, e.topic, qos, NULL);
	dds_delete_qos(qos);
	if (e.topic < 0 || e.end < 0) {
		printf("Bail out! %s: %s\n", topic, dds_strretcode(
		       e.topic < 0 ? e.topic : e.end));
		exit(1);
	}
	return e;
}

static inline void end_delete(struct end *e)
{
	dds_delete(e->end);
	dds_delete(e->topic);
}

static inline void end_write(const struct end *e, const void *data, size_t len)
{
	struct ddsi_serdata *d = ros2_type_data(e->type, len);
	size_t room;

	memcpy(ros2_type_bytes(d, &room), data, len);
	if (dds_writecdr(e->end, d) < 0)
		abort();
}

/* Return: bytes of the next sample; 0: there is none */
static inline size_t end_read(const struct end *e, uint8_t *to)
{
	struct ddsi_serdata *d;
	dds_sample_info_t info;
	const uint8_t *bytes;
	size_t len;

	if (dds_takecdr(e->end, &d, 1, &info, DDS_ANY_STATE) != 1)
		return 0;
	bytes = ros2_type_bytes(d, &len);
	if (!info.valid_data)
		len = 0;
	memcpy(to, bytes, len);
	ddsi_serdata_unref(d);
	return len;
}

#endif
