// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_base_files - files that are replaced as a whole, tables, lines, and files
 * of secrets
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/atomic_file.h"
#include "base/file.h"
#include "base/http_auth.h"
#include "base/installed.h"
#include "base/lines.h"
#include "base/cli.h"
#include "base/secret_file.h"
#include "base/table.h"
#include "folder.h"
#include "tap.h"

static struct error error;

/* Errors that a disk has; 0: none */
static int fsync_error, rename_error;
static unsigned int fsyncs, folder_fsyncs;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_fsync(int fd)
{
	struct stat st;

	fstat(fd, &st);
	fsyncs += S_ISREG(st.st_mode);
	folder_fsyncs += S_ISDIR(st.st_mode);
	if (!fsync_error)
		return __real_fsync(fd);
	errno = fsync_error;
	return -1;
}

int __wrap_rename(const char *from, const char *to)
{
	if (!rename_error)
		return __real_rename(from, to);
	errno = rename_error;
	return -1;
}

static const char *content(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return "none";
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

/* Files in the folder of a name that begins so */
static int count_files(const char *begin)
{
	char command[256];
	FILE *f;
	int n = 0, c;

	snprintf(command, sizeof(command), "ls '%s' | grep -c '^%s'", folder,
		 begin);
	f = popen(command, "r");
	while ((c = fgetc(f)) != EOF)
		if (c >= '0' && c <= '9')
			n = n * 10 + c - '0';
	pclose(f);
	return n;
}

/*
 * Replacement of files
 */

static int replace(const char *path, const char *text)
{
	struct atomic_file n;
	int err = atomic_file_open(&n, path, &error);

	if (err)
		return err;
	atomic_file_write(&n, text, strlen(text));
	return atomic_file_finish(&n, &error);
}

static void test_replace(void)
{
	const char *path = in_folder("a");
	struct atomic_file n;
	char temporary[PATH_MAX];

	ok_eq(replace(path, "one"), 0, "a file");
	ok_str(content(path), "one", "is written");
	ok_eq(fsyncs, 1, "to the disk");
	ok_eq(folder_fsyncs, 1, "with its folder");
	atomic_file_open(&n, path, &error);
	strcpy(temporary, n.temporary);
	atomic_file_write(&n, "two", 3);
	ok_eq(atomic_file_sync(&n, &error), 0, "one that is on disk");
	ok_str(content(temporary), "two", "is there under another name");
	ok_str(content(path), "one", "and the old one stays");
	ok_eq(atomic_file_finish(&n, &error), 0, "until it is finished");
	ok_str(content(path), "two", "then it is the new one");
	ok_eq(access(temporary, F_OK), -1, "under its own name");
	atomic_file_open(&n, path, &error);
	atomic_file_write(&n, "three", 5);
	atomic_file_abandon(&n);
	ok_str(content(path), "two", "one that is dropped changes nothing");
	atomic_file_open(&n, path, &error);
	atomic_file_write(&n, "three", 5);
	atomic_file_sync(&n, &error);
	atomic_file_abandon(&n);
	ok_str(content(path), "two", "also when it was on disk");
	/* of a process of this number that was killed */
	write_file(temporary, "stale", 5);
	ok_eq(replace(path, "four"), 0, "a stale file");
	ok_str(content(path), "four", "is in no way");
	ok_eq(count_files("a"), 1, "nothing is left behind");
}

static void test_replace_errors(void)
{
	const char *path = in_folder("b");
	char name[PATH_MAX];

	replace(path, "old");
	fsync_error = EIO;
	ok_eq(replace(path, "new"), -EIO, "a disk that does not write");
	ok(strstr(error.text, "/b: Input/output error") != NULL, "%s", error.text);
	fsync_error = 0;
	ok_str(content(path), "old", "leaves the old file");
	rename_error = EACCES;
	ok_eq(replace(path, "new"), -EACCES, "nor does one that cannot rename");
	rename_error = 0;
	ok_str(content(path), "old", "change anything");
	ok_eq(count_files("b"), 1, "and nothing is left behind");
	ok_eq(replace(in_folder("none/b"), "new"), -ENOENT, "no folder");
	ok(strstr(error.text, "none/b: No such file") != NULL, "%s", error.text);
	mkdir(in_folder("dir"), 0755);
	ok_eq(replace(in_folder("dir"), "new"), -EISDIR, "a folder of the name");
	ok_eq(count_files("dir"), 1, "leaves nothing either");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 32] = 0;
	ok_eq(replace(name, "new"), -ENAMETOOLONG, "a name that is too long");
	ok_eq(strncmp(error.text, "...xxx", 6), 0, "has a short error");
	ok_eq(atomic_file_error(&error, "a", -EIO, "no good"), -EIO, "an error");
	ok_str(error.text, "a: no good", "with a reason");
}

