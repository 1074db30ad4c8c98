#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# daemon.sh - gdimd in use: a SLAM feeds it over ROS 2 or from a recording,
# clients ask, it is killed and restarted

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../io/lib.sh"
. "$top/tests/e2e/gdim/lib.sh"
gdimd=$bin/gdimd feed=$bin/gdim-feed
socket=$scratch/gdimd.sock store=$scratch/site.db
gdimctl="$bin/gdimctl --socket $socket"
own_domain 61

[ "$(id -u)" = 0 ] && make_space || skip_all 'no network namespaces'

# start NAME ARGS: a daemon, $daemon is its pid
start()
{
	local name=$1

	shift
	(exec ip netns exec "$space" "$gdimd" --store "$store" \
		--socket "$socket" --http none "$@" >"$scratch/$name.out" \
		2>"$scratch/$name.err") &
	daemon=$!
	until_says nodes $gdimctl status
}

# end: as systemd would
end()
{
	kill "$daemon" 2>/dev/null
	wait "$daemon"
}

# has FILTER: of the JSON answer to the previous command
has() { jq -e "$1" <"$scratch/answer" >/dev/null || { sed 's/^/# /' \
	"$scratch/answer"; return 1; }; }

ask() { $gdimctl -j "$@" >"$scratch/answer" 2>"$scratch/err"; }

# feeds ARGS SINK: all submaps, a gas and a temperature, first drifted, then
# true
feeds()
{
	in_space "$feed" -s 60 -i 40 -l slam_submap -l temp_submap_fused \
		-g gas_A_submap_1 -c "$scratch/true.csv" "${@:1:$#-1}" \
		"$scratch/cells.i8" "$scratch/drifted.csv" "${@: -1}" \
		2>"$scratch/feed.err"
}

# expected contents of a store without a daemon, with the true poses
wanted()
{
	$bin/gdimctl --store "$scratch/want.db" import-submaps \
		"$scratch/cells.i8" --size 60x60 --resolution 0.05 --poses \
		"$scratch/true.csv" --layer slam_map >/dev/null
	$bin/gdimctl --store "$scratch/want.db" export \
		--out "$scratch/want.pgm"
	$bin/gdimctl --store "$scratch/want.db" export --rule max \
		--out "$scratch/want-max.pgm"
}

# until_fused: the maps have all submaps, where they are now
until_fused() { until_says '"to_fuse":0,' $gdimctl -j status; }

# is_map WANTED LAYER: its map is that of $scratch/WANTED.pgm
is_map()
{
	$gdimctl export --layer "$2" --out "$scratch/got.pgm" &&
		cmp "$scratch/$1.pgm" "$scratch/got.pgm"
}

# becomes WANTED LAYER: the same, soon; the last submaps and transforms of a
# recording are stored one by one
becomes()
{
	wait_for 60 is_map "$@" || is_map "$@"
}

test_recording()
{
	feeds "$scratch/run.mcap"
	ok 'a SLAM is recorded'
	start first --from "$scratch/run.mcap" --to "$scratch/out.mcap"
	ok 'a daemon takes a recording'
	until_says '24 submaps of 8 nodes, 8 of them placed' $gdimctl status
	ok 'all of it is stored'
	until_says '1 rooms' $gdimctl rooms
	ok 'rooms, too'
	wanted
	until_fused && becomes want slam_map
	ok 'the loop is closed: the map is that of the right poses'
	ask spot 2.5 0
	has '.layers.slam_map.value >= 5 and .layers.temp_map_fused.physical > 4
		and .layers.gas_A_map_1.unit == "ppm" and
		.gases.gas_A_map_1 > 40 and .temperature > 4'
	ok 'a spot has its values, also in degrees and ppm'
	ask spot 500 500
	has '[.layers[] | .value] | all(. == null)'
	ok 'nothing is known far away'
	ask room 3
	has '.name == "kitchen" and .layers.temp_map_fused.known_cells > 100 and
		.layers.gas_A_map_1.physical_max <= 1000'
	ok 'a room has means of what the maps know'
	ask layers
	has '[.layers[] | select(.submaps == 8) | .name] | sort ==
		["gas_A_map_1", "slam_map", "temp_map_fused"]'
	ok 'gases are layers when they come'
}

