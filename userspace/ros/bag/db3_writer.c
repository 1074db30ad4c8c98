// SPDX-License-Identifier: GPL-2.0-only
/*
 * db3_writer - write the SQLite files of rosbag2, and their metadata.yaml
 *
 * Buffered messages are in a transaction: after the death of the writer, or
 * with a full disk, the file has all that was committed. Tables as of schema 4
 * (Iron and later; Humble ignores unknown parts), metadata as of version 5
 * (Humble; all later versions read it).
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ros/bag/writer.h"

struct db3_writer {
	struct bag_writer	bag;
	sqlite3			*db;
	sqlite3_stmt		*insert;
	bool			begun;
	char			*path;
};

static int db3_writer_error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

static int db3_writer_run(struct db3_writer *d, const char *sql)
{
	return db3_writer_error_of(sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

/* A statement with texts for its question marks */
static int run_with(struct db3_writer *d, const char *sql, int n,
		    const char *const *text)
{
	sqlite3_stmt *s;
	int code = sqlite3_prepare_v2(d->db, sql, -1, &s, NULL);

	if (code != SQLITE_OK)
		return db3_writer_error_of(code);
	for (int i = 0; i < n; i++)
		sqlite3_bind_text(s, i + 1, text[i], -1, SQLITE_STATIC);
	code = sqlite3_step(s);
	sqlite3_finalize(s);
	return db3_writer_error_of(code);
}

static int db3_add(struct bag_writer *bag, unsigned int topic)
{
	struct db3_writer *d = (struct db3_writer *)bag;
	const struct bag_topic *t = &bag->topic[topic];
	const char *const row[] = { t->name, t->type, bag_qos(t) };
	const char *const text[] = { t->type, t->definition };
	char sql[256];
	int err;

	if (t->format != MESSAGE_CDR)
		return -EINVAL;
	/* we choose its number, so no query is needed */
	snprintf(sql, sizeof(sql), "INSERT INTO topics(id, name, type, "
		 "serialization_format, offered_qos_profiles, "
		 "type_description_hash) VALUES (%u, ?, ?, 'cdr', ?, '')",
		 topic + 1);
	err = run_with(d, sql, 3, row);
	if (err || !*t->definition)
		return err;
	return run_with(d, "INSERT INTO message_definitions(topic_type, "
			"encoding, encoded_message_definition, "
			"type_description_hash) "
			"SELECT ?1, 'ros2msg', ?2, '' WHERE NOT EXISTS "
			"(SELECT 1 FROM message_definitions "
			"WHERE topic_type = ?1)", 2, text);
}

static int db3_write(struct bag_writer *bag, unsigned int topic, int64_t stamp,
		     const void *data, size_t len)
{
	struct db3_writer *d = (struct db3_writer *)bag;
	int err = d->begun ? 0 : db3_writer_run(d, "BEGIN");

	if (err)
		return err;
	d->begun = true;
	sqlite3_bind_int64(d->insert, 1, topic + 1);
	sqlite3_bind_int64(d->insert, 2, stamp);
	sqlite3_bind_blob(d->insert, 3, len ? data : "", len, SQLITE_STATIC);
	err = db3_writer_error_of(sqlite3_step(d->insert));
	sqlite3_reset(d->insert);
	sqlite3_clear_bindings(d->insert);
	return err;
}

static int db3_flush(struct bag_writer *bag)
{
	struct db3_writer *d = (struct db3_writer *)bag;
	int err = d->begun ? db3_writer_run(d, "COMMIT") : 0;

	if (!err)
		d->begun = false;
	return err;
}

/* A YAML scalar, quoted and escaped */
static void put_quoted(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++)
		if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(f, "\\x%02x", *s);
		else
			putc(*s, f);
	putc('"', f);
}

