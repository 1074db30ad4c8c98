// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_state - files in /run/optsample, locks, and the daemon's number
 */
#include <signal.h>
#include <sys/wait.h>
#include "netdev/module.h"
#include "netdev/neigh_file.h"
#include "netdev/netlink.h"
#include "netdev/state.h"
#include "netns.h"

static struct error error;

static const struct state full = {
	.stack = {
		.dev = "v0", .ifindex = 77, .lower = "v1", .watch = "v2",
		.queue = "opt-v0", .keep = "keep-v0", .egress = true,
		.made_own = true, .made_ifb = true, .made_keep = true,
		.made_clsact = true, .made_qdisc = true,
	},
	.ready = true, .settles = true, .outage_s = 31, .domain = 7,
	.topics = "/a,/b=c", .types = "x/msg/Y", .odometry = "/odom",
	.master = "http://localhost:11311",
};

static void test_round_trip(void)
{
	struct state st = full, got;
	char text[OWN_LIST];

	own_parse("10.7.0.2/24", &st.stack.own, &error);
	own_parse("fd00::2/64", &st.stack.own, &error);
	ok_eq(state_save(&st, &error), 0, "save");
	ok(st.netns, "with our network namespace");
	ok_eq(state_load("v0", &got), 0, "load");
	ok_str(got.stack.dev, "v0", "its device");
	ok_eq(got.stack.ifindex, 77, "with its number");
	ok_str(got.stack.lower, "v1", "the one below");
	ok_str(got.stack.watch, "v2", "the one that is watched");
	ok_str(got.stack.queue, "opt-v0", "the queue");
	ok_str(got.stack.keep, "keep-v0", "and the one that keeps");
	ok(got.stack.egress, "by the module's link type");
	ok(got.stack.made_own, "an ipvlan was made");
	ok(got.stack.made_ifb, "a queue");
	ok(got.stack.made_keep, "what keeps");
	ok(got.stack.made_clsact, "clsact");
	ok(got.stack.made_qdisc, "a qdisc");
	ok(got.ready, "it is ready");
	ok(got.settles, "and settles as the user says");
	ok_eq(got.netns, st.netns, "in the same namespace");
	ok_eq(got.outage_s, 31, "an outage of 31 s");
	ok_eq(got.domain, 7, "domain 7");
	ok_str(got.topics, "/a,/b=c", "topics, with an equals sign");
	ok_str(got.types, "x/msg/Y", "types");
	ok_str(got.odometry, "/odom", "odometry");
	ok_str(got.master, "http://localhost:11311", "a master");
	own_text(&got.stack.own, text);
	ok_str(text, "10.7.0.2/24,fd00::2/64", "addresses of its own");
	state_free(&got);
	ok(!got.topics, "freed");
	state_free(&got);
}

static void test_empty(void)
{
	struct state st = { .stack = { .dev = "lo", .queue = "lo" } }, got;

	ok_eq(state_load("v9", &got), -ENOENT, "an interface that is not up");
	ok_eq(state_save(&st, &error), 0, "one with nothing");
	ok_eq(state_load("lo", &got), 0, "is loaded");
	ok_eq(got.stack.ifindex, netlink_ifindex("lo"),
	      "without a number it is that of the device");
	ok(!got.stack.made_own, "no ipvlan");
	ok(!got.stack.made_keep, "nothing that keeps");
	ok(!got.stack.made_ifb, "no queue");
	ok(!got.ready, "not ready");
	ok(!got.topics, "no topics");
	ok_eq(got.stack.own.n, 0, "no addresses");
	netns_put("/run/optsample/odd.state", "queue=opt-odd\nno key\n=x\nnew=1\nqdisc=1");
	ok_eq(state_load("odd", &got), 0, "lines that are not known");
	ok_str(got.stack.queue, "opt-odd", "do not hide others");
	ok(got.stack.made_qdisc, "nor the last one");
	state_remove("odd");
	ok_eq(state_load("odd", &got), -ENOENT, "removed");
}

static void test_here(void)
{
	struct state st;

	state_load("v0", &st);
	ok(state_is_here(&st), "our network namespace");
	st.netns++;
	ok(!state_is_here(&st), "another one");
	st.netns = 0;
	ok(state_is_here(&st), "a file of an older version");
	state_free(&st);
}

