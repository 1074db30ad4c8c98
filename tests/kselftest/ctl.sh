#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ctl.sh - the command `optsample`, from up to down
#
#   robot (initial namespace)                  operator (namespace "peer")
#   image-pub --> v0 clsact -> opt-v0 --> v0 ============ v1 --> image-sub
#
# Runs as root inside tools/machines/vm; the module is found in the build tree.
# TAP on stdout. The parts with traffic need build/bin/image-pub and image-sub.

set -u

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/lib.sh"
cd "$scratch" || exit 1

pub=
sub=
cleanup()
{
	# The interface first: a test may have failed half way.
	kill $pub $sub 2>/dev/null
	optsample down >/dev/null 2>&1
}
trap cleanup EXIT

# Everything that `up` may leave, as text
traces()
{
	ip -br link show | awk '{ print $1 }'
	tc qdisc show dev v0
	tc filter show dev v0 egress 2>/dev/null
	ip neigh show nud permanent dev v0
	ls /run/optsample 2>/dev/null
	find /sys/fs/bpf/optsample 2>/dev/null
	pgrep -f 'optsample discove[r]'
}

# fails MESSAGE CMD...: one line with that message, status 1, nothing is left;
# or exits=2 fails ...: wrong usage
fails()
{
	local want=$1 rc

	shift
	"$@" >out 2>err </dev/null
	rc=$?
	cat out >>err
	[ $rc = "${exits:-1}" ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$want" err &&
		[ "$(traces)" = "$clean" ]
	ok "refused and nothing left: $want" || {
		sed 's/^/# /' err
		diff <(echo "$clean") <(traces) | sed 's/^/# /'
	}
}

uri()
{
	echo "<General><Interfaces><NetworkInterface name=\"$1\"/>
		</Interfaces></General>
		<Discovery><LeaseDuration>${2}s</LeaseDuration></Discovery>"
}

peer()
{
	nsenter --net=/run/netns/peer "$@"
}

mac()
{
	peer ip -br link show v1 | awk '{ print $3 }'
}

links()
{
	ip netns add peer
	ip link set lo up
	ip link add v0 type veth peer name v1 netns peer
	ip addr add 10.9.0.1/24 dev v0
	ip link set v0 up
	peer ip addr add 10.9.0.2/24 dev v1
	peer ip link set v1 up
	wait_for 10 ip -o link show v0 up
	ip neigh add 10.9.0.2 dev v0 nud stale lladdr "$(mac)"
}

test_refusals()
{
	local value

	fails "as root" setpriv --reuid=65534 --clear-groups \
		"$(command -v optsample)" up v0
	fails "no device nodev" optsample up nodev
	fails "no device nodev" optsample down nodev
	fails "v0 has no optsample qdisc" optsample show v0
	fails "no interface is up" optsample show
	fails "no interface is up" optsample watch --count 1
	exits=2 fails "limit must be" optsample up v0 --limit 0
	exits=2 fails 'unknown policy "best"' optsample up v0 --policy best
	exits=2 fails 'bad rate "fast"' optsample up v0 --rate fast
	exits=2 fails 'bad rate "4bit"' optsample up v0 --rate 4bit
	exits=2 fails 'bad rate "1e9"' optsample up v0 --rate 1e9
	for value in x "" -1 5p 64kb auto5 1048577; do
		exits=2 fails "^optsample: inflight must be auto or 0..1048576 packets$" \
			optsample up v0 "--inflight=$value"
	done
	exits=2 fails "settle must be" optsample up v0 --settle 0x10
	exits=2 fails "memlimit must be" optsample up v0 --memlimit 0x1000000
	exits=2 fails "interval must be" optsample watch v0 --interval 0x10s
	exits=2 fails 'no command "upp"' optsample upp v0
	exits=2 fails "^optsample: up: one DEV only, see 'optsample up --help'$" \
		optsample up v0 v1
	exits=2 fails "^optsample: up: missing argument DEV, see" optsample up
	exits=2 fails "^optsample: up: no option --bogus, see" \
		optsample up v0 --bogus=1
	exits=2 fails "^optsample: up: --limit needs a value, see" \
		optsample up v0 --limit
	exits=2 fails "^optsample: show: no option -x, see" optsample show -x
	exits=2 fails "^optsample: topics: one DEV only, see" optsample topics v0 v1
	cp "$(command -v optsample)" lonely
	[ -d /sys/module/sch_optsample ] || {
		fails "no kernel module" ./lonely up v0
		test_key
	}
}

# Secure Boot: the kernel refuses the module's key
test_key()
{
	mkdir -p keys
	cat >keys/modprobe <<-'END'
		#!/bin/sh
		echo "modprobe: ERROR: could not insert 'sch_optsample': Key was rejected by service" >&2
		exit 1
	END
	printf '#!/bin/sh\necho "DKMS module signing key"\n' >keys/modinfo
	chmod +x keys/*
	fails "key 'DKMS module signing key' of sch_optsample (Secure Boot): run 'mokutil --import /var/lib/dkms/mok.pub', reboot" \
		env PATH="$PWD/keys:$PATH" ./lonely up v0
	printf '#!/bin/sh\n' >keys/modinfo
	fails "sch_optsample is not signed: run 'dkms install --force" \
		env PATH="$PWD/keys:$PATH" ./lonely up v0
}

# Every step of up fails in turn
test_half_way()
{
	mkdir -p alone/bin
	cp "$(command -v optsample)" alone/bin
	fails "no ros_tag.bpf.o" alone/bin/optsample up v0
	ip link add opt-v0 type dummy
	clean=$(traces)
	fails "cannot make device opt-v0: File exists" optsample up v0
	ip link del opt-v0
	tc qdisc add dev v0 ingress
	clean=$(traces)
	fails "v0 has an ingress qdisc" optsample up v0
	tc qdisc del dev v0 ingress
	tc qdisc add dev v0 root pfifo
	clean=$(traces)
	fails "v0 has a pfifo qdisc of its own" optsample up v0 --no-ifb
	tc qdisc del dev v0 root
	clean=$(traces)
	fails "peer bogus is not an IP address" optsample up v0 --peer bogus
}

# least CMD...: with the rights of the unit
least()
{
	setpriv --bounding-set=-all,+net_admin,+bpf,+perfmon "$@"
}

test_up()
{
	sysctl -qw net.core.default_qdisc=pfifo_fast
	least optsample up v0 --limit 10 --policy gap --rate 100Mbit --settle 200ms \
		--memlimit 32M --inflight 40 --peer 10.9.0.2 >out 2>&1
	ok "up"
	sed 's/^/# /' out
	tc -s qdisc show dev opt-v0 | grep -q "qdisc optsample bad: root"
	ok "a qdisc on opt-v0"
	is "$(tc -j qdisc show dev opt-v0 | jq -c '.[] |
		select(.parent == "bad:ffff") |
		[.kind, .options.limit, .options.memory_limit]')" \
		'["fq_codel",10240,8388608]' \
		"fq_codel for ordinary traffic, whatever the default qdisc is"
	redirected v0
	ok "traffic is redirected"
	is "$(sed -n 's/^CapEff:\s*//p' "/proc/$(cat /run/optsample/v0.pid)/status")" \
		000000c000001000 "three capabilities are enough"
	optsample up v0 2>err
	[ $? = 1 ] && [ "$(cat err)" = "optsample: v0 is up already" ]
	ok "up again: reported, and left as it is"
	is "$(json '[.dev, .queue, .qdisc.policy, .qdisc.limit] | @csv')" \
		'"v0","opt-v0","gap",10' "show -j"
	optsample show | grep -q "^v0: qdisc on opt-v0, policy gap, limit 10"
	ok "show"
	wait_for 20 eval 'ip neigh show 10.9.0.2 dev v0 | grep PERMANENT'
	ok "the peer's neighbour entry is permanent"
	ls /sys/fs/bpf/optsample/v0 | grep -qx writers
	ok "maps are pinned"
	[ "$(optsample watch --count 3 --interval 100ms | grep -c '^v0: ')" = 3 ]
	ok "watch: plain lines without a terminal"
	script -qec "optsample watch --count 1" /dev/null >out </dev/null
	grep -q $'\033\\[?1049h' out &&
		[ "$(tail -c 8 out)" = $'\033[?1049l' ]
	ok "watch: restores the terminal"
	wait_for 20 optsample down v0
	ok "down"
	is "$(traces)" "$clean" "down leaves nothing"
	[ "$(optsample down v0)" = "v0 is not up" ]
	ok "down again: reported"
}

test_variants()
{
	optsample up v0 --no-ifb 2>/dev/null &&
		tc qdisc show dev v0 | grep -q "optsample bad: root"
	ok "up --no-ifb: the qdisc is on v0"
	optsample down && [ "$(traces)" = "$clean" ]
	ok "down without a name"

	tc qdisc add dev v0 clsact
	tc filter add dev v0 egress pref 5 matchall action pass
	clean=$(traces)
	optsample up v0 2>/dev/null && optsample down v0 &&
		[ "$(traces)" = "$clean" ]
	ok "the user's clsact and filter stay"
	tc qdisc del dev v0 clsact
	clean=$(traces)

	optsample up v0 2>/dev/null
	kill -KILL "$(cat /run/optsample/v0.pid)"
	optsample down v0 && [ "$(traces)" = "$clean" ]
	ok "down after the daemon was killed"

	ip link add a-long-name-01 type veth peer name a-long-name-02
	ip link set a-long-name-01 up
	before=$(ip -br link show | wc -l)
	optsample up a-long-name-01 2>/dev/null &&
		optsample up a-long-name-02 2>/dev/null &&
		[ "$(optsample show -j | jq length)" = 2 ]
	ok "two interfaces with long names"
	ip link del a-long-name-01
	optsample down && [ -z "$(ls /run/optsample)" ] &&
		[ "$(ip -br link show | wc -l)" = $((before - 2)) ]
	ok "down after the interfaces are gone"
}

# whole: d0 is up, and all checks pass
whole()
{
	local shown

	shown=$(optsample show -j d0) && [[ $shown != *'"warning"'* ]] &&
		redirected d0
}

# device_d0: a new one, with an address
device_d0()
{
	ip link add d0 type dummy && ip addr add 10.8.0.1/24 dev d0 &&
		ip link set d0 up
}

# daemon: its process for d0
daemon()
{
	cat /run/optsample/d0.pid
}

test_renamed()
{
	device_d0
	optsample up d0 2>/dev/null && whole
	ok "d0 is up"
	ip link set d0 down
	ip link set d0 name e0
	ip link set e0 up
	optsample show d0 | grep -q "d0 was renamed: .*'optsample up e0'"
	ok "renamed: show says so"
	optsample down
	is "$? $(tc filter show dev e0 egress)$(tc qdisc show dev e0 clsact)" \
		"0 " "renamed: down takes the redirect away"
	ip link del e0
	is "$(traces)" "$clean" "renamed: nothing is left"
}

test_replaced()
{
	device_d0
	optsample up d0 2>/dev/null
	ip link del d0
	wait_for 20 eval 'optsample show d0 | grep -q "lost by d0"'
	optsample show d0 | grep -q "warning: d0 is gone; .*lost by d0"
	ok "gone: show says so first"
	device_d0
	wait_for 20 whole
	ok "replaced: the daemon redirects the new device"
	# two radios are plugged in at once, and udev gives them their names
	ip link set d0 down
	ip link set d0 name d1
	device_d0
	wait_for 20 whole
	ok "renamed: the daemon redirects the one that has the name now"
	is "$(tc filter show dev d1 egress 2>/dev/null
		tc qdisc show dev d1 clsact)" "" "renamed: and lets the other go"
	ip link del d1
	kill -KILL "$(daemon)"
	ip link del d0
	device_d0
	optsample show d0 |
		grep -q "d0 was replaced .*; run 'optsample up d0' again"
	ok "replaced without a daemon: show says so"
	optsample up d0 --limit 5 2>err && whole &&
		[ "$(optsample show -j d0 | jq '.[0].qdisc.limit')" = 5 ] &&
		grep -q "was replaced by another device: setting it up again" err
	ok "replaced: up sets it up again"
	tc filter del dev d0 egress pref 49000
	optsample show d0 | grep -q "has lost its queue or the redirect"
	ok "redirect taken away: show says so"
	optsample down && ip link del d0
	is "$(traces)" "$clean" "replaced: nothing is left"
}

