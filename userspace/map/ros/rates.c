// SPDX-License-Identifier: GPL-2.0-only
/*
 * rates - rates that are kept in the store
 */
#include <stdio.h>
#include "base/cli.h"
#include "base/error.h"
#include "map/ros/rates.h"

enum { SETTING_NAME = 256 };

bool rates_valid(double hz)
{
	return hz == 0 || (hz >= 0.001 && hz <= RATES_MAX);
}

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
	    parse_double(text, 0, RATES_MAX, &hz) || !rates_valid(hz))
		return other;
	return hz;
}

int rates_keep(struct site *s, const char *name, double hz,
	       struct error *error)
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
