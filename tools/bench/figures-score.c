// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-score - what an operator saw of a camera, or of a lidar
 *
 *	figures-score image WxH ORIGINALS SENT BEGIN END SHOWN [DECODED]
 *	figures-score cloud BEGIN END BAG
 *
 * ORIGINALS are the gray frames that the camera gave in turn. SENT has lines
 * "NUMBER NS": frame NUMBER, from 0, was taken at NS; those between BEGIN and
 * END (ns) count. SHOWN is a recording of what was published, whose stamps say
 * which frame it is; or, with DECODED, lines "NUMBER NS": frame NUMBER of
 * DECODED (in turn as well) was shown at NS.
 *
 * image prints sent,shown,age_ms,age95_ms,gap_s,psnr,psnr_held,psnr_nothing:
 * mean age at which a frame was shown and that which 95 % do not exceed, the
 * longest time without a new frame, mean PSNR (at most 60 dB) of the frames
 * that were shown; with the newest up to it that was there 300 ms after each
 * frame was taken; and with 0 dB for each that was never shown.
 *
 * cloud prints clouds,points: how many came, and the mean of their points.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ros/bag/bag.h"

enum { FRAMES = 64, SENT = 65536, HIGH = 60 };

#define DEADLINE	300000000LL

/**
 * struct shown - a picture on the operator's screen
 * @psnr: against each of the originals
 */
struct shown {
	uint32_t	number;
	int64_t		at;
	float		psnr[FRAMES];
};

struct score {
	unsigned int	width, height, originals, decoded;
	size_t		size;
	uint8_t		*original, *picture;
	int64_t		*stamp;		/* of @sent frames, by number */
	unsigned int	sent, count;
	struct shown	*shown;
	int64_t		begin, end;
};

static int failed(const char *path, int err)
{
	fprintf(stderr, "figures-score: %s: %s\n", path, strerror(err));
	return 1;
}

static uint8_t *load(const char *path, size_t size, unsigned int *count)
{
	FILE *f = fopen(path, "r");
	uint8_t *data = NULL;
	long len;

	if (f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 &&
	    !(len % size) && len / size <= FRAMES) {
		rewind(f);
		*count = len / size;
		data = malloc(len);
		if (data && fread(data, size, *count, f) != *count) {
			free(data);
			data = NULL;
		}
	}
	if (f)
		fclose(f);
	if (!data)
		fprintf(stderr, "figures-score: %s: not 1 to %d frames\n", path,
			FRAMES);
	return data;
}

static float psnr(const uint8_t *a, const uint8_t *b, size_t size)
{
	uint64_t sum = 0;
	double mse;

	for (size_t i = 0; i < size; i++) {
		int d = a[i] - b[i];

		sum += d * d;
	}
	mse = (double)sum / size;
	return mse > 255 * 255 * pow(10, -HIGH / 10.) ?
		10 * log10(255 * 255 / mse) : HIGH;
}

/* A picture of frame @number came. Those that were never sent are left out */
static bool add(struct score *s, uint32_t number, int64_t at,
		const uint8_t *data)
{
	struct shown *more;

	if (!(s->count & (s->count - 1))) {
		more = realloc(s->shown, (s->count ? 2 * s->count : 1) *
			       sizeof(*more));
		if (!more)
			return false;
		s->shown = more;
	}
	more = &s->shown[s->count++];
	more->number = number;
	more->at = at;
	for (unsigned int i = 0; i < s->originals; i++)
		more->psnr[i] = psnr(data, s->original + i * s->size, s->size);
	return true;
}

static int read_sent(struct score *s, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int number;
	long long ns;

	if (!f)
		return failed(path, errno);
	s->stamp = calloc(SENT, sizeof(*s->stamp));
	while (s->stamp && fscanf(f, "%u %lld", &number, &ns) == 2)
		if (number < SENT) {
			s->stamp[number] = ns;
			if (number >= s->sent)
				s->sent = number + 1;
		}
	fclose(f);
	return s->stamp ? 0 : failed(path, ENOMEM);
}

static int read_lines(struct score *s, const char *path, const char *decoded)
{
	uint8_t *data = load(decoded, s->size, &s->decoded);
	FILE *f = fopen(path, "r");
	unsigned int number;
	long long ns;
	bool ok = f && data;

	if (data && !f)
		failed(path, errno);
	while (ok && fscanf(f, "%u %lld", &number, &ns) == 2)
		if (number < s->sent)
			ok = add(s, number, ns,
				 data + number % s->decoded * s->size);
	if (f)
		fclose(f);
	free(data);
	return !ok;
}

static void add_image(struct score *s, const struct message_image *m,
		      int64_t at)
{
	if (m->width != s->width || m->height != s->height ||
	    m->step < s->width ||
	    m->data.count < (uint64_t)m->step * s->height)
		return;
	for (unsigned int y = 0; y < s->height; y++)
		memcpy(s->picture + (size_t)y * s->width,
		       m->data.data + (size_t)y * m->step, s->width);
	for (unsigned int i = 0; i < s->sent; i++)
		if (s->stamp[i] == m->header.stamp) {
			add(s, i, at, s->picture);
			return;
		}
}

typedef void bag_use(void *arg, const struct bag_message *m,
		     enum message_kind kind, const union message *msg);

