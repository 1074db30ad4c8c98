// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF programs: find their objects, load, pin.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "base/error.h"
#include "base/installed.h"
#include "netdev/classifier.h"

static int classifier_find(const char *name, char path[PATH_MAX],
			   struct error *error)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.bpf.o", name);
	if (!installed_find(NULL, "bpf", file, path))
		return 0;
	return error_set(error, -ENOENT, "no %s, neither beside the program nor in %s",
			 file, installed_folder);
}

static void classifier_pins_of(const char *dev, char path[CLASSIFIER_PATH])
{
	char *c;

	snprintf(path, CLASSIFIER_PATH, CLASSIFIER_PINS "/%s", dev);
	/* bpffs refuses names with dots */
	for (c = path + sizeof(CLASSIFIER_PINS); *c; c++)
		if (*c == '.')
			*c = '_';
}

void classifier_pins(const char *dev, char path[CLASSIFIER_PATH])
{
	classifier_pins_of(dev, path);
	if (access(path, F_OK))
		snprintf(path, CLASSIFIER_PATH, CLASSIFIER_TC_PINS);
}

int classifier_map(const char *pins, const char *name)
{
	char path[CLASSIFIER_PATH + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", pins, name);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static int classifier_mount(struct error *error)
{
	struct statfs fs;

	if (!statfs(CLASSIFIER_BPFFS, &fs) && fs.f_type == BPF_FS_MAGIC)
		return 0;
	mkdir(CLASSIFIER_BPFFS, 0700);
	if (mount("bpf", CLASSIFIER_BPFFS, "bpf", 0, "mode=0700"))
		return error_set(error, -errno, "cannot mount %s: %s", CLASSIFIER_BPFFS,
				 strerror(errno));
	return 0;
}

void classifier_unload(const char *dev)
{
	char path[CLASSIFIER_PATH], file[CLASSIFIER_PATH + 260];
	struct dirent *e;
	DIR *d;

	classifier_pins_of(dev, path);
	d = opendir(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		unlink(file);
	}
	closedir(d);
	rmdir(path);
	rmdir(CLASSIFIER_PINS);	/* fails unless it is empty */
}

static char classifier_message[128];	/* first error message of libbpf */

static int classifier_print(enum libbpf_print_level level,
			    const char *format, va_list args)
{
	if (level == LIBBPF_WARN && !*classifier_message) {
		vsnprintf(classifier_message, sizeof(classifier_message), format,
			  args);
		classifier_message[strcspn(classifier_message, "\n")] = '\0';
	}
	return 0;
}

/* Set the program's only constant. Without one do nothing. */
static int classifier_set(struct bpf_object *obj, const uint32_t *constant)
{
	struct bpf_map *map;

	if (!constant)
		return 0;
	bpf_object__for_each_map(map, obj)
		if (strstr(bpf_map__name(map), ".rodata"))
			return bpf_map__set_initial_value(map, constant,
							  sizeof(*constant));
	return -ENOENT;
}

/* Pin the object's only program. */
static int classifier_pin(struct bpf_object *obj, const char *name,
			  const char *pins)
{
	struct bpf_program *prog;
	char path[CLASSIFIER_PATH + 32];
	int err;

	snprintf(path, sizeof(path), "%s/%s", pins, name);
	bpf_object__for_each_program(prog, obj) {
		err = bpf_program__pin(prog, path);
		return err ?: bpf_obj_get(path);
	}
	return -ENOENT;
}

/* Before 0.4 libbpf does not know the section "tc". */
static int classifier_object_load(struct bpf_object *obj,
				  const uint32_t *constant)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	struct bpf_program *prog;

	/* Before 5.11 maps count as locked memory; libbpf 1.0 sees to it. */
	setrlimit(RLIMIT_MEMLOCK, &any);
	bpf_object__for_each_program(prog, obj)
		bpf_program__set_type(prog, BPF_PROG_TYPE_SCHED_CLS);
	return classifier_set(obj, constant) ?: bpf_object__load(obj);
}

/* What @name is called for the running kernel, see bpf/global.h */
static const char *classifier_file(const char *name)
{
	if (!strcmp(name, "ros_tag") &&
	    access("/sys/kernel/btf/vmlinux", F_OK))
		return "ros_tag_nobtf";
	return name;
}

/* Return: file descriptor of the program, or negative errno */
static int classifier_object(const char *dev, const char *name,
			     const uint32_t *constant, struct error *error)
{
	char path[PATH_MAX], pins[CLASSIFIER_PATH];
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = pins);
	struct bpf_object *obj;
	int err;

	err = classifier_find(classifier_file(name), path, error);
	if (err)
		return err;
	classifier_pins_of(dev, pins);
	*classifier_message = '\0';
	libbpf_set_print(classifier_print);
	obj = bpf_object__open_file(path, &opts);
	err = libbpf_get_error(obj);
	if (err)
		obj = NULL;
	else
		err = classifier_object_load(obj, constant);
	if (!err)
		err = classifier_pin(obj, name, pins);
	if (err < 0)
		error_set(error, err, "cannot load %s: %s", path,
			  *classifier_message ? classifier_message :
					      strerror(-err));
	bpf_object__close(obj);
	return err;
}

int classifier_load(const char *dev, struct error *error)
{
	char pins[CLASSIFIER_PATH];
	int err = classifier_mount(error);

	if (err)
		return err;
	classifier_unload(dev);
	classifier_pins_of(dev, pins);
	if (mkdir(CLASSIFIER_PINS, 0700) && errno != EEXIST)
		return error_set(error, -errno, "cannot make %s: %s", CLASSIFIER_PINS,
				 strerror(errno));
	if (mkdir(pins, 0700))
		return error_set(error, -errno, "cannot make %s: %s", pins,
				 strerror(errno));
	err = classifier_object(dev, "ros_tag", NULL, error);
	if (err < 0)
		classifier_unload(dev);
	return err;
}

int classifier_load_keep(const char *dev, struct error *error)
{
	return classifier_object(dev, "keep", NULL, error);
}

int classifier_load_redirect(const char *dev, const char *queue,
			     struct error *error)
{
	uint32_t ifindex = if_nametoindex(queue);

	return classifier_object(dev, "redirect", &ifindex, error);
}
