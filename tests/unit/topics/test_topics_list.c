// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topics_list - names and types, what is sampled, lists and their file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"
#include "topics/topics.h"

static struct error error;

/*
 * Names
 */

static void test_names(void)
{
	static const struct {
		const char *dds, *ros;
	} names[] = {
		{ "rt/cam/image", "/cam/image" }, { "rt/", "/" },
		{ "rq/cam/setRequest", "rq/cam/setRequest" },
		{ "image", "image" }, { "/image", "/image" }, { "", "" },
		{ "rtx", "rtx" },
	}, types[] = {
		{ "sensor_msgs::msg::dds_::Image_", "sensor_msgs/msg/Image" },
		{ "a::b::dds_::C_", "a/b/C" },
		{ "sensor_msgs::msg::dds_::Image", "sensor_msgs::msg::dds_::Image" },
		{ "plain", "plain" }, { "a::dds_::C_", "a::dds_::C_" },
		{ "::dds_::C_", "::dds_::C_" }, { "", "" },
	};
	char text[TOPIC_NAME];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		topic_ros_name(names[i].dds, text);
		ok_str(text, names[i].ros, "the name \"%s\"", names[i].dds);
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		topic_ros_type(types[i].dds, text);
		ok_str(text, types[i].ros, "the type \"%s\"", types[i].dds);
	}
}

static void test_guid(void)
{
	static const uint8_t guid[TOPIC_GUID] = {
		0x01, 0x0f, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0x12, 0xff,
	};
	char text[TOPIC_GUID_TEXT];

	topic_guid_text(guid, text);
	ok_str(text, "010f0203.04050607.08090a0b.000012ff", "a GUID");
}

/*
 * What is sampled
 */

static struct topic topic(const char *name, const char *type)
{
	struct topic t = { .depth = 1 };

	snprintf(t.name, sizeof(t.name), "%s", name);
	snprintf(t.type, sizeof(t.type), "%s", type);
	return t;
}

#define IMAGE "sensor_msgs::msg::dds_::Image_"
#define TWIST "geometry_msgs::msg::dds_::Twist_"

static const struct topic_rules by_type;

static const char *why(const struct topic_rules *r, const char *name,
		       const char *type)
{
	const struct topic t = topic(name, type);

	return topic_why_not(r, &t);
}

static void test_types(void)
{
	static const struct topic_rules own = {
		.types = "nav_msgs/msg/*,std_msgs::msg::dds_::String_",
	};

	ok_str(why(&by_type, "rt/a", IMAGE), NULL, "images");
	ok_str(why(&by_type, "rt/a", "sensor_msgs/msg/Image"), NULL,
	       "in the spelling of ROS");
	ok_str(why(&by_type, "rt/a", "sensor_msgs::msg::dds_::PointCloud2_"),
	       NULL, "clouds");
	ok_str(why(&by_type, "rt/a", "sensor_msgs::msg::dds_::LaserScan_"),
	       NULL, "scans");
	ok_str(why(&by_type, "rt/a", "std_msgs::msg::dds_::String_"),
	       "type is not in the list", "strings are not");
	ok_str(why(&by_type, "rt/a", TWIST), "type is not in the list",
	       "nor are commands");
	ok_str(why(&own, "rt/a", IMAGE), "type is not in the list",
	       "the user's list is another one");
	ok_str(why(&own, "rt/a", "std_msgs::msg::dds_::String_"), NULL,
	       "with names of DDS");
	ok_str(why(&own, "rt/a", "nav_msgs::msg::dds_::Path_"), NULL,
	       "and patterns of ROS");
}

static void test_topics(void)
{
	static const struct topic_rules own = { .topics = "/a,rt/b/*,,/c" };

	ok_str(why(&own, "rt/a", "any"), NULL, "a topic by its name");
	ok_str(why(&own, "rt/b/x", "any"), NULL, "by a pattern of DDS");
	ok_str(why(&own, "rt/c", "any"), NULL, "the last of the list");
	ok_str(why(&own, "rt/ab", "any"), "not in --topics", "not by a part");
	ok_str(why(&own, "rt/d", IMAGE), "not in --topics",
	       "and not by its type");
}

