// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_change - transactions of one or several calls
 *
 * Within store_begin() a call is a savepoint, so that a failed call leaves
 * nothing behind. SQLite ends the whole transaction for some errors (a full
 * disk): then all later calls fail until store_commit() or store_rollback().
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "map/store/store_db.h"

static int refuse_lost(struct store *s)
{
	return store_error_set(s, s->lost, "%s: transaction rolled back by an "
			       "earlier error: %s", s->doing,
			       strerror(-s->lost));
}

/* The original error is preserved */
static void store_change_undo(struct store *s)
{
	const struct error error = s->error;

	if (sqlite3_get_autocommit(s->db))
		return;
	if (!s->begun || store_sql_run(s, SQL_UNDO, "") ||
	    store_sql_run(s, SQL_RELEASE, ""))
		store_sql_run(s, SQL_ROLLBACK, "");
	s->error = error;
}

int store_change(struct store *s, const char *doing)
{
	s->doing = doing;
	if (!s->writable)
		return store_error_set(s, -EROFS, "%s: opened read-only",
				       doing);
	if (s->lost)
		return refuse_lost(s);
	return store_sql_run(s, s->begun ? SQL_SAVEPOINT : SQL_BEGIN, "");
}

int store_changed(struct store *s, int err)
{
	assert(s->writable);
	if (!err && !s->begun && !store_is_there(s))
		err = store_error_set(s, -EIO, "%s: the file was deleted or "
				      "replaced while open: nothing can be "
				      "stored", s->doing);
	if (!err)
		err = store_sql_run(s, s->begun ? SQL_RELEASE : SQL_COMMIT, "");
	if (!err)
		return 0;
	store_change_undo(s);
	if (s->begun && sqlite3_get_autocommit(s->db))
		s->lost = err;
	return err;
}

int store_begin(struct store *s)
{
	int err;

	if (s->begun)
		return store_error_set(s, -EINVAL,
				       "a transaction is already open");
	assert(!s->lost);
	err = store_change(s, "beginning");
	s->begun = !err;
	return err;
}

int store_commit(struct store *s)
{
	int err = s->lost;

	s->doing = "committing";
	if (!s->begun)
		return store_error_set(s, -EINVAL, "no open transaction");
	if (err)
		refuse_lost(s);
	s->begun = false;
	s->lost = 0;
	return err ? err : store_changed(s, 0);
}

bool store_is_begun(const struct store *s)
{
	return s->begun;
}

void store_rollback(struct store *s)
{
	s->begun = false;
	s->lost = 0;
	s->doing = "undoing";
	store_change_undo(s);
	assert(sqlite3_get_autocommit(s->db));
}
