// SPDX-License-Identifier: GPL-2.0-only
/*
 * controls.js - the line at the top: the page's own connection, live or how
 * long ago; the replay bar; what to type while nothing is connected
 */
'use strict';

const Controls = (() => {
	const { $, text, age, duration, minutes, clock } = Util;
	let errorUntil = 0, seeking = false;

	/*
	 * The page's own connection
	 */
	function connection() {
		const state = Connection.state();
		document.body.dataset.connection = state;
		text($('page-state'), state === 'connected' ? 'connected to ' +
			(Store.hello?.name || 'optsample-view') :
			state === 'connecting' ? 'connecting to optsample-view' :
			state === 'denied' ? 'optsample-view wants a token' :
			'connection to optsample-view lost, trying again');
		/* apart, so that it is not read out ten times a second */
		text($('page-since'), state === 'lost' ? duration(Connection.forMs()) : '');
		$('token').hidden = state !== 'denied';
		empty(state);
	}

	/* Nothing to show yet: what to type, instead of an empty frame */
	function empty(state) {
		const nothing = !Store.topics.size;
		$('empty').hidden = !nothing;
		document.body.classList.toggle('nothing', nothing);
		if (!nothing)
			return;
		const host = !/^(localhost|127\.|\[?::1)/.test(location.hostname) ?
			location.hostname : Store.hello?.name || 'THIS-HOST';
		text($('empty-title'), state === 'connected' ? 'No robot is connected' :
			state === 'denied' ? Connection.hasToken() ? 'This token is not accepted' :
			'A token is needed' :
			state === 'lost' ? 'optsample-view does not answer' : 'Connecting');
		text($('empty-host'), host);
		$('empty-help').hidden = state === 'denied';
	}

	/*
	 * Live, or the time of the cursor
	 */
	function time() {
		const c = Store.cursor, past = c !== null;
		document.body.classList.toggle('past', past);
		$('live').hidden = !past;
		const link = [...Store.topics.values()].some(t => !Store.outageNow(t.source));
		$('when').dataset.look = past ? 'past' : !Connection.connected() ? 'disconnected' :
			Store.play ? 'play' : link ? 'live' : 'none';
		const shown = Store.past ? Store.past.time : c;
		text($('when'), past ? age(Store.now() - shown) + ' ago, ' + clock(shown) +
			(Store.past && Store.asking() ? ' \u2026' : '') :
			!Connection.connected() ? 'disconnected' :
			Store.play ? 'replay ' + (Store.play.paused ? 'paused ' : '') +
			clock(Store.now()) : (link ? 'live ' : 'now ') + clock(Store.now()));
	}

	function refusal(words) {
		text($('error'), words);
		$('error').hidden = false;
		errorUntil = performance.now() + 6000;
	}

	/*
	 * Replay
	 */
	function play() {
		const p = Store.play;
		$('replay').hidden = !p;
		if (!p)
			return;
		text($('play'), p.paused ? '\u25b6' : '\u275a\u275a');
		$('play').setAttribute('aria-label', p.paused ? 'Play' : 'Pause');
		const seek = $('seek');
		if (!seeking) {
			seek.min = p.begin;
			seek.max = p.end;
			seek.step = Math.max(1, (p.end - p.begin) / 2000);
			seek.value = p.time;
		}
		seek.setAttribute('aria-valuetext', clock(p.time));
		text($('seek-time'), minutes(p.time - p.begin) + ' / ' + minutes(p.end - p.begin));
		const speed = $('speed');
		if (![...speed.options].some(o => +o.value === p.speed))
			speed.add(new Option(p.speed + ' x', p.speed));
		if (document.activeElement !== speed)
			speed.value = p.speed;
	}

	function toggle() {
		if (Store.play)
			Connection.send({ op: 'play', paused: !Store.play.paused });
	}

	function tick() {
		if (document.hidden)
			return;
		time();
		if (Connection.state() === 'lost')
			connection();
		if (errorUntil && performance.now() > errorUntil) {
			$('error').hidden = true;
			errorUntil = 0;
		}
	}

	function start() {
		Store.on('connection hello topics state', connection);
		Store.on('cursor past connection', time);
		Store.on('play hello', play);
		Store.on('error', refusal);
		$('live').addEventListener('click', Band.live);
		$('play').addEventListener('click', toggle);
		$('speed').addEventListener('change', () =>
			Connection.send({ op: 'play', speed: +$('speed').value }));
		/* while it is dragged the server's time does not move it */
		$('seek').addEventListener('input', () => {
			seeking = true;
			text($('seek-time'), minutes($('seek').value - Store.play.begin));
		});
		$('seek').addEventListener('change', () => {
			seeking = false;
			Band.live();
			Connection.send({ op: 'play', time: +$('seek').value });
		});
		$('token').addEventListener('submit', e => {
			e.preventDefault();
			Connection.setToken($('token-text').value.trim());
		});
		setInterval(tick, 100);
		connection();
		time();
	}

	return { start, toggle };
})();
