// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reference's parsers: see ref_parse.h. Everything is read byte by byte
 * through one function that knows where the bytes end.
 */
#include <limits.h>
#include <optsample/segment.h>
#include <string.h>
#include "ref_parse.h"

/* Bytes at @at up to @end; behind them, zeros */
struct view {
	const uint8_t	*data;
	uint32_t	end;
};

static uint64_t get(const struct view *v, uint32_t at, int n, bool little)
{
	uint64_t x = 0;

	for (int i = 0; i < n; i++) {
		uint32_t k = at + (little ? n - 1 - i : i);

		x = x << 8 | (k < v->end ? v->data[k] : 0);
	}
	return x;
}

static bool vlan_type(uint32_t type)
{
	return type == 0x8100 || type == 0x88a8;
}

/* Is there one IP packet of @type from @at to the end? */
static bool fills(const struct input_packet *p, uint32_t at, uint32_t type)
{
	struct view v = { p->data, p->len };

	if (type == 0x0800)
		return get(&v, at, 1, false) >> 4 == 4 &&
		       get(&v, at + 2, 2, false) == p->len - at;
	return get(&v, at, 1, false) >> 4 == 6 &&
	       get(&v, at + 4, 2, false) + 40 == p->len - at;
}

static bool ipv4(const struct view *v, uint32_t at, struct ref_ip *ip)
{
	uint32_t frag = get(v, at + 6, 2, false);

	if (get(v, at, 1, false) >> 4 != 4 || get(v, at + 9, 1, false) != 17 ||
	    (v->data[at] & 15) < 5)
		return false;
	memcpy(ip->saddr, v->data + at + 12, 4);
	memcpy(ip->daddr, v->data + at + 16, 4);
	ip->id = get(v, at + 4, 2, false);
	ip->more = frag & 0x2000;
	ip->later = frag & 0x1fff;
	ip->udp = at + (v->data[at] & 15) * 4;
	return true;
}

static bool ipv6(const struct view *v, uint32_t at, struct ref_ip *ip)
{
	uint32_t next = get(v, at + 6, 1, false);

	if (get(v, at, 1, false) >> 4 != 6 || !get(v, at + 4, 2, false))
		return false;
	ip->v6 = true;
	memcpy(ip->saddr, v->data + at + 8, 16);
	memcpy(ip->daddr, v->data + at + 24, 16);
	at += 40;
	for (int i = 0; i < 6 && next != 17; i++) {
		if (at + 8 > v->end)
			return false;
		if (next == 44) {
			uint32_t frag = get(v, at + 2, 2, false);

			next = v->data[at];
			ip->id = get(v, at + 4, 4, false);
			ip->more = frag & 1;
			ip->later = frag >> 3;
			at += 8;
			if (ip->later)
				return next == 17 || next == 60;
		} else if (next == 0 || next == 43 || next == 60) {
			next = v->data[at];
			at += (v->data[at + 1] + 1) * 8;
		} else {
			return false;
		}
	}
	ip->udp = at;
	return next == 17;
}

bool ref_ip(const struct input_packet *p, struct ref_ip *ip)
{
	struct view v = { p->data, p->len };
	uint32_t type = get(&v, 12, 2, false), at = 14;

	memset(ip, 0, sizeof(*ip));
	for (int tags = 0; tags < 2 && vlan_type(type); tags++) {
		type = get(&v, at + 2, 2, false);
		at += 4;
	}
	if (type != 0x0800 && type != 0x86dd)
		return false;
	if (at == 14 && fills(p, 0, type) && !fills(p, 14, type))
		at = 0;
	return type == 0x0800 ? ipv4(&v, at, ip) : ipv6(&v, at, ip);
}

/* Stamp of two words: seconds below 2^31, and nanoseconds */
static uint64_t stamp(const struct view *v, uint32_t at, bool little)
{
	uint64_t sec = get(v, at, 4, little), nsec = get(v, at + 4, 4, little);

	if (at + 8 > v->end || sec >= 1ULL << 31 || nsec >= 1000000000)
		return 0;
	return sec * 1000000000 + nsec;
}

/*
 * Stamp at the start of a serialized message in the view, @at or behind
 * inline QoS
 */
static uint64_t header_stamp(const struct view *v, uint32_t at, bool qos,
			     bool little)
{
	uint32_t kind;

	for (int n = 0; qos; n++) {
		if (n == 16 || at + 4 > v->end)
			return 0;
		qos = get(v, at, 2, little) != 1;
		at += qos ? 4 + get(v, at + 2, 2, little) : 4;
	}
	kind = get(v, at, 2, false);
	if (at + 4 > v->end ||
	    (kind != 0 && kind != 1 && kind != 6 && kind != 7))
		return 0;
	return stamp(v, at + 4, kind & 1);
}

/* What a walk over the submessages of a datagram knows */
struct rtps {
	struct view	v;
	struct ros_guid	guid;
	bool		cyclone;
	bool		fastdds;
	bool		directed;
	uint8_t		dst[12];
	uint64_t	source;
};

