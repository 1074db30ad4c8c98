// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloud.js - a cloud of points by WebGL, from above or round about
 */
'use strict';

const CloudView = (() => {
	const { $, el, text, age, clock, number } = Util;
	const VERTEX = `
attribute vec3 place; attribute float intensity;
uniform mat4 view; uniform vec3 low, step; uniform vec2 range; uniform float size, mode;
varying float part;
void main() {
	vec3 p = low + step * place;
	gl_Position = view * vec4(p, 1.);
	gl_PointSize = size;
	part = clamp(mode > .5 ? intensity : (p.z - range.x) / (range.y - range.x), 0., 1.);
}`;
	/* viridis, as gdimd's "general": it also rises in grey */
	const FRAGMENT = `
precision mediump float;
varying float part;
uniform vec4 plain;
void main() {
	vec3 c = mix(vec3(.28,.16,.48), vec3(.17,.44,.56), smoothstep(0., .3, part));
	c = mix(c, vec3(.16,.68,.50), smoothstep(.3, .6, part));
	c = mix(c, vec3(.68,.86,.19), smoothstep(.6, .85, part));
	c = mix(c, vec3(.99,.91,.16), smoothstep(.85, 1., part));
	gl_FragColor = plain.a > 0. ? plain : vec4(c, 1.);
}`;
	let gl, program, at = {}, points, colours, ground, canvas;
	let id = null, loaded = null, done = null, range = [0, 1], radius = 10;
	let top = false, byIntensity = false;
	const eye = { turn: -2.2, tilt: .6, far: .85, x: 0, y: 0 };

	function shader(type, source) {
		const s = gl.createShader(type);
		gl.shaderSource(s, source);
		gl.compileShader(s);
		if (!gl.getShaderParameter(s, gl.COMPILE_STATUS))
			throw new Error(gl.getShaderInfoLog(s));
		return s;
	}

	function prepare() {
		gl = canvas.getContext('webgl', { antialias: false, alpha: false });
		$('cloud-no-webgl').hidden = !!gl;
		if (!gl)
			return;
		program = gl.createProgram();
		gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
		gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
		gl.bindAttribLocation(program, 0, 'place');
		gl.bindAttribLocation(program, 1, 'intensity');
		gl.linkProgram(program);
		gl.useProgram(program);
		for (const u of ['view', 'low', 'step', 'range', 'size', 'mode', 'plain'])
			at[u] = gl.getUniformLocation(program, u);
		points = gl.createBuffer();
		colours = gl.createBuffer();
		ground = gl.createBuffer();
		loaded = null;
		gl.enable(gl.DEPTH_TEST);
		makeGround();
	}

	/* Circles at 5, 10, 20 m and the way forward: where the sensor is */
	function makeGround() {
		const line = [];
		for (const r of [5, 10, 20])
			for (let i = 0; i < 64; i++)
				for (const k of [i, i + 1])
					line.push(r * Math.cos(k * Math.PI / 32),
						r * Math.sin(k * Math.PI / 32), 0);
		line.push(0, 0, 0, 2, 0, 0, 2, 0, 0, 1.5, .3, 0, 2, 0, 0, 1.5, -.3, 0);
		gl.bindBuffer(gl.ARRAY_BUFFER, ground);
		gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(line), gl.STATIC_DRAW);
		ground.n = line.length / 3;
	}

	/* Heights between 2 and 98 of 100 points: one bird does not change all colours */
	function measure(m) {
		const every = Math.max(1, Math.floor(m.n / 4000)), z = [], far = [];
		for (let i = 0; i < m.n; i += every) {
			const p = [0, 1, 2].map(k => m.min[k] + m.step[k] * m.xyz[3 * i + k]);
			z.push(p[2]);
			far.push(Math.hypot(p[0], p[1]));
		}
		z.sort((a, b) => a - b);
		far.sort((a, b) => a - b);
		const of = (a, part) => a[Math.min(a.length - 1, Math.floor(part * a.length))] || 0;
		const next = [of(z, .02), of(z, .98)];
		/* slowly, or colours flicker from cloud to cloud */
		const k = loaded && loaded.id === m.id ? .2 : 1;
		range = range.map((v, i) => v + k * (next[i] - v));
		if (range[1] - range[0] < .1)
			range[1] = range[0] + .1;
		radius += k * (Math.max(1, of(far, .9)) - radius);
	}

	function upload(m) {
		measure(m);
		gl.bindBuffer(gl.ARRAY_BUFFER, points);
		gl.bufferData(gl.ARRAY_BUFFER, m.xyz, gl.DYNAMIC_DRAW);
		gl.bindBuffer(gl.ARRAY_BUFFER, colours);
		gl.bufferData(gl.ARRAY_BUFFER, m.intensity, gl.DYNAMIC_DRAW);
		loaded = m;
	}

	/*
	 * From above without perspective, else an eye that turns about the sensor.
	 * Columns of a matrix, as WebGL has them
	 */
	function matrix(aspect) {
		const far = eye.far * radius;
		if (top) {
			const s = .95 / far;
			const wide = s / Math.max(1, aspect), high = s * Math.min(1, aspect);
			/* x forward is up, as in the robot's sight */
			return [0, high, 0, 0, -wide, 0, 0, 0, 0, 0, -.001, 0,
				wide * eye.y, -high * eye.x, 0, 1];
		}
		const c = Math.cos(eye.turn), s = Math.sin(eye.turn);
		const ct = Math.cos(eye.tilt), st = Math.sin(eye.tilt);
		const right = [-s, c, 0], up = [-st * c, -st * s, ct], back = [ct * c, ct * s, st];
		const away = 2.2 * far, near = .02 * far, end = 40 * radius + away;
		const f = 1.6, fx = f / Math.max(1, aspect), fy = f * Math.min(1, aspect);
		const a = -(end + near) / (end - near), b = -2 * end * near / (end - near);
		const column = k => [fx * right[k], fy * up[k], a * back[k], -back[k]];
		const shift = v => v[0] * eye.x + v[1] * eye.y;
		return [...column(0), ...column(1), ...column(2),
			-fx * shift(right), -fy * shift(up),
			a * (-shift(back) - away) + b, shift(back) + away];
	}

	function rgb(name) {
		const c = Util.colour(name).replace('#', '');
		return [0, 2, 4].map(k => parseInt(c.slice(k, k + 2), 16) / 255);
	}

	function draw() {
		const m = Store.shown(id);
		if (gl && canvas.clientWidth && m?.type === 3) {
			if (m !== loaded)
				upload(m);
			render();
		}
		done?.();
		done = null;
		label();
	}

	function render() {
		const ratio = window.devicePixelRatio || 1;
		const w = Math.round(canvas.clientWidth * ratio);
		const h = Math.round(canvas.clientHeight * ratio);
		if (canvas.width !== w || canvas.height !== h)
			[canvas.width, canvas.height] = [w, h];
		gl.viewport(0, 0, w, h);
		gl.clearColor(...rgb('cloud-back'), 1);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
		gl.uniformMatrix4fv(at.view, false, matrix(w / h));
		gl.enableVertexAttribArray(0);
		gl.bindBuffer(gl.ARRAY_BUFFER, ground);
		gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
		gl.disableVertexAttribArray(1);
		gl.uniform3f(at.low, 0, 0, 0);
		gl.uniform3f(at.step, 1, 1, 1);
		gl.uniform4f(at.plain, ...rgb('cloud-line'), 1);
		gl.drawArrays(gl.LINES, 0, ground.n);
		gl.bindBuffer(gl.ARRAY_BUFFER, points);
		gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, false, 0, 0);
		gl.enableVertexAttribArray(1);
		gl.bindBuffer(gl.ARRAY_BUFFER, colours);
		gl.vertexAttribPointer(1, 1, gl.UNSIGNED_BYTE, true, 0, 0);
		gl.uniform3f(at.low, ...loaded.min);
		gl.uniform3f(at.step, ...loaded.step);
		gl.uniform2f(at.range, ...range);
		gl.uniform1f(at.mode, byIntensity ? 1 : 0);
		gl.uniform1f(at.size, ratio * (loaded.n < 20000 ? 2.5 : 1.8));
		gl.uniform4f(at.plain, 0, 0, 0, 0);
		gl.drawArrays(gl.POINTS, 0, loaded.n);
	}

	/* Age, and what the colours mean */
	function label() {
		const m = Store.shown(id), topic = Store.topics.get(id);
		if (!topic)
			return;
		const state = Store.stateOf(id);
		const old = m ? Store.now() - m.t : 0;
		const look = !m ? 'unknown' : Store.past ? 'past' :
			state === 'disconnected' ? state : m.kept ? 'kept' :
			state === 'stale' || old > 3000 ? 'stale' : 'live';
		if ($('cloud').dataset.look !== look)
			$('cloud').dataset.look = look;
		text($('cloud-note'), !m && Store.past ? 'nothing known at ' +
			clock(Store.past.time) : !m ? 'nothing received yet' :
			Store.past ? (m.kept ? 'kept, ' : '') + clock(m.t, true) :
			look === 'disconnected' ? 'no link, from ' + clock(m.t) + ', ' + age(old) :
			look === 'kept' ? 'kept, from ' + clock(m.t) :
			look === 'stale' ? 'stale ' + age(old) : age(old));
		text($('cloud-legend'), !gl ? '' :
			byIntensity ? 'intensity, dark to light: low to high' :
			'height ' + number(range[0], 2) + ' to ' + number(range[1], 2) +
			' m, dark to light');
	}

	function rebuild() {
		const list = Store.ofKind('cloud');
		if (!list.some(t => t.id === id))
			id = list.length ? list[0].id : null;
		const choice = $('cloud-topic');
		choice.replaceChildren(...list.map(t => el('option', { value: t.id,
			textContent: t.short, selected: t.id === id })));
		choice.hidden = list.length < 2;
		Main.has('cloud', list.length > 0);
		Frame.mark('cloud');
	}

	function press(button, on) {
		button.setAttribute('aria-pressed', String(on));
		Frame.mark('cloud');
	}

	function zoom(factor) {
		eye.far = Math.max(.02, Math.min(20, eye.far / factor));
		Frame.mark('cloud');
	}

	function drag(dx, dy, shifted) {
		const m = 2 * eye.far * radius / Math.min(canvas.clientWidth, canvas.clientHeight);
		if (top || shifted) {
			const s = Math.sin(eye.turn), c = Math.cos(eye.turn);
			eye.x += m * (top ? dy : s * dx - c * dy);
			eye.y += m * (top ? dx : -c * dx - s * dy);
		} else {
			eye.turn -= dx * .008;
			eye.tilt = Math.max(-1.5, Math.min(1.55, eye.tilt + dy * .008));
		}
		Frame.mark('cloud');
	}

	function pointers() {
		const fingers = new Map();
		canvas.addEventListener('pointerdown', e => {
			if (e.isTrusted)
				canvas.setPointerCapture(e.pointerId);
			fingers.set(e.pointerId, [e.clientX, e.clientY]);
		});
		canvas.addEventListener('pointermove', e => {
			const was = fingers.get(e.pointerId), p = [e.clientX, e.clientY];
			if (!was)
				return;
			if (fingers.size === 1) {
				drag(p[0] - was[0], p[1] - was[1], e.shiftKey);
			} else {
				const o = [...fingers].find(([k]) => k !== e.pointerId)[1];
				const before = Math.hypot(was[0] - o[0], was[1] - o[1]);
				const after = Math.hypot(p[0] - o[0], p[1] - o[1]);
				drag((p[0] - was[0]) / 2, (p[1] - was[1]) / 2, true);
				if (before > 5 && after > 5)
					zoom(after / before);
			}
			fingers.set(e.pointerId, p);
		});
		for (const name of ['pointerup', 'pointercancel'])
			canvas.addEventListener(name, e => fingers.delete(e.pointerId));
		canvas.addEventListener('wheel', e => {
			e.preventDefault();
			zoom(Math.exp(-Math.max(-200, Math.min(200, e.deltaY *
				(e.deltaMode ? 30 : 1))) * .0025));
		}, { passive: false });
		canvas.addEventListener('keydown', e => {
			const steps = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20],
				ArrowDown: [0, 20] };
			if (steps[e.key])
				drag(...steps[e.key], e.shiftKey);
			else if (e.key === '+' || e.key === '=' || e.key === '-')
				zoom(e.key === '-' ? 1 / 1.3 : 1.3);
			else
				return;
			e.preventDefault();
			e.stopPropagation();
		});
	}

	function start() {
		canvas = $('cloud-canvas');
		Frame.add('cloud', draw);
		Store.on('topics', rebuild);
		Store.on('past', () => Frame.mark('cloud'));
		Store.on('message', m => {
			if (!m || m.id !== id || Store.past)
				return;
			if (!gl && canvas.clientWidth)
				prepare();
			done?.();
			done = m.claim();
			Frame.mark('cloud');
		});
		canvas.addEventListener('webglcontextlost', e => {
			e.preventDefault();
			gl = null;
		});
		canvas.addEventListener('webglcontextrestored', prepare);
		$('cloud-topic').addEventListener('change', e => {
			id = +e.target.value;
			loaded = null;
			Main.want();
			Frame.mark('cloud');
		});
		$('cloud-top').addEventListener('click', e => {
			top = !top;
			eye.x = eye.y = 0;
			press(e.currentTarget, top);
		});
		$('cloud-intensity').addEventListener('click', e => {
			byIntensity = !byIntensity;
			press(e.currentTarget, byIntensity);
		});
		$('cloud-in').addEventListener('click', () => zoom(1.4));
		$('cloud-out').addEventListener('click', () => zoom(1 / 1.4));
		$('cloud-home').addEventListener('click', () => {
			Object.assign(eye, { turn: -2.2, tilt: .6, far: .85, x: 0, y: 0 });
			Frame.mark('cloud');
		});
		pointers();
		setInterval(() => document.hidden || label(), 200);
		new ResizeObserver(() => {
			if (!gl && id !== null && canvas.clientWidth)
				prepare();
			Frame.mark('cloud');
		}).observe(canvas);
	}

	return { start, wanted: () => id !== null && canvas.clientWidth ? [id] : [] };
})();
