// SPDX-License-Identifier: GPL-2.0-only
/*
 * UDPROS has no named writers on the wire, only sockets. The master knows
 * topics and their nodes; a node knows its connections and their ports
 * (getBusInfo); the kernel knows the rest of the addresses.
 *
 * The master may be beyond the link that fails, and a node may hang, so a
 * thread asks them. Nodes of other hosts are not asked: their sockets are
 * there. A connection stays known as long as its socket, as a restarted master
 * does not know the connections.
 *
 * In: XML-RPC, /proc/net/udp. Limits: IPv4, as UDPROS; host names are not
 * resolved, except those of this host.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmlrpc-c/base.h>
#include <xmlrpc-c/client.h>
#include "base/error.h"
#include "bpf/ros_tag.h"
#include "topics/topic_format.h"
#include "topics/topics.h"
#include "topics/udpros_watch.h"
#include "topics/udpros_format.h"

enum {
	UDPROS_CALL_MS = 3000,
	UDPROS_WHY = 160,
	UDPROS_FORMATS = 4,	/* that are fetched in a round, at most */
};

/**
 * struct udpros_watch - the thread and its results
 * @every_ms:	time between two rounds
 * @last:	last result of the thread
 * @known:	what was reported
 * @reported:	the last answer of udpros_watch_poll()
 * @lock:	of the fields below
 * @wake:	signals the end
 * @found:	current result, if @fresh
 * @why:	why the master cannot be asked
 */
struct udpros_watch {
	char			*uri;
	unsigned int		every_ms;
	pthread_t		thread;
	struct topic_list	last;
	struct topic_list	known;
	char			reported[UDPROS_WHY];
	pthread_mutex_t		lock;
	pthread_cond_t		wake;
	int			stop;		/* for XML-RPC, too */
	bool			fresh;
	struct topic_list	found;
	char			why[UDPROS_WHY];
};

/* State of one round; @before: the last one, @fetched: formats in this one */
struct udpros_round {
	xmlrpc_env		env;
	xmlrpc_client		*client;
	xmlrpc_value		*types;
	struct topic_list	found;
	const struct topic_list	*before;
	unsigned int		fetched;
};

/*
 * XML-RPC: a call answers [code, message, value]
 */

/* Return: item @i of @array, or NULL; the caller's reference */
static xmlrpc_value *udpros_item(struct udpros_round *r, xmlrpc_value *array,
				 int i)
{
	xmlrpc_value *item = NULL;

	xmlrpc_array_read_item(&r->env, array, i, &item);
	return r->env.fault_occurred ? NULL : item;
}

/* Return: item @i of @array, free() it, or NULL if it is not a string */
static char *udpros_string(struct udpros_round *r, xmlrpc_value *array, int i)
{
	xmlrpc_value *item = udpros_item(r, array, i);
	const char *text = NULL;

	if (!item)
		return NULL;
	xmlrpc_read_string(&r->env, item, &text);
	xmlrpc_DECREF(item);
	return r->env.fault_occurred ? NULL : (char *)text;
}

/* An invalid answer of one node must not stop the round. */
static void udpros_clear_fault(struct udpros_round *r)
{
	xmlrpc_env_clean(&r->env);
	xmlrpc_env_init(&r->env);
}

/* Return: 0 if it is not an array */
static int udpros_size(struct udpros_round *r, xmlrpc_value *array)
{
	int n = array ? xmlrpc_array_size(&r->env, array) : 0;

	return r->env.fault_occurred ? 0 : n;
}

/* Return: the value of the answer, or NULL */
static xmlrpc_value *udpros_call(struct udpros_round *r, const char *uri,
				 const char *method, const char *arg)
{
	xmlrpc_value *answer = NULL, *value = NULL;
	xmlrpc_int code = 0;

	if (arg)
		xmlrpc_client_call2f(&r->env, r->client, uri, method, &answer,
				     "(ss)", "/optsample", arg);
	else
		xmlrpc_client_call2f(&r->env, r->client, uri, method, &answer,
				     "(s)", "/optsample");
	if (!r->env.fault_occurred) {
		xmlrpc_decompose_value(&r->env, answer, "(i*)", &code);
		if (code == 1)
			value = udpros_item(r, answer, 2);
		xmlrpc_DECREF(answer);
	}
	udpros_clear_fault(r);
	return value;
}

/*
 * Sockets
 */

/*
 * The connected socket with these ports, as the key in `writers`. The node may
 * report a host name for its peer, so the kernel is asked.
 * Return: false if there is none
 */
