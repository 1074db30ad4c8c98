# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - daemons, samples and the machine that the examples of documents need
#
# Sourced. What a program prints goes to $scratch/NAME.out and NAME.log.

. "$top/tests/e2e/slam/rabbit.sh"
declare -A pid=() command=() robots=()
# the operator's machine is another one: it does not hear the robot's nodes
operator_domain=1

cleanup()
{
	rabbit_stop
	kill -9 "${pid[@]}" "${robots[@]}"
	wait
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

# over FOLDER: what is written there stays in memory
over()
{
	mkdir -p "$SPACE/over$1" "$SPACE/work$1" && mount -t overlay -o \
		"lowerdir=$1,upperdir=$SPACE/over$1,workdir=$SPACE/work$1" over "$1"
}

# written: files that are new, changed or (a device of the overlay) removed in
# folders of the system
written()
{
	find "$SPACE/over" ! -type d ! -name '*.pyc' -printf '/%P\n'
}

# make_mounts: folders that documents name. Only build and what is in memory can
# be written
make_mounts()
{
	printf '%s\n' "127.0.0.1 localhost broker $(hostname)" \
		"10.0.0.2 operator operator.local" >"$scratch/hosts"
	over /usr && over /etc && mount --bind "$scratch/hosts" /etc/hosts &&
		mount -t tmpfs var /var/lib && mkdir /var/lib/gdim /var/lib/slam &&
		mount -t tmpfs run /run && mkdir -p /run/credentials/gdimd.service &&
		mount --bind "$top/build" "$top/build" &&
		mount -o remount,bind,ro /
}

# make_space: addresses and variables
make_space()
{
	ip link set lo up multicast on && ip route replace 224.0.0.0/4 dev lo &&
		ip link add wan0 type veth peer name wan1 &&
		ip addr add 10.0.0.2/24 dev wan0 && ip link set wan1 up &&
		ip link set wan0 up || skip_all "no network of its own"
	# or DDS takes lo, and only at times
	wait_for 10 grep -qx up /sys/class/net/wan0/operstate
	make_mounts || skip_all "no mounts of its own"
	export XDG_RUNTIME_DIR=$scratch/run ROS_MASTER_URI=http://127.0.0.1:11311
	mkdir "$scratch/run"
	# as a user, on a machine with a core for each rank
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_MCA_rmaps_base_oversubscribe=1
	unset ROS_DOMAIN_ID ROS_LOCALHOST_ONLY CYCLONEDDS_URI
}

# make_samples: the files that are named
make_samples()
{
	mkdir "$scratch/samples" "$scratch/lab" && cd "$scratch/samples" || return
	slam-world 30 "$scratch/truth.tum" 2>/dev/null | head -n 60 >aces.clf
	cp aces.clf intel.clf && cp aces.clf site.clf &&
		log-bag aces.clf run.mcap 0 15 &&
		view-bag mission.mcap 2 1 500 &&
		python3 "$here/samples.py" . aces.clf &&
		python3 "$top/tests/e2e/lab/make.py" "$scratch/lab" &&
		cp "$scratch/lab/deep.png" thermal.png &&
		cp "$scratch/lab/colour.png" camera.png &&
		cp "$scratch/lab/ascii.pcd" scan.pcd &&
		cp "$scratch/lab/map.pgm" site.pgm &&
		cp site.pgm floor.pgm &&
		printf '%s\n' 'image: floor.pgm' 'resolution: 0.05' \
			'origin: [0, 0, 0]' 'negate: 0' \
			'occupied_thresh: 0.65' 'free_thresh: 0.196' >floor.yaml &&
		gdimctl --store maps.db import floor.yaml >/dev/null
}

# show NAME: what it said, for a failure
show()
{
	tail -n 8 "$scratch/$1.out" "$scratch/$1.log" | cut -c 1-200 |
		sed 's/^/# /'
}

show_all()
{
	local name

	for name in "${!pid[@]}"; do
		show "$name"
	done
}

# start NAME COMMAND: in the background; $! is its process
start()
{
	# its own redirection comes too late for who reads at once
	: >"$scratch/$1.out" >"$scratch/$1.log"
	bash -c "exec $2" >"$scratch/$1.out" 2>"$scratch/$1.log" </dev/null 3<&- &
}

# robot NAME COMMAND...: a program of the robot that is there in any case
robot()
{
	start "$1" "${*:2}"
	robots[$1]=$!
}

# robot_laser: a laser, odometry and the laser's place on the robot
robot_laser()
{
	robot tf io-copy -k 10 -L -d 100000 -o /tf_static run.mcap ros2
	robot laser io-copy -l -o /scan -o /odom run.mcap ros2
}

end_robot()
{
	local name

	for name; do
		[ -z "${robots[$name]-}" ] || end_or_kill "${robots[$name]}"
		unset "robots[$name]"
	done
}

# daemon_of COMMAND: its name, if it runs until it is ended
daemon_of()
{
	case $1 in
	optsample-recv*|optsample-view*|gdimd*|slam-worker*) echo "${1%% *}" ;;
	optsample-send*ros2|*--config*|slamd*--from*) echo "${1%% *}" ;;
	"optsample watch"*) echo watch ;;
	*) return 1 ;;
	esac
}

