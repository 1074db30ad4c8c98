/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topic.h - the topics of the test nodes, as their command lines name them.
 *
 *	KIND:NAME[:PAYLOAD]	image:/camera/rgb:a.jpg+b.jpg  scan:/scan:3000
 *
 * Kinds: image (sensor_msgs/CompressedImage), scan (LaserScan), text
 * (std_msgs/String, no header). Payload: files in turn, or a size in bytes.
 * Every message carries its number, as frame_id or in front of the text.
 */
#ifndef OPTSAMPLE_TESTS_ROS1_TOPIC_H
#define OPTSAMPLE_TESTS_ROS1_TOPIC_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <ros/ros.h>
#include <sensor_msgs/CompressedImage.h>
#include <sensor_msgs/LaserScan.h>
#include <std_msgs/String.h>

typedef std::vector<uint8_t> payload;

struct topic {
	std::string kind;
	std::string name;
	std::vector<payload> payloads;
};

static inline uint32_t crc(const void *data, size_t size)
{
	return (uint32_t)crc32(0, (const Bytef *)data, (uInt)size);
}

/* Not compressible, not alike, and the same in every run */
static inline payload made_up(size_t size, uint32_t seed)
{
	payload p(size);

	for (uint8_t &byte : p) {
		seed = seed * 1664525 + 1013904223;
		byte = (uint8_t)(seed >> 24);
	}
	return p;
}

static inline topic topic_parse(const char *text)
{
	std::stringstream words(text);
	std::string word;
	topic t;

	std::getline(words, t.kind, ':');
	std::getline(words, t.name, ':');
	while (std::getline(words, word, '+')) {
		std::ifstream in(word, std::ios::binary);

		if (in.good())
			t.payloads.emplace_back(
				std::istreambuf_iterator<char>(in),
				std::istreambuf_iterator<char>());
		else
			t.payloads.push_back(made_up(
				strtoul(word.c_str(), NULL, 10),
				(uint32_t)t.payloads.size()));
	}
	if ((t.kind == "image" || t.kind == "scan" || t.kind == "text") &&
	    t.name.size() > 1)
		return t;
	fprintf(stderr, "%s: not KIND:NAME[:PAYLOAD]\n", text);
	exit(2);
}

#endif /* OPTSAMPLE_TESTS_ROS1_TOPIC_H */
