// SPDX-License-Identifier: GPL-2.0-only
/*
 * lifecycle.c - a table of transitions
 */
#include <errno.h>
#include "apps/slamd/lifecycle.h"

static const char *const labels[] = {
	[LIFECYCLE_UNCONFIGURED] = "unconfigured",
	[LIFECYCLE_INACTIVE] = "inactive",
	[LIFECYCLE_ACTIVE] = "active",
	[LIFECYCLE_FINALIZED] = "finalized",
};

/* TRANSITION_... of lifecycle_msgs/Transition */
static const struct {
	uint8_t			id;
	const char		*label;
	enum lifecycle_state	from, to;
} transitions[] = {
	{ 1, "configure", LIFECYCLE_UNCONFIGURED, LIFECYCLE_INACTIVE },
	{ 2, "cleanup", LIFECYCLE_INACTIVE, LIFECYCLE_UNCONFIGURED },
	{ 3, "activate", LIFECYCLE_INACTIVE, LIFECYCLE_ACTIVE },
	{ 4, "deactivate", LIFECYCLE_ACTIVE, LIFECYCLE_INACTIVE },
	{ 5, "shutdown", LIFECYCLE_UNCONFIGURED, LIFECYCLE_FINALIZED },
	{ 6, "shutdown", LIFECYCLE_INACTIVE, LIFECYCLE_FINALIZED },
	{ 7, "shutdown", LIFECYCLE_ACTIVE, LIFECYCLE_FINALIZED },
};

enum { TRANSITIONS = sizeof(transitions) / sizeof(*transitions) };

int lifecycle_change(enum lifecycle_state state,
		     const struct service_state *transition)
{
	for (unsigned int i = 0; i < TRANSITIONS; i++)
		if (transitions[i].from == state &&
		    (transition->id ? transition->id == transitions[i].id :
				      message_string_is(&transition->label,
							transitions[i].label)))
			return transitions[i].to;
	return -EINVAL;
}

struct service_state lifecycle_describe(enum lifecycle_state state)
{
	return (struct service_state){ state, message_string(labels[state]) };
}

void lifecycle_states(struct service_states_response *r)
{
	r->count = 0;
	for (unsigned int i = LIFECYCLE_UNCONFIGURED; i <= LIFECYCLE_FINALIZED;
	     i++)
		r->state[r->count++] = lifecycle_describe(i);
}

void lifecycle_transitions(enum lifecycle_state state,
			   struct service_transitions_response *r)
{
	r->count = 0;
	for (unsigned int i = 0; i < TRANSITIONS; i++)
		if (transitions[i].from == state)
			r->transition[r->count++] = (struct service_transition){
				{ transitions[i].id,
				  message_string(transitions[i].label) },
				lifecycle_describe(state),
				lifecycle_describe(transitions[i].to),
			};
}
