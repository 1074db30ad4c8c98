#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts the instructions of the qdisc for worst-case traffic: it holds the root
# lock meanwhile. For tools/machines/vm --icount, where a nanosecond is an
# instruction.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

# bench ARGS...: cost of an enqueue, in tenths of an instruction
bench()
{
	local line

	line=$(drive <<<"bench $*") || return
	echo "# $line" >&2
	sed 's/.*: enqueue \([0-9]*\) .*/\1/' <<<"$line"
}

# cost OPTIONS -- ARGS...: the same on a fresh qdisc
cost()
{
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	device "${options[@]}" && bench "$@"
}

# within PERCENT COST BASE WHAT
within()
{
	echo "# $4: $(($2 / 10)) instructions, $((100 * $2 / $3)) % of $(($3 / 10))"
	[ "$3" -gt 100 ] && [ $((100 * $2)) -le $(($1 * $3)) ]
	ok "$4: at most $1 %"
}

# median COMMAND...: of five runs, as the hash of each qdisc is random
median()
{
	local i

	for i in 1 2 3 4 5; do
		"$@"
	done | sort -n | sed -n 3p
}

# 1. Flow ids that fill one bucket of a hash table with a known function:
# multiples of the inverse of hash_32()'s factor.
inverse=3954393975
ids()
{
	echo "ids $1" | drive
	median cost limit 20 -- tagged 1000 1 1000 4000
}
random=$(ids 0)
bad=$(ids $inverse)
echo "ids 1" | drive
within 130 "$bad" "$random" "1000 flow ids that collide under hash_32()"

# 2. Memory is full, and every packet evicts another one: with many flows, the
# search for the largest one ends early.
memory()
{
	median cost limit 65535 memlimit 6mb -- tagged-full "$1" 1 3000 4000
}
few=$(memory 10)
many=$(memory 1000)
within 200 "$many" "$few" "memory is full: 1000 flows instead of 10"

# 3. Control never leaves the queue that it is put on.
control() { cost limit 65535 memlimit 512mb -- "tagged-$1-full" 1 1 "$2" "$3"; }
short=$(control control 10 100000)
long=$(control control 1000 100000)
within 105 "$long" "$short" \
	"100000 packets of control behind 1000 messages instead of 10"

# 4. Control that replaces older control of its kind searches for it, but not in
# the whole queue.
few=$(control latest 10 128)
many=$(control latest 10 1024)
within 150 "$many" "$few" "1024 kinds of control instead of 128"

# 5. A packet of an unknown message is not searched for in the whole queue.
straggler() { cost limit 1 memlimit 512mb -- tagged-straggler-full 1 1 "$1" 1000; }
few=$(straggler 100)
many=$(straggler 1000)
within 150 "$many" "$few" "stragglers behind 1000 packets of control, not 100"

# dequeue OUT ARGS...: cost of a dequeue, if OUT packets leave
dequeue()
{
	local out=$1 line

	shift
	line=$(drive <<<"$*") || return
	echo "# $line" >&2
	sed -n "s/.*: dequeue \([0-9]*\) out $out$/\1/p" <<<"$line"
}

# 6. A packet that is freed by one destination wakes the flows that wait for it,
# not those that wait for another.
wake() { device inflight 1 per destination && dequeue 1000 wake "$1" 1000; }
few=$(wake 1)
many=$(wake 1000)
within 105 "$many" "$few" "1000 flows wait for another destination, not 1"

# 7. Control of two flows has waited in one of them for data that has left, and
# moves on to the other one: not all at once.
moves()
{
	device limit 65535 memlimit 512mb && dequeue $(($1 + 4)) moves "$1"
}
few=$(moves 200)
many=$(moves 5000)
within 150 "$many" "$few" "5000 packets of control of two flows, not 200"
ip link del d0
done_testing
