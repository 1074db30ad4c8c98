#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ros2.sh - sources and sinks of ROS 2: between processes, and with an
# unmodified camera and viewer

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

make_space || skip_all "no network namespaces here"
"${TEST_IO:-$bin/test_io}" "$recording" || exit 1
unset ROS_DOMAIN_ID ROS_LOCALHOST_ONLY CYCLONEDDS_URI

node sub "$copy" ros2 -
sub=$node
node pub "$copy" -l "$recording" ros2
all_kinds sub
ok "all kinds of messages"
end $sub
end $node
intact pub sub
ok "what is found is received as it was sent"

node pub "$copy" -l "$recording" ros2
here_is sub "$copy" -n 20 -o /robot/kind_0 -o /robot/kind_7 ros2 -
end $node
intact pub sub && [ "$(types sub)" = 2 ]
ok "topics that were asked for, of whatever kind"

node pub "$copy" -l "$recording" ros2
here_is sub "$copy" -t 8 -o /robot/kind_0 -k 1 ros2 -
end $node
[ ! -s "$scratch/sub" ] && [ "$(grep -c 'ignored: ' "$scratch/sub.err")" = 1 ]
ok "a topic of another kind is left out, with one line"

# Odd sizes, as CDR is padded
head -c 6930 /dev/urandom >"$scratch/frames"
for reliable in "" --reliable; do
	node sub "$copy" -n 20 ros2 "$scratch/camera$reliable.mcap"
	sub=$node
	node pub "$bin/image-pub" --size 33x7 --rate 20 --linger 2 $reliable \
		"$scratch/frames"
	finish $sub && end $node
	# who keeps nothing may begin before its reader knows it
	[ "$(awk '{ print $3 }' "$scratch/sub")" = \
		"$(awk -F, -v first="$(awk '{ print $3; exit }' "$scratch/sub")" \
			'$2 == first { n = 20 } n-- > 0 { print $2 }' \
			"$scratch/pub")" ]
	ok "a camera of others $reliable"
done
mv "$scratch/pub" "$scratch/camera"
node sub "$bin/image-sub" --reliable
sub=$node
node pub "$copy" -l "$scratch/camera--reliable.mcap" ros2
wait_for 40 eval 'lines sub 30'
end $node $sub
awk -F, 'NR == FNR { crc[$4] } NR != FNR && !($4 in crc) { exit 1 }' \
	"$scratch/camera" "$scratch/sub" && lines sub 30
ok "a viewer of others"

printf 'P5 3 1 255\n\0\376\315' >"$scratch/m.pgm"
printf 'resolution: 0.1\norigin: [0, 0, 0]\n' >"$scratch/m.yaml"
node pub "$copy" -L -d 60000 "$scratch/m.pgm" ros2
pub=$node
wait_for 40 eval 'lines pub 1'
here_is sub "$copy" -n 1 ros2 - && cmp -s "$scratch/pub" "$scratch/sub"
ok "who comes late gets the map"
here_is sub "$copy" -t 4 -o /map -k 4 ros2 - &&
	cmp -s "$scratch/pub" "$scratch/sub"
ok "once, if the kind was known too"
end $pub
node sub "$copy" -n 8 -o /map ros2 -
sub=$node
node pub "$copy" -L -l -r 5 "$scratch/m.pgm" ros2
finish $sub && end $node && intact pub sub
ok "later maps come once each"

# Both kinds of writers on one topic
node pub "$copy" -L -d 60000 "$scratch/m.pgm" ros2
latched=$node
node pub2 "$copy" -l -r 5 "$scratch/m.pgm" ros2
here_is sub "$copy" -n 6 -o /map ros2 -
end $latched $node
cat "$scratch/pub2" >>"$scratch/pub"
intact pub sub
ok "of a latching writer and one that is not"

# A sink in the domain of the source: no loop
node relay "$copy" ros2 ros2
relay=$node
node pub "$copy" -l -r 10 "$scratch/m.pgm" ros2
wait_for 40 eval 'lines relay 20'
end $node $relay
intact pub relay
ok "what we publish does not come back"

ROS_DOMAIN_ID=7 node pub "$copy" -l -r 10 "$scratch/m.pgm" ros2
wait_for 40 eval 'lines pub 5'
here_is sub "$copy" -t 4 ros2 - && [ ! -s "$scratch/sub" ]
ok "another domain is another one"
here_is sub "$copy" -n 3 ros2:7 - && intact pub sub
ok "ROS_DOMAIN_ID and ros2:DOMAIN"
end $node
here_is sub env ROS_DOMAIN_ID=many "$copy" ros2 -
[ $? = 1 ] && grep -q "ROS_DOMAIN_ID must be" "$scratch/sub.err" && lines sub.err 1
ok "a domain that is none"
here_is sub env CYCLONEDDS_URI='<Nonsense>' "$copy" ros2 -
[ $? = 1 ] && [ "$(grep -c . "$scratch/sub.err")" = 1 ]
ok "a configuration of DDS that is none: one line"

export ROS_LOCALHOST_ONLY=1
ip -n "$space" link set lo multicast off
node sub "$copy" -n 5 ros2 -
sub=$node
node pub "$copy" -l -r 10 "$scratch/m.pgm" ros2
finish $sub && end $node && intact pub sub
ok "ROS_LOCALHOST_ONLY, without multicast"
ip -n "$space" link set lo multicast on
unset ROS_LOCALHOST_ONLY

node sub "$copy" ros2 -
sub=$node
node pub "$copy" -l -r 10 "$scratch/m.pgm" ros2
wait_for 40 eval 'lines sub 5'
kill_program $node
wait $node 2>/dev/null
before=$(wc -l <"$scratch/sub")
node pub2 "$copy" -l -r 10 "$scratch/m.pgm" ros2
wait_for 40 eval "lines sub $((before + 5))"
ok "a writer that was killed and comes back"
end $node $sub

# A stopped reader acknowledges nothing. It is reliable as the writer latches,
# so that it gets the newest message in the end.
mkdir "$scratch/big"
{
	printf 'P5 2000 1000 255\n'
	head -c 2000000 /dev/zero
} >"$scratch/big/m.pgm"
node slow "$copy" -o /image ros2 -
slow=$node
node pub "$copy" -L -l -r 10 -n 40 -d 60000 "$scratch/big/m.pgm" ros2
pub=$node
wait_for 40 eval 'lines slow 1'
kill -STOP "$(program $slow)"
wait_for 40 eval 'lines pub 40'
ok "a reader that stopped does not stop the writer"
kill -CONT "$(program $slow)"
wait_for 40 eval 'tail -n 1 "$scratch/pub" | grep -qxFf - "$scratch/slow"'
ok "and has the newest message when it goes on"
end $pub $slow
! lines slow 40 && intact pub slow
ok "but not all of those it missed"

# Its participant is given up after an hour: the writer ends when it hears that
# the reader is gone.
if [ -x "$bin/fastdds-pub" ]; then
	node pub "$bin/fastdds-pub" -n 1 image:/camera:5000
	pub=$node
	CYCLONEDDS_URI='<Discovery><LeaseDuration>3600s</LeaseDuration></Discovery>' \
		here_is sub "$copy" -n 20 ros2 - && lines sub 20
	ok "Fast DDS's camera is received"
	finish $pub
	ok "and sends nothing more to a reader that ended"
else
	ok "Fast DDS # skip not there"
fi
done_testing
