#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service.sh - services of ROS 2, offered and called: between our programs, and
# with a peer that uses idlc's types, as rmw_cyclonedds_cpp does

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
ours=${SERVICE_NODE:-$bin/service-node}
peer=${SERVICE_PEER:-$bin/service-peer}
# Only Cyclone DDS: the peer takes the first endpoints that it finds for its
# service; tests/e2e/gdim/callers.sh has both middlewares
export OPTSAMPLE_FASTDDS=/none

# fields FILE PART: of a .msg or .srv in the form of idl/gdim_msgs.idl, one line
fields()
{
	awk -v part="$2" '
		BEGIN {
			of["bool"] = "boolean"; of["uint8"] = "octet"
			of["int8"] = "int8"; of["string"] = "string"
			of["float32"] = "float"
		}
		/^---/ { now = 1; next }
		/^#/ || !NF || now != part { next }
		{
			type = $1
			list = sub(/\[\]$/, "", type)
			if (type in of)
				type = of[type]
			else if (sub("/", "::msg::dds_::", type))
				type = type "_"
			printf "%s %s;", list ? "sequence<" type ">" : type, $2
			n++
		}
		END { if (!n) print "octet structure_needs_at_least_one_member;" }
	' "$top/idl/gdim_msgs/$1"
}

# struct NAME: its fields in idl/gdim_msgs.idl, in one line
struct()
{
	sed -n "/^module gdim_msgs/,/^};/{/struct $1 {/,/};/p}" \
		"$top/idl/gdim_msgs.idl" |
		grep ';' | grep -vE '^[[:space:]]*};|Header_ header;$' |
		tr -d '\t\n'
}

same_text()
{
	local f name

	[ "$(fields msg/RoomInformation.msg 0)" = "std_msgs::msg::dds_::Header_ header;$(
		struct RoomInformation_)" ] || return
	for f in "$top"/idl/gdim_msgs/srv/*.srv; do
		name=${f##*/}
		name=${name%.srv}
		[ "$(fields "srv/$name.srv" 0)" = "$(struct "${name}_Request_")" ] &&
			[ "$(fields "srv/$name.srv" 1)" = \
				"$(struct "${name}_Response_")" ] || return
	done
}
same_text
ok "the texts of the types agree"

make_space || skip_all "no network namespaces here"
unset ROS_DOMAIN_ID ROS_LOCALHOST_ONLY CYCLONEDDS_URI ROS_DISTRO

# Answers of all: in the last round, and in one before an even number
{
	echo "rooms 3"
	echo "room 1 [] id 3 [Saal] at 1 2 0 size 12 outline 3 to 4 3 -1 averages 1 21.5 of 2 from 0.25, 10 -1 99, 2 names to [H2S]"
	echo "spot 1 [ok] 21.5 names 2 [H2S] of 2 to -0.5, 7 -1 100"
	echo "pub_rate 1 [gas_A_map_1] 1.5 2.5"
	echo "snapshot 1 [saved] mine"
	echo "logging 1 [] 0.25"
} >"$scratch/want"
nothing="room 0 [no such room] id 0 [] at 0 0 0 size 0 outline 0 to 0 0 0 averages 0 0 of 0 from 0, 0 0 0, 0 names to []"

# answers NAME ROUNDS: in any order
answers()
{
	local i

	for ((i = $2; i > 0; i--)); do
		if [ $((i % 2)) = 1 ]; then
			cat "$scratch/want"
		else
			sed "2s/.*/$nothing/" "$scratch/want"
		fi
	done | sort >"$scratch/all"
	grep -v '^others' "$scratch/$1" | sort | cmp -s - "$scratch/all"
}

node ours "$ours" serve
server=$node
here_is call "$peer" call && answers call 1
ok "a peer calls ours"
here_is call "$ours" call && answers call 1
ok "ours calls ours"

here_is call "$peer" hasty 2 && answers call 2
ok "an answer waits for its reader"

