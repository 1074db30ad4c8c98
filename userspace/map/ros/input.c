// SPDX-License-Identifier: GPL-2.0-only
/*
 * input - check and gather input, then store it
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "map/ros/input.h"
#include "map/ros/matcher.h"
#include "map/ros/room_message.h"
#include "map/ros/stamps.h"
#include "map/ros/submap_message.h"
#include "base/error.h"
#include "base/service.h"
#include "base/utf8.h"
#include "ros/io/io.h"
#include "ros/msg/convert.h"

enum {
	KEYFRAMES	= 64,		/* gathered at the same time */
	GATHERED	= 64,		/* submaps of a keyframe */
	REPEATERS	= 4096,		/* of a message */
	WAITING_MB	= 256,		/* of submaps that wait for a match */
	HELD		= 64,		/* messages that wait for their node */
};

static const uint64_t moment = 20 * 1000000ULL;		/* ns */
static const uint64_t node_patience = 2 * 1000000000ULL; /* ns, for a node */
static const uint64_t patience = 10 * 1000000000ULL;	/* ns, for a match */

/**
 * struct keyframe - submaps of a frame that wait for more
 * @message:	number of each submap's message
 */
struct keyframe {
	char			frame[STORE_FRAME];
	int64_t			stamp;
	struct site_submap	submap[GATHERED];
	uint64_t		message[GATHERED];
	unsigned int		submaps;
	uint64_t		due;
};

/* Maps in the frame of a node that is still unknown, until @due */
struct held {
	struct taken	*maps;
	uint64_t	due;
};

struct map_input {
	struct site		*site;
	struct loop		*loop;
	const struct map_config *config;
	void			(*stored)(void *arg);
	void			(*refused)(void *arg, const char *line);
	void			*arg;
	struct keyframe		*keyframe[KEYFRAMES];
	unsigned int		keyframes;
	struct loop_timer	timer;
	struct matcher		*matcher;
	uint64_t		patience;	/* ns, for a match */
	size_t			waiting;	/* bytes */
	struct held		held[HELD];	/* in the order of arrival */
	unsigned int		helds;
	pthread_mutex_t		lock;		/* of the fields below */
	uint64_t		messages, kept, transforms, rejected, lost;
	unsigned int		unmatched;
	char			error[ERROR_TEXT];
	struct stamps		stamps;
	bool			told_ahead;	/* logged: clocks differ */
};

static void release_held(struct map_input *in, uint64_t now);

static uint64_t count_up(struct map_input *in, uint64_t *counter,
			 unsigned int n)
{
	uint64_t now;

	pthread_mutex_lock(&in->lock);
	now = *counter += n;
	pthread_mutex_unlock(&in->lock);
	return now;
}

__attribute__((format(printf, 4, 5)))
static int input_refuse(struct map_input *in, const char *topic, int err,
			const char *format, ...)
{
	char why[ERROR_TEXT], line[ERROR_TEXT],
		clean[ERROR_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "%.80s: %.170s", topic, why);
	/* it has frame names of others: make it valid for logs and JSON */
	utf8_clean(line, sizeof(line), clean, sizeof(clean));
	pthread_mutex_lock(&in->lock);
	strcpy(in->error, clean);
	in->rejected++;
	pthread_mutex_unlock(&in->lock);
	in->refused(in->arg, clean);
	return err;
}

/* Old stamps are valid: recordings. For future ones see stamps.h */
static int check_stamp(struct map_input *in, const char *topic, int64_t stamp)
{
	const int64_t wall = io_now();
	int64_t ahead;
	bool good, tell;

	if (stamp < 0)
		return input_refuse(in, topic, -EINVAL, "stamp before 1970");
	pthread_mutex_lock(&in->lock);
	good = stamps_take(&in->stamps, stamp, wall, loop_now());
	ahead = stamps_ahead(&in->stamps, wall);
	tell = good && ahead && !in->told_ahead;
	in->told_ahead |= tell;
	pthread_mutex_unlock(&in->lock);
	if (tell)
		service_logf(LOG_WARNING, "%s: stamps are %.0f s (%.1f days) "
			     "ahead of this machine's clock: clocks differ, "
			     "stamps are compared with each other", topic,
			     ahead * 1e-9, ahead / 86400e9);
	return good ? 0 : input_refuse(in, topic, -EINVAL,
				       "stamp is %.0f s in the future",
				       (stamp - wall) * 1e-9);
}

/*
 * Keyframes
 */

