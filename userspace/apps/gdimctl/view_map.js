// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_map.js - the page of maps: its data, and how they are drawn
 */
"use strict";

const $ = id => document.getElementById(id);
const canvas = $("view"), pen = canvas.getContext("2d",
	{ willReadFrequently: location.hash.startsWith("#test") });
const STEP_MS = 900;		/* from one time to the next when playing */
const CACHE = 24;		/* maps that are kept as pictures */
let data, tile, packs = [];	/* packs: first id, cells of all their tiles */
let now = 0, playing = 0, queued = false;
let view = { x: 0, y: 0, scale: 50 };	/* middle in m, pixels of CSS per m */
let pointer = null;		/* in pixels of CSS */
let pinned = null;		/* a spot in m that was clicked on */
let moved = false;		/* by hand: not all is shown any more */
const pictures = new Map();

function trouble(text) {
	$("trouble").textContent = text;
	$("trouble").hidden = false;
}

/*
 * Data
 */
async function inflate(text) {
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	const out = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(out).arrayBuffer());
}

function undiff(bytes, tiles, cells) {
	const out = new Uint16Array(tiles * cells);
	for (let t = 0; t < tiles; t++) {
		const at = 2 * t * cells;
		let v = 0;
		for (let i = 0; i < cells; i++) {
			v = v + (bytes[at + i] << 8 | bytes[at + cells + i]) & 0xffff;
			out[t * cells + i] = v;
		}
	}
	return out;
}

async function load() {
	data = JSON.parse($("data").textContent);
	$("data").remove();
	tile = data.tile;
	data.layers.forEach(l => {
		l.lines = keptLines(l);
		l.decided = isPlan(l);
	});
	data.order = data.layers.map((l, i) => i).sort((a, b) =>
		kindOf(data.layers[a]) - kindOf(data.layers[b]) ||
		rankOf(data.layers[a]) - rankOf(data.layers[b]) || a - b);
	let first = 1;
	for (const p of data.packs) {
		let cells = await inflate(p.data);
		p.data = null;
		if (p.bits === 16)
			cells = undiff(cells, p.tiles, tile * tile);
		packs.push({ first, cells });
		first += p.tiles;
	}
	const last = data.times.pop();
	data.times.sort((a, b) => a.stamp - b.stamp);
	data.times.push(last);
	data.times.forEach(t => t.of = new Map(
		t.maps.map(m => [data.maps[m].layer, m])));
}

/* Cells of a tile: an array and where it begins in it */
function tileOf(id) {
	let low = 0, high = packs.length - 1;
	while (low < high) {
		const middle = low + high + 1 >> 1;
		if (packs[middle].first <= id)
			low = middle;
		else
			high = middle - 1;
	}
	return [packs[low].cells, (id - packs[low].first) * tile * tile];
}

/* The layer's value at a point in m, -1: unknown */
function valueAt(layer, x, y) {
	const number = data.times[now].of.get(layer);
	if (number === undefined)
		return -1;
	const m = data.maps[number], [tx, ty, w, h] = m.tiles;
	const cx = Math.floor(x / m.res), cy = Math.floor(y / m.res);
	const i = Math.floor(cx / tile) - tx, j = Math.floor(cy / tile) - ty;
	if (!(i >= 0 && j >= 0 && i < w && j < h) || !m.id[j * w + i])
		return -1;
	const [cells, at] = tileOf(m.id[j * w + i]);
	const v = cells[at + (cy - (ty + j) * tile) * tile + cx - (tx + i) * tile];
	return v > data.layers[layer].full ? -1 : v;
}

function physical(l, v) {
	return l.low + (l.high - l.low) * v / l.full;
}

function digits(v) {
	return String(+v.toFixed(6)).replace("-", "\u2212");
}

function plain(l, v) {
	return l.bits === 8 ? v : v / l.full;
}

/*
 * Pictures of maps: a pixel is a cell, high y is at the top
 */
function paletteOf(l, how) {
	const colours = new Uint32Array(l.full + 1);
	const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
	for (let v = 0; v <= l.full; v++) {
		const rgb = how(l, v);
		const r = rgb >> 16, g = rgb >> 8 & 255, b = rgb & 255;
		colours[v] = little ? (255 << 24 | b << 16 | g << 8 | r) >>> 0 :
			(r << 24 | g << 16 | b << 8 | 255) >>> 0;
	}
	return colours;
}

