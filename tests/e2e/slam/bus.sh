#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bus.sh BIN - buses with processes that are killed, stopped, disconnected
#
# BIN has test_bus and bus-peer, ../engine/engine-mpi.so next to it. Tests
# that need RabbitMQ or MPI are skipped without it.

bin=$(realpath "${1:-build/bin}")
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib/tap.sh
. tests/e2e/slam/rabbit.sh
. tests/e2e/slam/says.sh
pids=()

end_all()
{
	kill -9 "${pids[@]}" 2>/dev/null
	rabbit_stop
	rm -rf -- "$scratch"
}
trap end_all EXIT

# peer NAME ARGUMENT...: its pid is in $pid, its output in $scratch/NAME
peer()
{
	local name=$1

	shift
	: >"$scratch/$name"
	"$bin/bus-peer" "$@" >"$scratch/$name" 2>&1 &
	pid=$!
	pids+=($pid)
}

killed() { kill -9 $1; wait $1; } 2>/dev/null

# times_said NAME PATTERN: how often so far
times_said() { grep -c -- "$2" "$scratch/$1"; }

# id NAME: that a worker has now. On a busy machine it may have been thrown out
# and have joined again.
id() { sed -n 's/^in //p' "$scratch/$1" | tail -n 1; }

# joins NAME TIMES: the worker has joined so often, and the coordinator knows
joins() { says "$1" '^in' "$2" && says c "^joined $(id "$1")$"; }

passed() { sed -n 's/^round.* passed \([0-9]*\) .*/\1/p' "$scratch/$1" | tail -n 1; }

# goes_on NAME: the coordinator still gets its numbers back
goes_on()
{
	local before

	before=$(passed "$1")
	wait_for 120 eval "[ \$(passed $1) -gt $((before + 10)) ]" && return
	tail -n 3 "$scratch/$1" | sed 's/^/# /'
	return 1
}

