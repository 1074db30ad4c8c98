// SPDX-License-Identifier: GPL-2.0-only
/*
 * link-watch - what optsample-send and -recv say of a link, beside what the
 * link was
 *
 * For each line that udp-link writes to its log, ten a second, both control
 * sockets are asked for their status. At the end, after --seconds or a signal,
 * it writes a CSV and a plot.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cjson/cJSON.h>
#include "base/cli.h"
#include "base/loop.h"
#include "link_plot.h"
#include "link_model.h"

#define TICK	(1000000000ULL / 20)

enum { TOPICS = PLOT_LINES, NAME = 64, LINE = 256, STATES = 4 };

/* Columns: those of the run, then those of each topic */
enum column {
	TIME, CAPACITY, BUDGET, SENT, RECEIVED, LINK_LOSS, LOSS, LOSS_HIGH,
	LINK_DELAY, QUEUE, COLUMNS,
};

enum topic_column { RATE, QUALITY, DELAY, TOPIC_COLUMNS };

enum { ALL = COLUMNS + TOPICS * TOPIC_COLUMNS };

static const char *const columns[COLUMNS] = {
	"time", "capacity", "budget", "sent", "received", "link_loss", "loss",
	"loss_high", "link_delay", "queue",
};
static const char *const topic_columns[TOPIC_COLUMNS] = {
	"rate", "quality", "delay",
};
static const char *const states[STATES] = {
	"start", "live", "outage", "drain",
};

struct watch {
	struct loop		*loop;
	struct loop_timer	timer;
	const char		*send, *recv, *log_path, *csv, *svg, *trace;
	FILE			*log;
	struct link_sim_change	*changes;
	unsigned int		nchanges;
	double			seconds;
	double			*value[ALL];
	unsigned char		*state;
	unsigned int		rows, room;
	char			topic[TOPICS][NAME];
	unsigned int		topics;
};

/* Both may be restarted meanwhile, so look again each time */
static FILE *call(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = 1 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FILE *io = NULL;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)))
		io = fdopen(fd, "r+");
	if (!io)
		close(fd);
	return io;
}

/* Return: its status, NULL: it says nothing */
static cJSON *ask(const char *path)
{
	FILE *io = call(path);
	char *line = NULL;
	size_t room = 0;
	cJSON *answer = NULL;

	if (!io)
		return NULL;
	fputs("{\"do\":\"status\"}\n", io);
	if (!fflush(io) && getline(&line, &room, io) > 0)
		answer = cJSON_Parse(line);
	free(line);
	fclose(io);
	return answer;
}

static double number(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItem(o, key);

	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static const char *word(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

static int room_for_row(struct watch *w)
{
	unsigned int more = w->room ? w->room * 2 : 1024;
	unsigned char *s;

	if (w->rows < w->room)
		return 0;
	for (int i = 0; i < ALL; i++) {
		double *v = realloc(w->value[i], more * sizeof(*v));

		if (!v)
			return -ENOMEM;
		w->value[i] = v;
	}
	s = realloc(w->state, more);
	if (!s)
		return -ENOMEM;
	w->state = s;
	w->room = more;
	return 0;
}

/* Return: its number, or -1: there are too many */
static int find_topic(struct watch *w, const char *name)
{
	unsigned int i = 0;

	while (i < w->topics && strcmp(w->topic[i], name))
		i++;
	if (i == TOPICS || strlen(name) >= NAME)
		return -1;
	if (i == w->topics)
		strcpy(w->topic[w->topics++], name);
	return i;
}

static void note_sender(struct watch *w, const cJSON *status, unsigned int row)
{
	const cJSON *link = cJSON_GetObjectItem(status, "link");

	w->value[BUDGET][row] = number(link, "rate");
	w->value[LOSS][row] = number(link, "loss");
	w->value[LOSS_HIGH][row] = number(link, "loss_high");
	w->value[QUEUE][row] = number(link, "queue");
	for (unsigned int i = 0; i < STATES; i++)
		if (!strcmp(word(link, "state"), states[i]))
			w->state[row] = i;
}

static void note_receiver(struct watch *w, const cJSON *status,
			  unsigned int row)
{
	const cJSON *senders = cJSON_GetObjectItem(status, "senders");
	const cJSON *s, *t;

	cJSON_ArrayForEach(s, senders)
		cJSON_ArrayForEach(t, cJSON_GetObjectItem(s, "topics")) {
			int i = find_topic(w, word(t, "topic"));
			double **v = &w->value[COLUMNS + i * TOPIC_COLUMNS];

			if (i < 0)
				continue;
			v[RATE][row] = number(t, "rate");
			v[QUALITY][row] = number(t, "quality");
			v[DELAY][row] = number(t, "delay");
		}
}

/* What the trace says of a time */
static void note_link(struct watch *w, unsigned int row)
{
	double time = w->value[TIME][row];
	unsigned int i = 0;

	while (i + 1 < w->nchanges && w->changes[i + 1].time <= time)
		i++;
	w->value[LINK_LOSS][row] = w->changes[i].loss;
	w->value[LINK_DELAY][row] += w->changes[i].delay;
}

/* A row: time, capacity (bytes/s), bytes in and out of a tenth, ms of queue */
static int on_line(struct watch *w, const char *line, const cJSON *sent,
		   const cJSON *received)
{
	double time, capacity, in, out, wait;
	unsigned int row = w->rows;

	if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", &time, &capacity, &in, &out,
		   &wait) != 5)
		return 0;
	if (room_for_row(w))
		return -ENOMEM;
	for (int i = 0; i < ALL; i++)
		w->value[i][row] = NAN;
	w->state[row] = row ? w->state[row - 1] : 0;
	w->value[TIME][row] = time;
	w->value[CAPACITY][row] = capacity * 8;
	w->value[SENT][row] = in * 80;
	w->value[RECEIVED][row] = out * 80;
	w->value[LINK_DELAY][row] = wait * 1e-3;
	note_link(w, row);
	note_sender(w, sent, row);
	note_receiver(w, received, row);
	w->rows++;
	return 0;
}

