#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# faults.sh [--full] - slamd is killed at any moment and continues from its
# checkpoint: the same bits as an undisturbed run
#
# Alone, with workers in threads, and over RabbitMQ; with a different number of
# workers than before; live; several robots on the same workers; invalid
# checkpoints. --full: 20 workers in network namespaces with slow links, of
# which one is killed, one stopped; the broker is killed, and the coordinator's
# link is cut. Prints TAP. BIN: folder of the programs. Tests that need RabbitMQ
# or privileges are skipped without.
#
# The moment of a kill is not exact, and need not be: the result is always the
# same.

cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.." || exit 1
. tests/lib/tap.sh
. tests/e2e/slam/rabbit.sh
. tests/e2e/slam/says.sh
bin=$(realpath "${BIN:-build/bin}")
full=; [ "${1-}" != --full ] || full=1
d=$scratch
pids=() spaces=()

end_all()
{
	local p

	kill -CONT "${pids[@]}"
	kill -9 "${pids[@]}"
	rabbit_stop
	for p in "${spaces[@]}"; do
		ip netns del "$p"
	done
	rm -rf -- "$scratch"
} 2>/dev/null
trap end_all EXIT
trap 'exit 130' INT TERM

# Short enough to repeat it often, long enough to be killed in the middle
"$bin/slam-world" 60 >"$d/whole.clf" && head -n 250 "$d/whole.clf" >"$d/w.clf" &&
	"$bin/log-bag" "$d/w.clf" "$d/w.mcap"
ok "a log"
settings=(--particles 40 --seed 5 --resample 0.8 --distance 0.15 --quiet)

# begin NAME ARGS...: slamd in the background, $slamd is its pid
begin()
{
	local name=$1

	shift
	: >"$d/$name"
	# exec, so that the kill hits slamd itself
	(exec "$bin/slamd" "${settings[@]}" --trajectory "$d/$name.tum" \
		--stats "$d/$name.json" "$@" >"$d/$name" 2>&1) &
	slamd=$!
	pids+=($slamd)
}

# run NAME ARGS...: until it ends
run()
{
	begin "$@"
	wait $slamd
}

# same NAME [OTHER]: the trajectory is that of a run without faults
same()
{
	cmp "$d/${2-whole}.tum" "$d/$1.tum" && return
	tail -n 3 "$d/$1" | sed 's/^/# /'
	return 1
}

size() { stat -c %s "$1" 2>/dev/null || echo 0; }

# grown FILE BYTES: for a minute at most, while slamd runs
grown()
{
	interval=0.01 wait_for 60 eval \
		"[ \$(size '$1') -ge $2 ] || ! kill -0 $slamd"
	[ "$(size "$1")" -ge "$2" ]
}

slay()
{
	kill -9 "$1"
	wait "$1"
} 2>/dev/null

run whole --log "$d/w.clf" --checkpoint "$d/whole.ckpt"
ok "a run, with a checkpoint"
run plain --log "$d/w.clf" && same plain
ok "without one: the same bits"
bytes=$(size "$d/whole.ckpt")

# beaten NAME ARGS...: killed again and again, each time after it wrote some
# more, until it finishes
beaten()
{
	local name=$1 kills=0 at=1

	shift
	rm -f "$d/$name.ckpt"
	while ((at < bytes)); do
		begin "$name" --checkpoint "$d/$name.ckpt" --resume "$@"
		grown "$d/$name.ckpt" $at || {
			wait $slamd && break
			tail -n 3 "$d/$name" | sed 's/^/# /'
			return 1
		}
		slay $slamd
		kills=$((kills + 1))
		at=$(($(size "$d/$name.ckpt") + bytes / 6 + RANDOM % 2000))
	done
	run "$name" --checkpoint "$d/$name.ckpt" --resume "$@" || {
		tail -n 3 "$d/$name" | sed 's/^/# /'
		return 1
	}
	echo "# killed $kills times, $(jq .resumed "$d/$name.json") readings resumed"
	[ $kills -gt 0 ] && same "$name" && cmp "$d/whole.ckpt" "$d/$name.ckpt"
}

