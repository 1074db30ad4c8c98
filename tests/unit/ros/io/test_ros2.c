// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros2 - a source and a sink of a DDS domain: which writers are found,
 * what arrives once, and what others see of a node
 */
#include "ros/io/ros2_graph.h"
#include "heard.h"
#include "ros2_fixture.h"

#define TWIST "geometry_msgs::msg::dds_::Twist_"
#define GRID "nav_msgs::msg::dds_::OccupancyGrid_"

static void open_source(void)
{
	const struct source_config config = {
		.spec = "ros2", .speed = 1, .rate = 1,
		.message = on_heard, .found = on_topic,
		.log = on_line,
	};

	memset(&heard, 0, sizeof(heard));
	leave = NULL;
	if (source_open(&source, loop, &config, &error))
		abort();
}

/* A twist whose first number is @n, as others serialize it */
static size_t twist(uint8_t n, uint8_t *data)
{
	const size_t len = golden_bytes(MESSAGE_TWIST, MESSAGE_CDR, 0, data);

	data[4] = n;
	return len;
}

static void write_twist(const struct end *e, uint8_t n)
{
	uint8_t data[256];
	const size_t len = twist(n, data);

	end_write(e, data, len);
}

/*
 * Domains
 */

static void test_domains(void)
{
	struct ros2 *again = NULL, *seven = NULL;

	ok_eq(ros2_join(&again, "233", NULL, &error), -EINVAL,
	      "domain 233 has no ports");
	ok(strstr(error.text, "domain must be 0 ... 232, not '233'"), "%s", error.text);
	setenv("ROS_DOMAIN_ID", "x", 1);
	ok_eq(ros2_join(&again, NULL, NULL, &error), -EINVAL,
	      "ROS_DOMAIN_ID is no number");
	ok(strstr(error.text, "ROS_DOMAIN_ID must be"), "%s", error.text);
	setenv("ROS_DOMAIN_ID", "7", 1);
	ok_eq(ros2_domain(ros), 7, "ROS_DOMAIN_ID is the domain");
	ok_eq(ros2_join(&seven, "7", NULL, &error), 0, "joined again");
	ok(seven == ros, "it is one participant");
	ros2_leave(seven);
	ok(dds_get_instance_handle(ros2_participant(ros),
				   &(dds_instance_handle_t){ 0 }) == 0,
	   "which stays as long as it is used");
	ok_eq(ros2_errno(DDS_RETCODE_TIMEOUT), -EAGAIN, "error: time out");
	ok_eq(ros2_errno(DDS_RETCODE_OUT_OF_RESOURCES), -ENOMEM,
	      "error: no memory");
	ok_eq(ros2_errno(DDS_RETCODE_INCONSISTENT_POLICY), -EINVAL,
	      "error: policy");
	ok_eq(ros2_errno(DDS_RETCODE_ERROR), -EIO, "error: other");
}

static void test_vendor(void)
{
	dds_guid_t guid = { { 0x01, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } };

	ok_eq(ros2_is_fastdds(&guid), true, "a participant of Fast DDS");
	guid.v[1] = 0x10;
	ok_eq(ros2_is_fastdds(&guid), false, "one of Cyclone DDS");
	dds_get_guid(ros2_participant(ros), &guid);
	guid.v[15] ^= 1;
	ok_eq(ros2_is_own(ros, &guid), true, "an endpoint of this process");
	guid.v[11] ^= 1;
	ok_eq(ros2_is_own(ros, &guid), false, "one of another");
}

/*
 * A source
 */

