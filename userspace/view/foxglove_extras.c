// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove_extras - connection graph, assets, control of replays
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/wire.h"
#include "view/foxglove_parts.h"

enum { ASSET_MAX = 8 << 20 };

/*
 * Connection graph: who publishes what
 */

void foxglove_subscribe_graph(struct foxglove *f, const cJSON *o)
{
	(void)o;
	f->wants_graph = true;
	f->sent_graph = 0;
}

void foxglove_unsubscribe_graph(struct foxglove *f, const cJSON *o)
{
	(void)o;
	f->wants_graph = false;
}

static void add_edge(cJSON *list, const char *name, const char *ids,
		     const char *id)
{
	cJSON *one = cJSON_CreateObject(), *all;

	cJSON_AddStringToObject(one, "name", name);
	all = cJSON_AddArrayToObject(one, ids);
	cJSON_AddItemToArray(all, cJSON_CreateString(id));
	cJSON_AddItemToArray(list, one);
}

bool foxglove_send_graph(struct foxglove *f)
{
	struct board *b = f->peer.view->board;
	cJSON *o, *topics, *readers;
	uint64_t state;

	if (!f->wants_graph)
		return false;
	board_lock(b);
	state = board_topics(b) + 1;
	if (state == f->sent_graph) {
		board_unlock(b);
		return false;
	}
	f->sent_graph = state;
	o = peer_begin("connectionGraphUpdate");
	topics = cJSON_AddArrayToObject(o, "publishedTopics");
	readers = cJSON_AddArrayToObject(o, "subscribedTopics");
	for (unsigned int i = 0; i < board_topics(b); i++) {
		const struct board_topic *t = board_topic(b, i);

		add_edge(topics, t->name, "publisherIds",
			 board_source(b, t->source)->name);
		add_edge(readers, t->name, "subscriberIds", "optsample-view");
	}
	board_unlock(b);
	cJSON_AddArrayToObject(o, "advertisedServices");
	cJSON_AddArrayToObject(o, "removedTopics");
	cJSON_AddArrayToObject(o, "removedServices");
	peer_json(&f->peer, o);
	return true;
}

/*
 * Assets: package://PACKAGE/PATH is FOLDER/PACKAGE/PATH
 */

static void answer_asset(struct foxglove *f, uint32_t id, const char *error,
			 void *data, size_t len)
{
	uint8_t head[10] = { 4 };

	put_le32(head + 1, id);
	head[5] = error != NULL;
	put_le32(head + 6, error ? strlen(error) : 0);
	if (error)
		peer_binary(&f->peer, head, sizeof(head), error, strlen(error),
			    NULL);
	else
		peer_owned(&f->peer, head, sizeof(head), data, len);
}

/* No part of the path may lead out of the folder */
static int open_asset(const char *folder, const char *path)
{
	char part[NAME_MAX + 1];
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), next;

	while (at >= 0) {
		const size_t n = strcspn(path, "/");
		const bool last = !path[n];

		if (!n || n > NAME_MAX || *path == '.') {
			close(at);
			errno = ENOENT;
			return -1;
		}
		memcpy(part, path, n);
		part[n] = 0;
		next = openat(at, part, O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
			      (last ? O_RDONLY : O_PATH | O_DIRECTORY));
		close(at);
		at = next;
		if (last)
			break;
		path += n + 1;
	}
	return at;
}

/* Return: NULL, or why there is none */
static const char *read_asset(const char *folder, const char *uri, void **data,
			      size_t *len)
{
	static const char scheme[] = "package://";
	struct stat st;
	ssize_t n = 0;
	int fd;

	if (!folder)
		return "no assets: start optsample-view with assets=FOLDER";
	if (strncmp(uri, scheme, sizeof(scheme) - 1))
		return "only package://PACKAGE/PATH is served";
	fd = open_asset(folder, uri + sizeof(scheme) - 1);
	if (fd < 0)
		return "not found";
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > ASSET_MAX) {
		close(fd);
		return "not a file of at most 8 MB";
	}
	*data = malloc(st.st_size + 1);
	*len = 0;
	while (*data && *len < (size_t)st.st_size &&
	       (n = read(fd, (char *)*data + *len, st.st_size - *len)) > 0)
		*len += n;
	close(fd);
	if (*data && n >= 0)
		return NULL;
	free(*data);
	return "cannot be read";
}

void foxglove_fetch_asset(struct foxglove *f, const cJSON *o)
{
	const char *uri = cJSON_GetStringValue(cJSON_GetObjectItem(o, "uri"));
	const char *error;
	void *data = NULL;
	size_t len = 0;
	uint32_t id;

	if (!foxglove_number(o, "requestId", &id)) {
		foxglove_status(f, 1, NULL, "fetchAsset needs a requestId");
		return;
	}
	error = uri ? read_asset(f->peer.view->assets, uri, &data, &len) :
		"missing uri";
	answer_asset(f, id, error, data, len);
}

/*
 * Control of replays
 */

int foxglove_playback(struct foxglove *f, const uint8_t *data, size_t len)
{
	struct view *v = f->peer.view;
	struct action a = { .type = ACTION_REPLAY };
	uint32_t n;
	float speed;

	if (len < 18)
		return peer_fail(&f->peer, "it sent a cut request");
	n = get_le32(data + 14);
	if (n > len - 18 || n >= sizeof(f->request) || data[0] > 1)
		return peer_fail(&f->peer, "it sent a damaged request");
	if (!v->replaying) {
		foxglove_status(f, 1, NULL, "this is no replay");
		return 0;
	}
	speed = get_lef32(data + 1);
	if (isfinite(speed) && speed > 0)
		a.value = speed;
	a.pause = data[0] ? 1 : -1;
	a.seek = data[5];
	a.time = get_le64(data + 6);
	a.number = ++v->asked;
	if (actions_put(v->actions, &a)) {
		foxglove_status(f, 1, NULL, "too many commands");
		return 0;
	}
	/* the state that answers it is sent when it is true */
	f->asked = a.number;
	memcpy(f->request, data + 18, n);
	f->request[n] = 0;
	return 0;
}
