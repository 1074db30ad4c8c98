/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rabbitmq.h - the headers of rabbitmq-c, which have other names since 0.12
 */
#ifndef CLUSTER_RABBITMQ_H
#define CLUSTER_RABBITMQ_H

#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#endif

#endif
