/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.hpp - all that differs between Fast DDS 2 (Debian 12) and 3 (Debian
 * 13)
 */
#ifndef PLUGIN_FASTDDS_VERSION_HPP
#define PLUGIN_FASTDDS_VERSION_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <fastcdr/Cdr.h>
#include <fastdds/dds/topic/TopicDataType.hpp>

#if __has_include(<fastdds/rtps/transport/UDPv4TransportDescriptor.hpp>)
#define FASTDDS_VERSION	3
#include <fastdds/dds/core/ReturnCode.hpp>
#include <fastdds/rtps/common/WriteParams.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.hpp>
namespace fastdds_rtps = eprosima::fastdds::rtps;
#else
#define FASTDDS_VERSION	2
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
namespace fastdds_rtps = eprosima::fastrtps::rtps;
#endif

/* What a call returns: version 2 has calls that return whether they worked */
static inline bool fastdds_ok(bool result)
{
	return result;
}

#if FASTDDS_VERSION == 3
static inline bool fastdds_ok(eprosima::fastdds::dds::ReturnCode_t result)
{
	return result == eprosima::fastdds::dds::RETCODE_OK;
}
#else
static inline bool fastdds_ok(eprosima::fastrtps::types::ReturnCode_t result)
{
	return result == eprosima::fastrtps::types::ReturnCode_t::RETCODE_OK;
}
#endif

/* A type without a key */
class fastdds_type : public eprosima::fastdds::dds::TopicDataType {
	typedef fastdds_rtps::InstanceHandle_t handle;

protected:
	typedef fastdds_rtps::SerializedPayload_t payload;

	virtual bool to_payload(const void *from, payload *to) = 0;
	virtual bool from_payload(const payload *from, void *to) = 0;
	/* bytes of a payload, at most */
	virtual uint32_t bound(const void *data) = 0;
	virtual void *make() = 0;
	virtual void drop(void *data) = 0;

public:
#if FASTDDS_VERSION == 3
	/* @size: bytes of a sample, to begin with */
	fastdds_type(const std::string &name, uint32_t size)
	{
		set_name(name);
		max_serialized_type_size = size;
	}

	bool serialize(const void *from, payload &to,
		       eprosima::fastdds::dds::DataRepresentationId_t) override
	{
		return to_payload(from, &to);
	}

	bool deserialize(payload &from, void *to) override
	{
		return from_payload(&from, to);
	}

	uint32_t calculate_serialized_size(const void *data,
		eprosima::fastdds::dds::DataRepresentationId_t) override
	{
		return bound(data);
	}

	void *create_data() override
	{
		return make();
	}

	void delete_data(void *data) override
	{
		drop(data);
	}

	bool compute_key(payload &, handle &, bool) override
	{
		return false;
	}

	bool compute_key(const void *, handle &, bool) override
	{
		return false;
	}
#else
	fastdds_type(const std::string &name, uint32_t size)
	{
		setName(name.c_str());
		m_typeSize = size;
	}

	bool serialize(void *from, payload *to) override
	{
		return to_payload(from, to);
	}

	bool deserialize(payload *from, void *to) override
	{
		return from_payload(from, to);
	}

	std::function<uint32_t()> getSerializedSizeProvider(void *data) override
	{
		return [this, data] { return bound(data); };
	}

	void *createData() override
	{
		return make();
	}

	void deleteData(void *data) override
	{
		drop(data);
	}

	bool getKey(void *, handle *, bool) override
	{
		return false;
	}
#endif
};

/* A coder of plain CDR */
#if FASTDDS_VERSION == 3
class fastdds_cdr : public eprosima::fastcdr::Cdr {
public:
	explicit fastdds_cdr(eprosima::fastcdr::FastBuffer &buffer) :
		Cdr(buffer, DEFAULT_ENDIAN, eprosima::fastcdr::CdrVersion::XCDRv1)
	{
	}

	uint32_t length() const
	{
		return (uint32_t)get_serialized_data_length();
	}
};
#else
class fastdds_cdr : public eprosima::fastcdr::Cdr {
public:
	explicit fastdds_cdr(eprosima::fastcdr::FastBuffer &buffer) :
		Cdr(buffer, DEFAULT_ENDIAN, DDS_CDR)
	{
	}

	uint32_t length() const
	{
		return (uint32_t)getSerializedDataLength();
	}
};
#endif

#endif
