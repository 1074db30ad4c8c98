// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastdds-client - asks each service of gdim_msgs, as a client of rmw_fastrtps
 *
 * usage: fastdds-client TIMES SECONDS [-w]
 *
 * A line for each answer; "no answer" if it takes longer than SECONDS once the
 * service is found. A request says in its related identity which reader waits
 * for the answer; -w: it does not, as of clients before ROS 2 Galactic: then
 * the answer names the writer.
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

#include "fastdds_raw.hpp"
#include "fastdds-client.h"

using namespace eprosima::fastdds::dds;
using namespace fastdds_rtps;

/* seconds; a busy machine is slow to find others */
enum { DISCOVERY = 100 };

static std::mutex lock;
static std::condition_variable changed;

/* The answer to one request, of all that its service sends to anybody */
class answers : public DataReaderListener {
public:
	GUID_t guids[2];	/* reader and writer */
	SequenceNumber_t number;
	bytes answer;
	bool answered = false;

	void on_data_available(DataReader *r) override
	{
		SampleInfo info;
		bytes b;

		while (fastdds_ok(r->take_next_sample(&b, &info))) {
			const SampleIdentity &to = info.related_sample_identity;
			std::lock_guard<std::mutex> guard(lock);

			if (!info.valid_data ||
			    (to.writer_guid() != guids[0] &&
			     to.writer_guid() != guids[1]) ||
			    to.sequence_number() != number)
				continue;
			answer = b;
			answered = true;
			changed.notify_one();
		}
	}
};

template<typename T> static void set_qos(T *qos)
{
	qos->reliability().kind = RELIABLE_RELIABILITY_QOS;
	qos->durability().kind = VOLATILE_DURABILITY_QOS;
	qos->history().kind = KEEP_LAST_HISTORY_QOS;
	qos->history().depth = 10;
	qos->endpoint().history_memory_policy =
		PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
}

struct client {
	DataWriter *writer;
	DataReader *reader;
	answers listener;
};

static bool open_client(client *c, DomainParticipant *p, int kind)
{
	const std::string name = client_name(kind);
	DataWriterQos wq;
	DataReaderQos rq;

	set_qos(&wq);
	set_qos(&rq);
	c->reader = p->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->
		create_datareader(raw_topic(p, "rr" + name + "Reply",
					    client_type(kind, 1)), rq,
				  &c->listener);
	c->writer = p->create_publisher(PUBLISHER_QOS_DEFAULT)->
		create_datawriter(raw_topic(p, "rq" + name + "Request",
					    client_type(kind, 0)), wq);
	if (!c->reader || !c->writer)
		return false;
	c->listener.guids[0] = c->reader->guid();
	c->listener.guids[1] = c->writer->guid();
	return true;
}

/* As rmw_service_server_is_available() of rmw_fastrtps: as many of both */
static bool wait_for_service(client *c)
{
	for (int i = 0; i < 100 * DISCOVERY; i++) {
		SubscriptionMatchedStatus r;
		PublicationMatchedStatus w;

		c->reader->get_subscription_matched_status(r);
		c->writer->get_publication_matched_status(w);
		if (w.current_count > 0 && w.current_count == r.current_count)
			return true;
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
	}
	return false;
}

static void call(client *c, int kind, double seconds, bool by_writer)
{
	bytes b(client_request(kind, nullptr, 0));
	WriteParams params;

	client_request(kind, b.data(), b.size());
	if (!wait_for_service(c)) {
		printf("no service\n");
		return;
	}
	if (!by_writer)
		params.related_sample_identity().writer_guid() =
			c->reader->guid();
	std::unique_lock<std::mutex> guard(lock);
	c->listener.answered = false;
	c->writer->write(&b, params);
	c->listener.number = params.sample_identity().sequence_number();
	if (!changed.wait_for(guard, std::chrono::duration<double>(seconds),
			      [c] { return c->listener.answered; }))
		printf("no answer\n");
	else
		client_print(kind, c->listener.answer.data(),
			     c->listener.answer.size());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static client clients[CLIENT_SERVICES];
	DomainParticipant *p;

	if (argc < 3)
		return 2;
	p = raw_participant(65500);
	for (int k = 0; k < CLIENT_SERVICES; k++)
		if (!open_client(&clients[k], p, k))
			return 1;
	for (int i = 0; i < atoi(argv[1]); i++)
		for (int k = 0; k < CLIENT_SERVICES; k++)
			call(&clients[k], k, atof(argv[2]), argc > 3);
	p->delete_contained_entities();
	DomainParticipantFactory::get_instance()->delete_participant(p);
	return 0;
}