static void test_full_disk(void)
{
	const struct rlimit small = { 4, RLIM_INFINITY };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const char *path = in_folder("c");
	static char text[100000];
	struct atomic_file n;
	int short_one, long_one;

	replace(path, "old");
	memset(text, 'x', sizeof(text) - 1);
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &small);
	short_one = replace(path, "12345");
	long_one = replace(path, text);
	setrlimit(RLIMIT_FSIZE, &all);
	ok_eq(short_one, -EFBIG, "a full disk at the end");
	ok_eq(long_one, -EFBIG, "and before it");
	ok_str(content(path), "old", "leave the old file");
	ok_eq(count_files("c"), 1, "and no other");
	ok_eq(replace("/dev/full", "x"), -ENOSPC, "a full device");
	fsyncs = 0;
	ok_eq(replace("/dev/null", "x"), 0, "a device");
	ok_eq(fsyncs, 0, "is written directly");
	mkfifo(in_folder("fifo"), 0600);
	ok_eq(replace(in_folder("fifo"), "x"), -ENXIO,
	      "a pipe without a reader is no wait");
	ok_eq(atomic_file_open(&n, "/dev/null", &error), 0, "a device");
	atomic_file_abandon(&n);
	ok_eq(access("/dev/null", F_OK), 0, "stays, whatever happens");
}

/*
 * Lines
 */

/* All lines of a file, as "number:text|" */
static const char *all_lines(struct lines *l)
{
	static char all[4096];
	size_t len, used = 0;
	char *text;
	int ret;

	*all = 0;
	while ((ret = lines_next(l, &text, &len)) == 1)
		used += snprintf(all + used, sizeof(all) - used, "%d:%.20s%s|",
				 (int)l->number, text,
				 strlen(text) == len ? "" : "+");
	if (ret)
		snprintf(all + used, sizeof(all) - used, "%d", ret);
	return all;
}

static void test_lines(void)
{
	const char *path = in_folder("lines");
	struct lines l;
	const char *head;
	size_t len;

	write_file(path, "a\nbc\r\n\n\0d\ne", 11);
	ok_eq(lines_open(&l, path), 0, "a file");
	ok_eq(l.size, 11, "of its size");
	ok_str(all_lines(&l), "1:a|2:bc|3:|4:+|5:e|", "is read line by line");
	ok_eq(l.bytes, 11, "to its end");
	ok_eq(l.whole, false, "which is no end of a line");
	ok_eq(lines_rewind(&l), 0, "again");
	ok_eq(lines_head(&l, &head, &len), 0, "its head");
	ok_eq(len, 11, "is all of it");
	ok_mem(head, "a\nbc\r\n", 6, "as it is");
	lines_rewind(&l);
	ok_str(all_lines(&l), "1:a|2:bc|3:|4:+|5:e|", "and again line by line");
	lines_close(&l);
	write_file(path, "", 0);
	lines_open(&l, path);
	ok_str(all_lines(&l), "", "an empty file has no line");
	lines_close(&l);
	ok_eq(lines_open(&l, in_folder("none")), -ENOENT, "no file");
	ok_eq(lines_open(&l, folder), -EISDIR, "a folder");
	ok_eq(lines_open(&l, in_folder("fifo")), -EINVAL, "a pipe");
}

