// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_graph - the endpoints of our participant, as ParticipantEntitiesInfo
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/wire.h"
#include "ros/io/ros2_graph.h"

enum {
	ENDPOINTS	= 1024,		/* more are not published */
	NAME_MAX_ROS	= 255,		/* of a node, and of a namespace */
	GID		= 16,
	GID_BEFORE_IRON	= 24,
	ENTITY_KIND	= 15,		/* byte of a GUID, as below */
	WRITER		= 0x03,		/* both without keys */
	READER		= 0x04,
};

struct gids {
	dds_guid_t	guid[ENDPOINTS];
	unsigned int	count;
};

/**
 * struct ros2_graph - our published graph
 * @space:	the namespace, with its slash
 * @said:	the last message, @len bytes
 */
struct ros2_graph {
	struct ros2			*ros;
	char				space[NAME_MAX_ROS + 1];
	char				name[NAME_MAX_ROS + 1];
	unsigned int			gid;
	dds_entity_t			topic, writer;
	const struct ddsi_sertype	*type;
	struct gids			readers, writers;
	uint8_t				*said;
	size_t				len;
};

/*
 * Endpoints
 */

static bool is_of_ros(dds_entity_t endpoint)
{
	dds_entity_t topic = dds_get_topic(endpoint);
	char name[4] = "";

	/* cut off, but the start is enough */
	if (topic < 0 || dds_get_name(topic, name, sizeof(name)) < 0)
		return false;
	return !strncmp(name, "rt/", 3) || !strncmp(name, "rq/", 3) ||
	       !strncmp(name, "rr/", 3);
}

static void note_endpoint(struct ros2_graph *g, dds_entity_t endpoint)
{
	struct gids *to = NULL;
	dds_guid_t guid;

	if (dds_get_guid(endpoint, &guid) < 0)
		return;
	if (guid.v[ENTITY_KIND] == READER)
		to = &g->readers;
	else if (guid.v[ENTITY_KIND] == WRITER)
		to = &g->writers;
	assert(!to || to->count <= ENDPOINTS);
	if (to && to->count < ENDPOINTS && is_of_ros(endpoint))
		to->guid[to->count++] = guid;
}