static void put_topics(struct db3_writer *d, FILE *f)
{
	for (unsigned int i = 0; i < d->bag.topics; i++) {
		const struct bag_topic *t = &d->bag.topic[i];

		fputs("    - topic_metadata:\n        name: ", f);
		put_quoted(f, t->name);
		fputs("\n        type: ", f);
		put_quoted(f, t->type);
		fputs("\n        serialization_format: cdr\n"
		      "        offered_qos_profiles: ", f);
		put_quoted(f, bag_qos(t));
		fprintf(f, "\n      message_count: %llu\n",
			(unsigned long long)t->count);
	}
}

static void put_metadata(struct db3_writer *d, FILE *f)
{
	const struct bag_writer *b = &d->bag;
	const char *slash = strrchr(d->path, '/');
	const char *name = slash ? slash + 1 : d->path;
	long long begin = b->begin, span = b->end - b->begin;
	unsigned long long n = b->messages;

	fprintf(f, "  version: 5\n"
		"  storage_identifier: sqlite3\n"
		"  duration:\n    nanoseconds: %lld\n"
		"  starting_time:\n    nanoseconds_since_epoch: %lld\n"
		"  message_count: %llu\n", span, begin, n);
	fputs(b->topics ? "  topics_with_message_count:\n" :
	      "  topics_with_message_count: []\n", f);
	put_topics(d, f);
	fputs("  compression_format: \"\"\n  compression_mode: \"\"\n"
	      "  relative_file_paths:\n    - ", f);
	put_quoted(f, name);
	fputs("\n  files:\n    - path: ", f);
	put_quoted(f, name);
	fprintf(f, "\n      starting_time:\n"
		"        nanoseconds_since_epoch: %lld\n"
		"      duration:\n        nanoseconds: %lld\n"
		"      message_count: %llu\n", begin, span, n);
}

/*
 * Also written to the file: its version tells rosbag2 how to read the QoS.
 * @yaml: also as metadata.yaml
 */
static int write_metadata(struct db3_writer *d, bool yaml)
{
	const char *slash = strrchr(d->path, '/');
	const char *text[1];
	char path[4096], *t;
	size_t len;
	FILE *f = open_memstream(&t, &len);
	int err, bad;

	if (!f)
		return -ENOMEM;
	put_metadata(d, f);
	if (fclose(f))
		return -ENOMEM;
	text[0] = t;
	err = run_with(d, "INSERT INTO metadata(metadata_version, metadata) "
		       "VALUES (5, ?)", 1, text);
	if (!yaml)
		goto out;
	if (snprintf(path, sizeof(path), "%.*smetadata.yaml",
		     slash ? (int)(slash + 1 - d->path) : 0, d->path) >=
	    (int)sizeof(path)) {
		err = -ENAMETOOLONG;
		goto out;
	}
	f = fopen(path, "we");
	if (!f) {
		err = -errno;
		goto out;
	}
	fprintf(f, "rosbag2_bagfile_information:\n%s", t);
	bad = ferror(f);
	if (fclose(f) || bad) {
		/*
		 * no file is better than an incomplete one: it can be made
		 * again
		 */
		unlink(path);
		err = -EIO;
	}
out:
	free(t);
	return err;
}

/* Uncommitted messages are not counted */
static void recount(struct db3_writer *d)
{
	sqlite3_stmt *s;

	for (unsigned int i = 0; i < d->bag.topics; i++)
		d->bag.topic[i].count = 0;
	d->bag.messages = 0;
	if (sqlite3_prepare_v2(d->db, "SELECT topic_id, count(*), "
			       "min(timestamp), max(timestamp) FROM messages "
			       "GROUP BY topic_id", -1, &s, NULL) != SQLITE_OK)
		return;
	while (sqlite3_step(s) == SQLITE_ROW) {
		int64_t begin = sqlite3_column_int64(s, 2);
		int64_t end = sqlite3_column_int64(s, 3);
		uint64_t n = sqlite3_column_int64(s, 1);

		d->bag.topic[sqlite3_column_int(s, 0) - 1].count = n;
		if (!d->bag.messages || begin < d->bag.begin)
			d->bag.begin = begin;
		if (!d->bag.messages || end > d->bag.end)
			d->bag.end = end;
		d->bag.messages += n;
	}
	sqlite3_finalize(s);
}