# One fails, and its folder, which the other one needs, is removed.
test_at_once()
{
	local i rc=0

	device_d0
	for i in 1 2 3 4 5; do
		optsample up v0 --peer 1.2.3 2>/dev/null &
		optsample up d0 2>/dev/null && whole || rc=1
		wait $!
		optsample down || rc=1
	done
	[ $rc = 0 ]
	ok "up of another interface fails at the same time"
	ip link del d0
	is "$(traces)" "$clean" "at the same time: nothing is left"
}

test_daemon()
{
	local why="cannot enter DDS domain 0"

	device_d0
	ip addr flush dev d0
	optsample up d0 2>err && grep -q "warning: $why" err
	ok "up without an address: a warning"
	optsample show -j d0 | jq -r '.[0].warning' | grep -q "^$why"
	ok "show -j has it"
	ip addr add 10.8.0.1/24 dev d0
	wait_for 20 whole
	ok "it ends when there is an address"
	optsample down

	CYCLONEDDS_URI=file:///nonexistent.xml optsample up d0 2>err &&
		grep -q "$why.*nonexistent.xml.*/run/optsample/d0.log$" err
	ok "no such configuration of DDS: a warning"
	optsample down
	CYCLONEDDS_URI="<!-- $(printf '%3000s') -->$(uri d0 10)" \
		optsample up d0 2>/dev/null && whole
	ok "a long configuration is taken as a whole"
	optsample down

	optsample up d0 --topics /a,/b 2>/dev/null
	kill -KILL "$(daemon)"
	optsample show d0 | grep -q "warning: discovery is not running" &&
		optsample show -j d0 | grep -q "discovery is not running"
	ok "killed: show says so"
	[ "$(optsample up d0 2>/dev/null)" = \
		"d0 is up already; discovery had ended and is started again" ] &&
		whole
	ok "killed: up starts it again"
	tr '\0' ' ' <"/proc/$(daemon)/cmdline" | grep -q -- "--topics /a,/b "
	ok "with the same options"
	optsample down && ip link del d0
	is "$(traces)" "$clean" "daemon: nothing is left"
}

