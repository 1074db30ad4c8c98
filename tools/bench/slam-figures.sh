#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bench/slam-figures.sh RAW DIRECTORY - figures 4 to 9 of the paper on
# SLAM in a cloud, with our numbers: slam-fig4a.svg and so on. BIN: figures-plot
# and slam-plot. FORMAT: svg, or png to look at.
set -eu
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
bin=${BIN:-$here/../../build/bin}
format=${FORMAT:-svg}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

awk -f "$here/slam-model.awk" -f "$here/slam-figures.awk" DIRECTORY="$work" \
	"$1"

# draw NAME TITLE Y [OPTION...]
draw()
{
	local name=$1 title=$2 y=$3

	shift 3
	"$bin/figures-plot" -x workers -y "$y" -t "$title" "$@" \
		"$out/slam-$name.$format" <"$work/$name"
}

out=$2
draw fig4a 'Simbad, 640 beams: time of a reading' ms -l
draw fig4b 'Simbad, 640 beams: times as fast as one process' times
draw fig4c 'ACES, 180 beams: time of a reading' ms -l
draw fig4d 'ACES, 180 beams: times as fast as one process' times
draw fig5a 'Simbad, 100 particles: what a reading takes' ms -l
draw fig5b 'Simbad, 100 particles: the one with most, above the mean' ms -l
draw fig7a 'Simbad, cutoff 140: time of a reading' ms -l
draw fig7b 'Simbad, cutoff 140: times as fast as one process' times
draw fig8 'Simbad: resampled at each reading, and when needed (as measured)' ms -l
draw fig9 'Simbad, 100 particles, cutoff 140: imbalance' ms -l
# readings of Simbad are 0.2 s apart
"$bin/slam-plot" 0.2 "$out/slam-fig6.$format" <"$work/fig6"
