// SPDX-License-Identifier: GPL-2.0-only
/*
 * page.js - the page of optsample-view without a browser: band, clock, cursor,
 * messages, acknowledgements
 *
 * usage: node tests/unit/view/page.js
 *
 * Prints TAP.
 */
'use strict';

const fs = require('fs'), path = require('path'), vm = require('vm');
const page = path.join(__dirname, '../../../userspace/view/page');
let count = 0, failed = 0;

function ok(is, name) {
	console.log((is ? 'ok ' : 'not ok ') + ++count + ' - ' + name);
	failed += !is;
}

/* As much of a browser as these files use */
const sockets = [], clock = { now: 1000 };
let frames = [];

class WebSocket {
	constructor(url, protocol) {
		Object.assign(this, { url, protocol, readyState: 1, sent: [] });
		sockets.push(this);
	}

	send(s) {
		this.sent.push(JSON.parse(s));
	}

	close() {
		this.readyState = 3;
	}
}
WebSocket.OPEN = 1;

const context = vm.createContext({ console, URLSearchParams, JSON, Math, Map, Set, Date,
	WebSocket, location: { search: '?token=abc', protocol: 'http:', host: 'here:1' },
	performance: { now: () => clock.now }, setInterval() {}, setTimeout() {}, clearTimeout() {},
	TextDecoder, queueMicrotask, requestAnimationFrame: f => frames.push(f),
	matchMedia: () => ({ addEventListener() {} }),
	document: { hidden: false, addEventListener() {} },
	window: { addEventListener() {} }, localStorage: { getItem: () => null },
	history: { replaceState() {} }, fetch: async () => ({ status: 404 }) });
const code = ['util.js', 'store.js', 'connection.js', 'tiles.js'].map(f =>
	fs.readFileSync(path.join(page, f), 'utf8')).join('\n');
const { Store, Connection, Util, Hottest } = vm.runInContext(code + `
	const Layers = { full: () => 100, value: (l, part) => l.low + part * (l.high - l.low) };
	({ Store, Connection, Util, Hottest })`, context);

async function frame() {
	const now = frames;
	frames = [];
	now.forEach(f => f());
	await null;
}

const text = m => sockets.at(-1).onmessage({ data: JSON.stringify(m) });
const sent = op => sockets.at(-1).sent.filter(m => m.op === op);

function picture(id, t, flags = 0) {
	const b = new ArrayBuffer(40), v = new DataView(b);
	v.setUint8(0, 1);
	v.setUint8(1, flags);
	v.setUint32(4, id, true);
	v.setFloat64(8, t, true);
	v.setFloat64(16, t, true);
	sockets.at(-1).onmessage({ data: b });
}

/* Heads as in browser_frame.h */
function gridMap(id, t) {
	const b = new ArrayBuffer(90), v = new DataView(b);
	v.setUint8(0, 4);
	v.setUint32(4, id, true);
	v.setFloat64(8, t, true);
	v.setFloat64(16, t, true);
	[3, 2].forEach((n, i) => v.setUint32(24 + 4 * i, n, true));
	[.5, 9.25, 19.5, .25, 1, 6].forEach((x, i) => v.setFloat32(32 + 4 * i, x, true));
	[...'elevation'].forEach((c, i) => v.setUint8(56 + i, c.charCodeAt(0)));
	v.setUint16(88, 0x1234);
	sockets.at(-1).onmessage({ data: b });
}

