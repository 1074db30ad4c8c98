/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds_raw.hpp - a type of Fast DDS whose samples are bytes, with their
 * encapsulation: what fastddsgen would make for any type, and rmw_fastrtps has
 */
#ifndef OPTSAMPLE_GDIM_FASTDDS_RAW_HPP
#define OPTSAMPLE_GDIM_FASTDDS_RAW_HPP

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

using bytes = std::vector<uint8_t>;

class raw_type : public eprosima::fastdds::dds::TopicDataType {
	typedef eprosima::fastrtps::rtps::SerializedPayload_t payload;
	typedef eprosima::fastrtps::rtps::InstanceHandle_t handle;

public:
	explicit raw_type(const std::string &name)
	{
		setName(name.c_str());
		m_typeSize = 4 * 1024 * 1024;
	}

	bool serialize(void *from, payload *to) override
	{
		const bytes *b = static_cast<bytes *>(from);

		memcpy(to->data, b->data(), b->size());
		to->encapsulation = CDR_LE;
		to->length = (uint32_t)b->size();
		return true;
	}

	bool deserialize(payload *from, void *to) override
	{
		static_cast<bytes *>(to)->assign(from->data,
						 from->data + from->length);
		return true;
	}

	std::function<uint32_t()> getSerializedSizeProvider(void *data) override
	{
		const bytes *b = static_cast<bytes *>(data);

		return [b] { return (uint32_t)b->size(); };
	}

	void *createData() override
	{
		return new bytes;
	}

	void deleteData(void *data) override
	{
		delete static_cast<bytes *>(data);
	}

	bool getKey(void *, handle *, bool) override
	{
		return false;
	}
};

/* Of the domain that ROS_DOMAIN_ID says; datagrams of so many bytes at most */
static inline eprosima::fastdds::dds::DomainParticipant *
raw_participant(unsigned int datagram)
{
	using namespace eprosima::fastdds::dds;
	const char *domain = getenv("ROS_DOMAIN_ID");
	auto udp = std::make_shared<eprosima::fastdds::rtps::
				    UDPv4TransportDescriptor>();
	DomainParticipantQos qos;

	/* no shared memory, which loses nothing */
	udp->maxMessageSize = datagram;
	qos.transport().use_builtin_transports = false;
	qos.transport().user_transports.push_back(udp);
	return DomainParticipantFactory::get_instance()->
		create_participant(domain ? atoi(domain) : 0, qos);
}

static inline eprosima::fastdds::dds::Topic *
raw_topic(eprosima::fastdds::dds::DomainParticipant *p,
	  const std::string &name, const std::string &type)
{
	using namespace eprosima::fastdds::dds;

	TypeSupport(new raw_type(type)).register_type(p);
	return p->create_topic(name, type, TOPIC_QOS_DEFAULT);
}

#endif
