// SPDX-License-Identifier: GPL-2.0-only
/*
 * input_report - what became of input
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include "base/service.h"
#include "base/utf8.h"
#include "map/ros/input_report.h"

void input_report_open(struct input_report *r, int64_t newest,
		       void (*refused)(void *arg, const char *line), void *arg)
{
	assert(refused);
	*r = (struct input_report){ .refused = refused, .arg = arg,
				    .unmatched = -1 };
	stamps_begin(&r->stamps, newest);
	pthread_mutex_init(&r->lock, NULL);
}

void input_report_close(struct input_report *r)
{
	pthread_mutex_destroy(&r->lock);
}

uint64_t input_report_count(struct input_report *r, enum input_counter what,
			    unsigned int n)
{
	uint64_t count;

	assert(what < INPUT_COUNTERS);
	pthread_mutex_lock(&r->lock);
	count = r->count[what] += n;
	pthread_mutex_unlock(&r->lock);
	return count;
}

int input_report_refuse(struct input_report *r, const char *topic, int err,
			const char *format, ...)
{
	char why[ERROR_TEXT], line[ERROR_TEXT], clean[ERROR_TEXT];
	va_list args;

	assert(err < 0);
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "%.80s: %.170s", topic, why);
	/* it has frame names of others: make it valid for logs and JSON */
	utf8_clean(line, sizeof(line), clean, sizeof(clean));
	pthread_mutex_lock(&r->lock);
	strcpy(r->error.text, clean);
	r->count[INPUT_REFUSED]++;
	pthread_mutex_unlock(&r->lock);
	r->refused(r->arg, clean);
	return err;
}

/* Old stamps are valid: recordings. For future ones see stamps.h */
int input_report_stamp(struct input_report *r, const char *topic, int64_t stamp,
		       int64_t wall, uint64_t now)
{
	int64_t ahead;
	bool good, log;

	if (stamp < 0)
		return input_report_refuse(r, topic, -EINVAL,
					   "stamp before 1970");
	pthread_mutex_lock(&r->lock);
	good = stamps_take(&r->stamps, stamp, wall, now);
	ahead = stamps_ahead(&r->stamps, wall);
	log = good && ahead && !r->skew_logged;
	r->skew_logged |= log;
	pthread_mutex_unlock(&r->lock);
	if (log)
		service_logf(LOG_WARNING, "%s: stamps are %.0f s (%.1f days) "
			     "ahead of this machine's clock: clocks differ, "
			     "stamps are compared with each other", topic,
			     ahead * 1e-9, ahead / 86400e9);
	return good ? 0 : input_report_refuse(r, topic, -EINVAL,
					      "stamp is %.0f s in the future",
					      (stamp - wall) * 1e-9);
}

void input_report_unmatched(struct input_report *r, unsigned int count)
{
	pthread_mutex_lock(&r->lock);
	r->unmatched = count;
	pthread_mutex_unlock(&r->lock);
}

void input_report_status(struct input_report *r, int64_t wall, cJSON *out)
{
	static const char *const names[INPUT_COUNTERS] = {
		[INPUT_MESSAGES] = "messages",
		[INPUT_SUBMAPS] = "submaps_stored",
		[INPUT_TRANSFORMS] = "transforms_stored",
		[INPUT_EDGES] = "edges_stored",
		[INPUT_REFUSED] = "refused",
		[INPUT_LOST] = "lost",
	};
	int64_t ahead;

	pthread_mutex_lock(&r->lock);
	for (int i = 0; i < INPUT_COUNTERS; i++)
		cJSON_AddNumberToObject(out, names[i], r->count[i]);
	if (r->unmatched >= 0)
		cJSON_AddNumberToObject(out, "unmatched", r->unmatched);
	ahead = stamps_ahead(&r->stamps, wall);
	if (ahead)
		cJSON_AddNumberToObject(out, "stamps_ahead", ahead / 1e9);
	if (*r->error.text)
		cJSON_AddStringToObject(out, "last_error", r->error.text);
	pthread_mutex_unlock(&r->lock);
}
