// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwsim-medium - the air between the radios of mac80211_hwsim
 *
 * Without a medium hwsim hands every frame over at once and never loses one.
 * This program registers as the medium and carries each frame the way a real
 * channel does: one at a time, in the order of its radio, taking the time the
 * bits take, retried with growing back-off, and reported as acknowledged or
 * not only when that time is over. Between `ctl down` and `ctl up` nothing
 * arrives; the senders find out by themselves, as on a robot that drove
 * around a corner. Between `ctl stall` and `ctl go` beacons and all that is
 * short arrive, data does not: a link that stands and carries nothing. `ctl
 * muteN` takes radio N out of the air until `ctl hearN`: an access point that
 * falls silent while another one goes on.
 *
 * Model: a channel of 802.11a/g with fixed rate. Stations take turns;
 * management and null frames go before data (hardware has a queue of its own
 * for them). Retries use the basic rate, the number of tries is fixed.
 *
 * Limits: all radios hear each other and are on one channel; no aggregation;
 * no interference; the frame under way when the link changes ends as begun.
 * Runs in the network namespace that hwsim was loaded in, as root.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "hwsim.h"

/* 802.11a/g timing, microseconds */
enum {
	SLOT_US		= 9,
	DIFS_US		= 34,
	PLCP_US		= 20,
	ACK_US		= 16 + 44,	/* SIFS, and the ACK at a basic rate */
	CW_MIN		= 15,
	CW_MAX		= 1023,
};

#define BASIC_BPS	6000000U
#define SIGNAL_DBM	(-50)
#define RADIOS_MAX	16
#define STALL_BYTES	200		/* what is longer is data */
#define QUEUE_MAX	4096		/* hwsim itself keeps 100 at most */
#define RCVBUF_BYTES	(16 << 20)
#define SOCK_DEFAULT	"/run/hwsim-medium.sock"

enum { QUEUE_URGENT, QUEUE_DATA, QUEUES };

/**
 * struct frame - a frame that waits for the air
 * @next:	behind it
 * @arrived_ns:	when the kernel handed it over
 * @cookie:	how the kernel calls it
 * @flags:	HWSIM_TX_CTL_*
 * @freq:	MHz, 0 when the kernel did not say
 * @rates:	what the rate control asked for; only reported back
 * @len:	bytes in @data
 * @data:	802.11 header and body
 */
struct frame {
	struct frame *next;
	uint64_t arrived_ns;
	uint64_t cookie;
	uint32_t flags;
	uint32_t freq;
	struct hwsim_tx_rate rates[HWSIM_RATES];
	uint32_t len;
	uint8_t data[];
};

struct queue {
	struct frame *head;
	struct frame **tail;
	unsigned int len;
};

/**
 * struct radio
 * @addr:	how hwsim calls it
 * @mac:	who it said it is when it sent last
 * @muted:	it neither hears nor is heard
 * @queues:	what waits for the air
 */
struct radio {
	uint8_t addr[6];
	uint8_t mac[6];
	bool muted;
	struct queue queues[QUEUES];
};

struct counters {
	uint64_t frames;
	uint64_t acked;
	uint64_t failed;
	uint64_t tries;
	uint64_t overflow;
};

static struct medium {
	struct nl_sock *nl;
	int family;
	int ctl;
	struct radio radios[RADIOS_MAX];
	unsigned int nradios;
	unsigned int turn;		/* radio that sent last */
	struct frame *air;		/* under way */
	struct radio *sender;
	bool arrives;
	unsigned int tries;
	uint64_t until_ns;		/* the air is taken until then */
	uint32_t bps;
	uint32_t tries_max;
	double loss;			/* probability per try */
	bool down;
	bool stall;			/* for what is long */
	bool verbose;
	struct counters count;
} m = { .bps = 24000000, .tries_max = 7, .ctl = -1 };

static volatile sig_atomic_t ending;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/*
 * Queues
 */