# if_nametoindex() of a device that is not there runs modprobe.
test_no_requests()
{
	local modprobe

	modprobe=$(sysctl -n kernel.modprobe)
	printf '#!/bin/sh\necho "$*" >>%s/requests\nexec %s "$@"\n' \
		"$scratch" "$modprobe" >requests.sh
	chmod +x requests.sh
	: >requests
	sysctl -qw "kernel.modprobe=$scratch/requests.sh"
	python3 -c 'import socket; socket.if_nametoindex("none0")' 2>/dev/null
	grep -q netdev-none0 requests
	ok "requests for modules are noted"
	: >requests
	device_d0
	optsample up d0 2>/dev/null && whole
	ok "up while they are noted"
	ip link del d0
	wait_for 20 eval '[ ! -e /sys/class/net/opt-d0 ]'
	# discovery looks for d0 once a second
	pause 3
	optsample show d0 >/dev/null 2>&1
	optsample down d0 >/dev/null 2>&1
	optsample show d0 >/dev/null 2>&1
	sysctl -qw "kernel.modprobe=$modprobe"
	is "$(grep -o 'netdev-.*' requests)" "" \
		"no module is requested for a device that is not there"
	is "$(traces)" "$clean" "requests: nothing is left"
}

# up is killed at any moment; its work so far is in the state file.
test_killed()
{
	local at rc=0

	device_d0
	for at in 0.02 0.05 0.1 0.2 0.3 0.5 0.8; do
		optsample up d0 2>/dev/null &
		pause $at
		kill -KILL $!
		wait $! 2>/dev/null
		optsample down d0 >/dev/null && ! ip link show opt-d0 &&
			[ -z "$(tc filter show dev d0 egress)" ] || rc=1
	done 2>/dev/null
	[ $rc = 0 ]
	ok "up is killed: down undoes what there is"
	optsample up d0 2>/dev/null &
	wait_for 20 redirected d0
	kill -KILL $!
	wait $! 2>/dev/null
	optsample show d0 | grep -q "warning: d0 was not set up completely"
	ok "up is killed: show says so"
	optsample up d0 2>err && whole && grep -q "setting it up again" err
	ok "up is killed: up sets it up again"
	optsample down && ip link del d0
	is "$(traces)" "$clean" "killed: nothing is left"
}

