// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_command - the operator's commands: from a receiver to a sender, over a
 * loopback that loses, repeats and changes datagrams
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/error.h"
#include "base/wire.h"
#include "folder.h"
#include "tap.h"
#include "transport/receiver.h"
#include "transport/segment.h"
#include "transport/sender.h"

#define MS	1000000ULL

enum { ROOM = OPTSAMPLE_SEGMENT_MAX + 1, COMMAND = 1 << 4 | CONTROL_COMMAND };

/**
 * struct link - between both: @up to the sender, @down to the receiver
 * @lose:	so many datagrams with commands
 * @repeat:	forward them twice
 * @damage:	change a byte of them
 * @commands:	how many came
 * @last:	the last one, of @len bytes
 */
static struct link {
	struct loop_fd		up, down;
	struct sockaddr_in	sender;
	unsigned int		lose, commands;
	bool			repeat, damage;
	uint8_t			last[ROOM];
	size_t			len;
} l;

static struct loop *loop;
static struct sender *sender;
static struct receiver *receiver;
static struct publish *publish;
static struct loop_timer timer;
static bool (*done)(void);
static uint64_t until;
static bool is_done;

static unsigned int port(unsigned int which)
{
	return 10000 + getpid() % 10000 * 2 + which;
}

static int socket_at(unsigned int which, bool connected)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port(which)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || (connected ? connect(fd, (void *)&a, sizeof(a)) :
				   bind(fd, (void *)&a, sizeof(a))))
		abort();
	return fd;
}

static void on_up(void *arg, uint32_t events)
{
	socklen_t room = sizeof(l.sender);
	uint8_t bytes[ROOM];
	ssize_t n;

	(void)arg;
	(void)events;
	while ((n = recvfrom(l.up.fd, bytes, sizeof(bytes), 0,
			     (void *)&l.sender, &room)) > 0)
		if (send(l.down.fd, bytes, n, 0) < 0)
			return;
}

static void to_sender(const uint8_t *bytes, size_t n)
{
	if (sendto(l.up.fd, bytes, n, 0, (void *)&l.sender,
		   sizeof(l.sender)) < 0)
		abort();
}

static void on_down(void *arg, uint32_t events)
{
	uint8_t bytes[ROOM];
	ssize_t n;

	(void)arg;
	(void)events;
	while ((n = recv(l.down.fd, bytes, sizeof(bytes), 0)) > 0) {
		struct optsample_segment s;

		if (segment_read(&s, bytes, n))
			abort();
		if (n == s.header || bytes[s.header] != COMMAND) {
			to_sender(bytes, n);
			continue;
		}
		memcpy(l.last, bytes, n);
		l.len = n;
		l.commands++;
		if (l.lose) {
			l.lose--;
			continue;
		}
		if (l.damage)
			bytes[n - 1] ^= 1;
		to_sender(bytes, n);
		if (l.repeat)
			to_sender(bytes, n);
	}
}

/* A message on /x and /y, whatever it is */
static void feed(void)
{
	static const char *const names[] = { "/x", "/y" };
	union message msg = { 0 };
	uint8_t data[512];
	struct source_message m = {
		.kind = MESSAGE_TWIST_STAMPED, .format = MESSAGE_CDR,
		.data = data, .stamp = loop_now(),
	};

	msg.twist_stamped.header.stamp = m.stamp;
	m.len = message_write(m.kind, m.format, &msg, data, sizeof(data));
	for (unsigned int i = 0; i < 2; i++) {
		m.topic = names[i];
		sender_message(sender, &m);
	}
}

static void on_timer(void *arg, uint64_t now)
{
	(void)arg;
	feed();
	timer.due = now + 20 * MS;
	is_done = done();
	if (is_done || now > until)
		loop_stop(loop, 0);
}

/* Return: whether it came true within 20 s */
static bool wait_for(bool (*condition)(void))
{
	done = condition;
	until = loop_now() + 20000 * MS;
	timer.due = loop_now();
	loop_run(loop);
	return is_done;
}

