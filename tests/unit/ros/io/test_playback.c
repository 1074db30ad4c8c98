// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_playback - recordings: pause, speed and seek
 */
#include <math.h>
#include "base/error.h"
#include "io_fixture.h"

/*
 * The recording: /twist at every step of 10 ms, the last two only after a long
 * gap; states at some of them
 */
enum { STEPS = 42, GAP_AT = 40, MAX_GOT = 400 };

static const struct {
	const char	*topic;
	int		kind;
	unsigned int	step;
} states[] = {
	/* two publishers at the same time */
	{ "/tf_static", MESSAGE_TRANSFORMS, 0 },
	{ "/tf_static", MESSAGE_TRANSFORMS, 0 },
	{ "/tf_static", MESSAGE_TRANSFORMS, 1 },
	{ "/map", MESSAGE_OCCUPANCY_GRID, 2 },
	{ "/map", MESSAGE_OCCUPANCY_GRID, 20 },
	{ "/camera_info", MESSAGE_CAMERA_INFO, 3 },
};

enum { STATES = sizeof(states) / sizeof(states[0]) };

static int64_t step_stamp(unsigned int i)
{
	return stamp_of(i) + (i >= GAP_AT ? 1000 * SECOND : 0);
}

static void add_topic(struct bag_writer *w, const char *name, int kind,
		      enum message_format f, int64_t stamp)
{
	struct bag_topic t = { .name = name, .format = f,
			       .type = message_type(kind, f) };
	static uint8_t data[BYTES];
	size_t len = golden_bytes(kind, f, stamp, data);
	int topic = bag_add_topic(w, &t);

	if (topic < 0 || bag_write(w, topic, stamp, data, len))
		abort();
}

/* Steps @from .. @to - 1 */
static void make_steps(const char *path, unsigned int from, unsigned int to)
{
	enum bag_format format = bag_format_of(path);
	enum message_format f = format == BAG_ROSBAG ? MESSAGE_ROS1 :
						       MESSAGE_CDR;
	struct bag_writer *w;

	if (bag_create(&w, path, format, true))
		abort();
	for (unsigned int i = from; i < to; i++) {
		int64_t stamp = step_stamp(i);

		for (unsigned int k = 0; k < STATES; k++)
			if (states[k].step == i)
				add_topic(w, states[k].topic, states[k].kind,
					  f, stamp);
		add_topic(w, "/twist", MESSAGE_TWIST_STAMPED, f, stamp);
		/* several chunks */
		if (i % 5 == 4 && bag_flush(w))
			abort();
	}
	if (bag_finish(w))
		abort();
}

/**
 * struct test - a recording that is played
 * @on: called after each message, with its number from 1
 * @timer: calls @later once
 */
struct test {
	struct loop		*loop;
	struct source		*source;
	void			(*on)(unsigned int n);
	void			(*later)(void);
	struct loop_timer	timer;
	unsigned int		n, want, ends, lines, skips;
	struct {
		char		topic[16];
		int64_t		stamp;
		uint64_t	came;
	}			got[MAX_GOT];
};

static struct test t;

static void test_on_message(void *arg, const struct source_message *m)
{
	(void)arg;
	if (t.n == MAX_GOT || (t.want && t.n >= t.want))
		return;
	snprintf(t.got[t.n].topic, sizeof(t.got[0].topic), "%s", m->topic);
	t.got[t.n].stamp = m->stamp;
	t.got[t.n].came = loop_now();
	t.n++;
	if (t.on)
		t.on(t.n);
	if (t.n == t.want)
		loop_stop(t.loop, 0);
}

static void test_on_skipped(void *arg, int64_t stamp)
{
	(void)arg;
	(void)stamp;
	t.skips++;
}

static void test_on_ended(void *arg)
{
	(void)arg;
	t.ends++;
	loop_stop(t.loop, 0);
}

static void test_on_log(void *arg, int priority, const char *line)
{
	(void)arg;
	(void)priority;
	t.lines++;
	printf("# %s\n", line);
}

