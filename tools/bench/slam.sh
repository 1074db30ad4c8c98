#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bench/slam.sh [--quick] [PART...] - what SLAM costs, and how good it is
#
# Prints lines of KEY<tab>VALUE for slam-tables.awk. A key is a run and what was
# measured: simbad/100/hill/cpu_ms_per_reading.mean. Runs whose time counts are
# done several times, all of them in turn: a reading's time is the least of all,
# for every run does the same work, and others on this machine only add to it.
# BIN: programs. Without the recordings a world is made up, which "world" tells.
# Parts: speed, threads, accuracies, mpi, figures, amqp, one; all of them by
# default.

set -u -o pipefail
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
bin=$(realpath "${BIN:-$top/build/bin}") || exit 1
data=${OPTSAMPLE_DATA:-$top/../shared/data}/slam
scratch=$(mktemp -d)
work=$scratch
pids=()
cd "$top" || exit 1
. tests/e2e/slam/rabbit.sh

cleanup()
{
	stop_workers
	rabbit_stop
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 1' INT TERM

die()
{
	echo "bench: slam: $*" >&2
	exit 1
}

note() { echo "# $*" >&2; }

parts=(speed threads accuracies mpi figures amqp one)
if [ "${1:-}" = --quick ]; then
	shift
	parts=(speed threads accuracies mpi amqp one)
	rounds=1 seeds=3 many=3 some=2 teams='1 2 4 20'
else
	rounds=3 seeds=5 many=10 some=3 teams='1 2 4 8 12 16 20'
fi

#
# Logs
#

# relations TRUTH: from each pose to the one 100 later
relations()
{
	awk '{ t[NR] = $1; x[NR] = $2; y[NR] = $3; a[NR] = 2 * atan2($7, $8) }
	END { for (i = 1; i + 100 <= NR; i += 5) {
		j = i + 100; c = cos(a[i]); s = sin(a[i])
		dx = x[j] - x[i]; dy = y[j] - y[i]; d = a[j] - a[i]
		printf "%.6f %.6f %.6f %.6f 0 0 0 %.6f\n", t[i], t[j],
			c * dx + s * dy, c * dy - s * dx,
			atan2(sin(d), cos(d)) } }' "$1"
}

if [ -e "$data/simbad_1.csv" ] && [ -e "$data/intel.relations" ]; then
	simbad=$data/simbad_1.csv aces=$data/aces_300.clf
	whole_aces=$data/aces_key440.clf intel=$data/intel_2726.clf
	aces_relations=$data/aces.relations intel_relations=$data/intel.relations
	head -n 100 "$simbad" >"$work/simbad.head"
	head -n 60 "$simbad" >"$work/heavy"
else
	printf 'world\t1\n'
	"$bin/slam-world" 640 "$work/truth" >"$work/640" &&
		"$bin/slam-world" 180 "$work/truth" >"$work/180" ||
		die "no log"
	simbad=$work/640 aces=$work/180 whole_aces=$aces intel=$aces
	relations "$work/truth" >"$work/relations"
	aces_relations=$work/relations intel_relations=$aces_relations
	cp "$simbad" "$work/simbad.head"
	cp "$simbad" "$work/heavy"
fi
#
# Runs, and what they say
#

every=(--distance 0 --angle 0)

# tell FILE...: of runs that did the same; the least of each reading
tell()
{
	local key

	key=$(sed 's/\.[0-9]*$//; s|.*/||; s|,|/|g' <<<"$1")
	jq -rs --arg key "$key" '
	def least: transpose | map(min);
	def mean: add / length;
	def share(s): sort | .[(length - 1) * s | floor];
	. as $all | .[0] |
	(.cpu_ms_per_reading.each = ($all |
		map(.cpu_ms_per_reading.each) | least)) |
	.cpu_ms_per_reading |= (.each as $e | .mean = ($e | mean) |
		.p50 = ($e | share(0.5)) | .p95 = ($e | share(0.95)) |
		.max = ($e | max)) |
	.wall_ms_per_reading = ($all | map(.wall_ms_per_reading) | min) |
	if .workers then
		(($all | min_by(.wall_ms_per_reading)) as $run | .undisturbed = {
			wall: $run.wall_ms_per_reading,
			coordinator: $run.workers.coordinator_cpu_ms_per_reading,
			early: $run.workers.most_per_update.early_ms,
			slowest: ($run.workers.slowest_cpu_ms | mean) }) |
		(.workers.slowest_cpu_ms = ($all |
			map(.workers.slowest_cpu_ms) | least)) |
		(.workers.slowest = (.workers.slowest_cpu_ms | mean)) |
		(.workers.most_per_update.early_ms = ($all |
			map(.workers.most_per_update.early_ms) | min)) |
		(.workers.all_per_update |= (($all | map(.workers.all_per_update) |
			min_by(.cpu_ms)) as $a | .cpu_ms = $a.cpu_ms |
			.early_ms = $a.early_ms)) |
		(.workers.coordinator_cpu_ms_per_reading = ($all |
			map(.workers.coordinator_cpu_ms_per_reading) | min))
	else . end |
	(.cpu_ms_per_reading.each, .workers.slowest_cpu_ms?,
		.workers.ranked_evaluations?) |= (if type == "array" then map(tostring) | join(",") else . end) |
	. as $o | paths(scalars) as $p |
	"\($key)/\($p | join("."))\t\($o | getpath($p))"' "$@" ||
		die "$key: no numbers"
}

# All that was run since the last time
tell_all()
{
	local f

	for f in "$work"/runs/*.1; do
		tell "${f%.1}".*
	done
	rm -f "$work"/runs/*
}

# run KEY COMMAND...: and its numbers into a file for tell_all
run()
{
	local file=$work/runs/${1//\//,} key=$1 n=1

	shift
	mkdir -p "$work/runs"
	while [ -e "$file.$n" ]; do
		n=$((n + 1))
	done
	"$@" -q --stats "$file.$n" || die "$key: slamd failed"
}

# serial KEY PROGRAM LOG OPTION...: one thread, every reading an update
serial()
{
	local key=$1

	run "$key" "$2" --log "$3" "${every[@]}" --threads 1 "${@:4}"
}

# enough ROUND TIMES: whether it was done so many times
enough() { [ "$1" -gt "$2" ]; }

speed_round()
{
	local i=$1 name=$2 log=$3 p

	for p in 20 60 100; do
		serial $name/$p/hill "$bin/slamd" "$log" --particles $p
		serial $name/$p/cutoff "$bin/slamd" "$log" --particles $p \
			--cutoff 140
	done
	serial $name/100/gn "$bin/slamd" "$log" --particles 100 --matcher gn
	enough $i 2 && return
	if [ -x "$bin/slamd-plain" ]; then
		serial $name/100/plain "$bin/slamd-plain" "$log" --particles 100
	fi
	enough $i 1 && return
	if "$bin/slamd" --help | grep -q -- --compat; then
		# which has distances of its own, unless given after it
		serial $name/100/gmapping "$bin/slamd" "$log" \
			--compat gmapping --particles 100 "${every[@]}"
	fi
}

# 1. and what it takes of memory is with 4.
speed()
{
	local i

	for ((i = 1; i <= rounds; i++)); do
		note "speed, round $i"
		speed_round $i simbad "$simbad"
		speed_round $i aces "$aces"
		enough $i 2 || serial simbad/1000/hill "$bin/slamd" \
			"$work/simbad.head" --particles 1000
	done
	tell_all
}

# 3. by turns, so that both have as much of the machine
threads()
{
	local i t

	note threads
	for ((i = 0; i < 10; i++)); do
		for t in 1 2; do
			run threads/$t "$bin/slamd" --log "$simbad" \
				"${every[@]}" --particles 100 --threads $t
		done
	done
	tell_all
}

# 4. a run as its users do it; two at a time, for nothing is timed
accuracy_run()
{
	local key=$1 log=$2 relations=$3 out

	shift 3
	out=$work/accuracy.${key//\//-}
	"$bin/slamd" -q --log "$log" --threads 1 "$@" --trajectory "$out" \
		--stats "$out.json" &&
		"$bin/slam-eval" --relations "$relations" --log "$log" \
			--trajectory "$out" | awk -F, -v key="$key" '{
			print key "/error\t" $1 "\n" key "/rotation\t" $3 }' &&
		jq -r --arg key "$key" '"\($key)/memory\t\(.map_bytes_per_particle
			)\n\($key)/evaluations\t\(.evaluations)"' "$out.json"
}

# accuracy NAME LOG RELATIONS SEEDS PARTICLES VARIANT OPTION...
accuracy()
{
	local name=$1 log=$2 relations=$3 n=$4 p=$5 variant=$6 s

	shift 6
	for ((s = 1; s <= n; s++)); do
		accuracy_run "errors/$name/$p/$variant/$s" "$log" "$relations" \
			--particles "$p" --seed $s "$@" >"$work/part.$s" &
		[ $((s % 2)) = 1 ] || wait
	done
	wait
	for ((s = 1; s <= n; s++)); do
		[ -s "$work/part.$s" ] || die "$name, seed $s: failed"
		cat "$work/part.$s"
	done
	rm -f "$work"/part.*
}

accuracies()
{
	note accuracy
	accuracy aces "$whole_aces" "$aces_relations" $many 30 hill
	accuracy intel "$intel" "$intel_relations" $seeds 30 hill
	accuracy aces "$whole_aces" "$aces_relations" $some 100 hill
	accuracy intel "$intel" "$intel_relations" $some 100 hill
	accuracy aces "$whole_aces" "$aces_relations" $seeds 30 cutoff \
		--cutoff 140
	accuracy intel "$intel" "$intel_relations" $seeds 30 cutoff --cutoff 140
	accuracy aces "$whole_aces" "$aces_relations" $seeds 30 gn --matcher gn
	accuracy intel "$intel" "$intel_relations" $seeds 30 gn --matcher gn
	accuracy aces "$whole_aces" "$aces_relations" $seeds 30 'no adjust' \
		--adjust off
	accuracy intel "$intel" "$intel_relations" $seeds 30 'no adjust' \
		--adjust off
	[ -e "$data/killian.relations" ] || return 0
	accuracy fr079 "$data/fr079_4791.clf" "$data/fr079.relations" $some 30 \
		hill
	accuracy fr079 "$data/fr079_4791.clf" "$data/fr079.relations" $some 30 \
		'no loops' --loops off
	accuracy fr079 "$data/fr079_4791.clf" "$data/fr079.relations" $some 30 \
		'no adjust' --adjust off
	accuracy killian "$data/killian_key1941.clf" \
		"$data/killian.relations" $many 30 hill
	accuracy killian "$data/killian_key1941.clf" \
		"$data/killian.relations" $some 30 'no adjust' --adjust off
	accuracy killian "$data/killian_key1941.clf" \
		"$data/killian.relations" $some 30 'no loops' --loops off
}

#
# 5. Workers
#

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# share ENGINE DATA PARTICLES W VARIANT LOG OPTION...: one process with as many
# particles as one of W workers has
share()
{
	local n=$((($3 + $4 - 1) / $4))

	[ "$4" != 1 ] || return 0
	serial "$1/$2/share$n/$5/0" "$bin/slamd" "$6" --particles $n "${@:7}"
}

# Over TCP, as between machines
ranks()
{
	timeout --foreground 600 mpirun --oversubscribe --mca mpi_yield_when_idle 1 \
		--mca btl self,tcp --mca btl_tcp_if_include lo -n $(($1 + 1)) \
		"${@:2}"
}

start_workers()
{
	while [ ${#pids[@]} -lt "$1" ]; do
		"$bin/slam-worker" --engine "$rabbit_url" --threads 1 -q \
			2>/dev/null &
		pids+=($!)
	done
}

stop_workers()
{
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}"
	[ ${#pids[@]} = 0 ] || wait "${pids[@]}"
	pids=()
} 2>/dev/null

# team ENGINE W KEY LOG OPTION...
team()
{
	local engine=$1 w=$2 key=$3 log=$4 start=()

	shift 4
	if [ $engine = mpi ]; then
		start=(ranks $w "$bin/slamd" --engine mpi)
	else
		start_workers $w
		start=(timeout --foreground 600 "$bin/slamd" --engine "$rabbit_url")
	fi
	run "$engine/$key/$w" "${start[@]}" --log "$log" "${every[@]}" \
		--workers $w --threads 1 "$@"
}

# The main case, with and without a resampling each time, and a heavy one. 0:
# one process without messages, while the machine is as busy as for the others
main_teams()
{
	local i w

	for ((i = 1; i <= rounds; i++)); do
		note "$1: round $i"
		serial $1/simbad/100/hill/0 "$bin/slamd" "$simbad" \
			--particles 100
		for w in $teams; do
			team $1 $w simbad/100/hill "$simbad" --particles 100
			team $1 $w simbad/100/resample "$simbad" \
				--particles 100 --resample 1
			enough $i 2 || team $1 $w heavy/1000/hill \
				"$work/heavy" --particles 1000
		done
		for w in $teams; do
			share $1 simbad 100 $w hill "$simbad"
			enough $i 2 || share $1 heavy 1000 $w hill "$work/heavy"
		done
		enough $i 2 || serial $1/heavy/1000/hill/0 "$bin/slamd" \
			"$work/heavy" --particles 1000
		stop_workers
	done
	tell_all
}

# What the figures have besides
figures()
{
	local i w p

	command -v mpirun >/dev/null || return 0
	for i in 1 2; do
		note "figures: round $i"
		for p in 20 60 100; do
			[ $p = 100 ] || serial mpi/simbad/$p/hill/0 \
				"$bin/slamd" "$simbad" --particles $p
			serial mpi/simbad/$p/cutoff/0 "$bin/slamd" "$simbad" \
				--particles $p --cutoff 140
			serial mpi/aces/$p/hill/0 "$bin/slamd" "$aces" \
				--particles $p
		done
		for w in 4 8 12 16 20; do
			for p in 20 60; do
				team mpi $w simbad/$p/hill "$simbad" \
					--particles $p
				team mpi $w simbad/$p/resample "$simbad" \
					--particles $p --resample 1
			done
			for p in 20 60 100; do
				team mpi $w simbad/$p/cutoff "$simbad" \
					--particles $p --cutoff 140
				team mpi $w aces/$p/hill "$aces" --particles $p
				[ $p = 100 ] || share mpi simbad $p $w hill "$simbad"
				share mpi simbad $p $w cutoff "$simbad" --cutoff 140
				share mpi aces $p $w hill "$aces"
			done
		done
	done
	tell_all
}

# pingpong ENGINE COMMAND...: us there and back, and a cycle of 100 results: the
# least of three medians; of processor time the least of all
pingpong()
{
	local engine=$1 i

	shift
	for i in 1 2 3; do
		"$@" || die "bus-pingpong failed"
	done | awk -v e="$engine" '
	function least(what, us) {
		if (!(what in v) || us < v[what]) v[what] = us }
	$1 == "64" { least("round", $3) }
	$1 == "1" && $2 == "MB" { least("megabyte", $3) }
	$1 == "cycle" { least("cycle", $2) }
	$1 == "send" || $1 == "take" { least($1, $4) }
	END { for (what in v) print e "/" what "\t" v[what] }'
}

mpi()
{
	if ! command -v mpirun >/dev/null; then
		note "no mpirun: without MPI"
		return
	fi
	pingpong mpi ranks 1 "$bin/bus-pingpong" mpi 1
	pingpong mpi/20 ranks 20 "$bin/bus-pingpong" mpi 20
	main_teams mpi
}

amqp()
{
	if ! have_rabbit; then
		note "no RabbitMQ: without it"
		return
	fi
	rabbit_start >&2 || die "no broker"
	pingpong amqp "$bin/bus-pingpong" "$rabbit_url" 1
	main_teams amqp
	rabbit_stop
}

# 7. Workers in threads of one process: what a machine of 16 processors does.
# Messages are those to threads that sleep: medians, not the least
one()
{
	local i

	note "one machine"
	"$bin/bus-pingpong" threads 16 | awk '
	$1 == "64" { print "one/round\t" $3 }
	$1 == "send" || $1 == "take" { print "one/" $1 "\t" $2 }' ||
		die "bus-pingpong failed"
	for ((i = 1; i <= rounds; i++)); do
		serial one/heavy/1000/hill/0 "$bin/slamd" "$work/heavy" \
			--particles 1000
		run one/heavy/1000/hill/16 "$bin/slamd" --engine threads \
			--workers 16 --log "$work/heavy" "${every[@]}" \
			--particles 1000
	done
	tell_all
}

[ -x "$bin/slamd" ] && [ -x "$bin/slam-eval" ] || die "no slamd (make bench)"
[ $# = 0 ] || parts=("$@")
for part in "${parts[@]}"; do
	case $part in
	speed|threads|accuracies|mpi|figures|amqp|one) $part ;;
	*) die "no part '$part'" ;;
	esac
done
