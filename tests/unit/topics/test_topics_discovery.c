// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topics_discovery - writers, participants, odometry and formats of a node
 * that is another process on the same network
 */
#include <dds/dds.h>
#include <signal.h>
#include <sys/wait.h>
#include "base/clock.h"
#include "nav_msgs.h"
#include "netdev/netns.h"
#include "sensor_msgs.h"
#include "topics/discovery.h"

enum { DOMAIN = 42, WAIT_MS = 120000 };

static const char interface[] =
	"<General><Interfaces><NetworkInterface name=\"v0\"/></Interfaces></General>";

/*
 * The node: it does what the letters say that it reads, and answers each
 */

static dds_entity_t participant, writers[128];

static dds_entity_t topic_of(const char *name, const dds_topic_descriptor_t *d)
{
	return dds_create_topic(participant, d, name, NULL, NULL);
}

static dds_entity_t writer_of(const char *name, const dds_topic_descriptor_t *d,
			      bool latched)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t w;

	dds_qset_reliability(qos, latched ? DDS_RELIABILITY_RELIABLE :
			     DDS_RELIABILITY_BEST_EFFORT, DDS_MSECS(100));
	if (latched) {
		dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
		dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
	} else {
		dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 5);
	}
	w = dds_create_writer(participant, topic_of(name, d), qos, NULL);
	dds_delete_qos(qos);
	return w;
}

static void write_picture(void)
{
	uint8_t bytes[] = { 0xff, 0xd8, 0xff, 0xe0 };
	sensor_msgs_msg_dds__CompressedImage_ m = {
		.header.frame_id = (char *)"camera", .format = (char *)"jpeg",
		.data = { sizeof(bytes), sizeof(bytes), bytes, false },
	};

	dds_write(writers['p'], &m);
}

static void write_odometry(void)
{
	nav_msgs_msg_dds__Odometry_ m = {
		.header.frame_id = (char *)"odom",
		.child_frame_id = (char *)"base",
		.pose.pose.position = { 1, -2, 3 },
	};

	dds_write(writers['o'], &m);
}

static void node_do(char what)
{
	switch (what) {
	case 'i':
		writers['i'] = writer_of("rt/image",
			&sensor_msgs_msg_dds__Image__desc, false);
		break;
	case 'l':
		writers['l'] = writer_of("rt/latched",
			&sensor_msgs_msg_dds__Image__desc, true);
		break;
	case 'p':
		writers['p'] = writer_of("rt/picture",
			&sensor_msgs_msg_dds__CompressedImage__desc, false);
		break;
	case 'r':
		writers['r'] = dds_create_reader(participant,
			topic_of("rt/picture",
				 &sensor_msgs_msg_dds__CompressedImage__desc),
			NULL, NULL);
		break;
	case 'o':
		writers['o'] = writer_of("rt/odom",
			&nav_msgs_msg_dds__Odometry__desc, false);
		break;
	case 'P':
		write_picture();
		break;
	case 'O':
		write_odometry();
		break;
	case 'I':
		dds_delete(writers['i']);
		break;
	case 'x':
		dds_delete(participant);
		break;
	}
}

static int node_in, node_out;
static pid_t node_pid;

static void node_run(int in, int to)
{
	char what;

	setenv("CYCLONEDDS_URI", interface, 1);
	participant = dds_create_participant(DOMAIN, NULL, NULL);
	while (read(in, &what, 1) == 1) {
		node_do(what);
		if (write(to, participant > 0 ? "y" : "n", 1) != 1)
			break;
	}
	_exit(0);
}

static void node_start(void)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		abort();
	node_pid = fork();
	if (!node_pid) {
		close(there[1]);
		close(back[0]);
		node_run(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	node_in = there[1];
	node_out = back[0];
}

/* Have the node do something. Return: it could */
static bool node(char what)
{
	char answer = 'n';

	return write(node_in, &what, 1) == 1 &&
	       read(node_out, &answer, 1) == 1 && answer == 'y';
}

/*
 * What is discovered
 */

static struct error error;
static struct topic_list found;
static int gone, peers, positions, questions;
static uint64_t lease;
static double position[3];
static bool away;	/* nodes of others are behind the interface */
static struct ip_addr node_addr;

static void on_topic(void *arg, const struct topic *t)
{
	ok_str(arg, "arg", "what is given comes back");
	*topic_get(&found, t->guid) = *t;
}

static void on_gone(void *arg, const uint8_t *guid)
{
	(void)arg;
	gone++;
	topic_drop(&found, guid);
}

static void on_peer(void *arg, const uint8_t *guid, uint64_t lease_ms)
{
	(void)arg;
	(void)guid;
	peers += lease_ms ? 1 : -1;
	lease = lease_ms;
}

static void on_odometry(void *arg, double x, double y, double z)
{
	(void)arg;
	positions++;
	position[0] = x;
	position[1] = y;
	position[2] = z;
}

static bool on_foreign(void *arg, const struct ip_addr *a, int n)
{
	(void)arg;
	questions++;
	if (n)
		node_addr = a[0];
	return away;
}

static const struct discovery_ops ops = {
	.topic = on_topic, .topic_gone = on_gone, .peer = on_peer,
	.odometry = on_odometry, .foreign = on_foreign,
};

static const struct topic *named(const char *name)
{
	for (size_t i = 0; i < found.n; i++)
		if (!strcmp(found.v[i].name, name))
			return &found.v[i];
	return NULL;
}

/* Poll until @condition, which is checked after each event */
#define until(d, condition) ({						\
	const uint64_t end = monotonic_ms() + WAIT_MS;			\
									\
	while (!(condition) && monotonic_ms() < end)			\
		discovery_poll(d, 100, &ops, (void *)"arg");		\
	!!(condition);							\
})

