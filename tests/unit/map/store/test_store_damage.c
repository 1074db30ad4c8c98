// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_store_damage - files that are damaged, of others or of other versions
 * are answered by one line, and left as they are
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "map/store/cells_blob.h"
#include "map/store/store_schema.h"
#include "store_fixture.h"

/* A copy of a file in which some bytes are others */
static void read_file(const char *path, uint8_t **data, size_t *n)
{
	FILE *f = fopen(path, "r");
	struct stat st;

	*data = NULL;
	if (!f || fstat(fileno(f), &st))
		abort();
	*n = st.st_size;
	*data = malloc(*n + 1);
	if (fread(*data, 1, *n, f) != *n)
		abort();
	fclose(f);
}

static void refuses_others(const char *good)
{
	const char *path = in_folder("foreign");
	uint8_t *before, *after;
	size_t n, m;

	refused(in_folder("none"), STORE_WRITE, -ENOENT, "No such", "none");
	refused(in_folder("none"), STORE_READ, -ENOENT, "No such", "none");
	refused(in_folder("no/ne"), STORE_CREATE, -ENOENT, "", "no folder");
	refused(folder, STORE_CREATE, -EPROTONOSUPPORT, "not a regular file", "folder");
	refused("", STORE_CREATE, -EINVAL, "empty store path", "no name");
	write_file(path, "", 0);
	refused(path, STORE_READ, -EPROTONOSUPPORT, "empty", "empty");
	refused(path, STORE_WRITE, -EPROTONOSUPPORT, "empty", "empty");
	write_file(path, "P5\n", 3);
	refused(path, STORE_CREATE, -EPROTONOSUPPORT, "not a map store",
		"an image");
	sql(in_folder("db"), "CREATE TABLE t(x); PRAGMA journal_mode = WAL");
	read_file(in_folder("db"), &before, &n);
	refused(in_folder("db"), STORE_CREATE, -EPROTONOSUPPORT, "not a map store",
		"a database");
	refused(in_folder("db"), STORE_READ, -EPROTONOSUPPORT, "not a map store",
		"a database");
	read_file(in_folder("db"), &after, &m);
	ok_eq(n, m, "and was not touched");
	ok_mem(before, after, n, "... before");
	ok(access(in_folder("db-lock"), F_OK), "... the file is not there");
	ok(access(in_folder("db-wal"), F_OK), "... the file is not there");
	free(before);
	free(after);
	sql(in_folder("app"), "PRAGMA application_id = 5");
	refused(in_folder("app"), STORE_CREATE, -EPROTONOSUPPORT, "not a map store",
		"of another program");
	sql(in_folder("new"), "VACUUM");
	store_close(open_it(in_folder("new"), STORE_CREATE));
	ok(sql_is(in_folder("new"), "SELECT count(*) FROM layer", "0"),
	   "a database with nothing in it becomes a store");
	read_file(good, &before, &n);
	write_file(in_folder("later"), before, n);
	free(before);
	sql(in_folder("later"), "PRAGMA user_version = 2");
	refused(in_folder("later"), STORE_CREATE, -EPROTONOSUPPORT,
		"version 2", "a later version");
	refused(in_folder("later"), STORE_READ, -EPROTONOSUPPORT,
		"version 2", "a later version");
}

static void odd_names(void)
{
	static const char *const names[] = {
		"a?b#c%d.store", "file:x", ":memory:", "q'\";", "\xc3\xbc \n",
	};
	char path[96];
	struct store *s;
	int here = open(".", O_RDONLY | O_CLOEXEC);

	if (chdir(folder))
		abort();
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s", names[i]);
		s = open_it(path, STORE_CREATE);
		if (s)
			store_set(s, "a", "b");
		store_close(s);
		ok(s, "odd name %d", i);
		ok(!access(path, F_OK), "... the file is there");
	}
	if (fchdir(here))
		abort();
	close(here);
}

static int fail_late(sqlite3 *db)
{
	return sqlite3_exec(db, "DELETE FROM setting; "
			    "INSERT INTO nothing VALUES (1)", NULL, NULL, NULL);
}

static int die_late(sqlite3 *db)
{
	sqlite3_exec(db, "DELETE FROM setting", NULL, NULL, NULL);
	sqlite3_db_cacheflush(db);
	kill(getpid(), SIGKILL);
	return SQLITE_OK;
}

