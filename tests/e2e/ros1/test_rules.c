// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rules - the list of topics to sample, good and bad, and which types
 * have a stamp
 */
#include <errno.h>
#include <string.h>

#include "../../unit/tap.h"
#include "plugin/roscpp/rules.h"

static const struct good {
	const char *text;
	const char *topic;
	bool found;
	struct rule rule;
} good[] = {
	{ "", "/a", false, { 0 } },
	{ " \t ", "/a", false, { 0 } },
	{ "/a", "/a", true, { .refill = 50 } },
	{ "/a", "/ab", false, { 0 } },
	{ "/a", "/a/b", false, { 0 } },
	{ "/a*", "/a/b/c", true, { .refill = 50 } },
	{ "/?[xy]", "/ay", true, { .refill = 50 } },
	{ "*", "/a", true, { .refill = 50 } },
	{ "/a:policy=gap", "/a", true,
	  { .policy = OPTSAMPLE_POLICY_GAP, .refill = 50 } },
	{ "/a:limit=65535:refill=0", "/a", true, { .limit = 65535 } },
	{ "/a:limit=1:refill=100:policy=drop-newest", "/a", true,
	  { .policy = OPTSAMPLE_POLICY_DROP_NEWEST, .limit = 1,
	    .refill = 100 } },
	{ "/a:limit=1,/a*:limit=2", "/a", true, { .limit = 1, .refill = 50 } },
	{ "/a:limit=1,\t/a*:limit=2 ", "/ab", true,
	  { .limit = 2, .refill = 50 } },
	{ "/a:sync=x,/b:sync=x:limit=3", "/b", true,
	  { .sync = "x", .limit = 3, .refill = 50 } },
	{ "/a:sync=x,/b:sync=y:policy=gap", "/b", true,
	  { .sync = "y", .policy = OPTSAMPLE_POLICY_GAP, .refill = 50 } },
};

static const char *const bad[] = {
	",", "/a,", ",/a", "/a,,/b", ":limit=3", "/a:", "/a:what", "/a:what=3",
	"/a:limit", "/a:limit=", "/a:limit=0", "/a:limit=65536", "/a:limit=-1",
	"/a:limit=1x", "/a:limit= 1", "/a:limit=99999999999999999999",
	"/a:limi=3", "/a:refill=101", "/a:refill=x", "/a:refill=50%",
	"/a:policy=", "/a:policy=best", "/a:policy=gap2", "/a:sync=",
	"/a:sync=x,/b:sync=x:policy=gap", "/a:sync=x:refill=3,/b:sync=x",
	"/a:limit=3:limit=0", "/a /b", "/a:limit=3 4",
};

static const struct header {
	const char *definition;
	bool has;
} headers[] = {
	{ "", false },
	{ "Header header\nuint32 height\n", true },
	{ "# image\n\n  std_msgs/Header header # stamp\nuint8[] data", true },
	{ "uint8 DEBUG=1\nstring S=a # b\nHeader header\n", true },
	{ "\r\nHeader header\r\n", true },
	{ "uint8 a\nHeader header\n", false },
	{ "HeaderX header\n", false },
	{ "Header[] headers\n", false },
	{ "my_msgs/Header header\n", false },
	{ "uint8 X=1\n====\nMSG: a/B\nHeader header\n", false },
	{ "string data\n", false },
};

static bool same(const struct rule *a, const struct rule *b)
{
	return a->policy == b->policy && a->limit == b->limit &&
	       a->refill == b->refill && !a->sync == !b->sync &&
	       (!a->sync || !strcmp(a->sync, b->sync));
}

int main(void)
{
	const struct rule *rule;
	char why[RULES_WHY];
	struct rules r;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int err = rules_parse(&r, good[i].text, why);

		rule = rules_find(&r, good[i].topic);
		ok(!err && !rule == !good[i].found &&
		   (!rule || same(rule, &good[i].rule)),
		   "\"%s\" and %s", good[i].text, good[i].topic);
		rules_free(&r);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*why = '\0';
		ok(rules_parse(&r, bad[i], why) == -EINVAL && *why && !r.n &&
		   !strchr(why, '\n'), "\"%s\": %s", bad[i], why);
	}
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		ok(has_header(headers[i].definition) == headers[i].has,
		   "header %zu", i);
	return tap_done();
}
