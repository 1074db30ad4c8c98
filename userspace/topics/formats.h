/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats of DDS topics, see topic_format.h: a reader for each topic until all
 * of its writers have written a message. Only for topics that somebody else
 * reads, as some nodes encode nothing until they have a reader.
 */
#ifndef TOPICS_FORMATS_H
#define TOPICS_FORMATS_H

#include <dds/dds.h>
#include "topics/topics.h"

struct formats;

/* @waitset: wakes up for messages. Return: NULL: no memory */
struct formats *formats_open(dds_entity_t participant, dds_entity_t waitset);
/* Before the participant is deleted */
void formats_close(struct formats *f);
/* A writer is new or changed; its format is filled in if it is known */
void formats_topic(struct formats *f, struct topic *t);
void formats_gone(struct formats *f, const uint8_t *guid);
/* Read messages. @on_format: called for each writer whose format is now known */
void formats_poll(struct formats *f,
		  void (*on_format)(void *arg, const struct topic *topic),
		  void *arg);

#endif
