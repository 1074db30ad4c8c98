/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * error.h - the line that says why a call failed
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum {
	ERROR_TEXT	= 256,		/* bytes of a line, with the final 0 */
	ERROR_REASON	= 128,		/* of one that becomes part of another */
};

/* room for it is the caller's; nothing is written if the call succeeds */
struct error {
	char	text[ERROR_TEXT];
};

/**
 * error_set() - write the line
 * @error:	gets it, cut to ERROR_TEXT
 * @err:	what the caller returns
 *
 * Return: @err.
 */
int error_set(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
