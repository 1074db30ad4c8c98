/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topics: which of them are sampled, and the file in which the daemon tells
 * the other commands what it found (DEV.topics, JSON).
 */
#ifndef OPTSAMPLE_CTL_TOPICS_H
#define OPTSAMPLE_CTL_TOPICS_H

#include "ctl.h"

enum { TOPIC_NAME = 256, TOPIC_GUID = 16, TOPIC_GUID_TEXT = 36 };

/**
 * struct topic - a writer and its topic, as DDS announced it
 * @guid:	of the writer, as on the wire
 * @name:	DDS name: rt/cam/image
 * @type:	DDS type: sensor_msgs::msg::dds_::Image_
 * @reliable:	QoS
 * @gone:	there is no such writer any more; only its name is remembered
 * @foreign:	of a participant whose packets never leave by our interface
 * @durable:	QoS: TRANSIENT_LOCAL or more
 * @depth:	QoS: of its history, 0: KEEP_ALL
 * @why_not:	why it is not sampled, NULL if it is
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
	const char	*why_not;
};

/**
 * struct topic_list - topics, in no order
 * @v:		the array, owned
 * @n:		used of it
 * @room:	elements of it
 * @slot:	by a hash of the guid, and those behind it: index in @v + 1, 0: none
 * @slots:	how many, a power of two
 */
struct topic_list {
	struct topic	*v;
	size_t		n;
	size_t		room;
	uint32_t	*slot;
	size_t		slots;
};

/**
 * struct topic_rules - what the user wants
 * @topics:	comma-separated patterns of topics, NULL: go by type
 * @types:	comma-separated patterns of types, NULL: the default list
 *
 * Names may be given as ROS or as DDS has them: /cam/image or rt/cam/image,
 * sensor_msgs/msg/Image or sensor_msgs::msg::dds_::Image_.
 */
struct topic_rules {
	const char	*topics;
	const char	*types;
};

/* Return: why @t must never be sampled, or NULL */
const char *topic_must_not(const struct topic *t);
/* Return: why @t is not sampled, NULL if it is */
const char *topic_why_not(const struct topic_rules *r, const struct topic *t);

/* ROS spelling of a DDS name or type, @to has TOPIC_NAME bytes */
void topic_ros_name(const char *name, char *to);
void topic_ros_type(const char *type, char *to);
void topic_guid_text(const uint8_t *guid, char text[TOPIC_GUID_TEXT]);

struct topic *topic_find(const struct topic_list *l, const uint8_t *guid);
/* Return: the entry to fill in, new or known; never NULL */
struct topic *topic_get(struct topic_list *l, const uint8_t *guid);
void topic_drop(struct topic_list *l, const uint8_t *guid);
void topic_free(struct topic_list *l);

/*
 * -ENOENT if the daemon wrote none; @left_out: writers there is no room for;
 * @warnings: to be freed, or NULL
 */
int topic_load(const char *dev, struct topic_list *l, size_t *left_out,
	       char **warnings);
int topic_save(const char *dev, const struct topic_list *l, size_t left_out,
	       const char *warnings);

#endif
