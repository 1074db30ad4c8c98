// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.js - messages that are small: diagnostics as a list, others as a line
 * with their last value and its age
 */
'use strict';

const Values = (() => {
	const { $, el, text, age, number, clock } = Util;
	const LEVELS = [['ok', 'OK'], ['warn', 'Warning'], ['error', 'Error'], ['stale', 'Stale']];
	const KINDS = ['odometry', 'twist', 'imu', 'joints', 'path', 'diagnostics'];
	const rows = new Map();		/* id: elements */
	const statuses = new Map();	/* id: name: level, message, t */

	const xyz = v => v ? [v.x, v.y, v.z].map(k => number(k)).join(', ') : '\u2013';
	const yaw = q => q ? number(180 / Math.PI * Math.atan2(2 * (q.w * q.z + q.x * q.y),
		1 - 2 * (q.y * q.y + q.z * q.z))) + '\u00b0' : '\u2013';

	/* What an operator reads of each; of others the first numbers */
	const WORDS = {
		odometry(d) {
			const p = d.pose?.pose, v = d.twist?.twist;
			return 'x ' + number(p?.position?.x) + ' m, y ' + number(p?.position?.y) +
				' m, yaw ' + yaw(p?.orientation) + (v ? ', ' + WORDS.twist(v) : '');
		},
		twist(d) {
			const v = d.twist || d;
			return number(v.linear?.x) + ' m/s, turn ' +
				number(v.angular?.z) + ' rad/s';
		},
		imu: d => 'acceleration ' + xyz(d.linear_acceleration) + ' m/s\u00b2, turn ' +
			xyz(d.angular_velocity) + ' rad/s',
		joints: d => (d.name || []).map((n, i) =>
			n + ' ' + number(d.position?.[i])).join(', '),
		path: d => (d.poses?.length ?? 0) + ' poses',
	};

	/* Diagnostics come in parts: of each name the last one counts */
	function keepStatuses(m) {
		if (!m?.data?.status)
			return;
		const known = statuses.get(m.id) || new Map();
		statuses.set(m.id, known);
		for (const s of m.data.status)
			known.set(s.name, { level: levelOf(s.level), name: s.name,
				message: s.message, values: s.values, t: m.t });
	}

	/* A byte: a number, or text of one character */
	function levelOf(v) {
		const n = typeof v === 'string' ? v.charCodeAt(0) & 15 : v;
		return n >= 0 && n <= 3 ? n : 3;
	}

	function diagnostics() {
		const all = [];
		for (const t of Store.ofKind('diagnostics')) {
			if (Store.past) {
				const m = Store.shown(t.id);
				for (const s of m?.data?.status || [])
					all.push({ ...s, level: levelOf(s.level), t: m.t });
			} else {
				all.push(...(statuses.get(t.id) || new Map()).values());
			}
		}
		all.sort((a, b) => (b.level % 3) - (a.level % 3) || b.level - a.level ||
			(a.name < b.name ? -1 : 1));
		const box = $('diagnostics');
		while (box.children.length > all.length)
			box.lastChild.remove();
		while (box.children.length < all.length)
			box.append(el('li', {}, el('b'), el('span'), el('small'), el('i')));
		all.forEach((s, i) => {
			const row = box.children[i], [look, word] = LEVELS[s.level];
			if (row.dataset.level !== look)
				row.dataset.level = look;
			text(row.children[0], word);
			text(row.children[1], s.name);
			text(row.children[2], [s.message, ...(s.values || []).slice(0, 3)
				.map(v => v.key + ' ' + v.value)].filter(w => w).join('; '));
			text(row.children[3], ageOf(s.t));
		});
		$('diagnostics-title').hidden = !all.length;
		const bad = all.filter(s => s.level === 2).length;
		const warn = all.filter(s => s.level === 1).length;
		text($('values-count'), bad ? bad + '!' : warn ? String(warn) : '');
		$('values-count').dataset.level = bad ? 'error' : 'warn';
	}

	function ageOf(t) {
		return Store.past ? clock(t, true) : age(Store.now() - t);
	}

	function draw() {
		diagnostics();
		if (!$('values-list').clientWidth)
			return;
		for (const [id, r] of rows) {
			const m = Store.shown(id), topic = Store.topics.get(id);
			const state = Store.stateOf(id);
			r.root.dataset.look = !m ? 'unknown' : Store.past ? 'past' :
				state === 'live' && m.kept ? 'kept' : state;
			const none = Store.past ? 'nothing known then' : 'nothing received yet';
			text(r.value, !m ? none : m.data ? WORDS[topic.kind](m.data) : '');
			text(r.age, m ? (m.kept ? 'kept, ' : '') + ageOf(m.t) : '');
		}
	}

	function rebuild() {
		const list = Store.ofKind(...KINDS.filter(k => k !== 'diagnostics'));
		rows.clear();
		for (const id of [...statuses.keys()])
			if (!Store.topics.has(id))
				statuses.delete(id);
		$('values-list').replaceChildren(...list.map(t => {
			const r = { value: el('p'), age: el('i') };
			r.root = el('li', {}, el('b', { textContent: t.short,
				title: t.name + ', ' + t.type }), r.age, r.value);
			rows.set(t.id, r);
			return r.root;
		}));
		$('values-none').hidden = list.length + Store.ofKind('diagnostics').length > 0;
		Frame.mark('values');
	}

	function start() {
		Frame.add('values', draw, 200);
		Store.on('topics', rebuild);
		Store.on('message', m => {
			if (m?.type === 0) {
				keepStatuses(m);
				Frame.mark('values');
			}
		});
		Store.on('past connection', () => Frame.mark('values'));
		setInterval(() => document.hidden || Frame.mark('values'), 500);
	}

	return { start };
})();