test_units()
{
	device_d0
	optsample up d0 --rate 1gbps --settle 1sec 2>/dev/null &&
		tc qdisc show dev opt-d0 |
			grep -q "settle 1s rate 8Gbit"
	ok "rates and times as tc spells them"
	optsample down && ip link del d0
}

test_own_refusals()
{
	local value

	ip addr add fd00:9::1/64 dev v0 nodad
	clean=$(traces)
	exits=2 fails "^optsample: up: --address needs a value, see" \
		optsample up v0 --address
	for value in x "" 10.77.0 10.77.0.2x/24 fd77:::2/64; do
		exits=2 fails "^optsample: address $value is not an IP address with a prefix" \
			optsample up v0 --address "$value"
	done
	exits=2 fails "^optsample: address 10.77.0.2 needs a prefix, as 10.77.0.2/24$" \
		optsample up v0 --address 10.77.0.2
	exits=2 fails "needs a prefix, as fd77::2/64$" \
		optsample up v0 --address fd77::2
	for value in 0 32 -1 24x ""; do
		exits=2 fails "^optsample: the prefix of address 10.77.0.2/$value must be 1..31$" \
			optsample up v0 --address "10.77.0.2/$value"
	done
	exits=2 fails "must be 1..127$" optsample up v0 --address fd77::2/128
	for value in 0.0.0.1 127.0.0.2 224.0.0.5 255.255.255.255 :: ::1 ff02::1 \
		     fe80::2; do
		exits=2 fails "^optsample: address $value/8 must be that of a host" \
			optsample up v0 --address "$value/8"
	done
	for value in 10.77.0.0/24 10.77.0.255/24 fd77::/64; do
		exits=2 fails "^optsample: address $value is that of a subnet" \
			optsample up v0 --address "$value"
	done
	exits=2 fails "^optsample: address 10.77.0.2/16 is given twice$" \
		optsample up v0 --address 10.77.0.2/24 --address 10.77.0.2/16
	fails "^optsample: at most 4 addresses$" optsample up v0 \
		$(printf -- '--address 10.77.%d.2/24 ' 1 2 3 4 5)
	fails "^optsample: address 10.9.0.1/24: v0 has it already$" \
		optsample up v0 --address 10.9.0.1/24
	fails "^optsample: address 10.9.0.7/25: its subnet overlaps 10.9.0.1/24 of v0: " \
		optsample up v0 --address 10.9.0.7/25
	fails "overlaps 10.9.0.1/24 of v0: " \
		optsample up v0 --address 10.1.2.3/8
	fails "overlaps fd00:9::1/64 of v0: " \
		optsample up v0 --address 10.77.0.2/24 --address fd00:9::7/64
	fails "^optsample: address and no-ifb exclude each other" \
		optsample up v0 --no-ifb --address 10.77.0.2/24
	fails "^optsample: with an address of its own settle must be at least 100ms: own-v0 gets its carrier a moment later than v0$" \
		optsample up v0 --settle 99ms --address 10.77.0.2/24
	fails "^optsample: lo is no Ethernet or Wi-Fi device" \
		optsample up lo --address 10.77.0.2/24
	fails "^optsample: no device nodev$" \
		optsample up nodev --address 10.77.0.2/24
	fails "^optsample: peer bogus is not an IP address$" \
		optsample up v0 --address 10.77.0.2/24 --peer bogus
	ip addr del fd00:9::1/64 dev v0
	clean=$(traces)
}

