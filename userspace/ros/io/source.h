/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - sources of messages: ROS 2, ROS 1, recordings, files
 *
 * Out: serialized messages of the subscribed topics, one callback for each,
 * from within the loop.
 */
#ifndef ROS_IO_SOURCE_H
#define ROS_IO_SOURCE_H

#include <stdbool.h>
#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

struct source;

/**
 * struct source_message - valid during the callback
 * @topic:	its name, absolute
 * @stamp:	when the source received it, ns since the epoch: for kinds
 *		without a header
 */
struct source_message {
	const char		*topic;
	enum message_kind	kind;
	enum message_format	format;
	const void		*data;
	size_t			len;
	int64_t			stamp;
};

/**
 * struct source_config - a source
 * @spec:	the user's text: ros2, ros2:DOMAIN, ros1, ros1:URI; a recording
 *		(bag.h); an image, a cloud, a map (.png, .pgm, .pcd), or a
 *		folder of such, played in the order of their names
 * @name:	of the node
 * @speed:	of recordings, 1 is the original speed
 * @rate:	of files, Hz
 * @start:	seconds to skip at the start of a recording
 * @loop:	repeat at the end. Stamps go on: in the second pass they are
 *		later by the length of the recording
 * @rewinds:	with @loop: a recording is at its end after each pass, and
 *		@ended seeks to its begin, so that stamps do not go on
 * @message:	called for each message of subscribed topics
 * @found:	called for a new topic without a subscription: may subscribe
 *		with
 *		source_subscribe(), at once. May be NULL
 * @skipped:	a recording goes on at @stamp, as nothing was recorded for more
 *		than an hour before it: a pause, or a wrong time. May be NULL
 * @ended:	the source is at its end; not with ROS
 * @log:	one line, @priority of syslog(3)
 * @arg:	for all of them
 */
struct source_config {
	const char	*spec;
	const char	*name;
	double		speed, rate, start;
	bool		loop, rewinds;
	void		(*message)(void *arg, const struct source_message *m);
	void		(*found)(void *arg, const char *topic,
				 enum message_kind kind);
	void		(*skipped)(void *arg, int64_t stamp);
	void		(*ended)(void *arg);
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
};

/**
 * source_open() - open a source
 * @config: copied, except the strings, which are not needed afterwards
 * @error: gets one line
 *
 * Recordings and files begin to play in the first turn of the loop. A gap of
 * more than an hour in a recording is not waited for; the first few are logged.
 *
 * Return: 0; -EPROTONOSUPPORT: an unknown kind; others of the kind.
 */
int source_open(struct source **s, struct loop *loop,
		const struct source_config *config, struct error *error);

/**
 * source_subscribe() - subscribe to a topic
 * @kind: enum message_kind, or -1: any kind below MESSAGE_KINDS
 *
 * It need not exist yet. A topic of another kind is logged once and ignored.
 *
 * Return: 0; -EEXIST: subscribed already; -EINVAL: an invalid name; -ENOENT: a
 * recording without this topic; -EPROTOTYPE: has another kind.
 */
int source_subscribe(struct source *s, const char *topic, int kind);

/**
 * source_subscribe_all() - as source_subscribe(), without loss
 *
 * For recording. With ROS 2 all losses of a RELIABLE writer are repaired, and
 * samples wait in memory until the loop takes them; older samples of a
 * TRANSIENT_LOCAL writer are read as well: only for topics whose messages are
 * taken without delay. Samples that a writer could not repair, or of a
 * BEST_EFFORT writer, are counted and logged, once for each topic.
 */
int source_subscribe_all(struct source *s, const char *topic, int kind);

/**
 * struct source_playback - where a recording is being played
 * @paused:	by source_pause()
 * @speed:	1 is the original speed
 * @time:	stamp that is played now, ns. In every pass of a recording that
 *		repeats it is the one in the recording
 * @begin, @end: stamps of its first and last message, ns. Some first messages
 *		whose time is years before that of the others do not count
 * @ended:	all was played, and it does not repeat
 */
struct source_playback {
	bool	paused;
	double	speed;
	int64_t	time, begin, end;
	bool	ended;
};

/**
 * source_playback() - where a recording is being played
 *
 * Return: 0; -EOPNOTSUPP: no recording, but ROS or files.
 */
int source_playback(const struct source *s, struct source_playback *p);

/**
 * source_pause() - stop playing, or go on where it stopped
 *
 * Intervals between messages do not change: the pause is only added.
 * Within struct source_config.message() it holds from the next message on.
 *
 * Return: 0; -EOPNOTSUPP: no recording.
 */
int source_pause(struct source *s, bool pause);

/**
 * source_speed() - change the speed from now on
 * @speed: 0.001 .. 1e6, 1 is the original speed
 *
 * Return: 0; -ERANGE; -EOPNOTSUPP: no recording.
 */
int source_speed(struct source *s, double speed);

/**
 * source_seek() - play on from another place
 * @stamp: of the recording, ns; clamped to its begin and end. An earlier start
 *	than that of struct source_config is possible
 *
 * Takes effect in the next turn of the loop; of several in one turn the last
 * one counts. First comes the state before @stamp: of each subscribed topic of
 * maps, paths, camera infos, joint states and transforms, or that is latched in
 * the recording, the last message before @stamp; of transforms, which have
 * several publishers, the last eight. Then the messages from @stamp on with
 * their timing. While paused only the state comes, and the last message before
 * @stamp of each other subscribed topic, so that it can be shown. After the end it plays
 * again, and struct source_config.ended() is called again.
 *
 * Errors of the file are logged.
 *
 * Return: 0; -EOPNOTSUPP: no recording.
 */
int source_seek(struct source *s, int64_t stamp);

/* Lost messages of source_subscribe_all() */
uint64_t source_messages_lost(const struct source *s);

void source_unsubscribe(struct source *s, const char *topic);

void source_close(struct source *s);

#endif