static void queue_push(struct queue *q, struct frame *f)
{
	f->next = NULL;
	if (!q->head)
		q->tail = &q->head;
	*q->tail = f;
	q->tail = &f->next;
	q->len++;
}

static struct frame *queue_pop(struct queue *q)
{
	struct frame *f = q->head;

	if (!f)
		return NULL;
	q->head = f->next;
	q->len--;
	return f;
}

static struct radio *radio_find(const uint8_t *addr)
{
	struct radio *r;
	unsigned int i;

	for (i = 0; i < m.nradios; i++)
		if (!memcmp(m.radios[i].addr, addr, 6))
			return &m.radios[i];
	if (m.nradios == RADIOS_MAX)
		return NULL;
	r = &m.radios[m.nradios++];
	memcpy(r->addr, addr, 6);
	return r;
}

/* Management, and data frames without data: hardware's own queue. */
static bool frame_urgent(const struct frame *f)
{
	unsigned int type = (f->data[0] >> 2) & 3, subtype = f->data[0] >> 4;

	return type == 0 || (type == 2 && (subtype & 4));
}

static bool frame_group(const struct frame *f)
{
	return f->data[4] & 1;
}

static bool frame_data(const struct frame *f)
{
	return ((f->data[0] >> 2) & 3) == 2 && !frame_urgent(f);
}

/* Return: the radio that is to acknowledge it, NULL for none or unknown */
static const struct radio *frame_receiver(const struct frame *f)
{
	unsigned int i;

	for (i = 0; i < m.nradios; i++)
		if (!memcmp(m.radios[i].mac, f->data + 4, 6))
			return &m.radios[i];
	return NULL;
}

/*
 * Netlink out
 */

static struct nl_msg *msg_new(int cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, m.family, 0,
				NLM_F_REQUEST, cmd, 1)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static void msg_send(struct nl_msg *msg)
{
	nl_send_auto(m.nl, msg);
	nlmsg_free(msg);
}

static void report_status(const struct radio *r, const struct frame *f)
{
	struct hwsim_tx_rate rates[HWSIM_RATES];
	struct nl_msg *msg = msg_new(HWSIM_CMD_TX_INFO_FRAME);
	uint32_t flags = f->flags;
	int i;

	if (!msg)
		return;
	if (m.arrives && !frame_group(f))
		flags |= HWSIM_TX_STAT_ACK;
	for (i = 0; i < HWSIM_RATES; i++)
		rates[i] = (struct hwsim_tx_rate){ .idx = -1 };
	rates[0].idx = f->rates[0].idx;
	rates[0].count = (uint8_t)m.tries;
	nla_put(msg, HWSIM_ATTR_ADDR_TRANSMITTER, 6, r->addr);
	nla_put_u32(msg, HWSIM_ATTR_FLAGS, flags);
	nla_put_u32(msg, HWSIM_ATTR_SIGNAL, (uint32_t)SIGNAL_DBM);
	nla_put(msg, HWSIM_ATTR_TX_INFO, sizeof(rates), rates);
	nla_put_u64(msg, HWSIM_ATTR_COOKIE, f->cookie);
	msg_send(msg);
}

static void deliver(const struct radio *to, const struct frame *f)
{
	struct nl_msg *msg = msg_new(HWSIM_CMD_FRAME);

	if (!msg)
		return;
	nla_put(msg, HWSIM_ATTR_ADDR_RECEIVER, 6, to->addr);
	nla_put(msg, HWSIM_ATTR_FRAME, (int)f->len, f->data);
	nla_put_u32(msg, HWSIM_ATTR_RX_RATE, 0);
	nla_put_u32(msg, HWSIM_ATTR_SIGNAL, (uint32_t)SIGNAL_DBM);
	if (f->freq)
		nla_put_u32(msg, HWSIM_ATTR_FREQ, f->freq);
	msg_send(msg);
}

