// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_http - the HTTP API of a whole daemon: answers, pictures, who may
 * do what, and errors
 */
#include <errno.h>
#include <png.h>
#include <sys/stat.h>
#include "apps/gdimd/web_parts.h"
#include "daemon_fixture.h"

#define HOST	"Host: localhost\r\nConnection: close\r\n"
#define JSON	"Content-Type: application/json\r\nContent-Length: 15\r\n"
#define STATUS	"{\"do\":\"status\"}"
#define POST	"POST /api/v1/command"

/* Errors that clients got, as the daemon should count them */
static unsigned int errors;

/* A map of 2 m around 0 0 with the value 30, and one around 10 0 with 80 */
static int open_all(const char *const *more)
{
	const char *options[16] = {
		"--to", "none",
		"--layer", "temp role=temperature bits=8 range=0:200 "
			   "unit=C rule=max resolution=0.1",
		"--layer", "gas role=gas bits=16 range=0:1000 rule=mean "
			   "resolution=0.1",
		"--layer", "empty role=smoke",
	};
	unsigned int n = 8;
	int err;

	while (*more)
		options[n++] = *more++;
	err = daemon_open("http.db", options);
	if (err)
		return err;
	put(g.site, "a", 1, &(struct pose){ 0, 0, 0 }, 0,
	    patch(20, 8, 0.1, 1, 30, 30));
	put(g.site, "b", 2, &(struct pose){ 10, 0, 0 }, 0,
	    patch(20, 8, 0.1, 1, 80, 80));
	put(g.site, "a", 3, NULL, 1, patch(20, 16, 0.1, 1, 2500, 2500));
	wait_fused();
	return 0;
}

static void refused(const char *path, int status, const char *why)
{
	ok_eq(http_get(path), status, "%.60s", path);
	ok_str(body_error(), why, "... why");
	errors++;
}

/* Opacity of a pixel of the picture that came, -1: there is none */
static int opacity(unsigned int x, unsigned int y)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t *pixels;
	int found = -1;

	if (!png_image_begin_read_from_memory(&image, got.body, got.len))
		return -1;
	image.format = PNG_FORMAT_RGBA;
	pixels = malloc(PNG_IMAGE_SIZE(image));
	if (png_image_finish_read(&image, NULL, pixels, 0, NULL) &&
	    x < image.width && y < image.height)
		found = pixels[4 * ((size_t)y * image.width + x) + 3];
	free(pixels);
	return found;
}

static unsigned int picture_width(void)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	unsigned int width = 0;

	if (png_image_begin_read_from_memory(&image, got.body, got.len))
		width = image.width;
	png_image_free(&image);
	return width;
}

/*
 * Queries
 */

static void test_layers(void)
{
	cJSON *answer;

	ok_eq(http_get("layers"), 200, "all layers");
	ok_str(header("Content-Type"), "application/json", "as JSON");
	ok_str(header("Cache-Control"), "no-store", "that is not kept");
	ok_str(header("X-Content-Type-Options"), "nosniff", "and not guessed");
	answer = body_json();
	ok_eq(cJSON_GetArraySize(cJSON_GetObjectItem(answer, "layers")), 3,
	      "three of them");
	cJSON_Delete(answer);
	ok_eq(http_get("layers/gas"), 200, "one layer");
	answer = body_json();
	ok_str(text_at(answer, "name"), "gas", "by its name");
	ok_near(number_at(answer, "bits"), 16, 0, "its bits");
	ok(number_at(answer, "revision") > 0, "and its revision");
	cJSON_Delete(answer);
	refused("layers/none", 404, "no layer 'none'");
	refused("layers/gas.png/tiles", 404, "no layer 'gas.png'");
	refused("layers/gas/other", 404, "no such path; see /api/v1/status, "
		"layers, spot, rooms, edges, topics");
	refused("layers/gas/tiles/0/0", 404, "no such path; see "
		"/api/v1/status, layers, spot, rooms, edges, topics");
	refused("layers/gas?x=1", 400, "unknown parameter 'x'");
	refused("layers?x=1", 400, "unknown parameter 'x'");
	refused("layers/0123456789012345678901234567890123456789012345678901"
		"23456789012345678901234567890", 404, "no layer '01234567890123"
		"45678901234567890123456789012345678901234567890123'");
}

