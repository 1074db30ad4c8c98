// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_peaks.js - the page of maps: lines where a value reaches a threshold,
 * and the place where it is highest
 */
"use strict";

const PEAKS = 24;		/* maps whose lines are kept */
const peaks = new Map();

/*
 * Cells of a tile and of the row above and the column right of it, as a square
 * of tile + 1: lines go from middle to middle, also over the edge of tiles
 */
function cellsAround(m, i, j, out) {
	const [, , w, h] = m.tiles, side = tile + 1;
	out.fill(-1);
	for (const [di, dj] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
		if (i + di >= w || j + dj >= h || !m.id[(j + dj) * w + i + di])
			continue;
		const [cells, at] = tileOf(m.id[(j + dj) * w + i + di]);
		const nx = di ? 1 : tile, ny = dj ? 1 : tile;
		const full = data.layers[m.layer].full;
		for (let y = 0; y < ny; y++)
			for (let x = 0; x < nx; x++) {
				const v = cells[at + y * tile + x];
				out[(y + dj * tile) * side + x + di * tile] =
					v > full ? -1 : v;
			}
	}
}

/* Edges of a square of four cells: low, right, high, left; per case of which
 * corners reach the threshold (1: low left, 2: low right, 4: high right, 8:
 * high left) the pairs of edges that a line joins */
const JOINS = [[], [3, 0], [0, 1], [3, 1], [1, 2], [3, 0, 1, 2], [0, 2], [3, 2],
	[2, 3], [2, 0], [0, 1, 2, 3], [2, 1], [1, 3], [1, 0], [0, 3], []];

/* A line at @level through a tile; x and y are in cells from that of 0, 0 m */
function lineThrough(line, level, around, x0, y0) {
	const side = tile + 1;
	for (let y = 0; y < tile; y++)
		for (let x = 0; x < tile; x++) {
			const k = y * side + x;
			const a = around[k], b = around[k + 1];
			const c = around[k + side + 1], d = around[k + side];
			if (a < 0 || b < 0 || c < 0 || d < 0)
				continue;
			const join = JOINS[(a >= level) | (b >= level) << 1 |
				(c >= level) << 2 | (d >= level) << 3];
			if (!join.length)
				continue;
			const at = e => e === 0 ? [(level - a) / (b - a), 0] :
				e === 1 ? [1, (level - b) / (c - b)] :
				e === 2 ? [(level - d) / (c - d), 1] :
				[0, (level - a) / (d - a)];
			for (let n = 0; n < join.length; n += 2) {
				const [px, py] = at(join[n]), [qx, qy] = at(join[n + 1]);
				line.path.moveTo(x0 + x + .5 + px, y0 + y + .5 + py);
				line.path.lineTo(x0 + x + .5 + qx, y0 + y + .5 + qy);
				line.parts++;
				if (!line.top || y0 + y + .5 + py > line.top[1])
					line.top = [x0 + x + .5 + px, y0 + y + .5 + py];
			}
		}
}

/* Of cells with the same value the one that is nearest to the middle of them */
function middleOf(ties) {
	const n = ties.length;
	const x = ties.reduce((s, t) => s + t[0], 0) / n;
	const y = ties.reduce((s, t) => s + t[1], 0) / n;
	const far = t => Math.hypot(t[0] - x, t[1] - y);
	return ties.reduce((best, t) => far(t) < far(best) ? t : best);
}

