#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `optsample up` keeps addresses, routes and neighbours of an interface when its
# network manager removes them, sets it down or changes its link address. Here
# the test acts as the manager.
#
#   robot (this namespace)                operator (namespace op)
#     v0 10.9.0.1  fd00:9::1  --- veth ---  v1 10.9.0.2  fd00:9::2
#     optsample up v0                        beyond it: 10.77.0.1
#
# A program sends a datagram every 20 ms to itself and to the operator; sendto()
# must never fail.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb cls_bpf cls_matchall act_mirred sch_ingress 2>/dev/null

robot=10.9.0.1 operator=10.9.0.2 beyond=10.77.0.1

# until SIGTERM, for both programs
cat >"$scratch/until_term.py" <<'END'
import signal
end = False
def stop(*_):
    global end
    end = True
signal.signal(signal.SIGTERM, stop)
END
cat >"$scratch/send.py" <<'END'
import socket, sys, time, until_term
# ADDRESS PORT...: datagrams sent, datagrams from itself, and errors
robot, targets = sys.argv[1], sys.argv[2:]
family = socket.AF_INET6 if ":" in robot else socket.AF_INET
own = socket.socket(family, socket.SOCK_DGRAM)
own.bind((robot, 7000))
own.setblocking(False)
n, local, errors = 0, 0, {}
print("ready", flush=True)
while not until_term.end:
    n += 1
    for t in [robot] + targets:
        try:
            own.sendto(str(n).encode(), (t, 7000))
        except OSError as e:
            errors[(t, e.strerror)] = errors.get((t, e.strerror), 0) + 1
    time.sleep(0.02)
    while True:
        try:
            local += own.recvfrom(100)[1][0] == robot
        except OSError:
            break
print("sent", n, "local", local, "errors", errors or "none")
END
cat >"$scratch/receive.py" <<'END'
import socket, until_term
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7000))
got = {}
print("ready", flush=True)
s.settimeout(0.2)
while not until_term.end:
    try:
        n, who = s.recvfrom(100)
        got.setdefault(who[0].replace("::ffff:", ""), set()).add(int(n))
    except socket.timeout:
        pass
for who, n in sorted(got.items()):
    print(who, len(n), "without", sorted(set(range(1, max(n))) - n), flush=True)
END

# addresses of keep-v0: IPv4 as routes of the table local
keep()
{
	local line kept=()

	while read -ra line; do
		[[ "${line[*]}" != *metric* ]] || kept+=("${line[1]}")
	done < <(ip route show table local dev keep-v0)
	while read -ra line; do
		kept+=("${line[3]}")
	done < <(ip -6 -o addr show dev keep-v0 scope global)
	echo "${kept[*]}"
}
kept() { [ "$(keep)" = "$*" ]; }
log() { grep -c "$1" /run/optsample/v0.log; }

network()
{
	optsample down >/dev/null 2>&1
	fresh_link
	link_up
	ip addr add fd00:9::1/64 dev v0 nodad
	n_op ip addr add fd00:9::2/64 dev v1 nodad
	n_op ip addr add $beyond/32 dev lo
	ip route add default via $operator dev v0 metric 600
	optsample up v0 --peer $operator --peer fd00:9::2 --settle 0ms "$@" \
		>/dev/null 2>"$scratch/up.err" || { cat "$scratch/up.err"; exit 1; }
	[ "$*" = --no-keep ] || wait_for 10 kept $robot fd00:9::1/64
	ping -c 1 -W 5 $operator >/dev/null
	ping -c 1 -W 5 fd00:9::2 >/dev/null
	[ "$*" = --no-keep ] || wait_for 10 eval \
		'[ "$(ip neigh show dev keep-v0 | grep -c PERMANENT)" = 2 ]' ||
		echo "# keep-v0 has no neighbours"
}

