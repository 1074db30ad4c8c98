// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_classifier - the BPF programs, their pins, and destinations of
 * flows in their maps
 */
#include <bpf/bpf.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include "bpf/keep.h"
#include "bpf/ros_tag.h"
#include "netdev/classifier.h"
#include "netdev/dests.h"
#include "netdev/filter.h"
#include "netdev/keep.h"
#include "netdev/qdisc.h"
#include "netdev/redirect.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "netns.h"
#include "fake_module.h"

static struct error error;

static const char *mac(const void *address)
{
	static char text[18];
	const uint8_t *a = address;

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", a[0],
		 a[1], a[2], a[3], a[4], a[5]);
	return text;
}

static void test_pins(void)
{
	char path[CLASSIFIER_PATH];
	struct statfs fs;
	int prog, map;

	classifier_pins("v0", path);
	ok_str(path, "/sys/fs/bpf/tc/globals", "without pins those of tc");
	prog = classifier_load("v0", &error);
	ok(prog >= 0, "load the classifier");
	ok(!statfs("/sys/fs/bpf", &fs), "the folder of pins");
	ok_eq(fs.f_type, BPF_FS_MAGIC, "is mounted");
	classifier_pins("v0", path);
	ok_str(path, "/sys/fs/bpf/optsample/v0", "our pins");
	map = classifier_map(path, "flows");
	ok(map >= 0, "have a map of flows");
	close(map);
	ok_eq(classifier_map(path, "no-such"), -ENOENT, "and no others");
	close(prog);
	prog = classifier_load("v0", &error);
	ok(prog >= 0, "pins that are left over are replaced");
	close(prog);
	prog = classifier_load_keep("v0", &error);
	ok(prog >= 0, "the program of keep-DEV");
	close(prog);
	map = classifier_map(path, "keep_link");
	ok(map >= 0, "has its map");
	close(map);
	prog = classifier_load_redirect("v0", "opt-v0", &error);
	ok(prog >= 0, "the program that redirects");
	close(prog);
	classifier_unload("v0");
	ok(access(path, F_OK), "all pins are removed");
	ok(access(CLASSIFIER_PINS, F_OK), "with the last folder");
	classifier_unload("v0");
	classifier_pins("v0", path);
	ok_str(path, "/sys/fs/bpf/tc/globals", "as before");
}

static void test_names(void)
{
	char path[CLASSIFIER_PATH];
	int prog = classifier_load("v0.7", &error);

	ok(prog >= 0, "an interface of a VLAN");
	close(prog);
	classifier_pins("v0.7", path);
	ok_str(path, "/sys/fs/bpf/optsample/v0_7", "bpffs takes no dots");
	classifier_unload("v0.7");
	ok(access(path, F_OK), "it is removed, too");
	ok_eq(classifier_load_keep("v0", &error), -ENOENT,
	      "without the folder of pins");
	ok(strstr(error.text, "cannot load "), "%s", error.text);
	ok(strstr(error.text, "keep.bpf.o: "), "names the file");
}

/* A program redirects, as in `up` with cls_bpf */
static void test_redirect(void)
{
	struct stack s = {
		.dev = "v0", .queue = "opt-v0", .egress = true,
		.made_ifb = true, .made_clsact = true,
	};
	struct filter_query f;
	bool any, whole;
	int prog, fd;

	prog = classifier_load("v0", &error);
	fd = classifier_load_redirect("v0", "opt-v0", &error);
	s.ifindex = netlink_ifindex("v0");
	ok_eq(stack_redirect(&s, fd, &error), 0, "redirect by BPF");
	ok_eq(filter_find(s.ifindex, &f, &error), 0, "look for it");
	ok(f.redirect, "it is there");
	ok(f.by_bpf, "by BPF");
	ok(!f.pass, "and lets EAPOL pass itself");
	ok_eq(stack_find_redirect(&s, &any, &whole, &error), 0, "it is");
	ok(whole, "complete");
	ok_eq(filter_add_bpf(s.ifindex, FILTER_EGRESS, 7, "user", fd), 0,
	      "with a filter of the user");
	filter_find(s.ifindex, &f, &error);
	ok(f.others, "which is none of ours");
	ok_eq(filter_add_bpf(s.ifindex, FILTER_EGRESS, 7, "user", -1), -EBADF,
	      "no program, no filter");
	ok_eq(stack_redirect_undo(&s, &error), 0, "undo it");
	filter_find(s.ifindex, &f, &error);
	ok(!f.redirect, "it is gone");
	ok(f.others, "the user's stays");
	s.keep[0] = '\0';
	strcpy(s.keep, "keep-v0");
	s.egress = false;
	close(prog);
	prog = classifier_load_keep("v0", &error);
	ok_eq(stack_keep(&s, prog, &netns_logs, &error), 0,
	      "the program of an ifb");
	ok(!sh("tc filter show dev keep-v0 egress | grep -q keep"), "is there");
	ok(!stack_redirects_by_bpf(&s), "an ifb needs mirred");
	close(prog);
	close(fd);
	classifier_unload("v0");
	need("ip link del keep-v0; tc qdisc del dev v0 clsact");
}

