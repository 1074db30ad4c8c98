#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# managers.sh - inside the VM: optsample under the network managers of robots
#
# Most robots do not have a static address: NetworkManager, systemd-networkd or
# dhcpcd manages wlan0, and removes addresses, routes and neighbours in an
# outage. Which messages then survive, and does the robot's own traffic
# continue? ground.sh has the robot, the operator and the managers, judge.awk
# evaluates the messages.
#
# In each experiment a camera on the robot (96x96, 5 Hz, best effort) has one
# subscriber beyond the link and one in another process of the robot. Before, it
# has only the latter, and then two on the robot, for comparison.
#
# usage: managers.sh CELL...
#
#	CELL	MANAGER:WHAT[:STACK[:POLICY]]
#	MANAGER	static (wpa_supplicant and a static address), networkd, nm,
#		dhcpcd, dhclient, connman, netplan (which configures networkd);
#		with -privacy at its end: temporary IPv6 addresses, too, which
#		DDS takes
#	WHAT	a number: the access points are gone for so many seconds
#		roam: ten times from one access point to the other
#		silent: the access point in use is not heard for 10 s, while
#		the other one is
#		stall: 11 s in which beacons come, and data does not; for
#		pictures of 160x120 at 10 Hz, more than dies in the air
#		down: `ip link set wlan0 down`, for 8 s
#		address: its address is removed, for 8 s
#		network: to another network and back, where DHCP gives the same
#		address
#		elsewhere: to another network, with another address, and back
#	STACK	cyclone (default), cyclone6 (by IPv6), fastdds; each of them
#		with -reliable, else best effort
#	POLICY	optsample (default), gap
#
# Put the cells of one manager next to each other: it is set up only once. By
# hand:
#
#	MANAGERS="networkd:20 nm:60::gap" tests/run check managers
#
# which leaves in build/check/managers.CELL.vm (the first cell): daemons/*.log, and for each cell
# pub.csv, sub.csv, local.csv, events, monitor.log (`ip -ts monitor`), before,
# held and after (state of the system), discover.log (our daemon's).
#
# For tools/machines/vm --skip-idle --root base,managers -o DIR with
# sch_optsample loaded: seconds are the guest's, whatever the host is busy with.

set -u
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P) || exit 1
bin=$top/build/bin
run=/run/managers
logs=$run/logs
limit=20
# a robot does not share its CPU with the radio, access points and managers
node="chrt -f 10"
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/e2e/managers/ground.sh"

# machine: files that packages create at installation, and the radios
machine()
{
	modprobe mac80211_hwsim radios=5 || exit 1
	ln -s /usr/bin/udevadm /usr/lib/systemd/systemd-udevd
	printf '%s: files\n' passwd group shadow >/etc/nsswitch.conf
	for user in dnsmasq dhcpcd; do
		echo "$user:x:900:65534::/run:/usr/sbin/nologin"
	done >>/etc/passwd
	mkdir -p /var/lib/{dbus,dhcp,dhcpcd,NetworkManager}
}

# keeps_time SECONDS: waits; fails if more than 0.5 s more went by, as the
# clock jumped. Prints the duration, in ms.
keeps_time()
{
	local t=${EPOCHREALTIME/./}

	pause "$1"
	t=$(((${EPOCHREALTIME/./} - t) / 1000))
	echo $t
	[ $t -ge $(($1 * 1000)) ] && [ $t -le $(($1 * 1000 + 500)) ]
}

# uri DEVICE: for Cyclone. The lease outlasts the outage, or the reader forgets
# the writer; the peers are named because a lossy link eats multicast.
uri()
{
	cat <<-END
		<General><Transport>$transport</Transport>
		<AllowMulticast>spdp</AllowMulticast><Interfaces>
		<NetworkInterface name="$1"/></Interfaces></General>
		<Discovery><ParticipantIndex>auto</ParticipantIndex>
		<MaxAutoParticipantIndex>9</MaxAutoParticipantIndex>
		<LeaseDuration>900s</LeaseDuration>
		<SPDPInterval>2s</SPDPInterval>
		<Peers><Peer address="$own"/>
		<Peer address="$peer"/></Peers></Discovery>
	END
}

