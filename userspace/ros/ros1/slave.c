// SPDX-License-Identifier: GPL-2.0-only
/*
 * slave.c - the slave API of ROS 1: requests to a node
 *
 * Every answer is [code, message, value]: 1 success, 0 failure, -1 invalid
 * request. Source: wiki.ros.org/ROS/Slave_API; undocumented formats are those
 * of roscpp 1.15.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "node.h"

/*
 * struct slave - a request, and its answer
 * @value: NULL: 0
 */
struct slave {
	struct ros1	*node;
	xmlrpc_value	*params;
	int		code;
	char		words[TEXT_MAX];
	xmlrpc_value	*value;
};

static void slave_status(struct slave *q, int code, const char *words)
{
	q->code = code;
	snprintf(q->words, sizeof(q->words), "%s", words);
}

static void slave_pid(struct slave *q)
{
	q->value = xml_build("i", (int)getpid());
}

static void slave_name(struct slave *q)
{
	q->value = xml_build("s", q->node->name);
}

static void slave_master(struct slave *q)
{
	char text[HOST_MAX + 32];

	snprintf(text, sizeof(text), "http://%s:%u/", q->node->master.uri.host,
		 q->node->master.uri.port);
	q->value = xml_build("s", text);
}

static void slave_topics(struct slave *q, bool publishes)
{
	const struct registration *g;

	q->value = xml_array();
	for (g = q->node->topics; g; g = g->next)
		if (g->publishes == publishes)
			xml_append(q->value, xml_build("(ss)", g->topic,
						       g->type));
}

static void slave_publications(struct slave *q)
{
	slave_topics(q, true);
}

static void slave_subscriptions(struct slave *q)
{
	slave_topics(q, false);
}

/* XML-RPC integers have 32 bits: clamp. */
static int slave_number(uint64_t n)
{
	return n > INT_MAX ? INT_MAX : (int)n;
}

/* [topic, bytes, [[id, bytes, bytes of messages, messages, 0]...]] */
static xmlrpc_value *slave_pub_stats(struct ros1_pub *pub)
{
	xmlrpc_value *list = xml_array(), *v;
	const struct sink *s;
	int bytes;

	for (s = pub->sinks; s; s = s->next) {
		bytes = slave_number(s->bytes);
		xml_append(list, xml_build("(iiiii)", s->id, bytes, bytes,
					   slave_number(s->messages), 0));
	}
	v = xml_build("(siV)", pub->known.topic,
		      slave_number(pub->stats.bytes), list);
	xml_put(list);
	return v;
}

/* [topic, [[id, bytes, messages, drops, 0]...]] */
static xmlrpc_value *slave_sub_stats(struct ros1_sub *sub)
{
	xmlrpc_value *list = xml_array(), *v;
	const struct source *s;

	for (s = sub->sources; s; s = s->next)
		xml_append(list, xml_build("(iiiii)", s->id,
					   slave_number(s->bytes),
					   slave_number(s->messages),
					   slave_number(s->in.incomplete +
							s->in.missing), 0));
	v = xml_build("(sV)", sub->known.topic, list);
	xml_put(list);
	return v;
}

/* [publishers, subscribers, services] */
static void slave_bus_stats(struct slave *q)
{
	xmlrpc_value *pubs = xml_array(), *subs = xml_array();
	struct registration *g;

	for (g = q->node->topics; g; g = g->next)
		if (g->publishes)
			xml_append(pubs, slave_pub_stats(pub_of(g)));
		else
			xml_append(subs, slave_sub_stats(sub_of(g)));
	q->value = xml_build("(VV())", pubs, subs);
	xml_put(pubs);
	xml_put(subs);
}

/* [id, peer, direction, transport, topic, connected, text] */
static void slave_bus_info(struct slave *q)
{
	struct registration *g;
	const struct source *from;
	const struct sink *to;
	char words[TEXT_MAX];

	q->value = xml_array();
	for (g = q->node->topics; g; g = g->next) {
		for (to = g->publishes ? pub_of(g)->sinks : NULL; to;
		     to = to->next) {
			sink_describe(to, words);
			xml_append(q->value, xml_build("(issssbs)", to->id,
				to->callerid, "o", to->udp ? "UDPROS" :
				"TCPROS", g->topic, 1, words));
		}
		for (from = g->publishes ? NULL : sub_of(g)->sources; from;
		     from = from->next) {
			source_describe(from, words);
			xml_append(q->value, xml_build("(issssbs)", from->id,
				from->text, "i", from->udp ? "UDPROS" :
				"TCPROS", g->topic,
				from->state == SOURCE_FLOWS, words));
		}
	}
}

static void slave_shutdown(struct slave *q)
{
	char *why = xml_string(q->params, 1);

	node_log(q->node, LOG_WARNING, "asked to shut down: %s",
		 why ? why : "");
	if (q->node->shutdown)
		q->node->shutdown(q->node->arg, why ? node_clean(why) : "");
	free(why);
}