/* @walls: only what is occupied */
function pictureOf(number, walls) {
	const l = data.layers[data.maps[number].layer];
	const key = number + (walls ? "w" : "") + (l.decided ? "d" : "");
	let c = pictures.get(key);
	if (c) {
		pictures.delete(key);
		pictures.set(key, c);
		return c;
	}
	const m = data.maps[number], [tx, ty, w, h] = m.tiles;
	const palette = paletteOf(l, l.decided ? planColour : colourOf);
	c = document.createElement("canvas");
	c.width = w * tile;
	c.height = h * tile;
	const p = c.getContext("2d");
	const image = p.createImageData(tile, tile);
	const out = new Uint32Array(image.data.buffer);
	const least = walls ? OCCUPIED * l.full : 0;
	m.id.forEach((id, k) => {
		if (!id)
			return;
		const [cells, at] = tileOf(id);
		for (let y = 0; y < tile; y++)
			for (let x = 0; x < tile; x++) {
				const v = cells[at + y * tile + x];
				out[(tile - 1 - y) * tile + x] =
					v > l.full || v < least ? 0 : palette[v];
			}
		p.putImageData(image, k % w * tile,
			(h - 1 - Math.floor(k / w)) * tile);
	});
	pictures.set(key, c);
	if (pictures.size > CACHE)
		pictures.delete(pictures.keys().next().value);
	return c;
}

/*
 * Drawing
 */
const toX = x => canvas.clientWidth / 2 + (x - view.x) * view.scale;
const toY = y => canvas.clientHeight / 2 - (y - view.y) * view.scale;
const fromX = x => (x - canvas.clientWidth / 2) / view.scale + view.x;
const fromY = y => (canvas.clientHeight / 2 - y) / view.scale + view.y;

function drawMap(layer, opacity, walls) {
	const number = data.times[now].of.get(layer);
	if (number === undefined)
		return;
	const m = data.maps[number], [tx, ty, w, h] = m.tiles;
	const side = tile * m.res;
	pen.globalAlpha = opacity;
	pen.imageSmoothingEnabled = m.res * view.scale < 1;
	pen.imageSmoothingQuality = "high";
	pen.drawImage(pictureOf(number, walls), toX(tx * side), toY((ty + h) * side),
		w * side * view.scale, h * side * view.scale);
	pen.globalAlpha = 1;
}

function text(s, x, y, colour) {
	pen.lineWidth = 4;
	pen.lineJoin = "round";
	pen.strokeStyle = "#ffffffe0";
	pen.strokeText(s, x, y);
	pen.fillStyle = colour;
	pen.fillText(s, x, y);
}

function short(s) {
	const all = [...s];
	return all.length > 24 ? all.slice(0, 23).join("") + "\u2026" : s;
}

function drawRooms() {
	const rooms = data.rooms[data.times[now].rooms] || [];
	for (const r of rooms) {
		pen.beginPath();
		for (let i = 0; i + 1 < r.outline.length; i += 2)
			pen.lineTo(toX(r.outline[i]), toY(r.outline[i + 1]));
		pen.closePath();
		pen.lineWidth = 4;
		pen.strokeStyle = "#ffffffb0";
		pen.stroke();
		pen.lineWidth = 2;
		pen.strokeStyle = "#6a1b9a";
		pen.stroke();
	}
}

/* Where repeaters, the robot and highest places are drawn, that names are not to lie on */
function marks() {
	const at = $("repeaters").checked ? data.repeaters.map(
		([x, y]) => [toX(x), toY(y)]) : [];
	const way = $("way").checked && data.ways[data.times[now].way];
	if (way && way.xy.length > 1)
		at.push([toX(way.xy[way.xy.length - 2]), toY(way.xy[way.xy.length - 1])]);
	for (const { p } of peaksNow())
		if (p.at)
			at.push([toX(p.at[0]), toY(p.at[1])]);
	return at;
}

let placed = [];	/* names: x, y */

/* Names are on top of all, and beside marks: above, or else below them */
function drawNames() {
	const rooms = data.rooms[data.times[now].rooms] || [], taken = marks();
	pen.font = "600 13px system-ui, 'Liberation Sans', Arial, sans-serif";
	pen.textAlign = "center";
	pen.textBaseline = "middle";
	placed = [];
	for (const r of rooms) {
		const name = short(r.name || "room " + r.id);
		const x = toX(r.at[0]), y = toY(r.at[1]);
		const half = pen.measureText(name).width / 2 + 14;
		const free = to => !taken.some(([u, v]) => Math.abs(u - x) < half &&
			Math.abs(v - to) < 20);
		const to = [y, y - 22, y + 22, y - 44, y + 44].find(free);
		placed.push([x, to === undefined ? y : to]);
		text(name, ...placed[placed.length - 1], "#4a126b");
	}
}