# cyclone_subscriber NAME [IN]: its output is in NAME.csv
cyclone_subscriber()
{
	local name=$1 device=wlan0

	shift
	[ $# = 0 ] || device=br0
	CYCLONEDDS_URI=$(uri $device) "$@" $node "$bin/image-sub" $reliable \
		>"$log/$name.csv" 2>"$log/$name.log" &
	subscribers+=($!)
}

cyclone_publisher()
{
	CYCLONEDDS_URI=$(uri wlan0) $node "$bin/image-pub" $reliable \
		--size $size --rate $rate --count 100000 "$run/frames.$size" \
		>"$log/pub.csv" 2>"$log/pub.log" &
	publisher=$!
}

# fastdds_subscriber NAME [IN]: its output is in NAME.txt
fastdds_subscriber()
{
	local name=$1

	shift
	"$@" $node "$bin/fastdds-sub" -t -l 900 -n 1000000 \
		${reliable:+-k 5} image:/camera/rgb \
		>"$log/$name.txt" 2>"$log/$name.log" &
	subscribers+=($!)
}

fastdds_publisher()
{
	$node "$bin/fastdds-pub" -t -l 900 -r $rate -n 1000000 \
		${reliable:+-k 5} image:/camera/rgb:$((${size/x/*})) \
		>"$log/pub.txt" 2>"$log/pub.log" &
	publisher=$!
}

# fastdds_csv: convert that output to the form of Cyclone's
fastdds_csv()
{
	awk -v OFS=, '{ print $2, $4, $5, $3, $4, 0 }' "$log/pub.txt" \
		>"$log/pub.csv"
	for end in sub local; do
		awk -v OFS=, 'NR == FNR { stamp[$2] = $4; next }
			{ print stamp[$2], $4, 0, $3 }' \
			"$log/pub.txt" "$log/$end.txt" >"$log/$end.csv"
	done
}

# arrived FILE: has any message arrived?
arrived()
{
	[ -s "$log/$1.csv" ] || [ -s "$log/$1.txt" ]
}

# last_arrival: nanoseconds
last_arrival()
{
	local line

	line=$(tail -qn 1 "$log"/sub.{csv,txt} 2>/dev/null)
	case $stack in
	cyclone) cut -d, -f2 <<<"$line" ;;
	*)	echo "${line##* }" ;;
	esac
}

data_again()
{
	local last

	last=$(last_arrival)
	[ "${last:-0}" -gt "$up" ]
}

now() { echo "${EPOCHREALTIME/./}000"; }

# snapshot NAME
snapshot()
{
	{
		date +%T.%N
		ip addr show dev wlan0
		ip route
		ip -6 route
		ip neigh
		ip -d link show type ifb
		tc -s qdisc show
		tc filter show dev wlan0 egress
		"$bin/optsample" show
		grep -h -e ^Ip: -e ^Udp: /proc/net/snmp
		grep -h -e ^Ip6 -e ^Udp6 /proc/net/snmp6
	} >"$log/$1" 2>&1
}

event() { echo "$1 $(now)" >>"$log/events"; }

# access_point_in_use: 1 or 2, which is also the number of its radio
access_point_in_use()
{
	wpa status | sed -n 's/^bssid=02:00:00:00:0\(.\):00$/\1/p'
}

# roam: to the other access point
roam()
{
	local there=$((3 - $(access_point_in_use)))

	event "roam$there"
	wpa roam 02:00:00:00:0$there:00 >/dev/null
	pause 3
	[ "$(access_point_in_use)" = $there ] || event "stays"
}

# trouble: executes WHAT; sets $down and $up, in ns
trouble()
{
	local i ap there

	ap=$(access_point_in_use)
	down=$(now)
	case $what in
	roam)
		for ((i = 0; i < 10; i++)); do
			roam
		done
		;;
	silent)
		medium "mute$ap" >/dev/null
		pause 10
		snapshot held
		medium "hear$ap" >/dev/null
		;;
	stall)
		medium stall >/dev/null
		pause 11	# for the 99th of 100 messages in its last ten
		snapshot held
		medium go >/dev/null
		;;
	down)
		ip link set wlan0 down
		pause 8
		snapshot held
		ip link set wlan0 up
		;;
	address)
		ip addr flush dev wlan0 scope global
		pause 8
		snapshot held
		[ "$robot" != static ] || {
			ip addr add $robot_ip/24 dev wlan0
			[ -z "${robot_ip6-}" ] ||
				ip addr add $robot_ip6/64 dev wlan0
		}
		;;
	network|elsewhere)
		there=$([ $what = network ] && echo 1 || echo 2)
		move "$there"
		pause 8
		snapshot held
		strangers=$(strangers)
		move 0
		;;
	*)
		medium down >/dev/null
		pause "$what"
		snapshot held
		medium up >/dev/null
		;;
	esac
	up=$(now)
	event "down $down"
	event "up $up"
}

# move N: to network N of wpa.conf
move()
{
	event "move$1"
	wpa select_network "$1" >/dev/null
}

# carrier_lost: when the robot noticed, in ns; empty if it did not
carrier_lost()
{
	local stamp

	awk '/^Timestamp: |^\[/ { at = $0 }
		/ wlan0: / && /NO-CARRIER|state DOWN/ && !/ifb/ { print at }' \
		"$log/monitor.log" | sed 's/^\[\([^]]*\)\].*/\1/' |
	while read -r stamp; do
		stamp=$(date -d "$stamp" +%s%N)
		[ "$stamp" -ge "$down" ] || continue
		echo "$stamp"
		break
	done
}

up_args()
{
	local outage=60

	[[ $what == *[!0-9]* ]] || outage=$((what + 60))
	echo wlan0 --limit $limit --peer $peer --outage $outage \
		--policy $policy
}

# addresses: those that DDS uses
addresses()
{
	transport=udp own=$robot_ip peer=$operator_ip
	[ -n "$ipv6" ] || return 0
	reaches_by_ip6 || return
	transport=udp6 own=$robot_ip6 peer=$operator_ip6
	echo "# $cell: $own"
}

# play: the experiment; logs are in $log. The operator also pings the robot.
play()
{
	local monitor pinger ok=0

	ip -ts monitor link address route neigh >"$log/monitor.log" 2>&1 &
	monitor=$!
	CYCLONEDDS_URI=$(uri wlan0) "$bin/optsample" up $(up_args) \
		>"$log/up.log" 2>&1 || { sed 's/^/# /' "$log/up.log"; ok=1; }
	subscribers=()
	${stack}_subscriber local
	${stack}_publisher
	await 60 "first message on the robot" arrived local || ok=1
	pause 11
	two=$(now)
	${stack}_subscriber second
	await 30 "first message of a second subscriber" arrived second || ok=1
	pause 11
	one=$(now)
	end_or_kill "${subscribers[-1]}"
	${stack}_subscriber sub $in_operator
	await 60 "first message behind the link" arrived sub || ok=1
	well=$(now)
	event "two $two"
	event "one $one"
	event "well $well"
	$in_operator ping -D -i 0.2 "$own" >"$log/ping.log" 2>&1 &
	pinger=$!
	if [ $ok = 0 ]; then
		pause 11
		snapshot before
		trouble
		[[ $what == *[!0-9]* ]] ||
			await 120 "message after the outage" data_again
		pause 6
		snapshot after
	fi
	end_or_kill "$publisher"
	pause 1
	end_or_kill "${subscribers[@]}" "$pinger"
	cp /run/optsample/wlan0.log "$log/discover.log" 2>/dev/null
	"$bin/optsample" down wlan0 >"$log/down.log" 2>&1
	end_or_kill $monitor
	return $ok
}

# is GOT WANTED NAME
is()
{
	[ "$1" = "$2" ] || { echo "# got $1, wanted $2"; false; }
	ok "$3"
}

# value WORD: of the judge's output
value()
{
	awk -v w="$1" '{ for (i = 1; i < NF; i += 2) if ($i == w)
		print $(i + 1) }' <<<"$verdict"
}

# holds WORD OP NUMBER NAME: a test of the judge's values
holds()
{
	local got

	got=$(value "$1")
	awk -v a="$got" -v b="$3" "BEGIN { exit !(a $2 b) }" ||
		{ echo "# $cell: $1 is $got, not $2 $3"; false; }
	ok "$cell: $4"
}

# robot_feels: does the outage affect the robot's own traffic?
robot_feels()
{
	# At first a message also has the radio's cost: it shares this CPU.
	holds local_first "<=" 1.1 \
		"the link goes: the robot's own subscriber waits no longer"
	case $what in
	1)	return ;;
	address)
		holds local_same "<=" 1.1 \
			"without the address: it waits no longer"
		holds write_same "<=" 1.1 \
			"without the address: a write takes no longer"
		return
		;;
	esac
	holds local_held "<=" 1.1 \
		"the link is gone: it waits as for another subscriber"
	holds write_held "<=" 1.5 \
		"the link is gone: a write costs little more than with two there"
}

# heard: seconds from `up` until the robot answered the operator, -1: never
heard()
{
	awk -F '[][]' -v up="$up" '/ bytes from / && $2 * 1e9 > up {
			printf "%.1f", $2 - up / 1e9
			found = 1
			exit
		}
		END { if (!found) print -1 }' "$log/ping.log"
}