static void test_on_timer(void *arg, uint64_t now)
{
	(void)arg;
	(void)now;
	if (t.later)
		t.later();
	else
		loop_stop(t.loop, 0);
}

static void begin(const char *path, double speed, bool loop)
{
	struct source_config config = {
		.spec = path, .speed = speed, .rate = 1, .loop = loop,
		.message = test_on_message, .skipped = test_on_skipped,
		.ended = test_on_ended, .log = test_on_log,
	};
	struct error error;

	t = (struct test){ .loop = loop_create() };
	t.timer = (struct loop_timer){ LOOP_NEVER, test_on_timer, NULL, NULL };
	loop_add_timer(t.loop, &t.timer);
	if (source_open(&t.source, t.loop, &config, &error)) {
		printf("# %s\n", error.text);
		abort();
	}
	for (unsigned int k = 0; k < STATES; k++)
		source_subscribe(t.source, states[k].topic, -1);
	source_subscribe(t.source, "/twist", -1);
}

static void end(void)
{
	source_close(t.source);
	loop_destroy(t.loop);
}

static struct source_playback where(void)
{
	struct source_playback p;

	if (source_playback(t.source, &p))
		abort();
	return p;
}

static bool got_is(unsigned int at, const char *topic, int64_t stamp)
{
	return at < t.n && !strcmp(t.got[at].topic, topic) &&
	       t.got[at].stamp == stamp;
}

/*
 * From message @at on the state before @step: for each topic, in any order of
 * topics. Return: how many messages; 0 if anything is wrong
 */
static unsigned int check_state(unsigned int at, unsigned int step)
{
	unsigned int n = 0, used = 0;

	for (unsigned int k = 0; k < STATES; k++) {
		unsigned int i = at;

		if (states[k].step >= step)
			continue;
		/* of maps only the last */
		if (k + 1 < STATES && states[k + 1].step < step &&
		    states[k].kind == MESSAGE_OCCUPANCY_GRID &&
		    states[k + 1].kind == states[k].kind)
			continue;
		n++;
		while (i < at + 8 && (used >> (i - at) & 1 ||
				      !got_is(i, states[k].topic,
					      step_stamp(states[k].step))))
			i++;
		if (i == at + 8)
			return 0;
		used |= 1U << (i - at);
	}
	/* transforms in the order of the recording */
	for (unsigned int i = at + 1; i < at + n; i++)
		if (!strcmp(t.got[i].topic, t.got[i - 1].topic) &&
		    t.got[i].stamp < t.got[i - 1].stamp)
			return 0;
	return used == (1U << n) - 1 ? n : 0;
}

/* From message @at on all of steps @from .. @to - 1, each once, in order */
static bool check_steps(unsigned int at, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		unsigned int due = 1;

		for (unsigned int k = 0; k < STATES; k++)
			due += states[k].step == i;
		for (; due; due--, at++)
			if (at >= t.n || t.got[at].stamp != step_stamp(i))
				return false;
	}
	return true;
}

static unsigned int count_of(unsigned int from, unsigned int to)
{
	unsigned int n = to - from;

	for (unsigned int k = 0; k < STATES; k++)
		n += states[k].step >= from && states[k].step < to;
	return n;
}

