// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which topics are sampled. Opt in: images, clouds and scans by type, or topics
 * of the user. Of commands, by type, the newest one is kept. Never topics that need every message: services, actions, latched
 * topics, ROS's own topics.
 */
#include <cjson/cJSON.h>
#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "bpf/ros_tag.h"
#include "topics/topic_format.h"
#include "topics/topics.h"

static const char topic_default_types[] =
	"sensor_msgs/msg/Image,sensor_msgs/msg/CompressedImage,"
	"sensor_msgs/msg/PointCloud2,sensor_msgs/msg/LaserScan,"
	"point_cloud_interfaces/msg/CompressedPointCloud2";

static const char topic_command_types[] =
	"geometry_msgs/msg/Twist,geometry_msgs/msg/TwistStamped,"
	"ackermann_msgs/msg/AckermannDrive,"
	"ackermann_msgs/msg/AckermannDriveStamped,"
	"sensor_msgs/msg/Joy,control_msgs/msg/JointJog,"
	"trajectory_msgs/msg/JointTrajectory,"
	"trajectory_msgs/msg/MultiDOFJointTrajectory";

static const struct {
	const char	*pattern;
	const char	*why;
} topic_never[] = {
	{ "ros_discovery_info", "ROS needs every message" },
	{ "rq/*", "service request" },
	{ "rr/*", "service reply" },
	{ "rt/tf_static", "ROS needs every message" },
	{ "rt/rosout", "ROS needs every message" },
	{ "rt/parameter_events", "ROS needs every message" },
	{ "rt/*/_action/*", "action" },
	/* of ROS 1 */
	{ "/tf_static", "ROS needs every message" },
	{ "/rosout*", "ROS needs every message" },
};

void topic_ros_name(const char *name, char *to)
{
	bool ros = !strncmp(name, "rt/", 3);

	snprintf(to, TOPIC_NAME, "%s", ros ? name + 2 : name);
}

/* pkg::msg::dds_::Type_ is pkg/msg/Type */
void topic_ros_type(const char *type, char *to)
{
	const char *dds = strstr(type, "::dds_::");
	const char *colon = strstr(type, "::");
	size_t n = strlen(type);

	if (!dds || colon == dds || type[n - 1] != '_') {
		snprintf(to, TOPIC_NAME, "%s", type);
		return;
	}
	snprintf(to, TOPIC_NAME, "%.*s/%.*s/%.*s", (int)(colon - type), type,
		 (int)(dds - colon - 2), colon + 2,
		 (int)(type + n - 1 - dds - 8), dds + 8);
}

void topic_guid_text(const uint8_t *guid, char text[TOPIC_GUID_TEXT])
{
	for (int i = 0; i < TOPIC_GUID; i++)
		text += sprintf(text, "%s%02x", i && i % 4 == 0 ? "." : "",
				guid[i]);
}

static bool topic_matches(const char *patterns, const char *a, const char *b)
{
	char one[TOPIC_NAME];
	size_t n;

	for (; *patterns; patterns += n + !!patterns[n]) {
		n = strcspn(patterns, ",");
		snprintf(one, sizeof(one), "%.*s", (int)n, patterns);
		if (!fnmatch(one, a, 0) || !fnmatch(one, b, 0))
			return true;
	}
	return false;
}

const char *topic_must_not(const struct topic *t)
{
	for (size_t i = 0; i < sizeof(topic_never) / sizeof(*topic_never);
	     i++)
		if (!fnmatch(topic_never[i].pattern, t->name, 0))
			return topic_never[i].why;
	if (t->durable)
		return "TRANSIENT_LOCAL: late readers need it";
	return topic_format_has(t->type) ? topic_format_why(t->format, true) :
					   NULL;
}

bool topic_is_command(const struct topic *t)
{
	char ros[TOPIC_NAME];

	topic_ros_type(t->type, ros);
	return topic_matches(topic_command_types, t->type, ros);
}

const char *topic_why_not(const struct topic_rules *r, const struct topic *t)
{
	const char *why = topic_must_not(t);
	char ros[TOPIC_NAME];

	if (why)
		return why;
	if (r->topics) {
		topic_ros_name(t->name, ros);
		return topic_matches(r->topics, t->name, ros) ? NULL :
		       "not in --topics";
	}
	topic_ros_type(t->type, ros);
	if (!topic_matches(r->types ? r->types : topic_default_types, t->type,
			   ros))
		return "type is not in the list";
	return topic_format_has(t->type) ? topic_format_why(t->format, false) :
					   NULL;
}

/*
 * Lists
 */

static size_t topic_slot(const struct topic_list *l, const uint8_t *guid)
{
	uint32_t word[TOPIC_GUID / 4], h = 0;

	memcpy(word, guid, sizeof(word));
	for (int i = 0; i < TOPIC_GUID / 4; i++)
		h = ros_hash(h, word[i]);
	return ros_hash(h, 0) & (l->slots - 1);
}

static void topic_index(struct topic_list *l, size_t i)
{
	size_t s = topic_slot(l, l->v[i].guid);

	/* a free slot ends each search */
	assert(l->n <= l->room && l->room < l->slots);
	while (l->slot[s])
		s = (s + 1) & (l->slots - 1);
	l->slot[s] = i + 1;
}

static void topic_index_all(struct topic_list *l)
{
	memset(l->slot, 0, l->slots * sizeof(*l->slot));
	for (size_t i = 0; i < l->n; i++)
		topic_index(l, i);
}

/* Double the topics; four slots for each */
static void topic_grow(struct topic_list *l)
{
	l->room = l->room ? 2 * l->room : 32;
	l->slots = 4 * l->room;
	l->v = realloc(l->v, l->room * sizeof(*l->v));
	l->slot = realloc(l->slot, l->slots * sizeof(*l->slot));
	if (!l->v || !l->slot)
		abort();
	topic_index_all(l);
}