async function main() {
	/* Connect */
	Connection.open();
	sockets[0].onopen();
	ok(sockets[0].protocol === 'optsample.view.v1' && sent('hello')[0].token === 'abc',
		'hello with the token of the address');
	text({ op: 'hello', name: 'here', now: 50000, slot: 500, slots: 8 });
	ok(Connection.connected() && Store.now() === 50000, "the server's clock");
	clock.now += 100;
	Store.control({ op: 'state', now: 50080, connected: true, topics: [] });
	ok(Store.now() === 50100, 'a late message does not put the clock back');
	text({ op: 'topics', topics: [
		{ id: 2, name: '/odom', kind: 'odometry', source: 'r' },
		{ id: 1, name: '/front/image_raw/compressed', kind: 'image', source: 'r' }] });
	ok([...Store.topics.keys()].join() === '1,2' && Store.topics.get(1).short === 'front',
		'pictures first, names without what all end in');

	/* The band */
	const band = (first, s, full = false) => text({ op: 'band', full, now: 50100,
		topics: [{ id: 1, first, s }],
		outages: [{ source: 'r', begin: 45500, end: null }] });
	const shown = (a, b) => Array.from({ length: b - a }, (x, i) =>
		Store.at(1, a + i)).join('');
	band(90, 'LLEE', true);
	ok(shown(88, 96) === '..LLEE..', 'slots where they belong');
	band(92, 'KX');
	ok(shown(88, 96) === '..LLKX..', 'changed slots');
	band(96, 'L');
	ok(shown(88, 98) === '..LLKX..L.', 'nothing is known between');
	band(100, 'L');
	ok(shown(88, 102) === '.....X..L...L.', 'old slots fall out');
	band(80, 'L');
	ok(Store.at(1, 80) === '.' && Store.at(1, 96) === 'L', 'too old a slot changes nothing');
	band(60, 'LLLLLLLLLLKX', true);
	ok(shown(62, 73) === '..LLLLLLKX.', 'more than the ring: the newest');

	/* Messages and acknowledgements */
	picture(1, 49000);
	picture(1, 48000, 1);
	ok(Store.newest.get(1).t === 49000, 'a kept picture is not newer than a live one');
	ok(!sent('ack').length, 'no acknowledgement before the frame');
	await frame();
	ok(sent('ack').at(-1).n === 2, 'both are acknowledged at once');
	text({ op: 'msg', id: 2, t: 49500, a: 49500, kept: false, at: false, data: {} });
	await frame();
	ok(sent('ack').at(-1).n === 3, 'counted over the whole connection');

	/* A grid map */
	gridMap(3, 49600);
	await frame();
	const g = Store.newest.get(3);
	ok(g.width === 3 && g.height === 2 && g.resolution === .5 && g.x === 9.25 &&
		g.y === 19.5 && g.yaw === .25 && g.packed.join() === '18,52',
		'where a grid map is');
	ok(g.layer === 'elevation' && g.low === 1 && g.high === 6, 'and what it shows');

	/* The cursor */
	Store.setAskIds(() => [1]);
	Store.setCursor(49100);
	Store.setCursor(49200);
	Store.setCursor(49300);
	ok(sent('at').length === 1 && sent('at')[0].time === 49100, 'one question at a time');
	ok(Store.shown(1).t === 49000, 'until there is an answer, what was shown');
	picture(1, 48500, 3);
	text({ op: 'at', time: 49100, done: true, found: { 1: 48500 } });
	ok(Store.past.time === 49100 && Store.shown(1).t === 48500 && Store.shown(1).kept,
		'what was known at that time');
	ok(Store.newest.get(1).t === 49000, 'an answer is not the newest');
	ok(sent('at').length === 2 && sent('at')[1].time === 49300, 'then the newest wish');
	clock.now += 5000;
	text({ op: 'state', now: 55180, connected: true, topics: [] });
	ok(sent('at').length === 3 && sent('at')[2].time === 49300,
		'again if no answer came');
	Store.setCursor(null);
	text({ op: 'at', time: 49300, done: true, found: {} });
	ok(Store.past === null && Store.shown(1).t === 49000,
		'live again: a late answer is nothing');
	Store.setCursor(Store.now() + 1000);
	ok(Store.cursor === null, 'a cursor in the future is live');

	/* Places */
	text({ op: 'track', full: true, source: 'r', frame: 'map',
		points: [[1000, 1, 2, 0], [2000, 3, 4, 0]] });
	ok(Store.placeAt('r', 1500)[1] === 1 && Store.placeAt('r', 9e9)[1] === 3 &&
		Store.placeAt('r', 500) === null, 'the last place at or before a time');

	/* A replay that jumps back */
	text({ op: 'play', paused: false, speed: 2, time: 30000, begin: 0, end: 90000 });
	text({ op: 'state', now: 30000, connected: true, topics: [] });
	text({ op: 'state', now: 10000, connected: true, topics: [] });
	ok(!Store.newest.has(1) && Store.now() === 10000, 'what was newer is forgotten');
	clock.now += 100;
	ok(Store.now() === 10200, 'time at its speed');

	/* Silence, and messages that are cut off */
	await frame();
	const before = sent('ack').at(-1).n;
	sockets[0].onmessage({ data: new ArrayBuffer(3) });
	await frame();
	ok(sent('ack').at(-1).n === before + 1, 'a message that is cut off is counted, not fatal');
	text({ op: 'error', text: 'priority refused' });
	ok(Connection.connected(), 'an error is no end');
	sockets[0].onclose({ code: 1006 });
	ok(Connection.state() === 'lost' && Store.stateOf(1) === 'disconnected',
		'without a connection nothing is live');

	/* Words */
	ok(Util.age(85) === '85 ms' && Util.age(3200) === '3.2 s' && Util.age(65000) === '65.0 s' &&
		Util.age(125000) === '2 min 05 s' && Util.age(-5) === '0 ms', 'ages');
	ok(Util.rate(3.24e6) === '3.2\u00a0Mbit/s' && Util.rate(NaN) === '\u2013', 'rates');

	/* The hottest place, of layers that are off and of any size */
	const asked = [];
	context.fetch = async url => {
		asked.push(url);
		const hot = url.includes('in_situ');
		return { ok: true, json: async () => ({ maximum: url.includes('empty') ? null :
			{ value: hot ? 40 : 90, x: hot ? 1 : 2, y: 3 } }) };
	};
	const layer = (name, high) => ({ name, role: 'temperature', low: 0, high, revision: 1,
		bounds: [-9000, -9000, 9000, 9000], resolution: .05 });
	Store.layers = [layer('in_situ', 500), layer('remote', 100), layer('empty', 100),
		{ ...layer('unknown', 100), bounds: null }, { ...layer('walls', 1), role: 'obstacle' }];
	await Hottest.update();
	ok(asked.length === 3 && asked.every(url => url.endsWith('/peaks')) &&
		Hottest.place().l.name === 'in_situ' && Hottest.place().x === 1,
		'the hottest place: one small answer for each temperature');
	await Hottest.update();
	ok(asked.length === 3, 'once for each revision');

	console.log('1..' + count);
}

main().then(() => process.exit(failed ? 1 : 0));
