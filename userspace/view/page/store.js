// SPDX-License-Identifier: GPL-2.0-only
/*
 * store.js - what the server said: topics, their bands, newest messages, and
 * what was known at the time of the cursor
 */
'use strict';

const Store = (() => {
	const S = {
		hello: null,
		topics: new Map(),	/* id: topic, in the order of the page */
		states: new Map(),	/* id: state */
		connected: false,	/* any robot, says the server */
		outages: [],
		links: new Map(),	/* source: link, topics, t, rates */
		tracks: new Map(),	/* source: frame, points */
		layers: [],
		rooms: [],
		play: null,
		newest: new Map(),	/* id: message */
		cursor: null,		/* ms, or null: live */
		past: null,		/* answer to the cursor: time, got */
	};
	const KINDS = ['image', 'cloud', 'scan', 'map', 'grid_map', 'odometry', 'path',
		'diagnostics', 'twist', 'imu', 'joints', 'transforms', 'camera_info'];
	const RATES = 240;	/* reports of the link in its curve */
	const TRACK = 20000;
	const PATIENCE = 4000;	/* ms that an answer to the cursor may take */
	const listeners = new Map();
	const bands = new Map();	/* id: ring, first, last */

	function on(names, f) {
		for (const n of names.split(' '))
			listeners.set(n, [...listeners.get(n) || [], f]);
	}

	function emit(name, what) {
		for (const f of listeners.get(name) || [])
			f(what);
	}

	/*
	 * The server's clock. The least delay seen is nearest to the truth. While a
	 * recording is replayed its time stands and jumps as it likes
	 */
	let delays = [], offset = null, anchor = null, last = 0;

	function heard(now) {
		const here = performance.now();
		last = now;
		if (S.play) {
			if (anchor && now < anchor.now - 2000)
				forget();
			anchor = { here, now };
			return;
		}
		delays.push(here - now);
		delays = delays.slice(-100);
		const least = Math.min(...delays);
		/* a step of the server's clock is no delay */
		if (here - now - least > 5000)
			delays = [here - now];
		offset = Math.min(...delays);
	}

	function now() {
		const here = performance.now();
		if (S.play && anchor)
			return anchor.now + (S.play.paused ? 0 :
				Math.min(2000, here - anchor.here) * S.play.speed);
		return offset === null ? Date.now() : here - offset;
	}

	/* Up to when the page knows anything: less than now while it is disconnected */
	function known() {
		return Connection.connected() ? now() : Math.min(now(), last);
	}

	/* After a seek backwards what is newer is not known any more */
	function forget() {
		S.newest.clear();
		bands.clear();
		emit('band');
		emit('message', null);
	}

	/*
	 * Topics
	 */
	const TAIL = /\/(compressed|image_(raw|color|mono|rect|rect_color)|image|raw)$/;

	/* Without what each name of that kind ends in, as long as they stay different */
	function shorten() {
		const all = [...S.topics.values()];
		const sources = new Set(all.map(t => t.source));
		const bare = t => {
			let s = t.name.replace(/^\//, '');
			if (s.startsWith(t.source + '/'))
				s = s.slice(t.source.length + 1);
			while (TAIL.test(s))
				s = s.replace(TAIL, '');
			return s;
		};
		const count = new Map();
		all.forEach(t => count.set(t.source + bare(t),
			(count.get(t.source + bare(t)) || 0) + 1));
		for (const t of all)
			t.short = (sources.size > 1 ? t.source + ': ' : '') +
				(count.get(t.source + bare(t)) > 1 ?
				 t.name.replace(/^\//, '') : bare(t));
	}

	function setTopics(list) {
		/* what a robot says of its link is in a panel of its own */
		list = list.filter(t => !t.name.endsWith('/optsample/link'));
		const rank = t => (KINDS.indexOf(t.kind) + 1) || 99;
		list.sort((a, b) => a.source < b.source ? -1 : a.source > b.source ? 1 :
			rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
		S.topics = new Map(list.map(t => [t.id, t]));
		for (const m of [S.states, S.newest, bands])
			for (const id of [...m.keys()])
				if (!S.topics.has(id))
					m.delete(id);
		shorten();
		emit('topics');
	}

	function ofKind(...kinds) {
		return [...S.topics.values()].filter(t => kinds.includes(t.kind));
	}

	/*
	 * Bands: a ring of slots for each topic
	 */
	function slots() {
		return S.hello?.slots || 2400;
	}

	function slot() {
		return S.hello?.slot || 500;
	}

	function setBand(m) {
		heard(m.now);
		if (m.full)
			bands.clear();
		for (const t of m.topics) {
			const size = slots(), end = t.first + t.s.length;
			let b = bands.get(t.id);
			if (!b)
				bands.set(t.id, b = { ring: new Uint8Array(size),
					first: t.first, last: t.first - 1 });
			/* what lies between is not known */
			for (let n = Math.max(b.last + 1, end - size); n < t.first; n++)
				b.ring[n % size] = 46;
			for (let i = Math.max(0, t.s.length - size); i < t.s.length; i++)
				if (t.first + i > b.last - size)
					b.ring[(t.first + i) % size] = t.s.charCodeAt(i);
			b.last = Math.max(b.last, end - 1);
			b.first = Math.max(Math.min(b.first, t.first), b.last - size + 1);
		}
		S.outages = m.outages;
		emit('band');
	}

	/* Return: a character of the band, '.' where nothing is known */
	function at(id, n) {
		const b = bands.get(id);
		return b && n >= b.first && n <= b.last ?
			String.fromCharCode(b.ring[n % b.ring.length]) : '.';
	}

	/* Slots of a topic that the band has, at most from @from to @to */
	function range(id, from, to) {
		const b = bands.get(id);
		return b ? [Math.max(from, b.first), Math.min(to, b.last)] : [0, -1];
	}

	function oldest() {
		const first = Math.min(...[...bands.values()].map(b => b.first));
		return Number.isFinite(first) ? first * slot() : now();
	}

	function outageNow(source) {
		return S.outages.find(o => o.end === null && o.source === source) || null;
	}

	/* Also of a page that is disconnected: then nothing is live */
	function stateOf(id) {
		return Connection.connected() ? S.states.get(id)?.state || 'unknown' :
			'disconnected';
	}

	/* Slots of an outage: kept, lost, expected; of one topic or of all */
	function countIn(o, id) {
		const n = { K: 0, X: 0, E: 0, L: 0 };
		const from = Math.floor(o.begin / slot());
		const to = Math.floor((o.end ?? known()) / slot());
		for (const t of S.topics.values()) {
			if (t.source !== o.source || id !== undefined && t.id !== id)
				continue;
			const [a, b] = range(t.id, from, to);
			for (let k = a; k <= b; k++)
				n[at(t.id, k)]++;
		}
		return n;
	}

	/*
	 * Messages
	 */
	function take(m) {
		if (m.at) {
			asked?.got.set(m.id, m);
			return;
		}
		const old = S.newest.get(m.id);
		/* kept messages come late: they are in the band, but not the newest */
		if (old && m.t < old.t)
			return;
		S.newest.set(m.id, m);
		emit('message', m);
	}

	/* What the page shows of a topic: the newest, or what the cursor found */
	function shown(id) {
		return S.past ? S.past.got.get(id) : S.newest.get(id);
	}

	/*
	 * The cursor: one question at a time, the newest wish wins
	 */
	let asked = null, wish = null, askIds = () => [...S.topics.keys()];

	function ask() {
		if (wish === null || asked)
			return;
		asked = { time: wish, got: new Map(), when: performance.now(), ids: askIds() };
		wish = null;
		if (!Connection.send({ op: 'at', time: asked.time, ids: asked.ids }))
			asked = null;
	}

	/* A pane was opened that the answer knows nothing of */
	function lookAgain() {
		if (S.past && wish === null && !asked &&
		    askIds().some(id => !S.past.ids.includes(id))) {
			wish = S.cursor;
			ask();
		}
	}

	/*
	 * A page that is opened in an outage asks for the last that was known
	 */
	let recalled = -Infinity;

	function recall() {
		const on = new Set(askIds());
		const lacking = [...S.states.values()].filter(s => on.has(s.id) &&
			(s.state === 'stale' || s.state === 'disconnected') &&
			!S.newest.has(s.id)).map(s => s.id);
		if (!lacking.length || asked || wish !== null || S.cursor !== null ||
		    performance.now() - recalled < 5000)
			return;
		recalled = performance.now();
		asked = { time: now(), got: new Map(), when: recalled, recall: true };
		if (!Connection.send({ op: 'at', time: asked.time, ids: lacking }))
			asked = null;
	}

	/* An answer that never came holds up nothing */
	function hurry() {
		if (!asked || performance.now() - asked.when < PATIENCE)
			return;
		wish = S.cursor;
		asked = null;
		ask();
	}

	function answered() {
		if (asked?.recall) {
			for (const m of asked.got.values()) {
				m.at = false;
				take(m);
			}
		} else if (asked && S.cursor !== null) {
			S.past = { time: asked.time, got: asked.got, ids: asked.ids };
			emit('past');
		}
		asked = null;
		ask();
	}

	function setCursor(time) {
		const live = time === null || time >= now();
		const was = S.cursor;
		S.cursor = live ? null : Math.max(time, oldest());
		if (live) {
			S.past = null;
			wish = null;
		} else {
			wish = S.cursor;
			ask();
		}
		emit('cursor');
		if (live !== (was === null))
			emit('past');
	}

	/*
	 * Places of a robot
	 */
	function addTrack(m) {
		const t = S.tracks.get(m.source);
		if (m.full || !t)
			S.tracks.set(m.source, { frame: m.frame, points: m.points });
		else
			t.points.push(...m.points);
		const points = S.tracks.get(m.source).points;
		if (points.length > TRACK)
			points.splice(0, points.length - TRACK);
		emit('track');
	}

	/* Return: [t, x, y, yaw] of the last place known at @time, or null */
	function placeAt(source, time) {
		const points = S.tracks.get(source)?.points;
		if (points && points.length) {
			let low = 0, high = points.length;
			while (low < high) {
				const middle = low + high >> 1;
				if (points[middle][0] <= time)
					low = middle + 1;
				else
					high = middle;
			}
			return low ? points[low - 1] : null;
		}
		const odometry = ofKind('odometry').find(t => t.source === source);
		const m = odometry && shown(odometry.id);
		const pose = m?.data?.pose?.pose;
		if (!pose?.position)
			return null;
		const q = pose.orientation || { x: 0, y: 0, z: 0, w: 1 };
		return [m.t, pose.position.x, pose.position.y,
			Math.atan2(2 * (q.w * q.z + q.x * q.y),
				   1 - 2 * (q.y * q.y + q.z * q.z))];
	}

	const takes = {
		hello(m) {
			S.hello = m;
			delays = [];
			anchor = null;
			heard(m.now);
			S.play = null;
			asked = null;
			wish = S.cursor;
			S.newest.clear();
			if (!m.gdim && S.layers.length)
				takes.layers({ layers: [] });
			emit('hello');
		},
		topics: m => setTopics(m.topics),
		band: setBand,
		state(m) {
			heard(m.now);
			S.connected = m.connected;
			S.states = new Map(m.topics.map(t => [t.id, t]));
			emit('state');
			hurry();
			recall();
		},
		track: addTrack,
		link(m) {
			const rates = S.links.get(m.source)?.rates || [];
			rates.push([m.t, m.link.rate, m.link.capacity, m.link.state]);
			S.links.set(m.source, { ...m, rates: rates.slice(-RATES) });
			emit('link');
		},
		layers(m) {
			S.layers = m.layers;
			S.rooms = m.rooms || [];
			emit('layers');
		},
		play(m) {
			S.play = m;
			emit('play');
		},
		at: answered,
		error: m => emit('error', m.text),
	};

	function control(m) {
		takes[m.op]?.(m);
	}

	return Object.assign(S, { on, emit, now, known, ofKind, slot, slots, at, range, oldest,
		outageNow, stateOf, countIn, take, shown, setCursor, lookAgain, placeAt, control,
		asking: () => asked !== null || wish !== null,
		setAskIds(f) {
			askIds = f;
		} });
})();
