// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_config - options of layers and ranges
 */
#include <string.h>
#include "apps/gdimd/config.h"
#include "tap.h"

static struct config config;

static int settings(const char *a, const char *b, const char *c, const char *d)
{
	char *argv[] = { (char *)"gdimd", (char *)"--store", (char *)"x",
			 (char *)a, (char *)b, (char *)c, (char *)d, NULL };
	int argc = 3;

	while (argv[argc])
		argc++;
	return config_parse(&config, argc, argv);
}

static struct layer made_of(const char *name)
{
	const struct map_config_layer *from =
		map_config_find(&config.map, name);
	struct layer l = { .name = "" };
	struct error error;

	if (from && map_config_make_layer(&config.map, from, name, &l, &error))
		printf("# %s\n", error.text);
	return l;
}

static void test_settings(void)
{
	struct layer l;

	ok(!settings("--layer", "temp_map_fused input=t range=-20:600 unit=K",
		     NULL, NULL), "one line more");
	l = made_of("temp_map_fused");
	ok_eq(l.modality, MODALITY_TEMPERATURE,
	      "begins with the default of its name");
	ok_eq(l.rule, RULE_MEAN, "begins with the default of its name");
	ok_str(l.input, "t", "begins with the default of its name");
	ok(l.low == -20, "begins with the default of its name");
	ok(l.high == 600, "begins with the default of its name");
	ok_str(l.unit, "K", "begins with the default of its name");
	settings("--layer", "gas_CO_map_1 range=0:50", "--layer",
		 "own role=smoke");
	l = made_of("gas_CO_map_1");
	ok_eq(l.modality, MODALITY_GAS, "also if that has stars");
	ok_eq(l.bits, 16, "also if that has stars");
	ok(l.high == 50, "also if that has stars");
	ok_eq(l.rule, RULE_MEAN, "also if that has stars");
	ok_str(l.input, "gas_CO_submap_1", "also if that has stars");
	l = made_of("gas_H2_map_2");
	ok(l.high == 1000, "others stay as they are");
	ok_str(l.input, "gas_H2_submap_2", "others stay as they are");
	l = made_of("own");
	ok_eq(l.rule, RULE_MEAN, "a role has a rule");
	ok_eq(l.bits, 8, "a role has a rule");
	l = made_of("rf_signal_map");
	ok(l.low == -100, "a signal is in dBm");
	ok(l.high == 0, "a signal is in dBm");
	ok_str(l.unit, "dBm", "a signal is in dBm");
	ok(!settings("--minSignal", "-90", "--maxSignal", "-20"), "its range");
	l = made_of("rf_signal_map");
	ok(l.low == -90, "is that of the settings");
	ok(l.high == -20, "is that of the settings");
	ok(settings("--minTemp", "100", "--maxTemp", "0"),
	   "a range that goes down is refused");
	ok(settings("--minGas", "1000", NULL, NULL), "and one without an end");
	ok(settings("--maxSmoke", "0", NULL, NULL), "and smoke");
	ok(settings("--rate", "1e-300", NULL, NULL), "never, or now and then");
	ok(!settings("--rate", "0.001", NULL, NULL), "never, or now and then");
	ok(!settings("--rate", "0", NULL, NULL), "never, or now and then");
}

/* A layer changed by hand overrides its line */
static void test_stored_layer(void)
{
	const struct map_config_layer *from;
	struct layer l;
	char words[512];

	settings("--layer", "slam_map rule=mean unit=%", "--maxTemp", "800");
	from = map_config_find(&config.map, "slam_map");
	l = made_of("slam_map");
	map_config_difference(from, &l, words);
	ok(!*words, "nothing is other than said");
	l.rule = RULE_LATEST;
	map_config_difference(from, &l, words);
	ok(!strcmp(words, "rule=mean"), "but the rule: %s", words);
	map_config_update(&config.map, from, &l);
	ok(l.rule == RULE_LATEST, "which stays");
	l = made_of("temp_map_fused");
	l.rule = RULE_LATEST;
	l.low = 5;
	l.high = 80;
	from = map_config_find(&config.map, "temp_map_fused");
	map_config_difference(from, &l, words);
	map_config_update(&config.map, from, &l);
	ok(!*words, "a range that is a setting is that from now on");
	ok_eq(l.rule, RULE_LATEST,
	      "a range that is a setting is that from now on");
	ok(l.low == 0, "a range that is a setting is that from now on");
	ok(l.high == 800, "a range that is a setting is that from now on");
	settings(NULL, NULL, NULL, NULL);
	l.high = 300;
	from = map_config_find(&config.map, l.name);
	map_config_update(&config.map, from, &l);
	ok(l.high == 300, "a default is not");
}

int main(void)
{
	test_settings();
	test_stored_layer();
	return tap_done();
}
