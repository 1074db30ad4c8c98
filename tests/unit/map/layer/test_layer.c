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

static char error[ERROR_TEXT];

static void parses(void)
{
	struct layer l;

	ok(!layer_parse(&l, "temp_map_fused", "input=temp_submap_fused "
			"role=temperature unit=°C range=0:100 rule=mean",
			error),
	   "the line of the documentation");
	ok(!strcmp(l.name, "temp_map_fused") &&
	   !strcmp(l.input, "temp_submap_fused") &&
	   l.modality == MODALITY_TEMPERATURE && !strcmp(l.unit, "°C") &&
	   l.low == 0 && l.high == 100 && l.rule == RULE_MEAN && l.bits == 8 &&
	   l.resolution == 0 && !*l.weights, "all of it is there");
	ok(!layer_splats(&l), "the mean is sampled");
	ok(!layer_parse(&l, "a", "", error) && l.rule == RULE_MAX &&
	   l.bits == 8 && l.high == 100 && !*l.input && layer_splats(&l),
	   "nothing is the default");
	ok(!layer_parse(&l, "a", "  rule=mean\tdrawing=splat ", error) &&
	   layer_splats(&l), "drawing, and blanks anywhere");
	ok(!layer_parse(&l, "a", "drawing=sample", error) && !layer_splats(&l),
	   "max can be sampled");
	ok(!layer_change(&l, "drawing=rule", error) && layer_splats(&l),
	   "and drawn as its rule wants it again");
	ok(!layer_parse(&l, "a", "bits=16", error) && l.bits == 16 &&
	   l.low == 0 && l.high == 1, "16 bits are 0..1 if nothing is said");
	ok(!layer_parse(&l, "a", "range=-90:-20.5 bits=16 unit=dBm "
			"role=signal resolution=0.25", error) &&
	   l.low == -90 && l.high == -20.5 && l.resolution == 0.25,
	   "a range below zero, before bits");
	ok(!layer_parse(&l, "a", "rule=weighted weights=b", error) &&
	   !strcmp(l.weights, "b"), "weights");
}

static void is_refused(const char *name, const char *text, const char *says)
{
	struct layer l;
	const size_t shown = strcspn(text, "\n\xff");

	*error = '\0';
	ok(layer_parse(&l, name, text, error) == -22 && strstr(error, says) &&
	   !strchr(error, '\n'), "%s \"%.*s\": %s", name,
	   shown > 40 ? 40 : (int)shown, text, error);
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
	is_refused("a", "unit=0123456789abcdef", "longer");
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
	is_refused("a", word, "bytes");
}

static void converts(void)
{
	struct layer l;

	layer_default(&l, "a");
	ok(l.bits == 8 && layer_physical(&l, 40) == 40, "8 bits, no unit");
	ok(isnan(layer_physical(&l, -1)) && isnan(layer_physical(&l, NAN)),
	   "unknown stays unknown");
	if (layer_parse(&l, "a", "bits=16 range=-10:90", error))
		return;
	ok(layer_physical(&l, 0) == -10 && layer_physical(&l, 10000) == 90 &&
	   layer_physical(&l, 5000) == 40, "16 bits, a range");
}

static void has_roles(void)
{
	bool all = true;
	struct layer l;
	char text[64];

	for (int i = 0; i < MODALITIES; i++) {
		snprintf(text, sizeof(text), "role=%s", modality_get(i)->name);
		all &= !layer_parse(&l, "a", text, error) &&
		       (int)l.modality == i;
	}
	ok(all, "each role is known by its name");
	ok(!layer_parse(&l, "t", "role=temperature", error) &&
	   l.rule == RULE_MEAN && !layer_splats(&l) &&
	   !layer_parse(&l, "h", "role=hazard", error) && l.rule == RULE_MAX &&
	   !layer_parse(&l, "c", "role=cost", error) && l.rule == RULE_MAX &&
	   !layer_parse(&l, "o", "role=obstacle", error) &&
	   l.rule == RULE_LOG_ODDS && layer_splats(&l) &&
	   !layer_parse(&l, "t", "rule=max role=gas", error) &&
	   l.rule == RULE_MAX, "a role has a rule, if none is said");
	ok(!layer_change(&l, "role=obstacle", error) && l.rule == RULE_MAX,
	   "of a layer that is there the rule stays");
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
		good += !layer_parse(&l, "a", text, error);
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
	has_roles();
	survives();
	names();
	return tap_done();
}
