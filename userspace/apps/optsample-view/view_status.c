// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_status - status of optsample-view, as JSON and metrics
 */
#include <malloc.h>
#include "apps/optsample-view/view_status.h"
#include "base/metrics.h"
#include "view/band_json.h"
#include "view/pictures.h"

/**
 * struct view_count - a number of the status; @type as in Prometheus
 */
struct view_count {
	const char	*name, *type, *help;
	double		value;
};

enum { COUNTS = 18 };

static unsigned int read_counts(const struct view_parts *p,
				struct view_count c[COUNTS])
{
	const struct server_counts s = view_server_counts(p->server);
	const struct outputs_counts none = { 0 };
	const struct outputs_counts *o = p->outputs ?
					 outputs_counts(p->outputs) : &none;
	const struct mallinfo2 m = mallinfo2();
	struct board_counts b;
	unsigned int n = 0;

	board_lock(p->view->board);
	b = *board_counts(p->view->board);
	board_unlock(p->view->board);
#define COUNT(name, type, value, help) \
	c[n++] = (struct view_count){ name, type, help, value }
	COUNT("messages", "counter", b.messages, "Messages received.");
	COUNT("refused", "counter", inputs_refused(p->inputs),
	      "Messages that could not be read or had no place.");
	COUNT("thinned", "counter", b.thinned,
	      "Messages left out of the history, as memory was short.");
	COUNT("memory_bytes", "gauge", m.uordblks + m.hblkhd,
	      "Memory in use, without what the allocator keeps free.");
	COUNT("not_shown", "counter", pictures_failed(p->view->pictures),
	      "Pictures, clouds and maps that could not be converted.");
	COUNT("clients", "gauge", s.clients, "Clients connected.");
	COUNT("connections", "counter", s.connected, "Clients so far.");
	COUNT("refused_clients", "counter", s.refused,
	      "Connections refused: token, origin, number.");
	COUNT("failed_clients", "counter", s.failed,
	      "Connections closed: broken protocol, no answer.");
	COUNT("dropped_connections", "counter", s.dropped,
	      "Connections given up, as there were too many.");
	COUNT("sent_bytes", "counter", s.sent, "Bytes sent to clients.");
	COUNT("replaced", "counter", s.replaced,
	      "Large messages replaced by newer ones before a client had "
	      "room.");
	COUNT("left_out", "counter", s.left_out,
	      "Small messages that a slow client did not get.");
	COUNT("kept", "counter", s.kept, "Kept messages sent to clients.");
	COUNT("published", "counter", o->published,
	      "Messages of clients published.");
	COUNT("unpublished", "counter", o->failed,
	      "Messages of clients that could not be published.");
	COUNT("refused_commands", "counter",
	      __atomic_load_n(&p->view->refused, __ATOMIC_RELAXED),
	      "Messages of clients refused: too old, damaged, too many.");
	COUNT("deadman", "counter", o->stopped,
	      "Zero commands after a silence of a client.");
#undef COUNT
	return n;
}

void view_status(const struct view_parts *p, unsigned int seconds,
		 cJSON *answer)
{
	struct view_count count[COUNTS];
	const unsigned int n = read_counts(p, count);
	cJSON *o, *band;

	cJSON_AddStringToObject(answer, "name", p->view->name);
	board_lock(p->view->board);
	band = band_json_summary(p->view->board, seconds);
	board_unlock(p->view->board);
	while ((o = cJSON_DetachItemFromArray(band, 0)))
		cJSON_AddItemToObject(answer, o->string, o);
	cJSON_Delete(band);
	for (unsigned int i = 0; i < n; i++)
		cJSON_AddNumberToObject(answer, count[i].name, count[i].value);
}

void view_metrics(const struct view_parts *p, FILE *out)
{
	struct view_count count[COUNTS];
	const unsigned int n = read_counts(p, count);
	char name[64];

	for (unsigned int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "optsample_view_%s%s",
			 count[i].name, *count[i].type == 'c' ? "_total" : "");
		metrics_family(out, name, count[i].type, count[i].help);
		fprintf(out, "%s %.15g\n", name, count[i].value);
	}
}
