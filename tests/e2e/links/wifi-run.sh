#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# wifi-run.sh - inside the VM: one camera, one virtual Wi-Fi link, one outage,
# once for each qdisc named on the command line
#
#   robot (initial network namespace)          operator (namespace "operator")
#   image-pub --> [qdisc] --> wlan0  ~~~~~~~~~  wlan0 --> image-sub
#             10.42.0.2    wpa_supplicant   hostapd    10.42.0.1
#                             hwsim-medium (the air)
#
# Everything but the qdisc is the same in all runs: recording, link rate,
# outage (in seconds after the first image), DDS settings, permanent neighbour
# entries, and a link that was just associated. Each run leaves in
# $VM_OUT/QDISC: pub.csv, sub.csv, events.json (the medium's own words for
# $VM_OUT/QDISC: pub.csv, sub.csv, events.json (the medium's own record of the
# outage), images/, the qdisc's statistics, and a log per process.
# Environment: FRAMES, SIZE, ENCODING, FPS, MBIT, OUTAGE_AT, OUTAGE, LIMIT.
# Fails if images were late or lost before the outage: a comparison would be
# meaningless.

set -u

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P) || exit 1
out=${VM_OUT:?the demo runs inside tools/machines/vm -o DIR}
build=${BUILD:-$top/build}
bin=$build/bin
tmp=/run/demo
robot_ip=10.42.0.2
operator_ip=10.42.0.1
export TC_LIB_DIR=$build/tc
pids=()
. "$top/tests/lib/wait.sh"

die()
{
	echo "wifi-run: $*" >&2
	exit 1
}

in_operator()
{
	nsenter --net=/run/netns/operator "$@"
}

# start NAME CMD...: in the background, output to NAME.log; pid in $!
start()
{
	local name=$1

	shift
	"$@" >"$log/$name.log" 2>&1 </dev/null &
	pids+=($!)
}

# await SECONDS WHAT CMD...: until CMD succeeds
await()
{
	wait_for "$1" "${@:3}" || die "$run: $2: time-out"
}

radios()
{
	modprobe mac80211_hwsim radios=2 || die "no mac80211_hwsim"
	ip netns add operator
	in_operator ip link set lo up
	iw phy phy1 set netns name operator || die "cannot move a radio"
	in_operator ip link set wlan1 name wlan0
	in_operator ip addr add $operator_ip/24 dev wlan0
	ip addr add $robot_ip/24 dev wlan0
}

configs()
{
	cat >$tmp/hostapd.conf <<-END
		interface=wlan0
		driver=nl80211
		ssid=optsample
		hw_mode=g
		channel=6
		wmm_enabled=1
		wpa=2
		wpa_key_mgmt=WPA-PSK
		rsn_pairwise=CCMP
		wpa_passphrase=operator
	END
	cat >$tmp/wpa.conf <<-END
		ctrl_interface=$tmp/wpa
		network={
			ssid="optsample"
			psk="operator"
			key_mgmt=WPA-PSK
			scan_freq=2437
			freq_list=2437
		}
	END
}

wpa()
{
	wpa_cli -p $tmp/wpa -i wlan0 "$@"
}

associated()
{
	wpa status | grep -q wpa_state=COMPLETED
}

# The peer does not change, but Linux drops its entry without carrier and asks
# again before it sends: "optsample up" makes the entries permanent, so all runs
# get them.
neighbours()
{
	local robot operator

	robot=$(cat /sys/class/net/wlan0/address)
	operator=$(in_operator ip -j link show wlan0 | jq -r '.[0].address')
	ip neigh replace $operator_ip lladdr "$operator" nud permanent \
		dev wlan0 &&
	in_operator ip neigh replace $robot_ip lladdr "$robot" nud permanent \
		dev wlan0 || die "neighbour entries"
}

link_up()
{
	start medium "$bin/hwsim-medium" --rate "$MBIT"
	await 10 medium "$bin/hwsim-medium" ctl status
	start hostapd nsenter --net=/run/netns/operator \
		hostapd -t $tmp/hostapd.conf
	await 20 "access point" grep -q AP-ENABLED "$log/hostapd.log"
	start wpa_supplicant wpa_supplicant -t -i wlan0 -c $tmp/wpa.conf
	await 20 wpa_supplicant wpa ping
	# A robot without a link scans all the time.
	wpa scan_interval 0 >/dev/null
	await 30 association associated
	neighbours
}