here_is watch "$peer" watch 12
ok "the endpoints of a node are found"
# TYPE NAME: as in rmw_cyclonedds_cpp
offered()
{
	local q="gdim_msgs::srv::dds_::$1_Request_" r="gdim_msgs::srv::dds_::$1_Response_"

	grep -qxE "reader rq/gdim/output/$2Request $q reliable volatile serviceid=[ 0-9a-f]{2}(\.[0-9a-f]{1,2}){15};" "$scratch/watch" &&
		grep -qxE "writer rr/gdim/output/$2Reply $r reliable volatile serviceid=[ 0-9a-f]{2}(\.[0-9a-f]{1,2}){15};" "$scratch/watch"
}
offered Rooms rooms && offered RoomInformation room_information &&
	offered SpotInformation spot_information && offered PubRate pub_rate &&
	offered Snapshot snapshot && offered Logging logging
ok "names, types, QoS and ids"
[ "$(sed -n 's/.*serviceid=//p' "$scratch/watch" | sort | uniq -c |
	awk '$1 == 2' | wc -l)" = 6 ]
ok "an id for each service, the same at both of its ends"
grep -qx "node /gdim gdimd 6 6" "$scratch/watch"
ok "it says which node it is"

# Many at once: each gets its own answers, and ignores those of others
for i in 1 2 3; do
	node many$i "$peer" call 100
	eval "many$i=\$node"
done
node mine "$ours" call 60 100
finish $many1 $many2 $many3 $node &&
	answers many1 100 && answers many2 100 && answers many3 100 &&
	answers mine 100 || {
	for i in many1 many2 many3 mine; do
		answers $i 100
		echo "# $i: $(tail -n 1 "$scratch/$i.err"), answers that differ:"
		grep -v '^others' "$scratch/$i" | sort |
			diff - "$scratch/all" | head -n 4 | sed 's/^/# /'
	done
	false
}
ok "four clients at once, 2400 calls"

here_is flood "$ours" flood 64 && [ "$(cat "$scratch/flood")" = "64 of 64" ]
ok "64 calls at once"
here_is flood "$ours" flood 65
[ $? = 1 ] && grep -q 'No buffer space' "$scratch/flood.err"
ok "one more is too many"

here_is busy "$ours" busy "'$peer' call 200 >'$scratch/others'" &&
	[ "$(cat "$scratch/busy")" = "2 of 2" ] && answers others 200
ok "200 answers to others do not push out the one to a busy client" || {
	cat "$scratch/busy" "$scratch/busy.err" | sed 's/^/# /'
}

here_is noise "$ours" noise 0
here_is call "$peer" call && answers call 1
ok "after requests that are none, it answers"
end $server
! grep -q . "$scratch/ours.err" &&
	awk '{ exit !($1 == "answered" && $2 >= 2494 && $4 > 100) }' "$scratch/ours"
ok "they were counted"
sed 's/^/# /' "$scratch/ours"

node peer "$peer" serve
server=$node
wait_for 40 eval 'lines peer 1'
here_is call "$ours" call 60 20 && answers call 20
ok "ours calls a peer's"
# noise waits for a reader of its answers: a client that stays until the end
node noise "$ours" noise 1
noise=$node
while kill -0 $noise 2>/dev/null; do
	here_is call "$ours" call 60 100 && answers call 100 || break
done
finish $noise && answers call 100
ok "answers that are none, and those of others, are nothing"
end $server

here_is call "$ours" call 0.3
[ "$(sort -u "$scratch/call")" = "No route to host" ] && lines call 6
ok "no service: each call says so"
node peer "$peer" serve mute
server=$node
wait_for 40 eval 'lines peer 1'
here_is call "$ours" call 2
[ "$(sort -u "$scratch/call")" = "Connection timed out" ] && lines call 6
ok "a service that does not answer"
end $server

node call "$ours" call 60
client=$node
wait_for 40 listens $client
node ours "$ours" serve
server=$node
finish $client && answers call 1
ok "a call waits for its service"
kill_program $server
wait $server 2>/dev/null
node ours "$ours" serve
server=$node
here_is call "$peer" call && answers call 1
ok "a service that was killed and comes back"
end $server
! grep . "$scratch"/{ours,call,mine,noise,peer}.err
ok "no one complained"
done_testing