static void on_tick(void *arg, uint64_t now)
{
	struct watch *w = arg;
	cJSON *sent = ask(w->send), *received = ask(w->recv);
	char line[LINE];

	w->timer.due = now + TICK;
	if (!w->log)
		w->log = fopen(w->log_path, "r");
	while (w->log && fgets(line, sizeof(line), w->log))
		if (on_line(w, line, sent, received))
			loop_stop(w->loop, -ENOMEM);
	if (w->log)
		clearerr(w->log);
	cJSON_Delete(sent);
	cJSON_Delete(received);
	if (w->rows && w->value[TIME][w->rows - 1] >= w->seconds)
		loop_stop(w->loop, 0);
}

static int write_csv(const struct watch *w)
{
	FILE *f = fopen(w->csv, "w");
	int bad;

	if (!f)
		return cli_error(-errno, "%s: %s", w->csv, strerror(errno));
	for (int i = 0; i < COLUMNS; i++)
		fprintf(f, "%s,", columns[i]);
	fputs("state", f);
	for (unsigned int t = 0; t < w->topics; t++)
		for (int i = 0; i < TOPIC_COLUMNS; i++)
			fprintf(f, ",%s_%s", w->topic[t], topic_columns[i]);
	for (unsigned int row = 0; row < w->rows; row++) {
		for (int i = 0; i < COLUMNS; i++)
			fprintf(f, i ? "%.6g," : "\n%.6g,", w->value[i][row]);
		fputs(states[w->state[row]], f);
		for (unsigned int i = 0; i < w->topics * TOPIC_COLUMNS; i++)
			fprintf(f, ",%.6g", w->value[COLUMNS + i][row]);
	}
	fputc('\n', f);
	bad = ferror(f);
	return fclose(f) || bad ? cli_error(-EIO, "%s: cannot be written",
					    w->csv) : 0;
}

static void scale(struct watch *w, int column, double by)
{
	for (unsigned int i = 0; i < w->rows; i++)
		w->value[column][i] *= by;
}

static void topic_lines(struct watch *w, struct plot_panel *p, int which)
{
	static const struct plot_colour c[TOPICS] = {
		{ .12, .47, .71 }, { .84, .15, .16 }, { .17, .63, .17 },
		{ 1, .5, .05 }, { .58, .4, .74 }, { .55, .34, .29 },
	};

	for (unsigned int t = 0; t < w->topics; t++)
		p->line[t] = (struct plot_line){
			w->topic[t], c[t],
			w->value[COLUMNS + t * TOPIC_COLUMNS + which],
		};
}

