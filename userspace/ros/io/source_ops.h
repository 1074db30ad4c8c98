/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_ops.h - the interface of a kind of source
 *
 * A kind of source embeds struct source as its first member and frees it all
 * in close(). source.c checks names.
 */
#ifndef ROS_IO_SOURCE_OPS_H
#define ROS_IO_SOURCE_OPS_H

#include "base/error.h"
#include "ros/io/io.h"
#include "ros/io/source.h"

/**
 * struct source_ops
 * @open: @rest follows the colon of the spec, or is a path
 * @subscribe: @all: see source_subscribe_all()
 * @lost: NULL: always 0
 * @playback, @pause, @speed, @seek: of recordings; NULL: -EOPNOTSUPP. @speed is
 *	in the range
 */
struct source_ops {
	int	(*open)(struct source **s, struct loop *loop, const char *rest,
			const struct source_config *config,
			struct error *error);
	int	(*subscribe)(struct source *s, const char *topic, int kind,
			     bool all);
	void	(*unsubscribe)(struct source *s, const char *topic);
	uint64_t (*lost)(const struct source *s);
	void	(*playback)(const struct source *s, struct source_playback *p);
	void	(*pause)(struct source *s, bool pause);
	void	(*speed)(struct source *s, double speed);
	void	(*seek)(struct source *s, int64_t stamp);
	void	(*close)(struct source *s);
};

struct source {
	const struct source_ops	*ops;
	struct loop		*loop;
	struct source_config	config;
};

extern const struct source_ops ros2_source_ops, ros1_source_ops,
			       bag_source_ops, file_source_ops;

/* Whether the name is that of an image, a cloud or a map */
bool file_source_knows(const char *path);

__attribute__((format(printf, 3, 4)))
void source_log(const struct source *s, int priority, const char *format, ...);

#endif
