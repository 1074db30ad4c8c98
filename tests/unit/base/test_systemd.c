// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_systemd - messages to systemd, in the time of fast_clock.h
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/service.h"
#include "fast_clock.h"
#include "loop_fixture.h"

/* What was sent to systemd, each ends with a | */
static const char *notified(int fd)
{
	static char all[1024];
	size_t used = 0;
	ssize_t n;

	while ((n = recv(fd, all + used, 200, MSG_DONTWAIT)) > 0) {
		used += n;
		all[used++] = '|';
	}
	all[used] = 0;
	return all;
}

static void test_service(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct timer stop;
	char pid[16];

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/test_systemd.%d",
		 (int)getpid());
	unlink(at.sun_path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	setenv("NOTIFY_SOCKET", at.sun_path, 1);
	loop = loop_create_quiet();
	service_ready(loop);
	ok_str(notified(fd), "READY=1|", "systemd is notified");
	service_status("%d of %d", 1, 2);
	ok_str(notified(fd), "STATUS=1 of 2|", "of the status");
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	setenv("WATCHDOG_USEC", "20000", 1);
	service_ready(loop);
	ok_str(notified(fd), "READY=1|", "with a watchdog");
	add_timer(&stop, "t", loop_now() + 45 * ms);
	stop.stops = true;
	run();
	ok_str(notified(fd),
	       "WATCHDOG=1|WATCHDOG=1|WATCHDOG=1|WATCHDOG=1|WATCHDOG=1|",
	       "it is fed twice within its time");
	service_stopping(loop);
	ok_str(notified(fd), "STOPPING=1|", "and of the end");
	stop.t.due = loop_now() + 30 * ms;
	run();
	ok_str(notified(fd), "", "then it is not fed");
	loop_destroy(loop);
	unlink(at.sun_path);
	close(fd);
}

int main(void)
{
	test_service();
	return tap_done();
}