static void test_name(void)
{
	struct state st = { .stack = { .dev = "own-v1", .lower = "v1" } };
	char own[IFNAMSIZ];

	ok_str(state_name("v0", own), "v0", "what is up has its own name");
	ok_str(state_name("v1", own), "v1", "what is not, too");
	state_save(&st, &error);
	ok_str(state_name("v1", own), "own-v1", "but the ipvlan's, if it is up");
	strcpy(st.stack.lower, "v2");
	state_save(&st, &error);
	ok_str(state_name("v1", own), "v1", "and is on it");
	state_remove("own-v1");
}

static int note(const char *dev, void *arg)
{
	sprintf((char *)arg + strlen(arg), "%s ", dev);
	return strcmp(dev, "lo") ? 0 : -EIO;
}

static void test_each(void)
{
	char names[128] = "";
	int err;

	netns_put("/run/optsample/v0.pid", "1");
	netns_put("/run/optsample/README", "");
	ok_eq(state_each(note, names, &err), 2, "each that is up");
	ok_str(names, "lo v0 ", "in order");
	ok_eq(err, -EIO, "an error of one does not stop the others");
	state_remove("v0");
	state_remove("lo");
	*names = '\0';
	ok_eq(state_each(note, names, &err), 0, "none");
	ok_eq(err, 0, "and no error");
	ok(!access("/run/optsample", F_OK), "the folder stays");
	ok(access("/run/optsample/v0.pid", F_OK), "files do not");
	unlink("/run/optsample/README");
}

static void test_failures(void)
{
	struct state st = full;

	need("mv /run/optsample /run/moved; touch /run/optsample");
	ok(state_save(&st, &error) < 0, "without the folder");
	ok_str(error.text, "cannot write /run/optsample/v0.state.new: Not a directory",
	       "nothing is written");
	ok(state_pid_claim("v0", &error) < 0, "nor a number");
	ok_str(error.text, "cannot write /run/optsample/v0.pid: Not a directory",
	       "with its line");
	ok(neigh_file_add_peer("v0", &(struct ip_addr){ 0 }, &error) < 0,
	   "nor a peer");
	ok(!neigh_file_begin("v0", 1), "nor neighbours");
	need("rm /run/optsample; mv /run/moved /run/optsample");
	need("mkdir /run/optsample/v0.state");
	ok_eq(state_save(&st, &error), -EIO, "a file that cannot be replaced");
	ok_str(error.text, "cannot write /run/optsample/v0.state", "has a line");
	need("rmdir /run/optsample/v0.state");
	need("mkdir /run/optsample.lock");
	ok_eq(state_lock(true, &error), -EISDIR, "a lock that is a folder");
	ok_str(error.text, "cannot lock /run/optsample.lock: Is a directory", "too");
	need("rmdir /run/optsample.lock");
}

/*
 * Locks
 */

static void test_lock(void)
{
	int first = state_lock(true, &error), second;

	ok(first >= 0, "the lock");
	ok_eq(state_lock(false, &error), -EWOULDBLOCK, "is for one");
	close(first);
	second = state_lock(false, &error);
	ok(second >= 0, "then for the next");
	close(second);
}

static void test_claim(void)
{
	int fd;

	ok_eq(state_pid_of("v0"), 0, "no daemon");
	netns_put("/run/optsample/v0.pid", "4711\n");
	ok_eq(state_pid_of("v0"), 0, "a number that is left over is none");
	fd = state_pid_claim("v0", &error);
	ok(fd >= 0, "claim it");
	ok_eq(state_pid_of("v0"), getpid(), "now it is ours");
	ok_eq(state_pid_claim("v0", &error), -EBUSY, "no other process can");
	ok_str(error.text, "discovery for v0 is running already", "as the line says");
	close(fd);
	ok_eq(state_pid_of("v0"), 0, "after the end it is free");
}

/* A daemon, which lives until it gets SIGTERM. Return: its number */
static pid_t start_daemon(void)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		if (state_pid_claim("v0", &error) < 0 || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		abort();
	close(ready[0]);
	return pid;
}

static void test_stop(void)
{
	pid_t pid = start_daemon();
	int status;

	ok_eq(state_pid_of("v0"), pid, "a daemon runs");
	/* it is reaped at once, as by init */
	signal(SIGCHLD, SIG_IGN);
	ok_eq(state_daemon_stop("v0", &error), 0, "stop it");
	ok_eq(state_pid_of("v0"), 0, "it is gone");
	ok(waitpid(pid, &status, 0) < 0, "really");
	signal(SIGCHLD, SIG_DFL);
	ok_eq(state_daemon_stop("v0", &error), 0, "without one there is nothing");
	state_remove("v0");
}

