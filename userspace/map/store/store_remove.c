// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_remove - remove layers and rooms
 */
#include <errno.h>
#include "map/store/store_db.h"

/* The row itself, after its dependent rows */
static int store_remove_drop(struct store *s, enum store_sql sql, int64_t id)
{
	const int err = store_sql_run(s, sql, "i", id);

	if (err || sqlite3_changes(s->db))
		return err;
	return store_error_set(s, -ENOENT, "%s: not found", s->doing);
}

int store_remove_room(struct store *s, unsigned int id)
{
	int err = store_change(s, "removing a room");
	char setting[STORE_GAS_SETTING];

	if (err)
		return err;
	err = store_sql_run(s, SQL_ROOM_FORGET_CORNERS, "i", (int64_t)id);
	if (!err)
		err = store_sql_run(s, SQL_ROOM_FORGET_GASES, "i", (int64_t)id);
	if (!err)
		err = store_sql_run(s, SQL_SETTING_FORGET, "t",
				    store_gas_setting(id, setting));
	return store_changed(s, err ? err :
				      store_remove_drop(s, SQL_ROOM_DROP, id));
}

int store_remove_layer(struct store *s, int64_t id, unsigned int *submaps)
{
	int err = store_change(s, "removing a layer");

	if (err)
		return err;
	err = store_sql_run(s, SQL_LAYER_EMPTY, "i", id);
	*submaps = err ? 0 : sqlite3_changes(s->db);
	return store_changed(s, err ? err :
				      store_remove_drop(s, SQL_LAYER_DROP, id));
}