/* The next file that is opened gets it */
static int free_fd(void)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

/* A redirect that is made again is by the same program */
static void test_restore(void)
{
	struct state st = { .ready = true, .stack = {
		.dev = "v0", .queue = "opt-v0", .egress = true,
		.made_ifb = true, .made_clsact = true,
	} };
	const int prog = classifier_load("v0", &error);
	const int fd = classifier_load_redirect("v0", "opt-v0", &error);
	const int before = free_fd();
	struct filter_query f;
	bool done;

	st.stack.ifindex = netlink_ifindex("v0");
	if (stack_redirect(&st.stack, fd, &error) || state_save(&st, &error))
		abort();
	ok_eq(redirect_restore(&st, &done, &error), 0, "redirect once more");
	ok(done, "it is");
	filter_find(st.stack.ifindex, &f, &error);
	ok(f.redirect, "there");
	ok(f.by_bpf, "by the program that is pinned");
	ok_eq(free_fd(), before, "and no file is left open");
	stack_redirect_undo(&st.stack, &error);
	close(prog);
	close(fd);
	classifier_unload("v0");
	state_remove("v0");
	sh("tc qdisc del dev v0 clsact 2>/dev/null");
}

/* What keep-DEV knows of the interface, if it is an ifb */
static void test_keep(void)
{
	struct state st = { .stack = { .dev = "v0", .queue = "opt-v0" } };
	char pins[CLASSIFIER_PATH];
	struct keep_link link = { 0 };
	struct keep *k;
	uint32_t key = 0;
	int prog, map;

	if (state_save(&st, &error))
		abort();
	need("ip link add keep-v0 type ifb; ip link set keep-v0 up; ip addr add 10.1.0.1/24 dev v0");
	k = keep_open("v0", &netns_logs);
	keep_turn(k, 1000);
	ok_eq(keep_ifindex(k), 0, "without its program nothing is kept");
	ok_str(netns_logged(), "keep-v0: no program for it: the addresses of v0 are not kept",
	       "which is logged");
	keep_close(k);
	prog = classifier_load("v0", &error);
	close(prog);
	prog = classifier_load_keep("v0", &error);
	k = keep_open("v0", &netns_logs);
	keep_turn(k, 1000);
	ok_eq(keep_ifindex(k), netlink_ifindex("keep-v0"), "with it there is");
	classifier_pins("v0", pins);
	map = classifier_map(pins, "keep_link");
	ok_eq(bpf_map_lookup_elem(map, &key, &link), 0, "its map");
	ok_eq(link.ifindex, netlink_ifindex("v0"), "has the interface");
	ok_str(out("cat /sys/class/net/v0/address"), mac(link.address),
	       "with its link address");
	ok_str(out("cat /sys/class/net/keep-v0/address"), mac(link.own),
	       "and that of keep-DEV");
	keep_close(k);
	close(map);
	close(prog);
	classifier_unload("v0");
	state_remove("v0");
	need("ip link del keep-v0");
}

/*
 * Destinations
 */

static struct dests dests;

static void put_flow(uint32_t id, uint8_t host, uint8_t kind, uint64_t newest)
{
	struct ros_flow f = { .name = { .kind = kind }, .newest = newest };
	uint8_t to[16] = { 10, 0, 0, host };

	f.name.writer.entity = id;
	if (kind == ROS_RTPS6 || kind == ROS_SEGMENT6) {
		memset(to, 0, sizeof(to));
		to[0] = 0xfd;
		to[15] = host;
		memcpy(f.daddr6, to, 16);
	}
	memcpy(&f.name.daddr, to, 4);
	if (bpf_map_update_elem(dests.flows, &id, &f, BPF_ANY))
		abort();
}