static void test_found(void)
{
	struct end one, two, three, four;

	open_source();
	one = end_new("rt/first", TWIST, true, true, false);
	ok(until(heard.found == 1), "a writer is found");
	ok_str(heard.topic, "/first", "... its topic");
	ok_eq(heard.kind, MESSAGE_TWIST, "... its kind");
	two = end_new("rt/first", TWIST, true, false, false);
	three = end_new("xx/second", TWIST, true, true, false);
	four = end_new("rt/third", "std_msgs::msg::dds_::String_", true, true,
		       false);
	settle();
	ok_eq(heard.found, 1, "not a second one, a topic that is not of ROS, "
	      "nor an unknown type");
	end_delete(&one);
	end_delete(&two);
	settle();
	one = end_new("rt/first", TWIST, true, true, false);
	ok(until(heard.found == 2), "it is found again once all had left");
	source_close(source);
	open_source();
	ok(until(heard.found == 1), "a writer that was there before is found");
	source_close(source);
	end_delete(&one);
	end_delete(&three);
	end_delete(&four);
}

static void test_messages(bool all)
{
	const char *how = all ? "all" : "some";
	struct end best, reliable;
	uint8_t want[256];
	size_t len;

	open_source();
	ok_eq(all ? source_subscribe_all(source, "/t", MESSAGE_TWIST) :
	      source_subscribe(source, "/t", MESSAGE_TWIST), 0,
	      "%s: subscribed", how);
	ok_eq(source_subscribe(source, "/t", MESSAGE_TWIST), -EEXIST,
	      "%s: only once", how);
	ok_eq(source_subscribe(source, "t", MESSAGE_TWIST), -EINVAL,
	      "%s: no relative name", how);
	best = end_new("rt/t", TWIST, true, false, false);
	reliable = end_new("rt/t", TWIST, true, true, false);
	settle();
	write_twist(&best, 1);
	ok(until(heard.got == 1), "%s: a message of a BEST_EFFORT writer", how);
	len = twist(1, want);
	ok_eq(heard.len, len, "%s: its length", how);
	ok_mem(heard.data, want, len, "%s: its bytes", how);
	ok_eq(heard.format, MESSAGE_CDR, "%s: its format", how);
	ok_eq(heard.kind, MESSAGE_TWIST, "%s: its kind", how);
	ok_str(heard.topic, "/t", "%s: its topic", how);
	for (int i = 0; i < 12; i++)
		write_twist(&reliable, 2 + i);
	ok(until(heard.got >= 13), "%s: twelve of a RELIABLE writer", how);
	settle();
	ok_eq(heard.got, 13, "%s: each comes once", how);
	ok_eq(heard.data[4], 13, "%s: in order", how);
	ok_eq(heard.found, 0, "%s: a subscribed topic is not found", how);
	ok_eq(source_messages_lost(source), 0, "%s: nothing is lost", how);
	source_close(source);
	end_delete(&best);
	end_delete(&reliable);
}

static void test_latched(bool all)
{
	struct end w = end_new("rt/late", TWIST, true, true, true);

	write_twist(&w, 5);
	open_source();
	until(heard.found);
	ok_eq(all ? source_subscribe_all(source, "/late", -1) :
	      source_subscribe(source, "/late", -1), 0,
	      "a kind that is that of the writer");
	ok(until(heard.got), "a message from before the subscription");
	ok_eq(heard.data[4], 5, "... which is it");
	write_twist(&w, 6);
	until(heard.got > 1);
	settle();
	ok_eq(heard.got, 2, "the next one comes once");
	source_unsubscribe(source, "/late");
	write_twist(&w, 7);
	settle();
	ok_eq(heard.got, 2, "none after the end of the subscription");
	ok_eq(source_subscribe(source, "/late", MESSAGE_TWIST), 0,
	      "subscribed again");
	ok(until(heard.got >= 3), "... it begins again");
	source_close(source);
	end_delete(&w);
}

static void test_leave(void)
{
	struct end w = end_new("rt/t", TWIST, true, true, false);

	open_source();
	source_subscribe(source, "/t", MESSAGE_TWIST);
	settle();
	leave = "/t";
	for (int i = 0; i < 3; i++)
		write_twist(&w, i);
	ok(until(heard.got), "a message");
	settle();
	ok_eq(heard.got, 1, "no more once its callback unsubscribed");
	source_unsubscribe(source, "/none");
	source_close(source);
	end_delete(&w);
}

