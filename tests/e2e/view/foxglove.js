// SPDX-License-Identifier: GPL-2.0-only
/*
 * foxglove.js - clients of optsample-view, with the protocol and the decoders
 * of others: npm.sh installs them
 *
 * usage: node foxglove.js PART PORT [ARGUMENT...]
 *
 * Prints "ok TEXT", "not ok TEXT" and comments.
 */
'use strict';

const fs = require('fs'), path = require('path');
const npm = path.join(__dirname, '../../../build/npm/node_modules');
const { FoxgloveClient } = require(path.join(npm, '@foxglove/ws-protocol'));
const rosmsg = require(path.join(npm, '@foxglove/rosmsg'));
const ros1 = require(path.join(npm, '@foxglove/rosmsg-serialization'));
const ros2 = require(path.join(npm, '@foxglove/rosmsg2-serialization'));
const WebSocket = require(path.join(npm, 'ws'));

const SDK = 'foxglove.sdk.v1', WS = FoxgloveClient.SUPPORTED_SUBPROTOCOL;
const PLAYING = 0, PAUSED = 1, ENDED = 3;
const PATIENCE = 120000;

function text(v) {
	return JSON.stringify(v, (key, x) => typeof x === 'bigint' ? String(x) : x);
}

function ok(good, name, got) {
	console.log((good ? 'ok ' : 'not ok ') + name);
	if (!good && got !== undefined)
		console.log('# got ' + String(text(got)).slice(0, 1000));
	return good;
}

/* @got is what came, @wanted what was wanted */
function is(got, wanted, name) {
	return ok(text(got) === text(wanted), name, { got, wanted });
}

const pause = ms => new Promise(done => setTimeout(done, ms));

/* Wait until @condition() is true, and return that */
async function until(what, condition, shows) {
	const end = Date.now() + PATIENCE;
	let value;

	while (!(value = condition())) {
		if (Date.now() > end)
			throw new Error('it never came: ' + what +
				(shows ? '; but ' + text(shows()) : ''));
		await pause(10);
	}
	return value;
}

