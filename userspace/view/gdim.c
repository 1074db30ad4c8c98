// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdim - a client of gdimd's HTTP API
 */
#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <syslog.h>
#include <time.h>
#include "base/hash.h"
#include "base/loop.h"
#include "base/secret_file.h"
#include "base/service.h"
#include "base/thread.h"
#include "view/gdim.h"

enum { THREADS = 4, TIMEOUT = 10, CONNECT = 3, TOKEN = 256, LAYERS = 64 };

static const uint64_t look_for = 5000000000;

struct request {
	STAILQ_ENTRY(request)	next;
	char			path[GDIM_PATH];
	char			etag[GDIM_TEXT];
	bool			cancelled;
	struct gdim_result	result;
};

STAILQ_HEAD(requests, request);

struct gdim {
	char			url[GDIM_PATH], token[TOKEN + 32];
	void			(*changed)(void *arg);
	void			*arg;
	pthread_mutex_t		lock;
	pthread_cond_t		work, watch;
	pthread_t		thread[THREADS], watcher;
	unsigned int		threads;
	bool			watching, stop, logged;
	struct requests		waiting, running, finished;
	unsigned int		count;
	uint64_t		looked, changes, hash;
	cJSON			*layers;
};

/*
 * One request
 */

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct bytes *b = arg;

	if (b->len + size * n > GDIM_BODY || bytes_append(b, data, size * n))
		return 0;
	return size * n;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	static const char name[] = "etag:";
	struct gdim_result *r = arg;
	size_t len = size * n;

	if (len > sizeof(name) && !strncasecmp(data, name, sizeof(name) - 1)) {
		data += sizeof(name) - 1;
		len -= sizeof(name) - 1;
		while (len && (*data == ' ' || *data == '\t')) {
			data++;
			len--;
		}
		while (len && (data[len - 1] == '\r' || data[len - 1] == '\n'))
			len--;
		snprintf(r->etag, sizeof(r->etag), "%.*s", (int)len, data);
	}
	return size * n;
}

/* Ends a request when the program ends */
static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c,
		       curl_off_t d)
{
	const struct gdim *g = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return __atomic_load_n(&g->stop, __ATOMIC_RELAXED);
}

static void gdim_get(struct gdim *g, CURL *curl, const char *path,
		     const char *etag, struct gdim_result *r)
{
	struct curl_slist *headers = NULL;
	char url[2 * GDIM_PATH], line[GDIM_TEXT + 32];
	const char *type = NULL;
	long status = 0;
	CURLcode err;

	snprintf(url, sizeof(url), "%s/api/v1/%s", g->url, path);
	if (*g->token)
		headers = curl_slist_append(headers, g->token);
	if (*etag) {
		snprintf(line, sizeof(line), "If-None-Match: %s", etag);
		headers = curl_slist_append(headers, line);
	}
	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TIMEOUT);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &r->body);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, r);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, g);
	err = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
	curl_slist_free_all(headers);
	r->status = err ? 0 : status;
	snprintf(r->type, sizeof(r->type), "%s",
		 err ? curl_easy_strerror(err) : type ? type : "");
	/* once for each time that it goes away */
	if (err && !__atomic_exchange_n(&g->logged, true, __ATOMIC_RELAXED))
		service_logf(LOG_WARNING, "gdimd at %s: %s", g->url,
			     curl_easy_strerror(err));
	else if (!err)
		__atomic_store_n(&g->logged, false, __ATOMIC_RELAXED);
}

/*
 * Requests of clients
 */

static void request_free(struct request *q)
{
	bytes_free(&q->result.body);
	free(q);
}

