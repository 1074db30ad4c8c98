#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# topic_traffic.sh - rules for topics with traffic: of DDS over IPv4 and IPv6,
# sampled by distance, and of UDPROS; commands through an outage
#
# Runs as root inside tools/machines/vm, with the module in $SCH_KO. TAP on
# stdout. The effect of a rule is seen in the map `writers` and in the class of
# the flow.

. "$(dirname -- "${BASH_SOURCE[0]}")/peers.sh"
master=http://10.9.0.1:11311

# got N: N messages have arrived
got()
{
	[ "$(wc -l <dds-sub.out)" -ge "$1" ]
}

# more N: N more have arrived
more()
{
	wait_for 60 got $(($(wc -l <dds-sub.out) + $1))
}

class_profile()
{
	tc -s class show dev opt-v0 | grep -oE 'profile [0-9]+' | words
}

test_running()
{
	local args

	fresh
	peer_op dds-sub -n 100000 image:/camera/rgb
	peer dds-pub -r 20 -n 100000 image:/camera/rgb:4000
	while read -r args; do
		more 25
		# shellcheck disable=SC2086 # words are the point
		optsample topic v0 $args
	done <<-'END'
	/camera/rgb --limit 5
	/camera/rgb --by source
	/camera/* --sync 0
	/camera/rgb --priority 3
	/camera/rgb --never
	/camera/rgb --forget
	END
	wait_for 20 eval '[ "$(writer rt/camera/rgb)" = "2 3" ]'
	ok "the last rule holds"
	wait_for 5 eval '[ "$(class_profile)" = "profile 3" ]'
	ok "its flow has the profile, and is one flow whatever the rule"
	optsample show v0 >show
	is "$(sed -nE 's/^  (\/camera.*) to 10.9.0.2:[0-9]+$/\1/p' show)" \
		"/camera/rgb (sensor_msgs/msg/CompressedImage)" \
		"show: topic and type, and where to"
	grep -q ', profile 3$' show
	ok "and the profile"
	is "$(json '.flows[-1] | [.topic, .type, .profile] | @csv')" \
		'"rt/camera/rgb","sensor_msgs::msg::dds_::CompressedImage_",3' \
		"show -j"
	more 25
	kill "${pids[0]}"
	wait "${pids[0]}" 2>/dev/null
	wait_for 20 eval '[ $(wc -l <dds-pub.out) -ge $(wc -l <dds-sub.out) ]'
	is "$(diff <(head -n "$(wc -l <dds-sub.out)" dds-pub.out) dds-sub.out)" \
		"" "no message of $(wc -l <dds-sub.out) was lost on the way"
	stop_peers
}

# waiting OPERATOR N: messages of the flow in the queue
waiting()
{
	[ "$(json .flows[0].backlog_messages)" "$1" "$2" ]
}

# Messages held in an outage stay when their rule changes.
test_stalled()
{
	fresh
	optsample topic v0 /camera/rgb --limit 40
	peer_op dds-sub -n 100000 image:/camera/rgb
	peer dds-pub -r 20 -n 100000 image:/camera/rgb:1000
	wait_for 60 got 10
	n_op ip link set v1 down
	wait_for 60 waiting -ge 35
	optsample topic v0 /camera/rgb --limit 60 --priority 2
	waiting -ge 35
	ok "a new limit leaves what waits"
	wait_for 60 waiting -ge 55
	ok "and counts at once"
	optsample topic v0 /camera/rgb --limit 30
	waiting -le 30
	ok "a smaller one cuts"
	n_op ip link set v1 up
	wait_for 60 waiting = 0
	ok "all of it leaves"
	stop_peers
}

mm()
{
	bpftool -j map lookup pinned $pins/odometer key 0 0 0 0 |
		jq .formatted.value
}

# moves UP_TO: the odometer exceeds it
moves()
{
	[ "$(mm)" -gt "$1" ]
}

test_odometry()
{
	local was

	fresh --odometry /odom
	optsample topic v0 /camera/rgb --by distance 2>err
	is "$(cat err)" "" "by distance with odometry: no warning"
	peer_op dds-sub -n 100000 image:/camera/rgb
	peer dds-pub -r 40 -n 100000 image:/camera/rgb:100 odom:/odom:300
	wait_for 60 eval '[ "$(wc -l <dds-pub.out)" -gt 40 ]'
	is "$(mm)" 0 "a robot that stands"
	wait_for 60 moves 1500
	ok "a robot that moves"
	was=$(mm)
	[ "$was" -le $((($(wc -l <dds-pub.out) / 2 + 1 - 300) * 100)) ]
	ok "no further than it did"
	wait_for 60 eval '[ "$(json .flows[0].last_position)" -gt 1500 ]'
	ok "its messages say where they were taken"
	stop_peers 1
	was=$(mm)
	kill -KILL "$(cat /run/optsample/v0.pid)"
	optsample up v0 >out 2>&1
	peer dds-pub -r 20 -n 100000 image:/camera/rgb:100 odom:/odom:40
	wait_for 60 eval '[ "$(wc -l <dds-pub.out)" -gt 60 ]'
	[ "$(mm)" -ge "$was" ]
	ok "a new daemon goes on from there"
	wait_for 60 moves "$was"
	ok "and on"
	stop_peers
	optsample down v0
}

# Names of flows by IPv6
test_ipv6()
{
	local xml="<Transport>udp6</Transport>"

	ip addr add fd09::1/64 dev v0 nodad
	n_op ip addr add fd09::2/64 dev v1 nodad
	CYCLONEDDS_URI=$(uri v0 "$xml") optsample up v0 2>/dev/null
	optsample topic v0 '/camera/*' --limit 5
	peer_op dds-sub -n 100000 image:/camera/rgb
	peer dds-pub -r 20 -n 100000 image:/camera/rgb:1000
	wait_for 60 got 5
	ok "images over IPv6"
	wait_for 20 eval '[ "$(class_profile)" = "profile 1" ]'
	ok "have their profile"
	optsample show v0 |
		grep -qE '^  /camera/rgb \(.*\) to \[f[de].*:.*\]:[0-9]+$'
	ok "show has their name"
	stop_peers
	optsample down v0
}

# connected: the sockets of UDPROS publishers, by their names in the classifier
connected()
{
	ss -Hnu state established dst 10.9.0.2 | awk '{
		n = split($3 ":" $4, a, /[.:]/)
		for (i = 1; i <= n; i++)
			printf "%s%s", a[i], i < n ? " " : "\n"
	}' | awk '{ print $1, $2, $3, $4, $6, $7, $8, $9,
		int($5 / 256), $5 % 256, int($10 / 256), $10 % 256 }' | sort
}

# udpros: the same, as they are in the map
udpros()
{
	bpftool -j map dump pinned $pins/writers | jq -r '.[].formatted.key |
		select(.entity == 4294967295) | .prefix | join(" ")' | sort
}

# tagged N: N connections are in the map, and all of them exist
tagged()
{
	[ "$(udpros | wc -l)" = "$1" ] &&
		[ -z "$(comm -23 <(udpros) <(connected))" ]
}

start_master()
{
	peer rosmaster --core -p 11311
	wait_for 60 eval ': </dev/tcp/10.9.0.1/11311'
}

warned()
{
	[[ "$(json .warning)" == *"ROS master at $master does not answer"* ]]
}

test_udpros()
{
	local node

	command -v rosmaster >out && [ -x "$top/build/bin/ros1-pub" ] || {
		echo "# no ROS 1: UDPROS was not tried"
		return
	}
	export ROS_MASTER_URI=$master http_proxy=http://10.9.0.1:9
	optsample up v0 2>err
	grep -q "warning: the ROS master at $master does not answer" err
	ok "no master yet: a warning"
	start_master
	wait_for 20 eval '! warned'
	ok "the master is found when it comes"
	node=${#pids[@]}
	peer ros1-pub -r 10 -n 100000 image:/camera/rgb:3000 text:/text:50
	peer_op ros1-sub -u image:/camera/rgb text:/text
	wait_for 60 tagged 1
	ok "a UDPROS connection: its addresses and ports"
	optsample topics v0 --seconds 8 >out 2>&1
	grep -A 2 '^/camera/rgb sensor_msgs/msg/CompressedImage$' out |
		tr -d '\n' | grep -q "UDPROS, best effort, format jpeg.sampled$"
	ok "topics lists it"
	grep -A 2 '^/text std_msgs/msg/String$' out | grep -q "not sampled: type"
	ok "and one that would need a rule"
	rule /camera/rgb /text --limit 7
	wait_for 20 tagged 2
	ok "that rule"
	is "$(writer /camera/rgb) $(writer /text)" "0 1 0 1" "their profile"
	wait_for 20 eval '[ "$(class_profile)" = "profile 1 profile 1" ]'
	ok "and their flows have it"
	wait_for 20 eval 'optsample show v0 | grep -qE \
		"^  /camera/rgb \(sensor_msgs/msg/CompressedImage\) to 10.9.0.2:"'
	ok "show has their names"
	udpros_newest
	udpros_silence "$node"
	udpros_leaves "$node"
	stop_peers
	optsample down v0
	unset ROS_MASTER_URI http_proxy
}

# udpros_newest: of an outage of 4 s, 40 messages, the newest arrives
udpros_newest()
{
	local gap profile lines

	profile=$(class_profile)
	rule /camera/rgb --newest --age 250ms
	wait_for 20 eval '[ "$(class_profile)" != "$profile" ]'
	n_op ip link set v1 down
	pause 4
	lines=$(grep -c ^/camera/rgb ros1-sub.out)
	n_op ip link set v1 up
	wait_for 20 eval '[ "$(grep -c ^/camera/rgb ros1-sub.out)" -gt \
		'$((lines + 10))' ]'
	gap=$(awk '$1 == "/camera/rgb" {
		if (last && $2 - last > gap) gap = $2 - last
		last = $2 } END { print gap + 0 }' ros1-sub.out)
	[ "$gap" -ge 35 ] && [ "$gap" -le 60 ]
	ok "UDPROS: of the commands of an outage only the newest arrives ($gap)"
	rule /camera/rgb /text --limit 7
}

# udpros_silence NODE: it, then the master, do not answer; two connections
udpros_silence()
{
	kill -STOP "${pids[$1]}"
	pause 8		# longer than a round with its timeout
	tagged 2
	ok "a node that hangs keeps its connections"
	kill -CONT "${pids[$1]}"
	kill -KILL "${pids[$1 - 1]}"
	wait "${pids[$1 - 1]}" 2>/dev/null
	wait_for 20 warned
	ok "the master dies: a warning"
	tagged 2
	ok "connections stay"
	start_master
	wait_for 20 eval '! warned'
	ok "there is a new one"
	pause 4		# longer than a round
	tagged 2
	ok "that knows no peer: connections stay"
}

# udpros_leaves NODE: and its subscriber; others come by name
udpros_leaves()
{
	kill "${pids[$1 + 1]}"
	wait_for 20 eval '[ -z "$(udpros)" ]'
	ok "the subscriber leaves: it is sampled no more"
	kill "${pids[$1]}"
	hostname robot
	echo "10.9.0.1 robot.local
10.9.0.2 operator.local" >>/etc/hosts
	unset ROS_IP
	ROS_HOSTNAME=robot.local ros1-pub -r 10 image:/camera/rgb:3000 \
		>out 2>&1 &
	pids+=($!)
	ROS_HOSTNAME=operator.local ip netns exec op ros1-sub -u \
		image:/camera/rgb >out 2>&1 &
	pids+=($!)
	wait_for 60 tagged 1
	ok "hosts that have names"
}

# ages NAME PUB SUB: of what arrived in NAME, in PUB.out and SUB.out with -t:
# "SENT ARRIVED OLD MOST", OLD: those older than 0.3 s; MOST: the oldest, ms.
# Not of the first second: a reader may be found late.
ages()
{
	awk -v name="$1" '
	$1 != name { next }
	$2 <= 20 { next }
	NR == FNR { sent[$2] = $4; next }
	!($2 in sent) { next }
	{
		age = ($4 - sent[$2]) / 1e6
		n++
		old += age > 300
		if (age > most)
			most = age
	}
	END { printf "%d %d %d %d\n", length(sent), n, old, most }
	' "$2.out" "$3.out"
}

# commanded TOPIC PUB SUB [OPTIONS]: 200 commands at 20 a second, 5 s of them in
# an outage, or another number of messages in $outage
commanded()
{
	local topic=$1 pub=$2 sub=$3

	shift 3
	cat >hook <<-'END'
	case $1 in
	down) ip netns exec op ip link set v1 down ;;
	up) ip netns exec op ip link set v1 up ;;
	esac
	END
	peer_op $sub -t -n 1000000 "$@" "$topic"
	peer "$pub" -t -r 20 -n 200 -o "60:${outage-100}" -x "bash hook" "$@" "$topic"
	wait_for 90 eval '[ "$(wc -l <'"$pub"'.out)" -ge 200 ]'
	pause 3
	stop_peers
	topic=${topic#*:}
	read -r sent arrived old most < <(ages "${topic%%:*}" "$pub" "$sub")
	echo "# $pub $*: of $sent commands $arrived arrive, $old older than 0.3 s, the oldest $most ms"
}

# What drives a robot is never old, whoever sends it.
test_commands()
{
	fresh --settle 100ms
	commanded twist:/cmd_vel:1 dds-pub dds-sub
	[ "$old" = 0 ] && [ "$arrived" -ge 70 ] && [ "$arrived" -le 90 ]
	ok "Twist by Cyclone DDS, without any rule"
	optsample show v0 >show
	grep -q '/cmd_vel (geometry_msgs/msg/Twist)' show &&
		grep -q ', profile 63$' show
	ok "show: commands have their profile"
	optsample topic v0 '/cmd/*' --newest --age 250ms
	commanded image:/cmd/cyclone:40 dds-pub dds-sub
	[ "$old" = 0 ] && [ "$arrived" -ge 70 ] && [ "$arrived" -le 90 ]
	ok "a topic with --newest, by Cyclone DDS"
	[ -x "$top/build/bin/fastdds-pub" ] || return
	commanded image:/cmd/fast:40 fastdds-pub fastdds-sub
	[ "$old" = 0 ] && [ "$arrived" -ge 70 ] && [ "$arrived" -le 90 ]
	ok "and by Fast DDS"
	# What is dropped by age a reliable writer sends again; the reader has
	# room for 100 at once.
	local outage=80
	optsample topic v0 /log --never
	commanded image:/log:40 dds-pub dds-sub -k -1
	is "$arrived" 180 "a reliable topic that is not sampled: all of it, by Cyclone DDS"
	commanded image:/log:40 fastdds-pub fastdds-sub -k -1
	is "$arrived" 180 "and by Fast DDS"
}

optsample up v0 2>/dev/null
test_commands
test_running
test_stalled
test_odometry
test_ipv6
test_udpros
done_testing