static void test_formats(const char *name, unsigned int steps)
{
	unsigned int n;

	begin(in_folder(name), 1e6, false);
	source_seek(t.source, step_stamp(25));
	ok(where().time == step_stamp(25), "%s: the place is the new one",
	   name);
	loop_run(t.loop);
	n = check_state(0, 25);
	ok_eq(n, 5, "%s: the state before, then the rest: %u, %u messages",
	      name, n, t.n);
	ok(check_steps(n, 25, steps), "... check steps");
	ok_eq(t.n, n + count_of(25, steps), "... number");
	ok_eq(t.ends, 1, "... ends");
	ok(where().ended, "%s: it is at its end", name);
	ok_eq(where().time, where().end, "... time");
	/* back from the end */
	t.n = 0;
	source_seek(t.source, step_stamp(10));
	ok(!where().ended, "%s: and no longer", name);
	loop_run(t.loop);
	n = check_state(0, 10);
	ok_eq(n, 5, "%s: backwards from its end: %u, %u messages", name, n,
	      t.n);
	ok(check_steps(n, 10, steps), "... check steps");
	ok_eq(t.n, n + count_of(10, steps), "... number");
	ok_eq(t.ends, 2, "... ends");
	/* between two messages, of which the earlier one is not due */
	t.n = 0;
	source_seek(t.source, step_stamp(30) + 1);
	loop_run(t.loop);
	n = check_state(0, 31);
	ok_eq(n, 5, "%s: forwards: %u messages", name, t.n);
	ok(check_steps(n, 31, steps), "... check steps");
	ok_eq(t.n, n + count_of(31, steps), "... number");
	end();
}

static void test_ends(void)
{
	struct source_playback p;
	unsigned int n;

	begin(in_folder("p.mcap"), 1e6, false);
	p = where();
	ok_eq(p.time, p.begin, "the place of a recording that has not begun");
	ok_eq(p.begin, step_stamp(0), "... begin");
	ok_eq(p.end, step_stamp(STEPS - 1), "... end");
	ok_near(p.speed, 1e6, 0, "... speed");
	ok_eq(p.paused, 0, "... paused");
	ok_eq(p.ended, 0, "... ended");
	source_seek(t.source, INT64_MAX);
	ok(where().time == p.end, "beyond the end it is the end");
	loop_run(t.loop);
	n = check_state(0, STEPS - 1);
	ok_eq(n, 5, "the last message, and the state before it");
	ok(check_steps(n, STEPS - 1, STEPS), "... check steps");
	ok_eq(t.n, n + 1, "... number");
	t.n = 0;
	source_seek(t.source, INT64_MIN);
	ok(where().time == p.begin, "before the begin it is the begin");
	loop_run(t.loop);
	ok(check_steps(0, 0, STEPS),
	   "all of it, without a state before: %u messages", t.n);
	ok_eq(t.n, count_of(0, STEPS), "... number");
	ok_eq(t.ends, 2, "... ends");
	end();
}

static void back_once(unsigned int n)
{
	if (n == count_of(0, 31))
		source_seek(t.source, step_stamp(10));
}

/* Within the callback; and only the last of several seeks counts */
static void test_callback(void)
{
	unsigned int before = count_of(0, 31), n;

	begin(in_folder("p.mcap"), 1e6, false);
	t.on = back_once;
	loop_run(t.loop);
	n = check_state(before, 10);
	ok(check_steps(0, 0, 31), "from within the callback: %u messages", t.n);
	ok_eq(n, 5, "... number");
	ok(check_steps(before + n, 10, STEPS), "... check steps");
	ok_eq(t.n, before + n + count_of(10, STEPS), "... number");
	t.n = 0;
	t.on = NULL;
	source_seek(t.source, step_stamp(1));
	source_seek(t.source, step_stamp(35));
	loop_run(t.loop);
	n = check_state(0, 35);
	ok_eq(n, 5, "of two seeks the last one counts: %u messages", t.n);
	ok_eq(t.n, n + count_of(35, STEPS), "... number");
	end();
}

/* What was unsubscribed has no state */
static void test_unsubscribed(void)
{
	begin(in_folder("p.mcap"), 1e6, false);
	source_unsubscribe(t.source, "/map");
	source_unsubscribe(t.source, "/tf_static");
	source_seek(t.source, step_stamp(30));
	loop_run(t.loop);
	ok_eq(t.n, 1 + STEPS - 30, "the state of subscribed topics only");
	ok(got_is(0, "/camera_info", step_stamp(3)), "... got is");
	end();
}

static struct source_playback at_pause;
static uint64_t resumed;

static void pause_once(unsigned int n)
{
	if (n != count_of(0, 10))
		return;
	source_pause(t.source, true);
	at_pause = where();
	t.timer.due = loop_now() + 50000000;
}

