// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topic_format - which compressed images are pictures alone, and so may be
 * sampled
 */
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "tap.h"
#include "topics/topics.h"

static struct topic image(const char *format)
{
	struct topic t = { .name = "rt/camera", .depth = 1 };

	strcpy(t.type, "sensor_msgs::msg::dds_::CompressedImage_");
	if (format)
		strcpy(t.format, format);
	return t;
}

static const char *why(const char *format)
{
	static const struct topic_rules none;
	const struct topic t = image(format);

	return topic_why_not(&none, &t);
}

static void test_alone(void)
{
	static const char *const alone[] = {
		"jpeg", "jpg", "png", "webp", "jxl", "JPEG",
		"rgb8; jpeg compressed bgr8", "mono16; png compressed ",
		"16UC1; compressedDepth png", "32FC1; compressedDepth rvl",
		"16UC1; compressedDepth", "mjpeg",
	};

	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		ok(!why(alone[i]), "%s is sampled", alone[i]);
}

static void test_inter(void)
{
	static const char *const inter[] = {
		"h264", "H264", "h265", "hevc", "video/h264", "av1", "vp9",
		"mpeg4", "h.264",
	};
	static const struct topic_rules named = { .topics = "/camera" };

	for (size_t i = 0; i < sizeof(inter) / sizeof(*inter); i++) {
		const struct topic t = image(inter[i]);

		ok(why(inter[i]), "%s is not, even by name", inter[i]);
		ok(strstr(why(inter[i]), "need others"),
		   "%s is not, even by name", inter[i]);
		ok(topic_must_not(&t), "%s is not, even by name", inter[i]);
		ok(topic_why_not(&named, &t), "%s is not, even by name",
		   inter[i]);
	}
}

static void test_unknown(void)
{
	static const struct topic_rules named = { .topics = "/camera" };
	const struct topic silent = image(NULL), odd = image("theta");

	ok(why(NULL), "without a message nothing is known");
	ok(strstr(why(NULL), "a message"),
	   "without a message nothing is known");
	ok(why("theta"), "nor of another format");
	ok(strstr(why("theta"), "not known"), "nor of another format");
	ok(!topic_why_not(&named, &silent), "unless the user names the topic");
	ok(!topic_why_not(&named, &odd), "unless the user names the topic");
	ok(!topic_must_not(&odd), "unless the user names the topic");
}

static void test_types(void)
{
	static const struct topic_rules none;
	struct topic t = { .name = "rt/points" };

	strcpy(t.type, "point_cloud_interfaces::msg::dds_::"
	       "CompressedPointCloud2_");
	ok(!topic_why_not(&none, &t), "compressed clouds are sampled");
	strcpy(t.type, "sensor_msgs::msg::dds_::Image_");
	ok(!topic_why_not(&none, &t), "images need no format");
	strcpy(t.type, "foxglove_msgs::msg::dds_::CompressedVideo_");
	ok(topic_why_not(&none, &t), "video is not");
}

static const char *read_format(const char *format, const void *data,
			       size_t size)
{
	static char to[TOPIC_FORMAT];

	topic_format_read(format, strlen(format), data, size, to);
	return to;
}

/* What a message says of itself, and how it begins */
static void test_begin(void)
{
	ok(!strcmp(read_format("jpeg", "\xff\xd8\xff\xe0", 4), "jpeg"),
	   "a jpeg");
	ok(!strcmp(read_format("", "\xff\xd8\xff\xe0", 4), "jpeg"),
	   "one that does not say so");
	ok(!strcmp(read_format("rgb8", "\x89PNG\r\n\x1a\n", 8), "png"),
	   "a png that says something else");
	ok(!strcmp(read_format("", "RIFF\1\2\3\4WEBP", 12), "webp"), "webp");
	ok(why(read_format("jpeg", "\0\0\0\1\x67", 5)),
	   "h264 that is called jpeg is not sampled");
	ok(!strcmp(read_format("h264", "\xff\xd8\xff", 3), "h264"),
	   "nor what is called h264");
	ok(!why(read_format("16UC1; compressedDepth png",
			    "\0\0\0\0\0\0\0\0\0\0\0\0\x89PNG", 16)),
	   "a compressed depth image has a header");
	ok_str(read_format("", NULL, 0), "unnamed", "nothing at all");
	ok(why("unnamed"), "nothing at all");
	ok(!strcmp(read_format("a\nb", NULL, 0), "a?b"), "no lines");
	ok(strlen(read_format("12345678901234567890123456789012345678901234567"
			      "890", NULL, 0)) == TOPIC_FORMAT - 1,
	   "not too long");
}

/* seq, stamp, "cam", @format, then an Annex B start code */
static size_t ros1_image(const char *format, uint8_t m[128])
{
	size_t at = 12, n = strlen(format);

	memset(m, 0, 128);
	put_le32(m + at, 3);
	memcpy(m + at + 4, "cam", 3);
	at += 7;
	put_le32(m + at, n);
	memcpy(m + at + 4, format, n);
	at += 4 + n;
	put_le32(m + at, 5000);
	memcpy(m + at + 4, "\0\0\0\1\x67", 5);
	return at + 9;
}

/* Read the first @n bytes: beyond them there is nothing */
static bool read_cut(const uint8_t *m, size_t n, char to[TOPIC_FORMAT])
{
	uint8_t *cut = malloc(n ? n : 1);
	bool good;

	memcpy(cut, m, n);
	good = topic_format_of_ros1(cut, n, to);
	free(cut);
	return good;
}

/* Each cut of it tells the format, the bytes that follow, or nothing */
static void test_ros1(void)
{
	char to[TOPIC_FORMAT];
	uint8_t m[128];
	size_t len = ros1_image("h264", m), read = 0, wrong = 0;

	for (size_t n = 0; n <= len; n++)
		if (read_cut(m, n, to)) {
			read++;
			wrong += !!strcmp(to, "h264");
		}
	ok(!wrong, "h264 in a message of ROS 1 (%zu cuts)", read);
	ok_eq(read, 10, "h264 in a message of ROS 1 (%zu cuts)", read);
	len = ros1_image("", m);
	for (size_t n = len - 9; n < len - 1; n++)
		wrong += !read_cut(m, n, to) || strcmp(to, "unnamed");
	ok(!wrong, "without a format and with too few bytes it is unnamed");
	ok(topic_format_of_ros1(m, len, to), "one that does not say so");
	ok_str(to, "h264 or h265", "one that does not say so");
	ok(topic_format_of_ros1(m, len - 9, to),
	   "and one whose picture did not come");
	ok_str(to, "unnamed", "and one whose picture did not come");
	put_le32(m + 12, 0xfffffff0);
	ok(!topic_format_of_ros1(m, len, to), "a frame_id that is longer than the message");
	len = ros1_image("jpeg", m);
	put_le32(m + 19, 0xffffffff);
	ok(!topic_format_of_ros1(m, len, to), "a format that is");
}

int main(void)
{
	test_ros1();
	test_alone();
	test_inter();
	test_unknown();
	test_types();
	test_begin();
	return tap_done();
}
