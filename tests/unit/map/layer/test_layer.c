// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_layer - layers from their lines of configuration: what is allowed, and
 * one clear line about all else
 */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "map/layer/layer.h"
#include "map/layer/names.h"
#include "tap.h"

static struct error error;

static void parses(void)
{
	struct layer l;

	ok(!layer_parse(&l, "temp_map_fused", "input=temp_submap_fused "
			"role=temperature unit=°C range=0:100 rule=mean",
			&error),
	   "the line of the documentation");
	ok_str(l.name, "temp_map_fused", "all of it is there");
	ok_str(l.input, "temp_submap_fused", "... input");
	ok_eq(l.modality, MODALITY_TEMPERATURE, "... modality");
	ok_str(l.unit, "°C", "... unit");
	ok_near(l.low, 0, 0, "... low");
	ok_near(l.high, 100, 0, "... high");
	ok_eq(l.rule, RULE_MEAN, "... rule");
	ok_eq(l.bits, 8, "... bits");
	ok_near(l.resolution, 0, 0, "... resolution");
	ok_eq(*l.weights, 0, "... weights");
	ok(!layer_splats(&l), "the mean is sampled");
	ok_eq(layer_parse(&l, "a", "", &error), 0, "nothing is the default");
	ok_eq(l.rule, RULE_MAX, "... rule");
	ok_eq(l.bits, 8, "... bits");
	ok_near(l.high, 100, 0, "... high");
	ok_eq(*l.input, 0, "... input");
	ok(layer_splats(&l), "... layer splats");
	ok_eq(layer_parse(&l, "a", "  rule=mean\tdrawing=splat ", &error), 0,
	      "drawing, and blanks anywhere");
	ok(layer_splats(&l), "... layer splats");
	ok_eq(layer_parse(&l, "a", "drawing=sample", &error), 0,
	      "max can be sampled");
	ok_eq(layer_splats(&l), 0, "... layer splats");
	ok_eq(layer_change(&l, "drawing=rule", &error), 0,
	      "and drawn as its rule wants it again");
	ok(layer_splats(&l), "... layer splats");
	ok_eq(layer_parse(&l, "a", "bits=16", &error), 0,
	      "16 bits are 0..1 if nothing is said");
	ok_eq(l.bits, 16, "... bits");
	ok_near(l.low, 0, 0, "... low");
	ok_near(l.high, 1, 0, "... high");
	ok_eq(layer_parse(&l, "a",
			  "range=-90:-20.5 bits=16 unit=dBm "
			  "role=signal resolution=0.25",
			  &error),
	      0, "a range below zero, before bits");
	ok_near(l.low, -90, 0, "... low");
	ok_near(l.high, -20.5, 0, "... high");
	ok_near(l.resolution, 0.25, 0, "... resolution");
	ok_eq(layer_parse(&l, "a", "rule=weighted weights=b", &error), 0,
	      "weights");
	ok_str(l.weights, "b", "... weights");
}

static void is_refused(const char *name, const char *text, const char *says)
{
	struct layer l;
	const size_t shown = strcspn(text, "\n\xff");

	*error.text = '\0';
	ok_eq(layer_parse(&l, name, text, &error), -22, "%s \"%.*s\": %s", name,
	      shown > 40 ? 40 : (int)shown, text, error.text);
	ok(strstr(error.text, says), "... error says it");
	ok(!strchr(error.text, '\n'), "... error is one line");
}