static void go_on(void)
{
	struct source_playback p = where();

	ok_eq(t.n, count_of(0, 10),
	      "paused: no message, and time stands still");
	ok(p.paused, "... paused");
	ok_eq(p.time, at_pause.time, "... time");
	resumed = loop_now();
	source_pause(t.source, false);
}

static void test_pause(void)
{
	unsigned int at = count_of(0, 10);
	int64_t rest;

	begin(in_folder("p.mcap"), 1, false);
	t.on = pause_once;
	t.later = go_on;
	t.want = count_of(0, 20);
	loop_run(t.loop);
	rest = step_stamp(10) - at_pause.time;
	ok(check_steps(0, 0, 20), "then all others: %u messages", t.n);
	ok_eq(t.n, t.want, "... number");
	ok_range(at_pause.time, step_stamp(9), INFINITY,
		 "after the rest of the interval, %.1f ms: %.1f ms", rest / 1e6,
		 (t.got[at].came - resumed) / 1e6);
	ok_range((int64_t)(t.got[at].came - resumed), rest, INFINITY,
		 "... int64 t");
	ok((int64_t)(t.got[t.n - 1].came - resumed) >=
	   step_stamp(19) - at_pause.time, "and with their timing");
	ok_eq(where().paused, 0, "time goes on");
	ok_range(where().time, step_stamp(19), INFINITY, "... time");
	end();
}

static void test_pause_first(void)
{
	begin(in_folder("p.mcap"), 1e6, false);
	source_pause(t.source, true);
	t.timer.due = loop_now() + 30000000;
	loop_run(t.loop);
	ok_eq(t.n, 0, "paused from the start");
	ok_eq(where().time, step_stamp(0), "... time");
	source_pause(t.source, false);
	loop_run(t.loop);
	ok_eq(t.n, count_of(0, STEPS), "then all of it");
	ok_eq(t.ends, 1, "... ends");
	/* at its end there is nothing to go on with */
	source_pause(t.source, true);
	source_pause(t.source, false);
	t.timer.due = loop_now() + 30000000;
	loop_run(t.loop);
	ok_eq(t.n, count_of(0, STEPS), "and it ends once");
	ok_eq(t.ends, 1, "... ends");
	end();
}

/* A while after the last one that is expected */
static void stop_later(unsigned int n)
{
	if (n == 6)
		t.timer.due = loop_now() + 50000000;
}

static void test_pause_seek(void)
{
	unsigned int n;

	begin(in_folder("p.mcap"), 1e6, false);
	source_pause(t.source, true);
	source_seek(t.source, step_stamp(25));
	t.on = stop_later;
	t.timer.due = loop_now() + 60000000000;
	loop_run(t.loop);
	t.on = NULL;
	n = check_state(0, 25);
	ok_eq(n, 5,
	      "a seek while paused: the state, and the last of "
	      "the other topic: %u messages",
	      t.n);
	ok_eq(t.n, n + 1, "... number");
	ok_eq(where().time, step_stamp(25), "... time");
	ok(where().paused, "... paused");
	t.n = 0;
	source_pause(t.source, false);
	loop_run(t.loop);
	ok(check_steps(0, 25, STEPS), "then all from there: %u messages", t.n);
	ok_eq(t.n, count_of(25, STEPS), "... number");
	end();
}

/* When the speed changed, and the place then: not earlier than @changed */
static uint64_t changed;
static int64_t changed_at;

static void change_speed(double speed)
{
	changed = loop_now();
	source_speed(t.source, speed);
	changed_at = where().time;
}

static void faster(unsigned int n)
{
	if (n == count_of(0, 40))
		change_speed(1e5);
}

static void slower(unsigned int n)
{
	if (n == count_of(0, 10))
		change_speed(.25);
}

/* Whether message @at took at least as long as it should since the change */
static bool waited(unsigned int at, unsigned int step, double *took)
{
	double due = (step_stamp(step) - changed_at) / where().speed;

	*took = (int64_t)(t.got[at].came - changed);
	/* due times are rounded to ns */
	return *took >= due - 1;
}