static const struct stream *stream(void)
{
	bool old;

	return receiver_stream(receiver, 0, &old);
}

static bool met(void)
{
	return stream() && stream_topic(stream(), 1) &&
	       sender_link(sender)->state == ESTIMATE_LIVE;
}

static void begin(bool commands, const char *sender_key,
		  const char *receiver_key)
{
	struct receiver_options from = { .topics = RECV_DEFAULTS,
					 .threads = 1 };
	struct sender_options to = { .name = "robot", .cpu = 1, .threads = 1,
				     .commands = commands };
	struct address at, away;
	char text[32], error[ERROR_TEXT] = "";

	memset(&l, 0, sizeof(l));
	loop = loop_create();
	publish = publish_create();
	snprintf(to.key, sizeof(to.key), "%s", sender_key);
	snprintf(from.key, sizeof(from.key), "%s", receiver_key);
	snprintf(text, sizeof(text), "127.0.0.1:%u", port(0));
	address_parse(text, 1, "0", &at, error);
	snprintf(text, sizeof(text), "127.0.0.1:%u", port(1));
	address_parse(text, 0, "0", &away, error);
	if (receiver_open(&receiver, loop, &at, &from, publish, error) ||
	    sender_open(&sender, loop, &away, &to, error)) {
		printf("# %s\n", error);
		abort();
	}
	l.up.ready = on_up;
	l.down.ready = on_down;
	loop_watch(loop, &l.up, socket_at(1, false), EPOLLIN);
	loop_watch(loop, &l.down, socket_at(0, true), EPOLLIN);
	timer = (struct loop_timer){ loop_now(), on_timer, NULL, NULL };
	loop_add_timer(loop, &timer);
	if (!wait_for(met))
		printf("# they did not meet\n");
}

static void end(void)
{
	sender_close(sender);
	receiver_close(receiver);
	publish_destroy(publish);
	loop_unwatch(loop, &l.up);
	loop_unwatch(loop, &l.down);
	close(l.up.fd);
	close(l.down.fd);
	loop_destroy(loop);
}

static int command(uint8_t what, uint8_t value, const char *name)
{
	struct control_command c = { .entries = 1 };
	char error[ERROR_TEXT];

	c.entry[0].what = what;
	c.entry[0].value = value;
	strcpy(c.entry[0].name, name);
	return receiver_command(receiver, stream(), &c, error);
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
	begin(true, "", "");
	l.repeat = true;
	ok(!command(CONTROL_PRIORITY, 5, "/x") && wait_for(x_is_5),
	   "the priority of a topic");
	ok(priority_of("/y") == 3, "and of no other");
	wait_for(all_sent);
	ok(counts()->commands == 1 && counts()->changes == 1 &&
	   counts()->outdated > COMMAND_COPIES && !counts()->refused,
	   "of all copies one counts: %llu outdated",
	   (unsigned long long)counts()->outdated);
	ok(logged("operator at 127.0.0.1:") == 1 &&
	   logged("priority of /x is 5") == 1, "one line of the log");
	ok(!command(CONTROL_FOCUS, 1, "/y") && wait_for(y_focus) &&
	   !focus_of("/x"), "the focus");
	ok(x_is_5(), "which leaves priorities");
	ok(!command(CONTROL_FOCUS, 1, "/x") && wait_for(x_focus) &&
	   !focus_of("/y"), "another focus");
	ok(!command(CONTROL_FOCUS, 0, "") && wait_for(no_focus), "no focus");
	end();
}

static void test_lost(void)
{
	begin(true, "", "");
	l.lose = COMMAND_COPIES - 1;
	ok(!command(CONTROL_PRIORITY, 5, "/x") && wait_for(x_is_5),
	   "all copies but one are lost");
	/* the first of two is lost as a whole */
	l.lose = 3;
	l.commands = 0;
	command(CONTROL_PRIORITY, 6, "/y");
	command(CONTROL_FOCUS, 1, "/y");
	command(CONTROL_FOCUS, 1, "/x");
	ok(wait_for(x_focus) && priority_of("/y") == 6 && !focus_of("/y") &&
	   counts()->commands == 2, "a later command contains the earlier ones");
	end();
}

