// SPDX-License-Identifier: GPL-2.0-only
/*
 * modality - the modalities of layers, as one table
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include "map/layer/modality.h"
#include "ros/msg/service_types.h"

#define IN_MESSAGES(room, spot)						\
	offsetof(struct message_room, room),				\
	offsetof(struct service_spot_response, spot)

/*
 * Measurements are averaged. Obstacles are voted on, so that people who walked
 * through the site do not stay in the map. For hazards the highest value
 * counts.
 */
static const struct modality_info modalities[MODALITIES] = {
	[MODALITY_OTHER] = {
		"other", RULE_MAX, COLOURS_GENERAL,
		MODALITY_MEAN, MODALITY_UNREPORTED,
	},
	[MODALITY_OBSTACLE] = {
		"obstacle", RULE_LOG_ODDS, COLOURS_GREY,
		MODALITY_MAX, MODALITY_UNREPORTED,
	},
	[MODALITY_TEMPERATURE] = {
		"temperature", RULE_MEAN, COLOURS_HEAT,
		MODALITY_MEAN, MODALITY_PHYSICAL,
		IN_MESSAGES(avg_temperature, temperature),
		{ 0, 100 }, { "minTemp", "maxTemp" },
	},
	[MODALITY_GAS] = {
		"gas", RULE_MEAN, COLOURS_GENERAL,
		MODALITY_MEAN, MODALITY_PER_LAYER, 0, 0,
		{ 0, 1000 }, { "minGas", "maxGas" },
	},
	[MODALITY_SMOKE] = {
		"smoke", RULE_MEAN, COLOURS_GENERAL,
		MODALITY_MEAN, MODALITY_PERCENT,
		IN_MESSAGES(avg_smoke, smoke),
		{ 0, 100 }, { NULL, "maxSmoke" },
	},
	[MODALITY_SIGNAL] = {
		"signal", RULE_MEAN, COLOURS_SIGNAL,
		MODALITY_MEAN, MODALITY_PERCENT,
		IN_MESSAGES(avg_signal, signal),
		{ -100, 0 }, { "minSignal", "maxSignal" },
	},
	[MODALITY_HAZARD] = {
		"hazard", RULE_MAX, COLOURS_HAZARD,
		MODALITY_MAX, MODALITY_PERCENT,
		IN_MESSAGES(max_hazard, hazard),
	},
	[MODALITY_COST] = {
		"cost", RULE_MAX, COLOURS_GENERAL,
		MODALITY_MAX, MODALITY_UNREPORTED,
	},
};

const struct modality_info *modality_get(enum modality m)
{
	assert(m < MODALITIES);
	return &modalities[m];
}

bool modality_is_single(enum modality m)
{
	return modalities[m].report == MODALITY_PHYSICAL ||
	       modalities[m].report == MODALITY_PERCENT;
}

bool modality_value_valid(enum modality m, double value)
{
	if (modalities[m].report == MODALITY_PHYSICAL)
		return !isinf(value);
	return isnan(value) || (value >= 0 && value <= 100 &&
				value == rint(value));
}

void modality_unknown(double value[MODALITIES])
{
	for (int i = 0; i < MODALITIES; i++)
		value[i] = NAN;
}

int modality_by_name(const char *name)
{
	for (int i = 0; i < MODALITIES; i++)
		if (!strcmp(name, modalities[i].name))
			return i;
	return -ENOENT;
}
