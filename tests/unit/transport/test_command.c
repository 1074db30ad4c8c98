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

/* ---- both sides by themselves ---- */

/* Copies at their times, and what a second command makes of the first */
static void test_queue(void)
{
	struct control_command c = {
		.number = 7, .entries = 1,
		.entry[0] = { CONTROL_PRIORITY, 5, "/x" },
	}, read;
	struct command_queue q = { .copies = 0 };
	uint8_t payload[PAYLOAD_MAX];
	const uint64_t begin = 1000;
	unsigned int n = 0;
	size_t len;

	ok_eq(command_queue_next(&q, begin, payload), 0, "nothing to send");
	ok_eq(command_queue_add(&q, &c, begin), 0, "a command");
	ok_eq(command_queue_next(&q, begin - 1, payload), 0, "not yet");
	len = command_queue_next(&q, begin, payload);
	ok_eq(control_commanded(payload, len, &read), 0, "then it is sent");
	ok_eq(read.number, 7, "with its number");
	ok_eq(q.due, begin + COMMAND_EVERY, "and again after 100 ms");
	ok_eq(command_queue_next(&q, q.due - 1, payload), 0, "not sooner");
	while (command_queue_next(&q, q.due, payload))
		n++;
	ok_eq(n, COMMAND_COPIES - 1, "so many times in all");
	c.number = 8;
	strcpy(c.entry[0].name, "/y");
	command_queue_add(&q, &c, begin);
	control_commanded(payload, command_queue_next(&q, begin, payload),
			  &read);
	ok_eq(read.entries, 1, "a later one does not contain it");
	c.number = 9;
	c.entry[0].value = 1;
	command_queue_add(&q, &c, begin);
	len = command_queue_next(&q, begin, payload);
	control_commanded(payload, len, &read);
	ok_eq(read.entries, 1, "one for the same topic takes its place");
	ok_eq(read.entry[0].value, 1, "as it is newer");
	/* of long names only a few fit into a datagram */
	for (n = 0; n < CONTROL_COMMANDS; n++) {
		memset(c.entry[0].name, 'a' + n, CONTROL_NAME - 1);
		if (command_queue_add(&q, &c, begin))
			break;
	}
	ok_eq(n, (PAYLOAD_MAX - len) / (CONTROL_NAME + 2),
	      "as many long names as a datagram has room for");
	len = command_queue_next(&q, begin, payload);
	ok_eq(control_commanded(payload, len, &read), 0, "are sent");
	ok_eq(read.entries, n + 1, "and no others");
	c.entry[0].what = 9;
	ok_eq(command_queue_add(&q, &c, begin), -EINVAL, "an unknown one");
	c.entries = 0;
	ok_eq(command_queue_add(&q, &c, begin), -EINVAL, "none");
	c.entries = CONTROL_COMMANDS + 1;
	ok_eq(command_queue_add(&q, &c, begin), -EINVAL, "too many");
}

static int obeyed;

static int on_obey(void *arg, const struct control_command_entry *e)
{
	(void)arg;
	(void)e;
	return obeyed;
}

static int take(struct command_input *in, uint32_t number)
{
	static const struct sockaddr_in from = { .sin_family = AF_INET };
	const struct control_command c = {
		.number = number, .entries = 1,
		.entry[0] = { CONTROL_PRIORITY, 5, "/x" },
	};
	struct sockaddr_storage at = { 0 };
	uint8_t payload[PAYLOAD_MAX];

	memcpy(&at, &from, sizeof(from));
	return command_received(in, true, payload,
				control_command(&c, payload), &at);
}

/* Is it the next one that counts? */
static bool counts_as_new(struct command_input *in, uint32_t number)
{
	const uint64_t before = in->counts.commands;

	take(in, number);
	return in->counts.commands == before + 1;
}

static void test_numbers(void)
{
	struct command_input in = { .obey = on_obey };
	const unsigned int apart = 1 << 20;
	unsigned int n = 0;

	ok(counts_as_new(&in, 5000), "a first number");
	ok(!counts_as_new(&in, 5000), "is new once");
	ok(!counts_as_new(&in, 4999), "one below is overtaken");
	ok(!counts_as_new(&in, 5000 - 1023), "as are a thousand");
	ok(counts_as_new(&in, 5001), "the next one is new");
	ok(!counts_as_new(&in, 5000), "what was before is not");
	ok(counts_as_new(&in, 5001 + 1023), "one that is far ahead is");
	ok(counts_as_new(&in, 5001 + 1023 + 1024), "farther it is another run");
	ok_eq(in.runs, 2, "of which there are two");
	ok_eq(in.counts.outdated, 4, "what was overtaken is counted");
	in = (struct command_input){ .obey = on_obey };
	for (unsigned int i = 0; i < COMMAND_RUNS; i++)
		n += counts_as_new(&in, i * apart + 2000);
	ok_eq(n, COMMAND_RUNS, "so many runs are remembered");
	ok(!counts_as_new(&in, 2000), "even the first");
	ok(!counts_as_new(&in, 63 * apart + 2000), "and the last");
	ok(counts_as_new(&in, 64 * apart + 2000), "of one more");
	ok(counts_as_new(&in, 2000), "the oldest is forgotten");
	ok(!counts_as_new(&in, 2 * apart + 2000), "the third is not");
	obeyed = -ENOENT;
	take(&in, 90 * apart);
	ok_eq(in.counts.refused, 1, "what is not obeyed is refused");
	obeyed = -E2BIG;
	take(&in, 93 * apart);
	obeyed = -ERANGE;
	take(&in, 94 * apart);
	obeyed = -EOPNOTSUPP;
	take(&in, 95 * apart);
	obeyed = -EIO;
	take(&in, 96 * apart);
	ok_eq(in.counts.refused, 5, "for other reasons, too");
	obeyed = 1;
	take(&in, 91 * apart);
	ok_eq(in.counts.changes, 1, "what is changes something");
	obeyed = 0;
	take(&in, 92 * apart);
	ok_eq(in.counts.changes + in.counts.refused, 6, "or nothing");
	ok_eq(logged("priority of /x is 5: topic is not sent"), 1,
	      "why is logged");
	ok_eq(logged(" is 5: too many topic settings"), 1, "no room");
	ok_eq(logged("priority of /x is 5: out of range"), 1, "no such value");
	ok_eq(logged(" is 5: unknown command"), 1, "no such command");
	ok_eq(logged(" is 5: Input/output error"), 1, "any other one");
	ok_eq(command_received(&in, true, "x", 1, NULL), -EBADMSG,
	      "what is no command is for others");
}

int main(void)
{

	make_folder();
	if (!freopen(in_folder("log"), "w", stderr))
		abort();
	put_secret("key", "0123456789abcdef0123456789abcdef");
	put_secret("other", "0123456789abcdef0123456789abcdeX");
	test_changes();
	test_lost();
	test_repeated("");
	test_repeated(in_folder("key"));
	test_key();
	test_refused();
	test_many();
	test_unknown();
	test_queue();
	test_numbers();
	remove_folder();
	return tap_done();
}
