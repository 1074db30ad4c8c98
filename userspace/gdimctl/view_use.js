// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_use.js - the page of maps: what people do with it, and its own test
 */

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

function cell(row, s) {
	row.insertCell().textContent = s;
}

function showSpot() {
	const box = $("spot");
	if (pinned)
		pointer = { x: toX(pinned[0]), y: toY(pinned[1]) };
	box.hidden = !pointer;
	if (!pointer)
		return;
	const [x, y] = pinned || [fromX(pointer.x), fromY(pointer.y)];
	const rooms = data.rooms[data.times[now].rooms] || [];
	const room = rooms.find(r => inside(r.outline, x, y));
	const table = document.createElement("table");
	const head = document.createElement("div");
	head.textContent = "x " + digits(+x.toFixed(2)) + "  y " +
		digits(+y.toFixed(2)) + " m" +
		(room ? " \u2013 " + (room.name || "room " + room.id) : "");
	data.layers.forEach((l, i) => {
		const v = valueAt(i, x, y), row = table.insertRow();
		cell(row, l.name);
		cell(row, v < 0 ? "unknown" : digits(plain(l, v)));
		cell(row, v < 0 || !l.unit ? "" : digits(physical(l, v)) + " " + l.unit);
	});
	box.replaceChildren(head, table);
	const right = pointer.x + box.offsetWidth + 20 > canvas.clientWidth;
	const low = pointer.y + box.offsetHeight + 20 > canvas.clientHeight;
	box.style.left = Math.max(4, right ? pointer.x - box.offsetWidth - 14 :
		pointer.x + 14) + "px";
	box.style.top = Math.max(4, low ? pointer.y - box.offsetHeight - 14 :
		pointer.y + 14) + "px";
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

function place(e) {
	const box = canvas.getBoundingClientRect();
	return { x: e.clientX - box.left, y: e.clientY - box.top };
}

canvas.addEventListener("pointerdown", e => {
	if (e.isTrusted)
		canvas.setPointerCapture(e.pointerId);
	fingers.set(e.pointerId, place(e));
	pointer = fingers.size === 1 ? place(e) : null;
	redraw();
});

canvas.addEventListener("pointermove", e => {
	const p = place(e), was = fingers.get(e.pointerId);
	pinned = null;
	if (was && fingers.size === 1) {
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
	if (was)
		fingers.set(e.pointerId, p);
	pointer = fingers.size < 2 ? p : null;
	redraw();
});

for (const name of ["pointerup", "pointercancel"])
	canvas.addEventListener(name, e => fingers.delete(e.pointerId));
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

document.addEventListener("keydown", e => {
	const step = 60, kind = e.target.type;
	const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0],
		ArrowUp: [0, step], ArrowDown: [0, -step] };
	if (e.ctrlKey || e.altKey || e.metaKey)
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

function colourBar(l) {
	const c = element("canvas", { className: "bar", width: 256, height: 1 });
	const p = c.getContext("2d");
	for (let i = 0; i < 256; i++) {
		p.fillStyle = "#" + l.colours.slice(6 * i, 6 * i + 6);
		p.fillRect(i, 0, 1, 1);
	}
	return c;
}

function ticks(l) {
	const box = element("div", { className: "ticks" });
	for (let i = 0; i <= 4; i++) {
		const v = l.low + (l.high - l.low) * i / 4;
		box.append(element("span", { textContent: digits(+v.toPrecision(4)) +
			(i === 4 && l.unit ? " " + l.unit : "") }));
	}
	return box;
}

function addLayer(l) {
	const check = element("input", { type: "checkbox", checked: l.on });
	const range = element("input", { type: "range", min: 0, max: 100,
		value: Math.round(l.opacity * 100) });
	range.setAttribute("aria-label", "Opacity of " + l.name);
	const more = element("div", { className: "more" }, colourBar(l), ticks(l),
		element("label", { className: "opacity" }, "Opacity", range));
	const reduced = data.maps.find(m => data.layers[m.layer] === l && m.reduced > 1);
	if (reduced)
		more.append(element("small", { textContent: "shown in cells of " +
			digits(reduced.res) + " m" }));
	l.card = element("div", { className: "layer" },
		element("label", { className: "name" }, check,
			element("span", { textContent: l.name })), more);
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

/* At first: the plan, and the first of what is over it */
function start() {
	const first = data.layers.findIndex(l => !isPlan(l));
	document.title = data.title + " \u2013 map";
	$("title").textContent = data.title;
	data.layers.forEach((l, i) => {
		l.on = isPlan(l) || i === first;
		l.opacity = isPlan(l) ? 1 : .75;
		addLayer(l);
	});
	$("slider").max = data.times.length - 1;
	$("slider").addEventListener("input", () => setTime(+$("slider").value));
	$("play").addEventListener("click", play);
	$("in").addEventListener("click", () => zoom(1.3));
	$("out").addEventListener("click", () => zoom(1 / 1.3));
	$("fit").addEventListener("click", fit);
	for (const id of ["rooms", "way", "repeaters"])
		$(id).addEventListener("change", redraw);
	new ResizeObserver(() => {
		if (!moved)
			fit();
		draw();
	}).observe(canvas);
	setTime(data.times.length - 1);
	fit();
}

/*
 * PAGE.html#test=X,Y;X,Y checks itself: the title becomes what it found
 */
function pixels() {
	draw();
	const all = pen.getImageData(0, 0, canvas.width, canvas.height).data;
	let sum = 0;
	for (let i = 0; i < all.length; i += 4)
		sum = (sum * 31 + all[i] * 65536 + all[i + 1] * 256 + all[i + 2]) % 4294967291;
	return sum;
}

function key(name) {
	document.body.dispatchEvent(new KeyboardEvent("keydown",
		{ key: name, bubbles: true, cancelable: true }));
}

function hover(x, y) {
	const box = canvas.getBoundingClientRect();
	const event = name => canvas.dispatchEvent(new PointerEvent(name,
		{ clientX: box.left + toX(x), clientY: box.top + toY(y), pointerId: 1,
		  pointerType: "mouse", bubbles: true }));
	event("pointermove");
	draw();
	const rows = [...$("spot").querySelectorAll("tr")].map(r =>
		[...r.cells].map(c => c.textContent));
	event("pointerleave");
	return rows;
}

function selfTest(points) {
	const done = {}, newest = data.times.length - 1;
	draw();		/* the first time fonts may not be there yet */
	const whole = pixels();
	done.spots = points.map(([x, y]) => ({ x, y, box: hover(x, y),
		layers: Object.fromEntries(data.layers.map((l, i) => {
			const v = valueAt(i, x, y);
			return [l.name, { value: v < 0 ? null : plain(l, v),
				physical: v < 0 ? null : +physical(l, v).toFixed(6),
				unit: l.unit }];
		})) }));
	const before = { ...view };
	key("+");
	done.zoomed = view.scale > before.scale;
	key("-");
	key("ArrowRight");
	done.panned = view.x > before.x && view.y === before.y;
	key("ArrowUp");
	done.up = view.y > before.y;
	key("0");
	done.fits = Math.abs(view.scale - before.scale) < 1e-9 && pixels() === whole;
	canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, cancelable: true,
		clientX: 50, clientY: 50 }));
	done.wheel = view.scale > before.scale;
	fit();
	done.switched = data.layers.filter(l => l.on).every(l => {
		l.check.click();
		const without = pixels();
		l.check.click();
		return without !== whole && pixels() === whole;
	});
	$("slider").value = 0;
	$("slider").dispatchEvent(new Event("input"));
	done.first = data.times[now].name;
	done.past = hover(...(points[0] || [0, 0]));
	key(" ");
	done.plays = newest ? playing !== 0 : playing === 0;
	if (playing)
		key(" ");
	key(".");
	done.next = now === Math.min(1, newest);
	setTime(newest);
	done.times = data.times.map(t => t.name);
	done.rooms = (data.rooms[data.times[now].rooms] || []).map(r => r.name);
	const [room] = data.rooms[data.times[now].rooms] || [];
	$("rooms").checked = $("repeaters").checked = true;
	data.repeaters.push(room ? room.at : [0, 0]);
	draw();
	done.names = placed.length > 0 && marks().every(([u, v]) => placed.every(
		([x, y]) => Math.abs(u - x) > 14 || Math.abs(v - y) >= 20));
	data.repeaters.pop();
	done.images = document.images.length;
	done.scripts = document.scripts.length;
	document.title = "TEST " + JSON.stringify(done);
}

/* #at=X,Y: as if the pointer were there */
load().then(() => {
	start();
	const wish = /^#(test|at)=?(.*)$/.exec(location.hash);
	const points = wish ? wish[2].split(";").filter(s => s).map(
		s => s.split(",").map(Number)) : [];
	if (wish && wish[1] === "test")
		selfTest(points);
	else if (points.length)
		pinned = points[0];
	redraw();
}).catch(e => trouble("The page cannot be shown: " + e +
	(window.DecompressionStream ? "" : " (this browser is too old)")));
