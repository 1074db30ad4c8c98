// SPDX-License-Identifier: GPL-2.0-only
/*
 * outlet - what goes out, each at its rate
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "daemon/service.h"
#include "ends/ends.h"
#include "gdim/map_message.h"
#include "gdimd/graph.h"
#include "gdimd/outlet.h"
#include "gdimd/rates.h"

enum {
	TOPICS		= 512,
	NAME		= 2 * LAYER_NAME,
};

static const uint64_t whole = 10 * 1000000000ULL;	/* ns */

/**
 * struct output - a topic
 * @layer:	number, or -1: something is passed through, or
 * @state:	of the store, if @layer is -1; OUTLET_STATES: none
 * @since:	see site_changes(): what was sent
 * @sent_whole:	when, CLOCK_MONOTONIC
 * @last:	when anything was sent
 * @behind:	updates were sent since: who comes late gets an older map
 * @too_large:	cells of a map that is not sent, and was told of; 0: it is
 */
struct output {
	char			name[NAME];
	struct sink_topic	*topic, *updates;
	enum message_kind	kind;
	int			layer;
	enum outlet_state	state;
	uint64_t		least;	/* ns between two messages */
	double			rate;
	uint64_t		since, sent_whole, last;
	struct rect		bounds;
	bool			changed, behind;
	uint64_t		count, update_count, skipped, too_large;
};

struct outlet {
	struct site		*site;
	struct loop		*loop;
	struct sink		*sink;
	const struct config	*config;
	struct loop_timer	timer;
	struct output		*output[TOPICS];
	unsigned int		outputs;
	unsigned int		layers;		/* that have an output */
	void			(*keep)(void *arg, const char *name, double hz);
	void			*arg;
	struct map_room		room;
	union message		message;
};

static const char *topic_name(const struct outlet *o, const char *name,
			      const char *more, char full[CONFIG_TEXT])
{
	char own[CONFIG_TEXT];

	snprintf(own, sizeof(own), "%s%s", OUTLET_PREFIX, name);
	snprintf(full, CONFIG_TEXT, "%s%s", config_topic(o->config, own), more);
	return full;
}

static int offer(struct outlet *o, struct output *p, bool latched)
{
	char full[CONFIG_TEXT];

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

static struct output *add_output(struct outlet *o, const char *name,
				 enum message_kind kind, bool latched,
				 int layer)
{
	struct output *p;

	if (o->outputs == TOPICS)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct output){ .kind = kind, .layer = layer,
			      .state = OUTLET_STATES,
			      .rate = layer < 0 ? CONFIG_RATE_MAX : o->config->rate };
	p->rate = rates_kept(o->site, name, p->rate);
	snprintf(p->name, sizeof(p->name), "%s", name);
	if (offer(o, p, latched)) {
		free(p);
		return NULL;
	}
	o->output[o->outputs++] = p;
	return p;
}

static void add_layers(struct outlet *o)
{
	const unsigned int layers = site_layers(o->site);

	for (; o->layers < layers; o->layers++) {
		struct layer l;

		site_layer(o->site, o->layers, &l);
		add_output(o, l.name, map_message_kind(l.bits), true,
			   o->layers);
	}
}

/* A layer may have got other bits: its maps are of another type then */
static void follow_kind(struct outlet *o, struct output *p)
{
	enum message_kind kind;
	struct layer l;

	site_layer(o->site, p->layer, &l);
	kind = map_message_kind(l.bits);
	if (kind == p->kind)
		return;
	if (p->topic)
		sink_remove(p->topic);
	if (p->updates)
		sink_remove(p->updates);
	p->topic = p->updates = NULL;
	p->kind = kind;
	p->since = p->sent_whole = 0;
	p->bounds = (struct rect){ 0 };
	offer(o, p, true);
}

/*
 * Maps
 */

static void add_area(void *arg, const struct rect *tile)
{
	struct rect *all = arg;

	*all = rect_union(all, tile);
}

/* Cells of @rect, as they are now. Return: 0 or a negative errno */
static int read_cells(struct outlet *o, const struct output *p,
		      const struct rect *rect, struct raster *r)
{
	const size_t n = (size_t)rect->width * rect->height;
	int err = map_room_reserve(&o->room, n);

	if (err)
		return err;
	*r = (struct raster){ .rect = *rect, .cells = o->room.cells };
	return site_read(o->site, p->layer, r);
}

static int send_whole(struct outlet *o, struct output *p,
		      const struct raster *r)
{
	const int64_t stamp = ends_now();

	map_message(&o->room, r, stamp, o->config->frame, &o->message);
	return sink_publish(p->topic, stamp, &o->message);
}