static void put_recent(uint32_t slot, uint8_t host, uint64_t newest)
{
	struct ros_recent r = { .newest = newest, .check = 1 };
	uint8_t to[4] = { 10, 0, 0, host };

	memcpy(&r.name.daddr, to, 4);
	if (bpf_map_update_elem(dests.recent, &slot, &r, BPF_ANY))
		abort();
}

static const char *dest(int i)
{
	static char text[IP_ADDR_TEXT];

	return i < dests.n ? ip_addr_text(&dests.v[i].addr, text) : "none";
}

static void test_dests(void)
{
	uint32_t id = 1;

	ok(!dests_read(&dests, 1000), "without flows there is nothing new");
	ok_eq(dests.n, 0, "and no destination");
	put_flow(1, 7, ROS_RTPS, 5);
	ok(dests_read(&dests, 2000), "a flow is new");
	ok_eq(dests.n, 1, "its destination");
	ok_str(dest(0), "10.0.0.7", "has an address");
	ok(dest_used(&dests.v[0], 2000), "in use");
	ok(!dests_read(&dests, 3000), "nothing has changed");
	ok_eq(dests.v[0].moved_at, 2000, "and nothing was sent");
	put_flow(1, 7, ROS_RTPS, 6);
	ok(!dests_read(&dests, 4000), "a message is no new destination");
	ok_eq(dests.v[0].moved_at, 4000, "but it was used");
	put_recent(3, 7, 100);
	dests_read(&dests, 5000);
	ok_eq(dests.v[0].moved_at, 5000, "so it is by a message of `recent`");
	put_recent(4, 9, 100);
	ok(!dests_read(&dests, 6000), "which names no new destination");
	ok_eq(dests.v[0].moved_at, 5000, "nor those of others");
	ok(dest_used(&dests.v[0], 5000 + DESTS_USED_MS - 1), "for ten minutes");
	ok(!dest_used(&dests.v[0], 5000 + DESTS_USED_MS), "and no longer");
	put_flow(2, 7, ROS_SEGMENT, 1);
	ok(!dests_read(&dests, 7000), "another flow to the same host");
	ok_eq(dests.n, 1, "is the same destination");
	put_flow(3, 8, ROS_RTPS6, 1);
	put_flow(4, 9, ROS_SEGMENT6, 1);
	put_flow(5, 10, ROS_UDPROS, 1);
	ok(dests_read(&dests, 8000), "others");
	ok_eq(dests.n, 4, "have their own");
	bpf_map_delete_elem(dests.flows, &id);
	id = 2;
	bpf_map_delete_elem(dests.flows, &id);
	ok(dests_read(&dests, 9000), "flows that are forgotten");
	ok_eq(dests.n, 3, "have none");
	for (int i = 0; i < 3; i++)
		ok(strcmp(dest(i), "10.0.0.7"), "%s is left", dest(i));
}

static void test_many(void)
{
	for (uint32_t i = 0; i < DESTS_MAX + 20; i++) {
		struct ros_flow f = { .name = { .kind = ROS_RTPS } };
		uint32_t id = 1000 + i;

		f.name.daddr = 0x0100000b + (i << 8);
		if (bpf_map_update_elem(dests.flows, &id, &f, BPF_ANY))
			abort();
	}
	ok(dests_read(&dests, 10000), "more than there is room for");
	ok_eq(dests.n, DESTS_MAX, "are cut");
	ok(!dests_read(&dests, 11000), "and stay the same");
}

int main(void)
{
	char pins[CLASSIFIER_PATH];
	int prog;

	netns_enter();
	netns_cable("v0", "v1");
	need("ip link add opt-v0 type ifb; ip link set opt-v0 up");
	if (classifier_load("v0", &error) < 0) {
		printf("1..0 # SKIP %s\n", error.text);
		return 0;
	}
	classifier_unload("v0");
	test_pins();
	test_names();
	test_redirect();
	test_restore();
	test_keep();
	prog = classifier_load("v0", &error);
	classifier_pins("v0", pins);
	dests.flows = classifier_map(pins, "flows");
	dests.recent = classifier_map(pins, "recent");
	test_dests();
	test_many();
	close(prog);
	classifier_unload("v0");
	return tap_done();
}