static void test_never(void)
{
	static const struct topic_rules all = { .topics = "*" };
	struct topic t = topic("rt/map", IMAGE);

	ok_str(why(&all, "rq/x", IMAGE), "service request", "a request");
	ok_str(why(&all, "rr/x", IMAGE), "service reply", "a reply");
	ok_str(why(&all, "rt/fib/_action/feedback", IMAGE), "action",
	       "an action");
	ok_str(why(&all, "rt/tf_static", IMAGE), "ROS needs every message",
	       "static transforms");
	ok_str(why(&all, "/rosout_agg", IMAGE), "ROS needs every message",
	       "the log of ROS 1");
	ok_str(why(&all, "ros_discovery_info", IMAGE),
	       "ROS needs every message", "discovery");
	ok_str(why(&all, "rt/tf", IMAGE), NULL, "but transforms may be");
	t.durable = true;
	ok_str(topic_must_not(&t), "TRANSIENT_LOCAL: late readers need it",
	       "latched topics");
	t.durable = false;
	ok_str(topic_must_not(&t), NULL, "others may be sampled");
}

static void test_commands(void)
{
	const struct topic twist = topic("rt/cmd_vel", TWIST);
	const struct topic ros1 = topic("/cmd_vel", "geometry_msgs/msg/Twist");
	const struct topic image = topic("rt/a", IMAGE);

	ok(topic_is_command(&twist), "a velocity is a command");
	ok(topic_is_command(&ros1), "of ROS 1, too");
	ok(!topic_is_command(&image), "an image is none");
}

/*
 * Lists
 */

static const uint8_t *guid_of(unsigned int i)
{
	static uint8_t guid[TOPIC_GUID];

	memset(guid, 0, sizeof(guid));
	memcpy(guid, &i, sizeof(i));
	guid[15] = 3;
	return guid;
}

static void test_list(void)
{
	struct topic_list l = { 0 };
	struct topic *t;
	int found = 0;

	ok(!topic_find(&l, guid_of(1)), "an empty list");
	topic_drop(&l, guid_of(1));
	t = topic_get(&l, guid_of(1));
	ok_eq(t->flow, 0, "a new topic is empty");
	t->flow = 7;
	ok_eq(topic_get(&l, guid_of(1))->flow, 7, "a known one is not");
	ok_eq(l.n, 1, "and there is only one");
	for (unsigned int i = 0; i < 1000; i++)
		topic_get(&l, guid_of(i))->flow = i;
	ok_eq(l.n, 1000, "a thousand");
	for (unsigned int i = 0; i < 1000; i += 2)
		topic_drop(&l, guid_of(i));
	ok_eq(l.n, 500, "half of them are dropped");
	for (unsigned int i = 0; i < 1000; i++) {
		t = topic_find(&l, guid_of(i));
		found += i & 1 ? t && t->flow == i : !t;
	}
	ok_eq(found, 1000, "the others are found, with what they have");
	topic_free(&l);
	ok_eq(l.n, 0, "freed");
	ok(!topic_find(&l, guid_of(1)), "and empty");
}

/*
 * The file
 */

