// SPDX-License-Identifier: GPL-2.0-only
/*
 * publisher - output topics, each at its rate
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "base/log.h"
#include "base/service.h"
#include "map/ros/graph.h"
#include "map/ros/map_topic.h"
#include "map/ros/publisher.h"
#include "map/ros/rates.h"
#include "map/site/level.h"
#include "ros/io/io.h"

enum {
	TOPICS		= 512,
	NAME		= 2 * LAYER_NAME,
};

static const uint64_t whole = 10 * 1000000000ULL;	/* ns */

/**
 * struct output - a topic
 * @is_map:	publishes @map; else a message to pass through, or
 * @state:	of the store; MAP_PUBLISHER_STATES: none
 * @since:	see site_changes(): revision of each layer of @map when sent
 * @shape:	of the map that was sent last
 * @sent_whole:	time of the last whole map, CLOCK_MONOTONIC
 * @last:	time of the last message
 * @behind:	updates were sent since: the latched map is outdated
 * @factor, @resolution: of the map that was sent last; see struct map_shape
 */
struct output {
	char			name[NAME];
	struct sink_topic	*topic, *updates;
	enum message_kind	kind;
	bool			is_map;
	struct map_topic	map;
	enum map_publisher_state	state;
	uint64_t		least;	/* ns between two messages */
	double			rate;
	uint64_t		since[MESSAGE_LAYERS], sent_whole, last;
	struct map_shape	shape;
	bool			changed, behind;
	uint64_t		count, update_count, skipped;
	unsigned int		factor;
	double			resolution;
};

struct map_publisher {
	struct site		*site;
	struct loop		*loop;
	struct sink		*sink;
	const struct map_config *config;
	struct loop_timer	timer;
	struct output		*output[TOPICS];
	unsigned int		outputs;
	struct output		*home[SITE_LAYERS];	/* of each layer */
	void			(*keep)(void *arg, const char *name, double hz);
	void			*arg;
	struct map_room		room;
	union message		message;
};

static const char *topic_name(const struct map_publisher *o, const char *name,
			      const char *more, char full[MAP_CONFIG_TEXT])
{
	char own[MAP_CONFIG_TEXT];

	snprintf(own, sizeof(own), "%s%s", MAP_PUBLISHER_PREFIX, name);
	snprintf(full, MAP_CONFIG_TEXT, "%s%s",
		 map_config_topic(o->config, own), more);
	return full;
}

static int publisher_offer(struct map_publisher *o, struct output *p,
			   bool latched)
{
	char full[MAP_CONFIG_TEXT];

	if (!o->sink)
		return 0;
	if (sink_add(o->sink, topic_name(o, p->name, "", full), p->kind,
		     latched, &p->topic)) {
		p->topic = NULL;
		return -ENOMEM;
	}
	if (p->kind == MESSAGE_OCCUPANCY_GRID &&
	    sink_add(o->sink, topic_name(o, p->name, "_updates", full),
		     MESSAGE_GRID_UPDATE, false, &p->updates))
		p->updates = NULL;
	return 0;
}

static struct output *add_output(struct map_publisher *o, const char *name,
				 enum message_kind kind, bool latched,
				 bool is_map)
{
	struct output *p;

	if (o->outputs == TOPICS)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct output){ .kind = kind, .is_map = is_map,
			      .map = { .kind = kind },
			      .state = MAP_PUBLISHER_STATES,
			      .rate = is_map ? o->config->rate : RATES_MAX };
	p->rate = rates_kept(o->site, name, p->rate);
	snprintf(p->name, sizeof(p->name), "%s", name);
	if (publisher_offer(o, p, latched)) {
		free(p);
		return NULL;
	}
	o->output[o->outputs++] = p;
	return p;
}

static struct output *find_map(const struct map_publisher *o, const char *name)
{
	for (unsigned int i = 0; i < o->outputs; i++)
		if (o->output[i]->is_map && !strcmp(o->output[i]->name, name))
			return o->output[i];
	return NULL;
}

