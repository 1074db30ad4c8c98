# SPDX-License-Identifier: GPL-2.0-only
#
# slam-model.awk - how long a reading takes on W machines with one worker each
#
# T(W) = matching: processor time of the worker that has most, at each update
#	+ the larger one of
#	  a) the coordinator's processor time for a reading
#	     + the reading's way to the worker that gets it last
#	     + results in, of which the last one is that of the slowest worker
#	     + maps, for the share of updates that resample, if any particle
#	       moves at all
#	  b) what the worker that has most of it puts into its maps meanwhile
#	     + the time to pass a reading on, which waits for that
#
# The reading: over MPI to more than 8 workers by leaders, two ways and two
# times a few bytes after another; else to one worker after the other. Sending
# is the coordinator's processor time; that of a leader is added (bus-pingpong:
# "send"). Results: the one of the slowest worker takes a way; those before it
# wait in a queue if the coordinator is not done with them: each takes the
# coordinator some time (bus-pingpong: over MPI "take", with a broker, through
# which they come, of 100 results in a cycle) and its bytes some of its network
# interface. When each of them is sent follows from its evaluations.
#
# A way is half of there and back on this machine, through the kernel's TCP and,
# with RabbitMQ, the broker; between machines that of the wire is added. What is
# assumed, and not measured, is all here:
function model_constants()
{
	model_networks = split("1GbE 10GbE", model_network, " ")
	# ms one way: two interfaces and a switch
	model_wire["here"] = 0
	model_wire["1GbE"] = 0.020
	model_wire["10GbE"] = 0.008
	# bytes a ms: Ethernet and TCP take 6 % of what a frame has
	model_rate["1GbE"] = 0.94 * 1e9 / 8 / 1000
	model_rate["10GbE"] = 0.94 * 1e10 / 8 / 1000
	# on one machine, of those with 1 MB there and back
	model_here["mpi"] = rate_here("mpi")
	model_here["amqp"] = rate_here("amqp")
	# Over MPI who waits longer than this (ms) as a rule looks only now and
	# then, and is that late (ms): half of the longest sleep, and the
	# timer's slack
	model_patience = 25
	model_late = 0.3
	# as leaders_of() in userspace/plugin/mpi/mpi.c
	model_flat = 8
	# On a machine of 16 processors, Simbad, 1000 particles, each reading:
	# threads of one process are so many times as fast as one thread, workers
	# in threads were when each matched its own particles only
	model_threads = 13.1
	model_own = 8.7
}

function rate_here(engine,	us)
{
	us = v[engine "/megabyte"]
	return us ? 2 * 1048576 / us * 1000 : 0
}

function leaders_of(engine, w) {
	return engine != "mpi" || w <= model_flat ? w : int(sqrt(w) + 1e-9)
}

# ms
function model_way(engine, net) {
	return v[engine "/round"] / 2000 + model_wire[net]
}

# ms for each
function model_take(engine) {
	if ((engine "/20/take") in v)
		return v[engine "/20/take"] / 1000
	return (v[engine "/cycle"] - v[engine "/round"]) / 100000
}

# ms to pass a reading on to those behind a leader, but for the way
function model_pass_on(engine, k, w, rate,	leaders, behind)
{
	leaders = leaders_of(engine, w)
	behind = int((w - 1) / leaders)
	return behind * (v[engine "/20/send"] / 1000 / leaders_of(engine, 20) + \
		v[k "workers.bytes_to"] / v[k "scans"] / w / rate)
}

# Until the worker has it that gets it last, but for the coordinator's sending
function model_there(engine, k, w, net, rate,	leaders, ms)
{
	leaders = leaders_of(engine, w)
	ms = model_way(engine, net) + leaders * \
		v[k "workers.bytes_to"] / v[k "scans"] / w / rate
	if (leaders < w)
		ms += model_way(engine, net) + \
			model_pass_on(engine, k, w, rate)
	return ms
}

# After the slowest worker has its result. @slowest: ms
function model_back(engine, k, w, net, rate, slowest,	n, i, ev, each, wire, most,
		    ms)
{
	n = split(v[k "workers.ranked_evaluations"], ev, ",")
	wire = v[k "workers.bytes_from"] / v[k "scans"] / w / rate
	each = wire + model_take(engine)
	for (i = 1; i <= n; i++) {
		ms = (ev[i] / ev[1] - 1) * slowest + (i - 1) * each
		if (ms > most)
			most = ms
	}
	return model_way(engine, net) + wire + most
}

