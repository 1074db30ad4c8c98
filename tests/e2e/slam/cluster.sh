#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cluster.sh BIN - slamd with workers that join, leave, are killed and stopped:
# the trajectory has the same bits as that of one process
#
# BIN has slamd, slam-worker, slam-world and log-bag. Tests that need RabbitMQ or MPI are
# skipped without it.

bin=$(realpath "${1:-build/bin}")
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib/tap.sh
. tests/e2e/slam/rabbit.sh
. tests/e2e/slam/says.sh
pids=() workers=()

end_all()
{
	kill -9 "${pids[@]}" 2>/dev/null
	rabbit_stop
	rm -rf -- "$scratch"
}
trap end_all EXIT

log=$scratch/world.clf
"$bin/slam-world" 180 >"$log"
ok "a log to work on"

settings=(--log "$log" --particles 60 --seed 7 --resample 0.8 --distance 0)

# full NAME TEXT: it failed, its last error has TEXT, and there is no
# trajectory. Warnings of other ranks may come after it.
full()
{
	grep "^slamd: " "$scratch/$1" | grep -v '^slamd: warning: ' |
		tail -n 1 | grep -q -- "$2" &&
		[ ! -e "$scratch/$1.tum" ] && return
	tail -n 5 "$scratch/$1" | sed 's/^/#   /'
	return 1
}

# run NAME ARGUMENT...: slamd in the background, its pid in $slamd
run()
{
	local name=$1

	shift
	: >"$scratch/$name"
	timeout --foreground 300 "$bin/slamd" "${settings[@]}" -v "$@" \
		--trajectory "$scratch/$name.tum" --stats "$scratch/$name.json" \
		>"$scratch/$name" 2>&1 &
	slamd=$!
	pids+=($slamd)
}

# worker NAME ARGUMENT...: over RabbitMQ
worker()
{
	local name=$1

	shift
	: >"$scratch/$name"
	"$bin/slam-worker" --engine "$rabbit_url" --threads 1 "$@" \
		>"$scratch/$name" 2>&1 &
	pids+=($!)
	worker=$!
	workers+=($!)
}

# same NAME: slamd ends, and its trajectory is that of a single process
same()
{
	wait $slamd && cmp "$scratch/alone.tum" "$scratch/$1.tum" && return
	tail -n 5 "$scratch/$1" | sed 's/^/#   /'
	return 1
}

run alone
wait $slamd
ok "one process"
run threads3 --engine threads --workers 3
same threads3
ok "three threads with messages between them: the same bits"
[ "$(jq .workers.moved "$scratch/threads3.json")" -gt 0 ]
ok "particles moved"
test_more_threads()
{
	run threads7 --engine threads --workers 7
	same threads7
	ok "seven"
	run every --engine threads --workers 4 --resample 1 &&
		wait $slamd && run every1 --resample 1 && wait $slamd &&
		cmp "$scratch/every.tum" "$scratch/every1.tum"
	ok "resampled at every reading: the same bits"
	run tracked --engine threads --workers 4 --distance 0.3 --angle 0.3 &&
		wait $slamd && run tracked1 --distance 0.3 --angle 0.3 &&
		wait $slamd &&
		cmp "$scratch/tracked.tum" "$scratch/tracked1.tum" &&
		[ "$(jq '.updates < .scans' "$scratch/tracked.json")" = true ]
	ok "readings that are only tracked: the same bits"
}
thorough test_more_threads

run deadline --engine threads --workers 3 --deadline 1 \
	--checkpoint "$scratch/deadline.ckpt" && wait $slamd &&
	run again --checkpoint "$scratch/deadline.ckpt" --resume &&
	wait $slamd && cmp "$scratch/deadline.tum" "$scratch/again.tum" &&
	jq -r '"# \(.workers.replaced_at_deadline) particles replaced"' \
		"$scratch/deadline.json"
ok "a deadline that is too short: the same bits from the checkpoint"

run small --memory 1
! wait $slamd && full small "more than the 1 MB of --memory"
ok "no memory for the maps: that ends it"
run small3 --engine threads --workers 3 --memory 1
! wait $slamd && full small3 "more than the 1 MB of --memory"
ok "three threads: that ends it"

gmapping=(--compat gmapping --distance 0 --angle 0 --resample 1)
run gmapping --engine threads --workers 4 "${gmapping[@]}" &&
	wait $slamd && run gmapping1 "${gmapping[@]}" && wait $slamd &&
	cmp "$scratch/gmapping.tum" "$scratch/gmapping1.tum" &&
	[ "$(jq .workers.moved "$scratch/gmapping.json")" -gt 0 ]
ok "as GMapping does it: the same bits"

