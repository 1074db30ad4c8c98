#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clients.sh - a hundred clients of optsample-view, hostile ones beside them,
# tokens, and wrong options
#
# Prints TAP. Needs root: it uses a network namespace.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
token=token-of-the-operator-1

# part NAME ARGS...: of hostile.py
part()
{
	local name=$1

	shift
	checks "$name" python3 "$here/hostile.py" "$name" 8765 8470 "$@"
}

# of what is in use: pages that the allocator keeps are no leak
memory() { echo $(($(metric memory_bytes) / 1024)); }
files() { ls "/proc/${pid[view]}/fd" | wc -l; }
# of the first client
has_states() { [ "$(awk '$2 == "/state"' "$scratch/watch.out" | wc -l)" -ge 100 ]; }
has_files() { [ "$(files)" = "$1" ]; }

# ---- wrong options: one line each ----

"$bin/view-bag" "$scratch/a.mcap" 600 1 10000; ok "a recording" || exit 1
wrong 1 'not a loopback address' --http 0.0.0.0:8470 "$scratch/a.mcap"
ok "every address, without tokens"
wrong 1 'not a loopback address' --foxglove '[::]:8765' "$scratch/a.mcap"
ok "every one of IPv6"
(umask 077; echo "$token" >"$scratch/tokens"; echo x >"$scratch/short")
chmod 644 "$scratch/tokens"
wrong 1 'other users can read it' --token-file "$scratch/tokens" "$scratch/a.mcap"
ok "tokens that others can read"
chmod 600 "$scratch/tokens"

other_options()
{
	wrong 2 'no option --wrong' --wrong; ok "an option that is none"
	wrong 2 "--http needs a value" --http; ok "one without its value"
	for word in memory=1 memory=x speed=0 speed=-1 start=-1 'allow-publish=a b' \
		allow-publish= socket= publish-to=; do
		wrong 2 "${word%%=*}" "--$word" "$scratch/a.mcap"; ok "--$word"
	done
	wrong 2 'http and foxglove are none' --http none --foxglove none "$scratch/a.mcap"
	ok "no output at all"
	wrong 2 'sink needs listen' --sink "$scratch/s.mcap" "$scratch/a.mcap"
	ok "a sink without listen"
	wrong 2 'more than 8 sources' ros2 ros2 ros2 ros2 ros2 ros2 ros2 ros2 ros2
	ok "more sources than there is room for"
	wrong 1 '' --http nowhere.invalid:1 "$scratch/a.mcap"; ok "no such host"
	wrong 1 '' --http 127.0.0.1:99999 "$scratch/a.mcap"; ok "no such port"
	wrong 1 'No such file' --token-file "$scratch/none" "$scratch/a.mcap"
	ok "no file of tokens"
	wrong 1 'a token must have' --token-file "$scratch/short" "$scratch/a.mcap"
	ok "a token that is too short"
	for url in :::: 'a b' http:// ftp://127.0.0.1 file:///etc/passwd; do
		wrong 1 'is not HOST:PORT' --gdim "$url" "$scratch/a.mcap"
		ok "gdimd at $url"
	done
	wrong 1 'No such file' --gdim 127.0.0.1:8460 --gdim-token-file "$scratch/none" \
		"$scratch/a.mcap"
	ok "no token for gdimd"
	wrong 1 'Not a directory' --socket "$scratch/a.mcap/socket" "$scratch/a.mcap"
	ok "a socket in a file"
	wrong 2 'No such file' --config "$scratch/none.conf"; ok "no configuration"
	printf '[view]\nwrong = 1\n' >"$scratch/view.conf"
	wrong 2 "view.conf:2: unknown setting 'wrong'" --config "$scratch/view.conf"; ok "a wrong key in it"
}
thorough other_options

printf '[view]\nhttp = none\nfoxglove = 8765\nsource = %s\n' "$scratch/a.mcap" \
	>"$scratch/view.conf"
view --config "$scratch/view.conf"
ok "settings of a file" || show "$scratch/view.log"
! grep -q 'page at' "$scratch/view.log"; ok "http none: no page"
wrong 1 '127.0.0.1:8765: Address already in use' "$scratch/a.mcap"
ok "a port that is in use: Foxglove"
end view; ok "SIGTERM: status 0"

