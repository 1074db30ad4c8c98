// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel: version, options, modules, signing; containers, capabilities.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample/doctor/doctor.h"
#include "base/version.h"
#include "netdev/classifier.h"
#include "netdev/module.h"

enum {
	CAP_NET_ADMIN_BIT	= 12,
	CAP_SYS_MODULE_BIT	= 16,
	CAP_SYS_ADMIN_BIT	= 21,
	CAP_BPF_BIT		= 39,
};

enum part_state { PART_THERE, PART_NO_FILE, PART_MISSING, PART_UNKNOWN };

/**
 * struct part - of the kernel that `optsample up` needs
 * @name:	module, or only the id for an @option that is no module
 * @option:	without CONFIG_
 * @need:	level of the finding if it is missing
 * @lost:	what does not work without it
 * @instead:	module that takes its place, or NULL
 * @with_link:	what is reported if it is missing, and the module has its own link
 *		type, or NULL
 * @with_bpf:	the same, if there is cls_bpf, too
 */
struct part {
	const char		*name;
	const char		*option;
	bool			module;
	enum doctor_level	need;
	const char		*lost;
	const struct part	*instead;
	const char		*with_link;
	const char		*with_bpf;
};

static const struct part flower = {
	.name = "cls_flower", .option = "NET_CLS_FLOWER", .module = true,
};

static const struct part basic = {
	.name = "cls_basic", .option = "NET_CLS_BASIC", .module = true,
	.instead = &flower,
};

#define ONLY_TUNNELS	"needed only for interfaces that are not Ethernet or Wi-Fi"

static const struct part bpf = {
	.name = "cls_bpf", .option = "NET_CLS_BPF", .module = true,
};

static const struct part parts[] = {
	{ "ifb", "IFB", true, DOCTOR_ERROR,
	  "no queue that outlives the carrier", NULL,
	  "the module's own link type takes its place" },
	{ "sch_ingress", "NET_SCH_INGRESS", true, DOCTOR_ERROR,
	  "no redirect to the queue" },
	{ "cls_matchall", "NET_CLS_MATCHALL", true, DOCTOR_ERROR,
	  "no redirect to the queue", &basic, NULL, ONLY_TUNNELS },
	{ "act_mirred", "NET_ACT_MIRRED", true, DOCTOR_ERROR,
	  "no redirect to the queue", NULL, NULL, ONLY_TUNNELS },
	{ "act_gact", "NET_ACT_GACT", true, DOCTOR_ERROR,
	  "no exception for EAPOL", NULL, NULL, ONLY_TUNNELS },
	{ "cls_bpf", "NET_CLS_BPF", true, DOCTOR_WARNING,
	  "packets are lost when the network manager removes addresses", NULL,
	  "mirred takes its place, and TCP has no back-pressure" },
	{ "cls_act", "NET_CLS_ACT", false, DOCTOR_ERROR, "no actions" },
	{ "bpf_syscall", "BPF_SYSCALL", false, DOCTOR_ERROR,
	  "no classifier" },
	{ "bpf_jit", "BPF_JIT", false, DOCTOR_WARNING,
	  "the classifier is slow" },
	{ "sch_fq_codel", "NET_SCH_FQ_CODEL", true, DOCTOR_WARNING,
	  "ordinary traffic has a plain queue" },
};

static bool kernel_release(const struct doctor *d, char release[DOCTOR_VALUE])
{
	ssize_t n = doctor_read(d, release, DOCTOR_VALUE,
				"/proc/sys/kernel/osrelease");

	release[strcspn(release, "\n/")] = '\0';
	return n > 0 && *release;
}

static char *kernel_config(const struct doctor *d, const char *release)
{
	char *text = doctor_load(d, "/proc/config.gz");

	if (!text)
		text = doctor_load(d, "/boot/config-%s", release);
	if (!text)
		text = doctor_load(d, "/lib/modules/%s/config", release);
	if (!text)
		text = doctor_load(d, "/lib/modules/%s/build/.config", release);
	if (text && !strstr(text, "CONFIG_")) {
		free(text);
		text = NULL;
	}
	return text;
}

/* '-' and '_' are equal in names of modules. */
static bool is_module(const char *name, const char *module, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((name[i] == '-' ? '_' : name[i]) != module[i])
			return false;
	return !strncmp(name + len, ".ko", 3);
}

/* @list: modules.dep or modules.builtin, a path at the start of each line */
static bool list_has(const char *list, const char *module)
{
	size_t len = strlen(module);

	while (*list) {
		size_t path = strcspn(list, ":\n");
		const char *name = memrchr(list, '/', path);

		name = name ? name + 1 : list;
		if ((size_t)(list + path - name) >= len + 3 &&
		    is_module(name, module, len))
			return true;
		list += strcspn(list, "\n");
		list += !!*list;
	}
	return false;
}

