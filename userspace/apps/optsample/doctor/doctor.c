// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings: what the checks of `optsample doctor` report.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/doctor/doctor.h"

/* Text may quote files: remove what breaks terminals or JSON */
static void printable(char *s)
{
	for (; *s; s++)
		if (*s < 0x20 || *s > 0x7e)
			*s = '?';
}

static void format_text(char text[DOCTOR_TEXT], const char *format,
			va_list args)
{
	vsnprintf(text, DOCTOR_TEXT, format, args);
	printable(text);
}

void finding_add(struct doctor *d, enum doctor_level level, const char *part,
		 const char *format, ...)
{
	struct finding *f;
	va_list args;

	f = realloc(d->found, (d->nfound + 1) * sizeof(*f));
	if (!f)
		abort();
	d->found = f;
	f += d->nfound++;
	memset(f, 0, sizeof(*f));
	snprintf(f->id, sizeof(f->id), "%s%s%s", d->check, part ? "." : "",
		 part ?: "");
	assert(strlen(f->id) < sizeof(f->id) - 1);
	f->level = level;
	if (d->dev)
		snprintf(f->dev, IFNAMSIZ, "%.15s", d->dev->name);
	va_start(args, format);
	format_text(f->text, format, args);
	va_end(args);
}

void finding_fix(struct doctor *d, const char *format, ...)
{
	va_list args;

	assert(d->nfound);
	va_start(args, format);
	format_text(d->found[d->nfound - 1].fix, format, args);
	va_end(args);
}

void finding_fix_package(struct doctor *d, const char *package,
			 const char *what, const char *name)
{
	char format[DOCTOR_TEXT];

	if (is_distribution(d, "debian") || is_distribution(d, "ubuntu"))
		snprintf(format, sizeof(format), "apt install %s", package);
	else
		snprintf(format, sizeof(format), "install %s", what);
	finding_fix(d, format, name);
}

const char *doctor_level_name(enum doctor_level level)
{
	static const char *const names[] = {
		[DOCTOR_OK]		= "ok",
		[DOCTOR_NOTE]		= "note",
		[DOCTOR_WARNING]	= "warning",
		[DOCTOR_ERROR]		= "error",
	};

	assert(level <= DOCTOR_ERROR);
	return names[level];
}