static void test_long_lines(void)
{
	static char data[3 * LINES_MAX + 100];
	const char *path = in_folder("long");
	struct lines l;
	const char *head;
	char *text;
	size_t len;

	memset(data, 'x', sizeof(data));
	data[LINES_MAX - 1] = '\n';
	write_file(path, data, LINES_MAX);
	lines_open(&l, path);
	ok_eq(lines_next(&l, &text, &len), 1, "a line of a megabyte");
	ok_eq(len, LINES_MAX - 1, "is whole");
	ok_eq(lines_next(&l, &text, &len), 0, "and the last one");
	ok_eq(lines_rewind(&l), 0, "again");
	ok_eq(lines_head(&l, &head, &len), 0, "its head");
	ok_eq(len, LINES_HEAD, "has a limit");
	lines_close(&l);
	data[LINES_MAX - 1] = 'x';
	memcpy(data + 2 * LINES_MAX + 5, "\nab\n", 4);
	write_file(path, data, 2 * LINES_MAX + 9);
	lines_open(&l, path);
	ok_eq(lines_next(&l, &text, &len), -EMSGSIZE, "a longer one");
	ok_eq(l.number, 1, "counts");
	ok_eq(l.bytes, 2 * LINES_MAX + 6, "with all of its bytes");
	ok_eq(lines_next(&l, &text, &len), 1, "and the next one");
	ok_str(text, "ab", "is read");
	ok_eq(l.number, 2, "with its number");
	lines_close(&l);
	write_file(path, data, 2 * LINES_MAX);
	lines_open(&l, path);
	ok_eq(lines_next(&l, &text, &len), -EMSGSIZE, "one without an end");
	ok_eq(lines_next(&l, &text, &len), 0, "is the last one");
	lines_close(&l);
}

/*
 * Tables
 */

static char rows[256];

static int on_row(const char *text, void *arg)
{
	(void)arg;
	snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%s|", text);
	return !strcmp(text, "bad") ? -EINVAL : !strcmp(text, "many") ?
	       -E2BIG : !strcmp(text, "memory") ? -ENOMEM : 0;
}

static int read_table(const char *text, size_t len)
{
	*rows = 0;
	*error.text = 0;
	write_file(in_folder("table"), text, len);
	return table_read(in_folder("table"), "x, y", on_row, NULL, &error);
}

static void test_table(void)
{
	static char longer[LINES_MAX + 100];
	char path[300], want[64];

	ok_eq(read_table("# x\n 1 2\t \n\n  \n3\r\n#\n4", 21), 0, "a table");
	ok_str(rows, "1 2|3|4|", "has rows, without comments");
	ok_eq(read_table("1\nbad\n3\n", 8), -EINVAL, "a row that is none");
	ok(strstr(error.text, "/table:2: is not x, y") != NULL, "%s", error.text);
	ok_str(rows, "1|bad|", "is the last one");
	ok_eq(read_table("many\n", 5), -E2BIG, "too many");
	ok(strstr(error.text, "/table:1: too many lines") != NULL, "%s", error.text);
	ok_eq(read_table("memory\n", 7), -ENOMEM, "no memory");
	ok(strstr(error.text, "Cannot allocate memory") != NULL, "%s", error.text);
	ok_eq(read_table("1\n2\0003\n", 6), -EINVAL, "a 0 is no text");
	ok_str(rows, "1|", "it is not passed on");
	memset(longer, 'x', sizeof(longer));
	ok_eq(read_table(longer, sizeof(longer)), -EINVAL, "a long line");
	ok(strstr(error.text, ":1: is not x, y") != NULL, "%s", error.text);
	ok_eq(table_read(in_folder("none"), "x", on_row, NULL, &error), -ENOENT,
	      "no file");
	ok_eq(table_read(in_folder("fifo"), "x", on_row, NULL, &error), -EINVAL,
	      "a pipe");
	ok(strstr(error.text, "is not a regular file") != NULL, "%s", error.text);
	memset(path, 'y', sizeof(path));
	path[200] = 0;
	path[190] = '\n';
	table_error(&error, path, 7, -EIO, NULL);
	snprintf(want, sizeof(want), "y?yyyyyyyyy:7: %s", "Input/output error");
	ok_eq(strncmp(error.text, "...yyy", 6), 0, "a long path is cut");
	ok(strstr(error.text, want) != NULL, "and is one line: %s", error.text);
}

/*
 * Whole files, and secrets
 */