judge()
{
	local all= ratio=2 carrier

	carrier=$(carrier_lost)
	# The outage ended before the robot noticed
	[[ $what == *[!0-9]* ]] || carrier=${carrier:-$up}
	[ "$stack" = cyclone ] || fastdds_csv
	[[ $what == stall || $what != *[!0-9]* ]] || all=1
	verdict=$(gawk -f "$top/tests/e2e/managers/judge.awk" -v limit=$limit \
		-v two="$two" -v one="$one" -v well="$well" \
		-v down="$down" -v up="$up" -v carrier="$carrier" \
		-v all=$all "$log"/{pub,sub,local}.csv)
	verdict="$verdict heard $(heard)"
	echo "# $cell $verdict"
	[ "$policy" != gap ] || ratio=1.6
	holds bad == 0 "what arrives is whole, and once"
	# It has another address there: DDS does not follow.
	if [ "$what" != elsewhere ]; then
		holds local == "$(value local_n)" \
			"the robot's own subscriber gets all"
		holds local_pause "<=" 0.5 "without a pause"
	fi
	holds errors == 0 "no write fails"
	holds max "<=" 100 "no write waits for the link, ms"
	holds late "<=" 100 "the camera keeps its schedule, ms"
	case $what in
	stall|down|address|[0-9]*) robot_feels ;;
	esac
	case $what in
	roam)	holds lost "<=" 2 "ten roams lose next to nothing" ;;
	silent)
		holds blind "<=" 1 "what is lost before the robot can know"
		holds lost "<=" 2 "the other access point gets the rest"
		;;
	stall)
		holds kept ">=" 20 "a full queue comes out of it"
		holds ratio "<=" $ratio "the gap, of the ideal one"
		;;
	down|address)
		holds again ">=" 0 "data flows again"
		holds ratio "<=" $ratio "the gap, of the ideal one"
		;;
	network)
		holds blind "<=" 1 "what is lost before the robot can know"
		holds lost "<=" 1 "nothing is lost between two networks"
		grep -q 'is in another Wi-Fi network' "$log/discover.log"
		ok "$cell: what is held waits for the address"
		;;
	elsewhere)
		# A socket keeps sending from the IPv6 address it is bound to.
		[ -n "$ipv6" ] ||
			is "$strangers" 0 "$cell: nothing leaves with the former address"
		grep -q "$own is given up" "$log/discover.log"
		ok "$cell: the former address is given up"
		grep -q 'messages were held for the former network: dropped' \
			"$log/discover.log"
		ok "$cell: what was held for it is dropped, and the log says so"
		;;
	*)
		holds again ">=" 0 "data flows again"
		holds heard ">=" 0 "the robot hears the operator again"
		holds blind "<=" 9 "what is lost before the robot can know"
		holds ratio "<=" $ratio "the gap, of the ideal one"
		;;
	esac
}