static void test_other_kind(void)
{
	struct end w = end_new("rt/t", GRID, true, true, false);
	struct end v = end_new("rt/u", "std_msgs::msg::dds_::String_", true,
			       true, false);

	open_source();
	settle();
	source_subscribe(source, "/t", MESSAGE_TWIST);
	ok(until(heard.lines), "a writer of another type is logged");
	ok_str(heard.line, "/t ignored: nav_msgs/msg/OccupancyGrid",
	       "... with its type");
	source_subscribe(source, "/u", -1);
	ok_eq(heard.lines, 2, "one of an unknown type, too");
	ok_str(heard.line, "/u ignored: unsupported type", "... as such");
	end_delete(&w);
	w = end_new("rt/t", GRID, true, true, false);
	settle();
	ok_eq(heard.lines, 2, "once for each topic");
	source_close(source);
	end_delete(&w);
	end_delete(&v);
}

/*
 * Another process, over the network
 */

enum { TWISTS = 20, LARGE = 200001 };

static uint8_t large[LARGE];

static void make_large(void)
{
	uint64_t seed = 3;

	for (unsigned int i = 4; i < LARGE; i++)
		large[i] = (uint8_t)rnd(&seed, 256);
	large[1] = 1;
}

/* Begins with a byte of @fd, writes with another one once the readers are there
 * that match, and stays until @fd ends
 */
static void other_process(int fd)
{
	dds_instance_handle_t all[8];
	struct end small, big;
	char c;

	alarm(600);
	if (read(fd, &c, 1) != 1 || ros2_join(&ros, NULL, NULL, &error))
		_exit(1);
	other = ros2_participant(ros);
	small = end_new("rt/small", TWIST, true, true, false);
	big = end_new("rt/big", GRID, true, true, false);
	while (dds_get_matched_subscriptions(small.end, all, 8) < 2 ||
	       dds_get_matched_subscriptions(big.end, all, 8) < 1)
		usleep(2000);
	if (read(fd, &c, 1) != 1)
		_exit(1);
	for (int i = 1; i <= TWISTS; i++)
		write_twist(&small, (uint8_t)i);
	end_write(&big, large, LARGE);
	_exit(read(fd, &c, 1) == 1);
}

/* Readers of @topic below @parent that have a writer */
static unsigned int served(dds_entity_t parent, const char *topic)
{
	dds_entity_t child[64];
	dds_instance_handle_t all[8];
	char name[IO_NAME];
	unsigned int n = 0;

	for (int i = dds_get_children(parent, child, 64); i-- > 0; ) {
		n += served(child[i], topic);
		if (dds_get_matched_publications(child[i], all, 8) > 0 &&
		    dds_get_name(dds_get_topic(child[i]), name,
				 sizeof(name)) >= 0)
			n += !strcmp(name, topic);
	}
	return n;
}

static void test_network(int fd)
{
	open_source();
	if (write(fd, "g", 1) != 1)
		abort();
	source_subscribe_all(source, "/small", MESSAGE_TWIST);
	source_subscribe(source, "/big", MESSAGE_OCCUPANCY_GRID);
	/* a reader gets nothing that was written before it knew the writer */
	ok(until(served(ros2_participant(ros), "rt/small") == 2),
	   "a writer of another process");
	ok(until(served(ros2_participant(ros), "rt/big") == 1), "two of them");
	if (write(fd, "w", 1) != 1)
		abort();
	ok(until(heard.got >= TWISTS + 1), "messages of another process");
	settle();
	ok_eq(heard.got, TWISTS + 1, "... each once");
	/* 1 + 2 + ... 20, and the fifth byte of the large one */
	ok_eq(heard.sum, 210 + large[4], "... all of them");
	ok_eq(heard.crc, crc32(0, large, LARGE), "one in many fragments");
	ok_eq(source_messages_lost(source), 0, "... nothing is lost");
	close(fd);
	source_close(source);
}

