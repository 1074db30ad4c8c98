// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_use.js - the page of maps: what people do with it
 */
"use strict";

/*
 * What is at a spot
 */
function inside(outline, x, y) {
	let is = false;
	for (let i = 0, k = outline.length - 2; i < outline.length; k = i, i += 2)
		if ((outline[i + 1] > y) !== (outline[k + 1] > y) &&
		    x < (outline[k] - outline[i]) * (y - outline[i + 1]) /
			(outline[k + 1] - outline[i + 1]) + outline[i])
			is = !is;
	return is;
}

/* A table of layers and of what they have at a spot, as people say it */
function spotTable(layers, x, y) {
	const table = document.createElement("table");
	for (const i of layers) {
		const l = data.layers[i], row = table.insertRow();
		row.insertCell().textContent = plainName(l).replace(/, [^,]*$/,
			s => s === ", " + unitOf(l) ? "" : s);
		row.insertCell().textContent = spotWords(l, valueAt(i, x, y));
	}
	return table;
}

let unfolded = false;	/* what is not shown, in the spot box */

/* The box: what is shown; if it was clicked on, also the rest, folded */
function spotBox(x, y) {
	const rooms = data.rooms[data.times[now].rooms] || [];
	const room = rooms.find(r => inside(r.outline, x, y));
	const on = data.order.filter(i => data.layers[i].on);
	const off = data.order.filter(i => !data.layers[i].on);
	const parts = [element("div", { textContent: "x " + digits(+x.toFixed(2)) +
		"  y " + digits(+y.toFixed(2)) + " m" +
		(room ? " \u2013 " + (room.name || "room " + room.id) : "") })];
	if (on.length)
		parts.push(spotTable(on, x, y));
	if (!off.length)
		return parts;
	if (!pinned) {
		parts.push(element("small", { textContent:
			"click: " + off.length + " not shown" }));
		return parts;
	}
	const rest = element("details", { open: unfolded },
		element("summary", { textContent: "Not shown (" + off.length + ")" }),
		spotTable(off, x, y));
	rest.addEventListener("toggle", () => {
		unfolded = rest.open;
		placeBox();
	});
	parts.push(rest);
	return parts;
}

/* Beside the spot, where there is room */
function placeBox() {
	const box = $("spot");
	const at = pinned ? { x: toX(pinned[0]), y: toY(pinned[1]) } : pointer;
	const right = at.x + box.offsetWidth + 20 > canvas.clientWidth;
	const low = at.y + box.offsetHeight + 20 > canvas.clientHeight;
	box.style.left = Math.max(4, right ? at.x - box.offsetWidth - 14 :
		at.x + 14) + "px";
	box.style.top = Math.max(4, low ? at.y - box.offsetHeight - 14 :
		at.y + 14) + "px";
}

function showSpot() {
	const box = $("spot");
	box.hidden = !pointer && !pinned;
	box.classList.toggle("pinned", !!pinned);
	if (box.hidden)
		return;
	box.replaceChildren(...spotBox(...(pinned ||
		[fromX(pointer.x), fromY(pointer.y)])));
	placeBox();
}

/*
 * Moving about
 */
function zoom(factor, x, y) {
	const px = x === undefined ? canvas.clientWidth / 2 : x;
	const py = y === undefined ? canvas.clientHeight / 2 : y;
	const mx = fromX(px), my = fromY(py);
	moved = true;
	view.scale = Math.min(5000, Math.max(.02, view.scale * factor));
	view.x += mx - fromX(px);
	view.y += my - fromY(py);
	redraw();
}

function pan(dx, dy) {
	moved = true;
	view.x -= dx / view.scale;
	view.y += dy / view.scale;
	redraw();
}

function fit() {
	let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
	for (const t of data.times.slice(-1).concat(data.times)) {
		for (const k of t.maps) {
			const m = data.maps[k], [x, y, w, h] = m.rect;
			x0 = Math.min(x0, x * m.res);
			y0 = Math.min(y0, y * m.res);
			x1 = Math.max(x1, (x + w) * m.res);
			y1 = Math.max(y1, (y + h) * m.res);
		}
		if (x1 > x0)	/* the newest, if it has anything */
			break;
	}
	if (!(x1 > x0))
		return;
	for (const r of data.rooms[data.times[data.times.length - 1].rooms] || [])
		r.outline.forEach((v, i) => {
			if (i % 2) {
				y0 = Math.min(y0, v);
				y1 = Math.max(y1, v);
			} else {
				x0 = Math.min(x0, v);
				x1 = Math.max(x1, v);
			}
		});
	moved = false;
	view.x = (x0 + x1) / 2;
	view.y = (y0 + y1) / 2;
	view.scale = .94 * Math.min(canvas.clientWidth / (x1 - x0),
		canvas.clientHeight / (y1 - y0));
	redraw();
}

