/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - which topics the library samples, and how.
 *
 * Text in, a table out:
 *
 *	/camera/rgb:sync=cam,/camera/depth*:sync=cam,/scan:limit=50:policy=gap
 *
 * A pattern is as in fnmatch(3), but a star also matches slashes; options
 * follow. The first pattern that matches a topic is used.
 */
#ifndef OPTSAMPLE_ROS1_RULES_H
#define OPTSAMPLE_ROS1_RULES_H

#include <optsample/sampler.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct rule - one entry
 * @pattern: of topics
 * @sync: group whose topics keep the same stamps, NULL: none
 * @policy: which message is discarded when the queue is full
 * @limit: messages, 0: the publisher's queue_size
 * @refill: R in percent
 */
struct rule {
	const char *pattern;
	const char *sync;
	enum optsample_policy policy;
	u32 limit;
	u32 refill;
};

/**
 * struct rules - the list of rules
 * @v: the table, and @text the storage of its strings; both owned
 * @n: number of rules
 */
struct rules {
	struct rule *v;
	char *text;
	size_t n;
};

enum { RULES_WHY = 128 };

/**
 * rules_parse - read a list
 * @r: filled in; empty on failure. Free it with rules_free()
 * @text: the list, blanks around its entries are ignored
 * @why: the reason of -EINVAL
 *
 * Return: 0, -EINVAL or -ENOMEM
 */
int rules_parse(struct rules *r, const char *text, char why[RULES_WHY]);

void rules_free(struct rules *r);

/* Return: the rule for @topic, NULL: not sampled */
const struct rule *rules_find(const struct rules *r, const char *topic);

/**
 * has_header - do messages of a type begin with a std_msgs/Header?
 * @definition: of the type, as in a connection header
 *
 * Only those have a readable stamp.
 */
bool has_header(const char *definition);

#ifdef __cplusplus
}
#endif

#endif /* OPTSAMPLE_ROS1_RULES_H */
