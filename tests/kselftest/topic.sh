#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# topic.sh - rules for topics: accepted and refused options of `optsample
# topic`, and their effect on writers
#
# Runs as root inside tools/machines/vm, with the module in $SCH_KO. TAP on
# stdout. A rule is seen in the map `topics`, its profile in the qdisc, its
# effect in the map `writers`.

. "$(dirname -- "${BASH_SOURCE[0]}")/peers.sh"

# profiles: of the qdisc, one a line, without that of commands
profiles()
{
	tc qdisc show dev opt-v0 | grep -o 'profile .*' |
		sed 's/ *profile /\n/g' | sed '/^$/d; s/ *$//' | grep -v '^63 '
}

all()
{
	optsample topic v0
	profiles
	bpftool -j map dump pinned $pins/writers
} 2>/dev/null

# fails MESSAGE CMD...: one line with that message, status 1, nothing changed;
# or exits=2 fails ...: wrong usage
fails()
{
	local want=$1 before rc

	before=$(all)
	shift
	"$@" >out 2>err </dev/null
	rc=$?
	cat out >>err
	[ $rc = "${exits:-1}" ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$want" err &&
		[ "$(all)" = "$before" ] || {
		sed 's/^/# /' err
		diff <(echo "$before") <(all) | sed 's/^/# /'
		false
	}
	ok "refused, and nothing changed: $want"
}

test_refusals()
{
	local t="optsample topic v0" name

	name=$(printf 'x%.0s' {1..128})
	fails "as root" setpriv --reuid=65534 --clear-groups \
		"$(command -v optsample)" topic v0 /a --limit 3
	exits=2 fails "topic: missing argument DEV" optsample topic
	exits=2 fails "topic: missing argument TOPIC" $t --limit 3
	exits=2 fails "topic: missing argument TOPIC" $t --forget
	exits=2 fails "limit must be 1..65535" $t /a --limit 0
	exits=2 fails "limit must be 1..65535" $t /a --limit 65536
	exits=2 fails "limit must be 1..65535" $t /a --limit many
	exits=2 fails 'unknown policy "best"' $t /a --policy best
	exits=2 fails "priority must be 0..7" $t /a --priority 8
	exits=2 fails "priority must be 0..7" $t /a --priority -1
	exits=2 fails "by must be number, source, header or distance" $t /a --by time
	exits=2 fails "sync needs a unit" $t /a --sync 5
	exits=2 fails "sync needs a unit" $t /a --sync ""
	exits=2 fails "sync must be 0..60s" $t /a --sync 61s
	exits=2 fails "sync must be 0..60s" $t /a --sync 5m
	exits=2 fails "sync must be 0..60s" $t /a --sync -1ms
	exits=2 fails "sync needs stamps" $t /a --sync 5ms --by number
	exits=2 fails "sync needs stamps" $t /a --sync 5ms --by distance
	exits=2 fails "policy 2sample counts messages: by source needs gap" \
		$t /a --by source --policy 2sample
	exits=2 fails "exclude each other" $t /a --never --limit 3
	exits=2 fails "exclude each other" $t /a --forget --never
	exits=2 fails "a pattern has 1..127 characters" $t ""
	exits=2 fails "a pattern has 1..127 characters" $t "$name"
	exits=2 fails "topic: no option --colour" $t /a --colour red
	exits=2 fails "topic: --limit needs a value" $t /a --limit
	fails "no rule for /a" $t /a --forget
	rc=$(optsample topic v0 "${name%x}" --never; echo $?)
	is "$rc$(optsample topic v0)" "0${name%x} never" "the longest pattern"
	fails "no rule for /b" $t "${name%x}" /b --forget
	optsample topic v0 "${name%x}" --forget
	is "$(all)" "[]" "nothing is left of it"
}

test_list()
{
	is "$(optsample topic v0)" "" "no rules: nothing to list"
	optsample topic v0 '/camera/*' /scan --limit 7 --sync 2ms &&
		optsample topic v0 /odom --by distance 2>err &&
		optsample topic v0 /map --priority 3 --policy drop-oldest &&
		optsample topic v0 /noise --never &&
		optsample topic v0 /plain &&
		optsample topic v0 /when --by source --priority 1
	ok "rules of all kinds"
	is "$(optsample topic v0 | LC_ALL=C sort)" \
"/camera/* limit 7 by header sync 2ms (profile 1)
/map policy drop-oldest priority 3 (profile 3)
/noise never
/odom policy gap by distance (profile 2)
/plain (profile 4)
/scan limit 7 by header sync 2ms (profile 1)
/when policy gap priority 1 by source (profile 5)" "what was said is listed"
	is "$(optsample topic v0 | sed -n '3,$s/ .*//p' | words)" \
		"/odom /map /noise /plain /when" "in the order in which it counts"
	is "$(cat err)" "optsample: warning: no odometry: give 'up' --odometry, or feed the map odometer" \
		"by distance without odometry: a warning"
	is "$(profiles)" "1 limit 7 priority 0 sync 2ms
2 policy gap priority 0
3 policy drop-oldest priority 3
4 priority 0
5 policy gap priority 1" "the qdisc has their profiles"
	optsample topic v0 /scan --forget
	is "$(profiles | grep -c '^1 ')" 1 "a profile that is shared stays"
	optsample topic v0 '/camera/*' --never
	is "$(profiles | grep -c '^1 ')" 0 "until no class has it"
	optsample topic v0 /new --limit 9
	is "$(profiles | head -n 1)" "1 limit 9 priority 0" \
		"its number is free again"
	optsample topic v0 /new --limit 8 --policy gap
	is "$(optsample topic v0 | grep -c new) $(profiles | head -n 1)" \
		"1 1 limit 8 policy gap priority 0" "a rule is replaced in place"
	optsample topic v0 /new --priority 2
	is "$(optsample topic v0 | tail -n 1) $(profiles | grep -c limit)" \
		"/new priority 2 (profile 6) 0" \
		"nothing of the old one is left in the new one"
	tc qdisc change dev opt-v0 root optsample profile 7 limit 4 sync 1s
	optsample topic v0 /other
	is "$(profiles | tail -n 1)" "7 priority 0" \
		"nor of what another program left in the qdisc"
	optsample topic v0 '/camera/*' /other /new /odom /map /noise /plain \
		/when --forget
	is "$(all)" "[]" "all is forgotten"
}

test_many()
{
	local i

	for i in {1..62}; do
		optsample topic v0 "/t$i" --limit "$i" --priority $((i % 8)) \
			--policy gap || break
	done
	is "$i $(profiles | wc -l) $(profiles | tail -n 1)" \
		"62 62 62 limit 62 policy gap priority 6" \
		"62 rules have 62 profiles"
	fails "too many rules: 62 profiles are in use" \
		optsample topic v0 /t64 --limit 64
	optsample topic v0 /t64 --never && optsample topic v0 /t9 --limit 10 \
		--priority 7 --policy gap &&
		optsample topic v0 /t1 --forget &&
		optsample topic v0 /t64 --limit 64
	ok "never, another value, and one for one are not too many"
	for i in {10..62}; do
		optsample topic v0 "/t$i" --limit "$i" --policy gap --sync 1ms \
			--priority 7 2>err || break
	done
	fails "the profiles do not fit into a netlink message" \
		optsample topic v0 "/t$i" --limit "$i" --policy gap --sync 1ms \
		--priority 7
	# shellcheck disable=SC2046 # words are the point
	optsample topic v0 $(seq -f /t%g 2 62) /t64 --forget
	is "$(all)" "[]" "62 are forgotten at once"
	# shellcheck disable=SC2046
	optsample topic v0 $(seq -f /n%g 1 1023) --never
	fails "too many rules: at most 1024" optsample topic v0 /n2 /a /b
	optsample topic v0 /n2 /a --limit 3
	is "$? $(optsample topic v0 | wc -l)" "0 1024" "1024 fit"
	fresh
	is "$(all)" "[]" "down takes rules with it"
}

# The last one of each writer, and what gets too old
test_newest()
{
	local t="optsample topic v0"

	exits=2 fails "newest excludes limit, policy, by and sync" \
		$t /a --newest --limit 3
	exits=2 fails "newest excludes limit, policy, by and sync" \
		$t /a --newest --sync 5ms
	exits=2 fails "age needs a unit" $t /a --age 250
	exits=2 fails "age must be 0..24h" $t /a --age 25h
	exits=2 fails "sync and age exclude each other" $t /a --sync 0 --age 1s
	exits=2 fails "exclude each other" $t /a --never --newest
	$t /stop --newest --priority 5 && $t /map --newest --age 2s &&
		$t /log --age 60s
	is "$(optsample topic v0)" "/stop newest yes priority 5 (profile 1)
/map newest yes age 2000ms (profile 2)
/log age 60000ms (profile 3)" "newest and age are listed"
	is "$(profiles)" "1 limit 1 policy drop-oldest priority 5
2 limit 1 policy drop-oldest priority 0 age 2s
3 priority 0 age 60s" "the qdisc has them"
	optsample topic v0 /stop /map /log --forget
	tc qdisc show dev opt-v0 |
		grep -q 'profile 63 limit 1 policy drop-oldest priority 7 age 250ms'
	ok "so it has one for commands without a rule"
}

# Rules survive `down`, and so a boot
test_save()
{
	local conf=/etc/optsample/topics.conf

	rm -f $conf
	optsample topic v0 '/camera/*' /scan --limit 60 --sync 5ms &&
		optsample topic v0 /noise --never &&
		optsample topic v0 /stop --newest --age 250ms --save
	is "$(cat $conf)" "# Rules for topics, see optsample(8). 'optsample topic DEV --save' writes this file.

[topic /camera/* /scan]
limit = 60
by = header
sync = 5ms

[topic /noise]
never = yes

[topic /stop]
newest = yes
age = 250ms" "topic --save: topics.conf"
	optsample topic v0 | LC_ALL=C sort >before
	fresh
	is "$(cat fresh.err) $(optsample topic v0 | LC_ALL=C sort)" \
		" $(cat before)" "up sets the rules of topics.conf"
	cat >$conf <<-'END'
		[topic /good]
		limit = 7
		[topic /bad]
		limit = many
		[topic /worse]
		colour = red
		[topics /wrong]
		[topic /cam[0-9]/*]
		limit = 8
		[topic /last]
		never
	END
	fresh
	is "$(cut -d' ' -f1 <(optsample topic v0) | words)" "/good /cam[0-9]/* /last" \
		"a faulty file: the other rules are set"
	is "$(grep -c 'rules: line [467]: .*: this rule is left out' fresh.err)" \
		"3" "each fault is said, with its line"
	grep -q 'line 6: no key "colour": this rule' fresh.err
	ok "and its reason"
	is "$(optsample topic v0 'a b' --limit 5 2>&1)" \
		"optsample: no topic matches a pattern with blanks: 'a b'" \
		"a pattern that a file could not have is refused"
	fresh --rules /nowhere/topics.conf
	grep -q "cannot read the rules of /nowhere/topics.conf: No such file" fresh.err
	ok "a missing file that was named: said, and up all the same"
	rm -f $conf
	fresh
}

# Rules and writers, in any order
test_writers()
{
	local lease=8

	optsample topic v0 /early --limit 3
	peer dds-pub scan:/scan:400 odom:/odom:9
	peer dds-writers -rf jpeg rt/camera/rgb rt/camera/depth rt/early
	peer dds-writers -rf jpeg rt/camera/rgb
	wait_for 30 eval 'known rt/early && [ "$(writer rt/camera/rgb | wc -l)" = 2 ]'
	ok "writers are known"
	is "$(writer rt/early)" "0 1" "a rule before its writer"
	is "$(writer rt/odom)" "" "what is no image needs a rule"
	rule /odom --limit 5 --by source
	is "$(writer rt/odom)" "1 2" "a rule opts it in"
	rule '/camera/*' --limit 7
	is "$(writer rt/camera/rgb)" "0 3
0 3" "two writers of one topic have the same profile"
	is "$(writer rt/camera/depth)" "0 3" "and so have others of the pattern"
	rule rt/camera/depth --never
	is "$(writer rt/camera/depth)" "" "never; the name of DDS will do"
	rule '/camera/d*' --priority 1
	is "$(writer rt/camera/depth)" "0 4" "the last rule counts"
	rule '/camera/*' --limit 8
	is "$(writer rt/camera/depth)" "0 3" "the last to be said, that is"
	rule '/camera/*' /scan --sync 1ms
	is "$(writer rt/camera/rgb | tail -n 1) $(writer rt/scan)" "2 5 2 5" \
		"two topics in one sync group"
	is "$(profiles | tail -n 1)" "5 priority 0 sync 1ms" "the qdisc knows"
	kill -KILL "$(cat /run/optsample/v0.pid)"
	optsample topic v0 /odom --priority 7 --by distance 2>/dev/null &&
		optsample up v0 >out 2>&1
	ok "a rule while no daemon runs"
	wait_for 30 eval '[ "$(writer rt/odom)" = "3 6" ]'
	is "$(writer rt/odom) $(writer rt/scan) $(writer rt/early)" \
		"3 6 2 5 0 1" "a new daemon keeps the rules"
	rule '/camera/*' /scan '/camera/d*' /odom --forget
	is "$(writer rt/scan) $(writer rt/camera/depth) $(writer rt/odom)" \
		"0 0  " "forgotten: by type again, or by an older rule"
	stop_peers
	wait_for 60 eval '[ -z "$(writer rt/scan)" ]'
	ok "writers that are gone are taken out"
}

# Topics that need every message are never sampled, whatever the rules.
test_never()
{
	local name left=

	fresh
	peer dds-writers rq/addRequest rr/addReply rt/tf_static rt/rosout \
		rt/parameter_events rt/go/_action/feedback ros_discovery_info \
		rt/mine
	peer dds-writers -d rt/map
	wait_for 30 known rt/mine rt/map rq/addRequest ros_discovery_info
	rule '*' --limit 3
	rule rt/map rq/addRequest /tf_static --limit 3
	is "$(writer rt/mine)" "0 1" "a rule for all of them"
	for name in rq/addRequest rr/addReply rt/tf_static rt/rosout rt/map \
		rt/parameter_events rt/go/_action/feedback ros_discovery_info
	do
		left+=$(writer "$name")
	done
	is "$left" "" "services, actions, ROS's own and latched topics stay out"
	is "$(jq -r '.topics[] | select(.topic == "rt/map").why_not' \
		/run/optsample/v0.topics)" \
		"TRANSIENT_LOCAL: late readers need it" "and it is said why"
	stop_peers
}

why_not() { jq -r ".topics[] | select(.topic == \"$1\").why_not" \
	/run/optsample/v0.topics; }

# Pictures that need others are not sampled, nor any before they are known.
test_formats()
{
	fresh
	peer dds-writers rt/image
	peer dds-writers -rf 'bgr8; jpeg compressed bgr8' rt/cam/compressed
	peer dds-writers -rf h264 rt/cam/h264
	peer dds-writers -rf theta rt/cam/theta
	peer dds-writers -f jpeg rt/cam/unread
	wait_for 30 eval '[ "$(writer rt/cam/compressed)" = "0 0" ] &&
		[ "$(why_not rt/cam/h264)" = "h264: its pictures need others" ] &&
		why_not rt/cam/theta | grep -q "not known"'
	ok "JPEG is sampled when it is known, H.264 and others are not"
	is "$(writer rt/image)" "0 0" "an image needs no format"
	is "$(writer rt/cam/h264)$(writer rt/cam/theta)" "" "they stay out"
	why_not rt/cam/unread | grep -q 'before it has a reader'
	ok "one without a reader is not read by us, either"
	optsample show v0 2>&1 | grep -q "/cam/[a-z0-9]* (format .*) is .*not sampled"
	ok "show says why"
	rule '/cam/*' --limit 3
	wait_for 20 eval '[ "$(writer rt/cam/theta)" = "0 1" ]'
	ok "who names an unknown one gets it"
	is "$(writer rt/cam/h264)" "" "but not H.264"
	stop_peers
}

# The qdisc or the whole setup is removed by others.
test_gone()
{
	fails "v0 is not up" optsample topic v0
	fails "v0 is not up" optsample topic v0 /a --limit 3
	fails "nodev is not up" optsample topic nodev /a
	optsample up v0 2>/dev/null
	optsample topic v0 /a --limit 3
	tc qdisc replace dev opt-v0 root pfifo
	fails "opt-v0 has no optsample qdisc" optsample topic v0 /b --limit 3
	tc qdisc del dev opt-v0 root
	fails "opt-v0 has no optsample qdisc" optsample topic v0 /b --limit 3
	is "$(optsample topic v0)" "/a limit 3 (profile 1)" "rules are listed"
	ip link del opt-v0
	fails "opt-v0 has no optsample qdisc" optsample topic v0 /b --limit 3
	optsample down v0
}

test_gone
optsample up v0 2>/dev/null
test_refusals
test_list
test_newest
test_save
test_many
test_writers
test_never
test_formats
done_testing