# refused TEXT COMMAND...: one line, exit status 1
refused()
{
	local text=$1

	shift
	! "$@" >"$scratch/no.out" 2>"$scratch/no.err" &&
		[ "$(wc -l <"$scratch/no.err")" = 1 ] &&
		[ ! -s "$scratch/no.out" ] && grep -qF -- "$text" \
		"$scratch/no.err" || { sed 's/^/# /' "$scratch"/no.*; false; }
}

test_reported()
{
	ask snapshot before
	path=$(jq -r .path "$scratch/answer")
	[ -s "$path" ] && grep -q 'room 3 kitchen' "${path%.mcap}.txt"
	ok 'a snapshot is a recording, and a text of rooms'
	pids=()
	for ((i = 0; i < 8; i++)); do
		$gdimctl -j snapshot "at_once_$i" >"$scratch/at_once.$i" 2>&1 &
		pids+=($!)
	done
	finish "${pids[@]}" &&
		[ "$(cat "$scratch"/at_once.* | grep -c '"path":')" = 8 ] || {
			sed 's/^/# /' "$scratch"/at_once.*
			false
		}
	ok 'eight that are asked for at once are all written'
	here_is snapshot "$copy" "$path" -
	for topic in output/slam_map output/temp_map_fused \
		output/gas_A_map_1 output/thermal_image; do
		grep -q "^/gdim/$topic " "$scratch/snapshot"
		ok "it has $topic"
	done
	! grep -q '^/gdim/log/slam_submap ' "$scratch/snapshot"
	ok 'and no submaps, as they mean nothing alone'
}

test_reported_more()
{
	ask rate slam_map 5
	has '.old_rate == 1 and .new_rate == 5'
	ok 'a rate changes, and the answer has the former one'
	refused "no topic 'foo'" $gdimctl rate foo 5
	ok 'no such topic'
	refused '0..100' $gdimctl rate slam_map 1000
	ok 'no such rate'
	refused 'no room 9' $gdimctl room 9
	ok 'no such room'
	refused 'letters' $gdimctl snapshot a/b
	ok 'a name that leads elsewhere'
	ask status
	n=$(jq .records.written "$scratch/answer")
	ask log on --hz 5
	until_says true written $((n + 3))
	ask log off
	until_says log_ ls "$store-logs"
	log=$(ls "$store-logs"/log_*.mcap | head -n 1)
	here_is log "$copy" "$log" -
	n=$(grep -c '^/gdim/output/slam_map ' "$scratch/log")
	[ "$n" -ge 3 ] && [ "$(grep -c '^/gdim/log/slam_submap ' \
		"$scratch/log")" = "$n" ]
	ok "a log has maps and submaps again and again"
	here_is graph "$copy" -k 11 -o /gdim/log/graph "$log" -
	grep -q 'nav_msgs/Path' "$scratch/graph"
	ok 'and the pose graph'
}

test_killed()
{
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null
	start second --from none --to none
	ok 'it is killed and comes back'
	until_says '24 submaps of 8 nodes' $gdimctl status
	becomes want slam_map
	ok 'with all that it had'
	$gdimctl verify | grep -q 'is intact'
	ok 'which is whole'
	refused 'writes it' timeout 20 "$gdimd" --store "$store" --socket \
		"$scratch/b.sock" --from none --to none --http none
	ok 'a second daemon may not have the same store'
	end
	ok 'it ends when it is asked to'
}

test_ros2()
{
	rm -f "$store"*
	start third --layer 'smoke_map_fused bits=16'
	ok 'a daemon in a ROS 2 domain'
	feeds -w 3 -n 5 -g smoke_submap_fused ros2
	ok 'a SLAM feeds it there'
	until_says '32 submaps of 8 nodes, 8 of them placed' $gdimctl status
	ok 'all of it came'
	becomes want slam_map
	ok 'the map is the same'
	# a late subscriber gets the last map
	PATIENCE=20 node late "$copy" -n 1 -t 15 -o /gdim/output/slam_map \
		ros2 -
	wait "$node"
	grep -q '^/gdim/output/slam_map nav_msgs/OccupancyGrid' \
		"$scratch/late"
	ok 'who comes late gets the map'
	here_is calls "$bin/service-node" call 60 1
	grep -qx 'rooms 5' "$scratch/calls"
	ok 'as many rooms as were reported'
	ask room 3
	smoke=$(jq '.layers.smoke_map_fused.mean * 100 | round' \
		"$scratch/answer")
	[ "$smoke" -gt 5 ] && grep -q "^room 1 .* averages 1 .* of 2 from .*,\
 $smoke 55 3, 2 names to \[gas_B_map_1\]$" "$scratch/calls" || {
		sed 's/^/# /' "$scratch/calls"; false; }
	ok 'a room: smoke of 16 bits is 0..100, what maps do not know was reported'
	end
}

