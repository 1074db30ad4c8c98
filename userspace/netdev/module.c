// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel module: an installed one by modprobe, else the one in the build
 * tree that fits the running kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/error.h"
#include "netdev/module.h"

enum { MODULE_PATH = 256 };

static bool module_loaded(void)
{
	return !access("/sys/module/sch_optsample", F_OK);
}

/* Run @command, read the first line of what it prints */
static void module_ask(const char *command, char *line, size_t size)
{
	FILE *f = popen(command, "re");
	char rest[256];

	*line = '\0';
	if (!f)
		return;
	if (fgets(line, size, f))
		line[strcspn(line, "\n")] = '\0';
	while (fgets(rest, sizeof(rest), f))
		;
	pclose(f);
}

/* Return: 0, or -EKEYREJECTED: the kernel refused its signature */
static int module_probe(void)
{
	char why[256];

	module_ask("LC_ALL=C modprobe sch_optsample 2>&1", why, sizeof(why));
	return strstr(why, "Key was rejected") ||
	       strstr(why, "Required key not available") ? -EKEYREJECTED : 0;
}

const char *module_key(void)
{
	static const char *const keys[] = {
		"/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der",
	};

	return access(keys[0], F_OK) && !access(keys[1], F_OK) ? keys[1] :
								 keys[0];
}

/* The kernel only loads modules that are signed with a key it knows. */
static int module_refused(struct error *error)
{
	char signer[128];

	module_ask("modinfo -F signer sch_optsample 2>/dev/null", signer,
		   sizeof(signer));
	if (!*signer)
		return error_set(error, -EKEYREJECTED, "the kernel only loads signed modules (Secure Boot), and sch_optsample is not signed: run 'dkms install --force optsample/%s', which signs it",
				 OPTSAMPLE_VERSION);
	return error_set(error, -EKEYREJECTED, "the kernel does not know the key '%s' of sch_optsample (Secure Boot): run 'mokutil --import %s', reboot and confirm it",
			 signer, module_key());
}

/* Only for this very kernel: others fill its log with errors. */
static bool module_fits(const char *path)
{
	char want[160], buf[65536 + 160];
	struct utsname u;
	size_t n, keep = 0;
	bool found = false;
	FILE *f;

	uname(&u);
	snprintf(want, sizeof(want), "vermagic=%s ", u.release);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && (n = fread(buf + keep, 1, 65536, f)) > 0) {
		n += keep;
		found = memmem(buf, n, want, strlen(want));
		keep = n < strlen(want) ? n : strlen(want);
		memmove(buf, buf + n - keep, keep);
	}
	fclose(f);
	return found;
}

static bool module_insert(const char *path)
{
	int fd;

	if (!module_fits(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return module_loaded();
}

/* Call @take with modules of the build until it returns true. Return: it did */
static bool module_from_build(bool (*take)(const char *path))
{
	static const char *const places[] = {
		"%s/../sch_optsample.ko", "%s/../module/*/sch_optsample.ko",
	};
	char exe[MODULE_PATH / 2] = "", pattern[MODULE_PATH];
	bool taken = false;
	const char *dir;
	glob_t g;

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return false;
	dir = dirname(exe);
	for (int p = 0; p < 2 && !taken; p++) {
		snprintf(pattern, sizeof(pattern), places[p], dir);
		if (glob(pattern, 0, NULL, &g))
			continue;
		for (size_t i = 0; i < g.gl_pathc && !taken; i++)
			taken = take(g.gl_pathv[i]);
		globfree(&g);
	}
	return taken;
}

bool module_in_build(void)
{
	return module_from_build(module_fits);
}

int module_load(struct error *error)
{
	int err = 0;

	if (!module_loaded())
		err = module_probe();
	if (!module_loaded())
		module_from_build(module_insert);
	if (!module_loaded() && err)
		return module_refused(error);
	if (!module_loaded())
		return error_set(error, -ENOENT, "no kernel module sch_optsample for this kernel: install it, or build it");
	return 0;
}