struct topic *topic_find(const struct topic_list *l, const uint8_t *guid)
{
	size_t s;

	if (!l->n)
		return NULL;
	for (s = topic_slot(l, guid); l->slot[s]; s = (s + 1) & (l->slots - 1))
		if (!memcmp(l->v[l->slot[s] - 1].guid, guid, TOPIC_GUID))
			return &l->v[l->slot[s] - 1];
	return NULL;
}

struct topic *topic_get(struct topic_list *l, const uint8_t *guid)
{
	struct topic *t = topic_find(l, guid);

	if (t)
		return t;
	if (l->n == l->room)
		topic_grow(l);
	assert(l->n < l->room);
	t = &l->v[l->n++];
	memset(t, 0, sizeof(*t));
	memcpy(t->guid, guid, TOPIC_GUID);
	topic_index(l, l->n - 1);
	assert(topic_find(l, guid) == t);
	return t;
}

void topic_drop(struct topic_list *l, const uint8_t *guid)
{
	struct topic *t = topic_find(l, guid);

	if (!t)
		return;
	assert(t >= l->v && t < l->v + l->n);
	*t = l->v[--l->n];
	topic_index_all(l);
}

void topic_free(struct topic_list *l)
{
	free(l->v);
	free(l->slot);
	memset(l, 0, sizeof(*l));
}

/*
 * File
 */

static cJSON *topic_json(const struct topic *t)
{
	char guid[TOPIC_GUID_TEXT];
	cJSON *o = cJSON_CreateObject();

	topic_guid_text(t->guid, guid);
	cJSON_AddStringToObject(o, "guid", guid);
	cJSON_AddStringToObject(o, "topic", t->name);
	cJSON_AddStringToObject(o, "type", t->type);
	if (*t->format)
		cJSON_AddStringToObject(o, "format", t->format);
	cJSON_AddBoolToObject(o, "sampled", !t->why_not);
	cJSON_AddBoolToObject(o, "newest", !t->why_not && t->newest);
	if (t->why_not)
		cJSON_AddStringToObject(o, "why_not", t->why_not);
	return o;
}

/* What the daemon knows, as JSON; free() it */
static char *topic_list_json(const struct topic_list *l, size_t left_out,
			     const char *warnings)
{
	cJSON *root = cJSON_CreateObject(), *list;
	char *text;

	list = cJSON_AddArrayToObject(root, "topics");
	for (size_t i = 0; i < l->n; i++)
		cJSON_AddItemToArray(list, topic_json(&l->v[i]));
	cJSON_AddNumberToObject(root, "left_out", left_out);
	if (warnings && *warnings)
		cJSON_AddStringToObject(root, "warnings", warnings);
	text = cJSON_Print(root);
	cJSON_Delete(root);
	if (!text)
		abort();
	return text;
}

static int topic_write_error(const char *path, struct error *error)
{
	int err = -errno;

	return error_set(error, err, "cannot write %s: %s", path,
			 strerror(-err));
}

int topic_save(const char *path, const struct topic_list *l, size_t left_out,
	       const char *warnings, struct error *error)
{
	char temp[PATH_MAX], *text;
	FILE *f;

	snprintf(temp, sizeof(temp), "%s.new", path);
	f = fopen(temp, "we");
	if (!f)
		return topic_write_error(temp, error);
	text = topic_list_json(l, left_out, warnings);
	fprintf(f, "%s\n", text);
	free(text);
	if (fclose(f) || rename(temp, path))
		return topic_write_error(path, error);
	return 0;
}

static bool topic_guid_parse(const char *text, uint8_t *guid)
{
	unsigned int byte;

	for (int i = 0; i < TOPIC_GUID; i++) {
		if (*text == '.')
			text++;
		if (sscanf(text, "%2x", &byte) != 1)
			return false;
		guid[i] = byte;
		text += 2;
	}
	return true;
}

static void topics_topic_parse(struct topic_list *l, const cJSON *o)
{
	const char *guid = cJSON_GetStringValue(cJSON_GetObjectItem(o, "guid"));
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(o,
								    "topic"));
	const char *type = cJSON_GetStringValue(cJSON_GetObjectItem(o, "type"));
	uint8_t id[TOPIC_GUID];
	struct topic *t;

	if (!guid || strlen(guid) != TOPIC_GUID_TEXT - 1 || !name || !type ||
	    !topic_guid_parse(guid, id))
		return;
	t = topic_get(l, id);
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->type, sizeof(t->type), "%s", type);
}

int topic_load(const char *path, struct topic_list *l, size_t *left_out,
	       char **warnings)
{
	char *text = NULL;
	const char *words;
	size_t size = 0;
	cJSON *root, *o;
	FILE *f;

	*left_out = 0;
	*warnings = NULL;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	root = cJSON_Parse(text ? text : "");
	free(text);
	cJSON_ArrayForEach(o, cJSON_GetObjectItem(root, "topics"))
		topics_topic_parse(l, o);
	o = cJSON_GetObjectItem(root, "left_out");
	if (cJSON_IsNumber(o) && o->valuedouble > 0)
		*left_out = o->valuedouble;
	words = cJSON_GetStringValue(cJSON_GetObjectItem(root, "warnings"));
	if (words)
		*warnings = strdup(words);
	cJSON_Delete(root);
	return 0;
}

uint32_t topics_domain(void)
{
	const char *s = getenv("ROS_DOMAIN_ID");
	uint32_t domain = 0;

	if (s && parse_u32(s, 0, 232, &domain))
		domain = 0;
	return domain;
}