static int migrate(const char *path, int (*run)(sqlite3 *db))
{
	const struct store_step steps[] = {
		store_steps[0],
		{ .sql = "ALTER TABLE room ADD COLUMN door TEXT" },
		{ .run = run },
	};
	sqlite3 *db;
	int code = sqlite3_open(path, &db);

	if (!code)
		code = store_schema_migrate(db, steps, run ? 3 : 2);
	sqlite3_close(db);
	return code;
}

static void migrates(void)
{
	const char *path = in_folder("old");
	struct store *s = open_it(path, STORE_CREATE);
	int status;
	pid_t pid;

	store_set(s, "x", "1");
	store_close(s);
	ok(migrate(path, fail_late),
	   "a step that fails leaves the file as it was");
	ok(sql_is(path, "PRAGMA user_version", "1"), "... sql is");
	ok(sql_is(path, "SELECT count(*) FROM setting", "1"), "... sql is");
	ok(sql_is(path,
		  "SELECT count(*) FROM pragma_table_info('room') "
		  "WHERE name = 'door'",
		  "0"),
	   "... sql is");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		migrate(path, die_late);
		_exit(0);
	}
	ok_eq(waitpid(pid, &status, 0), pid, "so does one that is killed");
	ok(WIFSIGNALED(status), "... WIFSIGNALED");
	ok(sql_is(path, "PRAGMA user_version", "1"), "... sql is");
	ok(sql_is(path, "SELECT count(*) FROM setting", "1"), "... sql is");
	s = open_it(path, STORE_WRITE);
	is_sound(s, "still a store");
	store_close(s);
	ok_eq(migrate(path, NULL), 0, "one that succeeds adds what is new");
	ok(sql_is(path, "PRAGMA user_version", "2"), "... sql is");
	ok(sql_is(path, "SELECT count(door) FROM room", "0"), "... sql is");
	ok(sql_is(path, "SELECT value FROM setting", "1"), "... sql is");
	ok_eq(migrate(path, NULL), 0, "once");
	ok(sql_is(path, "PRAGMA user_version", "2"), "... sql is");
	ok_eq(migrate(in_folder("fresh"), NULL), 0,
	      "a new one takes all steps");
	ok(sql_is(in_folder("fresh"), "PRAGMA user_version", "2"),
	   "... sql is");
	ok(sql_is(in_folder("fresh"), "PRAGMA application_id", "1195657549"),
	   "... sql is");
}

/* A store with one submap in which some column is what it should not be */
static void manipulated(const char *set, const char *says, bool listed)
{
	const char *path = in_folder("bad");
	struct store *s;
	struct store_submap m = { 0 };
	struct cells *c = make_cells(50, 40, 8), *got;
	char text[256];
	int err, n;

	unlink(path);
	s = open_it(path, STORE_CREATE);
	m.layer = add_layer(s, "a", 8);
	put(s, "a", &(struct pose){ 1, 2, 3 }, &m, &c, 1);
	store_close(s);
	snprintf(text, sizeof(text), "PRAGMA ignore_check_constraints = ON; "
		 "%s", set);
	sql(path, text);
	s = open_it(path, STORE_READ);
	err = store_cells(s, m.id, &got);
	ok_eq(err, -EBADMSG, "%s: %s", set, store_error(s));
	ok(is_line(store_error(s), says), "... is line");
	memset(all, 0, sizeof(*all));
	ok((store_submaps(s, on_submap, NULL) == -EBADMSG) == listed,
	   "%s in the list", listed ? "not" : "still");
	n = store_verify(s, on_found, NULL);
	ok(n > 0, "found: %d", n);
	store_close(s);
	cells_put(c);
}