static void refuses(void)
{
	char name[LAYER_NAME + 1], word[400] = "input=";

	memset(name, 'n', LAYER_NAME);
	name[LAYER_NAME] = '\0';
	memset(word + 6, 'w', sizeof(word) - 7);
	is_refused("", "", "name");
	is_refused("a b", "", "name");
	is_refused("a/b", "", "name");
	is_refused(name, "", "name");
	is_refused("a", "rule", "KEY=VALUE");
	is_refused("a", "=x", "unknown key =");
	is_refused("a", "colour=red", "unknown key colour=");
	is_refused("a", "rule=max rule=max", "twice");
	is_refused("a", "rule=median", "rule=median");
	is_refused("a", "role=cat", "role=cat");
	is_refused("a", "bits=12", "bits=12");
	is_refused("a", "bits=", "bits=");
	is_refused("a", "range=3", "LOW:HIGH");
	is_refused("a", "range=3:", "two numbers");
	is_refused("a", "range=nan:1", "two numbers");
	is_refused("a", "range=0:1e300", "two numbers");
	is_refused("a", "range=0:-inf", "two numbers");
	is_refused("a", "range=5:5", "not less than");
	is_refused("a", "range=6:5", "not less than");
	is_refused("a", "unit=0123456789abcdef", "longer than 15 bytes");
	is_refused("a", "unit=\xff", "UTF-8");
	is_refused("a", "drawing=paint", "drawing=paint");
	is_refused("a", "resolution=0", "resolution=0");
	is_refused("a", "resolution=1000", "resolution=1000");
	is_refused("a", "resolution=0.1m", "resolution=0.1m");
	is_refused("a", "input=", "input=");
	is_refused("a", "input=../x", "input=../x");
	is_refused("a", "weights=b", "rule=weighted");
	is_refused("a", "rule=weighted weights=a", "itself");
	is_refused("a", "rule=max\ninput=b", "control");
	is_refused("a", word, "more than 127 bytes");
}

static void converts(void)
{
	struct layer l;

	layer_default(&l, "a");
	ok_eq(l.bits, 8, "8 bits, no unit");
	ok_near(layer_physical(&l, 40), 40, 0, "... layer physical");
	ok(isnan(layer_physical(&l, -1)), "unknown stays unknown");
	ok(isnan(layer_physical(&l, NAN)), "... layer physical is unknown");
	if (layer_parse(&l, "a", "bits=16 range=-10:90", &error))
		return;
	ok_near(layer_physical(&l, 0), -10, 0, "16 bits, a range");
	ok_near(layer_physical(&l, 10000), 90, 0, "... layer physical");
	ok_near(layer_physical(&l, 5000), 40, 0, "... layer physical");
}

/* Each part of a layer tells it from another one */
static void differs(void)
{
	static const char line[] = "input=i weights=w role=gas bits=16 "
		"range=1:2 unit=ppm rule=weighted drawing=splat resolution=0.5";
	static const char *const other[] = {
		"input=j", "weights=v", "role=smoke", "bits=8", "range=0:2",
		"range=1:3", "unit=%", "drawing=sample", "resolution=0.25",
	};
	struct layer a, b;

	layer_parse(&a, "a", line, &error);
	layer_parse(&b, "a", line, &error);
	ok(layer_same(&a, &b), "the same layer");
	layer_parse(&b, "b", line, &error);
	ok(!layer_same(&a, &b), "another name");
	for (unsigned int i = 0; i < sizeof(other) / sizeof(*other); i++) {
		layer_parse(&b, "a", line, &error);
		ok_eq(layer_change(&b, other[i], &error), 0, "changed: %s",
		      other[i]);
		ok(!layer_same(&a, &b), "... another layer");
	}
	layer_parse(&b, "a", line, &error);
	b.rule = RULE_MEAN;
	ok(!layer_same(&a, &b), "another rule");
}

/* What a layer's values can be, by default; and their words in D4.1 */
static void has_ranges(void)
{
	static const struct {
		const char	*name;
		double		low, high;
		const char	*least, *most;
	} want[] = {
		{ "temperature", 0, 100, "minTemp", "maxTemp" },
		{ "gas", 0, 1000, "minGas", "maxGas" },
		{ "smoke", 0, 100, NULL, "maxSmoke" },
		{ "signal", -100, 0, "minSignal", "maxSignal" },
	};

	for (unsigned int i = 0; i < 4; i++) {
		const struct modality_info *m =
			modality_get(modality_by_name(want[i].name));

		ok_near(m->range[0], want[i].low, 0, "%s: from", want[i].name);
		ok_near(m->range[1], want[i].high, 0, "%s: to", want[i].name);
		ok_str(m->option[0], want[i].least, "%s: its least",
		       want[i].name);
		ok_str(m->option[1], want[i].most, "%s: its most",
		       want[i].name);
	}
}