/*
 * Neighbours
 */

static void note_neigh(const struct ip_addr *a, bool peer, int ifindex,
		       void *arg)
{
	char text[IP_ADDR_TEXT];

	sprintf((char *)arg + strlen(arg), "%s%s@%d ", peer ? "peer " : "",
		ip_addr_text(a, text), ifindex);
}

static const char *neighbours(void)
{
	static char all[256];

	*all = '\0';
	neigh_file_read("v0", note_neigh, all);
	return all;
}

static void test_neigh_file(void)
{
	struct ip_addr a, b;
	FILE *f;

	ip_addr_parse("10.0.0.7", &a);
	ip_addr_parse("fe80::7", &b);
	ok_str(neighbours(), "", "without a file there are none");
	ok_eq(neigh_file_add_peer("v0", &a, &error), 0, "a peer");
	ok_eq(neigh_file_add_peer("v0", &b, &error), 0, "another");
	ok_str(neighbours(), "peer 10.0.0.7@0 peer fe80::7@0 ", "are read");
	f = neigh_file_begin("v0", 7);
	neigh_file_put(f, &b, false);
	ok_str(neighbours(), "peer 10.0.0.7@0 peer fe80::7@0 ",
	       "a new file is not read until it is complete");
	neigh_file_put(f, &a, true);
	neigh_file_end("v0", f);
	ok_str(neighbours(), "fe80::7@7 peer 10.0.0.7@7 ", "then it is");
	unlink("/run/optsample/v0.neigh");
	netns_put("/run/optsample/v0.neigh", "ifindex 9\nnonsense\npeer x\n10.0.0.8\n");
	ok_str(neighbours(), "10.0.0.8@9 ", "what is no address is left out");
	state_remove("v0");
}

/*
 * The module. Nothing is loaded: modprobe and modinfo are scripts of the test,
 * and the kernel is not asked.
 */

long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	(void)number;
	errno = EPERM;
	return -1;
}

static void script(const char *name, const char *line)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/bin/%s", name);
	unlink(path);
	netns_put(path, "#!/bin/sh\n");
	need("echo \"%s\" >>%s; chmod +x %s", line, path, path);
}

static void test_module(void)
{
	char path[512];

	ok(strstr(module_key(), "mok.pub") || strstr(module_key(), "MOK.der"),
	   "the key that DKMS signs with: %s", module_key());
	if (!access("/sys/module/sch_optsample", F_OK)) {
		ok_eq(module_load(&error), 0, "it is loaded");
		return;
	}
	need("mkdir /run/bin");
	script("modprobe", "echo not found >&2");
	script("modinfo", "echo");
	snprintf(path, sizeof(path), "/run/bin:%s", getenv("PATH"));
	setenv("PATH", path, 1);
	ok_eq(module_load(&error), -ENOENT, "no module");
	ok_str(error.text, "no kernel module sch_optsample for this kernel: install it, or build it",
	       "says what to do");
	script("modprobe", "echo ERROR: Key was rejected by service >&2");
	ok_eq(module_load(&error), -EKEYREJECTED, "one that is not signed");
	ok(strstr(error.text, "sch_optsample is not signed: run 'dkms install"),
	   "%s", error.text);
	script("modinfo", "echo DKMS key");
	ok_eq(module_load(&error), -EKEYREJECTED, "one with an unknown key");
	ok(strstr(error.text, "does not know the key 'DKMS key' of sch_optsample"),
	   "%s", error.text);
	script("modprobe", "echo Required key not available >&2");
	ok_eq(module_load(&error), -EKEYREJECTED, "in other words");
}

/* The next file that is opened gets it: a daemon must not run out of them */
static int free_fd(void)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

int main(void)
{
	int before;

	netns_enter();
	before = free_fd();
	test_empty();
	test_round_trip();
	test_here();
	test_name();
	test_each();
	test_failures();
	test_lock();
	test_claim();
	test_stop();
	test_neigh_file();
	ok_eq(free_fd(), before, "no file is left open");
	test_module();
	return tap_done();
}