static int bag_each(const char *path, bag_use *use, void *arg)
{
	const struct bag_topic *topics;
	struct bag_reader *bag;
	struct bag_message m;
	union message msg;
	unsigned int n;
	int err = bag_open(&bag, path);

	if (err)
		return failed(path, -err);
	topics = bag_topics(bag, &n);
	while ((err = bag_next(bag, &m)) == 1) {
		int kind = message_kind_of(topics[m.topic].type);

		if (kind >= 0 && !message_read(kind, topics[m.topic].format,
					       m.data, m.len, &msg))
			use(arg, &m, kind, &msg);
	}
	bag_close(bag);
	return err ? failed(path, -err) : 0;
}

static void use_image(void *arg, const struct bag_message *m,
		      enum message_kind kind, const union message *msg)
{
	if (kind == MESSAGE_IMAGE)
		add_image(arg, &msg->image, m->stamp);
}

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

/* The longest time, s, in which nothing newer was shown */
static double longest_gap(const struct score *s)
{
	int64_t last = s->begin, gap = 0;

	for (unsigned int i = 0; i < s->count; i++) {
		int64_t at = s->shown[i].at;

		if (at < s->begin)
			continue;
		if (at > s->end)
			break;
		gap = at - last > gap ? at - last : gap;
		last = at;
	}
	gap = s->end - last > gap ? s->end - last : gap;
	return gap / 1e9;
}

/* Frame @number, or what stays on the screen without it: 0 dB if nothing */
static double held(const struct score *s, uint32_t number)
{
	const struct shown *on = NULL;

	for (unsigned int i = 0; i < s->count; i++)
		if (s->shown[i].number <= number &&
		    s->shown[i].at <= s->stamp[number] + DEADLINE &&
		    (!on || s->shown[i].number >= on->number))
			on = &s->shown[i];
	return on ? on->psnr[number % s->originals] : 0;
}

static const struct shown *find(const struct score *s, uint32_t number)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->shown[i].number == number)
			return &s->shown[i];
	return NULL;
}

static int image_report(const struct score *s)
{
	double *age = calloc(s->sent + 1, sizeof(*age));
	double ages = 0, shown_db = 0, held_db = 0;
	unsigned int sent = 0, n = 0;

	for (unsigned int k = 0; age && k < s->sent; k++) {
		const struct shown *f = find(s, k);

		if (s->stamp[k] < s->begin || s->stamp[k] >= s->end)
			continue;
		sent++;
		held_db += held(s, k);
		if (!f)
			continue;
		age[n] = (f->at - s->stamp[k]) / 1e6;
		ages += age[n++];
		shown_db += f->psnr[k % s->originals];
	}
	if (!sent) {
		fputs("figures-score: nothing was sent\n", stderr);
		free(age);
		return 1;
	}
	qsort(age, n, sizeof(*age), by_value);
	printf("%u,%u,%.0f,%.0f,%.2f,%.2f,%.2f,%.2f\n", sent, n,
	       n ? ages / n : NAN, n ? age[(n * 19 + 19) / 20 - 1] : NAN,
	       longest_gap(s), n ? shown_db / n : NAN, held_db / sent,
	       shown_db / sent);
	free(age);
	return 0;
}

static int image(int argc, char **argv)
{
	struct score s = { 0 };
	int ret = 1;

	if ((argc != 6 && argc != 7) ||
	    sscanf(argv[0], "%ux%u", &s.width, &s.height) != 2 ||
	    !s.width || !s.height || s.width > 8192 || s.height > 8192)
		return -1;
	s.size = (size_t)s.width * s.height;
	s.begin = atoll(argv[3]);
	s.end = atoll(argv[4]);
	s.picture = malloc(s.size);
	s.original = load(argv[1], s.size, &s.originals);
	if (s.original && s.picture && !read_sent(&s, argv[2]))
		ret = argc == 7 ? read_lines(&s, argv[5], argv[6]) :
				  bag_each(argv[5], use_image, &s);
	if (!ret)
		ret = image_report(&s);
	free(s.original);
	free(s.picture);
	free(s.stamp);
	free(s.shown);
	return ret;
}

/* Points of clouds that came in time */
struct points {
	int64_t		begin, end;
	unsigned int	clouds;
	double		points;
};

/* x of each point; what is not known is NaN in clouds that are not dense */
static void use_cloud(void *arg, const struct bag_message *m,
		      enum message_kind kind, const union message *msg)
{
	const struct message_point_cloud *c = &msg->cloud;
	struct points *p = arg;
	float x;

	if (kind != MESSAGE_POINT_CLOUD || m->stamp < p->begin ||
	    m->stamp >= p->end || c->point_step < sizeof(x))
		return;
	p->clouds++;
	for (size_t i = 0; i + c->point_step <= c->data.count;
	     i += c->point_step) {
		memcpy(&x, c->data.data + i, sizeof(x));
		p->points += !isnan(x);
	}
}

static int cloud(int argc, char **argv)
{
	struct points p = { 0 };

	if (argc != 3)
		return -1;
	p.begin = atoll(argv[0]);
	p.end = atoll(argv[1]);
	if (bag_each(argv[2], use_cloud, &p))
		return 1;
	printf("%u,%.1f\n", p.clouds, p.clouds ? p.points / p.clouds : 0);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = -1;

	if (argc > 2 && !strcmp(argv[1], "image"))
		ret = image(argc - 2, argv + 2);
	else if (argc > 2 && !strcmp(argv[1], "cloud"))
		ret = cloud(argc - 2, argv + 2);
	if (ret < 0)
		fputs("usage: figures-score image WxH ORIGINALS SENT BEGIN END "
		      "SHOWN [DECODED]\n"
		      "       figures-score cloud BEGIN END BAG\n", stderr);
	return ret < 0 ? 2 : ret;
}
