// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_open - open files that may be stores
 *
 * The type of a file is in its header: the first transaction, which is made
 * without a log, writes the application's id there. So files of other programs
 * are never changed, and get no lock or log.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "map/store/store_lock.h"
#include "map/store/store_open.h"
#include "map/store/store_schema.h"

/* Offsets in the header of SQLite's files, big-endian */
enum {
	HEADER		= 100,
	AT_PAGES	= 28,
	AT_VERSION	= 60,
	AT_APPLICATION	= 68,
};

enum {
	BUSY_MS		= 5000,
	/* the longest cells, with a reserve */
	LENGTH_MAX	= 64 << 20,
};

/*
 * EXTRA is FULL plus syncing the end of the journal that exists while tables
 * are made. A log of 64 MiB, if no one calls store_checkpoint().
 */
static const char settings[] =
	"PRAGMA synchronous = EXTRA;"
	"PRAGMA foreign_keys = ON;"
	"PRAGMA trusted_schema = OFF;"
	"PRAGMA cell_size_check = ON;"
	"PRAGMA secure_delete = OFF;"
	"PRAGMA temp_store = MEMORY;"
	"PRAGMA cache_size = -8192;"
	"PRAGMA wal_autocheckpoint = 16384;"
	"PRAGMA journal_size_limit = 67108864;";

/* A little faster than 8192 and 16384, and small changes write less */
static const char page_size[] = "PRAGMA page_size = 4096";

static int store_open_configure(struct store *s)
{
	sqlite3 *db = s->db;

	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	return sqlite3_exec(db, settings, NULL, NULL, NULL) ?
	       store_sql_error(s) : 0;
}

/* URI that SQLite opens as exactly that file; to be freed */
static char *uri_of(const char *path, const char *options)
{
	char *uri = malloc(3 * strlen(path) + strlen(options) + 8), *p;

	if (!uri)
		return NULL;
	p = stpcpy(uri, *path == '/' ? "file:" : "file:./");
	for (; *path; path++)
		if (strchr("%?#", *path))
			p += sprintf(p, "%%%02x", (unsigned char)*path);
		else
			*p++ = *path;
	strcpy(p, options);
	return uri;
}

static int connect_db(struct store *s, int flags, const char *options)
{
	char *uri = uri_of(s->path, options);
	int code;

	if (!uri)
		return store_error_set(s, -ENOMEM, "no memory");
	code = sqlite3_open_v2(uri, &s->db, flags | SQLITE_OPEN_URI |
			       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			       NULL);
	free(uri);
	if (!s->db)
		return store_error_set(s, -ENOMEM, "no memory");
	return code ? store_sql_error(s) : 0;
}

void store_disconnect(struct store *s)
{
	store_sql_close(s);
	sqlite3_close(s->db);
	s->db = NULL;
	/* last: until here it writes */
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
}

static int store_open_refuse(struct store *s, const char *why)
{
	return store_error_set(s, -EPROTONOSUPPORT, "%s", why);
}

static const char not_a_store[] = "not a map store";

static uint32_t read_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static bool has_journal(struct store *s)
{
	char *name;
	bool there;

	if (asprintf(&name, "%s-journal",
		     sqlite3_db_filename(s->db, "main")) < 0)
		return true;
	there = !access(name, F_OK);
	free(name);
	return there;
}

/*
 * Can it be a store? Reads through SQLite's own descriptor: no lock is taken or
 * dropped. @sure: out: no statement is needed to decide
 */
static int peek(struct store *s, bool *sure)
{
	uint8_t h[HEADER] = { 0 };
	sqlite3_file *f;
	sqlite3_int64 size;
	int code;

	*sure = false;
	if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &f))
		return store_sql_error(s);
	code = f->pMethods->xFileSize(f, &size);
	if (!code && size >= HEADER)
		code = f->pMethods->xRead(f, h, HEADER, 0);
	if (code)
		return store_error_set(s, -EIO, "%s: %s", s->doing,
				       sqlite3_errstr(code));
	*sure = !size;
	/* half of a transaction proves nothing */
	if (!size || has_journal(s))
		return 0;
	if (memcmp(h, "SQLite format 3", 16))
		return store_open_refuse(s, not_a_store);
	*sure = read_be32(h + AT_APPLICATION) == STORE_APPLICATION;
	if (!*sure && (read_be32(h + AT_APPLICATION) ||
		       read_be32(h + AT_VERSION) ||
		       read_be32(h + AT_PAGES) > 1))
		return store_open_refuse(s, not_a_store);
	return 0;
}

/* @kind: out: what it is, if it can be used at all */
static int ask_kind(struct store *s, enum store_kind *kind, int *version)
{
	const int code = store_schema_kind(s->db, version);

	if (code == -SQLITE_NOTADB)
		return store_open_refuse(s, not_a_store);
	if (code < 0)
		return store_sql_error(s);
	*kind = code;
	if (*kind == STORE_KIND_FOREIGN)
		return store_open_refuse(s, not_a_store);
	if (*kind == STORE_KIND_OURS && *version > STORE_VERSION)
		return store_error_set(s, -EPROTONOSUPPORT,
				       "store version %d is too new; this "
				       "program supports up to %d", *version,
				       STORE_VERSION);
	return 0;
}

