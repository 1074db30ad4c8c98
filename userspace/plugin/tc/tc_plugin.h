/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tc exports to a q_NAME.so that it loads.
 *
 * iproute2 has no development package. The few declarations used here are
 * our own, and are valid for iproute2 6.1 (Debian 12) to 6.15 (Debian 13); the
 * symbols are resolved when tc opens the plugin. Only the JSON functions of tc
 * are used: text goes through stdio, so that no enumeration of colours has to
 * match.
 */
#ifndef OPTSAMPLE_TC_PLUGIN_H
#define OPTSAMPLE_TC_PLUGIN_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/**
 * struct qdisc_util - the object NAME_qdisc_util that tc looks up
 * @next: tc's list
 * @id: kind, as in netlink
 * @parse_qopt: options to attributes; not 0 makes tc exit with status 1
 * @print_qopt: attributes to text or JSON
 * @print_xstats: TCA_STATS_APP of a qdisc or a class
 * @parse_copt: NULL, classes are made by traffic alone
 * @print_copt: NULL, they have no options
 * @has_block: NULL, no shared blocks
 */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*print_xstats)(struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats);
	int (*parse_copt)(struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*has_block)(struct qdisc_util *qu, struct rtattr *opt,
			 __u32 block_idx, bool *p_has);
};

/* enum output_type and enum color_attr, as far as they do not change */
enum {
	TC_PRINT_JSON = 2,
	TC_COLOR_ANY = 0,	/* JSON has none */
};

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags);

bool is_json_context(void);
void open_json_object(const char *key);
void close_json_object(void);
void print_nl(void);
int print_color_int(int type, int color, const char *key, const char *fmt,
		    int value);
int print_color_lluint(int type, int color, const char *key, const char *fmt,
		       unsigned long long value);
int print_color_string(int type, int color, const char *key, const char *fmt,
		       const char *value);
int print_color_null(int type, int color, const char *key, const char *fmt,
		     const char *value);

static inline void json_number(const char *key, unsigned long long value)
{
	print_color_lluint(TC_PRINT_JSON, TC_COLOR_ANY, key, NULL, value);
}

/* @value may be NULL: null */
static inline void json_string(const char *key, const char *value)
{
	if (value)
		print_color_string(TC_PRINT_JSON, TC_COLOR_ANY, key, NULL,
				   value);
	else
		print_color_null(TC_PRINT_JSON, TC_COLOR_ANY, key, NULL, NULL);
}

#endif
