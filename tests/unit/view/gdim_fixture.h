/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gdim_fixture.h - a client of fake_gdimd.h
 */
#ifndef TESTS_VIEW_GDIM_FIXTURE_H
#define TESTS_VIEW_GDIM_FIXTURE_H

#include <sys/stat.h>
#include "fake_gdimd.h"
#include "folder.h"
#include "peer_fixture.h"
#include "view/gdim.h"

static void open_gdim(void (*changed)(void *arg))
{
	const char *token = put_secret("gdim", "\n# of gdimd\nSESAME\n");
	struct error error = { "" };

	if (gdim_open(&view.gdim, gdimd.where, token, changed, NULL, &error)) {
		printf("# %s\n", error.text);
		exit(1);
	}
}

static void close_gdim(void)
{
	gdim_close(view.gdim);
	view.gdim = NULL;
}

#endif