static void test_spot(void)
{
	cJSON *answer;

	ok_eq(http_get("spot?x=0.05&y=-0.5"), 200, "a spot");
	answer = body_json();
	ok_near(number_at(answer, "layers.temp.value"), 30, 0, "its value");
	ok_near(number_at(answer, "layers.temp.physical"), 60, 1e-6,
		"in the layer's unit");
	ok_near(number_at(answer, "layers.gas.value"), .25, 1e-6,
		"16 bits are 0..1");
	cJSON_Delete(answer);
	ok_eq(http_get("spot?x=5&y=0"), 200, "a spot that nothing is known of");
	answer = body_json();
	ok(isnan(number_at(answer, "layers.temp.value")), "has no value");
	cJSON_Delete(answer);
	refused("spot?x=1", 400, "y is missing: a number, -1e+06..1e+06");
	refused("spot?x=1&y=up", 400, "y must be a number, -1e+06..1e+06");
	refused("spot?x=1&y=2&z=3", 400, "unknown parameter 'z'; known: x y");
}

static void test_rooms(void)
{
	cJSON *answer;

	ok_eq(http_get("rooms"), 200, "rooms");
	answer = body_json();
	ok_near(number_at(answer, "rooms"), 0, 0, "there are none");
	cJSON_Delete(answer);
	refused("rooms/5", 404, "no room 5");
	refused("rooms/x", 400, "a room must be a number, 0..255");
	refused("rooms/5/6", 404, "no such path; see /api/v1/status, layers, "
		"spot, rooms, edges, topics");
	refused("rooms/5?a=b", 400, "unknown parameter 'a'");
}

static void test_edges(void)
{
	cJSON *answer;

	ok_eq(http_get("edges"), 200, "edges of the pose graph");
	answer = body_json();
	ok_near(number_at(answer, "edges"), 0, 0, "there are none");
	cJSON_Delete(answer);
	refused("edges?x=1", 400, "unknown parameter 'x'");
	refused("edges/5", 404, "no such path; see /api/v1/status, layers, "
		"spot, rooms, edges, topics");
}

static void test_values(void)
{
	ok_eq(http_get("layers/temp/values?x0=0.8&y0=0&x1=1.1&y1=0.2"), 200,
	      "values of an area");
	ok_str((char *)got.body, "{\"layer\":\"temp\",\"x0\":0.8,\"y0\":0,"
	       "\"resolution\":0.1,\"width\":3,\"height\":2,\"values\":"
	       "[30,30,null,30,30,null]}", "cells on its borders are not in it");
	ok_eq(http_get("layers/gas/values?x0=0&y0=0&x1=0.01&y1=0.01"), 200,
	      "of less than a cell");
	ok_str((char *)got.body, "{\"layer\":\"gas\",\"x0\":0,\"y0\":0,"
	       "\"resolution\":0.1,\"width\":1,\"height\":1,\"values\":"
	       "[0.25]}", "the cell");
	ok_eq(http_get("layers/temp/values?x0=500&y0=0&x1=500.1&y1=0.1"), 200,
	      "of an area far away");
	ok(strstr((char *)got.body, "[null]") != NULL, "nothing is known");
	ok_eq(got.len, strlen((char *)got.body), "it ends with its text");
	ok_eq(http_get("layers/temp/values.png?x0=0.8&y0=0&x1=1.1&y1=0.2"),
	      200, "as a picture");
	ok_eq(picture_width(), 3, "a pixel is a cell");
	refused("layers/temp/values?x0=1&y0=0&x1=1&y1=1", 400, "empty area: x0 "
		"must be less than x1, y0 less than y1");
	refused("layers/temp/values?x0=0&y0=1&x1=1&y1=1", 400, "empty area: x0 "
		"must be less than x1, y0 less than y1");
	refused("layers/temp/values?x0=0&y0=0&x1=52&y1=51.2", 413, "area of "
		"520 x 512 cells exceeds the limit of 262144 cells");
	ok_eq(http_get("layers/temp/values?x0=0&y0=0&x1=51.2&y1=51.2"), 200,
	      "the largest one");
	refused("layers/temp/values?x0=0&y0=0&x1=1", 400,
		"y1 is missing: a number, -1e+06..1e+06");
	refused("layers/temp/values?x0=0&y0=0&x1=1&y1=1&z=1", 400,
		"unknown parameter 'z'; known: x0 y0 x1 y1");
	refused("layers/empty/values?x0=0&y0=0&x1=1&y1=1", 404,
		"layer empty has no known cells");
}