/* The next message is the whole map */
static void forget_sent(struct output *p)
{
	memset(p->since, 0, sizeof(p->since));
	p->sent_whole = 0;
	p->shape = (struct map_shape){ 0 };
}

static void publisher_withdraw(struct output *p)
{
	if (p->topic)
		sink_remove(p->topic);
	if (p->updates)
		sink_remove(p->updates);
	p->topic = p->updates = NULL;
}

/* Its maps have another type from now on */
static void change_kind(struct map_publisher *o, struct output *p,
			enum message_kind kind)
{
	assert(p->kind != kind);
	publisher_withdraw(p);
	p->kind = p->map.kind = kind;
	publisher_offer(o, p, true);
}

/* Remove a topic with its last layer */
static void leave_home(struct map_publisher *o, unsigned int layer)
{
	struct output *p = o->home[layer];

	assert(p && p->is_map && p->map.layers);
	o->home[layer] = NULL;
	map_topic_drop(&p->map, layer);
	forget_sent(p);
	if (p->map.layers)
		return;
	publisher_withdraw(p);
	for (unsigned int i = 0; i < o->outputs; i++)
		if (o->output[i] == p)
			o->output[i] = o->output[--o->outputs];
	free(p);
}

static bool is_alone(const struct output *p, unsigned int layer)
{
	return !p->map.layers ||
	       (p->map.layers == 1 && p->map.layer[0] == layer);
}

/* A layer's topic may change with its depth */
static void place_layer(struct map_publisher *o, unsigned int layer)
{
	char name[LAYER_NAME], grid[LAYER_NAME];
	struct output *p;
	struct layer l;

	site_layer(o->site, layer, &l);
	map_topic_name(o->config, &l, name, grid);
	p = find_map(o, name);
	/* a layer of another depth may have that topic */
	if (p && p->kind != map_message_kind(l.bits) && !is_alone(p, layer)) {
		strcpy(name, l.name);
		p = find_map(o, name);
	}
	if (o->home[layer] && p != o->home[layer])
		leave_home(o, layer);
	if (!p)
		p = add_output(o, name, map_message_kind(l.bits), true, true);
	if (!p)
		return;
	if (!o->home[layer] && map_topic_add(&p->map, layer, grid))
		return;
	if (!o->home[layer])
		forget_sent(p);
	o->home[layer] = p;
	if (p->kind != map_message_kind(l.bits)) {
		change_kind(o, p, map_message_kind(l.bits));
		forget_sent(p);
	}
}

static void place_layers(struct map_publisher *o)
{
	const unsigned int layers = site_layers(o->site);

	for (unsigned int i = 0; i < layers; i++) {
		if (!site_layer_removed(o->site, i))
			place_layer(o, i);
		else if (o->home[i] && o->home[i]->map.layers > 1)
			leave_home(o, i);
	}
}

/*
 * Maps
 */

static void add_area(void *arg, const struct rect *tile)
{
	struct rect *all = arg;

	*all = rect_union(all, tile);
}

static int send_whole(struct map_publisher *o, struct output *p,
		      const struct map_shape *shape)
{
	const int64_t stamp = io_now();
	const int err = map_topic_message(&p->map, o->site, shape, &o->room,
					  stamp, o->config->frame, &o->message);

	return err ? err : sink_publish(p->topic, stamp, &o->message);
}

static int send_update(struct map_publisher *o, struct output *p,
		       const struct rect *area)
{
	const unsigned int factor = p->shape.factor;
	struct raster r = { .rect = factor > 1 ? level_rect(area, factor) :
						 *area };
	const int64_t stamp = io_now();
	int err = map_room_reserve(&o->room, (size_t)r.rect.width *
					     r.rect.height);

	if (err)
		return err;
	r.cells = o->room.cells;
	err = factor > 1 ? level_read_layer(o->site, p->map.layer[0], factor,
					    &r) :
			   site_read(o->site, p->map.layer[0], &r);
	/* not yet fused with its new depth */
	if (!err && map_message_kind(r.bits) != p->kind)
		err = -EAGAIN;
	if (err)
		return err;
	map_message_update(&o->room, &r, &p->shape.rect, stamp,
			   o->config->frame, &o->message);
	return sink_publish(p->updates, stamp, &o->message);
}

