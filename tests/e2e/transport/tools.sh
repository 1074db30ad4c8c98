#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tools.sh - link-sim, link-scenario and the plots of experiments
#
# That they run, clean up, and report bad input; not their results, which depend
# on the machine.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
trap 'rm -rf -- "$scratch"' EXIT
cd "$scratch" || exit 1
step=$top/tools/sim/traces/step.trace

# refuses STATUS WORD CMD...: with one line that contains WORD
refuses()
{
	local want=$1 word=$2

	shift 2
	"$@" >out 2>err </dev/null
	[ $? = "$want" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
		grep -qF -- "$word" err
}

# drawn FILE: it is an SVG with lines
drawn()
{
	python3 - "$1" <<-'END'
	import sys, xml.etree.ElementTree as tree
	svg = tree.parse(sys.argv[1]).getroot()
	sys.exit(svg.tag.split('}')[-1] != 'svg' or
	         sum(1 for e in svg.iter() if e.tag.endswith('path')) < 10)
	END
}

# column NAME FILE: its values
column()
{
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++)
		if ($i == name) c = i; next } c { print $c }' "$2"
}

"$bin/link-sim" --svg=sim.svg "$step" >one.csv &&
	"$bin/link-sim" "$step" >two.csv
ok "link-sim: a trace"
[ "$(wc -l <one.csv)" -gt 100 ] && cmp -s one.csv two.csv && drawn sim.svg
ok "as much as it lasts, the same each time, and a picture"
refuses 1 nowhere "$bin/link-sim" nowhere
ok "link-sim: no such trace"
printf '0 1e6 2 0\n' >bad.trace
refuses 1 bad.trace "$bin/link-sim" bad.trace
ok "link-sim: a loss of 2"

refuses 2 seconds "$top/tools/sim/link-scenario" step --seconds x
ok "link-scenario: no number"
refuses 1 nowhere "$top/tools/sim/link-scenario" nowhere
ok "link-scenario: no such trace"
if ip netns add tools-$$ 2>/dev/null; then
	ip netns del tools-$$
	"$top/tools/sim/link-scenario" step --seconds 6 -o here >out 2>err
	ok "link-scenario: six seconds of one"
	column received here/step.csv | awk '$1 > 0 { n++ } END { exit !n }' &&
		drawn here/step.svg
	ok "something was received, and is drawn"
else
	true
	ok "# skip no network namespaces"
fi

refuses 2 fig99 "$top/tools/bench/figures" fig99
ok "figures: no such figure"
printf '%s\n' one,0,10 one,50,5 two,0,8 two,50,1 |
	"$bin/figures-plot" -x loss -y dB -t title figures.svg && drawn figures.svg
ok "figures-plot: two lines"
done_testing