static void test_writers(struct discovery *d)
{
	const struct topic *t;

	ok(node('i'), "a node writes images");
	ok(until(d, named("rt/image")), "its writer is found");
	t = named("rt/image");
	if (!t)
		exit(tap_done());
	ok_str(t->type, "sensor_msgs::msg::dds_::Image_", "with its type");
	ok(!t->reliable, "best effort");
	ok(!t->durable, "volatile");
	ok_eq(t->depth, 5, "with its history");
	ok(!t->foreign, "it sends by our interface");
	ok(questions > 0, "as a participant was asked");
	ok_eq(node_addr.family, AF_INET, "with the address of the node");
	ok_eq(node_addr.addr[0], 10, "which it announces");
	ok(node('l'), "another writer");
	ok(until(d, named("rt/latched")), "is found");
	t = named("rt/latched");
	ok(t, "it is reliable");
	ok(t->reliable, "it is reliable");
	ok(t, "and latched");
	ok(t->durable, "and latched");
	ok_eq(t ? t->depth : -1, 0, "and keeps all");
	ok(node('I'), "the first one ends");
	ok(until(d, gone), "which is noticed");
	ok(!named("rt/image"), "it is gone");
}

static void test_peers(struct discovery *d)
{
	ok(until(d, peers == 1), "the participant of the node");
	ok_range(lease, 1000, 60000, "has a lease");
}

static void test_odometry(struct discovery *d)
{
	ok_eq(discovery_odometry(d, "/odom"), 0, "read odometry");
	ok(node('o'), "a node writes it");
	ok(until(d, positions || !node('O')), "it is read");
	ok_near(position[0], 1, 0, "x");
	ok_near(position[1], -2, 0, "y");
	ok_near(position[2], 3, 0, "z");
}

/* A format is known when another reader is there, too */
static void test_formats(struct discovery *d)
{
	ok(node('p'), "a node writes pictures");
	ok(until(d, named("rt/picture")), "they are found");
	ok_str(named("rt/picture")->format, "", "of a format that is not known");
	ok(node('P'), "a picture");
	ok(node('r'), "when others read them");
	ok(until(d, *named("rt/picture")->format || !node('P')),
	   "one is read");
	ok_str(named("rt/picture")->format, "jpeg", "which has the format");
}

static void test_end(struct discovery *d)
{
	ok(node('x'), "the node ends");
	ok(until(d, !peers), "which is noticed");
	ok(until(d, !found.n), "with all its writers");
}

static struct discovery *join(const char *dev)
{
	return discovery_open(&(struct discovery_config){
		.domain = DOMAIN, .dev = dev, .lease_s = 70, .log = netns_log,
	}, &error);
}

static void test_foreign(void)
{
	struct discovery *d = join("v0");

	away = true;
	ok(d, "join again");
	ok(node('i'), "a node that is behind the interface");
	ok(until(d, named("rt/image")), "is found, too");
	ok(named("rt/image")->foreign, "but its packets do not leave by it");
	discovery_close(d);
	topic_free(&found);
	away = false;
}

static void test_failures(void)
{
	struct discovery *d;

	ok(!join("no-such-device"), "a device that is missing");
	ok(*error.text, "%s", error.text);
	ok(!strstr(error.text, "\n"), "in one line");
	ok_str(netns_logged(), "", "which is not logged");
	setenv("CYCLONEDDS_URI", "<General><Nonsense>1</Nonsense></General>", 1);
	ok(!join(NULL), "a configuration of the user that is wrong");
	ok(*error.text, "%s", error.text);
	setenv("CYCLONEDDS_URI", interface, 1);
	d = join("no-such-device");
	ok(d, "the user's configuration has the interface");
	discovery_close(d);
	unsetenv("CYCLONEDDS_URI");
	discovery_close(NULL);
	ok(discovery_built(), "Cyclone DDS is there");
}

int main(void)
{
	struct discovery *d;

	netns_enter();
	unsetenv("CYCLONEDDS_URI");
	netns_cable("v0", "v1");
	need("ip addr add 10.1.0.1/24 dev v0; ip route add 224.0.0.0/4 dev v0");
	signal(SIGPIPE, SIG_IGN);
	node_start();
	test_failures();
	d = join("v0");
	ok(d, "join a domain: %s", error.text);
	if (!d)
		return tap_done();
	test_writers(d);
	test_peers(d);
	test_odometry(d);
	test_formats(d);
	test_end(d);
	discovery_close(d);
	close(node_in);
	waitpid(node_pid, NULL, 0);
	topic_free(&found);
	node_start();
	test_foreign();
	close(node_in);
	waitpid(node_pid, NULL, 0);
	return tap_done();
}