static void test_file(const char *path)
{
	struct topic_list l = { 0 }, got = { 0 };
	size_t left_out = 99;
	char *warnings;
	struct topic *t = topic_get(&l, guid_of(1));

	strcpy(t->name, "rt/a \"b\"");
	strcpy(t->type, IMAGE);
	strcpy(t->format, "jpeg");
	t = topic_get(&l, guid_of(2));
	strcpy(t->name, "rt/c");
	t->why_not = "action";
	ok_eq(topic_save(path, &l, 3, "one; two", &error), 0, "save");
	ok_eq(topic_load(path, &got, &left_out, &warnings), 0, "load");
	ok_eq(got.n, 2, "both topics");
	t = topic_find(&got, guid_of(1));
	ok_str(t ? t->name : NULL, "rt/a \"b\"", "by GUID");
	ok_str(t ? t->type : NULL, IMAGE, "with the type");
	ok_eq(left_out, 3, "how many are left out");
	ok_str(warnings, "one; two", "warnings");
	free(warnings);
	topic_free(&got);
	ok_eq(topic_save(path, &l, 0, "", &error), 0, "without warnings");
	topic_load(path, &got, &left_out, &warnings);
	ok_str(warnings, NULL, "there are none");
	ok_eq(left_out, 0, "and none is left out");
	topic_free(&got);
	topic_free(&l);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

/* What others read of the file */
static void test_json(const char *path)
{
	struct topic_list l = { 0 };
	char text[1024] = "";
	struct topic *t = topic_get(&l, guid_of(1));
	FILE *f;

	strcpy(t->name, "rt/a");
	strcpy(t->format, "jpeg");
	t->newest = true;
	topic_save(path, &l, 2, "w", &error);
	f = fopen(path, "r");
	ok(fread(text, 1, sizeof(text) - 1, f), "as JSON");
	fclose(f);
	ok(strstr(text, "\"guid\":\t\"01000000.00000000.00000000.00000003\""),
	   "its GUID");
	ok(strstr(text, "\"format\":\t\"jpeg\""), "its format");
	ok(strstr(text, "\"sampled\":\ttrue"), "it is sampled");
	ok(strstr(text, "\"newest\":\ttrue"), "the newest message");
	ok(!strstr(text, "why_not"), "and so there is no reason");
	ok(strstr(text, "\"left_out\":\t2"), "others are left out");
	topic_find(&l, guid_of(1))->why_not = "action";
	topic_save(path, &l, 2, "w", &error);
	f = fopen(path, "r");
	memset(text, 0, sizeof(text));
	ok(fread(text, 1, sizeof(text) - 1, f), "another one");
	fclose(f);
	ok(strstr(text, "\"sampled\":\tfalse"), "is not sampled");
	ok(strstr(text, "\"newest\":\tfalse"), "not even the newest");
	ok(strstr(text, "\"why_not\":\t\"action\""), "with the reason");
	topic_free(&l);
}

static void test_bad_files(const char *path)
{
	static const char *const bad[] = {
		"", "{", "[]", "{\"topics\": 7}", "{\"topics\": [7, {}]}",
		"{\"topics\": [{\"guid\": \"0\", \"topic\": \"a\", \"type\": \"b\"}]}",
		"{\"topics\": [{\"guid\": \"x1000000.00000000.00000000.00000003\", \"topic\": \"a\", \"type\": \"b\"}]}",
		"{\"topics\": [{\"guid\": \"01000000.00000000.00000000.00000003\", \"type\": \"b\"}]}",
		"{\"left_out\": -3}", "{\"left_out\": \"3\", \"warnings\": 3}",
	};
	struct topic_list l = { 0 };
	size_t left_out;
	char *warnings;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put(path, bad[i]);
		ok_eq(topic_load(path, &l, &left_out, &warnings), 0, "\"%s\"",
		      bad[i]);
		ok_eq(l.n, 0, "has no topic");
		ok_eq(left_out, 0, "none that is left out");
		ok_str(warnings, NULL, "and no warning");
	}
	unlink(path);
	ok_eq(topic_load(path, &l, &left_out, &warnings), -ENOENT,
	      "a file that is missing");
	topic_free(&l);
}

static void test_save_errors(const char *dir)
{
	struct topic_list l = { 0 };
	char path[512], line[ERROR_TEXT + 300];

	snprintf(path, sizeof(path), "%s/no/such", dir);
	ok_eq(topic_save(path, &l, 0, NULL, &error), -ENOENT,
	      "a folder that is missing");
	snprintf(line, sizeof(line),
		 "cannot write %s.new: No such file or directory", path);
	ok_str(error.text, line, "has a line");
	snprintf(path, sizeof(path), "%s/folder", dir);
	mkdir(path, 0700);
	ok_eq(topic_save(path, &l, 0, NULL, &error), -EISDIR,
	      "a folder of that name");
	snprintf(line, sizeof(line), "cannot write %s: Is a directory", path);
	ok_str(error.text, line, "is not replaced");
	rmdir(path);
	strcat(path, ".new");
	unlink(path);
}

static void test_domain(void)
{
	unsetenv("ROS_DOMAIN_ID");
	ok_eq(topics_domain(), 0, "no domain is 0");
	setenv("ROS_DOMAIN_ID", "42", 1);
	ok_eq(topics_domain(), 42, "that of the environment");
	setenv("ROS_DOMAIN_ID", "232", 1);
	ok_eq(topics_domain(), 232, "the last one");
	setenv("ROS_DOMAIN_ID", "233", 1);
	ok_eq(topics_domain(), 0, "there is no other");
	setenv("ROS_DOMAIN_ID", "x", 1);
	ok_eq(topics_domain(), 0, "nor a name");
}

int main(void)
{
	char dir[] = "/tmp/test_topics_list.XXXXXX", path[64];

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/topics", dir);
	test_names();
	test_guid();
	test_types();
	test_topics();
	test_never();
	test_commands();
	test_list();
	test_file(path);
	test_json(path);
	test_bad_files(path);
	test_save_errors(dir);
	test_domain();
	rmdir(dir);
	return tap_done();
}
