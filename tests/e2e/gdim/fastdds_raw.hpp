/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds_raw.hpp - a participant of Fast DDS, and topics of raw_type.hpp
 */
#ifndef OPTSAMPLE_GDIM_FASTDDS_RAW_HPP
#define OPTSAMPLE_GDIM_FASTDDS_RAW_HPP

#include <cstdlib>
#include <memory>
#include <string>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>

#include "plugin/fastdds/raw_type.hpp"

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

	TypeSupport(new raw_type(type, 4 << 20)).register_type(p);
	return p->create_topic(name, type, TOPIC_QOS_DEFAULT);
}

#endif