/*
 * The air
 */

static uint64_t air_us(const struct frame *f, uint32_t bps)
{
	return PLCP_US + (uint64_t)f->len * 8 * 1000000 / bps;
}

/* Mean of a uniform back-off, doubling with every try. */
static uint64_t backoff_us(unsigned int try)
{
	uint64_t cw = ((uint64_t)(CW_MIN + 1) << try) - 1;

	return DIFS_US + SLOT_US * (cw < CW_MAX ? cw : CW_MAX) / 2;
}

/* Can it arrive at all? */
static bool air_carries(const struct radio *from, const struct frame *f)
{
	const struct radio *to = frame_receiver(f);

	if (m.down || from->muted || (to && to->muted))
		return false;
	return !m.stall || !frame_data(f) || f->len <= STALL_BYTES;
}

static void air_begin(struct radio *r, struct frame *f)
{
	bool once = frame_group(f) || (f->flags & HWSIM_TX_CTL_NO_ACK);
	bool basic = once || frame_urgent(f);
	uint64_t us = 0;

	m.air = f;
	m.sender = r;
	m.arrives = false;
	for (m.tries = 0; m.tries < (once ? 1 : m.tries_max); ) {
		us += backoff_us(m.tries) + ACK_US +
			air_us(f, basic || m.tries ? BASIC_BPS : m.bps);
		m.tries++;
		m.arrives = air_carries(r, f) && drand48() >= m.loss;
		if (m.arrives)
			break;
	}
	/* What we slept too long is not the channel's fault: catch up. */
	if (m.until_ns < f->arrived_ns)
		m.until_ns = f->arrived_ns;
	m.until_ns += us * 1000;
}

static void air_end(void)
{
	unsigned int i;

	m.count.frames++;
	m.count.tries += m.tries;
	if (m.arrives) {
		m.count.acked++;
		for (i = 0; i < m.nradios; i++)
			if (&m.radios[i] != m.sender && !m.radios[i].muted)
				deliver(&m.radios[i], m.air);
	} else {
		m.count.failed++;
	}
	report_status(m.sender, m.air);
	free(m.air);
	m.air = NULL;
}

static bool air_next(void)
{
	struct radio *r;
	struct frame *f;
	unsigned int i;
	int q;

	for (i = 1; i <= m.nradios; i++) {
		r = &m.radios[(m.turn + i) % m.nradios];
		for (q = 0; q < QUEUES; q++) {
			f = queue_pop(&r->queues[q]);
			if (!f)
				continue;
			m.turn = (unsigned int)(r - m.radios);
			air_begin(r, f);
			return true;
		}
	}
	return false;
}

/* Return: nanoseconds until there is something to do, -1 for never. */
static int64_t air_run(void)
{
	uint64_t now;

	for (;;) {
		if (!m.air && !air_next())
			return -1;
		now = clock_ns(CLOCK_MONOTONIC);
		if (now < m.until_ns)
			return (int64_t)(m.until_ns - now);
		air_end();
	}
}

/*
 * Netlink in
 */