/* DATA or DATA_FRAG at @at; @end: of it, as the datagram says */
static void data(struct rtps *r, uint32_t at, uint32_t end,
		 struct ref_item *it)
{
	uint8_t fl = r->v.data[at + 1];
	bool le = fl & 1, frag = r->v.data[at] == 0x16, key;
	uint64_t start, count, size, all;
	struct view body = { r->v.data, end < r->v.end ? end : r->v.end };

	it->number = get(&r->v, at + 16, 4, le) << 32 |
		     get(&r->v, at + 20, 4, le);
	it->repair = r->cyclone && r->directed && get(&r->v, at + 8, 4, false);
	it->source = r->source;
	it->first = it->last = true;
	key = frag ? fl & 4 : !(fl & 4);
	it->what = key ? REF_CONTROL : REF_DATA;
	if (!it->number || it->number >> 63 ||
	    end - at < (frag ? 36 : 24))
		it->what = REF_BROKEN;
	if (frag) {
		start = get(&r->v, at + 24, 4, le);
		count = get(&r->v, at + 28, 2, le);
		size = get(&r->v, at + 30, 2, le);
		all = get(&r->v, at + 32, 4, le);
		if (!start || !(start - 1 + count) || !size || !all ||
		    (start - 1) * size >= all)
			it->what = REF_BROKEN;
		it->first = start == 1;
		it->last = (start - 1 + count) * size >= all;
	}
	at += 8 + get(&r->v, at + 6, 2, le);
	it->header = header_stamp(&body, at, fl & 2, le);
}

/* INFO_TS: Time_t in ns, 0: none */
static uint64_t source(const struct view *v, uint32_t at, uint32_t end)
{
	bool le = v->data[at + 1] & 1;
	uint64_t sec = get(v, at + 4, 4, le), part = get(v, at + 8, 4, le);

	if (end - at < 12 || v->data[at + 1] & 2 || sec >= 0x7fffffff)
		return 0;
	return sec * 1000000000 + (part * 1000000000) / 4294967296ULL;
}

/* HEARTBEAT or HEARTBEAT_FRAG at @at: which one, if it is whole */
static void beat(const struct rtps *r, uint32_t at, uint32_t end,
		 struct ref_item *it)
{
	const uint8_t *b = r->v.data + at;

	it->is_beat = (b[0] == 7 && end - at >= 32) ||
		      (b[0] == 0x13 && end - at >= 28);
	if (!it->is_beat)
		return;
	it->beat[0] = b[0];
	it->beat[1] = b[1] & 6;
	memcpy(it->beat + 2, r->dst, 12);
	for (int i = 0; i < 4; i++)
		it->beat[14 + i] = get(&r->v, at + 4 + i, 1, true);
	for (int i = 0; i < 8 && b[0] != 7; i++)
		it->beat[18 + i] = get(&r->v, at + 12 + i, 1, true);
}

/* INFO_DST at @at. Return: it is shorter than what it says */
static bool info_dst(struct rtps *r, uint32_t at, uint32_t end)
{
	r->directed = true;
	for (int i = 0; i < 12; i++)
		r->dst[i] = get(&r->v, at + 4 + i, 1, true);
	return end - at < 16;
}

/*
 * Submessages from @at. @claim: where the datagram says that it ends; the
 * packet may hold less of it. Return: items
 *
 * What cannot be read, or comes behind the last one that is looked at, may be
 * data of another writer.
 */
static int submessages(struct rtps *r, uint32_t at, uint32_t claim, int max,
		       struct ref_item *v)
{
	bool last = false;
	uint32_t len, end;
	int n = 0, i;

	for (i = 0; i < max && !last && at + 4 <= r->v.end; i++, at = end) {
		const uint8_t *b = r->v.data + at;
		struct ref_item *it = &v[n];

		len = get(&r->v, at + 2, 2, b[1] & 1);
		end = at + 4 + len;
		last = !len && b[0] != 1 && b[0] != 9;
		if (last)
			end = claim;
		memset(it, 0, sizeof(*it));
		it->kind = ROS_RTPS;
		it->guid = r->guid;
		if (end > claim) {
			it->what = REF_BROKEN;
			return n + 1;
		}
		if (b[0] == 0x15 || b[0] == 0x16) {
			data(r, at, end, it);
			it->guid.entity = (uint32_t)get(&r->v, at + 12, 4,
							true);
			n++;
		} else if (b[0] == 7 || b[0] == 8 || b[0] == 0x13) {
			it->what = end - at < 12 ? REF_BROKEN : REF_CONTROL;
			it->guid.entity = (uint32_t)get(&r->v, at + 8, 4,
							true);
			beat(r, at, end, it);
			n++;
		} else if (b[0] == 9) {
			r->source = source(&r->v, at, end);
		} else if (b[0] == 0x0e) {
			if (info_dst(r, at, end))
				v[n++].what = REF_MORE;
		} else if (b[0] == 0x0c || (b[0] >= 0x30 && b[0] <= 0x34)) {
			v[n].what = REF_STRANGE;
			return n + 1;
		} else if (b[0] != 1 && !(b[0] == 0x80 && r->fastdds)) {
			v[n++].what = REF_MORE;
		}
		if (n && v[n - 1].what == REF_BROKEN)
			return n;
	}
	if (i == max && at != claim)
		v[n++].what = REF_STRANGE;
	return n;
}

