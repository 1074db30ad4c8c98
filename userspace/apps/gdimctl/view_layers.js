// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_layers.js - the page of maps: what a layer is to people: its kind, its
 * name in plain words, its values in units, and where lines are drawn
 */
"use strict";

/* In the order of the page: what may harm is first */
const KINDS = [
	{ title: "Hazards", roles: ["hazard"] },
	{ title: "Temperature", roles: ["temperature"] },
	{ title: "Gas and smoke", roles: ["gas", "smoke"] },
	{ title: "Walls and obstacles", roles: ["obstacle"] },
	{ title: "Driving", roles: ["cost"] },
	{ title: "Radio", roles: ["signal"] },
	{ title: "Others", roles: [] },
];

const WORDS = { hazard: "Hazard", temperature: "Temperature", gas: "Gas",
	smoke: "Smoke", obstacle: "Walls and obstacles",
	signal: "Radio signal" };

/* Where lines are drawn at first, in the unit shown */
const HEAT_LINES = [40, 60, 100];	/* degrees Celsius */
const PERCENT_LINES = [50, 75];
/* ppm: allowed for a working day, dangerous at once (NIOSH); of what burns, a
 * tenth of the lower explosive limit, and that limit */
const GAS_LINES = { CO: [35, 1200], CO2: [5000, 40000], H2S: [10, 100],
	NH3: [25, 300], NO2: [1, 13], SO2: [2, 100], Cl2: [0.5, 10],
	CH4: [5000, 50000], H2: [4000, 40000] };
const ROOM = 30;	/* degrees Celsius: up to here colours stay light */
const ROOM_SHARE = .08;	/* of the colours */
const FREE = .35, OCCUPIED = .65;	/* of the full value */

function kindOf(l) {
	const k = KINDS.findIndex(kind => kind.roles.includes(l.role));
	return k < 0 ? KINDS.length - 1 : k;
}

/* Best first: fused of all sensors, plain, at the place, from afar */
function rankOf(l) {
	const rank = ["_fused", "", "_insitu", "_remote"];
	const k = rank.findIndex(end => end && l.name.endsWith(end));
	return k < 0 ? 1 : k;
}

function isPlan(l) {
	return l.role === "obstacle";
}

/* The gas, and which sensor; gas_A_map_1_CO: CO of sensor A 1 */
function gasOf(l) {
	const part = /^gas_(.+)_map_([^_]+)(?:_(.+))?$/.exec(l.name);
	return part ? { gas: part[3] || "", sensor: part[1] + " " + part[2] } :
		{ gas: /^gas_(.+)$/.exec(l.name)?.[1] || "", sensor: "" };
}

/* Temperatures are shown in degrees Celsius, whatever they are stored in */
const CELSIUS = {
	"K": v => v - 273.15, "\u00b0F": v => (v - 32) / 1.8, "\u00b0C": v => v,
	"C": v => v, "degC": v => v,
};

function celsiusOf(l) {
	return l.role === "temperature" && Object.hasOwn(CELSIUS, l.unit) &&
		CELSIUS[l.unit];
}

/* Values without a unit: of these roles the full value is all there can be */
function isPercent(l) {
	return !l.unit && ["hazard", "smoke", "signal", "obstacle"].includes(l.role);
}

function unitOf(l) {
	return celsiusOf(l) ? "\u00b0C" : isPercent(l) ? "%" : l.unit;
}

/* @v: as stored, also between whole numbers. Return: in unitOf() */
function shownValue(l, v) {
	const change = celsiusOf(l);
	if (isPercent(l))
		return 100 * v / l.full;
	return change ? change(physical(l, v)) : physical(l, v);
}

/* The way back: as stored */
function storedValue(l, shown) {
	const low = shownValue(l, 0), high = shownValue(l, l.full);
	return (shown - low) / (high - low) * l.full;
}