/*
 * Pictures. Cell 0 0 is the lower left pixel of tile 0/0/-1
 */
static void test_tiles(void)
{
	ok_eq(http_get("layers/temp/tiles/0/0/-1.png"), 200, "a tile");
	ok_str(header("Content-Type"), "image/png", "is a picture");
	ok_eq(picture_width(), 256, "of 256 pixels");
	ok_eq(opacity(0, 255), 255, "a known cell");
	ok_eq(opacity(9, 246), 255, "the last one");
	ok_eq(opacity(10, 255), 0, "one to the right of it");
	ok_eq(opacity(9, 245), 0, "one above it");
	ok_eq(opacity(90, 250), 255, "the first one of the other map");
	ok_eq(opacity(89, 250), 0, "and one before it");
	http_get("layers/temp/tiles/0/-1/0.png");
	ok_eq(opacity(246, 9), 255, "the tile on the other side of 0 0");
	ok_eq(opacity(245, 9), 0, "and where its map ends");
	http_get("layers/temp/tiles/2/0/-1.png");
	ok_eq(picture_width(), 256, "a cell is 4 pixels wide");
	ok_eq(opacity(39, 216), 255, "the last pixel of its last cell");
	ok_eq(opacity(40, 216), 0, "and one behind");
	http_get("layers/temp/tiles/-1/0/-1.png");
	ok_eq(picture_width(), 256, "a pixel is 2 cells wide");
	ok_eq(opacity(4, 251), 255, "the last one that is known");
	ok_eq(opacity(5, 251), 0, "and one behind");
	ok_eq(opacity(45, 255), 255, "the other map");
	http_get("layers/temp/tiles/-6/0/-1.png");
	ok_eq(opacity(0, 255), 255, "a pixel is 64 cells wide");
	ok_eq(opacity(1, 255), 255, "the other map");
	ok_eq(opacity(2, 255), 0, "and no more");
	ok_eq(http_get("layers/temp/tiles/0/5/5.png"), 200,
	      "a tile with nothing in it");
	ok_eq(opacity(128, 128), 0, "is transparent");
	ok_eq(http_get("layers/temp/tiles/6/99/-90.png"), 200,
	      "digits of all kinds");
	ok_eq(http_get("layers/temp/tiles/-6/4194304/-4194304.png"), 200,
	      "also where numbers of cells end");
	ok_eq(opacity(128, 128), 0, "is transparent");
	ok_eq(http_get("layers/temp/tiles/0/0/-1.png?colours=heat"), 200,
	      "in other colours");
	refused("layers/temp/tiles/0/0/-1.png?colours=pink", 400,
		"unknown colours 'pink'");
	refused("layers/temp/tiles/0/0/-1.png?scale=2", 400,
		"unknown parameter 'scale'; known: colours");
}

/* Memory of a thread is used again: nothing of another tile stays in it */
static void test_tiles_again(void)
{
	unsigned int seen = 0;

	for (unsigned int i = 0; i < 2 * WEB_THREADS; i++) {
		http_get("layers/temp/tiles/-1/-1/-1.png");
		http_get("layers/temp/tiles/-1/0/-1.png");
		seen += opacity(255, 255) != 0;
		seen += opacity(251, 251) != 0;
	}
	ok_eq(seen, 0, "a tile has no pixel of the one before it");
}

