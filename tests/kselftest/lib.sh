# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - shared by the tests in the guest: TAP, the packet driver, `optsample`
#
# Sourced by the tests, which run as root inside tools/machines/vm with the
# modules sch_optsample and optsample_drive in $SCH_KO and $DRIVE_KO.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
export TC_LIB_DIR=$top/build/tc
export PATH=$top/build/bin:$PATH
ros_tag=$top/build/bpf/ros_tag.bpf.o
[ -e /sys/kernel/btf/vmlinux ] || ros_tag=$top/build/bpf/ros_tag_nobtf.bpf.o
X=/sys/kernel/debug/optsample_drive
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/jq.sh"
. "$top/tests/lib/wait.sh"

# is GOT WANTED NAME
is()
{
	[ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2") |
		head -n 20 | sed 's/^/# /'; false; }
	ok "$3"
}

need_modules()
{
	# as systemd sets it: the child for ordinary traffic
	sysctl -qw net.core.default_qdisc=fq_codel
	[ -d /sys/module/sch_optsample ] || insmod "$SCH_KO" || exit 1
	[ -d /sys/module/optsample_drive ] || insmod "$DRIVE_KO" || exit 1
}

# A guest needs 10 ms to start a program, and 4 for a subshell: what is called
# often has neither.

# answers: of the driver
answers()
{
	local out=$(<$X/out)

	[ -z "$out" ] || echo "$out"
}

# drive: execute lines of stdin, answers on stdout
drive()
{
	local status

	cat >$X/cmd
	status=$?
	answers
	return $status
}

# play LINE...: execute them in one turn, answers on stdout
play()
{
	local IFS=';' status

	echo "$*" >$X/cmd
	status=$?
	answers
	return $status
}

# policies: their names, in the order of their numbers
policies()
{
	optsample-sim --help | sed -n 's/^  --policy NAME *//p' | tr -d '|'
}

policies_known()
{
	[ "$(policies | wc -w)" -ge 5 ]
	ok "the simulator lists the policies"
}

# device [TC-OPTIONS]: a new dummy d0 with the qdisc, driven
device()
{
	ip link del d0 2>/dev/null
	ip link add d0 type dummy
	# only packets of the driver
	echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
	ip link set d0 up
	tc qdisc add dev d0 root handle 1: optsample "$@" || return 1
	play "dev d0"
}

# stat FIELD [DEV]: of the qdisc on d0 or DEV, as JSON; FIELD may be
# OBJECT.FIELD. Without a program, as many tests ask again and again.
stat()
{
	local json field=${1#*.}

	json=$(tc -j -s qdisc show dev "${2:-d0}")
	json=${json#*'"kind":"optsample"'}
	json=${json%%'{"kind":"'*}
	if [ "$field" = "$1" ]; then
		# after the options, which have limits of the same names
		json='"bytes":'${json#*'},"bytes":'}
	else
		json=${json#*"\"${1%.*}\":{"}
	fi
	[[ $json =~ \"$field\":(\"[^\"]*\"|[-+.0-9eE]+|true|false) ]] &&
		echo "${BASH_REMATCH[1]}"
}

# class_stat FLOW WORD: messages of a flow
# tc of Debian 12 prints classes as text only
class_stat()
{
	tc -s class show dev d0 | awk -v flow="$(printf '0x%08x' "$1")" -v f="$2" '
		$1 == "flow" { on = $2 == flow }
		on && $1 == "messages" {
			for (i = 2; i < NF; i += 2)
				if ($i == f)
					print $(i + 1)
		}'
}

# json FILTER: of "optsample show -j v0", its first interface
json()
{
	optsample show -j v0 | jq -r ".[0] | $1"
}

# name_writer WRITERS N: add writer N of rtps-gen to the classifier's map
name_writer()
{
	bpftool map update pinned "$1" key hex \
		11 11 11 11 11 11 11 11 11 11 11 11 00 00 0$2 03 \
		value hex 0$2 00 00 00 00 00 00 00 \
		00 00 00 00 00 00 00 00
}

# classify DEV [PARENT]: tag the writers 1..3 of rtps-gen on the qdisc of DEV, by
# a program without state. Loaded once: the verifier needs a second of a guest
classifier=/sys/fs/bpf/classifier
classify()
{
	local w filter=(dev "$1" parent "${2:-1:}") id maps=/sys/fs/bpf/tc/globals

	if [ -e $classifier ]; then
		clear-maps $maps && tc filter add "${filter[@]}" protocol all \
			prio 1 bpf da object-pinned $classifier || return 1
	else
		find /sys/fs/bpf -type f -delete
		tc filter add "${filter[@]}" protocol all prio 1 bpf da obj \
			"$ros_tag" sec tc || return 1
		id=$(tc filter show "${filter[@]}" |
			sed -n 's/.* id \([0-9]*\) .*/\1/p')
		bpftool prog pin id "$id" $classifier || return 1
	fi
	for w in 1 2 3; do
		name_writer $maps/writers $w || return 1
	done
}

# redirected DEV: does its traffic go to the queue that optsample up made?
redirected()
{
	tc filter show dev "$1" egress | grep -Eq \
		"pref 49000 bpf .* redirect |Redirect to device opt-"
}

# words: one line of blank-separated words
words()
{
	local words

	read -rd '' -a words
	echo "${words[*]}"
}

# The other end of every link is in namespace op.
n_op() { ip netns exec op "$@"; }

# fresh_link: v0 10.9.0.1 here and v1 10.9.0.2 in a new op; down
fresh_link()
{
	ip netns del op 2>/dev/null
	ip link del v0 2>/dev/null
	ip netns add op
	ip link add v0 type veth peer name v1 netns op
	ip addr add 10.9.0.1/24 dev v0
	n_op ip addr add 10.9.0.2/24 dev v1
}

# link_up [ADDRESS...]: up, with permanent neighbours 10.9.0.2 and ADDRESS
link_up()
{
	local peer

	n_op ip link set lo up
	n_op ip link set v1 up
	ip link set v0 up
	for peer in 10.9.0.2 "$@"; do
		ip neigh replace $peer dev v0 nud permanent \
			lladdr "$(n_op cat /sys/class/net/v1/address)"
	done
}

# access_point DEV SSID: a radio in op; its process is one of ${hostapd[@]}
hostapd=()
access_point()
{
	cat >"$scratch/$1.conf" <<-END
		interface=$1
		ssid=$2
		hw_mode=g
		channel=1
	END
	iw phy "$(cat "/sys/class/net/$1/phy80211/name")" set netns name op
	n_op hostapd "$scratch/$1.conf" >"$scratch/$1.log" 2>&1 &
	hostapd+=($!)
	wait_for 20 grep -q AP-ENABLED "$scratch/$1.log"
}

# wireguard DEV PEER NET FROM TO: a tunnel for NET from DEV to PEER in op,
# over a link that has addresses FROM and TO
wireguard()
{
	(umask 077; wg genkey >"$scratch/a"; wg genkey >"$scratch/b")
	ip link add "$1" type wireguard
	n_op ip link add "$2" type wireguard
	wg set "$1" listen-port 5000 private-key "$scratch/a" \
		peer "$(wg pubkey <"$scratch/b")" allowed-ips "$3" \
		endpoint "$5:5000"
	n_op wg set "$2" listen-port 5000 private-key "$scratch/b" \
		peer "$(wg pubkey <"$scratch/a")" allowed-ips "$3" \
		endpoint "$4:5000"
}