# Any length that a file can have after a crash of the process or the machine
for n in 1 2 3 4 5 6 7 8; do
	cut=$((200 + (bytes - 200) * n / 8 - RANDOM % 200))
	head -c $cut "$d/whole.ckpt" >"$d/cut.ckpt"
	[ $((n % 2)) = 0 ] || head -c $((RANDOM)) /dev/zero >>"$d/cut.ckpt"
	run cut --log "$d/w.clf" --checkpoint "$d/cut.ckpt" --resume &&
		same cut && cmp "$d/whole.ckpt" "$d/cut.ckpt" &&
		[ "$(jq '.resumed + .readings' "$d/cut.json")" = 250 ] &&
		[ "$(grep -c . "$d/cut")" -le 1 ]
	ok "a checkpoint that ends at byte $cut: the same bits"
done
beaten alone --log "$d/w.clf"
ok "kill -9 in one process"
beaten threads --log "$d/w.clf" --engine threads --workers 3
ok "with workers in threads"

# gone_on NAME CHECKPOINT ARGS...: continue another one's checkpoint
gone_on()
{
	local name=$1

	head -c $((bytes / 2)) "$2" >"$d/$name.ckpt"
	shift 2
	run "$name" --log "$d/w.clf" --checkpoint "$d/$name.ckpt" --resume "$@" &&
		same "$name" && [ "$(jq .resumed "$d/$name.json")" -gt 50 ]
}
gone_on more "$d/alone.ckpt" --engine threads --workers 5
ok "goes on with more workers"
gone_on fewer "$d/threads.ckpt" --threads 1
ok "and alone with what workers began"

# Live: killed while readings arrive, continues with later ones
live()
{
	begin live --from "$d/w.mcap" --speed "$1" --laser 0,0,0 \
		--checkpoint "$d/live.ckpt" --resume
}
live 10
grown "$d/live.ckpt" $((bytes / 8))
slay $slamd
rm "$d/w.mcap"
"$bin/log-bag" "$d/whole.clf" "$d/w.mcap" 150 200
live 10
wait $slamd
was=$(jq .resumed "$d/live.json")
[ "$was" -gt 5 ] && [ "$(jq .readings "$d/live.json")" = 200 ] &&
	[ "$(wc -l <"$d/live.tum")" = $((was + 200)) ] &&
	[ "$(jq .odometry_jumps "$d/live.json")" -le 1 ]
ok "live: goes on after $was readings with new ones"
cp "$d/live.tum" "$d/before.tum"
live 1000000 # the recording once more, now completely in the checkpoint
wait $slamd && [ "$(jq .resumed "$d/live.json")" = $((was + 200)) ]
ok "and again"

# Checkpoints that cannot be continued

# refused PATTERN ARGS...: one line, status 1, and the file is unchanged
refused()
{
	local pattern=$1 file=$2 sum

	shift
	sum=$(cksum "$file" 2>&1)
	run refused --log "$d/w.clf" --checkpoint "$@"
	[ $? = 1 ] && [ "$(grep -c . "$d/refused")" = 1 ] &&
		grep -q -- "$pattern" "$d/refused" &&
		[ "$(cksum "$file" 2>&1)" = "$sum" ] && return
	sed 's/^/# /' "$d/refused"
	return 1
}
refused "resume" "$d/whole.ckpt"
ok "refused: one that exists, without --resume"
refused "other settings" "$d/whole.ckpt" --resume --seed 6
ok "refused: other settings"
refused "not a checkpoint" "$d/w.clf" --resume
ok "refused: something else"
refused "irectory" "$d" --resume
ok "refused: a folder"
refused "No such file" "$d/none/x"
ok "refused: in a folder there is not"
cp "$d/whole.ckpt" "$d/flip.ckpt"
printf '\x55\xaa' | dd of="$d/flip.ckpt" bs=1 seek=$((bytes / 2)) conv=notrunc \
	status=none
refused "is damaged at byte" "$d/flip.ckpt" --resume
ok "refused: damaged in the middle"
head -n 100 "$d/whole.clf" | tail -n 50 >"$d/part.clf"
cp "$d/whole.ckpt" "$d/log.ckpt"
run refused --log "$d/part.clf" --checkpoint "$d/log.ckpt" --resume
[ $? = 1 ] && grep -q "belongs to another log" "$d/refused" &&
	cmp "$d/whole.ckpt" "$d/log.ckpt"
