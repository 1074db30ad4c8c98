/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds.hpp - sensor_msgs/CompressedImage for Fast DDS, as rmw_fastrtps has
 * it on the wire: what fastddsgen would make, for this one type.
 */
#ifndef OPTSAMPLE_E2E_FASTDDS_HPP
#define OPTSAMPLE_E2E_FASTDDS_HPP

#include <string>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>

#include "app.h"
#include "plugin/fastdds/version.hpp"

struct image {
	int32_t			sec = 0;
	uint32_t		nanosec = 0;
	std::string		frame_id;
	std::string		format = "jpeg";
	std::vector<uint8_t>	data;
};

class image_type : public fastdds_type {
public:
	image_type() : fastdds_type("sensor_msgs::msg::dds_::CompressedImage_",
				    4 * 1024 * 1024)
	{
	}

	bool to_payload(const void *from, payload *to) override
	{
		const image *m = static_cast<const image *>(from);
		eprosima::fastcdr::FastBuffer buffer((char *)to->data,
						     to->max_size);
		fastdds_cdr cdr(buffer);

		cdr.serialize_encapsulation();
		cdr << m->sec << m->nanosec << m->frame_id << m->format <<
			m->data;
		to->encapsulation = CDR_LE;
		to->length = cdr.length();
		return true;
	}

	bool from_payload(const payload *from, void *to) override
	{
		image *m = static_cast<image *>(to);
		eprosima::fastcdr::FastBuffer buffer((char *)from->data,
						     from->length);
		fastdds_cdr cdr(buffer);

		cdr.read_encapsulation();
		cdr >> m->sec >> m->nanosec >> m->frame_id >> m->format >>
			m->data;
		return true;
	}

	uint32_t bound(const void *data) override
	{
		const image *m = static_cast<const image *>(data);

		return (uint32_t)(m->data.size() + m->frame_id.size() + 64);
	}

	void *make() override
	{
		return new image;
	}

	void drop(void *data) override
	{
		delete static_cast<image *>(data);
	}
};

/* A topic with its type, in a new participant of domain 0 for the first one */
static inline eprosima::fastdds::dds::Topic *
fastdds_topic(eprosima::fastdds::dds::DomainParticipant **participant,
	      const struct app *a, const struct app_topic *t)
{
	using namespace eprosima::fastdds::dds;

	if (!*participant) {
		DomainParticipantQos qos;

		/* Both ends are on one machine here: no shared memory. */
		qos.transport().use_builtin_transports = false;
		qos.transport().user_transports.push_back(
			std::make_shared<eprosima::fastdds::rtps::
					 UDPv4TransportDescriptor>());
		if (a->lease)
			qos.wire_protocol().builtin.discovery_config.
				leaseDuration = { (int32_t)a->lease, 0 };
		*participant = DomainParticipantFactory::get_instance()->
			create_participant(0, qos);
		TypeSupport(new image_type).register_type(*participant);
	}
	return (*participant)->create_topic(t->dds,
		"sensor_msgs::msg::dds_::CompressedImage_", TOPIC_QOS_DEFAULT);
}

/* As rmw_fastrtps asks for; @depth as in struct app */
template<typename T>
static inline void fastdds_qos(T *qos, const struct app *a, int depth)
{
	using namespace eprosima::fastdds::dds;

	qos->reliability().kind = a->depth ? RELIABLE_RELIABILITY_QOS :
				  BEST_EFFORT_RELIABILITY_QOS;
	qos->durability().kind = VOLATILE_DURABILITY_QOS;
	qos->history().kind = depth < 0 ? KEEP_ALL_HISTORY_QOS :
			      KEEP_LAST_HISTORY_QOS;
	qos->history().depth = depth < 0 ? 1 : depth;
	qos->endpoint().history_memory_policy =
		fastdds_rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
}

#endif