# traffic CMD...: fate of datagrams while CMD runs
traffic()
{
	local sender6

	ip netns exec op python3 "$scratch/receive.py" >"$scratch/got" &
	receiver=$!
	wait_for 10 grep -q ready "$scratch/got"
	python3 "$scratch/send.py" $robot $operator $beyond >"$scratch/sent" &
	sender=$!
	python3 "$scratch/send.py" fd00:9::1 fd00:9::2 >"$scratch/sent6" &
	sender6=$!
	wait_for 10 grep -q ready "$scratch/sent6"
	pause 0.3
	"$@"
	pause 0.3
	kill $sender $sender6
	wait $sender $sender6
	wait_for 10 eval '[ "$(stat ordinary_qlen opt-v0)" = 0 ]'
	pause 0.5
	kill $receiver
	wait $receiver
	all=yes
	whole "$scratch/sent" $robot 2 || all=no
	whole "$scratch/sent6" fd00:9::1 1 || all=no
	[ $all = yes ] || sed 's/^/# /' "$scratch"/sent* "$scratch/got"
}

# whole FILE ADDRESS TARGETS: all datagrams arrived, here and there
whole()
{
	local n

	n=$(awk '/^sent/ { print $2 }' "$1")
	[ "$(tail -n 1 "$1")" = "sent $n local $n errors none" ] &&
		[ "$(awk -v a="$2" '$1 == a { print $2 }' "$scratch/got")" = "$n" ]
}

network
is "$(ip -o link show keep-v0 | grep -o 'state [A-Z]*')" "state DORMANT" \
	"keep-v0 is no network to others"
is "$(ip route show dev keep-v0 | awk '{ print $1, $2, $3 }' | words)" \
	"default via $operator $(ip route show dev v0 | awk '/^10/ { print $1 }') proto static" \
	"it has the routes of v0"
[ "$(ip route get $operator | grep -c 'dev v0')" = 1 ]
ok "which are used first"

# A reader that joins a group by the address of the interface, and broadcasts
multicast()
{
	python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("239.1.2.3", 7001))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
	     socket.inet_aton("239.1.2.3") + socket.inet_aton("10.9.0.1"))
s.settimeout(10)
print("ready", flush=True)
print(s.recv(100).decode())' >"$scratch/joined" 2>&1 &
	joined=$!
	wait_for 10 grep -q ready "$scratch/joined"
	n_op python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
	     socket.inet_aton("10.9.0.2"))
s.sendto(b"group", ("239.1.2.3", 7001))'
	wait $joined
	tail -n 1 "$scratch/joined"
}
is "$(multicast)" group "a multicast reader joins on v0"
ip route get 10.9.0.255 | grep -q 'broadcast.*dev v0'
ok "broadcasts go by v0"

nothing() { pause 1; }
traffic nothing
is "$all" yes "nothing happens: all arrives"

addresses()
{
	ip addr flush dev v0 scope global
	pause 1
}
traffic addresses
is "$all" yes "addresses and routes removed: all arrives, here and there"
kept $robot fd00:9::1/64
ok "they are kept"
optsample show v0 | grep -q 'lost by v0, kept on keep-v0'
ok "show says so"
is "$(log 'v0 has lost')" 2 "so does the log, once for each"
ip addr add $robot/24 dev v0
ip addr add fd00:9::1/64 dev v0 nodad
ip route add default via $operator dev v0 metric 600
wait_for 10 eval '! optsample show v0 | grep -q "lost by v0"'
ok "back again: nothing is said any more"
is "$(multicast)" group "a multicast reader joins on v0, still"
ip route get 10.9.0.255 | grep -q 'broadcast.*dev v0'
ok "broadcasts go by v0, still"

