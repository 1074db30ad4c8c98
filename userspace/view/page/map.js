// SPDX-License-Identifier: GPL-2.0-only
/*
 * map.js - the map: layers, rooms, track, robot, scan, the hottest place, and
 * what is below the pointer
 */
'use strict';

const MapView = (() => {
	const { $, el, text, digits, number, colour } = Util;
	const CLICK = 4, LEAST = .5, MOST = 4000;	/* px; px per m */
	const RECENT = 15000;	/* ms of the track that are drawn bold */
	const GAP = 3000;	/* ms between two places: the way is not known */
	const view = { x: 0, y: 0, scale: 30 };	/* middle in m, px of CSS per m */
	const show = { rooms: true, track: true, scan: true, hottest: true,
		...Util.kept('map shows', {}) };
	const grids = new Map();	/* id: message, canvas */
	let moved = false, follow = false, pointer = null, pinned = null, canvas, pen;
	let spot = null, spotAsked = '', spotBusy = false;

	/* Half the canvas: asking the document for each point is slow */
	let halfX = 0, halfY = 0;
	const toX = x => halfX + (x - view.x) * view.scale;
	const toY = y => halfY - (y - view.y) * view.scale;
	const fromX = px => view.x + (px - halfX) / view.scale;
	const fromY = py => view.y - (py - halfY) / view.scale;

	const time = () => Store.past ? Store.past.time : Store.now();
	const sources = () => [...new Set([...Store.topics.values()].map(t => t.source))];

	/*
	 * Map topics: unpacked once, drawn as pictures of a pixel per cell
	 */
	async function unpack(m) {
		const stream = new Blob([m.packed]).stream()
			.pipeThrough(new DecompressionStream('deflate'));
		const cells = new Int8Array(await new Response(stream).arrayBuffer());
		const c = el('canvas', { width: m.width, height: m.height });
		const p = c.getContext('2d'), image = p.createImageData(m.width, m.height);
		const out = new Uint32Array(image.data.buffer);
		for (let y = 0; y < m.height; y++)
			for (let x = 0; x < m.width; x++) {
				const v = cells[(m.height - 1 - y) * m.width + x];
				const g = v < 0 ? 0 : Math.round(254 - 2.34 * v);
				out[y * m.width + x] = v < 0 ? 0 :
					0xff000000 | g << 16 | g << 8 | g;
			}
		p.putImageData(image, 0, 0);
		return { m, cells, c };
	}

	function grid(topic) {
		const m = Store.shown(topic.id), g = grids.get(topic.id);
		if (m?.packed && m !== g?.m && m !== g?.coming) {
			const entry = g || {};
			entry.coming = m;
			grids.set(topic.id, entry);
			unpack(m).then(done => {
				if (entry.coming === m)
					Object.assign(entry, done);
				if (!moved)
					fit();
				Frame.mark('map');
			}).catch(e => console.error('map', topic.name, e));
		}
		return m ? grids.get(topic.id) : null;
	}

	function drawGrid(topic) {
		const g = grid(topic);
		if (!g?.c)
			return;
		pen.save();
		pen.globalAlpha = Layers.opacity(topic.name);
		pen.imageSmoothingEnabled = view.scale * g.m.resolution < 1;
		pen.translate(toX(g.m.x), toY(g.m.y));
		pen.rotate(-g.m.yaw);
		const k = g.m.resolution * view.scale;
		pen.drawImage(g.c, 0, -g.m.height * k, g.m.width * k, g.m.height * k);
		pen.restore();
	}

	/*
	 * Rooms, track, robot, scan
	 */
	function outline(points) {
		pen.beginPath();
		for (let i = 0; i + 1 < points.length; i += 2)
			pen[i ? 'lineTo' : 'moveTo'](toX(points[i]), toY(points[i + 1]));
		pen.closePath();
	}

	/* Readable on any colour: a rim of the other lightness */
	function words(s, x, y, ink = colour('map-text')) {
		pen.lineWidth = 3;
		pen.lineJoin = 'round';
		pen.strokeStyle = colour('map-rim');
		pen.strokeText(s, x, y);
		pen.fillStyle = ink;
		pen.fillText(s, x, y);
	}

	function drawRooms() {
		pen.textAlign = 'center';
		pen.font = '600 13px ' + getComputedStyle(canvas).fontFamily;
		for (const r of Store.rooms) {
			outline(r.outline || []);
			pen.lineWidth = 1.5;
			pen.strokeStyle = colour('room');
			pen.stroke();
		}
		for (const r of Store.rooms)
			if (r.at && view.scale > 4)
				words(r.name || 'room ' + r.id, toX(r.at[0]), toY(r.at[1]));
		pen.textAlign = 'left';
	}

	/* Where nothing is known of the way between two points it is dashed */
	function line(points, from, to) {
		const gaps = [];
		let lx = NaN, ly = NaN;
		pen.beginPath();
		for (let i = from; i < to; i++) {
			const x = toX(points[i][1]), y = toY(points[i][2]);
			const gap = i > from && points[i][0] - points[i - 1][0] > GAP;
			/* points within a pixel add nothing */
			if (Math.abs(x - lx) < 1 && Math.abs(y - ly) < 1 && i < to - 1 && !gap)
				continue;
			if (gap)
				gaps.push(i);
			pen[i === from || gap ? 'moveTo' : 'lineTo'](x, y);
			[lx, ly] = [x, y];
		}
		pen.stroke();
		if (!gaps.length)
			return;
		const wide = pen.lineWidth;
		pen.lineWidth = Math.min(wide, 2);
		pen.setLineDash([2, 5]);
		pen.beginPath();
		for (const i of gaps) {
			pen.moveTo(toX(points[i - 1][1]), toY(points[i - 1][2]));
			pen.lineTo(toX(points[i][1]), toY(points[i][2]));
		}
		pen.stroke();
		pen.setLineDash([]);
		pen.lineWidth = wide;
	}

	function drawTrack(source) {
		const points = Store.tracks.get(source)?.points || [], t = time();
		let now = points.length;
		while (now && points[now - 1][0] > t)
			now--;
		let recent = now;
		while (recent && points[recent - 1][0] > t - RECENT)
			recent--;
		pen.lineJoin = 'round';
		for (const [ink, wide] of [['map-rim', 4], ['track', 2]]) {
			pen.strokeStyle = colour(ink);
			pen.lineWidth = wide;
			line(points, 0, now);
		}
		pen.lineWidth = 4;
		line(points, Math.max(0, recent - 1), now);
		/* after the cursor: what was not known then */
		pen.lineWidth = 1.5;
		pen.globalAlpha = .45;
		line(points, Math.max(0, now - 1), points.length);
		pen.globalAlpha = 1;
	}

	function drawRobot(source) {
		const p = Store.placeAt(source, time());
		if (!p)
			return;
		const gone = !Store.past && (!Connection.connected() || Store.outageNow(source));
		pen.save();
		pen.translate(toX(p[1]), toY(p[2]));
		pen.rotate(-p[3]);
		const k = Math.max(11, Math.min(30, .35 * view.scale));
		pen.beginPath();
		pen.moveTo(k, 0);
		pen.lineTo(-.75 * k, .7 * k);
		pen.lineTo(-.4 * k, 0);
		pen.lineTo(-.75 * k, -.7 * k);
		pen.closePath();
		pen.lineWidth = 2.5;
		pen.setLineDash(gone ? [3, 3] : []);
		pen.strokeStyle = gone ? colour('map-text') : '#fff';
		pen.fillStyle = gone ? colour('map-gone') : colour('robot');
		pen.fill();
		pen.stroke();
		pen.restore();
		const old = time() - p[0];
		pen.font = '600 12px ' + getComputedStyle(canvas).fontFamily;
		const name = sources().length > 1 ? source : '';
		const late = gone || old > 2000 ?
			Util.age(old) + (Store.past ? ' before' : ' ago') : '';
		if (name || late)
			words([name, late].filter(s => s).join(', '), toX(p[1]) + k + 4,
				toY(p[2]) - k / 2);
	}

	function drawScan(topic) {
		const m = Store.shown(topic.id);
		if (m?.type !== 2)
			return;
		const p = Number.isFinite(m.x) ? [0, m.x, m.y, m.yaw] :
			Store.placeAt(topic.source, m.t);
		if (!p)
			return;
		const late = !Store.past && Store.now() - m.t > 2000;
		pen.fillStyle = colour(late ? 'map-gone' : 'scan');
		const size = Math.max(2.5, Math.min(5, view.scale * .04));
		for (let i = 0; i < m.ranges.length; i++) {
			const r = m.ranges[i], a = p[3] + m.first + i * m.step;
			if (r > 0 && r < Infinity)
				pen.fillRect(toX(p[1] + r * Math.cos(a)) - size / 2,
					toY(p[2] + r * Math.sin(a)) - size / 2, size, size);
		}
	}

	function drawHottest() {
		const h = Hottest.place();
		if (!h)
			return;
		const x = toX(h.x), y = toY(h.y);
		for (const [ink, wide] of [['map-rim', 5], ['hot', 2.5]]) {
			pen.strokeStyle = colour(ink);
			pen.lineWidth = wide;
			pen.beginPath();
			pen.arc(x, y, 9, 0, 7);
			pen.moveTo(x - 14, y);
			pen.lineTo(x - 5, y);
			pen.moveTo(x + 5, y);
			pen.lineTo(x + 14, y);
			pen.stroke();
		}
		pen.font = '600 13px ' + getComputedStyle(canvas).fontFamily;
		words('hottest: ' + Layers.words(h.l, h.part), x + 16, y - 8, colour('hot'));
	}

	function drawScale() {
		const most = Math.min(160, canvas.clientWidth / 3) / view.scale;
		const ten = 10 ** Math.floor(Math.log10(most));
		const m = [5, 2, 1].map(k => k * ten).find(k => k <= most), w = m * view.scale;
		const x = canvas.clientWidth - w - 14, y = canvas.clientHeight - 12;
		pen.fillStyle = colour('map-rim');
		pen.fillRect(x - 8, y - 24, w + 16, 32);
		pen.fillStyle = colour('map-text');
		pen.fillRect(x, y, w, 2);
		pen.fillRect(x, y - 5, 2, 7);
		pen.fillRect(x + w - 2, y - 5, 2, 7);
		pen.font = '12px ' + getComputedStyle(canvas).fontFamily;
		pen.textAlign = 'center';
		pen.fillText(number(m) + ' m', x + w / 2, y - 9);
		pen.textAlign = 'left';
	}

	function draw() {
		canvas = $('map-canvas');
		if (!canvas.clientWidth)
			return;
		const robot = follow && Store.placeAt(sources()[0], time());
		if (robot)
			[view.x, view.y] = [robot[1], robot[2]];
		pen = Util.sized(canvas);
		Tiles.begin();
		Layers.maps().forEach(drawGrid);
		const window_ = { toX, toY, x0: fromX(0), y0: fromY(canvas.clientHeight),
			x1: fromX(canvas.clientWidth), y1: fromY(0),
			scale: view.scale * (window.devicePixelRatio || 1) };
		const layers = Layers.drawn(), plans = layers.filter(l => l.role === 'obstacle');
		for (const l of layers) {
			pen.globalAlpha = Layers.opacity(l.name);
			Tiles.draw(pen, l, window_);
		}
		/* walls stay to be seen: what is free is white and changes nothing */
		pen.globalCompositeOperation = 'multiply';
		if (layers.length > plans.length)
			for (const l of plans) {
				pen.globalAlpha = .8 * Layers.opacity(l.name);
				Tiles.draw(pen, l, window_);
			}
		pen.globalCompositeOperation = 'source-over';
		pen.globalAlpha = 1;
		Tiles.finish();
		if (show.rooms)
			drawRooms();
		if (show.scan)
			Store.ofKind('scan').forEach(drawScan);
		for (const s of sources()) {
			if (show.track)
				drawTrack(s);
			drawRobot(s);
		}
		if (show.hottest)
			drawHottest();
		drawScale();
		drawPinned();
		if (Store.past && layers.length) {
			pen.font = '12px ' + getComputedStyle(canvas).fontFamily;
			words('layers: as they are now', 10, canvas.clientHeight - 12);
		}
	}

	/*
	 * What is at a place: all that gdimd knows there
	 */
	function drawPinned() {
		if (!pinned)
			return;
		const x = toX(pinned[0]), y = toY(pinned[1]);
		pen.lineWidth = 2;
		pen.strokeStyle = colour('map-text');
		pen.strokeRect(x - 5, y - 5, 10, 10);
	}

	function inside(o, x, y) {
		let is = false;
		for (let i = 0, k = o.length - 2; i < o.length; k = i, i += 2)
			if ((o[i + 1] > y) !== (o[k + 1] > y) &&
			    x < (o[k] - o[i]) * (y - o[i + 1]) / (o[k + 1] - o[i + 1]) + o[i])
				is = !is;
		return is;
	}

	/* One question at a time; the place where the pointer rests is the last */
	async function askSpot(x, y) {
		const key = x.toFixed(2) + ' ' + y.toFixed(2);
		if (!Store.hello?.gdim || spotBusy || key === spotAsked)
			return;
		spotBusy = true;
		spotAsked = key;
		try {
			const r = await fetch('/gdim/spot?x=' + x.toFixed(3) + '&y=' + y.toFixed(3),
				{ headers: Connection.headers() });
			spot = r.ok ? { x, y, ...await r.json() } : null;
		} catch (e) {
			spot = null;
		}
		setTimeout(() => {
			spotBusy = false;
			sayPlace();
		}, 80);
	}

	function gridValue(topic, x, y) {
		const g = grids.get(topic.id);
		if (!g?.cells)
			return null;
		const dx = x - g.m.x, dy = y - g.m.y, c = Math.cos(g.m.yaw), s = Math.sin(g.m.yaw);
		const i = Math.floor((c * dx + s * dy) / g.m.resolution);
		const j = Math.floor((c * dy - s * dx) / g.m.resolution);
		const v = i >= 0 && j >= 0 && i < g.m.width && j < g.m.height ?
			g.cells[j * g.m.width + i] : -1;
		return v < 0 ? null : v / 100;
	}

	function sayPlace() {
		const at = pinned || pointer && [fromX(pointer.x), fromY(pointer.y)];
		const box = $('map-place');
		box.hidden = !at;
		if (!at)
			return;
		askSpot(at[0], at[1]);
		const room = Store.rooms.find(r => inside(r.outline || [], ...at));
		const table = el('table');
		const row = (name, value) => {
			const r = table.insertRow();
			r.insertCell().textContent = name;
			r.insertCell().textContent = value;
		};
		const names = Layers.titles(Store.layers);
		let rest = 0;
		for (const l of Layers.sorted()) {
			const v = spot?.layers?.[l.name];
			if (!Layers.isOn(l.name) && !pinned) {
				rest++;
				continue;
			}
			row(names.get(l.name), Layers.words(l, v && v.value !== null ?
				v.value / Layers.full(l) : null));
		}
		for (const t of Layers.maps()) {
			const v = gridValue(t, ...at), m = grids.get(t.id)?.m;
			if (m?.layer)
				row(t.short + ' ' + m.layer, Layers.words(m, v));
			else
				row(t.short, Layers.words({ role: 'obstacle' }, v));
		}
		const place = 'x ' + digits(at[0].toFixed(2)) + '  y ' + digits(at[1].toFixed(2)) +
			' m' + (room ? ' \u2013 ' + (room.name || 'room ' + room.id) : '');
		box.replaceChildren(el('div', { textContent: place }), table);
		if (rest)
			box.append(el('small', { textContent: 'click: ' + rest + ' more layers' }));
	}

	/*
	 * Moving about
	 */
	function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
		const mx = fromX(x), my = fromY(y);
		moved = true;
		view.scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
		view.x += mx - fromX(x);
		view.y += my - fromY(y);
		Frame.now('map');
	}

	function pan(dx, dy) {
		moved = true;
		setFollow(false);
		view.x -= dx / view.scale;
		view.y += dy / view.scale;
		Frame.now('map');
	}

	function setFollow(on) {
		follow = on;
		$('map-follow').setAttribute('aria-pressed', String(on));
		Frame.mark('map');
	}

	function fit() {
		const xs = [], ys = [];
		const add = (x, y) => {
			xs.push(x);
			ys.push(y);
		};
		canvas = $('map-canvas');
		for (const l of Store.layers)
			if (l.bounds) {
				add(l.bounds[0], l.bounds[1]);
				add(l.bounds[2], l.bounds[3]);
			}
		for (const r of Store.rooms)
			for (let i = 0; i + 1 < (r.outline || []).length; i += 2)
				add(r.outline[i], r.outline[i + 1]);
		for (const t of Layers.maps()) {
			const m = grids.get(t.id)?.m;
			if (m)
				for (const [i, j] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
					const w = i * m.width * m.resolution;
					const h = j * m.height * m.resolution;
					add(m.x + w * Math.cos(m.yaw) - h * Math.sin(m.yaw),
						m.y + w * Math.sin(m.yaw) + h * Math.cos(m.yaw));
				}
		}
		for (const s of sources()) {
			const p = Store.placeAt(s, time());
			if (p) {
				add(p[1] - 6, p[2] - 6);
				add(p[1] + 6, p[2] + 6);
			}
		}
		if (!xs.length || !canvas.clientWidth)
			return;
		const x0 = Math.min(...xs), x1 = Math.max(...xs);
		const y0 = Math.min(...ys), y1 = Math.max(...ys);
		moved = false;
		view.x = (x0 + x1) / 2;
		view.y = (y0 + y1) / 2;
		view.scale = Math.max(LEAST, Math.min(MOST, .92 * Math.min(
			canvas.clientWidth / (x1 - x0), canvas.clientHeight / (y1 - y0))));
		Frame.mark('map');
	}

	/* A view that nobody moved shows the robot */
	function isOut(source) {
		const p = Store.placeAt(source, time());
		return p && !(toX(p[1]) > 0 && toX(p[1]) < canvas.clientWidth &&
			toY(p[2]) > 0 && toY(p[2]) < canvas.clientHeight);
	}

	const fingers = new Map();
	let pressed = null;	/* while it may become a click */

	function place(e) {
		const box = canvas.getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	}

	function down(e) {
		if (e.isTrusted)
			canvas.setPointerCapture(e.pointerId);
		fingers.set(e.pointerId, place(e));
		pressed = fingers.size === 1 ? place(e) : null;
	}

	function move(e) {
		const p = place(e), was = fingers.get(e.pointerId);
		if (pressed && Math.hypot(p.x - pressed.x, p.y - pressed.y) > CLICK)
			pressed = null;
		if (was && fingers.size === 1 && !pressed) {
			pan(p.x - was.x, p.y - was.y);
		} else if (was && fingers.size === 2) {
			const o = [...fingers].find(([id]) => id !== e.pointerId)[1];
			const before = Math.hypot(was.x - o.x, was.y - o.y);
			const after = Math.hypot(p.x - o.x, p.y - o.y);
			pan((p.x - was.x) / 2, (p.y - was.y) / 2);
			if (before > 5 && after > 5)
				zoom(after / before, (p.x + o.x) / 2, (p.y + o.y) / 2);
		}
		if (was && !pressed)
			fingers.set(e.pointerId, p);
		pointer = e.pointerType === 'mouse' ? p : null;
		sayPlace();
	}

	function up(e) {
		if (pressed && e.type === 'pointerup') {
			const p = [fromX(pressed.x), fromY(pressed.y)];
			/* a second click at the same place takes the pin away */
			pinned = pinned && Math.hypot(pinned[0] - p[0], pinned[1] - p[1]) *
				view.scale < 10 ? null : p;
			sayPlace();
			Frame.mark('map');
		}
		fingers.delete(e.pointerId);
		pressed = null;
	}

	function unpin() {
		const was = pinned;
		pinned = pointer = null;
		sayPlace();
		Frame.mark('map');
		return was !== null;
	}

	function start() {
		canvas = $('map-canvas');
		Frame.add('map', draw, 180);
		Store.on('layers topics', () => {
			if (!moved && !follow)
				fit();
		});
		Store.on('track', () => {
			if (!moved && !follow && sources().some(isOut))
				fit();
		});
		Store.on('track layers past topics connection', () => Frame.mark('map'));
		Store.on('message', m => (!m || m.type === 2 || m.type === 4 ||
			/* the track is the same in the frame of the map */
			Store.topics.get(m.id)?.kind === 'odometry' &&
			!Store.tracks.has(Store.topics.get(m.id).source)) &&
			!Store.past && Frame.mark('map'));
		canvas.addEventListener('pointerdown', down);
		canvas.addEventListener('pointermove', move);
		canvas.addEventListener('pointerup', up);
		canvas.addEventListener('pointercancel', up);
		canvas.addEventListener('pointerleave', () => {
			pointer = null;
			sayPlace();
		});
		canvas.addEventListener('wheel', e => {
			const p = place(e);
			e.preventDefault();
			zoom(Math.exp(-Math.max(-200, Math.min(200, e.deltaY *
				(e.deltaMode ? 30 : 1))) * .0025), p.x, p.y);
		}, { passive: false });
		$('map-in').addEventListener('click', () => zoom(1.4));
		$('map-out').addEventListener('click', () => zoom(1 / 1.4));
		$('map-fit').addEventListener('click', () => {
			setFollow(false);
			fit();
		});
		$('map-follow').addEventListener('click', () => setFollow(!follow));
		for (const name in show) {
			const check = $('show-' + name);
			check.checked = show[name];
			check.addEventListener('change', () => {
				show[name] = check.checked;
				Util.keep('map shows', show);
				Frame.mark('map');
			});
		}
		/* the robot's age is on the map, too */
		setInterval(() => document.hidden || Frame.mark('map'), 1000);
		new ResizeObserver(() => {
			halfX = canvas.clientWidth / 2;
			halfY = canvas.clientHeight / 2;
			if (!moved)
				fit();
			Frame.mark('map');
		}).observe(canvas);
	}

	return { start, zoom, pan, fit, unpin, setFollow, follows: () => follow };
})();
