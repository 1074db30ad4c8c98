#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# foxglove.sh - optsample-view and the Foxglove protocol's own client and
# decoders: messages, replay, parameters, services, assets, errors
#
# Prints TAP. npm.sh needs the network, once.

there=$(dirname -- "${BASH_SOURCE[0]}")
why=$("$there/npm.sh") || {
	printf '%s\n' "ok 1 # SKIP clients of others: $why" 1..1
	exit 0
}
. "$there/lib.sh"
port=8765

# part NAME PROTOCOL... of foxglove.js
part()
{
	local name=$1

	shift
	checks "$name${1:+ ($1)}" node "$here/foxglove.js" "$name" $port "$@"
}

sdk=foxglove.sdk.v1 ws=foxglove.websocket.v1
"$bin/test_io" "$scratch/kinds.mcap" &&
	"$bin/io-copy" -x 1000 "$scratch/kinds.mcap" "$scratch/kinds.bag" \
		>/dev/null 2>&1 &&
	"$bin/io-copy" -x 1000 "$scratch/kinds.mcap" - >"$scratch/kinds" \
		2>/dev/null
ok "a recording of each kind of message, $(wc -l <"$scratch/kinds") in all" ||
	exit 1
for recording in bag:ros1 mcap:cdr; do
	view "$scratch/kinds.${recording%:*}"
	ok "optsample-view kinds.${recording%:*}" || show "$scratch/view.log"
	for protocol in $sdk $ws; do
		part messages $protocol ${recording#*:} "$scratch/kinds" \
			"$scratch/ros1.json"
	done
	part graph "$scratch/kinds"
	end view; ok "SIGTERM: status 0"
done

# ---- a recording of 12 s ----

"$bin/view-bag" "$scratch/long.mcap" 12 1 20000 more &&
	"$bin/view-bag" "$scratch/long.bag" 12 1 20000 more &&
	"$bin/view-bag" "$scratch/short.mcap" 3 1 1000 more
ok "recordings with kept messages and maps"
for type in mcap bag; do
	view "$scratch/long.$type"
	part replay 12
	end view; ok "SIGTERM: status 0"
done
mkdir -p "$scratch/assets/robot/meshes"
head -c 300000 /dev/urandom >"$scratch/assets/robot/meshes/arm.dae"
echo secret >"$scratch/secret"
ln -s ../../secret "$scratch/assets/robot/link"
mkfifo "$scratch/assets/robot/fifo"
view --loop --assets "$scratch/assets" "$scratch/short.mcap"
part loop 3
part band
part assets "$scratch/assets/robot/meshes/arm.dae"
part statuses
end view; ok "SIGTERM: status 0"

# ---- a robot that listens ----

view --listen 7450
begin robot "$bin/optsample-send" --name robot --device no --to 127.0.0.1 \
	--loop "$scratch/short.mcap"
for protocol in $ws $sdk; do
	part parameters $protocol robot
done
end robot; ok "the robot ends"
end view; ok "SIGTERM: status 0"

# ---- services of gdimd ----

make_input
"$bin/gdimctl" --store "$scratch/site.db" import-submaps --layer slam_map \
	--size 60x60 --resolution 0.1 --poses "$scratch/true.csv" \
	"$scratch/cells.i8" >"$scratch/import" 2>&1
ok "a map is imported" || show "$scratch/import"
begin gdimd "$bin/gdimd" --from none --to none --store "$scratch/site.db" \
	--socket "$scratch/gdimd.sock" --http 127.0.0.1:8460
until_says '8 of them placed' "$bin/gdimctl" --socket "$scratch/gdimd.sock" status
ok "gdimd has it"
view --gdim 127.0.0.1:8460 "$scratch/long.mcap"
begin asks node "$here/foxglove.js" services $port slam_map \
	http://127.0.0.1:8460 "$scratch/gone"
wait_for 120 grep -q '^ready\|^not ok' "$scratch/asks.out"
end gdimd; ok "gdimd ends"
touch "$scratch/gone"
wait "${pid[asks]}"
status=$?
unset 'pid[asks]'
checks services eval "grep -v ^ready $scratch/asks.out; [ $status = 0 ]"
end view; ok "SIGTERM: status 0"
done_testing