const fingers = new Map();
const CLICK = 4;	/* pixels of CSS: a press that moves further is a pull */
let pressed = null;	/* where, while it may become a click */

function place(e) {
	const box = canvas.getBoundingClientRect();
	return { x: e.clientX - box.left, y: e.clientY - box.top };
}

canvas.addEventListener("pointerdown", e => {
	if (e.isTrusted)
		canvas.setPointerCapture(e.pointerId);
	fingers.set(e.pointerId, place(e));
	pressed = fingers.size === 1 ? place(e) : null;
	pointer = pressed;
	redraw();
});

canvas.addEventListener("pointermove", e => {
	const p = place(e), was = fingers.get(e.pointerId);
	if (pressed && Math.hypot(p.x - pressed.x, p.y - pressed.y) > CLICK)
		pressed = null;
	if (was && fingers.size === 1 && !pressed) {
		pan(p.x - was.x, p.y - was.y);
	} else if (was && fingers.size === 2) {
		const [id] = [...fingers.keys()].filter(k => k !== e.pointerId);
		const o = fingers.get(id);
		const before = Math.hypot(was.x - o.x, was.y - o.y);
		const after = Math.hypot(p.x - o.x, p.y - o.y);
		pan((p.x - was.x) / 2, (p.y - was.y) / 2);
		if (before > 5 && after > 5)
			zoom(after / before, (p.x + o.x) / 2, (p.y + o.y) / 2);
	}
	if (was && !pressed)
		fingers.set(e.pointerId, p);
	pointer = fingers.size < 2 ? p : null;
	redraw();
});

canvas.addEventListener("pointerup", () => {
	if (pressed)
		pinned = [fromX(pressed.x), fromY(pressed.y)];
	redraw();
});
for (const name of ["pointerup", "pointercancel"])
	canvas.addEventListener(name, e => {
		fingers.delete(e.pointerId);
		pressed = null;
	});
canvas.addEventListener("pointerleave", e => {
	if (e.pointerType === "mouse")
		pointer = null;
	redraw();
});
canvas.addEventListener("wheel", e => {
	const p = place(e);
	e.preventDefault();
	zoom(Math.exp(-Math.max(-200, Math.min(200, e.deltaY *
		(e.deltaMode ? 30 : 1))) * .0025), p.x, p.y);
}, { passive: false });

function unpin() {
	pinned = null;
	pointer = null;
	redraw();
}

document.addEventListener("keydown", e => {
	const step = 60, kind = e.target.type;
	const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0],
		ArrowUp: [0, step], ArrowDown: [0, -step] };
	if (e.ctrlKey || e.altKey || e.metaKey || kind === "text")
		return;
	if (moves[e.key] && kind !== "range")
		pan(...moves[e.key]);
	else if (e.key === "+" || e.key === "=")
		zoom(1.3);
	else if (e.key === "-")
		zoom(1 / 1.3);
	else if (e.key === "0")
		fit();
	else if (e.key === ",")
		setTime(now - 1);
	else if (e.key === ".")
		setTime(now + 1);
	else if (e.key === "Escape" && pinned)
		unpin();
	else if (e.key === " " && kind !== "checkbox" && kind !== "button")
		play();
	else
		return;
	e.preventDefault();
});

/*
 * Times
 */
function setTime(n) {
	now = Math.max(0, Math.min(data.times.length - 1, n));
	const t = data.times[now], newest = now === data.times.length - 1;
	const small = document.createElement("small");
	const d = new Date(t.stamp);
	const when = t.stamp && !isNaN(d) ?
		d.toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
	small.textContent = (newest ? "newest" : t.name) + ", " + (now + 1) +
		" of " + data.times.length;
	$("when").replaceChildren(when || "time unknown", small);
	$("slider").value = now;
	$("slider").setAttribute("aria-valuetext", when);
	data.layers.forEach((l, i) =>
		l.card.classList.toggle("absent", !t.of.has(i)));
	redraw();
}

