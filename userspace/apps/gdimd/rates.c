// SPDX-License-Identifier: GPL-2.0-only
/*
 * rates - rates that are kept in the store
 */
#include <stdio.h>
#include "apps/gdimd/config.h"
#include "apps/gdimd/rates.h"
#include "base/cli.h"
#include "base/error.h"

enum { SETTING_NAME = 256 };

static void setting_of(const char *name, char setting[SETTING_NAME])
{
	snprintf(setting, SETTING_NAME, "rate of %.200s", name);
}

double rates_kept(struct site *s, const char *name, double other)
{
	char setting[SETTING_NAME], text[32];
	double hz;

	setting_of(name, setting);
	if (site_setting(s, setting, text, sizeof(text)) <= 0 ||
	    parse_double(text, 0, CONFIG_RATE_MAX, &hz) ||
	    !config_rate_valid(hz))
		return other;
	return hz;
}

int rates_keep(struct site *s, const char *name, double hz,
	       char error[ERROR_TEXT])
{
	int err;
	char setting[SETTING_NAME], text[32];

	setting_of(name, setting);
	snprintf(text, sizeof(text), "%.15g", hz);
	site_turn(s);
	err = store_set(site_store(s), setting, text);
	if (err)
		error_set(error, err, "%s", store_error(site_store(s)));
	site_turn_end(s);
	return err;
}
