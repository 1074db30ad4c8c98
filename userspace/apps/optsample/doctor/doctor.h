/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * optsample doctor: checks, their findings, and access to the system.
 *
 *   cmd_doctor.c        options, table of checks, output
 *   doctor.c            findings
 *   doctor_file.c       bounded reads of files, which may be missing or garbage
 *   doctor_proc.c       running processes
 *   doctor_kernel.c     kernel, modules, containers, capabilities
 *   doctor_manager.c    who manages the interface: NetworkManager, networkd ...
 *   doctor_stack.c      `optsample up`, its daemon, peers
 *   doctor_dds.c        middleware of the running ROS processes
 *   doctor_net.c        sysctls, clock
 *   doctor_wifi.c       power save, driver, MAC randomisation
 *
 * With --root all files are read below that folder. Answers of the kernel are
 * then read from its file "facts", KEY=VALUE.
 */
#ifndef APPS_OPTSAMPLE_DOCTOR_DOCTOR_H
#define APPS_OPTSAMPLE_DOCTOR_DOCTOR_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	DOCTOR_PATH	= 512,
	DOCTOR_VALUE	= 256,
	DOCTOR_TEXT	= 384,
	DOCTOR_FILE	= 8 << 20,	/* limit of a file, bytes */
	DOCTOR_PROCS	= 32768,
	DOCTOR_OUTAGE_S	= 30,		/* default of `up` */
};

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR };

/**
 * struct finding - one fact about the system
 * @id:		of the check, followed by a dot and the part of it
 * @level:	an error: an outage is not survived
 * @dev:	interface, empty: the whole host
 * @text:	one line, printable ASCII
 * @fix:	command that solves it, empty: none
 */
struct finding {
	char			id[48];
	enum doctor_level	level;
	char			dev[IFNAMSIZ];
	char			text[DOCTOR_TEXT];
	char			fix[DOCTOR_TEXT];
};

/**
 * struct doctor_dev - an interface, and `optsample up` on it
 * @ifindex:	0: no such device
 * @own:	it is an own-DEV, see own.h
 * @link:	the interface whose link counts: the one below it, or itself
 * @wireless:	@link is
 * @up:		`optsample up` was run, in this network namespace
 * @whole:	queue and redirect exist
 * @why:	else what is wrong with them
 * @daemon:	it runs
 * @outage_s:	outage to survive, s
 * @domain:	of DDS
 * @warnings:	of the daemon, separated by "; ", owned, or NULL
 */
struct doctor_dev {
	char		name[IFNAMSIZ];
	int		ifindex;
	bool		own;
	char		link[IFNAMSIZ];
	bool		wireless;
	bool		up;
	bool		elsewhere;	/* in another network namespace */
	bool		whole;
	char		why[160];
	bool		daemon;
	uint32_t	outage_s;
	uint32_t	domain;
	char		*warnings;
};

struct doctor_proc {
	int	pid;
	char	comm[16];
};

/* Middleware, by the libraries that a process has mapped */
enum {
	ROS_CYCLONE	= 1 << 0,
	ROS_FASTDDS	= 1 << 1,
	ROS_ZENOH	= 1 << 2,
	ROS_CONNEXT	= 1 << 3,
	ROS_ROSCPP	= 1 << 4,
	ROS_LIBRARY	= 1 << 5,	/* liboptsample-ros1 */
};

struct doctor_ros {
	int		pid;
	const char	*comm;
	unsigned int	uses;	/* ROS_* */
};

/**
 * struct doctor - one run
 * @root:	prefix of all paths, empty: the running system
 * @check:	id of the current check
 * @dev:	its interface, or NULL
 * @devs:	all interfaces to check
 * @procs:	running processes, by number
 * @ros:	those of @procs that use ROS or DDS
 * @hidden:	number of processes that cannot be read
 */
struct doctor {
	const char		*root;
	const char		*check;
	struct doctor_dev	*dev;
	struct doctor_dev	*devs;
	size_t			ndevs;
	struct finding		*found;
	size_t			nfound;
	struct doctor_proc	*procs;
	size_t			nprocs;
	struct doctor_ros	*ros;
	size_t			nros;
	size_t			hidden;
};

/**
 * struct check - a row of the table of checks
 * @id:		prefix of the ids of its findings
 * @run:	reports by finding_add()
 * @device:	run it for each interface, with @doctor.dev set
 */
struct check {
	const char	*id;
	void		(*run)(struct doctor *d);
	bool		device;
};

/*
 * Findings (doctor.c)
 */

/**
 * finding_add() - report a fact
 * @part:	of the check, NULL: it has only one
 */