# in_place_of COMMAND: the daemons that it cannot run beside
in_place_of()
{
	daemon_of "$1"
	case $1 in
	optsample-view*--listen*) echo watch optsample-recv ;;
	optsample-view*) echo watch ;;
	esac
}

# end_daemons NAME...: by SIGTERM; each must exit with 0
end_daemons()
{
	local name status

	for name; do
		[ -n "${pid[$name]-}" ] || continue
		kill "${pid[$name]}"
		wait "${pid[$name]}"
		status=$?
		unset "pid[$name]"
		[ $status = 0 ]
		ok "SIGTERM ends it: ${command[$name]}" || {
			echo "# wanted status 0, got $status"
			show "$name"
		}
	done 2>/dev/null
}

# sends_topics COMMAND: what other commands name
sends_topics()
{
	local topics

	topics=$(optsample send status) && [[ $topics == */camera/image* ]] &&
		[[ $1 == *--topic* || $topics == */topic* ]]
}

# answers NAME: it does its work
answers()
{
	case $1 in
	optsample-send) sends_topics "${command[$1]}" ;;
	optsample-*) optsample "${1#optsample-}" status ;;
	gdimd)	gdimctl status ;;
	slamd)	timeout 5 io-copy -n 1 -k 10 -o /tf ros2 - ;;
	slam-worker) ss -tnp state established dst 127.0.0.1:5672 |
		grep "pid=${pid[$1]}," ;;
	watch)	[ -s "$scratch/watch.out" ] ;;
	esac
}

# daemon COMMAND: in the background, until it answers
daemon()
{
	local name run=$1

	name=$(daemon_of "$1")
	end_daemons $(in_place_of "$1")
	[ "$name" != slam-worker ] || need_broker "$1"
	[[ $name != optsample-@(recv|view) ]] ||
		run="env ROS_DOMAIN_ID=$operator_domain $run"
	start "$name" "$run"
	pid[$name]=$! command[$name]=$1
	# one that has ended need not be waited for
	wait_for 60 eval "! kill -0 ${pid[$name]} || answers $name" &&
		kill -0 "${pid[$name]}" 2>/dev/null
}

# a namespace of its own has all ports
free_ports() { echo 5672 25672 4369; }

# need_broker COMMAND: RabbitMQ, with the user of the address there
need_broker()
{
	local user

	[[ $1 =~ amqp://([a-z]*):([a-z]*)@ ]] && user=${BASH_REMATCH[1]} ||
		return
	[ -n "$rabbit_pid" ] || rabbit_start || return
	[ "$user" = robot ] || {
		rabbit_ctl add_user "$user" "${BASH_REMATCH[2]}"
		rabbit_ctl set_permissions "$user" '.*' '.*' '.*'
	} >/dev/null
}

# lacks COMMAND: a program that this machine has not
lacks()
{
	case $1 in
	*amqp://*) have_rabbit || echo "no RabbitMQ here" ;;
	mpirun*) type -P mpirun >/dev/null || echo "no mpirun here" ;;
	esac
}

# run_command DOCUMENT COMMAND
run_command()
{
	local name run=$2 status lack

	lack=$(lacks "$2")
	[ -z "$lack" ] || { skip "$1: $2" "$lack"; return; }
	if name=$(daemon_of "$2"); then
		daemon "$2"
	else
		name=command
		[[ $2 != make* ]] || run="cd $top && $2"
		timeout 120 bash -o pipefail -c "$run" >"$scratch/$name.out" \
			2>"$scratch/$name.log" </dev/null 3<&-
	fi
	status=$?
	[ $status = 0 ]
	ok "$1: $2" || {
		echo "# wanted status 0, got $status"
		show "$name"
	}
}
