// SPDX-License-Identifier: GPL-2.0-only
/*
 * cameras.js - a picture for each image topic, and how old it is. A picture
 * that stands still must never look as if it were live
 */
'use strict';

const Cameras = (() => {
	const { $, el, text, age, duration, clock } = Util;
	const ASPECT = 4 / 3;
	const SILENT = 1500;	/* ms without a picture here, whatever the server says */
	const tiles = new Map();	/* id: tile */
	const visible = new Set();
	let big = null;

	const watch = new IntersectionObserver(entries => {
		for (const e of entries)
			visible[e.isIntersecting ? 'add' : 'delete'](+e.target.dataset.id);
		Main.want();
	});

	/*
	 * One picture is decoded at a time for each camera; of those that came
	 * meanwhile the newest is next. A camera that hangs holds up no other
	 */
	async function decode(tile) {
		while (tile.next) {
			const m = tile.next, done = tile.done;
			tile.next = tile.done = null;
			try {
				const bitmap = await createImageBitmap(new Blob([m.file]));
				tile.ready?.bitmap.close();
				tile.readyDone?.();
				tile.ready = { m, bitmap };
				tile.readyDone = done;
				tile.broken = false;
				Frame.mark('cameras');
			} catch (e) {
				tile.broken = true;
				done?.();
				label(tile);
			}
		}
		tile.busy = false;
	}

	function show(tile, m, done) {
		tile.done?.();
		tile.next = m;
		tile.done = done;
		if (!tile.busy) {
			tile.busy = true;
			decode(tile);
		}
	}

	/* What is drawn may belong to another time than what was wished meanwhile */
	function draw() {
		for (const tile of tiles.values()) {
			if (!tile.ready)
				continue;
			const { m, bitmap } = tile.ready;
			if (tile.canvas.width !== bitmap.width ||
			    tile.canvas.height !== bitmap.height) {
				tile.canvas.width = bitmap.width;
				tile.canvas.height = bitmap.height;
			}
			tile.canvas.getContext('2d').drawImage(bitmap, 0, 0);
			bitmap.close();
			tile.drawn = m;
			tile.ready = null;
			tile.readyDone?.();
			tile.readyDone = null;
			label(tile);
		}
	}

	function taken(m) {
		/* the replay jumped: what is drawn belongs to another time */
		if (m === null) {
			tiles.forEach(tile => {
				tile.drawn = null;
				label(tile);
			});
			return;
		}
		const tile = tiles.get(m.id);
		if (!tile || m.type !== 1)
			return;
		if (!Store.past)
			show(tile, m, m.claim());
	}

	/* The cursor found something, or the page is live again */
	function refresh() {
		for (const [id, tile] of tiles) {
			const m = Store.shown(id);
			tile.none = !m;
			if (m?.file && m !== tile.drawn)
				show(tile, m, null);
			label(tile);
		}
	}

	/*
	 * What a tile says: its look, where it is on the way, and its age
	 */
	const LACKS = { X: 'lost', E: 'still expected', K: '', L: '', '.': '' };

	function pastLook(tile, id) {
		const at = Store.past.time, m = Store.past.got.get(id);
		const here = Store.at(id, Math.floor(at / Store.slot()));
		if (!m)
			return ['unknown', 'nothing known at ' + clock(at), ''];
		/* here the picture of then is missing: what is shown is an earlier one */
		const lacks = at - m.t > Store.slot() && LACKS[here];
		return [(m.kept ? 'past kept' : 'past') + (lacks ? ' lacking' : ''),
			lacks ? lacks + ', last ' + (m.kept ? 'kept ' : '') +
				duration(at - m.t) + ' before' : m.kept ? 'kept' : '',
			clock(m.t, true)];
	}

	function liveLook(tile, id, topic) {
		const m = tile.drawn, old = m ? Store.now() - m.t : 0;
		const state = Store.stateOf(id);
		if (!Connection.connected())
			return [m ? 'disconnected' : 'unknown', 'page disconnected for ' +
				duration(Connection.forMs()), m ? age(old) : ''];
		if (tile.broken)
			return [m ? 'stale' : 'unknown', 'not a picture this browser can show',
				m ? age(old) : ''];
		if (!m)
			return ['unknown', (state === 'disconnected' ? 'no link, ' : '') +
				'nothing received yet', ''];
		if (state === 'disconnected') {
			const o = Store.outageNow(topic.source);
			return ['disconnected', 'no link for ' +
				duration(o ? Store.now() - o.begin : old), age(old)];
		}
		if (m.kept)
			return ['kept', 'kept, from ' + clock(m.t), age(old)];
		if (state === 'stale' || state === 'unknown' ||
		    old > Math.max(SILENT, 4000 / (topic.hz || 10)))
			return ['stale', 'stale ' + age(old), age(old)];
		return ['live', '', age(old)];
	}

	function label(tile) {
		const topic = Store.topics.get(tile.id);
		if (!topic)
			return;
		const [look, note, old] = Store.past ? pastLook(tile, tile.id) :
			liveLook(tile, tile.id, topic);
		if (tile.look !== look)
			tile.root.className = 'camera ' + (tile.look = look);
		text(tile.note, note);
		text(tile.age, old);
	}

	/*
	 * The grid: as many columns as make the pictures largest
	 */
	function arrange() {
		const box = $('cameras-grid'), n = tiles.size;
		const w = box.clientWidth, h = box.clientHeight;
		if (!n || !w)
			return;
		let best = 1, most = 0;
		for (let c = 1; c <= n; c++) {
			const rows = Math.ceil(n / c);
			const size = Math.min(w / c, h / rows * ASPECT);
			if (size > most + 1)
				[best, most] = [c, size];
		}
		if (most < 150)
			best = Math.max(1, Math.floor(w / 170));
		if (big !== null)
			best = Math.max(2, Math.min(n - 1, 5, Math.floor(w / 95)));
		/* what is scrolled has a height of its own, else rows share the box */
		const rows = Math.ceil(n / best);
		box.style.setProperty('--columns', best);
		box.style.setProperty('--row', big !== null ? 'auto' :
			most < 150 ? Math.round(w / best / ASPECT) + 'px' :
			'minmax(0, ' + Math.min(Math.floor(h / rows),
				Math.ceil(w / best / ASPECT * 1.15)) + 'px)');
		/* three: the first one gets what the row of the others leaves */
		const wide = n === 3 && best === 2 && big === null && most >= 150 &&
			h > w / ASPECT;
		box.style.gridTemplateRows = wide ? 'minmax(0, 1fr) var(--row)' : '';
		if (wide)
			box.style.setProperty('--row', Math.floor(w / 2 / ASPECT) + 'px');
		box.classList.toggle('wide-first', wide);
		box.classList.toggle('one-big', big !== null);
	}

	function enlarge(id) {
		big = big === id || tiles.size < 2 ? null : id;
		for (const [k, tile] of tiles) {
			tile.root.classList.toggle('big', k === big);
			tile.look = null;
			label(tile);
			tile.root.classList.toggle('big', k === big);
			tile.button.setAttribute('aria-pressed', k === big);
		}
		arrange();
		Main.want();
	}

	function add(topic) {
		const canvas = el('canvas', { width: 4, height: 3 });
		const tile = { id: topic.id, name: topic.name, canvas, look: null, drawn: null,
			next: null, done: null, ready: null, readyDone: null, busy: false,
			note: el('span', { className: 'note' }),
			age: el('span', { className: 'age' }) };
		tile.title = el('span', { className: 'name', textContent: topic.short,
			title: topic.name });
		tile.button = el('button', { type: 'button', className: 'enlarge' });
		tile.button.setAttribute('aria-label', 'Enlarge ' + topic.name);
		tile.button.setAttribute('aria-pressed', 'false');
		tile.button.addEventListener('click', () => enlarge(topic.id));
		tile.root = el('figure', { className: 'camera unknown', data: { id: topic.id } },
			canvas, tile.note, el('figcaption', {}, tile.title, tile.age), tile.button);
		tiles.set(topic.id, tile);
		watch.observe(tile.root);
	}

	function rebuild() {
		const list = Store.ofKind('image');
		for (const [id, tile] of tiles)
			if (Store.topics.get(id)?.name !== tile.name ||
			    Store.topics.get(id).kind !== 'image') {
				tile.done?.();
				tile.readyDone?.();
				watch.unobserve(tile.root);
				visible.delete(id);
				tiles.delete(id);
				if (big === id)
					big = null;
			}
		list.forEach(t => tiles.has(t.id) || add(t));
		const grid = $('cameras-grid');
		grid.replaceChildren(...list.map(t => tiles.get(t.id).root));
		list.forEach(t => text(tiles.get(t.id).title, t.short));
		$('cameras-none').hidden = list.length > 0;
		arrange();
		refresh();
	}

	/* Those on the screen; the enlarged one is the most important */
	function wanted() {
		return [...tiles.keys()].filter(id => visible.has(id))
			.sort((a, b) => (b === big) - (a === big));
	}

	function tick() {
		if (!document.hidden)
			tiles.forEach(label);
	}

	function start() {
		Frame.add('cameras', draw);
		Store.on('topics', rebuild);
		Store.on('message', taken);
		Store.on('past', refresh);
		Store.on('connection', tick);
		setInterval(tick, 100);
		new ResizeObserver(arrange).observe($('cameras-grid'));
	}

	return { start, wanted, enlarge, isBig: () => big !== null, shrink: () => enlarge(big) };
})();