static void test_load(void)
{
	static char large[(1 << 20) + 7];
	uint8_t *data;
	size_t len;

	memset(large, 'x', sizeof(large));
	write_file(in_folder("large"), large, sizeof(large));
	ok_eq(file_load(in_folder("large"), &data, &len), 0, "a file");
	ok_eq(len, sizeof(large), "of its size");
	ok_mem(data, large, len, "as it is");
	free(data);
	ok_eq(file_load(in_folder("none"), &data, &len), -ENOENT, "no file");
	ok_eq(file_load(folder, &data, &len), -EISDIR, "a folder");
	ok_eq(file_load("/dev/null", &data, &len), 0, "nothing");
	ok_eq(len, 0, "has no bytes");
	free(data);
}

static int open_secret(const char *path, mode_t mode)
{
	FILE *f;
	int err;

	if (mode)
		chmod(path, mode);
	err = secret_file_open(&f, path, &error);
	if (!err)
		fclose(f);
	else if (f)
		abort();
	return err;
}

static void test_secret(void)
{
	const char *path = in_folder("secret");

	write_file(path, "x", 1);
	ok_eq(open_secret(path, 0600), 0, "a secret");
	ok_eq(open_secret(path, 0640), 0, "that its group may read");
	ok_eq(open_secret(path, 0660), -EACCES, "but not write");
	ok(strstr(error.text, "run chmod 640") != NULL, "%s", error.text);
	ok_eq(open_secret(path, 0604), -EACCES, "nor others read");
	ok_eq(open_secret(path, 0602), -EACCES, "or write");
	ok_eq(open_secret(in_folder("none"), 0), -ENOENT, "no file");
	ok_eq(open_secret(folder, 0), -EINVAL, "a folder");
	ok_eq(open_secret(in_folder("fifo"), 0), -EINVAL, "a pipe");
	ok(strstr(error.text, "not a regular file") != NULL, "%s", error.text);
}

/* Return: as http_auth_open(), with a file of that text; NULL: none */
static int open_auth(struct http_auth *a, const char *where, const char *text)
{
	const char *path = in_folder("tokens");

	if (text) {
		write_file(path, text, strlen(text));
		chmod(path, 0600);
	}
	return http_auth_open(a, "http", where, "8460", text ? path : "",
			      &error);
}

static void test_auth_address(void)
{
	struct http_auth a;
	char longer[400];

	ok_eq(open_auth(&a, "8461", NULL), 0, "a port");
	ok_str(a.where, "127.0.0.1:8461", "is on the loopback");
	ok_eq(a.loopback, true, "as it says");
	ok_eq(open_auth(&a, "Localhost", NULL), 0, "a name");
	ok_str(a.host, "localhost", "in lower case");
	ok_eq(open_auth(&a, "[::1]:5", NULL), 0, "IPv6");
	ok_str(a.host, "[::1]", "with brackets");
	ok_eq(open_auth(&a, "127.9.9.9", NULL), 0, "any loopback");
	ok_eq(open_auth(&a, "0.0.0.0:5", NULL), -EACCES, "others need tokens");
	ok(strstr(error.text, "0.0.0.0:5: not a loopback address") != NULL, "%s",
	   error.text);
	ok_eq(open_auth(&a, "0.0.0.0:5", "0123456789abcdef\n"), 0, "with them");
	ok_eq(a.loopback, false, "they are open");
	ok_eq(open_auth(&a, ":5", NULL), -EINVAL, "no address");
	ok(strstr(error.text, "http: ':5' is not ADDRESS:PORT") != NULL, "%s", error.text);
	ok_eq(open_auth(&a, "127.0.0.1:x", NULL), -EINVAL, "no port");
	memset(longer, '1', sizeof(longer));
	longer[300] = 0;
	ok_eq(open_auth(&a, longer, NULL), -EINVAL, "too long");
	ok_eq(http_auth_is_local("127.0.0.1"), true, "an address");
	ok_eq(http_auth_is_local("::1"), true, "of IPv6");
	ok_eq(http_auth_is_local("128.0.0.1"), false, "another one");
	ok_eq(http_auth_is_local("::2"), false, "of IPv6");
	ok_eq(http_auth_is_local("x"), false, "none");
	open_auth(&a, "Robot:5", "0123456789abcdef\n");
	strcpy(a.host, "robot");
	ok_eq(http_auth_host(&a, "ROBOT:99"), true, "our name");
	ok_eq(http_auth_host(&a, "localhost"), true, "the usual one");
	ok_eq(http_auth_host(&a, "127.0.0.1:1"), true, "its address");
	ok_eq(http_auth_host(&a, "[::1]:1"), true, "and the other");
	ok_eq(http_auth_host(&a, "robot.example"), false, "not another site's");
	ok_eq(http_auth_host(&a, ""), false, "nor none");
	ok_eq(http_auth_host(&a, "[::1"), false, "nor half of one");
	ok_eq(http_auth_host(&a, longer), false, "nor a long one");
}

