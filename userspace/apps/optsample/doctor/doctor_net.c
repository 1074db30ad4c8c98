// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sysctls that matter for large messages, and the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include "apps/optsample/doctor/doctor.h"

enum {
	NET_RMEM_MAX	= 8 << 20,
	NET_RMEM_LITTLE	= 2 << 20,	/* two raw images */
	NET_RMEM_FASTDDS = 1 << 20,
	NET_FRAG_THRESH	= 128 << 20,
	NET_FRAG_LITTLE	= 16 << 20,
	NET_FRAG_TIME_S	= 3,
	NET_FRAG_LONG_S	= 10,
};

static long long sysctl_read(struct doctor *d, const char *path,
			     const char *part)
{
	long long n = doctor_number(d, -1, "/proc/sys/%s", path);

	if (n < 0)
		finding_add(d, DOCTOR_NOTE, part, "cannot tell %s", path);
	return n;
}

/* Set it now, and for the next boot */
static void fix_sysctl(struct doctor *d, const char *name, long long value)
{
	finding_fix(d, "echo %s=%lld >>/etc/sysctl.d/60-optsample.conf && sysctl --system",
		    name, value);
}

void check_receive_buffer(struct doctor *d)
{
	long long max = sysctl_read(d, "net/core/rmem_max", NULL);
	long long usual = doctor_number(d, NET_RMEM_FASTDDS,
					"/proc/sys/net/core/rmem_default");

	if (max >= 0 && max <= NET_RMEM_LITTLE) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "sockets may hold %lld kB only: images that arrive at once are lost",
			    max >> 10);
		fix_sysctl(d, "net.core.rmem_max", NET_RMEM_MAX);
	} else if (max >= 0) {
		finding_add(d, DOCTOR_OK, NULL, "sockets may hold %lld kB",
			    max >> 10);
	}
	if (usual < NET_RMEM_FASTDDS) {
		finding_add(d, DOCTOR_NOTE, "default",
			    "sockets that do not ask for more (Fast DDS) hold %lld kB",
			    usual >> 10);
		fix_sysctl(d, "net.core.rmem_default", 2 * NET_RMEM_FASTDDS);
	}
}

static void fragments_of(struct doctor *d, const char *dir, const char *name)
{
	char path[64], key[64];
	long long thresh, time_s;

	snprintf(path, sizeof(path), "net/%s_high_thresh", dir);
	thresh = sysctl_read(d, path, name);
	snprintf(path, sizeof(path), "net/%s_time", dir);
	time_s = doctor_number(d, 0, "/proc/sys/%s", path);
	if (thresh >= 0 && thresh < NET_FRAG_LITTLE) {
		finding_add(d, DOCTOR_WARNING, name,
			    "%lld kB for fragments of IP packets (%s): lost pieces of large messages fill it, and whole ones are dropped",
			    thresh >> 10, name);
		snprintf(key, sizeof(key), "net.%s.%s_high_thresh",
			 !strcmp(name, "ipv4") ? "ipv4" : "ipv6",
			 !strcmp(name, "ipv4") ? "ipfrag" : "ip6frag");
		fix_sysctl(d, key, NET_FRAG_THRESH);
	} else if (thresh >= 0) {
		finding_add(d, DOCTOR_OK, name, "%lld kB for fragments of %s",
			    thresh >> 10, name);
	}
	if (time_s > NET_FRAG_LONG_S) {
		snprintf(path, sizeof(path), "%s_time", name);
		finding_add(d, DOCTOR_NOTE, path,
			    "pieces of incomplete %s packets are held for %lld s",
			    name, time_s);
		snprintf(key, sizeof(key), "net.%s.%s_time",
			 !strcmp(name, "ipv4") ? "ipv4" : "ipv6",
			 !strcmp(name, "ipv4") ? "ipfrag" : "ip6frag");
		fix_sysctl(d, key, NET_FRAG_TIME_S);
	}
}

void check_fragments(struct doctor *d)
{
	fragments_of(d, "ipv4/ipfrag", "ipv4");
	if (doctor_exists(d, "/proc/sys/net/ipv6"))
		fragments_of(d, "ipv6/ip6frag", "ipv6");
}

void check_rp_filter(struct doctor *d)
{
	const char *dev = d->dev->name;
	long long all, own;

	all = doctor_number(d, -1, "/proc/sys/net/ipv4/conf/all/rp_filter");
	own = doctor_number(d, -1, "/proc/sys/net/ipv4/conf/%s/rp_filter",
			    dev);
	if (all < 0 && own < 0) {
		finding_add(d, DOCTOR_NOTE, NULL, "cannot tell rp_filter");
	} else if ((all > own ? all : own) == 1) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "strict reverse path filter: packets of peers are dropped while the route to them leads elsewhere");
		finding_fix(d, "echo net.ipv4.conf.%s.rp_filter=2 >>/etc/sysctl.d/60-optsample.conf && sysctl --system",
			    dev);
	} else {
		finding_add(d, DOCTOR_OK, NULL,
			    "reverse path filter is not strict");
	}
}

/*
 * Clock
 */

struct clock_look {
	bool	known;
	bool	synchronised;
	int	year;
};

static void clock_facts(const struct doctor *d, struct clock_look *c)
{
	char value[DOCTOR_VALUE];

	c->known = doctor_fact(d, "clock_synchronised", value);
	c->synchronised = c->known && text_true(value);
	c->year = doctor_fact(d, "year", value) ? atoi(value) : 2026;
}

static void clock_look(const struct doctor *d, struct clock_look *c)
{
	struct timex t = { 0 };
	time_t now = time(NULL);
	struct tm tm;
	int state;

	if (*d->root) {
		clock_facts(d, c);
		return;
	}
	state = adjtimex(&t);
	c->known = state >= 0;
	c->synchronised = state >= 0 && state != TIME_ERROR &&
			  !(t.status & STA_UNSYNC);
	c->year = gmtime_r(&now, &tm) ? tm.tm_year + 1900 : 0;
}

static const char *clock_service(const struct doctor *d)
{
	static const char *const names[] = {
		"chronyd", "systemd-timesyncd", "ntpd", "ntpsec", "openntpd",
		"ptp4l",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (proc_find(d, names[i]))
			return names[i];
	return NULL;
}

void check_clock(struct doctor *d)
{
	const char *service = clock_service(d);
	struct clock_look c;

	clock_look(d, &c);
	if (c.year < 2020) {
		finding_add(d, DOCTOR_WARNING, "year",
			    "the clock says %d: samples by time, and delays, are wrong when it is set",
			    c.year);
		finding_fix(d, "date --set=YYYY-MM-DDThh:mm:ss, or a time server");
	}
	if (!c.known) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell whether the clock is synchronised");
	} else if (c.synchronised) {
		finding_add(d, DOCTOR_OK, NULL,
			    "the clock is synchronised%s%s",
			    service ? " by " : "", service ?: "");
	} else if (service) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "%s runs, but the clock is not synchronised",
			    service);
		finding_fix(d, strcmp(service, "chronyd") ? "timedatectl timesync-status" :
			    "chronyc sources");
	} else {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "the clock is not synchronised: ages of messages on other machines are wrong");
		finding_fix_package(d, "chrony", "chrony", NULL);
	}
}
