// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1-sub - the operator as an ordinary roscpp node
 *
 * usage: ros1-sub [-n LAST] [-c COUNT] [-u] TOPIC...
 *
 * Prints "NAME NUMBER CRC" for each message, as ros1-pub does. Ends when on
 * all topics one after LAST has come, or after COUNT messages. -u: by UDPROS.
 */
#include <unistd.h>

#include <set>

#include "topic.h"

struct sub {
	uint32_t last = 0xffffffff;
	uint32_t count = 0;
	uint32_t received = 0;
	std::set<std::string> waits_for;
	ros::TransportHints hints;
};

static void got(struct sub *s, const std::string &name,
		const std::string &number, const void *data, size_t size)
{
	unsigned long n = strtoul(number.c_str(), NULL, 10);

	printf("%s %lu %08x\n", name.c_str(), n, crc(data, size));
	fflush(stdout);
	if (n > s->last)
		s->waits_for.erase(name);
	if (s->waits_for.empty() || ++s->received == s->count)
		ros::shutdown();
}

static ros::Subscriber subscribe(ros::NodeHandle *node, struct sub *s,
				 const topic &t)
{
	const std::string name = t.name;

	s->waits_for.insert(name);
	if (t.kind == "image")
		return node->subscribe<sensor_msgs::CompressedImage>(name, 1000,
			[s, name](const sensor_msgs::CompressedImageConstPtr &m)
			{
				got(s, name, m->header.frame_id,
				    m->data.data(), m->data.size());
			}, ros::VoidConstPtr(), s->hints);
	if (t.kind == "scan")
		return node->subscribe<sensor_msgs::LaserScan>(name, 1000,
			[s, name](const sensor_msgs::LaserScanConstPtr &m)
			{
				got(s, name, m->header.frame_id,
				    m->ranges.data(),
				    m->ranges.size() * sizeof(float));
			}, ros::VoidConstPtr(), s->hints);
	return node->subscribe<std_msgs::String>(name, 1000,
		[s, name](const std_msgs::StringConstPtr &m)
		{
			got(s, name, m->data, m->data.data(), m->data.size());
		}, ros::VoidConstPtr(), s->hints);
}

int main(int argc, char **argv)
{
	std::vector<ros::Subscriber> subscribers;
	struct sub s;
	int c;

	ros::init(argc, argv, "operator");
	while ((c = getopt(argc, argv, "n:c:u")) != -1) {
		if (c == 'n')
			s.last = (uint32_t)atoi(optarg);
		else if (c == 'c')
			s.count = (uint32_t)atoi(optarg);
		else if (c == 'u')
			s.hints.udp();
		else
			return 2;
	}
	ros::NodeHandle node;

	for (; optind < argc; optind++)
		subscribers.push_back(subscribe(&node, &s,
						topic_parse(argv[optind])));
	ros::spin();
	return 0;
}