# Per reading; over a broker, on the coordinator's machine, all maps pass there
function model_maps(engine, k, net, rate,	ms)
{
	ms = v[k "workers." (engine == "amqp" ? "all" : "most") \
		"_per_update.bytes"] / rate
	if (v[k "workers.moved"])
		ms += v[k "resamplings"] / v[k "updates"] * \
			model_way(engine, net)
	return ms
}

# K: as mpi/simbad/100/hill/20/. What was measured, or follows from it: ms
function model_sum(engine, k, w, net, coordinator, slowest, early,	rate, a, b)
{
	rate = net == "here" ? model_here[engine] : model_rate[net]
	a = coordinator + model_there(engine, k, w, net, rate) + \
		model_back(engine, k, w, net, rate, slowest) + \
		model_maps(engine, k, net, rate)
	b = early
	if (leaders_of(engine, w) < w)
		b += model_pass_on(engine, k, w, rate)
	if (engine == "mpi" && slowest > model_patience)
		a += model_late
	return slowest + (a > b ? a : b)
}

# KEY: as simbad/100/hill. "": was not measured
function model(engine, key, w, net,	k)
{
	k = engine "/" key "/" w "/"
	if (!((k "scans") in v))
		return ""
	return model_sum(engine, k, w, net, \
		v[k "workers.coordinator_cpu_ms_per_reading"], \
		v[k "workers.slowest"], v[k "workers.most_per_update.early_ms"])
}

# One process without messages: that which was run by turns with the workers
function alone(engine, key,	k)
{
	sub(/resample/, "hill", key)
	k = engine "/" key "/0"
	return (k "/evaluations") in v ? k : key
}

# Its ms. A particle takes as long whether there are many or few of them; if
# some of those runs with few say that the one with all was disturbed, theirs
# counts: or that would make of a busy machine a good speed-up
function serial(engine, key,	part, w, s, ms, least)
{
	split(key, part, "/")
	least = v[alone(engine, key) "/cpu_ms_per_reading.mean"]
	for (w = 2; w <= 20; w++) {
		s = model_share(engine, key, w)
		ms = v[s "/cpu_ms_per_reading.mean"] * part[2] / v[s "/particles"]
		if (ms < least)
			least = ms
	}
	return least
}

# Likewise, one that has as many particles as a worker of W
function model_share(engine, key, w,	part, k)
{
	split(key, part, "/")
	k = alone(engine, part[1] "/share" int((part[2] + w - 1) / w) "/" part[3])
	return (k "/evaluations") in v ? k : alone(engine, key)
}

# Likewise, but what a worker's evaluations take is measured without 20 of them
# on a few cores in each other's caches: in one process with as many particles
function model_evaluations(engine, key, w, net,	k, s, all, early)
{
	k = engine "/" key "/" w "/"
	s = model_share(engine, key, w)
	if (!((k "scans") in v) || !((s "/evaluations") in v))
		return ""
	all = v[k "workers.most_per_update.evaluations"] * \
		v[s "/cpu_ms_per_reading.mean"] / \
		(v[s "/evaluations"] / v[s "/updates"])
	early = all * v[k "workers.all_per_update.early_ms"] / \
		v[k "workers.all_per_update.cpu_ms"]
	return model_sum(engine, k, w, net, \
		v[k "workers.coordinator_cpu_ms_per_reading"], all - early, early)
}

# One machine of W processors, workers in threads of one process: ms of
#	share	 all work, shared out to all; processors that are all busy are
#		 slower than one alone: as threads of one process show
#	uneven	 what the one with the most evaluations has more of them
#	coord	 coordinator
#	message	 to wake all, and the way and handling of the last result
#	helped	 with help: until the last particle is done
function model_one(key, w, t,	k, alone, early, most)
{
	k = "one/" key "/" w "/"
	alone = v["one/" key "/0/cpu_ms_per_reading.mean"]
	early = v[k "workers.all_per_update.early_ms"] / \
		v[k "workers.all_per_update.cpu_ms"]
	most = v[k "workers.most_per_update.evaluations"] * w / \
		v[k "workers.all_per_update.evaluations"]
	t["alone"] = alone
	t["share"] = alone / model_threads * 16 / w
	t["uneven"] = t["share"] * (1 - early) * (most - 1)
	t["coord"] = v[k "workers.coordinator_cpu_ms_per_reading"]
	t["message"] = (v["one/send"] + v["one/round"] / 2 + v["one/take"]) / 1000
	t["helped"] = alone / v[k "particles"] * 16 / model_threads
	t["own"] = t["share"] + t["uneven"] + t["coord"] + t["message"]
	# what is left of the figure: the slowest one by the clock
	t["slowest"] = alone / model_own - t["own"]
	t["help"] = t["share"] + t["coord"] + t["message"] + t["helped"]
}
