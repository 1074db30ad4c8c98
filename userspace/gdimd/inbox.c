// SPDX-License-Identifier: GPL-2.0-only
/*
 * inbox - what comes in, until it is stored
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ends/ends.h"
#include "gdimd/inbox.h"
#include "gdimd/matcher.h"
#include "gdimd/submap_message.h"

enum {
	KEYFRAMES	= 64,		/* that are gathered at once */
	GATHERED	= 64,		/* submaps of one */
};

static const uint64_t moment = 20 * 1000000ULL;		/* ns */
static const int64_t future = 60 * 1000000000LL;	/* ns: clocks differ */

/* Submaps of a frame that wait for others of it */
struct keyframe {
	char			frame[STORE_FRAME];
	int64_t			stamp;
	struct site_submap	submap[GATHERED];
	unsigned int		submaps;
	uint64_t		due;
};

struct inbox {
	struct site		*site;
	struct loop		*loop;
	const struct config	*config;
	void			(*stored)(void *arg);
	void			(*refused)(void *arg, const char *line);
	void			*arg;
	struct keyframe		*keyframe[KEYFRAMES];
	unsigned int		keyframes;
	struct loop_timer	timer;
	struct matcher		*matcher;
	uint64_t		messages, kept, transforms, rejected, lost;
	char			error[INBOX_ERROR];
};

__attribute__((format(printf, 4, 5)))
static int refuse(struct inbox *in, const char *topic, int err,
		  const char *format, ...)
{
	char why[INBOX_ERROR];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(in->error, sizeof(in->error), "%.80s: %.170s", topic, why);
	in->rejected++;
	in->refused(in->arg, in->error);
	return err;
}