static int send_update(struct outlet *o, struct output *p,
		       const struct raster *r)
{
	const int64_t stamp = ends_now();

	map_message_update(&o->room, r, &p->bounds, stamp, o->config->frame,
			   &o->message);
	return sink_publish(p->updates, stamp, &o->message);
}

/* Told once, and when it is over */
static void tell_size(struct output *p, const struct rect *r, bool fits)
{
	const bool told = p->too_large;

	p->too_large = fits ? 0 : (uint64_t)r->width * r->height;
	if (!fits && !told)
		service_logf(LOG_WARNING, "%s is not published: a map of %u x "
			     "%u cells, %d at most", p->name, r->width,
			     r->height, MAP_MESSAGE_CELLS);
	else if (fits && told)
		service_logf(LOG_INFO, "%s is published again", p->name);
}

static bool same(const struct rect *a, const struct rect *b)
{
	return a->x == b->x && a->y == b->y && a->width == b->width &&
	       a->height == b->height;
}

/* Of a map, all of it or @area, what changed since @p->since */
static int send_part(struct outlet *o, struct output *p,
		     const struct rect *bounds, const struct rect *area,
		     bool update)
{
	struct raster r;
	int err = read_cells(o, p, update ? area : bounds, &r);

	tell_size(p, bounds, err != -E2BIG);
	/* not fused anew yet */
	if (!err && map_message_kind(r.bits) != p->kind)
		err = -EAGAIN;
	if (err)
		return err;
	p->bounds = *bounds;
	return update ? send_update(o, p, &r) : send_whole(o, p, &r);
}

static void send_map(struct outlet *o, struct output *p, uint64_t now)
{
	const struct rect bounds = site_bounds(o->site, p->layer);
	const bool old = p->behind && now - p->sent_whole >= whole;
	struct rect area = { 0 };
	uint64_t since;
	bool update;

	p->changed = false;
	follow_kind(o, p);
	since = site_changes(o->site, p->layer, p->since, add_area, &area);
	if (rect_is_empty(&bounds) || (rect_is_empty(&area) && !old) ||
	    !p->topic) {
		p->behind &= !old;
		return;
	}
	update = p->updates && same(&bounds, &p->bounds) && p->sent_whole &&
		 now - p->sent_whole < whole;
	p->last = now;
	if (send_part(o, p, &bounds, &area, update)) {
		p->skipped++;
		return;
	}
	p->since = since;
	p->behind = update;
	p->count += !update;
	p->update_count += update;
	if (!update)
		p->sent_whole = now;
}

/*
 * Transforms and repeaters
 */

/* What a large graph may cost: of so many transforms a second, none more */
enum { TRANSFORMS_A_SECOND = 10000 };

static int send_transforms(struct outlet *o, struct output *p)
{
	struct graph g;
	int err = graph_read(&g, o->site, o->config->frame);

	if (err || !g.nodes)
		return err ? err : -ENODATA;
	o->message.tf = (struct message_transforms){
		message_list(g.link, g.nodes) };
	p->least = g.nodes * (1000000000ULL / TRANSFORMS_A_SECOND);
	err = sink_publish(p->topic, ends_now(), &o->message);
	graph_free(&g);
	return err;
}

struct points {
	struct message_point32	*point;
	unsigned int		count, room;
};

static int add_point(void *arg, double x, double y)
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

static int send_repeaters(struct outlet *o, struct output *p)
{
	const int64_t stamp = ends_now();
	struct points all = { 0 };
	char error[SITE_ERROR];
	int err = site_repeaters(o->site, add_point, &all, error);

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
	int			(*send)(struct outlet *o, struct output *p);
} states[OUTLET_STATES] = {
	[OUTLET_TRANSFORMS] = { "submap_transform", MESSAGE_TRANSFORMS,
				send_transforms },
	[OUTLET_REPEATERS] = { "repeater_map", MESSAGE_POLYGON,
			       send_repeaters },
};

static void send_state(struct outlet *o, struct output *p, uint64_t now)
{
	p->changed = false;
	p->last = now;
	if (p->topic && states[p->state].send(o, p))
		p->skipped++;
	else
		p->count++;
}

/*
 * When
 */

static uint64_t period(const struct output *p)
{
	const uint64_t ns = 1e9 / p->rate;

	return ns > p->least ? ns : p->least;
}

/* When it changed; or, with nothing new, whole behind its updates */
static uint64_t due_of(const struct output *p)
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

static void on_timer(void *arg, uint64_t now)
{
	struct outlet *o = arg;
	uint64_t next = LOOP_NEVER;

	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		if (p->layer < 0 && p->state == OUTLET_STATES)
			continue;
		if (due_of(p) <= now && p->layer >= 0)
			send_map(o, p, now);
		else if (due_of(p) <= now)
			send_state(o, p, now);
		if (due_of(p) < next)
			next = due_of(p);
	}
	o->timer.due = next;
}

