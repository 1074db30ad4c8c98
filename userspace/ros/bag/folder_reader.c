// SPDX-License-Identifier: GPL-2.0-only
/*
 * folder_reader - the files of a folder of rosbag2, one after the other
 *
 * rosbag2 splits long recordings by time, as NAME_0, NAME_1, ...; all files of
 * the folder that are recordings are read in the order of their first stamps.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "ros/bag/reader.h"

enum { FILES = 1024 };

/* A file; its topics' numbers in the folder */
struct part {
	struct bag_reader	*bag;
	unsigned int		*topic;
};

struct folder {
	struct bag_reader	bag;
	struct part		part[FILES];
	unsigned int		parts, at;
};

static struct bag_text folder_reader_text(const char *s)
{
	return (struct bag_text){ s ? s : "", s ? strlen(s) : 0 };
}

static int folder_reader_add_topics(struct folder *f, struct part *p)
{
	unsigned int n;
	const struct bag_topic *t = bag_topics(p->bag, &n);

	p->topic = calloc(n + 1, sizeof(*p->topic));
	if (!p->topic)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++, t++) {
		int j = bag_reader_topic(&f->bag, folder_reader_text(t->name),
					 folder_reader_text(t->type), t->format,
					 folder_reader_text(t->md5),
					 folder_reader_text(t->definition));

		if (j < 0)
			return j;
		p->topic[i] = j;
		f->bag.topic[j].count += t->count;
		f->bag.topic[j].latched |= t->latched;
	}
	if (p->bag->begin < f->bag.begin)
		f->bag.begin = p->bag->begin;
	if (p->bag->end > f->bag.end)
		f->bag.end = p->bag->end;
	return 0;
}

static bool folder_reader_is_recording(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && (!strcmp(end, ".db3") || !strcmp(end, ".mcap"));
}

static int folder_reader_add_file(struct folder *f, const char *folder,
				  const char *name)
{
	struct part *p = &f->part[f->parts];
	char path[4096];
	struct stat st;
	int err;

	if (!folder_reader_is_recording(name))
		return 0;
	if (f->parts == FILES)
		return -E2BIG;
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	err = bag_open(&p->bag, path);
	if (err) {
		bag_reader_warn(&f->bag, "%s: %s", name, strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	f->parts++;
	return folder_reader_add_topics(f, p);
}

static int folder_reader_by_begin(const void *a, const void *b)
{
	int64_t x = ((const struct part *)a)->bag->begin;
	int64_t y = ((const struct part *)b)->bag->begin;

	return x < y ? -1 : x > y;
}

static void folder_close(struct bag_reader *bag)
{
	struct folder *f = (struct folder *)bag;

	for (unsigned int i = 0; i < f->parts; i++) {
		bag_close(f->part[i].bag);
		free(f->part[i].topic);
	}
	bag_reader_release(bag);
	free(f);
}

static int folder_rewind(struct bag_reader *bag)
{
	struct folder *f = (struct folder *)bag;
	int err = 0;

	f->at = 0;
	for (unsigned int i = 0; i < f->parts && !err; i++)
		err = bag_rewind(f->part[i].bag);
	return err;
}

static int folder_seek(struct bag_reader *bag, int64_t stamp)
{
	struct folder *f = (struct folder *)bag;
	int err = 0;

	f->at = 0;
	for (unsigned int i = 0; i < f->parts && !err; i++)
		err = bag_seek(f->part[i].bag, stamp);
	return err;
}

/* The number of a topic in a file; there: its count if it has none */
static unsigned int folder_reader_topic_in(const struct part *p,
					   unsigned int topic)
{
	unsigned int n, i = 0;

	bag_topics(p->bag, &n);
	while (i < n && p->topic[i] != topic)
		i++;
	return i;
}

/*
 * In file @i the last message before @limit. Return: as bag_before(), @place
 * and @msg are unchanged if there is none
 */
static int folder_reader_before(struct folder *f, unsigned int i,
				unsigned int topic,
				const struct bag_place *limit,
				struct bag_place *place,
				struct bag_message *msg)
{
	const struct part *p = &f->part[i];
	struct bag_place in = { .stamp = limit->stamp };
	int got;

	/* of the same stamp: all of the files before that of @limit */
	if (i == limit->part)
		in.at = limit->at;
	else if (i < limit->part)
		in.at = UINT64_MAX;
	got = bag_before(p->bag, folder_reader_topic_in(p, topic), &in, msg);
	if (*p->bag->warning)
		bag_reader_warn(&f->bag, "%s", p->bag->warning);
	if (got != 1)
		return got;
	in.part = i;
	*place = in;
	msg->topic = topic;
	return 1;
}

static int folder_before(struct bag_reader *bag, unsigned int topic,
			 struct bag_place *place, struct bag_message *msg)
{
	struct folder *f = (struct folder *)bag;
	const struct bag_place limit = *place;
	bool found = false;

	for (unsigned int i = f->parts; i--; ) {
		const struct part *p = &f->part[i];
		struct bag_place at;
		struct bag_message m;
		int got;

		if (p->bag->begin > limit.stamp ||
		    (found && p->bag->end < place->stamp))
			continue;
		got = folder_reader_before(f, i, topic, &limit, &at, &m);
		if (got < 0)
			return got;
		if (!got || (found && bag_place_is_before(&at, place)))
			continue;
		*place = at;
		*msg = m;
		found = true;
	}
	return found;
}

static int folder_next(struct bag_reader *bag, struct bag_message *msg)
{
	struct folder *f = (struct folder *)bag;

	for (; f->at < f->parts; f->at++) {
		struct part *p = &f->part[f->at];
		int got = bag_next(p->bag, msg);

		if (*p->bag->warning)
			bag_reader_warn(bag, "%s", p->bag->warning);
		if (got < 0)
			return got;
		if (got) {
			msg->topic = p->topic[msg->topic];
			return 1;
		}
	}
	return 0;
}

static int add_files(struct folder *f, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (e = readdir(dir)))
		err = folder_reader_add_file(f, path, e->d_name);
	closedir(dir);
	if (!err && !f->parts)
		return -EPROTONOSUPPORT;
	qsort(f->part, f->parts, sizeof(*f->part), folder_reader_by_begin);
	return err;
}

int folder_open(struct bag_reader **bag, const char *path)
{
	static const struct bag_reader_ops ops = {
		.next = folder_next, .rewind = folder_rewind,
		.seek = folder_seek, .before = folder_before,
		.close = folder_close,
	};
	struct folder *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	bag_reader_init(&f->bag, &ops);
	err = add_files(f, path);
	if (err) {
		folder_close(&f->bag);
		return err;
	}
	*bag = &f->bag;
	return 0;
}