ok "refused: of another log"
begin holder --from "$d/w.mcap" --speed 0.5 --laser 0,0,0 \
	--checkpoint "$d/held.ckpt"
grown "$d/held.ckpt" 200
run refused --log "$d/w.clf" --checkpoint "$d/held.ckpt" --resume
[ $? = 1 ] && grep -q "in use by another slamd" "$d/refused"
ok "refused: another process has it"
slay $slamd

# on_disk SIZE RIGHTS: a small or a read-only disk
on_disk()
{
	unshare -m bash -s -- "$bin/slamd" "$d" "$1" "$2" "${settings[@]}" <<-'END'
	slamd=$1 d=$2
	mkdir -p "$d/disk" &&
		mount -t tmpfs -o "size=$3,$4" none "$d/disk" 2>/dev/null ||
		exit 77
	shift 4
	"$slamd" "$@" --log "$d/w.clf" --checkpoint "$d/disk/c" \
		--trajectory "$d/disked.tum" >"$d/disked" 2>&1
	status=$?
	cp "$d/disk/c" "$d/disked.ckpt" 2>/dev/null
	exit $status
	END
}
# whether a disk can be made here
disks()
{
	unshare -m mount -t tmpfs -o size=64k none "$d/there" 2>/dev/null
}
mkdir "$d/there"
if ! disks; then
	true
	ok "a disk that gets full # SKIP no mounts here"
else
	on_disk 64k rw && same disked && [ "$(grep -c . "$d/disked")" = 1 ] &&
		grep -q "No space.*no further checkpoints" "$d/disked"
	ok "a disk that gets full: one warning, and it goes on"
	run disked --log "$d/w.clf" --checkpoint "$d/disked.ckpt" --resume &&
		same disked && [ "$(jq .resumed "$d/disked.json")" -gt 2 ]
	ok "what was on it is good"
	on_disk 64k ro
	[ $? = 1 ] && [ "$(grep -c . "$d/disked")" = 1 ] &&
		grep -q "Read-only" "$d/disked"
	ok "one that is not to be written: refused"
fi

if ! have_rabbit; then
	ok "no RabbitMQ here # SKIP"
	done_testing
	exit
fi

#
# RabbitMQ
#

# worker NAME ARGS...: $worker is its pid
worker()
{
	local name=$1

	shift
	: >"$d/$name"
	(exec "$bin/slam-worker" --engine "$rabbit_url" --threads 1 "$@" \
		>"$d/$name" 2>&1) &
	worker=$!
	pids+=($worker)
}

rabbit_start
ok "a broker"
worker w1
first=$worker
worker w2
beaten broker --log "$d/w.clf" --engine "$rabbit_url" --workers 2
ok "kill -9 of the coordinator over RabbitMQ"
slay $first
worker w3
worker w4
gone_on others "$d/broker.ckpt" --engine "$rabbit_url" --workers 3
ok "goes on with other workers, and more"
begin waits --from "$d/w.mcap" --laser 0,0,0 --engine "$rabbit_url" \
	--workers 30 --checkpoint "$d/waits.ckpt"
# it checks for signals once this exists
grown "$d/waits.ckpt" 100
# a second of the recording, of which nothing says that it was read
pause 1
kill -TERM $slamd
wait $slamd
[ $? = 1 ] && grep -q "none of [0-9]* waiting scans was used" \
	"$d/waits" && [ ! -e "$d/waits.tum" ] && [ ! -e "$d/waits.ckpt" ]
ok "live: a signal while it waits for workers: none of the scans was used"
begin gone --from "$d/w.mcap" --speed 5 --laser 0,0,0 --job gone \
	--engine "$rabbit_url" --checkpoint "$d/gone.ckpt"
worker gone1 --job gone
grown "$d/gone.ckpt" 5000
slay $worker
# it waits again, holding a scan
says gone "worker [0-9]* left"
kill -TERM $slamd
wait $slamd
[ $? = 1 ] && grep -q " [1-9][0-9]* waiting scans were not used" \
	"$d/gone" && [ "$(jq .unused "$d/gone.json")" -gt 0 ] &&
	[ "$(wc -l <"$d/gone.tum")" = "$(jq .readings "$d/gone.json")" ] &&
	[ -s "$d/gone.tum" ]
