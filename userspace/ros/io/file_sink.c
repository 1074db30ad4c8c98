// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_sink - messages to files: FOLDER/TOPIC/SECONDS.NANOSECONDS.png
 *
 * Files are written atomically: under another name first.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>
#include "base/error.h"
#include "ros/io/file_write.h"
#include "ros/io/sink_ops.h"

enum { PATH = 4096 };

/**
 * struct file_sink
 * @full:	the disk was full at the last message, which was logged
 */
struct file_sink {
	struct sink			s;
	char				*folder;
	struct compressed_buffer	out, yaml;
	bool				full;
};

static struct file_sink *file_sink_file_of(struct sink *s)
{
	return (struct file_sink *)s;
}

/* A folder and those above it. Return: 0 or a negative errno */
static int make_folders(char *path)
{
	struct stat st;

	for (char *p = path + 1; ; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) && errno != EEXIST) {
			*p = c;
			return -errno;
		}
		*p = c;
		if (!c)
			break;
	}
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static int file_sink_open(struct sink **result, struct loop *loop,
			  const char *rest, const struct sink_config *config,
			  struct error *error)
{
	struct file_sink *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (s)
		s->folder = strdup(rest);
	for (size_t n = s && s->folder ? strlen(rest) : 0;
	     n > 1 && s->folder[n - 1] == '/'; n--)
		s->folder[n - 1] = '\0';
	if (s && s->folder)
		err = strlen(rest) > PATH / 2 ? -ENAMETOOLONG :
		      make_folders(s->folder);
	if (!err && access(rest, W_OK | X_OK))
		err = -errno;
	if (err) {
		if (s)
			free(s->folder);
		free(s);
		return error_set(error, err, "%.200s: %s", rest,
				 strerror(-err));
	}
	s->s.ops = &file_sink_ops;
	s->s.loop = loop;
	s->s.config = *config;
	*result = &s->s;
	return 0;
}

static int file_sink_add(struct sink *sink, struct sink_topic *t)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s%s", file_sink_file_of(sink)->folder,
		 t->name);
	return make_folders(path);
}

static void file_sink_remove(struct sink_topic *t)
{
	(void)t;
}

static void file_sink_close(struct sink *sink)
{
	struct file_sink *s = file_sink_file_of(sink);

	free(s->folder);
	free(s->out.data);
	free(s->yaml.data);
	free(s);
}

/*
 * Writing
 */

static int file_sink_write_all(int fd, const struct compressed_buffer *b)
{
	for (size_t at = 0; at < b->len; ) {
		ssize_t n = write(fd, b->data + at, b->len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += n;
	}
	return 0;
}

static int put_file(const char *path, const struct compressed_buffer *b)
{
	char temporary[PATH + 8];
	int fd, err;

	snprintf(temporary, sizeof(temporary), "%s.part", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = file_sink_write_all(fd, b);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

/* FOLDER/TOPIC/SECONDS.NANOSECONDS */
static int file_sink_path_of(const struct sink_topic *t, int64_t stamp,
			     char path[PATH])
{
	int n = snprintf(path, PATH - 8, "%s%s/%" PRId64 ".%09" PRId64,
			 file_sink_file_of(t->sink)->folder, t->name,
			 stamp / 1000000000, stamp % 1000000000);

	return n < PATH - 8 ? 0 : -ENAMETOOLONG;
}

/* The .yaml only appears after its .pgm */
static int file_sink_put_map(struct file_sink *s,
			     const struct message_occupancy_grid *m, char *path)
{
	char *end = path + strlen(path);
	int err;

	strcpy(end, ".pgm");
	err = file_write_map(m, strrchr(path, '/') + 1, &s->out, &s->yaml) ?:
	      put_file(path, &s->out);
	if (err)
		return err;
	strcpy(end, ".yaml");
	return put_file(path, &s->yaml);
}

/* Unchanged; the header of compressedDepth is removed from a .png */
static int put_compressed(const struct message_compressed_image *m, char *path)
{
	static const char png[] = "\x89PNG";
	struct compressed_buffer b = {
		.data = (uint8_t *)m->data.data, .len = m->data.count,
	};

	if (b.len > 16 && !memcmp(b.data + 12, png, 4)) {
		b.data += 12;
		b.len -= 12;
	}
	if (b.len > 4 && !memcmp(b.data, png, 4))
		strcat(path, ".png");
	else if (b.len > 2 && b.data[0] == 0xff && b.data[1] == 0xd8)
		strcat(path, ".jpg");
	else
		return -EBADMSG;
	return put_file(path, &b);
}

static int file_sink_put_message(struct file_sink *s, enum message_kind kind,
				 const union message *msg, char *path)
{
	int err;

	switch (kind) {
	case MESSAGE_OCCUPANCY_GRID:
		return file_sink_put_map(s, &msg->map, path);
	case MESSAGE_COMPRESSED_IMAGE:
		return put_compressed(&msg->compressed, path);
	case MESSAGE_IMAGE:
		err = file_write_png(&msg->image, &s->out);
		strcat(path, ".png");
		break;
	case MESSAGE_POINT_CLOUD:
		err = file_write_pcd(&msg->cloud, &s->out);
		strcat(path, ".pcd");
		break;
	default:
		err = file_write_json(kind, msg, &s->out);
		strcat(path, ".json");
	}
	return err ?: put_file(path, &s->out);
}

static bool is_disk(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO ||
	       err == -EROFS || err == -ENOENT || err == -EACCES;
}

/* What cannot be written, part of a sentence */
static void file_sink_fault(const struct sink_topic *t,
			    const union message *msg, int err, char *text,
			    size_t size)
{
	if (t->kind == MESSAGE_IMAGE && err == -EOPNOTSUPP)
		snprintf(text, size,
			 "a .png cannot hold the pixels of encoding %.*s",
			 msg->image.encoding.len < 32 ?
				 (int)msg->image.encoding.len : 32,
			 msg->image.encoding.text);
	else
		snprintf(text, size, "%s", strerror(-err));
}

/* Once for the disk until it recovers, and once for each topic */
static void file_sink_log(struct file_sink *s, struct sink_topic *t, int err,
			  const union message *msg)
{
	char text[96];

	if (is_disk(err)) {
		if (!s->full)
			sink_log(&s->s, LOG_ERR, "%s: %s: messages are dropped",
				 s->folder, strerror(-err));
		s->full = true;
		return;
	}
	if (!err) {
		if (s->full)
			sink_log(&s->s, LOG_NOTICE, "%s: writing again",
				 s->folder);
		s->full = false;
		return;
	}
	if (t->logged)
		return;
	t->logged = true;
	file_sink_fault(t, msg, err, text, sizeof(text));
	sink_log(&s->s, LOG_WARNING, "%s: cannot write a message to a file: %s",
		 t->name, text);
}

static int file_sink_publish(struct sink_topic *t, int64_t received,
			     const union message *msg)
{
	struct file_sink *s = file_sink_file_of(t->sink);
	const struct message_header *h =
		message_header_of(t->kind, (union message *)msg);
	int64_t stamp = h && h->stamp > 0 ? h->stamp : received;
	char path[PATH];
	int err;

	s->out.len = 0;
	err = file_sink_path_of(t, stamp, path) ?:
	      file_sink_put_message(s, t->kind, msg, path);
	file_sink_log(s, t, err, msg);
	return err;
}

const struct sink_ops file_sink_ops = {
	.topic_size	= sizeof(struct sink_topic),
	.open		= file_sink_open,
	.add		= file_sink_add,
	.remove		= file_sink_remove,
	.publish	= file_sink_publish,
	.close		= file_sink_close,
};