/* Logged once when the cells get larger, and when they are back to normal */
static void log_size(struct output *p, const struct map_shape *shape)
{
	const unsigned int was = p->factor;

	p->factor = shape->factor;
	p->resolution = shape->resolution;
	if (shape->factor > 1 && shape->factor != was)
		service_logf(LOG_WARNING, "%s is published in cells of %g m: "
			     "it has %u x %u cells of %g m, a message at most "
			     "%d",
			     p->name, shape->resolution, shape->whole.width,
			     shape->whole.height,
			     shape->resolution / shape->factor,
			     MAP_MESSAGE_CELLS);
	else if (shape->factor == 1 && was > 1)
		service_logf(LOG_INFO, "%s is published in cells of %g m again",
			     p->name, shape->resolution);
}

static bool same(const struct map_shape *a, const struct map_shape *b)
{
	return a->rect.x == b->rect.x && a->rect.y == b->rect.y &&
	       a->rect.width == b->rect.width &&
	       a->rect.height == b->rect.height &&
	       a->resolution == b->resolution;
}

/* Send a map: the whole, or the part @area that changed */
static int send_part(struct map_publisher *o, struct output *p,
		     const struct map_shape *shape, const struct rect *area,
		     bool update)
{
	const int err = update ? send_update(o, p, area) :
				 send_whole(o, p, shape);

	if (!err) {
		log_size(p, shape);
		p->shape = *shape;
	}
	return err;
}

/* The changed area of all layers; @area is in cells of the first one */
static void publisher_find_changes(struct map_publisher *o,
				   const struct output *p,
				   uint64_t since[MESSAGE_LAYERS],
				   struct rect *area)
{
	*area = (struct rect){ 0 };
	for (unsigned int i = 0; i < p->map.layers; i++)
		since[i] = site_changes(o->site, p->map.layer[i], p->since[i],
					add_area, area);
}

static void publisher_send_map(struct map_publisher *o, struct output *p,
			       uint64_t now)
{
	const bool old = p->behind && now - p->sent_whole >= whole;
	uint64_t since[MESSAGE_LAYERS];
	struct map_shape shape;
	struct rect area;
	bool update;

	p->changed = false;
	publisher_find_changes(o, p, since, &area);
	if (map_topic_shape(&p->map, o->site, &shape) ||
	    (rect_is_empty(&area) && !old) || !p->topic) {
		p->behind &= !old;
		return;
	}
	update = p->updates && same(&shape, &p->shape) && p->sent_whole &&
		 now - p->sent_whole < whole;
	p->last = now;
	if (send_part(o, p, &shape, &area, update)) {
		p->skipped++;
		return;
	}
	memcpy(p->since, since, p->map.layers * sizeof(*since));
	p->behind = update;
	p->count += !update;
	p->update_count += update;
	if (!update)
		p->sent_whole = now;
}

/*
 * Transforms and repeaters
 */

/* Bounds the cost of a large graph: its rate is limited to this */
enum { TRANSFORMS_A_SECOND = 10000 };

static int send_transforms(struct map_publisher *o, struct output *p)
{
	struct graph g;
	int err = graph_read(&g, o->site, o->config->frame);

	if (err)
		return err;
	o->message.tf = (struct message_transforms){
		message_list(g.link, g.nodes) };
	p->least = g.nodes * (1000000000ULL / TRANSFORMS_A_SECOND);
	err = g.nodes ? sink_publish(p->topic, io_now(), &o->message) :
			-ENODATA;
	graph_free(&g);
	return err;
}

