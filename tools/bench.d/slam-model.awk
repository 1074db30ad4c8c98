# SPDX-License-Identifier: GPL-2.0-only
#
# slam-model.awk - how long a reading takes on W machines with one worker each
#
# T(W) = the coordinator's processor time for a reading
#	+ that of the worker that has most to do, at each update
#	+ for each message but the first that the coordinator takes in, what
#	  taking one costs (engine-pingpong: 100 results in a cycle)
#	+ twice the way of a message: the scan there, the last result back; and
#	  once more for maps, for the share of updates that resample, if any
#	  particle moves at all
#	+ all bytes from and to the coordinator over its network interface, one
#	  after another: nothing is sent to all at once; over MPI also those of
#	  the worker that sends most maps, over a broker, which is where the
#	  coordinator is, those of all of them
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
	# Over MPI who waits longer than this (ms) looks only now and then, and
	# is that late (ms): half of the longest sleep, and the timer's slack
	model_patience = 2.5
	model_late = 0.3
}

function rate_here(engine,	us)
{
	us = v[engine "/megabyte"]
	return us ? 2 * 1048576 / us * 1000 : 0
}

# per reading
function model_bytes(engine, k)
{
	return (v[k "workers.bytes_to"] + v[k "workers.bytes_from"]) / \
		v[k "scans"] + (engine == "amqp" ? \
		v[k "workers.all_per_update.bytes"] : \
		v[k "workers.most_per_update.bytes"])
}

# What has nothing to do with computing, ms
function model_talk(engine, k, net, slowest,	ways, taken, rate, ms)
{
	ways = 2
	if (v[k "workers.moved"])
		ways += v[k "resamplings"] / v[k "updates"]
	taken = v[k "workers.messages_from"] / v[k "scans"] - 1
	if (taken < 0)
		taken = 0
	rate = net == "here" ? model_here[engine] : model_rate[net]
	ms = ways * (v[engine "/round"] / 2000 + model_wire[net]) + taken * \
		(v[engine "/cycle"] - v[engine "/round"]) / 100000
	if (rate)
		ms += model_bytes(engine, k) / rate
	if (engine == "mpi" && slowest > model_patience)
		ms += model_late
	return ms
}

# KEY: as simbad/100/hill. "": was not measured
function model(engine, key, w, net,	k, slowest)
{
	k = engine "/" key "/" w "/"
	if (!((k "scans") in v))
		return ""
	slowest = v[k "workers.most_per_update.cpu_ms"]
	return v[k "workers.coordinator_cpu_ms_per_reading"] + slowest + \
		model_talk(engine, k, net, slowest)
}

# One process without messages: that which was run by turns with the workers
function alone(engine, key,	k)
{
	sub(/resample/, "hill", key)
	k = engine "/" key "/0"
	return (k "/evaluations") in v ? k : key
}

function serial(engine, key)
{
	return v[alone(engine, key) "/cpu_ms_per_reading.mean"]
}

# Likewise, but the slowest takes what its evaluations take in one process:
# without 20 of them on a few cores in each other's caches
function model_evaluations(engine, key, w, net,	k, s, slowest)
{
	k = engine "/" key "/" w "/"
	s = alone(engine, key)
	if (!((k "scans") in v) || !((s "/evaluations") in v))
		return ""
	slowest = v[k "workers.most_per_update.evaluations"] * \
		serial(engine, key) / \
		(v[s "/evaluations"] / v[s "/updates"])
	return v[k "workers.coordinator_cpu_ms_per_reading"] + slowest + \
		model_talk(engine, k, net, slowest)
}
