# SPDX-License-Identifier: GPL-2.0-only
#
# doctor_robot.sh - robots made of fixture files, and what `optsample doctor`
# finds on them
#
# A robot is a folder, $robot, that stands for the root of its file system;
# answers of the kernel are in its file "facts". Sourced, after tests/lib/tap.sh;
# $doctor is the program, $scratch a folder.

# make_folder PATH: the one that PATH is in; few calls start a process
make_folder()
{
	local folder=$robot${1%/*}

	[ -d "$folder" ] || mkdir -p "$folder"
}

# put PATH TEXT: a file of the robot; without TEXT from stdin
put()
{
	make_folder "$1"
	if [ $# -gt 1 ]; then
		printf '%s\n' "$2" >"$robot$1"
	else
		cat >"$robot$1"
	fi
}

# link PATH TARGET
link()
{
	make_folder "$1"
	ln -sfn "$2" "$robot$1"
}

# process PID NAME [ARGUMENT...]
process()
{
	local pid=$1

	shift
	put "/proc/$pid/comm" "${1:0:15}"
	printf '%s\0' "$@" | put "/proc/$pid/cmdline"
	put "/proc/$pid/maps" ""
}

# node PID NAME LIBRARY [VARIABLE=VALUE...]: a process that uses ROS
node()
{
	local pid=$1 library=$3

	process "$pid" "$2"
	shift 3
	put "/proc/$pid/maps" \
		"7f0000000000-7f0000001000 r-xp 00000000 08:01 1234 /opt/ros/lib/$library"
	printf '%s\0' "PATH=/bin" "$@" | put "/proc/$pid/environ"
}

config()
{
	local option

	for option in "$@"; do
		echo "CONFIG_$option"
	done | gzip | put /proc/config.gz
}

whole_kernel="MODULES=y NET_CLS_ACT=y BPF_SYSCALL=y BPF_JIT=y IFB=m
	NET_SCH_INGRESS=m NET_CLS_BPF=m NET_CLS_MATCHALL=m NET_ACT_MIRRED=m
	NET_ACT_GACT=m NET_SCH_FQ_CODEL=m"

# modules.dep of a complete kernel
modules()
{
	local m

	for m in drivers/net/ifb.ko net/sched/sch_ingress.ko.xz \
		net/sched/cls_bpf.ko net/sched/cls_matchall.ko.zst \
		net/sched/act_mirred.ko net/sched/act_gact.ko \
		net/sched/sch_fq_codel.ko updates/dkms/sch_optsample.ko \
		updates/dkms/sch-optsample-other.ko; do
		echo "kernel/$m: kernel/lib/x.ko"
	done
}

# A healthy robot with Wi-Fi, without a network manager
healthy()
{
	robot=$scratch/$1
	mkdir -p "$robot"
	put /proc/sys/kernel/osrelease 6.1.0-30-amd64
	put /etc/os-release "ID=debian"
	config $whole_kernel
	modules | put /lib/modules/6.1.0-30-amd64/modules.dep
	put /lib/modules/6.1.0-30-amd64/modules.builtin ""
	process 1 systemd
	process 700 chronyd -F 1
	put /proc/modules "cfg80211 1 0 - Live 0x0"
	put /proc/self/mounts "bpf /sys/fs/bpf bpf rw 0 0"
	printf 'Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n' |
		put /proc/self/status
	link /proc/self/ns/net 'net:[4026531840]'
	link /proc/1/ns/net 'net:[4026531840]'
	put /sys/class/net/wlan0/ifindex 3
	mkdir -p "$robot/sys/class/net/wlan0/phy80211"
	link /sys/class/net/wlan0/device/driver ../../../bus/pci/drivers/iwlwifi
	put /proc/sys/net/core/rmem_max 8388608
	put /proc/sys/net/core/rmem_default 2097152
	put /proc/sys/net/ipv4/ipfrag_high_thresh 134217728
	put /proc/sys/net/ipv4/ipfrag_time 3
	put /proc/sys/net/ipv6/ip6frag_high_thresh 134217728
	put /proc/sys/net/ipv6/ip6frag_time 3
	put /proc/sys/net/ipv4/conf/all/rp_filter 2
	put /proc/sys/net/ipv4/conf/wlan0/rp_filter 0
	facts up=1 daemon=1 power_save=off
}

# facts KEY=VALUE...: of wlan0, and the clock
facts()
{
	{
		echo clock_synchronised=yes
		printf 'wlan0.%s\n' "$@"
	} | put /facts
}

keep() { put /sys/class/net/keep-wlan0/ifindex 9; }

# run [ARGUMENT...]: status in $rc, findings in $scratch/json
run()
{
	timeout 20 "$doctor" doctor --root "$robot" -j "$@" \
		>"$scratch/json" 2>"$scratch/err"
	rc=$?
	[ ! -s "$scratch/err" ] && jq -e 'type == "array" and all(.[];
		(.id | type == "string") and (.text | length > 0) and
		(.level | IN("ok", "note", "warning", "error")) and
		has("fix") and has("device"))' "$scratch/json" >/dev/null
	ok "$name: an array of findings" || cat "$scratch/err"
}

show() { jq -c '.[] | [.level, .id, .text, .fix]' "$scratch/json" |
	sed 's/^/# /'; }

# levels ID: its levels, in a line
levels()
{
	jq -r --arg id "$1" '[.[] | select(.id == $id) | .level] | join(" ")' \
		"$scratch/json"
}

# finds LEVEL ID [WORDS [FIX]]: the last `run` has such a finding
finds()
{
	jq -e --arg level "$1" --arg id "$2" --arg text "${3-}" \
		--arg fix "${4-}" 'any(.[]; .id == $id and .level == $level and
		(.text | contains($text)) and
		((.fix // "") | contains($fix)))' "$scratch/json" >/dev/null
	ok "$name: $1 $2${3:+: $3}${4:+ ($4)}" || show
}

# lacks ID: no finding of that id, except ok
lacks()
{
	[[ $(levels "$1") =~ ^(ok( ok)*)?$ ]]
	ok "$name: no $1" || show
}

status_is()
{
	[ $rc = "$1" ]
	ok "$name: exit status $1" || show
}

# sick NAME LEVEL ID [WORDS [FIX]]: `healthy` with the changes so far has
# finding LEVEL ID..., and the status matches it
sick()
{
	name=$1
	shift
	run
	finds "$@"
	status_is $([ "$1" = error ] && echo 1 || echo 0)
}
