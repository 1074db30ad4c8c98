// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample doctor [DEV] [-v] [-j] - does the setup survive a link outage?
 */
#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/commands.h"
#include "apps/optsample/doctor/doctor.h"
#include "base/cli.h"
#include "netdev/state.h"

enum { OPT_ROOT = 256, DOCTOR_FINE = 0, DOCTOR_ILL = 1, DOCTOR_USAGE = 2 };

static const struct check checks[] = {
	{ "up", check_up, true },
	{ "manager", check_manager, true },
	{ "daemon", check_daemon, true },
	{ "peer", check_peers, true },
	{ "module", check_kernel_modules, false },
	{ "kernel.version", check_kernel_version, false },
	{ "kernel", check_kernel_parts, false },
	{ "signing", check_kernel_signing, false },
	{ "container", check_container, false },
	{ "privileges", check_privileges, false },
	{ "bpffs", check_bpffs, false },
	{ "ros", check_ros, false },
	{ "ros.localhost", check_ros_local, false },
	{ "ros.domain", check_ros_domain, true },
	{ "cyclonedds", check_ros_cyclone, true },
	{ "fastdds", check_ros_fastdds, true },
	{ "power_save", check_power_save, true },
	{ "random_mac", check_random_mac, true },
	{ "driver", check_driver, true },
	{ "rmem", check_receive_buffer, false },
	{ "fragments", check_fragments, false },
	{ "rp_filter", check_rp_filter, true },
	{ "clock", check_clock, false },
};

struct options {
	const char	*dev;
	const char	*root;
	bool		verbose;
	bool		json;
};

static const struct argp_option doctor_options[] = {
	{ "verbose", 'v', NULL, 0, "also print passed checks", 1 },
	{ "json", 'j', NULL, 0, "print JSON: id, level, text, fix, device", 1 },
	{ "root", OPT_ROOT, "DIR", OPTION_HIDDEN, NULL, 2 },
	{ 0 }
};

static error_t doctor_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'v':
		o->verbose = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case OPT_ROOT:
		o->root = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->dev)
			return cli_usage("doctor", "one DEV only");
		o->dev = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void check_run(struct doctor *d, const struct check *c)
{
	d->check = c->id;
	d->dev = NULL;
	if (!c->device) {
		c->run(d);
		return;
	}
	for (size_t i = 0; i < d->ndevs; i++) {
		d->dev = &d->devs[i];
		c->run(d);
	}
	d->dev = NULL;
}

static void no_device(struct doctor *d)
{
	d->check = "device";
	finding_add(d, DOCTOR_ERROR, NULL,
		    "no wireless or wired interface found");
	finding_fix(d, "optsample doctor DEV");
}

static int devices_find(struct doctor *d, const char *name)
{
	char own[IFNAMSIZ];

	if (!name) {
		doctor_dev_choose(d);
		if (!d->ndevs)
			no_device(d);
		return 0;
	}
	d->devs = calloc(1, sizeof(*d->devs));
	if (!d->devs)
		abort();
	if (doctor_dev_read(d, *d->root ? name : state_name(name, own),
			    d->devs))
		return cli_error(-ENODEV, "no device %s", name);
	d->ndevs = 1;
	return 0;
}

static int doctor_count(const struct doctor *d, enum doctor_level level,
			const char *dev)
{
	int n = 0;

	for (size_t i = 0; i < d->nfound; i++)
		n += d->found[i].level == level &&
		     (!dev || !*d->found[i].dev ||
		      !strcmp(d->found[i].dev, dev));
	return n;
}

/*
 * Text output
 */

static void print_finding(const struct finding *f)
{
	printf("%-8s ", doctor_level_name(f->level));
	if (*f->dev)
		printf("%s: ", f->dev);
	printf("%s", f->text);
	if (*f->fix)
		printf("; fix: %s", f->fix);
	putchar('\n');
}

static void print_number(const char *before, int n, const char *what)
{
	if (n)
		printf("%s%d %s%s", before, n, what, n > 1 ? "s" : "");
}

static void print_verdict(const struct doctor *d, const struct doctor_dev *dev)
{
	int errors = doctor_count(d, DOCTOR_ERROR, dev->name);
	int warnings = doctor_count(d, DOCTOR_WARNING, dev->name);

	printf("%s: an outage of %u s would %sbe survived", dev->name,
	       dev->outage_s, errors ? "not " : "");
	print_number(": ", errors, "error");
	print_number(errors ? ", " : ": ", warnings, "warning");
	putchar('\n');
}

/* The worst first, and each level in the order of the checks */
static void print_all(const struct doctor *d, bool verbose)
{
	for (int level = DOCTOR_ERROR; level >= 0; level--)
		for (size_t i = 0; i < d->nfound; i++)
			if ((int)d->found[i].level == level &&
			    (level > DOCTOR_OK || verbose))
				print_finding(&d->found[i]);
	for (size_t i = 0; i < d->ndevs; i++)
		print_verdict(d, &d->devs[i]);
}

/*
 * JSON output
 */

static void doctor_add_text(cJSON *o, const char *key, const char *text)
{
	if (*text)
		cJSON_AddStringToObject(o, key, text);
	else
		cJSON_AddNullToObject(o, key);
}

static void doctor_print_json(const struct doctor *d)
{
	cJSON *all = cJSON_CreateArray(), *o;
	char *text;

	for (size_t i = 0; i < d->nfound; i++) {
		const struct finding *f = &d->found[i];

		o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "id", f->id);
		cJSON_AddStringToObject(o, "level",
					doctor_level_name(f->level));
		doctor_add_text(o, "device", f->dev);
		cJSON_AddStringToObject(o, "text", f->text);
		doctor_add_text(o, "fix", f->fix);
		cJSON_AddItemToArray(all, o);
	}
	text = cJSON_Print(all);
	puts(text ? text : "[]");
	free(text);
	cJSON_Delete(all);
}

static void doctor_free(struct doctor *d)
{
	for (size_t i = 0; i < d->ndevs; i++)
		free(d->devs[i].warnings);
	free(d->devs);
	free(d->procs);
	free(d->ros);
	free(d->found);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		doctor_options, doctor_parse, "[DEV]",
		"Check whether topics survive an outage of DEV's link. Prints "
		"each finding with a command that fixes it.\vDefault DEV: "
		"interfaces that are up with optsample, else wireless, else "
		"wired ones. Exit status: 0: messages survive an outage; 1: "
		"they do not, there is an error; 2: wrong usage.",
		NULL, NULL, NULL
	};
	struct options o = { .root = "" };
	struct doctor d = { 0 };
	int status = DOCTOR_USAGE;

	if (cli_parse(&argp, argc, argv, &o))
		return DOCTOR_USAGE;
	d.root = o.root;
	if (*d.root && !doctor_exists(&d, "/")) {
		cli_error(-ENOENT, "no folder %s", d.root);
		return DOCTOR_USAGE;
	}
	if (devices_find(&d, o.dev))
		goto out;
	procs_read(&d);
	ros_read(&d);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		check_run(&d, &checks[i]);
	if (o.json)
		doctor_print_json(&d);
	else
		print_all(&d, o.verbose);
	status = doctor_count(&d, DOCTOR_ERROR, NULL) ? DOCTOR_ILL :
							DOCTOR_FINE;
out:
	doctor_free(&d);
	return status;
}
