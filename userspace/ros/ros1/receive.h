/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receive.h - split the bytes of a publisher into messages
 */
#ifndef ROS_ROS1_RECEIVE_H
#define ROS_ROS1_RECEIVE_H

struct source;

/* Read what is there, up to a limit. @s may be freed or waiting afterwards. */
void receive_tcp(struct source *s);
void receive_udp(struct source *s);

/* Connection lost: log once, wait and retry. @s may be freed afterwards. */
void source_lost(struct source *s, const char *why);

#endif
