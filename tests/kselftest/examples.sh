#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - run the commands of the documents that need the module, as
# printed
#
#   robot: wlan0, DEV ============ operator (namespace "op")
#
# Both are veth. A section of tc-optsample(8) begins without a queue; other
# documents expect what `optsample up` made, or that it is not up. Commands that
# need no robot: tests/e2e/examples/run.sh.
#
# Runs as root inside tools/machines/vm with the module in $SCH_KO. TAP on
# stdout.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/lib.sh"
. "$top/tests/lib/documents.sh" || exit 1
cd "$scratch" || exit 1
export ROS_MASTER_URI=http://127.0.0.1:11311
declare -A pid=() command=()
ran=0

cleanup()
{
	optsample down
	kill -9 "${pid[@]}"
} >/dev/null 2>&1
trap cleanup EXIT

# robot_links: new ones, without a queue
robot_links()
{
	local dev net=1

	end_daemons
	optsample down >/dev/null 2>&1
	ip link del opt0 2>/dev/null
	ip netns del op 2>/dev/null
	ip netns add op
	for dev in wlan0 DEV; do
		ip link del "$dev" 2>/dev/null
		ip link add "$dev" type veth peer name "$dev-op" netns op
		ip addr add "192.168.$net.1/24" dev "$dev"
		ip link set "$dev" up
		n_op ip addr add "192.168.$net.2/24" dev "$dev-op"
		n_op ip link set "$dev-op" up
		net=$((net + 1))
	done
}

is_up() { [ -e "/run/optsample/$1.pid" ]; }

# show NAME: what it said, for a failure
show()
{
	tail -n 8 "$1.out" "$1.log" | cut -c 1-200 | sed 's/^/# /'
}

# prepare COMMAND: what it expects of its device
prepare()
{
	local dev=wlan0

	[[ $1 != *DEV* ]] || dev=DEV
	case $1 in
	"optsample up "*) ! is_up $dev || optsample down $dev ;;
	"optsample doctor "*|"optsample down "*|"optsample discover "*) ;;
	optsample*|*" opt-DEV"*)
		is_up $dev || optsample up $dev ;;
	*\ opt0*)
		[ -e /sys/class/net/opt0 ] || [[ $1 == "ip link add "* ]] || {
			ip link add opt0 link wlan0 type optsample
			ip link set opt0 up
			tc qdisc add dev opt0 root optsample
		} ;;
	*\ wg0*)
		ip link add wg0 type wireguard ;;
	*/sys/fs/bpf/tc/*)
		tc qdisc add dev lo root optsample \
			prog /usr/lib/optsample/ros_tag.bpf.o ;;
	esac >/dev/null 2>&1
}

# status_fits COMMAND STATUS: doctor's is 1 if it found an error
status_fits()
{
	[ "$2" = 0 ] || [[ $1 == "optsample doctor"* && $2 = 1 ]]
}

# answers NAME: a program in the background
answers()
{
	case $1 in
	watch)	grep -q '^wlan0: ' watch.out ;;
	discover) is_up wlan0 ;;
	esac
}

# begin NAME COMMAND: in the background, until it answers
begin()
{
	: >"$1.out" >"$1.log"
	bash -c "exec ${2%&}" >"$1.out" 2>"$1.log" </dev/null 3<&- &
	pid[$1]=$! command[$1]=$2
	wait_for 20 eval "! kill -0 ${pid[$1]} || answers $1" &&
		kill -0 "${pid[$1]}" 2>/dev/null
}

# end_daemons: by SIGTERM, unless a command has ended them; all must exit with 0
end_daemons()
{
	local name status

	for name in "${!pid[@]}"; do
		kill "${pid[$name]}" 2>/dev/null
		wait "${pid[$name]}"
		status=$?
		unset "pid[$name]"
		[ $status = 0 ]
		ok "its end: ${command[$name]}" || {
			echo "# wanted status 0, got $status"
			show "$name"
		}
	done
}

# run_command DOCUMENT COMMAND
run_command()
{
	local status name

	prepare "$2"
	case $2 in
	# who reads on has ended it
	"optsample watch "*) name=watch; begin watch "$2" && end_daemons ;;
	"optsample discover "*) name=discover; begin discover "$2" ;;
	# the number of a DDS domain
	*)	name=command
		timeout 120 bash -o pipefail -c "${2//--domain N/--domain 1}" >command.out \
			2>command.log </dev/null 3<&- ;;
	esac
	status=$?
	ran=$((ran + 1))
	status_fits "$2" $status
	ok "$1: $2" || {
		echo "# wanted status 0, got $status"
		show $name
	}
}

run_document()
{
	local line

	robot_links
	while IFS= read -r line <&3; do
		[[ $1 != *.8 || $line != '<'* ]] || robot_links
		if [[ $line != '<'* ]] && in_guest "$line" &&
			! why_not "$line" >/dev/null; then
			run_command "$1" "$line"
		fi
	done 3< <(commands "$1")
	end_daemons
}

need_modules
# where an installed optsample has it
mkdir -p /usr/lib/optsample /etc/optsample
ln -s "$ros_tag" /usr/lib/optsample/ros_tag.bpf.o
ip link set lo up
for document in $(documents); do
	run_document "$document"
done
[ $ran -ge 45 ]
ok "$ran commands were run"
done_testing