if have_rabbit; then
	rabbit_start
	ok "a broker"
	[ "$(rabbit_ctl eval '{ok, D} = file:get_cwd(), io:format("~s~n", [D]).' |
		head -n 1)" = "$rabbit_home" ]
	ok "what it leaves behind if it is killed is in its own folder"
	worker w1; first=$worker
	worker w2; second=$worker
	worker w3
	run plain --engine "$rabbit_url" --workers 3
	same plain
	ok "three processes over RabbitMQ: the same bits"

	# killed once for each kind of moment, in any phase
	run killed --engine "$rabbit_url" --workers 3
	says killed '^ *[1-9][0-9]* %'
	kill -9 $first
	says killed 'worker [0-9]* left' && worker w4 && same killed
	ok "one of them is killed: the same bits"

	run stopped --engine "$rabbit_url" --workers 3
	says stopped '^ *[1-9][0-9]* %'
	kill -STOP $second
	says stopped 'worker [0-9]* left'
	kill -CONT $second
	same stopped
	ok "one is stopped until it is thrown out: the same bits"

	run broker --engine "$rabbit_url" --workers 3
	says broker '^ *[1-9][0-9]* %'
	rabbit_kill
	says broker 'worker [0-9]* left' 3 && rabbit_run && same broker
	ok "the broker is killed and comes back: the same bits"

	test_more_workers()
	{
		run more --engine "$rabbit_url" --workers 1
		says more '^ *[1-9][0-9]* %'
		worker w5
		worker w6
		same more
		ok "more workers come while it runs: the same bits"
	}
	thorough test_more_workers

	# live, over a link that is 50 ms late each way and stalls: there is a
	# pose for each scan meanwhile
	"$bin/log-bag" "$log" "$scratch/world.mcap" 0 150
	read -r link < <(free_ports 1)
	tests/e2e/slam/relay.py "$link" "$rabbit_port" 50 "$scratch/stall" \
		2>"$scratch/relay" &
	pids+=($!)
	wait_for 60 eval "(: </dev/tcp/127.0.0.1/$link) 2>/dev/null"
	poses() { ls "$scratch/poses/slam/pose" 2>/dev/null | wc -l; }
	worker w8
	timeout --foreground 300 "$bin/slamd" --from "$scratch/world.mcap" \
		--laser 0,0,0 --particles 10 --distance 0 -v \
		--engine "${rabbit_url/:$rabbit_port/:$link}" --workers 2 \
		--to "$scratch/poses/" --trajectory "$scratch/live.tum" \
		--stats "$scratch/live.json" >"$scratch/live" 2>&1 &
	slamd=$!
	pids+=($slamd)
	wait_for 120 eval '[ $(poses) -ge 20 ]'
	: >"$scratch/stall"
	before=$(poses)
	wait_for 120 eval "[ \$(poses) -ge $((before + 50)) ]"
	ok "live: the link stalls, and poses go on"
	grep -q 'no answer of workers' "$scratch/live"
	ok "a line says so"
	rm "$scratch/stall"
	wait $slamd && says live 'workers answer again' &&
		[ "$(poses)" = 150 ] &&
		[ "$(wc -l <"$scratch/live.tum")" = 150 ] &&
		[ "$(jq '.poses_ahead > 50' "$scratch/live.json")" = true ]
	ok "it goes on, with a pose for each scan"

	kill "${workers[@]}" 2>/dev/null
	wait "${workers[@]}" 2>/dev/null
	worker tiny --memory 1
	run tiny2 --engine "$rabbit_url"
	! wait $worker && grep -q "more than the 1 MB of --memory" \
		"$scratch/tiny" && says tiny2 'exceeded the memory of' &&
		worker w7 && same tiny2
	ok "workers without memory leave, another one comes: the same bits"

	run none --engine "$rabbit_url" --workers 30
	says none 'waiting for 30 workers'
	kill -TERM $slamd
	wait $slamd
	[ $? != 124 ] && says none 'stopped by a signal'
	ok "a signal while it waits for workers"
else
	ok "no RabbitMQ here # SKIP"
fi

# mpi NAME ARGUMENT...: four ranks
mpi()
{
	local name=$1

	shift
	timeout --foreground 300 mpirun --oversubscribe \
		--mca mpi_yield_when_idle 1 --mca btl self,vader,tcp -n 4 \
		"$bin/slamd" "${settings[@]}" "$@" --engine mpi --workers 3 \
		--trajectory "$scratch/$name.tum" \
		--checkpoint "$scratch/$name.ckpt" >"$scratch/$name" 2>&1
}

# a rank of mpi(), not the first one, after part of the work
kill_rank()
{
	local ranks

	interval=0.05 wait_for 60 eval \
		"[ \$(stat -c %s '$scratch/$1.ckpt') -ge 20000 ]"
	ranks=($(pgrep -f -- "--trajectory $scratch/$1.tum" |
		while read -r p; do
			[ "$(tr '\0' '\n' 2>/dev/null </proc/$p/environ |
				sed -n 's/^OMPI_COMM_WORLD_RANK=//p')" = 2 ] &&
				echo "$p"
		done))
	[ ${#ranks[@]} -gt 0 ] && kill -9 "${ranks[@]}"
}

if command -v mpirun >/dev/null; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	mpi mpi -q && cmp "$scratch/alone.tum" "$scratch/mpi.tum"
	ok "four ranks of mpirun: the same bits"
	[ ! -s "$scratch/mpi" ]
	ok "which end without a word"

	! timeout 60 mpirun --oversubscribe -n 2 "$bin/slamd" --log "$log" \
		--engine mpi --workers 5 --trajectory "$scratch/few.tum" \
		>"$scratch/few" 2>&1 && grep -q 'mpirun -n 6' "$scratch/few" &&
		[ ! -e "$scratch/few.tum" ]
	ok "fewer ranks than workers"

	! mpi full -q --memory 1 && full full "more memory than the workers have"
	ok "ranks without memory: that ends all of them"

	mpi dead -q &
	run=$!
	kill_rank dead
	ok "one of the ranks is killed"
	! wait $run
	ok "that ends all of them"
	size=$(stat -c %s "$scratch/dead.ckpt")
	mpi dead -q --resume --stats "$scratch/dead.json" &&
		[ "$(jq .resumed "$scratch/dead.json")" -gt 0 ] &&
		[ "$(stat -c %s "$scratch/dead.ckpt")" -gt "$size" ] &&
		cmp "$scratch/alone.tum" "$scratch/dead.tum"
	ok "they go on from the checkpoint: the same bits"
else
	ok "no MPI here # SKIP"
fi
done_testing