struct points {
	struct message_point32	*point;
	unsigned int		count, room;
};

static int publisher_add_point(void *arg, double x, double y)
{
	struct points *all = arg;
	struct message_point32 *more;

	if (all->count == all->room) {
		more = realloc(all->point, (2 * all->room + 16) *
			       sizeof(*more));
		if (!more)
			return -ENOMEM;
		all->point = more;
		all->room = 2 * all->room + 16;
	}
	all->point[all->count++] = (struct message_point32){ x, y, 0 };
	return 0;
}

static int send_repeaters(struct map_publisher *o, struct output *p)
{
	const int64_t stamp = io_now();
	struct points all = { 0 };
	struct error error;
	int err = site_repeaters(o->site, publisher_add_point, &all, &error);

	if (!err) {
		o->message.polygon = (struct message_polygon){
			{ stamp, 0, message_string(o->config->frame) },
			message_list(all.point, all.count) };
		err = sink_publish(p->topic, stamp, &o->message);
	}
	free(all.point);
	return err;
}

static const struct {
	const char		*name;
	enum message_kind	kind;
	int (*send)(struct map_publisher *o, struct output *p);
} states[MAP_PUBLISHER_STATES] = {
	[MAP_PUBLISHER_TRANSFORMS] = { "submap_transform", MESSAGE_TRANSFORMS,
				send_transforms },
	[MAP_PUBLISHER_REPEATERS] = { "repeater_map", MESSAGE_POLYGON,
			       send_repeaters },
};

static void send_state(struct map_publisher *o, struct output *p, uint64_t now)
{
	p->changed = false;
	p->last = now;
	if (p->topic && states[p->state].send(o, p))
		p->skipped++;
	else
		p->count++;
}

/*
 * Timing
 */

static uint64_t period(const struct output *p)
{
	const uint64_t ns = 1e9 / p->rate;

	assert(p->rate > 0);

	return ns > p->least ? ns : p->least;
}

/* After a change; without one, the whole map after its updates */
static uint64_t publisher_due_of(const struct output *p)
{
	uint64_t due = 0;

	if (!(p->changed || p->behind) || p->rate <= 0)
		return LOOP_NEVER;
	if (p->last)
		due = p->last + period(p);
	if (!p->changed && due < p->sent_whole + whole)
		due = p->sent_whole + whole;
	return due;
}

static void publisher_on_timer(void *arg, uint64_t now)
{
	struct map_publisher *o = arg;
	uint64_t next = LOOP_NEVER;

	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		if (!p->is_map && p->state == MAP_PUBLISHER_STATES)
			continue;
		if (publisher_due_of(p) <= now && p->is_map)
			publisher_send_map(o, p, now);
		else if (publisher_due_of(p) <= now)
			send_state(o, p, now);
		if (publisher_due_of(p) < next)
			next = publisher_due_of(p);
	}
	o->timer.due = next;
}

void map_publisher_fused(struct map_publisher *o)
{
	place_layers(o);
	for (unsigned int i = 0; i < o->outputs; i++)
		o->output[i]->changed |= o->output[i]->is_map;
	publisher_on_timer(o, loop_now());
}

void map_publisher_stored(struct map_publisher *o,
			  enum map_publisher_state what)
{
	struct output *p = NULL;

	assert(what < MAP_PUBLISHER_STATES);
	for (unsigned int i = 0; i < o->outputs && !p; i++)
		if (!o->output[i]->is_map && o->output[i]->state == what)
			p = o->output[i];
	if (!p)
		p = add_output(o, states[what].name, states[what].kind, true,
			       false);
	if (!p)
		return;
	p->state = what;
	p->changed = true;
	publisher_on_timer(o, loop_now());
}

static int has_some(void *arg, double x, double y)
{
	(void)arg;
	(void)x;
	(void)y;
	return 1;
}