static void meets_damage(void)
{
	manipulated("UPDATE submap SET width = 1000000000", "submap 1", true);
	manipulated("UPDATE submap SET width = 51", "submap 1", false);
	manipulated("UPDATE submap SET width = 16384, height = 16384",
		    "submap 1", true);
	manipulated("UPDATE submap SET width = -50, height = -40", "submap 1",
		    true);
	manipulated("UPDATE submap SET bits = 16", "submap 1", false);
	manipulated("UPDATE submap SET bits = 12", "submap 1", true);
	manipulated("UPDATE submap SET resolution = 1e308", "submap 1", true);
	manipulated("UPDATE submap SET x = 9e999", "submap 1", true);
	manipulated("UPDATE submap SET weight = 101", "submap 1", true);
	manipulated("UPDATE submap SET cells = x''", "submap 1", false);
	manipulated("UPDATE submap SET cells = zeroblob(30000000)", "submap 1",
		    false);
	manipulated("UPDATE submap SET cells = substr(cells, 1, "
		    "length(cells) - 1)", "submap 1", false);
	manipulated("UPDATE submap SET cells = "
		    "CAST(cells || x'00' AS BLOB)", "submap 1",
		    false);
	manipulated("DROP TABLE submap", "no such table", true);
	manipulated("ALTER TABLE submap RENAME TO s; CREATE VIEW submap AS "
		    "SELECT * FROM s", "submap", true);
}

/* What is damaged is named when it is read */
static void names_damage(void)
{
	static const double at[1][2] = { { 1, 2 } };
	const char *path = in_folder("named");
	struct store *s = open_it(path, STORE_CREATE);
	const struct room r = make_room(7, 4, 2);

	ok_eq(store_room(s, &r), 0, "... store room");
	ok_eq(store_repeaters(s, 5, at, 1), 0, "... store repeaters");
	store_close(s);
	sql(path, "UPDATE room SET x = 9e999");
	sql(path, "UPDATE repeater SET y = 9e999");
	s = open_it(path, STORE_READ);
	memset(all, 0, sizeof(*all));
	ok(fails(s, store_rooms(s, on_room, NULL), -EBADMSG, "room 7 is damaged"),
	   "a damaged room");
	ok_eq(all->rooms, 0, "... is not given");
	ok(fails(s, store_each_repeater(s, on_point, NULL), -EBADMSG,
		 "damaged row"), "a damaged repeater");
	ok_eq(all->points, 0, "... is not given");
	store_close(s);
}

/* @arg: whether a line is about more than one node's box */
static void on_tree(void *arg, const char *line)
{
	*(bool *)arg |= !strncmp(line, "extent: ", 8) &&
			!strstr(line, "outside its box");
}

static void verifies(void)
{
	static const char *const wrong[] = {
		"DELETE FROM extent",
		"UPDATE extent SET x1 = x1 - 3",
		"UPDATE node SET radius = 1",
		"UPDATE pose SET x = x + 5",
		"UPDATE pose SET x = 1e7",
		"DELETE FROM layer",
		"INSERT INTO extent VALUES (77, 0, 1, 0, 1)",
		"UPDATE node SET frame = '' WHERE id = 1",
		"UPDATE layer SET rule = 'none'",
		"UPDATE layer SET name = 'a' || char(10)",
		"INSERT INTO room VALUES (300, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0)",
		"INSERT INTO repeater VALUES (1, 0, 9e999, 0)",
		"DELETE FROM extent_rowid",
		"INSERT INTO link VALUES (1, 2, 0, 0, 0), (2, 1, 0, 0, 0)",
	};
	struct cells *c = make_cells(50, 40, 8);
	struct store_submap m = { 0 };
	struct store *s;

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *path = in_folder("verify");
		bool tree = false;

		unlink(path);
		s = open_it(path, STORE_CREATE);
		m.layer = add_layer(s, "a", 8);
		put(s, "a", &(struct pose){ 1, 2, 3 }, &m, &c, 1);
		put(s, "b", NULL, &m, &c, 1);
		store_close(s);
		sql(path, wrong[i]);
		s = open_it(path, STORE_READ);
		ok(store_verify(s, on_found, NULL) > 0, "%s", wrong[i]);
		store_verify(s, on_tree, &tree);
		if (strstr(wrong[i], "extent_rowid"))
			ok(tree, "... the tree itself");
		store_close(s);
	}
	cells_put(c);
}