static void test_tile_names(void)
{
	static const char *const bad[] = {
		"7/0/0.png", "-7/0/0.png", "0/4194305/0.png",
		"0/0/-4194305.png", "x/0/0.png", "0/0x/0.png", "0/0/0.jpg",
		"0/0/.png", "0//0.png", "0/+1/0.png", "0/ 1/0.png",
		"0/-/0.png", "0/0/0000000000000.png", "0/00000000000/0.png",
	};
	char path[128];

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(path, sizeof(path), "layers/temp/tiles/%s", bad[i]);
		if (strchr(bad[i], ' '))
			snprintf(path, sizeof(path),
				 "layers/temp/tiles/0/%%201/0.png");
		refused(path, 400, "a tile must be Z/X/Y.png with Z -6..6, "
			"X and Y -4194304..4194304");
	}
}

static void test_picture(void)
{
	ok_eq(http_get("layers/temp.png"), 200, "a whole layer");
	ok_eq(picture_width(), 120, "from the first known cell to the last");
	ok_eq(opacity(19, 0), 255, "a known cell");
	ok_eq(opacity(20, 0), 0, "an unknown one");
	ok_str(header("X-GDIM-Resolution"), "0.1", "its resolution");
	ok_str(header("X-GDIM-Bounds"), "-1 -1 11 1", "and its place");
	ok_eq(http_get("layers/temp.png?scale=3"), 200, "larger");
	ok_eq(picture_width(), 360, "so many pixels");
	ok_str(header("X-GDIM-Bounds"), "-1 -1 11 1", "the same place");
	refused("layers/temp.png?scale=65", 400, "scale must be 1..64");
	refused("layers/temp.png?scale=0", 400, "scale must be 1..64");
	refused("layers/temp.png?zoom=1", 400,
		"unknown parameter 'zoom'; known: scale colours");
	refused("layers/empty.png", 404, "layer empty has no known cells");
}

/* A client that has the picture does not get it again */
static void test_etag(void)
{
	static const char *const paths[] = {
		"layers/temp.png", "layers/temp/tiles/0/0/-1.png",
		"layers/temp/values.png?x0=0&y0=0&x1=1&y1=1",
	};
	char lines[512], request[128], tag[256];

	for (unsigned int i = 0; i < 3; i++) {
		http_get(paths[i]);
		snprintf(tag, sizeof(tag), "%s", header("ETag"));
		ok(strlen(tag) > 8, "%s has an ETag", paths[i]);
		ok_str(header("Cache-Control"), "no-cache",
		       "and is asked for each time");
		snprintf(request, sizeof(request), "GET /api/v1/%s", paths[i]);
		snprintf(lines, sizeof(lines), HOST "If-None-Match: \"x\", "
			 "%s\r\n", tag);
		ok_eq(http_raw(request, lines, ""), 304, "one who has it");
		ok_eq(got.len, 0, "gets no picture");
		ok_str(header("ETag"), tag, "but its tag");
		ok_str(header("Content-Type"), "", "and no type");
		ok_eq(http_raw(request, HOST "If-None-Match: *\r\n", ""), 304,
		      "one who has any");
		ok_eq(http_raw(request, HOST "If-None-Match: \"x\"\r\n", ""),
		      200, "one who has another");
	}
	http_get(paths[0]);
	snprintf(tag, sizeof(tag), "%s", header("ETag"));
	http_get("layers/gas.png");
	ok(strcmp(header("ETag"), tag), "another layer has another tag");
	put(g.site, "b", 9, NULL, 0, patch(20, 8, 0.1, 1, 81, 81));
	wait_fused();
	http_get(paths[0]);
	ok(strcmp(header("ETag"), tag), "a map that changes has another tag");
}

