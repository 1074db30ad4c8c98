// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_reader - a RELIABLE reader gets all that is written after its match
 *
 * There is no setting for it: the code sets the flags that Cyclone DDS uses for
 * its own writers and for TRANSIENT_LOCAL ones.
 */
#include <assert.h>
#include <string.h>
#include "ros/io/ros2_reader.h"

enum { WRITERS = 256 };		/* of one topic, known when a reader is made */

/*
 * For writers that are found later; known ones are returned to the caller.
 * Return: how many.
 */
static int ask_from_first(struct ddsi_reader *r, ddsi_guid_t known[WRITERS])
{
	const struct ddsi_rd_pwr_match *m;
	ddsrt_avl_iter_t i;
	int n = 0;

	ddsrt_mutex_lock(&r->e.lock);
	r->handle_as_transient_local = 1;
	for (m = ddsrt_avl_iter_first(&ddsi_rd_writers_treedef, &r->writers,
				      &i); m && n < WRITERS;
	     m = ddsrt_avl_iter_next(&i))
		known[n++] = m->pwr_guid;
	assert(n <= WRITERS);
	ddsrt_mutex_unlock(&r->e.lock);
	return n;
}

/* Treat its next heartbeat as its second: missing samples are requested */
static void skip_first_heartbeat(struct ddsi_proxy_writer *w)
{
	/* from its own writers Cyclone accepts nothing before the first one */
	if (vendor_is_eclipse(w->c.vendor))
		return;
	ddsrt_mutex_lock(&w->e.lock);
	w->have_seen_heartbeat = 1;
	ddsrt_mutex_unlock(&w->e.lock);
}

void ros2_reader_keep_first(dds_entity_t reader,
			    const struct ddsi_sertype *type)
{
	const struct ddsi_domaingv *domain = ddsrt_atomic_ldvoidp(&type->gv);
	struct thread_state *thread = lookup_thread_state();
	ddsi_guid_t known[WRITERS], guid;
	struct ddsi_proxy_writer *w;
	struct ddsi_reader *r;
	dds_guid_t public;

	if (!domain || dds_get_guid(reader, &public))
		return;
	memcpy(&guid, &public, sizeof(guid));
	guid = nn_ntoh_guid(guid);
	/* entities are not freed until the thread is asleep again */
	thread_state_awake(thread, domain);
	r = entidx_lookup_reader_guid(domain->entity_index, &guid);
	for (int n = r ? ask_from_first(r, known) : 0; n--; ) {
		w = entidx_lookup_proxy_writer_guid(domain->entity_index,
						    &known[n]);
		if (w)
			skip_first_heartbeat(w);
	}
	thread_state_asleep(thread);
}
