// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures alone, or video: by name and by first bytes.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/wire.h"
#include "topics/topic_format.h"

/* What a topic's messages begin with if they are pictures, or video */
static const struct {
	const char	*name;
	size_t		len;
	const char	*begin;
} topic_begins[] = {
	{ "jpeg", 3, "\xff\xd8\xff" },
	{ "png", 8, "\x89PNG\r\n\x1a\n" },
	{ "jxl", 2, "\xff\x0a" },
	{ "jxl", 12, "\0\0\0\x0cJXL \r\n\x87\n" },
	/* the start code of NAL units */
	{ "h264 or h265", 4, "\0\0\0\1" },
	{ "h264 or h265", 3, "\0\0\1" },
};

/* Their pictures need others. Before those below: h264 may be of a jpeg */
#define INTER(name) { name, name ": its pictures need others" }
static const struct {
	const char	*word;
	const char	*why;
} topic_inter[] = {
	INTER("h264"), INTER("h265"), INTER("hevc"), INTER("h.264"),
	INTER("h.265"), INTER("h263"), INTER("x264"), INTER("x265"),
	INTER("avc"), INTER("av1"), INTER("vp8"), INTER("vp9"),
	INTER("theora"), INTER("mpeg1"), INTER("mpeg2"), INTER("mpeg4"),
	INTER("mp4"),
};

static const char *const topic_alone[] = {
	"jpeg", "jpg", "png", "webp", "jxl", "compresseddepth", "rvl", "tiff",
	"bmp",
};

bool topic_format_has(const char *type)
{
	return !strcmp(type, "sensor_msgs/msg/CompressedImage") ||
	       !strcmp(type, "sensor_msgs/CompressedImage") ||
	       !strcmp(type, "sensor_msgs::msg::dds_::CompressedImage_");
}

static const char *topic_format_begin(const void *data, size_t size)
{
	for (size_t i = 0; i < sizeof(topic_begins) / sizeof(*topic_begins);
	     i++)
		if (size >= topic_begins[i].len &&
		    !memcmp(data, topic_begins[i].begin, topic_begins[i].len))
			return topic_begins[i].name;
	if (size >= 12 && !memcmp(data, "RIFF", 4) &&
	    !memcmp((const char *)data + 8, "WEBP", 4))
		return "webp";
	return NULL;
}

/* @words: in small letters. Return: does @format contain it? */
static bool topic_format_is(const char *format, const char *word)
{
	char small[TOPIC_FORMAT];
	size_t i;

	for (i = 0; format[i] && i + 1 < sizeof(small); i++)
		small[i] = tolower((unsigned char)format[i]);
	small[i] = '\0';
	return strstr(small, word);
}

static const char *topic_format_inter(const char *format)
{
	for (size_t i = 0; i < sizeof(topic_inter) / sizeof(*topic_inter); i++)
		if (topic_format_is(format, topic_inter[i].word))
			return topic_inter[i].why;
	return NULL;
}

static bool topic_format_alone(const char *format)
{
	for (size_t i = 0; i < sizeof(topic_alone) / sizeof(*topic_alone); i++)
		if (topic_format_is(format, topic_alone[i]))
			return true;
	return false;
}

void topic_format_read(const char *format, size_t len, const void *data,
		       size_t size, char to[TOPIC_FORMAT])
{
	const char *begin = topic_format_begin(data, size);
	size_t n = 0;

	for (size_t i = 0; i < len && format[i] && n + 1 < TOPIC_FORMAT; i++)
		to[n++] = isprint((unsigned char)format[i]) ? format[i] : '?';
	to[n] = '\0';
	/* some leave the field empty, or call anything jpeg */
	if (topic_format_inter(to))
		return;
	if (begin && (topic_format_inter(begin) || !topic_format_alone(to)))
		snprintf(to, TOPIC_FORMAT, "%s", begin);
	if (!*to)
		snprintf(to, TOPIC_FORMAT, "unnamed");
}

/*
 * A string or bytes at @*at, which moves behind them, beyond @len if they are
 * cut off. Return: their beginning; NULL: their length is cut off
 */
static const uint8_t *topic_format_field(const uint8_t *m, size_t len,
					 size_t *at, size_t *n)
{
	const uint8_t *field;

	if (*at > len || len - *at < 4)
		return NULL;
	*n = get_le32(m + *at);
	*at += 4;
	field = m + *at;
	*at = *n <= len - *at ? *at + *n : len + 1;
	return field;
}

bool topic_format_of_ros1(const void *m, size_t len, char to[TOPIC_FORMAT])
{
	const uint8_t *bytes = m, *format, *data;
	size_t at = 12, n, size;	/* sequence number and stamp */

	if (!topic_format_field(bytes, len, &at, &n))
		return false;
	format = topic_format_field(bytes, len, &at, &n);
	if (!format || at > len)
		return false;
	data = topic_format_field(bytes, len, &at, &size);
	topic_format_read((const char *)format, n, data,
			  data ? bytes + len - data : 0, to);
	return true;
}

const char *topic_format_why(const char *format, bool named)
{
	const char *why = topic_format_inter(format);

	if (why || named || topic_format_alone(format))
		return why;
	return *format ? "its format is not known to have each picture alone" :
			 "its format is not known before it has a reader and a message";
}
