#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# layers.sh - no folder of userspace/ includes a header of a higher layer
#
# usage: layers.sh [DIRECTORY]	instead of userspace
#
# The layers, lowest first, are those of Documentation/architecture.md. Folders
# of one line are independent of each other; a subfolder of a program is part of
# it. Prints TAP.

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh

layers='base
codec/core
codec/image codec/cloud codec/grid
codec/scan formats
ros/msg
ros/bag ros/ros1
ros/io
link laser cluster netdev topics
map/fusion
map/layer
map/store
map/site
map/io
map/ros
map/record
transport slam/filter
slam/workers slam/graph
slam/output
view
apps/* plugin/*'

# violations DIRECTORY: a line for each include that does not go down
violations()
{
	(cd -- "$1" && grep -rHE '^[[:space:]]*#[[:space:]]*include "' \
		--include='*.[ch]' --include='*.[ch]pp' .) |
	awk -v layers="$layers" '
	function folder(path) {
		sub(/\/?[^\/]*$/, "", path)
		if (match(path, /^apps\/[^\/]+/))
			path = substr(path, 1, RLENGTH)
		return path
	}
	function layer(f) {
		return f in of ? of[f] : f ~ /^(apps|plugin)\/[^\/]+$/ ? top : 0
	}
	BEGIN {
		top = split(layers, line, "\n")
		for (i = 1; i <= top; i++) {
			n = split(line[i], f, " ")
			for (j = 1; j <= n; j++)
				of[f[j]] = i
		}
	}
	{
		split($0, part, "\"")
		file = $0
		sub(/^\.\//, "", file)
		sub(/:.*/, "", file)
		from = folder(file)
		to = folder(part[2])
		if (!layer(from) && !(from in said)) {
			print from ": not in the list of layers"
			said[from]
		}
		if (!layer(from) || !layer(to) || to == from)
			next
		if (layer(to) >= layer(from))
			print file ": includes " part[2]
	}'
}

found=$(violations "${1-userspace}")
[ -z "$found" ] || sed 's/^/# /' <<<"$found"
[ -z "$found" ]
ok "includes go down the layers"

# the check detects violations
mkdir -p "$scratch/base" "$scratch/ros/io" "$scratch/nowhere" "$scratch/apps/a/part"
echo '#include "ros/io/sink.h"' >"$scratch/base/up.c"
echo '#include "base/cli.h"' >"$scratch/ros/io/down.c"
echo '#include "base/cli.h"' >"$scratch/nowhere/new.c"
printf '#include "apps/%s.h"\n' a/own a/part/own b/other >"$scratch/apps/a/part/new.c"
[ "$(violations "$scratch" | sort)" = 'apps/a/part/new.c: includes apps/b/other.h
base/up.c: includes ros/io/sink.h
nowhere: not in the list of layers' ]
ok "an include upwards and a new folder are found"

done_testing
