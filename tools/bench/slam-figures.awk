# SPDX-License-Identifier: GPL-2.0-only
#
# slam-figures.awk - what figures 4 to 9 of the paper show, of ours
#
# awk -f slam-model.awk -f slam-figures.awk DIRECTORY=... RAW: writes a file for
# each figure, lines of NAME,X,Y, to be drawn by figures-plot; fig6 is
# slam-plot's. Ours: MPI, 10 Gbit Ethernet, by the model; the slowest worker by
# its evaluations where nothing else is said. The paper's numbers are those that
# its authors' results say, with 100 particles.

BEGIN { FS = "\t" }
{ v[$1] = $2 }

function put(name, x, y)
{
	if (y "" != "")
		print name "," x "," y >DIRECTORY "/" figure
}

function ms(key, w) { return model_evaluations("mpi", key, w, "10GbE") }
function measured(key, w) { return model("mpi", key, w, "10GbE") }

function faster(key, w,	t)
{
	t = ms(key, w)
	return t ? serial("mpi", key) / t : ""
}

# ms of an evaluation in one process
function cost(key,	k)
{
	k = alone("mpi", key)
	return serial("mpi", key) * v[k "/updates"] / v[k "/evaluations"]
}

# ms of the one that has most to do, and above the mean
function most(key, w,	k)
{
	k = "mpi/" key "/" w "/workers."
	return (k "moved") in v ? cost(key) * \
		v[k "most_per_update.evaluations"] : ""
}

function overhead(key, w,	k)
{
	k = "mpi/" key "/" w "/workers."
	return (k "moved") in v ? most(key, w) - cost(key) * \
		v[k "all_per_update.evaluations"] / w : ""
}

function messages(key, w, net,	k)
{
	k = "mpi/" key "/" w "/"
	return (k "scans") in v ? model_sum("mpi", k, w, net, 0,
		v[k "workers.slowest"], 0) - v[k "workers.slowest"] : ""
}

function by_particles(what, how, w,	i, k)
{
	for (i = 1; i <= 3; i++) {
		k = what "/" particles[i] "/" how
		put(particles[i] " particles", w, faster_too ? faster(k, w) : \
			ms(k, w))
	}
}

function times(name, what, how) { draw(name, what, how, 0) }
function speedups(name, what, how) { draw(name, what, how, 1) }

function draw(name, what, how, too,	i, t)
{
	figure = name
	faster_too = too
	for (i = 1; i <= 5; i++)
		by_particles(what, how, teams[i])
	for (i = 1; i <= 5; i++) {
		t = how == "hill" ? paper[what, teams[i]] : ""
		put("paper: 100 particles", teams[i], t == "" ? "" : too ? \
			paper[what, 1] / t : t)
		if (too)
			put("as many times", teams[i], teams[i])
	}
	for (i = 1; too && i <= 5; i++) {
		t = measured(what "/100/" how, teams[i])
		put("100 as measured", teams[i], t ? \
			serial("mpi", what "/100/" how) / t : "")
	}
}

function parts(	i, w, k)
{
	figure = "fig5a"
	for (i = 1; i <= 5; i++) {
		w = teams[i]
		k = "mpi/simbad/100/hill/" w "/workers."
		put("all", w, ms("simbad/100/hill", w))
		put("worker with most", w, most("simbad/100/hill", w))
		put("the same as measured", w, v[k "slowest"])
		put("coordinator", w, v[k "coordinator_cpu_ms_per_reading"])
		put("messages at 10 GbE", w, messages("simbad/100/hill", w,
			"10GbE"))
		put("messages at 1 GbE", w, messages("simbad/100/hill", w,
			"1GbE"))
		put("paper: all", w, paper["simbad", w])
	}
}

function imbalance(name, how,	i, w)
{
	figure = name
	for (i = 1; i <= 5; i++) {
		w = teams[i]
		put("all", w, ms("simbad/100/" how, w))
		put("imbalance", w, overhead("simbad/100/" how, w))
		if (how == "cutoff")
			put("imbalance without it", w,
				overhead("simbad/100/hill", w))
		if (how == "hill" && w == 20) {
			put("paper: all", w, paper["simbad", w])
			put("paper: imbalance", w, 107)
		}
	}
}

function panel(title, key)
{
	print title "\t0\t" v[key] >DIRECTORY "/fig6"
}

function readings(	k)
{
	panel("ms of each reading: one process, 60 particles, Simbad",
		"simbad/60/hill/cpu_ms_per_reading.each")
	panel("20 workers: of the one that has most to do",
		"mpi/simbad/60/hill/20/workers.slowest_cpu_ms")
	panel("20 workers, cutoff 140",
		"mpi/simbad/60/cutoff/20/workers.slowest_cpu_ms")
}

function resampling(	i, j, k)
{
	figure = "fig8"
	for (i = 1; i <= 5; i++) {
		for (j = 1; j <= 3; j++) {
			k = "simbad/" particles[j]
			put(particles[j] " at each reading", teams[i],
				measured(k "/resample", teams[i]))
			put(particles[j] " when needed", teams[i],
				measured(k "/hill", teams[i]))
		}
	}
}

END {
	model_constants()
	split("20 60 100", particles, " ")
	split("4 8 12 16 20", teams, " ")
	split("1 4 8 12 16 20", w, " ")
	split("4634 1457 897 664 535 452", t, " ")
	for (i = 1; i <= 6; i++)
		paper["simbad", w[i]] = t[i]
	paper["aces", 1] = 927
	paper["aces", 20] = 152
	times("fig4a", "simbad", "hill")
	speedups("fig4b", "simbad", "hill")
	times("fig4c", "aces", "hill")
	speedups("fig4d", "aces", "hill")
	parts()
	imbalance("fig5b", "hill")
	readings()
	times("fig7a", "simbad", "cutoff")
	speedups("fig7b", "simbad", "cutoff")
	resampling()
	imbalance("fig9", "cutoff")
}
