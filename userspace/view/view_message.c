// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_message - a received message, shared by the history and all clients
 */
#include <stdlib.h>
#include "view/view_message.h"

struct view_message *view_message_create(size_t len)
{
	struct view_message *m = malloc(sizeof(*m) + len);

	if (!m)
		return NULL;
	*m = (struct view_message){ .users = 1, .len = len };
	return m;
}

struct view_message *view_message_get(struct view_message *m)
{
	__atomic_add_fetch(&m->users, 1, __ATOMIC_RELAXED);
	return m;
}

void view_message_put(struct view_message *m)
{
	if (m && !__atomic_sub_fetch(&m->users, 1, __ATOMIC_ACQ_REL))
		free(m);
}
