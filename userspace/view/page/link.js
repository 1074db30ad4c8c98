// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.js - what each robot says of its link, its rate as a curve, and the
 * priority and focus of its topics
 */
'use strict';

const LinkView = (() => {
	const { $, el, text, rate, duration, age, colour } = Util;
	const WORDS = { live: 'live', outage: 'no link', drain: 'sending what was kept',
		start: 'starting' };
	const OLD = 3000;	/* ms: what a robot said of its link is not true for longer */
	const cards = new Map();	/* source: its elements */
	const asked = new Map();	/* source topic: priority and focus not confirmed yet */

	function may() {
		return Connection.connected() && Store.hello?.control;
	}

	function why() {
		return !Connection.connected() ? 'This page is not connected' :
			Store.hello?.replay ? 'A recording is replayed: nothing can be set' :
			'optsample-view cannot send to this robot (no control connection)';
	}

	/* In a few words: also in the line at the top */
	function state(source) {
		const o = Store.outageNow(source), l = Store.links.get(source);
		if (!Connection.connected())
			return ['disconnected', 'unknown, page disconnected'];
		if (o)
			return ['disconnected', 'no link for ' + duration(Store.now() - o.begin)];
		if (!l)
			return Store.connected ? ['live', 'connected'] :
				['unknown', 'not connected'];
		const old = Store.now() - l.t;
		if (old > OLD)
			return ['stale', 'no report for ' + duration(old)];
		return [l.link.state === 'live' ? 'live' : l.link.state === 'outage' ?
			'disconnected' : 'kept', WORDS[l.link.state] || l.link.state];
	}

	function curve(canvas, rates) {
		if (!canvas.clientWidth)
			return;
		const pen = Util.sized(canvas), w = canvas.clientWidth, h = canvas.clientHeight;
		if (!rates.length)
			return;
		const last = Store.now(), first = Math.min(rates[0][0], last - 60000);
		const most = Math.max(1e3, ...rates.map(r => Math.max(r[1], r[2] || 0))) * 1.1;
		const x = t => (t - first) / (last - first) * w;
		const y = v => h - 2 - v / most * (h - 4);
		pen.fillStyle = colour('outage');
		for (const o of Store.outages) {
			const from = x(o.begin);
			if ((o.end ?? last) > first)
				pen.fillRect(from, 0, Math.max(1, x(o.end ?? last) - from), h);
		}
		/* nothing is drawn where nothing was reported */
		const gap = i => !i || rates[i][0] - rates[i - 1][0] > OLD;
		const line = k => {
			pen.beginPath();
			rates.forEach((r, i) => pen[gap(i) ? 'moveTo' : 'lineTo'](x(r[0]), y(r[k] || 0)));
			pen.stroke();
		};
		pen.fillStyle = colour('rate-fill');
		rates.forEach((r, i) => gap(i) || pen.fillRect(x(rates[i - 1][0]), y(r[1]),
			x(r[0]) - x(rates[i - 1][0]), h));
		pen.lineWidth = 1.5;
		pen.strokeStyle = colour('accent');
		line(1);
		pen.setLineDash([3, 3]);
		pen.strokeStyle = colour('dim');
		line(2);
		pen.setLineDash([]);
	}

	const FACTS = [
		['Rate', l => rate(l.rate) + ' of ' + rate(l.capacity)],
		['Loss', l => (100 * l.loss).toFixed(l.loss < .1 ? 1 : 0) + ' %'],
		['Round trip', l => age(1000 * l.round_trip)],
		['Queue', l => age(1000 * l.queue)],
		['Outages', l => String(l.outages)],
	];

	function build(source) {
		const c = { rows: new Map(), title: el('span', { className: 'state' }),
			values: FACTS.map(() => el('dd')),
			curve: el('canvas', { className: 'curve', aria: { role: 'img',
				label: 'Rate of the last minutes' } }),
			body: el('tbody'), why: el('p', { className: 'dim' }) };
		c.root = el('section', { className: 'link' },
			el('h3', {}, el('b', { textContent: source }), c.title), c.curve,
			el('p', { className: 'dim key', textContent:
				'Line: rate, dashes: capacity, grey: no link' }),
			el('dl', {}, ...FACTS.map((f, i) => el('div', {},
				el('dt', { textContent: f[0] }), c.values[i]))),
			c.why, el('table', { className: 'topics' }, el('thead', {}, el('tr', {},
				...['Topic', 'Priority', 'Focus'].map(s =>
					el('th', { textContent: s, scope: 'col' })))), c.body));
		cards.set(source, c);
		$('link-list').append(...[...cards].sort((a, b) => a[0] < b[0] ? -1 : 1)
			.map(a => a[1].root));
		return c;
	}

	/* What was asked is shown at once, until the robot says what is true */
	function ask(source, topic, change) {
		asked.set(source + ' ' + topic, { ...asked.get(source + ' ' + topic), ...change,
			when: performance.now() });
		draw();
	}

	/* Of two robots with the same name of a topic the second has a prefix here */
	function topicOf(source, name) {
		return [...Store.topics.values()].find(t => t.source === source &&
			(t.name === name || t.name === '/' + source + name));
	}

	function buildRow(source, name) {
		const button = (label, words) => {
			const b = el('button', { type: 'button', textContent: words });
			b.setAttribute('aria-label', label + ' of ' + name);
			return b;
		};
		const r = { less: button('Lower the priority', '\u2212'), priority: el('output'),
			more: button('Raise the priority', '+'), focus: button('Focus', 'Focus'),
			share: el('small') };
		const topic = topicOf(source, name);
		const set = by => {
			const value = Math.max(0, Math.min(7, r.now + by));
			Connection.send({ op: 'priority', source, topic: name, value });
			ask(source, name, { priority: value });
		};
		r.less.addEventListener('click', () => set(-1));
		r.more.addEventListener('click', () => set(1));
		r.focus.addEventListener('click', () => {
			const on = r.focus.getAttribute('aria-pressed') !== 'true';
			Connection.send({ op: 'focus', source, topic: on ? name : null });
			for (const t of Store.links.get(source).topics)
				ask(source, t.topic, { focus: on && t.topic === name });
		});
		r.root = el('tr', {}, el('th', { scope: 'row', title: name },
			topic?.short.replace(source + ': ', '') || name, r.share),
			el('td', { className: 'priority' }, r.less, r.priority, r.more),
			el('td', {}, r.focus));
		return r;
	}

	function drawTopics(c, source, l) {
		const can = may();
		const keep = new Set();
		/* in the order of the page: cameras first */
		const order = [...Store.topics.keys()];
		const rank = t => order.indexOf(topicOf(source, t.topic)?.id);
		const list = [...l.topics].sort((a, b) => rank(a) - rank(b));
		for (const t of list) {
			let r = c.rows.get(t.topic);
			const wish = asked.get(source + ' ' + t.topic);
			const fresh = wish && performance.now() - wish.when < 2500 ? wish : {};
			keep.add(t.topic);
			if (!r) {
				c.rows.set(t.topic, r = buildRow(source, t.topic));
				c.order = '';
			}
			r.now = fresh.priority ?? t.priority;
			text(r.priority, String(r.now));
			text(r.share, t.on ? rate(t.share) : 'off');
			Util.attribute(r.focus, 'aria-pressed', String(fresh.focus ?? t.focus));
			for (const b of [r.less, r.more, r.focus]) {
				b.disabled = !can || b === r.less && r.now <= 0 ||
					b === r.more && r.now >= 7;
				b.title = can ? '' : why();
			}
		}
		if (c.order !== String(order)) {
			c.order = String(order);
			c.body.append(...list.map(t => c.rows.get(t.topic).root));
		}
		for (const [name, r] of c.rows)
			if (!keep.has(name)) {
				r.root.remove();
				c.rows.delete(name);
			}
		text(c.why, can ? 'Priority 0 to 7: higher is served first. ' +
			'Focus: before all others.' : why());
	}

	function draw() {
		const shown = $('link-list').clientWidth > 0;
		sayTop();
		if (!shown)
			return;
		$('link-none').hidden = Store.links.size > 0;
		for (const [source, l] of Store.links) {
			const c = cards.get(source) || build(source), [look, words] = state(source);
			text(c.title, words);
			c.root.dataset.look = look;
			FACTS.forEach((f, i) => text(c.values[i], f[1](l.link)));
			curve(c.curve, l.rates);
			drawTopics(c, source, l);
		}
	}

	/* One chip for each robot */
	function sayTop() {
		const sources = [...new Set([...Store.topics.values()].map(t => t.source))];
		const box = $('links-top');
		while (box.children.length > sources.length)
			box.lastChild.remove();
		while (box.children.length < sources.length)
			box.append(el('span', { className: 'chip' }, el('b'), ' ', el('span'),
				el('span', { className: 'more' })));
		sources.forEach((s, i) => {
			const chip = box.children[i], [look, words] = state(s);
			const l = Store.links.get(s);
			if (chip.dataset.look !== look)
				chip.dataset.look = look;
			text(chip.children[0], s);
			text(chip.children[1], words);
			text(chip.children[2], l && look !== 'disconnected' && look !== 'stale' ?
				' \u00b7 ' + rate(l.link.rate) + ' \u00b7 ' + FACTS[1][1](l.link) +
				' loss \u00b7 ' + age(1000 * l.link.round_trip) : '');
		});
	}

	function start() {
		Frame.add('link', draw, 200);
		Store.on('link topics connection state', () => Frame.mark('link'));
		setInterval(() => document.hidden || sayTop(), 250);
	}

	return { start };
})();