/* Any byte of a file may be another: an error or the truth, never more */
static void survives_noise(const char *good)
{
	unsigned int reported = 0, opened = 0;
	struct store *s;
	struct cells *c;
	uint8_t *data;
	size_t n;

	read_file(good, &data, &n);
	for (int i = 0; i < 150; i++) {
		const char *path = in_folder("noise");
		uint8_t *copy = malloc(n);

		memcpy(copy, data, n);
		for (unsigned int k = 1 + rnd(&seed, 40); k; k--)
			copy[(i & 1 ? 0 : 100) + rnd(&seed, n - 100)] =
				rnd(&seed, 256);
		unlink(path);
		write_file(path, copy, n);
		free(copy);
		if (store_open(&s, path, i % 3 ? STORE_READ : STORE_WRITE,
			       &error))
			continue;
		opened++;
		read_all(s);
		for (unsigned int k = 0; k < all->submaps && k < MANY; k++)
			if (!store_cells(s, all->submap[k].id, &c))
				cells_put(c);
		store_near(s, -100, -100, 100, 100, on_near,
			   &(unsigned int){ 0 });
		reported += store_verify(s, on_found, NULL) != 0;
		store_close(s);
	}
	ok(opened, "noise: %u of 150 opened, in %u something is found", opened,
	   reported);
	ok(reported, "... reported");
	free(data);
}

/* Small, with something of everything, closed */
static void make_good(const char *path)
{
	struct store *s = open_it(path, STORE_CREATE);
	const struct room r = make_room(3, 5, 2);
	struct store_submap m = { .layer = add_layer(s, "a", 8) };
	struct cells *c = make_cells(20, 20, 8);

	put(s, "a", &(struct pose){ 1, 2, 3 }, &m, &c, 1);
	put(s, "b", &(struct pose){ 4, 2, 3 }, &m, &c, 1);
	store_room(s, &r);
	store_note(s, 1, "a", "b", NULL);
	store_close(s);
	cells_put(c);
}

static void blob_of(unsigned int width, unsigned int height, unsigned int bits)
{
	struct cells_blob *b = cells_blob_new();
	struct cells *c = make_cells(width, height, bits);
	const size_t n = (size_t)width * height * bits / 8;
	const void *data, *cells = NULL;
	unsigned int wrong = 0, tried = 0;
	uint8_t *copy;
	size_t len;

	ok(!cells_blob_pack(b, c, &data, &len), "%u x %u of %u bits: %zu bytes",
	   width, height, bits, len);
	copy = malloc(len);
	memcpy(copy, data, len);
	ok_eq(cells_blob_unpack(b, width, height, bits, copy, len, &cells), 0,
	      "come back");
	ok_mem(cells, c->data, n, "... cells");
	for (size_t i = 0; i < len; i += 1 + len / 3000) {
		copy[i] ^= 1 << rnd(&seed, 8);
		tried++;
		/* harmless if it says the same */
		wrong += !cells_blob_unpack(b, width, height, bits, copy, len,
					    &cells) &&
			 memcmp(cells, c->data, n);
		memcpy(copy, data, len);
	}
	ok(!wrong, "%u with a wrong bit, each is refused", tried);
	for (size_t i = 0; i < len; i += 1 + len / 300)
		wrong += !cells_blob_unpack(b, width, height, bits, copy, i,
					    &cells);
	ok(!wrong, "cut off anywhere");
	free(copy);
	cells_put(c);
	cells_blob_free(b);
}

/*
 * Tables that are dropped by hand while the store is open
 */

static int adds_layer(struct store *s)
{
	const struct layer l = layer_of("other", 8);
	int64_t id;

	return store_layer(s, &l, &id);
}

static int reads_layers(struct store *s)
{
	return store_layers(s, on_layer, NULL);
}

static int drops_layer(struct store *s)
{
	unsigned int n;

	return store_remove_layer(s, 1, &n);
}

static int finds_node(struct store *s)
{
	struct store_node n;

	return store_find_node(s, "n0", &n);
}

static int gets_node(struct store *s)
{
	struct store_node n;

	return store_node_get(s, 1, &n);
}

static int adds_node(struct store *s)
{
	int64_t id;

	return store_node(s, "other", 5, &id);
}

static int reads_nodes(struct store *s)
{
	return store_nodes(s, on_node, NULL);
}

static int adds_keyframe(struct store *s)
{
	const struct pose pose = { 1, 2, 3 };
	struct store_submap m = { .layer = 1 };
	struct cells *c = make_cells(3, 3, 8);
	const int err = put(s, "n1", &pose, &m, &c, 1);

	cells_put(c);
	return err;
}