function play() {
	if (playing) {
		clearInterval(playing);
		playing = 0;
	} else if (data.times.length > 1) {
		if (now === data.times.length - 1)
			setTime(0);
		playing = setInterval(() => {
			setTime(now + 1);
			if (now === data.times.length - 1)
				play();
		}, STEP_MS);
	}
	$("play").textContent = playing ? "\u275A\u275A" : "\u25B6";
	$("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

/*
 * The side: layers with their legends
 */
function element(name, properties, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

/* As drawn: also where colours do not go evenly with the value */
function colourBar(l) {
	const c = element("canvas", { className: "bar", width: 256, height: 1 });
	const p = c.getContext("2d");
	for (let i = 0; i < 256; i++) {
		p.fillStyle = "#" + (l.decided ? planColour : colourOf)(l,
			i / 255 * l.full).toString(16).padStart(6, "0");
		p.fillRect(i, 0, 1, 1);
	}
	return c;
}

function ticks(l) {
	const box = element("div", { className: "ticks" });
	if (l.decided) {
		box.append(...["free", "undecided", "occupied"].map(s =>
			element("span", { textContent: s })));
		return box;
	}
	for (let i = 0; i <= 4; i++) {
		const v = shownValue(l, l.full * i / 4), unit = unitOf(l);
		box.append(element("span", { textContent: digits(+v.toPrecision(4)) +
			(i === 4 && unit ? " " + unit : "") }));
	}
	return box;
}

/* Of walls: free and occupied, or how sure that is */
function decidedChoice(l, legend) {
	const check = element("input", { type: "checkbox", checked: l.decided });
	check.addEventListener("change", () => {
		l.decided = check.checked;
		legend.replaceChildren(colourBar(l), ticks(l));
		redraw();
	});
	return element("label", { className: "plain" }, check,
		"As free and occupied");
}

/* Where lines are drawn */
function lineChoice(l) {
	const input = element("input", { type: "text", className: "lines",
		value: l.lines.map(digits).join(" "), placeholder: "none" });
	input.setAttribute("aria-label", "Lines of " + plainName(l));
	input.addEventListener("change", () => {
		l.lines = linesIn(input.value);
		input.value = l.lines.map(digits).join(" ");
		input.title = keepLines(l) ? "" :
			"This browser does not keep them for the next time";
		redraw();
	});
	return element("label", { className: "opacity" }, "Lines at", input, unitOf(l));
}

function addLayer(l) {
	const check = element("input", { type: "checkbox", checked: l.on });
	const range = element("input", { type: "range", min: 0, max: 100,
		value: Math.round(l.opacity * 100) });
	range.setAttribute("aria-label", "Opacity of " + plainName(l));
	const legend = element("div", {}, colourBar(l), ticks(l));
	const more = element("div", { className: "more" }, legend,
		element("label", { className: "opacity" }, "Opacity", range));
	if (isPlan(l))
		more.append(decidedChoice(l, legend));
	if (hasPeak(l))
		more.append(lineChoice(l));
	const reduced = data.maps.find(m => data.layers[m.layer] === l && m.reduced > 1);
	if (reduced)
		more.append(element("small", { textContent: "shown in cells of " +
			digits(reduced.res) + " m" }));
	l.card = element("div", { className: "layer" },
		element("label", { className: "name" }, check,
			element("span", { textContent: plainName(l) })),
		element("small", { className: "raw", textContent: l.name }),
		more);
	check.addEventListener("change", () => {
		l.on = check.checked;
		l.card.classList.toggle("off", !l.on);
		redraw();
	});
	range.addEventListener("input", () => {
		l.opacity = range.value / 100;
		redraw();
	});
	l.card.classList.toggle("off", !l.on);
	l.check = check;
	$("layers").append(l.card);
}

/* Tools that have nothing to show are not there */
function hideTools() {
	const tools = {
		rooms: data.rooms.some(r => r.length),
		way: data.ways.some(w => w.xy.length > 2),
		repeaters: data.repeaters.length > 0,
		peaks: data.layers.some(hasPeak),
	};
	for (const id in tools)
		$(id).parentElement.hidden = !tools[id];
	$("tools").hidden = !Object.values(tools).some(there => there);
	$("time").hidden = $("time-keys").hidden = data.times.length < 2;
}

/* At first: the plan, and the first of what is over it: a hazard if there is one */
function start() {
	const first = data.order.find(i => !isPlan(data.layers[i]));
	let kind = -1;
	document.title = data.title + " \u2013 map";
	$("title").textContent = data.title;
	for (const i of data.order) {
		const l = data.layers[i];
		l.on = isPlan(l) || i === first;
		l.opacity = isPlan(l) ? 1 : .75;
		if (kindOf(l) !== kind)
			$("layers").append(element("h2",
				{ textContent: KINDS[kind = kindOf(l)].title }));
		addLayer(l);
	}
	hideTools();
	$("slider").max = data.times.length - 1;
	$("slider").addEventListener("input", () => setTime(+$("slider").value));
	$("play").addEventListener("click", play);
	$("in").addEventListener("click", () => zoom(1.3));
	$("out").addEventListener("click", () => zoom(1 / 1.3));
	$("fit").addEventListener("click", fit);
	for (const id of ["rooms", "way", "repeaters", "peaks"])
		$(id).addEventListener("change", redraw);
	new ResizeObserver(() => {
		if (!moved)
			fit();
		draw();
	}).observe(canvas);
	setTime(data.times.length - 1);
	fit();
}
