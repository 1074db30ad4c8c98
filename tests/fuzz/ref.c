// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference: see ref.h.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"
#include "ref_parse.h"

enum { ROOM = 2 * INPUT_PACKETS, RESTART = 1 << 20, UNSENT = 16, SENT = 257 };

/* A flow's name, in full */
struct name {
	enum ros_kind	kind;
	bool		v6;
	struct ros_guid	guid;
	uint8_t		daddr[16];
	uint8_t		dport[2];
};

struct flow {
	struct name	name;
	bool		known;		/* there was data */
	uint64_t	newest;
	uint64_t	position;
	/* last jump of the numbers, up to a newest one */
	uint64_t	from;
	uint64_t	to;
	/* older messages, each the next one, while the newest was the same */
	uint64_t	run_newest;
	uint64_t	run_last;
	int		run;
	/* UDPROS: newest message */
	uint8_t		id;
	uint16_t	blocks;
	uint64_t	number;
};

/* Which flow has an id; control may be the first to get it */
struct binding {
	uint32_t	id;
	struct name	name;
};

/**
 * struct want - what a tag has to be
 * @tagged:	there is one
 * @flags:	of the mark
 * @profile:
 * @name:	of its flow; control and repairs: of one of the writer's
 * @exact:	@message and @position are known
 * @flow:	id, if it is known
 * @beat:	LATEST: what it is about
 * @may_last:	if it is not tagged: it may be marked as such that lasts
 */
struct want {
	bool		tagged;
	uint32_t	flags;
	uint8_t		profile;
	struct name	name;
	bool		exact;
	uint32_t	message;
	uint64_t	position;
	uint32_t	flow;
	uint8_t		beat[REF_BEAT];
	bool		may_last;
};

struct note {
	struct ref_ip	ip;
	struct want	want;
};

/* Which hash a heartbeat has, to the place that it goes to */
struct beat {
	uint8_t		about[REF_BEAT];
	uint8_t		daddr[16];
	uint8_t		dport[2];
	uint32_t	hash;
};

static struct beat beats[ROOM];
static struct flow flows[ROOM];
static struct binding bindings[ROOM];
static struct note notes[ROOM];
static int nflows, nbindings, nnotes, nbeats;

void ref_reset(void)
{
	nflows = 0;
	nbindings = 0;
	nnotes = 0;
	nbeats = 0;
}

static bool same_name(const struct name *a, const struct name *b)
{
	return a->kind == b->kind && a->v6 == b->v6 &&
	       !memcmp(&a->guid, &b->guid, sizeof(a->guid)) &&
	       !memcmp(a->daddr, b->daddr, 16) &&
	       !memcmp(a->dport, b->dport, 2);
}

static struct flow *flow_of(const struct name *name)
{
	for (int i = 0; i < nflows; i++)
		if (same_name(&flows[i].name, name))
			return &flows[i];
	if (nflows == ROOM)
		abort();
	memset(&flows[nflows], 0, sizeof(*flows));
	flows[nflows].name = *name;
	return &flows[nflows++];
}

/* Only writers of users; that a connection is no DDS writer is for sure. */
static const struct ros_writer *writer_of(const struct ref_item *it)
{
	static struct ros_writer segment;
	const uint8_t *last = (const uint8_t *)&it->guid.entity + 3;

	if (it->kind == ROS_SEGMENT) {
		segment.profile = it->profile;
		return it->sampled ? &segment : NULL;
	}
	if (it->kind == ROS_RTPS && *last & 0xc0)
		return NULL;
	for (unsigned int i = 0; i < input_nwriters; i++)
		if (!memcmp(&input_writers[i].guid, &it->guid,
			    sizeof(it->guid)))
			return &input_writers[i].writer;
	return NULL;
}

static bool same_guid(const struct ref_item *a, const struct ref_item *b)
{
	return !memcmp(&a->guid, &b->guid, sizeof(a->guid));
}

/**
 * struct sum - what all items of a packet come to
 * @who:	first item of a sampled writer, NULL: none
 * @data:	the message of it; first and last of all parts together
 * @beat:	its first heartbeat, and
 * @more:	there is something else that counts
 * @user:	there is data of a user's writer
 */
struct sum {
	const struct ref_item	*who;
	bool			has_data;
	struct ref_item		data;
	const struct ref_item	*beat;
	bool			mixed;
	bool			more;
	bool			broken;
	bool			user;
};

