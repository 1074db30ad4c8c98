#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tc_options.sh - q_optsample.so and the netlink ABI, seen through tc
#
# TAP on stdout. To be run as root in a guest with the module loaded:
#
#	tools/machines/vm -M sch_optsample.ko -- tests/kselftest/tc_options.sh
#
# The output of show, given back as arguments, must mean the same; units;
# exactly one line for every error; statistics of the qdisc and of a class while
# a stalled link is sampled, as text and as JSON. Uses its own network namespace
# and a dummy device. TC chooses the tc, TC_LIB_DIR the folder of its plugin.

set -u

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
if [ "${1-}" != in-namespace ]; then
	exec unshare -n -- "$0" in-namespace
fi

export TC_LIB_DIR=${TC_LIB_DIR:-$top/build/tc}
. "$top/tests/lib/jq.sh"
. "$top/tests/lib/wait.sh"
tc=${TC:-tc}
dev=dummy0
longest=$(printf 'x%.0s' {1..127})	# longest valid name of a device
n=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT

bail()
{
	echo "Bail out! $*"
	exit 1
}

# result STATUS NAME [EXPLANATION]
result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
		return
	fi
	echo "not ok $n - $2"
	[ -z "${3-}" ] || sed 's/^/# /' <<<"$3"
	failed=1
}

skip()
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# is NAME GOT WANTED
is()
{
	[ "$2" = "$3" ]
	result $? "$1" "got:    $2
wanted: $3"
}

del()
{
	"$tc" qdisc del dev "$dev" root 2>/dev/null
}