# experiment CELL
experiment()
{
	local manager played

	cell=$1
	IFS=: read -r manager what stack policy <<<"$cell"
	stack=${stack:-cyclone} policy=${policy:-optsample} reliable=
	[[ $stack != *-reliable ]] || reliable=--reliable
	stack=${stack%-reliable} ipv6=
	[ "$stack" != cyclone6 ] || stack=cyclone ipv6=1
	size=96x96 rate=5
	[ "$what" != stall ] || size=160x120 rate=10
	log=$logs/${cell//:/-}
	mkdir -p "$log"
	if [ "${robot-}" != "$manager" ]; then
		[ -z "${robot-}" ] || robot_gone
		robot=$manager
		robot "$manager"
		managed=$?
		[ $managed = 0 ]
		ok "$manager brings wlan0 up"
	fi
	[ $managed = 0 ] && addresses && play
	played=$?
	[ $played = 0 ]
	ok "$cell: messages come"
	[ $played != 0 ] || judge
	[ -z "${VM_OUT-}" ] || cp -r "$logs/." "$VM_OUT/"
}

[ $# -gt 0 ] || { echo "usage: managers.sh CELL..." >&2; exit 2; }
machine
mkdir -p "$logs/daemons"
export TC_LIB_DIR=$top/build/tc
sysctl -qw net.core.rmem_default=8388608 net.core.rmem_max=8388608
for size in 96x96 160x120; do
	head -c $((${size/x/*} * 50)) /dev/urandom >"$run/frames.$size"
done
operator
ok "two access points"
case " $*" in
*:network*|*:elsewhere*)
	other_networks
	ok "two other networks"
	;;
esac
took=$(keeps_time 30)
ok "waiting for 30 s takes 30 s of the guest's time: $took ms"
for arg; do
	experiment "$arg"
done
robot_gone
end_or_kill "${pid[@]}"
done_testing