# Late messages: the last submap of a robot that stands still, a map for a
# subscriber when nothing changes any more; and a map that is too large
test_late()
{
	local poses before updates sent

	rm -f "$store"*
	in_space "$feed" -s 60 -i 40 -oS "$scratch/cells.i8" \
		"$scratch/true.csv" "$scratch/stands.mcap" 2>"$scratch/feed.err"
	start late --from "$scratch/stands.mcap" --to "$scratch/late.mcap" \
		--match 0.5
	until_says '8 submaps of 8 nodes, 8 of them placed' $gdimctl status
	ok 'a submap does not wait for ever for a transform after it'
	awk -F, '$1 == 3 { print $1 "," $2 "," $3 ",0.05" }' \
		"$scratch/true.csv" >"$scratch/turned.csv"
	until_topic '.sent >= 1'
	# A change is an update while the last whole map is fresh. On a busy
	# machine it may be late and come as a whole map: then there is another
	# change
	for poses in turned true turned true; do
		before=$(topic .updates) sent=$(topic .sent)
		$gdimctl set-poses "$scratch/$poses.csv" >/dev/null
		until_topic ".updates > $before or .sent > $sent"
		{ read -r updates; read -r sent; } < <(topic '.updates, .sent')
		[ "$updates" -gt "$before" ] && break
	done
	[ "$updates" -gt "$before" ]
	ok 'a small change is an update'
	until_topic ".sent > $sent"
	ok 'and later the whole map again, with nothing new'
	sent=$(topic .sent)
	# a whole map follows its updates after 10 s
	pause 11
	[ "$(topic .sent)" = "$sent" ]
	ok 'but not once more'
	# twice, as the second such map could be logged again
	for x in 500000 600000; do
		sent=$(topic .sent)
		echo "0,$x,0,0" >"$scratch/far.csv"
		$gdimctl set-poses "$scratch/far.csv" >/dev/null
		until_topic ".coarser == 8 and .resolution == 0.4 and
			.sent > $sent"
	done
	ok 'a map that is too large goes out in larger cells, which status has'
	[ "$(grep -c 'slam_map is published in cells of 0.4 m: it has' \
		"$scratch/late.err")" = 1 ]
	ok 'and the log, once'
	$gdimctl export --layer slam_map --out "$scratch/far.pgm" \
		2>"$scratch/far.err" &&
		grep -qx 'resolution: 0.2' "$scratch/far.yaml" &&
		grep -q 'slam_map: written in cells of 0.2 m: too many cells' \
			"$scratch/far.err"
	ok 'it is exported so, too, with one line'
	ask snapshot far
	has '.left_out == null'
	ok 'and nothing is left out of a snapshot'
	rm -f "$scratch"/far.p* "$(jq -r .path "$scratch/answer")"
	$gdimctl set-poses "$scratch/true.csv" >/dev/null
	until_topic '.coarser == null and .resolution == 0.05' &&
		grep -q 'slam_map is published in cells of 0.05 m again' \
			"$scratch/late.err"
	ok 'until it is no longer'
	end
}

# topic FILTER: of the output slam_map
topic() { topic_of slam_map "$1"; }

# until_topic FILTER: wait until it is true
until_topic() { until_says true topic "$1"; }

# A daemon whose clock is 400 days behind those of the robots, and that restarts
# with such a clock
test_clock()
{
	rm -f "$store"*
	start behind
	feeds -w 3 -a 34560000 ros2
	until_says '24 submaps of 8 nodes, 8 of them placed' $gdimctl status
	ok 'all that comes from 400 days ahead is stored'
	ask status
	has '.in.refused == 0 and (.in.stamps_ahead - 34560000 | fabs) < 100'
	ok 'nothing is refused, and status says how far'
	end
	start behind2
	feeds -w 3 -a 34560100 ros2
	until_says true taken_anew
	ok 'also after a restart'
	[ "$(cat "$scratch"/behind.err "$scratch"/behind2.err |
		grep -c 'ahead of this machine.s clock: clocks differ')" = 2 ]
	ok 'the log has it, once each time'
	end
}