# fails_with TEXT COMMAND...: one line with TEXT, without the password
fails_with()
{
	local text=$1

	shift
	timeout 120 "$@" >"$scratch/out" 2>"$scratch/err"
	[ $? = 1 ] && [ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -qF -- "$text" "$scratch/err" &&
		! grep -q secret "$scratch/err" && return
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

suite()
{
	"$bin/test_bus" >"$scratch/suite" 2>&1
	local status=$?

	grep -v '^ok' "$scratch/suite" | sed 's/^/# /'
	return $status
}

# In job a, heartbeats of 2 s
faults()
{
	local c w1 w2 w3 id1 id2 id3 n1 n3 left joined

	peer c "$rabbit_url" coordinator a 2000; c=$pid
	peer w1 "$rabbit_url" worker a 2000; w1=$pid
	joins w1 1
	peer w2 "$rabbit_url" worker a 2000; w2=$pid
	joins w2 1
	peer w3 "$rabbit_url" worker a 2000; w3=$pid
	joins w3 1 && says c 'workers 3' && goes_on c
	ok "three workers"

	id2=$(id w2)
	killed $w2
	says c "^left $id2 connection closed$" && goes_on c
	ok "a killed worker is missed, the others go on"

	id3=$(id w3) n3=$(times_said w3 '^in')
	kill -STOP $w3
	says c "^left $id3 no message for"
	ok "so is a stopped one"
	kill -CONT $w3
	says w3 "^out $id3 removed" && joins w3 $((n3 + 1)) && goes_on c
	ok "it hears so when it goes on, and joins under a new id"

	id1=$(id w1) n1=$(times_said w1 '^in')
	id3=$(id w3) n3=$(times_said w3 '^in')
	kill -STOP $c
	says w1 '^gone no message from' && says w3 '^gone no message from'
	ok "a stopped coordinator is missed"
	kill -CONT $c
	says c "^left $id1 " && says c "^left $id3 " && joins w1 $((n1 + 1)) &&
		joins w3 $((n3 + 1)) && goes_on c
	ok "it goes on with new workers"

	peer old "$rabbit_url" worker a 2000 0 2
	wait $pid
	[ $? = 3 ] && grep -q '^refused by the coordinator: .*protocol 2' \
		"$scratch/old" && says c '^refused .*protocol 2'
	ok "a worker of another version is refused"

	left=$(times_said c '^left') joined=$(times_said c '^joined')
	n1=$(times_said w1 '^in')
	rabbit_kill
	says c '^left' $((left + 2)) && says w1 '^gone broker' && says w3 '^gone broker'
	ok "without the broker everybody is alone"
	rabbit_run && says c '^joined' $((joined + 2)) &&
		says w1 '^in' $((n1 + 1)) && goes_on c
	ok "it is back, and so are they"

	killed $c
	says w1 "^gone connection of the coordinator closed" &&
		says w3 "^gone connection of the coordinator closed"
	ok "a killed coordinator is missed"
	peer c2 "$rabbit_url" coordinator a 2000; c=$pid
	says c2 '^joined 2$' && says c2 'workers 2' && goes_on c2
	ok "the next one finds the workers"

	kill $c; wait $c
	[ $? = 0 ] && says w1 '^gone the coordinator left'
	ok "a coordinator that leaves says so"
	kill $w1 $w3; wait $w1 && wait $w3
	ok "workers end in order, also without a coordinator"
	! grep -h WRONG "$scratch"/{c,c2,w1,w2,w3}
	ok "nothing came twice, backwards, or damaged"
}

refusals()
{
	local where=127.0.0.1:$rabbit_port

	fails_with "wrong user or password (user 'robot')" "$bin/bus-peer" \
		"amqp://robot:no-secret@$where/%2f" worker
	ok "a wrong password"
	rabbit_ctl add_user guest2 guest2
	fails_with "user 'guest2' lacks permission" "$bin/bus-peer" \
		"amqp://guest2:guest2@$where/%2f" worker
	ok "no right to the virtual host"
	rabbit_ctl set_permissions guest2 '^$' '^$' '^$'
	fails_with "user 'guest2' lacks permission" "$bin/bus-peer" \
		"amqp://guest2:guest2@$where/%2f" worker
	ok "no right to make queues"
	fails_with "lacks permission" "$bin/bus-peer" \
		"amqp://robot:secret@$where/nowhere" worker
	ok "a virtual host that is not there"
}

with_rabbit()
{
	rabbit_start
	ok "a broker"
	OPTSAMPLE_AMQP=$rabbit_url suite
	ok "conformance: threads and AMQP"
	refusals
	faults
	rabbit_kill
	fails_with "broker 127.0.0.1:$rabbit_port" "$bin/bus-peer" \
		"$rabbit_url" worker
	ok "no broker: one line"
	peer late "$rabbit_url" coordinator b 2000 4294967295
	says late '^notice broker'
	ok "or it waits for one, if wanted"
	rabbit_run
	peer late_worker "$rabbit_url" worker b 2000
	says late '^joined 1$'
	ok "and begins once it is there"
}

# Three ranks on whatever cores there are
mpi()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	timeout -k 10 300 mpirun --oversubscribe \
		--mca mpi_yield_when_idle 1 --mca btl self,vader,tcp \
		--mca btl_tcp_if_include lo --mca oob_tcp_if_include lo "$@"
}

with_mpi()
{
	local run rank

	mpi -n 3 "$bin/bus-peer" mpi rank >"$scratch/mpi" 2>&1
	[ $? = 0 ] && says mpi '^joined 2$' && says mpi '^end passed 400 ' &&
		! grep WRONG "$scratch/mpi"
	ok "MPI: rounds, neighbours, 20 MB messages"
	mpi -n 12 "$bin/test_bus" mpi >"$scratch/mpi" 2>&1
	[ $? = 0 ] && grep -q '^ok' "$scratch/mpi" &&
		! grep -q '^not ok' "$scratch/mpi"
	ok "MPI: broadcasts that are passed on, in order with others"
	fails_with "mpi: a worker needs mpirun" env OMPI_ALLOW_RUN_AS_ROOT=1 \
		OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$bin/bus-peer" mpi worker
	ok "MPI: a worker alone"
	fails_with "mpi: engine-mpi.so has another version" \
		env OPTSAMPLE_ENGINES="$scratch/odd" "$bin/bus-peer" mpi worker
	ok "MPI: another plug-in"
	mpi -n 3 "$bin/bus-peer" mpi rank >"$scratch/mpi2" 2>&1 &
	run=$!
	pids+=($run)
	says mpi2 'workers 2'
	rank=$(for rank in $(children $run); do
		[ "$(cat /proc/$rank/comm)" = bus-peer ] && echo $rank
	done | tail -n 1)
	kill -9 "$rank"
	! wait $run
	ok "MPI: a rank that dies ends the job"
}

if have_rabbit; then
	with_rabbit
else
	suite
	ok "conformance: threads"
	echo "# no RabbitMQ here"
fi
mkdir -p "$scratch/odd"
echo 'int nothing;' | cc -shared -x c -o "$scratch/odd/engine-mpi.so" -
if command -v mpirun >/dev/null && [ -e "$bin/../engine/engine-mpi.so" ]; then
	with_mpi
else
	echo "# no MPI here"
fi
done_testing
