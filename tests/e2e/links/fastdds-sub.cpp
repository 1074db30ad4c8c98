// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds-sub - the operator as an ordinary Fast DDS node: prints "NAME NUMBER
 * CRC" for each message, ends by SIGTERM or when on all topics one after LAST
 * has come
 */
#include <csignal>

#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

#include "fastdds.hpp"

using namespace eprosima::fastdds::dds;

enum { READER_DEPTH = 100 };

static DataReader *readers[APP_TOPICS];

static volatile sig_atomic_t ending;

static void on_signal(int)
{
	ending = 1;
}

/* Return: true when it is over */
static bool take(struct app *a, unsigned int t)
{
	bool over = false;
	SampleInfo info;
	image m;

	while (fastdds_ok(readers[t]->take_next_sample(&m, &info)))
		if (info.valid_data)
			over |= app_received(a, t, (unsigned int)atoi(
						m.frame_id.c_str()),
					     m.data.data(), m.data.size());
	return over;
}

int main(int argc, char **argv)
{
	DomainParticipant *participant = NULL;
	Subscriber *subscriber = NULL;
	static struct app a;
	ConditionSeq active;
	bool over = false;
	WaitSet waits;

	signal(SIGTERM, on_signal);
	if (!app_options(&a, argc, argv, false))
		return 2;
	for (unsigned int i = 0; i < a.ntopics; i++) {
		Topic *topic = fastdds_topic(&participant, &a,
					     &a.topics[i]);
		DataReaderQos qos;

		if (!subscriber)
			subscriber = participant->create_subscriber(
				SUBSCRIBER_QOS_DEFAULT);
		fastdds_qos(&qos, &a, READER_DEPTH);
		readers[i] = subscriber->create_datareader(topic, qos);
		if (!readers[i]) {
			fprintf(stderr, "fastdds-sub: no reader\n");
			return 1;
		}
		readers[i]->get_statuscondition().set_enabled_statuses(
			StatusMask::data_available());
		waits.attach_condition(readers[i]->get_statuscondition());
	}
	while (!over && !ending) {
		waits.wait(active, Duration_t(0, 200000000));
		for (unsigned int i = 0; i < a.ntopics; i++)
			over |= take(&a, i);
	}
	participant->delete_contained_entities();
	DomainParticipantFactory::get_instance()->delete_participant(
		participant);
	return 0;
}
