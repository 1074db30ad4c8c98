// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map `writers`, which outlives the daemon.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include "writers.h"

int writers_add(struct writers *w, const uint8_t *guid,
		const struct rule *rule)
{
	__u8 by = rule ? rule->r.by : ROS_BY_NUMBER;
	struct ros_writer v;

	/*
	 * A known writer keeps its number and the program's state; but a flow
	 * must not mix positions of two units.
	 */
	if (bpf_map_lookup_elem(w->map, guid, &v) || v.by != by)
		v = (struct ros_writer){ .flow = ++w->flow };
	v.by = by;
	v.profile = rule ? rule->r.profile : 0;
	if (!bpf_map_update_elem(w->map, guid, &v, BPF_ANY))
		return 0;
	if (!w->full)
		cli_warn("cannot sample a writer: %s",
			 errno == E2BIG ? "the map of writers is full" :
			 strerror(errno));
	w->full = true;
	return -ENOSPC;
}

void writers_remove(struct writers *w, const uint8_t *guid)
{
	bpf_map_delete_elem(w->map, guid);
}

void writers_inherit(struct writers *w)
{
	struct ros_writer v;
	struct ros_guid key;
	void *prev = NULL;

	while (!bpf_map_get_next_key(w->map, prev, &key)) {
		if (!bpf_map_lookup_elem(w->map, &key, &v) && v.flow > w->flow)
			w->flow = v.flow;
		prev = &key;
	}
}

void writers_sweep(struct writers *w, const struct topic_list *topics)
{
	static struct ros_guid keys[ROS_WRITERS_MAX];
	const struct topic *t;
	void *prev = NULL;
	int n = 0;

	while (n < ROS_WRITERS_MAX &&
	       !bpf_map_get_next_key(w->map, prev, &keys[n]))
		prev = &keys[n++];
	for (int i = 0; i < n; i++) {
		t = topic_find(topics, (void *)&keys[i]);
		if (!t || t->why_not)
			bpf_map_delete_elem(w->map, &keys[i]);
	}
}