static void add(struct sum *s, const struct ref_item *it)
{
	bool data = it->what == REF_DATA;

	if (it->kind != ROS_RTPS || (data && !(it->guid.entity >> 24 & 0xc0)))
		s->user = true;
	if (it->what == REF_BROKEN || it->what == REF_STRANGE) {
		s->broken |= it->what == REF_BROKEN;
		s->mixed |= it->what == REF_STRANGE;
		s->user = true;
		return;
	}
	if (it->what == REF_MORE) {
		s->more = true;
		return;
	}
	if (it->is_beat && !s->beat &&
	    (s->who ? same_guid(s->who, it) : !!writer_of(it)))
		s->beat = it;
	else
		s->more = true;
	if (!s->who && writer_of(it)) {
		s->who = it;
	} else if (!s->who || !same_guid(s->who, it)) {
		s->mixed |= data;
		return;
	} else if (it->kind == ROS_UDPROS) {
		s->mixed = true;	/* two datagrams at once */
	}
	if (!data)
		return;
	if (!s->has_data) {
		s->data = *it;
	} else if (it->number != s->data.number) {
		s->mixed = true;
	} else {
		s->data.last |= it->last;
		if (it->first && !s->data.first) {
			s->data.source = it->source;
			s->data.header = it->header;
			s->data.first = true;
		}
		s->data.position = it->position;
		s->data.profile = it->profile;
	}
	s->has_data = true;
}

/* Which message a UDPROS packet is of. Return: false if none of the newest */
static bool udpros_message(struct flow *f, struct ref_item *it)
{
	if (it->first && it->number != f->id) {
		f->id = it->number;
		f->blocks = it->block;
		f->number++;
	}
	if (it->number != f->id)
		return false;
	it->number = f->number;
	it->last = (it->first ? 1 : it->block + 1) == f->blocks;
	return true;
}

/* Data of @f that is not older than its newest: its position */
static uint64_t position(struct flow *f, const struct ros_writer *w,
			 const struct ref_item *it, uint64_t mm)
{
	uint64_t at = 0;

	if (it->kind == ROS_SEGMENT)
		return it->position;
	if (w->by == ROS_BY_NUMBER)
		return it->number;
	if (it->first) {
		if (w->by == ROS_BY_DISTANCE)
			f->position = at = mm;
		else if (w->by == ROS_BY_SOURCE && it->kind == ROS_RTPS)
			at = it->source;
		else
			at = it->header;
		if (at)
			f->position = at;
	}
	return f->position;
}

/* An older message begins: has the numbering gone back? */
static bool restarts(struct flow *f, uint64_t number)
{
	bool next = f->run && f->run_newest == f->newest &&
		    f->run_last + 1 == number;

	f->run = next ? f->run + 1 : 1;
	f->run_newest = f->newest;
	f->run_last = number;
	return f->run >= (number > f->from && number < f->to ? UNSENT : SENT);
}

static void note_jump(struct flow *f, uint64_t number)
{
	if (f->newest && number > f->newest && number - f->newest > 1) {
		f->from = f->newest;
		f->to = number;
	} else if (number < f->newest) {
		f->to = 0;
	}
}

static void want_data(struct want *w, const struct ros_writer *writer,
		      struct ref_item *it, uint64_t mm)
{
	struct flow *f = flow_of(&w->name);
	uint64_t back;

	if (it->kind == ROS_UDPROS && !udpros_message(f, it)) {
		w->flags = OPTSAMPLE_TAG_CONTROL;
		return;
	}
	w->exact = true;
	w->message = it->number;
	back = f->known && it->number < f->newest ? f->newest - it->number : 0;
	if (it->repair || (back && back < RESTART &&
			   !(it->first && it->kind != ROS_UDPROS &&
			     restarts(f, it->number)))) {
		w->flags = OPTSAMPLE_TAG_REPAIR;
		w->position = it->kind == ROS_SEGMENT ? it->position :
			      writer->by ? f->position : it->number;
		return;
	}
	w->flags = (it->first ? OPTSAMPLE_TAG_FIRST : 0) |
		   (it->last ? OPTSAMPLE_TAG_LAST : 0);
	w->position = position(f, writer, it, mm);
	note_jump(f, it->number);
	f->known = true;
	f->newest = it->number;
}

/* The start of a datagram */
static void want_datagram(const struct input_packet *p,
			  const struct ref_ip *ip, uint64_t mm, struct want *w)
{
	static struct ref_item items[REF_ITEMS];
	const struct ros_writer *writer;
	struct sum s = { 0 };
	int n;

	memset(items, 0, sizeof(*items));
	n = ref_items(p, ip, items);
	for (int i = 0; i < n; i++)
		add(&s, &items[i]);
	w->may_last = n && !s.user;
	if (!s.who || s.broken)
		return;
	writer = writer_of(s.who);
	w->tagged = true;
	w->profile = s.has_data && s.data.kind == ROS_SEGMENT ?
		     s.data.profile : writer->profile;
	w->name.kind = s.who->kind;
	w->name.v6 = ip->v6;
	w->name.guid = s.who->guid;
	memcpy(w->name.daddr, ip->daddr, 16);
	memcpy(w->name.dport, p->data + ip->udp + 2, 2);
	w->flags = OPTSAMPLE_TAG_CONTROL;
	if (s.has_data && !s.mixed)
		want_data(w, writer, &s.data, mm);
	if (s.who->kind == ROS_SEGMENT)
		w->flags |= OPTSAMPLE_TAG_SELF;
	if (s.beat && !s.more && !s.mixed) {
		w->flags |= OPTSAMPLE_TAG_LATEST;
		memcpy(w->beat, s.beat->beat, REF_BEAT);
	}
}

