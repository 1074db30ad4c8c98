// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_config - layers and topics of a map, as configured
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/settings.h"
#include "map/ros/map_config.h"
#include "map/ros/wildcard.h"

enum { DEFAULTS = 12 };

/* D4.1, tables 1 to 3. The ranges are those of the configuration. */
static const struct map_config_layer default_layers[DEFAULTS] = {
	{ "slam_map", "input=slam_submap role=obstacle", false, 0 },
	{ "gas_*_map_*", "input=gas_*_submap_* role=gas bits=16 rule=mean unit=ppm", false, 0 },
	{ "smoke_map_remote", "input=smoke_submap_remote role=smoke rule=mean unit=%", false, 0 },
	{ "smoke_map_insitu", "input=smoke_submap_insitu role=smoke rule=mean unit=%", false, 0 },
	{ "smoke_map_fused", "input=smoke_submap_fused role=smoke rule=mean unit=%", false, 0 },
	{ "rf_signal_map", "input=rf_signal_submap role=signal rule=mean unit=dBm", false, 0 },
	{ "temp_map_remote", "input=temp_submap_remote role=temperature rule=mean unit=°C", false, 0 },
	{ "temp_map_insitu", "input=temp_submap_insitu role=temperature rule=mean unit=°C", false, 0 },
	{ "temp_map_fused", "input=temp_submap_fused role=temperature rule=mean unit=°C", false, 0 },
	{ "hazard_map", "input=hazard_map role=hazard", true, 0 },
	{ "nav_cost_map", "input=nav_cost_map role=cost", true, 0 },
	{ "teleop_map", "input=teleop_map role=cost", true, 0 },
};

void map_config_init(struct map_config *c)
{
	*c = (struct map_config){ .frame = "map", .rate = 1 };
	for (int i = 0; i < MODALITIES; i++)
		memcpy(c->range[i], modality_get(i)->range,
		       sizeof(c->range[i]));
}

/* The first word of a line. Return: the rest */
static const char *first_word(const char *line, char *word, size_t room)
{
	const size_t n = strcspn(line, " \t");

	if (!n || n >= room)
		return NULL;
	memcpy(word, line, n);
	word[n] = 0;
	return line + n + strspn(line + n, " \t");
}

/* The next word. Return: its length; 0: the end */
static size_t map_config_next_word(const char **words)
{
	*words += strspn(*words, " \t");
	return strcspn(*words, " \t");
}

/* Whether @words has the key of @word */
static bool has_key(const char *words, const char *word)
{
	const size_t key = strcspn(word, "=") + 1;

	for (size_t n; (n = map_config_next_word(&words)); words += n)
		if (n >= key && !strncmp(words, word, key))
			return true;
	return false;
}

static int map_config_add_word(char *words, size_t room, const char *word,
			       size_t n)
{
	const size_t len = strlen(words);

	return snprintf(words + len, room - len, "%s%.*s", len ? " " : "",
			(int)n, word) < (int)(room - len) ? 0 : -EINVAL;
}

/* Add the words of the default layer of this name that the user did not give */
static int begin_with_default(struct map_config_layer *l)
{
	char words[sizeof(l->words)];
	const char *at = words;
	int err = -ENOENT;

	l->own = strlen(l->words);
	for (unsigned int i = 0; err && i < DEFAULTS; i++)
		err = wildcard_fill(default_layers[i].name, l->name,
				    default_layers[i].words, words,
				    sizeof(words));
	if (err)
		return 0;
	for (size_t n; (n = map_config_next_word(&at)); at += n)
		if (!has_key(l->words, at) &&
		    map_config_add_word(l->words, sizeof(l->words), at, n))
			return -EINVAL;
	return 0;
}

int map_config_add_layer(struct map_config *c, const char *line, bool whole,
			 struct error *error)
{
	struct map_config_layer *l = &c->layer[c->layers];
	struct layer try;
	const char *words;

	error_set(error, 0,
		 "'%.80s' is not NAME KEY=VALUE ..., or there are "
		 "more than %d layers",
		 line, MAP_CONFIG_LAYERS);
	if (c->layers == MAP_CONFIG_LAYERS)
		return -EINVAL;
	words = first_word(line, l->name, sizeof(l->name));
	if (!words ||
	    settings_text(l->words, sizeof(l->words), *words ? words : " ") ||
	    begin_with_default(l))
		return -EINVAL;
	l->whole = whole;
	/* later lines may change ranges, but report errors now */
	if (map_config_make_layer(c, l, wildcard_example(l->name), &try, error))
		return -EINVAL;
	c->layers++;
	return 0;
}