static void test_speed(void)
{
	uint64_t began = loop_now();
	double took;
	bool good;

	/* with the first speed the gap would last 1000 s */
	begin(in_folder("p.mcap"), 1, false);
	t.on = faster;
	t.timer.due = loop_now() + 60000000000;
	loop_run(t.loop);
	good = waited(t.n - 2, STEPS - 2, &took);
	ok(good, "faster from a message on: 1000 s in %.1f ms", took / 1e6);
	ok_eq(t.ends, 1, "... ends");
	ok(check_steps(0, 0, STEPS), "... check steps");
	ok_eq(t.n, count_of(0, STEPS), "... number");
	ok(t.got[count_of(0, 39)].came - began >= 390000000,
	   "and not before it");
	end();
	begin(in_folder("p.mcap"), 1e6, false);
	t.on = slower;
	t.want = count_of(0, 13);
	loop_run(t.loop);
	good = waited(t.n - 1, 12, &took);
	ok(good, "slower: the next 20 ms in %.1f ms", took / 1e6);
	ok(check_steps(0, 0, 13), "... check steps");
	ok_near(where().speed, .25, 0, "... speed");
	ok_range(changed_at, -INFINITY, step_stamp(10), "... changed at");
	end();
}

static struct source_playback at_seek;

static void seek_in_second_pass(unsigned int n)
{
	if (n != count_of(0, STEPS) + count_of(0, 31))
		return;
	at_seek = where();
	source_seek(t.source, step_stamp(10));
}

/* Stamps go on: those after the seek are of the same pass */
static void test_repeated(void)
{
	unsigned int all = count_of(0, STEPS), at = all + count_of(0, 31), n;
	int64_t length;

	begin(in_folder("p.mcap"), 1e6, true);
	t.on = seek_in_second_pass;
	t.want = at + 5 + count_of(10, STEPS) + 1;
	loop_run(t.loop);
	length = t.got[all].stamp - t.got[0].stamp;
	ok_eq(t.n, t.want,
	      "the place in the second pass is one of the recording");
	ok_range(length, step_stamp(STEPS - 1) - START, INFINITY, "... length");
	ok_range(at_seek.time, step_stamp(30), at_seek.end, "... time");
	for (unsigned int i = all; i < t.n - 1; i++)
		t.got[i].stamp -= length;
	t.got[t.n - 1].stamp -= 2 * length;
	n = check_state(at, 10);
	ok(check_steps(0, 0, STEPS), "a seek in it, then the third pass");
	ok(check_steps(all, 0, 31), "... check steps");
	ok_eq(n, 5, "... number");
	ok(check_steps(at + n, 10, STEPS), "... check steps");
	ok(got_is(t.n - 1, "/tf_static", step_stamp(0)), "... got is");
	end();
}

static void test_refused(void)
{
	struct source_playback p;

	begin(in_folder("p.mcap"), 2, false);
	ok_eq(source_speed(t.source, 0), -ERANGE,
	      "speeds that are out of range");
	ok_eq(source_speed(t.source, 2e6), -ERANGE, "... source speed");
	ok_eq(source_speed(t.source, -1), -ERANGE, "... source speed");
	ok_eq(source_speed(t.source, NAN), -ERANGE, "... source speed");
	ok_near(where().speed, 2, 0, "... speed");
	end();
	put_file("1.pgm", "P5 2 2 255\n\1\2\3\4", 15);
	begin(in_folder("1.pgm"), 1, false);
	ok_eq(source_playback(t.source, &p), -EOPNOTSUPP,
	      "files have neither pause, speed nor seek");
	ok_eq(source_pause(t.source, true), -EOPNOTSUPP, "... source pause");
	ok_eq(source_speed(t.source, 1), -EOPNOTSUPP, "... source speed");
	ok_eq(source_seek(t.source, 0), -EOPNOTSUPP, "... source seek");
	end();
}