static bool module_is_loaded(const struct doctor *d, const char *module)
{
	char *text, line[64];
	bool found;

	if (doctor_exists(d, "/sys/module/%s", module))
		return true;
	text = doctor_load(d, "/proc/modules");
	snprintf(line, sizeof(line), "\n%s ", module);
	found = text && (strstr(text, line) ||
			 !strncmp(text, line + 1, strlen(line + 1)));
	free(text);
	return found;
}

/**
 * struct kernel - information on the running kernel; texts are owned, or NULL
 * @link_type:	the installed module has its own link type, or would have it:
 *		none is installed
 */
struct kernel {
	char	release[DOCTOR_VALUE];
	char	*config;
	char	*dep;
	char	*builtin;
	bool	link_type;
};

static bool kernel_has_link_type(const struct doctor *d,
				 const struct kernel *k)
{
	char *alias;
	bool has;

	if (!k->dep || !list_has(k->dep, "sch_optsample"))
		return true;
	alias = doctor_load(d, "/lib/modules/%s/modules.alias", k->release);
	has = alias && strstr(alias, "rtnl-link-optsample");
	free(alias);
	return has;
}

static void kernel_read(const struct doctor *d, struct kernel *k)
{
	memset(k, 0, sizeof(*k));
	if (!kernel_release(d, k->release))
		return;
	k->config = kernel_config(d, k->release);
	k->dep = doctor_load(d, "/lib/modules/%s/modules.dep", k->release);
	k->builtin = doctor_load(d, "/lib/modules/%s/modules.builtin",
				 k->release);
	k->link_type = kernel_has_link_type(d, k);
}

static void kernel_free(struct kernel *k)
{
	free(k->config);
	free(k->dep);
	free(k->builtin);
}

/* Return: 'y', 'm', 'n', or '?' if the configuration is unknown */
static char kernel_option(const struct kernel *k, const char *option)
{
	char key[64], value[DOCTOR_VALUE];

	if (!k->config)
		return '?';
	snprintf(key, sizeof(key), "CONFIG_%s", option);
	return text_value(k->config, key, value) && *value ? *value : 'n';
}

static enum part_state part_look(const struct doctor *d,
				 const struct kernel *k, const struct part *p)
{
	char option = kernel_option(k, p->option);

	if (option == 'y')
		return PART_THERE;
	if (!p->module)
		return option == 'n' ? PART_MISSING : PART_UNKNOWN;
	if (module_is_loaded(d, p->name) ||
	    (k->dep && list_has(k->dep, p->name)) ||
	    (k->builtin && list_has(k->builtin, p->name)))
		return PART_THERE;
	if (option == 'm')
		return k->dep ? PART_NO_FILE : PART_UNKNOWN;
	if (option == 'n' || (k->dep && k->builtin))
		return PART_MISSING;
	return PART_UNKNOWN;
}

static void part_report(struct doctor *d, const struct kernel *k,
			const struct part *p)
{
	enum part_state state = part_look(d, k, p);
	const struct part *instead = p->instead;

	while (instead && part_look(d, k, instead) != PART_THERE)
		instead = instead->instead;
	if (state != PART_THERE && instead) {
		finding_add(d, DOCTOR_OK, p->name,
			    "CONFIG_%s is there and takes its place",
			    instead->option);
		return;
	}
	if (state != PART_THERE && p->with_link && k->link_type) {
		finding_add(d, DOCTOR_OK, p->name, "%s", p->with_link);
		return;
	}
	if (state != PART_THERE && p->with_bpf && k->link_type &&
	    part_look(d, k, &bpf) == PART_THERE) {
		finding_add(d, DOCTOR_OK, p->name, "%s", p->with_bpf);
		return;
	}
	switch (state) {
	case PART_THERE:
		finding_add(d, DOCTOR_OK, p->name, "CONFIG_%s is there",
			    p->option);
		return;
	case PART_UNKNOWN:
		finding_add(d, DOCTOR_NOTE, p->name,
			    "cannot tell whether the kernel has CONFIG_%s",
			    p->option);
		return;
	case PART_NO_FILE:
		finding_add(d, p->need, p->name,
			    "the module %s is not installed: %s", p->name,
			    p->lost);
		finding_fix_package(d, is_distribution(d, "ubuntu") ?
				    "linux-modules-extra-%s" :
				    "--reinstall linux-image-%s",
				    "all modules of kernel %s", k->release);
		return;
	case PART_MISSING:
		finding_add(d, p->need, p->name,
			    "the kernel was built without CONFIG_%s: %s",
			    p->option, p->lost);
		finding_fix(d, "scripts/config --%s %s, in the source of this kernel, and build and install it",
			    p->module ? "module" : "enable", p->option);
		return;
	}
}

