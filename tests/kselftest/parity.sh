#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernel and simulator agree: the same schedule of arrivals, departures and
# changes runs through the qdisc and through the same header in user space; all
# answers must be equal.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

ops=${PARITY_OPS:-2500}

# the driver takes policies by number
numbers()
{
	awk -v policies="$(policies)" '
		BEGIN {
			for (n = split(policies, names); n; n--)
				number[names[n]] = n - 1
		}
		$1 == "p" { $2 = number[$2] }
		{ print }
		END { print "k" }'
}

# compare NAME PACKETS TC-OPTIONS -- SIM-OPTIONS
compare()
{
	local name=$1 packets=$2 tc=() sim

	shift 2
	while [ "$1" != -- ]; do
		tc+=("$1")
		shift
	done
	shift
	optsample-sim "$@" --ops "$scratch/ops" >"$scratch/sim" || return 1
	device "${tc[@]}" || return 1
	{ echo "packets $packets"; numbers <"$scratch/ops"; } | drive |
		sed 's/^policy .*//; s/^limit .*//' >"$scratch/kernel"
	# the kernel does not answer changes
	grep -v -e '^policy' -e '^limit' "$scratch/sim" >"$scratch/want"
	cmp -s "$scratch/want" "$scratch/kernel" ||
		diff "$scratch/want" "$scratch/kernel" | head -n 10 |
		sed 's/^/# /'
	[ "$(wc -l <"$scratch/kernel")" -gt 100 ] &&
		cmp -s "$scratch/want" "$scratch/kernel"
	ok "$name"
}

total=0 seed=1
policies_known
for policy in $(policies); do
	for limit in 1 2 7 20 100; do
		seed=$((seed + 1))
		optsample-sim --limit $limit --random-ops $seed $ops \
			--only ad >"$scratch/ops"
		compare "$policy limit $limit: $ops operations" 1 \
			limit $limit policy $policy -- \
			--limit $limit --policy $policy
		total=$((total + ops))
	done
	optsample-sim --limit 20 --random-ops $seed $ops --only adlp \
		>"$scratch/ops"
	compare "$policy: limit and policy change on the fly" 1 \
		limit 20 policy $policy -- --limit 20 --policy $policy
done
for refill in 0 100; do
	optsample-sim --limit 20 --random-ops 7 $ops --only ad >"$scratch/ops"
	compare "optsample refill $refill" 1 limit 20 refill $refill -- \
		--limit 20 --refill $((refill / 100))
done
optsample-sim --limit 10 --random-ops 8 1000 --only ad >"$scratch/ops"
compare "messages of 53 packets" 53 limit 10 -- --limit 10
echo "# $total operations compared"

# 150 messages while nothing leaves, limit 20
for policy in optsample gap; do
	sim=$(optsample-sim --policy $policy --limit 20 --messages 150 |
		tail -n 1)
	device limit 20 policy $policy
	kept=$({ echo "packets 20"; seq -f 'a %g' 150; echo k; } | drive |
		sed -n 's/^kept: //p')
	is "$kept" "${sim##*,}" "$policy: 150 messages, limit 20: kept set"
	case $policy in
	optsample) gap=2.0 ;;
	gap) gap=1.6 ;;
	esac
	awk -F, -v max=$gap '{
		ideal = 151 / 21
		printf "# profit/oracle %.4f, longest gap %.2f of the ideal\n",
			$2 / $3, $4 / ideal
		exit !($2 / $3 >= 0.96 && $4 <= max * ideal)
	}' <<<"$sim"
	ok "$policy: profit at least 0.96, gap at most $gap times the ideal"
done
ip link del d0
done_testing
