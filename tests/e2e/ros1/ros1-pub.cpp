// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1-pub - a robot's sensors as an ordinary roscpp node
 *
 * usage: ros1-pub [-r RATE] [-q QUEUE] [-n LAST] [-o FIRST:COUNT]... [-x HOOK]
 *		   [-s SUBSCRIBERS] [-lw] [-t THREADS] TOPIC...
 *
 * Publishes message 1, 2, ... on all topics, those of one number with the same
 * stamp, RATE a second; prints "NAME NUMBER CRC" for each up to LAST. Before
 * message 1 it runs `HOOK ready`, before message FIRST `HOOK down`, COUNT
 * messages later `HOOK up`: an outage is a number of messages, however fast the
 * machine is. After LAST it goes on until no subscriber is left, so that every
 * queue sees an end; if that is not after MORE messages it fails.
 *
 * -l latches; -w is silent after LAST; -t publishes everything from so many
 * threads, without printing.
 */
#include <unistd.h>

#include <thread>

#include "topic.h"

enum { MORE = 3000 };

struct outage {
	uint32_t first;
	uint32_t count;
};

struct pub {
	double rate = 20;
	uint32_t queue = 20;
	uint32_t last = 100;
	uint32_t subscribers = 1;
	uint32_t threads = 0;
	bool latch = false;
	bool silent = false;
	std::string hook = "true";
	std::vector<outage> outages;
	std::vector<topic> topics;
	std::vector<ros::Publisher> publishers;
};

static void advertise(struct pub *p, ros::NodeHandle *node)
{
	for (const topic &t : p->topics) {
		if (t.kind == "image")
			p->publishers.push_back(
				node->advertise<sensor_msgs::CompressedImage>(
					t.name, p->queue, p->latch));
		else if (t.kind == "scan")
			p->publishers.push_back(
				node->advertise<sensor_msgs::LaserScan>(
					t.name, p->queue, p->latch));
		else
			p->publishers.push_back(
				node->advertise<std_msgs::String>(
					t.name, p->queue, p->latch));
	}
}

static bool subscribed(const struct pub *p, uint32_t least)
{
	for (const ros::Publisher &publisher : p->publishers)
		if (publisher.getNumSubscribers() < least)
			return false;
	return true;
}

static bool deserted(const struct pub *p)
{
	for (const ros::Publisher &publisher : p->publishers)
		if (publisher.getNumSubscribers())
			return false;
	return true;
}

static uint32_t send(const topic &t, const ros::Publisher &to, uint32_t number,
		     const ros::Time &stamp)
{
	const payload &data = t.payloads[number % t.payloads.size()];
	std_msgs::Header header;

	header.stamp = stamp;
	header.frame_id = std::to_string(number);
	if (t.kind == "image") {
		sensor_msgs::CompressedImage m;

		m.header = header;
		m.format = "jpeg";
		m.data = data;
		to.publish(m);
	} else if (t.kind == "scan") {
		sensor_msgs::LaserScan m;

		m.header = header;
		m.ranges.resize(data.size() / sizeof(float));
		memcpy(m.ranges.data(), data.data(),
		       m.ranges.size() * sizeof(float));
		to.publish(m);
		return crc(m.ranges.data(), m.ranges.size() * sizeof(float));
	} else {
		std_msgs::String m;

		m.data = header.frame_id + " ";
		m.data.append((const char *)data.data(), data.size());
		to.publish(m);
		return crc(m.data.data(), m.data.size());
	}
	return crc(data.data(), data.size());
}

static void run_hook(const struct pub *p, const char *what)
{
	if (system((p->hook + " " + what).c_str()))
		fprintf(stderr, "ros1-pub: %s %s failed\n", p->hook.c_str(),
			what);
}

/* What is to be done before message @number */
static void begin_or_end(const struct pub *p, uint32_t number)
{
	for (const outage &o : p->outages)
		if (number == o.first)
			run_hook(p, "down");
		else if (number == o.first + o.count)
			run_hook(p, "up");
}

static bool publish(struct pub *p)
{
	ros::WallRate rate(p->rate);
	uint32_t number, crc;
	size_t i;

	run_hook(p, "ready");
	rate.reset();
	for (number = 1; number <= p->last + MORE; number++) {
		ros::Time stamp = ros::Time::now();

		if (number > p->last && deserted(p))
			return true;
		begin_or_end(p, number);
		if (number > p->last && p->silent) {
			rate.sleep();
			continue;
		}
		for (i = 0; i < p->topics.size(); i++) {
			crc = send(p->topics[i], p->publishers[i], number,
				   stamp);
			if (number <= p->last)
				printf("%s %u %08x\n",
				       p->topics[i].name.c_str(), number, crc);
		}
		fflush(stdout);
		rate.sleep();
	}
	return false;
}

/* As fast as they can; subscribers come and go meanwhile. */
static void stress(struct pub *p)
{
	std::vector<std::thread> threads;

	for (uint32_t t = 0; t < p->threads; t++)
		threads.emplace_back([p] {
			for (uint32_t n = 1; n <= p->last && ros::ok(); n++) {
				for (size_t i = 0; i < p->topics.size(); i++)
					send(p->topics[i], p->publishers[i], n,
					     ros::Time::now());
				usleep((useconds_t)(1e6 / p->rate));
			}
		});
	for (std::thread &thread : threads)
		thread.join();
}

static bool options(struct pub *p, int argc, char **argv)
{
	outage o;
	int c;

	while ((c = getopt(argc, argv, "r:q:n:o:x:s:t:lw")) != -1) {
		switch (c) {
		case 'r': p->rate = atof(optarg); break;
		case 'q': p->queue = (uint32_t)atoi(optarg); break;
		case 'n': p->last = (uint32_t)atoi(optarg); break;
		case 'x': p->hook = optarg; break;
		case 's': p->subscribers = (uint32_t)atoi(optarg); break;
		case 't': p->threads = (uint32_t)atoi(optarg); break;
		case 'l': p->latch = true; break;
		case 'w': p->silent = true; break;
		case 'o':
			if (sscanf(optarg, "%u:%u", &o.first, &o.count) != 2)
				return false;
			p->outages.push_back(o);
			break;
		default: return false;
		}
	}
	for (; optind < argc; optind++)
		p->topics.push_back(topic_parse(argv[optind]));
	for (const topic &t : p->topics)
		if (t.payloads.empty())
			return false;
	return !p->topics.empty();
}

int main(int argc, char **argv)
{
	struct pub p;

	ros::init(argc, argv, "robot");
	if (!options(&p, argc, argv)) {
		fprintf(stderr, "usage: ros1-pub [options] TOPIC...\n");
		return 2;
	}
	ros::NodeHandle node;

	advertise(&p, &node);
	while (ros::ok() && !subscribed(&p, p.subscribers))
		usleep(20000);
	if (!p.threads)
		return !publish(&p);
	stress(&p);
	return 0;
}