static bool udpros_socket(unsigned int sport, unsigned int dport,
			  struct ros_guid *key)
{
	uint16_t ports[] = { htons(sport), htons(dport) };
	unsigned int la, lp, ra, rp;
	char line[256];
	bool found = false;
	FILE *f = fopen("/proc/net/udp", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, " %*d: %8X:%4X %8X:%4X", &la, &lp, &ra,
			       &rp) == 4 && lp == sport && rp == dport && ra;
	if (f)
		fclose(f);
	if (!found)
		return false;
	key->entity = ROS_ENTITY_UDPROS;
	memcpy(key->prefix, &la, 4);
	memcpy(key->prefix + 4, &ra, 4);
	memcpy(key->prefix + 8, ports, 4);
	return true;
}

/* Whether it is an address of this host: bind() succeeds. */
static bool udpros_is_local(const char *host)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	char self[256] = "";
	bool here;
	size_t n;
	int fd;

	gethostname(self, sizeof(self) - 1);
	n = strlen(self);
	/* also robot.local */
	if ((!strncasecmp(host, self, n) && (!host[n] || host[n] == '.')) ||
	    !strcasecmp(host, "localhost"))
		return true;
	if (inet_pton(AF_INET, host, &a.sin_addr) != 1)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	here = fd >= 0 && !bind(fd, (void *)&a, sizeof(a));
	if (fd >= 0)
		close(fd);
	return here;
}

/*
 * A round
 */

/* ROS 1 has pkg/Type; convert it to the form of ROS 2. */
static void udpros_type(struct udpros_round *r, const char *name, char *type)
{
	char *topic, *text, *slash;
	xmlrpc_value *pair;

	for (int i = 0; i < udpros_size(r, r->types); i++) {
		pair = udpros_item(r, r->types, i);
		topic = pair ? udpros_string(r, pair, 0) : NULL;
		text = topic ? udpros_string(r, pair, 1) : NULL;
		slash = text ? strchr(text, '/') : NULL;
		if (slash && !strcmp(topic, name))
			snprintf(type, TOPIC_NAME, "%.*s/msg%s",
				 (int)(slash - text), text, slash);
		free(topic);
		free(text);
		if (pair)
			xmlrpc_DECREF(pair);
	}
}

/* Ask a node for its address of TCPROS, and that for a message */
static void udpros_fetch(struct udpros_round *r, const char *uri,
			 struct topic *t)
{
	xmlrpc_value *answer = NULL, *value;
	char *host, format[TOPIC_FORMAT];
	xmlrpc_int code = 0, port = 0;

	xmlrpc_client_call2f(&r->env, r->client, uri, "requestTopic", &answer,
			     "(ss((s)))", "/optsample", t->name, "TCPROS");
	if (r->env.fault_occurred) {
		udpros_clear_fault(r);
		return;
	}
	xmlrpc_decompose_value(&r->env, answer, "(i*)", &code);
	value = code == 1 ? udpros_item(r, answer, 2) : NULL;
	host = value ? udpros_string(r, value, 1) : NULL;
	if (host) {
		xmlrpc_value *v = udpros_item(r, value, 2);

		if (v)
			xmlrpc_read_int(&r->env, v, &port);
		if (v)
			xmlrpc_DECREF(v);
		if (!r->env.fault_occurred && port > 0 && port < 65536 &&
		    udpros_format_fetch(host, port, t->name, format))
			memcpy(t->format, format, sizeof(t->format));
	}
	free(host);
	if (value)
		xmlrpc_DECREF(value);
	xmlrpc_DECREF(answer);
	udpros_clear_fault(r);
}

/* From an earlier round, another connection, or a message */
static void udpros_set_format(struct udpros_round *r, const char *uri,
			      struct topic *t)
{
	const struct topic *old = topic_find(r->before, t->guid);

	if (!topic_format_has(t->type))
		return;
	if (old)
		memcpy(t->format, old->format, sizeof(t->format));
	for (size_t i = 0; !*t->format && i < r->found.n; i++)
		if (!strcmp(r->found.v[i].name, t->name))
			memcpy(t->format, r->found.v[i].format,
			       sizeof(t->format));
	if (!*t->format && r->fetched++ < UDPROS_FORMATS)
		udpros_fetch(r, uri, t);
}

/* "UDPROS connection on port 40378 to [10.0.0.2:47823 on socket 12]" */
static void udpros_connection(struct udpros_round *r, const char *uri,
			      const char *name, const char *words)
{
	unsigned int sport, dport;
	struct ros_guid key;
	struct topic *t;

	if (sscanf(words, "UDPROS connection on port %u to [%*[^]:]:%u",
		   &sport, &dport) != 2 ||
	    !udpros_socket(sport, dport, &key))
		return;
	t = topic_get(&r->found, (void *)&key);
	snprintf(t->name, sizeof(t->name), "%s", name);
	udpros_type(r, name, t->type);
	udpros_set_format(r, uri, t);
}