static bool map_config_has_layer(const struct map_config *c, const char *name)
{
	for (unsigned int i = 0; i < c->layers; i++)
		if (!strcmp(c->layer[i].name, name))
			return true;
	return false;
}

void map_config_add_defaults(struct map_config *c)
{
	for (unsigned int i = 0; i < DEFAULTS; i++)
		if (c->layers < MAP_CONFIG_LAYERS &&
		    !map_config_has_layer(c, default_layers[i].name))
			c->layer[c->layers++] = default_layers[i];
}

/* The range of the layer's line has precedence over that of the options */
static void give_range(const struct map_config *c, struct layer *l)
{
	const double *range = c->range[l->modality];

	if (range[0] == range[1])
		return;
	l->low = range[0];
	l->high = range[1];
}

int map_config_make_layer(const struct map_config *c,
			  const struct map_config_layer *from, const char *name,
			  struct layer *l, struct error *error)
{
	char words[sizeof(from->words) + 4 * LAYER_NAME];
	int err;

	if (!layer_name_valid(name) ||
	    wildcard_fill(from->name, name, from->words, words, sizeof(words)))
		return error_set(error, -EINVAL, "'%.64s' is not a layer name",
				 name);
	err = layer_parse(l, name, words, error);
	if (!err && !has_key(words, "range="))
		give_range(c, l);
	return err;
}

const struct map_config_layer *map_config_find(const struct map_config *c,
					       const char *name)
{
	char text[LAYER_NAME];

	for (unsigned int i = 0; i < c->layers; i++)
		if (!wildcard_fill(c->layer[i].name, name, "", text,
				   sizeof(text)))
			return &c->layer[i];
	return NULL;
}

void map_config_input(const struct map_config_layer *l, char input[LAYER_NAME])
{
	const char *at = strstr(l->words, "input=");
	size_t n;

	snprintf(input, LAYER_NAME, "%s", l->name);
	if (!at || (at != l->words && at[-1] != ' ' && at[-1] != '\t'))
		return;
	at += strlen("input=");
	n = strcspn(at, " \t");
	if (n && n < LAYER_NAME) {
		memcpy(input, at, n);
		input[n] = 0;
	}
}

int map_config_name(const struct map_config *c, const char *input,
		    char name[LAYER_NAME])
{
	for (unsigned int i = 0; i < c->layers; i++) {
		char pattern[LAYER_NAME];

		map_config_input(&c->layer[i], pattern);
		if (!wildcard_fill(pattern, input, c->layer[i].name, name,
				   LAYER_NAME))
			return 0;
	}
	return -ENOENT;
}

void map_config_difference(const struct map_config_layer *from,
			   const struct layer *now, char words[512])
{
	const char *at = from->words, *end = at + from->own;
	char word[sizeof(from->words)];
	struct error error;

	*words = 0;
	for (size_t n; (n = map_config_next_word(&at)) && at < end; at += n) {
		struct layer l = *now;

		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		if (strncmp(word, "input=", strlen("input=")) &&
		    (layer_change(&l, word, &error) || !layer_same(&l, now)))
			map_config_add_word(words, 512, word, n);
	}
}

void map_config_update(const struct map_config *c,
		       const struct map_config_layer *from, struct layer *l)
{
	struct layer made;
	struct error error;

	if (map_config_make_layer(c, from, l->name, &made, &error))
		return;
	/* the layers of a wildcard may be those of one grid map */
	if (!wildcard_in(from->name))
		memcpy(l->input, made.input, sizeof(l->input));
	if (c->ranged[l->modality] && !has_key(from->words, "range="))
		give_range(c, l);
}

int map_config_add_remap(struct map_config *c, const char *text)
{
	const char *colon = strstr(text, ":=");
	struct map_config_remap *r = &c->remap[c->remaps];

	if (!colon || c->remaps == MAP_CONFIG_REMAPS || *text != '/' ||
	    colon[2] != '/' || (size_t)(colon - text) >= sizeof(r->from))
		return -EINVAL;
	memcpy(r->from, text, colon - text);
	r->from[colon - text] = 0;
	if (settings_text(r->to, sizeof(r->to), colon + 2))
		return -EINVAL;
	c->remaps++;
	return 0;
}

const char *map_config_topic(const struct map_config *c, const char *name)
{
	for (unsigned int i = 0; i < c->remaps; i++)
		if (!strcmp(c->remap[i].from, name))
			return c->remap[i].to;
	return name;
}