static struct note *note_of(const struct ref_ip *ip)
{
	struct note *n;

	for (int i = 0; i < nnotes; i++) {
		n = &notes[i];
		if (n->ip.v6 == ip->v6 && n->ip.id == ip->id &&
		    !memcmp(n->ip.saddr, ip->saddr, 16) &&
		    !memcmp(n->ip.daddr, ip->daddr, 16))
			return n;
	}
	if (nnotes == ROOM)
		abort();
	n = &notes[nnotes++];
	n->ip = *ip;
	n->want.tagged = false;
	return n;
}

/* One id, one flow */
static const char *check_flow(struct want *w, uint32_t id)
{
	bool any = w->flags & (OPTSAMPLE_TAG_CONTROL | OPTSAMPLE_TAG_REPAIR);
	struct binding *b;

	if (!id)
		return "flow id 0";
	for (int i = 0; i < nbindings; i++) {
		b = &bindings[i];
		if (any && b->id == id)
			return !memcmp(&b->name.guid, &w->name.guid,
				       sizeof(b->name.guid)) ?
			       NULL : "control goes with another writer's data";
		if (!any && (b->id == id) != same_name(&b->name, &w->name))
			return b->id == id ? "one id for two flows" :
					     "two ids for one flow";
		if (b->id == id)
			return NULL;
	}
	if (nbindings == ROOM)
		abort();
	bindings[nbindings].id = id;
	bindings[nbindings++].name = w->name;
	return NULL;
}

/* Two heartbeats have one hash if, and only if, they are about the same. */
static const char *check_beat(const struct want *w,
			      const struct optsample_tag *tag)
{
	struct beat new = { .hash = tag->message };

	if (!tag->message || tag->pos_lo || tag->pos_hi)
		return "no hash, or others";
	memcpy(new.about, w->beat, sizeof(new.about));
	memcpy(new.daddr, w->name.daddr, sizeof(new.daddr));
	memcpy(new.dport, w->name.dport, sizeof(new.dport));
	for (int i = 0; i < nbeats; i++)
		if ((beats[i].hash == new.hash) !=
		    !memcmp(&beats[i], &new, offsetof(struct beat, hash)))
			return "wrong hash";
	if (nbeats == ROOM)
		abort();
	beats[nbeats++] = new;
	return NULL;
}

static const char *check(struct want *w, const struct optsample_tag *tag)
{
	uint64_t at = (uint64_t)tag->pos_hi << 32 | tag->pos_lo;
	const char *why = NULL;

	if (!w->tagged && tag->mark == (OPTSAMPLE_TAG_MARK |
					OPTSAMPLE_TAG_CONTROL) && !tag->flow)
		return w->may_last ? NULL : "data of a user would not age";
	if (!w->tagged)
		return tag->mark ? "tagged, but should not be" : NULL;
	if (!tag->mark)
		return "not tagged, but should be";
	if ((tag->mark & OPTSAMPLE_TAG_MARK_MASK) != OPTSAMPLE_TAG_MARK)
		return "no mark of ours";
	if ((tag->mark & 0x3f) != w->flags)
		return "wrong flags";
	if ((tag->mark >> 8 & 0xff) != w->profile)
		return "wrong profile";
	if (w->flow)
		return w->flow == tag->flow ? NULL : "wrong flow";
	if (w->flags & OPTSAMPLE_TAG_LATEST)
		why = check_beat(w, tag);
	if (why)
		return why;
	if (w->exact && tag->message != w->message)
		return "wrong message";
	if (w->exact && at != w->position)
		return "wrong position";
	return check_flow(w, tag->flow);
}

const char *ref_check(const struct input_packet *p, uint64_t mm,
		      const struct optsample_tag *tag)
{
	struct want want = { 0 };
	struct note *note;
	struct ref_ip ip;
	uint32_t last;
	const char *why;

	if (!ref_ip(p, &ip))
		return check(&want, tag);
	if (ip.later) {
		want = note_of(&ip)->want;
		if (ip.more)
			want.flags &= ~OPTSAMPLE_TAG_LAST;
		return check(&want, tag);
	}
	want_datagram(p, &ip, mm, &want);
	last = want.flags & OPTSAMPLE_TAG_LAST;
	if (ip.more)
		want.flags &= ~OPTSAMPLE_TAG_LAST;
	why = check(&want, tag);
	if (!ip.more)
		return why;
	note = note_of(&ip);
	note->want = want;
	note->want.flow = tag->flow;
	note->want.flags = (want.flags & ~OPTSAMPLE_TAG_FIRST) | last;
	return why;
}
