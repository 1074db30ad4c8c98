// SPDX-License-Identifier: GPL-2.0-only
/*
 * services - fastdds.so: services for clients of Fast DDS, see ros/io/fastdds.h
 *
 * As rmw_fastrtps has them: a request is named by the identity of its sample,
 * but with the GUID of the reader that waits for the answer, which the client
 * says in the related identity. The answer has that name as related identity.
 */
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>

#include "plugin/fastdds/raw_type.hpp"

extern "C" {
#include "ros/io/fastdds.h"
}

using namespace eprosima::fastdds::dds;
using namespace fastdds_rtps;

namespace {

enum {
	SAMPLE	= 64 * 1024,	/* bytes of a request or an answer, at first */
	KEPT	= 128,		/* requests that wait for us; answers */
};

/* GUIDs of Cyclone DDS begin with its number: its clients ask elsewhere */
bool is_of_cyclone(const GUID_t &guid)
{
	return guid.guidPrefix.value[0] == 0x01 &&
	       guid.guidPrefix.value[1] == 0x10;
}

void put_id(const SampleIdentity &from, uint8_t id[FASTDDS_ID])
{
	const SequenceNumber_t &n = from.sequence_number();

	memcpy(id, from.writer_guid().guidPrefix.value, 12);
	memcpy(id + 12, from.writer_guid().entityId.value, 4);
	memcpy(id + 16, &n.high, 4);
	memcpy(id + 20, &n.low, 4);
}

SampleIdentity get_id(const uint8_t id[FASTDDS_ID])
{
	SampleIdentity to;

	memcpy(to.writer_guid().guidPrefix.value, id, 12);
	memcpy(to.writer_guid().entityId.value, id + 12, 4);
	memcpy(&to.sequence_number().high, id + 16, 4);
	memcpy(&to.sequence_number().low, id + 20, 4);
	return to;
}

class service : public DataReaderListener, public DataWriterListener {
	DomainParticipant *participant;
	Publisher *publisher = nullptr;
	Subscriber *subscriber = nullptr;
	Topic *topics[2] = { nullptr, nullptr };
	DataWriter *writer = nullptr;
	DataReader *reader = nullptr;
	void (*request)(void *arg, const uint8_t *id, const uint8_t *sample,
			const void *data, size_t len);
	void *arg;
	std::mutex lock;
	std::set<GUID_t> readers;	/* of clients; with the lock */

	Topic *topic(const char *name, const char *type)
	{
		TypeSupport(new raw_type(type, SAMPLE)).register_type(participant);
		return participant->create_topic(name, type, TOPIC_QOS_DEFAULT);
	}

	/*
	 * A client of Cyclone DDS takes a reader and a writer of the same
	 * serviceid for a service, and so it must not take these: they differ
	 */
	template<typename T> static void set_qos(T *qos, const char *serviceid)
	{
		for (const char *c = serviceid; *c; c++)
			qos->user_data().push_back((uint8_t)*c);
		qos->reliability().kind = RELIABLE_RELIABILITY_QOS;
		qos->durability().kind = VOLATILE_DURABILITY_QOS;
		qos->history().kind = KEEP_LAST_HISTORY_QOS;
		qos->history().depth = KEPT;
		qos->endpoint().history_memory_policy =
			PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
	}

public:
	service(DomainParticipant *p, const struct fastdds_service *s) :
		participant(p), request(s->request), arg(s->arg)
	{
		DataWriterQos wq;
		DataReaderQos rq;

		topics[0] = topic(s->request_topic, s->request_type);
		topics[1] = topic(s->reply_topic, s->reply_type);
		publisher = p->create_publisher(PUBLISHER_QOS_DEFAULT);
		subscriber = p->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
		if (!topics[0] || !topics[1] || !publisher || !subscriber)
			return;
		set_qos(&wq, "serviceid=fastdds.writer;");
		set_qos(&rq, "serviceid=fastdds.reader;");
		writer = publisher->create_datawriter(topics[1], wq, this);
		if (writer)
			reader = subscriber->create_datareader(topics[0], rq,
							       this);
	}

