// SPDX-License-Identifier: GPL-2.0-only
/*
 * error.c - the line that says why a call failed
 */
#include <stdarg.h>
#include <stdio.h>
#include "base/error.h"

int error_set(struct error *error, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return err;
}
