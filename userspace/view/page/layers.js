// SPDX-License-Identifier: GPL-2.0-only
/*
 * layers.js - what a layer of gdimd is to people: its name, colours, units and
 * thresholds, and the list where it is turned on. The words are those of
 * gdimctl's page (view_layers.js)
 */
'use strict';

const Layers = (() => {
	const { $, el, text, digits } = Util;
	const GROUPS = [
		['Hazards', ['hazard']], ['Temperature', ['temperature']],
		['Gas and smoke', ['gas', 'smoke']], ['Walls and obstacles', ['obstacle']],
		['Driving', ['cost']], ['Radio', ['signal']], ['Others', []],
	];
	const WORDS = { hazard: 'Hazard', temperature: 'Temperature', gas: 'Gas', smoke: 'Smoke',
		obstacle: 'Walls and obstacles', signal: 'Radio signal', cost: 'Cost of driving' };
	const ENDS = { remote: ' seen from afar', insitu: ' at the robot', fused: '' };

	/* gdimd's colours (map/layer/colours.c): nine anchors, evenly spaced */
	const COLOURS = {
		grey: 'fefefe dedede bebebe 9f9f9f 7f7f7f 5f5f5f 404040 202020 000000',
		general: '420456 472c7a 3b528b 2c718e 21918c 28ae80 5ec962 addc30 fce728',
		heat: 'fcf8f0 fceec8 fcda86 fcb848 f68c22 e2581e be243a 880854 480056',
		hazard: 'fff6e4 fee4c2 fdcd94 fcae68 f98a46 eb6230 d0381e a6120e 700004',
		signal: '0a1a54 123674 16548c 187298 1e909a 3aac94 6cc68e a6de96 e2f4b4',
	};
	const OF_ROLE = { obstacle: 'grey', temperature: 'heat', signal: 'signal',
		hazard: 'hazard' };

	/* As in gdimctl's page, in the unit shown */
	const HEAT_LINES = [40, 60, 100];
	const GAS_LINES = { CO: [35, 1200], CO2: [5000, 40000], H2S: [10, 100],
		NH3: [25, 300], NO2: [1, 13], SO2: [2, 100], Cl2: [0.5, 10],
		CH4: [5000, 50000], H2: [4000, 40000] };
	const CELSIUS = { 'K': v => v - 273.15, '\u00b0F': v => (v - 32) / 1.8, '\u00b0C': v => v,
		'C': v => v, 'degC': v => v };

	const settings = new Map();	/* name: on, opacity */

	function group(l) {
		const k = GROUPS.findIndex(g => g[1].includes(l.role));
		return k < 0 ? GROUPS.length - 1 : k;
	}

	function gas(l) {
		const part = /^gas_(.+)_map_([^_]+)(?:_(.+))?$/.exec(l.name);
		return part ? [part[3] || '', part[1] + ' ' + part[2]] :
			[/^gas_(.+)$/.exec(l.name)?.[1] || '', ''];
	}

	function title(l) {
		const [what, sensor] = gas(l);
		const name = l.role === 'gas' ? (what ? what + ' gas' : 'Gas') +
			(sensor ? ', sensor ' + sensor : '') : WORDS[l.role] || l.name;
		const end = /_(remote|insitu|fused)$/.exec(l.name);
		return name + (end ? ENDS[end[1]] : '');
	}

	/* Layers of one role would all have one name: say gdimd's too */
	function titles(layers) {
		const names = new Map(layers.map(l => [l.name, title(l)]));
		const count = new Map();
		names.forEach(t => count.set(t, (count.get(t) || 0) + 1));
		names.forEach((t, name) => count.get(t) > 1 &&
			names.set(name, t + ' (' + name + ')'));
		return names;
	}

	function isPercent(l) {
		return !l.unit && ['hazard', 'smoke', 'signal', 'obstacle'].includes(l.role);
	}

	const celsius = l => l.role === 'temperature' && Object.hasOwn(CELSIUS, l.unit || '') ?
		CELSIUS[l.unit] : null;
	const unit = l => celsius(l) ? '\u00b0C' : isPercent(l) ? '%' : l.unit || '';

	/* @part: 0..1 of the range. Return: in unit() */
	function value(l, part) {
		const v = isPercent(l) ? 100 * part : l.low + part * (l.high - l.low);
		return celsius(l) ? celsius(l)(v) : v;
	}

	/* Of gdimd's values, 0..100 or 0..1; null is unknown */
	function words(l, part) {
		if (part === null || part === undefined)
			return 'unknown';
		if (l.role === 'obstacle')
			return (part >= .65 ? 'occupied' : part <= .35 ? 'free' : 'undecided') +
				' (' + Math.round(100 * part) + ' %)';
		const step = Math.abs(value(l, 1) - value(l, 0)) / 100;
		const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
		return digits(+value(l, part).toFixed(places)) + (unit(l) ? ' ' + unit(l) : '');
	}

	function lines(l) {
		if (l.role === 'temperature')
			return celsius(l) ? HEAT_LINES : [];
		if (l.role === 'gas')
			return l.unit === 'ppm' && GAS_LINES[gas(l)[0]] || [];
		return ['hazard', 'smoke'].includes(l.role) && unit(l) === '%' ? [50, 75] : [];
	}

	function bar(l) {
		const stops = COLOURS[OF_ROLE[l.role] || 'general'].split(' ').map(c => '#' + c);
		const box = el('div', { className: 'bar' });
		box.style.background = 'linear-gradient(90deg,' + stops + ')';
		const low = value(l, 0), high = value(l, 1);
		for (const v of lines(l)) {
			const part = (v - low) / (high - low);
			if (!(part > 0 && part < 1))
				continue;
			const mark = el('i', { title: 'threshold: ' + digits(v) + ' ' + unit(l) });
			mark.style.left = 100 * part + '%';
			box.append(mark);
		}
		return box;
	}

	/* Below the bar: its ends, and its thresholds or else its middle */
	function ticks(l) {
		const low = value(l, 0), high = value(l, 1), plan = l.role === 'obstacle';
		const short = v => digits(+v.toPrecision(4));
		const marks = lines(l).filter(v => v > low && v < high);
		const between = marks.length ? marks : [(low + high) / 2];
		const end = plan ? 'occupied' : short(high) + (unit(l) ? ' ' + unit(l) : '');
		const box = el('div', { className: 'ticks' },
			el('span', { textContent: plan ? 'free' : short(low) }));
		/* in characters of some 40: what would lie over another is left out */
		let used = 40 * .03 + (plan ? 4 : short(low).length);
		for (const v of plan ? [] : between) {
			const s = short(v), at = 40 * (v - low) / (high - low) - s.length / 2;
			if (at < used || at + s.length > 39 - end.length)
				continue;
			used = at + s.length + 1;
			const tick = el('span', { textContent: s, className: 'at' });
			tick.style.left = 100 * (v - low) / (high - low) + '%';
			box.append(tick);
		}
		box.append(el('span', { textContent: end }));
		return box;
	}

	/* @first: at first the walls, and the first of what may harm and is known */
	function settingsOf(name, first, role) {
		const kept = Util.kept('layer ' + name, null);
		if (!settings.has(name))
			settings.set(name, { on: first, opacity: role === 'obstacle' ? 1 : .75,
				...kept, chosen: !!kept });
		const s = settings.get(name);
		if (!s.chosen)
			s.on = first;
		return s;
	}

	function changed(name) {
		const s = settings.get(name);
		s.chosen = true;
		Util.keep('layer ' + name, { on: s.on, opacity: s.opacity });
		Frame.mark('map');
		Main.want();
	}

	/*
	 * gdimd's values are 0..100 or 0..1, as cells have 8 or 16 bits: it says so
	 * in its list of layers
	 */
	const depths = new Map();	/* name: full value */
	let asking = false;

	const full = l => l.bits ? l.bits === 16 ? 1 : 100 : depths.get(l.name) ?? 100;

	async function askDepths() {
		if (asking || Store.layers.every(l => l.bits || depths.has(l.name)))
			return;
		asking = true;
		try {
			const r = await fetch('/gdim/layers', { headers: Connection.headers() });
			for (const l of r.ok ? (await r.json()).layers : [])
				depths.set(l.name, l.bits === 16 ? 1 : 100);
		} catch (e) {
			/* again with the next revision */
		}
		asking = false;
	}

	/* One line, and more below it when it is on */
	function card(name, label, first, l) {
		const s = settingsOf(name, first, l?.role);
		const check = el('input', { type: 'checkbox', checked: s.on });
		const range = el('input', { type: 'range', min: 5, max: 100,
			value: Math.round(100 * s.opacity) });
		range.setAttribute('aria-label', 'Opacity of ' + label);
		const box = el('div', { className: 'layer' + (s.on ? '' : ' off') },
			el('label', {}, check,
				el('span', { textContent: label, title: name })), range,
			l ? el('div', { className: 'more' }, bar(l), ticks(l)) : null);
		range.title = 'Opacity';
		check.addEventListener('change', () => {
			s.on = check.checked;
			box.classList.toggle('off', !s.on);
			changed(name);
			if (l)
				Hottest.update();
		});
		range.addEventListener('input', () => {
			s.opacity = range.value / 100;
			changed(name);
		});
		return box;
	}

	/* The list is built again only when layers come or go, not at each revision */
	let built = '', harm = null;
	function rebuild() {
		const maps = Store.ofKind('map', 'grid_map');
		const layers = sorted();
		askDepths();
		/* an empty layer shows nothing; which one is on does not change then */
		if (!layers.some(l => l.name === harm))
			harm = layers.find(l => l.role !== 'obstacle' && l.bounds)?.name ?? null;
		const key = JSON.stringify([harm, maps.map(t => t.name),
			layers.map(l => [l.name, l.role, l.unit, l.low, l.high])]);
		Frame.mark('map');
		if (key === built)
			return;
		built = key;
		const list = $('layers-list'), names = titles(layers);
		list.replaceChildren();
		let last = -1;
		for (const l of layers) {
			/* a title over a single line is one too many */
			const g = group(l), many = layers.filter(k => group(k) === g).length > 1;
			if (g !== last && (many || last >= 0))
				list.append(many ? el('h3', { textContent: GROUPS[g][0] }) :
					el('hr'));
			last = g;
			list.append(card(l.name, names.get(l.name), l.name === harm ||
				l.role === 'obstacle', l));
		}
		if (maps.length)
			list.append(el('h3', { textContent: 'Maps of the robot' }));
		/* at first gdimd's plan, or the robot's, or its grid maps */
		const plan = layers.some(l => l.role === 'obstacle');
		const robots = maps.some(t => t.kind === 'map');
		maps.forEach(t => list.append(card(t.name, t.short,
			!plan && (!robots || t.kind === 'map'), null)));
		$('layers-none').hidden = layers.length + maps.length > 0;
		$('layers-off').hidden = layers.length + maps.length < 2;
	}

	function sorted() {
		return [...Store.layers].sort((a, b) => group(a) - group(b) ||
			(a.name < b.name ? -1 : 1));
	}

	function allOff() {
		for (const check of $('layers-list').querySelectorAll('input:checked'))
			check.click();
	}

	/* Bottom first: walls, then what harms least */
	function drawn() {
		return sorted().filter(l => settings.get(l.name)?.on && l.bounds).reverse()
			.sort((a, b) => (b.role === 'obstacle') - (a.role === 'obstacle'));
	}

	function maps() {
		return Store.ofKind('map', 'grid_map').filter(t => settings.get(t.name)?.on);
	}

	function start() {
		Store.on('layers topics', rebuild);
		$('layers-off').addEventListener('click', allOff);
		/* what was drawn earlier is the map of now: say so */
		Store.on('past', () => {
			$('layers-now').hidden = !Store.past || !Store.layers.length;
			text($('layers-now'), 'Layers show the map as it is now, not as it was.');
		});
	}

	return { start, drawn, maps, words, value, full, title, titles, sorted,
		opacity: name => settings.get(name)?.opacity ?? 1,
		isOn: name => !!settings.get(name)?.on };
})();