static void test_peaks(void)
{
	cJSON *answer;

	ok_eq(http_get("layers/temp/peaks?over=100"), 200, "a peak");
	answer = body_json();
	ok_str(text_at(answer, "layer"), "temp", "of the layer");
	ok_near(number_at(answer, "maximum.value"), 81, 0, "its value");
	ok_near(number_at(answer, "maximum.physical"), 162, 1e-6, "its unit");
	ok_range(number_at(answer, "maximum.x"), 9, 11, "where");
	ok_near(number_at(answer, "over"), 100, 0, "more than");
	ok_near(number_at(answer, "cells"), 400, 0, "so many cells");
	ok_near(number_at(answer, "area"), 4, 1e-6, "so many square metres");
	ok_near(cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "bounds"), 0)
		->valuedouble, 9, 1e-6, "from here");
	ok_near(cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "bounds"), 2)
		->valuedouble, 11, 1e-6, "to here");
	cJSON_Delete(answer);
	http_get("layers/temp/peaks?over=162");
	answer = body_json();
	ok_near(number_at(answer, "cells"), 0, 0, "not more than the most");
	ok(!cJSON_HasObjectItem(answer, "bounds"), "and nowhere");
	cJSON_Delete(answer);
	http_get("layers/temp/peaks?over=161");
	answer = body_json();
	ok_near(number_at(answer, "cells"), 400, 0, "less than a cell below");
	cJSON_Delete(answer);
	http_get("layers/temp/peaks?over=-50");
	answer = body_json();
	ok_near(number_at(answer, "cells"), 800, 0, "all that is known");
	cJSON_Delete(answer);
	http_get("layers/gas/peaks");
	answer = body_json();
	ok_near(number_at(answer, "maximum.value"), .25, 1e-6, "16 bits");
	ok_near(number_at(answer, "maximum.physical"), 250, 1e-3, "its unit");
	ok(!cJSON_HasObjectItem(answer, "over"), "no threshold was asked for");
	cJSON_Delete(answer);
	http_get("layers/empty/peaks");
	answer = body_json();
	ok(cJSON_IsNull(cJSON_GetObjectItem(answer, "maximum")),
	   "nothing is known: null");
	cJSON_Delete(answer);
	refused("layers/temp/peaks?over=high", 400,
		"over must be a number, -1e+09..1e+09");
	refused("layers/temp/peaks?under=1", 400,
		"unknown parameter 'under'; known: over");
}

/*
 * Requests
 */

static void raw(const char *request, const char *lines, const char *body,
		int status, const char *why)
{
	ok_eq(http_raw(request, lines, body), status, "%s: %d", request,
	      status);
	if (*why)
		ok_str(body_error(), why, "... why");
	errors += status >= 400;
}

static void test_methods(void)
{
	char length[32];

	http_get("layers");
	snprintf(length, sizeof(length), "%zu", got.len);
	raw("HEAD /api/v1/layers", HOST, "", 200, "");
	ok_eq(got.len, 0, "HEAD has no body");
	ok_str(header("Content-Length"), length, "but its length");
	raw("PUT /api/v1/layers", HOST, "", 405,
	    "method not allowed; allowed: GET, HEAD");
	ok_str(header("Allow"), "GET, HEAD", "as a header, too");
	raw("GET /api/v1/command", HOST, "", 405,
	    "method not allowed; allowed: POST");
	ok_str(header("Allow"), "POST", "as a header, too");
	raw("HEAD /api/v1/rate", HOST, "", 405, "");
	raw("DELETE /metrics", HOST, "", 405,
	    "method not allowed; allowed: GET, HEAD");
	raw("DELETE /api/v1/layers/temp", HOST, "", 405,
	    "method not allowed; allowed: GET, HEAD");
	raw("GET /", HOST, "", 404, "no such path; see /api/v1/status, layers, "
	    "spot, rooms, edges, topics");
	raw("GET /api/v2/layers", HOST, "", 404, "no such path; see "
	    "/api/v1/status, layers, spot, rooms, edges, topics");
	raw("GET /app/v1/layers", HOST, "", 404, "no such path; see "
	    "/api/v1/status, layers, spot, rooms, edges, topics");
	raw("GET /api/v1/none", HOST, "", 404, "no such path; see "
	    "/api/v1/status, layers, spot, rooms, edges, topics");
	raw("GET /api/v1/none/temp", HOST, "", 404, "no such path; see "
	    "/api/v1/status, layers, spot, rooms, edges, topics");
	raw("GET /%00", HOST, "", 400, "the URL is not printable ASCII");
	raw("nothing", "", "", 400, "malformed request");
	raw(POST, HOST "Content-Length: 2000000\r\n", "", 413,
	    "request too long");
}