/*
 * A sink
 */

static bool is_matched(const struct end *e, bool writes, unsigned int n)
{
	dds_instance_handle_t all[8];

	return (writes ? dds_get_matched_subscriptions(e->end, all, 8) :
		dds_get_matched_publications(e->end, all, 8)) == (int)n;
}

static void read_message(enum message_kind kind, uint8_t *data,
			 union message *msg)
{
	const size_t len = golden_bytes(kind, MESSAGE_CDR, START, data);

	if (message_read(kind, MESSAGE_CDR, data, len, msg))
		abort();
}

static void test_sink(void)
{
	const struct sink_config config = { .spec = "ros2:7", .log = on_line };
	static uint8_t data[BYTES], got[BYTES];
	struct end soon, late, keen;
	struct sink_topic *t, *map, *bad;
	struct sink *s;
	union message msg;

	open_source();
	ok_eq(sink_open(&s, loop, &config, &error), 0, "a sink");
	ok_eq(sink_add(s, "/t", MESSAGE_TWIST, false, &t), 0, "a topic");
	ok_eq(sink_add(s, "/map", MESSAGE_OCCUPANCY_GRID, true, &map), 0,
	      "a latched one");
	soon = end_new("rt/t", TWIST, false, true, false);
	keen = end_new("rt/t", TWIST, false, true, true);
	until(is_matched(&soon, false, 1));
	read_message(MESSAGE_TWIST, data, &msg);
	ok_eq(sink_publish(t, 0, &msg), 0, "published");
	ok_eq(end_read(&soon, got), golden_bytes(MESSAGE_TWIST, MESSAGE_CDR, 0,
						 data), "a reader has it");
	ok_mem(got, data, 52, "... as it was");
	ok_eq(end_read(&soon, got), 0, "... once");
	ok_eq(is_matched(&keen, false, 0), true,
	      "a topic that is not latched is VOLATILE");
	for (int i = 0; i < 3; i++) {
		read_message(MESSAGE_OCCUPANCY_GRID, data, &msg);
		msg.map.header.stamp = START + i;
		sink_publish(map, 0, &msg);
	}
	late = end_new("rt/map", GRID, false, true, true);
	until(is_matched(&late, false, 1));
	ok(until(end_read(&late, got)), "a late reader has the latched map");
	ok_eq(get_le32(got + 8), 2, "... the last one");
	ok_eq(end_read(&late, got), 0, "... alone");
	settle();
	ok_eq(heard.found, 0, "a source finds no topics of its own process");
	ok_eq(sink_add(s, "/d", MESSAGE_DIAGNOSTICS, false, &bad), 0,
	      "a topic of diagnostics");
	memset(&msg, 0, sizeof(msg));
	msg.diagnostics.statuses = MESSAGE_STATUSES + 1;
	ok_eq(sink_publish(bad, 0, &msg), -E2BIG,
	      "too long a message is not published");
	ok_eq(heard.lines, 1, "... and logged");
	sink_publish(bad, 0, &msg);
	ok_eq(heard.lines, 1, "... once");
	ok_eq(sink_dropped(s), 2, "... and counted");
	sink_remove(t);
	ok(until(is_matched(&soon, false, 0)), "a topic that is removed");
	sink_close(s);
	source_close(source);
	end_delete(&soon);
	end_delete(&late);
	end_delete(&keen);
}

/*
 * The graph: rmw_dds_common/msg/ParticipantEntitiesInfo, byte by byte
 */

static size_t put_gid(uint8_t *to, dds_entity_t e, size_t gid)
{
	dds_guid_t guid;

	memset(to, 0, gid);
	if (e && !dds_get_guid(e, &guid))
		memcpy(to, guid.v, 16);
	return gid;
}