/* A connection: id, peer, direction, transport, topic, connected, text */
static void udpros_node(struct udpros_round *r, const char *uri)
{
	xmlrpc_value *info = udpros_call(r, uri, "getBusInfo", NULL), *c;
	char *transport, *topic, *words;

	for (int i = 0; i < udpros_size(r, info); i++) {
		c = udpros_item(r, info, i);
		transport = c ? udpros_string(r, c, 3) : NULL;
		topic = transport ? udpros_string(r, c, 4) : NULL;
		words = topic ? udpros_string(r, c, 6) : NULL;
		if (words && !strcmp(transport, "UDPROS"))
			udpros_connection(r, uri, topic, words);
		free(transport);
		free(topic);
		free(words);
		if (c)
			xmlrpc_DECREF(c);
		udpros_clear_fault(r);
	}
	if (info)
		xmlrpc_DECREF(info);
	udpros_clear_fault(r);
}

static void udpros_lookup(struct udpros_round *r, const char *master,
			  const char *node)
{
	xmlrpc_value *value = udpros_call(r, master, "lookupNode", node);
	const char *uri = NULL;
	char host[256];

	if (!value)
		return;
	xmlrpc_read_string(&r->env, value, &uri);
	xmlrpc_DECREF(value);
	if (!r->env.fault_occurred &&
	    sscanf(uri, "http://%255[^:/]", host) == 1 &&
	    udpros_is_local(host))
		udpros_node(r, uri);
	if (!r->env.fault_occurred)
		free((char *)uri);
	udpros_clear_fault(r);
}

/* Ask the nodes of a topic that were not asked yet; @seen has their keys */
static void udpros_publishers(struct udpros_round *r, const char *master,
			      xmlrpc_value *nodes, xmlrpc_value *seen)
{
	char *node;

	for (int i = 0; i < udpros_size(r, nodes); i++) {
		node = udpros_string(r, nodes, i);
		if (node && !xmlrpc_struct_has_key(&r->env, seen, node)) {
			udpros_lookup(r, master, node);
			xmlrpc_struct_set_value(&r->env, seen, node, nodes);
		}
		free(node);
		udpros_clear_fault(r);
	}
}

/* Return: false if the master did not answer */
static bool udpros_round(struct udpros_round *r, const char *master)
{
	xmlrpc_value *state, *topics, *pair, *nodes, *seen;

	state = udpros_call(r, master, "getSystemState", NULL);
	r->types = state ? udpros_call(r, master, "getTopicTypes", NULL) :
		   NULL;
	topics = r->types ? udpros_item(r, state, 0) : NULL;
	seen = xmlrpc_struct_new(&r->env);
	for (int i = 0; i < udpros_size(r, topics); i++) {
		pair = udpros_item(r, topics, i);
		nodes = pair ? udpros_item(r, pair, 1) : NULL;
		udpros_publishers(r, master, nodes, seen);
		if (nodes)
			xmlrpc_DECREF(nodes);
		if (pair)
			xmlrpc_DECREF(pair);
		udpros_clear_fault(r);
	}
	xmlrpc_DECREF(seen);
	if (state)
		xmlrpc_DECREF(state);
	if (r->types)
		xmlrpc_DECREF(r->types);
	if (topics)
		xmlrpc_DECREF(topics);
	return topics;
}

/*
 * The thread
 */

/* Keep those of @before whose sockets exist, even if a node did not answer */
static void udpros_keep_connected(struct topic_list *now,
				  const struct topic_list *before)
{
	struct ros_guid key;
	uint16_t ports[2];

	for (size_t i = 0; i < before->n; i++) {
		memcpy(ports, before->v[i].guid + 8, sizeof(ports));
		if (udpros_socket(ntohs(ports[0]), ntohs(ports[1]), &key) &&
		    !memcmp(&key, before->v[i].guid, sizeof(key)) &&
		    !topic_find(now, before->v[i].guid))
			*topic_get(now, before->v[i].guid) = before->v[i];
	}
}

static void udpros_once(struct udpros_watch *u, xmlrpc_client *client)
{
	struct udpros_round r = { .client = client, .before = &u->last };
	bool good;

	xmlrpc_env_init(&r.env);
	good = udpros_round(&r, u->uri);
	udpros_keep_connected(&r.found, &u->last);
	topic_free(&u->last);
	for (size_t i = 0; i < r.found.n; i++)
		*topic_get(&u->last, r.found.v[i].guid) = r.found.v[i];
	pthread_mutex_lock(&u->lock);
	topic_free(&u->found);
	u->found = r.found;
	u->fresh = true;
	*u->why = '\0';
	if (!good)
		snprintf(u->why, sizeof(u->why),
			 "the ROS master at %s does not answer", u->uri);
	pthread_mutex_unlock(&u->lock);
	xmlrpc_env_clean(&r.env);
}

