// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classifier of the optsample qdisc, for tc: "prog FILE" loads an object,
 * "prog pinned PATH" and "prog id N" name a program that is loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>
#include <linux/pkt_sch_optsample.h>
#include "q_optsample.h"

/* Where tc itself pins maps that ask for it */
#define BPFFS		"/sys/fs/bpf"
#define PIN_TC		BPFFS "/tc"
#define PIN_ROOT	PIN_TC "/globals"

static char prog_words[128];	/* first error message of libbpf */

static int prog_print(enum libbpf_print_level level, const char *format,
		      va_list args)
{
	if (level == LIBBPF_WARN && !*prog_words) {
		vsnprintf(prog_words, sizeof(prog_words), format, args);
		prog_words[strcspn(prog_words, "\n")] = '\0';
	}
	return 0;
}

static int prog_error(const char *what, const char *of, int err)
{
	fprintf(stderr, "optsample: prog: %s %s: %s\n", what, of,
		*prog_words ? prog_words : strerror(-err));
	return err;
}

static int prog_make_pins(void)
{
	struct statfs fs;

	if ((statfs(BPFFS, &fs) || fs.f_type != BPF_FS_MAGIC) &&
	    mount("bpf", BPFFS, "bpf", 0, "mode=0700"))
		return prog_error("cannot mount", BPFFS, -errno);
	mkdir(PIN_TC, 0700);
	mkdir(PIN_ROOT, 0700);
	return access(PIN_ROOT, W_OK) ?
	       prog_error("cannot write to", PIN_ROOT, -errno) : 0;
}

/* Return: file descriptor of the object's first program, or negative errno */
static int prog_load(const char *file)
{
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = PIN_ROOT);
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	struct bpf_program *prog, *first = NULL;
	struct bpf_object *obj;
	int fd;

	*prog_words = '\0';
	if (access(file, R_OK))
		return prog_error("cannot read", file, -errno);
	fd = prog_make_pins();
	if (fd)
		return fd;
	libbpf_set_print(prog_print);
	errno = 0;
	obj = bpf_object__open_file(file, &opts);
	if (libbpf_get_error(obj))
		return prog_error("cannot read", file, -errno);
	/* by a macro that old libraries have, too */
	bpf_object__for_each_program(prog, obj)
		if (!first)
			first = prog;
	if (!first) {
		bpf_object__close(obj);
		return prog_error("no program in", file, -ENOENT);
	}
	bpf_program__set_type(first, BPF_PROG_TYPE_SCHED_CLS);
	/* Before 5.11 maps count as locked memory; libbpf 1.0 sees to it. */
	setrlimit(RLIMIT_MEMLOCK, &any);
	fd = bpf_object__load(obj);
	if (!fd)
		fd = fcntl(bpf_program__fd(first), F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		prog_error("cannot load", file, fd);
	bpf_object__close(obj);
	return fd;
}

static int prog_pinned(const char *path)
{
	int fd = bpf_obj_get(path);

	return fd < 0 ? prog_error("cannot open", path, -errno) : fd;
}

static int prog_by_id(const char *str)
{
	char *end;
	unsigned long id = strtoul(str, &end, 10);
	int fd;

	if (!*str || *end || id > UINT32_MAX) {
		fputs("optsample: prog: id must be a number, as in 'bpftool prog'\n",
		      stderr);
		return -EINVAL;
	}
	fd = bpf_prog_get_fd_by_id(id);
	return fd < 0 ? prog_error("no program of id", str, -errno) : fd;
}

/*
 * @argc: words from "prog" on. The descriptor stays open until the message is
 * sent: tc ends then, or comes here again.
 * Return: number of words that belong to it, or negative errno
 */
int optsample_parse_prog(int argc, char **argv, struct nlmsghdr *n, int maxlen)
{
	static int open_fd = -1;
	bool pinned = argc > 1 && !strcmp(argv[1], "pinned");
	bool id = argc > 1 && !strcmp(argv[1], "id");
	int words = pinned || id ? 3 : 2, fd;
	uint32_t value;

	if (argc < words) {
		fputs("optsample: prog needs a FILE, pinned PATH or id NUMBER\n",
		      stderr);
		return -EINVAL;
	}
	fd = pinned ? prog_pinned(argv[2]) :
	     id ? prog_by_id(argv[2]) : prog_load(argv[1]);
	if (fd < 0)
		return fd;
	if (open_fd >= 0)
		close(open_fd);
	open_fd = fd;
	value = fd;
	if (addattr_l(n, maxlen, TCA_OPTSAMPLE_PROG_FD, &value, sizeof(value)))
		return -EMSGSIZE;
	return words;
}

/* As arguments: "prog id 7". In JSON with the name. */
void optsample_print_prog(FILE *f, const struct rtattr *id,
			  const struct rtattr *name)
{
	uint32_t value = 0;

	if (!id || RTA_PAYLOAD(id) < sizeof(value))
		return;
	memcpy(&value, RTA_DATA(id), sizeof(value));
	if (!is_json_context()) {
		fprintf(f, "prog id %u ", value);
		return;
	}
	json_number("prog_id", value);
	if (name)
		json_string("prog", RTA_DATA(name));
}