static void *gdim_run(void *arg)
{
	struct gdim *g = arg;
	CURL *curl = curl_easy_init();
	struct request *q;

	pthread_mutex_lock(&g->lock);
	while (curl && !g->stop) {
		q = STAILQ_FIRST(&g->waiting);
		if (!q) {
			pthread_cond_wait(&g->work, &g->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&g->waiting, next);
		STAILQ_INSERT_TAIL(&g->running, q, next);
		pthread_mutex_unlock(&g->lock);
		gdim_get(g, curl, q->path, q->etag, &q->result);
		pthread_mutex_lock(&g->lock);
		assert(g->count && g->count <= GDIM_WAITING);
		STAILQ_REMOVE(&g->running, q, request, next);
		if (q->cancelled) {
			g->count--;
			request_free(q);
		} else {
			STAILQ_INSERT_TAIL(&g->finished, q, next);
		}
		pthread_mutex_unlock(&g->lock);
		g->changed(g->arg);
		pthread_mutex_lock(&g->lock);
	}
	pthread_mutex_unlock(&g->lock);
	curl_easy_cleanup(curl);
	return NULL;
}

/* Paths of the API are words; a query has no spaces and control characters */
static bool is_path(const char *path)
{
	if (!*path || strlen(path) >= GDIM_PATH || strstr(path, ".."))
		return false;
	for (; *path; path++)
		if (*path <= ' ' || *path > '~' || strchr("#\\\"<>", *path))
			return false;
	return true;
}

int gdim_request(struct gdim *g, const char *path, const char *etag,
		 uint64_t owner, uint64_t tag)
{
	struct request *q;
	bool full;

	if (!is_path(path))
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	strcpy(q->path, path);
	snprintf(q->etag, sizeof(q->etag), "%s", etag);
	q->result.owner = owner;
	q->result.tag = tag;
	pthread_mutex_lock(&g->lock);
	full = g->count >= GDIM_WAITING;
	if (!full) {
		g->count++;
		STAILQ_INSERT_TAIL(&g->waiting, q, next);
		pthread_cond_signal(&g->work);
	}
	pthread_mutex_unlock(&g->lock);
	if (full)
		free(q);
	return full ? -ENOSPC : 0;
}

/* Of an owner, or all */
static void drop_requests(struct gdim *g, struct requests *list,
			  const uint64_t *owner)
{
	struct requests rest = STAILQ_HEAD_INITIALIZER(rest);
	struct request *q;

	while ((q = STAILQ_FIRST(list))) {
		STAILQ_REMOVE_HEAD(list, next);
		if (owner && q->result.owner != *owner) {
			STAILQ_INSERT_TAIL(&rest, q, next);
			continue;
		}
		assert(g->count);
		g->count--;
		request_free(q);
	}
	STAILQ_CONCAT(list, &rest);
}

void gdim_cancel(struct gdim *g, uint64_t owner)
{
	struct request *q;

	pthread_mutex_lock(&g->lock);
	drop_requests(g, &g->waiting, &owner);
	drop_requests(g, &g->finished, &owner);
	STAILQ_FOREACH(q, &g->running, next)
		if (q->result.owner == owner)
			q->cancelled = true;
	pthread_mutex_unlock(&g->lock);
}

bool gdim_result(struct gdim *g, struct gdim_result *r)
{
	struct request *q;

	pthread_mutex_lock(&g->lock);
	q = STAILQ_FIRST(&g->finished);
	if (q) {
		STAILQ_REMOVE_HEAD(&g->finished, next);
		assert(g->count);
		g->count--;
	}
	pthread_mutex_unlock(&g->lock);
	if (!q)
		return false;
	*r = q->result;
	free(q);
	return true;
}

/*
 * Layers and rooms
 */

static cJSON *get_json(struct gdim *g, CURL *curl, const char *path)
{
	struct gdim_result r = { 0 };
	cJSON *o = NULL;

	gdim_get(g, curl, path, "", &r);
	if (r.status == 200)
		o = cJSON_ParseWithLength((const char *)r.body.data,
					  r.body.len);
	bytes_free(&r.body);
	return o;
}

/* With their revisions, which only single layers have */
static cJSON *get_layers(struct gdim *g, CURL *curl)
{
	cJSON *o = get_json(g, curl, "layers"), *list = cJSON_CreateArray();
	const cJSON *one;
	char path[GDIM_PATH];

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "layers")) {
		const char *name = cJSON_GetStringValue(
					cJSON_GetObjectItem(one, "name"));
		char *word = name ? curl_easy_escape(curl, name, 0) : NULL;
		cJSON *layer;

		if (!word || cJSON_GetArraySize(list) == LAYERS) {
			curl_free(word);
			continue;
		}
		snprintf(path, sizeof(path), "layers/%s", word);
		curl_free(word);
		layer = get_json(g, curl, path);
		if (layer)
			cJSON_AddItemToArray(list, layer);
	}
	if (o) {
		cJSON_Delete(o);
		return list;
	}
	cJSON_Delete(list);
	return NULL;
}

/* As the page wants them: at [x, y], and the outline as one list of numbers */
static cJSON *get_rooms(struct gdim *g, CURL *curl)
{
	cJSON *o = get_json(g, curl, "rooms"), *list = cJSON_CreateArray();
	const cJSON *one, *corner, *v;

	cJSON_ArrayForEach(one, cJSON_GetObjectItem(o, "list")) {
		const double at[2] = {
			cJSON_GetNumberValue(cJSON_GetObjectItem(one, "x")),
			cJSON_GetNumberValue(cJSON_GetObjectItem(one, "y")),
		};
		cJSON *room = cJSON_CreateObject(), *outline;

		cJSON_AddItemToObject(room, "id", cJSON_Duplicate(
			cJSON_GetObjectItem(one, "id"), false));
		cJSON_AddItemToObject(room, "name", cJSON_Duplicate(
			cJSON_GetObjectItem(one, "name"), false));
		cJSON_AddItemToObject(room, "at",
				      cJSON_CreateDoubleArray(at, 2));
		outline = cJSON_AddArrayToObject(room, "outline");
		cJSON_ArrayForEach(corner, cJSON_GetObjectItem(one, "outline"))
			cJSON_ArrayForEach(v, corner)
				cJSON_AddItemToArray(outline,
					cJSON_CreateNumber(v->valuedouble));
		cJSON_AddItemToArray(list, room);
	}
	cJSON_Delete(o);
	return list;
}