/* Pages of other sites, and other users of the network */
static void test_access(void)
{
	static const char close[] = "Connection: close\r\n";
	char lines[512];

	raw("GET /api/v1/layers", close, "", 403,
	    "wrong Host header: use localhost");
	raw("GET /api/v1/layers", "Host: evil.org\r\nConnection: close\r\n", "",
	    403, "wrong Host header: use localhost");
	snprintf(lines, sizeof(lines), "Host: 127.0.0.1:%u\r\n%s",
		 ntohs(http_at.sin_port), close);
	raw("GET /api/v1/layers", lines, "", 200, "");
	raw(POST, HOST JSON, STATUS, 200, "");
	raw(POST, HOST JSON "Origin: http://localhost\r\n", STATUS, 200, "");
	raw(POST, HOST JSON "Origin: https://LOCALHOST\r\n", STATUS, 200, "");
	raw(POST, HOST JSON "Origin: http://evil.org\r\n", STATUS, 403,
	    "cross-origin request rejected");
	raw(POST, HOST JSON "Origin: http://localhost:1\r\n", STATUS, 403,
	    "cross-origin request rejected");
	raw(POST, HOST JSON "Origin: null\r\n", STATUS, 403,
	    "cross-origin request rejected");
	raw(POST, HOST JSON "Origin: file://localhost\r\n", STATUS, 403,
	    "cross-origin request rejected");
	raw(POST, HOST "Content-Length: 15\r\n", STATUS, 415,
	    "Content-Type must be application/json");
	raw(POST, HOST "Content-Type: text/plain\r\nContent-Length: 15\r\n",
	    STATUS, 415, "Content-Type must be application/json");
	raw(POST, HOST "Content-Type: application/jsonx\r\n"
	    "Content-Length: 15\r\n", STATUS, 415,
	    "Content-Type must be application/json");
	raw(POST, HOST "Content-Type: application/json;charset=utf-8\r\n"
	    "Content-Length: 15\r\n", STATUS, 200, "");
}

static void command(const char *body, int status, const char *why)
{
	ok_eq(http_post("command", body), status, "%.60s", body);
	ok_str(body_error(), why, "... %s", *why ? why : "done");
	errors += status >= 400;
}

static void test_commands(void)
{
	cJSON *answer;

	command("{\"do\":\"spot\",\"x\":0,\"y\":0}", 200, "");
	answer = body_json();
	ok_near(number_at(answer, "layers.temp.value"), 30, 0,
		"the answer of a command");
	cJSON_Delete(answer);
	command("{\"do\":\"layer\",\"name\":\"smoke\",\"words\":\"role=smoke\"}",
		200, "");
	ok(site_find_layer(g.site, "smoke") >= 0, "a slow command is done");
	command("{\"do\":\"layer\",\"name\":\"a b\"}", 400,
		"'a b' is not a layer name");
	command("{\"do\":\"spot\",\"x\":0,\"y\":0,\"z\":0}", 400,
		"spot: unknown key 'z'; known: x y");
	command("{\"do\":\"status\",\"x\":0}", 400,
		"status: unknown key 'x'; it has no keys");
	command("{\"do\":\"spot\",\"x y\":0}", 400,
		"spot: unknown key 'x y'; known: x y");
	command("{\"do\":\"spot\",\"\":0}", 400,
		"spot: unknown key ''; known: x y");
	command("{\"do\":\"snapshot\",\"nam\":\"x\"}", 400,
		"snapshot: unknown key 'nam'; known: name");
	command("{\"do\":\"import\",\"map\":\"/etc/passwd\"}", 400,
		"unknown command 'import', or not available over HTTP");
	command("{\"do\":\"set-poses\",\"poses\":\"/etc/passwd\"}", 400,
		"unknown command 'set-poses', or not available over HTTP");
	command("{\"x\":1}", 400, "not a JSON object with \"do\"");
	command("{\"do\":5}", 400, "not a JSON object with \"do\"");
	command("[1]", 400, "not a JSON object with \"do\"");
	command("{\"do\":\"status\"} x", 400, "not a JSON object with \"do\"");
	command("", 400, "not a JSON object with \"do\"");
	ok_eq(http_post("rate", "{\"topic\":\"t\",\"rate\":1}"), 404, "rate");
	ok_str(body_error(), "no topic 't' is published", "... why");
	ok_eq(http_post("rate", "{\"do\":\"rate\",\"topic\":\"t\"}"), 400,
	      "rate has no \"do\"");
	ok_str(body_error(), "rate: unknown key 'do'; known: topic rate",
	       "... why");
	ok_eq(http_post("rate", "7"), 400, "rate wants an object");
	ok_str(body_error(), "not a JSON object", "... why");
	errors += 3;
}