function drawWay() {
	const way = data.ways[data.times[now].way];
	if (!way || way.xy.length < 2)
		return;
	pen.beginPath();
	for (let i = 0; i < way.xy.length; i += 2)
		pen.lineTo(toX(way.xy[i]), toY(way.xy[i + 1]));
	pen.lineJoin = "round";
	pen.lineWidth = 4;
	pen.strokeStyle = "#ffffffc0";
	pen.stroke();
	pen.lineWidth = 2;
	pen.strokeStyle = "#0b62c4";
	pen.stroke();
	pen.save();		/* the robot, at the end of it */
	pen.translate(toX(way.xy[way.xy.length - 2]), toY(way.xy[way.xy.length - 1]));
	pen.rotate(-way.yaw);
	pen.beginPath();
	for (const [x, y] of [[12, 0], [-8, 8], [-4, 0], [-8, -8]])
		pen.lineTo(x, y);
	pen.closePath();
	pen.fillStyle = "#0b62c4";
	pen.strokeStyle = "#fff";
	pen.lineWidth = 1.5;
	pen.fill();
	pen.stroke();
	pen.restore();
}

function drawRepeaters() {
	for (const [x, y] of data.repeaters) {
		pen.lineWidth = 2;
		pen.strokeStyle = "#b8005c";
		for (const r of [6, 11]) {
			pen.beginPath();
			pen.arc(toX(x), toY(y), r, 0, 2 * Math.PI);
			pen.stroke();
		}
		pen.fillStyle = "#b8005c";
		pen.beginPath();
		pen.arc(toX(x), toY(y), 3.5, 0, 2 * Math.PI);
		pen.fill();
	}
}

function drawScale() {
	const wanted = 130 / view.scale;
	const ten = 10 ** Math.floor(Math.log10(wanted));
	const m = ten * (wanted >= 5 * ten ? 5 : wanted >= 2 * ten ? 2 : 1);
	const label = m >= 1000 ? m / 1000 + " km" : m >= 1 ? m + " m" :
		m >= .01 ? +(m * 100).toFixed(3) + " cm" : +(m * 1e3).toFixed(3) + " mm";
	const x = 14, y = canvas.clientHeight - 18, w = m * view.scale;
	for (const [colour, width] of [["#fff", 5], ["#1c2733", 2]]) {
		pen.strokeStyle = colour;
		pen.lineWidth = width;
		pen.beginPath();
		pen.moveTo(x, y - 6);
		pen.lineTo(x, y);
		pen.lineTo(x + w, y);
		pen.lineTo(x + w, y - 6);
		pen.stroke();
	}
	pen.font = "13px system-ui, 'Liberation Sans', Arial, sans-serif";
	pen.textAlign = "center";
	pen.textBaseline = "alphabetic";
	text(label, x + w / 2, y - 6, "#1c2733");
}

/* Where the box was pinned: a ring that leaves what is there to be seen */
function drawPinned() {
	if (!pinned)
		return;
	for (const [colour, width] of [["#fff", 4], ["#1c2733", 1.5]]) {
		pen.strokeStyle = colour;
		pen.lineWidth = width;
		pen.beginPath();
		pen.arc(toX(pinned[0]), toY(pinned[1]), 5, 0, 2 * Math.PI);
		pen.stroke();
	}
}

function draw() {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.round(canvas.clientWidth * ratio);
	const h = Math.round(canvas.clientHeight * ratio);
	queued = false;
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, w, h);
	const shown = data.order.filter(i => data.layers[i].on);
	const plans = shown.filter(i => isPlan(data.layers[i]));
	for (const i of plans)
		drawMap(i, data.layers[i].opacity, false);
	for (const i of shown.reverse())	/* hazards are on top */
		if (!isPlan(data.layers[i]))
			drawMap(i, data.layers[i].opacity, false);
	for (const i of plans)	/* walls stay to be seen */
		if (shown.length > plans.length)
			drawMap(i, data.layers[i].opacity, true);
	drawLines();
	if ($("rooms").checked)
		drawRooms();
	if ($("way").checked)
		drawWay();
	if ($("repeaters").checked)
		drawRepeaters();
	drawHighest();
	if ($("rooms").checked)
		drawNames();
	drawScale();
	drawPinned();
	showSpot();
}

function redraw() {
	if (!queued)
		requestAnimationFrame(draw);
	queued = true;
}
