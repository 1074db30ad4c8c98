/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raw_type.hpp - a type of Fast DDS whose samples are bytes, with their
 * encapsulation: what fastddsgen would make for any type, and rmw_fastrtps has
 */
#ifndef PLUGIN_FASTDDS_RAW_TYPE_HPP
#define PLUGIN_FASTDDS_RAW_TYPE_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#include "plugin/fastdds/version.hpp"

using bytes = std::vector<uint8_t>;

class raw_type : public fastdds_type {
public:
	using fastdds_type::fastdds_type;

	bool to_payload(const void *from, payload *to) override
	{
		const bytes *b = static_cast<const bytes *>(from);

		if (b->size() > to->max_size)
			return false;
		memcpy(to->data, b->data(), b->size());
		to->encapsulation = CDR_LE;
		to->length = (uint32_t)b->size();
		return true;
	}

	bool from_payload(const payload *from, void *to) override
	{
		static_cast<bytes *>(to)->assign(from->data,
						 from->data + from->length);
		return true;
	}

	uint32_t bound(const void *data) override
	{
		return (uint32_t)static_cast<const bytes *>(data)->size();
	}

	void *make() override
	{
		return new bytes;
	}

	void drop(void *data) override
	{
		delete static_cast<bytes *>(data);
	}
};

#endif