static void free_keyframe(struct keyframe *k)
{
	for (unsigned int i = 0; i < k->submaps; i++)
		cells_put(k->submap[i].cells);
	free(k);
}

/*
 * All in one transaction; if it fails each alone, so that an invalid submap
 * does not affect others. A message with several invalid submaps counts once
 */
static void input_store(struct map_input *in, struct keyframe *k)
{
	char error[ERROR_TEXT];
	uint64_t told = 0;

	if (!site_keyframe(in->site, k->frame, k->stamp, NULL, k->submap,
			   k->submaps, error)) {
		count_up(in, &in->kept, k->submaps);
		in->stored(in->arg);
		return;
	}
	for (unsigned int i = 0; i < k->submaps; i++) {
		int err = site_keyframe(in->site, k->frame, k->stamp, NULL,
					&k->submap[i], 1, error);

		if (err) {
			count_up(in, &in->lost, err != -ESTALE && err != -EINVAL);
			if (k->message[i] != told)
				input_refuse(in, "keyframe", err, "%s", error);
			told = k->message[i];
			continue;
		}
		count_up(in, &in->kept, 1);
		in->stored(in->arg);
	}
}

static void input_flush(struct map_input *in, unsigned int i)
{
	struct keyframe *k = in->keyframe[i];

	in->keyframe[i] = in->keyframe[--in->keyframes];
	input_store(in, k);
	free_keyframe(k);
}

static void input_set_timer(struct map_input *in)
{
	pthread_mutex_lock(&in->lock);
	in->unmatched = in->matcher ? matcher_waiting(in->matcher) : 0;
	pthread_mutex_unlock(&in->lock);
	in->timer.due = in->matcher ? matcher_due(in->matcher) : LOOP_NEVER;
	for (unsigned int i = 0; i < in->keyframes; i++)
		if (in->keyframe[i]->due < in->timer.due)
			in->timer.due = in->keyframe[i]->due;
	if (in->helds && in->held[0].due < in->timer.due)
		in->timer.due = in->held[0].due;
}

static void input_on_timer(void *arg, uint64_t now)
{
	struct map_input *in = arg;

	if (in->matcher)
		matcher_expire(in->matcher, now);
	for (unsigned int i = in->keyframes; i--;)
		if (in->keyframe[i]->due <= now)
			input_flush(in, i);
	release_held(in, now);
	input_set_timer(in);
}

static bool input_has_layer(const struct keyframe *k, unsigned int layer)
{
	for (unsigned int i = 0; i < k->submaps; i++)
		if (k->submap[i].layer == layer)
			return true;
	return false;
}

/* The keyframe of a frame, with room for @layer; NULL: no memory */
static struct keyframe *gather(struct map_input *in, const char *frame,
			       unsigned int layer)
{
	struct keyframe *k;

	for (unsigned int i = 0; i < in->keyframes; i++) {
		k = in->keyframe[i];
		if (strcmp(k->frame, frame))
			continue;
		if (!input_has_layer(k, layer) && k->submaps < GATHERED)
			return k;
		input_flush(in, i);
		break;
	}
	if (in->keyframes == KEYFRAMES)
		input_flush(in, 0);
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	snprintf(k->frame, sizeof(k->frame), "%s", frame);
	k->due = loop_now() + moment;
	in->keyframe[in->keyframes++] = k;
	input_set_timer(in);
	return k;
}

static int input_keep(struct map_input *in, const char *topic,
		      const char *frame, uint64_t message, unsigned int layer,
		      int64_t stamp, struct cells *cells)
{
	struct keyframe *k = gather(in, frame, layer);

	if (!k)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	k->stamp = stamp > k->stamp ? stamp : k->stamp;
	k->message[k->submaps] = message;
	k->submap[k->submaps++] = (struct site_submap){
		layer, stamp, RULE_WEIGHT_FULL, cells_get(cells) };
	return 0;
}

/*
 * Maps
 */

/*
 * The layer of that name, or the layer to create
 *
 * Return: its number; SITE_LAYERS: it does not exist yet; an error, already
 * logged
 */