static void slave_param_update(struct slave *q)
{
	(void)q;
}

/* (caller, topic, [uri...]) */
static void slave_publisher_update(struct slave *q)
{
	char *topic = xml_string(q->params, 1);
	xmlrpc_value *uris = xml_item(q->params, 2);
	struct registration *g = NULL;

	if (topic)
		g = master_find(q->node, topic, false);
	if (g && uris && xmlrpc_value_type(uris) == XMLRPC_TYPE_ARRAY)
		sub_publishers(sub_of(g), uris, true);
	else
		slave_status(q, 0, "topic not subscribed by this node");
	free(topic);
	xml_put(uris);
}

/*
 * requestTopic
 */

/* ["UDPROS", header, host, port, datagram] */
static void slave_udp(struct slave *q, struct ros1_pub *pub,
		      xmlrpc_value *protocol)
{
	int port = xml_int(protocol, 3, 0), datagram = xml_int(protocol, 4, 0);
	char *host = xml_string(protocol, 2);
	uint8_t *bytes = NULL;
	struct bytes ours = { 0 };
	struct sink *s = NULL;
	struct header h;
	size_t len = 0;

	bytes = xml_base64(protocol, 1, &len);
	slave_status(q, 0, "invalid UDPROS header or address");
	if (host && bytes && !header_parse(bytes, len, &h) &&
	    !pub_accepts(pub, &h, q->words) && !pub_header(pub, &ours) &&
	    !sink_udp(pub, &h, host, port, &datagram, &s)) {
		slave_status(q, 1, "");
		q->value = xml_build("(ssiii6)", "UDPROS", q->node->host,
				     (int)local_port(s->watch.fd), s->id,
				     datagram, ours.data, ours.len);
		sink_latched(s);
	}
	bytes_free(&ours);
	free(bytes);
	free(host);
}

/* (caller, topic, [[protocol, ...]...]), best first */
static void slave_request_topic(struct slave *q)
{
	xmlrpc_value *protocols = xml_item(q->params, 2), *p;
	char *topic = xml_string(q->params, 1), *name;
	struct registration *g = NULL;
	int i, found = 0;

	if (topic)
		g = master_find(q->node, topic, true);
	slave_status(q, 0, g ? "no common protocol" :
		     "topic not published by this node");
	for (i = 0; g && !found && i < xml_size(protocols); i++) {
		p = xml_item(protocols, i);
		name = xml_string(p, 0);
		if (name && !strcmp(name, "TCPROS")) {
			slave_status(q, 1, "");
			q->value = xml_build("(ssi)", "TCPROS", q->node->host,
					     (int)q->node->tcpros.port);
			found = 1;
		} else if (name && !strcmp(name, "UDPROS")) {
			slave_udp(q, pub_of(g), p);
			found = 1;
		}
		free(name);
		xml_put(p);
	}
	free(topic);
	xml_put(protocols);
}

static const struct {
	const char	*name;
	int		params;
	void		(*answer)(struct slave *q);
} slave_methods[] = {
	{ "publisherUpdate", 3, slave_publisher_update },
	{ "requestTopic", 3, slave_request_topic },
	{ "getBusInfo", 1, slave_bus_info },
	{ "getBusStats", 1, slave_bus_stats },
	{ "getMasterUri", 1, slave_master },
	{ "getPid", 1, slave_pid },
	{ "getName", 1, slave_name },
	{ "getSubscriptions", 1, slave_subscriptions },
	{ "getPublications", 1, slave_publications },
	{ "paramUpdate", 3, slave_param_update },
	{ "shutdown", 1, slave_shutdown },
};

enum { METHODS = sizeof(slave_methods) / sizeof(*slave_methods) };

/* Return: as slave_answer() */
static int slave_handle(struct slave *q, const char *method, struct bytes *out)
{
	xmlrpc_value *answer;
	size_t i;

	for (i = 0; i < METHODS; i++)
		if (!strcmp(slave_methods[i].name, method))
			break;
	if (i == METHODS)
		return xml_write_fault(out, XMLRPC_NO_SUCH_METHOD_ERROR,
				       "no such method");
	if (xml_size(q->params) < slave_methods[i].params)
		slave_status(q, -1, "too few parameters");
	else
		slave_methods[i].answer(q);
	if (q->value)
		answer = xml_build("(isV)", q->code, q->words, q->value);
	else
		answer = xml_build("(isi)", q->code, q->words, 0);
	xml_put(q->value);
	return xml_write_answer(out, answer);
}

int slave_answer(struct ros1 *r, const void *body, size_t len,
		 struct bytes *out)
{
	struct slave q = { .node = r, .code = 1 };
	char *method;
	int err;

	err = xml_parse_call(body, len, &method, &q.params);
	if (err)
		return err;
	err = slave_handle(&q, method, out);
	free(method);
	xml_put(q.params);
	return err;
}
