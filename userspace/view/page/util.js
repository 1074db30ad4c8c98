// SPDX-License-Identifier: GPL-2.0-only
/*
 * util.js - small helpers: elements, words for times and numbers, one redraw
 * per frame
 */
'use strict';

const Util = (() => {
	const $ = id => document.getElementById(id);

	function el(name, properties, ...children) {
		const e = document.createElement(name);
		const { aria, data, ...rest } = properties || {};
		Object.assign(e, rest);
		for (const k in aria)
			e.setAttribute(k === 'role' ? k : 'aria-' + k, aria[k]);
		Object.assign(e.dataset, data);
		e.append(...children.filter(c => c !== null && c !== undefined));
		return e;
	}

	/* Touch the document only when the text is another one */
	function text(e, words) {
		if (e.textContent !== words)
			e.textContent = words;
	}

	function attribute(e, name, value) {
		if (e.getAttribute(name) !== value)
			e.setAttribute(name, value);
	}

	const two = n => String(Math.floor(n)).padStart(2, '0');

	function age(ms) {
		const s = Math.max(0, ms) / 1000;
		if (s < 1)
			return Math.round(Math.max(0, ms)) + ' ms';
		if (s < 99.95)
			return s.toFixed(1) + ' s';
		if (s < 3600)
			return Math.floor(s / 60) + ' min ' + two(s % 60) + ' s';
		return Math.floor(s / 3600) + ' h ' + two(s % 3600 / 60) + ' min';
	}

	/* Of outages: tenths of seconds would be noise */
	function duration(ms) {
		const s = Math.max(0, ms) / 1000;
		return s < 10 ? s.toFixed(1) + ' s' : s < 99.5 ? Math.round(s) + ' s' : age(ms);
	}

	/* Of recordings: 5:18, 1:05:18 */
	function minutes(ms) {
		const s = Math.max(0, Math.round(ms / 1000));
		return s < 3600 ? Math.floor(s / 60) + ':' + two(s % 60) : Math.floor(s / 3600) +
			':' + two(s % 3600 / 60) + ':' + two(s % 60);
	}

	function clock(ms, tenths) {
		const d = new Date(tenths ? ms : Math.round(ms / 1000) * 1000);
		return isNaN(d) ? '' : two(d.getHours()) + ':' + two(d.getMinutes()) + ':' +
			two(d.getSeconds()) +
			(tenths ? '.' + Math.floor(d.getMilliseconds() / 100) : '');
	}

	function digits(v) {
		return String(v).replace(/^-/, '\u2212');
	}

	function number(v, places = 3) {
		return Number.isFinite(v) ? digits(+v.toPrecision(places)) : '\u2013';
	}

	/* Three digits; the space between does not break */
	function rate(bits) {
		if (!Number.isFinite(bits))
			return '\u2013';
		const [by, unit] = bits >= 1e6 ? [1e6, 'Mbit/s'] : [1e3, 'kbit/s'];
		return digits(+(bits / by).toPrecision(bits >= 1e8 ? 3 : 2)) + '\u00a0' + unit;
	}

	/* A canvas as large as its box in pixels of the screen. Return: its context */
	function sized(canvas) {
		const ratio = window.devicePixelRatio || 1;
		const w = Math.round(canvas.clientWidth * ratio);
		const h = Math.round(canvas.clientHeight * ratio);
		if (canvas.width !== w || canvas.height !== h) {
			canvas.width = w;
			canvas.height = h;
		}
		const pen = canvas.getContext('2d');
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
		return pen;
	}

	/* Colours are the style sheet's, so that dark and light are in one place */
	let colours = {};
	function colour(name) {
		return colours[name] ||= getComputedStyle(document.documentElement)
			.getPropertyValue('--' + name).trim();
	}
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		colours = {};
		Frame.all();
	});

	/* Settings of this browser; it may refuse to keep any */
	function keep(key, value) {
		try {
			localStorage.setItem('optsample-view ' + key, JSON.stringify(value));
		} catch (e) {
			/* then they are gone with the page */
		}
	}

	function kept(key, otherwise) {
		try {
			const v = JSON.parse(localStorage.getItem('optsample-view ' + key));
			return v === null ? otherwise : v;
		} catch (e) {
			return otherwise;
		}
	}

	return { $, el, text, attribute, age, duration, minutes, clock, digits, number, rate, sized,
		colour, keep, kept };
})();

/*
 * Whoever has something to draw says so; all is drawn once in the next frame.
 * A hidden page has no frames: a timer stands in, so that the server, which
 * waits for acknowledgements, is not held up
 */
const Frame = (() => {
	const draws = new Map(), dirty = new Set();
	let after = [], queued = false, later = 0;

	/* What is expensive has a rest; it stays dirty until then */
	function drawOne(name, here) {
		const d = draws.get(name);
		if (here - d.when < d.rest) {
			later = later || setTimeout(() => {
				later = 0;
				request();
			}, d.rest - (here - d.when));
			return;
		}
		dirty.delete(name);
		d.when = here;
		try {
			d.draw();
		} catch (e) {
			console.error(name, e);
		}
	}

	function run() {
		const here = performance.now();
		if (!queued)
			return;
		queued = false;
		for (const name of [...dirty])
			drawOne(name, here);
		const done = after;
		after = [];
		done.forEach(f => f());
	}

	function request() {
		if (queued)
			return;
		queued = true;
		if (document.hidden)
			setTimeout(run, 200);
		else
			requestAnimationFrame(run);
	}

	document.addEventListener('visibilitychange', () => {
		if (document.hidden)
			run();
		else
			all();
	});

	/* @rest: ms between two drawings, at least */
	function add(name, draw, rest = 0) {
		draws.set(name, { draw, rest, when: -1e9 });
	}

	/* What a hand is moving is drawn at once */
	function now(name) {
		draws.get(name).when = -1e9;
		mark(name);
	}

	function mark(...names) {
		names.forEach(n => draws.has(n) && dirty.add(n));
		request();
	}

	function all() {
		mark(...draws.keys());
	}

	function then(f) {
		after.push(f);
		request();
	}

	return { add, mark, now, all, then };
})();
