// SPDX-License-Identifier: GPL-2.0-only
/*
 * keys.js - what the keyboard does, wherever the focus is
 */
'use strict';

const Keys = (() => {
	const { $ } = Util;
	const does = {
		ArrowLeft: () => Band.step(-1),
		ArrowRight: () => Band.step(1),
		Home: () => Band.first(),
		End: () => Band.live(),
		'[': () => Band.outage(-1),
		']': () => Band.outage(1),
		'+': () => Band.zoom(1 / 1.5),
		'=': () => Band.zoom(1 / 1.5),
		'-': () => Band.zoom(1.5),
		'0': () => Band.all(),
		' ': () => Controls.toggle(),
		f: () => MapView.setFollow(!MapView.follows()),
		'?': () => $('help').showModal(),
		Escape() {
			/* the nearest thing first */
			if (Store.cursor !== null)
				Band.live();
			else if (!MapView.unpin() && Cameras.isBig())
				Cameras.shrink();
		},
	};

	/* In the map the arrows, + and - belong to the map */
	const inMap = {
		ArrowLeft: () => MapView.pan(60, 0),
		ArrowRight: () => MapView.pan(-60, 0),
		ArrowUp: () => MapView.pan(0, 60),
		ArrowDown: () => MapView.pan(0, -60),
		'+': () => MapView.zoom(1.3),
		'=': () => MapView.zoom(1.3),
		'-': () => MapView.zoom(1 / 1.3),
		'0': () => MapView.fit(),
	};

	function down(e) {
		const on = e.target, kind = on.type;
		if (e.ctrlKey || e.altKey || e.metaKey || $('help').open)
			return;
		if (['text', 'password', 'select-one'].includes(kind) && e.key !== 'Escape')
			return;
		if (kind === 'range' && /^(Arrow|Home|End)/.test(e.key))
			return;
		if (on.getAttribute?.('role') === 'tab' && /^Arrow/.test(e.key))
			return;
		/* a key on a button presses it */
		if (e.key === ' ' && (on.tagName === 'BUTTON' || kind === 'checkbox'))
			return;
		const f = on.id === 'map-canvas' && inMap[e.key] ||
			(Object.hasOwn(does, e.key) ? does[e.key] : null);
		if (!f || !Store.topics.size)
			return;
		e.preventDefault();
		f();
	}

	function start() {
		document.addEventListener('keydown', down);
		$('help-open').addEventListener('click', () => $('help').showModal());
		$('help-close').addEventListener('click', () => $('help').close());
	}

	return { start };
})();