/* The latched state of the store from before the start */
static void add_states(struct map_publisher *o)
{
	struct error error;
	struct graph g;

	if (!graph_read(&g, o->site, o->config->frame)) {
		if (g.nodes)
			map_publisher_stored(o, MAP_PUBLISHER_TRANSFORMS);
		graph_free(&g);
	}
	if (site_repeaters(o->site, has_some, NULL, &error) == 1)
		map_publisher_stored(o, MAP_PUBLISHER_REPEATERS);
}

/*
 * Messages that are passed through
 */

int map_publisher_pass(struct map_publisher *o, const char *name,
		       enum message_kind kind, bool latched,
		       const union message *msg)
{
	const uint64_t now = loop_now();
	struct output *p = NULL;

	for (unsigned int i = 0; i < o->outputs && !p; i++)
		if (!strcmp(o->output[i]->name, name))
			p = o->output[i];
	if (!p)
		p = add_output(o, name, kind, latched, false);
	if (!p)
		return -ENOMEM;
	if (p->rate <= 0 ||
	    (p->rate < RATES_MAX && p->last && now - p->last < period(p))) {
		p->skipped++;
		return 0;
	}
	p->last = now;
	p->count++;
	return o->sink ? sink_publish(p->topic, io_now(), msg) : 0;
}

int map_publisher_rate(struct map_publisher *o, const char *topic, double hz,
		       double *old)
{
	char full[MAP_CONFIG_TEXT];

	if (!rates_valid(hz))
		return -EINVAL;
	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		if (strcmp(p->name, topic) &&
		    strcmp(topic_name(o, p->name, "", full), topic) &&
		    (strncmp(topic, MAP_PUBLISHER_PREFIX,
			     strlen(MAP_PUBLISHER_PREFIX)) ||
		     strcmp(topic + strlen(MAP_PUBLISHER_PREFIX), p->name)))
			continue;
		*old = p->rate;
		p->rate = hz;
		if (hz != *old)
			log_debug("%s: at most %g Hz, was %g: as was asked for",
				  p->name, hz, *old);
		o->keep(o->arg, p->name, hz);
		publisher_on_timer(o, loop_now());
		return 0;
	}
	return -ENOENT;
}

/*
 * Open and close
 */

int map_publisher_open(struct map_publisher **out, struct site *site,
		       struct loop *loop, struct sink *sink,
		       const struct map_config *config,
		       void (*keep)(void *arg, const char *name, double hz),
		       void *arg)
{
	struct map_publisher *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	*o = (struct map_publisher){
		.site = site,
		.loop = loop,
		.sink = sink,
		.config = config,
		.timer = { LOOP_NEVER, publisher_on_timer, o, NULL },
		.keep = keep,
		.arg = arg,
	};
	loop_add_timer(loop, &o->timer);
	place_layers(o);
	add_states(o);
	*out = o;
	return 0;
}

void map_publisher_close(struct map_publisher *o)
{
	if (!o)
		return;
	loop_remove_timer(o->loop, &o->timer);
	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		publisher_withdraw(p);
		free(p);
	}
	map_room_free(&o->room);
	free(o);
}

void map_publisher_status(const struct map_publisher *o, cJSON *out)
{
	cJSON *all = cJSON_AddArrayToObject(out, "topics");

	for (unsigned int i = 0; i < o->outputs; i++) {
		const struct output *p = o->output[i];
		char full[MAP_CONFIG_TEXT];
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name",
					topic_name(o, p->name, "", full));
		cJSON_AddNumberToObject(item, "rate", p->rate);
		cJSON_AddNumberToObject(item, "sent", p->count);
		cJSON_AddNumberToObject(item, "updates", p->update_count);
		cJSON_AddNumberToObject(item, "skipped", p->skipped);
		if (p->resolution > 0)
			cJSON_AddNumberToObject(item, "resolution",
						p->resolution);
		if (p->factor > 1)
			cJSON_AddNumberToObject(item, "coarser", p->factor);
		cJSON_AddItemToArray(all, item);
	}
}
