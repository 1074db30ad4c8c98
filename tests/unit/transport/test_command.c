// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_command - the operator's commands: from a receiver to a sender, over a
 * loopback that loses, repeats and changes datagrams
 */
#include <stdio.h>
#include <sys/stat.h>
#include "folder.h"
#include "loopback.h"

static void begin(bool commands, const char *key)
{
	struct sender_options to = ROBOT;

	to.commands = commands;
	snprintf(to.key, sizeof(to.key), "%s", key);
	loopback_begin(&to);
}

static int command(uint8_t what, uint8_t value, const char *name)
{
	struct control_command c = { .entries = 1 };
	struct error error;

	c.entry[0].what = what;
	c.entry[0].value = value;
	strcpy(c.entry[0].name, name);
	return receiver_command(receiver, stream(), &c, &error);
}

static unsigned int priority_of(const char *name)
{
	return send_topic_options(sender_find(sender, name))->priority;
}

static bool focus_of(const char *name)
{
	return send_topic_options(sender_find(sender, name))->focus;
}

static const struct command_counts *counts(void)
{
	return sender_commands(sender);
}

static bool x_is_5(void)
{
	return priority_of("/x") == 5;
}

static bool y_focus(void)
{
	return focus_of("/y");
}

static bool x_focus(void)
{
	return focus_of("/x");
}

static bool no_focus(void)
{
	return !focus_of("/y") && !focus_of("/x");
}

static bool one_command(void)
{
	return counts()->commands == 1;
}

static bool three_commands(void)
{
	return counts()->commands == 3;
}

static bool all_sent(void)
{
	return l.commands >= COMMAND_COPIES;
}

/* Lines of the log with @text */
static unsigned int logged(const char *text)
{
	FILE *f = fopen(in_folder("log"), "r");
	unsigned int n = 0;
	char line[512];

	fflush(stderr);
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	if (f)
		fclose(f);
	return n;
}

static void test_changes(void)
{
	begin(true, "");
	l.repeat = true;
	ok(!command(CONTROL_PRIORITY, 5, "/x"), "the priority of a topic");
	ok(wait_for(x_is_5), "the priority of a topic");
	ok(priority_of("/y") == 3, "and of no other");
	wait_for(all_sent);
	ok_eq(counts()->commands, 1, "of all copies one counts: %llu outdated",
	      (unsigned long long)counts()->outdated);
	ok_eq(counts()->changes, 1, "of all copies one counts: %llu outdated",
	      (unsigned long long)counts()->outdated);
	ok(counts()->outdated > COMMAND_COPIES,
	   "of all copies one counts: %llu outdated",
	   (unsigned long long)counts()->outdated);
	ok(!counts()->refused, "of all copies one counts: %llu outdated",
	   (unsigned long long)counts()->outdated);
	ok_eq(logged("operator at 127.0.0.1:"), 1, "one line of the log");
	ok_eq(logged("priority of /x is 5"), 1, "one line of the log");
	ok(!command(CONTROL_FOCUS, 1, "/y"), "the focus");
	ok(wait_for(y_focus), "the focus");
	ok(!focus_of("/x"), "the focus");
	ok(x_is_5(), "which leaves priorities");
	command(CONTROL_PRIORITY, 5, "/x");
	ok(wait_for(three_commands), "the priority that it has");
	ok_eq(counts()->changes, 2, "... that changes nothing");
	ok(!counts()->refused, "... and is not refused");
	ok(!command(CONTROL_FOCUS, 1, "/x"), "another focus");
	ok(wait_for(x_focus), "another focus");
	ok(!focus_of("/y"), "another focus");
	ok(!command(CONTROL_FOCUS, 0, ""), "no focus");
	ok(wait_for(no_focus), "no focus");
	loopback_end();
}

static void test_lost(void)
{
	begin(true, "");
	l.lose = COMMAND_COPIES - 1;
	ok(!command(CONTROL_PRIORITY, 5, "/x"), "all copies but one are lost");
	ok(wait_for(x_is_5), "all copies but one are lost");
	/* the first of two is lost as a whole */
	l.lose = 3;
	l.commands = 0;
	command(CONTROL_PRIORITY, 6, "/y");
	command(CONTROL_FOCUS, 1, "/y");
	command(CONTROL_FOCUS, 1, "/x");
	ok(wait_for(x_focus), "a later command contains the earlier ones");
	ok_eq(priority_of("/y"), 6,
	      "a later command contains the earlier ones");
	ok(!focus_of("/y"), "a later command contains the earlier ones");
	ok_eq(counts()->commands, 2,
	      "a later command contains the earlier ones");
	loopback_end();
}

static uint8_t kept[ROOM];
static size_t kept_len;

static void test_repeated(const char *key)
{
	struct send_options o;

	begin(true, key);
	command(CONTROL_PRIORITY, 5, "/x");
	wait_for(x_is_5);
	wait_for(all_sent);
	memcpy(kept, l.last, l.len);
	kept_len = l.len;
	o = *send_topic_options(sender_find(sender, "/x"));
	strcpy(o.name, "/x");
	o.priority = 2;
	sender_change(sender, &o);
	to_sender(kept, kept_len);
	ok(!command(CONTROL_FOCUS, 1, "/y"),
	   "%s: a recorded command is not repeated", *key ? "key" : "no key");
	ok(wait_for(y_focus), "%s: a recorded command is not repeated",
	   *key ? "key" : "no key");
	ok_eq(priority_of("/x"), 2, "%s: a recorded command is not repeated",
	      *key ? "key" : "no key");
	to_sender(kept, kept_len);
	ok(!command(CONTROL_FOCUS, 1, "/x"), "%s: nor after another one",
	   *key ? "key" : "no key");
	ok(wait_for(x_focus), "%s: nor after another one",
	   *key ? "key" : "no key");
	ok_eq(priority_of("/x"), 2, "%s: nor after another one",
	      *key ? "key" : "no key");
	ok((!*key || sender_counts(sender)->replayed),
	   "%s: nor after another one", *key ? "key" : "no key");
	loopback_end();
}