# shown: the options as text, without tc's own output
shown()
{
	local text

	text=$("$tc" qdisc show dev "$dev")
	text=${text#*"qdisc optsample "}
	[[ ${text%%$'\n'*} =~ \ refcnt\ [0-9]+\ (.*[^ ]) ]] &&
		echo "${BASH_REMATCH[1]}"
}

json()
{
	"$tc" -j -s -d qdisc show dev "$dev"
}

# options: as JSON, without jq: an emulated processor needs 0.2 to 0.7 s to
# start it
options()
{
	local text

	text=$("$tc" -j -d qdisc show dev "$dev")
	echo "${text#*'"options":'}"
}

# option KEY: of the JSON, a value or an object of objects; null if it is not
# there
option()
{
	local text value='\"[^\"]*\"|-?[0-9.]+|true|false'
	local object='\{([^{}]|\{[^{}]*\})*\}'

	text=$(options)
	if [[ $text =~ \"$1\":($value|$object) ]]; then
		echo "${BASH_REMATCH[1]}"
	else
		echo null
	fi
}

# round_trip ARGS...
round_trip()
{
	local first second before after name="$*"

	del
	"$tc" qdisc add dev "$dev" root optsample "$@" 2>"$work/err" || {
		result 1 "round trip: $*" "$(<"$work/err")"
		return
	}
	first=$(shown)
	before=$(options)
	del
	# shellcheck disable=SC2086 # words are the point
	"$tc" qdisc add dev "$dev" root optsample $first
	second=$(shown)
	after=$(options)
	[ -n "$first" ] && [ "$first" = "$second" ] &&
		[ "$before" = "$after" ]
	result $? "round trip: ${name:0:60}" "$first
$second
$before
$after"
}

# means ARGS KEY VALUE
means()
{
	del
	# shellcheck disable=SC2086 # words are the point
	"$tc" qdisc add dev "$dev" root optsample $1
	is "$1 is $2 $3" "$(option "$2")" "$3"
}

# refused STATUS LINE COMMAND...: one line on stderr, and nothing changed
refused()
{
	local status=$1 line=$2 before after rc

	shift 2
	before=$(shown)
	"$@" >"$work/out" 2>"$work/err"
	rc=$?
	after=$(shown)
	[ "$rc" = "$status" ] && [ "$(<"$work/err")" = "$line" ] &&
		[ ! -s "$work/out" ] && [ "$before" = "$after" ]
	result $? "refused: ${line:-$*}" "status $rc
$(cat "$work/out" "$work/err")
before: $before
after:  $after"
}

change()
{
	"$tc" qdisc change dev "$dev" root optsample "$@"
}

# The kernel's checks: the plugin passes on what it would refuse.
unchecked()
{
	OPTSAMPLE_TC_UNCHECKED=1 "$tc" qdisc change dev "$dev" root \
		optsample "$@"
}

test_round_trips()
{
	local policy policies

	round_trip
	round_trip limit 1
	round_trip memlimit 64k flows 65534
	round_trip memlimit 2g
	round_trip memlimit 123456789
	round_trip policy gap refill 33
	round_trip policy 2sample refill 0%
	policies=$("$tc" qdisc add optsample help 2>&1 |
		sed -n 's/^POLICY := {\(.*\)}$/\1/p' | tr -d '|')
	[ "$(wc -w <<<"$policies")" -ge 5 ]
	result $? "help lists the policies" "$policies"
	for policy in $policies; do
		round_trip policy "$policy"
	done
	round_trip quantum 256 ordinary 1 share 1
	round_trip quantum 1m ordinary 1048576 share 99%
	round_trip inflight 1
	round_trip inflight 1000b
	round_trip inflight 20 inflight 64kb
	round_trip inflight auto
	round_trip inflight 20 inflight auto inflight 64kb per destination
	round_trip inflight auto per device
	round_trip per auto
	round_trip recall on
	round_trip recall auto inflight auto per device watch lo
	round_trip recall off
	round_trip watch lo
	round_trip watch "$longest"
	round_trip settle 0
	round_trip settle 1ms idle 1ms
	round_trip settle 60s idle 86400s
	round_trip settle 1.5s idle 61.001s
	round_trip rate 8bit
	round_trip rate 1gbit
	round_trip rate 12345678bit
	round_trip rate 5000000000000000000bps
	round_trip gate closed
	round_trip profile 1 limit 5
	round_trip limit 7 profile 2 limit 65535 policy gap refill 0 \
		priority 7 sync 4294s profile 63 sync 0
	round_trip profile 9 sync 1500us profile 3 policy drop-newest age 1500ms
	round_trip age 0ms
	round_trip age 24s profile 5 age 250ms
	# shellcheck disable=SC2046 # words are the point
	round_trip $(seq -f "profile %g limit 65535 policy drop-newest
		refill 100 priority 7 sync 4294001us segments" 1 38)
	# shellcheck disable=SC2046
	round_trip $(seq -f "profile %g limit 65535 policy gap priority 7" 63)
}

# Devices whose qdiscs a reader sees, if the kernel can put no more than 3776
# bytes in a message: its dump ends at a qdisc that does not fit.
cat >"$work/dumped.py" <<-'END'
	import socket, struct
	GETQDISC, DUMP, DONE = 38, 0x301, 3
	s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
	s.bind((0, 0))
	s.send(struct.pack("=IHHII20x", 36, GETQDISC, DUMP, 1, 0))
	devices, done = [], False
	while not done:
	    data = s.recv(3776)
	    while data:
	        size, kind = struct.unpack_from("=IH", data)
	        done = kind == DONE
	        if not done:
	            devices.append(socket.if_indextoname(
	                struct.unpack_from("=i", data, 20)[0]))
	        data = data[(size + 3) & ~3:]
	print(*devices)
END

test_dump()
{
	local o="Error: optsample:" all p

	all="limit 9 memlimit 1mb policy gap refill 9 quantum 9000 ordinary 9
		share 9 inflight 9 per device rate 9gbit settle 9ms gate closed
		idle 9s watch $longest prog $top/build/bpf/shot.bpf.o"
	ip link add after type dummy && ip link set after addrgenmode none up &&
		"$tc" qdisc add dev after root pfifo
	for p in "39 refill 100 sync 4294001us segments" \
		"53 sync 0" "63"; do
		del
		# shellcheck disable=SC2046,SC2086 # words are the point
		"$tc" qdisc add dev "$dev" root handle 1: optsample $all \
			$(seq -f "profile %g limit 65535 policy gap priority 7 \
			${p#${p%% *}}" "${p%% *}")
		is "everybody sees the qdiscs: profiles: $p" \
			"$(python3 "$work/dumped.py")" "lo $dev after"
	done
	# shellcheck disable=SC2046 # words are the point
	refused 2 "$o the profiles do not fit into a netlink message." change \
		$(seq -f "profile %g sync 0" 63)
	del
	# shellcheck disable=SC2046 # words are the point
	refused 2 "$o the profiles do not fit into a netlink message." \
		"$tc" qdisc add dev "$dev" root optsample \
		$(seq -f "profile %g limit 5 policy gap priority 7 sync 0" 63)
	ip link del after
}

test_units()
{
	means "memlimit 1mb" memlimit 1048576
	means "memlimit 0.5G" memlimit 536870912
	means "memlimit 1024kbit" memlimit 131072
	means "quantum 2k" quantum 2048
	means "inflight 20" inflight_packets 20
	means "inflight 20p" inflight_packets 20
	means "inflight 64kb" inflight_bytes 65536
	means "inflight 64b" inflight_bytes 64
	means "inflight 20 noinflight" inflight_packets 0
	means "inflight auto" inflight_auto 1
	means "inflight auto inflight 5" inflight_auto 1
	means "inflight auto noinflight" inflight_auto 0
	means "limit 5" inflight_per '"auto"'
	means "inflight 5 per device" inflight_per '"device"'
	means "per destination inflight auto" inflight_per '"destination"'
	means "limit 5" recall '"off"'
	means "recall on" recall '"on"'
	means "recall on recall auto" recall '"auto"'
	means "recall auto recall off" recall '"off"'
	means "ordinary 7p" ordinary 7
	means "refill 40" refill 40
	means "settle 500000us" settle 500
	means "settle 2secs" settle 2000
	means "idle 250msec" idle 250
	means "rate 8000" rate 1000
	means "rate 20mbit" rate 2500000
	means "rate 20Mbps" rate 20000000
	means "rate 1kibit" rate 128
	means "rate 20mbit rate unlimited" rate 0
	means "watch lo" watch '"lo"'
	means "watch lo nowatch" watch null
	means "watch $longest" watch "\"$longest\""
	means "gate closed" gate '"closed"'
	means "policy drop-oldest" policy '"drop-oldest"'
	means "profile 1 sync 2ms" profiles '{"1":{"sync_us":2000}}'
	means "profile 2 refill 40 profile 2 limit 3" profiles \
		'{"2":{"limit":3,"refill":40}}'
	means "profile 2 limit 3 profile 2 none" profiles null
	means "limit 3" profiles null
	means "profile 2 limit 3 segments" profiles \
		'{"2":{"limit":3,"segments":1}}'
	means "profile 2 segments priority 1 profile 2 nosegments" profiles \
		'{"2":{"priority":1}}'
	means "profile 2 segments profile 2 nosegments" profiles null
	means "profile 2 limit 3 refill 4 profile 2 none limit 5" profiles \
		'{"2":{"limit":5}}'
}

test_refused_by_plugin()
{
	local o="optsample:"

	refused 1 "$o limit must be 1..65535" change limit 0
	refused 1 "$o limit must be 1..65535" change limit 1e3
	refused 1 "$o memlimit must be 64K..2G" change memlimit 5g
	refused 1 "$o memlimit must be 64K..2G" change memlimit 1Mib
	refused 1 "$o unknown policy \"\"" change policy ""
	refused 1 "$o quantum must be 256..1M" change quantum inf
	refused 1 "$o share must be 1..99" change share 50%%
	refused 1 "$o settle must be 0..60s" change settle -1s
	refused 1 "$o settle must be whole milliseconds" change settle 1.5ms
	refused 1 "$o idle must be 1ms..24h" change idle 25h
	refused 1 "$o rate must be 8bit or more, or unlimited" change rate nan
	refused 1 "$o gate must be open or closed" change gate Open
	refused 1 "$o inflight must be packets (20), a size (64kb) or auto" \
		change inflight ""
	refused 1 "$o inflight must be packets (20), a size (64kb) or auto" \
		change inflight automatic
	refused 1 "$o per must be auto, device or destination" \
		change inflight 5 per host
	refused 1 "$o per must be auto, device or destination" change per 1
	refused 1 "$o per needs a value" change inflight auto per
	refused 1 "$o recall must be off, on or auto" change recall maybe
	refused 1 "$o recall must be off, on or auto" change recall ""
	refused 1 "$o recall must be off, on or auto" change recall 1
	refused 1 "$o recall needs a value" change limit 5 recall
	refused 1 "$o watch must be the name of a device" change watch ""
	refused 1 "$o watch must be the name of a device" \
		change watch "${longest}x"
	refused 1 "$o watch needs a value" change limit 5 watch
	refused 1 "$o share must be 1..99" change limit 5 share 100
	refused 1 "$o profile needs a value" change limit 5 profile
	refused 1 "$o profile must be 1..63" change profile 1e1 limit 5
	refused 1 "$o profile 3 has no arguments" change profile 3 profile 4 limit 5
	refused 1 "$o limit needs a value" change profile 3 limit
	refused 1 "$o limit must be 1..65535" change profile 3 limit 0x5
	refused 1 "$o unknown policy \"\"" change profile 3 policy ""
	refused 1 "$o sync must be a time of whole microseconds, up to 4294s" \
		change profile 3 limit 5 sync 5m
	refused 1 "$o unknown argument \"rate\" in a profile (profiles come last)" \
		change profile 3 limit 5 rate 1mbit
	# shellcheck disable=SC2046 # words are the point
	refused 1 "$o too many profiles" change \
		$(yes "profile 5 limit 3" | head -n 65)
}

test_refused_by_kernel()
{
	local o="Error: optsample:"

	refused 2 "$o limit must be 1..65535." unchecked limit 0
	refused 2 "$o memlimit must be 64K..2G." unchecked memlimit 1k
	refused 2 "$o unknown policy." unchecked policy 99
	refused 2 "$o refill must be 0..100." unchecked refill 101
	refused 2 "$o settle must be 0..60s." unchecked settle 61s
	refused 2 "$o gate must be open or closed." unchecked gate 2
	refused 2 "$o per must be auto, device or destination." unchecked per 3
	refused 2 "$o recall must be off, on or auto." unchecked recall 3
	refused 2 "$o watch must be the name of a device." \
		unchecked watch "${longest}x"
	refused 2 "$o no such device to watch." change limit 5 watch nosuch0
	refused 2 "$o no such device to watch." change watch "${longest%x}y"
	refused 2 "$o flows cannot be changed." change limit 5 flows 7
	refused 2 "$o profile must be 1..63." unchecked limit 5 \
		profile 3 limit 5 profile 64 limit 5
	refused 2 "$o unknown policy." unchecked profile 3 limit 5 policy 5
}

# start_raw: one python for all calls of raw()
start_raw()
{
	mkfifo "$work/raw" "$work/answers" || exit 1
	"$top/tests/kselftest/options.py" "$dev" <"$work/raw" >"$work/answers" &
	exec 5>"$work/raw" 6<"$work/answers"
}

# raw WORD...: attributes that tc would not send, see options.py
raw()
{
	local answer

	echo "$@" >&5
	read -r -t 60 answer <&6 || answer="options.py ended"
	[ -z "$answer" ] || { echo "$answer" >&2; false; }
}

# accepted WORD...
accepted()
{
	raw "$@" 2>"$work/err"
	result $? "accepted: $*" "$(<"$work/err")"
}

# Each attribute: values below, at and beyond both ends of its range
test_boundaries()
{
	local range="Numerical result out of range: optsample:"
	local before= after= name min max error

	while read -r name min max error; do
		if [[ $name == PROFILE_* ]]; then
			before="PROFILES{ PROFILE{ PROFILE_ID=3" after="} }"
		fi
		[ "$name" != PROFILE_ID ] || before="PROFILES{ PROFILE{"
		# shellcheck disable=SC2086 # words are the point
		{
			[ "$min" = 0 ] || refused 1 "$range $error" \
				raw $before "$name=$((min - 1))" $after
			[ "$name" = FLOWS ] ||
				accepted $before "$name=$min" $after
			[ "$name" = FLOWS ] ||
				accepted $before "$name=$max" $after
			[ "$max" = 4294967295 ] || refused 1 "$range $error" \
				raw $before "$name=$((max + 1))" $after
		}
	done <<-END
	LIMIT 1 65535 limit must be 1..65535
	MEMLIMIT 65536 2147483648 memlimit must be 64K..2G
	FLOWS 1 65534 flows must be 1..65534
	POLICY 0 4 unknown policy
	REFILL 0 100 refill must be 0..100
	QUANTUM 256 1048576 quantum must be 256..1M
	ORDINARY 1 1048576 ordinary must be 1..1048576
	SHARE 1 99 share must be 1..99
	INFLIGHT_PACKETS 0 1048576 inflight must be at most 1048576 packets
	INFLIGHT_BYTES 0 1073741824 inflight must be at most 1G
	SETTLE 0 60000 settle must be 0..60s
	GATE 0 1 gate must be open or closed
	IDLE 1 86400000 idle must be 1ms..24h
	INFLIGHT_AUTO 0 1 inflight auto must be 0 or 1
	INFLIGHT_PER 0 2 per must be auto, device or destination
	PAUSE 0 60000 pause must be 0..60s
	RECALL 0 2 recall must be off, on or auto
	AGE 0 86400000 age must be 0..24h
	PROFILE_ID 1 63 profile must be 1..63
	PROFILE_LIMIT 1 65535 limit must be 1..65535
	PROFILE_POLICY 0 4 unknown policy
	PROFILE_REFILL 0 100 refill must be 0..100
	PROFILE_PRIORITY 0 7 priority must be 0..7
	PROFILE_SYNC 0 4294967295
	PROFILE_SEGMENTS 0 1 segments must be 0 or 1
	PROFILE_AGE 0 86400000 age must be 0..24h
	END
}

# Attributes that tc never sends: one line, and nothing is changed
test_malformed()
{
	local bad="Invalid argument: optsample:" p="PROFILES{ PROFILE{"
	local unknown="this module does not know such an option"
	local written="this is not how an option is written"
	local cut="the options are cut short"

	refused 1 "$bad $unknown" raw LIMIT=5 999=1
	refused 1 "$bad $unknown" raw PAD=1
	refused 1 "$bad $unknown" raw $p PROFILE_ID=3 PROFILE_LIMIT=5 99=1 } }
	refused 1 "$bad $unknown" raw $p PROFILE_ID=3 PROFILE_LIMIT=5 0=1 } }
	refused 1 "$bad $unknown" raw PROFILES{ 2{ PROFILE_ID=3 } }
	refused 1 "$bad $written" raw "PROFILES[" PROFILE{ PROFILE_ID=3 } "]"
	refused 1 "$bad $written" raw PROFILES{ "PROFILE[" PROFILE_ID=3 "]" }
	refused 1 "$bad a profile without its number" \
		raw $p PROFILE_ID=3 PROFILE_LIMIT=5 } PROFILE{ PROFILE_LIMIT=6 } }
	refused 1 "$bad limit must be 1..65535" raw LIMIT:05
	refused 1 "$bad limit must be 1..65535" raw LIMIT:0500000000000000
	refused 1 "$bad limit must be 1..65535" \
		raw $p PROFILE_ID=3 PROFILE_LIMIT:0500 } }
	refused 1 "$bad $written" \
		raw $p PROFILE_ID=3 PROFILE_SYNC:0500 } }
	refused 1 "$bad $written" raw RATE64=5
	# an attribute longer than its container, at each level
	refused 1 "$bad $cut" raw LIMIT=5 :ff000300
	refused 1 "$bad $cut" raw LIMIT=5 :08000300
	refused 1 "$bad $cut" raw PROFILES{ :14000180080001 }
	refused 1 "$bad $cut" raw PROFILES{ :ff0001800800010003000000 }
	refused 1 "$bad $cut" raw $p PROFILE_ID=3 PROFILE_LIMIT=5 :0300 } }
	refused 1 "$bad $cut" raw $p PROFILE_ID=3 :0900030005000000 } }
	# the old form of profiles
	raw PROFILES:01000000030000000000000005000000 2>/dev/null
	is "an array of structures is refused" $? 1
	accepted PROFILES{ }
	accepted PROFILES{ PROFILE{ PROFILE_ID=3 } }
	accepted
}