static int rtps(const struct view *v, uint32_t at, uint32_t claim, int max,
		struct ref_item *items)
{
	struct rtps r = { .v = *v };

	if (at + 20 > v->end || v->data[at + 4] != 2) {
		memset(items, 0, sizeof(*items));
		items->what = REF_BROKEN;
		return 1;
	}
	memcpy(r.guid.prefix, v->data + at + 8, 12);
	r.cyclone = v->data[at + 6] == 1 && v->data[at + 7] == 0x10;
	r.fastdds = v->data[at + 6] == 1 && v->data[at + 7] == 0x0f;
	/* the packet may have only the beginning of the datagram */
	items->what = REF_MORE;
	if (v->end < claim)
		return 1 + submessages(&r, at + 20, claim, max, items + 1);
	return submessages(&r, at + 20, claim, max, items);
}

static int segment(const struct view *v, uint32_t at, uint32_t claim,
		   struct ref_item *it)
{
	uint32_t index = get(v, at + 24, 2, true);
	uint32_t count = get(v, at + 26, 2, true);
	uint32_t header = get(v, at + 6, 1, true);

	memset(it, 0, sizeof(*it));
	it->kind = ROS_SEGMENT;
	it->what = REF_BROKEN;
	if (at + 48 > v->end)
		return 1;
	if (v->data[at + 4] != 1)
		return 0;
	if (header < 48 || header > claim - at || index >= count)
		return 1;
	it->what = REF_DATA;
	memcpy(it->guid.prefix, v->data + at + 8, 12);
	it->guid.entity = ROS_ENTITY_SEGMENT;
	it->sampled = v->data[at + 5] & 1;
	it->profile = v->data[at + 7];
	it->number = get(v, at + 20, 4, true);
	it->first = index == 0;
	it->last = index == count - 1;
	it->position = get(v, at + 40, 8, true);
	return 1;
}

static int udpros(const struct view *v, uint32_t at, const struct ref_ip *ip,
		  const uint8_t *ports, struct ref_item *it)
{
	uint8_t op = get(v, at + 4, 1, true), id = get(v, at + 5, 1, true);

	memset(it, 0, sizeof(*it));
	it->kind = ROS_UDPROS;
	it->block = get(v, at + 6, 2, true);
	if (ip->v6 || op > 3 || (op < 2 && (!id || !it->block)))
		return 0;
	it->what = op < 2 ? REF_DATA : REF_CONTROL;
	memcpy(it->guid.prefix, ip->saddr, 4);
	memcpy(it->guid.prefix + 4, ip->daddr, 4);
	memcpy(it->guid.prefix + 8, ports, 4);
	it->guid.entity = ROS_ENTITY_UDPROS;
	it->number = id;
	it->first = op == 0;
	it->header = stamp(v, at + 16, true);
	return 1;
}

static bool is_sampled_udpros(const struct ref_item *it)
{
	for (unsigned int i = 0; i < input_nwriters; i++)
		if (!memcmp(&input_writers[i].guid, &it->guid,
			    sizeof(it->guid)))
			return true;
	return false;
}

int ref_items(const struct input_packet *p, const struct ref_ip *ip,
	      struct ref_item *v)
{
	struct view all = { p->data, p->len };
	uint32_t at = ip->udp + 8, end, claim;
	int n = 0, kind, first = -1;

	if (at > p->len || ip->udp >= 1024)
		return 0;
	claim = ip->udp + get(&all, ip->udp + 4, 2, false);
	for (; at < claim; at = end) {
		struct view d = { p->data, 0 };
		int was = n;

		end = p->gso && p->gso < claim - at ? at + p->gso : claim;
		d.end = end < p->len ? end : p->len;
		if (at + 8 > claim || at + 8 > p->len) {
			v[n++].what = REF_STRANGE;
			return first < 0 || !p->gso ? n - 1 : n;
		}
		kind = ROS_UDPROS;
		if (!memcmp(p->data + at, "RTPS", 4))
			kind = ROS_RTPS;
		else if (!memcmp(p->data + at, "OPSG", 4))
			kind = ROS_SEGMENT;
		if (first >= 0 && kind != first)
			v[n++].what = REF_STRANGE;
		else if (kind == ROS_RTPS)
			n += rtps(&d, at, end, p->gso ? INT_MAX : 32, &v[n]);
		else if (kind == ROS_SEGMENT)
			n += segment(&d, at, end, &v[n]);
		else if (udpros(&(struct view){ p->data, d.end }, at, ip,
				p->data + ip->udp, &v[n]) &&
			 is_sampled_udpros(&v[n]))
			n++;
		if (first < 0 && kind == ROS_UDPROS && n == was)
			return 0;
		first = first < 0 ? kind : first;
		if (n > was && v[n - 1].what == REF_BROKEN)
			return n;
	}
	return n;
}