/* Cut in its last chunk: it has no index, and the rest of it is missing */
static void cut(const char *from, const char *to)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(in_folder(from), "r");
	size_t n = fread(data, 1, sizeof(data), f), at;
	uint8_t *last = NULL;

	fclose(f);
	/* the last chunk but one ends where its message index begins */
	for (uint8_t *p = data; (size_t)(p - data) + 9 < n;
	     p += 9 + get_le64(p + 1)) {
		if (p == data)
			p += 8;
		if (*p == 6)
			last = p;
	}
	at = last - data + 20;
	put_file(to, data, at);
}

/* 20 messages, 10 ms apart, and @wrong ones beside them */
static void make_wrong(const char *path, const int64_t *wrong, unsigned int n)
{
	struct bag_writer *w;

	if (bag_create(&w, path, BAG_MCAP, false))
		abort();
	for (unsigned int i = 0; i < n; i++)
		add_topic(w, "/twist", MESSAGE_TWIST_STAMPED, MESSAGE_CDR,
			  wrong[i]);
	for (unsigned int i = 0; i < 20; i++)
		add_topic(w, "/twist", MESSAGE_TWIST_STAMPED, MESSAGE_CDR,
			  stamp_of(i));
	if (bag_finish(w))
		abort();
}

/* A recorder logged wrong times: all is played, and nothing is waited for */
static void test_gaps(const char *name, const int64_t *wrong, unsigned int n,
		      unsigned int skips, bool before)
{
	make_wrong(in_folder("wrong.mcap"), wrong, n);
	begin(in_folder("wrong.mcap"), 1, false);
	loop_run(t.loop);
	ok_eq(t.n, 20 + n, "%s: all %u messages, got %u", name, 20 + n, t.n);
	ok_eq(t.ends, 1, "... ends");
	ok_eq(t.skips, skips, "%s: %u gaps, a line for each", name, skips);
	ok_eq(t.lines, skips, "... lines");
	ok(!before || where().begin == stamp_of(0),
	   "%s: its time begins with the others", name);
	end();
	/* stamps of later passes go on, and stay near the time of recording */
	begin(in_folder("wrong.mcap"), 1000, true);
	t.want = 10 * (20 + n);
	loop_run(t.loop);
	ok_eq(t.n, t.want, "%s: ten passes follow each other", name);
	ok_eq(t.lines, skips, "... lines");
	ok_range(t.got[t.n - 1].stamp - t.got[19 + n].stamp, 0, 3600 * SECOND,
		 "... stamp");
	end();
	remove(in_folder("wrong.mcap"));
}

static void test_wrong_times(void)
{
	const int64_t zero[] = { 0, 0 };
	const int64_t late[] = { stamp_of(0) + 31 * 31536000 * SECOND };
	const int64_t both[] = { 0, stamp_of(0) + 7200 * SECOND,
				 4000000000 * SECOND };

	test_gaps("before the clock", zero, 2, 1, true);
	test_gaps("a clock that was set", late, 1, 1, false);
	test_gaps("both", both, 3, 3, true);
}

int main(void)
{
	make_folder();
	make_steps(in_folder("p.mcap"), 0, STEPS);
	make_steps(in_folder("p.bag"), 0, STEPS);
	make_steps(in_folder("p.db3"), 0, STEPS);
	mkdir(in_folder("split"), 0777);
	make_steps(in_folder("split/s_0.mcap"), 0, 18);
	make_steps(in_folder("split/s_1.mcap"), 18, 30);
	make_steps(in_folder("split/s_2.mcap"), 30, STEPS);
	cut("p.mcap", "cut.mcap");
	test_formats("p.mcap", STEPS);
	test_formats("p.bag", STEPS);
	test_formats("p.db3", STEPS);
	test_formats("split", STEPS);
	test_formats("cut.mcap", GAP_AT);
	test_ends();
	test_callback();
	test_unsubscribed();
	test_pause();
	test_pause_first();
	test_pause_seek();
	test_speed();
	test_repeated();
	test_wrong_times();
	test_refused();
	remove_folder();
	return tap_done();
}