static struct timespec udpros_after(struct timespec t, unsigned int ms)
{
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void *udpros_thread(void *arg)
{
	struct xmlrpc_curl_xportparms curl = {
		.timeout = UDPROS_CALL_MS,
		.proxy = "",	/* whatever the environment says */
	};
	struct xmlrpc_clientparms parms = {
		.transport = "curl",
		.transportparmsP = &curl,
		.transportparm_size = XMLRPC_CXPSIZE(proxy),
	};
	struct udpros_watch *u = arg;
	xmlrpc_client *client;
	struct timespec at;
	xmlrpc_env env;

	xmlrpc_env_init(&env);
	xmlrpc_client_create(&env, XMLRPC_CLIENT_NO_FLAGS, "optsample", "1",
			     &parms, XMLRPC_CPSIZE(transportparm_size),
			     &client);
	if (env.fault_occurred) {
		pthread_mutex_lock(&u->lock);
		snprintf(u->why, sizeof(u->why), "cannot query the ROS master");
		pthread_mutex_unlock(&u->lock);
		return NULL;
	}
	xmlrpc_client_set_interrupt(client, &u->stop);
	pthread_mutex_lock(&u->lock);
	while (!u->stop) {
		pthread_mutex_unlock(&u->lock);
		udpros_once(u, client);
		clock_gettime(CLOCK_MONOTONIC, &at);
		at = udpros_after(at, u->every_ms);
		pthread_mutex_lock(&u->lock);
		while (!u->stop &&
		       pthread_cond_clockwait(&u->wake, &u->lock,
					      CLOCK_MONOTONIC, &at) !=
		       ETIMEDOUT)
			;
	}
	pthread_mutex_unlock(&u->lock);
	xmlrpc_client_destroy(client);
	xmlrpc_env_clean(&env);
	return NULL;
}

struct udpros_watch *udpros_watch_open(const char *uri, unsigned int every_ms,
				       struct error *error)
{
	struct udpros_watch *u = calloc(1, sizeof(*u));
	xmlrpc_env env;

	assert(every_ms > 0);
	if (!u)
		abort();
	u->uri = strdup(uri);
	u->every_ms = every_ms;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->wake, NULL);
	xmlrpc_env_init(&env);
	xmlrpc_client_setup_global_const(&env);
	if (env.fault_occurred ||
	    pthread_create(&u->thread, NULL, udpros_thread, u)) {
		error_set(error, -EIO, "cannot query the ROS master");
		pthread_cond_destroy(&u->wake);
		pthread_mutex_destroy(&u->lock);
		free(u->uri);
		free(u);
		u = NULL;
	}
	xmlrpc_env_clean(&env);
	return u;
}

void udpros_watch_close(struct udpros_watch *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->stop = 1;
	pthread_cond_signal(&u->wake);
	pthread_mutex_unlock(&u->lock);
	pthread_join(u->thread, NULL);
	pthread_cond_destroy(&u->wake);
	pthread_mutex_destroy(&u->lock);
	xmlrpc_client_teardown_global_const();
	topic_free(&u->last);
	topic_free(&u->known);
	topic_free(&u->found);
	free(u->uri);
	free(u);
}

const char *udpros_watch_poll(struct udpros_watch *u,
			      const struct discovery_ops *ops, void *arg)
{
	const char *why = NULL;
	struct topic_list now;
	bool fresh;

	pthread_mutex_lock(&u->lock);
	if (*u->why)
		why = strcpy(u->reported, u->why);
	now = u->found;
	memset(&u->found, 0, sizeof(u->found));
	fresh = u->fresh;
	u->fresh = false;
	pthread_mutex_unlock(&u->lock);
	if (!fresh)
		return why;
	for (size_t i = 0; i < u->known.n; i++)
		if (!topic_find(&now, u->known.v[i].guid))
			ops->topic_gone(arg, u->known.v[i].guid);
	for (size_t i = 0; i < now.n; i++) {
		const struct topic *old = topic_find(&u->known, now.v[i].guid);

		if (!old || strcmp(old->format, now.v[i].format))
			ops->topic(arg, &now.v[i]);
	}
	topic_free(&u->known);
	u->known = now;
	return why;
}

void udpros_watch_forget(struct udpros_watch *u)
{
	topic_free(&u->known);
}
