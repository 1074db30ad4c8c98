// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.js - which panes are there, what the server is asked to send, and the
 * start
 */
'use strict';

const Main = (() => {
	const { $ } = Util;
	/* a phone shows one pane; else there is a middle (map or cloud) and a side */
	const panes = { middle: 'map', side: 'link', phone: 'cameras', ...Util.kept('panes', {}) };
	const absent = new Set();
	let soon = false;

	function shown(group) {
		return !absent.has(panes[group]) ? panes[group] : group === 'phone' &&
			!absent.has('cameras') ? 'cameras' : 'map';
	}

	function choose(group, name) {
		panes[group] = name;
		Util.keep('panes', panes);
		apply();
	}

	function apply() {
		const body = document.body;
		for (const g in panes)
			body.dataset[g] = shown(g);
		for (const b of document.querySelectorAll('[data-tab]')) {
			const on = shown(b.dataset.group) === b.dataset.tab;
			b.setAttribute('aria-selected', String(on));
			b.tabIndex = on ? 0 : -1;
		}
		Frame.all();
		want();
	}

	/* A pane without anything to show has no tab */
	function has(name, is) {
		if (absent.has(name) !== is)
			return;
		absent[is ? 'delete' : 'add'](name);
		document.body.classList.toggle('no-' + name, !is);
		apply();
	}

	/*
	 * Pictures first, then the cloud, then maps. A hidden page goes on, slowly,
	 * as a browser does: an outage may come before somebody looks at it again
	 */
	function wanted() {
		return [...Cameras.wanted(), ...CloudView.wanted(),
			...$('map-canvas').clientWidth ? Layers.maps().map(t => t.id) : []];
	}

	/* Once when all that changes has changed */
	function want() {
		if (soon)
			return;
		soon = true;
		setTimeout(() => {
			soon = false;
			if (Connection.connected())
				Connection.want(wanted());
			Store.lookAgain();
		}, 50);
	}

	function tabs() {
		for (const b of document.querySelectorAll('[data-tab]')) {
			b.addEventListener('click', () => choose(b.dataset.group, b.dataset.tab));
			b.addEventListener('keydown', e => {
				const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
				if (!way)
					return;
				const all = [...b.parentElement.children]
					.filter(k => k.offsetWidth);
				const next = all[(all.indexOf(b) + way + all.length) % all.length];
				next.focus();
				next.click();
			});
		}
	}

	function start() {
		/* of the past: what is on the screen, and all that is small */
		Store.setAskIds(() => {
			const shown = wanted(), large = ['image', 'cloud', 'map', 'grid_map'];
			return [...shown, ...[...Store.topics.values()].filter(t =>
				!large.includes(t.kind)).map(t => t.id)];
		});
		for (const part of [Cameras, Band, Layers, Hottest, MapView, CloudView, LinkView,
				    Values, Controls, Keys])
			part.start();
		Store.on('topics hello layers', want);
		Store.on('topics', () => has('cameras', Store.ofKind('image').length > 0));
		tabs();
		apply();
		has('cloud', false);
		Connection.open();
	}

	return { start, want, has };
})();

/* The first picture of the page does not wait for all of this; a hidden one has no frames */
if (document.hidden)
	Main.start();
else
	requestAnimationFrame(() => setTimeout(Main.start));