function crc32(data) {
	let crc = -1;

	for (const byte of data) {
		crc ^= byte;
		for (let i = 0; i < 8; i++)
			crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0');
}

/* A stamp of a message or of JSON, ns */
const ns = t => BigInt(t.sec) * 1000000000n + BigInt(t.nsec ?? t.nanosec);

class Client {
	/* All that comes is kept in lists */
	constructor(port, protocol, options = {}) {
		Object.assign(this, { channels: new Map(), subs: new Map(), got: [],
			statuses: [], states: [], times: [], values: [], graphs: [],
			services: [], responses: [], failures: [], assets: [],
			errors: [], closed: null, info: null });
		this.ws = new WebSocket(`ws://127.0.0.1:${port}${options.path ?? '/'}`,
			[protocol], { perMessageDeflate: false });
		this.client = new FoxgloveClient({ ws: this.ws });
		/* of foxglove.sdk.v1 only: ws-protocol does not know it */
		this.ws.addEventListener('message', e => this.playback(e.data));
		const c = this.client;
		c.on('serverInfo', m => { this.info = m; });
		c.on('status', m => this.statuses.push(m));
		c.on('advertise', list => list.forEach(m => this.channels.set(m.id, m)));
		c.on('message', m => this.message(m));
		c.on('time', m => this.times.push(m.timestamp));
		c.on('parameterValues', m => this.values.push(m));
		c.on('connectionGraphUpdate', m => this.graphs.push(m));
		c.on('advertiseServices', list => this.services.push(...list));
		c.on('serviceCallResponse', m => this.responses.push(m));
		c.on('serviceCallFailure', m => this.failures.push(m));
		c.on('fetchAssetResponse', m => this.assets.push(m));
		c.on('close', e => { this.closed = { code: e.code, reason: e.reason }; });
		c.on('error', e => {
			if (!/opcode in binary message: 5$/.test(e.message))
				this.errors.push(e.message);
		});
	}

	static async open(port, protocol, options) {
		const c = new Client(port, protocol, options);

		await until('serverInfo', () => c.info, () => c.errors);
		return c;
	}

	playback(data) {
		if (!(data instanceof ArrayBuffer) || new Uint8Array(data)[0] !== 5)
			return;
		const v = new DataView(data), n = v.getUint32(15, true);

		this.states.push({ status: v.getUint8(1), time: v.getBigUint64(2, true),
			speed: v.getFloat32(10, true), sought: v.getUint8(14) === 1,
			id: Buffer.from(data, 19, n).toString(),
			extra: data.byteLength - 19 - n, at: this.got.length });
	}

	message(m) {
		const channel = this.subs.get(m.subscriptionId);
		const data = new Uint8Array(m.data.buffer, m.data.byteOffset,
					    m.data.byteLength);

		if (!channel) {
			this.errors.push('message of unknown subscription ' +
					 m.subscriptionId);
			return;
		}
		this.got.push({ topic: channel.topic, channel, stamp: m.timestamp, data,
			time: this.times.at(-1),
			get value() { return decode(channel, data); } });
	}

	find(topic) {
		return [...this.channels.values()].find(c => c.topic === topic);
	}

	async subscribe(topic) {
		const channel = await until(topic, () => this.find(topic),
			() => [...this.channels.values()].map(c => c.topic));

		const id = this.client.subscribe(channel.id);
		this.subs.set(id, channel);
		return id;
	}

	of(topic, from = 0) {
		return this.got.slice(from).filter(m => m.topic === topic);
	}

	/* PlaybackControlRequest. Return: the state that answers it */
	async control(id, command, speed, seek) {
		const head = new DataView(new ArrayBuffer(19 + id.length));

		head.setUint8(0, 3);
		head.setUint8(1, command);
		head.setFloat32(2, speed, true);
		head.setUint8(6, seek === undefined ? 0 : 1);
		head.setBigUint64(7, seek ?? 0n, true);
		head.setUint32(15, id.length, true);
		new Uint8Array(head.buffer, 19).set(Buffer.from(id));
		this.ws.send(head.buffer);
		return until('state of ' + id, () => this.states.find(s => s.id === id),
			     () => this.states.slice(-3));
	}

	status(what) {
		return until(`status ${what}`,
			() => this.statuses.find(s => what.test(s.message)),
			() => this.statuses);
	}

	end() {
		is(this.errors, [], 'no errors of the client');
		this.ws.terminate();
	}
}

/*
 * Messages
 */

const readers = new Map();

function definitions(channel) {
	return rosmsg.parse(channel.schema,
			    { ros2: channel.schemaEncoding === 'ros2msg' });
}

function decode(channel, data) {
	if (channel.encoding === 'json')
		return JSON.parse(Buffer.from(data).toString());
	if (!readers.has(channel.schema)) {
		const d = definitions(channel);

		readers.set(channel.schema, channel.encoding === 'cdr' ?
			new ros2.MessageReader(d) : new ros1.MessageReader(d));
	}
	return readers.get(channel.schema).readMessage(data);
}

/* Stamps of ROS 2 as ROS 1 has them */
function rename(m) {
	if (!m || typeof m !== 'object' || ArrayBuffer.isView(m))
		return;
	if ('nanosec' in m)
		m.nsec = m.nanosec;
	Object.values(m).forEach(rename);
}

/* ROS 1's GridMap has it in its info */
const header_of = m => m.header ?? m.info?.header;

/* The message in ROS 1's form, as io-copy has it: with header.seq 0 */
function as_ros1(channel, data, schema) {
	const m = decode(channel, data);

	if (channel.encoding === 'cdr' && /CameraInfo$/.test(channel.schemaName))
		Object.assign(m, { D: m.d, K: m.k, R: m.r, P: m.p });
	if (channel.encoding === 'cdr' && /GridMap$/.test(channel.schemaName))
		m.info.header = m.header;
	rename(m);
	if (header_of(m))
		header_of(m).seq = 0;
	return new ros1.MessageWriter(rosmsg.parse(schema)).writeMessage(m);
}

/*
 * The same bytes when decoded and encoded again. DDS fills up to 4 bytes with
 * zeros, and the 4th byte says how many.
 */
function is_again(channel, data) {
	const d = definitions(channel), m = decode(channel, data);
	const cdr = channel.encoding === 'cdr';
	const bytes = (cdr ? new ros2.MessageWriter(d) :
			     new ros1.MessageWriter(d)).writeMessage(m);
	const rest = data.subarray(bytes.length);

	if (cdr)
		bytes[3] = rest.length;
	return !Buffer.compare(bytes, data.subarray(0, bytes.length)) &&
		rest.length <= (cdr ? 3 : 0) && rest.every(x => !x);
}

/* Lines of io-copy, TOPIC TYPE STAMP CRC: Map of TOPIC to Set of "STAMP CRC" */
function read_recorded(file) {
	const recorded = new Map();

	for (const line of fs.readFileSync(file, 'utf8').trim().split('\n')) {
		const [topic, , stamp, crc] = line.split(' ');

		if (!recorded.has(topic))
			recorded.set(topic, new Set());
		recorded.get(topic).add(`${stamp} ${crc}`);
	}
	return recorded;
}

function check_info(c, protocol, capabilities) {
	is(c.ws.protocol, protocol, `${protocol}: the sub-protocol`);
	ok(/^optsample-view /.test(c.info.name), 'serverInfo: name', c.info.name);
	is(c.info.capabilities, capabilities, 'serverInfo: capabilities');
	ok(/^[0-9a-f]{16}$/.test(c.info.sessionId), 'serverInfo: session',
	   c.info.sessionId);
	is(c.info.supportedEncodings, ['cdr', 'ros1', 'json'],
	   'serverInfo: encodings');
}

/*
 * All kinds of messages, replayed; FILE is io-copy's of the recording, SCHEMAS
 * has ROS 1's definitions: a recording of ROS 1 writes it
 */
async function messages(port, protocol, encoding, file, schemas) {
	const recorded = read_recorded(file), seen = new Map(), wrong = [];
	const c = await Client.open(port, protocol);
	const pilot = await Client.open(port, SDK);
	const sdk = protocol === SDK;

	check_info(c, protocol, ['connectionGraph', 'parameters',
		'parametersSubscribe', 'time', ...sdk ? ['rangedPlayback'] : []]);
	if (sdk)
		ok(ns(c.info.dataStartTime) === 1700000000000000000n &&
		   ns(c.info.dataEndTime) > ns(c.info.dataStartTime),
		   'serverInfo: begin and end of the recording', c.info);
	for (const topic of recorded.keys()) {
		seen.set(topic, new Set());
		await c.subscribe(topic);
	}
	const channels = [...recorded.keys()].map(topic => c.find(topic));
	is(channels.filter(k => k.encoding !== encoding), [],
	   `${recorded.size} topics in ${encoding}`);
	is(channels.filter(k => !definitions(k).length), [],
	   'all schemas are parsed');
	const names = encoding === 'ros1' ?
		Object.fromEntries(channels.map(k => [k.topic, k.schema])) :
		JSON.parse(fs.readFileSync(schemas, 'utf8'));
	if (encoding === 'ros1')
		fs.writeFileSync(schemas, JSON.stringify(names));

	const differ = new Set();
	let at = 0, passes = 0;
	const all = () => [...recorded].every(([topic, set]) =>
		seen.get(topic).size >= set.size);
	const look = () => {
		for (; at < c.got.length; at++) {
			const { topic, channel, data } = c.got[at];
			const m = decode(channel, data);
			const stamp = String(header_of(m) ?
					     ns(header_of(m).stamp) : 0);
			const key = `${stamp} ${crc32(as_ros1(channel, data,
							      names[topic]))}`;

			if (!recorded.get(topic).has(key))
				wrong.push(`${topic} ${key}`);
			seen.get(topic).add(key);
			if (!is_again(channel, data))
				differ.add(topic);
		}
	};
	/* of a large topic a client may only get some messages in one pass */
	for (; !all() && passes < 200 && !wrong.length; passes++) {
		const before = c.got.length;

		await pilot.control(`pass ${passes}`, PLAYING, 0, 0n);
		await until('the end', () => pilot.states.at(-1).status === ENDED,
			    () => pilot.states.slice(-3));
		await until('messages of a pass', () => c.got.length > before);
		look();
	}
	is(wrong, [], 'all that comes is what was recorded');
	ok(all(), `all ${[...recorded.values()].reduce((n, s) => n + s.size, 0)}` +
	   ` messages come with their values (${passes} passes)`,
	   [...recorded].filter(([t, s]) => seen.get(t).size < s.size)
		.map(([t, s]) => `${t}: ${seen.get(t).size} of ${s.size}`));
	is([...differ], [], `all ${c.got.length} messages are the same bytes ` +
	   'when encoded again');
	c.end();
	pilot.end();
}

/*
 * A recording of `view-bag ... more`, at most @seconds long, that is replayed
 */

const BEGIN = 1700000000000000000n, STEP = 100000000n;
const state_of = m => Math.round(m.value.pose.pose.position.x);

/* The first message of @topic that came after the state @s */
function after(c, s, topic) {
	return until(`${topic} after ${s.id}`, () => c.of(topic, s.at)[0]);
}

async function replay(port, seconds) {
	const c = await Client.open(port, SDK), end = BEGIN + STEP *
		BigInt(10 * seconds - 1);
	let s = await until('a first state', () => c.states[0]), from, m;

	ok(s.id === '' && s.speed === 1 && s.status === PLAYING && !s.extra,
	   'the first state: playing', s);
	is([ns(c.info.dataStartTime), ns(c.info.dataEndTime)], [BEGIN, end],
	   'begin and end of the recording');
	for (const topic of ['/state', '/image0', '/image0/kept', '/map'])
		await c.subscribe(topic);
	await until('states', () => c.of('/state').length > 3);

	s = await c.control('halt', PAUSED, 0);
	ok(s.status === PAUSED && !s.sought, 'pause: the state', s);
	from = c.times.length;
	await until('time', () => c.times.length >= from + 12);
	const still = c.times.slice(from + 2);
	ok(still.every(t => t === still[0]), 'pause: time stands still', still);
	ok(c.of('/state').every((x, i, all) => !i ||
				state_of(x) === state_of(all[i - 1]) + 1),
	   'all states so far, in order', c.of('/state').map(state_of));
	const last = state_of(c.of('/state').at(-1));
	s = await c.control('go on', PLAYING, 0);
	ok(s.status === PLAYING, 'play: the state', s);
	is(state_of(await after(c, s, '/state')), last + 1,
	   'play: the next state is the one after the last');

	s = await c.control('faster', PLAYING, 3);
	ok(s.speed === 3, 'speed: the state', s);
	const t0 = Date.now(), r0 = c.times.at(-1);
	ok(await until('more than twice the time', () => Date.now() - t0 > 500 &&
		Number(c.times.at(-1) - r0) / 1e6 > 2 * (Date.now() - t0)),
	   'speed: the recording is more than twice as fast');
	s = await c.control('normal', PLAYING, 1);
	ok(s.speed === 1, 'speed: 1 again', s);

	for (const [id, place] of [['back', 45], ['forth', 10 * seconds - 35],
				   ['back again', 25]]) {
		const t = BEGIN + STEP * BigInt(place);

		s = await c.control(id, PLAYING, 0, t);
		ok(s.sought && s.status === PLAYING && s.time >= t &&
		   s.time < t + 20n * STEP, `${id}: the state`, s);
		m = await until('state of ' + place,
			() => c.of('/state', s.at - 20 < 0 ? 0 : s.at - 20)
				.find(x => state_of(x) === place),
			() => c.of('/state').slice(-5).map(state_of));
		is(m.stamp, t, `${id}: state ${place} has its time`);
		m = await until('the map', () => c.of('/map').findLast(x =>
			x.value.data[0] === Math.floor(place / 20)),
			() => c.of('/map').map(x => x.value.data[0]));
		ok(m, `${id}: the map is that of before, ${m.value.data[0]}`);
	}

	/* while paused only latched state comes */
	s = await c.control('still', PAUSED, 0, BEGIN + STEP * 65n);
	ok(s.sought && s.status === PAUSED, 'a place while paused: the state', s);
	await until('map 3', () => c.of('/map').at(-1).value.data[0] === 3,
		    () => c.of('/map').map(x => x.value.data[0]));
	from = c.times.length;
	await until('time', () => c.times.length >= from + 5);
	is(c.times.at(-1), BEGIN + STEP * 65n, 'a place while paused: the time');
	ok(!c.of('/state').some(x => state_of(x) === 65),
	   'a place while paused: no state yet');
	s = await c.control('from there', PLAYING, 0);
	is(state_of(await after(c, s, '/state')), 65, 'and from there');

	/* kept messages: all of them, of the time of their stamp */
	s = await c.control('all', PLAYING, 5, 0n);
	await until('the end', () => c.states.at(-1).status === ENDED,
		    () => c.states.slice(-2));
	await until('the last state', () => state_of(c.of('/state').at(-1)) ===
		10 * seconds - 1);
	const mark = c.got.findLastIndex(x => x.topic === '/state' &&
					 state_of(x) === 0);
	is(c.of('/state', mark).map(state_of),
	   [...Array(10 * seconds).keys()], 'all states from the begin to the end');
	const kept = () => c.of('/image0/kept', mark).map(x =>
		Buffer.from(x.value.data).readUInt32LE(0));
	const wanted = [];
	for (let n = 15; n < 10 * seconds; n += 10)
		wanted.push(n - 10);
	await until('kept images', () => kept().length >= wanted.length, kept);
	is(kept(), wanted, '/image0/kept: what was recorded as kept');
	is(c.of('/image0/kept', mark).map(x => ns(x.value.header.stamp)),
	   wanted.map(n => BEGIN + STEP * BigInt(n)), 'with their stamps');
	s = await c.control('from the end', PLAYING, 1, BEGIN + STEP * 30n);
	ok(s.status === PLAYING, 'after the end it plays again', s);
	ok(await until('state 30', () => c.of('/state', s.at - 5).some(x =>
		state_of(x) === 30)),
	   'from there');

	/* before the begin and after the end */
	s = await c.control('early', PAUSED, 1, 5n);
	is(s.time, BEGIN, 'a time before the recording is its begin');
	s = await c.control('late', PLAYING, 1, end + 1000000000000n);
	await until('the end', () => c.states.at(-1).status === ENDED);
	is(c.states.at(-1).time, end, 'one after it is its end');
	c.end();
}

/* As Foxglove without control of replays; the recording repeats */
async function loop(port, seconds) {
	const c = await Client.open(port, WS);
	const wanted = 10 * seconds;

	await c.subscribe('/state');
	await until('two passes', () => c.of('/state').length > 2 * wanted);
	const list = c.of('/state').slice(0, 2 * wanted).map(state_of);
	ok(list.every((n, i) => !i || n === (list[i - 1] + 1) % wanted),
	   'a recording repeats: all states, in order', list);
	const turn = c.of('/state').findIndex((x, i, all) => i &&
		state_of(x) < state_of(all[i - 1]));
	const t = c.of('/state')[turn];
	is([t.stamp, ns(t.value.header.stamp)], [BEGIN, BEGIN],
	   'each pass has the time of the recording');
	const late = c.got.filter(m => m.time && (m.stamp > m.time + 1000000000n ||
						 m.stamp < m.time - 1000000000n));
	is(late.map(m => [m.time, m.stamp]), [],
	   'so has the time of the protocol: at most 1 s apart');
	is(c.states, [], 'no playback state without foxglove.sdk.v1');
	c.end();
}

async function band(port) {
	const c = await Client.open(port, WS);

	await c.subscribe('/optsample/band');
	is(c.find('/optsample/band').encoding, 'json', 'the band is JSON');
	is(JSON.parse(c.find('/optsample/band').schema).type, 'object',
	   'its schema is one of an object');
	const m = await until('a band with two topics', () =>
		c.of('/optsample/band').find(x => x.value.topics.length > 2 &&
			x.value.topics.every(t => t.state === 'live')),
		() => c.of('/optsample/band').at(-1)?.value);
	const state = m.value.topics.find(t => t.name === '/state');
	ok(state && /^#|\S/.test(state.band) && state.live > 0,
	   'the band of /state', m.value);
	is(m.value.outages, [], 'no outages');
	c.end();
}

async function graph(port, file) {
	const c = await Client.open(port, WS);
	const topics = [...read_recorded(file).keys()].sort();

	c.client.subscribeConnectionGraph();
	const g = await until('the graph of all topics', () =>
		c.graphs.find(x => x.publishedTopics.length >= topics.length),
		() => c.graphs);
	is(g.publishedTopics.map(t => t.name).sort(), topics,
	   'connectionGraph: all topics');
	ok(g.publishedTopics.every(t => t.publisherIds.length === 1) &&
	   g.subscribedTopics.every(t => t.subscriberIds[0] === 'optsample-view'),
	   'connectionGraph: who publishes and who receives', g);
	c.end();
}

async function assets(port, file) {
	const c = await Client.open(port, WS);
	let n = 0;
	const fetch = async uri => {
		const id = ++n;

		c.client.fetchAsset(uri, id);
		return until(uri, () => c.assets.find(a => a.requestId === id));
	};

	ok(c.info.capabilities.includes('assets'), 'assets are offered',
	   c.info.capabilities);
	const good = await fetch('package://robot/meshes/arm.dae');
	ok(good.status === 0 && Buffer.compare(fs.readFileSync(file),
		Buffer.from(good.data.buffer, good.data.byteOffset,
			    good.data.byteLength)) === 0,
	   'an asset is its file', good.error);
	for (const uri of ['package://robot/meshes/none.dae', 'package://none/a',
		'package://robot/../secret', 'package://../secret',
		'package://robot/meshes/../../../secret', 'package://robot/link',
		'package://robot/meshes', 'package://robot/meshes/', 'package://',
		'package://robot//meshes/arm.dae', 'package:///etc/passwd',
		'file:///etc/passwd', 'package://robot/fifo', '', 'x'.repeat(5000)]) {
		const a = await fetch(uri);

		ok(a.status === 1 && a.error.length > 0,
		   `no asset: '${uri.slice(0, 50)}': ${a.error}`, a);
	}
	c.end();
}

/*
 * A robot that listens; another one is called @robot too if it is not alone
 */
async function parameters(port, protocol, robot) {
	const c = await Client.open(port, protocol);
	const priority = `/${robot}/priority/state`, focus = `/${robot}/focus`;
	const find = (m, name) => m?.parameters.find(p => p.name === name)?.value;
	const ask = async (id, names) => {
		c.client.getParameters(names, id);
		return until(`values ${id}`, () => c.values.find(v => v.id === id));
	};
	let n = 0, v, value;

	for (;;) {
		v = await ask(`all ${++n}`, []);
		if (find(v, priority) !== undefined)
			break;
		if (n > 600)
			throw new Error('no parameter ' + priority + ': ' + text(v));
		await pause(200);
	}
	const before = find(v, priority), wanted = before === 5 ? 2 : 5;
	is(find(v, focus), '', `getParameters: priority ${before}, no focus`);
	v = await ask('one', [priority]);
	is(v.parameters.map(p => p.name), [priority], 'getParameters: one');
	v = await ask('none', ['/none/priority/state']);
	is(v.parameters, [], 'getParameters: one that is none');

	c.client.subscribeParameterUpdates([priority]);
	const answer = async (id, what) => {
		c.client.setParameters(what, id);
		return until(`values ${id}`, () => c.values.find(x => x.id === id));
	};
	v = await answer('set', [{ name: priority, value: wanted }]);
	ok([before, wanted].includes(find(v, priority)),
	   'setParameters: is answered', v);
	value = await until('the new priority from the robot', () =>
		c.values.some(x => x.id === undefined &&
			      find(x, priority) === wanted), () => c.values.at(-1));
	ok(value, `the robot has the new priority, ${wanted}`);
	await answer('focus', [{ name: focus, value: '/state' }]);
	ok(await until('the focus from the robot', () => c.values.some(x =>
		x.id === undefined && find(x, focus) === '/state')),
	   'and the focus');
	await answer('no focus', [{ name: focus, value: '' }]);
	ok(await until('no focus from the robot', () =>
		find(c.values.findLast(x => x.id === undefined), focus) === ''),
	   'and none again');
	for (const [name, wrong, why] of [[priority, 9, /0\.\.7/],
		[priority, -1, /0\.\.7/], [priority, 1.5, /0\.\.7/],
		[priority, 'high', /0\.\.7/], [focus, 3, /name of a topic/],
		[`/${robot}/priority/none`, 1, /no such topic/],
		['/nobody/focus', '', /no such parameter/],
		[`/${robot}/speed`, 1, /no such parameter/]]) {
		c.statuses.length = 0;
		c.client.setParameters([{ name, value: wrong }], 'wrong');
		const s = await c.status(why);

		ok(s.level === 1 && s.message.startsWith(name),
		   `refused: ${s.message}`, s);
	}
	v = await ask('after', [priority]);
	is(find(v, priority), wanted, 'and nothing changes by that');
	c.client.unsubscribeParameterUpdates([priority]);
	c.end();
}

/* Services that gdimd answers; URL is that of its API */
async function services(port, layer, url) {
	const c = await Client.open(port, WS);
	let n = 0;
	const call = async (name, request) => {
		const callId = ++n;
		const s = await until(name, () => c.services.find(x => x.name === name));

		c.client.sendServiceCallRequest({ serviceId: s.id, callId,
			encoding: 'json', data: new Uint8Array(Buffer.from(
				typeof request === 'string' ? request :
				JSON.stringify(request))) });
		const m = await until(`answer of ${name}`, () =>
			c.responses.find(x => x.callId === callId) ??
			c.failures.find(x => x.callId === callId));
		return m.message !== undefined ? { failure: m.message } :
			JSON.parse(Buffer.from(m.data).toString());
	};
	const rest = async what =>
		(await fetch(`${url}/api/v1/${what}`)).json();

	ok(c.info.capabilities.includes('services'), 'services are offered',
	   c.info.capabilities);
	is((await until('services', () => c.services.length === 5 && c.services))
		.map(s => s.name).sort(), ['/gdim/layers', '/gdim/room',
		'/gdim/rooms', '/gdim/spot', '/gdim/status'], 'five services');
	ok(c.services.every(s => s.request.encoding === 'json' &&
		s.response.encoding === 'json' && JSON.parse(s.request.schema)),
	   'in JSON, with schemas');
	let a = await call('/gdim/layers', {});
	ok(JSON.stringify(a).includes(layer), `/gdim/layers has ${layer}`, a);
	for (const [name, request, same] of [
		['/gdim/spot', { x: 1, y: 0.5 }, 'spot?x=1&y=0.5'],
		['/gdim/rooms', {}, 'rooms'], ['/gdim/layers', {}, 'layers']])
		is(await call(name, request), await rest(same),
		   `${name} is gdimd's own answer`);
	a = await call('/gdim/status', {});
	ok(a.submaps > 0, '/gdim/status', a);
	for (const [name, request] of [['/gdim/spot', {}],
		['/gdim/spot', { x: 'a', y: 1 }], ['/gdim/spot', 'no JSON'],
		['/gdim/room', { room: -1 }], ['/gdim/room', { room: 1e9 }],
		['/gdim/room', {}]]) {
		a = await call(name, request);
		ok(a.failure?.length > 0, `${name} ${text(request)}: ${a.failure}`, a);
	}
	c.client.sendServiceCallRequest({ serviceId: 77, callId: 77,
		encoding: 'json', data: new Uint8Array(2) });
	is((await until('failure of 77', () => c.failures.find(x =>
		x.callId === 77))).message, 'no such service', 'a service 77');
	c.client.sendServiceCallRequest({ serviceId: 1, callId: 78,
		encoding: 'cdr', data: new Uint8Array(2) });
	is((await until('failure of 78', () => c.failures.find(x =>
		x.callId === 78))).message, 'the encoding must be json',
	   'an encoding that is none');
	process.stdout.write('ready\n');
	/* gdimd ends, and says so in this file's name */
	await until('the end of gdimd', () => fs.existsSync(process.argv[6]));
	a = await call('/gdim/status', {});
	ok(a.failure?.length > 0, `gdimd is gone: ${a.failure}`, a);
	c.end();
}

/* What is wrong, but no reason to close the connection; and what is one */
async function statuses(port) {
	const c = await Client.open(port, WS);
	const send = m => c.ws.send(typeof m === 'string' ? m : JSON.stringify(m));
	const binary = (...bytes) => c.ws.send(Buffer.from(bytes));
	const sub = (id, channelId) => ({ op: 'subscribe', subscriptions: [
		{ id, channelId }] });

	await c.subscribe('/state');
	for (const [what, m, why] of [
		['no such channel', sub(9, 400), /no channel 400/],
		['channel 0', sub(9, 0), /no channel 0/],
		['a channel far away', sub(9, 4000000000), /no channel 4000000000/],
		['no id', { op: 'subscribe', subscriptions: [{ channelId: 1 }] },
		 /needs id and channelId/],
		['a negative id', sub(-1, 1), /needs id and channelId/],
		['a text as id', sub('1', 1), /needs id and channelId/],
		['twice', sub(9, c.find('/state').id), /already subscribed/],
		['an id in use', sub(0, c.find('/image0').id), /already used/],
		['a topic to publish', { op: 'advertise', channels: [{ id: 1,
			topic: '/cmd_vel', encoding: 'cdr',
			schemaName: 'geometry_msgs/msg/Twist' }] },
		 /\/cmd_vel: this topic is not in allow-publish/],
		['an unknown operation', { op: 'dance' }, /unknown operation 'dance'/],
		['a request without id', { op: 'fetchAsset', uri: 'x' },
		 /needs a requestId/]]) {
		c.statuses.length = 0;
		send(m);
		const s = await c.status(why);

		ok(s.level > 0, `${what}: ${s.message}`, s);
	}
	c.statuses.length = 0;
	binary(1, 7, 0, 0, 0, 1, 2, 3);
	ok(await c.status(/not advertised/),
	   'a message on a channel that is not advertised: status');
	const n = c.of('/state').length;
	await until('more states', () => c.of('/state').length > n + 2);
	ok(c.closed === null, 'the connection lives on', c.closed);
	c.client.unsubscribe(0);
	const again_ = await c.subscribe('/state');
	await until('states of the new subscription', () =>
		c.got.at(-1)?.topic === '/state' && again_ > 0);
	c.end();
	for (const [what, data, why] of [
		['no JSON', 'hello', /no message/], ['a list', '[1,2]', /no message/],
		['no op', '{}', /no message/], ['half of JSON', '{"op":"sub',
		/no message/], ['an empty text', '', /no message/],
		['an empty message', Buffer.alloc(0), /empty message/],
		['a type 9', Buffer.from([9, 0]), /type 9/],
		['a cut message', Buffer.from([1, 0]), /cut message/],
		['a cut request', Buffer.from([2, 0]), /cut request/],
		['a long encoding', Buffer.from([2, 1, 0, 0, 0, 1, 0, 0, 0, 255, 255,
			255, 255]), /damaged request/],
		['a cut playback request', Buffer.from([3, 0]), /cut request/],
		['a damaged playback request', Buffer.from([3, 7, ...Array(17).fill(0)]),
		 /damaged request/]]) {
		const bad = await Client.open(port, SDK);

		bad.ws.send(data);
		await until(`the close after ${what}`, () => bad.closed);
		ok(bad.closed.code === 1008 && why.test(bad.closed.reason),
		   `${what}: closed: ${bad.closed.reason}`, bad.closed);
	}
}

const parts = { messages, replay, loop, band, graph, assets, parameters, services,
		statuses };
const [, , name, port, ...rest] = process.argv;

parts[name](port, ...rest).then(() => process.exit(0), e => {
	console.log(`not ok ${name}: ${e.message}`);
	process.exit(1);
});
