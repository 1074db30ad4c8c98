/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topics: which of them are sampled, and the file with the daemon's list for
 * other commands (JSON).
 */
#ifndef TOPICS_TOPICS_H
#define TOPICS_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "topics/topic_format.h"

enum { TOPIC_NAME = 256, TOPIC_GUID = 16, TOPIC_GUID_TEXT = 36 };

/**
 * struct topic - a writer and its topic, as announced by DDS
 * @guid:	of the writer, as on the wire
 * @name:	DDS name: rt/cam/image
 * @type:	DDS type: sensor_msgs::msg::dds_::Image_
 * @reliable:	QoS
 * @gone:	the writer ended; only its name is remembered
 * @foreign:	of a participant whose packets never leave by our interface
 * @durable:	QoS: TRANSIENT_LOCAL or more
 * @depth:	QoS: of its history, 0: KEEP_ALL
 * @format:	of its messages, see topic_format.h; empty: not known
 * @why_not:	why it is not sampled, NULL if it is
 * @judged:	@why_not is set
 * @newest:	of what waits only its last message is kept
 * @flow:	number of its writer in the classifier, 0: none yet
 */
struct topic {
	uint8_t		guid[TOPIC_GUID];
	char		name[TOPIC_NAME];
	char		type[TOPIC_NAME];
	bool		gone;
	bool		foreign;
	bool		reliable;
	bool		durable;
	int32_t		depth;
	char		format[TOPIC_FORMAT];
	const char	*why_not;
	bool		judged;
	bool		newest;
	uint32_t	flow;
};

/**
 * struct topic_list - topics, unordered
 * @v:		the array, owned
 * @n:		used elements
 * @room:	capacity
 * @slot:	hash table by guid with linear probing: index in @v + 1, 0: none
 * @slots:	its size, a power of two
 */
struct topic_list {
	struct topic	*v;
	size_t		n;
	size_t		room;
	uint32_t	*slot;
	size_t		slots;
};

/**
 * struct topic_rules - options of the user
 * @topics:	comma-separated patterns of topics, NULL: go by type
 * @types:	comma-separated patterns of types, NULL: the default list
 *
 * Names may be those of ROS or of DDS: /cam/image or rt/cam/image,
 * sensor_msgs/msg/Image or sensor_msgs::msg::dds_::Image_.
 */
struct topic_rules {
	const char	*topics;
	const char	*types;
};

/* Return: why @t must never be sampled, or NULL */
const char *topic_must_not(const struct topic *t);
/*
 * Is it a topic of commands, by its type? A command that waited through an
 * outage would drive the robot: only the newest one may wait, and not for long.
 */
bool topic_is_command(const struct topic *t);
/* Return: why @t is not sampled, NULL if it is */
const char *topic_why_not(const struct topic_rules *r, const struct topic *t);

/* ROS spelling of a DDS name or type, @to has TOPIC_NAME bytes */
void topic_ros_name(const char *name, char *to);
void topic_ros_type(const char *type, char *to);
void topic_guid_text(const uint8_t *guid, char text[TOPIC_GUID_TEXT]);

struct topic *topic_find(const struct topic_list *l, const uint8_t *guid);
/* Return: the entry to fill in, existing or new; never NULL */
struct topic *topic_get(struct topic_list *l, const uint8_t *guid);
void topic_drop(struct topic_list *l, const uint8_t *guid);
void topic_free(struct topic_list *l);

/*
 * -ENOENT if there is no file; @left_out: writers beyond the limit; @warnings:
 * free() it, or NULL
 */
int topic_load(const char *path, struct topic_list *l, size_t *left_out,
	       char **warnings);
/* Return: 0 or a negative errno: the old file is unchanged */
int topic_save(const char *path, const struct topic_list *l, size_t left_out,
	       const char *warnings, struct error *error);

/* DDS domain from the environment (ROS_DOMAIN_ID), else 0 */
uint32_t topics_domain(void);

#endif