/* Recordings are old, and that is fine; nothing is from tomorrow */
static int check_stamp(struct inbox *in, const char *topic, int64_t stamp)
{
	if (stamp < 0)
		return refuse(in, topic, -EINVAL, "a stamp before 1970");
	if (stamp > ends_now() + future)
		return refuse(in, topic, -EINVAL,
			      "a stamp that lies %.0f s in the future",
			      (stamp - ends_now()) * 1e-9);
	return 0;
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

/* As one, or each alone, so that one that is wrong does no harm to others */
static void store(struct inbox *in, struct keyframe *k)
{
	char error[SITE_ERROR];

	if (!site_keyframe(in->site, k->frame, k->stamp, NULL, k->submap,
			   k->submaps, error)) {
		in->kept += k->submaps;
		in->stored(in->arg);
		return;
	}
	for (unsigned int i = 0; i < k->submaps; i++) {
		int err = site_keyframe(in->site, k->frame, k->stamp, NULL,
					&k->submap[i], 1, error);

		if (err) {
			in->lost += err != -ESTALE && err != -EINVAL;
			refuse(in, "keyframe", err, "%s", error);
			continue;
		}
		in->kept++;
		in->stored(in->arg);
	}
}

static void flush(struct inbox *in, unsigned int i)
{
	struct keyframe *k = in->keyframe[i];

	in->keyframe[i] = in->keyframe[--in->keyframes];
	store(in, k);
	free_keyframe(k);
}

static void set_timer(struct inbox *in)
{
	in->timer.due = LOOP_NEVER;
	for (unsigned int i = 0; i < in->keyframes; i++)
		if (in->keyframe[i]->due < in->timer.due)
			in->timer.due = in->keyframe[i]->due;
}

static void on_timer(void *arg, uint64_t now)
{
	struct inbox *in = arg;

	for (unsigned int i = in->keyframes; i--;)
		if (in->keyframe[i]->due <= now)
			flush(in, i);
	set_timer(in);
}

static bool has_layer(const struct keyframe *k, unsigned int layer)
{
	for (unsigned int i = 0; i < k->submaps; i++)
		if (k->submap[i].layer == layer)
			return true;
	return false;
}

/* That of a frame, with room for a submap of @layer; NULL: no memory */
static struct keyframe *gather(struct inbox *in, const char *frame,
			       unsigned int layer)
{
	struct keyframe *k;

	for (unsigned int i = 0; i < in->keyframes; i++) {
		k = in->keyframe[i];
		if (strcmp(k->frame, frame))
			continue;
		if (!has_layer(k, layer) && k->submaps < GATHERED)
			return k;
		flush(in, i);
		break;
	}
	if (in->keyframes == KEYFRAMES)
		flush(in, 0);
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	snprintf(k->frame, sizeof(k->frame), "%s", frame);
	k->due = loop_now() + moment;
	in->keyframe[in->keyframes++] = k;
	set_timer(in);
	return k;
}

static int keep(struct inbox *in, const char *topic, const char *frame,
		unsigned int layer, int64_t stamp, struct cells *cells)
{
	struct keyframe *k = gather(in, frame, layer);

	if (!k)
		return refuse(in, topic, -ENOMEM, "out of memory");
	k->stamp = stamp > k->stamp ? stamp : k->stamp;
	k->submap[k->submaps++] = (struct site_submap){
		layer, stamp, RULE_WEIGHT_FULL, cells_get(cells) };
	return 0;
}

/*
 * Maps
 */

/* The layer of that name, made if it is configured and not there yet */
static int find_layer(struct inbox *in, const char *topic,
		      const struct config_layer *from, const char *name,
		      const char *grid)
{
	char full[LAYER_NAME], error[SITE_ERROR];
	struct layer l;
	int number;

	if (snprintf(full, sizeof(full), "%s%s%s", name, *grid ? "_" : "",
		     grid) >= (int)sizeof(full))
		return refuse(in, topic, -EINVAL, "layer %s of %s: too long",
			      grid, name);
	number = site_find_layer(in->site, full);
	if (number >= 0)
		return number;
	if (config_make_layer(in->config, from, name, &l, error))
		return refuse(in, topic, -EINVAL, "%s", error);
	snprintf(l.name, sizeof(l.name), "%s", full);
	number = site_set_layer(in->site, &l, error);
	return number >= 0 ? number : refuse(in, topic, number, "%s", error);
}

static bool is_map_frame(const struct inbox *in, const char *frame)
{
	return !strcmp(frame, in->config->frame);
}

/* Whose frame a submap has: that of a node, or that of the map */
static int find_frame(struct inbox *in, const char *topic,
		      const struct config_layer *from,
		      const struct message_header *h, char frame[STORE_FRAME])
{
	if (submap_frame(&h->frame_id, frame))
		return refuse(in, topic, -EINVAL, "no proper frame id");
	if (from->whole && !is_map_frame(in, frame))
		return refuse(in, topic, -EINVAL, "frame %s, not %s", frame,
			      in->config->frame);
	if (!from->whole && is_map_frame(in, frame))
		return refuse(in, topic, -EINVAL,
			"frame %s is that of the map, not of a submap", frame);
	if (from->whole)
		strcpy(frame, SITE_ROOT);
	return 0;
}

/* What matcher.h keeps until it is known whose it is */
struct waiting {
	char		topic[CONFIG_TEXT];
	unsigned int	layer;
	int64_t		stamp;
	struct cells	*cells;
};

static void on_match(void *arg, void *item, const char *frame)
{
	struct inbox *in = arg;
	struct waiting *w = item;

	if (frame)
		keep(in, w->topic, frame, w->layer, w->stamp, w->cells);
	else
		refuse(in, w->topic, -ENOENT,
		       "no transform within %g s of the submap's stamp",
		       in->config->slop);
	cells_put(w->cells);
	free(w);
}

static int wait_for_match(struct inbox *in, const char *topic,
			  unsigned int layer, int64_t stamp,
			  struct cells *cells)
{
	struct waiting *w = calloc(1, sizeof(*w));

	if (!w)
		return refuse(in, topic, -ENOMEM, "out of memory");
	snprintf(w->topic, sizeof(w->topic), "%s", topic);
	w->layer = layer;
	w->stamp = stamp;
	w->cells = cells_get(cells);
	matcher_item(in->matcher, stamp, w);
	return 0;
}

static int take_layer(struct inbox *in, const char *topic,
		      const struct config_layer *from, const char *name,
		      const struct submap_layer *layer, bool alone,
		      const char *frame, int64_t stamp)
{
	const int number = find_layer(in, topic, from, name,
				      alone ? "" : layer->name);
	struct layer l;

	if (number < 0)
		return number;
	site_layer(in->site, number, &l);
	if (l.bits != layer->cells->bits)
		return refuse(in, topic, -EINVAL,
			"layer %s takes %s", l.name, l.bits == 8 ?
			"nav_msgs/OccupancyGrid" : "grid_map_msgs/GridMap");
	if (in->matcher && !from->whole)
		return wait_for_match(in, topic, number, stamp, layer->cells);
	return keep(in, topic, frame, number, stamp, layer->cells);
}

int inbox_map(struct inbox *in, const char *topic,
	      const struct config_layer *from, const char *name,
	      enum message_kind kind, const union message *msg)
{
	const struct message_header *h = kind == MESSAGE_GRID_MAP ?
					 &msg->grid.header : &msg->map.header;
	struct submap_layer layer[SUBMAP_LAYERS];
	char frame[STORE_FRAME], error[SUBMAP_ERROR];
	int n, err;

	in->messages++;
	err = check_stamp(in, topic, h->stamp);
	if (!err)
		err = find_frame(in, topic, from, h, frame);
	if (err)
		return err;
	n = submap_read(kind, msg, layer, error);
	if (n < 0)
		return refuse(in, topic, n, "%s", error);
	for (int i = 0; i < n; i++) {
		const int one = take_layer(in, topic, from, name, &layer[i],
					   n == 1, frame, h->stamp);

		err = err ? err : one;
	}
	submap_free(layer, n);
	return err;
}

/*
 * Transforms
 */

int inbox_transforms(struct inbox *in, const char *topic,
		     const struct message_transforms *m)
{
	struct message_list rest = m->transforms;
	struct site_transform *t = calloc(m->transforms.count + 1, sizeof(*t));
	struct message_transform one;
	char error[SITE_ERROR];
	unsigned int n = 0;
	int err = 0;

	in->messages++;
	if (!t)
		return refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < m->transforms.count &&
	       message_next_transform(&rest, &one)) {
		err = submap_transform(&one, &t[n], error);
		if (err) {
			refuse(in, topic, err, "%s", error);
			break;
		}
		err = check_stamp(in, topic, t[n].stamp);
		if (is_map_frame(in, t[n].predecessor))
			strcpy(t[n].predecessor, SITE_ROOT);
		n++;
	}
	if (!err) {
		err = site_transforms(in->site, t, n, topic, error);
		if (err)
			refuse(in, topic, err, "%s", error);
	}
	for (unsigned int i = 0; i < n && !err; i++)
		if (in->matcher)
			matcher_frame(in->matcher, t[i].stamp, t[i].frame);
	if (!err) {
		in->transforms += n;
		in->stored(in->arg);
	}
	free(t);
	return err;
}

