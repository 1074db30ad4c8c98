// SPDX-License-Identifier: GPL-2.0-only
/*
 * source - choose the kind of source for a spec
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/error.h"
#include "ros/io/source_ops.h"

void source_log(const struct source *s, int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	io_log(s->config.log, s->config.arg, priority, format, args);
	va_end(args);
}

/* This form rejects NAN, too */
static bool source_is_speed(double speed)
{
	return speed >= 1e-3 && speed <= 1e6;
}

static int source_check(const struct source_config *c, struct error *error)
{
	if (!c->spec || !*c->spec)
		return error_set(error, -EINVAL, "missing source");
	if (!source_is_speed(c->speed))
		return error_set(error, -EINVAL,
				 "speed must be 0.001..1000000");
	if (!(c->rate >= 1e-3 && c->rate <= 1e4))
		return error_set(error, -EINVAL,
				 "rate must be 0.001..10000 Hz");
	if (!(c->start >= 0 && c->start <= 1e9))
		return error_set(error, -EINVAL,
				 "start must be at least 0 s");
	return 0;
}

/* A recording, or files: by the name, otherwise by the contents */
static int source_open_path(struct source **s, struct loop *loop,
			    const struct source_config *c,
			    struct error *error)
{
	struct stat st;
	int err;

	if (stat(c->spec, &st))
		return error_set(error, -errno, "%s: %s", c->spec,
				 strerror(errno));
	if (S_ISREG(st.st_mode) && file_source_knows(c->spec))
		return file_source_ops.open(s, loop, c->spec, c, error);
	err = bag_source_ops.open(s, loop, c->spec, c, error);
	if (err == -EPROTONOSUPPORT && S_ISDIR(st.st_mode))
		return file_source_ops.open(s, loop, c->spec, c, error);
	return err;
}

int source_open(struct source **s, struct loop *loop,
		const struct source_config *config, struct error *error)
{
	const char *rest;
	int err;

	*s = NULL;
	*error->text = '\0';
	err = source_check(config, error);
	if (err)
		return err;
	if (io_is(config->spec, "ros2", &rest))
		return ros2_source_ops.open(s, loop, rest, config, error);
	if (io_is(config->spec, "ros1", &rest))
		return ros1_source_ops.open(s, loop, rest, config, error);
	return source_open_path(s, loop, config, error);
}

static int subscribe(struct source *s, const char *topic, int kind, bool all)
{
	if (!io_valid_name(topic) || kind < -1 || kind >= MESSAGE_TYPES)
		return -EINVAL;
	return s->ops->subscribe(s, topic, kind, all);
}

int source_subscribe(struct source *s, const char *topic, int kind)
{
	return subscribe(s, topic, kind, false);
}

int source_subscribe_all(struct source *s, const char *topic, int kind)
{
	return subscribe(s, topic, kind, true);
}

uint64_t source_messages_lost(const struct source *s)
{
	return s->ops->lost ? s->ops->lost(s) : 0;
}

int source_playback(const struct source *s, struct source_playback *p)
{
	if (!s->ops->playback)
		return -EOPNOTSUPP;
	s->ops->playback(s, p);
	return 0;
}

int source_pause(struct source *s, bool pause)
{
	if (!s->ops->pause)
		return -EOPNOTSUPP;
	s->ops->pause(s, pause);
	return 0;
}

int source_speed(struct source *s, double speed)
{
	if (!s->ops->speed)
		return -EOPNOTSUPP;
	if (!source_is_speed(speed))
		return -ERANGE;
	s->ops->speed(s, speed);
	return 0;
}

int source_seek(struct source *s, int64_t stamp)
{
	if (!s->ops->seek)
		return -EOPNOTSUPP;
	s->ops->seek(s, stamp);
	return 0;
}

void source_unsubscribe(struct source *s, const char *topic)
{
	s->ops->unsubscribe(s, topic);
}

void source_close(struct source *s)
{
	if (s)
		s->ops->close(s);
}
