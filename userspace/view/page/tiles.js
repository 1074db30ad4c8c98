// SPDX-License-Identifier: GPL-2.0-only
/*
 * tiles.js - gdimd's maps as tiles: fetched with the token, kept by revision,
 * and the hottest place of what is measured
 */
'use strict';

const Tiles = (() => {
	const SIDE = 256, MOST = 400, AT_ONCE = 6, LEVELS = 6;
	const cache = new Map();	/* name z x y: bitmap, revision */
	let queue = [], running = 0, drawing = 0;

	async function load(entry) {
		running++;
		entry.loading = true;
		const revision = entry.wanted;
		try {
			const r = await fetch('/gdim/layers/' + encodeURIComponent(entry.name) +
				'/tiles/' + entry.z + '/' + entry.x + '/' + entry.y + '.png',
				{ headers: Connection.headers() });
			if (!r.ok)
				throw new Error(r.status + ' of layer ' + entry.name);
			const bitmap = await createImageBitmap(await r.blob());
			entry.bitmap?.close();
			entry.bitmap = bitmap;
			entry.revision = revision;
			Frame.mark('map');
		} catch (e) {
			entry.retry = performance.now() + 3000;
		}
		entry.loading = false;
		running--;
		next();
	}

	/* What went off the screen while it waited is not asked for */
	function next() {
		while (running < AT_ONCE && queue.length) {
			const entry = queue.shift();
			if (!entry.loading && entry.seen >= drawing - 1)
				load(entry);
		}
	}

	function trim() {
		if (cache.size <= MOST)
			return;
		for (const [key, entry] of [...cache].sort((a, b) => a[1].seen - b[1].seen)
			.slice(0, cache.size - MOST)) {
			entry.bitmap?.close();
			cache.delete(key);
		}
	}

	const key = (l, z, x, y) => l.name + ' ' + z + ' ' + x + ' ' + y;

	function entryOf(l, z, x, y) {
		const k = key(l, z, x, y);
		let entry = cache.get(k);
		if (!entry)
			cache.set(k, entry = { name: l.name, z, x, y, bitmap: null, revision: null,
				seen: 0, retry: 0 });
		entry.seen = drawing;
		entry.wanted = l.revision;
		if (entry.revision !== l.revision && !entry.loading &&
		    performance.now() > entry.retry)
			queue.push(entry);
		return entry;
	}

	/* A part of a coarser tile until the fine one is there */
	function coarser(pen, l, z, x, y, box) {
		for (let up = 1; up <= LEVELS; up++) {
			const n = 2 ** up, px = Math.floor(x / n), py = Math.floor(y / n);
			const e = cache.get(key(l, z - up, px, py));
			if (!e?.bitmap)
				continue;
			const part = SIDE / n;
			pen.drawImage(e.bitmap, (x - px * n) * part, (y - py * n) * part,
				part, part, ...box);
			return;
		}
	}

	/* @view: toX, toY, x0, y0, x1, y1 (m), scale (px of the screen per m) */
	function draw(pen, l, view) {
		const best = Math.ceil(Math.log2(view.scale * l.resolution) - .4);
		const z = Math.max(-6, Math.min(6, best));
		const m = SIDE * l.resolution / 2 ** z;
		const x0 = Math.max(view.x0, l.bounds[0]), x1 = Math.min(view.x1, l.bounds[2]);
		const y0 = Math.max(view.y0, l.bounds[1]), y1 = Math.min(view.y1, l.bounds[3]);
		if (x0 >= x1 || y0 >= y1)
			return;
		/* cells stay cells when they are large */
		pen.imageSmoothingEnabled = view.scale * l.resolution < 2 ** z;
		for (let x = Math.floor(x0 / m); x < x1 / m; x++)
			for (let y = Math.floor(-y1 / m); y < -y0 / m; y++) {
				const e = entryOf(l, z, x, y);
				const left = Math.round(view.toX(x * m));
				const top = Math.round(view.toY(-y * m));
				const box = [left, top, Math.round(view.toX((x + 1) * m)) - left,
					Math.round(view.toY(-(y + 1) * m)) - top];
				if (e.bitmap)
					pen.drawImage(e.bitmap, ...box);
				else
					coarser(pen, l, z, x, y, box);
			}
	}

	function begin() {
		drawing++;
		queue = [];
	}

	function finish() {
		next();
		trim();
	}

	return { begin, draw, finish };
})();

/*
 * The hottest place of all temperatures, also of those that are not drawn:
 * gdimd finds it, and is asked once for each revision
 */
const Hottest = (() => {
	const REST = 5000;
	let busy = false, soon = 0;
	const known = new Map();	/* name: revision, x, y, part */

	async function look(l) {
		const r = await fetch('/gdim/layers/' + encodeURIComponent(l.name) + '/peaks',
			{ headers: Connection.headers() });
		if (!r.ok)
			return;
		const m = (await r.json()).maximum;
		known.set(l.name, m ? { revision: l.revision, x: m.x, y: m.y,
			part: m.value / Layers.full(l) } : { revision: l.revision, part: -1 });
		Frame.mark('map');
	}

	async function update() {
		clearTimeout(soon);
		if (busy)
			return;
		busy = true;
		for (const l of Store.layers)
			if (l.role === 'temperature' && l.bounds &&
			    known.get(l.name)?.revision !== l.revision)
				await look(l).catch(() => {});
		busy = false;
	}

	/* Return: layer, x, y, part of its range; or null */
	function place() {
		let best = null;
		for (const l of Store.layers) {
			const k = known.get(l.name);
			/* layers may have other ranges */
			const heat = k && k.part >= 0 ? Layers.value(l, k.part) : null;
			if (heat !== null && (!best || heat > best.heat))
				best = { l, heat, ...k };
		}
		return best;
	}

	/* A map that changes all the time is not read all the time */
	function start() {
		Store.on('layers', () => {
			clearTimeout(soon);
			soon = setTimeout(update, known.size ? REST : 200);
		});
	}

	return { start, update, place };
})();