static int input_find_layer(struct map_input *in, const char *topic,
			    const struct map_config_layer *from,
			    const char *name, const char *grid, struct layer *l)
{
	char full[LAYER_NAME], error[ERROR_TEXT];
	int number;

	if (snprintf(full, sizeof(full), "%s%s%s", name, *grid ? "_" : "",
		     grid) >= (int)sizeof(full))
		return input_refuse(in, topic, -EINVAL,
				    "layer %s of %s: name too long",
				    grid, name);
	number = site_find_layer(in->site, full);
	if (number >= 0) {
		site_layer(in->site, number, l);
		return number;
	}
	if (map_config_make_layer(in->config, from, name, l, error))
		return input_refuse(in, topic, -EINVAL, "%s", error);
	snprintf(l->name, sizeof(l->name), "%s", full);
	return SITE_LAYERS;
}

static bool is_map_frame(const struct map_input *in, const char *frame)
{
	return !strcmp(frame, in->config->frame);
}

/* For maps in the frame of the map */
static int input_check_frame(struct map_input *in, const char *topic,
			     const struct message_header *h)
{
	char frame[STORE_FRAME];

	if (submap_frame(&h->frame_id, frame))
		return input_refuse(in, topic, -EINVAL, "invalid frame_id");
	if (!is_map_frame(in, frame))
		return input_refuse(in, topic, -EINVAL, "frame %s, expected %s",
				    frame, in->config->frame);
	return 0;
}

static int not_the_map(struct map_input *in, const char *topic,
		       const char *frame)
{
	return input_refuse(in, topic, -EINVAL, "frame %s, expected %s", frame,
			    in->config->frame);
}

/*
 * A topic of whole maps may also carry submaps, in the frames of nodes.
 * Return: 1: that node is not known yet
 */
static int find_whole_frame(struct map_input *in, const char *topic,
			    const struct message_header *h,
			    char frame[STORE_FRAME])
{
	if (submap_frame(&h->frame_id, frame))
		return input_refuse(in, topic, -EINVAL, "invalid frame_id");
	if (is_map_frame(in, frame)) {
		strcpy(frame, SITE_ROOT);
		return 0;
	}
	if (!strcmp(frame, SITE_ROOT))
		return not_the_map(in, topic, frame);
	return !in->matcher && !site_has_frame(in->site, frame);
}

/* The frame of a submap is that of a node; of a whole map, also the map's */
static int find_frame(struct map_input *in, const char *topic,
		      const struct map_config_layer *from,
		      const struct message_header *h, char frame[STORE_FRAME])
{
	if (from->whole)
		return find_whole_frame(in, topic, h, frame);
	if (submap_frame(&h->frame_id, frame))
		return input_refuse(in, topic, -EINVAL, "invalid frame_id");
	if (is_map_frame(in, frame) || !strcmp(frame, SITE_ROOT))
		return input_refuse(in, topic, -EINVAL,
			"frame_id %s is the map frame, not a submap frame",
			frame);
	return 0;
}

/**
 * struct taken - maps of one message
 * @message:	its number
 * @frame:	empty: not known yet
 * @bytes:	of cells
 */
struct taken {
	char		topic[MAP_CONFIG_TEXT], frame[STORE_FRAME];
	uint64_t	message;
	int64_t		stamp;
	unsigned int	count;
	unsigned int	layer[SUBMAP_LAYERS];
	struct cells	*cells[SUBMAP_LAYERS];
	size_t		bytes;
};

/* The layers of all maps; creates none unless all are valid */
static int find_layers(struct map_input *in,
		       const struct map_config_layer *from, const char *name,
		       const struct submap_layer *layer, struct taken *t)
{
	struct layer l[SUBMAP_LAYERS];
	unsigned int made = 0;
	char error[ERROR_TEXT];

	for (unsigned int i = 0; i < t->count; i++) {
		const int number = input_find_layer(in, t->topic, from, name,
				t->count == 1 ? "" : layer[i].name, &l[i]);

		if (number < 0)
			return number;
		t->layer[i] = number;
		made += number == SITE_LAYERS;
		if (l[i].bits != layer[i].cells->bits)
			return input_refuse(in, t->topic, -EINVAL,
				"layer %s needs messages of type %s", l[i].name,
				l[i].bits == 8 ? "nav_msgs/OccupancyGrid" :
						 "grid_map_msgs/GridMap");
	}
	if (made && site_layers(in->site) + made > SITE_LAYERS)
		return input_refuse(in, t->topic, -ENOSPC,
				    "layer %s: too many layers (%u)", name,
				    site_layers(in->site));
	for (unsigned int i = 0; i < t->count; i++) {
		int number = t->layer[i];

		if (number == SITE_LAYERS)
			number = site_set_layer(in->site, &l[i], error);
		if (number < 0)
			return input_refuse(in, t->topic, number, "%s", error);
		t->layer[i] = number;
	}
	return 0;
}