/* A node /gdim/gdimd; the GID of @reader, if it is one, and no writers */
static size_t graph_bytes(uint8_t *to, size_t gid, dds_entity_t reader)
{
	static const uint8_t names[] = "\1\0\0\0" "\6\0\0\0/gdim\0\0\0"
				       "\6\0\0\0gdimd\0\0";
	size_t at = 4;

	memcpy(to, "\0\1\0\0", 4);
	at += put_gid(to + at, ros2_participant(ros), gid);
	memcpy(to + at, names, sizeof(names));
	at += sizeof(names);
	put_le32(to + at, reader ? 1 : 0);
	at += 4;
	if (reader)
		at += put_gid(to + at, reader, gid);
	put_le32(to + at, 0);
	return at + 4;
}

static void test_graph(const char *distro, size_t gid)
{
	struct end e = end_new("ros_discovery_info",
		"rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_", false,
		true, true);
	const struct ddsi_sertype *type;
	struct ros2_graph *graph;
	dds_entity_t topic, reader;
	uint8_t want[256], got[256];
	size_t len;

	setenv("ROS_DISTRO", distro, 1);
	ok_eq(ros2_graph_open(&graph, ros, "/gdim/gdimd", &error), 0,
	      "%s: a node", distro);
	unsetenv("ROS_DISTRO");
	len = graph_bytes(want, gid, 0);
	ok(until((len = end_read(&e, got))), "%s: is published", distro);
	ok_eq(len, graph_bytes(want, gid, 0), "%s: its length", distro);
	ok_mem(got, want, len, "%s: its bytes", distro);
	ok_eq(ros2_graph_update(graph), 0, "%s: no change", distro);
	settle();
	ok_eq(end_read(&e, got), 0, "%s: nothing is sent then", distro);
	topic = ros2_topic(ros, "/t", MESSAGE_TWIST, &type);
	reader = dds_create_reader(ros2_participant(ros), topic, NULL, NULL);
	ok_eq(ros2_graph_update(graph), 0, "%s: with a reader", distro);
	ok(until((len = end_read(&e, got))), "%s: is published again", distro);
	ok_eq(len, graph_bytes(want, gid, reader), "%s: its length", distro);
	ok_mem(got, want, len, "%s: its bytes", distro);
	dds_delete(reader);
	dds_delete(topic);
	ros2_graph_close(graph);
	end_delete(&e);
}

static void test_graph_names(void)
{
	static const char *const bad[] = { "", "a b", "/a/", "a/b", "/1" };
	char name[300] = "/a";
	struct ros2_graph *graph = NULL;

	for (unsigned int i = 0; i < 5; i++) {
		ok_eq(ros2_graph_open(&graph, ros, bad[i], &error), -EINVAL,
		      "node '%s'", bad[i]);
		ok(strstr(error.text, "invalid node name"), "%s", error.text);
	}
	memset(name + 2, 'a', 260);
	ok_eq(ros2_graph_open(&graph, ros, name, &error), -EINVAL,
	      "a name that is too long");
	ok_eq(ros2_graph_open(&graph, ros, "short", &error), 0, "node short");
	ros2_graph_close(graph);
	ros2_graph_close(NULL);
}

int main(void)
{
	int fd[2];

	ros2_network();
	make_large();
	if (pipe(fd))
		abort();
	/* before this one has threads */
	if (!fork()) {
		close(fd[1]);
		other_process(fd[0]);
	}
	close(fd[0]);
	ros2_begin();
	test_domains();
	test_vendor();
	test_found();
	test_messages(false);
	test_messages(true);
	test_latched(false);
	test_latched(true);
	test_leave();
	test_other_kind();
	test_sink();
	test_graph("jazzy", 16);
	test_graph("humble", 24);
	test_graph_names();
	test_network(fd[1]);
	ros2_end();
	return tap_done();
}