void finding_add(struct doctor *d, enum doctor_level level, const char *part,
		 const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A command that solves the last finding */
void finding_fix(struct doctor *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * finding_fix_package() - what is to be installed, to solve the last finding
 * @package:	for apt, where there is one
 * @what:	the same in words, for other distributions
 * @name:	of a kernel, where they have %s
 */
void finding_fix_package(struct doctor *d, const char *package,
			 const char *what, const char *name);
/* Does /etc/os-release name @id, in ID or ID_LIKE? */
bool is_distribution(const struct doctor *d, const char *id);
const char *doctor_level_name(enum doctor_level level);

/*
 * Files (doctor_file.c). Only regular files are read, so nothing blocks. Paths
 * are absolute, formatted as by printf().
 */

/* Return: bytes read, @buf ends with NUL; or a negative errno */
ssize_t doctor_read(const struct doctor *d, char *buf, size_t size,
		    const char *path, ...)
	__attribute__((format(printf, 4, 5)));
/* A whole file, also if compressed by gzip; free() it; NULL: unreadable */
char *doctor_load(const struct doctor *d, const char *path, ...)
	__attribute__((format(printf, 2, 3)));
bool doctor_exists(const struct doctor *d, const char *path, ...)
	__attribute__((format(printf, 2, 3)));
/* Target of a symbolic link. Return: false: no link */
bool doctor_link(const struct doctor *d, char *buf, size_t size,
		 const char *path, ...)
	__attribute__((format(printf, 4, 5)));
/* The number in a file. Return: @missing if there is none */
long long doctor_number(const struct doctor *d, long long missing,
			const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* Names in a folder, sorted; doctor_list_free() them. Return: their number */
int doctor_list(const struct doctor *d, const char *dir, char ***names);
void doctor_list_free(char **names, int n);
/* With --root: the value of @key in the file "facts" */
bool doctor_fact(const struct doctor *d, const char *key,
		 char value[DOCTOR_VALUE]);

/* Lines KEY=VALUE; the last one counts, quotes are removed */
bool text_value(const char *text, const char *key, char value[DOCTOR_VALUE]);
/* The same within [section]s whose names begin with @section */
bool ini_value(const char *text, const char *section, const char *key,
	       char value[DOCTOR_VALUE]);
bool text_true(const char *value);
bool text_false(const char *value);

/*
 * Processes (doctor_proc.c)
 */

void procs_read(struct doctor *d);
/* Whether processes of other users are visible */
bool procs_visible(const struct doctor *d);
/* Return: number of the first process of that name, 0: none */
int proc_find(const struct doctor *d, const char *comm);
/* Command line with spaces between the words */
bool proc_args(const struct doctor *d, int pid, char *buf, size_t size);
/* A variable of its environment; free() it; NULL: unset or unreadable */
char *proc_env(const struct doctor *d, int pid, const char *name);
/* A file as the process sees it, e.g. in a container; free() it */
char *proc_file(const struct doctor *d, int pid, const char *path);
/* Has a process named @comm the argument @word? */
bool proc_has_word(const struct doctor *d, const char *comm,
		   const char *word);

/*
 * ROS (doctor_dds.c)
 */

void ros_read(struct doctor *d);

/*
 * Interfaces (doctor_stack.c)
 */

/* Return: 0 or -ENODEV */
int doctor_dev_read(struct doctor *d, const char *name,
		    struct doctor_dev *dev);
/* Choose interfaces with optsample; else wireless, else wired ones */
void doctor_dev_choose(struct doctor *d);
/* Is `optsample up` complete on one of them? */
bool doctor_works(const struct doctor *d);
/* Is the address of @dev kept in an outage, even against its manager? */
bool keeper_runs(const struct doctor *d, const struct doctor_dev *dev);

/*
 * Checks
 */

void check_kernel_version(struct doctor *d);
void check_kernel_modules(struct doctor *d);
void check_kernel_parts(struct doctor *d);
void check_kernel_signing(struct doctor *d);
void check_container(struct doctor *d);
void check_privileges(struct doctor *d);
void check_bpffs(struct doctor *d);
void check_up(struct doctor *d);
void check_daemon(struct doctor *d);
void check_peers(struct doctor *d);
void check_manager(struct doctor *d);
void check_ros(struct doctor *d);
void check_ros_local(struct doctor *d);
void check_ros_domain(struct doctor *d);
void check_ros_cyclone(struct doctor *d);
void check_ros_fastdds(struct doctor *d);
void check_receive_buffer(struct doctor *d);
void check_fragments(struct doctor *d);
void check_rp_filter(struct doctor *d);
void check_clock(struct doctor *d);
void check_power_save(struct doctor *d);
void check_driver(struct doctor *d);
void check_random_mac(struct doctor *d);

#endif
