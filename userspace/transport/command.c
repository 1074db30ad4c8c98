// SPDX-License-Identifier: GPL-2.0-only
/*
 * command - commands of the operator to a sender
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <syslog.h>
#include "base/address.h"
#include "base/service.h"
#include "transport/command.h"

enum { OVERTAKEN = 1024 };	/* numbers below the last of a run */

/* ---- the receiver's side ---- */

/* Does @b replace @a? */
static bool command_replaces(const struct control_command_entry *b,
			     const struct control_command_entry *a)
{
	if (a->what != b->what)
		return false;
	return a->what == CONTROL_FOCUS || !strcmp(a->name, b->name);
}

static void command_merge(struct control_command *c,
			  const struct control_command_entry *e)
{
	unsigned int n = 0;

	assert(c->entries <= CONTROL_COMMANDS);
	for (unsigned int i = 0; i < c->entries; i++)
		if (!command_replaces(e, &c->entry[i]))
			c->entry[n++] = c->entry[i];
	c->entries = n;
	if (n < CONTROL_COMMANDS)
		c->entry[n] = *e;
	c->entries++;
}

static bool command_is_valid(const struct control_command *c)
{
	if (!c->entries || c->entries > CONTROL_COMMANDS)
		return false;
	for (unsigned int i = 0; i < c->entries; i++)
		if (c->entry[i].what != CONTROL_FOCUS &&
		    c->entry[i].what != CONTROL_PRIORITY)
			return false;
	return true;
}

int command_queue_add(struct command_queue *q, const struct control_command *c,
		      uint64_t now)
{
	struct control_command merged = { .entries = 0 };
	uint8_t payload[PAYLOAD_MAX];

	if (!command_is_valid(c))
		return -EINVAL;
	if (q->copies)
		merged = q->command;
	merged.number = c->number;
	for (unsigned int i = 0; i < c->entries; i++) {
		command_merge(&merged, &c->entry[i]);
		if (merged.entries > CONTROL_COMMANDS)
			return -E2BIG;
	}
	if (!control_command(&merged, payload))
		return -E2BIG;
	q->command = merged;
	q->copies = COMMAND_COPIES;
	q->due = now;
	return 0;
}

size_t command_queue_next(struct command_queue *q, uint64_t now,
			  uint8_t *payload)
{
	if (!q->copies || q->due > now)
		return 0;
	q->copies--;
	q->due = now + COMMAND_EVERY;
	return control_command(&q->command, payload);
}

/* ---- the sender's side ---- */

/* Note a number. Return: whether it is new, and not overtaken */
static bool command_is_new(struct command_input *in, uint32_t number)
{
	unsigned int n = in->runs;

	assert(n <= COMMAND_RUNS);
	for (unsigned int i = 0; i < n; i++) {
		if (in->last[i] - number < OVERTAKEN)
			return false;
		if (number - in->last[i] < OVERTAKEN) {
			in->last[i] = number;
			return true;
		}
	}
	if (n == COMMAND_RUNS)
		n--;
	memmove(in->last + 1, in->last, n * sizeof(*in->last));
	in->last[0] = number;
	in->runs = n + 1;
	return true;
}

static const char *command_error(int err)
{
	return err == -ENOENT ? "topic is not sent" :
	       err == -E2BIG ? "too many topic settings" :
	       err == -ERANGE ? "out of range" :
	       err == -EOPNOTSUPP ? "unknown command" : strerror(-err);
}

static void command_log(const struct control_command_entry *e, int ret,
			const struct sockaddr_storage *from)
{
	const int priority = ret < 0 ? LOG_WARNING : LOG_NOTICE;
	const char *why = ret < 0 ? command_error(ret) : "";
	const char *colon = ret < 0 ? ": " : "";
	char text[ADDRESS_TEXT];

	address_text(from, text);
	if (e->what == CONTROL_PRIORITY)
		service_logf(priority,
			     "operator at %s: priority of %s is %u%s%s", text,
			     e->name, e->value, colon, why);
	else if (e->what != CONTROL_FOCUS)
		service_logf(priority, "operator at %s: command %u%s%s", text,
			     e->what, colon, why);
	else if (e->value)
		service_logf(priority, "operator at %s: focus on %s%s%s", text,
			     e->name, colon, why);
	else
		service_logf(priority, "operator at %s: no focus%s%s", text,
			     colon, why);
}

static void command_refuse(struct command_input *in,
			   const struct sockaddr_storage *from)
{
	char text[ADDRESS_TEXT];

	in->counts.refused++;
	if (in->refused)
		return;
	in->refused = true;
	service_logf(LOG_NOTICE,
		     "operator at %s: commands are refused (commands=no)",
		     address_text(from, text));
}

int command_received(struct command_input *in, bool on, const void *payload,
		     size_t len, const struct sockaddr_storage *from)
{
	struct control_command c;
	int err = control_commanded(payload, len, &c);

	if (err)
		return err;
	if (!command_is_new(in, c.number)) {
		in->counts.outdated++;
		return 0;
	}
	in->counts.commands++;
	if (!on) {
		command_refuse(in, from);
		return 0;
	}
	for (unsigned int i = 0; i < c.entries; i++) {
		int ret = in->obey(in->arg, &c.entry[i]);

		in->counts.changes += ret > 0;
		in->counts.refused += ret < 0;
		if (ret)
			command_log(&c.entry[i], ret, from);
	}
	return 0;
}
