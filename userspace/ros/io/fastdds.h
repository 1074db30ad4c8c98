/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fastdds.h - the interface between a program and fastdds.so
 *
 * Fast DDS, the default middleware of ROS 2, identifies the request of an
 * answer in the inline QoS of a sample (PID_RELATED_SAMPLE_IDENTITY). The C API
 * of Cyclone DDS 0.10 cannot write that: it only writes a key hash and a status
 * there. So answers to clients of Fast DDS are sent by endpoints of Fast DDS,
 * in a plug-in, because only it needs that library.
 */
#ifndef ROS_IO_FASTDDS_H
#define ROS_IO_FASTDDS_H

#include <stddef.h>
#include <stdint.h>

enum {
	FASTDDS_ABI	= 1,
	FASTDDS_ID	= 24,	/* bytes: GUID and number of a request */
};

/**
 * struct fastdds_service - a service
 * @request_topic, @request_type, @reply_topic, @reply_type: as DDS has them
 * @request:	called in a thread of Fast DDS: @len bytes with their
 *		encapsulation; @id identifies the request for
 *		fastdds_ops.answer, @sample is its writer and its number there
 */
struct fastdds_service {
	const char	*request_topic, *request_type;
	const char	*reply_topic, *reply_type;
	void		(*request)(void *arg, const uint8_t id[FASTDDS_ID],
				   const uint8_t sample[FASTDDS_ID],
				   const void *data, size_t len);
	void		*arg;
};

/**
 * struct fastdds_ops - the symbol fastdds_ops of the plug-in
 * @enter:	a domain, as @node. Return: 0; a negative errno
 * @offer:	a service. Return: 0; a negative errno
 * @answer:	Return: 0; -EAGAIN: the client has no reader yet
 * @withdraw:	its @request is not called any more after the return
 */
struct fastdds_ops {
	unsigned int	abi;
	int		(*enter)(void **domain, uint32_t id, const char *node);
	void		(*leave)(void *domain);
	int		(*offer)(void **service, void *domain,
				 const struct fastdds_service *s);
	int		(*answer)(void *service, const uint8_t id[FASTDDS_ID],
				  const void *data, size_t len);
	void		(*withdraw)(void *service);
};

#endif