void check_kernel_parts(struct doctor *d)
{
	struct kernel k;

	if (doctor_works(d)) {
		finding_add(d, DOCTOR_OK, NULL,
			    "has all that is needed: optsample is up");
		return;
	}
	kernel_read(d, &k);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		part_report(d, &k, &parts[i]);
	kernel_free(&k);
}

void check_kernel_version(struct doctor *d)
{
	char release[DOCTOR_VALUE];
	int major, minor;

	if (!kernel_release(d, release) ||
	    sscanf(release, "%d.%d", &major, &minor) != 2) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell the version of the kernel");
	} else if (major > 5 || (major == 5 && minor >= 10) ||
		   module_is_loaded(d, "sch_optsample")) {
		finding_add(d, DOCTOR_OK, NULL, "kernel %s", release);
	} else {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "kernel %s is too old for the module, which needs 5.10",
			    release);
		finding_fix(d, "install a kernel from 5.10 on");
	}
}

static void module_report_loaded(struct doctor *d)
{
	char version[DOCTOR_VALUE];

	if (doctor_read(d, version, sizeof(version),
			"/sys/module/sch_optsample/version") <= 0)
		snprintf(version, sizeof(version), "without a version");
	version[strcspn(version, "\n")] = '\0';
	finding_add(d, DOCTOR_OK, NULL, "sch_optsample is loaded, %s",
		    version);
}

/* Are there modules only for other kernels? */
static bool kernel_was_replaced(const struct doctor *d, const char *release)
{
	char **names;
	int n = doctor_list(d, "/lib/modules", &names);

	doctor_list_free(names, n);
	return n && !doctor_exists(d, "/lib/modules/%s", release);
}

static void module_report_missing(struct doctor *d, const struct kernel *k)
{
	const char *release = *k->release ? k->release : "$(uname -r)";

	if (kernel_option(k, "MODULES") == 'n') {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "the kernel cannot load modules");
		finding_fix(d, "scripts/config --enable MODULES, in the source of this kernel, and build and install it");
	} else if (*k->release && kernel_was_replaced(d, k->release)) {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "no modules of the running kernel %s are installed: was it upgraded?",
			    k->release);
		finding_fix(d, "reboot");
	} else {
		finding_add(d, DOCTOR_ERROR, NULL,
			    "the module sch_optsample is not installed for kernel %s",
			    *k->release ? k->release : "?");
		if (doctor_exists(d, "/usr/src/optsample-" OPTSAMPLE_VERSION))
			finding_fix_package(d, "dkms linux-headers-%s && dkms install optsample/"
					    OPTSAMPLE_VERSION,
					    "dkms and the headers of kernel %s, then 'dkms install optsample/"
					    OPTSAMPLE_VERSION "'", release);
		else
			finding_fix(d, "install the package optsample-dkms and the headers of kernel %s",
				    release);
	}
}

void check_kernel_modules(struct doctor *d)
{
	struct kernel k;

	if (module_is_loaded(d, "sch_optsample")) {
		module_report_loaded(d);
		return;
	}
	kernel_read(d, &k);
	if (k.dep && list_has(k.dep, "sch_optsample")) {
		finding_add(d, DOCTOR_OK, NULL,
			    "sch_optsample is installed for kernel %s",
			    k.release);
	} else if (!*d->root && module_in_build()) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "sch_optsample is not installed: that of the build tree is used");
		finding_fix(d, "make install && dkms install optsample/%s",
			    OPTSAMPLE_VERSION);
	} else {
		module_report_missing(d, &k);
	}
	kernel_free(&k);
}

static bool secure_boot(const struct doctor *d)
{
	char var[8];

	return doctor_read(d, var, sizeof(var), "/sys/firmware/efi/efivars/"
			   "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c") ==
	       5 && var[4] == 1;
}

static bool signatures_enforced(const struct doctor *d)
{
	char text[128], enforced[8];

	if (doctor_read(d, text, sizeof(text),
			"/sys/kernel/security/lockdown") > 0 &&
	    strchr(text, '[') && !strstr(text, "[none]"))
		return true;
	return doctor_read(d, enforced, sizeof(enforced),
			   "/sys/module/module/parameters/sig_enforce") > 0 &&
	       *enforced == 'Y';
}