# as NetworkManager: off and on with another link address, addresses gone
manager()
{
	local mac

	mac=$(cat /sys/class/net/v0/address)
	ip link set v0 down
	ip link set v0 address 06:11:22:33:44:55
	ip link set v0 up
	ip addr flush dev v0
	pause 0.5
	ip link set v0 down
	pause 0.5
	ip link set v0 address "$mac"
	ip link set v0 up
	pause 0.5
	ip addr add $robot/24 dev v0
	ip addr add fd00:9::1/64 dev v0 nodad
	ip route add default via $operator dev v0 metric 600
}
# a veth is as quick as its peer; frames to the scan address are not for it
n_op ip link set v1 promisc on
traffic manager
is "$(tail -n 1 "$scratch/sent" | grep -o 'errors.*')" "errors none" \
	"down, up, a random link address: no error"
is "$(awk '/^sent/ { print $2 - $4 }' "$scratch/sent")" 0 \
	"nothing of what it sends to itself is lost"
wait_for 10 kept $robot fd00:9::1/64
ok "still kept"

# held messages for another network
optsample down
network
for i in 1 2 3; do
	ip neigh replace $operator dev v0 lladdr \
		"$(n_op cat /sys/class/net/v1/address)" nud permanent
done
# rtps-gen sends a topic of images
a_writer() { name_writer /sys/fs/bpf/optsample/v0/writers 1; }
a_writer
ip addr change $robot/24 dev v0 valid_lft 3600 preferred_lft 3600
# the daemon says of no lease that it knows it
pause 1
# the daemon must have seen the link before anything may leave
tc qdisc change dev opt-v0 root handle bad: optsample settle 5s
n_op rtps-gen recv $operator 7411 60 100 >"$scratch/leaked" &
leaked=$!
ip link set v0 down
ip addr flush dev v0
rtps-gen send $operator 7411 1 30 2 1300
is "$(stat backlog_msgs opt-v0)" 20 "a sample is held without address and link"
evicted=$(stat msgs_evicted opt-v0)
ip link set v0 up
pause 7
is "$(stat backlog_msgs opt-v0)" 20 "it waits until DHCP has answered"
is "$(stat stalled opt-v0)" '"gate"' "which is a stall"
ip addr add 10.9.0.77/24 dev v0 valid_lft 3600 preferred_lft 3600
wait_for 10 kept 10.9.0.77 fd00:9::1/64
ok "another address: the former one goes"
is "$(log 'has the address 10.9.0.77 now, 10.9.0.1 is given up')" 1 \
	"the log says so"
is "$(stat backlog_msgs opt-v0)" 0 "nothing is held any more"
is "$(log '20 messages were held for the former network: dropped')" 1 \
	"the log says how much was dropped"
is "$(($(stat msgs_evicted opt-v0) - evicted))" 20 "it is counted"
pause 1
pkill -P $leaked 2>/dev/null || kill $leaked
wait $leaked 2>/dev/null
is "$(wc -l <"$scratch/leaked")" 0 "none of it left"

# only IPv4 comes back: a network without IPv6
optsample down
network
lease="valid_lft 3600 preferred_lft 3600"
ip addr change $robot/24 dev v0 $lease
ip addr change fd00:9::1/64 dev v0 nodad $lease
pause 1
a_writer
# the daemon must have seen the link before anything may leave
tc qdisc change dev opt-v0 root handle bad: optsample settle 3s
ip link set v0 down
ip addr flush dev v0 scope global
rtps-gen send $operator 7411 1 30 2 1300
ip link set v0 up
ip addr add $robot/24 dev v0 $lease
pause 5
is "$(stat backlog_msgs opt-v0)" 20 "the flows wait for both addresses"
wait_for 12 eval '[ "$(stat backlog_msgs opt-v0)" = 0 ]'
ok "but not for long for IPv6"

# the lease
optsample down
network
ip addr change $robot/24 dev v0 valid_lft 15 preferred_lft 15
pause 3
ip addr del $robot/24 dev v0
kept $robot fd00:9::1/64
ok "kept within its lease"
wait_for 30 kept fd00:9::1/64
ok "its lease is over: given up"
wait_for 10 eval "[ \$(log 'its lease is over') = 1 ]"
ok "the log says so"