static int keep_all(struct map_input *in, const struct taken *t)
{
	int err = 0;

	for (unsigned int i = 0; i < t->count && !err; i++)
		err = input_keep(in, t->topic, t->frame, t->message,
				 t->layer[i], t->stamp, t->cells[i]);
	return err;
}

static void input_forget(struct map_input *in, struct taken *t)
{
	for (unsigned int i = 0; i < t->count; i++)
		cells_put(t->cells[i]);
	in->waiting -= t->bytes;
	free(t);
}

static void input_on_match(void *arg, void *item, const char *frame)
{
	struct map_input *in = arg;
	struct taken *t = item;

	if (frame) {
		snprintf(t->frame, sizeof(t->frame), "%s", frame);
		keep_all(in, t);
	} else {
		input_refuse(in, t->topic, -ENOENT,
			     "no transform within %g s of the submap's stamp",
			     in->config->slop);
	}
	input_forget(in, t);
}

/* Free with input_forget(). Return: NULL: no memory, already logged */
static struct taken *copy_taken(struct map_input *in, const struct taken *t)
{
	struct taken *w = malloc(sizeof(*w));

	if (!w) {
		input_refuse(in, t->topic, -ENOMEM, "out of memory");
		return NULL;
	}
	*w = *t;
	w->bytes = 0;
	for (unsigned int i = 0; i < w->count; i++) {
		cells_get(w->cells[i]);
		w->bytes += w->cells[i]->bytes;
	}
	in->waiting += w->bytes;
	return w;
}

/* Wait in memory for a match; beyond the limit the oldest are matched now */
static int wait_for_match(struct map_input *in, const struct taken *t)
{
	struct taken *w = copy_taken(in, t);

	if (!w)
		return -ENOMEM;
	matcher_item(in->matcher, w->stamp, loop_now() + in->patience, w);
	while (in->waiting > (size_t)WAITING_MB << 20 &&
	       matcher_waiting(in->matcher) > 1)
		matcher_first(in->matcher);
	input_set_timer(in);
	return 0;
}

/*
 * Submaps of unknown nodes
 */

/* Remove it from the list. Return: free with input_forget() */
static struct taken *take_held(struct map_input *in, unsigned int i)
{
	struct taken *t = in->held[i].maps;

	memmove(&in->held[i], &in->held[i + 1],
		(--in->helds - i) * sizeof(*in->held));
	return t;
}

static void refuse_held(struct map_input *in, unsigned int i)
{
	struct taken *t = take_held(in, i);

	not_the_map(in, t->topic, t->frame);
	input_forget(in, t);
}

static int input_hold(struct map_input *in, const struct taken *t)
{
	struct taken *w = copy_taken(in, t);

	if (!w)
		return -ENOMEM;
	if (in->helds == HELD || in->waiting > (size_t)WAITING_MB << 20)
		refuse_held(in, 0);
	in->held[in->helds++] = (struct held){ w, loop_now() + node_patience };
	input_set_timer(in);
	return 0;
}

/* Store those whose node is known now, refuse those that waited too long */
static void release_held(struct map_input *in, uint64_t now)
{
	for (unsigned int i = 0; i < in->helds; ) {
		struct taken *t = in->held[i].maps;

		if (site_has_frame(in->site, t->frame)) {
			take_held(in, i);
			keep_all(in, t);
			input_forget(in, t);
		} else if (in->held[i].due <= now) {
			refuse_held(in, i);
		} else {
			i++;
		}
	}
}

/* A submap on the storey above its node. Whole maps are where they say */
static int input_check_height(struct map_input *in, const char *topic,
			      const char *frame, double height)
{
	const double limit = in->config->storey > 0 ? in->config->storey :
						      STOREY_HEIGHT;

	if (!strcmp(frame, SITE_ROOT) || in->config->storey < 0 ||
	    fabs(height) <= limit)
		return 0;
	return input_refuse(in, topic, -EINVAL, "it is %.1f m above its frame; "
			    "see --storey", height);
}

int map_input_map(struct map_input *in, const char *topic,
		  const struct map_config_layer *from, const char *name,
		  enum message_kind kind, const union message *msg)
{
	const struct message_header *h = kind == MESSAGE_GRID_MAP ?
					 &msg->grid.header : &msg->map.header;
	struct submap_layer layer[SUBMAP_LAYERS];
	struct taken t = { .message = count_up(in, &in->messages, 1),
			   .stamp = h->stamp };
	char error[ERROR_TEXT];
	bool unknown;
	int n, err;