/* Check that an existing file is or can become a store */
static int check_file(struct store *s)
{
	enum store_kind kind;
	int version, err;
	bool sure;

	err = connect_db(s, SQLITE_OPEN_READONLY, "");
	if (!err)
		err = peek(s, &sure);
	if (!err && !sure) {
		err = ask_kind(s, &kind, &version);
		/* to be rolled back: its type shows then */
		if (err && sqlite3_extended_errcode(s->db) ==
			   SQLITE_READONLY_ROLLBACK)
			err = 0;
	}
	return err;
}

static int check_path(struct store *s)
{
	struct stat st;

	/* SQLite would open a temporary database */
	if (!*s->path)
		return store_error_set(s, -EINVAL, "empty store path");
	if (stat(s->path, &st))
		return store_error_set(s, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return store_open_refuse(s, "not a regular file");
	return 0;
}

static int begin_reading(struct store *s)
{
	enum store_kind kind;
	bool sure;
	int version, err = peek(s, &sure);

	if (!err)
		err = store_open_configure(s);
	if (!err)
		err = ask_kind(s, &kind, &version);
	if (err)
		return err;
	if (kind == STORE_KIND_EMPTY)
		return store_open_refuse(s, "empty file, not a store");
	if (version < STORE_VERSION)
		return store_error_set(s, -EPROTONOSUPPORT,
				       "store version %d must be opened for "
				       "writing once to migrate it", version);
	return 0;
}

/* If no one can write, a file without a log needs no locks */
static bool never_changes(struct store *s)
{
	struct statvfs fs;
	struct stat st;
	char *log;
	bool empty;

	if (statvfs(s->path, &fs) || !(fs.f_flag & ST_RDONLY) ||
	    asprintf(&log, "%s-wal", s->path) < 0)
		return false;
	empty = stat(log, &st) || !st.st_size;
	free(log);
	return empty;
}

int store_open_to_read(struct store *s)
{
	int err = check_path(s);

	if (err)
		return err;
	err = connect_db(s, SQLITE_OPEN_READONLY,
			 never_changes(s) ? "?immutable=1" : "");
	return err ? err : begin_reading(s);
}

static int take_lock(struct store *s)
{
	int owner;

	s->lock = store_lock(sqlite3_db_filename(s->db, "main"), &owner);
	if (s->lock == -EBUSY && owner)
		return store_error_set(s, -EBUSY,
				       "locked: process %d writes it",
				       owner);
	if (s->lock == -EBUSY)
		return store_error_set(s, -EBUSY,
				       "locked: another process writes it");
	if (s->lock < 0)
		return store_error_set(s, s->lock, "lock file: %s",
				       strerror(-s->lock));
	return 0;
}

static int migrate(struct store *s, bool create)
{
	enum store_kind kind;
	int version, err = ask_kind(s, &kind, &version);

	if (err)
		return err;
	if (kind == STORE_KIND_EMPTY && !create)
		return store_open_refuse(s, "empty file, not a store");
	if (kind == STORE_KIND_EMPTY &&
	    sqlite3_exec(s->db, page_size, NULL, NULL, NULL))
		return store_sql_error(s);
	s->doing = kind == STORE_KIND_EMPTY ? "creating tables" :
					      "migrating tables";
	if (version < STORE_VERSION &&
	    store_schema_migrate(s->db, store_steps, STORE_VERSION))
		return store_sql_error(s);
	return 0;
}

static int is_wal(void *arg, int n, char **value, char **name)
{
	bool *wal = arg;

	(void)name;
	*wal = n == 1 && value[0] && !strcmp(value[0], "wal");
	return 0;
}

/* Its inode is not reused as long as it is open */
static void remember_file(struct store *s)
{
	struct stat st;

	s->filed = !stat(sqlite3_db_filename(s->db, "main"), &st);
	if (!s->filed)
		return;
	s->device = st.st_dev;
	s->inode = st.st_ino;
}

bool store_is_there(const struct store *s)
{
	struct stat st;

	if (!s->filed)
		return true;
	/* without permission nothing is known */
	if (stat(sqlite3_db_filename(s->db, "main"), &st))
		return errno != ENOENT && errno != ENOTDIR;
	return st.st_dev == s->device && st.st_ino == s->inode;
}

static int begin_writing(struct store *s, bool create)
{
	bool wal = false;
	int err = store_open_configure(s);

	if (!err)
		err = migrate(s, create);
	if (err)
		return err;
	s->doing = "enabling WAL";
	if (sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", is_wal, &wal,
			 NULL))
		return store_sql_error(s);
	if (!wal)
		return store_error_set(s, -EOPNOTSUPP, "%s: not supported by "
				       "this file system", s->doing);
	s->writable = true;
	remember_file(s);
	return 0;
}

int store_open_to_write(struct store *s, bool create)
{
	int err = check_path(s);

	if (!err) {
		err = check_file(s);
		store_disconnect(s);
	} else if (err == -ENOENT && create) {
		err = 0;
	}
	if (err)
		return err;
	err = connect_db(s, SQLITE_OPEN_READWRITE |
			 (create ? SQLITE_OPEN_CREATE : 0), "");
	/* SQLite falls back to read-only silently */
	if (!err && sqlite3_db_readonly(s->db, "main"))
		err = store_error_set(s, access(s->path, W_OK) ? -errno :
				      -EROFS, "no write permission");
	if (!err)
		err = take_lock(s);
	return err ? err : begin_writing(s, create);
}