test_help()
{
	change colour red 2>"$work/err"
	is "an unknown option fails" $? 1
	is "and is named, in one line" "$(<"$work/err")" \
		'optsample: unknown argument "colour" (see: tc qdisc add optsample help)'
	change help 2>"$work/err"
	grep -q '\[ settle TIME \]' "$work/err"
	result $? "help names the options" "$(<"$work/err")"
	grep -q 'what is' "$work/err"
	is "help is not an error of its own" $? 1
}

# fill COUNT: of messages
fill()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo >/dev/udp/10.55.0.2/5555
	done
}

# now FILTER: of the qdisc's JSON, as jq -c prints it
now()
{
	json | jq -c ".[0] | $1"
}

test_statistics()
{
	local text keys

	del
	"$tc" qdisc add dev "$dev" root handle 1: optsample limit 20 \
		gate closed watch lo
	"$tc" filter add dev "$dev" parent 1: bpf da obj \
		"$top/build/bpf/port_tag.bpf.o" sec tc || bail "no filter"
	ip addr add 10.55.0.1/24 dev "$dev"
	fill 100
	is "JSON: messages" "$(now '[.msgs_in, .msgs_out, .backlog_msgs,
		.msgs_sampled + .msgs_evicted, .flows, .flows_active]')" \
		"[100,0,20,80,1,1]"
	is "JSON: packets dropped" "$(now '[.pkts_in, .pkts_dropped]')" \
		"[100,80]"
	is "JSON: the gate is the cause" "$(now .stalled)" '"gate"'
	is "JSON: times add up" "$(now '[.stall.gate_ns > 0,
		.stall.carrier_ns == 0, .oldest_ns > 0, .memory > 0,
		.memory_max >= .memory]')" "[true,true,true,true,true]"
	keys=$(now 'keys - ["kind", "handle", "root", "refcnt", "options",
		"bytes", "packets", "drops", "overlimits", "requeues",
		"backlog", "qlen", "dev"] | sort')
	is "JSON: exactly the fields of the ABI" "$keys" "$(fields)"
	is "JSON: nothing is in flight" "$(now '[.inflight_recounts,
		.inflight_limit_bytes, .destinations, .ctl_replaced]')" "[0,0,0,0]"
	is "JSON: nothing is recalled" "$(now '[.recall_state, .recall_msgs,
		.recall_forgotten, .msgs_recalled, .pkts_recalled,
		.stall.unacked_ns]')" '["idle",0,0,0,0,0]'
	is "JSON: the device that is watched" "$(now .watched)" 1
	text=$("$tc" -s -d qdisc show dev "$dev")
	[[ $text == *"messages in 100 out 0 "*"backlog 20"* &&
	   $text == *"packets in 100 out 0 dropped 80 "* &&
	   $text == *"flows 1 active 1 new 1 reclaimed 0 refused 0"* &&
	   $text == *"stalled gate for driver "*" watched ifindex 1"* &&
	   $text != *recounts* && $text != *destinations* &&
	   $text != *recall* ]]
	result $? "text of the qdisc" "$text"
	text=$("$tc" -s class show dev "$dev")
	[[ $text == *"class optsample 1:1 "*"flow 0x00000007 distance "[0-9]* &&
	   $text == *"messages in 100 out 0 "*"held 20p bytes "* ]]
	result $? "text of the class" "$text"
	test_class_json
	change limit 20 gate closed recall on
	is "JSON: a radio is not believed at once" "$(now .recall_state)" \
		'"learning"'
	text=$("$tc" -s -d qdisc show dev "$dev")
	[[ $text == *" recall learning on_air 0 recalled 0 forgotten 0"* ]]
	result $? "text of recall" "$text"
	change limit 20 gate open recall off
	wait_for 10 is_empty
	is "after the gate opened" "$(now '[.msgs_out, .backlog_msgs,
		.stalled, .flows_active]')" "[20,0,null,0]"
	is "the longest gap is plausible" \
		"$(now '.longest_gap >= 5 and .longest_gap <= 16')" true
}

