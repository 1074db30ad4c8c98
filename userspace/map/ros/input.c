// SPDX-License-Identifier: GPL-2.0-only
/*
 * input - check and gather input, then store it
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/log.h"
#include "map/ros/input_parts.h"
#include "map/ros/submap_message.h"
#include "ros/io/io.h"

static const uint64_t node_timeout = 2 * 1000000000ULL;		/* ns */
static const uint64_t match_timeout_min = 10 * 1000000000ULL;	/* ns */

int map_input_check_stamp(struct map_input *in, const char *topic,
			  int64_t stamp)
{
	return input_report_stamp(&in->report, topic, stamp, io_now(),
				  loop_now());
}

static void input_set_timer(struct map_input *in)
{
	const uint64_t keyframe = keyframes_due(&in->keyframes);
	const uint64_t pending = pending_maps_due(&in->pending, 0);
	uint64_t due = keyframe < pending ? keyframe : pending;

	if (in->matcher) {
		const uint64_t match = matcher_due(in->matcher);

		due = match < due ? match : due;
		input_report_unmatched(&in->report,
				       matcher_waiting(in->matcher));
	}
	in->timer.due = due;
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
	char full[LAYER_NAME];
	struct error error;
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
	if (map_config_make_layer(in->config, from, name, l, &error))
		return input_refuse(in, topic, -EINVAL, "%s", error.text);
	snprintf(l->name, sizeof(l->name), "%s", full);
	return SITE_LAYERS;
}

bool map_input_is_map_frame(const struct map_input *in, const char *frame)
{
	return !strcmp(frame, in->config->frame);
}

static int refuse_frame(struct map_input *in, const char *topic,
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
	if (map_input_is_map_frame(in, frame)) {
		strcpy(frame, SITE_ROOT);
		return 0;
	}
	if (!strcmp(frame, SITE_ROOT))
		return refuse_frame(in, topic, frame);
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
	if (map_input_is_map_frame(in, frame) || !strcmp(frame, SITE_ROOT))
		return input_refuse(in, topic, -EINVAL,
			"frame_id %s is the map frame, not a submap frame",
			frame);
	return 0;
}

/* The layers of all maps; creates none unless all are valid */
static int find_layers(struct map_input *in,
		       const struct map_config_layer *from, const char *name,
		       const struct submap_layer *layer, struct message_maps *t)
{
	struct layer l[SUBMAP_LAYERS];
	unsigned int made = 0;
	struct error error;

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
			number = site_set_layer(in->site, &l[i], &error);
		if (number < 0)
			return input_refuse(in, t->topic, number, "%s", error.text);
		t->layer[i] = number;
	}
	return 0;
}

/* To the keyframe of their frame */
static int gather_maps(struct map_input *in, const struct message_maps *t)
{
	int err = 0;

	for (unsigned int i = 0; i < t->count && !err; i++) {
		const struct keyframe_submap s = {
			t->frame, t->message, t->layer[i], t->stamp,
			t->cells[i],
		};

		err = keyframes_add(&in->keyframes, &s, loop_now());
	}
	return err ? input_refuse(in, t->topic, err, "out of memory") : 0;
}

static void input_on_match(void *arg, void *item, const char *frame)
{
	struct map_input *in = arg;
	struct message_maps *t = item;

	if (frame) {
		snprintf(t->frame, sizeof(t->frame), "%s", frame);
		log_debug("%s: submap of %.3f matched to the transform of %s",
			  t->topic, t->stamp / 1e9, frame);
		gather_maps(in, t);
	} else {
		input_refuse(in, t->topic, -ENOENT,
			     "no transform within %g s of the submap's stamp",
			     in->config->slop);
	}
	pending_maps_free(&in->pending, t);
}

/* Return: NULL: no memory, already refused */
static struct message_maps *copy_maps(struct map_input *in,
				      const struct message_maps *t)
{
	struct message_maps *copy = pending_maps_copy(&in->pending, t);

	if (!copy)
		input_refuse(in, t->topic, -ENOMEM, "out of memory");
	return copy;
}

/* Wait in memory for a match; beyond the limit the oldest are matched now */
static int wait_for_match(struct map_input *in, const struct message_maps *t)
{
	struct message_maps *w = copy_maps(in, t);

	if (!w)
		return -ENOMEM;
	matcher_item(in->matcher, w->stamp, loop_now() + in->match_timeout, w);
	while (in->pending.bytes > PENDING_MAPS_BYTES &&
	       matcher_waiting(in->matcher) > 1)
		matcher_first(in->matcher);
	return 0;
}

/*
 * Submaps of unknown nodes
 */

static void refuse_pending(struct map_input *in, unsigned int i)
{
	struct message_maps *t = pending_maps_take(&in->pending, i);

	refuse_frame(in, t->topic, t->frame);
	pending_maps_free(&in->pending, t);
}

static int wait_for_node(struct map_input *in, const struct message_maps *t)
{
	struct message_maps *w = copy_maps(in, t);

	if (!w)
		return -ENOMEM;
	if (pending_maps_full(&in->pending) && in->pending.pending_count)
		refuse_pending(in, 0);
	pending_maps_add(&in->pending, w, loop_now() + node_timeout);
	return 0;
}

/* Store those whose node is known now, refuse those that waited too long */
static void release_pending(struct map_input *in, uint64_t now)
{
	struct message_maps *t;

	for (unsigned int i = 0; (t = pending_maps_get(&in->pending, i));) {
		if (site_has_frame(in->site, t->frame)) {
			pending_maps_take(&in->pending, i);
			gather_maps(in, t);
			pending_maps_free(&in->pending, t);
		} else if (pending_maps_due(&in->pending, i) <= now) {
			refuse_pending(in, i);
		} else {
			i++;
		}
	}
}