/* As exact as a step of what is stored, and no more */
function wordsOf(l, v) {
	const step = (shownValue(l, l.full) - shownValue(l, 0)) / l.full;
	const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
	const unit = unitOf(l);
	return digits(+shownValue(l, v).toFixed(places)) +
		(unit ? " " + unit : " of " + digits(l.high));
}

/* What the spot box says of @v, -1: unknown */
function spotWords(l, v) {
	if (v < 0)
		return "unknown";
	if (!isPlan(l))
		return wordsOf(l, v);
	return (v >= OCCUPIED * l.full ? "occupied" : v <= FREE * l.full ? "free" :
		"undecided") + " (" + digits(Math.round(100 * v / l.full)) + " %)";
}

function plainName(l) {
	const { gas, sensor } = gasOf(l);
	let name = WORDS[l.role] || l.name;
	if (l.role === "gas")
		name = (gas ? gas + " gas" : "Gas") + (sensor ? ", sensor " + sensor : "");
	else if (l.role === "cost")
		name = l.name.startsWith("teleop") ? "Cost of remote driving" :
			"Cost of driving";
	if (l.name.endsWith("_remote"))
		name += " seen from afar";
	else if (l.name.endsWith("_insitu"))
		name += " at the robot";
	const unit = isPlan(l) ? "" : unitOf(l);
	return name + (unit ? ", " + unit : "");
}

/* Whether it has lines and a highest place */
function hasPeak(l) {
	return ["hazard", "temperature", "gas", "smoke"].includes(l.role);
}

function firstLines(l) {
	if (l.role === "temperature")
		return celsiusOf(l) ? HEAT_LINES : [];
	if (l.role === "gas")
		return l.unit === "ppm" && GAS_LINES[gasOf(l).gas] || [];
	return hasPeak(l) && unitOf(l) === "%" ? PERCENT_LINES : [];
}

/* Numbers in what somebody wrote, in order */
function linesIn(words) {
	return [...new Set(words.split(/[\s;]+|,(?!\d)/).filter(s => s).map(
		s => Number(s.replace(",", ".").replace("\u2212", "-")))
		.filter(v => Number.isFinite(v)))].sort((a, b) => a - b).slice(0, 8);
}

/*
 * Lines that somebody set are there again when the page is, and in pages of
 * other stores that have such a layer. A browser may keep nothing for a page
 */
function linesKey(l) {
	return "gdimctl lines of " + l.name + " in " + unitOf(l);
}

/* Those that were kept, or else the first ones */
function keptLines(l) {
	try {
		const words = localStorage.getItem(linesKey(l));
		return words === null ? firstLines(l) : linesIn(words);
	} catch (e) {
		return firstLines(l);
	}
}

/* Return: whether they will be there again */
function keepLines(l) {
	const words = l.lines.join(" ");
	try {
		if (words === firstLines(l).join(" "))
			localStorage.removeItem(linesKey(l));
		else
			localStorage.setItem(linesKey(l), words);
		return true;
	} catch (e) {
		return false;
	}
}

/* Where in the map of colours @v is, 0..1: what is usual in rooms stays light */
function colourAt(l, v) {
	const part = v / l.full;
	const room = celsiusOf(l) ? storedValue(l, ROOM) / l.full : 0;
	if (!(room > 0 && room < 1))
		return part;
	return part < room ? ROOM_SHARE * part / room :
		ROOM_SHARE + (1 - ROOM_SHARE) * (part - room) / (1 - room);
}

/* A colour of 24 bits, as #rrggbb has them */
function colourOf(l, v) {
	const at = 6 * Math.round(colourAt(l, v) * 255);
	return parseInt(l.colours.slice(at, at + 6), 16);
}

/* A plan: free, undecided, occupied */
function planColour(l, v) {
	return v >= OCCUPIED * l.full ? 0x101418 : v <= FREE * l.full ? 0xfdfdfd :
		0xb4bac2;
}