	snprintf(t.topic, sizeof(t.topic), "%s", topic);
	err = check_stamp(in, topic, h->stamp);
	if (!err)
		err = find_frame(in, topic, from, h, t.frame);
	if (err < 0)
		return err;
	unknown = err;
	n = submap_read(kind, msg, layer, error);
	if (n < 0)
		return input_refuse(in, topic, n, "%s", error);
	t.count = n;
	for (int i = 0; i < n; i++)
		t.cells[i] = layer[i].cells;
	err = input_check_height(in, topic, t.frame, layer[0].height);
	if (!err)
		err = find_layers(in, from, name, layer, &t);
	if (!err && in->matcher && strcmp(t.frame, SITE_ROOT))
		err = wait_for_match(in, &t);
	else if (!err && unknown)
		err = input_hold(in, &t);
	else if (!err)
		err = keep_all(in, &t);
	submap_free(layer, n);
	release_held(in, loop_now());
	return err;
}

/*
 * Transforms
 */

/* The map has no pose, and only its children may name it */
static int name_frames(struct map_input *in, const char *topic,
		       struct site_transform *t)
{
	if (is_map_frame(in, t->frame) || !strcmp(t->frame, SITE_ROOT))
		return input_refuse(in, topic, -EINVAL,
			"transform with the map frame %s as child frame",
			t->frame);
	if (is_map_frame(in, t->predecessor))
		strcpy(t->predecessor, SITE_ROOT);
	else if (!strcmp(t->predecessor, SITE_ROOT))
		return input_refuse(in, topic, -EINVAL,
			"frame %s: parent frame %s is reserved; the map frame "
			"is %s", t->frame,
			SITE_ROOT, in->config->frame);
	return 0;
}

int map_input_transforms(struct map_input *in, const char *topic,
			 const struct message_transforms *m)
{
	struct message_list rest = m->transforms;
	struct site_transform *t = calloc(m->transforms.count + 1, sizeof(*t));
	struct message_transform one;
	char error[ERROR_TEXT];
	unsigned int n = 0;
	int err = 0;

	count_up(in, &in->messages, 1);
	if (!t)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < m->transforms.count &&
	       message_next_transform(&rest, &one)) {
		err = submap_transform(&one, &t[n], error);
		if (err) {
			input_refuse(in, topic, err, "%s", error);
			break;
		}
		err = check_stamp(in, topic, t[n].stamp);
		if (!err)
			err = name_frames(in, topic, &t[n]);
		n++;
	}
	if (!err) {
		err = site_transforms(in->site, t, n, topic, error);
		if (err)
			input_refuse(in, topic, err, "%s", error);
	}
	for (unsigned int i = 0; i < n && !err && in->matcher; i++)
		matcher_frame(in->matcher, t[i].stamp, t[i].frame);
	input_set_timer(in);
	if (!err) {
		count_up(in, &in->transforms, n);
		in->stored(in->arg);
		release_held(in, loop_now());
	}
	free(t);
	return err;
}

/*
 * Rooms and repeaters
 */

static int stored(struct map_input *in, const char *topic, int err)
{
	return err ? input_refuse(in, topic, err, "%s",
				  store_error(site_store(in->site))) : 0;
}

int map_input_room(struct map_input *in, const char *topic,
		   const struct message_room *m)
{
	char error[ERROR_TEXT];
	struct room r;
	int err;

	count_up(in, &in->messages, 1);
	err = check_stamp(in, topic, m->header.stamp);
	if (!err)
		err = input_check_frame(in, topic, &m->header);
	if (err)
		return err;
	err = room_message_read(m, &r, error);
	if (err)
		return input_refuse(in, topic, err, "%s", error);
	return stored(in, topic, store_room(site_store(in->site), &r));
}

int map_input_rooms(struct map_input *in, const char *topic, unsigned int rooms)
{
	char text[16];

	count_up(in, &in->messages, 1);
	snprintf(text, sizeof(text), "%u", rooms);
	return stored(in, topic, store_set(site_store(in->site), "rooms",
					   text));
}

