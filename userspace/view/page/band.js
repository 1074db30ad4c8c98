// SPDX-License-Identifier: GPL-2.0-only
/*
 * band.js - the time of every topic: what was live, kept, lost or is still
 * expected, with outages across all of it, and the cursor
 */
'use strict';

const Band = (() => {
	const { $, el, text, clock, duration, colour } = Util;
	const CLICK = 4;	/* px: a press that moves further is a drag */
	const LEAST = 5000;	/* ms on the screen */
	const EDGE = 8;		/* px right of now */
	const RECENT = 30000;	/* ms after an outage in which it is spoken of */
	const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
	const WORDS = { L: 'live', K: 'kept: it arrived late', X: 'lost',
		E: 'still expected', '.': 'nothing' };
	/* later ones are drawn over earlier ones where slots are narrower than a pixel */
	const ORDER = ['L', 'E', 'X', 'K'];
	let span = Util.kept('span', 120000), end = null;	/* end null: now */
	let rows = [], height = 18, hover = null, selected = null, width = 0;
	let now = 0, known = 0;	/* known: before now while the page is disconnected */
	let patterns = {};

	/*
	 * Places
	 */
	const right = () => end ?? now;
	const toX = t => width - EDGE - (right() - t) * (width - EDGE) / span;
	const toTime = x => right() - (width - EDGE - x) * span / (width - EDGE);

	function setView(newSpan, newEnd) {
		const longest = Math.max(60000, Store.slots() * Store.slot() * 1.05);
		span = Math.max(LEAST, Math.min(longest, newSpan));
		end = newEnd === null || newEnd >= now ? null :
			Math.max(newEnd, Store.oldest() + span * .1);
		Frame.now('band');
	}

	/* Round @x, or round the cursor, or round now */
	function zoom(factor, x) {
		const c = Store.cursor;
		const at = x !== undefined ? x : c !== null ? toX(c) : width - EDGE;
		const t = Math.min(toTime(at), right());
		const was = span;
		setView(span * factor, end);
		if (t < right() && was !== span)
			setView(span, t + (width - EDGE - at) * span / (width - EDGE));
	}

	function pan(dx) {
		setView(span, right() - dx * span / (width - EDGE));
	}

	function all() {
		setView((now - Store.oldest()) * 1.02, null);
	}

	/* The cursor must not leave the screen */
	function reveal(t) {
		if (toX(t) < 10 || toX(t) > width - EDGE)
			setView(span, t + span / 2);
	}

	/*
	 * Textures: one small picture each, in pixels of the screen
	 */
	function hatch(pen, name, lines) {
		const ratio = window.devicePixelRatio || 1, key = name + lines + ratio;
		if (patterns[key])
			return patterns[key];
		const n = 6 * Math.max(1, Math.round(ratio));
		const c = el('canvas', { width: n, height: n }), p = c.getContext('2d');
		p.strokeStyle = colour(name);
		p.lineWidth = n / 5;
		for (const d of [-n, 0, n]) {
			p.moveTo(d, lines ? n : 0);
			p.lineTo(d + n, lines ? 0 : n);
		}
		p.stroke();
		const pattern = pen.createPattern(c, 'repeat');
		pattern.setTransform(new DOMMatrix().scale(1 / ratio));
		return patterns[key] = pattern;
	}

	function drawRun(pen, c, x, w, y, h) {
		if (c === 'L') {
			pen.fillStyle = colour('live');
			pen.fillRect(x, y, w, h);
		} else if (c === 'K') {
			const top = y + Math.ceil(h / 2);
			pen.fillStyle = colour('kept');
			pen.fillRect(x, top, w, y + h - top);
			/* teeth above: also in grey it is not what is live */
			for (let k = Math.ceil(x / 4) * 4; k < x + w; k += 4)
				pen.fillRect(k, top - 3, 1.5, 3);
		} else if (c === 'X') {
			/* narrow ones side by side have one hatching */
			pen.fillStyle = hatch(pen, 'lost', true);
			pen.fillRect(x, y, w, h);
			pen.fillStyle = pen.strokeStyle = colour('lost');
			if (w >= 6)
				return pen.strokeRect(x + .5, y + .5, w - 1, h - 1);
			pen.fillRect(x, y, w, 1);
			pen.fillRect(x, y + h - 1, w, 1);
		} else {
			pen.strokeStyle = pen.fillStyle = colour('expected');
			if (w < 4) {
				for (let k = y; k < y + h; k += 4)
					pen.fillRect(x, k, w, 2);
				return;
			}
			pen.setLineDash([2, 2]);
			pen.strokeRect(x + .5, y + .5, w - 1, h - 1);
			pen.setLineDash([]);
		}
	}

	/* Runs of equal slots, in order of importance */
	function drawRow(pen, id, y) {
		const s = Store.slot(), runs = { L: [], K: [], X: [], E: [] };
		const from = Math.floor(toTime(0) / s);
		const to = Math.floor(Math.min(right() + span * .01, now) / s);
		let start = from, was = '.';
		for (let n = from; n <= to + 1; n++) {
			const c = n <= to ? Store.at(id, n) : '.';
			if (c === was)
				continue;
			if (was !== '.')
				runs[was]?.push([start, n]);
			start = n;
			was = c;
		}
		for (const c of ORDER)
			for (const [a, b] of runs[c]) {
				const x = Math.max(-4, toX(a * s));
				const w = Math.min(toX(b * s), toX(now)) - x;
				if (w > 0)
					drawRun(pen, c, x, Math.max(1, w), y + 2, height - 5);
			}
	}

	/*
	 * Outages and the axis
	 */
	const whose = o => rows.some(t => t.source !== o.source) ? o.source + ': ' : '';

	function drawOutages(pen, axis) {
		pen.fillStyle = colour('outage');
		for (const o of Store.outages) {
			const x = toX(o.begin), w = toX(o.end ?? known) - x;
			if (x > width || x + w < 0)
				continue;
			rows.forEach((t, i) => t.source === o.source &&
				pen.fillRect(x, i * height, Math.max(2, w), height));
			axis.fillStyle = colour('outage-bar');
			axis.fillRect(x, 0, Math.max(2, w), 15);
			const left = Math.max(x, 0), seen = Math.min(x + w, width) - left;
			const long = duration((o.end ?? known) - o.begin);
			axis.fillStyle = colour('on-outage');
			for (const words of [whose(o) + 'no link ' + long, 'no link ' + long, long])
				if (seen > axis.measureText(words).width + 8) {
					axis.fillText(words, left + 4, 11);
					break;
				}
		}
	}

	/* Nobody told this page anything since */
	function drawUnknown(pen, axis) {
		const x = Math.max(0, toX(known)), w = toX(now) - x;
		if (known === now || w < 2)
			return;
		pen.fillStyle = axis.fillStyle = hatch(pen, 'line', false);
		pen.fillRect(x, 0, w, rows.length * height);
		axis.fillRect(x, 0, w, 15);
		axis.fillStyle = colour('text');
		if (w > axis.measureText('page disconnected').width + 8)
			axis.fillText('page disconnected', x + 4, 11);
	}

	function drawEdge(pen, source, x) {
		rows.forEach((r, i) => r.source === source &&
			pen.fillRect(x - .75, i * height, 1.5, height));
	}

	/* Over what is in the bands: where the outage begins and ends */
	function drawEdges(pen) {
		pen.fillStyle = colour('outage-bar');
		for (const o of Store.outages)
			for (const t of [o.begin, o.end])
				if (t !== null)
					drawEdge(pen, o.source, toX(t));
	}

	function drawAxis(axis, pen) {
		const wish = span / Math.max(2, width / 90) / 1000;
		const step = (STEPS.find(s => s >= wish) || 7200) * 1000;
		const zone = new Date(right()).getTimezoneOffset() * 60000;
		axis.font = '11px ' + getComputedStyle(document.body).fontFamily;
		for (let t = Math.ceil((toTime(0) - zone) / step) * step + zone;
		     t <= right(); t += step) {
			const x = toX(t);
			axis.fillStyle = pen.fillStyle = colour('grid');
			axis.fillRect(x, 15, 1, 5);
			pen.fillRect(x, 0, 1, rows.length * height);
			axis.fillStyle = colour('dim');
			const words = step < 60000 ? clock(t) : clock(t).slice(0, 5);
			const w = axis.measureText(words).width;
			if (x - w / 2 > 0 && x + w / 2 < width - (end === null ? 38 : 0))
				axis.fillText(words, x - w / 2, 31);
		}
		if (end === null) {
			axis.fillStyle = colour('text');
			axis.fillText('now', width - 30, 31);
			axis.fillRect(width - EDGE, 15, 1.5, 5);
		}
	}

	function drawCursor(axis, pen) {
		const c = Store.cursor;
		if (hover !== null) {
			pen.fillStyle = colour('dim');
			pen.fillRect(hover, 0, 1, rows.length * height);
		}
		if (c === null)
			return;
		const x = toX(c);
		pen.fillStyle = axis.fillStyle = colour('cursor');
		pen.fillRect(x - 1, 0, 2, rows.length * height);
		const words = clock(c, true), w = axis.measureText(words).width + 10;
		const left = Math.max(0, Math.min(width - w, x - w / 2));
		axis.fillRect(left, 17, w, 17);
		axis.fillStyle = colour('on-cursor');
		axis.fillText(words, left + 5, 30);
	}

	function draw() {
		const canvas = $('band-canvas');
		now = Store.now();
		known = Store.known();
		width = canvas.clientWidth;
		if (!width)
			return;
		const pen = Util.sized(canvas), axis = Util.sized($('band-axis'));
		drawAxis(axis, pen);
		drawOutages(pen, axis);
		rows.forEach((t, i) => {
			pen.fillStyle = colour('grid');
			pen.fillRect(0, (i + 1) * height - 1, width, 1);
			drawRow(pen, t.id, i * height);
		});
		drawEdges(pen);
		drawUnknown(pen, axis);
		if (selected !== null) {
			const i = rows.findIndex(t => t.id === selected);
			pen.strokeStyle = colour('cursor');
			if (i >= 0)
				pen.strokeRect(-2, i * height + .5, width + 4, height - 1);
		}
		drawCursor(axis, pen);
		sayCursor(canvas);
	}

	function sayCursor(canvas) {
		const c = Store.cursor;
		canvas.setAttribute('aria-valuemin', Math.round(Store.oldest() / 1000));
		canvas.setAttribute('aria-valuemax', Math.round(now / 1000));
		canvas.setAttribute('aria-valuenow', Math.round((c ?? now) / 1000));
		canvas.setAttribute('aria-valuetext', c === null ? 'live' :
			Util.age(now - c) + ' ago, ' + clock(c));
	}

	/*
	 * Names beside the bands
	 */
	const MARKS = { live: '\u25cf', stale: '\u25d1', disconnected: '\u2715',
		unknown: '\u25cb' };

	function rebuild() {
		rows = [...Store.topics.values()];
		if (!rows.some(t => t.id === selected))
			selected = null;
		$('band-names').replaceChildren(...rows.map(t => {
			const b = el('button', { type: 'button', data: { id: t.id } },
				el('span', { className: 'mark' }),
				el('span', { className: 'topic' },
					el('bdi', { textContent: t.short })),
				el('span', { className: 'hz' }));
			b.addEventListener('click', () => {
				selected = selected === t.id ? null : t.id;
				sayStates();
				Frame.mark('band');
			});
			return b;
		}));
		measure();
		sayStates();
	}

	function measure() {
		const first = $('band-names').firstElementChild;
		height = first ? first.offsetHeight : 18;
		$('band-canvas').style.height = Math.max(1, rows.length) * height + 'px';
		patterns = {};
		Frame.mark('band');
	}

	function sayStates() {
		for (const b of $('band-names').children) {
			const id = +b.dataset.id, t = Store.topics.get(id);
			const s = Store.states.get(id), state = Store.stateOf(id);
			b.className = state;
			text(b.children[0], MARKS[state]);
			const hz = s?.hz ?? t.hz;
			text(b.children[2], state === 'live' && hz ? Util.number(hz, 2) + ' Hz' :
				state === 'live' ? '' : state === 'disconnected' ? 'no link' :
				state === 'unknown' ? 'none' : state);
			Util.attribute(b, 'aria-pressed', String(selected === id));
			Util.attribute(b, 'title', t.name + ' of ' + t.source + ': ' + state +
				(s ? '; messages: ' + s.live + ' live, ' + s.kept + ' kept, ' +
				 s.lost + ' lost' : '') +
				'. Click: arrow keys step through this topic only');
		}
	}

	/*
	 * Words below the pointer
	 */
	/* Of one topic or of all */
	function outageWords(o, id) {
		const n = Store.countIn(o, id), all = n.K + n.X + n.E;
		const part = [[n.K, 'kept'], [n.X, 'lost'], [n.E, 'still expected']]
			.filter(([k]) => k).map(([k, w]) => Math.round(100 * k / all) + ' % ' + w);
		return whose(o) + (o.end === null ? 'No link for ' : 'Outage of ') +
			duration((o.end ?? known) - o.begin) + ' from ' + clock(o.begin) +
			(part.length ? ': ' + part.join(', ') : '');
	}

	function outageAt(t) {
		return Store.outages.find(o => t >= o.begin && t <= (o.end ?? known));
	}

	function readout(x, y) {
		const t = toTime(x), row = rows[Math.floor(y / height)];
		const o = outageAt(t);
		if (!row && !o)
			return clock(t, true);
		return !row ? outageWords(o) : clock(t, true) + ' ' + row.short + ': ' +
			WORDS[Store.at(row.id, Math.floor(t / Store.slot()))] +
			(o && o.source === row.source ? '. ' + outageWords(o, row.id) : '');
	}

	function say() {
		const c = Store.cursor;
		const o = c !== null && outageAt(c);
		const last = Store.outages.reduce((a, p) => !a || p.begin > a.begin ? p : a, null);
		/* the last one is of interest as long as something of it may come */
		const fresh = last && c === null && (last.end === null || now - last.end < RECENT ||
			Store.countIn(last).E);
		text($('band-words'), o ? outageWords(o) : !fresh ? '' : outageWords(last) +
			(last.end === null ? '' : '. Press [ to see what was kept'));
	}

	/*
	 * Steps of the cursor: @way is 1 or -1
	 */
	function step(way) {
		const s = Store.slot(), from = Store.cursor ?? Store.now();
		const ids = selected === null ? rows.map(t => t.id) : [selected];
		let n = Math.floor(from / s) + way;
		for (let k = 0; k < Store.slots(); k++, n += way)
			if (ids.some(id => 'LK'.includes(Store.at(id, n))))
				break;
		const t = (n + 1) * s - 1;
		set(t < Store.oldest() || Math.abs(t - from) > Store.slots() * s ?
			from + way * 500 : t);
	}

	function outage(way) {
		const from = Store.cursor ?? Store.now() + 1;
		const begins = Store.outages.map(o => o.begin).sort((a, b) => a - b);
		/* just inside, so that the outage, not what was before it, is shown */
		const inside = begins.map(t => t + Store.slot());
		/* after the last one there is now */
		const to = way > 0 ? inside.find(t => t > from + 1) :
			inside.reverse().find(t => t < from - 1);
		if (to !== undefined)
			set(to);
		else if (way > 0)
			live();
	}

	function set(t) {
		Store.setCursor(t);
		if (Store.cursor !== null)
			reveal(Store.cursor);
		else
			setView(span, null);
	}

	function live() {
		Store.setCursor(null);
		setView(span, null);
	}

	/*
	 * Fingers and mouse: a drag in the bands moves the cursor, one on the axis
	 * or with Shift moves the time; two fingers zoom
	 */
	const fingers = new Map();
	let before = null;	/* the cursor before the first finger came down */

	function place(e) {
		const box = $('band-canvas').getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	}

	function down(e) {
		if (e.button)
			return;
		const p = place(e), axis = e.currentTarget.id === 'band-axis';
		if (e.isTrusted)
			e.currentTarget.setPointerCapture(e.pointerId);
		fingers.set(e.pointerId, { ...p, pans: axis || e.shiftKey, begin: p.x });
		if (fingers.size === 1) {
			before = Store.cursor;
			if (!axis && !e.shiftKey)
				set(toTime(p.x));
		} else {
			/* two fingers zoom: the first was not meant as a cursor */
			Store.setCursor(before);
			fingers.forEach(f => Object.assign(f, { pans: true, begin: NaN }));
		}
	}

	function move(e) {
		const p = place(e), was = fingers.get(e.pointerId);
		hover = e.pointerType === 'mouse' && !was ? p.x : null;
		if (hover !== null && e.currentTarget.id === 'band-canvas')
			text($('band-words'), readout(p.x, p.y));
		Frame.now('band');
		if (!was)
			return;
		if (fingers.size === 2) {
			const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
			const wide = Math.abs(was.x - other.x), next = Math.abs(p.x - other.x);
			pan((p.x - was.x) / 2);
			if (wide > 10 && next > 10)
				zoom(wide / next, (p.x + other.x) / 2);
		} else if (was.pans) {
			pan(p.x - was.x);
		} else {
			set(Math.max(toTime(0), toTime(p.x)));
		}
		Object.assign(was, p);
	}

	function up(e) {
		const was = fingers.get(e.pointerId);
		fingers.delete(e.pointerId);
		/* a click on the axis, not a drag: the cursor there */
		if (was?.pans && e.type === 'pointerup' && Math.abs(was.begin - was.x) < CLICK)
			set(toTime(was.x));
	}

	function wheel(e) {
		e.preventDefault();
		const lines = e.deltaMode ? 30 : 1;
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan(-(e.deltaX || e.deltaY) * lines);
		else
			zoom(Math.exp(Math.max(-200, Math.min(200, e.deltaY * lines)) * .003),
				place(e).x);
	}

	function start() {
		Frame.add('band', draw, 150);
		for (const c of [$('band-canvas'), $('band-axis')]) {
			c.addEventListener('pointerdown', down);
			c.addEventListener('pointermove', move);
			c.addEventListener('pointerup', up);
			c.addEventListener('pointercancel', up);
			c.addEventListener('pointerleave', () => {
				hover = null;
				say();
				Frame.mark('band');
			});
			c.addEventListener('wheel', wheel, { passive: false });
		}
		Store.on('topics', rebuild);
		Store.on('state connection', sayStates);
		Store.on('cursor band', () => {
			if (hover === null)
				say();
			Frame.mark('band');
		});
		Store.on('cursor', () => Frame.now('band'));
		new ResizeObserver(measure).observe($('band-rows'));
		$('band-in').addEventListener('click', () => zoom(1 / 1.6));
		$('band-out').addEventListener('click', () => zoom(1.6));
		$('band-all').addEventListener('click', all);
		$('step-before').addEventListener('click', () => step(-1));
		$('step-after').addEventListener('click', () => step(1));
		$('outage-before').addEventListener('click', () => outage(-1));
		$('outage-after').addEventListener('click', () => outage(1));
		window.addEventListener('pagehide', () => Util.keep('span', span));
		/* time goes on without messages too */
		setInterval(() => document.hidden || Frame.mark('band'),
			matchMedia('(prefers-reduced-motion: reduce)').matches ? 1000 : 250);
	}

	/* The first slot that is known has ended then */
	function first() {
		set(Store.oldest() + Store.slot() - 1);
	}

	return { start, zoom, all, step, outage, first, live };
})();