static int db3_finish(struct bag_writer *bag)
{
	struct db3_writer *d = (struct db3_writer *)bag;
	int err = 0, last;

	if (bag->failed) {
		if (!sqlite3_get_autocommit(d->db))
			db3_writer_run(d, "ROLLBACK");
		recount(d);
	}
	sqlite3_finalize(d->insert);
	d->insert = NULL;
	last = write_metadata(d, true);
	/* a single file again, without its log */
	err = db3_writer_run(d, "PRAGMA journal_mode = DELETE");
	return err ? err : last;
}

static void db3_release(struct bag_writer *bag)
{
	struct db3_writer *d = (struct db3_writer *)bag;

	sqlite3_finalize(d->insert);
	sqlite3_close(d->db);
	free(d->path);
	free(d);
}

/* NAME.db3 as it is; NAME as a folder with NAME_0.db3. Return: 0, -EEXIST */
static int choose_path(struct db3_writer *d, const char *path)
{
	size_t n = strlen(path);
	const char *name;

	if (n > 4 && !strcmp(path + n - 4, ".db3")) {
		d->path = strdup(path);
		if (!d->path)
			return -ENOMEM;
		return access(path, F_OK) ? 0 : -EEXIST;
	}
	while (n > 1 && path[n - 1] == '/')
		n--;
	name = memrchr(path, '/', n);
	name = name ? name + 1 : path;
	if (asprintf(&d->path, "%.*s/%.*s_0.db3", (int)n, path,
		     (int)(path + n - name), name) < 0) {
		d->path = NULL;
		return -ENOMEM;
	}
	return mkdir(path, 0777) ? -errno : 0;
}

static int create_db(struct db3_writer *d)
{
	int code = sqlite3_open(d->path, &d->db), err;

	if (code != SQLITE_OK)
		return code == SQLITE_NOMEM ? -ENOMEM : -EACCES;
	err = db3_writer_run(
		d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		   "BEGIN;"
		   "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY,"
		   " ros_distro TEXT NOT NULL);"
		   "INSERT INTO schema VALUES (4, '');"
		   "CREATE TABLE metadata(id INTEGER PRIMARY KEY,"
		   " metadata_version INTEGER NOT NULL,"
		   " metadata TEXT NOT NULL);"
		   "CREATE TABLE topics(id INTEGER PRIMARY KEY,"
		   " name TEXT NOT NULL, type TEXT NOT NULL,"
		   " serialization_format TEXT NOT NULL,"
		   " offered_qos_profiles TEXT NOT NULL,"
		   " type_description_hash TEXT NOT NULL);"
		   "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY,"
		   " topic_type TEXT NOT NULL, encoding TEXT NOT NULL,"
		   " encoded_message_definition TEXT NOT NULL,"
		   " type_description_hash TEXT NOT NULL);"
		   "CREATE TABLE messages(id INTEGER PRIMARY KEY,"
		   " topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
		   " data BLOB NOT NULL);"
		   "CREATE INDEX timestamp_idx ON messages(timestamp ASC);"
		   "COMMIT");
	if (!err)
		err = write_metadata(d, false);
	if (err)
		return err;
	return db3_writer_error_of(
		sqlite3_prepare_v2(d->db,
				   "INSERT INTO messages("
				   "topic_id, timestamp, data) "
				   "VALUES (?, ?, ?)",
				   -1, &d->insert, NULL));
}

int db3_create(struct bag_writer **bag, const char *path)
{
	static const struct bag_writer_ops ops = {
		.add = db3_add, .write = db3_write, .flush = db3_flush,
		.finish = db3_finish, .release = db3_release,
	};
	struct db3_writer *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->bag.ops = &ops;
	err = choose_path(d, path);
	if (!err)
		err = create_db(d);
	if (err) {
		db3_release(&d->bag);
		return err;
	}
	*bag = &d->bag;
	return 0;
}