static void input_on_timer(void *arg, uint64_t now)
{
	struct map_input *in = arg;

	if (in->matcher)
		matcher_expire(in->matcher, now);
	keyframes_expire(&in->keyframes, now);
	release_pending(in, now);
	input_set_timer(in);
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
	return input_refuse(in, topic, -EINVAL,
			    "it is %.1f m above its frame; see --storey",
			    height);
}

int map_input_map(struct map_input *in, const char *topic,
		  const struct map_config_layer *from, const char *name,
		  enum message_kind kind, const union message *msg)
{
	const struct message_header *h = kind == MESSAGE_GRID_MAP ?
					 &msg->grid.header : &msg->map.header;
	struct submap_layer layer[SUBMAP_LAYERS];
	struct message_maps t = { .message = input_count(in, INPUT_MESSAGES, 1),
				  .stamp = h->stamp };
	struct error error;
	bool unknown;
	int n, err;

	snprintf(t.topic, sizeof(t.topic), "%s", topic);
	err = map_input_check_stamp(in, topic, h->stamp);
	if (!err)
		err = find_frame(in, topic, from, h, t.frame);
	if (err < 0)
		return err;
	unknown = err;
	n = submap_read(kind, msg, layer, &error);
	if (n < 0)
		return input_refuse(in, topic, n, "%s", error.text);
	t.count = n;
	for (int i = 0; i < n; i++)
		t.cells[i] = layer[i].cells;
	err = input_check_height(in, topic, t.frame, layer[0].height);
	if (!err)
		err = find_layers(in, from, name, layer, &t);
	if (!err && in->matcher && strcmp(t.frame, SITE_ROOT))
		err = wait_for_match(in, &t);
	else if (!err && unknown)
		err = wait_for_node(in, &t);
	else if (!err)
		err = gather_maps(in, &t);
	submap_free(layer, n);
	release_pending(in, loop_now());
	input_set_timer(in);
	return err;
}

/*
 * Transforms
 */

/* The map has no pose, and only its children may name it */
static int name_frames(struct map_input *in, const char *topic,
		       struct site_transform *t)
{
	if (map_input_is_map_frame(in, t->frame) ||
	    !strcmp(t->frame, SITE_ROOT))
		return input_refuse(in, topic, -EINVAL,
			"transform with the map frame %s as child frame",
			t->frame);
	if (map_input_is_map_frame(in, t->predecessor))
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
	struct error error;
	unsigned int n = 0;
	int err = 0;

	input_count(in, INPUT_MESSAGES, 1);
	if (!t)
		return input_refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < m->transforms.count &&
	       message_next_transform(&rest, &one)) {
		err = submap_transform(&one, &t[n], &error);
		if (err) {
			input_refuse(in, topic, err, "%s", error.text);
			break;
		}
		err = map_input_check_stamp(in, topic, t[n].stamp);
		if (!err)
			err = name_frames(in, topic, &t[n]);
		n++;
	}
	if (!err) {
		err = site_transforms(in->site, t, n, topic, &error);
		if (err)
			input_refuse(in, topic, err, "%s", error.text);
	}
	for (unsigned int i = 0; i < n && !err && in->matcher; i++)
		matcher_frame(in->matcher, t[i].stamp, t[i].frame);
	if (!err) {
		input_count(in, INPUT_TRANSFORMS, n);
		in->stored(in->arg);
		release_pending(in, loop_now());
	}
	input_set_timer(in);
	free(t);
	return err;
}

void map_input_damaged(struct map_input *in, const char *topic)
{
	input_count(in, INPUT_MESSAGES, 1);
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
		   void (*stored)(void *arg),
		   void (*refused)(void *arg, const char *line), void *arg)
{
	struct map_input *in = calloc(1, sizeof(*in));
	int64_t newest = 0;

	if (!in)
		return -ENOMEM;
	*in = (struct map_input){
		.site = site, .loop = loop, .config = config, .stored = stored,
		.arg = arg,
		.timer = { LOOP_NEVER, input_on_timer, in, NULL },
		.keyframes = { .site = site, .report = &in->report,
			       .stored = stored, .arg = arg },
	};
	if (config->slop > 0) {
		in->match_timeout = fmax(config->slop * 1e9,
					 match_timeout_min);
		in->matcher =
			matcher_create(config->slop * 1e9, input_on_match, in);
		if (!in->matcher) {
			free(in);
			return -ENOMEM;
		}
	}
	site_each_node(site, find_newest, &newest);
	input_report_open(&in->report, newest, refused, arg);
	if (in->matcher)
		input_report_unmatched(&in->report, 0);
	loop_add_timer(loop, &in->timer);
	*input = in;
	return 0;
}

void map_input_close(struct map_input *in)
{
	if (!in)
		return;
	matcher_destroy(in->matcher);
	keyframes_expire(&in->keyframes, UINT64_MAX);
	release_pending(in, loop_now());
	keyframes_expire(&in->keyframes, UINT64_MAX);
	while (pending_maps_get(&in->pending, 0))
		refuse_pending(in, 0);
	assert(!in->pending.bytes);
	loop_remove_timer(in->loop, &in->timer);
	input_report_close(&in->report);
	free(in);
}

void map_input_status(struct map_input *in, cJSON *out)
{
	input_report_status(&in->report, io_now(), out);
}