static void test_auth_tokens(void)
{
	static char many[65 * 32], longest[300];
	struct http_auth a;

	ok_eq(open_auth(&a, "5", "# mine\n\n \t0123456789abcdef \r\n"
			"0123456789ABCDEFG"), 0, "tokens");
	ok_eq(a.tokens, 2, "without comments");
	ok_eq(http_auth_token(&a, "Bearer 0123456789abcdef"), true, "one");
	ok_eq(http_auth_token(&a, "bearer  0123456789ABCDEFG"), true, "two");
	ok_eq(http_auth_token(&a, "Bearer 0123456789abcdeg"), false, "another");
	ok_eq(http_auth_token(&a, "Bearer 0123456789abcde"), false, "a part");
	ok_eq(http_auth_token(&a, "Bearer 0123456789abcdef "), false, "more");
	ok_eq(http_auth_token(&a, "Bearer "), false, "none");
	ok_eq(http_auth_token(&a, "Basic 0123456789abcdef"), false, "of others");
	ok_eq(http_auth_token(&a, NULL), false, "no header");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "Bearer ", 7);
	longest[299] = 0;
	ok_eq(http_auth_token(&a, longest), false, "a long one");
	ok_eq(open_auth(&a, "5", "0123456789abcde\n"), -EINVAL, "15 characters");
	ok(strstr(error.text, "tokens:1: a token must have 16 to 255") != NULL, "%s",
	   error.text);
	longest[6] = 'x';
	longest[255] = '\n';
	longest[256] = 0;
	ok_eq(open_auth(&a, "5", longest), 0, "255 characters");
	longest[255] = 'x';
	ok_eq(open_auth(&a, "5", longest), -EINVAL, "256");
	ok_eq(open_auth(&a, "5", "0123456789 abcdef\n"), -EINVAL, "a space");
	ok_eq(open_auth(&a, "5", "# none\n"), -EINVAL, "no token");
	ok(strstr(error.text, "no token in it") != NULL, "%s", error.text);
	for (int i = 0; i < 64; i++)
		sprintf(many + i * 19, "0123456789abcdef%02d\n", i);
	ok_eq(open_auth(&a, "5", many), 0, "64 tokens");
	strcat(many, "0123456789abcdef64\n");
	ok_eq(open_auth(&a, "5", many), -EINVAL, "65");
	ok_eq(http_auth_open(&a, "http", "5", "8460", in_folder("none"), &error),
	      -ENOENT, "no file of them");
}

static void test_installed(void)
{
	char path[PATH_MAX];

	write_file(in_folder("plugin.so"), "x", 1);
	setenv("TEST_FOLDER", folder, 1);
	ok_eq(installed_find("TEST_FOLDER", "bin", "plugin.so", path), 0,
	      "where the environment says");
	ok_str(path, in_folder("plugin.so"), "is its path");
	ok_eq(installed_find("TEST_FOLDER", "bin", "none.so", path), -ENOENT,
	      "and nowhere else");
	ok_eq(installed_find("TEST_NONE", "bin", "test_base_files", path), 0,
	      "beside the program");
	ok_eq(installed_find(NULL, "bin", "none.so", path), -ENOENT, "or not");
}

int main(void)
{
	cli_program = "test";
	signal(SIGXFSZ, SIG_IGN);
	make_folder();
	test_replace();
	test_replace_errors();
	test_full_disk();
	test_lines();
	test_long_lines();
	test_table();
	test_load();
	test_secret();
	test_auth_address();
	test_auth_tokens();
	test_installed();
	remove_folder();
	return tap_done();
}