test_own_in_use()
{
	local dir=/etc/modprobe.d

	rmmod ipvlan 2>/dev/null
	mkdir -p $dir
	echo "install ipvlan /bin/false" >$dir/no-ipvlan.conf
	fails "^optsample: the kernel has no ipvlan: " \
		optsample up v0 --address 10.77.0.2/24
	rm $dir/no-ipvlan.conf
	ip link add own-v0 type dummy
	clean=$(traces)
	fails "^optsample: cannot make device own-v0: File exists$" \
		optsample up v0 --address 10.77.0.2/24
	ip link del own-v0
	ip link add macvlan0 link v0 type macvlan
	clean=$(traces)
	fails "^optsample: cannot make ipvlan device own-v0: v0 is in use by a macvlan" \
		optsample up v0 --address 10.77.0.2/24
	ip link del macvlan0
	ip link add br0 type bridge
	ip link set v0 master br0
	clean=$(traces)
	fails "^optsample: v0 is a port of br0, which drops packets while v0 has no carrier" \
		optsample up v0 --address 10.77.0.2/24
	ip link del br0
	clean=$(traces)
}

# own_whole: own-d0 is complete, and all checks pass
own_whole()
{
	[ "$(optsample show -j d0 | jq -c '.[0] |
		[.dev, .lower, .addresses, .queue, .warning]')" = \
		'["own-d0","d0",["10.77.0.2/24"],"opt-own-d0",null]' ] &&
		ip -o addr show dev own-d0 | grep -q "inet 10.77.0.2/24 " &&
		redirected own-d0
}

up_own()
{
	optsample up d0 --address 10.77.0.2/24 "$@" >/dev/null 2>&1
}

test_own()
{
	device_d0
	clean=$(traces)
	up_own --limit 10 && own_whole
	ok "up --address"
	optsample show d0 | grep -q "^  ipvlan on d0, address 10.77.0.2/24$"
	ok "show says what it is on"
	optsample topic d0 /thermal --limit 60 && [ "$(optsample topic d0)" = \
		"$(optsample topic own-d0)" ] && optsample topic d0 |
			grep -q "^/thermal .*limit 60"
	ok "topic takes d0 and own-d0"
	optsample watch d0 --count 1 | grep -q "^own-d0: moving"
	ok "so does watch"
	optsample doctor d0 | grep -q "^own-d0: an outage of 30 s"
	ok "so does doctor"
	fails_up "d0 is up already" d0 --address 10.77.0.2/24
	fails_up "d0 is up already" d0
	fails_up "d0 is up already" own-d0
	optsample down d0 && [ "$(traces)" = "$clean" ]
	ok "down d0: nothing is left"
	up_own --no-keep && optsample down own-d0 && [ "$(traces)" = "$clean" ]
	ok "so does down own-d0"
	[ "$(optsample down d0)" = "d0 is not up" ]
	ok "down again: reported"
	optsample up d0 2>/dev/null
	fails_up "d0 is up already, without an address of the robot's own: run 'optsample down d0' first" \
		d0 --address 10.77.0.2/24
	optsample down d0
	ip link del d0

	ip link add a-long-name-01 type dummy
	ip link set a-long-name-01 up
	optsample up a-long-name-01 --address 10.77.0.2/24 >/dev/null 2>&1 &&
		ip -o addr show | grep -q "own-a-.* 10.77.0.2/24 " &&
		optsample down a-long-name-01 &&
		[ -z "$(ls /run/optsample)" ]
	ok "a long name"
	ip link del a-long-name-01
	clean=$(traces)
}

# fails_up LINE ARGUMENTS...
fails_up()
{
	local line=$1

	shift
	optsample up "$@" >out 2>err
	[ $? = 1 ] && [ "$(cat out err)" = "optsample: $line" ]
	ok "up $*: $line" || sed 's/^/# /' out err
}

own_daemon()
{
	cat /run/optsample/own-d0.pid
}

test_own_broken()
{
	local at rc=0

	device_d0
	clean=$(traces)
	up_own
	kill -KILL "$(own_daemon)"
	ip -o addr show dev own-d0 | grep -q "inet 10.77.0.2/24 "
	ok "the daemon is killed: the address stays"
	optsample show d0 | grep -q "discovery is not running; run 'optsample up own-d0' again"
	ok "show says so"
	[ "$(optsample up own-d0 2>/dev/null)" = \
		"d0 is up already; discovery had ended and is started again" ] &&
		own_whole
	ok "up starts it again"
	kill -KILL "$(own_daemon)"
	optsample down d0 && [ "$(traces)" = "$clean" ]
	ok "the daemon is killed: down leaves nothing"
	up_own
	ip addr flush dev own-d0
	optsample show d0 | grep -q "own-d0 has lost an address"
	ok "the address is removed: show says so"
	fails_up "with an address of its own settle must be at least 100ms: own-d0 gets its carrier a moment later than d0" \
		d0 --settle 50ms
	[ -e /sys/class/net/own-d0 ] && [ -e /sys/class/net/opt-own-d0 ]
	ok "options that it cannot have: what is up stays"
	optsample up d0 2>err >/dev/null && own_whole &&
		grep -q "own-d0 has lost an address: setting it up again" err
	ok "up sets it up again, with the same address"
	ip link set own-d0 down
	ip link set own-d0 name e0
	optsample down d0 && [ "$(traces)" = "$clean" ]
	ok "renamed: down leaves nothing"
	up_own
	ip link del own-d0
	optsample show d0 | grep -q "own-d0 is gone; run 'optsample up own-d0' again"
	ok "removed: show says so"
	optsample up own-d0 >/dev/null 2>&1 && own_whole
	ok "removed: up makes it again"
	ip link del d0
	fails_up "no device d0" own-d0
	device_d0
	wait_for 20 own_whole
	ok "d0 is another device: the daemon makes own-d0 again"
	optsample down
	for at in 0.02 0.05 0.1 0.2 0.3 0.5 0.8; do
		optsample up d0 --address 10.77.0.2/24 >/dev/null 2>&1 &
		pause $at
		kill -KILL $!
		wait $! 2>/dev/null
		optsample down d0 >/dev/null && [ "$(traces)" = "$clean" ] ||
			rc=1
	done 2>/dev/null
	[ $rc = 0 ]
	ok "up is killed: down undoes what there is"
	optsample up d0 --address 10.77.0.2/24 >/dev/null 2>&1 &
	wait_for 20 redirected own-d0
	kill -KILL $!
	wait $! 2>/dev/null
	up_own && own_whole
	ok "up is killed: up sets it up again"
	optsample down
	is "$(traces)" "$clean" "broken: nothing is left"
	ip link del d0
	clean=$(traces)
}

# inflight DEV [UP-OPTIONS]: as tc shows it, and as `show` does
inflight()
{
	local dev=$1

	optsample up "$@" 2>/dev/null || return
	tc qdisc show dev "opt-$dev" | grep -Eo '(no)?inflight( [^ ]+)?' |
		sed 's/noinflight.*/noinflight/'
	optsample show -j "$dev" | jq -r '.[0].qdisc |
		"\(.inflight_auto) \(.inflight_limit_packets)"'
	optsample show "$dev" | sed -n '1s/.*, \(inflight .*\), gate.*/\1/p'
	optsample down "$dev"
}

test_inflight()
{
	device_d0
	is "$(inflight d0 | words)" "noinflight false 0" \
		"not Wi-Fi: nothing limits what is in flight"
	is "$(inflight d0 --inflight auto | words)" \
		"inflight auto true 0 inflight auto" "--inflight auto"
	is "$(inflight d0 --inflight 5 | words)" \
		"inflight 5p false 5 inflight 5p" "--inflight 5"
	is "$(inflight d0 --inflight 0 | words)" "noinflight false 0" \
		"--inflight 0"
	is "$(inflight d0 --inflight auto --inflight 5 | words)" \
		"inflight 5p false 5 inflight 5p" "the last --inflight counts"
	is "$(inflight d0 --inflight 5 --inflight auto | words)" \
		"inflight auto true 0 inflight auto" "also if it is auto"
	ip link del d0

	modprobe mac80211_hwsim radios=1 && ip link set wlan0 up
	ok "there is a radio"
	is "$(inflight wlan0 | words)" "inflight 32p false 32 inflight 32p" \
		"Wi-Fi: inflight 32"
	is "$(inflight wlan0 --inflight auto | words)" \
		"inflight auto true 0 inflight auto" "Wi-Fi: inflight auto"
	is "$(inflight wlan0 --inflight 0 | words)" "noinflight false 0" \
		"Wi-Fi: no limit"
	optsample up wlan0 --inflight auto 2>/dev/null
	kill -KILL "$(cat /run/optsample/wlan0.pid)"
	optsample up wlan0 --inflight auto >/dev/null 2>&1
	tc qdisc show dev opt-wlan0 | grep -q "inflight auto"
	ok "a daemon that is started again leaves it"
	optsample down wlan0
	rmmod mac80211_hwsim
	is "$(traces)" "$clean" "inflight: nothing is left"
}

# recall DEV [UP-OPTIONS]: as tc shows it, and as `show` does
recall()
{
	local dev=$1

	optsample up "$@" 2>/dev/null || return
	tc qdisc show dev "opt-$dev" | grep -Eo '\<recall [a-z]+'
	optsample show -j "$dev" | jq -r '.[0].qdisc |
		"\(.recall_state) \(.recall_messages) \(.recalled)"'
	optsample show "$dev" | sed -n 's/^  \(recall [a-z]*\):.*/\1/p'
	optsample down "$dev"
}

test_recall()
{
	device_d0
	is "$(recall d0 | words)" "recall auto idle 0 0" \
		"not Wi-Fi: there is nothing to recall"
	is "$(recall d0 --no-recall | words)" "idle 0 0" "--no-recall"
	ip link del d0
	modprobe mac80211_hwsim radios=1 && ip link set wlan0 up
	ok "there is a radio again"
	is "$(recall wlan0 | words)" "recall auto learning 0 0 recall learning" \
		"Wi-Fi: messages are recalled"
	is "$(recall wlan0 --no-recall | words)" "idle 0 0" \
		"Wi-Fi: --no-recall"
	rmmod mac80211_hwsim
	is "$(traces)" "$clean" "recall: nothing is left"
}

# Kernels without matchall and cls_bpf, as those of JetPack
test_few_filters()
{
	local away=/etc/modprobe.d/away.conf

	rmmod cls_matchall cls_bpf 2>/dev/null
	mkdir -p "${away%/*}"
	printf 'install %s /bin/false\n' cls_matchall cls_bpf >$away
	tc filter add dev lo parent ffff: matchall 2>/dev/null
	is "$(grep -c -e cls_matchall -e cls_bpf /proc/modules)" 0 \
		"neither matchall nor bpf can be loaded"
	optsample up v0 2>err
	ok "up without them"
	is "$(<err)" "" "nothing is missing"
	is "$(tc filter show dev v0 egress | grep -wo -e matchall -e basic |
		uniq)" basic "basic redirects"
	redirected v0 && tc filter show dev v0 egress | head -n 1 |
		grep -q 34958
	ok "but not EAPOL"
	tc qdisc show dev opt-v0 | grep -q "prog id"
	ok "the qdisc runs the classifier"
	[ -e /sys/class/net/keep-v0 ]
	ok "addresses are kept"
	optsample down v0
	is "$(traces)" "$clean" "down leaves nothing"
	OPTSAMPLE_LINK_TYPE=ifb optsample up v0 2>err
	ok "up with a module without a link type"
	is "$(<err)" "optsample: warning: the kernel has no cls_bpf: v0 loses what it sends if its network manager removes its addresses" \
		"it tells what does not work"
	redirected v0
	ok "traffic is redirected to an ifb"
	optsample down v0
	is "$(traces)" "$clean" "nothing is left"
	rm $away
}

