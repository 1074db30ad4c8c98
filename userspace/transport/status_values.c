// SPDX-License-Identifier: GPL-2.0-only
/*
 * status_values - the values of a diagnostic_msgs/DiagnosticStatus
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include "transport/status_values.h"

void status_values_put(struct status_values *v, struct message_status *s,
		       const char *key, const char *format, ...)
{
	char *at = v->text + v->used;
	va_list ap;
	int n;

	assert(v->used <= STATUS_TEXT && s->values <= MESSAGE_VALUES);
	va_start(ap, format);
	n = vsnprintf(at, STATUS_TEXT - v->used, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= STATUS_TEXT - v->used ||
	    s->values == MESSAGE_VALUES)
		return;
	v->used += n + 1;
	s->value[s->values].key = message_string(key);
	s->value[s->values++].value = message_string(at);
}