static void gdim_update(struct gdim *g, CURL *curl)
{
	cJSON *layers = get_layers(g, curl), *o;
	uint64_t hash;
	char *text;

	if (!layers)
		return;
	o = cJSON_CreateObject();
	cJSON_AddItemToObject(o, "layers", layers);
	cJSON_AddItemToObject(o, "rooms", get_rooms(g, curl));
	text = cJSON_PrintUnformatted(o);
	hash = text ? hash_bytes(text, strlen(text)) : 0;
	cJSON_free(text);
	pthread_mutex_lock(&g->lock);
	if (hash == g->hash) {
		cJSON_Delete(o);
	} else {
		cJSON_Delete(g->layers);
		g->layers = o;
		g->hash = hash;
		g->changes++;
	}
	pthread_mutex_unlock(&g->lock);
	g->changed(g->arg);
}

static void *gdim_watch(void *arg)
{
	struct gdim *g = arg;
	CURL *curl = curl_easy_init();
	struct timespec until;

	pthread_mutex_lock(&g->lock);
	while (curl && !g->stop) {
		const bool look = g->looked &&
				  loop_now() - g->looked < look_for;

		pthread_mutex_unlock(&g->lock);
		if (look)
			gdim_update(g, curl);
		pthread_mutex_lock(&g->lock);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (!g->stop)
			pthread_cond_timedwait(&g->watch, &g->lock, &until);
	}
	pthread_mutex_unlock(&g->lock);
	curl_easy_cleanup(curl);
	return NULL;
}

void gdim_look(struct gdim *g)
{
	pthread_mutex_lock(&g->lock);
	if (!g->looked || loop_now() - g->looked > look_for)
		pthread_cond_signal(&g->watch);
	g->looked = loop_now();
	pthread_mutex_unlock(&g->lock);
}

cJSON *gdim_layers(struct gdim *g, uint64_t *changes)
{
	cJSON *o = NULL;

	pthread_mutex_lock(&g->lock);
	if (g->changes != *changes)
		o = cJSON_Duplicate(g->layers, true);
	*changes = g->changes;
	pthread_mutex_unlock(&g->lock);
	return o;
}

/*
 * Open and close
 */

static int read_token(struct gdim *g, const char *path, struct error *error)
{
	static const char head[] = "Authorization: Bearer ";
	char line[TOKEN] = "";
	FILE *f;
	int err;

	if (!*path)
		return 0;
	err = secret_file_open(&f, path, error);
	if (err)
		return err;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = 0;
		if (*line && *line != '#')
			break;
		*line = 0;
	}
	fclose(f);
	if (!*line)
		return error_set(error, -EINVAL, "%s: no token", path);
	snprintf(g->token, sizeof(g->token), "%s%s", head, line);
	return 0;
}

/* http or https, and a host */
static bool is_url(const char *text)
{
	CURLU *u = curl_url();
	char *scheme = NULL;
	bool good = u && !curl_url_set(u, CURLUPART_URL, text, 0) &&
		    !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
		    (!strcmp(scheme, "http") || !strcmp(scheme, "https"));

	curl_free(scheme);
	curl_url_cleanup(u);
	return good;
}

int gdim_open(struct gdim **out, const char *url, const char *token,
	      void (*changed)(void *arg), void *arg, struct error *error)
{
	struct gdim *g = calloc(1, sizeof(*g));
	size_t n;
	int err;

	*out = NULL;
	if (!g)
		return error_set(error, -ENOMEM, "no memory");
	snprintf(g->url, sizeof(g->url), "%s%s", strstr(url, "://") ? "" :
		 "http://", url);
	for (n = strlen(g->url); n && g->url[n - 1] == '/'; n--)
		g->url[n - 1] = 0;
	g->changed = changed;
	g->arg = arg;
	STAILQ_INIT(&g->waiting);
	STAILQ_INIT(&g->running);
	STAILQ_INIT(&g->finished);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->work, NULL);
	pthread_cond_init(&g->watch, NULL);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	err = is_url(g->url) ? read_token(g, token, error) :
	      error_set(error, -EINVAL, "gdim: '%.100s' is not HOST:PORT", url);
	for (; !err && g->threads < THREADS; g->threads += !err)
		err = thread_start(&g->thread[g->threads], gdim_run, g);
	if (!err)
		err = thread_start(&g->watcher, gdim_watch, g);
	g->watching = !err;
	if (!err) {
		*out = g;
		return 0;
	}
	if (!*error->text)
		error_set(error, err, "%s", strerror(-err));
	gdim_close(g);
	return err;
}

void gdim_close(struct gdim *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	__atomic_store_n(&g->stop, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&g->work);
	pthread_cond_broadcast(&g->watch);
	pthread_mutex_unlock(&g->lock);
	for (unsigned int i = 0; i < g->threads; i++)
		pthread_join(g->thread[i], NULL);
	if (g->watching)
		pthread_join(g->watcher, NULL);
	drop_requests(g, &g->waiting, NULL);
	drop_requests(g, &g->finished, NULL);
	cJSON_Delete(g->layers);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->work);
	pthread_cond_destroy(&g->watch);
	free(g);
	curl_global_cleanup();
}