# ---- tokens ----

ip addr add 10.9.0.1/32 dev lo
view --http 0.0.0.0:8470 --foxglove 0.0.0.0:8765 --token-file "$scratch/tokens" \
	"$scratch/a.mcap"
ok "with tokens every address is fine" || show "$scratch/view.log"
for address in 127.0.0.1 10.9.0.1; do
	part tokens $token $address
done
part halfopen $token
wrong 1 ': Address already in use' --foxglove none "$scratch/a.mcap"
ok "a port that is in use: the page"
! grep -q "$token" "$scratch/view.log"; ok "no token in the log"
end view; ok "SIGTERM: status 0"

# ---- a hundred clients ----

view --memory 16m "$scratch/a.mcap"
part fill
files0=$(files)
begin watch "$bin/foxglove-watch" 127.0.0.1 8765 1000 --clients 100 --stop-after 1 \
	--stuck 1 --states 1000000
wait_for 60 is_metric clients = 100
ok "100 clients, one of which stops to read"
for part in handshakes requests broken greedy; do
	part $part
done

others()
{
	local part

	for part in halves crowd slow halfopen; do
		part $part
	done
}
thorough others

kill -0 "${pid[watch]}"
ok "the hundred are still there"
wait_for 60 has_states
slay watch
awk '$2 == "/state" { if (n++ && $3 != last + 1) missing++; last = $3 }
     END { print "# " n + 0 " states, " missing + 0 " missing"
	   exit missing || n < 100 }' "$scratch/watch.out"
ok "meanwhile the first one got all states, in order"
wait_for 60 is_metric clients = 0; ok "all are gone"

# ---- again, and again ----

wait_for 60 has_files "$files0"; ok "no file is left open ($(files), $files0 before)"

# round: a hundred clients, one of which stops to read, beside broken ones; all
# others get all states
round()
{
	local part states missing

	begin watch "$bin/foxglove-watch" 127.0.0.1 8765 1000 --clients 100 \
		--stop-after 1 --stuck 1 --states 40
	for part in broken halves handshakes; do
		python3 "$here/hostile.py" $part 8765 8470
	done >"$scratch/round" 2>&1
	wait "${pid[watch]}"
	unset 'pid[watch]'
	read -r states missing < <(sed -n 's/^states //p' "$scratch/watch.out")
	least=$((states < least ? states : least))
	left_out=$((left_out + missing))
	! grep '^not ok' "$scratch/round" && grep -q '^ok' "$scratch/round" &&
		wait_for 60 is_metric clients = 0 && return
	show "$scratch/round"
	return 1
}

rounds()
{
	local before after i

	least=1000 left_out=0 good=0
	for i in {1..5}; do round && good=$((good + 1)); done
	before=$(memory)
	for i in {6..10}; do round && good=$((good + 1)); done
	after=$(memory)
	[ $good = 10 ]; ok "10 more rounds of broken connections ($good)"
	[ "$least" -ge 40 ] && [ "$left_out" = 0 ]
	ok "99 clients get 40 states or more each, none is missing ($least, $left_out)"
	wait_for 60 has_files "$files0"; ok "no file is left open ($(files), $files0 before)"
	echo "# memory without clients: $before kB after 5 rounds, $after kB after 10"
	[ "$after" -le $((before + 256)) ]
	ok "memory does not grow by more than 256 kB ($before kB, $after kB)"
}
thorough rounds

end view; ok "SIGTERM: status 0"
[ "$(wc -l <"$scratch/view.log")" -lt 500 ]
ok "$(wc -l <"$scratch/view.log") lines of log"

# ---- an end while it is asked for metrics ----

scrape() { while curl -sfo "$scratch/page" http://127.0.0.1:8470/metrics; do :; done; }

ends()
{
	local i

	good=0
	for i in {1..6}; do
		view "$scratch/a.mcap"
		scrape & scrape & scrape &
		wait_for 60 is_metric connections_total = 0
		end view && good=$((good + 1))
	done
	[ $good = 6 ]; ok "SIGTERM while /metrics is read: status 0 ($good of 6)"
}
thorough ends

done_testing
