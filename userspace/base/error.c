// SPDX-License-Identifier: GPL-2.0-only
/*
 * error.c - the line that says why a call failed
 */
#include <stdarg.h>
#include <stdio.h>
#include "base/error.h"

int error_set(char error[ERROR_TEXT], int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, ERROR_TEXT, format, args);
	va_end(args);
	return err;
}