void outlet_fused(struct outlet *o)
{
	add_layers(o);
	for (unsigned int i = 0; i < o->outputs; i++)
		o->output[i]->changed |= o->output[i]->layer >= 0;
	on_timer(o, loop_now());
}

void outlet_stored(struct outlet *o, enum outlet_state what)
{
	struct output *p = NULL;

	for (unsigned int i = 0; i < o->outputs && !p; i++)
		if (o->output[i]->layer < 0 && o->output[i]->state == what)
			p = o->output[i];
	if (!p)
		p = add_output(o, states[what].name, states[what].kind, true,
			       -1);
	if (!p)
		return;
	p->state = what;
	p->changed = true;
	on_timer(o, loop_now());
}

static int has_some(void *arg, double x, double y)
{
	(void)arg;
	(void)x;
	(void)y;
	return 1;
}

/* What the store had before, for who wants it now */
static void add_states(struct outlet *o)
{
	char error[SITE_ERROR];
	struct graph g;

	if (!graph_read(&g, o->site, o->config->frame)) {
		if (g.nodes)
			outlet_stored(o, OUTLET_TRANSFORMS);
		graph_free(&g);
	}
	if (site_repeaters(o->site, has_some, NULL, error) == 1)
		outlet_stored(o, OUTLET_REPEATERS);
}

/*
 * What is passed through
 */

int outlet_pass(struct outlet *o, const char *name, enum message_kind kind,
		bool latched, const union message *msg)
{
	const uint64_t now = loop_now();
	struct output *p = NULL;

	for (unsigned int i = 0; i < o->outputs && !p; i++)
		if (!strcmp(o->output[i]->name, name))
			p = o->output[i];
	if (!p)
		p = add_output(o, name, kind, latched, -1);
	if (!p)
		return -ENOMEM;
	if (p->rate <= 0 || (p->rate < CONFIG_RATE_MAX && p->last &&
			     now - p->last < period(p))) {
		p->skipped++;
		return 0;
	}
	p->last = now;
	p->count++;
	return o->sink ? sink_publish(p->topic, ends_now(), msg) : 0;
}

int outlet_rate(struct outlet *o, const char *topic, double hz, double *old)
{
	char full[CONFIG_TEXT];

	if (!config_rate_valid(hz))
		return -EINVAL;
	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		if (strcmp(p->name, topic) &&
		    strcmp(topic_name(o, p->name, "", full), topic) &&
		    (strncmp(topic, OUTLET_PREFIX, strlen(OUTLET_PREFIX)) ||
		     strcmp(topic + strlen(OUTLET_PREFIX), p->name)))
			continue;
		*old = p->rate;
		p->rate = hz;
		o->keep(o->arg, p->name, hz);
		on_timer(o, loop_now());
		return 0;
	}
	return -ENOENT;
}

/*
 * Begin and end
 */

int outlet_open(struct outlet **outlet, struct site *site, struct loop *loop,
		struct sink *sink, const struct config *config,
		void (*keep)(void *arg, const char *name, double hz), void *arg)
{
	struct outlet *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	*o = (struct outlet){
		.site = site, .loop = loop, .sink = sink,
		.config = config, .timer = { LOOP_NEVER, on_timer, o, NULL },
		.keep = keep, .arg = arg,
	};
	loop_add_timer(loop, &o->timer);
	add_layers(o);
	add_states(o);
	*outlet = o;
	return 0;
}

void outlet_close(struct outlet *o)
{
	if (!o)
		return;
	loop_remove_timer(o->loop, &o->timer);
	for (unsigned int i = 0; i < o->outputs; i++) {
		struct output *p = o->output[i];

		if (p->topic)
			sink_remove(p->topic);
		if (p->updates)
			sink_remove(p->updates);
		free(p);
	}
	map_room_free(&o->room);
	free(o);
}

void outlet_status(const struct outlet *o, cJSON *out)
{
	cJSON *all = cJSON_AddArrayToObject(out, "topics");

	for (unsigned int i = 0; i < o->outputs; i++) {
		const struct output *p = o->output[i];
		char full[CONFIG_TEXT];
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name",
					topic_name(o, p->name, "", full));
		cJSON_AddNumberToObject(item, "rate", p->rate);
		cJSON_AddNumberToObject(item, "sent", p->count);
		cJSON_AddNumberToObject(item, "updates", p->update_count);
		cJSON_AddNumberToObject(item, "skipped", p->skipped);
		if (p->too_large)
			cJSON_AddNumberToObject(item, "too_large",
						p->too_large);
		cJSON_AddItemToArray(all, item);
	}
}