void check_kernel_signing(struct doctor *d)
{
	if (module_is_loaded(d, "sch_optsample")) {
		finding_add(d, DOCTOR_OK, NULL, "the module was accepted");
	} else if (signatures_enforced(d)) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "the kernel only loads signed modules%s: the key of DKMS must be enrolled",
			    secure_boot(d) ? " (Secure Boot)" : "");
		finding_fix(d, "mokutil --import %s, then reboot and confirm",
			    module_key());
	} else {
		finding_add(d, DOCTOR_OK, NULL,
			    "unsigned modules may be loaded");
	}
}

/*
 * Containers and privileges
 */

static const char *container_of(const struct doctor *d)
{
	static const struct {
		const char	*word, *name;
	} kinds[] = {
		{ "docker", "Docker" }, { "libpod", "Podman" },
		{ "kubepods", "Kubernetes" }, { "/lxc", "LXC" },
		{ "containerd", "containerd" },
	};
	char text[8192];

	if (doctor_exists(d, "/.dockerenv"))
		return "Docker";
	if (doctor_exists(d, "/run/.containerenv"))
		return "Podman";
	if (doctor_exists(d, "/run/systemd/container"))
		return "systemd-nspawn or LXC";
	if (doctor_read(d, text, sizeof(text), "/proc/1/cgroup") <= 0)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(text, kinds[i].word))
			return kinds[i].name;
	return NULL;
}

void check_container(struct doctor *d)
{
	char mine[64], init[64];
	const char *kind = container_of(d);

	if (kind) {
		finding_add(d, DOCTOR_WARNING, NULL,
			    "this is a container (%s): the queue belongs on the host",
			    kind);
		finding_fix(d, "run 'optsample up' and 'optsample doctor' on the host");
	} else {
		finding_add(d, DOCTOR_OK, NULL, "this is no container");
	}
	if (!doctor_link(d, mine, sizeof(mine), "/proc/self/ns/net") ||
	    !doctor_link(d, init, sizeof(init), "/proc/1/ns/net")) {
		finding_add(d, DOCTOR_NOTE, "netns",
			    "cannot tell whether this is the network namespace of the host");
	} else if (strcmp(mine, init)) {
		finding_add(d, DOCTOR_WARNING, "netns",
			    "this is not the network namespace of the host: its interfaces are not seen");
		finding_fix(d, "nsenter -t 1 -n optsample doctor");
	} else if (!kind) {
		finding_add(d, DOCTOR_OK, "netns",
			    "this is the network namespace of the host");
	}
}

static bool status_field(const char *status, const char *key, int base,
			 unsigned long long *value)
{
	const char *s = strstr(status, key);

	if (!s)
		return false;
	*value = strtoull(s + strlen(key), NULL, base);
	return true;
}

static void need_capability(struct doctor *d, unsigned long long caps,
			    unsigned long long any, const char *name)
{
	if (caps & any)
		return;
	finding_add(d, DOCTOR_ERROR, name,
		    "root here has not the capability %s, which 'optsample up' needs",
		    name);
	finding_fix(d, "docker run --network host --cap-add %s ...", name);
}

void check_privileges(struct doctor *d)
{
	unsigned long long uid, caps;
	char status[4096];

	if (doctor_read(d, status, sizeof(status), "/proc/self/status") <= 0 ||
	    !status_field(status, "\nUid:", 10, &uid) ||
	    !status_field(status, "\nCapEff:", 16, &caps)) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell what this user may do");
		return;
	}
	if (uid) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "not run as root: processes of other users were "
			    "not checked");
		finding_fix(d, "sudo optsample doctor");
		return;
	}
	need_capability(d, caps, 1ULL << CAP_NET_ADMIN_BIT, "NET_ADMIN");
	need_capability(d, caps, 1ULL << CAP_BPF_BIT | 1ULL <<
			CAP_SYS_ADMIN_BIT, "BPF");
	if (!module_is_loaded(d, "sch_optsample"))
		need_capability(d, caps, 1ULL << CAP_SYS_MODULE_BIT,
				"SYS_MODULE");
	finding_add(d, DOCTOR_OK, NULL, "run as root");
}

void check_bpffs(struct doctor *d)
{
	char *mounts = doctor_load(d, "/proc/self/mounts");

	if (!mounts) {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "cannot tell what is mounted on %s", CLASSIFIER_BPFFS);
	} else if (strstr(mounts, " " CLASSIFIER_BPFFS " bpf ")) {
		finding_add(d, DOCTOR_OK, NULL, "%s is mounted", CLASSIFIER_BPFFS);
	} else {
		finding_add(d, DOCTOR_NOTE, NULL,
			    "%s is not mounted: 'optsample up' does it",
			    CLASSIFIER_BPFFS);
		finding_fix(d, "mount -t bpf bpf %s", CLASSIFIER_BPFFS);
	}
	free(mounts);
}
