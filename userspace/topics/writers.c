// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map `writers`, which outlives the daemon.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "bpf/ros_tag.h"
#include "topics/topics.h"
#include "topics/writers.h"

int writers_add(struct writers *w, struct topic *t, const struct rule *rule,
		struct error *error)
{
	__u8 by = rule ? rule->r.by : ROS_BY_NUMBER;
	__u8 profile = rule ? rule->r.profile : 0;
	struct ros_writer v;

	assert(!t->why_not);
	if (bpf_map_lookup_elem(w->map, t->guid, &v))
		v = (struct ros_writer){ .flow = t->flow ?: ++w->flow };
	else if (v.by != by || v.profile != profile)
		w->changed = true;
	t->flow = v.flow;
	v.by = by;
	v.profile = profile;
	if (!bpf_map_update_elem(w->map, t->guid, &v, BPF_ANY))
		return 0;
	return error_set(error, errno == E2BIG ? -ENOSPC : -errno,
			 "cannot sample a writer: %s",
			 errno == E2BIG ? "the map of writers is full" :
			 strerror(errno));
}

void writers_remove(struct writers *w, const uint8_t *guid)
{
	if (!bpf_map_delete_elem(w->map, guid))
		w->changed = true;
}

/* Does the slot @r say what `writers` says? */
static bool writers_agree(const struct writers *w, const struct ros_recent *r)
{
	struct ros_writer v;

	if (r->name.kind >= ROS_SEGMENT)
		return true;
	return !bpf_map_lookup_elem(w->map, &r->name.writer, &v) &&
	       v.by == ROS_BY_NUMBER &&
	       v.profile == (__u8)(r->mark >> 8);
}

/*
 * The program may change the slot meanwhile: then its flow is looked up once
 * more than needed, or its newest number goes back by a message, which only a
 * retransmission of that message would notice.
 */
static void writers_free_slot(struct writers *w, uint32_t slot)
{
	struct ros_recent r;

	if (bpf_map_lookup_elem_flags(w->recent, &slot, &r, BPF_F_LOCK) ||
	    !r.check || writers_agree(w, &r))
		return;
	r.check = 0;
	bpf_map_update_elem(w->recent, &slot, &r, BPF_F_LOCK);
}

void writers_apply(struct writers *w)
{
	if (!w->changed)
		return;
	w->changed = false;
	for (uint32_t slot = 0; slot < ROS_RECENT_MAX; slot++)
		writers_free_slot(w, slot);
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
			writers_remove(w, (void *)&keys[i]);
	}
}
