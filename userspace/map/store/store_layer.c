// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_layer - settings of layers
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "map/store/store_db.h"

static const char *const drawings[] = {
	[LAYER_BY_RULE] = "rule",
	[LAYER_SPLAT] = "splat",
	[LAYER_SAMPLE] = "sample",
};

static bool is_valid(const struct layer *l)
{
	return layer_name_valid(l->name) && l->modality < MODALITIES &&
	       (l->bits == 8 || l->bits == 16) && isfinite(l->low) &&
	       isfinite(l->high) && l->rule < RULES &&
	       l->drawing <= LAYER_SAMPLE && isfinite(l->resolution) &&
	       l->resolution >= 0;
}

/* @id: out: 0 if there is none. Return: 0 or a negative errno */
static int store_layer_find(struct store *s, const char *name, int64_t *id,
			    int64_t *bits)
{
	sqlite3_stmt *q;
	int err = 0;

	*id = 0;
	q = store_sql_get(s, SQL_LAYER_FIND, &err);
	if (!q)
		return err;
	store_sql_bind(q, "t", name);
	err = store_sql_step(s, q);
	if (err > 0) {
		*id = sqlite3_column_int64(q, 0);
		*bits = sqlite3_column_int64(q, 1);
	}
	store_sql_put(s, SQL_LAYER_FIND, q);
	return err < 0 ? err : 0;
}

/* Return: 1: has submaps, 0: has none, or a negative errno */
static int is_used(struct store *s, int64_t id)
{
	sqlite3_stmt *q;
	int err = 0;

	q = store_sql_get(s, SQL_LAYER_USED, &err);
	if (!q)
		return err;
	store_sql_bind(q, "i", id);
	err = store_sql_step(s, q);
	store_sql_put(s, SQL_LAYER_USED, q);
	return err;
}

#define LAYER_KINDS "tttiddtttdt"
#define LAYER_VALUES(l)							\
	(l)->name, (l)->input, modality_get((l)->modality)->name,	\
	(int64_t)(l)->bits, (l)->low, (l)->high, (l)->unit,		\
	rule_get((l)->rule, (l)->bits)->name, drawings[(l)->drawing],	\
	(l)->resolution, (l)->weights

static int store_layer_put(struct store *s, const struct layer *l, int64_t *id)
{
	int64_t bits = 0;
	int err = store_layer_find(s, l->name, id, &bits);

	if (err)
		return err;
	if (!*id) {
		err = store_sql_run(s, SQL_LAYER_ADD, LAYER_KINDS,
				    LAYER_VALUES(l));
		*id = sqlite3_last_insert_rowid(s->db);
		return err;
	}
	err = bits == l->bits ? 0 : is_used(s, *id);
	if (err > 0)
		return store_error_set(s, -EINVAL, "%s: %s has submaps of %d "
				       "bits, expected %u", s->doing, l->name,
				       (int)bits, l->bits);
	return err ? err : store_sql_run(s, SQL_LAYER_CHANGE, LAYER_KINDS "i",
					 LAYER_VALUES(l), *id);
}

int store_layer(struct store *s, const struct layer *layer, int64_t *id)
{
	int err = store_change(s, "storing a layer");

	if (err)
		return err;
	if (is_valid(layer))
		err = store_layer_put(s, layer, id);
	else
		err = store_error_set(s, -EINVAL, "%s: invalid layer",
				      s->doing);
	return store_changed(s, err);
}

static int find_word(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return i;
	return -ENOENT;
}

static int store_layer_read_words(sqlite3_stmt *q, struct layer *l)
{
	char role[32], rule[32], drawing[32];
	int m, u, d;

	if (store_sql_text(q, 3, role, sizeof(role)) ||
	    store_sql_text(q, 8, rule, sizeof(rule)) ||
	    store_sql_text(q, 9, drawing, sizeof(drawing)))
		return -EBADMSG;
	m = modality_by_name(role);
	u = rule_by_name(rule);
	d = find_word(drawings, LAYER_SAMPLE + 1, drawing);
	if (m < 0 || u < 0 || d < 0)
		return -EBADMSG;
	assert(d <= LAYER_SAMPLE);
	l->modality = m;
	l->rule = u;
	l->drawing = d;
	return 0;
}

static int store_layer_read_row(struct store *s, sqlite3_stmt *q, int64_t *id,
				struct layer *l)
{
	int64_t bits;

	*l = (struct layer){ 0 };
	if (store_sql_whole(q, 0, 1, INT64_MAX, id) ||
	    store_sql_text(q, 1, l->name, sizeof(l->name)) ||
	    store_sql_text(q, 2, l->input, sizeof(l->input)) ||
	    store_layer_read_words(q, l) ||
	    store_sql_whole(q, 4, 8, 16, &bits) ||
	    store_sql_real(q, 5, &l->low) || store_sql_real(q, 6, &l->high) ||
	    store_sql_text(q, 7, l->unit, sizeof(l->unit)) ||
	    store_sql_real(q, 10, &l->resolution) ||
	    store_sql_text(q, 11, l->weights, sizeof(l->weights)))
		goto bad;
	l->bits = bits;
	if ((!*l->input || layer_name_valid(l->input)) &&
	    (!*l->weights || layer_name_valid(l->weights)) && is_valid(l))
		return 0;
bad:
	return store_error_set(s, -EBADMSG, "%s: layer %lld is damaged",
			       s->doing,
			       (long long)sqlite3_column_int64(q, 0));
}

int store_layers(struct store *s,
		 int (*each)(void *arg, int64_t id, const struct layer *layer),
		 void *arg)
{
	struct layer l;
	sqlite3_stmt *q;
	int64_t id;
	int err = 0, more = 0;

	s->doing = "reading layers";
	q = store_sql_get(s, SQL_LAYERS, &err);
	if (!q)
		return err;
	while (!err && (more = store_sql_step(s, q)) > 0) {
		err = store_layer_read_row(s, q, &id, &l);
		if (!err)
			err = each(arg, id, &l);
	}
	store_sql_put(s, SQL_LAYERS, q);
	return err ? err : more;
}