static int on_frame(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct nlattr *tb[HWSIM_ATTR_LAST + 1];
	struct genlmsghdr *gnlh = genlmsg_hdr(nlh);
	struct radio *r;
	struct frame *f;
	struct queue *q;
	int len;

	(void)arg;
	if (gnlh->cmd != HWSIM_CMD_FRAME ||
	    genlmsg_parse(nlh, 0, tb, HWSIM_ATTR_LAST, NULL) ||
	    !tb[HWSIM_ATTR_ADDR_TRANSMITTER] || !tb[HWSIM_ATTR_FRAME] ||
	    !tb[HWSIM_ATTR_COOKIE])
		return NL_OK;
	r = radio_find(nla_data(tb[HWSIM_ATTR_ADDR_TRANSMITTER]));
	len = nla_len(tb[HWSIM_ATTR_FRAME]);
	if (!r || len < 10)
		return NL_OK;
	/* an ACK has no sender */
	if (len >= 16)
		memcpy(r->mac, (uint8_t *)nla_data(tb[HWSIM_ATTR_FRAME]) + 10, 6);
	f = calloc(1, sizeof(*f) + (size_t)len);
	if (!f)
		return NL_OK;
	f->arrived_ns = clock_ns(CLOCK_MONOTONIC);
	f->cookie = nla_get_u64(tb[HWSIM_ATTR_COOKIE]);
	f->len = (uint32_t)len;
	memcpy(f->data, nla_data(tb[HWSIM_ATTR_FRAME]), (size_t)len);
	if (tb[HWSIM_ATTR_FLAGS])
		f->flags = nla_get_u32(tb[HWSIM_ATTR_FLAGS]);
	if (tb[HWSIM_ATTR_FREQ])
		f->freq = nla_get_u32(tb[HWSIM_ATTR_FREQ]);
	if (tb[HWSIM_ATTR_TX_INFO])
		nla_memcpy(f->rates, tb[HWSIM_ATTR_TX_INFO], sizeof(f->rates));
	q = &r->queues[frame_urgent(f) ? QUEUE_URGENT : QUEUE_DATA];
	if (q->len >= QUEUE_MAX) {
		m.count.overflow++;
		free(f);
		return NL_OK;
	}
	queue_push(q, f);
	return NL_OK;
}

/* A radio that sleeps refuses a frame: no reason to stop. */
static int on_error(struct sockaddr_nl *who, struct nlmsgerr *e, void *arg)
{
	(void)who;
	(void)arg;
	if (m.verbose)
		fprintf(stderr, "hwsim-medium: kernel: %s\n",
			strerror(-e->error));
	return NL_SKIP;
}

static int medium_register(void)
{
	struct nl_msg *msg;
	int err, fd, bytes = RCVBUF_BYTES;

	m.nl = nl_socket_alloc();
	if (!m.nl)
		return -ENOMEM;
	err = genl_connect(m.nl);
	if (err < 0)
		return -ECONNREFUSED;
	m.family = genl_ctrl_resolve(m.nl, HWSIM_FAMILY);
	if (m.family < 0)
		return -ENODEV;
	nl_socket_disable_auto_ack(m.nl);
	msg = msg_new(HWSIM_CMD_REGISTER);
	if (!msg)
		return -ENOMEM;
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	nl_send_auto(m.nl, msg);
	nlmsg_free(msg);
	err = nl_wait_for_ack(m.nl);
	if (err < 0)
		return err == -NLE_PERM ? -EPERM : -EBUSY;
	fd = nl_socket_get_fd(m.nl);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	nl_socket_set_nonblocking(m.nl);
	nl_socket_disable_seq_check(m.nl);
	nl_socket_modify_cb(m.nl, NL_CB_VALID, NL_CB_CUSTOM, on_frame, NULL);
	nl_socket_modify_err_cb(m.nl, NL_CB_CUSTOM, on_error, NULL);
	return 0;
}

/*
 * Control
 */

static int ctl_address(struct sockaddr_un *un, const char *path)
{
	*un = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	strcpy(un->sun_path, path);
	return 0;
}

static int ctl_open(const char *path)
{
	struct sockaddr_un un;
	int err = ctl_address(&un, path);

	if (err)
		return err;
	m.ctl = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlink(path);
	if (m.ctl < 0 || bind(m.ctl, (struct sockaddr *)&un, sizeof(un)))
		return -errno;
	return 0;
}