# an address that was replaced by another one
network
ip addr add 10.9.0.88/24 dev v0
wait_for 5 kept $robot 10.9.0.88 fd00:9::1/64
ip addr del $robot/24 dev v0
ip addr add 10.9.0.88/24 dev v0 2>/dev/null
wait_for 30 kept 10.9.0.88 fd00:9::1/64
ok "an address that others stand in for is given up"

# Temporary addresses are removed with their base address. When that is back,
# the kernel makes new ones; but running nodes do not switch.
network
sysctl -qw net.ipv6.conf.v0.use_tempaddr=2
base() { ip addr replace fd00:9::1/64 dev v0 nodad mngtmpaddr; }
temporary()
{
	ip -6 -o addr show dev v0 temporary -tentative |
		awk '{ sub("/.*", "", $4); print $4 }'
}
on() { ip -6 -o addr show dev "$1" scope global -tentative | grep -q " $2/"; }
base
wait_for 10 eval '[ -n "$(temporary)" ]'
was=$(temporary)
wait_for 5 on keep-v0 "$was"
ok "a temporary address is kept"
ip link set v0 down
pause 1
ping -c 1 -W 1 -I "$was" "$was" >/dev/null
ok "v0 has lost it: the robot still has it"
ip link set v0 up
base
wait_for 10 on v0 "$was"
ok "v0 gets it back"
ip route get fd00:9::2 from "$was" | grep -q 'dev v0'
ok "and it leaves by v0"
kill -9 "$(cat /run/optsample/v0.pid)"
optsample up v0 >/dev/null 2>&1
wait_for 10 on keep-v0 "$was"
ip link set v0 down
pause 3
ip link set v0 up
base
wait_for 10 on v0 "$was"
ok "another daemon gives it back, too"
pause 3
ip addr del "$was/64" dev v0
wait_for 30 eval '! on keep-v0 "$was"'
ok "one that goes alone is given up"
! on v0 "$was"
ok "and does not come back"

# If one ends within the outage, the others keep their routes.
network
sysctl -qw net.ipv6.conf.v0.use_tempaddr=2 net.ipv6.conf.v0.temp_valid_lft=20
base
wait_for 10 eval '[ -n "$(temporary)" ]'
was=$(temporary)
wait_for 5 on keep-v0 "$was"
ip link set v0 down
wait_for 40 eval '! on keep-v0 "$was"'
ok "a temporary address ends within the outage"
pause 3
ip route get fd00:9::2 | grep -q 'dev keep-v0 .*src fd00:9::1 '
ok "there is still a way, from the other one"
sysctl -qw net.ipv6.conf.v0.temp_valid_lft=604800

# the daemon dies
network
kill -9 "$(cat /run/optsample/v0.pid)"
ip addr flush dev v0 scope global
wait_for 60 eval '[ -z "$(keep)" ]'
ok "the daemon is killed: its addresses go"
is "$(ip route show dev keep-v0)" "" "and its routes"
! ip -6 route get fd00:9::2 >/dev/null 2>&1
ok "and those of IPv6"

# the daemon dies and is restarted
network
kill -9 "$(cat /run/optsample/v0.pid)"
ip addr flush dev v0 scope global
optsample up v0 >/dev/null 2>&1
pause 35
kept $robot fd00:9::1/64
ok "another daemon keeps what it kept"
optsample down v0
ok "down"
! ip link show keep-v0 >/dev/null 2>&1
ok "nothing is left"

network --no-keep 2>/dev/null
! ip link show keep-v0 >/dev/null 2>&1
ok "--no-keep: no keep-v0"
optsample down v0

ip link add keep-v0 type dummy
! optsample up v0 2>"$scratch/err" >/dev/null
ok "keep-v0 belongs to another program: refused"
is "$(cat "$scratch/err")" \
	"optsample: cannot make device keep-v0: File exists" "in one line"
ip link show opt-v0 >/dev/null 2>&1
is $? 1 "and nothing is left of it"
done_testing