static int moves(struct store *s)
{
	const struct store_pose p = { .node = 1, .placed = true };

	return store_poses(s, &p, 1, 5, "test");
}

static int links(struct store *s)
{
	const struct store_pose p = { .node = 1, .link = STORE_LINK_NONE };

	return store_poses(s, &p, 1, 5, "test");
}

static int reads_submaps(struct store *s)
{
	return store_submaps(s, on_submap, NULL);
}

static int reads_first(struct store *s)
{
	struct store_submap m;

	return store_first_submap(s, 1, &m);
}

static int reads_node_submaps(struct store *s)
{
	return store_node_submaps(s, 1, on_submap, NULL);
}

static int reads_cells(struct store *s)
{
	struct cells *c;

	return store_cells(s, 1, &c);
}

static int adds_room(struct store *s)
{
	const struct room r = make_room(3, 4, 2);

	return store_room(s, &r);
}

static int reads_rooms(struct store *s)
{
	return store_rooms(s, on_room, NULL);
}

static int drops_room(struct store *s)
{
	return store_remove_room(s, 7);
}

static int adds_repeaters(struct store *s)
{
	static const double at[1][2] = { { 1, 2 } };

	return store_repeaters(s, 5, at, 1);
}

static int reads_repeaters(struct store *s)
{
	return store_each_repeater(s, on_point, NULL);
}

static int sets(struct store *s)
{
	return store_set(s, "a", "b");
}

static int unsets(struct store *s)
{
	return store_set(s, "a", NULL);
}

static int gets(struct store *s)
{
	char value[9];

	return store_get(s, "a", value, sizeof(value));
}

static int notes(struct store *s)
{
	return store_note(s, 5, "kind", "text", NULL);
}

static int reads_notes(struct store *s)
{
	return store_notes(s, "kind", on_note, NULL);
}

static void drops_table(const char *table, int (*const *call)(struct store *s))
{
	char name[32], words[64];
	const struct room r = make_room(7, 4, 3);
	const char *path;
	struct store *s;

	snprintf(name, sizeof(name), "no %s", table);
	path = in_folder(name);
	s = open_it(path, STORE_CREATE);
	if (add_layer(s, "a", 8) != 1 || adds_keyframe(s) ||
	    store_room(s, &r))
		abort();
	snprintf(words, sizeof(words), "DROP TABLE %s", table);
	sql(path, words);
	memset(all, 0, sizeof(*all));
	for (unsigned int i = 0; call[i]; i++) {
		ok_range(call[i](s), -200, -1, "no table %s, call %u", table,
			 i);
		ok(strstr(store_error(s), table), "... %s", store_error(s));
		ok(!store_is_begun(s), "... no change is begun");
	}
	store_close(s);
}

#define CALLS(...) ((int (*const[])(struct store *)){ __VA_ARGS__, NULL })

static void drops_tables(void)
{
	drops_table("layer", CALLS(adds_layer, reads_layers, drops_layer,
				   adds_keyframe));
	drops_table("node", CALLS(finds_node, gets_node, adds_node, reads_nodes,
				  adds_keyframe, moves));
	drops_table("pose", CALLS(moves, reads_nodes, gets_node));
	drops_table("link", CALLS(links, reads_nodes));
	drops_table("submap", CALLS(reads_submaps, reads_first, reads_cells,
				    reads_node_submaps, adds_keyframe,
				    drops_layer));
	drops_table("room", CALLS(adds_room, reads_rooms, drops_room));
	drops_table("corner", CALLS(adds_room, reads_rooms));
	drops_table("gas", CALLS(adds_room, reads_rooms));
	drops_table("repeater", CALLS(adds_repeaters, reads_repeaters));
	drops_table("setting", CALLS(sets, unsets, gets));
	drops_table("journal", CALLS(notes, reads_notes));
}

int main(void)
{
	make_folder();
	all = calloc(1, sizeof(*all));
	make_good(in_folder("good"));
	refuses_others(in_folder("good"));
	odd_names();
	migrates();
	meets_damage();
	names_damage();
	verifies();
	survives_noise(in_folder("good"));
	blob_of(1, 1, 8);
	blob_of(200, 200, 8);
	blob_of(100, 70, 16);
	drops_tables();
	free(all);
	remove_folder();
	return tap_done();
}
