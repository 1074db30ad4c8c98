// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds-submap-writer - submaps of an ordinary Fast DDS writer, see
 * submap-writer.h
 */
#include <cstdio>
#include <unistd.h>

#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>

#include "fastdds_raw.hpp"
#include "submap-writer.h"

using namespace eprosima::fastdds::dds;

static DataWriterQos qos_of(const struct submap_writer &w)
{
	DataWriterQos qos;

	qos.reliability().kind = w.best_effort ? BEST_EFFORT_RELIABILITY_QOS :
				 RELIABLE_RELIABILITY_QOS;
	qos.reliability().max_blocking_time = { 120, 0 };
	qos.durability().kind = w.transient ? TRANSIENT_LOCAL_DURABILITY_QOS :
				VOLATILE_DURABILITY_QOS;
	qos.history().kind = KEEP_ALL_HISTORY_QOS;
	qos.endpoint().history_memory_policy =
		fastdds_rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
	/* as rclcpp has it */
	qos.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE;
	return qos;
}

static unsigned int readers_of(DataWriter *writer)
{
	PublicationMatchedStatus s;

	writer->get_publication_matched_status(s);
	return s.current_count;
}

static void wait_for_readers(const struct submap_writer &w, DataWriter *writer)
{
	for (int i = 0; i < 600 &&
	     readers_of(writer) < submap_writer_readers(&w); i++)
		usleep(100000);
	sleep(SUBMAP_WRITER_GREETING);
}

int main(int argc, char **argv)
{
	struct submap_writer w;
	int status = submap_writer_options(&w, argc, argv);
	DomainParticipant *p;
	DataWriter *writer;

	if (status)
		return status;
	p = raw_participant(w.bytes);
	writer = p->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(
		raw_topic(p, SUBMAP_WRITER_TOPIC, SUBMAP_WRITER_TYPE),
		qos_of(w));
	if (!writer) {
		fprintf(stderr, "fastdds-submap-writer: no writer\n");
		return 1;
	}
	if (!w.at_once)
		wait_for_readers(w, writer);
	for (unsigned int i = 0; submap_writer_next(&w, readers_of(writer));
	     i++) {
		bytes b(submap_writer_size(&w, i));

		submap_writer_message(&w, i, b.data());
		if (!fastdds_ok(writer->write(&b)))
			return 1;
		printf("%u\n", i);
		fflush(stdout);
		submap_writer_pause(&w);
	}
	if (!w.best_effort &&
	    !fastdds_ok(writer->wait_for_acknowledgments({ 120, 0 })))
		status = 1;
	sleep(w.stay);
	p->delete_contained_entities();
	DomainParticipantFactory::get_instance()->delete_participant(p);
	return status;
}
