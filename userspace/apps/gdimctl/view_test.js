// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_test.js - the page of maps: it checks itself if asked, and it starts
 */
"use strict";

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

function rowsIn(e) {
	return [...e.querySelectorAll("tr")].map(r =>
		[...r.cells].map(c => c.textContent));
}

function hover(x, y) {
	const box = canvas.getBoundingClientRect();
	const event = name => canvas.dispatchEvent(new PointerEvent(name,
		{ clientX: box.left + toX(x), clientY: box.top + toY(y), pointerId: 1,
		  pointerType: "mouse", bubbles: true }));
	event("pointermove");
	draw();
	const rows = rowsIn($("spot"));
	event("pointerleave");
	return rows;
}

/* A click there: what the box says of layers shown, and of those folded */
function clickOn(x, y) {
	const box = canvas.getBoundingClientRect();
	for (const name of ["pointerdown", "pointerup"])
		canvas.dispatchEvent(new PointerEvent(name,
			{ clientX: box.left + toX(x), clientY: box.top + toY(y),
			  pointerId: 1, pointerType: "mouse", bubbles: true }));
	draw();
	const rest = $("spot").querySelector("details");
	const folded = rest ? rowsIn(rest) : [];
	const all = rowsIn($("spot"));
	const said = { shown: all.slice(0, all.length - folded.length), folded,
		open: !!rest && rest.open, stays: pinned !== null };
	key("Escape");
	said.gone = pinned === null;
	draw();
	return said;
}

/* The colour at a spot, as it is on the screen */
function colourSeen(x, y) {
	const ratio = window.devicePixelRatio || 1;
	draw();
	return [...pen.getImageData(Math.floor(toX(x) * ratio),
		Math.floor(toY(y) * ratio), 1, 1).data].slice(0, 3);
}

/* What is drawn of lines and of the highest places, in m */
function peaksSeen() {
	return peaksNow().map(({ l, m, p }) => ({ layer: l.name,
		highest: p.at && highestWords(l, p), at: p.at,
		lines: p.lines.map(line => ({ at: line.shown, parts: line.parts,
			top: line.top && line.top.map(c => c * m.res) })) }));
}

/* Only the plan, with a choice of how, at these points */
function planSeen(points, decided) {
	const was = data.layers.map(l => l.on);
	data.layers.forEach(l => {
		l.on = isPlan(l);
		l.decided = l.decided && decided;
	});
	const seen = points.map(([x, y]) => colourSeen(x, y));
	data.layers.forEach((l, i) => {
		l.on = was[i];
		l.decided = isPlan(l);
	});
	return seen;
}

function linesField() {
	return document.querySelector(".layer:not(.off) .lines");
}

function typeLines(words) {
	const input = linesField();
	input.value = words;
	input.dispatchEvent(new Event("change"));
}

/* Other lines, as somebody would ask for them */
function linesAsked() {
	if (!linesField())
		return null;
	const was = linesField().value;
	typeLines("80, 50; x");
	draw();
	const seen = peaksSeen()[0].lines.map(line => line.at);
	typeLines(was);
	return seen;
}

function selfTest(points) {
	const done = {}, newest = data.times.length - 1;
	done.field = linesField() && linesField().value;
	draw();		/* the first time fonts may not be there yet */
	const whole = pixels();
	done.spots = points.map(([x, y]) => ({ x, y, box: hover(x, y),
		layers: Object.fromEntries(data.layers.map((l, i) => {
			const v = valueAt(i, x, y);
			return [l.name, { value: v < 0 ? null : plain(l, v),
				physical: v < 0 ? null : +physical(l, v).toFixed(6),
				unit: l.unit }];
		})) }));
	done.clicks = points.map(([x, y]) => clickOn(x, y));
	done.colours = points.map(([x, y]) => colourSeen(x, y));
	done.peaks = peaksSeen();
	$("peaks").checked = false;
	done.bare = points.map(([x, y]) => colourSeen(x, y));
	done.plan = planSeen(points, true);
	done.undecided = planSeen(points, false);
	done.marked = data.layers.some(l => l.on && hasPeak(l)) && pixels() !== whole;
	$("peaks").checked = true;
	done.asked = linesAsked();
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

/* #at=X,Y: as if the pointer were there; #lines=V,V: as if these were typed */
load().then(() => {
	start();
	const wish = /^#(test|at|lines)=?(.*)$/.exec(location.hash);
	const points = wish ? wish[2].split(";").filter(s => s).map(
		s => s.split(",").map(Number)) : [];
	if (wish && wish[1] === "test")
		selfTest(points);
	else if (wish && wish[1] === "lines")
		typeLines(points.flat().join(" "));
	else if (points.length)
		pinned = points[0];
	redraw();
}).catch(e => trouble("The page cannot be shown: " + e +
	(window.DecompressionStream ? "" : " (this browser is too old)")));
