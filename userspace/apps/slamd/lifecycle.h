/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lifecycle.h - states of a managed node of ROS 2, as nav2's lifecycle manager
 * changes them
 *
 *	unconfigured --configure--> inactive --activate--> active
 *	             <--cleanup----          <-deactivate-
 *
 * shutdown leads from each of them to finalized, for good.
 */
#ifndef APPS_SLAMD_LIFECYCLE_H
#define APPS_SLAMD_LIFECYCLE_H

#include "ros/msg/service_types.h"

/* PRIMARY_STATE_... of lifecycle_msgs/State */
enum lifecycle_state {
	LIFECYCLE_UNCONFIGURED = 1,
	LIFECYCLE_INACTIVE = 2,
	LIFECYCLE_ACTIVE = 3,
	LIFECYCLE_FINALIZED = 4,
};

/**
 * lifecycle_change() - the state after a transition
 * @transition: by its id; if that is 0, by its label
 *
 * Return: enum lifecycle_state; -EINVAL: there is no such transition from
 * @state.
 */
int lifecycle_change(enum lifecycle_state state,
		     const struct service_state *transition);

/* With its label */
struct service_state lifecycle_describe(enum lifecycle_state state);

/* All states */
void lifecycle_states(struct service_states_response *r);

/* Transitions from a state */
void lifecycle_transitions(enum lifecycle_state state,
			   struct service_transitions_response *r);

#endif
