// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in topics of Cyclone DDS lack the locators. It has them in its own
 * data of the participant, see ros/io/cyclone.h.
 */
#include <string.h>
#include <sys/socket.h>
#include "base/ip_addr.h"
#include "ros/io/cyclone.h"
#include "topics/locators.h"

/* Return: false for an address without a route to look up */
static bool locators_addr(const ddsi_locator_t *l, struct ip_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (l->kind == NN_LOCATOR_KIND_UDPv4) {
		a->family = AF_INET;
		memcpy(a->addr, l->address + 12, 4);
		return a->addr[0] != 0 && a->addr[0] < 224;
	}
	a->family = AF_INET6;
	memcpy(a->addr, l->address, 16);
	/* link-local addresses are on every interface */
	return l->kind == NN_LOCATOR_KIND_UDPv6 && a->addr[0] != 0xff &&
	       !(a->addr[0] == 0xfe && (a->addr[1] & 0xc0) == 0x80);
}

static int locators_take(const nn_locators_t *l, struct ip_addr *a, int max)
{
	int n = 0;

	for (const struct nn_locators_one *o = l->first; o && n < max;
	     o = o->next)
		n += locators_addr(&o->loc, &a[n]);
	return n;
}

static ddsi_guid_t locators_guid(const uint8_t *guid)
{
	ddsi_guid_t g;

	/* in host byte order */
	for (int i = 0; i < 3; i++)
		g.prefix.u[i] = (uint32_t)guid[4 * i] << 24 |
				guid[4 * i + 1] << 16 | guid[4 * i + 2] << 8 |
				guid[4 * i + 3];
	g.entityid.u = 0x1c1;	/* of every participant */
	return g;
}

int locators_find(const uint8_t *guid, struct ip_addr *a, int max)
{
	struct thread_state *self = lookup_thread_state();
	/* left by the last call into DDS */
	const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp(&self->gv);
	const struct ddsi_proxy_participant *p;
	ddsi_guid_t g = locators_guid(guid);
	int n = 0;

	if (!gv)
		return 0;
	/* It is not freed while this thread is awake. */
	thread_state_awake(self, gv);
	p = entidx_lookup_proxy_participant_guid(gv->entity_index, &g);
	if (p && p->plist->present & PP_DEFAULT_UNICAST_LOCATOR)
		n = locators_take(&p->plist->default_unicast_locators, a, max);
	if (p && p->plist->present & PP_METATRAFFIC_UNICAST_LOCATOR)
		n += locators_take(&p->plist->metatraffic_unicast_locators,
				   a + n, max - n);
	thread_state_asleep(self);
	return n;
}