static void ctl_reply(const struct sockaddr_un *to, socklen_t len,
		      const char *word)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);
	char text[256];
	int n;

	n = snprintf(text, sizeof(text),
		     "{\"time\":%llu.%09llu,\"event\":\"%s\",\"link\":\"%s\","
		     "\"frames\":%llu,\"arrived\":%llu,\"failed\":%llu,"
		     "\"tries\":%llu,\"overflow\":%llu}\n",
		     (unsigned long long)(now / 1000000000),
		     (unsigned long long)(now % 1000000000), word,
		     m.down ? "down" : m.stall ? "stall" : "up",
		     (unsigned long long)m.count.frames,
		     (unsigned long long)m.count.acked,
		     (unsigned long long)m.count.failed,
		     (unsigned long long)m.count.tries,
		     (unsigned long long)m.count.overflow);
	fputs(text, stdout);
	fflush(stdout);
	if (len > sizeof(sa_family_t))
		sendto(m.ctl, text, (size_t)n, 0, (const void *)to, len);
}

/* Return: what to do with radio @n for muteN or hearN, NULL for other words */
static struct radio *ctl_radio(const char *word, bool *muted)
{
	unsigned int n;
	char rest;

	*muted = !strncmp(word, "mute", 4);
	if ((!*muted && strncmp(word, "hear", 4)) ||
	    sscanf(word + 4, "%2u%c", &n, &rest) != 1 || n >= m.nradios)
		return NULL;
	return &m.radios[n];
}

static bool ctl_do(const char *word)
{
	struct radio *r;
	bool muted;

	if (!strcmp(word, "down") || !strcmp(word, "up"))
		m.down = *word == 'd';
	else if (!strcmp(word, "stall") || !strcmp(word, "go"))
		m.stall = *word == 's';
	else if (!strcmp(word, "quit"))
		ending = 1;
	else if ((r = ctl_radio(word, &muted)))
		r->muted = muted;
	else
		return !strcmp(word, "status");
	return true;
}

static void ctl_read(void)
{
	struct sockaddr_un from;
	socklen_t len = sizeof(from);
	char word[32];
	ssize_t n;

	n = recvfrom(m.ctl, word, sizeof(word) - 1, 0, (void *)&from, &len);
	if (n < 0)
		return;
	word[n] = '\0';
	if (!ctl_do(word))
		strcpy(word, "unknown");
	ctl_reply(&from, len, word);
}