	~service() override
	{
		if (reader)
			subscriber->delete_datareader(reader);
		if (writer)
			publisher->delete_datawriter(writer);
		if (publisher)
			participant->delete_publisher(publisher);
		if (subscriber)
			participant->delete_subscriber(subscriber);
		for (Topic *t : topics)
			if (t)
				participant->delete_topic(t);
	}

	bool works() const
	{
		return writer && reader;
	}

	void on_data_available(DataReader *r) override
	{
		uint8_t id[FASTDDS_ID], sample[FASTDDS_ID];
		SampleInfo info;
		bytes b;

		while (fastdds_ok(r->take_next_sample(&b, &info))) {
			SampleIdentity from = info.sample_identity;
			const GUID_t &waits =
				info.related_sample_identity.writer_guid();

			if (!info.valid_data ||
			    is_of_cyclone(from.writer_guid()))
				continue;
			put_id(from, sample);
			if (waits != GUID_t::unknown())
				from.writer_guid() = waits;
			put_id(from, id);
			request(arg, id, sample, b.data(), b.size());
		}
	}

	void on_publication_matched(DataWriter *,
				    const PublicationMatchedStatus &s) override
	{
		std::lock_guard<std::mutex> guard(lock);
		GUID_t guid;

		iHandle2GUID(guid, s.last_subscription_handle);
		if (s.current_count_change > 0)
			readers.insert(guid);
		else
			readers.erase(guid);
	}

	/* Of clients that do not say who waits any reader has to do */
	bool has_reader(const GUID_t &guid)
	{
		std::lock_guard<std::mutex> guard(lock);

		if (readers.count(guid))
			return true;
		if (guid.is_builtin() || (guid.entityId.value[3] & 0x0f) == 0x04 ||
		    (guid.entityId.value[3] & 0x0f) == 0x07)
			return false;
		for (const GUID_t &g : readers)
			if (g.guidPrefix == guid.guidPrefix)
				return true;
		return false;
	}

	int answer(const uint8_t id[FASTDDS_ID], const void *data, size_t len)
	{
		const SampleIdentity to = get_id(id);
		const uint8_t *from = static_cast<const uint8_t *>(data);
		bytes b(from, from + len);
		WriteParams params;

		if (!has_reader(to.writer_guid()))
			return -EAGAIN;
		params.related_sample_identity(to);
		return fastdds_ok(writer->write(&b, params)) ? 0 : -EAGAIN;
	}
};

int enter(void **domain, uint32_t id, const char *node)
{
	const char *local = getenv("ROS_LOCALHOST_ONLY");
	auto udp = std::make_shared<eprosima::fastdds::rtps::
				    UDPv4TransportDescriptor>();
	DomainParticipantQos qos;

	/*
	 * no shared memory: clients may be other users, or see another /dev/shm
	 */
	if (local && !strcmp(local, "1"))
		udp->interfaceWhiteList.emplace_back("127.0.0.1");
	qos.transport().use_builtin_transports = false;
	qos.transport().user_transports.push_back(udp);
	qos.name(node ? node : "");
	*domain = DomainParticipantFactory::get_instance()->create_participant(
		id, qos);
	return *domain ? 0 : -ENETUNREACH;
}

void leave(void *domain)
{
	DomainParticipantFactory::get_instance()->delete_participant(
		static_cast<DomainParticipant *>(domain));
}

int offer(void **result, void *domain, const struct fastdds_service *config)
{
	auto s = std::make_unique<service>(
		static_cast<DomainParticipant *>(domain), config);

	if (!s->works())
		return -EINVAL;
	*result = s.release();
	return 0;
}

int answer(void *s, const uint8_t id[FASTDDS_ID], const void *data, size_t len)
{
	return static_cast<service *>(s)->answer(id, data, len);
}

void withdraw(void *s)
{
	delete static_cast<service *>(s);
}

} /* namespace */

extern "C" __attribute__((visibility("default")))
const struct fastdds_ops fastdds_ops = {
	FASTDDS_ABI, enter, leave, offer, answer, withdraw,
};