static void test_status(void)
{
	char line[64];
	cJSON *answer;

	ok_eq(http_get("status"), 200, "status");
	answer = body_json();
	ok_near(number_at(answer, "submaps"), 3, 0, "counts submaps");
	ok_near(number_at(answer, "nodes"), 2, 0, "and nodes");
	ok_near(number_at(answer, "refused.http"), errors, 0,
		"and requests that got an error");
	ok_near(number_at(answer, "refused.socket"), 0, 0, "here");
	cJSON_Delete(answer);
	ok_eq(http_get("topics"), 200, "topics");
	answer = body_json();
	ok(cJSON_IsArray(cJSON_GetObjectItem(answer, "topics")), "a list");
	cJSON_Delete(answer);
	ok_eq(http_raw("GET /metrics", HOST, ""), 200, "metrics");
	ok_str(header("Content-Type"), "text/plain; version=0.0.4",
	       "of Prometheus");
	ok(strstr((char *)got.body, "\n# TYPE gdim_submaps gauge\n"
		  "gdim_submaps 3\n") != NULL, "submaps");
	ok(strstr((char *)got.body, "\ngdim_in_messages_total 0\n") != NULL,
	   "a counter of a part");
	snprintf(line, sizeof(line), "\ngdim_http_errors_total %u\n", errors);
	ok(strstr((char *)got.body, line) != NULL, "errors");
	ok(strstr((char *)got.body, "\ngdim_http_connections 1\n") != NULL,
	   "connections");
}

/* With tokens all need one, and nothing else */
static void test_tokens(void)
{
	const char *const path =
		put_secret("tokens", "# of the test\n0123456789abcdef\n");
	const char *const options[] = { "--http-token-file", path, NULL };

	if (open_all(options))
		abort();
	raw("GET /api/v1/layers", HOST, "", 401, "missing or wrong token: send "
	    "'Authorization: Bearer TOKEN'");
	ok_str(header("WWW-Authenticate"), "Bearer", "it says how");
	raw("GET /api/v1/layers", HOST "Authorization: Bearer 0123456789abcdee"
	    "\r\n", "", 401, "missing or wrong token: send "
	    "'Authorization: Bearer TOKEN'");
	raw("GET /api/v1/layers", HOST "Authorization: Bearer 0123456789abcdef"
	    "\r\n", "", 200, "");
	raw(POST, HOST JSON "Authorization: Bearer 0123456789abcdef\r\n",
	    STATUS, 200, "");
	daemon_close();
	chmod(path, 0644);
	ok_eq(open_all(options), -EACCES, "tokens that all can read");
	ok(strstr(error.text, "tokens") != NULL, "... which: %s", error.text);
}

int main(void)
{
	const char *const no_more[] = { NULL };

	make_folder();
	if (open_all(no_more)) {
		printf("Bail out! %s\n", error.text);
		return 1;
	}
	test_layers();
	test_spot();
	test_rooms();
	test_edges();
	test_values();
	test_tiles();
	test_tiles_again();
	test_tile_names();
	test_picture();
	test_etag();
	test_peaks();
	test_methods();
	test_access();
	test_commands();
	test_status();
	daemon_close();
	test_tokens();
	remove_folder();
	return tap_done();
}
