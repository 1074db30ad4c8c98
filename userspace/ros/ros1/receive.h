/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receive.h - split the bytes of a publisher into messages
 */
#ifndef ROS_ROS1_RECEIVE_H
#define ROS_ROS1_RECEIVE_H

#include <sys/types.h>

struct source;

/* TCPROS: read what is there into @s->stream. Return: NULL; or why it is lost */
const char *receive_tcp(struct source *s);
/*
 * Return: bytes of the header in @s->stream, with the 4 of its length; 0: it is
 * incomplete; -EPROTO: too long
 */
ssize_t receive_header(const struct source *s);
/* Deliver the complete messages in @s->stream */
void receive_messages(struct source *s);

/* UDPROS: read what is there, up to a limit, and deliver it */
void receive_udp(struct source *s);

#endif
