/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - which topics the library samples, and how.
 *
 * Text in, a table out:
 *
 *	/camera/rgb:sync=cam,/camera/depth*:sync=cam,/scan:limit=50:policy=gap
 *
 * A pattern as in fnmatch(3), of which a star also matches slashes, and
 * options. The first pattern that matches a topic counts.
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
 * @policy: what goes when the queue is full
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
 * struct rules - all of them
 * @v: the table, and @text what its strings point into; both owned
 * @n: used of it
 */
struct rules {
	struct rule *v;
	char *text;
	size_t n;
};

enum { RULES_WHY = 128 };

/**
 * rules_parse - read a list
 * @r: filled in; empty on failure. For rules_free()
 * @text: the list, blanks around its entries do not matter
 * @why: what is wrong, on -EINVAL
 *
 * Return: 0, -EINVAL or -ENOMEM
 */
int rules_parse(struct rules *r, const char *text, char why[RULES_WHY]);

void rules_free(struct rules *r);

/* Return: the rule for @topic, NULL if it is to be left alone */
const struct rule *rules_find(const struct rules *r, const char *topic);

/**
 * has_header - do messages of a type begin with a std_msgs/Header?
 * @definition: of the type, as in a connection header
 *
 * Only those have a stamp that can be read.
 */
bool has_header(const char *definition);

#ifdef __cplusplus
}
#endif

#endif /* OPTSAMPLE_ROS1_RULES_H */