taken_anew() { ask status && jq '.in.submaps_stored >= 24 and
	.in.refused == 0' "$scratch/answer"; }

written() { ask status && jq ".records.written >= $1" "$scratch/answer"; }

none_refused()
{
	ask status
	has '.in.refused == 0'
	ok 'none is refused, though their nodes came later'
}

# Hazards as submaps, which arrive before their node is known, follow the graph
test_hazards()
{
	local layer

	rm -f "$store"*
	start hazards
	in_space "$feed" -s 60 -i 40 -w 3 -l hazard_map -l nav_cost_map \
		-l teleop_map -c "$scratch/true.csv" "$scratch/cells.i8" \
		"$scratch/drifted.csv" ros2 2>"$scratch/feed.err"
	until_says '24 submaps of 8 nodes, 8 of them placed' $gdimctl status
	ok 'hazards, costs and limits of teleoperation come as submaps'
	thorough none_refused
	for layer in hazard_map nav_cost_map teleop_map; do
		becomes want-max $layer
		ok "the loop is closed: $layer is that of the right poses"
	done
	end
}

# Damaged cells are reported, counted, and named in snapshots
test_damaged()
{
	rm -f "$store"*
	$bin/gdimctl --store "$store" import-submaps "$scratch/cells.i8" \
		--size 60x60 --resolution 0.05 --poses "$scratch/true.csv" \
		--layer slam_map >/dev/null
	python3 - "$store" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute('UPDATE submap SET cells = zeroblob(length(cells)) '
		   'WHERE id IN (3, 5)')
	db.commit()
	END
	start damaged --from none --to none
	until_says true is_damaged 2
	ok 'submaps that are damaged are counted'
	until_says 'damaged: 2 submaps' $gdimctl status
	ok 'and in the status that people read'
	$gdimctl layer slam_map rule=mean >/dev/null
	until_fused
	ask snapshot damaged
	path=$(jq -r .path "$scratch/answer")
	[ "$(grep -c '^damaged: slam_map of submap_[24]$' \
		"${path%.mcap}.txt")" = 2 ]
	ok 'a snapshot names them'
	[ "$(grep -c 'damaged cells: slam_map of submap_[24] is omitted' \
		"$scratch/damaged.err")" = 2 ] &&
		[ "$(grep -c 'damaged cells' "$scratch/damaged.err")" = 2 ]
	ok 'and the log, each once'
	$gdimctl import-submaps "$scratch/cells.i8" --size 60x60 \
		--resolution 0.05 --poses "$scratch/true.csv" --layer \
		slam_map >/dev/null
	until_says true is_damaged 0
	ok 'until newer ones come'
	end
}

is_damaged() { ask status && jq ".damaged == $1" "$scratch/answer"; }

# grids TOPIC SOURCE: its messages, as JSON, the last one in $scratch/answer
grids()
{
	rm -rf "$scratch/grids"
	mkdir "$scratch/grids"
	here_is grids.out "$copy" -o "$1" "$2" "$scratch/grids/"
	find "$scratch/grids" -name "*.json" | sort | tail -n 1 |
		xargs cat >"$scratch/answer"
	[ -s "$scratch/answer" ]
}

# A grid map that arrives with two layers is published with two, also after a
# restart and in recordings
test_gases()
{
	local time

	rm -f "$store"*
	in_space "$feed" -s 60 -i 40 -G -g gas_A_submap_1 \
		"$scratch/cells.i8" "$scratch/true.csv" "$scratch/gases.mcap" \
		2>"$scratch/feed.err"
	for time in first again; do
		if [ $time = first ]; then
			start gases --from "$scratch/gases.mcap" --to \
				"$scratch/gases.out.mcap"
		else
			start gases --from none --to "$scratch/gases.$time.mcap"
		fi
		until_says '16 submaps of 8 nodes, 8 of them placed' \
			$gdimctl status
		until_says true topic_of gas_A_map_1 '.sent >= 1'
		ok "two gases of one message: stored, $time"
		ask status
		has '[.out.topics[].name | select(test("gas"))] ==
			["/gdim/output/gas_A_map_1"]'
		ok "they go out as one topic, $time"
		ask snapshot gases
		path=$(jq -r .path "$scratch/answer")
		end
	done
	for time in "$scratch/gases.out.mcap" "$scratch/gases.again.mcap" \
		"$path"; do
		grids /gdim/output/gas_A_map_1 "$time" &&
		has '(.layers | sort) == ["CO", "H2"] and (.data | length) == 2
			and (.layers as $l | .data as $d |
			[range(2)] | map({key: $l[.], value: $d[.].data}) |
			from_entries | map_values(map(. * 100 | round)) |
			(.CO | max) == 90 and (.CO | min) == -100 and
			(.H2 | max) == 45 and ([.CO, .H2] | transpose |
			all((.[0] == 90) == (.[1] == 45))))'
		ok "as one grid map of two layers: ${time##*/}"
	done
}

# topic_of NAME FILTER: of the output of that name
topic_of()
{
	ask status
	jq ".out.topics[] | select(.name | endswith(\"/$1\")) | $2" \
		"$scratch/answer"
}

# Changes of the store are kept after a restart
test_changed()
{
	rm -f "$store"*
	start changed --from none --to none
	$gdimctl layer slam_map rule=mean >/dev/null &&
		$gdimctl layer temp_map_fused range=0:500 >/dev/null &&
		$gdimctl layer engine role=temperature >/dev/null
	ok 'layers are changed'
	end
	start again --from none --to none --layer 'slam_map rule=min'
	ask layers
	has '[.layers[] | select(.name == "slam_map").rule == "mean"] | any'
	ok 'the store counts more than the settings'
	has '[.layers[] | select(.name == "temp_map_fused").high == 500] | any'
	ok 'and than defaults'
	has '[.layers[] | select(.name == "engine").rule == "mean"] | any'
	ok 'a role has a rule'
	[ "$(grep -c "kept as stored; .* gdimctl layer slam_map rule=min" \
		"$scratch/again.err")" = 1 ] &&
		[ "$(grep -c 'kept as stored' "$scratch/again.err")" = 1 ]
	ok 'one line says so, and what to do'
	end
	start ranged --from none --to none --maxTemp 800
	ask layers
	has '[.layers[] | select(.name == "temp_map_fused").high == 800] | any'
	ok 'a range that is given is that from now on'
	grep -q 'temp_map_fused: range set to 0:800 .* was 0:500' \
		"$scratch/ranged.err"
	ok 'which is logged'
	end
}

refused_some() { ask status && jq '.in.refused > 0 and .submaps == 8' \
	"$scratch/answer"; }

# The file is deleted while the daemon uses it
test_lost()
{
	rm -f "$store"*
	start lost
	$gdimctl import-submaps "$scratch/cells.i8" --size 60x60 --resolution \
		0.05 --poses "$scratch/true.csv" --layer slam_map >/dev/null
	ok 'a store'
	rm -f "$store" "$store-wal" "$store-shm"
	refused 'deleted or replaced' $gdimctl set-poses "$scratch/drifted.csv"
	ok 'poses that cannot be stored are refused'
	refused 'deleted or replaced' $gdimctl layer slam_map rule=mean
	ok 'and layers'
	refused 'deleted or replaced' $gdimctl import-submaps \
		"$scratch/cells.i8" --size 60x60 --resolution 0.05 --poses \
		"$scratch/true.csv" --layer slam_map --frame other_
	ok 'and submaps'
	ask status
	has '.store_lost and .submaps == 8'
	ok 'status has it, and what was known is known'
	feeds -w 3 ros2
	until_says true refused_some
	ok 'what a SLAM sends is refused and counted'
	[ "$(grep -c 'deleted or replaced' "$scratch/lost.err")" = 1 ]
	ok 'the log, too, once'
	end
}

# The daemon does the same to its store as the offline commands
test_imported()
{
	rm -f "$store"*
	start fourth --from none --to none
	ask import-submaps "$scratch/cells.i8" --size 60x60 --resolution 0.05 \
		--poses "$scratch/drifted.csv" --layer slam_map
	has '.submaps == 8 and .known_cells > 8000'
	ok 'a daemon imports submaps'
	ask set-poses "$scratch/true.csv"
	has '.poses == 8 and (.to_fuse | numbers) <= 8 and (has("fused_ms") | not)'
	ok 'and moves them'
	until_fused
	ok 'and fuses them afterwards'
	$gdimctl export --layer slam_map --out "$scratch/moved.pgm" &&
		cmp "$scratch/want.pgm" "$scratch/moved.pgm"
	ok 'the map is that of the right poses'
	refused 'no submap' $gdimctl set-poses "$scratch/true.csv" --frame x
	ok 'poses of others are refused'
	$gdimctl layer slam_map rule=mean && ask layers &&
		has '.layers[] | select(.name == "slam_map") | .rule == "mean"'
	ok 'a layer becomes another one'
	end
}

test_refused()
{
	local bad status

	for bad in '--rate x' '--frame' '--layer "slam red"' \
		'--layer "a/b unit=m"' '--remap foo' '--log 100' '--store' \
		'--match never' '--config /none' 'more' '--rate 1e-9' \
		'--minTemp 100 --maxTemp 0' '--minSignal 5'; do
		eval "timeout 20 $gdimd --store $scratch/no.db $bad" \
			>/dev/null 2>"$scratch/bad.err"
		status=$?
		[ $status = 2 ] && [ "$(wc -l <"$scratch/bad.err")" = 1 ] &&
			[ ! -e "$scratch/no.db" ]
		ok "refused: $bad"
	done
	printf 'rate = 1\n[gdimd]\n' >"$scratch/early.conf"
	! timeout 20 "$gdimd" --store "$scratch/no.db" --config \
		"$scratch/early.conf" 2>"$scratch/bad.err" &&
		grep -qF 'rate = is before the first [section]' \
			"$scratch/bad.err"
	ok 'a setting before its section'
	refused '--socket selects' timeout 20 "$gdimd" --store \
		"$scratch/no.db" --socket /proc/none/x --http none &&
		[ ! -e "$scratch/no.db" ]
	ok 'no socket: the option is named, and no store is made'
	start rates --from none --to none
	refused '0.001..100' $gdimctl rate slam_map 1e-300
	ok 'once in a universe is no rate'
	ask rate slam_map 0
	has '.new_rate == 0'
	ok 'but never is'
	end
}

# A layer that is recreated with another depth: its map has another type
test_bits()
{
	rm -f "$store"*
	"$bin/gdimctl" --store "$store" layer gas_A_map_1 role=gas bits=8 \
		>/dev/null
	start bits
	ask remove layer gas_A_map_1
	feeds -w 3 -n 5 ros2
	until_says ' of 8 nodes, 8 of them placed' $gdimctl status
	ask layers
	has '.layers[] | select(.name == "gas_A_map_1") | .bits == 16 and
		.submaps == 8'
	ok 'a layer that was removed comes back, with other bits'
	PATIENCE=20 node late "$copy" -n 1 -t 15 \
		-o /gdim/output/gas_A_map_1 ros2 -
	wait "$node"
	grep -q '^/gdim/output/gas_A_map_1 grid_map_msgs/GridMap' \
		"$scratch/late"
	ok 'its map goes out as what it is now'
	end
}

# The disk fails: the client gets the error, and so does the log. As far as
# SQLite can see a limit of the size of files is such a failure
test_disk()
{
	rm -f "$store"*
	if ! env --ignore-signal=XFSZ true 2>/dev/null; then
		skip "a disk that fails" "no env --ignore-signal"
		return
	fi
	(exec env --ignore-signal=XFSZ ip netns exec "$space" "$gdimd" \
		--store "$store" --socket "$socket" --http none --from none \
		--to none >"$scratch/disk.out" 2>"$scratch/disk.err") &
	daemon=$!
	until_says nodes $gdimctl status
	prlimit --pid "$daemon" --fsize=4096:
	! ask layer warm role=temperature &&
		grep -q 'disk I/O error' "$scratch/err"
	ok "the disk fails: the client gets the error"
	grep -q 'disk I/O error' "$scratch/disk.err"
	ok "and so is the log" || sed 's/^/# /' "$scratch/disk.err"
	prlimit --pid "$daemon" --fsize=unlimited:
	ask status
	has '.io_errors > 0' && ask layer warm role=temperature
	ok "it is counted, and goes on"
	end
}

make_input
test_recording
test_reported
thorough test_reported_more
test_killed
test_ros2
test_hazards
test_imported
test_disk
thorough test_bits test_gases test_clock test_damaged test_late test_changed \
	test_lost test_refused
done_testing