static bool unsealed(void)
{
	return sender_counts(sender)->unsealed > 0 && all_sent();
}

static void test_key(void)
{
	struct error error;
	struct seal *other;

	begin(true, in_folder("key"));
	ok(!command(CONTROL_PRIORITY, 5, "/x"), "key: a command");
	ok(wait_for(x_is_5), "key: a command");
	loopback_end();
	begin(true, in_folder("key"));
	l.damage = true;
	command(CONTROL_PRIORITY, 5, "/x");
	ok(wait_for(unsealed), "key: one that was changed on the way");
	ok_eq(priority_of("/x"), 3, "key: one that was changed on the way");
	ok(!counts()->commands, "key: one that was changed on the way");
	loopback_end();
	begin(true, in_folder("key"));
	l.lose = COMMAND_COPIES;
	command(CONTROL_PRIORITY, 5, "/x");
	wait_for(all_sent);
	/* a serial that will be new */
	if (seal_open(&other, in_folder("other"), &error))
		abort();
	seal_put(other, SEAL_DOWN, l.last, l.len, 1 << 30);
	to_sender(l.last, l.len);
	ok(wait_for(unsealed), "key: one with another key");
	ok_eq(priority_of("/x"), 3, "key: one with another key");
	ok(!counts()->commands, "key: one with another key");
	seal_close(other);
	loopback_end();
}

static void test_refused(void)
{
	struct control_command none = { .entries = 0 };
	struct control_command c = { .entries = 2 };
	struct error error;

	begin(false, "");
	command(CONTROL_PRIORITY, 5, "/x");
	ok(wait_for(one_command), "commands=no");
	ok(wait_for(all_sent), "commands=no");
	ok_eq(priority_of("/x"), 3, "commands=no");
	ok_eq(counts()->refused, 1, "commands=no");
	ok_eq(logged("commands are refused"), 1, "commands=no");
	loopback_end();
	begin(true, "");
	c.entry[0] = (struct control_command_entry){ CONTROL_PRIORITY, 8,
						     "/x" };
	c.entry[1] = (struct control_command_entry){ CONTROL_PRIORITY, 1,
						     "/none" };
	ok(!receiver_command(receiver, stream(), &c, &error),
	   "a priority that is out of range, and no such topic");
	ok(wait_for(one_command),
	   "a priority that is out of range, and no such topic");
	ok_eq(counts()->refused, 2,
	      "a priority that is out of range, and no such topic");
	ok(!counts()->changes,
	   "a priority that is out of range, and no such topic");
	ok_eq(priority_of("/x"), 3,
	      "a priority that is out of range, and no such topic");
	ok_eq(receiver_command(receiver, stream(), &none, &error), -EINVAL,
	      "commands that are none");
	ok_eq(command(9, 1, "/x"), -EINVAL, "commands that are none");
	loopback_end();
}

static void test_many(void)
{
	unsigned int n = 0;
	char name[16];
	int ret;

	begin(true, "");
	do {
		snprintf(name, sizeof(name), "/topic%u", n);
		ret = command(CONTROL_PRIORITY, 1, name);
	} while (!ret && n++ < 100);
	ok_eq(ret, -E2BIG, "at most %d at once: %u", CONTROL_COMMANDS, n);
	ok_eq(n, CONTROL_COMMANDS, "at most %d at once: %u", CONTROL_COMMANDS,
	      n);
	ok(!command(CONTROL_PRIORITY, 2, "/topic0"),
	   "but the same one again");
	loopback_end();
}

static bool reports_go_on(void)
{
	static uint64_t at;

	if (!at)
		at = loop_now();
	return loop_now() - at > 1500 * MS &&
	       sender_link(sender)->state == ESTIMATE_LIVE;
}

/* What the sender does not know: so older senders take commands */
static void test_unknown(void)
{
	struct control_command c = { .entries = 1 };
	uint8_t bytes[ROOM] = { 0 };
	struct optsample_segment s;
	size_t n;

	begin(true, "");
	command(CONTROL_PRIORITY, 5, "/x");
	wait_for(all_sent);
	if (segment_read(&s, l.last, l.len))
		abort();
	memcpy(bytes, l.last, l.len);
	n = control_command(&c, bytes + s.header);
	bytes[s.header] = 1 << 4 | 4;
	to_sender(bytes, s.header + n);
	bytes[s.header] = 2 << 4 | CONTROL_COMMAND;
	to_sender(bytes, s.header + n);
	to_sender(bytes, s.header);
	ok(wait_for(reports_go_on), "unknown payloads are ignored");
	ok_eq(counts()->commands, 1, "unknown payloads are ignored");
	ok(!counts()->refused, "unknown payloads are ignored");
	loopback_end();
}

static void put_key(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	fputs(text, f);
	fchmod(fileno(f), 0600);
	fclose(f);
}

int main(void)
{

	make_folder();
	if (!freopen(in_folder("log"), "w", stderr))
		abort();
	put_key("key", "0123456789abcdef0123456789abcdef");
	put_key("other", "0123456789abcdef0123456789abcdeX");
	test_changes();
	test_lost();
	test_repeated("");
	test_repeated(in_folder("key"));
	test_key();
	test_refused();
	test_many();
	test_unknown();
	remove_folder();
	return tap_done();
}