link_down()
{
	end_or_kill "${pids[@]}"
	pids=()
	ip link set wlan0 down
	in_operator ip link set wlan0 down
}

qdisc_up()
{
	case $1 in
	pfifo)	tc qdisc replace dev wlan0 root pfifo limit 1000 ;;
	fq_codel) tc qdisc replace dev wlan0 root fq_codel ;;
	optsample|gap)
		"$bin/optsample" up wlan0 --limit "$LIMIT" --policy "$1" \
			--peer $operator_ip ;;
	*)	echo "not a qdisc of this demo"; false ;;
	esac >"$log/up.log" 2>&1 ||
		die "$1 cannot be set up: $(tail -n 1 "$log/up.log")"
}

qdisc_down()
{
	tc -s qdisc show >"$log/tc.txt" 2>&1
	if [ "$1" = optsample ] || [ "$1" = gap ]; then
		"$bin/optsample" show -j >"$log/optsample.json" 2>&1
		"$bin/optsample" show >"$log/optsample.txt" 2>&1
		"$bin/optsample" down wlan0 >"$log/down.log" 2>&1
	else
		tc qdisc del dev wlan0 root 2>/dev/null
	fi
}

# The lease must outlast the outage, or the reader forgets the writer; the
# peers are named because a lossy link eats multicast.
dds()
{
	cat <<-END
		<General><AllowMulticast>spdp</AllowMulticast><Interfaces>
		<NetworkInterface name="wlan0"/></Interfaces></General>
		<Discovery><ParticipantIndex>auto</ParticipantIndex>
		<MaxAutoParticipantIndex>9</MaxAutoParticipantIndex>
		<LeaseDuration>120s</LeaseDuration>
		<SPDPInterval>2s</SPDPInterval>
		<Peers><Peer address="$robot_ip"/>
		<Peer address="$operator_ip"/></Peers></Discovery>
	END
}

# event WORD SECONDS: send it to the medium, SECONDS after the first image
event()
{
	local start at

	start=$(head -n 1 "$log/pub.csv" | cut -d, -f2)
	at=$(printf '%d.%09d' $((start / 10**9 + $2)) $((start % 10**9)))
	"$bin/hwsim-medium" --at "$at" ctl "$1" >>"$log/events.json" ||
		die "$run: the medium does not answer"
}

play()
{
	local pub sub

	mkdir -p $tmp/images
	nsenter --net=/run/netns/operator "$bin/image-sub" \
		--store $tmp/images >"$log/sub.csv" 2>"$log/image-sub.log" &
	sub=$!
	"$bin/image-pub" --size "$SIZE" --encoding "$ENCODING" --rate "$FPS" \
		--delay 3 --linger 5 "$FRAMES" >"$log/pub.csv" 2>"$log/image-pub.log" &
	pub=$!
	pids+=("$pub" "$sub")
	await 45 "first image" test -s "$log/pub.csv"
	event down "$OUTAGE_AT"
	event up $((OUTAGE_AT + OUTAGE))
	await 60 "end of the recording" eval "! kill -0 $pub"
	event status 0
	end_or_kill $sub
	mv $tmp/images "$log/images"
}

# keeps_up: nearly all images before the outage arrived, with little delay
keeps_up()
{
	awk -F, -v until="$((OUTAGE_AT * FPS))" '
		NR == FNR { at[$1] = $2; next }
		$1 > until - 5 { exit }
		$2 in at { n++; late += at[$2] - $2 }
		END { exit !(n >= until - 8 && late / n < 4e8) }
	' "$log/sub.csv" "$log/pub.csv"
}

one()
{
	run=$1
	log=$out/$run
	mkdir -p "$log" || die "cannot write to $out"
	link_up
	qdisc_up "$run"
	play
	qdisc_down "$run"
	link_down
	dmesg --time-format iso >"$log/dmesg.log"
	keeps_up || die "$run: the guest is too slow for images of $SIZE"
	echo "$run: $(wc -l <"$log/sub.csv") of $(wc -l <"$log/pub.csv") images"
}

mkdir -p $tmp || exit 1
trap 'end_or_kill "${pids[@]}"' EXIT
run=setup
radios
configs
CYCLONEDDS_URI=$(dds)
export CYCLONEDDS_URI
for name in "$@"; do
	one "$name"
done