/* Endpoints are the children of our publishers and subscribers */
static int find_endpoints(struct ros2_graph *g)
{
	dds_entity_t *groups, *ends;
	int n, m;

	g->readers.count = g->writers.count = 0;
	groups = malloc(2 * ENDPOINTS * sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	ends = groups + ENDPOINTS;
	n = dds_get_children(ros2_participant(g->ros), groups, ENDPOINTS);
	for (int i = 0; i < n && i < ENDPOINTS; i++) {
		m = dds_get_children(groups[i], ends, ENDPOINTS);
		for (int j = 0; j < m && j < ENDPOINTS; j++)
			note_endpoint(g, ends[j]);
	}
	free(groups);
	return n < 0 ? ros2_errno(n) : 0;
}

/*
 * Encoding: all sizes are multiples of four
 */

static size_t put_gid(const struct ros2_graph *g, const dds_guid_t *guid,
		      uint8_t *to)
{
	assert(g->gid >= sizeof(guid->v));
	memset(to, 0, g->gid);
	memcpy(to, guid->v, sizeof(guid->v));
	return g->gid;
}

static size_t put_gids(const struct ros2_graph *g, const struct gids *gids,
		       uint8_t *to)
{
	size_t at = 4;

	assert(gids->count <= ENDPOINTS);
	put_le32(to, gids->count);
	for (unsigned int i = 0; i < gids->count; i++)
		at += put_gid(g, &gids->guid[i], to + at);
	return at;
}

static size_t put_string(const char *s, uint8_t *to)
{
	size_t n = strlen(s) + 1;

	put_le32(to, n);
	memset(to + 4 + (n - 1) / 4 * 4, 0, 4);
	memcpy(to + 4, s, n);
	return 4 + (n + 3) / 4 * 4;
}

static size_t ros2_graph_put_message(const struct ros2_graph *g, uint8_t *to)
{
	dds_guid_t self = { { 0 } };
	size_t at = 4;

	memcpy(to, "\0\1\0\0", 4);
	dds_get_guid(ros2_participant(g->ros), &self);
	at += put_gid(g, &self, to + at);
	put_le32(to + at, 1);
	at += 4;
	at += put_string(g->space, to + at);
	at += put_string(g->name, to + at);
	at += put_gids(g, &g->readers, to + at);
	at += put_gids(g, &g->writers, to + at);
	return at;
}

int ros2_graph_update(struct ros2_graph *g)
{
	struct ddsi_serdata *d;
	uint8_t *bytes, *message;
	size_t room, len;
	int err = find_endpoints(g);

	if (err)
		return err;
	message = malloc(64 + 2 * (NAME_MAX_ROS + 8) + g->gid *
			 (g->readers.count + g->writers.count));
	if (!message)
		return -ENOMEM;
	len = ros2_graph_put_message(g, message);
	if (g->said && len == g->len && !memcmp(message, g->said, len)) {
		free(message);
		return 0;
	}
	d = ros2_type_data(g->type, len);
	if (!d) {
		free(message);
		return -ENOMEM;
	}
	bytes = ros2_type_bytes(d, &room);
	memcpy(bytes, message, len);
	err = dds_writecdr(g->writer, d);
	if (err < 0) {
		free(message);
		return ros2_errno(err);
	}
	free(g->said);
	g->said = message;
	g->len = len;
	return 0;
}

/*
 * Beginning and end
 */

static int split_name(struct ros2_graph *g, const char *node)
{
	const char *slash = strrchr(node, '/');
	const char *name = slash ? slash + 1 : node;
	char full[2 * NAME_MAX_ROS + 4];
	size_t space = slash ? slash - node : 0;

	if (strlen(name) > NAME_MAX_ROS || space > NAME_MAX_ROS)
		return -EINVAL;
	snprintf(full, sizeof(full), "%s%s", slash ? "" : "/", node);
	if (!io_valid_name(full))
		return -EINVAL;
	strcpy(g->name, name);
	snprintf(g->space, sizeof(g->space), "%.*s", (int)space, node);
	if (!space)
		strcpy(g->space, "/");
	return 0;
}

static unsigned int gid_bytes(void)
{
	static const char *const before[] = { "foxy", "galactic", "humble" };
	const char *distro = getenv("ROS_DISTRO");

	for (int i = 0; distro && i < 3; i++)
		if (!strcmp(distro, before[i]))
			return GID_BEFORE_IRON;
	return GID;
}

static dds_return_t make_writer(struct ros2_graph *g)
{
	static const char type[] =
		"rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";
	dds_qos_t *qos;

	g->topic = ros2_type_topic(ros2_participant(g->ros),
				   "ros_discovery_info", type, &g->type);
	if (g->topic < 0)
		return g->topic;
	qos = dds_create_qos();
	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, 0);
	dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
	dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST, 1,
				    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED,
				    DDS_LENGTH_UNLIMITED);
	dds_qset_writer_data_lifecycle(qos, false);
	g->writer = dds_create_writer(ros2_participant(g->ros), g->topic, qos,
				      NULL);
	dds_delete_qos(qos);
	return g->writer;
}

int ros2_graph_open(struct ros2_graph **graph, struct ros2 *ros,
		    const char *node, struct error *error)
{
	struct ros2_graph *g = calloc(1, sizeof(*g));
	dds_return_t ret;
	int err;

	if (!g)
		return error_set(error, -ENOMEM, "no memory");
	g->ros = ros;
	g->gid = gid_bytes();
	if (split_name(g, node)) {
		free(g);
		return error_set(error, -EINVAL,
				 "invalid node name '%s'", node);
	}
	ret = make_writer(g);
	err = ret < 0 ? ros2_errno(ret) : ros2_graph_update(g);
	if (err) {
		ros2_graph_close(g);
		return error_set(error, err, "ros_discovery_info: %s",
				 strerror(-err));
	}
	*graph = g;
	return 0;
}

void ros2_graph_close(struct ros2_graph *g)
{
	if (!g)
		return;
	if (g->writer > 0)
		dds_delete(g->writer);
	if (g->topic > 0)
		dds_delete(g->topic);
	free(g->said);
	free(g);
}