# fields: the names in the ABI's structures, as jq would sort them
fields()
{
	local abi=$top/include/uapi/linux/pkt_sch_optsample.h

	sed -nE '/^struct tc_optsample_(counters|qd_stats) /,/^}/ {
		s/^\t__u(32|64)\t([a-z_]+)(\[.*)?;.*/\2/p
	}' "$abi" | sed 's/^stall_ns$/stall/' | grep -v '^reserved$' |
		jq -Rcn '[inputs] | sort'
}

test_class_json()
{
	local name="JSON of the class"

	"$tc" -j -s class show dev "$dev" >"$work/class.json"
	if ! jq -e . "$work/class.json" >"$work/out" 2>&1; then
		skip "$name" "this tc prints classes as text only"
		return
	fi
	is "$name" "$(jq -c '.[0] | if .stats then . + .stats else . end |
		[.msgs_in, .backlog_msgs, .flow, .distance > 0, .memory > 0]' \
		"$work/class.json")" "[100,20,7,true,true]"
}

is_empty() { [[ $(json) =~ '"backlog_msgs":'[[:space:]]*0, ]]; }

command -v jq >/dev/null || bail "jq not found"
[ -f "$TC_LIB_DIR/q_optsample.so" ] || bail "q_optsample.so is not built"
ip link add "$dev" type dummy && ip link set lo up &&
	ip link property add dev lo altname "$longest" &&
	ip link set "$dev" addrgenmode none && ip link set "$dev" up ||
	bail "no dummy device"
[ -d /sys/module/sch_optsample ] || insmod "$SCH_KO"
"$tc" qdisc add dev "$dev" root optsample || bail "no optsample qdisc"

echo "# $("$tc" -V), Linux $(uname -r)"
test_round_trips
test_units
test_dump
"$tc" qdisc add dev "$dev" root optsample limit 33 rate 1mbit
test_refused_by_plugin
test_refused_by_kernel
start_raw
test_malformed
test_boundaries
test_help
test_statistics
del
is "nothing is left" "$("$tc" qdisc show dev "$dev" | grep -c optsample)" 0
echo "1..$n"
exit "$failed"
