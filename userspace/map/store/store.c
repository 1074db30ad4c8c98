// SPDX-License-Identifier: GPL-2.0-only
/*
 * store - all data of a site in one SQLite file
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "map/store/store_db.h"
#include "map/store/store_open.h"

static struct store *new_store(const char *path)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->lock = -1;
	s->doing = "opening";
	s->path = strdup(path);
	s->blob = cells_blob_new();
	if (!s->path || !s->blob) {
		store_close(s);
		return NULL;
	}
	return s;
}

int store_open(struct store **out, const char *path, enum store_mode mode,
	       struct error *error)
{
	struct store *s = new_store(path);
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "%.200s: no memory", path);
	err = mode == STORE_READ ? store_open_to_read(s) :
				   store_open_to_write(s, mode == STORE_CREATE);
	if (err) {
		*error = s->error;
		store_close(s);
		return err;
	}
	assert(s->db && (mode == STORE_READ) == !s->writable);
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_disconnect(s);
	cells_blob_free(s->blob);
	free((char *)s->path);
	free(s);
}

const char *store_error(const struct store *s)
{
	return s->error.text;
}

int store_checkpoint(struct store *s)
{
	s->doing = "checkpoint of the log";
	if (!s->writable)
		return store_error_set(s, -EROFS, "%s: opened read-only",
				       s->doing);
	/* moves what readers do not need, and waits for none */
	if (sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE,
				      NULL, NULL))
		return store_sql_error(s);
	return 0;
}

/* All pages in one step, for a consistent snapshot */
static int copy_pages(struct store *s, sqlite3 *to)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", s->db, "main");
	int code = sqlite3_errcode(to);

	if (b) {
		sqlite3_backup_step(b, -1);
		code = sqlite3_backup_finish(b);
	}
	/* one file without a log, readable from anywhere */
	if (!code)
		code = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL,
				    NULL, NULL);
	if (!code)
		return 0;
	return store_error_set(s, store_sql_errno(to, code), "%s: %s", s->doing,
			       sqlite3_errmsg(to));
}

static int copy_to(struct store *s, const char *path)
{
	sqlite3 *to;
	int err;

	if (sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE |
			    SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)) {
		err = store_sql_errno(to, sqlite3_errcode(to));
		store_error_set(s, err ? err : -EIO, "%s: %.80s: %s", s->doing,
				path, sqlite3_errmsg(to));
		sqlite3_close(to);
		return err ? err : -EIO;
	}
	sqlite3_extended_result_codes(to, 1);
	sqlite3_busy_timeout(to, 1000);
	err = copy_pages(s, to);
	sqlite3_close(to);
	return err;
}

/* Also sync the directory entry */
static int store_sync_folder(const char *path)
{
	char *copy = strdup(path);
	int fd, err = 0;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(copy);
	return err;
}

/* Absolute path, as SQLite interprets some names; to be freed */
static char *part_name(const char *path)
{
	char *name;

	if (asprintf(&name, "%s%s.part", *path == '/' ? "" : "./", path) < 0)
		return NULL;
	return name;
}

int store_backup(struct store *s, const char *path)
{
	char *part = part_name(path);
	int err;

	s->doing = "copying it";
	if (!part)
		return store_error_set(s, -ENOMEM, "no memory");
	if (s->begun)
		err = store_error_set(s, -EBUSY, "%s: a transaction is open",
				      s->doing);
	else if (!access(path, F_OK))
		err = store_error_set(s, -EEXIST, "%s: %.80s exists", s->doing,
				      path);
	else if (unlink(part) && errno != ENOENT)
		err = store_error_set(s, -errno, "%s: %.80s: %s", s->doing,
				      part, strerror(errno));
	else
		err = copy_to(s, part);
	if (!err && (renameat2(AT_FDCWD, part, AT_FDCWD, path,
			       RENAME_NOREPLACE) || store_sync_folder(path)))
		err = store_error_set(s, -errno, "%s: %.80s: %s", s->doing,
				      path, strerror(errno));
	if (err)
		unlink(part);
	free(part);
	return err;
}