static uint8_t kept[ROOM];
static size_t kept_len;

static void test_repeated(const char *key)
{
	struct send_options o;

	begin(true, key, key);
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
	ok(!command(CONTROL_FOCUS, 1, "/y") && wait_for(y_focus) &&
	   priority_of("/x") == 2, "%s: a recorded command is not repeated",
	   *key ? "key" : "no key");
	to_sender(kept, kept_len);
	ok(!command(CONTROL_FOCUS, 1, "/x") && wait_for(x_focus) &&
	   priority_of("/x") == 2 && (!*key || sender_counts(sender)->replayed),
	   "%s: nor after another one", *key ? "key" : "no key");
	end();
}

static bool unsealed(void)
{
	return sender_counts(sender)->unsealed > 0 && all_sent();
}

static void test_key(void)
{
	char error[ERROR_TEXT];
	struct seal *other;

	begin(true, in_folder("key"), in_folder("key"));
	ok(!command(CONTROL_PRIORITY, 5, "/x") && wait_for(x_is_5),
	   "key: a command");
	end();
	begin(true, in_folder("key"), in_folder("key"));
	l.damage = true;
	command(CONTROL_PRIORITY, 5, "/x");
	ok(wait_for(unsealed) && priority_of("/x") == 3 &&
	   !counts()->commands, "key: one that was changed on the way");
	end();
	begin(true, in_folder("key"), in_folder("key"));
	l.lose = COMMAND_COPIES;
	command(CONTROL_PRIORITY, 5, "/x");
	wait_for(all_sent);
	/* a serial that will be new */
	if (seal_open(&other, in_folder("other"), error))
		abort();
	seal_put(other, SEAL_DOWN, l.last, l.len, 1 << 30);
	to_sender(l.last, l.len);
	ok(wait_for(unsealed) && priority_of("/x") == 3 &&
	   !counts()->commands, "key: one with another key");
	seal_close(other);
	end();
}

static void test_refused(void)
{
	struct control_command none = { .entries = 0 };
	struct control_command c = { .entries = 2 };
	char error[ERROR_TEXT];

	begin(false, "", "");
	command(CONTROL_PRIORITY, 5, "/x");
	ok(wait_for(one_command) && wait_for(all_sent) &&
	   priority_of("/x") == 3 && counts()->refused == 1 &&
	   logged("commands are refused") == 1, "commands=no");
	end();
	begin(true, "", "");
	c.entry[0] = (struct control_command_entry){ CONTROL_PRIORITY, 8,
						     "/x" };
	c.entry[1] = (struct control_command_entry){ CONTROL_PRIORITY, 1,
						     "/none" };
	ok(!receiver_command(receiver, stream(), &c, error) &&
	   wait_for(one_command) && counts()->refused == 2 &&
	   !counts()->changes && priority_of("/x") == 3,
	   "a priority that is out of range, and no such topic");
	ok(receiver_command(receiver, stream(), &none, error) == -EINVAL &&
	   command(9, 1, "/x") == -EINVAL, "commands that are none");
	end();
}

static void test_many(void)
{
	unsigned int n = 0;
	char name[16];
	int ret;

	begin(true, "", "");
	do {
		snprintf(name, sizeof(name), "/topic%u", n);
		ret = command(CONTROL_PRIORITY, 1, name);
	} while (!ret && n++ < 100);
	ok(ret == -E2BIG && n == CONTROL_COMMANDS,
	   "at most %d at once: %u", CONTROL_COMMANDS, n);
	ok(!command(CONTROL_PRIORITY, 2, "/topic0"),
	   "but the same one again");
	end();
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

	begin(true, "", "");
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
	ok(wait_for(reports_go_on) && counts()->commands == 1 &&
	   !counts()->refused, "unknown payloads are ignored");
	end();
}

static void put_key(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	fputs(text, f);
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
