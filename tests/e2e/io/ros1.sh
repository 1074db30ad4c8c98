#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ros1.sh - sources and sinks of ROS 1: between processes, with a master that
# comes late, and with roscpp

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

make_space || skip_all "no network namespaces here"
type rosmaster >/dev/null || skip_all "no rosmaster here"
"${TEST_IO:-$bin/test_io}" "$recording" || exit 1

node sub "$copy" ros1 -
sub=$node
node pub "$copy" -l "$recording" ros1
pub=$node
wait_for 40 eval 'lines pub 5'
node master timeout 600 rosmaster --core -p 11311
master=$node
all_kinds sub
ok "all kinds of messages; the master comes late"
end $sub
end $pub
intact pub sub
ok "what is found is received as it was sent"
grep -q 'does not answer' "$scratch/sub.err" &&
	[ "$(grep -c 'does not answer' "$scratch/sub.err")" = 1 ]
ok "a master that is not there is logged once"

node pub "$copy" -l "$recording" ros1:http://127.0.0.1:11311
here_is sub env -u ROS_MASTER_URI "$copy" -n 20 -o /robot/kind_0 \
	-o /robot/kind_7 ros1:http://127.0.0.1:11311 -
end $node
intact pub sub && [ "$(types sub)" = 2 ]
ok "topics that were asked for, of whatever kind; ros1:URI"

printf 'P5 3 1 255\n\0\376\315' >"$scratch/m.pgm"
printf 'resolution: 0.1\norigin: [0, 0, 0]\n' >"$scratch/m.yaml"
node pub "$copy" -L -d 60000 "$scratch/m.pgm" ros1
pub=$node
wait_for 40 eval 'lines pub 1'
here_is sub "$copy" -n 1 ros1 - && cmp -s "$scratch/pub" "$scratch/sub"
ok "who comes late gets the map"
end $pub

node pub "$copy" -l "$recording" ros1
here_is sub "$copy" -t 6 -o /robot/kind_0 -k 1 ros1 -
end $node
[ ! -s "$scratch/sub" ] && [ "$(grep -c 'kind_0' "$scratch/sub.err")" = 1 ]
ok "a topic of another kind is left out, with one line"

node sub "$copy" -n 60 ros1 "$scratch/all.bag"
sub=$node
node pub "$copy" -l "$recording" ros1
finish $sub && end $node && cp "$scratch/sub" "$scratch/live" &&
	here_is sub "$copy" -x 100 "$scratch/all.bag" - && intact live sub &&
	[ "$(wc -l <"$scratch/sub")" = 60 ]
ok "into a .bag"

# From ROS 1 to ROS 2: one copy in between
node relay "$copy" ros1 ros2
relay=$node
node sub "$copy" ros2 -
sub=$node
node pub "$copy" -l "$recording" ros1
all_kinds sub
ok "from ROS 1 to ROS 2: all kinds of messages"
end $sub
end $relay $node
intact pub sub
ok "as they were sent"

# A sink beside the source: nothing goes in circles
node relay "$copy" ros1 ros1
relay=$node
node pub "$copy" -l -r 10 -N other "$scratch/m.pgm" ros1
wait_for 40 eval 'lines relay 20'
end $node $relay
intact pub relay
ok "what we publish does not come back"
end $master
done_testing
