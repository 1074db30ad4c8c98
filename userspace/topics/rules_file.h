/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topics.conf: rules for topics that `up` sets
 *
 *	[topic /camera/STAR /scan]
 *	limit = 60
 *	sync = 5ms
 *
 * One section is one rule, for all topics and patterns in its heading (STAR is
 * an asterisk). Its keys are the options of `optsample topic`. Later sections
 * win, as later commands do.
 */
#ifndef TOPICS_RULES_FILE_H
#define TOPICS_RULES_FILE_H

#include "topics/rule_text.h"

#define RULES_FILE	"/etc/optsample/topics.conf"

/**
 * struct rules_section - a rule in the file
 * @patterns:	topics and patterns, owned
 * @n:		number of @patterns, 1 or more
 * @rule:	complete, but for its order and profile
 */
struct rules_section {
	char			**patterns;
	int			n;
	struct ros_rule		rule;
};

/**
 * rules_file_read() - call @take for each rule
 * @path:	of the file
 * @take:	Return: 0, or negative errno to stop
 * @arg:	for @take
 * @bad:	for a section that is wrong: "LINE: why"; it is left out
 *
 * Return: 0; -ENOENT: there is no file; another negative errno: it cannot be
 * read, or is of @take.
 */
int rules_file_read(const char *path,
		    int (*take)(void *arg, const struct rules_section *s),
		    void *arg, void (*bad)(void *arg, const char *why));

/**
 * rules_file_write() - replace the file by the rules of @l
 * @path:	of the file; its folder is made
 * @l:		rules, by order
 *
 * Rules with one profile are one section.
 *
 * Return: 0, or negative errno
 */
int rules_file_write(const char *path, const struct rule_list *l,
		     struct error *error);

#endif
