// SPDX-License-Identifier: GPL-2.0-only
/*
 * submap-writer - submaps of an ordinary Cyclone DDS writer, see
 * submap-writer.h
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "ros/io/ros2.h"
#include "submap-writer.h"

static dds_entity_t make_writer(const struct submap_writer *w,
				const struct ros2 *ros, dds_entity_t topic)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t writer;

	dds_qset_reliability(qos, w->best_effort ? DDS_RELIABILITY_BEST_EFFORT :
			     DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
	dds_qset_durability(qos, w->transient ? DDS_DURABILITY_TRANSIENT_LOCAL :
			    DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
	dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_ALL, 0,
				    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED,
				    DDS_LENGTH_UNLIMITED);
	dds_qset_writer_data_lifecycle(qos, false);
	writer = dds_create_writer(ros2_participant(ros), topic, qos, NULL);
	dds_delete_qos(qos);
	return writer;
}

static unsigned int readers_of(dds_entity_t writer)
{
	dds_publication_matched_status_t s = { 0 };

	dds_get_publication_matched_status(writer, &s);
	return s.current_count;
}

static void wait_for_readers(const struct submap_writer *w, dds_entity_t writer)
{
	for (int i = 0; i < 600 &&
	     readers_of(writer) < submap_writer_readers(w); i++)
		usleep(100000);
	sleep(SUBMAP_WRITER_GREETING);
}

static int send_all(struct submap_writer *w, dds_entity_t writer,
		const struct ddsi_sertype *type)
{
	for (unsigned int i = 0; submap_writer_next(w, readers_of(writer));
	     i++) {
		struct ddsi_serdata *d = ros2_type_data(type,
						submap_writer_size(w, i));
		size_t len;

		submap_writer_message(w, i, ros2_type_bytes(d, &len));
		if (dds_writecdr(writer, d) < 0)
			return 1;
		printf("%u\n", i);
		fflush(stdout);
		submap_writer_pause(w);
	}
	return w->best_effort ? 0 :
	       dds_wait_for_acks(writer, DDS_SECS(120)) < 0;
}

int main(int argc, char **argv)
{
	const struct ddsi_sertype *type;
	struct submap_writer w;
	dds_entity_t topic, writer;
	struct error error;
	struct ros2 *ros;
	int status = submap_writer_options(&w, argc, argv);

	if (status)
		return status;
	if (ros2_join(&ros, NULL, "submap_writer", &error)) {
		fprintf(stderr, "submap-writer: %s\n", error.text);
		return 1;
	}
	topic = ros2_topic(ros, &SUBMAP_WRITER_TOPIC[2],
			   MESSAGE_OCCUPANCY_GRID, &type);
	writer = make_writer(&w, ros, topic);
	if (writer < 0) {
		fprintf(stderr, "submap-writer: no writer\n");
		return 1;
	}
	if (!w.at_once)
		wait_for_readers(&w, writer);
	status = send_all(&w, writer, type);
	sleep(w.stay);
	ros2_leave(ros);
	return status;
}