static void checks_values(void)
{
	double value[MODALITIES];

	ok(modality_value_valid(MODALITY_TEMPERATURE, -40.5), "-40.5 degrees");
	ok(!modality_value_valid(MODALITY_TEMPERATURE, INFINITY), "no more");
	ok(modality_value_valid(MODALITY_SMOKE, 0), "no smoke");
	ok(modality_value_valid(MODALITY_SMOKE, 100), "smoke alone");
	ok(modality_value_valid(MODALITY_SMOKE, NAN), "unknown smoke");
	ok(!modality_value_valid(MODALITY_SMOKE, 101), "more than all");
	ok(!modality_value_valid(MODALITY_SMOKE, -1), "less than none");
	ok(!modality_value_valid(MODALITY_SMOKE, 0.5), "no half");
	ok(modality_is_single(MODALITY_SIGNAL), "one signal of a room");
	ok(!modality_is_single(MODALITY_GAS), "gases by their names");
	ok(!modality_is_single(MODALITY_OTHER), "no other values");
	for (int i = 0; i < MODALITIES; i++)
		value[i] = i;
	modality_unknown(value);
	ok(isnan(value[0]), "nothing is known of the first");
	ok(isnan(value[MODALITIES - 1]), "... nor of the last");
}

static void has_roles(void)
{
	bool all = true;
	struct layer l;
	char text[64];

	for (int i = 0; i < MODALITIES; i++) {
		snprintf(text, sizeof(text), "role=%s", modality_get(i)->name);
		all &= !layer_parse(&l, "a", text, &error) &&
		       (int)l.modality == i;
	}
	ok(all, "each role is known by its name");
	ok_eq(layer_parse(&l, "t", "role=temperature", &error), 0,
	      "a role has a rule, if none is said");
	ok_eq(l.rule, RULE_MEAN, "... rule");
	ok_eq(layer_splats(&l), 0, "... layer splats");
	ok_eq(layer_parse(&l, "h", "role=hazard", &error), 0, "... layer parse");
	ok_eq(l.rule, RULE_MAX, "... rule");
	ok_eq(layer_parse(&l, "c", "role=cost", &error), 0, "... layer parse");
	ok_eq(l.rule, RULE_MAX, "... rule");
	ok_eq(layer_parse(&l, "o", "role=obstacle", &error), 0,
	      "... layer parse");
	ok_eq(l.rule, RULE_LOG_ODDS, "... rule");
	ok(layer_splats(&l), "... layer splats");
	ok_eq(layer_parse(&l, "t", "rule=max role=gas", &error), 0,
	      "... layer parse");
	ok_eq(l.rule, RULE_MAX, "... rule");
	ok_eq(layer_change(&l, "role=obstacle", &error), 0,
	      "of a layer that is there the rule stays");
	ok_eq(l.rule, RULE_MAX, "... rule");
	ok(modality_by_name("cat") < 0, "others have none");
}

/* Any bytes: an error or a layer, never more */
static void survives(void)
{
	static const char *const words[] = {
		"input", "role", "bits", "range", "=", ":", " ", "8", "16",
		"-", "1e9", "unit", "rule", "weights", "max", "\xc2", "\t",
		"drawing", "weighted", "gas",
	};
	uint64_t seed = 7;
	unsigned int good = 0;
	struct layer l;

	for (int i = 0; i < 20000; i++) {
		char text[400] = "";

		for (unsigned int n = rnd(&seed, 24); n; n--)
			strcat(text, words[rnd(&seed, 20)]);
		good += !layer_parse(&l, "a", text, &error);
	}
	ok(good, "20000 lines of noise, %u of them good", good);
}

static void names(void)
{
	char text[NAMES_TEXT];

	ok(!strcmp(names_list(NAMES_ROLES, ", ", text), "other, obstacle, "
		   "temperature, gas, smoke, signal, hazard, cost"), "roles");
	ok(!strcmp(names_list(NAMES_REPORTED, " and ", text), "temperature, "
		   "gas, smoke, signal and hazard"), "roles that are reported");
	ok(!strcmp(names_list(NAMES_RULES, " or ", text), "max, mean, min, "
		   "latest, log-odds or weighted"), "rules");
	ok(!strcmp(names_list(NAMES_COLOURS, " or ", text), "grey, general, "
		   "heat, hazard or signal"), "colours");
}

int main(void)
{
	parses();
	refuses();
	converts();
	differs();
	has_roles();
	has_ranges();
	checks_values();
	survives();
	names();
	return tap_done();
}