ok "live: likewise when they are gone: the rest is written"

# Another version, by changing a string in the program
version=$("$bin/slam-worker" --version)
version=${version##* }
other=$(tr 0-9 1-90 <<<"$version")
sed "s/\x00${version//./\\.}\x00/\x00$other\x00/g" "$bin/slam-worker" \
	>"$d/slam-worker" && chmod +x "$d/slam-worker"
if [ "$("$d/slam-worker" --version)" = "slam-worker $other" ]; then
	begin version --from "$d/w.mcap" --speed 0.5 --laser 0,0,0 --job version \
		--engine "$rabbit_url"
	timeout 60 "$d/slam-worker" --engine "$rabbit_url" --job version \
		>"$d/older" 2>&1
	[ $? = 1 ] && [ "$(grep -c 'slam-worker: ' "$d/older")" = 1 ] &&
		grep -q "$version" "$d/older" && grep -q "$other" "$d/older"
	ok "a worker of another version ends with one line"
	sed 's/^/# /' "$d/older"
	slay $slamd
else
	true
	ok "the version is no string in it # SKIP"
fi

# Several robots at once

worker both1 --job anna --job berta
worker both2 --job anna --job berta
both=$worker
begin anna --log "$d/w.clf" --job anna --engine "$rabbit_url" --workers 2
anna=$slamd
begin berta --log "$d/w.clf" --job berta --engine "$rabbit_url" --workers 2 \
	--seed 6
berta=$slamd
wait $anna && wait $berta && same anna && [ -s "$d/berta.tum" ] &&
	! cmp -s "$d/anna.tum" "$d/berta.tum"
ok "two robots on the same workers"
run berta1 --log "$d/w.clf" --seed 6 && same berta berta1
ok "each has its own bits"
[ "$(jq .workers.joined "$d/anna.json")" = 2 ] &&
	[ "$(jq .workers.joined "$d/berta.json")" = 2 ] &&
	says both2 "anna: joined" && says both2 "berta: joined"
ok "each had both"
begin anna --log "$d/w.clf" --job anna --engine "$rabbit_url" --workers 2
kill -TERM $both
wait $both
[ $? = 0 ]
ok "SIGTERM ends a worker of two jobs"
worker both3 --job anna --job berta
wait $slamd && same anna
ok "which another one takes the place of"
rabbit_kill
(exec "$bin/slam-worker" --engine "$rabbit_url" --job a --job b \
	>"$d/unreachable" 2>&1) &
worker=$!
pids+=($worker)
says unreachable "broker" 2
kill -TERM $worker
wait $worker
[ $? = 0 ] && [ "$(grep -c . "$d/unreachable")" = 2 ]
ok "a signal while there is no broker"
sed 's/^/# /' "$d/unreachable"
for bad in "2 --job a --job a" "2 --job a/b" "2 --job"; do
	status=${bad%% *} bad=${bad#* }
	# shellcheck disable=SC2086
	"$bin/slam-worker" --engine "$rabbit_url" --wait 0s $bad >"$d/bad" 2>&1
	[ $? = "$status" ] && [ "$(grep -c . "$d/bad")" = 1 ]
	ok "refused: $bad"
	sed 's/^/# /' "$d/bad"
done

if [ ! "$full" ]; then
	done_testing
	exit
fi

#
# 20 workers, each in a network namespace behind 20 Mbit/s
#

workers=20 ns=faults-$$

# space I: namespace number I, with the address 10.77.0.I, on the bridge of the
# broker's
space()
{
	local i=$1

	ip netns add $ns-$i && spaces+=($ns-$i) &&
		ip -n $ns-0 link add v$i type veth peer name eth0 netns $ns-$i &&
		ip -n $ns-0 link set v$i master br0 up &&
		ip -n $ns-$i addr add 10.77.0.$((i + 1))/24 dev eth0 &&
		ip -n $ns-$i link set eth0 up && ip -n $ns-$i link set lo up &&
		ip netns exec $ns-$i tc qdisc add dev eth0 root tbf \
			rate 20mbit burst 32k latency 200ms &&
		ip netns exec $ns-0 tc qdisc add dev v$i root tbf \
			rate 20mbit burst 32k latency 200ms
}

spaces+=($ns-0)
ip netns add $ns-0 && ip -n $ns-0 link set lo up &&
	ip -n $ns-0 link add name br0 type bridge &&
	ip -n $ns-0 addr add 10.77.0.1/24 dev br0 && ip -n $ns-0 link set br0 up
links=0
for ((i = 1; i <= workers + 1; i++)); do
	space $i && links=$((links + 1))
done
[ $links -gt $workers ]
ok "$workers thin links"

# Programs that listen on all addresses get their own namespace
rabbit_settings
sed -i 's/^listeners.*/listeners.tcp.1 = 0.0.0.0:'"$rabbit_port/" \
	"$rabbit_home/rabbit.conf"
rabbit_url=amqp://robot:secret@10.77.0.1:$rabbit_port/%2f
eval "outer_$(declare -f rabbit_env)"
rabbit_env() { outer_rabbit_env ip netns exec $ns-0 "$@"; }
[ -z "$epmd_pid" ] || { kill "$epmd_pid" && wait "$epmd_pid"; } 2>/dev/null
ip netns exec $ns-0 env ERL_EPMD_PORT="$rabbit_epmd" epmd -address 127.0.0.1 \
	>/dev/null 2>&1 &
epmd_pid=$!

# up: whether the broker accepts connections
up() { ip netns exec $ns-0 bash -c ": </dev/tcp/10.77.0.1/$rabbit_port" 2>/dev/null; }

broker()
{
	wait_for 10 rabbit_is_forgotten
	rabbit_env setsid /usr/lib/rabbitmq/bin/rabbitmq-server \
		>"$rabbit_home/log/out" 2>&1 &
	rabbit_pid=$!
	wait_for 120 up
	rabbit_env timeout 120 /usr/lib/rabbitmq/bin/rabbitmqctl -q \
		await_startup >/dev/null 2>&1
}

# far I: worker number I
far()
{
	local i=$1

	(exec ip netns exec $ns-$i "$bin/slam-worker" --engine "$rabbit_url" \
		--threads 1 >"$d/far$i" 2>&1) &
	worker=$!
	pids+=($worker)
}

broker && up
ok "a broker behind them"
declare -A pid_of
for ((i = 1; i <= workers; i++)); do
	far $i
	pid_of[$i]=$worker
done
settings=(--particles 100 --seed 5 --resample 0.8 --distance 0.15)
run one --log "$d/w.clf" --quiet
ok "a run without them"

# coordinator NAME: in the last namespace
coordinator()
{
	local name=$1

	: >"$d/$name"
	(exec ip netns exec $ns-$((workers + 1)) "$bin/slamd" "${settings[@]}" \
		--log "$d/w.clf" --verbose --engine "$rabbit_url" \
		--workers $workers --trajectory "$d/$name.tum" \
		--stats "$d/$name.json" --checkpoint "$d/$name.ckpt" \
		--resume >"$d/$name" 2>&1) &
	slamd=$!
	pids+=($slamd)
}

# ends NAME: with status 0, within ten minutes, with the same bits
ends()
{
	wait_for 600 eval "! kill -0 $slamd" ||
		{ echo "# $1 hangs" && return 1; }
	wait $slamd && same "$1" one
}
begun='^ *[1-9][0-9]* %'

coordinator far
ends far
ok "$workers workers: the same bits"
coordinator lost
says lost "$begun"
slay ${pid_of[3]}
says lost 'worker [0-9]* left' && ends lost
ok "one is killed"
far 3
coordinator stopped
says stopped "$begun"
kill -STOP ${pid_of[7]}
says stopped 'worker [0-9]* left'
ends stopped
ok "one is stopped"
kill -CONT ${pid_of[7]}
coordinator severed
says severed "$begun"
ip -n $ns-$((workers + 1)) link set eth0 down
pause 5
ip -n $ns-$((workers + 1)) link set eth0 up
ends severed
ok "the coordinator's link is cut for 5 s"
coordinator restart
says restart "$begun"
rabbit_kill
broker
ends restart
ok "the broker is killed and comes back"
coordinator beaten
says beaten "$begun"
slay $slamd
coordinator beaten
ends beaten && [ "$(jq .resumed "$d/beaten.json")" -gt 0 ]
ok "the coordinator is killed, and resumes"
done_testing