/* Lines and highest place of a map; kept until lines are set otherwise */
function peakOf(number) {
	const m = data.maps[number], l = data.layers[m.layer];
	const key = number + ":" + l.lines.join(" ");
	let p = peaks.get(key);
	if (p)
		return p;
	const [tx, ty, w, h] = m.tiles;
	const around = new Int32Array((tile + 1) ** 2);
	p = { lines: [], value: -1, ties: [] };
	for (const shown of l.lines) {
		const level = storedValue(l, shown);
		if (level > 0 && level <= l.full)
			p.lines.push({ shown, level, path: new Path2D(), parts: 0,
				top: null });
	}
	for (let k = 0; k < w * h; k++) {
		if (!m.id[k])
			continue;
		const i = k % w, j = Math.floor(k / w);
		const x0 = (tx + i) * tile, y0 = (ty + j) * tile;
		cellsAround(m, i, j, around);
		let high = -1;
		for (let c = 0; c < around.length; c++)
			high = Math.max(high, around[c]);
		for (const line of p.lines)
			if (line.level <= high)
				lineThrough(line, line.level, around, x0, y0);
		if (high < p.value || high < 0)
			continue;
		for (let y = 0; y < tile; y++)
			for (let x = 0; x < tile; x++) {
				const v = around[y * (tile + 1) + x];
				if (v > p.value) {
					p.value = v;
					p.ties = [];
				}
				if (v >= 0 && v === p.value && p.ties.length < 1e5)
					p.ties.push([x0 + x + .5, y0 + y + .5]);
			}
	}
	/* nothing of a gas is nowhere, but it is somewhere warmest */
	p.at = p.value > 0 || p.value === 0 && l.role === "temperature" ?
		middleOf(p.ties).map(c => c * m.res) : null;
	p.ties = null;
	peaks.set(key, p);
	if (peaks.size > PEAKS)
		peaks.delete(peaks.keys().next().value);
	return p;
}

/* What is drawn now: layers that are shown and have peaks */
function peaksNow() {
	return $("peaks").checked ? data.layers.filter(l => l.on && hasPeak(l) &&
		data.times[now].of.has(data.layers.indexOf(l))).map(l => {
		const number = data.times[now].of.get(data.layers.indexOf(l));
		return { l, m: data.maps[number], p: peakOf(number) };
	}) : [];
}

function drawLines() {
	const ratio = window.devicePixelRatio || 1;
	for (const { l, m, p } of peaksNow()) {
		const px = m.res * view.scale;		/* of a cell */
		p.lines.forEach((line, n) => {
			if (!line.parts)
				return;
			pen.save();
			pen.setTransform(ratio * px, 0, 0, -ratio * px,
				ratio * toX(0), ratio * toY(0));
			pen.lineCap = pen.lineJoin = "round";
			for (const [colour, width] of [["#ffffffb0", 3.5 + n],
				["#5c0011", 1 + .7 * n]]) {
				pen.strokeStyle = colour;
				pen.lineWidth = width / px;
				pen.stroke(line.path);
			}
			pen.restore();
			pen.font = "12px system-ui, 'Liberation Sans', Arial, sans-serif";
			pen.textAlign = "center";
			pen.textBaseline = "bottom";
			text(digits(line.shown) + " " + unitOf(l),
				toX(line.top[0] * m.res), toY(line.top[1] * m.res) - 2,
				"#5c0011");
		});
	}
}

function drawHighest() {
	for (const { l, p } of peaksNow()) {
		if (!p.at)
			continue;
		const x = toX(p.at[0]), y = toY(p.at[1]);
		for (const [colour, width] of [["#fff", 5], ["#5c0011", 2]]) {
			pen.strokeStyle = colour;
			pen.lineWidth = width;
			pen.beginPath();
			pen.arc(x, y, 9, 0, 2 * Math.PI);
			for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
				pen.moveTo(x + 5 * dx, y + 5 * dy);
				pen.lineTo(x + 14 * dx, y + 14 * dy);
			}
			pen.stroke();
		}
		pen.font = "600 13px system-ui, 'Liberation Sans', Arial, sans-serif";
		pen.textAlign = "left";
		pen.textBaseline = "middle";
		text(highestWords(l, p), x + 17, y, "#5c0011");
	}
}

function highestWords(l, p) {
	return (l.role === "temperature" ? "hottest " : "highest ") +
		wordsOf(l, p.value);
}