/*
 * Rooms and repeaters
 */

static int stored(struct inbox *in, const char *topic, int err)
{
	return err ? refuse(in, topic, err, "%s",
			    store_error(site_store(in->site))) : 0;
}

static bool finite_point(const struct message_point32 *p)
{
	return fabs(p->x) <= POSE_MAX && fabs(p->y) <= POSE_MAX;
}

static int room_of(struct inbox *in, const char *topic,
		   const struct message_room *m, struct room *r)
{
	struct message_list rest = m->outline;
	struct message_point32 p;

	*r = (struct room){
		.id = m->id, .stamp = m->header.stamp, .x = m->location.x,
		.y = m->location.y, .size = m->size,
		.reported = m->averages_valid,
		.temperature = m->avg_temperature, .smoke = m->avg_smoke,
		.signal = m->avg_signal, .hazard = m->max_hazard,
	};
	if (!finite_point(&m->location) || !(m->size >= 0 && m->size <= 1e9) ||
	    m->name.len >= sizeof(r->name))
		return refuse(in, topic, -EINVAL,
			      "room %u: a place, size or name that cannot be",
			      m->id);
	memcpy(r->name, m->name.text, m->name.len);
	if (m->outline.count > ROOM_CORNERS ||
	    m->avg_gases.count > ROOM_GASES)
		return refuse(in, topic, -E2BIG,
			      "room %u: more than %d corners or %d gases",
			      m->id, ROOM_CORNERS, ROOM_GASES);
	while (message_next_point(&rest, &p)) {
		if (!finite_point(&p))
			return refuse(in, topic, -EINVAL,
				      "room %u: a corner that cannot be",
				      m->id);
		r->corner[r->corners][0] = p.x;
		r->corner[r->corners++][1] = p.y;
	}
	for (; r->gases < m->avg_gases.count; r->gases++)
		r->gas[r->gases] = message_float(&m->avg_gases, r->gases);
	return 0;
}

