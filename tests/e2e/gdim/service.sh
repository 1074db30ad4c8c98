#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service.sh - gdimd as a systemd service: the unit, the example settings, the
# sd_notify messages, and that it runs without privileges

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
unit=$top/userspace/apps/gdimd/systemd/gdimd.service
example=$top/userspace/apps/gdimd/systemd/gdimd.conf
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' INT TERM

test_unit()
{
	if ! command -v systemd-analyze >/dev/null; then
		true
		ok 'the unit # SKIP no systemd-analyze'
		return
	fi
	sed "s|@BINDIR@|$bin|; /^Documentation/d" \
		"$unit" >"$scratch/gdimd.service"
	[ -z "$(systemd-analyze verify "$scratch/gdimd.service" 2>&1 |
		tee /dev/stderr)" ]
	ok 'the unit is one'
}

# notified COMMAND...: as Type=notify does. Prints the notifications, stops the
# command when it is ready, and prints its exit status
notified()
{
	timeout 120 python3 - "$scratch/notify" "$@" <<-'END'
	import os, socket, subprocess, sys
	s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	s.bind(sys.argv[1])
	os.chmod(sys.argv[1], 0o777)
	s.settimeout(1)
	notices, p = set(), subprocess.Popen(sys.argv[2:], env=dict(os.environ,
	    NOTIFY_SOCKET=sys.argv[1], WATCHDOG_USEC='400000'))
	def hear():
	    try:
	        notices.update(s.recv(4096).decode().split('\n'))
	    except TimeoutError:
	        pass
	while p.poll() is None and not {'READY=1', 'WATCHDOG=1'} <= notices:
	    hear()
	p.terminate()
	while p.poll() is None or 'STOPPING=1' not in notices:
	    hear()
	    if p.poll() is not None and 'READY=1' not in notices:
	        break
	print(*sorted(notices & {'READY=1', 'WATCHDOG=1', 'STOPPING=1'}), p.wait())
	END
	rm -f "$scratch/notify"
}

run()
{
	notified "$bin/gdimd" --config "$1" --store "$scratch/state/site.db" \
		--socket "$scratch/state/socket" --from none --to none \
		--http none 2>"$scratch/err"
}

test_run()
{
	mkdir "$scratch/state"
	[ "$(run "$example")" = 'READY=1 STOPPING=1 WATCHDOG=1 0' ]
	ok 'it tells that it is ready, lives and stops'
	sed -E 's/^# ([a-z]+ = )/\1/; /^http/d' "$example" >"$scratch/all.conf"
	[ "$(run "$scratch/all.conf")" = 'READY=1 STOPPING=1 WATCHDOG=1 0' ] &&
		"$bin/gdimctl" --store "$scratch/state/site.db" layers |
			grep -q '^floor_plan '
	ok 'all lines of the example, without their #'
	sed 's/^store/shop/' "$example" >"$scratch/bad.conf"
	[ "$(run "$scratch/bad.conf")" = 2 ] &&
		[ "$(wc -l <"$scratch/err")" = 1 ]
	ok 'settings that are wrong: one line, and the status not to try again'
}

test_rights()
{
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		true
		ok 'without rights # SKIP needs root and setpriv'
		return
	fi
	chmod 755 "$scratch"
	rm -rf "$scratch/state" && mkdir "$scratch/state" &&
		chown 65534 "$scratch/state"
	# its files may be in a folder that others cannot read
	cp "$bin/gdimd" "$example" "$scratch"
	[ "$(umask 0027; notified setpriv --reuid=65534 --regid=65534 \
		--clear-groups --no-new-privs --bounding-set=-all \
		--inh-caps=-all "$scratch/gdimd" --config \
		"$scratch/gdimd.conf" --store "$scratch/state/site.db" \
		--socket "$scratch/state/socket" --from none --to none \
		--http none 2>"$scratch/err")" = \
		'READY=1 STOPPING=1 WATCHDOG=1 0' ] &&
		[ -s "$scratch/state/site.db" ]
	ok 'a user without rights is enough'
}

test_unit
test_run
test_rights
done_testing
