// SPDX-License-Identifier: GPL-2.0-only
/*
 * query_edges - the edges of the pose graph as JSON
 */
#include <errno.h>
#include "map/site/queries.h"
#include "map/store/store_edge.h"

struct edge_list {
	cJSON		*list;
	unsigned int	loops, waiting;
};

static int add_edge(void *arg, const struct store_edge *e)
{
	struct edge_list *to = arg;
	cJSON *item = cJSON_CreateObject();

	if (!item)
		return -ENOMEM;
	cJSON_AddStringToObject(item, "from", e->from);
	cJSON_AddStringToObject(item, "to", e->to);
	cJSON_AddStringToObject(item, "kind", e->loop ? "loop" : "odometry");
	cJSON_AddBoolToObject(item, "waiting", e->waiting);
	cJSON_AddNumberToObject(item, "x", e->transform.x);
	cJSON_AddNumberToObject(item, "y", e->transform.y);
	cJSON_AddNumberToObject(item, "yaw", e->transform.yaw);
	cJSON_AddItemToObject(item, "covariance",
			      cJSON_CreateDoubleArray(e->covariance, 6));
	cJSON_AddItemToArray(to->list, item);
	to->loops += e->loop;
	to->waiting += e->waiting;
	return 0;
}

int query_edges(struct site *s, cJSON *out, struct error *error)
{
	struct edge_list to = { .list = cJSON_CreateArray() };
	const int err = site_edges(s, add_edge, &to, error);

	if (err) {
		cJSON_Delete(to.list);
		return err;
	}
	cJSON_AddNumberToObject(out, "edges", cJSON_GetArraySize(to.list));
	cJSON_AddNumberToObject(out, "loops", to.loops);
	cJSON_AddNumberToObject(out, "waiting", to.waiting);
	cJSON_AddItemToObject(out, "list", to.list);
	return 0;
}
