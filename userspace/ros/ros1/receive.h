/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receive.h - the bytes of a publisher, cut into messages
 */
#ifndef ROS_ROS1_RECEIVE_H
#define ROS_ROS1_RECEIVE_H

struct source;

/* What is there now, within reason. @s may be gone or waiting afterwards. */
void receive_tcp(struct source *s);
void receive_udp(struct source *s);

/* No connection: log once, wait and try again. @s may be gone afterwards. */
void source_lost(struct source *s, const char *why);

#endif