/* Changes the units of what is in memory */
static int write_plot(struct watch *w)
{
	double **v = w->value;
	struct plot_panel panel[] = {
		{ "Mbit/s", 0, {
			{ "capacity", { .45, .45, .45 }, v[CAPACITY] },
			{ "budget", { 1, .5, .05 }, v[BUDGET] },
			{ "sent", { .12, .47, .71 }, v[SENT] },
			{ "received", { .17, .63, .17 }, v[RECEIVED] } } },
		{ "loss, %", 100, {
			{ "link", { .45, .45, .45 }, v[LINK_LOSS] },
			{ "estimate", { .12, .47, .71 }, v[LOSS] },
			{ "protected for", { .84, .15, .16 },
			  v[LOSS_HIGH] } } },
		{ "delay, ms", 0, {
			{ "link, with its queue", { .12, .47, .71 },
			  v[LINK_DELAY] },
			{ "queue, estimate", { 1, .5, .05 }, v[QUEUE] } } },
		{ "frames a second", 0, { } },
		{ "quality, %", 100, { } },
	};
	const struct plot g = {
		.time = v[TIME], .shade = w->state, .count = w->rows,
		/* of live, outage, drain */
		.colour = { { 1, 1, 1 }, { 1, .88, .88 }, { 1, .96, .8 } },
		.panel = panel, .panels = sizeof(panel) / sizeof(*panel),
	};

	for (int i = CAPACITY; i <= RECEIVED; i++)
		scale(w, i, 1e-6);
	for (int i = LINK_LOSS; i <= LOSS_HIGH; i++)
		scale(w, i, 100);
	scale(w, LINK_DELAY, 1e3);
	scale(w, QUEUE, 1e3);
	for (unsigned int t = 0; t < w->topics; t++)
		scale(w, COLUMNS + t * TOPIC_COLUMNS + QUALITY, 100);
	topic_lines(w, &panel[3], RATE);
	topic_lines(w, &panel[4], QUALITY);
	return plot_write(&g, w->svg) ?
	       cli_error(-EIO, "%s: cannot be written", w->svg) : 0;
}

static const struct argp_option options[] = {
	{ "send", 's', "PATH", 0, "socket of optsample-send", 0 },
	{ "recv", 'r', "PATH", 0, "socket of optsample-recv", 0 },
	{ "log", 'l', "FILE", 0, "of udp-link", 0 },
	{ "trace", 't', "FILE", 0, "that it follows", 0 },
	{ "seconds", 'n', "S", 0, "how long; 10 s behind the last line", 0 },
	{ "csv", 'c', "FILE", 0, "to be written", 0 },
	{ "svg", 'p', "FILE", 0, "plot; a PNG if it ends in .png", 0 },
	{ 0 },
};

static int on_option(int key, char *arg, struct argp_state *state)
{
	struct watch *w = state->input;

	switch (key) {
	case 's':
		w->send = arg;
		return 0;
	case 'r':
		w->recv = arg;
		return 0;
	case 'l':
		w->log_path = arg;
		return 0;
	case 't':
		w->trace = arg;
		return 0;
	case 'n':
		return parse_double(arg, 0, 86400, &w->seconds) ?
		       cli_usage(cli_program, "%s: no time in seconds", arg) :
		       0;
	case 'c':
		w->csv = arg;
		return 0;
	case 'p':
		w->svg = arg;
		return 0;
	case ARGP_KEY_END:
		if (w->send && w->recv && w->log_path && w->trace)
			return 0;
		return cli_usage(cli_program,
				 "--send, --recv, --log and --trace are needed");
	}
	return ARGP_ERR_UNKNOWN;
}

static int run(struct watch *w)
{
	int err;

	w->loop = loop_create();
	if (!w->loop)
		return cli_error(-errno, "%s", strerror(errno));
	w->timer = (struct loop_timer){ loop_now(), on_tick, w, NULL };
	loop_add_timer(w->loop, &w->timer);
	err = loop_run(w->loop);
	loop_remove_timer(w->loop, &w->timer);
	loop_destroy(w->loop);
	if (err)
		return cli_error(err, "%s", strerror(-err));
	if (!w->rows)
		return cli_error(-ENODATA, "%s: nothing in it", w->log_path);
	err = w->csv ? write_csv(w) : 0;
	return err || !w->svg ? err : write_plot(w);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, on_option, NULL,
		"Write down what optsample-send and -recv say of a link.",
		NULL, NULL, NULL,
	};
	struct watch w = { 0 };
	int err;

	cli_program = "link-watch";
	argv[0] = (char *)cli_program;
	err = cli_parse(&argp, argc, argv, &w);
	if (!err)
		err = link_sim_trace_read(w.trace, &w.changes, &w.nchanges);
	if (!err && w.seconds <= 0)
		w.seconds = w.changes[w.nchanges - 1].time + 10;
	if (!err)
		err = run(&w);
	if (w.log)
		fclose(w.log);
	for (int i = 0; i < ALL; i++)
		free(w.value[i]);
	free(w.state);
	free(w.changes);
	return err ? 1 : 0;
}
