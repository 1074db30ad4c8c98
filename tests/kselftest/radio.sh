#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Default: if a radio has several stations, each destination has its own
# in-flight limit; otherwise one limit covers all packets.
#
#   d0.5 (vlan): optsample inflight 2 watch wlan0     wlan0  ~~~~~  wlan1
#     d0 (dummy): a test stops and starts its queue     mac80211_hwsim
#
# The mode of the radio decides; a device below holds the packets.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a dummy 8021q cls_bpf 2>/dev/null
modprobe mac80211_hwsim radios=2
[ -d /sys/class/net/wlan1 ]
ok "two radios"

# alone DEV: up, without packets of the stack
alone()
{
	echo 1 >"/proc/sys/net/ipv6/conf/$1/disable_ipv6"
	ip link set "$1" up
}
ip link add d9 type dummy
ip link add d0 type dummy
alone d0
tc qdisc add dev d0 root pfifo
ip link add link d0 name d0.5 type vlan id 5
alone d0.5
ip addr add 10.8.0.1/24 dev d0.5
for i in 2 3; do
	ip neigh replace 10.8.0.$i lladdr 02:00:00:00:01:0$i dev d0.5 \
		nud permanent
done
tc qdisc add dev d0.5 root handle 1: optsample inflight 2 limit 100 \
	watch wlan0 settle 0ms
classify d0.5

up() { grep -qx up "/sys/class/net/$1/operstate"; }
empty() { [ "$(stat qlen d0.5) $(stat inflight_packets d0.5)" = "0 0" ]; }

# below: packets below and number of destinations, when 10 for each of two want
# to leave
below()
{
	echo "dev d0" | drive		# d0 sends nothing
	rtps-gen send 10.8.0.2 7411 1 10 1 500
	rtps-gen send 10.8.0.3 7411 2 10 1 500
	echo "$(stat inflight_packets d0.5) $(stat destinations d0.5)"
	echo "dev d9" | drive		# and goes on
	wait_for 5 empty || echo "packets are left"
}
together="2 0" each="4 2"

# start_ap DEV: a beacon is all that it needs
start_ap()
{
	local mac

	mac=$(tr -d : <"/sys/class/net/$1/address")
	iw dev "$1" ap start optsample 2412 100 2 head \
		"80000000ffffffffffff$mac${mac}0000000000000000000064000100"
}

# radio TYPE WANTED NAME CMD...: with the interface that CMD brings up
radio()
{
	local wanted=$2 name=$3

	ip link set wlan0 down
	iw dev wlan0 set type "$1"
	alone wlan0
	shift 3
	"$@" && wait_for 20 up wlan0
	ok "$name is up"
	is "$(below)" "$wanted" "$name: the limit is for \
$([ "$wanted" = "$each" ] && echo each destination || echo all together)"
}

# Two flows that keep the same stamps do so even if the radio changes: of all
# stamps to one station 3 are kept.
#
# synced TC-OPTIONS: d9 keeps 3 stamps
synced()
{
	tc qdisc add dev d9 root handle 1: optsample inflight 2 limit 100 \
		watch wlan0 settle 0ms "$@" profile 4 sync 0 limit 3
	printf 'dev d9\nto 1\n' | drive
}

# stamp N FLOW...: message N of these flows arrives, with that stamp
stamp()
{
	local n=$1 flow

	shift
	for flow; do
		echo "x $flow $n $n 1027 100"
	done | drive >/dev/null
}

# stamps FROM TO: of both flows
stamps()
{
	local i

	for i in $(seq "$1" "$2"); do
		stamp $i 5 7
	done
}

# the queue runs, and sees another radio
ask() { drive >/dev/null <<<q; }

# kept NAME: everything that waits leaves
kept()
{
	tc qdisc change dev d9 root handle 1: optsample nowatch noinflight \
		gate open
	for _ in $(seq 12); do
		echo q
	done | drive >"$scratch/left"
	is "$(grep -c ^7/ "$scratch/left")" 3 "$1: 3 stamps are kept"
	is "$(sed -n 's,^5/,,p' "$scratch/left" | grep -v ^1/)" \
		"$(sed -n 's,^7/,,p' "$scratch/left")" "and they are the same"
	tc qdisc del dev d9 root
}

# a device of the first radio, which is not in any mode yet
phy=$(cat /sys/class/net/wlan0/phy80211/name)
plug_in() { iw phy "$phy" interface add wlan0 type managed; }
ad_hoc()
{
	ip link set wlan0 down
	iw dev wlan0 set type ibss
	ip link set wlan0 up
}

ip link set d9 up
synced
stamp 1 5
ad_hoc
ask
stamps 2 41
kept "another mode"

ip link set wlan0 down
iw dev wlan0 set type managed
synced gate closed
stamp 1 5
tc qdisc change dev d9 root handle 1: optsample gate open nowatch
ask		# it leaves
tc qdisc change dev d9 root handle 1: optsample gate closed watch wlan0
ad_hoc
ask
stamp 2 5
ask
stamp 2 7
stamps 3 41
kept "another mode while nothing waits"

synced gate closed
iw dev wlan0 ibss join optsample 2412 fixed-freq
wait_for 20 up wlan0
ask
stamps 2 20
iw dev wlan0 del
ask
stamps 21 40
plug_in
ask
stamps 41 60
ad_hoc
ask
stamps 61 80
kept "the radio goes and comes back"

radio ibss "$each" "ad hoc" iw dev wlan0 ibss join optsample 2412 fixed-freq
radio mp "$each" "mesh" iw dev wlan0 mesh join optsample freq 2412
cat >"$scratch/hostapd.conf" <<-END
	interface=wlan1
	driver=nl80211
	ssid=optsample
	hw_mode=g
	channel=1
END
hostapd "$scratch/hostapd.conf" >"$scratch/hostapd.log" &
hostapd=$!
wait_for 20 up wlan1
radio managed "$together" "station" iw dev wlan0 connect optsample 2412
radio __ap "$each" "access point" start_ap wlan0
radio __p2pgo "$each" "P2P group owner" start_ap wlan0

# the watched device decides, and no radio is not one
tc qdisc change dev d0.5 root handle 1: optsample nowatch
is "$(below)" "$together" "no radio is watched: all together"
tc qdisc change dev d0.5 root handle 1: optsample watch wlan1
is "$(below)" "$each" "an access point is watched from now on"
tc qdisc change dev d0.5 root handle 1: optsample per device
is "$(below)" "$together" "unless the user decides"

kill $hostapd
wait $hostapd
for dev in d0.5 d0 d9; do
	ip link del $dev
done
rmmod mac80211_hwsim
ok "unload of the radios"
done_testing