# Plain tc shares its maps with `show`
test_plain_tc()
{
	tc qdisc add dev v0 root handle 1: optsample limit 7 \
		prog "$top/build/bpf/ros_tag.bpf.o" &&
		[ -e /sys/fs/bpf/tc/globals/writers ]
	ok "plain tc loads the classifier and pins its maps"
	is "$(json .qdisc.limit)" 7 "show works without up"
	tc qdisc del dev v0 root
	rm -f /sys/fs/bpf/tc/globals/{writers,flows,recent,frags,counters}
}

# For a failure: which images are missing, and statistics of the qdisc
lost_images()
{
	cut -d, -f1 pub.csv | grep -n . | while IFS=: read -r n _; do
		grep -q "^$(sed -n "${n}p" pub.csv | cut -d, -f2)," sub.csv ||
			echo "$n"
	done | words | sed 's/^/# missing: /'
	echo
	optsample show v0 | sed 's/^/# /'
}

# A camera, and an outage of some seconds: shorter than the reader's lease
# even on a slow machine, or the writer stops sending
test_traffic()
{
	local lost

	if [ ! -x "$top/build/bin/image-pub" ]; then
		echo "# no image-pub: nothing was sent"
		return
	fi
	# much longer than all of this: a writer that ends loses its held
	# messages, as its farewell is sent first
	head -c $((160 * 120 * 400)) /dev/urandom >frames
	CYCLONEDDS_URI=$(uri v1 25) \
		peer image-sub --seconds 120 >sub.csv 2>sub.log &
	sub=$!
	CYCLONEDDS_URI=$(uri v0 60) \
		image-pub --size 160x120 --encoding mono8 --rate 10 \
		--delay 3 frames >pub.csv 2>pub.log &
	pub=$!
	pause 2
	optsample up v0 --limit 10 2>err
	ok "up with DDS about"
	grep -q "given up by the others after 25 s" err
	ok "a warning of the short lease"
	optsample topics v0 --seconds 3 | grep -q "^/camera/image sensor_msgs/msg/Image"
	ok "topics"
	wait_for 20 test -s sub.csv
	ok "images arrive"
	peer ip link set v1 down
	wait_for 30 eval '[ "$(json .qdisc.evicted)" -gt 5 ]'
	ok "a queue that is full is thinned out"
	optsample show -j v0 >show.json
	is "$(json '[.flows[0].topic, .qdisc.stalled] | @csv')" \
		'"rt/camera/image","carrier"' \
		"the flow has a name, and why it waits"
	[ $failed = 0 ] || sed 's/^/# /' show.json /run/optsample/v0.*
	[ "$(json .flows[0].backlog_messages)" -le 10 ]
	ok "no more than the limit waits"
	peer ip link set v1 up
	wait_for 20 eval '[ "$(json .flows[0].backlog_messages)" = 0 ]'
	ok "it leaves when the link is back"
	wait $pub
	pause 1
	optsample show -j v0 >show.json
	# one or two were in flight when the link went down
	lost=$(($(wc -l <pub.csv) - $(wc -l <sub.csv) - \
		$(jq '.[0].flows[0] | .sampled + .evicted' show.json)))
	[ $lost -ge 0 ] && [ $lost -le 2 ]
	ok "what was not sampled has arrived ($lost in the air)"
	is "$(jq -r '.[0].flows[0] |
		[.incomplete, .torn, .oversize, .restarts] | @csv' show.json)" \
		0,0,0,0 "no message in part"
	[ $failed = 0 ] || lost_images
	kill $sub
	optsample down v0
}

ip link del v0 2>/dev/null
links
clean=$(traces)
test_refusals
module=$(ls "$top"/build/sch_optsample.ko "$top"/build/module/*/sch_optsample.ko \
	2>/dev/null | while read -r ko; do
		[ "$(modinfo -F vermagic "$ko" | cut -d' ' -f1)" = "$(uname -r)" ] &&
			echo "$ko" && break
	done)
[ -d /sys/module/sch_optsample ] || insmod "${SCH_KO:-$module}" || exit 1
test_up
test_replaced
test_daemon
test_own_refusals
test_own
thorough test_half_way test_variants test_renamed test_at_once test_no_requests \
	test_killed test_units test_own_in_use test_own_broken test_inflight \
	test_recall test_few_filters
test_plain_tc
test_traffic
done_testing
