// SPDX-License-Identifier: GPL-2.0-only
/*
 * connection.js - the WebSocket to optsample-view: again and again with
 * back-off, messages taken apart, acknowledgements
 */
'use strict';

const Connection = (() => {
	const PROTOCOL = 'optsample.view.v1';
	const SILENCE = 4000;	/* ms; the server sends its state twice a second */
	const LONGEST = 8000;	/* ms between two attempts */
	let token = new URLSearchParams(location.search).get('token');
	let socket = null, state = 'connecting', since = performance.now();
	let heard = 0, failures = 0, timer = 0;
	let done = 0, said = 0, wants = '';

	function become(next) {
		if (state !== next)
			since = performance.now();
		state = next;
		Store.emit('connection');
	}

	function send(m) {
		if (socket?.readyState !== WebSocket.OPEN)
			return false;
		socket.send(JSON.stringify(m));
		return true;
	}

	function headers() {
		return token ? { Authorization: 'Bearer ' + token } : {};
	}

	/*
	 * Acknowledgements: counted when drawn, said once for all of a frame
	 */
	function handled() {
		done++;
		if (done === said + 1)
			queueMicrotask(() => {
				said = done;
				send({ op: 'ack', n: done });
			});
	}

	/* @m.claim(): whoever draws it itself calls what is returned when it is done */
	function give(m) {
		const mine = socket;
		let claimed = false, once = () => {
			once = () => {};
			if (socket === mine)
				handled();
		};
		m.claim = () => {
			claimed = true;
			return () => once();
		};
		try {
			Store.take(m);
		} catch (e) {
			console.error('message of topic', m.id, e);
		}
		if (!claimed)
			Frame.then(() => once());
	}

	const parts = {
		1: (v, b) => ({ width: v.getUint16(24, true), height: v.getUint16(26, true),
			file: new Uint8Array(b, 32) }),
		2: (v, b) => ({ x: v.getFloat32(24, true), y: v.getFloat32(28, true),
			yaw: v.getFloat32(32, true), first: v.getFloat32(36, true),
			step: v.getFloat32(40, true),
			ranges: new Float32Array(b, 48, v.getUint32(44, true)) }),
		3: (v, b) => {
			const n = v.getUint32(24, true), f = at => v.getFloat32(at, true);
			return { n, min: [f(28), f(32), f(36)], step: [f(40), f(44), f(48)],
				xyz: new Uint16Array(b, 52, 3 * n),
				intensity: new Uint8Array(b, 52 + 6 * n, n) };
		},
		4: (v, b) => ({ width: v.getUint32(24, true), height: v.getUint32(28, true),
			resolution: v.getFloat32(32, true), x: v.getFloat32(36, true),
			y: v.getFloat32(40, true), yaw: v.getFloat32(44, true),
			low: v.getFloat32(48, true), high: v.getFloat32(52, true),
			layer: new TextDecoder().decode(new Uint8Array(b, 56, 32)).replace(/\0/g, ''),
			packed: new Uint8Array(b, 88) }),
	};

	function binary(buffer) {
		const v = new DataView(buffer), type = v.getUint8(0), flags = v.getUint8(1);
		const m = { type, id: v.getUint32(4, true), t: v.getFloat64(8, true),
			a: v.getFloat64(16, true), kept: !!(flags & 1), at: !!(flags & 2) };
		return Object.assign(m, parts[type]?.(v, buffer));
	}

	function message(e) {
		heard = performance.now();
		if (typeof e.data !== 'string') {
			let m = null;
			try {
				m = binary(e.data);
			} catch (error) {
				console.error('message cut off', error);
				handled();
			}
			if (m)
				give(m);
			return;
		}
		const m = JSON.parse(e.data);
		if (m.op === 'hello') {
			failures = 0;
			done = said = 0;
			wants = '';
			become('connected');
		}
		if (m.op === 'error' && state !== 'connected' && /token/i.test(m.text))
			return deny();
		if (m.op === 'msg')
			give({ type: 0, ...m });
		else
			Store.control(m);
	}

	function deny() {
		if (socket) {
			socket.onclose = socket.onmessage = null;
			socket.close();
			socket = null;
		}
		become('denied');
	}

	/* A refused handshake has no reason in a browser: ask by HTTP what it was */
	async function refused() {
		try {
			const r = await fetch('/gdim/layers', { headers: headers() });
			return r.status === 401 || r.status === 403;
		} catch (e) {
			return false;
		}
	}

	async function closed(e) {
		const greeted = state === 'connected';
		socket = null;
		if (e.code === 1008 || e.code === 4401 || e.code === 4403 ||
		    !greeted && await refused()) {
			deny();
			return;
		}
		become('lost');
		const wait = Math.min(LONGEST, 500 * 2 ** failures++) * (.75 + Math.random() / 2);
		clearTimeout(timer);
		timer = setTimeout(open, wait);
	}

	function open() {
		clearTimeout(timer);
		if (socket)
			return;
		if (state === 'denied')
			become('connecting');
		const s = new WebSocket(location.protocol.replace('http', 'ws') + '//' +
			location.host + '/live', PROTOCOL);
		socket = s;
		heard = performance.now();
		s.binaryType = 'arraybuffer';
		s.onopen = () => send({ op: 'hello', token });
		s.onmessage = e => socket === s && message(e);
		s.onclose = e => socket === s && closed(e);
	}

	/* A link that is pulled is not closed by anybody: notice the silence */
	setInterval(() => {
		if (socket && performance.now() - heard > SILENCE) {
			const s = socket;
			s.onclose = s.onmessage = null;
			s.close();
			closed({ code: 1006 });
		}
	}, 500);

	function setToken(t) {
		token = t || null;
		history.replaceState(null, '', t ? '?token=' + encodeURIComponent(t) : './');
		failures = 0;
		open();
	}

	function want(ids) {
		const words = ids.join(' ');
		if (words !== wants && send({ op: 'want', ids }))
			wants = words;
	}

	window.addEventListener('online', () => state === 'lost' && open());

	return { open, send, headers, setToken, want,
		state: () => state,
		hasToken: () => !!token,
		connected: () => state === 'connected',
		forMs: () => performance.now() - since };
})();
