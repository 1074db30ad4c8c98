/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raw_type.hpp - a type of Fast DDS whose samples are bytes, with their
 * encapsulation: what fastddsgen would make for any type, and rmw_fastrtps has
 */
#ifndef PLUGIN_FASTDDS_RAW_TYPE_HPP
#define PLUGIN_FASTDDS_RAW_TYPE_HPP

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include <fastdds/dds/topic/TopicDataType.hpp>

using bytes = std::vector<uint8_t>;

class raw_type : public eprosima::fastdds::dds::TopicDataType {
	typedef eprosima::fastrtps::rtps::SerializedPayload_t payload;
	typedef eprosima::fastrtps::rtps::InstanceHandle_t handle;

public:
	/* @size: bytes of a sample, to begin with */
	raw_type(const std::string &name, uint32_t size)
	{
		setName(name.c_str());
		m_typeSize = size;
	}

	bool serialize(void *from, payload *to) override
	{
		const bytes *b = static_cast<bytes *>(from);

		if (b->size() > to->max_size)
			return false;
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

#endif
