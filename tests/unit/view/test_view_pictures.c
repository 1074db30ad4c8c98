// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_pictures - the thread that converts what browsers want to see
 */
#include <errno.h>
#include <pthread.h>
#include "peer_fixture.h"

enum { WIDTH = 32, HEIGHT = 24 };

static struct pictures *pictures;
static struct board *board;
/* The thread waits at its end of a conversion while @held */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int done, awaited;
static bool held;

static void on_changed(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_broadcast(&changed);
	while (held)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

/* Until one more conversion has ended */
static void await(void)
{
	pthread_mutex_lock(&lock);
	awaited++;
	while (done < awaited)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void hold(bool hold)
{
	pthread_mutex_lock(&lock);
	held = hold;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void open_all(bool replay)
{
	const struct board_config config = { .memory = 8 << 20,
					     .replay = replay };

	done = awaited = 0;
	board = view.board = board_create(&config);
	if (!board || pictures_open(&pictures, board, on_changed, NULL))
		abort();
}

static void close_all(void)
{
	pictures_close(pictures);
	board_destroy(board);
}

static void put_image(const char *topic, const char *encoding, int64_t stamp)
{
	static uint8_t pixels[WIDTH * HEIGHT];
	const union message m = { .image = {
		.header = { .stamp = stamp, .frame_id = message_string("cam") },
		.width = WIDTH, .height = HEIGHT, .step = WIDTH,
		.encoding = message_string(encoding),
		.data = { pixels, sizeof(pixels) },
	} };

	fixture_put(topic, MESSAGE_IMAGE, &m, stamp);
}

/* Number of a topic's converted message, 0: none. It asks for a newer one */
static uint64_t newest(unsigned int topic)
{
	const struct view_message *m;
	uint64_t seq;

	board_lock(board);
	m = pictures_newest(pictures, board_topic(board, topic), topic);
	seq = m ? m->seq : 0;
	board_unlock(board);
	return seq;
}

/* A reference to the newest message of a topic */
static struct view_message *message_of(unsigned int topic)
{
	struct view_message *m;

	board_lock(board);
	m = view_message_get(board_topic(board, topic)->history.newest);
	board_unlock(board);
	return m;
}

static void test_newest(void)
{
	const int64_t now = io_now();

	open_all(false);
	put_image("/a", "mono8", now);
	put_image("/b", "mono8", now);
	ok_eq(newest(0), 0, "nothing is converted before it is wanted");
	await();
	ok_eq(newest(0), 1, "then it is");
	ok_eq(newest(1), 0, "and no other topic");
	await();
	ok_eq(newest(1), 1, "until it is wanted, too");
	put_image("/a", "mono8", now + 1000000);
	put_image("/a", "mono8", now + 2000000);
	ok_eq(newest(0), 1, "the old one is shown");
	await();
	ok_eq(newest(0), 3, "until the newest is converted");
	ok_eq(newest(0), 3, "which is not done twice");
	ok_eq(newest(1), 1, "other topics keep theirs");
	put_image("/a", "nonsense", now + 3000000);
	newest(0);
	await();
	ok_eq(newest(0), 3, "a picture that is not converted replaces no other");
	ok_eq(pictures_failed(pictures), 1, "and is counted");
	put_image("/a", "nonsense", now + 4000000);
	newest(0);
	await();
	ok_eq(pictures_failed(pictures), 2, "each time");
	put_image("/a", "mono8", now + 5000000);
	newest(0);
	await();
	ok_eq(newest(0), 6, "the next good one is shown");
	ok_eq(done, awaited, "nothing else was converted");
	close_all();
}

static void test_jump(void)
{
	const int64_t now = io_now();

	open_all(true);
	put_image("/a", "mono8", now);
	newest(0);
	await();
	ok_eq(newest(0), 1, "a replay shows it");
	board_cut(board, now - 1000000000, now);
	ok_eq(newest(0), 0, "after a jump it does not");
	put_image("/a", "mono8", now - 1000000);
	newest(0);
	await();
	ok(newest(0) > 0, "but what comes then");
	close_all();
}

static void test_past(void)
{
	struct picture_result r;
	unsigned int taken = 0, wrong = 0;
	int err;

	open_all(false);
	put_image("/a", "mono8", io_now());
	put_image("/b", "nonsense", io_now());
	ok(!pictures_result(pictures, &r), "no result");
	ok_eq(pictures_convert(pictures, message_of(0), 7), 0, "one of the past");
	await();
	ok(pictures_result(pictures, &r), "a result");
	ok_eq(r.client, 7, "for its client");
	ok(r.frame, "a picture");
	ok_eq(r.frame->seq, 1, "of the message");
	view_message_put(r.frame);
	ok(!pictures_result(pictures, &r), "once");
	pictures_convert(pictures, message_of(1), 8);
	await();
	ok(pictures_result(pictures, &r), "a result of what cannot be converted");
	ok_eq(r.client, 8, "for its client");
	ok(!r.frame, "is no picture");
	ok_eq(pictures_failed(pictures), 1, "and is counted");
	ok_eq(newest(0), 0, "the newest one is another matter");
	await();
	/* the thread is held, so the others wait */
	hold(true);
	pictures_convert(pictures, message_of(0), 0);
	await();
	for (unsigned int i = 0; i < PICTURES_WAITING; i++)
		wrong += pictures_convert(pictures, message_of(0), i + 1) != 0;
	ok_eq(wrong, 0, "as many as there is room for");
	err = pictures_convert(pictures, message_of(0), 1);
	ok_eq(err, -ENOSPC, "and no more");
	hold(false);
	for (unsigned int i = 0; i < PICTURES_WAITING; i++)
		await();
	while (pictures_result(pictures, &r)) {
		wrong += r.client != taken++;
		view_message_put(r.frame);
	}
	ok_eq(taken, PICTURES_WAITING + 1, "all of them are answered");
	ok_eq(wrong, 0, "in their order");
	ok_eq(pictures_convert(pictures, message_of(0), 1), 0,
	      "there is room again");
	await();
	/* what waits and what is not taken is freed */
	hold(true);
	pictures_convert(pictures, message_of(0), 1);
	await();
	pictures_convert(pictures, message_of(0), 2);
	hold(false);
	close_all();
	pictures_close(NULL);
}

int main(void)
{
	test_newest();
	test_jump();
	test_past();
	return tap_done();
}
