// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_view_gdim - a client of gdimd: its requests, and layers and rooms for
 * the page and for Foxglove
 */
#include <errno.h>
#include <stdatomic.h>
#include "gdim_fixture.h"
#include "view/foxglove.h"

enum { WAIT = 60000 /* ms */ };

static atomic_uint changed;

static void on_change(void *arg)
{
	(void)arg;
	changed++;
}

/* Return: the next result, or one with a status of -1 */
static struct gdim_result result(struct gdim *g)
{
	struct gdim_result r = { .status = -1 };

	for (unsigned int i = 0; i < WAIT; i++) {
		if (gdim_result(g, &r))
			return r;
		usleep(1000);
	}
	return r;
}

static void test_gdim_requests(void)
{
	char path[GDIM_PATH + 1];
	struct error error = { "" };
	const char *empty = put_secret("empty", "# nothing\n");
	struct gdim_result r;
	unsigned int before;
	struct gdim *g;

	ok_eq(gdim_open(&g, "ftp://host", "", on_change, NULL, &error), -EINVAL,
	      "not by FTP");
	ok(strstr(error.text, "ftp://host"), "which is said: %s", error.text);
	*error.text = 0;
	ok_eq(gdim_open(&g, gdimd.where, empty, on_change, NULL, &error),
	      -EINVAL, "a file without a token");
	ok(strstr(error.text, "no token"), "which is said: %s", error.text);
	open_gdim(on_change);
	g = view.gdim;
	ok_eq(gdim_request(g, "a b", "", 1, 2), -EINVAL, "a space");
	ok_eq(gdim_request(g, "a#b", "", 1, 2), -EINVAL, "a fragment");
	ok_eq(gdim_request(g, "", "", 1, 2), -EINVAL, "nothing");
	ok_eq(gdim_request(g, "a/../b", "", 1, 2), -EINVAL, "a way out");
	memset(path, 'a', sizeof(path));
	path[GDIM_PATH] = 0;
	ok_eq(gdim_request(g, path, "", 1, 2), -EINVAL, "too long");
	ok_eq(gdim_request(g, "rooms/9?x=~", "", 1, 2), 0, "a path");
	r = result(g);
	ok_eq(r.status, 200, "is answered");
	ok_eq(r.owner, 1, "to the client that asked");
	ok_eq(r.tag, 2, "what was asked");
	ok_str(r.etag, "\"v7\"", "with the version");
	ok_eq(r.body.len, strlen("{\"id\":9}"), "and its body");
	bytes_free(&r.body);
	for (unsigned int i = 0; i < 20; i++)
		gdim_request(g, "rooms/9", "", 3, i);
	gdim_cancel(g, 3);
	gdim_request(g, "spot", "", 4, 0);
	r = result(g);
	ok_eq(r.owner, 4, "what was cancelled is not answered");
	bytes_free(&r.body);
	/* also when the answer is there already */
	for (unsigned int i = 0; i < 3; i++) {
		before = changed;
		gdim_request(g, "spot", "", 5, 0);
		for (unsigned int k = 0; k < WAIT && changed == before; k++)
			usleep(1000);
	}
	gdim_cancel(g, 5);
	ok(!gdim_result(g, &r), "nor what was answered and is not wanted");
	close_gdim();
}

/* Layers and rooms, for the page and for Foxglove's services */
static void test_gdim_layers(void)
{
	static const double outline[] = { 0, 1, 2, 3, 4, 5 };
	/* opcode, service, call, encoding, request */
	static const char call[] =
		"\2\1\0\0\0\5\0\0\0\4\0\0\0json{\"x\":1,\"y\":2}";
	uint64_t changes = 0;
	struct outgoing *out;
	struct gdim_result r;
	const cJSON *room, *v;
	cJSON *o = NULL;
	struct peer *p;
	unsigned int i = 0;

	open_gdim(on_change);
	ok(!gdim_layers(view.gdim, &changes), "no page looked");
	gdim_look(view.gdim);
	for (i = 0; !o && i < WAIT; i++) {
		usleep(1000);
		o = gdim_layers(view.gdim, &changes);
	}
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "layers")), 2,
	      "two layers");
	v = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "layers"), 1);
	ok_near(cJSON_GetNumberValue(cJSON_GetObjectItem(v, "revision")), 5, 0,
		"with their revisions");
	room = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rooms"), 0);
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(room, "name")), "hall",
	       "a room");
	ok_near(cJSON_GetNumberValue(cJSON_GetObjectItem(room, "id")), 9, 0,
		"its number");
	v = cJSON_GetObjectItem(room, "at");
	ok_near(cJSON_GetNumberValue(cJSON_GetArrayItem(v, 0)), 1.5, 0, "x");
	ok_near(cJSON_GetNumberValue(cJSON_GetArrayItem(v, 1)), 2, 0, "y");
	i = 0;
	cJSON_ArrayForEach(v, cJSON_GetObjectItem(room, "outline")) {
		ok_near(cJSON_GetNumberValue(v), outline[i % 6], 0,
			"its outline, number %u", i);
		i++;
	}
	ok_eq(i, 6, "of three corners");
	cJSON_Delete(o);
	ok(!gdim_layers(view.gdim, &changes), "no news");

	p = fixture_open_page();
	o = fixture_expect(p, "layers");
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "layers")), 2,
	      "a page gets the layers");
	cJSON_Delete(o);
	ok(!fixture_expect(p, "layers"), "once");
	peer_destroy(p);

	p = peer_create(&foxglove_sdk_ops, &view, 7, "test");
	p->ops->opened(p);
	o = fixture_expect(p, "advertiseServices");
	v = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "services"), 0);
	ok_near(cJSON_GetNumberValue(cJSON_GetObjectItem(v, "id")), 1, 0,
		"the first service");
	ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(v, "name")),
	       "/gdim/spot", "asks for a spot");
	for (i = 0; i < 2; i++) {
		static const char *const side[][2] = {
			{ "request", "gdim.Spot_Request" },
			{ "response", "gdim.Spot_Response" },
		};

		ok_str(cJSON_GetStringValue(cJSON_GetObjectItem(
				cJSON_GetObjectItem(v, side[i][0]),
				"schemaName")), side[i][1], "... its %s",
		       side[i][0]);
	}
	cJSON_Delete(o);
	ok_eq(p->ops->received(p, (const uint8_t *)call, sizeof(call) - 1, true),
	      0, "a call of it");
	r = result(view.gdim);
	ok_str(gdimd_heard(gdimd.path), "/api/v1/spot?x=1.000000&y=2.000000",
	       "is a question to gdimd");
	p->ops->answered(p, &r);
	bytes_free(&r.body);
	while ((out = fixture_next(p)) && !out->binary)
		outgoing_free(out);
	ok(out, "its answer");
	ok_mem(out->head, "\3\1\0\0\0\5\0\0\0\4\0\0\0json", 17,
	       "names service, call and encoding");
	ok_mem(out->body, "{\"height\":4}", 12, "and is gdimd's");
	outgoing_free(out);
	peer_destroy(p);
	close_gdim();
}

int main(void)
{
	make_folder();
	gdimd_start();
	fixture_open(false);
	test_gdim_requests();
	test_gdim_layers();
	http_server_close(gdimd.server);
	fixture_close();
	remove_folder();
	return tap_done();
}
