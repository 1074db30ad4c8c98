#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh - run the commands of the documents that need no robot, as printed
#
# Each document in a folder of its own, its commands one after the other, with
# the files that they name made small. A daemon runs until a later command
# takes its place or the document ends. Commands on devices of a robot:
# tests/kselftest/examples.sh.
#
# Prints TAP. Needs root: it has namespaces of its own, with other host names.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
if [ -z "${SPACE-}" ]; then
	unshare --net --mount true 2>/dev/null || {
		printf '%s\n' "ok 1 # skip no namespaces" 1..1
		exit 0
	}
	SPACE=$(mktemp -d) && export SPACE || exit 1
	trap 'rm -rf -- "$SPACE"' EXIT
	unshare --net --mount --pid --fork --kill-child --mount-proc -- \
		"$0" "$@"
	exit
fi
mount -t tmpfs space "$SPACE" || exit 1
export TMPDIR=$SPACE HOME=$SPACE PATH=${BIN:-$top/build/bin}:$PATH
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/lib/documents.sh" || exit 1
. "$here/lib.sh" || exit 1
mapfile -t programs < <(make -C "$top" -s program-names)

# begin_document DOCUMENT: who else is there, and what it begins with
begin_document()
{
	mkdir "$scratch/folder"
	cd "$scratch/folder" && cp "$scratch"/samples/* . || exit 1
	case $1 in
	*/optsample-recv.1)
		# it is written there
		rm mission.mcap ;;
	*/optsample-send.1|*/optsample-send.conf.5)
		robot receiver optsample-recv --socket "$scratch/receiver" \
			sent/ ;;
	*/gdimd.conf.5)
		install -m 600 tokens /run/credentials/gdimd.service ;;
	*/slamd.8)
		robot_laser
		robot link optsample-send --socket "$scratch/link" \
			--to 10.0.0.2 --loop run.mcap ;;
	*/slam-worker.8)
		# the command is given on three machines
		robot second slam-worker --engine amqp://robot:secret@broker/%2f
		robot third slam-worker --engine amqp://robot:secret@broker/%2f ;;
	README.md)
		mv maps.db site.db ;;
	*/troubleshooting.md)
		mv maps.db site.db
		robot_laser
		daemon "optsample-recv ros2" &&
			daemon "optsample-send --to operator ros2" &&
			daemon "optsample-view --http 8470 ros2" &&
			daemon "gdimd --store site.db"
		ok "$1: the daemons run" || show_all
		ln -s "$XDG_RUNTIME_DIR/gdim/gdimd.sock" PATH ;;
	esac
}

# run_settings DOCUMENT: the program with the configuration file of its page
run_settings()
{
	local program=${1##*/}

	settings "$1" >example.conf
	[ "$(wc -l <example.conf)" -ge 5 ]
	ok "$1: has an example"
	run_command "$1" "${program%.conf.5} --config example.conf"
}

# may_run COMMAND: others could change this machine
may_run()
{
	local program=${1%% *}

	[[ " ${programs[*]} mpirun " == *" $program "* ||
		$1 =~ ^make\ (help|programs|install|uninstall)$ ]]
}

end_document()
{
	end_daemons "${!pid[@]}"
	end_robot tf laser link second third receiver
	cd "$scratch" && rm -r folder
}

run_document()
{
	local line why

	begin_document "$1"
	while IFS= read -r line <&3; do
		if why=$(why_not "$line"); then
			skip "$1: $line" "$why"
		elif [[ $line == '<'* ]] || in_guest "$line"; then
			continue
		elif ! may_run "$line"; then
			false; ok "$1: $line"
			echo "# neither a program of ours nor in never_run"
		else
			run_command "$1" "$line"
			ran=$((ran + 1))
		fi
	done 3< <(commands "$1")
	[[ $1 != *.conf.5 ]] || run_settings "$1"
	end_document
}

# each reason is needed, and no document has lost its commands
check_list()
{
	local document pattern all

	all=$(for document in $(documents); do commands "$document"; done)
	while IFS='|' read -r pattern _; do
		while IFS= read -r line; do
			[[ $line != $pattern ]] || continue 2
		done <<<"$all"
		echo "# no document has: $pattern"
		false; ok "an entry of never_run is in a document"
	done < <(never_run)
	[ $ran -ge 55 ]
	ok "$ran commands were run"
}

ran=0
make_space
make_samples || { echo "# no samples"; exit 1; }
# one each: it waits until each of its topics has a reader
robot camera dds-pub -r 5 -n 100000 image:/camera/image:2000
robot other dds-pub -r 5 -n 100000 image:/topic:2000
for document in $(documents); do
	run_document "$document"
done
check_list
[ -z "$(written)" ]
ok "make uninstall has removed what make install put" ||
	written | head -n 20 | sed 's/^/# /'
done_testing