int map_input_repeaters(struct map_input *in, const char *topic,
			const struct message_polygon *m)
{
	const unsigned int count = m->points.count;
	struct message_list rest = m->points;
	double (*xy)[2];
	struct message_point32 p;
	unsigned int n = 0;
	int err;

	count_up(in, &in->messages, 1);
	err = check_stamp(in, topic, m->header.stamp);
	if (!err)
		err = input_check_frame(in, topic, &m->header);
	if (!err && count > REPEATERS)
		err = input_refuse(in, topic, -E2BIG,
				   "too many repeaters: %u, at most %d", count,
				   REPEATERS);
	if (err)
		return err;
	xy = calloc(count + 1, sizeof(*xy));
	if (!xy)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < count && message_next_point(&rest, &p)) {
		if (!room_message_point(&p))
			err = input_refuse(in, topic, -EINVAL,
					   "repeater position out of range");
		xy[n][0] = p.x;
		xy[n++][1] = p.y;
	}
	if (!err)
		err = stored(in, topic, store_repeaters(site_store(in->site),
				m->header.stamp, (const void *)xy, n));
	free(xy);
	return err;
}

/*
 * Images: only checked
 */

int map_input_image(struct map_input *in, const char *topic,
		    const struct message_image *m)
{
	struct image shape;

	count_up(in, &in->messages, 1);
	if (message_image_shape(m, &shape) == -EBADMSG || !m->width ||
	    !m->height)
		return input_refuse(in, topic, -EBADMSG,
				    "image of %u bytes does not match its size "
				    "of %u x %u",
				    m->data.count, m->width, m->height);
	return check_stamp(in, topic, m->header.stamp);
}

void map_input_damaged(struct map_input *in, const char *topic)
{
	count_up(in, &in->messages, 1);
	input_refuse(in, topic, -EBADMSG, "malformed message");
}

void map_input_unknown(struct map_input *in, const char *topic, const char *why)
{
	input_refuse(in, topic, -ENOENT, "%s: ignored", why);
}

/*
 * Begin and end
 */

static void find_newest(void *arg, const struct store_node *n)
{
	int64_t *newest = arg;

	if (n->stamp > *newest)
		*newest = n->stamp;
}

int map_input_open(struct map_input **input, struct site *site,
		   struct loop *loop, const struct map_config *config,
		   void (*told)(void *arg),
		   void (*refused)(void *arg, const char *line), void *arg)
{
	struct map_input *in = calloc(1, sizeof(*in));
	int64_t newest = 0;

	if (!in)
		return -ENOMEM;
	*in = (struct map_input){
		.site = site, .loop = loop, .config = config, .stored = told,
		.refused = refused, .arg = arg,
		.timer = { LOOP_NEVER, input_on_timer, in, NULL },
	};
	if (config->slop > 0) {
		in->patience = fmax(config->slop * 1e9, patience);
		in->matcher =
			matcher_create(config->slop * 1e9, input_on_match, in);
		if (!in->matcher) {
			free(in);
			return -ENOMEM;
		}
	}
	site_each_node(site, find_newest, &newest);
	stamps_begin(&in->stamps, newest);
	pthread_mutex_init(&in->lock, NULL);
	loop_add_timer(loop, &in->timer);
	*input = in;
	return 0;
}

void map_input_close(struct map_input *in)
{
	if (!in)
		return;
	matcher_destroy(in->matcher);
	while (in->keyframes)
		input_flush(in, 0);
	release_held(in, loop_now());
	while (in->keyframes)
		input_flush(in, 0);
	while (in->helds)
		refuse_held(in, 0);
	loop_remove_timer(in->loop, &in->timer);
	pthread_mutex_destroy(&in->lock);
	free(in);
}

void map_input_status(struct map_input *in, cJSON *out)
{
	int64_t ahead;

	pthread_mutex_lock(&in->lock);
	cJSON_AddNumberToObject(out, "messages", in->messages);
	cJSON_AddNumberToObject(out, "submaps_stored", in->kept);
	cJSON_AddNumberToObject(out, "transforms_stored", in->transforms);
	cJSON_AddNumberToObject(out, "refused", in->rejected);
	cJSON_AddNumberToObject(out, "lost", in->lost);
	if (in->matcher)
		cJSON_AddNumberToObject(out, "unmatched",
					in->unmatched);
	ahead = stamps_ahead(&in->stamps, io_now());
	if (ahead)
		cJSON_AddNumberToObject(out, "stamps_ahead", ahead / 1e9);
	if (*in->error)
		cJSON_AddStringToObject(out, "last_error", in->error);
	pthread_mutex_unlock(&in->lock);
}