static void sleep_until(double at)
{
	struct timespec ts = { .tv_sec = (time_t)at };

	ts.tv_nsec = (long)((at - (double)ts.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
}

/* The client: one word there, one line of JSON back. */
static int ctl_send(const char *path, const char *word, double at)
{
	struct sockaddr_un un, own = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = 5 };
	char text[256];
	ssize_t n;
	int fd;

	sleep_until(at);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (ctl_address(&un, path) ||
	    bind(fd, (struct sockaddr *)&own, sizeof(sa_family_t)) ||
	    connect(fd, (struct sockaddr *)&un, sizeof(un)) ||
	    send(fd, word, strlen(word), 0) < 0 ||
	    (n = recv(fd, text, sizeof(text) - 1, 0)) < 0) {
		fprintf(stderr, "hwsim-medium: no medium at %s: %s\n", path,
			strerror(errno));
		return 1;
	}
	text[n] = '\0';
	if (strstr(text, "\"unknown\"")) {
		fprintf(stderr, "hwsim-medium: ctl: '%s' is no word, or no radio (see --help)\n",
			word);
		return 1;
	}
	fputs(text, stdout);
	return 0;
}

/*
 * Main
 */

static void on_signal(int sig)
{
	(void)sig;
	ending = 1;
}

static void medium_loop(void)
{
	struct pollfd fds[] = {
		{ .fd = nl_socket_get_fd(m.nl), .events = POLLIN },
		{ .fd = m.ctl, .events = POLLIN },
	};
	struct timespec ts;
	int64_t wait;

	while (!ending) {
		wait = air_run();
		ts.tv_sec = wait / 1000000000;
		ts.tv_nsec = wait % 1000000000;
		if (ppoll(fds, 2, wait < 0 ? NULL : &ts, NULL) <= 0)
			continue;
		if (fds[0].revents)
			nl_recvmsgs_default(m.nl);
		if (fds[1].revents)
			ctl_read();
	}
}

static void usage(FILE *to)
{
	fputs("usage: hwsim-medium [--rate MBIT] [--loss P] [--tries N]\n"
	      "                    [--radios N] [--socket PATH] [--verbose]\n"
	      "       hwsim-medium [--socket PATH] [--at TIME] "
	      "ctl WORD\n"
	      "\n"
	      "Carries frames between the radios of mac80211_hwsim.\n"
	      "WORD: down, up    nothing arrives; all does again\n"
	      "      stall, go   no data frame of more than 200 bytes arrives\n"
	      "      muteN       radio N neither hears nor is heard, from 0\n"
	      "      hearN       it does again\n"
	      "      status, quit\n"
	      "\n"
	      "  --rate MBIT    of data frames, 1..1000 (24)\n"
	      "  --loss P       probability that a try is lost, 0..1 (0)\n"
	      "  --tries N      per unicast frame, 1..30 (7)\n"
	      "  --radios N     radios that hwsim was loaded with, 0..16 (2)\n"
	      "  --socket PATH  where ctl talks to it (" SOCK_DEFAULT ")\n"
	      "  --at TIME      when to say it, seconds since the epoch\n"
	      "  --verbose      say what the kernel refuses\n", to);
}

static bool number(const char *text, double min, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= min && *value <= max;
}

static const struct option options[] = {
	{ "rate", required_argument, NULL, 'r' },
	{ "loss", required_argument, NULL, 'l' },
	{ "tries", required_argument, NULL, 't' },
	{ "radios", required_argument, NULL, 'n' },
	{ "socket", required_argument, NULL, 's' },
	{ "at", required_argument, NULL, 'a' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int parse(int argc, char **argv, const char **path, double *radios,
		 double *at)
{
	double value = 0;
	bool ok = true;
	int c;

	while (ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'r':
			ok = number(optarg, 1, 1000, &value);
			m.bps = (uint32_t)(value * 1e6);
			break;
		case 'l':
			ok = number(optarg, 0, 1, &m.loss);
			break;
		case 't':
			ok = number(optarg, 1, 30, &value);
			m.tries_max = (uint32_t)value;
			break;
		case 'n':
			ok = number(optarg, 0, RADIOS_MAX, radios);
			break;
		case 's':
			*path = optarg;
			break;
		case 'a':
			ok = number(optarg, 0, 1e10, at);
			break;
		case 'v':
			m.verbose = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			return -EINVAL;
		}
	}
	if (!ok)
		fprintf(stderr, "hwsim-medium: %s: out of range (see --help)\n",
			optarg);
	return ok ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	/* hwsim's addresses: without them a silent radio heard no beacon */
	uint8_t addr[6] = { 0x42 };
	const char *path = SOCK_DEFAULT;
	struct sigaction sa = { .sa_handler = on_signal };
	double radios = 2, at = 0;
	int err;

	if (parse(argc, argv, &path, &radios, &at))
		return 1;
	if (argc - optind == 2 && !strcmp(argv[optind], "ctl"))
		return ctl_send(path, argv[optind + 1], at);
	if (optind != argc) {
		usage(stderr);
		return 1;
	}
	for (; addr[4] < radios; addr[4]++)
		radio_find(addr);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	err = medium_register();
	if (err) {
		fprintf(stderr, "hwsim-medium: cannot register with mac80211_hwsim: %s\n",
			strerror(-err));
		return 1;
	}
	err = ctl_open(path);
	if (err) {
		fprintf(stderr, "hwsim-medium: %s: %s\n", path, strerror(-err));
		return 1;
	}
	ctl_reply(NULL, 0, "start");
	medium_loop();
	ctl_reply(NULL, 0, "end");
	unlink(path);
	nl_socket_free(m.nl);
	return 0;
}
