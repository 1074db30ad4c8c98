#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# neigh.sh - permanent neighbour entries, and their lifetime
#
# The robot of peers.sh sends segments; the operator is replaced by another
# host, or ARP is forged. Runs as root inside tools/machines/vm with the module
# in $SCH_KO. TAP on stdout.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/peers.sh"
forged=02:66:66:66:66:66

# segment ADDRESS: one datagram of optsample-send, which is sampled
segment()
{
	local zeros='\0\0\0\0\0\0\0\0\0'

	printf "OPSG\\1\\1\\60\\0$zeros$zeros\\1\\0$zeros$zeros\\0\\0" >"/dev/udp/$1/4711"
}

# entry ADDRESS: its link address and state
entry()
{
	local words

	words=($(ip neigh show "$1" dev v0))
	[ ${#words[@]} = 0 ] || echo "${words[2]} ${words[-1]}"
}

# entry_is ADDRESS ENTRY: of those that have one, the pattern ENTRY
entry_is() { [[ $(entry "$1") = $2 ]]; }

# permanent: how many are
permanent()
{
	local lines

	mapfile -t lines < <(ip neigh show nud permanent dev v0)
	echo ${#lines[@]}
}

permanent_are() { [ "$(permanent)" = "$1" ]; }

carrier_is() { [ "$(</sys/class/net/v0/carrier)" = "$1" ]; }

op_mac() { n_op cat /sys/class/net/v1/address; }

# op_has FIRST LAST: addresses of the operator's, who gets a segment for each
op_has()
{
	local i

	for ((i = $1; i <= $2; i++)); do
		echo "addr add $net.$i/24 dev v1"
	done | ip -n op -batch -
	for ((i = $1; i <= $2; i++)); do
		segment $net.$i
	done
}

# arp HOW [N]: forged ARP by the operator
arp()
{
	n_op python3 - "$1" "$(cat /sys/class/net/v0/address)" ${2-} <<-'END'
	import socket, struct, sys
	s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	s.bind(("v1", 0))
	robot = bytes.fromhex(sys.argv[2].replace(":", ""))
	def arp(op, ip, mac, to, target):
	    s.send(to + mac + b"\x08\x06" +
	           struct.pack("!HHBBH", 1, 0x800, 6, 4, op) +
	           mac + ip + bytes(6) + target)
	me = bytes([10, 9, 0, 1])
	bad = bytes.fromhex("026666666666")
	if sys.argv[1] == "gratuitous":
	    ip = bytes([10, 9, 0, 2])
	    for op in 1, 2:
	        arp(op, ip, bad, b"\xff" * 6, ip)
	        arp(op, ip, bad, robot, me)
	else:
	    for i in range(int(sys.argv[3])):
	        arp(1, bytes([10, 9, 1 + i // 250, 1 + i % 250]), bad, robot,
	            me)
	END
}

ip addr add 10.9.0.1/16 dev v0
ip addr del 10.9.0.1/24 dev v0
n_op ip addr add 10.9.0.3/24 dev v1
n_op ip addr add 10.9.0.4/24 dev v1
ip route add 10.50.0.0/24 via 10.9.0.3
n_op ip route add 10.50.0.0/24 dev lo
fresh --outage 30

ping -qc 1 -W 5 10.9.0.4 >/dev/null
segment 10.9.0.2
wait_for 20 entry_is 10.9.0.2 "$(op_mac) PERMANENT"
ok "who sampled data goes to has a permanent entry"
segment 10.50.0.7
wait_for 20 entry_is 10.9.0.3 "$(op_mac) PERMANENT"
ok "so has the gateway on the way there"
[[ $(entry 10.9.0.4) != *PERMANENT ]]
ok "others have not"

# heard: the daemon has handled all earlier events; the gateway's entry is
# permanent again
heard()
{
	ip neigh replace 10.9.0.3 dev v0 lladdr "$(op_mac)" nud reachable
	wait_for 20 entry_is 10.9.0.3 "$(op_mac) PERMANENT"
}

# more than the table of neighbours has room for
[ -n "${MORE-}" ] && flood=60000 || flood=6000
arp flood $flood
heard
is "$(permanent)" 2 "$flood forged requests make no permanent entry"
arp gratuitous
heard
is "$(entry 10.9.0.2)" "$(op_mac) PERMANENT" \
	"a permanent entry is not forged"

n_op ip link set v1 down
wait_for 10 carrier_is 0
pause 1
is "$(entry 10.9.0.2)" "$(op_mac) PERMANENT" "it stays in an outage"
n_op ip link set v1 up
wait_for 20 entry_is 10.9.0.2 "$(op_mac) PERMANENT"
ok "it is permanent again after the outage"

# the state after a forged answer
ip neigh del 10.9.0.2 dev v0
ip neigh replace 10.9.0.2 dev v0 lladdr $forged nud reachable
wait_for 10 entry_is 10.9.0.2 "$forged PERMANENT"
n_op ip link set v1 down
wait_for 10 carrier_is 0
n_op ip link set v1 up
wait_for 30 entry_is 10.9.0.2 "$(op_mac) PERMANENT"
ok "a forged link address does not survive the link's return"
ping -qc 1 -W 5 10.9.0.2 >/dev/null
ok "and packets arrive"

# roamed ADDRESS [OPTIONS]: a new own address; the link keeps its carrier
roamed() { ip addr replace "$1" dev v0 "${@:2}"; }

# probes ADDRESS: number of verifications of its entry
probes() { grep -c "^$1 .*PROBE" monitor; }

# usable PREFIX: its address is no longer tentative
usable()
{
	ip -6 addr show dev v0 | grep "inet6 $1" | grep -qv tentative
}

n_op ip addr add fd00:9::2/64 dev v1 nodad
ip addr add fd00:9::1/64 dev v0 nodad
segment fd00:9::2
wait_for 20 entry_is fd00:9::2 "$(op_mac) PERMANENT"
ok "IPv6: who sampled data goes to has a permanent entry"
wait_for 10 usable fe80:
ip monitor neigh dev v0 >monitor &
monitor=$!
# listens: the monitor reports a change of a dummy entry
listens()
{
	ip neigh replace fd00:9::99 dev v0 nud noarp
	ip neigh del fd00:9::99 dev v0
	[ -s monitor ]
}
wait_for 10 listens
for lft in 1000 2000; do
	roamed fd00:9::1/64 valid_lft $lft preferred_lft $lft
done
roamed fd00:9::1/64 valid_lft 1000 preferred_lft 0
roamed fd00:9::1/64 valid_lft 1000 preferred_lft 1000
ip addr add fd00:11::9/64 dev v0 nodad preferred_lft 0 valid_lft 100
ip addr del fd00:11::9/64 dev v0
heard
is "$(probes fd00:9::2) $(entry fd00:9::2)" "0 $(op_mac) PERMANENT" \
	"IPv6: an address that is refreshed or deprecated is not a new one"
roamed fd00:10::1/64
wait_for 10 usable fd00:10::1/
wait_for 20 eval '[ "$(probes fd00:9::2)" -ge 1 ]'
ok "IPv6: with a new address the entry is verified"
is "$(probes fd00:9::2)" 1 "IPv6: once, not also while it is tentative"
wait_for 20 entry_is fd00:9::2 "$(op_mac) PERMANENT"
ok "IPv6: it is permanent again when it is confirmed"
ip neigh del fd00:9::2 dev v0
ip neigh replace fd00:9::2 dev v0 lladdr $forged nud reachable
wait_for 10 entry_is fd00:9::2 "$forged PERMANENT"
ip addr del fd00:10::1/64 dev v0
heard
is "$(entry fd00:9::2)" "$forged PERMANENT" "IPv6: a forged one"
roamed fd00:10::1/64 nodad
wait_for 30 entry_is fd00:9::2 "$(op_mac) PERMANENT"
ok "IPv6: does not survive a new address, nor one that comes again"
kill $monitor
for addr in fd00:9::1 fd00:10::1; do
	ip addr del $addr/64 dev v0
done
n_op ip addr del fd00:9::2/64 dev v1

# another network, another host with the same address
n_op ip link set v1 down
wait_for 10 carrier_is 0
n_op ip link set v1 address 02:00:00:00:00:77
n_op ip link set v1 up
wait_for 30 ping -qc 1 -W 1 10.9.0.2
ok "roaming: another host with the same address is reached"
wait_for 10 entry_is 10.9.0.2 "02:00:00:00:00:77 PERMANENT"
ok "roaming: its entry is permanent"

optsample down v0
is "$(permanent)" 0 "down leaves no permanent entry"
optsample up v0 --peer 10.9.0.4 2>/dev/null
wait_for 20 entry_is 10.9.0.4 '*PERMANENT'
ok "--peer: a permanent entry without data"
kill -KILL "$(cat /run/optsample/v0.pid)"
# the killed one may need a moment to end
wait_for 10 eval 'optsample up v0 >/dev/null 2>&1'
n_op ip link set v1 down
wait_for 10 carrier_is 0
n_op ip link set v1 address 02:00:00:00:00:78
n_op ip link set v1 up
wait_for 30 entry_is 10.9.0.4 "02:00:00:00:00:78 PERMANENT"
ok "another daemon goes on with it"
# a second check of an address would also be a reason
sysctl -qw net.ipv6.conf.v0.accept_dad=0
kill -KILL "$(cat /run/optsample/v0.pid)"
n_op ip link set v1 down
wait_for 10 carrier_is 0
n_op ip link set v1 address 02:00:00:00:00:79
n_op ip link set v1 up
wait_for 10 eval 'optsample up v0 >/dev/null 2>&1'
wait_for 30 entry_is 10.9.0.4 "02:00:00:00:00:79 PERMANENT"
ok "what changed while there was none is verified"
sysctl -qw net.ipv6.conf.v0.accept_dad=1
optsample down v0

optsample up v0 --peer 10.50.0.7 2>/dev/null
wait_for 20 entry_is 10.9.0.3 '*PERMANENT'
ok "--peer behind a gateway: the gateway's entry is permanent"
ip route replace 10.50.0.0/24 via 10.9.0.4
wait_for 20 entry_is 10.9.0.4 '*PERMANENT'
ok "--peer: behind another gateway, that one's"
ip route replace 10.50.0.0/24 via 10.9.0.3
optsample down v0
is "$(permanent)" 0 "down leaves neither"

# the user's own permanent entry
ip neigh replace 10.9.0.4 dev v0 lladdr "$(op_mac)" nud permanent
optsample up v0 --peer 10.9.0.4 2>/dev/null
segment 10.9.0.2
wait_for 20 entry_is 10.9.0.2 '*PERMANENT'
is "$(grep -c 10.9.0.4 /run/optsample/v0.neigh)" 1 \
	"an entry that the user made permanent is left alone"
optsample down v0
is "$(entry 10.9.0.4)" "$(op_mac) PERMANENT" "also by down"
ip neigh del 10.9.0.4 dev v0

# a link-local destination, and another interface that has such addresses, too
ip link add w0 type dummy
ip link set w0 up
ip link set v0 down
ip link set v0 up
wait_for 20 usable fe80:
local6=$(n_op ip -j -6 addr show dev v1 scope link |
	jq -r '.[].addr_info[].local // empty')
[[ $(ip -6 route get "$local6") == *"dev w0"* ]]
ok "link-local: the routing table alone says w0"
optsample up v0 2>/dev/null
segment "$local6%v0"
wait_for 20 entry_is "$local6" '*PERMANENT'
ok "link-local: who sampled data goes to has a permanent entry"
ip link del w0
optsample down v0
is "$(permanent)" 0 "link-local: down leaves none"

optsample up v0 --peer "$local6" 2>/dev/null
wait_for 20 entry_is "$local6" '*PERMANENT'
ok "--peer: of IPv6, too"
optsample down v0

# by hand, without up
modprobe -a cls_bpf 2>/dev/null
tc qdisc add dev v0 root handle 1: optsample
tc filter add dev v0 parent 1: bpf da obj "$ros_tag" sec tc
optsample discover v0 2>/dev/null &
wait_for 20 test -s /run/optsample/v0.neigh
segment 10.9.0.2
wait_for 20 entry_is 10.9.0.2 '*PERMANENT'
ok "discover by hand: who sampled data goes to has a permanent entry"
optsample down v0
is "$(permanent) $(ls /run/optsample 2>/dev/null)$(jobs -r)" "0 " \
	"down ends it and leaves nothing"
tc qdisc del dev v0 root
find /sys/fs/bpf -type f -delete

# dead next hops do not take the place of one that answers
fresh
net=10.9.200 op_has 1 70
wait_for 60 permanent_are 64
n_op ip link set v1 down
wait_for 10 carrier_is 0
for i in {1..70}; do
	echo "addr del 10.9.200.$i/24 dev v1"
done | ip -n op -batch -
n_op ip link set v1 up
# verified, then looked for once
wait_for 30 permanent_are 0
wait_for 30 eval '[ -z "$(ip neigh show nud incomplete nud probe dev v0)" ]'
segment 10.9.0.2
wait_for 30 entry_is 10.9.0.2 '*PERMANENT'
ok "next hops that have died take no place of one that answers"
is "$(json .warning)" null "nor are they warned of"
# three requests take three seconds, then the entry is FAILED
timeout 8 ip monitor neigh dev v0 >asked
is "$(grep -c '^10[.]9[.]200[.]' asked)" 0 \
	"nor are they asked for without data"
# the maps still have them when another daemon starts, which knows none
net=10.9.0 op_has 100 119
wait_for 30 permanent_are 21
kill -KILL "$(cat /run/optsample/v0.pid)"
rm -f /run/optsample/v0.{neigh,log}
ip neigh flush dev v0	# except permanent ones
mac=$(op_mac)
for i in 2 {100..119}; do
	echo "neigh replace 10.9.0.$i dev v0 lladdr $mac nud reachable"
done | ip -batch -
wait_for 10 eval 'optsample up v0 >/dev/null 2>&1'
wait_for 30 permanent_are 21
ok "nor when another daemon begins"
is "$(grep -c 'more than 64' /run/optsample/v0.log)" 0 \
	"nor does that one warn of them"

# a device that is deleted and created again; --no-ifb does not follow it
optsample down v0
optsample up v0 --no-ifb 2>/dev/null
segment 10.9.0.2
wait_for 20 entry_is 10.9.0.2 '*PERMANENT'
ip link del v0
ip link add v0 type veth peer name v1 netns op
ip addr add 10.9.0.1/16 dev v0
for addr in $(seq -f 10.9.0.%g 2 4); do
	n_op ip addr add $addr/24 dev v1
done
ip link set v0 up
n_op ip link set v1 up
wait_for 10 carrier_is 1
ping -qc 1 -W 5 10.9.0.2 >/dev/null
wait_for 30 entry_is 10.9.0.2 '*PERMANENT'
ok "a device that is created again: its entry is permanent"
optsample up v0 2>/dev/null
wait_for 30 entry_is 10.9.0.2 '*PERMANENT'
optsample down v0
is "$(permanent)" 0 "up again, then down: no permanent entry is left"
fresh

# More next hops than are kept: on the link, each an address of the operator.
# The daemon learns of all at once, so that the last ones find no place.
kill -STOP "$(cat /run/optsample/v0.pid)"
net=10.9.0 op_has 100 189
kill -CONT "$(cat /run/optsample/v0.pid)"
kept() { ip neigh show nud permanent dev v0 | sort; }
wait_for 60 permanent_are 64
wait_for 20 eval 'optsample show v0 | grep -q "warning: more than 64 next hops"'
ok "more than 64 are too many, which is shown"
kept >before
is "$(wc -l <before)" 64 "64 are kept"
pause 5		# the daemon looks up the routes twice
is "$(kept)" "$(cat before)" "and always the same ones"
is "$(grep -c 'more than 64 next hops' /run/optsample/v0.log)" 1 \
	"and logged once"

# late events are older than the daemon's last actions
late=($(ip neigh show nud permanent dev v0 | awk '{ print $1 }' | head -n 2))
kill -STOP "$(cat /run/optsample/v0.pid)"
for state in reachable delay; do
	ip neigh replace "${late[0]}" dev v0 lladdr "$(op_mac)" nud $state
done
ip neigh replace "${late[1]}" dev v0 lladdr "$(op_mac)" nud reachable
kill -CONT "$(cat /run/optsample/v0.pid)"
wait_for 10 permanent_are 64
ok "entries that changed twice while the daemon was busy are permanent again"

# a new address, before it has seen that its entry is permanent
: >monitor	# listens() must not find the first event
ip monitor neigh dev v0 >monitor &
monitor=$!
wait_for 10 listens
kill -STOP "$(cat /run/optsample/v0.pid)"
ip neigh replace "${late[0]}" dev v0 lladdr "$(op_mac)" nud reachable
ip neigh replace "${late[0]}" dev v0 lladdr "$(op_mac)" nud noarp
roamed 10.60.0.1/24
kill -CONT "$(cat /run/optsample/v0.pid)"
wait_for 10 eval '[ "$(probes "${late[0]}")" -ge 1 ]'
ok "with a new address such an entry is verified"
kill $monitor
optsample down v0
is "$(permanent)" 0 "down leaves no permanent entry of them"
done_testing