int inbox_room(struct inbox *in, const char *topic,
	       const struct message_room *m)
{
	struct room r;
	int err;

	in->messages++;
	err = check_stamp(in, topic, m->header.stamp);
	if (!err)
		err = room_of(in, topic, m, &r);
	return err ? err : stored(in, topic, store_room(site_store(in->site),
							&r));
}

int inbox_rooms(struct inbox *in, const char *topic, unsigned int rooms)
{
	char text[16];

	in->messages++;
	snprintf(text, sizeof(text), "%u", rooms);
	return stored(in, topic, store_set(site_store(in->site), "rooms",
					   text));
}

int inbox_repeaters(struct inbox *in, const char *topic,
		    const struct message_polygon *m)
{
	const unsigned int count = m->points.count;
	struct message_list rest = m->points;
	double (*xy)[2];
	struct message_point32 p;
	unsigned int n = 0;
	int err;

	in->messages++;
	err = check_stamp(in, topic, m->header.stamp);
	if (err)
		return err;
	xy = calloc(count + 1, sizeof(*xy));
	if (!xy)
		return refuse(in, topic, -ENOMEM, "out of memory");
	while (!err && n < count && message_next_point(&rest, &p)) {
		if (!finite_point(&p))
			err = refuse(in, topic, -EINVAL,
				     "a repeater where none can be");
		xy[n][0] = p.x;
		xy[n++][1] = p.y;
	}
	if (!err)
		err = stored(in, topic, store_repeaters(site_store(in->site),
				m->header.stamp, (const void *)xy, n));
	free(xy);
	return err;
}

void inbox_damaged(struct inbox *in, const char *topic)
{
	in->messages++;
	refuse(in, topic, -EBADMSG, "a message that is damaged");
}

/*
 * Begin and end
 */

int inbox_open(struct inbox **inbox, struct site *site, struct loop *loop,
	       const struct config *config, void (*told)(void *arg),
	       void (*refused)(void *arg, const char *line), void *arg)
{
	struct inbox *in = calloc(1, sizeof(*in));

	if (!in)
		return -ENOMEM;
	*in = (struct inbox){
		.site = site, .loop = loop, .config = config, .stored = told,
		.refused = refused, .arg = arg,
		.timer = { LOOP_NEVER, on_timer, in, NULL },
	};
	if (config->slop > 0) {
		in->matcher = matcher_create(config->slop * 1e9, on_match, in);
		if (!in->matcher) {
			free(in);
			return -ENOMEM;
		}
	}
	loop_add_timer(loop, &in->timer);
	*inbox = in;
	return 0;
}

void inbox_close(struct inbox *in)
{
	if (!in)
		return;
	matcher_destroy(in->matcher);
	while (in->keyframes)
		flush(in, 0);
	loop_remove_timer(in->loop, &in->timer);
	free(in);
}

void inbox_status(const struct inbox *in, cJSON *out)
{
	cJSON_AddNumberToObject(out, "messages", in->messages);
	cJSON_AddNumberToObject(out, "submaps_stored", in->kept);
	cJSON_AddNumberToObject(out, "transforms_stored", in->transforms);
	cJSON_AddNumberToObject(out, "refused", in->rejected);
	cJSON_AddNumberToObject(out, "lost", in->lost);
	if (in->matcher)
		cJSON_AddNumberToObject(out, "unmatched",
					matcher_waiting(in->matcher));
	if (*in->error)
		cJSON_AddStringToObject(out, "last_error", in->error);
}
