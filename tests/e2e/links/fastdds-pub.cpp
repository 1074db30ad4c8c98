// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds-pub - a robot's cameras as an ordinary Fast DDS node, see app.h
 */
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>

#include "fastdds.hpp"

using namespace eprosima::fastdds::dds;

static DataWriter *writers[APP_TOPICS];

static bool publish(struct app *, unsigned int t, unsigned int number,
		    int64_t stamp, const struct app_payload *p)
{
	image m;

	m.sec = (int32_t)(stamp / 1000000000);
	m.nanosec = (uint32_t)(stamp % 1000000000);
	m.frame_id = std::to_string(number);
	m.data.assign(p->data, p->data + p->size);
	/* One that does not fit into the history is lost, as in rclcpp. */
	writers[t]->write(&m);
	return true;
}

static int readers(struct app *a, bool most)
{
	PublicationMatchedStatus st;
	int n = -1;

	for (unsigned int i = 0; i < a->ntopics; i++) {
		writers[i]->get_publication_matched_status(st);
		if (n < 0 || (most ? st.current_count > n :
				     st.current_count < n))
			n = st.current_count;
	}
	return n;
}

int main(int argc, char **argv)
{
	DomainParticipant *participant = NULL;
	static struct app a;
	Publisher *publisher = NULL;
	bool ok;

	a.publish = publish;
	a.readers = readers;
	if (!app_options(&a, argc, argv, true))
		return 2;
	for (unsigned int i = 0; i < a.ntopics; i++) {
		Topic *topic = fastdds_topic(&participant, &a,
					     &a.topics[i]);
		DataWriterQos qos;

		if (!publisher)
			publisher = participant->create_publisher(
				PUBLISHER_QOS_DEFAULT);
		fastdds_qos(&qos, &a, a.depth ? a.depth : 5);
		/* rclcpp's choice */
		qos.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE;
		writers[i] = publisher->create_datawriter(topic, qos);
		if (!writers[i]) {
			fprintf(stderr, "fastdds-pub: no writer\n");
			return 1;
		}
	}
	ok = app_publish(&a);
	participant->delete_contained_entities();
	DomainParticipantFactory::get_instance()->delete_participant(
		participant);
	return !ok;
}
